"""Friction in joints on scenes: closed forms, other codes, loops, the ground."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import mujoco
import numpy as np
import pytest

from rbnotes import inertia, joints, multibody
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import Status
from rbnotes.contact import Contacts
from rbnotes.dynamics import State, StepProblem, constrained_step, symplectic_euler
from rbnotes.friction import (
    Bearing,
    box_friction,
    journal_bearing,
    prismatic_guide,
    residual_tracking,
    spherical_bearing,
    staggered_projections,
)
from rbnotes.multibody import Body, Model
from rbnotes.multibody.reduced import (
    BispNotConverged,
    Link,
    LoopClosure,
    Tree,
    assemble_configuration,
    bisp_step,
    gyroscopic_and_gravity_wrenches,
    poses,
    velocity_constraints,
)
from rbnotes.shapes import Box, Cylinder, Plane, Sphere

SPREAD = np.sum(np.abs(np.cos(np.pi / 8 * np.arange(1, 16, 2)))) / 4
"""Friction torque of a journal with eight contacts an end, per mu r F: near ``4/pi``."""


def pendulum(mu, angle, g=10.0, length=1.0, radius=0.05):
    bob = inertia.spatial_inertia(2.0, 1e-4 * np.eye(3), [0, 0, -length])
    tree = Tree([Link("bob", joints.Revolute([0, 1.0, 0]), bob)], gravity=[0, 0, -g])
    bearings = {"bob": journal_bearing(radius, 0.1, mu, axis=[0, 1.0, 0])}
    return tree, State(q=[angle]), bearings


def take_steps(tree, state, h, count, bearings, constraints=(), **options):
    """Return steps of the scheme, each of which starts from the friction of the previous one."""
    steps = []
    for _ in range(count):
        last = steps[-1] if steps else None
        now = state if last is None else last.state
        steps.append(bisp_step(tree, now, h, bearings, constraints, initial_guess=last, **options))
    return steps


def test_amplitude_loss_of_a_dry_pendulum():
    """By ``2 tau / (m g L)`` with the torque of the bearing under m g, as swings are small."""
    tree, state, bearings = pendulum(0.3, 0.2)
    swing = np.pi / np.sqrt(10.0)
    states = [state, *(step.state for step in take_steps(tree, state, swing / 40, 128, bearings))]
    angles = np.abs([each.q[0] for each in states])
    peaks = [np.max(angles[40 * k - 6 : 40 * k + 7]) for k in (1, 2, 3)]
    lost = -np.diff([0.2, *peaks])
    expected = 2 * SPREAD * 0.3 * 0.05
    np.testing.assert_allclose(lost, expected, rtol=0.06)
    assert np.all(np.diff([tree.energy(each) for each in states]) < 0.02)


def test_a_pendulum_within_the_friction_angle_stays():
    tree, state, bearings = pendulum(0.3, 0.9 * SPREAD * 0.3 * 0.05)
    result = take_steps(tree, state, 0.01, 5, bearings)
    np.testing.assert_allclose([step.state.qdot for step in result], 0, atol=1e-12)
    tree, state, bearings = pendulum(0.3, 1.1 * SPREAD * 0.3 * 0.05)
    assert abs(bisp_step(tree, state, 0.01, bearings).state.qdot[0]) > 1e-4


@pytest.mark.parametrize("part", [0.98, 1.02])
def test_a_slider_sticks_up_to_the_friction_angle(part):
    slope = part * np.arctan(0.4)
    down = np.array([np.cos(slope), 0, -np.sin(slope)])
    tree = Tree([Link("block", joints.Prismatic(down), Box([0.2, 0.2, 0.2]).spatial_inertia(mass=3.0))])
    bearings = {"block": prismatic_guide(0.1, 0.1, 0.3, 0.4, axis=down, width_direction=[0, 1.0, 0])}
    actual = bisp_step(tree, State(q=[0.0]), 0.01, bearings)
    expected = 0.0 if part < 1 else 0.01 * 9.81 * (np.sin(slope) - 0.4 * np.cos(slope))
    assert actual.state.qdot[0] == pytest.approx(expected, abs=1e-8)


def test_a_loaded_ball_joint_stops_a_spin_about_its_load():
    """Torque ``mu r m g`` of a pressure that goes with the cosine; 32 points come within a few per cent."""
    top = Sphere(0.2).spatial_inertia(mass=2.0)
    tree = Tree([Link("top", joints.ExponentialSpherical(), top)])
    state = State(q=np.zeros(3), qdot=[0, 0, 5.0])
    result = bisp_step(tree, state, 0.001, {"top": spherical_bearing(0.03, 0.3)}, cone="disc")
    torque = result.bearing_reactions["top"].generalized_friction / 0.001
    assert torque[2] == pytest.approx(-0.3 * 0.03 * 2.0 * 9.81, rel=0.08)
    assert np.max(np.abs(torque[:2])) < 1e-6


def test_against_mujoco_frictionloss_at_constant_load():
    """A wheel on a thrust bearing: bound ``mu r m g``. MuJoCo's bound does not depend on the load."""
    wheel = Cylinder(0.3, 0.1).spatial_inertia(mass=4.0)
    mu, radius, h = 0.2, 0.05, 0.008
    tree = Tree([Link("wheel", joints.Revolute(), wheel)])
    tree, state = tree, State(q=[0.0], qdot=[1.0])
    mine = take_steps(tree, state, h, 75, {"wheel": journal_bearing(radius, 0.02, mu)})
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="{h}"/><worldbody><body>
      <joint type="hinge" axis="0 0 1" frictionloss="{mu * radius * 4.0 * 9.81}"
        solimpfriction="0.999 0.9999 0.001"/>
      <inertial pos="0 0 0" mass="4" diaginertia="{wheel[0, 0]} {wheel[1, 1]} {wheel[2, 2]}"/>
      </body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[:] = 1.0
    theirs = []
    for _ in range(75):
        mujoco.mj_step(model, data)
        theirs.append(data.qvel[0])
    assert theirs[0] > 0.9
    assert abs(theirs[-1]) < 1e-3
    np.testing.assert_allclose([step.state.qdot[0] for step in mine], theirs, atol=0.01)


def double_pendulum(mu, points=8):
    rod = Box([0.05, 0.05, 0.6]).spatial_inertia(mass=1.0)
    down = np.eye(4)
    down[2, 3] = -0.3
    next_joint = np.eye(4)
    next_joint[2, 3] = -0.6
    axis = [0, 1.0, 0]
    links = [
        Link("upper", joints.Revolute(axis), rod, body_frame=down),
        Link("lower", joints.Revolute(axis), rod, "upper", next_joint, down),
    ]
    bearings = {name: journal_bearing(0.04, 0.1, mu, axis=axis, points=points) for name in ("upper", "lower")}
    return Tree(links), State(q=[1.0, 0.5], qdot=[1.0, -2.0]), bearings


def test_small_steps_converge():
    tree, state, bearings = double_pendulum(0.3)
    ends = [take_steps(tree, state, 0.2 / n, n, bearings)[-1].state.q for n in (5, 10, 20)]
    first, second = (np.max(np.abs(b - a)) for a, b in pairwise(ends))
    assert 0.3 < second / first < 0.7


def test_the_same_hinge_in_maximal_coordinates_with_explicit_contacts():
    """Contacts that push, on both sides of each place, and plain staggered projections."""
    axis = np.array([2.0, -1.0, 2.0]) / 3
    rng = np.random.default_rng(5)
    points = journal_bearing(0.1, 0.4, 0.0, axis=axis, points=3)
    chosen = [0, 1, 6, 7, 3]  # five contacts: as many as they hold
    made = Bearing(points.points[chosen], points.normals[chosen], 0.2, points.tangents[chosen])
    assert made.rank == 5
    body = inertia.spatial_inertia(1.5, np.diag([2.0, 3.0, 4.0]), rng.normal(size=3))
    tree = Tree([Link("body", joints.Revolute(axis), body)], gravity=[1.0, 2.0, -9.0])
    tree, state, h = tree, State(q=[0.4], qdot=[1.5]), 0.01
    mine = bisp_step(tree, state, h, {"body": made}, cone="disc", tolerance=1e-10)
    kinematics = tree.body_kinematics(state)
    momentum = body @ kinematics.phi[0] + h * gyroscopic_and_gravity_wrenches(tree, state.q, state.qdot)[0]
    rows = np.concatenate([made.normal_jacobian[:, None], made.tangent_jacobian], axis=1)
    other = rows * np.array([-1, 1, 1])[:, None]
    explicit = StepProblem(body, momentum, contacts=Contacts(np.concatenate([rows, other]), mu=0.2))
    theirs = staggered_projections(explicit, cone="disc", tolerance=1e-10, max_iterations=2000)
    np.testing.assert_allclose(kinematics.J[0] @ mine.state.qdot, theirs.velocity, atol=1e-6)
    assert abs(mine.state.qdot[0] - symplectic_euler(tree, state, h).qdot[0]) > 1e-3


def four_bar(mu, ground=0.9):
    """Return a crank, a coupler and a rocker in the plane of x and z, closed by a hinge on the world."""
    axis = [0, 1.0, 0]

    def translation(x):
        frame = np.eye(4)
        frame[0, 3] = x
        return frame

    bars = [("crank", 0.3, None, 0.0), ("coupler", 0.8, "crank", 0.3), ("rocker", 0.6, "coupler", 0.8)]
    links = [
        Link(
            name,
            joints.Revolute(axis),
            Box([size, 0.04, 0.04]).spatial_inertia(mass=2 * size),
            parent,
            translation(start),
            translation(size / 2),
        )
        for name, size, parent, start in bars
    ]
    tree = Tree(links)
    closure = LoopClosure("rocker", [0.3, 0, 0], None, [ground, 0, 0], axis=axis)
    start = assemble_configuration(tree, [closure], State(q=[-1.0, 0.5, 1.8]))
    bearings = {name: journal_bearing(0.03, 0.08, mu, axis=axis) for name in ("crank", "coupler", "rocker")}
    return tree, closure, start, {**bearings, closure: journal_bearing(0.03, 0.08, mu, axis=axis)}


def test_a_four_bar_linkage_with_friction_in_its_closure():
    tree, closure, start, bearings = four_bar(0.3)
    plain = constrained_step(
        symplectic_euler, tree, start, 0.01, partial(velocity_constraints, tree, [closure])
    )
    smooth = {name: journal_bearing(0.03, 0.08, 0.0, axis=[0, 1.0, 0]) for name in bearings}
    without = bisp_step(tree, start, 0.01, smooth, [closure])
    np.testing.assert_allclose(without.state.qdot, plain.state.qdot, atol=1e-10)
    moving = State(q=start.q, qdot=10 * plain.state.qdot)
    steps = take_steps(tree, moving, 0.005, 12, bearings, [closure])
    free = take_steps(tree, moving, 0.005, 12, {}, [closure])
    assert tree.energy(steps[-1].state) < tree.energy(free[-1].state) - 1e-3
    load = steps[3].bearing_reactions[closure]
    assert load.friction_limit > 0
    assert load.work < 0
    # What the closure gives to the rocker is what its multipliers push with.
    pushed = steps[3].solution.bilateral
    assert np.linalg.norm(load.reaction[3:]) == pytest.approx(np.linalg.norm(pushed), rel=0.5)
    rocker = poses(tree, steps[-1].state.q).body_poses[2]
    assert np.linalg.norm(rocker[:3, :3] @ [0.3, 0, 0] + rocker[:3, 3] - [0.9, 0, 0]) < 0.01


def test_reactions_of_a_loop_at_rest():
    """A closed loop at rest: the reactions hold up each body, whatever J makes of the closure."""
    tree, closure, start, bearings = four_bar(5.0)
    result = bisp_step(tree, start, 0.01, bearings, [closure], raise_on_failure=False)
    np.testing.assert_allclose(result.state.qdot, 0, atol=1e-9)  # jammed: statics
    weight = 0.01 * 9.81 * tree.inertias[:, 5, 5]
    total = np.zeros(3)
    crank = poses(tree, start.q).joint_poses[0]
    total += crank[:3, :3] @ result.joint_wrenches[0][3:]
    closing = poses(tree, start.q).joint_poses[2][:3, :3]
    load = result.bearing_reactions[closure]
    friction = np.einsum("cti,ct->i", bearings[closure].tangent_jacobian, load.friction)
    total += closing @ (load.reaction + friction)[3:]
    np.testing.assert_allclose(total, [0, 0, np.sum(weight)], atol=2e-3 * np.sum(weight))


def test_contact_with_the_ground_and_friction_in_a_joint():
    frame = np.eye(4)
    frame[2, 3] = 0.3
    cart = Body("cart", Box([0.2, 0.2, 0.2]), mass=2.0, joint=joints.Free3D())
    arm = Body(
        "arm",
        inertia=Sphere(0.1).spatial_inertia(mass=1.0),
        joint=joints.Revolute([0, 1.0, 0]),
        parent="cart",
        body_frame=frame,
    )
    model = Model([cart, arm], ground=Plane(), mu=0.3)
    tree, colliders = model.tree, model.colliders
    state = State(q=[0, 0, 0.1, 0, 0, 0, 0.4], qdot=[2.0, 0.3, 0, 0, 0, 0, 1.0])
    bearings = {"arm": journal_bearing(0.05, 0.1, 0.0, axis=[0, 1.0, 0])}
    mine = bisp_step(tree, state, 0.005, bearings, colliders=colliders, tolerance=1e-9)
    law = partial(box_friction, max_updates=100, tolerance=1e-10)
    theirs = multibody.step(
        model,
        model.state_from_tree(state),
        0.005,
        scheme=symplectic_euler,
        stabilization="none",
        friction_model=law,
    )
    np.testing.assert_allclose(mine.state.qdot, theirs.qdot, atol=1e-7)
    dry = bisp_step(
        tree, state, 0.005, {"arm": journal_bearing(0.05, 0.1, 0.5, axis=[0, 1.0, 0])}, colliders=colliders
    )
    assert dry.state.qdot[6] < mine.state.qdot[6] - 1e-4
    assert np.sum(dry.solution.normal) > 0
    bounds = dry.points.mu * dry.solution.normal
    assert np.all(np.abs(dry.solution.tangential) <= bounds[:, None] + 1e-6)


def test_warm_starts_and_reported_failures():
    tree, state, bearings = double_pendulum(0.3)
    first = bisp_step(tree, state, 0.001, bearings)
    cold, warm = (bisp_step(tree, first.state, 0.001, bearings, initial_guess=each) for each in (None, first))
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.state.qdot, cold.state.qdot, atol=1e-8)
    with pytest.raises(BispNotConverged, match="relative change") as caught:
        bisp_step(tree, state, 0.001, bearings, max_iterations=2)
    assert caught.value.residual == caught.value.solution.residual > 1e-8


def test_rounding_limited_result_is_returned(monkeypatch):
    """Programs said to end on their way, although they are solved: the step is there, and how far off."""
    tree, state, bearings = double_pendulum(0.3)
    exact = bisp_step(tree, state, 0.001, bearings)
    solved = residual_tracking.solve

    def ended(problem, method="block_principal_pivoting", **options):
        solution = solved(problem, method, **options)
        status = Status.ILL_CONDITIONED
        return replace(solution, status=status, residuals=replace(solution.residuals, relative=left))

    monkeypatch.setattr(residual_tracking, "solve", ended)
    for left in (3e-7, np.nan):
        with pytest.raises(BispNotConverged, match="residual of its programs") as caught:
            bisp_step(tree, state, 0.001, bearings)
        result = bisp_step(tree, state, 0.001, bearings, raise_on_failure=False)
        for step in (result, caught.value.solution):
            np.testing.assert_equal(step.residual, left)
            np.testing.assert_allclose(step.state.qdot, exact.state.qdot, atol=1e-9)
        steps = take_steps(tree, state, 0.001, 2, bearings, raise_on_failure=False)
        np.testing.assert_equal([step.residual for step in steps], [left, left])


def test_bearing_without_thrust_faces_reports_unsupported_wrench():
    tree = Tree([Link("wheel", joints.Revolute(), Cylinder(0.3, 0.1).spatial_inertia(mass=4.0))])
    bearings = {"wheel": journal_bearing(0.05, 0.1, 0.3, thrust=False)}
    load = bisp_step(tree, State(q=[0.0], qdot=[1.0]), 0.01, bearings).bearing_reactions["wheel"]
    assert load.rank == 4
    np.testing.assert_allclose(load.unsupported_wrench, [0, 0, 0, 0, 0, 4 * 0.0981], atol=1e-9)
    assert load.friction_limit < 1e-9


def test_unsuitable_bearings_are_rejected():
    tree, state, bearings = double_pendulum(0.3)
    with pytest.raises(InvalidArgument, match="no such"):
        bisp_step(tree, state, 0.01, {"no such": bearings["upper"]})
    with pytest.raises(InvalidArgument, match=r"upper.*normal along"):
        bisp_step(tree, state, 0.01, {"upper": journal_bearing(0.1, 0.1, 0.3, axis=[1.0, 0, 0])})
    closure = LoopClosure("lower", [0, 0, 0], None, [0, 0, 0])
    with pytest.raises(InvalidArgument, match="closure"):
        bisp_step(tree, state, 0.01, {closure: spherical_bearing(0.1, 0.3)})
