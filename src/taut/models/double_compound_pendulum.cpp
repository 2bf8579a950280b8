#include <taut/models/double_compound_pendulum.hpp>
#include <taut/simulate/start.hpp>

namespace taut {

template class DynamicsTerms<CompoundLinks>;
template class DynamicsTerms<TorqueUntil>;
template class ConstraintTerms<TipBeforeWall>;
template class ConstraintTerms<TipOnEllipse>;

Model gh95_wall() {
  const CompoundLinks links{
      .a1 = 1.63, .a2 = 0.99, .l1 = 3.26, .l2 = 1.98, .m1 = 67.1, .m2 = 219.0, .I1 = 0.8134, .I2 = 0.8290, .g = 9.81};
  System system(2);
  system.add(links).add(TipBeforeWall{.l1 = links.l1, .l2 = links.l2, .d = 2.44});
  State start = at_rest(system, Vector{{-0.5236, -1.0472}});
  return {std::move(system), std::move(start)};
}

Model gh95_ellipse() {
  const CompoundLinks links{
      .a1 = 0.5, .a2 = 0.25, .l1 = 1.0, .l2 = 0.5, .m1 = 10.0, .m2 = 5.0, .I1 = 0.8333, .I2 = 0.1042, .g = 9.82};
  System system(2);
  system.add(links)
      .add(TipOnEllipse{.l1 = links.l1, .l2 = links.l2, .x0 = 0.25, .y0 = 1.0, .c = 0.5, .d = 1.155})
      .add(TorqueUntil{.newton_metres = -30.0, .until = 4.0});
  State start = at_rest(system, Vector{{2.270939955515765, 0.6591}});
  return {std::move(system), std::move(start)};
}

}  // namespace taut
