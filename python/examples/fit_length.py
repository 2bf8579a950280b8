"""Fitting: the length of a pendulum, and its damping, from noisy measurements of its angle, with scipy.optimize."""

import numpy as np
from scipy.optimize import least_squares

import taut

m = taut.Model("Pendulum in air")
l, c = m.parameter(l=1.0, c=0.0)
phi = m.coordinate("phi")
m.kinetic(l**2 * phi.dot**2 / 2)
m.potential(-9.81 * l * np.cos(phi))
m.force(phi, -c * phi.dot)
m.initial(phi=1.0)

times = np.linspace(0, 10, 101)
measured = m.solve(t_eval=times, rtol=1e-9, parameters={"l": 1.234, "c": 0.1})["phi"]
measured = measured + np.random.default_rng(1).normal(0, 0.01, len(times))


def misfit(guess):
    return m.solve(t_eval=times, rtol=1e-9, parameters=dict(zip("lc", guess)))["phi"] - measured


found = least_squares(misfit, [1.1, 0.05])
print(f"l = {found.x[0]:.4f} m, c = {found.x[1]:.4f} kg m^2/s, after {found.nfev} evaluations")
assert abs(found.x[0] - 1.234) < 2e-3 and abs(found.x[1] - 0.1) < 5e-3
