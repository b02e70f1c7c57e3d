"""Derivatives of forward dynamics: for joints with constraints on their own coordinates, and all others."""

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import WITH_BALLS, body, frame, pinocchio_model, pinocchio_rates, random_tree, unit

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody.reduced import (
    Link,
    Tree,
    forward_dynamics_dense,
    forward_dynamics_derivatives,
)
from rbnotes.testing import derivative

close = relative_comparison(1e-8)


def against_differences(tree, q, v, tau, wrenches=0.0):
    """Compare with differences in all directions, also for coordinates that violate their constraints."""
    derivatives = forward_dynamics_derivatives(tree, q, v, tau, wrenches)
    steps = np.eye(tree.num_coordinates)
    by_q = derivative(lambda t: forward_dynamics_dense(tree, q + t * steps, v, tau, wrenches), step=1e-3)
    by_v = derivative(lambda t: forward_dynamics_dense(tree, q, v + t * steps, tau, wrenches))
    close(derivatives.q, by_q.value.T)
    close(derivatives.qdot, by_v.value.T)


class Direction(joints.JointType):
    """A user's hinge by a direction in the plane, whose constraint ``log |q| = 0`` is not quadratic."""

    num_coordinates, num_coordinate_constraints = 2, 1
    neutral = np.array([1.0, 0.0])

    def compute_transform(self, q):
        c, s = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
        Q = np.zeros((*q.shape[:-1], 4, 4))
        Q[..., 0, 0], Q[..., 0, 1], Q[..., 1, 0], Q[..., 1, 1] = c, -s, s, c
        Q[..., 2, 2] = Q[..., 3, 3] = 1
        return Q

    def compute_motion_subspace(self, q):
        S = np.zeros((*q.shape[:-1], 6, 2), dtype=q.dtype)
        S[..., 2, :] = np.stack([-q[..., 1], q[..., 0]], -1) / np.sum(q * q, axis=-1, keepdims=True)
        return S

    def compute_motion_subspace_derivative(self, q):
        x, y = np.moveaxis(q, -1, 0)
        dS = np.zeros((*q.shape[:-1], 6, 2, 2), dtype=q.dtype)
        dS[..., 2, 0, 0], dS[..., 2, 0, 1] = 2 * x * y, y * y - x * x
        dS[..., 2, 1, 0], dS[..., 2, 1, 1] = y * y - x * x, -2 * x * y
        return dS / np.sum(q * q, axis=-1)[..., None, None, None] ** 2

    def compute_coordinate_constraint(self, q):
        return np.log(np.linalg.norm(q, axis=-1, keepdims=True))

    def compute_coordinate_constraint_jacobian(self, q):
        return (q / np.sum(q * q, axis=-1, keepdims=True))[..., None, :]

    def compute_coordinate_constraint_jacobian_rate(self, q, qdot):
        square, along = np.sum(q * q, axis=-1, keepdims=True), np.sum(q * qdot, axis=-1, keepdims=True)
        return (qdot / square - 2 * along * q / square**2)[..., None, :]

    def compute_coordinate_constraint_bias_derivative(self, q, qdot):
        square, along = np.sum(q * q, axis=-1, keepdims=True), np.sum(q * qdot, axis=-1, keepdims=True)
        speed = np.sum(qdot * qdot, axis=-1, keepdims=True)
        slope = 8 * along**2 * q / square - 2 * speed * q - 4 * along * qdot
        return (slope / square**2)[..., None, :]


def constrained_tree(rng, hinge):
    """Return constrained coordinates at a root, in a composite and at a branch; springs and dampers."""
    offset = joints.Composite(joints.Prismatic(unit(rng)), joints.QuaternionSpherical())
    parts = [("a", joints.QuaternionSpherical(), None), ("b", offset, "a"), ("c", hinge, "a")]
    parts += [("d", joints.Universal(), "c"), ("e", joints.Revolute(unit(rng)), None)]
    links = [
        Link(name, joint, body(rng), parent, frame(rng), frame(rng), stiffness=1.3, damping=0.4)
        for name, joint, parent in parts
    ]
    return Tree(links, gravity=rng.normal(size=3))


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_with_coordinate_constraints(seed):
    rng = np.random.default_rng(seed)
    tree = constrained_tree(rng, Direction())
    q, (v, tau) = (
        tree.neutral + 0.5 * rng.normal(size=tree.num_coordinates),
        rng.normal(size=(2, tree.num_coordinates)),
    )
    against_differences(tree, q, v, tau, rng.normal(size=(5, 6)))


def test_derivatives_without_coordinate_constraints():
    rng = np.random.default_rng(6)
    tree = random_tree(rng, 6)
    against_differences(tree, *rng.normal(size=(3, tree.num_coordinates)))


def test_along_a_path_of_unit_quaternions():
    rng = np.random.default_rng(8)
    ball = Link("ball", joints.QuaternionSpherical(), body(rng), None, frame(rng), frame(rng))
    tree = Tree([ball, Link("arm", joints.Revolute(unit(rng)), body(rng), "ball", frame(rng), frame(rng))])
    q, v, tau = rng.normal(size=(3, 5))
    q[:4] /= np.linalg.norm(q[:4])
    v[:4] -= (v[:4] @ q[:4]) * q[:4]
    along = rng.normal(size=5)
    along[:4] -= (along[:4] @ q[:4]) * q[:4]

    def accelerations(t):
        q_at_t = q + t * along
        q_at_t[:4] /= np.linalg.norm(q_at_t[:4])
        return forward_dynamics_dense(tree, q_at_t, v, tau)

    close(forward_dynamics_derivatives(tree, q, v, tau).q @ along, derivative(accelerations).value)


@pytest.mark.parametrize("seed", range(4))
def test_against_pinocchio(seed):
    """With ``omega = B qdot`` and its rate for all joints, ``tau = B^T forces``, along allowed directions."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 8, ("quaternion", *WITH_BALLS), WITH_BALLS)
    q, v, tau = rng.normal(size=(3, tree.num_coordinates))
    allowed = np.eye(tree.num_coordinates)
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        if link.joint.num_coordinate_constraints:
            q[own] /= np.linalg.norm(q[own])
            allowed[own, own] -= np.outer(q[own], q[own])
    v, tau = allowed @ v, allowed @ tau
    theirs, B, dB, slope = pinocchio_rates(tree, q, v)
    model = pinocchio_model(tree)
    data, forces = model.createData(), np.linalg.lstsq(B.T, tau, rcond=None)[0]
    by_q, by_v, inverse = pinocchio.computeABADerivatives(model, data, theirs, B @ v, forces)
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    a = forward_dynamics_dense(tree, q, v, tau)
    derivatives = forward_dynamics_derivatives(tree, q, v, tau)
    turning = np.einsum("ijl,j->il", dB, v)
    # Their forces change so that ours do not, but for what constraints take up.
    released = -np.linalg.lstsq(B.T, np.einsum("ijl,i->jl", dB, forces), rcond=None)[0]
    expected = by_q @ B + by_v @ turning + inverse @ released - np.einsum("ijl,j->il", dB, a) - slope
    close(B @ derivatives.q @ allowed, expected @ allowed, 1e-10)
    close(B @ derivatives.qdot, by_v @ B - turning - dB @ v, 1e-10)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(2)
    tree = constrained_tree(rng, joints.QuaternionSpherical())
    q, v = rng.normal(size=(3, 1, tree.num_coordinates)), rng.normal(size=(2, tree.num_coordinates))
    tau, wrenches = rng.normal(size=tree.num_coordinates), rng.normal(size=(2, 5, 6))
    derivatives = forward_dynamics_derivatives(tree, q, v, tau, wrenches)
    for i, j in np.ndindex(3, 2):
        alone = forward_dynamics_derivatives(tree, q[i, 0], v[j], tau, wrenches[j])
        for many, one in zip(derivatives, alone, strict=True):
            close(many[i, j], one, 1e-11)


def test_empty_batches_have_empty_derivatives():
    tree = random_tree(np.random.default_rng(2), 4)
    k, n = tree.num_coordinates, len(tree.links)
    derivatives = forward_dynamics_derivatives(tree, tree.neutral, np.ones(k), wrenches=np.zeros((0, n, 6)))
    assert [each.shape for each in derivatives] == [(0, k, k), (0, k, k)]


def test_constrained_type_needs_its_bias_derivative():
    class Silent(Direction):
        compute_coordinate_constraint_bias_derivative = (
            joints.JointType.compute_coordinate_constraint_bias_derivative
        )

        def __repr__(self):
            return "Silent()"

    rng = np.random.default_rng(4)
    tree = constrained_tree(rng, Silent())
    with pytest.raises(
        InvalidArgument,
        match=r"Silent.*, expected a type with its own compute_coordinate_constraint_bias_derivative",
    ):
        forward_dynamics_derivatives(tree, tree.neutral, *rng.normal(size=(2, tree.num_coordinates)))
