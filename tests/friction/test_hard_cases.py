"""Problems that once looped for ever, or whose wrong answers passed as solved."""

from pathlib import Path

import numpy as np
import pytest

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import Unsolved
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.friction import (
    FrictionNotConverged,
    anitescu_stewart,
    box_friction,
    coulomb,
    gauss_seidel_friction,
    single_qp,
)

MODELS = {
    "box": box_friction,
    "pyramid": lambda problem: anitescu_stewart(problem, facets=8),
    "single, primal": lambda problem: single_qp(problem, form="primal"),
    "single, dual": lambda problem: single_qp(problem, form="dual"),
    "coulomb": coulomb,
    "Gauss-Seidel": lambda problem: gauss_seidel_friction(problem, max_sweeps=300),
}


def stack(masses, mu=0.5, h=0.01, g=9.81):
    """A step of cubes of 1 m on each other and on the ground, pulled sideways a little."""
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
    pull = np.tile([0, 0, 0, 0.1, 0, -g], n)
    return StepProblem(np.diag(mass), h * mass * pull, contacts=Contacts(np.array(rows), mu))


def laws_broken(problem, solution):
    """Overlap, pull, excess of friction and lost momentum, in units of the step's own speeds and impulses."""
    velocity = (problem.contacts.rows @ solution.velocity).reshape(-1, 3)
    free = np.abs(np.linalg.solve(problem.mass, problem.momentum)).max()
    weight = np.abs(problem.momentum).max()
    excess = np.linalg.norm(solution.tangential, axis=1) - np.sqrt(2) * problem.contacts.mu * solution.normal
    moved = problem.mass @ solution.velocity - problem.contacts.rows.T @ solution.contact_impulses.ravel()
    return [
        -velocity[:, 0].min() / free,
        -solution.normal.min() / weight,
        excess.max() / weight,
        np.abs(moved - problem.momentum).max() / weight,
        np.max(velocity[:, 0] * solution.normal) / (free * weight),
    ]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "masses", [(1, 1, 1), (1e-3, 1e-3, 1e-3, 1), (1, 1e-3, 1, 1e-3), (1e-6, 1e-6, 1e-6, 1)], ids=str
)
def test_heavy_on_light_stands_or_is_named(model, masses):
    """What is called solved does not sink: pyramids once let the light boxes be crushed at 0.19 m/s."""
    problem = stack(masses)
    try:
        solution = MODELS[model](problem)
    except (Unsolved, FrictionNotConverged):
        assert model == "Gauss-Seidel" or min(masses) < 1e-5
        return
    assert max(laws_broken(problem, solution)) < 1e-6
    assert np.abs(solution.velocity).max() < 1e-6  # the pull is weaker than friction: nothing moves


def test_walls_with_great_friction_hold():
    """Between two walls, with mu of 1e6: the dual form once let bodies through."""
    axes = np.eye(3)
    rows = [np.array([axes[2], axes[0], axes[1]]), np.array([-axes[2], axes[0], -axes[1]])]
    problem = StepProblem(np.eye(3), np.array([0.3, 0.1, -2.0]), contacts=Contacts(np.array(rows), 1e6))
    for form in ("primal", "dual"):
        try:
            solution = single_qp(problem, form=form)
        except Unsolved:
            continue
        speeds = (problem.contacts.rows @ solution.velocity).reshape(-1, 3)
        assert speeds[:, 0].min() > -1e-6


def test_a_step_that_never_ended():
    """Three bodies of 0.13, 460 and 51 kg: an impulse went to and fro between its bounds by rounding."""
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
def test_tolerances_are_numbers(tolerance):
    problem = stack((1.0,))
    for model in (box_friction, coulomb, gauss_seidel_friction):
        with pytest.raises(InvalidArgument, match="tolerance"):
            model(problem, tolerance=tolerance)


@pytest.mark.parametrize("limit", [-1, 2.5, "3", True])
def test_limits_are_whole_numbers(limit):
    problem = stack((1.0,))
    for model, name in (
        (coulomb, "max_programs"),
        (gauss_seidel_friction, "max_sweeps"),
        (box_friction, "updates"),
    ):
        with pytest.raises(InvalidArgument, match=name):
            model(problem, **{name: limit})
