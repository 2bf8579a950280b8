#include <fstream>
#include <stdexcept>
#include <taut/base/require.hpp>

#include "model_commands.hpp"

namespace taut::cli {

void write_starter(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  require(out.good(), "init: '{}' cannot be written.", path);
  out << R"yaml(# A model of taut. Try: taut run FILE, taut check FILE, taut verify FILE.
name: Pendulum on a spring
source: a first model

parameters:            # numbers, with units if you like; change them with --set l=2
  l: 1 m
  m: 500 g
  k: 40 N/m

dimension: 2           # of masses and points: 1, 2 or 3
gravity: 9.81 m/s^2    # along the last axis, downward

masses:                # what moves
  A: {mass: m, at: [l, 0]}
  B: {mass: m, at: [2*l, 0], velocity: [0, 0]}

points:                # places without mass; they may move: [sin(3*t), 0]
  O: [0, 0]

rods:                  # keep a distance: that at the start, unless a length is given
  - [O, A]
springs:
  - {between: [A, B], stiffness: k, damping: 0.1}

# coordinates: [phi]                        generalised coordinates, with
# kinetic: "m*l^2*phi'^2/2"                 their energies; x' is the velocity of x
# potential: "-m*9.81*l*cos(phi)"
# forces: {phi: "-0.1*phi'"}
# constraints: ["A.x^2 + A.y^2 = l^2", "B.y >= -3"]

outputs:               # recorded over time
  angle: "atan2(A.x, -A.y)"
  stretch: "hypot(B.x - A.x, B.y - A.y) - l"

run:
  until: 10 s
  rtol: 1e-9           # or a step, with any integrator of `taut list`
  interval: 0.02       # record that often
)yaml";
  out.close();
  if (!out.good()) throw std::runtime_error(message("'{}' could not be written; is the disk full?", path));
}

}  // namespace taut::cli
