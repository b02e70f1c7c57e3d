"""The exact tangent of trees in fewer velocities: against differences of forces, and in implicit steps."""

from functools import partial

import numpy as np
import pytest
from random_trees import body, frame, unit

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State, constrained_step, fully_implicit_euler, implicit_midpoint
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, path_through
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointCoordinates,
    Link,
    Tree,
    attach_particles,
    gear_coordinates,
    reduce_coordinates,
    velocity_constraints,
)
from rbnotes.testing import derivative


def branching_system(rng, joint):
    """Return hinges a, b, c in a row, another joint beside b, and two particles on springs with dampers."""
    kinds = [("a", joints.Revolute(unit(rng)), None), ("b", joints.Revolute(unit(rng)), "a")]
    kinds += [("side", joint, "a"), ("c", joints.Revolute(unit(rng)), "b")]
    links = [
        Link(name, kind, body(rng), parent, frame(rng), frame(rng), stiffness=1.5, damping=0.4)
        for name, kind, parent in kinds
    ]
    law = LinearSpring(4.0, 0.7, 0.3)
    ends = [
        (on_body(3, rng.normal(size=3)), on_particle(0)),
        (on_body(2, rng.normal(size=3)), on_body(3, rng.normal(size=3))),
        (on_particle(0), on_particle(1)),
    ]
    groups = ForceGroups([PathForces(law, path_through(*points)) for points in ends])
    return Tree(links, gravity=rng.normal(size=3), masses=[0.6, 1.1], applied_forces=groups)


def curved_coordinates(size):
    """Return coordinates of which the first four are a curve of two, and the others are free."""

    def q(r):
        a, b = r[:2]
        return np.concatenate([[np.sin(a), a * b, a**2 - b, np.cos(b) + a], r[2:]])

    def stacked(bent, free):
        return np.concatenate([np.pad(np.array(bent), ((0, 0), (0, size - 4))), free])

    def J(r):
        a, b = r[:2]
        bent = [[np.cos(a), 0], [b, a], [2 * a, -1], [1, -np.sin(b)]]
        return stacked(bent, np.eye(size - 2)[2:])

    def J_dot(r, v):
        (a, b), (da, db) = r[:2], v[:2]
        bent = [[-np.sin(a) * da, 0], [db, da], [2 * da, 0], [0, -np.cos(b) * db]]
        return stacked(bent, np.zeros((size - 4, size - 2)))

    return JointCoordinates(size - 2, q, J, J_dot)


def gears(seed):
    rng = np.random.default_rng(seed)
    system = branching_system(rng, joints.Cylindrical())
    reduced = reduce_coordinates(system, gear_coordinates(system, {"a": 1.0, "b": -0.5, "c": 2.0}))
    q, qdot = rng.normal(size=(2, 3))
    x, v = rng.normal(size=(2, 2, 3))
    return reduced, State(q=q, qdot=qdot, x=x, v=v)


def bent(seed):
    rng = np.random.default_rng(seed)
    system = branching_system(rng, joints.ExponentialSpherical())
    q, qdot = rng.normal(size=(2, 4))
    x, v = rng.normal(size=(2, 2, 3))
    return reduce_coordinates(system, curved_coordinates(6)), State(q=q, qdot=qdot, x=x, v=v)


def with_quaternion(seed):
    rng = np.random.default_rng(seed)
    system = branching_system(rng, joints.QuaternionSpherical())
    reduced = reduce_coordinates(system, gear_coordinates(system, {"a": 1.0, "b": 1.0, "c": 1.0}))
    quaternion = rng.normal(size=4)
    q = np.concatenate([rng.normal(size=1), quaternion / np.linalg.norm(quaternion)])
    x, v = rng.normal(size=(2, 2, 3))
    return reduced, State(q=q, qdot=rng.normal(size=5), x=x, v=v)


def attached_system(seed):
    rng = np.random.default_rng(seed)
    system = branching_system(rng, joints.Universal())
    tied = attach_particles(system, [AttachedParticle(1, "side", rng.normal(size=3))])
    q, qdot = rng.normal(size=(2, 5))
    x, v = rng.normal(size=(2, 1, 3))
    return tied, State(q=q, qdot=qdot, x=x, v=v)


CASES = {"gears": gears, "curved": bent, "equal angles beside a quaternion": with_quaternion}
CASES |= {"attached particles": attached_system}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param](7)


def test_against_differences(case):
    system, state = case
    rng = np.random.default_rng(3)
    a = rng.normal(size=state.size)

    def residual(state):
        return system.force(state) - system.mass_matrix(state) @ a

    result = system.linearized_residual(state, a)
    f = residual(state)
    scale = np.max(np.abs(f))
    np.testing.assert_allclose(result.f, f, rtol=0, atol=1e-12 * scale)
    for along in rng.normal(size=(2, state.size)):  # in general directions, so that no entry goes unseen
        by_q = derivative(lambda t, d=along: residual(state.retract(t * d)), step=1e-3).value
        by_v = derivative(lambda t, d=along: residual(state.with_velocity(state.velocity + t * d))).value
        for slope, expected in ((result.K @ along, by_q), (result.D @ along, by_v)):
            np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-8 * np.max(np.abs(expected)))


@pytest.mark.parametrize("step", [fully_implicit_euler, implicit_midpoint], ids=["end", "middle"])
def test_equations_hold_after_few_corrections(case, step, monkeypatch):
    system, start = case
    h, c, count = 0.05, step.fraction, []
    prescribed = type(system).linearized_residual
    monkeypatch.setattr(
        type(system), "linearized_residual", lambda *given: count.append(1) or prescribed(*given)
    )
    after = step(system, start, h)
    mean = start.velocity + c * (after.velocity - start.velocity)
    intermediate_state = start.retract(c * h * mean, c * h).with_velocity(mean)
    rate = system.mass_matrix(intermediate_state) @ (after.velocity - start.velocity) / h
    np.testing.assert_allclose(
        system.force(intermediate_state), rate, rtol=0, atol=1e-8 * np.linalg.norm(rate)
    )
    assert len(count) <= 6


@pytest.mark.parametrize("step", [fully_implicit_euler, implicit_midpoint], ids=["end", "middle"])
def test_gears_as_coordinates_and_as_constraints(step):
    reduced, state = gears(2)
    rows = partial(velocity_constraints, reduced.tree, [Gear("a", "b", -0.5), Gear("a", "c", 2.0)])
    whole = reduced.expand(state)
    for _ in range(2):
        state = step(reduced, state, 0.05)
        whole = constrained_step(step, reduced.tree, whole, 0.05, rows).state
    result = reduced.expand(state)
    for ours, theirs in ((result.q, whole.q), (result.velocity, whole.velocity), (result.x, whole.x)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * np.max(np.abs(theirs)))


def test_coordinate_maps_need_their_derivatives():
    reduced, state = bent(1)
    q, J, J_dot = (getattr(reduced.coordinates, name) for name in ("q", "jacobian", "jacobian_rate"))
    real = JointCoordinates(4, q, J, lambda r, v: J_dot(r.real, v))
    system, a = reduce_coordinates(reduced.tree, real), np.ones(state.size)
    with pytest.raises(
        InvalidArgument, match="bias_acceleration_derivative: got None, and a jacobian_rate that is real"
    ):
        system.linearized_residual(state, a)

    def slope(r, v):
        return derivative(lambda t: np.moveaxis([J_dot(r + t * e, v) @ v for e in np.eye(4)], 0, -1)).value

    prescribed = reduce_coordinates(reduced.tree, JointCoordinates(4, q, J, real.jacobian_rate, slope))
    K = prescribed.linearized_residual(state, a).K
    np.testing.assert_allclose(
        K, reduced.linearized_residual(state, a).K, rtol=0, atol=1e-9 * np.max(np.abs(K))
    )
    with pytest.raises(InvalidArgument, match="bias_acceleration_derivative"):
        JointCoordinates(4, q, J, J_dot, 3.0)
