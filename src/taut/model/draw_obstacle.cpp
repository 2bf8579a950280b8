#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/model/draw.hpp>
#include <taut/model/vectors.hpp>
#include <taut/system/constraints/obstacle_gap.hpp>

namespace taut {
namespace {

using Eigen::Vector3d;
constexpr double pi = std::numbers::pi;

Vector3d place(const Obstacle& obstacle, std::size_t k) {
  const auto& [x, y, z] = obstacle.axis[k];
  return {x, y, z};
}

/// A direction across another, in the plane of the model where it has one.
Vector3d across(const Vector3d& t, const Draft& draft) {
  return draft.dim == 3 ? Vector3d(frame_along(t).col(0)) : Vector3d(-t[1], t[0], 0.0);
}

/// One picture for all that one obstacle stops.
template <class Part, class Same> void add_once(std::vector<Part>& all, Part part, const Same& same) {
  if (std::none_of(all.begin(), all.end(), [&](const Part& one) { return same(one, part); })) all.push_back(std::move(part));
}

void draw_solid(Draft& draft, const std::string& name, const Obstacle& obstacle) {
  using Shape = Scene::Solid::Shape;
  Scene::Solid solid{.name = name};
  Vector3d middle = Vector3d::Zero();
  for (std::size_t k = 0; k < obstacle.axis.size(); ++k) middle += place(obstacle, k) / double(obstacle.axis.size());
  for (std::size_t k = 0; k < 3; ++k) {
    solid.axes[k][k].offset = 1.0;
    solid.origin[k].offset = middle[Eigen::Index(k)];
  }
  if (obstacle.axis.size() == 1) solid.shapes.push_back({.kind = Shape::Kind::sphere, .size = {obstacle.radius, 0.0, 0.0}});
  for (std::size_t k = 1; k < obstacle.axis.size(); ++k) {
    const Vector3d a = place(obstacle, k - 1), b = place(obstacle, k);
    const Vector3d t = (b - a).normalized(), n = across(t, draft);
    solid.shapes.push_back({.kind = Shape::Kind::capsule,
                            .size = {obstacle.radius, (b - a).norm(), 0.0},
                            .at = three(0.5 * (a + b) - middle),
                            .axes = {three(n), three(t.cross(n)), three(t)}});
  }
  add_once(draft.model.scene.solids, std::move(solid),
           [](const Scene::Solid& a, const Scene::Solid& b) { return a.origin == b.origin && a.shapes == b.shapes; });
}

/// Lines along the surface, rings around it, and half rings over its ends; in the plane its outline.
void draw_hollow(Draft& draft, const std::string& name, const Obstacle& obstacle) {
  const std::size_t last = obstacle.axis.size() - 1;
  const bool space = draft.dim == 3;
  const int lines = space ? 8 : 2;
  std::vector<Vector3d> tangents, sides;
  for (std::size_t k = 0; k <= last; ++k) {
    const Vector3d way = place(obstacle, std::min(k + 1, last)) - place(obstacle, k == 0 ? 0 : k - 1);
    const Vector3d t = last == 0 ? Vector3d(0.0, space ? 0.0 : 1.0, space ? 1.0 : 0.0) : Vector3d(way.normalized());
    tangents.push_back(t);
    sides.push_back(k == 0 || !space ? across(t, draft) : Vector3d((sides.back() - t * t.dot(sides.back())).normalized()));
  }
  const auto on_ring = [&](std::size_t k, double angle) {
    return Vector3d(std::cos(angle) * sides[k] + std::sin(angle) * tangents[k].cross(sides[k]));
  };
  const auto draw = [&](int points, const auto& at) {
    Scene::Curve curve{.kind = Scene::Curve::Kind::rail, .name = name};
    for (int i = 0; i <= points; ++i) curve.fixed.push_back(three(at(i)));
    add_once(draft.model.scene.curves, std::move(curve),
             [](const Scene::Curve& a, const Scene::Curve& b) { return a.fixed == b.fixed && a.places == b.places; });
  };
  const double R = obstacle.radius;
  for (int line = 0; last > 0 && line < lines; ++line)
    draw(int(last), [&](int i) {
      return Vector3d(place(obstacle, std::size_t(i)) + R * on_ring(std::size_t(i), 2.0 * pi * line / lines));
    });
  for (std::size_t k = 0; space && k <= last; ++k)
    draw(48, [&](int i) { return Vector3d(place(obstacle, k) + R * on_ring(k, 2.0 * pi * i / 48)); });
  for (const auto& [k, sign] : {std::pair(std::size_t(0), -1.0), {last, 1.0}})
    for (int half = 0; half < lines / 2; half += 2)
      draw(24, [&, k = k, sign = sign](int i) {
        const double angle = pi * i / 24;
        return Vector3d(place(obstacle, k) +
                        R * (std::cos(angle) * on_ring(k, 2.0 * pi * half / lines) + sign * std::sin(angle) * tangents[k]));
      });
}

}  // namespace

void draw_obstacle(Draft& draft, const std::string& name, const Obstacle& obstacle) {
  obstacle.hollow ? draw_hollow(draft, name, obstacle) : draw_solid(draft, name, obstacle);
}

}  // namespace taut
