#pragma once

#include <optional>
#include <taut/simulate/dense_step.hpp>
#include <taut/simulate/event.hpp>

namespace taut {

/// Watches functions of the state for changes of sign.
///
/// What is remembered between steps is the side on which each function was last seen. At the start, and where an event has just happened, the function is
/// zero up to round-off, and the side is found a little later: within the next step. So a ball that has just left the ground is above it, whatever
/// the last bit says, and its next impact is not missed even if one step holds the whole bounce. A function that is zero at the end of that step too
/// rests there, as one does whose constraint has taken hold: the interpolated motion between is off the constraints, and is not asked.
class Watch {
 public:
  /// `whole` gives states the λ of all rows.
  Watch(const std::vector<Event>& events, std::function<const State&(const State&)> whole)
      : events_(events),
        whole_(std::move(whole)),
        side_(events.size(), 0.0),
        largest_(events.size(), 0.0),
        since_(events.size(), 0.0),
        expected_(events.size(), 0.0),
        came_(events.size(), 0.0),
        rests_(events.size(), 0),
        gone_(events.size(), 0) {
    for (const Event& event : events) reactions_ = reactions_ || event.reactions;
  }

  double value(std::size_t event, const State& state) const { return events_[event].when(whole_(state)); }

  struct Crossing {
    std::size_t event;
    double t;
    double low;   ///< a time before it, from which on the function has one sign
    double from;  ///< this sign
  };

  /// Forgets sides: those of functions that are not zero are found at this state, those of the others within the next step.
  void arm(const State& state);

  /// The crossings within a step, in the order of the run. Sides are then those at the end of it. `met`: something else happens there, after which
  /// sides are found anew, so that what is zero up to round-off crosses now or never.
  const std::vector<Crossing>& look(DenseStep& step, bool met);

  /// Sides as they were before the last look: the step was not taken.
  void forget_look() { side_ = before_; }

  /// After forget_look, at a state within the step in which a crossing was found: whether it happens there too, or the function is zero.
  bool crossed(const Crossing& one, const State& state) const;
  /// It happens there: `passed` will ask for the side from which it came.
  void meet(const Crossing& one) { came_[one.event] = one.from; }

  /// The side of an event that has just happened is found anew, and that of each which is zero there too. `moment`: a time that is next to nothing, in the
  /// direction of the run; where positions a moment later say that a function goes back to where it came from, it is expected there.
  void passed(const std::vector<std::size_t>& events, const State& state, double moment);

  /// Whether a function has hardly left zero since its event last happened.
  bool shallow(std::size_t event) const;

  std::vector<double> save() const;
  void load(const double* saved);
  std::size_t numbers() const { return 4 * side_.size(); }
  bool empty() const;

 private:
  double value_near(std::size_t event, const State& state, double moment);
  void sample(DenseStep& step, double t, bool end);
  void find_rest(DenseStep& step);
  int resolve(DenseStep& step);
  void see(DenseStep& step, double place);
  bool hides(int parts) const;
  bool surprises(DenseStep& step, int parts);
  double locate(DenseStep& step, std::size_t event, double low, double high, double side);

  const std::vector<Event>& events_;
  std::function<const State&(const State&)> whole_;
  std::vector<double> side_, before_;  // −1, 1, or 0: not known yet
  std::vector<double> largest_;        // value of each function so far: round-off is measured against it
  std::vector<double> since_;          // the same since its event last happened
  std::vector<double> expected_;       // side that it goes to after its event, where that is known; otherwise 0
  std::vector<double> came_;           // side from which it crossed, of those that happened last
  std::vector<char> rests_;            // whether it is zero at both ends of the step
  std::vector<char> gone_;             // whether it has changed sides within the step
  std::vector<Crossing> found_;
  bool reactions_ = false;
  State sample_, there_;
  std::vector<double> seen_;  // values of all functions at equal distances in the step
};

}  // namespace taut
