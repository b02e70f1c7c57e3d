"""Adaptive integration through several turns, with reparametrized rotation vectors."""

import numpy as np
import pytest
from random_trees import body, frame

from rbnotes import joints
from rbnotes.dynamics import State
from rbnotes.multibody import Model, reduced, simulate
from rbnotes.multibody.reduced import Link, Tree

STEPS = 250
BALLS = (joints.ExponentialSpherical(), joints.QuaternionSpherical())


def tumbling_bodies(ball):
    """Return two bodies on a common spherical joint that fly and rotate fast."""
    rng = np.random.default_rng(2)
    free = joints.Composite(joints.Translational(), ball)
    tree = Tree(
        [
            Link("first", free, body(rng), None, frame(rng), frame(rng)),
            Link("second", ball, body(rng), "first", frame(rng), frame(rng)),
        ],
        gravity=np.zeros(3),
    )
    home = tree.neutral
    twists = np.array([4.0, -3.0, 2.0]), np.array([-1.0, 2.5, 3.0])
    first, second = (np.linalg.pinv(ball.motion_subspace(ball.neutral)[:3]) @ w for w in twists)
    return tree, State(q=home, qdot=np.concatenate([[0.3, -0.2, 0.5], first, second]))


@pytest.fixture(scope="module")
def motions():
    """The system, its start and its states over 2.5 s, for each parametrization of the rotations."""
    result = []
    for ball in BALLS:
        tree, start = tumbling_bodies(ball)
        motion = simulate(Model.from_tree(tree), start, h=0.01, steps=STEPS, scheme="DOP853")
        result.append((tree, start, motion.states))
    return result


@pytest.mark.slow
def test_integration_through_several_turns(motions):
    for tree, start, states in motions:
        np.testing.assert_allclose(states.t, np.linspace(0, 2.5, STEPS + 1), rtol=1e-12)
        momentum = reduced.spatial_momentum(tree, states.q, states.qdot)
        expected = reduced.spatial_momentum(tree, start.q, start.qdot)
        np.testing.assert_allclose(momentum, np.broadcast_to(expected, momentum.shape), atol=5e-6)
        energies = [tree.energy(states[i]) for i in range(0, STEPS + 1, 25)]
        np.testing.assert_allclose(energies, tree.energy(start), rtol=1e-7)
    exponential, quaternion = (reduced.poses(tree, states.q).body_poses for tree, _, states in motions)
    np.testing.assert_allclose(exponential, quaternion, atol=1e-5)


@pytest.mark.slow
def test_reparametrization_is_continuous_in_pose_and_twist(motions):
    tree, _, states = motions[0]
    vectors = states.q[:, 3:6]
    assert np.max(np.linalg.norm(vectors, axis=1)) < 2 * np.pi - 0.5
    jumps = np.linalg.norm(np.diff(vectors, axis=0), axis=1)
    assert np.count_nonzero(jumps > 3) >= 1
    bodies = reduced.poses(tree, states.q).body_poses
    assert np.max(np.abs(np.diff(bodies, axis=0))) < 0.2
