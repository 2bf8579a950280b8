"""Models: the words of model files as methods, and back."""

import pickle

import numpy as np
import pytest
from conftest import ROOT

import taut
from taut._words import SHAPES


def same(a, b):
    """Two runs to the last digit."""
    assert str(a.certificate) == str(b.certificate)
    for one in ("t", "q", "v", "lam", "outputs"):
        assert np.array_equal(getattr(a, one), getattr(b, one), equal_nan=True)


CASES = sorted(path.stem for path in (ROOT / "cases").glob("*.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_cases_go_to_yaml_and_back(case, tmp_path):
    """Load, to_yaml, load: the same run to the last digit. Of all runs, the first fifth."""
    m = taut.load(ROOT / "cases" / f"{case}.yaml")
    again = taut.loads(m.to_yaml(), m._builder.called)
    assert again.to_yaml() == m.to_yaml()
    # What Python sees of the sections says the same.
    rebuilt = taut.Model()
    for section in m._builder.names():
        rebuilt.add(section, m.section(section))
    whole = m._build(None, {}).until
    start = float(str((m.section("initial") or {}).get("t", 0)))
    until = {"until": start + (whole - start) * 0.2}
    first = m.solve(**until)
    same(first, again.solve(**until))
    same(first, rebuilt.solve(**until))


def test_every_section_is_a_method_with_the_words_of_the_reference():
    for name, shape in SHAPES.items():
        assert hasattr(taut.Model, shape.method), name
        if name not in ("name", "source", "forces", "constraints", "sweep"):
            assert shape.doc in getattr(taut.Model, shape.method).__doc__


def test_model_by_methods_runs_as_the_file_does():
    m = taut.Model("Double pendulum", gravity=9.81)
    l = m.parameter("l", 1.0)
    O, A, B = m.point("O", 0, 0), m.mass("A", mass=1, at=[l, 0]), m.mass("B", 1, [2 * l, 0])
    m.rod(O, A)
    m.rod(A, B, name="lower")
    m.output("height", B.y)
    m.run(until=2, rtol=1e-9)
    text = """
    name: Double pendulum
    gravity: 9.81
    parameters: {l: 1}
    points: {O: [0, 0]}
    masses: {A: {mass: 1, at: [l, 0]}, B: {mass: 1, at: [2*l, 0]}}
    rods: [[O, A], {between: [A, B], name: lower}]
    outputs: {height: B.y}
    run: {until: 2, rtol: 1e-9}
    """
    same(m.solve(), taut.loads(text).solve())
    assert m.p["l"] == "1"
    m.p.l = 2
    assert m.solve()["B.x"][0] == 4
    assert m.solve(parameters={"l": 0.5})["B.x"][0] == 1
    with pytest.raises(AttributeError, match="no parameter 'k'"):
        m.p.k


def test_lagrangian_in_symbols():
    m = taut.Model(gravity=None)
    m.parameter(m=2.0, l=0.5, g=9.81)
    phi = m.coordinate("phi")
    m.kinetic(m.p.m * m.p.l**2 * phi.dot**2 / 2)
    m.potential(-m.p.m * m.p.g * m.p.l * np.cos(phi))
    m.initial(phi, 1.0)
    m.initial({"phi'": 0.5})
    r = m.solve(3, rtol=1e-10)
    assert r.certificate.energy.relative < 1e-8
    assert r["phi"][0] == 1.0 and r["phi'"][0] == 0.5


def test_traced_force_is_the_string_it_stands_for(double_pendulum):
    other = double_pendulum.copy()

    @double_pendulum.force("B")
    def drag(t, q, v):
        return -0.1 * np.sqrt(v @ v) * v

    speed = "sqrt(B.x'^2 + B.y'^2)"
    other.forces({"B.x": f"-0.1*{speed}*B.x'", "B.y": f"-0.1*{speed}*B.y'"})
    a, b = double_pendulum.solve(1, rtol=1e-9), other.solve(1, rtol=1e-9)
    assert np.allclose(a.q, b.q, atol=1e-12)
    assert a.energy[-1] < a.energy[0]

    @double_pendulum.force("B")  # forces add up
    def wind(t):
        return [np.sin(t), 0]

    assert double_pendulum.section("forces")["B.x"].endswith("+ (sin(t))")
    with pytest.raises(taut.InputError, match="takes t, q and v"):
        double_pendulum.force("A")(lambda speed: speed)
    with pytest.raises(taut.InputError, match="needs 2 numbers"):
        double_pendulum.force("A", [1, 2, 3])


def test_constraints_in_symbols():
    x, y = taut.symbols("x y")
    m = taut.Model(coordinates=["x", "y"], kinetic="(x'^2 + y'^2)/2", potential="9.81*y", initial={"x": 1})
    m.constraint(x**2 + y**2 - 1, name="circle")
    assert m.section("constraints")[0]["expression"] == "x^2 + y^2 - 1 = 0"
    m.event("turn", when=y < -0.5, then="stop")
    r = m.solve(10, rtol=1e-10)
    assert r.verdict == "stopped" and r["y"][-1] == pytest.approx(-0.5, abs=1e-9)
    assert r.events[0].name == "turn"


def test_mistakes_carry_the_words_of_the_program():
    m = taut.Model(gravity=9.81)
    m.mass("A", mass=-1)
    with pytest.raises(taut.InputError, match="masses.A.mass: must be positive"):
        m.solve(1)
    assert issubclass(taut.InputError, ValueError) and issubclass(taut.InputError, taut.Error)
    assert issubclass(taut.RunError, RuntimeError) and issubclass(taut.RunError, taut.Error)
    with pytest.raises(taut.InputError, match="no 'weight' here"):
        m.mass("B", weight=1)
    with pytest.raises(taut.InputError, match="no section 'messes'"):
        m.add("messes", {})
    with pytest.raises(taut.InputError, match="no such file"):
        taut.load("nothing.yaml")
    with pytest.raises(taut.InputError, match="model:2: .*did you mean 'masses'"):
        taut.loads("name: A\nmases: {}\n").solve(1)
    with pytest.raises(taut.InputError, match="no 'sped' here"):
        m.solve(1, sped=2)


def test_included_files_become_part_of_the_model(tmp_path):
    (tmp_path / "parts.yaml").write_text("parameters: {l: 1, g: 9.81}\nmasses: {A: {mass: 1, at: [l, 0]}}\nrun: {until: 1, rtol: 1e-8}\n")
    (tmp_path / "whole.yaml").write_text(
        "include: parts.yaml\nparameters: {l: 2}\ngravity: g\npoints: {O: [0, 0]}\nrods: [[O, A]]\nrun: {until: 2}\n"
    )
    m = taut.load(tmp_path / "whole.yaml")
    r = m.solve()
    assert r["A.x"][0] == 2 and r.t[-1] == 2
    same(r, taut.loads(m.to_yaml()).solve())


def test_models_are_copied_and_pickled(pendulum):
    same(pickle.loads(pickle.dumps(pendulum)).solve(1, rtol=1e-8), pendulum.solve(1, rtol=1e-8))
    other = pendulum.copy()
    other.mass("B", mass=1)
    assert "B" not in pendulum.section("masses")


def test_body_without_mass_between_two_hinges_is_a_universal_joint():
    def model(joints):
        m = taut.Model(dimension=3, gravity=9.81)
        m.body("arm", mass=2, inertia=[[0.3, 0.02, 0], [0.02, 0.2, 0.01], [0, 0.01, 0.25]], at=[0.5, 0.1, -0.2])
        joints(m)
        return m

    def two_hinges(m):
        m.body("cross", mass=0, at=[0, 0, 0])
        m.joint("hinge", "ground", "cross", at=[0, 0, 0], axis=[1, 0, 0], angle="a", start=0.25)
        m.joint("hinge", "cross", "arm", at=[0, 0, 0], axis=[0, 1, 0], angle="b")

    one = model(two_hinges).solve(1, rtol=1e-10)
    other = model(lambda m: m.joint("universal", "ground", "arm", at=[0, 0, 0], axis=[[1, 0, 0], [0, 1, 0]])).solve(1, rtol=1e-10)
    for axis in "xyz":
        assert one[f"arm.{axis}"][-1] == pytest.approx(other[f"arm.{axis}"][-1], abs=1e-8)
    assert one["a"][0] == 0.25 and one["b"][0] == pytest.approx(0, abs=1e-15)
    # The second axis stays in the cross: it leans by the first angle.
    assert one.certificate.position_residual < 1e-12


def test_body_without_mass_that_nothing_carries_is_refused_by_name():
    m = taut.Model(dimension=3)
    m.body("cross", mass=0)
    with pytest.raises(taut.InputError, match="cross.*no inertia"):
        m.solve(1)
    with pytest.raises(taut.InputError, match="a body without mass has no inertia"):
        taut.Model(dimension=3, bodies={"cross": {"mass": 0, "inertia": 1}}).solve(1)
    with pytest.raises(taut.InputError, match="mass: must not be negative, got -1"):
        taut.Model(dimension=3, bodies={"cross": {"mass": -1, "inertia": 1}}).solve(1)
    m = taut.Model(bodies={"arm": {"mass": 1, "inertia": 1}})
    with pytest.raises(taut.InputError, match="belongs to an `angle` in space"):
        m.joint("hinge", "ground", "arm", at=[0, 0], angle="a", start=0.2)
        m.solve(1)
