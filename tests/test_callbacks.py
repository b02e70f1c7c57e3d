"""Functions of the user receive read-only arrays: one that writes into its arguments fails at once.

Otherwise it would change the results of others, or have no effect, in silence.
"""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from rbnotes import Body, Model, joints, se3, simulate, so3
from rbnotes.constraints.stabilization import project_poses, project_positions
from rbnotes.dynamics import (
    BilateralRows,
    FreeSystem,
    State,
    System,
    constrained_step,
    integrate,
    symplectic_euler,
    zero_forces,
)
from rbnotes.forces import CallableTensionLaw, Tension, stress
from rbnotes.forces.path import dissipated_power, path_force
from rbnotes.multibody import Motor, packing, reduced
from rbnotes.shapes import Box, Plane
from rbnotes.testing import differences

EARTH = Box([0.1, 0.1, 1.0])


def write(*arguments):
    """Write into the first array of the arguments: an array, or a field of a state or a problem."""
    for argument in arguments:
        for value in [argument, *getattr(argument, "__dict__", {}).values()]:
            if isinstance(value, np.ndarray) and value.size:
                value.flat[0] = 7.0
                return
    raise AssertionError("no array")


def writing(function):
    """Return a function that writes into its arguments first."""

    def call(*arguments, **options):
        write(*arguments)
        return function(*arguments, **options)

    return call


class Hinge(joints.JointType):
    """Hinge about z, whose hooks write into the coordinates."""

    num_coordinates = 1

    def compute_transform(self, q):
        write(q)
        return se3.frame(so3.exp(q * [0, 0, 1]), np.zeros(3))

    def compute_motion_subspace(self, q):
        return np.zeros((*q.shape[:-1], 6, 1)) + np.eye(6)[:, 2:3]

    def compute_motion_subspace_derivative(self, q):
        return np.zeros((*q.shape[:-1], 6, 1, 1))

    def compute_motion_subspace_rate(self, q, qdot):
        write(qdot)
        return np.zeros((*q.shape[:-1], 6, 1))

    def compute_nearest_coordinates(self, Q):
        write(Q)
        return np.zeros((*Q.shape[:-2], 1))


def arm(**options):
    hinge = Body("arm", EARTH, mass=1.0, joint=joints.Revolute([0, 1.0, 0]))
    return Model([hinge], actuators=[Motor("arm")], **options)


def boxes(**options):
    return Model([Body("box", EARTH, mass=1.0, position=[0, 0, 0.5])], ground=Plane(), mu=0.5, **options)


PARTICLE = FreeSystem(masses=[1.0])
START = State(x=[0, 0, 1.0], v=[1.0, 0, 0])
OSCILLATOR = {
    "inertia": np.eye(2),
    "force_function": lambda q, qdot: -q,
    "stiffness": lambda q, qdot: -np.eye(2),
    "damping": lambda q, qdot: np.zeros((2, 2)),
    "potential": lambda q: q @ q / 2,
}
LINK_TREE = reduced.Tree([reduced.Link("a", joints.Revolute([0, 0, 1.0]), EARTH.spatial_inertia(mass=1.0))])
SYSTEM = reduced.TreeSystem(LINK_TREE)
HINGE_TREE = reduced.Tree([reduced.Link("a", Hinge(), EARTH.spatial_inertia(mass=1.0))])
SPRING = CallableTensionLaw(lambda L, Ldot: 3.0 * L + Ldot, potential=lambda L: 1.5 * L**2)
CHAIN = np.array([[0, 0, 0], [1.0, 0, 0], [1.0, 2.0, 0]])


def tension(L, Ldot):
    return Tension(L, np.ones_like(L), np.zeros_like(L))


def oscillator(name):
    return System(**{**OSCILLATOR, name: writing(OSCILLATOR[name])})


def oscillate(name):
    system, state = oscillator(name), State(q=[1.0, 0.0])
    system.linearized_force(state)
    system.energy(state)


def law(**functions):
    given = {"function": SPRING.function, "potential": SPRING.potential}
    return CallableTensionLaw(**{**given, **functions})


def hyper_reduced(name):
    functions = {"q": lambda q: 2 * q, "jacobian": lambda q: [[2.0]], "jacobian_rate": lambda q, v: [[0.0]]}
    functions["bias_acceleration_derivative"] = lambda q, v: [[0.0]]
    functions[name] = writing(functions[name])
    system = reduced.HyperReducedSystem(SYSTEM, reduced.JointCoordinates(1, **functions))
    system.linearized_residual(State(q=[0.3], qdot=[0.1]), [0.0])


def sweep_in_threads(function):
    with ThreadPoolExecutor(1) as executor:
        packing.sweep(function, np.zeros((3, 2)), executor=executor)


CALLS = {
    "control": lambda: simulate(
        arm(), h=0.01, steps=1, control=writing(lambda state: {"arm": 0.1}), coordinates="reduced"
    ),
    "control, maximal": lambda: simulate(
        arm(), h=0.01, steps=1, control=writing(lambda state: {"arm": 0.1}), coordinates="maximal"
    ),
    "forces": lambda: simulate(boxes(forces=writing(zero_forces)), h=0.01, steps=1),
    "forces, maximal": lambda: simulate(
        boxes(forces=writing(zero_forces)), h=0.01, steps=1, coordinates="maximal"
    ),
    "forces, compiled": lambda: simulate(
        boxes(forces=writing(zero_forces)), h=0.01, steps=1, coordinates="maximal", compiled=True
    ),
    "applied_forces": lambda: integrate(
        symplectic_euler, FreeSystem(masses=[1.0], applied_forces=writing(zero_forces)), START, 0.1, 1
    ),
    "applied_joint_forces": lambda: reduced.TreeSystem(
        LINK_TREE, applied_joint_forces=writing(zero_forces)
    ).force(State(q=[0.1])),
    "friction_model": lambda: simulate(
        boxes(), h=0.01, steps=1, friction_model=lambda problem: write(problem)
    ),
    "friction_model, contacts": lambda: simulate(
        boxes(), h=0.01, steps=1, friction_model=lambda problem: write(problem.contacts)
    ),
    "step": lambda: integrate(writing(symplectic_euler), PARTICLE, START, 0.1, 1),
    "step, state": lambda: integrate(lambda system, state, h: write(state), PARTICLE, START, 0.1, 1),
    "problem": lambda: replace(symplectic_euler, problem=lambda system, state, h: write(state))(
        PARTICLE, START, 0.1
    ),
    "advance": lambda: replace(symplectic_euler, advance=lambda system, state, velocity, h: write(velocity))(
        PARTICLE, START, 0.1
    ),
    "solve": lambda: symplectic_euler(PARTICLE, START, 0.1, solve=lambda problem, part: write(problem)),
    "constraint_function": lambda: constrained_step(
        symplectic_euler, PARTICLE, START, 0.1, writing(lambda state, h: [BilateralRows()])
    ),
    "event": lambda: reduced.integrate_adaptively(
        SYSTEM, State(q=[0.1]), [0.1], events=[reduced.Event(writing(lambda state: 1.0))]
    ),
    "motion of a body": lambda: reduced.PrescribedBody("a", [0], writing(lambda t, E, phi: (phi, phi))).rows(
        SYSTEM, State(q=[0.1]), 0.0
    ),
    "motion of a body, twist": lambda: reduced.PrescribedBody("a", [0], lambda t, E, phi: write(phi)).rows(
        SYSTEM, State(q=[0.1]), 0.0
    ),
    **{name: lambda name=name: oscillate(name) for name in OSCILLATOR if name != "inertia"},
    **{
        f"joint coordinates, {name}": lambda name=name: hyper_reduced(name)
        for name in ("q", "jacobian", "jacobian_rate", "bias_acceleration_derivative")
    },
    "tension function": lambda: law(function=writing(SPRING.function))(1.0, 0.0),
    "tension dF_dL": lambda: law(dF_dL=writing(lambda L, Ldot: 3.0))(1.0, 0.0),
    "tension dF_dLdot": lambda: law(dF_dLdot=writing(lambda L, Ldot: 1.0))(1.0, 0.0),
    "tension potential": lambda: law(potential=writing(SPRING.potential)).energy(1.0),
    "stress": lambda: stress(writing(tension), [1.0, 2.0]),
    "path": lambda: path_force(writing(tension), np.stack([CHAIN, CHAIN]), np.zeros((2, 3, 3))),
    "path, rate": lambda: dissipated_power(
        lambda L, Ldot: (write(Ldot), tension(L, Ldot))[1], np.stack([CHAIN, CHAIN]), np.zeros((2, 3, 3))
    ),
    "constraint_residual": lambda: project_positions(
        [1.0, 2.0], np.eye(2), writing(lambda x: x[:1]), lambda x: [[1.0, 0.0]]
    ),
    "constraint_jacobian": lambda: project_positions(
        [1.0, 2.0], np.eye(2), lambda x: x[:1], writing(lambda x: [[1.0, 0.0]])
    ),
    "constraint_residual of poses": lambda: project_poses(
        np.eye(4)[None], np.eye(6)[None], writing(lambda E: E[0, :1, 3]), lambda E: np.eye(6)[:1]
    ),
    "jacobian": lambda: differences.jacobian(writing(np.sin), [0.1, 0.2]),
    "jacobian_so3": lambda: differences.jacobian_so3(writing(np.sin), np.eye(3)),
    "jacobian_se3": lambda: differences.jacobian_se3(writing(np.sin), np.eye(4)),
    "complex_step": lambda: differences.complex_step(writing(np.sin), [0.1, 0.2]),
    "sweep": lambda: sweep_in_threads(writing(np.sin)),
    "stored_energy": lambda: simulate(boxes(), h=0.01, steps=1).energy_figure(writing(lambda state: 0.0)),
    "joint": lambda: Hinge().transform([0.1]),
    "joint in a tree": lambda: reduced.forward_dynamics(HINGE_TREE, [0.1], [0.2], [0.0]),
    "joint, rates": lambda: Hinge().motion_subspace_rate([0.1], [0.2]),
    "joint, pose": lambda: Hinge().nearest_coordinates(np.eye(4)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_that_writes_into_its_arguments_fails(name):
    with pytest.raises(ValueError, match="read-only"):
        CALLS[name]()


def test_states_are_read_only_after_copying_and_pickling():
    state = State(E=np.eye(4), q=[1.0])
    for each in (state, copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        for array in (each.E, each.phi, each.q, each.qdot):
            assert not array.flags.writeable


def test_arrays_of_the_caller_remain_writable():
    q = np.array([1.0])
    state = State(q=q)
    q[0] = 2.0
    assert state.q[0] == 1.0
