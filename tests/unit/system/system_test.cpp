#include <gtest/gtest.h>

#include <limits>
#include <taut/taut.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using testing::error_of;

TEST(System, NamesCoordinatesAndConstraints) {
  System system(Points{.count = 3, .dim = 2});
  system.add(Distance{.from = 0, .to = 1}).add(Distance{.from = 1, .to = 2}, "tow bar").add(Hold<>{.point = 0});
  EXPECT_EQ(system.coordinate_name(3), "y1");
  EXPECT_EQ(system.constraint_name(0), "Distance 0-1");
  EXPECT_EQ(system.constraint_name(1), "tow bar");
  EXPECT_EQ(system.constraint_name(3), "Hold 0[1]");
  EXPECT_EQ(System(2).coordinate_name(1), "q1");
}

TEST(System, CopiesAreIndependent) {
  System system(Points{.count = 2, .dim = 2});
  system.add(Distance{});
  System copy = system;
  copy.add(Pin{});
  EXPECT_EQ(system.constraint_count(), 1);
  EXPECT_EQ(copy.constraint_count(), 2);
}

TEST(System, StoresTermsOfOneTypeInOneBlock) {
  System system(Points{.count = 50, .dim = 2});
  for (int k = 1; k < 50; ++k) system.add(Distance{.from = k - 1, .to = k});
  EXPECT_EQ(system.constraints().size(), 1u);
  EXPECT_EQ(system.dynamics().size(), 1u);
}

TEST(System, SaysWhatIsWrongWithItsInput) {
  EXPECT_EQ(error_of([] { System(0); }), "System: needs at least one coordinate, got 0.");
  EXPECT_EQ(error_of([] { System(Points{.count = 2, .dim = 4}); }), "Points: dim must be 1, 2 or 3, got 4.");
  EXPECT_EQ(error_of([] { System(Points{.count = 2, .dim = 2, .masses = {1.0}}); }),
            "Points: 1 masses are given for 2 points; give one per point, or `mass` for all.");
  EXPECT_EQ(error_of([] { System(Points{.count = 2, .dim = 2}).add(Distance{.from = 0, .to = 5}); }),
            "Distance 0-5: touches coordinate 10, but the system has only 4.");
  EXPECT_EQ(error_of([] { System(Points{.count = 1, .dim = 2, .mass = -1.0}); }),
            "Points: the mass of point 0 must not be negative, got -1.");
  EXPECT_EQ(error_of([] { System(2).add(Gravity{}); }),
            "Gravity: needs points, but the system has generalised coordinates.");
  EXPECT_EQ(error_of([] { penalized(System(1), 0.0); }), "penalized: epsilon must be positive, got 0.");
  EXPECT_EQ(error_of([] { System(Points{}).add(Pin{.length = -1.0}); }),
            "Pin 0: length must be positive, got -1; to hold a point in place use Hold.");
}

struct Bad {
  static constexpr int width = 1;
  std::array<int, 1> stencil() const { return {1}; }
  template <class T> Local<T, 1> force(const T&, const Local<T, 1>&, const Local<T, 1>&) const {
    return {T(std::numeric_limits<double>::quiet_NaN())};
  }
};

TEST(System, NamesTheTermThatIsNotFinite) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{});
  const State at = at_rest(system, Vector{{0.0, 0.0}});
  EXPECT_EQ(system.find_not_finite(instant(at)), "");
  system.add(Bad{}, "wind");
  EXPECT_EQ(system.find_not_finite(instant(at)), "the force of wind on y0");
}

}  // namespace
}  // namespace taut
