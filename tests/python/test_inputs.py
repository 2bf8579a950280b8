"""Inputs, and runs led by hand."""

import numpy as np
import pytest

import taut


@pytest.fixture
def cart():
    """x'' = u."""
    m = taut.Model(coordinates=["x"], kinetic="x'^2/2")
    m.force("x", m.input("u", 0.0))
    m.output("doubled", 2 * m["x"])
    return m


@pytest.mark.parametrize(
    "how",
    [
        {"step": 1e-3, "integrator": "midpoint"},
        {"step": 1e-3, "integrator": "houbolt"},
        {"step": 1e-3, "integrator": "rattle"},
        {"rtol": 1e-10},
        {"rtol": 1e-10, "integrator": "spark3"},
    ],
)
def test_bang_bang_brings_the_cart_to_rest(cart, how):
    sim = cart.start_run(**how)
    assert dict(sim.inputs) == {"u": 0}
    sim.inputs["u"] = 1
    sim.advance(1.0)
    assert sim["x"] == pytest.approx(0.5, abs=1e-9) and sim["x'"] == pytest.approx(1, abs=1e-9)
    sim.inputs["u"] = -1
    sim.advance(0.4)
    sim.advance(0.6)
    assert sim.t == pytest.approx(2)
    # Houbolt starts anew with another scheme at each change, and its own first steps are of lower order.
    close = 2e-6 if how.get("integrator") == "houbolt" else 1e-9
    assert sim["x"] == pytest.approx(1, abs=close) and sim["x'"] == pytest.approx(0, abs=close)
    assert sim["doubled"] == 2 * sim["x"]
    r = sim.result()
    assert r.t[0] == 0 and r.t[-1] == 2 and len(r.t) > 2 and r["x"][-1] == sim["x"]


def test_pieces_make_the_run_they_are_pieces_of(double_pendulum):
    whole = double_pendulum.solve(1, step=1e-2, integrator="midpoint")
    sim = double_pendulum.start_run(step=1e-2, integrator="midpoint")
    for _ in range(10):
        sim.advance(0.1)
    assert np.allclose(sim.q, whole.q[-1], atol=1e-11)
    assert np.allclose(sim.result().q, whole.q, atol=1e-11)
    # A scheme of three levels keeps its history from piece to piece.
    whole = double_pendulum.solve(1, step=1e-2, integrator="houbolt")
    sim = double_pendulum.start_run(step=1e-2, integrator="houbolt")
    for _ in range(10):
        sim.advance(0.1)
    assert np.allclose(sim.q, whole.q[-1], atol=1e-11)


def test_feedback_holds_a_pendulum_upright():
    m = taut.Model("Upright", inputs={"u": 0})
    m.coordinate("phi")
    m.kinetic("phi'^2/2")
    m.potential("9.81*cos(phi)")
    m.force("phi", "u")
    m.initial(phi=0.2)
    sim = m.start_run(rtol=1e-9)
    energy = []
    while sim.t < 5 - 1e-9:
        sim.inputs["u"] = -40 * sim["phi"] - 10 * sim["phi'"]
        sim.advance(0.01)
        energy.append(sim["phi"])
    # Sampled a hundred times a second it is next to phi'' = 9.81 sin(phi) - 40 phi - 10 phi', which dies out.
    assert abs(sim["phi"]) < 1e-5
    assert sim.certificate.verdict == "reached" and not sim.certificate.conservative


def test_jumps_in_time_are_met_between_stops(cart):
    # A push of 1 s that begins between two stops.
    cart.force("x", "step(t - 0.123) - step(t - 1.123)")
    sim = cart.start_run(rtol=1e-11)
    for _ in range(30):
        sim.advance(0.1)
    assert sim["x'"] == pytest.approx(1, abs=1e-9)
    assert sim["x"] == pytest.approx(0.5 + (3 - 1.123), abs=1e-9)
    far = cart.start_run(rtol=1e-11)  # farther than it looked at first
    far.advance(0.1)
    far.advance(50)
    assert far["x"] == pytest.approx(0.5 + (50.1 - 1.123), abs=1e-8)


def test_moved_support_takes_what_it_holds_along():
    m = taut.Model(gravity=9.81, inputs={"u": 0})
    m.point("O", ["u", 0])
    m.mass("A", mass=1, at=[0, -1])
    m.rod("O", "A", length=1)
    sim = m.start_run(rtol=1e-9)
    sim.advance(0.1)
    sim.inputs["u"] = 1e-3  # a small step is projected away
    sim.advance(0.1)
    assert (sim["A.x"] - 1e-3) ** 2 + sim["A.y"] ** 2 == pytest.approx(1, abs=1e-9)
    sim.inputs["u"] = 10  # where the mass cannot follow
    with pytest.raises(taut.RunError, match="the change of the input 'u' to 10"):
        sim.advance(0.1)


def test_events_end_a_run_by_hand(cart):
    cart.event("wall", when="x - 0.5", then="stop")
    sim = cart.start_run(rtol=1e-9)
    sim.inputs["u"] = 1
    sim.advance(5)
    assert not sim.going and sim.t == pytest.approx(1, abs=1e-8)
    with pytest.raises(taut.InputError, match="has ended"):
        sim.advance(1)


def test_inputs_in_files_and_their_mistakes(cart):
    r = cart.solve(1, rtol=1e-9, parameters={"u": 2})
    assert r["x"][-1] == pytest.approx(1)
    assert taut.loads(cart.to_yaml()).solve(1, rtol=1e-9, parameters={"u": 2})["x"][-1] == pytest.approx(1)
    sim = cart.start_run(step=0.01)
    with pytest.raises(taut.InputError, match="no input 'v'"):
        sim.inputs["v"] = 1
    with pytest.raises(taut.InputError, match="must be finite"):
        sim.inputs["u"] = float("nan")
    with pytest.raises(taut.InputError, match="must be positive"):
        sim.advance(0)
    with pytest.raises(taut.InputError, match="must be a number"):
        taut.loads("inputs: {u: 1}\nmasses: {A: {mass: u}}\n").solve(1)
    two = [cart.start_run(step=0.01, integrator="midpoint") for _ in range(2)]
    two[0].inputs["u"] = 1  # belongs to the run, not to the model
    for one in two:
        one.advance(1)
    assert two[0]["x"] == pytest.approx(0.5) and two[1]["x"] == 0


@pytest.mark.parametrize("integrator", ["midpoint", "spark3", "rattle", "newmark", "rk4"])
def test_a_mass_that_is_an_input_leaves_velocities(integrator):
    m = taut.Model()
    m.input("u", 1)
    m.coordinate("x")
    m.kinetic("u*x'^2/2")
    m.initial("x'", 1)
    sim = m.start_run(step=0.01, integrator=integrator)
    sim.advance(1)
    sim.inputs["u"] = 2
    sim.advance(2)
    assert abs(sim.q[0] - 3) < 1e-9
