#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <taut/base/require.hpp>
#include <taut/study/lane_code.hpp>
#include <taut/study/lane_driver.hpp>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

/// Writes nodes as statements. What depends on numbers alone is put into a preparation.
class LaneWriter {
 public:
  explicit LaneWriter(const LaneForms& forms) : forms_(forms), graph_(forms.graph) {
    for (const Graph::Entry& e : graph_.entries()) {
      char moves = 0;
      if (e.op == Op::variable && (e.a < forms.number(0) || e.a >= forms.step())) moves = e.a < forms.v(0) ? slow : fast;
      e.each_argument([&](Node argument) { moves = char(moves | moves_[std::size_t(argument)]); });
      moves_.push_back(moves);
    }
  }

  /// `more`: what it takes besides a state.
  std::string function(const std::string& name, const Nodes& outputs, const std::string& more = "") {
    std::string out = "INLINE void " + name + "(V t, const V* q, const V* v" + more + ", const V* c, V* out) {\n" + unused;
    std::unordered_map<Node, std::string> known;
    operations = 0;
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
    operations = long(slide.size());
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
  long operations = 0;  ///< of the function that was written last

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
      ++operations;
    }
    return out;
  }
  std::string variable(int index, const std::string& v) const {
    if (index == forms_.time()) return "t";
    if (index < forms_.v(0)) return "q[" + std::to_string(index - 1) + "]";
    if (index == forms_.step()) return "h";
    if (index > forms_.step()) return "x[" + std::to_string(index - forms_.x(0)) + "]";
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
        return "(" + of(e.b) + " < " + of(e.a) + ") ? " + of(e.b) + " : " +
               of(e.a);  // as elsewhere, also of what is no number
      case Op::max:
        return "(" + of(e.b) + " > " + of(e.a) + ") ? " + of(e.b) + " : " + of(e.a);
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
      "INLINE Mask stages(V t, V h, V, const V* q, const V* v, const V* c, V kv[][N], V ka[][N], V* q1, V* v1) {\n";
  out += "  V x[N], u[N];\n";
  for (std::size_t s = 1; s < tableau.b.size(); ++s) {
    out += "  for (int i = 0; i < N; ++i) x[i] = q[i] + h * (" + weighted(tableau.a[s], "kv") + "), u[i] = v[i] + h * (" +
           weighted(tableau.a[s], "ka") + ");\n";
    out += "  for (int i = 0; i < N; ++i) kv[" + std::to_string(s) + "][i] = u[i];\n";
    out += "  accelerate(t + " + LaneWriter::literal(tableau.c[s]) + " * h, x, u, c, ka[" + std::to_string(s) + "]);\n";
  }
  out += "  for (int i = 0; i < N; ++i) q1[i] = q[i] + h * (" + weighted(tableau.b, "kv") + "), v1[i] = v[i] + h * (" +
         weighted(tableau.b, "ka") + ");\n  return ~ALL;\n}\n";
  return out;
}

/// How many operations the sums of the stages are.
long sums_of(const ExplicitTableau& tableau, int n) {
  long out = 0;
  const auto count = [&](const std::vector<double>& weights) {
    out += 4 * n * std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0.0; });
  };
  for (const std::vector<double>& row : tableau.a) count(row);
  count(tableau.b);
  return out;
}

/// What its error is, roughly.
std::string estimates_of(const ExplicitTableau& tableau) {
  std::string out;
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

std::string lane_code(LaneForms forms, const LaneStepping& stepping, const std::vector<int>& groups, LaneTarget target,
                      LaneLayout& layout) {
  const LaneEquations equations(forms, stepping.scheme);
  const ExplicitTableau& tableau = stepping.tableau;
  const bool implicit = stepping.scheme != LaneScheme::stages;
  LaneWriter writer(forms);
  std::string functions = writer.function("accelerate", equations.accelerations);
  long operations = sums_of(tableau, forms.n) + long(std::max<std::size_t>(1, tableau.b.size()) - 1) * writer.operations;
  functions += writer.function("place", equations.place);
  if (!implicit) operations += writer.operations;
  functions += writer.function("measure", equations.measures);
  functions += writer.finish(equations.slide, equations.accelerations, equations.measures);
  operations += writer.operations;
  functions += writer.function("watch", forms.watched);
  functions += writer.function("happens", forms.events);
  if (implicit) {
    constexpr long usual_corrections = 3;
    functions += writer.function("correct", equations.correction, ", V h, const V* x");
    operations += usual_corrections * writer.operations;
    functions += writer.function("arrive", equations.ending, ", V h, const V* x");
    operations += writer.operations;
  }
  functions += writer.preparation();
  layout = {.n = forms.n,
            .rows = int(forms.g.size()),
            .watched = int(forms.watched.size()),
            .numbers = forms.numbers,
            .operations = operations};
  const auto constant = [](const char* name, long value) {
    return std::string("static constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  };
  int largest_group = 0;
  for (const int group : groups) largest_group = std::max(largest_group, group);
  std::string out = lane_prelude(target);
  out += constant("N", forms.n) + constant("M", layout.rows) + constant("K", layout.watched) + constant("P", forms.numbers) +
         constant("C", long(writer.prepared())) + constant("S", long(tableau.b.size())) + constant("G", largest_group + 1) +
         constant("ORDER", tableau.order) + constant("ERROR_ORDER", tableau.error_order) +
         constant("EVENTS", long(forms.events.size())) + constant("ADAPTIVE", stepping.adaptive ? 1 : 0) +
         constant("IMPLICIT", implicit ? 1 : 0) + constant("COARSE", tableau.coarse_error.empty() ? 0 : 1);
  const auto list = [](const char* name, const std::vector<int>& values) {
    std::string text = std::string("INLINE constexpr int ") + name + "(int i) { return ";
    for (std::size_t i = 0; i < values.size(); ++i)
      text += "i == " + std::to_string(i) + " ? " + std::to_string(values[i]) + " : ";
    return text + "0; }\n";
  };
  out += list("group", groups) + list("direction", forms.directions) + functions;
  return out + (implicit ? lane_newton() : stages_of(tableau)) + estimates_of(tableau) + lane_driver(target);
}

}  // namespace taut
