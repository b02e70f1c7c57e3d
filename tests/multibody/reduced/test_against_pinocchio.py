"""Random trees of mixed joints, with branches, against Pinocchio."""

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import pinocchio_model, random_tree

from rbnotes.multibody import reduced

SIZES = (1, 2, 5, 12)


@pytest.fixture(params=[(seed, size) for seed in range(4) for size in SIZES], ids=str)
def case(request):
    rng = np.random.default_rng(request.param)
    tree = random_tree(rng, request.param[1])
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    model = pinocchio_model(tree)
    return tree, model, model.createData(), q, v, a


close = relative_comparison(1e-10)


def test_mass_matrix(case):
    tree, model, data, q, _, _ = case
    upper = np.triu(pinocchio.crba(model, data, q))
    close(reduced.mass_matrix(tree, q), upper + np.triu(upper, 1).T)


def test_inverse_dynamics(case):
    tree, model, data, q, v, a = case
    expected = pinocchio.rnea(model, data, q, v, a)
    close(reduced.inverse_dynamics(tree, q, v, a), expected)
    close(reduced.inverse_dynamics_dense(tree, q, v, a), expected)


def test_bias_forces(case):
    tree, model, data, q, v, _ = case
    close(reduced.bias_forces(tree, q, v), pinocchio.nonLinearEffects(model, data, q, v))


def test_forward_dynamics(case):
    tree, model, data, q, v, a = case
    expected = pinocchio.aba(model, data, q, v, a)
    close(reduced.forward_dynamics(tree, q, v, a), expected)
    close(reduced.forward_dynamics_dense(tree, q, v, a), expected)


def test_energies(case):
    tree, model, data, q, v, _ = case
    close(reduced.kinetic_energy(tree, q, v), pinocchio.computeKineticEnergy(model, data, q, v))
    # Pinocchio leaves out what is fixed to the world.
    change = pinocchio.computePotentialEnergy(model, data, q)
    change -= pinocchio.computePotentialEnergy(model, data, 0 * q)
    close(reduced.potential_energy(tree, q) - reduced.potential_energy(tree, 0 * q), change)


def test_momentum(case):
    tree, model, data, q, v, _ = case
    pinocchio.computeCentroidalMomentum(model, data, q, v)
    center, momentum = data.com[0], data.hg
    about_origin = momentum.angular + np.cross(center, momentum.linear)
    close(reduced.spatial_momentum(tree, q, v), np.concatenate([about_origin, momentum.linear]))


def test_poses_and_twists(case):
    tree, model, data, q, v, _ = case
    pinocchio.forwardKinematics(model, data, q, v)
    for i, link in enumerate(tree.links):
        moving = [part for part in range(model.njoints) if model.names[part].startswith(f"{link.name},")]
        if not moving:
            continue
        pose = data.oMi[moving[-1]].homogeneous
        close(reduced.poses(tree, q).joint_poses[i], pose)
        twist = data.v[moving[-1]]
        at_body = np.linalg.inv(link.body_frame)
        omega = at_body[:3, :3] @ twist.angular
        v_body = at_body[:3, :3] @ twist.linear + np.cross(at_body[:3, 3], omega)
        close(reduced.twists(tree, q, v)[i], np.concatenate([omega, v_body]))
