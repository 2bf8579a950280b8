"""Results files, and the console script."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import ROOT

import taut
from taut.__main__ import main


def test_saved_runs_come_back(double_pendulum, tmp_path):
    pytest.importorskip("h5py")
    double_pendulum.output("height", "B.y")
    double_pendulum.event("passes", when="B.x")
    r = double_pendulum.solve(1, rtol=1e-9)
    r.save(tmp_path / "run.h5")
    back = taut.load_results(tmp_path / "run.h5")
    for name in ("t", "q", "v", "lam", "outputs", "energy"):
        assert np.array_equal(getattr(back, name), getattr(r, name))
    assert back.verdict == "reached" and back.ok and back["height"][-1] == r["height"][-1]
    assert back.model.to_yaml() == double_pendulum.to_yaml()
    with pytest.raises(ValueError):
        back.q[0, 0] = 1
    with pytest.raises(taut.InputError, match="no such file"):
        taut.load_results(tmp_path / "other.h5")
    (tmp_path / "text.h5").write_text("no")
    with pytest.raises(taut.InputError, match="not a results file"):
        taut.load_results(tmp_path / "text.h5")


@pytest.mark.skipif("TAUT_PROGRAM" not in os.environ, reason="needs the program")
def test_program_and_package_read_each_others_files(double_pendulum, tmp_path):
    pytest.importorskip("h5py")
    program = os.environ["TAUT_PROGRAM"]
    r = double_pendulum.solve(1, rtol=1e-9, interval=0.1)
    r.save(tmp_path / "run.h5")
    subprocess.run([program, "convert", tmp_path / "run.h5", tmp_path / "run.npz"], check=True, capture_output=True)
    with np.load(tmp_path / "run.npz") as file:
        assert np.array_equal(file["q"], r.q) and np.array_equal(np.ravel(file["t"]), r.t)
    # The same model by the program: the same bits.
    double_pendulum.run(until=1, rtol=1e-9, interval=0.1)
    double_pendulum.to_yaml(tmp_path / "model.yaml")
    done = subprocess.run([program, "run", "--json", "--no-file", tmp_path / "model.yaml"], check=True, capture_output=True)
    told = json.loads(done.stdout)
    assert told["certificate"]["energy"]["deviation"] == r.certificate.energy.deviation
    assert told["last"]["B.y"] == r["B.y"][-1]
    subprocess.run([program, "run", "--out", tmp_path / "other.h5", tmp_path / "model.yaml"], check=True, capture_output=True)
    other = taut.load_results(tmp_path / "other.h5")
    assert np.allclose(other.q, r.q, atol=1e-9)  # checkpoints decide on last bits


def test_console_script(tmp_path, capsys):
    case = str(ROOT / "cases" / "pendulum.yaml")
    assert main(["run", case, "--until", "0.5"]) == 0
    assert "reached the end" in capsys.readouterr().out
    assert main(["check", case]) == 0
    assert main(["list"]) == 0
    assert "midpoint" in capsys.readouterr().out
    assert main(["run", "nothing.yaml"]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["run", case, "--set", "nothing=1"]) == 2
    assert "no parameter" in capsys.readouterr().err
