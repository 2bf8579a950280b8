#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <taut/results/base64.hpp>
#include <taut/results/export.hpp>
#include <taut/results/mesh.hpp>
#include <taut/results/output_file.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;
using Turn = std::array<double, 4>;  // quaternion x, y, z, w

constexpr std::size_t most_frames = 600;

Point3 minus(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double norm(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }

/// Turns z into a direction, the shortest way.
Turn towards(Point3 d) {
  const double size = norm(d);
  if (size == 0.0) return {0, 0, 0, 1};
  for (double& x : d) x /= size;
  if (d[2] < -1.0 + 1e-12) return {1, 0, 0, 0};
  const double w = std::sqrt(0.5 * (1.0 + d[2]));
  return {-d[1] / (2.0 * w), d[0] / (2.0 * w), 0.0, w};
}

/// The turn whose columns are the axes.
Turn turn_of(const std::array<Point3, 3>& m) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  Turn out{};
  if (trace > 0.0) {
    const double s = 2.0 * std::sqrt(1.0 + trace);
    out = {(m[1][2] - m[2][1]) / s, (m[2][0] - m[0][2]) / s, (m[0][1] - m[1][0]) / s, 0.25 * s};
  } else {
    const std::size_t i = m[0][0] > m[1][1] && m[0][0] > m[2][2] ? 0 : (m[1][1] > m[2][2] ? 1 : 2);
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double s = 2.0 * std::sqrt(std::max(0.0, 1.0 + m[i][i] - m[j][j] - m[k][k]));
    out[i] = 0.25 * s;
    out[j] = (m[i][j] + m[j][i]) / s;
    out[k] = (m[i][k] + m[k][i]) / s;
    out[3] = (m[j][k] - m[k][j]) / s;
  }
  return out;
}

/// One glTF document and its one buffer.
class Document {
 public:
  Document() {
    json_ = {{"asset", {{"version", "2.0"}, {"generator", "taut"}}}, {"scene", 0}};
    for (const char* key : {"scenes", "nodes", "meshes", "materials", "accessors", "bufferViews", "animations"})
      json_[key] = ordered_json::array();
  }

  int accessor(const std::vector<float>& values, int width, bool bounds = false) {
    static constexpr std::array types{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const int view = append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    ordered_json one{{"bufferView", view},
                     {"componentType", 5126},
                     {"count", values.size() / std::size_t(width)},
                     {"type", types[std::size_t(width)]}};
    if (bounds && !values.empty()) {
      for (int k = 0; k < width; ++k) {
        float low = values[std::size_t(k)], high = low;
        for (std::size_t i = std::size_t(k); i < values.size(); i += std::size_t(width))
          low = std::min(low, values[i]), high = std::max(high, values[i]);
        one["min"].push_back(low);
        one["max"].push_back(high);
      }
    }
    return push("accessors", std::move(one));
  }
  int indices(const std::vector<std::uint32_t>& values) {
    const int view = append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint32_t));
    return push("accessors", {{"bufferView", view}, {"componentType", 5125}, {"count", values.size()}, {"type", "SCALAR"}});
  }
  int material(std::array<double, 3> colour) {
    return push("materials", {{"pbrMetallicRoughness",
                               {{"baseColorFactor", {colour[0], colour[1], colour[2], 1.0}},
                                {"metallicFactor", 0.1},
                                {"roughnessFactor", 0.7}}}});
  }
  int mesh(const std::vector<Mesh>& parts, int material) {
    return push("meshes", {{"primitives", ordered_json::array({primitive(parts, material)})}});
  }
  void add_to_mesh(int mesh, const std::vector<Mesh>& parts, int material) {
    json_["meshes"][std::size_t(mesh)]["primitives"].push_back(primitive(parts, material));
  }
  ordered_json primitive(const std::vector<Mesh>& parts, int material) {
    std::vector<float> points, normals;
    std::vector<std::uint32_t> corners;
    for (const Mesh& part : parts) {
      const auto first = std::uint32_t(points.size() / 3);
      for (const Point3& x : part.points) points.insert(points.end(), {float(x[0]), float(x[1]), float(x[2])});
      for (const Point3& x : part.normals) normals.insert(normals.end(), {float(x[0]), float(x[1]), float(x[2])});
      for (const auto& triangle : part.triangles)
        for (const int k : triangle) corners.push_back(first + std::uint32_t(k));
    }
    return {{"attributes", {{"POSITION", accessor(points, 3, true)}, {"NORMAL", accessor(normals, 3)}}},
            {"indices", indices(corners)},
            {"material", material}};
  }
  int line(const std::vector<Point3>& through, int material) {
    std::vector<float> points;
    for (const Point3& x : through) points.insert(points.end(), {float(x[0]), float(x[1]), float(x[2])});
    ordered_json primitive{{"attributes", {{"POSITION", accessor(points, 3, true)}}}, {"mode", 3}, {"material", material}};
    return push("meshes", {{"primitives", ordered_json::array({std::move(primitive)})}});
  }
  int push(const char* list, ordered_json one) {
    json_[list].push_back(std::move(one));
    return int(json_[list].size()) - 1;
  }
  ordered_json& json() { return json_; }

  void write(const std::string& path) {
    static_assert(std::endian::native == std::endian::little);
    OutputFile file(path);
    const bool binary = std::filesystem::path(path).extension() == ".glb";
    ordered_json buffer{{"byteLength", bytes_.size()}};
    if (!binary) buffer["uri"] = "data:application/octet-stream;base64," + base64(bytes_);
    json_["buffers"] = ordered_json::array({std::move(buffer)});
    std::string text = json_.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    if (binary) {
      text.resize((text.size() + 3) / 4 * 4, ' ');
      bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
      const auto word = [&](std::size_t x) {
        for (int k = 0; k < 4; ++k) file.stream().put(char(x >> (8 * k) & 255u));
      };
      file.stream() << "glTF";
      word(2);
      word(12 + 8 + text.size() + 8 + bytes_.size());
      word(text.size());
      file.stream() << "JSON" << text;
      word(bytes_.size());
      file.stream() << std::string("BIN\0", 4) << bytes_;
    } else {
      file.stream() << text;
    }
    file.finish();
  }

 private:
  int append(const char* bytes, std::size_t count) {
    const std::size_t offset = bytes_.size();
    bytes_.append(bytes, count);
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    return push("bufferViews", {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", count}});
  }
  ordered_json json_;
  std::string bytes_;
};

/// The motion of a run as nodes that move.
class Film {
 public:
  explicit Film(const Recording& r) : r_(r), scene_(r.header.scene) {
    // Records that are drawn: all, or so many at equal distances, the last among them.
    const auto records = std::size_t(r.records), count = std::min(records, most_frames);
    for (std::size_t k = 0; k < count; ++k) frames_.push_back(count > 1 ? k * (records - 1) / (count - 1) : 0);
    at_.resize(frames_.size());
    std::vector<float> times;
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      times.push_back(float(std::abs(r.t[frames_[f]] - r.t[0])));
      for (const Scene::Place& one : scene_.places) at_[f].push_back(scene_.at(one, q(f), tracks(f)));
    }
    Point3 low{}, high{};
    for (const auto& all : at_)
      for (const Point3& x : all)
        for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
    const double size = norm(minus(high, low));
    radius_ = 0.01 * (size > 0.0 ? size : 1.0);
    times_ = out_.accessor(times, 1, true);
    animation_ = {{"channels", ordered_json::array()}, {"samplers", ordered_json::array()}};
  }

  void write(const std::string& path) {
    add_places();
    add_lines();
    add_solids();
    // Models in space have z upward, glTF has y.
    ordered_json root{{"name", r_.header.name}, {"children", roots_}};
    if (scene_.dim == 3) root["rotation"] = {-std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)};
    out_.json()["scenes"].push_back({{"nodes", ordered_json::array({out_.push("nodes", std::move(root))})}});
    if (!animation_["channels"].empty()) out_.push("animations", std::move(animation_));
    if (out_.json()["animations"].empty()) out_.json().erase("animations");
    out_.write(path);
  }

 private:
  const double* q(std::size_t frame) const { return r_.q.data() + frames_[frame] * r_.header.coordinates.size(); }
  const double* tracks(std::size_t frame) const { return r_.tracks.data() + frames_[frame] * scene_.track_numbers(); }

  int node(const std::string& name, int mesh) {
    const int number = out_.push("nodes", {{"name", name}, {"mesh", mesh}});
    roots_.push_back(number);
    return number;
  }
  void animate(int node, const char* path, const std::vector<float>& values, int width) {
    ordered_json& samplers = animation_["samplers"];
    samplers.push_back({{"input", times_}, {"output", out_.accessor(values, width)}, {"interpolation", "LINEAR"}});
    animation_["channels"].push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }
  static void add(std::vector<float>& to, const Point3& x) { to.insert(to.end(), {float(x[0]), float(x[1]), float(x[2])}); }
  /// Of the two quaternions of a turn, the one near the last.
  static void add(std::vector<float>& to, Turn x) {
    if (const std::size_t n = to.size(); n >= 4) {
      double product = 0.0;
      for (std::size_t k = 0; k < 4; ++k) product += double(to[n - 4 + k]) * x[k];
      if (product < 0.0)
        for (double& part : x) part = -part;
    }
    to.insert(to.end(), {float(x[0]), float(x[1]), float(x[2]), float(x[3])});
  }

  void add_places() {
    using Kind = Scene::Place::Kind;
    const int mass = out_.mesh({sphere_mesh(1.8 * radius_)}, out_.material({0.16, 0.42, 0.85}));
    const int point = out_.mesh({sphere_mesh(1.2 * radius_)}, out_.material({0.35, 0.37, 0.4}));
    for (std::size_t p = 0; p < scene_.places.size(); ++p) {
      const Scene::Place& one = scene_.places[p];
      if (one.kind == Kind::between || one.kind == Kind::node) continue;
      std::vector<float> moves;
      for (const auto& all : at_) add(moves, all[p]);
      animate(node(one.name, one.kind == Kind::mass ? mass : point), "translation", moves, 3);
    }
  }
  /// A piece of a rod, with a line along it where x points.
  int striped_bar(int steel, double radius) {
    const int mesh = out_.mesh({cylinder_mesh(radius, 1.0)}, steel);
    Mesh stripe = box_mesh({0.4 * radius, 0.5 * radius, 1.0});
    for (Point3& x : stripe.points) x[0] += 0.9 * radius;
    out_.add_to_mesh(mesh, {stripe}, out_.material({0.85, 0.38, 0.17}));
    return mesh;
  }
  /// z along d, and x as near to the director as can be.
  static Turn framed(Point3 d, const Scene::Vector3& director, const double* q) {
    const double size = norm(d);
    Point3 x{director[0].at(q), director[1].at(q), director[2].at(q)};
    for (double& part : d) part /= size > 0.0 ? size : 1.0;
    const double along = x[0] * d[0] + x[1] * d[1] + x[2] * d[2];
    for (std::size_t k = 0; k < 3; ++k) x[k] -= along * d[k];
    const double left = norm(x);
    if (size == 0.0 || !(left > 1e-9)) return towards(d);
    for (double& part : x) part /= left;
    return turn_of({x, {d[1] * x[2] - d[2] * x[1], d[2] * x[0] - d[0] * x[2], d[0] * x[1] - d[1] * x[0]}, d});
  }
  void add_lines() {
    const int steel = out_.material({0.5, 0.54, 0.6}), rail = out_.material({0.6, 0.6, 0.6});
    const int bar = out_.mesh({cylinder_mesh(0.7 * radius_, 1.0)}, steel);
    const auto segment = [&](const std::string& name, int a, int b, int mesh, const Scene::Vector3* director = nullptr) {
      std::vector<float> moves, turns, sizes;
      for (std::size_t f = 0; f < frames_.size(); ++f) {
        const auto& all = at_[f];
        const Point3 from = all[std::size_t(a)], to = all[std::size_t(b)], d = minus(to, from);
        add(moves, Point3{0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.5 * (from[2] + to[2])});
        add(turns, director != nullptr ? framed(d, *director, q(f)) : towards(d));
        add(sizes, Point3{1.0, 1.0, norm(d)});
      }
      const int number = node(name, mesh);
      animate(number, "translation", moves, 3);
      animate(number, "rotation", turns, 4);
      animate(number, "scale", sizes, 3);
    };
    for (const Scene::Link& one : scene_.links) segment(one.name, one.a, one.b, bar);
    for (const Scene::Curve& one : scene_.curves) {
      const int mesh = one.stripe.empty() ? bar : striped_bar(steel, std::max(0.7 * radius_, one.radius));
      for (std::size_t k = 1; k < one.places.size(); ++k)
        segment(one.name, one.places[k - 1], one.places[k], mesh, one.stripe.empty() ? nullptr : &one.stripe[k]);
      if (one.fixed.size() > 1) node(one.name, out_.line(one.fixed, rail));
    }
  }
  void add_solids() {
    const int material = out_.material({0.9, 0.55, 0.2});
    for (const Scene::Solid& solid : scene_.solids) {
      std::vector<Mesh> parts;
      for (const auto& shape : solid.shapes) parts.push_back(mesh_of(shape));
      if (parts.empty()) continue;
      std::vector<float> moves, turns;
      for (std::size_t f = 0; f < frames_.size(); ++f) {
        std::array<Point3, 3> axes{};
        Point3 origin{};
        for (std::size_t k = 0; k < 3; ++k) {
          origin[k] = solid.origin[k].at(q(f));
          for (std::size_t i = 0; i < 3; ++i) axes[i][k] = solid.axes[i][k].at(q(f));
        }
        add(moves, origin);
        add(turns, turn_of(axes));
      }
      const int number = node(solid.name, out_.mesh(parts, material));
      animate(number, "translation", moves, 3);
      animate(number, "rotation", turns, 4);
    }
  }

  const Recording& r_;
  const Scene& scene_;
  std::vector<std::size_t> frames_;
  std::vector<std::vector<Point3>> at_;
  double radius_ = 0.01;
  Document out_;
  int times_ = 0;
  ordered_json animation_, roots_ = ordered_json::array();
};

}  // namespace

void write_gltf(const Recording& results, const std::string& path) {
  require(!results.header.scene.empty() && results.records > 0,
          "convert: the model has no masses, and glTF draws points in space; .csv and .npz take any model.");
  Film(results).write(path);
}

}  // namespace taut
