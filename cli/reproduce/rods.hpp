#pragma once

#include <Eigen/Core>
#include <functional>
#include <numbers>
#include <taut/models/beam.hpp>
#include <taut/taut.hpp>

#include "experiment.hpp"

/// What the experiments with rods share.
namespace taut::reproduce {

using Eigen::Matrix3d, Eigen::Vector3d;
using Triple = std::array<double, 3>;
constexpr double pi = std::numbers::pi;

inline Triple triple(const Vector3d& x) { return {x[0], x[1], x[2]}; }
inline Vector3d vector(const Triple& x) { return {x[0], x[1], x[2]}; }

struct RodModel {
  Beam beam;
  System system;
};
inline RodModel rod_model(const BeamOptions& options) {
  Beam beam(options, 3);
  System system(Points{.count = 0, .dim = 3}, beam.coordinates());
  beam.add_to(system);
  return {std::move(beam), std::move(system)};
}

/// A clamp with its frame as columns d₁, d₂, d₃.
inline BeamEnd clamp(const Vector3d& place, const Matrix3d& frame) {
  return {.support = BeamEnd::Support::clamped,
          .place = triple(place),
          .direction = triple(frame.col(2)),
          .roll = triple(frame.col(0))};
}
inline BeamEnd pinned(const Vector3d& place) { return {.support = BeamEnd::Support::pinned, .place = triple(place)}; }

/// Axes in which d₃ is along x and d₁ along y.
inline Matrix3d along_x() {
  Matrix3d out;
  out << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return out;
}

/// By place and frame of each node.
inline Vector nodes_placed(const Beam& beam, const std::function<std::pair<Vector3d, Matrix3d>(double s)>& at) {
  Vector q = Vector::Zero(beam.coordinates());
  for (int k = 0; k < beam.nodes(); ++k) {
    const auto [x, R] = at(beam.s(k));
    q.segment<3>(3 * beam.position(k)) = x;
    for (int i = 0; i < 3; ++i) q.segment<3>(beam.frame_at(k)[std::size_t(i)]) = R.col(i);
  }
  return q;
}

/// Frequencies, objectivity, free flight, and what a step costs.
void rods_in_motion(const Settings& set, const Report& report, Outcome& out);

}  // namespace taut::reproduce
