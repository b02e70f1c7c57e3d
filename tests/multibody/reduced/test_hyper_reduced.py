"""Trees in fewer coordinates: against the same gears as constraints, against differences, and the energy."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import body, frame, unit

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State, implicit_euler, integrate, runge_kutta
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, path_through
from rbnotes.multibody.reduced import (
    Gear,
    JointCoordinates,
    Link,
    Tree,
    constrained_acceleration,
    gear_coordinates,
    linear_coordinates,
    reduce_coordinates,
)
from rbnotes.testing import derivative, jacobian


def chain(seed):
    """Return hinges a, b, c in a row with a slider on the first; a particle hangs on the last by a spring."""
    rng = np.random.default_rng(seed)
    parts = [("a", joints.Revolute(unit(rng)), None), ("b", joints.Revolute(unit(rng)), "a")]
    parts += [("slider", joints.Cylindrical(), "a"), ("c", joints.Revolute(unit(rng)), "b")]
    tree = Tree(
        [
            Link(name, joint, body(rng), parent, frame(rng), frame(rng), stiffness=1.5)
            for name, joint, parent in parts
        ],
        gravity=rng.normal(size=3),
    )
    spring = PathForces(
        LinearSpring(4.0, 0.0, 0.3), path_through(on_body(3, [0.2, 0.1, -0.3]), on_particle(0))
    )
    x, v = rng.normal(size=(2, 1, 3))
    return replace(tree, masses=[0.6], applied_forces=ForceGroups([spring])), x, v, rng


RATIOS = {"a": 1.0, "b": -0.5, "c": 2.0}


@pytest.mark.parametrize("seed", range(3))
def test_gears_as_coordinates_and_as_constraints(seed):
    system, x, v, rng = chain(seed)
    reduced = reduce_coordinates(system, gear_coordinates(system, RATIOS))
    q, qdot = rng.normal(size=(2, 3))
    state = State(q=q, qdot=qdot, x=x, v=v)
    whole = reduced.expand(state)
    np.testing.assert_allclose(whole.q[[0, 1, 4]], q[0] * np.array([1, -0.5, 2]), rtol=1e-14)
    gears = [Gear("a", "b", -0.5), Gear("a", "c", 2.0)]
    for gear in gears:
        np.testing.assert_allclose(gear.rows(system, whole, 0.0).error, 0, atol=1e-14)
    expected, _ = constrained_acceleration(system, gears, whole)
    accelerations = reduced.acceleration_reduction(state).expand_velocities(reduced.acceleration(state))
    np.testing.assert_allclose(accelerations, expected, rtol=0, atol=1e-9 * np.max(np.abs(expected)))


def curved_coordinates():
    """Return five coordinates as nonlinear functions of two."""

    def q(r):
        return np.array([np.sin(r[0]), r[0] * r[1], r[1], np.cos(r[1]) + r[0], r[0] ** 2])

    def J(r):
        a, b = r
        return np.array([[np.cos(a), 0], [b, a], [0, 1], [1, -np.sin(b)], [2 * a, 0]])

    def J_dot(r, v):
        (a, b), (da, db) = r, v
        return np.array([[-np.sin(a) * da, 0], [db, da], [0, 0], [0, -np.cos(b) * db], [2 * da, 0]])

    return JointCoordinates(2, q, J, J_dot)


@pytest.fixture
def moving_system():
    system, x, v, _ = chain(4)
    return reduce_coordinates(system, curved_coordinates()), State(q=[0.4, -0.7], qdot=[1.1, 0.6], x=x, v=v)


def test_velocities_and_accelerations_against_differences(moving_system):
    reduced, state = moving_system
    a = np.array([0.3, -0.2, 0.5, 0.7, -1.1])
    velocity = derivative(lambda t: reduced.expand(state.retract(t * state.velocity)).q).value
    np.testing.assert_allclose(reduced.expand(state).qdot, velocity, atol=1e-9)

    def whole(t):
        state_at_t = state.retract(t * state.velocity + t**2 / 2 * a).with_velocity(state.velocity + t * a)
        return reduced.expand(state_at_t).velocity

    accelerations = reduced.acceleration_reduction(state).expand_velocities(a)
    np.testing.assert_allclose(accelerations, derivative(whole).value, atol=1e-8)


def test_equations_are_those_of_lagrange(moving_system):
    """``d/dt dT/dv - dT/dq + dV/dq = 0``, from the energy alone."""
    reduced, state = moving_system

    def still(step):
        return reduced.energy(state.retract(step).with_velocity(np.zeros(5)))

    def kinetic(step, velocity):
        return reduced.energy(state.retract(step).with_velocity(velocity)) - still(step)

    zero, v, unit = np.zeros(5), state.velocity, np.eye(5)
    alone = [kinetic(zero, one) for one in unit]  # quadratic in the velocities, and nothing else
    M = [[kinetic(zero, unit[i] + unit[j]) - alone[i] - alone[j] for j in range(5)] for i in range(5)]
    np.testing.assert_allclose(reduced.mass_matrix(state), M, rtol=0, atol=1e-10)
    rate = derivative(lambda t: reduced.mass_matrix(state.retract(t * v)) @ v).value
    slope = jacobian(lambda step: kinetic(step, v) - still(step), zero).value
    np.testing.assert_allclose(reduced.force(state), slope - rate, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        reduced.mass_matrix(state) @ reduced.acceleration(state), slope - rate, atol=1e-6
    )


def test_energy_and_order(moving_system):
    reduced, state = moving_system
    end = runge_kutta(reduced, state, 0.4, rtol=1e-9, atol=1e-10)
    assert reduced.energy(end) == pytest.approx(reduced.energy(state), rel=1e-7)
    errors = []
    for steps in (40, 80):
        last = integrate(implicit_euler, reduced, state, 0.4 / steps, steps)[steps]
        errors.append(np.linalg.norm(np.append(last.q, last.velocity) - np.append(end.q, end.velocity)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.2)


class TestErrors:
    def test_invalid_arguments_are_named(self, moving_system):
        reduced, state = moving_system
        tree = reduced.tree
        with pytest.raises(InvalidArgument, match="'slider' with 2 coordinates"):
            gear_coordinates(tree, {"a": 1.0, "slider": 1.0})
        with pytest.raises(InvalidArgument, match="expected one that is not zero"):
            gear_coordinates(tree, {"a": 0.0})
        with pytest.raises(InvalidArgument, match="'nose', expected one of"):
            gear_coordinates(tree, {"nose": 1.0})
        with pytest.raises(InvalidArgument, match="rank 1, expected a matrix with 2 independent columns"):
            linear_coordinates(np.ones((5, 2)))
        with pytest.raises(InvalidArgument, match="offset"):
            linear_coordinates(np.eye(5), np.zeros(4))
        with pytest.raises(InvalidArgument, match=r"state: got q \(3,\)"):
            reduced.mass_matrix(State(q=np.zeros(3), qdot=np.zeros(3), x=state.x))
