#include <Eigen/LU>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>

namespace taut {
namespace {

/// Names the coordinate without inertia if the mass matrix is singular.
std::string massless(const System& system, const Instant& at) {
  constexpr int largest_dense = 500;  // a dense rank beyond this takes longer than the run that failed
  if (system.size() > largest_dense) return {};
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(system.mass(at));
  if (lu.rank() == system.size()) return {};
  Eigen::Index worst = 0;
  lu.kernel().col(0).cwiseAbs().maxCoeff(&worst);
  return message("the mass matrix is singular: {} has no inertia", system.coordinate_name(int(worst)));
}

}  // namespace

void require_equalities(const System& system, const std::string& scheme) {
  const std::vector<Set> sets = system.sets();
  for (std::size_t row = 0; row < sets.size(); ++row)
    require(sets[row] == Set::zero,
            "{}: cannot hold the inequality '{}' exactly, because the rebound would be an accident of the step size; "
            "penalise it: penalized(system, epsilon).",
            scheme, system.constraint_name(int(row)));
}

std::string explain(const SolveReport& report, const System& system, const Instant& at) {
  const auto worst = [&] {
    return report.worst_constraint >= 0 ? system.constraint_name(report.worst_constraint) : std::string("none");
  };
  switch (report.status) {
    case Status::ok:
      return {};
    case Status::not_finite: {
      const std::string culprit = system.find_not_finite(at);
      return culprit.empty() ? "the equations of the step are not finite away from its start" : culprit + " is not finite";
    }
    case Status::singular: {
      const std::string cause = massless(system, at);
      return cause.empty() ? "the matrix of the step is singular: the constraints stand in a singular position" : cause;
    }
    case Status::slow:
      return message(
          "no convergence after {} corrections, the last shrank by {} only; the worst constraint is '{}', off by {}",
          report.newton_iterations, report.contraction, worst(), report.violation);
    case Status::contradictory:
      return message("the constraints contradict each other: '{}' is off by {} while those before it hold", worst(),
                     report.violation);
    case Status::refused:
      return "the step was refused";
  }
  return {};
}

}  // namespace taut
