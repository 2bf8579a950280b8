#include <taut/step/affine_problem.hpp>

namespace taut {

AffineProblem::AffineProblem(std::shared_ptr<const Assembly> assembly)
    : assembly_(std::move(assembly)),
      constant_mass_(assembly_->system().constant_mass()),
      positions_only_(constant_mass_ && assembly_->system().conservative()),
      sliding_(assembly_->parts(), most_places) {
  limits = assembly_->sets();
  zero_ = Vector::Zero(unknowns());
}

double AffineProblem::force_scale() const {
  const double sum = reactions[0].weight + reactions[1].weight;
  return sum != 0.0 ? sum : 1.0;
}

double AffineProblem::constraint_scale() const {
  const double scale = condition.rate_weight != 0.0 ? condition.rate_weight : condition.q_slope;
  return scale != 0.0 ? scale : 1.0;
}

const double* AffineProblem::along(const Part& part, const Vector* base, double slope, const double* x) {
  if (slope == 0.0) return base == nullptr ? zero_.data() : base->data();
  if (base == nullptr && slope == 1.0) return x;
  for (int k = 0; k < places_; ++k)
    if (moved_[k].base == base && moved_[k].slope == slope) return moved_[k].values;
  const int first = part.from, count = part.to - part.from;
  double* values = sliding_.column(places_);
  Eigen::Map<Vector> place(values + first, count);
  const Eigen::Map<const Vector> X(x + first, count);
  if (base == nullptr) {
    place = slope * X;
  } else {
    place = base->segment(first, count) + slope * X;
  }
  moved_[places_++] = {base, slope, values};
  return values;
}

void AffineProblem::enter(const Part& part) {
  places_ = 0;
  sliding_.enter(part);
}

AffineProblem::Places AffineProblem::places_at(const Part& part, const double* x) {
  Places places{};
  enter(part);
  for (std::size_t k = 0; k < inertias.size(); ++k) {
    const Inertia& one = inertias[k];
    if (!one.counts()) continue;
    // What nobody looks at need not be moved.
    const bool q = !(constant_mass_ && one.force == 0.0), v = !(positions_only_ && one.momentum == 0.0);
    places.inertias[k] = {one.t, q ? along(part, one.q, one.q_slope, x) : one.q->data(),
                          v ? along(part, one.v, one.v_slope, x) : zero_.data()};
  }
  if (constraints() == 0) return places;
  for (std::size_t k = 0; k < reactions.size(); ++k)
    if (reactions[k].weight != 0.0) places.reactions[k] = along(part, reactions[k].q, reactions[k].q_slope, x);
  places.condition = along(part, condition.q, condition.q_slope, x);
  return places;
}

void AffineProblem::add_dynamics(int k, const double* x, double momentum, double force, double* out) {
  const Inertia& one = inertias[k];
  for (const Part& part : assembly_->parts()) {
    enter(part);
    const Instant at{one.t, along(part, one.q, one.q_slope, x), along(part, one.v, one.v_slope, x)};
    assembly_->system().add_dynamics(part, at, momentum, force, out);
  }
}

void AffineProblem::add_reactions(const double* x, const double* lambda, double weight, double* out) {
  for (const Part& part : assembly_->parts()) {
    enter(part);
    for (const Reaction& one : reactions)
      if (one.weight != 0.0)
        assembly_->system().add_constraint_forces(part, one.t, along(part, one.q, one.q_slope, x), lambda,
                                                  weight * one.weight, out);
  }
}

void AffineProblem::residual(const double* x, const double* Lambda, double* r, double* c) {
  const System& system = assembly_->system();
  for (const Part& part : assembly_->parts()) {
    const Places at = places_at(part, x);
    const int count = part.to - part.from;
    Eigen::Map<Vector> R(r + part.from, count);
    if (rhs != nullptr) {
      R = -rhs->segment(part.from, count);
    } else {
      R.setZero();
    }
    const auto number = std::size_t(&part - assembly_->parts().data());
    const bool frozen = !other_.empty();
    if (frozen) R += frozen_.segment(part.from, count);
    for (std::size_t k = 0; k < inertias.size(); ++k) {
      const Inertia& one = inertias[k];
      if (!one.counts()) continue;
      const Instant& here = at.inertias[k];
      system.add_dynamics(frozen ? linear_[number] : part, here, one.momentum, one.force, r);
      if (frozen) system.add_dynamics(other_[number], here, one.momentum, 0.0, r);
      // With a constant mass p(0) is zero.
      if (one.rate && !constant_mass_) system.add_dynamics(part, {here.t, here.q, zero_.data()}, -one.momentum, 0.0, r);
      if (one.inertial != 0.0 && !constant_mass_) system.add_inertial(part, here, one.inertial, r);
    }
    if (constraints() == 0) continue;
    for (std::size_t k = 0; k < reactions.size(); ++k)
      if (const Reaction& one = reactions[k]; one.weight != 0.0)
        system.add_constraint_forces(part, Instant{one.t, at.reactions[k], velocity(x)}, Lambda, one.weight / force_scale(),
                                     r);
    if (condition.rate_weight == 0.0) {
      system.constraint_values(part, condition.t, at.condition, c);
      continue;
    }
    system.constraint_rates(part, {condition.t, at.condition, x}, c);
    for (const Part::Rows& rows : part.constraints) {
      Eigen::Map<Vector> C(c + rows.first, rows.count);
      C *= condition.rate_weight;
      if (condition.shift != nullptr) C += condition.shift->segment(rows.first, rows.count);
    }
  }
}

void AffineProblem::slopes(const double* x, const double* Lambda, const double* row_weight, double* values) {
  for (const Part& part : assembly_->parts()) {
    const Places at = places_at(part, x);
    assembly_->clear(part, values);
    const auto number = std::size_t(&part - assembly_->parts().data());
    for (std::size_t k = 0; k < inertias.size(); ++k) {
      const Inertia& one = inertias[k];
      if (!one.counts()) continue;
      const SlopeWeights weights{one.momentum, one.force, one.q_slope, one.v_slope};
      assembly_->add_dynamics(other_.empty() ? part : linear_[number], at.inertias[k], weights, values);
      if (!other_.empty())
        assembly_->add_dynamics(other_[number], at.inertias[k], {one.momentum, 0.0, one.q_slope, one.v_slope}, values);
    }
    if (constraints() == 0) continue;
    for (std::size_t k = 0; k < reactions.size(); ++k) {
      const Reaction& one = reactions[k];
      if (one.weight == 0.0) continue;
      const double share = one.weight / force_scale();
      assembly_->add_directions(part, Instant{one.t, at.reactions[k], velocity(x)}, share, values);
      if (one.q_slope != 0.0) assembly_->add_curvature(part, one.t, at.reactions[k], Lambda, share * one.q_slope, values);
    }
    assembly_->add_gradient(part, Instant{condition.t, at.condition, velocity(x)}, 1.0, row_weight, values);
  }
}

/// Forces that are not linear are from now on those at x.
void AffineProblem::freeze(const Vector& x) {
  const System& system = assembly_->system();
  frozen_.setZero(unknowns());
  for (const Part& part : assembly_->parts()) {
    Part& linear = linear_.emplace_back(part);
    Part& other = other_.emplace_back(part);
    std::erase_if(linear.dynamics, [&](int b) { return !system.dynamics()[b]->affine(); });
    std::erase_if(other.dynamics, [&](int b) { return system.dynamics()[b]->affine(); });
    const Places at = places_at(part, x.data());
    for (std::size_t k = 0; k < inertias.size(); ++k)
      if (inertias[k].counts()) system.add_dynamics(other, at.inertias[k], 0.0, inertias[k].force, frozen_.data());
  }
}

void AffineProblem::split(SplitForm& form) {
  const System& system = assembly_->system();
  form.system = &system;
  linear_.clear();
  other_.clear();
  bool linear = true;
  for (const auto& block : system.dynamics()) {
    linear = linear && block->affine();
    // At rest there is no extrapolation to take forces at.
    if (!block->affine() && (!block->constant_mass() || condition.q == nullptr))
      form.refusal = "the dynamics are not linear: '" + block->name(0) + "'; use Multipliers";
  }
  if (!linear && form.refusal.empty()) freeze(*form.guess);
  if (condition.rate_weight != 0.0) form.refusal = "takes conditions on positions only; use Multipliers";
  form.t = condition.t;
  form.q = condition.q;
  form.slope = condition.q_slope;
  rest_.setZero(unknowns());
  form.beta = 0.0;
  for (const Reaction& reaction : reactions) {
    if (reaction.weight == 0.0) continue;
    const double share = reaction.weight / force_scale();
    form.beta += share * reaction.q_slope / condition.q_slope;
    if (reaction.q != nullptr) rest_ += share * *reaction.q;
  }
  if (condition.q != nullptr) rest_ -= form.beta * *condition.q;
  form.rest = &rest_;
  form.weights.clear();
  for (const Inertia& inertia : inertias)
    form.weights.insert(form.weights.end(), {inertia.q_slope, inertia.v_slope, inertia.momentum, inertia.force});
}

}  // namespace taut
