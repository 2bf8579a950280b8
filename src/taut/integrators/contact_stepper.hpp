#pragma once

#include <functional>
#include <taut/integrators/integrator.hpp>

namespace taut {

/// Steps of a scheme that holds inequalities, on a system with contacts (system/contact.hpp): before each step the pieces that may meet in it are found, and the scheme steps with a
/// row for each two of them. Pieces that met although nobody had foreseen it join in, and the step is taken again. λ of a contact is the sum over its rows.
///
/// A step in which pieces move by more than their thickness against each other is a failed one: whether they passed through each other could not be told.
/// What is found follows from the state alone, and nothing is carried from step to step but memory: the matrix is analysed anew only where other pieces meet.
std::unique_ptr<Stepper> contact_stepper(const System& system, std::function<std::unique_ptr<Stepper>(const System&)> bind);

}  // namespace taut
