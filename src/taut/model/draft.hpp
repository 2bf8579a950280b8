#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <taut/expression/parse.hpp>
#include <taut/expression/terms.hpp>
#include <taut/model/body.hpp>
#include <taut/model/continua.hpp>
#include <taut/model/form.hpp>
#include <taut/model/formulas.hpp>
#include <taut/model/model_file.hpp>
#include <taut/model/tree.hpp>
#include <unordered_map>
#include <unordered_set>

/// For the readers of sections; models are read by model/read.hpp.
namespace taut {

struct Section;

/// A place that can be held, pushed or measured from: a mass, or expressions.
struct Spot {
  std::array<Graph::Node, 3> x{};
  int point = -1;        ///< of the system, where it has coordinates of its own
  bool massive = false;  ///< a mass, and no mere place
  int in_scene = -1;     ///< its number there
};

/// A point mass with coordinates of its own.
struct MassEntry {
  std::string name;
  double kilograms = 0.0;
  std::array<double, 3> at{}, velocity{};
  bool placed = false;
};

/// A mass whose place the coordinates give.
struct CarriedMass {
  std::string name;
  double kilograms = 0.0;
  std::vector<Item> at;
};

/// What a joint holds, for its reactions: rows whose multipliers push along a direction (f), turn about one (m), or drive it (d).
struct JointEntry {
  struct Row {
    char kind;
    std::array<Graph::Node, 3> direction;
    std::size_t constraint;
  };
  std::vector<Row> rows{};
  /// What a bushing pushes with.
  struct Push {
    char kind;
    std::array<Graph::Node, 3> direction;
    Graph::Node force;
  };
  std::vector<Push> pushes{};
  std::array<std::array<Graph::Node, 3>, 3> axes{};  ///< of the first side
};

/// How a joint lies as the bodies are placed: for who moves them along it.
struct JointPlace {
  std::string name;
  int a = -1, b = -1;  ///< bodies by number; −1: the ground, −2: something else
  Eigen::Vector3d at = Eigen::Vector3d::Zero(), axis = at, along = at;  ///< of the turn, and of the way
  int angle = -1, travel = -1;                                          ///< coordinates, where they have names
  double angle_start = 0.0, travel_start = 0.0;
  Graph::Node same = -1;  ///< c cos φ + s sin φ: 1 where the angle is that of the turn, −1 half a turn away
};

/// What documents say about each section, and whether something is repeated there: looked for once, however often a model is read.
struct Contents {
  struct Text {
    Item item;
    bool repeats;
  };
  explicit Contents(std::shared_ptr<const std::vector<Document>> from);
  Contents(const Contents&) = delete;  // it points into itself
  Contents& operator=(const Contents&) = delete;
  const std::vector<Text>& of(std::string_view section) const;

  std::shared_ptr<const std::vector<Document>> documents;
  NameMap<std::vector<Text>> sections;
  /// Those of the table of sections, in its order: models are read again and again, and most say nothing in most.
  std::vector<std::pair<const Section*, const std::vector<Text>*>> filled;
};

/// A model while its sections are read: what they share.
///
/// Sections are read in the order of the table of sections: first values, then what moves, which numbers the coordinates, then what acts on it
/// and holds it, at last what is watched. A reader of a section takes the item and the draft, adds what it finds, and fails at the item.
class Draft {
 public:
  Draft(const Contents& contents, const ModelOverrides& overrides, std::shared_ptr<Shapes> shapes);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Every place of a section that holds something, file by file, with what is repeated written out.
  void each(const std::string& section, const std::function<void(const Item&)>& action) {
    each(section, contents.of(section), action);
  }
  void each(const std::string& section, const std::vector<Contents::Text>& texts,
            const std::function<void(const Item&)>& action);
  /// An item given from outside, in a place of its own.
  Item outside(const std::string& file, Tree root, std::size_t entry = 0);

  // Values: mistakes are told with file, line, key and character.
  Graph::Node value(const Item& item) { return value(item, scope); }
  Graph::Node value(const Item& item, const Scope& names);
  Relation relation(const Item& item);
  double number(const Item& item);
  double number(const Item& item, Graph::Node node) const;
  double positive(const Item& item);
  bool is_number(const Item& item);  ///< or an expression that is one
  int whole(const Item& item);
  Graph::Node of_time(const Item& item);  ///< a function of time alone
  std::vector<Item> axes(const Item& item) const;
  static bool truth(const Item& item);
  double at_start(Graph::Node node) const;  ///< its value at t = 0 where the coordinates are those given so far

  // Names.
  static bool is_name(const std::string& name);
  void take_name(const Item& item, const std::string& name);  ///< fails where it is none, or taken
  void check_name(const Item& item, const std::string& name) const;
  /// A name that somebody gave to a rod or a constraint: its multiplier and its release are asked for by it.
  void name_row(const Item& item, const std::string& name) {
    if (!named_rows_.try_emplace(name).second)
      item.fail(message("the name '{}' is taken already; names must differ", excerpt(name)));
  }
  bool is_parameter(const std::string& name) const { return parameter_index.contains(name); }
  int coordinate(const Item& item, const std::string& name) const;
  std::pair<int, bool> coordinate_or_velocity(const Item& item, const std::string& name) const;
  int coordinate_with(char letter, std::string_view name) const;  ///< A.x of "A.vx" or "A.ax"; −1 for anything else
  std::vector<int> coordinates_of(const Item& item, const std::string& name);  ///< one, or all of a mass, beam or string
  const Spot& spot(const Item& item) const;
  const Spot& mass(const Item& item) const;
  void add_coordinate(const std::string& name);
  void add_spot(const std::string& name, const Spot& spot) { spots.insert_or_assign(name, spot); }

  /// Parameters as numbers of another graph, functions and tables: what an expression may name that knows nothing of the motion.
  Scope numbers_in(Graph& other) const;

  // Terms made of expressions.
  void add_dynamics(const LagrangianNodes& nodes, const std::string& name);
  /// The same for what has inertia: global damping acts on it.
  void add_inertia(LagrangianNodes nodes, const std::string& name);
  /// A force F along x(t, q), which is no coordinate: Qᵢ = F ∂x/∂qᵢ.
  void add_force_along(Graph::Node x, Graph::Node force, LagrangianNodes& nodes);
  std::size_t add_constraint(const Item& item, Graph::Node g, Set set, const std::string& name);  ///< returns its number
  void finish_terms();  ///< gives the system all of them
  /// The row of a constraint by its number, once terms are finished.
  int row_of(std::size_t constraint) const { return constraint_rows_[constraint]; }
  bool rows_known() const { return !constraint_rows_.empty(); }
  NamedExpression expression(const std::string& name, Graph::Node node) const;
  int lambda_variable(int row) const { return numbering.v(numbering.coordinates) + row; }
  int acceleration_variable(int i) const { return lambda_variable(system->constraint_count()) + i; }
  int energy_variable(bool potential) const { return acceleration_variable(numbering.coordinates) + (potential ? 1 : 0); }
  /// d/dt of an expression of t and coordinates, or, with accelerations as variables, of velocities too
  Graph::Node rate(Graph::Node node);
  Graph::Node squared_distance(const Spot& a, const Spot& b);
  /// Rows of constraints by name: of one, or of all of a pin or support ("pin A" for "pin A.x" and "pin A.y").
  const std::vector<int>& rows_named(const Item& item, const std::string& name);
  int row_called(const std::string& name);  ///< the last one of that name; −1 where there is none

  ModelFile model;  ///< what is there so far
  const Contents& contents;
  const ModelOverrides& overrides;

  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Scope scope;
  Numbering numbering{0};
  int dim = 2, walls = 0;
  std::array<double, 3> gravity{};
  std::optional<Item> gravity_item;
  double damping = 0.0;  ///< of everything, 1/s
  bool defines = false;  ///< there are coordinates or `let`, by which masses may be placed

  using Cells = std::map<std::string, std::shared_ptr<Table>>;
  std::shared_ptr<Cells> cells = std::make_shared<Cells>();  ///< of inputs, over several readings of a model

  std::shared_ptr<const Formulas> formulas;  ///< of readings before; none: this is one of the first
  std::vector<double> formula_values;        ///< for the parameters of this one, once they are known
  Formulas::Seen* seen = nullptr;            ///< is told numbers that are expressions, where somebody wants to know

  std::vector<std::pair<std::string, Graph::Node>> parameters;
  NameMap<std::size_t> parameter_index;
  std::vector<MassEntry> masses;
  NameMap<int> mass_index;
  std::vector<std::string> generalized;
  std::vector<BodyEntry> bodies;
  NameMap<std::size_t> body_index;
  std::unordered_map<std::string, JointEntry> joints;  ///< by name
  std::unordered_set<std::string> joint_coordinates;   ///< angles and travels
  std::vector<JointPlace> joint_places;
  std::vector<CarriedMass> carried;
  std::vector<std::pair<std::string, Item>> lets;
  std::vector<char> has_inertia;  ///< coordinates whose velocity occurs in a kinetic energy
  Continua continua;
  std::map<std::string, BodyEntry> frames;  ///< ends of rods, which joints and names take as bodies: "boom.end"

  std::optional<System> system;
  std::vector<std::string> names;  ///< of coordinates
  NameMap<int> coordinate_index;
  std::unordered_map<std::string, Spot> spots;
  LagrangianNodes lagrangian;
  std::unordered_map<std::string, double> rod_lengths;  ///< of rods that have a name

  double t = 0.0;
  Vector q, v;
  std::vector<char> given_q;  ///< places that were said
  std::set<std::pair<int, bool>> free;
  struct Initial {
    int coordinate;
    bool velocity;
    double value;
  };
  std::vector<Initial> initial;
  std::set<std::pair<int, bool>> initial_given;  ///< which of them
  bool equilibrium = false;

  // The picture, as far as it waits for the end.
  struct DrawnPlace {
    int place;
    std::array<Graph::Node, 3> x;
  };
  std::vector<DrawnPlace> drawn_places;
  struct DrawnReaction {
    Scene::Reaction reaction;
    std::optional<std::size_t> expression;  ///< number of its constraint among the expressions,
    std::pair<std::size_t, int> term;       ///< or its place among the terms of the system
  };
  std::vector<DrawnReaction> drawn_reactions;
  struct Surface {
    Item equation;
    int place;
  };
  std::vector<Surface> drawn_surfaces;
  struct Soft {
    Item item;
    std::string name;
    double epsilon;
  };
  std::vector<Soft> soft;          ///< rods that are springs
  std::vector<int> held_rows;      ///< of the system in which the start is found, as rows of the whole
  std::vector<std::size_t> loose;  ///< constraints that do not hold from the beginning
  struct Release {
    std::size_t constraint;
    double t;
  };
  std::vector<std::size_t> supports;  ///< constraints that hold ends of beams
  std::vector<std::size_t> exact;     ///< constraints that say what angles and travels of joints are
  std::vector<Release> releases;
  std::vector<std::function<std::vector<double>(double, double)>> along_jumps;
  bool watched = false;    ///< accelerations, energies and reactions may be named: outputs and events are read
  std::size_t moving = 0;  ///< nodes of the graph that belong to what moves; those of outputs and events come after

  ExpressionTerms new_terms() const { return {graph, numbering, shapes_}; }

 private:
  std::shared_ptr<Shapes> shapes_;
  std::optional<ExpressionTerms> terms_;
  std::size_t constraints_ = 0;
  std::vector<int> constraint_rows_;
  std::deque<Document> outside_;
  NameMap<char> taken_, named_rows_;
  const std::unordered_map<std::string, std::vector<int>>& all_rows();
  std::vector<std::pair<std::string, int>> sorted_;  // coordinates, once somebody asks for a group of them
  std::unordered_map<std::string, std::vector<int>> rows_;
};

/// Library errors at the place of the file that caused them.
template <class Action> auto located(const Item& item, const Action& action) {
  try {
    return action();
  } catch (const LocatedError&) {
    throw;
  } catch (const InputError& error) {
    item.fail(error.what());
  }
}

/// "there is no mass 'B'; did you mean 'A'?"
std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known);

}  // namespace taut
