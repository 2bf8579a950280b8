// A double pendulum of two point masses on rigid rods: built, run and certified.
#include <iostream>
#include <taut/taut.hpp>

int main() {
  taut::System pendulum(taut::Points{.count = 2, .dim = 2, .mass = 1.0});
  pendulum.add(taut::Gravity{.g = 9.81});
  pendulum.add(taut::Pin{.point = 0, .at = {0.0, 0.0}, .length = 1.0});
  pendulum.add(taut::Distance{.from = 0, .to = 1, .length = 1.0});

  const auto start = taut::at_rest(pendulum, taut::Vector{{1.0, 0.0, 2.0, 0.0}});
  const auto path = taut::simulate(pendulum, start, taut::Midpoint{}, taut::Multipliers{}, {.step = 0.01, .end = 10.0});
  std::cout << taut::certificate(pendulum, path);
  return path.finished() ? 0 : 1;
}
