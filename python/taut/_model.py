"""Models: what moves, what holds it, and how it is run, in the words of model files."""

from __future__ import annotations

import builtins
import os
import pathlib
import threading
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _core
from ._callbacks import Callback, wanted
from ._result import Result, times_of
from ._sections import REPLACED, Sections
from ._simulation import Simulation
from ._studies import Check, Comparison, Equilibrium, Modes, Sweep, Verification
from ._symbols import Expr, Symbol, definitions
from ._words import RUN, SHAPES

_AXES = "xyz"


def _main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class Parameters:
    """The parameters of a model, as symbols: m.p.l. Setting one changes its value."""

    __slots__ = ("_model", "_section")
    _model: "Model"
    _section: str

    def __init__(self, model: "Model", section: str):
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_section", section)

    def _content(self) -> dict[str, Any]:
        return self._model._builder.get(self._section) or {}

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("_") or name not in self._content():
            raise AttributeError(f"the model has no {self._section[:-1]} '{name}'")
        return Symbol(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._model._set(self._section, name, value)

    def __getitem__(self, name: str) -> str:
        """What the model says of it: a number or an expression, as text."""
        return str(self._content()[name])

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._set(self._section, name, value)

    def __iter__(self) -> Any:
        return iter(self._content())

    def __len__(self) -> int:
        return len(self._content())

    def __contains__(self, name: object) -> bool:
        return name in self._content()

    def __dir__(self) -> list[str]:
        return list(self._content())

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {value}" for name, value in self._content().items()) or "no parameters"


class Model(Sections):
    """A model: what moves and what holds it, in the words of model files.

    >>> m = taut.Model("Pendulum", gravity=9.81)
    >>> l = m.parameter("l", 1.0)
    >>> O = m.point("O", [0, 0])
    >>> A = m.mass("A", mass=1, at=[l, 0])
    >>> m.rod(O, A)
    >>> r = m.solve(10, rtol=1e-9)
    >>> print(r.verdict)
    reached

    Each section of a model file is a method of the same name, and of its singular for one entry: `m.masses({...})`, `m.mass("A", ...)`. What
    stands in a file may stand here; symbols and NumPy's functions of them are written as expressions. docs/model-reference.md has all words.
    Anything of a section may be given when the model is made: `taut.Model("Disk", dimension=3, gravity=9.81)`.
    """

    left_out: Sequence[str] = ()  # of a file of another program: what has no counterpart here
    _callbacks: tuple[dict[str, Any], ...] = ()  # forces that are functions, called at every turn

    def __init__(self, name: str = "", **sections: Any):
        self._builder = _core.Builder(str(name))
        self._fresh = 0
        for section, content in sections.items():
            self.add(section, content)

    def add(self, section: str, content: Any) -> "Model":
        """Anything: joins a list or a table to what the section holds, and sets what is a single value."""
        if section not in SHAPES:
            raise _core.InputError(f"there is no section '{section}'; there are: {', '.join(SHAPES)}")
        shape, plain = SHAPES[section], self._plain(content, section)
        if isinstance(plain, dict) and shape.kind == "table" or section in REPLACED:
            for key, value in plain.items():
                self._builder.set(section, key, value)
        elif shape.kind == "list" and not isinstance(plain, list):
            self._builder.item(section, plain)
        else:
            self._builder.add(section, plain)
        return self

    @property
    def name(self) -> str:
        return str(self._builder.get("name") or "")

    @name.setter
    def name(self, name: str) -> None:
        self._builder.add("name", str(name))

    @property
    def source(self) -> str:
        """Where the model comes from."""
        return str(self._builder.get("source") or "")

    @source.setter
    def source(self, source: str) -> None:
        self._builder.add("source", str(source))

    @property
    def t(self) -> Symbol:
        """Time, as a symbol."""
        return Symbol("t")

    @property
    def p(self) -> Parameters:
        """The parameters, as symbols: m.p.l; m.p.l = 2 changes one."""
        return Parameters(self, "parameters")

    @property
    def u(self) -> Parameters:
        """The inputs, as symbols."""
        return Parameters(self, "inputs")

    def __getitem__(self, name: str) -> Symbol:
        """A name of the model as a symbol: m["A.x"]."""
        return Symbol(name)

    def section(self, name: str) -> Any:
        """What a section holds: words, lists and dictionaries; None where there is nothing."""
        return self._builder.get(name)

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The model as the text of a model file; written to a path if one is given."""
        self._no_callbacks("a file cannot hold it")
        text = self._builder.to_yaml()
        if path is not None:
            pathlib.Path(path).write_text(text, encoding="utf-8")
        return text

    def copy(self) -> "Model":
        out = Model.__new__(Model)
        out._builder = self._builder.copy()
        out._fresh = self._fresh
        out.left_out, out._callbacks = self.left_out, self._callbacks
        return out

    def __copy__(self) -> "Model":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.copy()

    def __getstate__(self) -> tuple[Any, ...]:
        return self._builder.to_yaml(), self._builder.called, self._fresh, self.left_out, self._callbacks

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        text, called, self._fresh, self.left_out, self._callbacks = state
        self._builder = _core.Builder.from_text(text, called, [])

    def __repr__(self) -> str:
        return f"<taut.Model {self.name or 'without a name'}: {', '.join(self._builder.names())}>"

    def _no_callbacks(self, why: str) -> None:
        for one in self._callbacks:
            raise _core.InputError(f"force '{one['name']}' is a function that Python calls: {why}; without call=True it is traced, where it can be")

    # Runs and studies.

    def _build(self, parameters: Mapping[str, Any] | None, run: Mapping[str, Any], assemble: bool = True) -> _core.Built:
        for key in run:
            if key not in RUN:
                raise _core.InputError(f"run: there is no '{key}' here; allowed are: {', '.join(RUN)}")
        given = [(str(name), _text(value)) for name, value in (parameters or {}).items()]
        words = {key: self._plain(value) for key, value in run.items() if value is not None}
        try:
            return self._builder.build(given, words, assemble, list(self._callbacks))
        except _core.InputError as error:
            raise _core.InputError(_in_python(str(error))) from None

    def solve(
        self,
        until: Any = None,
        *,
        t_eval: Any = None,
        parameters: Mapping[str, Any] | None = None,
        progress: bool | Callable[[float], Any] | None = None,
        **run: Any,
    ) -> Result:
        """Runs the model and keeps what it records.

        until: end time; unless given, that of the model, or the last of t_eval. t_eval: times at which states are wanted, and no others; steps do not feel them. parameters: other values for this run.
        progress: True for a bar, or a function of the share that is done. All other words are those of the section `run`: step, rtol, atol,
        integrator, solver, formulation, control, every, interval, events, tolerances, breaks.

        A run that fails or diverges is a result like any other, with everything up to there: see Result.verdict and Result.raise_for_status().
        Other threads go on meanwhile; Ctrl-C ends the run.
        """
        if t_eval is not None:
            run["times"] = times_of(t_eval)
            if until is None:
                until = float(run["times"][-1])
        built = self._build(parameters, {"until": until, **run})
        return Result(_core.solve(built, _main_thread(), _progress(progress, self.name)), self, parameters, run)

    def start_run(self, *, parameters: Mapping[str, Any] | None = None, record: bool = True, **run: Any) -> Simulation:
        """A run that you lead: `sim.advance(0.01)` goes on, `sim.inputs["u"] = 2` changes an input of the model in between."""
        return Simulation(_core.Hand(self._build(parameters, run), record), self)

    def check(self, *, parameters: Mapping[str, Any] | None = None, **run: Any) -> Check:
        """Degrees of freedom, redundant constraints by name, initial values and what they violate."""
        return Check(_core.check(self._build(parameters, run, False)), self.name)

    def static(self, *, parameters: Mapping[str, Any] | None = None) -> Equilibrium:
        """An equilibrium near the start, and whether it is stable."""
        return Equilibrium(_core.static(self._build(parameters, {}, False)), self.name)

    def modes(self, count: int = 10, *, parameters: Mapping[str, Any] | None = None) -> Modes:
        """Natural frequencies, damping and shapes of small motions about an equilibrium near the start."""
        return Modes(_core.modes(self._build(parameters, {}, False), int(count)), self.name)

    def verify(self, until: Any = None, *, parameters: Mapping[str, Any] | None = None, **run: Any) -> Verification:
        """Smaller and smaller steps: the order that shows, the error, and whether to trust it."""
        return Verification(_core.verify(self._build(parameters, {"until": until, **run}), _main_thread()), self.name)

    def compare(
        self,
        until: Any = None,
        *,
        integrators: Iterable[str] = (),
        solvers: Iterable[str] = (),
        formulations: Iterable[str] = (),
        halvings: int = 2,
        seconds: float = 60.0,
        parameters: Mapping[str, Any] | None = None,
        **run: Any,
    ) -> Comparison:
        """Every integrator on this model: error against a verified reference, time, what each conserves."""
        built = self._build(parameters, {"until": until, **run})
        found = _core.compare(
            built, _main_thread(), list(integrators), list(solvers), list(formulations), int(halvings), float(seconds)
        )
        return Comparison(found, self.name)

    def sweep(
        self,
        vary: Mapping[str, Any] | None = None,
        *,
        sample: Mapping[str, str] | None = None,
        samples: int = 0,
        sampling: str = "",
        seed: int = -1,
        zip: bool = False,
        keep: str | Iterable[str] = (),
        workers: int = 0,
        engine: str = "auto",
        executor: Any = None,
        parameters: Mapping[str, Any] | None = None,
        progress: bool | Callable[[float], Any] | None = None,
        **run: Any,
    ) -> Sweep:
        """Many runs that differ in numbers: `m.sweep({"l": np.linspace(0.5, 2, 50)})`, `m.sweep(sample={"k": "normal(100, 5)"}, samples=1000)`. Without any it is what the section `sweep` says.

        vary: parameters and initial values by name, a list or an array of values for each, or words such as "0.5:2:50"; several make all combinations, or go side by
        side with zip=True. sample: distributions by name; samples, sampling ("random", "latin", "sobol") and seed go with it. keep: "outputs", "extremes", "final",
        "certificate", names of outputs and coordinates, "times=0:10:101". workers: threads; all cores unless given. engine: "auto", "general", "cpu" or "cuda". executor: anything of
        concurrent.futures, over which the runs are spread instead of threads. All other words are those of the section `run`. docs/sweeps.md has the rest.
        """
        self._no_callbacks("runs of a sweep go on without Python; call solve(parameters=...) in a loop")
        given: dict[str, Any] = {
            "vary": [(str(name), _values(value)) for name, value in (vary or {}).items()],
            "sample": [(str(name), str(value)) for name, value in (sample or {}).items()],
            "zip": bool(zip),
            "samples": int(samples),
            "seed": int(seed),
            "sampling": str(sampling),
            "keep": [keep] if isinstance(keep, str) else [str(one) for one in keep],
            "workers": int(workers),
            "engine": str(engine),
        }
        if executor is None:
            bar = _progress(progress, self.name)
            return Sweep(_core.sweep(self._build(parameters, run), _main_thread(), bar, **given, only=[]), self.name)
        built = self._build(parameters, run)
        count = _core.sweep_runs(built, given["vary"], given["sample"], given["zip"], given["samples"])
        if given["engine"] == "auto":
            given["engine"] = "general"
        given["workers"] = int(workers) or 1
        size = max(1, min(256, -(-count // 64)))
        shards = [list(range(first, min(first + size, count))) for first in range(0, count, size)]
        parts = list(executor.map(_sweep_shard, *builtins.zip(*((self, parameters, run, given, shard) for shard in shards))))
        return Sweep(_joined(parts), self.name)

    def to_fmu(self, path: str | os.PathLike[str] | None = None, **run: Any) -> pathlib.Path:
        """Writes the model as a co-simulation unit of FMI 2.0 (Linux, x86-64): its parameters, its inputs and its outputs, or its coordinates where it names no outputs. Words
        are those of the section `run`: the steps that the unit takes between two calls. Returns the path."""
        from ._fmu import to_fmu

        return to_fmu(self, path, run)

    # How words get into the model.

    def _name_for_parts(self) -> str:
        self._fresh += 1
        return f"traced_{self._fresh}"

    def _plain(self, value: Any, section: str = "") -> Any:
        """Symbols as text, arrays as lists."""
        found: list[Expr] = []
        _collect(value, found)
        made, texts = definitions(found, self._name_for_parts)
        for name, text in made:
            self._builder.entry("let", name, text)
        written = {id(one): text for one, text in zip(found, texts)}
        return _plain(value, written)

    def _set(self, section: str, name: str, value: Any) -> None:
        self._builder.set(section, str(name), self._plain(value))

    def _coordinates(self, name: str) -> list[str]:
        """Of a mass, its coordinates; otherwise the name is that of one."""
        masses = self._builder.get("masses") or {}
        dimension = int(float(self._builder.get("dimension") or 2))
        return [f"{name}.{axis}" for axis in _AXES[:dimension]] if name in masses else [name]

    def _add_force(self, names: list[str], values: Any) -> None:
        flat = list(np.ravel(np.asarray(values, dtype=object)))
        if len(flat) != len(names):
            raise _core.InputError(f"force: needs {len(names)} numbers, for {', '.join(names)}; got {len(flat)}")
        for name, text in zip(names, self._plain(flat)):
            before = (self._builder.get("forces") or {}).get(name)
            self._builder.set("forces", name, text if before is None else f"({before}) + ({text})")

    def force(self, on: Any, value: Any = None, *, call: bool = False, reads: Iterable[Any] = (), slopes: Callable[..., Any] | None = None) -> Any:
        """Adds a force: on a coordinate, on a mass (a vector), or on several coordinates (a list of names).

        >>> m.force("A", [0, -1])
        >>> m.force("x", -0.1 * x.dot)

        Without a value it is a decorator. The function is called once, with symbols for time, places and velocities, as many of them as it takes, and
        what it returns becomes an expression: it runs at the speed of one, with exact slopes.

        >>> @m.force("A")
        ... def drag(t, q, v):
        ...     return -0.1 * np.sqrt(v @ v) * v

        What cannot be traced (tables, other libraries, `if`) is called with numbers at every turn, with call=True. reads: further coordinates and masses, whose places and velocities
        follow in q and v. slopes(t, q, v): two matrices, of the slopes in q and in v; otherwise differences are taken. It costs some microseconds a call: docs/python.md has figures.

        >>> @m.force("x", call=True)
        ... def motor(t, q, v):
        ...     return float(np.interp(v, [-10, 0, 10], [5, 3, 0]))
        """
        if isinstance(on, Mapping):
            for name, one in on.items():
                self.force(name, one)
            return None
        several = isinstance(on, (list, tuple))
        names = [one for name in (on if several else [on]) for one in self._coordinates(str(name))]
        if not call and (slopes is not None or list(reads)):
            raise _core.InputError("force: reads and slopes belong to call=True; a traced function may use any symbol, and its slopes are exact")
        if call:
            read = [one for name in reads for one in self._coordinates(str(name))]
            register = Callback(self, names, read, several or len(names) + len(read) > 1, slopes)
            return register if value is None else register(value)
        if value is not None:
            self._add_force(names, value)
            return None

        def trace(function: Callable[..., Any]) -> Callable[..., Any]:
            vector = several or len(names) > 1
            q = np.array([Symbol(name) for name in names], dtype=object)
            v = np.array([Symbol(name).dot for name in names], dtype=object)
            known = {"t": self.t, "q": q if vector else q[0], "v": v if vector else v[0]}
            self._add_force(names, function(**{name: known[name] for name in wanted(function)}))
            return function

        return trace

    forces = force

    def constraint(self, expression: Any, **entries: Any) -> Any:
        """Adds an equation or an inequality: "x^2 + y^2 = 1", x <= 2, or an expression of symbols that is to be zero.

        Entries are those of the section `constraints`: name, holds.
        """
        if isinstance(expression, (bool, np.bool_)):
            raise _core.InputError("constraint: == of symbols is true or false at once; give the difference, a - b, or text, \"a = b\"")
        text = self._plain(expression)
        if isinstance(expression, Expr) and not any(sign in text for sign in "<>="):
            text += " = 0"
        shape = SHAPES["constraints"]
        self._builder.item("constraints", shape.entries((), self._plain({"expression": text, **entries})))
        return Symbol(entries["name"]) if "name" in entries else None


def _in_python(words: str) -> str:
    """What the reader of models calls the command line is an argument here."""
    for there, here in (("command line: run.", "run: "), ("--set: ", "parameters: "), ("--set ", "parameters: ")):
        if words.startswith(there):
            return here + words[len(there) :]
    return words


def _values(value: Any) -> str:
    """Numbers in the words of sweeps."""
    if isinstance(value, str):
        return value
    return ", ".join(repr(float(one)) for one in np.ravel(np.asarray(value, dtype=float)))


def _sweep_shard(model: "Model", parameters: Any, run: Any, given: dict[str, Any], runs: list[int]) -> dict[str, Any]:
    """Some runs of a sweep, wherever an executor puts them."""
    return _core.sweep(model._build(parameters, run), False, None, **given, only=runs)


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    out = dict(parts[0])
    out["groups"] = {group: np.concatenate([part["groups"][group] for part in parts]) for group in out["groups"]}
    for key in ("runs", "verdicts", "reasons"):
        out[key] = [one for part in parts for one in part[key]]
    out["chosen"] = sorted({one for part in parts for one in part["chosen"]})
    return out


def _collect(value: Any, into: list[Expr]) -> None:
    if isinstance(value, Expr):
        into.append(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            _collect(one, into)
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        for one in value:
            _collect(one, into)


def _plain(value: Any, written: dict[int, str]) -> Any:
    if isinstance(value, Expr):
        return written[id(value)]
    if isinstance(value, np.ndarray):
        return [_plain(one, written) for one in value] if value.ndim else _plain(value[()], written)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(one, written) for key, one in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(one, written) for one in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _progress(progress: Any, name: str) -> Callable[[float], Any] | None:
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress  # type: ignore[no-any-return]
    import sys

    def bar(done: float) -> None:
        filled = int(30 * done)
        end = "\n" if done >= 1 else ""
        sys.stderr.write(f"\r{name or 'run'} [{'#' * filled}{' ' * (30 - filled)}] {100 * done:3.0f} %{end}")
        sys.stderr.flush()

    return bar


def load(path: str | os.PathLike[str], *, allow_include: Iterable[str | os.PathLike[str]] = ()) -> Model:
    """Reads a model file (YAML or JSON). What it includes, from its folder and below or from the folders allowed, becomes part of the model."""
    file = os.fspath(path)
    try:
        text = pathlib.Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _core.InputError(f"{file}: there is no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _core.InputError(f"{file}: cannot be read: {error}.") from None
    return loads(text, file, allow_include=allow_include)


def loads(text: str, name: str = "model", *, allow_include: Iterable[str | os.PathLike[str]] = ()) -> Model:
    """Reads a model from the text of a model file."""
    out = Model.__new__(Model)
    out._fresh = 0
    out._builder = _core.Builder.from_text(text, name, [os.fspath(one) for one in allow_include])
    return out
