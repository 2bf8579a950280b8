"""The door for those who have their own functions."""

import numpy as np
import pytest

import taut


def gravity(t, q, v):
    return np.array([0, -9.81])


@pytest.mark.parametrize("integrator", ["dop853", "spark3", "midpoint", "rattle", "newmark", "generalized-alpha"])
@pytest.mark.parametrize("gradient", [True, False])
def test_functions_give_the_pendulum_of_the_model(pendulum, integrator, gradient):
    how = {"rtol": 1e-9} if integrator in ("dop853", "spark3") else {"step": 1e-3}
    G = (lambda t, q: q) if gradient else None
    r = taut.solve_dae(np.eye(2), gravity, [1, 0], until=0.5, g=lambda t, q: (q @ q - 1) / 2, G=G, integrator=integrator,
                       V=lambda t, q: 9.81 * q[1], **how)  # fmt: skip
    assert r.ok
    exact = pendulum.solve(0.5, rtol=1e-12)
    assert np.allclose(r.q[-1], exact.q[-1], atol=1e-7 if "rtol" in how else 1e-4)
    assert np.allclose(r.lam[-1], exact.lam[-1], atol=1e-5 if "rtol" in how else 3e-2)
    assert r.certificate.position_residual < 1e-10


def test_mass_that_depends_on_q_needs_no_coriolis_forces_in_f():
    # A bead on a rod that turns freely: M = diag(1, r^2); without forces r r phi' is kept, and it moves on a straight line.
    r = taut.solve_dae(
        lambda q: np.diag([1.0, q[0] ** 2]), lambda t, q, v: np.array([q[0] * v[1] ** 2, -2 * q[0] * v[0] * v[1]]),
        [1, 0], [0, 1], until=1, rtol=1e-10,
    )  # fmt: skip
    radius, angle = r.q[-1]
    assert radius * np.cos(angle) == pytest.approx(1, abs=1e-7) and radius * np.sin(angle) == pytest.approx(1, abs=1e-7)


def test_exceptions_of_functions_come_out_unchanged():
    class Mine(Exception):
        pass

    def f(t, q, v):
        if t > 0.1:
            raise Mine("here")
        return -q

    with pytest.raises(Mine, match="here"):
        taut.solve_dae([[1.0]], f, [1.0], until=1, rtol=1e-8)
    with pytest.raises(taut.InputError, match="f must return 1 numbers, got 2"):
        taut.solve_dae([[1.0]], lambda t, q, v: [1, 2], [1.0], until=1, rtol=1e-8)
    with pytest.raises(taut.InputError, match="M must have 2 rows"):
        taut.solve_dae([[1.0]], gravity, [1.0, 0], until=1, rtol=1e-8)


def test_oscillator_at_given_times():
    times = np.linspace(0, 10, 21)
    r = taut.solve_dae([[1.0]], lambda t, q, v: -q, [1.0], until=10, rtol=1e-11, t_eval=times)
    assert np.array_equal(r.t, times) and np.allclose(r.q[:, 0], np.cos(times), atol=1e-9)


def test_wrong_slopes_and_starts_are_told():
    circle = {"until": 0.1, "g": lambda t, q: (q @ q - 1) / 2}
    for wrong in (lambda t, q: -q, lambda t, q: 2 * q):
        with pytest.raises(taut.InputError, match=r"G\[0, 0\]"):
            taut.solve_dae(np.eye(2), gravity, [1, 0], G=wrong, **circle)
    with pytest.warns(UserWarning, match="the nearest that do not"):
        r = taut.solve_dae(np.eye(2), gravity, [1.1, 0], **circle)
    assert np.allclose(r.q[0], [1, 0])


def test_times_that_make_no_sense_are_told(pendulum):
    for wrong in ([], [[0, 1], [1, 2]], [0, 1, 0.5], ["soon"]):
        with pytest.raises(taut.InputError, match="t_eval"):
            pendulum.solve(2, t_eval=wrong)
        with pytest.raises(taut.InputError, match="t_eval"):
            taut.solve_dae(np.eye(2), gravity, [1, 0], until=2, t_eval=wrong)
