#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <taut/study/lane_sweep.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using taut::testing::error_of;

/// Compiled code goes to a folder of its own, so that the compiler is asked each time.
class Lanes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("taut_lanes_" + std::to_string(getpid()));
    setenv("TAUT_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TAUT_CACHE");
    std::filesystem::remove_all(folder_);
  }

  /// Runs of a model that differ in one name, by either engine.
  struct Both {
    ModelReader reader;
    ModelFile base;
    SweepPlan plan;
    SweepKeep keep;

    Both(const ModelReader& from, const std::string& name, const std::string& values, const std::vector<std::string>& kept)
        : reader(from), base(reader.read()), plan(section(name, values), base), keep(sweep_keep(kept, base)) {}
    static SweepSection section(const std::string& name, const std::string& values) {
      SweepSection out;
      out.vary = {{name, values}};
      return out;
    }
    std::vector<SweepRow> rows(bool lanes, int workers = 1, std::vector<long> runs = {}) const {
      std::vector<SweepRow> out;
      if (runs.empty())
        for (long run = 0; run < plan.runs(); ++run) runs.push_back(run);
      const SweepOptions options{.workers = workers, .runs = runs, .take = [&](const SweepRow& row) { out.push_back(row); }};
      if (lanes) {
        LaneSweep(reader, plan, keep, base, taut::plan(base)).run(options);
      } else {
        sweep(reader, plan, keep, options);
      }
      std::sort(out.begin(), out.end(), [](const SweepRow& a, const SweepRow& b) { return a.run < b.run; });
      return out;
    }
  };

  static Both of_case(const std::string& name, const std::string& vary, const std::string& values, const char* integrator,
                      const char* step, const char* until) {
    const ModelOverrides changes{.run = {{"integrator", integrator}, {"step", step}, {"until", until}}};
    return {model_reader(std::string(TAUT_CASES) + "/" + name + ".yaml", changes), vary, values, {"final", "certificate"}};
  }

  static ModelBuilder pendulum() {
    ModelBuilder out("Pendulum");
    out.parameter("l", 1.0).gravity(9.81).point("O", {0, 0});
    out.mass("A", Tree::table({{"mass", 1}, {"at", {1, 0}}}));
    out.mass("B", Tree::table({{"mass", 2}, {"at", {"1 + l", 0}}}));
    out.rod({"O", "A"}).rod({"A", "B"});
    out.output("height", "B.y + l/2");
    out.run("until", 1).run("rtol", "1e-8");
    return out;
  }

 private:
  std::filesystem::path folder_;
};

/// Ten steps by each engine: points, expressions, a moving support, bodies with joints whose angles have no inertia, constraints on velocities; explicit and
/// implicit schemes.
TEST_F(Lanes, AgreeWithTheGeneralEngineStepByStep) {
  struct Case {
    const char *name, *vary, *values, *scheme, *step, *until;
  };
  for (const Case& one :
       {Case{"spherical_pendulum", "l", "2, 2.1", "rk4", "1e-3", "1e-2"},
        Case{"pendulum_driven", "l", "1, 1.1", "rk4", "1e-3", "1e-2"},
        Case{"foucault", "g", "9.81, 9.7", "rk4", "1e-3", "1e-2"}, Case{"furuta", "r", "0.2, 0.21", "rk4", "1e-4", "1e-3"},
        Case{"andrews", "m1", "0.04325, 0.05", "rk4", "1e-6", "1e-5"},
        Case{"slider_crank", "crank", "0.1, 0.11", "rk4", "1e-4", "1e-3"},
        Case{"skate", "spin", "2, 3", "dop853", "1e-2", "1e-1"},
        Case{"ball_on_turntable", "W", "2, 3", "dop853", "1e-2", "1e-1"},
        Case{"double_pendulum_ensemble", "l2", "1, 1.1", "midpoint", "1e-3", "1e-2"},
        Case{"pendulum_driven", "l", "1, 1.1", "rattle", "1e-3", "1e-2"},
        Case{"andrews", "m1", "0.04325, 0.05", "midpoint", "1e-6", "1e-5"},
        Case{"lagrange_top", "turns", "150, 160", "rattle", "1e-4", "1e-3"},
        Case{"slider_crank", "crank", "0.1, 0.11", "midpoint", "1e-4", "1e-3"}}) {
    const Both both = of_case(one.name, one.vary, one.values, one.scheme, one.step, one.until);
    const std::vector<SweepRow> lanes = both.rows(true), general = both.rows(false);
    const auto states = std::size_t(2 * both.base.system.size());
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      EXPECT_EQ(lanes[k].verdict, Verdict::reached) << one.name << ": " << lanes[k].reason;
      double size = 1.0;
      for (std::size_t i = 1; i <= states; ++i) size = std::max(size, std::abs(general[k].numbers[i]));
      for (std::size_t i = 1; i <= states; ++i)
        EXPECT_NEAR(lanes[k].numbers[i], general[k].numbers[i], 10.0 * 1e-12 * size)
            << one.name << " by " << one.scheme << ", number " << i;
    }
  }
}

TEST_F(Lanes, KeepEnergyAndConstraintsAsTheirCertificateSays) {
  const Both both(pendulum().reader(), "l", "0.5:2:20", {"outputs", "extremes", "final", "certificate"});
  const std::vector<SweepRow> lanes = both.rows(true), general = both.rows(false);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const std::vector<double>&a = lanes[k].numbers, &b = general[k].numbers;
    ASSERT_EQ(a.size(), b.size());
    // Heights at the end, their extremes (seen at the ends of steps, of which each engine has its own), states, the energy at the start.
    EXPECT_NEAR(a[1], b[1], 1e-6);
    EXPECT_NEAR(a[2], b[2], 1e-2);
    for (std::size_t i = 6; i < 14; ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
    EXPECT_NEAR(a[14], b[14], 1e-12);
    EXPECT_LT(a[16], 1e-7) << "energy";
    EXPECT_LT(a[18], 1e-14) << "gap";
    EXPECT_EQ(a.back(), 0.0) << "graded good";
    // The energy once more, from the state at the end: ½·1·|v_A|² + ½·2·|v_B|² + 9.81 (y_A + 2 y_B).
    const double energy = 0.5 * (a[10] * a[10] + a[11] * a[11]) + a[12] * a[12] + a[13] * a[13] + 9.81 * (a[7] + 2.0 * a[9]);
    EXPECT_NEAR(energy, a[14], 1e-5);
  }
}

/// A free fall ends on the ground at t = √(2h/g), exactly, or at the event that comes first; a pendulum where the other engine ends, and not where it passes the other way.
TEST_F(Lanes, StopAtEvents) {
  ModelBuilder fall("Fall");
  fall.parameter("h", 1.0).gravity(9.81).mass("A", Tree::table({{"mass", 1}, {"at", {0, "h"}}}));
  fall.event(Tree::table({{"name", "ground"}, {"when", "A.y"}, {"then", "stop"}}));
  fall.event(Tree::table({{"name", "late"}, {"when", "t + h - 11"}, {"then", "stop"}}));
  fall.run("until", 2).run("integrator", "dopri5").run("rtol", "1e-9");
  for (const SweepRow& row : Both(fall.reader(), "h", "0.5, 1, 3, 10, 100", {"certificate"}).rows(true)) {
    const double h = row.numbers[0], end = row.numbers[10];
    EXPECT_EQ(row.verdict, h < 50.0 ? Verdict::stopped : Verdict::reached);
    EXPECT_NEAR(end, h < 5.0 ? std::sqrt(2.0 * h / 9.81) : h < 50.0 ? 1.0 : 2.0, 1e-12);
    EXPECT_EQ(row.reason.find("'late'") != std::string::npos, h == 10.0) << row.reason;
  }
  const ModelBuilder swing = pendulum()
                                 .event(Tree::table({{"when", "A.x"}, {"direction", "rising"}, {"then", "stop"}}))
                                 .set("run", "until", 3)
                                 .set("run", "rtol", "1e-11");
  const Both both(swing.reader(), "l", "0.5:2:10", {"certificate"});
  const std::vector<SweepRow> lanes = both.rows(true), general = both.rows(false);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    EXPECT_EQ(lanes[k].verdict, Verdict::stopped);
    EXPECT_EQ(general[k].verdict, Verdict::stopped);
    EXPECT_NEAR(lanes[k].numbers[10], general[k].numbers[10], 1e-7);
  }
}

/// A function that is beyond zero for a part of a step only, with steps by tolerance and equal ones.
TEST_F(Lanes, StopAtEventsWithinTheirSteps) {
  for (const bool equal : {false, true}) {
    ModelBuilder turn("Turn");
    turn.parameter("c", 0.9).coordinate("x").kinetic("x'^2/2").potential("x^2/2").initial("x'", 1);
    turn.event(Tree::table({{"when", "x > c"}, {"then", "stop"}}));
    turn.run("until", 5).run("integrator", equal ? "rk4" : "dop853").run(equal ? "step" : "rtol", equal ? "0.05" : "1e-8");
    for (const SweepRow& row : Both(turn.reader(), "c", "0.5, 0.9, 0.99, 0.999, 0.9999, 1.01", {"certificate"}).rows(true)) {
      const double c = row.numbers[0];
      EXPECT_EQ(row.verdict, c < 1.0 ? Verdict::stopped : Verdict::reached) << c << (equal ? ", equal" : "");
      EXPECT_NEAR(row.numbers[10], c < 1.0 ? std::asin(c) : 5.0, 1e-5) << c;
    }
  }
}

TEST_F(Lanes, BeginAtZeroAndLeavePulsesToOthers) {
  ModelBuilder thrown("Thrown");
  thrown.parameter("u", 1.0).gravity(9.81).mass("A", Tree::table({{"mass", 1}, {"velocity", {"u", 0}}}));
  thrown.output("x", "A.x").run("until", 2).run("rtol", "1e-8");
  for (const SweepRow& row : Both(thrown.reader(), "u", "0.5, 1, 2", {"x", "certificate"}).rows(true)) {
    EXPECT_EQ(row.verdict, Verdict::reached) << row.reason;
    EXPECT_NEAR(row.numbers[1], 2.0 * row.numbers[0], 1e-9);
  }
  const ModelFile pushed = thrown.force("A.x", "exp(-((t - 1)/1e-4)^2)").build();
  EXPECT_NE(lane_objection(pushed, plan(pushed), {}).find("short time"), std::string::npos);
}

TEST_F(Lanes, DoNotFeelThreadsOrNeighbours) {
  const Both both(pendulum().reader(), "l", "0.5:2:150", {"final", "certificate"});
  const std::vector<SweepRow> all = both.rows(true);
  const auto same = [](const SweepRow& a, const SweepRow& b) {
    return a.run == b.run && std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                                        [](double x, double y) { return std::bit_cast<long>(x) == std::bit_cast<long>(y); });
  };
  for (const int workers : {2, 4}) EXPECT_TRUE(std::ranges::equal(both.rows(true, workers), all, same)) << workers;
  for (const SweepRow& one : both.rows(true, 1, {3, 77, 78, 149})) EXPECT_TRUE(same(one, all[std::size_t(one.run)]));
}

/// The code for a GPU, compiled for the processor with one run at a time: the same motion as by vectors.
TEST_F(Lanes, AreTheSameCodeOnAGpu) {
  const ModelFile model = pendulum().build();
  const std::vector<int> groups(4, 0);
  LaneForms forms;
  const LaneRecord record = record_lanes(model.system, {&model.outputs[0]}, &forms);
  for (const LaneStepping& stepping :
       {LaneStepping{LaneScheme::stages, kutta4()}, LaneStepping{LaneScheme::stages, dormand_prince5(), true},
        LaneStepping{LaneScheme::midpoint}}) {
    LaneLayout at;
    const bool equal = !stepping.adaptive;
    const std::string words = R"code(#include <math.h>
#define __device__
#define __global__
#define __forceinline__ inline
static struct { long x; } blockIdx, blockDim{1}, threadIdx;
)code";
    const std::string door = R"code(
extern "C" void taut_lanes(const double* in, double* out) { taut_runs(in, out, 1); }
extern "C" int taut_lane_count() { return 1; }
)code";
    const LaneKernel one(words + lane_code(forms, stepping, groups, LaneTarget::gpu, at) + door);
    const LaneKernel many(lane_code(forms, stepping, groups, LaneTarget::cpu, at));
    ASSERT_EQ(one.lanes(), 1);
    const auto width = std::size_t(many.lanes());
    std::vector<double> in{0.0, 1.0, equal ? 0.01 : 0.0, equal ? 100.0 : 0.0, equal ? 0.0 : 1e-9, 0.0};
    in.insert(in.end(), model.start.state.q.begin(), model.start.state.q.end());
    in.insert(in.end(), model.start.state.v.begin(), model.start.state.v.end());
    in.insert(in.end(), record.numbers.begin(), record.numbers.end());
    std::vector<double> wide, out(std::size_t(at.outputs())), outs(out.size() * width);
    for (const double x : in) wide.insert(wide.end(), width, x);
    one.run(in.data(), out.data());
    many.run(wide.data(), outs.data());
    EXPECT_EQ(out[LaneLayout::status], 0.0);
    EXPECT_EQ(out[LaneLayout::t], 1.0);
    for (std::size_t k = 0; k < out.size(); ++k)
      EXPECT_NEAR(out[k], outs[k * width], k == LaneLayout::deviation ? 1e-9 : 1e-8) << k;
  }
}

TEST_F(Lanes, SayWhatTheyCannotDo) {
  const auto objection = [](const ModelBuilder& builder, const std::vector<std::string>& kept = {}) {
    const ModelFile model = builder.build();
    return lane_objection(model, plan(model), sweep_keep(kept, model));
  };
  EXPECT_EQ(objection(pendulum()), "");
  EXPECT_NE(objection(pendulum(), {"times=0:1:3"}).find("at times"), std::string::npos);
  EXPECT_NE(objection(pendulum().run("integrator", "spark3")).find("rk4, dopri5, dop853, rattle and midpoint"),
            std::string::npos);
  EXPECT_NE(objection(pendulum().run("integrator", "midpoint")).find("equal steps"), std::string::npos);
  EXPECT_EQ(objection(pendulum().event(Tree::table({{"when", "A.x"}}))), "") << "recorded, and a sweep keeps nothing of it";
  EXPECT_NE(objection(pendulum().event(Tree::table({{"when", "A.x"}, {"then", Tree::table({{"A.x'", 0}})}}))).find("events"),
            std::string::npos);
  EXPECT_NE(objection(pendulum().rod(Tree::table({{"between", {"O", "B"}}, {"penalty", "1e-5"}}))).find("penalties"),
            std::string::npos);
  ModelBuilder large("Chain");
  large.point("O", {0, 0});
  for (int k = 1; k <= 40; ++k) {
    large.mass("P" + std::to_string(k), Tree::table({{"mass", 1}, {"at", {k, 0}}}));
    large.rod({k == 1 ? "O" : "P" + std::to_string(k - 1), "P" + std::to_string(k)});
  }
  large.run("until", 1).run("integrator", "dop853");
  EXPECT_NE(objection(large).find("80 coordinates, and lanes take up to 64"), std::string::npos);
  setenv("CXX", "no-such-compiler", 1);
  EXPECT_NE(error_of([&] { Both(pendulum().reader(), "l", "1, 2", {}).rows(true); }).find("no compiler"), std::string::npos);
  unsetenv("CXX");
}

}  // namespace
}  // namespace taut
