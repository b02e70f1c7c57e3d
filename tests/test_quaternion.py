"""Quaternions: against scipy, matrices and differences; accuracy at both ends; broadcasting; errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from rbnotes import quaternion
from rbnotes.arguments import InvalidArgument
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    numbers,
    positive_numbers,
    rotation_vectors,
    rotations,
    unit_quaternions,
    unit_vectors,
    vectors,
)

AXIS = np.array([2.0, -3.0, 6.0]) / 7
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 3.0, *(np.pi - np.array([1e-4, 1e-8, 1e-12]))]
ANY_ROTATION_VECTOR = st.one_of(rotation_vectors(), rotation_vectors("small"), rotation_vectors("near_pi"))


def scipy_rotation(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def scalar_first(rotation):
    return np.roll(rotation.as_quat(), 1, axis=-1)


def assert_close(actual, expected, tolerance=1e-14):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def same_rotation(q, p, tolerance=1e-14):
    assert_close(q * np.sign(np.sum(q * p, axis=-1, keepdims=True)), p, tolerance)


@given(unit_vectors(), numbers(-20, 20))
def test_from_axis_angle(axis, angle):
    same_rotation(quaternion.from_axis_angle(axis, angle), scalar_first(Rotation.from_rotvec(angle * axis)))


def test_from_axis_angle_changes_sign_after_a_full_turn():
    assert_close(quaternion.from_axis_angle(AXIS, 1 + 2 * np.pi), -quaternion.from_axis_angle(AXIS, 1))


@given(ANY_ROTATION_VECTOR)
def test_conversions(w):
    rotation = Rotation.from_rotvec(w)
    q = quaternion.from_rotation_vector(w)
    same_rotation(q, scalar_first(rotation))
    same_rotation(quaternion.from_rotation(rotation.as_matrix()), q)
    assert_close(quaternion.to_rotation(q), rotation.as_matrix())
    assert_close(quaternion.to_rotation(-q), rotation.as_matrix())
    assert_close(Rotation.from_rotvec(quaternion.to_rotation_vector(q)).as_matrix(), rotation.as_matrix())


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors_are_accurate_at_small_and_large_angles(angle):
    w = angle * AXIS
    q = quaternion.from_rotation_vector(w)
    np.testing.assert_allclose(quaternion.to_rotation_vector(q), w, rtol=1e-14, atol=0)
    np.testing.assert_allclose(quaternion.to_rotation_vector(-q), w, rtol=1e-14, atol=0)


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors_round_trip(angle):
    R = Rotation.from_rotvec(angle * AXIS).as_matrix()
    assert_close(quaternion.to_rotation_vector(quaternion.from_rotation(R)), angle * AXIS, 4e-15)


@pytest.mark.parametrize("angle", [50.0, 1e6, 1e12])
def test_many_turns(angle):
    q = quaternion.from_rotation_vector(angle * AXIS)
    np.testing.assert_allclose(np.linalg.norm(q), 1, rtol=3e-15)
    same_rotation(q, scalar_first(Rotation.from_rotvec(angle * AXIS)), 1e-15 * angle)


def test_huge_rotation_vectors_give_unit_quaternions():
    np.testing.assert_allclose(np.linalg.norm(quaternion.from_rotation_vector(9e99 * AXIS)), 1, rtol=3e-15)


@given(unit_vectors())
def test_rotation_vector_of_a_half_turn_is_unique(axis):
    leading = axis[np.argmax(np.abs(axis) > 1e-12)]
    for q in (np.array([0.0, *axis]), np.array([1e-16, *axis]), np.array([-1e-16, *axis])):
        for sign in (1, -1):
            assert_close(quaternion.to_rotation_vector(sign * q), np.pi * axis * np.sign(leading))


@given(unit_quaternions("near_pi"))
def test_rotation_vectors_are_never_longer_than_pi(q):
    assert np.linalg.norm(quaternion.to_rotation_vector(q)) <= np.pi * (1 + 1e-15)


@pytest.mark.parametrize("scalar", [1e-15, 1e-13, -1e-13])
def test_sign_of_the_scalar_near_a_half_turn(scalar):
    assert_close(quaternion.to_rotation_vector([scalar, *-AXIS]), -np.sign(scalar) * np.pi * AXIS, 1e-12)


@given(rotations())
def test_from_rotation(R):
    q = quaternion.from_rotation(R)
    assert q[0] >= 0
    same_rotation(q, scalar_first(Rotation.from_matrix(R)))
    assert_close(quaternion.to_rotation(q), R)


@given(vectors(4), vectors(4), vectors(4))
def test_product(q, p, r):
    qp = quaternion.product(q, p)
    assert_close(qp, matrix_product(q, p))
    assert_close(quaternion.product(qp, r), quaternion.product(q, quaternion.product(p, r)))
    assert_close(np.linalg.norm(qp), np.linalg.norm(q) * np.linalg.norm(p))


def matrix_product(q, p):
    """Return quaternions as complex 2 x 2 matrices."""
    Q, P = (np.array([[a + 1j * b, c + 1j * d], [-c + 1j * d, a - 1j * b]]) for a, b, c, d in (q, p))
    (first, second), _ = Q @ P
    return [first.real, first.imag, second.real, second.imag]


@given(unit_quaternions(), unit_quaternions(), vectors())
def test_product_applies_the_second_factor_first(q, p, x):
    qp = quaternion.product(q, p)
    same_rotation(qp, scalar_first(scipy_rotation(q) * scipy_rotation(p)))
    assert_close(quaternion.rotate(qp, x), quaternion.rotate(q, quaternion.rotate(p, x)))


@given(vectors(4).filter(np.any), vectors(4))
def test_inverse_and_conjugate(q, p):
    assert_close(quaternion.product(q, quaternion.inverse(q)), [1, 0, 0, 0])
    assert_close(quaternion.product(quaternion.inverse(q), q), [1, 0, 0, 0])
    assert_close(quaternion.product(q, quaternion.conjugate(q)), [q @ q, 0, 0, 0])
    assert_close(
        quaternion.conjugate(quaternion.product(q, p)),
        quaternion.product(quaternion.conjugate(p), quaternion.conjugate(q)),
    )


@given(vectors(4).filter(np.any), positive_numbers())
def test_normalize(q, length):
    unit = quaternion.normalize(length * q)
    assert_close(np.linalg.norm(unit), 1)
    assert_close(unit * np.linalg.norm(q), q)


@pytest.mark.parametrize("scale", [1e-306, 1e-200, 1e-160, 1e80, 9.9e99])
def test_norms_neither_overflow_nor_underflow(scale):
    q = np.array([0.5, -0.5, 0.5, 0.5])
    assert_close(quaternion.normalize(scale * q), q)
    assert_close(quaternion.normalize(np.full(4, scale)), np.full(4, 0.5))
    assert_close(scale * quaternion.inverse(scale * q), quaternion.conjugate(q))


def test_extreme_norms():
    assert_close(quaternion.normalize([0, 5e-324, 0, 0]), [0, 1, 0, 0])
    assert_close(
        quaternion.normalize(np.array([[9e99] * 4, [3e-320, 4e-320, 0, 0]])),
        [[0.5] * 4, [0.6, 0.8, 0, 0]],
        1e-3,
    )
    with pytest.raises(InvalidArgument, match="q: got a quaternion that is nearly zero, expected entries of"):
        quaternion.inverse([[1, 0, 0, 0], [0, 1e-320, 0, 0]])


@given(unit_quaternions(), vectors())
def test_rotate(q, x):
    assert_close(quaternion.rotate(q, x), scipy_rotation(q).apply(x))
    assert_close(quaternion.rotate(quaternion.conjugate(q), quaternion.rotate(q, x)), x)
    sandwich = quaternion.product(quaternion.product(q, [0, *x]), quaternion.inverse(q))
    assert_close(sandwich, [0, *quaternion.rotate(q, x)])


@given(rotation_vectors(), vectors(), numbers(-1, 1))
def test_derivatives(w, omega, t):
    """Along motions whose angular velocity is constant in one frame; scipy's rotations carry no sign."""
    start = Rotation.from_rotvec(w)
    q0 = scalar_first(start * Rotation.from_rotvec(t * omega))

    def continuous(rotation):
        q = scalar_first(rotation)
        return q * np.sign(q @ q0)

    qdot = derivative(lambda s: continuous(start * Rotation.from_rotvec(s * omega)), t).value
    omega_base = start.apply(omega)
    assert_close(quaternion.derivative_from_body(q0, omega), qdot, 1e-11)
    assert_close(quaternion.derivative_from_base(q0, omega_base), qdot, 1e-11)
    assert_close(quaternion.body_angular_velocity(q0, qdot), omega, 1e-11)
    assert_close(quaternion.base_angular_velocity(q0, qdot), omega_base, 1e-11)


@given(unit_quaternions(), vectors(), numbers())
def test_angular_velocity_inverts_the_derivative(q, omega, along):
    base, body = quaternion.derivative_from_base(q, omega), quaternion.derivative_from_body(q, omega)
    assert_close(quaternion.base_angular_velocity(q, base), omega)
    assert_close(quaternion.body_angular_velocity(q, body), omega)
    assert_close([q @ base, q @ body], 0)  # rates are tangent to the unit sphere
    assert_close(quaternion.base_angular_velocity(q, base + along * q), omega)
    assert_close(quaternion.body_angular_velocity(q, body + along * q), omega)


@given(unit_quaternions(), vectors(), positive_numbers())
def test_step(q, omega, h):
    expected = quaternion.step(q, omega, h)
    same_rotation(expected, scalar_first(scipy_rotation(q) * Rotation.from_rotvec(h * omega)))
    rate = derivative(lambda t: quaternion.step(q, omega, t)).value
    assert_close(rate, quaternion.derivative_from_body(q, omega), 1e-11)


def test_norm_drifts_only_under_explicit_euler():
    omega, h = np.array([3.0, -1.0, 2.0]), 0.01
    start = drifting = stepped = quaternion.from_rotation_vector([0.3, -0.2, 0.9])
    for _ in range(1000):
        drifting = drifting + h / 2 * quaternion.product(drifting, np.append(0, omega))
        stepped = quaternion.step(stepped, omega, h)
    assert_close(np.linalg.norm(drifting), (1 + quaternion.norm_drift(omega, h)) ** 1000, 1e-12)
    assert_close(np.linalg.norm(stepped), 1, 1e-13)
    assert_close(stepped, quaternion.step(start, omega, 10.0), 1e-12)


@given(unit_quaternions(), vectors(), positive_numbers())
def test_norm_drift(q, omega, h):
    for rate in (quaternion.derivative_from_body, quaternion.derivative_from_base):
        longer = q + h * rate(q, omega)
        assert_close(quaternion.norm_drift(omega, h), np.linalg.norm(longer) - 1)


def test_norm_drift_is_accurate_for_all_step_sizes():
    np.testing.assert_allclose(quaternion.norm_drift([0, 3, 4], 1e-9), 25e-18 / 8, rtol=1e-14)
    assert_close(quaternion.norm_drift([0, 3, 4], 9e99), 22.5e99)


@given(unit_quaternions(), unit_quaternions().filter(lambda q: abs(q[0]) > 0.1), numbers(0, 1))
def test_interpolate(q0, rotation, t):
    q1 = quaternion.product(q0, rotation)
    path = Slerp([0, 1], Rotation.concatenate([scipy_rotation(q0), scipy_rotation(q1)]))
    same_rotation(quaternion.interpolate(q0, q1, t), scalar_first(path(t)), 1e-13)
    assert_close(quaternion.interpolate(q0, q1, 0), q0)
    assert_close(quaternion.interpolate(q0, -q1, t), quaternion.interpolate(q0, q1, t))


def test_interpolation_takes_the_shorter_path():
    start, end = quaternion.from_axis_angle(AXIS, 0.0), quaternion.from_axis_angle(AXIS, [3.0, 6.0])
    middle = quaternion.interpolate(start, end, 0.5)
    same_rotation(middle, quaternion.from_axis_angle(AXIS, [1.5, 3.0 - np.pi]))


def test_broadcasting():
    rng = np.random.default_rng(7)
    q, p = (quaternion.normalize(rng.normal(size=shape)) for shape in ((2, 1, 4), (3, 4)))
    x, t = rng.normal(size=(3, 3)), rng.uniform(size=(2, 3))
    rates = (quaternion.derivative_from_base, quaternion.derivative_from_body)
    speeds = (quaternion.base_angular_velocity, quaternion.body_angular_velocity)
    for i, j in np.ndindex(2, 3):
        for function in (quaternion.product, *speeds):
            assert_close(function(q, p)[i, j], function(q[i, 0], p[j]))
        for function in (quaternion.rotate, *rates):
            assert_close(function(q, x)[i, j], function(q[i, 0], x[j]))
        assert_close(quaternion.step(q, x, t)[i, j], quaternion.step(q[i, 0], x[j], t[i, j]))
        assert_close(quaternion.interpolate(q, p, t)[i, j], quaternion.interpolate(q[i, 0], p[j], t[i, j]))
        assert_close(quaternion.norm_drift(x, t)[i, j], quaternion.norm_drift(x[j], t[i, j]))
        assert_close(quaternion.from_rotation_vector(x)[j], quaternion.from_rotation_vector(x[j]))
        assert_close(quaternion.to_rotation_vector(p)[j], quaternion.to_rotation_vector(p[j]))
        assert_close(quaternion.to_rotation(p)[j], quaternion.to_rotation(p[j]))
    one_of_each_row = np.stack([np.eye(3), *(np.diag(2 * e - 1) for e in np.eye(3))])
    for R in (quaternion.to_rotation(p), one_of_each_row):
        batch = quaternion.from_rotation(R)
        for one, matrix in zip(batch, R, strict=True):
            assert_close(one, quaternion.from_rotation(matrix))


def test_empty_batches():
    none = np.empty((0, 4))
    assert quaternion.to_rotation(none).shape == (0, 3, 3)
    assert quaternion.from_rotation(np.empty((0, 3, 3))).shape == (0, 4)
    assert quaternion.to_rotation_vector(none).shape == (0, 3)
    assert quaternion.rotate(none, [1, 2, 3]).shape == (0, 3)


IDENTITY = np.array([1.0, 0, 0, 0])
CALLS = [
    (lambda: quaternion.from_axis_angle([1, 1, 0], 1), r"axis: got a length that differs from 1 by 0\.414"),
    (lambda: quaternion.from_axis_angle([1, 0, 0], np.nan), "angle: got NaN"),
    (lambda: quaternion.from_rotation_vector([1, 2]), r"w: got shape \(2,\), expected shape \(\.\.\., 3\)"),
    (lambda: quaternion.to_rotation_vector(2 * IDENTITY), "q: got a length that differs from 1 by 1"),
    (lambda: quaternion.from_rotation(1.1 * np.eye(3)), r"R: got a matrix with max \|R\^T R - I\| = 0\.21"),
    (lambda: quaternion.from_rotation(-np.eye(3)), "R: got a reflection"),
    (lambda: quaternion.to_rotation(IDENTITY[:3]), r"q: got shape \(3,\)"),
    (lambda: quaternion.product(IDENTITY, [1, 2, 3]), r"p: got shape \(3,\)"),
    (lambda: quaternion.product([np.inf, 0, 0, 0], IDENTITY), "q: got NaN or infinite"),
    (lambda: quaternion.conjugate("unit"), "q: got str 'unit'"),
    (lambda: quaternion.inverse(np.zeros(4)), "q: got a zero quaternion, expected a quaternion of positive"),
    (lambda: quaternion.normalize([IDENTITY, 0 * IDENTITY]), "q: got a zero quaternion"),
    (lambda: quaternion.rotate(IDENTITY, [1, 2]), r"x: got shape \(2,\)"),
    (lambda: quaternion.rotate(1.01 * IDENTITY, [1, 2, 3]), "q: got a length that differs from 1 by 0.01"),
    (lambda: quaternion.derivative_from_base(0.9 * IDENTITY, [1, 2, 3]), "q: got a length"),
    (lambda: quaternion.derivative_from_body(IDENTITY, [1, 2, np.nan]), "omega: got NaN"),
    (lambda: quaternion.base_angular_velocity(IDENTITY, [1, 2, 3]), r"qdot: got shape \(3,\)"),
    (lambda: quaternion.body_angular_velocity(0.9 * IDENTITY, IDENTITY), "q: got a length"),
    (lambda: quaternion.step(IDENTITY, [1, 2, 3], np.inf), "h: got NaN or infinite"),
    (lambda: quaternion.norm_drift([1, 2], 0.1), r"omega: got shape \(2,\)"),
    (lambda: quaternion.interpolate(IDENTITY, 2 * IDENTITY, 0.5), "q1: got a length"),
    (lambda: quaternion.interpolate(IDENTITY, IDENTITY, "half"), "t: got str 'half'"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message[:24] for _, message in CALLS])
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
