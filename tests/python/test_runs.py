"""Runs: arrays without copies, certificates, studies."""

import gc
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT

import taut


def test_arrays_are_views_that_stay_alive_and_cannot_be_written(double_pendulum):
    r = double_pendulum.solve(1, rtol=1e-8)
    assert r.q.shape == (len(r.t), 4) and r.lam.shape == (len(r.t), 2)
    assert r["B.y"].base is not None and np.shares_memory(r["B.y"], r.q)
    with pytest.raises(ValueError, match="read-only"):
        r.q[...] = 1
    with pytest.raises(ValueError):
        r["A.x"][0] = 1
    column, copy = r["A.x"], r["A.x"].copy()
    del r
    gc.collect()
    _ = [bytearray(1 << 16) for _ in range(100)]
    assert np.array_equal(column, copy)


def test_pendulum_has_the_period_of_the_elliptic_integral(pendulum):
    # K by the arithmetic-geometric mean; from the horizontal, k = sin(pi/4).
    a, b = 1.0, np.cos(np.pi / 4)
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 4 * np.pi / (2 * a) / np.sqrt(9.81)
    r = pendulum.solve(period, rtol=1e-12)
    assert abs(r["A.x"][-1] - 1) < 1e-8
    # From rest at the horizontal the tension is 3 m g sin(phi), the depth over the length.
    assert np.allclose(r.force("rod O-A"), -3 * 9.81 * r["A.y"], atol=1e-7)
    assert np.allclose(r.energy, 0, atol=1e-9)


def test_states_at_given_times_and_no_others(double_pendulum):
    times = np.array([0, 0.1, 0.25, 0.7, 1.0])
    fine = double_pendulum.solve(1, rtol=1e-12)
    for how in ({"rtol": 1e-12}, {"rtol": 1e-12, "integrator": "spark3"}, {"step": 1e-4, "integrator": "spark3"}):
        r = double_pendulum.solve(1, t_eval=times, **how)
        assert np.array_equal(r.t, times)
        assert np.allclose(r.q, fine.at(times).q, atol=1e-8)
    steps = double_pendulum.solve(1, rtol=1e-12)
    marked = double_pendulum.solve(1, rtol=1e-12, t_eval=times)
    assert marked.certificate.steps == steps.certificate.steps  # steps do not feel them
    assert double_pendulum.solve(t_eval=[0.5, 0.6], rtol=1e-9).t.tolist() == [0.5, 0.6]
    with pytest.raises(taut.InputError, match="in order"):
        double_pendulum.solve(1, t_eval=[0.5, 0.4], rtol=1e-9)
    with pytest.raises(taut.InputError, match="not between"):
        double_pendulum.solve(1, t_eval=[2], rtol=1e-9)
    one = fine.at(0.3)
    assert one["A.x"] ** 2 + one["A.y"] ** 2 == pytest.approx(1, abs=1e-14)


def test_certificate_and_verdict(double_pendulum):
    r = double_pendulum.solve(2, step=0.01, integrator="energy-momentum")
    c = r.certificate
    assert r.verdict == "reached" and r.ok and r.raise_for_status() is r
    assert abs(c.energy.drift) < 1e-10 and c.grade == "good" and c.steps == 200
    assert str(c).splitlines()[0] in str(r)
    assert "reached" in repr(r) and "<pre>" in r._repr_html_()
    failed = taut.loads(
        "gravity: 9.81\nmasses: {A: {mass: 1, at: [1, 0]}}\npotential: 'log(A.y + 0.1)'\nrun: {until: 1, step: 0.01, integrator: midpoint}"
    ).solve()
    assert failed.verdict in ("failed", "diverged") and not failed.ok and len(failed.t) > 1
    with pytest.raises(taut.RunError, match=failed.verdict) as caught:
        failed.raise_for_status()
    assert caught.value.result is failed


def test_options_of_a_run(double_pendulum):
    r = double_pendulum.solve(1, step=0.01, integrator={"name": "gcn", "alpha": 0.25}, solver="augmented-lagrangian")
    assert r.certificate.integrator.startswith("GCN") or "gcn" in r.certificate.integrator.lower()
    soft = double_pendulum.solve(0.1, step=1e-3, integrator="midpoint", formulation={"penalty": 1e-6})
    assert soft.lam.shape == (101, 0) and soft.certificate.gap > 0
    with pytest.raises(taut.InputError, match="no integrator 'midpont'|midpont"):
        double_pendulum.solve(1, step=0.01, integrator="midpont")
    told = []
    double_pendulum.solve(20, step=1e-4, integrator="midpoint", progress=told.append)
    assert told[-1] == 1.0 and told == sorted(told)

    class Enough(Exception):
        pass

    def stop(done):
        raise Enough("as it is")

    with pytest.raises(Enough, match="as it is"):
        double_pendulum.solve(200, step=1e-4, integrator="midpoint", progress=stop)


def test_studies(double_pendulum):
    found = double_pendulum.check()
    assert found.degrees_of_freedom == 2 and found.conservative and found.ok and "degrees of freedom   2" in str(found)
    rest = double_pendulum.static()
    assert rest.found and rest.stable and rest["B.y"] == pytest.approx(-2)
    # sqrt((2 -+ sqrt 2) g/l)
    assert rest.frequencies == pytest.approx(np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * 9.81) / (2 * np.pi))
    modes = double_pendulum.modes()
    assert len(modes) == 2 and modes.all and modes.frequencies == pytest.approx(rest.frequencies) and "B.x" in str(modes)
    assert abs(modes.shapes[0][modes.coordinates.index("B.x")]) == pytest.approx(1)
    v = double_pendulum.verify(1, step=0.01, integrator="midpoint")
    assert v.order == pytest.approx(2, abs=0.1) and v.trusted and "trusted" in str(v)
    table = double_pendulum.compare(1, step=0.01, integrators=["midpoint", "rattle"], halvings=1)
    assert {row.integrator for row in table} == {"midpoint", "rattle"} and len(table) == 4 and "rattle" in str(table)


def test_eight_runs_at_once_give_the_same_and_let_python_go_on(double_pendulum):
    def run(_):
        return double_pendulum.solve(5, step=1e-3, integrator="midpoint").q[-1].copy()

    alone = run(0)
    counted = []
    with ThreadPoolExecutor(8) as pool:
        work = [pool.submit(run, k) for k in range(8)]
        while not all(one.done() for one in work):
            counted.append(time.perf_counter())
            time.sleep(1e-3)
    assert all(np.array_equal(one.result(), alone) for one in work)
    assert len(counted) > 5  # this thread was not held up


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_run_at_once():
    code = """
        import os, signal, sys, threading, time
        import taut
        m = taut.load(sys.argv[1])
        sent = []
        def send():
            time.sleep(0.4)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=send, daemon=True).start()
        try:
            m.solve(1e6, step=1e-4, every=0, integrator="midpoint")
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(ROOT / "cases" / "double_pendulum.yaml")],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert float(done.stdout) < 0.2, done.stderr  # a loaded machine; alone it is 0.01


def test_a_thousand_models_leave_nothing_behind():
    import resource

    text = "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A]]\nrun: {until: 0.1, step: 0.01, integrator: midpoint}"

    def many(count):
        for _ in range(count):
            taut.loads(text).solve()
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    before = many(300)
    assert many(700) - before < 4 << 20


def test_tables_and_pictures(double_pendulum):
    r = double_pendulum.solve(1, rtol=1e-8, interval=0.1)
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    frame = r.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame["B.y"].iloc[-1] == r["B.y"][-1] and frame.index.name == "t"
    data = r.to_xarray()
    assert isinstance(data, xarray.Dataset) and float(data.q.sel(coordinate="A.x")[0]) == 1
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = r.plot("A.x", "B.x")
    assert len(axes.lines) == 2
    axes = r.plot("B.y", against="B.x")
    assert np.array_equal(axes.lines[0].get_xdata(), r["B.x"])


def test_names_that_are_not_there(double_pendulum):
    r = double_pendulum.solve(0.1, rtol=1e-8)
    with pytest.raises(KeyError, match="did you mean 'A.x'"):
        r["A.xx"]
    with pytest.raises(KeyError, match="did you mean 'rod O-A'"):
        r.force("rod O-AA")
    with pytest.raises(taut.InputError, match="where the run was"):
        r.at(1)


@pytest.mark.parametrize("words, how", [("run: step: must be positive", {"step": -1}), ("run: integrator: there is no integrator 'rk5'", {"integrator": "rk5"}),
                                        ("parameters: k: the model has no parameter", {"parameters": {"k": 1}})])  # fmt: skip
def test_messages_speak_of_arguments_and_not_of_the_command_line(pendulum, words, how):
    with pytest.raises(taut.InputError) as told:
        pendulum.solve(1, **how)
    assert str(told.value).startswith(words) and "command line" not in str(told.value)
