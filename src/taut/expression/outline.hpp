#pragma once

#include <array>
#include <functional>
#include <string>
#include <taut/base/number_map.hpp>
#include <taut/expression/graph.hpp>

namespace taut {

/// How the variables of a graph are numbered where expressions make a system of n coordinates.
struct Numbering {
  int coordinates;
  int time() const { return 0; }
  int q(int i) const { return 1 + i; }
  int v(int i) const { return 1 + coordinates + i; }

  bool is_velocity(int variable) const { return variable > coordinates && variable < v(coordinates); }
  int coordinate(int variable) const { return (variable - 1) % coordinates; }  ///< of a position or a velocity
};

/// Nodes of one graph made again in another, or in the same, with other nodes in the place of its variables.
std::vector<Graph::Node> transplanted(const Graph& from, Graph& to, const std::vector<Graph::Node>& roots,
                                      const std::function<Graph::Node(int variable)>& variable);

/// What is left of expressions once the names of their coordinates and their constants are taken away: two springs of a chain have the same outline.
/// A graph of its own, over t, the positions and velocities of `coordinates` coordinates, and `numbers` constants.
struct Outline {
  std::shared_ptr<Graph> graph;
  std::vector<Graph::Node> roots;
  Numbering numbering;
  int numbers = 0;

  int number(int k) const { return numbering.v(numbering.coordinates) + k; }
  std::vector<int> inputs() const;  ///< t, q, v and the constants, as instances give them
};

/// Expressions read as an instance of an outline.
class Instance {
 public:
  Instance(const Graph& graph, Numbering numbering, const std::vector<Graph::Node>& roots, std::vector<int> first = {});

  const std::string& key() const { return key_; }               ///< equal for equal outlines
  const std::vector<int>& stencil() const { return stencil_; }  ///< coordinates, in the order in which they occur
  const std::vector<double>& numbers() const { return numbers_; }
  Outline outline() const;

 private:
  struct Step {  // without gaps: the key holds its bytes
    int op, a, b, c;
    double value;
  };
  enum class Leaf { time, position, velocity, number };
  void walk(const Graph& graph, Numbering numbering, Graph::Node root);
  int leaf(Leaf kind, int index);
  int local(int coordinate);

  std::vector<Step> steps_;
  std::vector<int> roots_;
  std::vector<int> stencil_;
  std::vector<double> numbers_;
  std::vector<std::shared_ptr<const Table>> tables_;
  NumberMap<int> known_;  // steps by nodes
  NumberMap<int> place_;  // of coordinates in the stencil
  std::string key_;
};

}  // namespace taut
