"""A function of the user that writes into the arrays of its arguments is an error that names the function.

Otherwise it would change the results of others, or have no effect, in silence.
"""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rbnotes import Body, Model, forces, joints, se3, simulate, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.constraints.stabilization import project_positions
from rbnotes.dynamics import (
    State,
    constrained_step,
    implicit_euler,
    integrate,
    mechanical_system,
    symplectic_euler,
    zero_forces,
)
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.multibody import Event, Motor, reduced
from rbnotes.shapes import Box, Plane

BLOCK = Box([0.1, 0.1, 1.0])
COORDINATES = ("reduced", "maximal")


def write(*arguments):
    """Write into the first array of the arguments: an array, or a field of a state."""
    for argument in arguments:
        for value in [argument, *getattr(argument, "__dict__", {}).values()]:
            if isinstance(value, np.ndarray) and value.size:
                value.flat[0] += 1.0
                return
    raise AssertionError("no array")


def writing_function(function):
    """Return a function that writes into its arguments first."""

    def call(*arguments):
        write(*arguments)
        return function(*arguments)

    return call


class Hinge(joints.JointType):
    """Hinge about z, one of whose hooks writes into its arguments."""

    num_coordinates = 1

    def __init__(self, hook=""):
        self.hook = hook

    def compute_transform(self, q):
        if self.hook == "compute_transform":
            write(q)
        return se3.frame(so3.exp(q * [0, 0, 1]), np.zeros((*q.shape[:-1], 3)))

    def compute_motion_subspace(self, q):
        return np.zeros((*q.shape[:-1], 6, 1)) + np.eye(6)[:, 2:3]

    def compute_motion_subspace_derivative(self, q):
        return np.zeros((*q.shape[:-1], 6, 1, 1))

    def compute_nearest_coordinates(self, Q):
        if self.hook == "compute_nearest_coordinates":
            write(Q)
        return np.zeros((*Q.shape[:-2], 1))


class Group:
    """Forces that write into the state."""

    def forces(self, state):
        write(state)

    def energy(self, state):
        return 0.0

    def dissipated_power(self, state):
        return 0.0


def pendulum(joint=None, **options):
    joint = joints.Revolute([0, 1.0, 0]) if joint is None else joint
    hinge = Body("arm", BLOCK, mass=1.0, joint=joint)
    return Model([hinge], actuators=[Motor("arm")], **options)


def box(**options):
    return Model([Body("box", BLOCK, mass=1.0, position=[0, 0, 0.5])], ground=Plane(), mu=0.5, **options)


def pendulum_and_particle_state():
    return State(x=[[0, 0, 1.0]], v=[[0, 0, 0]], q=[0.1], qdot=[0.0])


def command(state):
    return {"arm": 0.1}


LINK_TREE = reduced.Tree([reduced.Link("a", joints.Revolute([0, 0, 1.0]), BLOCK.spatial_inertia(mass=1.0))])
SYSTEM = LINK_TREE
START = State(q=[0.1])
run = partial(simulate, h=0.01, steps=2)
RUNS = {
    "control": lambda **options: run(pendulum(), control=writing_function(command), **options),
    "forces": lambda **options: run(pendulum(forces=writing_function(zero_forces)), **options),
    "Group": lambda **options: run(pendulum(forces=Group()), **options),
    "Hinge.compute_transform": lambda **options: run(pendulum(Hinge("compute_transform")), **options),
}
CALLS = {
    "of a compiled step": (
        "applied_forces",
        lambda: run(box(forces=writing_function(zero_forces)), compiled=True),
    ),
    "of free bodies": (
        "applied_forces",
        lambda: run(box(forces=writing_function(zero_forces)), coordinates="maximal"),
    ),
    "of Verlet steps in reduced coordinates": (
        "forces",
        lambda: run(pendulum(forces=writing_function(zero_forces)), coordinates="reduced"),
    ),
    "of a scheme": (
        "control",
        lambda: run(
            pendulum(), control=writing_function(command), scheme=implicit_euler, coordinates="reduced"
        ),
    ),
    "of a model with particles": (
        "control",
        lambda: run(
            replace(pendulum(), particles=[1.0]),
            pendulum_and_particle_state(),
            control=writing_function(command),
        ),
    ),
    "of an adaptive step": (
        "control",
        lambda: run(pendulum(), control=writing_function(command), scheme="RK45", coordinates="reduced"),
    ),
    "of a model without joints": (
        "forces",
        lambda: integrate(
            symplectic_euler,
            Model(particles=[1.0], forces=writing_function(zero_forces)),
            State(x=[0, 0, 1.0], v=[1.0, 0, 0]),
            0.1,
            1,
        ),
    ),
    "of the joints of a tree": (
        "applied_joint_forces",
        lambda: replace(LINK_TREE, applied_joint_forces=writing_function(zero_forces)).force(START),
    ),
    "of an event": (
        "events[0]",
        lambda: run(pendulum(), events=[Event(writing_function(lambda state: 1.0))], scheme="RK45"),
    ),
    "of the motion of a body": (
        "motion of 'a'",
        lambda: reduced.PrescribedBody("a", [0], lambda t, E, phi: write(phi)).rows(SYSTEM, START, 0.0),
    ),
    "of the coordinates of a pose": (
        "Hinge.compute_nearest_coordinates",
        lambda: Hinge("compute_nearest_coordinates").nearest_coordinates(np.eye(4)),
    ),
}


def linear_tension(L, Ldot):
    return forces.Tension(L - 1, np.ones_like(L), np.zeros_like(L))


def friction_that_writes(part):
    """Return a friction model that writes into a part of the problem."""

    def solve(problem):
        part(problem).flat[0] += 1.0
        return semismooth_newton_friction(problem)

    return solve


def warm_started_friction(problem, initial_guess=None):
    if initial_guess is not None:
        write(initial_guess)
    return semismooth_newton_friction(problem)


def zero(q, qdot):
    return [[0.0]]


def oscillator(**functions):
    given = {"force": lambda q, qdot: -q, "stiffness": zero, "damping": zero, "potential": np.sum}
    return mechanical_system([[1.0]], **(given | functions))


def hyper_reduced(**functions):
    return reduced.reduce_coordinates(SYSTEM, replace(reduced.linear_coordinates([[1.0]]), **functions))


def constant(value):
    return lambda *_: np.array(value)


SWING = State(q=[0.3], qdot=[0.1])
SYSTEM_FUNCTIONS = {
    "force": (constant([1.0]), lambda system: system.force(SWING)),
    "stiffness": (zero, lambda system: system.linearized_force(SWING)),
    "damping": (zero, lambda system: system.linearized_force(SWING)),
    "potential": (np.sum, lambda system: system.energy(SWING)),
}
REDUCTION_FUNCTIONS = {
    "q": (constant([0.1]), lambda system: system.force(SWING)),
    "jacobian": (constant([[1.0]]), lambda system: system.force(SWING)),
    "jacobian_rate": (constant([[0.0]]), lambda system: system.force(SWING)),
    "bias_acceleration_derivative": (
        constant([[0.0]]),
        lambda system: system.linearized_residual(SWING, [0.0]),
    ),
}
FURTHER_CALLS = {
    "of a friction model into the momentum": (
        "friction_model",
        lambda: run(box(), friction_model=friction_that_writes(lambda problem: problem.momentum)),
    ),
    "of a friction model into the rows of contacts": (
        "friction_model",
        lambda: run(
            box(),
            friction_model=friction_that_writes(lambda problem: problem.contacts.rows.block_b),
            coordinates="maximal",
        ),
    ),
    "of a friction model into the initial guess": (
        "friction_model",
        lambda: run(box(), friction_model=FrictionModel(warm_started_friction, accepts_initial_guess=True)),
    ),
    "of a tension law": (
        "law",
        lambda: forces.stress(writing_function(linear_tension), [1.0, 2.0], [0.0, 0.0]),
    ),
    "of a tension law with damping": (
        "law",
        lambda: forces.dissipated_power(
            writing_function(linear_tension), np.eye(2, 3)[None], np.zeros((1, 2, 3))
        ),
    ),
    "of a residual": (
        "constraint_residual",
        lambda: project_positions([0.1], [[1.0]], writing_function(lambda x: x), constant([[1.0]])),
    ),
    "of a Jacobian": (
        "constraint_jacobian",
        lambda: project_positions([0.1], [[1.0]], lambda x: x, writing_function(constant([[1.0]]))),
    ),
    "of constraints of a step": (
        "constraint_function",
        lambda: constrained_step(
            symplectic_euler, oscillator(), SWING, 0.1, writing_function(lambda state, h: [])
        ),
    ),
    "of a scheme of the user": (
        "step",
        lambda: integrate(lambda system, state, h: write(state) or state, oscillator(), SWING, 0.1, 2),
    ),
    **{
        f"of a system: {name}": (name, partial(use, oscillator(**{name: writing_function(function)})))
        for name, (function, use) in SYSTEM_FUNCTIONS.items()
    },
    **{
        f"of a reduction: {name}": (name, partial(use, hyper_reduced(**{name: writing_function(function)})))
        for name, (function, use) in REDUCTION_FUNCTIONS.items()
    },
}


def assert_named(function, call):
    with pytest.raises(InvalidArgument, match=f"{re.escape(function)}: got a function that writes into"):
        call()


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("name", RUNS)
def test_callback_of_a_simulation_that_writes_into_its_arguments_is_named(name, coordinates):
    assert_named(name, lambda: RUNS[name](coordinates=coordinates))


@pytest.mark.parametrize("place", CALLS | FURTHER_CALLS)
def test_function_that_writes_into_its_arguments_is_named(place):
    assert_named(*(CALLS | FURTHER_CALLS)[place])


def test_function_that_leaves_its_arguments_unchanged_is_accepted():
    for coordinates in COORDINATES:
        run(
            pendulum(Hinge(), forces=lambda state: zero_forces(state)),
            control=command,
            coordinates=coordinates,
        )
