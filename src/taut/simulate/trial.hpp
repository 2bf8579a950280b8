#pragma once

#include <taut/simulate/choose.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

/// What a run by a scheme will take, foretold by its first steps.
struct Foretold {
  double work = 0.0;      ///< of the whole run, in evaluations of accelerations; infinite where the scheme could not go on
  bool finished = false;  ///< the trial came to the end of the run
};

/// Takes so many steps, with the tolerances of the options. Work is counted and not timed, so that the same model has the same scheme on every machine: an evaluation by an
/// explicit scheme is one, a Newton iteration of an implicit one as much as newton_weight().
Foretold foretell(const System& system, const State& start, const Choice& scheme, const SimulateOptions& options,
                  long steps);

/// A Newton iteration of three stages in evaluations of accelerations. Measured: 12 for two points with rods, 58 for four bodies with joints; chains stay there,
/// because both are a band.
double newton_weight(const System& system);

/// What a scheme is by its character may be dear by its steps: a rate of decay that is not seen at the start keeps explicit steps small, and implicit ones of many
/// coordinates cost what fifty explicit ones do. So a trial of each decides, where the run is long enough to pay for it. The other one must take less than two
/// thirds of the work. Choices that are no matter of cost (equal or reversible steps, inequalities) stay as they are.
Choice choose_by_cost(const System& system, const State& start, const Choice& by_character, const SimulateOptions& options);

}  // namespace taut
