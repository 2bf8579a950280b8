#include <algorithm>
#include <cmath>
#include <taut/diagnostics/symmetry.hpp>
#include <taut/simulate/start.hpp>

namespace taut {
namespace {

/// A state near the motion, with what acts there.
struct Sample {
  State at;
  Vector f, p, gradient_norms;
  double largest;  ///< |f|
};

/// A state, the same a little later, and others around it, made as they are asked for: most systems lack most symmetries at one of the first, which need not be
/// put on the constraints.
class Samples {
 public:
  static constexpr int count = 4;
  static constexpr int around = 2;  ///< the first of them: where the motion is
  Samples(const System& system, const State& begin) : system_(system), begin_(begin), placing_(system) {}

  const Sample& operator()(int k) {
    while (int(made_.size()) <= k) made_.push_back(make(int(made_.size())));
    return made_[std::size_t(k)];
  }

 private:
  /// Where constraints hold, a place that is held only there keeps its symmetry: a top on its foot turns about the vertical. For large systems that search
  /// is too long.
  void put_on_constraints(State& state) {
    constexpr int largest = 300;
    if (system_.constraint_count() == 0 || system_.size() > largest) return;
    const ConsistentStart found = placing_(state, false);
    if (found.status == Status::ok) state.q = found.state.q;
  }

  Sample make(int sample) {
    State at = begin_;
    const int moved = std::max(0, sample + 1 - around);
    at.t += 0.37 * sample;
    for (Eigen::Index i = 0; i < at.q.size(); ++i) {
      at.q[i] += 0.2 * moved * std::cos(1.0 + 1.7 * moved + 2.3 * double(i));
      at.v[i] += 0.5 * std::sin(2.0 + 1.3 * sample + 3.1 * double(i));
    }
    if (moved > 0) put_on_constraints(at);
    Vector f = system_.force(instant(at)), p = system_.momentum(instant(at));
    Vector norms = system_.constraint_gradient_norms(instant(at));
    const double largest = f.norm();
    return {std::move(at), std::move(f), std::move(p), std::move(norms), largest};
  }

  const System& system_;
  const State& begin_;
  Placing placing_;
  std::vector<Sample> made_;
};

constexpr double tolerance = 1e-9;

/// Coordinates on which no force acts at the samples that cost nothing, at most a hundred: of more, nobody reads the list.
std::vector<Symmetry> cyclic_coordinates(const System& system, Samples& samples) {
  std::vector<Symmetry> all;
  for (int i = 0; i < system.size() && all.size() < 100; ++i) {
    bool free = true;
    for (int k = 0; k < Samples::around && free; ++k) free = std::abs(samples(k).f[i]) <= tolerance * samples(k).largest;
    if (!free) continue;
    all.push_back({"momentum of " + system.coordinate_name(i),
                   [i](const Vector& q) { return Vector(Vector::Unit(q.size(), i)); },
                   [i](const double* p, const double*) {
                     return Symmetry::Pairing{p[i], std::abs(p[i])};
                   }});
  }
  return all;
}

std::vector<Symmetry> motions_of_space(const System& system) {
  std::vector<Symmetry> all;
  const int dim = system.points()->dim;
  const std::vector<int> places(system.places().begin(), system.places().end());
  if (places.empty()) return all;
  for (int axis = 0; axis < dim; ++axis)
    all.push_back({std::string("momentum along ") + "xyz"[axis],
                   [axis, places](const Vector& q) {
                     Vector direction = Vector::Zero(q.size());
                     for (const int k : places) direction[k + axis] = 1.0;
                     return direction;
                   },
                   [axis, places](const double* p, const double*) {
                     Symmetry::Pairing out;
                     for (const int k : places) out.add(p[k + axis], 1.0);
                     return out;
                   }});
  // Directions turn, but do not move.
  std::vector<int> turning = places;
  turning.insert(turning.end(), system.directions().begin(), system.directions().end());
  const auto rotation = [&](const char* name, int i, int j) {
    all.push_back({name,
                   [i, j, turning](const Vector& q) {
                     Vector direction = Vector::Zero(q.size());
                     for (const int k : turning) {
                       direction[k + i] = -q[k + j];
                       direction[k + j] = q[k + i];
                     }
                     return direction;
                   },
                   [i, j, turning](const double* p, const double* q) {
                     Symmetry::Pairing out;
                     for (const int k : turning) {
                       out.add(p[k + i], -q[k + j]);
                       out.add(p[k + j], q[k + i]);
                     }
                     return out;
                   }});
  };
  if (dim == 2) rotation("angular momentum", 0, 1);
  if (dim == 3) {
    rotation("angular momentum about x", 1, 2);
    rotation("angular momentum about y", 2, 0);
    rotation("angular momentum about z", 0, 1);
  }
  return all;
}

/// A v
Vector turning(const Symmetry& symmetry, const Vector& v) {
  return symmetry.direction(v) - symmetry.direction(Vector::Zero(v.size()));
}

/// d/dt (p·ξ) without constraint forces is f·ξ + p·(A v), and constraint forces do no harm if Gξ = 0.
bool invariant(const System& system, const Symmetry& symmetry, const Sample& sample) {
  const State& at = sample.at;
  const Vector direction = symmetry.direction(at.q), turned = turning(symmetry, at.v);
  const double scale = sample.largest * direction.norm() + sample.p.norm() * turned.norm();
  if (!(std::abs(sample.f.dot(direction) + sample.p.dot(turned)) <= tolerance * scale)) return false;
  const Vector zero = Vector::Zero(at.v.size());
  const Vector moved = system.constraint_rates({at.t, at.q.data(), direction.data()}) -
                       system.constraint_rates({at.t, at.q.data(), zero.data()});
  for (Eigen::Index row = 0; row < moved.size(); ++row)
    if (!(std::abs(moved[row]) <= tolerance * sample.gradient_norms[row] * direction.norm())) return false;
  return true;
}

}  // namespace

double Symmetry::momentum(const System& system, const Instant& at) const {
  return system.momentum(at).dot(direction(Eigen::Map<const Vector>(at.q, system.size())));
}

std::vector<Symmetry> symmetries(const System& system, const State& around) {
  Samples samples(system, around);
  std::vector<Symmetry> found = system.points() ? motions_of_space(system) : cyclic_coordinates(system, samples);
  for (int k = 0; k < Samples::count && !found.empty(); ++k)
    std::erase_if(found, [&](const Symmetry& symmetry) { return !invariant(system, symmetry, samples(k)); });
  return found;
}

bool changed_by_forces(const System& system, const Symmetry& symmetry, const Instant& at, double since, double change) {
  const Vector q = Eigen::Map<const Vector>(at.q, system.size()), v = Eigen::Map<const Vector>(at.v, system.size());
  const Vector direction = symmetry.direction(q), turned = turning(symmetry, v);
  for (const double t : {at.t, 0.5 * (at.t + since)}) {
    const Vector f = system.force({t, at.q, at.v}), p = system.momentum({t, at.q, at.v});
    const double rate = std::abs(f.dot(direction) + p.dot(turned));
    const double size = f.cwiseProduct(direction).lpNorm<1>() + p.cwiseProduct(turned).lpNorm<1>();
    if (rate > 1e-12 * size && rate * std::abs(at.t - since) >= 0.05 * change) return true;
  }
  return false;
}

}  // namespace taut
