#pragma once

#include <array>
#include <taut/model/scene.hpp>
#include <vector>

namespace taut {

using Point3 = std::array<double, 3>;

/// Triangles on the surface of a shape, counterclockwise seen from outside.
struct Mesh {
  std::vector<Point3> points, normals;
  std::vector<std::array<int, 3>> triangles{};
};

Mesh box_mesh(Point3 edges);
Mesh sphere_mesh(double radius);
Mesh cylinder_mesh(double radius, double length);  ///< along z, the middle at the origin
Mesh mesh_of(const Scene::Solid::Shape& shape);    ///< at its place in the body

}  // namespace taut
