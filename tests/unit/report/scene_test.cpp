#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <taut/model/contour.hpp>
#include <taut/model/plan.hpp>
#include <taut/model/run_model.hpp>
#include <taut/results/scene_text.hpp>
#include <taut/yaml/read_model.hpp>

using namespace taut;

namespace {

const char* const mechanism = R"yaml(
gravity: 9.81
masses:
  A: {mass: 2, at: [0, -1]}
  B: {mass: 1, at: [1, -1]}
points:
  O: [0, 0]
  D: ["1 + 0.1*sin(t)", 0]
rods: [[O, A]]
springs: [{name: soft, between: [A, B], stiffness: 3}]
dampers: [{between: [D, B], damping: 0.2}]
walls: [{mass: B, normal: [0, 2], offset: -3}]
curves: [{mass: B, on: "x^2 + (y + 1)^2 = 1"}]
run: {until: 0.1, step: 0.01, integrator: moreau-jean}
)yaml";

int drawn_as(const Scene& scene, const std::string& name) {
  for (std::size_t k = 0; k < scene.places.size(); ++k)
    if (scene.places[k].name == name) return int(k);
  return -1;
}

Recording recorded(const std::string& text, const std::string& integrator = {}) {
  ModelOverrides changes;
  if (!integrator.empty()) changes.run["integrator"] = integrator;
  ModelFile model = parse_model(text, "model", changes);
  MemoryRecorder recorder;
  RunModelOptions options;
  options.recorder = &recorder;
  run_model(model, plan(model), options);
  return recorder.take();
}

}  // namespace

TEST(Scene, ShowsWhatAModelIsMadeOf) {
  const Scene scene = parse_model(mechanism, "model").scene;
  EXPECT_EQ(scene.dim, 2);
  ASSERT_EQ(scene.links.size(), 3u);
  EXPECT_EQ(scene.links[0].kind, Scene::Link::Kind::rod);
  EXPECT_EQ(scene.links[0].a, drawn_as(scene, "O"));
  EXPECT_EQ(scene.links[0].b, drawn_as(scene, "A"));
  EXPECT_DOUBLE_EQ(scene.links[0].length, 1.0);
  EXPECT_EQ(scene.links[1].kind, Scene::Link::Kind::spring);
  EXPECT_EQ(scene.links[1].name, "soft");
  EXPECT_EQ(scene.links[2].kind, Scene::Link::Kind::damper);
  ASSERT_EQ(scene.planes.size(), 1u);
  EXPECT_DOUBLE_EQ(scene.planes[0].normal[1], 1.0);
  EXPECT_DOUBLE_EQ(scene.planes[0].offset, -3.0);
  // The driven point is a track, the fixed one is not.
  EXPECT_EQ(scene.tracks, 1);
  EXPECT_EQ(scene.places[std::size_t(drawn_as(scene, "D"))].track, 0);
  EXPECT_EQ(scene.places[std::size_t(drawn_as(scene, "O"))].track, -1);
}

TEST(Scene, DrawsTheCurveAMassIsHeldOn) {
  const std::vector<Scene::Curve> curves = parse_model(mechanism, "model").contours();
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_GT(curves[0].fixed.size(), 50u);
  for (const auto& [x, y, z] : curves[0].fixed) EXPECT_NEAR(std::hypot(x, y + 1.0), 1.0, 2e-3);
}

TEST(Scene, RecordsTracksWhereDrivenPointsAre) {
  const Recording run = recorded(mechanism);
  ASSERT_EQ(run.tracks.size(), 2 * run.t.size());
  for (std::size_t s = 0; s < run.t.size(); ++s) EXPECT_NEAR(run.tracks[2 * s], 1.0 + 0.1 * std::sin(run.t[s]), 1e-14);
  for (std::size_t s = 1; s < run.t.size(); ++s) EXPECT_NEAR(run.step[s], 0.01, 1e-12);
}

TEST(Scene, PlacesMassesByAnglesAsTracks) {
  const Recording run = recorded(
      "coordinates: [a]\ngravity: 10\nmasses: {P: {mass: 1, at: [\"sin(a)\", \"-cos(a)\"]}}\ninitial: {a: 0.5}\n"
      "run: {until: 0.2, step: 0.01, integrator: midpoint}\n");
  ASSERT_EQ(run.header.scene.places.size(), 1u);
  for (std::size_t s = 0; s < run.t.size(); ++s) {
    const auto at = run.header.scene.at(run.header.scene.places[0], &run.q[s], &run.tracks[2 * s]);
    EXPECT_NEAR(at[0], std::sin(run.q[s]), 1e-14);
    EXPECT_NEAR(at[1], -std::cos(run.q[s]), 1e-14);
  }
}

TEST(Scene, ReactionsOfAHangingMassCarryItFromTheFirstRecordOn) {
  const double weight = 2.0 * 9.81;
  for (const char* integrator :
       {"midpoint", "rattle", "energy-momentum", "newmark", "generalized-alpha", "spark2", "rk4", "houbolt"}) {
    const Recording run = recorded(
        "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 2, at: [0, -0.5]}}\nrods: [[O, A]]\nrun: {until: 0.05, "
        "step: "
        "0.01, integrator: " +
        std::string(integrator) + "}\n");
    const Scene& scene = run.header.scene;
    ASSERT_EQ(scene.reactions.size(), 1u);
    const Scene::Reaction& one = scene.reactions[0];
    for (std::size_t s = 0; s < run.t.size(); ++s) {
      const double* q = run.q.data() + 2 * s;
      const auto at = scene.at(scene.places[std::size_t(one.place)], q, nullptr),
                 other = scene.at(scene.places[std::size_t(one.other)], q, nullptr);
      const double force = -run.lambda[s * run.header.constraints.size() + std::size_t(one.row)] * (at[1] - other[1]);
      EXPECT_NEAR(force, weight, 1e-6 * weight) << integrator << ", record " << s;
    }
  }
}

TEST(Scene, ReactionsAreTrueFromTheFirstRecordOnAlsoBeforeAWallThatNothingTouches) {
  const Recording run = recorded(
      "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 2, at: [0, -0.5]}}\nrods: [[O, A]]\n"
      "walls: [{mass: A, normal: [0, 1], offset: -3}]\nrun: {until: 0.05, step: 0.01, integrator: moreau-jean}\n");
  const Scene::Reaction& rod = run.header.scene.reactions[0];
  for (std::size_t s = 0; s < run.t.size(); ++s)
    EXPECT_NEAR(run.lambda[s * run.header.constraints.size() + std::size_t(rod.row)] * 0.5, 2.0 * 9.81, 1e-6);
}

TEST(Scene, KeepsReactionsOfSupportsWhereTheRestIsSprings) {
  const Recording run = recorded(
      "gravity: 9.81\nmasses: {A: {mass: 1, at: [1, 0]}}\npoints: {O: [0, 0]}\nrods: [[O, A]]\n"
      "beams: {pipe: {length: 2, elements: 4, density: 3, start: {clamped: [0, 0], direction: [1, 0]}}}\n"
      "run: {until: 0.02, step: 0.001, integrator: newmark, formulation: {penalty: 1e-5}}\n");
  for (const Scene::Reaction& one : run.header.scene.reactions) {
    EXPECT_EQ(run.header.constraints.at(std::size_t(one.row)).substr(0, one.name.size()), one.name);
    EXPECT_NE(one.name, "rod O-A");
  }
  EXPECT_EQ(run.header.scene.reactions.size(), 2u);
}

TEST(Scene, DrawsBeamsWithFewElementsThroughPlacesBetween) {
  const Scene scene = parse_model(
                          "beams: {pipe: {length: 2, elements: 4, start: {pinned: [0, 0]}}}\nrun: {until: 0.05, step: 0.01, "
                          "integrator: newmark}\n",
                          "model")
                          .scene;
  ASSERT_EQ(scene.curves.size(), 1u);
  EXPECT_EQ(scene.curves[0].places.size(), 49u);
  EXPECT_EQ(scene.reactions.size(), 2u);  // of the pin
}

TEST(Scene, CarriesTheFirstDirectorAndTheRadiusOfARod) {
  const ModelFile model = parse_model(
      "dimension: 3\nbeams: {rod: {length: 2, elements: 4, density: 1, EI: 2, GJ: 1, EA: 200, "
      "start: {clamped: [0, 0, 0], direction: [1, 0, 0], roll: [0, 1, 0]}}}\n"
      "run: {until: 0.02, step: 0.01, integrator: energy-momentum}\n",
      "model");
  ASSERT_EQ(model.scene.curves.size(), 1u);
  const Scene::Curve& rod = model.scene.curves[0];
  ASSERT_EQ(rod.stripe.size(), rod.places.size());
  EXPECT_NEAR(rod.radius, 0.2, 1e-12);  // EI/EA = r²/4
  const double* q = model.start.state.q.data();
  for (const Scene::Vector3& director : rod.stripe) {
    EXPECT_NEAR(director[0].at(q), 0.0, 1e-12);
    EXPECT_NEAR(director[1].at(q), 1.0, 1e-12);
    EXPECT_NEAR(director[2].at(q), 0.0, 1e-12);
  }
  const auto n = std::size_t(model.system.size());
  EXPECT_EQ(scene_from(scene_text(model.scene), n, 1000), model.scene);
  const std::string text = scene_text(model.scene);  // a stripe that is shorter than its rod
  const std::size_t places = text.find("\"places\":[0,", text.find("\"curves\""));
  ASSERT_NE(places, std::string::npos);
  EXPECT_THROW(scene_from(std::string(text).insert(places + 10, "0,"), n, 1000), InputError);
}

TEST(SceneText, ReadsBackWhatItWrote) {
  Scene scene = parse_model(mechanism, "model").scene;
  Scene::Solid body{.name = "box \"1\" <b>"};
  body.origin[0].weights = {{0, 1.0}};
  body.origin[1] = {.offset = 0.5, .weights = {{1, 2.0}, {2, -1.0}}};
  body.axes[0][0].weights = {{3, 1.0}};
  body.axes[2][2].offset = 1.0;
  for (const auto kind : {Scene::Solid::Shape::Kind::box, Scene::Solid::Shape::Kind::capsule})
    body.shapes.push_back({.kind = kind, .size = {1.0, 0.25, 1e-3}, .at = {0.1, 0.2, 0.3}});
  scene.solids.push_back(body);
  EXPECT_EQ(scene_from(scene_text(scene), 4, 10), scene);
  EXPECT_THROW(scene_from(scene_text(scene), 3, 10), InputError);  // a coordinate that is not there
  EXPECT_THROW(scene_from("{}", 4, 10), InputError);
}

TEST(Contour, FollowsACircleAndSaysWhereItLeaves) {
  const auto circle = [](const std::vector<double>& x, double y, double* out) {
    for (const double one : x) *out++ = one * one + y * y - 1.0;
  };
  const Contour whole = contour(circle, {0.0, 0.0}, 1.5, 100), part = contour(circle, {0.0, 0.0}, 0.9, 100);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_FALSE(contour_leaves(circle, {0.0, 0.0}, 1.5, 100));
  EXPECT_EQ(whole[0].front(), whole[0].back());
  double length = 0.0;
  for (std::size_t k = 1; k < whole[0].size(); ++k)
    length += std::hypot(whole[0][k][0] - whole[0][k - 1][0], whole[0][k][1] - whole[0][k - 1][1]);
  EXPECT_NEAR(length, 2.0 * std::numbers::pi, 1e-2);
  EXPECT_TRUE(contour_leaves(circle, {0.0, 0.0}, 0.9, 100));
  EXPECT_EQ(part.size(), 4u);
}
