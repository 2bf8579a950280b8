#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <taut/model/plan.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/taut.hpp>

#include "experiment.hpp"
#include "srms.hpp"

namespace taut::reproduce {
namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d;

const char* const joint_names[] = {"shoulder yaw", "shoulder pitch", "elbow pitch",
                                   "wrist pitch",  "wrist yaw",      "wrist roll"};
/// What the motors give, N m (Nguyen and Hughes).
constexpr Six torque_limits{1570, 1570, 1074, 470, 470, 470};
constexpr double reach = 15.3166;  // m, of the stretched arm: the length by which velocities of the tip are measured

/// What is looked at along a motion of the arm.
struct Moment {
  double t, energy, power;
  Six angle, rate, torque;
  State state;
  Vector a;
};

int coordinate_of(const System& system, const std::string& name) {
  for (int i = 0; i < system.size(); ++i)
    if (system.coordinate_name(i) == name) return i;
  throw InputError("no coordinate " + name);
}

/// A case run as its file says; accelerations and reactions are found anew at each recorded state, where they are exact for that state.
struct ArmRun {
  ModelFile model;
  std::vector<Moment> moments{};
  Trajectory path{0, 0};

  explicit ArmRun(ModelFile of) : model(std::move(of)) {}

  void run(const std::string& what, const Report& report, double from, double to) {
    RunPlan planned = plan(model);
    planned.options.observers.push_back([&](const Progress& p) { report(what, from + (to - from) * p.done); });
    path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
    const System& system = model.system;
    IndexOne equations(system, Multipliers{});
    std::array<int, 6> at{};
    for (int k = 0; k < 6; ++k) at[std::size_t(k)] = coordinate_of(system, "angle" + std::to_string(k + 1));
    for (int k = 0; k < path.size(); ++k) {
      Moment one{.t = path.t(k), .energy = 0.0, .power = 0.0, .angle = {}, .rate = {}, .torque = {}, .state = {}, .a = {}};
      one.state = state_at(system, path.t(k), path.q(k), path.v(k));
      one.state.lambda = Vector::Zero(system.constraint_count());
      one.a = Vector::Zero(system.size());
      equations.begin(one.state);
      equations.accelerate(instant(one.state), one.a, one.state.lambda);
      one.energy = system.energy(instant(one.state));
      for (std::size_t j = 0; j < 6; ++j) {
        one.angle[j] = one.state.q[at[j]];
        one.rate[j] = one.state.v[at[j]];
        for (const NamedExpression& output : model.outputs)
          if (output.name == "torque" + std::to_string(j + 1)) one.torque[j] = output.at(one.state, {.a = one.a});
        one.power += one.torque[j] * one.rate[j];
      }
      moments.push_back(std::move(one));
    }
  }

  /// |∫ Σ τᵢφ̇ᵢ dt − (E − E₀)| over the largest energy: by Boole's rule over each four intervals.
  double energy_balance() const {
    double work = 0.0, off = 0.0, most = 0.0;
    for (std::size_t k = 0; k + 4 < moments.size(); k += 4) {
      const auto power = [&](std::size_t i) { return moments[k + i].power; };
      const double length = moments[k + 4].t - moments[k].t;
      if (std::abs(moments[k + 1].t - moments[k].t - 0.25 * length) > 1e-9 * length) break;  // a last, shorter interval
      work += length / 90.0 * (7.0 * (power(0) + power(4)) + 32.0 * (power(1) + power(3)) + 12.0 * power(2));
      off = std::max(off, std::abs(work - (moments[k + 4].energy - moments[0].energy)));
      most = std::max(most, moments[k + 4].energy);
    }
    return off / most;
  }
  Six torque_most() const {
    Six out{};
    for (const Moment& one : moments)
      for (std::size_t j = 0; j < 6; ++j) out[j] = std::max(out[j], std::abs(one.torque[j]));
    return out;
  }
};

/// The path of the case, said once more: where the tip is and how the end effector stands.
std::pair<Vector3d, Matrix3d> wanted(const std::map<std::string, double>& p, double t) {
  const double part = t / p.at("T") - std::sin(2.0 * std::numbers::pi * t / p.at("T")) / (2.0 * std::numbers::pi);
  const Vector3d tip(p.at("x0") + p.at("go_x") * part, p.at("y0") + p.at("go_y") * part,
                     p.at("z0") + p.at("go_z") * part + 4.0 * p.at("bow") * part * (1.0 - part));
  const double yaw = p.at("yaw0");
  Matrix3d start;
  start.col(0) = -Vector3d::UnitZ();
  start.col(1) = Vector3d(std::sin(yaw), std::cos(yaw), 0.0);
  start.col(2) = start.col(0).cross(start.col(1));
  return {tip, Eigen::AngleAxisd(p.at("angle") * part, Vector3d(2, 3, 6) / 7.0).toRotationMatrix() * start};
}

/// The angle of the turn from one to the other, also where it is tiny.
double turn_between_frames(const Matrix3d& A, const Matrix3d& B) { return 2.0 * std::asin((A - B).norm() / std::sqrt(8.0)); }

struct PathErrors {
  double place = 0.0, turn = 0.0;
};
/// By the end effector as a body, and by the angles.
PathErrors path_errors(const ArmRun& run) {
  PathErrors out;
  const int first = coordinate_of(run.model.system, "link6.x");
  const double center = run.model.parameters.at("c6"), tip_at = run.model.parameters.at("L6");
  for (const Moment& one : run.moments) {
    const auto [tip, frame] = wanted(run.model.parameters, one.t);
    const ArmPose pose = arm_pose(one.angle, run.model.parameters);
    const auto vector = [&](int k) { return Vector3d(one.state.q.segment<3>(first + 3 * k)); };
    Matrix3d body;
    body << vector(1), vector(2), vector(3);
    const Vector3d body_tip = vector(0) + (tip_at - center) * body.col(0);
    out.place = std::max({out.place, (pose.tip - tip).norm(), (body_tip - tip).norm()});
    out.turn = std::max({out.turn, turn_between_frames(pose.hand, frame), turn_between_frames(body, frame)});
  }
  return out;
}

/// Inverse dynamics: the torques that drive the joints along the same angles. Gᵀλ = f − M a with the constraints of driven joints instead of those of
/// the path, at the accelerations that the path asked for.
double torque_difference(const ArmRun& along_path, const ModelFile& driven) {
  double most = 0.0, off = 0.0;
  const System& system = driven.system;
  std::array<int, 6> row{};
  for (int i = 0; i < system.constraint_count(); ++i)
    for (int k = 0; k < 6; ++k)
      if (system.constraint_name(i) == "drive" + std::to_string(k + 1)) row[std::size_t(k)] = i;
  for (std::size_t k = 0; k < along_path.moments.size(); k += 20) {
    const Moment& one = along_path.moments[k];
    const Instant at = instant(one.state);
    const Vector left = system.force(at) - system.mass(at) * one.a;
    const MatrixXd G = system.constraint_gradient(one.t, one.state.q);
    const Vector lambda = Eigen::PartialPivLU<MatrixXd>(G.transpose()).solve(left);
    for (std::size_t j = 0; j < 6; ++j) {
      most = std::max(most, std::abs(one.torque[j]));
      off = std::max(off, std::abs(-lambda[row[j]] - one.torque[j]));
    }
  }
  return off / most;
}

/// Least and largest ratio of a motion of the end effector to the rates of the joints that make it: least zero where the arm is singular.
std::pair<double, double> singular_values(const Six& angle, const std::map<std::string, double>& lengths) {
  const auto J = arm_pose(angle, lengths).jacobian(reach);
  const Eigen::JacobiSVD<Eigen::Matrix<double, 6, 6>> svd(J);
  return {svd.singularValues()[5], svd.singularValues()[0]};
}

/// Joint by joint, a table of columns over time.
Curve six_curve(const std::string& name, const std::vector<Moment>& moments, Six Moment::*what, double scale) {
  Curve out{name, {"t"}, {}};
  for (const char* joint : joint_names) out.columns.emplace_back(joint);
  for (const Moment& one : moments) {
    out.rows.push_back({one.t});
    for (const double x : one.*what) out.rows.back().push_back(scale * x);
  }
  return out;
}

void plot_six(Outcome& out, Curve curve, const std::string& title, const std::string& unit) {
  static const char* const colors[] = {"#222222", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e"};
  Figure figure{curve.name, title, "t [s]", unit, {}, "set xzeroaxis lt 1 lc rgb '#888888'", 640};
  for (int k = 0; k < 6; ++k)
    figure.lines.push_back({curve.name, joint_names[k], joint_names[k], fmt::format("lines lw 2 lc rgb '{}'", colors[k])});
  out.plots.push_back(std::move(figure));
  out.curves.push_back(std::move(curve));
}

/// The arm every so often, seen from the side and a little from above, with the way of the tip.
void plot_motion(Outcome& out, const std::string& name, const std::string& title, const ArmRun& run, std::size_t every) {
  Curve arm{name + "_arm", {"right", "up"}, {}}, tip{name + "_tip", {"right", "up"}, {}},
      load{name + "_load", {"right", "up"}, {}};
  const double turn = -0.6, tilt = 0.35;  // rad
  const auto seen = [&](const Vector3d& x) {
    const double right = std::cos(turn) * x[0] + std::sin(turn) * x[1],
                 away = -std::sin(turn) * x[0] + std::cos(turn) * x[1];
    return std::vector<double>{right, std::cos(tilt) * x[2] + std::sin(tilt) * away};
  };
  for (std::size_t k = 0; k < run.moments.size(); ++k) {
    const ArmPose pose = arm_pose(run.moments[k].angle, run.model.parameters);
    tip.rows.push_back(seen(pose.tip));
    if (k % every != 0) continue;
    if (!arm.rows.empty()) arm.rows.emplace_back();
    for (const Vector3d& joint : pose.at) arm.rows.push_back(seen(joint));
    arm.rows.push_back(seen(pose.tip));
    // The payload as a cross: from the tip to its middle, and its axis from end to end.
    if (!load.rows.empty()) load.rows.emplace_back();
    const Vector3d middle = pose.tip + run.model.parameters.at("radius") * pose.hand.col(0);
    load.rows.push_back(seen(pose.tip));
    load.rows.push_back(seen(middle));
    load.rows.emplace_back();
    for (const double side : {-0.5, 0.5})
      load.rows.push_back(seen(middle + side * run.model.parameters.at("long") * pose.hand.col(2)));
  }
  out.plots.push_back({name,
                       title,
                       "",
                       "",
                       {{load.name, "up", "payload: to its middle, and its axis", "lines lw 5 lc rgb '#c5c0de'"},
                        {tip.name, "up", "way of the end effector", "lines lw 1.5 lc rgb '#d95f02'"},
                        {arm.name, "up", "arm", "linespoints lw 2 pt 7 ps 0.6 lc rgb '#222222'"}},
                       "set size ratio -1\nunset tics\nset offsets graph 0.04, graph 0.04, graph 0.04, graph 0.04"});
  for (Curve* one : {&arm, &tip, &load}) out.curves.push_back(std::move(*one));
}

/// The hand hangs and is led outward, until the wrist is farther from the shoulder than both booms reach: there the arm is singular, and the path ends.
struct Stretched {
  double exact = 0.0;  ///< when that is, by the triangle of shoulder, elbow and wrist
  double met = 0.0;    ///< when the run finds that it cannot go on
  double least = 0.0;  ///< the least singular value there
  std::string message;
};

Stretched stretch(const std::map<std::string, double>& set, const Report& report) {
  constexpr double way = 8.0;  // m outward: more than there is
  std::map<std::string, double> changed = set;
  const double yaw = 15.0 * std::numbers::pi / 180.0;
  changed["go_x"] = way * std::cos(yaw);
  changed["go_y"] = -way * std::sin(yaw);
  for (const char* none : {"go_z", "bow", "angle"}) changed[none] = 0.0;
  ArmRun run(arm_model("srms_path", changed));
  run.run("stretched", report, 0.6, 0.7);
  const auto& p = run.model.parameters;
  Stretched out{.met = run.path.last.t, .message = run.path.message};
  out.least = singular_values(run.moments.back().angle, p).first;
  // Length of the diagonal when the elbow is straight, and the part of the way at which the wrist is so far away.
  const double most = std::hypot(p.at("L2"), p.at("o")) + std::hypot(p.at("L3"), p.at("o"));
  const double up = p.at("z0") + p.at("L4") + p.at("L5") + p.at("L6") - p.at("h");
  const double part = (std::sqrt(most * most - up * up) - p.at("reach")) / way;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double x = 0.5 * (low + high);
    (x - std::sin(2.0 * std::numbers::pi * x) / (2.0 * std::numbers::pi) < part ? low : high) = x;
  }
  out.exact = low * p.at("T");
  return out;
}

/// The method of the paper on the same path: the midpoint rule and an augmented Lagrangian.
struct PapersMethod {
  double updates = 0.0, place = 0.0;
};
PapersMethod papers_way(const ArmRun& path, const Report& report) {
  const System& system = path.model.system;
  const double T = path.model.run.until;
  const Trajectory run = simulate(
      system, path.model.start.state, Midpoint{}, AugmentedLagrangian{},
      {.step = T / 200.0, .end = T, .observers = {[&](const Progress& p) { report("midpoint", 0.9 + 0.1 * p.done); }}});
  require(run.finished(), "gh95-srms: midpoint and augmented Lagrangian: {}", run.message);
  return {double(run.counts.multiplier_updates) / double(run.counts.steps), certificate(system, run).position_residual};
}

void tell_motion(Outcome& out, const ArmRun& joints, const ArmRun& path) {
  const PathErrors errors = path_errors(path);
  const double balance = std::max(joints.energy_balance(), path.energy_balance());
  const double difference = torque_difference(path, joints.model);
  out.number("path_error_max", errors.place);
  out.number("orientation_error_max", errors.turn);
  out.number("energy_balance", balance);
  out.table = {{"path: end effector off its place, most [m]", {}, errors.place, "by its body, and by the six angles"},
               {"path: off its orientation, most [rad]", {}, errors.turn, "the same"},
               {"energy: work of the joints less change", {}, balance, "of the largest kinetic energy"},
               {"torques of the path against driven joints", {}, difference, "inverse dynamics, of the largest"}};
  const Six of_path = path.torque_most(), of_joints = joints.torque_most();
  for (std::size_t k = 0; k < 6; ++k) {
    out.number(fmt::format("torque_{}_max", k + 1), of_path[k]);
    out.table.push_back({fmt::format("{}: torque along the path, most [N m]", joint_names[k]),
                         {},
                         of_path[k],
                         fmt::format("driven joints {:.1f}; motors give {:g}", of_joints[k], torque_limits[k])});
  }
  for (std::size_t k = 0; k < 6; ++k) out.number(fmt::format("joints_torque_{}_max", k + 1), of_joints[k]);
  out.number("torque_difference", difference);
}

void tell_freedom(Outcome& out, const ArmRun& path, const Stretched& stretched) {
  const auto freedom = [](const System& system) { return double(system.size() - system.constraint_count()); };
  const ModelFile place_only = arm_model("srms_path", {}, {"aim1", "aim2", "aim3"});
  Curve curve{"srms_singular", {"t", "least", "largest"}, {}};
  double least = 1.0;
  for (const Moment& one : path.moments) {
    const auto [low, high] = singular_values(one.angle, path.model.parameters);
    curve.rows.push_back({one.t, low, high});
    least = std::min(least, low);
  }
  out.number("freedom_held", freedom(path.model.system));
  out.number("freedom_place_only", freedom(place_only.system));
  out.number("singular_value_least", least);
  out.number("stretched_time", stretched.met);
  out.number("stretched_time_exact", stretched.exact);
  out.table.push_back(
      {"degrees of freedom, place and orientation held", {}, freedom(path.model.system), "nothing redundant"});
  out.table.push_back(
      {"degrees of freedom, place alone held", {}, freedom(place_only.system), "three joints more than are needed"});
  out.table.push_back({"path: least singular value of the arm", {}, least, "0 where it is singular"});
  out.table.push_back({"led outward: the path ends at [s]", {}, stretched.met, "there the elbow is straight"});
  out.table.push_back({"   by the triangle of the booms [s]",
                       {},
                       stretched.exact,
                       fmt::format("least singular value {:.1e}", stretched.least)});
  out.plots.push_back({"srms_singular",
                       "How far the arm is from a singular position",
                       "t [s]",
                       "singular value of the Jacobian",
                       {{"srms_singular", "largest", "largest", "lines lw 2 lc rgb '#1b9e77'"},
                        {"srms_singular", "least", "least", "lines lw 2 lc rgb '#d95f02'"}},
                       "set logscale y"});
  out.curves.push_back(std::move(curve));
}

void tell_swing(Outcome& out, const ArmRun& brakes) {
  State rest = brakes.model.start.state;
  rest.v.setZero();
  rest.lambda = Vector::Zero(brakes.model.system.constraint_count());
  const std::vector<double> frequencies = stability(brakes.model.system, rest).frequencies();
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    out.number(fmt::format("swing_frequency_{}", k + 1), frequencies[k]);
    out.table.push_back({fmt::format("brakes on: frequency {} [Hz]", k + 1), {}, frequencies[k], ""});
  }
  double low = brakes.moments[0].energy, high = low;
  Curve curve{"srms_swing", {"t", "x", "y", "z"}, {}};
  const Vector3d start = arm_pose(brakes.moments[0].angle, brakes.model.parameters).tip;
  for (const Moment& one : brakes.moments) {
    low = std::min(low, one.energy);
    high = std::max(high, one.energy);
    const Vector3d by = 1e3 * (arm_pose(one.angle, brakes.model.parameters).tip - start);
    curve.rows.push_back({one.t, by[0], by[1], by[2]});
  }
  out.number("swing_energy_drift", (high - low) / high);
  out.table.push_back({"brakes on: energy, largest change", {}, (high - low) / high, "of itself"});
  const Six most = brakes.torque_most();
  out.number("swing_torque_max", *std::max_element(most.begin(), most.end()));
  out.plots.push_back({"srms_swing",
                       "Brakes on: the end effector swings with the payload",
                       "t [s]",
                       "off its place [mm]",
                       {{"srms_swing", "x", "x", "lines lw 2 lc rgb '#222222'"},
                        {"srms_swing", "y", "y", "lines lw 2 lc rgb '#d95f02'"},
                        {"srms_swing", "z", "z", "lines lw 2 lc rgb '#1b9e77'"}},
                       "set xzeroaxis lt 1 lc rgb '#888888'"});
  out.curves.push_back(std::move(curve));
}

}  // namespace

Outcome run_gh95_srms(const Settings& set, const Report& report) {
  Outcome out;
  const std::map<std::string, double> payload{{"payload", set("payload")}};
  const auto with = [&](const std::string& name, double value) {
    std::map<std::string, double> all = payload;
    all[name] = value;
    return all;
  };
  ArmRun joints(arm_model("srms_joints", with("T", set("joints_time")))),
      path(arm_model("srms_path", with("T", set("path_time"))));
  joints.run("joints driven", report, 0.0, 0.2);
  path.run("end effector on its path", report, 0.2, 0.6);
  const Stretched stretched = stretch(with("T", set("path_time")), report);
  ArmRun brakes(arm_model("srms_brakes", payload));
  brakes.run("brakes on", report, 0.7, 1.0);
  for (const ArmRun* one : {&joints, &path, &brakes})
    if (!one->path.finished()) out.failure = one->model.name + ": " + one->path.message;
  if (!out.failure.empty()) return out;
  const double degrees = 180.0 / std::numbers::pi;
  tell_motion(out, joints, path);
  plot_motion(out, "srms_path", "The end effector on its path, every 40 s", path, 80);
  plot_six(out, six_curve("srms_path_torques", path.moments, &Moment::torque, 1.0),
           "Torques that lead the end effector along its path", "torque [N m]");
  plot_six(out, six_curve("srms_path_angles", path.moments, &Moment::angle, degrees), "Angles of the joints along the path",
           "angle [deg]");
  plot_motion(out, "srms_joints", "Joints driven along given angles, every 20 s", joints, 40);
  plot_six(out, six_curve("srms_joints_torques", joints.moments, &Moment::torque, 1.0),
           "Torques of joints driven along given angles", "torque [N m]");
  tell_freedom(out, path, stretched);
  tell_swing(out, brakes);
  tell_flexible(out, set("payload"));
  const PapersMethod papers = papers_way(path, report);
  out.number("al_updates_mean", papers.updates);
  out.number("al_constraint_max", papers.place);
  out.table.push_back({"midpoint, augmented Lagrangian: updates per step", {}, papers.updates, "200 steps along the path"});
  out.table.push_back({"   worst constraint", {}, papers.place, ""});
  out.remarks = {
      "Lengths, masses and moments of inertia are those of Nguyen and Hughes (1994); centres of mass, the payload's inertia "
      "and the stiffness of braked "
      "joints are ours: cases/parts/srms_arm.yaml says which.",
      "The paper gives no numbers for the arm; it names the thesis of Holmstrom (1993). The base is held in space, the "
      "booms are rigid but in the last motion, where they are rods with stiffnesses of ours: cases/srms_flexible.yaml.",
  };
  return out;
}

}  // namespace taut::reproduce
