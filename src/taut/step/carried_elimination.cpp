#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/step/elimination.hpp>
#include <taut/system/terms/point_mass.hpp>
#include <unordered_map>

/// Angles and travels of joints: coordinates without inertia, which constraints carry.
namespace taut::detail {
namespace {

/// A coordinate z without inertia and the row r that carries it, one of the two.
///
/// Following: no other row acts on z. Then its equation, 0 = f_z − λ_r G_rz, gives λ_r, a force on the others; and z follows from r once these are known.
/// Leading: r acts on z alone, as a motion that is prescribed. Then z is known, the other rows feel it, and λ_r is what is left of the equation of z.
struct Carried {
  int z;
  int row;  // of the system
};

/// The rows that carry something, of one kind, and what they were found to be last.
struct Carriers {
  std::vector<Carried> all;
  std::vector<std::unique_ptr<ConstraintBlock>> blocks;  // with the rows in the order of `all`
  Vector ones, slope, gamma, rate, still, lambda, whole;

  bool empty() const { return all.empty(); }
  void prepare(int n) {
    ones.setOnes(Eigen::Index(all.size()));
    for (Vector* one : {&slope, &gamma, &rate, &still, &lambda}) one->setZero(Eigen::Index(all.size()));
    whole.setZero(n);
  }
  /// Calls the same function of each block with its part of a vector of rows.
  template <class Action> void each(const Action& action) const {
    int first = 0;
    for (const auto& block : blocks) {
      action(*block, first);
      first += block->terms();
    }
  }
  void find_values(double t, const double* q) {
    each([&](const ConstraintBlock& block, int first) { block.values(t, q, rate.data() + first); });
  }
  void find_rates(const Instant& at, Vector& out) const {
    each([&](const ConstraintBlock& block, int first) { block.rates(at, out.data() + first); });
  }
  void find_accelerations(const Instant& at) {
    each([&](const ConstraintBlock& block, int first) { block.accelerations(at, gamma.data() + first); });
  }
  void add_forces(const Instant& at, const Vector& of, double weight, double* out) const {
    each([&](const ConstraintBlock& block, int first) { block.add_forces(at.t, at.q, of.data() + first, weight, out); });
  }
  /// G_rz of each: since no z has two of these rows, all at once.
  void find_slopes(const Instant& at) {
    whole.setZero();
    add_forces(at, ones, 1.0, whole.data());
    for (std::size_t k = 0; k < all.size(); ++k) slope[Eigen::Index(k)] = whole[all[k].z];
  }
};

/// So heavy that nothing moves it but a force as large: 1/M_z vanishes beside what S holds.
constexpr double immovable = 1e150;

/// What is carried, and what acts on it. It belongs to one elimination, and remembers the instant at which that asked for forces last.
struct Carriage {
  Carriers following, leading;
  std::vector<std::unique_ptr<DynamicsBlock>> acting;  // on a coordinate carried
  Vector f, pulled, rest;

  void prepare(const System& system) {
    const int n = system.size();
    std::vector<char> light(std::size_t(n), 0);
    for (const Carriers* carriers : {&following, &leading})
      for (const Carried& one : carriers->all) light[std::size_t(one.z)] = 1;
    for (const auto& block : system.dynamics())
      if (std::any_of(block->stencils().begin(), block->stencils().end(), [&](int i) { return light[std::size_t(i)] != 0; }))
        acting.push_back(block->clone());
    following.prepare(n);
    leading.prepare(n);
    f = pulled = rest = Vector::Zero(n);
  }

  /// What the coordinates carried do to the others.
  void add_forces(const Instant& at, double weight, double* out) {
    f.setZero();
    for (const auto& block : acting) block->add(at, 0.0, 1.0, f.data());
    if (!following.empty()) {
      following.find_slopes(at);
      for (std::size_t k = 0; k < following.all.size(); ++k)
        following.lambda[Eigen::Index(k)] = f[following.all[k].z] / following.slope[Eigen::Index(k)];
      if (!acting.empty()) following.add_forces(at, following.lambda, -weight, out);
    }
    if (leading.empty()) return;
    leading.find_slopes(at);
    leading.find_accelerations(at);
    for (std::size_t k = 0; k < leading.all.size(); ++k) {
      const int z = leading.all[k].z;
      out[z] += weight * (-leading.gamma[Eigen::Index(k)] / leading.slope[Eigen::Index(k)] * immovable - f[z]);
    }
  }
};

class CarriedForces final : public DynamicsBlock {
 public:
  explicit CarriedForces(std::shared_ptr<Carriage> carriage) : carriage_(std::move(carriage)) {}
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
    if (force != 0.0) carriage_->add_forces(at, force, out);
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant&, const SlopeWeights&, const int*, double*) const override {}

 private:
  std::shared_ptr<Carriage> carriage_;
};

class CarriedElimination final : public Elimination {
 public:
  CarriedElimination(int n, std::shared_ptr<Carriage> carriage, std::unique_ptr<System> inner, std::vector<int> rows)
      : n_(n),
        carriage_(std::move(carriage)),
        inner_system_(std::move(inner)),
        rows_(std::move(rows)),
        inner_(Elimination::of(*inner_system_)),
        lambda_(Vector::Zero(Eigen::Index(rows_.size()))),
        before_(Vector::Zero(n)) {}
  bool works() const { return inner_ != nullptr; }

  bool linearize(double t, const double* q) override { return inner_->linearize(t, q); }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    return inner_->accelerate(at, a, lambda_.data()) && finish(at, a, lambda);
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    before_ = here(q);
    if (solve(carriage_->leading, t, q) && inner_->position(t, size, q, report) && solve(carriage_->following, t, q))
      return true;
    here(q) = before_;
    return false;
  }

  /// Forces may depend on the rates of what is carried: these come first.
  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    return velocity(t, q, v) && accelerate({t, q, v}, a, lambda);
  }
  bool velocity(double t, const double* q, double* v) override {
    before_ = here(v);
    match(carriage_->leading, t, q, v);
    if (!inner_->velocity(t, q, v)) {
      here(v) = before_;
      return false;
    }
    match(carriage_->following, t, q, v);
    return true;
  }
  bool momentum(const double*, double*) const override { return false; }

 private:
  Eigen::Map<Vector> here(double* x) const { return {x, n_}; }

  /// a and λ of what is carried, once those of the others are there; slopes and forces are those that these were found with.
  bool finish(const Instant& at, double* a, double* lambda) {
    for (std::size_t k = 0; k < rows_.size(); ++k) lambda[rows_[k]] = lambda_[Eigen::Index(k)];
    if (Carriers& carriers = carriage_->following; !carriers.empty()) {
      for (const Carried& one : carriers.all) a[one.z] = 0.0;
      carriers.find_accelerations(at);
      carriers.find_rates({at.t, at.q, a}, carriers.rate);
      carriers.find_rates({at.t, at.q, carriage_->rest.data()}, carriers.still);
      for (std::size_t k = 0; k < carriers.all.size(); ++k) {
        const auto i = Eigen::Index(k);
        a[carriers.all[k].z] = -(carriers.gamma[i] + carriers.rate[i] - carriers.still[i]) / carriers.slope[i];
        lambda[carriers.all[k].row] = carriers.lambda[i];
      }
    }
    if (const Carriers& carriers = carriage_->leading; !carriers.empty()) {
      Vector& pulled = carriage_->pulled;
      pulled.setZero();
      inner_system_->add_constraint_forces(at.t, at.q, lambda_.data(), 1.0, pulled.data());
      for (std::size_t k = 0; k < carriers.all.size(); ++k) {
        const int z = carriers.all[k].z;
        lambda[carriers.all[k].row] = (carriage_->f[z] - pulled[z]) / carriers.slope[Eigen::Index(k)];
      }
    }
    return std::isfinite(here(a).sum());
  }

  /// z from g_r = 0, the others as they are.
  static bool solve(Carriers& carriers, double t, double* q) {
    if (carriers.empty()) return true;
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 20; ++iteration) {
      carriers.find_values(t, q);
      carriers.find_slopes({t, q, nullptr});
      double change = 0.0;
      for (std::size_t k = 0; k < carriers.all.size(); ++k) {
        double& z = q[carriers.all[k].z];
        const double by = carriers.rate[Eigen::Index(k)] / carriers.slope[Eigen::Index(k)];
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
  static void match(Carriers& carriers, double t, const double* q, double* v) {
    if (carriers.empty()) return;
    for (const Carried& one : carriers.all) v[one.z] = 0.0;
    carriers.find_rates({t, q, v}, carriers.rate);
    carriers.find_slopes({t, q, v});
    for (std::size_t k = 0; k < carriers.all.size(); ++k)
      v[carriers.all[k].z] = -carriers.rate[Eigen::Index(k)] / carriers.slope[Eigen::Index(k)];
  }

  int n_;
  std::shared_ptr<Carriage> carriage_;
  std::unique_ptr<System> inner_system_;
  std::vector<int> rows_;  // of the inner rows, in the system
  std::unique_ptr<Elimination> inner_;
  Vector lambda_, before_;
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
  if (!system.lumped_mass() || !system.equalities_only()) return nullptr;
  const Vector zero = Vector::Zero(system.size()), ones = Vector::Ones(system.size());
  const Vector mass = system.momentum({0.0, zero.data(), ones.data()});
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
  auto carriage = std::make_shared<Carriage>();
  std::unordered_map<int, int> light_of;  // by row
  for (const Touch& t : touches) light_of[t.row] = t.light[0];
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
        if (kind == 1) carriage->following.all.push_back({light_of.at(row), row});
        if (kind == 2) carriage->leading.all.push_back({light_of.at(row), row});
      }
    if (auto rest = part(0)) inner->add_block(std::move(rest));
    if (auto mine = part(1)) carriage->following.blocks.push_back(std::move(mine));
    if (auto mine = part(2)) carriage->leading.blocks.push_back(std::move(mine));
  }
  for (const Carried& one : carriage->following.all) inner->add(PointMass<1>{one.z, 1.0});
  for (const Carried& one : carriage->leading.all) inner->add(PointMass<1>{one.z, immovable});
  carriage->prepare(system);
  inner->add_block(std::make_unique<CarriedForces>(carriage));
  auto out = std::make_unique<CarriedElimination>(system.size(), carriage, std::move(inner), std::move(rows));
  return out->works() ? std::move(out) : nullptr;
}

}  // namespace taut::detail
