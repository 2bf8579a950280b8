#include <algorithm>
#include <atomic>
#include <cmath>
#include <taut/integrators/midpoint.hpp>
#include <taut/integrators/rattle.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/step_control.hpp>
#include <taut/simulate/tolerances.hpp>
#include <taut/study/lane_sweep.hpp>
#include <taut/study/sweep_pool.hpp>
#include <thread>

namespace taut {
namespace {

constexpr int most_coordinates = 64;
constexpr std::size_t most_codes = 16, batch_size = 64, chunk_size = 262'144;
constexpr long runs_worth_compiling = 2000;  ///< compiling takes about a second
constexpr double default_lane_rtol = 1e-8;

const ExplicitTableau* explicit_tableau(const Integrator& integrator) {
  for (const ExplicitTableau* one : {&kutta4(), &dormand_prince5(), &dormand_prince8()})
    if (RungeKutta{*one}.traits().name == integrator.traits().name) return one;
  return nullptr;
}

/// Which of the schemes that lanes have; none.
std::optional<LaneStepping> stepping_of(const Integrator& integrator) {
  const std::string name = integrator.traits().name;
  if (name == Rattle{}.traits().name) return LaneStepping{LaneScheme::rattle};
  if (name == Midpoint{}.traits().name) return LaneStepping{LaneScheme::midpoint};
  if (const ExplicitTableau* tableau = explicit_tableau(integrator)) return LaneStepping{LaneScheme::stages, *tableau};
  return {};
}

bool equal_steps(const RunSection& run) { return run.rtol == 0.0 && run.atol == 0.0 && run.step > 0.0; }

std::vector<const NamedExpression*> watched_outputs(const SweepKeep& keep, const ModelFile& model) {
  std::vector<const NamedExpression*> out;
  for (const SweepKeep::Watched& one : keep.watched)
    if (one.output >= 0) out.push_back(&model.outputs[std::size_t(one.output)]);
  for (const ModelEvent& one : model.events)  // the last of them
    if (one.stop) out.push_back(&one.when);
  return out;
}

/// Events that stop a run are what lanes know, and those that are recorded, of which a sweep keeps nothing.
bool stops_only(const ModelFile& model) {
  return std::all_of(model.events.begin(), model.events.end(),
                     [](const ModelEvent& one) { return !one.timed() && one.assignments.empty() && one.switches.empty(); });
}

}  // namespace

std::string lane_objection(const ModelFile& model, const RunPlan& planned, const SweepKeep& keep) {
  const double start = model.start.state.t, end = model.run.until;
  const std::string scheme = planned.integrator.traits().name;
  const std::optional<LaneStepping> stepping = stepping_of(planned.integrator);
  if (!stepping) return message("lanes have rk4, dopri5, dop853, rattle and midpoint, not {}", scheme);
  if (!std::holds_alternative<Multipliers>(planned.method)) return "lanes know no solver but multipliers";
  if (stepping->tableau.error.empty() && !equal_steps(model.run))
    return message("{} takes equal steps in lanes: give a step and no tolerance", scheme);
  if (model.system.size() > most_coordinates)
    return message("the model has {} coordinates, and lanes take up to {}", model.system.size(), most_coordinates);
  if (!stops_only(model) || !model.switches.empty()) return "lanes know no events but such that stop the run or record";
  if (!model.inputs.empty()) return "lanes know no inputs";
  if (model.run.formulation.penalty > 0.0 || !model.run.formulation.rows.empty() || !model.soft.empty())
    return "lanes hold constraints exactly, not by penalties";
  if (planned.options.reversible || !model.run.tolerances.empty())
    return "lanes have one pair of tolerances, and no reversible steps";
  if (!keep.times.empty()) return "lanes keep nothing at times";
  if (!(end > start)) return "lanes run forward";
  if (!model.run.breaks.empty() || (model.jumps && !model.jumps(start, end).empty())) return "forces jump at times";
  if (model.pulses && !model.pulses(start, end).empty())
    return "something acts for a short time only, and lanes would pass it";
  const State& state = model.start.state;
  if (!dependent_rows(model.system.constraint_gradient(state.t, state.q).sparseView()).empty())
    return "some constraints repeat others";
  try {
    record_lanes(model.system, watched_outputs(keep, model));
    double weight = 1.0;
    lending_rows(model.system, model.start.state, weight);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

EngineChoice choose_engine(const ModelFile& model, const RunPlan& planned, const SweepKeep& keep, long runs) {
  if (runs < runs_worth_compiling)
    return {"general", message("for fewer than {} runs nothing is compiled", runs_worth_compiling)};
  const std::string objection = lane_objection(model, planned, keep);
  if (!objection.empty()) return {"general", objection};
  return {"cpu", "the model is small, and many runs are asked for: compiled, side by side"};
}

/// A run on its way into a lane.
struct LaneSweep::Lane {
  long run = 0;
  const Code* code = nullptr;
  std::vector<double> in{};  // what the kernel takes
  bool conservative = false, units = false;
};

LaneSweep::LaneSweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const ModelFile& model,
                     const RunPlan& planned, LaneTarget target)
    : reader_(reader), plan_(plan), keep_(keep), target_(target) {
  const std::string objection = lane_objection(model, planned, keep);
  require(objection.empty(), "--engine {}: {}; take --engine general.", target == LaneTarget::gpu ? "cuda" : "cpu",
          objection);
  if (target == LaneTarget::gpu) gpu_ = std::make_unique<LaneGpu>();
  stepping_ = *stepping_of(planned.integrator);
  integrator_ = planned.integrator.traits().name;
  for (const ModelEvent& one : model.events)
    if (one.stop) events_.push_back(one.name);
  code_of(recorded(model), model);
}

/// Runs with other equations, or steps of another kind, have another code.
LaneRecord LaneSweep::recorded(const ModelFile& model) const {
  require(!keep_.found_in(model), "this run has other outputs or coordinates than the first; take --engine general.");
  LaneRecord out = record_lanes(model.system, watched_outputs(keep_, model));
  out.key += equal_steps(model.run) ? "equal" : "chosen";
  return out;
}

LaneSweep::~LaneSweep() = default;

double LaneSweep::compile_seconds() const { return gpu_ ? gpu_->compile_seconds() : compile_seconds_; }

std::string LaneSweep::text_of(const ModelFile& model, LaneLayout& layout) const {
  LaneForms forms;
  record_lanes(model.system, watched_outputs(keep_, model), &forms);
  std::vector<Graph::Node> all;
  auto next = forms.watched.begin();
  for (const SweepKeep::Watched& one : keep_.watched)
    all.push_back(one.output >= 0 ? *next++
                                  : forms.graph.variable(one.velocity ? forms.v(one.coordinate) : forms.q(one.coordinate)));
  forms.events.assign(next, forms.watched.end());
  for (const ModelEvent& one : model.events)
    if (one.stop) forms.directions.push_back(one.direction);
  forms.watched = all;
  forms.lends = lending_rows(model.system, model.start.state, forms.lent);
  std::vector<int> groups(std::size_t(forms.n), 0);
  const std::vector<ToleranceGroup> natural = natural_groups(model.system);
  for (std::size_t g = 0; g < natural.size(); ++g)
    for (const int i : natural[g].coordinates) groups[std::size_t(i)] = int(g);
  LaneStepping stepping = stepping_;
  stepping.adaptive = !equal_steps(model.run);
  return lane_code(std::move(forms), stepping, groups, target_, layout);
}

const LaneSweep::Code& LaneSweep::code_of(const LaneRecord& record, const ModelFile& model) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = codes_.find(record.key);
  if (found != codes_.end()) return found->second;
  require(codes_.size() < most_codes, "--engine: the equations of the runs have more than {} forms; take --engine general.",
          most_codes);
  Code code;
  const std::string text = text_of(model, code.layout);
  if (gpu_) {
    code.program = gpu_->load(text);
    return codes_.emplace(record.key, std::move(code)).first->second;
  }
  try {
    code.kernel = std::make_unique<LaneKernel>(text);
  } catch (const InputError& error) {
    throw InputError(message("--engine cpu: {}.", error.what()));
  }
  compile_seconds_ += code.kernel->compile_seconds();
  return codes_.emplace(record.key, std::move(code)).first->second;
}

/// A run that cannot begin has a row at once.
std::optional<LaneSweep::Lane> LaneSweep::read(long run, SweepRow& failed) {
  std::optional<ModelFile> model;
  LaneRecord record;
  Lane lane{.run = run};
  try {
    model = reader_.read(plan_.numbers(run));
    const RunSection& asked = model->run;
    const State& start = model->start.state;
    require(asked.until > start.t, "the run ends before it begins");
    record = recorded(*model);
    const bool equal = equal_steps(asked);
    double step = 0.0, steps = longest_step(*model);  // by tolerance: the longest
    if (equal) {
      steps = double(EqualSteps::count(asked.until - start.t, asked.step));
      step = (asked.until - start.t) / steps;
    }
    const double rtol = equal || asked.rtol > 0.0 || asked.atol > 0.0 ? asked.rtol : default_lane_rtol;
    lane.in = {start.t, asked.until, step, steps, rtol, asked.atol};
    lane.in.insert(lane.in.end(), start.q.begin(), start.q.end());
    lane.in.insert(lane.in.end(), start.v.begin(), start.v.end());
    lane.in.insert(lane.in.end(), record.numbers.begin(), record.numbers.end());
    lane.conservative = conserves_energy(model->system, start, asked.until - start.t);
    lane.units = model->system.points().has_value();
  } catch (const InputError& error) {
    failed = {.run = run, .verdict = Verdict::failed, .reason = error.what(), .numbers = plan_.values(run)};
    return {};
  }
  lane.code = &code_of(record, *model);  // what is wrong with that is wrong with all
  return lane;
}

SweepOutcome LaneSweep::run(const SweepOptions& options) {
  if (gpu_) return run_on_gpu(options);
  return SweepPool(options, batch_size, [this](const SweepPool::Batch& one) { batch(one.runs, one.rows); }).run();
}

void LaneSweep::batch(std::span<const long> runs, std::vector<SweepRow>& rows) {
  std::vector<Lane> lanes;
  lanes.reserve(runs.size());
  SweepRow failed;
  for (const long run : runs) {
    std::optional<Lane> lane = read(run, failed);
    if (lane) lanes.push_back(std::move(*lane));
    if (!lane) rows.push_back(failed);
  }
  std::map<const Code*, std::vector<const Lane*>> by_code;
  for (const Lane& lane : lanes) by_code[lane.code].push_back(&lane);
  for (const auto& [code, some] : by_code) go(*code, some, rows);
}

/// Packs runs into lanes, as many at once as the kernel takes.
void LaneSweep::go(const Code& code, const std::vector<const Lane*>& lanes, std::vector<SweepRow>& rows) {
  const auto inputs = std::size_t(code.layout.inputs()), outputs = std::size_t(code.layout.outputs());
  const std::size_t width = gpu_ ? lanes.size() : std::size_t(code.kernel->lanes());
  std::vector<double> in(inputs * width), out(outputs * width);
  for (std::size_t first = 0; first < lanes.size(); first += width) {
    for (std::size_t l = 0; l < width; ++l) {
      const Lane& lane = *lanes[std::min(first + l, lanes.size() - 1)];  // the last fills what is left
      for (std::size_t row = 0; row < inputs; ++row) in[row * width + l] = lane.in[row];
    }
    if (gpu_) {
      kernel_seconds_ += gpu_->run(code.program, in.data(), inputs, out.data(), outputs, width);
    } else {
      code.kernel->run(in.data(), out.data());
    }
    for (std::size_t l = 0; l < width && first + l < lanes.size(); ++l)
      rows.push_back(row_of(*lanes[first + l], out.data() + l, width));
  }
}

/// Chunk by chunk: all threads read, then the GPU runs.
SweepOutcome LaneSweep::run_on_gpu(const SweepOptions& options) {
  SweepOutcome outcome;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned workers = options.workers > 0 ? unsigned(options.workers) : cores;
  for (std::size_t first = 0; first < options.runs.size() && !options.watch.over(); first += chunk_size) {
    const std::size_t count = std::min(chunk_size, options.runs.size() - first);
    std::vector<std::optional<Lane>> lanes(count);
    std::vector<SweepRow> failed(count);
    std::atomic<std::size_t> next = 0;
    std::exception_ptr trouble;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < workers; ++w)
      threads.emplace_back([&] {
        try {
          for (std::size_t k = next++; k < count; k = next++) lanes[k] = read(options.runs[first + k], failed[k]);
        } catch (...) {
          const std::lock_guard<std::mutex> guard(mutex);
          trouble = std::current_exception();
        }
      });
    for (std::thread& one : threads) one.join();
    if (trouble) std::rethrow_exception(trouble);
    std::map<const Code*, std::vector<const Lane*>> by_code;
    std::vector<SweepRow> rows;
    for (std::size_t k = 0; k < count; ++k) {
      if (lanes[k]) by_code[lanes[k]->code].push_back(&*lanes[k]);
      if (!lanes[k]) rows.push_back(failed[k]);
    }
    for (const auto& [code, some] : by_code) go(*code, some, rows);
    for (const SweepRow& row : rows)
      if (options.take) options.take(row);
    outcome.done += long(count);
    if (options.idle) options.idle();
    if (options.watch.progress) options.watch.progress("runs", double(first + count) / double(options.runs.size()));
  }
  outcome.interrupted = std::size_t(outcome.done) < options.runs.size();
  return outcome;
}

SweepRow LaneSweep::row_of(const Lane& lane, const double* out, std::size_t stride) const {
  const LaneLayout& at = lane.code->layout;
  const auto of = [&](int row) { return out[std::size_t(row) * stride]; };
  Certificate c;
  c.integrator = integrator_;
  c.t_start = lane.in[LaneLayout::t_start];
  c.t_end = of(LaneLayout::t);
  c.units = lane.units;
  c.conservative = lane.conservative;
  c.energy = {"energy", of(LaneLayout::energy), of(LaneLayout::deviation),
              of(LaneLayout::last_mean) - of(LaneLayout::first_mean), of(LaneLayout::scale)};
  c.position_residual = of(LaneLayout::g);
  c.velocity_residual = of(LaneLayout::rate);
  c.gap = of(LaneLayout::gap);
  c.velocity_gap = of(LaneLayout::rate_gap);
  c.size = of(LaneLayout::size);
  if (const double speed = of(LaneLayout::speed); c.velocity_gap > 1e-8 * c.size && speed > 0.0)
    c.velocity_share = c.velocity_gap / speed;
  c.counts.steps = long(of(LaneLayout::taken) + of(LaneLayout::rejected));
  c.counts.retried = c.counts.rejected = long(of(LaneLayout::rejected));
  const int end = int(of(LaneLayout::status)), event = end - int(LaneStatus::stopped);
  const auto status = LaneStatus(std::min(end, int(LaneStatus::stopped)));
  const std::string when = message("at t = {}", c.t_end);
  c.verdict = Verdict::reached;
  if (status == LaneStatus::not_finite)
    c.verdict = Verdict::diverged, c.message = when + " the motion is not finite; take a smaller step";
  if (status == LaneStatus::step_too_small)
    c.verdict = Verdict::failed, c.message = when + " the step became too small for the tolerance";
  if (status == LaneStatus::not_solved)
    c.verdict = Verdict::failed,
    c.message = when + (stepping_.scheme == LaneScheme::stages ? " the constraints could not be met; take a smaller step"
                                                               : " the step could not be solved; take a smaller one");
  if (status == LaneStatus::stopped)
    c.verdict = Verdict::stopped, c.message = message("the event '{}' at t = {}", events_.at(std::size_t(event)), c.t_end);
  if (good(c.verdict) && c.conservative && c.energy.deviation > 2.0 * c.energy.scale && c.energy.scale > 0.0)
    c.verdict = Verdict::diverged, c.message = "energy is off by more than twice what the motion holds; take a smaller step";
  judge(c, {.rtol = lane.in[LaneLayout::rtol]}, false);
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
