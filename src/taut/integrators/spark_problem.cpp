#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <taut/integrators/spark_problem.hpp>

namespace taut {
namespace {

/// Columns by address, each from its first entry on.
using Addresses = std::array<const double*, SparkTableau::most_stages + 1>;

/// out = start + Σ c[j] x[j] over `count` entries; no start means zero, and out may be start.
template <int J> void combine_columns(const double* start, const double* const* x, const double* c, int count, double* out) {
  for (int k = 0; k < count; ++k) {
    double sum = start != nullptr ? start[k] : 0.0;
    for (int j = 0; j < J; ++j) sum += c[j] * x[j][k];
    out[k] = sum;
  }
}

/// out = start + factor · Σⱼ C(i, j) x[j], four columns at a time.
void combine(const double* start, const Addresses& x, const Eigen::MatrixXd& C, Eigen::Index i, double factor, int count,
             double* out) {
  Addresses used;
  std::array<double, SparkTableau::most_stages + 1> c;
  int columns = 0;
  for (Eigen::Index j = 0; j < C.cols(); ++j)
    if (C(i, j) != 0.0) {
      used[columns] = x[j];
      c[columns++] = factor * C(i, j);
    }
  int done = 0;
  do {
    const int now = std::min(4, columns - done);
    const auto with = [&](auto size) {
      combine_columns<size.value>(start, used.data() + done, c.data() + done, count, out);
    };
    if (now == 0) with(std::integral_constant<int, 0>{});
    if (now == 1) with(std::integral_constant<int, 1>{});
    if (now == 2) with(std::integral_constant<int, 2>{});
    if (now == 3) with(std::integral_constant<int, 3>{});
    if (now == 4) with(std::integral_constant<int, 4>{});
    done += now;
    start = out;
  } while (done < columns);
}

/// The columns from entry `first` on.
template <class Matrix> Addresses columns_of(const Matrix& matrix, Eigen::Index first = 0) {
  Addresses out{};
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) out[j] = matrix.col(j).data() + first;
  return out;
}
Addresses columns_of(const std::vector<double*>& columns, Eigen::Index first) {
  Addresses out{};
  for (std::size_t j = 0; j < columns.size(); ++j) out[j] = columns[j] + first;
  return out;
}

/// Columns of z mixed among themselves: x ← x Cᵀ · factor, over `count` entries from `first` on.
void mix_in_place(const Eigen::MatrixXd& C, double factor, Eigen::Index first, Eigen::Index count, Eigen::Index stride,
                  Vector& z) {
  constexpr Eigen::Index tile = 256;
  std::array<std::array<double, tile>, SparkTableau::most_stages + 1> copies;
  Addresses from{};
  for (Eigen::Index k = 0; k < count; k += tile) {
    const int rows = int(std::min(tile, count - k));
    for (Eigen::Index j = 0; j < C.cols(); ++j) {
      double* column = z.data() + j * stride + first + k;
      std::copy_n(column, rows, copies[j].data());
      from[j] = copies[j].data();
    }
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      combine(nullptr, from, C, i, factor, rows, z.data() + i * stride + first + k);
    }
  }
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
      sliding_(assembly_.parts(), 5 * tableau.s + 3),
      Y_(tableau.s),
      nodes_(tableau.s + 1),
      momenta_(tableau.s + 1),
      forces_(tableau.s),
      reactions_(tableau.s + 1) {
  int row = 0, most = 0;
  for (const auto& block : system.constraints()) {
    const int rows = block->terms() * block->rows();
    holonomic_.segment(row, rows).setConstant(block->holonomic() ? 1.0 : 0.0);
    row += rows;
    most = std::max(most, rows);
  }
  conditions_.resize(most, t_.s + 1);
  mixed_ = (holonomic_.array() == 0.0).any();
  if (mixed_) last_ = Matrix::on(assembly_.layout());
}

bool SparkProblem::set_aside(const std::vector<int>& rows) {
  if (rows == dependent) return false;
  dependent = rows;
  on_.setOnes();
  for (const int row : dependent) on_[row] = 0.0;
  return true;
}

void SparkProblem::residual(const Vector& z, Vector& r) {
  const int s = t_.s;
  r.resize(unknowns());
  for (const Part& part : assembly_.parts()) {
    evaluate(part, z);
    add_momenta(part, z);
    // p − p₀ − h α f + h α̃ GᵀΛ at the stages and at the end, then Q.
    const int first = part.settled, count = part.done - part.settled;
    const Addresses forces = columns_of(forces_, first), reactions = columns_of(reactions_, first);
    for (int i = 0; i <= s; ++i) {
      double* out = momenta_[i] + first;
      Eigen::Map<Vector>(out, count) -= now->p.segment(first, count);
      combine(out, forces, t_.alpha, i, -h, count, out);
      if (m_ > 0) combine(out, reactions, t_.tilde, i, h, count, out);
    }
    const Addresses momenta = columns_of(momenta_, first);
    for (int i = 0; i <= s; ++i)
      combine(nullptr, momenta, t_.Q, i, 1.0, count, r.data() + std::ptrdiff_t(i) * (n_ + m_) + first);
    for (const Part::Rows& rows : part.constraints) conditions(rows, z, r);
  }
  for (const int row : dependent)
    for (int i = 0; i <= s; ++i) r[i * (n_ + m_) + n_ + row] = 0.0;
}

void SparkProblem::conditions(const Part::Rows& rows, const Vector& z, Vector& r) {
  const int s = t_.s;
  const ConstraintBlock& block = *system_.constraints()[rows.block];
  const auto V = velocities(z);
  const auto g = [&](int i) { return conditions_.col(i).data(); };
  const bool holonomic = block.holonomic();
  for (int i = 0; i < s; ++i) {
    if (holonomic) {
      block.values(time(t_.lobatto_c[i + 1]), nodes_[i + 1], g(i));
      conditions_.col(i).head(rows.count) /= h;
    } else {
      block.rates({time(t_.c[i]), Y_[i], V.col(i).data()}, g(i));
    }
  }
  block.rates({time(1.0), nodes_[s], V.col(s).data()}, g(s));
  const Addresses columns = columns_of(conditions_);
  for (int i = 0; i <= s; ++i) {
    double* out = r.data() + std::ptrdiff_t(i) * (n_ + m_) + n_ + rows.first;
    if (holonomic) {
      combine(nullptr, columns, t_.Q_check, i, 1.0, rows.count, out);
    } else if (i < s) {
      combine(nullptr, columns, t_.Q, i, 1.0, rows.count, out);
    } else {
      std::fill_n(out, rows.count, 0.0);
    }
  }
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
  return all();
}

void SparkProblem::solve(const Vector& r, Vector& dz) {
  const int s = t_.s;
  dz.resize(unknowns());
  if (full) {
    full_->matrix->solve(r, dz);
    return;
  }
  const std::ptrdiff_t size = n_ + m_;
  inner_->solve(r.data(), dz.data(), mixed_ ? s : s + 1);
  if (mixed_) last_->solve(r.data() + s * size, dz.data() + s * size, 1);
  mix_in_place(t_.Q_inverse, 1.0, 0, n_, size, dz);
  int row = 0;
  for (const auto& block : system_.constraints()) {
    const int rows = block->terms() * block->rows();
    mix_in_place(block->holonomic() ? t_.Q_tilde_inverse : t_.A_inverse, 1.0 / h, n_ + row, rows, size, dz);
    row += rows;
  }
}

double SparkProblem::size(const Vector& dz) const {
  double largest = 0.0;
  for (int i = 0; i <= t_.s; ++i) {
    const double column = largest_entry(dz.data() + std::ptrdiff_t(i) * (n_ + m_), n_);
    largest = column > largest || std::isnan(column) ? column : largest;
  }
  return largest;
}

void SparkProblem::finish(const Vector& z, State& next) {
  const int s = t_.s;
  next.q.resize(n_);
  next.p.resize(n_);
  for (const Part& part : assembly_.parts()) {
    evaluate(part, z);
    const int first = part.settled, count = part.done - part.settled;
    const auto column = [&](const double* address) { return Eigen::Map<const Vector>(address + first, count); };
    next.q.segment(first, count) = column(nodes_[s]);
    auto p = next.p.segment(first, count);
    p = now->p.segment(first, count);
    for (int j = 0; j < s; ++j) p += (h * t_.b[j]) * column(forces_[j]);
    for (int j = 0; m_ > 0 && j <= s; ++j) p -= (h * t_.lobatto_b[j]) * column(reactions_[j]);
  }
  next.v = velocities(z).col(s);
}

double SparkProblem::round_off() const { return std::numeric_limits<double>::epsilon() * size_of_q / std::abs(h); }

void SparkProblem::place(const Vector& z, int from, int to, const Eigen::MatrixXd& coefficients,
                         std::vector<double*>& places) const {
  const Addresses V = columns_of(velocities(z), from);
  for (std::size_t i = 0; i < places.size(); ++i)
    combine(now->q.data() + from, V, coefficients, Eigen::Index(i), h, to - from, places[i] + from);
}

void SparkProblem::evaluate(const Part& part, const Vector& z) {
  const int s = t_.s;
  sliding_.enter(part);
  int next = 0;
  for (std::vector<double*>* columns : {&Y_, &nodes_, &momenta_, &forces_, &reactions_})
    for (double*& column : *columns) column = sliding_.column(next++);
  place(z, part.from, part.to, t_.A, Y_);
  place(z, part.from, part.to, t_.bar, nodes_);
  for (std::vector<double*>* sums : {&momenta_, &forces_, &reactions_})
    for (double* sum : *sums) std::fill(sum + part.from, sum + part.to, 0.0);

  const auto V = velocities(z);
  const auto L = multipliers(z);
  for (int i = 0; i < s; ++i) system_.add_dynamics(part, {time(t_.c[i]), Y_[i], V.col(i).data()}, 0.0, 1.0, forces_[i]);
  for (const Part::Rows& rows : part.constraints) {
    const ConstraintBlock& block = *system_.constraints()[rows.block];
    if (block.holonomic())
      for (int j = 0; j <= s; ++j)
        block.add_forces(time(t_.lobatto_c[j]), nodes_[j], L.col(j).data() + rows.first, 1.0, reactions_[j]);
    else
      for (int i = 0; i < s; ++i)
        block.add_forces_at({time(t_.c[i]), Y_[i], V.col(i).data()}, L.col(i).data() + rows.first, -1.0, forces_[i]);
  }
}

void SparkProblem::add_momenta(const Part& part, const Vector& z) {
  const auto V = velocities(z);
  for (int i = 0; i <= t_.s; ++i) {
    const bool end = i == t_.s;
    system_.add_dynamics(part, {time(end ? 1.0 : t_.c[i]), end ? nodes_[i] : Y_[i], V.col(i).data()}, 1.0, 0.0, momenta_[i]);
  }
}

void SparkProblem::assemble(Matrix& matrix, const Instant& at, const Vector& rows) {
  for (const Part& part : assembly_.parts()) {
    assembly_.clear(part, matrix.values());
    assembly_.add_dynamics(part, at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, matrix.values());
    assembly_.add_directions(part, at, 1.0, matrix.values());
    assembly_.add_gradient(part, at, 1.0, rows.data(), matrix.values());
  }
  for (int row = 0; row < m_; ++row)
    if (rows[row] == 0.0) matrix.values()[matrix.layout().slot(n_ + row, n_ + row)] += 1.0;
}

bool SparkProblem::factor(Matrix& matrix, const Instant& at, const Vector& rows) {
  assemble(matrix, at, rows);
  return matrix.factor();
}

}  // namespace taut
