#include <cmath>
#include <taut/study/lane_tidy.hpp>

namespace taut {
namespace {

/// Each node as a factor times another.
class Tidying {
 public:
  explicit Tidying(Graph& graph) : graph_(graph) {}

  std::vector<Graph::Node> made(const std::vector<Graph::Node>& nodes) {
    const std::vector<Graph::Node> parts = graph_.parts_of(nodes);
    for (const Graph::Node node : nodes) ++uses_[node];
    for (const Graph::Node node : parts)
      graph_.entries()[std::size_t(node)].each_argument([&](Graph::Node argument) { ++uses_[argument]; });
    for (const Graph::Node node : parts) known_[node] = scaled(node);
    std::vector<Graph::Node> out;
    for (const Graph::Node node : nodes) out.push_back(whole(known_.at(node)));
    return out;
  }

 private:
  struct Scaled {
    double factor;
    Graph::Node node;  // none: a number
  };
  static constexpr Graph::Node none = -1;

  Graph::Node whole(const Scaled& x) {
    if (x.node == none) return graph_.constant(x.factor);
    if (x.factor == 1.0) return x.node;
    if (x.factor == -1.0) return graph_.make(Op::negate, x.node);
    return graph_.multiply(graph_.constant(x.factor), x.node);
  }
  Scaled plain(Graph::Node node) const {
    double value = 0.0;
    if (graph_.is_constant(node, &value)) return {value, none};
    return {1.0, node};
  }
  static Scaled times(double factor, Scaled x) { return {factor * x.factor, x.node}; }

  /// Of two terms; a difference has one direction.
  Scaled pair(Scaled a, Scaled b) {
    if (a.node == none && b.node == none) return {a.factor + b.factor, none};
    if (a.node == b.node) return a.factor + b.factor == 0.0 ? Scaled{0.0, none} : Scaled{a.factor + b.factor, a.node};
    if (a.factor == 0.0) return b;
    if (b.factor == 0.0) return a;
    if (a.node == none || b.node == none || std::abs(a.factor) != std::abs(b.factor))
      return plain(graph_.add(whole(a), whole(b)));
    if (a.factor == b.factor) return times(a.factor, plain(graph_.add(a.node, b.node)));
    if (a.node > b.node) return times(b.factor, plain(graph_.subtract(b.node, a.node)));
    return times(a.factor, plain(graph_.subtract(a.node, b.node)));
  }

  /// A factor that two products share, and what is left of each; false where they share none.
  bool shared(const Scaled& a, const Scaled& b, Graph::Node& common, Graph::Node& left, Graph::Node& right) const {
    if (a.node == none || b.node == none || std::abs(a.factor) != std::abs(b.factor)) return false;
    const Graph::Entry &x = graph_.entries()[std::size_t(a.node)], &y = graph_.entries()[std::size_t(b.node)];
    if (x.op != Op::multiply || y.op != Op::multiply) return false;
    for (const auto& [p, q] : {std::pair(x.a, x.b), std::pair(x.b, x.a)})
      for (const auto& [r, s] : {std::pair(y.a, y.b), std::pair(y.b, y.a)})
        if (p == r) {
          common = p;
          left = q;
          right = s;
          return true;
        }
    return false;
  }

  /// Terms of a chain of sums, those with a common factor taken together: a·b + c + a·d is a·(b + d) + c.
  Scaled total(std::vector<Scaled> terms) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        Graph::Node common = none, left = none, right = none;
        if (terms[i].node == terms[j].node) {
          terms[i] = pair(terms[i], terms[j]);
        } else if (shared(terms[i], terms[j], common, left, right)) {
          const Scaled inner = pair(times(terms[i].factor, plain(left)), times(terms[j].factor, plain(right)));
          terms[i] = product({1.0, common}, inner);
        } else {
          continue;
        }
        terms.erase(terms.begin() + std::ptrdiff_t(j));
        j = i;
      }
    Scaled out{0.0, none};
    for (const Scaled& one : terms) out = pair(out, one);
    return out;
  }

  /// What a sum is the sum of, as far as nobody else uses what is in between.
  void collect(Graph::Node node, double factor, std::vector<Scaled>& terms) {
    const Graph::Entry e = graph_.entries()[std::size_t(node)];
    const bool inner = e.op == Op::add || e.op == Op::subtract;
    if (!inner || (uses_[node] > 1 && !terms_of_root_)) return terms.push_back(times(factor, known_.at(node)));
    terms_of_root_ = false;
    collect(e.a, factor, terms);
    collect(e.b, e.op == Op::subtract ? -factor : factor, terms);
  }
  Scaled sum(Graph::Node node) {
    std::vector<Scaled> terms;
    terms_of_root_ = true;
    collect(node, 1.0, terms);
    return total(std::move(terms));
  }
  Scaled product(Scaled a, Scaled b) {
    const double factor = a.factor * b.factor;
    if (factor == 0.0) return {0.0, none};
    if (a.node == none) return {factor, b.node};
    if (b.node == none) return {factor, a.node};
    return times(factor, plain(graph_.multiply(a.node, b.node)));
  }

  Scaled scaled(Graph::Node node) {
    const Graph::Entry e = graph_.entries()[std::size_t(node)];  // a copy: the graph grows
    const auto of = [&](Graph::Node argument) { return known_.at(argument); };
    switch (e.op) {
      case Op::constant:
        return {e.value, none};
      case Op::variable:
      case Op::table:
        return {1.0, node};
      case Op::negate:
        return times(-1.0, of(e.a));
      case Op::add:
      case Op::subtract:
        return sum(node);
      case Op::multiply:
        return product(of(e.a), of(e.b));
      case Op::divide: {
        const Scaled a = of(e.a), b = of(e.b);
        if (b.node == none) return times(1.0 / b.factor, a);
        const Graph::Node above = a.node == none ? graph_.constant(1.0) : a.node;
        return times(a.factor / b.factor, plain(graph_.divide(above, b.node)));
      }
      case Op::integer_power: {
        const Scaled a = of(e.a);
        return times(std::pow(a.factor, e.value), plain(graph_.make(Op::power, a.node, graph_.constant(e.value))));
      }
      default: {
        const auto argument = [&](int k) { return k >= 0 ? whole(of(k)) : none; };
        return plain(graph_.make(e.op, argument(e.a), argument(e.b), argument(e.c)));
      }
    }
  }

  Graph& graph_;
  std::unordered_map<Graph::Node, Scaled> known_;
  std::unordered_map<Graph::Node, int> uses_;
  bool terms_of_root_ = false;  // the sum itself is taken apart, whoever uses it
};

}  // namespace

std::vector<Graph::Node> tidied(Graph& graph, const std::vector<Graph::Node>& nodes) { return Tidying(graph).made(nodes); }

}  // namespace taut
