"""Each model against its closed form, its own problem solved otherwise, and the others."""

from dataclasses import replace
from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from friction_scenes import GRAVITY, heap, particle, slope, stack
from scipy.optimize import brentq

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import Status, Unsolved
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.friction import (
    FrictionNotConverged,
    anitescu_stewart,
    box_friction,
    contact_space,
    coulomb,
    facet_directions,
    gauss_seidel_friction,
    measure_laws,
    single_qp,
)

AXES = [[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]

MODELS = {
    "box": box_friction,
    "box, updated": lambda problem: box_friction(problem, updates=200),
    "pyramid": anitescu_stewart,
    "pyramid of 12": lambda problem: anitescu_stewart(problem, 12),
    "single QP": single_qp,
    "single QP, dual": lambda problem: single_qp(problem, form="dual"),
    "Gauss-Seidel": gauss_seidel_friction,
    "Gauss-Seidel, box": lambda problem: gauss_seidel_friction(problem, cone="box"),
    "Coulomb": coulomb,
}
QP_MODELS = (MODELS["single QP"], MODELS["single QP, dual"])
every_model = pytest.mark.parametrize("solve", MODELS.values(), ids=MODELS)


# A particle that arrives with (p cos t, p sin t, -q) and slides on: mu q is the most that friction can take.
P, Q, MU, MASS = 5.0, 2.0, 0.5, 2.0


def expected_sliding(model, angle):
    """Velocity after the impulse, derived by hand for each model."""
    arrives, limit = P * np.array([np.cos(angle), np.sin(angle)]), MU * Q
    along = arrives / P
    if model in ("box", "box, updated", "Gauss-Seidel, box"):
        return np.array([*(arrives - np.clip(arrives, -limit, limit)), 0]) / MASS
    if model == "pyramid":  # the edge most against the motion takes all, if that does not reverse the order
        edge = np.argmax(np.abs(arrives))
        after = arrives.copy()
        after[edge] -= limit * np.sign(arrives[edge])
        return np.array([*after, 0]) / MASS
    if model == "Coulomb" or model == "Gauss-Seidel":
        return np.array([*(arrives - limit * along), 0]) / MASS
    raise AssertionError


@pytest.mark.parametrize("angle", [0.2, 1.0, -0.6, 2.5])
@pytest.mark.parametrize(
    "model", ["box", "box, updated", "Gauss-Seidel, box", "pyramid", "Gauss-Seidel", "Coulomb"]
)
def test_diagonal_push(model, angle):
    problem = particle([P * np.cos(angle), P * np.sin(angle), -Q], MASS, MU)
    solution = MODELS[model](problem)
    assert np.allclose(solution.velocity, expected_sliding(model, angle), atol=1e-5)
    assert np.allclose(solution.normal, Q, atol=1e-5)


def test_diagonal_push_of_the_pyramid_sticks_to_the_diagonal():
    """Where one edge alone would overshoot the diagonal, two edges share, and the motion is diagonal."""
    arrives = np.array([3.2, 3.0])
    solution = anitescu_stewart(particle([*arrives, -Q], 1.0, MU))
    # b1 + b2 = mu q and equal velocities after: b1 - b2 is the difference before.
    share = (MU * Q + (arrives[0] - arrives[1])) / 2
    assert np.allclose(-solution.tangential, [[share, MU * Q - share]])
    assert np.allclose(solution.velocity, [*(arrives - [share, MU * Q - share]), 0])


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_single_qp_lifts_what_slides(form):
    """Along a facet: v_n = mu v_t; the impulse (a, mu a) takes (1 + mu^2) a / m from u_n - mu u_t."""
    solution = single_qp(particle([P, 0.3, -Q], MASS, MU), form=form)
    a = (Q + MU * P) / (1 + MU**2)
    assert np.allclose(solution.normal, a, atol=1e-6)
    assert np.allclose(solution.tangential, [[-MU * a, 0]], atol=1e-6)
    assert np.allclose(MASS * solution.velocity, [P - MU * a, 0.3, a - Q], atol=1e-6)
    assert np.isclose(solution.velocity[2], MU * solution.velocity[0])


def test_the_lift_of_the_single_qp_stays_as_the_step_gets_smaller():
    """At 3 m/s and mu 0.5 a puck is thrown 73 mm high, ((mu v / (1 + mu^2))^2 / 2 g), at any step; and its
    speed falls to 1 / (1 + mu^2) of it at once. Only from rest the gap goes away with the step."""
    tops, speed, mu = {}, 3.0, 0.5
    for h in (8e-3, 4e-3):
        for first, pull in ((speed, 0.0), (0.0, 0.7 * GRAVITY)):
            x, v, tops[h, first] = np.zeros(3), np.array([first, 0, 0]), 0.0
            for step in range(round(0.16 / h)):
                contacts = Contacts([AXES], mu, normal_target=-x[2] / h)
                push = h * np.array([pull, 0, -GRAVITY])
                v = single_qp(StepProblem(np.eye(3), v + push, contacts=contacts)).velocity
                x = x + h * v
                tops[h, first] = max(tops[h, first], x[2])
                if first and step == 0:
                    assert v[0] == pytest.approx((speed - mu * GRAVITY * h) / (1 + mu**2), rel=1e-6)
        assert tops[h, speed] == pytest.approx((mu * speed / (1 + mu**2)) ** 2 / (2 * GRAVITY), rel=0.06)
    assert tops[4e-3, 0.0] < 0.6 * tops[8e-3, 0.0]


@every_model
def test_sticking_is_the_same_for_all(solve):
    solution = solve(particle([0.3, -0.4, -2.0], MASS, 0.6))
    assert np.allclose(solution.velocity, 0, atol=1e-6)
    assert np.allclose(solution.contact_impulses, [[2.0, -0.3, 0.4]], atol=1e-6)


@every_model
def test_a_separating_contact_gets_no_impulse(solve):
    solution = solve(particle([0.3, -0.4, 2.0], MASS, 0.6))
    assert np.allclose(solution.velocity, [0.15, -0.2, 1.0], atol=1e-6)
    assert np.allclose(solution.contact_impulses, 0, atol=1e-6)


@every_model
def test_restitution_enters_as_a_target(solve):
    contacts = Contacts([AXES], [0.6], normal_target=[0.5])
    solution = solve(StepProblem(MASS * np.eye(3), [0.3, -0.4, -2.0], contacts=contacts))
    assert np.allclose(solution.velocity, [0, 0, 0.5], atol=1e-6)
    assert np.allclose(solution.normal, 2.0 + 0.5 * MASS, atol=1e-6)


@every_model
@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_slope_holds_below_the_angle_of_friction(solve, heading):
    """Bracketed from below: up to the pyramid's smaller friction between edges, every model holds."""
    mu = 0.5
    for share in (0.5, 0.95 * np.cos(np.pi / 4), 0.0):
        problem, _ = slope(np.arctan(share * mu), mu, heading=heading)
        assert np.allclose(solve(problem).velocity, 0, atol=1e-5)


@every_model
@pytest.mark.parametrize("heading", [0.0, np.pi / 2])
def test_slope_gives_way_above_the_angle_of_friction(solve, heading):
    """Bracketed from both sides, tightly where the line of descent is a tangent."""
    mu = 0.5
    below, _ = slope(np.arctan(0.999 * mu), mu, heading=heading)
    assert np.allclose(solve(below).velocity, 0, atol=1e-5)
    angle = np.arctan(1.01 * mu)
    above, down = slope(angle, mu, heading=heading)
    acceleration = solve(above).velocity
    exact = GRAVITY * (np.sin(angle) - mu * np.cos(angle))
    assert acceleration @ down > 0.5 * exact
    if solve not in QP_MODELS:
        assert np.allclose(acceleration, exact * down, atol=1e-4)


def test_box_friction_is_too_strong_diagonally():
    """On a slope that descends between the tangents friction reaches mu sqrt(2)."""
    mu = 0.5
    for share, slides in ((1.4, False), (1.43, True)):
        problem, down = slope(np.arctan(share * mu), mu, heading=np.pi / 4)
        solution = box_friction(problem)
        assert (solution.velocity @ down > 1e-6) == slides


def test_pyramid_is_too_weak_between_its_edges():
    mu = 0.5
    for facets, factor in ((4, np.cos(np.pi / 4)), (8, np.cos(np.pi / 8))):
        for share, slides in ((0.99 * factor, False), (1.01 * factor, True)):
            problem, down = slope(np.arctan(share * mu), mu, heading=np.pi / facets)
            assert (anitescu_stewart(problem, facets).velocity @ down > 1e-6) == slides


@every_model
def test_stopping_distance(solve):
    """A block with speed v0 stops after v0^2 / (2 mu g), within the error of the step."""
    v0, mu, h = 2.0, 0.4, 0.01
    v, x = np.array([v0, 0.0, 0.0]), 0.0
    while v[0] > 1e-9:
        v = solve(particle(v + h * np.array([0, 0, -GRAVITY]), 1.0, mu)).velocity
        v = np.where(np.abs(v) < 1e-6, 0.0, v) * [1, 1, 0]  # the ground is followed: no lift is kept
        x += h * v[0]
    exact = v0**2 / (2 * mu * GRAVITY)
    # The single QP slows down by mu / (1 + mu^2) (g h + mu v), and only then follows the ground again.
    assert x < exact
    assert abs(x - exact) < v0 * h + (0.9 * exact if solve in QP_MODELS else 0)


@pytest.mark.parametrize("solve", [box_friction, anitescu_stewart, single_qp, gauss_seidel_friction])
def test_sticking_does_not_creep(solve):
    """Thousands of steps on a slope: the velocity stays at rounding, so the position does."""
    problem, _ = slope(0.3, 0.5, heading=0.4)
    h = 0.001
    v, x = np.zeros(3), np.zeros(3)
    for _ in range(2_000 if solve is gauss_seidel_friction else 500):
        moving = replace(problem, momentum=problem.mass @ v + h * problem.momentum)
        v = solve(moving).velocity
        x += h * v
    assert np.abs(x).max() < 1e-12


def by_trying_all_states(problem, names):
    """Planar Coulomb friction by trying stick, slide left, slide right and separation at every contact."""
    space = contact_space(problem)
    W, u, mu, count = space.delassus, space.free.ravel(), space.mu, space.count
    for states in product(names, repeat=count):
        A, b = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
        for i, state in enumerate(states):
            n, t, s = 3 * i, 3 * i + 1, 3 * i + 2
            A[s, s] = 1.0  # nothing acts sideways
            if state == "off":
                A[n, n] = A[t, t] = 1.0
                continue
            A[n], b[n] = W[n], -u[n]
            if state == "stick":
                A[t], b[t] = W[t], -u[t]
            else:
                A[t, t], A[t, n] = 1.0, mu[i] if state == "right" else -mu[i]
        try:
            r = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            continue
        v = W @ r + u
        good = True
        for i, state in enumerate(states):
            a, f, un, ut = r[3 * i], r[3 * i + 1], v[3 * i], v[3 * i + 1]
            good &= a >= -1e-9 and un >= -1e-9 and abs(f) <= mu[i] * a + 1e-9
            good &= {"right": ut >= -1e-9, "left": ut <= 1e-9}.get(state, True)
        if good:
            yield r.reshape(-1, 3)


@pytest.mark.parametrize("seed", range(6))
def test_planar_contacts_against_all_states(seed):
    """In a plane all cones agree with Coulomb's; the solution is found by trying every state."""
    rng = np.random.default_rng(seed)
    inertia = np.diag(rng.uniform(0.5, 3.0, 6))
    rows = np.zeros((3, 3, 6))
    for i in range(3):
        angle, arm = rng.uniform(0, 2 * np.pi), rng.normal(size=2)
        n = np.array([np.cos(angle), np.sin(angle)])
        t = np.array([-n[1], n[0]])
        for body, sign in ((0, 1.0), (1, -1.0)) if i else ((0, 1.0),):
            for row, d in ((rows[i, 0], n), (rows[i, 1], t)):
                row[3 * body : 3 * body + 3] = sign * np.array([arm[0] * d[1] - arm[1] * d[0], *d])
    momentum = inertia @ rng.normal(size=6)
    problem = StepProblem(inertia, momentum, contacts=Contacts(rows, rng.uniform(0.1, 0.6, 3)))
    candidates = list(by_trying_all_states(problem, ("off", "stick", "right", "left")))
    assert candidates
    for solve in (anitescu_stewart, gauss_seidel_friction, coulomb, MODELS["Gauss-Seidel, box"]):
        found = solve(problem).velocity  # impulses of contacts that stick together need not be unique
        assert min(np.abs(found - contact_space(problem).move(one)[0]).max() for one in candidates) < 1e-5


@pytest.mark.parametrize("equations", [0, 3])
def test_coulomb_laws_hold_in_a_heap(rng, equations):
    for _ in range(3):
        problem = heap(rng, equations=equations, mu=(0.1, 0.5))
        for solution in (coulomb(problem), gauss_seidel_friction(problem)):
            laws = measure_laws(problem, solution)
            assert laws.natural <= 1e-6
            assert max(abs(law) for law in laws) < 2e-4
            balance = problem.mass @ solution.velocity - problem.momentum
            balance -= problem.contacts.rows.T @ solution.contact_impulses.ravel()
            balance -= problem.bilateral.rows.T @ solution.bilateral
            assert np.abs(balance).max() < 1e-9
            if equations:
                assert np.abs(problem.bilateral.rows @ solution.velocity).max() < 1e-9


OWN_CONE = {
    "pyramid": (anitescu_stewart, {"cone": "pyramid"}),
    "pyramid of 12": (MODELS["pyramid of 12"], {"cone": "pyramid", "facets": 12}),
    "box, updated": (MODELS["box, updated"], {"cone": "box"}),
    "Gauss-Seidel, box": (MODELS["Gauss-Seidel, box"], {"cone": "box"}),
    "Gauss-Seidel": (gauss_seidel_friction, {}),
    "Coulomb": (coulomb, {}),
}


@pytest.mark.parametrize("ratio", [1.0, 10.0])
@pytest.mark.parametrize("name", OWN_CONE)
def test_each_model_keeps_to_the_laws_of_its_own_cone(rng, name, ratio):
    """Complementarity, the cone, maximal dissipation; bodies up to a thousand times as heavy as others."""
    solve, cone = OWN_CONE[name]
    for _ in range(3):
        problem = heap(rng, mu=(0.05, 0.3), ratio=ratio)
        solution = solve(problem)
        scale = max(np.abs(solution.contact_impulses).max(), 1.0)
        laws = measure_laws(problem, solution, **cone)
        assert max(abs(law) for law in laws[:-1]) < (2e-4 if solve is coulomb else 2e-5) * scale
        if name.startswith("pyramid"):  # inside the round cone, and less than all it could dissipate
            round_laws = measure_laws(problem, solution)
            assert round_laws.cone < 1e-9 * scale
            assert round_laws.dissipation > -1e-9 * scale


@pytest.mark.parametrize("ratio", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("facets", [4, 8])
def test_stacks_with_light_and_heavy_tops(facets, ratio):
    """Four contacts where three would do, between bodies of which one is a thousand times as heavy."""
    problem = stack(4, ratio)
    solution = anitescu_stewart(problem, facets)
    laws = measure_laws(problem, solution, cone="pyramid", facets=facets)
    assert max(abs(law) for law in laws[:-1]) < 1e-9 * np.abs(solution.contact_impulses).max()
    assert solution.residual < 1e-10
    round_one = coulomb(problem)
    assert measure_laws(problem, round_one).natural < 5e-6
    error = np.abs(solution.velocity - round_one.velocity).max()
    assert error < 0.1  # a pyramid's friction is up to 29% or 8% too small


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_single_qp_keeps_impulse_and_velocity_in_dual_cones(rng, form):
    for facets in (4, 10):
        problem = heap(rng, ratio=3.0)
        solution = single_qp(problem, facets, form=form)
        laws = measure_laws(problem, solution, cone="pyramid", facets=facets)
        u = contact_space(problem).velocities_of(solution)
        speed = (u[:, 1:] @ facet_directions(facets).T).max(axis=1)
        scale = np.abs(solution.contact_impulses).max()
        assert laws.cone < 1e-7 * scale
        assert np.min(u[:, 0] - problem.contacts.mu * speed) > -1e-7
        assert np.abs(np.sum(solution.contact_impulses * u)) < 1e-6 * scale


def test_round_cone_is_the_limit_of_pyramids(rng):
    problem = heap(rng, 3, 4, mu=(0.1, 0.4))
    exact = coulomb(problem).velocity
    errors = [np.abs(anitescu_stewart(problem, facets).velocity - exact).max() for facets in (4, 16, 64)]
    assert errors[0] > 10 * errors[2]
    assert errors[1] > 2 * errors[2]


@pytest.mark.parametrize("facets", [4, 10])
def test_single_qp_by_cvxpy_in_velocities(rng, facets):
    problem = heap(rng, equations=2)
    contacts, v = problem.contacts, cp.Variable(len(problem.momentum))
    constraints = [problem.bilateral.rows @ v == 0]
    for k in range(facets):
        angle = 2 * np.pi * k / facets
        sliding = np.cos(angle) * contacts.rows[1::3] + np.sin(angle) * contacts.rows[2::3]
        constraints.append(contacts.normals @ v + cp.multiply(contacts.mu, sliding @ v) >= 0)
    energy = cp.quad_form(v, cp.psd_wrap(problem.mass)) / 2 - problem.momentum @ v
    cp.Problem(cp.Minimize(energy), constraints).solve(solver="CLARABEL")
    for form in ("primal", "dual"):
        solution = single_qp(problem, facets, form=form)
        assert np.allclose(solution.velocity, v.value, atol=1e-5)
        assert np.all(solution.normal >= -1e-9)


def test_single_qp_never_gains_energy(rng):
    for _ in range(5):
        problem = heap(rng)
        before = problem.momentum @ np.linalg.solve(problem.mass, problem.momentum)
        v = single_qp(problem).velocity
        assert v @ problem.mass @ v <= before * (1 + 1e-9)


@every_model
def test_without_friction_all_are_the_same(rng, solve):
    problem = heap(rng, mu=(0.0, 0.0))
    solution = solve(problem)
    assert np.allclose(solution.velocity, anitescu_stewart(problem).velocity, atol=1e-5)
    assert np.allclose(solution.tangential, 0, atol=1e-9)


@every_model
def test_no_contacts(solve, rng):
    problem = heap(rng, 2, 0, equations=1)
    assert np.allclose(solve(problem).velocity, contact_space(problem).free_velocity)


def test_estimate_of_box_friction_bounds_it():
    problem = particle([3.0, 0.1, -2.0], 1.0, 0.5)
    solution = box_friction(problem, normal_estimate=[0.5])
    assert np.allclose(solution.tangential, [[-0.25, -0.1]])
    assert solution.iterations == 1
    for bad in ([-1.0], [1.0, 2.0]):
        with pytest.raises(InvalidArgument, match="normal_estimate"):
            box_friction(problem, normal_estimate=bad)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "Gauss-Seidel, box"])
def test_contradictions_are_named(name):
    """A body held by an equation is asked to separate."""
    solve = MODELS[name]
    contacts = Contacts([AXES], [0.6], normal_target=[0.5])
    problem = StepProblem(np.eye(3), [0, 0, -1.0], BilateralRows([[0, 0, 1.0]]), contacts=contacts)
    few_sweeps = {"max_sweeps": 50} if solve is gauss_seidel_friction else {}
    with pytest.raises(Unsolved) as raised:
        solve(problem, **few_sweeps)
    assert raised.value.status is not Status.SOLVED


@pytest.mark.parametrize(
    ("solve", "limit"), [(gauss_seidel_friction, "max_sweeps"), (coulomb, "max_programs")]
)
def test_contradictions_can_be_looked_at(solve, limit):
    contacts = Contacts([AXES], [0.6], normal_target=[0.5])
    problem = StepProblem(np.eye(3), [0, 0, -1.0], BilateralRows([[0, 0, 1.0]]), contacts=contacts)
    assert solve(problem, check=False, **{limit: 20}).residual > 1e-3


def test_too_few_sweeps_are_named_or_reported(rng):
    problem = heap(rng)
    with pytest.raises(FrictionNotConverged) as raised:
        gauss_seidel_friction(problem, max_sweeps=2)
    assert isinstance(raised.value, NotConverged)
    assert raised.value.solution.iterations == 2
    assert raised.value.residual == raised.value.solution.residual > 1e-8
    assert gauss_seidel_friction(problem, max_sweeps=2, check=False).residual > 1e-8
    with pytest.raises(FrictionNotConverged):
        coulomb(problem, max_programs=1, tolerance=1e-12)


def test_warm_start_saves_sweeps(rng):
    problem = heap(rng)
    cold = gauss_seidel_friction(problem)
    warm = gauss_seidel_friction(problem, start=cold.contact_impulses)
    assert warm.iterations < cold.iterations / 2


def test_wrong_choices_are_named():
    problem = particle([1.0, 0, -1.0])
    for call in (
        lambda: gauss_seidel_friction(problem, cone="square"),
        lambda: single_qp(problem, form="both"),
        lambda: box_friction(problem, updates=-1),
        lambda: anitescu_stewart(problem, 5),
        lambda: gauss_seidel_friction(problem, max_sweeps=0),
    ):
        with pytest.raises(InvalidArgument):
            call()


def test_wedge_against_a_root_of_its_force_balance():
    """A bar that leans between a rough floor and a wall with friction: the angle at which it slips."""
    floor, wall, length = 0.4, 0.25, 1.0

    def slips(angle):  # statics of a uniform bar at the point of slipping at both ends
        N = 1 / (1 + floor * wall)  # floor; the wall carries floor * N and lifts with wall * floor * N
        return np.sin(angle) * (wall * floor * N - 0.5) + np.cos(angle) * floor * N

    limit = brentq(slips, 0.1, 1.5)  # between bar and floor it is pi/2 - limit
    for angle, holds in ((limit - 0.02, True), (limit + 0.02, False)):
        bottom = length / 2 * np.array([np.sin(angle), 0, -np.cos(angle)])
        rows = []
        for end, frame in (
            (bottom, ([0, 0, 1], [1, 0, 0], [0, 1, 0])),
            (-bottom, ([1, 0, 0], [0, 0, 1], [0, 1, 0])),
        ):
            rows.append([np.hstack([np.cross(end, d), d]) for d in np.array(frame, dtype=float)])
        inertia = np.diag([length**2 / 12] * 3 + [1.0] * 3)
        weight = np.array([0, 0, 0, 0, 0, -GRAVITY])
        problem = StepProblem(inertia, weight, contacts=Contacts(rows, [floor, wall]))
        for solve in (anitescu_stewart, gauss_seidel_friction, MODELS["box, updated"]):
            assert (np.abs(solve(problem).velocity).max() < 1e-6) == holds
