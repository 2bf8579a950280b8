"""The compiled model of MuJoCo: where it starts, its bodies and its joints."""

from __future__ import annotations

import re
from typing import Any, Iterable

import numpy as np

from . import _core

# Words that mean something of a body: no point may be called so.
_OF_BODIES = re.compile(r"[xyzcs]|[vwafmd][xyz123]?|d[123][xyz]|q[0-3]|angle|kinetic|potential")
_RESERVED = {"t", "pi", "and", "or", "not", "ground"}


def matrix(quaternion: Any) -> np.ndarray:
    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def numbers(array: Any) -> list[float]:
    """As they are written: no -0, and what is round-off beside the largest is nothing."""
    values = np.asarray(array, dtype=float)
    most = float(np.max(np.abs(values), initial=0.0))
    return [0.0 if abs(one) < 1e-16 * most else float(one) + 0.0 for one in values]


def joined(terms: Iterable[str]) -> str:
    return " + ".join(terms)


class Frame:
    """A body of the model, or the ground: where it is placed, and what it is called."""

    def __init__(self, name: str, at: np.ndarray, axes: np.ndarray, body: int = -1):
        self.name, self.at, self.axes, self.body = name, at, axes, body
        self.points: dict[str, list[float]] = {}

    def own(self, x: Any) -> np.ndarray:
        return np.asarray(self.axes.T @ (np.asarray(x) - self.at))


class Tree:
    """Bodies and joints of a compiled model, in the words of model files."""

    def __init__(self, model: Any, keyframe: int | str | None, limits: bool):
        import mujoco  # type: ignore[import-not-found, import-untyped, unused-ignore]

        self.mj, self.limits = model, limits
        self.mujoco = mujoco
        self.left_out: list[str] = []
        self.taken = set(_RESERVED)
        self.data = mujoco.MjData(model)
        self.moves = False
        key = self._keyframe(keyframe)
        if key is not None:
            mujoco.mj_resetDataKeyframe(model, self.data, key)
            self.moves = bool(np.any(self.data.qvel != 0.0))
        self._close()
        self.ground = Frame("ground", np.zeros(3), np.eye(3))
        self.frames: dict[int, Frame] = {0: self.ground}
        self.torques: dict[str, list[str]] = {}  # on angles and travels
        self.forces: dict[str, list[str]] = {}  # on bodies
        self.scalar: dict[int, str] = {}  # names of hinges and slides, by their number
        self.out: dict[str, Any] = {}
        self.bodies: dict[str, dict[str, Any]] = {}
        self.joints: list[dict[str, Any]] = []
        self.kinetic: list[str] = []
        self.potential: list[str] = []
        self.constraints: list[dict[str, Any]] = []

    # Words.

    def _keyframe(self, keyframe: int | str | None) -> int | None:
        if keyframe is None:
            return None
        count = int(self.mj.nkey)
        known = [self._called("KEY", one, "key") for one in range(count)]
        number = known.index(keyframe) if keyframe in known else keyframe
        if not isinstance(number, int) or not 0 <= number < count:
            raise _core.InputError(f"there is no keyframe {keyframe!r}; there are: {', '.join(known) or 'none'}")
        return number

    def _called(self, kind: str, number: int, otherwise: str) -> str:
        """The name in the file, or the number of the thing."""
        name = self.mujoco.mj_id2name(self.mj, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return str(name) if name else f"{otherwise}{number}"

    def _name(self, called: str, kind: str) -> str:
        """A name that the model may have, and has not yet; joints and actuators are often called as bodies are."""
        plain = re.sub(r"\W", "_", called)
        plain = f"{kind}_{plain}" if plain[:1].isdigit() or plain in _RESERVED else plain
        name, number = plain, 1
        while name in self.taken:
            name = f"{plain}_{kind}" if number == 1 else f"{plain}_{kind}{number}"
            number += 1
        self.taken.add(name)
        return name

    def _skip(self, what: str, why: str = "") -> None:
        self.left_out.append(what + (f": {why}" if why else ""))

    def _disabled(self, *bits: str) -> bool:
        flags = int(self.mj.opt.disableflags)
        return any(flags & int(getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{bit}", 0)) for bit in bits)

    def _close(self) -> None:
        """Moves the start to where equality constraints hold, and its velocities to what they allow: the nearest in the metric of the mass. MuJoCo's constraints are springs, and files use that."""
        mj, data, mujoco = self.mj, self.data, self.mujoco
        stored, mj.opt.jacobian = mj.opt.jacobian, mujoco.mjtJacobian.mjJAC_DENSE
        try:
            for _ in range(50):
                mujoco.mj_forward(mj, data)
                rows = int(data.ne)
                if rows == 0:
                    return
                jacobian = np.array(data.efc_J).reshape(-1, mj.nv)[:rows]
                along = np.zeros_like(jacobian)  # M^-1 G^T, row by row
                mujoco.mj_solveM(mj, data, along, jacobian)
                nearest = along.T @ np.linalg.pinv(jacobian @ along.T, rcond=1e-10, hermitian=True)
                gap = np.array(data.efc_pos[:rows])
                if np.max(np.abs(gap)) < 1e-14:
                    break
                mujoco.mj_integratePos(mj, data.qpos, -(nearest @ gap), 1.0)
            data.qvel[:] -= nearest @ (jacobian @ data.qvel)
            mujoco.mj_forward(mj, data)
        finally:
            mj.opt.jacobian = stored

    # Bodies.

    def _body(self, body: int) -> None:
        """A body that moves against its parent, with all that is fixed to it, and its joints."""
        mj, data = self.mj, self.data
        frame = Frame(self._name(self._called("BODY", body, "body"), "body"), data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy(), body)
        fixed = [one for one in range(body, mj.nbody) if mj.body_weldid[one] == body]
        mass, center, inertia = self._inertia(fixed, frame)
        # Bodies without mass stand before the body that they carry.
        self._chain(body, frame)
        entry: dict[str, Any] = {"mass": mass, "inertia": [numbers(row) for row in inertia], "center": numbers(center)}
        entry |= {"at": numbers(frame.at), "rotation": {"quaternion": numbers(data.xquat[body])}}
        first = int(mj.body_jntadr[body])
        kinds = [self._kind(first + k) for k in range(int(mj.body_jntnum[body]))]
        if self.moves and ("FREE" in kinds or "BALL" in kinds):
            velocity = np.zeros(6)
            self.mujoco.mj_objectVelocity(mj, data, self.mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 0)
            spin = velocity[:3]
            entry["spin"] = numbers(spin)
            if "FREE" in kinds:
                entry["velocity"] = numbers(velocity[3:] + np.cross(spin, frame.axes @ center))
        shapes = [shape for one in fixed for shape in self._shapes(one, frame)]
        if shapes:
            entry["shape"] = shapes
        self.bodies[frame.name] = entry
        for one in fixed:
            self.frames[one] = frame

    def _inertia(self, fixed: list[int], frame: Frame) -> tuple[float, np.ndarray, np.ndarray]:
        """Of several bodies together, in the axes of a frame; about their centre of mass."""
        mj, data = self.mj, self.data
        masses = np.array([mj.body_mass[one] for one in fixed])
        mass = float(masses.sum())
        if len(fixed) == 1:
            turn = matrix(mj.body_iquat[fixed[0]])
            inertia = (turn * mj.body_inertia[fixed[0]]) @ turn.T
            return mass, mj.body_ipos[fixed[0]].copy(), (inertia + inertia.T) / 2
        centers = np.array([frame.own(data.xipos[one]) for one in fixed])
        center = masses @ centers / mass
        inertia = np.zeros((3, 3))
        for one, its_mass, at in zip(fixed, masses, centers):
            turn = frame.axes.T @ data.ximat[one].reshape(3, 3)
            d = at - center
            inertia += (turn * mj.body_inertia[one]) @ turn.T + its_mass * (d @ d * np.eye(3) - np.outer(d, d))
        return mass, center, (inertia + inertia.T) / 2

    def _shapes(self, body: int, frame: Frame) -> list[dict[str, Any]]:
        """What is drawn."""
        mj, data, geom = self.mj, self.data, self.mujoco.mjtGeom
        out = []
        first = int(mj.body_geomadr[body])
        for one in range(first, first + int(mj.body_geomnum[body])):
            size, kind = mj.geom_size[one], int(mj.geom_type[one])
            if mj.geom_group[one] > 2:
                continue
            words: dict[str, Any]
            if kind == geom.mjGEOM_BOX:
                words = {"box": numbers(2 * size)}
            elif kind == geom.mjGEOM_SPHERE:
                words = {"sphere": float(size[0])}
            elif kind in (geom.mjGEOM_CAPSULE, geom.mjGEOM_CYLINDER):
                words = {"capsule" if kind == geom.mjGEOM_CAPSULE else "cylinder": [float(size[0]), float(2 * size[1])]}
            else:
                continue
            quaternion = np.zeros(4)
            self.mujoco.mju_mat2Quat(quaternion, (frame.axes.T @ data.geom_xmat[one].reshape(3, 3)).ravel())
            turned, at = (mj.geom_quat[one], mj.geom_pos[one]) if body == frame.body else (quaternion, frame.own(data.geom_xpos[one]))
            words["at"] = numbers(at)
            if abs(turned[0]) < 1 - 1e-15:
                words["rotation"] = {"quaternion": numbers(turned)}
            out.append(words)
        return out

    # Joints.

    def _kind(self, joint: int) -> str:
        kinds = self.mujoco.mjtJoint
        return {int(getattr(kinds, f"mjJNT_{word}")): word for word in ("FREE", "BALL", "SLIDE", "HINGE")}[int(self.mj.jnt_type[joint])]

    def _chain(self, body: int, frame: Frame) -> None:
        """From the parent to the body, joint by joint; between two joints there is a body without mass."""
        mj = self.mj
        first, count = int(mj.body_jntadr[body]), int(mj.body_jntnum[body])
        before = self.frames[int(mj.body_weldid[mj.body_parentid[body]])]
        for k in range(count):
            joint = first + k
            after = frame
            if k + 1 < count:
                after = Frame(self._name(f"{frame.name}_{k + 1}", "body"), self.data.xanchor[joint].copy(), np.eye(3))
                self.bodies[after.name] = {"mass": 0, "at": numbers(after.at)}
                self.frames[-joint - 1] = after
            self._joint(joint, before, after)
            before = after

    def _joint(self, joint: int, before: Frame, after: Frame) -> None:
        mj, data, kind = self.mj, self.data, self._kind(joint)
        called = self._called("JOINT", joint, "joint")
        dof = int(mj.jnt_dofadr[joint])
        dofs = slice(dof, dof + {"FREE": 6, "BALL": 3}.get(kind, 1))
        damping = 0.0 if self._disabled("DAMPER", "PASSIVE") else float(mj.dof_damping[dof])
        stiffness = 0.0 if self._disabled("SPRING", "PASSIVE") else float(mj.jnt_stiffness[joint])
        if np.any(mj.dof_frictionloss[dofs] > 0) and not self._disabled("FRICTIONLOSS", "CONSTRAINT"):
            self._skip(f"frictionloss of joint '{called}'", "friction here is smooth; give the joint `friction: [torque, rate]`")
        for what in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            values = getattr(mj, what, None)
            if values is not None and np.any(values[joint if what[0] == "j" else dof] != 0):
                self._skip(f"{'stiffness' if what[0] == 'j' else 'damping'} of joint '{called}' beyond its linear part")
        if kind in ("FREE", "BALL"):
            for what, value in (("stiffness", stiffness), ("armature", float(mj.dof_armature[dof]))):
                if value != 0:
                    self._skip(f"{what} of joint '{called}'", f"a {kind.lower()} joint has no coordinate for it")
            if mj.jnt_limited[joint]:
                self._skip(f"range of joint '{called}'", "a ball joint has no coordinate for it")
            if kind == "FREE":
                if damping != 0:
                    self._skip(f"damping of joint '{called}'", "a free joint has no coordinate for it")
                return
            self.joints.append({"type": "ball", "between": [before.name, after.name], "at": numbers(data.xanchor[joint]), "name": self._name(called, "joint")})
            if damping != 0:
                self._moment(before, after, damping)
            return
        name = self._name(called, "joint")
        self.scalar[joint] = name
        value, adr = float(data.qpos[mj.jnt_qposadr[joint]]), int(mj.jnt_qposadr[joint])
        axis, at = data.xaxis[joint], data.xanchor[joint]
        words: dict[str, Any] = {"type": "hinge" if kind == "HINGE" else "slider", "name": self._name(f"{called}_{'hinge' if kind == 'HINGE' else 'slider'}", "joint")}
        if kind == "HINGE":
            words |= {"between": [before.name, after.name], "at": numbers(at), "axis": numbers(axis), "angle": name}
            if value != 0:
                words["start"] = value
        else:
            words |= {"between": [self._point(before, name, at - value * axis), self._point(after, name, at)], "axis": numbers(axis), "travel": name}
        if stiffness != 0:
            words |= {"stiffness": stiffness, "rest": float(mj.qpos_spring[adr])}
        if damping != 0:
            words["damping"] = damping
        if mj.dof_armature[dof] > 0:
            self.kinetic.append(f"{float(mj.dof_armature[dof])!r}*{name}'^2/2")
        if mj.jnt_limited[joint] and not self._disabled("LIMIT", "CONSTRAINT"):
            if self.limits:
                words["limits"] = [float(one) for one in mj.jnt_range[joint]]
            else:
                self._skip(f"range of joint '{called}'", "limits=True takes it as inequalities")
        if self.moves:
            self.out.setdefault("initial", {})[f"{name}'"] = float(data.qvel[dof])
        self.joints.append(words)

    def _moment(self, before: Frame, after: Frame, damping: float) -> None:
        """Of a ball joint's damper: against the spin of one side as seen from the other."""
        for axis in "xyz":
            seen = f"{after.name}.w{axis}" if before is self.ground else f"({after.name}.w{axis} - {before.name}.w{axis})"
            self.forces.setdefault(f"{after.name}.m{axis}", []).append(f"-{damping!r}*{seen}")
            if before is not self.ground:
                self.forces.setdefault(f"{before.name}.m{axis}", []).append(f"{damping!r}*{seen}")

    def _point(self, frame: Frame, called: str, at: Any, own: Any = None) -> str:
        """A new point, by its place in space, or in the axes of the frame; as places are called in the model."""
        if frame is self.ground:
            name = self._name(called, "point")
            frame.points[name] = numbers(at)
            return name
        name, number = re.sub(r"\W", "_", called), 1
        if _OF_BODIES.fullmatch(name) or name[:1].isdigit():
            name = f"point_{name}"
        plain = name
        while name in frame.points:
            number += 1
            name = f"{plain}_{number}"
        frame.points[name] = numbers(frame.own(at) if own is None else own)
        return f"{frame.name}.{name}"

    def _sites(self) -> None:
        self.site_of: dict[int, str] = {}
        for site in range(self.mj.nsite):
            body = int(self.mj.site_bodyid[site])
            frame = self.frames[int(self.mj.body_weldid[body])]
            own = self.mj.site_pos[site] if body == frame.body else None
            self.site_of[site] = self._point(frame, self._called("SITE", site, "site"), self.data.site_xpos[site], own)
