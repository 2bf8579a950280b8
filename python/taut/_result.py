"""What a run has left: states as arrays, and its certificate."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

import numpy as np

from . import _core
from ._symbols import Expr

if TYPE_CHECKING:
    from ._model import Model


class Event(NamedTuple):
    """Something that happened in a run."""

    name: str
    t: float
    impulse: float  # the largest change of a momentum by it


class States:
    """A run at some times: t, q, v, and columns by name."""

    __slots__ = ("t", "q", "v", "_columns")

    def __init__(self, t: Any, q: np.ndarray, v: np.ndarray, columns: dict[str, tuple[str, int]]):
        self.t, self.q, self.v = t, q, v
        self._columns = columns

    def __getitem__(self, name: str | Expr) -> Any:
        kind, k = _column(self._columns, str(name), ("q", "v"))
        return (self.q if kind == "q" else self.v)[..., k]

    def __repr__(self) -> str:
        return f"<taut.States at t = {self.t}>"


def columns_of(coordinates: list[str], outputs: list[str]) -> dict[str, tuple[str, int]]:
    """Names to columns: A.x, its velocities as A.x' and A.vx, outputs."""
    out: dict[str, tuple[str, int]] = {}
    for k, name in enumerate(coordinates):
        out[name] = ("q", k)
        out[name + "'"] = ("v", k)
        head, dot, axis = name.rpartition(".")
        if dot and axis in ("x", "y", "z"):
            out.setdefault(f"{head}.v{axis}", ("v", k))
    for k, name in enumerate(outputs):
        out.setdefault(name, ("outputs", k))
    return out


def _column(columns: dict[str, tuple[str, int]], name: str, kinds: tuple[str, ...]) -> tuple[str, int]:
    found = columns.get(name)
    if found is None or found[0] not in kinds:
        known = [one for one, (kind, _) in columns.items() if kind in kinds]
        import difflib

        near = difflib.get_close_matches(name, known, 1)
        more = f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
        raise KeyError(f"there is no coordinate or output '{name}'{more}; anything else is recorded as an output: m.output(name, expression)")
    return found


def times_of(given: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Times at which states are wanted, as an array."""
    try:
        out = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise _core.InputError("t_eval: must be numbers, the times at which states are wanted.") from None
    if out.ndim != 1 or out.size == 0:
        raise _core.InputError(f"t_eval: must be a row of times, at least one; got an array of shape {out.shape}.")
    steps = np.diff(out)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise _core.InputError("t_eval: times must be in order, each once.")
    return out


class Result:
    """A run that has ended. Arrays are views of what the run has recorded: they cost nothing, keep it alive, and cannot be written to.

    t: times; q, v, lam: one row for each; r["A.x"]: a coordinate, a velocity (A.x' or A.vx) or an output over time. print(r) shows the certificate,
    r.certificate has its figures, r.verdict says how the run ended: reached, stopped, failed or diverged.
    """

    def __init__(self, core: _core.Result, model: "Model | None", parameters: Mapping[str, Any] | None, run: Mapping[str, Any]):
        self._core = core
        self.model = model.copy() if model is not None else None
        self._asked = {"set": {str(k): str(v) for k, v in (parameters or {}).items()}, "run": {k: str(v) for k, v in run.items()}}
        self._columns: dict[str, tuple[str, int]] | None = None

    @property
    def t(self) -> np.ndarray:
        return self._core.t

    @property
    def q(self) -> np.ndarray:
        return self._core.q

    @property
    def v(self) -> np.ndarray:
        return self._core.v

    @property
    def lam(self) -> np.ndarray:
        """Multipliers of the constraints, one column each: forces, in the unit that the constraint gives them."""
        return self._core.lam

    @property
    def outputs(self) -> np.ndarray:
        return self._core.outputs

    @property
    def kinetic(self) -> np.ndarray:
        return self._core.energies[:, 0]

    @property
    def potential(self) -> np.ndarray:
        return self._core.energies[:, 1]

    @property
    def energy(self) -> np.ndarray:
        """H over time, kinetic and potential together."""
        out: np.ndarray = self._core.energies.sum(axis=1)
        return out

    @property
    def coordinates(self) -> list[str]:
        return self._core.coordinates

    @property
    def constraints(self) -> list[str]:
        return self._core.constraints

    @property
    def output_names(self) -> list[str]:
        return self._core.output_names

    @property
    def events(self) -> list[Event]:
        return [Event(*one) for one in self._core.events]

    @property
    def certificate(self) -> _core.Certificate:
        return self._core.certificate

    @property
    def verdict(self) -> str:
        return self._core.certificate.verdict

    @property
    def ok(self) -> bool:
        """Whether the run ended as was asked for."""
        return self._core.certificate.finished

    @property
    def message(self) -> str:
        """Why it did not reach its end, where it did not."""
        return self._core.message

    @property
    def choice(self) -> str:
        """Which scheme was chosen where the model names none, and why."""
        return self._core.choice

    def raise_for_status(self) -> "Result":
        """Raises RunError if the run failed or diverged; otherwise gives itself."""
        if self.ok:
            return self
        error = _core.RunError(f"{self.verdict}: {self.message}")
        error.result = self
        raise error

    def __len__(self) -> int:
        return len(self.t)

    def _names(self) -> dict[str, tuple[str, int]]:
        if self._columns is None:
            self._columns = columns_of(self.coordinates, self.output_names)
        return self._columns

    def __getitem__(self, name: str | Expr) -> np.ndarray:
        kind, k = _column(self._names(), str(name), ("q", "v", "outputs"))
        out: np.ndarray = getattr(self._core, kind)[:, k]
        return out

    def __contains__(self, name: object) -> bool:
        return str(name) in self._names()

    def rows(self, name: str | Expr) -> list[int]:
        """The rows of a constraint: one, or those of all components ("pin A" has A.x and A.y)."""
        wanted, names = str(name), self.constraints
        rows = [k for k, one in enumerate(names) if one == wanted]
        rows = rows or [k for k, one in enumerate(names) if one.startswith((wanted + ".", wanted + "["))]
        if not rows:
            import difflib

            near = difflib.get_close_matches(wanted, names, 1)
            more = f"; did you mean '{near[0]}'?" if near else (f"; there are {', '.join(names[:12])}" if names else "")
            raise KeyError(f"there is no constraint '{wanted}'{more}")
        return rows

    def force(self, name: str | Expr) -> np.ndarray:
        """The force of a constraint over time, on the first thing that it holds; positive where it pulls: the tension of a rod. A constraint of several
        components has a column for each."""
        found: list[np.ndarray] = [self._core.force(row) for row in self.rows(name)]
        return found[0] if len(found) == 1 else np.stack(found, axis=1)

    def at(self, t: Any) -> States:
        """States between the recorded ones, by polynomials through places, velocities and accelerations, and on the constraints."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        q, v = self._core.at(times.ravel().tolist())
        if np.ndim(t) == 0:
            return States(float(t), q[0], v[0], self._names())
        return States(times, q, v, self._names())

    def __str__(self) -> str:
        lines = [self.model.name] if self.model is not None and self.model.name else []
        if self.choice:
            lines.append(f"chosen: {self.choice}")
        lines.append(str(self.certificate).rstrip("\n"))
        for name, t, impulse in self.events[:20]:
            lines.append(f"  event {name:<22} t = {t:.9g}" + (f", impulse {impulse:.4g}" if impulse > 0 else ""))
        if len(self.events) > 20:
            lines.append(f"  and {len(self.events) - 20} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        n = len(self.t)
        where = f"t = {self.t[0]:g} to {self.t[-1]:g}, " if n else ""
        return f"<taut.Result {self.verdict}: {where}{n} states of {len(self.coordinates)} coordinates>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    # Elsewhere.

    def plot(self, *names: str | Expr, against: str | Expr = "t", ax: Any = None, **style: Any) -> Any:
        """Draws coordinates, velocities and outputs over time, or over another of them, with matplotlib; returns the axes."""
        plt = _needed("matplotlib.pyplot", "plot")
        if ax is None:
            ax = plt.subplots()[1]
        x = self.t if str(against) == "t" else self[against]
        for name in names or self.coordinates[:8]:
            ax.plot(x, self[name], label=str(name), **style)
        ax.set_xlabel("t [s]" if str(against) == "t" else str(against))
        ax.legend()
        return ax

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame over time: coordinates, velocities, outputs, energies."""
        pandas = _needed("pandas", "tables")
        columns = {name: self[name] for name in self.coordinates}
        columns.update({name + "'": self[name + "'"] for name in self.coordinates})
        columns.update({name: self.outputs[:, k] for k, name in enumerate(self.output_names)})
        columns.update({f"lambda of {name}": self.lam[:, k] for k, name in enumerate(self.constraints)})
        columns["kinetic"], columns["potential"] = self.kinetic, self.potential
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """An xarray.Dataset: q and v over time and coordinate, lam over time and constraint, outputs and energies over time."""
        xarray = _needed("xarray", "tables")
        variables = {
            "q": (("t", "coordinate"), self.q),
            "v": (("t", "coordinate"), self.v),
            "lam": (("t", "constraint"), self.lam),
            "kinetic": (("t",), self.kinetic),
            "potential": (("t",), self.potential),
        }
        if self.output_names:
            variables["outputs"] = (("t", "output"), self.outputs)
        coords = {"t": self.t, "coordinate": self.coordinates, "constraint": self.constraints}
        if self.output_names:
            coords["output"] = self.output_names
        return xarray.Dataset(variables, coords=coords, attrs={"verdict": self.verdict, "summary": self.certificate.summary})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a results file (HDF5, needs h5py) as the program `taut` does: taut convert, and viewers, read it."""
        from ._files import save

        save(self, path)


def _needed(module: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise ImportError(f"this needs {name}: pip install {name}, or pip install 'taut[{extra}]'") from None
