#include <algorithm>
#include <bit>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/expression/graph.hpp>

namespace taut {

Table::Table(std::vector<double> t, std::vector<double> values, Kind kind)
    : t_(std::move(t)), y_(std::move(values)), second_(t_.size(), 0.0), kind_(kind) {
  require(t_.size() == y_.size() && t_.size() >= 2, "table: needs as many times as values and at least two, got {} and {}.",
          t_.size(), y_.size());
  for (std::size_t k = 1; k < t_.size(); ++k)
    require(t_[k] > t_[k - 1], "table: times must increase, but {} follows {}.", t_[k], t_[k - 1]);
  if (kind == Kind::linear) return;
  // Natural spline: a tridiagonal system for the second derivatives, by elimination from the left.
  const std::size_t n = t_.size();
  std::vector<double> diagonal(n, 1.0), upper(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = t_[k] - t_[k - 1], right = t_[k + 1] - t_[k];
    const double slopes = (y_[k + 1] - y_[k]) / right - (y_[k] - y_[k - 1]) / left;
    diagonal[k] = (left + right) / 3.0 - (left / 6.0) * upper[k - 1] / diagonal[k - 1];
    upper[k] = right / 6.0;
    second_[k] = slopes - (left / 6.0) * second_[k - 1] / diagonal[k - 1];
  }
  for (std::size_t k = n - 1; k-- > 1;) second_[k] = (second_[k] - upper[k] * second_[k + 1]) / diagonal[k];
  second_.front() = second_.back() = 0.0;
}

double Table::value(double t, int order) const {
  // At its ends the table counts as inside: a motion that begins there begins with its slope.
  if (!(t >= t_.front()) || t > t_.back()) {
    if (order > 0) return 0.0;
    return std::isnan(t) ? t : (t > t_.back() ? y_.back() : y_.front());
  }
  const std::size_t above = std::size_t(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin()),
                    k = std::min(above, t_.size() - 1) - 1;
  const double h = t_[k + 1] - t_[k], a = (t_[k + 1] - t) / h, b = 1.0 - a;
  switch (order) {
    case 0:
      return a * y_[k] + b * y_[k + 1] + ((a * a - 1.0) * a * second_[k] + (b * b - 1.0) * b * second_[k + 1]) * h * h / 6.0;
    case 1:
      return (y_[k + 1] - y_[k]) / h + ((3.0 * b * b - 1.0) * second_[k + 1] - (3.0 * a * a - 1.0) * second_[k]) * h / 6.0;
    case 2:
      return a * second_[k] + b * second_[k + 1];
    case 3:
      return (second_[k + 1] - second_[k]) / h;
    default:
      return 0.0;
  }
}

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::power:
      return std::pow(a, b);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::abs:
      return std::abs(a);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return b > a ? b : a;
    case Op::sign:
      return a > 0.0 ? 1.0 : (a < 0.0 ? -1.0 : 0.0);
    case Op::hypot:
      return std::hypot(a, b);
    case Op::step:
      return a >= 0.0 ? 1.0 : 0.0;
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::equal:
      return a == b ? 1.0 : 0.0;
    case Op::both:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Op::either:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case Op::opposite:
      return a == 0.0 ? 1.0 : 0.0;
    case Op::select:
      return a != 0.0 ? b : c;
    case Op::constant:
    case Op::variable:
    case Op::integer_power:
    case Op::table:
      break;
  }
  return 0.0;
}

Graph::Node Graph::push(const Entry& entry) {
  const auto key = std::make_tuple(entry.op, entry.a, entry.b, entry.c, std::bit_cast<std::uint64_t>(entry.value));
  const auto [found, is_new] = known_.try_emplace(key, int(entries_.size()));
  if (is_new) entries_.push_back(entry);
  return found->second;
}

Graph::Node Graph::constant(double value) { return push({Op::constant, -1, -1, -1, value == 0.0 ? 0.0 : value}); }
Graph::Node Graph::variable(int index) { return push({Op::variable, index, -1, -1, 0.0}); }

Graph::Node Graph::table(std::shared_ptr<const Table> table, Node t, int order) {
  if (order > 3) return constant(0.0);
  auto found = std::find(tables_.begin(), tables_.end(), table);
  if (found == tables_.end()) found = tables_.insert(tables_.end(), std::move(table));
  return push({Op::table, t, int(found - tables_.begin()), order, 0.0});
}

bool Graph::is_constant(Node node, double* value) const {
  if (entries_[node].op != Op::constant) return false;
  if (value != nullptr) *value = entries_[node].value;
  return true;
}

bool Graph::is_condition(Node node) const {
  const Op op = entries_[node].op;
  return op == Op::less || op == Op::less_equal || op == Op::equal || op == Op::both || op == Op::either ||
         op == Op::opposite;
}

/// Whole exponents up to 64 become products at evaluation, which is faster than pow and right for negative bases.
Graph::Node Graph::power_of(Node base, Node exponent) {
  double e = 0.0;
  if (!is_constant(exponent, &e)) return push({Op::power, base, exponent, -1, 0.0});
  if (e == 0.0) return constant(1.0);
  if (e == 1.0) return base;
  if (e == 0.5) return make(Op::sqrt, base);
  if (e == std::round(e) && std::abs(e) <= 64.0) return push({Op::integer_power, base, -1, -1, e});
  return push({Op::power, base, exponent, -1, 0.0});
}

Graph::Node Graph::simplified(Op op, Node a, Node b, Node c) {
  double x = 0.0, y = 0.0;
  const bool first = is_constant(a, &x), second = b >= 0 && is_constant(b, &y);
  switch (op) {
    case Op::add:
      if (first && x == 0.0) return b;
      if (second && y == 0.0) return a;
      if (entries_[b].op == Op::negate) return subtract(a, entries_[b].a);
      break;
    case Op::subtract:
      if (second && y == 0.0) return a;
      if (first && x == 0.0) return make(Op::negate, b);
      if (a == b) return constant(0.0);
      if (entries_[b].op == Op::negate) return add(a, entries_[b].a);
      break;
    case Op::multiply:
      if ((first && x == 0.0) || (second && y == 0.0)) return constant(0.0);
      if (first && x == 1.0) return b;
      if (second && y == 1.0) return a;
      if (first && x == -1.0) return make(Op::negate, b);
      if (second && y == -1.0) return make(Op::negate, a);
      if (entries_[a].op == Op::negate) return make(Op::negate, multiply(entries_[a].a, b));
      if (entries_[b].op == Op::negate) return make(Op::negate, multiply(a, entries_[b].a));
      break;
    case Op::divide:
      if (second && y == 1.0) return a;
      if (first && x == 0.0) return a;
      break;
    case Op::negate:
      if (entries_[a].op == Op::negate) return entries_[a].a;
      break;
    case Op::select:
      if (first) return x != 0.0 ? b : c;
      if (b == c) return b;
      break;
    default:
      break;
  }
  return -1;
}

Graph::Node Graph::make(Op op, Node a, Node b, Node c) {
  double x = 0.0, y = 0.0, z = 0.0;
  const bool constants = is_constant(a, &x) && (b < 0 || is_constant(b, &y)) && (c < 0 || is_constant(c, &z));
  if (constants) return constant(apply(op, x, y, z));
  if (op == Op::power) return power_of(a, b);
  const Node simple = simplified(op, a, b, c);
  if (simple >= 0) return simple;
  // Sums and products are found again whichever way round they are written.
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  return push({op, a, b, c, 0.0});
}

std::vector<char> Graph::needed_by(const std::vector<Node>& nodes) const {
  const Node last = nodes.empty() ? -1 : *std::max_element(nodes.begin(), nodes.end());
  std::vector<char> needed(last + 1, 0);
  for (const Node node : nodes) needed[node] = 1;
  for (Node k = last; k >= 0; --k) {  // arguments have smaller numbers
    const Entry& e = entries_[k];
    if (!needed[k] || e.op == Op::constant || e.op == Op::variable) continue;
    needed[e.a] = 1;
    if (e.op == Op::table) continue;
    if (e.b >= 0) needed[e.b] = 1;
    if (e.c >= 0) needed[e.c] = 1;
  }
  return needed;
}

std::vector<Graph::Node> Graph::derivative(const std::vector<Node>& of, int variable) {
  const std::vector<char> needed = needed_by(of);
  const Node last = Node(needed.size()) - 1;
  std::vector<Node> slope(last + 1, -1);
  const Node zero = constant(0.0), one = constant(1.0);
  for (Node k = 0; k <= last; ++k) {
    if (!needed[k]) continue;
    const Entry e = entries_[k];  // by value: new nodes move the list
    const auto chain = [&](Node outer) { return multiply(outer, slope[e.a]); };
    const bool flat = e.op != Op::constant && e.op != Op::variable && slope[e.a] == zero &&
                      (e.op == Op::table || ((e.b < 0 || slope[e.b] == zero) && (e.c < 0 || slope[e.c] == zero)));
    if (flat) {
      slope[k] = zero;
      continue;
    }
    switch (e.op) {
      case Op::constant:
        slope[k] = zero;
        break;
      case Op::variable:
        slope[k] = e.a == variable ? one : zero;
        break;
      case Op::add:
        slope[k] = add(slope[e.a], slope[e.b]);
        break;
      case Op::subtract:
        slope[k] = subtract(slope[e.a], slope[e.b]);
        break;
      case Op::multiply:
        slope[k] = add(multiply(slope[e.a], e.b), multiply(e.a, slope[e.b]));
        break;
      case Op::divide:
        slope[k] = divide(subtract(slope[e.a], multiply(k, slope[e.b])), e.b);
        break;
      case Op::negate:
        slope[k] = make(Op::negate, slope[e.a]);
        break;
      case Op::integer_power:
        slope[k] = chain(multiply(constant(e.value), make(Op::power, e.a, constant(e.value - 1.0))));
        break;
      case Op::power: {
        // e·a^(e − 1)·a′ + a^e·log a·e′, each only where it is there: log of a negative base must not spoil the first.
        Node sum = zero;
        if (slope[e.a] != zero) sum = chain(multiply(e.b, make(Op::power, e.a, subtract(e.b, one))));
        if (slope[e.b] != zero) sum = add(sum, multiply(multiply(k, make(Op::log, e.a)), slope[e.b]));
        slope[k] = sum;
        break;
      }
      case Op::sin:
        slope[k] = chain(make(Op::cos, e.a));
        break;
      case Op::cos:
        slope[k] = make(Op::negate, chain(make(Op::sin, e.a)));
        break;
      case Op::tan:
        slope[k] = chain(add(one, multiply(k, k)));
        break;
      case Op::asin:
        slope[k] = divide(slope[e.a], make(Op::sqrt, subtract(one, multiply(e.a, e.a))));
        break;
      case Op::acos:
        slope[k] = make(Op::negate, divide(slope[e.a], make(Op::sqrt, subtract(one, multiply(e.a, e.a)))));
        break;
      case Op::atan:
        slope[k] = divide(slope[e.a], add(one, multiply(e.a, e.a)));
        break;
      case Op::atan2:
        slope[k] = divide(subtract(multiply(e.b, slope[e.a]), multiply(e.a, slope[e.b])),
                          add(multiply(e.a, e.a), multiply(e.b, e.b)));
        break;
      case Op::sinh:
        slope[k] = chain(make(Op::cosh, e.a));
        break;
      case Op::cosh:
        slope[k] = chain(make(Op::sinh, e.a));
        break;
      case Op::tanh:
        slope[k] = chain(subtract(one, multiply(k, k)));
        break;
      case Op::sqrt:
        slope[k] = divide(slope[e.a], multiply(constant(2.0), k));
        break;
      case Op::exp:
        slope[k] = chain(k);
        break;
      case Op::log:
        slope[k] = divide(slope[e.a], e.a);
        break;
      case Op::abs:
        slope[k] = chain(make(Op::sign, e.a));
        break;
      case Op::min:
        slope[k] = make(Op::select, make(Op::less, e.b, e.a), slope[e.b], slope[e.a]);
        break;
      case Op::max:
        slope[k] = make(Op::select, make(Op::less, e.a, e.b), slope[e.b], slope[e.a]);
        break;
      case Op::hypot:
        slope[k] = divide(add(multiply(e.a, slope[e.a]), multiply(e.b, slope[e.b])), k);
        break;
      case Op::select:
        slope[k] = make(Op::select, e.a, slope[e.b], slope[e.c]);
        break;
      case Op::table:
        slope[k] = chain(table(tables_[e.b], e.a, e.c + 1));
        break;
      case Op::sign:
      case Op::step:
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::both:
      case Op::either:
      case Op::opposite:
        slope[k] = zero;
        break;
    }
  }
  std::vector<Node> out;
  out.reserve(of.size());
  for (const Node node : of) out.push_back(slope[node]);
  return out;
}

std::vector<int> Graph::variables_of(const std::vector<Node>& nodes) const {
  const std::vector<char> needed = needed_by(nodes);
  std::vector<int> found;
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (needed[k] && entries_[k].op == Op::variable) found.push_back(entries_[k].a);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taut
