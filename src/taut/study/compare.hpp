#pragma once

#include <taut/model/run_model.hpp>
#include <taut/study/measured_run.hpp>

namespace taut {

struct CompareOptions {
  std::vector<std::string> integrators{};   ///< by name; none: all there are
  std::vector<std::string> solvers{};       ///< by name; none: the model's
  std::vector<std::string> formulations{};  ///< multipliers, penalty=EPSILON or NAME=EPSILON; none: the model's
  int halvings = 2;                         ///< how often the step is halved
  double seconds = 60.0;                    ///< for all of it; a run may take a sixth of them, the reference two fifths
  StudyWatch watch{};
};

struct CompareRow {
  std::string integrator, solver, formulation;
  double step = 0.0;
  double error = 0.0;    ///< in q at the end; not a number where the run did not get there
  double seconds = 0.0;  ///< of the run alone, without its diagnosis
  Verdict verdict = Verdict::failed;
  std::string message{};  ///< why, where it is not good
  Certificate certificate{};
};

/// A motion against which errors are measured: the end of a run, and how far from it another one ends that is as fine.
struct Reference {
  std::string name;       ///< of the run; empty: there is none
  std::string checked{};  ///< of the other
  double error = 0.0;     ///< how far the two are apart; not a number where there is no other
  bool verified = false;  ///< they agree to a thousandth of the motion
  State end{};
  double moved = 0.0;   ///< size of the motion
  double energy = 0.0;  ///< all there is of it
};

/// Many integrators on one model, side by side.
///
/// Runs take equal steps h, h/2, …, none of them divided where it fails. All schemes run with h before any runs with h/2, so that what the time does not
/// suffice for are the finest steps. What is left out is told with its reason: schemes that do not take the system; explicit ones whose h ω is beyond their
/// limit, ω the fastest frequency at the start; runs that took too long, or would. A run that fails or diverges keeps its row, under that verdict, and is nobody's reference.
struct Comparison {
  Reference reference;
  std::vector<CompareRow> rows;       ///< by formulation, integrator, solver, step
  std::vector<std::string> left_out;  ///< "scheme, …: reason"
  bool interrupted = false;
};

/// Throws InputError for names there are not, and where nothing works on the model.
Comparison compare(const ModelFile& model, const CompareOptions& options = {});

}  // namespace taut
