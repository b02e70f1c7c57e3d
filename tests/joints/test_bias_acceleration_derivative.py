"""Derivative of a joint's bias acceleration ``Sdot qdot`` with respect to its coordinates."""

import numpy as np
import pytest
from batch_differences import by_coordinates

from rbnotes.arguments import InvalidArgument
from rbnotes.joints import JointType
from rbnotes.testing import jacobian


class Screw(JointType):
    """User-defined type with the minimal methods: a screw whose pitch grows with the angle."""

    num_coordinates = 1

    def compute_transform(self, q):
        c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
        Q = np.zeros((*q.shape[:-1], 4, 4))
        Q[..., 0, 0], Q[..., 0, 1], Q[..., 1, 0], Q[..., 1, 1] = c, -s, s, c
        Q[..., 2, 2] = Q[..., 3, 3] = 1
        Q[..., 2, 3] = np.sin(q[..., 0] / 2)
        return Q

    def compute_motion_subspace(self, q):
        S = np.zeros((*q.shape[:-1], 6, 1), dtype=q.dtype)
        S[..., 2, 0], S[..., 5, 0] = 1, np.cos(q[..., 0] / 2) / 2
        return S

    def compute_motion_subspace_derivative(self, q):
        dS = np.zeros((*q.shape[:-1], 6, 1, 1), dtype=q.dtype)
        dS[..., 5, 0, 0] = -np.sin(q[..., 0] / 2) / 4
        return dS


class RealScrew(Screw):
    """The same type with a real dS."""

    def compute_motion_subspace_derivative(self, q):
        return super().compute_motion_subspace_derivative(q.real)


def assert_close(joint, q, qdot):
    def bias_acceleration(q):
        return joint.motion_subspace_rate(q, qdot) @ qdot

    expected = jacobian(bias_acceleration, q).value
    np.testing.assert_allclose(
        joint.bias_acceleration_derivative(q, qdot),
        expected,
        atol=1e-9 * np.max(np.abs(expected), initial=1.0),
    )


def test_derivative_of_the_bias_acceleration(case):
    joint, q = case.joint, case.states()
    n, k = q.shape
    qdot = case.rates(n)

    def bias(rate):
        """Return the product of a matrix that `rate` returns and the rates, for copies of all states."""

        def evaluate(coordinates):
            rates = np.broadcast_to(
                np.repeat(qdot, k, axis=0), (len(coordinates) // (n * k), n * k, k)
            ).reshape(coordinates.shape)
            return (rate(coordinates, rates) @ rates[..., None])[..., 0]

        return evaluate

    derivative = joint.bias_acceleration_derivative(q, qdot)
    assert derivative.shape == (n, 6, k)
    if k:
        expected = by_coordinates(bias(joint.motion_subspace_rate), q)
        sizes = np.max(np.abs(expected), axis=(1, 2), initial=1.0, keepdims=True)
        np.testing.assert_allclose(derivative / sizes, expected / sizes, rtol=0, atol=1e-9)
    if joint.num_coordinate_constraints:
        expected = by_coordinates(bias(joint.coordinate_constraint_jacobian_rate), q)
        actual = joint.coordinate_constraint_bias_derivative(q, qdot)
        np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_leading_axes_broadcast(case):
    q, qdot = case.random(3)[:, None], case.rates(2)
    derivative = case.joint.bias_acceleration_derivative(q, qdot)
    assert derivative.shape == (3, 2, 6, case.joint.num_coordinates)
    np.testing.assert_allclose(
        derivative[2, 1], case.joint.bias_acceleration_derivative(q[2, 0], qdot[1]), rtol=1e-12, atol=1e-13
    )


def test_default_uses_the_complex_step():
    assert_close(Screw(), np.array([0.7]), np.array([1.3]))
    result = Screw().bias_acceleration_derivative(np.array([[0.7], [0.2]]), np.array([1.3]))
    np.testing.assert_allclose(result[:, 5, 0], -np.cos([0.35, 0.1]) / 8 * 1.3**2, rtol=1e-14)
    with pytest.raises(InvalidArgument, match=r"joint: got .*RealScrew.*, whose dS is real"):
        RealScrew().bias_acceleration_derivative([0.7], [1.3])
