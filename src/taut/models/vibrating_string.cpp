#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/models/vibrating_string.hpp>
#include <taut/system/constraints/gap.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>

namespace taut {
namespace {

/// A load on one node that is a given function of time.
struct NodeLoad {
  static constexpr int width = 1;
  static constexpr bool given = true;
  int coordinate;
  double x, weight;
  std::function<double(double x, double t)> load;

  std::array<int, 1> stencil() const { return {coordinate}; }
  template <class T> Local<T, 1> force(const T& t, const Local<T, 1>&, const Local<T, 1>&) const {
    return {T(weight * load(x, plain(t)))};
  }
  std::string name() const { return message("load on the string at x = {}", x); }
};

/// An element between two coordinates of which one may be fixed.
void add_element(System& system, int left, int right, const ElementMatrices<2>& matrices) {
  if (left >= 0 && right >= 0) {
    system.add(Element<2, 1>{{left, right}, std::make_shared<const ElementMatrices<2>>(matrices)});
    return;
  }
  if (left < 0 && right < 0) return;
  const int free = left >= 0 ? left : right, k = left >= 0 ? 0 : 3;
  const ElementMatrices<1> one{{matrices.mass[k]}, {matrices.stiffness[k]}, {matrices.damping[k]}};
  system.add(Element<1, 1>{{free}, std::make_shared<const ElementMatrices<1>>(one)});
}

void same_nodes(const VibratingString& a, const VibratingString& b, const char* what) {
  require(a.coordinate(1) != b.coordinate(1), "{}: '{}' is given twice.", what, a.options().name);
  require(a.nodes() == b.nodes() && a.options().length == b.options().length,
          "{}: the nodes of '{}' and '{}' must coincide, but one has {} over {} m and the other {} over {} m.", what,
          a.options().name, b.options().name, a.nodes(), a.options().length, b.nodes(), b.options().length);
}

}  // namespace

VibratingString::VibratingString(StringOptions options, int first_coordinate)
    : options_(std::move(options)), first_(first_coordinate) {
  const std::string& name = options_.name;
  require(options_.length > 0.0, "VibratingString '{}': the length must be positive, got {}.", name, options_.length);
  require(options_.elements >= 1, "VibratingString '{}': needs at least one element, got {}.", name, options_.elements);
  count_ = nodes() - int(options_.fixed_start) - int(options_.fixed_end);
  require(count_ > 0, "VibratingString '{}': one element between two fixed ends cannot move; take more.", name);
  for (int k = 0; k < nodes(); ++k) {
    require(options_.density(x(k)) > 0.0, "VibratingString '{}': the density must be positive, got {} at x = {}.", name,
            options_.density(x(k)), x(k));
    require(options_.damping(x(k)) >= 0.0, "VibratingString '{}': the damping must not be negative, got {} at x = {}.", name,
            options_.damping(x(k)), x(k));
    require(options_.tension(x(k)) >= 0.0, "VibratingString '{}': the tension must not be negative, got {} at x = {}.", name,
            options_.tension(x(k)), x(k));
  }
}

int VibratingString::coordinate(int node) const {
  if ((node == 0 && options_.fixed_start) || (node == nodes() - 1 && options_.fixed_end)) return -1;
  return first_ + node - int(options_.fixed_start);
}

double VibratingString::weight(int node) const {
  const double h = options_.length / options_.elements;
  return node == 0 || node == nodes() - 1 ? 0.5 * h : h;
}

void VibratingString::add_to(System& system) const {
  const double h = options_.length / options_.elements;
  for (int e = 0; e < options_.elements; ++e) {
    // Trapezoidal rule for the lumped mass and the damping, two Gauss points for the consistent mass, the middle for τ.
    ElementMatrices<2> m;
    if (options_.lumped) {
      m.mass = {0.5 * h * options_.density(x(e)), 0.0, 0.0, 0.5 * h * options_.density(x(e + 1))};
    } else {
      for (const double xi : {0.5 - std::sqrt(3.0) / 6.0, 0.5 + std::sqrt(3.0) / 6.0}) {
        const double rho = 0.5 * h * options_.density(x(e) + xi * h), l = 1.0 - xi;
        m.mass[0] += rho * l * l;
        m.mass[1] += rho * l * xi;
        m.mass[2] += rho * l * xi;
        m.mass[3] += rho * xi * xi;
      }
    }
    const double pull = options_.tension(x(e) + 0.5 * h) / h;
    m.stiffness = {pull, -pull, -pull, pull};
    m.damping = {0.5 * h * options_.damping(x(e)), 0.0, 0.0, 0.5 * h * options_.damping(x(e + 1))};
    add_element(system, coordinate(e), coordinate(e + 1), m);
  }
}

void VibratingString::add_load(System& system, double load) const {
  for (int k = 0; k < nodes(); ++k)
    if (coordinate(k) >= 0) system.add(Weight{coordinate(k), -weight(k) * load});
}

void VibratingString::add_load(System& system, std::function<double(double, double)> load) const {
  for (int k = 0; k < nodes(); ++k)
    if (coordinate(k) >= 0) system.add(NodeLoad{coordinate(k), x(k), weight(k), load});
}

void VibratingString::place(const std::function<double(double)>& u, Vector& q) const {
  for (int k = 0; k < nodes(); ++k)
    if (coordinate(k) >= 0) q[coordinate(k)] = u(x(k));
}

double VibratingString::at(const double* q, double place) const {
  const double h = options_.length / options_.elements;
  const int e = std::clamp(int(std::floor(place / h)), 0, options_.elements - 1);
  const double xi = place / h - e;
  const auto value = [&](int node) { return coordinate(node) < 0 ? 0.0 : q[coordinate(node)]; };
  return (1.0 - xi) * value(e) + xi * value(e + 1);
}

void add_contact(System& system, const VibratingString& upper, const VibratingString& lower, double distance) {
  same_nodes(upper, lower, "add_contact");
  for (int k = 0; k < upper.nodes(); ++k) {
    const int u = upper.coordinate(k), v = lower.coordinate(k);
    const std::string label =
        message("contact of {} and {} at x = {}", upper.options().name, lower.options().name, upper.x(k));
    if (u >= 0 && v >= 0) system.add(Gap<2>{{u, v}, 1.0, distance, upper.weight(k), label});
    if (u >= 0 && v < 0) system.add(Gap<1>{{u}, 1.0, distance, upper.weight(k), label});
    if (u < 0 && v >= 0) system.add(Gap<1>{{v}, -1.0, -distance, upper.weight(k), label});
  }
}

void add_obstacle(System& system, const VibratingString& string, const std::function<double(double)>& height,
                  bool from_above) {
  for (int k = 0; k < string.nodes(); ++k)
    if (string.coordinate(k) >= 0)
      system.add(Gap<1>{{string.coordinate(k)},
                        from_above ? -1.0 : 1.0,
                        height(string.x(k)),
                        string.weight(k),
                        message("obstacle of {} at x = {}", string.options().name, string.x(k))});
}

void couple(System& system, const VibratingString& first, const VibratingString& second, double stiffness) {
  same_nodes(first, second, "couple");
  for (int k = 0; k < first.nodes(); ++k) {
    const double pull = stiffness * first.weight(k);
    add_element(system, first.coordinate(k), second.coordinate(k), {.stiffness = {pull, -pull, -pull, pull}});
  }
}

}  // namespace taut
