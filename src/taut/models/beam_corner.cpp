#include <cmath>
#include <taut/base/require.hpp>
#include <taut/models/beam.hpp>

namespace taut {
namespace {

/// g = (R x′)₁ × x′₂ = 0 in the plane, x′₁·x′₂ = cos in space.
template <int Dim> struct Corner {
  static constexpr int width = 2 * Dim;
  static constexpr int rows = 1;
  int first, second;
  double cosine, sine;

  std::array<int, width> stencil() const { return point_stencil<Dim>(first, second); }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const {
    if constexpr (Dim == 2) {
      const T x = cosine * q[0] - sine * q[1], y = sine * q[0] + cosine * q[1];
      return {x * q[3] - y * q[2]};
    } else {
      return {q[0] * q[3] + q[1] * q[4] + q[2] * q[5] - cosine};
    }
  }
  std::string name() const { return message("corner of tangents {} and {}", first, second); }
};

}  // namespace

void add_corner(System& system, int first_tangent, int second_tangent, double angle) {
  require(system.points().has_value(), "add_corner: needs a system of points.");
  const double cosine = std::cos(angle), sine = std::sin(angle);
  if (system.points()->dim == 2) {
    system.add(Corner<2>{first_tangent, second_tangent, cosine, sine});
  } else {
    require(std::abs(sine) > 1e-6, "add_corner: in space an angle of {} cannot be kept; share the tangent instead.", angle);
    system.add(Corner<3>{first_tangent, second_tangent, cosine, sine});
  }
}

}  // namespace taut
