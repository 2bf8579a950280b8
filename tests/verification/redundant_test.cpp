#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

/// A rod whose equation is weighted, and raised to a power: (r²)ᵏ = (l²)ᵏ says the same as the rod.
struct SameRod {
  static constexpr int width = 4, rows = 1;
  int from, to;
  double length, weight;
  bool squared;
  std::array<int, 4> stencil() const { return {2 * from, 2 * from + 1, 2 * to, 2 * to + 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 4>& q) const {
    const T x = q[2] - q[0], y = q[3] - q[1], square = x * x + y * y;
    const double l = length * length;
    return {squared ? weight * (square * square - l * l) : weight * (square - l)};
  }
  std::string name() const { return "the same rod"; }
};

/// The height of a point over the plane.
struct InPlane {
  static constexpr int width = 1, rows = 1;
  int coordinate;
  double weight;
  std::array<int, 1> stencil() const { return {coordinate}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 1>& q) const { return {weight * q[0]}; }
  std::string name() const { return "in the plane"; }
};

/// x⁵⁰ + y² = 1.
struct Flat {
  static constexpr int width = 2, rows = 1;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    T power = q[0] * q[0];
    const T two = power;
    for (int k = 1; k < 25; ++k) power = power * two;
    return {power + q[1] * q[1] - 1.0};
  }
  std::string name() const { return "flat"; }
};

/// A mechanism with constraints that repeat others, and the same without them.
struct Pair {
  std::string name;
  System redundant, reference;
  State start, reference_start;
  int repeated;
  Vector anchor;  // where it is not empty, the reference is the first point as seen from here

  double difference(const Vector& q, const Vector& other) const {
    if (anchor.size() == 0) return (q - other).lpNorm<Eigen::Infinity>();
    return (q.head(anchor.size()) - anchor - other).lpNorm<Eigen::Infinity>();
  }
};

using Random = std::mt19937;
double between(Random& random, double low, double high) {
  return low + (high - low) * double(random()) / double(Random::max());
}

void add_rod(System& system, int a, int b, const Vector& q, int dim) {
  system.add(Distance{.from = a, .to = b, .length = (q.segment(dim * a, dim) - q.segment(dim * b, dim)).norm()});
}

/// A plate on parallel cranks of one length: it moves without turning, like a pendulum of all its mass, and any number of cranks and bars allow that.
Pair plate_on_cranks(Random& random) {
  const int p = 3 + int(random() % 3);
  const double angle = between(random, -3, 3), length = between(random, 0.5, 1.5), speed = between(random, -2, 2);
  std::vector<double> masses(p);
  double mass = 0.0;
  Vector q(2 * p), v(2 * p);
  const Vector crank{{std::cos(angle), std::sin(angle)}}, across{{-crank[1], crank[0]}};
  for (int i = 0; i < p; ++i) {
    mass += masses[i] = between(random, 0.2, 2);
    q.segment(2 * i, 2) = Vector{{2.0 * std::cos(2.1 * i) + between(random, -0.3, 0.3), 2.0 * std::sin(2.1 * i)}};
    v.segment(2 * i, 2) = speed * across;
  }
  const Gravity gravity{.g = between(random, 0, 10)};
  System redundant(Points{.count = p, .dim = 2, .mass = 1.0, .masses = masses});
  redundant.add(gravity);
  for (int i = 0; i < p; ++i) {
    const Vector at = q.segment(2 * i, 2) - length * crank;
    redundant.add(Pin{.point = i, .at = {at[0], at[1]}, .length = length});
  }
  add_rod(redundant, 0, 1, q, 2);
  for (int i = 2; i < p; ++i) add_rod(redundant, 0, i, q, 2), add_rod(redundant, 1, i, q, 2);
  System pendulum(Points{.count = 1, .dim = 2, .mass = mass});
  pendulum.add(gravity).add(Pin{.point = 0, .length = length});
  const State start = state_at(redundant, 0.0, q, v), swings = state_at(pendulum, 0.0, length * crank, speed * across);
  return {"plate on cranks", redundant, pendulum, start, swings, p - 2, q.head(2) - length * crank};
}

/// A chain that swings, with rods written down twice in other words.
Pair doubled_chain(Random& random) {
  const int p = 2 + int(random() % 4);
  Vector q(2 * p);
  Vector at = Vector::Zero(2);
  System reference(Points{.count = p, .dim = 2, .mass = between(random, 0.3, 3)});
  reference.add(Gravity{.g = 9.81});
  for (int i = 0; i < p; ++i) {
    const double angle = between(random, -1.5, 0.5), length = between(random, 0.3, 1);
    at += length * Vector{{std::cos(angle), std::sin(angle)}};
    q.segment(2 * i, 2) = at;
    if (i == 0) reference.add(Pin{.point = 0, .length = length});
    if (i > 0) add_rod(reference, i - 1, i, q, 2);
  }
  System redundant = reference;
  int repeated = 0;
  for (int i = 1; i < p; ++i) {
    const double length = (q.segment(2 * i, 2) - q.segment(2 * i - 2, 2)).norm();
    for (int k = 0; k <= int(random() % 2); ++k, ++repeated)
      redundant.add(SameRod{.from = i - 1,
                            .to = i,
                            .length = length,
                            .weight = std::pow(10.0, between(random, -4, 4)),
                            .squared = random() % 2 == 0});
  }
  return {"doubled chain", redundant, reference, at_rest(redundant, q), at_rest(reference, q), repeated, {}};
}

/// Frames with both diagonals, hung on each other at their corners, in the plane or in a plane of space.
Pair braced_frames(Random& random, int dim) {
  const int frames = 1 + int(random() % 2), p = 3 * frames;
  System reference(Points{.count = p, .dim = dim, .mass = between(random, 0.3, 3)});
  reference.add(Gravity{});
  System redundant = reference;
  Vector q = Vector::Zero(dim * p), v = Vector::Zero(dim * p), corner = Vector::Zero(2);
  const double turn = between(random, -3, 3);
  const auto both = [&](auto term) { reference.add(term), redundant.add(term); };
  const auto put = [&](Vector& x, int point, const Vector& at) { x[dim * point] = at[0], x[dim * point + dim - 1] = at[1]; };
  int repeated = 0;
  for (int f = 0; f < frames; ++f) {
    const double a = between(random, -1, 1), width = between(random, 0.4, 1), height = between(random, 0.4, 1);
    const Vector along = width * Vector{{std::cos(a), std::sin(a)}}, across = height * Vector{{std::sin(a), -std::cos(a)}};
    const int b = 3 * f, held = b - 2;  // corners b, b + 1, b + 2; the first is one of the last frame, or the origin
    const Vector corners[3] = {corner + along, corner + along + across, corner + across};
    for (int k = 0; k < 3; ++k) {
      put(q, b + k, corners[k]);
      if (f == 0) put(v, b + k, turn * Vector{{-corners[k][1], corners[k][0]}});
    }
    const auto hang = [&](System& system, int k) {
      if (f == 0)
        system.add(Pin{.point = b + k, .length = q.segment(dim * (b + k), dim).norm()});
      else
        add_rod(system, held, b + k, q, dim);
    };
    for (System* system : {&reference, &redundant}) {
      hang(*system, 0);
      hang(*system, 2);
      add_rod(*system, b, b + 1, q, dim);
      add_rod(*system, b + 1, b + 2, q, dim);
      add_rod(*system, b, b + 2, q, dim);
    }
    hang(redundant, 1);  // the other diagonal
    ++repeated;
    corner = corners[1];
    if (dim == 3)
      for (int k = 0; k < 3; ++k) both(InPlane{.coordinate = dim * (b + k) + 1, .weight = between(random, 0.1, 10)});
  }
  if (frames == 2) {  // the second frame goes with the corner that holds it
    for (int k = 3; k < p; ++k) v.segment(dim * k, dim) = v.segment(dim * 1, dim);
  }
  return {dim == 3 ? "braced frames in space" : "braced frames",
          redundant,
          reference,
          state_at(redundant, 0.0, q, v),
          state_at(reference, 0.0, q, v),
          repeated,
          {}};
}

std::vector<Pair> twenty(unsigned seed) {
  Random random(seed);
  std::vector<Pair> out;
  for (int i = 0; i < 5; ++i) {
    out.push_back(plate_on_cranks(random));
    out.push_back(doubled_chain(random));
    out.push_back(braced_frames(random, 2));
    out.push_back(braced_frames(random, 3));
  }
  return out;
}

TEST(Redundant, TwentyRandomMechanismsRunWithTheDefaultsLikeThoseWithoutWhatRepeats) {
  // Plates on cranks pass places where some of the cranks could fold over, and others hold them: those set aside must change on the way.
  std::vector<Pair> pairs;
  for (const unsigned seed : {1, 5, 8, 38, 40})
    for (Pair& pair : twenty(seed)) pairs.push_back(std::move(pair));
  for (const Pair& pair : pairs) {
    const SimulateOptions options{.step = 0.0, .end = 3.0, .rtol = 1e-8};
    const RungeKutta scheme{dormand_prince8()};
    const auto path = simulate(pair.redundant, pair.start, scheme, Multipliers{}, options);
    const auto reference = simulate(pair.reference, pair.reference_start, scheme, Multipliers{}, options);
    ASSERT_TRUE(reference.finished()) << pair.name << ": " << reference.message;
    ASSERT_TRUE(path.finished()) << pair.name << ": " << path.message;
    EXPECT_GE(int(path.dependent.size()), pair.repeated) << pair.name << ": others may have been set aside on the way";
    const double size = pair.start.q.lpNorm<Eigen::Infinity>();
    EXPECT_LE(pair.difference(path.last.q, reference.last.q), 1e-5 * size) << pair.name;
    const Certificate c = certificate(pair.redundant, path);
    EXPECT_LE(c.energy.deviation, 1e-6 * (1.0 + std::abs(c.energy.start))) << pair.name;
    EXPECT_LE(c.position_residual, 1e-10) << pair.name;
  }
}

TEST(Redundant, EverySchemeTakesTheStepsOfTheMechanismWithoutWhatRepeats) {
  const std::vector<Pair> pairs = twenty(38);
  for (const NamedIntegrator& named : integrators()) {
    if (!named.integrator.traits().takes_constraints) continue;
    for (const Pair& pair : pairs) {
      const SimulateOptions options{.step = 2e-3, .end = 0.2};
      std::optional<Trajectory> path;
      try {
        path = simulate(pair.redundant, pair.start, named.integrator, Multipliers{}, options);
      } catch (const InputError&) {
        continue;  // discrete gradients of an equation of degree four
      }
      const auto reference = simulate(pair.reference, pair.reference_start, named.integrator, Multipliers{}, options);
      ASSERT_TRUE(reference.finished()) << named.name << " on " << pair.name << ": " << reference.message;
      ASSERT_TRUE(path->finished()) << named.name << " on " << pair.name << ": " << path->message;
      // Where forces act along other directions than those of the end, what repeats a constraint need not repeat its forces: O(h²).
      EXPECT_LE(pair.difference(path->last.q, reference.last.q), 1e-4) << named.name << " on " << pair.name;
    }
  }
}

TEST(Redundant, BricardsMechanismSwingsBackToItsStart) {
  const ModelFile model = read_model(std::string(TAUT_CASES) + "/bricard.yaml");
  const auto run = [&](const Integrator& scheme, const SimulateOptions& options) {
    return simulate(model.system, model.start.state, scheme, Multipliers{}, options);
  };
  const auto exact = run(RungeKutta{dormand_prince8()}, {.step = 0.0, .end = 1.0, .rtol = 1e-11});
  ASSERT_TRUE(exact.finished()) << exact.message;
  EXPECT_EQ(exact.dependent.size(), 1u);
  // With equal angles θ at three hinges and φ at the others it closes where cos θ + cos φ + cos θ cos φ = 0 (Y. Chen, Z. You, T. Tarnai, Int. J. Solids
  // Struct. 42 (2005), 2287-2301); the motion of that one angle, by the classical Runge-Kutta scheme in another program, has P3 here after 0.8 s.
  const auto part = run(RungeKutta{dormand_prince8()}, {.step = 0.0, .end = 0.8, .rtol = 1e-11});
  EXPECT_LE((part.last.q.segment(3, 3) - Vector{{0.38486540252, -1.49340858273, 0.78842211219}}).norm(), 1e-8);
  const auto path = run(RungeKutta{dormand_prince8()}, {.step = 0.0, .end = 10.0, .rtol = 1e-8});
  ASSERT_TRUE(path.finished()) << path.message;
  const Certificate c = certificate(model.system, path);
  EXPECT_LE(c.energy.deviation, 1e-6);
  for (const NamedIntegrator& named : integrators()) {
    // The axes have no inertia; the literal form finds velocities without constraints, and so needs it.
    if (!named.integrator.traits().takes_constraints || named.name == "midpoint-literal") continue;
    std::vector<double> errors;
    for (const double h : {4e-3, 2e-3}) {
      const auto one = run(named.integrator, {.step = h, .end = 1.0});
      ASSERT_TRUE(one.finished()) << named.name << ": " << one.message;
      errors.push_back((one.last.q - exact.last.q).lpNorm<Eigen::Infinity>());
    }
    EXPECT_LE(errors[1], named.integrator.traits().order > 1 ? 1e-3 : 1e-2) << named.name;
    EXPECT_LE(errors[1], std::max(1e-8, 0.7 * errors[0])) << named.name << ": shrinks with the step";
  }
}

TEST(Redundant, AConstraintThatIsFlatNearlyEverywhereIsHeld) {
  // x⁵⁰ + y² = 1, at unit speed along it without forces: the path length is the time.
  System system(Points{.count = 1, .dim = 2});
  system.add(Flat{});
  const State start = state_at(system, 0.0, Vector{{0.0, 1.0}}, Vector{{1.0, 0.0}});
  const auto path =
      simulate(system, start, RungeKutta{dormand_prince8()}, Multipliers{}, {.step = 0.0, .end = 10.0, .rtol = 1e-8});
  ASSERT_TRUE(path.finished()) << path.message;
  const Certificate c = certificate(system, path);
  EXPECT_LE(c.energy.deviation, 1e-6);
  EXPECT_LE(c.position_residual, 1e-12);
  EXPECT_TRUE(path.dependent.empty());
}

}  // namespace
}  // namespace taut
