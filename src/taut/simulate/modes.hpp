#pragma once

#include <map>
#include <optional>
#include <taut/simulate/simulate.hpp>

namespace taut {

/// The systems of a run whose events change it. All have the same coordinates and rows; rows that do not act are left out of what moves, so that
/// every scheme takes it as it is, and their λ is zero.
class Modes {
 public:
  Modes(const System& first, const SimulateOptions& options) : first_(first), options_(options) {}

  void enter(const Mode& mode);
  const Mode& mode() const { return mode_; }
  const System& whole() const { return *now_->whole; }       ///< with all rows
  const System& moving() const { return moving_of(*now_); }  ///< with those that act
  const System& moving_in(const Mode& mode) { return moving_of(find(mode)); }

  int whole_row(int row) const { return now_->acting ? now_->acting->rows[std::size_t(row)] : row; }  ///< of one that acts

  /// A state with the λ of all rows, for what moves; and the other way round, which lives until the next call.
  State part(const State& whole) const;
  const State& whole(const State& part);

 private:
  struct Entry {
    std::shared_ptr<const System> made;  // none: the first
    const System* whole = nullptr;
    std::optional<Acting> acting;  // where some rows do not act
  };
  const Entry& find(const Mode& mode);
  static const System& moving_of(const Entry& entry) { return entry.acting ? entry.acting->system : *entry.whole; }

  const System& first_;
  const SimulateOptions& options_;
  std::map<Mode, Entry> known_;
  Mode mode_;
  const Entry* now_ = nullptr;
  State shown_;
};

}  // namespace taut
