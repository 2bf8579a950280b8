#include <taut/model/joint.hpp>

namespace taut {
namespace {

using Eigen::Vector3d;

std::vector<std::pair<std::string, std::optional<Item>*>> options_of(Joint& joint) {
  return {{"at", &joint.at},           {"axis", &joint.axis},       {"angle", &joint.angle},
          {"travel", &joint.travel},   {"pitch", &joint.pitch},     {"stiffness", &joint.stiffness},
          {"rest", &joint.rest},       {"damping", &joint.damping}, {"torque", &joint.torque},
          {"motion", &joint.motion},   {"limits", &joint.limits},   {"friction", &joint.friction},
          {"turning", &joint.turning}, {"start", &joint.start}};
}

Vector3d start_of(const Spot& spot, const Draft& draft) {
  Vector3d out = Vector3d::Zero();
  for (int k = 0; k < draft.dim; ++k) out[k] = draft.at_start(spot.x[std::size_t(k)]);
  return out;
}

JointSide side_of(const Item& item, Draft& draft) {
  const std::string& word = item.word();
  JointSide out{item};
  if (word == "ground") {
    out.ground = true;
    return out;
  }
  const std::string name = word.substr(0, word.find('.'));
  if (const auto found = draft.body_index.find(name); found != draft.body_index.end()) {
    out.body = &draft.bodies[found->second];
    if (word == name) return out;
  }
  if (const auto found = draft.frames.find(word); found != draft.frames.end()) out.body = &found->second;
  out.spot = draft.spot(item);
  out.placed = true;
  out.at = start_of(out.spot, draft);
  if (out.body != nullptr) return out;
  out.ground = !out.spot.massive;  // a point, which may move with time
  return out;
}

const JointKind* kind_of(const Joint& joint, int dim) {
  std::vector<std::string> known;
  for (const JointKind& one : joint_kinds(dim)) {
    if (one.name == joint.type) return &one;
    known.push_back(one.name);
  }
  joint.item.fail(unknown(dim == 2 ? "joint in the plane called" : "joint in space called", joint.type, known));
}

}  // namespace

const std::vector<JointKind>& joint_kinds(int dim) {
  static const std::vector<JointKind> plane{{"hinge", true, "", ""},        {"ball", true, "", ""},
                                            {"weld", true, "", "3"},        {"slider", false, "2", "3", true},
                                            {"line", false, "2", "", true}, {"bushing", false, "", ""}};
  static const std::vector<JointKind> space{{"ball", true, "", ""},
                                            {"hinge", true, "", "12", true},
                                            {"weld", true, "", "123"},
                                            {"universal", true, "", "u", true},
                                            {"slider", false, "12", "123", true},
                                            {"cylindrical", false, "12", "12", true},
                                            {"screw", false, "12", "12", true},
                                            {"planar", false, "3", "12", true},
                                            {"line", false, "12", "", true},
                                            {"plane", false, "3", "", true},
                                            {"bushing", false, "", ""}};
  return dim == 2 ? plane : space;
}

Joint joint_of(const Item& item, Draft& draft) {
  Joint joint(item);
  const auto options = options_of(joint);
  std::vector<Item> between;
  for (const auto& [key, one] : joint.item.entries(forms().joint.keys)) {
    if (key == "type") joint.type = one.word();
    if (key == "name") joint.name = one.word();
    if (key == "between") between = one.list();
    for (const auto& [word, to] : options)
      if (key == word) *to = one;
  }
  if (joint.type.empty()) joint.item.fail("needs a `type`, such as hinge");
  if (between.size() != 2) joint.item.fail("needs two sides: between: [ground, arm]");
  joint.a = side_of(between[0], draft);
  joint.b = side_of(between[1], draft);
  if (joint.a.ground && joint.b.ground) joint.item.fail("both sides are the ground");
  if (joint.turning && !joint.a.ground && !joint.b.ground)
    joint.turning->fail("belongs to a side that is the ground or a point");
  if (joint.a.body != nullptr && joint.a.body == joint.b.body)
    joint.item.fail(message("both sides are the body '{}'", joint.a.body->name));
  if (joint.name.empty()) joint.name = joint.type + " " + between[0].word() + "-" + between[1].word();
  joint.kind = kind_of(joint, draft.dim);
  return joint;
}

}  // namespace taut
