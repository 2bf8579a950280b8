"""Rods that bend, twist, shear and stretch: taut against Exudyn and PyElastica (PyPI), interleaved in one run, at equal accuracy.

    python benchmarks/peers_rods.py [--tolerance 1e-3] [--only swing]

Every engine has the same rod: EA, GA, EI, GJ, mass and inertia of the section. Each takes its numbers of elements in turn, and for each its steps, twice as many at a time, until the marked places
are off by at most the tolerance (of the length of the rod) over the whole motion, in each of the ways it has; its fastest way counts. Then all engines take turns, five times,
and the best of each counts: processor time, one thread. Building the model is not counted, nor what PyElastica compiles. An engine that does not get there says so, with the best error it
had. A way of taut that holds stretch or shear rigid is off by what the rod would stretch and shear; that counts as its error.

References are taut's, with all stiffnesses, extrapolated from three meshes and two steps; what they may be off by is printed. Project Chrono is in no package of PyPI (the one called pychrono is
something else) nor of Debian, and is left out. With TELL=1 in the environment every run of the search is told.
"""

import argparse
import dataclasses
import math
import os
import time
import typing

for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

G = 9.81
INTERVALS = 20  # at whose ends places are compared
LONGEST = 30.0  # s of one run: what takes longer is not tried again with half the step


# The rods


@dataclasses.dataclass
class Rod:
    title: str
    length: float
    EA: float
    GA: float
    EI: float
    GJ: float
    density: float  # kg/m
    inertia: float  # of the section about d1 and d2, kg m
    shape: tuple  # expressions of s
    place: typing.Callable  # the same as a function
    frame: typing.Callable  # rows d1, d2, d3
    curvature: tuple
    until: float
    hung: bool  # its start in a ball joint, under gravity; else free
    push: bool = False  # by Simo's force and moments at its start


def round_section(radius, young, shear, density):
    area, moment = math.pi * radius**2, math.pi / 4 * radius**4
    return dict(
        EA=young * area, GA=27 / 28 * shear * area, EI=young * moment, GJ=2 * shear * moment, density=density * area, inertia=density * moment
    )


def straight(start, direction):
    start, d3 = np.array(start, float), np.array(direction, float)
    d1 = np.array([0.0, 0.0, 1.0])
    frame = np.array([d1, np.cross(d3, d1), d3])
    return dict(place=lambda s: start + s * d3, frame=lambda s: frame, curvature=(0.0, 0.0, 0.0))


def helix(radius, pitch):
    """About z, downward, with d1 toward the axis: bends about d2 alone, and twists."""
    c = pitch / (2 * math.pi)
    w = math.hypot(radius, c)

    def place(s):
        return np.array([radius * math.cos(s / w), radius * math.sin(s / w), -c * s / w])

    def frame(s):
        a = s / w
        d1, d3 = np.array([-math.cos(a), -math.sin(a), 0]), np.array([-radius * math.sin(a), radius * math.cos(a), -c]) / w
        return np.array([d1, np.cross(d3, d1), d3])

    shape = (f"{radius}*cos(s/{w!r})", f"{radius}*sin(s/{w!r})", f"-{c!r}*s/{w!r}")
    return dict(length=3 * 2 * math.pi * w, shape=shape, place=place, frame=frame, curvature=(0.0, radius / w**2, -c / w**2))


RUBBER = (5e7, 5e7 / 3, 1100.0)
RODS = {
    "swing": Rod("swinging rod", 1.0, shape=("s", "0", "0"), **straight([0, 0, 0], [1, 0, 0]), **round_section(0.005, *RUBBER), until=1.0, hung=True),
    "helix": Rod("helix of three turns, let go", **helix(0.05, 0.02), **round_section(0.002, *RUBBER), until=0.5, hung=True),
    "spaghetti": Rod(
        "flying spaghetti", 10.0, 1e4, 1e4, 500.0, 500.0, 1.0, 10.0, ("6 - 0.6*s", "0.8*s", "0"), **straight([6, 0, 0], [-0.6, 0.8, 0]), until=10.0,
        hung=False, push=True,
    ),
}  # fmt: skip


def push(t):
    """80 N m at 2.5 s, from and to nothing in 5 s (Simo and Vu-Quoc)."""
    return 80 * max(0.0, min(t, 5 - t) / 2.5)


def marks(rod):
    """Fractions of the length at which places are compared: the free ends and the middle."""
    return (0.5, 1.0) if rod.hung else (0.0, 0.5, 1.0)


def meshes(rod):
    """Numbers of elements, no fewer than five to a turn."""
    return [16, 24, 32, 48, 64, 96, 128] if any(rod.curvature) else [4, 6, 8, 12, 16, 24, 32, 48, 64]


# taut


def taut_model(rod, elements, kind):
    import taut

    text = lambda numbers: "[" + ", ".join(f'"{one}"' for one in numbers) + "]"
    section = f"stiffness: {rod.EI!r}" if kind == "beam" else f"EI: {rod.EI!r}, GJ: {rod.GJ!r}, rotary_inertia: {rod.inertia!r}"
    if kind in ("elastic", "stretching"):
        section += f", EA: {rod.EA!r}"
    if kind == "elastic":
        section += f", GA: {rod.GA!r}"
    if any(rod.curvature):
        section += f", curvature: {text(rod.curvature)}"
    if rod.hung:
        section += f", start: {{pinned: {text(rod.place(0.0))}}}"
    if rod.push:
        section += ', forces: [{at: 0, force: ["push(t)/10", 0, 0], moment: [0, "-push(t)/2", "-push(t)"]}]'
    return taut.loads(f"""
dimension: 3
gravity: {G if rod.hung else 0}
functions: {{"push(t)": "if(t < 2.5, 80*t/2.5, if(t < 5, 80*(5 - t)/2.5, 0))"}}
beams: {{rod: {{length: {rod.length!r}, elements: {elements}, density: {rod.density!r}, {section}, shape: {text(rod.shape)}}}}}
run: {{until: {rod.until}}}
""")


def with_taut(rod, kinds=None):
    """Ways are what may give, and the scheme."""
    if kinds is None:
        kinds = ["rigid", "stretching", "elastic"] + (["beam"] if not (rod.push or any(rod.curvature)) else [])

    def run(way, elements, steps):
        import taut
        from taut import _core

        kind, scheme = way
        model = taut_model(rod, elements, kind)
        how = {"until": rod.until, "step": rod.until / steps, "integrator": scheme, "every": steps // INTERVALS}
        built = model._build({}, how)
        begin = time.process_time()
        found = _core.solve(built, False, None)
        seconds = time.process_time() - begin
        result = taut.Result(found, model, {}, how)
        result.raise_for_status()
        nodes = [round(of * elements) for of in marks(rod)]
        return seconds, np.array([result[f"rod.{node}.{axis}"] for node in nodes for axis in "xyz"])

    ways = [(kind, scheme) for kind in kinds for scheme in ("energy-momentum", "generalized-alpha")]
    return run, ways, meshes(rod), lambda elements: 2 * INTERVALS


def reference(rod):
    """By all stiffnesses; errors of the second order in both step and length are extrapolated."""
    run = with_taut(rod)[0]
    way = ("elastic", "energy-momentum")
    steps = 1600
    at = lambda elements, factor: run(way, elements, factor * steps)[1]
    meshes = [at(elements, 1) for elements in (32, 64, 128)]
    rough, fine = (4 * meshes[1] - meshes[0]) / 3, (4 * meshes[2] - meshes[1]) / 3
    by_time = (at(32, 2) - meshes[0]) * 4 / 3
    off = np.abs(fine - rough).max() / 8
    return fine + by_time, off


# Exudyn


def with_exudyn(rod):
    import exudyn as exu
    from exudyn import utilities as make
    from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters

    where = exu.OutputVariableType.Position
    down = [0, 0, -G if rod.hung else 0]

    def exact_beam(mbs, elements):
        """Geometrically exact elements, x along the rod."""
        h = rod.length / elements
        section = exu.BeamSection()
        section.massPerLength = rod.density
        section.inertia = np.diag([2 * rod.inertia, rod.inertia, rod.inertia])
        section.stiffnessMatrix = np.diag([rod.EA, rod.GA, rod.GA, rod.GJ, rod.EI, rod.EI])
        nodes = []
        for k in range(elements + 1):
            d1, d2, d3 = rod.frame(k * h)
            turn = RotationMatrix2EulerParameters(np.array([d3, d1, d2]).T)
            nodes.append(mbs.AddNode(make.NodeRigidBodyEP(referenceCoordinates=[*rod.place(k * h), *turn])))
        for pair in zip(nodes, nodes[1:]):
            one = mbs.AddObject(make.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=h, sectionData=section))
            mass = mbs.AddMarker(make.MarkerBodyMass(bodyNumber=one))
            mbs.AddLoad(make.LoadMassProportional(markerNumber=mass, loadVector=down))
        return nodes

    def cable(mbs, elements):
        """ANCF: it stretches and bends, and has neither twist nor rotary inertia."""
        h = rod.length / elements
        nodes = [mbs.AddNode(make.NodePointSlope1(referenceCoordinates=[*rod.place(k * h), *rod.frame(k * h)[2]])) for k in range(elements + 1)]
        for pair in zip(nodes, nodes[1:]):
            one = mbs.AddObject(
                make.ObjectANCFCable(length=h, massPerLength=rod.density, bendingStiffness=rod.EI, axialStiffness=rod.EA, nodeNumbers=list(pair),
                                     useReducedOrderIntegration=1)
            )  # fmt: skip
            mass = mbs.AddMarker(make.MarkerBodyMass(bodyNumber=one))
            mbs.AddLoad(make.LoadMassProportional(markerNumber=mass, loadVector=down))
        return nodes

    def hold_or_push(mbs, node):
        if rod.hung:
            ground = mbs.AddMarker(make.MarkerBodyPosition(bodyNumber=mbs.AddObject(make.ObjectGround(referencePosition=list(rod.place(0.0))))))
            mbs.AddObject(make.ObjectJointSpherical(markerNumbers=[ground, mbs.AddMarker(make.MarkerNodePosition(nodeNumber=node))]))
        if rod.push:
            end = mbs.AddMarker(make.MarkerNodeRigid(nodeNumber=node))
            mbs.AddLoad(make.LoadForceVector(markerNumber=end, loadVectorUserFunction=lambda _, t, load: [push(t) / 10, 0, 0]))
            mbs.AddLoad(make.LoadTorqueVector(markerNumber=end, loadVectorUserFunction=lambda _, t, load: [0, -push(t) / 2, -push(t)]))

    def run(way, elements, steps):
        kind, scheme, modified = way
        mbs = exu.SystemContainer().AddSystem()
        nodes = (exact_beam if kind == "exact beam" else cable)(mbs, elements)
        hold_or_push(mbs, nodes[0])
        seen = [nodes[round(of * elements)] for of in marks(rod)]
        sensors = [mbs.AddSensor(make.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=where)) for node in seen]
        mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = rod.until
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.minimumStepSize = rod.until / steps / 4  # it gives up there
        settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0 if scheme == "trapezoidal index 2" else 0.9
        settings.timeIntegration.newton.useModifiedNewton = modified
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = rod.until / INTERVALS
        settings.linearSolver.solverType = exu.LinearSolverType.EigenDense if mbs.systemData.ODE2Size() < 60 else exu.LinearSolverType.EigenSparse
        kinds = {"trapezoidal index 2": exu.DynamicSolverType.TrapezoidalIndex2, "generalised alpha": exu.DynamicSolverType.GeneralizedAlpha}
        begin = time.process_time()
        mbs.SolveDynamic(settings, solverType=kinds[scheme])
        seconds = time.process_time() - begin
        times = np.linspace(0, rod.until, INTERVALS + 1)
        data = [mbs.GetSensorStoredData(sensor) for sensor in sensors]
        return seconds, np.array([np.interp(times, one[:, 0], one[:, 1 + axis]) for one in data for axis in range(3)])

    kinds = ["exact beam"] + (["cable"] if not (rod.push or any(rod.curvature)) else [])
    ways = [(kind, scheme, modified) for kind in kinds for scheme in ("generalised alpha", "trapezoidal index 2") for modified in (True, False)]
    return run, ways, meshes(rod), lambda elements: 2 * INTERVALS


# PyElastica


def with_elastica(rod):
    import elastica as ea

    class System(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.CallBacks):
        pass

    class Push(ea.NoForces):
        def apply_forces(self, system, time=0.0):
            system.external_forces[0, 0] += push(time) / 10

        def apply_torques(self, system, time=0.0):
            system.external_torques[:, 0] += system.director_collection[:, :, 0] @ np.array([0, -push(time) / 2, -push(time)])

    def made(elements):
        h = rod.length / elements
        nodes = np.array([rod.place(k * h) for k in range(elements + 1)]).T
        chords = np.diff(nodes, axis=1)
        chords /= np.linalg.norm(chords, axis=0)
        frames = np.empty((3, 3, elements))
        for k in range(elements):  # those of the middles, with d3 along the chord as it has to be
            d1, d3 = rod.frame((k + 0.5) * h)[0], chords[:, k]
            d1 = d1 - d3 * d3.dot(d1)
            d1 /= np.linalg.norm(d1)
            frames[:, :, k] = d1, np.cross(d3, d1), d3
        radius = 2 * math.sqrt(rod.inertia / rod.density)  # of a round section with this ρI
        one = ea.CosseratRod.straight_rod(
            elements, nodes[:, 0].copy(), chords[:, 0].copy(), frames[0, :, 0].copy(), rod.length, radius, rod.density / (math.pi * radius**2),
            youngs_modulus=1.0, shear_modulus=1.0, position=nodes, directors=frames,
        )  # fmt: skip
        # Chords are shorter than the arcs: what belongs to an element is that of its arc.
        one.mass[:] = rod.density * h
        one.mass[[0, -1]] /= 2
        inertia = np.diag([1.0, 1.0, 2.0]) * rod.inertia * h
        one.mass_second_moment_of_inertia[:] = inertia[:, :, None]
        one.inv_mass_second_moment_of_inertia[:] = np.linalg.inv(inertia)[:, :, None]
        one.shear_matrix[:] = np.diag([rod.GA, rod.GA, rod.EA])[:, :, None]
        one.bend_matrix[:] = np.diag([rod.EI, rod.EI, rod.GJ])[:, :, None]
        one.compute_internal_forces_and_torques(np.float64(0.0))
        one.rest_kappa[:] = one.kappa
        one.internal_forces[:] = 0
        one.internal_torques[:] = 0
        return one

    def run(way, elements, steps):
        system = System()
        one = made(elements)
        system.append(one)
        if rod.hung:
            system.constrain(one).using(ea.GeneralConstraint, constrained_position_idx=(0,))
            system.add_forcing_to(one).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -G]))
        if rod.push:
            system.add_forcing_to(one).using(Push)
        system.finalize()
        stepper = ea.PositionVerlet()
        seen = [round(of * elements) for of in marks(rod)]
        show = lambda: one.position_collection[:, seen].T.ravel().copy()
        columns, t, dt = [show()], np.float64(0.0), np.float64(rod.until / steps)
        begin = time.process_time()
        for k in range(1, steps + 1):
            t = stepper.step(system, t, dt)
            if k % (steps // INTERVALS) == 0:
                columns.append(show())
                if not np.isfinite(columns[-1]).all():
                    raise ArithmeticError("not finite")
        return time.process_time() - begin, np.array(columns).T

    def fewest(elements):
        """Steps that sound along the rod and the turn of sections against it allow, and not half as many: what is longer does not stay finite."""
        sound, turn = math.sqrt(rod.EA / rod.density) / (rod.length / elements), math.sqrt(rod.GA / rod.inertia)
        longest = 2 / max(2 * sound, turn)
        return 2 * INTERVALS * 2 ** math.floor(math.log2(rod.until / longest / (2 * INTERVALS)))

    run("Verlet", 4, 8 * fewest(4))  # compiles
    return run, ["Verlet"], [16, 24, 32, 48, 64, 96, 128, 192, 256], fewest


# The comparison


def more(steps):
    """40, 60, 80, 120, 160, … times a number."""
    whole = steps // INTERVALS
    power = whole & -whole
    return steps * 3 // 2 if whole % 2 == 0 and whole // power == 1 else steps * 4 // 3 if whole % 3 == 0 else steps * 2


def fastest(make, rod, exact, tolerance):
    """The way, elements and steps that reach the tolerance soonest, or why there are none."""
    try:
        run, ways, numbers, fewest = make(rod)
    except ImportError as error:
        return f"not there ({error})"
    best, found = math.inf, None
    for way in ways:
        for elements in numbers:
            steps, least, smallest, idle, failed = fewest(elements), math.inf, math.inf, 0, 0
            while True:
                try:
                    seconds, values = run(way, elements, steps)
                    error = np.abs(values - exact).max() / rod.length
                except Exception as problem:  # an engine that gives up on a step
                    seconds, error, failed = 0.0, math.nan, failed + 1
                    if os.environ.get("TELL"):
                        print("     ", str(problem).splitlines()[0][:120])
                if os.environ.get("TELL"):
                    print(f"   {way} {elements} elements {steps} steps: {seconds:.4f} s, error {error:.1e}", flush=True)
                least = min(least, seconds or math.inf)
                if math.isfinite(error):
                    best = min(best, error)
                if error <= tolerance:
                    if found is None or seconds < found[0]:
                        found = (seconds, run, way, elements, steps, error)
                    break
                # Smaller steps do not help where the mesh is what errs.
                idle = 0 if not error > 0.9 * smallest else idle + 1
                smallest = min(smallest, error) if error < 0.1 else smallest
                if seconds > LONGEST or (found is not None and seconds > 2 * found[0]) or idle == 2 or failed == 6:
                    break
                steps = more(steps)
            if found is not None and least > found[0]:
                break
    return found or f"not reached: {best:.1e}"


def told(way):
    return way if isinstance(way, str) else ", ".join(one if isinstance(one, str) else ("modified Newton" if one else "Newton") for one in way)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tolerance", type=float, default=1e-3, help="of the length of the rod")
    arguments.add_argument("--only", choices=list(RODS))
    asked = arguments.parse_args()
    makers = {"taut": with_taut, "Exudyn": with_exudyn, "PyElastica": with_elastica}
    print(f"Errors at most {asked.tolerance:g} of the length: ms of the processor (error; way, elements, steps)")
    for key, rod in RODS.items():
        if asked.only not in (None, key):
            continue
        exact, off = reference(rod)
        print(f"  {rod.title}, {rod.until:g} s; the reference is off by {off / rod.length:.0e} of the length at most")
        found = {name: fastest(make, rod, exact, asked.tolerance) for name, make in makers.items()}
        times = dict.fromkeys(found, math.inf)
        for _ in range(5):
            for name, one in found.items():
                if not isinstance(one, str):
                    times[name] = min(times[name], one[1](*one[2:5])[0])
        for name, one in found.items():
            if isinstance(one, str):
                print(f"    {name:<11} {one}")
            else:
                ratio = times[name] / times["taut"]
                print(f"    {name:<11} {1e3 * times[name]:9.1f} ({one[5]:.0e}; {told(one[2])}, {one[3]} elements, {one[4]} steps)   {ratio:.1f} times taut's", flush=True)


if __name__ == "__main__":
    main()
