"""Equations of your own, M v' = f - G^T lam with g = 0, by any integrator: a bead on a parabola, and what it takes to hold it there."""

import numpy as np

import taut

r = taut.solve_dae(
    M=np.eye(2),
    f=lambda t, q, v: np.array([0, -9.81]),
    g=lambda t, q: q[1] - q[0] ** 2,
    G=lambda t, q: np.array([-2 * q[0], 1]),
    V=lambda t, q: 9.81 * q[1],
    q0=[1, 1],
    until=5,
    rtol=1e-8,
)
print(r)
turns = np.flatnonzero(np.diff(np.sign(r.v[:, 0])))
print(f"turns round at t = {', '.join(f'{r.t[k]:.2f}' for k in turns[:4])} s")
