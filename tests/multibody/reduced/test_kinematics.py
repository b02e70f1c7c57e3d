"""Poses, twists, J and Jdot of trees of all joints against differences, one state and many at once."""

import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import ALL, random_tree

from rbnotes import se3
from rbnotes.multibody import reduced
from rbnotes.testing import derivative


@pytest.fixture(params=range(6))
def case(request):
    rng = np.random.default_rng(request.param)
    tree = random_tree(rng, 7, tuple(ALL), ALL)
    q = tree.neutral + rng.uniform(0.1, 0.8, tree.num_coordinates)  # off the places where splines are joined
    return tree, q, 0.5 * rng.normal(size=tree.num_coordinates)


close = relative_comparison(1e-8)


def test_twists_are_the_rates_of_the_poses(case):
    tree, q, qdot = case
    bodies = reduced.poses(tree, q).body_poses
    rates = derivative(lambda t: reduced.poses(tree, q + t * qdot).body_poses, step=1e-2).value
    expected = se3.vee(se3.inverse(bodies) @ rates)
    close(reduced.twists(tree, q, qdot), expected)
    close(reduced.jacobian(tree, q) @ qdot, expected.ravel())


def test_rate_of_the_jacobian(case):
    tree, q, qdot = case
    rate = derivative(lambda t: reduced.jacobian(tree, q + t * qdot), step=1e-2).value
    close(reduced.jacobian_rate(tree, q, qdot), rate)


def test_combined_kinematics_equal_single_functions(case):
    tree, q, qdot = case
    kinematics = reduced.body_kinematics(tree, q, qdot)
    for actual, expected in zip(
        (kinematics.joint_poses, kinematics.body_poses), reduced.poses(tree, q), strict=True
    ):
        close(actual, expected, 1e-14)
    close(kinematics.phi, reduced.twists(tree, q, qdot), 1e-13)
    close(kinematics.J.reshape(-1, tree.num_coordinates), reduced.jacobian(tree, q), 1e-14)
    close(kinematics.bias_acceleration.ravel(), reduced.jacobian_rate(tree, q, qdot) @ qdot, 1e-13)


def test_many_states_at_once(case):
    tree, q, qdot = case
    states = q + 0.05 * np.arange(6).reshape(2, 3, 1), qdot + 0.1 * np.arange(3)[:, None]
    functions = [
        reduced.mass_matrix, reduced.jacobian, reduced.potential_energy,
        lambda tree, q: reduced.poses(tree, q).body_poses,
    ]  # fmt: skip
    moving = [reduced.twists, reduced.jacobian_rate, reduced.kinetic_energy, reduced.spatial_momentum]
    moving += [reduced.gyroscopic_and_gravity_wrenches, reduced.net_generalized_force]
    for function in functions:
        close(function(tree, states[0])[1, 2], function(tree, states[0][1, 2]), 1e-12)
    for function in moving:
        expected = function(tree, states[0][1, 2], states[1][2])
        close(function(tree, *states)[1, 2], expected, 1e-12)
