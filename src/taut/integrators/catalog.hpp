#pragma once

#include <map>
#include <ostream>
#include <string>
#include <taut/integrators/energy_momentum.hpp>
#include <taut/integrators/gcn.hpp>
#include <taut/integrators/generalized_alpha.hpp>
#include <taut/integrators/hmm.hpp>
#include <taut/integrators/houbolt.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/integrators/midpoint.hpp>
#include <taut/integrators/moreau_jean.hpp>
#include <taut/integrators/newmark.hpp>
#include <taut/integrators/rattle.hpp>
#include <taut/integrators/runge_kutta.hpp>
#include <taut/integrators/spark.hpp>
#include <vector>

namespace taut {

/// A scheme under the name that files, commands and tables use for it.
struct NamedIntegrator {
  std::string name;
  std::string summary;
  Integrator integrator;
};

inline std::ostream& operator<<(std::ostream& out, const NamedIntegrator& one) { return out << one.name; }

/// Every scheme there is, with its default options.
const std::vector<NamedIntegrator>& integrators();

/// Options of a scheme or a solver as files and commands give them: name and text.
using NamedOptions = std::map<std::string, std::string>;

/// A scheme by its name, with options: gcn (alpha, reaction), three-level (alpha), newmark (beta, gamma, reaction), generalized-alpha (spectral_radius),
/// energy-momentum (project_velocity), moreau-jean (restitution), hmm (macro, micro, kernel, moments, smoothness, tolerance, passes, periods, window,
/// resolution, micro_step), spark1 to spark8 (family, estimate). Throws InputError with the names there are.
Integrator integrator_named(const std::string& name, const NamedOptions& options = {});

struct NamedSolver {
  std::string name;
  std::string summary;
  SolverMethod method;
};

/// Every way there is to solve a step, with its default options.
const std::vector<NamedSolver>& solvers();

/// A solver by its name, with options: tolerance; epsilon and settled of the augmented Lagrangians; relaxation and settled of uzawa; r, power, start,
/// stop, relaxation, update, anderson of splitting.
SolverMethod solver_named(const std::string& name, const NamedOptions& options = {});

/// The same for problems at rest: a tolerance that follows the step has no meaning there, and the default takes its place.
SolverMethod solver_at_rest(const std::string& name, NamedOptions options);

}  // namespace taut
