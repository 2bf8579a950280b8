#pragma once

#include <algorithm>
#include <optional>
#include <taut/system/flat_blocks.hpp>
#include <taut/system/state.hpp>

namespace taut {

/// Watches how far the constraints are from losing rank along a motion: a mechanism that passes a dead point, where it may branch.
///
/// The measure is the smallest sine of the angle between the gradient of a constraint and the span of those before it; where rank is lost it goes
/// through zero like |t − t*|. Inequalities do not count. Where constraints depend on others from the start, which ones they are may change along the motion: then the rows are taken in the
/// order of their pivots, and the measure is that of the last one which is needed for the rank at the start. In each step the cubic through its two ends is looked at, so
/// that a scheme which steps over the place is noticed too. Zeros of the Gram matrix are left out, so that mechanisms of some hundred rows are watched; where a look
/// would take more than a small part of a step, in long chains and beams, none is taken. Where all angles hardly change it looks at every second step, every fourth,
/// at last at every sixteenth: small steps of small systems would pay more for the look than for half of what they do.
class RankWatch {
 public:
  struct Beginning {
    bool singular = false, locked = false;
  };

  RankWatch(const System& system, const State& start);

  /// Goes on from this state.
  void begin(const State& state) {
    if (on_) before_ = measure(state.t, state.q);
    wake();
  }

  /// Looks at the next step whatever was before.
  void wake() {
    seen_.clear();
    pause_ = left_out_ = 0;
  }

  /// Whether the motion begins where constraints have lost rank, and not because some repeat others.
  bool begins_singular() const { return beginning_.singular; }
  /// Whether nothing can move from there, as a mass between two rods that are stretched out.
  bool begins_locked() const { return beginning_.locked; }

  /// The time within a step at which constraints lose rank, if they do.
  std::optional<double> look(const State& before, const State& after) {
    if (!on_ || left_out_-- > 0) return std::nullopt;
    return look_into(before, after);
  }

  /// All that it remembers, for a checkpoint.
  std::vector<double> save() const;
  void load(const double* saved);
  std::size_t numbers() const { return on_ ? 2 + counts_.size() : 0; }

 private:
  std::optional<double> look_into(const State& before, const State& after);
  void rest_or_not();
  double measure(double t, const Vector& q);
  double in_order_of_pivots();
  int rank() const { return int(std::count(counts_.begin(), counts_.end(), 1)); }

  int n_, m_;
  bool on_;
  Beginning beginning_;
  std::optional<FlatBlocks> blocks_;
  struct Request {
    const ConstraintBlock* block;
    Linearization gradient;
  };
  std::vector<Request> requests_;  // into G_, written down once
  std::vector<double> G_, gram_;
  /// Lists of numbers, one for each row.
  struct Lists {
    std::vector<int> starts{0}, all{};
    void end() { starts.push_back(int(all.size())); }
    const int* begin(int row) const { return all.data() + starts[std::size_t(row)]; }
    const int* end(int row) const { return all.data() + starts[std::size_t(row) + 1]; }
  };
  Lists columns_;  // coordinates of each row of G
  Lists near_;     // rows before it that share one of them
  Lists below_;    // rows after it that feel its elimination
  bool write_down(const System& system);
  std::vector<double> squares_, sines_;  // of each row: its length, and its angle to those before it, both squared
  std::vector<char> counts_;             // rows that were independent at the start
  std::vector<char> equal_;              // equalities: others hold only at times
  double before_ = 1.0, largest_ = 0.0;
  std::vector<double> seen_;  // angles of the last look; none: the next is the first
  int pause_ = 0, left_out_ = 0;
  Vector q_, rest_;
  std::vector<int> left_;
};

}  // namespace taut
