#include <algorithm>
#include <cmath>
#include <taut/simulate/watch.hpp>

namespace taut {
namespace {

/// Where a step is looked into besides its parts: close behind its start, for sides that are not known.
constexpr double near_start[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

/// Into how many parts a step is divided, so that a function which crosses twice is not taken for one that does not.
constexpr int least_parts = 4, most_parts = 8192;

/// What is left of a function at its zero, in units of its largest value.
constexpr double roundoff = 1e-11;

/// A function that stays below this share of its largest value between two events has come to rest, or nearly so.
constexpr double little = 1e-6;

double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }

}  // namespace

bool Watch::empty() const {
  return std::none_of(events_.begin(), events_.end(), [](const Event& event) { return bool(event.when); });
}

void Watch::arm(const State& state) {
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (!events_[k].when) continue;
    const double exact = value(k, state);
    largest_[k] = std::max(largest_[k], std::abs(exact));
    side_[k] = std::abs(exact) <= roundoff * largest_[k] ? 0.0 : sign(exact);
  }
}

bool Watch::crossed(const Crossing& one, const State& state) const {
  // Where time has not come to its part of the step, another sign is that of an earlier half of a swing.
  if ((one.t - one.low) * (one.low - state.t) > 0.0) return false;
  const double exact = value(one.event, state);
  return std::abs(exact) <= roundoff * largest_[one.event] || sign(exact) != one.from;
}

void Watch::passed(const std::vector<std::size_t>& events, const State& state, double moment) {
  arm(state);
  for (const std::size_t event : events) {
    side_[event] = since_[event] = 0.0;
    const double heading = 0.5 * (value_near(event, state, moment) - value_near(event, state, -moment));
    const bool back = sign(heading) == came_[event] && std::abs(heading) > 0.01 * roundoff * largest_[event];
    expected_[event] = back ? came_[event] : 0.0;
  }
}

/// With positions a moment later.
double Watch::value_near(std::size_t event, const State& state, double moment) {
  there_ = state;
  there_.q += moment * state.v;
  return value(event, there_);
}

bool Watch::shallow(std::size_t event) const { return since_[event] <= little * largest_[event]; }

std::vector<double> Watch::save() const {
  std::vector<double> out = side_;
  out.insert(out.end(), largest_.begin(), largest_.end());
  out.insert(out.end(), since_.begin(), since_.end());
  out.insert(out.end(), expected_.begin(), expected_.end());
  return out;
}

void Watch::load(const double* saved) {
  std::copy_n(saved, side_.size(), side_.begin());
  std::copy_n(saved + side_.size(), largest_.size(), largest_.begin());
  std::copy_n(saved + 2 * side_.size(), since_.size(), since_.begin());
  std::copy_n(saved + 3 * side_.size(), expected_.size(), expected_.begin());
}

const std::vector<Watch::Crossing>& Watch::look(DenseStep& step, bool met) {
  found_.clear();
  before_ = side_;
  const double begin = step.before().t, length = step.after().t - begin;
  bool unknown = false;
  for (std::size_t k = 0; k < events_.size(); ++k) unknown = unknown || (events_[k].when && side_[k] == 0.0);
  if (unknown) find_rest(step);
  std::fill(gone_.begin(), gone_.end(), 0);
  double last = begin;
  const int parts = resolve(step), first = unknown ? -int(std::size(near_start)) : 0;
  for (int part = first; part < parts; ++part) {
    const bool end = part + 1 == parts, within = part < 0;
    const double place = within ? near_start[part - first] : double(part + 1) / parts;
    if (within && place >= 1.0 / parts) continue;
    const double t = end ? step.after().t : begin + length * place;
    if (within || reactions_) sample(step, t, end);
    const double* seen = within ? nullptr : seen_.data() + std::size_t(part + 1) * events_.size();
    for (std::size_t k = 0; k < events_.size(); ++k) {
      if (!events_[k].when || (side_[k] == 0.0 && rests_[k] != 0)) continue;
      const double exact = seen != nullptr && !events_[k].reactions ? seen[k] : value(k, sample_), side = side_[k];
      if (std::isnan(exact)) continue;  // has no side
      const double size = std::abs(exact), largest = std::max(largest_[k], size);
      // Round-off has no side.
      const double now = (side == 0.0 || (end && met)) && size <= roundoff * largest ? 0.0 : sign(exact);
      if (now == 0.0 && (side == 0.0 || !end)) continue;  // on zero: judged by what follows
      // What went back to its side and is first seen on the other has been at zero again, nearer than round-off can tell.
      const double from = side != 0.0 ? side : expected_[k], low = side != 0.0 ? last : begin;
      // Time may run backward; a direction is that of growing time.
      const double rises = (now == 0.0 ? -from : now) * (length < 0.0 ? -1.0 : 1.0);
      const bool changes =
          from != 0.0 && now != from && (events_[k].direction == 0 || rises == double(events_[k].direction));
      side_[k] = now;
      expected_[k] = 0.0;
      // What lies beyond an event that acts is never seen.
      if (changes) gone_[k] = 1;
      if (gone_[k] == 0 || !events_[k].acts()) {
        largest_[k] = largest;
        since_[k] = std::max(since_[k], size);
      }
      if (!changes) continue;
      found_.push_back({k, locate(step, k, low, t, from), low, from});
    }
    last = t;
  }
  std::stable_sort(found_.begin(), found_.end(),
                   [&](const Crossing& a, const Crossing& b) { return (a.t - b.t) * (length < 0.0 ? -1.0 : 1.0) < 0.0; });
  return found_;
}

/// The state at a time within the step, or at its end, with what functions may ask for.
void Watch::sample(DenseStep& step, double t, bool end) {
  if (end) {
    sample_ = step.after();
  } else {
    step.at(t, sample_);
  }
  if (reactions_) step.reactions(sample_);
}

/// Parts of a step that are short enough for all functions.
int Watch::resolve(DenseStep& step) {
  for (int parts = least_parts;; parts *= 2) {
    seen_.clear();
    for (int k = 0; k <= parts; ++k) see(step, double(k) / parts);
    if (parts == most_parts || !(hides(parts) || surprises(step, parts))) return parts;
  }
}

/// The values of all functions at a place of the step, from 0 to 1.
void Watch::see(DenseStep& step, double place) {
  const double begin = step.before().t, end = step.after().t;
  if (place == 0.0 || place == 1.0) {
    there_ = place == 0.0 ? step.before() : step.after();
  } else {
    step.at(begin + (end - begin) * place, there_);
  }
  for (std::size_t k = 0; k < events_.size(); ++k)
    seen_.push_back(events_[k].when && !events_[k].reactions ? value(k, there_) : 0.0);
}

/// Whether a function is elsewhere between these places than the cubics through them say: what goes round once from one to the next looks slow.
bool Watch::surprises(DenseStep& step, int parts) {
  const std::size_t stride = events_.size();
  for (const double place : {0.1127, 0.2957, 0.4483, 0.6819, 0.9123}) {
    see(step, place);
    const int k = std::clamp(int(place * parts) - 1, 0, parts - 3);
    const double s = place * parts - k;  // from the first of four places
    const double weights[] = {-(s - 1.0) * (s - 2.0) * (s - 3.0) / 6.0, s * (s - 2.0) * (s - 3.0) / 2.0,
                              -s * (s - 1.0) * (s - 3.0) / 2.0, s * (s - 1.0) * (s - 2.0) / 6.0};
    for (std::size_t event = 0; event < stride; ++event) {
      double expected = 0.0, largest = 0.0;
      for (int i = 0; i < 4; ++i) {
        const double g = seen_[std::size_t(k + i) * stride + event];
        expected += weights[i] * g;
        largest = std::max(largest, std::abs(g));
      }
      const double found = seen_[seen_.size() - stride + event];
      if (std::abs(found - expected) > 0.1 * std::max(largest, std::abs(found)) &&
          std::abs(found - expected) > roundoff * largest_[event])
        return true;
    }
  }
  return false;
}

/// Whether a function may cross between places where it was seen: by the parabola through three of them, as far as it can be trusted, or where the fourth
/// difference of five says that they do not tell its course.
bool Watch::hides(int parts) const {
  // One that jumps or has a kink does so at a few places however near they are, one that swings at all of them.
  constexpr int enough_parts = 64, few = 8;
  const std::size_t stride = events_.size();
  for (std::size_t event = 0; event < stride; ++event) {
    int unclear = 0;
    for (int k = 0; k + 4 <= parts; ++k) {
      const auto g = [&](int i) { return seen_[std::size_t(k + i) * stride + event]; };
      const auto [low, high] = std::minmax({g(0), g(1), g(2), g(3), g(4)});
      const double largest = std::max(-low, high), least = low * high > 0.0 ? std::min(std::abs(low), std::abs(high)) : 0.0;
      if (largest <= roundoff * largest_[event]) continue;
      const double fourth = std::abs(g(0) - 4.0 * g(1) + 6.0 * g(2) - 4.0 * g(3) + g(4));
      if (fourth > 0.1 * largest || (least > 0.0 && fourth > 0.01 * largest && fourth > 0.5 * least)) {
        if (++unclear > few || parts < enough_parts) return true;
        continue;
      }
      for (int i = 1; i < 4 && least > 0.0; ++i) {
        const double bend = g(i - 1) - 2.0 * g(i) + g(i + 1), slope = 0.5 * (g(i + 1) - g(i - 1));
        const double unsure = fourth > roundoff * largest_[event] ? fourth : 0.0, side = sign(g(i));
        if (bend * g(i) > 0.0 && std::abs(slope) < std::abs(bend) && (g(i) - 0.5 * slope * slope / bend) * side < unsure)
          return true;
      }
    }
  }
  return false;
}

/// Which of the functions whose sides are not known are zero at the end of the step as well.
void Watch::find_rest(DenseStep& step) {
  sample(step, step.after().t, true);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (!events_[k].when) continue;
    const double exact = std::abs(value(k, sample_));
    rests_[k] = exact <= roundoff * std::max(largest_[k], exact) ? 1 : 0;
  }
}

/// By halving, to the last digit of the dense motion.
double Watch::locate(DenseStep& step, std::size_t event, double low, double high, double side) {
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    step.at(middle, there_);
    if (events_[event].reactions) step.reactions(there_);
    (sign(value(event, there_)) == side ? low : high) = middle;
  }
  return high;
}

}  // namespace taut
