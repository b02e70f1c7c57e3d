"""A function of the user that writes into the arrays of its arguments is an error that names the function.

Otherwise it would change the results of others, or have no effect, in silence.
"""

import re
from functools import partial

import numpy as np
import pytest

from rbnotes import Body, Model, joints, se3, simulate, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import FreeSystem, State, implicit_euler, integrate, symplectic_euler, zero_forces
from rbnotes.multibody import Motor, reduced
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


def command(state):
    return {"arm": 0.1}


LINK_TREE = reduced.Tree([reduced.Link("a", joints.Revolute([0, 0, 1.0]), BLOCK.spatial_inertia(mass=1.0))])
SYSTEM = reduced.TreeSystem(LINK_TREE)
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
    "of an adaptive step": (
        "control",
        lambda: run(pendulum(), control=writing_function(command), scheme="RK45", coordinates="reduced"),
    ),
    "of a free system": (
        "applied_forces",
        lambda: integrate(
            symplectic_euler,
            FreeSystem(masses=[1.0], applied_forces=writing_function(zero_forces)),
            State(x=[0, 0, 1.0], v=[1.0, 0, 0]),
            0.1,
            1,
        ),
    ),
    "of the joints of a tree": (
        "applied_joint_forces",
        lambda: reduced.TreeSystem(LINK_TREE, applied_joint_forces=writing_function(zero_forces)).force(
            START
        ),
    ),
    "of an event": (
        "events[0]",
        lambda: reduced.integrate_adaptively(
            SYSTEM, START, [0.1], events=[reduced.Event(writing_function(lambda state: 1.0))]
        ),
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


def assert_named(function, call):
    with pytest.raises(InvalidArgument, match=f"{re.escape(function)}: got a function that writes into"):
        call()


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("name", RUNS)
def test_callback_of_a_simulation_that_writes_into_its_arguments_is_named(name, coordinates):
    assert_named(name, lambda: RUNS[name](coordinates=coordinates))


@pytest.mark.parametrize("place", CALLS)
def test_function_that_writes_into_its_arguments_is_named(place):
    assert_named(*CALLS[place])


def test_function_that_leaves_its_arguments_unchanged_is_accepted():
    for coordinates in COORDINATES:
        run(
            pendulum(Hinge(), forces=lambda state: zero_forces(state)),
            control=command,
            coordinates=coordinates,
        )
