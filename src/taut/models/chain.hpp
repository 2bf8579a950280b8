#pragma once

#include <taut/models/model.hpp>
#include <vector>

namespace taut {

struct ChainOptions {
  int links = 10;
  int dim = 2;
  double length = 1.0;  ///< of each link, m
  double mass = 1.0;    ///< of each point, kg
  double g = 9.81;
  std::vector<double>
      angles{};  ///< of each link from straight down, in the plane of the first and the last coordinate; none: all 90°
  std::vector<double> rates{};  ///< of these angles, rad/s; none: at rest
};

/// The n-fold pendulum in Cartesian coordinates: point masses joined by rigid massless links and hung from the origin. Stretched out horizontally
/// and at rest unless told otherwise.
Model chain(const ChainOptions& options);

}  // namespace taut
