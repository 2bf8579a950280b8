"""What studies of a model say: objects with figures and arrays, printed as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np


class Report:
    """Figures by name; print() shows them."""

    def __init__(self, figures: dict[str, Any], name: str):
        self.__dict__.update(figures)
        self.name = name

    if TYPE_CHECKING:

        def __getattr__(self, figure: str) -> Any: ...

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return "\n".join(f"{name} = {value}" for name, value in self.__dict__.items())

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"

    def _titled(self, lines: list[str]) -> str:
        return "\n".join([self.name, *lines] if self.name else lines)


class Check(Report):
    """What a model is: coordinates, constraints, degrees_of_freedom, gruebler, redundant, held_already, conservative, holonomic, initial, violated, trouble."""

    @property
    def ok(self) -> bool:
        return not self.violated and not self.trouble

    def __str__(self) -> str:
        lines = [
            f"  coordinates          {self.coordinates}",
            f"  constraints          {self.constraints}, {self.inequalities} of them inequalities"
            + ("" if self.holonomic else "; some hold velocities (nonholonomic)"),
            f"  degrees of freedom   {self.degrees_of_freedom}"
            + ("" if self.holonomic else " of the velocities")
            + f" by rank, {self.gruebler} by Gruebler's count",
        ]
        lines += [f"  redundant            {words}" for words in self.held_already]
        lines.append(f"  energy               {'conserved' if self.conservative else 'not conserved: forces, time or impacts act'}")
        if self.moved_q > 0 or self.moved_v > 0:
            lines.append(
                f"  initial values       found; positions moved by at most {self.moved_q:.3g}, velocities by {self.moved_v:.3g}"
            )
        for name, (q, v) in list(self.initial.items())[:40]:
            lines.append(f"    {name:<18} {q:>16.9g}   velocity {v:>16.9g}")
        if len(self.initial) > 40:
            lines.append(f"    and {len(self.initial) - 40} more")
        lines += [f"  violated             {name} by {size:.3g} ({level})" for name, level, size in self.violated]
        if self.trouble:
            lines.append(f"  trouble              {self.trouble}")
        return self._titled(lines)


class Equilibrium(Report):
    """A place of rest: found, q, lam, stable (None where linear terms do not tell), instability, eigenvalues, frequencies, outputs."""

    def __init__(self, figures: dict[str, Any], name: str):
        super().__init__(figures, name)
        self.eigenvalues = np.array(figures["eigenvalues"], dtype=np.complex128)

    def __getitem__(self, name: Any) -> float:
        name = str(name)
        if name in self.coordinates:
            return float(self.q[self.coordinates.index(name)])
        if name in self.outputs:
            return float(self.outputs[name])
        raise KeyError(f"there is no coordinate or output '{name}'")

    def __str__(self) -> str:
        if not self.found:
            return self._titled([f"no equilibrium: {self.trouble}"])
        words = "stable" if self.stable else "neutral (of some small motions linear terms do not tell)"
        if self.unknown:
            words = f"stability not known: {self.unknown}"
        elif self.frozen:
            words = "stability not known (what is driven is held where it is at the start, and its motion is left out)"
        elif self.stable is False:
            words = f"not stable ({self.instability})"
        lines = [f"equilibrium, {words}: residual {self.residual:.2g}"]
        if len(self.frequencies):
            more = ", …" if len(self.frequencies) > 6 else ""
            lines.append(f"  frequencies [Hz]     {', '.join(f'{one:.6g}' for one in self.frequencies[:6])}{more}")
        lines += [f"  {name:<20} {value:>18.10g}" for name, value in list(zip(self.coordinates, self.q))[:60]]
        lines += [f"  lambda {name:<30} {value:>14.8g}" for name, value in list(zip(self.constraints, self.lam))[:60]]
        lines += [f"  {name:<20} {value:>18.10g}" for name, value in self.outputs.items()]
        return self._titled(lines)


class Modes(Report):
    """Natural modes about an equilibrium, the slowest first: frequencies [Hz], damping (ratios), s [1/s], shapes (one row each), coordinates, q (the equilibrium)."""

    def __init__(self, figures: dict[str, Any], name: str):
        super().__init__(figures, name)
        self.s = np.array(figures["s"], dtype=np.complex128)
        self.shapes = np.array(figures["shapes"], dtype=np.complex128)

    def __len__(self) -> int:
        return len(self.s)

    def __str__(self) -> str:
        if self.unknown:
            return self._titled([f"no modes: {self.unknown}"])
        lines = [f"  {'':>4}  {'frequency [Hz]':>14}  {'damping':>10}  what moves most"]
        if self.frozen:
            lines.insert(0, "  what is driven is held where it is at the start, and what its motion does is left out")
        for number, (frequency, damping, shape) in enumerate(zip(self.frequencies, self.damping, self.shapes), 1):
            movers = sorted(range(len(shape)), key=lambda i: -abs(shape[i]))[:4]
            words = ", ".join(f"{self.coordinates[i]} {shape[i].real:.3g}" for i in movers if abs(shape[i]) > 1e-6)
            lines.append(f"  {number:>4}  {frequency:>14.8g}  {damping:>10.4g}  {words}")
        return self._titled(lines)


class Verification(Report):
    """What smaller steps say of a run: sizes, differences, orders, order, promised_order, error, motion, trusted, verdict, certificate."""

    def __str__(self) -> str:
        if self.trouble:
            return self._titled([self.trouble])
        lines = [str(self.certificate).rstrip("\n")]
        lines.append(f"  {'tolerances' if self.controlled else 'steps':<28}{', '.join(f'{one:.3g}' for one in self.sizes)}")
        lines.append(f"  {'differences in q at the end':<28}{', '.join(f'{one:.3g}' for one in self.differences)}")
        if not self.controlled:
            orders = ", ".join(f"{one:.3f}" for one in self.orders)
            lines.append(f"  {'observed order':<28}{orders} (promised {self.promised_order})")
        if self.other:
            lines.append(f"  {self.other + ' differs by':<28}{self.other_difference:.3g}")
        lines.append(f"  {'estimated error of the run':<28}{self.error:.3g}")
        lines.append(f"{'trusted' if self.trusted else 'not trusted'}: {self.verdict}")
        return self._titled(lines)


class Comparison(Report):
    """Many integrators on one model: rows, each a Report with integrator, solver, formulation, step, error, seconds, verdict, certificate."""

    def __init__(self, figures: dict[str, Any], name: str):
        super().__init__(figures, name)
        self.rows = [Report(row, "") for row in figures["rows"]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def to_dataframe(self) -> Any:
        from ._result import _needed

        keys = ("integrator", "solver", "formulation", "step", "error", "seconds", "verdict")
        return _needed("pandas", "tables").DataFrame([{key: getattr(row, key) for key in keys} for row in self.rows])

    def __str__(self) -> str:
        if not self.reference:
            lines = ["no run reached the end: there is nothing to measure errors against"]
        elif self.reference_verified:
            lines = [f"errors against {self.reference}, of which {self.reference_checked} ends {self.reference_error:.1e} away"]
        else:
            lines = [f"errors against {self.reference}, an unverified run"]
        lines.append(
            f"{'integrator':<18} {'solver':<14} {'formulation':<14} {'step':>9} {'error':>10} {'seconds':>10} {'energy':>10} {'|g|':>9}"
        )
        for row in self.rows:
            c = row.certificate
            more = "" if row.verdict in ("reached", "stopped") else f"  {row.verdict}: {row.message}"
            lines.append(
                f"{row.integrator:<18} {row.solver:<14} {row.formulation:<14} {row.step:>9.3g} {row.error:>10.2e} {row.seconds:>10.2e} "
                f"{c.energy.deviation:>10.2e} {c.position_residual:>9.1e}{more}"
            )
        lines += [f"left out: {one}" for one in self.left_out]
        return self._titled(lines)


class Sweep(Report):
    """Many runs that differ in numbers: parameters, outputs, series, extremes, final, certificate, arrays with a row for each run (those that were kept); columns says by name
    what their columns are, times when the series is, good which runs ended as was asked for, verdicts and reasons how each ended. s["x"] is a column by its name."""

    def __init__(self, figures: dict[str, Any], name: str):
        groups = figures.pop("groups")
        super().__init__(figures, name)
        self.runs = np.asarray(figures["runs"], dtype=np.int64)
        self.verdicts = np.asarray(figures["verdicts"], dtype=object)
        self.reasons = np.asarray(figures["reasons"], dtype=object)
        self.good = np.isin(self.verdicts, ("reached", "stopped"))
        self._groups = groups
        shapes = {"series": (len(self.times), -1), "extremes": (-1, 4), "final": (2, -1)}
        for group, array in groups.items():
            setattr(self, group, array.reshape(len(self.runs), *shapes[group]) if group in shapes and array.size else array)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, name: Any) -> Any:
        for group, names in self.columns.items():
            if str(name) in names:
                return self._groups[group][:, names.index(str(name))]
        raise KeyError(f"there is no '{name}'; there are: {', '.join(sum(self.columns.values(), [])[:40])}")

    def to_dataframe(self) -> Any:
        """One row for each run, without series."""
        from ._result import _needed

        kept = {name: self._groups[group][:, k] for group, names in self.columns.items() if group != "series" for k, name in enumerate(names)}
        return _needed("pandas", "tables").DataFrame({**kept, "verdict": self.verdicts}, index=self.runs)

    def __str__(self) -> str:
        lines = [f"{len(self)} runs, {int(self.good.sum())} of them good; engine {self.engine}, {self.engine_reason}"]
        lines += [f"chosen: {one}" for one in self.chosen]
        lines += [f"  run {self.runs[k]} {self.verdicts[k]}: {self.reasons[k]}" for k in np.flatnonzero(~self.good)[:5]]
        lines.append(f"{'':<26} {'mean':>11} {'deviation':>11} {'5 %':>11} {'median':>11} {'95 %':>11} {'least':>11} {'largest':>11}")
        for group, names in self.columns.items():
            for k, column in enumerate(names if group not in ("parameters", "series") else []):
                if column.startswith("time of") or (group == "certificate" and column not in ("energy_relative", "gap")):
                    continue
                x = self._groups[group][self.good, k]
                x = x[np.isfinite(x)]
                if len(x):
                    figures = [x.mean(), x.std(ddof=1) if len(x) > 1 else 0.0, *np.quantile(x, (0.05, 0.5, 0.95)), x.min(), x.max()]
                    lines.append(f"{column:<26} " + " ".join(f"{one:>11.4g}" for one in figures))
        return self._titled(lines)
