"""A mechanism with a closed loop: forces in its rods, and whether they would break."""

import taut

m = taut.Model("Four-bar linkage", gravity=9.81)
m.points({"O": [0, 0], "P": [3, 0]})
m.mass("A", mass=1, at=[0, 1], velocity=[4, 0])
m.mass("B", mass=1, at=[3, 2])
m.rod("O", "A")
m.rod("A", "B")
m.rod("B", "P")
m.initial(solve=["B.x", "B.y", "B.x'", "B.y'"])
print(m.check())

r = m.solve(5, rtol=1e-10)
for rod in r.constraints:
    force = r.force(rod)
    print(f"{rod}: {force.min():8.2f} N to {force.max():8.2f} N")
