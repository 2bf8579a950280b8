#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/mesh_forms.hpp>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>
#include <taut/system/contact.hpp>

namespace taut {
namespace {

using Node = Graph::Node;

/// Radii of the balls around both places; a place without one is a point.
std::pair<double, double> radii(const Item& item, Draft& draft) {
  const std::vector<Item> two = item.is_list() ? item.list() : std::vector<Item>{item};
  if (two.empty() || two.size() > 2) item.fail("needs one number, or one for each place");
  std::array<double, 2> out{};
  for (std::size_t k = 0; k < two.size(); ++k) {
    out[k] = draft.number(two[k]);
    if (!(out[k] >= 0.0)) two[k].fail(message("must not be negative, got {}", out[k]));
  }
  return {out[0], out[1]};
}

}  // namespace

/// Balls or points that do not go through each other, |b − a| ≥ r; that stay inside each other, |b − a| ≤ r; or in front of a plane that a body carries,
/// n·(b − a) ≥ r. Inside, the square serves, (r² − |b − a|²)/2r, because the middles may meet.
void read_touch(const Item& item, Draft& draft) {
  std::vector<Item> between;
  std::optional<Item> radius, normal;
  bool inside = false;
  std::string name;
  for (const auto& [key, one] : item.entries(forms().touch.keys)) {
    if (key == "between") between = one.list();
    if (key == "radius") radius = one;
    if (key == "normal") normal = one;
    if (key == "inside") inside = Draft::truth(one);
    if (key == "name") name = one.word();
  }
  if (between.size() != 2) item.fail("needs two places: between: [A, B]");
  const Spot &a = draft.spot(between[0]), &b = draft.spot(between[1]);
  if (!a.massive && !b.massive) item.fail("neither place has a mass");
  if (name.empty()) name = "contact " + between[0].word() + "-" + between[1].word();
  const auto [first, second] = radius ? radii(*radius, draft) : std::pair(0.0, 0.0);
  Graph& graph = *draft.graph;
  Node gap = -1;
  if (normal) {
    if (inside) item.fail("a plane has no inside; turn its normal round");
    VectorNode n = constant_vector(graph, Eigen::Vector3d::Zero()), d = n;
    if (normal->is_list()) {
      n = constant_vector(graph, read_direction(*normal, draft));
    } else {
      const std::string& word = normal->word();
      const std::size_t dot_at = word.find('.');
      const auto body = draft.body_index.find(word.substr(0, dot_at));
      if (dot_at == std::string::npos || body == draft.body_index.end())
        normal->fail("must be a direction, or an axis of a body such as table.up");
      const BodyEntry& of = draft.bodies[body->second];
      n = body_vector(of, of.axis(*normal, word.substr(dot_at + 1)), draft);
    }
    for (int k = 0; k < draft.dim; ++k) d[std::size_t(k)] = graph.subtract(b.x[k], a.x[k]);
    gap = graph.subtract(dot(graph, n, d), graph.constant(first + second));
  } else {
    const double r = inside ? std::abs(first - second) : first + second;
    if (!(r > 0.0)) item.fail(inside ? "two radii that differ are needed" : "needs a `radius`, or the `normal` of a plane");
    const Node square = draft.squared_distance(a, b);
    gap = inside ? graph.multiply(graph.constant(0.5 / r), graph.subtract(graph.constant(r * r), square))
                 : graph.subtract(graph.make(Op::sqrt, square), graph.constant(r));
  }
  draft.add_constraint(item, gap, Set::nonnegative, name);
}

const Beam& beam_named(const Item& item, const Draft& draft) {
  const auto found = draft.continua.beam_index.find(item.word());
  if (found != draft.continua.beam_index.end()) return *draft.continua.beams[found->second].beam;
  std::vector<std::string> known;
  for (const BeamEntry& one : draft.continua.beams) known.push_back(one.name);
  item.fail(unknown("beam", item.word(), known));
}

std::vector<ContactPiece> pieces_of(const Beam& beam, const std::string& name, double radius) {
  const auto curve = std::make_shared<const std::string>(name);
  std::vector<ContactPiece> out;
  for (int e = 0; e + 1 < beam.nodes(); ++e)
    out.push_back({{beam.dim() * beam.position(e), beam.dim() * beam.position(e + 1)},
                   radius,
                   beam.s(e),
                   beam.s(e + 1) - beam.s(e),
                   curve});
  return out;
}

/// Beams as tubes that do not go through each other, or themselves.
void read_tubes(const Item& item, Draft& draft) {
  static const Form form = tube_form();
  std::vector<Item> beams;
  std::optional<Item> radius;
  std::string name;
  for (const auto& [key, one] : item.entries(form.keys)) {
    if (key == "beams") beams = one.is_list() ? one.list() : std::vector<Item>{one};
    if (key == "radius") radius = one;
    if (key == "name") name = one.word();
  }
  if (beams.empty() || !radius) item.fail("needs `beams` and their `radius`");
  if (draft.dim < 2) item.fail("needs 2 or 3 dimensions");
  const std::vector<Item> sizes = radius->is_list() ? radius->list() : std::vector<Item>{*radius};
  if (sizes.size() != 1 && sizes.size() != beams.size()) radius->fail("needs one number, or one for each beam");
  std::vector<ContactPiece> pieces;
  std::string all;
  for (std::size_t k = 0; k < beams.size(); ++k) {
    const Item& size = sizes[sizes.size() == 1 ? 0 : k];
    const double r = draft.number(size);
    if (!(r > 0.0)) size.fail(message("must be positive, got {}", r));
    const Beam& beam = beam_named(beams[k], draft);
    draw_thickness(draft, beams[k].word(), r);
    for (ContactPiece& piece : pieces_of(beam, beams[k].word(), r)) pieces.push_back(std::move(piece));
    all += (all.empty() ? "" : ", ") + beams[k].word();
  }
  if (name.empty()) name = "contact of " + all;
  draft.system->add_block(std::make_unique<ContactBlock>(std::move(pieces), draft.dim, name));
}

}  // namespace taut
