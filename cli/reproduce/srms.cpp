#include "srms.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <taut/model/model_builder.hpp>
#include <taut/yaml/yaml_tree.hpp>

#include "case_texts.hpp"

namespace taut::reproduce {

using Eigen::Matrix3d, Eigen::Vector3d;

ArmPose arm_pose(const Six& angle, const std::map<std::string, double>& lengths) {
  const auto l = [&](const char* name) { return lengths.at(name); };
  const std::array<Vector3d, 6> axis{Vector3d(0, 0, -1), Vector3d(0, -1, 0), Vector3d(0, -1, 0),
                                     Vector3d(0, -1, 0), Vector3d(0, 0, -1), Vector3d(1, 0, 0)};
  const std::array<Vector3d, 6> out{Vector3d(0, 0, l("h")),    Vector3d(l("L2"), 0, l("o")), Vector3d(l("L3"), 0, -l("o")),
                                    Vector3d(l("L4"), 0, 0.0), Vector3d(l("L5"), 0, 0.0),    Vector3d(l("L6"), 0, 0.0)};
  ArmPose pose;
  Matrix3d R = Matrix3d::Identity();
  Vector3d x = Vector3d::Zero();
  for (std::size_t k = 0; k < 6; ++k) {
    pose.at[k] = x;
    pose.axis[k] = R * axis[k];
    R = R * Eigen::AngleAxisd(angle[k], axis[k]).toRotationMatrix();
    x += R * out[k];
  }
  pose.tip = x;
  pose.hand = R;
  return pose;
}

Eigen::Matrix<double, 6, 6> ArmPose::jacobian(double length) const {
  Eigen::Matrix<double, 6, 6> J;
  for (int k = 0; k < 6; ++k) {
    const Vector3d& a = axis[std::size_t(k)];
    J.col(k) << a.cross(tip - at[std::size_t(k)]) / length, a;
  }
  return J;
}

ModelFile arm_model(const std::string& name, const std::map<std::string, double>& parameters,
                    const std::vector<std::string>& without) {
  Tree arm = parse_yaml(case_text("parts/srms_arm"), "srms_arm.yaml");
  Tree variant = parse_yaml(case_text(name), name + ".yaml");
  ModelBuilder model = ModelBuilder::from(std::move(arm), name);
  for (std::size_t k = 0; k < variant.keys.size(); ++k) {
    Tree& part = variant.items[k];
    const std::string& section = variant.keys[k];
    if (section == "include" || (section == "outputs" && !without.empty())) continue;
    if (section == "constraints")
      std::erase_if(part.items, [&](Tree& one) {
        return std::find(without.begin(), without.end(), one.entry("name").word) != without.end();
      });
    if (section == "parameters") {  // later ones change earlier ones
      for (std::size_t i = 0; i < part.keys.size(); ++i) model.set(section, part.keys[i], part.items[i]);
    } else {
      model.add(section, part);
    }
  }
  for (const auto& [key, value] : parameters) model.set("parameters", key, Tree(value));
  if (parameters.contains("T")) model.set("run", "until", Tree("T"));
  return model.build();
}

}  // namespace taut::reproduce
