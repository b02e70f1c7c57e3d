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

from functools import partial

import numpy as np

from rbnotes.arguments import InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import Scheme, State, States
from rbnotes.errors import MissingExtra
from rbnotes.multibody.maximal.first_order_integrator import FirstOrderIntegrator
from rbnotes.multibody.maximal.joint_space import JointSpace
from rbnotes.multibody.maximal.model import MaximalModel
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.multibody.maximal.stepping import (
    Integrator,
    StepContext,
    StepResult,
    predict_contacts,
)
from rbnotes.multibody.maximal.trajectory import MaximalTrajectory
from rbnotes.multibody.simulation_options import Progress, SimulationOptions
from rbnotes.multibody.step_failures import name_step_failures
from rbnotes.multibody.step_records import (
    RestartData,
    Work,
    join_contact_records,
    single_contact_record,
)


def simulate_maximal(
    model: MaximalModel,
    state: State,
    options: SimulationOptions,
    integrator: Integrator | Scheme = rattle,
    joint_space: JointSpace | None = None,
    restart: RestartData | None = None,
) -> MaximalTrajectory:
    """Simulate the motion of bodies in maximal coordinates, for :func:`rbnotes.multibody.simulate`.

    Parameters
    ----------
    model
        Bodies, joints, forces and colliders.
    state
        Initial poses ``(n, 4, 4)`` and twists ``(n, 6)``, which satisfy the joints.
    options
        Step size, number of steps, friction, impacts, stabilization, and whether steps are compiled.
    integrator
        Integrator: ``rattle``, of second order; or a scheme of :mod:`rbnotes.dynamics`, of first order under
        joints and contacts.
    joint_space
        Springs, dampers, actuators, friction, bearings, limits and other constraints of joints, at the
        initial poses, which need the integrator ``rattle``.
    restart
        Data of the run that this one continues, with bitwise the same result as without interruption.

    Returns
    -------
    MaximalTrajectory
        States at the start and after each step, with contacts, events, work and impulses.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support the model or an option.
    FrictionNotConverged
        If the friction model does not get below ``max_friction_residual``.
    NotSolved
        If contacts and joints contradict each other.
    MissingExtra
        If ``options.compiled`` is True and numba is not installed.
    """
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
    if restart is None:
        points = predict_contacts(context, state)
    else:
        points, context.settings.friction.last_impulses = restart
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
