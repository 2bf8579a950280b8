#include <taut/expression/algebra.hpp>
#include <taut/expression/outline.hpp>
#include <taut/study/lane_equations.hpp>
#include <taut/study/lane_tidy.hpp>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = LaneEquations::Nodes;

/// Matrices of expressions as lanes need them besides.
class LaneAlgebra : public NodeAlgebra {
 public:
  using NodeAlgebra::NodeAlgebra;
  using NodeAlgebra::solve;

  /// The same for any matrix, without exchanging rows: A = L D U with ones on the diagonals of L and U.
  struct Triangles {
    std::vector<Nodes> L, U;  // U by columns
    Nodes inverse;
  };
  Triangles triangles(const std::vector<Nodes>& A) const {
    Triangles out;
    for (std::size_t i = 0; i < A.size(); ++i) {
      Nodes row, column, scaled_row, scaled_column;  // of L and U, and times D
      for (std::size_t j = 0; j < i; ++j) {
        Node left = A[i][j], right = A[j][i];
        for (std::size_t k = 0; k < j; ++k) {
          left = graph.subtract(left, times(scaled_row[k], out.U[j][k]));
          right = graph.subtract(right, times(scaled_column[k], out.L[j][k]));
        }
        scaled_row.push_back(left);
        scaled_column.push_back(right);
        row.push_back(times(left, out.inverse[j]));
        column.push_back(times(right, out.inverse[j]));
      }
      Node d = A[i][i];
      for (std::size_t k = 0; k < i; ++k) d = graph.subtract(d, times(scaled_row[k], column[k]));
      out.L.push_back(row);
      out.U.push_back(column);
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
  Nodes solve(const Triangles& f, const Nodes& b) const { return solved(f.L, f.inverse, f.U, b); }
};

/// Momenta, forces, mass and rows of a system, of t, q, v.
struct LaneMechanics {
  LaneForms& forms;
  Graph& graph = forms.graph;
  LaneAlgebra algebra{graph};
  int n = forms.n, m = int(forms.g.size());
  Nodes p, f, rates;
  Node L;
  std::vector<Nodes> M, G;

  explicit LaneMechanics(LaneForms& of) : forms(of) {
    forms.g = tidied(graph, forms.g);
    L = graph.subtract(forms.kinetic, forms.potential);
    for (int i = 0; i < n; ++i) {
      p.push_back(graph.derivative(forms.kinetic, forms.v(i)));
      f.push_back(graph.add(graph.derivative(L, forms.q(i)), forms.forces[std::size_t(i)]));
    }
    for (int i = 0; i < n; ++i) M.push_back(graph.derivative(p, forms.v(i)));
    rates = along(forms.g);
    G.resize(std::size_t(m));
    for (int i = 0; i < n; ++i) {
      const Nodes slope = graph.derivative(forms.g, forms.q(i)), turn = graph.derivative(forms.k, forms.v(i));
      for (std::size_t k = 0; k < std::size_t(m); ++k) G[k].push_back(graph.add(slope[k], turn[k]));
    }
    for (std::size_t k = 0; k < std::size_t(m); ++k) rates[k] = graph.add(rates[k], forms.k[k]);
    rates = tidied(graph, rates);
    for (Nodes& row : G) row = tidied(graph, row);
  }

  /// d/dt at constant velocity.
  Nodes along(const Nodes& of) const {
    Nodes out = graph.derivative(of, forms.time());
    for (int i = 0; i < n; ++i) {
      const Nodes slope = graph.derivative(of, forms.q(i));
      for (std::size_t k = 0; k < of.size(); ++k)
        out[k] = graph.add(out[k], graph.multiply(slope[k], graph.variable(forms.v(i))));
    }
    return out;
  }

  /// A += w BᵀC of the rows that lend.
  void lend(std::vector<Nodes>& A, const std::vector<Nodes>& B, const std::vector<Nodes>& C) const {
    for (std::size_t k = 0; k < forms.lends.size(); ++k)
      for (std::size_t i = 0; i < A.size() && forms.lends[k] != 0; ++i)
        for (std::size_t j = 0; j < A.size(); ++j)
          A[i][j] = graph.add(A[i][j], graph.multiply(graph.constant(forms.lent), graph.multiply(B[k][i], C[k][j])));
  }
  /// b += sign · w Bᵀr of the same.
  void lend(Nodes& b, const std::vector<Nodes>& B, const Nodes& r, double sign) const {
    for (std::size_t k = 0; k < forms.lends.size(); ++k)
      for (std::size_t i = 0; i < b.size() && forms.lends[k] != 0; ++i)
        b[i] = graph.add(b[i], graph.multiply(graph.constant(sign * forms.lent), graph.multiply(B[k][i], r[k])));
  }

  /// Σ μₖ times column k.
  Nodes sum(const std::vector<Nodes>& columns, const Nodes& mu) const {
    Nodes out(std::size_t(n), algebra.zero);
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = graph.add(out[i], graph.multiply(columns[k][i], mu[k]));
    return out;
  }
};

/// Nodes at another place: (t + share h, q + share h x, x).
class LaneShift {
 public:
  LaneShift(const LaneForms& forms, Graph& graph, double share)
      : forms_(forms), graph_(graph), reach_(graph.multiply(graph.constant(share), graph.variable(forms.step()))) {}
  Nodes operator()(const Nodes& nodes) const {
    return transplanted(graph_, graph_, nodes, [&](int variable) {
      const Node own = graph_.variable(variable);
      if (variable == forms_.time()) return graph_.add(own, reach_);
      if (variable < forms_.v(0)) return graph_.add(own, graph_.multiply(reach_, x(variable - forms_.q(0))));
      if (variable < forms_.number(0)) return x(variable - forms_.v(0));
      return own;
    });
  }
  std::vector<Nodes> operator()(std::vector<Nodes> rows) const {
    for (Nodes& row : rows) row = (*this)(row);
    return rows;
  }

 private:
  Node x(int i) const { return graph_.variable(forms_.x(i)); }
  const LaneForms& forms_;
  Graph& graph_;
  Node reach_;
};

/// The equations of an implicit step: see LaneEquations.
void pose_step(LaneMechanics& of, LaneScheme scheme, Nodes& correction, Nodes& ending) {
  LaneForms& forms = of.forms;
  Graph& graph = of.graph;
  const LaneAlgebra& algebra = of.algebra;
  const auto n = std::size_t(of.n), m = std::size_t(of.m);
  const LaneShift begin(forms, graph, 0.0), middle(forms, graph, 0.5), end(forms, graph, 1.0);
  const Node h = graph.variable(forms.step()), half = graph.multiply(graph.constant(0.5), h);
  const bool trapezoid = scheme == LaneScheme::rattle;
  Nodes P = trapezoid ? begin(of.p) : middle(of.p), R;
  const Nodes F = trapezoid ? begin(of.f) : middle(of.f), P_end = end(of.p), F_end = trapezoid ? end(of.f) : F;
  for (std::size_t i = 0; i < n && trapezoid; ++i)
    if (P[i] != P_end[i]) P[i] = graph.multiply(graph.constant(0.5), graph.add(P[i], P_end[i]));
  for (std::size_t i = 0; i < n; ++i) R.push_back(graph.subtract(graph.subtract(P[i], graph.multiply(half, F[i])), of.p[i]));
  std::vector<Nodes> A(n);
  for (int j = 0; j < of.n; ++j) {
    const Nodes slope = graph.derivative(R, forms.x(j));
    for (std::size_t i = 0; i < n; ++i) A[i].push_back(slope[i]);
  }
  const std::vector<Nodes>&B = of.G, C = end(of.G);
  Nodes off = end(forms.g);  // g/h, so that C is G
  for (Node& one : off) one = graph.divide(one, h);
  of.lend(A, B, C);
  of.lend(R, B, off, 1.0);
  const LaneAlgebra::Triangles inner = algebra.triangles(A);
  const Nodes free = algebra.solve(inner, R);
  std::vector<Nodes> Y, S(m);
  for (const Nodes& row : B) Y.push_back(algebra.solve(inner, row));
  Nodes right;
  for (std::size_t k = 0; k < m; ++k) {
    for (const Nodes& column : Y) S[k].push_back(algebra.dot(C[k], column));
    right.push_back(graph.subtract(off[k], algebra.dot(C[k], free)));
  }
  const Nodes held = of.sum(Y, algebra.solve(algebra.triangles(S), right));
  for (std::size_t i = 0; i < n; ++i) correction.push_back(graph.add(free[i], held[i]));
  correction = tidied(graph, correction);
  // The end: v = x + M⁻¹(p(m) + h/2 f(m₊) − p(qₙ₊₁, x)).
  Nodes more;
  for (std::size_t i = 0; i < n; ++i)
    more.push_back(graph.add(graph.subtract(P[i], P_end[i]), graph.multiply(half, F_end[i])));
  std::vector<Nodes> mass = end(of.M);
  of.lend(mass, C, C);
  of.lend(more, C, end(of.rates), -1.0);
  const Nodes kick = algebra.solve(algebra.factor(mass), more);
  for (int i = 0; i < of.n; ++i)
    ending.push_back(graph.add(graph.variable(forms.q(i)), graph.multiply(h, graph.variable(forms.x(i)))));
  for (int i = 0; i < of.n; ++i) ending.push_back(graph.add(graph.variable(forms.x(i)), kick[std::size_t(i)]));
  ending = tidied(graph, ending);
}

}  // namespace

LaneEquations::LaneEquations(LaneForms& forms, LaneScheme scheme) {
  LaneMechanics of(forms);
  Graph& graph = forms.graph;
  const LaneAlgebra& algebra = of.algebra;
  const auto n = std::size_t(of.n), m = std::size_t(of.m);
  if (scheme != LaneScheme::stages) pose_step(of, scheme, correction, ending);
  // Y = M⁻¹Gᵀ and S = G Y, with what rows lend to M.
  std::vector<Nodes> mass = of.M, Y, S(m);
  of.lend(mass, of.G, of.G);
  const LaneAlgebra::Factor factor = algebra.factor(mass);
  Nodes r = of.along(of.p);  // f − p_q v − p_t
  for (std::size_t i = 0; i < n; ++i) r[i] = graph.subtract(of.f[i], r[i]);
  const Nodes a = algebra.solve(factor, r);
  for (const Nodes& row : of.G) Y.push_back(algebra.solve(factor, row));
  for (std::size_t k = 0; k < m; ++k)
    for (const Nodes& column : Y) S[k].push_back(algebra.dot(of.G[k], column));
  const auto moved = [&](const Nodes& by) {  // Y S⁻¹ of what rows are off by
    return of.sum(Y, m == 2 ? algebra.solve(algebra.pair(S), by) : algebra.solve(algebra.factor(S), by));
  };
  Nodes right = of.along(of.rates);
  for (std::size_t k = 0; k < m; ++k) right[k] = graph.add(algebra.dot(of.G[k], a), right[k]);
  const Nodes held = moved(right);
  for (std::size_t i = 0; i < n; ++i) accelerations.push_back(graph.subtract(a[i], held[i]));
  place = moved(forms.g);
  slide = moved(of.rates);
  Nodes velocities;
  for (int i = 0; i < of.n; ++i) velocities.push_back(graph.variable(forms.v(i)));
  const Node H = graph.subtract(algebra.dot(velocities, of.p), of.L);
  measures = {H, forms.potential};
  measures.insert(measures.end(), forms.g.begin(), forms.g.end());
  measures.insert(measures.end(), of.rates.begin(), of.rates.end());
  for (const Nodes& row : of.G) measures.push_back(algebra.dot(row, row));
  // All at once, so that what they share stays shared.
  Nodes all = accelerations;
  for (const Nodes* one : {&place, &slide, &measures}) all.insert(all.end(), one->begin(), one->end());
  all = tidied(graph, all);
  auto next = all.begin();
  for (Nodes* one : {&accelerations, &place, &slide, &measures})
    for (Node& node : *one) node = *next++;
}

}  // namespace taut
