#!/usr/bin/env python3
"""sweep_test.py PROGRAM REPOSITORY: many runs, killed and resumed, in shards, and what they say. Needs h5py."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

PROGRAM, ROOT = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
CASES = ROOT / "cases"

PENDULUM = """
name: Double pendulum
parameters: {l: 1, a: 0.5}
gravity: 9.81
points: {O: [0, 0]}
masses:
  A: {mass: 1, at: [sin(a), -cos(a)]}
  B: {mass: 1, at: [sin(a) + l, -cos(a)]}
rods: [[O, A], [A, B]]
outputs: {height: B.y, reach: B.x}
run: {until: 2, rtol: 1e-8}
sweep:
  vary: {l: 0.5:2:40}
  sample: {a: "uniform(0.1, 1)"}
  samples: 10
  sampling: latin
  keep: [outputs, extremes, certificate]
"""
# x(t) = cos(t √k): the exact motion.
OSCILLATOR = """
parameters: {k: 1}
coordinates: [x]
kinetic: "x'^2/2"
potential: "k*x^2/2"
initial: {x: 1}
outputs: {x: x}
run: {until: 1, rtol: 1e-11}
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def model(self, text):
        (self.path / "model.yaml").write_text(text)
        return "model.yaml"

    def command(self, *arguments):
        return [PROGRAM, "sweep", *map(str, arguments)]

    def run_it(self, *arguments, code=0):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, cwd=self.path)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def study(self, *arguments, code=0):
        return json.loads(self.run_it(*arguments, "--json", code=code).stdout)

    def bytes(self, name):
        return (self.path / name).read_bytes()

    def test_killed_and_resumed_it_is_the_same_file(self):
        model = self.model(PENDULUM)
        begin = time.time()
        self.run_it(model, "--out", "whole.h5", "--workers", 1)
        took = time.time() - begin
        dice = random.Random(1)
        kills = 0
        for _ in range(40):
            process = subprocess.Popen(self.command(model, "--out", "killed.h5", "--resume"), cwd=self.path,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(took * dice.uniform(0.05, 0.4))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
            error = process.communicate()[1].decode()
            if process.returncode >= 0:
                self.assertEqual(process.returncode, 0, error)
                break
        self.assertGreaterEqual(kills, 2)
        self.run_it(model, "--out", "killed.h5", "--resume")
        self.assertEqual(self.bytes("whole.h5"), self.bytes("killed.h5"))

    def test_interrupted_it_keeps_what_it_has(self):
        model = self.model(PENDULUM)
        words = [model, "--samples", 1000, "--engine", "general"]
        process = subprocess.Popen(self.command(*words), cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("--resume does the rest", error)
        with h5py.File(self.path / "model.sweep.h5") as file:
            done = int((file["verdict"][()] > 0).sum())
        self.assertGreater(done, 0)
        self.assertIn(f"{done} of 40000 runs done", out)
        again = subprocess.run(self.command(*words), capture_output=True, text=True, cwd=self.path)
        self.assertEqual(again.returncode, 2)
        self.assertIn("go on with --resume", again.stderr)

    def test_shards_merge_into_the_same_file(self):
        model = self.model(PENDULUM)
        options = ["--samples", 2, "--until", 0.5]
        self.run_it(model, *options, "--out", "whole.h5")
        for shard in (1, 2, 3):
            self.run_it(model, *options, "--shard", f"{shard}/3")
        parts = [f"model.sweep.{k}-of-3.h5" for k in (1, 2, 3)]
        done = self.run_it("merge", "some.h5", *parts[:2], code=1)
        self.assertIn("runs are in none of the files", done.stderr)
        self.run_it("merge", "all.h5", *parts)
        self.assertEqual(self.bytes("whole.h5"), self.bytes("all.h5"))
        self.run_it(model, *options, "--out", "some.h5", "--resume")
        self.assertEqual(self.bytes("whole.h5"), self.bytes("some.h5"))

    def test_processes_of_mpirun_write_the_same_file(self):
        # What mpirun tells its processes is in their environment; one of them is killed, and all go on.
        model = self.model(PENDULUM)
        options = ["--samples", 3, "--until", 1]
        self.run_it(model, *options, "--out", "whole.h5", "--workers", 1)

        def ranks(*more):
            return [subprocess.Popen(self.command(model, *options, "--out", "ranks.h5", *more), cwd=self.path, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env={**os.environ, "OMPI_COMM_WORLD_RANK": str(k), "OMPI_COMM_WORLD_SIZE": "4"})
                    for k in range(4)]

        first = ranks()
        for process in (first[2], first[0]):
            process.kill()
        for process in first:
            process.communicate()
        processes = ranks("--resume")
        told = [process.communicate() for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 4, told)
        self.assertIn(b"120 of 120 runs done", told[0][0])
        self.assertEqual(told[1][0], b"")
        self.assertEqual(self.bytes("whole.h5"), self.bytes("ranks.h5"))
        self.assertEqual(list(self.path.glob("ranks.*-of-4.h5")), [])

    def test_processes_that_take_the_next_runs_are_killed_ten_times(self):
        # One start of mpirun is told from another by a name in the environment: then whoever is free takes the next runs. All are killed, again and again, and go on.
        model = self.model(PENDULUM)
        options = ["--samples", 3, "--until", 1]
        self.run_it(model, *options, "--out", "whole.h5", "--workers", 1)

        def ranks(start):
            return [subprocess.Popen(self.command(model, *options, "--out", "ranks.h5", "--resume", "--workers", 1), cwd=self.path,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env={**os.environ, "OMPI_COMM_WORLD_RANK": str(k), "OMPI_COMM_WORLD_SIZE": "3", "PMIX_NAMESPACE": f"start {start}"})
                    for k in range(3)]

        dice = random.Random(2)
        for start in range(10):
            processes = ranks(start)
            time.sleep(dice.uniform(0.02, 0.2))
            for process in processes:
                process.kill()
            for process in processes:
                process.communicate()
        processes = ranks(10)
        told = [process.communicate() for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 3, told)
        self.assertEqual(self.bytes("whole.h5"), self.bytes("ranks.h5"))
        left = [path.name for path in self.path.iterdir() if path.name.startswith("ranks.") and path.suffix in (".claims", ".h5")]
        self.assertEqual(left, ["ranks.h5"])

    def test_numbers_are_those_of_the_motion(self):
        model = self.model(OSCILLATOR)
        found = self.study(model, "--vary", "k=1:9:5", "--vary", "x'=0,2", "--keep", "x", "--keep", "times=0:1:3",
                           "--keep", "extremes")
        self.assertEqual(found["done"], 10)
        with h5py.File(self.path / "model.sweep.h5") as file:
            k, speed = file["parameters"][()].T
            t = file["times"][()]
            w = numpy.sqrt(k)
            exact = lambda t: numpy.cos(w * t) + speed / w * numpy.sin(w * t)
            numpy.testing.assert_allclose(file["outputs"][:, 0], exact(1.0), atol=1e-9)
            numpy.testing.assert_allclose(file["series"][:, :, 0], numpy.array([exact(x) for x in t]).T, atol=1e-9)
            values = file["outputs"][:, 0]
        one = next(s for s in found["summary"] if s["group"] == "outputs")
        self.assertAlmostEqual(one["mean"], values.mean(), 14)
        self.assertAlmostEqual(one["deviation"], values.std(ddof=1), 14)
        self.assertAlmostEqual(one["quantiles"]["0.25"], numpy.quantile(values, 0.25), 14)
        self.assertEqual(one["least_run"], int(values.argmin()))

    def test_motions_of_some_runs_lie_beside(self):
        # They are the runs of the sweep, to the last bit, and the file of the sweep is the same without them.
        model = self.model(PENDULUM)
        words = [model, "--vary", "l=0.5:2:9", "--until", 0.5, "--keep", "outputs"]
        self.run_it(*words, "--out", "plain.h5")
        found = self.study(*words, "--keep", "motion=3", "--out", "moving.h5")
        self.assertEqual(self.bytes("plain.h5"), self.bytes("moving.h5"))
        self.assertEqual(sorted(path.name for path in (self.path / found["motions"]).glob("*.h5")), ["0.h5", "4.h5", "8.h5"])
        with h5py.File(self.path / "moving.h5") as sweep:
            for run in (0, 4, 8):
                with h5py.File(self.path / found["motions"] / f"{run}.h5") as file:
                    self.assertEqual(file["outputs"][-1].tolist(), sweep["outputs"][run].tolist())

    def test_failed_runs_are_kept_with_reason_and_parameters(self):
        model = self.model(PENDULUM)
        found = self.study(model, "--vary", "l=1,0,2", "--until", 0.2)
        self.assertEqual(found["verdicts"], {"failed": 1, "good": 2})
        self.assertEqual(found["failures"][0]["run"], 1)
        self.assertEqual(found["failures"][0]["parameters"], {"l": 0})
        self.assertNotEqual(found["failures"][0]["reason"], "")

    def test_table_2_of_the_paper_is_one_command(self):
        # Largest penetrations of the wall by penalty: as the paper prints them, and by its scheme in another program.
        found = self.study(CASES / "gh95_wall.yaml")
        with h5py.File(self.path / "gh95_wall.sweep.h5") as file:
            epsilon = file["parameters"][:, 0]
            depth = -file["extremes"][:, 0, 0]
        self.assertEqual(found["verdicts"], {"good": 5})
        numpy.testing.assert_allclose(epsilon, [1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
        numpy.testing.assert_allclose(1e3 * depth, [130, 36, 11, 3.63, 1.16], rtol=0.05)
        numpy.testing.assert_allclose(1e3 * depth, [132.091, 35.4975, 11.3930, 3.6185, 1.1438], rtol=1e-4)

    def test_engine_is_told_and_never_changed_silently(self):
        # Lanes keep the energy and give the motion of the other engine; what they cannot do they say.
        os.environ["TAUT_CACHE"] = str(self.path / "cache")
        self.addCleanup(os.environ.pop, "TAUT_CACHE")
        model = self.model(OSCILLATOR)
        found = {}
        for engine in ("general", "cpu"):
            found[engine] = self.study(model, "--vary", "k=1:9:50", "--engine", engine, "--out", engine + ".h5")
            self.assertEqual(found[engine]["engine"], engine)
        means = [next(s["mean"] for s in found[engine]["summary"] if s["name"] == "x") for engine in found]
        self.assertAlmostEqual(*means, 9)
        again = self.study(model, "--vary", "k=1:9:50", "--engine", "cpu", "--out", "cpu.h5")
        self.assertEqual(again["compile_seconds"], 0)
        done = self.run_it(model, "--vary", "k=1:9:50", "--engine", "general", "--out", "cpu.h5", "--resume", code=2)
        self.assertIn('was begun with engine "cpu", now it is "general"', done.stderr)
        done = self.run_it(model, "--vary", "k=1:9:5", "--engine", "cpu", "--integrator", "spark3", code=2)
        self.assertIn("take --engine general", done.stderr)
        small = self.study(model, "--vary", "k=1:9:5")
        self.assertEqual(small["engine"], "general")
        self.assertIn("fewer than", small["engine_reason"])

    def test_bad_input_is_told_with_a_way_out(self):
        model = self.model(PENDULUM)
        for arguments, words in [
            (["--vary", "len=1:2:3"], "no parameter, coordinate or velocity 'len'"),
            (["--vary", "l=1:2:0"], "empty grid"),
            (["--vary", "l"], "must read NAME=WHAT"),
            (["--vary", "l=0:1:1e6", "--vary", "a=0:1:1e6"], "1e+12 runs are too many"),
            (["--sample", "l=normal(1, -1)"], "deviation must be positive"),
            (["--sample", "l=normal(1, 1)", "--samples", "0"], "at least 1"),
            (["--sampling", "halton"], "must be random, latin or sobol"),
            (["--shard", "3/2"], "numbered 1 to 2"),
            (["--keep", "heigt"], "did you mean 'height'"),
            (["--keep", "motion=1000"], "1 to 200"),
            (["--resume", "--force"], "contradict each other"),
            (["--vary", "l=1,2", "--vary", "l=3"], "given twice"),
        ]:
            done = self.run_it(model, *arguments, code=2)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
