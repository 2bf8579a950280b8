#include <gtest/gtest.h>

#include <sstream>
#include <taut/taut.hpp>

#include "double_pendulum.hpp"

namespace taut {
namespace {

std::vector<std::string> names(const std::vector<Symmetry>& found) {
  std::vector<std::string> out;
  for (const Symmetry& symmetry : found) out.push_back(symmetry.name);
  return out;
}

TEST(Symmetries, AreFoundWhereTheyExistAndNowhereElse) {
  const auto hung = double_spherical_pendulum();
  EXPECT_EQ(names(symmetries(hung.system, hung.start)), std::vector<std::string>{"angular momentum about z"});

  System free(Points{.count = 2, .dim = 3});
  free.add(Spring{.stiffness = 5.0, .length = 1.0});
  EXPECT_EQ(symmetries(free, at_rest(free, Vector{{0, 0, 0, 1, 1, 0}})).size(), 6u);

  System thrown(Points{.count = 2, .dim = 2});
  thrown.add(Gravity{}).add(Distance{});
  EXPECT_EQ(names(symmetries(thrown, at_rest(thrown, Vector{{0, 0, 1, 0}}))), std::vector<std::string>{"momentum along x"});

  const Model angles = gh95_ellipse();
  EXPECT_TRUE(symmetries(angles.system, angles.start).empty());
  const System spherical = reduced(hung.system, SphericalAngles{}, Vector{{1, 0, 1, 0}});
  EXPECT_TRUE(symmetries(spherical, at_rest(spherical, Vector{{1, 0, 1, 0}})).empty())
      << "a common turn of both azimuths is a symmetry, that of one is not";
}

TEST(Certificate, MeasuresWhatItSays) {
  const auto model = double_spherical_pendulum();
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  const Certificate c = certificate(model.system, path);
  EXPECT_TRUE(c.finished());
  EXPECT_NEAR(c.energy.start, 3.625, 1e-13);
  ASSERT_EQ(c.momenta.size(), 1u);
  EXPECT_NEAR(c.momenta[0].start, 6.0, 1e-13);
  EXPECT_LE(c.momenta[0].deviation, 1e-11);
  EXPECT_LE(c.position_residual, 1e-12);
  EXPECT_GT(c.energy.deviation, 1e-6);  // symplectic, not energy-conserving
  std::ostringstream text;
  text << c;
  for (const char* word :
       {"good: ", "reached", "energy", "angular momentum about z", "constraints, position", "Newton per step"})
    EXPECT_NE(text.str().find(word), std::string::npos) << word << "\n" << text.str();
}

TEST(Certificate, SeesPenetrationOfAPenalisedRunThroughTheOriginalSystem) {
  const Model model = gh95_wall();
  const auto path =
      simulate(penalized(model.system, 1e-5), model.start, Midpoint{}, Multipliers{}, {.step = 1e-3, .end = 2.0});
  EXPECT_GT(certificate(model.system, path).penetration, 0.05);
}

}  // namespace
}  // namespace taut
