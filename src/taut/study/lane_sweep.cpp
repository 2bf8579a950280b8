#include <algorithm>
#include <cmath>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/step_control.hpp>
#include <taut/simulate/tolerances.hpp>
#include <taut/study/lane_sweep.hpp>
#include <taut/study/sweep_pool.hpp>

namespace taut {
namespace {

constexpr int most_coordinates = 64;
constexpr std::size_t most_codes = 16, batch_size = 64;
constexpr double default_lane_rtol = 1e-8;

const ExplicitTableau* explicit_tableau(const Integrator& integrator) {
  for (const ExplicitTableau* one : {&kutta4(), &dormand_prince5(), &dormand_prince8()})
    if (RungeKutta{*one}.traits().name == integrator.traits().name) return one;
  return nullptr;
}

std::vector<const NamedExpression*> watched_outputs(const SweepKeep& keep, const ModelFile& model) {
  std::vector<const NamedExpression*> out;
  for (const SweepKeep::Watched& one : keep.watched)
    if (one.output >= 0) out.push_back(&model.outputs[std::size_t(one.output)]);
  return out;
}

}  // namespace

std::string lane_objection(const ModelFile& model, const RunPlan& planned, const SweepKeep& keep) {
  const double start = model.start.state.t, end = model.run.until;
  const ExplicitTableau* tableau = explicit_tableau(planned.integrator);
  if (tableau == nullptr) return message("lanes have rk4, dopri5 and dop853, not {}", planned.integrator.traits().name);
  if (!std::holds_alternative<Multipliers>(planned.method)) return "lanes know no solver but multipliers";
  if (tableau->error.empty() && planned.options.rtol > 0.0) return "rk4 takes equal steps in lanes: give a step";
  if (model.system.size() > most_coordinates)
    return message("the model has {} coordinates, and lanes take up to {}", model.system.size(), most_coordinates);
  if (!model.events.empty() || !model.switches.empty()) return "lanes know no events";
  if (!model.inputs.empty()) return "lanes know no inputs";
  if (model.run.formulation.penalty > 0.0 || !model.run.formulation.rows.empty() || !model.soft.empty())
    return "lanes hold constraints exactly, not by penalties";
  if (planned.options.reversible || !model.run.tolerances.empty())
    return "lanes have one pair of tolerances, and no reversible steps";
  if (!keep.times.empty()) return "lanes keep nothing at times";
  if (!(end > start)) return "lanes run forward";
  if (!model.run.breaks.empty() || (model.jumps && !model.jumps(start, end).empty())) return "forces jump at times";
  if (!model.start.dependent.empty()) return "some constraints repeat others";
  try {
    record_lanes(model.system, watched_outputs(keep, model));
    double weight = 1.0;
    lending_rows(model.system, model.start.state, weight);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// A run on its way into a lane.
struct LaneSweep::Lane {
  long run = 0;
  ModelFile model;
  LaneRecord record{};
  double step = 0.0, rtol = 0.0, atol = 0.0, steps = 0.0;
  bool conservative = false;
};

LaneSweep::LaneSweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const ModelFile& model,
                     const RunPlan& planned)
    : reader_(reader), plan_(plan), keep_(keep) {
  const std::string objection = lane_objection(model, planned, keep);
  require(objection.empty(), "--engine cpu: {}; take --engine general.", objection);
  tableau_ = *explicit_tableau(planned.integrator);
  integrator_ = planned.integrator.traits().name;
  code_of(record_lanes(model.system, watched_outputs(keep, model)), model);
}

const LaneSweep::Code& LaneSweep::code_of(const LaneRecord& record, const ModelFile& model) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = codes_.find(record.key);
  if (found != codes_.end()) return found->second;
  require(codes_.size() < most_codes,
          "--engine cpu: the equations of the runs have more than {} different forms; take --engine general.", most_codes);
  LaneForms forms;
  record_lanes(model.system, watched_outputs(keep_, model), &forms);
  std::vector<Graph::Node> all;
  auto next = forms.watched.begin();
  for (const SweepKeep::Watched& one : keep_.watched)
    all.push_back(one.output >= 0 ? *next++
                                  : forms.graph.variable(one.velocity ? forms.v(one.coordinate) : forms.q(one.coordinate)));
  forms.watched = all;
  forms.lends = lending_rows(model.system, model.start.state, forms.lent);
  std::vector<int> groups(std::size_t(forms.n), 0);
  const std::vector<ToleranceGroup> natural = natural_groups(model.system);
  for (std::size_t g = 0; g < natural.size(); ++g)
    for (const int i : natural[g].coordinates) groups[std::size_t(i)] = int(g);
  Code code;
  const std::string text = lane_code(std::move(forms), tableau_, groups, code.layout);
  try {
    code.kernel = std::make_unique<LaneKernel>(text);
  } catch (const InputError& error) {
    throw InputError(message("--engine cpu: {}.", error.what()));
  }
  compile_seconds_ += code.kernel->compile_seconds();
  return codes_.emplace(record.key, std::move(code)).first->second;
}

SweepOutcome LaneSweep::run(const SweepOptions& options) {
  return SweepPool(options, batch_size, [this](const SweepPool::Batch& one) { batch(one.runs, one.rows); }).run();
}

/// A run that cannot begin has a row at once.
std::optional<LaneSweep::Lane> LaneSweep::read(long run, std::vector<SweepRow>& rows) {
  try {
    Lane lane{run, reader_.read(plan_.numbers(run))};
    const RunSection& asked = lane.model.run;
    const double start = lane.model.start.state.t;
    require(asked.until > start, "the run ends before it begins");
    lane.step = asked.rtol == 0.0 && asked.atol == 0.0 ? asked.step : 0.0;
    lane.steps = asked.step;  // the longest
    if (lane.step > 0.0) {
      lane.steps = double(EqualSteps::count(asked.until - start, asked.step));
      lane.step = (asked.until - start) / lane.steps;
    }
    lane.rtol = lane.step > 0.0 || asked.rtol > 0.0 || asked.atol > 0.0 ? asked.rtol : default_lane_rtol;
    lane.atol = asked.atol;
    lane.record = record_lanes(lane.model.system, watched_outputs(keep_, lane.model));
    lane.conservative = conserves_energy(lane.model.system, lane.model.start.state, asked.until - start);
    return lane;
  } catch (const InputError& error) {
    rows.push_back({.run = run, .verdict = Verdict::failed, .reason = error.what(), .numbers = plan_.values(run)});
    return {};
  }
}

void LaneSweep::batch(std::span<const long> runs, std::vector<SweepRow>& rows) {
  std::vector<Lane> lanes;
  lanes.reserve(runs.size());
  for (const long run : runs)
    if (std::optional<Lane> lane = read(run, rows)) lanes.push_back(std::move(*lane));
  std::map<std::string_view, std::vector<Lane*>> by_key;
  for (Lane& lane : lanes) by_key[lane.record.key].push_back(&lane);
  for (auto& [key, some] : by_key) go(code_of(some[0]->record, some[0]->model), some, rows);
}

void LaneSweep::go(const Code& code, std::vector<Lane*>& lanes, std::vector<SweepRow>& rows) const {
  const LaneLayout& at = code.layout;
  const auto width = std::size_t(code.kernel->lanes());
  std::vector<double> in(std::size_t(at.inputs()) * width), out(std::size_t(at.outputs()) * width);
  for (std::size_t first = 0; first < lanes.size(); first += width) {
    for (std::size_t l = 0; l < width; ++l) {
      const Lane& lane = *lanes[std::min(first + l, lanes.size() - 1)];  // the last fills what is left
      const State& start = lane.model.start.state;
      const auto put = [&](int row, double value) { in[std::size_t(row) * width + l] = value; };
      put(LaneLayout::t_start, start.t);
      put(LaneLayout::t_end, lane.model.run.until);
      put(LaneLayout::step, lane.step);
      put(LaneLayout::steps, lane.steps);
      put(LaneLayout::rtol, lane.rtol);
      put(LaneLayout::atol, lane.atol);
      for (int i = 0; i < at.n; ++i) {
        put(LaneLayout::first_state + i, start.q[i]);
        put(LaneLayout::first_state + at.n + i, start.v[i]);
      }
      for (int k = 0; k < at.numbers; ++k) put(at.first_number() + k, lane.record.numbers[std::size_t(k)]);
    }
    code.kernel->run(in.data(), out.data());
    for (std::size_t l = 0; l < width && first + l < lanes.size(); ++l)
      rows.push_back(row_of(code, *lanes[first + l], out, l));
  }
}

SweepRow LaneSweep::row_of(const Code& code, const Lane& lane, const std::vector<double>& out, std::size_t place) const {
  const LaneLayout& at = code.layout;
  const auto width = std::size_t(code.kernel->lanes());
  const auto of = [&](int row) { return out[std::size_t(row) * width + place]; };
  Certificate c;
  c.integrator = integrator_;
  c.t_start = lane.model.start.state.t;
  c.t_end = of(LaneLayout::t);
  c.units = lane.model.system.points().has_value();
  c.conservative = lane.conservative;
  c.energy = {"energy", of(LaneLayout::energy), of(LaneLayout::deviation),
              of(LaneLayout::last_mean) - of(LaneLayout::first_mean), of(LaneLayout::scale)};
  c.position_residual = of(LaneLayout::g);
  c.velocity_residual = of(LaneLayout::rate);
  c.gap = of(LaneLayout::gap);
  c.velocity_gap = of(LaneLayout::rate_gap);
  c.speed = of(LaneLayout::speed);
  c.size = of(LaneLayout::size);
  c.counts.steps = long(of(LaneLayout::taken) + of(LaneLayout::rejected));
  c.counts.retried = c.counts.rejected = long(of(LaneLayout::rejected));
  const auto status = LaneStatus(int(of(LaneLayout::status)));
  const std::string when = message("at t = {}", c.t_end);
  c.verdict = Verdict::reached;
  if (status == LaneStatus::not_finite)
    c.verdict = Verdict::diverged, c.message = when + " the motion is not finite; take a smaller step";
  if (status == LaneStatus::step_too_small)
    c.verdict = Verdict::failed, c.message = when + " the step became too small for the tolerance";
  if (status == LaneStatus::not_projected)
    c.verdict = Verdict::failed, c.message = when + " the constraints could not be met; take a smaller step";
  if (c.verdict == Verdict::reached && c.conservative && c.energy.deviation > 2.0 * c.energy.scale && c.energy.scale > 0.0)
    c.verdict = Verdict::diverged, c.message = "energy is off by more than twice what the motion holds; take a smaller step";
  judge(c, {.rtol = lane.rtol}, false);
  SweepRow row{.run = lane.run, .verdict = c.verdict, .reason = c.message, .numbers = plan_.values(lane.run)};
  for (int k = 0; k < at.watched && keep_.ends; ++k) row.numbers.push_back(of(at.first_watched() + 5 * k));
  for (int k = 0; k < at.watched && keep_.extremes; ++k)
    for (int i = 1; i < 5; ++i) row.numbers.push_back(of(at.first_watched() + 5 * k + i));
  for (int i = 0; i < 2 * at.n && keep_.final_state; ++i) row.numbers.push_back(of(LaneLayout::out_state + i));
  if (keep_.certificate)
    for (const double figure : figures_of(c)) row.numbers.push_back(figure);
  return row;
}

}  // namespace taut
