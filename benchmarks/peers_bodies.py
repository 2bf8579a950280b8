"""Mechanisms of rigid bodies: taut against Exudyn and MuJoCo (PyPI), interleaved in one run, at equal accuracy.

    python benchmarks/peers_bodies.py [--tolerance 1e-4] [--only bricard]

Each engine halves its step (taut: divides its tolerance by ten) until the error of the named places over the whole motion is at most the tolerance, in each of the ways it has;
its fastest way counts. Then all engines take turns, five times, and the best of each counts: processor time, one thread, so that
a busy machine disturbs little. Building the model is not counted. An engine that does not get there says so, with the
best error it had. References: chain, four-bars and governor in minimal coordinates by SciPy; Bricard's mechanism by taut with another scheme (spark4, rtol 1e-11), to which all converge.
"""

import argparse
import math
import pathlib
import time

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
END = 2.0
TIMES = np.linspace(0.0, END, 21)
FIRST = len(TIMES) - 1  # steps of level 0
CASES = pathlib.Path(__file__).parent.parent / "cases"
LONGEST = 20.0  # s of one run: what takes longer is not tried again with half the step


# References


def chain_reference(n):
    """Rods in a row, released horizontally, in their angles from the vertical: the tip."""
    k = np.arange(n)
    A = 0.5 + (n - 1 - np.maximum.outer(k, k)) + np.diag(np.full(n, 1 / 3 - 0.5))
    b = G * (0.5 + (n - 1 - k))

    def slopes(t, y):
        th, w = y[:n], y[n:]
        d = np.subtract.outer(th, th)
        return np.concatenate([w, np.linalg.solve(A * np.cos(d), -(A * np.sin(d)) @ w**2 - b * np.sin(th))])

    found = solve_ivp(slopes, (0, END), np.r_[np.full(n, math.pi / 2), np.zeros(n)], "DOP853", TIMES, rtol=1e-10, atol=1e-10)
    return np.array([np.sin(found.y[:n]).sum(0), -np.cos(found.y[:n]).sum(0)])


def four_bars_reference(n):
    """In the angle that all cranks share: the first tip."""
    inertia, moment = (n + 1) / 3 + n, G * ((n + 1) / 2 + n)
    found = solve_ivp(lambda t, y: [y[1], moment / inertia * math.sin(y[0])], (0, END), [0, 1], "DOP853", TIMES, rtol=1e-12, atol=1e-13)
    return np.array([np.sin(found.y[0]), np.cos(found.y[0])])


GOVERNOR = {"m": 0.3, "ball": 5.0, "slider": 3.0, "r": 0.05, "k": 8e5, "d": 4e4, "w": 2 * math.pi, "a": math.pi / 6}


def governor_reference(_):
    """Both arms alike, the momentum about the shaft kept: their angle below the horizontal and the height of the slider, which is shown."""
    p = GOVERNOR
    m, ball, r = p["m"], p["ball"], p["r"]
    along, across = m * 2e-4 / 12, m * (1 + 1e-4) / 12
    fixed = along + p["slider"] * 0.02 / 12

    def inertia(a):
        c, s = math.cos(a), math.sin(a)
        J = fixed + 2 * (m * (r + c / 2) ** 2 + along * s * s + across * c * c + ball * (r + c) ** 2)
        return J, 2 * (-m * (r + c / 2) * s + 2 * (along - across) * s * c - 2 * ball * (r + c) * s)

    momentum = inertia(p["a"])[0] * p["w"]

    def slopes(t, y):
        a, s, da, ds = y
        J, dJ = inertia(a)
        c, d, up = math.cos(a), math.sin(a), 1 - math.sin(a) / 2 - s
        length = math.hypot(c / 2, up)
        la, ls = (-c * d / 4 - up * c / 2) / length, -up / length
        force = p["k"] * (length - 0.5) + p["d"] * (la * da + ls * ds)
        turn = (0.5 * dJ * (momentum / J) ** 2 + 2 * G * (m / 2 + ball) * c - 2 * force * la) / (2 * (m / 4 + across + ball))
        return [da, ds, turn, -G - 2 * force * ls / p["slider"]]

    found = solve_ivp(slopes, (0, END), [p["a"], 0.5, 0, 0], "Radau", TIMES, rtol=1e-10, atol=1e-12)
    return found.y[1:2]


def bricard_reference(_):
    return taut_run(CASES / "bricard_bodies.yaml", ["x", "y", "z"], {}, rtol=1e-11, integrator="spark4")[1]


# taut


def taut_run(file, shown, parameters, **run):
    import taut
    from taut import _core

    model = file if isinstance(file, taut.Model) else taut.load(file)
    run = {"until": END, "times": TIMES, **run}
    built = model._build(parameters, run)
    begin = time.process_time()
    found = _core.solve(built, False, None)
    seconds = time.process_time() - begin
    result = taut.Result(found, model, parameters, run)
    result.raise_for_status()
    return seconds, np.array([result[one] for one in shown])


def with_taut(file, shown, parameters, ways=("chosen",)):
    """`chosen` is what taut takes for a tolerance by itself; all other ways are schemes with fixed steps."""

    def run(way, level):
        how = {"rtol": 10.0 ** -(3 + level)} if way == "chosen" else {"integrator": way, "step": END / (FIRST * 2**level)}
        return taut_run(file, shown, parameters, **how)

    return run, list(ways)


def chain_model(n):
    import taut

    return taut.loads(f"""
gravity: {G}
bodies: {{"B{{i}}": {{repeat: {{i: 1..{n}}}, mass: 1, inertia: 1/12, at: ["{{i}} - 0.5", 0], points: {{tip: [0.5, 0]}}}}}}
joints:
  - {{type: hinge, between: [ground, B1], at: [0, 0]}}
  - {{repeat: {{i: 2..{n}}}, do: {{type: hinge, between: ["B{{i-1}}", "B{{i}}"], at: ["{{i}} - 1", 0]}}}}
outputs: {{x: B{n}.tip.x, y: B{n}.tip.y}}
run: {{until: {END}}}
""")


# Exudyn


def exudyn_ways(build, stiff=False):
    """build(exu, mbs) makes the model and returns its sensors, with the components that are shown."""
    import exudyn as exu

    kinds = {"trapezoidal index 2": exu.DynamicSolverType.TrapezoidalIndex2, "generalised alpha": exu.DynamicSolverType.GeneralizedAlpha}

    def run(way, level):
        mbs = exu.SystemContainer().AddSystem()
        sensors = build(exu, mbs)
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = FIRST * 2**level
        settings.timeIntegration.endTime = END
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = END / FIRST
        settings.timeIntegration.verboseMode = 0
        if way == "trapezoidal index 2":
            settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        else:
            settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.timeIntegration.newton.useModifiedNewton = not stiff
        small = mbs.systemData.ODE2Size() < 200
        settings.linearSolver.solverType = exu.LinearSolverType.EigenDense if small else exu.LinearSolverType.EigenSparse
        settings.linearSolver.ignoreSingularJacobian = small
        begin = time.process_time()
        mbs.SolveDynamic(settings, solverType=kinds[way])
        seconds = time.process_time() - begin
        out = []
        for sensor, components in sensors:
            data = mbs.GetSensorStoredData(sensor)
            out += [np.interp(TIMES, data[:, 0], data[:, 1 + c]) for c in components]
        return seconds, np.array(out)

    return run, list(kinds)


def plane_rods(mbs):
    """Makers of rods of 1 m and 1 kg, places on them and hinges."""
    from exudyn.utilities import LoadMassProportional, MarkerBodyMass, MarkerBodyPosition, NodeRigidBody2D, ObjectJointRevolute2D, RigidBody2D

    def body(x, y, angle, v):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=v))
        one = mbs.AddObject(RigidBody2D(mass=1.0, inertia=1 / 12, nodeNumber=node))
        mbs.AddLoad(LoadMassProportional(markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=one)), loadVector=[0, -G, 0]))
        return one

    def place(one, x):
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=one, localPosition=[x, 0, 0]))

    def hinge(a, b):
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[a, b]))

    return body, place, hinge


def position_sensor(exu, mbs, body, at=(0, 0, 0)):
    from exudyn.utilities import SensorBody

    return mbs.AddSensor(
        SensorBody(bodyNumber=body, localPosition=list(at), storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )


def exudyn_chain(n):
    def build(exu, mbs):
        from exudyn.utilities import ObjectGround

        body, place, hinge = plane_rods(mbs)
        before = place(mbs.AddObject(ObjectGround(referencePosition=[0, 0, 0])), 0)
        for i in range(n):
            one = body(i + 0.5, 0, 0, [0, 0, 0])
            hinge(before, place(one, -0.5))
            before = place(one, 0.5)
        return [(position_sensor(exu, mbs, one, (0.5, 0, 0)), (0, 1))]

    return exudyn_ways(build)


def exudyn_four_bars(n):
    def build(exu, mbs):
        from exudyn.utilities import ObjectGround

        body, place, hinge = plane_rods(mbs)
        ground = mbs.AddObject(ObjectGround(referencePosition=[0, 0, 0]))
        cranks = [body(i, 0.5, math.pi / 2, [0.5, 0, -1]) for i in range(n + 1)]
        couplers = [body(i - 0.5, 1, 0, [1, 0, 0]) for i in range(1, n + 1)]
        for i, crank in enumerate(cranks):
            hinge(place(ground, i), place(crank, -0.5))
        for i, coupler in enumerate(couplers):
            hinge(place(cranks[i], 0.5), place(coupler, -0.5))
            hinge(place(cranks[i + 1], 0.5), place(coupler, 0.5))
        return [(position_sensor(exu, mbs, cranks[0], (0.5, 0, 0)), (0, 1))]

    return exudyn_ways(build)


THIN = 1e-6  # kg m² about the axis of a slender rod, which neither of the others takes as zero
BRICARD = [  # middle, direction, hinge to the one before and its axis
    ((1, -0.5, 0), 1, (1, 0, 0), (0, 0, 1)),
    ((1, -1, 0.5), 2, (1, -1, 0), (1, 0, 0)),
    ((0.5, -1, 1), 0, (1, -1, 1), (0, 1, 0)),
    ((0, -0.5, 1), 1, (0, -1, 1), (0, 0, 1)),
    ((0, 0, 0.5), 2, (0, 0, 1), (1, 0, 0)),
]


def rod_inertia(axis):
    return [THIN if k == axis else 1 / 12 for k in range(3)]


def exudyn_bricard(_):
    def build(exu, mbs):
        from exudyn.rigidBodyUtilities import RigidBodyInertia

        before = ground = mbs.CreateGround(referencePosition=[0, 0, 0])
        bodies = []
        for middle, axis, at, turn in BRICARD:
            one = mbs.CreateRigidBody(
                referencePosition=list(middle),
                inertia=RigidBodyInertia(mass=1, inertiaTensor=np.diag(rod_inertia(axis)), com=[0, 0, 0]),
                gravity=[0, -G, 0],
            )
            mbs.CreateRevoluteJoint(bodyNumbers=[before, one], position=list(at), axis=list(turn), useGlobalFrame=True)
            bodies.append(one)
            before = one
        mbs.CreateRevoluteJoint(bodyNumbers=[before, ground], position=[0, 0, 0], axis=[0, 1, 0], useGlobalFrame=True)
        return [(position_sensor(exu, mbs, bodies[2]), (0, 1, 2))]

    return exudyn_ways(build)


def arm_rotation(side):
    """Columns: along the arm, y, across, for the arm on the right (1) or the left (−1)."""
    c, s = side * math.cos(GOVERNOR["a"]), -math.sin(GOVERNOR["a"])
    return np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def exudyn_governor(_):
    def build(exu, mbs):
        from exudyn.rigidBodyUtilities import RigidBodyInertia

        p = GOVERNOR
        spin = [0, 0, p["w"]]
        box = lambda mass, a, b, c: RigidBodyInertia(mass, np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 12, com=[0, 0, 0])
        ground = mbs.CreateGround(referencePosition=[0, 0, 0])

        def body(at, inertia, rotation=np.eye(3)):
            v = np.cross(spin, at)
            return mbs.CreateRigidBody(
                referencePosition=list(at), referenceRotationMatrix=rotation, initialVelocity=list(v), initialAngularVelocity=spin, inertia=inertia,
                gravity=[0, 0, -G],
            )  # fmt: skip

        shaft = body([0, 0, 0.5], box(0.3, 0.01, 0.01, 1))
        slider = body([0, 0, 0.5], box(3, 0.1, 0.1, 0.1))
        mbs.CreateRevoluteJoint(bodyNumbers=[ground, shaft], position=[0, 0, 0], axis=[0, 0, 1], useGlobalFrame=True)
        mbs.CreatePrismaticJoint(bodyNumbers=[shaft, slider], position=[0, 0, 0.5], axis=[0, 0, 1], useGlobalFrame=True)
        for side in (1, -1):
            R = arm_rotation(side)
            pin = np.array([side * p["r"], 0, 1])
            # The ball is fixed to its arm: one body about their common centre of mass.
            mass = p["m"] + p["ball"]
            com = (p["m"] * 0.5 + p["ball"]) / mass
            thin = np.array([2e-4, 1 + 1e-4, 1 + 1e-4]) * p["m"] / 12
            off = p["m"] * (com - 0.5) ** 2 + p["ball"] * (1 - com) ** 2
            arm = body(pin + com * R[:, 0], RigidBodyInertia(mass, np.diag(thin + [0, off, off]), com=[0, 0, 0]), R)
            mbs.CreateRevoluteJoint(bodyNumbers=[shaft, arm], position=list(pin), axis=[0, 1, 0], useGlobalFrame=True)
            mbs.CreateSpringDamper(
                bodyNumbers=[slider, arm], localPosition0=[side * 0.05, 0, 0], localPosition1=[0.5 - com, 0, 0], referenceLength=0.5,
                stiffness=p["k"], damping=p["d"],
            )  # fmt: skip
        return [(position_sensor(exu, mbs, slider), (2,))]

    return exudyn_ways(build, stiff=True)


# MuJoCo


def mujoco_ways(worldbody, shown, begin_with=None, tail="", ways=("RK4", "implicitfast")):
    import mujoco

    xml = f"""<mujoco><compiler angle="radian" boundmass="0"/><size memory="400M"/>
      <option gravity="0 0 -{G}" timestep="1e-3" tolerance="1e-14" iterations="50"/>
      <worldbody>{worldbody}</worldbody>{tail}</mujoco>"""
    mujoco.set_mju_user_warning(lambda text: None)  # or it writes a file of them
    model = mujoco.MjModel.from_xml_string(xml)
    kinds = {"RK4": mujoco.mjtIntegrator.mjINT_RK4, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}

    def run(way, level):
        model.opt.timestep = END / (FIRST * 2**level)
        model.opt.integrator = kinds[way]
        data = mujoco.MjData(model)
        if begin_with is not None:
            begin_with(data)
        mujoco.mj_kinematics(model, data)
        columns = []
        begin = time.process_time()
        for k in range(len(TIMES)):
            if k > 0:
                mujoco.mj_step(model, data, nstep=2**level)
                mujoco.mj_kinematics(model, data)
            columns.append(shown(data))
        return time.process_time() - begin, np.array(columns).T

    return run, list(ways)


def mujoco_chain(n):
    inertial = '<inertial pos="0.5 0 0" mass="1" diaginertia="1e-6 0.08333333333 0.08333333333"/>'
    joint = '<joint type="hinge" axis="0 -1 0"/>'
    xml = "".join(f'<body name="B{i}" pos="{min(i, 1)} 0 0">{joint}{inertial}' for i in range(n))
    xml += '<site name="tip" pos="1 0 0"/>' + n * "</body>"
    return mujoco_ways(xml, lambda data: data.site("tip").xpos[[0, 2]].copy())


def mujoco_four_bars(n):
    def rod(name, x, y, joint):
        return f"""<body name="{name}" pos="{x} 0 {y}">{joint}
          <inertial pos="0 0 0" mass="1" diaginertia="0.08333333333 0.08333333333 1e-6"/></body>"""

    bodies, ties = "", ""
    for i in range(n + 1):
        bodies += rod(f"V{i}", i, 0.5, f'<joint name="c{i}" type="hinge" axis="0 1 0" pos="0 0 -0.5"/>')
    for i in range(1, n + 1):
        free = "".join(f'<joint name="h{i}{k}" type="slide" axis="{a}"/>' for k, a in (("x", "1 0 0"), ("z", "0 0 1")))
        bodies += rod(f"H{i}", i - 0.5, 1, free + f'<joint name="h{i}r" type="hinge" axis="0 1 0"/>')
        for crank, x in ((i - 1, -0.5), (i, 0.5)):
            ties += f'<connect body1="H{i}" body2="V{crank}" anchor="{x} 0 0" solref="-1e8 -2e4" solimp="0.9999 0.9999 0.001"/>'

    def begin_with(data):
        for i in range(n + 1):
            data.joint(f"c{i}").qvel = 1.0
        for i in range(1, n + 1):
            data.joint(f"h{i}x").qvel = 1.0

    def shown(data):
        angle = data.joint("c0").qpos[0]
        return math.sin(angle), math.cos(angle)

    return mujoco_ways(bodies, shown, begin_with, f"<equality>{ties}</equality>")


def mujoco_bricard(_):
    # y is up there: z here, with x kept.
    turned = lambda p: np.array([p[0], -p[2], p[1]], float)
    text = lambda p: " ".join(f"{c:g}" for c in p)
    xml, last = "", np.zeros(3)
    for k, (middle, axis, at, turn) in enumerate(BRICARD):
        inertia = np.abs(turned(rod_inertia(axis)))
        xml += f"""<body name="b{k}" pos="{text(turned(middle) - last)}"><joint type="hinge" pos="{text(turned(at) - turned(middle))}" axis="{text(turned(turn))}"/>
          <inertial pos="0 0 0" mass="1" diaginertia="{text(inertia)}"/>"""
        last = turned(middle)
    ties = ""
    for end in ((0, 0, 0), (0, 1, 0)):
        ties += f'<connect body1="b4" body2="world" anchor="{text(turned(end) - last)}" solref="-1e8 -2e4" solimp="0.9999 0.9999 0.001"/>'

    def shown(data):
        x, y, z = data.body("b2").xpos
        return x, z, -y

    return mujoco_ways(xml + 5 * "</body>", shown, tail=f"<equality>{ties}</equality>")


def mujoco_governor(_):
    p = GOVERNOR
    c, s = math.cos(p["a"]), math.sin(p["a"])
    arms, tendons = "", ""
    for name, side in (("right", 1), ("left", -1)):
        arms += f"""<body name="{name}" pos="{side * p["r"]} 0 1" xyaxes="{side * c} 0 {-s} 0 1 0"><joint type="hinge" axis="0 1 0"/>
          <geom type="box" size="0.5 0.005 0.005" pos="0.5 0 0" mass="{p["m"]}" contype="0" conaffinity="0"/>
          <body pos="1 0 0"><inertial pos="0 0 0" mass="{p["ball"]}" diaginertia="1e-9 1e-9 1e-9"/></body>
          <site name="{name}" pos="0.5 0 0"/></body>"""
        tendons += f"""<spatial stiffness="{p["k"]}" damping="{p["d"]}" springlength="0.5"><site site="{name} foot"/><site site="{name}"/></spatial>"""
    xml = f"""<body name="shaft"><joint name="bearing" type="hinge" axis="0 0 1"/>
      <geom type="box" size="0.005 0.005 0.5" pos="0 0 0.5" mass="0.3" contype="0" conaffinity="0"/>{arms}
      <body name="slider" pos="0 0 0.5"><joint type="slide" axis="0 0 1"/><geom type="box" size="0.05 0.05 0.05" mass="3" contype="0" conaffinity="0"/>
      <site name="right foot" pos="0.05 0 0"/><site name="left foot" pos="-0.05 0 0"/></body></body>"""

    def begin_with(data):
        data.joint("bearing").qvel = p["w"]

    return mujoco_ways(xml, lambda data: (data.body("slider").xpos[2],), begin_with, f"<tendon>{tendons}</tendon>")


# The comparison

PROBLEMS = {
    "chain": ("open chain of {} bodies, tip", (10, 100), chain_reference, lambda n: with_taut(chain_model(n), ["x", "y"], {}), exudyn_chain, mujoco_chain),
    "four-bars": ("{} four-bars, first tip", (1, 10, 40), four_bars_reference,
                  lambda n: with_taut(CASES / "four_bars_bodies.yaml", ["x", "y"], {"N": n}), exudyn_four_bars, mujoco_four_bars),
    "bricard": ("Bricard's mechanism, middle of the third bar", (5,), bricard_reference,
                lambda n: with_taut(CASES / "bricard_bodies.yaml", ["x", "y", "z"], {}, ["chosen", "midpoint", "spark2"]), exudyn_bricard, mujoco_bricard),
    "governor": ("flyball governor, slider", (1,), governor_reference,
                 lambda n: with_taut(CASES / "flyball_governor.yaml", ["s"], {}, ["newmark", "energy-momentum", "spark2"]), exudyn_governor, mujoco_governor),
}  # fmt: skip


def fastest(make, n, exact, tolerance):
    """The way and level that reach the tolerance soonest, or why there is none."""
    try:
        run, ways = make(n)
    except ImportError as error:
        return f"not there ({error})"
    best, found = math.inf, None
    for way in ways:
        for level in range(16):
            try:
                seconds, values = run(way, level)
            except Exception as error:  # an engine that gives up on a step
                print(f"   {way}, level {level}: {str(error).splitlines()[0][:100]}")
                continue
            error = np.abs(values - exact).max()
            best = min(best, error if np.isfinite(error) else math.inf)
            if error <= tolerance:
                if found is None or seconds < found[0]:
                    found = (seconds, run, way, level, error)
                break
            if seconds > LONGEST or (found is not None and seconds > 4 * found[0]):
                break
    return found or f"not reached: {best:.1e}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tolerance", type=float, default=1e-4)
    arguments.add_argument("--only", choices=list(PROBLEMS))
    asked = arguments.parse_args()
    names = ("taut", "Exudyn", "MuJoCo")
    print(f"Motions of {END:g} s, error at most {asked.tolerance:g} m: ms (error; way)")
    for key, (title, sizes, reference, *makers) in PROBLEMS.items():
        if asked.only not in (None, key):
            continue
        for n in sizes:
            exact = reference(n)
            found = [fastest(make, n, exact, asked.tolerance) for make in makers]
            times = [math.inf] * 3
            for _ in range(5):
                for k, one in enumerate(found):
                    if not isinstance(one, str):
                        times[k] = min(times[k], one[1](one[2], one[3])[0])
            cells = [
                f"{name}: " + (one if isinstance(one, str) else f"{1e3 * seconds:.1f} ({one[4]:.0e}; {one[2]}, level {one[3]})")
                for name, one, seconds in zip(names, found, times)
            ]
            print(f"  {title.format(n):<46}" + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
