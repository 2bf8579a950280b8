#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <taut/taut.hpp>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

/// The coordinates that move most, with their share: "x 1, y -0.5".
std::string movers(const System& system, const Eigen::VectorXcd& shape) {
  std::vector<int> order(std::size_t(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  constexpr std::size_t shown = 4;
  const std::size_t count = std::min(order.size(), shown);
  std::partial_sort(order.begin(), order.begin() + long(count), order.end(), [&](int a, int b) {
    const double one = std::abs(shape[a]), other = std::abs(shape[b]);
    return std::abs(one - other) > 1e-9 ? one > other : a < b;
  });
  std::string out;
  for (std::size_t k = 0; k < count; ++k) {
    const std::complex<double> entry = shape[order[k]];
    if (std::abs(entry) < 1e-6) break;
    out += out.empty() ? "" : ", ";
    out += system.coordinate_name(order[k]);
    out += std::abs(entry.imag()) > 1e-3 * std::abs(entry)
               ? fmt::format(" {:.3g} at {:.0f} deg", std::abs(entry), std::arg(entry) * 180.0 / M_PI)
               : fmt::format(" {:.3g}", entry.real());
  }
  return out;
}

ordered_json to_json(const System& system, const NaturalMode& mode) {
  ordered_json out{{"frequency", mode.frequency()},
                   {"damping", mode.damping()},
                   {"s", {mode.s.real(), mode.s.imag()}},
                   {"shape", ordered_json::object()}};
  for (int i = 0; i < system.size(); ++i)
    out["shape"][system.coordinate_name(i)] = {mode.shape[i].real(), mode.shape[i].imag()};
  return out;
}

}  // namespace

int modes(const ModesArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments), false);
  if (arguments.count < 1) throw InputError(fmt::format("--count asks for at least one mode, got {}.", arguments.count));
  const System system = formulated(model, model.run.formulation);
  const Equilibrium rest = equilibrium(system, model.start.state);
  if (rest.status != Status::ok) {
    fmt::print(stderr, "taut: {}: modes are those about an equilibrium, and none was found: {}\n", arguments.model,
               rest.trouble);
    return failed_run;
  }
  const NaturalModes found = natural_modes(system, rest.state, arguments.count);
  if (!found.unknown.empty()) {
    fmt::print(stderr, "taut: {}: no modes: {}\n", arguments.model, found.unknown);
    return failed_run;
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"degrees_of_freedom", found.degrees_of_freedom},
                     {"all", found.all},
                     {"method", found.dense ? "dense" : "shift-invert"},
                     {"residual", number(rest.residual)},
                     {"frozen", found.frozen},
                     {"modes", ordered_json::array()}};
    for (const NaturalMode& mode : found.modes) out["modes"].push_back(to_json(system, mode));
    fmt::print("{}\n", out.dump(2));
    return ok;
  }
  fmt::print("{}\n{} of {} degrees of freedom about the equilibrium (forces left over: {:.2g} N)\n",
             title(model, arguments.model),
             found.all ? "all modes" : fmt::format("the {} slowest modes", found.modes.size()), found.degrees_of_freedom,
             rest.residual);
  if (found.frozen) fmt::print("  {}\n", frozen(rest.state.t));
  fmt::print("  {:>4}  {:>14}  {:>12}  {:>10}  {}\n", "", "frequency [Hz]", "period [s]", "damping", "what moves most");
  int k = 0;
  for (const NaturalMode& mode : found.modes) {
    const double frequency = mode.frequency();
    const std::string period = frequency > 0.0 ? fmt::format("{:.6g}", 1.0 / frequency)
                               : mode.rigid()  ? "free"
                                               : fmt::format("{} 1/s", fmt::format("{:+.3g}", mode.s.real()));
    fmt::print("  {:>4}  {:>14.8g}  {:>12}  {:>10.4g}  {}\n", ++k, frequency, period, mode.damping(),
               movers(system, mode.shape));
  }
  return ok;
}

}  // namespace taut::cli
