#pragma once

#include <taut/model/plan.hpp>

namespace taut {

/// What a model is, as it stands at its start.
struct Inspection {
  int coordinates = 0, constraints = 0;
  int inequalities = 0;                ///< of the constraints
  int degrees_of_freedom = 0;          ///< of the velocities, by the rank of the constraints at the start
  int gruebler = 0;                    ///< the same counted: coordinates less equations, as if each held something new
  std::vector<std::string> redundant;  ///< constraints that repeat others
  std::vector<std::string> words;      ///< the same as sentences: "hinge C: rotation about x is held already"
  bool holonomic = true, conservative = false;
  double moved_q = 0.0, moved_v = 0.0;  ///< by how much the initial values were changed to meet the constraints
  std::vector<Violation> violated;      ///< what they miss all the same
  std::string trouble;                  ///< why the run that the model asks for cannot be put together
  State start;

  bool good() const { return violated.empty() && trouble.empty(); }
};

/// Of a model read without assembling its start: see read_model().
Inspection inspect(const ModelFile& model);

}  // namespace taut
