"""The exact tangent of a tree: against differences for every joint type, and against Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import (
    ALL,
    KINDS,
    WITH_BALLS,
    body,
    frame,
    pinocchio_model,
    pinocchio_rates,
    random_tree,
    unit,
)

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import WORLD, Forces, State
from rbnotes.forces import (
    Damping,
    ForceGroups,
    FrameSpring,
    FrameSprings,
    LinearSpring,
    PathForces,
    on_body,
    on_particle,
    on_world,
    path_through,
)
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.testing import derivative

close = relative_comparison(1e-9)


def slopes(function, x):
    """Return the derivative ``(..., k)`` of a function that broadcasts over leading axes."""
    rates = derivative(lambda t: function(x + t * np.eye(len(x)))).value
    return np.moveaxis(rates, 0, -1)


class TestAgainstDifferences:
    """All joint types, branches, several roots, frames at general places."""

    @pytest.fixture(params=range(5))
    def case(self, request):
        rng = np.random.default_rng(request.param)
        tree = random_tree(rng, 8, tuple(ALL), ALL)
        q = tree.neutral + rng.uniform(
            0.1, 0.8, tree.num_coordinates
        )  # off the places where splines are joined
        return tree, q, *rng.normal(size=(2, tree.num_coordinates)), rng.normal(size=(len(tree.links), 6))

    def test_inverse_dynamics(self, case):
        tree, q, v, a, wrenches = case
        derivatives = reduced.inverse_dynamics_derivatives(tree, q, v, a, wrenches)
        close(derivatives.q, slopes(lambda q: reduced.inverse_dynamics_dense(tree, q, v, a, wrenches), q))
        close(derivatives.qdot, slopes(lambda v: reduced.inverse_dynamics_dense(tree, q, v, a, wrenches), v))

    def test_jacobian_derivative_with_wrenches(self, case):
        tree, q, _, _, wrenches = case

        def generalized_forces(q):
            return np.swapaxes(reduced.jacobian(tree, q), -1, -2) @ wrenches.ravel()

        close(reduced.geometric_stiffness(tree, q, wrenches), slopes(generalized_forces, q))

    def test_twists_and_their_rates(self, case):
        tree, q, v, a, _ = case
        derivatives = reduced.kinematics_derivatives(tree, q, v, a)
        kinematics = reduced.body_kinematics(tree, q, v)
        close(derivatives.body_poses, kinematics.body_poses, 1e-13)
        close(derivatives.phi, kinematics.phi, 1e-13)
        close(derivatives.J, kinematics.J, 1e-13)
        close(derivatives.phidot, kinematics.J @ a + kinematics.bias_acceleration, 1e-12)

        def rate(q, v):
            kinematics = reduced.body_kinematics(tree, q, v)
            return (kinematics.J @ a[:, None])[..., 0] + kinematics.bias_acceleration

        close(derivatives.phi_q, slopes(lambda q: reduced.twists(tree, q, v), q))
        close(derivatives.phidot_q, slopes(lambda q: rate(q, v), q))
        close(derivatives.phidot_qdot, slopes(lambda v: rate(q, v), v))


def test_leading_axes_broadcast():
    rng = np.random.default_rng(5)
    tree = random_tree(rng, 6, tuple(ALL), ALL)
    q = tree.neutral + rng.uniform(0.1, 0.8, (3, 1, tree.num_coordinates))
    v, a, wrenches = (
        rng.normal(size=(2, tree.num_coordinates)),
        rng.normal(size=tree.num_coordinates),
        rng.normal(size=(6, 6)),
    )
    derivatives = reduced.inverse_dynamics_derivatives(tree, q, v, a, wrenches)
    for i, j in np.ndindex(3, 2):
        alone = reduced.inverse_dynamics_derivatives(tree, q[i, 0], v[j], a, wrenches)
        for many, one in zip(derivatives, alone, strict=True):
            close(many[i, j], one, 1e-12)


def test_arguments():
    rng = np.random.default_rng(6)
    tree = random_tree(rng, 6)
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    with pytest.raises(InvalidArgument, match="qddot: got shape"):
        reduced.inverse_dynamics_derivatives(tree, q, v, a[:-1])
    with pytest.raises(InvalidArgument, match="wrenches: got shape"):
        reduced.geometric_stiffness(tree, q, np.zeros((2, 6)))


@pytest.mark.parametrize("seed", range(6))
def test_against_pinocchio(seed):
    """With ``omega = B qdot`` for all joints and its rate, our joint forces are ``B^T tau``."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 8, ("ball", *WITH_BALLS) if seed % 2 else tuple(KINDS), WITH_BALLS)
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    theirs, B, dB, slope = pinocchio_rates(tree, q, v)
    omega, alpha = B @ v, B @ a + dB @ v @ v
    model = pinocchio_model(tree)
    data = model.createData()
    by_q, by_v, M = pinocchio.computeRNEADerivatives(model, data, theirs, omega, alpha)
    M = np.triu(M) + np.triu(M, 1).T
    tau = pinocchio.rnea(model, data, theirs, omega, alpha)
    turning = np.einsum("ijl,j->il", dB, v)
    rate_slope = np.einsum("ijl,j->il", dB, a) + slope
    expected = np.einsum("ijl,i->jl", dB, tau) + B.T @ (by_q @ B + by_v @ turning + M @ rate_slope)
    derivatives = reduced.inverse_dynamics_derivatives(tree, q, v, a)
    close(derivatives.q, expected, 1e-10)
    close(derivatives.qdot, B.T @ (by_v @ B + M @ (turning + dB @ v)), 1e-10)


def joint_drive(state):
    """Return nonlinear joint forces, each of which depends on several joints."""
    k = len(state.q)
    f = np.sin(np.roll(state.q, 1)) - 0.1 * np.roll(state.qdot, 2) ** 3
    K = np.roll(np.eye(k), 1, axis=1).T @ np.diag(np.cos(state.q))
    D = np.roll(np.eye(k), 2, axis=1).T @ np.diag(-0.3 * state.qdot**2)
    return Forces(f, K, D)


def force_groups(rng, tree):
    """Return springs and dampers between bodies, particles and the world, beside those of the joints."""
    law = LinearSpring(6.0, 0.7, 0.4)
    ends = [
        (on_body(1, rng.normal(size=3)), on_body(3, rng.normal(size=3))),
        (on_body(2, rng.normal(size=3)), on_particle(0), on_body(0, rng.normal(size=3))),
        (on_particle(0), on_particle(1)),
        (on_particle(1), on_world(rng.normal(size=3))),
    ]
    bushing = FrameSpring.isotropic(frame(rng), frame(rng), 3.0, 2.0, 0.4, 0.3)
    groups = [
        *(PathForces(law, path_through(*points)) for points in ends),
        Damping([0.3, 0.5], [0, 2]),
        FrameSprings(bushing, [[0, 2], [3, WORLD]]),
    ]
    links = [
        Link(
            each.name,
            each.joint,
            each.inertia,
            each.parent,
            each.placement,
            each.body_frame,
            stiffness=rng.uniform(0, 2, each.joint.num_coordinates),
            damping=rng.uniform(0, 2, each.joint.num_coordinates),
        )
        for each in tree.links
    ]
    tree = replace(
        tree,
        links=links,
        masses=[0.8, 1.7],
        applied_forces=ForceGroups(groups),
        applied_joint_forces=joint_drive,
    )
    q = tree.neutral + rng.uniform(0.1, 0.8, tree.num_coordinates)
    x, v = rng.normal(size=(2, 2, 3))
    return tree, State(q=q, qdot=rng.normal(size=tree.num_coordinates), x=x, v=v, t=0.3)


@pytest.mark.parametrize("seed", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in (1, 2))])
def test_system_with_forces_and_particles(seed):
    rng = np.random.default_rng(20 + seed)
    ball = joints.Composite(joints.QuaternionSpherical(), joints.Revolute(unit(rng)))
    tree = random_tree(rng, 5, ("ball", *ALL), {"ball": lambda rng: ball, **ALL})
    tree, state = force_groups(rng, tree)
    a = rng.normal(size=state.size)

    def left(state):
        return tree.force(state) - tree.mass_matrix(state) @ a

    result = tree.linearized_residual(state, a)
    close(result.f, left(state), 1e-12)
    for along in rng.normal(size=(2, state.size)):  # in general directions, so that no entry goes unseen
        close(result.K @ along, derivative(lambda t, d=along: left(state.retract(t * d)), step=1e-3).value)
        faster = derivative(lambda t, d=along: left(state.with_velocity(state.velocity + t * d))).value
        close(result.D @ along, faster)


def test_omitted_stiffness_terms_vanish_at_rest():
    """At rest, without forces that J turns, a spring tree has the stiffness that Sueda (2.79) keeps."""
    rng = np.random.default_rng(3)
    links = [
        Link("a", joints.Revolute(unit(rng)), body(rng), stiffness=2.0),
        Link("b", joints.Universal(), body(rng), "a", frame(rng), stiffness=3.0, damping=0.4),
    ]
    tree = Tree(links, gravity=np.zeros(3))
    state = State(q=np.zeros(3))
    whole, kept = tree.linearized_residual(state, np.zeros(3)), tree.linearized_force(state)
    close(whole.K, kept.K, 1e-13)
    close(whole.D, kept.D, 1e-13)
    heavy = Tree(links, gravity=[1.0, -2.0, 3.0])
    state = State(q=rng.normal(size=3), qdot=rng.normal(size=3))
    whole, kept = heavy.linearized_residual(state, np.zeros(3)), heavy.linearized_force(state)
    assert np.max(np.abs(whole.K - kept.K)) > 1
    assert np.max(np.abs(whole.D - kept.D)) > 0.1
