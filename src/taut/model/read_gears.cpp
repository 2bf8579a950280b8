#include <taut/model/readers.hpp>

namespace taut {

/// Wheels in mesh, or a rack and its pinion: the second coordinate moves `ratio` times as far as the first, from where both are at the start.
void read_gear(const Item& item, Draft& draft) {
  std::vector<Item> between;
  std::optional<double> ratio;
  std::string name;
  const auto set = [&](const Item& one, double value) {
    if (ratio) one.fail("one of `ratio`, `teeth` and `radius` is enough");
    if (value == 0.0) one.fail("must not be zero");
    ratio = value;
  };
  for (const auto& [key, one] : item.entries(forms().gear.keys)) {
    if (key == "between") between = one.list();
    if (key == "name") name = one.word();
    if (key == "ratio" || key == "radius") set(one, draft.number(one));
    if (key != "teeth") continue;
    const std::vector<Item> teeth = one.list();
    if (teeth.size() != 2) one.fail("needs those of the first wheel and of the second");
    const double second = draft.number(teeth[1]);
    if (second == 0.0) teeth[1].fail("must not be zero");
    set(one, -draft.number(teeth[0]) / second);  // wheels outside each other turn against each other
  }
  if (between.size() != 2) item.fail("needs two coordinates of joints: between: [phi1, phi2]");
  if (!ratio) item.fail("needs a `ratio`, the numbers of `teeth`, or the `radius` of a pinion");
  std::array<int, 2> q{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string& word = between[k].word();
    if (!draft.joint_coordinates.contains(word)) {
      const std::vector<std::string> known(draft.joint_coordinates.begin(), draft.joint_coordinates.end());
      between[k].fail(unknown("angle or travel of a joint", word, known));
    }
    q[k] = draft.coordinate(between[k], word);
  }
  if (q[0] == q[1]) item.fail("both coordinates are the same");
  Graph& graph = *draft.graph;
  const auto moved = [&](int i) { return graph.subtract(graph.variable(draft.numbering.q(i)), graph.constant(draft.q[i])); };
  const Graph::Node g = graph.subtract(moved(q[1]), graph.multiply(graph.constant(*ratio), moved(q[0])));
  if (name.empty()) name = "gear " + between[0].word() + "-" + between[1].word();
  draft.add_constraint(item, g, Set::zero, name);
}

}  // namespace taut
