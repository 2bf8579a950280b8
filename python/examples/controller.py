"""A controller in the loop: a cart that balances a pendulum, sampled a hundred times a second."""

import numpy as np

import taut

m = taut.Model("Cart and pendulum", gravity=9.81, inputs={"push": 0})
x, phi = m.coordinates("x", "phi")
m.let("px", x + np.sin(phi))
m.let("py", np.cos(phi))
m.mass("bob", mass=0.2, at=["px", "py"])
m.kinetic(x.dot**2 / 2)
m.force(x, m.u.push)
m.initial(phi=0.2)

sim = m.start_run(rtol=1e-9)
gains = np.array([-3.2, -40.0, -5.5, -12.0])  # of x, phi and their rates
while sim.t < 6 - 1e-9:
    state = np.array([sim["x"], sim["phi"], sim["x'"], sim["phi'"]])
    sim.inputs["push"] = -gains @ state
    sim.advance(0.01)

r = sim.result()
print(f"phi from {r['phi'][0]:.2f} to {r['phi'][-1]:.1e}, the cart went as far as {np.abs(r['x']).max():.2f} m")
assert abs(r["phi"][-1]) < 1e-2
