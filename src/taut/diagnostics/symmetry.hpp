#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// A motion of the whole system, q̇ = ξ(q), linear in q: ξ(q) = A q + a. If it changes neither the Lagrangian nor the constraints,
/// its momentum p·ξ(q) is conserved (Noether).
struct Symmetry {
  std::string name;
  std::function<Vector(const Vector& q)> direction;
  /// p·ξ(q), and the sum of the |pᵢ ξᵢ| that balance in it: the same without any memory of its own, for every step.
  struct Pairing {
    double sum = 0.0, size = 0.0;
    void add(double p, double along) {
      sum += p * along;
      size += std::abs(p * along);
    }
  };
  std::function<Pairing(const double* p, const double* q)> pairing;

  double momentum(const System& system, const Instant& at) const;
};

/// The translations and rotations of a system of points, or the single coordinates of any other, under which the system is
/// invariant: tested at the given state and at states around it, so a symmetry is found, not declared.
std::vector<Symmetry> symmetries(const System& system, const State& around);

/// Whether forces explain that the momentum changed by so much since a time before this instant: then what was tested elsewhere is no symmetry here, where
/// a force acts that had not begun, or was too small beside those inside.
bool changed_by_forces(const System& system, const Symmetry& symmetry, const Instant& at, double since, double change);

}  // namespace taut
