"""Units of FMI 2.0, run by fmpy."""

import numpy as np
import pytest

import taut

fmpy = pytest.importorskip("fmpy")


@pytest.fixture
def driven():
    """A pendulum of length l with a torque from outside."""
    m = taut.Model("Driven pendulum", inputs={"torque": 0.0})
    m.parameter("l", 1.0)
    m.coordinate("phi")
    m.kinetic("l^2*phi'^2/2")
    m.potential("-9.81*l*cos(phi)")
    m.force("phi", "torque")
    m.initial(phi=1.0)
    m.output("height", "-l*cos(phi)")
    return m


def test_unit_is_valid_and_runs_as_the_model_does(driven, tmp_path):
    from fmpy.validation import validate_fmu

    path = driven.to_fmu(tmp_path / "pendulum.fmu", rtol=1e-11)
    assert validate_fmu(str(path)) == []
    times = np.linspace(0, 2, 21)
    exact = driven.solve(t_eval=times, rtol=1e-12, parameters={"l": 0.7})
    found = fmpy.simulate_fmu(str(path), stop_time=2, output_interval=0.1, start_values={"l": 0.7}, output=["height", "phi"])
    assert np.allclose(found["time"], times)
    assert np.allclose(found["height"], exact["height"], atol=1e-9)
    assert np.allclose(found["phi"], exact["phi"], atol=1e-9)


def test_inputs_reach_the_model(driven, tmp_path):
    path = driven.to_fmu(tmp_path / "pendulum.fmu", rtol=1e-11)
    push = np.array([(0.0, 3.0), (0.5, 3.0), (0.5, -1.0), (2.0, -1.0)], dtype=[("time", float), ("torque", float)])
    found = fmpy.simulate_fmu(str(path), stop_time=1, output_interval=0.1, input=push, output=["height"])
    sim = driven.start_run(rtol=1e-11)
    heights = [sim["height"]]
    for k in range(10):
        sim.inputs["torque"] = 3.0 if k < 5 else -1.0
        sim.advance(0.1)
        heights.append(sim["height"])
    assert np.allclose(found["height"], heights, atol=1e-9)


def test_console_script_exports(driven, tmp_path, monkeypatch, capsys):
    from taut.__main__ import main

    monkeypatch.chdir(tmp_path)
    driven.to_yaml("model.yaml")
    assert main(["export", "fmu", "model.yaml", "--rtol", "1e-9", "--set", "l=2"]) == 0
    assert "Driven_pendulum.fmu" in capsys.readouterr().out
    found = fmpy.simulate_fmu("Driven_pendulum.fmu", stop_time=0.1, output=["height"])
    assert found["height"][0] == pytest.approx(-2 * np.cos(1))


def test_mistakes_are_told_to_the_simulator(driven, tmp_path):
    with pytest.raises(taut.InputError):
        driven.to_fmu(tmp_path / "x.fmu", integrator="midpont", step=0.01)
    driven.event("low", when="phi - 0.5", then="stop")
    path = driven.to_fmu(tmp_path / "pendulum.fmu", rtol=1e-9)
    ended = fmpy.simulate_fmu(str(path), stop_time=5, output_interval=0.1)
    assert ended["time"][-1] < 1
