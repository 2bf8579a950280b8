#include <cmath>
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
  for (int k = 1; k < options.links; ++k) system.add(Distance{.from = k - 1, .to = k, .length = options.length});
  const std::size_t links = std::size_t(options.links);
  require(options.angles.empty() || options.angles.size() == links, "chain: {} angles are given for {} links.",
          options.angles.size(), links);
  require(options.rates.empty() || options.rates.size() == links, "chain: {} rates are given for {} links.",
          options.rates.size(), links);
  require(options.dim > 1 || (options.angles.empty() && options.rates.empty()), "chain: in one dimension nothing turns.");

  // Each mass from the one before it, along (sin, −cos) of its angle.
  const int down = options.dim - 1;
  Vector q = Vector::Zero(system.size()), v = q;
  for (int k = 0; k < options.links; ++k) {
    const int x = k * options.dim, y = x + down;
    if (k > 0) {
      q.segment(x, options.dim) = q.segment(x - options.dim, options.dim);
      v.segment(x, options.dim) = v.segment(x - options.dim, options.dim);
    }
    const bool turned = !options.angles.empty();
    const double sine = turned ? std::sin(options.angles[std::size_t(k)]) : 1.0,
                 cosine = turned ? std::cos(options.angles[std::size_t(k)]) : 0.0,
                 rate = options.rates.empty() ? 0.0 : options.rates[std::size_t(k)];
    q[x] += options.length * sine;
    v[x] += options.length * rate * cosine;
    if (options.dim == 1) continue;
    q[y] -= options.length * cosine;
    v[y] += options.length * rate * sine;
  }
  State start = state_at(system, 0.0, q, v);
  return {std::move(system), std::move(start)};
}

}  // namespace taut
