#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <taut/expression/program.hpp>
#include <taut/integrators/catalog.hpp>
#include <taut/model/scene.hpp>
#include <taut/model/tree.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

/// What follows from a state and the system: for expressions that ask for it.
struct Derived {
  Vector a{};  ///< accelerations
  double kinetic = std::numeric_limits<double>::quiet_NaN(), potential = kinetic;
};

/// A named expression of (t, q, v, λ), of accelerations and energies, that is recorded over time, or watched.
struct NamedExpression {
  std::string name;
  Program program;            ///< of the variables that occur in it
  std::vector<int> inputs{};  ///< which they are, counted over t, all q, all v, all λ, all accelerations, both energies
  bool reactions = false;     ///< λ occur in it
  bool accelerations = false, energies = false;
  int rows = 0;                          ///< λ of the model
  std::shared_ptr<const Graph> graph{};  ///< it stands in
  Graph::Node node = -1;

  /// What it asks for beside the state must be given; otherwise it is not a number.
  double at(const State& state, const Derived& derived = {}) const;
  bool derives() const { return accelerations || energies; }
};

/// What a model may change while it runs: whether constraints hold, or the value of a parameter.
struct Switch {
  std::string name;
  std::vector<int> rows{};                                  ///< of the constraints; none: a parameter
  double initial = 1.0;                                     ///< constraints: 1 they hold, 0 they do not
  double since = -std::numeric_limits<double>::infinity();  ///< when it took the initial value
};

/// A number that may be changed from outside while the model runs. All readings of one model share it.
struct ModelInput {
  std::string name;
  double initial = 0.0;
  std::shared_ptr<Table> value{};
};

/// What happens at a time, or when an expression crosses zero.
struct ModelEvent {
  std::string name;
  double at = std::numeric_limits<double>::quiet_NaN();
  NamedExpression when{};  ///< unless there is a time
  int direction = 0;
  bool stop = false;
  struct Assignment {
    int coordinate;
    bool velocity;
    NamedExpression value;
  };
  std::vector<Assignment> assignments{};
  std::vector<std::pair<int, NamedExpression>> switches{};  ///< number of a switch, and its new value

  bool timed() const { return !std::isnan(at); }
  bool acts() const { return stop || !assignments.empty() || !switches.empty(); }
};

/// How constraints are held: exactly, or as springs of the energy dist²/(2ε).
struct Formulation {
  double penalty = 0.0;          ///< ε of all that are not named, but for supports of beams; 0: exactly
  std::map<int, double> rows{};  ///< ε of single rows; 0: exactly
};

/// The section `run` of a model, before names become methods.
struct RunSection {
  double until = std::numeric_limits<double>::quiet_NaN();  ///< required for a run
  double step = 0.0, rtol = 0.0, atol = 0.0;
  std::string integrator, solver = "multipliers";
  NamedOptions integrator_options{}, solver_options{};
  Formulation formulation{};
  std::string control{};         ///< error or reversible; empty: error, unless the integrator is chosen too
  std::vector<double> breaks{};  ///< times at which forces jump
  struct Tolerance {
    std::vector<int> coordinates;
    double rtol = 0.0, atol = 0.0;
  };
  std::vector<Tolerance> tolerances{};  ///< of coordinates that have their own
  int every = 1;
  double interval = 0.0;
  std::vector<double> times{};  ///< at which states are recorded; none: by `every` or `interval`
};

/// The section `sweep` of a model, or the same words from elsewhere: what differs between many runs of it, and what is kept of each.
struct SweepSection {
  std::vector<std::pair<std::string, std::string>> vary{};    ///< parameters and initial values: from:to:how many, or values
  std::vector<std::pair<std::string, std::string>> sample{};  ///< the same by distributions: normal(100, 5)
  bool zip = false;        ///< lists of `vary` go side by side; otherwise all combinations
  long samples = 0;        ///< 0: not said
  long seed = -1;          ///< below 0: not said
  std::string sampling{};  ///< random, latin or sobol
  std::vector<std::string> keep{};
};

/// A model as a file describes it.
struct ModelFile {
  std::string name, source, text;  ///< text: of the file and what it includes
  System system{1};                ///< with its constraints, whatever formulation the run asks for
  ConsistentStart start;           ///< assembled
  std::vector<NamedExpression> outputs;
  std::vector<ModelEvent> events;
  std::vector<Switch> switches;  ///< what events change
  std::vector<ModelInput> inputs;
  RunSection run;
  SweepSection sweep;
  bool beams = false;          ///< there are some
  bool rests = false;          ///< the start is an equilibrium, of the formulation
  std::vector<int> supports;   ///< rows of constraints that hold ends of beams
  std::vector<int> exact;      ///< these, and rows that say what angles of joints are: exact in every formulation
  std::map<int, double> soft;  ///< ε of rows that are springs in every formulation that does not name them
  Scene scene;                 ///< without
  std::function<std::vector<Scene::Curve>()>
      contours;                         ///< lines on curved surfaces, found where somebody looks; none: there are none
  std::vector<NamedExpression> tracks;  ///< places of the scene that are no sums of coordinates: x, y (z) of each
  std::set<int> carried;                ///< coordinates of joints: without inertia of their own
  std::vector<NamedExpression> halves;  ///< of each angle of a joint: above zero, unless its body is half a turn away
  bool sudden = false;  ///< something may begin and end in a small part of the way: contacts, barriers, events
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> held;  ///< what constraints of joints hold, in words: "hinge C: rotation about x"

  std::function<std::vector<double>(double from, double to)> jumps;   ///< times at which expressions jump by time alone
  std::function<std::vector<double>(double from, double to)> pulses;  ///< and at which something short begins and ends
  /// The same model with other values of parameters, without a start.
  std::function<ModelFile(const std::map<std::string, double>&)> with;
};

/// Changes made from outside: parameters by name, and entries of `run`.
struct ModelOverrides {
  std::vector<std::pair<std::string, std::string>> parameters{};
  std::map<std::string, Tree> run{};
  std::vector<std::pair<std::string, std::string>> initial{};  ///< initial values by name, instead of those of the model
  std::vector<std::string> include_folders{};                  ///< besides the model's own, from which files may be included
};

}  // namespace taut
