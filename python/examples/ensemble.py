"""Many runs at once: threads, since a run lets Python go on. How far neighbours of a chaotic motion drift apart."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import taut

m = taut.Model("Double pendulum", gravity=9.81)
m.parameter("turn", 0.0)
m.point("O", [0, 0])
m.mass("A", mass=1, at=["sin(2 + turn)", "-cos(2 + turn)"])
m.mass("B", mass=1, at=["sin(2 + turn)", "1 - cos(2 + turn)"])
m.rod("O", "A")
m.rod("A", "B")
times = np.linspace(0, 10, 11)


def run(turn):
    return m.solve(t_eval=times, rtol=1e-10, parameters={"turn": turn})["B.x"]


with ThreadPoolExecutor() as pool:
    ends = np.array(list(pool.map(run, np.linspace(0, 1e-6, 16))))
for t, spread in zip(times, np.ptp(ends, axis=0)):
    print(f"t = {t:4.1f} s: {spread:.1e} m apart")
