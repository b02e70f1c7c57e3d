"""Loop joints: rows and biases against differences, motions against closed forms and maximal coordinates."""

import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import body, frame, unit
from scipy.linalg import null_space
from test_constraints import branched_system, four_bars

from rbnotes import inertia, joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody import Body, Model, maximal, maximal_coordinates, reduced, simulate
from rbnotes.multibody.reduced import Link, LoopJoint, Tree, constrained_acceleration
from rbnotes.shapes import Box
from rbnotes.testing import derivative

close = relative_comparison(1e-8)
JOINTS = {
    "fixed": joints.Fixed(),
    "revolute": joints.Revolute([0.6, 0, 0.8]),
    "prismatic": joints.Prismatic([0, 0.6, 0.8]),
    "cylindrical": joints.Cylindrical(),
    "universal": joints.Universal(),
    "planar": joints.Free2D(),
    "spherical": joints.ExponentialSpherical(),
    "composite": joints.Composite(joints.Revolute([0, 1, 0]), joints.Prismatic([1, 0, 0])),
}
VARYING = {
    "universal and prismatic": joints.Composite(joints.Universal(), joints.Prismatic([0, 0.6, 0.8])),
    "curve": joints.SplineCurve(se3.exp(0.4 * np.random.default_rng(8).normal(size=(5, 6)))),
}
"""Joints with several rows that vary with the relative pose."""
ENDS = {"two bodies": "leg", "the world": None}


def closed_loop(joint, b, seed):
    """Return a branched tree in motion, and a loop joint that is closed at its state."""
    rng = np.random.default_rng(seed)
    tree, state = branched_system(rng)
    E = tree.maximal_state(state).E
    E_a, Q = frame(rng), joint.transform(rng.normal(size=joint.num_coordinates))
    other = np.eye(4) if b is None else E[tree.index(b)]
    E_b = se3.inverse(other) @ E[tree.index("hand")] @ E_a @ se3.inverse(Q)
    return tree, state, LoopJoint(joint, "hand", E_a, b, E_b)


@pytest.mark.parametrize("b", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_rows_and_biases_are_derivatives(joint, b):
    """Along any velocity, also one that opens the loop: at most one row varies with the pose."""
    tree, state, loop = closed_loop(joint, b, seed=5)
    rows = loop.rows(tree, state, 0.0)
    assert rows.G.shape == (6 - joint.num_dofs, state.size)
    close(rows.error, np.zeros(len(rows.error)))
    rng = np.random.default_rng(3)
    for along in rng.normal(size=(2, state.size)):
        rate = derivative(lambda t, d=along: loop.rows(tree, state.retract(t * d), 0.0).error)
        close(rows.G @ along, rate.value)
        moving = state.with_velocity(along)
        bias = derivative(lambda t, s=moving: loop.rows(tree, s.retract(t * s.velocity), 0.0).G @ s.velocity)
        close(loop.rows(tree, moving, 0.0).bias_acceleration, bias.value)


@pytest.mark.parametrize("b", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("joint", VARYING.values(), ids=VARYING)
def test_biases_of_varying_rows_hold_for_admissible_velocities(joint, b):
    tree, state, loop = closed_loop(joint, b, seed=5)
    rows = loop.rows(tree, state, 0.0)
    free = null_space(rows.G)
    rng = np.random.default_rng(3)
    for along in rng.normal(size=(2, state.size)):
        rate = derivative(lambda t, d=along: loop.rows(tree, state.retract(t * d), 0.0).error)
        close(rows.G @ along, rate.value, 1e-4)  # the search for the nearest pose has errors
        moving = state.with_velocity(free @ free.T @ along)
        bias = derivative(lambda t, s=moving: loop.rows(tree, s.retract(t * s.velocity), 0.0).G @ s.velocity)
        close(loop.rows(tree, moving, 0.0).bias_acceleration, bias.value, 1e-4)


def test_rows_allow_the_motions_of_the_joint():
    """Bodies that move as the joint allows keep the loop closed, at any size of the motion."""
    rng = np.random.default_rng(2)
    for joint in JOINTS.values():
        E_a, E_b = frame(rng), frame(rng)
        loop = LoopJoint(joint, "first", E_a, "second", E_b)
        links = [
            Link("second", joints.Free3D(), body(rng), None, np.eye(4)),
            Link("first", joint, body(rng), "second", E_b, se3.inverse(E_a)),
        ]
        tree = Tree(links)
        state = State(q=rng.normal(size=tree.num_coordinates), qdot=rng.normal(size=tree.num_coordinates))
        rows = loop.rows(tree, state, 0.0)
        close(rows.error, np.zeros(6 - joint.num_dofs))
        close(rows.G, np.zeros(rows.G.shape))
        bias = derivative(
            lambda t, tree=tree, loop=loop, s=state: (
                loop.rows(tree, s.retract(t * s.velocity), 0.0).G @ s.velocity
            )
        )
        close(rows.bias_acceleration, bias.value)


def test_fixed_joint_makes_one_body():
    """Two links on joints of their own to the world, welded, accelerate like a single free body."""
    rng = np.random.default_rng(4)
    inertias, E, to_other = (body(rng), body(rng)), frame(rng), frame(rng)
    links = [
        Link("first", joints.Free3D(), inertias[0], None, E),
        Link("second", joints.Free3D(), inertias[1], None, E @ to_other),
    ]
    tree = Tree(links, gravity=[0.3, -0.2, -9.0])
    weld = LoopJoint(joints.Fixed(), "first", to_other, "second", np.eye(4))
    twist, S = rng.normal(size=6), joints.Free3D().motion_subspace(np.zeros(6))
    velocities = [np.linalg.solve(S, phi) for phi in (twist, se3.Ad(se3.inverse(to_other)) @ twist)]
    state = State(q=np.zeros(12), qdot=np.concatenate(velocities))
    rows = weld.rows(tree, state, 0.0)
    close(rows.error, np.zeros(6))
    close(rows.G @ state.qdot, np.zeros(6))
    a, _ = constrained_acceleration(tree, [weld], state)
    together = inertias[0] + inertia.transform_inertia(to_other, inertias[1])
    single = Tree([Link("both", joints.Free3D(), together, None, E)], gravity=[0.3, -0.2, -9.0])
    expected, _ = constrained_acceleration(single, [], State(q=np.zeros(6), qdot=velocities[0]))
    close(a[:6], expected, 1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_redundant_rows_of_four_bars(seed):
    """Five rows of a revolute joint close the loop as the two of a loop closure do."""
    tree, closure, state = four_bars(seed)
    E = tree.maximal_state(state).E
    a, b = E[tree.index(closure.a)], E[tree.index(closure.b)]
    joint_pose = a @ se3.inverse(tree.links[tree.index(closure.a)].body_frame)
    joint_pose[:3, 3] = se3.transform_points(a, closure.x_a)
    frames = (se3.inverse(each) @ joint_pose for each in (a, b))
    loop = LoopJoint(joints.Revolute(), closure.a, next(frames), closure.b, next(frames))
    rows = loop.rows(tree, state, 0.0)
    assert len(rows.G) == 5
    assert np.linalg.matrix_rank(rows.G, 1e-9) == 2
    qddot, _ = constrained_acceleration(tree, [loop], state)
    expected, _ = constrained_acceleration(tree, [closure], state)
    close(qddot, expected)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_accelerations_equal_those_in_maximal_coordinates(joint):
    """A chain of three bodies in general frames whose last body is held by the loop joint."""
    rng = np.random.default_rng(7)
    kinds = [joints.ExponentialSpherical(), joints.Cylindrical(), joints.ExponentialSpherical()]
    bodies = [
        Body(
            str(k),
            inertia=body(rng),
            joint=kind,
            parent=str(k - 1) if k else None,
            joint_frame=frame(rng),
            body_frame=frame(rng),
        )
        for k, kind in enumerate(kinds)
    ]
    chain = Model(bodies, gravity=rng.normal(size=3) * 5)
    q = {name: 0.4 * rng.normal(size=kind.num_coordinates) for name, kind in zip("012", kinds, strict=True)}
    E = chain.body_state(chain.state(q=q)).E[2]
    E_a, Q = frame(rng), joint.transform(rng.normal(size=joint.num_coordinates))
    loop = LoopJoint(joint, "2", E_a, None, E @ E_a @ se3.inverse(Q))
    model = Model(bodies, gravity=chain.gravity, constraints=[loop])
    start = model.state(q=q)
    free = null_space(loop.rows(model.tree, model.tree_state(start), 0.0).G)
    start = start.with_velocity(free @ rng.normal(size=free.shape[1]))
    tree_state, conversion = model.tree_state(start), maximal_coordinates(model)
    qddot, _ = constrained_acceleration(model.tree, model.constraints, tree_state)
    expected = maximal.accelerations(conversion.maximal_model, conversion.maximal_state(start)).phidot
    rates = reduced.jacobian(model.tree, tree_state.q) @ qddot
    rates += reduced.jacobian_rate(model.tree, tree_state.q, tree_state.qdot) @ tree_state.qdot
    close(rates.reshape(-1, 6), expected)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_shafts_with_a_universal_joint(coordinates):
    """The ratio of the speeds is the textbook's, and the energy constant."""
    bend = np.radians(40)
    shaft = inertia.spatial_inertia(1.0, np.diag([0.01, 0.01, 0.002]))
    along_x = so3.exp([0, -np.pi / 2, 0])  # z along -x
    driving, driven = se3.frame(along_x, np.zeros(3)), se3.frame(so3.exp([0, 0, bend]) @ along_x, np.zeros(3))
    bodies = [
        Body("driving", inertia=shaft, joint=joints.Revolute(), joint_frame=driving),
        Body("driven", inertia=shaft, joint=joints.Revolute(), joint_frame=driven),
    ]
    cross = LoopJoint(joints.Universal(), "driven", np.eye(4), "driving", np.eye(4))
    model = Model(bodies, constraints=[cross], gravity=[0, 0, 0])
    start = model.state(qdot={"driving": 6.0, "driven": 6.0 * np.cos(bend)})
    motion = simulate(model, start, h=0.02, steps=75, coordinates=coordinates)
    angle, speed = motion.q("driving")[:, 0], motion.qdot("driving")[:, 0]
    ratio = motion.qdot("driven")[:, 0] / speed
    assert ratio.max() > 1.3
    assert ratio.min() < 0.77
    np.testing.assert_allclose(
        ratio, np.cos(bend) / (1 - np.sin(bend) ** 2 * np.sin(angle - angle[0]) ** 2), atol=1e-8
    )


def test_errors_are_named():
    eye = np.eye(4)
    for make, message in (
        (lambda: LoopJoint(joints.Fixed(), "hand", eye, "hand", eye), "another body"),
        (lambda: LoopJoint(joints.Fixed(), "hand", np.eye(3), None, eye), "E_a"),
        (lambda: LoopJoint("fixed", "hand", eye, None, eye), "joint: got str, expected JointType"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            make()
    tree, state = branched_system(np.random.default_rng(0))
    with pytest.raises(InvalidArgument, match="'nose', expected one of 'trunk'"):
        LoopJoint(joints.Fixed(), "nose", eye, None, eye).rows(tree, state, 0.0)


def test_boxes_on_a_weld_move_together():
    """Welded boxes fall and rotate as one body in both coordinates, in compiled steps, too."""
    rng = np.random.default_rng(6)
    box, E_a = Box([0.2, 0.3, 0.4]), se3.frame(so3.exp([0.3, -0.2, 0.5]), [0.4, 0.1, 0.2])
    pose = frame(rng)
    bodies = [Body("a", box, mass=1.0, pose=pose), Body("b", box, mass=2.0, pose=pose @ E_a)]
    model = Model(bodies, constraints=[LoopJoint(joints.Fixed(), "a", E_a, "b", np.eye(4))])
    twist = unit(rng) * 2
    twists = {"a": np.append(twist, [0.3, 0.1, -0.2])}
    twists["b"] = se3.Ad(se3.inverse(E_a)) @ twists["a"]
    start = model.state(twists=twists)
    single = Model(
        [
            Body(
                "both",
                inertia=box.spatial_inertia(mass=1.0)
                + inertia.transform_inertia(E_a, box.spatial_inertia(mass=2.0)),
                pose=pose,
            )
        ]
    )
    expected = simulate(single, single.state(twists={"both": twists["a"]}), h=0.005, steps=40)
    for options in (
        {"coordinates": "reduced"},
        {"coordinates": "maximal"},
        {"coordinates": "maximal", "compiled": True},
    ):
        motion = simulate(model, start, h=0.005, steps=40, **options)
        np.testing.assert_allclose(motion.poses("a"), expected.poses("both"), atol=3e-4)
        relative = np.linalg.inv(motion.poses("a")) @ motion.poses("b")
        np.testing.assert_allclose(relative, np.broadcast_to(E_a, relative.shape), atol=1e-8)
