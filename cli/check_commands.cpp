#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <complex>
#include <taut/study/inspect.hpp>
#include <taut/taut.hpp>

#include "command_tools.hpp"

namespace taut::cli {

int check(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments), false);
  const Inspection found = inspect(model);
  const System& system = model.system;
  const ConsistentStart& start = model.start;
  const std::string trouble = found.trouble.empty() ? "" : arguments.model + ": " + found.trouble;
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"name", model.name},
                     {"coordinates", found.coordinates},
                     {"constraints", found.constraints},
                     {"inequalities", found.inequalities},
                     {"degrees_of_freedom", found.degrees_of_freedom},
                     {"gruebler", found.gruebler},
                     {"redundant", found.redundant},
                     {"held_already", found.words},
                     {"holonomic", found.holonomic},
                     {"conservative", found.conservative},
                     {"moved_q", start.moved_q},
                     {"moved_v", start.moved_v},
                     {"violated", ordered_json::array()},
                     {"trouble", trouble}};
    for (const Violation& one : found.violated)
      out["violated"].push_back(
          {{"constraint", one.constraint}, {"level", one.velocity ? "velocity" : "position"}, {"size", one.size}});
    for (const auto& [name, value] : model.parameters) out["parameters"][name] = number(value);
    for (int i = 0; i < system.size(); ++i)
      out["initial"][system.coordinate_name(i)] = {number(start.state.q[i]), number(start.state.v[i])};
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    for (const auto& [name, value] : model.parameters)
      fmt::print("  parameter            {} = {:.9g} (SI units)\n", name, value);
    fmt::print("  coordinates          {}\n", found.coordinates);
    fmt::print("  constraints          {}, {} of them inequalities{}\n", found.constraints, found.inequalities,
               found.holonomic ? "" : "; some hold velocities (nonholonomic)");
    fmt::print("  degrees of freedom   {}{} by rank, {} by Gruebler's count\n", found.degrees_of_freedom,
               found.holonomic ? "" : " of the velocities", found.gruebler);
    for (const std::string& words : found.words) fmt::print("  redundant            {}\n", words);
    fmt::print("  energy               {}\n",
               found.conservative ? "conserved" : "not conserved: forces, time or impacts act");
    if (start.moved_q > 0.0 || start.moved_v > 0.0)
      fmt::print("  initial values       found; positions moved by at most {:.3g}, velocities by {:.3g}\n", start.moved_q,
                 start.moved_v);
    constexpr int shown = 40;
    for (int i = 0; i < std::min(system.size(), shown); ++i)
      fmt::print("    {:<18} {:>16.9g}   velocity {:>16.9g}\n", system.coordinate_name(i), start.state.q[i],
                 start.state.v[i]);
    if (system.size() > shown) fmt::print("    and {} more\n", system.size() - shown);
    for (const Violation& one : found.violated)
      fmt::print("  violated             {} by {:.3g} ({})\n", one.constraint, one.size,
                 one.velocity ? "velocity" : "position");
    if (!trouble.empty()) fmt::print("  trouble              {}\n", trouble);
  }
  if (found.good()) return ok;
  throw InputError(trouble.empty() ? message("{}: the initial values violate {}.", arguments.model, describe(found.violated))
                                   : trouble);
}

namespace {

/// In words: what small motions about the equilibrium do.
std::string in_words(const Stability& found) {
  if (!found.unknown.empty()) return "stability not known: " + found.unknown;
  if (found.frozen) return "stability not known";
  if (found.unstable()) return fmt::format("not stable ({})", name_of(found.instability));
  return found.neutral > 0 ? "neutral (of some small motions linear terms do not tell)" : "stable";
}

ordered_json to_json(const std::vector<std::complex<double>>& values) {
  ordered_json out = ordered_json::array();
  for (const std::complex<double>& s : values) out.push_back({number(s.real()), number(s.imag())});
  return out;
}

}  // namespace

int statics(const ModelArguments& arguments) {
  ModelFile model = read_model(arguments.model, overrides(arguments), false);
  const RunSection& run = model.run;
  const System system = formulated(model, run.formulation);
  const SolverMethod method = solver_at_rest(run.solver, run.solver_options);
  const Equilibrium found = equilibrium(system, model.start.state, {.method = method});
  const bool good = found.status == Status::ok;
  const Stability small = good ? stability(system, found.state) : Stability{.eigenvalues = {}, .unknown = "no equilibrium"};
  const std::vector<double> frequencies = small.frequencies();
  const std::vector<double> outputs = ModelModes(model, run.formulation).values(model.outputs, found.state);
  if (arguments.json) {
    ordered_json out{
        {"model", arguments.model},
        {"found", good},
        {"solver", name_of(method)},
        {"iterations", found.newton_iterations},
        {"sweeps", found.multiplier_updates},
        {"trouble", found.trouble},
        {"residual", number(found.residual)},
        {"stable", small.stable()     ? ordered_json(true)
                   : small.unstable() ? ordered_json(false)
                                      : ordered_json(nullptr)},
        {"instability", small.unknown.empty() ? ordered_json(name_of(small.instability)) : ordered_json(nullptr)},
        {"neutral", small.neutral},
        {"eigenvalues", small.unknown.empty() ? to_json(small.eigenvalues) : ordered_json(nullptr)},
        {"frequencies", frequencies},
        {"unknown", small.unknown},
        {"frozen", small.frozen},
        {"lowest_eigenvalue", number(found.lowest_eigenvalue)},
        {"potential", number(system.potential_energy(instant(found.state)))}};
    for (int i = 0; i < system.size(); ++i) out["q"][system.coordinate_name(i)] = number(found.state.q[i]);
    for (int row = 0; row < system.constraint_count(); ++row)
      out["lambda"][system.constraint_name(row)] = number(found.state.lambda[row]);
    for (std::size_t k = 0; k < outputs.size(); ++k) out["outputs"][model.outputs[k].name] = number(outputs[k]);
    fmt::print("{}\n", out.dump(2));
  } else if (good) {
    const std::string updates = found.multiplier_updates > 0 ? fmt::format(", {} updates", found.multiplier_updates) : "";
    fmt::print("{}\nequilibrium, {}: lowest eigenvalue {:.6g} 1/s^2, residual {:.2g}, {} steps, {}{}\n",
               title(model, arguments.model), in_words(small), found.lowest_eigenvalue, found.residual, found.steps,
               name_of(method), updates);
    if (small.frozen) fmt::print("  {}\n", frozen(found.state.t));
    constexpr std::size_t shown = 6;
    for (const std::complex<double>& s : small.eigenvalues)
      if (s.real() > 0.0 && s.imag() >= 0.0)
        fmt::print("  grows                {:.6g} 1/s, swings {:.6g} 1/s\n", s.real(), s.imag());
    if (!frequencies.empty())
      fmt::print("  frequencies [Hz]     {:.6g}{}\n",
                 fmt::join(frequencies.begin(), frequencies.begin() + long(std::min(frequencies.size(), shown)), ", "),
                 frequencies.size() > shown ? ", …" : "");
    for (int i = 0; i < std::min(system.size(), 60); ++i)
      fmt::print("  {:<20} {:>18.10g}\n", system.coordinate_name(i), found.state.q[i]);
    for (int row = 0; row < std::min(system.constraint_count(), 60); ++row)
      fmt::print("  lambda {:<30} {:>14.8g}\n", system.constraint_name(row), found.state.lambda[row]);
    for (std::size_t k = 0; k < outputs.size(); ++k) fmt::print("  {:<20} {:>18.10g}\n", model.outputs[k].name, outputs[k]);
  }
  if (good) return ok;
  fmt::print(stderr, "taut: {}: {}\n", arguments.model, found.trouble);
  return failed_run;
}

}  // namespace taut::cli
