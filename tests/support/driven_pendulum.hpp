#pragma once

namespace taut {

/// A pendulum of unit length whose pivot moves on a Lissajous figure.
inline constexpr const char* driven_pendulum = R"yaml(
gravity: 9.81
masses: {A: {mass: 1}}
points: {P: ["0.3*sin(2*t)", "0.2*cos(3*t)"]}
rods: [{between: [P, A], length: 1}]
initial: {A.x: 1, A.y: 0.2, solve: all}
)yaml";

}  // namespace taut
