"""Results files: HDF5, in the layout of the program `taut`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._result import Event, _column, _needed, columns_of
from ._symbols import Expr

if TYPE_CHECKING:
    from ._result import Result

_START, _FACTOR = np.uint64(1469598103934665603), np.uint64(1099511628211)
_VERDICTS = ("reached", "stopped", "failed", "diverged")
_MESSAGE, _VERDICT = 2048, 16


def _sums(rows: int, *columns: np.ndarray) -> np.ndarray:
    """FNV-1a over words of 64 bits, of many rows at once."""
    out = np.full(rows, _START, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for words in columns:
            for k in range(words.shape[1]):
                out = (out ^ words[:, k]) * _FACTOR
    return out


def _words(numbers: Any) -> np.ndarray:
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    out: np.ndarray = numbers.reshape(len(numbers), -1).view(np.uint64)
    return out


def _sum_of_text(text: bytes) -> int:
    return _sum_of_words(np.frombuffer(text, dtype=np.uint8).astype(np.uint64))


def _sum_of_words(words: np.ndarray) -> int:
    out, factor, mask = int(_START), int(_FACTOR), (1 << 64) - 1
    for word in words.tolist():
        out = ((out ^ word) * factor) & mask
    return out


def _write_texts(file: Any, name: str, words: list[str]) -> None:
    encoded = [word.encode() for word in words]
    length = max([1, *map(len, encoded)])
    _, h5py = _h5py()
    kind = h5py.string_dtype("utf-8", length)
    file.create_dataset(name, data=np.array(encoded, dtype=kind), dtype=kind)
    file[name].attrs["checksum"] = np.uint64(_sum_of_text(b"".join(one.ljust(length, b"\0") for one in encoded)))


def _h5py() -> tuple[Any, Any]:
    h5py = _needed("h5py", "files")
    return h5py.File, h5py


def save(result: "Result", path: str | os.PathLike[str]) -> None:
    import json
    import pathlib
    import tempfile

    File, h5py = _h5py()
    core = result._core
    rows, events = len(core.t), np.asarray(core.event_rows)
    newton = np.array(core.newton, dtype=np.int32).reshape(rows, 1)
    columns: dict[str, Any] = {
        "t": np.asarray(core.t).reshape(rows, 1), "q": core.q, "v": core.v, "lambda": core.lam, "outputs": core.outputs,
        "energy": core.energies, "residual": core.residuals,
    }  # fmt: skip
    last = {"tracks": np.asarray(core.tracks), "step": np.asarray(core.steps)}
    number = np.arange(rows, dtype=np.uint64).reshape(rows, 1)
    words = [_words(one) for one in columns.values() if np.size(one)] + [newton.astype(np.int64).view(np.uint64)]
    sums = _sums(rows, number, *words, *(_words(one) for one in last.values() if np.size(one)))
    count = np.arange(len(events), dtype=np.uint64).reshape(len(events), 1)
    event_sums = _sums(len(events), count, *([_words(events)] if len(events) else []))
    message = core.message.encode()[: _MESSAGE - 1].decode(errors="ignore")
    state = [rows, len(events), 1 + _VERDICTS.index(result.verdict), int(result.ok), _sum_of_text(message.encode())]
    state.append(_sum_of_words(np.array(state, dtype=np.uint64)))
    model = result.model
    header = [
        _core.version, "", model.name if model is not None else "", core.integrator, core.solver,
        json.dumps(result._asked), repr(float(core.until)),
    ]  # fmt: skip

    target = pathlib.Path(path)
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    os.close(handle)
    try:
        with File(beside, "w", libver="latest") as file:
            _write_texts(file, "model", [model._builder.to_yaml() if model is not None else ""])
            _write_texts(file, "header", header)
            _write_texts(file, "coordinates", core.coordinates)
            _write_texts(file, "constraints", core.constraints)
            _write_texts(file, "output_names", core.output_names)
            _write_texts(file, "event_names", core.event_names)
            _write_texts(file, "scene", [core.scene])
            wide: dict[str, Any] = {**columns, **last, "newton": newton, "record_sums": sums.reshape(-1, 1), "event_sums": event_sums.reshape(-1, 1)}
            wide["events"] = events if len(events) else np.empty((0, 2 + 2 * len(core.coordinates)))
            for name, data in wide.items():
                data = np.asarray(data) if np.size(data) else np.empty((0, np.shape(data)[1]), np.asarray(data).dtype)
                chunk = (min(max(8192 // max(data.shape[1], 1), 1), 1024), max(data.shape[1], 1))
                if data.shape[1] == 0:
                    file.create_dataset(name, data=data)
                else:
                    file.create_dataset(name, data=data, maxshape=(None, data.shape[1]), chunks=chunk)
            for name in ("checkpoint_0", "checkpoint_1"):
                file.create_dataset(name, shape=(0,), maxshape=(None,), chunks=(256,), dtype=np.float64)
            file.create_dataset("records", data=np.array([rows], dtype=np.int64))
            file.create_dataset("finished", data=np.array([int(result.ok)], dtype=np.int32))
            for name, text, size in (("verdict", result.verdict, _VERDICT), ("message", message, _MESSAGE)):
                kind = h5py.string_dtype("utf-8", size)
                file.create_dataset(name, data=np.array([text.encode()], dtype=kind), dtype=kind)
            file.create_dataset("state", data=np.array(state, dtype=np.uint64))
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


class SavedResult:
    """A run from a results file: t, q, v, lam, outputs, r["A.x"], energies, events, verdict, message, and the model it came from."""

    def __init__(self, path: str | os.PathLike[str]):
        File, h5py = _h5py()
        name = os.fspath(path)
        if not os.path.exists(name):
            raise _core.InputError(f"{name}: there is no such file.")
        try:
            with File(name, "r") as file:
                self._read(file)
        except (OSError, KeyError) as error:
            raise _core.InputError(f"{name}: is not a results file: {error}.") from None

    def _read(self, file: Any) -> None:
        def texts(name: str) -> list[str]:
            return [one.decode() if isinstance(one, bytes) else str(one) for one in file[name][...].tolist()]

        rows = int(file["records"][0])

        def rows_of(name: str) -> np.ndarray:
            out: np.ndarray = file[name][:rows]
            out.flags.writeable = False
            return out

        self.t = rows_of("t")[:, 0] if rows else np.empty(0)
        self.q, self.v, self.lam, self.outputs = (rows_of(one) for one in ("q", "v", "lambda", "outputs"))
        energies = rows_of("energy")
        self.kinetic, self.potential = energies[:, 0], energies[:, 1]
        self.coordinates, self.constraints = texts("coordinates"), texts("constraints")
        self.output_names = texts("output_names")
        version, _, self.name, self.integrator, self.solver, options, until = texts("header")
        self.version, self.until = version, float(until)
        self.verdict, self.message = texts("verdict")[0], texts("message")[0]
        self.ok = bool(file["finished"][0])
        self.model_text = texts("model")[0]
        count = int(file["state"][1])
        self.events = [Event(str(int(one[0])), float(one[1]), float("nan")) for one in file["events"][:count]]
        self._columns = columns_of(self.coordinates, self.output_names)

    @property
    def energy(self) -> np.ndarray:
        out: np.ndarray = self.kinetic + self.potential
        return out

    @property
    def model(self) -> Any:
        """The model that was run, as it stands in the file."""
        from ._model import loads

        return loads(self.model_text, self.name or "model")

    def __getitem__(self, name: str | Expr) -> np.ndarray:
        kind, k = _column(self._columns, str(name), ("q", "v", "outputs"))
        out: np.ndarray = getattr(self, kind)[:, k]
        return out

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<taut.SavedResult {self.verdict}: {len(self)} states of {len(self.coordinates)} coordinates>"


def load_results(path: str | os.PathLike[str]) -> SavedResult:
    """Reads a results file of the program `taut`, or of Result.save (needs h5py)."""
    return SavedResult(path)
