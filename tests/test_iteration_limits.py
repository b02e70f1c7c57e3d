"""Iterations stop at their limits and report it."""

import importlib
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rbnotes import Body, Model, complementarity, friction, joints, se3
from rbnotes.arguments import SingularConfiguration
from rbnotes.complementarity import LCP, block_principal_pivoting
from rbnotes.contact import Contacts
from rbnotes.dynamics import State, StepProblem, fully_implicit, fully_implicit_euler
from rbnotes.errors import NotConverged
from rbnotes.friction import (
    FrictionNotConverged,
    bounded_friction,
    central_path,
    friction_contact_problem,
    semismooth_newton,
)
from rbnotes.joints import Revolute
from rbnotes.joints import unchecked_nearest_pose as nearest
from rbnotes.multibody import maximal, maximal_coordinates, simulate
from rbnotes.multibody.maximal import impacts
from rbnotes.shapes import Box, Sphere

RATTLE, ACTIVE_SET, PYRAMIDS, ADAPTIVE = (
    importlib.import_module(f"rbnotes.{name}")
    for name in (
        "multibody.maximal.rattle_integrator",
        "complementarity.block_principal_pivoting",
        "friction.anitescu_stewart",
        "multibody.reduced.adaptive_integration",
    )
)


def sliding_contacts(count=3, seed=0):
    """Return contacts among coupled velocities."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    contacts = Contacts(rng.normal(size=(count, 3, 6)), 0.5)
    return StepProblem(A @ A.T + 6 * np.eye(6), 4 * rng.normal(size=6), contacts=contacts)


def test_block_pivoting_falls_back_to_single_pivots(monkeypatch):
    """Block pivots that stall are replaced by single pivots."""
    monkeypatch.setattr(ACTIVE_SET, "MAX_STALLED_BLOCKS", -1)
    problem = LCP([[2.0, 1.0], [1.0, 3.0]], [-1.0, -4.0])
    solution = block_principal_pivoting(problem)
    assert solution.method == "block_principal_pivoting, principal_pivoting"
    np.testing.assert_allclose(solution.w, problem.M @ solution.z + problem.q)
    np.testing.assert_allclose(solution.z, [0.0, 4 / 3], atol=1e-12)
    monkeypatch.undo()
    monkeypatch.setattr(ACTIVE_SET, "MAX_PROXIMAL_STEPS", 0)
    assert block_principal_pivoting(problem).method == "block_principal_pivoting, principal_pivoting"


def test_refinement_limit(monkeypatch):
    monkeypatch.setattr(fully_implicit, "MAX_STEP_HALVINGS", 0)
    body = Model([Body("box", Box([0.1, 0.2, 0.4]), mass=1.0)])
    with pytest.raises(NotConverged, match="after 0 corrections"):
        fully_implicit_euler(body, State(np.eye(4), [1.0, 2.0, 3.0, 0, 0, 0]), 0.1)


def test_covering_vector_limit(monkeypatch):
    iterations = []

    def lame(problem, method, **options):
        iterations.append(options.pop("covering_vector", method))
        solution = complementarity.solve(problem, method, **options)
        left = replace(solution.residuals, relative=1.0 / len(iterations))
        return replace(solution, status=complementarity.Status.ITERATION_LIMIT, residuals=left)

    monkeypatch.setattr(PYRAMIDS, "solve", lame)
    with pytest.raises(friction.FrictionNotConverged) as stopped:
        friction.anitescu_stewart(sliding_contacts())
    assert len(iterations) == PYRAMIDS.MAX_COVERING_VECTORS + 1
    assert iterations.pop() == "block_principal_pivoting"
    assert all(np.any(one != other) for one, other in pairwise(iterations))
    assert stopped.value.residual == 1.0 / (PYRAMIDS.MAX_COVERING_VECTORS + 1)  # the least


def test_disc_friction_limit(monkeypatch):
    """The result is within its bounds but not optimal."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 8))
    W, s, limits = A @ A.T + 0.1 * np.eye(8), rng.normal(size=(4, 2)), np.full(4, 0.3)

    def solve_limited():
        return bounded_friction.bounded_friction(W, s, limits, "disc", 4, np.zeros((4, 2)))

    best = solve_limited()
    for name in ("GRADIENT_STEPS", "NEWTON_STEPS", "MAX_CYCLES"):
        monkeypatch.setattr(bounded_friction, name, 1)
    solution = solve_limited()
    assert np.all(np.linalg.norm(solution, axis=1) <= limits * (1 + 1e-12))

    def cost(b):
        return b.ravel() @ W @ b.ravel() / 2 + b.ravel() @ s.ravel()

    assert cost(best) + 1e-9 < cost(solution) < 0


def test_update_limit():
    with pytest.raises(FrictionNotConverged, match="box friction: residual"):
        friction.box_friction(sliding_contacts(), max_updates=1, tolerance=1e-14)


def test_central_path_limit(monkeypatch):
    space = friction_contact_problem(sliding_contacts())
    unlimited = central_path.follow_central_path(space, 1e-10, 50)
    assert unlimited[2] > 3
    assert unlimited[1] < 1e-8
    point, residual, steps = central_path.follow_central_path(space, 1e-10, 3)
    assert steps == 3
    assert residual > unlimited[1]
    assert np.all(np.isfinite(point))
    monkeypatch.setattr(central_path, "MAX_STAGNANT_ITERATIONS", 0)
    assert central_path.follow_central_path(space, 1e-10, 50)[2] == 0


def test_newton_limit():
    """With one iteration in each search, the best result is returned with its residual."""
    problem = sliding_contacts(6)
    with pytest.raises(FrictionNotConverged, match="Newton: residual"):
        friction.semismooth_newton_friction(problem, max_iterations=1, tolerance=1e-14)
    solution = friction.semismooth_newton_friction(
        problem, max_iterations=1, tolerance=1e-14, raise_on_failure=False
    )
    assert (
        semismooth_newton.MAX_CONVEX_PROGRAMS
        < solution.iterations
        <= 2 * (semismooth_newton.MAX_CONVEX_PROGRAMS + semismooth_newton.MAX_POLYHEDRA) + 4
    )
    assert solution.residual > 1e-14


def test_nearest_pose_limit(monkeypatch):
    """The result is nearer than the initial pose, but not the nearest."""
    joint, X = joints.Universal(), se3.exp([0.7, -0.9, 0.5, 0.0, 0.0, 0.0])
    q = np.array([0.2, -0.3])

    def distance(q):
        return np.linalg.norm(nearest.pose_error(joint.compute_transform(q), X))

    best = distance(nearest.refine_coordinates(joint, X, q))
    for name in ("MAX_NEWTON_ITERATIONS", "MAX_STEP_HALVINGS"):
        monkeypatch.setattr(nearest, name, 1)
    assert best + 1e-6 < distance(nearest.refine_coordinates(joint, X, q)) <= distance(q)


def balls(count, speed=1.0):
    """Return a row of touching elastic balls, hit by the first."""
    ball = Sphere(0.1)
    poses = np.stack([se3.frame(np.eye(3), [0.2 * i, 0.0, 0.0]) for i in range(count)])
    twists = np.zeros((count, 6))
    twists[0, 3] = speed
    bodies = [Body(f"{i}", ball, mass=1.0) for i in range(count)]
    return Model(bodies, mu=0.0, restitution=1.0, gravity=(0, 0, 0)), State(poses, twists)


def test_impact_limit(monkeypatch):
    """A ball between two others has many impacts; the limit suffices."""
    model, state = balls(4)
    simulate(model, state, h=0.01, steps=1, impacts="sequential")
    monkeypatch.setattr(impacts, "MAX_IMPACTS_PER_CONTACT", 0)
    with pytest.raises(NotConverged, match="sequential impacts: more than 0 at each contact"):
        simulate(model, state, h=0.01, steps=1, impacts="sequential")


def test_step_halving_limit(monkeypatch):
    """The step is halved twice and finally first-order; the joint stays closed."""
    monkeypatch.setattr(RATTLE, "MAX_NEWTON_ITERATIONS", 0)
    monkeypatch.setattr(RATTLE, "MAX_HALVINGS", 2)
    steps = []
    take = type(RATTLE.first_order_fallback).step

    def recorded_step(self, context, *arguments):
        steps.append(context.settings.h)
        return take(self, context, *arguments)

    monkeypatch.setattr(type(RATTLE.first_order_fallback), "step", recorded_step)
    link = Box([0.05, 0.05, 1.0]).spatial_inertia(mass=2.0)
    pose = se3.frame(np.eye(3), [0.0, 0.0, -0.5])
    model = Model([Body("link", inertia=link, joint=Revolute([0, -1, 0]), body_frame=pose)])
    start = model.state(qdot={"link": -1.0})
    motion = simulate(model, start, h=0.01, steps=2, coordinates="maximal")
    assert steps == [0.0025] * 8
    hinges = maximal_coordinates(model).maximal_model.joints
    assert np.abs(maximal.constraint_error(hinges, motion.body_states.E[-1])).max() < 1e-9


def test_adaptive_integration_limit(monkeypatch):
    """The velocity of ``dv/dt = v^2`` is infinite after 1/v; an oscillator moves for any time."""
    slider = Body("slider", Box([0.1, 0.1, 0.1]), mass=1.0, joint=joints.Prismatic([1, 0, 0]))
    blow_up, oscillator = Model([slider]), Model([replace(slider, stiffness=1.0)])
    start = blow_up.state(qdot={"slider": 1.0})
    with (
        np.errstate(all="ignore"),
        pytest.raises(SingularConfiguration, match="continues until the last time"),
    ):
        simulate(blow_up, start, h=2.0, steps=1, scheme="DOP853", control=lambda state: state.qdot**2)
    monkeypatch.setattr(ADAPTIVE, "MAX_EVALUATIONS", 1000)
    with pytest.raises(SingularConfiguration, match=r"takes 1000 evaluations for \d+"):
        simulate(oscillator, start, h=1e9, steps=1, scheme="DOP853")
    motion = simulate(oscillator, start, h=np.pi / 2, steps=1, scheme="DOP853")
    assert motion.tree_q[-1, 0] == pytest.approx(1.0)
