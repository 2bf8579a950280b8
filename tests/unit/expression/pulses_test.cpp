#include <algorithm>
#include <cmath>
#include <random>
#include <taut/expression/enclosure.hpp>
#include <taut/expression/kinks.hpp>
#include <taut/expression/parse.hpp>

namespace taut {
namespace {

struct Timed {
  Graph graph;
  Graph::Node node;
  explicit Timed(const std::string& text) {
    Scope scope;
    scope.symbols["t"] = graph.variable(0);
    node = parse(graph, scope, text);
  }
};

TEST(Enclosure, HoldsEveryValue) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-3.0, 3.0);
  for (const char* text :
       {"t^2", "t^3 - 2*t", "t^-2", "sin(5*t)*cos(t)", "tan(t)", "exp(-t^2)/(1 + t^2)", "sqrt(t + 1)", "log(t + 2)",
        "abs(t) - min(t, 1) + max(t, -1)", "if(t < 0.5, t, 2)", "step(t - 1)*t", "atan2(t, 1)", "hypot(t, 1)", "2^t",
        "cosh(t)", "asin(t/4) + acos(t/5) + atan(t) + sinh(t) + tanh(t)", "sign(t)",
        "if(t > 0 and t <= 1, 1, if(t == 2, 5, 0))", "t*t"}) {
    Timed one(text);
    Enclosure enclosure(one.graph, one.node, 0);
    for (int trial = 0; trial < 300; ++trial) {
      const double a = place(random), b = a + std::abs(place(random)) * std::pow(0.1, trial % 4);
      const Interval bounds = enclosure({a, b});
      for (int k = 0; k <= 20; ++k) {
        const double t = a + (b - a) * k / 20, value = one.graph.value(one.node, [&](int) { return t; });
        const double round = 1e-12 * (1.0 + std::abs(value));
        if (!std::isnan(value)) {
          EXPECT_TRUE(bounds.low <= value + round && value - round <= bounds.high) << text << " at " << t;
        }
      }
    }
  }
}

TEST(Pulses, AreFoundHoweverNarrow) {
  // In the middle of the way and at other points of its division, and at points of none.
  for (const double middle : {5.03, 5.0, 2.5, 3.75, 0.15625, 9.9})
    for (const double width : {0.1, 0.05, 1e-3, 1e-6})
      for (const char* text : {"1e4*exp(-((t - m)/w)^2)", "sin(t) + 3/cosh((t - m)/w)", "1/(1 + ((t - m)/w)^4) + t/10",
                               "tanh((t - m)/w) - tanh((t - m)/w - 1)"}) {
        std::string filled = text;
        for (std::size_t at; (at = filled.find("/w")) != std::string::npos;)
          filled.replace(at, 2, "*" + std::to_string(1.0 / width));
        for (std::size_t at; (at = filled.find("m)")) != std::string::npos;) filled.replace(at, 1, std::to_string(middle));
        Timed one(filled);
        const std::vector<double> found = pulses_in_time(one.graph, 0, 0.0, 10.0);
        const double inside = middle + 0.3 * width;
        const auto end = std::upper_bound(found.begin(), found.end(), inside);
        ASSERT_TRUE(end != found.begin() && end != found.end()) << filled;
        EXPECT_LE(*end - *std::prev(end), 40.0 * width) << filled;
      }
}

TEST(Pulses, AreNotWhatGoesOnAllTheTime) {
  for (const char* text : {"sin(t)", "sin(300*t)", "exp(-t)", "t^3 - t", "cos(20*t)*exp(-t/5)", "3", "1/(1 + t)",
                           "if(t < 5, 1, 0)", "tanh(1e6*(t - 3))"}) {
    Timed one(text);
    EXPECT_TRUE(pulses_in_time(one.graph, 0, 0.0, 10.0).empty()) << text;
  }
}

}  // namespace
}  // namespace taut
