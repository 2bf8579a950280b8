#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <taut/model/run_model.hpp>
#include <taut/study/sweep.hpp>
#include <thread>

namespace taut {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Watches one run: values at times, least and largest ones.
class Watching {
 public:
  Watching(const SweepKeep& keep, ModelModes& modes)
      : keep_(keep),
        modes_(modes),
        series_(keep.times.size() * keep.watched.size(), missing),
        extremes_(keep.extremes ? 4 * keep.watched.size() : 0, missing) {}

  double value(const SweepKeep::Watched& one, const State& state) {
    if (one.output >= 0) return modes_.value(modes_.outputs()[std::size_t(one.output)], state);
    return (one.velocity ? state.v : state.q)[one.coordinate];
  }

  void see(const Progress& p) {
    const State& state = p.state;
    const double near = 1e-12 * (1.0 + std::abs(state.t));
    while (p.recorded && next_ < keep_.times.size() && std::abs(keep_.times[next_] - state.t) <= near) {
      for (std::size_t k = 0; k < keep_.watched.size(); ++k)
        series_[next_ * keep_.watched.size() + k] = value(keep_.watched[k], state);
      ++next_;
    }
    if (!keep_.extremes || p.between) return;
    for (std::size_t k = 0; k < keep_.watched.size(); ++k) {
      const double now = value(keep_.watched[k], state);
      double* const at = &extremes_[4 * k];
      if (!(now >= at[0])) at[0] = now, at[1] = state.t;
      if (!(now <= at[2])) at[2] = now, at[3] = state.t;
    }
  }

  const std::vector<double>& series() const { return series_; }
  const std::vector<double>& extremes() const { return extremes_; }

 private:
  const SweepKeep& keep_;
  ModelModes& modes_;
  std::size_t next_ = 0;  // of the times
  std::vector<double> series_, extremes_;
};

std::vector<double> figures_of(const Certificate& c) {
  return {c.energy.start,         c.energy.deviation,       c.energy.relative(), c.energy.drift, c.gap,
          c.velocity_gap,         c.position_residual,      c.velocity_residual, c.penetration,  c.t_end,
          double(c.counts.steps), double(c.counts.retried), double(int(c.grade))};
}

/// Runs in several threads; the caller's takes what they give.
class Pool {
 public:
  Pool(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const SweepOptions& options)
      : reader_(reader), plan_(plan), keep_(keep), options_(options) {}

  SweepOutcome run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    std::size_t count = options_.workers > 0 ? std::size_t(options_.workers) : cores;
    count = std::min(count, std::max<std::size_t>(1, options_.runs.size()));
    parts_ = std::vector<std::atomic<double>>(count);
    working_ = count;
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < count; ++k) threads.emplace_back([this, k] { work(k); });
    try {
      take_all();
    } catch (...) {
      stop_ = true;
      for (std::thread& one : threads) one.join();
      throw;
    }
    for (std::thread& one : threads) one.join();
    if (trouble_) std::rethrow_exception(trouble_);
    SweepOutcome out{taken_, std::size_t(taken_) < options_.runs.size(), {}};
    out.choices.assign(choices_.begin(), choices_.end());
    return out;
  }

 private:
  void work(std::size_t who) {
    try {
      for (std::size_t k = next_++; k < options_.runs.size() && !stop_; k = next_++) {
        std::string choice;
        std::optional<SweepRow> row = sweep_run(
            reader_, plan_, keep_, options_.runs[k], [this] { return stop_.load(); },
            [this, who](double done) { parts_[who] = done; }, &choice);
        if (!row) break;
        const std::lock_guard<std::mutex> guard(mutex_);
        parts_[who] = 0.0;
        ++finished_;
        if (!choice.empty()) ++choices_[choice];
        rows_.push_back(std::move(*row));
        if (rows_.size() >= 64) ready_.notify_one();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> guard(mutex_);
      trouble_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    --working_;
    ready_.notify_one();
  }

  /// Until nobody works any more, in the caller's thread.
  void take_all() {
    for (bool over = false; !over;) {
      std::vector<SweepRow> rows;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait_for(lock, std::chrono::milliseconds(50), [this] { return working_ == 0 || rows_.size() >= 64; });
        rows.swap(rows_);
        over = working_ == 0;
      }
      for (const SweepRow& row : rows) {
        if (options_.take) options_.take(row);
        ++taken_;
      }
      if (options_.idle) options_.idle();
      if (options_.watch.over()) stop_ = true;
      if (!options_.watch.progress) continue;
      double done = double(finished_.load());
      for (const auto& part : parts_) done += part;
      options_.watch.progress(message("run {} of {}", taken_, options_.runs.size()), done / double(options_.runs.size()));
    }
  }

  const ModelReader& reader_;
  const SweepPlan& plan_;
  const SweepKeep& keep_;
  const SweepOptions& options_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<long> finished_ = 0;
  std::vector<std::atomic<double>> parts_;  // of the run that each is at, what is behind
  long taken_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<SweepRow> rows_;
  std::map<std::string, long> choices_;
  std::size_t working_ = 0;
  std::exception_ptr trouble_;
};

}  // namespace

std::optional<SweepRow> sweep_run(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, long run,
                                  const std::function<bool()>& interrupted, const std::function<void(double)>& done,
                                  std::string* choice) {
  SweepRow row{.run = run, .numbers = plan.values(run)};
  const auto put = [&](const std::vector<double>& numbers) {
    row.numbers.insert(row.numbers.end(), numbers.begin(), numbers.end());
  };
  try {
    const ModelFile model = reader.read(plan.numbers(run));
    RunPlan planned = taut::plan(model);
    if (choice != nullptr) *choice = planned.choice;
    SimulateOptions& options = planned.options;
    options.marks = keep.times;
    options.interval = 0.0;
    options.every = 0;
    options.renew = renewal_steps(planned.system->size(), planned.integrator.traits());  // as runs that are kept in files do
    const std::shared_ptr<ModelModes> modes = planned.modes;
    Watching watching(keep, *modes);
    bool cut = false;
    RunModelOptions asked;
    asked.observers = {[&](const Progress& p) {
      watching.see(p);
      if (done) done(p.done);
      if (interrupted && interrupted() && p.stop != nullptr) {
        *p.stop = "interrupted";
        cut = true;
      }
    }};
    const RunOutcome outcome = run_model(model, std::move(planned), asked);
    if (cut) return {};
    const Certificate& c = outcome.certificate;
    row.verdict = c.verdict;
    if (c.verdict != Verdict::reached) row.reason = c.message;
    for (const SweepKeep::Watched& one : keep.watched)
      if (keep.ends) row.numbers.push_back(watching.value(one, outcome.last));
    put(watching.series());
    put(watching.extremes());
    if (keep.final_state) {
      put({outcome.last.q.begin(), outcome.last.q.end()});
      put({outcome.last.v.begin(), outcome.last.v.end()});
    }
    if (keep.certificate) put(figures_of(c));
  } catch (const InputError& error) {
    row.numbers.resize(plan.names().size());
    row.verdict = Verdict::failed;
    row.reason = error.what();
  }
  return row;
}

SweepOutcome sweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const SweepOptions& options) {
  return Pool(reader, plan, keep, options).run();
}

}  // namespace taut
