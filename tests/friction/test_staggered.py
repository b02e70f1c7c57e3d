"""Staggered projections: laws kept to, both solvers, other models, contact lost, history and warm starts."""

import cvxpy as cp
import numpy as np
import pytest

from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import FrictionNotConverged, coulomb, measure_laws, staggered
from rbnotes.friction.bounded import bounded_friction, within_section

CONES = ("box", "pyramid", "disc")


def problem(seed, contacts, size=9, mu=0.4):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(size, size))
    rows = rng.normal(size=(contacts, 3, size))
    return StepProblem(A @ A.T + np.eye(size), 3 * rng.normal(size=size), contacts=Contacts(rows, mu=mu))


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("seed", range(4))
def test_coulombs_laws_hold_with_the_section_asked_for(cone, seed):
    given = problem(seed, 3)
    laws = measure_laws(given, staggered(given, cone=cone, tolerance=1e-10), cone=cone, facets=8)
    assert np.max(np.abs(laws[:5])) < 1e-7


@pytest.mark.parametrize("cone", CONES)
def test_cvxpy_finds_the_same_motion(cone):
    given = problem(1, 3)
    own, other = (staggered(given, cone=cone, solver=solver).velocity for solver in ("own", "cvxpy"))
    assert np.max(np.abs(own - other)) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_the_disc_is_coulombs_law(seed):
    given = problem(seed, 2, mu=0.2)
    found = staggered(given, cone="disc", tolerance=1e-10).velocity
    assert np.max(np.abs(found - coulomb(given).velocity)) < 1e-5


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("seed", range(3))
def test_friction_within_given_bounds_is_the_least_of_a_quadratic(cone, seed):
    """Against cvxpy's own words, with more contacts than motions."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12, 4))
    W, s, limits = rows @ rows.T, rng.normal(size=(6, 2)), rng.uniform(0.05, 0.3, 6)
    s = (rows @ rng.normal(size=4)).reshape(6, 2)
    b = cp.Variable((6, 2))
    if cone == "box":
        bounds = [cp.abs(b) <= np.stack([limits, limits], axis=1)]
    elif cone == "disc":
        bounds = [cp.norm(b, 2, axis=1) <= limits]
    else:
        middles = np.pi / 4 * (np.arange(8) + 0.5)
        outward = np.stack([np.cos(middles), np.sin(middles)], axis=1)
        bounds = [b @ each <= np.cos(np.pi / 8) * limits for each in outward]
    flat = cp.vec(b, order="C")
    least = cp.Problem(cp.Minimize(cp.sum_squares(rows.T @ flat) / 2 + s.ravel() @ flat), bounds)
    least.solve("CLARABEL")
    found = bounded_friction(W, s, limits, cone, 8, np.zeros((6, 2)))
    assert np.max(np.abs(found - within_section(found, limits, cone, 8))) < 1e-9
    assert abs(found.ravel() @ W @ found.ravel() / 2 + s.ravel() @ found.ravel() - least.value) < 1e-6


def test_a_body_that_left_the_ground_has_no_friction_of_the_step_before():
    """Algorithm 7 stops before its friction problem if nothing is carried, and applies the old friction."""
    rows = np.eye(3)[None, [2, 0, 1]]
    flying = StepProblem(np.eye(3), [1.0, 2.0, 0.5], contacts=Contacts(rows, mu=0.5))
    found = staggered(flying, start=[[1.0, -0.4, -0.3]])
    np.testing.assert_allclose(found.velocity, [1.0, 2.0, 0.5])


def test_history_is_told_and_warm_starts_shorten_it():
    given = problem(2, 3)
    cold = staggered(given)
    warm = staggered(given, start=cold.contact_impulses)
    assert len(cold.history) == cold.iterations - 1
    assert cold.history[-1] == cold.residual <= 1e-8 < cold.history[0]
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.velocity, cold.velocity, atol=1e-6)


def test_what_does_not_converge_says_how_far_it_came():
    with pytest.raises(FrictionNotConverged, match="residual") as caught:
        staggered(problem(1, 3), max_iterations=3)
    assert caught.value.residual == caught.value.solution.history[-1] > 1e-8
