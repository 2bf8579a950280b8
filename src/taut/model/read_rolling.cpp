#include <cmath>
#include <taut/model/readers.hpp>

/// Wheels and balls that roll on a plane without slipping.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Node = Graph::Node;
using Vector3n = std::array<Node, 3>;

/// The point of contact x − r e, with e from there to the centre: the normal n of a ball, and for a wheel what of n lies in its plane. It is on the
/// plane, and does not move along it: t·(v − r ω × e) = 0.
class Rolling {
 public:
  Rolling(const Item& item, Draft& draft) : item_(item), draft_(draft), graph_(*draft.graph) {
    for (const auto& [key, one] : item.entries(forms().rolling.keys)) {
      if (key == "body") who_ = one;
      if (key == "radius") radius_ = draft.positive(one);
      if (key == "normal") normal_ = direction(one);
      if (key == "offset") offset_ = draft.number(one);
      if (key == "wheel") wheel_ = one;
      if (key == "name") name_ = one.word();
    }
    if (!who_) item.fail("needs a `body`");
    if (!(radius_ > 0.0)) item.fail("needs a `radius`");
    const auto found = draft.body_index.find(who_->word());
    if (found == draft.body_index.end()) {
      std::vector<std::string> known;
      for (const BodyEntry& one : draft.bodies) known.push_back(one.name);
      who_->fail(unknown("body", who_->word(), known));
    }
    body_ = &draft.bodies[found->second];
    if (name_.empty()) name_ = "rolling of " + body_->name;
  }

  void add() {
    const Vector3n x = body_place(*body_, body_->mass.center, draft_, false),
                   v = body_place(*body_, body_->mass.center, draft_, true), w = body_spin(*body_, draft_),
                   n = constant(normal_);
    Vector3n e = n;
    Node height = graph_.constant(radius_);
    if (wheel_) {
      const Vector3n a = axle();
      const Node lean = dot(n, a);
      const Node upright = graph_.make(Op::sqrt, graph_.subtract(graph_.constant(1.0), graph_.multiply(lean, lean)));
      for (std::size_t k = 0; k < 3; ++k) e[k] = graph_.divide(graph_.subtract(n[k], graph_.multiply(lean, a[k])), upright);
      height = graph_.multiply(height, upright);
    }
    const Node above = graph_.subtract(dot(n, x), graph_.constant(offset_));
    draft_.add_constraint(item_, graph_.subtract(above, height), Set::zero, name_ + ": height");
    const Matrix3d frame = draft_.dim == 3 ? frame_along(normal_) : plane_frame();
    for (int k = 0; k < draft_.dim - 1; ++k) {
      const Vector3n t = constant(frame.col(k));
      Node slip = graph_.constant(0.0);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
        const Node turning = graph_.subtract(graph_.multiply(w[j], e[l]), graph_.multiply(w[l], e[j]));
        const Node speed = draft_.dim == 2 && i == 2 ? graph_.constant(0.0) : v[i];
        slip = graph_.add(slip,
                          graph_.multiply(t[i], graph_.subtract(speed, graph_.multiply(graph_.constant(radius_), turning))));
      }
      draft_.add_constraint(item_, slip, Set::zero, name_ + ": slip " + std::to_string(k + 1));
    }
  }

 private:
  Vector3d direction(const Item& item) const {
    Vector3d out = Vector3d::Zero();
    const std::vector<Item> numbers = draft_.axes(item);
    for (int k = 0; k < draft_.dim; ++k) out[k] = draft_.number(numbers[std::size_t(k)]);
    if (!(out.norm() > 0.0)) item.fail("a direction must not be zero");
    return out.normalized();
  }
  Matrix3d plane_frame() const {
    Matrix3d out = Matrix3d::Identity();
    out.col(0) = Vector3d(normal_.y(), -normal_.x(), 0.0);
    return out;
  }
  Vector3n axle() {
    if (draft_.dim == 2) wheel_->fail("in the plane a wheel needs no axle");
    std::vector<std::string> known;
    for (const auto& [name, axis] : body_->axes) {
      if (name == wheel_->word()) return body_vector(*body_, axis, draft_);
      known.push_back(name);
    }
    wheel_->fail(unknown("axis of " + body_->name, wheel_->word(), known));
  }
  Vector3n constant(const Vector3d& x) {
    Vector3n out{};
    for (int k = 0; k < 3; ++k) out[std::size_t(k)] = graph_.constant(std::abs(x[k]) < 1e-16 ? 0.0 : x[k]);
    return out;
  }
  Node dot(const Vector3n& x, const Vector3n& y) {
    Node sum = graph_.constant(0.0);
    for (int k = 0; k < draft_.dim; ++k) sum = graph_.add(sum, graph_.multiply(x[std::size_t(k)], y[std::size_t(k)]));
    return sum;
  }

  Item item_;
  Draft& draft_;
  Graph& graph_;
  std::optional<Item> who_{}, wheel_{};
  const BodyEntry* body_ = nullptr;
  double radius_ = 0.0, offset_ = 0.0;
  Vector3d normal_ = draft_.dim == 2 ? Vector3d::UnitY() : Vector3d::UnitZ();
  std::string name_{};
};

}  // namespace

void read_rolling(const Item& item, Draft& draft) { Rolling(item, draft).add(); }

}  // namespace taut
