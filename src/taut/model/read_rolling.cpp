#include <cmath>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

/// Wheels and balls that roll on a plane without slipping.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Node = Graph::Node;

/// The point of contact x − r e, with e from there to the centre: the normal n of a ball, and for a wheel what of n lies in its plane. It is on the
/// plane, and does not move along it: t·(v − r ω × e) = 0.
class Rolling {
 public:
  Rolling(const Item& item, Draft& draft) : item_(item), draft_(draft), graph_(*draft.graph) {
    for (const auto& [key, one] : item.entries(forms().rolling.keys)) {
      if (key == "body") who_ = one;
      if (key == "radius") radius_ = draft.positive(one);
      if (key == "normal") normal_ = read_direction(one, draft);
      if (key == "offset") offset_ = draft.number(one);
      if (key == "wheel") wheel_ = one;
      if (key == "name") name_ = one.word();
    }
    if (!who_) item.fail("needs a `body`");
    if (!(radius_ > 0.0)) item.fail("needs a `radius`");
    find_middle();
    if (name_.empty()) name_ = "rolling of " + body_->name;
  }

  void add() {
    const VectorNode x = body_place(*body_, middle_, draft_, false), v = body_place(*body_, middle_, draft_, true),
                     w = body_spin(*body_, draft_), n = constant_vector(graph_, normal_);
    VectorNode e = n;
    Node height = graph_.constant(radius_);
    if (wheel_) {
      const VectorNode a = axle();
      const Node lean = dot(graph_, n, a);
      const Node upright = graph_.make(Op::sqrt, graph_.subtract(graph_.constant(1.0), graph_.multiply(lean, lean)));
      for (std::size_t k = 0; k < 3; ++k) e[k] = graph_.divide(graph_.subtract(n[k], graph_.multiply(lean, a[k])), upright);
      height = graph_.multiply(height, upright);
    }
    const Node above = graph_.subtract(dot(graph_, n, x), graph_.constant(offset_));
    draft_.add_constraint(item_, graph_.subtract(above, height), Set::zero, name_ + ": height");
    const Matrix3d frame = draft_.dim == 3 ? frame_along(normal_) : plane_frame();
    for (int k = 0; k < draft_.dim - 1; ++k) {
      const VectorNode t = constant_vector(graph_, frame.col(k));
      const Node turning = dot(graph_, t, cross(graph_, w, e));
      const Node slip = graph_.subtract(dot(graph_, t, v), graph_.multiply(graph_.constant(radius_), turning));
      draft_.add_constraint(item_, slip, Set::zero, name_ + ": slip " + std::to_string(k + 1));
    }
  }

 private:
  /// Of the wheel or ball: the origin of the body's own coordinates, or a point of it (wheel.hub). Its centre of mass may lie elsewhere.
  void find_middle() {
    const std::string& word = who_->word();
    const std::size_t dot_at = word.find('.');
    const auto found = draft_.body_index.find(word.substr(0, dot_at));
    std::vector<std::string> known;
    if (found == draft_.body_index.end()) {
      for (const BodyEntry& one : draft_.bodies) known.push_back(one.name);
      who_->fail(unknown("body", word, known));
    }
    body_ = &draft_.bodies[found->second];
    if (dot_at == std::string::npos) return;
    for (const auto& [name, point] : body_->points) {
      known.push_back(body_->name + "." + name);
      if (known.back() != word) continue;
      middle_ = point;
      return;
    }
    who_->fail(unknown("point of a body", word, known));
  }
  Matrix3d plane_frame() const {
    Matrix3d out = Matrix3d::Identity();
    out.col(0) = Vector3d(normal_.y(), -normal_.x(), 0.0);
    return out;
  }
  VectorNode axle() {
    if (draft_.dim == 2) wheel_->fail("in the plane a wheel needs no axle");
    return body_vector(*body_, body_->axis(*wheel_, wheel_->word()), draft_);
  }

  Item item_;
  Draft& draft_;
  Graph& graph_;
  std::optional<Item> who_{}, wheel_{};
  const BodyEntry* body_ = nullptr;
  Vector3d middle_ = Vector3d::Zero();
  double radius_ = 0.0, offset_ = 0.0;
  Vector3d normal_ = draft_.dim == 2 ? Vector3d::UnitY() : Vector3d::UnitZ();
  std::string name_{};
};

}  // namespace

void read_rolling(const Item& item, Draft& draft) { Rolling(item, draft).add(); }

}  // namespace taut
