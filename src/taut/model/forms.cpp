#include <sstream>
#include <taut/model/form.hpp>
#include <taut/model/mesh_forms.hpp>

namespace taut {
namespace {

Form value() { return values("value"); }
Form positive() { return values("positive"); }
Form nonnegative() { return values("nonnegative"); }
Form text() { return defined("text", form(Form::Kind::text)); }
Form name() { return defined("name", form(Form::Kind::name)); }
Form truth() { return defined("truth", form(Form::Kind::truth)); }
Form relation() { return defined("relation", form(Form::Kind::relation)); }
Form coordinate() { return defined("coordinate", form(Form::Kind::coordinate)); }
Form coordinate_or_velocity() { return defined("coordinateOrVelocity", form(Form::Kind::coordinate_or_velocity)); }
Form spot() {
  return defined("spot", form(Form::Kind::spot),
                 "A mass, a point, a body or one of its points (arm.tip), or a place on a beam (pipe.end).");
}
Form numbers() { return defined("numbers", list_of(value(), 2)); }
Form place() { return defined("place", list_of(value(), 1, 3)); }
Form pair() { return defined("pair", list_of(value(), 2, 2)); }
Form sum() { return defined("sum", any_of({value(), list_of(value())})); }
Form ends() {
  Form out = list_of(spot(), 2, 2);
  out.unique = true;
  return defined("ends", out);
}
Form elements() { return defined("elements", whole("1", "100000")); }

/// A number between limits, in the words of options: "0" and "<1" for 0 ≤ x < 1.
Form between(const std::string& low, const std::string& high) {
  Form out;
  const auto strict = [](const std::string& limit) { return !limit.empty() && (limit[0] == '<' || limit[0] == '>'); };
  (strict(low) ? out.above : out.least) = strict(low) ? low.substr(1) : low;
  (strict(high) ? out.below : out.most) = strict(high) ? high.substr(1) : high;
  return out;
}

Form beam_end() {
  Form out = table_of({
      {"pinned", place(), "Held there [m]; may depend on t."},
      {"clamped", place(), "Held there [m] with its direction; may depend on t."},
      {"direction", place(), "Of the tangent of a clamped end, of any length; may depend on t."},
      {"roll", any_of({value(), place()}),
       "Of a clamped rod: where d1 points, or an angle [rad] about the direction; of t."},
      {"release", value(), "When the support lets go [s]."},
      {"mass", name(), "The end is this mass."},
      {"beam", name(), "The end is joined to this beam, which stands before it."},
      {"at", one_of({"start", "end"}), "Of the other beam.", "end"},
      {"joint", one_of({"pinned", "clamped"}), "To the other beam.", "pinned"},
      {"angle", value(),
       "Of a clamped joint [rad]: from the tangent of the other beam to this one's, counterclockwise; without it both are "
       "the same."},
  });
  out.needs = {{"clamped", {"direction"}},
               {"direction", {"clamped"}},
               {"roll", {"clamped"}},
               {"release", {"pinned", "clamped"}},
               {"angle", {"beam"}}};
  out.never = {{"pinned", "clamped"}, {"pinned", "mass"},  {"pinned", "beam"},
               {"clamped", "mass"},   {"clamped", "beam"}, {"mass", "beam"}};
  return defined("beamEnd", out, "Free, unless it is held at a place, is a mass, or the end of another beam.");
}

Form beam_force() {
  Form out = table_of({
      {"at", nonnegative(), "Arc length of a node [m].", "the end"},
      {"force", place(), "[N], of t."},
      {"follower", numbers(), "[N] along the tangent and across it to the left; of a rod along d1, d2, d3; numbers."},
      {"moment", place(), "[N m] on a rod, in axes of space, of t."},
      {"follower_moment", place(), "[N m] on a rod, about its directors d1, d2, d3, of t."},
  });
  out.some = {"force", "follower", "moment", "follower_moment"};
  return out;
}

Form beam_damping() {
  return table_of({
      {"mass", nonnegative(), "a [1/s]", "0"},
      {"stiffness", nonnegative(), "b [s]", "0"},
  });
}

Form beam() {
  return table_of({
      required({"length", positive(), "[m]"}),
      {"elements", elements(), "Of equal length.", "60"},
      {"nodes", numbers(), "Arc lengths of the nodes [m], ascending from 0 to the length, instead of `elements`."},
      {"density", positive(), "[kg/m]; may depend on s.", "1"},
      {"stiffness", nonnegative(), "EI [N m^2]; may depend on s; 0 is a cable.", "1"},
      {"GJ", positive(),
       "Torsional stiffness [N m^2], of s: the beam is a rod in space, with directors d1, d2 across, d3 along."},
      {"EI", any_of({positive(), pair()}), "Of a rod: bending stiffness about d1 and d2 [N m^2], of s.", "stiffness"},
      {"EA", positive(), "Of a rod: axial stiffness [N]; without it the length is held."},
      {"GA", any_of({positive(), pair()}), "Of a rod: shear stiffness along d1 and d2 [N]; without it d3 is the tangent."},
      {"curvature", list_of(value(), 3, 3), "Of a rod that nothing strains: about d1, d2, and twist [1/m]; of s.", "0"},
      {"rotary_inertia", any_of({nonnegative(), pair()}), "Of the section of a rod about d1 and d2 [kg m].",
       "of a thin one"},
      {"twist", value(), "Of a rod at the start: how far its directors turn about it [rad].", "what its ends ask for"},
      {"damping", beam_damping(), "Force -(a M + b K) v."},
      {"inextensible", one_of({"simpson", "nodes", "midpoints", "gauss2", "gauss3", "gauss4", "none"}),
       "Where along an element the length is held; none: nowhere, the linear beam equation.", "simpson"},
      {"slack", truth(), "It may become shorter, not longer: an inequality.", "false"},
      {"start", beam_end()},
      {"end", beam_end()},
      {"shape", place(), "At the start [m], of s."},
      {"velocity", place(), "At the start [m/s], of s."},
      {"load", place(), "[N/m], of s and t."},
      {"follower_load", list_of(value(), 2, 3),
       "[N/m] along the tangent and across it to the left, of s and t; in space the second is 0. Of a rod along d1, d2, "
       "d3."},
      {"forces", list_of(beam_force()), "On nodes."},
      {"marks", names_of(name(), nonnegative()), "Names of places, by arc length [m]."},
  });
}

Form string() {
  return table_of({
      {"length", positive(), "[m]", "1"},
      {"elements", elements(), "Of equal length.", "100"},
      {"density", positive(), "[kg/m]; may depend on x.", "1"},
      {"tension", nonnegative(), "[N]; may depend on x.", "1"},
      {"damping", value(), "[N s/m^2]; may depend on x.", "0"},
      {"mass", one_of({"lumped", "consistent"}), "", "lumped"},
      {"ends", list_of(one_of({"fixed", "free"}), 2, 2), "Start and end.", "[fixed, fixed]"},
      {"load", value(), "[N/m], of x and t."},
      {"shape", value(), "At the start [m], of x.", "0"},
      {"velocity", value(), "At the start [m/s], of x.", "0"},
  });
}

Form change() {
  const Form held = defined("held", any_of({text(), list_of(text(), 1)}), "A constraint by its name, or several.");
  Form table = names_of(coordinate_or_velocity(), value(),
                        {{"release", held, "Constraints that let go."},
                         {"hold", held, "Constraints that hold from now on."},
                         {"stop", one_of({"true"}), "The run ends, beside what else changes."}});
  table.fewest = 1;
  return defined("change", any_of({one_of({"stop", "record"}), table}));
}

Form then() {
  return defined("then", any_of({change(), list_of(change(), 1)}),
                 "stop, record, a table of what changes, or a list of these.");
}

Form event() {
  Form out = table_of({
      {"name", text(), "In the certificate and the results."},
      {"when", value(), "An expression that crosses zero, or a condition that becomes true."},
      {"at", any_of({value(), list_of(value(), 1)}), "A time [s], or several."},
      {"direction", one_of({"rising", "falling", "both", "1", "-1", "0"}),
       "With `when`: where it grows with time (rising, 1), falls (falling, -1), or both (0)."},
      {"then", then(), "What happens.", "record"},
      {"action", then(), "The same as `then`."},
  });
  out.some = {"when", "at"};
  out.never = {{"when", "at"}, {"at", "direction"}, {"then", "action"}};
  return defined("event", out);
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A method with options: {name: …, option: …}.
Form method(std::vector<std::string> names, std::vector<Field> options) {
  options.insert(options.begin(), required({"name", one_of(std::move(names))}));
  return table_of(std::move(options));
}

Form integrator() {
  const Form any =
      defined("integratorName",
              one_of(words("midpoint midpoint-shared midpoint-literal rattle gcn gcn-middle gcn-new houbolt newmark "
                           "newmark-new three-level energy-momentum generalized-alpha spark2 spark3 spark4 "
                           "moreau-jean rk4 dopri5 dop853 hmm")));
  const Form truths = form(Form::Kind::truth);
  return defined(
      "integrator",
      any_of({one_of({"auto", "spark1", "spark5", "spark6", "spark7", "spark8"}), any, table_of({required({"name", any})}),
              method({"gcn"}, {{"alpha", between("0", "0.5"), "", "0.25"},
                               {"reaction", one_of({"new", "middle", "centred"}), "", "centred"}}),
              method({"newmark"}, {{"beta", between("0", "1"), "", "0.25"},
                                   {"gamma", between("0.5", "1"), "", "0.5"},
                                   {"reaction", one_of({"new", "centred"}), "", "centred"}}),
              method({"three-level"}, {{"alpha", between("0", "0.5"), "Of the linear forces.", "0.25"}}),
              method({"generalized-alpha"}, {{"spectral_radius", between("0", "<1"), "", "0.8"}}),
              method({"energy-momentum"}, {{"project_velocity", truths, "", "false"}}),
              method({"moreau-jean"}, {{"restitution", between("0", "1"), "", "0"}}),
              method({"hmm"}, {{"macro", one_of({"euler", "rk2", "rk4", "ab4"}), "", "rk4"},
                               {"micro", one_of({"verlet", "damped"}), "", "verlet"},
                               {"kernel", one_of({"polynomial", "exponential", "box"}), "", "polynomial"},
                               {"moments", between("0", "9"), "", "3"},
                               {"smoothness", between("0", "30"), "", "9"},
                               {"tolerance", between(">0", "<1"), "", "1e-8"},
                               {"passes", between("-1", "100"), "", "-1"},
                               {"periods", between("0", "1000"), "", "0"},
                               {"window", between("0", ""), "", "0"},
                               {"resolution", between(">0", "<2"), "", "1.3"},
                               {"micro_step", between("0", ""), "", "0"}}),
              method({"spark1", "spark2", "spark3", "spark4", "spark5", "spark6", "spark7", "spark8"},
                     {{"family", one_of({"gauss", "radau-iia", "radau-ia", "lobatto-iiic", "lobatto-iiid"}), "", "gauss"},
                      {"estimate", one_of({"doubling", "stages"}), "", "doubling"}})}),
      "By name, or as {name: ..., option: ...}.");
}

Form solver() {
  const Form settled = any_of({positive(), one_of({"inf"})});
  const Form any =
      defined("solverName", one_of({"multipliers", "augmented-lagrangian", "augmented-lagrangian-2", "uzawa", "splitting"}));
  return defined(
      "solver",
      any_of({any, method({"multipliers"}, {{"tolerance", positive()}}),
              method({"augmented-lagrangian", "augmented-lagrangian-2"},
                     {{"epsilon", between("0", ""), "", "0"}, {"tolerance", positive()}, {"settled", settled}}),
              method({"uzawa"},
                     {{"relaxation", between(">0", "<2"), "", "1"}, {"tolerance", positive()}, {"settled", settled}}),
              method({"splitting"}, {{"r", between("0", ""), "", "0"},
                                     {"tolerance", any_of({positive(), text()}),
                                      "Of q against its norm: a number, or a power of the step: h^4/10.", "1e-10"},
                                     {"power", between("0", "8"), "Of the step, by which the tolerance is multiplied.", "0"},
                                     {"start", one_of({"warm", "cold"}),
                                      "Of each step: from the step before, or with multiplier 0.", "warm"},
                                     {"relaxation", between(">0", "<2"), "", "1"},
                                     {"update", between(">0", "1.61"), "rho/r of the update of the multiplier.", "1"},
                                     {"anderson", between("0", "50"), "", "10"},
                                     {"stop", one_of({"error", "change"}), "", "error"}})}),
      "By name, or as {name: ..., option: ...}.");
}

Form formulation() {
  Form out = names_of(text(), nonnegative(), {{"penalty", positive(), "epsilon of all that are not named."}});
  out.fewest = 1;
  return defined("formulation", out, "epsilon, also of single constraints by name; 0 holds one exactly.");
}

Form tolerance() {
  Form out = table_of({
      {"of", list_of(coordinate(), 1), "Coordinates, masses, beams, strings; without it the key is the name of one."},
      {"rtol", values("tolerance")},
      {"atol", positive()},
  });
  out.some = {"rtol", "atol"};
  return out;
}

Form run() {
  return table_of({
      {"until", value(), "End time [s]."},
      {"step", positive(),
       "Fixed step [s]; with tolerances the largest: by itself a 64th of the run where contacts, barriers or events might "
       "lie between two steps, and none otherwise."},
      {"rtol", values("tolerance"), "Relative tolerance of the local error."},
      {"atol", positive(), "Absolute tolerance of the local error."},
      {"integrator", integrator(), "The scheme.", "auto"},
      {"solver", solver(), "How the equations of a step are solved.", "multipliers"},
      {"formulation", any_of({one_of({"multipliers"}), formulation()}),
       "Constraints exactly, or replaced by the energy dist^2/(2 epsilon), all or some by name; supports of beams stay "
       "exact unless they are named.",
       "multipliers"},
      {"control", one_of({"error", "reversible"}),
       "Of the step, with tolerances: by error estimates, or reversibly (symmetric integrators, conservative systems)."},
      {"breaks", list_of(value()),
       "Times at which forces jump [s]; a step ends at each. Jumps by time alone are found without."},
      {"every", whole("0"), "Record each so many-th step; 0: only the first and the last state.", "1"},
      {"interval", positive(), "With tolerances: record at multiples of this [s]."},
      {"times", list_of(value(), 1), "Record at these times [s] and no others, besides events; steps do not feel it."},
      {"events", list_of(event()), "More of the section `events`."},
      {"tolerances", names_of(text(), any_of({positive(), tolerance()})),
       "With tolerances: those of single coordinates, masses, beams or groups. A number is an absolute one."},
  });
}

Form initial() {
  return names_of(coordinate_or_velocity(), value(),
                  {{"t", value(), "[s]", "0"},
                   {"solve", any_of({one_of({"all"}), list_of(coordinate_or_velocity())}), "Which are to be found."},
                   {"equilibrium", truth(), "Start from rest near the places given.", "false"}});
}

Form rotation() {
  Form out = table_of({
      {"axis", place(), "Of a turn by `angle`."},
      {"angle", value(), "[rad], or with a unit: 30 deg."},
      {"quaternion", list_of(value(), 4, 4), "w, x, y, z."},
      {"euler", defined("expression", form(Form::Kind::expression)),
       "An order of the body's own axes, such as zxz or zyx, for `angles`."},
      {"angles", list_of(value(), 3, 3), "[rad], in that order."},
      {"matrix", list_of(list_of(value(), 3, 3), 3, 3), "Row by row; its columns are the body's axes."},
      {"along", place(), "The direction in which the body's x axis points."},
  });
  return defined("rotation", any_of({value(), out}), "In the plane an angle [rad]; in space one of several ways.");
}

Form shape() {
  const Form sizes = list_of(values("positive"), 1, 3), one = any_of({values("positive"), sizes});
  return defined("shape", table_of({
                              {"box", sizes, "Sides [m]."},
                              {"sphere", one, "Radius [m]."},
                              {"cylinder", sizes, "Radius and length along z [m]."},
                              {"capsule", sizes, "Radius and length of the straight part along z [m]."},
                              {"plate", sizes, "Sides in x and y [m]; density per area."},
                              {"disk", one, "In the plane: radius [m]; density per area."},
                              {"rod", one, "Length along x [m]; density per length."},
                              {"at", place(), "Of its middle, in the body's own axes [m].", "zero"},
                              {"rotation", rotation(), "In the body's own axes.", "none"},
                              {"density", positive(), "Of this shape [kg/m^3].", "that of the body"},
                          }));
}

Form body() {
  Form out = table_of({
      {"mass", nonnegative(), "[kg]; a body of mass 0 has no inertia: its joints carry it."},
      {"inertia", any_of({value(), list_of(any_of({value(), list_of(value(), 3, 3)}), 3, 3)}),
       "About the centre of mass [kg m^2]: a number, three along the body's own axes, or all nine."},
      {"shape", any_of({shape(), list_of(shape(), 1)}), "From which centre and inertia follow; several are added."},
      {"density", positive(), "Of the shapes [kg/m^3], instead of a mass."},
      {"center", place(), "Of mass, in the body's own axes [m].", "zero"},
      {"at", place(), "Of its origin at the start [m].", "zero"},
      {"rotation", rotation(), "Of its own axes at the start.", "none"},
      {"velocity", place(), "Of the centre of mass at the start [m/s].", "as the joints allow, or zero"},
      {"spin", any_of({value(), place()}), "At the start [rad/s]; in space about x, y, z.", "as the joints allow, or zero"},
      {"points", names_of(name(), place()), "Named points, in its own axes [m]: arm.tip."},
      {"axes", names_of(name(), place()), "Named directions, in its own axes: arm.pin."},
  });
  out.some = {"mass", "density"};
  out.never = {{"mass", "density"}};
  return defined("body", out);
}

Form joint() {
  const Form axis = any_of({text(), place(), list_of(any_of({text(), place()}), 2, 2)});
  const Form six = list_of(nonnegative(), 3, 6);
  Form out = table_of({
      required({"type", one_of(joint_types()),
                "What it leaves free. line: the second place stays on a line of the first side; plane: in a plane."}),
      required({"between", list_of(text(), 2, 2),
                "Bodies, points of bodies (arm.tip), masses, points, ends of beams, or ground."}),
      {"at", place(), "Where it is at the start [m], if neither side is a point."},
      {"axis", axis,
       "A direction at the start, or an axis of a body by its name; one for each side where they differ. Of a hinge or "
       "slider, the normal of "
       "a plane; for `universal` two."},
      {"angle", name(), "A name for its angle [rad], which becomes a coordinate."},
      {"start", value(), "Of the angle, in space: what it is as the bodies are placed [rad].", "0"},
      {"travel", name(), "A name for the way along its axis [m], which becomes a coordinate."},
      {"pitch", value(), "Of a screw [m per turn]."},
      {"stiffness", any_of({nonnegative(), six}),
       "Of a spring on angle or travel [N m/rad or N/m]; of a bushing along its three axes and about them, in the plane "
       "along two and about its place.",
       "0"},
      {"rest", value(), "Where the spring has no force.", "the start"},
      {"damping", any_of({nonnegative(), six}), "[N m s/rad or N s/m]; of a bushing like its stiffness.", "0"},
      {"friction", pair(), "Torque or force of sliding, and the rate over which it turns round: T tanh(v/w)."},
      {"torque", value(), "What drives it [N m or N], of t, coordinates and velocities."},
      {"motion", value(), "Of its angle or travel, a function of t; the multiplier is the torque that this takes."},
      {"limits", pair(), "Least and largest angle or travel."},
      {"turning", turning_form(), "Of the side that is the ground or a point: its axes turn with time."},
      {"name", text(), "In messages and results: A.fx, A.m1, A.torque."},
  });
  return defined("joint", out);
}

Forms make_forms() {
  const Field called{"name", text(), "In messages and results."};
  const Field between_ends = required({"between", ends(), "Masses, or a mass and a point."});
  return {
      .table = table_of({required({"t", numbers(), "Arguments, increasing."}),
                         required({"values", numbers(), "As many values."}),
                         {"kind", one_of({"spline", "linear"}), "", "spline"}}),
      .mass =
          table_of({required({"mass", positive(), "[kg]"}),
                    {"at", place(), "Place at the start [m]; or its place always, where coordinates occur in it.", "zero"},
                    {"velocity", place(), "Velocity at the start [m/s].", "zero"}}),
      .body = body(),
      .shape = shape(),
      .rotation = rotation().parts[1],
      .joint = joint(),
      .rolling =
          table_of({required({"body", form(Form::Kind::spot), "A wheel or a ball, or a point of it that is its middle."}),
                    required({"radius", positive(), "[m]"}),
                    {"normal", place(), "Of the plane it rolls on.", "the last axis"},
                    {"offset", value(), "Of the plane: normal.x = offset [m].", "0"},
                    {"wheel", name(), "The axis of the body that is its axle; without it, in space, it is a ball."},
                    called}),
      .rod = table_of({between_ends,
                       {"length", positive(), "[m].", "that at the start"},
                       {"mass", nonnegative(), "Of a uniform rod [kg]; gravity acts on it.", "0"},
                       {"penalty", positive(), "epsilon: a spring of the energy g^2/(2 epsilon), g = (|x|^2 - length^2)/2."},
                       called}),
      .spring = table_of({between_ends,
                          required({"stiffness", nonnegative(), "[N/m]"}),
                          {"length", nonnegative(), "Without stretch [m].", "that at the start"},
                          {"damping", nonnegative(), "[N s/m]", "0"},
                          called}),
      .damper = table_of({between_ends, required({"damping", nonnegative(), "[N s/m]"}), called}),
      .pin =
          table_of({required({"mass", spot()}), {"at", place(), "May depend on t.", "the place of the mass at the start"}}),
      .curve = table_of({required({"mass", spot()}), required({"on", relation(), "In x, y, z of the mass: \"y = x^2\"."})}),
      .wall = wall_form(),
      .beam = beam(),
      .beam_end = beam_end(),
      .beam_damping = beam_damping(),
      .beam_force = beam_force(),
      .string = string(),
      .contact = table_of({required({"above", value(), "A string, or the height [m] of an obstacle, of x."}),
                           required({"below", value(), "A string, or the height [m] of an obstacle, of x."}),
                           {"distance", value(), "Kept at least [m].", "0"}}),
      .touch = touch_form(),
      .gear = gear_form(),
      .turning = turning_form(),
      .coupling = table_of(
          {required({"between", list_of(name(), 2, 2), "Two strings."}), required({"stiffness", nonnegative(), "[N/m^2]"})}),
      .constraint = table_of({{"name", text(), "In messages, results and events.", "the relation itself"},
                              required({"expression", relation(), "=, <= or >=."}),
                              {"holds", truth(), "From the start; false: an event must hold it.", "true"}}),
      .initial = initial(),
      .event = event(),
      .then = then(),
      .change = change(),
      .run = run(),
      .tolerance = tolerance(),
      .method = {},
      .place = place(),
      .sum = sum(),
      .link_ends = ends(),
      .formulation = formulation(),
      .integrator = integrator(),
      .solver = solver(),
  };
}

}  // namespace

const Forms& forms() {
  static const Forms all = make_forms();
  return all;
}

}  // namespace taut
