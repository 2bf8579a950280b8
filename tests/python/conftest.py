import pathlib

import pytest

import taut

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def pendulum():
    """A mathematical pendulum of length 1 by a rod, from the horizontal."""
    m = taut.Model("Pendulum", gravity=9.81)
    m.point("O", [0, 0])
    m.mass("A", mass=1, at=[1, 0])
    m.rod("O", "A")
    return m


@pytest.fixture
def double_pendulum():
    m = taut.Model("Double pendulum", gravity=9.81)
    O, A, B = m.point("O", [0, 0]), m.mass("A", mass=1, at=[1, 0]), m.mass("B", mass=1, at=[2, 0])
    m.rod(O, A)
    m.rod(A, B)
    return m
