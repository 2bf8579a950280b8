#include <taut/models/seven_body.hpp>
#include <taut/simulate/start.hpp>

namespace taut {

template class DynamicsTerms<CrankAndCoupler>;
template class DynamicsTerms<TwoInARow>;
template class DynamicsTerms<SprungBody>;
template class DynamicsTerms<CrankTorque>;
template class ConstraintTerms<LoopOverOne>;
template class ConstraintTerms<LoopOverTwo>;

Model seven_body() {
  const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
  const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785;
  const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
               sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
               zf = 0.02, zt = 0.04, fa = 0.01421;
  System system(7);
  system.add(CrankAndCoupler{.crank = m1 * ra * ra + I1, .mass = m2, .inertia = I2, .r = rr, .s = da})
      .add(SprungBody{
          .inertia = m3 * (sa * sa + sb * sb) + I3, .k = c0, .l = l0, .along = sd, .across = sc, .x = xb - xc, .y = yb - yc})
      .add(TwoInARow{.first = 3, .far = m5 * (ta * ta + tb * tb) + I5, .mass = m4, .inertia = I4, .r = zt, .s = e - ea})
      .add(TwoInARow{.first = 5, .far = m7 * (ua * ua + ub * ub) + I7, .mass = m6, .inertia = I6, .r = -u, .s = zf - fa})
      .add(CrankTorque{.newton_metres = 0.033})
      .add(LoopOverOne{.r = rr, .d = d, .s = ss, .x = xb, .y = yb})
      .add(LoopOverTwo{
          .first = 3, .r = rr, .d = d, .x = xa, .y = ya, .near = 0.0, .near_normal = e, .far = -zt, .far_normal = 0.0})
      .add(LoopOverTwo{
          .first = 5, .r = rr, .d = d, .x = xa, .y = ya, .near = -zf, .near_normal = 0.0, .far = 0.0, .far_normal = u});
  system.name_coordinates({"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"});
  State start = at_rest(system, Vector{{-0.0617138900142764, 0.0, 0.45527981916307, 0.222668390165886, 0.487364979543843,
                                        -0.222668390165886, 1.23054744454982}});
  return {std::move(system), std::move(start)};
}

}  // namespace taut
