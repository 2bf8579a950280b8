#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/study/verify.hpp>

namespace taut {
namespace {

/// Runs of one plan, each finer than the one before.
class Refinement {
 public:
  Refinement(const ModelFile& model, const RunPlan& planned, const VerifyOptions& options)
      : model_(model), planned_(planned), options_(options) {
    out_.controlled = planned.options.rtol > 0.0 || planned.options.atol > 0.0;
    out_.promised = promised_order(planned.integrator, *planned.system);
  }

  Verification verify() {
    runs_ = out_.controlled || !cheap() ? 3 : 4;
    for (int k = 0; k < runs_; ++k)
      if (!refine(k)) return out_;
    const std::vector<MeasuredRun>& all = done_;
    for (std::size_t k = 0; k + 1 < all.size(); ++k) out_.differences.push_back(apart(all[k].last, all[k + 1].last));
    for (const MeasuredRun& one : all) out_.moved = std::max(out_.moved, one.moved);
    const double size = std::max(all.back().last.q.lpNorm<Eigen::Infinity>(), out_.moved);
    round_off_ = 1e-12 * size;  // some thousand steps, each with its own
    out_.controlled ? judge_tolerances() : judge_steps();
    return out_;
  }

 private:
  /// Whether an eighth of the step is affordable.
  bool cheap() const {
    const double steps = std::abs(planned_.options.end - model_.start.state.t) / planned_.options.step;
    return 8.0 * steps * planned_.system->size() <= options_.effort;
  }

  bool refine(int k) {
    SimulateOptions options = planned_.options;
    const double share = out_.controlled ? std::pow(0.1, k) : std::pow(0.5, k);
    if (out_.controlled) {
      options.rtol = std::max(options.rtol * share, planned_.options.rtol > 0.0 ? 1e-14 : 0.0);
      options.atol *= share;
    } else {
      options.step *= share;
      options.halvings = 0;
    }
    out_.sizes.push_back(out_.controlled ? std::max(options.rtol, options.atol) : options.step);
    const auto progress = [&](double done) {
      if (options_.watch.progress) options_.watch.progress("verify", (k + done) / runs_);
    };
    done_.push_back(measured_run(*planned_.modes, model_.start.state, planned_.integrator, planned_.method, options, {},
                                 options_.watch, progress));
    const MeasuredRun& run = done_.back();
    if (k == 0) out_.certificate = run.certificate;
    if (run.reached()) return true;
    const std::string which =
        message("run {} of {}, {} {}", k + 1, runs_, out_.controlled ? "tolerance" : "step", brief(out_.sizes.back(), 3));
    const std::string advice = run.cut           ? ""
                               : out_.controlled ? "; take other tolerances, or another integrator"
                                                 : "; take a smaller step";
    out_.trouble =
        message("verify, {}: {} at t = {}: {}{}", which, name_of(run.verdict), brief(run.last.t, 6), run.message, advice);
    out_.verdict = out_.trouble;
    out_.error = std::numeric_limits<double>::quiet_NaN();
    return false;
  }

  /// Whether two runs are one: then their agreement says nothing.
  bool coincide(std::size_t k) const {
    const MeasuredRun &a = done_[k], &b = done_[k + 1];
    if (a.last.q == b.last.q && a.last.v == b.last.v) return true;
    return out_.controlled && planned_.options.step > 0.0 && a.certificate.counts.steps == b.certificate.counts.steps;
  }
  bool any_coincide() const {
    for (std::size_t k = 0; k + 1 < done_.size(); ++k)
      if (coincide(k)) return true;
    return false;
  }

  double share() const { return out_.moved > 0.0 ? out_.error / out_.moved : std::numeric_limits<double>::infinity(); }

  /// Runs may agree on a motion that their certificates show to be another.
  void say(bool trusted, const std::string& verdict) {
    const Certificate& last = done_.back().certificate;
    out_.trusted = trusted && last.grade != Grade::poor;
    out_.verdict = trusted && !out_.trusted ? "the runs agree, but the last of them is " + last.summary : verdict;
  }

  void judge_steps() {
    const std::vector<double>& d = out_.differences;
    for (std::size_t k = 0; k + 1 < d.size(); ++k)
      if (d[k] > round_off_ && d[k + 1] > round_off_) out_.orders.push_back(std::log2(d[k] / d[k + 1]));
    // The rest of the series beyond the last run, by the lower of both orders: an order above the promise may be chance.
    const double power =
        std::clamp(out_.orders.empty() ? out_.promised : std::min(out_.order(), double(out_.promised)), 0.5, 8.0);
    out_.error = apart(done_.front().last, done_.back().last) + d.back() / (std::pow(2.0, power) - 1.0);
    if (any_coincide()) {
      out_.error = std::numeric_limits<double>::quiet_NaN();
      return say(false, out_.moved > 0.0 ? "runs with different steps coincide to the last digit: nothing can be concluded"
                                         : "nothing moves, whatever the step: nothing can be concluded");
    }
    if (d.back() > std::max(d.front(), round_off_) && d.front() <= round_off_)
      return say(false,
                 message("the differences grow as the steps shrink, from {} to {}: smaller steps meet what larger ones "
                         "pass; take smaller ones",
                         brief(d.front()), brief(d.back())));
    if (d.front() <= round_off_)
      return say(true, out_.moved <= round_off_ ? "nothing moves beyond round-off, whatever the step"
                                                : "halving the step changes nothing beyond round-off: the run is converged");
    if (share() > options_.largest_share)
      return say(false, message("not converged: the error at the end is about {}, {} of the motion; halve the step",
                                brief(out_.error), percent(share())));
    const std::string about =
        message("the error at the end is about {}, {} of the motion", brief(out_.error), percent(share()));
    if (out_.orders.empty()) return say(true, about + ": smaller steps change nothing beyond round-off");
    judge_orders(about);
  }

  void judge_orders(const std::string& about) {
    constexpr double slack = 0.3;  // what the next power of h adds while it is not yet small
    const std::string scheme = planned_.integrator.traits().name;
    const double order = out_.order(), promised = out_.promised;
    const std::size_t count = out_.orders.size();
    const bool steady = count < 2 || std::abs(out_.orders[count - 1] - out_.orders[count - 2]) <= 0.5;
    if (order < promised - slack)
      return say(false,
                 message("the order is not the {} that {} promises{}: the step is too large, or the motion is not "
                         "smooth, or chaotic; do not rely on the estimate",
                         out_.promised, scheme, has_inequalities(*planned_.system) ? " where there are impacts" : ""));
    // Orders above the promise are no fault, however they differ: the estimate goes by the promise.
    const bool above = order > promised + slack && (count < 2 || out_.orders[count - 2] >= promised - slack);
    if (!steady && !above && (order > promised + slack || share() > 0.1 * options_.largest_share))
      return say(false, message("the orders {} and {} do not agree: the step is too large to tell the error; halve it",
                                brief(out_.orders[count - 2], 3), brief(order, 3)));
    if (order <= promised + slack)
      return say(true, message("{}; the order is what {} promises: the estimate can be trusted", about, scheme));
    say(true, message("{}; the order is at least the {} that {} promises: the estimate can be trusted", about, out_.promised,
                      scheme));
  }

  void judge_tolerances() {
    const std::vector<double>& d = out_.differences;
    // The last run is the better one, and not exact.
    out_.error = std::max(apart(done_.front().last, done_.back().last), d.front()) + d.back();
    if (any_coincide()) {
      out_.error = std::numeric_limits<double>::quiet_NaN();
      return say(
          false,
          planned_.options.step > 0.0
              ? "runs with different tolerances coincide: the largest step rules, and nothing can be concluded; verify "
                "with a step alone, or without"
              : "runs with different tolerances coincide: nothing can be concluded; below 1e-14 round-off rules, so "
                "verify with rtol = 1e-11 or more");
    }
    if (out_.error > round_off_ && share() > options_.largest_share)
      return say(false, message("not converged: the error at the end is about {}, {} of the motion; take smaller tolerances",
                                brief(out_.error), percent(share())));
    if (d.back() > d.front() && d.back() > round_off_)
      return say(false,
                 message("the differences grow as the tolerances shrink, from {} to {}: round-off or chance rules the "
                         "end of this motion",
                         brief(d.front()), brief(d.back())));
    const std::string about = message("the error at the end is about {}, {} of the motion, for tolerances of {}",
                                      brief(out_.error), percent(share()), brief(out_.sizes.front()));
    ask_another(about);
  }

  /// A scheme of another kind takes other branches at singular places, and errs in other ways.
  void ask_another(const std::string& about) {
    const MeasuredRun& best = done_.back();
    double spent = 0.0;
    for (const MeasuredRun& one : done_) spent += one.wall;
    std::vector<NamedIntegrator> asked;
    for (const char* name : {"dop853", "spark3"}) {
      const Integrator one = integrator_named(name);
      const bool own = is_explicit(planned_.integrator) == is_explicit(one);
      if (!own || (name == std::string("spark3") && planned_.integrator.traits().order <= 2))
        asked.push_back({name, "", one});
    }
    for (const NamedIntegrator& one : asked) {
      SimulateOptions options = planned_.options;
      options.step = 0.0;
      options.reversible = false;
      options.rtol = std::clamp(0.1 * out_.sizes.front(), 1e-12, 1e-6);
      options.atol = 0.0;
      try {
        const RunLimits limits{.seconds = 5.0 + 3.0 * spent, .steps = 10'000 + 50 * best.certificate.counts.steps};
        const MeasuredRun run = measured_run(*planned_.modes, model_.start.state, one.integrator, Multipliers{}, options,
                                             limits, options_.watch);
        if (!run.reached()) continue;
        out_.other = one.name;
        out_.other_difference = std::max(apart(run.last, best.last), apart(run.last, done_.front().last));
        break;
      } catch (const InputError&) {
        continue;  // the system is not one for this scheme
      }
    }
    if (out_.other.empty()) return say(true, about + "; no scheme of another kind confirms it with reasonable effort");
    // Of its own error nothing is known but its tolerance, of which a motion makes some hundredfold.
    const double size = std::max(best.last.q.lpNorm<Eigen::Infinity>(), out_.moved);
    const double allowed = std::min(10.0 * out_.error + 1e3 * std::clamp(0.1 * out_.sizes.front(), 1e-12, 1e-6) * size,
                                    options_.largest_share * out_.moved);
    if (!(out_.other_difference <= allowed))
      return say(false,
                 message("another scheme ({}) ends elsewhere: off by {}, where smaller tolerances of this one differ by {}; "
                         "one of them took another branch, or the end of this motion is not determined so well",
                         out_.other, brief(out_.other_difference), brief(out_.error)));
    say(true, message("{}; another scheme ({}) agrees within {}", about, out_.other, brief(out_.other_difference)));
  }

  const ModelFile& model_;
  const RunPlan& planned_;
  const VerifyOptions& options_;
  int runs_ = 3;
  double round_off_ = 0.0;
  std::vector<MeasuredRun> done_;
  Verification out_;
};

}  // namespace

double Verification::order() const { return orders.empty() ? std::numeric_limits<double>::quiet_NaN() : orders.back(); }

Verification verify(const ModelFile& model, const RunPlan& planned, const VerifyOptions& options) {
  return Refinement(model, planned, options).verify();
}

}  // namespace taut
