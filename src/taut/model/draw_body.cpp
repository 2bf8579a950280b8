#include <algorithm>
#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Shape = Scene::Solid::Shape;

std::array<std::array<double, 3>, 3> columns(const Matrix3d& R) {
  return {three(R.col(0)), three(R.col(1)), three(R.col(2))};
}

Shape drawn(const SolidShape& shape, double thin) {
  const auto size = [&](std::size_t k) { return k < shape.size.size() ? shape.size[k] : thin; };
  Shape out{.at = three(shape.at), .axes = columns(shape.rotation)};
  if (shape.kind == "box") out.kind = Shape::Kind::box;
  if (shape.kind == "sphere") out.kind = Shape::Kind::sphere;
  if (shape.kind == "cylinder" || shape.kind == "disk") out.kind = Shape::Kind::cylinder;
  if (shape.kind == "capsule") out.kind = Shape::Kind::capsule;
  if (shape.kind == "plate") out.kind = Shape::Kind::plate;
  if (shape.kind == "rod") out.kind = Shape::Kind::rod;
  out.size = {size(0), size(1), size(2)};
  return out;
}

/// A rod between two points of a body.
Shape bar(const Vector3d& a, const Vector3d& b, double thick) {
  const double length = (b - a).norm();
  const Matrix3d R = turn_between(Vector3d::UnitX(), b - a);
  return {.kind = Shape::Kind::rod, .size = {length, thick, 0.0}, .at = three(0.5 * (a + b)), .axes = columns(R)};
}

/// A body without shapes: bars from its middle to its points; without points, the box that has its inertia.
std::vector<Shape> guessed(const BodyEntry& body, int dim) {
  const Vector3d& center = body.mass.center;
  std::vector<Shape> out;
  double far = 0.0;
  for (const auto& [name, point] : body.points) far = std::max(far, (point - center).norm());
  for (const auto& [name, point] : body.points)
    if ((point - center).norm() > 1e-9 * far) out.push_back(bar(center, point, 0.06 * far));
  if (!out.empty() || body.mass.mass == 0.0) return out;
  const double m = body.mass.mass;
  Vector3d size;
  if (dim == 2) {
    const double side = std::sqrt(6.0 * body.moments[2] / m);
    size = {side, side, 0.1 * side};
  } else {
    for (int i = 0; i < 3; ++i) size[i] = std::sqrt(std::max(0.0, 6.0 * (body.moments.sum() - 2.0 * body.moments[i]) / m));
    size = size.cwiseMax(0.03 * size.maxCoeff());
  }
  out.push_back({.kind = Shape::Kind::box, .size = three(size), .at = three(center), .axes = columns(body.principal)});
  return out;
}

}  // namespace

void draw_body(Draft& draft, const BodyEntry& body) {
  Scene::Solid solid{.name = body.name};
  const auto draw = [&](const std::array<Graph::Node, 3>& x, Scene::Vector3& to) {
    for (int k = 0; k < draft.dim; ++k) affine_form(draft, x[std::size_t(k)], to[std::size_t(k)]);
  };
  draw(body_place(body, Vector3d::Zero(), draft, false), solid.origin);
  for (int k = 0; k < draft.dim; ++k) draw(body_vector(body, Vector3d::Unit(k), draft), solid.axes[std::size_t(k)]);
  if (draft.dim == 2) solid.axes[2][2].offset = 1.0;
  double size = 0.0;
  for (const SolidShape& shape : body.shapes)
    for (const double one : shape.size) size = std::max(size, one);
  for (const SolidShape& shape : body.shapes) solid.shapes.push_back(drawn(shape, 0.03 * size));
  if (body.shapes.empty()) solid.shapes = guessed(body, draft.dim);
  draft.model.scene.solids.push_back(std::move(solid));
}

}  // namespace taut
