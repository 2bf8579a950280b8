"""The compiled model of MuJoCo: what closes its loops and what drives it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._mujoco_tree import Frame, Tree, joined, matrix


class Drives(Tree):
    """Equality constraints, tendons and actuators of a compiled model."""

    # What closes loops.

    def _equality(self, number: int) -> None:
        mj, kinds = self.mj, self.mujoco.mjtEq
        called = self._called("EQUALITY", number, "equality")
        kind = int(mj.eq_type[number])
        if not mj.eq_active0[number]:
            return self._skip(f"equality '{called}'", "it is not active at the start")
        if kind in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)):
            return self._closure(number, called, kind == int(kinds.mjEQ_WELD))
        first, second = int(mj.eq_obj1id[number]), int(mj.eq_obj2id[number])
        if kind == int(kinds.mjEQ_JOINT):
            ways = [(self.scalar[one], float(mj.qpos0[mj.jnt_qposadr[one]])) for one in (first, second) if one >= 0]
        elif kind == int(kinds.mjEQ_TENDON) and all(self._fixed(one) for one in (first, second) if one >= 0):
            ways = [(f"({self._length(one)})", float(mj.tendon_length0[one])) for one in (first, second) if one >= 0]
        else:
            return self._skip(f"equality '{called}'", "its kind has no counterpart")
        left, other = (f"{name} - {zero!r}" if zero else name for name, zero in (ways + [("0", 0.0)])[:2])
        terms = [f"{float(mj.eq_data[number][k])!r}" + ("", f"*({other})", f"*({other})^{k}")[min(k, 2)] for k in range(5) if mj.eq_data[number][k] != 0 and (k == 0 or len(ways) > 1)]
        self.constraints.append({"name": self._name(called, "equality"), "expression": f"{left} = {joined(terms) or '0'}"})
        return None

    def _closure(self, number: int, called: str, weld: bool) -> None:
        """A connect or a weld: by a point on each side."""
        mj, data, value = self.mj, self.data, self.mj.eq_data[number]
        ends: list[tuple[Frame, Any, Any]] = []
        turns = []
        sites = int(mj.eq_objtype[number]) == int(self.mujoco.mjtObj.mjOBJ_SITE)
        for side, one in enumerate((int(mj.eq_obj1id[number]), int(mj.eq_obj2id[number]))):
            body = int(mj.site_bodyid[one]) if sites else one
            frame = self.frames[int(mj.body_weldid[body])]
            if sites:
                at, turn, part = data.site_xpos[one], data.site_xmat[one].reshape(3, 3), mj.site_pos[one]
            else:
                turn = data.xmat[body].reshape(3, 3)
                part = value[3 * (1 - side) : 3 * (2 - side)] if weld else value[3 * side : 3 * (side + 1)]
                at = data.xpos[body] + turn @ part
            ends.append((frame, at, part if body == frame.body else None))
            turns.append(turn)
        if ends[0][0] is ends[1][0]:
            return self._skip(f"equality '{called}'", "both sides are one body")
        words: dict[str, Any] = {"type": "ball", "name": self._name(called, "equality")}
        if weld:
            words["type"] = "weld"
            off = turns[1] @ (turns[0] @ matrix(value[6:10])).T
            angle = float(np.arccos(np.clip((np.trace(off) - 1) / 2, -1, 1)))
            if angle > 1e-6:
                return self._skip(f"equality '{called}'", f"it cannot be met near the start: {angle:.3g} rad are left; start from a keyframe that is nearer")
        words["between"] = [self._point(frame, words["name"], at, own) for frame, at, own in ends]
        self.joints.append(words)
        return None

    # Tendons and actuators.

    def _parts(self, tendon: int) -> range:
        first = int(self.mj.tendon_adr[tendon])
        return range(first, first + int(self.mj.tendon_num[tendon]))

    def _fixed(self, tendon: int) -> bool:
        """Whether a tendon is a sum of joints."""
        joint = int(self.mujoco.mjtWrap.mjWRAP_JOINT)
        return all(int(self.mj.wrap_type[one]) == joint for one in self._parts(tendon))

    def _length(self, tendon: int, rate: bool = False) -> str:
        mj = self.mj
        return joined(f"{float(mj.wrap_prm[one])!r}*{self.scalar[int(mj.wrap_objid[one])]}" + ("'" if rate else "") for one in self._parts(tendon))

    def _pull(self, tendon: int, force: str) -> None:
        """A force along a tendon, on its joints."""
        for one in self._parts(tendon):
            self.torques.setdefault(self.scalar[int(self.mj.wrap_objid[one])], []).append(f"{float(self.mj.wrap_prm[one])!r}*({force})")

    def _tendons(self) -> None:
        mj = self.mj
        for tendon in range(mj.ntendon):
            called = self._called("TENDON", tendon, "tendon")
            stiffness = 0.0 if self._disabled("SPRING", "PASSIVE") else float(mj.tendon_stiffness[tendon])
            damping = 0.0 if self._disabled("DAMPER", "PASSIVE") else float(mj.tendon_damping[tendon])
            low, high = (float(one) for one in mj.tendon_lengthspring[tendon])
            if mj.tendon_frictionloss[tendon] > 0:
                self._skip(f"frictionloss of tendon '{called}'")
            if mj.tendon_limited[tendon] and not (self.limits and self._fixed(tendon)):
                self._skip(f"range of tendon '{called}'", "limits=True takes it as inequalities" if self._fixed(tendon) else "")
            if self._fixed(tendon):
                length = self._length(tendon)
                if stiffness != 0 and low == high:
                    self.potential.append(f"{stiffness!r}*({length} - {low!r})^2/2")
                elif stiffness != 0:
                    self.potential.append(f"{stiffness!r}*(max({length} - {high!r}, 0)^2 + max({low!r} - ({length}), 0)^2)/2")
                if damping != 0:
                    self._pull(tendon, f"-{damping!r}*({self._length(tendon, True)})")
                if getattr(mj, "tendon_armature", np.zeros(mj.ntendon))[tendon] > 0:
                    self.kinetic.append(f"{float(mj.tendon_armature[tendon])!r}*({self._length(tendon, True)})^2/2")
                if mj.tendon_limited[tendon] and self.limits:
                    for sign, limit in (">=", mj.tendon_range[tendon][0]), ("<=", mj.tendon_range[tendon][1]):
                        self.constraints.append({"name": self._name(called, "limit"), "expression": f"{length} {sign} {float(limit)!r}"})
                continue
            sites = [int(mj.wrap_objid[one]) for one in self._parts(tendon) if mj.wrap_type[one] == self.mujoco.mjtWrap.mjWRAP_SITE]
            if len(sites) == 2 == len(self._parts(tendon)) and low == high:
                if stiffness != 0 or damping != 0:
                    words = {"between": [self.site_of[one] for one in sites], "stiffness": stiffness, "length": low, "damping": damping}
                    self.out.setdefault("springs", []).append(words | {"name": self._name(called, "tendon")})
            elif stiffness != 0 or damping != 0:
                self._skip(f"tendon '{called}'", "only springs between two sites, and sums of joints, have a counterpart")

    def _actuators(self) -> None:
        mj, mujoco = self.mj, self.mujoco
        if self._disabled("ACTUATION"):
            return
        for one in range(len(mj.actuator_trntype)):
            called = self._called("ACTUATOR", one, "actuator")
            kind, target = int(mj.actuator_trntype[one]), int(mj.actuator_trnid[one][0])
            joint = kind in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)) and target in self.scalar
            tendon = kind == int(mujoco.mjtTrn.mjTRN_TENDON) and self._fixed(target)
            plain = int(mj.actuator_dyntype[one]) == int(mujoco.mjtDyn.mjDYN_NONE)
            gains = int(mj.actuator_gaintype[one]), int(mj.actuator_biastype[one])
            plain_gain = gains[0] in (int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_AFFINE))
            known = plain_gain and gains[1] in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
            if int(mj.opt.disableactuator) >> int(mj.actuator_group[one]) & 1:
                continue
            if not (joint or tendon) or not plain or not known:
                why = "only those on hinges, slides and sums of joints have a counterpart" if not (joint or tendon) else "its own dynamics have no counterpart"
                self._skip(f"actuator '{called}'", why)
                continue
            for what in ("armature", "damping", "delay"):
                if np.any(np.asarray(getattr(mj, f"actuator_{what}", np.zeros(len(mj.actuator_trntype)))[one]) != 0):
                    self._skip(f"{what} of actuator '{called}'")
            name = self._name(called, "actuator")
            control = int(getattr(mj, "actuator_ctrladr", np.arange(len(mj.actuator_trntype)))[one])
            self.out.setdefault("inputs", {})[name] = float(self.data.ctrl[control])
            force = self._actuator_force(one, name, gains, self.scalar[target] if joint else f"({self._length(target)})",
                                         f"{self.scalar[target]}'" if joint else f"({self._length(target, True)})")  # fmt: skip
            gear = float(mj.actuator_gear[one][0])
            pushed = f"{gear!r}*({force})" if gear != 1 else force
            if tendon:
                self._pull(target, pushed)
            else:
                self.torques.setdefault(self.scalar[target], []).append(pushed)
        for number, name in self.scalar.items():
            if mj.jnt_actfrclimited[number] and name in self.torques:
                low, high = (float(one) for one in mj.jnt_actfrcrange[number])
                self.torques[name] = [f"min(max({joined(self.torques[name])}, {low!r}), {high!r})"]

    def _actuator_force(self, one: int, name: str, gains: tuple[int, int], length: str, rate: str) -> str:
        """gain·u + bias, both linear in the length of the actuator and its rate."""
        mj, mujoco = self.mj, self.mujoco
        gear = float(mj.actuator_gear[one][0])
        limited = bool(np.ravel(mj.actuator_ctrllimited[one])[0]) and not self._disabled("CLAMPCTRL")
        low, high = (float(value) for value in np.ravel(mj.actuator_ctrlrange[one])[:2])
        control = f"min(max({name}, {low!r}), {high!r})" if limited else name

        def affine(prm: Any, linear: bool) -> list[str]:
            terms = [f"{float(prm[0])!r}"] if prm[0] != 0 else []
            for value, word in ((prm[1], length), (prm[2], rate)) if linear else ():
                if value != 0:
                    terms.append(f"{float(value) * gear!r}*{word}")
            return terms

        gain = affine(mj.actuator_gainprm[one], gains[0] == int(mujoco.mjtGain.mjGAIN_AFFINE))
        bias = affine(mj.actuator_biasprm[one], True) if gains[1] == int(mujoco.mjtBias.mjBIAS_AFFINE) else []
        pushed = [control] if gain == ["1.0"] else [f"({joined(gain)})*{control}"] if gain else []
        force = joined(pushed + bias) or "0"
        if mj.actuator_forcelimited[one]:
            least, most = (float(value) for value in mj.actuator_forcerange[one])
            force = f"min(max({force}, {least!r}), {most!r})"
        return force

    def _gravity_compensation(self, gravity: np.ndarray) -> None:
        mj = self.mj
        for body in range(1, mj.nbody):
            frame = self.frames[int(mj.body_weldid[body])]
            if mj.body_gravcomp[body] == 0 or frame is self.ground:
                continue
            point = self._point(frame, f"{self._called('BODY', body, 'body')}_center", self.data.xipos[body])
            for k, axis in enumerate("xyz"):
                if gravity[k] != 0:
                    force = -float(mj.body_gravcomp[body] * mj.body_mass[body] * gravity[k])
                    self.forces.setdefault(f"{point}.{axis}", []).append(repr(force))
