"""Every loop of the package that does not merely go through what is there, and what ends it.

Loops that search are found in the source: all ``while``, and all ``for`` over numbers that can be left before
their end. Each is listed here with the test that reaches its bound, or with why it runs out by itself. A new
one fails the first test until it is listed. The tests below it reach the bounds that no other test does.

The ledger is not looked through: the loops of its forms run over chains, tokens and given numbers.
"""

import ast
import importlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import rbnotes
from rbnotes import complementarity, friction, joints, se3
from rbnotes.arguments import SingularConfiguration
from rbnotes.complementarity import LCP, block_principal_pivoting
from rbnotes.contact import Collider, Contacts
from rbnotes.dynamics import FreeSystem, State, StepProblem, fully_implicit, fully_implicit_euler
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
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import impacts
from rbnotes.multibody.reduced import integrate_adaptively
from rbnotes.shapes import Box, Sphere

RATTLE, ACTIVE_SET, PYRAMIDS = (
    importlib.import_module(f"rbnotes.{name}")
    for name in ("maximal.rattle", "complementarity.active_set", "friction.anitescu_stewart")
)
PACKAGE = Path(rbnotes.__file__).parent
TESTS = Path(__file__).parent

REACHED = {
    "challenge/test_challenge.py::test_other_right_code": ("challenge/challenging.py: challenge",),
    "complementarity/test_infeasible.py::test_divergence_is_named": (
        "complementarity/gauss_seidel.py: gauss_seidel",
    ),
    "complementarity/test_kinds.py::test_limits_are_kept": (
        "complementarity/lemke.py: _follow",
        "complementarity/pivoting.py: _drive",
    ),
    "complementarity/test_kinds.py::test_moves_from_bound_to_bound_count": (
        "complementarity/pivoting.py: _run",
    ),
    "constraints/test_stabilization.py::test_constraints_that_nothing_satisfies": (
        "constraints/_stabilization.py: project",
    ),
    "friction/test_model_options.py::test_too_few_sweeps_are_named_or_reported": (
        "friction/coulomb.py: coulomb",
        "friction/coulomb.py: _fixed_point",
        "friction/gauss_seidel.py: gauss_seidel_friction",
    ),
    "friction/test_staggered.py::test_what_does_not_converge_says_how_far_it_came": (
        "friction/staggered.py: staggered",
    ),
    "grading/test_classes.py::": ("grading/classes.py: _collected",),
    "grading/test_hostile.py::": (
        "grading/sandbox.py: _Child.call",
        "grading/sandbox.py: _Child._send",
        "grading/sandbox.py: _Child._next",
    ),
    "maximal/test_simulated_balance.py::test_spin_too_fast_for_a_midpoint": (
        "dynamics/free_motion.py: move_keeping_energy.spin",
    ),
    "test_loops.py::test_a_motion_that_ends_before_its_time": ("tree/adaptive.py: integrate_adaptively",),
    "test_loops.py::test_a_nearest_pose_in_few_steps": (
        "joints/_nearest.py: refine",
        "joints/_nearest.py: _downhill",
    ),
    "test_loops.py::test_blocks_that_lead_nowhere": (
        "complementarity/active_set.py: active_set",
        "complementarity/active_set.py: _Blocks.iterate",
    ),
    "test_loops.py::test_corrections_that_never_help": ("dynamics/fully_implicit.py: _downhill",),
    "test_loops.py::test_covers_that_never_help": ("friction/anitescu_stewart.py: _solved",),
    "test_loops.py::test_discs_in_few_steps": ("friction/bounded.py: _in_discs",),
    "test_loops.py::test_impacts_without_end": ("maximal/impacts.py: impacts_of",),
    "test_loops.py::test_joints_that_no_flight_keeps_together": (
        "maximal/rattle.py: _first_kick_and_flight",
    ),
    "test_loops.py::test_paths_that_are_not_walked_to_their_end": (
        "friction/central_path.py: along_the_central_path",
    ),
    "test_loops.py::test_too_few_newton_steps": (
        "friction/newton.py: _solve",
        "friction/newton.py: by_newton",
    ),
    "test_loops.py::test_too_few_updates": ("friction/box.py: box_friction",),
    "tree/test_fully_implicit.py::test_says_where_it_ended": (
        "dynamics/fully_implicit.py: FullyImplicit.__call__",
    ),
    "tree/test_joint_friction_scenes.py::test_warm_starts_shorten_the_iteration_and_failures_say_so": (
        "tree/bisp.py: bisp_step",
    ),
}
"""Tests, and loops by their functions whose bounds they reach."""

ENDS = {
    "cards/standalone.py: _Rewriter.visit_Attribute": "goes up the finite tree of an expression",
    "cards/standalone.py: _Rewriter.imported": "the parts of a name",
    "checking/interrupts.py: interruptible.send": "until it arrives: tests/checking/test_interrupts.py",
    "complementarity/active_set.py: _Blocks.refined": "six corrections, each half the error of the last",
    "complementarity/gauss_seidel.py: _colouring": "at most as many colours as neighbours",
    "complementarity/lemke.py: _least": "the columns of a matrix",
    "complementarity/pivoting.py: _begun": "each round takes out a variable, and none comes back",
    "complementarity/pivoting.py: _entered": "each round enters a variable, and none twice",
    "complementarity/quadratic.py: _polished": "six sets of active rows, of which the best is taken",
    "constraints/_sparse_kkt.py: factor_sparse.solve": "twenty corrections, each half the error of the last",
    "dynamics/free_rotation.py: _part": "the terms of a series, small enough before the last one",
    "grading/_child.py: _keep": "until no process is left behind",
    "grading/_child.py: _Channel.send": "each round sends some of what is left",
    "grading/sandbox.py: _remove": "each round takes a folder away",
    "grading/sandbox.py: collect": "each round takes a request",
    "grading/running.py: Running.stop": "as long as children may take to end: tests/grading/test_classes.py",
    "joints/subspaces.py: lie_algebra": "each round finds another of six dimensions",
    "kernels/_lemke.py: lemke": "as many pivots as the reference takes at most; or the reference solves",
    "kernels/_lemke.py: _blocking": "the rows of a table, and its columns while some are tied",
    "kernels/_lemke.py: refined": "three corrections, each half the error of the last",
    "kernels/_narrow.py: factored": "the columns of a matrix",
    "kernels/_narrow.py: ordered": "each unknown enters the queue once",
    "kernels/_quadratic.py: by_blocks": "forty centres; blocks whose patience ends: the reference solves",
    "kernels/_rows.py: mirrored": "the entries of a matrix",
    "kernels/_programs.py: function.joints_given": "eight joints at a time, to the last one",
    "kernels/_friction.py: newton": "no more steps than it is told, and damping that grows or ends it",
    "kernels/running.py: run": "each round takes a step, compiled or as the reference does",
    "kernels/_envelope.py: cholesky": "the rows of a matrix",
    "kernels/_envelope.py: factored": "the rows of a matrix",
    "kernels/_flight.py: flown": "the bodies; which turn too far for one is the reference's to say",
    "kernels/_flight.py: turned": "the terms of a series, small enough before the last one",
    "kernels/_joined.py: errors": "the joints",
    "kernels/_rattle.py: flight": "ten corrections, each half the error of the last; or the reference steps",
    "kernels/_rattle.py: looked": "the contacts",
    "kernels/_run.py: run": "the steps that are asked for",
    "kernels/_resolved.py: factored": "goes up to the world, each parent standing before its children",
    "kernels/_resolved.py: substituted": "goes up to the world, each parent standing before its children",
    "kernels/_slopes.py: column_and_row": "goes up to the world, each parent standing before its children",
    "kernels/world.py: CompiledWorld.touching": "twice the room each round, for finitely many contacts",
    "tree/formats/robot.py: new_name": "each name is longer, and those taken are finitely many",
    "tree/formats/robot.py: Robot._followed": "a joint that was passed is refused: tests/tree/test_urdf.py",
    "tree/formats/urdf.py: _sorted": "each round places a joint; no circles: tests/tree/test_urdf.py",
    "tree/formats/urdf.py: _held": "each round holds another joint",
    "tree/model.py: _sorted": "each round places a link; circles are refused: tests/tree/test_model.py",
}
"""Loops that run out by themselves, and why."""


def own(node):
    """What is in a loop, but for what is in loops and functions within it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.Lambda | ast.For | ast.While):
            yield from own(child)


def searches(tree, within=""):
    """Names of the functions that have a loop which searches."""
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        inside = f"{within}.{node.name}".lstrip(".") if named else within
        counts = isinstance(node, ast.For) and ast.unparse(node.iter).startswith(("range(", "count("))
        leaves = ast.Break | ast.Return | ast.Raise
        if isinstance(node, ast.While) or (counts and any(isinstance(each, leaves) for each in own(node))):
            yield inside
        yield from searches(node, inside)


def test_every_loop_is_listed():
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}: {name}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "ledger"
        for name in searches(ast.parse(path.read_text()))
    }
    listed = {*ENDS, *(loop for loops in REACHED.values() for loop in loops)}
    assert not found - listed, "Loops whose bound no test reaches: list them above, with the test that does."
    assert listed <= found


def test_the_tests_that_are_named_are_there():
    for test in REACHED:
        file, name = test.split("::")
        assert f"def {name or 'test_'}" in (TESTS / file).read_text(), test


def sliding(count=3, seed=0):
    """Contacts among coupled velocities."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    contacts = Contacts(rng.normal(size=(count, 3, 6)), 0.5)
    return StepProblem(A @ A.T + 6 * np.eye(6), 4 * rng.normal(size=6), contacts=contacts)


def test_blocks_that_lead_nowhere(monkeypatch):
    """They lose patience at every centre; single pivots take over."""
    monkeypatch.setattr(ACTIVE_SET, "PATIENCE", -1)
    problem = LCP([[2.0, 1.0], [1.0, 3.0]], [-1.0, -4.0])
    found = block_principal_pivoting(problem)
    assert found.method == "active_set, pivoting"
    np.testing.assert_allclose(found.w, problem.M @ found.z + problem.q)
    np.testing.assert_allclose(found.z, [0.0, 4 / 3], atol=1e-12)
    monkeypatch.undo()
    monkeypatch.setattr(ACTIVE_SET, "MAX_PROXIMAL_STEPS", 0)
    assert block_principal_pivoting(problem).method == "active_set, pivoting"


def test_corrections_that_never_help(monkeypatch):
    monkeypatch.setattr(fully_implicit, "HALVINGS", 0)
    body = FreeSystem(Box([0.1, 0.2, 0.4]).spatial_inertia(mass=1.0))
    with pytest.raises(NotConverged, match="after 0 corrections"):
        fully_implicit_euler(body, State(np.eye(4), [1.0, 2.0, 3.0, 0, 0, 0]), 0.1)


def test_covers_that_never_help(monkeypatch):
    tried = []

    def lame(problem, method, **options):
        tried.append(options.pop("cover", method))
        solution = complementarity.solve_lcp(problem, method, **options)
        left = replace(solution.residuals, relative=1.0 / len(tried))
        return replace(solution, status=complementarity.Status.ITERATION_LIMIT, residuals=left)

    monkeypatch.setattr(PYRAMIDS, "solve_lcp", lame)
    with pytest.raises(friction.FrictionNotConverged) as stopped:
        friction.anitescu_stewart(sliding())
    assert len(tried) == PYRAMIDS.MAX_COVERING_VECTORS + 1
    assert tried.pop() == "block_principal_pivoting"
    assert all(np.any(one != other) for one, other in pairwise(tried))
    assert stopped.value.residual == 1.0 / (PYRAMIDS.MAX_COVERING_VECTORS + 1)  # the least


def test_discs_in_few_steps(monkeypatch):
    """What is found is within its bounds, and not yet the best."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 8))
    W, s, limits = A @ A.T + 0.1 * np.eye(8), rng.normal(size=(4, 2)), np.full(4, 0.3)

    def solved():
        return bounded_friction.bounded_friction(W, s, limits, "disc", 4, np.zeros((4, 2)))

    best = solved()
    for name in ("SMOOTH", "NEWTON", "ROUNDS"):
        monkeypatch.setattr(bounded_friction, name, 1)
    found = solved()
    assert np.all(np.linalg.norm(found, axis=1) <= limits * (1 + 1e-12))

    def cost(b):
        return b.ravel() @ W @ b.ravel() / 2 + b.ravel() @ s.ravel()

    assert cost(best) + 1e-9 < cost(found) < 0


def test_too_few_updates():
    with pytest.raises(FrictionNotConverged, match="box friction: residual"):
        friction.box_friction(sliding(), max_updates=1, tolerance=1e-14)


def test_paths_that_are_not_walked_to_their_end(monkeypatch):
    space = friction_contact_problem(sliding())
    whole = central_path.follow_central_path(space, 1e-10, 50)
    assert whole[2] > 3
    assert whole[1] < 1e-8
    found, residual, steps = central_path.follow_central_path(space, 1e-10, 3)
    assert steps == 3
    assert residual > whole[1]
    assert np.all(np.isfinite(found))
    monkeypatch.setattr(central_path, "MAX_STAGNANT_ITERATIONS", 0)
    assert central_path.follow_central_path(space, 1e-10, 50)[2] == 0


def test_too_few_newton_steps():
    """One in each search, in every program; then the best is told with its residual."""
    problem = sliding(6)
    with pytest.raises(FrictionNotConverged, match="Newton: residual"):
        friction.semismooth_newton_friction(problem, max_iterations=1, tolerance=1e-14)
    found = friction.semismooth_newton_friction(
        problem, max_iterations=1, tolerance=1e-14, raise_on_failure=False
    )
    assert (
        semismooth_newton.MAX_CONVEX_PROGRAMS
        < found.iterations
        <= 2 * semismooth_newton.MAX_CONVEX_PROGRAMS + 4
    )
    assert found.residual > 1e-14


def test_a_nearest_pose_in_few_steps(monkeypatch):
    """Nearer than where it began, though not yet nearest."""
    joint, X = joints.Universal(), se3.exp([0.7, -0.9, 0.5, 0.0, 0.0, 0.0])
    q = np.array([0.2, -0.3])

    def distance(q):
        return np.linalg.norm(nearest.pose_error(joint.compute_transform(q), X))

    best = distance(nearest.refine_coordinates(joint, X, q))
    for name in ("ITERATIONS", "HALVINGS"):
        monkeypatch.setattr(nearest, name, 1)
    assert best + 1e-6 < distance(nearest.refine_coordinates(joint, X, q)) <= distance(q)


def balls(count, speed=1.0):
    """A row of touching elastic balls, hit by the first."""
    ball = Sphere(0.1)
    poses = np.stack([se3.frame(np.eye(3), [0.2 * i, 0.0, 0.0]) for i in range(count)])
    twists = np.zeros((count, 6))
    twists[0, 3] = speed
    mechanism = maximal.Mechanism(np.stack([ball.spatial_inertia(mass=1.0)] * count), (), (0, 0, 0))
    colliders = [Collider(i, ball, mu=0.0, restitution=1.0) for i in range(count)]
    return maximal.World(mechanism, colliders), State(poses, twists)


def test_impacts_without_end(monkeypatch):
    """A ball between two others is hit again and again; so many are enough."""
    world, state = balls(4)
    maximal.simulate(world, state, 0.01, 1, impacts="sequential")
    monkeypatch.setattr(impacts, "MANY", 0)
    with pytest.raises(NotConverged, match="sequential impacts: more than 0 at each contact"):
        maximal.simulate(world, state, 0.01, 1, impacts="sequential")


def test_joints_that_no_flight_keeps_together(monkeypatch):
    """The step is halved, and halved again, and in the end of first order; the joint holds."""
    monkeypatch.setattr(RATTLE, "MAX_NEWTON_ITERATIONS", 0)
    monkeypatch.setattr(RATTLE, "HALVINGS", 2)
    steps = []
    take = type(RATTLE.first_order_fallback).take

    def watched(self, setting, state, points):
        steps.append(setting.h)
        return take(self, setting, state, points)

    monkeypatch.setattr(type(RATTLE.first_order_fallback), "take", watched)
    link = Box([0.05, 0.05, 1.0]).spatial_inertia(mass=2.0)
    pose = se3.frame(np.eye(3), [0.0, 0.0, -0.5])[None]
    hinge = maximal.joint_from_world_frame(Revolute(), se3.exp([np.pi / 2, 0, 0, 0, 0, 0]), pose, 0)
    mechanism = maximal.Mechanism(link[None], [hinge])
    start = maximal.project(mechanism, State(pose, [0, 1.0, 0, 0.5, 0, 0]))
    path = maximal.simulate(maximal.World(mechanism), start, 0.01, 2)
    assert steps == [0.0025] * 8
    assert np.abs(maximal.joint_errors([hinge], path.states.E[-1])).max() < 1e-9


class Explodes:
    """``dv/dt = v^2`` is infinite after 1/v."""

    def retract(self, state, increment, h):
        return State(q=state.q + increment, qdot=state.qdot, t=state.t + h)

    def acceleration(self, state):
        return state.qdot**2

    def reparametrize(self, state):
        return state


class Swings(Explodes):
    """For ever."""

    def acceleration(self, state):
        return -state.q


def test_a_motion_that_ends_before_its_time():
    with np.errstate(all="ignore"), pytest.raises(SingularConfiguration, match="goes on until the last time"):
        integrate_adaptively(Explodes(), State(q=[0.0], qdot=[1.0]), [2.0], rtol=1e-3, atol=1e-3)
    calm = State(q=[0.0], qdot=[1.0])
    with pytest.raises(SingularConfiguration, match=r"evaluations: got 1000, used up after \d+"):
        integrate_adaptively(Swings(), calm, [1e9], max_evaluations=1000)
    assert integrate_adaptively(Swings(), calm, [np.pi / 2], max_evaluations=1000).q[-1, 0] == pytest.approx(
        1.0
    )
