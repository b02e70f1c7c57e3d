"""Options of friction models: estimates, limits, initial guesses; reports without a solution."""

import re
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from friction_models import AXES, MODELS, every_model
from friction_scenes import heap, particle

from rbnotes import friction
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import NotSolved, Status
from rbnotes.constraints import InconsistentConstraints
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.friction import (
    FRICTION_MODELS,
    FrictionNotConverged,
    anitescu_stewart,
    box_friction,
    friction_contact_problem,
    gauss_seidel_friction,
    single_qp,
    socp_fixed_point_friction,
    staggered_projections,
)

BOX_FRICTION_MODULE = import_module("rbnotes.friction.box_friction")


@every_model
def test_no_contacts(solve, rng):
    problem = heap(rng, 2, 0, equations=1)
    assert np.allclose(solve(problem).velocity, friction_contact_problem(problem).free_velocity)


def test_estimate_of_box_friction_bounds_it():
    problem = particle([3.0, 0.1, -2.0], 1.0, 0.5)
    solution = box_friction(problem, normal_estimate=[0.5])
    assert np.allclose(solution.tangential, [[-0.25, -0.1]])
    assert solution.iterations == 1
    for bad in ([-1.0], [1.0, 2.0]):
        with pytest.raises(InvalidArgument, match="normal_estimate"):
            box_friction(problem, normal_estimate=bad)


def test_unconverged_estimate_is_reported(monkeypatch):
    """The limits that it makes are wrong, though the friction within them is right; updates mend it."""
    problem, impulses = particle([3.0, 0.1, -2.0], 1.0, 0.5), BOX_FRICTION_MODULE._solve_box_lcp
    right = box_friction(problem, max_updates=2)

    def rounded_impulses(space, limits, method, solve):
        actual = impulses(space, limits, method, solve)
        if not np.any(limits):
            solve.residual = 0.01
            return actual / 2
        return actual

    monkeypatch.setattr(BOX_FRICTION_MODULE, "_solve_box_lcp", rounded_impulses)
    with pytest.raises(FrictionNotConverged, match=r"residual 0\.01"):
        box_friction(problem)
    assert np.allclose(box_friction(problem, max_updates=2).velocity, right.velocity)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "Gauss-Seidel, box"])
def test_contradictions_are_named(name):
    """A contact requires a body to separate that an equation fixes."""
    solve = MODELS[name]
    contacts = Contacts([AXES], [0.6], normal_target=[0.5])
    problem = StepProblem(np.eye(3), [0, 0, -1.0], BilateralRows([[0, 0, 1.0]]), contacts=contacts)
    few_sweeps = {"max_sweeps": 50} if solve is gauss_seidel_friction else {}
    with pytest.raises(NotSolved) as raised:
        solve(problem, **few_sweeps)
    assert raised.value.status is not Status.SOLVED


@pytest.mark.parametrize(
    ("solve", "limit"), [(gauss_seidel_friction, "max_sweeps"), (socp_fixed_point_friction, "max_programs")]
)
def test_contradictory_result_can_be_returned(solve, limit):
    contacts = Contacts([AXES], [0.6], normal_target=[0.5])
    problem = StepProblem(np.eye(3), [0, 0, -1.0], BilateralRows([[0, 0, 1.0]]), contacts=contacts)
    assert solve(problem, raise_on_failure=False, **{limit: 20}).residual > 1e-3


def test_too_few_sweeps_raise_or_are_reported(rng):
    problem = heap(rng)
    with pytest.raises(FrictionNotConverged) as raised:
        gauss_seidel_friction(problem, max_sweeps=2)
    assert isinstance(raised.value, NotConverged)
    assert raised.value.solution.iterations == 2
    assert raised.value.residual == raised.value.solution.residual > 1e-8
    assert gauss_seidel_friction(problem, max_sweeps=2, raise_on_failure=False).residual > 1e-8
    with pytest.raises(FrictionNotConverged):
        socp_fixed_point_friction(problem, max_programs=1, tolerance=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        box_friction,
        single_qp,
        partial(single_qp, form="dual"),
        *(partial(staggered_projections, cone=cone) for cone in ("box", "pyramid", "disc")),
    ],
)
def test_both_solvers_of_convex_programs_agree(model, rng):
    problem = heap(rng)
    own_solver, cvxpy_solver = model(problem, solver="own"), model(problem, solver="cvxpy")
    np.testing.assert_array_equal(model(problem).velocity, own_solver.velocity)
    np.testing.assert_allclose(cvxpy_solver.velocity, own_solver.velocity, rtol=0, atol=1e-6)
    assert np.any(cvxpy_solver.velocity != own_solver.velocity)


def test_nonsymmetric_box_friction_is_refused_by_cvxpy():
    rotating = StepProblem([[1, 0.2, 0], [-0.2, 1, 0], [0, 0, 1]], [1.0, 0.5, -2.0])
    problem = replace(rotating, contacts=Contacts([AXES], [0.5]))
    assert box_friction(problem).residual <= 1e-10
    with pytest.raises(InvalidArgument, match="problem: got a mass or regularization that is not symmetric"):
        box_friction(problem, solver="cvxpy")


def test_warm_start_saves_sweeps(rng):
    problem = heap(rng)
    cold = gauss_seidel_friction(problem)
    warm = gauss_seidel_friction(problem, initial_guess=cold.contact_impulses)
    assert warm.iterations < cold.iterations / 2


def test_invalid_options_are_named():
    problem = particle([1.0, 0, -1.0])
    for call in (
        lambda: gauss_seidel_friction(problem, cone="square"),
        lambda: single_qp(problem, form="both"),
        lambda: single_qp(problem, solver="CLARABEL"),
        lambda: box_friction(problem, solver="lemke"),
        lambda: staggered_projections(problem, solver="newton"),
        lambda: socp_fixed_point_friction(problem, solver="own"),
        lambda: box_friction(problem, max_updates=-1),
        lambda: anitescu_stewart(problem, 5),
        lambda: gauss_seidel_friction(problem, max_sweeps=0),
    ):
        with pytest.raises(InvalidArgument):
            call()


def test_help_lists_every_model_and_how_it_can_end():
    rows = re.findall(r"^``(\w+)``", friction.__doc__, re.MULTILINE)
    first, names = rows.index("box_friction"), {model.solve.__name__ for model in FRICTION_MODELS.values()}
    assert set(rows[first : first + len(names)]) == names
    errors = {FrictionNotConverged, InconsistentConstraints, NotConverged, NotSolved}
    assert {each.__name__ for each in errors} <= set(rows)
    assert set(rows) <= names | {each.__name__ for each in errors}
