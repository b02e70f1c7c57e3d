"""Derivatives of the dynamics of models, against differences of forces and accelerations, and Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from random_models import in_pinocchio, random_state, robot
from random_trees import frame

from rbnotes import Body, Model, joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.forces import (
    Damping,
    FrameSpring,
    FrameSprings,
    LinearSpring,
    PathForces,
    on_body,
    path_through,
)
from rbnotes.multibody import (
    damping,
    forward_dynamics,
    forward_dynamics_derivatives,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    mass_matrix,
    stiffness,
)
from rbnotes.testing import jacobian


def spring_forces():
    """Return a spring between two bodies, a frame spring to the world and a damper: bodies by name."""
    path = path_through(on_body("shank", [0.3, -0.2, 0.1]), on_body("stone", [0.1, 0.4, -0.3]))
    rng = np.random.default_rng(8)
    spring = FrameSpring(frame(rng), frame(rng), np.diag([30.0, 20.0, 10.0]), np.diag([3.0, 2.0, 1.0]))
    return [
        PathForces(LinearSpring(40.0, rest_length=0.5), path),
        FrameSprings(spring, ["world", "trunk"]),
        Damping(0.7, ["stone"]),
    ]


def differences(function, x):
    return jacobian(function, x).value


def retract(state, increment):
    twists = increment[: state.phi.size].reshape(-1, 6)
    return replace(state, E=state.E @ se3.exp(twists), q=state.q + increment[state.phi.size :])


def with_velocity(state, velocity):
    return replace(state, phi=velocity[: state.phi.size].reshape(-1, 6), qdot=velocity[state.phi.size :])


@pytest.fixture(params=[1, pytest.param(2, marks=pytest.mark.slow)])
def scene(request):
    model = robot(request.param, forces=spring_forces())
    return model, random_state(model)


def total_force(model, state):
    """Return all generalized forces: the negative torques of inverse dynamics at zero acceleration."""
    return -inverse_dynamics(model, state, np.zeros(state.size))


def test_stiffness_and_damping_are_differences_of_the_forces(scene):
    model, state = scene
    zero = np.zeros(state.size)
    K = differences(lambda x: total_force(model, retract(state, x)), zero)
    D = differences(lambda v: total_force(model, with_velocity(state, v)), state.velocity)
    np.testing.assert_allclose(stiffness(model, state), K, atol=1e-6 * np.abs(K).max())
    np.testing.assert_allclose(damping(model, state), D, atol=1e-6 * np.abs(D).max())


def test_derivatives_of_forward_dynamics(scene):
    model, state = scene
    tau = np.random.default_rng(3).normal(size=state.size)
    derivatives = forward_dynamics_derivatives(model, state, tau)
    expected = (
        differences(lambda x: forward_dynamics(model, retract(state, x), tau), np.zeros(state.size)),
        differences(lambda v: forward_dynamics(model, with_velocity(state, v), tau), state.velocity),
        np.linalg.inv(mass_matrix(model, state)),
    )
    for own, other in zip(derivatives, expected, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-6 * np.abs(other).max())


@pytest.mark.slow
def test_derivatives_of_inverse_dynamics(scene):
    model, state = scene
    a = np.random.default_rng(4).normal(size=state.size)
    derivatives = inverse_dynamics_derivatives(model, state, a)
    expected = (
        differences(lambda x: inverse_dynamics(model, retract(state, x), a), np.zeros(state.size)),
        differences(lambda v: inverse_dynamics(model, with_velocity(state, v), a), state.velocity),
        mass_matrix(model, state),
    )
    for own, other in zip(derivatives, expected, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-6 * np.abs(other).max())


def test_derivatives_agree_with_pinocchio():
    model = robot(3)
    state = random_state(model)
    a = np.random.default_rng(4).normal(size=state.size)
    theirs, data, q, v, order, _ = in_pinocchio(model, state)
    by_q, by_v, by_a = pinocchio.computeRNEADerivatives(theirs, data, q, v, a[order])
    derivatives = inverse_dynamics_derivatives(model, state, a)
    upper = np.triu(by_a)
    for own, other in zip(derivatives, (by_q, by_v, upper + np.triu(by_a, 1).T), strict=True):
        np.testing.assert_allclose(own[np.ix_(order, order)], other, atol=1e-10 * np.abs(other).max())


def test_a_pendulum_in_closed_form():
    """Its stiffness is -m g l cos q and that of the joint; its damping is that of the joint."""
    rod = Body(
        "rod",
        inertia=np.diag([0.1, 0.1, 0.1, 2.0, 2.0, 2.0]),
        joint=joints.Revolute([0, 1, 0]),
        body_frame=se3.frame(np.eye(3), [0, 0, -0.5]),
        damping=0.3,
        stiffness=4.0,
    )
    model = Model([rod])
    state = model.state(q={"rod": 0.7}, qdot={"rod": 1.3})
    np.testing.assert_allclose(stiffness(model, state), [[-2 * 9.81 * 0.5 * np.cos(0.7) - 4.0]], rtol=1e-12)
    np.testing.assert_allclose(damping(model, state), [[-0.3]], atol=1e-12)


def test_unsupported_features_are_refused():
    model = robot(1)
    ball = Body("ball", inertia=np.eye(6), joint=joints.QuaternionSpherical())
    one = Model([ball])
    with pytest.raises(InvalidArgument, match="'ball', whose coordinates are constrained"):
        forward_dynamics_derivatives(one, one.state())
    with pytest.raises(InvalidArgument, match="state"):
        stiffness(model, State())
    with pytest.raises(InvalidArgument, match="acceleration"):
        inverse_dynamics_derivatives(model, random_state(model), [1.0])
    with pytest.raises(InvalidArgument, match="got 'foot', expected one of 'trunk'"):
        robot(1, forces=[Damping(1.0, ["foot"])])
