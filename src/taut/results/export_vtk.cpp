#include <taut/results/export.hpp>
#include <taut/results/mesh.hpp>
#include <taut/results/output_file.hpp>

namespace taut {
namespace {

/// What a file of VTK's PolyData holds at one record: points, with masses and nodes first, and what lies between them.
struct Geometry {
  std::size_t places = 0;  ///< points that are places of the scene; the rest are corners of bodies and fixed curves
  std::vector<std::vector<int>> lines;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Point3> points, velocities;
  std::vector<Point3> directors;  ///< d₁ where a point belongs to a rod; none where there is no rod
};

Point3 vector_at(const Scene::Vector3& form, const double* q) { return {form[0].at(q), form[1].at(q), form[2].at(q)}; }

class Drawing {
 public:
  explicit Drawing(const Recording& r) : r_(r), scene_(r.header.scene) {
    out_.places = scene_.places.size();
    for (const Scene::Link& one : scene_.links) out_.lines.push_back({one.a, one.b});
    int next = int(out_.places);
    for (const Scene::Curve& one : scene_.curves) {
      std::vector<int> line = one.places;
      for (std::size_t k = 0; k < one.fixed.size(); ++k) line.push_back(next++);
      if (line.size() > 1) out_.lines.push_back(std::move(line));
    }
    for (const Scene::Solid& solid : scene_.solids)
      for (const auto& shape : solid.shapes) {
        meshes_.push_back({&solid, mesh_of(shape)});
        for (const auto& [a, b, c] : meshes_.back().second.triangles)
          out_.triangles.push_back({next + a, next + b, next + c});
        next += int(meshes_.back().second.points.size());
      }
  }

  const Geometry& at(std::size_t record) {
    const std::size_t n = r_.header.coordinates.size(), m = scene_.track_numbers();
    const double *q = r_.q.data() + record * n, *v = r_.v.data() + record * n, *tracks = r_.tracks.data() + record * m;
    out_.points.clear();
    out_.velocities.clear();
    out_.directors.clear();
    for (const Scene::Place& one : scene_.places) {
      out_.points.push_back(scene_.at(one, q, tracks));
      Point3 velocity{};  // of a track nothing is known
      for (std::size_t k = 0; k < 3 && one.track < 0; ++k) velocity[k] = one.x[k].at(v) - one.x[k].offset;
      out_.velocities.push_back(velocity);
    }
    for (const Scene::Curve& one : scene_.curves) out_.points.insert(out_.points.end(), one.fixed.begin(), one.fixed.end());
    for (const auto& [solid, mesh] : meshes_) {
      const Point3 origin = vector_at(solid->origin, q);
      const std::array<Point3, 3> axes{vector_at(solid->axes[0], q), vector_at(solid->axes[1], q),
                                       vector_at(solid->axes[2], q)};
      for (const Point3& x : mesh.points) {
        Point3 y = origin;
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t k = 0; k < 3; ++k) y[k] += x[i] * axes[i][k];
        out_.points.push_back(y);
      }
    }
    out_.velocities.resize(out_.points.size(), Point3{});
    for (const Scene::Curve& one : scene_.curves)
      for (std::size_t k = 0; k < one.stripe.size(); ++k) {
        out_.directors.resize(out_.points.size(), Point3{});
        out_.directors[std::size_t(one.places[k])] = vector_at(one.stripe[k], q);
      }
    return out_;
  }

 private:
  const Recording& r_;
  const Scene& scene_;
  Geometry out_;
  std::vector<std::pair<const Scene::Solid*, Mesh>> meshes_;
};

void triples(std::ofstream& out, const std::vector<Point3>& all) {
  for (const auto& [x, y, z] : all) out << exact(x) << " " << exact(y) << " " << exact(z) << "\n";
}

void write_legacy(std::ofstream& out, const Geometry& g, const std::string& title) {
  std::string line = title.empty() ? "taut" : title.substr(0, 200);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  out << "# vtk DataFile Version 3.0\n" << line << "\nASCII\nDATASET POLYDATA\nPOINTS " << g.points.size() << " double\n";
  triples(out, g.points);
  out << "VERTICES " << g.places << " " << 2 * g.places << "\n";
  for (std::size_t k = 0; k < g.places; ++k) out << "1 " << k << "\n";
  if (!g.lines.empty()) {
    std::size_t size = 0;
    for (const auto& one : g.lines) size += 1 + one.size();
    out << "LINES " << g.lines.size() << " " << size << "\n";
    for (const auto& one : g.lines) {
      out << one.size();
      for (const int k : one) out << " " << k;
      out << "\n";
    }
  }
  if (!g.triangles.empty()) {
    out << "POLYGONS " << g.triangles.size() << " " << 4 * g.triangles.size() << "\n";
    for (const auto& [a, b, c] : g.triangles) out << "3 " << a << " " << b << " " << c << "\n";
  }
  out << "POINT_DATA " << g.points.size() << "\nVECTORS velocity double\n";
  triples(out, g.velocities);
  if (!g.directors.empty()) out << "VECTORS director double\n";
  triples(out, g.directors);
}

/// Cells of one kind: which points, and where each cell ends.
void write_cells(std::ofstream& out, const char* name, const std::vector<std::vector<int>>& cells) {
  out << "<" << name << ">\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n";
  for (const auto& cell : cells)
    for (const int k : cell) out << k << " ";
  out << "\n</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n";
  std::size_t end = 0;
  for (const auto& cell : cells) out << (end += cell.size()) << " ";
  out << "\n</DataArray>\n</" << name << ">\n";
}

void write_xml(std::ofstream& out, const Geometry& g) {
  std::vector<std::vector<int>> vertices, polygons;
  for (std::size_t k = 0; k < g.places; ++k) vertices.push_back({int(k)});
  for (const auto& [a, b, c] : g.triangles) polygons.push_back({a, b, c});
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
         "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\""
      << g.points.size() << "\" NumberOfVerts=\"" << vertices.size() << "\" NumberOfLines=\"" << g.lines.size()
      << "\" NumberOfStrips=\"0\" NumberOfPolys=\"" << polygons.size()
      << "\">\n<PointData Vectors=\"velocity\">\n<DataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\" "
         "format=\"ascii\">\n";
  triples(out, g.velocities);
  if (!g.directors.empty())
    out << "</DataArray>\n<DataArray type=\"Float64\" Name=\"director\" NumberOfComponents=\"3\" format=\"ascii\">\n";
  triples(out, g.directors);
  out << "</DataArray>\n</PointData>\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n";
  triples(out, g.points);
  out << "</DataArray>\n</Points>\n";
  write_cells(out, "Verts", vertices);
  write_cells(out, "Lines", g.lines);
  write_cells(out, "Polys", polygons);
  out << "</Piece>\n</PolyData>\n</VTKFile>\n";
}

std::string escaped(const std::string& text, bool xml) {
  std::string out;
  for (const char c : text) {
    if (xml && c == '&') {
      out += "&amp;";
    } else if (xml && c == '<') {
      out += "&lt;";
    } else if (xml && c == '"') {
      out += "&quot;";
    } else if (!xml && (c == '"' || c == '\\')) {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void write_vtk(const Recording& r, const std::string& path) {
  require(!r.header.scene.empty(),
          "convert: the model has no masses, and VTK draws points in space; .csv and .npz take any model.");
  std::filesystem::path base = path;
  const bool xml = base.extension() != ".vtk";
  base.replace_extension();
  OutputFile series(xml ? base.string() + ".pvd" : path + ".series");
  series.stream() << (xml ? "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"
                          : "{\"file-series-version\": \"1.0\", \"files\": [\n");
  Drawing drawing(r);
  for (std::size_t s = 0; s < std::size_t(r.records); ++s) {
    std::string number = std::to_string(s);
    number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
    const std::string name = base.string() + "_" + number + (xml ? ".vtp" : ".vtk");
    OutputFile file(name);
    if (xml) write_xml(file.stream(), drawing.at(s));
    if (!xml) write_legacy(file.stream(), drawing.at(s), r.header.name);
    file.finish();
    const std::string shown = escaped(std::filesystem::path(name).filename().string(), xml), t = exact(r.t[s]);
    if (xml) series.stream() << "<DataSet timestep=\"" << t << "\" file=\"" << shown << "\"/>\n";
    if (!xml) series.stream() << (s > 0 ? ",\n" : "") << "  {\"name\": \"" << shown << "\", \"time\": " << t << "}";
  }
  series.stream() << (xml ? "</Collection>\n</VTKFile>\n" : "\n]}\n");
  series.finish();
}

}  // namespace taut
