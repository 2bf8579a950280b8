#pragma once

#include <taut/model/model_file.hpp>

namespace taut {

/// A system as expressions in one graph, for code that runs many of them side by side: T, V, Q and g of t, q, v, and of numbers (masses, lengths, stiffnesses,
/// constants of expressions) in which runs differ.
struct LaneForms {
  Graph graph;
  int n = 0, numbers = 0;
  Graph::Node kinetic = -1, potential = -1;
  std::vector<Graph::Node> forces;   ///< Q, by coordinate
  std::vector<Graph::Node> g;        ///< all rows, g(t, q) = 0; 0 for those on velocities
  std::vector<Graph::Node> k;        ///< of these k(t, q, v) = 0, linear in v; 0 for the others
  std::vector<Graph::Node> watched;  ///< outputs and coordinates to look at
  std::vector<Graph::Node> events;   ///< at whose zeros a run stops
  std::vector<int> directions;       ///< in which they cross: 1 rising, −1 falling, 0 both
  std::vector<char> lends;           ///< rows that lend inertia to coordinates without any: see lending_rows()
  double lent = 1.0;                 ///< how much

  int time() const { return 0; }
  int q(int i) const { return 1 + i; }
  int v(int i) const { return 1 + n + i; }
  int number(int i) const { return 1 + 2 * n + i; }

  // Of an implicit step: its length, and the velocity in its middle.
  int step() const { return number(numbers); }
  int x(int i) const { return step() + 1 + i; }
};

/// What of a system goes into lanes: runs with the same key share one code and differ in their numbers alone.
struct LaneRecord {
  std::string key;
  std::vector<double> numbers;
};

/// Looks through a system and what is to be watched. With forms, these are filled too. Throws InputError that names what there is no code for.
LaneRecord record_lanes(const System& system, const std::vector<const NamedExpression*>& watched,
                        LaneForms* forms = nullptr);

/// Coordinates without inertia of their own (angles of joints) are carried by constraints, and M alone cannot be solved for. M + w GᵀG of these rows can, and
/// gives the same accelerations and projections: G a is given, so that what is added is a reaction. Returns which rows lend, and w; none of them where M is
/// sound. Throws InputError if that does not help.
std::vector<char> lending_rows(const System& system, const State& start, double& weight);

}  // namespace taut
