"""Robots from URDF: against Pinocchio, and errors in files."""

import cProfile
import pstats
from pathlib import Path
from time import process_time
from types import SimpleNamespace

import numpy as np
import pinocchio
import pinocchio_robots
import pytest
from closeness import relative_comparison

from rbnotes import inertia, joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody import reduced
from rbnotes.multibody.formats import RobotJoint, example, load_urdf
from rbnotes.multibody.formats.urdf import _sort_joints
from rbnotes.multibody.reduced import JointLimit
from rbnotes.multibody.reduced.link import sort_links
from rbnotes.shapes import Box, Cylinder

EXAMPLES = ("arm", "torso", "gripper", "quadruped")


close = relative_comparison(1e-10, min_scale=1e-3)


def assert_agrees(robot, model, seed):
    """Assert that mass matrix, dynamics and all frames agree at a random state."""
    tree, rng = robot.tree, np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    pinocchio_state = pinocchio_robots.reference(robot, model, q, v)
    close(reduced.mass_matrix(tree, q), pinocchio_robots.mass_matrix(pinocchio_state))
    dampers = reduced.passive_joint_forces(tree, q, v)
    force = reduced.inverse_dynamics_dense(tree, q, v, a) + dampers
    close(force, pinocchio_robots.inverse_dynamics(pinocchio_state, v, a))
    close(
        reduced.forward_dynamics_dense(tree, q, v, a - dampers),
        pinocchio_robots.forward_dynamics(pinocchio_state, v, a),
    )
    motion = reduced.body_kinematics(tree, q, v)
    for name, frame in robot.frames.items():
        pose, J = pinocchio_robots.frame(pinocchio_state, name)
        if frame.link is None:
            close(frame.pose, pose)
            continue
        i = tree.index(frame.link)
        close(motion.joint_poses[i] @ frame.pose, pose)
        close(se3.Ad_inverse(frame.pose) @ np.linalg.inv(tree.joint_to_body_adjoints[i]) @ motion.J[i], J)


@pytest.mark.parametrize("weld", [True, False])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_with_a_fixed_base(name, weld):
    robot = load_urdf(example(name), weld=weld, gravity=[0.0, 0.0, -9.81])
    model = pinocchio.buildModelFromUrdf(str(example(name)))
    assert robot.tree.num_coordinates == model.nv
    assert_agrees(robot, model, 1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_with_a_free_base(name):
    """The mount of the gripper has no mass, but the bodies fixed to it have."""
    robot = load_urdf(example(name), base=joints.Free3D(), gravity=[0.0, 0.0, -9.81])
    assert_agrees(robot, pinocchio.buildModelFromUrdf(str(example(name)), pinocchio.JointModelFreeFlyer()), 2)


def test_fixed_joints_are_merged():
    robot = load_urdf(example("arm"))
    assert [link.name for link in robot.tree.links] == [
        *("shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "hand")
    ]
    assert robot.frames["base"].link is None
    assert robot.frames["tool"].link == robot.frames["camera"].link == "hand"
    assert robot.tree.inertias[5, 5, 5] == pytest.approx(0.9 + 0.12)
    apart = load_urdf(example("arm"), weld=False)
    assert [link.name for link in apart.tree.links][6:] == ["camera"]  # the tool has no mass: a frame
    assert apart.frames["tool"].link == "hand"
    assert robot.name == "arm"


def test_joints_of_the_examples():
    robot = load_urdf(example("arm"))
    assert robot.tree.links[4].joint == joints.Revolute([0.0, 1.0, 0.0])
    assert robot.joint("elbow") == RobotJoint("elbow", "forearm", -2.6, 2.6, 120.0, 2.8)
    assert robot.joint("wrist_roll") == RobotJoint("wrist_roll", "hand")
    assert robot.joint_of_link("hand").name == "wrist_roll"
    assert JointLimit("upper_arm", -2.0, 2.0) in robot.limits
    assert len(robot.limits) == 4
    np.testing.assert_allclose(robot.tree.joint_parameter("damping"), [0.4, 0.4, 0.3, 0.1, 0.08, 0.05])
    with pytest.raises(InvalidArgument, match="'nose', expected one of 'base_turn'"):
        robot.joint("nose")
    with pytest.raises(
        InvalidArgument, match="name: got 'nose', expected one of 'arm', 'gripper', 'quadruped', 'torso'"
    ):
        example("nose")


def test_links_without_mass_in_between():
    tree = load_urdf(example("torso")).tree
    assert [link.name for link in tree.links if link.inertia is None] == [
        *("waist", "neck", "left_shoulder", "right_shoulder")
    ]


def test_visuals():
    robot = load_urdf(example("arm"))
    base = robot.visuals[0]
    assert base.link is None
    assert base.solid == Cylinder(0.09, 0.12)
    np.testing.assert_allclose(base.pose[:3, 3], [0, 0, 0.06])
    camera = robot.visuals[-1]
    assert camera.link == "hand"
    assert camera.solid == Box([0.03, 0.08, 0.025])
    mount = se3.frame(so3.exp([0, 0.6, 0]), [0.06, 0, 0.03])
    own = se3.frame(so3.exp([0, 0, 0.1]), [0.01, 0, 0])
    np.testing.assert_allclose(camera.pose, mount @ own, atol=1e-15)


class TestMimic:
    def test_gripper_against_pinocchio(self):
        """Hyper-reduced there, too; its joints that mimic have no velocities of their own."""
        robot = load_urdf(example("gripper"), gravity=[0.0, 0.0, -9.81])
        system = reduced.reduce_coordinates(robot.tree, robot.coordinates)
        state = State(q=[0.3, 0.02], qdot=[0.7, -0.4])
        model = pinocchio.buildModelFromUrdf(str(example("gripper")), True)
        data = model.createData()
        assert (model.names[2], model.nv) == ("left_slide", 2)
        q = np.array([np.cos(0.3), np.sin(0.3), 0.02])
        upper = np.triu(pinocchio.crba(model, data, q, pinocchio.Convention.LOCAL))
        close(system.mass_matrix(state), upper + np.triu(upper, 1).T)
        whole = system.expand(state)
        np.testing.assert_allclose(whole.q[1:], [0.02, 18 * 0.02 - 0.1, 0.02, 18 * 0.02 - 0.1], atol=1e-15)
        bias = pinocchio.rnea(model, data, q, state.qdot, np.zeros(2))
        dampers = system.reduction(state).J.T @ reduced.passive_joint_forces(robot.tree, whole.q, whole.qdot)
        close(-system.force(state), bias - dampers)

    def test_chains(self):
        text = robot_of(["a", "b", "c", "d"])
        text = text.replace("<!--b-->", "<mimic joint='d' multiplier='2' offset='0.5'/>")
        text = text.replace("<!--a-->", "<mimic joint='b' multiplier='-3'/>")
        coordinates = load_urdf(text).coordinates
        c, d = 0.2, 0.7
        b = 2 * d + 0.5
        np.testing.assert_allclose(coordinates.q(np.array([c, d])), [-3 * b, b, c, d])

    def test_invalid_mimic_chains_are_rejected(self):
        text = robot_of(["a", "b"]).replace("<!--a-->", "<mimic joint='b'/>")
        cycle = text.replace("<!--b-->", "<mimic joint='a'/>")
        with pytest.raises(InvalidArgument, match="joint 'b': mimic: got a -> b -> a, expected no cycle"):
            load_urdf(cycle)
        with pytest.raises(InvalidArgument, match="joint 'a': mimic: got 'x', expected a joint of the file"):
            load_urdf(text.replace("joint='b'", "joint='x'"))
        repaired = load_urdf(text.replace("joint='b'", "joint='x'"), repair=True)
        assert repaired.repairs == ("joint 'a': mimic: no joint 'x', moves by itself",)
        assert repaired.coordinates.num_coordinates == 2
        free = text.replace("name='b' type='continuous'", "name='b' type='floating'")
        with pytest.raises(InvalidArgument, match="joint 'a': mimic: got 'b' with 6 coordinates"):
            load_urdf(free)

    def test_mimic_of_a_fixed_joint(self):
        text = robot_of(["a", "b"]).replace("<!--a-->", "<mimic joint='b' offset='0.4'/>")
        fixed = load_urdf(text.replace("name='b' type='continuous'", "name='b' type='fixed'"), weld=False)
        assert fixed.tree.num_coordinates == 0
        placement = se3.frame(so3.exp([0, 0.4, 0]), [0, 0, 0.1])
        np.testing.assert_allclose(fixed.tree.links[0].placement, placement, atol=1e-15)


BODY = (
    "<inertial><origin xyz='0.1 0 0.2' rpy='0.3 -0.5 0.7'/><mass value='2'/>"
    "<inertia ixx='0.1' ixy='0.01' ixz='0' iyy='0.2' iyz='-0.02' izz='0.15'/></inertial>"
)


def robot_of(names, kind="continuous"):
    """Return a chain of joints about y; each link has the name of its joint."""
    text, parent = "<robot name='chain'><link name='ground'/>", "ground"
    for name in names:
        text += f"<link name='{name}'>{BODY}</link><joint name='{name}' type='{kind}'>"
        text += f"<parent link='{parent}'/><child link='{name}'/><origin xyz='0 0 0.1'/>"
        text += (
            f"<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='3' velocity='2'/><!--{name}--></joint>"
        )
        parent = name
    return text + "</robot>"


def test_inertia_origin_is_applied():
    M = load_urdf(robot_of(["a"])).tree.inertias[0]
    J = np.array([[0.1, 0.01, 0], [0.01, 0.2, -0.02], [0, -0.02, 0.15]])
    R = so3.exp([0, 0, 0.7]) @ so3.exp([0, -0.5, 0]) @ so3.exp([0.3, 0, 0])
    omega, v = np.array([0.4, -0.3, 0.9]), np.array([0.2, 0.5, -0.7])
    at_center, local = v + np.cross(omega, [0.1, 0, 0.2]), R.T @ omega
    energy = at_center @ at_center + local @ J @ local / 2
    twist = np.append(omega, v)
    assert twist @ M @ twist / 2 == pytest.approx(energy, rel=1e-13)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_planar_and_floating_joints(kind):
    """Pinocchio takes z for the normal of all planes; here it is."""
    text = robot_of(["a", "b"], kind).replace("axis xyz='0 1 0'", "axis xyz='0 0 3'")
    robot = load_urdf(text, gravity=[0.0, 0.0, -9.81])
    assert_agrees(robot, pinocchio.buildModelFromXML(text), 3)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_default_axis_is_x(kind):
    text = robot_of(["a", "b"], kind).replace("<axis xyz='0 1 0'/>", "")
    assert "axis" not in text
    robot = load_urdf(text, gravity=[0.0, 0.0, -9.81])
    assert_agrees(robot, pinocchio.buildModelFromXML(text), 3)


def test_other_planes():
    text = robot_of(["a", "b"], "planar").replace("axis xyz='0 1 0'", "axis xyz='1 -2 0.5'")
    robot, normal = load_urdf(text), np.array([1, -2, 0.5]) / np.linalg.norm([1, -2, 0.5])
    q = np.random.default_rng(4).normal(size=6)
    poses = reduced.poses(robot.tree, q).joint_poses
    first, second = (poses[i] @ robot.frames[name].pose for i, name in enumerate("ab"))
    for relative in (first, np.linalg.inv(first) @ second):
        displacement = relative[:3, 3] - [0, 0, 0.1]
        assert displacement @ normal == pytest.approx(0, abs=1e-14)
        np.testing.assert_allclose(relative[:3, :3] @ normal, normal, atol=1e-14)
        assert np.linalg.norm(displacement) > 0.1
    at_rest = reduced.poses(robot.tree, 0 * q).joint_poses[1] @ robot.frames["b"].pose
    np.testing.assert_allclose(at_rest, se3.frame(np.eye(3), [0, 0, 0.2]), atol=1e-14)
    # Inertia and all: the two links are as heavy wherever their planes' own axes point.
    M = reduced.mass_matrix(robot.tree, 0 * q)
    np.testing.assert_allclose(M[:2, :2], 4 * np.eye(2), atol=1e-14)


AXIS, ORIGIN = "<axis xyz='0 1 0'/>", "<origin xyz='0 0 0.1'/>"
LIMIT = "<limit lower='-1' upper='1' effort='3' velocity='2'/>"

BROKEN = {
    "two links": ("name='b'>", "name='a'>", "source: got two links named 'a'"),
    "two joints": ("joint name='b'", "joint name='a'", "source: got two joints named 'a'"),
    "no name": ("link name='ground'", "link", "link: got <link> without 'name'"),
    "no such link": ("child link='b'", "child link='x'", "joint 'b': got 'x', expected links of the file"),
    "loop": ("child link='b'", "child link='a'", "joint 'b': got link 'a', which joint 'a' carries"),
    "cycle": ("parent link='ground'", "parent link='b'", "source: got links 'a', 'b' in a cycle"),
    "two roots": (
        "<link name='ground'/>",
        "<link name='ground'/><link name='lost'/>",
        "source: got links 'ground', 'lost', expected one link that no joint carries",
    ),
    "kind": ("'revolute'", "'screw'", "joint 'a': type: got 'screw', expected one of 'fixed', 'revolute'"),
    "no limits": (LIMIT, "", "joint 'a': got a revolute joint without <limit>"),
    "limits": ("lower='-1'", "lower='2'", "joint 'a': limit: got lower 2, upper 1"),
    "effort": ("effort='3'", "effort='-3'", "joint 'a': effort: got -3"),
    "two inertials": (BODY, 2 * BODY, "link 'a': got 2 <inertial> elements, expected one"),
    "two axes": (AXIS, 2 * AXIS, "joint 'a': got 2 <axis> elements, expected one"),
    "two limits": (LIMIT, 2 * LIMIT, "joint 'a': got 2 <limit> elements, expected one"),
    "two origins": (ORIGIN, 2 * ORIGIN, "joint 'a': got 2 <origin> elements, expected one"),
    "two origins of a body": (
        "<mass ",
        "<origin/><origin/><mass ",
        "link 'a': inertial: got 3 <origin> elements, expected one",
    ),
    "two dynamics": (LIMIT, LIMIT + 2 * "<dynamics/>", "joint 'a': got 2 <dynamics> elements"),
    "two mimics": (LIMIT, LIMIT + 2 * "<mimic joint='b'/>", "joint 'a': got 2 <mimic> elements"),
    "short axis": ("axis xyz='0 1 0'", "axis xyz='0 1e-200 0'", "joint 'a': axis: got 0 1e-200 0, expected"),
    "long axis": (
        "axis xyz='0 1 0'",
        "axis xyz='0 1e200 0'",
        "joint 'a': axis xyz: got '0 1e200 0'",
    ),
    "huge mass": ("value='2'", "value='1e200'", "link 'a': mass value: got '1e200', .* smaller than 1e.100"),
    "tiny mass": ("value='2'", "value='1e-200'", "link 'a': mass: got 1e-200, expected numbers greater than"),
    "huge inertia": ("ixx='0.1'", "ixx='1e200'", "link 'a': inertia ixx: got '1e200'"),
    "far away": ("xyz='0 0 0.1'", "xyz='0 0 1e200'", "joint 'a': origin xyz: got '0 0 1e200'"),
    "axis": ("axis xyz='0 1 0'", "axis xyz='0 0 0'", "joint 'a': axis: got 0 0 0, expected a direction"),
    "numbers": ("xyz='0 0 0.1'", "xyz='0 0'", "joint 'a': origin xyz: got '0 0', expected 3 numbers"),
    "words": ("value='2'", "value='heavy'", "link 'a': mass value: got 'heavy', expected one number"),
    "digit groups": ("value='2'", "value='2_0'", "link 'a': mass value: got '2_0', expected one number"),
    "other digits": (
        "value='2'",
        "value='\u0662'",
        "link 'a': mass value: got '\u0662'",
    ),
    "capital element": (AXIS, AXIS.replace("axis", "Axis"), "joint 'a': got 'Axis', expected 'axis'"),
    "capital attribute": ("xyz='0 1 0'", "XYZ='0 1 0'", "joint 'a': axis: got 'XYZ', expected 'xyz'"),
    "NaN": ("ixx='0.1'", "ixx='nan'", "link 'a': inertia ixx: got 'nan', expected one number"),
    "no mass": ("<mass value='2'/>", "", "link 'a': inertial: got 0 <mass> elements, expected one"),
    "entries": ("ixy='0.01'", "", "link 'a': got <inertia> without 'ixy'"),
    "negative": ("value='2'", "value='-2'", "link 'a': mass: got -2, expected numbers greater than 0"),
    "triangle": ("iyy='0.2'", "iyy='0.4'", "link 'a': inertia: got principal moments .*none larger than"),
    "indefinite": ("ixy='0.01'", "ixy='0.3'", "link 'a': inertia: got principal moments -.*none negative"),
    "inertia alone": ("value='2'", "value='0'", "link 'a': inertia: got inertia without mass"),
    "damping": (LIMIT, LIMIT + "<dynamics damping='-1'/>", "link 'a': damping: got -1"),
    "shape": (
        BODY,
        BODY + "<visual><geometry><sphere radius='-1'/></geometry></visual>",
        "link 'a': sphere radius: got -1",
    ),
}


@pytest.mark.parametrize(("old", "new", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_files(old, new, message):
    text = robot_of(["a", "b"], "revolute")
    assert old in text
    with pytest.raises(InvalidArgument, match=message):
        load_urdf(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot><link></robot>", "source: got XML with an error"),
        ("<sdf/>", "source: got <sdf>, expected a URDF file"),
        ("<robot/>", "source: got no link, expected one link that no joint carries"),
        ("<robot><link name='a'/></robot>", "source: got a robot none of whose joints moves"),
        (robot_of(["a"]).replace("<link name='ground'/>", ""), "joint 'a': got 'ground', expected links of"),
        (robot_of(["a"], "planar").replace("<!--a-->", "<dynamics damping='1'/>"), "none on a planar joint"),
    ],
)
def test_non_urdf_files_are_rejected(text, message):
    with pytest.raises(InvalidArgument, match=message):
        load_urdf(text)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_urdf(tmp_path / "none.urdf")


@pytest.mark.parametrize(
    "source", ["robot\0.urdf", Path("robot\0.urdf"), "robot\ud800.urdf", "<robot\ud800/>"]
)
def test_names_that_no_file_has(source):
    with pytest.raises(InvalidArgument, match="source: got a source that cannot be read"):
        load_urdf(source)


def test_an_encoding_that_is_unknown(tmp_path):
    (tmp_path / "robot.urdf").write_bytes(b"<?xml version='1.0' encoding='nonsense'?><robot/>")
    with pytest.raises(InvalidArgument, match="source: got"):
        load_urdf(tmp_path / "robot.urdf")


def test_limits_may_be_unbounded():
    text = robot_of(["a"], "revolute").replace("upper='1'", "upper='1.7976931348623157e308'")
    assert load_urdf(text).joint("a").upper == np.inf


class TestManyLinks:
    def test_the_first_joint_of_the_file_that_can_be_placed_goes_first(self):
        parents = {"f": "e", "d": "b", "b": "a", "e": "a", "c": "b", "g": "d"}
        joints = [
            SimpleNamespace(name=child, child=child, parent=parent) for child, parent in parents.items()
        ]
        root, placed = _sort_joints(dict.fromkeys("abcdefg"), joints)
        assert (root, "".join(joint.child for joint in placed)) == ("a", "bdefcg")

    def test_links_keep_their_order_in_each_pass(self):
        parents = {"f": "e", "d": "b", "b": "a", "e": "a", "c": "b", "g": "d", "a": None}
        links = tuple(SimpleNamespace(name=name, parent=parent) for name, parent in parents.items())
        assert "".join(link.name for link in sort_links(links)) == "abecfdg"

    def test_the_time_to_sort_grows_linearly(self):
        """A chain whose last link is given first; in quadratic time this takes minutes."""
        size = 20_000
        names = [str(i) for i in range(size)]
        links = [
            SimpleNamespace(name=name, child=name, parent=names[i - 1] if i else None)
            for i, name in enumerate(names)
        ][::-1]
        start = process_time()
        _, placed = _sort_joints(dict.fromkeys(names), links[:-1])
        assert [joint.child for joint in placed] == names[1:]
        assert [link.name for link in sort_links(tuple(links))] == names
        assert process_time() - start < 10


class TestWithoutMass:
    """A chain whose last links have no mass."""

    text = robot_of(["a", "b", "c"]).replace(f"<link name='b'>{BODY}", "<link name='b'>")
    ends = text.replace(f"<link name='c'>{BODY}", "<link name='c'>")

    def test_massless_intermediate_links(self):
        assert load_urdf(self.text).tree.links[1].inertia is None

    def test_movable_massless_ends_are_rejected(self):
        message = "link 'b': inertia: got no mass, expected mass, for it or .* because joint 'b' moves it"
        with pytest.raises(InvalidArgument, match=message):
            load_urdf(self.ends)

    def test_massless_ends_can_be_locked(self):
        robot = load_urdf(self.ends, repair=True)
        assert robot.repairs == tuple(f"joint {name!r}: carries no mass, held at zero" for name in "bc")
        assert robot.tree.num_coordinates == 1
        np.testing.assert_allclose(robot.frames["c"].pose[:3, 3], [0, 0, 0.2])

    def test_fixed_ends_are_frames(self):
        fixed = self.ends.replace("name='b' type='continuous'", "name='b' type='fixed'")
        fixed = fixed.replace("name='c' type='continuous'", "name='c' type='fixed'")
        for weld in (True, False):
            robot = load_urdf(fixed, weld=weld)
            assert [link.name for link in robot.tree.links] == ["a"]
            assert robot.frames["c"].link == "a"


class TestRepairs:
    def test_nearest_inertia(self):
        robot = load_urdf(robot_of(["a"]).replace("iyy='0.2'", "iyy='0.4'"), repair=True)
        assert len(robot.repairs) == 1
        assert robot.repairs[0].startswith("link 'a': inertia: principal moments")
        J = np.array([[0.1, 0.01, 0], [0.01, 0.4, -0.02], [0, -0.02, 0.15]])
        R = so3.exp([0, 0, 0.7]) @ so3.exp([0, -0.5, 0]) @ so3.exp([0.3, 0, 0])
        rotational_inertia = inertia.from_spatial_inertia(robot.tree.inertias[0]).inertia
        np.testing.assert_allclose(rotational_inertia, R @ inertia.nearest_inertia(J) @ R.T, atol=1e-14)
        assert np.linalg.norm(rotational_inertia - R @ J @ R.T) > 0.05

    def test_inertia_without_mass_is_left_out(self):
        text = robot_of(["a", "b"]).replace("value='2'", "value='0'", 1)
        assert load_urdf(text, repair=True).tree.links[0].inertia is None

    def test_consistent_inertia_needs_no_repair(self):
        assert load_urdf(example("torso"), repair=True).repairs == ()

    def test_rounded_zero_moments_are_accepted(self):
        """Accept the inertia of a point as CAD programs export it."""
        point = "ixx='0' ixy='2.4e-20' ixz='0' iyy='0' iyz='0' izz='0'"
        text = robot_of(["a", "b"]).replace(
            "ixx='0.1' ixy='0.01' ixz='0' iyy='0.2' iyz='-0.02' izz='0.15'", point, 1
        )
        tree = load_urdf(text).tree
        assert tree.inertias[0, 5, 5] == 2
        assert np.linalg.eigvalsh(tree.inertias[0])[0] < 1e-15
        reduced.forward_dynamics_dense(tree, np.zeros(2), np.zeros(2))


def test_number_of_calls_is_proportional_to_the_number_of_links():
    """Calls are counted, because times depend on the load of the machine: 4,000 links take two seconds."""

    def calls_per_link(count, parent):
        body = """<inertial><origin xyz="0.1 0 0.2" rpy="0 0.1 0"/><mass value="1.5"/><inertia ixx="0.1"
            iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
        solid = '<origin rpy="0.2 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry>'
        links = "".join(
            f'<link name="l{i}">{body}<visual>{solid}</visual><collision>{solid}</collision></link>'
            for i in range(count)
        )
        carrying = "".join(
            f"""<joint name="j{i}" type="revolute"><parent link="l{parent(i)}"/><child link="l{i}"/>
            <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>"""
            for i in range(1, count)
        )
        profile = cProfile.Profile()
        profile.runcall(load_urdf, f'<robot name="r">{links}{carrying}</robot>')
        return pstats.Stats(profile).total_calls / count

    for parent in (lambda i: i - 1, lambda i: 0, lambda i: i // 2):
        few, many = (calls_per_link(count, parent) for count in (100, 400))
        assert many < 1.05 * few
        assert many < 1000
