#pragma once

#include <functional>
#include <taut/models/beam.hpp>

namespace taut {

struct StringOptions {
  std::string name = "string";
  double length = 1.0;  ///< m, between its ends along x
  int elements = 100;
  Profile density = 1.0;  ///< ρ(x), kg/m
  Profile tension = 1.0;  ///< τ(x), N
  Profile damping = 0.0;  ///< c(x), N s/m²: the force −c u̇ per metre
  bool lumped = true;     ///< mass by the trapezoidal rule, (55); otherwise consistent
  bool fixed_start = true, fixed_end = true;
};

/// A string that vibrates across its axis, ρü − (τu′)′ + c u̇ = f, by linear finite elements: section 3 of Glowinski and Holmström 1995.
/// Each node is a coordinate of the system, except fixed ends, where u = 0.
class VibratingString {
 public:
  explicit VibratingString(StringOptions options, int first_coordinate = 0);

  int coordinates() const { return count_; }
  const StringOptions& options() const { return options_; }
  int nodes() const { return options_.elements + 1; }
  double x(int node) const { return options_.length * node / options_.elements; }
  int coordinate(int node) const;  ///< −1 at a fixed end
  double weight(int node) const;   ///< length that a node stands for

  void add_to(System& system) const;

  /// Newtons per metre: a constant one is a potential, a function of (x, t) a force. By the trapezoidal rule.
  void add_load(System& system, double load) const;
  void add_load(System& system, std::function<double(double x, double t)> load) const;

  /// Writes u(x) into q, or its velocity into v.
  void place(const std::function<double(double)>& u, Vector& q) const;
  double at(const double* q, double x) const;

 private:
  StringOptions options_;
  int first_, count_;
};

/// u ≥ v + distance at every node: two strings that do not pass each other. Their nodes must coincide.
void add_contact(System& system, const VibratingString& upper, const VibratingString& lower, double distance = 0.0);

/// A wall along a string: u ≥ height(x), or u ≤ height(x) for one from above.
void add_obstacle(System& system, const VibratingString& string, const std::function<double(double)>& height,
                  bool from_above = false);

/// An elastic layer between two strings: the force k (v − u) per metre, k in N/m². Their nodes must coincide.
void couple(System& system, const VibratingString& first, const VibratingString& second, double stiffness);

}  // namespace taut
