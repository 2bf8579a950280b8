#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <taut/expression/kinks.hpp>
#include <taut/expression/parse.hpp>
#include <taut/expression/terms.hpp>
#include <taut/io/continua.hpp>
#include <taut/io/model_file.hpp>
#include <taut/io/yaml_item.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/half_space.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/spring.hpp>

namespace taut {
namespace {

constexpr int most_coordinates = 200'000;

const std::vector<std::string> sections{"name",      "source",  "include",     "parameters", "functions",   "tables",
                                        "dimension", "gravity", "masses",      "points",     "rods",        "springs",
                                        "dampers",   "pins",    "curves",      "walls",      "coordinates", "kinetic",
                                        "potential", "forces",  "constraints", "initial",    "outputs",     "run",
                                        "beams",     "strings", "contacts",    "couplings",  "events"};

/// A place in space: the coordinates of a mass, or given functions of time.
struct Spot {
  std::vector<Graph::Node> x;
  int mass = -1;  ///< its number, or −1
};

class Builder {
 public:
  Builder(std::vector<Document> documents, const ModelOverrides& overrides, std::shared_ptr<Shapes> shapes)
      : documents_(std::move(documents)), overrides_(overrides), shapes_(std::move(shapes)) {}

  /// `with_start`: initial values are found; otherwise it is the system that is asked for.
  ModelFile build(bool assemble, bool with_start = true) {
    ModelFile model;
    each("name", [&](const Item& item) { model.name = item.word(); });
    each("source", [&](const Item& item) { model.source = item.word(); });
    read_parameters();
    each("functions", [&](const Item& item) { read_functions(item); });
    each("tables", [&](const Item& item) { read_tables(item); });
    count_coordinates();
    make_system();
    add_continua(model);
    each("points", [&](const Item& item) { read_points(item); });
    each("rods", [&](const Item& item) { each_of(item, [&](const Item& one) { read_rod(one); }); });
    each("springs", [&](const Item& item) { each_of(item, [&](const Item& one) { read_spring(one); }); });
    each("dampers", [&](const Item& item) { each_of(item, [&](const Item& one) { read_damper(one); }); });
    each("pins", [&](const Item& item) { each_of(item, [&](const Item& one) { read_pin(one); }); });
    each("curves", [&](const Item& item) { each_of(item, [&](const Item& one) { read_curve(one); }); });
    each("walls", [&](const Item& item) { each_of(item, [&](const Item& one) { read_wall(one); }); });
    read_lagrangian();
    each("constraints", [&](const Item& item) { each_of(item, [&](const Item& one) { read_constraint(one); }); });
    each("initial", [&](const Item& item) { read_initial(item); });
    rows_ = terms().into(*system_);
    const std::size_t moving = graph_->entries().size();  // nodes of what moves; those of outputs and events come after
    name_reactions();
    each("outputs", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) model.outputs.push_back(expression(name, value(one)));
    });
    check_inertia();
    if (with_start) start_with_what_holds(model, assemble);
    each("events", [&](const Item& item) { each_of(item, [&](const Item& event) { read_event(event, model); }); });
    each("run", [&](const Item& item) { read_run(item, model); });
    override_run(model);
    for (const auto& [name, node] : parameters_) {
      double number = 0.0;
      graph_->is_constant(node, &number);
      model.parameters[name] = number;
    }
    for (const auto& [support, t] : releases_) add_release(support, t, model);
    for (const int one : loose_) {
      const int row = rows_[std::size_t(one)];
      const std::string name = system_->constraint_name(row);
      const int number =
          switch_named("constraint " + name, model, [&] { return Switch{.name = "constraint " + name, .rows = {row}}; });
      model.switches[std::size_t(number)].initial = 0.0;
    }
    model.system = std::move(*system_);
    model.jumps = [graph = graph_, along = along_jumps_, time = numbering_.time(), moving](double from, double to) {
      std::vector<double> all = kinks_in_time(*graph, time, from, to, moving);
      for (const auto& more : along) {
        const std::vector<double> found = more(from, to);
        all.insert(all.end(), found.begin(), found.end());
      }
      return all;
    };
    return model;
  }

 private:
  template <class Action> void each(const std::string& section, const Action& action) const {
    for (const Document& document : documents_) {
      const Item top{document.file, "", document.root};
      for (const auto& [name, item] : top.entries())
        if (name == section && !item.node.IsNull()) action(item);
    }
  }
  template <class Action> static void each_of(const Item& item, const Action& action) {
    for (const Item& one : item.list()) action(one);
  }

  ExpressionTerms& terms() {
    if (!terms_) terms_.emplace(graph_, numbering_, shapes_);
    return *terms_;
  }

  // Values.

  /// The expression of an item; mistakes are told with file, line, key and character.
  template <class Parse> auto guarded(const Item& item, const std::string& text, const Parse& parse_it) const {
    try {
      return parse_it();
    } catch (const ExpressionError& error) {
      item.fail(message("{}, at character {} of \"{}\"", error.what(), error.position + 1, excerpt(text, error.position)));
    }
  }
  Graph::Node value(const Item& item, const Scope& scope) {
    const std::string text = item.word();
    return guarded(item, text, [&] { return parse(*graph_, scope, text); });
  }
  Graph::Node value(const Item& item) { return value(item, scope_); }

  double number(const Item& item) { return number(item, value(item)); }
  double number(const Item& item, Graph::Node node) const {
    double out = 0.0;
    if (!graph_->is_constant(node, &out))
      item.fail(message("must be a number, but \"{}\" changes with the motion", excerpt(item.node.Scalar())));
    if (!std::isfinite(out)) item.fail(message("\"{}\" is not finite", excerpt(item.node.Scalar())));
    return out;
  }
  int whole(const Item& item) {
    const double out = number(item);
    if (out != std::round(out) || std::abs(out) > 1e9)
      item.fail(message("must be a whole number, got {}", excerpt(item.node.Scalar())));
    return int(out);
  }

  /// A function of time alone.
  Graph::Node of_time(const Item& item) {
    const Graph::Node node = value(item);
    for (const int variable : graph_->variables_of({node}))
      if (variable != numbering_.time())
        item.fail(message("may depend on time only, but \"{}\" does not", excerpt(item.node.Scalar())));
    return node;
  }
  std::vector<Item> axes(const Item& item) const {
    std::vector<Item> all = item.list();
    if (int(all.size()) != dim_) item.fail(message("needs {} numbers, got {}", dim_, all.size()));
    return all;
  }

  static bool is_name(const std::string& name) {
    const auto good = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
    };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), good);
  }
  void name_is_free(const Item& item, const std::string& name) const {
    if (!is_name(name))
      item.fail(message("'{}' is not a name; names hold letters, digits and _, and do not start with a digit", name));
    if (name == "t" || name == "pi" || name == "and" || name == "or" || name == "not")
      item.fail(message("'{}' has a meaning already", name));
    if (scope_.symbols.contains(name) || spots_.contains(name) || scope_.tables.contains(name))
      item.fail(message("the name '{}' is taken already", name));
  }

  // Sections.

  /// A later file, and the command line after it, may change what an earlier one set.
  void read_parameters() {
    std::vector<std::pair<std::string, Item>> given;
    each("parameters", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) {
        const auto same = std::find_if(given.begin(), given.end(), [&](const auto& other) { return other.first == name; });
        if (same != given.end()) {
          same->second = one;
        } else {
          given.emplace_back(name, one);
        }
      }
    });
    for (const auto& [name, text] : overrides_.parameters) {
      const auto same = std::find_if(given.begin(), given.end(), [&](const auto& other) { return other.first == name; });
      if (same == given.end()) {
        std::vector<std::string> known;
        for (const auto& [other, item] : given) known.push_back(other);
        const std::string near = nearest(name, known);
        throw LocatedError(message("--set {}: the model has no parameter '{}'", name, name) +
                           (near.empty() ? "." : message("; did you mean '{}'?", near)));
      }
      same->second = {"--set", name, YAML::Node(text)};
    }
    for (const auto& [name, item] : given) {
      name_is_free(item, name);
      const Graph::Node node = value(item);
      number(item, node);
      scope_.symbols[name] = node;
      parameters_.emplace_back(name, node);
    }
  }

  void read_functions(const Item& item) {
    for (const auto& [head, one] : item.entries()) {
      const std::size_t open = head.find('('), close = head.find(')');
      if (open == std::string::npos || close != head.size() - 1 || close < open)
        one.fail(message("'{}' must read like f(x, y)", head));
      Scope::Function function;
      std::stringstream inside(head.substr(open + 1, close - open - 1));
      for (std::string argument; std::getline(inside, argument, ',');) {
        argument.erase(std::remove(argument.begin(), argument.end(), ' '), argument.end());
        if (argument.empty()) one.fail(message("'{}' must read like f(x, y)", head));
        function.arguments.push_back(argument);
      }
      function.body = one.word();
      const std::string name = head.substr(0, open);
      name_is_free(one, name);
      if (is_function(name) || scope_.functions.contains(name))
        one.fail(message("the function '{}' is there already", name));
      for (const std::string& argument : function.arguments)
        if (!is_name(argument)) one.fail(message("'{}' is not a name for an argument", argument));
      for (auto argument = function.arguments.begin(); argument != function.arguments.end(); ++argument)
        if (std::find(function.arguments.begin(), argument, *argument) != argument)
          one.fail(message("'{}' has two arguments named '{}'; each needs a name of its own", excerpt(head), *argument));
      // Parsed once with its arguments as numbers, so that mistakes show here; it sees only what stands before it.
      Scope inner = scope_;
      inner.symbols["t"] = graph_->constant(0.5);
      for (const std::string& argument : function.arguments) inner.symbols[argument] = graph_->constant(0.5);
      value(one, inner);
      scope_.functions[name] = std::move(function);
    }
  }

  void read_tables(const Item& item) {
    for (const auto& [name, one] : item.entries()) {
      name_is_free(one, name);
      std::vector<double> t, values;
      Table::Kind kind = Table::Kind::spline;
      for (const auto& [key, part] : one.entries({"t", "values", "kind"})) {
        if (key == "t") each_of(part, [&](const Item& x) { t.push_back(number(x)); });
        if (key == "values") each_of(part, [&](const Item& x) { values.push_back(number(x)); });
        if (key != "kind") continue;
        const std::string word = part.word();
        if (word != "spline" && word != "linear") part.fail(message("must be spline or linear, got '{}'", word));
        kind = word == "linear" ? Table::Kind::linear : Table::Kind::spline;
      }
      try {
        scope_.tables[name] = std::make_shared<const Table>(t, values, kind);
      } catch (const InputError& error) {
        one.fail(error.what());
      }
    }
  }

  /// Masses come first, x y (z) each, then the generalised coordinates.
  void count_coordinates() {
    each("dimension", [&](const Item& item) {
      dim_ = whole(item);
      if (dim_ < 1 || dim_ > 3) item.fail(message("must be 1, 2 or 3, got {}", dim_));
    });
    each("masses", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) masses_.push_back({name, one});
    });
    each("coordinates", [&](const Item& item) {
      each_of(item, [&](const Item& one) { generalized_.push_back({one.word(), one}); });
    });
    std::map<std::string, int> numbers;
    for (const auto& [name, item] : masses_) numbers.emplace(name, int(numbers.size()));
    continua_.emplace(
        Continua::Reader{.number = [this](const Item& item) { return number(item); },
                         .along = [this](const Item& item, const std::string& variable) { return along(item, variable); },
                         .axes = [this](const Item& item) { return axes(item); },
                         .dim = dim_});
    each("beams", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) {
        own_name(one, name, numbers);
        continua_->read_beam(name, one, numbers, int(masses_.size()) + continua_->beam_points());
      }
    });
    each("strings", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) {
        own_name(one, name, numbers);
        continua_->read_string(name, one);
      }
    });
    const std::size_t points = masses_.size() + std::size_t(continua_->beam_points());
    const std::size_t count =
        points * std::size_t(dim_) + std::size_t(continua_->string_coordinates()) + generalized_.size();
    continua_->number_strings(int(points) * dim_);
    if (count == 0) throw InputError("nothing moves: give `masses`, `beams`, `strings` or `coordinates`.");
    require(count <= std::size_t(most_coordinates), "{} coordinates are more than {}.", count, most_coordinates);
    numbering_.coordinates = int(count);
    q_ = v_ = Vector::Zero(numbering_.coordinates);
    given_q_.assign(count, false);
    scope_.symbols["t"] = graph_->variable(numbering_.time());
  }

  /// A beam or a string has a name of its own.
  void own_name(const Item& item, const std::string& name, std::map<std::string, int>& taken) {
    name_is_free(item, name);
    if (taken.contains(name) || !continuum_names_.insert(name).second)
      item.fail(message("the name '{}' is taken already", name));
  }

  void add_coordinate(const std::string& name) {
    const int i = int(names_.size());
    scope_.symbols[name] = graph_->variable(numbering_.q(i));
    scope_.symbols[name + "'"] = graph_->variable(numbering_.v(i));
    coordinate_[name] = i;
    names_.push_back(name);
  }

  void make_system() {
    Points points{.count = int(masses_.size()), .dim = dim_};
    const char* axis = "xyz";
    for (const auto& [name, item] : masses_) {
      name_is_free(item, name);
      const int first = int(names_.size());
      spots_[name] = {{}, first / dim_};
      bool has_mass = false;
      for (const auto& [key, one] : item.entries({"mass", "at", "velocity"})) {
        if (key == "mass") {
          points.masses.push_back(number(one));
          has_mass = true;
          if (!(points.masses.back() > 0.0)) one.fail(message("must be positive, got {}", points.masses.back()));
        }
        if (key != "at" && key != "velocity") continue;
        const std::vector<Item> numbers = axes(one);
        for (int k = 0; k < dim_; ++k) {
          (key == "at" ? q_ : v_)[first + k] = number(numbers[k]);
          if (key == "at") given_q_[first + k] = true;
        }
      }
      if (!has_mass) item.fail("needs a `mass`");
      for (int k = 0; k < dim_; ++k) {
        add_coordinate(name + "." + axis[k]);
        scope_.symbols[name + ".v" + axis[k]] = graph_->variable(numbering_.v(first + k));
        spots_[name].x.push_back(graph_->variable(numbering_.q(first + k)));
      }
    }
    for (const std::string& name : continua_->coordinate_names()) add_coordinate(name);
    for (const auto& [name, item] : generalized_) {
      name_is_free(item, name);
      add_coordinate(name);
    }
    const int others = numbering_.coordinates - int(masses_.size()) * dim_;
    if (masses_.empty() && continua_->beams().empty()) {
      system_.emplace(numbering_.coordinates);
    } else {
      system_.emplace(points, others);
    }
    system_->name_coordinates(names_);
    each("gravity", [&](const Item& item) {
      if (masses_.empty() && continua_->beams().empty())
        item.fail("acts on `masses` and `beams`, and there are none; write it into `potential`");
      std::array<double, 3>& g = gravity_;
      g = {};
      if (item.node.IsSequence()) {
        const std::vector<Item> numbers = axes(item);
        for (int k = 0; k < dim_; ++k) g[k] = number(numbers[k]);
      } else {
        g[dim_ - 1] = -number(item);
      }
      for (std::size_t m = 0; m < masses_.size(); ++m)
        for (int k = 0; k < dim_; ++k)
          if (g[k] != 0.0)
            system_->add(Weight{int(m) * dim_ + k, -points.masses[m] * g[k]}, "gravity on " + masses_[m].first);
    });
  }

  /// Beams and strings, with what holds them; places and velocities of their own.
  void add_continua(ModelFile& model) {
    continua_->add_to(*system_, gravity_);
    model.beams = !continua_->beams().empty();
    each("contacts",
         [&](const Item& item) { each_of(item, [&](const Item& one) { continua_->read_contact(one, *system_); }); });
    each("couplings",
         [&](const Item& item) { each_of(item, [&](const Item& one) { continua_->read_coupling(one, *system_); }); });
    for (const Continua::Support& support : continua_->supports()) add_support(support, model);
    continua_->place(q_, v_);
    for (int i = int(masses_.size()) * dim_; i < numbering_.coordinates - int(generalized_.size()); ++i) given_q_[i] = true;
    for (const auto& [name, beam, item] : continua_->beams()) {
      const int last = beam.nodes() - 1;
      for (const auto& [end, node] : {std::pair("start", 0), {"end", last}}) {
        spots_[name + "." + end] = {add_mark(name + "." + end, beam, beam.s(node)), beam.position(node)};
      }
    }
    for (const Continua::Mark& mark : continua_->marks()) add_mark(mark.name, continua_->beams()[mark.beam].beam, mark.s);
  }

  /// x = a(t), or x′ = a(t)/|a(t)|.
  void add_support(const Continua::Support& support, ModelFile& model) {
    std::vector<Graph::Node> at;
    for (const Item& axis : axes(support.at)) at.push_back(of_time(axis));
    if (support.direction) {
      Graph::Node square = graph_->constant(0.0);
      for (const Graph::Node x : at) square = graph_->add(square, graph_->multiply(x, x));
      double size = 0.0;
      if (graph_->is_constant(square, &size) && size == 0.0) support.at.fail("a direction must not be zero");
      for (Graph::Node& x : at) x = graph_->divide(x, graph_->make(Op::sqrt, square));
    }
    for (int k = 0; k < dim_; ++k) {
      const std::string name = support.name + "." + "xyz"[k];
      const Graph::Node x = graph_->variable(numbering_.q(support.point * dim_ + k));
      add_constraint(support.at, graph_->subtract(x, at[k]), Set::zero, name);
      model.supports.push_back(name);
      if (support.release) releases_.emplace_back(name, *support.release);
    }
  }

  /// Names for a place along a beam: its coordinates, velocities and curvature.
  std::vector<Graph::Node> add_mark(const std::string& name, const Beam& beam, double s) {
    const auto sum = [&](int derivative, int axis, bool velocity) {
      Graph::Node out = graph_->constant(0.0);
      for (const auto& [coordinate, weight] : beam.weights(s, derivative)) {
        const int i = coordinate + axis;
        const Graph::Node x = graph_->variable(velocity ? numbering_.v(i) : numbering_.q(i));
        out = graph_->add(out, graph_->multiply(graph_->constant(weight), x));
      }
      return out;
    };
    std::vector<Graph::Node> place;
    Graph::Node bend = graph_->constant(0.0);
    for (int k = 0; k < dim_; ++k) {
      place.push_back(sum(0, k, false));
      scope_.symbols[name + "." + "xyz"[k]] = place.back();
      scope_.symbols[name + ".v" + "xyz"[k]] = sum(0, k, true);
      scope_.symbols[name + ".t" + "xyz"[k]] = sum(1, k, false);
      const Graph::Node curve = sum(2, k, false);
      bend = graph_->add(bend, graph_->multiply(curve, curve));
    }
    scope_.symbols[name + ".curvature"] = graph_->make(Op::sqrt, bend);
    return place;
  }

  /// An expression of one variable along a beam or string, and of time.
  AlongFunction along(const Item& item, const std::string& variable) {
    Graph graph;
    Scope scope;
    scope.functions = scope_.functions;
    scope.tables = scope_.tables;
    for (const auto& [name, node] : parameters_) {
      double number = 0.0;
      graph_->is_constant(node, &number);
      scope.symbols[name] = graph.constant(number);
    }
    scope.symbols[variable] = graph.variable(0);
    scope.symbols["t"] = graph.variable(1);
    const std::string text = item.word();
    const Graph::Node node = guarded(item, text, [&] { return parse(graph, scope, text); });
    const auto compiled = [&](Graph::Node which) {
      return [program = Program(graph, {which}, {0, 1})](double s, double t) {
        const double in[2] = {s, t};
        return *program(in);
      };
    };
    AlongFunction out;
    const std::vector<int> found = graph.variables_of({node});
    out.constant = found.empty();
    out.steady = std::find(found.begin(), found.end(), 1) == found.end();
    out.value = compiled(node);
    out.slope = compiled(graph.derivative(node, 0));
    if (out.constant && !std::isfinite(out.value(0.0, 0.0))) item.fail(message("\"{}\" is not finite", text));
    if (!out.steady)
      along_jumps_.push_back([kept = std::make_shared<const Graph>(graph)](double from, double to) {
        return kinks_in_time(*kept, 1, from, to);
      });
    return out;
  }

  void read_points(const Item& item) {
    for (const auto& [name, one] : item.entries()) {
      name_is_free(one, name);
      if (continuum_names_.contains(name)) one.fail(message("the name '{}' is taken already", name));
      Spot spot;
      for (const Item& axis : axes(one)) spot.x.push_back(of_time(axis));
      for (int k = 0; k < dim_; ++k) scope_.symbols[name + "." + "xyz"[k]] = spot.x[k];
      spots_[name] = std::move(spot);
    }
  }

  const Spot& spot(const Item& item) const {
    const std::string name = item.word();
    const auto found = spots_.find(name);
    if (found != spots_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, place] : spots_) known.push_back(one);
    const std::string near = nearest(name, known);
    item.fail(message("there is no mass or point '{}'", name) + (near.empty() ? "" : message("; did you mean '{}'?", near)));
  }
  const Spot& mass(const Item& item) const {
    const Spot& found = spot(item);
    if (found.mass < 0) item.fail(message("'{}' is a point without mass; a mass is wanted", item.word()));
    return found;
  }

  /// The two ends of a rod, spring or damper, and the rest of its entries.
  struct Link {
    Spot a, b;
    std::string name;
    std::map<std::string, Item> more;
  };
  Link link(const Item& item, std::vector<std::string> keys, const std::string& kind) const {
    Link out;
    keys.insert(keys.end(), {"between", "name"});
    std::vector<Item> ends;
    if (item.node.IsSequence()) {
      ends = item.list();
    } else {
      for (const auto& [key, one] : item.entries(keys)) {
        if (key == "between") {
          ends = one.list();
        } else if (key == "name") {
          out.name = one.word();
        } else {
          out.more.emplace(key, one);
        }
      }
    }
    if (ends.size() != 2) item.fail("needs two ends: between: [A, B]");
    out.a = spot(ends[0]);
    out.b = spot(ends[1]);
    if (out.a.mass < 0 && out.b.mass < 0) item.fail("neither end has a mass");
    if (ends[0].word() == ends[1].word()) item.fail("both ends are the same");
    if (out.name.empty()) out.name = kind + " " + ends[0].word() + "-" + ends[1].word();
    return out;
  }

  Graph::Node squared_distance(const Spot& a, const Spot& b) {
    Graph::Node sum = graph_->constant(0.0);
    for (int k = 0; k < dim_; ++k) {
      const Graph::Node d = graph_->subtract(b.x[k], a.x[k]);
      sum = graph_->add(sum, graph_->multiply(d, d));
    }
    return sum;
  }
  double distance_at_start(const Item& item, const Link& ends) {
    for (const Spot* end : {&ends.a, &ends.b})
      for (int k = 0; end->mass >= 0 && k < dim_; ++k)
        if (!given_q_[end->mass * dim_ + k])
          item.fail("needs a `length`, because an end has no place `at` to measure it from");
    return graph_->value(graph_->make(Op::sqrt, squared_distance(ends.a, ends.b)),
                         [&](int variable) { return variable == numbering_.time() ? 0.0 : q_[variable - numbering_.q(0)]; });
  }
  bool fixed(const Spot& spot, std::array<double, 3>& at) const {
    for (int k = 0; k < dim_; ++k)
      if (!graph_->is_constant(spot.x[k], &at[k])) return false;
    return spot.mass < 0;
  }

  void read_rod(const Item& item) {
    const Link ends = link(item, {"length"}, "rod");
    const auto given = ends.more.find("length");
    const double length = given != ends.more.end() ? number(given->second) : distance_at_start(item, ends);
    if (!(length > 0.0)) item.fail(message("the length must be positive, got {}", length));
    rod_lengths_[ends.name] = length;
    std::array<double, 3> at{};
    if (ends.a.mass >= 0 && ends.b.mass >= 0) {
      system_->add(Distance{.from = ends.a.mass, .to = ends.b.mass, .length = length}, ends.name);
    } else if (fixed(ends.a, at) || fixed(ends.b, at)) {
      system_->add(Pin{.point = std::max(ends.a.mass, ends.b.mass), .at = at, .length = length}, ends.name);
    } else {
      const Graph::Node g = graph_->multiply(
          graph_->constant(0.5), graph_->subtract(squared_distance(ends.a, ends.b), graph_->constant(length * length)));
      add_constraint(item, g, Set::zero, ends.name);
    }
  }

  void read_spring(const Item& item) {
    const Link ends = link(item, {"stiffness", "length", "damping"}, "spring");
    const auto stiffness = ends.more.find("stiffness"), given = ends.more.find("length"),
               damping = ends.more.find("damping");
    if (stiffness == ends.more.end()) item.fail("needs a `stiffness`");
    const double k = number(stiffness->second),
                 length = given != ends.more.end() ? number(given->second) : distance_at_start(item, ends);
    if (!(k >= 0.0)) stiffness->second.fail(message("must not be negative, got {}", k));
    if (!(length >= 0.0)) item.fail(message("the length must not be negative, got {}", length));
    std::array<double, 3> at{};
    if (ends.a.mass >= 0 && ends.b.mass >= 0) {
      system_->add(Spring{.from = ends.a.mass, .to = ends.b.mass, .stiffness = k, .length = length}, ends.name);
    } else if (fixed(ends.a, at) || fixed(ends.b, at)) {
      const int point = std::max(ends.a.mass, ends.b.mass);
      system_->add(Tether{.point = point, .at = at, .stiffness = k, .length = length}, ends.name);
    } else {
      // Without a length it is quadratic, and has no kink where the ends meet.
      const Graph::Node square = squared_distance(ends.a, ends.b);
      const Graph::Node stretch = graph_->subtract(graph_->make(Op::sqrt, square), graph_->constant(length));
      const Graph::Node energy = length == 0.0 ? square : graph_->multiply(stretch, stretch);
      LagrangianNodes nodes;
      nodes.potential = graph_->multiply(graph_->constant(0.5 * k), energy);
      terms().add(nodes, ends.name);
    }
    if (damping != ends.more.end()) add_damper(damping->second, ends);
  }

  void read_damper(const Item& item) {
    const Link ends = link(item, {"damping"}, "damper");
    const auto damping = ends.more.find("damping");
    if (damping == ends.more.end()) item.fail("needs a `damping`");
    add_damper(damping->second, ends);
  }

  /// −c ṙ along the line between the ends, r their distance: Qᵢ = −c ṙ ∂r/∂qᵢ.
  void add_damper(const Item& item, const Link& ends) {
    const double c = number(item);
    if (!(c >= 0.0)) item.fail(message("must not be negative, got {}", c));
    const Graph::Node r = graph_->make(Op::sqrt, squared_distance(ends.a, ends.b));
    std::vector<int> touched;
    for (const Spot* end : {&ends.a, &ends.b})
      for (int k = 0; end->mass >= 0 && k < dim_; ++k) touched.push_back(end->mass * dim_ + k);
    Graph::Node rate = graph_->derivative(r, numbering_.time());
    for (const int i : touched)
      rate = graph_->add(rate, graph_->multiply(graph_->derivative(r, numbering_.q(i)), graph_->variable(numbering_.v(i))));
    LagrangianNodes nodes;
    for (const int i : touched)
      nodes.forces.emplace_back(
          i, graph_->multiply(graph_->constant(-c), graph_->multiply(rate, graph_->derivative(r, numbering_.q(i)))));
    terms().add(nodes, ends.name);
  }

  void read_pin(const Item& item) {
    if (item.node.IsScalar()) {
      hold(item, mass(item), item.word(), nullptr);
      return;
    }
    std::optional<Item> at;
    std::optional<Item> who;
    for (const auto& [key, one] : item.entries({"mass", "at"})) (key == "mass" ? who : at) = one;
    if (!who) item.fail("needs a `mass`");
    hold(item, mass(*who), who->word(), at ? &*at : nullptr);
  }
  void hold(const Item& item, const Spot& held, const std::string& name, const Item* at) {
    const std::vector<Item> places = at != nullptr ? axes(*at) : std::vector<Item>{};
    for (int k = 0; k < dim_; ++k) {
      const int i = held.mass * dim_ + k;
      if (at == nullptr && !given_q_[i]) item.fail("needs a place `at`, because the mass has none");
      const Graph::Node place = at != nullptr ? of_time(places[k]) : graph_->constant(q_[i]);
      add_constraint(item, graph_->subtract(held.x[k], place), Set::zero, "pin " + name + "." + "xyz"[k]);
    }
  }

  void read_curve(const Item& item) {
    std::optional<Item> who, on;
    for (const auto& [key, one] : item.entries({"mass", "on"})) (key == "mass" ? who : on) = one;
    if (!who || !on) item.fail("needs a `mass` and the curve it is `on`: an equation in x, y");
    Scope scope = scope_;
    const Spot& held = mass(*who);
    for (int k = 0; k < dim_; ++k) scope.symbols[std::string(1, "xyz"[k])] = held.x[k];
    const std::string text = on->word();
    const Relation relation = guarded(*on, text, [&] { return parse_relation(*graph_, scope, text); });
    add_constraint(*on, relation.difference, relation.set, who->word() + " on " + text);
  }

  void read_wall(const Item& item) {
    std::optional<Item> who;
    HalfSpace wall;
    bool has_normal = false;
    for (const auto& [key, one] : item.entries({"mass", "normal", "offset"})) {
      if (key == "mass") who = one;
      if (key == "offset") wall.offset = number(one);
      if (key != "normal") continue;
      has_normal = true;
      const std::vector<Item> numbers = axes(one);
      double square = 0.0;
      for (int k = 0; k < dim_; ++k) {
        wall.normal[k] = number(numbers[k]);
        square += wall.normal[k] * wall.normal[k];
      }
      if (square == 0.0) one.fail("must not be zero");
      for (int k = 0; k < dim_; ++k) wall.normal[k] /= std::sqrt(square);
    }
    if (!who || !has_normal) item.fail("needs a `mass` and a `normal` into the allowed side");
    wall.point = mass(*who).mass;
    system_->add(wall, "wall of " + who->word() + (walls_++ > 0 ? " " + std::to_string(walls_) : ""));
  }

  /// An expression, or the sum of a list of them.
  Graph::Node total(const Item& item) {
    if (!item.node.IsSequence()) return value(item);
    Graph::Node sum = graph_->constant(0.0);
    each_of(item, [&](const Item& one) { sum = graph_->add(sum, value(one)); });
    return sum;
  }

  void read_lagrangian() {
    LagrangianNodes nodes;
    each("kinetic", [&](const Item& item) {
      nodes.kinetic = total(item);
      const auto velocity = [&](int variable) { return numbering_.is_velocity(variable); };
      if (graph_->degree(nodes.kinetic, velocity) > 2) item.fail("must be quadratic in the velocities");
    });
    each("potential", [&](const Item& item) {
      nodes.potential = total(item);
      const std::vector<int> found = graph_->variables_of({nodes.potential});
      if (!found.empty() && found.back() > numbering_.coordinates)
        item.fail("a velocity occurs in it; such forces belong under `forces`");
    });
    each("forces", [&](const Item& item) {
      for (const auto& [name, one] : item.entries()) nodes.forces.emplace_back(coordinate(one, name), value(one));
    });
    kinetic_ = nodes.kinetic;
    if (nodes.kinetic >= 0 || nodes.potential >= 0 || !nodes.forces.empty()) terms().add(nodes, "the model's expressions");
  }

  int coordinate(const Item& item, const std::string& name) const {
    const auto found = coordinate_.find(name);
    if (found != coordinate_.end()) return found->second;
    const std::string near = nearest(name, names_);
    item.fail(message("there is no coordinate '{}'", excerpt(name)) +
              (near.empty() ? "" : message("; did you mean '{}'?", near)));
  }

  void add_constraint(const Item& item, Graph::Node g, Set set, const std::string& name) {
    try {
      terms().add_constraint(g, set, name);
      ++constraints_;
    } catch (const InputError& error) {
      item.fail(error.what());
    }
  }

  void read_constraint(const Item& item) {
    Item expression = item;
    std::string name;
    bool holds = true;
    if (item.node.IsMap()) {
      bool found = false;
      for (const auto& [key, one] : item.entries({"name", "expression", "holds"})) {
        if (key == "name") name = one.word();
        if (key == "holds") holds = truth(one);
        if (key != "expression") continue;
        expression = one;
        found = true;
      }
      if (!found) item.fail("needs an `expression`");
    }
    const std::string text = expression.word();
    const Relation relation = guarded(expression, text, [&] { return parse_relation(*graph_, scope_, text); });
    add_constraint(expression, relation.difference, relation.set, name.empty() ? excerpt(text) : name);
    if (!holds) loose_.push_back(constraints_ - 1);
  }
  static bool truth(const Item& item) {
    const std::string word = item.word();
    if (word != "true" && word != "false") item.fail(message("must be true or false, got '{}'", word));
    return word == "true";
  }

  void read_initial(const Item& item) {
    for (const auto& [name, one] : item.entries()) {
      if (name == "t") {
        t_ = number(one);
      } else if (name == "equilibrium") {
        equilibrium_ = truth(one);
      } else if (name == "solve") {
        if (one.node.IsScalar() && one.word() == "all") {
          for (int i = 0; i < numbering_.coordinates; ++i) free_.insert({i, false}), free_.insert({i, true});
        } else {
          each_of(one, [&](const Item& which) {
            const auto [i, velocity] = coordinate_or_velocity(which, which.word());
            free_.insert({i, velocity});
          });
        }
      } else {
        const auto [i, velocity] = coordinate_or_velocity(one, name);
        (velocity ? v_ : q_)[i] = number(one);
        if (!velocity) given_q_[i] = true;
      }
    }
  }
  std::pair<int, bool> coordinate_or_velocity(const Item& item, const std::string& name) const {
    const bool velocity = !name.empty() && name.back() == '\'';
    return {coordinate(item, velocity ? name.substr(0, name.size() - 1) : name), velocity};
  }

  /// Every coordinate needs inertia, or a constraint that carries it; said here by name, before a matrix is singular.
  void check_inertia() {
    std::set<int> carried;
    for (const auto& block : system_->constraints()) carried.insert(block->stencils().begin(), block->stencils().end());
    if (kinetic_ >= 0)
      for (const int variable : graph_->variables_of({kinetic_}))
        if (numbering_.is_velocity(variable)) carried.insert(numbering_.coordinate(variable));
    for (int i = numbering_.coordinates - int(generalized_.size()); i < numbering_.coordinates; ++i) {
      require(carried.count(i) > 0, "the coordinate '{}' has no inertia; it must occur in the `kinetic` energy.", names_[i]);
    }
  }

  /// Rest under everything that holds at the start, also what is released then.
  void start_at_rest(ModelFile& model) {
    require(free_.empty(), "initial: `equilibrium` finds all places; leave out `solve`.");
    const Equilibrium found = equilibrium(*system_, state_at(*system_, t_, q_, Vector::Zero(q_.size())));
    require(found.status == Status::ok, "initial: no equilibrium was found: {}.", found.trouble);
    model.start = {.state = found.state};
    model.start.moved_q = (found.state.q - q_).lpNorm<Eigen::Infinity>();
    // Velocities that were given stay, and supports that move take the ends with them.
    const ConsistentStart moving = consistent_velocities(*system_, state_at(*system_, t_, found.state.q, v_));
    require(moving.status == Status::ok, "initial: {}.", moving.trouble);
    model.start.state.v = moving.state.v;
    model.start.state.p = moving.state.p;
    model.start.moved_v = moving.moved_v;
  }

  /// Constraints that do not hold from the beginning have no say in the start.
  void start_with_what_holds(ModelFile& model, bool assemble) {
    if (loose_.empty()) {
      start(model, assemble);
      return require_inertia(*system_, model.start.state);
    }
    System all = *system_;
    *system_ = acting(released(all, [&](const std::string& name) {
                 return std::any_of(loose_.begin(), loose_.end(),
                                    [&](int one) { return all.constraint_name(rows_[std::size_t(one)]) == name; });
               })).system;
    start(model, assemble);
    require_inertia(*system_, model.start.state);
    *system_ = std::move(all);
  }

  void start(ModelFile& model, bool assemble) {
    const State given = state_at(*system_, t_, q_, v_);
    const std::string trouble = system_->find_not_finite(instant(given));
    require(trouble.empty(), "at the start {} is not finite.", trouble);
    constexpr double tolerance = 1e-8;
    if (equilibrium_) return start_at_rest(model);
    if (free_.empty() && !continua_->beams().empty()) {
      // A shape is a guess as far as lengths along the beams go: it is moved to the nearest that has them.
      std::vector<Violation> other = violations(*system_, given, tolerance);
      // And supports that move take the ends with them.
      std::erase_if(other, [&](const Violation& v) {
        const bool support = std::find(model.supports.begin(), model.supports.end(), v.constraint) != model.supports.end();
        return v.constraint.rfind("length of ", 0) == 0 || (v.velocity && support);
      });
      require(!assemble || other.empty(), "the initial values violate {}; correct them.", describe(other));
      model.start = consistent_start(*system_, given);
      require(!assemble || model.start.status == Status::ok, "the shape of the beams cannot be made consistent: {}.",
              model.start.trouble);
      model.start.before = other;
      return;
    }
    if (free_.empty()) {
      model.start = {.state = given, .before = violations(*system_, given, tolerance)};
      require(!assemble || model.start.before.empty(),
              "the initial values violate {}; correct them, or name those to be found: initial: {solve: [...]}.",
              describe(model.start.before));
      if (model.start.before.empty() && system_->constraint_count() > 0) {
        model.start = consistent_start(*system_, given);
        model.start.before.clear();
      }
      return;
    }
    // What is not to be found is held: first positions, then velocities.
    System still = *system_, steady = *system_;
    ExpressionTerms places(graph_, numbering_, shapes_), speeds(graph_, numbering_, shapes_);
    for (int i = 0; i < numbering_.coordinates; ++i) {
      const auto hold = [&](ExpressionTerms& terms, int variable, double at) {
        const Graph::Node g = graph_->subtract(graph_->variable(variable), graph_->constant(at));
        terms.add_constraint(g, Set::zero, "initial " + names_[i]);
      };
      if (!free_.contains({i, false})) hold(places, numbering_.q(i), q_[i]);
      if (!free_.contains({i, true})) hold(speeds, numbering_.v(i), v_[i]);
    }
    places.into(still);
    speeds.into(steady);
    const auto check = [&](const ConsistentStart& one) {
      require(one.status == Status::ok, "the initial values to be found were not: {}.", one.trouble);
    };
    const ConsistentStart placed = consistent_positions(still, given);
    check(placed);
    ConsistentStart found = consistent_velocities(steady, state_at(*system_, t_, placed.state.q, v_));
    check(found);
    found.before = violations(*system_, given, tolerance);
    for (int i = 0; i < numbering_.coordinates; ++i) {  // what was held is what was given, to the last bit
      if (!free_.contains({i, false})) found.state.q[i] = q_[i];
      if (!free_.contains({i, true})) found.state.v[i] = v_[i];
    }
    found.moved_q = placed.moved_q;
    found.state = state_at(*system_, t_, found.state.q, found.state.v);
    found.dependent.clear();
    const auto left = violations(*system_, found.state, tolerance);
    require(!assemble || left.empty(), "with the initial values given, {} cannot be met.", describe(left));
    model.start = std::move(found);
  }

  /// λ of constraints that have a name of one word, and the tension of rods: for outputs and events, which are read after this.
  void name_reactions() {
    for (int row = 0; row < system_->constraint_count(); ++row) {
      const std::string name = system_->constraint_name(row);
      if (!is_name(name)) continue;
      const Graph::Node lambda = graph_->variable(lambda_variable(row));
      scope_.symbols[name + ".lambda"] = lambda;
      if (const auto rod = rod_lengths_.find(name); rod != rod_lengths_.end())
        scope_.symbols[name + ".tension"] = graph_->multiply(graph_->constant(rod->second), lambda);
    }
  }
  int lambda_variable(int row) const { return numbering_.v(numbering_.coordinates) + row; }

  NamedExpression expression(const std::string& name, Graph::Node node) const {
    const std::vector<int> found = graph_->variables_of({node});
    return {name, Program(*graph_, {node}, found), found, !found.empty() && found.back() >= lambda_variable(0)};
  }

  /// A name, or a table with a name and options.
  void read_method(const Item& item, std::string& name, NamedOptions& options) {
    if (item.node.IsScalar()) {
      name = item.word();
      return;
    }
    bool found = false;
    for (const auto& [key, one] : item.entries()) {
      if (key == "name") {
        name = one.word();
        found = true;
      } else {
        const std::string text = one.word();
        const bool word =
            !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) && !scope_.symbols.contains(text);
        std::ostringstream exact;
        exact.precision(17);
        if (!word) exact << number(one);
        options[key] = word ? text : exact.str();
      }
    }
    if (!found) item.fail("needs a `name`");
  }

  void read_run(const Item& item, ModelFile& model) {
    static const std::vector<std::string> keys{"until",    "step",        "rtol",      "atol",   "integrator",
                                               "solver",   "formulation", "control",   "breaks", "every",
                                               "interval", "events",      "tolerances"};
    RunSection& run = model.run;
    for (const auto& [key, one] : item.entries(keys)) {
      if (key == "until") run.until = number(one);
      if (key == "step") run.step = positive(one);
      if (key == "rtol") run.rtol = positive(one);
      if (key == "atol") run.atol = positive(one);
      if (key == "interval") run.interval = positive(one);
      if (key == "every") {
        run.every = whole(one);
        if (run.every < 0) one.fail(message("must not be negative, got {}", run.every));
      }
      try {
        if (key == "integrator") {
          run.integrator_options.clear();
          read_method(one, run.integrator, run.integrator_options);
          if (run.integrator == "auto") run.integrator.clear();
          if (!run.integrator.empty()) integrator_named(run.integrator, run.integrator_options);
        }
        if (key == "solver") {
          run.solver_options.clear();
          read_method(one, run.solver, run.solver_options);
          solver_named(run.solver, run.solver_options);
        }
      } catch (const LocatedError&) {
        throw;
      } catch (const InputError& error) {
        one.fail(error.what());
      }
      if (key == "breaks") {
        run.breaks.clear();
        each_of(one, [&](const Item& time) { run.breaks.push_back(number(time)); });
      }
      if (key == "control") {
        run.control = one.word();
        if (run.control != "error" && run.control != "reversible")
          one.fail(message("must be error or reversible, got '{}'", run.control));
      }
      if (key == "formulation") read_formulation(one, run);
      if (key == "tolerances") read_tolerances(one, run);
      if (key == "events") each_of(one, [&](const Item& event) { read_event(event, model); });
    }
  }
  double positive(const Item& item) {
    const double out = number(item);
    if (!(out > 0.0)) item.fail(message("must be positive, got {}", item.node.Scalar()));
    return out;
  }
  void read_formulation(const Item& item, RunSection& run) {
    if (item.node.IsScalar()) {
      if (item.word() != "multipliers")
        item.fail(message("must be multipliers or {penalty: epsilon}, got '{}'", item.word()));
      run.penalty = 0.0;
      return;
    }
    const auto given = item.entries({"penalty"});
    if (given.empty()) item.fail("must be multipliers or {penalty: epsilon}");
    run.penalty = positive(given.front().second);
  }
  /// Coordinates by name: one, all of a mass, or a list of both.
  std::vector<int> coordinates_of(const Item& item, const std::string& name) const {
    if (coordinate_.contains(name)) return {coordinate_.at(name)};
    std::vector<int> all;
    for (const auto& [one, i] : coordinate_)
      if (one.rfind(name + ".", 0) == 0) all.push_back(i);
    if (all.empty()) return {coordinate(item, name)};  // says what there is
    return all;
  }

  /// {x: 1e-9} is an absolute tolerance; {fast: {of: [x, y], rtol: …, atol: …}} gives several one of their own.
  void read_tolerances(const Item& item, RunSection& run) {
    run.tolerances.clear();
    for (const auto& [name, one] : item.entries()) {
      RunSection::Tolerance group;
      bool listed = false;
      if (one.node.IsMap()) {
        for (const auto& [key, part] : one.entries({"of", "rtol", "atol"})) {
          if (key == "rtol") group.rtol = positive(part);
          if (key == "rtol" && !(group.rtol < 1.0 && group.rtol >= 1e-14))
            part.fail(message("must lie between 1e-14 and 1, got {}", group.rtol));
          if (key == "atol") group.atol = positive(part);
          if (key != "of") continue;
          listed = true;
          each_of(part, [&](const Item& which) {
            for (const int i : coordinates_of(which, which.word())) group.coordinates.push_back(i);
          });
        }
        if (group.rtol == 0.0 && group.atol == 0.0) one.fail("needs `rtol` or `atol`");
        if (listed && group.coordinates.empty()) one.fail("names no coordinate");
      } else {
        group.atol = positive(one);
      }
      if (!listed) group.coordinates = coordinates_of(one, name);
      run.tolerances.push_back(std::move(group));
    }
  }

  // Events.

  void read_event(const Item& item, ModelFile& model) {
    ModelEvent event;
    std::vector<double> times;
    std::optional<Item> when, then;
    bool both = false;
    for (const auto& [key, one] : item.entries({"name", "when", "at", "direction", "then", "action"})) {
      if (key == "name") event.name = one.word();
      if (key == "when") when = one;
      if (key == "at") {
        if (one.node.IsSequence()) {
          each_of(one, [&](const Item& time) { times.push_back(number(time)); });
        } else {
          times.push_back(number(one));
        }
      }
      if (key == "direction") {
        event.direction = read_direction(one);
        both = event.direction == 0;
      }
      if (key != "then" && key != "action") continue;
      if (then) one.fail("`then` and `action` say the same; give one of them");
      then = one;
    }
    if (when.has_value() == !times.empty())
      item.fail("needs either `when`, an expression that crosses zero, or `at`, a time");
    if (then) read_then(*then, event, model);
    if (when) {
      read_when(*when, event, both);
      model.events.push_back(std::move(event));
      return;
    }
    if (event.direction != 0) item.fail("a time has no `direction`");
    for (const double t : times) {
      ModelEvent one = event;
      std::ostringstream label;
      label << "t = " << t;
      if (one.name.empty()) one.name = label.str();
      if (one.acts()) {
        one.at = t;
      } else {  // recorded only: steps need not feel it
        one.when = expression(one.name, graph_->subtract(graph_->variable(numbering_.time()), graph_->constant(t)));
      }
      model.events.push_back(std::move(one));
    }
  }

  /// A comparison is watched for the moment it becomes true, at the zero of its difference; other conditions as such.
  void read_when(const Item& item, ModelEvent& event, bool both) {
    Graph::Node node = value(item);
    // A parameter that is zero at the start may be another number later.
    const auto named = [&](const auto& one) { return item.node.Scalar().find(one.first) != std::string::npos; };
    if (graph_->is_constant(node) && std::none_of(parameters_.begin(), parameters_.end(), named))
      item.fail(message("\"{}\" does not change with the motion", item.node.Scalar()));
    if (graph_->is_condition(node)) {
      const Graph::Entry& top = graph_->entries()[std::size_t(node)];
      if (top.op == Op::equal) item.fail("an equality holds for no time at all; give the difference, which crosses zero");
      if (top.op == Op::less || top.op == Op::less_equal) {
        node = graph_->subtract(top.b, top.a);
      } else {
        node = graph_->subtract(graph_->multiply(graph_->constant(2.0), node), graph_->constant(1.0));
      }
      if (event.direction == 0 && !both) event.direction = 1;
    }
    if (event.name.empty()) event.name = item.word();
    event.when = expression(event.name, node);
  }

  static int read_direction(const Item& item) {
    const std::string word = item.word();
    if (word == "rising" || word == "1" || word == "+1") return 1;
    if (word == "falling" || word == "-1") return -1;
    if (word == "both" || word == "0") return 0;
    item.fail(message("must be rising, falling or both, got '{}'", word));
  }

  void read_then(const Item& item, ModelEvent& event, ModelFile& model) {
    if (!item.node.IsScalar() && item.node.size() == 0)
      item.fail("says nothing; leave it out for an event that is recorded");
    if (item.node.IsSequence()) {
      each_of(item, [&](const Item& one) { read_then(one, event, model); });
      return;
    }
    if (item.node.IsScalar()) {
      const std::string word = item.word();
      if (word != "stop" && word != "record")
        item.fail(message("must be stop, record, or a table of what changes, got '{}'", word));
      event.stop = event.stop || word == "stop";
      return;
    }
    for (const auto& [key, one] : item.entries()) {
      if (key == "release" || key == "hold") {
        const auto add = [&](const Item& which) {
          const int number = constraint_switch(which, which.word(), model);
          for (const auto& [other, value] : event.switches)
            if (other == number) which.fail(message("'{}' is released or held in this event already", which.word()));
          event.switches.emplace_back(number, expression(key, graph_->constant(key == "hold" ? 1.0 : 0.0)));
        };
        if (one.node.IsSequence()) {
          each_of(one, add);
        } else {
          add(one);
        }
      } else if (key == "stop") {
        if (!truth(one)) one.fail("must be true; leave it out otherwise");
        event.stop = true;
      } else if (is_parameter(key)) {
        event.switches.emplace_back(parameter_switch(key, model), expression(key, value(one)));
      } else {
        const auto [i, velocity] = coordinate_or_velocity(one, key);
        event.assignments.push_back({i, velocity, expression(key, value(one))});
      }
    }
  }

  bool is_parameter(const std::string& name) const {
    return std::any_of(parameters_.begin(), parameters_.end(), [&](const auto& one) { return one.first == name; });
  }

  static int switch_named(const std::string& name, ModelFile& model, const std::function<Switch()>& make) {
    const auto found =
        std::find_if(model.switches.begin(), model.switches.end(), [&](const Switch& one) { return one.name == name; });
    if (found != model.switches.end()) return int(found - model.switches.begin());
    model.switches.push_back(make());
    return int(model.switches.size()) - 1;
  }
  int parameter_switch(const std::string& name, ModelFile& model) const {
    return switch_named(name, model, [&] {
      double value = 0.0;
      for (const auto& [one, node] : parameters_)
        if (one == name) graph_->is_constant(node, &value);
      return Switch{.name = name, .initial = value};
    });
  }

  /// Constraints by the name of one of them, or of all rows of a pin or support ("pin A" for "pin A.x" and "pin A.y").
  int constraint_switch(const Item& item, const std::string& name, ModelFile& model) const {
    std::vector<int> rows;
    std::vector<std::string> known;
    for (int row = 0; row < system_->constraint_count(); ++row) {
      const std::string one = system_->constraint_name(row);
      known.push_back(one);
      const bool whole = one == name || one.rfind(name + "[", 0) == 0;
      const bool axis = one.size() == name.size() + 2 && one.rfind(name + ".", 0) == 0;
      if (whole || axis) rows.push_back(row);
    }
    if (rows.empty()) {
      const std::string near = nearest(name, known);
      item.fail(message("there is no constraint '{}'", name) + (near.empty() ? "" : message("; did you mean '{}'?", near)));
    }
    return switch_named("constraint " + name, model, [&] { return Switch{.name = "constraint " + name, .rows = rows}; });
  }

  /// Supports that let go at a time are events; those that let go at the start, or before it, do not hold from the beginning.
  void add_release(const std::string& support, double t, ModelFile& model) {
    int row = 0;
    while (system_->constraint_name(row) != support) ++row;
    const int number =
        switch_named("constraint " + support, model, [&] { return Switch{.name = "constraint " + support, .rows = {row}}; });
    if (t <= t_) {
      model.switches[std::size_t(number)].initial = 0.0;
      model.switches[std::size_t(number)].since = t;
      return;
    }
    const auto same = std::find_if(model.events.begin(), model.events.end(),
                                   [&](const ModelEvent& one) { return one.at == t && one.name == "release"; });
    ModelEvent& event = same != model.events.end() ? *same : model.events.emplace_back();
    event.name = "release";
    event.at = t;
    event.switches.emplace_back(number, expression("release", graph_->constant(0.0)));
  }

  void override_run(ModelFile& model) {
    YAML::Node node(YAML::NodeType::Map);
    for (const auto& [key, text] : overrides_.run) node[key] = YAML::Node(text);
    if (overrides_.run.empty()) return;
    // A method given from outside comes without the options of the one in the file; a step turns tolerances off, and the other way round.
    if (overrides_.run.contains("step") && !overrides_.run.contains("rtol")) {
      model.run.rtol = model.run.atol = model.run.interval = 0.0;
      model.run.control.clear();
      model.run.breaks.clear();
      model.run.tolerances.clear();
    }
    if (overrides_.run.contains("rtol") && !overrides_.run.contains("step")) model.run.step = 0.0;
    read_run({"command line", "run", node}, model);
  }

  std::vector<Document> documents_;
  const ModelOverrides& overrides_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Scope scope_;
  Numbering numbering_{0};
  int dim_ = 2, walls_ = 0;
  Graph::Node kinetic_ = -1;
  double t_ = 0.0;
  Vector q_, v_;
  std::vector<bool> given_q_;
  std::set<std::pair<int, bool>> free_;
  std::vector<std::pair<std::string, Item>> masses_, generalized_;
  std::vector<std::pair<std::string, Graph::Node>> parameters_;
  std::map<std::string, Spot> spots_;
  std::map<std::string, int> coordinate_;
  std::vector<std::string> names_;
  std::optional<System> system_;
  std::optional<Continua> continua_;
  std::set<std::string> continuum_names_;
  std::array<double, 3> gravity_{};
  bool equilibrium_ = false;
  std::map<std::string, double> rod_lengths_;
  std::shared_ptr<Shapes> shapes_;
  std::optional<ExpressionTerms> terms_;
  int constraints_ = 0;                                   // expressions that are constraints
  std::vector<int> rows_;                                 // of these, in the order of reading
  std::vector<int> loose_;                                // those of them that do not hold from the beginning
  std::vector<std::pair<std::string, double>> releases_;  // supports that let go, and when
  std::vector<std::function<std::vector<double>(double, double)>> along_jumps_;
};

ModelFile build(const std::string& text, const std::string& file, const ModelOverrides& overrides, bool assemble) {
  std::vector<Document> documents;
  std::string all;
  load_documents(text, file, sections, overrides.include_folders, documents, all);
  try {
    const auto shapes = std::make_shared<Shapes>();
    ModelFile model = Builder(documents, overrides, shapes).build(assemble);
    model.text = std::move(all);
    model.with = [documents, overrides, shapes](const std::map<std::string, double>& values) {
      ModelOverrides other = overrides;
      for (const auto& [name, value] : values) {
        std::ostringstream exact;
        exact.precision(17);
        exact << value;
        other.parameters.emplace_back(name, exact.str());
      }
      return Builder(documents, other, shapes).build(false, false);
    };
    return model;
  } catch (const YAML::Exception& error) {
    throw InputError(message("{}: {}.", file, error.what()));
  } catch (const LocatedError&) {
    throw;
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());  // found deeper down, where the file is not known
  }
}

}  // namespace

double NamedExpression::at(const State& state) const {
  thread_local std::vector<double> in;
  in.clear();
  const int n = int(state.q.size());
  for (const int variable : variables) {
    const int k = variable - 1;
    in.push_back(k < 0 ? state.t : k < n ? state.q[k] : k < 2 * n ? state.v[k - n] : state.lambda[k - 2 * n]);
  }
  return *program(in.data());
}

ModelFile read_model(const std::string& path, const ModelOverrides& overrides, bool assemble) {
  return build(read_text(path), path, overrides, assemble);
}

ModelFile parse_model(const std::string& text, const std::string& name, const ModelOverrides& overrides, bool assemble) {
  return build(text, name, overrides, assemble);
}

}  // namespace taut
