#include <cmath>
#include <limits>
#include <taut/integrators/spark_problem.hpp>
#include <taut/linalg/rank.hpp>

namespace taut {
namespace {

constexpr double suspicious_pivots = 1e-13;

/// out += factor · X Cᵀ, column by column and without a temporary: columns of X mixed by the rows of C.
template <class From, class To> void add_mixed(const From& X, const Eigen::MatrixXd& C, double factor, To&& out) {
  for (Eigen::Index i = 0; i < C.rows(); ++i)
    for (Eigen::Index j = 0; j < C.cols(); ++j)
      if (C(i, j) != 0.0) out.col(i) += (factor * C(i, j)) * X.col(j);
}

}  // namespace

SparkProblem::SparkProblem(const System& system, const SparkTableau& tableau)
    : system_(system),
      t_(tableau),
      n_(system.size()),
      m_(system.constraint_count()),
      assembly_(system, Assembly::Parts{}),
      inner_(Matrix::on(assembly_.layout())),
      on_(Vector::Ones(m_)),
      holonomic_(Vector::Ones(m_)),
      Y_(Eigen::MatrixXd::Zero(n_, tableau.s)),
      nodes_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
      momenta_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
      forces_(Eigen::MatrixXd::Zero(n_, tableau.s)),
      reactions_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
      conditions_(Eigen::MatrixXd::Zero(m_, tableau.s + 1)),
      rates_(Eigen::MatrixXd::Zero(m_, tableau.s + 1)),
      mixed_rates_(rates_),
      part_(n_ + m_),
      lambda_(m_) {
  int row = 0;
  for (const auto& block : system.constraints())
    for (int k = 0; k < block->terms() * block->rows(); ++k) holonomic_[row++] = block->holonomic() ? 1.0 : 0.0;
  mixed_ = (holonomic_.array() == 0.0).any();
  if (mixed_) last_ = Matrix::on(assembly_.layout());
}

void SparkProblem::residual(const Vector& z, Vector& r) {
  evaluate(z);
  const int s = t_.s;
  const auto V = velocities(z);
  r.resize(unknowns());
  // p − p₀ − h α f + h α̃ GᵀΛ at the stages and at the end, then Q.
  for (int i = 0; i < s; ++i) momentum(t_.c[i], Y_.col(i).data(), V.col(i).data(), momenta_.col(i));
  momentum(1.0, nodes_.col(s).data(), V.col(s).data(), momenta_.col(s));
  add_mixed(forces_, t_.alpha, -h, momenta_);
  add_mixed(reactions_, t_.tilde, h, momenta_);
  momenta_.colwise() -= now->p;
  r.setZero();
  add_mixed(momenta_, t_.Q, 1.0, Eigen::Map<Eigen::MatrixXd>(r.data(), n_, s + 1));
  if (m_ == 0) return;

  for (int i = 1; i <= s; ++i)
    system_.constraint_values(time(t_.lobatto_c[i]), nodes_.col(i).data(), conditions_.col(i - 1).data());
  conditions_.leftCols(s) /= h;
  system_.constraint_rates({time(1.0), nodes_.col(s).data(), V.col(s).data()}, conditions_.col(s).data());
  Eigen::Map<Eigen::MatrixXd> C(r.data() + (s + 1) * n_, m_, s + 1);
  add_mixed(conditions_, t_.Q_check, 1.0, C);
  if (mixed_) {
    for (int i = 0; i < s; ++i)
      system_.constraint_rates({time(t_.c[i]), Y_.col(i).data(), V.col(i).data()}, rates_.col(i).data());
    rates_.col(s) = conditions_.col(s);
    mixed_rates_.setZero();
    add_mixed(rates_, t_.Q, 1.0, mixed_rates_);
    mixed_rates_.col(s).setZero();
    for (int row = 0; row < m_; ++row)
      if (holonomic_[row] == 0.0) C.row(row) = mixed_rates_.row(row);
  }
  for (const int row : dependent) C.row(row).setZero();
}

bool SparkProblem::linearize(const Vector& z) { return full ? linearize_full(z) : linearize_modified(z); }

bool SparkProblem::linearize_modified(const Vector& z) {
  // At the middle that z predicts.
  v_.setZero(n_);
  for (int j = 0; j < t_.s; ++j) v_ += t_.b[j] * velocities(z).col(j);
  q_ = now->q + 0.5 * h * v_;
  const Instant at{time(0.5), q_.data(), v_.data()};
  const auto all = [&] {
    if (mixed_) last_on_ = on_.cwiseProduct(holonomic_);
    return factor(*inner_, at, on_) && (!mixed_ || factor(*last_, at, last_on_));
  };
  if (all()) return true;
  if (m_ == 0) return false;
  // Constraints that repeat others are set aside.
  assemble(*inner_, at, Vector::Ones(m_));
  dependent = dependent_rows(lower_rows(*inner_, n_));
  on_.setOnes();
  for (const int row : dependent) on_[row] = 0.0;
  if (dependent.empty()) return false;
  return all();
}

void SparkProblem::solve(const Vector& r, Vector& dz) {
  const int s = t_.s;
  dz.resize(unknowns());
  if (full) {
    full_->matrix->solve(r, dz);
    return;
  }
  dz.setZero();
  for (int i = 0; i <= s; ++i) {
    part_.head(n_) = r.segment(i * n_, n_);
    part_.tail(m_) = r.segment((s + 1) * n_ + i * m_, m_);
    (i == s && mixed_ ? *last_ : *inner_).solve(part_, part_);
    momenta_.col(i) = part_.head(n_);
    conditions_.col(i) = part_.tail(m_);
  }
  add_mixed(momenta_, t_.Q_inverse, 1.0, Eigen::Map<Eigen::MatrixXd>(dz.data(), n_, s + 1));
  if (m_ == 0) return;
  Eigen::Map<Eigen::MatrixXd> L(dz.data() + (s + 1) * n_, m_, s + 1);
  add_mixed(conditions_, t_.Q_tilde_inverse, 1.0 / h, L);
  if (!mixed_) return;
  mixed_rates_.setZero();
  add_mixed(conditions_, t_.A_inverse, 1.0 / h, mixed_rates_);
  for (int row = 0; row < m_; ++row)
    if (holonomic_[row] == 0.0) L.row(row) = mixed_rates_.row(row);
}

double SparkProblem::size(const Vector& dz) const {
  const double largest = dz.head((t_.s + 1) * n_).lpNorm<Eigen::Infinity>(), trace = dz.sum();
  return largest + (trace - trace);  // not a number where an entry is not finite
}
void SparkProblem::finish(const Vector& z, State& next) {
  evaluate(z);
  next.q = nodes_.col(t_.s);
  next.v = velocities(z).col(t_.s);
  next.p = now->p;
  for (int j = 0; j < t_.s; ++j) next.p += (h * t_.b[j]) * forces_.col(j);
  for (int j = 0; j <= t_.s; ++j) next.p -= (h * t_.lobatto_b[j]) * reactions_.col(j);
}

double SparkProblem::round_off() const { return std::numeric_limits<double>::epsilon() * size_of_q / std::abs(h); }

void SparkProblem::momentum(double share, const double* q, const double* v, Eigen::Ref<Vector> out) const {
  out.setZero();
  system_.add_dynamics({time(share), q, v}, 1.0, 0.0, out.data());
}

void SparkProblem::evaluate(const Vector& z) {
  const int s = t_.s;
  const auto V = velocities(z).leftCols(s);
  const auto L = multipliers(z);
  Y_.colwise() = now->q;
  add_mixed(V, t_.A, h, Y_);
  nodes_.colwise() = now->q;
  add_mixed(V, t_.bar, h, nodes_);
  for (int i = 0; i < s; ++i) {
    forces_.col(i).setZero();
    system_.add_dynamics({time(t_.c[i]), Y_.col(i).data(), V.col(i).data()}, 0.0, 1.0, forces_.col(i).data());
    if (!mixed_) continue;
    lambda_ = L.col(i) - L.col(i).cwiseProduct(holonomic_);
    system_.add_constraint_forces(time(t_.c[i]), Y_.col(i).data(), lambda_.data(), -1.0, forces_.col(i).data());
  }
  reactions_.setZero();
  for (int j = 0; m_ > 0 && j <= s; ++j) {
    lambda_ = L.col(j).cwiseProduct(holonomic_);
    system_.add_constraint_forces(time(t_.lobatto_c[j]), nodes_.col(j).data(), lambda_.data(), 1.0,
                                  reactions_.col(j).data());
  }
}

void SparkProblem::assemble(Matrix& matrix, const Instant& at, const Vector& rows) {
  matrix.clear();
  assembly_.add_dynamics(assembly_.whole(), at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, matrix.values());
  if (m_ == 0) return;
  assembly_.add_directions(assembly_.whole(), at.t, at.q, 1.0, matrix.values());
  assembly_.add_gradient(assembly_.whole(), at.t, at.q, 1.0, rows.data(), matrix.values());
  for (int row = 0; row < m_; ++row)
    if (rows[row] == 0.0) matrix.values()[matrix.layout().slot(n_ + row, n_ + row)] += 1.0;
}

bool SparkProblem::factor(Matrix& matrix, const Instant& at, const Vector& rows) {
  assemble(matrix, at, rows);
  return matrix.factor() && (m_ == 0 || matrix.pivot_ratio() > suspicious_pivots);
}

SparkProblem::Full::Full(const System& system, int stages)
    : s(stages),
      n(system.size()),
      m(system.constraint_count()),
      assembly(system, Assembly::Parts{.curvature = true}),
      small(Vector::Zero(assembly.layout()->storage())) {
  const Layout& layout = *assembly.layout();
  const auto place = [&](int k, int i) { return i < n ? k * n + i : (s + 1) * n + k * m + (i - n); };
  std::vector<Layout::Entry> pattern;
  for (int j = 0; j < n + m; ++j)
    for (int e = layout.column_starts()[j]; e < layout.column_starts()[j + 1]; ++e) {
      const int i = layout.row_indices()[e];
      entries.push_back({i, j, layout.slot(i, j)});
      for (int k = 0; k <= s; ++k)
        for (int l = 0; l <= s; ++l) pattern.emplace_back(place(k, i), place(l, j));
    }
  const auto large = std::make_shared<const Layout>((s + 1) * (n + m), std::move(pattern));
  matrix = Matrix::on(large);
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

bool SparkProblem::linearize_full(const Vector& z) {
  if (!linearize_modified(z)) return false;  // finds the constraints that repeat others
  if (!full_) full_ = std::make_unique<Full>(system_, t_.s);
  Full& f = *full_;
  const Assembly& assembly = f.assembly;
  const int s = t_.s, n = n_, m = m_;
  evaluate(z);
  f.matrix->clear();
  const auto V = velocities(z);
  const auto L = multipliers(z);
  // Positions move by D = h (A; bᵀ) with the velocities of the stages; column s is v₁, which moves none.
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(s + 1, s + 1), B = D;
  D.leftCols(s) = h * t_.alpha;
  B.leftCols(s) = h * t_.bar;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(s + 1, s + 1), forces = -h * (t_.Q * t_.alpha),
                        reactions = h * (t_.Q * t_.tilde);
  const Vector velocity_rows = Vector::Ones(m) - holonomic_;
  Vector rows = on_.cwiseProduct(holonomic_);

  for (int l = 0; l <= s; ++l) {
    const double t = time(l < s ? t_.c[l] : 1.0);
    const Vector q = l < s ? Y_.col(l) : nodes_.col(s), v = V.col(l);
    const Instant at{t, q.data(), v.data()};
    const auto slopes = [&](const SlopeWeights& weights, const Eigen::MatrixXd& coefficients) {
      assembly.add_dynamics(assembly.whole(), at, weights, f.small.data());
      f.add(coefficients, 0, n, 0, n);
    };
    slopes({.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, t_.Q.col(l) * unit.row(l));
    slopes({.momentum = 1.0, .force = 0.0, .dq = 1.0, .dv = 0.0}, t_.Q.col(l) * D.row(l));
    if (l < s) {
      slopes({.momentum = 0.0, .force = 1.0, .dq = 0.0, .dv = 1.0}, forces.col(l) * unit.row(l));
      if (mixed_) {  // −K(Y)ᵀΨ turns with Y
        lambda_ = L.col(l).cwiseProduct(velocity_rows);
        assembly.add_curvature(assembly.whole(), t, q.data(), lambda_.data(), -1.0, f.small.data());
      }
      slopes({.momentum = 0.0, .force = 1.0, .dq = 1.0, .dv = 0.0}, forces.col(l) * D.row(l));
    }
    if (!mixed_) continue;
    if (l < s) {
      assembly.add_directions(assembly.whole(), t, q.data(), 1.0, f.small.data());
      f.add(-forces.col(l) * unit.row(l), 0, n, n, n + m, &velocity_rows);
    }
    const Vector kept = on_.cwiseProduct(velocity_rows);
    assembly.add_gradient(assembly.whole(), t, q.data(), 1.0, kept.data(), f.small.data());
    Eigen::MatrixXd coefficients = t_.Q.col(l) * unit.row(l);
    coefficients.row(s).setZero();
    f.add(coefficients, n, n + m, 0, n);
  }
  for (int j = 0; m > 0 && j <= s; ++j) {
    const double t = time(t_.lobatto_c[j]);
    const double* q = nodes_.col(j).data();
    lambda_ = L.col(j).cwiseProduct(holonomic_);
    assembly.add_curvature(assembly.whole(), t, q, lambda_.data(), 1.0, f.small.data());
    f.add(reactions.col(j) * B.row(j), 0, n, 0, n);
    assembly.add_directions(assembly.whole(), t, q, 1.0, f.small.data());
    f.add(reactions.col(j) * unit.row(j), 0, n, n, n + m, &holonomic_);
    if (j == 0) continue;
    assembly.add_gradient(assembly.whole(), t, q, 1.0, rows.data(), f.small.data());
    Eigen::MatrixXd coefficients = (1.0 / h) * t_.Q_check.col(j - 1) * B.row(j);
    if (j == s) coefficients += t_.Q_check.col(s) * unit.row(s);
    f.add(coefficients, n, n + m, 0, n);
  }
  if (m > 0) {
    // ∂(G v + g_t)/∂q at the end is the change of G along (1, v), because second derivatives commute.
    const Vector v = V.col(s);
    const double speed = v.lpNorm<Eigen::Infinity>(),
                 e = std::cbrt(std::numeric_limits<double>::epsilon()) * (speed > 0.0 ? size_of_q / speed : std::abs(h));
    for (const double side : {-1.0, 1.0}) {
      q_ = nodes_.col(s) + side * e * v;
      assembly.add_gradient(assembly.whole(), time(1.0) + side * e, q_.data(), side / (2.0 * e), rows.data(),
                            f.small.data());
    }
    f.add(t_.Q_check.col(s) * D.row(s), n, n + m, 0, n);
    // Rows that are not there: the last place of nonholonomic ones, and those that repeat others.
    const Layout& large = f.matrix->layout();
    for (int row = 0; row < m; ++row)
      for (int k = 0; k <= s; ++k) {
        const int i = (s + 1) * n + k * m + row;
        if (on_[row] == 0.0 || (holonomic_[row] == 0.0 && k == s)) f.matrix->values()[large.slot(i, i)] = 1.0;
      }
  }
  return f.matrix->factor();
}

}  // namespace taut
