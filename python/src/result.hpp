#pragma once

#include <taut/model/run_model.hpp>

#include "built.hpp"

namespace taut::python {

/// A run that has ended: its states as arrays, and what became of it.
struct Result {
  std::shared_ptr<const ModelFile> model;  ///< none: it was given by functions
  std::shared_ptr<const System>
      system;  ///< with the rows of the recording; none: it was given by functions, which may be gone
  Recording recording;
  RunOutcome outcome;
  std::string choice;  ///< why the scheme, where nobody named one

  std::size_t records() const { return recording.t.size(); }
  std::size_t events() const { return recording.events.size() / (2 + 2 * coordinates()); }
  std::size_t coordinates() const { return recording.header.coordinates.size(); }
  std::size_t constraints() const { return recording.header.constraints.size(); }
};

/// The force of one row over time, N: λ times the size of its gradient where it holds the first thing that it touches. For a rod the tension.
std::vector<double> force_of(const Result& result, int row);

/// States between the recorded ones, on the constraints: rows of q and v, one for each time.
void states_at(const Result& result, const std::vector<double>& times, std::vector<double>& q, std::vector<double>& v);

}  // namespace taut::python
