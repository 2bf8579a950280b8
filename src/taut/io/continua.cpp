#include <algorithm>
#include <cmath>
#include <taut/expression/parse.hpp>
#include <taut/io/continua.hpp>

namespace taut {
namespace {

constexpr int most_elements = 100'000;

const std::vector<std::string> beam_keys{"length",       "elements",      "nodes",  "density", "stiffness", "damping",
                                         "inextensible", "slack",         "start",  "end",     "shape",     "velocity",
                                         "load",         "follower_load", "forces", "marks"};
const std::vector<std::string> string_keys{"length", "elements", "density", "tension", "damping",
                                           "mass",   "ends",     "load",    "shape",   "velocity"};

bool truth(const Item& item) {
  const std::string word = item.word();
  if (word != "true" && word != "false") item.fail(message("must be true or false, got '{}'", word));
  return word == "true";
}

/// One of several words.
template <class Value> Value one_of(const Item& item, const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string word = item.word();
  std::string known;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + name;
  }
  item.fail(message("must be one of {}, got '{}'", known, word));
}

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

}  // namespace

int Continua::elements(const Item& item) const {
  const double count = reader_.number(item);
  if (!(count >= 1.0 && count <= most_elements) || count != std::round(count))
    item.fail(message("must be a whole number from 1 to {}, got {}", most_elements, item.word()));
  return int(count);
}

Profile Continua::profile(const Item& item, const std::string& variable) const {
  const AlongFunction f = reader_.along(item, variable);
  if (f.constant) return f.value(0.0, 0.0);
  if (!f.steady) item.fail("must not depend on time");
  return std::function<double(double)>([value = f.value](double s) { return value(s, 0.0); });
}

BeamEnd Continua::read_end(const std::string& beam, const std::string& which, const Item& item,
                           const std::map<std::string, int>& masses) {
  BeamEnd end;
  std::optional<Item> place, direction;
  std::optional<double> release, angle;
  std::string other_end = "end", joint = "pinned";
  const NamedBeam* other = nullptr;
  for (const auto& [key, one] :
       item.entries({"pinned", "clamped", "direction", "release", "mass", "beam", "at", "joint", "angle"})) {
    if (key == "pinned" || key == "clamped") {
      if (place) item.fail("is either pinned or clamped");
      place = one;
      reader_.axes(one);
      end.tangent_given = key == "clamped";
    }
    if (key == "direction") direction = one;
    if (key == "release") release = reader_.number(one);
    if (key == "mass") {
      const auto found = masses.find(one.word());
      if (found == masses.end()) one.fail(message("there is no mass '{}'", one.word()));
      end.point = found->second;
    }
    if (key == "beam") {
      const std::string name = one.word();
      const auto found = std::find_if(beams_.begin(), beams_.end(), [&](const auto& b) { return b.name == name; });
      if (found == beams_.end()) one.fail(message("there is no beam '{}' before this one", name));
      other = &*found;
    }
    if (key == "at") other_end = one_of<std::string>(one, {{"start", "start"}, {"end", "end"}});
    if (key == "joint") joint = one_of<std::string>(one, {{"pinned", "pinned"}, {"clamped", "clamped"}});
    if (key == "angle") angle = reader_.number(one);
  }
  bool joined = false;
  for (const auto& [key, one] : item.entries())
    if (key == "joint" || key == "at" || key == "angle") {
      joined = true;
      if (other == nullptr) one.fail("goes with another `beam` only");
    }
  if (joined && angle && joint == "pinned") item.fail("an `angle` is kept by joint: clamped");
  if (int(place.has_value()) + int(end.point >= 0) + int(other != nullptr) > 1)
    item.fail("is held at a place, or is a mass, or the end of another beam: one of them");
  if (end.tangent_given && !direction) item.fail("a clamped end needs a `direction`");
  if (direction && !end.tangent_given) direction->fail("only a clamped end has one");
  if (release && !place) item.fail("nothing holds it that could be released");
  if (other != nullptr) {
    const int node = other_end == "start" ? 0 : other->beam.nodes() - 1;
    end.point = other->beam.position(node);
    // Beams that go on in the same direction share the tangent; others keep their angle.
    if (joint == "clamped" && !angle) end.tangent = other->beam.tangent(node);
    if (joint == "clamped" && angle) corners_.push_back({other->beam.tangent(node), -1, *angle});
  }
  const std::string name = beam + " " + which;
  if (place) supports_.push_back({which == "start" ? -1 : -2, *place, false, name, release});
  if (direction) supports_.push_back({which == "start" ? -3 : -4, *direction, true, name + " clamp", release});
  return end;
}

void Continua::read_beam(const std::string& name, const Item& item, const std::map<std::string, int>& masses,
                         int first_point) {
  if (reader_.dim == 1) item.fail("a beam needs 2 or 3 dimensions");
  BeamOptions options{.name = name};
  const std::size_t first_support = supports_.size(), first_corner = corners_.size();
  std::size_t corners_of_start = first_corner;
  bool has_length = false;
  const auto entries = item.entries(beam_keys);
  for (const auto& [key, one] : entries) {
    if (key == "length") {
      options.length = reader_.number(one);
      has_length = true;
    }
    if (key == "elements") options.elements = elements(one);
    if (key == "nodes")
      for (const Item& node : one.list()) options.nodes.push_back(reader_.number(node));
    if (key == "density") options.density = profile(one, "s");
    if (key == "stiffness") options.stiffness = profile(one, "s");
    if (key == "damping")
      for (const auto& [which, value] : one.entries({"mass", "stiffness"}))
        (which == "mass" ? options.mass_damping : options.stiffness_damping) = reader_.number(value);
    if (key == "slack") options.slack = truth(one);
    if (key == "inextensible")
      options.inextensible = one_of<Placement>(one, {{"simpson", Placement::simpson},
                                                     {"nodes", Placement::nodes},
                                                     {"midpoints", Placement::midpoints},
                                                     {"gauss2", Placement::gauss2},
                                                     {"gauss3", Placement::gauss3},
                                                     {"gauss4", Placement::gauss4}});
    if (key == "start") {
      options.start = read_end(name, "start", one, masses);
      corners_of_start = corners_.size();
    }
    if (key == "end") options.end = read_end(name, "end", one, masses);
  }
  if (!has_length) item.fail("needs a `length`");
  const Beam beam = located(item, [&] { return Beam(options, reader_.dim, first_point); });
  const int last = beam.nodes() - 1;
  for (std::size_t k = first_support; k < supports_.size(); ++k) {
    int& point = supports_[k].point;
    point = point == -1   ? beam.position(0)
            : point == -2 ? beam.position(last)
            : point == -3 ? beam.tangent(0)
                          : beam.tangent(last);
  }
  for (std::size_t k = first_corner; k < corners_.size(); ++k)
    corners_[k].second = beam.tangent(k < corners_of_start ? 0 : last);
  beams_.push_back({name, beam, item});
  for (const auto& [key, one] : entries)
    if (key == "marks")
      for (const auto& [mark, place] : one.entries()) {
        const double s = reader_.number(place);
        if (mark == "start" || mark == "end" || mark.empty() || std::isdigit(static_cast<unsigned char>(mark[0])))
          place.fail(message("'{}' has a meaning already", mark));
        if (!(s >= 0.0 && s <= options.length)) place.fail(message("must lie between 0 and {}, got {}", options.length, s));
        marks_.push_back({name + "." + mark, int(beams_.size()) - 1, s});
      }
}

void Continua::read_string(const std::string& name, const Item& item) {
  StringOptions options{.name = name};
  for (const auto& [key, one] : item.entries(string_keys)) {
    if (key == "length") options.length = reader_.number(one);
    if (key == "elements") options.elements = elements(one);
    if (key == "density") options.density = profile(one, "x");
    if (key == "tension") options.tension = profile(one, "x");
    if (key == "damping") options.damping = profile(one, "x");
    if (key == "mass") options.lumped = one_of<bool>(one, {{"lumped", true}, {"consistent", false}});
    if (key == "ends") {
      const std::vector<Item> ends = one.list();
      if (ends.size() != 2) one.fail("needs two words: [fixed, free]");
      const std::vector<std::pair<std::string, bool>> kinds{{"fixed", true}, {"free", false}};
      options.fixed_start = one_of<bool>(ends[0], kinds);
      options.fixed_end = one_of<bool>(ends[1], kinds);
    }
  }
  strings_.push_back({name, located(item, [&] { return VibratingString(options); }), item});
}

int Continua::beam_points() const {
  int count = 0;
  for (const NamedBeam& one : beams_) count += one.beam.points();
  return count;
}

int Continua::string_coordinates() const {
  int count = 0;
  for (const NamedString& one : strings_) count += one.string.coordinates();
  return count;
}

void Continua::number_strings(int first_coordinate) {
  for (NamedString& one : strings_) {
    one.string = VibratingString(one.string.options(), first_coordinate);
    first_coordinate += one.string.coordinates();
  }
}

Beam::Load Continua::load(const Item& item) const {
  std::vector<std::function<double(double, double)>> parts;
  for (const Item& axis : reader_.axes(item)) parts.push_back(reader_.along(axis, "s").value);
  return [parts](double s, double t) {
    std::array<double, 3> out{};
    for (std::size_t d = 0; d < parts.size(); ++d) out[d] = parts[d](s, t);
    return out;
  };
}

void Continua::add_force(const NamedBeam& named, const Item& item, System& system) const {
  const Beam& beam = named.beam;
  int node = beam.nodes() - 1;
  std::optional<Item> force, follower;
  for (const auto& [key, one] : item.entries({"at", "force", "follower"})) {
    if (key == "at") {
      const double s = reader_.number(one);
      if (!(s >= 0.0 && s <= beam.options().length))
        one.fail(message("must lie between 0 and {}, got {}", beam.options().length, s));
      node = beam.node_near(s);
      if (std::abs(beam.s(node) - s) > 1e-9 * beam.options().length)
        one.fail(message("a force acts on a node, and the nearest is at {}", beam.s(node)));
    }
    if (key == "force") force = one;
    if (key == "follower") follower = one;
  }
  if (!force && !follower) item.fail("needs a `force`, or a `follower` force that turns with the beam");
  if (force) {
    bool constant = true;
    for (const Item& axis : reader_.axes(*force)) constant = constant && reader_.along(axis, "s").constant;
    const Beam::Load given = load(*force);
    const double s = beam.s(node);
    if (constant)
      beam.add_force(system, node, given(s, 0.0));
    else
      beam.add_force(system, node, [given, s](double t) { return given(s, t); });
  }
  if (follower) {
    const std::vector<Item> parts = follower->list();
    if (parts.size() != 2) follower->fail("needs two numbers: along the tangent, and across it to the left");
    located(*follower, [&] { beam.add_follower(system, node, reader_.number(parts[0]), reader_.number(parts[1])); });
  }
}

void Continua::add_to(System& system, const std::array<double, 3>& gravity) const {
  for (const NamedBeam& one : beams_) {
    one.beam.add_to(system);
    one.beam.add_weight(system, gravity);
    for (const auto& [key, item] : one.item.entries()) {
      if (key == "load") one.beam.add_load(system, load(item));
      if (key == "follower_load") {
        const std::vector<Item> parts = item.list();
        if (parts.size() != 2) item.fail("needs two expressions: along the tangent, and across it to the left");
        const auto along = reader_.along(parts[0], "s"), across = reader_.along(parts[1], "s");
        if (reader_.dim == 3 && !(across.constant && across.value(0.0, 0.0) == 0.0))
          parts[1].fail("must be 0 in space: a beam without torsion has no normal");
        one.beam.add_follower_load(system, [along, across](double s, double t) {
          return std::array<double, 3>{along.value(s, t), across.value(s, t), 0.0};
        });
      }
      if (key == "forces")
        for (const Item& force : item.list()) add_force(one, force, system);
    }
  }
  for (const Corner& corner : corners_) add_corner(system, corner.first, corner.second, corner.angle);
  for (const NamedString& one : strings_) {
    one.string.add_to(system);
    for (const auto& [key, item] : one.item.entries()) {
      if (key != "load") continue;
      const AlongFunction f = reader_.along(item, "x");
      if (f.constant)
        one.string.add_load(system, f.value(0.0, 0.0));
      else
        one.string.add_load(system, f.value);
    }
  }
}

const VibratingString& Continua::string(const Item& item) const {
  const std::string name = item.word();
  std::vector<std::string> known;
  for (const NamedString& one : strings_) {
    if (one.name == name) return one.string;
    known.push_back(one.name);
  }
  const std::string near = nearest(name, known);
  item.fail(message("there is no string '{}'", name) + (near.empty() ? "" : message("; did you mean '{}'?", near)));
}

void Continua::read_contact(const Item& item, System& system) const {
  const VibratingString *upper = nullptr, *lower = nullptr;
  std::optional<AlongFunction> floor, ceiling;
  double distance = 0.0;
  const auto side = [&](const Item& one, const VibratingString*& string, std::optional<AlongFunction>& height) {
    const bool named = std::any_of(strings_.begin(), strings_.end(), [&](const auto& s) { return s.name == one.word(); });
    if (named) {
      string = &this->string(one);
    } else {
      height = reader_.along(one, "x");
      if (!height->steady) one.fail("an obstacle does not move");
    }
  };
  for (const auto& [key, one] : item.entries({"above", "below", "distance"})) {
    if (key == "above") side(one, upper, ceiling);
    if (key == "below") side(one, lower, floor);
    if (key == "distance") distance = reader_.number(one);
  }
  if ((upper == nullptr && lower == nullptr) || (upper == nullptr && !ceiling) || (lower == nullptr && !floor))
    item.fail("needs a string `above` and one `below`; either may be an obstacle, an expression of x");
  located(item, [&] {
    const auto height = [&](const AlongFunction& f, double shift) {
      return [value = f.value, shift](double x) { return value(x, 0.0) + shift; };
    };
    if (upper != nullptr && lower != nullptr)
      add_contact(system, *upper, *lower, distance);
    else if (upper != nullptr)
      add_obstacle(system, *upper, height(*floor, distance), false);
    else
      add_obstacle(system, *lower, height(*ceiling, -distance), true);
  });
}

void Continua::read_coupling(const Item& item, System& system) const {
  std::vector<Item> ends;
  double stiffness = -1.0;
  for (const auto& [key, one] : item.entries({"between", "stiffness"})) {
    if (key == "between") ends = one.list();
    if (key == "stiffness") stiffness = reader_.number(one);
  }
  if (ends.size() != 2) item.fail("needs two strings: between: [u, v]");
  if (!(stiffness >= 0.0)) item.fail("needs a `stiffness` that is not negative");
  located(item, [&] { couple(system, string(ends[0]), string(ends[1]), stiffness); });
}

Curve Continua::shape(const Item& item) const {
  std::vector<AlongFunction> parts;
  for (const Item& axis : reader_.axes(item)) {
    parts.push_back(reader_.along(axis, "s"));
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

void Continua::place(Vector& q, Vector& v) const {
  for (const NamedBeam& one : beams_) {
    const Beam& beam = one.beam;
    // Without a shape: from the start to the end if both are held or given, hanging; otherwise straight.
    std::optional<Curve> curve;
    for (const auto& [key, item] : one.item.entries()) {
      if (key == "shape") curve = shape(item);
      if (key == "velocity") beam.place(shape(item), v);
    }
    if (!curve) {
      const auto known = [&](int point, const BeamEnd& end, std::array<double, 3>& at) {
        for (const Support& support : supports_) {
          if (support.point != point || support.direction) continue;
          const std::vector<Item> axes = reader_.axes(support.at);
          for (int d = 0; d < reader_.dim; ++d) at[d] = reader_.along(axes[d], "s").value(0.0, 0.0);
          return true;
        }
        if (end.point < 0) return false;
        for (int d = 0; d < reader_.dim; ++d) at[d] = q[reader_.dim * point + d];
        return true;
      };
      std::array<double, 3> from{}, to{}, direction{1.0, 0.0, 0.0};
      const bool start = known(beam.position(0), beam.options().start, from);
      const bool end = known(beam.position(beam.nodes() - 1), beam.options().end, to);
      const int tangent = beam.tangent(end && !start ? beam.nodes() - 1 : 0);
      for (const Support& support : supports_)
        if (support.direction && support.point == tangent) {
          const std::vector<Item> axes = reader_.axes(support.at);
          for (int d = 0; d < reader_.dim; ++d) direction[d] = reader_.along(axes[d], "s").value(0.0, 0.0);
        }
      if (beam.options().start.tangent >= 0)
        for (int d = 0; d < reader_.dim; ++d) direction[d] = q[reader_.dim * tangent + d];
      curve = located(one.item, [&] {
        if (start && end) return hanging(from, to, beam.options().length, reader_.dim);
        if (!end) return straight(from, direction);
        const double size = std::hypot(direction[0], direction[1], direction[2]);
        for (int d = 0; d < reader_.dim; ++d) from[d] = to[d] - beam.options().length / size * direction[d];
        return straight(from, direction);
      });
    }
    // Places that are another's stay as they are.
    const Vector before = q;
    beam.place(*curve, q);
    for (const auto& [end, node] : {std::pair(&beam.options().start, 0), {&beam.options().end, beam.nodes() - 1}})
      for (int d = 0; d < reader_.dim; ++d) {
        if (end->point >= 0) q[reader_.dim * end->point + d] = before[reader_.dim * end->point + d];
        if (end->tangent >= 0) q[reader_.dim * end->tangent + d] = before[reader_.dim * end->tangent + d];
      }
  }
  for (const NamedString& one : strings_)
    for (const auto& [key, item] : one.item.entries()) {
      if (key != "shape" && key != "velocity") continue;
      const AlongFunction f = reader_.along(item, "x");
      if (!f.steady) item.fail("an initial value does not depend on time");
      one.string.place([&](double x) { return f.value(x, 0.0); }, key == "shape" ? q : v);
    }
}

std::vector<std::string> Continua::coordinate_names() const {
  std::vector<std::string> names;
  for (const NamedBeam& one : beams_) {
    const int last = one.beam.nodes() - 1;
    for (int k = 0; k <= last; ++k) {
      const BeamEnd* end = k == 0 ? &one.beam.options().start : (k == last ? &one.beam.options().end : nullptr);
      const std::string node = one.name + "." + std::to_string(k) + ".";
      for (int d = 0; d < reader_.dim && (end == nullptr || end->point < 0); ++d) names.push_back(node + "xyz"[d]);
      for (int d = 0; d < reader_.dim && (end == nullptr || end->tangent < 0); ++d) names.push_back(node + "t" + "xyz"[d]);
    }
  }
  for (const NamedString& one : strings_)
    for (int k = 0; k < one.string.nodes(); ++k)
      if (one.string.coordinate(k) >= 0) names.push_back(one.name + "." + std::to_string(k));
  return names;
}

}  // namespace taut
