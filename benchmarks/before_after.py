#!/usr/bin/env python3
"""Two builds of the program on the same cases, in turn: the processor time of each, the ratio, and how far their last states are from each other.

    python3 benchmarks/before_after.py OLD/taut NEW/taut [CASE.yaml…]

A commit to compare with is built in a clone of its own; without cases, those of its folder `cases` are taken that both can run. Times are the least of many
rounds: what a machine does besides only adds to them. Where schemes differ (`auto` chooses otherwise), states differ by their tolerances.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def ran(program, case, results):
    """Processor seconds of a run, and what it printed."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([program, "run", str(case), "--json", "--force", "--out", results], stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    return used.ru_utime + used.ru_stime, json.loads(text) if process.returncode == 0 and text else None


def apart(old, new):
    """The largest difference of two last states, over the largest number in them."""
    a, b = (one["last"] for one in (old, new))
    common = [name for name in a if name in b and name != "t"]
    largest = max((abs(a[name]) for name in common), default=0.0)
    return max((abs(a[name] - b[name]) for name in common), default=0.0) / (largest or 1.0)


def compare(programs, case, folder):
    times, told = ([], []), [None, None]
    spent = 0.0
    while len(times[0]) < 5 or (len(times[0]) < 60 and spent < 3.0):
        for k, program in enumerate(programs):
            seconds, told[k] = ran(program, case, str(folder / f"{k}.h5"))
            if told[k] is None:
                return f"{case.name:32} {'old' if k == 0 else 'new'} program does not finish it"
            times[k].append(seconds)
            spent += seconds
        if spent > 60.0:
            break
    old, new = (1e3 * min(one) for one in times)
    steps = [one["certificate"]["steps"] for one in told]
    schemes = [one["certificate"]["integrator"] for one in told]
    scheme = schemes[0] if schemes[0] == schemes[1] else " → ".join(schemes)
    counts = f"{steps[0]}" if steps[0] == steps[1] else f"{steps[0]} → {steps[1]}"
    return f"{case.name:32} {old:9.1f} {new:9.1f}  {new / old:6.3f}  {apart(*told):8.1e}  {scheme}, {counts} steps"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    programs = [str(pathlib.Path(one).resolve()) for one in sys.argv[1:3]]
    cases = [pathlib.Path(one) for one in sys.argv[3:]]
    if not cases:
        cases = sorted((pathlib.Path(__file__).resolve().parents[1] / "cases").glob("*.yaml"))
    print(f"{'ms of processor time':32} {'old':>9} {'new':>9}  {'ratio':>6}  {'apart':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            print(compare(programs, case, pathlib.Path(folder)), flush=True)


if __name__ == "__main__":
    main()
