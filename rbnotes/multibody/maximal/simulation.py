"""A simulator in maximal coordinates: forces, joints, contact with friction, one step after the other.

A step (Lloyd 0.10; Sueda 1.8, 1.10) finds the contacts, writes them and the joints as rows on the twists,
lets a friction model find new twists and impulses,

    M_hat phi+ = b + N^T normal + T^T tangential + G^T joint,

moves the bodies with them, and moves back what came apart or overlaps. Contacts count before they close: with
a gap, bodies may approach at gap/h, which closes it in this step and no further. In which order and how often
that is done is up to the integrator: :mod:`rbnotes.multibody.maximal.rattle_integrator`, or :mod:`rbnotes.multibody.maximal.first_order_integrator`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import Scheme, State, StepProblem, StepSolution
from rbnotes.friction import FrictionModel, friction_model, semismooth_newton_friction
from rbnotes.multibody.maximal.first_order_integrator import FirstOrderIntegrator
from rbnotes.multibody.maximal.impacts import IMPACT_MODES, SIMULTANEOUS
from rbnotes.multibody.maximal.mechanism import STABILIZATIONS, Mechanism
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.multibody.maximal.stepping import (
    Integrator,
    Progress,
    Setting,
    World,
    predict_contacts,
)
from rbnotes.multibody.maximal.trajectory import Trajectory
from rbnotes.multibody.maximal.warm_started_friction import WarmStartedFriction
from rbnotes.unchecked.stabilization import check_error_reduction_rate

MATCHING_DISTANCE = 0.02
"""Contacts of the same bodies that are nearer than this from one kick to the next are the same, m."""
DEFAULT_ERROR_REDUCTION = 0.2
"""Part of errors that Baumgarte's way takes back in a step if no rate is given."""


def simulate(
    world: World,
    state: State | Trajectory,
    h: float,
    steps: int,
    *,
    friction: FrictionModel | Callable[[StepProblem], StepSolution] | str = semismooth_newton_friction,
    max_friction_residual: float | None = None,
    integrator: Integrator | Scheme = rattle,
    impacts: str = SIMULTANEOUS,
    stabilization: str = "projection",
    gamma: float | None = None,
    slop: float = 1e-5,
    progress: Progress | None = None,
) -> Trajectory:
    """Let bodies move.

    Parameters
    ----------
    state
        Poses ``(n, 4, 4)`` and twists ``(n, 6)`` to start from, with the joints together. Or a trajectory of
        this world, to go on where it ended, bit by bit as if it had not stopped.
    h
        Step size, s.
    steps
        Number of steps.
    friction
        Finds velocities and impulses: a function of :mod:`rbnotes.friction`, its name (``"coulomb"``), or a
        function like them. To start from the impulses of the last step, a function of your own says so:
        ``FrictionModel(function, accepts_initial_guess=True)`` (:class:`rbnotes.friction.FrictionModel`).
    friction_limit
        Largest accepted residual of a model that does not converge; any, by default. The records of the
        contacts have them all, and the first above a thousandth warns (:class:`FrictionWarning`).
    integrator
        Of the motion: :data:`~rbnotes.multibody.maximal.rattle`, of second order; or a scheme of
        :mod:`rbnotes.dynamics.schemes` or ``.free_motion``, of first order under joints and contacts.
    impacts : "simultaneous" or "sequential"
        Of bodies with restitution: Newton's law at all contacts at once, or at those alone that approach
        fastest, then at those that do then, and so on (:mod:`rbnotes.multibody.maximal.impacts`). Where joints do not
        let all of them bounce that should at once, none does.
    stabilization : "projection", "baumgarte" or "none"
        What is done about joints that came apart and bodies that overlap: move them back by the smallest
        displacement, have the next velocities take it back at the rate ``gamma``, or nothing.
    gamma
        Of Baumgarte's way, 1/s: a step leaves the part ``1 - gamma h`` of an error. At most ``2/h``, and
        ``0.2/h`` unless it is given. Overlaps are taken back no faster than at the speed that lifts a body
        out of them, ``sqrt(2 g overlap)``: without gravity, not at all.
    slop
        Overlap that is left alone, m.
    progress
        Called after each step with the number of steps done and of all.

    Returns
    -------
    Trajectory
        States at the start and after each step, and what happened in between.

    Raises
    ------
    InvalidArgument
        If ``world`` is none, ``state`` does not fit it, ``h`` is not positive, ``steps`` is below 1, or an
        option is not one of the names.
    FrictionNotConverged
        If the friction model does not get below ``max_friction_residual``.
    Unsolved
        If contacts and joints contradict each other.
    """
    if isinstance(world, Mechanism):
        raise InvalidArgument("world", "a Mechanism", "a world that holds it: World(mechanism)")
    arguments.require_instance("world", world, World)
    arguments.require_instance("state", state, State, Trajectory)
    model = world.prepare_friction_model(friction_model("friction", friction))
    if not isinstance(integrator, Scheme):
        arguments.require_methods("integrator", integrator, "step")
    previous = None
    if isinstance(state, Trajectory):
        previous, state = state, state.states[-1]
    state = _check_state(world, state)
    arguments.choice("impacts", impacts, IMPACT_MODES)
    if progress is not None:
        arguments.require_function("progress", progress, "done", "steps")
    h, gamma, slop = _check_numbers(h, steps, stabilization, gamma, slop)
    limit = (
        np.inf
        if max_friction_residual is None
        else arguments.positive_number("max_friction_residual", max_friction_residual)
    )
    warm_started_friction = WarmStartedFriction(model, limit, MATCHING_DISTANCE)
    setting = Setting(world, h, warm_started_friction, stabilization, gamma, slop, impacts)
    step_integrator = FirstOrderIntegrator(integrator) if isinstance(integrator, Scheme) else integrator
    points = predict_contacts(world, state, h)
    if previous is not None:
        points, warm_started_friction.last_impulses = previous.restart
    return world.run(setting, step_integrator, state, points, steps, progress)


def _check_state(world: World, state: State) -> State:
    count = len(world.mechanism.inertias)
    if len(state.E) != count or state.size != 6 * count:
        got = f"{len(state.E)} bodies and {state.size} velocities"
        raise InvalidArgument("state", got, f"{count} bodies, and nothing else")
    return state


def _check_numbers(
    h: float, steps: int, stabilization: str, gamma: float | None, slop: float
) -> tuple[float, float, float]:
    arguments.choice("stabilization", stabilization, STABILIZATIONS)
    arguments.count("steps", steps, minimum=1)
    h = arguments.positive_number("h", h)
    gamma = DEFAULT_ERROR_REDUCTION / h if gamma is None else check_error_reduction_rate(gamma, h)
    return h, gamma, arguments.real_number("slop", slop, minimum=0.0)
