"""Sweeps from Python: the same numbers as single runs, whoever makes them."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import taut


def oscillator():
    m = taut.Model("Oscillator")
    m.parameter("k", 1.0)
    x = m.coordinate("x")
    m.kinetic("x'^2/2")
    m.potential("k*x^2/2")
    m.initial(x=1)
    m.output("x", x)
    m.run(until=1, rtol=1e-10)
    return m


def test_sweep_follows_the_exact_motion():
    k = np.linspace(1, 9, 5)
    s = oscillator().sweep({"k": k, "x'": [0, 2]}, keep=["x", "extremes", "times=0:1:3", "certificate"])
    assert len(s) == 10 and s.good.all()
    w, v = np.sqrt(s["k"]), s["x'"]
    for j, t in enumerate(s.times):
        np.testing.assert_allclose(s.series[:, j, 0], np.cos(w * t) + v / w * np.sin(w * t), atol=1e-9)
    np.testing.assert_allclose(s["x"], np.cos(w) + v / w * np.sin(w), atol=1e-9)
    assert s.extremes.shape == (10, 1, 4)
    assert "energy_relative" in str(s)


def test_sweep_is_the_run_with_these_numbers():
    m = oscillator()
    s = m.sweep({"k": [2.5, 3.5]}, keep="final", integrator="midpoint", step=0.01)
    r = m.solve(parameters={"k": 3.5}, integrator="midpoint", step=0.01)
    assert s.final[1, 0, 0] == r.q[-1, 0]


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2)])
def test_executors_change_no_bit(make):
    m = oscillator()
    words = {"sample": {"k": "uniform(1, 4)"}, "samples": 100, "sampling": "sobol"}
    whole = m.sweep(**words)
    with make() as executor:
        parts = m.sweep(**words, executor=executor)
    assert (whole.runs == parts.runs).all()
    assert whole.outputs.tobytes() == parts.outputs.tobytes()


def test_section_of_the_model_is_what_runs_without_words():
    m = oscillator()
    m.add("sweep", {"vary": {"k": "1:4:4"}})
    assert m.sweep()["k"].tolist() == [1, 2, 3, 4]


def test_mistakes_and_failures_are_told():
    m = oscillator()
    with pytest.raises(taut.InputError, match="no parameter, coordinate or velocity 'q'"):
        m.sweep({"q": [1]})
    m = taut.Model("Falling", gravity=9.81)
    m.parameter("m", 1.0)
    m.mass("A", mass="m", at=[0, 1])
    s = m.sweep({"m": [1, -1]}, until=1)
    assert s.good.tolist() == [True, False] and "mass" in s.reasons[1]
