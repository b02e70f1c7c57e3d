"""What rounding keeps from its tolerance is handed on, by all models that solve complementarity problems."""

from dataclasses import replace

import numpy as np
import pytest
from friction_scenes import heap

from rbnotes import se3
from rbnotes.complementarity import LCP, BoxLCP, NotSolved, Status
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
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
from rbnotes.multibody.maximal import Mechanism, World, simulate
from rbnotes.shapes import Box, Plane

LEFT = 3e-7
"""Relative residual that problems are said to have, larger than all tolerances here."""


def in_pyramids(problem):
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
            in_pyramids, LCP, ("block_principal_pivoting", "lemke"), id="staggered, friction in pyramids"
        ),
    ],
)
"""A model, and which of its problems end otherwise than solved."""


def ending(monkeypatch, status, problems, methods):
    """Some problems are said to end like this, although they are solved."""

    def by(solved, within):
        def ended(problem, method="block_principal_pivoting", **options):
            solution = solved(problem, method, **options)
            if not isinstance(problem, problems) or method not in within:
                return solution
            return replace(solution, status=status, residuals=replace(solution.residuals, relative=LEFT))

        return ended

    if isinstance(methods, tuple):  # the first of them has another to fall back on
        monkeypatch.setattr(bounded_friction, "solve", by(bounded_friction.solve, methods[:1]))
        methods = methods[1:]
    monkeypatch.setattr(residual_tracking, "solve", by(residual_tracking.solve, methods))


@EACH
@pytest.mark.parametrize("status", [Status.ILL_CONDITIONED, Status.ITERATION_LIMIT, Status.CYCLING])
def test_solvers_on_their_way_hand_on_how_far_they_came(monkeypatch, model, problems, methods, status):
    problem = heap(np.random.default_rng(1), 2, 3)
    solution = model(problem)
    ending(monkeypatch, status, problems, methods)
    with pytest.raises(FrictionNotConverged, match="expected at most 1e-10") as stopped:
        model(problem)
    assert stopped.value.residual == LEFT
    np.testing.assert_allclose(stopped.value.solution.velocity, solution.velocity, atol=1e-7)


@EACH
@pytest.mark.parametrize("status", [Status.INFEASIBLE, Status.NO_SOLUTION])
def test_where_there_is_no_solution_none_is_handed_on(monkeypatch, model, problems, methods, status):
    ending(monkeypatch, status, problems, methods)
    with pytest.raises(NotSolved, match=status):
        model(heap(np.random.default_rng(1), 2, 3))


def test_who_looks_at_the_residual_is_not_stopped(monkeypatch):
    ending(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
    assert (
        staggered_projections(heap(np.random.default_rng(1), 2, 3), raise_on_failure=False).residual == LEFT
    )


@pytest.mark.parametrize("friction", ["box", "staggered"])
def test_runs_go_on(monkeypatch, friction):
    """A cube that slides a little."""
    ending(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
    cube = Box([0.2] * 3)
    mechanism = Mechanism(cube.spatial_inertia(density=500.0)[None])
    world = World(mechanism, [Collider(WORLD, Plane(), mu=0.5), Collider(0, cube, mu=0.5)])
    state = State(se3.frame(np.eye(3), [0, 0, 0.1])[None], np.array([0, 0, 0, 0.3, 0, 0]))
    path = simulate(world, state, 0.01, 2, friction=friction)
    assert [record.residual for record in path.contacts] == [LEFT, LEFT]
    assert path.states.phi[-1, 0, 3] == pytest.approx(0.3 - 0.5 * 9.81 * 0.02, rel=1e-6)


def test_contacts_that_rounding_keeps_from_their_tolerance_do_not_contradict_each_other(monkeypatch):
    """A model that runs out of sweeps hands on what it has, and asks whether there is an answer at all."""
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
    """It is no small error: `max` of it and a number may be the number, and no comparison says yes."""

    def test_in_residuals(self):
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

    def test_in_changes(self):
        space = friction_contact_problem(heap(np.random.default_rng(1), 2, 3))
        old, new = np.ones(space.count), np.ones(space.count)
        new[-1] = np.nan
        assert np.isnan(relative_change(space, old, new))
        assert np.isnan(relative_change(space, new, old))

    def test_in_programs(self, monkeypatch):
        """The last programs of staggered projections, of which normal impulses know nothing."""
        monkeypatch.setattr(f"{__name__}.LEFT", np.nan)
        ending(monkeypatch, Status.ILL_CONDITIONED, BoxLCP, "block_principal_pivoting")
        problem = heap(np.random.default_rng(1), 2, 3)
        assert np.isnan(staggered_projections(problem, raise_on_failure=False).residual)
        with pytest.raises(FrictionNotConverged):
            staggered_projections(problem)

    def test_ends_a_run(self):
        """There is no answer to go on with, whatever residual the caller accepts."""
        cube = Box([0.2] * 3)
        mechanism = Mechanism(cube.spatial_inertia(density=500.0)[None])
        world = World(mechanism, [Collider(WORLD, Plane(), mu=0.5), Collider(0, cube, mu=0.5)])
        state = State(se3.frame(np.eye(3), [0, 0, 0.1])[None])

        def model(problem):
            raise FrictionNotConverged(replace(box_friction(problem), residual=np.nan), 1e-8)

        with pytest.raises(FrictionNotConverged):
            simulate(world, state, 0.01, 1, friction=model)
