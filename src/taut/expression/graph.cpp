#include <algorithm>
#include <bit>
#include <cmath>
#include <taut/base/bits.hpp>
#include <taut/base/number_map.hpp>
#include <taut/base/require.hpp>
#include <taut/expression/graph.hpp>

namespace taut {

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
      return b == 0.5 ? std::sqrt(a) : std::pow(a, b);  // as nodes of variables are simplified
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

namespace {

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 29);
}

bool commutes(Op op) { return op == Op::add || op == Op::multiply; }

}  // namespace

bool Graph::Entry::operator==(const Entry& other) const {
  return op == other.op && a == other.a && b == other.b && c == other.c &&
         bits_as<std::uint64_t>(value) == bits_as<std::uint64_t>(other.value);
}

static std::uint64_t hash_of(const Graph::Entry& e) {
  const auto whole = [](int x) { return std::uint64_t(std::uint32_t(x)); };
  std::uint64_t hash =
      mixed(mixed(mixed(std::uint64_t(e.op), whole(e.a)), whole(e.b) << 32 | whole(e.c)), bits_as<std::uint64_t>(e.value));
  // Whole numbers differ in the upper bits of doubles only, and places are found by the lower ones.
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}

std::uint64_t Graph::outline_of(const Entry& e) const {
  std::uint64_t out = mixed(std::uint64_t(e.op), 1);
  if (e.op == Op::constant || e.op == Op::variable) return out;
  if (commutes(e.op)) {
    const std::uint64_t a = outline(e.a), b = outline(e.b);
    return mixed(out, mixed(std::min(a, b), std::max(a, b)));
  }
  e.each_argument([&](Node argument) { out = mixed(out, outline(argument)); });
  if (e.op == Op::table) out = mixed(out, std::uint64_t(e.b) << 32 | std::uint64_t(e.c));
  return mixed(out, bits_as<std::uint64_t>(e.value));
}

Graph::Node Graph::push(const Entry& entry) {
  if (2 * (entries_.size() + 1) > places_.size()) widen();
  const std::size_t mask = places_.size() - 1;
  std::size_t k = hash_of(entry) & mask;
  for (; places_[k] >= 0; k = (k + 1) & mask)
    if (entries_[std::size_t(places_[k])] == entry) return places_[k];
  places_[k] = Node(entries_.size());
  entries_.push_back(entry);
  outlines_.push_back(outline_of(entry));
  variables_.push_back(first_variables_of(entry));
  return places_[k];
}

std::uint64_t Graph::first_variables_of(const Entry& e) const {
  if (e.op == Op::variable) return std::uint64_t(1) << std::min(e.a, further);
  std::uint64_t out = 0;
  e.each_argument([&](Node argument) { out |= variables_[std::size_t(argument)]; });
  return out;
}

void Graph::widen() {
  places_.assign(std::max<std::size_t>(128, 2 * places_.size()), -1);
  entries_.reserve(places_.size() / 2);
  outlines_.reserve(places_.size() / 2);
  variables_.reserve(places_.size() / 2);
  const std::size_t mask = places_.size() - 1;
  for (std::size_t node = 0; node < entries_.size(); ++node) {
    std::size_t k = hash_of(entries_[node]) & mask;
    while (places_[k] >= 0) k = (k + 1) & mask;
    places_[k] = Node(node);
  }
}

Graph::Node Graph::constant(double value) { return push({Op::constant, -1, -1, -1, value == 0.0 ? 0.0 : value}); }
Graph::Node Graph::variable(int index) { return push({Op::variable, index, -1, -1, 0.0}); }

Graph::Node Graph::table(std::shared_ptr<const Table> table, Node t, int order) {
  if (order > 3 || (order > 0 && table->kind() == Table::Kind::held)) return constant(0.0);
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

/// The same in no order.
static std::vector<Graph::Node> all_parts(const std::vector<Graph::Entry>& entries, const std::vector<Graph::Node>& nodes) {
  NumberMap<char> seen;
  std::vector<Graph::Node> all;
  const auto see = [&](Graph::Node node) {
    if (seen.try_emplace(node).second) all.push_back(node);
  };
  for (const Graph::Node node : nodes) see(node);
  for (std::size_t k = 0; k < all.size(); ++k) entries[std::size_t(all[k])].each_argument(see);
  return all;
}

std::vector<Graph::Node> Graph::parts_of(const std::vector<Node>& nodes) const {
  std::vector<Node> all = all_parts(entries_, nodes);
  std::sort(all.begin(), all.end());  // arguments have smaller numbers
  return all;
}

double Graph::value(Node node, const std::function<double(int)>& of) const {
  const Entry& whole = entries_[node];  // most are numbers and coordinates
  if (whole.op == Op::constant) return whole.value;
  if (whole.op == Op::variable) return of(whole.a);
  NumberMap<double> values;
  for (const Node k : parts_of({node})) {
    const Entry& e = entries_[k];
    double& out = values[k];
    const auto argument = [&](Node a) { return a >= 0 ? values.at(a) : 0.0; };
    if (e.op == Op::constant) {
      out = e.value;
    } else if (e.op == Op::variable) {
      out = of(e.a);
    } else if (e.op == Op::table) {
      out = tables_[e.b]->value(argument(e.a), e.c);
    } else if (e.op == Op::integer_power) {
      out = std::pow(argument(e.a), e.value);
    } else {
      const double a = argument(e.a), b = argument(e.b), c = argument(e.c);
      out = apply(e.op, a, b, c);
    }
  }
  return values.at(node);
}

int Graph::degree(Node node, const std::function<bool(int)>& in) const { return degrees(node, in).at(node); }

NumberMap<int> Graph::degrees(Node node, const std::function<bool(int)>& in) const {
  NumberMap<int> degrees;
  for (const Node k : parts_of({node})) {
    const Entry& e = entries_[k];
    int sum = 0, most = 0;
    e.each_argument([&](Node argument) {
      sum += degrees.at(argument);
      most = std::max(most, degrees.at(argument));
    });
    int out = most == 0 ? 0 : not_polynomial;
    if (e.op == Op::variable) out = in(e.a) ? 1 : 0;
    if (e.op == Op::add || e.op == Op::subtract || e.op == Op::negate) out = most;
    if (e.op == Op::multiply) out = sum;
    if (e.op == Op::divide && degrees.at(e.b) == 0) out = most;
    if (e.op == Op::select && degrees.at(e.a) == 0) out = most;
    if (e.op == Op::integer_power && e.value > 0.0) out = most * int(e.value);
    degrees[k] = std::min(out, not_polynomial);
  }
  return degrees;
}

std::vector<Graph::Node> Graph::derivative(const std::vector<Node>& of, int variable) {
  const std::vector<Node> parts = parts_of(of);
  if (slope_.size() < entries_.size()) slope_.resize(entries_.size());
  for (const Node k : parts) slope_[k] = slope_of(k, variable);
  std::vector<Node> out;
  out.reserve(of.size());
  for (const Node node : of) out.push_back(slope_[node]);
  return out;
}

/// A length of zero, such as the speed of what is at rest, has the slope zero, the mean of all, and not 0/0.
static Graph::Node or_one(Graph& graph, Graph::Node length) {
  return graph.add(length, graph.make(Op::equal, length, graph.constant(0.0)));
}

/// The arguments have their slopes already.
Graph::Node Graph::slope_of(Node k, int variable) {
  const Entry e = entries_[k];  // by value: new nodes move the list
  const Node zero = constant(0.0), one = constant(1.0);
  const auto chain = [&](Node outer) { return multiply(outer, slope_[e.a]); };
  bool flat = e.op != Op::variable;
  e.each_argument([&](Node argument) { flat = flat && slope_[argument] == zero; });
  if (flat) return zero;
  switch (e.op) {
    case Op::variable:
      return e.a == variable ? one : zero;
    case Op::add:
      return add(slope_[e.a], slope_[e.b]);
    case Op::subtract:
      return subtract(slope_[e.a], slope_[e.b]);
    case Op::multiply:
      return add(multiply(slope_[e.a], e.b), multiply(e.a, slope_[e.b]));
    case Op::divide:
      return divide(subtract(slope_[e.a], multiply(k, slope_[e.b])), e.b);
    case Op::negate:
      return make(Op::negate, slope_[e.a]);
    case Op::integer_power:
      return chain(multiply(constant(e.value), make(Op::power, e.a, constant(e.value - 1.0))));
    case Op::power: {
      // e·a^(e − 1)·a′ + a^e·log a·e′, each only where it is there: log of a negative base must not spoil the first.
      Node sum = zero;
      if (slope_[e.a] != zero) sum = chain(multiply(e.b, make(Op::power, e.a, subtract(e.b, one))));
      if (slope_[e.b] != zero) sum = add(sum, multiply(multiply(k, make(Op::log, e.a)), slope_[e.b]));
      return sum;
    }
    case Op::sin:
      return chain(make(Op::cos, e.a));
    case Op::cos:
      return make(Op::negate, chain(make(Op::sin, e.a)));
    case Op::tan:
      return chain(add(one, multiply(k, k)));
    case Op::asin:
      return divide(slope_[e.a], make(Op::sqrt, subtract(one, multiply(e.a, e.a))));
    case Op::acos:
      return make(Op::negate, divide(slope_[e.a], make(Op::sqrt, subtract(one, multiply(e.a, e.a)))));
    case Op::atan:
      return divide(slope_[e.a], add(one, multiply(e.a, e.a)));
    case Op::atan2:
      return divide(subtract(multiply(e.b, slope_[e.a]), multiply(e.a, slope_[e.b])),
                    add(multiply(e.a, e.a), multiply(e.b, e.b)));
    case Op::sinh:
      return chain(make(Op::cosh, e.a));
    case Op::cosh:
      return chain(make(Op::sinh, e.a));
    case Op::tanh:
      return chain(subtract(one, multiply(k, k)));
    case Op::sqrt:
      return divide(slope_[e.a], multiply(constant(2.0), or_one(*this, k)));
    case Op::exp:
      return chain(k);
    case Op::log:
      return divide(slope_[e.a], e.a);
    case Op::abs:
      return chain(make(Op::sign, e.a));
    case Op::min:
      return make(Op::select, make(Op::less, e.b, e.a), slope_[e.b], slope_[e.a]);
    case Op::max:
      return make(Op::select, make(Op::less, e.a, e.b), slope_[e.b], slope_[e.a]);
    case Op::hypot:
      return divide(add(multiply(e.a, slope_[e.a]), multiply(e.b, slope_[e.b])), or_one(*this, k));
    case Op::select:
      return make(Op::select, e.a, slope_[e.b], slope_[e.c]);
    case Op::table:
      return chain(table(tables_[e.b], e.a, e.c + 1));
    default:  // numbers, and jumps, which count as flat
      return zero;
  }
}

std::vector<int> Graph::variables_of(const std::vector<Node>& nodes) const {
  std::vector<int> found;
  std::uint64_t first = 0;
  for (const Node k : nodes) first |= variables_[std::size_t(k)];
  if ((first >> further & 1) == 0) {
    for (; first != 0; first &= first - 1) found.push_back(std::countr_zero(first));
    return found;
  }
  for (const Node k : all_parts(entries_, nodes))
    if (entries_[k].op == Op::variable) found.push_back(entries_[k].a);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taut
