"""Quaternions against scipy and differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from rbnotes import quaternion, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.checking import derivative
from rbnotes.checking.strategies import numbers, rotation_vectors, rotations, unit_quaternions, vectors

any_rotation_vector = st.one_of(rotation_vectors(), rotation_vectors("small"), rotation_vectors("near_pi"))


def scipy_rotation(q):
    return Rotation.from_quat(np.roll(q, -1))


def assert_same_rotation(q, p, atol=1e-14):
    np.testing.assert_allclose(q * np.sign(np.sum(q * p, axis=-1, keepdims=True)), p, atol=atol)


@given(any_rotation_vector)
def test_conversions(w):
    R = Rotation.from_rotvec(w).as_matrix()
    q = quaternion.from_rotation_vector(w)
    assert_same_rotation(q, np.roll(Rotation.from_rotvec(w).as_quat(), 1))
    assert_same_rotation(quaternion.from_rotation(R), q)
    np.testing.assert_allclose(quaternion.to_rotation(q), R, atol=1e-14)
    back = quaternion.to_rotation_vector(q)
    np.testing.assert_allclose(so3.exp(back), R, atol=1e-14)
    assert quaternion.from_rotation(R)[0] >= 0


@given(unit_quaternions(), unit_quaternions(), vectors())
def test_product_and_rotation(q, p, x):
    both = scipy_rotation(q) * scipy_rotation(p)
    assert_same_rotation(quaternion.product(q, p), np.roll(both.as_quat(), 1))
    np.testing.assert_allclose(quaternion.rotate(q, x), scipy_rotation(q).apply(x), atol=1e-14)
    np.testing.assert_allclose(
        quaternion.rotate(quaternion.conjugate(q), quaternion.rotate(q, x)), x, atol=1e-14
    )


@given(vectors(4).filter(lambda q: q @ q > 0.1), vectors(4))
def test_algebra_of_any_quaternions(q, p):
    np.testing.assert_allclose(quaternion.product(q, quaternion.inverse(q)), [1, 0, 0, 0], atol=1e-14)
    length = np.linalg.norm(quaternion.product(q, p))
    np.testing.assert_allclose(length, np.linalg.norm(q) * np.linalg.norm(p), atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(quaternion.normalize(q)), 1, atol=1e-15)


@given(unit_quaternions(), vectors())
def test_rates(q, omega):
    base, body = quaternion.derivative_from_base(q, omega), quaternion.derivative_from_body(q, omega)
    turning = derivative(lambda t: quaternion.to_rotation(quaternion.normalize(q + t * base))).value
    np.testing.assert_allclose(turning, so3.hat(omega) @ quaternion.to_rotation(q), atol=1e-10)
    turning = derivative(lambda t: quaternion.to_rotation(quaternion.normalize(q + t * body))).value
    np.testing.assert_allclose(turning, quaternion.to_rotation(q) @ so3.hat(omega), atol=1e-10)
    np.testing.assert_allclose(quaternion.base_angular_velocity(q, base), omega, atol=1e-14)
    np.testing.assert_allclose(quaternion.body_angular_velocity(q, body), omega, atol=1e-14)
    assert abs(q @ base) < 1e-14  # the rate is tangent to the unit sphere


@given(unit_quaternions(), vectors(), numbers(0, 1))
def test_step_is_exact_for_a_constant_angular_velocity(q, omega, h):
    after = scipy_rotation(q) * Rotation.from_rotvec(h * omega)
    assert_same_rotation(quaternion.step(q, omega, h), np.roll(after.as_quat(), 1))


def test_length_drifts_under_explicit_euler_and_not_under_exact_steps():
    omega, h = np.array([1.0, -2.0, 0.5]), 0.01
    drifting = stepped = np.array([1.0, 0, 0, 0])
    for _ in range(1000):
        drifting = drifting + h / 2 * quaternion.product(drifting, np.append(0, omega))
        stepped = quaternion.step(stepped, omega, h)
    # Each Euler step is perpendicular to q, so |q|^2 grows by the factor 1 + (h |omega| / 2)^2.
    growth = (1 + h**2 * omega @ omega / 4) ** 500
    np.testing.assert_allclose(np.linalg.norm(drifting), growth, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(stepped), 1, atol=1e-13)


@given(unit_quaternions(), unit_quaternions(), numbers(0, 1))
def test_interpolation(q0, q1, t):
    apart = (scipy_rotation(q0).inv() * scipy_rotation(q1)).magnitude()
    if apart < np.pi - 1e-6:  # half turns have two shortest ways
        expected = Slerp([0, 1], Rotation.concatenate([scipy_rotation(q0), scipy_rotation(q1)]))(t)
        assert_same_rotation(quaternion.interpolate(q0, q1, t), np.roll(expected.as_quat(), 1), atol=1e-9)


@given(rotations())
def test_broadcasting(R):
    many = np.stack([R, np.eye(3), np.diag([1.0, -1, -1])])
    q = quaternion.from_rotation(many)
    for one, matrix in zip(q, many, strict=True):
        np.testing.assert_array_equal(one, quaternion.from_rotation(matrix))
    np.testing.assert_allclose(quaternion.to_rotation(q), many, atol=1e-14)
    np.testing.assert_allclose(quaternion.rotate(q, np.ones(3)), many @ np.ones(3), atol=1e-14)
    assert quaternion.product(q[:, None], q).shape == (3, 3, 4)


class TestErrors:
    def test_length_is_said(self):
        with pytest.raises(
            InvalidArgument, match="q: got a length that differs from 1 by 1, expected unit length"
        ):
            quaternion.rotate([2.0, 0, 0, 0], np.zeros(3))

    def test_zero(self):
        for function in (quaternion.inverse, quaternion.normalize):
            with pytest.raises(InvalidArgument, match="q: got a zero quaternion"):
                function(np.zeros(4))

    def test_shape_axis_and_nan(self):
        with pytest.raises(InvalidArgument, match=r"p: got shape \(3,\)"):
            quaternion.product([1.0, 0, 0, 0], [1.0, 0, 0])
        with pytest.raises(InvalidArgument, match="axis: got a length"):
            quaternion.from_axis_angle([1.0, 1.0, 0.0], 0.1)
        with pytest.raises(InvalidArgument, match="omega: got NaN"):
            quaternion.derivative_from_body([1.0, 0, 0, 0], [np.nan, 0, 0])
