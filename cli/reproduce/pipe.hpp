#pragma once

#include <taut/taut.hpp>

#include "experiment.hpp"
#include "staggered.hpp"

namespace taut::reproduce {

/// The pipeline of (95) in Glowinski and Holmström 1995, which is also that of section 3.2 in Basting, Quaini, Glowinski and Čanić 2013: 32.6 m,
/// EI = 700 N m², ρ = 7.67 kg/m, hinged at A = (0, 0); its end B is held at (20, 0) or free.
struct Pipe {
  static constexpr double length = 32.6, density = 7.67, span = 20.0, g = 9.81;
  Beam beam;
  System system;
};
Pipe pipe(int elements, bool held, double stiffness = 700.0, double gravity = Pipe::g,
          Placement lengths = Placement::simpson);

/// The lengths alone become springs; the supports stay. ε is the paper's: ρH_ε(|x′|² − 1) = ρ/(2ε)(|x′|² − 1)² is our penalty
/// (w/8ε′)(|x′|² − 1)² per weight w with ε′ = ε/(4ρ).
System with_soft_lengths(const System& system, double epsilon);

/// The held pipe on a parabola, at rest: where searches for its equilibrium begin.
State on_parabola(const Pipe& held);

/// The free pipe at rest in a configuration of the held one. λ of the lengths go along as a guess.
State released(const Pipe& free, const State& rest);

/// The converged tip at full seconds: another program, N = 240 and Richardson's extrapolation in Δt, ±1e-4 m.
struct Tip {
  double t, x, y;
};
inline constexpr Tip converged_tip[] = {{1.0, 19.9695, -5.7327},
                                        {2.0, 14.5933, -28.8731},
                                        {3.0, -12.5592, -23.3411},
                                        {5.0, -17.0196, -19.0580},
                                        {7.0, -12.4095, -27.7885}};

/// The shape every 0.1 s between two times, as x and y, with an empty row between two shapes: lines that do not join.
Curve positions(const std::string& name, const Beam& beam, const Trajectory& path, double from, double to);
Figure positions_figure(const std::string& name, const std::string& title, const Curve& curve);

/// The state nearest to a time.
int state_near(const Trajectory& path, double t);

}  // namespace taut::reproduce
