#include "pipe.hpp"

#include <cmath>

namespace taut::reproduce {

Pipe pipe(int elements, bool held, double stiffness, double gravity, Placement lengths) {
  using Support = BeamEnd::Support;
  const BeamEnd B = held ? BeamEnd{.support = Support::pinned, .place = {Pipe::span, 0.0, 0.0}} : BeamEnd{};
  Beam beam({.name = "pipe",
             .length = Pipe::length,
             .elements = elements,
             .density = Pipe::density,
             .stiffness = stiffness,
             .inextensible = lengths,
             .start = {.support = Support::pinned},
             .end = B},
            2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  if (gravity != 0.0) beam.add_gravity(system, gravity);
  return {std::move(beam), std::move(system)};
}

System with_soft_lengths(const System& system, double epsilon) {
  return penalized(system, epsilon / (4.0 * Pipe::density), [&](int row) { return system.holds_length(row); });
}

State on_parabola(const Pipe& held) {
  Vector q = Vector::Zero(held.system.size());
  held.beam.place(hanging({}, {Pipe::span, 0.0, 0.0}, Pipe::length, 2), q);
  return at_rest(held.system, q);
}

State released(const Pipe& free, const State& rest) {
  State start = at_rest(free.system, rest.q);
  // The rows of the lengths and of A come first, those of B last.
  if (rest.lambda.size() >= start.lambda.size()) start.lambda = rest.lambda.head(start.lambda.size());
  return start;
}

int state_near(const Trajectory& path, double t) {
  int best = 0;
  for (int k = 1; k < path.size(); ++k)
    if (std::abs(path.t(k) - t) < std::abs(path.t(best) - t)) best = k;
  return best;
}

Curve positions(const std::string& name, const Beam& beam, const Trajectory& path, double from, double to) {
  Curve curve{name, {"x", "y", "t"}, {}};
  for (int shape = 0; from + 0.1 * shape < to + 0.05; ++shape) {
    const int k = state_near(path, from + 0.1 * shape);
    if (shape > 0) curve.rows.emplace_back();
    for (int i = 0; i <= 4 * (beam.nodes() - 1); ++i) {
      const auto x = beam.at(path.q(k).data(), beam.options().length * i / (4.0 * (beam.nodes() - 1)));
      curve.rows.push_back({x[0], x[1], path.t(k)});
    }
  }
  return curve;
}

Figure positions_figure(const std::string& name, const std::string& title, const Curve& curve) {
  return {name,
          title,
          "x [m]",
          "y [m]",
          {{curve.name, "y", "one line every 0.1 s", "lines lw 1 lc rgb '#222222'"}},
          "set size ratio -1\nset xrange [-35:35]\nset yrange [-40:10]"};
}

}  // namespace taut::reproduce
