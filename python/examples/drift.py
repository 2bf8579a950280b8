"""For teaching: one pendulum held by multipliers and by a penalty, and what a good scheme keeps that a plain one does not."""

import taut

m = taut.Model("Pendulum", gravity=9.81)
m.point("O", [0, 0])
m.mass("A", mass=1, at=[1, 0])
m.rod("O", "A")

print("held by                     off the circle    energy off")
for words, how in {
    "multipliers, midpoint": {"integrator": "midpoint"},
    "multipliers, energy kept": {"integrator": "energy-momentum"},
    "multipliers, rk4": {"integrator": "rk4"},
    "penalty 1e-4, midpoint": {"integrator": "midpoint", "formulation": {"penalty": 1e-4}},
    "penalty 1e-6, midpoint": {"integrator": "midpoint", "formulation": {"penalty": 1e-6}},
}.items():
    c = m.solve(10, step=0.005, **how).certificate
    print(f"{words:<26} {c.gap:10.1e} m {c.energy.deviation:12.1e} J")
