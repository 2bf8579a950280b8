#include <taut/base/require.hpp>
#include <taut/models/chain.hpp>
#include <taut/simulate/start.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/terms/gravity.hpp>

namespace taut {

Model chain(const ChainOptions& options) {
  require(options.links > 0, "chain: needs at least one link, got {}.", options.links);
  System system(Points{.count = options.links, .dim = options.dim, .mass = options.mass});
  system.add(Gravity{.g = options.g}).add(Pin{.point = 0, .length = options.length});
  Vector q = Vector::Zero(system.size());
  for (int k = 0; k < options.links; ++k) {
    q[k * options.dim] = (k + 1) * options.length;
    if (k > 0) system.add(Distance{.from = k - 1, .to = k, .length = options.length});
  }
  State start = at_rest(system, q);
  return {std::move(system), std::move(start)};
}

}  // namespace taut
