"""Examples in docstrings and in the README, and types."""

import doctest
import importlib
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
