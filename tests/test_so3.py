"""Rotations against scipy, Pinocchio, mpmath and differences, from no angle at all to a half turn."""

import mpmath
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotation_vectors, rotations, vectors
from rbnotes.unchecked import so3 as unchecked_so3

ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.1, 0.9999, 1.0001, 2.0, 3.0, np.pi - 1e-4, np.pi - 1e-8, np.pi]
AXES = [
    np.array(axis) / np.linalg.norm(axis) for axis in ([1, 0, 0], [0, 0, -1], [1, -2, 3], [-0.3, 0.01, 1e-3])
]
any_rotation_vector = st.one_of(rotation_vectors(), rotation_vectors("small"), rotation_vectors("near_pi"))


def polynomial(w, coefficients):
    """Return I + b [w] + c [w]^2 with 50 digits."""
    x = mpmath.sqrt(sum(c**2 for c in w))
    b, c = coefficients(x)
    W = mpmath.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return mpmath.eye(3) + b * W + c * W * W


def precise(w, coefficients, *directions):
    """Return the polynomial, or its derivative along the directions, computed with 50 digits."""
    mpmath.mp.dps = 50
    h = mpmath.mpf("1e-12")

    def along(point, directions):
        if not directions:
            return polynomial(point, coefficients)
        ahead = [x + h * float(d) for x, d in zip(point, directions[0], strict=True)]
        behind = [x - h * float(d) for x, d in zip(point, directions[0], strict=True)]
        return (along(ahead, directions[1:]) - along(behind, directions[1:])) / (2 * h)

    return np.array(along([mpmath.mpf(float(x)) for x in w], directions).tolist(), dtype=float)


def of_exp(x):
    return (mpmath.sin(x) / x, (1 - mpmath.cos(x)) / x**2) if x else (1, mpmath.mpf(1) / 2)


def of_jacobian(x):
    if not x:
        return mpmath.mpf(1) / 2, mpmath.mpf(1) / 6
    return (1 - mpmath.cos(x)) / x**2, (x - mpmath.sin(x)) / x**3


def of_inverse(x):
    return -mpmath.mpf(1) / 2, (1 - x / 2 * mpmath.cot(x / 2)) / x**2 if x else mpmath.mpf(1) / 12


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("axis", AXES, ids=str)
class TestAccuracy:
    def test_exp_and_jacobians_to_twelve_digits(self, angle, axis):
        w = angle * axis
        for function, coefficients in (
            (so3.exp, of_exp),
            (so3.left_jacobian, of_jacobian),
            (so3.left_jacobian_inverse, of_inverse),
        ):
            np.testing.assert_allclose(function(w), precise(w, coefficients), rtol=0, atol=5e-14)

    def test_log_inverts_exp(self, angle, axis):
        w = angle * axis
        back = so3.log(Rotation.from_rotvec(w).as_matrix())
        if np.pi - angle < 1e-15 and back @ w < 0:  # half turns have two logarithms
            back = -back
        np.testing.assert_allclose(back, w, rtol=1e-12, atol=1e-15)

    def test_against_pinocchio(self, angle, axis):
        w = angle * axis
        np.testing.assert_allclose(so3.exp(w), pin.exp3(w), atol=1e-13)
        np.testing.assert_allclose(so3.right_jacobian(w), pin.Jexp3(w), atol=1e-12)

    def test_derivatives_of_the_jacobians(self, angle, axis):
        w, u, v = angle * axis, np.array([0.3, -0.7, 0.2]), np.array([-0.5, 0.1, 0.9])
        for function, transposed, expected in (
            (so3.left_jacobian_dot, so3.right_jacobian_dot, precise(w, of_jacobian, u)),
            (so3.left_jacobian_inverse_dot, so3.right_jacobian_inverse_dot, precise(w, of_inverse, u)),
        ):
            np.testing.assert_allclose(function(w, u), expected, rtol=0, atol=1e-13)
            np.testing.assert_allclose(transposed(w, u), expected.T, rtol=0, atol=1e-13)
        hessian = so3.left_jacobian_hessian(w, u, v)
        np.testing.assert_allclose(hessian, precise(w, of_jacobian, u, v), rtol=0, atol=1e-13)


def test_log_of_half_turns_has_a_positive_first_component():
    for axis in AXES:
        for signed in (axis, -axis):
            w = so3.log(Rotation.from_rotvec(np.pi * signed).as_matrix())
            assert w[np.argmax(np.abs(w) > 1e-8)] > 0
            np.testing.assert_allclose(np.abs(w), np.pi * np.abs(axis), atol=1e-14)


def test_log_agrees_with_pinocchio_below_pi():
    for axis in AXES:
        for angle in (1e-9, 0.3, 2.0, np.pi - 1e-6):
            R = so3.exp(angle * axis)
            np.testing.assert_allclose(so3.log(R), pin.log3(R), atol=1e-9)
            np.testing.assert_allclose(so3.right_jacobian_inverse(angle * axis), pin.Jlog3(R), atol=1e-8)


@given(any_rotation_vector)
def test_exp_is_the_matrix_exponential(w):
    np.testing.assert_allclose(so3.exp(w), expm(so3.hat(w)), atol=1e-13)


@given(rotations(), rotations(), rotations())
def test_group_properties(A, B, C):
    w = so3.log(A)
    np.testing.assert_allclose(so3.exp(w), A, atol=1e-14)
    np.testing.assert_allclose(so3.exp(-w), A.T, atol=1e-14)
    np.testing.assert_allclose(so3.angle(A @ B @ A.T), so3.angle(B), atol=1e-12)
    np.testing.assert_allclose(A @ so3.hat(B[0]) @ A.T, so3.hat(A @ B[0]), atol=1e-14)
    np.testing.assert_allclose(so3.angle(C), Rotation.from_matrix(C).magnitude(), atol=1e-14)


@given(rotation_vectors(), vectors())
def test_jacobians_are_derivatives(w, wdot):
    R = so3.exp(w)
    rate = derivative(lambda t: so3.exp(w + t * wdot)).value
    np.testing.assert_allclose(rate, R @ so3.hat(so3.right_jacobian(w) @ wdot), atol=1e-11)
    np.testing.assert_allclose(rate, so3.hat(so3.left_jacobian(w) @ wdot) @ R, atol=1e-11)
    np.testing.assert_allclose(so3.right_jacobian(w) @ so3.right_jacobian_inverse(w), np.eye(3), atol=1e-12)


@given(rotations(), rotations())
def test_interpolation_has_constant_velocity_on_the_shorter_path(R0, R1):
    path = so3.interpolate(R0, R1, np.linspace(0, 1, 5))
    np.testing.assert_allclose(path[0], R0, atol=1e-14)
    np.testing.assert_allclose(path[-1], R1, atol=1e-13)
    steps = so3.angle(np.swapaxes(path[:-1], -1, -2) @ path[1:])
    np.testing.assert_allclose(steps, so3.angle(R0.T @ R1) / 4, atol=1e-12)


def test_broadcasting_equals_a_loop():
    rng = np.random.default_rng(1)
    w, wdot = rng.normal(size=(4, 3, 3)), rng.normal(size=(3, 3))
    jacobians = (so3.left_jacobian, so3.right_jacobian, so3.left_jacobian_inverse, so3.right_jacobian_inverse)
    for function in (so3.hat, so3.exp, *jacobians):
        looped = np.array([[function(one) for one in row] for row in w])
        np.testing.assert_allclose(function(w), looped, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(so3.log(so3.exp(w)), [[so3.log(so3.exp(one)) for one in row] for row in w])
    for function in (
        so3.left_jacobian_dot,
        so3.right_jacobian_dot,
        so3.left_jacobian_inverse_dot,
        so3.right_jacobian_inverse_dot,
        lambda w, wdot: so3.left_jacobian_hessian(w, wdot, wdot),
    ):
        looped = np.array([[function(a, b) for a, b in zip(row, wdot, strict=True)] for row in w])
        np.testing.assert_allclose(function(w, wdot), looped, rtol=1e-13, atol=1e-14)
    assert so3.exp(np.zeros((0, 3))).shape == (0, 3, 3)


@given(vectors())
def test_hat_and_vee(w):
    np.testing.assert_array_equal(so3.vee(so3.hat(w)), w)
    np.testing.assert_allclose(so3.hat(w) @ w, np.zeros(3), atol=1e-14)


class TestErrors:
    def test_error_states_the_distance_from_a_rotation(self):
        with pytest.raises(
            InvalidArgument, match=r"R: got a matrix with max \|R\^T R - I\| = 0.21, expected a rot"
        ):
            so3.log(1.1 * np.eye(3))

    def test_reflection(self):
        with pytest.raises(InvalidArgument, match="R: got a reflection"):
            so3.log(np.diag([1.0, 1.0, -1.0]))

    def test_matrix_that_is_not_skew(self):
        with pytest.raises(InvalidArgument, match="W: got a matrix with max"):
            so3.vee(np.eye(3))
        with pytest.raises(InvalidArgument, match="W: got a matrix with max"):
            so3.vee(np.stack([1e12 * so3.hat([1.0, 2, 3]), np.eye(3)]))  # each by its own size

    def test_shapes_and_nan(self):
        with pytest.raises(InvalidArgument, match=r"w: got shape \(4,\), expected shape \(..., 3\)"):
            so3.exp(np.zeros(4))
        with pytest.raises(InvalidArgument, match="w: got NaN or infinite"):
            so3.left_jacobian([np.nan, 0, 0])

    def test_mismatched_leading_axes_are_named(self):
        with pytest.raises(InvalidArgument, match=r"w, wdot: got leading axes \(2,\), \(3,\), expected"):
            so3.left_jacobian_inverse_dot(np.zeros((2, 3)), np.zeros((3, 3)))
        with pytest.raises(InvalidArgument, match="w, u, v: got leading axes"):
            so3.left_jacobian_hessian(np.zeros(3), np.zeros((2, 3)), np.zeros((3, 3)))
        with pytest.raises(InvalidArgument, match="R0, R1, t: got leading axes"):
            so3.interpolate(np.eye(3), np.broadcast_to(np.eye(3), (2, 3, 3)), np.zeros(3))

    def test_angle_too_large_to_square(self):
        with pytest.raises(InvalidArgument, match=r"w: got an entry of -1e\+200"):
            so3.exp([0, -1e200, 0])

    def test_inverse_jacobian_at_a_full_turn(self):
        with pytest.raises(SingularConfiguration, match="multiple of 2 pi"):
            so3.left_jacobian_inverse([2 * np.pi, 0, 0])
        so3.left_jacobian_inverse([0, 0, 0])


@pytest.mark.parametrize("angle", [3.999, 4.001, 7.0, 100.0, 1e6, 1e10])
@pytest.mark.parametrize("axis", AXES[::2], ids=str)
def test_derivatives_at_large_angles(angle, axis):
    """All digits that the angle has, whose rounding turns the axes across it."""
    w, u, v = angle * axis, np.array([0.3, -0.7, 0.2]), np.array([-0.5, 0.1, 0.9])
    for actual, expected in (
        (so3.left_jacobian(w), precise(w, of_jacobian)),
        (so3.left_jacobian_dot(w, u), precise(w, of_jacobian, u)),
        (so3.left_jacobian_hessian(w, u, v), precise(w, of_jacobian, u, v)),
    ):
        size = np.max(np.abs(expected))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=size * (2e-14 + 2e-15 * angle))


@pytest.mark.parametrize("angle", [0.5, 0.9, 0.999, 1.0])
def test_inverse_jacobian_at_the_series_limit(angle):
    for axis in AXES:
        expected = precise(angle * axis, of_inverse)
        np.testing.assert_allclose(so3.left_jacobian_inverse(angle * axis), expected, rtol=0, atol=1.2e-15)


def test_bernoulli_numbers():
    numbers = [1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6]
    np.testing.assert_allclose(unchecked_so3._bernoulli(7), numbers, rtol=1e-15)
