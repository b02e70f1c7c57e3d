"""Free rotation to rounding: against a closed form, SciPy and conserved quantities."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from rbnotes import so3
from rbnotes.arguments import SingularConfiguration
from rbnotes.dynamics.free_rotation import MAX_SERIES_ANGLE, integrate_free_rotation


def tilted_inertia(moments, seed=0):
    R = so3.exp(np.random.default_rng(seed).normal(size=3))
    return R @ np.diag(moments) @ R.T


def test_two_bodies_against_scipy():
    """Each step is long enough for several series; axes are general."""
    J = np.stack([tilted_inertia([0.4, 0.7, 0.9]), tilted_inertia([2.0, 2.5, 0.6], 1)])
    omega = np.array([[1.0, 2.0, -0.5], [-3.0, 0.4, 1.1]])
    omega_end = integrate_free_rotation(J, omega, 0.7)
    for body in range(2):

        def rates(t, y, J=J[body]):
            R, w = y[:9].reshape(3, 3), y[9:]
            return np.r_[(R @ so3.hat(w)).ravel(), np.linalg.solve(J, np.cross(J @ w, w))]

        start = np.r_[np.eye(3).ravel(), omega[body]]
        y = solve_ivp(rates, (0, 0.7), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        np.testing.assert_allclose(omega_end.rotation[body].ravel(), y[:9], atol=1e-12)
        np.testing.assert_allclose(omega_end.omega[body], y[9:], atol=1e-12)


def test_jacobi_near_the_separatrix():
    """About the middle axis, nearly: omega_2 is sn, over three flips (Landau and Lifshitz 37)."""
    J = np.array([1.0, 2.0, 3.0])
    omega = np.array([0.0, 1.0, 1e-4])
    L2, E2 = np.sum((J * omega) ** 2), np.sum(J * omega**2)
    steps, h = 300, 0.2
    series = [omega]
    for _ in range(steps):
        series.append(integrate_free_rotation(np.diag(J)[None], series[-1][None], h).omega[0])
    # L2 is above 2 E I2, so the body circles the axis of its largest moment.
    rate = np.sqrt((J[2] - J[1]) * (L2 - E2 * J[0]) / np.prod(J))
    m = (J[1] - J[0]) * (E2 * J[2] - L2) / ((J[2] - J[1]) * (L2 - E2 * J[0]))
    sn = ellipj(rate * h * np.arange(steps + 1) + ellipk(m), m)[0]
    amplitude = np.sqrt((E2 * J[2] - L2) / (J[1] * (J[2] - J[1])))
    np.testing.assert_allclose(np.array(series)[:, 1], amplitude * sn, atol=2e-7)
    assert np.sum(np.diff(np.sign(sn)) != 0) >= 2


def test_momentum_and_energy_are_conserved():
    J = tilted_inertia([0.5, 0.8, 1.1])[None]
    omega, R = np.array([[0.3, 1.7, -0.4]]), np.eye(3)
    momentum, energy = J[0] @ omega[0], omega[0] @ J[0] @ omega[0]
    for _ in range(500):
        step = integrate_free_rotation(J, omega, 0.1)
        R, omega = R @ step.rotation[0], step.omega
    np.testing.assert_allclose(R @ J[0] @ omega[0], momentum, atol=1e-12)
    assert omega[0] @ J[0] @ omega[0] == pytest.approx(energy, rel=1e-12)


def test_too_large_rotation_is_rejected():
    with pytest.raises(SingularConfiguration, match="turns of at most"):
        integrate_free_rotation(np.eye(3)[None], np.array([[2e3 * MAX_SERIES_ANGLE, 0, 0]]), 1.0)
    with pytest.raises(SingularConfiguration, match="nan"):
        integrate_free_rotation(np.eye(3)[None], np.array([[np.nan, 0, 0]]), 1.0)


def test_rounding_errors_of_substeps_do_not_accumulate():
    """Without the correction at the end steps of 990 parts are off by 4e-15 in the mean, with it by 2e-16."""
    omega = np.random.default_rng(2).normal(size=(50, 3))
    omega *= 990 * MAX_SERIES_ANGLE / np.linalg.norm(omega, axis=1, keepdims=True)
    R = integrate_free_rotation(np.tile(np.diag([1.0, 2.0, 2.5]), (50, 1, 1)), omega, 1.0).rotation
    off = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2))
    assert np.mean(off) < 3e-15
