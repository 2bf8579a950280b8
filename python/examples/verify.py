"""Whether to believe a run: smaller steps, and every integrator side by side."""

import taut

m = taut.Model("Spherical pendulum", dimension=3, gravity=9.81)
m.point("O", [0, 0, 0])
m.mass("A", mass=1, at=[1, 0, 0], velocity=[0, 2, 0])
m.rod("O", "A")

print(m.verify(3, step=0.01, integrator="rattle"))
print(m.compare(3, step=0.02, integrators=["midpoint", "rattle", "energy-momentum", "spark2"], halvings=1))
