"""Runs that are led by hand: step by step, with inputs that change on the way."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Iterator, MutableMapping

import numpy as np

from . import _core
from ._result import Result, _column, columns_of
from ._symbols import Expr

if TYPE_CHECKING:
    from ._model import Model


class Inputs(MutableMapping[str, float]):
    """The inputs of a run: sim.inputs["u"] = 2. A change takes hold where the run stands; schemes of several levels begin anew there."""

    def __init__(self, core: _core.Hand):
        self._core = core

    def __getitem__(self, name: str | Expr) -> float:
        return self._core.input(str(name))

    def __setitem__(self, name: str | Expr, value: float) -> None:
        self._core.set_input(str(name), float(value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("inputs belong to the model")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.inputs)

    def __len__(self) -> int:
        return len(self._core.inputs)

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation:
    """A run that you lead.

    >>> sim = m.start_run(step=1e-3)
    >>> while sim.t < 5:
    ...     sim.inputs["u"] = -10 * sim["phi"] - 2 * sim["phi'"]
    ...     sim.advance(0.01)

    Times at which it stops are ends of steps. q, v and sim["A.x"] are the state of the moment, an output sim["tip"] its value there; result() gives everything
    recorded so far.
    """

    def __init__(self, core: _core.Hand, model: "Model"):
        self._core = core
        self.model = model.copy()
        self.inputs = Inputs(core)
        self._columns = columns_of(core.coordinates, core.output_names)

    def advance(self, duration: float) -> None:
        """Goes on by so many seconds. Raises RunError if a step fails; where an event of the model ends the run, `going` becomes false."""
        self._core.advance(float(duration), threading.current_thread() is threading.main_thread())
        if not self._core.going and self.certificate.verdict not in ("reached", "stopped"):
            error = _core.RunError(f"{self.certificate.verdict}: {self.certificate.message}")
            error.result = self.result()
            raise error

    @property
    def t(self) -> float:
        return self._core.t

    @property
    def q(self) -> np.ndarray:
        out: np.ndarray = self._core.q
        return out

    @property
    def v(self) -> np.ndarray:
        out: np.ndarray = self._core.v
        return out

    @property
    def lam(self) -> np.ndarray:
        out: np.ndarray = self._core.lam
        return out

    @property
    def going(self) -> bool:
        """False where an event has ended the run."""
        return self._core.going

    @property
    def certificate(self) -> _core.Certificate:
        """Of what was run so far; `drift` is the mean of what a quantity is off."""
        return self._core.certificate

    def __getitem__(self, name: str | Expr) -> float:
        kind, k = _column(self._columns, str(name), ("q", "v", "outputs"))
        return self._core.output(k) if kind == "outputs" else float(getattr(self._core, kind)[k])

    def result(self) -> Result:
        """All that was recorded so far, as a result of its own."""
        return Result(self._core.result(), self.model, None, {})

    def __repr__(self) -> str:
        return f"<taut.Simulation at t = {self.t:g}: {', '.join(f'{k} = {v:g}' for k, v in self.inputs.items()) or 'no inputs'}>"
