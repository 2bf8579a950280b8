#include <cmath>
#include <limits>
#include <taut/integrators/spark_problem.hpp>
#include <taut/linalg/tied_ordering.hpp>

/// The full matrix of a SPARK step, where the modified one contracts badly.
namespace taut {

SparkProblem::Full::Full(const System& system, int stages)
    : s(stages),
      n(system.size()),
      m(system.constraint_count()),
      assembly(system, Assembly::Parts{.curvature = true}),
      whole(whole_of(system)),
      small(Vector::Zero(assembly.layout()->storage())),
      Y(n, s),
      nodes(n, s + 1) {
  const Layout& layout = *assembly.layout();
  const auto place = [&](int k, int i) { return k * (n + m) + i; };
  std::vector<Layout::Entry> pattern;
  for (int j = 0; j < n + m; ++j)
    for (int e = layout.column_starts()[j]; e < layout.column_starts()[j + 1]; ++e) {
      const int i = layout.row_indices()[e];
      entries.push_back({i, j, layout.slot(i, j)});
      for (int k = 0; k <= s; ++k)
        for (int l = 0; l <= s; ++l) pattern.emplace_back(place(k, i), place(l, j));
    }
  const auto large = std::make_shared<const Layout>((s + 1) * (n + m), pattern);
  // The copies of an unknown are eliminated one after the other, where it would be in the small matrix.
  std::vector<int> order;
  for (const int i : tied_ordering(layout))
    for (int k = 0; k <= s; ++k) order.push_back(place(k, i));
  matrix = Matrix::on(large, std::move(order));
  slots.reserve(entries.size() * (s + 1) * (s + 1));
  for (const Entry& entry : entries)
    for (int k = 0; k <= s; ++k)
      for (int l = 0; l <= s; ++l) slots.push_back(large->slot(place(k, entry.row), place(l, entry.column)));
}

/// Adds the part of the small matrix in the given rows and columns, the latter weighted if asked, and clears it.
void SparkProblem::Full::add(const Eigen::MatrixXd& coefficients, int first_row, int end_row, int first_column,
                             int end_column, const Vector* columns) {
  double* values = matrix->values();
  const int* slot = slots.data();
  for (const Entry& entry : entries) {
    double value = small[entry.slot];
    if (columns != nullptr && entry.column >= n) value *= (*columns)[entry.column - n];
    const bool inside =
        entry.row >= first_row && entry.row < end_row && entry.column >= first_column && entry.column < end_column;
    if (inside && value != 0.0)
      for (int k = 0; k <= s; ++k)
        for (int l = 0; l <= s; ++l) values[slot[k * (s + 1) + l]] += coefficients(k, l) * value;
    slot += (s + 1) * (s + 1);
  }
  small.setZero();
}

/// What positions, reactions and conditions of the stages have to do with velocities and multipliers.
struct SparkProblem::FullWeights {
  FullWeights(const SparkTableau& t, double h, const Vector& holonomic, const Vector& on)
      : D(Eigen::MatrixXd::Zero(t.s + 1, t.s + 1)),
        B(D),
        unit(Eigen::MatrixXd::Identity(t.s + 1, t.s + 1)),
        forces(-h * (t.Q * t.alpha)),
        reactions(h * (t.Q * t.tilde)),
        velocity_rows(Vector::Ones(on.size()) - holonomic),
        position_rows(on.cwiseProduct(holonomic)),
        kept(on.cwiseProduct(velocity_rows)) {
    D.leftCols(t.s) = h * t.alpha;
    B.leftCols(t.s) = h * t.bar;
  }

  Eigen::MatrixXd D,
      B;  // positions move by D = h (A; bᵀ) with the velocities of the stages; column s is v₁, which moves none
  Eigen::MatrixXd unit, forces, reactions;
  Vector velocity_rows, position_rows, kept;
};

bool SparkProblem::linearize_full(const Vector& z) {
  if (!linearize_modified(z)) return false;
  if (!full_) full_ = std::make_unique<Full>(system_, t_.s);
  Full& f = *full_;
  const int s = t_.s, n = n_, m = m_;
  const auto addresses = [](Eigen::MatrixXd& columns) {
    std::vector<double*> out;
    for (Eigen::Index k = 0; k < columns.cols(); ++k) out.push_back(columns.col(k).data());
    return out;
  };
  std::vector<double*> stages = addresses(f.Y), lobatto = addresses(f.nodes);
  place(z, 0, n, t_.A, stages);
  place(z, 0, n, t_.bar, lobatto);
  f.matrix->clear();
  const FullWeights w(t_, h, holonomic_, on_);
  for (int l = 0; l <= s; ++l) add_full_stage(l, z, w);
  for (int j = 0; m > 0 && j <= s; ++j) add_full_node(j, z, w);
  if (m > 0) {
    add_full_rates(z, w);
    // Rows that are not there: the last place of nonholonomic ones, and those that repeat others.
    const Layout& large = f.matrix->layout();
    for (int row = 0; row < m; ++row)
      for (int k = 0; k <= s; ++k) {
        const int i = k * (n + m) + n + row;
        if (on_[row] == 0.0 || (holonomic_[row] == 0.0 && k == s)) f.matrix->values()[large.slot(i, i)] = 1.0;
      }
  }
  return f.matrix->factor();
}

/// Momenta, forces and nonholonomic constraints at a stage; at the end momenta alone.
void SparkProblem::add_full_stage(int l, const Vector& z, const FullWeights& w) {
  Full& f = *full_;
  const int s = t_.s, n = n_, m = m_;
  const Vector q = l < s ? f.Y.col(l) : f.nodes.col(s), v = velocities(z).col(l);
  const Instant at{time(l < s ? t_.c[l] : 1.0), q.data(), v.data()};
  const auto slopes = [&](const SlopeWeights& weights, const Eigen::MatrixXd& coefficients) {
    f.assembly.add_dynamics(f.whole, at, weights, f.small.data());
    f.add(coefficients, 0, n, 0, n);
  };
  slopes({.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, t_.Q.col(l) * w.unit.row(l));
  slopes({.momentum = 1.0, .force = 0.0, .dq = 1.0, .dv = 0.0}, t_.Q.col(l) * w.D.row(l));
  if (l < s) {
    slopes({.momentum = 0.0, .force = 1.0, .dq = 0.0, .dv = 1.0}, w.forces.col(l) * w.unit.row(l));
    if (mixed_) {  // −K(Y)ᵀΨ turns with Y
      const Vector psi = multipliers(z).col(l).cwiseProduct(w.velocity_rows);
      f.assembly.add_curvature(f.whole, at, psi.data(), -1.0, f.small.data());
    }
    slopes({.momentum = 0.0, .force = 1.0, .dq = 1.0, .dv = 0.0}, w.forces.col(l) * w.D.row(l));
  }
  if (!mixed_) return;
  if (l < s) {
    f.assembly.add_directions(f.whole, at, 1.0, f.small.data());
    f.add(-w.forces.col(l) * w.unit.row(l), 0, n, n, n + m, &w.velocity_rows);
  }
  f.assembly.add_gradient(f.whole, at, 1.0, w.kept.data(), f.small.data());
  Eigen::MatrixXd coefficients = t_.Q.col(l) * w.unit.row(l);
  coefficients.row(s).setZero();
  f.add(coefficients, n, n + m, 0, n);
}

/// Reactions at a Lobatto node, and the conditions on positions there.
void SparkProblem::add_full_node(int j, const Vector& z, const FullWeights& w) {
  Full& f = *full_;
  const int s = t_.s, n = n_, m = m_;
  const double t = time(t_.lobatto_c[j]);
  const double* q = f.nodes.col(j).data();
  const Vector lambda = multipliers(z).col(j).cwiseProduct(holonomic_);
  f.assembly.add_curvature(f.whole, t, q, lambda.data(), 1.0, f.small.data());
  f.add(w.reactions.col(j) * w.B.row(j), 0, n, 0, n);
  f.assembly.add_directions(f.whole, t, q, 1.0, f.small.data());
  f.add(w.reactions.col(j) * w.unit.row(j), 0, n, n, n + m, &holonomic_);
  if (j == 0) return;
  f.assembly.add_gradient(f.whole, t, q, 1.0, w.position_rows.data(), f.small.data());
  Eigen::MatrixXd coefficients = (1.0 / h) * t_.Q_check.col(j - 1) * w.B.row(j);
  if (j == s) coefficients += t_.Q_check.col(s) * w.unit.row(s);
  f.add(coefficients, n, n + m, 0, n);
}

/// ∂(G v + g_t)/∂q at the end: the change of G along (1, v), because second derivatives commute.
void SparkProblem::add_full_rates(const Vector& z, const FullWeights& w) {
  Full& f = *full_;
  const int s = t_.s, n = n_, m = m_;
  const Vector v = velocities(z).col(s);
  const double speed = v.lpNorm<Eigen::Infinity>(),
               e = std::cbrt(std::numeric_limits<double>::epsilon()) * (speed > 0.0 ? size_of_q / speed : std::abs(h));
  for (const double side : {-1.0, 1.0}) {
    q_ = f.nodes.col(s) + side * e * v;
    f.assembly.add_gradient(f.whole, time(1.0) + side * e, q_.data(), side / (2.0 * e), w.position_rows.data(),
                            f.small.data());
  }
  f.add(t_.Q_check.col(s) * w.D.row(s), n, n + m, 0, n);
}

}  // namespace taut
