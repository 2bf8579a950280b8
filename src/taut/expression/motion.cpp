#include <algorithm>
#include <taut/expression/algebra.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/expression/motion.hpp>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

/// All blocks of a system; nothing where one of them is none of expressions.
struct Blocks {
  std::vector<const OutlinedDynamics*> dynamics;
  std::vector<const OutlinedConstraints*> constraints;
  bool all = true;

  explicit Blocks(const System& system) {
    for (const auto& block : system.dynamics()) dynamics.push_back(dynamic_cast<const OutlinedDynamics*>(block.get()));
    for (const auto& block : system.constraints()) {
      constraints.push_back(dynamic_cast<const OutlinedConstraints*>(block.get()));
      all = all && constraints.back() != nullptr && constraints.back()->whole();
    }
    for (const OutlinedDynamics* one : dynamics) all = all && one != nullptr;
    all = all && !dynamics.empty();
  }
  /// Calls action(shape, instances) for each block.
  template <class Action> void each(const Action& action) const {
    for (const OutlinedDynamics* one : dynamics) action(one->shape(), one->instances());
    for (const OutlinedConstraints* one : constraints) action(one->shape(), one->instances());
  }
  /// Equal for systems whose programs are.
  std::string key() const {
    std::string out;
    each([&](const auto& shape, const InstanceSet& instances) {
      out += shape.key;
      for (const int* i = instances.stencil(0); i != instances.stencil(instances.count()); ++i)
        out.append("/").append(std::to_string(*i));
    });
    return out;
  }
  std::vector<double> numbers() const {
    std::vector<double> out;
    each([&](const auto&, const InstanceSet& instances) {
      out.insert(out.end(), instances.numbers(0), instances.numbers(instances.count()));
    });
    return out;
  }
};

/// T, V, Q and rows of a system in one graph, over t, q, v and all numbers.
struct Forms {
  Graph graph;
  Numbering x;
  int numbers = 0;
  Node kinetic, potential;
  Nodes forces;  // by coordinate
  Nodes g, k;    // of each row one is 0: g(t, q), or k(t, q, v)

  Forms(const Blocks& blocks, int n)
      : x{n}, kinetic(graph.constant(0.0)), potential(kinetic), forces(std::size_t(n), kinetic) {
    for (const OutlinedDynamics* one : blocks.dynamics)
      each(one->shape().outline(), one->instances(), [&](const Nodes& roots, const int* stencil) {
        const DynamicsShape::Roles& roles = one->shape().roots;
        auto next = roots.begin();
        if (roles.kinetic) kinetic = graph.add(kinetic, *next++);
        if (roles.potential) potential = graph.add(potential, *next++);
        for (int i = 0; i < roles.forces; ++i) {
          Node& Q = forces[std::size_t(stencil[i])];
          Q = graph.add(Q, *next++);
        }
      });
    for (const OutlinedConstraints* one : blocks.constraints)
      each(one->shape().outline(), one->instances(), [&](const Nodes& roots, const int*) {
        const Nodes none(roots.size(), graph.constant(0.0));
        const bool velocity = one->shape().velocity;
        g.insert(g.end(), velocity ? none.begin() : roots.begin(), velocity ? none.end() : roots.end());
        k.insert(k.end(), velocity ? roots.begin() : none.begin(), velocity ? roots.end() : none.end());
      });
  }

 private:
  template <class Action> void each(const Outline& outline, const InstanceSet& instances, const Action& action) {
    const Numbering own = outline.numbering;
    for (int instance = 0; instance < instances.count(); ++instance) {
      const int* stencil = instances.stencil(instance);
      const auto other = [&](int variable) {
        if (variable == own.time()) return graph.variable(x.time());
        if (variable >= outline.number(0))
          return graph.variable(x.v(x.coordinates) + numbers + variable - outline.number(0));
        const int coordinate = stencil[own.coordinate(variable)];
        return graph.variable(own.is_velocity(variable) ? x.v(coordinate) : x.q(coordinate));
      };
      action(transplanted(*outline.graph, graph, outline.roots, other), stencil);
      numbers += outline.numbers;
    }
  }
};

/// Differentiated, with the KKT matrix factored.
class Equations {
 public:
  explicit Equations(Forms& forms) : forms_(forms), graph_(forms.graph), n_(std::size_t(forms.x.coordinates)) {
    for (int i = 0; i < forms.x.coordinates; ++i) {
      q_.push_back(forms.x.q(i));
      v_.push_back(forms.x.v(i));
    }
    const Node L = graph_.subtract(forms.kinetic, forms.potential);
    const Nodes p = gradient(forms.kinetic, v_), from_L = gradient(L, q_);
    rates_ = along(forms.g);
    const std::size_t m = forms.g.size();
    std::vector<Nodes> A(n_ + m, Nodes(n_ + m, algebra_.zero));
    for (std::size_t i = 0; i < n_; ++i) {
      const Nodes mass = graph_.derivative(p, v_[i]), slope = graph_.derivative(forms.g, q_[i]),
                  turn = graph_.derivative(forms.k, v_[i]);
      for (std::size_t j = 0; j < n_; ++j) A[j][i] = mass[j];
      for (std::size_t r = 0; r < m; ++r) A[n_ + r][i] = A[i][n_ + r] = graph_.add(slope[r], turn[r]);
    }
    for (std::size_t r = 0; r < m; ++r) rates_[r] = graph_.add(rates_[r], forms.k[r]);
    factor_ = algebra_.factor(A, n_);
    // M a + Gᵀλ = f − p_q v − p_t,  G a = −γ
    const Nodes inertial = along(p), gamma = along(rates_);
    for (std::size_t i = 0; i < n_; ++i)
      right_.push_back(graph_.subtract(graph_.add(from_L[i], forms.forces[i]), inertial[i]));
    for (std::size_t r = 0; r < m; ++r) right_.push_back(graph_.subtract(algebra_.zero, gamma[r]));
  }

  /// Whether every coordinate has inertia, as far as can be seen.
  bool sound() const {
    return std::none_of(factor_.D.begin(), factor_.D.end(), [&](Node pivot) { return pivot == algebra_.zero; });
  }

  Program accelerations() { return program(algebra_.solve(factor_, right_)); }
  Program velocities() { return program(pulled(rates_)); }
  Program positions() {
    const Nodes there = transplanted(graph_, graph_, forms_.g, [&](int variable) {
      const bool position = variable >= forms_.x.q(0) && variable < forms_.x.v(0);
      return graph_.variable(position ? variable + forms_.x.coordinates : variable);
    });
    return program(pulled(there));
  }

 private:
  Nodes gradient(Node node, const std::vector<int>& variables) {
    Nodes out;
    for (const int variable : variables) out.push_back(graph_.derivative(node, variable));
    return out;
  }

  /// d/dt at constant velocity.
  Nodes along(const Nodes& of) {
    Nodes out = graph_.derivative(of, forms_.x.time());
    for (std::size_t i = 0; i < n_; ++i) {
      const Nodes slope = graph_.derivative(of, q_[i]);
      for (std::size_t k = 0; k < of.size(); ++k)
        out[k] = graph_.add(out[k], graph_.multiply(slope[k], graph_.variable(v_[i])));
    }
    return out;
  }

  /// M⁻¹GᵀS⁻¹ of what rows are off by.
  Nodes pulled(const Nodes& off) {
    Nodes b(n_, algebra_.zero);
    b.insert(b.end(), off.begin(), off.end());
    Nodes out = algebra_.solve(factor_, b);
    out.resize(n_);
    return out;
  }

  Program program(Nodes outputs) {
    for (std::size_t k = 0; k < factor_.D.size(); ++k) {
      const Node limit = graph_.multiply(graph_.constant(weak_pivot), factor_.whole[k]);
      outputs.push_back(k < n_ ? graph_.subtract(factor_.D[k], limit) : graph_.subtract(limit, factor_.D[k]));
    }
    std::vector<int> inputs(std::size_t(forms_.x.v(forms_.x.coordinates) + forms_.numbers));
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = int(k);
    return Program(graph_, outputs, inputs, forms_.numbers);
  }

  Forms& forms_;
  Graph& graph_;
  std::size_t n_;
  NodeAlgebra algebra_{graph_};
  std::vector<int> q_, v_;
  Nodes rates_, right_;
  NodeAlgebra::Factor factor_;
};

}  // namespace

WrittenMotion written_motion(const System& system) {
  const Blocks blocks(system);
  if (!blocks.all) return {};
  const auto make = [&]() -> std::shared_ptr<const MotionPrograms> {
    Forms forms(blocks, system.size());
    Equations equations(forms);
    if (!equations.sound()) return nullptr;
    return std::make_shared<const MotionPrograms>(
        MotionPrograms{equations.accelerations(), equations.positions(), equations.velocities()});
  };
  return {blocks.dynamics.front()->shape().motions.get(blocks.key(), make), blocks.numbers()};
}

}  // namespace taut
