"""Contacts with an infinite coefficient of friction stick while they push.

The solutions are found by trying all sets of pushing contacts: those stick, the others have no impulse.
"""

from functools import partial

import numpy as np
import pytest
from friction_scenes import heap, particle, stack

from rbnotes import Body, Model, simulate
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider, Contacts
from rbnotes.dynamics import WORLD, StepProblem
from rbnotes.friction import (
    FRICTION_MODELS,
    FrictionNotConverged,
    anitescu_stewart,
    box_friction,
    coulomb_residuals,
    gauss_seidel_friction,
    semismooth_newton_friction,
    single_qp,
    staggered_projections,
)
from rbnotes.shapes import Box, Plane

STICKING_MODELS = {
    "newton": semismooth_newton_friction,
    "gauss_seidel": partial(gauss_seidel_friction, max_sweeps=800),
    "gauss_seidel, box": partial(gauss_seidel_friction, cone="box", max_sweeps=800),
    "staggered": staggered_projections,
    "staggered, disc": partial(staggered_projections, cone="disc"),
    "anitescu_stewart": anitescu_stewart,
}


def jacobian(problem):
    J = problem.contacts.matrix
    return (J.toarray() if hasattr(J, "toarray") else J).reshape(-1, problem.size)


def assert_sticks(problem, solution):
    """Check that contacts which push do not move, and that the others neither approach nor have friction."""
    J, r = jacobian(problem), solution.contact_impulses.reshape(-1, 3)
    v = np.linalg.solve(problem.mass, problem.momentum + J.T @ r.ravel())
    np.testing.assert_allclose(solution.velocity, v, atol=1e-9)
    u, pushes = (J @ v).reshape(-1, 3), r[:, 0] > 1e-9
    assert r[:, 0].min() >= 0
    assert u[:, 0].min() >= -1e-7
    assert np.abs(u[pushes]).max(initial=0) < 1e-7
    assert np.abs(r[~pushes]).max(initial=0) < 1e-6


def sticky_heap(seed):
    problem = heap(np.random.default_rng(seed), 3, 4)
    return StepProblem(problem.mass, problem.momentum, contacts=Contacts(problem.contacts.rows, np.inf))


@pytest.mark.slow
@pytest.mark.parametrize("name", STICKING_MODELS)
def test_heaps_stick_or_are_reported(name):
    solved = 0
    for seed in range(14):
        problem = sticky_heap(seed)
        try:
            solution = STICKING_MODELS[name](problem)
        except FrictionNotConverged:
            continue
        solved += 1
        assert_sticks(problem, solution)
        assert np.isfinite(coulomb_residuals(problem, solution)).all()
    assert solved >= (11 if name == "newton" else 2)


@pytest.mark.parametrize("name", [name for name in FRICTION_MODELS if name != "single_qp"])
def test_a_particle_stops_or_flies(name):
    stopped = FRICTION_MODELS[name](particle([1.0, -0.7, -0.2], mass=2.0, mu=np.inf))
    np.testing.assert_allclose(stopped.velocity, 0.0, atol=1e-7)
    flying = FRICTION_MODELS[name](particle([1.0, -0.7, 0.2], mass=2.0, mu=np.inf))
    np.testing.assert_allclose(flying.velocity, [0.5, -0.35, 0.1], atol=1e-9)


def test_stacks_stick():
    """Beyond sticking, mu does not matter."""
    problem = stack(2, 1.0, mu=np.inf)
    expected = semismooth_newton_friction(stack(2, 1.0, mu=1e4)).velocity
    for model in (semismooth_newton_friction, gauss_seidel_friction, staggered_projections):
        np.testing.assert_allclose(model(problem).velocity, expected, atol=1e-6)


def test_box_friction_sticks_at_contacts_with_a_positive_estimate():
    for seed in range(6):
        problem = sticky_heap(seed)
        frictionless = Contacts(problem.contacts.rows, 0.0)
        estimate = box_friction(StepProblem(problem.mass, problem.momentum, contacts=frictionless)).normal
        solution = box_friction(problem)
        u = (jacobian(problem) @ solution.velocity).reshape(-1, 3)
        np.testing.assert_allclose(u[estimate > 0, 1:], 0.0, atol=1e-9)
        np.testing.assert_array_equal(solution.tangential[estimate == 0], 0.0)


def test_single_qp_refuses_infinite_coefficients():
    with pytest.raises(InvalidArgument, match="problem: got infinite coefficients of friction"):
        single_qp(particle([1.0, 0.0, -0.2], mu=np.inf))


def test_finite_and_infinite_coefficients_together():
    """Two particles on a plane, one of them sticks."""
    rows = np.zeros((2, 3, 6))
    for i in range(2):
        rows[i, :, 3 * i : 3 * i + 3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    problem = StepProblem(np.eye(6), [1, 0, -0.5] * 2, contacts=Contacts(rows, [np.inf, 0.4]))
    for model in STICKING_MODELS.values():
        np.testing.assert_allclose(model(problem).velocity, [0, 0, 0, 0.8, 0, 0], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("floor", "speed"), [(np.inf, 0.0), (0.5, 0.0), (0.0, 0.2)])
def test_a_simulation_with_infinite_coefficients(floor, speed):
    """The coefficient of a pair is the geometric mean, and zero if one of them is: ice stays slippery."""
    box = Body("box", Box([0.4, 0.4, 0.1]), density=1000.0, position=[0, 0, 0.05], mu=np.inf)
    model = Model([box], ground=Plane(), mu=floor)
    state = model.state(twists={"box": [0, 0, 0, 0.2, 0, 0]})
    motion = simulate(model, state, h=0.01, steps=5)
    np.testing.assert_allclose(motion.poses("box")[-1][:3, 3], [0.05 * speed, 0, 0.05], atol=1e-6)


def test_infinite_coefficients_are_left_to_the_reference():
    cube = Box([0.2] * 3)
    body = Body("cube", cube, density=500.0, position=[0, 0, 0.1], mu=0.5)
    model = Model([body], ground=Plane(), mu=np.inf)
    state = model.state(twists={"cube": [0, 0, 0, 0.1, 0, 0]})
    with pytest.raises(InvalidArgument, match=r"compiled: .* infinite coefficients of friction"):
        simulate(model, state, h=0.01, steps=3, compiled=True)
    path = simulate(model, state, h=0.01, steps=3, compiled="auto")
    np.testing.assert_allclose(path.states.phi[-1], 0.0, atol=1e-6)


@pytest.mark.parametrize("mu", [-np.inf, np.nan, -1.0, [np.inf, np.nan]])
def test_other_coefficients_are_refused(mu):
    with pytest.raises(InvalidArgument, match=r"^mu: "):
        Contacts(np.zeros((2, 3, 3)), mu)
    if np.ndim(mu) == 0:
        with pytest.raises(InvalidArgument, match=r"^mu: "):
            Model([Body("box", Box([0.1] * 3), mass=1.0)], mu=mu)
        with pytest.raises(InvalidArgument, match=r"^mu: "):
            Collider(WORLD, Plane(), mu=mu)
