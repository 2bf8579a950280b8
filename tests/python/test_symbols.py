"""Symbols are written as expressions that mean the same."""

import math
import random

import numpy as np
import pytest

import taut

x, y = taut.symbols("x y")



def test_operators_keep_their_order():
    assert str(-(x - y) - (y - 1)) == "-(x - y) - (y - 1)"
    assert str((-x) ** 2) == "(-x)^2"
    assert str(x / (y * 2)) == "x/(y*2)"
    assert str((x**2) ** 3) == "(x^2)^3"
    assert str(x.dot) == "x'"
    assert str(taut.symbol("A").x.dot) == "A.x'"


def test_random_expressions_have_the_value_that_numpy_gives_them():
    dice = random.Random(3)
    functions = [np.sin, np.cos, np.exp, np.tanh, np.arctan, np.absolute, np.square, np.negative]
    pairs = [np.add, np.subtract, np.multiply, np.divide, np.arctan2, np.hypot, np.maximum, np.minimum]

    def build(depth, a, b):
        choice = dice.random()
        if depth == 0 or choice < 0.1:
            constant = round(dice.uniform(-2, 2), 3)
            return [(a[0], a[1]), (b[0], b[1]), (constant, constant)][dice.randrange(3)]
        if choice < 0.5:
            function = dice.choice(functions)
            s, v = build(depth - 1, a, b)
            return function(s), function(v)
        function = dice.choice(pairs)
        (s, v), (t, w) = build(depth - 1, a, b), build(depth - 1, a, b)
        return function(s, t), function(v, w)

    m = taut.Model(coordinates=["x", "y"], kinetic="(x'^2 + y'^2)/2", initial={"x": 0.7, "y": -1.3})
    wanted = []
    with np.errstate(all="ignore"):
        while len(wanted) < 60:
            expression, number = build(4, (x, 0.7), (y, -1.3))
            if isinstance(expression, taut.Expr) and np.isfinite(number) and abs(number) < 1e6:
                m.output(f"value{len(wanted)}", expression)
                wanted.append(number)
    found = m.solve(1e-3, step=1e-3).outputs[0]
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_arrays_are_traced_number_by_number():
    v = np.array([x.dot, y.dot], dtype=object)
    drag = -0.1 * np.sqrt(v @ v) * v
    assert [str(one) for one in drag] == ["(-0.1)*sqrt(x'*x' + y'*y')*x'", "(-0.1)*sqrt(x'*x' + y'*y')*y'"]
    assert [str(one) for one in np.array([1.0, 2.0]) * x] == ["1.0*x", "2.0*x"]
    assert [str(one) for one in taut.where(x < 1, v, -v)] == ["if(x < 1, x', -x')", "if(x < 1, y', -y')"]


def test_truth_of_a_symbol_is_not_known():
    with pytest.raises(TypeError, match="use taut.where"):
        if x < 1:
            pass
    with pytest.raises(TypeError, match="NumPy's functions"):
        math.sin(x)
    with pytest.raises(TypeError, match="no counterpart"):
        np.spacing(x)
    with pytest.raises(TypeError, match="already"):
        taut.where(x == y, 1, 2)


def test_what_occurs_often_is_written_once():
    # Written out it would have 2^40 characters.
    m = taut.Model(coordinates=["x"], kinetic="x'^2/2", initial={"x": 0.5})
    one, number = x, 0.5
    for _ in range(40):
        one, number = np.sin(one) * one + 0.5, math.sin(number) * number + 0.5
    m.potential(0.001 * one)
    m.output("deep", one)
    assert len(m.to_yaml()) < 20_000
    assert m.solve(0.01, step=0.01)["deep"][0] == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize("speed", [lambda v: np.sqrt(v @ v), lambda v: np.hypot(*v), lambda v: (v[0] ** 2 + v[1] ** 2) ** 0.5], ids=["sqrt", "hypot", "power"])
@pytest.mark.parametrize("how", [{"integrator": "midpoint", "step": 1e-3}, {"integrator": "spark2", "step": 0.01}], ids=lambda how: how["integrator"])
def test_drag_on_what_is_at_rest_has_slopes(pendulum, speed, how):
    @pendulum.force("A")
    def drag(t, q, v):
        return -0.5 * speed(v) * v

    r, exact = pendulum.solve(0.5, **how), pendulum.solve(0.5, rtol=1e-11)
    assert r.ok and np.allclose(r.q[-1], exact.q[-1], atol=1e-5)


def test_functions_of_numpy_that_are_no_ufuncs():
    x = taut.symbol("x")
    m = taut.Model(coordinates=["x"], kinetic="x'^2/2", initial={"x": 0.3, "x'": 1})
    at, value = [-1, 0, 0.5, 2], [3, 1, -1, 0.5]
    m.output("clip", np.clip(x, -0.2, 0.6))
    m.output("above", np.clip(x, 0.4, None))
    m.output("where", np.where(x > 0.5, x, 2 * x))
    m.output("interp", np.interp(x, at, value))
    m.output("step", np.heaviside(x - 0.5, 1))
    m.output("half", np.heaviside(x - 0.55, 0.5))
    r = m.solve(3, rtol=1e-6, t_eval=np.linspace(0, 3, 13))
    assert np.allclose(r["clip"], np.clip(r["x"], -0.2, 0.6)) and np.allclose(r["above"], np.clip(r["x"], 0.4, None))
    assert np.allclose(r["where"], np.where(r["x"] > 0.5, r["x"], 2 * r["x"]))
    assert np.allclose(r["interp"], np.interp(r["x"], at, value))
    assert np.allclose(r["step"], np.heaviside(r["x"] - 0.5, 1)) and np.allclose(r["half"], np.heaviside(r["x"] - 0.55, 0.5))
    with pytest.raises(TypeError, match="np.searchsorted cannot be traced|no counterpart|not known"):
        np.searchsorted([1, 2], x)
    with pytest.raises(taut.InputError, match="give the difference"):
        m.constraint(x == m["y"])


def test_names_that_are_not_recorded_are_told_how_to_be(pendulum):
    r = pendulum.solve(0.1, rtol=1e-6)
    with pytest.raises(KeyError, match="m.output"):
        r["length"]
