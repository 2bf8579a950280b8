#!/usr/bin/env python3
"""peers_lanes.py TAUT: 10 000 double pendulums of 10 s, energy of each within 1e-6 of what moves, by lanes and by others.

Needs mujoco, scipy and diffrax (PyPI; those that are not there are left out). All times are of the processor, of all threads together, without compiling; those who take long run a
part of the starts, evenly spread, and are scaled. The starts are those of cases/double_pendulum_ensemble.yaml: angles of both rods from 0.1 to 3, a grid of 100 by 100.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
G, T, ALL = 9.81, 10.0, 10_000


def starts(count):
    """Angles from below, both absolute; every so many-th of the grid."""
    a = np.linspace(0.1, 3, 100)
    grid = np.stack(np.meshgrid(a, a, indexing="ij"), -1).reshape(-1, 2)
    return grid[:: ALL // count]


def rhs(y):
    """Two masses of 1 kg on rods of 1 m, in absolute angles: y = (a, b, a', b'), one column per run."""
    a, b, u, w = y
    c, s = np.cos(a - b), np.sin(a - b)
    p, r = -s * w * w - 2 * G * np.sin(a), s * u * u - G * np.sin(b)  # [2 c; c 1] (a'', b'') = (p, r)
    d = 2 - c * c
    return np.stack([u, w, (p - c * r) / d, (2 * r - c * p) / d])


def energies(y):
    a, b, u, w = y
    return u * u + w * w / 2 + u * w * np.cos(a - b), -G * (2 * np.cos(a) + np.cos(b))


def off(y):
    """y: 4 × times × runs. The worst of all runs: deviation of the energy over the largest kinetic energy."""
    kinetic, potential = energies(y)
    total = kinetic + potential
    return float((np.abs(total - total[0]).max(0) / kinetic.max(0)).max())


def timed(action):
    begin = time.process_time()
    out = action()
    return time.process_time() - begin, out


def crudest(run, settings):
    """The first of the settings, the cruder before the finer, that keeps the energy."""
    for setting in settings:
        seconds, error = run(setting)
        if error <= 1e-6:
            return setting, seconds, error
    raise RuntimeError("none of the settings keeps the energy to 1e-6")


TOLERANCES = [m * 10.0 ** -k for k in range(5, 11) for m in (1, 0.3)]


def tell(name, how, seconds, count, error):
    print(f"{name:12} {how:52} {seconds * ALL / count:10.3g} s {error:9.1e}   {count} runs", flush=True)


def by_taut(program):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "sweep", str(ROOT / "cases/double_pendulum_ensemble.yaml"), "--engine", "cpu", "--workers", "1", "--out", folder + "/o.h5",
                   "--force", "--json"]
        subprocess.run(command, check=True, capture_output=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    error = next(s["largest"] for s in told["summary"] if s["name"] == "energy_relative")
    tell("taut", "lanes, dop853 rtol 3e-7, all of `taut sweep`", after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ALL, error)


def by_mujoco(count=100):
    def run(step):
        return rolled_out(starts(count), step)
    step, seconds, error = crudest(run, [0.01, 0.005, 0.004, 0.0032, 0.0025, 0.002, 0.001])
    tell("MuJoCo", f"rollout, RK4 of {step} s, joints", seconds, count, error)


def rolled_out(a, step):
    import mujoco
    from mujoco import rollout
    body = '<body pos="0 0 {z}"><joint type="hinge" axis="0 -1 0"/><inertial pos="0 0 -1" mass="1" diaginertia="1e-9 1e-9 1e-9"/>{inner}</body>'
    xml = (f'<mujoco><option timestep="{step}" integrator="RK4" gravity="0 0 -{G}"><flag contact="disable"/></option><worldbody>'
           + body.format(z=0, inner=body.format(z=-1, inner="")) + "</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    first = np.zeros((len(a), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    first[:, 1], first[:, 2] = a[:, 0], a[:, 1] - a[:, 0]
    steps = round(T / step)
    seconds, (state, _) = timed(lambda: rollout.rollout(model, [data], first, nstep=steps))
    y = np.concatenate([first[:, None], state], 1)[..., 1:5]
    y = np.stack([y[..., 0], y[..., 0] + y[..., 1], y[..., 2], y[..., 2] + y[..., 3]]).transpose(0, 2, 1)
    return seconds, off(y)


def by_scipy(count=20):
    from scipy.integrate import solve_ivp

    def run(rtol):
        seconds, out = timed(lambda: [solve_ivp(lambda t, y: rhs(y), (0, T), [*one, 0, 0], method="DOP853", rtol=rtol, atol=rtol)
                                      for one in starts(count)])
        return seconds, max(off(one.y[:, :, None]) for one in out)
    rtol, seconds, error = crudest(run, TOLERANCES)
    tell("SciPy", f"solve_ivp, DOP853 rtol {rtol:g}, run by run", seconds, count, error)


def by_scipy_at_once(count=1000):
    from scipy.integrate import solve_ivp
    y0 = np.concatenate([starts(count).T, np.zeros((2, count))])

    def run(rtol):
        seconds, out = timed(lambda: solve_ivp(lambda t, y: rhs(y.reshape(4, -1)).ravel(), (0, T), y0.ravel(), method="DOP853", rtol=rtol, atol=rtol,
                                               t_eval=np.linspace(0, T, 201)))
        return seconds, off(out.y.reshape(4, count, -1).transpose(0, 2, 1))
    rtol, seconds, error = crudest(run, TOLERANCES)
    tell("SciPy", f"solve_ivp, DOP853 rtol {rtol:g}, all as one system", seconds, count, error)


def by_diffrax(count=1000):
    import jax
    jax.config.update("jax_enable_x64", True)
    import diffrax
    import jax.numpy as jnp

    def field(t, y, _):
        a, b, u, w = y
        c, s = jnp.cos(a - b), jnp.sin(a - b)
        p, r = -s * w * w - 2 * G * jnp.sin(a), s * u * u - G * jnp.sin(b)
        d = 2 - c * c
        return jnp.stack([u, w, (p - c * r) / d, (2 * r - c * p) / d])

    def one(y0, rtol):
        return diffrax.diffeqsolve(diffrax.ODETerm(field), diffrax.Dopri8(), 0.0, T, 0.01, y0, max_steps=None,
                                   saveat=diffrax.SaveAt(ts=jnp.linspace(0, T, 101)), stepsize_controller=diffrax.PIDController(rtol=rtol, atol=rtol)).ys

    y0 = jnp.concatenate([jnp.asarray(starts(count)), jnp.zeros((count, 2))], 1)
    solve = jax.jit(jax.vmap(one, in_axes=(0, None)))
    solve(y0, 1e-3).block_until_ready()  # compiled here

    def run(rtol):
        seconds, ys = timed(lambda: np.asarray(solve(y0, rtol).block_until_ready()))
        return seconds, off(ys.transpose(2, 1, 0))
    rtol, seconds, error = crudest(run, TOLERANCES)
    tell("diffrax", f"vmap, Dopri8 rtol {rtol:g}", seconds, count, error)


if __name__ == "__main__":
    print(f"{'':12} {'':52} {'processor':>12} {'energy':>9}")
    if len(sys.argv) > 1:
        by_taut(sys.argv[1])
    for peer in (by_mujoco, by_scipy, by_scipy_at_once, by_diffrax):
        try:
            peer()
        except ImportError as missing:
            print(f"{peer.__name__[3:]:12} left out: {missing}")
