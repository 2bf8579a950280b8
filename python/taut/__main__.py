"""The console script `taut` of the Python package: what the wheel can do."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import taut


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="taut", description="Runs models of constrained motion, with certificates.")
    parser.add_argument("--version", action="version", version=f"taut {taut.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("run", "simulate a model"),
        ("check", "degrees of freedom, redundant constraints, initial values"),
        ("static", "an equilibrium, and whether it is stable"),
        ("verify", "smaller and smaller steps: order, error, trust"),
        ("compare", "every integrator on one model"),
        ("export", "a unit of FMI 2.0 for other simulators: taut export fmu MODEL"),
    ):
        one = commands.add_parser(name, help=text)
        if name == "export":
            one.add_argument("format", choices=["fmu"])
            one.add_argument("--out", metavar="FILE.fmu")
        one.add_argument("model")
        one.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="another value of a parameter")
        if name != "static":
            for option in ("until", "step", "rtol", "atol", "integrator", "solver", "control", "every", "interval"):
                one.add_argument(f"--{option}")
        if name == "run":
            one.add_argument("--out", metavar="FILE.h5", help="write a results file (needs h5py)")
    commands.add_parser("list", help="integrators and solvers")
    return parser


def _set(given: list[str]) -> dict[str, str]:
    out = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise taut.InputError(f"--set {one}: must read name=value.")
        out[name] = value
    return out


def main(arguments: list[str] | None = None) -> int:
    given = vars(_arguments().parse_args(arguments))
    command = given.pop("command")
    if command == "list":
        for title, all_of in (("integrators", taut.integrators()), ("solvers", taut.solvers())):
            print(f"{title}:")
            for name, summary in all_of:
                print(f"  {name:<22} {summary}")
        return 0
    try:
        model = taut.load(given.pop("model"))
        out = given.pop("out", None)
        options: dict[str, Any] = {"parameters": _set(given.pop("set"))}
        options.update({key: value for key, value in given.items() if value is not None})
        if command == "export":
            options.pop("format")
            for name, value in options.pop("parameters").items():
                model.p[name] = value
            print(f"the unit is in {model.to_fmu(out, **options)}")
            return 0
        if command == "run":
            result = model.solve(progress=sys.stderr.isatty(), **options)
            print(result)
            if out is not None:
                result.save(out)
                print(f"results are in {out}")
            if not result.ok:
                print(f"taut: {result.message}", file=sys.stderr)
            return 0 if result.ok else 1
        found = getattr(model, command)(**options)
        print(found)
        return 0 if getattr(found, "ok", True) else 2
    except taut.InputError as error:
        print(f"taut: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("taut: interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
