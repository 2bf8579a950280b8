#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <taut/expression/blocks.hpp>
#include <taut/study/lane_model.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/hold.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/point_mass.hpp>
#include <taut/system/terms/spring.hpp>

namespace taut {
namespace {

using Node = Graph::Node;

class LaneRecording {
 public:
  LaneRecording(const System& system, LaneForms* forms) : system_(system), forms_(forms) {
    if (forms == nullptr) return;
    *forms = {};
    forms->n = system.size();
    forms->kinetic = forms->potential = forms->graph.constant(0.0);
    forms->forces.assign(std::size_t(system.size()), forms->graph.constant(0.0));
  }

  void blocks() {
    for (const auto& block : system_.dynamics()) {
      const bool known = masses<1>(*block) || masses<2>(*block) || masses<3>(*block) || weights(*block) ||
                         springs<1>(*block) || springs<2>(*block) || springs<3>(*block) || expressions(*block);
      require(known, "there is no code in lanes for '{}'", block->name(0));
    }
    for (const auto& block : system_.constraints()) {
      for (int term = 0; term < block->terms(); ++term)
        require(block->set(term) == Set::zero, "'{}' is an inequality, or does not act", block->name(term));
      require(!block->turns(), "'{}' is not linear in the velocities", block->name(0));
      const bool known = rods<1>(*block) || rods<2>(*block) || rods<3>(*block) || rows(*block);
      require(known, "there is no code in lanes for '{}'", block->name(0));
    }
  }

  void watch(const NamedExpression& one) {
    const int n = system_.size();
    for (const int variable : one.inputs)
      require(variable <= 2 * n, "the output '{}' asks for reactions, accelerations or energies", one.name);
    const Instance instance(*one.graph, Numbering{n}, {one.node});
    begin("w" + instance.key(), instance.stencil().data(), instance.stencil().size());
    const int first = int(record_.numbers.size());
    record_.numbers.insert(record_.numbers.end(), instance.numbers().begin(), instance.numbers().end());
    if (forms_ == nullptr) return;
    const Outline outline = instance.outline();
    forms_->watched.push_back(instance_of(outline, instance.stencil().data(), first)[0]);
  }

  LaneRecord finish() {
    if (forms_ != nullptr) forms_->numbers = int(record_.numbers.size());
    return std::move(record_);
  }

 private:
  void begin(const std::string& kind, const int* stencil, std::size_t count) {
    record_.key += kind;
    for (std::size_t k = 0; k < count; ++k) record_.key += "," + std::to_string(stencil[k]);
    record_.key += ";";
  }
  template <std::size_t Count> void begin(const char* kind, const std::array<int, Count>& stencil) {
    begin(kind, stencil.data(), Count);
  }
  Node number(double value) {
    record_.numbers.push_back(value);
    return forms_ != nullptr ? forms_->graph.variable(forms_->number(int(record_.numbers.size()) - 1)) : -1;
  }
  Node q(int i) { return forms_->graph.variable(forms_->q(i)); }
  Node v(int i) { return forms_->graph.variable(forms_->v(i)); }
  void add(Node& sum, Node more) { sum = forms_->graph.add(sum, more); }
  Node half(Node a, Node b) {
    Graph& graph = forms_->graph;
    return graph.multiply(graph.constant(0.5), graph.multiply(a, b));
  }

  template <int Dim> bool masses(const DynamicsBlock& block) {
    const auto* own = dynamic_cast<const DynamicsTerms<PointMass<Dim>>*>(&block);
    for (int k = 0; own != nullptr && k < own->terms(); ++k) {
      begin("m", own->term(k).stencil());
      const Node m = number(own->term(k).kilograms);
      if (forms_ == nullptr) continue;
      for (const int i : own->term(k).stencil()) add(forms_->kinetic, half(m, forms_->graph.multiply(v(i), v(i))));
    }
    return own != nullptr;
  }

  bool weights(const DynamicsBlock& block) {
    const auto* own = dynamic_cast<const DynamicsTerms<Weight>*>(&block);
    for (int k = 0; own != nullptr && k < own->terms(); ++k) {
      begin("g", own->term(k).stencil());
      const Node w = number(own->term(k).newtons);
      if (forms_ != nullptr) add(forms_->potential, forms_->graph.multiply(w, q(own->term(k).coordinate)));
    }
    return own != nullptr;
  }

  /// Σ (xᵢ − yᵢ)².
  Node square(const std::vector<Node>& x, const std::vector<Node>& y) {
    Graph& graph = forms_->graph;
    Node sum = graph.constant(0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Node d = graph.subtract(x[i], y[i]);
      add(sum, graph.multiply(d, d));
    }
    return sum;
  }
  std::vector<Node> point(int number_of, int dim) {
    std::vector<Node> x;
    for (int i = 0; i < dim && forms_ != nullptr; ++i) x.push_back(q(number_of * dim + i));
    return x;
  }
  template <class Place> std::vector<Node> place(const Place& at, int dim) {
    std::vector<Node> x;
    for (int i = 0; i < dim; ++i) x.push_back(number(at[std::size_t(i)]));
    return x;
  }

  void spring(const std::vector<Node>& x, const std::vector<Node>& y, double stiffness, double length) {
    const Node k = number(stiffness);
    record_.key += length == 0.0 ? "0" : "l";
    if (length == 0.0) {  // without a kink where the ends meet
      if (forms_ != nullptr) add(forms_->potential, half(k, square(x, y)));
      return;
    }
    const Node l = number(length);
    if (forms_ == nullptr) return;
    Graph& graph = forms_->graph;
    const Node stretch = graph.subtract(graph.make(Op::sqrt, square(x, y)), l);
    add(forms_->potential, half(k, graph.multiply(stretch, stretch)));
  }

  template <int Dim> bool springs(const DynamicsBlock& block) {
    if (const auto* own = dynamic_cast<const DynamicsTerms<SpringIn<Dim>>*>(&block)) {
      for (int k = 0; k < own->terms(); ++k) {
        const SpringIn<Dim>& one = own->term(k);
        begin("s", one.stencil());
        spring(point(one.from, Dim), point(one.to, Dim), one.stiffness, one.length);
      }
      return true;
    }
    const auto* own = dynamic_cast<const DynamicsTerms<TetherIn<Dim>>*>(&block);
    for (int k = 0; own != nullptr && k < own->terms(); ++k) {
      const TetherIn<Dim>& one = own->term(k);
      begin("t", one.stencil());
      const std::vector<Node> at = place(one.at, Dim);
      spring(point(one.point, Dim), at, one.stiffness, one.length);
    }
    return own != nullptr;
  }

  /// g(t, q), or k(t, q, v).
  void add_row(Node row, bool velocity = false) {
    const Node zero = forms_->graph.constant(0.0);
    forms_->g.push_back(velocity ? zero : row);
    forms_->k.push_back(velocity ? row : zero);
  }

  /// g = (|x − y|² − l²)/2.
  void rod(const std::vector<Node>& x, const std::vector<Node>& y, double length) {
    const Node l = number(length);
    if (forms_ == nullptr) return;
    Graph& graph = forms_->graph;
    const Node off = graph.subtract(square(x, y), graph.multiply(l, l));
    add_row(graph.multiply(graph.constant(0.5), off));
  }

  template <int Dim> bool rods(const ConstraintBlock& block) {
    if (const auto* own = dynamic_cast<const ConstraintTerms<DistanceIn<Dim>>*>(&block)) {
      for (int k = 0; k < own->terms(); ++k) {
        begin("d", own->term(k).stencil());
        rod(point(own->term(k).to, Dim), point(own->term(k).from, Dim), own->term(k).length);
      }
      return true;
    }
    if (const auto* own = dynamic_cast<const ConstraintTerms<PinIn<Dim>>*>(&block)) {
      for (int k = 0; k < own->terms(); ++k) {
        begin("p", own->term(k).stencil());
        const std::vector<Node> at = place(own->term(k).at, Dim);
        rod(point(own->term(k).point, Dim), at, own->term(k).length);
      }
      return true;
    }
    const auto* own = dynamic_cast<const ConstraintTerms<HoldIn<Dim, Place>>*>(&block);
    for (int k = 0; own != nullptr && k < own->terms(); ++k) {
      begin("h", own->term(k).stencil());
      const std::vector<Node> at = place(own->term(k).motion.at, Dim);
      for (int i = 0; i < Dim && forms_ != nullptr; ++i)
        add_row(forms_->graph.subtract(q(own->term(k).point * Dim + i), at[std::size_t(i)]));
    }
    return own != nullptr;
  }

  std::vector<Node> instance_of(const Outline& outline, const int* stencil, int first_number) {
    for (const Node node : outline.graph->parts_of(outline.roots))
      require(outline.graph->entries()[std::size_t(node)].op != Op::table, "a table or an input occurs in it");
    const int own = outline.numbering.coordinates;
    return transplanted(*outline.graph, forms_->graph, outline.roots, [&, own](int variable) {
      if (variable == 0) return forms_->graph.variable(forms_->time());
      if (variable <= own) return q(stencil[variable - 1]);
      if (variable <= 2 * own) return v(stencil[variable - 1 - own]);
      return forms_->graph.variable(forms_->number(first_number + variable - 1 - 2 * own));
    });
  }

  /// Writes down the coordinates and numbers of an instance; returns the place of its first number.
  int instance(const void* shape, const InstanceSet& all, int k, const Outline& outline) {
    begin("e" + std::to_string(reinterpret_cast<std::uintptr_t>(shape)), all.stencil(k),
          std::size_t(outline.numbering.coordinates));
    const int first = int(record_.numbers.size());
    record_.numbers.insert(record_.numbers.end(), all.numbers(k), all.numbers(k) + outline.numbers);
    return first;
  }

  bool expressions(const DynamicsBlock& block) {
    const auto* own = dynamic_cast<const OutlinedDynamics*>(&block);
    if (own == nullptr) return false;
    const DynamicsShape& shape = own->shape();
    require(shape.quadratic, "'{}' is not quadratic in the velocities", block.name(0));
    for (int k = 0; k < own->instances().count(); ++k) {
      const int first = instance(&shape, own->instances(), k, shape.outline());
      if (forms_ == nullptr) continue;
      const std::vector<Node> roots = instance_of(shape.outline(), own->instances().stencil(k), first);
      auto next = roots.begin();
      if (shape.roots.kinetic) add(forms_->kinetic, *next++);
      if (shape.roots.potential) add(forms_->potential, *next++);
      for (int i = 0; i < shape.roots.forces; ++i) add(forms_->forces[std::size_t(own->instances().stencil(k)[i])], *next++);
    }
    return true;
  }

  bool rows(const ConstraintBlock& block) {
    const auto* own = dynamic_cast<const OutlinedConstraints*>(&block);
    if (own == nullptr || !own->whole()) return false;
    for (int k = 0; k < own->instances().count(); ++k) {
      const int first = instance(&own->shape(), own->instances(), k, own->shape().outline());
      if (forms_ == nullptr) continue;
      for (const Node root : instance_of(own->shape().outline(), own->instances().stencil(k), first))
        add_row(root, own->shape().velocity);
    }
    return true;
  }

  const System& system_;
  LaneForms* forms_;
  LaneRecord record_;
};

}  // namespace

std::vector<char> lending_rows(const System& system, const State& start, double& weight) {
  const int m = system.constraint_count();
  std::vector<char> lends(std::size_t(m), 0);
  Eigen::MatrixXd M = system.mass(instant(start));
  const double largest = M.diagonal().cwiseAbs().maxCoeff();
  const auto sound = [&] {
    const Eigen::LLT<Eigen::MatrixXd> factor(M);
    return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().minCoeff() > 1e-7 * std::sqrt(largest);
  };
  if (sound()) return lends;
  const Eigen::MatrixXd G = system.constraint_gradient(start.t, start.q);
  weight = M.diagonal().cwiseAbs().sum() / double(std::max<Eigen::Index>(1, (M.diagonal().array() > 0.0).count()));
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    for (int row = 0; row < m && !(std::abs(M(i, i)) > 1e-14 * largest); ++row)
      if (G(row, i) != 0.0) lends[std::size_t(row)] = 1;
  for (int row = 0; row < m; ++row)
    if (lends[std::size_t(row)] != 0) M += weight * G.row(row).transpose() * G.row(row);
  require(sound(), "coordinates have no inertia in a way that lanes do not know");
  return lends;
}

LaneRecord record_lanes(const System& system, const std::vector<const NamedExpression*>& watched, LaneForms* forms) {
  LaneRecording recording(system, forms);
  recording.blocks();
  for (const NamedExpression* one : watched) recording.watch(*one);
  return recording.finish();
}

}  // namespace taut
