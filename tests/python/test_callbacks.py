"""Forces that Python is called for at every turn."""

import concurrent.futures
import pickle

import numpy as np
import pytest

import taut


def drag(t, q, v):
    return -0.1 * np.sqrt(v @ v) * v


def drag_slopes(t, q, v):
    speed = max(float(np.sqrt(v @ v)), 1e-300)
    return np.zeros((2, 2)), -0.1 * (speed * np.eye(2) + np.outer(v, v) / speed)


def with_drag(**options):
    m = taut.Model("Pendulum", gravity=9.81)
    m.point("O", [0, 0])
    m.mass("A", mass=1, at=[1, 0], velocity=[0, -1])
    m.rod("O", "A")
    m.force("A", **options)(drag)
    return m


@pytest.mark.parametrize("how", [{"rtol": 1e-10}, {"step": 1e-3, "integrator": "midpoint"}, {"step": 0.01, "integrator": "spark3"},
                                 {"step": 1e-3, "integrator": "generalized-alpha"}, {"step": 1e-3, "integrator": "energy-momentum"}],
                         ids=lambda how: how.get("integrator", "dop853"))  # fmt: skip
@pytest.mark.parametrize("slopes", [None, drag_slopes], ids=["differences", "given"])
def test_called_force_is_the_traced_one(how, slopes):
    traced, called = with_drag().solve(0.5, **how), with_drag(call=True, slopes=slopes).solve(0.5, **how)
    assert called.ok and np.allclose(called.q[-1], traced.q[-1], atol=1e-9)
    if "integrator" in how:
        assert called.certificate.newton_iterations <= 1.02 * traced.certificate.newton_iterations
    else:  # explicit schemes ask for no slopes, and take the same steps
        assert (called.certificate.steps, called.certificate.evaluations) == (traced.certificate.steps, traced.certificate.evaluations)


def test_function_may_do_what_cannot_be_traced_and_reads_what_it_is_given():
    m = taut.Model(coordinates=["x", "y"], kinetic="(x'^2 + y'^2)/2", initial={"x": 1, "y'": 2})
    seen = []

    @m.force("x", call=True, reads=["y"])
    def pull(q, v):
        seen.append((q.shape, v.shape))
        return -(q[0] - q[1]) if q[1] < 10 else 0.0

    r = m.solve(1, rtol=1e-11)
    # x'' = y - x with y = 2 t: x = cos t + 2 t - 2 sin t.
    assert r["x"][-1] == pytest.approx(np.cos(1) + 2 - 2 * np.sin(1), abs=1e-9)
    assert r["y"][-1] == pytest.approx(2, abs=1e-12)
    assert set(seen) == {((2,), (2,))}


def test_single_coordinate_is_a_number_with_slopes_as_numbers():
    m = taut.Model(coordinates=["x"], kinetic="x'^2/2", initial={"x": 1})
    m.force("x", lambda q: -4 * q, call=True, slopes=lambda q: (-4.0, 0.0))
    r = m.solve(1, step=0.01, integrator="spark3")
    assert r["x"][-1] == pytest.approx(np.cos(2), abs=1e-10)


def test_exceptions_come_out_unchanged_and_what_is_wrong_is_told():
    class Mine(Exception):
        pass

    m = taut.Model(coordinates=["x"], kinetic="x'^2/2", initial={"x'": 1})
    failing = m.copy()

    @failing.force("x", call=True)
    def fails(t, q):
        if q > 0.5:
            raise Mine("here")
        return 0.0

    for how in ({"rtol": 1e-8}, {"step": 0.01, "integrator": "midpoint"}):
        with pytest.raises(Mine, match="here"):
            failing.solve(1, **how)
    assert m.solve(1, rtol=1e-8).ok  # a copy is a copy
    two = m.copy()
    two.force("x", lambda q: [q, q], call=True)
    with pytest.raises(taut.InputError, match="<lambda> must return 1 numbers, got 2"):
        two.solve(1)
    nowhere = m.copy()
    nowhere.force("z", drag, call=True)
    with pytest.raises(taut.InputError, match="force 'drag': there is no coordinate 'z'"):
        nowhere.solve(1)
    with pytest.raises(taut.InputError, match="takes t, q and v, or some of them, not 'w'"):
        m.force("x", lambda w: 0, call=True)
    with pytest.raises(taut.InputError, match="belong to call=True"):
        m.force("x", slopes=drag_slopes)
    with pytest.raises(taut.InputError, match="force 'fails'.*a file cannot hold it"):
        failing.to_yaml()
    with pytest.raises(taut.InputError, match="in a loop"):
        failing.sweep({"x": [1, 2]})


def test_events_with_other_parameters_keep_the_function():
    m = taut.Model(coordinates=["x"], kinetic="x'^2/2", parameters={"g": 1}, initial={"x'": 0})
    m.force("x", "g")
    m.force("x", lambda t: 2.0, call=True)
    m.event("switch", at=1, then={"g": 3})
    r = m.solve(2, rtol=1e-10)
    assert r["x'"][-1] == pytest.approx(3 + 5, abs=1e-8)


def test_models_with_functions_are_pickled_and_run_in_threads_and_by_hand():
    m = with_drag(call=True, slopes=drag_slopes)
    alone = m.solve(0.3, rtol=1e-8)
    assert np.array_equal(pickle.loads(pickle.dumps(m)).solve(0.3, rtol=1e-8).q, alone.q)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for r in pool.map(lambda _: m.solve(0.3, rtol=1e-8), range(8)):
            assert np.array_equal(r.q, alone.q)
    sim = m.start_run(step=1e-3, integrator="midpoint")
    sim.advance(0.3)
    assert np.allclose(sim.q, alone.q[-1], atol=1e-5)
    at_rest = m.static()
    assert np.allclose(at_rest.q, [0, -1], atol=1e-6)
