"""Mechanisms with closed loops: taut against Exudyn and MuJoCo (PyPI), interleaved in one run, at equal accuracy.

    python benchmarks/peers_bodies.py [--tolerance 1e-4]

Each engine halves its step (taut: divides its tolerance by ten) until the error of the named place over the whole motion, against the motion in one angle by SciPy, is at most the
tolerance; the time is the best of three runs with that step, without building the model. An engine that does not get there says so, with the best error it had.
"""

import argparse
import math
import pathlib
import time

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
END = 2.0
TIMES = np.linspace(0.0, END, 101)


def reference(n):
    """N four-bars in the angle that all cranks share: x, y of the first tip."""
    inertia, moment = (n + 1) / 3 + n, G * ((n + 1) / 2 + n)
    found = solve_ivp(
        lambda t, y: [y[1], moment / inertia * math.sin(y[0])], (0, END), [0, 1], "DOP853", TIMES, rtol=1e-12, atol=1e-13
    )
    return np.array([np.sin(found.y[0]), np.cos(found.y[0])])


def with_taut(n):
    import taut

    model = taut.load(pathlib.Path(__file__).parent.parent / "cases" / "four_bars_bodies.yaml")

    def run(level):
        begin = time.perf_counter()
        r = model.solve(END, t_eval=TIMES, rtol=10.0 ** -(4 + level), parameters={"N": n})
        seconds = time.perf_counter() - begin
        return seconds, np.array([r["x"], r["y"]])

    return run


def with_exudyn(n):
    import exudyn as exu
    from exudyn.utilities import (MarkerBodyPosition, NodePointGround, NodeRigidBody2D, ObjectGround, ObjectJointRevolute2D, RigidBody2D,
                                  LoadMassProportional, MarkerBodyMass, SensorBody)

    def run(level):
        container = exu.SystemContainer()
        mbs = container.AddSystem()
        ground = mbs.AddObject(ObjectGround(referencePosition=[0, 0, 0]))

        def body(x, y, angle, v):
            node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=v))
            one = mbs.AddObject(RigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
            mbs.AddLoad(LoadMassProportional(markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=one)), loadVector=[0, -G, 0]))
            return one

        def place(one, x):
            return mbs.AddMarker(MarkerBodyPosition(bodyNumber=one, localPosition=[x, 0, 0]))

        cranks = [body(i, 0.5, math.pi / 2, [0.5, 0, -1]) for i in range(n + 1)]
        couplers = [body(i - 0.5, 1, 0, [1, 0, 0]) for i in range(1, n + 1)]
        for i, crank in enumerate(cranks):
            foot = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[i, 0, 0]))
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[foot, place(crank, -0.5)]))
        for i, coupler in enumerate(couplers):
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[place(cranks[i], 0.5), place(coupler, -0.5)]))
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[place(cranks[i + 1], 0.5), place(coupler, 0.5)]))
        sensor = mbs.AddSensor(
            SensorBody(bodyNumber=cranks[0], localPosition=[0.5, 0, 0], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
        )
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = 100 * 2**level
        settings.timeIntegration.endTime = END
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = END / 100
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        begin = time.perf_counter()
        mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
        seconds = time.perf_counter() - begin
        data = mbs.GetSensorStoredData(sensor)
        return seconds, np.array([np.interp(TIMES, data[:, 0], data[:, 1]), np.interp(TIMES, data[:, 0], data[:, 2])])

    return run


def with_mujoco(n):
    import mujoco

    def rod(name, x, y, joint):
        return f"""<body name="{name}" pos="{x} 0 {y}">{joint}
          <inertial pos="0 0 0" mass="1" diaginertia="0.08333333 0.08333333 1e-6"/></body>"""

    bodies, ties = "", ""
    for i in range(n + 1):
        bodies += rod(f"V{i}", i, 0.5, f'<joint name="c{i}" type="hinge" axis="0 1 0" pos="0 0 -0.5"/>')
    for i in range(1, n + 1):
        free = "".join(f'<joint name="h{i}{k}" type="slide" axis="{a}"/>' for k, a in (("x", "1 0 0"), ("z", "0 0 1")))
        bodies += rod(f"H{i}", i - 0.5, 1, free + f'<joint name="h{i}r" type="hinge" axis="0 1 0"/>')
        for crank, x in ((i - 1, -0.5), (i, 0.5)):
            ties += f'<connect body1="H{i}" body2="V{crank}" anchor="{x} 0 0" solref="-1e8 -2e4" solimp="0.9999 0.9999 0.001"/>'
    xml = f"""<mujoco><option gravity="0 0 -{G}" integrator="RK4" timestep="1e-3" tolerance="1e-14" iterations="50"/>
      <worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)

    def run(level):
        steps = 100 * 2**level
        model.opt.timestep = END / steps
        data = mujoco.MjData(model)
        for i in range(n + 1):
            data.joint(f"c{i}").qvel = 1.0
        for i in range(1, n + 1):
            data.joint(f"h{i}x").qvel = 1.0
        out = np.empty((2, 101))
        crank = data.joint("c0")
        begin = time.perf_counter()
        for k in range(101):
            angle = crank.qpos[0]
            out[:, k] = math.sin(angle), math.cos(angle)
            if k < 100:
                mujoco.mj_step(model, data, nstep=2**level)
        return time.perf_counter() - begin, out

    return run


def measured(make, n, exact, tolerance):
    try:
        run = make(n)
    except ImportError as error:
        return f"not there ({error})"
    best = math.inf
    for level in range(12):
        try:
            seconds, found = run(level)
        except Exception as error:  # an engine that gives up on a step
            print(f"   level {level}: {str(error).splitlines()[0][:100]}")
            continue
        error = np.abs(found - exact).max()
        best = min(best, error if np.isfinite(error) else math.inf)
        if error <= tolerance:
            return min(seconds, *(run(level)[0] for _ in range(2))), error
        if seconds > 60:
            break
    return f"not reached: {best:.1e}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tolerance", type=float, default=1e-4)
    tolerance = arguments.parse_args().tolerance
    print(f"N four-bars through their singular positions, 2 s, error of the first tip at most {tolerance:g} m: ms (error)")
    for n in (1, 10, 40):
        row = []
        for name, make in (("taut", with_taut), ("Exudyn", with_exudyn), ("MuJoCo", with_mujoco)):
            found = measured(make, n, reference(n), tolerance)
            row.append(f"{name}: {found if isinstance(found, str) else f'{1e3 * found[0]:.1f} ({found[1]:.0e})'}")
        print(f"  N = {n:<4}" + "   ".join(row), flush=True)


if __name__ == "__main__":
    main()
