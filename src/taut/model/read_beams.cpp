#include <algorithm>
#include <cmath>
#include <taut/expression/kinks.hpp>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>

namespace taut {
namespace {

constexpr int most_elements = 100'000;

/// One of several words.
template <class Value> Value one_word(const Item& item, const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string& word = item.word();
  std::string known;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + name;
  }
  item.fail(message("must be one of {}, got '{}'", known, word));
}

/// An expression of one variable along a beam or string, and of time.
AlongFunction along(const Item& item, const std::string& variable, Draft& draft) {
  Graph graph;
  Scope scope = draft.numbers_in(graph);
  scope.symbols[variable] = graph.variable(0);
  scope.symbols["t"] = graph.variable(1);
  const std::string& text = item.word();
  const Graph::Node node = [&] {
    try {
      return parse(graph, scope, text);
    } catch (const ExpressionError& error) {
      item.fail(message("{}, at character {} of \"{}\"", error.what(), error.position + 1, excerpt(text, error.position)));
    }
  }();
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
    draft.along_jumps.push_back(
        [kept = std::make_shared<const Graph>(graph)](double from, double to) { return kinks_in_time(*kept, 1, from, to); });
  return out;
}

int elements(const Item& item, Draft& draft) {
  const double count = draft.number(item);
  if (!(count >= 1.0 && count <= most_elements) || count != std::round(count))
    item.fail(message("must be a whole number from 1 to {}, got {}", most_elements, item.word()));
  return int(count);
}

Profile profile(const Item& item, const std::string& variable, Draft& draft) {
  const AlongFunction f = along(item, variable, draft);
  if (f.constant) return f.value(0.0, 0.0);
  if (!f.steady) item.fail("must not depend on time");
  return std::function<double(double)>([value = f.value](double s) { return value(s, 0.0); });
}

Curve shape(const Item& item, Draft& draft) {
  std::vector<AlongFunction> parts;
  for (const Item& axis : draft.axes(item)) {
    parts.push_back(along(axis, "s", draft));
    if (!parts.back().steady) axis.fail("an initial shape does not depend on time");
  }
  return [parts](double s) {
    Frame out;
    for (std::size_t d = 0; d < parts.size(); ++d) {
      out.x[d] = parts[d].value(s, 0.0);
      out.tangent[d] = parts[d].slope(s, 0.0);
    }
    return out;
  };
}

std::vector<AlongFunction> along_axes(const Item& item, Draft& draft) {
  std::vector<AlongFunction> parts;
  for (const Item& axis : draft.axes(item)) parts.push_back(along(axis, "s", draft));
  return parts;
}

Beam::Load load(const std::vector<AlongFunction>& parts) {
  return [parts](double s, double t) {
    std::array<double, 3> out{};
    for (std::size_t d = 0; d < parts.size(); ++d) out[d] = parts[d].value(s, t);
    return out;
  };
}

/// Of a rod along its directors; of a beam along the tangent and, in the plane, across it.
Beam::Load follower_load(const Item& item, const Beam& beam, Draft& draft) {
  const std::vector<Item> given = item.list();
  if (beam.is_rod() && given.size() != 3) item.fail("of a rod needs three expressions: along its directors d1, d2, d3");
  if (!beam.is_rod() && given.size() != 2) item.fail("needs two expressions: along the tangent, and across it to the left");
  std::vector<AlongFunction> parts;
  for (const Item& one : given) parts.push_back(along(one, "s", draft));
  if (!beam.is_rod() && draft.dim == 3 && !(parts[1].constant && parts[1].value(0.0, 0.0) == 0.0))
    given[1].fail("must be 0 in space: a beam without torsion has no normal; give the torsional stiffness `GJ`");
  return load(parts);
}

/// What is said about an end, before it is known what goes together.
struct EndWords {
  std::optional<Item> place, direction, roll, alone;  ///< alone: what goes with another beam only
  std::optional<double> release, angle;
  const BeamEntry* other = nullptr;
  bool at_start = false, clamped_joint = false;
};

EndWords end_words(const Item& item, Draft& draft, BeamEnd& end) {
  EndWords out;
  for (const auto& [key, one] : item.entries(forms().beam_end.keys)) {
    if (key == "pinned" || key == "clamped") {
      if (out.place) item.fail("is either pinned or clamped");
      out.place = one;
      draft.axes(one);
      end.tangent_given = key == "clamped";
    }
    if (key == "direction") out.direction = one;
    if (key == "roll") out.roll = one;
    if (key == "release") out.release = draft.number(one);
    if (key == "mass") {
      const auto found = draft.mass_index.find(one.word());
      if (found == draft.mass_index.end()) one.fail(message("there is no mass '{}'", one.word()));
      end.point = found->second;
    }
    if (key == "beam") {
      const auto found = draft.continua.beam_index.find(one.word());
      if (found == draft.continua.beam_index.end()) one.fail(message("there is no beam '{}' before this one", one.word()));
      out.other = &draft.continua.beams[found->second];
    }
    if (key == "at") out.at_start = one_word<bool>(one, {{"start", true}, {"end", false}});
    if (key == "joint") out.clamped_joint = one_word<bool>(one, {{"pinned", false}, {"clamped", true}});
    if (key == "angle") out.angle = draft.number(one);
    if ((key == "joint" || key == "at" || key == "angle") && !out.alone) out.alone = one;
  }
  return out;
}

BeamEnd read_end(BeamEntry& entry, bool start, const Item& item, Draft& draft) {
  BeamEnd end;
  const EndWords said = end_words(item, draft, end);
  if (said.alone && said.other == nullptr) said.alone->fail("goes with another `beam` only");
  if (said.angle && !said.clamped_joint) item.fail("an `angle` is kept by joint: clamped");
  if (int(said.place.has_value()) + int(end.point >= 0) + int(said.other != nullptr) > 1)
    item.fail("is held at a place, or is a mass, or the end of another beam: one of them");
  if (end.tangent_given && !said.direction) item.fail("a clamped end needs a `direction`");
  if (said.direction && !end.tangent_given) said.direction->fail("only a clamped end has one");
  if (said.release && !said.place) item.fail("nothing holds it that could be released");
  const bool rod = entry.options.rod.has_value();
  if (said.roll && !rod) said.roll->fail("a beam without torsion has no roll; give the torsional stiffness `GJ`");
  if (said.roll && !end.tangent_given) said.roll->fail("only a clamped end has one");
  if (rod && end.tangent_given && !said.roll)
    item.fail("a clamped end of a rod needs a `roll`: the direction of d1, across the tangent, or an angle about it");
  if (said.other != nullptr) {
    const Beam& other = *said.other->beam;
    const int node = said.at_start ? 0 : other.nodes() - 1;
    end.point = other.position(node);
    // Beams that go on in the same direction share the tangent; others keep their angle.
    if (said.clamped_joint && !said.angle) end.tangent = other.tangent(node);
    if (said.clamped_joint && rod) {
      if (!other.is_rod()) item.fail("a rod is clamped to another rod, and that beam has no torsion; give it a `GJ`");
      if (said.angle) item.fail("rods are clamped in one direction; for another one put a body between, and joints");
      end.director = other.director(node, 1);
    }
    if (said.clamped_joint && said.angle) entry.corners.push_back({other.tangent(node), start, *said.angle});
  }
  const auto hold = [&](const Item& where, bool direction) {
    BeamSupport support{.item = where, .start = start, .direction = direction, .name = entry.name};
    support.name += start ? " start" : " end";
    if (direction) support.name += " clamp";
    support.release = said.release;
    const std::vector<Item> parts = draft.axes(where);
    for (int k = 0; k < draft.dim; ++k) support.at[k] = draft.of_time(parts[k]);
    if (direction && rod) {
      support.roll = said.roll;
      read_clamp(support, draft);
    }
    entry.supports.push_back(std::move(support));
  };
  if (said.place) hold(*said.place, false);
  if (said.direction) hold(*said.direction, true);
  return end;
}

void read_body(BeamEntry& entry, Draft& draft) {
  BeamOptions& options = entry.options;
  bool has_length = false;
  read_rod_section(entry, draft);
  for (const auto& [key, one] : entry.item.entries(forms().beam.keys)) {
    if (key == "length") {
      options.length = draft.number(one);
      has_length = true;
    }
    if (key == "elements") options.elements = elements(one, draft);
    if (key == "nodes")
      for (const Item& node : one.list()) options.nodes.push_back(draft.number(node));
    if (key == "density") options.density = profile(one, "s", draft);
    if (key == "stiffness") options.stiffness = profile(one, "s", draft);
    if (key == "damping")
      for (const auto& [which, value] : one.entries(forms().beam_damping.keys))
        (which == "mass" ? options.mass_damping : options.stiffness_damping) = draft.number(value);
    if (key == "slack") options.slack = Draft::truth(one);
    if (key == "inextensible")
      options.inextensible = one_word<Placement>(one, {{"simpson", Placement::simpson},
                                                       {"nodes", Placement::nodes},
                                                       {"midpoints", Placement::midpoints},
                                                       {"gauss2", Placement::gauss2},
                                                       {"gauss3", Placement::gauss3},
                                                       {"gauss4", Placement::gauss4},
                                                       {"none", Placement::none}});
    if (key == "start") options.start = read_end(entry, true, one, draft);
    if (key == "end") options.end = read_end(entry, false, one, draft);
  }
  if (!has_length) entry.item.fail("needs a `length`");
}

BeamEntry::NodeForce read_force(const Beam& beam, const Item& item, Draft& draft) {
  BeamEntry::NodeForce out{.node = beam.nodes() - 1, .item = item};
  std::optional<Item> force, follower;
  const bool rod = beam.is_rod();
  for (const auto& [key, one] : item.entries(forms().beam_force.keys)) {
    if (key == "at") {
      const double s = draft.number(one);
      if (!(s >= 0.0 && s <= beam.options().length))
        one.fail(message("must lie between 0 and {}, got {}", beam.options().length, s));
      out.node = beam.node_near(s);
      if (std::abs(beam.s(out.node) - s) > 1e-9 * beam.options().length)
        one.fail(message("a force acts on a node, and the nearest is at {}", beam.s(out.node)));
    }
    if (key == "force") force = one;
    if (key == "follower") follower = one;
    if (key != "moment" && key != "follower_moment") continue;
    if (!rod) one.fail("a beam without torsion takes no moments; give the torsional stiffness `GJ`");
    (key == "moment" ? out.moment : out.follower_moment) = read_of_time(one, draft);
  }
  if (!force && !follower && !out.moment && !out.follower_moment)
    item.fail("needs a `force`, or a `follower` force that turns with the beam; a rod takes a `moment` too");
  if (force) {
    const std::vector<AlongFunction> parts = along_axes(*force, draft);
    out.constant = std::all_of(parts.begin(), parts.end(), [](const AlongFunction& one) { return one.constant; });
    out.force = [given = load(parts), s = beam.s(out.node)](double t) { return given(s, t); };
  }
  if (follower) {
    const std::vector<Item> parts = follower->list();
    out.item = *follower;
    if (rod) {
      if (parts.size() != 3) follower->fail("of a rod needs three numbers: along its directors d1, d2, d3");
      out.directors = {draft.number(parts[0]), draft.number(parts[1]), draft.number(parts[2])};
      return out;
    }
    if (parts.size() != 2) follower->fail("needs two numbers: along the tangent, and across it to the left");
    out.along = draft.number(parts[0]);
    out.across = draft.number(parts[1]);
  }
  return out;
}

/// What is said about places along the beam, which is there now.
void read_along(BeamEntry& entry, Draft& draft) {
  const Beam& beam = *entry.beam;
  for (const auto& [key, one] : entry.item.entries()) {
    if (key == "twist") entry.twist = draft.number(one);
    if (key == "shape") entry.shape = shape(one, draft);
    if (key == "velocity") entry.velocity = shape(one, draft);
    if (key == "load") entry.loads.push_back(load(along_axes(one, draft)));
    if (key == "follower_load") entry.follower_loads.push_back(follower_load(one, beam, draft));
    if (key == "forces")
      for (const Item& force : one.list()) entry.forces.push_back(read_force(beam, force, draft));
    if (key != "marks") continue;
    for (const auto& [mark, place] : one.entries()) {
      const double s = draft.number(place);
      if (mark == "start" || mark == "end" || mark.empty() || std::isdigit(static_cast<unsigned char>(mark[0])))
        place.fail(message("'{}' has a meaning already", mark));
      if (!(s >= 0.0 && s <= beam.options().length))
        place.fail(message("must lie between 0 and {}, got {}", beam.options().length, s));
      entry.marks.emplace_back(entry.name + "." + mark, s);
    }
  }
}

}  // namespace

Profile read_profile(const Item& item, Draft& draft) { return profile(item, "s", draft); }

std::function<std::array<double, 3>(double)> read_of_time(const Item& item, Draft& draft) {
  return [given = load(along_axes(item, draft))](double t) { return given(0.0, t); };
}

void read_beams(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    if (draft.dim == 1) one.fail("a beam needs 2 or 3 dimensions");
    BeamEntry entry{.name = name, .item = one, .options = {.name = name}};
    read_body(entry, draft);
    entry.options.mass_damping += draft.damping;
    const int first = int(draft.masses.size()) + draft.continua.points;
    entry.beam = located(one, [&] { return Beam(entry.options, draft.dim, first); });
    read_along(entry, draft);
    draft.continua.points += entry.beam->points();
    draft.continua.beam_index.emplace(name, draft.continua.beams.size());
    draft.continua.beams.push_back(std::move(entry));
  }
}

void read_strings(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    StringOptions options{.name = name};
    std::optional<AlongFunction> load, start, velocity;
    const auto steady = [&](const Item& given) {
      AlongFunction f = along(given, "x", draft);
      if (!f.steady) given.fail("an initial value does not depend on time");
      return f;
    };
    for (const auto& [key, part] : one.entries(forms().string.keys)) {
      if (key == "length") options.length = draft.number(part);
      if (key == "elements") options.elements = elements(part, draft);
      if (key == "density") options.density = profile(part, "x", draft);
      if (key == "tension") options.tension = profile(part, "x", draft);
      if (key == "damping") options.damping = profile(part, "x", draft);
      if (key == "mass") options.lumped = one_word<bool>(part, {{"lumped", true}, {"consistent", false}});
      if (key == "load") load = along(part, "x", draft);
      if (key == "shape") start = steady(part);
      if (key == "velocity") velocity = steady(part);
      if (key != "ends") continue;
      const std::vector<Item> ends = part.list();
      if (ends.size() != 2) part.fail("needs two words: [fixed, free]");
      const std::vector<std::pair<std::string, bool>> kinds{{"fixed", true}, {"free", false}};
      options.fixed_start = one_word<bool>(ends[0], kinds);
      options.fixed_end = one_word<bool>(ends[1], kinds);
    }
    if (draft.damping > 0.0)
      options.damping = std::function<double(double)>([c = draft.damping, own = options.damping, density = options.density](
                                                          double x) { return own(x) + c * density(x); });
    draft.continua.string_index.emplace(name, draft.continua.strings.size());
    draft.continua.strings.push_back({name, located(one, [&] { return VibratingString(options); }), load, start, velocity});
  }
}

namespace {

const VibratingString& string_named(const Item& item, const Draft& draft) {
  const auto found = draft.continua.string_index.find(item.word());
  if (found != draft.continua.string_index.end()) return draft.continua.strings[found->second].string;
  std::vector<std::string> known;
  for (const StringEntry& one : draft.continua.strings) known.push_back(one.name);
  item.fail(unknown("string", item.word(), known));
}

}  // namespace

void read_contact(const Item& item, Draft& draft) {
  const std::vector<std::string>& keys = item.tree().keys;
  const auto has = [&](const char* key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  if (has("between")) return read_touch(item, draft);
  if (has("beams")) return read_tubes(item, draft);
  const VibratingString *upper = nullptr, *lower = nullptr;
  std::optional<AlongFunction> floor, ceiling;
  double distance = 0.0;
  const auto side = [&](const Item& one, const VibratingString*& string, std::optional<AlongFunction>& height) {
    if (draft.continua.string_index.contains(one.word())) {
      string = &string_named(one, draft);
    } else {
      height = along(one, "x", draft);
      if (!height->steady) one.fail("an obstacle does not move");
    }
  };
  for (const auto& [key, one] : item.entries(forms().contact.keys)) {
    if (key == "above") side(one, upper, ceiling);
    if (key == "below") side(one, lower, floor);
    if (key == "distance") distance = draft.number(one);
  }
  if ((upper == nullptr && lower == nullptr) || (upper == nullptr && !ceiling) || (lower == nullptr && !floor))
    item.fail("needs a string `above` and one `below`; either may be an obstacle, an expression of x");
  located(item, [&] {
    const auto height = [&](const AlongFunction& f, double shift) {
      return [value = f.value, shift](double x) { return value(x, 0.0) + shift; };
    };
    if (upper != nullptr && lower != nullptr)
      add_contact(*draft.system, *upper, *lower, distance);
    else if (upper != nullptr)
      add_obstacle(*draft.system, *upper, height(*floor, distance), false);
    else
      add_obstacle(*draft.system, *lower, height(*ceiling, -distance), true);
    if (floor) draw_rail(draft, "obstacle", *upper, height(*floor, 0.0));
    if (ceiling) draw_rail(draft, "obstacle", *lower, height(*ceiling, 0.0));
  });
}

void read_coupling(const Item& item, Draft& draft) {
  std::vector<Item> ends;
  double stiffness = -1.0;
  for (const auto& [key, one] : item.entries(forms().coupling.keys)) {
    if (key == "between") ends = one.list();
    if (key == "stiffness") stiffness = draft.number(one);
  }
  if (ends.size() != 2) item.fail("needs two strings: between: [u, v]");
  if (!(stiffness >= 0.0)) item.fail("needs a `stiffness` that is not negative");
  located(item, [&] { couple(*draft.system, string_named(ends[0], draft), string_named(ends[1], draft), stiffness); });
}

}  // namespace taut
