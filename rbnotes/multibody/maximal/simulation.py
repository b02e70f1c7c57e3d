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
from functools import partial

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import Scheme, State, States, StepProblem, StepSolution
from rbnotes.errors import MissingExtra
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.friction import friction_model as select_friction_model
from rbnotes.multibody.maximal.first_order_integrator import FirstOrderIntegrator
from rbnotes.multibody.maximal.impacts import SIMULTANEOUS
from rbnotes.multibody.maximal.joint_space import JointSpace
from rbnotes.multibody.maximal.model import PROJECTION, MaximalModel
from rbnotes.multibody.maximal.rattle_integrator import Rattle, rattle
from rbnotes.multibody.maximal.simulation_options import Progress, SimulationOptions
from rbnotes.multibody.maximal.stepping import (
    Integrator,
    StepContext,
    StepResult,
    predict_contacts,
)
from rbnotes.multibody.maximal.trajectory import (
    MaximalTrajectory,
    RestartData,
    Work,
    join_contact_records,
    single_contact_record,
)
from rbnotes.multibody.step_failures import name_step_failures


def simulate(
    model: MaximalModel,
    state: State | MaximalTrajectory,
    h: float,
    steps: int,
    *,
    friction_model: FrictionModel | Callable[[StepProblem], StepSolution] | str = semismooth_newton_friction,
    max_friction_residual: float | None = None,
    integrator: Integrator | Scheme = rattle,
    impacts: str = SIMULTANEOUS,
    stabilization: str = PROJECTION,
    gamma: float | None = None,
    slop: float = 1e-5,
    joint_space: JointSpace | None = None,
    compiled: bool | str = False,
    progress: Progress | None = None,
) -> MaximalTrajectory:
    """Simulate the motion of bodies.

    Parameters
    ----------
    model
        Bodies, joints, forces and colliders.
    state
        Initial poses ``(n, 4, 4)`` and twists ``(n, 6)``, which satisfy the joints. Or a trajectory of this
        model, to continue it with bitwise the same result as without interruption.
    h
        Step size, s.
    steps
        Number of steps.
    friction_model
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
        Springs, dampers, actuators, friction, bearings, limits and other constraints of joints, at the
        initial poses, which :func:`rbnotes.multibody.simulate` derives from a model; they need the integrator
        ``rattle``.
    compiled : {False, "auto", True}
        If True, take compiled steps (:mod:`rbnotes.multibody.packing.compiled_steps`), which need numba.
        "auto" takes them if they support the model and the options; ``MaximalTrajectory.compiled`` says so.
    progress
        Called after each step with the number of steps done and of all.

    Returns
    -------
    MaximalTrajectory
        States at the start and after each step, with contacts, events, work and impulses.

    Raises
    ------
    InvalidArgument
        If ``model`` is not a ``MaximalModel``, ``state`` does not fit it, ``h`` is not positive, ``steps`` is
        below 1, an option is not one of the names, or compiled steps do not support the model or an option.
    FrictionNotConverged
        If the friction model does not get below ``max_friction_residual``.
    NotSolved
        If contacts and joints contradict each other.
    MissingExtra
        If ``compiled`` is True and numba is not installed.
    """
    options = SimulationOptions(
        h=h,
        steps=steps,
        friction_model=select_friction_model("friction_model", friction_model),
        max_friction_residual=max_friction_residual,
        impacts=impacts,
        compiled=compiled,
        stabilization=stabilization,
        gamma=gamma,
        slop=slop,
        progress=progress,
    )
    return simulate_with_options(model, state, options, integrator, joint_space)


def simulate_with_options(
    model: MaximalModel,
    state: State | MaximalTrajectory,
    options: SimulationOptions,
    integrator: Integrator | Scheme,
    joint_space: JointSpace | None,
) -> MaximalTrajectory:
    """Return the same as :func:`simulate`, with its options in one object."""
    arguments.require_instance("model", model, MaximalModel)
    arguments.require_instance("state", state, State, MaximalTrajectory)
    if not isinstance(integrator, Scheme):
        arguments.require_methods("integrator", integrator, "step")
    if joint_space is not None:
        methods = "at", "coordinates_and_rates", "constraints", "rotors", "impulses", "bearings"
        arguments.require_methods("joint_space", joint_space, *methods)
        if not isinstance(integrator, Rattle):
            got = arguments.format_value(integrator)
            raise InvalidArgument(
                "integrator", got, "rattle with forces and constraints in joint coordinates"
            )
    previous = None
    if isinstance(state, MaximalTrajectory):
        previous, state = state, state.states[-1]
    state = _check_state(model, state)
    context = StepContext(model, options.step_settings(), joint_space, model.detect_contacts)
    step_integrator = FirstOrderIntegrator(integrator) if isinstance(integrator, Scheme) else integrator
    run = _take_steps
    if options.compiled:
        from rbnotes.multibody.packing.compiled_steps import compile_context
        from rbnotes.multibody.packing.simulation_runs import take_compiled_steps

        try:
            context, packed = compile_context(context, step_integrator)
            run = partial(take_compiled_steps, packed)
        except (InvalidArgument, MissingExtra):
            if options.compiled != "auto":
                raise
    if previous is None:
        points = predict_contacts(context, state)
    else:
        points, context.settings.friction.last_impulses = previous.restart
    return run(context, step_integrator, state, points, options.steps, options.progress)


def _take_steps(
    context: StepContext,
    integrator: Integrator,
    state: State,
    points: ContactPoints,
    steps: int,
    progress: Progress | None,
) -> MaximalTrajectory:
    """Take steps from a state with these contacts and the last impulses of the friction model."""
    joints = context.start_joints(state.E)
    states, energies, results = [state], [context.energy(state, joints)], list[StepResult]()
    coordinates = [joints.coordinates_and_rates(state.velocity)]
    for step in range(1, steps + 1):
        with name_step_failures(state.t, points, context.model.body_names):
            result = integrator.step(context, state, points, joints)
        state, points, joints = result.state, result.points, context.joints_after(result)
        states.append(state)
        energies.append(context.energy(state, joints))
        coordinates.append(joints.coordinates_and_rates(state.velocity))
        results.append(result._replace(joints=None))
        if progress is not None:
            progress(step, steps)
    return MaximalTrajectory(
        States.stack(states),
        np.array(energies),
        np.array([q for q, _ in coordinates]),
        np.array([qdot for _, qdot in coordinates]),
        np.array([each.multipliers for each in results]),
        np.array([each.actuator_impulse for each in results]),
        np.array([each.friction_impulse for each in results]),
        join_contact_records([single_contact_record(each.contacts) for each in results]),
        Work(*np.transpose([each.work for each in results])),
        RestartData(points, context.settings.friction.last_impulses),
    )


def _check_state(model: MaximalModel, state: State) -> State:
    count = len(model.inertias)
    if len(state.E) != count or state.size != 6 * count:
        got = f"{len(state.E)} bodies and {state.size} velocities"
        raise InvalidArgument("state", got, f"{count} bodies, and nothing else")
    return state
