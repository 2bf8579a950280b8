#include <taut/model/mesh_forms.hpp>
#include <taut/model/section.hpp>

namespace taut {
namespace {

using Stage = Section::Stage;

Form value() { return values("value"); }
Form text() { return form(Form::Kind::text); }
Form name() { return defined("name", form(Form::Kind::name)); }
Form path() {
  Form out = form(Form::Kind::expression);
  return any_of({out, list_of(out)});
}
Form unique(Form list) {
  list.unique = true;
  return list;
}
Form dimension() { return any_of({one_of({"1", "2", "3"}), defined("expression", form(Form::Kind::expression))}); }

/// What there is.
std::vector<Section> first_sections(const Forms& f) {
  return {
      {"name", Stage::title, text(), "Title of the model.", read_name},
      {"source", Stage::title, text(), "Where the model comes from.", read_source},
      {"include", Stage::title, path(), "Files read before this one, by paths from the folder of this file."},
      {"parameters", Stage::values, names_of(name(), value()),
       "Named numbers, in order: each may use those before it. --set changes them."},
      {"functions", Stage::values, names_of(form(Form::Kind::head), value()),
       "Functions of your own: \"f(x, y)\": \"x^2 + y\".", read_functions},
      {"tables", Stage::values, names_of(name(), f.table), "Functions of one argument through given points.", read_tables},
      {"dimension", Stage::values, dimension(), "Of the space of masses and points; 2 unless given.", read_dimension},
      {"gravity", Stage::values, any_of({value(), f.place}),
       "Acceleration [m/s^2]: one number pulls against the last axis; a list is a vector.", read_gravity},
      {"damping", Stage::values, values("nonnegative"),
       "Of everything that has mass [1/s]: each momentum p is damped by the force -c p.", read_damping},
      {"inputs", Stage::bodies, names_of(name(), value()),
       "Named numbers that may be changed from outside while the model runs; here their values at the start.", read_inputs},
      {"masses", Stage::bodies, names_of(name(), f.mass),
       "Point masses. A.x, A.y, A.z are the coordinates of A; A.x' or A.vx its velocities.", read_masses},
      {"coordinates", Stage::bodies, unique(list_of(name())), "Generalised coordinates; `kinetic` gives their inertia.",
       read_coordinates},
      {"bodies", Stage::bodies, names_of(name(), f.body),
       "Rigid bodies. arm.x, arm.vx are of the centre of mass, arm.tip.x of a point, arm.pin.x of an axis; arm.angle and "
       "arm.w "
       "in the plane; arm.wx (axes of space), arm.w1 (its own) and arm.q0 to arm.q3 in space; arm.kinetic, arm.potential.",
       read_bodies},
      {"beams", Stage::bodies, names_of(name(), f.beam),
       "Inextensible beams and cables in 2 or 3 dimensions, and rods that twist, which have GJ. pipe.start, pipe.end and "
       "pipe.MARK are places on a beam, pipe.3 "
       "its node 3.",
       read_beams},
      {"strings", Stage::bodies, names_of(name(), f.string),
       "Strings that vibrate across their axis. u.3 is the coordinate of node 3.", read_strings},
      {"let", Stage::bodies, names_of(name(), value()),
       "Names for expressions of t, coordinates and velocities, in any order.", read_let},
      {"points", Stage::places, names_of(name(), f.place), "Places without mass; they may be functions of t.", read_points},
  };
}

/// What acts, and how it runs.
std::vector<Section> last_sections(const Forms& f) {
  const Form relation = defined("relation", form(Form::Kind::relation));
  const Form spot = defined("spot", form(Form::Kind::spot),
                            "A mass, a point, a body or one of its points (arm.tip), or a place on a beam (pipe.end).");
  const Form coordinate = defined("coordinate", form(Form::Kind::coordinate));
  return {
      {"contacts", Stage::terms, list_of(any_of({f.contact, f.touch, tube_form()})),
       "A string stays above another, or above or below an obstacle; balls and points do not go through each other, or "
       "through a plane that a body carries; beams do not go through each other, or themselves.",
       read_contact, true},
      {"couplings", Stage::terms, list_of(f.coupling), "Elastic layers between two strings.", read_coupling, true},
      {"rods", Stage::terms, list_of(any_of({f.link_ends, f.rod})),
       "Keep the distance between two masses, or a mass and a point.", read_rod, true},
      {"springs", Stage::terms, list_of(f.spring), "Energy k (r - length)^2/2 in the distance r of the ends.", read_spring,
       true},
      {"dampers", Stage::terms, list_of(f.damper), "Force -c r' along the line between the ends.", read_damper, true},
      {"joints", Stage::terms, list_of(f.joint),
       "Between bodies, or a body and something else. A joint called A has the force A.fx (axes of space), A.f1 (its own) "
       "and the moment "
       "A.mx, A.m1 on its second side; A.m in the plane.",
       read_joint, true},
      {"gears", Stage::terms, list_of(f.gear), "Wheels in mesh, racks and pinions: between angles and travels of joints.",
       read_gear, true},
      {"rolling", Stage::terms, list_of(f.rolling), "Bodies that roll on a plane without slipping.", read_rolling, true},
      {"pins", Stage::terms, list_of(any_of({spot, f.pin})), "Hold a mass where it is, or at a place that may move.",
       read_pin, true},
      {"curves", Stage::terms, list_of(f.curve), "Hold a mass on a curve or surface, or on one side of it.", read_curve,
       true},
      {"walls", Stage::terms, list_of(f.wall),
       "Planes, spheres and cylinders that masses and beams stay in front of, outside, or inside.", read_wall, true},
      {"kinetic", Stage::terms, f.sum,
       "Kinetic energy [J] beside that of the masses, quadratic in the velocities; a list is a sum.", read_kinetic},
      {"potential", Stage::terms, f.sum, "Potential energy [J] of t and coordinates; a list is a sum.", read_potential},
      {"forces", Stage::terms, names_of(coordinate, value()),
       "Generalised forces by coordinate, of t, coordinates and velocities. On bodies: arm.tip.x at a point, arm.mx a "
       "moment; "
       "arm.tip.f1, arm.m1 along and about the body's own axes, which they follow.",
       read_forces},
      {"constraints", Stage::terms, list_of(any_of({relation, f.constraint})),
       "Equations, inequalities (<=, >=), and equations linear in velocities.", read_constraint, true},
      {"initial", Stage::start, f.initial,
       "Coordinates (x) and velocities (x') at the start, its time t, and which of them are to be found; or rest.",
       read_initial},
      {"outputs", Stage::watched, names_of(text(), value()), "Expressions recorded over time.", read_outputs},
      {"events", Stage::run, list_of(f.event), "What happens on the way: at times, or where an expression crosses zero.",
       read_event, true},
      {"run", Stage::run, f.run, "How it is to be run.", read_run},
      {"sweep", Stage::run, sweep_form(), "Many runs that differ in numbers, for `taut sweep`.", read_sweep},
  };
}

std::vector<Section> make_sections() {
  std::vector<Section> all = first_sections(forms());
  for (Section& one : last_sections(forms())) all.push_back(std::move(one));
  return all;
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = make_sections();
  return all;
}

std::vector<std::string> section_names() {
  std::vector<std::string> out;
  for (const Section& one : sections()) out.push_back(one.name);
  return out;
}

}  // namespace taut
