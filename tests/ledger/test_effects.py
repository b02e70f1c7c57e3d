"""Effects of errata on simulations: the `effect` of each record against the run that it describes.

Each run returns the numbers of its sentence in their order. What the right form gives is asserted from a
conservation law, an equilibrium or a closed form.
"""

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from rbnotes import Model, ledger
from rbnotes.cli import main
from rbnotes.complementarity import LCP, NotSolved, solve
from rbnotes.constraints import constrained_force, constrained_velocity
from rbnotes.contact import Contacts
from rbnotes.dynamics import (
    Forces,
    State,
    StepProblem,
    implicit_euler,
    integrate,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.forces import FrameSpring, LinearSpring, frame_spring_forces, length_gradient, path_force
from rbnotes.friction import box_friction
from rbnotes.ledger import errata
from rbnotes.ledger.record import WRONG_AS_PRINTED
from rbnotes.ledger.sources import active_ledger

FLOOR = [[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]]
G, STEP = 9.81, 0.01
ZERO = np.zeros((3, 3))

Numbers = tuple[float, ...]


def advance(acceleration: Callable[[float, float], float], x: float, v: float, steps: int = 100) -> Numbers:
    """Return position and velocity after steps of symplectic Euler."""
    for _ in range(steps):
        v += STEP * acceleration(x, v)
        x += STEP * v
    return x, v


def unit_mass(force: Callable[[State], Forces]) -> Model:
    return Model(particles=[1.0], gravity=[0, 0, 0], forces=force)


def contact_impulse() -> Numbers:
    v, m = -1.0, 2.0
    assert solve(LCP([[1 / m]], [v])).z == pytest.approx(2.0)
    with pytest.raises(NotSolved):
        solve(LCP([[-1 / m]], [v]))
    return (-v,)


def sliding_velocities() -> Numbers:
    mu, m, ends = 0.3, 2.0, []
    for sign in (-1, 1):
        v = 3.0
        for _ in range(100):
            problem = StepProblem(m * np.eye(3), [m * v, 0, -m * G * STEP], contacts=Contacts(FLOOR, mu))
            change = box_friction(problem, normal_estimate=[m * G * STEP]).velocity[0] - v
            v += -sign * change  # -D^T phi where D^T phi belongs
        ends.append(v)
    printed, right = ends[1], ends[0]
    assert right == pytest.approx(max(0, 3 - mu * G))
    return 3.0, mu, printed, right


def velocity_after_impact() -> Numbers:
    m, v, N = 2.0, np.array([-1.0]), np.eye(1)
    impulse = solve(LCP(N @ N.T / m, N @ v)).z
    after = {sign: float((v + sign * N.T @ impulse / m)[0]) for sign in (1, -1)}
    assert after[1] == pytest.approx(0)
    return -v[0], -after[-1]


def velocity_after_constraint_impulse() -> Numbers:
    M, G_row, v = 2.0 * np.eye(1), np.eye(1), np.array([-1.0])
    right, multiplier = constrained_velocity(M, G_row, v)
    assert right == pytest.approx([0.0])
    impulse = np.linalg.solve(M, G_row.T @ multiplier)
    return M[0, 0], -v[0], -float((v + np.linalg.solve(M, impulse))[0])


def error_ratios() -> Numbers:
    def force(state: State) -> Forces:
        x, v = state.x[0], state.v[0]
        return Forces(-x - x**3 - 0.2 * v, np.diag(-1 - 3 * x**2), -0.2 * np.eye(3))

    system, start = unit_mass(force), State(x=[[0.8, 0.1, -0.3]], v=[[0.2, 0.5, 0.1]])

    def printed(system: Model, state: State, h: float) -> State:
        M, v = system.mass_matrix(state), state.velocity
        f, K, D = system.linearized_force(state)
        force = f - D @ v / 2 + h**2 / 4 * K @ v
        after = np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, M @ v + h * force)
        return State(x=state.x + h / 2 * (v + after), v=[after], t=state.t + h)

    exact = integrate(trapezoidal, system, start, 1 / 400, 400)[-1].x
    ratios = []
    for rule in (printed, trapezoidal):
        errors = [np.linalg.norm(integrate(rule, system, start, 1 / n, n)[-1].x - exact) for n in (20, 40)]
        ratios.append(errors[0] / errors[1])
    return tuple(ratios)


def pendulum_lengths() -> Numbers:
    lengths = []
    for right in (False, True):
        x, v, h = np.array([1.0, 0.0]), np.zeros(2), 1e-3
        for _ in range(1000):
            target = [-v @ v] if right else [0.0]
            force, _ = constrained_force(np.eye(2), x[None], np.array([0, -G]), target)
            v = v + h * force
            x = x + h * v
        lengths.append(float(np.linalg.norm(x)))
    return tuple(lengths)


def height_above_floor() -> Numbers:
    heights = []
    for target in (lambda gap: 0.0, lambda gap: -gap / STEP):
        x, v = 1.0, 0.0
        for _ in range(100):
            contacts = Contacts(FLOOR, 0.0, normal_target=target(x))
            v = box_friction(StepProblem(np.eye(3), [0, 0, v - G * STEP], contacts=contacts)).velocity[2]
            x += STEP * v
        heights.append(x)
    assert heights[1] == pytest.approx(0, abs=1e-9)
    return (heights[0],)


def soft_constraint_amplitudes() -> Numbers:
    alpha, beta, m, amplitudes = 0.01, 0.02, 1.0, []
    for sign in (1, -1):
        x, v, path = 0.01, 0.0, []
        for _ in range(100):
            damping = sign * (STEP / 2 + beta) / alpha
            v = (v - STEP * x / (alpha * m)) / (1 - STEP * damping / m)
            x += STEP * v
            path.append(abs(x))
        amplitudes.append(100 * max(path[-32:]))
    return tuple(amplitudes)


def constraint_force() -> Numbers:
    _, impulse = constrained_velocity(np.eye(1), np.eye(1), [-G * STEP])
    assert impulse / STEP == pytest.approx([G])
    return 1.0, 1000 * STEP, impulse[0], impulse[0] / STEP


def spring_amplitude() -> Numbers:
    k, amplitudes = 100.0, []
    for sign in (-1, 1):

        def spring(state: State, sign: int = sign) -> Forces:
            return Forces(-k * state.x[0], -sign * k * np.eye(3), ZERO)

        path = integrate(implicit_euler, unit_mass(spring), State(x=[[1.0, 0, 0]]), 0.05, 20)
        amplitudes.append(float(np.abs(path.x[-12:, 0, 0]).max()))
    assert amplitudes[1] < 1
    return 1.0, amplitudes[0]


def frame_spring_amplitude() -> Numbers:
    spring, h, variation = (
        FrameSpring.isotropic(np.eye(4), np.eye(4), 0, 100),
        0.05,
        np.outer(np.eye(4)[3], [0, 0, 1]),
    )
    amplitudes = []
    for form in ("printed", "library"):
        angle, rate, path = 0.1, 0.0, []
        for _ in range(20):
            poses = np.tile(np.eye(4), (4, 1, 1))
            poses[1, :3, :3] = Rotation.from_rotvec([0, 0, angle]).as_matrix()
            torque = frame_spring_forces(spring, poses[:2], np.zeros((2, 6))).w[1, 2]
            assert torque == pytest.approx(-100 * angle)
            slope = getattr(ledger.find("lloyd/s0.22.1/d15"), form)(poses, 0.0, 100.0, variation)[2]
            rate = (rate + h * torque) / (1 - h**2 * slope)
            angle += h * rate
            path.append(abs(angle))
        amplitudes.append(max(path[-12:]))
    assert amplitudes[1] < 0.1
    return 0.1, amplitudes[0]


def newton_iterations(stiffness: float, damping: float, slip: Callable[..., np.ndarray]) -> Numbers:
    """Return the Newton iterations of an implicit step with a wrong and with the exact Jacobian.

    The unknowns are the velocity and the rate of a body in the plane, which a spring and a damper tie to the
    origin at a lever arm; the exact Jacobian follows by complex steps.
    """
    mass, start = np.array([1.0, 1.0, 0.4]), np.array([1.0, 0.0, 2.0])

    def forces(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arm = np.array([np.sin(STEP * y[2]), -np.cos(STEP * y[2])])
        point = STEP * y[:2] + arm - np.array([0.3, -1.3])
        F = -stiffness * point - damping * (y[:2] + y[2] * np.array([-arm[1], arm[0]]))
        return np.append(F, arm[0] * F[1] - arm[1] * F[0]), arm

    def residual(y: np.ndarray) -> np.ndarray:
        return mass * (y - start) - STEP * forces(y)[0]

    counts = []
    for wrong in (True, False):
        y, count = start.copy(), 0
        while np.abs(residual(y)).max() > 1e-10:
            jacobian = np.stack([forces(y + 1e-30j * e)[0].imag * 1e30 for e in np.eye(3)], axis=1)
            if wrong:
                jacobian += slip(*forces(y), jacobian)
            y -= np.linalg.solve(np.diag(mass) - STEP * jacobian, residual(y))
            count += 1
        counts.append(count)
    return tuple(counts)


def damper_iterations() -> Numbers:
    def slip(f: np.ndarray, arm: np.ndarray, _: np.ndarray) -> np.ndarray:
        force = np.array([f[1], -f[0]])  # f x delta, a rate of rotation instead of a small rotation
        column = np.append(force, arm[0] * force[1] - arm[1] * force[0])
        return (1 - STEP) * np.outer(column, [0, 0, 1])

    return 1.0, 100.0, 1000 * STEP, *newton_iterations(0.0, 100.0, slip)


def spring_iterations() -> Numbers:
    def slip(_: np.ndarray, arm: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
        return -np.outer([0, 0, 1], arm[0] * jacobian[1] - arm[1] * jacobian[0])  # p x delta f is missing

    return 1.0, 1000.0, 1000 * STEP, *newton_iterations(1000.0, 0.0, slip)


def damped_spring_amplitudes() -> Numbers:
    law, amplitudes = LinearSpring(stiffness=100.0, damping=2.0, rest_length=1.0), []
    for sign in (-1, 1):

        def force(state: State, sign: int = sign) -> Forces:
            ends, rates = (np.vstack([np.zeros(3), one]) for one in (state.x, sign * state.v))
            return Forces(path_force(law, ends, rates).f[1], ZERO, ZERO)

        path = integrate(symplectic_euler, unit_mass(force), State(x=[[1.1, 0, 0]]), 0.005, 400)
        amplitudes.append(100 * float(np.abs(path.x[-130:, 0, 0] - 1).max()))
    return 10.0, *amplitudes


def damper_velocity_ratio() -> Numbers:
    d = 15.0

    def force(state: State) -> Forces:
        return Forces(-d * state.v[0], ZERO, d * np.eye(3))  # + where - belongs

    start = State(x=[[0.0, 0, 0]], v=[[1.0, 0, 0]])
    path = integrate(implicit_euler, unit_mass(force), start, 0.05, 4)
    ratios = path.v[1:, 0, 0] / path.v[:-1, 0, 0]
    np.testing.assert_allclose(ratios, ratios[0])
    return d, 50.0, -float(ratios[0])


def cable_accelerations() -> Numbers:
    points = np.array([[0.0, 0, 0], [0.6, 0.5, 0.1], [1.3, 0.4, -0.2], [2.0, 1.0, 0.3]])
    law = LinearSpring(stiffness=1.0, damping=2.0, rest_length=2.5)
    accelerations = []
    for printed in (True, False):

        def forces(state: State, printed: bool = printed) -> Forces:
            f, K, D = path_force(law, state.x, state.v)
            a = length_gradient(state.x).reshape(4, 3)
            if printed:
                D = np.block([[-2.0 * np.outer(a[i], a[i]) for _ in range(4)] for i in range(4)])
            return Forces(f.ravel(), K, D)

        system = Model(particles=[0.25] * 4, gravity=[0, -G, 0], forces=forces)
        end = integrate(implicit_euler, system, State(x=points), 0.02, 50)[-1]
        accelerations.append(-float(end.v.mean(axis=0)[1] / end.t))
    return tuple(accelerations)


def damped_velocities() -> Numbers:
    d, ends = 1.0, []
    for total in (True, False):
        v = 1.0
        for _ in range(100):
            f = -d * v if total else 0.0  # the sum of all forces contains the damper
            v = (v + STEP * f) / (1 + STEP * d)
        ends.append(v)
    return d, 1.0, *ends


def constrained_fall() -> Numbers:
    multiplier = G  # of the constraint that holds the weight
    right, printed = (advance(lambda x, v, s=sign: -G + s * multiplier, 0, 0)[0] for sign in (1, -1))
    assert right == 0
    return (-printed,)


def velocity_in_the_air() -> Numbers:
    mu, m, v = 0.5, 1.0, 3.0
    friction = -mu * m * G  # of the last step on the ground
    for _ in range(100):
        f_alpha, f_alpha_before = 0.0, 0.0  # in the air
        if f_alpha != f_alpha_before:  # the check precedes the friction program
            friction = 0.0
        v += STEP * friction / m
    return 3.0, mu, -v


def velocity_of_resting_block() -> Numbers:
    mu, m, v = 0.3, 1.0, 0.0
    limit, w = mu * m * G * STEP, 1 / m
    impulse = -limit if v >= w * limit else limit  # "otherwise" is never reached
    return mu, v + w * impulse, 1000 * STEP


def friction_bounds_of_box() -> Numbers:
    mu, m, v = 0.3, 2.0, 3.0
    limit = mu * m * G * STEP
    impulse = -m * v  # of sigma = v + phi / m = 0, the only value that is both >= 0 and <= 0
    assert abs(impulse) > limit
    problem = StepProblem(m * np.eye(3), [m * v, 0, -m * G * STEP], contacts=Contacts(FLOOR, mu))
    right = box_friction(problem, normal_estimate=[m * G * STEP]).velocity[0]
    assert right == pytest.approx(v - limit / m)
    return m, v, mu, -impulse, 1000 * STEP, limit


def friction_bounds_of_joint() -> Numbers:
    mu, alpha = 0.3, -G  # the load of the other side of the rail
    with pytest.raises(ValueError, match="bound"):
        lsq_linear(np.eye(1), [1.0], (mu * -alpha, mu * alpha))
    assert lsq_linear(np.eye(1), [-100.0], (-mu * abs(alpha), mu * abs(alpha))).x == pytest.approx(-mu * G)
    return 1.0, mu, -mu * alpha, mu * abs(alpha)


def pin_loads() -> Numbers:
    def rate(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -G * np.sin(y[0])]

    lowest = partial(lambda _, y: y[0])
    end = solve_ivp(rate, (0, 2), [np.pi / 2, 0], events=lowest, rtol=1e-9, atol=1e-9).y_events[0][0]
    J, J_rate_v = np.array([np.cos(end[0]), np.sin(end[0])]), end[1] ** 2 * np.array([-np.sin(end[0]), 1.0])
    printed = J * rate(0, end)[1] + [0, G]
    right = printed + J_rate_v
    assert np.linalg.norm(right) == pytest.approx(3 * G)  # by conservation of energy
    return 1.0, np.linalg.norm(printed), np.linalg.norm(right)


def muscle_lengths() -> Numbers:
    record, load, lengths = ledger.find("sueda/s1.9.4/e1.41"), 0.5, []
    for form in (record.printed, record.library):
        low, high = np.asarray(form())

        def force(x: float, low: np.ndarray = low, high: np.ndarray = high) -> float:
            return float(np.polyval(low if x < 1.3 else high, x))

        x, _ = advance(lambda x, v, f=force: 100 * (load - f(x)) - 20 * v, 1.0, 0.0, 1000)
        assert force(x) == pytest.approx(load)
        lengths.append(x)
    return tuple(lengths)


def energy_on_spline() -> Numbers:
    record, subspace = (ledger.find(f"sueda/s2.4.12/alg3#{part}") for part in "cb")
    frames = np.tile(np.eye(4), (4, 1, 1))
    frames[:, :3, :3] = Rotation.from_rotvec([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]]).as_matrix()
    frames[:, :3, 3] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]

    def energy(y: np.ndarray) -> float:
        S = subspace.library(frames, y[0])
        return float(S @ S * y[1] ** 2 / 2)

    energies, start = [], np.array([0.0, energy(np.array([0.0, 1.0])) ** -0.5])
    for form in (record.printed, record.library):

        def rate(_: float, y: np.ndarray, form: Callable[..., np.ndarray] = form) -> list[float]:
            S = subspace.library(frames, y[0])
            return [y[1], -S @ form(frames, y[0]) * y[1] ** 2 / (S @ S)]

        end = solve_ivp(rate, (0, 0.6), start, rtol=1e-6, atol=1e-6).y[:, -1]
        energies.append(energy(end))
    assert energies[1] == pytest.approx(1, rel=1e-4)
    return 1.0, energies[0], 0.6


def fall_of_arm() -> Numbers:
    record, frames = ledger.find("sueda/s2.10/e2.111#b"), np.tile(np.eye(4), (4, 1, 1))
    frames[:, 0, 3] = np.arange(4)  # hinges about z at the start of each rod, weights at its end
    weights = np.tile([0, 0, -G, 0, -G, 0], (4, 1))
    printed, right = (-form(frames, frames, weights) for form in (record.printed, record.library))
    np.testing.assert_allclose(right, [10 * G, 6 * G, 3 * G, G])

    def fall(torque: np.ndarray) -> float:
        q, w = np.zeros(4), np.zeros(4)
        for _ in range(20):
            a, u = np.cumsum(q), np.cumsum(w)
            sums = np.tril(np.ones((4, 4)))
            J = np.vstack([sums @ (f[:, None] * sums) for f in (-np.sin(a), np.cos(a))])
            J_rate_w = np.concatenate([sums @ (f * u**2) for f in (-np.cos(a), -np.sin(a))])
            force = np.repeat([0, -G], 4) - J_rate_w
            w = w + STEP * np.linalg.solve(J.T @ J, J.T @ force + torque)
            q = q + STEP * w
        return -float(np.sin(np.cumsum(q))[:2].sum())

    assert fall(right) == pytest.approx(0, abs=1e-9)
    return 1.0, 1.0, 20 * STEP, 100 * fall(printed)


def wagon_velocity() -> Numbers:
    record, M, v = ledger.find("lloyd/s0.15/d2#b"), np.eye(5), np.array([1.0, 1, 1, 0, 0])
    rows = np.array([[1.0, 0, 0, 0, 0], [-1, 1, 0, 0, 0], [0, -1, 1, 0, 0]])  # stop, two couplings
    after = []
    for form in (record.printed, record.library):
        impulses = np.zeros(3)
        for _ in range(100):
            impulses = form(M, rows, v, np.zeros(3), impulses)
        after.append(v + rows.T @ impulses)
    np.testing.assert_allclose(after[1], 0, atol=1e-9)
    return 1.0, -after[0][0]


def velocity_of_joined_bodies() -> Numbers:
    record, force = ledger.find("lloyd/s0.18/t849"), 12.0
    masses = [float(form(1, 1, 1, 1)) for form in (record.printed, record.library)]
    printed, right = (advance(lambda x, v, m=mass: force / m, 0, 0)[1] for mass in masses)
    assert right == pytest.approx(force / 4)
    return force, 1.0, printed, right


def rotation_error() -> Numbers:
    record, omega, ends = ledger.find("lloyd/s0.22.1/d13#a"), np.array([0, 0, 1.0]), []
    for form in (record.printed, record.library):

        def rate(_: float, y: np.ndarray, form: Callable[..., np.ndarray] = form) -> np.ndarray:
            w = Rotation.from_matrix(y.reshape(3, 3).T).as_rotvec()
            return np.asarray(form(np.eye(3), w, omega)).ravel()

        end = solve_ivp(rate, (0, 1), np.eye(3).ravel(), rtol=1e-6, atol=1e-6).y[:, -1]
        ends.append(Rotation.from_matrix(end.reshape(3, 3)))
    np.testing.assert_allclose(ends[1].as_rotvec(), -omega, atol=1e-5)
    return 1.0, (ends[0] * ends[1].inv()).magnitude()


def energy_of_double_pendulum(factor: float) -> float:
    """Return the energy that a double pendulum gains with a multiple of its bias forces."""

    def jacobians(q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b, u, v = q[0], q[0] + q[1], w[0], w[0] + w[1]
        sin, cos = np.sin, np.cos
        J = np.array([[cos(a), 0], [sin(a), 0], [cos(a) + cos(b), cos(b)], [sin(a) + sin(b), sin(b)]])
        rows = [[-sin(a) * u, 0], [cos(a) * u, 0]]
        rows += [[-sin(a) * u - sin(b) * v, -sin(b) * v], [cos(a) * u + cos(b) * v, cos(b) * v]]
        return J, np.array(rows)

    def energy(y: np.ndarray) -> float:
        velocities = jacobians(y[:2], y[2:])[0] @ y[2:]
        return float(velocities @ velocities / 2 - G * (2 * np.cos(y[0]) + np.cos(y[0] + y[1])))

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        J, J_rate = jacobians(y[:2], y[2:])
        f = J.T @ (np.array([0, -G, 0, -G]) - factor * J_rate @ y[2:])
        return np.append(y[2:], np.linalg.solve(J.T @ J, f))

    y = np.array([1.5, 0, 0, 0])
    end = solve_ivp(rate, (0, 2), y, rtol=1e-9, atol=1e-9).y[:, -1]
    return energy(end) - energy(y)


def energy_change(factor: float) -> Numbers:
    assert abs(energy_of_double_pendulum(1)) < 1e-6
    return 1.0, 1.0, 1.5, abs(energy_of_double_pendulum(factor))


RUNS: dict[str, Callable[[], Numbers]] = {
    "lloyd/s0.10/d1#a": contact_impulse,
    "lloyd/s0.10/e0.5": sliding_velocities,
    "lloyd/s0.10/e0.6": friction_bounds_of_box,
    "lloyd/s0.5/t126": velocity_after_constraint_impulse,
    "lloyd/s0.5/d1": pendulum_lengths,
    "lloyd/s0.8/d1#b": height_above_floor,
    "lloyd/s0.9.3/d4": error_ratios,
    "lloyd/s0.11/e0.8": soft_constraint_amplitudes,
    "lloyd/s0.11/t446": constraint_force,
    "lloyd/s0.14/d11": cable_accelerations,
    "lloyd/s0.15/d2#b": wagon_velocity,
    "lloyd/s0.16/d3": velocity_of_resting_block,
    "lloyd/s0.17/t774#b": partial(energy_change, -1),
    "lloyd/s0.18/t849": velocity_of_joined_bodies,
    "lloyd/s0.21/d3#g": partial(energy_change, -1),
    "lloyd/s0.22.1/d13#a": rotation_error,
    "lloyd/s0.22.1/d15": frame_spring_amplitude,
    "lloyd/s0.22.1/e0.44#a": damper_iterations,
    "lloyd/s0.22.3/d5#a": spring_iterations,
    "sueda/s1.9/t375": damped_velocities,
    "sueda/s1.9.3/e1.37#a": spring_amplitude,
    "sueda/s1.9.4/e1.41": muscle_lengths,
    "sueda/s1.9.4/e1.54": damper_velocity_ratio,
    "sueda/s1.9.6/e1.65": damped_spring_amplitudes,
    "sueda/s1.13/e1.84": velocity_after_impact,
    "sueda/s2.4.12/alg3#c": energy_on_spline,
    "sueda/s2.5/e2.79#a": spring_amplitude,
    "sueda/s2.10/e2.111#b": fall_of_arm,
    "sueda/s2.11/alg7": velocity_in_the_air,
    "sueda/s2.11/alg8": partial(energy_change, 2),
    "sueda/s2.11/e2.117#b": pin_loads,
    "sueda/s2.11/t1491#c": friction_bounds_of_joint,
    "sueda/s2.12/e2.122#b": constrained_fall,
}


def test_each_effect_has_a_run():
    assert {record.id for record in ledger.load() if record.effect} == set(RUNS)
    assert {ledger.find(id).verdict for id in RUNS} <= set(WRONG_AS_PRINTED)


def test_each_root_cause_has_a_simulation_or_the_reason_for_none():
    for source in active_ledger().sources:
        records = [r for r in errata.corrections(source.name) if errata.section_of_errata(r) == "Errors"]
        for cause in errata.root_causes(records):
            assert bool(cause.effect) != bool(cause.no_simulation), cause.title


@pytest.mark.parametrize("id", RUNS)
def test_each_effect_agrees_with_the_result_of_its_run(id):
    sentence = re.sub(r"[a-z]/s²|Algorithm \d", "", ledger.find(id).effect)
    stated = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", sentence)
    measured = RUNS[id]()
    assert len(stated) == len(measured)
    for text, number in zip(stated, measured, strict=True):
        digits = len(text.partition(".")[2])
        assert abs(float(text) - number) <= 0.5 * 10**-digits + 1e-9


def test_the_errata_contain_the_effects(capsys):
    assert main(["errata", "--source", "sueda", "--section", "1.13", "--format", "md"]) == 0
    assert "continues into it at 2 m/s." in capsys.readouterr().out
