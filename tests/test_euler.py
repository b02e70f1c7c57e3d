"""Roll, pitch and yaw: against scipy, Pinocchio and differences, near and at gimbal lock; errors."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import euler
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.testing import derivative
from rbnotes.testing.strategies import numbers, rotations, vectors

ANY = st.tuples(numbers(-3, 3), numbers(-1.5, 1.5), numbers(-3, 3)).map(np.array)
TAME = st.tuples(numbers(-3, 3), numbers(-1.25, 1.25), numbers(-3, 3)).map(np.array)
FLIPPED = TAME.map(lambda angles: angles + np.array([0, np.pi, 0]))  # cos(phi) < 0: upside down
BOTH = st.one_of(TAME, FLIPPED)


def assert_close(actual, expected, tolerance=1e-14):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def pinocchio(function, angles, *rates, frame=pin.WORLD):
    """Return the maps by Pinocchio, with its angles and columns in the order (psi, phi, theta)."""
    return function(angles[::-1].copy(), *(rate[::-1].copy() for rate in rates), frame)


@given(st.one_of(ANY, FLIPPED))
def test_to_rotation(angles):
    assert_close(euler.to_rotation(angles), Rotation.from_euler("ZYX", angles).as_matrix())
    assert_close(euler.to_rotation(angles), pin.rpy.rpyToMatrix(angles[::-1].copy()))


@given(ANY)
def test_angles_round_trip(angles):
    R = euler.to_rotation(angles)
    assert_close(euler.from_rotation(R), angles, 1e-13)
    assert_close(euler.from_rotation(R), pin.rpy.matrixToRpy(R)[::-1], 1e-13)


@given(FLIPPED)
def test_pitch_range(angles):
    R = euler.to_rotation(angles)
    result = euler.from_rotation(R)
    assert abs(result[1]) <= np.pi / 2
    assert_close(euler.to_rotation(result), R)


@given(rotations().filter(lambda R: abs(R[2, 0]) < 0.999))
def test_from_rotation(R):
    assert_close(euler.from_rotation(R), Rotation.from_matrix(R).as_euler("ZYX"), 1e-12)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("distance", [1e-2, 1e-4, 2e-6])
def test_accuracy_near_gimbal_lock(side, distance):
    angles = np.array([0.4, side * (np.pi / 2 - distance), -1.1])
    assert_close(euler.from_rotation(euler.to_rotation(angles)), angles, 1e-15 / distance)
    G = euler.velocity_to_rates(angles)
    identity = G @ euler.rates_to_velocity(angles)
    assert_close(identity, np.eye(3), 1e-15 / distance)
    assert_close(np.linalg.norm(G, 2) * distance, np.sqrt(2), 2 * distance)


@given(BOTH, vectors())
def test_angular_velocity(angles, rates):
    R = euler.to_rotation(angles)
    Rdot = derivative(lambda t: Rotation.from_euler("ZYX", angles + t * rates).as_matrix()).value
    spin = Rdot @ R.T
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert_close(euler.rates_to_velocity(angles) @ rates, omega, 1e-11)
    assert_close(euler.velocity_to_rates(angles) @ omega, rates, 1e-10)


@given(BOTH, vectors())
def test_maps_against_pinocchio(angles, rates):
    G = euler.rates_to_velocity(angles)
    assert_close(G, pinocchio(pin.rpy.computeRpyJacobian, angles)[:, ::-1])
    body = pinocchio(pin.rpy.computeRpyJacobian, angles, frame=pin.LOCAL)[:, ::-1]
    assert_close(euler.to_rotation(angles).T @ G, body)
    assert_close(
        euler.velocity_to_rates(angles), pinocchio(pin.rpy.computeRpyJacobianInverse, angles)[::-1], 1e-13
    )
    assert_close(
        euler.rates_to_velocity_dot(angles, rates),
        pinocchio(pin.rpy.computeRpyJacobianTimeDerivative, angles, rates)[:, ::-1],
        1e-13,
    )


@given(BOTH)
def test_rate_maps_are_inverse(angles):
    assert_close(euler.velocity_to_rates(angles) @ euler.rates_to_velocity(angles), np.eye(3))


@given(BOTH, vectors())
def test_time_derivatives(angles, rates):
    forward = derivative(lambda t: euler.rates_to_velocity(angles + t * rates)).value
    assert_close(euler.rates_to_velocity_dot(angles, rates), forward, 1e-11)
    backward = derivative(lambda t: euler.velocity_to_rates(angles + t * rates), step=1e-3).value
    assert_close(euler.velocity_to_rates_dot(angles, rates), backward, 1e-9)


@given(TAME, vectors(), vectors())
def test_accelerations(angles, rates, accelerations):
    """The derivative of the angular velocity along a motion with angular accelerations."""

    def omega(t):
        displaced, speed = angles + t * rates + t**2 / 2 * accelerations, rates + t * accelerations
        return euler.rates_to_velocity(displaced) @ speed

    omega_dot = derivative(omega).value
    expected = euler.rates_to_velocity(angles) @ accelerations
    expected += euler.rates_to_velocity_dot(angles, rates) @ rates
    assert_close(omega_dot, expected, 1e-10)
    back = euler.velocity_to_rates(angles) @ omega_dot
    back += euler.velocity_to_rates_dot(angles, rates) @ omega(0)
    assert_close(back, accelerations, 1e-8)


@pytest.mark.parametrize("side", [1, -1])
def test_at_gimbal_lock_first_and_last_axis_align(side):
    angles = np.array([0.4, side * np.pi / 2, -1.1])
    z, _, x = euler.rates_to_velocity(angles).T
    assert_close(x, -side * z)
    same = euler.to_rotation(angles + 0.7 * np.array([1, 0, side]))
    assert_close(same, euler.to_rotation(angles))


def test_broadcasting():
    rng = np.random.default_rng(3)
    angles, rates = rng.uniform(-1.2, 1.2, size=(5, 1, 3)), rng.normal(size=(2, 3))
    R = euler.to_rotation(angles)
    assert R.shape == (5, 1, 3, 3)
    assert_close(euler.from_rotation(R), angles)
    for function in (euler.to_rotation, euler.rates_to_velocity, euler.velocity_to_rates):
        assert_close(function(angles)[3, 0], function(angles[3, 0]))
    for function in (euler.rates_to_velocity_dot, euler.velocity_to_rates_dot):
        batch = function(angles, rates)
        assert batch.shape == (5, 2, 3, 3)
        assert_close(batch[3, 1], function(angles[3, 0], rates[1]))
    assert euler.velocity_to_rates(np.empty((0, 3))).shape == (0, 3, 3)
    assert euler.from_rotation(np.empty((0, 3, 3))).shape == (0, 3)


def at_pitch(phi):
    return np.array([[0.1, 0.2, 0.3], [0.4, phi, -1.1]])


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("distance", [0.0, 1e-12, 9e-7])
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda angles: euler.velocity_to_rates(angles), "angles"),
        (lambda angles: euler.velocity_to_rates_dot(angles, np.ones(3)), "angles"),
        (lambda angles: euler.from_rotation(euler.to_rotation(angles)), "R"),
    ],
    ids=["velocity_to_rates", "velocity_to_rates_dot", "from_rotation"],
)
def test_singular_pitch_error_states_the_distance(call, name, distance, side):
    with pytest.raises(SingularConfiguration) as raised:
        call(at_pitch(side * (np.pi / 2 - distance)))
    assert raised.value.name == name
    stated = float(raised.value.got.split("= ")[1].split(",")[0])
    np.testing.assert_allclose(stated, distance, rtol=1e-2, atol=1e-15)
    assert f"{euler.MIN_COSINE_OF_PITCH:g}" in str(raised.value)


def test_forward_maps_work_at_gimbal_lock():
    angles = at_pitch(np.pi / 2)
    assert np.all(np.isfinite(euler.rates_to_velocity(angles)))
    assert np.all(np.isfinite(euler.rates_to_velocity_dot(angles, np.ones(3))))


CALLS = [
    (lambda: euler.to_rotation([1, 2]), r"angles: got shape \(2,\), expected shape \(\.\.\., 3\)"),
    (lambda: euler.to_rotation([1, np.nan, 2]), "angles: got NaN"),
    (lambda: euler.from_rotation(2 * np.eye(3)), r"R: got a matrix with max \|R\^T R - I\| = 3"),
    (lambda: euler.from_rotation(np.diag([1, 1, -1])), "R: got a reflection"),
    (lambda: euler.rates_to_velocity("level"), "angles: got str 'level'"),
    (lambda: euler.velocity_to_rates(None), "angles: got NoneType None"),
    (lambda: euler.velocity_to_rates([0, np.inf, 0]), "angles: got NaN or infinite"),
    (lambda: euler.rates_to_velocity_dot([1, 0, 1], [1, 0]), r"rates: got shape \(2,\)"),
    (lambda: euler.velocity_to_rates_dot([1, 0, 1], [1, 0, np.nan]), "rates: got NaN"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message[:24] for _, message in CALLS])
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
