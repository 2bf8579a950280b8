"""A double pendulum of two point masses on rigid rods: built, run and certified. Its twin is examples/double_pendulum.cpp."""

import taut

m = taut.Model("Double pendulum", gravity=9.81)
O = m.point("O", [0, 0])
A = m.mass("A", mass=1, at=[1, 0])
B = m.mass("B", mass=1, at=[2, 0])
m.rod(O, A)
m.rod(A, B)

r = m.solve(10, step=0.01, integrator="midpoint")
print(r)
r.raise_for_status()
