"""Simulation of a model: free bodies, robots and mechanisms, in contact or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import FullyImplicitScheme, Scheme, State, States, StepProblem, StepSolution
from rbnotes.dynamics.free_body_schemes import FREE_BODY_FUNCTIONS
from rbnotes.errors import MissingExtra
from rbnotes.friction import FrictionModel
from rbnotes.friction import friction_model as select_friction_model
from rbnotes.multibody.adaptive_step import AdaptiveStepper, check_is_smooth
from rbnotes.multibody.applied_forces import Commands, Control, interpolate_commands
from rbnotes.multibody.channels import check_channel_names
from rbnotes.multibody.coordinate_conversion import TreeCoordinates, maximal_coordinates
from rbnotes.multibody.events import Event, EventOccurrence
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.multibody.maximal.simulation import simulate_maximal
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_constraints import check_initial_state, check_position_constraints
from rbnotes.multibody.model_joint_space import ModelJointSpace, joint_space_features
from rbnotes.multibody.particle_bodies import (
    bodies_to_particles,
    particle_trajectory,
    particles_as_bodies,
    particles_to_bodies,
)
from rbnotes.multibody.reduced.adaptive_integration import METHODS as ADAPTIVE_METHODS
from rbnotes.multibody.scheme_step import SchemeStepper, check_has_no_bearings
from rbnotes.multibody.simulation_options import Progress, SimulationOptions
from rbnotes.multibody.step_failures import name_step_failures
from rbnotes.multibody.step_records import ContactRecords, RestartData, Work, join_contact_records
from rbnotes.multibody.step_series import StepSeries
from rbnotes.multibody.step_settings import BAUMGARTE, PROJECTION, SIMULTANEOUS, StepSettings
from rbnotes.multibody.trajectory import Trajectory, record_channels
from rbnotes.multibody.tree_bearings import check_bearings
from rbnotes.multibody.tunneling import warn_of_tunneling
from rbnotes.multibody.verlet_step import TreeStepper
from rbnotes.unchecked.frozen import set_fields

MAX_STEPS = 10**9
"""Largest number of steps: more states do not fit into memory."""
COORDINATES = ("auto", "reduced", "maximal")
"""Accepted values of ``coordinates``."""
RATTLE = "rattle"
"""Name of the default scheme."""
SCHEMES = (RATTLE, *ADAPTIVE_METHODS)
"""Names of schemes."""


def simulate(
    model: Model,
    state: State | Trajectory | None = None,
    *,
    h: float,
    duration: float | None = None,
    steps: int | None = None,
    control: Control | Commands | None = None,
    scheme: Scheme | FullyImplicitScheme | str = RATTLE,
    rtol: float | None = None,
    atol: float | None = None,
    events: Sequence[Event] = (),
    friction_model: FrictionModel | Callable[[StepProblem], StepSolution] | str = "newton",
    max_friction_residual: float | None = None,
    impacts: str = SIMULTANEOUS,
    coordinates: str = "auto",
    compiled: bool | str = False,
    stabilization: str = PROJECTION,
    gamma: float | None = None,
    slop: float = 1e-5,
    record: Sequence[str] = (),
    progress: Progress | None = None,
) -> Trajectory:
    """Simulate the motion of a model.

    Bodies touch each other and the ground with friction, and rebound by Newton's law of impact. Particles
    move under gravity, the forces of the model and attachments; they do not touch anything.

    Parameters
    ----------
    model
        Bodies, particles, joints, ground, forces and constraints.
    state
        Initial state, by default ``model.state()``, which particles do not have; or a trajectory of this
        model, to continue it with bitwise the same result as without interruption. The methods of SciPy
        start anew there; their results are the same within ``rtol`` and ``atol``.
    h
        Step size, s.
    duration
        Time to simulate, s: a multiple of the step size. Give either this or ``steps``.
    steps
        Number of steps.
    control
        Commands as a function of the state: the forces of joints and motors, N m or N, and the targets of
        servos, by the names of bodies, or one for each joint velocity in the order of ``state.qdot``. It is
        evaluated three times in each step. Or the commands at the start and after each step as arrays,
        ``(steps + 1, k)`` or by the names of bodies, between which they are interpolated linearly.
    scheme
        ``"rattle"``, of second order (:mod:`rbnotes.multibody.verlet_step`;
        :mod:`rbnotes.multibody.maximal.rattle_integrator` in maximal coordinates); or a scheme of
        :mod:`rbnotes.dynamics`, of first order with joints and contacts: ``symplectic_euler``,
        ``implicit_euler``, or in reduced coordinates ``fully_implicit_euler``; or a method of
        :mod:`scipy.integrate`, for motions without contacts, constraints and dry friction: ``"DOP853"``,
        ``"RK45"``, ``"RK23"``, or ``"Radau"``, ``"BDF"`` and ``"LSODA"`` for stiff forces. These choose their
        own steps; the states at multiples of ``h`` come from their dense output.
    rtol, atol
        Accepted errors of a step of a method of SciPy: relative, and in the units of coordinates and
        velocities; by default 1e-9 and 1e-10.
    events
        Zero crossings of functions of the state to find with a method of SciPy, in ``Trajectory.events``: see
        :class:`Event`. A function that crosses zero twice between two recorded states is not noticed: reduce
        ``h``. A terminal event ends the motion between them, so that the last step is shorter. A trajectory
        that continues after it does not find it again.
    friction_model
        Friction model: a function of :mod:`rbnotes.friction`, its name (``"coulomb"``), or a function with
        the same signature. The name stands for a law and its algorithm: ``"newton"``, ``"gauss_seidel"`` and
        ``"coulomb"`` solve Coulomb's law. ``functools.partial(staggered_projections, solver="cvxpy")`` sets
        an option.
    max_friction_residual
        Largest accepted residual, dimensionless, of a friction model that does not converge; unlimited by
        default. The records of the contacts hold all residuals, and the first above 1e-3 causes a
        :class:`FrictionWarning`.
    impacts : {"simultaneous", "sequential"}
        Impacts of bodies with restitution: Newton's law at all contacts at once, or at those that approach
        fastest, one pair after the other. They precede the forces of their step, so that an impact at the
        start of a step keeps the second order. Impacts without restitution are solved together with these
        forces; the velocities after them have an error of first order.
    coordinates : {"auto", "reduced", "maximal"}
        Coordinates of the computation: those of the joints, or six for each body with joints as constraints.
        "auto" is maximal for models of free bodies, reduced otherwise.
    compiled : {False, "auto", True}
        If True, take compiled steps, which need numba: in maximal coordinates those of
        :mod:`rbnotes.multibody.packing.compiled_steps`, in reduced ones those of
        :mod:`rbnotes.multibody.packing.tree_simulation_runs`. "auto" takes them if they support the model and
        the options; it does not change the coordinates. ``Trajectory.compiled`` says so.
    stabilization : {"projection", "baumgarte", "none"}
        Correction of joint errors and overlaps: by the smallest displacement, by the next velocities, or
        none. The last two need maximal coordinates or a scheme of :mod:`rbnotes.dynamics`.
    gamma
        Error reduction rate of Baumgarte's stabilization, 1/s: a step leaves the part ``1 - gamma h`` of an
        error. At most ``2 / h``, by default ``0.2 / h``. In maximal coordinates, overlaps are reduced no
        faster than at the velocity that lifts a body out of them, ``sqrt(2 g overlap)``: without gravity, not
        at all.
    slop
        Overlap that is not corrected, m.
    record
        Names of quantities to record, such as ``["tool", "elbow.torque", "contacts", "energy"]``
        (:meth:`Trajectory.channel`); they are in ``Trajectory.recorded``.
    progress
        Called after each step with the number of steps done and of all.

    Returns
    -------
    Trajectory
        States at the start and after each step until a terminal event, with contacts, events and the account
        of energy.

    Raises
    ------
    InvalidArgument
        If a value does not fit, ``state`` violates a constraint (Baumgarte's stabilization accepts that in
        reduced coordinates), neither or both of ``duration`` and ``steps`` are given, or the coordinates or
        compiled steps do not support the model or an option.
    FrictionNotConverged
        If the friction model finds no finite solution, or its residual exceeds ``max_friction_residual``.
    NotConverged
        If no velocities satisfy the constraints at the end of a step.
    NotSolved
        If contacts and constraints contradict each other.
    SingularConfiguration
        If a joint reaches a singular state.
    MissingExtra
        If ``compiled=True`` and numba is not installed.

    Warns
    -----
    TunnelingWarning
        If bodies may have passed through each other in a step.
    """
    arguments.require_instance("model", model, Model)
    h = arguments.positive_number("h", h)
    num_steps = _num_steps(h, duration, steps)
    if control is not None and not callable(control):
        control = interpolate_commands(model, control, _start_time(state), h, num_steps)
    options = _ModelSimulationOptions(
        h=h,
        steps=num_steps,
        control=control,
        scheme=scheme,
        rtol=rtol,
        atol=atol,
        events=events,
        friction_model=select_friction_model("friction_model", friction_model),
        max_friction_residual=max_friction_residual,
        impacts=impacts,
        compiled=compiled,
        stabilization=stabilization,
        gamma=gamma,
        slop=slop,
        progress=progress,
    )
    record = check_channel_names("record", record, model)
    if isinstance(state, Trajectory) and state.model is not model:
        raise InvalidArgument("state", "a trajectory of another model", "one of this model")
    if len(model.particles):
        motion = _simulate_with_particles(model, state, coordinates, options)
    else:
        motion = _simulate_bodies(model, state, coordinates, options)
    return record_channels(motion, record)


def step(
    model: Model,
    state: State,
    h: float,
    **options: Any,
) -> State:
    """Return the state after one step of :func:`simulate`.

    For several steps :func:`simulate` is faster: it starts the friction model from the last impulses.

    Parameters
    ----------
    state
        State of the model.
    h
        Step size, s.
    **options
        Options of :func:`simulate`, such as ``control`` and ``friction_model``.

    Raises
    ------
    InvalidArgument
        If a value does not fit, or ``state`` violates a constraint.
    FrictionNotConverged
        If the friction model finds no finite solution.
    NotConverged
        If no velocities satisfy the constraints at the end of the step.
    NotSolved
        If contacts and constraints contradict each other.
    SingularConfiguration
        If a joint reaches a singular state.
    """
    arguments.require_instance("state", state, State)
    return simulate(model, state, h=h, steps=1, **options).states[-1]


@dataclass(frozen=True, kw_only=True)
class _ModelSimulationOptions(SimulationOptions):
    """Checked options of :func:`simulate` that are independent of the model."""

    control: Control | None
    scheme: Scheme | FullyImplicitScheme | str
    rtol: float | None
    atol: float | None
    events: Sequence[Event]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.control is not None:
            arguments.require_function("control", self.control, "state")
        if not isinstance(self.scheme, Scheme | FullyImplicitScheme):
            arguments.choice("scheme", self.scheme, SCHEMES)
        for name in ("rtol", "atol"):
            tolerance = getattr(self, name)
            if tolerance is None:
                continue
            if not self.is_adaptive:
                expected = "None without a scheme of SciPy, such as 'DOP853'"
                raise InvalidArgument(name, arguments.format_value(tolerance), expected)
            set_fields(self, **{name: arguments.positive_number(name, tolerance)})
        set_fields(self, events=arguments.instances("events", self.events, Event))
        if self.events and not self.is_adaptive:
            got = f"{len(self.events)} with scheme={self.scheme!r}"
            expected = "none with fixed steps; pass scheme='DOP853', or use Trajectory.contact_events"
            raise InvalidArgument("events", got, expected)

    @property
    def is_adaptive(self) -> bool:
        """True if a method of SciPy integrates."""
        return isinstance(self.scheme, str) and self.scheme != RATTLE

    @property
    def needs_reduced_coordinates(self) -> bool:
        """True if the scheme is not available in maximal coordinates."""
        return self.is_adaptive or isinstance(self.scheme, FullyImplicitScheme)


def _simulate_with_particles(
    model: Model, state: State | Trajectory | None, coordinates: str, options: _ModelSimulationOptions
) -> Trajectory:
    """Simulate the equivalent model whose particles are bodies."""
    if state is None:
        raise InvalidArgument("state", "None", "one with the positions of the particles, Model.state(x=...)")
    if isinstance(state, Trajectory):
        start: State | Trajectory | None = state.with_particles_as_bodies
    else:
        arguments.require_instance("state", state, State)
        model.check_state(state)
        start = particles_to_bodies(state)

    def on_bodies(name: str, function: Callable[[State], Any]) -> Callable[[State], Any]:
        count = len(model.particles)
        return lambda each: arguments.call_user_function(name, function, bodies_to_particles(each, count))

    events = [
        replace(each, function=on_bodies(f"events[{i}]", each.function))
        for i, each in enumerate(options.events)
    ]
    control = None if options.control is None else on_bodies("control", options.control)
    options = replace(options, control=control, events=events)
    motion = _simulate_bodies(particles_as_bodies(model), start, coordinates, options)
    return particle_trajectory(model, motion)


def _simulate_bodies(
    model: Model, state: State | Trajectory | None, coordinates: str, options: _ModelSimulationOptions
) -> Trajectory:
    """Simulate a model without particles."""
    if _select_coordinates(coordinates, model, options) == "maximal":
        return _simulate_maximal(model, state, options)
    return _simulate_reduced(model, state, options)


def _select_coordinates(coordinates: str, model: Model, options: _ModelSimulationOptions) -> str:
    """Return the coordinates of the computation, ``"reduced"`` or ``"maximal"``."""
    arguments.choice("coordinates", coordinates, COORDINATES)
    if coordinates == "auto":
        needs_tree = options.needs_reduced_coordinates or model.constraints
        is_maximal = all(body.is_free for body in model.bodies) and not needs_tree
        return "maximal" if is_maximal else "reduced"
    if coordinates == "maximal" and options.needs_reduced_coordinates:
        raise InvalidArgument("coordinates", "'maximal'", f"'reduced' with scheme={options.scheme!r}")
    return coordinates


def _simulate_maximal(
    model: Model, state: State | Trajectory | None, options: _ModelSimulationOptions
) -> Trajectory:
    """Simulate in maximal coordinates: free bodies with sparse matrices, joints as constraints."""
    converted = maximal_coordinates(model)
    start, restart = _maximal_start(model, state, options)
    integrator = options.scheme if isinstance(options.scheme, Scheme) else rattle
    joint_space = None
    features = joint_space_features(model, options.control)
    if features:
        check_position_constraints(model)
        check_bearings(model)
        if integrator is not rattle:
            expected = f"{RATTLE!r} in maximal coordinates with {', '.join(features)}"
            raise InvalidArgument("scheme", arguments.format_value(integrator), expected)
        q = state.tree_q[-1] if isinstance(state, Trajectory) else _tree_state(model, state).q
        joint_space = ModelJointSpace.at_coordinates(model, options.control, start.E, q)
    result = simulate_maximal(converted.maximal_model, start, options, integrator, joint_space, restart)
    coordinates = None
    no_impulses: Array = np.zeros((options.steps, model.tree.num_coordinates))
    impulses = no_impulses, no_impulses
    if joint_space is not None:
        coordinates = TreeCoordinates(result.joint_coordinates, result.joint_rates)
        impulses = result.actuator_impulses, result.friction_impulses
    return _trajectory(
        model,
        coordinates,
        result.states,
        result.energies,
        result.contacts,
        result.work,
        impulses,
        result.restart,
        result.joint_impulses,
        compiled=result.compiled,
    )


def _maximal_start(
    model: Model, state: State | Trajectory | None, options: _ModelSimulationOptions
) -> tuple[State, RestartData | None]:
    """Return the state of all bodies, and the data of a run to continue."""
    if isinstance(state, Trajectory):
        if state.joint_impulses is None:
            raise InvalidArgument("state", "a trajectory in reduced coordinates", "one in maximal ones")
        return state.body_states[-1], state.restart
    if model.constraints and options.stabilization != BAUMGARTE:
        check_initial_state(model, _tree_state(model, state))
    return model.body_state(model.state() if state is None else state), None


def _tree_state(model: Model, state: State | None) -> State:
    """Return the initial state of the tree."""
    return model.tree_state(model.state() if state is None else state)


class _Stepper(Protocol):
    """Steps of a model in the coordinates of its tree."""

    @property
    def settings(self) -> StepSettings:
        """Step size and friction."""
        ...

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts that could close within the next step."""
        ...

    def steps(self, series: StepSeries, points: ContactPoints) -> Iterator[tuple[int, ContactPoints]]:
        """Write the steps of a series, one or several at a time, from its first state with these contacts.

        Yields how many steps are done, and the contacts at the end of the last one.
        """
        ...


def _simulate_reduced(
    model: Model, state: State | Trajectory | None, options: _ModelSimulationOptions
) -> Trajectory:
    """Simulate in the coordinates of the model's tree."""
    stepper = _select_stepper(model, options)
    friction = stepper.settings.friction
    tree_state, points = _reduced_start(model, state, stepper)
    series = StepSeries.start(model, tree_state, options.steps)
    names, num_done = [body.name for body in model.bodies], 0
    remaining_steps = stepper.steps(series, points)
    while num_done < options.steps:
        with name_step_failures(float(series.t[num_done]), points, names):
            num_taken, points = next(remaining_steps, (num_done, points))
        if num_taken == num_done:  # after a terminal event
            break
        if options.progress is not None:
            for number in range(num_done + 1, num_taken + 1):
                options.progress(number, options.steps)
        num_done = num_taken
    series = series.first_steps(num_done)
    empty = np.zeros((len(series.t), 0, 3))
    motion = _trajectory(
        model,
        TreeCoordinates(series.q, series.qdot),
        States(series.E, series.phi, empty, empty, empty[..., 0], empty[..., 0], series.t),
        series.energies,
        join_contact_records(series.contacts),
        series.work_by_cause,
        (series.actuator_impulses, series.friction_impulses),
        RestartData(points, friction.last_impulses),
        None,
        compiled=not isinstance(stepper, TreeStepper | SchemeStepper | AdaptiveStepper),
    )
    return replace(
        motion,
        events=tuple(_event_states(model, series.events, i) for i in range(len(options.events))),
        terminating_event=next((i for i, _ in series.events if options.events[i].terminal), None),
    )


def _select_stepper(model: Model, options: _ModelSimulationOptions) -> _Stepper:
    """Return the stepper of the scheme in reduced coordinates.

    Raises
    ------
    InvalidArgument
        If it does not support the model or an option.
    """
    scheme, control, settings = options.scheme, options.control, options.step_settings()
    if options.compiled is True and scheme != RATTLE:
        raise InvalidArgument("compiled", "True", f'False or "auto" with scheme={scheme!r}')
    if isinstance(scheme, Scheme | FullyImplicitScheme):
        check_has_no_bearings(model)
        functions = (scheme.problem, scheme.advance) if isinstance(scheme, Scheme) else ()
        if any(each in FREE_BODY_FUNCTIONS for each in functions):
            expected = 'another one in reduced coordinates; pass coordinates="maximal"'
            raise InvalidArgument("scheme", "one of free bodies", expected)
        return SchemeStepper(model, settings, scheme, control)
    if options.stabilization != PROJECTION:
        expected = f"{PROJECTION!r} with scheme={scheme!r} in reduced coordinates"
        raise InvalidArgument("stabilization", repr(options.stabilization), expected)
    if options.is_adaptive:
        if options.impacts != SIMULTANEOUS:
            expected = f"{SIMULTANEOUS!r} with scheme={scheme!r}, which has no impacts"
            raise InvalidArgument("impacts", repr(options.impacts), expected)
        check_is_smooth(model, scheme)
        rtol = 1e-9 if options.rtol is None else options.rtol
        atol = 1e-10 if options.atol is None else options.atol
        return AdaptiveStepper(model, settings, scheme, rtol, atol, control, options.events)
    check_position_constraints(model)
    check_bearings(model)
    stepper = TreeStepper(model, settings, control)
    if options.compiled:
        from rbnotes.multibody.packing.tree_simulation_runs import compile_stepper

        try:
            return compile_stepper(stepper)
        except (InvalidArgument, MissingExtra):
            if options.compiled != "auto":
                raise
    return stepper


def _reduced_start(
    model: Model, state: State | Trajectory | None, stepper: _Stepper
) -> tuple[State, ContactPoints]:
    """Return the state of the tree and its contacts; those of a trajectory to continue load the friction."""
    if isinstance(state, Trajectory):
        if state.joint_impulses is not None:
            raise InvalidArgument("state", "a trajectory in maximal coordinates", "one in reduced ones")
        points, stepper.settings.friction.last_impulses = state.restart
        return State(q=state.tree_q[-1], qdot=state.tree_qdot[-1], t=state.t[-1]), points
    tree_state = _tree_state(model, state)
    if not (isinstance(stepper, SchemeStepper) and stepper.settings.stabilization == BAUMGARTE):
        check_initial_state(model, tree_state)
    return tree_state, stepper.predict_contacts(tree_state)


def _trajectory(
    model: Model,
    coordinates: TreeCoordinates | None,
    body_states: States,
    energies: Array,
    contacts: ContactRecords,
    work: Work[Array],
    coordinate_impulses: tuple[Array, Array],
    restart: RestartData,
    joint_impulses: Array | None,
    *,
    compiled: bool,
) -> Trajectory:
    """Return the trajectory of a run; warn of steps in which bodies may pass through each other."""
    warn_of_tunneling(model, body_states, contacts)
    return Trajectory(
        model,
        body_states,
        energies,
        contacts,
        work,
        *coordinate_impulses,
        restart,
        coordinates,
        joint_impulses,
        compiled=compiled,
    )


def _event_states(model: Model, occurrences: Sequence[EventOccurrence], event: int) -> States:
    """Return the states of a model at the occurrences of one event."""
    states = [each.state for each in occurrences if each.event == event]
    shape = len(states), model.tree.num_coordinates
    q, qdot = (np.reshape([getattr(each, name) for each in states], shape) for name in ("q", "qdot"))
    E, phi, joint_q, joint_qdot = model.split_tree_coordinates(q, qdot)
    empty, t = np.zeros((len(states), 0, 3)), np.array([each.t for each in states])
    return States(E, phi, empty, empty, joint_q, joint_qdot, t)


def _start_time(state: State | Trajectory | None) -> float:
    """Return the time at which a simulation starts, s."""
    if isinstance(state, Trajectory):
        return float(state.t[-1])
    return state.t if isinstance(state, State) else 0.0


def _num_steps(h: float, duration: float | None, steps: int | None) -> int:
    """Return the number of steps from the duration or the number itself."""
    if (duration is None) == (steps is None):
        raise InvalidArgument("duration, steps", "neither" if steps is None else "both", "one of the two")
    if steps is not None:
        return _require_feasible("steps", arguments.count("steps", steps, minimum=1))
    duration = arguments.positive_number("duration", duration)
    count = round(duration / h)
    if not np.isclose(count * h, duration, rtol=1e-9, atol=0.0):
        raise InvalidArgument("duration", f"{duration:g} s", f"a multiple of the step size, {h:g} s")
    return _require_feasible("duration", count)


def _require_feasible(name: str, num_steps: int) -> int:
    if num_steps > MAX_STEPS:
        raise InvalidArgument(name, f"{num_steps:.0e} steps", f"at most {MAX_STEPS:.0e} steps")
    return num_steps
