#pragma once

#include <mutex>
#include <taut/expression/outline.hpp>
#include <taut/expression/program.hpp>

namespace taut {

/// A program for many expressions, without those that are zero whatever the inputs.
struct SparseProgram {
  SparseProgram() = default;
  /// The expressions belong to rows of so many each.
  SparseProgram(const Outline& outline, const std::vector<Graph::Node>& nodes, int per_row = 1);

  Program program;
  std::vector<int> which{};         ///< the number of each output among the expressions
  std::vector<int> row{}, entry{};  ///< the same as row and place in it

  int count() const { return int(which.size()); }
};

/// Something that is made when it is asked for first, by whatever thread.
template <class Made> class Late {
 public:
  template <class Make> const Made& get(const Make& make) const {
    std::call_once(once_, [&] { made_ = make(); });
    return made_;
  }

 private:
  mutable std::once_flag once_;
  mutable Made made_;
};

/// The same for many things, by keys.
template <class Made> class Kept {
 public:
  template <class Make> std::shared_ptr<const Made> get(const std::string& key, const Make& make) const {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = made_.try_emplace(key);
    if (is_new) place->second = make();
    return place->second;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const Made>> made_;
};

struct MotionPrograms;

/// Discrete gradients of a shape, with their slopes in q1. Programs take q0 in the place of q and q1 in that of v: see discrete.hpp.
struct DiscretePrograms {
  SparseProgram gradients;  ///< rows × n
  SparseProgram slopes;     ///< rows × n × n
};

/// T, V and Q of an outline with their derivatives. Programs take t, q, v and the numbers of an instance.
struct DynamicsShape {
  /// Which expressions an outline has for roots: T, V, and forces on the first coordinates of its stencil.
  struct Roles {
    bool kinetic = false, potential = false;
    int forces = 0;
  };
  DynamicsShape(const Outline& outline, const Roles& roles, std::string key);

  std::string key;  ///< equal for equal ones

  int n;
  bool has_momentum, has_applied;
  bool constant_mass = true, lumped_mass = true, driven = false;
  bool quadratic = true;     ///< p is linear in v
  bool at_rest_zero = true;  ///< p = 0 for v = 0
  SparseProgram energies;    ///< T, V
  SparseProgram momentum, force, inertial;
  SparseProgram own, applied;                                               ///< force is the sum of what L gives and Q
  SparseProgram momentum_slopes, force_slopes, own_slopes, applied_slopes;  ///< n × n in q, row by row, then n × n in v
  const DiscretePrograms& discrete_potential() const;                       ///< of V
  const Outline& outline() const { return outline_; }
  Roles roots;                   ///< what the roots of its outline are
  Kept<MotionPrograms> motions;  ///< of systems that begin with it: see written_motion

 private:
  Outline outline_;
  Graph::Node V_ = -1;
  Late<DiscretePrograms> discrete_;
};

/// Rows g(t, q) on common coordinates with what schemes ask of them; or k(t, q, v), which take the place of their rates.
struct ConstraintShape {
  ConstraintShape(const Outline& outline, bool velocity, std::string key);

  std::string key;  ///< equal for equal ones

  int n, rows;
  bool velocity;
  bool turns = false;  ///< velocities occur in the gradients
  SparseProgram values, rates, accelerations;
  SparseProgram gradients;  ///< rows × n
  SparseProgram hessians;   ///< rows × n × n
  SparseProgram all;        ///< values, rates, accelerations, gradients, one after the other
  struct Part {
    int which, row, column;
  };
  std::vector<Part> parts;  ///< of its outputs: 0 to 3 for these, the row, and the coordinate of a gradient
  const DiscretePrograms& discrete() const;
  const Outline& outline() const { return outline_; }

 private:
  Outline outline_;
  Late<DiscretePrograms> discrete_;
};

/// Shapes by their keys: what differs in coordinates and constants only is compiled once, also over several readings of a model.
class Shapes {
 public:
  std::shared_ptr<const DynamicsShape> dynamics(const Instance& instance, const DynamicsShape::Roles& roles);
  std::shared_ptr<const ConstraintShape> constraints(const Instance& instance, bool velocity);

 private:
  Kept<DynamicsShape> dynamics_;
  Kept<ConstraintShape> constraints_;
};

}  // namespace taut
