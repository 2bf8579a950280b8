#include <cmath>
#include <numbers>
#include <taut/results/mesh.hpp>

namespace taut {
namespace {

/// A surface of revolution about z: rings of (radius, z) with the normals there.
struct Ring {
  double r, z, normal_r, normal_z;
};

Mesh revolved(const std::vector<Ring>& rings) {
  constexpr int around = 24;
  Mesh out;
  for (const Ring& ring : rings)
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around, c = std::cos(angle), s = std::sin(angle);
      out.points.push_back({ring.r * c, ring.r * s, ring.z});
      out.normals.push_back({ring.normal_r * c, ring.normal_r * s, ring.normal_z});
    }
  for (int i = 0; i + 1 < int(rings.size()); ++i)
    for (int k = 0; k < around; ++k) {
      const int a = i * around + k, b = i * around + (k + 1) % around, c = a + around, d = b + around;
      out.triangles.push_back({a, b, d});
      out.triangles.push_back({a, d, c});
    }
  return out;
}

/// Rings of half a sphere, from its pole or to it.
void add_half_sphere(std::vector<Ring>& rings, double radius, double z, bool lower) {
  constexpr int steps = 8;
  for (int k = 0; k <= steps; ++k) {
    const double angle = 0.5 * std::numbers::pi * (lower ? k - steps : k) / steps;
    rings.push_back({radius * std::cos(angle), z + radius * std::sin(angle), std::cos(angle), std::sin(angle)});
  }
}

}  // namespace

Mesh box_mesh(Point3 edges) {
  Mesh out;
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1}) {
      const int first = int(out.points.size()), u = (axis + 1) % 3, w = (axis + 2) % 3;
      for (const auto& [a, b] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
        Point3 point{}, normal{};
        point[std::size_t(axis)] = 0.5 * side * edges[std::size_t(axis)];
        point[std::size_t(u)] = 0.5 * a * edges[std::size_t(u)];
        point[std::size_t(w)] = 0.5 * b * edges[std::size_t(w)];
        normal[std::size_t(axis)] = side;
        out.points.push_back(point);
        out.normals.push_back(normal);
      }
      const bool outward = side > 0;
      out.triangles.push_back({first, outward ? first + 1 : first + 2, outward ? first + 2 : first + 1});
      out.triangles.push_back({first, outward ? first + 2 : first + 3, outward ? first + 3 : first + 2});
    }
  return out;
}

Mesh sphere_mesh(double radius) {
  std::vector<Ring> rings;
  add_half_sphere(rings, radius, 0.0, true);
  rings.pop_back();
  add_half_sphere(rings, radius, 0.0, false);
  return revolved(rings);
}

Mesh cylinder_mesh(double radius, double length) {
  const double z = 0.5 * length;
  return revolved({{0.0, -z, 0.0, -1.0},
                   {radius, -z, 0.0, -1.0},
                   {radius, -z, 1.0, 0.0},
                   {radius, z, 1.0, 0.0},
                   {radius, z, 0.0, 1.0},
                   {0.0, z, 0.0, 1.0}});
}

Mesh mesh_of(const Scene::Solid::Shape& shape) {
  using Kind = Scene::Solid::Shape::Kind;
  const auto [a, b, c] = shape.size;
  Mesh out;
  if (shape.kind == Kind::box || shape.kind == Kind::plate) out = box_mesh({a, b, c});
  if (shape.kind == Kind::rod) out = box_mesh({a, b, b});
  if (shape.kind == Kind::sphere) out = sphere_mesh(a);
  if (shape.kind == Kind::cylinder) out = cylinder_mesh(a, b);
  if (shape.kind == Kind::capsule) {
    std::vector<Ring> rings;
    add_half_sphere(rings, a, -0.5 * b, true);
    add_half_sphere(rings, a, 0.5 * b, false);
    out = revolved(rings);
  }
  const auto turned = [&](const Point3& x) {
    Point3 y{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) y[k] += x[i] * shape.axes[i][k];
    return y;
  };
  for (Point3& point : out.points) {
    point = turned(point);
    for (std::size_t k = 0; k < 3; ++k) point[k] += shape.at[k];
  }
  for (Point3& normal : out.normals) normal = turned(normal);
  return out;
}

}  // namespace taut
