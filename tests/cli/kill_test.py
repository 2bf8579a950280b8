#!/usr/bin/env python3
"""kill_test.py PROGRAM REPOSITORY [COUNT]: a run that is killed leaves a readable file, and resumed gives the same numbers bit for bit.

Needs h5py.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

COLUMNS = ["t", "q", "v", "lambda", "outputs", "energy", "residual", "newton", "events"]
RUNS = {
    "fixed steps": ("double_pendulum", "--integrator midpoint --step 1e-4 --until 30 --every 10"),
    "every step": ("double_pendulum", "--integrator rattle --step 1e-4 --until 20 --every 1"),
    "tolerances": ("double_pendulum", "--rtol 1e-13 --until 300 --interval 0.01"),
    "tolerances by doubling": ("double_pendulum", "--integrator midpoint --rtol 1e-6 --until 100 --interval 0.02"),
    "three levels": ("pendulum", "--integrator houbolt --step 1e-4 --until 40 --every 7"),
    "events and impacts": ("EVENTS", "--step 1e-4 --until 12 --every 5"),
}
EVENTS = """
name: Two masses, one that bounces
gravity: 9.81
masses:
  A: {mass: 1, at: [0, 1]}
  B: {mass: 2, at: [1, 2]}
springs: [{between: [A, B], stiffness: 50, length: 1}]
walls: [{mass: A, normal: [0, 1]}, {mass: B, normal: [0, 1]}]
outputs: {height: "A.y", stretch: "hypot(A.x - B.x, A.y - B.y)"}
run:
  until: 12
  step: 1e-4
  integrator: {name: moreau-jean, restitution: 0.8}
  events: [{name: side by side, when: "A.y - B.y"}]
"""


def start(command):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode} of {' '.join(command)}: {done.stderr}"
    return done.stdout


def read(path):
    with h5py.File(path, "r", swmr=True) as file:
        return {name: file[name][()] for name in COLUMNS + ["records", "finished"]}


def check_partial(path):
    """Whole records up to the number the file promises, and not called finished."""
    data = read(path)
    records = int(data["records"][0])
    assert data["finished"][0] == 0, "a killed run says that it finished"
    for name in COLUMNS[:-1]:
        column = data[name]
        assert column.shape[1] == 0 or column.shape[0] >= records, f"{name} has {column.shape[0]} of {records} rows"
        assert numpy.isfinite(column[:records]).all(), f"{name} is not finite"
    # An event that sets the state has two records at its time: before and after.
    assert (numpy.diff(data["t"][:records, 0]) >= 0).all(), "times decrease"
    return records


def compare(whole, resumed):
    """Every column bit for bit; tells the first row that differs."""
    assert resumed["finished"][0] == 1, "the resumed run did not finish"
    assert whole["records"][0] == resumed["records"][0], f"{resumed['records'][0]} records, not {whole['records'][0]}"
    for name in COLUMNS:
        a, b = whole[name], resumed[name]
        assert a.shape == b.shape, f"{name}: {b.shape}, not {a.shape}"
        if a.tobytes() == b.tobytes():
            continue
        row = next(k for k in range(len(a)) if a[k].tobytes() != b[k].tobytes())
        at = min(row, len(whole["t"]) - 1)
        raise AssertionError(f"{name} differs first in row {row} (t = {whole['t'][at, 0]}): {a[row]} and {b[row]}")


def kill_at(command, delay, out):
    """Kills the run after the delay; False if it was over before."""
    process = start(command)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    if process.returncode != -signal.SIGKILL or not os.path.exists(out):
        return False
    try:
        return read(out)["finished"][0] == 0  # otherwise it was over, and killed before it could leave
    except OSError:
        return True


def one(base, whole, seconds, folder, dice):
    """One run, killed once or more, resumed and compared; what happened, or None if the moment was too early or too late to tell anything."""
    out = os.path.join(folder, "killed.h5")
    for old in pathlib.Path(folder).glob("killed.h5*"):
        old.unlink()
    command = base + ["--out", out]
    delay = dice.uniform(0.0, seconds)
    if not kill_at(command, delay, out):
        return None
    try:
        story = [f"killed after {delay:.3f} s with {check_partial(out)} records"]
    except OSError as error:
        # In the first moments the file has a name but no head.
        if delay > 2.0:
            raise AssertionError(f"the file cannot be opened after {delay:.3f} s: {error}") from error
        return None
    again = command + ["--resume"]
    over = False
    while not over and dice.random() < 0.4:
        delay = dice.uniform(0.0, seconds)
        over = not kill_at(again, delay, out)
        story.append("the resumed one was over before" if over else f"again after {delay:.3f} s with {check_partial(out)}")
    if not over:
        resumed = re.search(r"resumed at t = (\S+)", finish(again))
        assert resumed, "the program does not say where it resumed"
        story.append(f"resumed at t = {resumed.group(1)}")
    compare(whole, read(out))
    assert not os.path.exists(out + ".resumed"), "a file is left beside the results"
    return "; ".join(story) + "; same bits"


def main():
    program, repository = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    dice = random.Random(20)
    failed = midway = 0
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.yaml")
        pathlib.Path(events).write_text(EVENTS)
        runs = {}
        for title, (model, options) in RUNS.items():
            path = events if model == "EVENTS" else os.path.join(repository, "cases", model + ".yaml")
            base = [program, "run", path, *options.split(), "--checkpoint", "0.1"]
            whole = os.path.join(folder, title.replace(" ", "_") + ".h5")
            begin = time.monotonic()
            finish(base + ["--out", whole])
            runs[title] = (base, read(whole), time.monotonic() - begin)
            print(f"{title}: {runs[title][1]['records'][0]} records in {runs[title][2]:.1f} s", flush=True)
        for k in range(count):
            title = list(runs)[k % len(runs)]
            base, whole, seconds = runs[title]
            try:
                story = next(filter(None, (one(base, whole, seconds, folder, dice) for _ in range(100))), None)
                assert story, "could not be killed on its way in a hundred attempts"
                midway += "resumed at t = " in story and "resumed at t = 0;" not in story
                print(f"{k + 1} of {count}, {title}: {story}", flush=True)
            except (AssertionError, OSError, KeyError) as error:
                failed += 1
                print(f"{k + 1} of {count}, {title}: FAILED: {error}", flush=True)
    print(f"{count - failed} of {count} good, {midway} of them resumed at a checkpoint and not at the start")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
