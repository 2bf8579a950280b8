"""Models of MuJoCo (MJCF) and URDF files, read through the package mujoco.

MuJoCo compiles the file; what is read here is the compiled model: bodies with their inertia, joints, equality constraints, springs, dampers, actuators. A body of MuJoCo with several joints
is one body here behind bodies without mass, one for each joint but the last. What has no counterpart is left out and told by name.
"""

from __future__ import annotations

import os
import pathlib
import warnings
from typing import Any

import numpy as np

from . import _core
from ._model import Model
from ._mujoco_drives import Drives
from ._mujoco_tree import joined, numbers
from ._result import _needed


class LeftOut(UserWarning):
    """Something of a file that has no counterpart in a model."""


def from_mjcf(source: str | os.PathLike[str], *, keyframe: int | str | None = None, limits: bool = False) -> Model:
    """Reads a model of MuJoCo, from a file or from its text (XML).

    keyframe: number or name of one of the file's, from which the motion starts; otherwise it starts from MuJoCo's reference, at rest. limits: whether ranges of joints become
    inequalities, which `moreau-jean` holds, or a penalty. What could not be taken over is in `left_out` of the model, and told as a warning.

    >>> m = taut.from_mjcf("<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body></worldbody></mujoco>")
    >>> m.check().degrees_of_freedom
    1
    """
    return from_mujoco(_compiled(source), keyframe=keyframe, limits=limits)


def from_urdf(source: str | os.PathLike[str], *, limits: bool = False) -> Model:
    """Reads a robot from a URDF file or its text, as MuJoCo does: its first link stands on the ground, links without a joint are one with what carries them.

    limits: as in from_mjcf. Meshes are looked for where the file is, whatever folders it names.
    """
    return from_mujoco(_compiled(source), limits=limits)


def from_mujoco(model: Any, *, keyframe: int | str | None = None, limits: bool = False) -> Model:
    """Reads a `mujoco.MjModel`, or a `mujoco.MjSpec`, which is compiled. keyframe, limits: as in from_mjcf."""
    _needed("mujoco", "mujoco")
    if hasattr(model, "compile"):
        model = model.compile()
    return _Import(model, keyframe, limits).model()


def _text_of(source: str | os.PathLike[str]) -> str:
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return source
    try:
        return pathlib.Path(source).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _core.InputError(f"{os.fspath(source)}: cannot be read: {error.strerror}.") from None


def _compiled(source: str | os.PathLike[str]) -> Any:
    mujoco = _needed("mujoco", "mujoco")
    text = _text_of(source)
    try:
        if text is source:
            return mujoco.MjModel.from_xml_string(text)
        return mujoco.MjModel.from_xml_path(os.fspath(source))
    except ValueError as error:
        raise _core.InputError(f"{'the text' if text is source else os.fspath(source)}: MuJoCo cannot read it: {error}") from None


class _Import(Drives):
    def model(self) -> Model:
        mj = self.mj
        title = bytes(mj.names).split(b"\0", 1)[0].decode(errors="replace")
        gravity = np.zeros(3) if self._disabled("GRAVITY") else mj.opt.gravity
        out = Model("" if title == "MuJoCo Model" else title, dimension=3, gravity=numbers(gravity))
        for body in range(1, mj.nbody):
            if mj.body_jntnum[body] > 0:
                self._body(body)
            elif mj.body_weldid[body] == body:  # one that is moved from outside
                self.frames[body] = self.ground
        self._sites()
        if not self._disabled("EQUALITY", "CONSTRAINT"):
            for number in range(mj.neq):
                self._equality(number)
        self._tendons()
        self._actuators()
        self._gravity_compensation(gravity)
        self._rest_of_file()
        for frame in self.frames.values():
            if frame.points and frame is not self.ground:
                self.bodies[frame.name]["points"] = frame.points
        for joint in self.joints:
            terms = self.torques.get(joint.get("angle") or joint.get("travel") or "")
            if terms:
                joint["torque"] = joined(terms)
        sections = {
            "points": self.ground.points, "bodies": self.bodies, "joints": self.joints, "kinetic": self.kinetic, "potential": self.potential,
            "forces": {key: joined(terms) for key, terms in self.forces.items()}, "constraints": self.constraints, **self.out,
        }  # fmt: skip
        for section, content in sections.items():
            if content:
                out.add(section, content)
        out.left_out = self.left_out
        if self.left_out:
            lines = "\n  ".join(self.left_out)
            warnings.warn(LeftOut(f"left out of the model:\n  {lines}"), stacklevel=4)
        return out

    # What is not looked at above.

    def _rest_of_file(self) -> None:
        mj = self.mj
        solid = [one for one in range(mj.ngeom) if mj.geom_contype[one] | mj.geom_conaffinity[one]]
        moving = [one for one in solid if mj.body_weldid[mj.geom_bodyid[one]] != 0]
        if not self._disabled("CONTACT", "CONSTRAINT") and (mj.npair or (moving and len(solid) > 1)):
            names = [self._called("GEOM", one, "geom") for one in solid]
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            self._skip(f"contacts between geoms ({shown})")
        if mj.opt.density > 0 or mj.opt.viscosity > 0:
            self._skip("the fluid around it (density, viscosity, wind)")
        for body in range(1, mj.nbody):
            if mj.body_mocapid[body] >= 0:
                self._skip(f"motion of the mocap body '{self._called('BODY', body, 'body')}'", "it stands still")
        for what, count in (("flexes", getattr(mj, "nflex", 0)), ("plugins", getattr(mj, "nplugin", 0))):
            if count:
                self._skip(f"{count} {what}")
