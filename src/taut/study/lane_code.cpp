#include <cmath>
#include <cstdio>
#include <map>
#include <taut/base/require.hpp>
#include <taut/study/lane_code.hpp>
#include <taut/study/lane_driver.hpp>
#include <taut/study/lane_tidy.hpp>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

/// Matrices of expressions; what is zero is the constant 0, which the graph drops from sums and products.
struct Algebra {
  Graph& graph;
  Node zero = graph.constant(0.0);

  Node times(Node a, Node b) const { return graph.multiply(a, b); }
  Node dot(const Nodes& a, const Nodes& b) const {
    Node sum = zero;
    for (std::size_t k = 0; k < a.size(); ++k) sum = graph.add(sum, times(a[k], b[k]));
    return sum;
  }

  /// A = L D Lᵀ, by rows of L without its diagonal, and 1/D.
  struct Factor {
    std::vector<Nodes> L;
    Nodes inverse;
  };
  Factor factor(const std::vector<Nodes>& A) const {
    Factor out;
    Nodes D;
    for (std::size_t i = 0; i < A.size(); ++i) {
      Nodes row, scaled;  // L and L D of this row
      for (std::size_t j = 0; j < i; ++j) {
        Node x = A[i][j];
        for (std::size_t k = 0; k < j; ++k) x = graph.subtract(x, times(scaled[k], out.L[j][k]));
        scaled.push_back(x);
        row.push_back(times(x, out.inverse[j]));
      }
      Node d = A[i][i];
      for (std::size_t k = 0; k < i; ++k) d = graph.subtract(d, times(scaled[k], row[k]));
      out.L.push_back(row);
      out.inverse.push_back(graph.divide(graph.constant(1.0), d));
    }
    return out;
  }
  /// Two equations at the cost of one division.
  struct Pair {
    Node a, b, c, over;
  };
  Pair pair(const std::vector<Nodes>& A) const {
    const Node determinant = graph.subtract(times(A[0][0], A[1][1]), times(A[1][0], A[1][0]));
    return {A[0][0], A[1][0], A[1][1], graph.divide(graph.constant(1.0), determinant)};
  }
  Nodes solve(const Pair& f, const Nodes& x) const {
    return {times(graph.subtract(times(f.c, x[0]), times(f.b, x[1])), f.over),
            times(graph.subtract(times(f.a, x[1]), times(f.b, x[0])), f.over)};
  }
  Nodes solve(const Factor& f, Nodes b) const {
    for (std::size_t i = 0; i < b.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) b[i] = graph.subtract(b[i], times(f.L[i][k], b[k]));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = times(b[i], f.inverse[i]);
    for (std::size_t i = b.size(); i-- > 0;)
      for (std::size_t k = i + 1; k < b.size(); ++k) b[i] = graph.subtract(b[i], times(f.L[k][i], b[k]));
    return b;
  }
};

/// What the kernel computes of a state.
struct Equations {
  Nodes accelerations, place, slide, measures;

  Equations(LaneForms& forms) {
    Graph& graph = forms.graph;
    const Algebra algebra{graph};
    const int n = forms.n, m = int(forms.g.size());
    const auto along = [&](const Nodes& of) {  // d/dt at constant velocity
      Nodes out = graph.derivative(of, forms.time());
      for (int i = 0; i < n; ++i) {
        const Nodes slope = graph.derivative(of, forms.q(i));
        for (std::size_t k = 0; k < of.size(); ++k)
          out[k] = graph.add(out[k], graph.multiply(slope[k], graph.variable(forms.v(i))));
      }
      return out;
    };
    forms.g = tidied(graph, forms.g);
    Nodes p;
    for (int i = 0; i < n; ++i) p.push_back(graph.derivative(forms.kinetic, forms.v(i)));
    std::vector<Nodes> M;
    for (int i = 0; i < n; ++i) M.push_back(graph.derivative(p, forms.v(i)));
    const Nodes turned = along(p);
    Nodes r;  // f − p_q v − p_t
    const Node L = graph.subtract(forms.kinetic, forms.potential);
    for (int i = 0; i < n; ++i) {
      const Node f = graph.add(graph.derivative(L, forms.q(i)), forms.forces[std::size_t(i)]);
      r.push_back(graph.subtract(f, turned[std::size_t(i)]));
    }
    // G, and M with what rows lend to it; then Y = M⁻¹Gᵀ, S = G Y.
    std::vector<Nodes> G(std::size_t(m), Nodes{}), Y, S;
    for (int i = 0; i < n; ++i) {
      const Nodes slope = graph.derivative(forms.g, forms.q(i));
      for (std::size_t k = 0; k < std::size_t(m); ++k) G[k].push_back(slope[k]);
    }
    for (Nodes& row : G) row = tidied(graph, row);
    for (std::size_t k = 0; k < forms.lends.size(); ++k)
      for (std::size_t i = 0; i < M.size() && forms.lends[k] != 0; ++i)
        for (std::size_t j = 0; j < M.size(); ++j)
          M[i][j] = graph.add(M[i][j], graph.multiply(graph.constant(forms.lent), graph.multiply(G[k][i], G[k][j])));
    const Algebra::Factor mass = algebra.factor(M);
    const Nodes a = algebra.solve(mass, r);
    for (const Nodes& row : G) Y.push_back(algebra.solve(mass, row));
    for (const Nodes& row : G) {
      Nodes of_row;
      for (const Nodes& column : Y) of_row.push_back(algebra.dot(row, column));
      S.push_back(of_row);
    }
    const auto multipliers = [&](const Nodes& of) {
      return m == 2 ? algebra.solve(algebra.pair(S), of) : algebra.solve(algebra.factor(S), of);
    };
    const Nodes rates = tidied(graph, along(forms.g)), bends = along(rates);
    const auto moved = [&](const Nodes& mu) {  // Y μ
      Nodes out;
      for (std::size_t i = 0; i < std::size_t(n); ++i) {
        Node sum = algebra.zero;
        for (std::size_t k = 0; k < std::size_t(m); ++k) sum = graph.add(sum, graph.multiply(Y[k][i], mu[k]));
        out.push_back(sum);
      }
      return out;
    };
    Nodes right;
    for (std::size_t k = 0; k < std::size_t(m); ++k) right.push_back(graph.add(algebra.dot(G[k], a), bends[k]));
    const Nodes held = moved(multipliers(right));
    for (std::size_t i = 0; i < std::size_t(n); ++i) accelerations.push_back(graph.subtract(a[i], held[i]));
    place = moved(multipliers(forms.g));
    slide = moved(multipliers(rates));
    // H = v·p − L, then g, G v + g_t and |G|² of each row.
    Nodes velocities;
    for (int i = 0; i < n; ++i) velocities.push_back(graph.variable(forms.v(i)));
    const Node H = graph.subtract(algebra.dot(velocities, p), L);
    measures = {H, forms.potential};
    measures.insert(measures.end(), forms.g.begin(), forms.g.end());
    measures.insert(measures.end(), rates.begin(), rates.end());
    for (const Nodes& row : G) measures.push_back(algebra.dot(row, row));
    // All at once, so that what they share stays shared.
    Nodes all = accelerations;
    for (const Nodes* one : {&place, &slide, &measures}) all.insert(all.end(), one->begin(), one->end());
    all = tidied(graph, all);
    auto next = all.begin();
    for (Nodes* one : {&accelerations, &place, &slide, &measures})
      for (Node& node : *one) node = *next++;
  }
};

/// Writes nodes as statements. What depends on numbers alone is put into a preparation.
class LaneWriter {
 public:
  explicit LaneWriter(const LaneForms& forms) : forms_(forms), graph_(forms.graph) {
    for (const Graph::Entry& e : graph_.entries()) {
      char moves = 0;
      if (e.op == Op::variable && e.a < forms.number(0)) moves = e.a < forms.v(0) ? slow : fast;
      e.each_argument([&](Node argument) { moves = char(moves | moves_[std::size_t(argument)]); });
      moves_.push_back(moves);
    }
  }

  std::string function(const std::string& name, const Nodes& outputs) {
    std::string out = "INLINE void " + name + "(V t, const V* q, const V* v, const V* c, V* out) {\n" + unused;
    std::unordered_map<Node, std::string> known;
    out += statements(outputs, known, "v", "x");
    for (std::size_t k = 0; k < outputs.size(); ++k)
      out += "  out[" + std::to_string(k) + "] = " + reference(outputs[k], known) + ";\n";
    return out + "}\n";
  }

  /// What ends a step: velocities that are moved onto the constraints, then accelerations and measures with these. What depends on places alone is computed
  /// once for all three, the factor of S most of all.
  std::string finish(const Nodes& slide, const Nodes& accelerations, const Nodes& measures) {
    std::string out = std::string("INLINE void finish(V t, const V* q, V* v, const V* c, V* a, V* now) {\n") + unused;
    std::unordered_map<Node, std::string> known;
    out += statements(slide, known, "v", "x");
    for (std::size_t i = 0; i < slide.size(); ++i)
      out += "  const V u" + std::to_string(i) + " = v[" + std::to_string(i) + "] - " + reference(slide[i], known) + ";\n";
    std::erase_if(known, [&](const auto& one) { return (moves_[std::size_t(one.first)] & fast) != 0; });
    Nodes rest = accelerations;
    rest.insert(rest.end(), measures.begin(), measures.end());
    out += statements(rest, known, "u", "y");
    const auto put = [&](const Nodes& from, const char* to) {
      for (std::size_t k = 0; k < from.size(); ++k)
        out += "  " + std::string(to) + "[" + std::to_string(k) + "] = " + reference(from[k], known) + ";\n";
    };
    put(accelerations, "a");
    put(measures, "now");
    for (std::size_t i = 0; i < slide.size(); ++i) out += "  v[" + std::to_string(i) + "] = u" + std::to_string(i) + ";\n";
    return out + "}\n";
  }

  /// After all functions.
  std::string preparation() const {
    std::string out = "INLINE void prepare(const V* number, V* c) {\n  (void)number; (void)c;\n";
    Nodes all;
    for (const auto& [node, place] : kept_) all.push_back(node);
    std::unordered_map<Node, std::string> known;
    for (const Node node : graph_.parts_of(all)) {
      const Graph::Entry& e = graph_.entries()[std::size_t(node)];
      if (e.op == Op::constant) continue;
      if (e.op == Op::variable) {
        known[node] = "number[" + std::to_string(e.a - forms_.number(0)) + "]";
        continue;
      }
      const auto of = [&](Node argument) {
        const Graph::Entry& of_it = graph_.entries()[std::size_t(argument)];
        return of_it.op == Op::constant ? literal(of_it.value) : known.at(argument);
      };
      known[node] = "x" + std::to_string(node);
      out += "  const V " + known[node] + " = " + expression(e, of) + ";\n";
    }
    for (const auto& [node, place] : kept_) out += "  c[" + std::to_string(place) + "] = " + known.at(node) + ";\n";
    return out + "}\n";
  }
  std::size_t prepared() const { return kept_.size(); }

  static std::string literal(double value) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "B(%a)", value);
    return text.data();
  }

 private:
  static constexpr char slow = 1, fast = 2;  // depends on t or q; on v
  static constexpr const char* unused = "  (void)t; (void)q; (void)v; (void)c;\n";

  /// Statements for what is not known yet. `v`: what velocities are called, an array, or u0, u1, …
  std::string statements(const Nodes& outputs, std::unordered_map<Node, std::string>& known, const std::string& v,
                         const std::string& prefix) {
    std::string out;
    for (const Node node : graph_.parts_of(outputs)) {
      const Graph::Entry& e = graph_.entries()[std::size_t(node)];
      if (e.op == Op::constant || moves_[std::size_t(node)] == 0 || known.contains(node)) continue;
      if (e.op == Op::variable) {
        known[node] = variable(e.a, v);
        continue;
      }
      const std::string text = expression(e, [&](Node argument) { return reference(argument, known); });
      known[node] = prefix + std::to_string(node);
      out += "  const V " + known[node] + " = " + text + ";\n";
    }
    return out;
  }
  std::string variable(int index, const std::string& v) const {
    if (index == forms_.time()) return "t";
    if (index < forms_.v(0)) return "q[" + std::to_string(index - 1) + "]";
    const std::string number = std::to_string(index - forms_.v(0));
    return v == "u" ? v + number : v + "[" + number + "]";
  }
  std::string reference(Node node, const std::unordered_map<Node, std::string>& known) {
    const Graph::Entry& e = graph_.entries()[std::size_t(node)];
    if (e.op == Op::constant) return literal(e.value);
    if (moves_[std::size_t(node)] != 0) return known.at(node);
    const auto [found, fresh] = kept_.emplace(node, kept_.size());
    return "c[" + std::to_string(found->second) + "]";
  }

  template <class Of> static std::string expression(const Graph::Entry& e, const Of& of) {
    const auto binary = [&](const char* sign) { return of(e.a) + " " + sign + " " + of(e.b); };
    const auto truth = [&](const std::string& condition) { return "(" + condition + ") ? B(1.0) : B(0.0)"; };
    switch (e.op) {
      case Op::add:
        return binary("+");
      case Op::subtract:
        return binary("-");
      case Op::multiply:
        return binary("*");
      case Op::divide:
        return binary("/");
      case Op::negate:
        return "-" + of(e.a);
      case Op::integer_power:
        return "whole_power<" + std::to_string(long(e.value)) + ">(" + of(e.a) + ")";
      case Op::less:
        return truth(binary("<"));
      case Op::less_equal:
        return truth(binary("<="));
      case Op::equal:
        return truth(binary("=="));
      case Op::both:
        return truth("(" + of(e.a) + " != 0.0) & (" + of(e.b) + " != 0.0)");
      case Op::either:
        return truth("(" + of(e.a) + " != 0.0) | (" + of(e.b) + " != 0.0)");
      case Op::opposite:
        return truth(of(e.a) + " == 0.0");
      case Op::select:
        return "(" + of(e.a) + " != 0.0) ? " + of(e.b) + " : " + of(e.c);
      case Op::step:
        return truth(of(e.a) + " >= 0.0");
      case Op::abs:
        return "magnitude(" + of(e.a) + ")";
      case Op::min:
        return "(" + binary("<") + ") ? " + of(e.a) + " : " + of(e.b);
      case Op::max:
        return "(" + binary(">") + ") ? " + of(e.a) + " : " + of(e.b);
      case Op::sign:
        return "(" + of(e.a) + " > 0.0) ? B(1.0) : (" + of(e.a) + " < 0.0) ? B(-1.0) : B(0.0)";
      case Op::sqrt:
        return "root(" + of(e.a) + ")";
      default:
        return function_name(e.op) + "(" + of(e.a) + (e.b >= 0 ? ", " + of(e.b) : "") + ")";
    }
  }
  static std::string function_name(Op op) {
    static const std::unordered_map<Op, std::string> names{
        {Op::power, "pow"}, {Op::sin, "sin"},   {Op::cos, "cos"},     {Op::tan, "tan"},    {Op::asin, "asin"},
        {Op::acos, "acos"}, {Op::atan, "atan"}, {Op::sinh, "sinh"},   {Op::cosh, "cosh"},  {Op::tanh, "tanh"},
        {Op::exp, "exp"},   {Op::log, "log"},   {Op::hypot, "hypot"}, {Op::atan2, "atan2"}};
    const auto found = names.find(op);
    require(found != names.end(), "an expression holds what lanes do not know");
    return "each_" + found->second;
  }

  const LaneForms& forms_;
  const Graph& graph_;
  std::vector<char> moves_;  // of nodes: slow, fast, both, or 0: they depend on numbers alone
  std::map<Node, std::size_t> kept_;
};

/// x + h Σ wⱼ kⱼ, written out without what is zero.
std::string weighted(const std::vector<double>& weights, const char* of) {
  std::string out;
  std::array<char, 96> text;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    std::snprintf(text.data(), text.size(), "%s%a * %s[%zu][i]", out.empty() ? "" : " + ", weights[j], of, j);
    out += text.data();
  }
  return out.empty() ? "B(0.0)" : out;
}

/// The stages of a step and the sums at its end.
std::string stages_of(const ExplicitTableau& tableau) {
  std::string out =
      "INLINE void stages(V t, V h, const V* q, const V* v, const V* c, V kv[][N], V ka[][N], V* q1, V* v1) {\n";
  out += "  V x[N], u[N];\n";
  for (std::size_t s = 1; s < tableau.b.size(); ++s) {
    out += "  for (int i = 0; i < N; ++i) x[i] = q[i] + h * (" + weighted(tableau.a[s], "kv") + "), u[i] = v[i] + h * (" +
           weighted(tableau.a[s], "ka") + ");\n";
    out += "  for (int i = 0; i < N; ++i) kv[" + std::to_string(s) + "][i] = u[i];\n";
    out += "  accelerate(t + " + LaneWriter::literal(tableau.c[s]) + " * h, x, u, c, ka[" + std::to_string(s) + "]);\n";
  }
  out += "  for (int i = 0; i < N; ++i) q1[i] = q[i] + h * (" + weighted(tableau.b, "kv") + "), v1[i] = v[i] + h * (" +
         weighted(tableau.b, "ka") + ");\n}\n";
  const auto estimate = [&](const char* name, const std::vector<double>& weights) {
    out += std::string("INLINE void ") + name + "(V h, V kv[][N], V ka[][N], V* e) {\n  (void)h; (void)kv; (void)ka;\n";
    out += "  for (int i = 0; i < N; ++i) e[i] = h * (" + weighted(weights, "kv") + "), e[N + i] = h * (" +
           weighted(weights, "ka") + ");\n}\n";
  };
  estimate("fine_error", tableau.error);
  estimate("coarse_error", tableau.coarse_error);
  return out;
}

}  // namespace

std::string lane_code(LaneForms forms, const ExplicitTableau& tableau, const std::vector<int>& groups, LaneTarget target,
                      bool adaptive, LaneLayout& layout) {
  const Equations equations(forms);
  LaneWriter writer(forms);
  std::string functions = writer.function("accelerate", equations.accelerations);
  functions += writer.function("place", equations.place);
  functions += writer.function("measure", equations.measures);
  functions += writer.finish(equations.slide, equations.accelerations, equations.measures);
  functions += writer.function("watch", forms.watched);
  functions += writer.function("happens", forms.event >= 0 ? Nodes{forms.event} : Nodes{});
  functions += writer.preparation();
  layout = {.n = forms.n, .rows = int(forms.g.size()), .watched = int(forms.watched.size()), .numbers = forms.numbers};
  const auto constant = [](const char* name, long value) {
    return std::string("static constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  };
  int largest_group = 0;
  for (const int group : groups) largest_group = std::max(largest_group, group);
  std::string out = lane_prelude(target);
  out += constant("N", forms.n) + constant("M", layout.rows) + constant("K", layout.watched) + constant("P", forms.numbers) +
         constant("C", long(writer.prepared())) + constant("S", long(tableau.b.size())) + constant("G", largest_group + 1) +
         constant("ORDER", tableau.order) + constant("ERROR_ORDER", tableau.error_order) +
         constant("EVENTS", forms.event >= 0 ? 1 : 0) + constant("DIRECTION", forms.direction) +
         constant("ADAPTIVE", adaptive ? 1 : 0) + constant("COARSE", tableau.coarse_error.empty() ? 0 : 1);
  out += "INLINE constexpr int group(int i) { return ";
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += "i == " + std::to_string(i) + " ? " + std::to_string(groups[i]) + " : ";
  out += "0; }\n" + functions + stages_of(tableau) + lane_driver(target);
  return out;
}

}  // namespace taut
