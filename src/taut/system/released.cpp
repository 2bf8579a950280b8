#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/system/system.hpp>

namespace taut {
namespace {

/// A block of which some terms no longer act.
class ReleasedBlock final : public ConstraintBlock {
 public:
  ReleasedBlock(std::unique_ptr<ConstraintBlock> block, std::vector<char> off)
      : block_(std::move(block)), off_(std::move(off)) {
    stencils_ = block_->stencils();
  }
  ReleasedBlock(const ReleasedBlock& other) : ReleasedBlock(other.block_->clone(), other.off_) {}

  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ReleasedBlock>(*this); }
  std::unique_ptr<ConstraintBlock> without(const std::vector<char>& off) const override { return block_->without(off); }
  int terms() const override { return block_->terms(); }
  int width() const override { return block_->width(); }
  int rows() const override { return block_->rows(); }
  std::string name(int term) const override { return block_->name(term); }
  std::string row_name(int term, int row) const override { return block_->row_name(term, row); }
  bool couples(int i, int j) const override { return block_->couples(i, j); }
  Set set(int term) const override { return off_[term] != 0 ? Set::whole : block_->set(term); }
  bool holonomic() const override { return block_->holonomic(); }
  bool turns() const override { return block_->turns(); }
  const DiscreteDirections* discrete() const override { return block_->discrete(); }
  bool span(int term, SpanRow& out) const override { return off_[term] == 0 && block_->span(term, out); }
  void values(double t, const double* q, double* g) const override { block_->values(t, q, g); }
  void rates(const Instant& at, double* rate) const override { block_->rates(at, rate); }
  void accelerations(const Instant& at, double* out) const override { block_->accelerations(at, out); }
  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    block_->add_forces(t, q, lambda, weight, out);
  }
  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    block_->add_gradient(t, q, weight, row_weight, slots, values);
  }
  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    block_->add_curvature(t, q, lambda, weight, slots, values);
  }
  void add_forces_at(const Instant& at, const double* lambda, double weight, double* out) const override {
    block_->add_forces_at(at, lambda, weight, out);
  }
  void add_gradient_at(const Instant& at, double weight, const double* row_weight, const int* slots,
                       double* values) const override {
    block_->add_gradient_at(at, weight, row_weight, slots, values);
  }
  void add_curvature_at(const Instant& at, const double* lambda, double weight, const int* slots,
                        double* values) const override {
    block_->add_curvature_at(at, lambda, weight, slots, values);
  }
  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    require(false, "penalized: '{}' is released; penalise first.", name(0));
    return block_->penalized(epsilon);
  }

 private:
  std::unique_ptr<ConstraintBlock> block_;
  std::vector<char> off_;
};

}  // namespace

System released(const System& system, const std::function<bool(const std::string&)>& which) {
  System out = system;
  out.drop_constraints();
  for (const auto& block : system.constraints()) {
    std::vector<char> off(block->terms(), 0);
    for (int k = 0; k < block->terms(); ++k) off[k] = block->set(k) == Set::whole || which(block->name(k)) ? 1 : 0;
    if (std::find(off.begin(), off.end(), 1) == off.end())
      out.add_block(block->clone());
    else
      out.add_block(std::make_unique<ReleasedBlock>(block->clone(), std::move(off)));
  }
  return out;
}

Acting acting(const System& system) {
  Acting out{system, {}};
  out.system.drop_constraints();
  int row = 0;
  for (const auto& block : system.constraints()) {
    std::vector<char> off(block->terms(), 0);
    for (int k = 0; k < block->terms(); ++k) {
      off[k] = block->set(k) == Set::whole ? 1 : 0;
      for (int r = 0; r < block->rows(); ++r, ++row)
        if (off[k] == 0) out.rows.push_back(row);
    }
    const auto dropped = std::count(off.begin(), off.end(), 1);
    if (dropped == 0) {
      out.system.add_block(block->clone());
    } else if (dropped < block->terms()) {
      std::unique_ptr<ConstraintBlock> rest = block->without(off);
      require(rest != nullptr, "'{}' cannot be released without those of its kind.", block->name(0));
      out.system.add_block(std::move(rest));
    }
  }
  return out;
}

ActingView::ActingView(const System& system) : whole_(&system) {
  for (const auto& block : system.constraints())
    for (int k = 0; k < block->terms() && !part_; ++k)
      if (block->set(k) == Set::whole) part_ = acting(system);
}

}  // namespace taut
