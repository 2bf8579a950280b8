#include <cmath>
#include <numbers>
#include <taut/expression/parse.hpp>
#include <taut/study/distribution.hpp>
#include <vector>

namespace taut {
namespace {

/// What stands between commas, not counting those within brackets.
std::vector<std::string> arguments_of(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// A first guess of the quantile of 0 < u ≤ 1/2, good to 5e-4: M. Abramowitz, I. A. Stegun, 26.2.23.
double rough_quantile(double u) {
  const double t = std::sqrt(-2.0 * std::log(u));
  return -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}

}  // namespace

double number_in(const std::string& text, const std::string& of) {
  Graph graph;
  double value = 0.0;
  try {
    const Graph::Node node = parse(graph, {}, text);
    require(graph.is_constant(node, &value), "{}: '{}' is no number.", of, text);
  } catch (const ExpressionError& error) {
    throw InputError(message("{}: '{}' is no number: {}.", of, text, error.what()));
  }
  require(std::isfinite(value), "{}: '{}' is no finite number.", of, text);
  return value;
}

double normal_quantile(double u) {
  if (u > 0.5) return -normal_quantile(1.0 - u);
  double x = rough_quantile(u);
  // Halley's iteration on Φ(x) = erfc(−x/√2)/2: each step triples the digits.
  for (int k = 0; k < 3; ++k) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    const double off = (0.5 * std::erfc(-x / std::numbers::sqrt2) - u) / density;
    x -= off / (1.0 + 0.5 * x * off);
  }
  return x;
}

double Distribution::at(double u) const {
  if (kind == Kind::uniform) return first + (second - first) * u;
  const double x = first + second * normal_quantile(u);
  return kind == Kind::normal ? x : std::exp(x);
}

Distribution distribution_named(const std::string& text, const std::string& of) {
  const std::size_t start = text.find_first_not_of(' '), open = text.find('('), close = text.rfind(')');
  const std::string name = start == std::string::npos || open == std::string::npos
                               ? text
                               : text.substr(start, text.find_last_not_of(' ', open - 1) + 1 - start);
  Distribution out;
  if (name == "normal") out.kind = Distribution::Kind::normal;
  if (name == "lognormal") out.kind = Distribution::Kind::lognormal;
  const bool known = name == "uniform" || name == "normal" || name == "lognormal";
  require(known && open != std::string::npos && close != std::string::npos && close > open &&
              text.find_first_not_of(' ', close + 1) == std::string::npos,
          "{}: must read uniform(FROM, TO), normal(MEAN, DEVIATION) or lognormal(MU, SIGMA), got '{}'.", of, text);
  const std::vector<std::string> numbers = arguments_of(text.substr(open + 1, close - open - 1));
  require(numbers.size() == 2, "{}: {} takes two numbers, got {} in '{}'.", of, name, numbers.size(), text);
  out.first = number_in(numbers[0], of);
  out.second = number_in(numbers[1], of);
  if (out.kind == Distribution::Kind::uniform) {
    require(out.first < out.second, "{}: uniform(FROM, TO) needs FROM below TO, got {} and {}.", of, out.first, out.second);
  } else {
    require(out.second > 0.0, "{}: the deviation must be positive, got {}; for one value use --vary {}={}.", of, out.second,
            of.substr(of.find_last_of(' ') + 1), out.first);
  }
  return out;
}

}  // namespace taut
