"""Examples in docstrings and in the README, and types."""

import doctest
import pathlib
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import taut


def test_python_block_of_the_readme_runs_as_it_stands(monkeypatch, tmp_path, capsys):
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "reached the end" in capsys.readouterr().out


@pytest.mark.parametrize("what", [taut, taut.Model, taut.Expr, taut.Model.force, taut.solve_dae, taut.Simulation], ids=lambda one: one.__name__)
def test_examples_in_docstrings_run(what):
    m = taut.Model(coordinates=["x", "phi"], kinetic="(x'^2 + phi'^2)/2", inputs={"u": 0}, initial={"phi": 0.1})
    m.force("phi", "u")
    m.mass("A", mass=1)
    names = {"taut": taut, "np": np, "m": m, "x": m["x"]}
    tests = doctest.DocTestFinder(recurse=False).find(what, what.__name__, globs=names, module=False)
    assert tests and tests[0].examples
    assert doctest.DocTestRunner().run(tests[0]).failed == 0


def test_python_blocks_of_the_page_run_one_after_the_other(monkeypatch, tmp_path):
    names = {}
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S):
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["r"].ok


def test_stubs_are_up_to_date():
    pytest.importorskip("nanobind")
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "python_stub.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_package_imports_quickly_and_without_extras():
    code = "import sys, taut; print(sorted(set(sys.modules) & {'h5py', 'pandas', 'xarray', 'matplotlib', 'scipy', 'yaml'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_types_are_right():
    pytest.importorskip("mypy")
    package = pathlib.Path(taut.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "/dev/null", str(ROOT / "tests/python/typed.py")],
        capture_output=True, text=True, env={"MYPYPATH": str(package.parent), "PATH": ""}, cwd=package.parent.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, monkeypatch, tmp_path):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
