#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/simulate/choose.hpp>
#include <taut/study/compare.hpp>

namespace taut {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string name_of(const Formulation& form) {
  if (form.penalty == 0.0 && form.rows.empty()) return "multipliers";
  return form.rows.empty() ? message("penalty={}", form.penalty) : "mixed";
}

/// A model in one formulation, with what is known of its frequencies.
struct Posed {
  std::string name;
  std::shared_ptr<ModelModes> modes;
  SimulateOptions events;  ///< those of the model
  const System& system;    ///< at the start
  double fastest = 0.0;    ///< 1/s, at the start
};

/// Something to run: a scheme, a solver, a formulation.
struct Entrant {
  const Posed* form;
  std::string name, solver;
  Integrator integrator;
  SolverMethod method;
  std::vector<CompareRow> rows{};
  std::vector<State> ends{};
  double last_wall = 0.0;  ///< of the run before, which the next is expected to double
  bool out = false;        ///< for all further steps

  std::string title() const { return message("{}, {}, {}", name, solver, form->name); }
};

class Study {
 public:
  Study(const ModelFile& model, const CompareOptions& options) : model_(model), options_(options) {
    require(!std::isnan(model.run.until), "compare: the model needs run: until (or --until).");
    require(options.halvings >= 0 && options.halvings <= 10, "--halvings must lie between 0 and 10, got {}.",
            options.halvings);
    require(options.seconds > 0.0, "--budget must be positive, got {}.", options.seconds);
    length_ = std::abs(model.run.until - model.start.state.t);
    largest_step_ = model.run.step > 0.0 ? model.run.step : length_ / 1000.0;
  }

  Comparison compare() {
    enter();
    find_reference();
    for (int k = 0; k <= options_.halvings; ++k)
      for (Entrant& one : entrants_) take(one, k);
    collect();
    return std::move(out_);
  }

 private:
  double step(int k) const { return largest_step_ / std::pow(2.0, k); }
  double run_limit() const { return options_.seconds / 6.0; }
  double left() const { return options_.seconds - clock_.seconds(); }

  /// Everything asked for that takes the system; the rest is left out with its reason.
  void enter() {
    const RunSection& run = model_.run;
    const bool given = !options_.integrators.empty();
    std::vector<std::string> names = options_.integrators, ways = options_.solvers, forms = options_.formulations;
    if (!given)
      for (const NamedIntegrator& one : integrators()) names.push_back(one.name);
    if (ways.empty()) ways = {run.solver};
    // Without a name it is the model's.
    const bool own = forms.empty();
    if (own) forms = {name_of(run.formulation)};
    forms_.reserve(forms.size());
    std::string first_trouble;
    for (const std::string& form : forms) {
      const auto modes =
          std::make_shared<ModelModes>(model_, own ? run.formulation : formulation_named(model_.system, form));
      Posed& made = forms_.emplace_back(Posed{form, modes, {}, *modes->moving(modes->first())});
      made.events.end = run.until;
      set_events(model_, modes, made.events);
      made.fastest = has_inequalities(made.system) ? 0.0 : character(made.system, model_.start.state, run.until).fastest;
      for (const std::string& name : names)
        for (const std::string& way : ways) {
          Entrant one{&made, name, way,
                      integrator_named(name, name == run.integrator ? run.integrator_options : NamedOptions{}),
                      solver_named(way, way == run.solver ? run.solver_options : NamedOptions{})};
          try {
            one.integrator.bind(acting(made.system).system, one.method);
          } catch (const InputError& error) {
            require(!given || names.size() > 1, "{}", error.what());
            if (first_trouble.empty()) first_trouble = error.what();
            leave_out(one.title(), error.what());
            continue;
          }
          entrants_.push_back(std::move(one));
        }
    }
    require(!entrants_.empty(), "compare: nothing of this works on the model; {}", first_trouble);
  }

  void leave_out(const std::string& who, const std::string& why) { out_.left_out.push_back(who + ": " + why); }

  // ---- the reference

  struct Fine {
    std::string name;
    MeasuredRun run;
  };

  /// One fine run within what the reference may cost, or none.
  std::optional<Fine> fine(const std::string& name, const NamedOptions& named, double step, double rtol) {
    const Posed& form = forms_.front();
    const double may = std::min(run_limit(), 0.4 * options_.seconds - clock_.seconds());
    if (may <= 0.0 || options_.watch.over()) return {};
    try {
      const Integrator integrator = integrator_named(name, named);
      SimulateOptions options = form.events;
      options.step = rtol > 0.0 ? 0.0 : step;
      options.rtol = rtol;
      if (rtol == 0.0) options.halvings = 0;
      const auto progress = [&](double done) { show("reference: " + name, done); };
      MeasuredRun run = measured_run(*form.modes, model_.start.state, integrator, Multipliers{}, options, {.seconds = may},
                                     options_.watch, progress);
      if (!run.reached()) return {};
      return Fine{rtol > 0.0 ? message("{} with rtol = {}", name, rtol) : message("{} at h = {}", name, brief(step, 3)),
                  std::move(run)};
    } catch (const InputError&) {
      return {};  // not for this system
    }
  }

  /// Takes the first as the reference if it is better than what there is, with its distance to the second as its error.
  void offer(const Fine& one, const Fine* other) {
    Reference& now = out_.reference;
    const double error = other != nullptr ? apart(one.run.last, other->run.last) : unknown;
    const double size = std::max(one.run.moved, 1e-9 * one.run.last.q.lpNorm<Eigen::Infinity>());
    const bool verified = other != nullptr && error <= 1e-3 * size;
    if (!now.name.empty() && (now.verified || !verified)) return;
    now = {one.name, other != nullptr ? other->name : "", error, verified, one.run.last, one.run.moved, one.run.energy};
  }

  void find_reference() {
    const Posed& form = forms_.front();
    out_.reference.error = unknown;
    if (!has_inequalities(form.system)) {
      // Two kinds of scheme, both nearly to round-off; or one of them with two tolerances.
      const double limit = swing_limit(integrator_named("dop853"));
      const bool hopeless = length_ * form.fastest / limit * double(form.system.size()) > 3e8;  // steps times coordinates
      const auto first = hopeless ? std::optional<Fine>{} : fine("dop853", {}, 0.0, 1e-12);
      const auto second = fine("spark4", {}, 0.0, 1e-11);
      if (first && second) {
        offer(*first, &*second);
      } else if (first || second) {
        const Fine& one = first ? *first : *second;
        const auto other = fine(first ? "dop853" : "spark4", {}, 0.0, 1e-10);
        offer(one, other ? &*other : nullptr);
      }
    }
    if (out_.reference.verified) return;
    // Steps finer than any of the table, by schemes that take stiff systems and impacts.
    std::vector<std::string> names{"spark2", "energy-momentum", "newmark", "midpoint"};
    if (has_inequalities(form.system)) names = {"moreau-jean"};
    for (const std::string& name : names) {
      const NamedOptions named = name == model_.run.integrator ? model_.run.integrator_options : NamedOptions{};
      const auto coarse = fine(name, named, step(options_.halvings + 1), 0.0);
      if (!coarse) continue;
      const auto finer = fine(name, named, step(options_.halvings + 2), 0.0);
      offer(finer ? *finer : *coarse, finer ? &*coarse : nullptr);
      if (out_.reference.verified) return;
    }
  }

  // ---- the rows

  void show(const std::string& what, double done) const {
    if (options_.watch.progress) options_.watch.progress(what, done);
  }

  /// A reason not to run an entrant with a step, or nothing.
  std::string objection(const Entrant& one, double h) const {
    const double limit = swing_limit(one.integrator);
    if (h * one.form->fastest > limit)
      return message("stiff: something swings or decays with {} 1/s, for which it needs steps below {} s",
                     brief(one.form->fastest), brief(limit / one.form->fastest));
    if (left() <= 0.0) return message("the budget of {} s is spent", options_.seconds);
    const double expected = 2.0 * one.last_wall;
    if (expected > run_limit()) return message("would take about {} s, more than {} s", brief(expected), brief(run_limit()));
    return {};
  }

  void take(Entrant& one, int k) {
    if (one.out || options_.watch.over()) {
      out_.interrupted = out_.interrupted || options_.watch.over();
      return;
    }
    const double h = step(k);
    const bool stiff = h * one.form->fastest > swing_limit(one.integrator);
    const bool always = !stiff || step(options_.halvings) * one.form->fastest > swing_limit(one.integrator);
    const std::string here =
        one.title() + message(", h = {}{}", brief(h, 3), k < options_.halvings && always ? " and below" : "");
    if (const std::string why = objection(one, h); !why.empty()) {
      one.out = always;
      leave_out(here, why);
      return;
    }
    const double total = double(entrants_.size()) * (options_.halvings + 1);
    const auto progress = [&](double done) { show(one.name, (double(count_) + done) / total); };
    SimulateOptions options = one.form->events;
    options.step = h;
    options.halvings = 0;
    const double may = std::min(run_limit(), std::max(left(), 0.1));
    MeasuredRun run = measured_run(*one.form->modes, model_.start.state, one.integrator, one.method, options,
                                   {.seconds = may}, options_.watch, progress);
    ++count_;
    one.last_wall = run.wall;
    if (run.cut) {
      one.out = true;
      if (options_.watch.over()) {
        out_.interrupted = true;
      } else {
        const std::string why = may < run_limit() ? message("the budget of {} s is spent", options_.seconds)
                                                  : message("more than {} s", brief(may));
        leave_out(here, message("{}; it got to t = {} of {}", why, brief(run.last.t, 3), model_.run.until));
      }
      return;
    }
    // The best of three where it is short.
    options.keep = false;
    for (int repeat = 0; repeat < 2 && run.wall < 0.1; ++repeat) {
      const Stopwatch again;
      one.form->modes->enter(one.form->modes->first());
      simulate(one.form->system, model_.start.state, one.integrator, one.method, options);
      run.seconds = std::min(run.seconds, again.seconds());
    }
    CompareRow row{one.name, one.solver, one.form->name, h, unknown, run.seconds, run.verdict, run.message, run.certificate};
    if (good(row.verdict)) row.message.clear();
    row.certificate.verdict = row.verdict;
    row.certificate.message = row.message;
    one.rows.push_back(std::move(row));
    one.ends.push_back(std::move(run.last));
  }

  /// Errors, and the rows in the order of the entrants.
  void collect() {
    Reference& reference = out_.reference;
    if (reference.name.empty()) {
      // The finest run there is, of the highest order: better than nothing, and said to be so.
      double best = std::numeric_limits<double>::infinity();
      for (const Entrant& one : entrants_)
        for (std::size_t k = 0; k < one.rows.size(); ++k) {
          const double measure = std::pow(one.rows[k].step, promised_order(one.integrator, one.form->system));
          if (!good(one.rows[k].verdict) || measure >= best) continue;
          best = measure;
          reference = {message("{} at h = {}", one.name, brief(one.rows[k].step, 3)), "", unknown, false, one.ends[k]};
        }
    }
    for (Entrant& one : entrants_)
      for (std::size_t k = 0; k < one.rows.size(); ++k) {
        if (good(one.rows[k].verdict) && !reference.name.empty()) one.rows[k].error = apart(one.ends[k], reference.end);
        out_.rows.push_back(std::move(one.rows[k]));
      }
  }

  const ModelFile& model_;
  const CompareOptions& options_;
  Stopwatch clock_;
  double length_ = 0.0, largest_step_ = 0.0;
  std::vector<Posed> forms_;
  std::vector<Entrant> entrants_;
  long count_ = 0;
  Comparison out_;
};

}  // namespace

Comparison compare(const ModelFile& model, const CompareOptions& options) { return Study(model, options).compare(); }

}  // namespace taut
