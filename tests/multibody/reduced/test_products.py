"""Products with J, its rate and its transpose, against these matrices and against MuJoCo."""

import mujoco
import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import ALL, MUJOCO_KINDS, mujoco_model, mujoco_state, random_tree

from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import reduced
from rbnotes.testing import derivative

close = relative_comparison(1e-10, min_scale=1e-3)


@pytest.fixture(params=[(seed, size) for seed in range(3) for size in (1, 4, 11)], ids=str)
def case(request):
    """Return every type of joint, with branches and several roots; quaternions of any length."""
    rng = np.random.default_rng(request.param)
    tree = random_tree(rng, request.param[1], tuple(np.roll(tuple(ALL), request.param[0])), ALL)
    q = tree.neutral + 0.4 * rng.normal(size=tree.num_coordinates)
    return tree, q, rng.normal(size=tree.num_coordinates), rng.normal(size=tree.num_coordinates), rng


def test_jacobian(case):
    tree, q, _, x, _ = case
    close(reduced.jacobian_product(tree, q, x).ravel(), reduced.jacobian(tree, q) @ x)


def test_jacobian_rate(case):
    tree, q, qdot, x, _ = case
    result = reduced.jacobian_rate_product(tree, q, qdot, x)
    close(result.ravel(), reduced.jacobian_rate(tree, q, qdot) @ x)
    if tree.num_coordinates < 12:  # and not by the same adjoints
        estimate = derivative(lambda t: reduced.jacobian_product(tree, q + t * qdot, x))
        np.testing.assert_allclose(result, estimate.value, rtol=1e-7, atol=1e-7)


def test_bias_acceleration(case):
    tree, q, qdot, _, _ = case
    close(reduced.bias_acceleration(tree, q, qdot), reduced.body_kinematics(tree, q, qdot).bias_acceleration)


def test_mass_product(case):
    tree, q, _, x, _ = case
    close(reduced.mass_product(tree, q, x), reduced.mass_matrix(tree, q) @ x)


def test_jacobian_transpose(case):
    tree, q, _, _, rng = case
    y = rng.normal(size=(len(tree.links), 6))
    close(reduced.jacobian_transpose_product(tree, q, y), reduced.jacobian(tree, q).T @ y.ravel())


def test_work_is_the_same_on_both_sides(case):
    tree, q, _, x, rng = case
    y = rng.normal(size=(len(tree.links), 6))
    power = np.sum(y * reduced.jacobian_product(tree, q, x))
    assert reduced.jacobian_transpose_product(tree, q, y) @ x == pytest.approx(power, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_against_mujoco(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 9, ("ball", "revolute", "prismatic", "free", "planar"), MUJOCO_KINDS)
    q, x = rng.normal(size=(2, tree.num_coordinates))
    y = rng.normal(size=(len(tree.links), 6))
    model = mujoco_model(tree)
    data = mujoco.MjData(model)
    state = mujoco_state(tree, model, q, x)
    data.qpos[:] = state.qpos
    mujoco.mj_forward(model, data)
    result, forces = reduced.jacobian_product(tree, q, x), np.zeros(model.nv)
    for i, link in enumerate(tree.links):
        turns, moves = np.zeros((2, 3, model.nv))
        pose = reduced.poses(tree, q).body_poses[i]
        mujoco.mj_jac(model, data, moves, turns, pose[:3, 3], model.body(link.name).id)
        J = np.concatenate([pose[:3, :3].T @ turns, pose[:3, :3].T @ moves])
        close(result[i], J @ state.T @ x)
        forces += J.T @ y[i]
    close(reduced.jacobian_transpose_product(tree, q, y), state.T.T @ forces)


def test_many_vectors_at_once():
    """Leading axes of coordinates and vectors meet: the columns of J are products with unit vectors."""
    rng = np.random.default_rng(5)
    tree = random_tree(rng, 6, tuple(ALL), ALL)
    q, qdot = tree.neutral + 0.3 * rng.normal(size=(2, 2, 1, tree.num_coordinates))
    columns = reduced.jacobian_product(tree, q, np.eye(tree.num_coordinates))
    assert columns.shape == (2, tree.num_coordinates, len(tree.links), 6)
    J = reduced.jacobian(tree, q[:, 0])
    close(np.moveaxis(columns, 1, -1).reshape(J.shape), J)
    rates = reduced.jacobian_rate_product(tree, q, qdot, np.eye(tree.num_coordinates))
    close(np.moveaxis(rates, 1, -1).reshape(J.shape), reduced.jacobian_rate(tree, q[:, 0], qdot[:, 0]))
    rows = np.eye(6 * len(tree.links)).reshape(-1, len(tree.links), 6)
    close(reduced.jacobian_transpose_product(tree, q, rows), J)


def test_wrong_shapes_are_rejected():
    tree = random_tree(np.random.default_rng(1), 3)
    count = ", ".join(f"{link.joint.num_coordinates} of {link.name!r}" for link in tree.links)
    with pytest.raises(InvalidArgument, match=rf"^x: got .*expected .*{count}"):
        reduced.jacobian_product(tree, tree.neutral, np.zeros(tree.num_coordinates + 1))
    with pytest.raises(InvalidArgument, match=r"^qdot: "):
        reduced.jacobian_rate_product(tree, tree.neutral, np.zeros(1 + tree.num_coordinates), tree.neutral)
    with pytest.raises(InvalidArgument, match=r"^y: got shape \(18,\), expected shape \(..., 3, 6\)"):
        reduced.jacobian_transpose_product(tree, tree.neutral, np.zeros(18))
    with pytest.raises(InvalidArgument, match=r"^q, y: got leading axes"):
        reduced.jacobian_transpose_product(tree, np.zeros((2, tree.num_coordinates)), np.zeros((3, 3, 6)))
