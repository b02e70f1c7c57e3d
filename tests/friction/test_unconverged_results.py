"""All models that solve complementarity problems return results that rounding keeps from converging."""

from dataclasses import replace

import numpy as np
import pytest
from friction_scenes import heap

from rbnotes import Body, Model, simulate
from rbnotes.complementarity import LCP, BoxLCP, NotSolved, Status
from rbnotes.friction import (
    FrictionNotConverged,
    bounded_friction,
    box_friction,
    friction_contact_problem,
    gauss_seidel_friction,
    residual_tracking,
    staggered_projections,
)
from rbnotes.friction.residuals import natural_residual_unchecked
from rbnotes.friction.staggered_projections import relative_change
from rbnotes.shapes import Box, Plane

RESIDUAL = 3e-7
"""Relative residual that problems are said to have, larger than all tolerances here."""


def solve_with_pyramids(problem):
    return staggered_projections(problem, cone="pyramid")


EACH = pytest.mark.parametrize(
    ("model", "problems", "methods"),
    [
        pytest.param(box_friction, BoxLCP, "block_principal_pivoting", id="box"),
        pytest.param(staggered_projections, LCP, "block_principal_pivoting", id="staggered, contact"),
        pytest.param(
            staggered_projections, BoxLCP, "block_principal_pivoting", id="staggered, friction in boxes"
        ),
        pytest.param(
            solve_with_pyramids,
            LCP,
            ("block_principal_pivoting", "lemke"),
            id="staggered, friction in pyramids",
        ),
    ],
)
"""A model, and which of its problems end otherwise than solved."""


def solvers_ending_with(monkeypatch, status, problems, methods):
    """Make solvers report a status although they have solved the problem."""

    def by(solved, within):
        def ended(problem, method="block_principal_pivoting", **options):
            solution = solved(problem, method, **options)
            if not isinstance(problem, problems) or method not in within:
                return solution
            return replace(solution, status=status, residuals=replace(solution.residuals, relative=RESIDUAL))

        return ended

    if isinstance(methods, tuple):  # the first of them has another to fall back on
        monkeypatch.setattr(bounded_friction, "solve", by(bounded_friction.solve, methods[:1]))
        methods = methods[1:]
    monkeypatch.setattr(residual_tracking, "solve", by(residual_tracking.solve, methods))


@EACH
@pytest.mark.parametrize("status", [Status.ILL_CONDITIONED, Status.ITERATION_LIMIT, Status.CYCLING])
def test_unconverged_solvers_return_their_best_result(monkeypatch, model, problems, methods, status):
    problem = heap(np.random.default_rng(1), 2, 3)
    solution = model(problem)
    solvers_ending_with(monkeypatch, status, problems, methods)
    with pytest.raises(FrictionNotConverged, match="expected at most 1e-10") as stopped:
        model(problem)
    assert stopped.value.residual == RESIDUAL
    np.testing.assert_allclose(stopped.value.solution.velocity, solution.velocity, atol=1e-7)


@EACH
@pytest.mark.parametrize("status", [Status.INFEASIBLE, Status.NO_SOLUTION])
def test_infeasible_problems_return_no_result(monkeypatch, model, problems, methods, status):
    solvers_ending_with(monkeypatch, status, problems, methods)
    with pytest.raises(NotSolved, match=status):
        model(heap(np.random.default_rng(1), 2, 3))


def test_raise_on_failure_false_returns_the_result(monkeypatch):
    solvers_ending_with(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
    assert (
        staggered_projections(heap(np.random.default_rng(1), 2, 3), raise_on_failure=False).residual
        == RESIDUAL
    )


@pytest.mark.parametrize("friction", ["box", "staggered"])
def test_simulation_continues_with_unconverged_results(monkeypatch, friction):
    """A cube that slides a little."""
    solvers_ending_with(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
    cube = Box([0.2] * 3)
    model = Model([Body("cube", cube, density=500.0, position=[0, 0, 0.1])], ground=Plane(), mu=0.5)
    state = model.state(twists={"cube": [0, 0, 0, 0.3, 0, 0]})
    path = simulate(model, state, h=0.01, steps=2, friction_model=friction)
    assert [record.residual for record in path.contacts] == [RESIDUAL, RESIDUAL]
    assert path.states.phi[-1, 0, 3] == pytest.approx(0.3 - 0.5 * 9.81 * 0.02, rel=1e-6)


def test_rounding_limited_contacts_are_not_reported_as_contradictory(monkeypatch):
    """A model that reaches its limit of sweeps returns its result and checks for feasibility."""
    space = friction_contact_problem.__globals__
    solved = space["solve"]
    problem = heap(np.random.default_rng(1), 2, 3)
    for status, error in ((Status.ILL_CONDITIONED, FrictionNotConverged), (Status.INFEASIBLE, NotSolved)):

        def ended(problem, status=status, **options):
            return replace(solved(problem, raise_on_failure=False), status=status)

        monkeypatch.setitem(space, "solve", ended)
        with pytest.raises(error):
            gauss_seidel_friction(problem, max_sweeps=1)


class TestNotANumber:
    """NaN is not a small error: `max` may ignore it, and every comparison with it is false."""

    def test_nan_in_residuals(self):
        space = friction_contact_problem(heap(np.random.default_rng(1), 2, 3))
        for contact in (0, space.count - 1):
            impulses = np.ones((space.count, 3))
            impulses[contact, 1] = np.nan
            for cone in ("disc", "box"):
                assert np.isnan(
                    natural_residual_unchecked(
                        space, impulses, space.velocities_from_impulses(impulses), cone
                    )
                )

    def test_nan_in_changes(self):
        space = friction_contact_problem(heap(np.random.default_rng(1), 2, 3))
        old, new = np.ones(space.count), np.ones(space.count)
        new[-1] = np.nan
        assert np.isnan(relative_change(space, old, new))
        assert np.isnan(relative_change(space, new, old))

    def test_nan_in_programs(self, monkeypatch):
        """In the last programs of staggered projections, which normal impulses do not depend on."""
        monkeypatch.setattr(f"{__name__}.RESIDUAL", np.nan)
        solvers_ending_with(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
        problem = heap(np.random.default_rng(1), 2, 3)
        assert np.isnan(staggered_projections(problem, raise_on_failure=False).residual)
        with pytest.raises(FrictionNotConverged):
            staggered_projections(problem)

    def test_nan_stops_a_simulation(self):
        """A run cannot continue, whatever residual the caller accepts."""
        cube = Box([0.2] * 3)
        model = Model([Body("cube", cube, density=500.0, position=[0, 0, 0.1])], ground=Plane(), mu=0.5)

        def law(problem):
            raise FrictionNotConverged(replace(box_friction(problem), residual=np.nan), 1e-8)

        with pytest.raises(FrictionNotConverged):
            simulate(model, h=0.01, steps=1, friction_model=law)
