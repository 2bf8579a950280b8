#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <taut/expression/enclosure.hpp>

namespace taut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Interval anything{-infinity, infinity};

bool holds(const Interval& x, double value) { return x.low <= value && value <= x.high; }

/// The hull of values; anything where one is not a number.
Interval hull(std::initializer_list<double> values) {
  for (const double one : values)
    if (std::isnan(one)) return anything;
  return {std::min(values), std::max(values)};
}

Interval times(const Interval& a, const Interval& b) {
  return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

Interval inverse(const Interval& x) { return holds(x, 0.0) ? anything : Interval{1.0 / x.high, 1.0 / x.low}; }

Interval magnitude(const Interval& x) {
  const double a = std::abs(x.low), b = std::abs(x.high);
  return {holds(x, 0.0) ? 0.0 : std::min(a, b), std::max(a, b)};
}

Interval whole_power(const Interval& x, double n) {
  if (n < 0.0) return inverse(whole_power(x, -n));
  const Interval base = std::fmod(n, 2.0) == 0.0 ? magnitude(x) : x;
  return {std::pow(base.low, n), std::pow(base.high, n)};
}

Interval sine(const Interval& x) {
  constexpr double turn = 2.0 * std::numbers::pi;
  if (!(x.width() < turn)) return {-1.0, 1.0};
  const auto passes = [&](double place) { return std::ceil((x.low - place) / turn) * turn + place <= x.high; };
  if (x.low == x.high) return {std::sin(x.low), std::sin(x.low)};
  Interval out = hull({std::sin(x.low), std::sin(x.high)});
  if (passes(0.25 * turn)) out.high = 1.0;
  if (passes(-0.25 * turn)) out.low = -1.0;
  return out;
}

Interval tangent(const Interval& x) {
  const auto branch = [](double y) { return std::floor(y / std::numbers::pi + 0.5); };
  return branch(x.low) == branch(x.high) ? Interval{std::tan(x.low), std::tan(x.high)} : anything;
}

template <class Function> Interval rising(const Interval& x, const Function& f) { return hull({f(x.low), f(x.high)}); }

Interval known(bool surely, bool perhaps) { return {surely ? 1.0 : 0.0, perhaps ? 1.0 : 0.0}; }

}  // namespace

Enclosure::Enclosure(const Graph& graph, Graph::Node node, int variable) : graph_(graph), variable_(variable) {
  std::unordered_map<Graph::Node, int> place;
  for (const Graph::Node one : graph.parts_of({node})) {
    Part part{graph.entries()[std::size_t(one)], {-1, -1, -1}};
    std::size_t k = 0;
    part.entry.each_argument([&](Graph::Node argument) { part.arguments[k++] = place.at(argument); });
    place.emplace(one, int(parts_.size()));
    parts_.push_back(part);
  }
  found_.resize(parts_.size());
}

Interval Enclosure::operator()(Interval x) {
  x_ = x;
  for (std::size_t k = 0; k < parts_.size(); ++k) found_[k] = of(parts_[k]);
  return found_.back();
}

Interval Enclosure::of_table(const Part& part) const {
  const Graph::Entry& e = part.entry;
  const Table& table = *graph_.tables()[std::size_t(e.b)];
  const Interval x = argument(part.arguments[0]);
  if (table.kind() == Table::Kind::held) return {table.held(), table.held()};
  if (e.c != 0) return anything;
  Interval out = hull({table.value(x.low, 0), table.value(x.high, 0)});
  for (const double point : table.points())
    if (holds(x, point)) out = hull({out.low, out.high, table.value(point, 0)});
  const double beyond = table.kind() == Table::Kind::spline ? 0.25 * out.width() : 0.0;  // what a spline does between
  return {out.low - beyond, out.high + beyond};
}

Interval Enclosure::of(const Part& part) const {
  const Graph::Entry& e = part.entry;
  if (e.op == Op::constant) return {e.value, e.value};
  if (e.op == Op::variable) return e.a == variable_ ? x_ : anything;
  if (e.op == Op::table) return of_table(part);
  const Interval a = argument(part.arguments[0]);
  if (e.op == Op::integer_power) return whole_power(a, e.value);
  const Interval b = argument(part.arguments[1]);
  switch (e.op) {
    case Op::add:
      return {a.low + b.low, a.high + b.high};
    case Op::subtract:
      return {a.low - b.high, a.high - b.low};
    case Op::multiply:
      return e.a == e.b ? whole_power(a, 2.0) : times(a, b);
    case Op::divide:
      return times(a, inverse(b));
    case Op::negate:
      return {-a.high, -a.low};
    case Op::power:
      if (b.low == b.high && b.low == std::round(b.low)) return whole_power(a, b.low);
      if (a.low < 0.0 || (a.low == 0.0 && b.low <= 0.0)) return anything;
      return hull({std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low), std::pow(a.high, b.high)});
    case Op::sin:
      return sine(a);
    case Op::cos:
      return sine({a.low + 0.5 * std::numbers::pi, a.high + 0.5 * std::numbers::pi});
    case Op::tan:
      return tangent(a);
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::sqrt:
    case Op::exp:
    case Op::log:
    case Op::sign:
    case Op::step:
      return rising(a, [&](double y) { return apply(e.op, y, 0.0, 0.0); });  // or falling: the hull is the same
    case Op::cosh:
      return rising(magnitude(a), [](double y) { return std::cosh(y); });
    case Op::abs:
      return magnitude(a);
    case Op::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::hypot: {
      const Interval x = magnitude(a), y = magnitude(b);
      return {std::hypot(x.low, y.low), std::hypot(x.high, y.high)};
    }
    case Op::less:
      return known(a.high < b.low, a.low < b.high);
    case Op::less_equal:
      return known(a.high <= b.low, a.low <= b.high);
    case Op::equal:
      return known(false, a.low <= b.high && b.low <= a.high);
    case Op::both:
      return known(a.low != 0.0 && b.low != 0.0, a.high != 0.0 && b.high != 0.0);
    case Op::either:
      return known(a.low != 0.0 || b.low != 0.0, a.high != 0.0 || b.high != 0.0);
    case Op::opposite:
      return known(a.high == 0.0, a.low == 0.0);
    case Op::select: {
      const Interval c = argument(part.arguments[2]);
      if (a.low != 0.0) return b;
      return a.high == 0.0 ? c : hull({b.low, b.high, c.low, c.high});
    }
    default:
      return anything;
  }
}

}  // namespace taut
