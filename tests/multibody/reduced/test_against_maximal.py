"""Reduced against maximal coordinates: the same mechanism for every type of joint."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import ALL, body, frame, unit

from rbnotes import joints, se3
from rbnotes.dynamics import WORLD, State, constrained_step, runge_kutta, symplectic_euler, zero_forces
from rbnotes.forces import Damping, ForceGroups, LinearSpring, PathForces, on_body, path_through
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal.model import joint_velocity_constraints
from rbnotes.multibody.reduced import Link, LoopClosure, Tree, velocity_constraints


def model(tree, applied_forces):
    """Return the bodies of a tree with its joints as constraints."""
    frames = [se3.inverse(link.body_frame) for link in tree.links]
    maximal_joints = [
        maximal.Joint(
            link.joint,
            i,
            frames[i],
            WORLD if parent < 0 else parent,
            link.placement if parent < 0 else frames[parent] @ link.placement,
        )
        for i, (link, parent) in enumerate(zip(tree.links, tree.parents, strict=True))
    ]
    return maximal.MaximalModel(tree.inertias, maximal_joints, tree.gravity, applied_forces)


@pytest.fixture(params=ALL)
def case(request):
    """Return a joint of each type on a swinging base with another link, with springs and dampers."""
    rng = np.random.default_rng(sorted(ALL).index(request.param))
    links = [
        Link("base", joints.Revolute(unit(rng)), body(rng), None, frame(rng), frame(rng)),
        Link("arm", ALL[request.param](rng), body(rng), "base", frame(rng), frame(rng)),
        Link("side", joints.Prismatic(unit(rng)), body(rng), "base", frame(rng), frame(rng)),
    ]
    tree = Tree(links, gravity=3 * rng.normal(size=3))
    spring = PathForces(
        LinearSpring(6.0, 0.7, 0.4), path_through(on_body(1, [0.3, -0.2, 0.1]), on_body(2, [0.1, 0.4, -0.2]))
    )
    applied_forces = ForceGroups([spring, Damping(0.3, [1])])
    tree = replace(tree, applied_forces=applied_forces)
    q, qdot = (
        tree.neutral + rng.uniform(0.2, 0.7, tree.num_coordinates),
        0.5 * rng.normal(size=tree.num_coordinates),
    )
    return tree, model(tree, applied_forces), tree.reparametrize(State(q=q, qdot=qdot))


def assert_close(actual, expected, tolerance):
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


def test_accelerations(case):
    tree, bodies, state = case
    accelerations = tree.acceleration_reduction(state).expand_velocities(tree.acceleration(state))
    assert np.linalg.norm(accelerations) > 1
    assert_close(accelerations, bodies.acceleration(tree.maximal_state(state)), 1e-8)


@pytest.mark.slow
def test_motion(case):
    tree, bodies, state = case
    end = runge_kutta(tree, state, 0.04, rtol=1e-6, atol=1e-7)
    maximal_state, expanded_state = (
        runge_kutta(bodies, tree.maximal_state(state), 0.04, rtol=1e-6, atol=1e-7),
        tree.maximal_state(end),
    )
    assert_close(maximal_state.E, expanded_state.E, 1e-6)
    assert_close(maximal_state.phi, expanded_state.phi, 1e-6)
    assert np.max(np.abs(expanded_state.E - tree.maximal_state(state).E)) > 0.003
    whole = bodies.energy(maximal_state) + tree.applied_forces.energy(maximal_state)
    assert tree.energy(end) == pytest.approx(whole, abs=1e-5)


def test_steps_converge_to_each_other(case):
    """Symplectic Euler in both: apart by the errors of first order that each makes."""
    (tree, bodies, start), apart = case, []

    def rows(state, h):
        return [joint_velocity_constraints(bodies, state)]

    for steps in (2, 4):
        h, reduced, maximal_state = 0.04 / steps, start, tree.maximal_state(start)
        for _ in range(steps):
            reduced = symplectic_euler(tree, reduced, h)
            maximal_state = constrained_step(symplectic_euler, bodies, maximal_state, h, rows).state
        expanded_state = tree.maximal_state(reduced)
        apart.append(
            np.linalg.norm(expanded_state.E - maximal_state.E)
            + np.linalg.norm(expanded_state.phi - maximal_state.phi)
        )
    assert 1e-6 < apart[1] < 0.6 * apart[0]
    assert apart[0] < 0.5


def test_error_reduction_rate_is_the_same_in_both():
    """A loop that is 1e-4 m open closes at the given rate, with rows of a tree and of bodies."""
    rng, gamma, h = np.random.default_rng(5), 30.0, 0.01
    links = [
        Link("base", joints.Revolute(unit(rng)), body(rng), None, frame(rng), frame(rng)),
        Link("tip", joints.ExponentialSpherical(), body(rng), "base", frame(rng), frame(rng)),
    ]
    tree = Tree(links, gravity=np.zeros(3))
    state, end = State(q=rng.uniform(0.2, 0.7, 4), qdot=np.zeros(4)), np.array([0.3, -0.2, 0.4])
    bodies = tree.maximal_state(state)
    anchor = bodies.E[1, :3, :3] @ end + bodies.E[1, :3, 3] + [6e-5, -5e-5, 6e-5]
    closing = LoopClosure("tip", end, None, anchor)
    ball = maximal.Joint(
        joints.ExponentialSpherical(), 1, se3.frame(np.eye(3), end), WORLD, se3.frame(np.eye(3), anchor)
    )
    maximal_model = model(tree, zero_forces)
    maximal_model = maximal.MaximalModel(tree.inertias, [*maximal_model.joints, ball], np.zeros(3))

    def gap(E):
        return anchor - (E[1, :3, :3] @ end + E[1, :3, 3])

    of_tree, of_bodies = (
        constrained_step(symplectic_euler, system, start, h, rows).state
        for system, start, rows in (
            (tree, state, lambda s, h: velocity_constraints(tree, [closing], s, h, gamma)),
            (maximal_model, bodies, lambda s, h: [joint_velocity_constraints(maximal_model, s, gamma=gamma)]),
        )
    )
    left = (1 - gamma * h) * gap(bodies.E)
    for E in (tree.maximal_state(of_tree).E, of_bodies.E):
        np.testing.assert_allclose(gap(E), left, rtol=0, atol=1e-6)
