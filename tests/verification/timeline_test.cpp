#include <gtest/gtest.h>

#include <iostream>

#include "swing.hpp"

/// Laws of the time line: kinds of events × control of the step × integrators × directions of time.
namespace taut {
namespace {

using testing::Control;
using testing::Kind;

constexpr double end_of_run = 1.2;

/// One cell of the table, and how it is called.
struct Cell {
  const Kind& kind;
  const NamedIntegrator& scheme;
  Control control;
  std::string what;

  Trajectory run(SimulateOptions more = {}) const {
    SimulateOptions options = control_options(scheme.integrator.traits(), control, end_of_run);
    options.every = more.every;
    options.interval = more.interval;
    options.observers = more.observers;
    options.renew = more.renew;
    options.from = more.from;
    return simulate(swing_system(kind), swing_start(kind), scheme.integrator, Multipliers{}, swing_options(kind, options));
  }
};

/// Every cell that there is; returns their number.
template <class Law> int for_all(const Law& law) {
  int count = 0;
  for (const Kind& kind : testing::kinds())
    for (const NamedIntegrator& scheme : integrators())
      for (const Control control : testing::controls) {
        if (!takes(scheme, control)) continue;
        law(Cell{kind, scheme, control, kind.name + ", " + scheme.name + ", " + testing::control_names[int(control)]});
        ++count;
      }
  return count;
}

Trajectory exact_run(const Kind& kind, std::vector<Happened>& happened) {
  return simulate(swing_system(kind), swing_start(kind), RungeKutta{dormand_prince8()}, Multipliers{},
                  swing_options(kind, {.end = end_of_run, .rtol = 1e-13, .every = 0, .observers = {[&](const Progress& p) {
                                                                                       if (p.happened != nullptr)
                                                                                         happened.push_back(*p.happened);
                                                                                     }}}));
}

TEST(Timeline, EventsHappenInOrderAtTheirTimesWithEverySchemeAndControl) {
  double worst_time = 0.0, worst_end = 0.0;
  const Kind* known = nullptr;
  std::vector<Happened> expected;
  std::optional<Trajectory> exact;
  const int cells = for_all([&](const Cell& cell) {
    if (!testing::holds_at_ends(cell.scheme)) return;
    if (known != &cell.kind) {
      expected.clear();
      exact = exact_run(cell.kind, expected);
      known = &cell.kind;
    }
    std::vector<Happened> found;
    const Trajectory path = cell.run({.observers = {[&](const Progress& p) {
                                        if (p.happened != nullptr) found.push_back(*p.happened);
                                      }}});
    EXPECT_EQ(path.verdict, exact->verdict) << cell.what << ": " << path.message;
    ASSERT_EQ(found.size(), expected.size()) << cell.what;
    // Schemes of order one are off by some thousandths; those of higher order by what tolerances and steps ask for.
    const Traits traits = cell.scheme.integrator.traits();
    const double off = traits.order == 1 ? 3e-2 : (traits.order == 2 ? 2e-3 : 2e-7);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].event, expected[k].event) << cell.what;
      EXPECT_NEAR(found[k].t, expected[k].t, off) << cell.what;
      EXPECT_LE((found[k].after.q - expected[k].after.q).norm(), 10.0 * off) << cell.what;
      worst_time = std::max(worst_time, std::abs(found[k].t - expected[k].t) / off);
    }
    const double error = (path.last.q - exact->last.q).norm() / off;
    EXPECT_LE(error, 10.0) << cell.what;
    worst_end = std::max(worst_end, error);
  });
  std::cout << cells << " cells; worst time of an event " << worst_time << ", worst end " << worst_end
            << " of what is allowed\n";
  EXPECT_GE(cells, 200);
}

TEST(Timeline, WhatActsActsAtItsZeroAndOnTheConstraints) {
  double worst = 0.0;
  for_all([&](const Cell& cell) {
    if (!testing::holds_at_ends(cell.scheme)) return;
    const Trajectory path =
        cell.run({.observers = {[&](const Progress& p) {
                    if (p.happened == nullptr) return;
                    const Event& event = cell.kind.events[p.happened->event];
                    if (!event.timed()) {
                      const double value = event.when(p.happened->before);
                      // What is only recorded is as good as the motion between two states: of order two in velocities, for schemes of that order.
                      const double between = cell.scheme.integrator.traits().order <= 2 ? 0.004 * 0.004 : 1e-8;
                      EXPECT_LE(std::abs(value), p.happened->acted ? 1e-10 : between) << cell.what;
                      if (p.happened->acted) worst = std::max(worst, std::abs(value));
                    } else {
                      EXPECT_EQ(p.happened->t, event.at) << cell.what;
                    }
                    // Velocities of schemes that do not hold them are theirs, unless the event made the state anew.
                    const bool anew = p.happened->after.v != p.happened->before.v;
                    for (const Violation& one : violations(p.system, p.state, 1e-8))
                      EXPECT_TRUE(one.velocity && !anew) << cell.what << ": " << one.constraint << " by " << one.size;
                  }}});
    if (cell.kind.name != "stop") return;
    EXPECT_EQ(path.verdict, Verdict::stopped) << cell.what;
    EXPECT_LE(std::abs(path.last.q[0] - 0.5), 1e-10) << cell.what;
    EXPECT_EQ(path.t(path.size() - 1), path.last.t) << cell.what;
  });
  std::cout << "largest value of an event's function where it acted: " << worst << "\n";
}

TEST(Timeline, StepNumbersAndRecordsBelongToTheRun) {
  for_all([&](const Cell& cell) {
    long last = 0;
    double t = 0.0;
    const auto numbers = [&](const Progress& p) {
      EXPECT_TRUE(p.step == last || p.step == last + 1) << cell.what;
      EXPECT_GE(p.state.t, p.between ? 0.0 : t) << cell.what;
      last = p.step;
      if (!p.between) t = p.state.t;
    };
    const auto by_number = [&](const Progress& p) {
      numbers(p);
      // The step to an event, or to a time that must be met, is recorded besides.
      const bool plain = p.step > 0 && p.happened == nullptr && p.state.t != end_of_run;
      if (plain && p.step % 7 == 0) {
        EXPECT_TRUE(p.recorded || p.between) << cell.what << " step " << p.step;
      }
    };
    cell.run({.every = 7, .observers = {by_number}});
    if (cell.control == Control::equal) return;
    last = 0;
    t = 0.0;
    std::vector<double> marks;
    const Trajectory path = cell.run({.interval = 0.05, .observers = {[&](const Progress& p) {
                                                          numbers(p);
                                                          if (p.between && p.happened == nullptr) marks.push_back(p.state.t);
                                                        }}});
    for (std::size_t k = 0; k < marks.size(); ++k) EXPECT_DOUBLE_EQ(marks[k], 0.05 * double(k + 1)) << cell.what;
    EXPECT_EQ(marks.size(), std::size_t(std::ceil(path.last.t / 0.05 - 1e-9)) - 1) << cell.what;
  });
}

struct Seen {
  std::vector<double> numbers;  // of all records and events
  void operator()(const Progress& p) {
    if (!p.recorded && p.happened == nullptr) return;
    numbers.insert(numbers.end(),
                   {p.state.t, p.state.q[0], p.state.q[1], p.state.v[0], p.state.v[1], p.state.lambda[0], double(p.step)});
  }
};

TEST(Timeline, EveryCheckpointGoesOnBitForBit) {
  int checkpoints = 0;
  for_all([&](const Cell& cell) {
    struct Taken {
      Checkpoint point;
      std::size_t seen;
    };
    std::vector<Taken> taken;
    Seen all;
    const Trajectory whole = cell.run({.every = 3, .renew = 5, .observers = {[&](const Progress& p) {
                                                                 all(p);
                                                                 if (p.checkpoint != nullptr)
                                                                   taken.push_back({*p.checkpoint, all.numbers.size()});
                                                               }}});
    if (taken.empty()) return;
    for (const std::size_t k : {std::size_t(0), taken.size() / 3, 2 * taken.size() / 3, taken.size() - 1}) {
      Seen rest;
      const Trajectory path =
          cell.run({.every = 3, .renew = 5, .from = &taken[k].point, .observers = {[&](const Progress& p) { rest(p); }}});
      EXPECT_EQ(path.last.q, whole.last.q) << cell.what << " from step " << taken[k].point.step;
      EXPECT_EQ(path.last.v, whole.last.v) << cell.what << " from step " << taken[k].point.step;
      EXPECT_EQ(path.verdict, whole.verdict) << cell.what;
      EXPECT_EQ(path.counts.steps, whole.counts.steps) << cell.what;
      const std::vector<double> expected(all.numbers.begin() + std::ptrdiff_t(taken[k].seen), all.numbers.end());
      EXPECT_EQ(rest.numbers, expected) << cell.what << " from step " << taken[k].point.step;
      ++checkpoints;
    }
  });
  std::cout << checkpoints << " checkpoints\n";
}

TEST(Timeline, MarksOfAResumedRunAreThoseOfTheWhole) {
  // From a start whose multiples of the interval are not round, forward and backward.
  for (const double direction : {1.0, -1.0})
    for (const char* name : {"dop853", "spark2", "midpoint"}) {
      const Kind& kind = testing::kinds().back();
      State start = swing_start(kind);
      start.t = 0.1;
      SimulateOptions options =
          swing_options(kind, {.end = 0.1 + direction * 1.1, .rtol = 1e-6, .interval = 0.1, .renew = 1});
      std::vector<double> all;
      std::vector<std::pair<Checkpoint, std::size_t>> points;
      options.observers = {[&](const Progress& p) {
        if (p.between && p.recorded) all.push_back(p.state.t);
        if (p.checkpoint != nullptr) points.emplace_back(*p.checkpoint, all.size());
      }};
      simulate(swing_system(kind), start, integrator_named(name), Multipliers{}, options);
      EXPECT_EQ(all.size(), 10u) << name;
      for (std::size_t k = 0; k < points.size(); k += 1 + points.size() / 50) {
        std::vector<double> rest;
        options.from = &points[k].first;
        options.observers = {[&](const Progress& p) {
          if (p.between && p.recorded) rest.push_back(p.state.t);
        }};
        simulate(swing_system(kind), start, integrator_named(name), Multipliers{}, options);
        EXPECT_EQ(rest, std::vector<double>(all.begin() + std::ptrdiff_t(points[k].second), all.end())) << name;
      }
    }
}

TEST(Timeline, BackwardRunsFindTheSameEvent) {
  const Kind& kind = testing::kinds()[1];
  for (const NamedIntegrator& scheme : integrators())
    for (const Control control : testing::controls) {
      if (!takes(scheme, control) || scheme.name == "moreau-jean") continue;
      const Cell cell{kind, scheme, control, scheme.name + std::string(", ") + testing::control_names[int(control)]};
      const double there = cell.run().last.t;
      // From behind the event, at the exact state, back.
      Kind none = kind;
      none.events.clear();
      std::vector<Happened> nothing;
      const State behind = exact_run(none, nothing).last;
      SimulateOptions options = control_options(scheme.integrator.traits(), control, 0.0);
      const Trajectory back =
          simulate(swing_system(kind), behind, scheme.integrator, Multipliers{}, swing_options(kind, options));
      const int order = scheme.integrator.traits().order;
      EXPECT_EQ(back.verdict, Verdict::stopped) << cell.what << ": " << back.message;
      EXPECT_NEAR(back.last.t, there, order == 1 ? 5e-2 : (order == 2 ? 2e-3 : 1e-6)) << cell.what;
      EXPECT_LE(std::abs(back.last.q[0] - 0.5), 1e-10) << cell.what;
    }
}

}  // namespace
}  // namespace taut
