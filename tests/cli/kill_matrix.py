#!/usr/bin/env python3
"""kill_matrix.py PROGRAM REPOSITORY [--kills N] [--only INTEGRATOR …] [--ways KIND …]: kill -9 and resume, bit for bit, for every integrator and kind of run.

Each run is killed N times, at random moments (10 unless told; some resumed runs are killed again), resumed, and compared with one that never was.
A kind that an integrator does not take is left out with the program's own words. Needs h5py; takes a quarter of an hour in full.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from kill_test import finish, one, read

PENDULUM = """
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [0.5, -0.8660254037844386]}, B: {mass: 0.5, at: [0.8, -1.8198]}}
rods: [[O, A], [A, B]]
outputs: {height: B.y}
run: {until: 1, step: 1e-3}
"""
STIFF = PENDULUM.replace("run: {", "run: {formulation: {penalty: 1e-10}, ")

# Models with events, by name: those whose events change the mode of the system belong here.
EVENTS = {
    "recorded events": PENDULUM.replace("run: {", "run: {events: [{name: low, when: A.x}, {name: side, when: B.x - A.x}], "),
}

# A push that comes and goes with the side the first mass is on; a third mass that is let go and bounces without loss.
EVENTS["events that change modes"] = """
parameters: {push: 0}
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [0.5, -0.8660254037844386]}, B: {mass: 0.5, at: [0.8, -1.8198]}, C: {mass: 1, at: [3, 0]}}
rods: [[O, A], [A, B]]
pins: [C]
forces: {A.x: push}
events:
  - {name: left, when: A.x, direction: falling, then: {push: 0.3}}
  - {name: right, when: A.x, direction: rising, then: {push: 0}}
  - {name: let go, at: 0.7, then: {release: pin C}}
  - {name: floor, when: C.y + 1, direction: falling, then: {"C.y'": "-C.y'"}}
outputs: {height: B.y}
run: {until: 1, step: 1e-3}
"""

# Kinds of runs: what is added to the command line.
KINDS = {
    "equal steps": ["--step", "1e-3", "--every", "10"],
    "tolerances": ["--rtol", "1e-6", "--interval", "0.01"],
    "reversible": ["--rtol", "1e-6", "--control", "reversible", "--interval", "0.01"],
}


def models(integrator):
    """Models for an integrator, by kind; multiscale schemes take no constraints."""
    stiff = integrator == "hmm"
    yield "plain", STIFF if stiff else PENDULUM
    for name, text in EVENTS.items():
        yield name, text.replace("run: {", "run: {formulation: {penalty: 1e-10}, ") if stiff else text


def long_enough(command, wanted=0.5):
    """The command with an end time for which it runs about so many seconds, or why it does not run."""
    until = 2.0
    while True:
        begin = time.monotonic()
        done = subprocess.run(command + ["--until", f"{until:.0f}", "--no-file"], capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            return None, done.stderr.strip()
        if seconds > 0.6 * wanted or until > 1e5:
            return command + ["--until", f"{until:.0f}"], ""
        until = round(until * min(max(wanted / max(seconds - 0.03, 0.02), 1.5), 10.0))


def kill_all(command, kills, folder, dice):
    """Kills and resumes; the stories of those that went wrong."""
    whole = os.path.join(folder, "whole.h5")
    pathlib.Path(whole).unlink(missing_ok=True)
    begin = time.monotonic()
    finish(command + ["--out", whole])
    seconds, data, wrong, done = time.monotonic() - begin, read(whole), [], 0
    for _ in range(20 * kills):
        if done == kills:
            break
        try:
            done += one(command, data, seconds, folder, dice) is not None
        except (AssertionError, OSError, KeyError) as error:
            done += 1
            wrong.append(str(error))
    if done < kills:
        wrong.append(f"could be killed on its way only {done} times")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("repository")
    arguments.add_argument("--kills", type=int, default=10)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--ways", nargs="*", default=list(KINDS), choices=list(KINDS))
    asked = arguments.parse_args()
    listed = json.loads(finish([asked.program, "list", "--json"]))["integrators"]
    names = asked.only or [one["name"] for one in listed]
    dice, runs, failed = random.Random(7), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for kind, text in models(name):
                model = os.path.join(folder, "model.yaml")
                pathlib.Path(model).write_text(text)
                for way in asked.ways:
                    title = f"{name}, {kind}, {way}"
                    command, why = long_enough([asked.program, "run", model, "--integrator", name, *KINDS[way]])
                    if command is None:
                        print(f"{title}: left out: {why[:160]}", flush=True)
                        continue
                    wrong = kill_all(command + ["--checkpoint", "0"], asked.kills, folder, dice)
                    runs += 1
                    failed += bool(wrong)
                    print(f"{title}: {asked.kills} kills, " + (f"{len(wrong)} WRONG: {wrong[0][:200]}" if wrong else "same bits"), flush=True)
    print(f"{runs - failed} of {runs} kinds of runs good")
    return 1 if failed or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
