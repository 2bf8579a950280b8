"""A force as a function: traced once into an expression, so that it runs at the speed of one and has exact slopes."""

import numpy as np

import taut

m = taut.Model("Thrown ball", gravity=9.81)
ball = m.mass("ball", mass=0.145, velocity=[30, 30])


@m.force(ball)
def drag(t, q, v):
    return -0.0013 * np.sqrt(v @ v) * v


m.event("ground", when=ball.y, direction="falling", then="stop")
r = m.solve(20, rtol=1e-9)
print(m.section("forces"))
print(f"it flies {r['ball.x'][-1]:.2f} m in {r.t[-1]:.2f} s, and {2 * 30 * 30 / 9.81:.2f} m without air")
