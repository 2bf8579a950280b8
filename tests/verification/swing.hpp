#pragma once

#include <taut/taut.hpp>

/// A mass on a rope of one metre that events act on in every way there is: let it go, take hold of it, change gravity, its velocity, end the run.
namespace taut::testing {

/// Mode {whether the rope holds, gravity}.
inline System swing(double rope, double gravity) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{.g = gravity}).add(Pin{.point = 0}, "rope");
  return rope != 0.0 ? system : released(system, [](const std::string& name) { return name == "rope"; });
}

/// Something that happens to the swing on its way.
struct Kind {
  std::string name;
  std::vector<Event> events;
  bool taut = true;  ///< whether the rope holds at the start
};

inline std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

inline const std::vector<Kind>& kinds() {
  const auto place = [](const State& s) { return s.q[0] - 0.5; };
  const auto slower = [](Moment& m) { m.state.v *= 0.5; };
  const auto passes = [&](std::function<void(Moment&)> then) {
    return Event{.name = "passes", .when = place, .direction = -1, .then = std::move(then)};
  };
  static const std::vector<Kind> all{
      {"recorded", {passes({})}},
      {"stop", {passes([](Moment& m) { m.stop = "there"; })}},
      {"reset", {passes(slower)}},
      {"release", {passes([](Moment& m) { m.mode[0] = 0.0; })}},
      {"hold",
       {{.name = "taut",
         .when = [](const State& s) { return s.q.squaredNorm() - 1.0; },
         .direction = 1,
         .then = [](Moment& m) { m.mode[0] = 1.0; }}},
       false},
      {"parameter", {passes([](Moment& m) { m.mode[1] = 3.0; })}},
      {"timed", {{.name = "timed", .at = 0.37, .then = slower}}},
      {"break", {jump_at(0.37)}},
      {"several",
       {{.name = "timed", .at = 0.2, .then = slower},
        {.name = "recorded", .when = [](const State& s) { return s.v[1] + 1.0; }},
        passes(slower),
        {.name = "release", .at = 0.8, .then = [](Moment& m) { m.mode[0] = 0.0; }}}},
  };
  return all;
}

/// From the horizontal at rest; where the rope hangs loose, thrown up from inside its circle.
inline State swing_start(const Kind& kind) {
  const System system = swing(kind.taut ? 1.0 : 0.0, 9.81);
  return kind.taut ? at_rest(system, Vector{{1.0, 0.0}}) : state_at(system, 0.0, Vector{{0.5, 0.0}}, Vector{{0.3, 1.0}});
}

inline System swing_system(const Kind& kind) { return swing(kind.taut ? 1.0 : 0.0, 9.81); }

inline SimulateOptions swing_options(const Kind& kind, SimulateOptions options) {
  options.events = kind.events;
  options.mode = {kind.taut ? 1.0 : 0.0, 9.81};
  options.system_of = [](const Mode& mode) { return std::make_shared<const System>(swing(mode[0], mode[1])); };
  return options;
}

enum class Control { equal, tolerances, reversible };
inline constexpr Control controls[] = {Control::equal, Control::tolerances, Control::reversible};
inline constexpr const char* control_names[] = {"equal steps", "tolerances", "reversible"};

/// Whether a scheme takes the swing under this control at all.
inline bool takes(const NamedIntegrator& one, Control control) {
  const Traits traits = one.integrator.traits();
  if (!traits.takes_constraints || one.name == "midpoint-literal") return false;
  if (control != Control::equal && traits.levels > 1) return false;
  return control != Control::reversible || traits.symmetric;
}

/// Whether states at step ends lie on the constraints: shared midpoints hold them between.
inline bool holds_at_ends(const NamedIntegrator& one) { return one.name != "midpoint-shared"; }

/// Schemes of order one and two get tolerances that they reach soon.
inline SimulateOptions control_options(const Traits& traits, Control control, double end) {
  const double rtol = traits.order <= 2 ? 1e-5 : 1e-9;
  return control == Control::equal ? SimulateOptions{.step = 0.004, .end = end}
                                   : SimulateOptions{.end = end, .rtol = rtol, .reversible = control == Control::reversible};
}

}  // namespace taut::testing
