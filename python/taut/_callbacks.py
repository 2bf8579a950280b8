"""Forces that are functions of Python's, called with numbers."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np

from . import _core


def wanted(function: Callable[..., Any]) -> list[str]:
    """Which of t, q and v a force takes."""
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name not in ("t", "q", "v"):
            raise _core.InputError(f"force: a function takes t, q and v, or some of them, not '{name}'")
    return names


class _Called:
    """A function of some of t, q and v, as one of all; single coordinates as numbers."""

    def __init__(self, function: Callable[..., Any], vector: bool):
        self.function, self.vector, self.names = function, vector, wanted(function)

    def __call__(self, t: float, q: Any, v: Any) -> Any:
        all = {"t": t, "q": q, "v": v} if self.vector else {"t": t, "q": q[0], "v": v[0]}
        return self.function(**{name: all[name] for name in self.names})


class Callback:
    """Takes a function as a force that is called."""

    def __init__(self, model: Any, on: list[str], reads: list[str], vector: bool, slopes: Callable[..., Any] | None):
        self.model, self.on, self.reads, self.vector, self.slopes = model, on, reads, vector, slopes

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        slopes = None if self.slopes is None else _Slopes(self.slopes, self.vector)
        name = getattr(function, "__name__", "f")
        one = {"name": name, "on": self.on, "reads": self.reads, "f": _Called(function, self.vector), "slopes": slopes}
        self.model._callbacks += (one,)
        return function


class _Slopes(_Called):
    def __call__(self, t: float, q: Any, v: Any) -> tuple[Any, ...]:
        return tuple(np.atleast_2d(np.asarray(one, dtype=float)) for one in super().__call__(t, q, v))
