#include <filesystem>
#include <random>
#include <taut/model/model_builder.hpp>
#include <taut/yaml/read_model.hpp>
#include <taut/yaml/yaml_tree.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using testing::error_of;

/// All but those that include others: a builder reads no files.
std::vector<std::filesystem::path> all_cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TAUT_CASES))
    if (entry.path().extension() == ".yaml" && read_text(entry.path().string()).find("\ninclude:") == std::string::npos)
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

State somewhere(const ModelFile& model, std::mt19937& dice) {
  std::uniform_real_distribution<double> by(-0.3, 0.3);
  State at = model.start.state;
  at.t += 0.1;
  for (double& x : at.q) x += by(dice);
  for (double& x : at.v) x += by(dice);
  at.lambda = Vector::Zero(model.system.constraint_count());
  for (double& x : at.lambda) x = by(dice);
  return at;
}

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Two models that cannot be told apart, bit for bit.
void expect_same(ModelFile& a, ModelFile& b) {
  ASSERT_EQ(a.system.size(), b.system.size());
  ASSERT_EQ(a.system.constraint_count(), b.system.constraint_count());
  for (int i = 0; i < a.system.size(); ++i) ASSERT_EQ(a.system.coordinate_name(i), b.system.coordinate_name(i));
  for (int i = 0; i < a.system.constraint_count(); ++i) ASSERT_EQ(a.system.constraint_name(i), b.system.constraint_name(i));
  EXPECT_EQ(a.system.sets(), b.system.sets());
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.supports, b.supports);
  EXPECT_EQ(a.scene, b.scene);
  EXPECT_EQ(a.start.state.t, b.start.state.t);
  EXPECT_TRUE(same(a.start.state.q, b.start.state.q));
  EXPECT_TRUE(same(a.start.state.v, b.start.state.v));
  std::mt19937 dice(7);
  for (int k = 0; k < 3; ++k) {
    const State at = somewhere(a, dice);
    EXPECT_TRUE(same(a.system.momentum(instant(at)), b.system.momentum(instant(at))));
    EXPECT_TRUE(same(a.system.force(instant(at)), b.system.force(instant(at))));
    EXPECT_TRUE(same(a.system.constraint_values(at.t, at.q), b.system.constraint_values(at.t, at.q)));
    EXPECT_TRUE(same(a.system.constraint_rates(instant(at)), b.system.constraint_rates(instant(at))));
    ASSERT_EQ(a.outputs.size(), b.outputs.size());
    for (std::size_t o = 0; o < a.outputs.size(); ++o) {
      EXPECT_EQ(a.outputs[o].name, b.outputs[o].name);
      EXPECT_TRUE(same(a.outputs[o].at(at), b.outputs[o].at(at))) << a.outputs[o].name;
    }
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t e = 0; e < a.events.size(); ++e) {
      EXPECT_EQ(a.events[e].name, b.events[e].name);
      EXPECT_TRUE(same(a.events[e].at, b.events[e].at));
      EXPECT_EQ(a.events[e].direction, b.events[e].direction);
      EXPECT_EQ(a.events[e].stop, b.events[e].stop);
      EXPECT_EQ(a.events[e].switches.size(), b.events[e].switches.size());
      EXPECT_EQ(a.events[e].assignments.size(), b.events[e].assignments.size());
      if (!a.events[e].timed()) {
        EXPECT_TRUE(same(a.events[e].when.at(at), b.events[e].when.at(at)));
      }
    }
  }
  const RunSection &p = a.run, &q = b.run;
  EXPECT_TRUE(same(p.until, q.until) && p.step == q.step && p.rtol == q.rtol && p.atol == q.atol);
  EXPECT_EQ(p.integrator, q.integrator);
  EXPECT_EQ(p.integrator_options, q.integrator_options);
  EXPECT_EQ(p.solver, q.solver);
  EXPECT_EQ(p.solver_options, q.solver_options);
  EXPECT_TRUE(p.formulation.penalty == q.formulation.penalty && p.formulation.rows == q.formulation.rows);
  EXPECT_TRUE(p.control == q.control && p.breaks == q.breaks && p.every == q.every && p.interval == q.interval &&
              p.tolerances.size() == q.tolerances.size());
}

class EveryCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(EveryCase, IsTheSameFromItsFileThroughTheBuilderAndWrittenBack) {
  const std::string text = read_text(GetParam().string());
  const Tree tree = parse_yaml(text, "case.yaml");
  ModelFile from_file = parse_model(text, "case.yaml", {}, false);
  ModelBuilder builder;
  for (std::size_t k = 0; k < tree.items.size(); ++k) builder.add(tree.keys[k], tree.items[k]);
  EXPECT_EQ(builder.tree(), tree);
  ModelFile built = builder.build({}, false);
  expect_same(from_file, built);
  const std::string written = to_yaml(builder.tree());
  EXPECT_EQ(parse_yaml(written, "written.yaml"), tree);
  ModelFile again = parse_model(written, "written.yaml", {}, false);
  expect_same(from_file, again);
}

INSTANTIATE_TEST_SUITE_P(ModelBuilder, EveryCase, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.stem().string(); });

TEST(ModelBuilder, SaysAModelWithoutAFile) {
  ModelBuilder pendulum("Pendulum");
  pendulum.parameter("l", "2 m").gravity(9.81);
  pendulum.point("O", {0, 0});
  pendulum.mass("A", Tree::table({{"mass", 1.5}, {"at", {"l", 0}}}));
  pendulum.rod({"O", "A"});
  pendulum.output("height", "A.y");
  pendulum.run("until", 1).run("step", 0.01);
  ModelFile model = pendulum.build();
  ModelFile read = parse_model(
      "name: Pendulum\nparameters: {l: 2 m}\ngravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1.5, at: [l, 0]}}\n"
      "rods: [[O, A]]\noutputs: {height: A.y}\nrun: {until: 1, step: 0.01}\n",
      "m.yaml");
  expect_same(model, read);
  ModelFile longer = model.with({{"l", 3.0}});
  EXPECT_EQ(longer.parameters.at("l"), 3.0);
}

TEST(ModelBuilder, NamesTheEntryOfAMistake) {
  ModelBuilder one;
  one.coordinate("x").kinetic("x'^2").run("step", -1);
  EXPECT_EQ(error_of([&] { one.build(); }), "model: run.step: must be positive, got -1");
  ModelBuilder two;
  two.add("rod", std::vector<Tree>{});
  EXPECT_EQ(error_of([&] { two.build(); }), "model: there is no 'rod' here; did you mean 'rods'?");
  ModelBuilder three;
  three.mass("A", Tree::table({{"mass", 1}})).mass("A", Tree::table({{"mass", 1}}));
  EXPECT_EQ(error_of([&] { three.build(); }), "model: masses.A: is given twice");
}

}  // namespace
}  // namespace taut
