#include <gtest/gtest.h>

#include "figures.hpp"

/// Rods against exact solutions: Kirchhoff's helix, Michell's ring, Prandtl's cantilever, Greenhill's shaft, free flight.
namespace taut::reproduce {
namespace {

TEST(Rods, AgreeWithExactSolutionsAndKeepWhatIsConserved) {
  const auto f = figures("rods", {{"flight_steps", "300"},
                                  {"cost_elements", "1000"},
                                  {"cost_steps", "1"},
                                  {"buckling_elements", "16"},
                                  {"helix_elements", "48"}});
  EXPECT_LE(f.at("rollup_closure"), 1e-12);
  EXPECT_GE(f.at("helix_order"), 3.9);
  EXPECT_LE(f.at("bend45_tip_error"), 5e-3);
  EXPECT_LE(f.at("bend45_refinement"), 1e-6);
  for (const char* load : {"michell_ratio", "lateral_buckling_ratio", "greenhill_ratio", "michell_continuation",
                           "lateral_buckling_continuation", "greenhill_continuation"})
    EXPECT_NEAR(f.at(load), 1.0, 1e-3) << load;
  EXPECT_GE(f.at("bending_frequency_order"), 3.9);
  EXPECT_GE(f.at("torsion_frequency_order"), 3.9);
  EXPECT_LE(f.at("stretch"), 1e-12);
  EXPECT_LE(f.at("objectivity"), 1e-11);
  EXPECT_LE(f.at("spaghetti_energy"), 1e-11);
  EXPECT_LE(f.at("spaghetti_momentum"), 1e-11);
}

}  // namespace
}  // namespace taut::reproduce
