#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

std::string told(const std::string& text) {
  return testing::error_of([&] { parse_model(text, "m.yaml"); });
}

TEST(Inertia, NamesTheMotionThatHasNone) {
  EXPECT_EQ(
      told("coordinates: [x, y]\nkinetic: \"(x' + y')^2/2\"\npotential: \"x^2 + y^2\"\n"),
      "m.yaml: the motion x' - y' has no inertia, and the constraints allow it; the kinetic energy must be positive in "
      "every motion that they allow.");
  EXPECT_NE(told("coordinates: [x, y]\nkinetic: \"(x' + 2*y')^2/2\"\n").find("the motion x' - 0.5 y' has no inertia"),
            std::string::npos);
}

TEST(Inertia, NamesTheCoordinateWhoseInertiaIsNegative) {
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"x'^2/2 - y'^2/2\"\n"),
            "m.yaml: the coordinate 'y' has negative inertia, and no constraint carries it; the kinetic energy must be "
            "positive whenever it moves.");
}

TEST(Inertia, IsAskedForOnlyInMotionsThatTheConstraintsAllow) {
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"(x' + y')^2/2\"\nconstraints: [\"x = 2*y\"]\n"), "no error");
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"x'^2/2\"\nconstraints: [\"y = x^2\"]\n"), "no error");
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"x'^2/2 - 0.1*y'^2\"\nconstraints: [\"x = y\"]\n"), "no error");
  // The constraint that carries y at x = 1 does not at x = 0.
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"x'^2/2\"\nconstraints: [\"x*y = x\"]\ninitial: {x: 1, y: 1}\n"),
            "no error");
  EXPECT_NE(told("coordinates: [x, y]\nkinetic: \"x'^2/2\"\nconstraints: [\"x*y = x\"]\n").find("'y' has no inertia"),
            std::string::npos);
}

TEST(Inertia, LightBesideHeavyIsNotNothing) {
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"1e-9*x'^2 + 1e9*y'^2 + 0.5*x'*y'\"\n"), "no error");
}

TEST(Inertia, OfManyCoordinatesIsCheckedToo) {
  for (const double mass : {1.0, 0.0, -1.0}) {
    System system(800);
    for (int i = 0; i < 800; ++i) system.add(PointMass<1>{i, i == 700 ? mass : 1.0});
    const std::string why = testing::error_of([&] { require_inertia(system, at_rest(system, Vector::Zero(800))); });
    EXPECT_EQ(why == "no error", mass > 0.0) << why;
    EXPECT_EQ(why.find("'q700'") != std::string::npos, mass <= 0.0) << why;
    EXPECT_EQ(why.find("negative") != std::string::npos, mass < 0.0) << why;
  }
}

/// From t = 1 on only x + y has inertia.
TEST(Inertia, ThatIsLostOnTheWayEndsTheRunAndIsNamed) {
  ModelFile model = parse_model(R"yaml(
coordinates: [x, y]
kinetic: "(x' + y')^2/2 + (1 - t)*(x' - y')^2*step(1 - t)"
potential: "(x^2 + 2*y^2)/2"
initial: {x: 1}
)yaml",
                                "m.yaml");
  for (const double step : {0.25, 0.1}) {
    const auto path =
        simulate(model.system, model.start.state, RungeKutta{kutta4()}, Multipliers{}, {.step = step, .end = 2.0});
    EXPECT_FALSE(path.finished());
    EXPECT_NE(path.message.find("inertia"), std::string::npos) << path.message;
  }
}

}  // namespace
}  // namespace taut
