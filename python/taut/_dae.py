"""For those who have their own functions: M, f, g and G."""

from __future__ import annotations

import threading
from typing import Any, Callable, Mapping

import numpy as np

from . import _core
from ._model import _progress
from ._result import Result, times_of


def solve_dae(
    M: Any,
    f: Callable[..., Any],
    q0: Any,
    v0: Any = None,
    *,
    until: float,
    t0: float = 0.0,
    g: Callable[..., Any] | None = None,
    G: Callable[..., Any] | None = None,
    V: Callable[..., Any] | None = None,
    slopes: Callable[..., Any] | None = None,
    integrator: str | Mapping[str, Any] | None = None,
    solver: str = "multipliers",
    step: float = 0.0,
    rtol: float = 0.0,
    atol: float = 0.0,
    t_eval: Any = None,
    progress: bool | Callable[[float], Any] | None = None,
) -> Result:
    """Runs M(q) v' = f(t, q, v) - G(t, q)^T lam with g(t, q) = 0 and q' = v, by any integrator of the catalogue.

    M: a matrix, or a function of q. f(t, q, v), g(t, q), G(t, q) = dg/dq, by differences where it is not given. V(t, q): potential energy, whose
    forces are in f, for the certificate. slopes(t, q, v): df/dq and df/dv, by differences where it is not given. Initial values are projected onto the constraints. Without an integrator it is dop853 with rtol, rk4 with a step.

    >>> r = taut.solve_dae(np.eye(2), lambda t, q, v: np.array([0, -9.81]), [1, 0], until=10, rtol=1e-9,
    ...                    g=lambda t, q: (q @ q - 1) / 2, G=lambda t, q: q)

    Every call of a function costs a microsecond or more, some ten of them a step, and differences take many: a model with expressions is a hundred times faster.
    """
    q = np.ascontiguousarray(np.atleast_1d(q0), dtype=float)
    v = np.zeros_like(q) if v0 is None else np.ascontiguousarray(np.atleast_1d(v0), dtype=float)
    if step == 0.0 and rtol == 0.0 and atol == 0.0:
        rtol = 1e-8
    named = dict(integrator) if isinstance(integrator, Mapping) else {"name": integrator}
    name = named.pop("name") or ("dop853" if rtol or atol else "rk4")
    asked = {
        "t0": float(t0), "until": float(until), "step": float(step), "rtol": float(rtol), "atol": float(atol),
        "integrator": name, "options": named, "solver": solver,
        "t_eval": [] if t_eval is None else times_of(t_eval).tolist(),
    }  # fmt: skip
    mass = M if callable(M) else np.ascontiguousarray(M, dtype=float)
    functions = {"M": mass, "f": f, "g": g, "G": G, "V": V, "slopes": slopes}
    main = threading.current_thread() is threading.main_thread()
    return Result(_core.solve_equations(functions, q, v, asked, main, _progress(progress, "solve_dae")), None, None, {})
