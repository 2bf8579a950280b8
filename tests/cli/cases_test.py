#!/usr/bin/env python3
"""Every case against the schema, its certificate and known physics; every example of the reference as a model.

Called as cases_test.py PROGRAM REPOSITORY. Needs python3-yaml and python3-jsonschema, an independent validator.
"""
import copy
import csv
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

PROGRAM = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
CASES = {path.stem: path for path in sorted((ROOT / "cases").glob("*.yaml"))}
SCHEMA = json.loads((ROOT / "docs" / "model.schema.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


class Yaml(yaml.SafeLoader):
    """YAML 1.2, as the program reads it: `on` is a word, 1e-3 a number."""


Yaml.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag == "tag:yaml.org,2002:null"]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Yaml.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def load(text):
    return yaml.load(text, Yaml)


def model(case):
    return load(CASES[case].read_text())


def taut(*arguments, **more):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **more)


@functools.lru_cache(maxsize=None)
def run(case, *options):
    """What `run --json` prints."""
    done = taut("run", CASES[case], "--json", "--no-file", *options)
    if done.returncode != 0:
        raise AssertionError(f"{case}: {done.stderr}")
    return json.loads(done.stdout)


@functools.lru_cache(maxsize=None)
def series(case, *options):
    """The recorded rows, each a table of column and number."""
    with tempfile.TemporaryDirectory() as folder:
        results, table = os.path.join(folder, "run.h5"), os.path.join(folder, "run.csv")
        for arguments in [("run", CASES[case], "--out", results, *options), ("convert", results, table)]:
            done = taut(*arguments)
            if done.returncode != 0:
                raise AssertionError(f"{case}: {done.stderr}")
        with open(table, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def refusal(document, *options):
    """What `check` says against a model; empty if it takes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w") as file:
            json.dump(document, file)
        done = taut("check", path, *options)
    if done.returncode not in (0, 2):
        raise AssertionError(f"check ended with {done.returncode}: {done.stderr}")
    return done.stderr if done.returncode == 2 else ""


def changed(document, path, value):
    """A copy with one entry set."""
    out = copy.deepcopy(document)
    place = out
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return out


FULL = load("""
name: everything
source: this test
parameters: {l: 1, e: 0.5}
functions: {"f(x, y)": "x*y", "one()": 1}
tables: {road: {t: [0, 1], values: [0, 1], kind: linear}}
dimension: 2
gravity: 9.81
points: {O: [0, 0], P: ["sin(t)", 3]}
masses: {A: {mass: 1, at: [1, 0], velocity: [0, 0]}, B: {mass: 1 kg, at: [2, 0]}, C: {mass: 2, at: [0, 0]}}
rods: [[O, A], {between: [A, B], length: 1, name: second}]
springs: [{between: [B, P], stiffness: 1, length: 0, damping: 0.1, name: pull}]
dampers: [{between: [A, O], damping: 1, name: drag}]
pins: [{mass: C, at: [0, 0]}]
curves: [{mass: B, on: "y = 0"}]
walls: [{mass: A, normal: [0, 1], offset: -3}]
coordinates: [phi]
kinetic: "phi'^2/2"
potential: ["phi^2", 0]
forces: {phi: "-phi'", A.x: 1}
beams:
  pipe:
    length: 2
    elements: 4
    density: 1
    stiffness: "1 + s"
    damping: {mass: 0.1, stiffness: 0}
    inextensible: simpson
    slack: false
    start: {clamped: [0, 0], direction: [1, 0], release: 0.5}
    end: {}
    velocity: [0, 0]
    load: [0, "sin(t)*s"]
    follower_load: [0, 0.1]
    forces: [{at: 1, force: [0, 1]}, {follower: [-1, 0.1]}]
    marks: {middle: 1}
  tube: {length: 1, nodes: [0, 0.5, 1], start: {beam: pipe, at: end, joint: clamped, angle: 90 deg}, shape: [2, s]}
  link: {length: 1, elements: 2, start: {mass: A}}
strings:
  u: {length: 1, elements: 10, density: 1, tension: 1, damping: 0, mass: lumped, ends: [fixed, free], load: 0, shape: 0.1*x, velocity: 0}
  v: {length: 1, elements: 10, ends: [fixed, free]}
contacts: [{above: u, below: v, distance: 0}, {above: 1, below: u}]
couplings: [{between: [u, v], stiffness: 2}]
constraints: ["phi <= 3", {name: low, expression: "phi >= -3", holds: true}]
initial: {t: 0, phi: 0.1, "phi'": 0, solve: ["A.y'"]}
outputs: {a name of words: "A.x + A.vx", pull: second.tension, push: low.lambda}
events:
  - {name: kick, at: [0.2, "0.4*l"], then: [{release: second, e: 0.4, "A.x'": "-e*A.x'"}, record]}
  - {when: "second.tension > 100", direction: rising, then: {hold: [low, second], stop: true}}
run:
  until: 1
  step: 0.01
  integrator: {name: moreau-jean, restitution: e}
  solver: {name: multipliers, tolerance: 1e-13}
  formulation: multipliers
  every: 2
  tolerances: {phi: 1e-9, fast: {of: [A, B.x], rtol: 1e-6, atol: 1e-9}}
  events: [{name: zero, when: phi, action: stop}]
""")

# Mistakes that schema and program must both refuse.
BROKEN = [
    (["rnu"], {"until": 1}),
    (["name"], ["a", "list"]),
    (["parameters"], ["l"]),
    (["parameters", "2l"], 1),
    (["parameters", "t"], 1),
    (["parameters", "l"], None),
    (["parameters", "l"], [1, 2]),
    (["parameters", "l"], ""),
    (["functions", "g"], "1"),
    (["functions", "g(x"], "1"),
    (["tables", "road"], [0, 1]),
    (["tables", "road", "kind"], "cubic"),
    (["tables", "road", "values"], [1]),
    (["dimension"], 4),
    (["gravity"], [0, 0, 0, -9.81]),
    (["masses", "A"], 1),
    (["masses", "A", "mass"], 0),
    (["masses", "A", "mass"], -1),
    (["masses", "A", "mass"], True),
    (["masses", "A", "position"], [0, 0]),
    (["masses", "A"], {"at": [1, 0]}),
    (["masses", "A-1"], {"mass": 1}),
    (["points", "O"], 0),
    (["rods", 0], ["O"]),
    (["rods", 0], ["A", "A"]),
    (["rods", 1, "lenght"], 1),
    (["rods", 1, "length"], 0),
    (["springs", 0], ["A", "B"]),
    (["springs", 0, "stiffness"], -1),
    (["dampers", 0, "stiffness"], 1),
    (["dampers", 0], {"between": ["A", "O"]}),
    (["pins", 0], {"at": [0, 0]}),
    (["curves", 0], {"mass": "B"}),
    (["curves", 0, "on"], "y"),
    (["walls", 0], {"mass": "A"}),
    (["walls", 0, "thickness"], 1),
    (["walls", 0, "inside"], True),
    (["walls", 0, "sphere"], {"at": [0, 0], "radius": 1}),
    (["walls", 0], {"mass": "A", "sphere": {"at": [0, 0]}}),
    (["walls", 0], {"mass": "A", "sphere": {"at": [0, 0], "radius": 0}}),
    (["walls", 0], {"mass": "A", "sphere": {"at": [0, 0], "radius": 1}, "offset": 1}),
    (["walls", 0], {"mass": "A", "beam": "pipe", "normal": [0, 1]}),
    (["walls", 0], {"beam": "pipe", "radius": -1, "normal": [0, 1]}),
    (["walls", 0], {"beam": "pipe", "cylinder": {"along": [[0, 0]], "radius": 1}}),
    (["walls", 0], {"beam": "pipe", "cylinder": {"along": [0, 1], "radius": 1}}),
    (["beams"], ["pipe"]),
    (["beams", "2pipe"], {"length": 1}),
    (["beams", "pipe"], 1),
    (["beams", "pipe", "length"], 0),
    (["beams", "pipe", "lenght"], 1),
    (["beams", "more"], {"elements": 4}),
    (["beams", "pipe", "elements"], 0),
    (["beams", "pipe", "elements"], 2.5),
    (["beams", "pipe", "elements"], 200000),
    (["beams", "tube", "nodes"], [0]),
    (["beams", "pipe", "density"], 0),
    (["beams", "pipe", "stiffness"], -1),
    (["beams", "pipe", "damping"], 1),
    (["beams", "pipe", "damping", "mass"], -1),
    (["beams", "pipe", "inextensible"], "gauss5"),
    (["beams", "pipe", "slack"], "maybe"),
    (["beams", "pipe", "start"], {"clamped": [0, 0]}),
    (["beams", "pipe", "end"], {"pinned": [1, 0], "direction": [1, 0]}),
    (["beams", "pipe", "end"], {"release": 1}),
    (["beams", "pipe", "end"], {"pinned": [1, 0], "mass": "A"}),
    (["beams", "pipe", "end"], {"pinned": [1, 0], "angle": 1}),
    (["beams", "pipe", "end"], "free"),
    (["beams", "tube", "start"], {"beam": "pipe", "at": "middle"}),
    (["beams", "tube", "start"], {"beam": "pipe", "joint": "glued"}),
    (["beams", "pipe", "load"], 1),
    (["beams", "pipe", "follower_load"], [1]),
    (["beams", "pipe", "forces"], {"force": [0, 1]}),
    (["beams", "pipe", "forces", 0], {"at": 1}),
    (["beams", "pipe", "forces", 1, "follower"], [1]),
    (["beams", "pipe", "marks"], [1]),
    (["beams", "pipe", "marks", "middle"], -1),
    (["strings", "u", "length"], 0),
    (["strings", "u", "stiffness"], 1),
    (["strings", "u", "elements"], 0),
    (["strings", "u", "tension"], -1),
    (["strings", "u", "mass"], 1),
    (["strings", "u", "ends"], ["fixed"]),
    (["strings", "u", "ends"], ["fixed", "loose"]),
    (["contacts", 0], {"above": "u"}),
    (["contacts", 0], ["u", "v"]),
    (["contacts", 0, "gap"], 1),
    (["couplings", 0], {"between": ["u", "v"]}),
    (["couplings", 0, "between"], ["u"]),
    (["couplings", 0, "stiffness"], -1),
    (["initial", "equilibrium"], "maybe"),
    (["coordinates"], "phi"),
    (["coordinates"], ["phi", "phi"]),
    (["coordinates", 0], "A.x"),
    (["forces"], ["phi"]),
    (["constraints"], "phi = 0"),
    (["constraints", 0], "phi"),
    (["constraints", 1], {"name": "low"}),
    (["initial", "solve"], "phi"),
    (["initial", "solve"], ["phi''"]),
    (["initial", "phi"], [0]),
    (["outputs"], ["phi"]),
    (["run"], 10),
    (["run", "untill"], 10),
    (["run", "until"], [1]),
    (["run", "step"], 0),
    (["run", "step"], -0.1),
    (["run", "every"], 0.5),
    (["run", "every"], -1),
    (["run", "integrator"], "midpont"),
    (["run", "integrator"], {"name": "moreau-jean", "restituton": 0.5}),
    (["run", "integrator"], {"name": "moreau-jean", "restitution": 1.5}),
    (["run", "integrator"], {"name": "rattle", "alpha": 0.5}),
    (["run", "integrator"], {"restitution": 0.5}),
    (["run", "integrator"], {"name": "hmm", "kernel": "gauss"}),
    (["run", "integrator"], {"name": "hmm", "resolution": 2.5}),
    (["run", "solver"], "newton"),
    (["run", "solver"], {"name": "uzawa", "relaxation": 2}),
    (["run", "formulation"], "penalty"),
    (["run", "formulation"], {"penalty": 0}),
    (["run", "events"], {"when": "phi"}),
    (["run", "events", 0], {"name": "zero"}),
    (["run", "events", 0, "action"], "halt"),
    (["run", "tolerances"], ["phi"]),
    (["run", "tolerances", "phi"], 0),
    (["run", "tolerances", "phi"], -1e-9),
    (["run", "tolerances", "fast"], {"of": ["A"]}),
    (["run", "tolerances", "fast", "of"], "A"),
    (["run", "tolerances", "fast", "rtol"], 0),
    (["run", "tolerances", "fast", "tol"], 1e-6),
    (["constraints", 1, "holds"], "perhaps"),
    (["constraints", 1, "hold"], False),
    (["events"], {"when": "phi"}),
    (["events", 0], "phi"),
    (["events", 0], {"name": "kick"}),
    (["events", 0, "when"], "phi"),
    (["events", 0, "at"], []),
    (["events", 0, "at"], {"t": 1}),
    (["events", 0, "direction"], "rising"),
    (["events", 1, "direction"], "upward"),
    (["events", 1, "direction"], 2),
    (["events", 1, "wehn"], "phi"),
    (["events", 1, "then"], None),
    (["events", 1, "then"], "halt"),
    (["events", 1, "then"], ["stop", "halt"]),
    (["events", 1, "then"], {"release": {"low": 1}}),
    (["events", 1, "then"], {"phi''": 0}),
    (["events", 1, "then"], {"phi'": [0]}),
    (["events", 1, "then"], {"phi'": None}),
]

# Unusual, but allowed by both.
ALLOWED = [
    (["name"], 1984),
    (["outputs"], None),
    (["dimension"], "1 + 1"),
    (["gravity"], "9.81 m/s^2"),
    (["gravity"], [0, -9.81]),
    (["parameters", "φ"], "2*pi"),
    (["pins", 0], "C"),
    (["beams", "pipe", "elements"], "2*2"),
    (["beams", "pipe", "end"], {}),
    (["beams", "tube", "start"], {"beam": "pipe"}),
    (["strings", "w"], {}),
    (["springs", 0, "between"], ["pipe.end", "P"]),
    (["walls", 0], {"mass": "A", "sphere": {"at": [9, 0], "radius": 1}, "radius": 0.1, "name": "ball"}),
    (["walls", 0], {"beam": "pipe", "cylinder": {"along": [[-9, 0], [9, 0], [9, 5]], "radius": 3}, "inside": True}),
    (["initial", "u.3"], 0.05),
    (["forces", "link.2.y"], "-link.2.y'"),
    (["kinetic"], ["phi'^2/2"]),
    (["initial", "solve"], "all"),
    (["run", "every"], "2*2"),
    (["run", "integrator"], {"name": "moreau-jean"}),
    (["run", "solver"], {"name": "augmented-lagrangian", "epsilon": 0}),
    (["run", "until"], "2*l"),
    (["events"], None),
    (["events", 0, "at"], "0.3 s"),
    (["events", 1, "when"], "phi"),
    (["events", 1, "direction"], -1),
    (["events", 1, "then"], "record"),
    (["events", 1, "then"], {"e": "e/2", "phi'": "-phi'"}),
    (["events", 1, "then"], {"release": "phi <= 3"}),
    (["constraints", 1, "holds"], False),
    (["run", "tolerances"], {"A": 1e-6, "pipe": {"atol": "1 mm"}}),
]

# What only the program can know.
UNKNOWN = [
    (["events", 1, "when"], "third.tension"),
    (["events", 1, "then"], {"release": "lwo"}),
    (["events", 1, "then"], {"hold": ["low", "nothing"]}),
    (["events", 1, "then"], {"psi": 1}),
    (["events", 1, "then"], {"phi'": "psi"}),
    (["events", 0, "at"], "phi"),
    (["forces", "phi"], "low.lambda"),
    (["run", "tolerances", "psi"], 1e-6),
    (["run", "tolerances", "fast", "of"], ["D"]),
]


class Schema(unittest.TestCase):
    def errors(self, document):
        return [f"{list(error.path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]

    def test_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_takes_every_case(self):
        self.assertGreaterEqual(len(CASES), 18)
        for case in CASES:
            with self.subTest(case):
                self.assertEqual(self.errors(model(case)), [])

    def test_takes_the_starter(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "first.yaml"
            self.assertEqual(taut("init", path).returncode, 0)
            self.assertEqual(self.errors(load(path.read_text())), [])

    def test_and_program_take_what_is_unusual(self):
        for path, value in [([], None), *ALLOWED]:
            with self.subTest(path=path, value=value):
                document = changed(FULL, path, value) if path else FULL
                self.assertEqual(self.errors(document), [])
                self.assertEqual(refusal(document), "")

    def test_and_program_refuse_mistakes(self):
        for path, value in BROKEN:
            with self.subTest(path=path, value=value):
                document = changed(FULL, path, value)
                self.assertNotEqual(self.errors(document), [])
                self.assertNotEqual(refusal(document), "")

    def test_program_names_the_place_of_what_is_unknown(self):
        for path, value in UNKNOWN:
            with self.subTest(path=path, value=value):
                document = changed(FULL, path, value)
                self.assertEqual(self.errors(document), [])
                self.assertRegex(refusal(document), r"model.json:\d+: " + path[0])

    def test_and_program_refuse_what_cannot_move(self):
        for document in [{}, {"gravity": 9.81}, {"coordinates": ["x"]}, {"coordinates": ["x"], "kinetic": "x'^2", "gravity": 1}]:
            with self.subTest(document):
                self.assertNotEqual(self.errors(document), [])
                self.assertNotEqual(refusal(document), "")

    def test_refuses_broken_cases(self):
        for case in CASES:
            good = model(case)
            for path, value in [
                (["rnu"], {}),
                (["run", "integrator"], "midpont"),
                (["run", "untill"], 1),
                (["run", "step"], ""),
                (["run", "rtol"], [1e-8]),
                (["constraints"], {"rod": "x = 1"}),
            ]:
                with self.subTest(case=case, path=path):
                    self.assertNotEqual(self.errors(changed(good, path, value)), [])

    def test_names_the_integrators_and_solvers_there_are(self):
        listed = json.loads(taut("list", "--json").stdout)
        for kind, definition in [("integrators", "integratorName"), ("solvers", "solverName")]:
            self.assertEqual([one["name"] for one in listed[kind]], SCHEMA["definitions"][definition]["enum"])

    def test_knows_the_keys_that_the_program_knows(self):
        properties = SCHEMA["properties"]

        def single(form):
            """What may be repeated, without the repetition."""
            return form["anyOf"][0]

        places = {
            (): SCHEMA,
            ("tables", "road"): single(properties["tables"]["additionalProperties"]),
            ("masses", "A"): single(properties["masses"]["additionalProperties"]),
            ("rods", 1): properties["rods"]["items"]["anyOf"][1],
            ("springs", 0): single(properties["springs"]["items"]),
            ("dampers", 0): single(properties["dampers"]["items"]),
            ("pins", 0): properties["pins"]["items"]["anyOf"][1],
            ("curves", 0): single(properties["curves"]["items"]),
            ("walls", 0): single(properties["walls"]["items"]),
            ("beams", "pipe"): single(properties["beams"]["additionalProperties"]),
            ("beams", "pipe", "damping"): single(properties["beams"]["additionalProperties"])["properties"]["damping"],
            ("beams", "pipe", "forces", 0): single(properties["beams"]["additionalProperties"])["properties"]["forces"]["items"]["anyOf"][0],
            ("beams", "pipe", "start"): SCHEMA["definitions"]["beamEnd"],
            ("strings", "u"): single(properties["strings"]["additionalProperties"]),
            ("contacts", 0): single(properties["contacts"]["items"]),
            ("couplings", 0): single(properties["couplings"]["items"]),
            ("constraints", 1): properties["constraints"]["items"]["anyOf"][1],
            ("run",): properties["run"],
            ("run", "tolerances", "fast"): properties["run"]["properties"]["tolerances"]["additionalProperties"]["anyOf"][1],
            ("run", "events", 0): SCHEMA["definitions"]["event"],
            ("events", 0): SCHEMA["definitions"]["event"],
        }
        for place, part in places.items():
            with self.subTest(place):
                told = refusal(changed(FULL, [*place, "nothing_near"], 1))
                allowed = re.search(r"allowed are: (.*)", told)
                self.assertIsNotNone(allowed, told)
                self.assertEqual(sorted(allowed[1].split(", ")), sorted(part["properties"]))
                self.assertIs(part["additionalProperties"], False)

    def test_knows_the_options_that_the_program_knows(self):
        for key, form in [("integrator", "integrator"), ("solver", "solver")]:
            options = {}
            for one in SCHEMA["definitions"][form]["anyOf"]:
                if not one.get("additionalProperties", True):
                    named = one["properties"]["name"]
                    for name in named.get("enum", [named.get("const")]):
                        options[name] = sorted(set(one["properties"]) - {"name"})
            for name in SCHEMA["definitions"][f"{form}Name"]["enum"]:
                with self.subTest(name):
                    told = refusal(changed(FULL, ["run", key], {"name": name, "nothing_near": 1}))
                    known = re.search(r"it has (.*)\.", told)
                    self.assertIn("nothing_near", told)
                    self.assertEqual(sorted(known[1].split(", ")) if known else [], options.get(name, []))


class Reference(unittest.TestCase):
    """docs/model-files.md: what it shows runs."""

    TEXT = (ROOT / "docs" / "model-files.md").read_text()

    def test_examples_run(self):
        blocks = re.findall(r"```yaml\n(.*?)```", self.TEXT, re.S)
        self.assertGreater(len(blocks), 20)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "pendulum.yaml").write_text(CASES["pendulum"].read_text())
            (place / "rest.yaml").write_text("gravity: 9.81\nmasses: {A: {mass: 1, at: [1, 0]}}\n")
            for block in blocks:
                with self.subTest(block):
                    document = load(block)
                    whole = {"masses", "bodies", "coordinates", "beams", "strings", "include"} & document.keys()
                    text = block if whole else "include: rest.yaml\n" + block
                    self.assertEqual(list(VALIDATOR.iter_errors(load(text))), [])
                    (place / "example.yaml").write_text(text)
                    short = () if "run" in document else ("--until", 0.01, "--step", 0.001)
                    done = taut("run", place / "example.yaml", "--no-file", *short)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_everything(self):
        listed = json.loads(taut("list", "--json").stdout)
        names = [one["name"] for kind in ("integrators", "solvers") for one in listed[kind]]
        names += [*SCHEMA["properties"], *SCHEMA["properties"]["run"]["properties"]]
        for name in names:
            self.assertIn(f"`{name}`", self.TEXT)


class CertificatePage(unittest.TestCase):
    """docs/certificate.md: the program still prints these lines and comes to these judgements; figures at round-off differ between machines."""

    TEXT = (ROOT / "docs" / "certificate.md").read_text()
    JUDGEMENT = r"^(good|fair|poor|unverified|failed|diverged): "

    def test_shows_what_the_program_prints(self):
        def shape(text):
            labels = [line[2:24].strip() for line in text.splitlines() if line.startswith("  ")]
            return re.search(self.JUDGEMENT, text, re.M)[1], [label for label in labels if not label.startswith("depends on")]

        shown = re.findall(r"```console\n\$ taut ([^\n]*)\n(.*?)```", self.TEXT, re.S)
        self.assertGreaterEqual(len(shown), 10)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "cases", os.path.join(folder, "cases"))
            for block in re.findall(r"```yaml\n(.*?)```", self.TEXT, re.S):
                pathlib.Path(folder, re.match(r"# (\S+)", block)[1]).write_text(block)
            for command, text in shown:
                with self.subTest(command):
                    done = taut(*command.split(), "--no-file", cwd=folder)
                    self.assertEqual(shape(done.stdout), shape(text))
                    self.assertEqual(done.returncode, 1 if shape(text)[0] in ("failed", "diverged") else 0)

    def test_has_every_grade_and_every_key(self):
        self.assertEqual(len(set(re.findall(self.JUDGEMENT, self.TEXT, re.M))), 6)
        for key in [*run("pendulum")["certificate"], "own_energy"]:
            self.assertIn(f"`{key}`", self.TEXT)


# |G v| = O(h²) by their nature; the names of variants begin with these.
POSITIONS_ONLY = ("energy-momentum", "gcn", "houbolt", "newmark", "generalized-alpha", "three-level")
KEEP_MOMENTA = ("midpoint", "rattle", "energy-momentum", "spark")


def outcome(case):
    """The section `run`, the name of the integrator, given or chosen, and the certificate."""
    asked, found = model(case)["run"], run(case)
    method = asked.get("integrator", found.get("chosen", "").split(",")[0])
    return asked, method["name"] if isinstance(method, dict) else method, found["certificate"]


class Certificates(unittest.TestCase):
    def test_every_case_names_its_source(self):
        for case in CASES:
            with self.subTest(case):
                self.assertGreater(len(model(case)["name"]), 3)
                self.assertGreater(len(model(case)["source"]), 3)

    def test_every_case_is_sound(self):
        for case in CASES:
            with self.subTest(case):
                checked = json.loads(taut("check", CASES[case], "--json").stdout)
                repeats = 1 if case.startswith("bricard") else 0
                self.assertEqual((checked["violated"], checked["trouble"], len(checked["redundant"])), ([], "", repeats))
                let_go = any("release" in event.get("then", {}) for event in model(case).get("events", []))
                driven = case in ("stewart", "excavator", "srms_joints", "srms_path")  # as many motions as there are freedoms
                self.assertGreaterEqual(checked["degrees_of_freedom"], 0 if let_go or driven else 1)

    def test_every_case_finishes(self):
        for case in CASES:
            with self.subTest(case):
                asked, _, certificate = outcome(case)
                self.assertTrue(certificate["finished"], certificate["message"])
                self.assertEqual(certificate["verdict"], "stopped" if case == "crash_test" else "reached")
                energy = certificate["energy"]
                at_rest = energy["scale"] < 1e-9 * abs(energy["start"])  # round-off is all that moves
                as_printed = case == "gh95_ellipse_literal"  # and so of poor constraints
                told = case == "four_bars_bodies" and len(certificate["singular"]) == 10  # passed where it may branch
                self.assertTrue(
                    at_rest or as_printed or told or certificate["grade"] in ("good", "unverified"), certificate["summary"]
                )
                if certificate["verdict"] == "reached":
                    names = {"pi": math.pi, "w": model(case).get("parameters", {}).get("w")}
                    self.assertEqual(certificate["t_end"], eval(str(asked["until"]).split()[0], names))

    def test_constraints_hold(self):
        for case in CASES:
            with self.subTest(case):
                asked, method, certificate = outcome(case)
                if isinstance(asked.get("formulation"), dict) or case == "gh95_ellipse_literal":
                    continue  # a penalty; constraints at the middles
                self.assertLessEqual(certificate["position_residual"], 1e-9)
                self.assertLessEqual(certificate["penetration"], 1e-10)
                if not method.startswith(POSITIONS_ONLY):
                    self.assertLessEqual(certificate["velocity_residual"], 1e-9)

    def test_velocities_are_off_by_the_square_of_the_step_where_they_are_not_enforced(self):
        for case, step in [("bead_on_wire", 0.005), ("lbs_double_spherical_pendulum", 0.01)]:
            with self.subTest(case):
                coarse, fine = (run(case, "--step", h)["certificate"]["velocity_residual"] for h in (step, step / 2))
                self.assertAlmostEqual(math.log2(coarse / fine), 2.0, delta=0.2)

    def test_energy_is_kept(self):
        """Measured against the largest kinetic energy: what goes to and fro."""
        seen = set()
        for case in CASES:
            with self.subTest(case):
                asked, method, certificate = outcome(case)
                if not certificate["conservative"]:
                    continue
                if method == "energy-momentum":
                    kind, bound = "exact", 1e-9
                elif "rtol" in asked or "atol" in asked or "step" not in asked:
                    kind, bound = "tolerance", 1e-6
                else:
                    kind, bound = "fixed step of order 2", 3e-2
                seen.add(kind)
                most = max(row["kinetic"] for row in series(case))
                round_off = 1e-11 * abs(certificate["energy"]["start"])  # for those that stay at rest
                # A scheme that keeps an energy in a form of its own keeps that one: the reported velocities are off by O(h) in contact.
                energy = certificate.get("own_energy", certificate["energy"])
                self.assertLessEqual(energy["deviation"], bound * most + round_off)
        self.assertEqual(len(seen), 3)

    def test_what_does_work_is_not_called_conservative(self):
        working = ["ball_in_box", "beck_column", "driven_table", "flexible_arm", "gh95_ellipse", "pendulum_driven", "slider_crank"]
        for case in [*working, "clutch", "crash_test", "stick_slip"]:
            self.assertFalse(run(case)["certificate"]["conservative"], case)

    def test_gyroscopic_forces_and_impacts_that_are_events_leave_energy_to_be_judged(self):
        for case in ["foucault", "bouncing_ball", "snapping_rope"]:
            self.assertTrue(run(case)["certificate"]["conservative"], case)

    def test_momenta_are_kept(self):
        found = set()
        for case in CASES:
            with self.subTest(case):
                _, method, certificate = outcome(case)
                bound = 1e-10 if method.startswith(KEEP_MOMENTA) and "Radau" not in method else 1e-8
                if case == "thrown_die":
                    continue  # Moreau's scheme keeps that of a body which turns to first order in the step
                for momentum in certificate["momenta"]:
                    found.add((case, momentum["name"]))
                    self.assertLessEqual(momentum["deviation"], bound * max(1.0, abs(momentum["start"])))
        for case in ["kepler_sphere", "lbs_double_spherical_pendulum", "spherical_pendulum"]:
            self.assertIn((case, "angular momentum about z"), found)


def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def crossings(rows, name):
    """Times at which a coordinate goes through zero, by cubic Hermite interpolation."""
    out = []
    for a, b in zip(rows, rows[1:]):
        if a[name] * b[name] >= 0:
            continue
        h, low, high = b["t"] - a["t"], 0.0, 1.0
        for _ in range(60):
            s = (low + high) / 2
            value = (1 - s) ** 2 * (1 + 2 * s) * a[name] + s**2 * (3 - 2 * s) * b[name]
            value += h * s * (1 - s) * ((1 - s) * a[name + "'"] - s * b[name + "'"])
            low, high = (s, high) if value * a[name] > 0 else (low, s)
        out.append(a["t"] + high * h)
    return out


def slope(points):
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def unit(a):
    size = math.sqrt(dot(a, a))
    return [x / size for x in a]


def kirchhoffs_cantilever(stiffness, length, frame, force):
    """Its tip: x' = d3, di' = k x di, k = sum (m.di/Ci) di, m' = f x d3 from the clamp on by RK4, the moment there by shooting for m = 0 at the tip."""

    def slope(y):
        d, m = [y[3:6], y[6:9], y[9:12]], y[12:]
        share = [dot(m, one) / by for one, by in zip(d, stiffness)]
        k = [sum(part * one[c] for part, one in zip(share, d)) for c in range(3)]
        return [*d[2], *cross(k, d[0]), *cross(k, d[1]), *cross(k, d[2]), *cross(f, d[2])]

    def shot(moment):
        h, y = length / 100, [0.0, 0.0, 0.0, *frame[0], *frame[1], *frame[2], *moment]
        for _ in range(100):
            a = slope(y)
            b = slope([u + h / 2 * v for u, v in zip(y, a)])
            c = slope([u + h / 2 * v for u, v in zip(y, b)])
            e = slope([u + h * v for u, v in zip(y, c)])
            y = [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, a, b, c, e)]
        return y

    moment = [0.0, 0.0, 0.0]
    for share in (0.25, 0.5, 0.75, 1):
        f = [share * one for one in force]
        for _ in range(12):
            left, small = shot(moment)[12:], 1e-5
            columns = []
            for j in range(3):
                other = shot([one + (small if k == j else 0) for k, one in enumerate(moment)])[12:]
                columns.append([(u - v) / small for u, v in zip(other, left)])
            size = dot(columns[0], cross(columns[1], columns[2]))
            moment = [m - dot(left, cross(columns[(j + 1) % 3], columns[(j + 2) % 3])) / size for j, m in enumerate(moment)]
    return shot(moment)[:3]


def turns(row, beam, elements, twist=True):
    """Of a rod whose ends point along x, by how many its edge winds about its middle line: writhe and twist of the polygon through its nodes, its ends drawn out
    (Klenin and Langowski, Biopolymers 54 (2000) 307-317, method 1a). What bends or twists it cannot change that; what goes through itself does, by two."""
    places = [[row[f"{beam}.{k}.{axis}"] for axis in "xyz"] for k in range(elements + 1)]
    far = 1e3 * max(abs(x) for place in places for x in place)
    line = [[places[0][0] - far, *places[0][1:]], *places, [places[-1][0] + far, *places[-1][1:]]]
    pieces = list(zip(line, line[1:]))
    total = 0.0
    for i, (a, b) in enumerate(pieces):
        for c, d in pieces[i + 2 :]:
            sides = [cross(minus(c, a), minus(d, a)), cross(minus(d, a), minus(d, b))]
            sides += [cross(minus(d, b), minus(c, b)), cross(minus(c, b), minus(c, a))]
            if min(dot(one, one) for one in sides) < 1e-40 * far**2:
                continue  # in one plane
            sides = [unit(one) for one in sides]
            area = sum(math.asin(max(-1, min(1, dot(u, v)))) for u, v in zip(sides, sides[1:] + sides[:1]))
            total += 2 * math.copysign(area, dot(cross(minus(d, c), minus(b, a)), minus(c, a))) / (4 * math.pi)
    if not twist:
        return total
    # From piece to piece the frame is carried along without turning, and turned to the next d1.
    tangents = [[1.0, 0.0, 0.0], *(unit(minus(b, a)) for a, b in pieces[1:-1]), [1.0, 0.0, 0.0]]

    def carried(x, a, b):
        axis, cosine = cross(a, b), dot(a, b)
        along = dot(axis, x) / (1 + cosine)
        return [cosine * u + v + along * w for u, v, w in zip(x, cross(axis, x), axis)]

    def across(x, along):
        return unit(minus(x, [dot(x, along) * u for u in along]))

    for k in range(elements + 1):
        first = [row[f"{beam}.{k}.d1{axis}"] for axis in "xyz"]
        there = across(first, tangents[k + 1])
        before = across(carried(across(first, tangents[k]), tangents[k], tangents[k + 1]), tangents[k + 1])
        total += math.atan2(dot(tangents[k + 1], cross(before, there)), dot(before, there)) / (2 * math.pi)
        if k < elements:
            other = across([row[f"{beam}.{k + 1}.d1{axis}"] for axis in "xyz"], tangents[k + 1])
            total += math.atan2(dot(tangents[k + 1], cross(there, other)), dot(there, other)) / (2 * math.pi)
    return total


class Physics(unittest.TestCase):
    """Numbers computed here, not by the program."""

    def test_pendulum_is_the_same_on_a_circle_and_in_its_angle(self):
        def difference(step):
            circle, angle = series("pendulum", "--step", step), series("pendulum_angle", "--step", step)
            return max(abs(a["angle"] - b["phi"]) for a, b in zip(circle, angle))

        coarse, fine = difference(0.01), difference(0.005)
        self.assertLess(coarse, 0.02)
        self.assertAlmostEqual(math.log2(coarse / fine), 2.0, delta=0.1)

    def test_pendulum_has_the_period_of_the_elliptic_integral(self):
        # 4 K(sin(φ/2)) √(l/g) with K(k) = π/2 / agm(1, √(1 − k²)).
        exact = 2 * math.pi * math.sqrt(1 / 9.81) / arithmetic_geometric_mean(1.0, math.cos(math.pi / 4))
        for case, name in [("pendulum", "A.x"), ("pendulum_angle", "phi")]:

            def error(*options):
                times = crossings(series(case, *options), name)
                self.assertEqual(len(times), 8)
                return abs(2 * (times[-1] - times[0]) / 7 - exact)

            with self.subTest(case):
                self.assertLess(error("--rtol", "1e-12", "--interval", "0.01"), 1e-9)
                coarse, fine = error("--step", 0.01), error("--step", 0.005)
                self.assertLess(coarse, 1e-3)
                self.assertAlmostEqual(math.log2(coarse / fine), 2.0, delta=0.1)

    def test_skate_follows_its_exact_solution(self):
        g, angle, spin = 9.81, math.radians(20), 2.0
        for row in series("skate"):
            exact = g * math.sin(angle) / (2 * spin**2) * math.sin(spin * row["t"]) ** 2
            self.assertAlmostEqual(row["x"], exact, delta=1e-8)
            self.assertAlmostEqual(row["exact_x"], exact, delta=1e-12)

    def test_rolling_disk_follows_its_exact_solution(self):
        m, radius, g, slope_angle, turn = 2.0, 0.3, 9.81, math.radians(10), 0.7
        pull = m * g * math.sin(slope_angle) * radius / (m * radius**2 / 2 + m * radius**2)
        for row in series("rolling_disk"):
            self.assertAlmostEqual(row["heading"], turn * row["t"], delta=1e-9)
            self.assertAlmostEqual(row["roll'"], 5 + pull * math.sin(turn * row["t"]) / turn, delta=1e-8)

    def test_coupled_masses_move_in_their_normal_modes(self):
        k, m, h, places = 100.0, 1.0, 0.005, ("A.x", "B.x", "C.x")
        frequencies = [2 * math.sqrt(k / m) * math.sin(j * math.pi / 8) for j in (1, 2, 3)]
        # The scheme with alpha = 1/4 turns ω into ω' with tan(ω'h/2) = ωh/2, and is exact otherwise.
        of_scheme = [2 / h * math.atan(w * h / 2) for w in frequencies]

        def off(row, rates):
            worst = 0.0
            for place, name in enumerate(places, 1):
                u = sum(
                    0.1 * math.sin(j * math.pi / 4) * math.sin(j * place * math.pi / 4) * math.cos(w * row["t"])
                    for j, w in zip((1, 2, 3), rates)
                )
                worst = max(worst, abs(row[name] - place - u))
            return worst

        for row in series("coupled_masses"):
            self.assertLess(off(row, of_scheme), 1e-10)
            phase_error = sum(0.1 * w**3 * h**2 / 12 * row["t"] for w in frequencies)
            self.assertLess(off(row, frequencies), phase_error + 1e-10)

    def test_spherical_pendulum_keeps_its_height(self):
        def range_of_height(step):
            heights = [row["height"] for row in series("spherical_pendulum", "--step", step)]
            self.assertAlmostEqual(heights[0], -2 * math.cos(math.radians(30)), delta=1e-12)
            return max(heights) - min(heights)

        coarse, fine = range_of_height(0.01), range_of_height(0.005)
        self.assertLess(coarse, 1e-4)
        self.assertAlmostEqual(math.log2(coarse / fine), 2.0, delta=0.1)

    def test_foucault_pendulum_turns_its_plane(self):
        rows = series("foucault", "--interval", "0.05")
        distance = [math.hypot(row["A.x"], row["A.y"]) for row in rows]
        farthest = []
        for before, row, after, r in zip(distance, rows[1:], distance[2:], distance[1:]):
            if before <= r > after:
                direction = math.atan2(row["A.y"], row["A.x"]) % math.pi
                farthest.append((row["t"], direction - math.pi if direction > math.pi / 2 else direction))
        self.assertGreater(len(farthest), 60)
        predicted = -2 * math.pi / 7200 * math.sin(math.radians(48.85))
        self.assertAlmostEqual(slope(farthest), predicted, delta=0.01 * abs(predicted))

    def test_seven_body_mechanism(self):
        """Positions at t = 0.03 in extended precision, with nothing but a tolerance given."""
        exact = {"beta": 15.8107711951537, "theta": -15.7563710584118, "gamma": 0.0408222401196457, "phi": -0.534730116342080,
                 "delta": 0.524409965879954, "omega": 0.534730116342080, "epsilon": 1.04808074104194}
        for more in [[], ["--integrator", "spark4"]]:
            last = run("andrews", *more)["last"]
            for name, value in exact.items():
                self.assertAlmostEqual(last[name], value, delta=1e-9)

    def test_double_spherical_pendulum_ends_where_it_must(self):
        last = run("lbs_double_spherical_pendulum", "--integrator", "dop853", "--rtol", "1e-12", "--until", "2")["last"]
        wanted = {
            "A.x": 0.1618879892158,
            "A.y": -0.4289433124115,
            "A.z": -0.8887068772577,
            "B.x": 0.1957919636416,
            "B.y": -1.3835805750567,
            "B.z": -1.1845416576463,
        }
        for name, value in wanted.items():
            self.assertAlmostEqual(last[name], value, delta=1e-10)

    def test_beam_coils_along_its_exact_solution_with_order_two(self):
        for case in ["coiling_beam", "coiling_beam_linear"]:
            coarse, fine = (run(case, "--step", h)["outputs"]["off"] for h in (0.05, 0.025))
            self.assertLess(fine, 1e-4)
            self.assertAlmostEqual(math.log2(coarse / fine), 2.0, delta=0.3)

    def test_relativistic_particle_keeps_its_momentum_about_the_axis(self):
        rows = series("relativistic_particle")
        self.assertLess(max(row["Lz"] for row in rows) - min(row["Lz"] for row in rows), 1e-12)

    def test_a_rod_with_a_penalty_is_a_spring_and_the_other_none(self):
        rows = series("lbs_first_rod_spring")
        self.assertAlmostEqual(max(abs(row["length"] - 1) for row in rows), 8.2e-4, delta=0.2e-4)
        self.assertLess(max(abs(row["Lz"] - 6) for row in rows), 1e-12)
        self.assertLess(run("lbs_first_rod_spring")["certificate"]["position_residual"], 1e-14)

    def test_statics_obey_the_solver_and_the_formulation(self):
        def middle(*options):
            done = taut("static", CASES["swinging_pipe"], "--json", *options)
            return json.loads(done.stdout)["q"]["pipe.30.y"]

        self.assertAlmostEqual(middle(), -11.610424695, delta=1e-8)
        self.assertAlmostEqual(middle("--solver", "splitting"), -11.610424695, delta=1e-7)
        # (76) with the paper's epsilon 1e-5, which is EA = 4 rho/epsilon; the experiment gives the same.
        self.assertAlmostEqual(middle("--formulation", f"penalty={1e-5 / (4 * 7.67)}"), -11.6153259475, delta=1e-8)

    def test_table_of_the_ellipse_has_the_iterations_of_the_paper(self):
        certificate = run("gh95_ellipse_literal")["certificate"]
        self.assertTrue(33 <= certificate["multiplier_updates"] / certificate["steps"] <= 41)

    def test_wall_is_penetrated_as_deep_as_the_penalty_allows(self):
        deepest = run("gh95_wall", "--every", 1)["certificate"]["penetration"]
        self.assertAlmostEqual(deepest, 11.393e-3, delta=1e-3 * 11.393e-3)

    def test_ball_crosses_the_box_with_the_speed_that_impacts_leave(self):
        # 1.5 m/s from x = 0.3; each side wall leaves 0.8 of it. Impacts are late by up to a step.
        times, t, speed = [0.2 / 1.5], 0.7 / 1.5, 1.5
        for _ in range(3):
            speed *= 0.8
            times.append(t + 0.5 / speed)
            t += 1.0 / speed
        found = [event["t"] for event in run("ball_in_box")["events"]]
        self.assertEqual(len(found), 4)
        for hits, (one, exact) in enumerate(zip(found, times)):
            self.assertAlmostEqual(one, exact, delta=1e-3 * hits + 1e-9)

    def test_bouncing_ball_meets_the_ground_at_the_exact_times(self):
        g, e = 9.81, 0.8
        t, speed, times = math.sqrt(2 / g), math.sqrt(2 * g), []
        for _ in range(10):
            times.append(t)
            speed *= e
            t += 2 * speed / g
        for more in [(), ("--integrator", "spark3"), ("--step", 0.01)]:
            with self.subTest(more):
                found = run("bouncing_ball", *more)["events"]
                self.assertEqual(len(found), len(times))
                for k, (one, exact) in enumerate(zip(found, times)):
                    self.assertAlmostEqual(one["t"], exact, delta=1e-9)
                    self.assertAlmostEqual(one["impulse"], (1 + e) * e**k * math.sqrt(2 * g), delta=1e-8)

    def test_ball_is_on_its_parabola_between_impacts(self):
        g, e, fall = 9.81, 0.8, math.sqrt(2 / 9.81)
        for row in series("bouncing_ball"):
            begin, length = -fall, 2 * fall
            while row["t"] > begin + length + 1e-9:
                begin += length
                length *= e
            self.assertAlmostEqual(row["height"], g / 2 * (row["t"] - begin) * (begin + length - row["t"]), delta=1e-9)

    def test_clutch_locks_when_both_sides_turn_alike(self):
        # 20 N m from 0.5 s on: J1 J2/(J1 + J2) * 100/20 = 0.75 s of slipping, then 100 J1/(J1 + J2).
        found = run("clutch")
        self.assertEqual([one["name"] for one in found["events"]], ["engage", "lock"])
        for one, exact in zip(found["events"], (0.5, 1.25)):
            self.assertAlmostEqual(one["t"], exact, delta=1e-9)
        self.assertAlmostEqual(found["outputs"]["speed"], 25, delta=1e-9)
        self.assertAlmostEqual(found["outputs"]["slip"], 0, delta=1e-12)
        lost = 0.5 * 0.15 * 100**2  # of two bodies that come to one speed: J1 J2/(J1 + J2)/2 times the square of the difference
        energy = [row["kinetic"] for row in series("clutch")]
        self.assertAlmostEqual(energy[0] - energy[-1], lost, delta=1e-6)

    def test_block_sticks_and_slips_with_the_period_of_the_closed_form(self):
        # It sticks until k x = mu_s N. It slips as x - c = A cos wt + B sin wt about c = mu_k N/k, A = (mu_s - mu_k) N/k, B = belt/w, and has the speed
        # of the belt again at wt = 2 pi - 2 atan(A/B), at x = c - A; the belt then carries it 2 A farther.
        m, k, N, mu_s, mu_k, belt = 1.0, 100.0, 10.0, 0.6, 0.4, 0.1
        w, amplitude = math.sqrt(k / m), (mu_s - mu_k) * N / k
        slip = (2 * math.pi - 2 * math.atan(amplitude * w / belt)) / w
        times, t = [], mu_s * N / k / belt
        while t < 4:
            times.append(("breaks loose", t))
            times.append(("sticks", t + slip))
            t += slip + 2 * amplitude / belt
        found = run("stick_slip")["events"]
        times = [one for one in times if one[1] < 4]
        self.assertEqual([one["name"] for one in found], [name for name, _ in times])
        for one, (_, exact) in zip(found, times):
            self.assertAlmostEqual(one["t"], exact, delta=1e-7)

    def test_rope_snaps_where_the_pendulum_pulls_too_hard(self):
        # From the horizontal, phi'^2 = 2 g sin(phi)/l and the tension is 3 m g sin(phi). With phi = s^2 the time integral has no singularity.
        g, most = 9.81, 20.0
        end = math.asin(most / (3 * g))
        n = 2000
        h = math.sqrt(end) / n

        def speed(s):
            return 2.0 / math.sqrt(2 * g) if s == 0 else 2 * s / math.sqrt(2 * g * math.sin(s * s))

        exact = h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * speed(i * h) for i in range(n + 1))  # Simpson
        for more in [(), ("--integrator", "spark3")]:
            with self.subTest(more):
                found = run("snapping_rope", *more)
                snap = found["events"][0]["t"]
                self.assertAlmostEqual(snap, exact, delta=1e-9)
                # Then it flies on along its tangent.
                rate, flight = math.sqrt(2 * g * math.sin(end)), 1 - exact
                x = math.cos(end) - rate * math.sin(end) * flight
                y = -math.sin(end) - rate * math.cos(end) * flight - g / 2 * flight**2
                self.assertAlmostEqual(found["last"]["A.x"], x, delta=1e-8)
                self.assertAlmostEqual(found["last"]["A.y"], y, delta=1e-8)
                self.assertEqual(found["outputs"]["tension"], 0)

    def test_cart_balances_its_pendulum_as_long_as_it_is_told_to(self):
        # Upright the bob has 0.2*9.81 J; without the push energy is kept and the bob falls through the height of the cart.
        balanced, left = run("balanced_cart"), run("balanced_cart", "--set", "gain=0")
        self.assertLess(abs(balanced["outputs"]["lean"]), 1e-3)
        self.assertAlmostEqual(left["certificate"]["energy"]["start"], 0.2 * 9.81 * math.cos(0.2), delta=1e-12)
        self.assertLess(left["certificate"]["energy"]["deviation"], 1e-7)
        rows = series("balanced_cart", "--set", "gain=0")
        self.assertEqual([row["t"] for row in rows], [0, 1, 2, 3, 4, 5, 6])
        self.assertGreater(max(abs(row["lean"]) for row in rows), math.pi / 2)

    def test_sled_is_let_go_hits_the_barrier_and_stops_the_run_on_its_way_back(self):
        # 9 m at 2 m/s^2: 3 s and 6 m/s; one metre at that speed; half a sine in the springs; one metre back.
        flight, contact = 1 / 6, math.pi / math.sqrt(8e5 / 500)
        found = run("crash_test")
        exact = [("release", 3), ("impact", 3 + flight), ("back", 3 + 2 * flight + contact)]
        self.assertEqual([one["name"] for one in found["events"]], [name for name, _ in exact])
        for one, (_, t) in zip(found["events"], exact):
            self.assertAlmostEqual(one["t"], t, delta=1e-7)
        self.assertEqual(found["last"]["t"], found["events"][-1]["t"])
        self.assertAlmostEqual(found["last"]["sled.x"], 9, delta=1e-9)
        self.assertAlmostEqual(max(row["force"] for row in series("crash_test")), 6 * math.sqrt(8e5 * 500), delta=2e3)

    def test_tangential_push_makes_a_column_flutter_above_becks_load(self):
        def growth(push):
            rows = series("beck_column", "--set", f"P={push}", "--until", 2)
            half = len(rows) // 2
            return max(abs(row["tip"]) for row in rows[half:]) / max(abs(row["tip"]) for row in rows[:half])

        self.assertLess(growth(19), 2.0)
        self.assertGreater(growth(22), 4.0)

    def test_arm_bends_back_while_it_is_spun_up(self):
        # Simo and Vu-Quoc 1987: about 0.58 m backward at most, and straight but for small vibrations afterwards.
        rows = series("flexible_arm")
        self.assertAlmostEqual(min(row["across"] for row in rows), -0.575, delta=0.015)
        self.assertLess(max(abs(row["across"]) for row in rows if row["t"] > 15), 0.01)

    def test_frame_yields_as_linear_theory_says_under_a_small_load(self):
        # A beam on two supports, turned back at one of them by the column, which resists with 3EI/l.
        l, a, EI, P = 1.2, 0.24, 1440.0, 0.1
        b = l - a
        turn = P * a * b * (l + b) / (6 * EI * l)
        moment = turn * 3 * EI / (2 * l)
        down = P * a**2 * b**2 / (3 * EI * l) - moment * a * b * (l + b) / (6 * EI * l)
        self.assertAlmostEqual(run("lee_frame", "--set", f"P={P}")["outputs"]["down"], down, delta=1e-5 * down)

    def test_frame_has_the_limit_load_of_the_literature(self):
        # 18.55 kN at 0.49 m: below it stands, farther down than a straight line says.
        self.assertAlmostEqual(run("lee_frame", "--set", "P=18 kN")["outputs"]["down"], 0.414, delta=0.01)

    def test_slack_cable_is_never_too_long_and_gains_no_energy(self):
        rows = series("slack_cable")
        self.assertLess(max(row["distance"] for row in rows), 1 + 1e-9)
        energy = [row["kinetic"] + row["potential"] for row in rows]
        self.assertTrue(all(b <= a + 1e-9 for a, b in zip(energy, energy[1:])))
        self.assertLess(energy[-1], energy[0] - 0.1)

    def test_governor_settles_where_its_balls_balance_the_sleeve(self):
        m, M, l, w = 2.0, 8.0, 0.3, 15.0
        cosine = (m + M) * 9.81 / (m * l * w**2)  # of the angle of the arms
        self.assertAlmostEqual(series("governor")[-1]["height"], -2 * l * cosine, delta=1e-5)

    def test_suspension_carries_its_weight_and_comes_back_from_the_bump(self):
        rows, weight = series("wishbones"), (350 + 6 + 3 + 32) * 9.81
        self.assertAlmostEqual(rows[0]["tyre"], weight, delta=1e-4 * weight)
        self.assertGreater(max(row["wheel"] for row in rows) - rows[0]["wheel"], 0.05)
        self.assertAlmostEqual(rows[-1]["car"], rows[0]["car"], delta=0.01)

    def test_cylinders_of_the_excavator_do_the_work_that_its_energy_tells(self):
        rows, T = series("excavator"), 10.0
        stroke = {"boom push": 0.35, "stick push": -0.3, "bucket push": 0.3}

        def power(row):
            rate = {name: by * math.pi / T * math.sin(2 * math.pi * row["t"] / T) for name, by in stroke.items()}
            return sum(row[name] * v - 2e3 * v**2 for name, v in rate.items())  # less what the dampers take

        half = [row for row in rows if row["t"] <= T / 2 + 1e-9]
        self.assertEqual(len(half) % 2, 1)
        weights = [1 if k in (0, len(half) - 1) else 4 if k % 2 else 2 for k in range(len(half))]
        work = sum(w * power(row) for w, row in zip(weights, half)) * (half[1]["t"] - half[0]["t"]) / 3
        energy = [row["kinetic"] + row["potential"] for row in (half[0], half[-1])]
        self.assertGreater(work, 1e4)
        self.assertAlmostEqual(work, energy[1] - energy[0], delta=1e-6 * work)

    def test_rocking_block_loses_what_housner_says_at_each_impact(self):
        events = run("rocking_block")["events"]
        factor = 1 - 1.5 * math.sin(math.atan2(0.2, 0.8)) ** 2
        self.assertEqual([event["name"] for event in events], ["onto the left", "onto the right"] * 2)
        for a, b in zip(events, events[1:]):
            self.assertAlmostEqual(b["impulse"] / a["impulse"], factor, delta=1e-9)

    def test_die_comes_to_lie_on_a_face(self):
        rows = series("thrown_die")
        self.assertAlmostEqual(rows[-1]["height"], 0.008, delta=1e-9)
        self.assertTrue(all(b["energy"] <= a["energy"] + 1e-9 for a, b in zip(rows, rows[1:])))

    def test_arm_of_the_shuttle_stays_on_its_path(self):
        self.assertLessEqual(max(row["off path"] for row in series("srms_path")), 1e-10)

    def test_bricards_mechanism_closes_and_swings(self):
        # With angles th and ph at its hinges in turn, it closes where cos th + cos ph + cos th cos ph = 0 (Chen, You, Tarnai 2005); P3 after 0.8 s follows
        # from the equation of motion of th alone.
        out = run("bricard", "--until", "0.8", "--rtol", "1e-11")["outputs"]
        for name, exact in (("x", 0.38486540252), ("y", -1.49340858273), ("z", 0.78842211219)):
            self.assertAlmostEqual(out[name], exact, delta=1e-8)
        for row in series("bricard"):
            # Angles of the hinges in P2, P4 on the one hand and in P1, P3, P5 on the other are equal, so that lengths between every other point are.
            p = [[0, 0, 0], [1, 0, 0]] + [[row[f"P{k}.{c}"] for c in "xyz"] for k in (2, 3, 4, 5)]
            self.assertAlmostEqual(math.dist(p[1], p[3]), math.dist(p[3], p[5]), delta=1e-7)
            self.assertAlmostEqual(math.dist(p[0], p[2]), math.dist(p[2], p[4]), delta=1e-7)
            self.assertAlmostEqual(row["kinetic"] + row["potential"], -29.43, delta=1e-6)

    def test_string_bounces_off_its_axis(self):
        for row in series("string_on_a_table"):
            self.assertAlmostEqual(row["middle"], 0.01 * abs(math.cos(math.pi * row["t"])), delta=3e-4)  # two bounces, each late by the time in contact

    def test_coupled_strings_exchange_their_motion(self):
        # In and against phase, with the frequencies of 40 elements and of the scheme: tan(ω'h/2) = ωh/2.
        h, n, layer = 0.01, 40, 4.0
        square = (2 * n * math.sin(math.pi / (2 * n))) ** 2
        together, against = (2 / h * math.atan(math.sqrt(s) * h / 2) for s in (square, square + 2 * layer))
        for row in series("coupled_strings"):
            a, b = math.cos(together * row["t"]), math.cos(against * row["t"])
            self.assertAlmostEqual(row["middle_u"], 0.005 * (a + b), delta=1e-9)
            self.assertAlmostEqual(row["middle_v"], 0.005 * (a - b), delta=1e-9)

    def test_released_pipe_swings_within_its_length(self):
        for row in series("swinging_pipe"):
            self.assertLessEqual(math.hypot(row["tip_x"], row["tip_y"]), 32.6 + 1e-6)
        self.assertAlmostEqual(run("swinging_pipe")["outputs"]["tip_y"], -28.87, delta=0.05)

    def test_ends_of_a_cable_carry_its_weight_and_the_load(self):
        """Supports push with minus lambda."""
        rows = series("hanging_cable")
        self.assertAlmostEqual(rows[0]["height"], rows[-1]["height"], delta=1e-9)
        last = rows[-1]
        held = -sum(last[f"lambda of {name}.y"] for name in ("left start", "right end"))
        self.assertAlmostEqual(held, (20 + 0.5 * 12.3) * 9.81, delta=1e-6)

    def test_bend_of_45_degrees_has_its_published_tip(self):
        # Simo and Vu-Quoc 1986, with 8 straight elements; Bathe and Bolourchi 1979 have (15.9, 47.2, 53.4).
        at = json.loads(taut("static", CASES["bend45"], "--json").stdout)["q"]
        for axis, published in zip("xyz", (15.79, 47.23, 53.37)):
            self.assertAlmostEqual(at[f"arc.8.{axis}"], published, delta=0.15)

    def test_strip_closes_to_a_circle(self):
        self.assertLess(run("roll_up")["outputs"]["gap"], 1e-8)
        self.assertAlmostEqual(run("roll_up")["outputs"]["curvature"], 2 * math.pi, delta=1e-5)

    def test_spring_has_loves_period(self):
        # Half of it until the weight is lowest: pi sqrt((m + coil/3) R^2 L/GJ).
        rows = series("helical_spring")
        length = 2 * math.pi * 10 * math.hypot(0.05, 0.01 / (2 * math.pi))
        half = math.pi * math.sqrt((0.19 + 0.005 * length / 3) * 0.05**2 * length / 0.06)
        self.assertAlmostEqual(min(rows, key=lambda row: row["height"])["t"], half, delta=0.03 * half)

    def test_ring_leaves_its_plane_above_michells_twist_only(self):
        self.assertGreater(abs(run("twisted_ring")["outputs"]["height"]), 0.5)
        self.assertLess(abs(run("twisted_ring", "--set", "over=0.95")["outputs"]["height"]), 0.1)

    def test_helicopter_blade_stretches_by_its_own_pull(self):
        last = json.loads(taut("run", CASES["helicopter_blade"], "--no-file", "--json").stdout)["outputs"]
        # rho w^2 L^3/(3 EA), with the tip still swinging by a fraction of a millimetre
        self.assertAlmostEqual(last["along"], 1.2 * 36 * 1000 / (3 * 2.8e7), delta=1e-5)
        self.assertAlmostEqual(last["flap"], 0.0, delta=1e-9)

    def test_flexible_slider_crank_moves_as_a_rigid_one_but_for_its_bend(self):
        last = json.loads(taut("run", CASES["slider_crank_flexible"], "--no-file", "--json").stdout)["outputs"]
        self.assertAlmostEqual(last["x"], 0.45, delta=5e-5)
        self.assertLess(abs(last["bend"]), 2e-3)

    def test_joint_between_boom_and_hand_carries_its_weight(self):
        at = json.loads(taut("static", CASES["boom_and_hand"], "--json").stdout)
        self.assertAlmostEqual(at["outputs"]["moment"], 2 * 9.81 * 0.2, delta=0.02)

    def test_coil_comes_to_lie_on_the_table_and_gains_no_energy(self):
        rows = series("coil_on_a_table")
        energy = [row["kinetic"] + row["potential"] for row in rows]
        for before, after in zip(energy, energy[1:]):
            self.assertLessEqual(after, before + 1e-12)
        self.assertAlmostEqual(rows[-1]["bottom"], 0.001, delta=1e-9)
        self.assertLess(rows[-1]["top"], 0.003)
        self.assertLess(outcome("coil_on_a_table")[2]["penetration"], 1e-9)

    def test_lees_frame_passes_its_limit_load(self):
        path = json.loads(taut("static", CASES["lee_frame"], "--vary", "P=0:20 kN", "--json").stdout)
        self.assertTrue(path["finished"], path["trouble"])
        limits = [one["P"] for one in path["critical"] if one["kind"] == "limit"]
        self.assertEqual(len(limits), 2)
        self.assertAlmostEqual(limits[0] * 1.2**2 / 1440, 18.55, delta=0.02)  # Lee, Manuel and Rossow 1968
        self.assertEqual({one["unstable"] for one in path["points"]}, {0, 1})
        for wrong in ("P", "P=1", "Q=0:1", "P=3:3"):
            self.assertEqual(taut("static", CASES["lee_frame"], "--vary", wrong).returncode, 2, wrong)

    def test_knot_is_drawn_tight_and_does_not_pass_through_itself(self):
        rows = series("trefoil_knot")
        certificate = outcome("trefoil_knot")[2]
        self.assertLess(certificate["penetration"], 1e-9)
        # What a knot takes of the rope, in diameters, falls as it tightens. A rope without thickness would come to lie straight, and take none.
        taken = [(49.438 - 100 * row["length"]) / 0.8 for row in rows]
        self.assertGreater(taken[0], 35)
        self.assertLess(taken[-1], 14)
        self.assertGreater(min(taken), 10)

    def test_bar_of_princeton_comes_to_rest_where_kirchhoff_says(self):
        thick, high, length = 3.2024e-3, 12.377e-3, 0.508
        flat, edge = 71.7e9 * high * thick**3 / 12, 71.7e9 * thick * high**3 / 12
        twist = 71.7e9 / 2.62 * high * thick**3 / 3 * (1 - 0.63 * thick / high)
        for degrees, weight in [(30, 4.448), (45, 13.345)]:
            angle = math.pi / 2 - math.radians(degrees)
            first = [0, math.cos(angle), math.sin(angle)]
            frame = [first, cross([1, 0, 0], first), [1, 0, 0]]
            exact = kirchhoffs_cantilever([flat, edge, twist], length, frame, [0, 0, -weight])
            options = ("--set", f"theta={math.radians(degrees)}", "--set", f"P={weight}")
            found = json.loads(taut("static", CASES["princeton_beam"], "--json", *options).stdout)
            self.assertTrue(found["found"] and found["stable"])
            for axis, value in zip("xyz", exact):
                self.assertAlmostEqual(found["outputs"][axis], value, delta=2e-6 * length)

    def test_cord_leaves_the_straight_below_its_tension_and_coils_both_ways(self):
        # Where (T - (EI K)^2/GJ) v'^2 + EI v''^2 is no longer positive for v = 1 - cos(2 pi s/L).
        bending, torsion, own, length = 2e-5, 1.5e-5, 40, 0.6
        exact = (bending * own) ** 2 / torsion - bending * (2 * math.pi / length) ** 2
        path = json.loads(taut("static", CASES["telephone_cord"], "--vary", "T=0.042:0.039", "--json").stdout)
        self.assertEqual(len(path["critical"]), 1)
        self.assertAlmostEqual(path["critical"][0]["T"], exact, delta=1e-4 * exact)
        last = run("telephone_cord")["outputs"]
        self.assertLess(last["left"] * last["right"], -25)
        self.assertLess(last["length"], 0.4)

    def test_ring_yields_to_pressure_as_if_it_buckled_at_levys(self):
        # Southwell's plot: under a pressure that is a little uneven it yields by p/(critical - p).
        yields = {}
        for p in (1.5, 2.4):
            found = json.loads(taut("static", CASES["ring_under_pressure"], "--set", "uneven=1e-5", "--set", f"p={p}", "--json").stdout)
            yields[p] = found["outputs"]["along"] - found["outputs"]["across"]
        a, b = 1.5 / yields[1.5], 2.4 / yields[2.4]
        self.assertAlmostEqual(1.5 + 0.9 * a / (a - b), 3, delta=2e-4)
        self.assertLess(run("ring_under_pressure")["outputs"]["across"], 0.7)
        self.assertGreater(run("ring_under_pressure", "--set", "p=2.7")["outputs"]["across"], 0.95)

    def test_string_of_pipes_leaves_the_bottom_of_its_bore_at_the_force_of_paslay_and_bogy(self):
        path = json.loads(taut("static", CASES["drill_string"], "--vary", "F=700:850", "--json").stdout)
        self.assertEqual(len(path["critical"]), 1)
        self.assertAlmostEqual(path["critical"][0]["F"], 2 * math.sqrt(400 * 20 / 0.05), delta=2)
        for row in series("drill_string"):
            for node in range(25):
                aside = math.hypot(row[f"string.{node}.y"], row[f"string.{node}.z"])
                self.assertLessEqual(aside, 0.05 + 5e-5)

    def test_stent_yields_as_linear_theory_says_and_comes_back(self):
        # A strut between two crowns in linear theory: both move in by u and turn by phi and -phi about the hoop. Of the energy
        # 6 EI/l (phi sin a + k u)^2 + 2 EI/l (phi cos a h/l)^2 + 2 GJ/l (phi cos a c/l)^2 - q l u cos a - q l^2/6 phi cos a h/l
        # with k = 2 sin(a)/h, a = pi/n, height h and chord c of a strut.
        n, radius, h, bending, push = 12, 0.01, 0.006, 2e-5, 0.01
        torsion, angle = 0.77 * bending, math.pi / n
        c = 2 * radius * math.sin(angle)
        length, k = math.hypot(c, h), 2 * math.sin(angle) / h
        turn = -push * length**4 * h / (12 * math.cos(angle) * (bending * h**2 + torsion * c**2))
        narrower = (push * length**2 * math.cos(angle) / (12 * bending * k) - turn * math.sin(angle)) / k
        found = json.loads(taut("static", CASES["stent"], "--set", f"push={push}", "--json").stdout)
        self.assertAlmostEqual(radius - found["outputs"]["radius"], narrower, delta=1e-4 * narrower)
        rows = series("stent")
        for row in rows[::20]:
            crowns = [math.hypot(row[f"c{k}.x"], row[f"c{k}.y"]) for k in range(n)]
            self.assertLess(max(crowns) - min(crowns), 1e-9)
        self.assertLess(rows[0]["radius"], 0.0097)
        self.assertAlmostEqual(rows[-1]["radius"], radius, delta=1e-6)

    def test_loop_that_is_pulled_straight_leaves_its_turn_as_twist(self):
        rows = series("loop_pulled_straight")
        for row in (rows[0], rows[len(rows) // 3], rows[-1]):
            self.assertAlmostEqual(turns(row, "cable", 40), turns(rows[0], "cable", 40), delta=1e-9)
        self.assertAlmostEqual(abs(turns(rows[0], "cable", 40)), 1, delta=0.02)
        self.assertAlmostEqual(rows[-1]["twist"], 2 * math.pi * turns(rows[0], "cable", 40), delta=1e-3)
        self.assertAlmostEqual(rows[-1]["length"], 1, delta=1e-5)

    def test_plectoneme_has_the_turns_of_its_ends(self):
        rows = series("plectoneme")
        for row in rows[:: len(rows) // 6]:
            ramp = min(row["t"], 1) ** 2 * (3 - 2 * min(row["t"], 1))
            self.assertAlmostEqual(turns(row, "thread", 54), 5 * ramp, delta=1e-6)
        writhe = turns(rows[-1], "thread", 54, twist=False)
        self.assertGreater(writhe, 2)  # wound up, and not twisted only
        self.assertLess(outcome("plectoneme")[2]["penetration"], 1e-9)

    def test_mass_in_a_hollow_cylinder_swings_as_a_pendulum(self):
        model = load("""
gravity: 9.81
masses: {A: {mass: 1, at: ["0.4*sin(1)", "-0.4*cos(1)"]}}
walls: [{mass: A, radius: 0.1, sphere: {at: [0, 0], radius: 0.5}, inside: true}]
run: {until: 2, step: 0.001, integrator: moreau-jean}
""")
        quarter = 2 * math.pi * math.sqrt(0.4 / 9.81) / arithmetic_geometric_mean(1, math.cos(0.5)) / 4
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bowl.json")
            pathlib.Path(path).write_text(json.dumps(model))
            taut("run", path, "--out", path + ".h5")
            self.assertEqual(taut("convert", path + ".h5", path + ".csv").returncode, 0)
            with open(path + ".csv", newline="") as file:
                rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        for k, crossing in enumerate(crossings(rows, "A.x")):
            self.assertAlmostEqual(crossing, (2 * k + 1) * quarter, delta=2e-3)
        self.assertLessEqual(max(math.hypot(row["A.x"], row["A.y"]) for row in rows), 0.4 + 1e-12)

    def test_thread_stays_in_its_eyelets(self):
        rows = series("suture")
        self.assertGreater(rows[-1]["front"] - rows[0]["front"], 0.03)
        for row in rows:
            for k in range(3):
                # Where it goes through the plane of an eyelet it is inside.
                at, middle = (k - 2) * 0.02, 0.0015 * math.cos(math.pi * k)
                for node in range(48):
                    a, b = ([row[f"thread.{n}.{axis}"] for axis in "xyz"] for n in (node, node + 1))
                    if (a[0] - at) * (b[0] - at) < 0:
                        part = (at - a[0]) / (b[0] - a[0])
                        y, z = (u + part * (v - u) for u, v in zip(a[1:], b[1:]))
                        self.assertLess(math.hypot(y - middle, z), 0.002 - 0.0005 - 0.0003 + 1e-4)
        self.assertLess(outcome("suture")[2]["penetration"], 1e-10)

    def test_rope_keeps_whirling(self):
        for row in series("skipping_rope"):
            self.assertAlmostEqual(row["radius"], 1.03, delta=0.03)

    def test_shaken_pendulum_stands_only_above_kapitzas_speed(self):
        def farthest(speed):
            return max(abs(row["from_upright"]) for row in series("pendulum_driven", "--set", f"w={speed}"))

        self.assertGreater((0.1 * 60) ** 2, 2 * 9.81)
        self.assertLess(farthest(60), 0.15)
        self.assertLess((0.1 * 30) ** 2, 2 * 9.81)
        self.assertGreater(farthest(30), 1.0)

    def test_slider_crank_loses_what_friction_takes(self):
        rows = series("slider_crank", "--interval", "0.005")
        power = [0.5 * row["B.x'"] ** 2 for row in rows]
        work = 0.005 / 3 * (power[0] + 4 * sum(power[1:-1:2]) + 2 * sum(power[2:-1:2]) + power[-1])  # Simpson
        energy = [row["kinetic"] + row["potential"] for row in (rows[0], rows[-1])]
        self.assertEqual(len(rows) % 2, 1)
        self.assertAlmostEqual(energy[0] - energy[1], work, delta=1e-6 * work)

    def test_table_drives_along_a_natural_spline(self):
        # Second derivatives M of the spline through y at 0 … 4: M₀ = M₄ = 0, Mₖ₋₁ + 4Mₖ + Mₖ₊₁ = 6(yₖ₋₁ − 2yₖ + yₖ₊₁).
        y = [0, 0.5, 0.2, 0.8, 0]
        right = [6 * (y[k - 1] - 2 * y[k] + y[k + 1]) for k in (1, 2, 3)]
        middle = (4 * right[1] - right[0] - right[2]) / 14
        m = [0, (right[0] - middle) / 4, middle, (right[2] - middle) / 4, 0]
        for row in series("driven_table"):
            k = min(int(row["t"]), 3)
            b = row["t"] - k
            a = 1 - b
            path = a * y[k] + b * y[k + 1] + ((a**3 - a) * m[k] + (b**3 - b) * m[k + 1]) / 6
            s = row["t"] / 4
            self.assertAlmostEqual(row["A.x"], path, delta=1e-9)
            self.assertAlmostEqual(row["A.y"], 0.1 * s**2 * (3 - 2 * s), delta=1e-9)


if __name__ == "__main__":
    unittest.main()
