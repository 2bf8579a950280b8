#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <taut/base/require.hpp>
#include <taut/results/output_file.hpp>
#include <taut/results/scene_text.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;
using Place = Scene::Place;
using Link = Scene::Link;
using Curve = Scene::Curve;
using Shape = Scene::Solid::Shape;

constexpr std::array place_kinds{"mass", "node", "point", "mark", "between"};
constexpr std::array link_kinds{"rod", "spring", "damper", "joint"};
constexpr std::array curve_kinds{"beam", "string", "rail"};
constexpr std::array shape_kinds{"box", "sphere", "cylinder", "capsule", "plate", "rod"};

template <class Kind, std::size_t count> Kind kind(const ordered_json& from, const std::array<const char*, count>& names) {
  const std::string word = from.at("kind");
  for (std::size_t k = 0; k < count; ++k)
    if (word == names[k]) return Kind(k);
  throw InputError("unknown kind '" + word + "'");
}

/// JSON piece by piece: a document in memory would take far more room than its text, and models have hundreds of thousands of places.
class SceneWriter {
 public:
  std::string write(const Scene& scene) {
    add("{\"dim\":", scene.dim, ",\"tracks\":", scene.tracks);
    list("places", scene.places, [&](const Place& one) {
      entry(one.name, place_kinds[std::size_t(one.kind)]);
      if (one.track >= 0) add(",\"track\":", one.track);
      if (one.track < 0) vector(",\"x\":", one.x);
    });
    list("links", scene.links, [&](const Link& one) {
      entry(one.name, link_kinds[std::size_t(one.kind)]);
      add(",\"a\":", one.a, ",\"b\":", one.b, ",\"length\":", one.length);
    });
    list("curves", scene.curves, [&](const Curve& one) {
      entry(one.name, curve_kinds[std::size_t(one.kind)]);
      if (!one.places.empty()) numbers(",\"places\":", one.places);
      if (!one.fixed.empty()) rows(",\"fixed\":", one.fixed);
      if (one.radius > 0.0) add(",\"radius\":", one.radius);
      if (!one.stripe.empty()) stripe(one);
    });
    list("planes", scene.planes, [&](const Scene::Plane& one) {
      entry(one.name);
      numbers(",\"normal\":", one.normal);
      add(",\"offset\":", one.offset);
    });
    list("solids", scene.solids, [&](const Scene::Solid& one) { solid(one); });
    list("reactions", scene.reactions, [&](const Scene::Reaction& one) {
      entry(one.name);
      add(",\"place\":", one.place, ",\"row\":", one.row);
      if (one.other >= 0) add(",\"other\":", one.other);
      if (one.other < 0) numbers(",\"direction\":", one.direction);
    });
    return std::move(out_) + "}";
  }

 private:
  template <class... Parts> void add(const Parts&... parts) { (put(parts), ...); }
  void put(const char* text) { out_ += text; }
  void put(int number) { out_ += std::to_string(number); }
  void put(double number) { out_ += exact(number); }

  /// The beginning of an object; the list ends it.
  void entry(const std::string& name, const char* kind = nullptr) {
    out_ += "\"name\":" + ordered_json(name).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    if (kind != nullptr) add(",\"kind\":\"", kind, "\"");
  }
  template <class Items, class Write> void list(const char* name, const Items& items, const Write& write) {
    add(",\"", name, "\":[");
    for (const auto& one : items) {
      out_ += &one == &*items.begin() ? "{" : ",{";
      write(one);
      out_ += "}";
    }
    out_ += "]";
  }
  template <class Numbers> void numbers(const char* before, const Numbers& all) {
    out_ += before;
    char sign = '[';
    for (const auto& one : all) {
      out_ += sign;
      put(one);
      sign = ',';
    }
    out_ += "]";
  }
  template <class Rows> void rows(const char* before, const Rows& all) {
    out_ += before;
    const char* sign = "[";
    for (const auto& one : all) {
      numbers(sign, one);
      sign = ",";
    }
    out_ += "]";
  }
  /// Axes at the end that are zero are left away.
  void vector(const char* before, const Scene::Vector3& vector) {
    add(before, "[");
    std::size_t last = 3;
    while (last > 0 && vector[last - 1] == Scene::Affine{}) --last;
    for (std::size_t k = 0; k < last; ++k) {
      add(k > 0 ? ",[" : "[", vector[k].offset);
      for (const auto& [coordinate, weight] : vector[k].weights) add(",", coordinate, ",", weight);
      out_ += "]";
    }
    out_ += "]";
  }
  void stripe(const Curve& one) {
    add(",\"stripe\":[");
    for (std::size_t k = 0; k < one.stripe.size(); ++k) vector(k > 0 ? "," : "", one.stripe[k]);
    out_ += "]";
  }
  void solid(const Scene::Solid& one) {
    entry(one.name);
    vector(",\"origin\":", one.origin);
    out_ += ",\"axes\":[";
    for (std::size_t k = 0; k < 3; ++k) vector(k > 0 ? "," : "", one.axes[k]);
    out_ += "]";
    list("shapes", one.shapes, [&](const Shape& shape) {
      add("\"kind\":\"", shape_kinds[std::size_t(shape.kind)], "\"");
      numbers(",\"size\":", shape.size);
      numbers(",\"at\":", shape.at);
      rows(",\"axes\":", shape.axes);
    });
  }

  std::string out_;
};

class SceneReader {
 public:
  SceneReader(std::size_t coordinates, std::size_t rows) : coordinates_(coordinates), rows_(rows) {}

  Scene read(const ordered_json& from) {
    Scene out;
    out.dim = from.at("dim");
    out.tracks = from.at("tracks");
    require(out.dim >= 1 && out.dim <= 3 && out.tracks >= 0, "no such dimension");
    for (const ordered_json& one : from.at("places")) {
      Place place{.name = one.at("name"), .kind = kind<Place::Kind>(one, place_kinds)};
      if (one.contains("track")) {
        place.track = index(one.at("track"), std::size_t(out.tracks));
      } else {
        place.x = vector(one.at("x"));
      }
      out.places.push_back(std::move(place));
    }
    places_ = out.places.size();
    for (const ordered_json& one : from.at("links"))
      out.links.push_back({kind<Link::Kind>(one, link_kinds), one.at("name"), index(one.at("a"), places_),
                           index(one.at("b"), places_), one.at("length")});
    for (const ordered_json& one : from.at("curves")) out.curves.push_back(curve(one));
    for (const ordered_json& one : from.at("planes"))
      out.planes.push_back({one.at("name"), one.at("normal"), one.at("offset")});
    for (const ordered_json& one : from.at("solids")) out.solids.push_back(solid(one));
    for (const ordered_json& one : from.at("reactions")) {
      Scene::Reaction reaction{one.at("name"), index(one.at("place"), places_), -1, index(one.at("row"), rows_), {}};
      if (one.contains("other")) reaction.other = index(one.at("other"), places_);
      if (one.contains("direction")) reaction.direction = one.at("direction");
      out.reactions.push_back(std::move(reaction));
    }
    return out;
  }

 private:
  static int index(const ordered_json& from, std::size_t count) {
    const long found = from;
    require(found >= 0 && found < long(count), "a number out of range");
    return int(found);
  }
  Scene::Affine form(const ordered_json& from) const {
    Scene::Affine out{.offset = from.at(0)};
    for (std::size_t k = 1; k < from.size(); k += 2) out.weights.emplace_back(index(from[k], coordinates_), from.at(k + 1));
    return out;
  }
  Scene::Vector3 vector(const ordered_json& from) const {
    Scene::Vector3 out;
    for (std::size_t k = 0; k < from.size(); ++k) out.at(k) = form(from[k]);
    return out;
  }
  Curve curve(const ordered_json& from) const {
    Curve out{.kind = kind<Curve::Kind>(from, curve_kinds), .name = from.at("name")};
    if (from.contains("places"))
      for (const ordered_json& one : from.at("places")) out.places.push_back(index(one, places_));
    if (from.contains("fixed")) out.fixed = from.at("fixed");
    if (from.contains("radius")) out.radius = from.at("radius");
    if (!from.contains("stripe")) return out;
    for (const ordered_json& one : from.at("stripe")) out.stripe.push_back(vector(one));
    require(out.stripe.size() == out.places.size(), "a stripe of another length than its curve");
    return out;
  }
  Scene::Solid solid(const ordered_json& from) const {
    Scene::Solid out{.name = from.at("name"), .origin = vector(from.at("origin"))};
    for (std::size_t k = 0; k < 3; ++k) out.axes[k] = vector(from.at("axes").at(k));
    for (const ordered_json& one : from.at("shapes"))
      out.shapes.push_back({kind<Shape::Kind>(one, shape_kinds), one.at("size"), one.at("at"), one.at("axes")});
    return out;
  }

  std::size_t coordinates_, rows_, places_ = 0;
};

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json conserved(const Conserved& one) {
  return {{"name", one.name},
          {"start", number(one.start)},
          {"deviation", number(one.deviation)},
          {"drift", number(one.drift)},
          {"scale", number(one.scale)}};
}

}  // namespace

std::string scene_text(const Scene& scene) { return SceneWriter().write(scene); }

Scene scene_from(const std::string& text, std::size_t coordinates, std::size_t rows) {
  try {
    return SceneReader(coordinates, rows).read(ordered_json::parse(text));
  } catch (const std::exception& error) {
    throw InputError(message("'scene' is not what was written: {}", error.what()));
  }
}

std::string certificate_text(const Certificate& c, bool printed) {
  ordered_json out{{"verdict", name_of(c.verdict)},
                   {"finished", c.finished()},
                   {"message", c.message},
                   {"grade", name_of(c.grade)},
                   {"summary", c.summary},
                   {"integrator", c.integrator},
                   {"solver", c.solver},
                   {"states", c.states},
                   {"t_start", c.t_start},
                   {"t_end", c.t_end},
                   {"conservative", c.conservative},
                   {"energy", conserved(c.energy)},
                   {"momenta", ordered_json::array()},
                   {"position_residual", number(c.position_residual)},
                   {"velocity_residual", number(c.velocity_residual)},
                   {"penetration", number(c.penetration)},
                   {"gap", number(c.gap)},
                   {"velocity_gap", number(c.velocity_gap)},
                   {"worst", c.worst},
                   {"singular", c.singular},
                   {"steps", c.counts.steps},
                   {"retried", c.counts.retried},
                   {"rejected", c.counts.rejected},
                   {"smallest_step", c.counts.smallest_step},
                   {"largest_step", c.counts.largest_step},
                   {"newton_iterations", c.counts.newton_iterations},
                   {"multiplier_updates", c.counts.multiplier_updates},
                   {"evaluations", c.counts.evaluations},
                   {"dependent", c.dependent}};
  for (const Conserved& one : c.momenta) out["momenta"].push_back(conserved(one));
  if (!c.balance.name.empty()) out["balance"] = conserved(c.balance);
  if (!c.own_energy.name.empty()) out["own_energy"] = conserved(c.own_energy);
  if (printed) {
    std::ostringstream text;
    text << c;
    out["units"] = c.units;
    out["text"] = text.str();
  }
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace taut
