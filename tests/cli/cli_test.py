#!/usr/bin/env python3
"""The program as a user meets it: output, JSON, exit codes, bad input."""
import base64
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree

import h5py
import numpy

PROGRAM = sys.argv.pop(1)


def run(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd)


class Cli(unittest.TestCase):
    def test_list_names_everything(self):
        done = run("list")
        self.assertEqual(done.returncode, 0)
        for name in ["gh95-wall", "gh95-ellipse", "midpoint", "multipliers", "uzawa"]:
            self.assertIn(name, done.stdout)
        listed = json.loads(run("list", "--json").stdout)
        self.assertIn("midpoint", [one["name"] for one in listed["integrators"]])

    def test_reproduce_prints_paper_ours_ratio(self):
        done = run("reproduce", "gh95-wall")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"penetration, eps = 1e-5 \[mm\]\s+130\s+132\.09\d+\s+1\.016")
        self.assertEqual(done.stderr, "", "no progress bar without a terminal")

    def test_json_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "deep" / """it's; touch "here" -odd"""
            done = run("reproduce", "gh95-wall", "--json", "--out", str(out))
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result["experiment"], "gh95-wall")
            wanted = [f"penetration_mm_1e-{k}" for k in range(5, 10)] + ["first_contact_time", "newton_mean"]
            for name in wanted:
                self.assertIsInstance(result["figures"][name], float)
            self.assertIn("<svg", (out / "gh95_fig2.svg").read_text())
            table = (out / "gh95_wall_distance.csv").read_text().splitlines()
            self.assertEqual(table[0], "t,eps 1e-5,eps 1e-7,eps 1e-9")
            self.assertEqual(len(table), 2002)
            self.assertTrue(all(len(line.split(",")) == 4 for line in table))

    def test_results_become_csv_npz_and_vtk(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            model = place / "pendulum.yaml"
            self.assertEqual(run("init", str(model)).returncode, 0)
            results = place / "run.h5"
            self.assertEqual(run("run", str(model), "--until", "1", "--out", str(results)).returncode, 0)
            for name in ["run.csv", "run.npz", "run.vtk"]:
                done = run("convert", str(results), str(place / name))
                self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(results) as file:
                q, t = file["q"][()], file["t"][:, 0]
            table = numpy.genfromtxt(place / "run.csv", delimiter=",", names=True, deletechars="")
            arrays = numpy.load(place / "run.npz")
            self.assertEqual(len(t), 51)
            self.assertTrue((arrays["q"] == q).all() and (arrays["t"] == t).all() and (table["A.x"] == q[:, 0]).all())
            self.assertEqual([name.decode() for name in arrays["coordinates"]], ["A.x", "A.y", "B.x", "B.y"])
            frame = (place / "run_000050.vtk").read_text().splitlines()
            at = frame.index("POINTS 3 double")  # two masses, and the point they hang from
            self.assertEqual([float(x) for x in frame[at + 1].split()], [q[50, 0], q[50, 1], 0.0])
            self.assertEqual(len(json.loads((place / "run.vtk.series").read_text())["files"]), 51)
            self.assertEqual(run("convert", str(results), str(place / "run.xls")).returncode, 2)

    def test_beams_become_lines_of_vtk(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "pipe.yaml").write_text(
                "gravity: 9.81\nbeams: {pipe: {length: 2, elements: 4, start: {pinned: [0, 0]}}}\n"
                "run: {until: 0.05, step: 0.01, integrator: newmark}\n")
            results = place / "run.h5"
            self.assertEqual(run("run", str(place / "pipe.yaml"), "--out", str(results)).returncode, 0)
            self.assertEqual(run("convert", str(results), str(place / "run.vtk")).returncode, 0)
            with h5py.File(results) as file:
                names, q = [name.decode() for name in file["coordinates"]], file["q"][-1]
            self.assertEqual(names[:8], ["pipe.0.x", "pipe.0.y", "pipe.0.tx", "pipe.0.ty", "pipe.1.x", "pipe.1.y", "pipe.1.tx", "pipe.1.ty"])
            # Four elements are drawn through twelve places each: one line through all of them, which ends in the last node.
            frame = (place / "run_000005.vtk").read_text().splitlines()
            at = frame.index("POINTS 49 double")
            self.assertEqual([float(x) for x in frame[at + 49].split()], [q[16], q[17], 0.0])
            lines = frame.index("LINES 1 50")
            self.assertEqual([int(x) for x in frame[lines + 1].split()], [49, *range(49)])

    def test_rods_carry_their_directors_into_vtk_and_gltf(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "rod.yaml").write_text(
                "dimension: 3\nbeams: {rod: {length: 2, elements: 4, density: 1, EI: 2, GJ: 1, EA: 200, start: {clamped: [0, 0, 0], direction: [1, 0, 0], roll: [0, 1, 0]}}}\n"
                "run: {until: 0.02, step: 0.01, integrator: energy-momentum}\n")
            results = place / "run.h5"
            self.assertEqual(run("run", str(place / "rod.yaml"), "--out", str(results)).returncode, 0)
            for name in ["run.vtk", "run.gltf"]:
                self.assertEqual(run("convert", str(results), str(place / name)).returncode, 0)
            frame = (place / "run_000000.vtk").read_text().splitlines()
            at = frame.index("VECTORS director double")
            self.assertEqual([float(x) for x in frame[at + 1].split()], [0.0, 1.0, 0.0])
            gltf = json.loads((place / "run.gltf").read_text())
            striped = [k for k, mesh in enumerate(gltf["meshes"]) if len(mesh["primitives"]) == 2]
            self.assertEqual(len(striped), 1)
            self.assertEqual(sum(node.get("mesh") == striped[0] for node in gltf["nodes"]), 48)

    def test_the_scene_becomes_files_of_paraview_and_gltf(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "net.yaml").write_text(
                "dimension: 3\ngravity: 9.81\npoints: {O: [0, 0, 0], D: [\"0.1*sin(t)\", 0, 1]}\nmasses: {A: {mass: 1, at: [1, 0, 0]}}\n"
                "rods: [[O, A]]\nsprings: [{between: [D, A], stiffness: 3}]\nrun: {until: 0.5, step: 0.1, integrator: midpoint}\n")
            results = place / "run.h5"
            self.assertEqual(run("run", str(place / "net.yaml"), "--out", str(results)).returncode, 0)
            for name in ["run.pvd", "run.gltf", "run.glb"]:
                done = run("convert", str(results), str(place / name))
                self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(results) as file:
                q, t, tracks = file["q"][()], file["t"][:, 0], file["tracks"][()]
                scene = json.loads(file["scene"][0])
            self.assertEqual([(one["name"], one["kind"]) for one in scene["places"]], [("A", "mass"), ("O", "point"), ("D", "point")])
            self.assertTrue(numpy.allclose(tracks[:, 0], 0.1 * numpy.sin(t), atol=1e-15))
            series = xml.etree.ElementTree.parse(place / "run.pvd").getroot()[0]
            self.assertEqual([float(one.get("timestep")) for one in series], list(t))
            piece = xml.etree.ElementTree.parse(place / series[-1].get("file")).getroot()[0][0]
            points = numpy.array(piece.find("Points")[0].text.split(), dtype=float).reshape(-1, 3)
            self.assertTrue((points[0] == q[-1]).all() and (points[2] == [tracks[-1, 0], 0, 1]).all())
            # Where the mass is at the end, from the buffer of the animation.
            gltf = json.loads((place / "run.gltf").read_text())
            buffer = base64.b64decode(gltf["buffers"][0]["uri"].split(",")[1])
            self.assertEqual(len(buffer), gltf["buffers"][0]["byteLength"])
            mass = next(k for k, node in enumerate(gltf["nodes"]) if node.get("name") == "A")
            channel = next(one for one in gltf["animations"][0]["channels"] if one["target"] == {"node": mass, "path": "translation"})
            view = gltf["accessors"][gltf["animations"][0]["samplers"][channel["sampler"]]["output"]]
            moves = numpy.frombuffer(buffer, "<f4", 3 * view["count"], gltf["bufferViews"][view["bufferView"]]["byteOffset"]).reshape(-1, 3)
            self.assertTrue(numpy.allclose(moves, q, atol=1e-6))
            binary = (place / "run.glb").read_bytes()
            self.assertEqual(struct.unpack("<4sII", binary[:12]), (b"glTF", 2, len(binary)))

    def test_plots_are_text_or_files_and_know_their_names(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            self.assertEqual(run("init", str(place / "pendulum.yaml")).returncode, 0)
            results = str(place / "run.h5")
            self.assertEqual(run("run", str(place / "pendulum.yaml"), "--until", "1", "--out", results).returncode, 0)
            self.assertIn("A.x'", run("plot", results).stdout.splitlines())
            self.assertIn("B.y", json.loads(run("plot", results, "--json").stdout)["names"])
            self.assertIn("*", run("plot", results, "B.y").stdout)
            done = run("plot", results, "B.y", "lambda of rod O-A", "--out", str(place / "y.svg"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("lambda of rod O-A", (place / "y.svg").read_text())
            done = run("plot", results, "B.yy")
            self.assertEqual(done.returncode, 2)
            self.assertIn("did you mean 'B.y'", done.stderr)

    def test_a_run_is_served_to_this_machine_while_it_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("init", "model.yaml", cwd=folder).returncode, 0)
            command = [PROGRAM, "run", "model.yaml", "--live", "--until", "1e6", "--out", "run.h5"]
            child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                address = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", child.stderr.readline()).group(0)
                port = address.split("/")[2]

                def ask(url, **headers):
                    try:
                        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
                            return answer.status, answer.read().decode()
                    except urllib.error.HTTPError as error:
                        return error.code, ""

                for wrong in ["", "data", "0" * 32 + "/", "../etc/passwd", "run.h5"]:
                    self.assertEqual(ask(f"http://{port}/{wrong}")[0], 404)
                self.assertEqual(ask(address + "data", Host="elsewhere.example")[0], 404)
                for _ in range(100):  # until there is something
                    status, text = ask(address + "data")
                    if status == 200 and json.loads(text)["runs"][0]["records"] > 0:
                        break
                    time.sleep(0.05)
                self.assertEqual(json.loads(text)["runs"][0]["verdict"], "running")
                status, page = ask(address)
                self.assertTrue(status == 503 or "<!doctype html>" in page)  # 503: built without the viewer
            finally:
                child.send_signal(signal.SIGINT)
                child.communicate(timeout=60)
            with self.assertRaises(urllib.error.URLError):
                urllib.request.urlopen(address, timeout=5)

    def test_studies_become_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "oscillator.yaml"
            model.write_text("coordinates: [x]\nkinetic: \"x'^2/2\"\npotential: x^2/2\ninitial: {x: 1}\nrun: {until: 2, step: 0.1, integrator: midpoint}\n")
            for command, more in [("verify", []), ("compare", ["--integrator", "midpoint", "--integrator", "rk4", "--budget", "5"])]:
                done = run(command, str(model), "--report", *more, cwd=folder)
                if "without the viewer" in done.stderr:
                    self.skipTest("the program was built without the viewer")
                self.assertEqual(done.returncode, 0, done.stderr)
                page = (pathlib.Path(folder) / f"oscillator.{command}.html").read_text()
                data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))["study"]
                self.assertTrue(data["charts"][0]["lines"])

    def test_static_prints_how_a_cable_hangs(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "cable.yaml"
            model.write_text("gravity: 10\nbeams: {c: {length: 2, elements: 4, density: 3, stiffness: 0.01, start: {pinned: [0, 0]}, shape: [0, -s]}}\n")
            done = run("static", str(model))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"equilibrium, stable")
            self.assertRegex(done.stdout, r"lambda length of c at s = 0 +60\n")
            self.assertRegex(done.stdout, r"lambda c start\.y +-60\n")

    def test_bad_input_is_2_with_one_clear_line(self):
        cases = {
            ("reproduce", "gh95-wal"): "there is no experiment 'gh95-wal'; there are: gh95-linear, gh95-wall, gh95-ellipse",
            ("frobnicate",): "there is no command 'frobnicate'",
            ("reproduce",): "experiment is required",
            ("list", "--jsno"): "--jsno",
            (): "subcommand is required",
        }
        for arguments, words in cases.items():
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr + done.stdout)

    def test_unwritable_folder_is_bad_input(self):
        with tempfile.NamedTemporaryFile() as file:
            done = run("reproduce", "gh95-wall", "--out", os.path.join(file.name, "below"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("--out: cannot make the folder", done.stderr)

    def test_full_disk_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/dev/full", os.path.join(folder, "gh95_wall_distance.csv"))
            done = run("reproduce", "gh95-wall", "--out", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is the disk full?", done.stderr)

    def test_output_that_cannot_be_written_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output could not be written", done.stderr)

    def test_help_and_version(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertEqual(run("reproduce", "--help").returncode, 0)
        self.assertRegex(run("--version").stdout, r"\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
