"""Each model against its closed form: particles, slopes, a bar between floor and wall."""

from dataclasses import replace

import numpy as np
import pytest
from friction_models import AXES, MODELS, QP_MODELS, every_model
from friction_scenes import GRAVITY, incline, particle
from scipy.optimize import brentq

from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import (
    anitescu_stewart,
    box_friction,
    gauss_seidel_friction,
    single_qp,
)

# A particle that arrives with (p cos t, p sin t, -q) and slides on: mu q is the most that friction can take.
P, Q, MU, MASS = 5.0, 2.0, 0.5, 2.0


def expected_sliding(model, angle):
    """Return the velocity after the impulse, derived in closed form for each model."""
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


def test_pyramid_friction_on_the_diagonal_stays_diagonal():
    """Two edges share the impulse if one alone would overshoot the diagonal: the motion is diagonal."""
    arrives = np.array([3.2, 3.0])
    solution = anitescu_stewart(particle([*arrives, -Q], 1.0, MU))
    # b1 + b2 = mu q and equal velocities after: b1 - b2 is the difference before.
    impulse = (MU * Q + (arrives[0] - arrives[1])) / 2
    assert np.allclose(-solution.tangential, [[impulse, MU * Q - impulse]])
    assert np.allclose(solution.velocity, [*(arrives - [impulse, MU * Q - impulse]), 0])


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_single_qp_lifts_sliding_bodies(form):
    """Along a facet v_n = mu v_t: the impulse (a, mu a) reduces u_n - mu u_t by (1 + mu^2) a / m."""
    solution = single_qp(particle([P, 0.3, -Q], MASS, MU), form=form)
    a = (Q + MU * P) / (1 + MU**2)
    assert np.allclose(solution.normal, a, atol=1e-6)
    assert np.allclose(solution.tangential, [[-MU * a, 0]], atol=1e-6)
    assert np.allclose(MASS * solution.velocity, [P - MU * a, 0.3, a - Q], atol=1e-6)
    assert np.isclose(solution.velocity[2], MU * solution.velocity[0])


def test_single_qp_lift_does_not_vanish_with_the_step():
    """At 3 m/s and mu 0.5 a puck is thrown 73 mm high, ((mu v / (1 + mu^2))^2 / 2 g), at any step; and its
    speed falls to 1 / (1 + mu^2) of it at once. Only from rest the gap goes away with the step."""
    tops, speed, mu = {}, 3.0, 0.5
    for h in (8e-3, 4e-3):
        for first, acceleration in ((speed, 0.0), (0.0, 0.7 * GRAVITY)):
            x, v, tops[h, first] = np.zeros(3), np.array([first, 0, 0]), 0.0
            for step in range(round(0.16 / h)):
                contacts = Contacts([AXES], mu, normal_target=-x[2] / h)
                impulse = h * np.array([acceleration, 0, -GRAVITY])
                v = single_qp(StepProblem(np.eye(3), v + impulse, contacts=contacts)).velocity
                x = x + h * v
                tops[h, first] = max(tops[h, first], x[2])
                if first and step == 0:
                    assert v[0] == pytest.approx((speed - mu * GRAVITY * h) / (1 + mu**2), rel=1e-6)
        assert tops[h, speed] == pytest.approx((mu * speed / (1 + mu**2)) ** 2 / (2 * GRAVITY), rel=0.06)
    assert tops[4e-3, 0.0] < 0.6 * tops[8e-3, 0.0]


@every_model
def test_all_models_agree_on_sticking(solve):
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
def test_block_sticks_below_the_friction_angle(solve, heading):
    """Bracketed from below: up to the pyramid's smaller friction between edges, every model holds."""
    mu = 0.5
    for fraction in (0.5, 0.95 * np.cos(np.pi / 4), 0.0):
        problem, _ = incline(np.arctan(fraction * mu), mu, heading=heading)
        assert np.allclose(solve(problem).velocity, 0, atol=1e-5)


@every_model
@pytest.mark.parametrize("heading", [0.0, np.pi / 2])
def test_block_slides_above_the_friction_angle(solve, heading):
    """Bracketed from both sides, tightly where the line of descent is a tangent."""
    mu = 0.5
    below, _ = incline(np.arctan(0.999 * mu), mu, heading=heading)
    assert np.allclose(solve(below).velocity, 0, atol=1e-5)
    angle = np.arctan(1.01 * mu)
    above, down = incline(angle, mu, heading=heading)
    acceleration = solve(above).velocity
    exact = GRAVITY * (np.sin(angle) - mu * np.cos(angle))
    assert acceleration @ down > 0.5 * exact
    if solve not in QP_MODELS:
        assert np.allclose(acceleration, exact * down, atol=1e-4)


def test_box_friction_is_too_strong_diagonally():
    """On a slope that descends between the tangents friction reaches mu sqrt(2)."""
    mu = 0.5
    for ratio, slides in ((1.4, False), (1.43, True)):
        problem, down = incline(np.arctan(ratio * mu), mu, heading=np.pi / 4)
        solution = box_friction(problem)
        assert (solution.velocity @ down > 1e-6) == slides


def test_pyramid_is_too_weak_between_its_edges():
    mu = 0.5
    for facets, factor in ((4, np.cos(np.pi / 4)), (8, np.cos(np.pi / 8))):
        for ratio, slides in ((0.99 * factor, False), (1.01 * factor, True)):
            problem, down = incline(np.arctan(ratio * mu), mu, heading=np.pi / facets)
            assert (anitescu_stewart(problem, facets).velocity @ down > 1e-6) == slides


@pytest.mark.slow
@every_model
def test_stopping_distance(solve):
    """A block with speed v0 stops after v0^2 / (2 mu g), within the error of the step."""
    v0, mu, h = 1.0, 0.4, 0.01
    v, x = np.array([v0, 0.0, 0.0]), 0.0
    while v[0] > 1e-9:
        v = solve(particle(v + h * np.array([0, 0, -GRAVITY]), 1.0, mu)).velocity
        v = np.where(np.abs(v) < 1e-6, 0.0, v) * [1, 1, 0]  # the ground is followed: no lift is kept
        x += h * v[0]
    exact = v0**2 / (2 * mu * GRAVITY)
    # The single QP slows down by mu / (1 + mu^2) (g h + mu v), and only then follows the ground again.
    assert x < exact
    assert abs(x - exact) < v0 * h + (0.9 * exact if solve in QP_MODELS else 0)


@pytest.mark.slow
@pytest.mark.parametrize("solve", [box_friction, anitescu_stewart, single_qp, gauss_seidel_friction])
def test_sticking_does_not_creep(solve):
    """After hundreds of steps on a slope, velocity and displacement are rounding errors."""
    problem, _ = incline(0.3, 0.5, heading=0.4)
    h = 0.001
    v, x = np.zeros(3), np.zeros(3)
    for _ in range(1_000 if solve is gauss_seidel_friction else 200):
        moving = replace(problem, momentum=problem.mass @ v + h * problem.momentum)
        v = solve(moving).velocity
        x += h * v
    assert np.abs(x).max() < 1e-12


def test_wedge_against_a_root_of_its_force_balance():
    """A bar that leans between a rough floor and a wall with friction: the angle at which it slips."""
    floor, wall, length = 0.4, 0.25, 1.0

    def slips(angle):  # statics of a uniform bar at the point of slipping at both ends
        N = 1 / (1 + floor * wall)  # floor; the wall carries floor * N and lifts with wall * floor * N
        return np.sin(angle) * (wall * floor * N - 0.5) + np.cos(angle) * floor * N

    limit = brentq(slips, 0.1, 1.5)  # between bar and floor it is pi/2 - limit
    for angle, sticks in ((limit - 0.02, True), (limit + 0.02, False)):
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
            assert (np.abs(solve(problem).velocity).max() < 1e-6) == sticks
