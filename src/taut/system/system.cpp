#include <algorithm>
#include <cmath>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/system/system.hpp>
#include <taut/system/terms/point_mass.hpp>

namespace taut {
namespace {

thread_local long evaluated = 0;  // see force_evaluations()

template <class Base> std::vector<std::unique_ptr<Base>> clones(const std::vector<std::unique_ptr<Base>>& blocks) {
  std::vector<std::unique_ptr<Base>> copies;
  copies.reserve(blocks.size());
  for (const auto& block : blocks) copies.push_back(block->clone());
  return copies;
}

}  // namespace

System::System(int coordinates) : size_(coordinates) {
  require(coordinates > 0, "System: needs at least one coordinate, got {}.", coordinates);
}

System::System(Points points, int generalized) : size_(points.count * points.dim + generalized), points_(points) {
  require(generalized >= 0, "System: the number of generalised coordinates must not be negative, got {}.", generalized);
  require(points.count > 0 || (points.count == 0 && generalized > 0), "Points: count must be positive, got {}.",
          points.count);
  require(points.dim >= 1 && points.dim <= 3, "Points: dim must be 1, 2 or 3, got {}.", points.dim);
  require(points.masses.empty() || int(points.masses.size()) == points.count,
          "Points: {} masses are given for {} points; give one per point, or `mass` for all.", points.masses.size(),
          points.count);
  for (int k = 0; k < points.count; ++k)
    require(points.mass_of(k) >= 0.0, "Points: the mass of point {} must not be negative, got {}.", k, points.mass_of(k));
  for (int k = 0; k < points.count; ++k) places_.insert(k * points.dim);
  add(PointMasses{});
}

System::System(const System& other)
    : size_(other.size_),
      constraint_count_(other.constraint_count_),
      points_(other.points_),
      names_(other.names_),
      newest_constraint_(other.newest_constraint_),
      places_(other.places_),
      directions_(other.directions_),
      dynamics_(clones(other.dynamics_)),
      constraints_(clones(other.constraints_)) {}

System& System::operator=(const System& other) {
  if (this != &other) *this = System(other);
  return *this;
}

void System::add_block(std::unique_ptr<DynamicsBlock> block) { dynamics_.push_back(std::move(block)); }

void System::add_block(std::unique_ptr<ConstraintBlock> block) {
  constraints_.push_back(std::move(block));
  recount();
}

void System::drop_constraints() {
  constraints_.clear();
  recount();
}

void System::recount() {
  constraint_count_ = 0;
  for (const auto& block : constraints_) constraint_count_ += block->terms() * block->rows();
}

bool System::lumped_mass() const {
  return std::all_of(dynamics_.begin(), dynamics_.end(), [](const auto& block) { return block->lumped_mass(); });
}

bool System::constant_mass() const {
  for (const auto& block : dynamics_)
    if (!block->constant_mass()) return false;
  return true;
}

bool System::conservative() const {
  for (const auto& block : dynamics_)
    if (!block->conservative()) return false;
  return true;
}

void System::name_coordinates(std::vector<std::string> names) {
  require(int(names.size()) == size_, "System: {} names are given for {} coordinates.", names.size(), size_);
  names_ = std::move(names);
}

void System::add_vector(int coordinate, bool direction) { (direction ? directions_ : places_).insert(coordinate); }

bool System::turns() const {
  return std::any_of(constraints_.begin(), constraints_.end(), [](const auto& block) { return block->turns(); });
}

bool System::quadratic() const {
  return std::all_of(dynamics_.begin(), dynamics_.end(), [](const auto& block) { return block->quadratic(); });
}

bool System::holonomic() const {
  return std::all_of(constraints_.begin(), constraints_.end(), [](const auto& block) { return block->holonomic(); });
}

std::string System::coordinate_name(int coordinate) const {
  if (!names_.empty()) return names_[coordinate];
  if (!points_ || coordinate >= points_->count * points_->dim) return message("q{}", coordinate);
  return std::string(1, "xyz"[coordinate % points_->dim]) + text(coordinate / points_->dim);
}

std::string System::constraint_name(int row) const {
  for (const auto& block : constraints_) {
    const int count = block->terms() * block->rows();
    if (row < count) return block->row_name(row / block->rows(), row % block->rows());
    row -= count;
  }
  return "no such constraint";
}

int System::row_of(std::pair<std::size_t, int> constraint) const {
  int row = constraint.second * constraints_[constraint.first]->rows();
  for (std::size_t k = 0; k < constraint.first; ++k) row += constraints_[k]->terms() * constraints_[k]->rows();
  return row;
}

bool System::holds_length(int row) const {
  SpanRow described;
  for (const auto& block : constraints_) {
    const int count = block->terms() * block->rows();
    if (row < count) return block->span(row / block->rows(), described);
    row -= count;
  }
  return false;
}

std::vector<Set> System::sets() const {
  std::vector<Set> sets;
  sets.reserve(constraint_count_);
  for (const auto& block : constraints_)
    for (int k = 0; k < block->terms(); ++k) sets.insert(sets.end(), block->rows(), block->set(k));
  return sets;
}

bool System::equalities_only() const {
  const std::vector<Set> all = sets();
  return std::all_of(all.begin(), all.end(), [](Set set) { return set == Set::zero; });
}

double System::kinetic_energy(const Instant& at) const {
  double sum = 0.0;
  for (const auto& block : dynamics_) sum += block->kinetic(at);
  return sum;
}

double System::potential_energy(const Instant& at) const {
  double sum = 0.0;
  for (const auto& block : dynamics_) sum += block->potential(at);
  return sum;
}

double System::power(const Instant& at) const {
  double sum = 0.0;
  for (const auto& block : dynamics_) sum += block->power(at);
  return sum;
}

void System::add_dynamics(const Instant& at, double momentum, double force, double* out) const {
  if (force != 0.0) ++evaluated;
  for (const auto& block : dynamics_) block->add(at, momentum, force, out);
}

void System::add_inertial(const Instant& at, double weight, double* out) const {
  for (const auto& block : dynamics_) block->add_inertial(at, weight, out);
}

void System::constraint_values(double t, const double* q, double* g) const {
  for (const auto& block : constraints_) {
    block->values(t, q, g);
    g += block->terms() * block->rows();
  }
}

void System::constraint_rates(const Instant& at, double* rate) const {
  for (const auto& block : constraints_) {
    block->rates(at, rate);
    rate += block->terms() * block->rows();
  }
}

void System::constraint_accelerations(const Instant& at, double* acceleration) const {
  for (const auto& block : constraints_) {
    block->accelerations(at, acceleration);
    acceleration += block->terms() * block->rows();
  }
}

void System::add_constraint_forces(double t, const double* q, const double* lambda, double weight, double* out) const {
  for (const auto& block : constraints_) {
    block->add_forces(t, q, lambda, weight, out);
    lambda += block->terms() * block->rows();
  }
}

void System::add_constraint_forces(const Instant& at, const double* lambda, double weight, double* out) const {
  for (const auto& block : constraints_) {
    block->add_forces_at(at, lambda, weight, out);
    lambda += block->terms() * block->rows();
  }
}

void System::add_dynamics(const Part& part, const Instant& at, double momentum, double force, double* out) const {
  if (force != 0.0 && part.from == 0) ++evaluated;
  for (const int b : part.dynamics) dynamics_[b]->add(at, momentum, force, out);
}

void System::add_inertial(const Part& part, const Instant& at, double weight, double* out) const {
  for (const int b : part.dynamics) dynamics_[b]->add_inertial(at, weight, out);
}

void System::add_discrete_forces(const Part& part, const Segment& step, double weight, double* out) const {
  if (part.from == 0) ++evaluated;
  for (const int b : part.dynamics) dynamics_[b]->discrete()->add_discrete(step, weight, out);
}

void System::constraint_values(const Part& part, double t, const double* q, double* g) const {
  for (const Part::Rows& rows : part.constraints) constraints_[rows.block]->values(t, q, g + rows.first);
}

void System::constraint_rates(const Part& part, const Instant& at, double* rate) const {
  for (const Part::Rows& rows : part.constraints) constraints_[rows.block]->rates(at, rate + rows.first);
}

void System::add_constraint_forces(const Part& part, double t, const double* q, const double* lambda, double weight,
                                   double* out) const {
  for (const Part::Rows& rows : part.constraints)
    constraints_[rows.block]->add_forces(t, q, lambda + rows.first, weight, out);
}

void System::add_constraint_forces(const Part& part, const Instant& at, const double* lambda, double weight,
                                   double* out) const {
  for (const Part::Rows& rows : part.constraints)
    constraints_[rows.block]->add_forces_at(at, lambda + rows.first, weight, out);
}

void System::add_discrete_constraint_forces(const Part& part, const Segment& step, const double* lambda, double weight,
                                            double* out) const {
  for (const Part::Rows& rows : part.constraints)
    constraints_[rows.block]->discrete()->add_discrete(step, lambda + rows.first, weight, out);
}

Vector System::momentum(const Instant& at) const {
  Vector p = Vector::Zero(size_);
  add_dynamics(at, 1.0, 0.0, p.data());
  return p;
}

Vector System::force(const Instant& at) const {
  Vector f = Vector::Zero(size_);
  add_dynamics(at, 0.0, 1.0, f.data());
  return f;
}

Vector System::constraint_values(double t, const Vector& q) const {
  Vector g(constraint_count_);
  constraint_values(t, q.data(), g.data());
  return g;
}

Vector System::constraint_rates(const Instant& at) const {
  Vector rate(constraint_count_);
  constraint_rates(at, rate.data());
  return rate;
}

Vector System::constraint_gradient_norms(double t, const Vector& q) const {
  return constraint_gradient_norms({t, q.data(), nullptr});
}

Vector System::constraint_gradient_norms(const Instant& at, const Vector* units, const Instant* less) const {
  const auto count_of = [](const ConstraintBlock& block) { return block.terms() * block.rows() * block.width(); };
  int most = 0;
  for (const auto& block : constraints_) most = std::max(most, count_of(*block));
  Vector norms(constraint_count_), entries(most);
  std::vector<int> slots(std::size_t(most), 0);
  std::iota(slots.begin(), slots.end(), 0);
  int row = 0;
  for (const auto& block : constraints_) {
    const int width = block->width();
    entries.head(count_of(*block)).setZero();
    block->add_gradient_at(at, 1.0, nullptr, slots.data(), entries.data());
    if (less != nullptr) block->add_gradient_at(*less, -1.0, nullptr, slots.data(), entries.data());
    for (int k = 0; k < block->terms() * block->rows(); ++k) {
      auto own = entries.segment(k * width, width);
      for (int i = 0; units != nullptr && i < width; ++i)
        own[i] *= (*units)[block->stencils()[std::size_t(k / block->rows() * width + i)]];
      norms[row++] = own.norm();
    }
  }
  return norms;
}

Eigen::MatrixXd System::slopes(const Instant& at, const SlopeWeights& weights) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size_, size_);
  for (const auto& block : dynamics_) {
    const auto slots = square_slots(*block, [this](int i, int j) { return i + size_ * j; });
    block->add_slopes(at, weights, slots.data(), out.data());
  }
  return out;
}

Eigen::MatrixXd System::mass(const Instant& at) const {
  return slopes(at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0});
}

Eigen::MatrixXd System::stiffness(const Instant& at) const {
  return slopes(at, {.momentum = 0.0, .force = -1.0, .dq = 1.0, .dv = 0.0});
}

Eigen::MatrixXd System::constraint_gradient(double t, const Vector& q) const {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(constraint_count_, size_);
  int first = 0;
  for (const auto& block : constraints_) {
    const auto slots = gradient_slots(*block, first, [this](int row, int i) { return row + constraint_count_ * i; });
    block->add_gradient(t, q.data(), 1.0, nullptr, slots.data(), G.data());
    first += block->terms() * block->rows();
  }
  return G;
}

std::string System::find_not_finite(const Instant& at) const {
  // One block at a time; the first coordinate that is not finite tells which of its terms to blame.
  for (const auto& block : dynamics_) {
    Vector p = Vector::Zero(size_), f = Vector::Zero(size_);
    block->add(at, 1.0, 0.0, p.data());
    block->add(at, 0.0, 1.0, f.data());
    for (int k = 0; k < int(block->stencils().size()); ++k) {
      const int i = block->stencils()[k];
      if (!std::isfinite(p[i]) && !std::isfinite(block->kinetic(at)))
        return message("the momentum of {} at {}", block->name(k / block->width()), coordinate_name(i));
      if (!std::isfinite(p[i]) || !std::isfinite(f[i]))
        return message("the force of {} on {}", block->name(k / block->width()), coordinate_name(i));
    }
  }
  const Vector g = constraint_values(at.t, Eigen::Map<const Vector>(at.q, size_));
  for (int row = 0; row < constraint_count_; ++row)
    if (!std::isfinite(g[row])) return message("the constraint {}", constraint_name(row));
  return {};
}

long force_evaluations() { return evaluated; }

void note_force_evaluation() { ++evaluated; }

}  // namespace taut
