#include <taut/expression/parse.hpp>
#include <taut/expression/program.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

/// x, y and t are variables 1, 2 and 0.
class Expressions : public ::testing::Test {
 protected:
  Expressions() {
    scope.symbols["t"] = graph.variable(0);
    scope.symbols["x"] = graph.variable(1);
    scope.symbols["y"] = graph.variable(2);
    scope.symbols["A.x"] = graph.variable(1);
    scope.symbols["x'"] = graph.variable(2);
    scope.symbols["m"] = graph.constant(3.0);
  }
  double value(Graph::Node node, double t, double x, double y) const {
    const double in[] = {t, x, y};
    return *Program(graph, {node}, {0, 1, 2})(in);
  }
  double value(const std::string& text, double t = 0.0, double x = 0.0, double y = 0.0) {
    return value(parse(graph, scope, text), t, x, y);
  }
  std::string told(const std::string& text) {
    try {
      parse(graph, scope, text);
    } catch (const ExpressionError& error) {
      return std::to_string(error.position) + ": " + error.what();
    }
    return "no error";
  }
  Graph graph;
  Scope scope;
};

TEST_F(Expressions, MeanWhatMathematicsMeans) {
  EXPECT_EQ(value("1 + 2*3"), 7.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("6/3/2"), 1.0);
  EXPECT_EQ(value("5 - 3 - 1"), 1.0);
  EXPECT_EQ(value("-x^2 + y", 0, 3, 1), -8.0);
  EXPECT_EQ(value("A.x + x'", 0, 3, 1), 4.0);
  EXPECT_EQ(value("(-8)^3"), -512.0);
  EXPECT_EQ(value("max(1, x, 2)", 0, 5), 5.0);
  EXPECT_EQ(value("if(x < 1 and not y > 0, 10, 20)", 0, 0, 0), 10.0);
  EXPECT_EQ(value("piecewise(x < 0, 1, x < 1, 2, 3)", 0, 0.5), 2.0);
  EXPECT_EQ(value("piecewise(x < 0, 1, x < 1, 2, 3)", 0, 1.5), 3.0);
  EXPECT_EQ(value("step(t - 4)", 4.0), 1.0);
  EXPECT_EQ(value("1e3 + .5"), 1000.5);
  EXPECT_NEAR(value("atan2(1, -1)/pi"), 0.75, 1e-15);
  EXPECT_NEAR(value("hypot(3, 4) + log(exp(2)) + sinh(0) + abs(-1) + sign(-2)"), 7.0, 1e-15);
}

TEST_F(Expressions, TakeUnitsAfterNumbers) {
  EXPECT_DOUBLE_EQ(value("5 cm"), 0.05);
  EXPECT_DOUBLE_EQ(value("180 deg"), 3.14159265358979323846);
  EXPECT_DOUBLE_EQ(value("9.81 m/s^2"), 9.81);
  EXPECT_DOUBLE_EQ(value("36 km/h"), 10.0);
  EXPECT_DOUBLE_EQ(value("2 kN/mm"), 2e6);
  EXPECT_DOUBLE_EQ(value("2 cm^2 * 3"), 6e-4);
  EXPECT_DOUBLE_EQ(value("6 / m"), 2.0) << "m is a symbol here, and there is no unit before it";
  EXPECT_DOUBLE_EQ(value("6 s / m"), 2.0) << "a symbol after a blank";
  EXPECT_DOUBLE_EQ(value("100 N/m"), 100.0) << "and a unit without one, whatever m is";
}

TEST_F(Expressions, MistakesPointAtTheirCharacter) {
  EXPECT_EQ(told("1 + "), "4: the expression ends too early");
  EXPECT_EQ(told("2 * (x + 1"), "10: a ')' is missing here");
  EXPECT_EQ(told("x + thet"), "4: unknown symbol 'thet'");
  scope.symbols["theta"] = graph.variable(1);
  EXPECT_EQ(told("x + thet"), "4: unknown symbol 'thet'; did you mean 'theta'?");
  EXPECT_EQ(told("sin(x, y)"), "0: 'sin' takes 1 argument, not 2");
  EXPECT_EQ(told("sine(x)"), "0: unknown function 'sine'; did you mean 'sin'?");
  EXPECT_EQ(told("2 x"), "2: 'x' is not a unit; between factors write '*'");
  EXPECT_EQ(told("x $ 2"), "2: the character '$' means nothing here");
  EXPECT_EQ(told("x = 2"), "2: '=' makes a constraint, here a value is wanted; to compare, write '=='");
  EXPECT_EQ(told("1e999"), "0: this number is out of range");
  EXPECT_EQ(told(std::string(1000, '(')), "100: the expression is too deep");
  const auto relation = [&](const std::string& text) {
    return testing::error_of([&] { parse_relation(graph, scope, text); });
  };
  EXPECT_EQ(relation("x + 1"), "a constraint needs '=', '<=' or '>='");
  EXPECT_EQ(relation("x < 1"), "write '<=' for a constraint; '<' excludes the boundary");
  EXPECT_EQ(relation("0 <= x <= 1"), "one relation at a time: write two constraints");
}

TEST_F(Expressions, FunctionsOfFunctionsEndAndDoNotExplode) {
  scope.functions["f0"] = {{"a"}, "a + a"};
  for (int k = 1; k < 60; ++k)
    scope.functions["f" + std::to_string(k)] = {{"a"},
                                                "f" + std::to_string(k - 1) + "(a) + f" + std::to_string(k - 1) + "(a)"};
  EXPECT_EQ(value("f3(1)"), 16.0);
  EXPECT_NE(told("f59(1)").find("too long"), std::string::npos) << "2^60 additions are refused, not tried";
  scope.functions["g"] = {{"a"}, "g(a)"};
  EXPECT_NE(told("g(1)").find("too deep"), std::string::npos);
}

TEST_F(Expressions, DerivativesAreThoseOfDifferences) {
  scope.tables["path"] =
      std::make_shared<const Table>(std::vector{-2.0, 0.0, 1.0, 3.0}, std::vector{0.0, 1.0, -1.0, 2.0}, Table::Kind::spline);
  for (const std::string text :
       {"x^3*y - 2*x/y", "sin(x)*cos(y) + tan(x*y)", "asin(x/3) + acos(y/3) + atan(x*y)", "atan2(y, x)*hypot(x, y)",
        "sinh(x) + cosh(y)*tanh(x*y)", "sqrt(x^2 + y^2) + exp(-x)*log(y)", "x^y + y^x + x^2.5",
        "abs(x - y)*max(x, 2*y) + min(x, y)", "if(x > y, x^2, y^3)", "path(x)*y + path(x*y)", "1/(1 + x^2)^3",
        "(x + y)^4*(x - y)^-2"}) {
    const Graph::Node f = parse(graph, scope, text);
    const double x = 0.83, y = 0.61, h = 1e-5;
    const double fx = (value(f, 0, x + h, y) - value(f, 0, x - h, y)) / (2 * h);
    const double fy = (value(f, 0, x, y + h) - value(f, 0, x, y - h)) / (2 * h);
    const Graph::Node gx = graph.derivative(f, 1), gy = graph.derivative(f, 2);
    EXPECT_NEAR(value(gx, 0, x, y), fx, 1e-8 * (1 + std::abs(fx))) << text;
    EXPECT_NEAR(value(gy, 0, x, y), fy, 1e-8 * (1 + std::abs(fy))) << text;
    const double fxy = (value(gx, 0, x, y + h) - value(gx, 0, x, y - h)) / (2 * h);
    EXPECT_NEAR(value(graph.derivative(gx, 2), 0, x, y), fxy, 1e-8 * (1 + std::abs(fxy))) << text;
    EXPECT_NEAR(value(graph.derivative(gy, 1), 0, x, y), fxy, 1e-8 * (1 + std::abs(fxy))) << "mixed ones commute: " << text;
  }
}

TEST_F(Expressions, AreSharedAndFolded) {
  EXPECT_EQ(parse(graph, scope, "x*y + sin(x*y)"), parse(graph, scope, "sin(y*x) + y*x"));
  EXPECT_EQ(parse(graph, scope, "0*sin(x) + 1*y + 0"), parse(graph, scope, "y"));
  EXPECT_TRUE(graph.is_constant(graph.derivative(parse(graph, scope, "3*x + y^2"), 1)));
}

TEST(Tables, SplinesGoThroughTheirPointsSmoothly) {
  const Table table({0, 1, 2.5, 3}, {1, -1, 0.5, 2}, Table::Kind::spline);
  EXPECT_DOUBLE_EQ(table.value(1.0, 0), -1.0);
  EXPECT_DOUBLE_EQ(table.value(2.5, 0), 0.5);
  EXPECT_EQ(table.value(-1.0, 0), 1.0);
  EXPECT_EQ(table.value(9.0, 0), 2.0);
  for (const double t : {0.3, 1.7, 2.9})
    for (const int order : {0, 1, 2}) {
      const double h = 1e-6, slope = (table.value(t + h, order) - table.value(t - h, order)) / (2 * h);
      EXPECT_NEAR(table.value(t, order + 1), slope, 1e-6 * (1 + std::abs(slope)));
    }
  for (const int order : {0, 1, 2}) EXPECT_NEAR(table.value(1.0 - 1e-9, order), table.value(1.0 + 1e-9, order), 1e-7);
}

}  // namespace
}  // namespace taut
