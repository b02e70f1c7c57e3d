"""Simulator in maximal coordinates with forces, joints, and contact with friction.

A step (Lloyd 0.10; Sueda 1.8, 1.10) finds the contacts, writes them and the joints as rows on the twists,
and solves for new twists and impulses with a friction model,

    M_hat phi+ = b + N^T normal + T^T tangential + G^T joint,

moves the bodies with them, and removes errors of joints and overlaps. Contacts act before they close: with
a gap, bodies may approach at gap/h, which closes it in this step and no further. The integrator determines
the order of these operations: :mod:`rbnotes.multibody.maximal.rattle_integrator`, or
:mod:`rbnotes.multibody.maximal.first_order_integrator`.
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
from rbnotes.multibody.maximal.joint_space import JointSpace
from rbnotes.multibody.maximal.mechanism import BAUMGARTE, PROJECTION, STABILIZATIONS, Mechanism
from rbnotes.multibody.maximal.rattle_integrator import Rattle, rattle
from rbnotes.multibody.maximal.stepping import (
    Integrator,
    Progress,
    StepContext,
    World,
    predict_contacts,
)
from rbnotes.multibody.maximal.trajectory import Trajectory
from rbnotes.multibody.maximal.warm_started_friction import WarmStartedFriction
from rbnotes.unchecked.stabilization import check_error_reduction_rate

MATCHING_DISTANCE = 0.02
"""Largest distance between a contact and its match of the previous velocity update, m."""
DEFAULT_ERROR_REDUCTION = 0.2
"""Part of errors that Baumgarte's stabilization removes in a step by default."""


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
    stabilization: str = PROJECTION,
    gamma: float | None = None,
    slop: float = 1e-5,
    joint_space: JointSpace | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Simulate the motion of bodies.

    Parameters
    ----------
    state
        Initial poses ``(n, 4, 4)`` and twists ``(n, 6)``, which satisfy the joints. Or a trajectory of this
        world, to continue it with bitwise the same result as without interruption.
    h
        Step size, s.
    steps
        Number of steps.
    friction
        Friction model: a function of :mod:`rbnotes.friction`, its name (``"coulomb"``), or a function with
        the same signature. A user's function declares a warm start by
        ``FrictionModel(function, accepts_initial_guess=True)`` (:class:`rbnotes.friction.FrictionModel`).
    max_friction_residual
        Largest accepted residual, dimensionless, of a model that does not converge; unlimited by default. The
        records of the contacts hold all residuals, and the first above 1e-3 warns (:class:`FrictionWarning`).
    integrator
        Integrator: :data:`~rbnotes.multibody.maximal.rattle`, of second order; or a scheme of
        :mod:`rbnotes.dynamics.schemes` or ``.free_motion``, of first order under joints and contacts.
    impacts : "simultaneous" or "sequential"
        Impacts of bodies with restitution: Newton's law at all contacts at once, or at those that approach
        fastest, one pair after the other (:mod:`rbnotes.multibody.maximal.impacts`). If joints do not allow
        all of these contacts to bounce at once, none does.
    stabilization : {"projection", "baumgarte", "none"}
        Correction of joint errors and overlaps: by the smallest displacement, by the next velocities at the
        rate ``gamma``, or none.
    gamma
        Error reduction rate of Baumgarte's stabilization, 1/s: a step leaves the part ``1 - gamma h`` of an
        error. At most ``2/h``, by default ``0.2/h``. Overlaps are reduced no faster than at the velocity that
        lifts a body out of them, ``sqrt(2 g overlap)``: without gravity, not at all.
    slop
        Overlap that is not corrected, m.
    joint_space
        Springs, dampers, actuators, friction, limits and other constraints in joint coordinates, which
        :func:`rbnotes.multibody.simulate` derives from a model; they need the integrator ``rattle``.
    progress
        Called after each step with the number of steps done and of all.

    Returns
    -------
    Trajectory
        States at the start and after each step, with contacts, events, work and impulses.

    Raises
    ------
    InvalidArgument
        If ``world`` is no ``World``, ``state`` does not fit it, ``h`` is not positive, ``steps`` is below 1,
        or an option is not one of the names.
    FrictionNotConverged
        If the friction model does not get below ``max_friction_residual``.
    NotSolved
        If contacts and joints contradict each other.
    """
    if isinstance(world, Mechanism):
        raise InvalidArgument("world", "a Mechanism", "a world that holds it: World(mechanism)")
    arguments.require_instance("world", world, World)
    arguments.require_instance("state", state, State, Trajectory)
    model = world.prepare_friction_model(friction_model("friction", friction))
    if not isinstance(integrator, Scheme):
        arguments.require_methods("integrator", integrator, "step")
    if joint_space is not None:
        arguments.require_methods("joint_space", joint_space, "constraints", "impulses")
        if not isinstance(integrator, Rattle):
            got = arguments.format_value(integrator)
            raise InvalidArgument(
                "integrator", got, "rattle with forces and constraints in joint coordinates"
            )
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
    context = StepContext(world, h, warm_started_friction, stabilization, gamma, slop, impacts, joint_space)
    step_integrator = FirstOrderIntegrator(integrator) if isinstance(integrator, Scheme) else integrator
    points = predict_contacts(world, state, h)
    if previous is not None:
        points, warm_started_friction.last_impulses = previous.restart
    return world.run(context, step_integrator, state, points, steps, progress)


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
    gamma = check_baumgarte_rate(gamma, stabilization, h)
    return h, gamma, arguments.real_number("slop", slop, minimum=0.0)


def check_baumgarte_rate(gamma: float | None, stabilization: str, h: float) -> float:
    """Return the rate of Baumgarte's stabilization, 1/s, which is given for that alone.

    Raises
    ------
    InvalidArgument
        If it is given for another stabilization, or is not in [0, 2/h].
    """
    if gamma is None:
        return DEFAULT_ERROR_REDUCTION / h
    if stabilization != BAUMGARTE:
        raise InvalidArgument("gamma", f"{gamma}", f"None without stabilization={BAUMGARTE!r}")
    return check_error_reduction_rate(gamma, h)
