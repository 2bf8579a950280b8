#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/model/joint.hpp>

/// Joints between bodies, and bodies and anything else that has a place.
namespace taut {
namespace {

using Eigen::Vector3d;
using Node = Graph::Node;

class JointReader {
 public:
  JointReader(const Item& item, Draft& draft) : draft_(draft), graph_(*draft.graph), joint_(joint_of(item, draft)) {}

  void add() {
    const JointKind& kind = *joint_.kind;
    place();
    find_axes(kind);
    if (kind.place) hold_place();
    for (const char axis : kind.along) hold_along(axis - '1');
    if (kind.about == "u") {
      hold_right_angle(joint_.b.axes[0], joint_.a.axes[2], "turn about both axes", "right angle of its axes");
    } else {
      for (const char axis : kind.about) hold_turn(axis - '1');
    }
    remember_place();
    if (joint_.type == "bushing") {
      springs();
    } else {
      coordinates();
    }
    draft_.joint_places.push_back(place_);
    joint_.entry.axes = joint_.a.axes;
    if (Draft::is_name(joint_.name)) {
      draft_.take_name(joint_.item, joint_.name);
      draft_.joints.emplace(joint_.name, std::move(joint_.entry));
    }
  }

 private:
  /// Sides that are not placed by a point of their own take the place given, or that of the other.
  void place() {
    JointSide &a = joint_.a, &b = joint_.b;
    std::optional<Vector3d> where;
    if (joint_.at) {
      if (a.placed && b.placed) joint_.at->fail("both sides have places of their own already");
      where = read_vector(*joint_.at, draft_);
    } else if (a.placed || b.placed) {
      where = a.placed ? a.at : b.at;
    } else if (joint_.type == "weld" || joint_.type == "slider" || joint_.type == "planar") {
      const BodyEntry& body = b.body != nullptr ? *b.body : *a.body;
      where = body.place_at_start(body.mass.center);
    } else {
      joint_.item.fail("needs a place: `at`, or a point of a body such as arm.tip");
    }
    for (JointSide* side : {&a, &b}) {
      if (side->placed) continue;
      side->at = *where;
      if (side->ground) {
        for (int k = 0; k < 3; ++k) side->spot.x[std::size_t(k)] = graph_.constant((*where)[k]);
      } else {
        side->spot.x = body_place(*side->body, side->body->point_of(*where), draft_, false);
      }
    }
  }

  /// A direction in space at the start: three numbers, or an axis of a body by its name.
  Vector3d direction(const Item& item) const {
    if (item.is_list()) return read_direction(item, draft_);
    const std::string& word = item.word();
    const std::size_t dot_at = word.find('.');
    const auto body = draft_.body_index.find(word.substr(0, dot_at));
    if (dot_at == std::string::npos || body == draft_.body_index.end())
      item.fail("must be a direction [x, y, z], or an axis of a body such as arm.pin");
    const BodyEntry& of = draft_.bodies[body->second];
    return of.rotation * of.axis(item, word.substr(dot_at + 1));
  }

  /// Frames of both sides at the start. The last axis is that of the joint in space, the first one in the plane.
  void find_axes(const JointKind& kind) {
    JointSide &a = joint_.a, &b = joint_.b;
    const bool two = joint_.axis && joint_.axis->is_list() && !joint_.axis->empty() &&
                     (joint_.axis->list()[0].is_list() || !draft_.is_number(joint_.axis->list()[0]));
    if (kind.needs_axis && !joint_.axis) joint_.item.fail("needs an `axis`");
    std::array<Vector3d, 2> axis{Vector3d::UnitZ(), Vector3d::UnitZ()};
    if (draft_.dim == 2) axis = {Vector3d::UnitX(), Vector3d::UnitX()};
    if (two) {
      const std::vector<Item> list = joint_.axis->list();
      if (list.size() != 2) joint_.axis->fail("needs one direction, or one for each side");
      axis = {direction(list[0]), direction(list[1])};
    } else if (joint_.axis) {
      axis.fill(direction(*joint_.axis));
    }
    if (draft_.dim == 2) {
      for (JointSide* side : {&a, &b}) {
        const Vector3d& x = axis[side == &a ? 0 : 1];
        side->frame.col(0) = x;
        side->frame.col(1) = Vector3d(-x.y(), x.x(), 0.0);
      }
    } else if (kind.about == "u") {
      if (!two) joint_.item.fail("needs two axes at right angles, that of the first side and that of the second");
      if (!(std::abs(axis[0].dot(axis[1])) < 1.0 - 1e-6)) joint_.axis->fail("the two axes must not be parallel");
      a.frame = frame_along(axis[0]);
      b.frame = frame_along(axis[1]);
      b.frame.col(0).swap(b.frame.col(2));  // the second side's axis is its first
    } else {
      a.frame = frame_along(axis[0]);
      b.frame = turn_between(axis[0], axis[1]) * a.frame;
      if (joint_.start) a.frame = turn(axis[0], -draft_.number(*joint_.start)) * a.frame;  // a is turned back
    }
    for (JointSide* side : {&a, &b}) {
      if (!side->turns()) continue;
      for (int k = 0; k < 3; ++k) {
        side->axes[std::size_t(k)] = side->body != nullptr
                                         ? body_vector(*side->body, side->body->axis_of(side->frame.col(k)), draft_)
                                         : ground_vector(side->frame.col(k));
      }
    }
    const bool turning = !kind.about.empty() || joint_.angle;
    for (const JointSide* side : {&a, &b})
      if (turning && !side->turns())
        side->item.fail(message("'{}' has no axes that a {} could hold; give a body", side->item.word(), joint_.type));
    if (!kind.along.empty() && !a.turns())
      a.item.fail(message("the first side of a {} carries its axis: give a body or the ground", joint_.type));
  }

  /// A direction of the ground, which may turn with time.
  VectorNode ground_vector(const Vector3d& x) {
    if (!joint_.turning) return constant_vector(graph_, x);
    Vector3d about = Vector3d::UnitZ();
    std::optional<Item> angle;
    for (const auto& [key, one] : joint_.turning->entries(forms().turning.keys)) {
      if (key == "axis") about = read_direction(one, draft_);
      if (key == "angle") angle = one;
    }
    if (!angle) joint_.turning->fail("needs an `angle`, a function of t");
    if (draft_.dim == 2 && about != Vector3d::UnitZ()) joint_.turning->fail("in the plane needs no axis");
    return turned_by(graph_, x, about, draft_.of_time(*angle));
  }

  VectorNode apart() {
    VectorNode out = constant_vector(graph_, Vector3d::Zero());
    for (int k = 0; k < draft_.dim; ++k)
      out[std::size_t(k)] = graph_.subtract(joint_.b.spot.x[std::size_t(k)], joint_.a.spot.x[std::size_t(k)]);
    return out;
  }
  /// `words` say what is held where that differs from the name of the row: "rotation about x".
  std::size_t hold(Node g, const std::string& what, Set set = Set::zero, const std::string& words = {}) {
    const std::string who = joint_.name.starts_with(joint_.type) ? joint_.name : joint_.type + " " + joint_.name;
    const std::string name = joint_.name + ": " + what;
    draft_.model.held[name] = who + ": " + (words.empty() ? what : words);
    return draft_.add_constraint(joint_.item, g, set, name);
  }
  /// An axis of the joint as it lies at the start: x, or (0.6, 0.8, 0).
  std::string direction_word(int axis) const {
    const Vector3d d = joint_.a.frame.col(axis);
    for (int k = 0; k < draft_.dim; ++k)
      if (std::abs(std::abs(d[k]) - 1.0) < 1e-9) return std::string(1, "xyz"[k]);
    const auto rounded = [&](int k) { return std::round(1e4 * d[k]) / 1e4 + 0.0; };  // no −0
    return message("({}, {}, {})", rounded(0), rounded(1), rounded(2));
  }
  void hold_place() {
    const VectorNode d = apart();
    for (int k = 0; k < draft_.dim; ++k) {
      joint_.entry.rows.push_back(
          {'f', constant_vector(graph_, Vector3d::Unit(k)),
           hold(d[std::size_t(k)], std::string("place ") + "xyz"[k], Set::zero, std::string("place along ") + "xyz"[k])});
    }
  }
  void hold_along(int axis) {
    const VectorNode& along = joint_.a.axes[std::size_t(axis)];
    joint_.entry.rows.push_back({'f', along,
                                 hold(dot(graph_, apart(), along), "place along axis " + std::to_string(axis + 1), Set::zero,
                                      "place along " + direction_word(axis))});
  }
  /// A turn of b changes b·a by its component along b × a.
  void hold_right_angle(const VectorNode& b, const VectorNode& a, const std::string& what, const std::string& words) {
    joint_.entry.rows.push_back({'m', cross(graph_, b, a), hold(dot(graph_, b, a), what, Set::zero, words)});
  }
  /// About axis 1: the third of b stays at right angles to the second of a; and so round.
  void hold_turn(int axis) {
    const std::array<VectorNode, 3>&a = joint_.a.axes, &b = joint_.b.axes;
    if (draft_.dim == 2) return hold_right_angle(b[0], a[1], "turn", "rotation");
    static constexpr int of_b[] = {2, 2, 0}, of_a[] = {1, 0, 1};
    hold_right_angle(b[std::size_t(of_b[axis])], a[std::size_t(of_a[axis])], "turn about axis " + std::to_string(axis + 1),
                     "rotation about " + direction_word(axis));
  }

  void remember_place() {
    const auto number = [&](const JointSide& side) {
      if (side.body != nullptr) return int(side.body - draft_.bodies.data());
      return side.ground ? -1 : -2;
    };
    place_ = {.name = joint_.name, .a = number(joint_.a), .b = number(joint_.b), .at = joint_.a.at};
    place_.axis = draft_.dim == 2 ? Vector3d::UnitZ() : Vector3d(joint_.a.frame.col(2));
    place_.along = joint_.a.frame.col(draft_.dim == 2 ? 0 : 2);
  }
  void springs() {
    for (const JointSide* side : {&joint_.a, &joint_.b})
      if (!side->turns())
        side->item.fail(message("'{}' has no axes that a bushing could hold; give a body", side->item.word()));
    if (!joint_.stiffness) joint_.item.fail("a bushing needs its `stiffness`");
    for (const auto& one : {joint_.angle, joint_.travel, joint_.rest, joint_.torque, joint_.motion, joint_.limits,
                            joint_.friction, joint_.pitch})
      if (one) one->fail("a bushing has only `stiffness` and `damping`");
    joint_.entry.pushes =
        add_bushing(joint_.name, apart(), joint_.a.axes, joint_.b.axes, *joint_.stiffness, joint_.damping, draft_);
  }

  /// φ with s cos φ = c sin φ, where c and s are cosine and sine of the turn from a to b; and the way along the axis.
  void coordinates() {
    const bool screw = joint_.type == "screw";
    if (joint_.start && (draft_.dim == 2 || !joint_.angle)) joint_.start->fail("belongs to an `angle` in space");
    if (screw && !(joint_.angle && joint_.travel && joint_.pitch))
      joint_.item.fail("a screw needs `angle`, `travel` and `pitch`");
    if (joint_.pitch && !screw) joint_.pitch->fail("belongs to a screw");
    const auto is = [&](std::initializer_list<const char*> types) {
      return std::find(types.begin(), types.end(), joint_.type) != types.end();
    };
    if (joint_.angle && draft_.dim == 3 && is({"ball", "line", "plane", "universal"}))
      joint_.angle->fail(message("a joint of type {} turns about more than one axis, and has no angle", joint_.type));
    if (joint_.travel && is({"hinge", "ball", "weld", "universal", "planar", "plane"}))
      joint_.travel->fail(message("a joint of type {} leaves no way along its axis", joint_.type));
    if (joint_.angle) {
      const Node phi = coordinate_of(*joint_.angle);
      const VectorNode b = draft_.dim == 2 ? own_axis(joint_.b) : joint_.b.axes[0];
      const VectorNode a = draft_.dim == 2 ? own_axis(joint_.a) : joint_.a.axes[0];
      const VectorNode across =
          draft_.dim == 2 ? VectorNode{graph_.make(Op::negate, a[1]), a[0], graph_.constant(0.0)} : joint_.a.axes[1];
      const Node c = dot(graph_, a, b), s = dot(graph_, across, b);
      const std::size_t row =
          hold(graph_.subtract(graph_.multiply(s, graph_.make(Op::cos, phi)), graph_.multiply(c, graph_.make(Op::sin, phi))),
               "angle");
      joint_.entry.rows.push_back(
          {'m', draft_.dim == 2 ? constant_vector(graph_, Vector3d::UnitZ()) : joint_.a.axes[2], row});
      draft_.exact.push_back(row);  // it says what φ is
      place_.angle = draft_.coordinate(joint_.item, joint_.angle->word());
      place_.angle_start = joint_.start ? draft_.number(*joint_.start) : std::atan2(draft_.at_start(s), draft_.at_start(c));
      place_.same = graph_.add(graph_.multiply(c, graph_.make(Op::cos, phi)), graph_.multiply(s, graph_.make(Op::sin, phi)));
      start_at(place_.angle, place_.angle_start);
      laws(joint_.angle->word());
    }
    if (joint_.travel) {
      if (!joint_.a.turns()) joint_.travel->fail("needs an axis on the first side");
      const Node s = coordinate_of(*joint_.travel);
      const VectorNode& along = joint_.a.axes[draft_.dim == 2 ? 0 : 2];
      const Node way = dot(graph_, apart(), along);
      joint_.entry.rows.push_back({'f', along, hold(graph_.subtract(way, s), "travel")});
      draft_.exact.push_back(joint_.entry.rows.back().constraint);
      place_.travel = draft_.coordinate(joint_.item, joint_.travel->word());
      place_.travel_start = draft_.at_start(way);
      start_at(place_.travel, place_.travel_start);
      if (!joint_.angle) laws(joint_.travel->word());
      if (screw) {
        const Node turns = graph_.multiply(coordinate_of(*joint_.angle), graph_.constant(0.5 / std::numbers::pi));
        hold(graph_.subtract(s, graph_.multiply(graph_.constant(draft_.number(*joint_.pitch)), turns)), "thread");
      }
    }
    if (!joint_.angle && !joint_.travel)
      for (const auto& one :
           {joint_.stiffness, joint_.damping, joint_.torque, joint_.motion, joint_.limits, joint_.friction})
        if (one) one->fail("needs a name for the `angle` or `travel` it acts on");
  }
  Node coordinate_of(const Item& name) { return graph_.variable(draft_.numbering.q(draft_.coordinate(name, name.word()))); }
  VectorNode own_axis(const JointSide& side) {
    return side.body != nullptr ? body_vector(*side.body, Vector3d::UnitX(), draft_) : ground_vector(Vector3d::UnitX());
  }
  void start_at(int i, double value) {
    if (!draft_.initial_given.contains({i, false})) draft_.q[i] = value + 0.0;  // no −0
  }

  /// Spring, damper, friction, torque, motion and limits of a coordinate of the joint.
  void laws(const std::string& name) {
    const int i = draft_.coordinate(joint_.item, name);
    const Node x = graph_.variable(draft_.numbering.q(i)), v = graph_.variable(draft_.numbering.v(i));
    LagrangianNodes nodes;
    Node force = graph_.constant(0.0);
    if (joint_.stiffness) {
      const double k = draft_.number(*joint_.stiffness);
      const Node stretch = graph_.subtract(x, graph_.constant(joint_.rest ? draft_.number(*joint_.rest) : draft_.q[i]));
      nodes.potential = graph_.multiply(graph_.constant(0.5 * k), graph_.multiply(stretch, stretch));
    }
    if (joint_.damping) {
      const double c = draft_.number(*joint_.damping);
      if (!(c >= 0.0)) joint_.damping->fail(message("must not be negative, got {}", c));
      force = graph_.subtract(force, graph_.multiply(graph_.constant(c), v));
    }
    if (joint_.torque) force = graph_.add(force, draft_.value(*joint_.torque));
    if (joint_.friction) force = graph_.subtract(force, friction(*joint_.friction, v));
    if (force != graph_.constant(0.0)) nodes.forces.emplace_back(i, force);
    if (nodes.potential >= 0 || !nodes.forces.empty()) draft_.add_dynamics(nodes, "drive of " + joint_.name);
    if (joint_.motion)
      joint_.entry.rows.push_back({'d', {}, hold(graph_.subtract(x, draft_.of_time(*joint_.motion)), "motion")});
    if (joint_.limits) {
      const std::vector<Item> two = joint_.limits->list();
      if (two.size() != 2) joint_.limits->fail("needs the lower and the upper limit");
      const double low = draft_.number(two[0]), high = draft_.number(two[1]);
      if (!(low < high)) joint_.limits->fail(message("the lower limit {} must be below the upper one {}", low, high));
      hold(graph_.subtract(x, graph_.constant(low)), "lower limit", Set::nonnegative);
      hold(graph_.subtract(graph_.constant(high), x), "upper limit", Set::nonnegative);
    }
  }
  /// Coulomb's law smoothed: T tanh(v/w), T the torque or force, w the rate over which it turns round.
  Node friction(const Item& item, Node v) {
    const std::vector<Item> two = item.list();
    if (two.size() != 2) item.fail("needs the torque or force of sliding, and the rate over which it turns round");
    return graph_.multiply(graph_.constant(draft_.positive(two[0])),
                           graph_.make(Op::tanh, graph_.divide(v, graph_.constant(draft_.positive(two[1])))));
  }

  Draft& draft_;
  Graph& graph_;
  Joint joint_;
  JointPlace place_{};
};

}  // namespace

/// Angles and travels of joints are coordinates without inertia of their own; they are numbered with the others.
void name_joint_coordinates(const Item& item, Draft& draft) {
  for (const Item& one : item.list())
    if (one.is_table())
      for (const auto& [key, name] : one.entries())
        if (key == "angle" || key == "travel") {
          draft.take_name(name, name.word());
          draft.generalized.push_back(name.word());
          draft.joint_coordinates.insert(name.word());
        }
}

std::vector<std::string> joint_types() {
  std::vector<std::string> all;
  for (const int dim : {2, 3})
    for (const JointKind& one : joint_kinds(dim))
      if (std::find(all.begin(), all.end(), one.name) == all.end()) all.push_back(one.name);
  return all;
}

void read_joint(const Item& item, Draft& draft) { JointReader(item, draft).add(); }

}  // namespace taut
