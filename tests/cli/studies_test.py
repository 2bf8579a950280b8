#!/usr/bin/env python3
"""verify, compare and static tell the truth: what each line below holds against was seen on an earlier program."""
import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
CASES = ROOT / "cases"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def model(self, text):
        path = pathlib.Path(self.folder.name) / "model.yaml"
        path.write_text(text)
        return path

    def study(self, *arguments, code=0):
        done = run(*arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)


OSCILLATOR = """
parameters: {k: 1}
coordinates: [x]
kinetic: "x'^2/2"
potential: "k*x^2/2"
initial: {x: 1}
run: {until: 5, step: 0.05}
"""


class Verify(Studies):
    def test_runs_that_only_substeps_rescue_are_told_to_fail(self):
        # Pendulum, --step 5: once "converged", at 0.50 instead of 0.279.
        done = run("verify", CASES / "pendulum.yaml", "--step", 5)
        self.assertNotIn("converged", done.stdout.replace("not converged", ""))
        self.assertNotRegex(done.stdout, r"(?m)^trusted")
        if done.returncode == 1:
            self.assertRegex(done.stderr, r"verify, run 1 of 4, step 5: failed at t = .*take a smaller step")

    def test_identical_runs_allow_no_conclusion(self):
        # Once: "the error at the end is about 0 for tolerances of 1e-14".
        found = self.study("verify", CASES / "pendulum_angle.yaml", "--rtol", "1e-14", "--until", 1)
        self.assertFalse(found["trusted"])
        self.assertIn("nothing can be concluded", found["verdict"])
        self.assertIsNone(found["estimated_error"])

    def test_an_error_of_the_size_of_the_motion_is_not_trusted(self):
        # A motion of some 4 m, of which halving the step changes the end by 1.5 m; once an order that happened to be right sufficed.
        found = self.study("verify", CASES / "double_pendulum.yaml", "--step", 0.02, "--until", 30, "--integrator", "midpoint")
        self.assertFalse(found["trusted"])
        self.assertGreater(found["estimated_error"], 0.1 * found["motion"])
        self.assertRegex(found["verdict"], r"not converged: .* % of the motion; halve the step")

    def test_orders_that_do_not_agree_are_not_trusted(self):
        # 0.35, then 2.2: the last alone is what the scheme promises.
        found = self.study("verify", CASES / "double_pendulum.yaml", "--step", 0.05, "--until", 10, "--integrator", "midpoint")
        self.assertFalse(found["trusted"], found["verdict"])
        self.assertGreater(abs(found["orders"][0] - found["orders"][1]), 0.5)

    def test_impacts_are_promised_order_one(self):
        found = self.study("verify", CASES / "ball_in_box.yaml")
        self.assertEqual(found["promised_order"], 1)

    def test_an_order_above_the_promise_is_no_fault(self):
        # A wall that is never met: order 2, where 1 is promised.
        model = self.model("""
masses: {A: {mass: 1, at: [1, 0]}}
walls: [{mass: A, normal: [0, 1], offset: -9}]
forces: {A.x: "-sin(A.x)", A.y: "-A.y*(2 + A.x)"}
initial: {"A.x'": 0.3, "A.y'": 0.5}
run: {until: 3, step: 0.01, integrator: moreau-jean}
""")
        found = self.study("verify", model)
        self.assertEqual(found["promised_order"], 1)
        self.assertAlmostEqual(found["order"], 2, delta=0.1)
        self.assertTrue(found["trusted"], found["verdict"])
        self.assertIn("at least the 1", found["verdict"])

    def test_what_rests_is_not_called_unconverged(self):
        found = self.study("verify", CASES / "hanging_cable.yaml")
        self.assertTrue(found["trusted"], found["verdict"])
        self.assertIn("round-off", found["verdict"])

    def test_four_runs_and_their_orders(self):
        found = self.study("verify", self.model(OSCILLATOR))
        self.assertEqual([len(found[key]) for key in ["sizes", "differences", "orders"]], [4, 3, 2])
        self.assertTrue(found["trusted"], found["verdict"])
        done = self.study("run", self.model(OSCILLATOR), "--no-file")
        self.assertAlmostEqual(abs(done["last"]["x"] - math.cos(5)) / found["estimated_error"], 1, delta=0.05)

    def test_tolerances_are_confirmed_by_another_scheme(self):
        for integrator, other in [("dop853", "spark3"), ("spark2", "dop853")]:
            found = self.study("verify", self.model(OSCILLATOR), "--rtol", "1e-8", "--integrator", integrator)
            self.assertTrue(found["trusted"], found["verdict"])
            self.assertEqual(found["other"], other)
            self.assertLess(found["other_difference"], 1e-5)
            self.assertIn(f"another scheme ({other}) agrees", found["verdict"])


class Compare(Studies):
    def test_the_reference_is_checked_by_another_one(self):
        found = self.study("compare", self.model(OSCILLATOR), "--integrator", "midpoint", "--integrator", "rk4")
        self.assertEqual(found["reference"], "dop853 with rtol = 1e-12")
        self.assertEqual(found["reference_checked"], "spark4 with rtol = 1e-11")
        self.assertTrue(found["reference_verified"])
        self.assertLess(found["reference_error"], 1e-9)
        for row in found["runs"]:
            self.assertEqual(row["verdict"], "reached")
        # Exact: the reference is cos 5 as far as it says.
        finest = found["runs"][-1]
        self.assertEqual((finest["integrator"], finest["step"]), ("rk4", 0.0125))

    def test_a_failed_run_is_no_reference_and_is_marked(self):
        model = self.model(OSCILLATOR.replace("initial", 'forces: {x: "sqrt(2 - t)"}\ninitial'))
        found = self.study("compare", model, "--integrator", "midpoint", "--integrator", "newmark")
        self.assertEqual(found["reference"], "")
        self.assertFalse(found["reference_verified"])
        self.assertIsNone(found["reference_error"])
        for row in found["runs"]:
            self.assertEqual(row["verdict"], "failed")
            self.assertIsNone(row["error"])
        text = run("compare", model, "--integrator", "midpoint", "--integrator", "newmark").stdout
        self.assertIn("no run reached the end", text)
        self.assertRegex(text, r"midpoint .* failed: ")

    def test_what_diverges_is_marked(self):
        # (40) word by word on a pendulum: multipliers oscillate, and energy is off by more than there is.
        found = self.study("compare", CASES / "pendulum.yaml", "--integrator", "midpoint-literal", "--integrator", "midpoint")
        verdicts = {name: {row["verdict"] for row in found["runs"] if row["integrator"] == name}
                    for name in ["midpoint", "midpoint-literal"]}
        self.assertEqual(verdicts["midpoint"], {"reached"})
        self.assertTrue(verdicts["midpoint-literal"] & {"diverged", "failed"}, verdicts)
        for row in found["runs"]:
            if row["verdict"] in ("diverged", "failed"):
                self.assertIsNone(row["error"])

    def test_explicit_schemes_beyond_their_limit_are_left_out_with_the_step_they_need(self):
        found = self.study("compare", self.model(OSCILLATOR), "--set", "k=1e6", "--integrator", "rk4", "--integrator", "midpoint")
        self.assertEqual({row["integrator"] for row in found["runs"]}, {"midpoint"})
        self.assertRegex(found["left_out"][0], r"^rk4, .*h = 0.05 and below: stiff: .* 1e\+03 1/s, .* steps below 0.002[89] s$")

    def test_beams_end_within_the_budget(self):
        found = self.study("compare", CASES / "flexible_arm.yaml", "--budget", 6, "--halvings", 1)
        out = [one for one in found["left_out"] if one.startswith(("rk4", "dopri5", "dop853"))]
        self.assertTrue(out and all("stiff" in one for one in out), found["left_out"])
        self.assertNotIn("", [row["verdict"] for row in found["runs"]])

    def test_interrupted_it_prints_what_it_has(self):
        process = subprocess.Popen([PROGRAM, "compare", str(CASES / "swinging_pipe.yaml"), "--budget", "600"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted", error)
        self.assertRegex(out, r"integrator +solver")


class Static(Studies):
    def test_becks_column(self):
        for load, stable, kind in [(15, True, "none"), (25, False, "flutter")]:
            found = self.study("static", CASES / "beck_column.yaml", "--set", f"P={load}")
            self.assertEqual((found["stable"], found["instability"]), (stable, kind), load)
        self.assertIn("not stable (flutter)", run("static", CASES / "beck_column.yaml").stdout)

    def test_circulation_and_negative_damping(self):
        text = OSCILLATOR.replace("[x]", "[x, y]").replace("x'^2/2", "(x'^2 + y'^2)/2").replace("k*x^2/2", "2*(x^2 + y^2)")
        for force, stable in [('x: "-0.3*y", y: "0.3*x"', False), ("""x: "0.1*x'", y: "-0.1*y'" """, False),
                              ("""x: "-0.1*x'", y: "-0.1*y'" """, True), ("""x: "y'", y: "-x'" """, True)]:
            found = self.study("static", self.model(text.replace("initial", "forces: {" + force + "}\ninitial")))
            self.assertEqual(found["stable"], stable, force)
            self.assertEqual(len(found["eigenvalues"]), 4)
            self.assertEqual(found["instability"], "none" if stable else "flutter")

    def test_frequencies_in_hertz(self):
        found = self.study("static", CASES / "pendulum.yaml")
        self.assertTrue(found["stable"])
        self.assertAlmostEqual(found["frequencies"][0], math.sqrt(9.81) / (2 * math.pi), places=10)
        self.assertEqual([re for re, im in found["eigenvalues"]], [0, 0])
        self.assertAlmostEqual(found["lowest_eigenvalue"], 9.81, places=8)

    def test_constraints_on_velocities_are_refused_with_the_reason(self):
        done = run("static", CASES / "skate.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("family of places", done.stderr)


if __name__ == "__main__":
    unittest.main()
