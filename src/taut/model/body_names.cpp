#include <algorithm>
#include <cmath>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

/// What names of bodies and joints mean in expressions. They are looked up when they are asked for: a body has dozens of them.
namespace taut {
namespace {

using Eigen::Vector3d;
using Node = Graph::Node;

/// "x", "y", "z" → 0, 1, 2; "vx" with the letter v before it.
int axis_of(std::string_view word, std::string_view before, int dim) {
  if (word.size() != before.size() + 1 || !word.starts_with(before)) return -1;
  const int axis = word.back() - 'x';
  return axis >= 0 && axis < dim ? axis : -1;
}

/// A place by its parts: x, x' or vx.
std::optional<Node> place_symbol(const BodyEntry& body, const Vector3d& point, std::string_view rest, Draft& draft) {
  if (const int k = axis_of(rest, "", draft.dim); k >= 0) return body_place(body, point, draft, false)[std::size_t(k)];
  const bool primed = rest.ends_with('\'');
  const int k = primed ? axis_of(rest.substr(0, rest.size() - 1), "", draft.dim) : axis_of(rest, "v", draft.dim);
  if (k >= 0) return body_place(body, point, draft, true)[std::size_t(k)];
  return {};
}

/// Unit quaternions from the matrix of the own axes, the first not negative. Four times the products of two of them are linear in that matrix; all four follow
/// from the products with one that is not small, smoothly.
Node quaternion(const BodyEntry& body, int which, Draft& draft) {
  Graph& graph = *draft.graph;
  std::array<VectorNode, 3> R;  // columns
  for (int k = 0; k < 3; ++k) R[std::size_t(k)] = body_vector(body, Vector3d::Unit(k), draft);
  const auto at = [&](int i, int j) { return R[std::size_t(j)][std::size_t(i)]; };
  const auto square = [&](int k) {  // 4 q_k²
    Node sum = graph.constant(1.0);
    for (int i = 0; i < 3; ++i) sum = k == 0 || i == k - 1 ? graph.add(sum, at(i, i)) : graph.subtract(sum, at(i, i));
    return sum;
  };
  const auto product = [&](int k, int l) {  // 4 q_k q_l
    if (k == l) return square(k);
    if (k != 0 && l != 0) return graph.add(at(k - 1, l - 1), at(l - 1, k - 1));
    const int axis = std::max(k, l), i = axis % 3, j = (axis + 1) % 3;
    return graph.subtract(at(j, i), at(i, j));
  };
  const auto by = [&](int one) {
    const Node twice = graph.make(Op::sqrt, square(one)), found = graph.divide(product(which, one), graph.add(twice, twice));
    if (one == 0) return found;
    return graph.make(Op::select, graph.make(Op::less, product(0, one), graph.constant(0.0)), graph.make(Op::negate, found),
                      found);
  };
  // The squares are 4 in all: one of them is 1 or more.
  Node out = by(3);
  for (const int one : {2, 1, 0})
    out = graph.make(Op::select, graph.make(Op::less, square(one), graph.constant(1.0 - 1e-6)), out, by(one));
  return out;
}

std::optional<Node> energy(const BodyEntry& body, bool kinetic, Draft& draft) {
  Graph& graph = *draft.graph;
  Node sum = graph.constant(0.0);
  if (!kinetic) {
    for (int k = 0; k < draft.dim; ++k)
      sum = graph.subtract(sum, graph.multiply(graph.constant(body.mass.mass * draft.gravity[std::size_t(k)]),
                                               graph.variable(draft.numbering.q(body.first + k))));
    return sum;
  }
  const auto add = [&](int i, double m) {
    const Node v = graph.variable(draft.numbering.v(i));
    sum = graph.add(sum, graph.multiply(graph.constant(0.5 * m), graph.multiply(v, v)));
  };
  for (int k = 0; k < draft.dim; ++k) add(body.first + k, body.mass.mass);
  for (int d = 0; d < (draft.dim == 2 ? 1 : 3); ++d)
    for (int k = 0; k < draft.dim; ++k)
      add(body.first + draft.dim * (d + 1) + k,
          draft.dim == 2 ? body.moments[2] : 0.5 * (body.moments.sum() - 2.0 * body.moments[d]));
  return sum;
}

std::optional<Node> body_symbol(const BodyEntry& body, std::string_view rest, Draft& draft) {
  Graph& graph = *draft.graph;
  if (const std::size_t dot_at = rest.find('.'); dot_at != std::string_view::npos) {
    const std::string_view word = rest.substr(0, dot_at), part = rest.substr(dot_at + 1);
    for (const auto& [name, point] : body.points)
      if (name == word) return place_symbol(body, point, part, draft);
    for (const auto& [name, axis] : body.axes)
      if (const int k = axis_of(part, "", draft.dim); name == word && k >= 0)
        return body_vector(body, axis, draft)[std::size_t(k)];
    return {};
  }
  if (const int k = axis_of(rest, "v", draft.dim); k >= 0) return graph.variable(draft.numbering.v(body.first + k));
  if (rest == "kinetic" || rest == "potential") return energy(body, rest == "kinetic", draft);
  if (draft.dim == 2) {
    const VectorNode x = body_vector(body, Vector3d::UnitX(), draft);
    if (rest == "angle") return graph.make(Op::atan2, x[1], x[0]);
    if (rest == "w" || rest == "angle'") return body_spin(body, draft)[2];
    return {};
  }
  if (const int k = axis_of(rest, "w", 3); k >= 0) return body_spin(body, draft)[std::size_t(k)];
  if (rest.size() == 2 && rest[0] == 'w' && rest[1] >= '1' && rest[1] <= '3')
    return dot(graph, body_spin(body, draft), body_vector(body, Vector3d::Unit(rest[1] - '1'), draft));
  if (rest.size() == 2 && rest[0] == 'q' && rest[1] >= '0' && rest[1] <= '3') return quaternion(body, rest[1] - '0', draft);
  return {};
}

/// Force and moment on the second side, in axes of space (fx, mx) or of the joint (f1, m1); the moment in the plane is m; what drives it is torque.
std::optional<Node> joint_symbol(const JointEntry& joint, std::string_view rest, Draft& draft) {
  Graph& graph = *draft.graph;
  const auto pushed = [&](const JointEntry::Row& row) {  // −λ
    return graph.make(Op::negate, graph.variable(draft.lambda_variable(draft.row_of(row.constraint))));
  };
  if (rest == "torque" || rest == "force") {
    for (const JointEntry::Row& row : joint.rows)
      if (row.kind == 'd') return pushed(row);
    return {};
  }
  const bool plane_moment = draft.dim == 2 && rest == "m";
  if (!plane_moment && (rest.size() != 2 || (rest[0] != 'f' && rest[0] != 'm'))) return {};
  VectorNode sum = constant_vector(graph, Vector3d::Zero());
  for (const JointEntry::Row& row : joint.rows)
    if (row.kind == rest[0])
      for (std::size_t k = 0; k < 3; ++k) sum[k] = graph.add(sum[k], graph.multiply(pushed(row), row.direction[k]));
  for (const JointEntry::Push& one : joint.pushes)
    if (one.kind == rest[0])
      for (std::size_t k = 0; k < 3; ++k) sum[k] = graph.add(sum[k], graph.multiply(one.force, one.direction[k]));
  if (plane_moment) return sum[2];
  if (rest[1] >= '1' && rest[1] <= '3') return dot(graph, sum, joint.axes[std::size_t(rest[1] - '1')]);
  const int k = axis_of(rest, rest.substr(0, 1), draft.dim);
  return k >= 0 ? std::optional<Node>(sum[std::size_t(k)]) : std::nullopt;
}

}  // namespace

std::optional<Node> named_of_bodies(std::string_view name, Draft& draft) {
  const std::size_t dot_at = name.find('.');
  if (dot_at == std::string_view::npos) return {};
  const std::string owner(name.substr(0, dot_at));
  const std::string_view rest = name.substr(dot_at + 1);
  if (const std::size_t next = name.find('.', dot_at + 1); next != std::string_view::npos)
    if (const auto end = draft.frames.find(std::string(name.substr(0, next))); end != draft.frames.end())
      return body_symbol(end->second, name.substr(next + 1), draft);
  if (const auto body = draft.body_index.find(owner); body != draft.body_index.end())
    return body_symbol(draft.bodies[body->second], rest, draft);
  if (const auto joint = draft.joints.find(owner); joint != draft.joints.end() && draft.rows_known())
    return joint_symbol(joint->second, rest, draft);
  return {};
}

namespace {

/// Q = F ∂rate/∂v, of a rate that is linear in the velocities: where F·rate is the power.
void push_along(Node rate, Node force, Draft& draft) {
  Graph& graph = *draft.graph;
  for (const int variable : graph.variables_of({rate}))
    if (draft.numbering.is_velocity(variable))
      draft.lagrangian.forces.emplace_back(draft.numbering.coordinate(variable),
                                           graph.multiply(force, graph.derivative(rate, variable)));
}

/// "f1", "m3" → 0, 2 for axes of the body; "mx" → 0 with `space`.
int own_axis(std::string_view word, char letter, int dim) {
  if (word.size() != 2 || word[0] != letter) return -1;
  const int axis = word[1] - '1';
  return axis >= 0 && axis < dim ? axis : -1;
}

}  // namespace

/// A moment m does the work m·ω, so that it acts as ½ m × dᵢ on each dᵢ, in the plane on c and s; a force F at a point that of its velocity.
bool push_body(const std::string& name, const Item& item, Draft& draft) {
  const std::size_t dot_at = name.find('.');
  const auto found = draft.body_index.find(name.substr(0, dot_at));
  if (dot_at == std::string::npos || found == draft.body_index.end()) return false;
  Graph& graph = *draft.graph;
  const BodyEntry& body = draft.bodies[found->second];
  std::string rest = name.substr(dot_at + 1);
  const auto along = [&](const VectorNode& rate, int axis) {  // of the body
    push_along(dot(graph, rate, body_vector(body, Vector3d::Unit(axis), draft)), draft.value(item), draft);
    return true;
  };
  const int space = draft.dim == 2 ? (rest == "m" ? 2 : -1) : axis_of(rest, "m", 3);
  if (space >= 0) {
    push_along(body_spin(body, draft)[std::size_t(space)], draft.value(item), draft);
    return true;
  }
  if (const int axis = own_axis(rest, 'm', 3); draft.dim == 3 && axis >= 0) return along(body_spin(body, draft), axis);
  Vector3d point = body.mass.center;
  if (const std::size_t next = rest.find('.'); next != std::string::npos) {
    const auto at = std::find_if(body.points.begin(), body.points.end(),
                                 [&](const auto& one) { return one.first == rest.substr(0, next); });
    if (at == body.points.end()) return false;
    point = at->second;
    rest = rest.substr(next + 1);
  }
  const int axis = own_axis(rest, 'f', draft.dim);
  return axis >= 0 && along(body_place(body, point, draft, true), axis);
}

}  // namespace taut
