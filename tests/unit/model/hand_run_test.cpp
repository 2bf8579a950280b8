#include <gtest/gtest.h>

#include <taut/model/hand_run.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using testing::error_of;

ModelFile cart(const std::string& run, const std::string& more = "") {
  return parse_model("inputs: {u: 0}\ncoordinates: [x]\nkinetic: x'^2/2\nforces: {x: u}\noutputs: {twice: 2*x}\n" + more +
                         "\nrun: {" + run + "}\n",
                     "cart.yaml");
}

TEST(HandRun, BringsACartToRestByInputsThatJumpWithEveryKindOfScheme) {
  for (const std::string scheme : {"midpoint", "rattle", "gcn", "houbolt", "newmark", "energy-momentum", "spark2", "rk4"}) {
    SCOPED_TRACE(scheme);
    HandRun run(cart("step: 0.001, integrator: " + scheme));
    run.set_input("u", 1.0);
    run.advance(1.0);
    EXPECT_NEAR(run.state().q[0], 0.5, 2e-6);
    run.set_input("u", -1.0);
    run.advance(0.25);
    run.advance(0.75);
    EXPECT_EQ(run.t(), 2.0);
    EXPECT_NEAR(run.state().q[0], 1.0, 5e-6);
    EXPECT_NEAR(run.state().v[0], 0.0, 5e-6);
    EXPECT_NEAR(run.output(0), 2.0, 1e-5);
    EXPECT_EQ(run.outcome().certificate.verdict, Verdict::reached);
  }
}

TEST(HandRun, InPiecesTakesTheStepsOfARunInOnePiece) {
  const std::string text =
      "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}, B: {mass: 1, at: [2, 0]}}\nrods: [[O, A], [A, "
      "B]]\n";
  for (const std::string how : {"step: 0.01, integrator: midpoint", "step: 0.01, integrator: houbolt",
                                "step: 0.01, integrator: generalized-alpha"}) {
    SCOPED_TRACE(how);
    const ModelFile whole = parse_model(text + "run: {until: 1, " + how + "}\n", "whole.yaml");
    const RunOutcome one = run_model(whole, plan(whole));
    MemoryRecorder recorder;
    HandRun pieces(parse_model(text + "run: {" + how + "}\n", "pieces.yaml"), &recorder);
    for (int k = 0; k < 10; ++k) pieces.advance(0.1);
    EXPECT_LT((pieces.state().q - one.last.q).lpNorm<Eigen::Infinity>(), 1e-10);
    EXPECT_EQ(recorder.recording().t.size(), 101u);
  }
}

TEST(HandRun, MeetsJumpsInTimeBetweenItsStopsHoweverFarAhead) {
  HandRun run(cart("rtol: 1e-11", "let: {push: step(t - 7.123) - step(t - 8.123)}\npotential: -push*x"));
  for (int k = 0; k < 100; ++k) run.advance(0.1);
  EXPECT_NEAR(run.state().v[0], 1.0, 1e-9);
  EXPECT_NEAR(run.state().q[0], 0.5 + (10.0 - 8.123), 1e-9);
}

TEST(HandRun, EndsWhereAnEventEndsItAndSaysSo) {
  HandRun run(cart("rtol: 1e-9", "events: [{name: wall, when: x - 0.5, then: stop}]"));
  run.set_input("u", 1.0);
  run.advance(5.0);
  EXPECT_FALSE(run.going());
  EXPECT_NEAR(run.t(), 1.0, 1e-8);
  EXPECT_NE(error_of([&] { run.advance(1.0); }).find("has ended"), std::string::npos);
}

TEST(HandRun, RefusesInputsThatAreNotThereOrMakeNoSense) {
  HandRun run(cart("step: 0.01"));
  EXPECT_EQ(error_of([&] { run.set_input("w", 1.0); }), "the model has no input 'w'; there are: u.");
  EXPECT_NE(error_of([&] { run.set_input("u", std::numeric_limits<double>::infinity()); }).find("must be finite"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run.advance(-1.0); }).find("must be positive"), std::string::npos);
}

TEST(Inputs, KeepTheirValueOverVariantsThatEventsMake) {
  // An event changes a parameter, which reads the model again; the input stays what it was made.
  HandRun run(
      parse_model("parameters: {m: 1}\ninputs: {u: 0}\ncoordinates: [x]\nkinetic: x'^2/2\nforces: {x: m*u}\n"
                  "events: [{at: 1, then: {m: 3}}]\nrun: {rtol: 1e-10}\n",
                  "cart.yaml"));
  run.set_input("u", 2.0);
  run.advance(2.0);
  EXPECT_NEAR(run.state().v[0], 2.0 + 6.0, 1e-9);
}

TEST(Times, AreWhereStatesAreRecordedAndNowhereElse) {
  for (const std::string how : {"rtol: 1e-10", "step: 0.03, integrator: spark2"}) {
    SCOPED_TRACE(how);
    const ModelFile model =
        parse_model("coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\ninitial: {x: 1}\nrun: {until: 2, " + how +
                        ", times: [0.5, 1, 1.7]}\n",
                    "swing.yaml");
    MemoryRecorder recorder;
    RunModelOptions options;
    options.recorder = &recorder;
    run_model(model, plan(model), options);
    const Recording& found = recorder.recording();
    ASSERT_EQ(found.t, (std::vector<double>{0.5, 1.0, 1.7}));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.q[k], std::cos(found.t[k]), 1e-7);
  }
  const auto with = [](const std::string& times) {
    return [times] {
      const ModelFile model =
          parse_model("masses: {A: {mass: 1}}\nrun: {until: 2, rtol: 1e-8, times: " + times + "}\n", "free.yaml");
      plan(model);
    };
  };
  EXPECT_NE(error_of(with("[1, 0.5]")).find("must be in order"), std::string::npos);
  EXPECT_NE(error_of(with("[3]")).find("not between"), std::string::npos);
}

}  // namespace
}  // namespace taut
