"""Robots to files: URDF, read again and by Pinocchio, and MJCF, compiled by MuJoCo."""

import pickle
from dataclasses import replace

import mujoco
import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import KINDS, body, frame, mujoco_model, mujoco_state, random_tree, unit

from rbnotes import inertia, joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import reduced
from rbnotes.multibody.formats import (
    Frame,
    LinkGeometry,
    Mimic,
    Robot,
    RobotJoint,
    example,
    load_urdf,
    to_mjcf,
    to_urdf,
)
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.shapes import Box, Capsule, Cylinder, Sphere

URDF_KINDS = {
    **{name: KINDS[name] for name in ("revolute", "prismatic")},
    "fixed": lambda rng: joints.Fixed(frame(rng)),
    "planar": lambda rng: joints.Free2D(),
    "floating": lambda rng: joints.Free3D(),
}


close = relative_comparison(1e-12)


def random_robot(seed, size=8):
    """Return dampers and limits on joints of one coordinate, one that mimics, and looks of all kinds."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, size, ("revolute", "prismatic", "fixed", "planar", "floating"), URDF_KINDS)
    links, about = [], []
    for i, link in enumerate(tree.links):
        single = link.joint.num_coordinates == 1
        links.append(replace(link, damping=rng.uniform(0, 1) if single else 0.0))
        if single and rng.random() < 0.7:
            lower, effort, velocity, friction = rng.uniform(0, 3, 4)
            about.append(RobotJoint(f"joint {i}", link.name, -lower, 1.0, effort, velocity, friction))
    if len(about) > 1:
        about[0] = replace(about[0], mimic=Mimic(about[-1].name, -1.7, 0.3))
    looks = [
        LinkGeometry(link, frame(rng), solid)
        for link, solid in zip(
            [None, links[-1].name, links[0].name],
            [Box([0.1, 0.2, 0.3]), Sphere(0.4), Cylinder(0.1, 0.7)],
            strict=True,
        )
    ]
    return Robot(Tree(links), f"robot {seed}", about, visuals=looks)


@pytest.mark.parametrize("seed", range(6))
def test_urdf_is_read_as_it_was_written(seed):
    robot = random_robot(seed)
    again = load_urdf(to_urdf(robot), weld=False)
    for link, other in zip(robot.tree.links, again.tree.links, strict=True):
        assert (link.name, link.parent) == (other.name, other.parent)
        q = np.random.default_rng(seed).normal(size=link.joint.num_coordinates)
        close(other.joint.num_coordinates, link.joint.num_coordinates)
        place, motion = link.placement @ link.joint.transform(q), other.joint.transform(q)
        close(other.placement @ motion, place)
        close(other.joint.motion_subspace(q), link.joint.motion_subspace(q))
        close(other.inertia, inertia.transform_inertia(link.body_frame, link.inertia))
        close(other.damping, link.damping)
        own, result = (each.joint_of_link(link.name) for each in (robot, again))
        assert result == own
    assert again.name == robot.name
    close(again.coordinates.jacobian(np.zeros(0)), robot.coordinates.jacobian(np.zeros(0)))
    shown, shown_again = ({each.solid: each for each in one.visuals} for one in (robot, again))
    for solid, look in shown.items():
        assert shown_again[solid].link == look.link
        close(shown_again[solid].pose, look.pose)
    q, v, a = np.random.default_rng(seed).normal(size=(3, robot.tree.num_coordinates))
    for function, state in ((reduced.mass_matrix, (q,)), (reduced.inverse_dynamics_dense, (q, v, a))):
        close(function(again.tree, *state), function(robot.tree, *state))


@pytest.mark.parametrize("name", ["arm", "torso", "gripper", "quadruped"])
def test_examples_are_read_as_they_were_written(name):
    robot = load_urdf(example(name))
    again = load_urdf(to_urdf(robot))
    assert [link.name for link in again.tree.links] == [link.name for link in robot.tree.links]
    assert dict(again.joints) == dict(robot.joints)
    assert set(again.frames) == set(robot.frames)
    for frame_name, frame_on_link in robot.frames.items():
        assert again.frames[frame_name].link == frame_on_link.link
        close(again.frames[frame_name].pose, frame_on_link.pose)
    for kind in ("visuals", "collisions"):
        solids, solids_again = (
            sorted(getattr(each, kind), key=lambda placed: str(placed[::2])) for each in (robot, again)
        )
        for one, other in zip(solids, solids_again, strict=True):
            assert (one.link, one.solid) == (other.link, other.solid)
            close(other.pose, one.pose)
    close(again.tree.inertias, robot.tree.inertias)


def test_rotated_planes_keep_their_links():
    """The frame of a link in a plane that is not xy is not that of the tree's joint."""
    text = to_urdf(random_robot(3)).replace('type="planar"', 'type="planar" note=""')
    text = text.replace('<axis xyz="0.0 0.0 1.0" />', '<axis xyz="1 2 -2" />')
    robot = load_urdf(text, weld=False)
    link_of_frame = next(
        frame_on_link.link
        for frame_on_link in robot.frames.values()
        if frame_on_link.link and not np.allclose(frame_on_link.pose, np.eye(4))
    )
    rng = np.random.default_rng(0)
    robot = replace(
        robot,
        frames={**robot.frames, "tool": Frame(link_of_frame, frame(rng))},
        visuals=[LinkGeometry(link_of_frame, frame(rng), Box([1, 2, 3]))],
    )
    again = load_urdf(to_urdf(robot), weld=False)
    q = rng.normal(size=robot.tree.num_coordinates)
    for name, frame_on_link in robot.frames.items():
        close(again.frames[name].pose, frame_on_link.pose)
    close(again.visuals[0].pose, robot.visuals[0].pose)
    close(reduced.poses(again.tree, q).joint_poses, reduced.poses(robot.tree, q).joint_poses)
    close(reduced.mass_matrix(again.tree, q), reduced.mass_matrix(robot.tree, q))


def test_gimbal_lock_and_names_of_the_world():
    rng = np.random.default_rng(1)
    quarter = se3.frame(joints.Revolute([0, 1, 0]).transform([np.pi / 2])[:3, :3], [1, 2, 3])
    near = quarter @ joints.Revolute(unit(rng)).transform([1e-9])
    links = [
        Link("world", joints.Revolute(), body(rng), placement=quarter),
        Link("world_", joints.Revolute(), body(rng), placement=near, parent="world"),
    ]
    again = load_urdf(to_urdf(Tree(links)), weld=False)
    close(again.tree.placements, np.stack([quarter, near]))
    assert again.frames["world__"].link is None


def test_links_with_the_names_of_other_joints():
    links = [link("a"), link("b", parent="a"), link("c", parent="b")]
    frames = {"j": Frame("c", np.eye(4)), "c": Frame("c", np.eye(4))}
    robot = Robot(Tree(links), joints=[RobotJoint("b", "a"), RobotJoint("j", "b")], frames=frames)
    assert [robot.joint_of_link(each.name).name for each in links] == ["b", "j", "c"]
    again = load_urdf(to_urdf(robot), weld=False)
    assert list(again.joints) == ["b", "j", "c"]
    assert again.frames["j"].link == "c"
    text = to_urdf(replace(robot, joints=[RobotJoint("b", "a"), RobotJoint("c", "b")]))
    assert list(load_urdf(text).joints) == ["b", "c", "c_"]
    pinocchio.buildModelFromXML(text)


@pytest.mark.parametrize("seed", range(3))
def test_urdf_for_pinocchio(seed):
    """Pinocchio reads the written file."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 7, ("revolute", "prismatic", "fixed"), URDF_KINDS)
    model = pinocchio.buildModelFromXML(to_urdf(Tree(tree.links)))
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    names = [link.name for link in tree.links if link.joint.num_coordinates]
    order = np.argsort([model.joints[model.getJointId(name)].idx_v for name in names])
    pinocchio_q = pinocchio.neutral(model)
    for name, angle in zip(names, q, strict=True):
        joint = model.joints[model.getJointId(name)]
        pinocchio_q[joint.idx_q : joint.idx_q + joint.nq] = (
            angle if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        )
    model.gravity.linear = np.array([0.0, 0.0, -9.80665])
    tree = Tree(tree.links, gravity=[0.0, 0.0, -9.80665])
    expected = pinocchio.rnea(model, model.createData(), pinocchio_q, v[order], a[order])
    close(reduced.inverse_dynamics_dense(tree, q, v, a)[order], expected, 1e-10)


def link(name="a", joint=None, **others):
    return Link(name, joint or joints.Revolute(), **{"inertia": np.eye(6), **others})


REFUSED_BY_URDF = {
    "universal": (Tree([link(joint=joints.Universal())]), r"link 'a': joint: got Universal\(\)"),
    "ball": (Tree([link(joint=joints.ExponentialSpherical())]), "'a': joint: got ExponentialSph"),
    "screw": (Tree([link(joint=joints.Helical())]), "link 'a': joint: got Helical"),
    "spring": (Tree([link(stiffness=1.0)]), "link 'a': stiffness: got .*URDF has no springs"),
    "damper": (
        Tree([link(joint=joints.Free2D(), damping=1.0)]),
        "link 'a': damping: got .*none on a planar joint",
    ),
    "one bound": (
        Robot(Tree([link()]), joints=[RobotJoint("j", "a", lower=0.0)]),
        "joint 'j': limit: got one",
    ),
    "capsule": (
        Robot(Tree([link()]), visuals=[LinkGeometry("a", np.eye(4), Capsule(0.1, 0.2))]),
        "link 'a': visual: got Capsule",
    ),
    "particle": (Tree([link()], masses=[1.0]), "tree: masses"),
    "force": (Tree([link()], applied_forces=lambda state: None), "tree: applied_forces"),
    "motor": (Tree([link()], applied_joint_forces=lambda state: None), "tree: applied_joint_forces"),
    "rotor": (Tree([link()], armature=0.1), "tree: armature"),
}


@pytest.mark.parametrize(("robot", "message"), REFUSED_BY_URDF.values(), ids=REFUSED_BY_URDF)
def test_unsupported_urdf_features_are_reported(robot, message):
    with pytest.raises(InvalidArgument, match=message):
        to_urdf(robot)


class TestMjcf:
    """The dynamics of random trees: test_against_mujoco.py."""

    @pytest.mark.parametrize("name", ["arm", "torso", "gripper", "quadruped"])
    def test_examples(self, name):
        """Links without mass lend their joints; looks have no mass and touch nothing."""
        robot = load_urdf(example(name), gravity=[0.1, 0.2, -9.0])
        unnamed = Robot(robot.tree, visuals=robot.visuals)
        tree, model = robot.tree, mujoco.MjModel.from_xml_string(to_mjcf(unnamed))
        data, rng = mujoco.MjData(model), np.random.default_rng(3)
        q, v, a = rng.normal(size=(3, tree.num_coordinates))
        state = mujoco_state(tree, model, q, v)
        data.qpos[:], data.qvel[:], data.qacc[:] = state.qpos, state.qvel, state.T @ a
        mujoco.mj_inverse(model, data)
        close(reduced.inverse_dynamics_dense(tree, q, v, a), state.T.T @ data.qfrc_inverse, 1e-10)
        lent = {link.name for link in tree.links if link.inertia is None}
        assert model.nbody == 1 + len(tree.links) - len(lent)
        assert model.ngeom == sum(look.link not in lent for look in robot.visuals)
        assert model.body_mass.sum() == pytest.approx(tree.inertias[:, 5, 5].sum())

    def test_names_limits_friction_and_followers(self):
        robot = load_urdf(example("gripper"))
        slide = replace(robot.joint("left_slide"), friction=0.7)
        robot = replace(
            robot, joints=[slide, *list(robot.joints.values())[:1], *list(robot.joints.values())[2:]]
        )
        model = mujoco.MjModel.from_xml_string(to_mjcf(robot))
        np.testing.assert_allclose(model.joint("left_slide").range, [0, 0.045])
        assert model.joint("left_slide").limited[0]
        assert not model.joint("wrist").limited[0]
        assert model.dof_frictionloss[model.joint("left_slide").dofadr[0]] == 0.7
        assert model.neq == 3
        tip = [model.joint(i).name for i in model.eq_obj1id].index("left_tip_bend")
        np.testing.assert_allclose(model.eq_data[tip, :2], [-0.1, 18.0])
        assert model.joint(model.eq_obj2id[tip]).name == "left_slide"

    def test_joints_between_links_without_mass(self):
        """Placed and turned against each other, and followed by several joints of one link."""
        rng = np.random.default_rng(7)
        links = [
            Link(
                "a", joints.Revolute(unit(rng)), None, None, frame(rng), stiffness=2.0, spring_reference=0.3
            ),
            Link("b", joints.Universal(), None, "a", frame(rng), damping=[0.3, 0.9]),
            Link("c", joints.ExponentialSpherical(), body(rng), "b", frame(rng), frame(rng)),
        ]
        tree = Tree(links)
        model = mujoco_model(tree)
        assert [model.joint(i).name for i in range(model.njnt)] == ["a", "b 0", "b 1", "c"]
        data, (q, v) = mujoco.MjData(model), rng.normal(size=(2, tree.num_coordinates))
        state = mujoco_state(tree, model, q, v)
        data.qpos[:], data.qvel[:] = state.qpos, state.qvel
        mujoco.mj_forward(model, data)
        close(data.body("c").xpos, reduced.poses(tree, q).joint_poses[2, :3, 3])
        close(state.T @ reduced.forward_dynamics_dense(tree, q, v) + state.drift, data.qacc, 1e-10)

    @pytest.mark.parametrize(
        ("links", "message"),
        [
            ([link(joint=joints.Helical())], "link 'a': joint: got Helical"),
            ([link(joint=joints.ExponentialSpherical(), damping=1.0)], "link 'a': damping: got"),
            ([link(joint=joints.Free3D(), stiffness=1.0)], "link 'a': stiffness: got"),
            ([link(inertia=inertia.spatial_inertia(1.0, np.zeros((3, 3))))], "link 'a': inertia"),
            (
                [
                    link(joint=joints.ExponentialSpherical(), inertia=None),
                    link("b", joints.Universal(), parent="a"),
                ],
                "link 'b': joint: got a ball followed by another rotation",
            ),
            (
                [link(inertia=None), *(link(n, parent="a") for n in "bc")],
                "link 'a': inertia: got no mass, and 2 links on it, expected mass, or a single link on it",
            ),
        ],
    )
    def test_unsupported_mjcf_features_are_reported(self, links, message):
        with pytest.raises(InvalidArgument, match=message):
            to_mjcf(Tree(links))


class TestRobots:
    tree = Tree([link(), link("b", joints.Universal(), parent="a")])

    @pytest.mark.parametrize(
        ("about", "message"),
        [
            ([RobotJoint("j", "x")], "name: got 'x', expected one of 'a', 'b'"),
            ([RobotJoint("j", "a"), RobotJoint("j", "b")], "joints: got two for 'j'"),
            ([RobotJoint("j", "a"), RobotJoint("k", "a")], "joints: got two for 'k' or 'a'"),
            ([RobotJoint("j", "b", lower=0.0)], "joint 'j': got 2 coordinates, expected one"),
            ([RobotJoint("j", "b", mimic=Mimic("k"))], "joint 'j': got 2 coordinates"),
            (
                [RobotJoint("j", "a", mimic=Mimic("k"))],
                "joint 'j': mimic: got 'k', expected a joint that moves",
            ),
        ],
    )
    def test_invalid_robots_are_rejected(self, about, message):
        with pytest.raises(InvalidArgument, match=message):
            Robot(self.tree, joints=about)

    def test_locked_joint(self):
        robot = Robot(self.tree, joints=[RobotJoint("j", "a", 0.5, 0.5)])
        with pytest.raises(InvalidArgument, match=r"joint 'j': limit: got 0\.5 twice"):
            _ = robot.limits


def test_collision_meshes_beside_a_urdf_become_convex_hulls(tmp_path):
    text = """<robot name="r"><link name="base"/><link name="arm">
      <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
      <visual><geometry><mesh filename="wedge.obj"/></geometry></visual>
      <collision><origin xyz="1 0 0"/>
        <geometry><mesh filename="{}" scale="1 2 3"/></geometry></collision></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>
      </robot>"""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0], [0.1, 0.1, 0.1]])
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]
    (tmp_path / "wedge.obj").write_text("\n".join(lines))
    (tmp_path / "robot.urdf").write_text(text.format("wedge.obj"))
    robot = load_urdf(tmp_path / "robot.urdf")
    assert robot.visuals == ()
    (collision,) = robot.collisions
    np.testing.assert_allclose(collision.pose[:3, 3], [1, 0, 0])
    expected = sorted(map(tuple, corners[:4] * [1, 2, 3]))
    assert sorted(map(tuple, collision.solid.vertices)) == expected
    (collider,) = pickle.loads(pickle.dumps(robot)).model().colliders
    assert sorted(map(tuple, collider.shape.vertices)) == expected
    # Other formats and places, and a text, which is in no folder.
    for name in ("wedge.ply", "package://r/wedge.obj", "../../wedge.obj", "none.stl"):
        (tmp_path / "robot.urdf").write_text(text.format(name))
        (phrase,) = load_urdf(tmp_path / "robot.urdf").unsupported_collisions
        assert phrase.startswith("link 'arm': collision mesh ")
    assert load_urdf(text.format("wedge.obj")).unsupported_collisions
    (tmp_path / "wedge.obj").write_text("v 1 2 x")
    (tmp_path / "robot.urdf").write_text(text.format("wedge.obj"))
    with pytest.raises(InvalidArgument, match=r"link 'arm'.*wedge.obj"):
        load_urdf(tmp_path / "robot.urdf")
