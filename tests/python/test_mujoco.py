"""Models of MuJoCo and URDF files, against MuJoCo itself at small steps."""

import doctest
import pathlib
import re
import shutil
import warnings

import numpy as np
import pytest

import taut

mujoco = pytest.importorskip("mujoco", reason="the package mujoco is not installed")
MODELS = pathlib.Path(__file__).parent / "models"


@pytest.fixture(autouse=True)
def in_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log where it is


def imported(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", taut.LeftOut)
        return taut.from_mujoco(source, **options)


def swing(model, until, step, keyframe=None):
    """MuJoCo's own motion, by RK4, without contacts and limits; equalities as hard as the step allows."""
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.timestep = step
    if model.neq:
        model.eq_solref[:], model.eq_solimp[:] = [2 * step, 1], [0.9999, 0.9999, 1e-6, 0.5, 2]
    data = mujoco.MjData(model)
    if keyframe is not None:
        mujoco.mj_resetDataKeyframe(model, data, model.key(keyframe).id)
    for _ in range(round(until / step)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return data


def scalars(model):
    """Names of joints with one coordinate, and their places in qpos and qvel."""
    return [(model.joint(j).name, int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in range(model.njnt) if model.jnt_type[j] >= 2]


def difference(run, model, data):
    rates = [abs(run[f"{name}'"][-1] - data.qvel[dof]) for name, _, dof in scalars(model)]
    return max(abs(run[name][-1] - data.qpos[at]) for name, at, _ in scalars(model)), max(rates)


def inertia(model, bodies, frame):
    """Of bodies of MuJoCo together, about their centre, in the axes of one of them: by points, six for each, along its principal axes."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    points, masses = [], []
    for body in bodies:
        I, mass, turn = model.body_inertia[body], model.body_mass[body], data.ximat[body].reshape(3, 3)
        reach = np.sqrt(3 * np.maximum(I.sum() / 2 - I, 0) / mass)
        for k in range(3):
            for side in (-1, 1):
                points.append(data.xipos[body] + side * reach[k] * turn[:, k])
                masses.append(mass / 6)
    points, masses = (np.array(points) - data.xpos[frame]) @ data.xmat[frame].reshape(3, 3), np.array(masses)
    center = masses @ points / masses.sum()
    d = points - center
    return masses.sum(), center, np.einsum("i,ij,ij->", masses, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", masses, d, d)


@pytest.mark.parametrize("name, freedoms", [("four_bar.xml", 1), ("figure.xml", 24), ("arm.urdf", 7)])
def test_degrees_of_freedom_masses_and_inertias_are_those_of_the_file(name, freedoms):
    model = mujoco.MjModel.from_xml_path(str(MODELS / name))
    m = imported(model)
    assert m.check().degrees_of_freedom == freedoms
    assert "mimic" not in name and (model.neq > 0) == (freedoms != model.nv)
    bodies = m.section("bodies")
    massive = {body: words for body, words in bodies.items() if float(words["mass"]) > 0}
    moving = [one for one in range(1, model.nbody) if model.body_jntnum[one] > 0]
    assert list(massive) == [model.body(one).name for one in moving]
    for body in moving:
        words = massive[model.body(body).name]
        mass, center, tensor = inertia(model, [one for one in range(model.nbody) if model.body_weldid[one] == body], body)
        assert float(words["mass"]) == pytest.approx(mass, rel=1e-12)
        assert np.allclose(np.array(words["center"], float), center, atol=1e-12)
        assert np.allclose(np.array(words["inertia"], float), tensor, atol=1e-12 * np.trace(tensor))


def test_tree_with_several_joints_on_one_body_moves_as_in_mujoco():
    model = mujoco.MjModel.from_xml_path(str(MODELS / "figure.xml"))
    m = imported(model, keyframe="jump")
    r = m.solve(0.2, rtol=1e-9, every=0)
    assert r.ok and np.isclose(r["knee_left"][0], 0.9) and np.isclose(r["knee_left'"][0], 2)
    off = [difference(r, model, swing(model, 0.2, step, "jump")) for step in (2e-4, 1e-4)]
    assert off[1][0] < 1e-6 and off[1][1] < 1e-4
    assert off[1][0] < off[0][0] / 8  # what is left is MuJoCo's own error, of order four
    data = swing(model, 0.2, 1e-4, "jump")
    head = model.body("head").id
    assert np.allclose([r[f"head.{axis}"][-1] for axis in "xyz"], data.xipos[head], atol=1e-7)


def test_loop_is_closed_exactly_where_mujoco_closes_it_softly():
    model = mujoco.MjModel.from_xml_path(str(MODELS / "four_bar.xml"))
    m = imported(model)
    m.add("inputs", {"torque": 1.5})
    m.output("gap", m["coupler.closure.x"] - m["rocker.closure.x"])
    r = m.solve(0.5, rtol=1e-10, every=0)
    assert r.ok and abs(r["gap"][-1]) < 1e-12
    off = []
    for step in (1e-3, 1e-4):
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.timestep = step
        model.eq_solref[:], model.eq_solimp[:] = [2 * step, 1], [0.9999, 0.9999, 1e-6, 0.5, 2]
        data = mujoco.MjData(model)
        data.ctrl[0] = 1.5
        for _ in range(round(0.5 / step)):
            mujoco.mj_step(model, data)
        off.append(difference(r, model, data)[0])
    assert off[1] < 2e-5 and off[1] < off[0] / 5


def test_arm_from_urdf_swings_as_in_mujoco():
    path = MODELS / "arm.urdf"
    with pytest.warns(taut.LeftOut, match="range of joint 'axis1'"):
        m = taut.from_urdf(path)
    assert len(m.left_out) == 6
    r = m.solve(0.3, rtol=1e-9, every=0)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert np.isclose(r["finger1"][-1], r["finger2"][-1], atol=1e-12)
    assert difference(r, model, swing(model, 0.3, 1e-4))[0] < 1e-4
    assert r.certificate.position_residual < 1e-12


WELD = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <site name="hook" pos="0 0 1"/>
    <body name="a" pos="0 0 1"><joint name="swing" axis="0 1 0" ref="0.3" armature="0.1"/><geom type="box" size=".1 .1 .2" pos="0.3 0 0"/></body>
    <body name="b" pos="0.6 0.1 1" euler="0.3 0.1 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="c" pos="0 1 1"><joint name="slide/1" type="slide" axis="0 0 1" damping="2"/><geom size=".1"/><site name="x" pos="0 0 .1"/></body>
    <body name="d" pos="0 2 1"><joint name="d" axis="1 0 0"/><geom size=".1" pos="0 0.4 0"/></body>
  </worldbody>
  <equality>
    <weld name="glue" body1="a" body2="b"/>
    <joint name="link" joint1="slide/1" joint2="swing" polycoef="0.1 0.5 0.2 0 0"/>
  </equality>
  <tendon>
    <fixed name="sum" stiffness="30" springlength="0.1" damping="0.5"><joint joint="slide/1" coef="2"/><joint joint="d" coef="-0.5"/></fixed>
    <spatial name="rope" stiffness="20" springlength="0.4"><site site="hook"/><site site="x"/></spatial>
  </tendon>
  <actuator>
    <general name="servo" joint="d" gaintype="affine" gainprm="3 0.2 0.1" biastype="affine" biasprm="0.3 -2 -0.4" gear="1.5" forcelimited="true" forcerange="-2 2"/>
    <motor name="pull" tendon="sum" gear="2"/>
    <cylinder name="air" joint="d" timeconst="1"/>
  </actuator>
  <keyframe><key name="start" qpos="0.3  0.6 0.1 1 0.9872 0.1488 0.0494 -0.0075  0.1 0.4" qvel="0.5 0 0 0 0 0 0 0 0" ctrl="0.7 0.4 0"/></keyframe>
</mujoco>
"""


def test_welds_couplings_tendons_and_servos_move_as_in_mujoco():
    model = mujoco.MjModel.from_xml_string(WELD)
    q = model.qpos0.copy()
    model.key_qpos[0][:] = q
    model.key_qpos[0][model.jnt_qposadr[model.joint("slide/1").id]] = 0.1  # as the coupling asks
    model.key_qpos[0][model.jnt_qposadr[model.joint("d").id]] = 0.4
    m = imported(model, keyframe="start")
    assert any("actuator 'air'" in line for line in m.left_out) and any("contacts" in line for line in m.left_out)
    assert m.check().degrees_of_freedom == 2
    r = m.solve(0.3, rtol=1e-10, every=0)
    assert r.ok
    model.actuator("air").gainprm[0] = 0  # MuJoCo without what was left out
    for joint, name in ("swing", "swing"), ("slide/1", "slide_1"), ("d", "d_joint"):
        assert r[name][0] == pytest.approx(model.key_qpos[0][model.jnt_qposadr[model.joint(joint).id]], abs=1e-12)
        model.key_qvel[0][model.jnt_dofadr[model.joint(joint).id]] = r[f"{name}'"][0]  # MuJoCo starts with the same, as the loops allow
    start = mujoco.MjData(model)
    mujoco.mj_forward(model, start)
    base = int(model.jnt_dofadr[model.body("b").jntadr[0]])
    model.key_qvel[0][base : base + 3] = [r[f"b.{axis}'"][0] for axis in "xyz"]
    model.key_qvel[0][base + 3 : base + 6] = np.array(start.body("b").xmat).reshape(3, 3).T @ [0, r["swing'"][0], 0]
    data = swing(model, 0.3, 5e-5, "start")
    for name, joint in ("swing", "swing"), ("slide_1", "slide/1"), ("d_joint", "d"):
        assert r[name][-1] == pytest.approx(data.joint(joint).qpos[0], abs=2e-4), name
    assert np.allclose([r[f"b.{axis}"][-1] for axis in "xyz"], data.body("b").xipos, atol=2e-4)


def test_limits_are_inequalities_where_asked_for():
    text = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><joint name="h" axis="0 1 0" range="-20 60" limited="true"/>
              <geom size=".1" pos=".5 0 0"/></body></worldbody></mujoco>"""
    with pytest.warns(taut.LeftOut, match="limits=True"):
        assert "limits" not in taut.from_mjcf(text).section("joints")[0]
    r = taut.from_mjcf(text, limits=True).solve(2, step=1e-3, integrator="moreau-jean")
    assert r["h"].max() == pytest.approx(np.radians(60), abs=1e-6)


def test_what_cannot_be_read_is_told(tmp_path):
    with pytest.raises(taut.InputError, match="MuJoCo cannot read it"):
        taut.from_mjcf("<mujoco><nothing/></mujoco>")
    with pytest.raises(taut.InputError, match="nowhere.xml: cannot be read"):
        taut.from_mjcf("nowhere.xml")
    with pytest.raises(taut.InputError, match="no keyframe 'x'; there are: none"):
        taut.from_mjcf("<mujoco/>", keyframe="x")


def test_model_comes_back_from_its_text_and_a_copy():
    m = imported(mujoco.MjModel.from_xml_path(str(MODELS / "figure.xml")), keyframe="jump")
    again = taut.loads(m.to_yaml())
    assert np.array_equal(again.solve(0.02, rtol=1e-8).q, m.solve(0.02, rtol=1e-8).q)
    assert m.copy().left_out == m.left_out != []


def test_example_of_the_page_and_of_the_docstring_run(capsys):
    page = (MODELS.parents[2] / "docs" / "python.md").read_text()
    (block,) = re.findall(r"```py\n(.*?)```", page, re.S)
    shutil.copy(MODELS / "four_bar.xml", ".")
    exec(compile(block, "docs/python.md", "exec"), {"taut": taut})
    assert capsys.readouterr().out.endswith(" []\n")
    (test,) = doctest.DocTestFinder(recurse=False).find(taut.from_mjcf, "from_mjcf", globs={"taut": taut}, module=False)
    assert doctest.DocTestRunner().run(test).failed == 0
