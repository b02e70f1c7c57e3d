"""Contact and friction of a tree's links, with each other and with the world.

Contacts are rows on body twists, and by J on the velocities of particles and joints; a friction model of
:mod:`rbnotes.friction` finds the impulses, beside those of constraints and joint limits.

>>> import numpy as np
>>> from rbnotes import joints
>>> from rbnotes.contact import Collider
>>> from rbnotes.dynamics import WORLD, State, symplectic_euler
>>> from rbnotes.shapes import Plane, Sphere
>>> from rbnotes.multibody.reduced import Link, Tree, TreeSystem, contact_step
>>> ball = Sphere(0.1)
>>> tree = Tree([Link("ball", joints.Free3D(), ball.spatial_inertia(mass=1.0))])
>>> colliders = [Collider(WORLD, Plane()), Collider(tree.index("ball"), ball)]
>>> lying = State(q=[0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
>>> system = TreeSystem(tree)
>>> step = contact_step(symplectic_euler, system, lying, 0.01, colliders)
>>> float(step.solution.normal[0].round(6))
0.0981
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.contact import Collider, ContactPoints, Contacts, contact_jacobian, predict_contacts
from rbnotes.contact.prediction import normal_velocity_targets_unchecked
from rbnotes.dynamics import State, StepProblem, StepSolution, TimeStepper, add_constraints
from rbnotes.dynamics.step_problem import checked_solution
from rbnotes.friction import FrictionModel, friction_model, semismooth_newton_friction
from rbnotes.multibody.reduced.constrained_dynamics import velocity_constraints
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraint_stacking import checked_constraints
from rbnotes.multibody.reduced.system import TreeSystem
from rbnotes.unchecked.stabilization import check_error_reduction_rate


@dataclass(frozen=True, eq=False)
class ContactStep:
    """State after a step, with its contacts and impulses."""

    state: State
    """Coordinates, rad and m, and velocities, rad/s and m/s, at the end of the step."""
    points: ContactPoints
    """Contacts at the start of the step that could close within it; bodies are indices of links."""
    solution: StepSolution
    """Impulses at these points, and those of constraints and limits in the order of
    :func:`~rbnotes.multibody.reduced.velocity_constraints`."""


def tree_contacts(
    system: TreeSystem, state: State, points: ContactPoints, h: float, *, gamma: float = 0.0
) -> Contacts:
    """Return the contacts of a step of size h as rows ``(3 c, N)`` on velocities of particles and joints.

    Parameters
    ----------
    points
        Contacts between links, by their indices in the tree, and the world.
    gamma
        Error reduction rate of overlaps, 1/s.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or ``gamma`` is not in [0, 2/h].
    """
    arguments.require_instance("system", system, TreeSystem)
    arguments.require_instance("state", state, State)
    arguments.require_instance("points", points, ContactPoints)
    h = arguments.positive_number("h", h)
    gamma = check_error_reduction_rate(gamma, h)
    maximal_state = system.maximal_state(state)
    J = system.reduction(state).J[: maximal_state.phi.size]
    rows = contact_jacobian(points, maximal_state.E).matrix @ J
    approach = (rows @ state.velocity)[::3]
    speeds = normal_velocity_targets_unchecked(points, approach, h, system.tree.gravity)
    return Contacts(rows, points.mu, np.maximum(speeds, -gamma * points.gap * (points.gap < 0)))


def _predict_contacts(
    system: TreeSystem,
    maximal_state: State,
    colliders: Sequence[Collider],
    h: float,
    excluded_pairs: Sequence[tuple[int, int]] | None,
) -> ContactPoints:
    """Return the contacts that could close within a step of size h from a maximal state.

    Pairs ``excluded_pairs`` do not touch: by default each link and its parent.
    """
    if excluded_pairs is None:
        excluded_pairs = [(i, parent) for i, parent in enumerate(system.tree.parents) if parent >= 0]
    return predict_contacts(
        colliders, maximal_state.E, maximal_state.phi, h, system.tree.gravity, excluded_pairs=excluded_pairs
    )


def contact_step(
    scheme: TimeStepper,
    system: TreeSystem,
    state: State,
    h: float,
    colliders: Sequence[Collider],
    constraints: Iterable[Constraint] = (),
    *,
    friction: FrictionModel | Callable[[StepProblem], StepSolution] | str = semismooth_newton_friction,
    gamma: float = 0.0,
    excluded_pairs: Sequence[tuple[int, int]] | None = None,
) -> ContactStep:
    """Take one step of a scheme with contact, friction, constraints and joint limits.

    Contacts act before they close: links may approach until they touch at the end of the step.

    Parameters
    ----------
    colliders
        Shapes that the links, by their numbers ``tree.index(name)``, and the world carry.
    friction
        A model of :mod:`rbnotes.friction`, or its name (``"box"``); by default that of
        :func:`rbnotes.multibody.maximal.simulate`, which is isotropic. Some models require a symmetric mass,
        which implicit schemes need not have. A :class:`~rbnotes.dynamics.FullyImplicitScheme` cannot be more
        accurate than the model: use a tolerance of about 1e-7.
    gamma
        Error reduction rate of constraints and overlaps, 1/s.
    excluded_pairs
        Pairs of links (or ``WORLD``) that do not touch; by default each link and its parent.

    Raises
    ------
    InvalidArgument
        If ``scheme`` is no function, ``h`` is not positive, ``friction`` is not one of the names, or
        ``gamma`` is not in [0, 2/h].
    NotConverged
        If the friction model finds no solution.
    """
    arguments.require_instance("system", system, TreeSystem)
    arguments.require_instance("state", state, State)
    arguments.require_function("scheme", scheme)
    model = friction_model("friction", friction)
    constraints = checked_constraints(constraints)
    h = arguments.positive_number("h", h)
    points = _predict_contacts(system, system.maximal_state(state), colliders, h, excluded_pairs)
    contacts = tree_contacts(system, state, points, h, gamma=gamma)
    rows = velocity_constraints(system, constraints, state, h, gamma)
    solutions: list[StepSolution] = []

    def solve(problem: StepProblem, fraction: float) -> Array:
        constrained_problem = replace(add_constraints(problem, rows), contacts=contacts)
        solutions.append(
            checked_solution("friction(problem)", model(constrained_problem), constrained_problem)
        )
        return solutions[-1].velocity

    end_state = scheme(system, state, h, solve=solve)
    return ContactStep(end_state, points, solutions[-1])
