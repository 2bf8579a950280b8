#pragma once

#include <map>
#include <memory>
#include <span>
#include <taut/model/model_file.hpp>
#include <taut/step/index_one.hpp>
#include <unordered_map>

namespace taut {

/// ε of a row of a model in a formulation; 0: it is held exactly.
double softness(const ModelFile& model, const Formulation& formulation, int row);

/// The system of a model in a formulation.
System formulated(const ModelFile& model, const Formulation& formulation);

/// Rows of constraints by name: of one, or of all of a pin or support ("pin A" for "pin A.x" and "pin A.y").
std::unordered_map<std::string, std::vector<int>> rows_by_name(const System& system);

/// In the words of the command line: multipliers, penalty=EPSILON, or NAME=EPSILON for one constraint alone. Throws InputError.
Formulation formulation_named(const System& system, const std::string& text);

/// A model whose events change what holds it and the values of its parameters. A mode is the list of the values of its switches.
class ModelModes {
 public:
  /// In a formulation. The model must outlive it.
  ModelModes(const ModelFile& model, const Formulation& formulation = {});

  Mode first() const;  ///< at the start

  /// The system of a mode, rows that do not act marked so: in the formulation, and with the constraints as they are to be judged.
  std::shared_ptr<const System> moving(const Mode& mode);
  std::shared_ptr<const System> judged(const Mode& mode);

  /// The events of the model for a run. Where they change the mode, their own expressions and the outputs see it.
  std::vector<Event> events();
  std::vector<NamedExpression>& outputs() { return current_->outputs; }
  std::vector<NamedExpression>& tracks() { return current_->tracks; }
  void enter(const Mode& mode) {
    current_ = &variant(mode);
    mode_ = mode;
  }

  /// An expression at a state of the mode that was entered last, with what it asks for beside the state.
  double value(const NamedExpression& expression, const State& state) {
    const bool plain = !expression.derives() && (exact_ || !expression.reactions);  // events ask in each step
    return plain ? expression.at(state) : values({&expression, 1}, state)[0];
  }
  /// Of many at one state: accelerations and energies are found once.
  std::vector<double> values(std::span<const NamedExpression> all, const State& state);

 private:
  /// The model with the values that its parameters have in a mode.
  struct Variant {
    explicit Variant(const ModelFile& from)
        : model(&from), outputs(from.outputs), tracks(from.tracks), events(from.events) {}
    explicit Variant(std::unique_ptr<ModelFile> made) : Variant(*made) { owned = std::move(made); }
    std::unique_ptr<ModelFile> owned{};
    const ModelFile* model;
    std::vector<NamedExpression> outputs, tracks;
    std::vector<ModelEvent> events;
  };
  Variant& variant(const Mode& mode);
  const Vector& accelerations(const State& state);
  Vector reactions(const State& state);
  System with_switches(const Mode& mode, System system) const;

  const ModelFile& model_;
  Formulation formulation_;
  std::vector<double> softness_;                                                ///< of each row; 0: it is held exactly
  bool exact_ = true;                                                           ///< no row is soft
  std::map<std::map<std::string, double>, std::unique_ptr<Variant>> variants_;  // by parameters that differ
  std::map<Mode, std::shared_ptr<const System>> moving_, judged_;
  Variant* current_;
  Mode mode_;
  struct Accelerations {
    explicit Accelerations(const System& whole) : system(acting(whole).system), equations(system, Multipliers{}) {}
    System system;
    IndexOne equations;
    Vector a{}, lambda{};
  };
  std::map<Mode, std::unique_ptr<Accelerations>> accelerations_;
};

}  // namespace taut
