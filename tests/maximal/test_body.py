"""A body in flight: momentum, energy, analytic solutions, order, gravity."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from scipy.integrate import solve_ivp

from rbnotes import inertia, maximal, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.checking.strategies import frames, inertias, masses, twists, vectors
from rbnotes.maximal import BodyState

M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])
START = BodyState(se3.exp([0.3, -0.2, 0.5, 1.0, 0.0, 2.0]), np.array([1.0, 2.0, -0.5, 0.3, 0.4, -0.2]))


def free(E, phi):
    return np.zeros(6)


@given(masses(), inertias(), vectors(), twists(), twists())
def test_acceleration_against_pinocchio(m, J, c, phi, wrench):
    first = [3, 4, 5, 0, 1, 2]
    body, twist = pin.Inertia(m, c, J), pin.Motion(phi[first])
    rate = maximal.acceleration(inertia.spatial_inertia(m, J, c), phi, wrench)
    needed = body * pin.Motion(rate[first]) + twist.cross(body * twist)
    np.testing.assert_allclose(needed.vector[first], wrench, atol=1e-8)


@given(masses(), inertias(), vectors(), twists())
def test_gyroscopic_wrench_does_no_work(m, J, c, phi):
    work = phi @ maximal.gyroscopic_wrench(inertia.spatial_inertia(m, J, c), phi)
    np.testing.assert_allclose(work, 0, atol=1e-10)


@given(masses(), inertias(), vectors(), frames(), twists(), vectors())
def test_gravity_does_the_work_of_the_weight(m, J, c, E, phi, g):
    wrench = maximal.gravity_wrench(E, inertia.spatial_inertia(m, J, c), g)
    np.testing.assert_allclose(wrench @ phi, m * g @ se3.point_velocity(E, c, phi), atol=1e-9)


def test_free_flight_keeps_momentum_and_energy():
    path = maximal.fly(M, START, free, 0.01, 400, method="runge-kutta")
    momentum = maximal.world_momentum(M, path.E, path.phi)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-7)
    energy = maximal.kinetic_energy(M, path.phi)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)


def test_axisymmetric_body_precesses_as_it_should():
    """A symmetric top without torque turns about its axis while the axis goes round the angular momentum."""
    I1, I3, spin = 0.5, 0.8, np.array([0.6, 0.0, 3.0])
    top = inertia.spatial_inertia(1.0, np.diag([I1, I1, I3]))
    h, steps = 0.005, 400
    path = maximal.fly(
        top, BodyState(np.eye(4), np.append(spin, np.zeros(3))), free, h, steps, method="runge-kutta"
    )
    t = h * np.arange(steps + 1)
    rate = (I3 - I1) / I1 * spin[2]
    expected = np.stack(
        [spin[0] * np.cos(rate * t), spin[0] * np.sin(rate * t), np.full_like(t, spin[2])], axis=1
    )
    np.testing.assert_allclose(path.phi[:, :3], expected, atol=1e-8)
    momentum = np.array([I1 * spin[0], 0, I3 * spin[2]])
    turned = so3.exp(t[:, None] * momentum / I1) @ so3.exp(-t[:, None] * [0, 0, rate])
    np.testing.assert_allclose(path.E[:, :3, :3], turned, atol=1e-8)


def reference(wrench, time):
    def rates(_, state):
        E, phi = state[:16].reshape(4, 4), state[16:]
        return np.concatenate([(E @ se3.hat(phi)).ravel(), maximal.acceleration(M, phi, wrench(E, phi))])

    start = np.concatenate([START.E.ravel(), START.phi])
    return solve_ivp(rates, (0, time), start, rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("runge-kutta", 4)])
def test_order(method, order):
    def wrench(E, phi):
        return maximal.gravity_wrench(E, M, [0.0, 0.0, -9.81]) - 0.1 * phi

    def rigid(
        E, phi
    ):  # the reference integrates the entries of E freely, so it may leave the group by rounding
        U, _, Vt = np.linalg.svd(E[:3, :3])
        return wrench(se3.frame(U @ Vt, E[:3, 3]), phi)

    time, exact, errors = 0.5, reference(rigid, 0.5), []
    for steps in (16, 32):
        path = maximal.fly(M, START, wrench, time / steps, steps, method=method)
        errors.append(np.linalg.norm(np.concatenate([path.E[-1].ravel(), path.phi[-1]]) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.4)


def test_thrown_body_flies_along_a_parabola():
    body = inertia.spatial_inertia(0.01, 1e-5 * np.diag([1.0, 2.0, 2.5]))
    g, h, steps = np.array([0.0, 0.0, -9.81]), 0.002, 250
    start = BodyState(np.eye(4), np.array([0.0, 5.0, 0.0, 1.0, 0.0, 3.0]))
    path = maximal.fly(
        body, start, lambda E, phi: maximal.gravity_wrench(E, body, g), h, steps, method="runge-kutta"
    )
    t = h * np.arange(steps + 1)[:, None]
    np.testing.assert_allclose(path.E[:, :3, 3], t * start.phi[3:] + t**2 / 2 * g, atol=1e-9)


class TestErrors:
    def test_named(self):
        with pytest.raises(InvalidArgument, match="method: got 'verlet'"):
            maximal.fly(M, START, free, 0.1, 2, method="verlet")
        with pytest.raises(InvalidArgument, match="steps: got 0"):
            maximal.fly(M, START, free, 0.1, 0)
        with pytest.raises(InvalidArgument, match="h: got -1"):
            maximal.euler_step(M, START, np.zeros(6), -1.0)
        with pytest.raises(InvalidArgument, match=r"wrench: got shape \(3,\)"):
            maximal.acceleration(M, START.phi, np.zeros(3))
        with pytest.raises(InvalidArgument, match="M: got smallest eigenvalue"):
            maximal.kinetic_energy(-M, START.phi)
