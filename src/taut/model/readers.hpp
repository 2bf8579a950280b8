#pragma once

#include <taut/model/draft.hpp>

/// Readers of sections: each takes what stands there, and adds it to the draft.
namespace taut {

struct ContactPiece;
using Reader = void (*)(const Item&, Draft&);

// Values.
void read_name(const Item& item, Draft& draft);
void read_source(const Item& item, Draft& draft);
void read_parameters(Draft& draft);  ///< all of them: later files change what earlier ones set
void read_inputs(const Item& item, Draft& draft);
void read_functions(const Item& item, Draft& draft);
void read_tables(const Item& item, Draft& draft);
void read_dimension(const Item& item, Draft& draft);
void read_gravity(const Item& item, Draft& draft);
void read_damping(const Item& item, Draft& draft);

// What moves.
void read_masses(const Item& item, Draft& draft);
void read_coordinates(const Item& item, Draft& draft);
void read_bodies(const Item& item, Draft& draft);
void name_joint_coordinates(const Item& item, Draft& draft);
void read_beams(const Item& item, Draft& draft);
Profile read_profile(const Item& item, Draft& draft);  ///< a quantity along a beam, of s
std::function<std::array<double, 3>(double)> read_of_time(const Item& item, Draft& draft);  ///< three, of t
void read_rod_section(BeamEntry& entry, Draft& draft);                           ///< what makes a beam a rod, if it is one
void read_clamp(BeamSupport& support, Draft& draft);                             ///< its frame, from direction and roll
std::optional<Curve> natural_curve(const BeamEntry& entry, const Draft& draft);  ///< of a rod with curvature of its own
void place_rod_frames(const BeamEntry& entry, Draft& draft);
void name_rod_ends(const BeamEntry& entry, Draft& draft);
void name_directors(const std::string& name, const Beam& beam, double s, Draft& draft);
void read_strings(const Item& item, Draft& draft);
void make_system(Draft& draft);  ///< numbers the coordinates
void read_let(const Item& item, Draft& draft);
void resolve_definitions(Draft& draft);  ///< of `let`, and of masses placed by coordinates

int body_points(const Draft& draft);  ///< of the system, that bodies are made of
void add_body_coordinates(Draft& draft);
void add_bodies(Draft& draft);

// Points and directions of a body, by their numbers in its own axes, as expressions; or how fast they move.
std::array<Graph::Node, 3> body_place(const BodyEntry& body, const Eigen::Vector3d& point, Draft& draft, bool rate);
std::array<Graph::Node, 3> body_vector(const BodyEntry& body, const Eigen::Vector3d& own, Draft& draft);
std::array<Graph::Node, 3> body_spin(const BodyEntry& body, Draft& draft);
/// What a name such as arm.tip.vx or A.fx stands for; nothing where bodies and joints know none.
std::optional<Graph::Node> named_of_bodies(std::string_view name, Draft& draft);
/// The same of anything that moves; once outputs and events are read also accelerations, energies and reactions.
std::optional<Graph::Node> named(std::string_view name, Draft& draft);
void add_names(const Draft& draft, std::vector<std::string>& names);  ///< those that it knows, for "did you mean"
/// Whether the name is that of a moment or of a force along an own axis: arm.mx, arm.m1, arm.f1, arm.tip.f1.
bool push_body(const std::string& name, const Item& item, Draft& draft);

int continuum_coordinates(const Draft& draft);
void add_beam_coordinates(Draft& draft);
void add_string_coordinates(Draft& draft);
void add_continua(Draft& draft);

// What acts on it and holds it.
void read_contact(const Item& item, Draft& draft);
void read_coupling(const Item& item, Draft& draft);
void read_points(const Item& item, Draft& draft);
void read_rod(const Item& item, Draft& draft);
void read_spring(const Item& item, Draft& draft);
void read_damper(const Item& item, Draft& draft);
void read_joint(const Item& item, Draft& draft);
void read_rolling(const Item& item, Draft& draft);
void read_gear(const Item& item, Draft& draft);
void read_touch(const Item& item, Draft& draft);  ///< a contact between places
void read_tubes(const Item& item, Draft& draft);  ///< of beams with each other
const Beam& beam_named(const Item& item, const Draft& draft);
std::vector<ContactPiece> pieces_of(const Beam& beam, const std::string& name, double radius);  ///< between its nodes
/// Six springs and dampers between two places that carry directions; three in the plane. What they push with.
std::vector<JointEntry::Push> add_bushing(const std::string& name, const std::array<Graph::Node, 3>& apart,
                                          const std::array<std::array<Graph::Node, 3>, 3>& a,
                                          const std::array<std::array<Graph::Node, 3>, 3>& b, const Item& stiffness,
                                          const std::optional<Item>& damping, Draft& draft);
void read_pin(const Item& item, Draft& draft);
void read_curve(const Item& item, Draft& draft);
void read_wall(const Item& item, Draft& draft);
void read_kinetic(const Item& item, Draft& draft);
void read_potential(const Item& item, Draft& draft);
void read_forces(const Item& item, Draft& draft);
void add_lagrangian(Draft& draft);  ///< of the three before
void read_constraint(const Item& item, Draft& draft);

// The start.
void read_initial(const Item& item, Draft& draft);
void override_initial(Draft& draft);             ///< by what was given from outside
void place_by_joints(Draft& draft);              ///< turns bodies to angles that are given far away
void check_angles(Draft& draft, Vector& found);  ///< that none is half a turn away
void place_start(Draft& draft);                  ///< what it says about places that lengths are measured between otherwise
void check_inertia(const Draft& draft);
void find_start(Draft& draft, bool assemble);

// What is watched, and the run.
void read_outputs(const Item& item, Draft& draft);
void read_event(const Item& item, Draft& draft);
void add_switches(Draft& draft);  ///< of constraints that let go or do not hold from the beginning
void read_run(const Item& item, Draft& draft);
void override_run(Draft& draft);
void read_sweep(const Item& item, Draft& draft);
Form sweep_form();  ///< of that section

}  // namespace taut
