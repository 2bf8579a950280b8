"""Not run: what mypy must find right, and what wrong."""

import numpy as np

import taut

m = taut.Model("Pendulum", gravity=9.81)
l = m.parameter("l", 1.0)
m.point("O", [0, 0])
A = m.mass("A", mass=1, at=[l, 0])
m.rod("O", "A", length=l)
m.run(until=10, rtol=1e-9)
x: taut.Symbol = m["A.x"]
speed: taut.Symbol = x.dot
r: taut.Result = m.solve(10, rtol=1e-9)
q: np.ndarray = r.q
drift: float = r.certificate.energy.drift
verdict: str = r.verdict
text: str = m.to_yaml()
sim: taut.Simulation = m.start_run(step=1e-3)
sim.inputs["u"] = 1.0
sim.advance(0.1)
freedom: int = m.check().degrees_of_freedom
try:
    r.raise_for_status()
except taut.RunError as error:
    partial: taut.Result = error.result

r.verdicts  # type: ignore[attr-defined]
m.mas("A")  # type: ignore[attr-defined]
m.rod("O", "A", lenght=1)  # type: ignore[call-arg]
wrong: int = r.verdict  # type: ignore[assignment]
