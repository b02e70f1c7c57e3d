"""Rigid motions against scipy, Pinocchio (which stacks the linear part first) and differences."""

import mpmath
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, logm

from rbnotes import se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.testing import derivative, jacobian, jacobian_se3
from rbnotes.testing.strategies import frames, rotation_vectors, twists, vectors

P = np.array([3, 4, 5, 0, 1, 2])  # to linear part first and back
any_twist = st.builds(
    lambda w, v: np.append(w, v),
    st.one_of(rotation_vectors(), rotation_vectors("small"), rotation_vectors("near_pi")),
    vectors(),
)
E_EXAMPLE = se3.exp([0.3, -0.4, 0.5, 1.0, 2.0, 3.0])


@given(any_twist)
def test_exp_and_log(xi):
    E = se3.exp(xi)
    np.testing.assert_allclose(E, expm(se3.hat(xi)), atol=1e-12)
    np.testing.assert_allclose(E, pin.exp6(pin.Motion(xi[P])).homogeneous, atol=1e-12)
    if np.linalg.norm(xi[:3]) < np.pi - 1e-9:
        np.testing.assert_allclose(se3.log(E), xi, atol=1e-12)
    np.testing.assert_allclose(se3.exp(se3.log(E)), E, atol=1e-12)


def test_log_is_the_matrix_logarithm():
    np.testing.assert_allclose(se3.hat(se3.log(E_EXAMPLE)), np.real(logm(E_EXAMPLE)), atol=1e-12)


@given(any_twist)
def test_jacobians_against_pinocchio(xi):
    # Pinocchio keeps seven digits near its switch to series; test_jacobians_are_derivatives is sharper.
    J = pin.Jexp6(pin.Motion(xi[P]))
    np.testing.assert_allclose(se3.right_jacobian(xi)[np.ix_(P, P)], J, rtol=0, atol=1e-7)
    np.testing.assert_allclose(se3.left_jacobian(xi) @ se3.left_jacobian_inverse(xi), np.eye(6), atol=1e-11)
    np.testing.assert_allclose(se3.right_jacobian(xi) @ se3.right_jacobian_inverse(xi), np.eye(6), atol=1e-11)
    if np.linalg.norm(xi[:3]) < np.pi - 1e-3:
        J = pin.Jlog6(pin.SE3(se3.exp(xi)))
        np.testing.assert_allclose(se3.right_jacobian_inverse(xi)[np.ix_(P, P)], J, rtol=0, atol=1e-6)


@given(any_twist, twists())
def test_jacobians_are_derivatives(xi, xidot):
    E = se3.exp(xi)
    rate = derivative(lambda t: se3.exp(xi + t * xidot)).value
    np.testing.assert_allclose(rate, E @ se3.hat(se3.right_jacobian(xi) @ xidot), atol=1e-10)
    np.testing.assert_allclose(rate, se3.hat(se3.left_jacobian(xi) @ xidot) @ E, atol=1e-10)


@given(any_twist, twists())
def test_rates_of_jacobians(xi, xidot):
    for function, rate in (
        (se3.left_jacobian, se3.left_jacobian_dot),
        (se3.right_jacobian, se3.right_jacobian_dot),
        (se3.left_jacobian_inverse, se3.left_jacobian_inverse_dot),
        (se3.right_jacobian_inverse, se3.right_jacobian_inverse_dot),
    ):
        expected = derivative(lambda t, function=function: function(xi + t * xidot)).value
        np.testing.assert_allclose(rate(xi, xidot), expected, atol=1e-9)


def precise_left_jacobian(xi):
    """Return the mean of ``exp(s ad(xi))`` over s from 0 to 1, by the corner of an exponential."""
    A = mpmath.zeros(12)
    for x, y, z, rows, columns in ((*xi[:3], 0, 0), (*xi[:3], 3, 3), (*xi[3:], 3, 0)):
        cross = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        A[rows : rows + 3, columns : columns + 3] = cross
    A[0:6, 6:12] = mpmath.eye(6)
    squarings = 10 + int(mpmath.ceil(mpmath.log(mpmath.norm(A, 1), 2)))
    A /= mpmath.mpf(2) ** squarings
    term = result = mpmath.eye(12)
    for power in range(1, 15):
        term = term * A / power
        result = result + term
    for _ in range(squarings):
        result = result * result
    return result[0:6, 6:12]


@pytest.mark.parametrize("angle", [100.0, 1e6])
def test_derivatives_at_large_angles(angle):
    """All digits that the angle has, in each block, though they differ in size by the angle."""
    xi = np.append(angle * np.array([1, -2, 3]) / np.sqrt(14), [0.3, -1.2, 0.7])
    xidot = np.array([0.3, -0.7, 0.2, -0.5, 0.1, 0.9])
    with mpmath.workdps(60):
        h = mpmath.mpf("1e-12")
        behind, here, ahead = (
            precise_left_jacobian([float(a) + t * float(b) for a, b in zip(xi, xidot, strict=True)])
            for t in (-h, 0 * h, h)
        )
        rate = (ahead - behind) / (2 * h)
    for actual, precise in ((se3.left_jacobian(xi), here), (se3.left_jacobian_dot(xi, xidot), rate)):
        expected = np.array(precise.tolist(), dtype=float)
        for block in np.ndindex(2, 2):
            part = tuple(slice(3 * i, 3 * i + 3) for i in block)
            close = np.max(np.abs(expected[part])) * (2e-14 + 2e-15 * angle)
            np.testing.assert_allclose(actual[part], expected[part], rtol=0, atol=close)


@given(frames(), frames(), twists(), twists())
def test_adjoints(A, B, xi, eta):
    np.testing.assert_allclose(se3.Ad(A @ B), se3.Ad(A) @ se3.Ad(B), atol=1e-12)
    np.testing.assert_allclose(se3.Ad_inverse(A) @ se3.Ad(A), np.eye(6), atol=1e-12)
    np.testing.assert_allclose(se3.hat(se3.Ad(A) @ xi), A @ se3.hat(xi) @ se3.inverse(A), atol=1e-12)
    np.testing.assert_allclose(se3.Ad(A)[np.ix_(P, P)], pin.SE3(A).action, atol=1e-14)
    np.testing.assert_allclose(se3.ad(xi)[np.ix_(P, P)], pin.Motion(xi[P]).action, atol=0)
    np.testing.assert_allclose(
        se3.ad(se3.ad(xi) @ eta), se3.ad(xi) @ se3.ad(eta) - se3.ad(eta) @ se3.ad(xi), atol=1e-12
    )
    np.testing.assert_allclose(se3.Ad(se3.exp(xi)), expm(se3.ad(xi)), atol=1e-10)


@given(frames(), twists())
def test_rates_of_adjoints(E, xi):
    def moving_pose(t):
        return E @ se3.exp(t * xi)

    np.testing.assert_allclose(
        se3.Ad_dot(E, xi), derivative(lambda t: se3.Ad(moving_pose(t))).value, atol=1e-10
    )
    expected = derivative(lambda t: se3.Ad_inverse(moving_pose(t))).value
    np.testing.assert_allclose(se3.Ad_inverse_dot(E, xi), expected, atol=1e-10)


@given(frames(), vectors(), twists(), vectors())
def test_points(E, x, xi, f):
    J = jacobian_se3(lambda E_varied: se3.transform_points(E_varied, x), E).value
    np.testing.assert_allclose(E[:3, :3] @ se3.Gamma(x), J, atol=1e-11)
    np.testing.assert_allclose(se3.point_velocity(E, x, xi), J @ xi, atol=1e-11)
    np.testing.assert_allclose(se3.point_wrench(E, x, f), J.T @ f, atol=1e-11)
    np.testing.assert_allclose(
        se3.transform_points(se3.inverse(E), se3.transform_points(E, x)), x, atol=1e-13
    )


@given(frames(), frames())
def test_interpolation_is_a_screw_motion(A, B):
    path = se3.interpolate(A, B, np.linspace(0, 1, 5))
    np.testing.assert_allclose(path[0], A, atol=1e-13)
    np.testing.assert_allclose(path[-1], B, atol=1e-12)
    steps = se3.log(se3.inverse(path[:-1]) @ path[1:])
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-10)


def test_jacobian_of_log_at_a_pose():
    xi = se3.log(E_EXAMPLE)
    expected = jacobian_se3(se3.log, E_EXAMPLE).value
    np.testing.assert_allclose(se3.right_jacobian_inverse(xi), expected, atol=1e-11)
    inner = jacobian(lambda z: se3.log(se3.exp(xi + z)), np.zeros(6)).value
    np.testing.assert_allclose(inner, np.eye(6), atol=1e-11)


def test_broadcasting_equals_a_loop():
    rng = np.random.default_rng(2)
    xi, x = rng.normal(size=(5, 2, 6)), rng.normal(size=(2, 3))
    E = se3.exp(xi)
    assert E.shape == (5, 2, 4, 4)
    for function, values in (
        (se3.exp, xi),
        (se3.hat, xi),
        (se3.ad, xi),
        (se3.left_jacobian_inverse, xi),
        (se3.inverse, E),
        (se3.log, E),
        (se3.Ad, E),
    ):
        looped = np.array([[function(one) for one in row] for row in values])
        np.testing.assert_allclose(function(values), looped, atol=1e-15)
    looped = np.array(
        [
            [se3.point_velocity(e, y, z) for e, y, z in zip(a, x, b, strict=True)]
            for a, b in zip(E, xi, strict=True)
        ]
    )
    np.testing.assert_allclose(se3.point_velocity(E, x, xi), looped, atol=1e-14)
    assert se3.frame(np.eye(3), np.zeros((7, 3))).shape == (7, 4, 4)


def test_vee_inverts_hat():
    xi = np.arange(6.0)
    np.testing.assert_array_equal(se3.vee(se3.hat(xi)), xi)


class TestErrors:
    def test_frame(self):
        bad = np.eye(4)
        bad[3, 0] = 0.1
        with pytest.raises(InvalidArgument, match=r"E: got a last row 0.1 off \(0, 0, 0, 1\)"):
            se3.inverse(bad)
        with pytest.raises(InvalidArgument, match=r"E: got a matrix with max \|R\^T R - I\| = 3"):
            se3.log(np.diag([2.0, 1, 1, 1]))
        with pytest.raises(InvalidArgument, match=r"E: got shape \(3, 3\), expected shape \(..., 4, 4\)"):
            se3.Ad(np.eye(3))

    def test_twist(self):
        with pytest.raises(InvalidArgument, match=r"xi: got shape \(3,\)"):
            se3.exp(np.zeros(3))
        with pytest.raises(InvalidArgument, match="xi: got NaN"):
            se3.ad([np.inf, 0, 0, 0, 0, 0])
        with pytest.raises(InvalidArgument, match="X: got a last row"):
            se3.vee(np.eye(4))
        with pytest.raises(InvalidArgument, match="X: got a last row"):
            se3.vee(np.stack([1e12 * se3.hat(np.ones(6)), np.diag([0.0, 0, 0, 1])]))  # each by its own size

    def test_mismatched_leading_axes_are_named(self):
        poses, x, xi = np.broadcast_to(np.eye(4), (2, 4, 4)), np.zeros((3, 3)), np.zeros((3, 6))
        for names, call in (
            ("R, p", lambda: se3.frame(poses[:, :3, :3], x)),
            ("E, x", lambda: se3.transform_points(poses, x)),
            ("E, xi", lambda: se3.Ad_dot(poses, xi)),
            ("E, xi", lambda: se3.Ad_inverse_dot(poses, xi)),
            ("xi, xidot", lambda: se3.right_jacobian_dot(xi, np.zeros((2, 6)))),
            ("E0, E1, t", lambda: se3.interpolate(poses, poses, np.zeros(3))),
            ("E, x, xi", lambda: se3.point_velocity(poses, x[0], xi)),
            ("E, x, f", lambda: se3.point_wrench(poses, x, x[0])),
        ):
            with pytest.raises(InvalidArgument, match=rf"^{names}: got leading axes .* expected axes that"):
                call()

    def test_full_turn(self):
        with pytest.raises(InvalidArgument, match=r"^xi: got an entry of -1e\+200"):
            se3.exp([0, -1e200, 0, 1, 2, 3])
        with pytest.raises(SingularConfiguration, match=r"^xi: .*2 pi"):
            se3.left_jacobian_inverse([0, 0, 2 * np.pi, 1, 0, 0])
