#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/expression/program.hpp>

namespace taut {
namespace {

double integer_power(double base, int exponent) {
  double result = 1.0, factor = base;
  for (int rest = std::abs(exponent); rest > 0; rest >>= 1) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return exponent < 0 ? 1.0 / result : result;
}

/// Sine and cosine of the last arguments. A mechanism asks for the same angles over and over: in each constraint, its gradient and its acceleration.
struct Angle {
  double x = std::numeric_limits<double>::quiet_NaN(), sine = 0.0, cosine = 0.0;
};
using Angles = std::array<Angle, 64>;
Angles& known_angles() {
  thread_local Angles known;
  return known;
}
const Angle& angle(Angles& known, double x) {
  Angle& place = known[(std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u) >> 58];
  if (place.x != x) place = {x, std::sin(x), std::cos(x)};
  return place;
}

}  // namespace

Program::Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs)
    : tables_(graph.tables()) {
  const std::vector<char> needed = graph.needed_by(outputs);
  const Graph::Node last = Graph::Node(needed.size()) - 1;
  // Registers: inputs first, then constants, then results in order.
  std::vector<int> place(last + 1, -1);
  registers_.assign(inputs.size(), 0.0);
  for (Graph::Node k = 0; k <= last; ++k) {
    if (!needed[k]) continue;
    const Graph::Entry& e = graph.entries()[k];
    if (e.op == Op::variable) {
      const auto found = std::find(inputs.begin(), inputs.end(), e.a);
      require(found != inputs.end(), "Program: variable {} is not among the inputs.", e.a);
      place[k] = int(found - inputs.begin());
    } else if (e.op == Op::constant) {
      place[k] = int(registers_.size());
      registers_.push_back(e.value);
    }
  }
  first_ = int(registers_.size());
  for (Graph::Node k = 0; k <= last; ++k) {
    if (!needed[k] || place[k] >= 0) continue;
    const Graph::Entry& e = graph.entries()[k];
    place[k] = int(registers_.size());
    registers_.push_back(0.0);
    const auto register_of = [&](int node) { return node >= 0 ? place[node] : 0; };
    if (e.op == Op::table) {
      code_.push_back({e.op, place[e.a], e.b, e.c, 0.0});
    } else {
      code_.push_back({e.op, register_of(e.a), register_of(e.b), register_of(e.c), e.value});
    }
  }
  for (const Graph::Node node : outputs) results_.push_back(place[node]);
}

void Program::run() {
  double* r = registers_.data();
  double* out = r + first_;
  Angles& angles = known_angles();
  for (const Instruction& i : code_) {
    switch (i.op) {
      case Op::add:
        *out = r[i.a] + r[i.b];
        break;
      case Op::subtract:
        *out = r[i.a] - r[i.b];
        break;
      case Op::multiply:
        *out = r[i.a] * r[i.b];
        break;
      case Op::divide:
        *out = r[i.a] / r[i.b];
        break;
      case Op::negate:
        *out = -r[i.a];
        break;
      case Op::integer_power:
        *out = i.value == 2.0 ? r[i.a] * r[i.a] : integer_power(r[i.a], int(i.value));
        break;
      case Op::sin:
        *out = angle(angles, r[i.a]).sine;
        break;
      case Op::cos:
        *out = angle(angles, r[i.a]).cosine;
        break;
      case Op::table:
        *out = tables_[i.b]->value(r[i.a], i.c);
        break;
      default:
        *out = apply(i.op, r[i.a], r[i.b], r[i.c]);
        break;
    }
    ++out;
  }
}

}  // namespace taut
