"""Joint friction: laws of every mechanism, and another solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import random_tree, unit

from rbnotes import joints
from rbnotes.dynamics import State, implicit_euler, symplectic_euler
from rbnotes.friction import journal_bearing, prismatic_guide, spherical_bearing
from rbnotes.multibody.reduced import (
    JointLimit,
    Link,
    LoopClosure,
    PlaneLimit,
    Tree,
    bisp_step,
    gyroscopic_and_gravity_wrenches,
    kinetic_energy,
)

KINDS = {
    "revolute": lambda rng: joints.Revolute(unit(rng)),
    "prismatic": lambda rng: joints.Prismatic(unit(rng)),
    "ball": lambda rng: joints.ExponentialSpherical(),
}
SEEDS = st.integers(0, 10_000)


def bearing(joint, mu):
    if isinstance(joint, joints.Revolute):
        return journal_bearing(0.1, 0.4, mu, axis=joint.axis, points=6)
    if isinstance(joint, joints.Prismatic):
        return prismatic_guide(0.1, 0.2, 0.5, mu, axis=joint.axis)
    return spherical_bearing(0.1, mu, points=8)


def mechanism(seed, mu, links=4, springs=False):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, links, tuple(KINDS), KINDS)
    if springs:
        names = ("name", "joint", "inertia", "parent", "placement", "body_frame")
        tree = Tree(
            [
                Link(*(getattr(link, n) for n in names), rng.uniform(1, 9), rng.uniform(1, 3))
                for link in tree.links
            ],
            gravity=tree.gravity,
        )
    state = State(q=rng.normal(size=tree.num_coordinates), qdot=rng.normal(size=tree.num_coordinates))
    return tree, state, {link.name: bearing(link.joint, mu) for link in tree.links}


@settings(max_examples=8)
@given(SEEDS, st.booleans())
def test_frictionless_step_equals_step_without_bearings(seed, implicit):
    tree, state, bearings = mechanism(seed, 0.0, springs=True)
    result = bisp_step(tree, state, 0.013, bearings, implicit=implicit)
    plain = (implicit_euler if implicit else symplectic_euler)(tree, state, 0.013)
    np.testing.assert_allclose(result.state.qdot, plain.qdot, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(result.state.q, plain.q, rtol=1e-9, atol=1e-10)


@settings(max_examples=8)
@given(SEEDS, st.booleans())
def test_transmitted_wrenches_do_only_the_work_of_drives(seed, implicit):
    """D'Alembert: along its motion a joint passes on the impulse of its spring and damper, and friction."""
    tree, state, bearings = mechanism(seed, 0.2, springs=True)
    tree, h = tree, 0.013
    actual = bisp_step(tree, state, h, bearings, implicit=implicit, max_iterations=9, raise_on_failure=False)
    qdot = actual.state.qdot
    q = state.q + h * qdot if implicit else state.q
    drives = -tree.joint_parameter("stiffness") * q - tree.joint_parameter("damping") * (
        qdot if implicit else state.qdot
    )
    for i, (link, own) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        along = link.joint.motion_subspace(state.q[own]).T @ actual.joint_wrenches[i]
        expected = h * drives[own] + actual.bearing_reactions[link.name].generalized_friction
        np.testing.assert_allclose(along, expected, atol=1e-9 * (1 + np.max(np.abs(actual.joint_wrenches))))


@pytest.mark.parametrize("implicit", [False, True])
def test_transmitted_wrenches_include_constraint_forces(implicit):
    """Two loops, a limit that is far, and two planes that bodies hit: no joint is driven but by friction."""
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 4, ("ball",), KINDS)
    tree, state = (
        tree,
        State(q=rng.normal(size=tree.num_coordinates), qdot=rng.normal(size=tree.num_coordinates)),
    )
    bodies = tree.maximal_state(state)
    loops, planes = [], []
    for i, x in zip((1, 3, 0, 2), rng.normal(size=(4, 3)), strict=True):
        name, E, twist = tree.links[i].name, bodies.E[i], bodies.phi[i]
        place, velocity = E[:3, :3] @ x + E[:3, 3], E[:3, :3] @ (twist[3:] + np.cross(twist[:3], x))
        normal = -velocity / np.linalg.norm(velocity)
        if len(loops) < 2:
            loops.append(LoopClosure(name, x, None, place))
        else:
            planes.append(PlaneLimit(name, x, normal, normal @ place))
    constraints = [*loops, JointLimit("link 2", -99.0, 99.0), *planes]
    bearings = {"link 2": bearing(tree.links[2].joint, 0.1)}
    actual = bisp_step(tree, state, 0.013, bearings, constraints, implicit=implicit)
    first, second = np.split(actual.solution.bilateral, 2)
    assert np.linalg.norm(first - second) > 0.1 * np.linalg.norm(first) > 0
    pushes = actual.solution.unilateral
    np.testing.assert_array_equal(pushes > 0, [False, False, True, True])
    assert abs(pushes[2] - pushes[3]) > 0.1 * pushes[3]
    for link, own, wrench in zip(tree.links, tree.coordinate_slices, actual.joint_wrenches, strict=True):
        along = link.joint.motion_subspace(state.q[own]).T @ wrench
        expected = (
            actual.bearing_reactions[link.name].generalized_friction
            if link.name in actual.bearing_reactions
            else 0.0
        )
        np.testing.assert_allclose(along, expected, atol=1e-9 * (1 + np.max(np.abs(actual.joint_wrenches))))


@settings(max_examples=8)
@given(SEEDS)
def test_reactions_are_the_multipliers_of_the_joints_in_maximal_coordinates(seed):
    """Newton's law for each body with its joints as equations, solved as one sparse system."""
    tree, state, bearings = mechanism(seed, 0.0)
    tree, h = tree, 0.013
    kinematics = tree.body_kinematics(state)
    n = len(tree.links)
    M = np.zeros((6 * n, 6 * n))
    G, blocks = [], []
    for i, (link, own) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = tree.inertias[i]
        relative = np.zeros((6, 6 * n))
        for body, sign in ((i, 1), (tree.parents[i], -1)):
            if body >= 0:
                seen = np.linalg.inv(kinematics.body_poses[body]) @ kinematics.joint_poses[i]
                R, p = seen[:3, :3], seen[:3, 3]
                hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
                to_joint = np.block([[R.T, np.zeros((3, 3))], [-R.T @ hat, R.T]])
                relative[:, 6 * body : 6 * body + 6] = sign * to_joint
        S = link.joint.motion_subspace(state.q[own])
        constrained_directions = np.linalg.svd(S.T)[2][np.linalg.matrix_rank(S) :]
        G.append(constrained_directions @ relative)
        blocks.append(constrained_directions)
    G, sizes = np.concatenate(G), [len(constrained_directions) for constrained_directions in blocks]
    push = h * gyroscopic_and_gravity_wrenches(tree, state.q, state.qdot).ravel()
    # The joints' own accelerations may be anything, the held ones are those of the drift.
    target = G @ (h * kinematics.bias_acceleration.ravel())
    change = np.linalg.solve(
        np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]]), np.concatenate([push, target])
    )
    multipliers = np.split(change[6 * n :], np.cumsum(sizes)[:-1])
    loads = bisp_step(tree, state, h, bearings).bearing_reactions
    for link, constrained_directions, pushes in zip(tree.links, blocks, multipliers, strict=True):
        reaction = loads[link.name].reaction
        np.testing.assert_allclose(
            constrained_directions.T @ pushes, reaction, atol=1e-8 * (1 + np.max(np.abs(reaction)))
        )


@settings(max_examples=12)
@given(SEEDS, st.sampled_from(["box", "pyramid", "disc"]), st.sampled_from([0.05, 0.15, 0.4]))
def test_friction_dissipates_within_its_bounds(seed, cone, mu):
    tree, state, bearings = mechanism(seed, mu, links=3)
    result = bisp_step(tree, state, 0.013, bearings, cone=cone, facets=6, raise_on_failure=False)
    plain = symplectic_euler(tree, state, 0.013)
    before, after = (kinetic_energy(tree, state.q, each.qdot) for each in (plain, result.state))
    assert after <= before + 1e-9 * (1 + before)
    for load in result.bearing_reactions.values():
        bounds = mu * np.abs(load.multipliers)
        size = (
            np.max(np.abs(load.friction), axis=1) if cone == "box" else np.linalg.norm(load.friction, axis=1)
        )
        scale = np.max(bounds)
        assert result.residual > 1e-8 or np.all(size <= bounds + 1e-6 * scale)
        assert load.work <= 1e-9 * scale


@settings(max_examples=8)
@given(SEEDS)
def test_hinge_sticks_or_slips_at_its_bound(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 4, ("revolute", "prismatic"), KINDS)
    state = State(q=rng.normal(size=tree.num_coordinates), qdot=rng.normal(size=tree.num_coordinates))
    result = bisp_step(
        tree, state, 0.013, {k.name: bearing(k.joint, 0.1) for k in tree.links}, raise_on_failure=False
    )
    if result.residual > 1e-8:
        return
    for i, link in enumerate(tree.links):
        load, speed = result.bearing_reactions[link.name], result.state.qdot[i]
        if abs(speed) > 1e-8:
            assert load.generalized_friction[0] == pytest.approx(
                -np.sign(speed) * load.friction_limit, rel=1e-5
            )
        else:
            assert abs(load.generalized_friction[0]) <= load.friction_limit * (1 + 1e-6)


@pytest.mark.parametrize("cone", ["box", "disc"])
def test_cvxpy_finds_the_same_step(cone):
    tree, state, bearings = mechanism(5, 0.1, links=2)
    own, other = (
        bisp_step(tree, state, 0.01, bearings, cone=cone, solver=solver, tolerance=1e-6).state.qdot
        for solver in ("own", "cvxpy")
    )
    np.testing.assert_allclose(own, other, atol=1e-5)
