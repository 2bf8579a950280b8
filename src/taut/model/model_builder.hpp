#pragma once

#include <taut/model/model_file.hpp>
#include <taut/model/tree.hpp>

namespace taut {

struct Contents;
class Shapes;

/// Numbers that differ between runs of one model, by name.
struct ModelNumbers {
  std::vector<std::pair<std::string, double>> parameters{}, initial{};
};

/// Parsed files as one model, the included ones first, that is read again and again with other numbers. What its expressions were compiled to is kept and
/// shared; any number of threads may read at once. `file` is what messages call it that no place can be given for, `text` is kept in results.
class ModelReader {
 public:
  ModelReader(std::shared_ptr<const std::vector<Document>> documents, std::string file, std::string text,
              ModelOverrides overrides = {});

  /// Throws InputError that names the entry, what was given and what is allowed. Violated initial conditions throw only if `assemble` is true;
  /// otherwise they are in `start`.
  ModelFile read(const ModelNumbers& numbers = {}, bool assemble = true) const;

 private:
  std::shared_ptr<const Contents> contents_;
  std::string file_, text_;
  ModelOverrides overrides_;
  std::shared_ptr<Shapes> shapes_;
  struct Memory;  ///< of readings before
  std::shared_ptr<Memory> memory_;
};

/// A model put together word by word: what a model file says, without the file.
///
///     ModelBuilder pendulum("Pendulum");
///     pendulum.parameter("l", 1.0).gravity(9.81);
///     pendulum.point("O", {0, 0}).mass("A", Tree::table({{"mass", 0.5}, {"at", {"l", 0}}})).rod({"O", "A"});
///     ModelFile model = pendulum.build();
///
/// Words are those of docs/model-files.md; numbers, expressions with units and lists mean the same. Order within a section counts, order of sections does
/// not. Mistakes are found by build(), which names the entry.
class ModelBuilder {
 public:
  explicit ModelBuilder(const std::string& name = {});
  /// Goes on from a model that is there, whole; messages call it so.
  static ModelBuilder from(Tree tree, std::string called = "model");

  /// Anything: joins a list or a table to what the section holds, and sets what is a single value.
  ModelBuilder& add(const std::string& section, const Tree& content);
  ModelBuilder& entry(const std::string& section, const std::string& name, Tree value);  ///< one more of a table
  ModelBuilder& item(const std::string& section, Tree value);                            ///< one more of a list
  ModelBuilder& set(const std::string& section, const std::string& name, Tree value);    ///< of a table, new or not

  // Tables: a name and what it stands for.
  ModelBuilder& input(const std::string& name, Tree value) { return entry("inputs", name, std::move(value)); }
  ModelBuilder& parameter(const std::string& name, Tree value) { return entry("parameters", name, std::move(value)); }
  ModelBuilder& function(const std::string& head, Tree body) { return entry("functions", head, std::move(body)); }
  ModelBuilder& table(const std::string& name, Tree points) { return entry("tables", name, std::move(points)); }
  ModelBuilder& mass(const std::string& name, Tree of) { return entry("masses", name, std::move(of)); }
  ModelBuilder& point(const std::string& name, Tree at) { return entry("points", name, std::move(at)); }
  ModelBuilder& body(const std::string& name, Tree of) { return entry("bodies", name, std::move(of)); }
  ModelBuilder& beam(const std::string& name, Tree of) { return entry("beams", name, std::move(of)); }
  ModelBuilder& string(const std::string& name, Tree of) { return entry("strings", name, std::move(of)); }
  ModelBuilder& force(const std::string& on, Tree value) { return entry("forces", on, std::move(value)); }
  ModelBuilder& initial(const std::string& name, Tree value) { return entry("initial", name, std::move(value)); }
  ModelBuilder& let(const std::string& name, Tree value) { return entry("let", name, std::move(value)); }
  ModelBuilder& output(const std::string& name, Tree value) { return entry("outputs", name, std::move(value)); }
  ModelBuilder& run(const std::string& option, Tree value) { return entry("run", option, std::move(value)); }

  // Lists.
  ModelBuilder& rod(Tree of) { return item("rods", std::move(of)); }
  ModelBuilder& spring(Tree of) { return item("springs", std::move(of)); }
  ModelBuilder& damper(Tree of) { return item("dampers", std::move(of)); }
  ModelBuilder& joint(Tree of) { return item("joints", std::move(of)); }
  ModelBuilder& gear(Tree of) { return item("gears", std::move(of)); }
  ModelBuilder& rolling(Tree of) { return item("rolling", std::move(of)); }
  ModelBuilder& pin(Tree of) { return item("pins", std::move(of)); }
  ModelBuilder& curve(Tree of) { return item("curves", std::move(of)); }
  ModelBuilder& wall(Tree of) { return item("walls", std::move(of)); }
  ModelBuilder& contact(Tree of) { return item("contacts", std::move(of)); }
  ModelBuilder& coupling(Tree of) { return item("couplings", std::move(of)); }
  ModelBuilder& coordinate(Tree name) { return item("coordinates", std::move(name)); }
  ModelBuilder& kinetic(Tree term) { return item("kinetic", std::move(term)); }
  ModelBuilder& potential(Tree term) { return item("potential", std::move(term)); }
  ModelBuilder& constraint(Tree of) { return item("constraints", std::move(of)); }
  ModelBuilder& event(Tree of) { return item("events", std::move(of)); }

  // Single values.
  ModelBuilder& dimension(Tree value) { return add("dimension", value); }
  ModelBuilder& gravity(Tree value) { return add("gravity", value); }
  ModelBuilder& damping(Tree value) { return add("damping", value); }

  const Tree& tree() const { return tree_; }

  /// Throws InputError that names the entry, what was given and what is allowed. Violated initial conditions throw only if `assemble` is true;
  /// otherwise they are in `start`.
  ModelFile build(const ModelOverrides& overrides = {}, bool assemble = true) const;
  ModelReader reader(const ModelOverrides& overrides = {}) const;

 private:
  Tree tree_ = Tree::table();
  std::string called_ = "model";
};

}  // namespace taut
