"""Notebooks of the examples, cell by cell, and what they claim."""

import json

import numpy as np
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def run(path):
    """All cells that hold code, one after the other, as a notebook would; returns the names that they leave."""
    content = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for number, cell in enumerate(content["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "notebooks are stored without what they print"
        exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    return names


@pytest.fixture
def pictures(monkeypatch, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_well_formed(path):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(path, as_version=4))


def test_pendulum_is_held_as_the_notebook_says(pictures):
    names = run(ROOT / "python" / "examples" / "holding_a_pendulum.ipynb")
    assert len(pictures.get_fignums()) == 4
    drift = names["drift"]
    assert drift["projected"] < 1e-15 < drift["Baumgarte, α = 5"] < drift["Baumgarte, α = 100"] < drift["differentiated"]
    assert names["slope"] == pytest.approx(1, abs=0.05)  # the error of a penalty is proportional to it
    ratios = names["steps"][1:] / names["steps"][:-1]
    assert np.all(ratios > 2) and np.all(ratios < 3)
    assert max(names["apart"]) < 1e-9 and names["rounds"] == sorted(names["rounds"], reverse=True)
    kept = names["kept"]
    assert kept["energy-momentum"].deviation < 1e-9 < kept["midpoint"].deviation < kept["rk4"].deviation
    assert abs(kept["midpoint"].drift) < 0.01 * kept["midpoint"].deviation
