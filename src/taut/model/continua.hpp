#pragma once

#include <functional>
#include <optional>
#include <taut/expression/graph.hpp>
#include <taut/model/tree.hpp>
#include <taut/models/beam.hpp>
#include <taut/models/vibrating_string.hpp>
#include <unordered_map>

namespace taut {

/// A quantity along a beam or string that a model gives as an expression of s (or x) and t, with its slope along it.
struct AlongFunction {
  std::function<double(double s, double t)> value, slope;
  bool constant = false;  ///< a number
  bool steady = false;    ///< without t
};

/// What holds an end of a beam: x = a(t), or x′ = a(t)/|a(t)|.
struct BeamSupport {
  Item item;               ///< for messages
  bool start = true;       ///< which end
  bool direction = false;  ///< its tangent
  std::array<Graph::Node, 3> at{};
  std::optional<Item> roll{};                         ///< of a clamp of a rod, which holds all of the frame:
  std::array<std::array<Graph::Node, 3>, 3> frame{};  ///< e₁, e₂, e₃
  std::string name;
  std::optional<double> release{};
};

/// A beam clamped to another at an angle.
struct BeamCorner {
  int other_tangent;
  bool start;  ///< which end of this one
  double angle;
};

/// A beam as its section gives it.
struct BeamEntry {
  std::string name;
  Item item;  ///< for messages
  BeamOptions options;
  std::vector<BeamSupport> supports{};
  std::vector<BeamCorner> corners{};
  std::vector<std::pair<std::string, double>> marks{};
  std::optional<Curve> shape{}, velocity{};
  std::optional<double> twist{};  ///< of a rod at the start
  std::vector<Beam::Load> loads{}, follower_loads{};
  struct NodeForce {
    int node;
    bool constant = true;
    std::function<std::array<double, 3>(double t)> force{};  ///< none: a follower
    double along = 0.0, across = 0.0;
    std::optional<std::array<double, 3>> directors{};                            ///< or a force along the directors
    std::function<std::array<double, 3>(double t)> moment{}, follower_moment{};  ///< on a rod
    Item item;                                                                   ///< for messages
  };
  std::vector<NodeForce> forces{};
  std::optional<Beam> beam{};  ///< once its points are numbered
};

struct StringEntry {
  std::string name;
  VibratingString string;
  std::optional<AlongFunction> load{}, shape{}, velocity{};
};

/// The beams and strings of a model.
struct Continua {
  std::vector<BeamEntry> beams{};
  std::vector<StringEntry> strings{};
  std::unordered_map<std::string, std::size_t> beam_index{}, string_index{};
  int points = 0;  ///< of beams, that are their own
};

}  // namespace taut
