"""Friction of bearings in simulations of models, against closed forms and SciPy."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from model_parts import parallelogram, shift
from random_mechanisms import with_consistent_velocity
from random_trees import body as random_inertia
from random_trees import frame as random_frame
from random_trees import unit
from scipy.integrate import solve_ivp
from scipy.optimize import root

from rbnotes import joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import symplectic_euler
from rbnotes.friction import Bearing, journal_bearing, prismatic_guide, spherical_bearing
from rbnotes.multibody import Body, Model, simulate
from rbnotes.multibody.reduced import (
    Gear,
    JointLimit,
    LoopClosure,
    LoopJoint,
    PlaneLimit,
    PrescribedJoint,
    bisp_step,
)
from rbnotes.shapes import Box, Plane, Sphere

G = 9.81
RADIUS, MU = 0.03, 0.4


@pytest.fixture(params=["reduced", "maximal"])
def run(request):
    """Return ``simulate`` in joint or in maximal coordinates."""
    return partial(simulate, coordinates=request.param)


def pendulum(points, axis=(0.0, 1.0, 0.0), **options):
    """Return a ball of 2 kg at 0.5 m from a hinge with a journal bearing."""
    bob = Body("bob", Sphere(0.1), mass=2.0, joint=joints.Revolute(axis), body_frame=shift(0, 0, -0.5))
    bearing = journal_bearing(RADIUS, 0.05, MU, axis=axis, points=points)
    return Model([bob], bearings={"bob": bearing}, **options)


def friction_factor(points):
    """Return the friction moment over mu r F, for loads shared as the cosine of the angle to the load."""
    angles = 2 * np.pi * (np.arange(points) + 0.5) / points
    return np.mean(2 * np.abs(np.cos(angles)))


@pytest.mark.slow
@pytest.mark.parametrize("speed", [4.0, -9.0])
def test_swinging_pendulum_follows_scipy_to_second_order(run, speed):
    # With 64 points the friction hardly depends on the direction of the load.
    inertia = 2.0 * 0.25 + 0.4 * 2.0 * 0.01
    factor = MU * RADIUS * friction_factor(64)

    def rate(t, y):
        angle, w = y
        # The pin carries the weight and the acceleration of the ball; they depend on the friction.
        radial = 2.0 * (0.5 * w**2 + G * np.cos(angle))
        moment, previous = 0.0, np.inf
        while abs(moment - previous) > 1e-13:
            previous = moment
            acceleration = (-2.0 * G * 0.5 * np.sin(angle) - np.sign(w) * moment) / inertia
            tangential = 2.0 * (0.5 * acceleration + G * np.sin(angle))
            # Friction acts on the surface of the pin: its resultant is across the pressure.
            moment = factor * np.hypot(radial, tangential)
        return [w, acceleration]

    def end_state(h):
        model = pendulum(64)
        end = run(model, model.state(q={"bob": 0.3}, qdot={"bob": speed}), h=h, duration=0.2).states[-1]
        return np.r_[end.q, end.qdot]

    exact = solve_ivp(rate, [0, 0.2], [0.3, speed], rtol=1e-11, atol=1e-11).y[:, -1]
    errors = [np.linalg.norm(end_state(h) - exact) for h in (0.02, 0.01)]
    assert errors[1] < {"reduced": 2e-3, "maximal": 4e-3}[run.keywords["coordinates"]]
    assert 3.3 < errors[0] / errors[1] < 4.7


@pytest.mark.parametrize(("share", "holds"), [(0.99, True), (1.01, False)])
def test_pendulum_rests_within_its_friction_angle(run, share, holds):
    # At rest the pin carries the weight: 0.5 sin(angle) = mu r factor.
    angle = np.arcsin(share * MU * RADIUS * friction_factor(64) / 0.5)
    model = pendulum(64)
    motion = run(model, model.state(q={"bob": angle}), h=0.01, steps=20)
    rotation_angle = abs(motion.states[-1].q[0] - angle)
    assert rotation_angle < 1e-10 if holds else rotation_angle > 1e-5


@pytest.mark.slow
def test_block_in_a_guide_slides_down_an_incline(run):
    slope = 0.7
    axis = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    block = Body("block", Box([0.1, 0.1, 0.1]), mass=1.5, joint=joints.Prismatic(axis))
    guide = prismatic_guide(0.1, 0.1, 0.3, 0.25, axis=axis, width_direction=[0, 1, 0])
    model = Model([block], bearings={"block": guide})
    motion = run(model, h=0.01, duration=0.3)
    acceleration = G * (np.sin(slope) - 0.25 * np.cos(slope))
    np.testing.assert_allclose(np.ravel(motion.states.qdot), acceleration * motion.states.t, rtol=1e-6)
    wanted = -0.25 * 1.5 * G * np.cos(slope) * acceleration * 0.3**2 / 2
    assert motion.work.applied_forces.sum() == pytest.approx(wanted, rel=1e-6)
    steep = Model([block], bearings={"block": prismatic_guide(0.1, 0.1, 0.3, 0.9, axis=axis)})
    assert abs(run(steep, h=0.01, duration=0.3).states[-1].q[0]) < 1e-12


def dry_parallelogram(mu, points=64):
    """Return a parallelogram with journal bearings in all four hinges."""
    bodies, loop = parallelogram()
    dry = journal_bearing(0.02, 0.05, mu, axis=[0.0, 1.0, 0.0], points=points)
    bearings = {"left": dry, "coupler": dry, "right": dry, loop: dry}
    return Model(bodies, constraints=[loop], bearings=bearings)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "holds"), [(0.97, True), (1.05, False)])
def test_parallelogram_rests_on_the_friction_of_its_four_hinges(run, share, holds):
    # Each upper pin carries half of the weight of 2 kg, each lower pin half of that of the coupler.
    factor = 0.3 * 0.02 * friction_factor(64)
    moment = factor * G * (2 * 1.0 + 2 * 0.5)
    angle = np.arcsin(share * moment / (G * (0.5 * 0.15 * 2 + 0.3)))
    model = dry_parallelogram(0.3)
    start = model.state(q={"left": angle, "coupler": -angle, "right": angle})
    motion = run(model, start, h=0.01, steps=15)
    displacement = np.max(np.abs(motion.states.q - start.q))
    assert displacement < 1e-9 if holds else displacement > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("points", "mu", "angle", "limit", "duration"),
    [
        (16, 0.3, 0.9, -0.2, 0.35),
        (4, 0.1, 0.4, -0.2, 0.4),
        (4, 0.1, 0.9, -1.0, 0.6),
    ],
)
def test_parallelogram_comes_to_rest_with_few_points(points, mu, angle, limit, duration):
    """The hinges stop at once, or stop at the limit; corrections of the loop do not move them."""
    dry = dry_parallelogram(mu, points)
    model = Model(
        dry.bodies, constraints=[*dry.constraints, JointLimit("left", limit, 2.0)], bearings=dry.bearings
    )
    start = model.state(q={"left": angle, "coupler": -angle, "right": angle})
    motion = simulate(model, start, h=0.01, duration=duration)
    change = motion.energies[-1] - motion.energies[0]
    assert np.sum(motion.work.total) == pytest.approx(change, rel=1e-9, abs=1e-9)
    assert change < 0


@pytest.mark.slow
def test_energy_account_closes_with_bearings_a_loop_and_limits(run):
    model = dry_parallelogram(0.3)
    limited = Model(
        model.bodies,
        constraints=[*model.constraints, JointLimit("left", -0.2, 2.0)],
        bearings=model.bearings,
    )
    start = limited.state(q={"left": 0.9, "coupler": -0.9, "right": 0.9})
    motion = run(limited, start, h=0.01, duration=0.5)
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-9, atol=1e-9)
    assert change < 0
    assert np.min(motion.states.q[:, 0]) > -0.2 - 1e-4
    first = run(limited, start, h=0.01, steps=6)
    second = run(limited, first, h=0.01, steps=6)
    assert np.array_equal(second.states[-1].q, motion.states[12].q)


@pytest.mark.slow
def test_contact_forces_load_the_bearing(run):
    # A smooth box lies on a slider: the guide carries both, and friction stops the slider alone.
    slider = Body("slider", Box([2.0, 0.4, 0.1]), mass=2.0, joint=joints.Prismatic([1.0, 0, 0]))
    load = Body("load", Box([0.2, 0.2, 0.2]), mass=3.0, position=[0, 0, 0.15])
    guide = prismatic_guide(0.4, 0.4, 2.0, 0.1, axis=[1.0, 0, 0], width_direction=[0, 1, 0])
    model = Model([slider, load], mu=0.0, bearings={"slider": guide})
    motion = run(model, model.state(qdot={"slider": 1.0}), h=0.005, duration=0.2)
    deceleration = 0.1 * G * (2.0 + 3.0) / 2.0
    np.testing.assert_allclose(
        motion.states.qdot[:, 0], 1.0 - deceleration * motion.states.t, rtol=1e-6, atol=1e-9
    )


@pytest.mark.slow
def test_limits_on_bodies_load_the_bearing(run):
    # An arm on a sliding cart rests with its tip on a smooth plane, which carries its share of the weight.
    cart = Body("cart", Box([2.0, 0.4, 0.1]), mass=2.0, joint=joints.Prismatic([1.0, 0, 0]))
    arm = Body(
        "arm",
        Sphere(0.1),
        mass=3.0,
        joint=joints.Revolute([0, 1.0, 0]),
        parent="cart",
        body_frame=shift(0.3, 0, 0),
    )
    plane = PlaneLimit("arm", [0.2, 0, 0], [0, 0, 1.0], 0.0)
    guide = prismatic_guide(0.4, 0.4, 2.0, 0.1, axis=[1.0, 0, 0], width_direction=[0, 1, 0])
    model = Model([cart, arm], constraints=[plane], bearings={"cart": guide})
    motion = run(model, model.state(qdot={"cart": 1.0}), h=0.005, duration=0.2)
    load = 2.0 + 3.0 * (1 - 0.3 / 0.5)
    velocities = 1.0 - 0.1 * G * load / 5.0 * motion.states.t
    np.testing.assert_allclose(motion.states.qdot[:, 0], velocities, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_arm_with_stuck_joints_rests_on_the_floor(run):
    # Two links that touch the floor and a limit, with more friction than the motion needs.
    upper = Body(
        "upper",
        Box([0.5, 0.05, 0.05]),
        mass=1.0,
        joint=joints.Revolute([0, 1, 0]),
        joint_frame=shift(0, 0, 0.15),
        body_frame=shift(0.25, 0, 0),
        joint_friction=0.2,
    )
    lower = Body(
        "lower",
        Sphere(0.05),
        mass=0.5,
        joint=joints.Revolute([0, 1, 0]),
        parent="upper",
        joint_frame=shift(0.5, 0, 0),
        body_frame=shift(0.3, 0, 0),
        joint_friction=0.3,
    )
    bearing = journal_bearing(RADIUS, 0.05, 0.5, axis=[0, 1, 0])
    model = Model(
        [upper, lower],
        ground=Plane(),
        bearings={"upper": bearing, "lower": bearing},
        constraints=[JointLimit("lower", -0.5, 0.4)],
    )
    motion = run(model, h=0.01, duration=0.5)
    assert np.linalg.norm(motion.states[-1].qdot) < 1e-12
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-9)
    height = motion.poses("lower")[-1, 2, 3]
    assert height == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize("acceleration", [0.0, 3.0, -20.0])
def test_hinge_on_an_accelerating_base_has_the_friction_of_its_load(run, acceleration):
    # Two wheels of different masses on one base. Their axes are horizontal, but no axis of a joint frame.
    axis = np.array([0.6, 0.0, 0.8])
    base = Body("base", Box([0.5, 0.5, 0.1]), mass=5.0, joint=joints.Prismatic([0, 0, 1.0]))
    bodies, spin, loads = [base], {"a": 30.0, "b": -40.0}, {"a": 2.0, "b": 0.7}
    for name, angle, side in (("a", 0.4, 1.0), ("b", -1.1, -1.0)):
        upright = se3.frame(so3.exp([0, 0, angle]) @ rotation_between(axis, [0, 1.0, 0]), [0.2, side, 0.3])
        tilted = se3.frame(so3.exp([0.5, -0.7, 0.3]), np.zeros(3))
        inertia = np.diag([0.02] * 3 + [loads[name]] * 3)
        wheel = Body(
            name,
            inertia=inertia,
            joint=joints.Revolute(axis),
            parent="base",
            joint_frame=upright,
            body_frame=tilted,
        )
        bodies.append(wheel)
    lift = PrescribedJoint("base", lambda t: (acceleration * t**2 / 2, acceleration * t, acceleration))
    bearings = {
        name: journal_bearing(RADIUS, 0.05, mu, axis=axis, points=256, thrust=False)
        for name, mu in (("a", MU), ("b", 0.2))
    }
    model = Model(bodies, constraints=[lift], bearings=bearings)
    motion = run(model, model.state(qdot=spin), h=0.01, duration=0.05)
    for name, mu in (("a", MU), ("b", 0.2)):
        moment = mu * RADIUS * friction_factor(256) * loads[name] * abs(G + acceleration)
        wanted = spin[name] - np.sign(spin[name]) * moment / 0.02 * motion.states.t
        # The factor for loads between the directions of the contacts.
        np.testing.assert_allclose(
            motion.qdot(name)[:, 0], wanted, rtol=0, atol=3e-4 * abs(wanted[0] - wanted[-1])
        )
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-10)


def rotation_between(a, b):
    """Return a rotation that maps a unit vector to another one."""
    cross = np.cross(a, b)
    return so3.exp(cross / np.linalg.norm(cross) * np.arccos(np.dot(a, b)))


def test_welded_load_presses_on_the_bearing(run):
    # The weld acts on the bodies: the guide carries both, and friction acts on the cart alone.
    cart = Body("cart", Box([0.4, 0.4, 0.1]), mass=2.0, joint=joints.Prismatic([1.0, 0, 0]))
    load = Body("load", Box([0.2, 0.2, 0.2]), mass=3.0, position=[0, 0, 0.5])
    weld = LoopJoint(joints.Fixed(), "cart", shift(0, 0, 0.3), "load", shift(0, 0, -0.2))
    guide = prismatic_guide(0.4, 0.4, 2.0, 0.1, axis=[1.0, 0, 0], width_direction=[0, 1, 0])
    model = Model([cart, load], constraints=[weld], bearings={"cart": guide})
    start = model.state(qdot={"cart": 1.0}, twists={"load": [0, 0, 0, 1.0, 0, 0]})
    motion = run(model, start, h=0.005, steps=10)
    # Friction also carries its own moment about the bearing, which does not change the sum of the loads.
    velocities = 1.0 - 0.1 * G * motion.states.t
    np.testing.assert_allclose(motion.qdot("cart")[:, 0], velocities, rtol=1e-6, atol=1e-9)


LENGTHS, CENTERS, MASSES, GROUND = [0.3, 0.55, 0.4], [0.1, 0.3, 0.22], [0.4, 1.3, 0.7], 0.6


def dry_four_bar(angles, rates, mu):
    """Return a four-bar linkage of unequal bars with four dry hinges, and its state.

    The angles and rates of the bars are those in the plane.
    """
    bars = [
        Body(
            name,
            Box([length, 0.02, 0.03]),
            mass=mass,
            joint=joints.Revolute([0, 1, 0]),
            parent=parent,
            joint_frame=shift(x, 0, 0),
            body_frame=shift(center, 0, 0),
        )
        for name, length, mass, center, parent, x in zip(
            ["crank", "coupler", "rocker"],
            LENGTHS,
            MASSES,
            CENTERS,
            [None, "crank", None],
            [0.0, LENGTHS[0], GROUND],
            strict=True,
        )
    ]
    ends = [[length - center, 0, 0] for length, center in zip(LENGTHS, CENTERS, strict=True)]
    loop = LoopClosure("coupler", ends[1], "rocker", ends[2], [0, 1, 0])
    dry = journal_bearing(RADIUS, 0.05, mu, axis=[0, 1.0, 0], points=64, thrust=False)
    bearings = dict.fromkeys(["crank", "coupler", "rocker", loop], dry)
    model = Model(bars, constraints=[loop], bearings=bearings)
    joint_values = [{"crank": x[0], "coupler": x[1] - x[0], "rocker": x[2]} for x in (angles, rates)]
    return model, model.state(q=joint_values[0], qdot=joint_values[1])


def four_bar_rates(angles, rates, factor, table_acceleration=0.0, smoothing=None):
    """Return the accelerations of the bars' angles from planar equations with the forces of the pins.

    Each pin has the moment of friction `factor` times its force. With a `smoothing` in rad/s, its sign is
    continuous. The ground accelerates along the x axis.
    """
    u = np.stack([np.cos(angles), -np.sin(angles)], axis=1)
    du = np.stack([-np.sin(angles), -np.cos(angles)], axis=1)
    inertias = [m * (length**2 + 0.03**2) / 12 for m, length in zip(MASSES, LENGTHS, strict=True)]
    # Unknowns: three angular accelerations, then the forces of the pins: on the crank by the ground, on the
    # coupler by the crank and by the rocker, on the rocker by the ground.
    A, b, row = np.zeros((11, 11)), np.zeros(11), 0
    accelerations = np.zeros((3, 2, 3)), np.zeros((3, 2))
    for bar, chain in enumerate([[(0, CENTERS[0])], [(0, LENGTHS[0]), (1, CENTERS[1])], [(2, CENTERS[2])]]):
        for part, length in chain:
            accelerations[0][bar, :, part] += length * du[part]
            accelerations[1][bar] -= length * rates[part] ** 2 * u[part]
    pins = [
        [(3, -CENTERS[0], 1), (5, LENGTHS[0] - CENTERS[0], -1)],
        [(5, -CENTERS[1], 1), (7, LENGTHS[1] - CENTERS[1], 1)],
        [(9, -CENTERS[2], 1), (7, LENGTHS[2] - CENTERS[2], -1)],
    ]
    for bar in range(3):
        A[row : row + 2, :3] = MASSES[bar] * accelerations[0][bar]
        b[row : row + 2] = MASSES[bar] * (np.array([-table_acceleration, -G]) - accelerations[1][bar])
        A[row + 2, bar] = inertias[bar]
        for column, arm, sign in pins[bar]:
            A[row : row + 2, column : column + 2] -= sign * np.eye(2)
            A[row + 2, column : column + 2] -= sign * arm * np.array([u[bar][1], -u[bar][0]])
        row += 3
    for part, length, sign in ((0, LENGTHS[0], 1), (1, LENGTHS[1], 1), (2, LENGTHS[2], -1)):
        A[9:, part] = sign * length * du[part]
        b[9:] += sign * length * rates[part] ** 2 * u[part]
    slips = np.array([rates[0], rates[1] - rates[0], rates[1] - rates[2], rates[2]])
    slips = np.sign(slips) if smoothing is None else np.tanh(slips / smoothing)
    moments, previous, inverse = np.zeros(4), np.full(4, np.inf), np.linalg.inv(A)
    while np.max(np.abs(moments - previous)) > 1e-13:
        previous = moments
        on_bars = [moments[0] - moments[1], moments[1] + moments[2], moments[3] - moments[2]]
        solution = inverse @ (b + np.insert(np.zeros(8), [2, 4, 6], on_bars))
        moments = -slips * factor * np.linalg.norm(solution[3:].reshape(4, 2), axis=1)
    return solution[:3]


def four_bar_state(crank, rate):
    """Return the angles and rates of the bars in the plane, at those of the crank."""

    def loop_error(x):
        return [
            LENGTHS[0] * np.cos(crank) + LENGTHS[1] * np.cos(x[0]) - GROUND - LENGTHS[2] * np.cos(x[1]),
            LENGTHS[0] * np.sin(crank) + LENGTHS[1] * np.sin(x[0]) - LENGTHS[2] * np.sin(x[1]),
        ]

    angles = np.r_[crank, root(loop_error, [-0.1, 1.0], tol=1e-13).x]
    du = np.stack([-np.sin(angles), -np.cos(angles)], axis=1) * np.array(LENGTHS)[:, None]
    return angles, np.r_[rate, np.linalg.solve(np.column_stack([du[1], -du[2]]), -rate * du[0])]


@pytest.mark.slow
def test_fast_four_bar_with_dry_hinges_follows_scipy_to_second_order(run):
    angles, rates = four_bar_state(0.9, -9.0)
    mu, duration = 0.2, 0.04
    factor = mu * RADIUS * friction_factor(64)

    def rate(t, y):
        return np.r_[y[3:], four_bar_rates(y[:3], y[3:], factor)]

    exact, frictionless = (
        solve_ivp(f, [0, duration], np.r_[angles, rates], rtol=1e-10, atol=1e-10).y[:, -1]
        for f in (rate, lambda t, y: np.r_[y[3:], four_bar_rates(y[:3], y[3:], 0.0)])
    )
    errors = []
    for h in (0.008, 0.004):
        model, start = dry_four_bar(angles, rates, mu)
        motion = run(model, start, h=h, duration=duration)
        end = np.r_[[np.cumsum(x[[0, 1]]) for x in (motion.states[-1].q, motion.states[-1].qdot)]].ravel()
        errors.append(np.linalg.norm(end - exact[[0, 1, 3, 4]]))
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-10)
    effect = np.linalg.norm(frictionless - exact)
    assert errors[1] < 0.02 * effect
    assert 3.3 < errors[0] / errors[1] < 4.7


SHAKEN_MU, SHAKEN_SECONDS = 0.3, 0.12


def table_motion(t, phase):
    """Return position, velocity and acceleration of a shaking table."""
    amplitude, frequency = 0.05, 4 * np.pi
    s, c = np.sin(frequency * t + phase), np.cos(frequency * t + phase)
    return [amplitude * s], [amplitude * frequency * c], [-amplitude * frequency**2 * s]


@cache
def shaken_four_bar(crank, rate, phase, factor):
    """Return the final angles and rates of a four-bar linkage on a shaking table by an adaptive method."""

    def derivative(t, y):
        acceleration = table_motion(t, phase)[2][0]
        return np.r_[y[3:], four_bar_rates(y[:3], y[3:], factor, acceleration, smoothing=1e-5)]

    start = np.concatenate(four_bar_state(crank, rate))
    return solve_ivp(derivative, [0, SHAKEN_SECONDS], start, "Radau", rtol=1e-6, atol=1e-8).y[:, -1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("crank", "rate", "phase"),
    [(1.115, 0.047, 6.262), (0.907, 0.186, 0.27)],
)
def test_dry_four_bar_on_a_shaking_table_reverses(run, crank, rate, phase):
    """Four dry hinges on one degree of freedom, at rest for an instant: their modes would cycle."""
    angles, rates = four_bar_state(crank, rate)
    shake = partial(table_motion, phase=phase)
    exact = shaken_four_bar(crank, rate, phase, SHAKEN_MU * RADIUS * friction_factor(64))
    frictionless = shaken_four_bar(crank, rate, phase, 0.0)
    linkage, _ = dry_four_bar(angles, rates, SHAKEN_MU)
    bars = [replace(bar, parent=bar.parent or "table") for bar in linkage.bodies]
    table = Body("table", Box([0.9, 0.3, 0.04]), mass=20.0, joint=joints.Prismatic([1, 0, 0]))
    (loop,) = linkage.constraints
    model = Model(
        [table, *bars], constraints=[loop, PrescribedJoint("table", shake)], bearings=linkage.bearings
    )
    joint_values = [
        {"table": own[0], "crank": x[0], "coupler": x[1] - x[0], "rocker": x[2]}
        for x, own in zip((angles, rates), shake(0.0)[:2], strict=True)
    ]
    effect = np.abs(frictionless - exact)[[0, 3]]
    # In the step in which the linkage reverses, the error is of first order.
    for h, share in ((0.01, 0.2), (0.005, 0.08)):
        motion = run(
            model, model.state(q=joint_values[0], qdot=joint_values[1]), h=h, duration=SHAKEN_SECONDS
        )
        end = np.array([motion.states[-1].q[1], motion.states[-1].qdot[1]])
        assert np.all(np.abs(end - exact[[0, 3]]) < share * effect)
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-10)


def dry_mechanism(seed):
    """Return a branched mechanism with five bearings on a free body, its state, and the smooth model.

    A point of it is on a loop closure.
    """
    rng = np.random.default_rng(seed)
    bodies = [Body("base", inertia=random_inertia(rng), pose=random_frame(rng))]
    bearings = {}
    for i, name in enumerate("abcde"):
        axis = unit(rng)
        kind = joints.Prismatic if rng.integers(3) == 0 else joints.Revolute
        body = Body(
            name,
            inertia=random_inertia(rng),
            joint=kind(axis),
            parent=["base", *"abcd"][rng.integers(i + 1)],
            joint_frame=random_frame(rng),
            body_frame=random_frame(rng),
            joint_friction=float(rng.choice([0.0, 0.02])),
            armature=float(rng.choice([0.0, 0.3])),
            stiffness=float(rng.choice([0.0, 2.0])),
            damping=float(rng.choice([0.0, 0.1])),
        )
        bodies.append(body)
        bearings[name] = one_sided_bearing(rng, axis, 0.01, size=0.5, slides=kind is joints.Prismatic)
    model = Model(bodies, gravity=3 * unit(rng))
    state = model.state(
        q={name: rng.uniform(0.1, 0.5) for name in bearings},
        qdot={name: rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) for name in bearings},
        twists={"base": rng.normal(size=6)},
    )
    point = rng.normal(size=3)
    where = se3.transform_points(model.body_state(state).E[model.index("e")], point)
    constraints = [LoopClosure("e", point, None, where)]
    smooth = replace(model, constraints=constraints)
    state = with_consistent_velocity(smooth, state)
    return replace(smooth, bearings=bearings), state, smooth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_random_mechanisms_with_bearings_move_alike_in_both_coordinates(seed):
    model, state, smooth = dry_mechanism(seed)
    differences = []
    for h, steps in ((0.008, 2), (0.004, 4)):
        reduced, maximal = (
            simulate(model, state, h=h, steps=steps, coordinates=each) for each in ("reduced", "maximal")
        )
        differences.append(np.max(np.abs(reduced.body_states.E[-1] - maximal.body_states.E[-1])))
        for motion in (reduced, maximal):
            np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-11)
        np.testing.assert_allclose(
            np.sum(maximal.friction_impulses, axis=0), np.sum(reduced.friction_impulses, axis=0), atol=2e-3
        )
    frictionless = simulate(smooth, state, h=h, steps=steps, coordinates="maximal")
    effect = np.max(np.abs(maximal.body_states.E[-1] - frictionless.body_states.E[-1]))
    assert differences[1] < max(0.3 * differences[0], 1e-8)
    assert differences[1] < 0.02 * effect


def one_sided_bearing(rng, axis, mu, *, size=0.05, slides=False):
    """Return five contacts at random points, with normals along the axis of a hinge or towards it.

    If the joint slides, all are towards the axis. Their friction has a resultant.
    """
    axis = np.asarray(axis)
    points = size * rng.normal(size=(5, 3))
    radial = points - np.outer(points @ axis, axis)
    radial /= np.linalg.norm(radial, axis=1, keepdims=True)
    is_axial = (np.arange(5) == 2) & (not slides)
    normals = np.where(is_axial[:, None], axis, radial)
    return Bearing(points, normals, mu)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_accelerations_agree_with_those_of_bilateral_staggered_projections(run, seed):
    # The steps of Euler's method of Sueda's Algorithm 8 are another solver of the same laws.
    rng = np.random.default_rng(seed)
    axis = np.array([0.0, 1.0, 0.0])
    hinge = joints.Revolute(axis)

    def link(name, parent, x):
        return Body(
            name,
            inertia=Box([0.3, 0.1, 0.2]).spatial_inertia(mass=rng.uniform(0.5, 3.0)),
            joint=hinge,
            parent=parent,
            joint_frame=shift(*x),
            body_frame=shift(0.1, 0.2 * rng.normal(), -0.1),
        )

    bodies = [link("a", None, [0, 0, 0]), link("b", "a", [0.3, 0.05, 0]), link("c", "b", [0.0, 0.1, -0.2])]
    rotor, follower = link("rotor", None, [1.0, 0, 0]), link("follower", None, [2.0, 0, 0])
    start_model = Model([*bodies, rotor, follower])
    names = [body.name for body in start_model.bodies]
    q = dict(zip(names, rng.uniform(-1, 1, size=5), strict=True))
    q["follower"] = -2.0 * q["rotor"]
    pose = start_model.body_state(start_model.state(q=q)).E[start_model.index("c")]
    x_c = np.array([0.1, 0.02, 0.05])
    closure = LoopClosure("c", x_c, None, pose[:3, :3] @ x_c + pose[:3, 3], axis)
    gear = Gear("rotor", "follower", -2.0)
    bearings = {
        key: one_sided_bearing(rng, axis, 0.01) for key in ("a", "b", "c", closure, "rotor", "follower")
    }
    model = Model(start_model.bodies, constraints=[gear, closure], bearings=bearings)
    G_rows = closure.rows(model.tree, model.tree_state(model.state(q=q)), 0.0).G
    qdot = rng.normal(size=5)
    # The loop moves slowly: Euler's method omits the part of accelerations that is quadratic in the velocity.
    qdot = (qdot - np.linalg.pinv(G_rows) @ (G_rows @ qdot)) * np.where(np.any(G_rows, axis=0), 1e-2, 1.0)
    qdot[names.index("follower")] = -2.0 * qdot[names.index("rotor")]
    start = model.state(q=q, qdot=dict(zip(names, qdot, strict=True)))
    h = 1e-6
    ours = run(model, start, h=h, steps=1).states[-1]
    theirs = bisp_step(
        model.tree, model.tree_state(start), h, bearings, [gear, closure], cone="disc", gamma=0.0
    ).state
    frictionless = run(Model(start_model.bodies, constraints=[gear, closure]), start, h=h, steps=1)
    effect = (ours.qdot - frictionless.states[-1].qdot) / h
    difference = (ours.qdot - theirs.qdot) / h
    assert np.max(np.abs(difference)) < 2e-3 * np.max(np.abs(effect))


HINGE = Body("bob", Sphere(0.1), mass=2.0, joint=joints.Revolute([0, 1, 0]))
BALL = Body("bob", Sphere(0.1), mass=2.0, joint=joints.ExponentialSpherical())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Model([HINGE], bearings={"arm": spherical_bearing(0.1, 0.3)}), "bearings: got 'arm'"),
        (lambda: Model([HINGE], bearings={"bob": 0.3}), r"bearings\['bob'\]"),
        (lambda: Model([HINGE], bearings=[0.3]), "bearings: got"),
        (
            lambda: Model(
                [HINGE],
                bearings={LoopClosure("bob", [0, 0, 0], None, [0, 0, 0]): spherical_bearing(0.1, 0.3)},
            ),
            "closures among the constraints",
        ),
        (
            lambda: simulate(Model([BALL], bearings={"bob": spherical_bearing(0.1, 0.3)}), h=0.1, steps=1),
            r"bearings\['bob'\]: got a joint with 3 motions",
        ),
        (
            lambda: simulate(
                Model([BALL], bearings={"bob": spherical_bearing(0.1, 0.3)}),
                h=0.1,
                steps=1,
                coordinates="maximal",
            ),
            r"bearings\['bob'\]: got a joint with 3 motions",
        ),
        (
            lambda: simulate(pendulum(8), h=0.1, steps=1, scheme=symplectic_euler, coordinates="maximal"),
            "'rattle' in maximal coordinates",
        ),
        (
            lambda: simulate(pendulum(8), h=0.1, steps=1, compiled=True, coordinates="maximal"),
            "compiled: got",
        ),
        (
            lambda: simulate(
                Model([HINGE], bearings={"bob": journal_bearing(0.1, 0.1, 0.3)}), h=0.1, steps=1
            ),
            r"normal along which the joint moves.*axis \(0, 1, 0\)",
        ),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
