#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/step/elimination.hpp>
#include <taut/system/terms/point_mass.hpp>

/// Angles and travels of joints: coordinates without inertia, which constraints carry.
namespace taut::detail {
namespace {

/// A coordinate z without inertia and the row r that carries it, one of the two.
///
/// Following: no other row acts on z. Then its equation, 0 = f_z − λ_r G_rz, gives λ_r, a force on the others; and z follows from r once these are known.
/// Leading: r acts on z alone, as a motion that is prescribed. Then z is known, the other rows feel it, and λ_r is what is left of the equation of z.
struct Carried {
  int z;
  bool leads;
  int row;  // of the system
};

/// The rows that carry something, of one kind.
struct Carriers {
  std::vector<Carried> all;
  std::vector<std::unique_ptr<ConstraintBlock>> blocks;  // with the rows in the order of `all`

  /// Calls the same function of each block with its part of a vector of rows.
  template <class Action> void each(const Action& action) const {
    int first = 0;
    for (const auto& block : blocks) {
      action(*block, first);
      first += block->terms();
    }
  }
  Vector values(double t, const double* q) const {
    Vector out(Eigen::Index(all.size()));
    each([&](const ConstraintBlock& block, int first) { block.values(t, q, out.data() + first); });
    return out;
  }
  Vector rates(const Instant& at) const {
    Vector out(Eigen::Index(all.size()));
    each([&](const ConstraintBlock& block, int first) { block.rates(at, out.data() + first); });
    return out;
  }
  Vector accelerations(const Instant& at) const {
    Vector out(Eigen::Index(all.size()));
    each([&](const ConstraintBlock& block, int first) { block.accelerations(at, out.data() + first); });
    return out;
  }
  void add_forces(const Instant& at, const Vector& lambda, double weight, double* out) const {
    each([&](const ConstraintBlock& block, int first) { block.add_forces(at.t, at.q, lambda.data() + first, weight, out); });
  }
  /// G_rz of each: since no z has two of these rows, all at once.
  Vector slopes(const Instant& at, int n) const {
    Vector all_at_once = Vector::Zero(n), out(Eigen::Index(all.size()));
    add_forces(at, Vector::Ones(Eigen::Index(all.size())), 1.0, all_at_once.data());
    for (std::size_t k = 0; k < all.size(); ++k) out[Eigen::Index(k)] = all_at_once[all[k].z];
    return out;
  }
};

/// So heavy that nothing moves it but a force as large: 1/M_z vanishes beside what S holds.
constexpr double immovable = 1e150;

/// What the coordinates carried do to the others.
class CarriedForces final : public DynamicsBlock {
 public:
  CarriedForces(const System& system, std::shared_ptr<const Carriers> following, std::shared_ptr<const Carriers> leading)
      : n_(system.size()), following_(std::move(following)), leading_(std::move(leading)) {
    std::vector<char> light(std::size_t(n_), 0);
    for (const auto& carriers : {following_, leading_})
      for (const Carried& one : carriers->all) light[std::size_t(one.z)] = 1;
    for (const auto& block : system.dynamics())
      if (std::any_of(block->stencils().begin(), block->stencils().end(), [&](int i) { return light[std::size_t(i)] != 0; }))
        acting_.push_back(block->clone());
  }
  CarriedForces(const CarriedForces& other)
      : DynamicsBlock(other), n_(other.n_), following_(other.following_), leading_(other.leading_) {
    for (const auto& block : other.acting_) acting_.push_back(block->clone());
  }
  CarriedForces& operator=(const CarriedForces&) = delete;
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<CarriedForces>(*this); }
  int terms() const override { return 0; }
  int width() const override { return 1; }
  std::string name(int) const override { return "what joints carry"; }
  bool constant_mass() const override { return true; }
  bool lumped_mass() const override { return true; }
  bool conservative() const override { return false; }
  double kinetic(const Instant&) const override { return 0.0; }
  double potential(const Instant&) const override { return 0.0; }
  void add(const Instant& at, double, double force, double* out) const override {
    if (force == 0.0) return;
    if (!following_->all.empty() && !acting_.empty()) following_->add_forces(at, reactions(at), -force, out);
    if (leading_->all.empty()) return;
    const Vector f = acting(at), slope = leading_->slopes(at, n_), gamma = leading_->accelerations(at);
    for (std::size_t k = 0; k < leading_->all.size(); ++k) {
      const int z = leading_->all[k].z;
      out[z] += force * (-gamma[Eigen::Index(k)] / slope[Eigen::Index(k)] * immovable - f[z]);
    }
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant&, const SlopeWeights&, const int*, double*) const override {}

  /// λ of the rows that are followed.
  Vector reactions(const Instant& at) const {
    Vector lambda = Vector::Zero(Eigen::Index(following_->all.size()));
    if (acting_.empty()) return lambda;
    const Vector f = acting(at), slope = following_->slopes(at, n_);
    for (std::size_t k = 0; k < following_->all.size(); ++k)
      lambda[Eigen::Index(k)] = f[following_->all[k].z] / slope[Eigen::Index(k)];
    return lambda;
  }
  /// f of the blocks that act on a coordinate carried.
  Vector acting(const Instant& at) const {
    Vector f = Vector::Zero(n_);
    for (const auto& block : acting_) block->add(at, 0.0, 1.0, f.data());
    return f;
  }

 private:
  int n_;
  std::shared_ptr<const Carriers> following_, leading_;
  std::vector<std::unique_ptr<DynamicsBlock>> acting_;
};

class CarriedElimination final : public Elimination {
 public:
  CarriedElimination(const System& system, std::shared_ptr<const Carriers> following,
                     std::shared_ptr<const Carriers> leading, std::unique_ptr<System> inner, std::vector<int> rows)
      : n_(system.size()),
        following_(std::move(following)),
        leading_(std::move(leading)),
        forces_(system, following_, leading_),
        inner_system_(std::move(inner)),
        rows_(std::move(rows)),
        inner_(Elimination::of(*inner_system_)),
        lambda_(Vector::Zero(Eigen::Index(rows_.size()))) {}
  bool works() const { return inner_ != nullptr; }

  bool linearize(double t, const double* q) override { return inner_->linearize(t, q); }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    return inner_->accelerate(at, a, lambda_.data()) && finish(at, a, lambda);
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    const Vector before = Eigen::Map<const Vector>(q, n_);
    if (solve(*leading_, t, q) && inner_->position(t, size, q, report) && solve(*following_, t, q)) return true;
    Eigen::Map<Vector>(q, n_) = before;
    return false;
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    const Vector before = Eigen::Map<const Vector>(v, n_);
    match(*leading_, t, q, v);
    if (!inner_->motion(t, q, v, a, lambda_.data())) {
      Eigen::Map<Vector>(v, n_) = before;
      return false;
    }
    match(*following_, t, q, v);
    return finish({t, q, v}, a, lambda);
  }
  bool velocity(double t, const double* q, double* v) override {
    const Vector before = Eigen::Map<const Vector>(v, n_);
    match(*leading_, t, q, v);
    if (!inner_->velocity(t, q, v)) {
      Eigen::Map<Vector>(v, n_) = before;
      return false;
    }
    match(*following_, t, q, v);
    return true;
  }
  bool momentum(const double*, double*) const override { return false; }

 private:
  /// a and λ of what is carried, once those of the others are there.
  bool finish(const Instant& at, double* a, double* lambda) {
    for (std::size_t k = 0; k < rows_.size(); ++k) lambda[rows_[k]] = lambda_[Eigen::Index(k)];
    const Vector zero = Vector::Zero(n_);
    if (!following_->all.empty()) {
      const Vector slope = following_->slopes(at, n_), gamma = following_->accelerations(at), mine = forces_.reactions(at);
      for (const Carried& one : following_->all) a[one.z] = 0.0;
      const Vector along = following_->rates({at.t, at.q, a}) - following_->rates({at.t, at.q, zero.data()});
      for (std::size_t k = 0; k < following_->all.size(); ++k) {
        const auto i = Eigen::Index(k);
        a[following_->all[k].z] = -(gamma[i] + along[i]) / slope[i];
        lambda[following_->all[k].row] = mine[i];
      }
    }
    if (!leading_->all.empty()) {
      Vector left = forces_.acting(at);
      Vector pulled = Vector::Zero(n_);
      inner_system_->add_constraint_forces(at.t, at.q, lambda_.data(), 1.0, pulled.data());
      const Vector slope = leading_->slopes(at, n_);
      for (std::size_t k = 0; k < leading_->all.size(); ++k) {
        const int z = leading_->all[k].z;
        lambda[leading_->all[k].row] = (left[z] - pulled[z]) / slope[Eigen::Index(k)];
      }
    }
    return std::isfinite(Eigen::Map<const Vector>(a, n_).sum());
  }

  /// z from g_r = 0, the others as they are.
  bool solve(const Carriers& carriers, double t, double* q) const {
    if (carriers.all.empty()) return true;
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Vector g = carriers.values(t, q), slope = carriers.slopes({t, q, nullptr}, n_);
      double change = 0.0;
      for (std::size_t k = 0; k < carriers.all.size(); ++k) {
        double& z = q[carriers.all[k].z];
        const double by = g[Eigen::Index(k)] / slope[Eigen::Index(k)];
        z -= by;
        change = std::max(change, std::abs(by) / std::max(1.0, std::abs(z)));
      }
      if (!std::isfinite(change)) return false;
      if (change <= 4.0 * std::numeric_limits<double>::epsilon() || (change < 1e-12 && change >= before)) return true;
      before = change;
    }
    return false;
  }
  /// v_z from G_r v + g_t = 0.
  void match(const Carriers& carriers, double t, const double* q, double* v) const {
    if (carriers.all.empty()) return;
    for (const Carried& one : carriers.all) v[one.z] = 0.0;
    const Vector rate = carriers.rates({t, q, v}), slope = carriers.slopes({t, q, v}, n_);
    for (std::size_t k = 0; k < carriers.all.size(); ++k)
      v[carriers.all[k].z] = -rate[Eigen::Index(k)] / slope[Eigen::Index(k)];
  }

  int n_;
  std::shared_ptr<const Carriers> following_, leading_;
  CarriedForces forces_;
  std::unique_ptr<System> inner_system_;
  std::vector<int> rows_;  // of the inner rows, in the system
  std::unique_ptr<Elimination> inner_;
  Vector lambda_;
};

/// Which row acts on which coordinates without inertia.
struct Touch {
  int block, term, row;
  std::vector<int> light, heavy;
};

std::vector<Touch> touches_of(const System& system, const Vector& mass) {
  std::vector<Touch> all;
  int row = 0;
  for (std::size_t b = 0; b < system.constraints().size(); ++b) {
    const ConstraintBlock& block = *system.constraints()[b];
    for (int term = 0; term < block.terms(); ++term)
      for (int r = 0; r < block.rows(); ++r, ++row) {
        Touch one{int(b), term, row, {}, {}};
        for (int k = 0; k < block.width(); ++k) {
          if (!block.acts_on(term, k)) continue;
          const int i = block.stencils()[std::size_t(term) * std::size_t(block.width()) + std::size_t(k)];
          (mass[i] > 0.0 ? one.heavy : one.light).push_back(i);
        }
        if (!one.light.empty()) all.push_back(std::move(one));
      }
  }
  return all;
}

}  // namespace

std::unique_ptr<Elimination> carried_elimination(const System& system) {
  if (!system.lumped_mass() || !only_equalities(system)) return nullptr;
  const Vector zero = Vector::Zero(system.size()), one = Vector::Ones(system.size());
  const Vector mass = system.momentum({0.0, zero.data(), one.data()});
  if ((mass.array() > 0.0).all() || (mass.array() < 0.0).any()) return nullptr;
  const std::vector<Touch> touches = touches_of(system, mass);
  std::vector<int> rows_on(std::size_t(system.size()), 0);
  std::vector<int> carrier(std::size_t(system.size()), -1);  // among the touches
  for (const Touch& t : touches)
    for (const int z : t.light) ++rows_on[std::size_t(z)];
  for (std::size_t k = 0; k < touches.size(); ++k) {
    const Touch& t = touches[k];
    const ConstraintBlock& block = *system.constraints()[std::size_t(t.block)];
    if (t.light.size() != 1 || block.rows() != 1 || !block.holonomic()) continue;
    const auto z = std::size_t(t.light[0]);
    if (t.heavy.empty() || rows_on[z] == 1) carrier[z] = int(k);
  }
  auto following = std::make_shared<Carriers>(), leading = std::make_shared<Carriers>();
  std::vector<std::vector<char>> off;  // by block: rows that carry, following ones 1, leading ones 2
  for (const auto& block : system.constraints()) off.emplace_back(std::size_t(block->terms()), 0);
  for (int z = 0; z < system.size(); ++z) {
    if (mass[z] > 0.0) continue;
    if (carrier[std::size_t(z)] < 0) return nullptr;
    const Touch& t = touches[std::size_t(carrier[std::size_t(z)])];
    off[std::size_t(t.block)][std::size_t(t.term)] = t.heavy.empty() ? 2 : 1;
  }
  auto inner = std::make_unique<System>(system);
  inner->drop_constraints();
  std::vector<int> rows;
  int row = 0;
  for (std::size_t b = 0; b < off.size(); ++b) {
    const ConstraintBlock& block = *system.constraints()[b];
    const auto part = [&](char which) -> std::unique_ptr<ConstraintBlock> {
      std::vector<char> others(off[b].size());
      std::transform(off[b].begin(), off[b].end(), others.begin(), [&](char k) { return char(k == which ? 0 : 1); });
      if (std::all_of(others.begin(), others.end(), [](char k) { return k != 0; })) return nullptr;
      if (std::none_of(others.begin(), others.end(), [](char k) { return k != 0; })) return block.clone();
      return block.without(others);
    };
    for (int term = 0; term < block.terms(); ++term)
      for (int r = 0; r < block.rows(); ++r, ++row) {
        const char kind = off[b][std::size_t(term)];
        if (kind == 0) rows.push_back(row);
        if (kind == 0) continue;
        for (const Touch& t : touches)
          if (t.row == row) (kind == 1 ? following : leading)->all.push_back({t.light[0], kind == 2, row});
      }
    if (auto rest = part(0)) inner->add_block(std::move(rest));
    if (auto mine = part(1)) following->blocks.push_back(std::move(mine));
    if (auto mine = part(2)) leading->blocks.push_back(std::move(mine));
  }
  for (const auto& carriers : {following, leading})
    for (const Carried& each : carriers->all) inner->add(PointMass<1>{each.z, each.leads ? immovable : 1.0});
  inner->add_block(std::make_unique<CarriedForces>(system, following, leading));
  auto out = std::make_unique<CarriedElimination>(system, following, leading, std::move(inner), std::move(rows));
  return out->works() ? std::move(out) : nullptr;
}

}  // namespace taut::detail
