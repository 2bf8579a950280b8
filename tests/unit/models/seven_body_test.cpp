#include <taut/yaml/read_model.hpp>

#include "laws.hpp"

namespace taut {
namespace {

State somewhere(const System& system) {
  return state_at(system, 0.1, Vector{{0.3, -0.7, 0.5, 0.4, 0.6, -0.3, 1.1}},
                  Vector{{3.0, -2.0, 1.5, 0.7, -4.0, 2.5, -1.0}});
}

TEST(SevenBody, ObeysTheLawsOfTerms) {
  const System system = seven_body().system;
  testing::expect_dynamics_laws(system, somewhere(system), 1e-6);
  testing::expect_constraint_laws(system, somewhere(system));
}

TEST(SevenBody, IsTheModelOfTheCaseFileTermByTerm) {
  const Model model = seven_body();
  const ModelFile file = read_model(TAUT_CASES "/andrews.yaml");
  const State there = somewhere(model.system);
  const auto same = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    ASSERT_EQ(a.rows(), b.rows());
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-13 * b.cwiseAbs().maxCoeff());
  };
  same(model.system.mass(instant(there)), file.system.mass(instant(there)));
  same(model.system.force(instant(there)), file.system.force(instant(there)));
  same(model.system.constraint_values(0.0, there.q), file.system.constraint_values(0.0, there.q));
  same(model.system.constraint_gradient(0.0, there.q), file.system.constraint_gradient(0.0, there.q));
  same(model.start.q, file.start.state.q);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(model.system.coordinate_name(i), file.system.coordinate_name(i));
}

TEST(SevenBody, ReachesThePositionsComputedInExtendedPrecision) {
  const Model model = seven_body();
  const auto path =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 0.03, .rtol = 1e-12});
  ASSERT_TRUE(path.finished()) << path.message;
  const Vector q{{15.8107711951537, -15.7563710584118, 0.0408222401196457, -0.534730116342080, 0.524409965879954,
                  0.534730116342080, 1.04808074104194}};
  EXPECT_LE((path.last.q - q).lpNorm<Eigen::Infinity>(), 1e-11);
}

}  // namespace
}  // namespace taut
