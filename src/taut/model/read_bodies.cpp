#include <Eigen/Geometry>
#include <cmath>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/point_mass.hpp>

/// Rigid bodies: what their section says, and what becomes of it in the system.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Node = Graph::Node;

std::vector<double> numbers_of(const Item& item, std::size_t count, Draft& draft) {
  std::vector<double> out;
  for (const Item& one : item.is_list() ? item.list() : std::vector<Item>{item}) out.push_back(draft.number(one));
  if (out.size() != count) item.fail(message("needs {} numbers, got {}", count, out.size()));
  return out;
}

Matrix3d matrix_of(const Item& item, Draft& draft) {
  const std::vector<Item> rows = item.list();
  if (rows.size() != 3) item.fail(message("needs three rows of three numbers, got {} rows", rows.size()));
  Matrix3d out;
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> row = numbers_of(rows[std::size_t(i)], 3, draft);
    for (int j = 0; j < 3; ++j) out(i, j) = row[std::size_t(j)];
  }
  return out;
}

/// Turns about the body's own axes, one after the other.
Matrix3d euler(const Item& order, const Item& angles, Draft& draft) {
  const std::string& word = order.word();
  if (word.size() != 3 || word.find_first_not_of("xyz") != std::string::npos || word[0] == word[1] || word[1] == word[2])
    order.fail(message("'{}' is not an order of axes such as zxz or zyx", excerpt(word)));
  const std::vector<double> by = numbers_of(angles, 3, draft);
  Matrix3d out = Matrix3d::Identity();
  for (std::size_t k = 0; k < 3; ++k) out = out * turn(Vector3d::Unit(word[k] - 'x'), by[k]);
  return out;
}

Matrix3d rotation_of(const Item& item, Draft& draft) {
  if (draft.dim == 2) return turn(Vector3d::UnitZ(), draft.number(item));
  if (!item.is_table())
    item.fail(
        "in space needs an axis and an angle, a quaternion, Euler angles, a matrix, or the direction `along` which x "
        "points");
  std::optional<Item> axis, angle, order, angles;
  std::optional<Matrix3d> found;
  for (const auto& [key, one] : item.entries(forms().rotation.keys)) {
    if (key == "axis") axis = one;
    if (key == "angle") angle = one;
    if (key == "euler") order = one;
    if (key == "angles") angles = one;
    if (key == "quaternion") {
      const std::vector<double> q = numbers_of(one, 4, draft);
      const Eigen::Quaterniond turned(q[0], q[1], q[2], q[3]);
      if (!(turned.norm() > 0.0)) one.fail("a quaternion must not be zero");
      found = turned.normalized().toRotationMatrix();
    }
    if (key == "matrix") {
      found = matrix_of(one, draft);
      if (!((*found * found->transpose() - Matrix3d::Identity()).norm() < 1e-9) || !(found->determinant() > 0.0))
        one.fail("is no rotation: its columns must be at right angles, of length one, and right-handed");
    }
    if (key == "along") found = turn_between(Vector3d::UnitX(), read_direction(one, draft));
  }
  if (axis && angle) found = turn(read_direction(*axis, draft), draft.number(*angle));
  if (order && angles) found = euler(*order, *angles, draft);
  if (!found) item.fail("needs axis and angle, quaternion, euler and angles, matrix, or along");
  return *found;
}

/// One shape: {box: [1, 2, 3], at: …, rotation: …, density: …}. Returns its mass; of density one unless it says its own.
MassDistribution read_shape(const Item& item, double density, BodyEntry& body, Draft& draft) {
  SolidShape shape;
  const std::vector<std::string> kinds = SolidShape::kinds(draft.dim);
  for (const auto& [key, one] : item.entries(forms().shape.keys)) {
    if (key == "at") {
      shape.at = read_vector(one, draft);
    } else if (key == "rotation") {
      shape.rotation = rotation_of(one, draft);
    } else if (key == "density") {
      density = draft.positive(one);
    } else {
      const int count = SolidShape::sizes(key, draft.dim);
      if (count == 0) one.fail(unknown(draft.dim == 2 ? "shape in the plane called" : "shape in space called", key, kinds));
      if (!shape.kind.empty()) item.fail("one shape at a time; a body of several has a list of them");
      shape.kind = key;
      shape.size = numbers_of(one, std::size_t(count), draft);
      for (const double size : shape.size)
        if (!(size > 0.0)) one.fail(message("sizes must be positive, got {}", size));
    }
  }
  if (shape.kind.empty()) item.fail("needs the name of a shape and its sizes, such as box: [1, 0.2, 0.1]");
  body.shapes.push_back(shape);
  MassDistribution out = shape.mass();
  out.mass *= density;
  out.tensor *= density;
  return out;
}

/// A number, three about the body's own axes, or all of them.
Matrix3d inertia_of(const Item& item, Draft& draft) {
  Matrix3d J = Matrix3d::Zero();
  if (draft.dim == 2 || !item.is_list()) {
    J.diagonal().setConstant(draft.number(item));
  } else if (!item.empty() && item.list()[0].is_list()) {
    J = matrix_of(item, draft);
    if (!((J - J.transpose()).norm() <= 1e-9 * J.norm())) item.fail("must be symmetric");
  } else {
    const std::vector<double> three = numbers_of(item, 3, draft);
    J.diagonal() = Vector3d(three[0], three[1], three[2]);
  }
  return J;
}

/// Principal moments and axes, and whether such a body can be.
void find_principal_axes(const Item& item, BodyEntry& body, int dim) {
  const Matrix3d& J = body.mass.tensor;
  if (body.mass.mass == 0.0) {
    if (!J.isZero(0.0)) item.fail("must be zero: a body without mass has no inertia");
    return;
  }
  if (dim == 2) {
    body.moments = {0.0, 0.0, J(2, 2)};
    if (!(J(2, 2) > 0.0)) item.fail(message("its moment of inertia must be positive, got {}", J(2, 2)));
    return;
  }
  body.moments = J.diagonal();
  if (!J.isDiagonal(1e-14)) {
    Eigen::MatrixXd axes = J;
    body.moments = diagonalize(axes);
    body.principal = axes;
    if (body.principal.determinant() < 0.0) body.principal.col(2) *= -1.0;
  }
  const Vector3d& m = body.moments;
  const double most = m.maxCoeff(), slack = 1e-12 * most;
  if (!(m.minCoeff() >= 0.0) || !(most > 0.0))
    item.fail(message("moments of inertia must be positive, got {}, {}, {}", m[0], m[1], m[2]));
  if (m.sum() - 2.0 * most < -slack)
    item.fail(message("no body has the moments of inertia {}, {}, {}: none can be larger than the sum of the other two",
                      m[0], m[1], m[2]));
}

/// Whether every part of a shape says its own.
bool has_densities(const Item& shape) {
  const std::vector<Item> parts = shape.is_list() ? shape.list() : std::vector<Item>{shape};
  return std::all_of(parts.begin(), parts.end(),
                     [](const Item& one) { return one.is_table() && one.tree().find("density") != nullptr; });
}

void read_mass(const Item& item, BodyEntry& body, Draft& draft) {
  std::optional<Item> mass, inertia, shape, density, center;
  for (const auto& [key, one] : item.entries(forms().body.keys)) {
    if (key == "mass") mass = one;
    if (key == "inertia") inertia = one;
    if (key == "shape") shape = one;
    if (key == "density") density = one;
    if (key == "center") center = one;
  }
  if (!mass && !(shape && (density || has_densities(*shape)))) item.fail("needs a `mass`, or a `shape` and its `density`");
  const double kilograms = mass ? draft.number(*mass) : 1.0;
  if (!(kilograms >= 0.0)) mass->fail(message("must not be negative, got {}", mass->text()));
  if (!inertia && !shape && kilograms > 0.0)
    item.fail("needs an `inertia` about its centre of mass, or a `shape` from which it follows");
  if (mass && density) density->fail("follows from the `mass`; give one of them");
  if (center && shape && !(mass && inertia))
    center->fail("follows from the `shape`, unless `mass` and `inertia` are given too; then that is only drawn");
  if (shape) {
    const double each = density ? draft.positive(*density) : 1.0;
    for (const Item& one : shape->is_list() ? shape->list() : std::vector<Item>{*shape})
      body.mass = body.mass + read_shape(one, each, body, draft);
  }
  if (mass) {
    if (shape) body.mass.tensor *= kilograms / body.mass.mass;
    body.mass.mass = kilograms;
  }
  if (inertia) body.mass.tensor = inertia_of(*inertia, draft);
  if (center) body.mass.center = read_vector(*center, draft);
  find_principal_axes(inertia ? *inertia : item, body, draft.dim);
}

/// Body.vector of the own axes as expressions: Σ uᵢ dᵢ with u along the principal axes.
std::array<Node, 3> turned(const BodyEntry& body, const Vector3d& own, Draft& draft, bool rate) {
  Graph& graph = *draft.graph;
  const auto coordinate = [&](int k) {
    const int i = body.first + draft.dim + k;
    return graph.variable(rate ? draft.numbering.v(i) : draft.numbering.q(i));
  };
  const auto sum = [&](std::initializer_list<std::pair<double, int>> terms) {
    Node out = graph.constant(0.0);
    for (const auto& [weight, k] : terms) out = graph.add(out, graph.multiply(graph.constant(weight), coordinate(k)));
    return out;
  };
  if (draft.dim == 2) return {sum({{own[0], 0}, {-own[1], 1}}), sum({{own[1], 0}, {own[0], 1}}), graph.constant(0.0)};
  Vector3d u = body.principal.transpose() * own;
  for (double& one : u)  // what is round-off of the turn to principal axes is nothing
    if (std::abs(one) < 1e-15 * own.norm()) one = 0.0;
  std::array<Node, 3> out{};
  for (int k = 0; k < 3; ++k) out[std::size_t(k)] = sum({{u[0], k}, {u[1], 3 + k}, {u[2], 6 + k}});
  return out;
}

}  // namespace

std::array<Node, 3> body_vector(const BodyEntry& body, const Vector3d& own, Draft& draft) {
  return turned(body, own, draft, false);
}

std::array<Node, 3> body_place(const BodyEntry& body, const Vector3d& point, Draft& draft, bool rate) {
  std::array<Node, 3> out = turned(body, point - body.mass.center, draft, rate);
  for (int k = 0; k < draft.dim; ++k) {
    const int i = body.first + k;
    out[std::size_t(k)] =
        draft.graph->add(draft.graph->variable(rate ? draft.numbering.v(i) : draft.numbering.q(i)), out[std::size_t(k)]);
  }
  return out;
}

/// ω = ½Σ dᵢ × ḋᵢ; in the plane c ṡ − s ċ, the last.
std::array<Node, 3> body_spin(const BodyEntry& body, Draft& draft) {
  Graph& graph = *draft.graph;
  const auto q = [&](int k) { return graph.variable(draft.numbering.q(body.first + draft.dim + k)); };
  const auto v = [&](int k) { return graph.variable(draft.numbering.v(body.first + draft.dim + k)); };
  const auto cross = [&](int a, int b) { return graph.subtract(graph.multiply(q(a), v(b)), graph.multiply(q(b), v(a))); };
  const Node zero = graph.constant(0.0);
  if (draft.dim == 2) return {zero, zero, cross(0, 1)};
  std::array<Node, 3> out{};
  for (int k = 0; k < 3; ++k) {
    Node sum = zero;
    for (int d = 0; d < 9; d += 3) sum = graph.add(sum, cross(d + (k + 1) % 3, d + (k + 2) % 3));
    out[std::size_t(k)] = graph.multiply(graph.constant(0.5), sum);
  }
  return out;
}

void read_bodies(const Item& item, Draft& draft) {
  if (draft.dim == 1) item.fail("need a plane or space: dimension 2 or 3");
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    BodyEntry body{name, one};
    read_mass(one, body, draft);
    for (const auto& [key, part] : one.entries(forms().body.keys)) {
      if (key == "at") body.at = read_vector(part, draft);
      if (key == "rotation") body.rotation = rotation_of(part, draft);
      if (key == "velocity") body.velocity = read_vector(part, draft);
      if (key == "spin") body.spin = draft.dim == 2 ? Vector3d(0.0, 0.0, draft.number(part)) : read_vector(part, draft);
      if (key != "points" && key != "axes") continue;
      for (const auto& [word, where] : part.entries()) {
        if (!Draft::is_name(word)) where.fail(message("'{}' is not a name", excerpt(word)));
        for (const auto* known : {&body.points, &body.axes})
          for (const auto& [other, value] : *known)
            if (other == word) where.fail(message("the body has a '{}' already", word));
        if (key == "points") body.points.emplace_back(word, read_vector(where, draft));
        if (key == "axes") body.axes.emplace_back(word, read_direction(where, draft));
      }
    }
    draft.body_index.try_emplace(name, draft.bodies.size());
    draft.bodies.push_back(std::move(body));
  }
}

int body_points(const Draft& draft) { return int(draft.bodies.size()) * (draft.dim == 2 ? 2 : 4); }

/// arm.x, arm.y; arm.c, arm.s in the plane, arm.d1x … arm.d3z in space.
void add_body_coordinates(Draft& draft) {
  for (BodyEntry& body : draft.bodies) {
    body.first = int(draft.names.size());
    for (int k = 0; k < draft.dim; ++k) draft.add_coordinate(body.name + "." + "xyz"[k]);
    if (draft.dim == 2)
      for (const char* one : {".c", ".s"}) draft.add_coordinate(body.name + one);
    for (int d = 0; draft.dim == 3 && d < 9; ++d)
      draft.add_coordinate(body.name + ".d" + std::to_string(d / 3 + 1) + "xyz"[d % 3]);
    const Vector3d center = body.place_at_start(body.mass.center);
    const Matrix3d axes = body.rotation * body.principal;
    const Vector3d spin = body.spin.value_or(Vector3d::Zero()), velocity = body.velocity.value_or(Vector3d::Zero());
    for (int k = 0; k < draft.dim; ++k) {
      draft.q[body.first + k] = center[k];
      draft.v[body.first + k] = velocity[k];
    }
    for (int d = 0; d < (draft.dim == 2 ? 1 : 3); ++d) {
      const Vector3d axis = axes.col(d), rate = spin.cross(axis);
      for (int k = 0; k < draft.dim; ++k) {
        draft.q[body.first + draft.dim * (d + 1) + k] = axis[k];
        draft.v[body.first + draft.dim * (d + 1) + k] = rate[k];
      }
    }
    for (int i = body.first; i < int(draft.names.size()); ++i) draft.given_q[std::size_t(i)] = 1;
  }
}

namespace {

/// Inertia and gravity. A moment Eᵢ of nothing is left out: the constraints carry such an axis.
void add_inertia(const BodyEntry& body, Draft& draft) {
  if (body.mass.mass == 0.0) return;
  System& system = *draft.system;
  const auto add = [&](int coordinate, double kilograms) {
    if (!(kilograms > 1e-12 * body.moments.maxCoeff())) return;
    const std::string name = "inertia of " + body.name;
    if (draft.dim == 2) system.add(PointMass<2>{coordinate / 2, kilograms}, name);
    if (draft.dim == 3) system.add(PointMass<3>{coordinate / 3, kilograms}, name);
  };
  const Vector3d& J = body.moments;
  if (draft.dim == 2) {
    system.add(PointMass<2>{body.first / 2, body.mass.mass}, "mass of " + body.name);
    add(body.first + 2, J[2]);
  } else {
    system.add(PointMass<3>{body.first / 3, body.mass.mass}, "mass of " + body.name);
    for (int i = 0; i < 3; ++i) add(body.first + 3 * (i + 1), 0.5 * (J.sum() - 2.0 * J[i]));
  }
  if (draft.damping > 0.0) {
    const int each = draft.dim == 2 ? 4 : 12;
    for (int k = 0; k < each; ++k) {
      const double m = k < draft.dim ? body.mass.mass : draft.dim == 2 ? J[2] : 0.5 * (J.sum() - 2.0 * J[k / 3 - 1]);
      const auto matrices = std::make_shared<const ElementMatrices<1>>(ElementMatrices<1>{.damping = {draft.damping * m}});
      system.add(Element<1, 1>{{body.first + k}, matrices}, "damping of " + body.name);
    }
  }
  for (int k = 0; k < draft.dim; ++k)
    if (draft.gravity[std::size_t(k)] != 0.0)
      system.add(Weight{body.first + k, -body.mass.mass * draft.gravity[std::size_t(k)]}, "gravity on " + body.name);
}

/// dᵢ·dⱼ = δᵢⱼ.
void hold_axes(const BodyEntry& body, Draft& draft) {
  Graph& graph = *draft.graph;
  const int axes = draft.dim == 2 ? 1 : 3;
  for (int a = 0; a < axes; ++a)
    for (int b = a; b < axes; ++b) {
      Node sum = graph.constant(a == b ? -1.0 : 0.0);
      for (int k = 0; k < draft.dim; ++k) {
        const auto axis = [&](int d) { return graph.variable(draft.numbering.q(body.first + draft.dim * (d + 1) + k)); };
        sum = graph.add(sum, graph.multiply(axis(a), axis(b)));
      }
      const std::string word = draft.dim == 2 ? "" : " " + std::to_string(a + 1) + std::to_string(b + 1);
      draft.add_constraint(body.item, a == b ? graph.multiply(graph.constant(0.5), sum) : sum, Set::zero,
                           "axes of " + body.name + word);
    }
}

/// The body and its points as places.
void add_places(const BodyEntry& body, Draft& draft) {
  const auto add = [&](const std::string& name, const Vector3d& point, int of_system) {
    const std::array<Node, 3> x = body_place(body, point, draft, false);
    const int in_scene = draw_place(draft, name, Scene::Place::Kind::mark, x);
    draft.add_spot(name, {.x = x, .point = of_system, .massive = true, .in_scene = in_scene});
  };
  add(body.name, body.mass.center, body.first / draft.dim);
  for (const auto& [word, point] : body.points) add(body.name + "." + word, point, -1);
}

}  // namespace

void add_bodies(Draft& draft) {
  for (const BodyEntry& body : draft.bodies) {
    add_inertia(body, draft);
    hold_axes(body, draft);
    add_places(body, draft);
    draw_body(draft, body);
    draft.system->add_vector(body.first, false);
    for (int d = 0; d < (draft.dim == 2 ? 1 : 3); ++d) draft.system->add_vector(body.first + draft.dim * (d + 1), true);
  }
}

}  // namespace taut
