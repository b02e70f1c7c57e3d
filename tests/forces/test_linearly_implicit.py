"""Linearly implicit steps: against the implicit step, order, and stiff springs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from rbnotes import se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.dynamics import State, linearly_implicit_velocity
from rbnotes.forces import LinearSpring, SpringDamper
from rbnotes.forces.anchor_points import on_body, on_world, path_through
from rbnotes.forces.assembly import ForceGroups, assemble
from rbnotes.forces.groups import ConstantForces, Damping, PathForces
from rbnotes.forces.muscle import Muscle
from rbnotes.testing import derivative

MASSES = np.array([[0.3, 0.5, 0.7, 1.5, 1.5, 1.5], [0.8, 0.4, 0.6, 2.0, 2.0, 2.0]])
M = np.diag(MASSES.ravel())
START = State(
    se3.exp([[0.4, -0.7, 0.2, 0.0, 0.0, 0.0], [-0.9, 0.1, 0.5, 1.2, 0.4, -0.3]]),
    np.array([[0.5, -0.8, 0.3, 0.2, 0.1, -0.4], [-0.3, 0.6, 1.1, -0.5, 0.3, 0.2]]),
)
FORCES = (
    PathForces(
        SpringDamper(4.0, 1.5, 0.6), path_through(on_body(0, [0.3, 0.1, -0.2]), on_body(1, [-0.2, 0.4, 0.1]))
    ),
    PathForces(
        Muscle(2.0, 1.1, 3.0, activation=0.8),
        path_through(on_world([-1.0, 0.2, 0.5]), on_body(0, [-0.3, 0.2, 0.2]), on_body(1, [0.1, -0.3, 0.2])),
    ),
    ConstantForces(0.7, [0.0, 0.0, -1.0], on_body(1, [0.2, 0.1, 0.3])),
    Damping(0.3, [0, 1]),
)


def linearly_implicit(state, h, groups=FORCES, signs=(1, 1)):
    f, K, D = assemble(groups, state)
    velocity = linearly_implicit_velocity(M, state.velocity, f, signs[0] * K, signs[1] * D, h)
    return state.retract(h * velocity).with_velocity(velocity)


def implicit(state, h):
    """Solve M (phi+ - phi) = h f(E exp(h phi+), phi+) to rounding."""

    def defect(velocity):
        end = state.retract(h * velocity).with_velocity(velocity)
        return M @ (velocity - state.velocity) - h * assemble(FORCES, end).f

    velocity = fsolve(defect, state.velocity, xtol=1e-12)
    return state.retract(h * velocity).with_velocity(velocity)


def exact(state, duration):
    """Solve M dphi/dt = f and dE/dt = E [phi] to ten digits, without gyroscopic terms."""

    def rate(t, y):
        E, phi = np.tile(np.eye(4), (2, 1, 1)), y[24:].reshape(2, 6)
        E[:, :3] = y[:24].reshape(2, 3, 4)
        f = assemble(FORCES, State(orthonormal(E), phi)).f
        return np.concatenate([(E @ se3.hat(phi))[:, :3].ravel(), np.linalg.solve(M, f)])

    start = np.concatenate([state.E[:, :3].ravel(), state.velocity])
    return solve_ivp(rate, (0, duration), start, rtol=1e-10, atol=1e-11).y[:, -1]


def orthonormal(E):
    U, _, Vt = np.linalg.svd(E[:, :3, :3])
    result = E.copy()
    result[:, :3, :3] = U @ Vt
    return result


def flat(state):
    return np.concatenate([state.E[:, :3].ravel(), state.velocity])


def test_differs_from_the_implicit_step_by_third_order():
    """Any wrong term in K or D would leave a difference of second order or first."""
    steps = (0.04, 0.02, 0.01)
    gaps = [np.abs(linearly_implicit(START, h).velocity - implicit(START, h).velocity).max() for h in steps]
    orders = np.log2(np.divide(gaps[:-1], gaps[1:]))
    assert np.all(orders > 2.7), orders


@pytest.mark.slow
@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (0, 1), (1, 0)])
def test_wrong_sign_or_missing_term_lowers_the_order(signs):
    gaps = [
        np.abs(linearly_implicit(START, h, signs=signs).velocity - implicit(START, h).velocity).max()
        for h in (0.02, 0.01)
    ]
    assert np.log2(gaps[0] / gaps[1]) < 2.3


@pytest.mark.slow
def test_converges_with_order_one():
    duration, target = 0.4, exact(START, 0.4)
    errors = []
    for count in (10, 20, 40):
        state = START
        for _ in range(count):
            state = linearly_implicit(state, duration / count)
        errors.append(np.abs(flat(state) - target).max())
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 0.8), errors


ANCHORS = np.array([[-0.9, 0.0, 0.3], [0.8, 1.0, -0.2]])
HOOKS = np.array([[0.3, 0.0, 0.1], [-0.2, 0.3, 0.0]])
ENDS = (on_body(0, [0.1, -0.3, 0.2]), on_body(1, [0.2, 0.0, -0.3]))


def stretched_spring(length):
    """Return a stiff body, one per cent longer than its rest length."""
    return LinearSpring(1e6, 0.0, 0.99 * length)


SEPARATION = np.subtract(*(se3.transform_points(E, end.x) for E, end in zip(START.E, ENDS, strict=True)))
STIFF = (
    PathForces(
        stretched_spring(np.linalg.norm(se3.transform_points(START.E[0], HOOKS) - ANCHORS, axis=1)),
        path_through(on_world(ANCHORS), on_body([0, 0], HOOKS)),
    ),
    PathForces(stretched_spring(np.linalg.norm(SEPARATION)), path_through(*ENDS)),
)


def total_energy(state):
    return ForceGroups(STIFF).energy(state) + 0.5 * state.velocity @ M @ state.velocity


def test_exact_motion_keeps_the_total_energy():
    """The springs have no dampers."""
    f = assemble(STIFF, START).f

    def energy_along_motion(t):
        return total_energy(
            START.retract(t * START.velocity).with_velocity(START.velocity + t * f / np.diag(M))
        )

    power = np.abs(START.velocity) @ np.abs(f)
    assert power > 100
    assert_allclose(derivative(energy_along_motion, step=1e-5).value, 0, atol=1e-5 * power)


def stiff_motion(steps, **how):
    """Return the total energy after each step while the poses are finite."""
    state, energies = START, [total_energy(START)]
    for _ in range(steps):
        state = linearly_implicit(state, 0.01, STIFF, **how)
        energies.append(total_energy(state))
        if energies[-1] > 1e3 * energies[0]:
            break
    return energies


@pytest.mark.slow
def test_stiff_spring_is_stable():
    """h = 0.01 s is far beyond the explicit limit, 2 sqrt(m / k) = 0.0025 s."""
    energies = stiff_motion(100)
    assert max(energies) == energies[0]
    assert energies[-1] < 0.1 * energies[0]


@pytest.mark.parametrize("signs", [(0, 1), (-1, 1)])
def test_stiff_spring_with_missing_or_negated_stiffness_gains_energy(signs):
    assert max(stiff_motion(200, signs=signs)) > 2 * total_energy(START)


def test_exact_for_a_linear_force():
    """One coordinate: phi+ = (m phi - h k q) / (m + h d + h^2 k), backward Euler's own answer."""
    m, k, d, q, phi, h = 1.3, 50.0, 4.0, 0.7, -0.4, 0.1
    result = linearly_implicit_velocity([[m]], [phi], [-k * q - d * phi], [[-k]], [[-d]], h)
    assert_allclose(result, (m * phi - h * k * q) / (m + h * d + h * h * k), rtol=1e-14)


def test_sparse_equals_dense():
    f, K, D = assemble(FORCES, START)
    dense = linearly_implicit_velocity(M, START.velocity, f, K.toarray(), D.toarray(), 0.05)
    assert_allclose(
        linearly_implicit_velocity(sparse.csc_array(M), START.velocity, f, K, D, 0.05), dense, rtol=1e-12
    )


class TestErrors:
    def test_step(self):
        with pytest.raises(InvalidArgument, match="h: got 0"):
            linearly_implicit_velocity(np.eye(2), [0, 0], [0, 0], np.eye(2), np.eye(2), 0.0)

    @pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
    def test_shapes(self, make):
        with pytest.raises(InvalidArgument, match="K: got shape"):
            linearly_implicit_velocity(make(np.eye(2)), [0, 0], [0, 0], make(np.eye(3)), make(np.eye(2)), 0.1)

    @pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
    def test_singular(self, make):
        zero = make(np.zeros((2, 2)))
        with pytest.raises(SingularConfiguration, match="singular"):
            linearly_implicit_velocity(zero, [0, 0], [1, 1], zero, zero, 0.1)
