#include "callable_blocks.hpp"

#include <cmath>
#include <memory>
#include <taut/base/require.hpp>

namespace taut::python {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Functions of Python's, which die with the interpreter's lock, wherever the last copy of a system goes.
struct Functions {
  nb::object a, b, c, d;
};

std::shared_ptr<const Functions> kept(Functions functions) {
  return {new Functions(std::move(functions)), [](const Functions* f) {
            const nb::gil_scoped_acquire gil;
            delete f;
          }};
}

/// A view for a function to look at; it must not keep it.
nb::object look(const double* numbers, std::size_t size) {
  auto* copy = new std::vector<double>(numbers, numbers + size);
  const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy->data(), {size}, owner));
}

Vector vector_from(nb::handle object, const char* name, int size) {
  Given given;
  if (!nb::try_cast(nb::module_::import_("numpy").attr("ascontiguousarray")(object, "float64"), given))
    throw InputError(message("{} must return numbers.", name));
  Vector out = to_vector(given);
  require(size < 0 || out.size() == size, "{} must return {} numbers, got {}.", name, size, out.size());
  return out;
}

Matrix matrix_from(nb::handle object, const char* name, int rows, int columns) {
  GivenRows given;
  if (!nb::try_cast(nb::module_::import_("numpy").attr("ascontiguousarray")(object, "float64"), given))
    throw InputError(message("{} must be a matrix.", name));
  require(int(given.shape(0)) == rows && int(given.shape(1)) == columns,
          "{} must have {} rows and {} columns, got {} and {}.", name, rows, columns, given.shape(0), given.shape(1));
  return Eigen::Map<const Matrix>(given.data(), rows, columns);
}

/// Where the errors of truncation and of round-off of the differences below meet: a millionth of a millionth is left of both.
double difference(double size) { return 7e-4 * std::max(1.0, std::abs(size)); }

/// The slope at 0 of a function of one number, of order 4.
template <class Of> auto slope_of(const Of& of, double h) {
  return ((8.0 * (of(h) - of(-h)) - (of(2.0 * h) - of(-2.0 * h))) / (12.0 * h)).eval();
}

/// The second derivative there, of order 4.
template <class Of> auto bend_of(const Of& of, double h) {
  return ((16.0 * (of(h) + of(-h)) - (of(2.0 * h) + of(-2.0 * h)) - 30.0 * of(0.0)) / (12.0 * h * h)).eval();
}

class CallableDynamics final : public DynamicsBlock, public DiscreteForces {
 public:
  CallableDynamics(std::vector<int> stencil, CallableTerms terms)
      : n_(int(stencil.size())), acts_(terms.acts < 0 ? n_ : terms.acts), name_(std::move(terms.name)) {
    stencils_ = std::move(stencil);
    nb::object& M = terms.M;
    if (!M.is_none() && !PyCallable_Check(M.ptr())) {
      mass_ = matrix_from(M, "M", n_, n_);
      require(mass_.isApprox(mass_.transpose(), 1e-12), "M must be symmetric.");
      M = nb::none();
    }
    functions_ = kept({std::move(M), std::move(terms.f), std::move(terms.V), std::move(terms.slopes)});
  }

  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<CallableDynamics>(*this); }
  int terms() const override { return 1; }
  int width() const override { return n_; }
  std::string name(int) const override { return name_; }
  bool constant_mass() const override { return functions_->a.is_none(); }
  bool conservative() const override { return false; }

  double kinetic(const Instant& at) const override {
    const Vector v = local(at.v);
    return 0.5 * v.dot(mass(local(at.q)) * v);
  }
  double potential(const Instant& at) const override {
    if (functions_->c.is_none()) return 0.0;
    const nb::gil_scoped_acquire gil;
    const Vector q = local(at.q);
    return nb::cast<double>(
        nb::module_::import_("builtins").attr("float")(functions_->c(at.t, look(q.data(), std::size_t(n_)))));
  }
  void add(const Instant& at, double momentum, double force, double* out) const override {
    scatter(value(at.t, local(at.q), local(at.v), momentum, force), 1.0, out);
  }
  void add_inertial(const Instant& at, double weight, double* out) const override {
    if (!constant_mass()) scatter(mass_rate(local(at.q), local(at.v)), weight, out);
  }
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const override {
    add_slopes(at.t, local(at.q), local(at.v), w, slots, values);
  }

  /// Forces alone are taken in the middle of the step.
  const DiscreteForces* discrete() const override { return constant_mass() && mass_.size() == 0 ? this : nullptr; }
  void add_discrete(const Segment& step, double weight, double* out) const override {
    scatter(value(step.t, middle(step.q0, step.q1), middle(step.v0, step.v1), 0.0, weight), 1.0, out);
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    add_slopes(step.t, middle(step.q0, step.q1), middle(step.v0, step.v1), {0.0, weight, 0.5 * dq, 0.5}, slots, values);
  }

 private:
  void add_slopes(double t, const Vector& q, const Vector& v, const SlopeWeights& w, const int* slots,
                  double* values) const {
    const bool given = !functions_->d.is_none() && w.force != 0.0;
    if (given) add_given_slopes(t, q, v, w, slots, values);
    for (int j = 0; j < n_; ++j) {
      if (given && constant_mass()) {  // what is left is M
        for (int i = 0; mass_.size() > 0 && i < n_; ++i) values[slots[i * n_ + j]] += w.momentum * w.dv * mass_(i, j);
        continue;
      }
      // Along x_j both move at once.
      const double h = difference(std::max(std::abs(q[j]), std::abs(v[j])));
      const Vector e = Vector::Unit(n_, j);
      const Vector slope =
          slope_of([&](double s) { return value(t, q + s * w.dq * e, v + s * w.dv * e, w.momentum, w.force, !given); }, h);
      for (int i = 0; i < n_; ++i) values[slots[i * n_ + j]] += slope[i];
    }
  }

  Vector middle(const double* first, const double* second) const { return 0.5 * (local(first) + local(second)); }
  Vector local(const double* all) const {
    Vector out(n_);
    for (int i = 0; i < n_; ++i) out[i] = all != nullptr ? all[stencils_[std::size_t(i)]] : 0.0;
    return out;
  }
  void scatter(const Vector& of, double weight, double* out) const {
    for (int i = 0; i < n_; ++i) out[stencils_[std::size_t(i)]] += weight * of[i];
  }
  Matrix mass(const Vector& q) const {
    if (functions_->a.is_none()) return mass_.size() > 0 ? mass_ : Matrix::Zero(n_, n_);
    const nb::gil_scoped_acquire gil;
    return matrix_from(functions_->a(look(q.data(), std::size_t(n_))), "M(q)", n_, n_);
  }
  /// Ṁ v.
  Vector mass_rate(const Vector& q, const Vector& v) const {
    const double h = difference(0.0) / std::max(1.0, v.lpNorm<Eigen::Infinity>());
    return slope_of([&](double s) -> Vector { return mass(q + s * v) * v; }, h);
  }
  /// f, or M and Ṁ alone.
  Vector value(double t, const Vector& q, const Vector& v, double momentum, double force, bool with_f = true) const {
    Vector out = Vector::Zero(n_);
    if (momentum != 0.0) out += momentum * (mass(q) * v);
    if (force == 0.0) return out;
    if (with_f) {
      const nb::gil_scoped_acquire gil;
      const nb::object f = functions_->b(t, look(q.data(), std::size_t(n_)), look(v.data(), std::size_t(n_)));
      out.head(acts_) += force * vector_from(f, name_.c_str(), acts_);
    }
    if (!constant_mass()) out += force * mass_rate(q, v);
    return out;
  }
  void add_given_slopes(double t, const Vector& q, const Vector& v, const SlopeWeights& w, const int* slots,
                        double* values) const {
    const nb::gil_scoped_acquire gil;
    const nb::object both = functions_->d(t, look(q.data(), std::size_t(n_)), look(v.data(), std::size_t(n_)));
    nb::tuple two;
    if (!nb::try_cast(both, two) || two.size() != 2)
      throw InputError(message("slopes of {} must return two matrices, those in q and in v.", name_));
    const Matrix in_q = matrix_from(two[0], "slopes in q", acts_, n_), in_v = matrix_from(two[1], "slopes in v", acts_, n_);
    for (int i = 0; i < acts_; ++i)
      for (int j = 0; j < n_; ++j) values[slots[i * n_ + j]] += w.force * (w.dq * in_q(i, j) + w.dv * in_v(i, j));
  }

  int n_, acts_;
  std::string name_;
  Matrix mass_;
  std::shared_ptr<const Functions> functions_;
};

class CallableConstraints final : public ConstraintBlock {
 public:
  CallableConstraints(int coordinates, double t, const Vector& q, nb::object g, nb::object G) : n_(coordinates) {
    for (int i = 0; i < n_; ++i) stencils_.push_back(i);
    functions_ = kept({std::move(g), std::move(G), {}, {}});
    rows_ = -1;
    rows_ = int(map(t, q).size());
    require(rows_ > 0, "g must return at least one number.");
  }

  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<CallableConstraints>(*this); }
  int terms() const override { return 1; }
  int width() const override { return n_; }
  int rows() const override { return rows_; }
  Set set(int) const override { return Set::zero; }
  std::string name(int) const override { return "g"; }

  void values(double t, const double* q, double* out) const override {
    Eigen::Map<Vector>(out, rows_) = map(t, Eigen::Map<const Vector>(q, n_));
  }
  void rates(const Instant& at, double* out) const override {
    Eigen::Map<Vector>(out, rows_) = rate(at.t, Eigen::Map<const Vector>(at.q, n_), Eigen::Map<const Vector>(at.v, n_));
  }
  void accelerations(const Instant& at, double* out) const override {
    const Eigen::Map<const Vector> q(at.q, n_), v(at.v, n_);
    const double h = difference(0.0) / std::max(1.0, v.lpNorm<Eigen::Infinity>());
    if (functions_->b.is_none()) {
      Eigen::Map<Vector>(out, rows_) = bend_of([&](double s) { return map(at.t + s, q + s * v); }, 3.0 * h);
    } else {
      Eigen::Map<Vector>(out, rows_) = slope_of([&](double s) { return rate(at.t + s, q + s * v, v); }, h);
    }
  }
  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    Eigen::Map<Vector>(out, n_) +=
        weight * gradient(t, Eigen::Map<const Vector>(q, n_)).transpose() * Eigen::Map<const Vector>(lambda, rows_);
  }
  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    const Matrix G = gradient(t, Eigen::Map<const Vector>(q, n_));
    for (int r = 0; r < rows_; ++r)
      for (int i = 0; i < n_; ++i)
        values[slots[r * n_ + i]] += weight * (row_weight != nullptr ? row_weight[r] : 1.0) * G(r, i);
  }
  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    const Eigen::Map<const Vector> here(q, n_), l(lambda, rows_);
    for (int j = 0; j < n_; ++j) {
      const Vector e = Vector::Unit(n_, j);
      const Vector slope =
          slope_of([&](double s) -> Vector { return gradient(t, here + s * e).transpose() * l; }, difference(here[j]));
      for (int i = 0; i < n_; ++i) values[slots[i * n_ + j]] += weight * slope[i];
    }
  }
  std::unique_ptr<DynamicsBlock> penalized(double) const override {
    throw InputError("constraints given by functions are held exactly; write a penalty into f.");
  }

 private:
  Vector map(double t, const Vector& q) const {
    const nb::gil_scoped_acquire gil;
    return vector_from(nb::module_::import_("numpy").attr("atleast_1d")(functions_->a(t, look(q.data(), std::size_t(n_)))),
                       "g", rows_);
  }
  Matrix gradient(double t, const Vector& q) const {
    if (!functions_->b.is_none()) {
      const nb::gil_scoped_acquire gil;
      return matrix_from(nb::module_::import_("numpy").attr("atleast_2d")(functions_->b(t, look(q.data(), std::size_t(n_)))),
                         "G", rows_, n_);
    }
    Matrix out(rows_, n_);
    for (int j = 0; j < n_; ++j) {
      const Vector e = Vector::Unit(n_, j);
      out.col(j) = slope_of([&](double s) { return map(t, q + s * e); }, difference(q[j]));
    }
    return out;
  }
  Vector rate(double t, const Vector& q, const Vector& v) const {
    if (functions_->b.is_none()) {
      const double h = difference(0.0) / std::max(1.0, v.lpNorm<Eigen::Infinity>());
      return slope_of([&](double s) { return map(t + s, q + s * v); }, h);
    }
    return gradient(t, q) * v + slope_of([&](double s) { return map(t + s, q); }, difference(0.0));
  }

  int n_, rows_;
  std::shared_ptr<const Functions> functions_;
};

}  // namespace

std::unique_ptr<DynamicsBlock> callable_dynamics(std::vector<int> stencil, CallableTerms terms) {
  return std::make_unique<CallableDynamics>(std::move(stencil), std::move(terms));
}

std::unique_ptr<ConstraintBlock> callable_constraints(int coordinates, double t, const Vector& q, nb::object g,
                                                      nb::object G) {
  return std::make_unique<CallableConstraints>(coordinates, t, q, std::move(g), std::move(G));
}

}  // namespace taut::python
