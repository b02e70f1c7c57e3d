"""Models from MJCF files and to them, against MuJoCo."""

import importlib.util
import re
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mujoco_comparison import largest_error

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Body, Model, simulate
from rbnotes.multibody.formats import load_mjcf, to_mjcf
from rbnotes.multibody.reduced import Gear, JointLimit, LoopClosure, LoopJoint
from rbnotes.shapes import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Plane, Sphere

TOLERANCE = 1e-10

FILES = {
    "pendulum": """
<mujoco model="pendulum">
  <option gravity="0.3 -0.2 -9.7"/>
  <worldbody>
    <body name="arm" pos="0.1 0.2 1" euler="20 -30 40">
      <joint name="hinge" axis="1 2 -1" pos="0.02 0.01 0.1" damping="0.3" stiffness="4" springref="25"
             ref="15" armature="0.05" range="-80 100"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.1 -0.2 -0.5" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>""",
    "several joints": """
<mujoco>
  <compiler angle="radian" eulerseq="ZxY"/>
  <worldbody>
    <body name="cart" pos="0 0 1" euler="0.2 0.3 -0.4">
      <joint name="x" type="slide" axis="1 0 0" ref="0.2" damping="0.1" armature="0.3"/>
      <joint name="z" type="slide" axis="0 0.6 0.8" pos="0.3 0 0"/>
      <joint name="turn" type="hinge" axis="0 1 0" pos="0.1 0.2 -0.1" stiffness="2" springref="0.4"
             ref="-0.3"/>
      <joint name="tilt" type="hinge" axis="1 1 0" pos="-0.1 0 0.2"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0 0.1" quat="1 0.2 -0.3 0.4" mass="2"/>
      <geom type="sphere" size="0.1" pos="0.2 0.1 0" density="500"/>
      <body name="wrist" pos="0.3 0.1 -0.2" axisangle="1 -1 0.5 0.7">
        <joint name="ball" type="ball" pos="0.02 -0.05 0.04"/>
        <geom type="capsule" size="0.05 0.2"/>
        <body name="tip" pos="0 0 0.3" zaxis="1 1 1">
          <joint name="last" axis="0 1 1" pos="0 0.1 0"/>
          <joint name="out" type="slide" axis="1 0 1" pos="0 0.1 0"/>
          <inertial pos="0.01 0.02 0.03" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>""",
    "tree": """
<mujoco>
  <compiler eulerseq="XYz" boundmass="0.01" boundinertia="0.0001" balanceinertia="true"/>
  <worldbody>
    <body name="torso" pos="0.4 -0.2 1.3" quat="0.9 0.1 -0.2 0.3">
      <freejoint name="root"/>
      <inertial pos="0.1 0.02 -0.03" mass="4" diaginertia="0.05 0.06 0.2" euler="10 20 30"/>
      <body name="left" pos="0.2 0.3 0" xyaxes="1 0.2 0 0 1 0.5">
        <joint name="hip" axis="0 1 0" damping="0.5" armature="0.02"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.1 0 -0.4"/>
        <body name="bracket" pos="0.05 0 -0.2" euler="0 15 30">
          <geom type="box" size="0.05 0.04 0.03" pos="0.1 0 0"/>
          <body name="foot" pos="0 0.1 -0.2">
            <joint name="ankle" type="slide" axis="0 0 1" stiffness="30"/>
            <geom type="sphere" size="0.06"/>
          </body>
        </body>
      </body>
      <body name="right" pos="0.2 -0.3 0">
        <joint name="shoulder" type="ball"/>
        <geom type="ellipsoid" size="0.1 0.2 0.15" contype="0" conaffinity="0"/>
        <geom type="cylinder" size="0.05 0.3" pos="0.1 0 0" contype="0" conaffinity="0"/>
      </body>
    </body>
    <body name="puck" pos="2 0 1"> <joint type="free"/> <geom type="box" size="0.1 0.2 0.05"/> </body>
  </worldbody>
</mujoco>""",
    "classes": """
<mujoco>
  <default>
    <joint damping="0.2" armature="0.01"/> <geom density="700" friction="0.6 0.1 0.1"/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
    <default class="soft"> <joint stiffness="3"/>
      <default class="softer"> <joint damping="0.05" type="slide"/>
        <geom type="box" size="0.1 0.1 0.2"/> </default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1" name="floor"/>
    <body name="base" pos="0 0 2" childclass="soft">
      <joint name="a" axis="0 1 0"/> <geom type="sphere" size="0.1"/>
      <frame pos="0.3 0 0" euler="0 0 45" childclass="softer">
        <geom/>
        <body name="slider" pos="0.5 0 0" euler="30 0 0"><joint name="b" axis="1 0 0"/> <geom class="softer"/>
          <body name="end" childclass="main" pos="0.3 0 0"> <joint name="c"/>
            <geom type="sphere" size="0.05"/></body>
        </body>
      </frame>
    </body>
  </worldbody>
  <actuator>
    <motor name="drive" joint="a" gear="20"/>
    <position name="servo" joint="b" kp="30" kv="2" gear="-3" ctrlrange="-0.2 0.3" forcerange="-4 4"/>
    <velocity name="wheel" joint="c" kv="0.7" gear="1.5"/>
  </actuator>
  <keyframe> <key name="bent" qpos="0.3 0.1 -0.2" qvel="1 2 3" ctrl="0.5 0.1 2" time="1.5"/> </keyframe>
</mujoco>""",
    "meshes": """
<mujoco>
  <default> <mesh scale="0.5 0.5 0.5"/> </default>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  1 2 3  0 3 2"/>
    <mesh name="gem" vertex="-1 0 0  1 0 0  0 -1 0  0 1 0  0.5 0 -1  0.25 0 1  0 0 0" scale="1 1 -0.5"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="block" pos="0 0 2" euler="10 20 30"> <freejoint/>
      <geom type="mesh" mesh="wedge" pos="0.5 0.25 0.125" euler="0 0 90" density="500"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0.1 0"/>
      <body name="stone" pos="1 0 0"> <joint axis="0 1 0"/> <geom type="mesh" mesh="gem" mass="3"/> </body>
    </body>
  </worldbody>
</mujoco>""",
    "general": """
<mujoco>
  <default> <general gear="2"/> </default>
  <worldbody>
    <body name="a" pos="0 0 1"> <joint name="a" axis="0 1 0"/> <geom size="0.1"/>
      <body name="b" pos="0.5 0 0"> <joint name="b" axis="0 1 0"/> <geom size="0.1"/>
        <body name="c" pos="0.5 0 0"> <joint name="c" type="slide"/> <geom size="0.1"/>
          <body name="d" pos="0 0 0.5"> <joint name="d" type="ball" range="0 60"/>
            <geom size="0.1" pos="0.1 0 0"/>
          </body> </body> </body> </body>
  </worldbody>
  <equality> <weld body1="a" body2="c"/> <weld body1="d" relpose="0.1 0 0 1 0.5 0 0"/> </equality>
  <actuator>
    <general name="drive" joint="a" gainprm="3" forcerange="-1 1"/>
    <general name="servo" joint="b" gainprm="30" biastype="affine" biasprm="0 -30 -2" ctrlrange="-1 1"/>
    <general name="wheel" joint="c" gainprm="4" biastype="affine" biasprm="0 0 -4" gear="-1.5"/>
  </actuator>
</mujoco>""",
    "loop": """
<mujoco>
  <worldbody>
    <body name="crank" pos="0 0 1"> <joint name="j1" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
      <body name="rod" pos="0.3 0 0"> <joint name="j2" type="ball"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/>
      </body> </body>
    <body name="block" pos="0.8 0 1" euler="0 0 90"> <joint name="j3" type="slide" axis="0 1 0"/>
      <joint name="j4" axis="1 0 0"/>
      <geom type="box" size="0.05 0.05 0.05"/> <body name="mark" pos="0 0 0.1"/> </body>
  </worldbody>
  <contact> <exclude body1="crank" body2="block"/> </contact>
  <tendon> <fixed name="sum"> <joint joint="j3" coef="2"/> <joint joint="j4" coef="-4"/> </fixed> </tendon>
  <equality>
    <connect body1="rod" body2="mark" anchor="0.5 0 0"/> <joint joint1="j4" joint2="j1" polycoef="0 -1.5"/>
    <tendon tendon1="sum"/>
  </equality>
</mujoco>""",
}


def mujoco_model(text):
    return mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("name", FILES)
def test_smooth_dynamics(name, tmp_path):
    model, rng = load_mjcf(FILES[name]), np.random.default_rng(5)
    assert largest_error(model, mujoco_model(FILES[name]), rng) < TOLERANCE
    (tmp_path / "saved.xml").write_text(to_mjcf(model))
    saved = (tmp_path / "saved.xml").read_text()
    reloaded = load_mjcf(tmp_path / "saved.xml")
    for each in (model, reloaded):
        assert largest_error(each, mujoco_model(saved), rng) < TOLERANCE
    (tmp_path / "again.xml").write_text(to_mjcf(reloaded))
    assert_same_models(model, reloaded)
    assert_same_models(reloaded, load_mjcf(tmp_path / "again.xml"))


def assert_same_models(a, b):
    assert [*a.joints] == [*b.joints]
    assert [*a.actuators] == [*b.actuators]
    assert a.frames.keys() == b.frames.keys()
    assert a.keyframes.keys() == b.keyframes.keys()
    for name, frame in a.frames.items():
        assert frame.body == b.frames[name].body
        np.testing.assert_allclose(frame.pose, b.frames[name].pose, atol=1e-12)
    for name, key in a.keyframes.items():
        np.testing.assert_allclose(key.state.velocity, b.keyframes[name].state.velocity, atol=1e-12)
        np.testing.assert_allclose(key.state.q, b.keyframes[name].state.q, atol=1e-12)
        np.testing.assert_array_equal(key.control, b.keyframes[name].control)
    for field in ("kp", "kd", "force_limit", "default_command"):
        np.testing.assert_allclose(
            getattr(a.model.actuator_gains, field), getattr(b.model.actuator_gains, field), rtol=1e-12
        )
    assert a.model.excluded_pairs == b.model.excluded_pairs
    welds = [[each for each in model.model.constraints if isinstance(each, LoopJoint)] for model in (a, b)]
    for first, second in zip(*welds, strict=True):
        assert (first.a, first.b) == (second.a, second.b)
        relative = [each.E_a @ se3.inverse(each.E_b) for each in (first, second)]
        np.testing.assert_allclose(*relative, atol=1e-12)
    closures = LoopClosure | LoopJoint
    assert [repr(each) for each in a.model.constraints if not isinstance(each, closures)] == [
        repr(each) for each in b.model.constraints if not isinstance(each, closures)
    ]
    np.testing.assert_array_equal(a.model.joint_friction, b.model.joint_friction)
    assert len(a.model.colliders) == len(b.model.colliders)
    for first, second in zip(a.model.colliders, b.model.colliders, strict=True):
        assert (first.body, first.mu) == (second.body, second.mu)
        np.testing.assert_allclose(first.frame, second.frame, atol=1e-12)


@pytest.mark.parametrize("control", [[0.4, 0.2, -3.0], [2.0, 0.9, 5.0], [-7.0, -0.1, 0.0]])
def test_actuators(control):
    model = load_mjcf(FILES["classes"])
    rng = np.random.default_rng(2)
    assert largest_error(model, mujoco_model(FILES["classes"]), rng, control=np.array(control)) < TOLERANCE


@pytest.mark.parametrize("control", [[0.2, 0.5, -3.0], [2.0, 3.0, 5.0]])
def test_general_actuators(control):
    """Motor, position and velocity servo, by their gains and biases; the first force is also limited."""
    model = load_mjcf(FILES["general"])
    assert [each.kind for each in model.actuators] == ["motor", "position", "velocity"]
    rng, reference = np.random.default_rng(2), mujoco_model(FILES["general"])
    assert largest_error(model, reference, rng, control=np.array(control)) < TOLERANCE


@pytest.mark.slow
def test_convex_hulls_of_meshes_touch_the_ground():
    model = load_mjcf(FILES["meshes"]).model
    shapes = [each.shape for each in model.colliders]
    assert [type(each) for each in shapes] == [Plane, ConvexMesh, Ellipsoid, ConvexMesh]
    assert len(shapes[3].vertices) == 6  # the seventh is inside
    np.testing.assert_allclose(np.ptp(shapes[1].vertices, axis=0), [0.5, 0.5, 0.5])
    motion = simulate(model, h=0.01, duration=0.8)
    for body in ("block", "stone"):
        shape, frame = next(
            (each.shape, each.frame) for each in model.colliders if each.body == model.index(body)
        )
        E = motion.poses(body)[-1] @ frame
        assert np.min(shape.vertices @ E[2, :3] + E[2, 3]) > -1e-3


def test_meshes_of_files(tmp_path):
    """The same tetrahedron in three formats, in a folder that the compiler names."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    (tmp_path / "parts").mkdir()
    record = np.zeros(4, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    record["corners"] = corners[np.array(faces)]
    (tmp_path / "parts/binary.stl").write_bytes(bytes(80) + np.uint32(4).tobytes() + record.tobytes())
    loops = [" ".join("vertex " + " ".join(map(str, corners[i])) + "\n" for i in face) for face in faces]
    text = "".join(f"facet normal 0 0 0\n outer loop\n {loop} endloop\nendfacet\n" for loop in loops)
    (tmp_path / "parts/text.stl").write_text(f"solid wedge\n{text}endsolid\n")
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += ["# sides", "f 1/1 3/2 2/3", "f 1 2 4", "f 2//1 3//2 4//3", "f -4 -1 -2"]
    (tmp_path / "parts/wedge.obj").write_text("\n".join(lines))
    for name in ("binary.stl", "text.stl", "wedge.obj"):
        path = tmp_path / "scene.xml"
        path.write_text(f"""<mujoco><compiler meshdir="parts"/><asset><mesh file="{name}"/></asset><worldbody>
            <body name="b"><freejoint/><geom type="mesh" mesh="{Path(name).stem}"/></body>
            </worldbody></mujoco>""")
        model = load_mjcf(path)
        (collider,) = model.model.colliders
        assert sorted(map(tuple, collider.shape.vertices)) == sorted(map(tuple, corners))
        assert model.model.bodies[0].spatial_inertia[5, 5] == pytest.approx(1000 / 6)
        if name == "binary.stl":
            reference = mujoco.MjModel.from_xml_path(str(path))
            assert largest_error(model, reference, np.random.default_rng(1)) < TOLERANCE
    path.write_text(path.read_text().replace("wedge.obj", "none.obj").replace('"wedge"', '"none"'))
    with pytest.raises(InvalidArgument, match=r"<mesh>, line 1: mesh: got 'none.obj'"):
        load_mjcf(path)


@pytest.mark.slow
def test_welds_hold_the_initial_pose():
    """A door on a weld to a wall hangs still; another one, welded to it, moves with it as in MuJoCo."""
    text = """<mujoco><worldbody>
      <body name="first" pos="0 0 1" euler="0 20 0"> <joint axis="0 1 0"/>
        <geom size="0.1" pos="0.2 0 0"/> </body>
      <body name="second" pos="0.4 0.1 1"> <freejoint/> <geom type="box" size="0.1 0.2 0.1"/> </body>
      </worldbody><equality><weld body1="first" body2="second"/></equality></mujoco>"""
    model = load_mjcf(text).model
    motion = simulate(model, h=0.004, duration=0.2)
    relative = [se3.inverse(motion.poses("first")[i]) @ motion.poses("second")[i] for i in (0, -1)]
    np.testing.assert_allclose(relative[1], relative[0], atol=1e-6)
    assert motion.poses("second")[-1, 2, 3] < 0.95
    inside = """<mujoco><worldbody>
      <body name="first" pos="0 0 1" euler="0 20 0"> <joint axis="0 1 0"/>
        <geom size="0.1" pos="0.2 0 0"/>
      <body name="second" pos="{} {} {}" euler="0 -20 0"> <geom type="box" size="0.1 0.2 0.1"/> </body></body>
      </worldbody></mujoco>"""
    single = load_mjcf(inside.format(*relative[0][:3, 3]))
    expected = simulate(single.model, h=0.004, duration=0.2).poses("first")[-1]
    np.testing.assert_allclose(motion.poses("first")[-1], expected, atol=1e-4)


@pytest.mark.slow
def test_ball_limits_bound_the_angle():
    text = """<mujoco><worldbody><body name="b" pos="0 0 1"><joint type="ball" range="0 40"/>
      <geom size="0.1" pos="0.3 0 0"/></body></worldbody></mujoco>"""
    motion = simulate(load_mjcf(text).model, h=0.005, duration=0.4)
    traces = np.trace(motion.poses("b")[:, :3, :3], axis1=1, axis2=2)
    angles = np.degrees(np.arccos((traces - 1) / 2))
    assert np.max(angles) == pytest.approx(40.0, abs=1e-2)
    with pytest.raises(InvalidArgument, match=r"<joint>, line 1: range: got a lower bound"):
        load_mjcf(text.replace("0 40", "10 40"))


def test_keyframes_and_coordinates():
    model, reference = load_mjcf(FILES["classes"]), mujoco_model(FILES["classes"])
    key = model.keyframes["bent"]
    assert key.state.t == 1.5
    assert key.control.tolist() == reference.key_ctrl[0].tolist()
    np.testing.assert_allclose(key.state.q, reference.key_qpos[0])
    np.testing.assert_allclose(key.state.qdot, reference.key_qvel[0])
    tree, data = load_mjcf(FILES["tree"]), mujoco.MjData(mujoco_model(FILES["tree"]))
    rng = np.random.default_rng(3)
    mujoco.mj_integratePos(data.model, data.qpos, rng.normal(size=data.model.nv), 1.0)
    qpos, qvel = tree.qpos_qvel(tree.state(data.qpos, data.qvel + 0.5))
    np.testing.assert_allclose(np.abs(qpos), np.abs(data.qpos), atol=1e-12)
    np.testing.assert_allclose(qvel, 0.5, atol=1e-12)


@pytest.mark.parametrize("name", ["several joints", "tree", "loop"])
def test_poses_of_all_bodies(name):
    """Frames, with those of welded bodies, against MuJoCo's poses."""
    model, reference = load_mjcf(FILES[name]), mujoco_model(FILES[name])
    data, rng = mujoco.MjData(reference), np.random.default_rng(8)
    mujoco.mj_integratePos(reference, data.qpos, rng.normal(size=reference.nv), 1.0)
    mujoco.mj_kinematics(reference, data)
    poses = model.model.body_state(model.state(data.qpos)).E
    for body, frame in model.frames.items():
        E = frame.pose if frame.body is None else poses[model.model.index(frame.body)] @ frame.pose
        np.testing.assert_allclose(E[:3, 3], data.body(body).xpos, atol=1e-12)
        np.testing.assert_allclose(E[:3, :3].ravel(), data.body(body).xmat, atol=1e-12)


def test_constraints_and_contacts():
    model = load_mjcf(FILES["loop"]).model
    closure, gear, coupling = model.constraints
    assert isinstance(closure, LoopClosure)
    assert (closure.a, closure.b) == ("rod", "block")
    np.testing.assert_allclose(closure.x_b, [0.0, 0.0, 0.0], atol=1e-12)
    assert gear == Gear("crank", "block", -1.5)
    assert isinstance(coupling, Gear)
    assert (coupling.b, coupling.ratio) == ("block", 0.5)
    assert ("crank", "block") in model.excluded_pairs
    limit = load_mjcf(FILES["pendulum"]).model.constraints[0]
    assert limit == JointLimit("arm", *np.deg2rad([-80.0, 100.0]))
    floor = load_mjcf(FILES["classes"]).model
    assert isinstance(floor.ground_geometries[0].shape, Plane)
    assert floor.ground_geometries[0].mu == 0.6


def test_total_mass():
    text = FILES["classes"].replace("<default>", '<compiler settotalmass="5"/><default>', 1)
    model, unscaled = load_mjcf(text).model, load_mjcf(FILES["classes"]).model
    masses = [body.spatial_inertia[5, 5] for body in model.bodies]
    assert sum(masses) == pytest.approx(5.0)
    expected = unscaled.bodies[0].spatial_inertia * masses[0] / unscaled.bodies[0].spatial_inertia[5, 5]
    np.testing.assert_allclose(model.bodies[0].spatial_inertia, expected)


@pytest.mark.slow
def test_masks_exclude_pairs():
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a" pos="0 0 0.1"><freejoint/><geom size="0.1" contype="0"/></body>
      <body name="b" pos="0 0 0.2"><freejoint/><geom size="0.1" contype="0"/></body>
      <body name="c" pos="0 0 0.2"><freejoint/><geom size="0.1" contype="2" conaffinity="4"/></body>
      </worldbody></mujoco>"""
    pairs = {frozenset(pair) for pair in load_mjcf(text).model.excluded_pairs}
    assert pairs == {frozenset(pair) for pair in ("ab", "ac", "bc", ("c", "world"))}
    motion = simulate(load_mjcf(text.replace('contype="2" conaffinity="4"', "")).model, h=0.01, duration=0.5)
    assert motion.poses("a")[-1, 2, 3] == pytest.approx(0.1, abs=1e-3)


def test_saved_model_without_names(tmp_path):
    model = Model(
        [
            Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 1]),
            Body("brick", Box([0.1, 0.2, 0.3]), density=10.0),
            Body("rod", Capsule(0.1, 0.3), mass=2.0, position=[1, 0, 0.5]),
        ],
        ground=Plane(),
        mu=0.3,
    )
    (tmp_path / "scene.xml").write_text(to_mjcf(model))
    loaded = load_mjcf(tmp_path / "scene.xml")
    reference = mujoco_model((tmp_path / "scene.xml").read_text())
    assert largest_error(loaded, reference, np.random.default_rng(1)) < TOLERANCE
    assert {each.mu for each in loaded.model.colliders} == {0.3}
    with pytest.raises(InvalidArgument, match="restitution"):
        (tmp_path / "no.xml").write_text(to_mjcf(Model(model.bodies, restitution=0.5)))


BODY = "<body name='b'><joint name='j'/><geom size='1' contype='0' conaffinity='0'/></body>"
WORLD = f"<mujoco>\n<worldbody>\n{BODY}\n</worldbody>\n{{}}</mujoco>"


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("name='j'", "name='j' axis='0 nan 1'", r"<joint> 'j', line 3: axis: got '0 nan 1'"),
        ("name='j'", "name='j' axis='0 1_0 1'", r"<joint> 'j', line 3: axis: got '0 1_0 1'"),
        ("name='j'", "name='j' damping='inf'", r"<joint> 'j', line 3: damping"),
        ("name='j'", "name='j' damping='-1'", r"<joint> 'j', line 3: damping: got -1"),
        ("name='j'", "name='j' axis='0 0 0'", r"<joint> 'j', line 3: axis: got a vector of length zero"),
        ("name='j'", "name='j' shape='round'", r"<joint> 'j', line 3: got attribute 'shape'"),
        ("name='j'", "name='j' name='k'", "duplicate attribute"),
        ("name='j'", "name='j' type='screw'", r"<joint> 'j', line 3: type: got 'screw'"),
        ("name='j'", "name='j' range='1 0'", r"<joint> 'j', line 3: range"),
        (
            "name='j'",
            "name='j' type='ball' damping='1'",
            r"<joint> 'j', line 3: got springs or losses",
        ),
        ("name='j'", "name='j' class='none'", r"<joint> 'j', line 3: got class 'none'"),
        (
            "<joint name='j'/>",
            "<joint name='j'/><joint name='j'/>",
            r"<joint> 'j', line 3: got the name 'j' twice",
        ),
        ("<joint name='j'/>", "<freejoint/><joint/>", r"<body> 'b', line 3: got a free joint"),
        ("size='1'", "size='-1'", r"<geom>, line 3: size"),
        ("size='1'", "", r"<geom>, line 3: got no 'size'"),
        ("size='1'", "type='mesh' mesh='m'", r"<geom>, line 3: mesh: got 'm', expected a mesh of"),
        ("size='1'", "type='hfield'", r"<geom>, line 3: got the mass of a hfield"),
        ("size='1'", "size='1' euler='0 0 0' quat='1 0 0 0'", r"<geom>, line 3: got quat and euler"),
        ("<joint", "<composite/><joint", r"<composite>, line 3"),
        ("<joint", "<body name='b'/><joint", r"<body> 'b', line 3: got the name 'b' twice"),
        ("<mujoco>", "<robot>", "XML with an error"),
        ("<mujoco>", "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco>", "line 1: got a DOCTYPE"),
        ("<worldbody>", "<include file='/etc/passwd'/><worldbody>", r"<include>, line 2"),
        ("<worldbody>", "<compiler coordinate='global'/><worldbody>", r"<compiler>, line 2: coordinate"),
        ("<worldbody>", "<option wind='1 0 0'/><worldbody>", r"<option>, line 2: got 'wind'"),
        ("<worldbody>", "<option><flag spring='disable'/></option><worldbody>", r"<flag>, line 2"),
        ("<worldbody>", "<option><flag spin='disable'/></option><worldbody>", r"<flag>, line 2: got attr"),
        ("size='1'", "size='1e-300'", r"<geom>, line 3: radius"),
        ("size='1'", "size='1' mass='0'", r"<body> 'b', line 3: got no mass"),
        ("<worldbody>", "<worldbody pos='0 0 0'>", r"<worldbody>, line 2: got attribute 'pos'"),
        ("<joint name='j'/>", "<joint type='ball'/><joint/>", r"<body> 'b', line 3: got a ball followed"),
        ("size='1'", "size='1' mass='-1'", r"<geom>, line 3: mass: got -1"),
        ("size='1'", "size='1' mesh='m'", r"<geom>, line 3: got a sphere fitted"),
        ("<worldbody>", "<deformable/><worldbody>", r"<deformable>, line 2"),
        ("<worldbody>", "<compiler eulerseq='xyq'/><worldbody>", r"<compiler>, line 2: eulerseq"),
    ],
)
def test_invalid_files(old, new, match):
    text = WORLD.format("")
    assert old in text
    with pytest.raises(InvalidArgument, match=match):
        load_mjcf(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("section", "match"),
    [
        ("<equality><flex body1='b'/></equality>", r"<flex>, line 5"),
        ("<equality><connect body1='x' anchor='0 0 0'/></equality>", r"line 5: body1: got 'x'"),
        ("<equality><joint joint1='j'/></equality>", r"line 5: got one joint"),
        ("<actuator><muscle joint='j'/></actuator>", r"<muscle>, line 5"),
        ("<actuator><general joint='j' gaintype='muscle'/></actuator>", r"<general>, line 5: gaintype"),
        ("<actuator><general joint='j' dyntype='filter'/></actuator>", r"<general>, line 5: dyntype"),
        (
            "<actuator><general joint='j' biastype='affine' biasprm='1 0 0'/></actuator>",
            r"<general>, line 5: got its gain and bias",
        ),
        ("<actuator><motor joint='x'/></actuator>", r"<motor>, line 5: joint: got 'x'"),
        ("<actuator><motor joint='j' ctrlrange='1 2'/></actuator>", r"<motor>, line 5: got ctrlrange"),
        ("<actuator><motor joint='j' gear='0'/></actuator>", r"<motor>, line 5: gear"),
        ("<actuator><motor joint='j' forcerange='-1 2'/></actuator>", r"<motor>, line 5: got forcerange"),
        (
            "<actuator><motor joint='j'/><motor joint='j'/></actuator>",
            r"<motor>, line 5: got a second actuator",
        ),
        ("<tendon><spatial/></tendon>", r"<spatial>, line 5"),
        ("<tendon><fixed stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>", r"<fixed>, line 5"),
        ("<contact><pair geom1='a' geom2='b'/></contact>", r"<pair>, line 5"),
        ("<keyframe><key qpos='1 2'/></keyframe>", r"<key>, line 5: qpos"),
        ("<default class='main'><default/></default>", r"<default>, line 5"),
        ("<plugin/>", r"<plugin>, line 5"),
    ],
)
def test_unsupported_sections(section, match):
    with pytest.raises(InvalidArgument, match=match):
        load_mjcf(WORLD.format(section))


def test_unsupported_features_cause_warnings():
    text = WORLD.format("<equality><flex body1='b'/></equality>")
    with pytest.warns(UserWarning, match=r"<flex>, line 5: .*; ignored"):
        assert load_mjcf(text, unsupported="warn").model.constraints == ()


def test_random_attributes():
    """Files with random attributes are refused, or describe the model that MuJoCo reads."""
    rng, agreements = np.random.default_rng(6), 0
    words = (
        "",
        "nan",
        "-1",
        "1e400",
        "1",
        "0.3 0.2 0.1",
        "1 2 3 4",
        "ball",
        "slide",
        "free",
        "box",
        "true",
        "j1",
    )
    names = (
        "pos",
        "quat",
        "size",
        "mass",
        "type",
        "axis",
        "ref",
        "armature",
        "range",
        "gear",
        "class",
        "zaxis",
    )
    for _ in range(150):
        text = list(FILES.values())[rng.integers(len(FILES))]
        pattern, new = r'"[^"]*"', f'"{rng.choice(words)}"'
        if rng.random() < 0.5:
            pattern, new = r"(?<=<[a-z]{4}) ", f" {rng.choice(names)}={new} "
        matches = [*re.finditer(pattern, text)]
        match = matches[rng.integers(len(matches))]
        text = text[: match.start()] + new + text[match.end() :]
        try:
            model = load_mjcf(text)
            reference = mujoco_model(text)
        except (InvalidArgument, ValueError):  # ValueError: MuJoCo refuses more
            continue
        # MuJoCo finds the principal axes of an irregular mesh to 1e-9.
        tolerance = 1e-8 if "<mesh" in text else TOLERANCE
        assert largest_error(model, reference, rng, draws=1) < tolerance, text
        agreements += 1
    assert agreements > 10


def test_sources(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_mjcf(tmp_path / "none.xml")
    with pytest.raises(InvalidArgument, match="nested"):
        load_mjcf("<mujoco>" + "<a>" * 100_000)
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    main = tmp_path / "main.xml"
    main.write_text("<mujoco><worldbody><include file='./part.xml'/></worldbody></mujoco>")
    assert load_mjcf(main).model.bodies[0].name == "b"
    main.write_text("<mujoco><worldbody><include file='main.xml'/></worldbody></mujoco>")
    with pytest.raises(InvalidArgument, match="twice"):
        load_mjcf(main)
    main.write_text("<mujoco><worldbody><include file='../part.xml'/></worldbody></mujoco>")
    with pytest.raises(InvalidArgument, match=r"<include>, line 1: .* the folder of the source"):
        load_mjcf(main)


def package_folder(name):
    """Return the folder of a package without importing it; None if it is not installed."""
    spec = importlib.util.find_spec(name)
    return None if spec is None else Path(spec.submodule_search_locations[0])


def check_file(path, tmp_path, unsupported):
    """Check the smooth dynamics of a model of a package, read and saved, against MuJoCo."""
    rng = np.random.default_rng(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if unsupported == "warn" else "error")
        model = load_mjcf(path, collisions=False, unsupported=unsupported)
        reference = mujoco.MjModel.from_xml_path(str(path))
    assert largest_error(model, reference, rng) < TOLERANCE
    (tmp_path / "saved.xml").write_text(to_mjcf(model))
    saved = mujoco.MjModel.from_xml_path(str(tmp_path / "saved.xml"))
    assert largest_error(load_mjcf(tmp_path / "saved.xml"), saved, rng) < TOLERANCE


GYMNASIUM_MODELS = (
    *("ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum"),
    *("inverted_pendulum", "point", "pusher", "reacher", "walker2d"),
)


@pytest.mark.parametrize("name", GYMNASIUM_MODELS)
def test_gymnasium(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo logs its warnings there
    path = package_folder("gymnasium") / "envs" / "mujoco" / "assets" / f"{name}.xml"
    check_file(path, tmp_path, "raise")
    assert len(load_mjcf(path).model.colliders) > 0


def test_gymnasium_swimmer_needs_its_fluid():
    path = package_folder("gymnasium") / "envs" / "mujoco" / "assets" / "swimmer.xml"
    with pytest.raises(InvalidArgument, match=r"<option>, line \d+: got 'density', expected no fluid"):
        load_mjcf(path)


SUITE = package_folder("dm_control")
SUITE_MODELS = (
    *("acrobot", "cartpole", "cheetah", "finger", "hopper", "humanoid", "humanoid_CMU", "pendulum"),
    *("reacher", "walker"),
)
WITH_TENDONS = ("ball_in_cup", "manipulator", "point_mass", "stacker")
"""Models with tendons as motors or ropes, which are not supported and do not change the smooth dynamics."""


if SUITE is not None:  # `pip install --no-deps dm_control`: too heavy for the extras of this package

    @pytest.mark.parametrize("name", SUITE_MODELS + WITH_TENDONS)
    def test_control_suite(name, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        check_file(SUITE / "suite" / f"{name}.xml", tmp_path, "warn" if name in WITH_TENDONS else "raise")


def test_cylinders_touch_and_are_written(tmp_path):
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="can" pos="0 0 0.2"><freejoint/><geom type="cylinder" size="0.05 0.1"/></body>
        </worldbody></mujoco>"""
    model = load_mjcf(text).model
    motion = simulate(model, h=0.005, duration=0.4)
    assert motion.poses("can")[-1, 2, 3] == pytest.approx(0.1, abs=1e-4)
    (tmp_path / "can.xml").write_text(to_mjcf(model))
    (shape,) = (each.shape for each in load_mjcf(tmp_path / "can.xml").model.colliders if each.body == 0)
    assert shape == Cylinder(0.05, 0.2)
