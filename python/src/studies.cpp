#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/natural_modes.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/study/compare.hpp>
#include <taut/study/inspect.hpp>
#include <taut/study/verify.hpp>

#include "built.hpp"

namespace taut::python {
namespace {

nb::dict check(const Built& built) {
  Inspection found;
  {
    const nb::gil_scoped_release released;
    found = inspect(*built.model);
  }
  nb::dict out, initial;
  out["coordinates"] = found.coordinates;
  out["constraints"] = found.constraints;
  out["inequalities"] = found.inequalities;
  out["degrees_of_freedom"] = found.degrees_of_freedom;
  out["gruebler"] = found.gruebler;
  out["redundant"] = nb::cast(found.redundant);
  out["held_already"] = nb::cast(found.words);
  out["holonomic"] = found.holonomic;
  out["conservative"] = found.conservative;
  out["moved_q"] = found.moved_q;
  out["moved_v"] = found.moved_v;
  nb::list violated;
  for (const Violation& one : found.violated)
    violated.append(nb::make_tuple(one.constraint, one.velocity ? "velocity" : "position", one.size));
  out["violated"] = violated;
  out["trouble"] = found.trouble;
  for (int i = 0; i < built.model->system.size(); ++i)
    initial[nb::cast(built.model->system.coordinate_name(i))] = nb::make_tuple(found.start.q[i], found.start.v[i]);
  out["initial"] = initial;
  return out;
}

nb::dict statics(const Built& built) {
  const ModelFile& model = *built.model;
  Equilibrium found;
  Stability small;
  {
    const nb::gil_scoped_release released;
    found = equilibrium(model.system, model.start.state);
    small.unknown = "no equilibrium";
    if (found.status == Status::ok) small = stability(model.system, found.state);
  }
  nb::dict out, outputs;
  std::vector<std::string> coordinates, constraints;
  for (int i = 0; i < model.system.size(); ++i) coordinates.push_back(model.system.coordinate_name(i));
  for (int i = 0; i < model.system.constraint_count(); ++i) constraints.push_back(model.system.constraint_name(i));
  out["found"] = found.status == Status::ok;
  out["trouble"] = found.trouble;
  out["coordinates"] = nb::cast(coordinates);
  out["constraints"] = nb::cast(constraints);
  out["q"] = array_of(found.state.q);
  out["lam"] = array_of(found.state.lambda);
  out["residual"] = found.residual;
  out["stable"] = small.stable() ? nb::cast(true) : small.unstable() ? nb::cast(false) : nb::none();
  out["instability"] = small.unknown.empty() ? nb::cast(name_of(small.instability)) : nb::none();
  out["neutral"] = small.neutral;
  out["eigenvalues"] = nb::cast(small.eigenvalues);
  out["frequencies"] = array_of(small.frequencies());
  out["unknown"] = small.unknown;
  out["lowest_eigenvalue"] = number_or_none(found.lowest_eigenvalue);
  out["potential"] = model.system.potential_energy(instant(found.state));
  ModelModes modes(model, Formulation{});
  for (NamedExpression& one : modes.outputs()) outputs[nb::cast(one.name)] = modes.value(one, found.state);
  out["outputs"] = outputs;
  return out;
}

nb::dict modes(const Built& built, int count) {
  const System& system = built.model->system;
  Equilibrium rest;
  NaturalModes found;
  {
    const nb::gil_scoped_release released;
    rest = equilibrium(system, built.model->start.state);
    found.unknown = "no equilibrium: " + rest.trouble;
    if (rest.status == Status::ok) found = natural_modes(system, rest.state, count);
  }
  nb::dict out;
  std::vector<std::string> coordinates;
  for (int i = 0; i < system.size(); ++i) coordinates.push_back(system.coordinate_name(i));
  std::vector<std::complex<double>> s;
  std::vector<std::vector<std::complex<double>>> shapes;
  std::vector<double> frequencies, damping;
  for (const NaturalMode& one : found.modes) {
    s.push_back(one.s);
    shapes.emplace_back(one.shape.begin(), one.shape.end());
    frequencies.push_back(one.frequency());
    damping.push_back(one.damping());
  }
  out["coordinates"] = nb::cast(coordinates);
  out["degrees_of_freedom"] = found.degrees_of_freedom;
  out["all"] = found.all;
  out["s"] = nb::cast(s);
  out["shapes"] = nb::cast(shapes);
  out["frequencies"] = array_of(frequencies);
  out["damping"] = array_of(damping);
  out["q"] = array_of(rest.state.q);
  out["unknown"] = found.unknown;
  return out;
}

/// Studies look at signals as runs do.
StudyWatch watch(Attention& attention) {
  return {.progress = {}, .interrupted = [&attention] {
            attention.look(0.0);
            return false;
          }};
}

nb::dict verify(const Built& built, bool signals) {
  Attention attention(signals, nb::none());
  Verification found;
  {
    const nb::gil_scoped_release released;
    VerifyOptions options;
    options.watch = watch(attention);
    found = taut::verify(*built.model, plan(*built.model), options);
  }
  nb::dict out;
  out["controlled"] = found.controlled;
  out["sizes"] = array_of(found.sizes);
  out["differences"] = array_of(found.differences);
  out["orders"] = array_of(found.orders);
  out["order"] = found.order();
  out["promised_order"] = found.promised;
  out["error"] = found.error;
  out["motion"] = found.moved;
  out["other"] = found.other;
  out["other_difference"] = found.other_difference;
  out["trusted"] = found.trusted;
  out["verdict"] = found.verdict;
  out["trouble"] = found.trouble;
  out["certificate"] = found.certificate;
  return out;
}

nb::dict compare(const Built& built, bool signals, std::vector<std::string> integrators, std::vector<std::string> solvers,
                 std::vector<std::string> formulations, int halvings, double seconds) {
  Attention attention(signals, nb::none());
  Comparison found;
  {
    const nb::gil_scoped_release released;
    found = taut::compare(*built.model, {.integrators = std::move(integrators),
                                         .solvers = std::move(solvers),
                                         .formulations = std::move(formulations),
                                         .halvings = halvings,
                                         .seconds = seconds,
                                         .watch = watch(attention)});
  }
  nb::dict out;
  out["reference"] = found.reference.name;
  out["reference_checked"] = found.reference.checked;
  out["reference_error"] = found.reference.error;
  out["reference_verified"] = found.reference.verified;
  out["motion"] = found.reference.moved;
  out["left_out"] = nb::cast(found.left_out);
  nb::list rows;
  for (const CompareRow& row : found.rows) {
    nb::dict one;
    one["integrator"] = row.integrator;
    one["solver"] = row.solver;
    one["formulation"] = row.formulation;
    one["step"] = row.step;
    one["error"] = row.error;
    one["seconds"] = row.seconds;
    one["verdict"] = name_of(row.verdict);
    one["message"] = row.message;
    one["certificate"] = row.certificate;
    rows.append(one);
  }
  out["rows"] = rows;
  return out;
}

}  // namespace

void add_studies(nb::module_& module) {
  module.def("check", check);
  module.def("static", statics);
  module.def("modes", modes);
  module.def("verify", verify);
  module.def("compare", compare);
}

}  // namespace taut::python
