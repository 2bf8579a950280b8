#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <taut/expression/graph.hpp>
#include <taut/model/tree.hpp>
#include <vector>

namespace taut {

/// How mass is spread: about its own centre, in axes given from outside.
struct MassDistribution {
  double mass = 0.0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d tensor =
      Eigen::Matrix3d::Zero();  ///< moments of inertia about the centre; in the plane only the last counts

  /// Turned by R, then moved.
  MassDistribution placed(const Eigen::Matrix3d& R, const Eigen::Vector3d& by) const;
  MassDistribution operator+(const MassDistribution& other) const;
};

/// A solid of density one, at the origin. Sizes are those of the word: box a b c, sphere r, cylinder and capsule r and length along z, plate a b in x and y
/// (per area), rod its length along x (per length). In the plane: box a b and disk r (per area), rod.
struct SolidShape {
  std::string kind;
  std::vector<double> size;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();

  MassDistribution mass() const;
  /// How many sizes a kind takes, in the plane or in space; 0: there is none.
  static int sizes(const std::string& kind, int dim);
  static std::vector<std::string> kinds(int dim);
};

/// A rigid body: q = (x, d₁, d₂, d₃), centre of mass and principal axes, in space; (x, y, c, s) in the plane.
///
/// T = ½m|ẋ|² + ½ΣEᵢ|ḋᵢ|² with Eᵢ = ½(Jⱼ + Jₖ − Jᵢ), so that the mass is constant and diagonal.
struct BodyEntry {
  std::string name;
  Item item;  ///< for messages
  MassDistribution mass{};
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();        ///< about the principal axes; in the plane J is the last
  Eigen::Matrix3d principal = Eigen::Matrix3d::Identity();  ///< their directions in the body's own axes, column by column
  Eigen::Vector3d at = Eigen::Vector3d::Zero();             ///< of the origin of the body's own axes, at the start
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();   ///< of its own axes, at the start
  std::optional<Eigen::Vector3d> velocity{}, spin{};        ///< of the centre of mass; in axes of space
  std::vector<std::pair<std::string, Eigen::Vector3d>> points{}, axes{};  ///< in its own axes
  std::vector<SolidShape> shapes{};
  int first = 0;  ///< its first coordinate

  Eigen::Vector3d place_at_start(const Eigen::Vector3d& point) const { return at + rotation * point; }
  /// A place in space as a point of the body, and likewise a direction.
  Eigen::Vector3d point_of(const Eigen::Vector3d& place) const { return rotation.transpose() * (place - at); }
  Eigen::Vector3d axis_of(const Eigen::Vector3d& direction) const { return rotation.transpose() * direction; }
  /// A named axis; the item is to blame where there is none.
  const Eigen::Vector3d& axis(const Item& asked, const std::string& word) const;
};

/// Three directions at right angles, the last along the given one.
Eigen::Matrix3d frame_along(const Eigen::Vector3d& direction);

/// The shortest turn from one direction to another.
Eigen::Matrix3d turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// A turn about an axis, which need not have length one.
Eigen::Matrix3d turn(const Eigen::Vector3d& axis, double angle);

}  // namespace taut
