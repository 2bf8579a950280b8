#pragma once

#include <optional>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

namespace taut {

/// One side of a joint: a place, and three directions at right angles where it is a body or the ground.
struct JointSide {
  Item item;
  const BodyEntry* body = nullptr;
  bool ground = false;
  bool placed = false;  ///< the model says where
  Spot spot{};
  Eigen::Vector3d at = Eigen::Vector3d::Zero();         ///< at the start
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< at the start, in space
  std::array<VectorNode, 3> axes{};

  bool turns() const { return body != nullptr || ground; }
};

/// What a type of joint holds: places along axes 1, 2, 3 of the first side, or in axes of space; and turns about these axes.
struct JointKind {
  std::string name;
  bool place = false;       ///< the two places are one
  std::string along{};      ///< or: the second stays on this side in the axes named
  std::string about{};      ///< turns about these axes are held
  bool needs_axis = false;  ///< in space
};

/// What a model says of a joint, and what becomes of it.
struct Joint {
  explicit Joint(const Item& one) : item(one), a{one}, b{one} {}
  Item item;
  std::string type{}, name{};
  const JointKind* kind = nullptr;
  JointSide a, b;
  std::optional<Item> at{}, axis{}, angle{}, start{}, travel{}, pitch{};
  std::optional<Item> stiffness{}, rest{}, damping{}, torque{}, motion{}, limits{}, friction{}, turning{};
  JointEntry entry{};
};

/// The types there are in the plane or in space.
const std::vector<JointKind>& joint_kinds(int dim);

/// What the model says of a joint, with its sides found.
Joint joint_of(const Item& item, Draft& draft);

}  // namespace taut
