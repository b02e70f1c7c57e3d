"""Newton's method for Coulomb's law: against closed forms and its own conditions, at every heading."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import cvxpy
import numpy as np
import pytest
from friction_scenes import GRAVITY, heap, stack
from scipy.linalg.lapack import dgetrf

from rbnotes import Body, Model, se3, simulate, so3
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.errors import NotConverged
from rbnotes.friction import (
    FrictionModel,
    FrictionNotConverged,
    central_path,
    coulomb_residuals,
    semismooth_newton,
    semismooth_newton_friction,
)
from rbnotes.friction.central_path import follow_central_path
from rbnotes.friction.contact_problem import friction_contact_problem
from rbnotes.friction.semismooth_newton import (
    _effective_masses,
    _natural_map,
    _natural_map_and_jacobian,
)
from rbnotes.friction.socp_fixed_point import _square_root_factor
from rbnotes.multibody import FrictionWarning, Geometry
from rbnotes.shapes import Box, Plane

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

FLOOR = [[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]]


@pytest.mark.parametrize("heading", [0.0, 0.3, np.pi / 4, 2.0])
def test_puck_slides_straight(heading):
    along = np.array([np.cos(heading), np.sin(heading), 0])
    momentum = 3.0 * along - [0, 0, 2.0]
    solution = semismooth_newton_friction(StepProblem(np.eye(3), momentum, contacts=Contacts(FLOOR, 0.5)))
    np.testing.assert_allclose(solution.velocity, 2.0 * along, atol=1e-7)
    np.testing.assert_allclose(solution.normal, 2.0, atol=1e-7)


def several(seed, count=6, size=9):
    """Return contacts among coupled velocities, some of which stick, slide and separate."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(size, size))
    rows = rng.normal(size=(count, 3, size))
    contacts = Contacts(rows, rng.uniform(0, 0.9, count))
    return StepProblem(A @ A.T + size * np.eye(size), 4 * rng.normal(size=size), contacts=contacts)


@pytest.mark.parametrize("seed", range(6))
def test_coulombs_laws(seed):
    problem = several(seed)
    solution = semismooth_newton_friction(problem)
    laws = coulomb_residuals(problem, solution)
    assert max(laws[:4]) < 1e-6
    assert abs(laws.dissipation_deficit) < 1e-6
    assert solution.iterations < 150


@pytest.mark.parametrize(("boxes", "ratio"), [(2, 1e-6), (2, 1e3), (2, 1e6), (5, 10.0), (5, 0.1), (10, 1.0)])
def test_towers_of_light_and_heavy_boxes(boxes, ratio):
    """Sliding and turning, four contacts between each two, each ``ratio`` times as heavy as the one below."""
    problem = stack(boxes, ratio)
    laws = coulomb_residuals(problem, semismooth_newton_friction(problem))
    heaviest = max(1.0, ratio ** (boxes - 1))
    assert max(laws.tensile_impulse, laws.cone_violation, laws.complementarity) < 1e-6 * heaviest
    assert laws.approach_velocity < 2e-5
    assert abs(laws.dissipation_deficit) < 1e-5 * heaviest


def test_contacts_at_the_friction_limit():
    """Pulled with exactly mu m g in any direction: the velocity is zero and friction is at its limit."""
    for angle in np.linspace(0, 2, 9):
        force = 3.0 * np.array([np.cos(angle), np.sin(angle), 0])
        solution = semismooth_newton_friction(
            StepProblem(np.eye(3), force - [0, 0, 6.0], contacts=Contacts(FLOOR, 0.5))
        )
        np.testing.assert_allclose(solution.velocity, 0, atol=1e-7)
        np.testing.assert_allclose(solution.tangential, -force[None, :2], atol=1e-7)


def test_islands_are_solved_separately():
    """Two heaps without a common body, with interleaved contacts, have the results of each heap."""
    parts = [heap(np.random.default_rng(seed)) for seed in (1, 2)]
    rows = np.zeros((14, 3, 48))
    rows[::2, :, :24], rows[1::2, :, 24:] = (each.contacts.matrix.reshape(7, 3, 24) for each in parts)
    mu = np.stack([each.contacts.mu for each in parts], axis=1).ravel()
    mass = np.kron(np.diag([1.0, 0]), parts[0].mass) + np.kron(np.diag([0, 1.0]), parts[1].mass)
    momentum = np.concatenate([each.momentum for each in parts])
    together = semismooth_newton_friction(StepProblem(mass, momentum, contacts=Contacts(rows, mu)))
    alone = [semismooth_newton_friction(each).velocity for each in parts]
    np.testing.assert_allclose(together.velocity, np.concatenate(alone), atol=1e-7)


class TestCentralPath:
    def test_indeterminate_impulses_are_shared_evenly(self):
        """A table with four legs: each leg carries a quarter, whichever comes first."""
        problem = stack(1, 1.0, speed=0.0)
        space = friction_contact_problem(problem)
        impulses = follow_central_path(space, 1e-10, 50)[0]
        np.testing.assert_allclose(impulses[:, 0], 0.01 * GRAVITY / 4, rtol=1e-4)

    def test_fixed_speeds_give_a_convex_program(self):
        """Its optimality conditions hold at other speeds than those of the solution, and cvxpy agrees."""
        space = friction_contact_problem(several(2))
        sliding = np.array([0.3, 0.0, 1.0, 0.2, 0.1, 2.0])
        impulses = follow_central_path(space, 1e-20, 50, sliding)[0]
        r = cvxpy.Variable((6, 3))
        root = _square_root_factor(space.delassus_matrix)
        raised = space.free_contact_velocities + np.outer(space.mu * sliding, [1.0, 0, 0])
        objective = cvxpy.sum_squares(root @ cvxpy.vec(r, order="C")) / 2 + cvxpy.sum(
            cvxpy.multiply(raised, r)
        )
        cone = cvxpy.SOC(cvxpy.multiply(space.mu, r[:, 0]), r[:, 1:], axis=1)
        cvxpy.Problem(cvxpy.Minimize(objective), [cone]).solve(solver="CLARABEL")
        expected = (space.delassus_matrix @ r.value.ravel()).reshape(-1, 3)
        np.testing.assert_allclose(
            space.velocities_from_impulses(impulses) - space.free_contact_velocities, expected, atol=1e-5
        )

    @pytest.mark.parametrize("seed", range(6))
    def test_central_path_converges_to_coulombs_law(self, seed):
        """Also for sliding contacts, where the path follows the speeds."""
        space = friction_contact_problem(several(seed))
        impulses, residual, steps = follow_central_path(space, 1e-9, 50)
        assert residual < 5e-8
        assert steps < 20
        assert np.linalg.norm(space.velocities_from_impulses(impulses)[:, 1:], axis=1).max() > 0.1

    def test_contacts_with_and_without_friction(self):
        """Along the path alone, without Newton's method at its end; inequalities are contacts on ice."""
        base = several(5)
        ice = Contacts(base.contacts.rows, np.where(np.arange(6) % 2, 0.0, 0.6))
        space = friction_contact_problem(StepProblem(base.mass, base.momentum, contacts=ice))
        impulses, residual, steps = follow_central_path(space, 1e-12, 50)
        assert residual < 1e-6
        assert steps < 25
        assert np.all(impulses[1::2, 1:] == 0)

    def test_a_singular_system_ends_the_path(self, monkeypatch):
        """Contacts that repeat each other, and nothing to tell them apart: at the end of the path the
        matrix has no inverse, of which nothing is printed."""
        monkeypatch.setattr(central_path, "DIAGONAL_REGULARIZATION", 0.0)
        singular_systems = []

        def watched_dgetrf(A):
            factors, pivots, singular = dgetrf(A)
            singular_systems.append(singular)
            return factors, pivots, singular

        monkeypatch.setattr(central_path, "dgetrf", watched_dgetrf)
        space = friction_contact_problem(
            StepProblem(np.eye(3), [0.3, 0, -2.0], contacts=Contacts(FLOOR * 3, 0.5))
        )
        impulses, residual, steps = follow_central_path(space, 1e-300, 500, np.zeros(3))
        assert singular_systems[-1]
        assert not any(singular_systems[:-1])
        assert steps == len(singular_systems) - 1
        assert residual < 1e-12
        np.testing.assert_allclose(impulses[:, 0], 2 / 3)


def test_jacobian_is_the_derivative():
    """At impulses that stick, slide and separate, by central differences."""
    space = friction_contact_problem(several(3))
    r = np.random.default_rng(1).normal(size=(6, 3)) * [1, 0.5, 0.5]
    rho = _effective_masses(space.mobility)
    jacobian = _natural_map_and_jacobian(space, r, rho)[1]
    for k, unit in enumerate(np.eye(18)):
        step = 1e-6 * unit.reshape(6, 3)
        difference = (_natural_map(space, r + step, rho) - _natural_map(space, r - step, rho)) / 2e-6
        np.testing.assert_allclose(jacobian[:, k], difference.ravel(), atol=1e-6)


@pytest.mark.parametrize(("ratio", "slides"), [(0.999, False), (1.001, True)])
@pytest.mark.parametrize("heading", [0.4, np.pi / 4])
def test_block_slides_at_the_friction_angle_at_every_heading(heading, ratio, slides):
    """In the simulator: the plane descends along a heading between the tangents."""
    mu, h, steps = 0.5, 0.01, 20
    angle = np.arctan(ratio * mu)
    rotation = so3.exp([0, 0, heading]) @ so3.exp([0, angle, 0])
    block = Box([0.4, 0.4, 0.1])
    start = se3.frame(rotation @ so3.exp([0, 0, 0.7]), rotation @ [0, 0, 0.05])
    floor = Geometry(Plane(), se3.frame(rotation, np.zeros(3)))
    model = Model([Body("block", block, density=500.0, pose=start)], ground=[floor], mu=mu)
    path = simulate(model, h=h, steps=steps, friction_model=semismooth_newton_friction)
    displacement = rotation.T @ (path.states.E[-1, 0, :3, 3] - path.states.E[0, 0, :3, 3])
    expected = max(0.0, 9.81 * (np.sin(angle) - mu * np.cos(angle))) * (h * steps) ** 2 / 2
    np.testing.assert_allclose(displacement, [expected, 0, 0], atol=1e-7)
    assert (displacement[0] > 5e-5) == slides


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stack of 5 boxes", "a box slides", "4 boxes fall"])
def test_ordinary_scenes_need_no_fallbacks(name, monkeypatch):
    """Each problem takes the linear systems of one search; fallbacks only cost the check of residuals."""

    def fail(*arguments):
        raise AssertionError

    monkeypatch.setattr(semismooth_newton, "_initial_guesses", fail)
    monkeypatch.setattr(semismooth_newton, "refine_velocities", fail)
    monkeypatch.syspath_prepend(BENCHMARKS)
    benchmark = import_module("friction")
    (model, twists), recorder = benchmark.SCENES[name](), benchmark.Recorder()
    friction_model = FrictionModel(recorder, accepts_initial_guess=True)
    simulate(
        model,
        model.state(twists=twists),
        h=benchmark.STEP,
        steps=benchmark.STEPS,
        friction_model=friction_model,
        compiled=False,
    )
    assert len(recorder.steps) > 20
    for problem, guess in recorder.steps:
        first = benchmark.first_solver(problem, initial_guess=guess)
        assert first.residual <= semismooth_newton.TOLERANCE
        assert semismooth_newton_friction(problem, initial_guess=guess).iterations == first.iterations


class TestRunsGoOn:
    def model(self):
        block = Box([0.4, 0.4, 0.1])
        model = Model([Body("block", block, density=500.0, position=[0, 0, 0.05])], ground=Plane())
        return model, model.state(twists={"block": [0, 0, 0, 1.0, 0.7, 0]})

    def lame(self, problem):
        """Return before the method has converged."""
        raise FrictionNotConverged(replace(semismooth_newton_friction(problem), residual=0.01), 1e-8)

    def test_one_warning_and_residuals_in_the_records(self):
        model, start = self.model()
        with pytest.warns(FrictionWarning) as warnings:
            path = simulate(model, start, h=0.01, steps=3, friction_model=self.lame)
        assert len(warnings) == 1
        assert {record.residual for record in path.contacts} == {0.01}

    def test_iteration_limit_is_respected(self):
        model, start = self.model()
        with pytest.raises(NotConverged):
            simulate(model, start, h=0.01, steps=3, friction_model=self.lame, max_friction_residual=1e-4)
