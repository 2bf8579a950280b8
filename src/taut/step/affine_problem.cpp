#include <taut/step/affine_problem.hpp>

namespace taut {

AffineProblem::AffineProblem(std::shared_ptr<const Assembly> assembly)
    : assembly_(std::move(assembly)), constant_mass_(assembly_->system().constant_mass()) {
  limits = assembly_->sets();
  zero_ = Vector::Zero(unknowns());
  for (Scratch& one : moved_) one.q = one.v = zero_;
  places_.fill(zero_);
}

double AffineProblem::force_scale() const {
  const double sum = reactions[0].weight + reactions[1].weight;
  return sum != 0.0 ? sum : 1.0;
}

double AffineProblem::constraint_scale() const {
  const double scale = condition.rate_weight != 0.0 ? condition.rate_weight : condition.q_slope;
  return scale != 0.0 ? scale : 1.0;
}

/// q + slope·x, without a copy where it is one of the two.
const double* AffineProblem::along(const Vector* q, double slope, const double* x, Vector& scratch) {
  if (slope == 0.0) return q->data();
  if (q == nullptr && slope == 1.0) return x;
  const Eigen::Map<const Vector> X(x, unknowns());
  if (q == nullptr) {
    scratch = slope * X;
  } else {
    scratch = *q + slope * X;
  }
  return scratch.data();
}

Instant AffineProblem::place_of(const Inertia& inertia, const double* x, Scratch& scratch) {
  const Eigen::Map<const Vector> X(x, unknowns());
  const double* q = inertia.q->data();
  if (inertia.q_slope != 0.0) {
    scratch.q = *inertia.q + inertia.q_slope * X;
    q = scratch.q.data();
  }
  if (inertia.v == nullptr && inertia.v_slope == 1.0) return {inertia.t, q, x};
  scratch.v = inertia.v_slope * X;
  if (inertia.v != nullptr) scratch.v += *inertia.v;
  return {inertia.t, q, scratch.v.data()};
}

void AffineProblem::add_dynamics(int k, const double* x, double momentum, double force, double* out) {
  assembly_->system().add_dynamics(place_of(inertias[k], x, moved_[0]), momentum, force, out);
}

void AffineProblem::add_reactions(const double* x, const double* lambda, double weight, double* out) {
  for (const Reaction& reaction : reactions)
    if (reaction.weight != 0.0)
      assembly_->system().add_constraint_forces(reaction.t, along(reaction.q, reaction.q_slope, x, places_[0]), lambda,
                                                weight * reaction.weight, out);
}

void AffineProblem::residual(const double* x, const double* Lambda, double* r, double* c) {
  const System& system = assembly_->system();
  Eigen::Map<Vector> R(r, unknowns());
  if (rhs != nullptr) {
    R = -*rhs;
  } else {
    R.setZero();
  }
  for (const Inertia& inertia : inertias) {
    if (!inertia.counts()) continue;
    const Instant at = place_of(inertia, x, moved_[0]);
    system.add_dynamics(at, inertia.momentum, inertia.force, r);
    // With a constant mass p(0) is zero.
    if (inertia.rate && !constant_mass_) system.add_dynamics({at.t, at.q, zero_.data()}, -inertia.momentum, 0.0, r);
    if (inertia.inertial != 0.0) system.add_inertial(at, inertia.inertial, r);
  }
  if (constraints() == 0) return;
  add_reactions(x, Lambda, 1.0 / force_scale(), r);
  if (condition.rate_weight == 0.0) {
    system.constraint_values(condition.t, along(condition.q, condition.q_slope, x, places_[0]), c);
  } else {
    system.constraint_rates({condition.t, condition.q->data(), x}, c);
    Eigen::Map<Vector> C(c, constraints());
    C *= condition.rate_weight;
    if (condition.shift != nullptr) C += *condition.shift;
  }
}

void AffineProblem::add_slopes(const double* x, const double* Lambda, const double* row_weight, double* values) {
  // All places first, then the matrix part by part.
  std::array<Instant, 4> at;
  for (std::size_t k = 0; k < inertias.size(); ++k)
    if (inertias[k].counts()) at[k] = place_of(inertias[k], x, moved_[k]);
  std::array<const double*, 2> reacting{};
  const double* held = nullptr;
  if (constraints() > 0) {
    for (std::size_t k = 0; k < reactions.size(); ++k)
      if (reactions[k].weight != 0.0) reacting[k] = along(reactions[k].q, reactions[k].q_slope, x, places_[k]);
    held = along(condition.q, condition.q_slope, x, places_[2]);
  }
  for (const Assembly::Part& part : assembly_->parts()) {
    for (std::size_t k = 0; k < inertias.size(); ++k) {
      const Inertia& inertia = inertias[k];
      if (inertia.counts())
        assembly_->add_dynamics(part, at[k], {inertia.momentum, inertia.force, inertia.q_slope, inertia.v_slope}, values);
    }
    if (constraints() == 0) continue;
    for (std::size_t k = 0; k < reactions.size(); ++k) {
      const Reaction& reaction = reactions[k];
      if (reaction.weight == 0.0) continue;
      assembly_->add_directions(part, reaction.t, reacting[k], reaction.weight / force_scale(), values);
      if (reaction.q_slope != 0.0)
        assembly_->add_curvature(part, reaction.t, reacting[k], Lambda, reaction.weight / force_scale() * reaction.q_slope,
                                 values);
    }
    assembly_->add_gradient(part, condition.t, held, 1.0, row_weight, values);
  }
}

void AffineProblem::split(SplitForm& form) {
  const System& system = assembly_->system();
  form.system = &system;
  for (const auto& block : system.dynamics())
    if (!block->affine()) form.refusal = "the dynamics are not linear: '" + block->name(0) + "'; use Multipliers";
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
