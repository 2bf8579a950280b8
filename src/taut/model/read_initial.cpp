#include <algorithm>
#include <numeric>
#include <taut/model/model_modes.hpp>
#include <taut/model/readers.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/system/constraints/stretch.hpp>

namespace taut {
namespace {

constexpr double tolerance = 1e-8;

/// The conditions on the length of a beam.
bool holds_length(const ConstraintBlock& block) {
  return dynamic_cast<const ConstraintTerms<Stretch<1, 2>>*>(&block) != nullptr ||
         dynamic_cast<const ConstraintTerms<Stretch<1, 3>>*>(&block) != nullptr ||
         dynamic_cast<const ConstraintTerms<Stretch<4, 2>>*>(&block) != nullptr ||
         dynamic_cast<const ConstraintTerms<Stretch<4, 3>>*>(&block) != nullptr;
}

/// Rest under everything that holds at the start, also what is released then; in the formulation and by the solver of the run.
void start_at_rest(Draft& draft) {
  require(draft.free.empty(), "initial: `equilibrium` finds all places; leave out `solve`.");
  const System& system = *draft.system;
  const RunSection& run = draft.model.run;
  ConsistentStart& start = draft.model.start;
  const Equilibrium found = equilibrium(system, state_at(system, draft.t, draft.q, Vector::Zero(draft.q.size())),
                                        {.method = solver_at_rest(run.solver, run.solver_options)});
  require(found.status == Status::ok, "initial: no equilibrium was found: {}.", found.trouble);
  draft.model.rests = true;
  start = {.state = found.state};
  // A solver that stops early leaves lengths that are not quite right; a run begins from the nearest that are.
  if (!violations(system, found.state, tolerance).empty()) {
    const ConsistentStart near = consistent_positions(system, found.state);
    require(near.status == Status::ok, "initial: {}.", near.trouble);
    start.state.q = near.state.q;
  }
  start.moved_q = (start.state.q - draft.q).lpNorm<Eigen::Infinity>();
  // Velocities that were given stay, and supports that move take the ends with them.
  const ConsistentStart moving = consistent_velocities(system, state_at(system, draft.t, start.state.q, draft.v));
  require(moving.status == Status::ok, "initial: {}.", moving.trouble);
  start.state.v = moving.state.v;
  start.state.p = moving.state.p;
  start.moved_v = moving.moved_v;
}

/// A shape is a guess as far as lengths along the beams go: it is moved to the nearest that has them. And supports that move take the ends with
/// them.
void start_from_shapes(Draft& draft, const State& given, bool assemble) {
  const System& system = *draft.system;
  std::vector<char> length, support(std::size_t(system.constraint_count()), 0);  // of rows
  for (const auto& block : system.constraints())
    length.resize(length.size() + std::size_t(block->terms() * block->rows()), holds_length(*block) ? 1 : 0);
  for (std::size_t row = 0; row < support.size(); ++row)
    support[row] =
        std::binary_search(draft.model.supports.begin(), draft.model.supports.end(), draft.held_rows[row]) ? 1 : 0;
  std::vector<Violation> other = violations(system, given, tolerance);
  std::erase_if(other, [&](const Violation& v) {
    return length[std::size_t(v.row)] != 0 || (v.velocity && support[std::size_t(v.row)] != 0);
  });
  require(!assemble || other.empty(), "the initial values violate {}; correct them.", describe(other));
  draft.model.start = consistent_start(system, given);
  require(!assemble || draft.model.start.status == Status::ok, "the shape of the beams cannot be made consistent: {}.",
          draft.model.start.trouble);
  draft.model.start.before = other;
}

void start_as_given(Draft& draft, const State& given, bool assemble) {
  ConsistentStart& start = draft.model.start;
  start = {.state = given};
  if (is_consistent(*draft.system, given)) return;
  start.before = violations(*draft.system, given, tolerance);
  require(!assemble || start.before.empty(),
          "the initial values violate {}; correct them, or name those to be found: initial: {solve: [...]}.",
          describe(start.before));
  if (!start.before.empty()) return;
  start = consistent_start(*draft.system, given);
  start.before.clear();
}

/// Bodies are put together by their joints: what is given about a coordinate of a joint, and spins and velocities of bodies, is held; the rest is found.
void free_bodies(Draft& draft) {
  const auto free = [&](int i) {
    for (const bool velocity : {false, true})
      if (!draft.initial_given.contains({i, velocity})) draft.free.insert({i, velocity});
  };
  const int each = draft.dim == 2 ? 4 : 12;
  for (const BodyEntry& body : draft.bodies)
    for (int k = 0; k < each; ++k) free(body.first + k);
  for (const std::string& name : draft.joint_coordinates) free(draft.coordinate_index.at(name));
  // Shapes of beams are guesses as well.
  const int beams = int(draft.masses.size()) * draft.dim;
  for (int i = beams; i < beams + draft.continua.points * draft.dim; ++i) free(i);
}

/// The rates that bodies were given.
void hold_motions(Draft& draft, ExpressionTerms& speeds) {
  Graph& graph = *draft.graph;
  const auto hold = [&](Graph::Node rate, double value, const std::string& name) {
    if (!graph.is_constant(rate)) speeds.add_constraint(graph.subtract(rate, graph.constant(value)), Set::zero, name);
  };
  for (const BodyEntry& body : draft.bodies) {
    for (int k = 0; body.velocity && k < draft.dim; ++k)
      hold(graph.variable(draft.numbering.v(body.first + k)), (*body.velocity)[k], "velocity of " + body.name);
    for (int k = 0; body.spin && k < 3; ++k)
      hold(body_spin(body, draft)[std::size_t(k)], (*body.spin)[k], "spin of " + body.name);
  }
}

/// What is not to be found is held: first positions, then velocities.
void solve_start(Draft& draft, const State& given, const Vector& as_placed, bool assemble) {
  const System& system = *draft.system;
  System still = system, steady = system;
  ExpressionTerms places = draft.new_terms(), speeds = draft.new_terms();
  for (int i = 0; i < draft.numbering.coordinates; ++i) {
    const auto hold = [&](ExpressionTerms& in, int variable, double at) {
      Graph& graph = *draft.graph;
      const Graph::Node g = graph.subtract(graph.variable(variable), graph.constant(at));
      in.add_constraint(g, Set::zero, "initial " + draft.names[i]);
    };
    if (!draft.free.contains({i, false})) hold(places, draft.numbering.q(i), draft.q[i]);
    if (!draft.free.contains({i, true})) hold(speeds, draft.numbering.v(i), draft.v[i]);
  }
  hold_motions(draft, speeds);
  places.into(still);
  speeds.into(steady);
  const auto check = [&](const ConsistentStart& one) {
    require(one.status == Status::ok, "the initial values to be found were not: {}.", one.trouble);
  };
  ConsistentStart placed = consistent_positions(still, given);
  check(placed);
  check_angles(draft, placed.state.q);
  ConsistentStart found = consistent_velocities(steady, state_at(system, draft.t, placed.state.q, draft.v));
  check(found);
  found.before = violations(system, given, tolerance);
  for (int i = 0; i < draft.numbering.coordinates; ++i) {  // what was held is what was given, to the last bit
    if (!draft.free.contains({i, false})) found.state.q[i] = draft.q[i];
    if (!draft.free.contains({i, true})) found.state.v[i] = draft.v[i];
  }
  found.moved_q = (found.state.q - as_placed).lpNorm<Eigen::Infinity>();
  found.state = state_at(system, draft.t, found.state.q, found.state.v);
  found.dependent.clear();
  const auto left = violations(system, found.state, tolerance);
  require(!assemble || left.empty(), "with the initial values given, {} cannot be met.", describe(left));
  draft.model.start = std::move(found);
}

void start(Draft& draft, bool assemble) {
  const Vector as_placed = draft.q;
  place_by_joints(draft);
  const State given = state_at(*draft.system, draft.t, draft.q, draft.v);
  const std::string trouble = draft.system->find_not_finite(instant(given));
  require(trouble.empty(), "at the start {} is not finite.", trouble);
  if (draft.equilibrium) return start_at_rest(draft);
  if (!draft.bodies.empty()) free_bodies(draft);
  if (!draft.free.empty()) return solve_start(draft, given, as_placed, assemble);
  if (!draft.continua.beams.empty()) return start_from_shapes(draft, given, assemble);
  start_as_given(draft, given, assemble);
}

/// The system that holds at the start: without constraints that do not hold from the beginning, with springs for those that are soft. At rest
/// the formulation of the run decides what is. Nothing where that is the whole.
std::optional<System> starting_system(const System& whole, Draft& draft) {
  const ModelFile& model = draft.model;
  const Formulation formulation = draft.equilibrium ? model.run.formulation : Formulation{};
  std::vector<char> loose(std::size_t(whole.constraint_count()), 0);
  for (const std::size_t one : draft.loose) loose[std::size_t(draft.row_of(one))] = 1;
  draft.held_rows.resize(std::size_t(whole.constraint_count()));
  std::iota(draft.held_rows.begin(), draft.held_rows.end(), 0);
  if (draft.loose.empty() && model.soft.empty() && formulation.penalty == 0.0 && formulation.rows.empty()) return {};
  const auto epsilon = [&](int row) { return softness(model, formulation, row); };
  const System soft = penalized(whole, epsilon);
  // What is left keeps its order.
  std::vector<int> hard;
  for (int row = 0; row < whole.constraint_count(); ++row)
    if (epsilon(row) == 0.0) hard.push_back(row);
  System out = soft;
  out.drop_constraints();
  draft.held_rows.clear();
  std::size_t at = 0;
  for (const auto& block : soft.constraints()) {
    std::vector<char> off(std::size_t(block->terms()), 0);
    for (char& term : off) {
      for (int k = 0; k < block->rows(); ++k)
        if (loose[std::size_t(hard[at + std::size_t(k)])] != 0) term = 1;
      for (int k = 0; k < block->rows(); ++k, ++at)
        if (term == 0) draft.held_rows.push_back(hard[at]);
    }
    const auto left = std::count(off.begin(), off.end(), 0);
    if (left > 0) out.add_block(left < block->terms() ? block->without(off) : block->clone());
  }
  return out;
}

}  // namespace

void read_initial(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    if (name == "t") {
      draft.t = draft.number(one);
    } else if (name == "equilibrium") {
      draft.equilibrium = Draft::truth(one);
    } else if (name == "solve" && one.is_word() && one.word() == "all") {
      for (int i = 0; i < draft.numbering.coordinates; ++i) {
        draft.free.insert({i, false});
        draft.free.insert({i, true});
      }
    } else if (name == "solve") {
      for (const Item& which : one.list()) draft.free.insert(draft.coordinate_or_velocity(which, which.word()));
    } else {
      const auto [i, velocity] = draft.coordinate_or_velocity(one, name);
      const double value = draft.number(one);
      draft.initial_given.insert({i, velocity});
      // Masses that coordinates carry are where these say; other places wait, because lengths are measured between the places `at`.
      if (i >= draft.numbering.coordinates - int(draft.generalized.size())) {
        (velocity ? draft.v : draft.q)[i] = value;
      } else {
        draft.initial.push_back({i, velocity, value});
      }
    }
  }
}

void override_initial(Draft& draft) {
  for (const auto& [name, text] : draft.overrides.initial)
    read_initial(draft.outside("initial value", Tree::table({{"initial", Tree::table({{name, text}})}})), draft);
}

void place_start(Draft& draft) {
  for (const auto& [i, velocity, value] : draft.initial) (velocity ? draft.v : draft.q)[i] = value;
}

/// Every coordinate needs inertia, or a constraint that carries it; said here by name, before a matrix is singular.
void check_inertia(const Draft& draft) {
  if (draft.generalized.empty()) return;
  std::vector<char> moves = draft.has_inertia;
  moves.resize(std::size_t(draft.numbering.coordinates), 0);
  for (const auto& block : draft.system->constraints())
    for (const int i : block->stencils()) moves[std::size_t(i)] = 1;
  for (int i = draft.numbering.coordinates - int(draft.generalized.size()); i < draft.numbering.coordinates; ++i)
    require(moves[std::size_t(i)] != 0, "the coordinate '{}' has no inertia; it must occur in the `kinetic` energy.",
            draft.names[std::size_t(i)]);
}

/// Constraints that do not hold from the beginning, or are springs, have no say in the start.
void find_start(Draft& draft, bool assemble) {
  std::optional<System> all;
  if (std::optional<System> held = starting_system(*draft.system, draft)) {
    all = std::move(*draft.system);
    *draft.system = std::move(*held);
  }
  start(draft, assemble);
  require_inertia(*draft.system, draft.model.start.state);
  if (all) *draft.system = std::move(*all);
}

}  // namespace taut
