#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/expression/table.hpp>

namespace taut {

Table::Table(std::vector<double> t, std::vector<double> values, Kind kind)
    : t_(std::move(t)), y_(std::move(values)), second_(t_.size(), 0.0), kind_(kind) {
  require(t_.size() == y_.size() && t_.size() >= 2, "table: needs as many times as values and at least two, got {} and {}.",
          t_.size(), y_.size());
  for (std::size_t k = 1; k < t_.size(); ++k)
    require(t_[k] > t_[k - 1], "table: times must increase, but {} follows {}.", t_[k], t_[k - 1]);
  if (kind == Kind::linear) return;
  // Natural spline: a tridiagonal system for the second derivatives, by elimination from the left.
  const std::size_t n = t_.size();
  std::vector<double> diagonal(n, 1.0), upper(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = t_[k] - t_[k - 1], right = t_[k + 1] - t_[k];
    const double slopes = (y_[k + 1] - y_[k]) / right - (y_[k] - y_[k - 1]) / left;
    diagonal[k] = (left + right) / 3.0 - (left / 6.0) * upper[k - 1] / diagonal[k - 1];
    upper[k] = right / 6.0;
    second_[k] = slopes - (left / 6.0) * second_[k - 1] / diagonal[k - 1];
  }
  for (std::size_t k = n - 1; k-- > 1;) second_[k] = (second_[k] - upper[k] * second_[k + 1]) / diagonal[k];
  second_.front() = second_.back() = 0.0;
}

double Table::value(double t, int order) const {
  if (kind_ == Kind::held) return order == 0 ? held() : 0.0;
  // At its ends the table counts as inside: a motion that begins there begins with its slope.
  if (!(t >= t_.front()) || t > t_.back()) {
    if (order > 0) return 0.0;
    return std::isnan(t) ? t : (t > t_.back() ? y_.back() : y_.front());
  }
  const std::size_t above = std::size_t(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin()),
                    k = std::min(above, t_.size() - 1) - 1;
  const double h = t_[k + 1] - t_[k], a = (t_[k + 1] - t) / h, b = 1.0 - a;
  switch (order) {
    case 0:
      return a * y_[k] + b * y_[k + 1] + ((a * a - 1.0) * a * second_[k] + (b * b - 1.0) * b * second_[k + 1]) * h * h / 6.0;
    case 1:
      return (y_[k + 1] - y_[k]) / h + ((3.0 * b * b - 1.0) * second_[k + 1] - (3.0 * a * a - 1.0) * second_[k]) * h / 6.0;
    case 2:
      return a * second_[k] + b * second_[k + 1];
    case 3:
      return (second_[k + 1] - second_[k]) / h;
    default:
      return 0.0;
  }
}

}  // namespace taut
