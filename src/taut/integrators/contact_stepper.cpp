#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/integrators/contact_stepper.hpp>
#include <taut/system/contact.hpp>

namespace taut {
namespace {

/// In sums of radii: pieces that are nearer have a row, so that what rests on each other has the same rows in each step.
constexpr double slack = 0.05;

/// In sums of radii: by so much pieces without a row may be in each other after a step.
constexpr double unnoticed = 1e-7;

/// So often a step is taken again with the rows that were missing.
constexpr int most_rounds = 6;

class ContactStepper final : public Stepper {
 public:
  ContactStepper(const System& system, std::function<std::unique_ptr<Stepper>(const System&)> bind)
      : whole_(system), bind_(std::move(bind)), contacts_(contacts_of(system)), meetings_(contacts_.size()) {
    int row = 0;
    for (const auto& block : system.constraints()) {
      const bool contact = dynamic_cast<const ContactBlock*>(block.get()) != nullptr;
      for (int k = 0; k < block->terms() * block->rows(); ++k, ++row) (contact ? contact_rows_ : other_rows_).push_back(row);
    }
    make();
  }

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    end_ = now.q + h * now.v;
    std::vector<Meetings> wanted;
    for (const ContactBlock* one : contacts_) wanted.push_back(one->find(now.q.data(), end_.data(), slack).meetings);
    StepReport report;
    for (int round = 0; round < most_rounds; ++round) {
      if (wanted != meetings_) {
        meetings_ = wanted;
        make();
      }
      enter(now);
      report = stepper_->advance({&from_, 1}, h, to_);
      leave(now, report, next);
      if (!report.ok()) return report;
      bool more = false;
      for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const ContactBlock::Found found = contacts_[k]->find(now.q.data(), next.q.data(), slack);
        if (found.travel > 1.0) return too_fast(report, k, h);
        for (const ContactBlock::Meeting& one : found.meetings) {
          if (one.gap >= -unnoticed || std::binary_search(wanted[k].begin(), wanted[k].end(), one)) continue;
          wanted[k].insert(std::lower_bound(wanted[k].begin(), wanted[k].end(), one), one);
          more = true;
        }
      }
      if (!more) return report;
    }
    return not_settled(report, h);
  }

  const std::vector<int>& dependent() const override { return dependent_; }

 private:
  using Meetings = std::vector<ContactBlock::Meeting>;

  /// The system with the rows of those that may meet in the place of the contacts.
  void make() {
    stepper_.reset();
    system_ = std::make_unique<System>(whole_);
    system_->drop_constraints();
    for (const auto& block : whole_.constraints())
      if (dynamic_cast<const ContactBlock*>(block.get()) == nullptr) system_->add_block(block->clone());
    first_.clear();
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      first_.push_back(system_->constraint_count());
      contacts_[k]->add_to(*system_, meetings_[k]);
    }
    first_.push_back(system_->constraint_count());
    stepper_ = bind_(*system_);
  }

  void enter(const State& now) {
    from_.t = now.t;
    from_.q = now.q;
    from_.v = now.v;
    from_.p = now.p;
    from_.carried = now.carried;
    from_.lambda.setZero(system_->constraint_count());
    for (std::size_t k = 0; k < other_rows_.size() && now.lambda.size() > 0; ++k)
      from_.lambda[Eigen::Index(k)] = now.lambda[other_rows_[k]];
  }

  void leave(const State& now, StepReport& report, State& next) {
    next.t = to_.t;
    next.q = to_.q;
    next.v = to_.v;
    next.p = to_.p;
    next.carried = now.carried;
    next.lambda.setZero(whole_.constraint_count());
    const bool known = to_.lambda.size() == system_->constraint_count();  // a step that failed may have left the one before
    for (std::size_t k = 0; k < other_rows_.size() && known; ++k) next.lambda[other_rows_[k]] = to_.lambda[Eigen::Index(k)];
    for (std::size_t k = 0; k < contact_rows_.size() && known; ++k)
      next.lambda[contact_rows_[k]] = to_.lambda.segment(first_[k], first_[k + 1] - first_[k]).sum();
    dependent_.clear();
    for (const int row : stepper_->dependent())
      if (row < int(other_rows_.size())) dependent_.push_back(other_rows_[std::size_t(row)]);
    int& worst = report.solve.worst_constraint;
    if (worst >= int(other_rows_.size())) {
      const auto after = std::upper_bound(first_.begin(), first_.end(), worst);
      worst = contact_rows_[std::min(contact_rows_.size() - 1, std::size_t(after - first_.begin() - 1))];
    } else if (worst >= 0) {
      worst = other_rows_[std::size_t(worst)];
    }
  }

  StepReport not_settled(StepReport report, double h) const {
    report.solve.status = Status::slow;
    report.trouble =
        message("after {} trials of a step of {} parts are still found in each other; take a smaller step", most_rounds, h);
    return report;
  }

  StepReport too_fast(StepReport report, std::size_t contact, double h) const {
    report.solve.status = Status::slow;
    report.solve.worst_constraint = contact_rows_[contact];
    report.trouble = message(
        "'{}': parts near each other moved by more than their thickness within h = {}, and may have passed through each "
        "other; take a smaller step",
        whole_.constraint_name(contact_rows_[contact]), h);
    return report;
  }

  const System& whole_;
  std::function<std::unique_ptr<Stepper>(const System&)> bind_;
  std::vector<const ContactBlock*> contacts_;
  std::vector<Meetings> meetings_;              // that have rows, for each contact
  std::vector<int> contact_rows_, other_rows_;  // of the whole
  std::vector<int> first_;                      // row of each contact in the system at hand, and the end
  std::unique_ptr<System> system_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<int> dependent_;
  State from_, to_;
  Vector end_;
};

}  // namespace

std::unique_ptr<Stepper> contact_stepper(const System& system, std::function<std::unique_ptr<Stepper>(const System&)> bind) {
  return std::make_unique<ContactStepper>(system, std::move(bind));
}

}  // namespace taut
