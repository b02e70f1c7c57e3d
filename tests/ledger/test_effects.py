"""Effects of errata on simulations: the `effect` of each record against the run that it describes."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from rbnotes import ledger
from rbnotes.cli import main
from rbnotes.complementarity import LCP, NotSolved, solve
from rbnotes.constraints import constrained_force
from rbnotes.contact import Contacts
from rbnotes.dynamics import (
    Forces,
    FreeSystem,
    State,
    StepProblem,
    implicit_euler,
    integrate,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.forces import LinearSpring, length_gradient, path_force
from rbnotes.friction import box_friction
from rbnotes.ledger import errata
from rbnotes.ledger.record import WRONG_AS_PRINTED
from rbnotes.ledger.sources import active_ledger

FLOOR = [[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]]
G = 9.81

Numbers = tuple[float, ...]


def contact_that_pulls() -> Numbers:
    arriving, m = -1.0, 2.0
    assert solve(LCP([[1 / m]], [arriving])).z == pytest.approx(2.0)
    with pytest.raises(NotSolved):
        solve(LCP([[-1 / m]], [arriving]))
    return (-arriving,)


def friction_that_drives() -> Numbers:
    mu, h, m, ends = 0.3, 0.01, 2.0, []
    for sign in (-1, 1):
        v = 3.0
        for _ in range(100):
            problem = StepProblem(m * np.eye(3), [m * v, 0, -m * G * h], contacts=Contacts(FLOOR, mu))
            pushed = box_friction(problem, normal_estimate=[m * G * h]).velocity[0] - v
            v += -sign * pushed  # -D^T phi where D^T phi belongs
        ends.append(v)
    right, printed = ends
    return 3.0, mu, printed, right


def impulse_that_sinks() -> Numbers:
    m, falling, N = 2.0, np.array([-1.0]), np.eye(1)
    push = solve(LCP(N @ N.T / m, N @ falling)).z
    after = {sign: float((falling + sign * N.T @ push / m)[0]) for sign in (1, -1)}
    assert after[1] == pytest.approx(0)
    return -falling[0], -after[-1]


def rule_of_first_order() -> Numbers:
    def force(state: State) -> Forces:
        x, v = state.x[0], state.v[0]
        return Forces(-x - x**3 - 0.2 * v, np.diag(-1 - 3 * x**2), -0.2 * np.eye(3))

    system = FreeSystem(masses=[1.0], gravity=[0, 0, 0], applied_forces=force)
    start = State(x=[[0.8, 0.1, -0.3]], v=[[0.2, 0.5, 0.1]])

    def printed(system: FreeSystem, state: State, h: float) -> State:
        M, v = system.mass_matrix(state), state.velocity
        f, K, D = system.linearized_force(state)
        force = f - D @ v / 2 + h**2 / 4 * K @ v
        after = np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, M @ v + h * force)
        return State(x=state.x + h / 2 * (v + after), v=[after], t=state.t + h)

    exact = integrate(trapezoidal, system, start, 1 / 400, 400)[-1].x
    shrinks = []
    for rule in (printed, trapezoidal):
        errors = [np.linalg.norm(integrate(rule, system, start, 1 / n, n)[-1].x - exact) for n in (20, 40)]
        shrinks.append(errors[0] / errors[1])
    return tuple(shrinks)


def pendulum_that_grows() -> Numbers:
    lengths = []
    for turning in (False, True):
        x, v, h = np.array([1.0, 0.0]), np.zeros(2), 1e-3
        for _ in range(1000):
            wanted = [-v @ v] if turning else [0.0]
            force, _ = constrained_force(np.eye(2), x[None], np.array([0, -G]), wanted)
            v = v + h * force
            x = x + h * v
        lengths.append(float(np.linalg.norm(x)))
    return tuple(lengths)


def planks_in_the_air() -> Numbers:
    heights = []
    for target in (lambda gap, h: 0.0, lambda gap, h: -gap / h):
        x, v, h = 1.0, 0.0, 0.01
        for _ in range(100):
            contacts = Contacts(FLOOR, 0.0, normal_target=target(x, h))
            problem = StepProblem(np.eye(3), [0, 0, v - G * h], contacts=contacts)
            v = box_friction(problem).velocity[2]
            x += h * v
        heights.append(x)
    assert heights[1] == pytest.approx(0, abs=1e-9)
    return (heights[0],)


def soft_constraint_that_drives() -> Numbers:
    alpha, beta, h, m, swings = 0.01, 0.02, 0.01, 1.0, []
    for sign in (1, -1):
        x, v, path = 0.01, 0.0, []
        for _ in range(100):
            drag = sign * (h / 2 + beta) / alpha
            v = (v - h * x / (alpha * m)) / (1 - h * drag / m)
            x += h * v
            path.append(abs(x))
        swings.append(100 * max(path[-32:]))
    return tuple(swings)


def stiffness_of_the_wrong_sign() -> Numbers:
    k, ends = 100.0, []
    for sign in (-1, 1):

        def spring(state: State, sign: int = sign) -> Forces:
            return Forces(-k * state.x[0], -sign * k * np.eye(3), np.zeros((3, 3)))

        system = FreeSystem(masses=[1.0], gravity=[0, 0, 0], applied_forces=spring)
        path = integrate(implicit_euler, system, State(x=[[1.0, 0, 0]]), 0.05, 20)
        ends.append(float(np.abs(path.x[-12:, 0, 0]).max()))
    assert ends[1] < 1
    return 1.0, ends[0]


def damper_that_drives() -> Numbers:
    law, swings = LinearSpring(stiffness=100.0, damping=2.0, rest_length=1.0), []
    for sign in (-1, 1):

        def tied(state: State, sign: int = sign) -> Forces:
            ends, rates = (np.vstack([np.zeros(3), one]) for one in (state.x, sign * state.v))
            return Forces(path_force(law, ends, rates).f[1], np.zeros((3, 3)), np.zeros((3, 3)))

        system = FreeSystem(masses=[1.0], gravity=[0, 0, 0], applied_forces=tied)
        path = integrate(symplectic_euler, system, State(x=[[1.1, 0, 0]]), 0.005, 400)
        swings.append(100 * float(np.abs(path.x[-130:, 0, 0] - 1).max()))
    return 10.0, *swings


def damper_that_turns_round() -> Numbers:
    d = 15.0

    def drag(state: State) -> Forces:
        return Forces(-d * state.v[0], np.zeros((3, 3)), d * np.eye(3))  # + where - belongs

    system = FreeSystem(masses=[1.0], gravity=[0, 0, 0], applied_forces=drag)
    path = integrate(implicit_euler, system, State(x=[[0.0, 0, 0]], v=[[1.0, 0, 0]]), 0.05, 4)
    factors = path.v[1:, 0, 0] / path.v[:-1, 0, 0]
    np.testing.assert_allclose(factors, factors[0])
    return d, 50.0, -float(factors[0])


def cable_that_brakes_its_fall() -> Numbers:
    points = np.array([[0.0, 0, 0], [0.6, 0.5, 0.1], [1.3, 0.4, -0.2], [2.0, 1.0, 0.3]])
    law = LinearSpring(stiffness=1.0, damping=2.0, rest_length=2.5)
    falls = []
    for printed in (True, False):

        def forces(state: State, printed: bool = printed) -> Forces:
            f, K, D = path_force(law, state.x, state.v)
            a = length_gradient(state.x).reshape(4, 3)
            if printed:
                D = np.block([[-2.0 * np.outer(a[i], a[i]) for _ in range(4)] for i in range(4)])
            return Forces(f.ravel(), K, D)

        system = FreeSystem(masses=[0.25] * 4, gravity=[0, -G, 0], applied_forces=forces)
        end = integrate(implicit_euler, system, State(x=points), 0.02, 50)[-1]
        falls.append(-float(end.v.mean(axis=0)[1] / end.t))
    return tuple(falls)


def damping_that_counts_twice() -> Numbers:
    d, m, h, ends = 1.0, 1.0, 0.01, []
    for total in (True, False):
        v = 1.0
        for _ in range(100):
            f = -d * v if total else 0.0  # the sum of all forces contains the damper
            v = (m * v + h * f) / (m + h * d)
        ends.append(v)
    return d, 1.0, *ends


def constraint_that_pushes_down() -> Numbers:
    G_row, free, ends = np.eye(1), np.array([-G]), []
    multiplier = np.linalg.solve(G_row @ G_row.T, -G_row @ free)
    for sign in (-1, 1):
        x, v, h = 0.0, 0.0, 0.01
        for _ in range(100):
            v += h * (free + sign * G_row.T @ multiplier)[0]
            x += h * v
        ends.append(-x)
    assert ends[1] == 0
    return (ends[0],)


def friction_without_ground() -> Numbers:
    mu, m, h, v = 0.5, 1.0, 0.01, 3.0
    friction = -mu * m * G  # of the last step on the ground
    for _ in range(100):
        f_alpha, f_alpha_before = 0.0, 0.0  # in the air
        if f_alpha != f_alpha_before:  # the check precedes the friction program
            friction = 0.0
        v += h * friction / m
    return 3.0, mu, -v


def friction_that_starts_sliding() -> Numbers:
    mu, m, h, v = 0.3, 1.0, 0.01, 0.0
    limit, w = mu * m * G * h, 1 / m
    impulse = -limit if v >= w * limit else limit  # "otherwise" is never reached
    return mu, v + w * impulse, 1000 * h


def double_pendulum_that_brakes() -> Numbers:
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

    losses = []
    for times in (2, 1):

        def rate(_: float, y: np.ndarray, times: int = times) -> np.ndarray:
            J, J_rate = jacobians(y[:2], y[2:])
            f = J.T @ (np.array([0, -G, 0, -G]) - times * J_rate @ y[2:])
            return np.append(y[2:], np.linalg.solve(J.T @ J, f))

        y = np.array([1.5, 0, 0, 0])
        end = solve_ivp(rate, (0, 2), y, rtol=1e-9, atol=1e-9).y[:, -1]
        losses.append(energy(y) - energy(end))
    assert abs(losses[1]) < 1e-6
    return 1.0, 1.0, 1.5, losses[0]


RUNS: dict[str, Callable[[], Numbers]] = {
    "lloyd/s0.10/d1#a": contact_that_pulls,
    "lloyd/s0.10/e0.5": friction_that_drives,
    "sueda/s1.13/e1.84": impulse_that_sinks,
    "lloyd/s0.9.3/d4": rule_of_first_order,
    "lloyd/s0.5/d1": pendulum_that_grows,
    "lloyd/s0.8/d1#b": planks_in_the_air,
    "lloyd/s0.11/e0.8": soft_constraint_that_drives,
    "sueda/s1.9.3/e1.37#a": stiffness_of_the_wrong_sign,
    "sueda/s1.9.6/e1.65": damper_that_drives,
    "sueda/s1.9.4/e1.54": damper_that_turns_round,
    "lloyd/s0.14/d11": cable_that_brakes_its_fall,
    "lloyd/s0.16/d3": friction_that_starts_sliding,
    "sueda/s2.5/e2.79#a": stiffness_of_the_wrong_sign,
    "sueda/s1.9/t375": damping_that_counts_twice,
    "sueda/s2.12/e2.122#b": constraint_that_pushes_down,
    "sueda/s2.11/alg7": friction_without_ground,
    "sueda/s2.11/alg8": double_pendulum_that_brakes,
}


def test_each_sentence_has_a_run():
    assert {record.id for record in ledger.load() if record.effect} == set(RUNS)
    assert {ledger.find(id).verdict for id in RUNS} <= set(WRONG_AS_PRINTED)


def test_each_root_cause_has_a_simulation_or_the_reason_for_none():
    for source in active_ledger().sources:
        records = [r for r in errata.corrections(source.name) if errata.section_of_errata(r) == "Errors"]
        for cause in errata.root_causes(records):
            assert bool(cause.effect) != bool(cause.no_simulation), cause.title


@pytest.mark.parametrize("id", RUNS)
def test_a_sentence_agrees_with_the_result_of_its_run(id):
    sentence = re.sub(r"[a-z]/s²", "", ledger.find(id).effect)
    stated = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", sentence)
    measured = RUNS[id]()
    assert len(stated) == len(measured)
    for text, number in zip(stated, measured, strict=True):
        digits = len(text.partition(".")[2])
        assert abs(float(text) - number) <= 0.5 * 10**-digits + 1e-9


def test_the_lists_of_errata_have_the_sentences(capsys):
    assert main(["errata", "--source", "sueda", "--section", "1.13", "--format", "md"]) == 0
    assert "continues into it at 2 m/s." in capsys.readouterr().out
