"""Time steps under constraints: the conditions, order, work and energy, dense and sparse."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.integrate import solve_ivp

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.checking import jacobian
from rbnotes.checking.strategies import full_rank_matrices, matrices, spd_matrices, vectors
from rbnotes.complementarity import Unsolved, solve_lcp
from rbnotes.constraints import InconsistentConstraints
from rbnotes.constraints.regularization import soft_force, target_and_softness
from rbnotes.dynamics import (
    BilateralRows,
    State,
    StepProblem,
    StepSolution,
    System,
    UnilateralRows,
    box_from_step,
    bridson_marino,
    constrained,
    constrained_step,
    factor_step,
    hardened,
    implicit_euler,
    integrate,
    lcp_from_step,
    qp_from_step,
    solve_step,
    step_residuals,
    step_unknowns,
    symplectic_euler,
    trapezoidal,
    with_rows,
)

SCHEMES = {
    "symplectic Euler": symplectic_euler,
    "implicit Euler": implicit_euler,
    "trapezoidal": trapezoidal,
    "Bridson-Marino": bridson_marino,
}
INERTIAS = st.one_of(
    spd_matrices(3),
    st.builds(lambda A, B: A + (B - B.T) / 2, spd_matrices(3), matrices(3, 3)),  # of an implicit step
)


def enumerated(M, b, G, g, R, N, n, Q):
    """The solution found by trying which unilateral rows act, each try one dense linear system."""
    size, k, m = len(b), len(g), len(n)
    A = np.zeros((size + k + m, size + k + m))
    A[:size, :size], A[:size, size : size + k], A[:size, size + k :] = M, -G.T, -N.T
    A[size : size + k, :size], A[size : size + k, size : size + k] = G, R
    A[size + k :, :size], A[size + k :, size + k :] = N, Q
    right = np.concatenate([b, g, n])
    for acting in itertools.product((False, True), repeat=m):
        kept = np.concatenate([np.ones(size + k, dtype=bool), acting])
        solution = np.zeros(len(right))
        solution[kept] = np.linalg.solve(A[np.ix_(kept, kept)], right[kept])
        w = (A @ solution - right)[size + k :]
        if np.all(solution[size + k :] >= -1e-9) and np.all(w >= -1e-9):
            return StepSolution(*np.split(solution, [size, size + k]))
    raise AssertionError("no set of acting rows fits")


@given(
    INERTIAS,
    vectors(3),
    full_rank_matrices(3, 3),
    vectors(3),
    st.sampled_from([0.0, 0.5, np.array([[0.7]])]),
    st.sampled_from([0.0, 0.5, np.array([0.25, 0.0]), np.array([[1.0, 0.4], [0.4, 0.5]])]),
    st.sampled_from(["active_set", "pivoting", "lemke"]),
    st.booleans(),
)
def test_step_solves_the_mixed_problem(M, b, rows, targets, R, Q, method, thin):
    G, N = rows[:1], rows[1:]
    square = [np.diag(np.broadcast_to(s, size)) if np.ndim(s) < 2 else s for s, size in ((R, 1), (Q, 2))]
    expected = enumerated(M, b, G, targets[:1], square[0], N, targets[1:], square[1])
    if thin:
        M, G, N = (sparse.csr_array(matrix) for matrix in (M, G, N))
    problem = StepProblem(M, b, BilateralRows(G, targets[:1], R), UnilateralRows(N, targets[1:], Q))
    found = solve_step(problem, method=method)
    for name in ("velocity", "bilateral", "unilateral"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-7)
    assert step_residuals(problem, found).relative < 1e-9
    assert step_residuals(problem, replace(found, velocity=found.velocity + 0.1)).relative > 1e-6


@given(spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), vectors(2, 0.0, 2))
def test_soft_rows_are_those_of_the_regularised_system(M, G, b, phi, alpha):
    g, R = target_and_softness(phi, alpha, 0.125, 0.25)
    v, impulse = np.split(np.linalg.solve(np.block([[M, -G.T], [G, R]]), np.concatenate([b, g])), [4])
    found = solve_step(StepProblem(M, b, BilateralRows(G, g, R)))
    np.testing.assert_allclose(found.velocity, v, atol=1e-8)
    np.testing.assert_allclose(found.bilateral, impulse, atol=1e-7)


def test_soft_rows_push_half_as_long_in_half_a_step():
    phi, alpha, beta, h, m = 0.2, 0.01, 0.03, 0.1, 2.0
    rows = BilateralRows(np.eye(1), *target_and_softness([phi], alpha, beta, h))
    halves = []

    def first_half(system, state, h, *, solve):
        halves.append(solve(StepProblem([[m]], [m]), 0.5))
        return state.with_velocity(halves[0])

    step = constrained_step(first_half, BOBS, State(q=[phi], qdot=[1.0]), h, lambda state, h: [rows])
    force = -(phi + (h / 2 + beta) * halves[0]) / alpha
    np.testing.assert_allclose(step.bilateral, h / 2 * force)
    np.testing.assert_allclose(m * (halves[0] - 1), step.bilateral)


@given(
    spd_matrices(4),
    vectors(4),
    full_rank_matrices(1, 4),
    matrices(2, 4),
    vectors(4),
    st.sampled_from([0.0, 0.5, np.array([[1.0, 0.4], [0.4, 0.5]])]),
    st.booleans(),
)
def test_a_step_as_lcp_box_and_quadratic_program(M, b, G, N, inside, Q, thin):
    rows = BilateralRows(G, G @ inside), UnilateralRows(N, N @ inside - [0.25, 0.0], Q)
    if thin:
        rows = tuple(replace(each, rows=sparse.csr_array(each.rows)) for each in rows)
    problem = StepProblem(sparse.csr_array(M) if thin else M, b, *rows)
    found = solve_step(problem)
    z = solve_lcp(lcp_from_step(problem, factor_step(hardened(problem))), tolerance=1e-9).z
    v, bilateral = step_unknowns(problem, z)
    box = solve_lcp(box_from_step(problem), "pivoting", tolerance=1e-8).z
    x = solve_lcp(qp_from_step(problem), "quadratic").x
    scale = 1 + np.max(np.abs(found.velocity))
    for velocity in (v, box[:4], x[:4]):
        np.testing.assert_allclose(velocity, found.velocity, rtol=0, atol=1e-6 * scale)
    assert step_residuals(problem, StepSolution(v, bilateral, z)).relative < 1e-8
    with pytest.raises(InvalidArgument, match="mass: got a matrix that is not symmetric"):
        qp_from_step(StepProblem(np.triu(np.ones((4, 4))), b))


@given(spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), spd_matrices(2), spd_matrices(2))
def test_softness_need_not_be_symmetric(M, G, b, phi, alpha, beta):
    g, R = target_and_softness(phi, alpha, beta, 0.25)
    v, impulse = np.split(np.linalg.solve(np.block([[M, -G.T], [G, R]]), np.concatenate([b, g])), [4])
    for form in (np.asarray, sparse.csr_array):
        found = solve_step(StepProblem(form(M), b, BilateralRows(form(G), g, R)))
        scale = 1 + np.max(np.abs(impulse))
        np.testing.assert_allclose(found.velocity, v, rtol=0, atol=1e-6 * scale)
        np.testing.assert_allclose(found.bilateral, impulse, rtol=0, atol=1e-6 * scale)


def test_redundant_rows_share_the_impulse_and_must_agree():
    G = np.array([[1.0, 0.0], [1.0, 0.0]])

    def solved(target=0.0, softness=0.0):
        return solve_step(StepProblem(np.eye(2), [1.0, 2.0], BilateralRows(G, target, softness)))

    found = solved()
    np.testing.assert_allclose(found.velocity, [0, 2], atol=1e-12)
    np.testing.assert_allclose(found.bilateral, [-0.5, -0.5], atol=1e-12)
    with pytest.raises(InconsistentConstraints):
        solved([0.0, 1.0])
    soft = solved([0.0, 1.0], [0.1, 0.1])
    np.testing.assert_allclose(G @ soft.velocity + 0.1 * soft.bilateral, [0, 1], atol=1e-10)


# Two bobs on rods, in the plane, each with its own mass, on a nonlinear spring and with nonlinear damping.
MASSES = np.array([1.0, 1.0, 0.5, 0.5])
LENGTHS = np.array([1.0, 0.8])


def bobs_force(x, v):
    stretched = x[2:] - np.array([1.0, 0.5])
    spring = -(3 + 2 * stretched @ stretched) * stretched
    return np.concatenate([np.zeros(2), spring]) - 9.81 * MASSES * [0, 1, 0, 1] - (0.3 + 0.2 * v @ v) * v


BOBS = System(
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
    """From the second derivative of the rods' equations, by elimination in the null space of the rows."""
    G = rod_rows(x)
    turning = np.array([v[:2] @ v[:2], (v[2:] - v[:2]) @ (v[2:] - v[:2])])
    particular = -np.linalg.pinv(G) @ turning
    free = np.linalg.svd(G)[2][2:].T
    M = BOBS.inertia
    coordinates = np.linalg.solve(free.T @ M @ free, free.T @ (bobs_force(x, v) - M @ particular))
    return particular + free @ coordinates


def measured_order(step, reference, time, counts=(32, 64)):
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


def test_start_is_consistent():
    np.testing.assert_allclose(rods(START.q), 0, atol=1e-14)
    np.testing.assert_allclose(rod_rows(START.q) @ START.qdot, 0, atol=1e-14)
    np.testing.assert_allclose(jacobian(rods, START.q).value, rod_rows(START.q), atol=1e-10)


@pytest.mark.parametrize("name", SCHEMES)
def test_rows_at_the_start_leave_every_scheme_at_first_order(name, hard_end):
    order = measured_order(constrained(SCHEMES[name], rods_at), hard_end, 0.4)
    assert order == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("name", "order"),
    [("symplectic Euler", 1), ("implicit Euler", 1), ("trapezoidal", 2), ("Bridson-Marino", 2)],
)
def test_rows_in_the_middle_keep_the_order(name, order, hard_end):
    step = constrained(SCHEMES[name], rods_at, where="middle")
    assert measured_order(step, hard_end, 0.4) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("name", SCHEMES)
def test_soft_rows_converge_to_the_springs_they_stand_for(name):
    alpha, beta = np.array([0.02, 0.01]), 0.05

    def soft_acceleration(x, v):
        G = rod_rows(x)
        return (bobs_force(x, v) + G.T @ soft_force(rods(x), G @ v, alpha, beta)) / MASSES

    def soft_at(state, h):
        return [BilateralRows(rod_rows(state.q), *target_and_softness(rods(state.q), alpha, beta, h))]

    order = measured_order(constrained(SCHEMES[name], soft_at), exact(soft_acceleration, 0.3), 0.3)
    assert order == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("name", SCHEMES)
def test_contact_lets_go_where_the_force_changes_sign(name):
    """A mass lies at a wall, x >= 0; a spring to a second, swinging mass presses it and then pulls it off."""
    M, k = np.diag([0.5, 1.0]), 4.0
    K = k * np.array([[-1.0, 1.0], [1.0, -2.0]])
    system = System(M, lambda x, v: K @ x, lambda x, v: K, lambda x, v: np.zeros((2, 2)))
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
        path = integrate(constrained(SCHEMES[name], wall), system, start, time / count, count)
        assert np.all(path.q[:, 0] > -1e-12)
        errors.append(np.linalg.norm(np.concatenate([path.q[-1], path.qdot[-1]]) - free))
    assert errors[1] < 0.65 * errors[0]
    assert errors[1] < 0.05


def test_impulses_of_a_resting_mass():
    system = System(
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
        np.testing.assert_allclose(step.unilateral, 2 * 9.81 * 0.1)
        assert len(step.bilateral) == 0


def pendulum_energies(scheme, where, h=0.02, steps=300):
    """Energy of a pendulum under gravity alone, in the plane: G v = 0 with G = x."""
    falling = System(
        np.eye(2),
        lambda x, v: np.array([0.0, -9.81]),
        lambda x, v: np.zeros((2, 2)),
        lambda x, v: np.zeros((2, 2)),
    )
    step = constrained(scheme, lambda state, h: [BilateralRows(state.q[None])], where=where)
    path = integrate(step, falling, State(q=[1.0, 0.0]), h, steps)
    return np.sum(path.qdot**2, axis=1) / 2 + 9.81 * path.q[:, 1], path


def test_impulses_in_the_middle_do_no_work():
    energies, path = pendulum_energies(trapezoidal, "middle")
    np.testing.assert_allclose(energies, 0, atol=1e-11)
    assert np.max(np.abs(np.linalg.norm(path.q, axis=1) - 1)) < 1e-3
    energies, _ = pendulum_energies(trapezoidal, "start")
    assert energies[-1] < -0.5


def test_rows_at_the_start_lengthen_the_pendulum_by_the_chord():
    _, path = pendulum_energies(symplectic_euler, "start")
    squares = np.sum(path.q**2, axis=1)
    np.testing.assert_allclose(np.diff(squares), 0.02**2 * np.sum(path.qdot[1:] ** 2, axis=1), atol=1e-11)
    assert squares[-1] > 1.1


def test_sparse_chain_steps_like_the_dense_one():
    bobs = 30
    M = sparse.diags_array(np.repeat(np.linspace(1, 2, bobs), 2)).tocsc()
    gravity = np.tile([0.0, -9.81], bobs)
    D = sparse.diags_array(np.full(2 * bobs, -0.1)).tocsc()
    zero = sparse.csc_array((2 * bobs, 2 * bobs))
    thin = System(M, lambda x, v: M @ gravity + D @ v, lambda x, v: zero, lambda x, v: D)
    full = System(
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
        return [BilateralRows(make(G[:, 2:]), softness=1e-6), UnilateralRows(make(floor), -gaps / h)]

    start = State(q=np.stack([np.arange(1.0, bobs + 1) / 5, np.zeros(bobs)], axis=1).ravel())
    for scheme in (symplectic_euler, implicit_euler):
        a = integrate(constrained(scheme, lambda s, h: chain(s, h, sparse.csc_array)), thin, start, 0.05, 20)
        b = integrate(constrained(scheme, lambda s, h: chain(s, h, np.asarray)), full, start, 0.05, 20)
        np.testing.assert_allclose(a.q, b.q, atol=1e-7)
        assert np.min(a.q[-1].reshape(-1, 2)[:, 1]) == pytest.approx(-2, abs=1e-6)


class TestErrors:
    M, B = np.eye(2), np.ones(2)

    def test_softness(self):
        singular = UnilateralRows(np.eye(2), 0.0, [[1.0, 1.0], [0.0, 0.0]])
        with pytest.raises(SingularConfiguration, match="softness: got a singular matrix that is not sym"):
            solve_step(StepProblem(self.M, self.B, unilateral=singular))

    def test_contradictory_contacts(self):
        with pytest.raises(Unsolved):
            solve_step(
                StepProblem(self.M, self.B, unilateral=UnilateralRows([[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0]))
            )

    def test_mass_that_is_not_positive(self):
        with pytest.raises(SingularConfiguration, match="M: got smallest eigenvalue -1"):
            solve_step(StepProblem(-self.M, self.B, BilateralRows(np.ones((1, 2)))))

    def test_friction_takes_a_model(self):
        contacts = SimpleNamespace(count=1, rows=np.ones((3, 2)), mu=np.ones(1), normal_target=np.zeros(1))
        with pytest.raises(InvalidArgument, match="problem: got contacts, expected none"):
            solve_step(StepProblem(self.M, self.B, contacts=contacts))

    def test_rows(self):
        with pytest.raises(InvalidArgument, match="one BilateralRows, one UnilateralRows"):
            with_rows(StepProblem(self.M, self.B), [BilateralRows(np.eye(2))] * 2)
        with pytest.raises(InvalidArgument, match=r"rows\[0\]: got ndarray, expected BilateralRows or Unil"):
            with_rows(StepProblem(self.M, self.B), [np.eye(2)])

    def test_middle_is_for_hard_bilateral_rows(self):
        for rows in (UnilateralRows(np.eye(4)), BilateralRows(np.eye(4), softness=1.0)):
            with pytest.raises(InvalidArgument, match="hard bilateral rows only"):
                constrained_step(trapezoidal, BOBS, START, 0.1, lambda s, h, r=rows: [r], where="middle")
        with pytest.raises(InvalidArgument, match="where: got 'end'"):
            constrained_step(trapezoidal, BOBS, START, 0.1, rods_at, where="end")
