#!/usr/bin/env python3
"""The program as a user meets it: output, JSON, exit codes, bad input."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


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
            at = frame.index("POINTS 2 double")
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
            frame = (place / "run_000005.vtk").read_text().splitlines()
            at = frame.index("POINTS 5 double")
            self.assertEqual([float(x) for x in frame[at + 5].split()], [q[16], q[17], 0.0])
            lines = frame.index("LINES 4 12")
            self.assertEqual([[int(x) for x in line.split()] for line in frame[lines + 1:lines + 5]], [[2, k, k + 1] for k in range(4)])

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
