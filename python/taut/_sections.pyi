"""Made by tools/python_stub.py from the table that the reader of models goes by."""

from typing import Any

from ._symbols import Symbol

REPLACED: tuple[str, ...]

class Sections:
    def include(self, *arguments: Any) -> Any:
        """Files read before this one, by paths from the folder of this file."""

    def parameter(self, *arguments: Any, **entries: Any) -> Any:
        """Named numbers, in order: each may use those before it. --set changes them."""

    def parameters(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Named numbers, in order: each may use those before it. --set changes them."""

    def function(self, *arguments: Any, **entries: Any) -> Any:
        """Functions of your own: "f(x, y)": "x^2 + y"."""

    def functions(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Functions of your own: "f(x, y)": "x^2 + y"."""

    def table(self, *arguments: Any, **entries: Any) -> Any:
        """Functions of one argument through given points.

        Entries:
            t: Arguments, increasing. Required.
            values: As many values. Required.
            kind:  Unless given: spline."""

    def tables(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Functions of one argument through given points."""

    def dimension(self, *arguments: Any) -> Any:
        """Of the space of masses and points; 2 unless given."""

    def gravity(self, *arguments: Any) -> Any:
        """Acceleration [m/s^2]: one number pulls against the last axis; a list is a vector."""

    def damping(self, *arguments: Any) -> Any:
        """Of everything that has mass [1/s]: each momentum p is damped by the force -c p."""

    def input(self, *arguments: Any, **entries: Any) -> Any:
        """Named numbers that may be changed from outside while the model runs; here their values at the start."""

    def inputs(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Named numbers that may be changed from outside while the model runs; here their values at the start."""

    def mass(self, *arguments: Any, **entries: Any) -> Any:
        """Point masses. A.x, A.y, A.z are the coordinates of A; A.x' or A.vx its velocities.

        Entries:
            mass: [kg] Required.
            at: Place at the start [m]; or its place always, where coordinates occur in it. Unless given: zero.
            velocity: Velocity at the start [m/s]. Unless given: zero."""

    def masses(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Point masses. A.x, A.y, A.z are the coordinates of A; A.x' or A.vx its velocities."""

    def coordinate(self, *arguments: Any) -> Any:
        """Generalised coordinates; `kinetic` gives their inertia."""

    def coordinates(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Generalised coordinates; `kinetic` gives their inertia."""

    def body(self, *arguments: Any, **entries: Any) -> Any:
        """Rigid bodies. arm.x, arm.vx are of the centre of mass, arm.tip.x of a point, arm.pin.x of an axis; arm.angle and arm.w in the plane; arm.wx (axes of space), arm.w1 (its own) and arm.q0 to arm.q3 in space; arm.kinetic, arm.potential.

        Entries:
            mass: [kg]; a body of mass 0 has no inertia: its joints carry it.
            inertia: About the centre of mass [kg m^2]: a number, three along the body's own axes, or all nine.
            shape: From which centre and inertia follow; several are added.
            density: Of the shapes [kg/m^3], instead of a mass.
            center: Of mass, in the body's own axes [m]. Unless given: zero.
            at: Of its origin at the start [m]. Unless given: zero.
            rotation: Of its own axes at the start. Unless given: none.
            velocity: Of the centre of mass at the start [m/s]. Unless given: as the joints allow, or zero.
            spin: At the start [rad/s]; in space about x, y, z. Unless given: as the joints allow, or zero.
            points: Named points, in its own axes [m]: arm.tip.
            axes: Named directions, in its own axes: arm.pin."""

    def bodies(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Rigid bodies. arm.x, arm.vx are of the centre of mass, arm.tip.x of a point, arm.pin.x of an axis; arm.angle and arm.w in the plane; arm.wx (axes of space), arm.w1 (its own) and arm.q0 to arm.q3 in space; arm.kinetic, arm.potential."""

    def beam(self, *arguments: Any, **entries: Any) -> Any:
        """Inextensible beams and cables in 2 or 3 dimensions, and rods that twist, which have GJ. pipe.start, pipe.end and pipe.MARK are places on a beam, pipe.3 its node 3.

        Entries:
            length: [m] Required.
            elements: Of equal length. Unless given: 60.
            nodes: Arc lengths of the nodes [m], ascending from 0 to the length, instead of `elements`.
            density: [kg/m]; may depend on s. Unless given: 1.
            stiffness: EI [N m^2]; may depend on s; 0 is a cable. Unless given: 1.
            GJ: Torsional stiffness [N m^2], of s: the beam is a rod in space, with directors d1, d2 across, d3 along.
            EI: Of a rod: bending stiffness about d1 and d2 [N m^2], of s. Unless given: stiffness.
            EA: Of a rod: axial stiffness [N]; without it the length is held.
            GA: Of a rod: shear stiffness along d1 and d2 [N]; without it d3 is the tangent.
            curvature: Of a rod that nothing strains: about d1, d2, and twist [1/m]; of s. Unless given: 0.
            rotary_inertia: Of the section of a rod about d1 and d2 [kg m]. Unless given: of a thin one.
            twist: Of a rod at the start: how far its directors turn about it [rad]. Unless given: what its ends ask
                for.
            damping: Force -(a M + b K) v.
            inextensible: Where along an element the length is held; none: nowhere, the linear beam equation. Unless
                given: simpson.
            slack: It may become shorter, not longer: an inequality. Unless given: false.
            start:
            end:
            shape: At the start [m], of s.
            velocity: At the start [m/s], of s.
            load: [N/m], of s and t.
            follower_load: [N/m] along the tangent and across it to the left, of s and t; in space the second is 0. Of
                a rod along d1, d2, d3.
            forces: On nodes.
            marks: Names of places, by arc length [m]."""

    def beams(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Inextensible beams and cables in 2 or 3 dimensions, and rods that twist, which have GJ. pipe.start, pipe.end and pipe.MARK are places on a beam, pipe.3 its node 3."""

    def string(self, *arguments: Any, **entries: Any) -> Any:
        """Strings that vibrate across their axis. u.3 is the coordinate of node 3.

        Entries:
            length: [m] Unless given: 1.
            elements: Of equal length. Unless given: 100.
            density: [kg/m]; may depend on x. Unless given: 1.
            tension: [N]; may depend on x. Unless given: 1.
            damping: [N s/m^2]; may depend on x. Unless given: 0.
            mass:  Unless given: lumped.
            ends: Start and end. Unless given: [fixed, fixed].
            load: [N/m], of x and t.
            shape: At the start [m], of x. Unless given: 0.
            velocity: At the start [m/s], of x. Unless given: 0."""

    def strings(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Strings that vibrate across their axis. u.3 is the coordinate of node 3."""

    def let(self, *arguments: Any, **entries: Any) -> Any:
        """Names for expressions of t, coordinates and velocities, in any order."""

    def point(self, *arguments: Any, **entries: Any) -> Any:
        """Places without mass; they may be functions of t."""

    def points(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Places without mass; they may be functions of t."""

    def contact(self, *arguments: Any, above: Any = ..., below: Any = ..., distance: Any = ...) -> Any:
        """A string stays above another, or above or below an obstacle; balls and points do not go through each other, or through a plane that a body carries; beams do not go through each other, or themselves.

        Entries:
            above: A string, or the height [m] of an obstacle, of x. Required.
            below: A string, or the height [m] of an obstacle, of x. Required.
            distance: Kept at least [m]. Unless given: 0."""

    def contacts(self, *contents: Any, **entries: Any) -> Any:
        """A string stays above another, or above or below an obstacle; balls and points do not go through each other, or through a plane that a body carries; beams do not go through each other, or themselves."""

    def coupling(self, *arguments: Any, between: Any = ..., stiffness: Any = ...) -> Any:
        """Elastic layers between two strings.

        Entries:
            between: Two strings. Required.
            stiffness: [N/m^2] Required."""

    def couplings(self, *contents: Any, **entries: Any) -> Any:
        """Elastic layers between two strings."""

    def rod(self, *arguments: Any, between: Any = ..., length: Any = ..., mass: Any = ..., penalty: Any = ..., name: Any = ...) -> Any:
        """Keep the distance between two masses, or a mass and a point.

        Entries:
            between: Masses, or a mass and a point. Required.
            length: [m]. Unless given: that at the start.
            mass: Of a uniform rod [kg]; gravity acts on it. Unless given: 0.
            penalty: epsilon: a spring of the energy g^2/(2 epsilon), g = (|x|^2 - length^2)/2.
            name: In messages and results."""

    def rods(self, *contents: Any, **entries: Any) -> Any:
        """Keep the distance between two masses, or a mass and a point."""

    def spring(self, *arguments: Any, between: Any = ..., stiffness: Any = ..., length: Any = ..., damping: Any = ..., name: Any = ...) -> Any:
        """Energy k (r - length)^2/2 in the distance r of the ends.

        Entries:
            between: Masses, or a mass and a point. Required.
            stiffness: [N/m] Required.
            length: Without stretch [m]. Unless given: that at the start.
            damping: [N s/m] Unless given: 0.
            name: In messages and results."""

    def springs(self, *contents: Any, **entries: Any) -> Any:
        """Energy k (r - length)^2/2 in the distance r of the ends."""

    def damper(self, *arguments: Any, between: Any = ..., damping: Any = ..., name: Any = ...) -> Any:
        """Force -c r' along the line between the ends.

        Entries:
            between: Masses, or a mass and a point. Required.
            damping: [N s/m] Required.
            name: In messages and results."""

    def dampers(self, *contents: Any, **entries: Any) -> Any:
        """Force -c r' along the line between the ends."""

    def joint(self, *arguments: Any, type: Any = ..., between: Any = ..., at: Any = ..., axis: Any = ..., angle: Any = ..., start: Any = ..., travel: Any = ..., pitch: Any = ..., stiffness: Any = ..., rest: Any = ..., damping: Any = ..., friction: Any = ..., torque: Any = ..., motion: Any = ..., limits: Any = ..., turning: Any = ..., name: Any = ...) -> Any:
        """Between bodies, or a body and something else. A joint called A has the force A.fx (axes of space), A.f1 (its own) and the moment A.mx, A.m1 on its second side; A.m in the plane.

        Entries:
            type: What it leaves free. line: the second place stays on a line of the first side; plane: in a plane.
                Required.
            between: Bodies, points of bodies (arm.tip), masses, points, ends of beams, or ground. Required.
            at: Where it is at the start [m], if neither side is a point.
            axis: A direction at the start, or an axis of a body by its name; one for each side where they differ. Of
                a hinge or slider, the normal of a plane; for `universal` two.
            angle: A name for its angle [rad], which becomes a coordinate.
            start: Of the angle, in space: what it is as the bodies are placed [rad]. Unless given: 0.
            travel: A name for the way along its axis [m], which becomes a coordinate.
            pitch: Of a screw [m per turn].
            stiffness: Of a spring on angle or travel [N m/rad or N/m]; of a bushing along its three axes and about
                them, in the plane along two and about its place. Unless given: 0.
            rest: Where the spring has no force. Unless given: the start.
            damping: [N m s/rad or N s/m]; of a bushing like its stiffness. Unless given: 0.
            friction: Torque or force of sliding, and the rate over which it turns round: T tanh(v/w).
            torque: What drives it [N m or N], of t, coordinates and velocities.
            motion: Of its angle or travel, a function of t; the multiplier is the torque that this takes.
            limits: Least and largest angle or travel.
            turning: Of the side that is the ground or a point: its axes turn with time.
            name: In messages and results: A.fx, A.m1, A.torque."""

    def joints(self, *contents: Any, **entries: Any) -> Any:
        """Between bodies, or a body and something else. A joint called A has the force A.fx (axes of space), A.f1 (its own) and the moment A.mx, A.m1 on its second side; A.m in the plane."""

    def gear(self, *arguments: Any, between: Any = ..., ratio: Any = ..., teeth: Any = ..., radius: Any = ..., name: Any = ...) -> Any:
        """Wheels in mesh, racks and pinions: between angles and travels of joints.

        Entries:
            between: Angles or travels of joints. Required.
            ratio: The second moves so many times as far as the first.
            teeth: Of the two wheels, which turn against each other; negative for one that lies inside the other.
            radius: Of a pinion whose angle is the first [m]; the second is the travel of its rack.
            name: In messages and results: NAME.lambda."""

    def gears(self, *contents: Any, **entries: Any) -> Any:
        """Wheels in mesh, racks and pinions: between angles and travels of joints."""

    def rolling(self, *arguments: Any, body: Any = ..., radius: Any = ..., normal: Any = ..., offset: Any = ..., wheel: Any = ..., name: Any = ...) -> Any:
        """Bodies that roll on a plane without slipping.

        Entries:
            body: A wheel or a ball, or a point of it that is its middle. Required.
            radius: [m] Required.
            normal: Of the plane it rolls on. Unless given: the last axis.
            offset: Of the plane: normal.x = offset [m]. Unless given: 0.
            wheel: The axis of the body that is its axle; without it, in space, it is a ball.
            name: In messages and results."""

    def pin(self, *arguments: Any, mass: Any = ..., at: Any = ...) -> Any:
        """Hold a mass where it is, or at a place that may move.

        Entries:
            mass:  Required.
            at: May depend on t. Unless given: the place of the mass at the start."""

    def pins(self, *contents: Any, **entries: Any) -> Any:
        """Hold a mass where it is, or at a place that may move."""

    def curve(self, *arguments: Any, mass: Any = ..., on: Any = ...) -> Any:
        """Hold a mass on a curve or surface, or on one side of it.

        Entries:
            mass:  Required.
            on: In x, y, z of the mass: "y = x^2". Required."""

    def curves(self, *contents: Any, **entries: Any) -> Any:
        """Hold a mass on a curve or surface, or on one side of it."""

    def wall(self, *arguments: Any, normal: Any = ..., mass: Any = ..., beam: Any = ..., offset: Any = ..., sphere: Any = ..., cylinder: Any = ..., inside: Any = ..., radius: Any = ..., name: Any = ...) -> Any:
        """Planes, spheres and cylinders that masses and beams stay in front of, outside, or inside.

        Entries:
            normal: Of a plane, into the allowed side.
            mass:
            beam: Instead of a mass: a beam or rod.
            offset: Of the plane: normal.x >= offset [m]. Unless given: 0.
            sphere: Instead of a plane.
            cylinder: Instead of a plane.
            inside: The sphere or cylinder is hollow. Unless given: false.
            radius: Of a ball around the place, or of the beam [m]. Unless given: 0.
            name: In messages and results."""

    def walls(self, *contents: Any, **entries: Any) -> Any:
        """Planes, spheres and cylinders that masses and beams stay in front of, outside, or inside."""

    def kinetic(self, *arguments: Any) -> Any:
        """Kinetic energy [J] beside that of the masses, quadratic in the velocities; a list is a sum."""

    def potential(self, *arguments: Any) -> Any:
        """Potential energy [J] of t and coordinates; a list is a sum."""

    def constraints(self, *contents: Any, **entries: Any) -> Any:
        """Equations, inequalities (<=, >=), and equations linear in velocities."""

    def initial(self, *arguments: Any, **entries: Any) -> Any:
        """Coordinates (x) and velocities (x') at the start, its time t, and which of them are to be found; or rest.

        Among the names:
            t: [s] Unless given: 0.
            solve: Which are to be found.
            equilibrium: Start from rest near the places given. Unless given: false."""

    def output(self, *arguments: Any, **entries: Any) -> Any:
        """Expressions recorded over time."""

    def outputs(self, *contents: Any, **entries: Any) -> tuple[Symbol, ...]:
        """Expressions recorded over time."""

    def event(self, *arguments: Any, name: Any = ..., when: Any = ..., at: Any = ..., direction: Any = ..., then: Any = ..., action: Any = ...) -> Any:
        """What happens on the way: at times, or where an expression crosses zero.

        Entries:
            name: In the certificate and the results.
            when: An expression that crosses zero, or a condition that becomes true.
            at: A time [s], or several.
            direction: With `when`: where it grows with time (rising, 1), falls (falling, -1), or both (0).
            then: What happens. Unless given: record.
            action: The same as `then`."""

    def events(self, *contents: Any, **entries: Any) -> Any:
        """What happens on the way: at times, or where an expression crosses zero."""

    def run(self, *arguments: Any, until: Any = ..., step: Any = ..., rtol: Any = ..., atol: Any = ..., integrator: Any = ..., solver: Any = ..., formulation: Any = ..., control: Any = ..., breaks: Any = ..., every: Any = ..., interval: Any = ..., times: Any = ..., events: Any = ..., tolerances: Any = ...) -> Any:
        """How it is to be run.

        Entries:
            until: End time [s].
            step: Fixed step [s]; with tolerances the largest: by itself a 64th of the run where contacts, barriers or
                events might lie between two steps, and none otherwise.
            rtol: Relative tolerance of the local error.
            atol: Absolute tolerance of the local error.
            integrator: The scheme. Unless given: auto.
            solver: How the equations of a step are solved. Unless given: multipliers.
            formulation: Constraints exactly, or replaced by the energy dist^2/(2 epsilon), all or some by name;
                supports of beams stay exact unless they are named. Unless given: multipliers.
            control: Of the step, with tolerances: by error estimates, or reversibly (symmetric integrators,
                conservative systems).
            breaks: Times at which forces jump [s]; a step ends at each. Jumps by time alone are found without.
            every: Record each so many-th step; 0: only the first and the last state. Unless given: 1.
            interval: With tolerances: record at multiples of this [s].
            times: Record at these times [s] and no others, besides events; steps do not feel it.
            events: More of the section `events`.
            tolerances: With tolerances: those of single coordinates, masses, beams or groups. A number is an absolute
                one."""
