#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

using Kind = Stability::Kind;

Stability of(const std::string& text, const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
  const ModelFile model = parse_model(text, "test.yaml", {.parameters = parameters, .run = {}});
  const Equilibrium found = equilibrium(model.system, model.start.state);
  EXPECT_EQ(found.status, Status::ok) << found.trouble;
  return stability(model.system, found.state);
}

double hertz(double rate) { return rate / (2.0 * std::numbers::pi); }

/// Two masses that hang on rods: ω² = (2 ∓ √2) g/l, whatever the coordinates.
TEST(Stability, FrequenciesOfTheDoublePendulumAreThoseOfTheBooks) {
  const Stability small = of(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 3, at: [0, -2]}, B: {mass: 3, at: [0, -4]}}
rods: [[O, A], [A, B]]
)yaml");
  EXPECT_TRUE(small.stable());
  ASSERT_EQ(small.eigenvalues.size(), 4u);
  for (const auto& s : small.eigenvalues) EXPECT_EQ(s.real(), 0.0) << "nothing damps, and nothing pretends to";
  const std::vector<double> f = small.frequencies();
  ASSERT_EQ(f.size(), 2u);
  EXPECT_NEAR(f[0], hertz(std::sqrt((2.0 - std::sqrt(2.0)) * 9.81 / 2.0)), 1e-12);
  EXPECT_NEAR(f[1], hertz(std::sqrt((2.0 + std::sqrt(2.0)) * 9.81 / 2.0)), 1e-12);
}

TEST(Stability, InvertedPendulumDivergesAtItsRate) {
  // Exactly upright: the flow does not leave an equilibrium.
  const Stability small = of("gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [0, 2]}}\nrods: [[O, A]]\n");
  EXPECT_FALSE(small.stable());
  EXPECT_EQ(small.instability, Kind::divergence);
  ASSERT_EQ(small.eigenvalues.size(), 2u);
  EXPECT_NEAR(small.eigenvalues[1].real(), std::sqrt(9.81 / 2.0), 1e-12);
  EXPECT_TRUE(small.frequencies().empty());
}

/// Two links of length l with masses 2m and m, springs k at both hinges, a force P along the second link. With x = ω² m l²/k, p = P l/k:
///
///     2 x² − (7 − 2p) x + 1 = 0,   flutter for 7/2 − √2 < p < 7/2 + √2, divergence above
///
/// H. Ziegler, Die Stabilitätskriterien der Elastomechanik, Ing.-Archiv 20 (1952) 49–56.
std::string ziegler(double damping) {
  return message(R"yaml(
parameters: {P: 1, c: {}}
coordinates: [a, b]
kinetic: "(3*a'^2 + 2*a'*b'*cos(a - b) + b'^2)/2"
potential: "(a^2 + (b - a)^2)/2"
forces: {a: "P*sin(a - b) - c*a' - c*(a' - b')", b: "c*(a' - b')"}
)yaml",
                 damping);
}

TEST(Stability, ZieglersColumnFluttersBetweenItsTwoLoads) {
  const double low = 3.5 - std::sqrt(2.0), high = 3.5 + std::sqrt(2.0);
  const auto at = [](double P) { return of(ziegler(0.0), {{"P", message("{}", P)}}); };
  EXPECT_NEAR(low, 2.086, 5e-4) << "the number of the books";
  const Stability below = at(0.999 * low);
  EXPECT_TRUE(below.stable());
  for (const auto& s : below.eigenvalues) EXPECT_EQ(s.real(), 0.0);
  EXPECT_EQ(at(1.001 * low).instability, Kind::flutter);
  EXPECT_EQ(at(0.999 * high).instability, Kind::flutter);
  EXPECT_EQ(at(1.001 * high).instability, Kind::divergence);
  const Stability half = at(1.0);
  for (const double f : half.frequencies()) {
    const double x = std::pow(2.0 * std::numbers::pi * f, 2);
    EXPECT_NEAR(2.0 * x * x - 5.0 * x + 1.0, 0.0, 1e-12);
  }
}

/// Ziegler's paradox: with equal, tiny damping of both hinges the critical load falls to 41/28 (Bolotin 1963, p. 99), here by Routh–Hurwitz:
/// a₀…a₄ = 2, 7c, 7 − 2p + c², 2c, 1; a₁a₂a₃ = a₀a₃² + a₁²a₄ for c → 0 gives p = 41/28.
TEST(Stability, LittleDampingLowersTheLoadOfZieglersColumn) {
  const auto at = [](double P) { return of(ziegler(1e-3), {{"P", message("{}", P)}}); };
  EXPECT_TRUE(at(0.999 * 41.0 / 28.0).stable());
  EXPECT_EQ(at(1.001 * 41.0 / 28.0).instability, Kind::flutter);
}

/// M. Beck (1952): 20.05 EI/l², where the two lowest frequencies meet at 11.016 √(EI/μl⁴).
TEST(Stability, BecksColumnFluttersAboveItsLoadAndIsStableBelow) {
  const auto at = [](const char* P) {
    const ModelFile model = read_model(TAUT_CASES "/beck_column.yaml", {.parameters = {{"P", P}}, .run = {}});
    const Equilibrium found = equilibrium(model.system, model.start.state);
    return stability(model.system, found.state);
  };
  for (const char* P : {"5", "15", "20"}) EXPECT_TRUE(at(P).stable()) << P;
  const Stability above = at("20.1");
  EXPECT_EQ(above.instability, Kind::flutter);
  EXPECT_NEAR(above.frequencies()[0], hertz(11.016), 2e-3);
}

TEST(Stability, DampingThatFeedsAndForcesThatCirculateAreUnstable) {
  const auto oscillator = [](const char* force) {
    return of(std::string("coordinates: [x, y]\nkinetic: \"(x'^2 + y'^2)/2\"\npotential: \"2*(x^2 + y^2)\"\nforces: {") +
              force + "}\n");
  };
  const Stability damped = oscillator("x: \"-0.5*x'\", y: \"-0.1*y'\"");
  EXPECT_TRUE(damped.stable());
  EXPECT_NEAR(damped.eigenvalues.front().real(), -0.25, 1e-12);
  EXPECT_NEAR(std::abs(damped.eigenvalues.front().imag()), std::sqrt(4.0 - 0.0625), 1e-12);
  EXPECT_EQ(oscillator("x: \"0.02*x'\", y: \"-0.1*y'\"").instability, Kind::flutter) << "negative damping";
  EXPECT_EQ(oscillator("x: \"-0.3*y\", y: \"0.3*x\"").instability, Kind::flutter) << "circulatory: s^2 = -4 +- 0.3 i";
}

/// L = |ẋ|²/2 + b (x ẏ − y ẋ)/2 + c |x|²/2: a hill, on which b² > 4c holds a ball until damping takes it away (Kelvin, Tait, Chetaev). b as a force, and as a
/// part of the kinetic energy, which has momenta that depend on places.
TEST(Stability, GyroscopicForcesHoldAHillUntilSomethingDamps) {
  const auto hill = [](double b, double damping, bool force) {
    const std::string swirl = force ? "" : " + b*(x*y' - y*x')/2";
    const std::string fx = force ? "b*y'" : "0", fy = force ? "-b*x'" : "0";
    return of("parameters: {b: " + message("{}", b) + ", d: " + message("{}", damping) +
              "}\ncoordinates: [x, y]\nkinetic: \"(x'^2 + y'^2)/2" + swirl +
              "\"\npotential: \"-(x^2 + y^2)/2\"\nforces: {x: \"" + fx + " - d*x'\", y: \"" + fy + " - d*y'\"}\n");
  };
  for (const bool force : {true, false}) {
    EXPECT_TRUE(hill(2.01, 0.0, force).stable()) << force;
    EXPECT_FALSE(hill(1.99, 0.0, force).stable()) << force;
    EXPECT_EQ(hill(2.01, 1e-4, force).instability, Kind::flutter) << force;
    EXPECT_EQ(hill(0.0, 0.0, force).instability, Kind::divergence) << force;
    // s² = −(b² − 2c)/2 ± …: the product of both frequencies is c.
    const std::vector<double> f = hill(3.0, 0.0, force).frequencies();
    ASSERT_EQ(f.size(), 2u);
    EXPECT_NEAR(f[0] * f[1], hertz(1.0) * hertz(1.0), 1e-13);
    EXPECT_NEAR(f[1] - f[0], hertz(std::sqrt(9.0 - 4.0)), 1e-12);
  }
}

TEST(Stability, WallsThatPushHoldAndFreeDirectionsAreNeutral) {
  const Stability lying =
      of("gravity: 10\nmasses: {A: {mass: 2, at: [0, 1]}}\nwalls: [{mass: A, normal: [0, 1]}]\nforces: {A.x: \"-8*A.x\"}\n");
  EXPECT_TRUE(lying.stable());
  ASSERT_EQ(lying.frequencies().size(), 1u);
  EXPECT_NEAR(lying.frequencies()[0], hertz(2.0), 1e-12);
  const Stability free = of("gravity: 10\nmasses: {A: {mass: 2, at: [0, 1]}}\nwalls: [{mass: A, normal: [0, 1]}]\n");
  EXPECT_FALSE(free.stable());
  EXPECT_FALSE(free.unstable());
  EXPECT_EQ(free.neutral, 2);
}

struct SpringsInARow {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T kinetic(const T&, const Local<T, 2>&, const Local<T, 2>& v) const { return 0.5 * v[1] * v[1]; }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    return 0.5 * 6.0 * q[0] * q[0] + 0.5 * 3.0 * (q[1] - q[0]) * (q[1] - q[0]);
  }
  std::string name() const { return "two springs in a row"; }
};

/// A direction without mass is no motion of its own: x follows y at once, which hangs on two springs in a row: ω² = 1/(1/6 + 1/3).
TEST(Stability, DirectionsWithoutMassHaveNoFrequencyOfTheirOwn) {
  System system(2);
  system.add(SpringsInARow{});
  const State rest{.t = 0.0, .q = Vector::Zero(2), .v = Vector::Zero(2), .p = Vector::Zero(2), .lambda = Vector(0)};
  const Stability small = stability(system, rest);
  EXPECT_TRUE(small.stable());
  ASSERT_EQ(small.frequencies().size(), 1u);
  EXPECT_NEAR(small.frequencies()[0], hertz(std::sqrt(2.0)), 1e-9);
}

TEST(Stability, SaysWhyItDoesNotKnow) {
  System skate(3);
  skate.add(KnifeEdge{});
  const State rest{.t = 0.0, .q = Vector::Zero(3), .v = Vector::Zero(3), .p = Vector::Zero(3), .lambda = Vector::Zero(1)};
  EXPECT_THROW(stability(skate, rest), InputError);
  const Model large = chain({.links = 500});
  const Stability small = stability(large.system, large.start);
  EXPECT_NE(small.unknown, "");
  EXPECT_FALSE(small.stable() || small.unstable());
}

}  // namespace
}  // namespace taut
