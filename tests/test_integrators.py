"""The integrators: order against a reference solution, energy, stability, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import solve_ivp

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.checking import derivative, jacobian
from rbnotes.integrators import (
    State,
    System,
    bridson_marino,
    implicit_euler,
    implicit_euler_system,
    integrate,
    solve_free,
    symplectic_euler,
    symplectic_euler_system,
    trapezoidal,
    trapezoidal_system,
)

STEPS = {
    "symplectic Euler": (symplectic_euler, 1),
    "implicit Euler": (implicit_euler, 1),
    "trapezoidal": (trapezoidal, 2),
    "Bridson-Marino": (bridson_marino, 2),
}
START = State(np.array([0.5, -0.3]), np.array([0.2, 0.4]))
MASS = np.array([[2.0, 0.3], [0.3, 1.0]])


def damped_pair(damping=0.3):
    """Two coupled masses on nonlinear springs, with damping that depends on position and velocity."""

    def force(x, v):
        springs = -np.array([2 * x[0] + x[0] ** 3 - x[1], 3 * np.sin(x[1]) - x[0]])
        return springs - damping * np.array([v[0] * (1 + x[1] ** 2), v[1] + v[1] ** 3])

    return System(
        MASS,
        force,
        lambda x, v: jacobian(lambda y: force(y, v), x).value,
        lambda x, v: jacobian(lambda w: force(x, w), v).value,
    )


def reference(system, time):
    def rate(_, state):
        x, v = np.split(state, 2)
        return np.concatenate([v, np.linalg.solve(MASS, system.force(x, v))])

    solution = solve_ivp(rate, (0, time), np.concatenate(START), rtol=1e-12, atol=1e-13, method="DOP853")
    return solution.y[:, -1]


@pytest.mark.parametrize("name", STEPS)
def test_order(name):
    step, order = STEPS[name]
    system, time = damped_pair(), 0.5
    exact = reference(system, time)
    errors = []
    for count in (20, 40):
        path = integrate(step, system, START, time / count, count)
        errors.append(np.linalg.norm(np.concatenate([path.x[-1], path.v[-1]]) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def oscillator(stiffness, damping=0.0):
    one = np.eye(1)
    return System(
        one,
        lambda x, v: -stiffness * x - damping * v,
        lambda x, v: -stiffness * one,
        lambda x, v: -damping * one,
    )


def energy(path, stiffness):
    return (path.v[:, 0] ** 2 + stiffness * path.x[:, 0] ** 2) / 2


def test_energy_of_an_oscillator():
    start, k, h = State(np.array([1.0]), np.array([0.0])), 4.0, 0.1
    kept = energy(integrate(trapezoidal, oscillator(k), start, h, 500), k)
    np.testing.assert_allclose(kept, kept[0], rtol=1e-11)
    bounded = energy(integrate(symplectic_euler, oscillator(k), start, h, 5000), k)
    assert np.all(np.abs(bounded / bounded[0] - 1) < 0.15)
    assert abs(np.mean(bounded[-500:]) / np.mean(bounded[:500]) - 1) < 1e-2
    lost = energy(integrate(implicit_euler, oscillator(k), start, h, 100), k)
    assert np.all(np.diff(lost) < 0)
    # Each step multiplies the energy of a linear oscillator by 1/(1 + h^2 k).
    np.testing.assert_allclose(lost[1:] / lost[:-1], 1 / (1 + h**2 * k), rtol=1e-10)


def test_stiff_springs_and_dampers():
    start, h = State(np.array([1.0]), np.array([0.0])), 0.1
    for step in (implicit_euler, trapezoidal):
        path = integrate(step, oscillator(1e6), start, h, 200)
        assert np.max(energy(path, 1e6)) <= energy(path, 1e6)[0] * (1 + 1e-9)
    stiff = integrate(symplectic_euler, oscillator(1e6), start, h, 20)
    assert np.abs(stiff.x[-1, 0]) > 1e6
    damper = integrate(bridson_marino, oscillator(1.0, 1e5), start, h, 100)
    assert np.all(np.abs(damper.x) <= 1 + 1e-9)


def test_sparse_systems_give_the_same_steps():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    M, K, D = np.diag(rng.uniform(1, 2, 6)), -A @ A.T, -0.1 * np.eye(6)
    state = State(rng.normal(size=6), rng.normal(size=6))
    dense = System(M, lambda x, v: K @ x + D @ v, lambda x, v: K, lambda x, v: D)
    Ms, Ks, Ds = (sparse.csr_array(matrix) for matrix in (M, K, D))
    thin = System(Ms, lambda x, v: Ks @ x + Ds @ v, lambda x, v: Ks, lambda x, v: Ds)
    for step, _ in STEPS.values():
        for a, b in zip(step(dense, state, 0.1), step(thin, state, 0.1), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)


def test_velocity_systems_are_those_of_the_steps():
    system, h = damped_pair(), 0.05
    builds = {
        symplectic_euler_system: symplectic_euler,
        implicit_euler_system: implicit_euler,
        trapezoidal_system: trapezoidal,
    }
    for build, step in builds.items():
        M_hat, b, _ = build(system, START, h)
        np.testing.assert_allclose(np.linalg.solve(M_hat, b), step(system, START, h).v, atol=1e-14)


def test_bridson_marino_does_not_use_the_stiffness():
    def unknown(x, v):
        raise AssertionError("the position Jacobian was asked for")

    system = damped_pair()
    path = bridson_marino(System(MASS, system.force, unknown, system.damping), START, 0.1)
    for a, b in zip(path, bridson_marino(system, START, 0.1), strict=True):
        np.testing.assert_array_equal(a, b)


def test_solver_is_asked_for_both_velocities_of_bridson_marino():
    def first_mass_held_halfway(system):
        v = solve_free(system)
        return np.array([0.0, v[1]]) if system.fraction == 0.5 else v

    path = bridson_marino(damped_pair(), START, 0.1, solve=first_mass_held_halfway)
    assert path.x[0] == START.x[0]
    assert path.x[1] != START.x[1]
    assert path.v[0] != 0


class TestErrors:
    def test_step_size(self):
        for step, _ in STEPS.values():
            with pytest.raises(InvalidArgument, match="h: got 0, expected numbers greater than 0"):
                step(damped_pair(), START, 0.0)

    def test_singular_step(self):
        system = System(np.eye(1), lambda x, v: x, lambda x, v: np.eye(1), lambda x, v: np.zeros((1, 1)))
        with pytest.raises(SingularConfiguration, match="M_hat"):
            implicit_euler(system, State(np.ones(1), np.ones(1)), 1.0)

    def test_shapes(self):
        with pytest.raises(InvalidArgument, match=r"mass: got shape \(2, 3\)"):
            System(np.ones((2, 3)), lambda x, v: x, lambda x, v: x, lambda x, v: x)
        wrong = System(MASS, lambda x, v: np.zeros(3), lambda x, v: MASS, lambda x, v: MASS)
        with pytest.raises(InvalidArgument, match=r"force\(x, v\): got shape \(3,\)"):
            implicit_euler(wrong, START, 0.1)
        wrong = System(MASS, lambda x, v: np.zeros(2), lambda x, v: np.eye(3), lambda x, v: MASS)
        with pytest.raises(InvalidArgument, match=r"stiffness\(x, v\): got shape \(3, 3\)"):
            implicit_euler(wrong, START, 0.1)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("scheme", ["implicit", "trapezoidal"])
def test_both_arrangements(make, scheme):
    """By derivatives of the force along the motion: f_hat lacks the old velocities, f_tilde has them."""
    h, pair = 0.1, damped_pair()
    like = System(
        make(MASS), pair.force, lambda x, v: make(pair.stiffness(x, v)), lambda x, v: make(pair.damping(x, v))
    )
    x, v = START

    def rate(direction):
        """Change of the force when positions and velocities change along directions."""
        dx, dv = direction
        return derivative(lambda t: pair.force(x + t * dx, v + t * dv)).value

    still = np.zeros(2)
    f, by_x, by_v = pair.force(x, v), rate((v, still)), rate((still, v))
    if scheme == "implicit":
        stage, f_hat, f_tilde = implicit_euler_system(like, START, h), f - by_v, f + h * by_x
    else:
        stage = trapezoidal_system(like, START, h)
        f_hat, f_tilde = f - by_v / 2 + h / 4 * by_x, f + h / 2 * by_x
    assert np.allclose(stage.force_beside(like.mass, v, h), f_hat, atol=1e-9)
    assert np.allclose(stage.force_beside(stage.M_hat, v, h), f_tilde, atol=1e-9)
