#pragma once

#include <taut/models/model.hpp>

namespace taut {

struct ChainOptions {
  int links = 10;
  int dim = 2;
  double length = 1.0;  ///< of each link, m
  double mass = 1.0;    ///< of each point, kg
  double g = 9.81;
};

/// Point masses joined by rigid massless links and hung from the origin, at rest and stretched out horizontally.
Model chain(const ChainOptions& options);

}  // namespace taut
