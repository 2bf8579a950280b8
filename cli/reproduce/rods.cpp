#include "rods.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <taut/simulate/continuation.hpp>

/// Rods against exact solutions: bending, helices, buckling, frequencies, free flight.
namespace taut::reproduce {
namespace {

using Approach = EquilibriumOptions::Approach;

/// Rest under loads that grow in equal parts, each from the one before.
Equilibrium loaded(const std::function<RodModel(double share)>& model, Vector q, int parts, Outcome& out,
                   const std::string& what) {
  Equilibrium found;
  Vector lambda;
  for (int k = 1; k <= parts; ++k) {
    const RodModel one = model(double(k) / parts);
    State start = at_rest(one.system, q);
    if (lambda.size() > 0) start.lambda = lambda;
    const Multipliers newton{.newton = {.tolerance = 1e-12, .refresh = Refresh::iteration}};
    found = equilibrium(one.system, start, {.approach = Approach::direct, .method = newton});
    if (found.status != Status::ok) found = equilibrium(one.system, start, {.method = newton, .tolerance = 1e-10});
    if (found.status != Status::ok) {
      out.failure = what + ": " + found.trouble;
      return found;
    }
    q = found.state.q;
    lambda = found.state.lambda;
  }
  return found;
}

/// The end of a clamped rod by M = 2πEI/L: a full circle.
void roll_up(const Settings& set, Outcome& out) {
  const double EI = 2.0, L = 3.0;
  const int N = set.whole("rollup_elements");
  const BeamOptions options{.name = "strip",
                            .length = L,
                            .elements = N,
                            .rod = RodSection{.bending = {EI, EI}, .torsion = 1.3},
                            .start = clamp(Vector3d::Zero(), along_x())};
  const Beam beam(options, 3);
  const auto model = [&](double share) {
    RodModel one = rod_model(options);
    one.beam.add_moment(
        one.system, N,
        [=](double) {
          return Triple{0.0, 0.0, share * 2.0 * pi * EI / L};
        },
        false);
    return one;
  };
  const Vector q = nodes_placed(beam, [](double s) { return std::pair(Vector3d(s, 0, 0), along_x()); });
  const Equilibrium found = loaded(model, q, 10, out, "roll-up");
  const double closure = vector(beam.at(found.state.q.data(), L)).norm() / L;
  out.number("rollup_closure", closure);
  out.table.push_back({"roll-up by M = 2 pi EI/L: tip from clamp, of L", 0.0, closure, fmt::format("N = {}", N)});
}

/// A helix of curvature κ and torsion τ about z, the material turning by K₃ along it; held at the start, and by the wrench of the exact solution
/// at the end: M = EI κ b + GJ K₃ t, F = κ (GJ K₃ − EI τ)/cos α along the axis.
struct Helix {
  double EI = 1.0, GJ = 0.7, curvature = 1.2, torsion = 0.5, twist = 0.9, length = 6.0;
  double total() const { return std::hypot(curvature, torsion); }
  Matrix3d frenet(double s) const {  // N, B, T
    const double w = total(), c = std::cos(w * s), n = std::sin(w * s), a = curvature / w, b = torsion / w;
    Matrix3d R;
    R.col(0) = Vector3d(-c, -n, 0.0);
    R.col(1) = Vector3d(b * n, -b * c, a);
    R.col(2) = Vector3d(-a * n, a * c, b);
    return R;
  }
  Vector3d place(double s) const {
    const double w = total(), r = curvature / (w * w);
    return {r * std::cos(w * s), r * std::sin(w * s), torsion / w * s};
  }
  Matrix3d frame(double s) const {
    Matrix3d turn = Matrix3d::Identity();
    turn.topLeftCorner<2, 2>() = Eigen::Rotation2Dd((twist - torsion) * s).toRotationMatrix();
    return frenet(s) * turn;
  }
  Vector3d force() const { return Vector3d(0, 0, curvature * (GJ * twist - EI * torsion) * total() / curvature); }
  Vector3d moment() const { return EI * curvature * frenet(length).col(1) + GJ * twist * frenet(length).col(2); }
};

double helix_error(const Helix& helix, int N, Outcome& out) {
  const BeamOptions options{.name = "helix",
                            .length = helix.length,
                            .elements = N,
                            .rod = RodSection{.bending = {helix.EI, helix.EI}, .torsion = helix.GJ},
                            .start = clamp(helix.place(0.0), helix.frame(0.0))};
  const auto model = [&](double) {
    RodModel one = rod_model(options);
    one.beam.add_force(one.system, N, triple(helix.force()));
    one.beam.add_moment(
        one.system, N, [m = triple(helix.moment())](double) { return m; }, false);
    return one;
  };
  const Beam beam(options, 3);
  const Vector q = nodes_placed(beam, [&](double s) { return std::pair(helix.place(s), helix.frame(s)); });
  const Equilibrium found = loaded(model, q, 1, out, "helix");
  double worst = 0.0;
  for (int k = 0; k <= N; ++k)
    worst = std::max(worst, (vector(beam.at(found.state.q.data(), beam.s(k))) - helix.place(beam.s(k))).norm());
  return worst / helix.length;
}

void helices(const Settings& set, Outcome& out) {
  std::vector<double> sizes, errors;
  Curve curve{"rods_helix", {"N", "error"}, {}};
  for (const int N : {12, 24, 48, 96}) {
    sizes.push_back(1.0 / N);
    errors.push_back(helix_error({}, N, out));
    curve.rows.push_back({double(N), errors.back()});
  }
  const int N = set.whole("helix_elements");
  const double error = helix_error({}, N, out), order = slope(sizes, errors);
  out.number("helix_error", error);
  out.number("helix_order", order);
  out.table.push_back({"helix by end force and torque: largest error, of L", 0.0, error, fmt::format("N = {}", N)});
  out.table.push_back({"  its order", {}, order, "N = 12 to 96"});
  out.curves.push_back(std::move(curve));
  out.plots.push_back({"rods_helix",
                       "Kirchhoff's helix: order 4",
                       "N",
                       "largest error, of the length",
                       {{"rods_helix", "error", "error", "linespoints lw 2 lc rgb '#222222'"}},
                       "set logscale xy\nset format y '10^{%L}'\nset xrange [10:120]\nset xtics (12, 24, 48, 96)"});
}

/// 45° of a circle of radius 100 in the x-y plane, square section of side 1, E = 1e7, ν = 0, a force along z at its end. K.-J. Bathe and S. Bolourchi, Int. J. Numer.
/// Methods Eng. 14 (1979) 961–986; values of J. C. Simo and L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79–116.
Vector3d bend45(int N, double force, Outcome& out) {
  constexpr double R = 100.0, E = 1e7, G = 5e6;
  RodSection section{.bending = {E / 12.0, E / 12.0}, .torsion = G / 6.0, .axial = E, .shear = {G, G}};
  section.curvature = {Profile(0.0), Profile(-1.0 / R), Profile(0.0)};
  const auto at = [](double s) {  // starts along y and bends to x; d₁ along −normal … the curvature is about d₂ = z
    const double a = s / R;
    Matrix3d frame;
    frame.col(2) = Vector3d(std::sin(a), std::cos(a), 0.0);
    frame.col(1) = Vector3d::UnitZ();
    frame.col(0) = frame.col(1).cross(frame.col(2));
    return std::pair(Vector3d(R * (1.0 - std::cos(a)), R * std::sin(a), 0.0), frame);
  };
  const BeamOptions options{.name = "bend",
                            .length = 0.25 * pi * R,
                            .elements = N,
                            .rod = section,
                            .start = clamp(Vector3d::Zero(), at(0.0).second)};
  const auto model = [&](double share) {
    RodModel one = rod_model(options);
    one.beam.add_force(one.system, N, {0.0, 0.0, share * force});
    return one;
  };
  const Beam beam(options, 3);
  const Equilibrium found = loaded(model, nodes_placed(beam, at), 12, out, "45 degree bend");
  return vector(beam.at(found.state.q.data(), options.length));
}

void bend(const Settings& set, Outcome& out) {
  const std::pair<double, Vector3d> published[] = {{300.0, {22.33, 58.84, 40.08}}, {600.0, {15.79, 47.23, 53.37}}};
  const int N = set.whole("bend_elements");
  double worst = 0.0;
  for (const auto& [force, tip] : published) {
    const Vector3d ours = bend45(N, force, out);
    const double off = (ours - tip).norm() / tip.norm();
    worst = std::max(worst, off);
    for (int k = 0; k < 3; ++k)
      out.table.push_back({fmt::format("45 degree bend, {:g}: tip {}", force, "xyz"[k]), tip[k], ours[k]});
  }
  const Vector3d fine = bend45(2 * N, 600.0, out), here = bend45(N, 600.0, out);
  out.number("bend45_tip_error", worst);
  out.number("bend45_refinement", (fine - here).norm() / fine.norm());
  out.table.push_back({"  tip error against Simo and Vu-Quoc 1986", 0.0, worst, "they have 8 straight elements"});
  out.table.push_back(
      {"  change with twice the elements", 0.0, (fine - here).norm() / fine.norm(), fmt::format("N = {}", N)});
}

double bisected(double low, double high, const std::function<bool(double)>& stable) {
  for (int k = 0; k < 24; ++k) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The load at which the branch of a family of rods meets another one, followed from 0.9 to 1.1 of what it should be, over that.
double crossed(const std::function<RodModel(double)>& model, const Vector& q, double exact, Outcome& out) {
  const System first = model(0.9 * exact).system;
  const EquilibriumBranch path = continuation([&](double load) { return model(load).system; }, at_rest(first, q),
                                              0.9 * exact, 1.1 * exact, {.increments = 4});
  for (const CriticalPoint& one : path.critical)
    if (one.kind == CriticalPoint::Kind::bifurcation) return one.parameter / exact;
  out.failure = path.trouble.empty() ? "no bifurcation was found along a branch" : path.trouble;
  return std::numeric_limits<double>::quiet_NaN();
}

/// q = 0 for one coordinate.
struct HoldCoordinate {
  static constexpr int width = 1, rows = 1;
  int at;
  std::array<int, 1> stencil() const { return {at}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 1>& q) const { return {q[0]}; }
  std::string name() const { return message("coordinate {} held", at); }
};

/// A load over the exact one at which rest ends: by eigenvalues at loads apart, and by continuation.
struct Buckling {
  double by_eigenvalues, by_continuation;
};

Equilibrium rest(const System& system, const Vector& q) {
  return equilibrium(system, at_rest(system, q),
                     {.approach = Approach::direct, .method = Multipliers{.newton = {.tolerance = 1e-12}}});
}

/// A ring closed with a twist Φ leaves its plane at 2π√3 EI/GJ. J. H. Michell, Messenger of Math. 19 (1889) 181–184. That both ends are held takes
/// rigid motions away and nothing else; turning the ring about its tangent there costs nothing, so there is a zero eigenvalue always.
/// For continuation the ring's far point is kept at its height, which takes that away.
Buckling michell(int N, Outcome& out) {
  const double EI = 1.0, GJ = 1.3, L = 2.0 * pi;
  const auto shape = [&](double twist) {
    return [=](double s) {
      Matrix3d frame;
      frame.col(2) = Vector3d(-std::sin(s), std::cos(s), 0.0);
      const Vector3d n(std::cos(s), std::sin(s), 0.0), b = Vector3d::UnitZ();
      const double a = twist * s / L;
      frame.col(0) = std::cos(a) * b + std::sin(a) * n;
      frame.col(1) = frame.col(2).cross(frame.col(0));
      return std::pair(n, frame);
    };
  };
  const auto model = [&](double twist) {
    const auto at = shape(twist);
    return rod_model({.name = "ring",
                      .length = L,
                      .elements = N,
                      .rod = RodSection{.bending = {EI, EI}, .torsion = GJ, .inertia = {0.01, 0.01}},
                      .start = clamp(at(0.0).first, at(0.0).second),
                      .end = clamp(at(L).first, at(L).second)});
  };
  const auto stable = [&](double twist) {
    const RodModel ring = model(twist);
    const Equilibrium found = rest(ring.system, nodes_placed(ring.beam, shape(twist)));
    return found.status == Status::ok && found.lowest_eigenvalue > -1e-5;
  };
  const auto held = [&](double twist) {
    RodModel ring = model(twist);
    ring.system.add(HoldCoordinate{3 * ring.beam.position(N / 2) + 2});
    return ring;
  };
  const double exact = 2.0 * pi * std::sqrt(3.0) * EI / GJ;
  const Vector q = nodes_placed(held(0.0).beam, shape(0.9 * exact));
  return {bisected(0.9 * exact, 1.1 * exact, stable) / exact, crossed(held, q, exact, out)};
}

/// A narrow cantilever under a force at its end tips over at 4.0126 √(EI GJ)/L²: the first zero of J₋₁⸝₄(β/2). L. Prandtl, 1899. Stiff is EI₁, for which the
/// deflection before does not count.
Buckling lateral(int N, Outcome& out) {
  const double EI = 1.0, GJ = 0.6, L = 1.0, exact = 4.012598 * std::sqrt(EI * GJ) / (L * L);
  const Matrix3d frame = along_x();  // d₁ = y, d₂ = z: stiff about y
  const auto model = [&](double force) {
    RodModel one = rod_model({.name = "cantilever",
                              .length = L,
                              .elements = N,
                              .rod = RodSection{.bending = {1e6 * EI, EI}, .torsion = GJ, .inertia = {0.01, 0.01}},
                              .start = clamp(Vector3d::Zero(), frame)});
    one.beam.add_force(one.system, N, {0.0, 0.0, -force});
    return one;
  };
  const Vector q = nodes_placed(model(0.0).beam, [&](double s) { return std::pair(Vector3d(s, 0, 0), frame); });
  const auto stable = [&](double force) {
    const Equilibrium found = rest(model(force).system, q);
    return found.status == Status::ok && found.lowest_eigenvalue > 0.0;
  };
  return {bisected(0.9 * exact, 1.1 * exact, stable) / exact, crossed(model, q, exact, out)};
}

/// A shaft between hinges under a torque about its axis and a thrust: P/P_E + (M/M_cr)² = 1, P_E = π²EI/L², M_cr = 2πEI/L. A. G. Greenhill, Proc. Inst. Mech. Eng.
/// 34 (1883) 182–225. The torque keeps its direction, so it has no potential, and eigenvalues of the whole matrix are asked for.
Buckling greenhill(int N, double thrust_share, Outcome& out) {
  const double EI = 1.0, GJ = 0.7, L = 1.0, thrust = thrust_share * pi * pi * EI / (L * L);
  const double exact = 2.0 * pi * EI / L * std::sqrt(1.0 - thrust_share);
  const auto model = [&](double torque) {
    RodModel one = rod_model({.name = "shaft",
                              .length = L,
                              .elements = N,
                              .rod = RodSection{.bending = {EI, EI}, .torsion = GJ, .inertia = {0.01, 0.01}},
                              .start = pinned(Vector3d::Zero())});
    const auto moment = [&](double sign) { return [m = sign * torque](double) { return Triple{m, 0.0, 0.0}; }; };
    one.beam.add_moment(one.system, 0, moment(-1.0), false);
    one.beam.add_moment(one.system, N, moment(1.0), false);
    one.beam.add_force(one.system, N, {-thrust, 0.0, 0.0});
    // The end slides along x; and something must keep the whole from turning about it, which bears nothing.
    const int end = 3 * one.beam.position(N);
    one.system.add(HoldCoordinate{end + 1}).add(HoldCoordinate{end + 2}).add(HoldCoordinate{one.beam.frame_at(0)[0] + 2});
    return one;
  };
  const auto twisted = [&](const Beam& beam, double torque) {
    return nodes_placed(beam, [&](double s) {
      const Matrix3d turn = Eigen::AngleAxisd(torque / GJ * s, Vector3d::UnitX()).toRotationMatrix();
      return std::pair(Vector3d(s, 0, 0), Matrix3d(turn * along_x()));
    });
  };
  const auto stable = [&](double torque) {
    const RodModel one = model(torque);
    const Equilibrium found = rest(one.system, twisted(one.beam, torque));
    return found.status == Status::ok && !stability(one.system, found.state).unstable();
  };
  const Vector q = twisted(model(0.0).beam, 0.9 * exact);
  return {bisected(0.9 * exact, 1.1 * exact, stable) / exact, crossed(model, q, exact, out)};
}

}  // namespace

Outcome run_rods(const Settings& set, const Report& report) {
  Outcome out;
  report("roll-up", 0.0);
  roll_up(set, out);
  report("helix", 0.05);
  helices(set, out);
  report("45 degree bend", 0.15);
  bend(set, out);
  report("buckling", 0.3);
  const int N = set.whole("buckling_elements");
  const struct {
    const char *name, *along, *words;
    Buckling found;
  } loads[] = {{"michell_ratio", "michell_continuation",
                "Michell's ring: twist at which it leaves its plane, of 2 pi sqrt(3) EI/GJ", michell(2 * (5 * N / 4), out)},
               {"lateral_buckling_ratio", "lateral_buckling_continuation",
                "narrow cantilever: force at which it tips, of 4.0126 sqrt(EI GJ)/L^2", lateral(N, out)},
               {"greenhill_ratio", "greenhill_continuation",
                "Greenhill's shaft: torque at half the Euler load, of sqrt(1/2) 2 pi EI/L", greenhill(N, 0.5, out)}};
  for (const auto& one : loads) {
    out.number(one.name, one.found.by_eigenvalues);
    out.number(one.along, one.found.by_continuation);
    out.table.push_back({one.words, 1.0, one.found.by_eigenvalues});
    out.table.push_back({"  the same by continuation", 1.0, one.found.by_continuation});
  }
  rods_in_motion(set, report, out);
  return out;
}

}  // namespace taut::reproduce
