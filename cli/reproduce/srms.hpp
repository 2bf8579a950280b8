#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <taut/model/model_file.hpp>

namespace taut::reproduce {

/// The Shuttle's arm at given angles, by a chain of turns: what the bodies and joints of the model must agree with.
struct ArmPose {
  std::array<Eigen::Vector3d, 6> at, axis;  ///< of the joints, in space
  Eigen::Vector3d tip;
  Eigen::Matrix3d hand;  ///< columns: axes of the end effector

  /// Velocity of the tip, over a length, and spin of the end effector, over the rates of the joints.
  Eigen::Matrix<double, 6, 6> jacobian(double length) const;
};

using Six = std::array<double, 6>;

ArmPose arm_pose(const Six& angle, const std::map<std::string, double>& lengths);

/// A case of the arm, as it stands in cases/, by its name: srms_joints, srms_path, srms_brakes. `without`: leaves out constraints of these names, and with them all outputs.
ModelFile arm_model(const std::string& name, const std::map<std::string, double>& parameters,
                    const std::vector<std::string>& without = {});

/// The arm with rods for booms, cases/srms_flexible.yaml: how far its tip is from that of rigid booms, and how it swings after the joints have stopped.
void tell_flexible(struct Outcome& out, double payload);

}  // namespace taut::reproduce
