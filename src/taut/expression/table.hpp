#pragma once

#include <atomic>
#include <vector>

namespace taut {

/// A function of time given by points: a natural cubic spline or straight lines between them, constant beyond the ends. Or one number that somebody
/// outside may change while programs run that hold it: an input.
class Table {
 public:
  enum class Kind { linear, spline, held };
  Table(std::vector<double> t, std::vector<double> values, Kind kind);
  explicit Table(double held) : kind_(Kind::held), held_(held) {}

  void hold(double value) { held_.store(value, std::memory_order_relaxed); }
  double held() const { return held_.load(std::memory_order_relaxed); }

  /// The derivative of the given order, 0 to 3; of higher ones nothing is left.
  double value(double t, int order) const;

  Kind kind() const { return kind_; }
  const std::vector<double>& points() const { return t_; }

 private:
  std::vector<double> t_, y_, second_;  // values and second derivatives at the points
  Kind kind_;
  std::atomic<double> held_{0.0};
};

}  // namespace taut
