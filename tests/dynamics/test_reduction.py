"""Reduction by any J: against the full problem with the reduction as equations, and on a linkage."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import null_space

from rbnotes import inertia, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Contacts
from rbnotes.dynamics import (
    BilateralRows,
    Reduction,
    State,
    StepProblem,
    StepSolution,
    UnilateralRows,
    solve_step,
)
from rbnotes.friction import socp_fixed_point_friction
from rbnotes.joints import Revolute
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.testing import derivative
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

FULL, REDUCED = 6, 4
OFFSET = se3.exp([0.2, 0.1, -0.4, 0.3, -0.2, 0.2])


@given(
    spd_matrices(FULL),
    vectors(FULL),
    full_rank_matrices(FULL, FULL).map(lambda A: A[:, :REDUCED]),
    vectors(FULL),
    matrices(3, FULL),
    vectors(3),
    st.sampled_from([0.0, 0.5, np.array([[0.5, 0.2], [0.2, 0.75]])]),
    st.booleans(),
)
def test_reduced_problem_equals_full_problem_with_equations(M, f, J, drift, rows, targets, softness, thin):
    """The full problem has constraint rows whose null space is J."""
    reduction = Reduction(sparse.csr_array(J) if thin else J, drift)
    soft = BilateralRows(rows[:2], targets[:2], softness if np.any(softness) else 0.5)
    pairs = UnilateralRows(rows[2:], targets[2:], 0.25)
    problem = StepProblem(sparse.csr_array(M) if thin else M, f, soft, pairs)
    solution = reduction.expand(solve_step(reduction.reduce(problem)))

    C = null_space(J.T).T
    R = np.zeros((4, 4))
    R[:2, :2] = np.diag(soft.regularization) if soft.regularization.ndim == 1 else soft.regularization
    both = BilateralRows(np.vstack([rows[:2], C]), np.concatenate([targets[:2], C @ drift]), R)
    full = solve_step(StepProblem(M, f, both, pairs))
    scale = 1 + max(np.max(np.abs(full.velocity)), np.max(np.abs(full.bilateral)))
    for actual, expected in (
        (solution.velocity, full.velocity),
        (solution.bilateral, full.bilateral[:2]),
        (solution.unilateral, full.unilateral),
        (reduction.constraint_forces(problem, solution), C.T @ full.bilateral[2:]),
    ):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6 * scale)
    holding = reduction.constraint_forces(problem, solution)
    np.testing.assert_allclose(reduction.reduce_forces(holding), 0, atol=1e-6 * scale)


@given(matrices(6, 4), vectors(6), matrices(4, 2), vectors(4), vectors(2))
def test_successive_reductions(J, drift, inner, inner_drift, u):
    first, second = Reduction(J, drift), Reduction(inner, inner_drift)
    both = second.compose(first)
    np.testing.assert_allclose(
        both.expand_velocities(u), first.expand_velocities(second.expand_velocities(u)), atol=1e-9
    )
    assert (both.size, both.reduced_size) == (6, 2)


def linkage(q):
    """Return two bodies in general frames: one hinged to the world, the other to it about another axis."""
    hinge, second = se3.exp([0.3, -0.2, 0.5, 0.4, 0.1, -0.3]), se3.exp([-0.6, 0.4, 0.2, 0.5, 0.2, 0.1])
    first = hinge @ se3.frame(so3.exp(q[0] * np.eye(3)[2]), np.zeros(3)) @ OFFSET
    return np.stack([first, first @ second @ se3.frame(so3.exp(q[1] * np.eye(3)[2]), np.zeros(3))])


def twists_of(q, qdot):
    """Return the velocities of the bodies from the joint velocities, by differences of the poses."""
    inverse = se3.inverse(linkage(q))
    return derivative(lambda t: se3.log(inverse @ linkage(q + t * qdot))).value.ravel()


def test_joint_coordinates_of_a_linkage_agree_with_its_constraints():
    """J and its drift by differences of the poses; the equations of motion are those of free bodies."""
    q, qdot = np.array([0.7, -0.4]), np.array([1.3, -2.1])
    J = np.stack([twists_of(q, unit) for unit in np.eye(2)], axis=1)
    drift = derivative(lambda t: twists_of(q + t * qdot, qdot)).value
    bodies = np.stack(
        [
            inertia.spatial_inertia(1.5, np.diag([0.3, 0.5, 0.4]), [0.1, 0.2, -0.1]),
            inertia.spatial_inertia(0.8, np.diag([0.2, 0.1, 0.25]), [-0.1, 0.0, 0.15]),
        ]
    )
    poses = linkage(q)
    joints = [
        maximal.joint_from_world_frame(
            Revolute(),
            linkage([0.0, 0.0])[0] @ se3.inverse(se3.exp([0.2, 0.1, -0.4, 0.3, -0.2, 0.2])),
            poses,
            0,
        ),
        maximal.joint_from_world_frame(Revolute(), poses[1], poses, 1, 0),
    ]
    model = MaximalModel(bodies, joints)
    state = State(poses, (J @ qdot).reshape(2, 6))
    np.testing.assert_allclose(maximal.constraint_jacobian(joints, poses) @ state.velocity, 0, atol=1e-9)
    problem = StepProblem(model.mass_matrix(state), model.force(state))
    solution = Reduction(J, drift).expand(solve_step(Reduction(J, drift).reduce(problem)))
    np.testing.assert_allclose(solution.velocity, model.acceleration(state), atol=1e-6)


def test_contacts_are_reduced_with_their_targets():
    """Two particles that move as one, pushed over a floor: as one particle of both masses."""
    tie = Reduction(np.vstack([np.eye(3), np.eye(3)]))
    normal_first = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])
    contacts = Contacts(np.hstack([normal_first, np.zeros((3, 3))]), [0.5], [0.1])
    momentum = np.array([0.4, 0.0, -1.0, 0.6, 0.3, -2.0])
    problem = StepProblem(np.diag(np.repeat([1.0, 3.0], 3)), momentum, contacts=contacts)
    solution = tie.expand(socp_fixed_point_friction(tie.reduce(problem)))
    one = socp_fixed_point_friction(
        StepProblem(4 * np.eye(3), momentum[:3] + momentum[3:], contacts=Contacts(normal_first, [0.5], [0.1]))
    )
    np.testing.assert_allclose(solution.velocity, np.tile(one.velocity, 2), atol=1e-9)
    np.testing.assert_allclose(solution.normal, one.normal, atol=1e-9)
    holding = tie.constraint_forces(problem, solution)
    np.testing.assert_allclose(holding[:3], -holding[3:], atol=1e-9)
    rising = replace(tie, bias=[0.0, 0.0, 0.3, 0.0, 0.0, 0.3])
    assert rising.reduce(problem).contacts.normal_target == pytest.approx([0.1 - 0.3])
    with pytest.raises(InvalidArgument, match=r"contacts: got a bias of 0\.2 along a tangent"):
        replace(tie, bias=[0.2, 0, 0, 0.2, 0, 0]).reduce(problem)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Reduction(np.eye(3), np.zeros(2)), r"bias: got shape \(2,\)"),
        (lambda: Reduction([1.0, 2.0]), "J: got shape"),
        (
            lambda: Reduction(np.eye(3)).reduce(StepProblem(np.eye(2), np.ones(2))),
            "problem: got 2 velocities",
        ),
        (lambda: Reduction(np.eye(3)[:, :2]).expand_velocities(np.ones(3)), "v_reduced: got shape"),
        (lambda: Reduction(np.eye(3)).reduce_forces(np.ones(2)), "f: got shape"),
        (lambda: Reduction(np.eye(3)).compose(Reduction(np.eye(2))), "first: got 2 reduced velocities"),
        (
            lambda: Reduction(np.eye(2)).constraint_forces(
                StepProblem(np.eye(2), np.ones(2)), StepSolution(np.ones(2), np.ones(1))
            ),
            "bilateral: got shape",
        ),
    ],
)
def test_invalid_shapes_are_named(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
