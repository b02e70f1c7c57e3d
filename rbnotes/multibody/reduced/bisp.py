"""Friction in joints: bilateral staggered projections, in the right form (Sueda 2.11, 2.11.1, Algorithm 8).

The contact problem of staggered projections is solved in reduced coordinates, which satisfy the joints by
construction. The reactions of the joints follow from the motion
(:mod:`rbnotes.multibody.reduced.joint_reactions`); the implicit contacts of each bearing share them
(:mod:`rbnotes.friction.bearings`), which bounds their friction. The friction problem finds the impulses
within these bounds that stop the joints as far as possible, and the motion changes with them. Friction acts
in reduced coordinates: its inverse mass is that of the mechanism, ``T J M_r^-1 J^T T^T``, so that a sticking
joint stops within one step.

>>> import numpy as np
>>> from rbnotes import joints
>>> from rbnotes.dynamics import State
>>> from rbnotes.friction import journal_bearing
>>> from rbnotes.shapes import Sphere
>>> from rbnotes.multibody.reduced import Link, Tree, bisp_step
>>> ball = Sphere(0.1).spatial_inertia(mass=2.0)
>>> bob = Link("bob", joints.Revolute([0, 1.0, 0]), ball, body_frame=np.eye(4))
>>> spinning = State(q=[0.0], qdot=[3.0])
>>> bearings = {"bob": journal_bearing(0.02, 0.05, mu=0.3, axis=[0, 1.0, 0])}
>>> step = bisp_step(Tree([bob]), spinning, 0.001, bearings)
>>> torque = step.bearing_reactions["bob"].generalized_friction / 0.001
>>> torque.round(4).tolist()  # N m: 0.3 * 0.02 * 9.81 * 2 * 1.3066
[-0.1538]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.contact import Collider
from rbnotes.dynamics import State
from rbnotes.errors import NotConverged
from rbnotes.friction.anderson_acceleration import AndersonAcceleration
from rbnotes.friction.bounded_friction import CONE_SECTIONS, PROGRAM_SOLVERS
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.residual_tracking import ResidualTrackingSolver
from rbnotes.friction.staggered_projections import friction_impulses, normal_impulses
from rbnotes.multibody.reduced.bearing_reactions import BispStep
from rbnotes.multibody.reduced.bearings import Bearings
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraint_stacking import check_constraints
from rbnotes.multibody.reduced.joint_friction_step import (
    ContactImpulses,
    JointFrictionOptions,
    JointFrictionProblem,
)
from rbnotes.multibody.reduced.tree import Tree

PROXIMAL_WEIGHT = 1e-4
"""Weight of the friction of the previous iteration, relative to the effect of friction."""

ANDERSON_DEPTH = 6
"""Number of iterations that Anderson acceleration combines."""


class BispNotConverged(NotConverged):
    """Error of an iteration without convergence; ``solution`` is the last step."""


def bisp_step(
    tree: Tree,
    state: State,
    h: float,
    bearings: Bearings,
    constraints: Iterable[Constraint] = (),
    colliders: Sequence[Collider] = (),
    *,
    cone: str = "box",
    facets: int = 8,
    implicit: bool = False,
    gamma: float = 0.0,
    excluded_pairs: Sequence[tuple[int, int]] | None = None,
    initial_guess: BispStep | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
    solver: str = "own",
    raise_on_failure: bool = True,
) -> BispStep:
    """Take one step of Euler's method with friction in joints, in closed loops, and at contacts.

    This is the algorithm of the notes, of first order. Use it for other friction cones, for bearings on
    joints with several motions, or to study its iteration; :func:`rbnotes.multibody.simulate` solves the same
    laws in steps of second order.

    Parameters
    ----------
    bearings
        Bearings by the names of links, for their joints, or by closures of loops among the constraints: made
        by :func:`rbnotes.friction.journal_bearing`, ``prismatic_guide``, ``spherical_bearing``, or from other
        contacts.
    constraints
        Constraints. Forces of constraints on bodies pass through the joints. Springs, dampers, limits and
        prescribed motions of a joint act along its own motion and load no bearing of the same joint.
    colliders
        Shapes of the links, by their numbers ``tree.index(name)``, and of the world.
    excluded_pairs
        Pairs of links (or ``WORLD``) that do not touch; by default each link and its parent.
    cone : {"box", "pyramid", "disc"}
        Section of the friction cone at all contacts; ``facets`` are the corners of the pyramid's.
    implicit
        Use linearly implicit Euler instead of symplectic Euler.
    gamma
        Error reduction rate of constraints and overlaps, 1/s.
    initial_guess
        The previous step, whose friction starts the iteration.
    tolerance
        Accepted change of all normal impulses from one iteration to the next, relative to them.
    max_iterations : int
        Largest number of iterations. The iteration may fail: joints with large ``mu``, or with bearings
        shorter than they are wide, jam.
    solver : {"own", "cvxpy"}
        Solver of contact and friction problems.
    raise_on_failure
        Raise an error if the tolerance is not met; otherwise the caller checks ``residual``.

    Returns
    -------
    BispStep
        Its ``residual`` is the last change, or the residual of the last programs if that is larger.

    Raises
    ------
    InvalidArgument
        If a bearing does not fit its joint, or the closure of one is not among the constraints.
    NotSolved
        If contacts and equations contradict each other.
    InconsistentConstraints, SingularConfiguration
        As for the other steps.
    BispNotConverged
        If ``raise_on_failure`` and the tolerance is not met, or the last programs miss theirs by rounding;
        its ``solution`` is the last step.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    arguments.require_instance("bearings", bearings, Mapping)
    if initial_guess is not None:
        arguments.require_instance("initial_guess", initial_guess, BispStep)
    arguments.choice("cone", cone, CONE_SECTIONS)
    if cone == "pyramid":
        facet_directions(facets)
    arguments.choice("solver", solver, tuple(PROGRAM_SOLVERS))
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=2)
    constraints = check_constraints(constraints)
    options = JointFrictionOptions(implicit, gamma, excluded_pairs, cone, facets)
    problem = JointFrictionProblem(tree, state, h, bearings, constraints, colliders, options)
    friction, bearing_friction = problem.initial_friction(initial_guess)
    normal = normal_impulses(
        problem.contact_problem, friction, solver=solver, lcp_solver=ResidualTrackingSolver()
    )
    multipliers = problem.normal_multipliers(normal, friction, bearing_friction)
    history: list[float] = []
    acceleration = AndersonAcceleration(ANDERSON_DEPTH)
    while len(history) < max_iterations - 1 and (not history or history[-1] > tolerance):
        program_status = ResidualTrackingSolver()
        new_friction = friction_impulses(
            problem.contact_problem,
            normal,
            problem.friction_limits(normal, multipliers),
            friction,
            cone=cone,
            facets=facets,
            solver=solver,
            proximal_weight=PROXIMAL_WEIGHT,
            lcp_solver=program_status,
        )
        bearing_friction = problem.distribute_friction(new_friction, multipliers)
        new_normal = normal_impulses(
            problem.contact_problem,
            new_friction,
            initial_guess=normal,
            solver=solver,
            lcp_solver=program_status,
        )
        new_multipliers = problem.normal_multipliers(new_normal, new_friction, bearing_friction)
        before, after = (
            [*multipliers, normal, friction.ravel()],
            [*new_multipliers, new_normal, new_friction.ravel()],
        )
        history.append(_relative_change(before, after))
        friction = new_friction
        if history[-1] <= tolerance:
            multipliers, normal = new_multipliers, new_normal
            break
        next_impulses = acceleration.next_argument(
            np.concatenate([*multipliers, normal]), np.concatenate([*new_multipliers, new_normal])
        )
        *multipliers, normal = np.split(next_impulses, np.cumsum([len(each) for each in multipliers]))
        normal = np.maximum(normal, 0.0)
    impulses = ContactImpulses(normal, friction, bearing_friction, multipliers)
    result = problem.step_result(impulses, history, program_status.residual)
    if raise_on_failure and not history[-1] <= tolerance:
        raise _not_converged_error("relative change", result, history[-1], tolerance)
    if raise_on_failure and not program_status.residual <= program_status.tolerance:
        raise _not_converged_error(
            "residual of its programs", result, program_status.residual, program_status.tolerance
        )
    return result


def _relative_change(old: list[Array], new: list[Array]) -> float:
    before, after = np.concatenate(old), np.concatenate(new)
    size = float(np.linalg.norm(after))
    change = float(np.linalg.norm(after - before))
    return float(change > 0) if size == 0 else change / size


def _not_converged_error(quantity: str, result: BispStep, error: float, tolerance: float) -> BispNotConverged:
    message = f"{quantity} {error:.2g} after {result.iterations} iterations, expected at most {tolerance:.2g}"
    return BispNotConverged(f"friction in joints: {message}", result, error)
