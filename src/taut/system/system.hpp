#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <taut/base/vector.hpp>
#include <taut/system/block.hpp>
#include <taut/system/constraint_terms.hpp>
#include <taut/system/dynamics_terms.hpp>
#include <taut/system/part.hpp>
#include <taut/system/velocity_terms.hpp>
#include <vector>

namespace taut {

/// Point masses whose Cartesian coordinates come point by point: x₀ y₀ (z₀) x₁ y₁ …
struct Points {
  int count = 1;
  int dim = 3;
  double mass = 1.0;             ///< of each point, kg
  std::vector<double> masses{};  ///< or one by one; then `mass` is not used

  double mass_of(int point) const { return masses.empty() ? mass : masses[point]; }
};

/// A term in terms of points: it becomes one term, or several, once the dimension is known.
template <class Term>
concept SpatialTerm = requires(const Term& term, const Points& points) {
  term.template in<2>(points);
};

/// What moves and what holds it, in momentum form:
///
///     d/dt p(t,q,v) = f(t,q,v) − G(t,q)ᵀλ,   p = ∂L/∂v,   f = ∂L/∂q + Q(t,q,v),   q̇ = v
///     g(t,q) ∈ S,   G = ∂g/∂q
///     K(t,q) v + b(t,q) = 0 with the forces −Kᵀψ              nonholonomic; ψ stand among the λ, K among the G
///
/// λ are forces with this sign, whatever the integrator. A System is a list of terms stored by type in blocks; once a run
/// has begun nothing changes it. Formulations are other systems: see penalized() and reduced().
class System {
 public:
  /// Generalised coordinates without any term yet.
  explicit System(int coordinates);

  /// Point masses, whose kinetic energy is added; and after their coordinates as many generalised ones as asked for.
  explicit System(Points points, int generalized = 0);

  System(const System& other);
  System& operator=(const System& other);
  System(System&&) noexcept = default;
  System& operator=(System&&) noexcept = default;
  ~System() = default;

  /// Adds a term (see term.hpp); messages and the certificate call it by the name.
  template <class Term> System& add(Term term, const std::string& name = {});

  void add_block(std::unique_ptr<DynamicsBlock> block);
  void add_block(std::unique_ptr<ConstraintBlock> block);
  void drop_constraints();

  /// Where the constraint that was added last stands: number of its block, and its own there.
  std::pair<std::size_t, int> newest_constraint() const { return newest_constraint_; }
  int row_of(std::pair<std::size_t, int> constraint) const;  ///< its first row

  void name_coordinates(std::vector<std::string> names);  ///< one for each

  /// Says that `dim` coordinates from this one on are a place in space, or a direction, besides the points: what translations and rotations do
  /// to the system follows from it.
  void add_vector(int coordinate, bool direction);
  const std::set<int>& places() const { return places_; }  ///< first coordinates, the points among them
  const std::set<int>& directions() const { return directions_; }

  int size() const { return size_; }
  int constraint_count() const { return constraint_count_; }
  const std::optional<Points>& points() const { return points_; }
  const std::vector<std::unique_ptr<DynamicsBlock>>& dynamics() const { return dynamics_; }
  const std::vector<std::unique_ptr<ConstraintBlock>>& constraints() const { return constraints_; }

  bool constant_mass() const;
  bool lumped_mass() const;   ///< constant and diagonal
  bool holonomic() const;     ///< no constraint on velocities alone
  bool turns() const;         ///< some constraint is not linear in the velocities
  bool quadratic() const;     ///< T is, in the velocities
  bool conservative() const;  ///< as far as the terms declare; explicit time in a potential is not seen
  std::string coordinate_name(int coordinate) const;
  std::string constraint_name(int row) const;
  std::vector<Set> sets() const;
  bool equalities_only() const;      ///< no inequality, and no row that does not act
  bool holds_length(int row) const;  ///< of a vector that is linear in q: see SpanRow

  double kinetic_energy(const Instant& at) const;
  double potential_energy(const Instant& at) const;
  double power(const Instant& at) const;  ///< of forces besides ∂L/∂q; not a number where a block does not know it
  double energy(const Instant& at) const { return kinetic_energy(at) + potential_energy(at); }

  // Evaluations without allocation; each is what the function of the same name in block.hpp says, over all blocks.
  void add_dynamics(const Instant& at, double momentum, double force, double* out) const;
  void add_inertial(const Instant& at, double weight, double* out) const;
  void constraint_values(double t, const double* q, double* g) const;
  void constraint_rates(const Instant& at, double* rate) const;
  void constraint_accelerations(const Instant& at, double* acceleration) const;
  void add_constraint_forces(double t, const double* q, const double* lambda, double weight, double* out) const;
  void add_constraint_forces(const Instant& at, const double* lambda, double weight, double* out) const;

  // The same over the blocks of a part, rows and coordinates counted in the system; discrete gradients must be there.
  void add_dynamics(const Part& part, const Instant& at, double momentum, double force, double* out) const;
  void add_inertial(const Part& part, const Instant& at, double weight, double* out) const;
  void add_discrete_forces(const Part& part, const Segment& step, double weight, double* out) const;
  void constraint_values(const Part& part, double t, const double* q, double* g) const;
  void constraint_rates(const Part& part, const Instant& at, double* rate) const;
  void add_constraint_forces(const Part& part, double t, const double* q, const double* lambda, double weight,
                             double* out) const;
  void add_constraint_forces(const Part& part, const Instant& at, const double* lambda, double weight, double* out) const;
  void add_discrete_constraint_forces(const Part& part, const Segment& step, const double* lambda, double weight,
                                      double* out) const;

  /// p(t,q,v) and f(t,q,v).
  Vector momentum(const Instant& at) const;
  Vector force(const Instant& at) const;
  Vector constraint_values(double t, const Vector& q) const;
  Vector constraint_rates(const Instant& at) const;
  Vector constraint_gradient_norms(double t, const Vector& q) const;  ///< |Gᵢ|: turns g into a distance of q
  /// Each coordinate in a unit; of the difference to another instant.
  Vector constraint_gradient_norms(const Instant& at, const Vector* units = nullptr, const Instant* less = nullptr) const;

  /// Dense copies of M = p_v, K = −∂f/∂q and G, for diagnostics and small studies; not for hot loops.
  Eigen::MatrixXd mass(const Instant& at) const;
  Eigen::MatrixXd stiffness(const Instant& at) const;
  Eigen::MatrixXd constraint_gradient(double t, const Vector& q) const;

  /// Names the first term that is not finite at this instant, or nothing.
  std::string find_not_finite(const Instant& at) const;

 private:
  Eigen::MatrixXd slopes(const Instant& at, const SlopeWeights& weights) const;
  template <class Block, class Base, class Term>
  void push(std::vector<std::unique_ptr<Base>>& blocks, Term term, const std::string& name);
  void recount();

  int size_;
  int constraint_count_ = 0;
  std::optional<Points> points_;
  std::vector<std::string> names_;
  std::pair<std::size_t, int> newest_constraint_{};
  std::set<int> places_, directions_;
  std::vector<std::unique_ptr<DynamicsBlock>> dynamics_;
  std::vector<std::unique_ptr<ConstraintBlock>> constraints_;
};

/// The instant of a state.
template <class AnyState> Instant instant(const AnyState& state) { return {state.t, state.q.data(), state.v.data()}; }

/// How often forces have been evaluated in this thread, of whatever system and by whatever scheme: the difference over a run is its work.
long force_evaluations();

/// Counts one that went to the blocks directly.
void note_force_evaluation();

/// The system with every constraint replaced by the potential dist²(g, S)/(2ε): stiff springs, and for inequalities
/// springs that push only. Any integrator takes the result; the motion differs from the constrained one by O(ε).
System penalized(const System& system, double epsilon);

/// The same for those constraints alone that the condition picks, by the first row of each; the others are held exactly.
System penalized(const System& system, double epsilon, const std::function<bool(int row)>& which);

/// The same with an ε for each constraint, by its first row; 0 holds it exactly.
System penalized(const System& system, const std::function<double(int row)>& epsilon);

/// The system in which constraints that the condition picks by name no longer act: their rows stay, with λ = 0. A support that is released, most
/// of all: run to the moment with the one system, go on with the other.
System released(const System& system, const std::function<bool(const std::string& name)>& which);

/// A system without the rows that do not act, and the number that each of the others has in the whole.
struct Acting {
  System system;
  std::vector<int> rows;
};
Acting acting(const System& system);

/// The same to look at: where all rows act it is the system itself, which must outlive it, and no copy.
class ActingView {
 public:
  explicit ActingView(const System& system);
  const System& operator*() const { return part_ ? part_->system : *whole_; }

 private:
  const System* whole_;
  std::optional<Acting> part_;
};

template <class Block, class Base, class Term>
void System::push(std::vector<std::unique_ptr<Base>>& blocks, Term term, const std::string& name) {
  // The newest block of this type, unless it is full: blocks of limited size let a large matrix be filled part by part.
  constexpr int full = 2048;
  Block* open = nullptr;
  std::size_t number = blocks.size();
  while (number > 0 && open == nullptr) open = dynamic_cast<Block*>(blocks[--number].get());
  if (open == nullptr || open->terms() >= full) {
    number = blocks.size();
    blocks.push_back(std::make_unique<Block>());
    open = static_cast<Block*>(blocks.back().get());
  }
  open->push(std::move(term), name, size_);
  if constexpr (std::is_same_v<Base, ConstraintBlock>) {
    constraint_count_ += open->rows();
    newest_constraint_ = {number, open->terms() - 1};
  }
}

template <class Term> System& System::add(Term term, const std::string& name) {
  if constexpr (SpatialTerm<Term>) {
    if (!points_) require(false, "{}: needs points, but the system has generalised coordinates.", term.name());
    const auto add_all = [&](auto made) {
      if constexpr (std::ranges::range<decltype(made)>) {
        for (auto& one : made) add(std::move(one), name);
      } else {
        add(std::move(made), name);
      }
    };
    if (points_->dim == 1) add_all(term.template in<1>(*points_));
    if (points_->dim == 2) add_all(term.template in<2>(*points_));
    if (points_->dim == 3) add_all(term.template in<3>(*points_));
  } else if constexpr (ConstraintTerm<Term>) {
    push<ConstraintTerms<Term>>(constraints_, std::move(term), name);
  } else if constexpr (requires { typename Term::Block; }) {
    push<typename Term::Block>(dynamics_, std::move(term), name);
  } else if constexpr (VelocityTerm<Term>) {
    push<VelocityTerms<Term>>(constraints_, std::move(term), name);
  } else {
    static_assert(DynamicsTerm<Term>, "not a term: see the list at the top of term.hpp");
    push<DynamicsTerms<Term>>(dynamics_, std::move(term), name);
  }
  return *this;
}

}  // namespace taut
