#pragma once

#include <optional>
#include <taut/simulate/dense_step.hpp>
#include <taut/simulate/event.hpp>

namespace taut {

/// Watches functions of the state for changes of sign.
///
/// What is remembered between steps is the side on which each function was last seen. At the start, and where an event has just happened, the function is
/// zero up to round-off, and the side is found a little later: within the next step. So a ball that has just left the ground is above it, whatever
/// the last bit says, and its next impact is not missed even if one step holds the whole bounce.
class Watch {
 public:
  /// `whole` gives states the λ of all rows.
  Watch(const std::vector<Event>& events, std::function<const State&(const State&)> whole)
      : events_(events), whole_(std::move(whole)), side_(events.size(), 0.0), largest_(events.size(), 0.0) {
    for (const Event& event : events) reactions_ = reactions_ || event.reactions;
  }

  double value(std::size_t event, const State& state) const { return events_[event].when(whole_(state)); }

  struct Crossing {
    std::size_t event;
    double t;
    double low;  ///< a time before it, from which on the function has one sign
  };

  /// Forgets sides: those of functions that are not zero are found at this state, those of the others within the next step.
  void arm(const State& state);

  /// The crossings within a step, in the order of the run. Sides are then those at the end of it.
  const std::vector<Crossing>& look(DenseStep& step);

  /// Sides as they were before the last look: the step was not taken.
  void forget_look() { side_ = before_; }

  /// The side of an event that has just happened is found anew, and that of each which is zero there too.
  void passed(std::size_t event, const State& state);

  std::vector<double> save() const;
  void load(const double* saved);
  std::size_t numbers() const { return 2 * side_.size(); }
  bool empty() const;

 private:
  double locate(DenseStep& step, std::size_t event, double low, double high, double side);

  const std::vector<Event>& events_;
  std::function<const State&(const State&)> whole_;
  std::vector<double> side_, before_;  // −1, 1, or 0: not known yet
  std::vector<double> largest_;        // value of each function so far: round-off is measured against it
  std::vector<Crossing> found_;
  bool reactions_ = false;
  State sample_, there_;
};

}  // namespace taut
