"""Problems that once did not terminate, or whose wrong results counted as solved."""

from importlib import import_module
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from friction_scenes import heap
from scipy.optimize import nnls

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import NotSolved
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.friction import (
    FrictionNotConverged,
    anitescu_stewart,
    box_friction,
    gauss_seidel_friction,
    natural_residual,
    primal_qp,
    semismooth_newton_friction,
    single_qp,
    socp_fixed_point_friction,
    staggered_projections,
)

MODELS = {
    "box": box_friction,
    "pyramid": lambda problem: anitescu_stewart(problem, facets=8),
    "single, primal": lambda problem: single_qp(problem, form="primal"),
    "single, dual": lambda problem: single_qp(problem, form="dual"),
    "coulomb": socp_fixed_point_friction,
    "Gauss-Seidel": lambda problem: gauss_seidel_friction(problem, max_sweeps=300),
}


def stack(masses, mu=0.5, h=0.01, g=9.81):
    """Return a step of cubes of 1 m on each other and on the ground, pulled sideways a little."""
    n, rows = len(masses), []
    for i in range(n):
        for corner in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
            block = np.zeros((3, 6 * n))
            for row, axis in zip(block, ([0, 0, 1.0], [1, 0, 0], [0, 1, 0]), strict=True):
                row[6 * i : 6 * i + 6] = np.r_[np.cross([*corner, -0.5], axis), axis]
                if i:
                    row[6 * i - 6 : 6 * i] = -np.r_[np.cross([*corner, 0.5], axis), axis]
            rows.append(block)
    mass = np.concatenate([np.r_[np.full(3, m / 6), np.full(3, m)] for m in masses])
    acceleration = np.tile([0, 0, 0, 0.1, 0, -g], n)
    return StepProblem(np.diag(mass), h * mass * acceleration, contacts=Contacts(np.array(rows), mu))


def laws_broken(problem, solution):
    """Return overlap, tension, excess friction and lost momentum, relative to speeds and impulses."""
    velocity = (problem.contacts.rows @ solution.velocity).reshape(-1, 3)
    free = np.abs(np.linalg.solve(problem.mass, problem.momentum)).max()
    weight = np.abs(problem.momentum).max()
    excess = np.linalg.norm(solution.tangential, axis=1) - np.sqrt(2) * problem.contacts.mu * solution.normal
    momentum_change = (
        problem.mass @ solution.velocity - problem.contacts.rows.T @ solution.contact_impulses.ravel()
    )
    return [
        -velocity[:, 0].min() / free,
        -solution.normal.min() / weight,
        excess.max() / weight,
        np.abs(momentum_change - problem.momentum).max() / weight,
        np.max(velocity[:, 0] * solution.normal) / (free * weight),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "masses", [(1, 1, 1), (1e-3, 1e-3, 1e-3, 1), (1, 1e-3, 1, 1e-3), (1e-6, 1e-6, 1e-6, 1)], ids=str
)
def test_heavy_on_light_boxes_stand_or_are_reported(model, masses):
    """Solved stacks do not sink: pyramids once let the light boxes overlap at 0.19 m/s."""
    problem = stack(masses)
    try:
        solution = MODELS[model](problem)
    except (NotSolved, FrictionNotConverged):
        assert model == "Gauss-Seidel" or min(masses) < 1e-5
        return
    assert max(laws_broken(problem, solution)) < 1e-6
    assert np.abs(solution.velocity).max() < 1e-6  # the pull is weaker than friction: nothing moves


@pytest.mark.slow
@pytest.mark.parametrize("facets", [4, 8])
def test_six_boxes_below_a_thousandfold_heavier_one(facets):
    """Pyramidal friction solves it; a result in which light boxes overlap was once accepted."""
    problem = stack((*[1e-3] * 5, 1.0))
    solution = anitescu_stewart(problem, facets=facets)
    assert max(laws_broken(problem, solution)) < 1e-6
    assert np.abs(solution.velocity).max() < 1e-6
    # In closed form: under the top the weight of one is carried, under each light one a thousandth more.
    each = solution.normal.reshape(6, 4).sum(axis=1)
    assert np.allclose(each, 0.01 * 9.81 * (1 + 1e-3 * np.arange(5, -1, -1)), rtol=1e-6)


def test_walls_with_large_friction_hold():
    """Between two walls, with mu of 1e6: the dual form once let bodies through."""
    axes = np.eye(3)
    rows = [np.array([axes[2], axes[0], axes[1]]), np.array([-axes[2], axes[0], -axes[1]])]
    problem = StepProblem(np.eye(3), np.array([0.3, 0.1, -2.0]), contacts=Contacts(np.array(rows), 1e6))
    for form in ("primal", "dual"):
        try:
            solution = single_qp(problem, form=form)
        except NotSolved:
            continue
        speeds = (problem.contacts.rows @ solution.velocity).reshape(-1, 3)
        assert speeds[:, 0].min() > -1e-6


def test_step_with_cycling_impulse_terminates():
    """Three bodies of 0.13, 460 and 51 kg: rounding made an impulse cycle between its bounds."""
    with np.load(Path(__file__).parent / "cases" / "endless-pivoting.npz") as case:
        contacts = Contacts.from_directions(case["N"], case["T"], case["mu"], case["t"])
        equations = BilateralRows(case["G"], case["g"])
        problem = StepProblem(case["mass"], case["momentum"], equations, contacts=contacts)
    solution = box_friction(problem)
    assert np.abs(problem.bilateral.rows @ solution.velocity - problem.bilateral.target).max() < 1e-8
    speeds = (problem.contacts.rows @ solution.velocity).reshape(-1, 3)[:, 0]
    assert np.all(speeds - problem.contacts.normal_target > -1e-8)
    assert np.all(solution.normal >= 0)


@pytest.mark.parametrize("tolerance", [np.nan, np.inf, 0.0, -1.0, [1e-8, 1e-8]])
def test_tolerances_must_be_numbers(tolerance):
    problem = stack((1.0,))
    for model in (
        box_friction,
        socp_fixed_point_friction,
        gauss_seidel_friction,
        semismooth_newton_friction,
        staggered_projections,
    ):
        with pytest.raises(InvalidArgument, match="tolerance"):
            model(problem, tolerance=tolerance)


@pytest.mark.parametrize("limit", [-1, 2.5, "3", True])
def test_limits_must_be_integers(limit):
    problem = stack((1.0,))
    for model, name in (
        (socp_fixed_point_friction, "max_programs"),
        (gauss_seidel_friction, "max_sweeps"),
        (box_friction, "max_updates"),
        (semismooth_newton_friction, "max_iterations"),
        (staggered_projections, "max_iterations"),
    ):
        with pytest.raises(InvalidArgument, match=name):
            model(problem, **{name: limit})


def between_walls(momentum, mu, arms=((0.0, 0.0, -0.5), (0.0, 0.0, 0.5))):
    """Return a body that touches a floor below and a ceiling above, and fills the gap between them."""
    frame = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    rows = [
        np.hstack([np.cross(arm, side * frame), side * frame])
        for arm, side in zip(arms, (1, -1), strict=False)
    ]
    mass = np.diag([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
    return StepProblem(mass, np.array(momentum, dtype=float), contacts=Contacts(np.array(rows), mu))


@pytest.mark.parametrize("arm", [(0.0, 0.0, -0.5), (0.3, 0.2, -0.5)])
def test_a_body_at_rest_needs_no_impulse(arm):
    solution = socp_fixed_point_friction(between_walls(np.zeros(6), 0.5, arms=[arm]))
    assert np.all(solution.velocity == 0)
    assert np.all(solution.contact_impulses == 0)


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.5, 10.0])
def test_opposed_contacts_have_minimal_impulses(mu):
    """The opposed impulses are not unique: they were once up to 100 N s."""
    assert np.all(socp_fixed_point_friction(between_walls(np.zeros(6), mu)).contact_impulses == 0)
    solution = socp_fixed_point_friction(between_walls([0, 0, 0, 0, 0, -1.0], mu))
    assert np.allclose(solution.normal, [1.0, 0.0], atol=1e-6)
    # Sliding, 1 N s presses it down: friction is mu of it, or what stops the point that touches.
    slid = socp_fixed_point_friction(between_walls([0, 0, 0, 1.0, 0, -1.0], mu))
    assert np.allclose(slid.normal, [1.0, 0.0], atol=1e-3)
    friction = min(mu, 1 / (1 + 0.5**2 / 0.1))
    assert np.allclose(slid.tangential, [[-friction, 0], [0, 0]], atol=1e-3)


def test_least_norm_impulses_are_returned():
    """A beam on three supports in a row and under a stop: only a sum and a moment are given."""
    support_points = np.array([[-1.0, 0, -0.1], [0, 0, -0.1], [1.0, 0, -0.1], [0.5, 0, 0.1]])
    frame = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    rows = [
        np.hstack([np.cross(arm, side * frame), side * frame])
        for arm, side in zip(support_points, (1, 1, 1, -1), strict=True)
    ]
    problem = StepProblem(
        np.eye(6), np.array([0, 0.2, 0, 0, 0, -3.0]), contacts=Contacts(np.array(rows), 0.0)
    )
    # Of all a >= 0 with a1 + a2 + a3 - a4 = 3 and a1 - a3 + a4 / 2 = -0.2, on paper: a4 = 0 and the nearest
    # to zero of what is left.
    solution = socp_fixed_point_friction(problem)
    assert np.allclose(solution.normal, [0.9, 1.0, 1.1, 0.0], atol=1e-6)
    assert np.abs(solution.velocity).max() < 1e-7


@pytest.mark.parametrize("seed", [*range(7), 21])
def test_box_friction_with_a_mass_ratio_of_a_million(seed):
    """None of 64 scenes needs three factorizations for each unknown; some once failed or took minutes.

    The matrix has seven digits of the lightest body: the remaining residual depends on the processor.
    """
    rng = np.random.default_rng(seed)
    bodies = 2 + seed % 4
    masses = 10 ** rng.permutation(np.linspace(-3, 3, bodies))
    module = import_module("rbnotes.complementarity.block_principal_pivoting")
    for problem in (
        stack(masses, mu=rng.uniform(0.1, 1.0)),
        heap(rng, bodies, 4 + seed, ratio=1e6 ** (1 / (bodies - 1))),
    ):
        with mock.patch.object(module, "principal_solver", side_effect=module.principal_solver) as factored:
            try:
                solution = box_friction(problem)
            except FrictionNotConverged as stopped:  # by rounding: the best is as good
                solution = stopped.solution
        assert solution.residual < 1e-7
        assert 0 < factored.call_count < 25 * 3 * len(solution.normal)
        overlap, adhesion, _, dissipated, together = laws_broken(problem, solution)
        assert max(overlap, adhesion, dissipated, together) < 1e-6


@pytest.mark.parametrize("seed", [11, 14, 17, 30])
def test_staggered_friction_with_a_mass_ratio_of_a_million(seed):
    """It once returned no result if rounding kept its programs above their tolerance."""
    rng = np.random.default_rng(seed)
    masses = 10 ** rng.permutation(np.linspace(-3, 3, 2 + seed % 4))
    problem = stack(masses, mu=rng.uniform(0.1, 1.0))
    try:
        solution = staggered_projections(problem, cone="pyramid", max_iterations=6)
    except FrictionNotConverged as stopped:
        solution = stopped.solution
    assert solution.residual < 1e-2
    overlap, adhesion, excess, dissipated, together = laws_broken(problem, solution)
    assert max(overlap, adhesion, excess, dissipated, together) < 1e-6


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("seed", range(12))
def test_single_qp_with_a_coefficient_of_a_million(seed, form):
    """Rows N + mu T keep few digits of N: the optimality conditions are checked with rows divided by mu."""
    rng = np.random.default_rng(seed)
    problem = heap(rng, 1 + seed % 4, 1 + seed % 7, mu=(1e6, 2e6))
    solution = single_qp(problem, form=form)
    qp, v = primal_qp(problem), solution.velocity
    sizes = np.linalg.norm(qp.A, axis=1)
    slack = (qp.A @ v - qp.b) / sizes
    assert slack.min() > -1e-9
    # The gradient is a nonnegative combination of active rows: the program is convex, so v is its optimum.
    active = (qp.A / sizes[:, None])[slack < 1e-9]
    gradient = qp.Q @ v + qp.c
    assert nnls(active.T, gradient)[1] < 1e-8 * (1 + np.linalg.norm(gradient))
    speeds = (problem.contacts.rows @ v).reshape(-1, 3)
    assert speeds[:, 0].min() > -1e-6
    # Nothing slides unless it is lifted mu times as fast: what touches, sticks.
    assert np.linalg.norm(speeds[:, 1:], axis=1).max() < 1e-5 * (1 + np.abs(speeds[:, 0]).max())
    assert solution.normal.min() > -1e-9


@pytest.mark.parametrize("solve", [*MODELS.values(), semismooth_newton_friction, staggered_projections])
def test_bounce_between_floor_and_ceiling_is_contradictory(solve):
    """Newton's method once found impulses of 1e13 for it, of which 1e-14 was missing: they were solved."""
    x, y, z = np.eye(3)
    bodies = np.eye(9).reshape(3, 3, 9)  # of each its three velocities
    frames = [(a[2], a[0], a[1]) for a in (bodies[0], bodies[1] - bodies[0], bodies[2] - bodies[1])]
    problem = StepProblem(
        np.eye(9),
        np.concatenate([0.1 * x - z, 0.2 * y - z, 0 * z]),
        BilateralRows(bodies[2]),  # the ceiling
        contacts=Contacts(np.array(frames), 0.3, [0.5, 0.0, 0.0]),
    )
    with pytest.raises(NotSolved, match="infeasible"):
        solve(problem)


def test_residuals_are_not_relative_to_large_impulses():
    problem = stack((1.0, 1.0))
    impulses = np.zeros((8, 3))
    impulses[:, 0] = 1e12
    velocities = np.full((8, 3), [-0.05, 0.0, 0.0])  # sinks half as fast as it falls
    assert natural_residual(problem, impulses, velocities) > 1e-3
