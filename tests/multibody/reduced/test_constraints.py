"""Constraints on a tree: their rows, drifts and multipliers against differences, inverse dynamics, energy,
and against the same mechanism in maximal coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import body, frame, unit
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from scipy.optimize import root

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    WORLD,
    State,
    UnilateralRows,
    constrained_step,
    implicit_euler,
    symplectic_euler,
)
from rbnotes.multibody import maximal, reduced
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointLimit,
    Link,
    LoopClosure,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
    Tree,
    constrained_acceleration,
    velocity_constraints,
)
from rbnotes.testing import derivative, jacobian

close = relative_comparison(1e-8)


def branched_system(rng):
    """Return two branches and a second root, with two particles beside them."""
    links = [
        Link(
            "trunk", joints.Universal(), body(rng), None, frame(rng), frame(rng), stiffness=3.0, damping=0.4
        ),
        Link("arm", joints.Revolute(unit(rng)), body(rng), "trunk", frame(rng), frame(rng)),
        Link("hand", joints.Revolute(unit(rng)), body(rng), "arm", frame(rng), frame(rng)),
        Link("leg", joints.Cylindrical(), body(rng), "trunk", frame(rng), frame(rng), damping=0.3),
        Link("sledge", joints.Prismatic(unit(rng)), body(rng), None, frame(rng), frame(rng)),
        Link("ball", joints.ExponentialSpherical(), body(rng), "leg", frame(rng), frame(rng)),
    ]
    tree = Tree(links, gravity=rng.normal(size=3))
    tree = replace(tree, masses=[0.7, 1.1])
    q, qdot = rng.normal(size=(2, tree.num_coordinates))
    x, v = rng.normal(size=(2, 2, 3))
    return tree, State(q=q, qdot=qdot, x=x, v=v, t=0.3)


def wave(phase, count):
    """Return a motion with its two derivatives."""
    phases = phase + np.arange(count)
    return lambda t: (np.sin(2 * t + phases), 2 * np.cos(2 * t + phases), -4 * np.sin(2 * t + phases))


def prescribed_world_motion(t, E, phi):
    """Return a body with prescribed rotation in body axes and prescribed motion of its origin."""
    w, wdot = np.array([t, t**2, -t]), np.array([1.0, 2 * t, -1.0])
    v, vdot = np.array([np.sin(t), 1.0, t]), np.array([np.cos(t), 0.0, 1.0])
    R = E[:3, :3]
    return np.append(w, R.T @ v), np.append(wdot, R.T @ vdot - np.cross(phi[:3], R.T @ v))


EQUATIONS = {
    "loop": LoopClosure("hand", [0.3, -0.1, 0.2], "leg", [0.1, 0.4, -0.3]),
    "loop through the world": LoopClosure("hand", [0.3, -0.1, 0.2], None, [0.1, 0.4, -0.3]),
    "gear": Gear("arm", "sledge", -0.7),
    "prescribed joint": PrescribedJoint("leg", wave(0.2, 2)),
    "particle on a body": AttachedParticle(1, "hand", [0.2, 0.3, -0.1]),
    "particle on the world": AttachedParticle(0, None, [0.2, 0.3, -0.1]),
}
LIMITS = {
    "rotation": RotationLimit("ball", 0.6),
    "limits": JointLimit("leg", -0.5, 0.8, coordinate=1),
    "one limit": JointLimit("arm", upper=0.3),
    "plane": PlaneLimit("hand", [0.3, -0.1, 0.2], [0.6, 0.0, 0.8], 0.4),
}
BODY = PrescribedBody("hand", (0, 2, 4, 5), prescribed_world_motion)


@pytest.fixture(params=range(3))
def moving_system(request):
    return branched_system(np.random.default_rng(request.param))


@pytest.mark.parametrize(
    "constraint",
    [*EQUATIONS.values(), *LIMITS.values()],
    ids=[*EQUATIONS, *LIMITS],
)
def test_rows_are_the_derivatives_of_the_errors(constraint, moving_system):
    tree, state = moving_system
    rows = constraint.rows(tree, state, state.t)
    for along in np.random.default_rng(3).normal(size=(2, state.size)):  # in general directions
        rate = derivative(lambda t, d=along: constraint.rows(tree, state.retract(t * d), state.t).error)
        close(rows.G @ along, rate.value)
    close(rows.bias_velocity, derivative(lambda t: constraint.rows(tree, state, t).error, state.t).value)


@pytest.mark.parametrize(
    "constraint",
    [*EQUATIONS.values(), *LIMITS.values(), BODY],
    ids=[*EQUATIONS, *LIMITS, "prescribed body"],
)
def test_drifts_are_the_derivatives_at_constant_velocities(constraint, moving_system):
    tree, state = moving_system

    def speed(t):
        rows = constraint.rows(tree, state.retract(t * state.velocity), state.t + t)
        return rows.G @ state.velocity + rows.bias_velocity

    rows = constraint.rows(tree, state, state.t)
    close(rows.bias_acceleration, derivative(speed).value)


def test_rows_of_a_body_are_twist_components(moving_system):
    tree, state = moving_system
    rows = BODY.rows(tree, state, state.t)
    hand = tree.index("hand")
    E, phi = (values[hand] for values in (tree.maximal_state(state).E, tree.maximal_state(state).phi))
    target = prescribed_world_motion(state.t, E, phi)[0]
    close(rows.G @ state.velocity + rows.bias_velocity, (phi - target)[list(BODY.components)])
    assert not np.any(rows.error)


@pytest.mark.parametrize("constraint", [*EQUATIONS.values(), BODY], ids=[*EQUATIONS, "prescribed body"])
def test_equations_of_motion_with_multipliers(constraint, moving_system):
    """``M a = f + G^T lambda``, and the constraint with its stabilization."""
    tree, state = moving_system
    a, multipliers = constrained_acceleration(tree, [constraint], state, alpha=1.5, beta=0.7)
    rows = constraint.rows(tree, state, state.t)
    close(tree.mass_matrix(state) @ a, tree.force(state) + rows.G.T @ multipliers)
    speed = rows.G @ state.velocity + rows.bias_velocity
    close(rows.G @ a + rows.bias_acceleration + 3 * speed + 0.49 * rows.error, 0 * rows.bias_acceleration)


def test_hybrid_dynamics_gives_the_prescribed_force(moving_system):
    tree, state = moving_system
    prescribed = EQUATIONS["prescribed joint"]
    a, multipliers = constrained_acceleration(tree, [prescribed], state)
    tree, qddot = tree, a[6:]
    leg = tree.coordinate_slices[tree.index("leg")]
    close(qddot[leg], prescribed.motion(state.t)[2])
    expected = np.zeros(tree.num_coordinates)
    expected[leg] = multipliers
    close(reduced.inverse_dynamics_dense(tree, state.q, state.qdot, qddot), expected)


def shift(x, y):
    return se3.frame(np.eye(3), np.array([x, y, 0.0]))


LENGTHS = {"ground": 1.3, "left": 0.7, "coupler": 1.2, "right": 0.9}


def four_bars(seed):
    """Return four bars in a plane that a universal joint turns, and a state in which the loop is closed."""
    rng = np.random.default_rng(seed)
    hinge, body_frames = (
        joints.Revolute(),
        {name: frame(rng) for name in ("base", "left", "coupler", "right")},
    )
    tree = Tree(
        [
            Link("base", joints.Universal(), body(rng), None, frame(rng), body_frames["base"]),
            Link("left", hinge, body(rng), "base", body_frame=body_frames["left"]),
            Link("coupler", hinge, body(rng), "left", shift(LENGTHS["left"], 0), body_frames["coupler"]),
            Link("right", hinge, body(rng), "base", shift(LENGTHS["ground"], 0), body_frames["right"]),
        ],
        gravity=rng.normal(size=3) * 5,
    )
    ends = {
        name: se3.transform_points(se3.inverse(body_frames[name]), [LENGTHS[name], 0, 0])
        for name in ("coupler", "right")
    }
    loop = LoopClosure("coupler", ends["coupler"], "right", ends["right"], axis=[0.0, 0.0, 1.0])
    base, left = rng.normal(size=2), 1.0 + 0.3 * rng.normal()

    def error(angles):
        return loop.rows(tree, State(q=[*base, left, *angles]), 0.0).error

    angles = root(error, [-0.8, 1.4], tol=1e-12)
    assert np.linalg.norm(error(angles.x)) < 1e-10
    state = State(q=[*base, left, *angles.x])
    free = null_space(loop.rows(tree, state, 0.0).G)
    return tree, loop, state.with_velocity(free @ rng.normal(size=free.shape[1]))


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_a_loop_of_hinges(seed):
    """Two rows instead of three, because the third would be redundant with the hinges."""
    tree, loop, state = four_bars(seed)
    rows = loop.rows(tree, state, 0.0)
    assert np.linalg.svd(rows.G, compute_uv=False)[-1] > 0.05
    whole = LoopClosure(loop.a, loop.x_a, loop.b, loop.x_b).rows(tree, state, 0.0)
    assert np.linalg.svd(whole.G, compute_uv=False)[-1] < 1e-10
    G = jacobian(lambda step: loop.rows(tree, state.retract(step), 0.0).error, np.zeros(state.size)).value
    close(rows.G, G)
    drift = derivative(
        lambda t: loop.rows(tree, state.retract(t * state.velocity), 0.0).G @ state.velocity
    ).value
    close(rows.bias_acceleration, drift)


def as_mechanism(tree, loop, state):
    """Return the same bodies with six coordinates each; the loop is closed by one hinge more."""
    places = reduced.poses(tree, state.q)
    made = []
    for i, (link, parent) in enumerate(zip(tree.links, tree.parents, strict=True)):
        above = np.eye(4) if parent < 0 else se3.inverse(tree.links[parent].body_frame)
        on = WORLD if parent < 0 else parent
        made.append(maximal.Joint(link.joint, i, se3.inverse(link.body_frame), on, above @ link.placement))
    a, b = tree.index(loop.a), tree.index(loop.b)
    closing = places.joint_poses[a].copy()
    closing[:3, 3] = se3.transform_points(places.body_poses[a], loop.x_a)
    in_a, in_b = (se3.inverse(places.body_poses[k]) @ closing for k in (a, b))
    made.append(maximal.Joint(joints.Revolute(), a, in_a, b, in_b))
    return maximal.MaximalModel(tree.inertias, made, tree.gravity)


@pytest.mark.parametrize("seed", range(3))
def test_four_bars_move_as_in_maximal_coordinates(seed):
    tree, loop, state = four_bars(seed)
    qddot, _ = constrained_acceleration(tree, [loop], state)
    expected = maximal.accelerations(as_mechanism(tree, loop, state), tree.maximal_state(state)).phidot
    rates = reduced.jacobian(tree, state.q) @ qddot
    rates += reduced.jacobian_rate(tree, state.q, state.qdot) @ state.qdot
    close(rates.reshape(-1, 6), expected)


def test_closed_loop_stays_closed_and_conserves_energy():
    """Without stabilization: a wrong drift would open it, multipliers that work would heat it."""
    tree, loop, start = four_bars(0)

    def state_from_vector(y):
        q, qdot = np.split(y, 2)
        return State(q=q, qdot=qdot)

    def rates(t, y):
        return np.append(
            state_from_vector(y).qdot, constrained_acceleration(tree, [loop], state_from_vector(y))[0]
        )

    y = np.append(start.q, start.qdot)
    end = state_from_vector(solve_ivp(rates, (0, 0.5), y, rtol=1e-9, atol=1e-10, method="DOP853").y[:, -1])
    assert np.linalg.norm(end.q - start.q) > 0.1
    close(loop.rows(tree, end, 0.0).error, np.zeros(2), 1e-6)
    assert tree.energy(end) == pytest.approx(tree.energy(start), rel=1e-6)


def test_steps_reduce_the_loop_error():
    tree, loop, state = four_bars(1)
    apart = State(q=state.q + np.array([0, 0, 0.02, 0, 0]), qdot=state.qdot)

    def size(gamma):
        step = constrained_step(
            implicit_euler,
            tree,
            apart,
            1e-3,
            lambda s, h: velocity_constraints(tree, [loop], s, h, gamma),
        )
        return np.linalg.norm(loop.rows(tree, step.state, 0.0).error)

    error = np.linalg.norm(loop.rows(tree, apart, 0.0).error)
    assert size(0.0) == pytest.approx(error, rel=1e-3)
    assert size(200.0) == pytest.approx(0.8 * error, rel=1e-3)


def test_a_pendulum_comes_to_rest_on_its_limit():
    rng = np.random.default_rng(5)
    tree = Tree([Link("bob", joints.Revolute((0, 1, 0)), body(rng), body_frame=shift(1.0, 0.0))])
    tree, limit = tree, JointLimit("bob", upper=0.4)
    state, pushed = State(q=[-0.3], qdot=[1.0]), []
    for _ in range(200):
        step = constrained_step(
            symplectic_euler, tree, state, 0.01, lambda s, h: velocity_constraints(tree, [limit], s, h)
        )
        state = step.state
        pushed.append(step.unilateral_impulses[0])
        assert state.q[0] <= 0.4 + 1e-12
    assert min(pushed) >= 0
    # It does not leave, and its weight is what the limit carries.
    assert state.q[0] == pytest.approx(0.4, abs=1e-10)
    weight = tree.force(state)[0]
    assert weight > 0.1
    assert pushed[-1] == pytest.approx(0.01 * weight, rel=1e-6)


def test_violated_limit_is_reduced_at_the_given_rate():
    """A limit that is not reached yet may be reached within the step, for any rate."""
    tree = Tree([Link("bob", joints.Revolute((0, 1, 0)), body(np.random.default_rng(5)))])
    for gamma in (0.0, 3.0):
        for q, speed in ((0.5, -0.1 * gamma), (0.3, 0.1 / 0.01)):
            state = State(q=[q], qdot=[0.0])
            *_, rows = velocity_constraints(tree, [JointLimit("bob", upper=0.4)], state, 0.01, gamma)
            assert isinstance(rows, UnilateralRows)
            # At least -speed away from the limit, which is along -q.
            np.testing.assert_allclose(rows.target / rows.rows[:, 0], speed, atol=1e-12)


class TestErrors:
    def test_invalid_arguments_are_named(self):
        tree, state = branched_system(np.random.default_rng(0))
        with pytest.raises(InvalidArgument, match="b: got 'arm', expected another body"):
            LoopClosure("arm", np.zeros(3), "arm", np.zeros(3))
        with pytest.raises(InvalidArgument, match="axis"):
            LoopClosure("arm", np.zeros(3), "leg", np.zeros(3), axis=[0, 0, 2.0])
        with pytest.raises(InvalidArgument, match="lower: got 1, upper 0"):
            JointLimit("arm", 1.0, 0.0)
        for numbers in ([6], [-1], [2, 2]):
            with pytest.raises(InvalidArgument, match="components: got"):
                PrescribedBody("leg", numbers, prescribed_world_motion)
        for constraint, message in (
            (LoopClosure("nose", np.zeros(3), None, np.zeros(3)), "'nose', expected one of 'trunk'"),
            (Gear("arm", "leg"), "'leg' with 2 coordinates"),
            (AttachedParticle(2, "arm", np.zeros(3)), "particle: got 2"),
            (JointLimit("arm", 0.0, coordinate=1), "coordinate: got 1, expected one of the joint of 'arm'"),
            (PrescribedJoint("leg", lambda t: (np.zeros(3), 0, 0)), "motion of 'leg'"),
            (PrescribedBody("leg", [0], lambda t, E, phi: (np.zeros(3), np.zeros(6))), "motion of 'leg'"),
        ):
            with pytest.raises(InvalidArgument, match=message):
                constraint.rows(tree, state, 0.0)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (lambda: RotationLimit("ball", 4.0), "upper"),
        (lambda: RotationLimit("ball", 0.0), "upper"),
    ],
)
def test_rotation_limits_that_make_no_sense(constraint, message):
    with pytest.raises(InvalidArgument, match=message):
        constraint()


def test_rotation_limits_need_rotation_vectors(moving_system):
    tree, state = moving_system
    with pytest.raises(InvalidArgument, match="ExponentialSpherical"):
        RotationLimit("arm", 1.0).rows(tree, state, 0.0)
