"""A cable between two supports: where it hangs, its lowest frequencies, and what happens when one end lets go."""

import taut

m = taut.Model("Cable", gravity=9.81)
cable = m.beam("cable", length=12, elements=30, density=2, stiffness=5, start={"pinned": [0, 0]}, end={"pinned": [8, 0], "release": 0})
m.initial(equilibrium=True)
m.output("tip", cable.end.y)

rest = m.static()
print(f"sags by {-min(rest.q):.2f} m; frequencies {', '.join(f'{one:.2f}' for one in rest.frequencies[:3])} Hz")
r = m.solve(3, step=0.005, integrator="newmark", every=10)
print(f"the loose end falls to {r['tip'].min():.2f} m")
