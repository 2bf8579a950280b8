#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/simulate/modes.hpp>

namespace taut {

void Modes::enter(const Mode& mode) {
  mode_ = mode;
  now_ = &find(mode_);
}

const Modes::Entry& Modes::find(const Mode& mode) {
  if (const auto found = known_.find(mode); found != known_.end()) return found->second;
  Entry entry;
  if (mode != options_.mode) {
    require(bool(options_.system_of),
            "simulate: an event changes the mode; give `system_of`, which makes the system of a mode.");
    entry.made = options_.system_of(mode);
  }
  entry.whole = entry.made != nullptr ? entry.made.get() : &first_;
  require(entry.whole->size() == first_.size() && entry.whole->constraint_count() == first_.constraint_count(),
          "simulate: the system of another mode has other coordinates or constraints.");
  const std::vector<Set> sets = entry.whole->sets();
  if (std::find(sets.begin(), sets.end(), Set::whole) != sets.end()) entry.acting = acting(*entry.whole);
  return known_.emplace(mode, std::move(entry)).first->second;
}

State Modes::part(const State& whole) const {
  State out = whole;
  if (!now_->acting || whole.lambda.size() != now_->whole->constraint_count()) return out;
  const std::vector<int>& rows = now_->acting->rows;
  out.lambda.resize(Eigen::Index(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) out.lambda[Eigen::Index(k)] = whole.lambda[rows[k]];
  return out;
}

const State& Modes::whole(const State& part) {
  if (!now_->acting) return part;
  const std::vector<int>& rows = now_->acting->rows;
  shown_ = part;
  shown_.lambda.setZero(now_->whole->constraint_count());
  for (std::size_t k = 0; k < rows.size() && Eigen::Index(k) < part.lambda.size(); ++k)
    shown_.lambda[rows[k]] = part.lambda[Eigen::Index(k)];
  return shown_;
}

}  // namespace taut
