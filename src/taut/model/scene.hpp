#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace taut {

/// What a picture of a run shows, without the model: places by their coordinates, what lies between them, what holds them.
///
/// Most places are affine in the coordinates, so that records of q say where they are. A place that is not (an expression of t, or of angles) is a *track*:
/// it is evaluated at each record and written beside it.
struct Scene {
  /// offset + Σ weight · q[coordinate]
  struct Affine {
    double offset = 0.0;
    std::vector<std::pair<int, double>> weights{};
    double at(const double* q) const {
      double sum = offset;
      for (const auto& [coordinate, weight] : weights) sum += weight * q[coordinate];
      return sum;
    }
    bool operator==(const Affine&) const = default;
  };
  using Vector3 = std::array<Affine, 3>;

  struct Place {
    enum class Kind {
      mass,
      node,    ///< of a beam or string
      point,   ///< without mass, fixed or driven
      mark,    ///< on a beam or a body
      between  ///< of a curve, between its nodes
    };
    std::string name{};
    Kind kind = Kind::mass;
    Vector3 x{};
    int track = -1;  ///< its number, where it is one; x says nothing then
    bool operator==(const Place&) const = default;
  };
  std::vector<Place> places{};
  int dim = 2;     ///< of the space
  int tracks = 0;  ///< each of them has `dim` numbers in a record

  struct Link {
    enum class Kind { rod, spring, damper, joint };
    Kind kind = Kind::rod;
    std::string name{};
    int a = -1, b = -1;   ///< places
    double length = 0.0;  ///< of a rod, or of a spring at rest
    bool operator==(const Link&) const = default;
  };
  std::vector<Link> links{};

  struct Curve {
    enum class Kind {
      beam,
      string,
      rail  ///< what something is held on, or what stands in the way
    };
    Kind kind = Kind::beam;
    std::string name{};
    std::vector<int> places{};                   ///< through these,
    std::vector<std::array<double, 3>> fixed{};  ///< or through points that stand still
    std::vector<Vector3> stripe{};               ///< of a rod: d₁ at each of its places, where a line along it is drawn
    double radius = 0.0;                         ///< of a beam or rod; 0: nothing says it
    bool operator==(const Curve&) const = default;
  };
  std::vector<Curve> curves{};

  /// normal · x ≥ offset is allowed; the normal has length one.
  struct Plane {
    std::string name{};
    std::array<double, 3> normal{};
    double offset = 0.0;
    bool operator==(const Plane&) const = default;
  };
  std::vector<Plane> planes{};

  /// A rigid body: x = origin + Σ axesᵢ · X for a point X of it.
  struct Solid {
    struct Shape {
      enum class Kind {
        box,       ///< sizes: its edges along x, y, z
        sphere,    ///< radius
        cylinder,  ///< radius, length along z
        capsule,   ///< radius, length along z without the caps
        plate,     ///< edges along x and y, thickness
        rod        ///< length along x, thickness
      };
      Kind kind = Kind::box;
      std::array<double, 3> size{};
      std::array<double, 3> at{};                                                    ///< its middle, in the body
      std::array<std::array<double, 3>, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< its x, y, z there
      bool operator==(const Shape&) const = default;
    };
    std::string name{};
    Vector3 origin{};
    std::array<Vector3, 3> axes{};  ///< d₁, d₂, d₃
    std::vector<Shape> shapes{};
    bool operator==(const Solid&) const = default;
  };
  std::vector<Solid> solids{};

  /// A force that holds something: −λ[row] · direction at a place, where the direction is that from another place to it if there is one. Several rows may
  /// have one name: they are parts of one force.
  struct Reaction {
    std::string name{};
    int place = -1, other = -1;
    int row = -1;
    std::array<double, 3> direction{};
    bool operator==(const Reaction&) const = default;
  };
  std::vector<Reaction> reactions{};

  std::size_t track_numbers() const { return std::size_t(tracks) * std::size_t(dim); }  ///< in a record
  bool empty() const { return places.empty() && curves.empty() && solids.empty(); }
  bool operator==(const Scene&) const = default;

  /// Where a place is at a record.
  std::array<double, 3> at(const Place& place, const double* q, const double* tracked) const {
    std::array<double, 3> out{};
    for (int k = 0; k < 3; ++k) {
      if (place.track < 0) out[std::size_t(k)] = place.x[std::size_t(k)].at(q);
      if (place.track >= 0 && k < dim) out[std::size_t(k)] = tracked[place.track * dim + k];
    }
    return out;
  }
};

}  // namespace taut
