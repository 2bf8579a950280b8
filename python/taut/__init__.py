"""taut: constrained motion, with a certificate for every run.

>>> m = taut.Model("Double pendulum", gravity=9.81)
>>> O = m.point("O", [0, 0])
>>> A = m.mass("A", mass=1, at=[1, 0])
>>> B = m.mass("B", mass=1, at=[2, 0])
>>> m.rod(O, A)
>>> m.rod(A, B)
>>> r = m.solve(10, rtol=1e-10)
>>> r.verdict
'reached'

Words are those of model files: docs/model-files.md explains them, docs/model-reference.md lists them, help(taut.Model) too.
"""

from ._core import Certificate, Conserved, Error, InputError, RunError, integrators, solvers, version as __version__
from ._dae import solve_dae
from ._files import load_results
from ._model import Model, load, loads
from ._mujoco import LeftOut, from_mjcf, from_mujoco, from_urdf
from ._result import Event, Result, States
from ._simulation import Simulation
from ._studies import Check, Comparison, Equilibrium, Modes, Sweep, Verification
from ._symbols import Expr, Symbol, symbol, symbols, where

__all__ = [
    "Certificate", "Check", "Comparison", "Conserved", "Equilibrium", "Error", "Event", "Expr", "InputError", "LeftOut", "Model", "Modes", "Result",
    "RunError", "Simulation", "States", "Sweep", "Symbol", "Verification", "__version__", "from_mjcf", "from_mujoco", "from_urdf", "integrators", "load", "load_results", "loads",
    "solve_dae", "solvers", "symbol", "symbols", "where",
]  # fmt: skip
