"""Stabilization: targets, growth of errors, stability limits, projection of positions and of poses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.stabilization import (
    ProjectionNotConverged,
    acceleration_growth,
    acceleration_target,
    largest_stable_step,
    least_norm_correction,
    project_poses,
    project_positions,
    spectral_radius,
    velocity_growth,
    velocity_target,
)
from rbnotes.dynamics import WORLD, BilateralRows, StepProblem, solve_step
from rbnotes.errors import NotConverged
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import ExponentialSpherical, Revolute
from rbnotes.multibody.maximal import Joint, constraint_error, constraint_jacobian
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import full_rank_matrices, positive_numbers, spd_matrices, vectors

MOVES = st.sampled_from(["new", "old"])


def nonlinear_constraints(x):
    """Return two nonlinear constraints among four coordinates."""
    return np.array([x[0] ** 2 + x[1] * x[2] - 1, np.sin(x[3]) + x[0] * x[3] - x[1] ** 2])


def nonlinear_constraint_rows(x):
    return jacobian(nonlinear_constraints, x).value


@given(vectors(4), vectors(4), vectors(4), positive_numbers(), positive_numbers())
def test_acceleration_target_makes_the_error_a_damped_oscillator(x, v, free, alpha, beta):
    G = nonlinear_constraint_rows(x)
    if np.linalg.svd(G)[1][-1] < 0.1:
        return
    gdot = derivative(lambda t: nonlinear_constraints(x + t * v)).value
    drift = derivative(lambda t: nonlinear_constraint_rows(x + t * v) @ v).value
    a, _ = factor_kkt(np.eye(4), G).solve(
        free, acceleration_target(nonlinear_constraints(x), gdot, drift, alpha, beta)
    )

    def rate(t):
        return derivative(lambda s: nonlinear_constraints(x + s * v + s**2 / 2 * a), t).value

    np.testing.assert_allclose(
        derivative(rate).value, -2 * alpha * gdot - beta**2 * nonlinear_constraints(x), rtol=1e-6, atol=1e-6
    )


@given(
    spd_matrices(3), full_rank_matrices(2, 3), vectors(3), positive_numbers(0, 4), positive_numbers(0.125, 2)
)
def test_velocity_growth_is_that_of_a_step(M, G, x, gamma, h):
    v = solve_step(StepProblem(M, x, BilateralRows(G, velocity_target(G @ x, gamma)))).velocity
    np.testing.assert_allclose(G @ (x + h * v), velocity_growth(gamma, h)[0, 0] * (G @ x), atol=1e-8)


@given(
    st.tuples(spd_matrices(3), full_rank_matrices(2, 3), vectors(3), vectors(3)),
    positive_numbers(0, 4),
    positive_numbers(0, 4),
    positive_numbers(0.125, 2),
    MOVES,
)
def test_acceleration_growth_is_that_of_a_step(case, alpha, beta, h, moves):
    M, G, x, v = case
    a, _ = factor_kkt(M, G).solve(x, acceleration_target(G @ x, G @ v, np.zeros(2), alpha, beta))
    after = np.stack([G @ (x + h * (v + h * a if moves == "new" else v)), G @ (v + h * a)])
    growth = acceleration_growth(alpha, beta, h, moves)
    np.testing.assert_allclose(after, growth @ np.stack([G @ x, G @ v]), atol=1e-6)


@given(positive_numbers(), positive_numbers(), MOVES)
def test_errors_grow_beyond_the_stability_limits(alpha, beta, moves):
    limit = largest_stable_step(alpha, beta, moves)
    for part in (0.01, 0.5, 0.98):
        assert spectral_radius(acceleration_growth(alpha, beta, part * limit, moves)) < 1
    assert spectral_radius(acceleration_growth(alpha, beta, limit, moves)) == pytest.approx(1, abs=1e-6)
    assert spectral_radius(acceleration_growth(alpha, beta, 1.02 * limit, moves)) > 1


def test_rates_of_one_over_h():
    h = 0.01
    assert velocity_growth(1 / h, h)[0, 0] == pytest.approx(0, abs=1e-15)
    old = acceleration_growth(1 / h, 1 / h, h, "old")
    np.testing.assert_allclose(old @ old, 0, atol=1e-12)  # gone after two steps
    new = acceleration_growth(1 / h, 1 / h, h, "new")
    assert spectral_radius(new) == pytest.approx((1 + np.sqrt(5)) / 2)  # the golden ratio
    assert largest_stable_step(100, 100) == pytest.approx(2 * (np.sqrt(2) - 1) / 100)


def test_double_root():
    """Equal rates and old velocities: both eigenvalues are 1 - h alpha."""
    np.testing.assert_allclose(np.linalg.eigvals(acceleration_growth(3.0, 3.0, 0.2, "old")), 0.4, atol=1e-7)


def pendulum(gamma, h, time):
    """Return the largest error of a pendulum in point coordinates with Baumgarte's target."""
    x, v = np.array([1.0, 0.0]), np.zeros(2)
    errors = []
    for _ in range(round(time / h)):
        g = np.array([(x @ x - 1) / 2])
        rod = BilateralRows(x[None], velocity_target(g, gamma))
        v = solve_step(StepProblem(np.eye(2), v + h * np.array([0.0, -9.81]), rod)).velocity
        x = x + h * v
        errors.append(abs((x @ x - 1) / 2))
    return np.array(errors)


@pytest.mark.slow
def test_pendulum_drifts_without_stabilization_only():
    without = pendulum(0.0, 0.01, 10)
    assert without[-1] > 0.3
    assert np.all(np.diff(without) >= -1e-12)
    assert np.max(pendulum(20.0, 0.01, 10)) < 0.03
    # A step adds h^2 v^2 / 2, and gamma = 1/h takes away what was there before.
    deadbeat = pendulum(100.0, 0.01, 10)
    assert np.max(deadbeat) < 1.1 * 0.01**2 * 2 * 9.81 / 2
    assert np.max(pendulum(190.0, 0.01, 10)) < 0.03
    assert np.max(pendulum(210.0, 0.01, 3)) > 1


@given(spd_matrices(4), vectors(4, -0.1, 0.1))
def test_projection_is_nearest_in_the_norm_of_the_mass(M, perturbation):
    on = project_positions(
        [0.5, 1.2, 0.6, 0.7], np.eye(4), nonlinear_constraints, nonlinear_constraint_rows
    ).positions
    x = on + perturbation
    projection = project_positions(x, M, nonlinear_constraints, nonlinear_constraint_rows, tolerance=1e-12)
    assert np.max(np.abs(nonlinear_constraints(projection.positions))) <= 1e-11
    best = minimize(
        lambda y: (y - x) @ M @ (y - x),
        projection.positions,
        jac=lambda y: 2 * M @ (y - x),
        constraints={"type": "eq", "fun": nonlinear_constraints, "jac": nonlinear_constraint_rows},
        options={"ftol": 1e-14},
    )
    distance = (projection.positions - x) @ M @ (projection.positions - x)
    assert distance <= best.fun * 1.2 + 1e-9  # the nearest but for the curvature
    # Its first step is the least: any other solution of the linearized constraints is farther.
    first = factor_kkt(M, nonlinear_constraint_rows(x)).solve(np.zeros(4), -nonlinear_constraints(x))[0]
    for along in np.linalg.svd(nonlinear_constraint_rows(x))[2][2:]:
        assert abs(first @ M @ along) < 1e-8


def test_projection_keeps_the_center_of_mass_and_converges_quadratically():
    masses = np.array([1.0, 1, 3, 3])
    x = np.array([0.0, 0, 1.2, 0.3])

    def error(x):
        return np.array([(x[2:] - x[:2]) @ (x[2:] - x[:2]) - 1])

    def rows(x):
        d = 2 * (x[2:] - x[:2])
        return np.concatenate([-d, d])[None]

    projection = project_positions(x, np.diag(masses), error, rows)
    displacement = projection.positions - x
    np.testing.assert_allclose(displacement[:2] + 3 * displacement[2:], 0, atol=1e-12)
    assert projection.iterations <= 5
    for mass in (sparse.diags_array(masses), np.diag(masses)):
        thin = project_positions(x, mass, error, lambda x: sparse.csr_array(rows(x)))
        np.testing.assert_allclose(thin.positions, projection.positions, atol=1e-9)


def rod_inertia(mass):
    return spatial_inertia(mass, mass * np.diag([0.4, 0.5, 0.2]), [0.1, -0.2, 0.3])


def test_projection_closes_joints():
    rng = np.random.default_rng(1)
    poses = se3.exp(rng.normal(size=(3, 6)))
    joint_frames = [se3.exp(rng.normal(size=6)) for _ in range(3)]
    in_world = [poses[i] @ joint_frames[i] for i in range(3)]
    joints = [
        Joint(ExponentialSpherical(), 0, joint_frames[0], WORLD, in_world[0]),
        Joint(Revolute(), 1, joint_frames[1], 0, se3.inverse(poses[0]) @ in_world[1]),
        Joint(Revolute(), 2, joint_frames[2], 1, se3.inverse(poses[1]) @ in_world[2]),
    ]
    inertias = np.stack([rod_inertia(mass) for mass in (1.0, 20.0, 0.3)])
    np.testing.assert_allclose(constraint_error(joints, poses), 0, atol=1e-12)
    displaced = poses @ se3.exp(0.1 * rng.normal(size=(3, 6)))
    projection = project_poses(
        displaced, inertias, lambda E: constraint_error(joints, E), lambda E: constraint_jacobian(joints, E)
    )
    assert projection.iterations <= 6
    np.testing.assert_allclose(constraint_error(joints, projection.positions), 0, atol=1e-10)
    xi = se3.log(se3.inverse(displaced) @ projection.positions)
    cost = np.einsum("bi,bij,bj->", xi, inertias, xi)
    original = se3.log(se3.inverse(displaced) @ poses)
    assert cost < np.einsum("bi,bij,bj->", original, inertias, original)
    # No motion that the joints allow would bring the bodies nearer to where they were, to first order.
    allowed = np.linalg.svd(constraint_jacobian(joints, projection.positions).toarray())[2][13:]
    gradient = np.einsum("bij,bj->bi", inertias, xi).ravel()
    assert np.max(np.abs(allowed @ gradient)) < 0.15 * np.linalg.norm(gradient)


def test_closed_loop_with_redundant_rows():
    """A planar four-bar linkage of hinges in space: three rows too many, and still it closes."""
    corners = np.array([[0.0, 0, 0], [0.3, 1, 0], [1.4, 1.2, 0], [1.5, 0, 0]])
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = (corners[:-1] + corners[1:]) / 2

    def corner_frame(corner, body):
        return se3.frame(np.eye(3), corners[corner] - (0 if body == WORLD else poses[body][:3, 3]))

    joints = [
        Joint(
            Revolute(), i, corner_frame(i, i), i - 1 if i else WORLD, corner_frame(i, i - 1 if i else WORLD)
        )
        for i in range(3)
    ]
    joints.append(Joint(Revolute(), 2, corner_frame(3, 2), WORLD, corner_frame(3, WORLD)))
    inertias = np.stack([rod_inertia(1.0)] * 3)
    displaced = poses @ se3.exp(0.05 * np.random.default_rng(3).normal(size=(3, 6)))
    projection = project_poses(
        displaced, inertias, lambda E: constraint_error(joints, E), lambda E: constraint_jacobian(joints, E)
    )
    assert (
        factor_kkt(np.eye(18), constraint_jacobian(joints, projection.positions).toarray()).num_redundant == 3
    )
    np.testing.assert_allclose(constraint_error(joints, projection.positions), 0, atol=1e-10)


class TestErrors:
    def test_rates(self):
        with pytest.raises(InvalidArgument, match="gamma: got -1"):
            velocity_target([0.1], -1.0)
        with pytest.raises(InvalidArgument, match="h: got 0"):
            velocity_growth(1.0, 0.0)
        with pytest.raises(InvalidArgument, match="position_update: got 'both'"):
            acceleration_growth(1.0, 1.0, 0.1, "both")
        with pytest.raises(InvalidArgument, match=r"gdot: got shape \(2,\)"):
            acceleration_target([0.1], [0.1, 0.2], [0.1], 1.0, 1.0)
        with pytest.raises(InvalidArgument, match="beta: got 0"):
            largest_stable_step(1.0, 0.0)
        with pytest.raises(InvalidArgument, match=r"growth: got shape \(1, 2\)"):
            spectral_radius([[1.0, 2.0]])

    def test_projection_without_constraints_is_the_identity(self):
        """No rows, dense or sparse, and of poses."""
        for rows in (np.zeros((0, 2)), sparse.csr_array((0, 2))):
            projection = project_positions(
                [1.0, 2.0], np.eye(2), lambda x: np.zeros(0), lambda x, rows=rows: rows
            )
            assert projection.positions.tolist() == [1.0, 2.0]
            assert (projection.error, projection.iterations) == (0.0, 0)
        projection = project_poses(np.eye(4)[None], np.eye(6)[None], lambda E: [], lambda E: np.zeros((0, 6)))
        assert np.array_equal(projection.positions[0], np.eye(4))

    def test_unsatisfiable_constraints_raise(self):
        with pytest.raises(ProjectionNotConverged, match="is left after 20 steps"):
            project_positions([1.0], np.eye(1), lambda x: x**2 + 1, lambda x: 2 * x[None])
        with pytest.raises(ProjectionNotConverged) as raised:
            project_positions(
                [0.5],
                np.eye(1),
                lambda x: np.array([x[0], x[0] - 1]),
                lambda x: np.ones((2, 1)),
                max_iterations=7,
            )
        assert isinstance(raised.value, NotConverged)
        assert raised.value.residual == raised.value.solution.error == pytest.approx(0.5)
        assert raised.value.solution.positions == pytest.approx(0.5)
        assert raised.value.solution.iterations == 7

    def test_shapes(self):
        with pytest.raises(InvalidArgument, match="poses, inertias: got shapes"):
            project_poses(np.eye(4)[None], np.eye(6), lambda E: [0.0], lambda E: np.zeros((1, 6)))

    def test_rows_without_response_are_not_corrected(self):
        """No rows, and rows without a response, dense or sparse."""
        for form in (np.asarray, sparse.csr_array):
            for k in (0, 2):
                step = least_norm_correction(form(np.zeros((k, 3))), form(np.zeros((3, k))), np.ones(k))
                assert step.tolist() == [0.0, 0.0, 0.0]
