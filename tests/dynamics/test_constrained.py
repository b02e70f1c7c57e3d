"""Time steps under constraints: the conditions, order, work and energy, dense and sparse."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import solve_ivp

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.complementarity import NotSolved
from rbnotes.constraints.soft_constraints import soft_force, target_and_regularization
from rbnotes.dynamics import (
    BilateralRows,
    State,
    StepProblem,
    UnilateralRows,
    add_constraints,
    bridson_marino,
    constrain_scheme,
    constrained_step,
    implicit_euler,
    integrate,
    mechanical_system,
    solve_step,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.testing import jacobian

SCHEMES = {
    "symplectic Euler": symplectic_euler,
    "implicit Euler": implicit_euler,
    "trapezoidal": trapezoidal,
    "Bridson-Marino": bridson_marino,
}


def test_soft_row_impulse_scales_with_the_step():
    phi, alpha, beta, h, m = 0.2, 0.01, 0.03, 0.1, 2.0
    rows = BilateralRows(np.eye(1), *target_and_regularization([phi], alpha, beta, h))
    halves = []

    def first_half(system, state, h, *, solve):
        halves.append(solve(StepProblem([[m]], [m]), 0.5))
        return state.with_velocity(halves[0])

    step = constrained_step(first_half, BOBS, State(q=[phi], qdot=[1.0]), h, lambda state, h: [rows])
    force = -(phi + (h / 2 + beta) * halves[0]) / alpha
    np.testing.assert_allclose(step.bilateral_impulses, h / 2 * force)
    np.testing.assert_allclose(m * (halves[0] - 1), step.bilateral_impulses)


# Two bobs on rods, in the plane, each with its own mass, on a nonlinear spring and with nonlinear damping.
MASSES = np.array([1.0, 1.0, 0.5, 0.5])
LENGTHS = np.array([1.0, 0.8])


def bobs_force(x, v):
    stretched = x[2:] - np.array([1.0, 0.5])
    spring = -(3 + 2 * stretched @ stretched) * stretched
    return np.concatenate([np.zeros(2), spring]) - 9.81 * MASSES * [0, 1, 0, 1] - (0.3 + 0.2 * v @ v) * v


BOBS = mechanical_system(
    np.diag(MASSES),
    bobs_force,
    lambda x, v: jacobian(lambda y: bobs_force(y, v), x).value,
    lambda x, v: jacobian(lambda w: bobs_force(x, w), v).value,
)
START = State(q=[0.6, -0.8, 1.24, -1.28], qdot=[0.8, 0.6, 1.76, 1.88])


def rods(x):
    second = x[2:] - x[:2]
    return (np.array([x[:2] @ x[:2], second @ second]) - LENGTHS**2) / 2


def rod_rows(x):
    second = x[2:] - x[:2]
    return np.array([np.concatenate([x[:2], [0, 0]]), np.concatenate([-second, second])])


def exact(acceleration, time):
    solution = solve_ivp(
        lambda _, s: np.concatenate([s[4:], acceleration(*np.split(s, 2))]),
        (0, time),
        np.concatenate([START.q, START.qdot]),
        rtol=1e-11,
        atol=1e-12,
        method="DOP853",
    )
    return solution.y[:, -1]


def hard_acceleration(x, v):
    """Return the acceleration from the second derivative of the rods' equations, in a null space."""
    G = rod_rows(x)
    turning = np.array([v[:2] @ v[:2], (v[2:] - v[:2]) @ (v[2:] - v[:2])])
    particular = -np.linalg.pinv(G) @ turning
    free = np.linalg.svd(G)[2][2:].T
    M = np.diag(MASSES)
    coordinates = np.linalg.solve(free.T @ M @ free, free.T @ (bobs_force(x, v) - M @ particular))
    return particular + free @ coordinates


def measured_order(step, reference, time, counts=(16, 32)):
    errors = []
    for count in counts:
        path = integrate(step, BOBS, START, time / count, count)
        errors.append(np.linalg.norm(np.concatenate([path.q[-1], path.qdot[-1]]) - reference))
    return np.log2(errors[0] / errors[1])


@pytest.fixture(scope="module")
def hard_end():
    return exact(hard_acceleration, 0.4)


def rods_at(state, h):
    return [BilateralRows(rod_rows(state.q))]


def test_initial_state_is_consistent():
    np.testing.assert_allclose(rods(START.q), 0, atol=1e-14)
    np.testing.assert_allclose(rod_rows(START.q) @ START.qdot, 0, atol=1e-14)
    np.testing.assert_allclose(jacobian(rods, START.q).value, rod_rows(START.q), atol=1e-10)


@pytest.mark.parametrize("name", SCHEMES)
def test_rows_at_the_start_give_first_order(name, hard_end):
    order = measured_order(constrain_scheme(SCHEMES[name], rods_at), hard_end, 0.4)
    assert order == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("name", "order"),
    [("symplectic Euler", 1), ("implicit Euler", 1), ("trapezoidal", 2), ("Bridson-Marino", 2)],
)
def test_rows_at_the_midpoint_preserve_the_order(name, order, hard_end):
    step = constrain_scheme(SCHEMES[name], rods_at, evaluate_at="middle")
    assert measured_order(step, hard_end, 0.4) == pytest.approx(order, abs=0.1)


ALPHA, BETA = np.array([0.02, 0.01]), 0.05


@pytest.fixture(scope="module")
def soft_end():
    def acceleration(x, v):
        G = rod_rows(x)
        return (bobs_force(x, v) + G.T @ soft_force(rods(x), G @ v, ALPHA, BETA)) / MASSES

    return exact(acceleration, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
def test_soft_rows_converge_to_springs(name, soft_end):
    def soft_at(state, h):
        return [BilateralRows(rod_rows(state.q), *target_and_regularization(rods(state.q), ALPHA, BETA, h))]

    order = measured_order(constrain_scheme(SCHEMES[name], soft_at), soft_end, 0.3)
    assert order == pytest.approx(1, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
def test_contact_opens_when_the_force_changes_sign(name):
    """A mass lies at a wall, x >= 0; a spring to a second, swinging mass presses it and then pulls it off."""
    M, k = np.diag([0.5, 1.0]), 4.0
    K = k * np.array([[-1.0, 1.0], [1.0, -2.0]])
    system = mechanical_system(M, lambda x, v: K @ x, lambda x, v: K, lambda x, v: np.zeros((2, 2)))
    start, time = State(q=[0.0, -0.5], qdot=[0.0, -0.3]), 2.0

    # While it lies still the other one swings about zero; it leaves where that passes zero to the right.
    omega = np.sqrt(2 * k)
    leave = (np.pi - np.arctan2(0.5 * omega, 0.3)) / omega
    speed = 0.5 * omega * np.sin(omega * leave) - 0.3 * np.cos(omega * leave)
    free = solve_ivp(
        lambda _, s: np.concatenate([s[2:], np.linalg.solve(M, K @ s[:2])]),
        (leave, time),
        [0, 0, 0, speed],
        rtol=1e-11,
        atol=1e-12,
    ).y[:, -1]
    assert free[0] > 0.2

    def wall(state, h):
        return [UnilateralRows([[1.0, 0.0]], -state.q[0] / h)]

    errors = []
    for count in (200, 400):
        path = integrate(constrain_scheme(SCHEMES[name], wall), system, start, time / count, count)
        assert np.all(path.q[:, 0] > -1e-12)
        errors.append(np.linalg.norm(np.concatenate([path.q[-1], path.qdot[-1]]) - free))
    assert errors[1] < 0.65 * errors[0]
    assert errors[1] < 0.05


def test_impulses_of_a_resting_mass():
    system = mechanical_system(
        2 * np.eye(1),
        lambda x, v: np.array([-2 * 9.81]),
        lambda x, v: np.zeros((1, 1)),
        lambda x, v: -np.eye(1),
    )
    for scheme in SCHEMES.values():
        step = constrained_step(
            scheme,
            system,
            State(q=[0.0]),
            0.1,
            lambda state, h: [UnilateralRows(np.eye(1), -state.q / h)],
        )
        np.testing.assert_allclose(step.unilateral_impulses, 2 * 9.81 * 0.1)
        assert len(step.bilateral_impulses) == 0


def pendulum_energies(scheme, where, h=0.02, steps=300):
    """Return the energy of a pendulum under gravity alone, in the plane: G v = 0 with G = x."""
    falling = mechanical_system(
        np.eye(2),
        lambda x, v: np.array([0.0, -9.81]),
        lambda x, v: np.zeros((2, 2)),
        lambda x, v: np.zeros((2, 2)),
    )
    step = constrain_scheme(scheme, lambda state, h: [BilateralRows(state.q[None])], evaluate_at=where)
    path = integrate(step, falling, State(q=[1.0, 0.0]), h, steps)
    return np.sum(path.qdot**2, axis=1) / 2 + 9.81 * path.q[:, 1], path


@pytest.mark.slow
def test_midpoint_impulses_do_no_work():
    energies, path = pendulum_energies(trapezoidal, "middle")
    np.testing.assert_allclose(energies, 0, atol=1e-11)
    assert np.max(np.abs(np.linalg.norm(path.q, axis=1) - 1)) < 1e-3
    energies, _ = pendulum_energies(trapezoidal, "start")
    assert energies[-1] < -0.5


def test_rows_at_the_start_lengthen_the_pendulum():
    _, path = pendulum_energies(symplectic_euler, "start")
    squares = np.sum(path.q**2, axis=1)
    np.testing.assert_allclose(np.diff(squares), 0.02**2 * np.sum(path.qdot[1:] ** 2, axis=1), atol=1e-11)
    assert squares[-1] > 1.1


def test_sparse_chain_equals_dense_chain():
    bobs = 30
    M = sparse.diags_array(np.repeat(np.linspace(1, 2, bobs), 2)).tocsc()
    gravity = np.tile([0.0, -9.81], bobs)
    D = sparse.diags_array(np.full(2 * bobs, -0.1)).tocsc()
    zero = sparse.csc_array((2 * bobs, 2 * bobs))
    thin = mechanical_system(M, lambda x, v: M @ gravity + D @ v, lambda x, v: zero, lambda x, v: D)
    full = mechanical_system(
        M.toarray(), lambda x, v: M @ gravity + D @ v, lambda x, v: zero.toarray(), lambda x, v: D.toarray()
    )

    def chain(state, h, make):
        points = np.concatenate([[[0.0, 0.0]], state.q.reshape(-1, 2)])
        rods = np.diff(points, axis=0)
        G = np.zeros((bobs, 2 * bobs + 2))
        for i, rod in enumerate(rods):
            G[i, 2 * i : 2 * i + 4] = [*-rod, *rod]
        floor = np.zeros((bobs, 2 * bobs))
        floor[np.arange(bobs), 2 * np.arange(bobs) + 1] = 1.0
        gaps = points[1:, 1] + 2.0
        return [BilateralRows(make(G[:, 2:]), regularization=1e-6), UnilateralRows(make(floor), -gaps / h)]

    start = State(q=np.stack([np.arange(1.0, bobs + 1) / 5, np.zeros(bobs)], axis=1).ravel())
    for scheme in (symplectic_euler, implicit_euler):
        a = integrate(
            constrain_scheme(scheme, lambda s, h: chain(s, h, sparse.csc_array)), thin, start, 0.05, 20
        )
        b = integrate(constrain_scheme(scheme, lambda s, h: chain(s, h, np.asarray)), full, start, 0.05, 20)
        np.testing.assert_allclose(a.q, b.q, atol=1e-7)
        assert np.min(a.q[-1].reshape(-1, 2)[:, 1]) == pytest.approx(-2, abs=1e-6)


class TestErrors:
    M, B = np.eye(2), np.ones(2)

    def test_softness(self):
        singular = UnilateralRows(np.eye(2), 0.0, [[1.0, 1.0], [0.0, 0.0]])
        with pytest.raises(
            SingularConfiguration, match="regularization: got a singular matrix that is not sym"
        ):
            solve_step(StepProblem(self.M, self.B, unilateral=singular))

    def test_contradictory_contacts(self):
        with pytest.raises(NotSolved):
            solve_step(
                StepProblem(self.M, self.B, unilateral=UnilateralRows([[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0]))
            )

    def test_mass_that_is_not_positive(self):
        with pytest.raises(SingularConfiguration, match="M: got smallest eigenvalue -1"):
            solve_step(StepProblem(-self.M, self.B, BilateralRows(np.ones((1, 2)))))

    def test_friction_requires_a_model(self):
        contacts = SimpleNamespace(count=1, rows=np.ones((3, 2)), mu=np.ones(1), normal_target=np.zeros(1))
        with pytest.raises(InvalidArgument, match="problem: got contacts, expected none"):
            solve_step(StepProblem(self.M, self.B, contacts=contacts))

    def test_rows(self):
        with pytest.raises(InvalidArgument, match="one BilateralRows, one UnilateralRows"):
            add_constraints(StepProblem(self.M, self.B), [BilateralRows(np.eye(2))] * 2)
        with pytest.raises(InvalidArgument, match=r"rows\[0\]: got ndarray, expected BilateralRows or Unil"):
            add_constraints(StepProblem(self.M, self.B), [np.eye(2)])

    def test_midpoint_rows_must_be_hard_and_bilateral(self):
        for rows in (UnilateralRows(np.eye(4)), BilateralRows(np.eye(4), regularization=1.0)):
            with pytest.raises(InvalidArgument, match="hard bilateral rows only"):
                constrained_step(
                    trapezoidal, BOBS, START, 0.1, lambda s, h, r=rows: [r], evaluate_at="middle"
                )
        with pytest.raises(InvalidArgument, match="evaluate_at: got 'end'"):
            constrained_step(trapezoidal, BOBS, START, 0.1, rods_at, evaluate_at="end")
