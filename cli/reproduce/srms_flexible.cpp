#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/model/model_builder.hpp>
#include <taut/model/plan.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/yaml_tree.hpp>

#include "case_texts.hpp"
#include "experiment.hpp"
#include "srms.hpp"

namespace taut::reproduce {
namespace {

using Eigen::Vector3d;

/// The tip of the arm with flexible booms, and where it would be if they were rigid, at the angles that the joints have.
struct FlexibleRun {
  std::vector<double> t;
  std::vector<Vector3d> tip, off;  ///< off: less that of rigid booms
  State last;
};

ModelFile flexible_model(double payload) {
  ModelBuilder model = ModelBuilder::from(parse_yaml(case_text("srms_flexible"), "srms_flexible.yaml"), "srms_flexible");
  model.set("parameters", "payload", Tree(payload));
  return model.build();
}

FlexibleRun run_flexible(const ModelFile& model, Outcome& out) {
  RunPlan planned = plan(model);
  const Trajectory path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
  if (!path.finished()) out.failure = model.name + ": " + path.message;
  const System& system = model.system;
  Six at{};
  for (int i = 0; i < system.size(); ++i)
    for (int k = 0; k < 6; ++k)
      if (system.coordinate_name(i) == "angle" + std::to_string(k + 1)) at[std::size_t(k)] = i;
  FlexibleRun run;
  run.last = path.last;
  for (int k = 0; k < path.size(); ++k) {
    const State state = state_at(system, path.t(k), path.q(k), path.v(k));
    Vector3d tip = Vector3d::Zero();
    for (const NamedExpression& output : model.outputs)
      if (output.name == "x" || output.name == "y" || output.name == "z") tip[output.name[0] - 'x'] = output.at(state, {});
    Six angle{};
    for (std::size_t j = 0; j < 6; ++j) angle[j] = state.q[int(at[j])];
    run.t.push_back(path.t(k));
    run.tip.push_back(tip);
    run.off.push_back(tip - arm_pose(angle, model.parameters).tip);
  }
  return run;
}

/// How the tip swings once the joints stand still: about its mean, along the direction in which it swings most.
struct Swing {
  double most = 0.0, frequency = 0.0;
};
Swing swing_after(const FlexibleRun& run, double stop) {
  Vector3d mean = Vector3d::Zero();
  std::size_t first = 0;
  while (first < run.t.size() && run.t[first] < stop) ++first;
  for (std::size_t k = first; k < run.t.size(); ++k) mean += run.off[k] / double(run.t.size() - first);
  Vector3d along = Vector3d::Zero();
  for (std::size_t k = first; k < run.t.size(); ++k)
    if ((run.off[k] - mean).norm() > along.norm()) along = run.off[k] - mean;
  Swing out{.most = along.norm()};
  // Between the first and the last time at which it comes through its mean in one direction.
  double begin = 0.0, end = 0.0;
  int turns = -1;
  for (std::size_t k = first + 1; k < run.t.size(); ++k) {
    const double before = (run.off[k - 1] - mean).dot(along), now = (run.off[k] - mean).dot(along);
    if (before > 0.0 || now <= 0.0) continue;
    end = run.t[k] - (run.t[k] - run.t[k - 1]) * now / (now - before);
    if (++turns == 0) begin = end;
  }
  if (turns > 0) out.frequency = turns / (end - begin);
  return out;
}

}  // namespace

void tell_flexible(Outcome& out, double payload) {
  const ModelFile model = flexible_model(payload);
  const FlexibleRun run = run_flexible(model, out);
  if (!out.failure.empty()) return;
  const double stop = model.parameters.at("T");
  double moving = 0.0;
  Curve curve{"srms_flexible", {"t", "x", "y", "z"}, {}};
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    if (run.t[k] <= stop) moving = std::max(moving, run.off[k].norm());
    const Vector3d mm = 1e3 * run.off[k];
    curve.rows.push_back({run.t[k], mm[0], mm[1], mm[2]});
  }
  const Swing swing = swing_after(run, stop);
  // The slowest motion of the arm at rest where it stopped, by its matrices alone.
  State rest = run.last;
  rest.v.setZero();
  const Equilibrium found = equilibrium(model.system, rest);
  const std::vector<double> frequencies = stability(model.system, found.state).frequencies();
  out.number("flexible_path_error_max", moving);
  out.number("flexible_vibration", swing.most);
  out.number("flexible_vibration_frequency", swing.frequency);
  out.numbers("flexible_frequencies",
              {frequencies.begin(), frequencies.begin() + std::min<std::ptrdiff_t>(3, std::ptrdiff_t(frequencies.size()))});
  out.table.push_back(
      {"flexible booms: tip off that of rigid ones, most [m]", {}, moving, "joints driven from rest to rest"});
  out.table.push_back({"   after the stop it swings by [m]", {}, swing.most, ""});
  out.table.push_back({"   with the frequency [Hz]", {}, swing.frequency, "of its main direction, counted"});
  for (std::size_t k = 0; k < std::min<std::size_t>(3, frequencies.size()); ++k)
    out.table.push_back(
        {"   of the arm at rest, mode " + std::to_string(k + 1) + " [Hz]", {}, frequencies[k], "by its matrices"});
  out.plots.push_back({"srms_flexible",
                       "Flexible booms: the tip against that of rigid ones",
                       "t [s]",
                       "off [mm]",
                       {{"srms_flexible", "x", "x", "lines lw 2 lc rgb '#222222'"},
                        {"srms_flexible", "y", "y", "lines lw 2 lc rgb '#d95f02'"},
                        {"srms_flexible", "z", "z", "lines lw 2 lc rgb '#1b9e77'"}},
                       "set xzeroaxis lt 1 lc rgb '#888888'"});
  out.curves.push_back(std::move(curve));
}

}  // namespace taut::reproduce
