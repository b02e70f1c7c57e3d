"""Properties of every joint, over a grid of joints, states and batches."""

import numpy as np
import pytest
from batch_differences import by_coordinates, by_time
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from rbnotes import inertia, joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.testing.strategies import unit_vectors


def by_difference(joint, q):
    """Return S ``(n, 6, k)`` from differences of the pose.

    ``Q^-1 dQ/dq_i`` is the matrix of the twist S_i.
    """
    dQ = by_coordinates(joint.transform, q)
    X = np.einsum("nab,nbck->nack", np.linalg.inv(joint.transform(q)), dQ)
    np.testing.assert_allclose(X[:, :3, :3], -np.swapaxes(X[:, :3, :3], 1, 2), atol=1e-8)
    return np.concatenate([np.stack([X[:, 2, 1], X[:, 0, 2], X[:, 1, 0]], axis=1), X[:, :3, 3]], axis=1)


def sizes(arrays):
    """Return the largest number of each array of a stack, or 1, with the stack's number of axes."""
    return np.max(np.abs(arrays), axis=tuple(range(1, arrays.ndim)), initial=1.0, keepdims=True)


def assert_close(actual, expected, tolerance):
    """Assert that stacks agree, relative to the largest number of each array."""
    size = sizes(expected)
    np.testing.assert_allclose(actual / size, expected / size, rtol=0, atol=tolerance)


def size(array):
    return np.max(np.abs(array), initial=1.0)


class TestMotion:
    def test_poses_are_rigid(self, case):
        for q in case.states():
            Q = case.joint.transform(q)
            np.testing.assert_allclose(Q[:3, :3].T @ Q[:3, :3], np.eye(3), atol=1e-13)
            assert np.linalg.det(Q[:3, :3]) > 0
            np.testing.assert_array_equal(Q[3], [0, 0, 0, 1])

    def test_jacobian_is_the_derivative_of_the_pose(self, case):
        q, k = case.states(), case.joint.num_coordinates
        assert case.joint.motion_subspace(q).shape == (len(q), 6, k)
        assert_close(case.joint.motion_subspace(q), by_difference(case.joint, q), 1e-9)

    def test_derivative_of_the_jacobian(self, case):
        q, k = case.states(), case.joint.num_coordinates
        assert case.joint.motion_subspace_derivative(q).shape == (len(q), 6, k, k)
        assert_close(
            case.joint.motion_subspace_derivative(q), by_coordinates(case.joint.motion_subspace, q), 1e-9
        )

    def test_jacobian_rate(self, case):
        q = case.states()
        qdot = case.rates(len(q))
        rate = case.joint.motion_subspace_rate(q, qdot)
        expected = by_time(lambda t: case.joint.motion_subspace(q + t[:, None, None] * qdot), step=2e-3)[1]
        assert_close(rate, expected, 1e-9)
        assert_close(rate, np.einsum("naij,nj->nai", case.joint.motion_subspace_derivative(q), qdot), 1e-12)

    def test_mixed_derivatives_of_the_pose_agree(self, case):
        """dS_i/dq_j - dS_j/dq_i = [S_i, S_j] to rounding, however small the angles."""
        S, dS = (
            case.joint.motion_subspace(case.states()),
            case.joint.motion_subspace_derivative(case.states()),
        )
        columns = np.swapaxes(S, -1, -2)
        bracket = np.moveaxis(se3.ad(columns) @ S[:, None], 1, 2)
        size = sizes(S)[..., None] ** 2
        difference = (dS - np.swapaxes(dS, -1, -2)) / size
        np.testing.assert_allclose(difference, bracket / size, rtol=0, atol=1e-12)

    def test_power_of_the_coordinate_forces_is_the_rate_of_the_energy(self, case):
        M = inertia.spatial_inertia(2.0, np.diag([0.3, 0.5, 0.7]), [0.2, -0.1, 0.3])
        q, qdot, qddot = case.random(), case.rates(), case.rates(seed=5)

        def along(matrices, vectors):
            return np.einsum("...ij,...j->...i", matrices, vectors)

        def energy(t):
            t = t[:, None, None]
            twist = along(case.joint.motion_subspace(q + t * qdot + t**2 / 2 * qddot), qdot + t * qddot)
            return np.sum(twist * along(M, twist), axis=-1) / 2

        S = case.joint.motion_subspace(q)
        twist = along(S, qdot)
        acceleration = along(S, qddot) + along(case.joint.motion_subspace_rate(q, qdot), qdot)
        wrench = along(M, acceleration) - along(np.swapaxes(se3.ad(twist), 1, 2), along(M, twist))
        power = np.sum(along(np.swapaxes(S, 1, 2), wrench) * qdot, axis=-1)
        assert_close(power, by_time(energy, step=2e-3)[1], 1e-9)


class TestBatches:
    def test_leading_axes_are_kept(self, case):
        joint, k = case.joint, case.joint.num_coordinates
        q, qdot = case.random(6).reshape(2, 3, k), case.rates(6).reshape(2, 3, k)
        each = [(i, j) for i in range(2) for j in range(3)]
        results = {
            "Q": joint.transform(q),
            "S": joint.motion_subspace(q),
            "dS": joint.motion_subspace_derivative(q),
            "Sdot": joint.motion_subspace_rate(q, qdot),
            "distance_to_singularity": joint.distance_to_singularity(q),
            "coordinate_constraint": joint.coordinate_constraint(q),
            "coordinate_constraint_jacobian": joint.coordinate_constraint_jacobian(q),
            "coordinate_constraint_jacobian_rate": joint.coordinate_constraint_jacobian_rate(q, qdot),
            "coordinate_constraint_bias_derivative": joint.coordinate_constraint_bias_derivative(q, qdot),
        }
        for index in each:
            one, rate = q[index], qdot[index]
            alone = {
                "Q": joint.transform(one),
                "S": joint.motion_subspace(one),
                "dS": joint.motion_subspace_derivative(one),
                "Sdot": joint.motion_subspace_rate(one, rate),
                "distance_to_singularity": joint.distance_to_singularity(one),
                "coordinate_constraint": joint.coordinate_constraint(one),
                "coordinate_constraint_jacobian": joint.coordinate_constraint_jacobian(one),
                "coordinate_constraint_jacobian_rate": joint.coordinate_constraint_jacobian_rate(one, rate),
                "coordinate_constraint_bias_derivative": joint.coordinate_constraint_bias_derivative(
                    one, rate
                ),
            }
            for name, value in alone.items():
                assert results[name].shape == (2, 3, *value.shape), name
                np.testing.assert_allclose(results[name][index], value, rtol=1e-12, atol=1e-13)

    def test_coordinates_and_rates_broadcast(self, case):
        joint = case.joint
        q, qdot = case.random(3)[:, None], case.rates(2)
        rate = joint.motion_subspace_rate(q, qdot)
        assert rate.shape == (3, 2, 6, joint.num_coordinates)
        np.testing.assert_allclose(rate[2, 1], joint.motion_subspace_rate(q[2, 0], qdot[1]), atol=1e-13)
        new, new_rates = joint.reparametrize(q, qdot)
        assert new.shape == new_rates.shape == (3, 2, joint.num_coordinates)

    def test_results_are_writable(self, case):
        q = case.random(2)
        for result in (
            case.joint.transform(q),
            case.joint.motion_subspace(q),
            case.joint.motion_subspace_derivative(q),
        ):
            result += 1.0

    def test_an_empty_batch_stays_empty(self, case):
        q = np.zeros((0, case.joint.num_coordinates))
        assert case.joint.transform(q).shape == (0, 4, 4)
        assert case.joint.motion_subspace(q).shape == (0, 6, case.joint.num_coordinates)


class TestReparametrization:
    def test_reparametrization_keeps_pose_and_twist(self, case):
        joint = case.joint
        states = [*case.random(), *(2.5 * case.random(seed=8)), *map(np.array, case.singular)]
        for q, qdot in zip(states, case.rates(len(states)), strict=True):
            new, new_rates = joint.reparametrize(q, qdot)
            np.testing.assert_allclose(joint.transform(new), joint.transform(q), atol=1e-12)
            twist = joint.motion_subspace(q) @ qdot
            np.testing.assert_allclose(
                joint.motion_subspace(new) @ new_rates, twist, atol=1e-11 * size(twist)
            )
            again, again_rates = joint.reparametrize(new, new_rates)
            np.testing.assert_allclose(again, new, atol=1e-14)
            np.testing.assert_allclose(again_rates, new_rates, atol=1e-13 * size(new_rates))
            np.testing.assert_allclose(joint.coordinate_constraint(new), 0, atol=1e-14)
            np.testing.assert_allclose(joint.coordinate_constraint_jacobian(new) @ new_rates, 0, atol=1e-13)


class TestSingularity:
    def test_singularity_measure_is_the_smallest_singular_value(self, case):
        """Smallest singular value of the Jacobian by differences, among rates that the constraints allow."""
        joint, states = case.joint, case.random()
        for q, S in zip(states, by_difference(joint, states), strict=True):
            if not q.size:
                assert joint.distance_to_singularity(q) == np.inf
                continue
            rows = joint.coordinate_constraint_jacobian(q)
            allowed = np.linalg.svd(rows)[2][len(rows) :].T if len(rows) else np.eye(q.size)
            slowest = np.linalg.svd(S @ allowed)[1][-1]
            np.testing.assert_allclose(joint.distance_to_singularity(q), slowest, atol=1e-8)

    def test_singularity_measure_vanishes_at_singular_states(self, case):
        rng = np.random.default_rng(4)
        for singular in case.singular:
            q = np.array(singular, dtype=float)
            assert case.joint.distance_to_singularity(q) < 1e-15 * 10
            away = rng.normal(size=q.shape)
            near, nearer = (case.joint.distance_to_singularity(q + size * away) for size in (1e-3, 1e-5))
            assert 50 < near / nearer < 200

    def test_singularity_measure_is_positive_elsewhere(self, case):
        redundant = case.joint.num_dofs < case.joint.num_coordinates - case.joint.num_coordinate_constraints
        measures = case.joint.distance_to_singularity(case.random(200))
        assert np.all(measures < 1e-12) if redundant else np.all(measures > 5e-5)


class TestNearestCoordinates:
    def test_nearest_coordinates_of_an_allowed_pose(self, case):
        joint = case.joint
        Q = joint.transform(case.states())
        q = joint.nearest_coordinates(Q)
        assert q.shape == (*Q.shape[:-2], joint.num_coordinates)
        np.testing.assert_allclose(joint.transform(q), Q, atol=1e-9)

    @pytest.mark.slow
    def test_nearest_coordinates_minimize_the_pose_error(self, case):
        """No change of the coordinates reduces the distance in rad and m."""
        joint, rng = case.joint, np.random.default_rng(6)
        for q in case.random(4):
            off = expm(se3.hat(0.2 * rng.normal(size=6)))
            off[3] = 0, 0, 0, 1
            Q = joint.transform(q) @ off
            nearest_q = joint.nearest_coordinates(Q)
            misfit = joints.pose_error(joint.transform(nearest_q), Q)
            assert np.linalg.norm(misfit) <= np.linalg.norm(joints.pose_error(joint.transform(q), Q)) + 1e-12
            np.testing.assert_allclose(joint.motion_subspace(nearest_q).T @ misfit, 0, atol=1e-10)
            for direction in rng.normal(size=(8, q.size)):
                displaced = joints.pose_error(joint.transform(nearest_q + 1e-3 * direction), Q)
                assert np.linalg.norm(displaced) >= np.linalg.norm(misfit) - 1e-12

    @pytest.mark.slow
    def test_nearest_rates_against_differences(self, case):
        """For a moving pose with a constraint error."""
        joint, rng = case.joint, np.random.default_rng(7)
        for q in case.random(3):
            off, twist = expm(se3.hat(0.1 * rng.normal(size=6))), rng.normal(size=6)

            def moving_poses(times, q=q, off=off, twist=twist):
                poses = joint.transform(q) @ off @ expm(times[:, None, None] * se3.hat(twist))
                poses[:, 3] = 0, 0, 0, 1
                return poses

            start = moving_poses(np.zeros(1))[0]
            nearest_q = joint.nearest_coordinates(start)
            if joint.distance_to_singularity(nearest_q) < 0.05:
                continue
            rates = joints.nearest_rates(joint, nearest_q, start, twist)
            allowed = by_time(lambda t: joint.transform(joint.nearest_coordinates(moving_poses(t))))[1]
            expected = joint.transform(nearest_q) @ se3.hat(joint.motion_subspace(nearest_q) @ rates)
            np.testing.assert_allclose(expected, allowed, atol=1e-6)


class TestConstraintForceBasis:
    def test_constraint_forces_annihilate_allowed_twists(self, case):
        joint = case.joint
        for q in case.states():
            A, S = joints.constraint_force_basis(joint, q), joint.motion_subspace(q)
            assert A.shape == (6 - joint.num_dofs, 6)
            np.testing.assert_allclose(A @ S, 0, atol=1e-12 * size(S))
            np.testing.assert_allclose(A @ A.T, np.eye(len(A)), atol=1e-13)

    def test_constraint_force_basis_spans_the_complement(self, case):
        """The basis spans the orthogonal complement of S away from singular states."""
        joint = case.joint
        for q in case.random():
            A = joints.constraint_force_basis(joint, q)
            if q.size and joint.num_dofs == np.linalg.matrix_rank(joint.motion_subspace(q), tol=1e-8):
                S = joint.motion_subspace(q)
                complement = np.eye(6) - S @ np.linalg.pinv(S, rcond=1e-10)
                np.testing.assert_allclose(A.T @ A, complement, atol=1e-10)

    def test_constraint_force_basis_rate(self, case):
        """d/dt (A S) = 0, and its own span moves as it does by differences."""
        joint = case.joint
        for q, qdot in zip(case.random(), case.rates(), strict=True):
            A, rate = (
                joints.constraint_force_basis(joint, q),
                joints.constraint_force_basis_rate(joint, q, qdot),
            )
            np.testing.assert_allclose(
                rate @ joint.motion_subspace(q) + A @ joint.motion_subspace_rate(q, qdot),
                0,
                atol=1e-11 * size(joint.motion_subspace(q)) ** 2,
            )

            def spans(times, q=q, qdot=qdot):
                rows = [joints.constraint_force_basis(joint, q + t * qdot) for t in times]
                return np.stack([each.T @ each for each in rows])

            expected = by_time(spans, step=1e-3)[1]
            np.testing.assert_allclose(rate.T @ A + A.T @ rate, expected, atol=1e-7 * size(expected))


@st.composite
def random_composites(draw):
    """Return two to four joints of any type, one after the other, with frames between them."""
    makers = (
        st.builds(joints.Revolute, unit_vectors()),
        st.builds(joints.Prismatic, unit_vectors()),
        st.builds(joints.Helical, unit_vectors(), st.sampled_from((0.5, -0.25))),
        st.builds(joints.Cylindrical, unit_vectors()),
        st.builds(joints.EulerSpherical, st.sampled_from(joints.euler_sequences())),
        st.just(joints.ExponentialSpherical()),
        st.just(joints.QuaternionSpherical()),
        st.just(joints.Universal()),
        st.just(joints.Free2D()),
        st.just(joints.Translational()),
    )
    parts = draw(st.lists(st.one_of(*makers), min_size=2, max_size=4))
    joint = joints.Composite(*parts)
    seed = draw(st.integers(0, 2**16))
    return joint, np.random.default_rng(seed).uniform(-1.5, 1.5, size=(2, joint.num_coordinates))


class TestRandomComposites:
    @given(random_composites())
    def test_jacobian_and_its_rate(self, joint_and_state):
        joint, (q, qdot) = joint_and_state
        np.testing.assert_allclose(joint.motion_subspace(q), by_difference(joint, q[None])[0], atol=1e-7)
        rate = by_time(lambda t: joint.motion_subspace(q + t[:, None] * qdot))[1]
        np.testing.assert_allclose(joint.motion_subspace_rate(q, qdot), rate, atol=1e-6)
        np.testing.assert_allclose(joint.motion_subspace_derivative(q) @ qdot, rate, atol=1e-6)

    @given(random_composites())
    def test_pose_is_the_product_of_the_poses(self, joint_and_state):
        joint, (q, _) = joint_and_state
        ends = np.cumsum([part.num_coordinates for part in joint.parts])[:-1]
        expected = np.eye(4)
        for part, part_q in zip(joint.parts, np.split(q, ends), strict=True):
            expected = expected @ part.transform(part_q)
        np.testing.assert_allclose(joint.transform(q), expected, atol=1e-13)


def test_wrong_coordinates_are_named(case):
    k = case.joint.num_coordinates
    with pytest.raises(InvalidArgument, match=rf"q: got shape \({k + 1},\), expected shape \(..., {k}\)"):
        case.joint.transform(np.zeros(k + 1))
    with pytest.raises(InvalidArgument, match=r"qdot: got shape"):
        case.joint.motion_subspace_rate(case.joint.neutral, np.zeros(k + 1))
    with pytest.raises(InvalidArgument, match="Q: got a matrix with"):
        case.joint.nearest_coordinates(np.diag([2.0, 2, 2, 1]))
    if k:
        with pytest.raises(InvalidArgument, match="q: got NaN"):
            case.joint.motion_subspace(np.full(k, np.nan))
