"""The integrators: order against a reference solution, energy, stability, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import solve_ivp

from rbnotes import Model
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.dynamics import (
    Forces,
    State,
    bridson_marino,
    effective_force,
    implicit_euler,
    implicit_euler_problem,
    integrate,
    mechanical_system,
    runge_kutta,
    solve_unconstrained_step,
    symplectic_euler,
    symplectic_euler_problem,
    trapezoidal,
    trapezoidal_problem,
)
from rbnotes.testing import derivative, jacobian

STEPS = {
    "symplectic Euler": (symplectic_euler, 1),
    "implicit Euler": (implicit_euler, 1),
    "trapezoidal": (trapezoidal, 2),
    "Bridson-Marino": (bridson_marino, 2),
}
START = State(q=[0.5, -0.3], qdot=[0.2, 0.4])
MASS = np.array([[2.0, 0.3], [0.3, 1.0]])


def damped_forces(damping=0.3):
    """Return force, K and D of two coupled masses on nonlinear springs, with damping that varies."""

    def force(x, v):
        springs = -np.array([2 * x[0] + x[0] ** 3 - x[1], 3 * np.sin(x[1]) - x[0]])
        return springs - damping * np.array([v[0] * (1 + x[1] ** 2), v[1] + v[1] ** 3])

    return (
        force,
        lambda x, v: jacobian(lambda y: force(y, v), x).value,
        lambda x, v: jacobian(lambda w: force(x, w), v).value,
    )


def damped_pair(damping=0.3):
    """Return the system of :func:`damped_forces`."""
    return mechanical_system(MASS, *damped_forces(damping))


def reference(system, time):
    def rate(_, state):
        x, v = np.split(state, 2)
        return np.concatenate([v, np.linalg.solve(MASS, system.force(State(q=x, qdot=v)))])

    solution = solve_ivp(
        rate, (0, time), np.concatenate([START.q, START.qdot]), rtol=1e-12, atol=1e-13, method="DOP853"
    )
    return solution.y[:, -1]


@pytest.mark.parametrize("name", STEPS)
def test_order(name):
    step, order = STEPS[name]
    system, time = damped_pair(), 0.5
    exact = reference(system, time)
    errors = []
    for count in (20, 40):
        path = integrate(step, system, START, time / count, count)
        errors.append(np.linalg.norm(np.concatenate([path.q[-1], path.qdot[-1]]) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def oscillator(stiffness, damping=0.0):
    one = np.eye(1)
    return mechanical_system(
        one,
        lambda x, v: -stiffness * x - damping * v,
        lambda x, v: -stiffness * one,
        lambda x, v: -damping * one,
    )


def energy(path, stiffness):
    return (path.qdot[:, 0] ** 2 + stiffness * path.q[:, 0] ** 2) / 2


def test_energy_of_an_oscillator():
    start, k, h = State(q=[1.0]), 4.0, 0.1
    energies = energy(integrate(trapezoidal, oscillator(k), start, h, 500), k)
    np.testing.assert_allclose(energies, energies[0], rtol=1e-11)
    bounded = energy(integrate(symplectic_euler, oscillator(k), start, h, 5000), k)
    assert np.all(np.abs(bounded / bounded[0] - 1) < 0.15)
    assert abs(np.mean(bounded[-500:]) / np.mean(bounded[:500]) - 1) < 1e-2
    damped_energies = energy(integrate(implicit_euler, oscillator(k), start, h, 100), k)
    assert np.all(np.diff(damped_energies) < 0)
    # Each step multiplies the energy of a linear oscillator by 1/(1 + h^2 k).
    np.testing.assert_allclose(damped_energies[1:] / damped_energies[:-1], 1 / (1 + h**2 * k), rtol=1e-10)


def test_stiff_springs_and_dampers():
    start, h = State(q=[1.0]), 0.1
    for step in (implicit_euler, trapezoidal):
        path = integrate(step, oscillator(1e6), start, h, 200)
        assert np.max(energy(path, 1e6)) <= energy(path, 1e6)[0] * (1 + 1e-9)
    stiff = integrate(symplectic_euler, oscillator(1e6), start, h, 20)
    assert np.abs(stiff.q[-1, 0]) > 1e6
    damper = integrate(bridson_marino, oscillator(1.0, 1e5), start, h, 100)
    assert np.all(np.abs(damper.q) <= 1 + 1e-9)


def test_sparse_systems_give_the_same_steps():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    M, K, D = np.diag(rng.uniform(1, 2, 6)), -A @ A.T, -0.1 * np.eye(6)
    state = State(q=rng.normal(size=6), qdot=rng.normal(size=6))
    dense = mechanical_system(M, lambda x, v: K @ x + D @ v, lambda x, v: K, lambda x, v: D)
    Ms, Ks, Ds = (sparse.csr_array(matrix) for matrix in (M, K, D))
    thin = mechanical_system(Ms, lambda x, v: Ks @ x + Ds @ v, lambda x, v: Ks, lambda x, v: Ds)
    for step, _ in STEPS.values():
        assert_same(step(dense, state, 0.1), step(thin, state, 0.1), 1e-12)


def assert_same(one, other, tolerance=0.0):
    for name in ("q", "qdot", "t"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=tolerance)


def test_step_problems_reproduce_the_steps():
    system, h = damped_pair(), 0.05
    builds = {
        symplectic_euler_problem: symplectic_euler,
        implicit_euler_problem: implicit_euler,
        trapezoidal_problem: trapezoidal,
    }
    for build, step in builds.items():
        problem = build(system, START, h)
        after = step(system, START, h)
        np.testing.assert_allclose(np.linalg.solve(problem.mass, problem.momentum), after.qdot, atol=1e-14)
        assert after.t == h


def test_bridson_marino_does_not_use_the_stiffness():
    force, _, damping = damped_forces()
    stiffer = mechanical_system(MASS, force, lambda q, qdot: np.full((2, 2), 1e9), damping)
    assert_same(bridson_marino(stiffer, START, 0.1), bridson_marino(damped_pair(), START, 0.1))


def test_bridson_marino_solves_for_both_velocities():
    def first_mass_held_halfway(problem, fraction):
        v = solve_unconstrained_step(problem)
        return np.array([0.0, v[1]]) if fraction == 0.5 else v

    path = bridson_marino(damped_pair(), START, 0.1, solve=first_mass_held_halfway)
    assert path.q[0] == START.q[0]
    assert path.q[1] != START.q[1]
    assert path.qdot[0] != 0


def test_runge_kutta_against_exact_motion():
    system, time = damped_pair(), 0.5
    path = integrate(runge_kutta, system, START, time / 4, 4)
    np.testing.assert_allclose(
        np.concatenate([path.q[-1], path.qdot[-1]]), reference(system, time), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(path.t, time / 4 * np.arange(5))


def test_time_dependent_forces():
    """Under a force that grows with time, each scheme uses the force at the start or at the end of a step."""

    def growing(state):
        return Forces.without_derivatives([6 * state.t, 0, 0])

    driven = Model(particles=[1.0], gravity=[0, 0, 0], forces=growing)
    start = driven.state(x=[[0, 0, 0]], t=1.0)
    assert runge_kutta(driven, start, 1.0).v[0, 0] == pytest.approx(9)
    assert bridson_marino(driven, start, 1.0).v[0, 0] == pytest.approx(9)
    assert symplectic_euler(driven, start, 1.0).v[0, 0] == pytest.approx(6)


class TestErrors:
    def test_step_size(self):
        for step, _ in STEPS.values():
            with pytest.raises(InvalidArgument, match="h: got 0, expected numbers greater than 0"):
                step(damped_pair(), START, 0.0)

    def test_singular_step(self):
        system = mechanical_system(
            np.eye(1), lambda x, v: x, lambda x, v: np.eye(1), lambda x, v: np.zeros((1, 1))
        )
        with pytest.raises(SingularConfiguration, match="mass: got a singular matrix"):
            implicit_euler(system, State(q=[1.0], qdot=[1.0]), 1.0)

    def test_shapes(self):
        with pytest.raises(InvalidArgument, match=r"inertia: got shape \(2, 3\)"):
            mechanical_system(np.ones((2, 3)), lambda x, v: x, lambda x, v: x, lambda x, v: x)
        wrong = mechanical_system(MASS, lambda x, v: np.zeros(3), lambda x, v: MASS, lambda x, v: MASS)
        with pytest.raises(InvalidArgument, match=r"force\(q, qdot\): got shape \(3,\)"):
            implicit_euler(wrong, START, 0.1)
        wrong = mechanical_system(MASS, lambda x, v: np.zeros(2), lambda x, v: np.eye(3), lambda x, v: MASS)
        with pytest.raises(InvalidArgument, match=r"stiffness\(q, qdot\): got shape \(3, 3\)"):
            implicit_euler(wrong, START, 0.1)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("scheme", ["implicit", "trapezoidal"])
def test_both_force_arrangements(make, scheme):
    """By derivatives of the force along the motion: f_hat lacks the old velocities, f_tilde has them."""
    h, mass = 0.1, make(MASS)
    force, stiffness, damping = damped_forces()
    like = mechanical_system(
        mass, force, lambda x, v: make(stiffness(x, v)), lambda x, v: make(damping(x, v))
    )
    x, v = START.q, START.qdot

    def rate(direction):
        """Change of the force when positions and velocities change along directions."""
        dx, dv = direction
        return derivative(lambda t: force(x + t * dx, v + t * dv)).value

    still = np.zeros(2)
    f, by_x, by_v = force(x, v), rate((v, still)), rate((still, v))
    if scheme == "implicit":
        stage, f_hat, f_tilde = implicit_euler_problem(like, START, h), f - by_v, f + h * by_x
    else:
        stage = trapezoidal_problem(like, START, h)
        f_hat, f_tilde = f - by_v / 2 + h / 4 * by_x, f + h / 2 * by_x
    assert np.allclose(effective_force(stage, mass, v, h), f_hat, atol=1e-9)
    assert np.allclose(effective_force(stage, stage.mass, v, h), f_tilde, atol=1e-9)
