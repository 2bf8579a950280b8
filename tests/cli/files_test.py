#!/usr/bin/env python3
"""files_test.py PROGRAM REPOSITORY: results files are locked, named, resumed, extended and checked; includes and messages have bounds.

Needs h5py.
"""
import itertools
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

REPOSITORY = os.path.abspath(sys.argv.pop(2))
PROGRAM = os.path.abspath(sys.argv.pop(1))
CASES = os.path.join(REPOSITORY, "cases")
PENDULUM = os.path.join(CASES, "pendulum.yaml")
DOUBLE = os.path.join(CASES, "double_pendulum.yaml")
LONG = ["--integrator", "midpoint", "--step", "1e-4", "--until", "1000", "--every", "100"]  # half a minute, if nobody ends it
COLUMNS = ["t", "q", "v", "lambda", "outputs", "energy", "residual", "newton", "events"]
PARTICLE = "coordinates: [x]\nkinetic: \"x'^2/2\"\nrun: {until: 1, step: 0.1}\n"
AB4 = """
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 1, at: [2, 0]}}
rods: [[O, A], [A, B]]
run:
  until: 0.15
  step: 0.0003
  formulation: {penalty: 1e-12}
  integrator: {name: hmm, macro: ab4, kernel: polynomial, passes: 2}
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, timeout=120):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=timeout)

    def good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *arguments, words=()):
        """Exit code 2 and one line that says all the words."""
        done = self.run_program(*arguments, timeout=20)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done.stderr

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def read(self, name):
        with h5py.File(self.folder / name, "r", swmr=True) as file:
            return {key: file[key][()] for key in COLUMNS + ["records", "finished", "verdict", "message"]}

    def begin(self, *arguments, out="run.h5", model=DOUBLE):
        """A long run, well on its way."""
        process = subprocess.Popen([PROGRAM, "run", model, *LONG, "--out", out, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder)

        def end():
            process.kill()
            process.communicate()

        self.addCleanup(end)
        while process.poll() is None:
            time.sleep(0.05)
            try:
                if self.read(out)["records"][0] > 10:
                    return process
            except OSError:
                pass
        self.fail("the run was over before it could be watched: " + process.stderr.read())

    def kill(self, process):
        process.kill()
        process.wait()

    # q: one writer, own names, nothing lost.

    def test_second_writer_is_refused_with_the_name_of_the_first(self):
        process = self.begin()
        (self.folder / "link.h5").symlink_to("run.h5")
        for name, more in itertools.product(["run.h5", "./run.h5", "link.h5"], [[], ["--resume"], ["--force"]]):
            self.refused("run", DOUBLE, *LONG, "--out", name, *more, words=[f"process {process.pid} on ", "--out"])
        self.good("convert", "run.h5", "run.csv")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(self.names(), ["link.h5", "run.csv", "run.h5"], "the lock goes with the run")

    def test_killed_writer_blocks_nobody(self):
        self.kill(self.begin())
        self.refused("run", DOUBLE, *LONG, "--out", "run.h5", words=["not finished", "--resume", "--force", "--out"])
        self.good("convert", "run.h5", "run.csv")
        self.good("run", DOUBLE, "--until", "1", "--out", "run.h5", "--force")
        self.assertEqual(self.names(), ["run.csv", "run.h5"])

    def test_variants_have_names_of_their_own(self):
        for more in [], ["--set", "l=2"], ["--set", "l=3 m"], ["--set", "l=2*3"], ["--set", "l=2/3"]:
            self.good("run", PENDULUM, *more)
        self.assertEqual(len(self.names()), 5, self.names())
        self.assertTrue({"pendulum.h5", "pendulum.l=2.h5"} <= set(self.names()), self.names())
        self.good("run", PENDULUM, "--set", "l=2.0")
        self.good("run", PENDULUM, "--set", "l=1", "--set", "phi=1", "--set", "l=2")
        self.good("run", PENDULUM, "--set", "phi=1", "--set", "l=2")
        self.assertEqual(len(self.names()), 6, self.names())
        self.good("run", PENDULUM, "--set", "l=" + "+".join(200 * ["0.01"]))
        self.assertLess(max(len(name) for name in self.names()), 130)

    def test_nothing_of_others_is_overwritten(self):
        self.good("run", PENDULUM, "--out", "run.h5")
        self.good("run", PENDULUM, "--out", "run.h5", "--until", "2")
        before = (self.folder / "run.h5").read_bytes()
        self.refused("run", DOUBLE, "--out", "run.h5", words=["'run.h5'", "another model", "pendulum.yaml", "--out", "--force"])
        self.assertEqual((self.folder / "run.h5").read_bytes(), before)
        self.good("run", DOUBLE, "--out", "run.h5", "--force")
        (self.folder / "notes.h5").write_text("notes")
        self.refused("run", PENDULUM, "--out", "notes.h5", words=["'notes.h5'", "no results file", "--force"])
        self.assertEqual((self.folder / "notes.h5").read_text(), "notes")
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["t"] = [1.0]
        self.refused("run", PENDULUM, "--out", "other.h5", words=["'other.h5'", "no results file", "--force"])
        # A model that was edited is the same one.
        model = self.folder / "pendulum.yaml"
        model.write_text(pathlib.Path(PENDULUM).read_text())
        self.good("run", "pendulum.yaml")
        model.write_text(model.read_text() + "\n# longer\n")
        self.good("run", "pendulum.yaml")
        # One of the same name elsewhere is not.
        (self.folder / "below").mkdir()
        (self.folder / "below" / "pendulum.yaml").write_text(PARTICLE)
        self.refused("run", "below/pendulum.yaml", words=["'pendulum.h5'", "another model"])
        self.assertNotIn("pendulum.h5.lock", self.names())
        self.assertNotIn("pendulum.h5.new", self.names())

    # r: resume.

    def test_mismatch_says_what_differs(self):
        (self.folder / "set.yaml").write_text("parameters: {l1: 1}\n" + pathlib.Path(DOUBLE).read_text())
        self.kill(self.begin("--set", "l1=2", model="set.yaml"))
        arguments = ["run", "set.yaml", *LONG, "--out", "run.h5", "--resume"]
        self.refused(*arguments, words=["'run.h5'", "begun with --set l1=2", "now it is without --set l1"])
        self.refused(*arguments, "--set", "l1=2.5", words=["begun with --set l1=2,", "now it is with --set l1=2.5"])
        self.refused(*arguments, "--set", "l1=2", "--rtol", "1e-8", words=["begun without --rtol", "with --rtol 1e-8"])
        changed = [word if word != "1e-4" else "2e-4" for word in arguments]
        self.refused(*changed, "--set", "l1=2", words=["begun with --step 1e-4", "now it is with --step 2e-4"])
        model = self.folder / "set.yaml"
        lines = model.read_text().splitlines()
        lines[1] += "  # changed"
        model.write_text("\n".join(lines) + "\n")
        self.refused(*arguments, "--set", "l1=2", words=["another model: line 2 ", "# changed"])

    def test_numbers_are_compared_by_value(self):
        (self.folder / "set.yaml").write_text("parameters: {l1: 1}\n" + pathlib.Path(DOUBLE).read_text())
        process = self.begin("--set", "l1=2", model="set.yaml")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        until = self.read("run.h5")["t"][-1, 0]
        same = [{"1e-4": "0.0001", "1000": "1e3"}.get(word, word) for word in LONG]
        resumed = self.begin_again("run", "set.yaml", *same, "--set", "l1=2.0")
        time.sleep(1.0)
        resumed.send_signal(signal.SIGTERM)
        output, errors = resumed.communicate(timeout=60)
        self.assertIn("resumed at t = ", output, errors)
        self.assertGreater(self.read("run.h5")["t"][-1, 0], until)

    def test_finished_run_is_extended(self):
        for title, options in {
            "equal steps": ["--integrator", "midpoint", "--step", "1e-3", "--every", "10"],
            "three levels": ["--integrator", "houbolt", "--step", "1e-3"],
            "tolerances": ["--rtol", "1e-12", "--interval", "0.01"],
            "reversible": ["--integrator", "spark2", "--control", "reversible", "--rtol", "1e-9", "--interval", "0.01"],
        }.items():
            with self.subTest(title):
                base = ["run", PENDULUM, *options, "--out"]
                self.good(*base, "whole.h5", "--until", "60")
                self.good(*base, "parts.h5", "--until", "40")
                self.refused(*base, "parts.h5", "--until", "40", "--resume", words=["is finished", "--until extends"])
                self.refused(*base, "parts.h5", "--until", "30", "--resume", words=["at t = 40 already", "later --until"])
                output = self.good(*base, "parts.h5", "--until", "60", "--resume")
                self.assertRegex(output, r"resumed at t = (3\d|40)", "the last checkpoint is near the end")
                whole, parts = self.read("whole.h5"), self.read("parts.h5")
                self.assertEqual(parts["verdict"][0].decode(), "reached")
                self.assertEqual(whole["t"].shape, parts["t"].shape)
                if "--step" in options:  # otherwise the first step depends on the length of the run
                    self.assertTrue(all(whole[name].tobytes() == parts[name].tobytes() for name in COLUMNS))
                numpy.testing.assert_allclose(whole["q"], parts["q"], rtol=0, atol=1e-6)

    def test_equal_steps_stay_equal_when_extended(self):
        base = ["run", DOUBLE, "--integrator", "midpoint", "--step", "0.03", "--out", "run.h5"]
        self.good(*base, "--until", "0.3")
        self.refused(*base, "--until", "0.5", "--resume", words=["t = 0.3", "0.5", "whole numbers of steps of 0.03"])
        self.good(*base, "--until", "0.6", "--resume")

    def test_any_number_of_carried_numbers(self):
        (self.folder / "ab4.yaml").write_text(AB4)
        self.good("run", "ab4.yaml", "--checkpoint", "0")
        self.good("run", "ab4.yaml", "--out", "parts.h5", "--until", "0.09")
        output = self.good("run", "ab4.yaml", "--out", "parts.h5", "--resume")
        self.assertRegex(output, r"resumed at t = 0\.0[789]")
        whole, parts = self.read("ab4.h5"), self.read("parts.h5")
        for name in COLUMNS:
            numpy.testing.assert_allclose(whole[name], parts[name], rtol=1e-6, atol=1e-9, err_msg=name)

    def test_checkpoints_come_with_time(self):
        process = self.begin()
        time.sleep(3.0)
        self.kill(process)
        reached = self.read("run.h5")["t"][-1, 0]
        process = self.begin_again("run", DOUBLE, *LONG)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
        resumed = float(output.split("resumed at t = ")[1].split()[0])
        self.assertGreater(resumed, 0.3 * reached, "the last checkpoint is some three seconds old at most")

    def begin_again(self, *arguments):
        """A resumed run, once it goes on: the new file has taken the place of the old one."""
        old = (self.folder / "run.h5").stat().st_ino
        process = subprocess.Popen([PROGRAM, *arguments, "--out", "run.h5", "--resume"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder)
        while process.poll() is None and (self.folder / "run.h5").stat().st_ino == old:
            time.sleep(0.02)
        return process

    # s: flipped bytes.

    def flips(self, source, places):
        """No flip makes `convert` hang, crash or tell other numbers; how many were noticed."""
        data = (self.folder / source).read_bytes()
        self.good("convert", source, "good.csv")
        good = (self.folder / "good.csv").read_bytes()
        dice, noticed = random.Random(1), 0
        for place in places(len(data)):
            changed = bytearray(data)
            changed[place] ^= 1 << dice.randrange(8)
            (self.folder / "flipped.h5").write_bytes(changed)
            done = self.run_program("convert", "flipped.h5", "flipped.csv", timeout=5)
            if done.returncode == 0:
                self.assertEqual((self.folder / "flipped.csv").read_bytes(), good, f"byte {place} changes numbers and nobody tells")
            else:
                self.assertEqual(done.returncode, 2, f"byte {place}: {done.stderr}")
                self.assertIn("flipped.h5: ", done.stderr)
                noticed += 1
        return noticed

    @staticmethod
    def spread(size):
        return [*range(0, 9000, 9000 // 43), *range(9000, size, (size - 9000) // 60)]

    def test_flipped_bytes_of_a_finished_run(self):
        self.good("run", PENDULUM, "--out", "run.h5")
        self.assertGreater(self.flips("run.h5", self.spread), 60)

    def test_flipped_bytes_of_a_killed_run(self):
        self.kill(self.begin())
        self.assertGreater(self.flips("run.h5", self.spread), 20)

    def test_truncated_files_are_told(self):
        self.good("run", PENDULUM, "--out", "run.h5")
        data = (self.folder / "run.h5").read_bytes()
        for size in [0, 1, 8, 100, 1000, 10_000, len(data) - 1]:
            (self.folder / "cut.h5").write_bytes(data[:size])
            self.refused("convert", "cut.h5", "cut.csv", words=["cut.h5: "])

    def test_verdict_is_a_word(self):
        self.good("run", PENDULUM, "--out", "run.h5")
        self.assertEqual((self.read("run.h5")["verdict"][0], self.read("run.h5")["finished"][0]), (b"reached", 1))
        process = self.begin(out="long.h5")
        self.assertEqual((self.read("long.h5")["verdict"][0], self.read("long.h5")["finished"][0]), (b"running", 0))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual((self.read("long.h5")["verdict"][0], self.read("long.h5")["finished"][0]), (b"stopped", 0))

    # t: signals, includes, messages, exit codes.

    def test_request_to_end_keeps_everything(self):
        process = self.begin()
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(errors, r"^taut: stopped at t = [0-9.]+ of 1000: interrupted\n$")
        ended = float(errors.split("stopped at t = ")[1].split()[0])
        self.assertAlmostEqual(self.read("run.h5")["t"][-1, 0], ended, places=3)
        self.assertIn("results are in run.h5", output)

    def test_includes_stay_below_the_folder(self):
        (self.folder / "model" / "parts").mkdir(parents=True)
        (self.folder / "library").mkdir()
        (self.folder / "library" / "particle.yaml").write_text(PARTICLE)
        (self.folder / "library" / "secret").write_text("password: hunter2\n")
        (self.folder / "model" / "parts" / "particle.yaml").write_text(PARTICLE)
        (self.folder / "model" / "parts" / "up.yaml").write_text("include: ../own.yaml\n")
        (self.folder / "model" / "own.yaml").write_text(PARTICLE)
        (self.folder / "model" / "link.yaml").symlink_to(self.folder / "library" / "particle.yaml")
        model = self.folder / "model" / "model.yaml"

        def include(name):
            model.write_text(f"include: {name}\nname: one\n")

        for name in ["parts/particle.yaml", "parts/up.yaml", "parts/../own.yaml"]:
            include(name)
            self.good("check", "model/model.yaml")
        library = str(self.folder / "library")
        for name in ["../library/particle.yaml", library + "/particle.yaml", "link.yaml"]:
            include(name)
            for command in ["run", "check", "static", "verify", "compare"]:
                self.refused(command, "model/model.yaml", words=["model.yaml:1: include: ", "outside the model's folder", "--allow-include"])
            self.good("run", "model/model.yaml", "--no-file", "--allow-include", library)
        for name in ["../library/secret", "/etc/passwd", "/nowhere/at/all"]:
            include(name)
            told = self.refused("check", "model/model.yaml", words=["outside the model's folder"])
            self.assertNotIn("hunter2", told)
            self.assertNotIn("no such file", told)
        self.refused("check", "model/model.yaml", "--allow-include", "nowhere", words=["--allow-include nowhere", "no such folder"])

    def test_include_bomb_is_refused_at_once(self):
        for k in range(8):
            names = ", ".join(10 * [f"{k + 1}.yaml"])
            (self.folder / f"{k}.yaml").write_text(f"include: [{names}]\n" if k < 7 else PARTICLE)
        begin = time.monotonic()
        self.refused("check", "0.yaml", words=["more than 64 files"])
        self.assertLess(time.monotonic() - begin, 5.0)
        (self.folder / "large.yaml").write_text("# " + 5_000_000 * "x" + "\n")
        (self.folder / "model.yaml").write_text("include: [large.yaml, large.yaml, large.yaml, large.yaml]\n" + PARTICLE)
        self.refused("check", "model.yaml", words=["large.yaml: is empty"])
        (self.folder / "large.yaml").write_text("name: " + 5_000_000 * "x" + "\n")
        self.refused("check", "model.yaml", words=["more than 16 MB"])

    def test_messages_quote_little(self):
        long = "+".join(100_000 * ["x"])
        for text in [f"potential: \"{long} + yy\"", f"potential: \"yy + {long}\"", f"potential: \"{100_000 * 'x'}\"",
                     f"parameters: {{a: \"{long}\"}}", f"constraints: [\"{long} + yy = 0\"]", f"constraints: [\"{'+'.join(900 * ['x'])} = 5\"]",
                     f"functions: {{\"f(u)\": \"{long} + yy\"}}", f"outputs: {{a: \"{long} + yy\"}}", f"forces: {{{100_000 * 'x'}: 1}}",
                     f"{100_000 * 'x'}: 1", f"initial: {{{100_000 * 'x'}: 1}}"]:
            (self.folder / "model.yaml").write_text(PARTICLE + text + "\n")
            told = self.refused("check" if "= 5" not in text else "run", "model.yaml", words=["model.yaml"])
            self.assertLess(len(told), 600, text[:40])
        (self.folder / "model.yaml").write_text(PARTICLE + f"potential: \"{'+'.join(200 * ['x'])} + yy + {'+'.join(200 * ['x'])}\"\n")
        self.refused("check", "model.yaml", words=["unknown symbol 'yy'", "+ yy +", "…"])

    def test_paths_that_cannot_be_written_are_wrong_input(self):
        self.good("run", PENDULUM, "--until", "1", "--out", "run.h5")
        (self.folder / "file").write_text("")
        for arguments in [["run", PENDULUM, "--out", "nowhere/run.h5"], ["run", PENDULUM, "--out", "file/run.h5"], ["run", PENDULUM, "--out", "."],
                          ["convert", "run.h5", "nowhere/run.csv"], ["convert", "run.h5", "file/run.npz"], ["init", "nowhere/model.yaml"],
                          ["compare", PENDULUM, "--until", "0.1", "--integrator", "rk4", "--out", "file/below"],
                          ["reproduce", "gh95-wall", "--out", "file/below"]]:
            with self.subTest(" ".join(arguments[:1] + arguments[-1:])):
                self.refused(*arguments, words=["taut: "])


if __name__ == "__main__":
    unittest.main()
