#!/usr/bin/env python3
"""bad_input_test.py PROGRAM REPOSITORY: whatever is wrong is told in one line that says where, what, and what would be right.

Exit code 2 for wrong input, 1 for a run that failed; and no results file calls a run finished that is not. Needs h5py.
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

REPOSITORY = sys.argv.pop(2)
PROGRAM = os.path.abspath(sys.argv.pop(1))
CASES = os.path.join(os.path.abspath(REPOSITORY), "cases")

PARTICLE = """coordinates: [x]
kinetic: "x'^2/2"
"""
RUN = "run: {until: 1, step: 0.1}\n"


def pipe(more, start="{pinned: [0, 0]}"):
    """A beam with something else about it, on line 2."""
    return f"beams:\n  pipe: {{length: 2, elements: 8, start: {start}{', ' if more else ''}{more}}}\n"


def rod(more, start="{clamped: [0, 0, 0], direction: [1, 0, 0], roll: [0, 1, 0]}"):
    """A beam in space with something else about it, on line 3."""
    return f"dimension: 3\nbeams:\n  boom: {{length: 2, elements: 4, start: {start}{', ' if more else ''}{more}}}\n" + RUN


def string(more=""):
    return f"strings:\n  u: {{elements: 10{', ' if more else ''}{more}}}\n"


# What is wrong: the text of model.yaml, and what the message must say.
MODELS = {
    "rod, wound up beyond what its nodes tell": (
        rod("EI: 1, GJ: 1, twist: 40", "{}"), ["model.yaml:3: beams.boom: ", "572.958 degrees from node to node", "more elements"]),
    "rod, own twist beyond what its nodes tell": (
        rod("EI: 1, GJ: 1, curvature: [0, 0, 7]", "{}"), ["model.yaml:3: beams.boom: ", "200.535 degrees", "more elements"]),
    "rod, follower load of a beam": (
        rod("EI: 1, GJ: 1, follower_load: [1, 0]", "{}"), ["beams.boom.follower_load: ", "three expressions: along its directors"]),
    "follower load across a beam in space": (
        rod("follower_load: [0, 1]", "{}"), ["beams.boom.follower_load[1]: ", "give the torsional stiffness `GJ`"]),
    "wall of no beam": (rod("", "{}") + "walls: [{beam: bom, normal: [0, 0, 1]}]\n", ["walls[0].beam: ", "did you mean 'boom'"]),
    "wall of two kinds": (
        rod("", "{}") + "walls: [{beam: boom, normal: [0, 0, 1], sphere: {at: [0, 0, 0], radius: 1}}]\n",
        ["walls[0]: ", "a `normal` into the allowed side, or a `sphere`, or a `cylinder`"]),
    "wall too narrow": (
        rod("", "{}") + "walls: [{beam: boom, radius: 2, inside: true, sphere: {at: [0, 0, 0], radius: 1}}]\n",
        ["walls[0]: ", "has the radius 2, which must be less than 1"]),
    "wall of a point": (
        rod("", "{}") + "walls: [{beam: boom, cylinder: {along: [[0, 0, 0]], radius: 1}}]\n",
        ["walls[0].cylinder.along: ", "two places or more"]),
    "wall that moves": (
        rod("", "{}") + "walls: [{beam: boom, sphere: {at: [0, 0, t], radius: 1}}]\n", ["walls[0].sphere.at[2]: ", "must be a number"]),
    "wall in the way": (
        rod("", "{}") + "walls: [{beam: boom, sphere: {at: [1, 0, 0], radius: 0.1}, name: peg}]\n", ["violate 'peg' by 0.1"]),
    "roll without torsion": (rod(""), ["model.yaml:3: beams.boom.start.roll", "give the torsional stiffness `GJ`"]),
    "torque without torsion": (rod("forces: [{moment: [1, 0, 0]}]", "{pinned: [0, 0, 0]}"), ["model.yaml:3: ", "takes no moments", "`GJ`"]),
    "EI without torsion": (rod("EI: 2", "{pinned: [0, 0, 0]}"), ["model.yaml:3: ", "belongs to a rod", "`GJ`"]),
    "no roll": (rod("GJ: 1", "{clamped: [0, 0, 0], direction: [1, 0, 0]}"), ["model.yaml:3: ", "needs a `roll`"]),
    "oblique frame": (rod("GJ: 1", "{clamped: [0, 0, 0], direction: [1, 0, 0], roll: [1, 1, 0]}"),
                      ["model.yaml:3: ", "must be at right angles to the `direction`", "0.7071"]),
    "rod in the plane": (pipe("GJ: 1") + RUN, ["model.yaml:2: ", "dimension: 3"]),
    "slack rod": (rod("GJ: 1, slack: true"), ["model.yaml:3: ", "no torsion"]),
    "negative GA": (rod("GJ: 1, GA: -10"), ["model.yaml:3: ", "must be positive"]),
    "two stiffnesses": (rod("GJ: 1, EI: 1, stiffness: 2"), ["model.yaml:3: ", "give one of them"]),
    "negative GJ": (rod("GJ: -1"), ["model.yaml:3: ", "GJ must be positive"]),
    "negative EI of a section": (rod("GJ: 1, EI: -1, EA: 10"), ["model.yaml:3: ", "EI1 must be positive"]),
    "negative inertia of a section": (rod("GJ: 1, rotary_inertia: -1"), ["model.yaml:3: ", "must not be negative"]),
    "broken YAML": ("a: [1, 2\nb: {", ["model.yaml:2: ", "not YAML", "end of sequence flow not found"]),
    "empty": ("", ["model.yaml: ", "is empty"]),
    "only a comment": ("# nothing\n", ["model.yaml: ", "is empty"]),
    "a list": ("[1, 2]\n", ["model.yaml:1: ", "must be a table of names and values"]),
    "unknown section": (PARTICLE + "potentail: x^2\n" + RUN, ["model.yaml:3: ", "'potentail'", "did you mean 'potential'"]),
    "unknown key": (PARTICLE + "run: {until: 1, stepp: 0.1}\n", ["model.yaml:3: run: ", "'stepp'", "did you mean 'step'"]),
    "unknown key, none near": (PARTICLE + "run: {until: 1, frobnicate: 1}\n", ["model.yaml:3: run: ", "allowed are: until, step"]),
    "key given twice": (PARTICLE + "run: {until: 1, step: 0.1, step: 0.2}\n", ["model.yaml:3: run.step: ", "is given twice"]),
    "unknown symbol": (PARTICLE + "potential: x^2 + yy\n" + RUN, ["model.yaml:3: potential: ", "unknown symbol 'yy'", "character 7"]),
    "misspelt symbol": ("parameters: {mass1: 3}\n" + PARTICLE + "potential: mas1*x\n" + RUN, ["model.yaml:4: potential: ", "did you mean 'mass1'"]),
    "unknown function": (PARTICLE + "potential: sine(x)\n" + RUN, ["model.yaml:3: potential: ", "unknown function 'sine'"]),
    "broken expression": (PARTICLE + 'potential: "x^2 + (x"\n' + RUN, ["model.yaml:3: potential: ", "')' is missing", "character 9"]),
    "list for a number": (PARTICLE + "run: {until: [1], step: 0.1}\n", ["model.yaml:3: run.until: ", "must be a single value"]),
    "word for a number": (PARTICLE + "run: {until: soon, step: 0.1}\n", ["model.yaml:3: run.until: ", "unknown symbol 'soon'"]),
    "word for a list": ("coordinates: x\n", ["model.yaml:1: coordinates: ", "must be a list"]),
    "number that moves": (PARTICLE + "run: {until: x, step: 0.1}\n", ["model.yaml:3: run.until: ", "must be a number", '"x" changes with the motion']),
    "part of a step counted": (PARTICLE + "run: {until: 1, step: 0.1, every: 1.5}\n", ["model.yaml:3: run.every: ", "whole number", "1.5"]),
    "include from elsewhere": ("include: /etc/passwd\n" + PARTICLE + RUN, ["model.yaml:1: include: ", "outside the model's folder", "--allow-include"]),
    "include of a neighbour": ("include: ../other.yaml\n" + PARTICLE + RUN, ["model.yaml:1: include: ", "outside the model's folder"]),
    "argument given twice": ("functions: {\"f(a, a)\": a}\n" + PARTICLE + RUN, ["model.yaml:1: functions", "two arguments named 'a'"]),
    "alias bomb": (
        "a: &a [1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(f"{y}: &{y} [{', '.join(8 * ['*' + x])}]\n" for x, y in zip("abcdefgh", "bcdefghi")),
        ["model.yaml", "too large"]),
    "misspelt integrator": (PARTICLE + "run: {until: 1, step: 0.1, integrator: midpont}\n", ["model.yaml:3: run.integrator: ", "'midpont'", "midpoint,", "dop853"]),
    "misspelt solver": (PARTICLE + "run: {until: 1, step: 0.1, solver: uzwa}\n", ["model.yaml:3: run.solver: ", "'uzwa'", "uzawa"]),
    "option the scheme has not": (PARTICLE + "run: {until: 1, step: 0.1, integrator: {name: gcn, beta: 1}}\n", ["model.yaml:3: run.integrator: ", "no option 'beta'", "alpha"]),
    "negative step": (PARTICLE + "run: {until: 1, step: -0.1}\n", ["model.yaml:3: run.step: ", "must be positive", "-0.1"]),
    "no coordinates": ("name: nothing\n" + RUN, ["model.yaml: ", "nothing moves", "`masses`, `bodies`, `beams`, `strings` or `coordinates`"]),
    "no inertia": ("coordinates: [x]\n" + RUN, ["model.yaml: ", "'x' has no inertia", "`kinetic`"]),
    "no end": (PARTICLE, ["model.yaml: ", "until"]),
    "no step": (PARTICLE + "run: {until: 1, integrator: houbolt}\n", ["model.yaml: ", "houbolt needs a `step`"]),
    "division by zero": (PARTICLE + "potential: 1/x\n" + RUN, ["model.yaml: ", "at the start", "not finite"]),
    "parameter without a value": ("parameters: {a: 1/0}\n" + PARTICLE + RUN, ["model.yaml:1: parameters.a: ", "not finite"]),
    "contradiction at the start": (
        PARTICLE + 'constraints: ["x = 0", "x = 1"]\ninitial: {solve: all}\n' + RUN,
        ["model.yaml: ", "contradict each other", "'x = 1' is off by 1"]),
    "inconsistent start": (PARTICLE + 'constraints: ["x = 1"]\n' + RUN, ["model.yaml: ", "violate 'x = 1' by 1", "solve"]),
    "inconsistent velocity": (
        PARTICLE + "constraints: [\"x = 0\"]\ninitial: {\"x'\": 1}\n" + RUN, ["model.yaml: ", "violate 'x = 0' by 1 (velocity)"]),
    "missing include": ("include: other.yaml\n" + PARTICLE + RUN, ["other.yaml: ", "no such file"]),
    "include of itself": ("include: model.yaml\n" + PARTICLE + RUN, ["model.yaml:1: include: ", "circles"]),
    "tolerance where steps must be equal": (
        PARTICLE + "run: {until: 1, rtol: 1e-8, integrator: houbolt}\n", ["model.yaml: ", "takes no tolerances", "give a step, or use"]),
    "tolerance too small": (PARTICLE + "run: {until: 1, rtol: 1e-20}\n", ["model.yaml: ", "rtol = 1e-20", "round-off"]),
    "interval too small": (PARTICLE + "run: {until: 1, rtol: 1e-8, interval: 1e-300}\n", ["model.yaml: ", "interval of 1e-300"]),
    "more steps than there are": (PARTICLE + "run: {until: 1e300, step: 0.1}\n", ["model.yaml: ", "more steps than"]),
    "inequality with midpoint": (
        PARTICLE + 'constraints: ["x >= -1"]\nrun: {until: 1, step: 0.1, integrator: midpoint}\n',
        ["model.yaml: ", "cannot hold the inequality 'x >= -1' exactly", "penalised"]),
    "nonholonomic with midpoint": (
        "coordinates: [x, y, a]\nkinetic: \"(x'^2 + y'^2 + a'^2)/2\"\nconstraints: [{name: blade, expression: \"x'*sin(a) = y'*cos(a)\"}]\n"
        "run: {until: 1, step: 0.1, integrator: midpoint}\n",
        ["model.yaml: ", "nonholonomic constraint 'blade'", "rk4"]),
    "beam without a length": ("beams:\n  pipe: {elements: 4}\n", ["model.yaml:2: beams.pipe: ", "needs a `length`"]),
    "beams as a list": ("beams: [pipe]\n", ["model.yaml:1: beams: ", "must be a table"]),
    "beam, misspelt key": (pipe("stifness: 1"), ["model.yaml:2: beams.pipe: ", "'stifness'", "did you mean 'stiffness'"]),
    "beam, unknown key": (pipe("frobnicate: 1"), ["model.yaml:2: beams.pipe: ", "allowed are: length, elements"]),
    "beam on a line": ("dimension: 1\n" + pipe(""), ["model.yaml:3: beams.pipe", "2 or 3 dimensions"]),
    "beam with a taken name": ("parameters: {pipe: 1}\n" + pipe(""), ["model.yaml:3: beams.pipe: ", "'pipe' is taken already"]),
    "beam, ends too far apart": (pipe("end: {pinned: [3, 0]}"), ["model.yaml:2: beams.pipe: ", "3 m apart", "only 2 m"]),
    "beam, mass too far away": (
        "masses: {A: {mass: 1, at: [3, 0]}}\n" + pipe("end: {mass: A}"), ["model.yaml:3: beams.pipe: ", "3 m apart", "only 2 m"]),
    "beam, unknown mass": (pipe("end: {mass: B}"), ["model.yaml:2: beams.pipe.end.mass: ", "no mass 'B'"]),
    "beam, unknown beam": (pipe("end: {beam: tube}"), ["model.yaml:2: beams.pipe.end.beam: ", "no beam 'tube' before this one"]),
    "beam, clamp without direction": (pipe("", "{clamped: [0, 0]}"), ["model.yaml:2: beams.pipe.start: ", "needs a `direction`"]),
    "beam, direction without clamp": (
        pipe("", "{pinned: [0, 0], direction: [1, 0]}"), ["model.yaml:2: beams.pipe.start.direction: ", "only a clamped end"]),
    "beam, no direction": (
        pipe("", "{clamped: [0, 0], direction: [0, 0]}"), ["model.yaml:2: beams.pipe.start.direction: ", "must not be zero"]),
    "beam, pinned and clamped": (pipe("", "{pinned: [0, 0], clamped: [0, 0]}"), ["model.yaml:2: beams.pipe.start: ", "either pinned or clamped"]),
    "beam, held twice": (
        "masses: {A: {mass: 1}}\n" + pipe("", "{pinned: [0, 0], mass: A}"), ["model.yaml:3: beams.pipe.start: ", "one of them"]),
    "beam, support in space": (pipe("", "{pinned: [0, 0, 0]}"), ["model.yaml:2: beams.pipe.start.pinned: ", "needs 2 numbers, got 3"]),
    "beam, support that is not there": (pipe("shape: [s, 1]"), ["model.yaml: ", "violate 'pipe start.y' by 1"]),
    "beam, nothing to release": (pipe("end: {release: 1}"), ["model.yaml:2: beams.pipe.end: ", "nothing holds it"]),
    "beam, angle to nothing": (pipe("end: {angle: 1}"), ["model.yaml:2: beams.pipe.end.angle: ", "another `beam` only"]),
    "beam, unknown joint": (
        pipe("") + "  tube: {length: 1, start: {beam: pipe, joint: welded}}\n", ["model.yaml:3: beams.tube.start.joint: ", "pinned, clamped", "'welded'"]),
    "beam, joined in the middle": (
        pipe("") + "  tube: {length: 1, start: {beam: pipe, at: middle}}\n", ["model.yaml:3: beams.tube.start.at: ", "start, end", "'middle'"]),
    "beam, density in time": (pipe("density: 1 + t"), ["model.yaml:2: beams.pipe.density: ", "must not depend on time"]),
    "beam, density of something": (pipe("density: 1 + x"), ["model.yaml:2: beams.pipe.density: ", "unknown symbol 'x'", "character 5"]),
    "beam without mass": (pipe("density: 0.5 - s"), ["model.yaml:2: beams.pipe: ", "density must be positive, got 0 at s = 0.5"]),
    "beam, negative stiffness": (pipe("stiffness: -1"), ["model.yaml:2: beams.pipe: ", "stiffness must not be negative, got -1"]),
    "beam, damping as a number": (pipe("damping: 1"), ["model.yaml:2: beams.pipe.damping: ", "must be a table"]),
    "beam without elements": (
        "beams:\n  pipe: {length: 1, elements: 0}\n", ["model.yaml:2: beams.pipe.elements: ", "whole number from 1 to 100000", "got 0"]),
    "beam, part of an element": ("beams:\n  pipe: {length: 1, elements: 1.5}\n", ["model.yaml:2: beams.pipe.elements: ", "got 1.5"]),
    "beam, too many elements": ("beams:\n  pipe: {length: 1, elements: 1e9}\n", ["model.yaml:2: beams.pipe.elements: ", "got 1e9"]),
    "beam, more coordinates than there may be": ("beams:\n  pipe: {length: 1, elements: 100000}\n", ["model.yaml: ", "400004 coordinates"]),
    "beam, nodes that do not ascend": (pipe("nodes: [0, 1, 1, 2]"), ["model.yaml:2: beams.pipe: ", "must ascend", "1 follows 1"]),
    "beam, nodes that end too early": (pipe("nodes: [0, 1]"), ["model.yaml:2: beams.pipe: ", "from 0 to the length 2"]),
    "beam, unknown rule": (pipe("inextensible: gauss5"), ["model.yaml:2: beams.pipe.inextensible: ", "simpson", "'gauss5'"]),
    "beam, neither true nor false": (pipe("slack: maybe"), ["model.yaml:2: beams.pipe.slack: ", "true or false", "'maybe'"]),
    "beam, slack where inequalities cannot be held": (
        pipe("slack: true") + "run: {until: 1, step: 0.1, integrator: newmark}\n", ["model.yaml: ", "inequality 'length of pipe at s = ", "moreau-jean"]),
    "beam, mark beyond its end": (pipe("marks: {far: 3}"), ["model.yaml:2: beams.pipe.marks.far: ", "between 0 and 2, got 3"]),
    "beam, unknown mark": (pipe("") + "outputs: {a: pipe.mid.x}\n", ["model.yaml:3: outputs.a: ", "unknown symbol 'pipe.mid.x'"]),
    "beam, force between nodes": (
        pipe("forces: [{at: 0.3, force: [1, 0]}]"), ["model.yaml:2: beams.pipe.forces[0].at: ", "acts on a node", "nearest is at 0.25"]),
    "beam, force beyond its end": (pipe("forces: [{at: 3, force: [1, 0]}]"), ["model.yaml:2: beams.pipe.forces[0].at: ", "between 0 and 2, got 3"]),
    "beam, force without a force": (pipe("forces: [{at: 1}]"), ["model.yaml:2: beams.pipe.forces[0]: ", "needs a `force`", "`follower`"]),
    "beam, follower force that changes": (pipe("forces: [{follower: [t, 0]}]"), ["model.yaml:2: beams.pipe.forces[0].follower[0]: ", "must be a number"]),
    "beam, follower force of one part": (pipe("forces: [{follower: [1]}]"), ["model.yaml:2: beams.pipe.forces[0].follower: ", "needs two numbers"]),
    "beam, follower force across in space": (
        "dimension: 3\n" + pipe("forces: [{follower: [1, 1]}]", "{pinned: [0, 0, 0]}"),
        ["model.yaml:3: beams.pipe.forces[0].follower: ", "along the tangent only", "no normal"]),
    "beam, follower load across in space": (
        "dimension: 3\n" + pipe("follower_load: [1, s]", "{pinned: [0, 0, 0]}"), ["model.yaml:3: beams.pipe.follower_load[1]: ", "must be 0 in space"]),
    "beam, load as a number": (pipe("load: 3"), ["model.yaml:2: beams.pipe.load: ", "must be a list"]),
    "beam, shape that moves": (pipe("shape: [t, s]"), ["model.yaml:2: beams.pipe.shape[0]: ", "does not depend on time"]),
    "beam, rod to a mark": (
        pipe("marks: {m: 1}") + "points: {O: [3, 3]}\nrods: [[O, pipe.m]]\n", ["model.yaml:4: rods[0][1]: ", "no mass or point 'pipe.m'"]),
    "rest where there is none": (
        "gravity: 9.81\nbeams: {pipe: {length: 1, elements: 4}}\ninitial: {equilibrium: true}\n", ["model.yaml: ", "no equilibrium was found"]),
    "rest and values to be found": (pipe("") + "initial: {equilibrium: true, solve: all}\n", ["model.yaml: initial: ", "leave out `solve`"]),
    "rest, neither true nor false": (pipe("") + "initial: {equilibrium: maybe}\n", ["model.yaml:3: initial.equilibrium: ", "true or false", "'maybe'"]),
    "string, misspelt key": (string("tenson: 1"), ["model.yaml:2: strings.u: ", "did you mean 'tension'"]),
    "string, one end": (string("ends: [fixed]"), ["model.yaml:2: strings.u.ends: ", "needs two words"]),
    "string, unknown end": (string("ends: [fixed, loose]"), ["model.yaml:2: strings.u.ends[1]: ", "fixed, free", "'loose'"]),
    "string, density in time": (string("density: 1 + t"), ["model.yaml:2: strings.u.density: ", "must not depend on time"]),
    "string, negative tension": (string("tension: -1"), ["model.yaml:2: strings.u: ", "tension must not be negative, got -1"]),
    "string that cannot move": ("strings:\n  u: {elements: 1}\n", ["model.yaml:2: strings.u: ", "one element between two fixed ends"]),
    "string, shape that moves": (string("shape: t*x"), ["model.yaml:2: strings.u.shape: ", "does not depend on time"]),
    "string under gravity": ("gravity: 9.81\n" + string(), ["model.yaml:1: gravity: ", "acts on `masses`, `bodies` and `beams`"]),
    "string, node of a fixed end": (string() + "outputs: {a: u.0}\n", ["model.yaml:3: outputs.a: ", "unknown symbol 'u.0'"]),
    "contact of one": (string() + "contacts: [{above: u}]\n", ["model.yaml:3: contacts[0]: ", "`above`", "`below`"]),
    "contact of obstacles": (string() + "contacts: [{above: 1, below: 0}]\n", ["model.yaml:3: contacts[0]: ", "needs a string"]),
    "contact with something unknown": (string() + "contacts: [{above: u, below: w}]\n", ["model.yaml:3: contacts[0].below: ", "'w'"]),
    "contact with what moves": (string() + "contacts: [{above: u, below: 0.1*t}]\n", ["model.yaml:3: contacts[0].below: ", "an obstacle does not move"]),
    "contact that is violated": (
        string() + "contacts: [{above: u, below: 0.1}]\n", ["model.yaml: ", "violate 'obstacle of u at x = 0.1' by 0.1"]),
    "contact of other nodes": (
        string() + "  v: {elements: 20}\ncontacts: [{above: u, below: v}]\n", ["model.yaml:4: contacts[0]: ", "nodes of 'u' and 'v' must coincide"]),
    "coupling of one": (string() + "couplings: [{between: [u], stiffness: 1}]\n", ["model.yaml:3: couplings[0]: ", "between: [u, v]"]),
    "coupling with something unknown": (
        string() + "couplings: [{between: [u, w], stiffness: 1}]\n", ["model.yaml:3: couplings[0].between[1]: ", "no string 'w'"]),
    "coupling without stiffness": (
        string() + "  v: {elements: 10}\ncouplings: [{between: [u, v]}]\n", ["model.yaml:4: couplings[0]: ", "needs a `stiffness`"]),
    "hmm with a kernel that is no filter": (
        PARTICLE + "run: {until: 1, step: 0.1, integrator: {name: hmm, kernel: box}}\n",
        ["model.yaml:3: run.integrator: ", "take the polynomial kernel"]),
    "nested too deeply": ("name: " + 100 * "[" + 100 * "]" + "\n", ["model.yaml:1: ", "nested too deeply"]),
    "not text": ("\x00\x01\x02\n", ["model.yaml"]),
}

# The same for options on a good model.
OPTIONS = {
    "misspelt integrator": (["--integrator", "midpont"], ["command line: run.integrator: ", "'midpont'", "midpoint,"]),
    "negative step": (["--step", "-1"], ["command line: run.step: ", "must be positive", "-1"]),
    "end that is no number": (["--until", "later"], ["command line: run.until: ", "'later'"]),
    "unknown parameter": (["--set", "ll=2"], ["--set ll: ", "no parameter 'll'", "did you mean 'l'"]),
    "parameter without '='": (["--set", "l"], ["--set l: ", "name=value"]),
    "parameter without a name": (["--set", "=2"], ["--set =2: ", "name=value"]),
    "parameter without a value": (["--set", "l="], ["--set: l: ", "ends too early"]),
    "parameter that is no number": (["--set", "l=2x"], ["--set: l: ", "'x' is not a unit"]),
    "tolerance where steps must be equal": (["--integrator", "houbolt", "--rtol", "1e-8"], ["model.yaml: ", "takes no tolerances"]),
    "interval with fixed steps": (["--interval", "0.1"], ["model.yaml: ", "interval = 0.1", "every"]),
    "folder that is not there": (["--out", "nowhere/results.h5"], ["'nowhere/results.h5'", "cannot be written"]),
    "folder as the file": (["--out", "."], ["'.'", "cannot be written"]),
    "model as the file": (["--out", "model.yaml"], ["--out model.yaml: ", "overwrite"]),
    "nothing to resume": (["--resume", "--out", "none.h5"], ["none.h5: ", "no such file"]),
    "resume of what is no results file": (["--resume", "--out", "notes.txt"], ["notes.txt: ", "not an HDF5 file"]),
    "resume without a file": (["--resume", "--no-file"], ["--resume", "--no-file"]),
}


def limited(size):
    """For a child that may not write files larger than this: as a full disk, for whoever is root, too."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return prepare


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, **more):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=120, **more)

    def expect(self, done, code, words):
        """One line on stderr that says all the words."""
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertTrue(done.stderr.startswith("taut: ") and done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def finished(self, name):
        with h5py.File(self.folder / name, "r", swmr=True) as file:
            return int(file["finished"][0])

    def test_models(self):
        for title, (text, words) in MODELS.items():
            with self.subTest(title):
                (self.folder / "model.yaml").write_text(text)
                (self.folder / "model.h5").write_text("of an earlier run")
                self.expect(self.run_program("run", "model.yaml"), 2, words)
                self.assertEqual((self.folder / "model.h5").read_text(), "of an earlier run", "bad input must not cost earlier results")
                self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["model.h5", "model.yaml"], "nothing is left behind")

    def test_options(self):
        good = pathlib.Path(CASES, "pendulum.yaml").read_text()
        for title, (arguments, words) in OPTIONS.items():
            with self.subTest(title):
                (self.folder / "model.yaml").write_text(good)
                (self.folder / "notes.txt").write_text("notes")
                self.expect(self.run_program("run", "model.yaml", *arguments), 2, words)
                self.assertEqual((self.folder / "model.yaml").read_text(), good)
                self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["model.yaml", "notes.txt"], "nothing is left behind")

    def test_files_that_cannot_be_read(self):
        self.expect(self.run_program("run", "missing.yaml"), 2, ["missing.yaml: ", "no such file"])
        self.expect(self.run_program("run", "."), 2, [".: ", "is not a file"])
        self.expect(self.run_program("run", "/dev/null"), 2, ["/dev/null: ", "is not a file"])
        if os.geteuid() != 0:
            secret = self.folder / "secret.yaml"
            secret.write_text(PARTICLE + RUN)
            secret.chmod(0)
            self.expect(self.run_program("run", "secret.yaml"), 2, ["secret.yaml: ", "cannot be read"])

    def test_commands_agree(self):
        (self.folder / "model.yaml").write_text(PARTICLE + "potentail: x^2\n")
        for command in ["check", "static", "compare", "verify"]:
            with self.subTest(command):
                self.expect(self.run_program(command, "model.yaml"), 2, ["model.yaml:3: ", "did you mean 'potential'"])
        self.expect(self.run_program("convert", "missing.h5", "out.csv"), 2, ["missing.h5: ", "no such file"])
        self.expect(self.run_program("convert", "model.yaml", "out.csv"), 2, ["model.yaml: ", "not an HDF5 file"])

    def test_folder_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        (self.folder / "closed").mkdir(mode=0o555)
        self.expect(self.run_program("run", os.path.join(CASES, "pendulum.yaml"), "--out", "closed/results.h5"), 2,
                    ["'closed/results.h5'", "cannot be written"])

    def test_contradiction_on_the_way_keeps_what_was_reached(self):
        (self.folder / "model.yaml").write_text(PARTICLE + 'constraints: ["x = 0", "x = max(0, t - 0.55)^3"]\n' + RUN)
        done = self.run_program("run", "model.yaml")
        self.expect(done, 1, ["stopped at t = 0.55", "of 1", "contradict each other"])
        self.assertEqual(self.finished("model.h5"), 0)
        with h5py.File(self.folder / "model.h5", "r") as file:
            self.assertAlmostEqual(file["t"][-1, 0], 0.55, delta=1e-3)

    def test_singular_on_the_way_is_a_failed_run(self):
        (self.folder / "model.yaml").write_text(PARTICLE + "potential: log(1 - t)*x\n" + "run: {until: 2, step: 0.1}\n")
        done = self.run_program("run", "model.yaml")
        self.expect(done, 1, ["stopped at t = "])
        self.assertEqual(self.finished("model.h5"), 0)

    def test_full_disk(self):
        model = os.path.join(CASES, "pendulum.yaml")
        for size in [500, 3_000, 20_000, 60_000, 1_000_000, 3_000_000]:
            with self.subTest(size=size):
                done = self.run_program("run", model, "--until", "20", "--step", "1e-4", "--out", "full.h5", "--force", preexec_fn=limited(size),
                                        restore_signals=False)
                self.expect(done, 1, ["'full.h5'", "could not be written", "is the disk full?"])
                if size >= 60_000:  # the file was begun
                    self.assertEqual(self.finished("full.h5"), 0)
                    with h5py.File(self.folder / "full.h5", "r", swmr=True) as file:
                        records = int(file["records"][0])
                        self.assertTrue(all(len(file[name]) >= records for name in ["t", "q", "v", "lambda", "energy"]))
                        self.assertGreaterEqual(records, 4096 if size >= 1_000_000 else 0)
        # With room again, it goes on.
        done = self.run_program("run", model, "--until", "20", "--step", "1e-4", "--out", "full.h5", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.finished("full.h5"), 1)

    def test_interrupt(self):
        arguments = ["run", os.path.join(CASES, "double_pendulum.yaml"), "--integrator", "midpoint", "--step", "1e-3", "--until", "400",
                     "--every", "10", "--out", "stopped.h5"]
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.wait_for_records(process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors, r"^taut: stopped at t = [0-9.]+ of 400: interrupted\n$")
        self.assertIn("results are in stopped.h5", output)
        self.assertEqual(self.finished("stopped.h5"), 0)
        done = self.run_program(*arguments, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.finished("stopped.h5"), 1)
        self.expect(self.run_program(*arguments, "--resume"), 2, ["'stopped.h5'", "is finished", "--until extends it"])

    def wait_for_records(self, process):
        """Until the run is well on its way: then its file has records."""
        while process.poll() is None:
            time.sleep(0.05)
            try:
                with h5py.File(self.folder / "stopped.h5", "r", swmr=True) as file:
                    if file["records"][0] > 0:
                        return
            except OSError:
                pass
        self.fail("the run was over before it could be stopped")


if __name__ == "__main__":
    unittest.main()
