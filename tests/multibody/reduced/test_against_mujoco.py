"""Random trees of hinges, sliders, balls and free joints against MuJoCo, which reads them as MJCF."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import MUJOCO_KINDS, mujoco_model, mujoco_state, random_tree

from rbnotes import joints
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Tree

MIXED = ("revolute", "prismatic", "ball", "free")
OTHERS = ("offset", "universal", "planar", "cylindrical", "translational", "euler", "fixed", "ball", "free")


def with_springs(tree, rng):
    """Return the tree with springs and dampers on all joints that are not spherical."""
    links = []
    for link in tree.links:
        ball = isinstance(link.joint, joints.ExponentialSpherical | joints.Free3D)
        k = link.joint.num_coordinates
        numbers = np.zeros((3, k)) if ball else rng.uniform(0.1, 2.0, (3, k))
        links.append(replace(link, stiffness=numbers[0], damping=numbers[1], spring_reference=numbers[2]))
    return Tree(links, tree.gravity)


@pytest.fixture(params=[(kinds, seed) for kinds in (MIXED, OTHERS) for seed in range(6)], ids=str)
def case(request):
    kinds, seed = request.param
    rng = np.random.default_rng(seed)
    size = (1, 2, 4, 6, 9, 12)[seed]
    kinds = np.roll(kinds, -seed)  # the first link's joint is another one each time
    tree = with_springs(random_tree(rng, size, tuple(kinds), MUJOCO_KINDS), rng)
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    model = mujoco_model(tree)
    data = mujoco.MjData(model)
    state = mujoco_state(tree, model, q, v)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(model, data)
    return tree, model, data, state, (q, v, a)


close = relative_comparison(1e-10, min_scale=1e-3)


def test_poses(case):
    tree, _, data, _, (q, _, _) = case
    for link, pose in zip(tree.links, reduced.poses(tree, q).joint_poses, strict=True):
        close(np.reshape(data.body(link.name).xmat, (3, 3)), pose[:3, :3])
        close(data.body(link.name).xpos, pose[:3, 3])


def test_mass_matrix(case):
    tree, model, data, state, (q, _, _) = case
    M = np.zeros((model.nv, model.nv))
    for column, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    close(reduced.mass_matrix(tree, q), state.T.T @ M @ state.T)


def test_inverse_dynamics(case):
    """Gravity, gyroscopic and Coriolis forces, springs and dampers, and the accelerations' own part."""
    tree, model, data, state, (q, v, a) = case
    data.qacc[:] = state.T @ a + state.drift
    mujoco.mj_inverse(model, data)
    close(reduced.inverse_dynamics_dense(tree, q, v, a), state.T.T @ data.qfrc_inverse)


def test_bias(case):
    tree, _, data, state, (q, v, _) = case
    # Without accelerations of MuJoCo's coordinates, not of the tree's.
    own = -reduced.mass_matrix(tree, q) @ np.linalg.pinv(state.T) @ state.drift
    result = (
        reduced.inverse_dynamics_dense(tree, q, v, 0 * v) + own + reduced.passive_joint_forces(tree, q, v)
    )
    close(result, state.T.T @ data.qfrc_bias)


def test_forward_dynamics(case):
    tree, model, data, state, (q, v, tau) = case
    data.qfrc_applied[:] = np.linalg.pinv(state.T).T @ tau
    mujoco.mj_forward(model, data)
    close(state.T @ reduced.forward_dynamics_dense(tree, q, v, tau) + state.drift, data.qacc)
