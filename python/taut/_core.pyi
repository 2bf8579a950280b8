"""What taut does in C++."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Error(Exception): ...

class InputError(Error, ValueError): ...

class RunError(Error, RuntimeError):
    result: Any


version: str = '0.1.0'

def sections() -> list[Any]:
    """
    The sections that a model may have: names, what they hold, and what they mean.
    """

class Builder:
    """What a model says, section by section."""

    def __init__(self, arg: str, /) -> None: ...

    @staticmethod
    def from_text(arg0: str, arg1: str, arg2: Sequence[str], /) -> Builder: ...

    def copy(self) -> Builder: ...

    def add(self, section: str, of: object | None) -> None: ...

    def entry(self, section: str, name: str, of: object | None) -> None: ...

    def item(self, section: str, of: object | None) -> None: ...

    def set(self, section: str, name: str, of: object | None) -> None: ...

    def get(self, arg: str, /) -> Any: ...

    def names(self) -> list[str]: ...

    def to_yaml(self) -> str: ...

    @property
    def called(self) -> str: ...

    def build(self, parameters: Sequence[tuple[str, str]], run: dict[str, Any], assemble: bool, callbacks: list[Any]) -> Built: ...

class Built:
    """A model that has been read."""

    @property
    def name(self) -> str: ...

    @property
    def coordinates(self) -> list[str]: ...

    @property
    def output_names(self) -> list[str]: ...

    @property
    def until(self) -> float: ...

    @property
    def inputs(self) -> dict[str, Any]: ...

    @property
    def parameters(self) -> dict[str, float]: ...

class Conserved:
    """How a quantity that should not change did change over a run."""

    @property
    def name(self) -> str: ...

    @property
    def start(self) -> float:
        """Its value at the start."""

    @property
    def deviation(self) -> float:
        """The largest difference from it."""

    @property
    def drift(self) -> float:
        """Mean of the last quarter less mean of the first quarter of the run."""

    @property
    def scale(self) -> float:
        """What the deviation is to be compared with."""

    @property
    def relative(self) -> float: ...

    def __repr__(self) -> str: ...

class Certificate:
    """What a run can say about its own accuracy, measured at every step."""

    @property
    def verdict(self) -> str:
        """reached, stopped, failed or diverged."""

    @property
    def finished(self) -> bool:
        """Whether it ended as was asked for."""

    @property
    def message(self) -> str: ...

    @property
    def grade(self) -> str:
        """good, fair, poor, unverified or bad."""

    @property
    def summary(self) -> str:
        """In plain words."""

    @property
    def integrator(self) -> str: ...

    @property
    def solver(self) -> str: ...

    @property
    def states(self) -> int: ...

    @property
    def t_start(self) -> float: ...

    @property
    def t_end(self) -> float: ...

    @property
    def conservative(self) -> bool:
        """Whether energy should be constant."""

    @property
    def energy(self) -> Conserved: ...

    @property
    def balance(self) -> Conserved:
        """
        Energy less the work of forces, where energy is not constant; without a name where the work is not known.
        """

    @property
    def own_energy(self) -> Conserved:
        """
        An energy that the scheme keeps in a form of its own, if it has a name.
        """

    @property
    def momenta(self) -> list[Conserved]: ...

    @property
    def position_residual(self) -> float: ...

    @property
    def velocity_residual(self) -> float: ...

    @property
    def penetration(self) -> float: ...

    @property
    def gap(self) -> float:
        """The largest distance by which a constraint was missed."""

    @property
    def velocity_gap(self) -> float: ...

    @property
    def worst(self) -> str:
        """The constraint with the largest gap."""

    @property
    def singular(self) -> list[float]:
        """Times at which constraints lost rank."""

    @property
    def dependent(self) -> list[str]:
        """Constraints that repeat others."""

    @property
    def steps(self) -> int: ...

    @property
    def retried(self) -> int: ...

    @property
    def rejected(self) -> int: ...

    @property
    def smallest_step(self) -> float: ...

    @property
    def largest_step(self) -> float: ...

    @property
    def newton_iterations(self) -> int: ...

    @property
    def evaluations(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Result:
    """A run that has ended."""

    @property
    def t(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def lam(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def outputs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def energies(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def residuals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def event_rows(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def newton(self) -> list[int]: ...

    @property
    def coordinates(self) -> list[str]: ...

    @property
    def constraints(self) -> list[str]: ...

    @property
    def output_names(self) -> list[str]: ...

    @property
    def integrator(self) -> str: ...

    @property
    def solver(self) -> str: ...

    @property
    def until(self) -> float: ...

    @property
    def scene(self) -> str: ...

    @property
    def event_names(self) -> list[str]: ...

    @property
    def tracks(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def steps(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]: ...

    @property
    def certificate(self) -> Certificate: ...

    @property
    def message(self) -> str: ...

    @property
    def choice(self) -> str: ...

    @property
    def events(self) -> list[Any]: ...

    def force(self, arg: int, /) -> Any: ...

    def at(self, arg: Sequence[float], /) -> tuple[Any, ...]: ...

def solve(built: Built, signals: bool, progress: object | None) -> Result: ...

def integrators() -> list[Any]: ...

def solvers() -> list[Any]: ...

def check(arg: Built, /) -> dict[str, Any]: ...

def static(arg: Built, /) -> dict[str, Any]: ...

def modes(arg0: Built, arg1: int, /) -> dict[str, Any]: ...

def verify(arg0: Built, arg1: bool, /) -> dict[str, Any]: ...

def compare(arg0: Built, arg1: bool, arg2: Sequence[str], arg3: Sequence[str], arg4: Sequence[str], arg5: int, arg6: float, /) -> dict[str, Any]: ...

def sweep(built: Built, signals: bool, progress: object | None, vary: Sequence[tuple[str, str]], sample: Sequence[tuple[str, str]], zip: bool, samples: int, seed: int, sampling: str, keep: Sequence[str], workers: int, engine: str, only: Sequence[int]) -> dict[str, Any]: ...

def sweep_runs(arg0: Built, arg1: Sequence[tuple[str, str]], arg2: Sequence[tuple[str, str]], arg3: bool, arg4: int, /) -> int: ...

class Hand:
    """A run that is led by hand."""

    def __init__(self, arg0: Built, arg1: bool, /) -> None: ...

    def advance(self, arg0: float, arg1: bool, /) -> None: ...

    def set_input(self, arg0: str, arg1: float, /) -> None: ...

    def input(self, arg: str, /) -> float: ...

    @property
    def inputs(self) -> list[Any]: ...

    @property
    def coordinates(self) -> list[str]: ...

    @property
    def output_names(self) -> list[str]: ...

    def output(self, arg: int, /) -> float: ...

    @property
    def t(self) -> float: ...

    @property
    def q(self) -> Any: ...

    @property
    def v(self) -> Any: ...

    @property
    def lam(self) -> Any: ...

    @property
    def going(self) -> bool: ...

    @property
    def certificate(self) -> Certificate: ...

    def result(self) -> Result: ...

def solve_equations(functions: dict[str, Any], q0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], asked: dict[str, Any], signals: bool, progress: object | None) -> Result: ...
