"""Friction of bearings in simulations of models, against closed forms and SciPy."""

import numpy as np
import pytest
from model_parts import parallelogram, shift
from scipy.integrate import solve_ivp

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.friction import Bearing, journal_bearing, prismatic_guide, spherical_bearing
from rbnotes.multibody import Body, Model, simulate
from rbnotes.multibody.reduced import Gear, JointLimit, LoopClosure, PlaneLimit, bisp_step
from rbnotes.shapes import Box, Plane, Sphere

G = 9.81
RADIUS, MU = 0.03, 0.4


def pendulum(points, axis=(0.0, 1.0, 0.0), **options):
    """Return a ball of 2 kg at 0.5 m from a hinge with a journal bearing."""
    bob = Body("bob", Sphere(0.1), mass=2.0, joint=joints.Revolute(axis), body_frame=shift(0, 0, -0.5))
    bearing = journal_bearing(RADIUS, 0.05, MU, axis=axis, points=points)
    return Model([bob], bearings={"bob": bearing}, **options)


def friction_factor(points):
    """Return the friction moment over mu r F, for loads shared as the cosine of the angle to the load."""
    angles = 2 * np.pi * (np.arange(points) + 0.5) / points
    return np.mean(2 * np.abs(np.cos(angles)))


@pytest.mark.parametrize("speed", [4.0, -9.0])
def test_swinging_pendulum_follows_scipy_to_second_order(speed):
    # With 64 points the friction hardly depends on the direction of the load.
    inertia = 2.0 * 0.25 + 0.4 * 2.0 * 0.01
    factor = MU * RADIUS * friction_factor(64)

    def rate(t, y):
        angle, w = y
        # The pin carries the weight and the acceleration of the ball; they depend on the friction.
        radial = 2.0 * (0.5 * w**2 + G * np.cos(angle))
        moment = 0.0
        for _ in range(40):
            acceleration = (-2.0 * G * 0.5 * np.sin(angle) - np.sign(w) * moment) / inertia
            tangential = 2.0 * (0.5 * acceleration + G * np.sin(angle))
            # Friction acts on the surface of the pin: its resultant is across the pressure.
            moment = factor * np.hypot(radial, tangential)
        return [w, acceleration]

    def end_state(h):
        model = pendulum(64)
        end = simulate(model, model.state(q={"bob": 0.3}, qdot={"bob": speed}), h=h, duration=0.2).states[-1]
        return np.r_[end.q, end.qdot]

    exact = solve_ivp(rate, [0, 0.2], [0.3, speed], rtol=1e-11, atol=1e-11).y[:, -1]
    errors = [np.linalg.norm(end_state(h) - exact) for h in (0.02, 0.01)]
    assert errors[1] < 2e-3
    assert 3.3 < errors[0] / errors[1] < 4.7


@pytest.mark.parametrize(("share", "holds"), [(0.99, True), (1.01, False)])
def test_pendulum_rests_within_its_friction_angle(share, holds):
    # At rest the pin carries the weight: 0.5 sin(angle) = mu r factor.
    angle = np.arcsin(share * MU * RADIUS * friction_factor(64) / 0.5)
    model = pendulum(64)
    motion = simulate(model, model.state(q={"bob": angle}), h=0.01, steps=20)
    rotation_angle = abs(motion.states[-1].q[0] - angle)
    assert rotation_angle < 1e-10 if holds else rotation_angle > 1e-5


def test_block_in_a_guide_slides_down_an_incline():
    slope = 0.7
    axis = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    block = Body("block", Box([0.1, 0.1, 0.1]), mass=1.5, joint=joints.Prismatic(axis))
    guide = prismatic_guide(0.1, 0.1, 0.3, 0.25, axis=axis, width_direction=[0, 1, 0])
    model = Model([block], bearings={"block": guide})
    motion = simulate(model, h=0.01, duration=0.3)
    acceleration = G * (np.sin(slope) - 0.25 * np.cos(slope))
    np.testing.assert_allclose(np.ravel(motion.states.qdot), acceleration * motion.states.t, rtol=1e-6)
    wanted = -0.25 * 1.5 * G * np.cos(slope) * acceleration * 0.3**2 / 2
    assert motion.work.applied_forces.sum() == pytest.approx(wanted, rel=1e-6)
    steep = Model([block], bearings={"block": prismatic_guide(0.1, 0.1, 0.3, 0.9, axis=axis)})
    assert simulate(steep, h=0.01, duration=0.3).states[-1].q[0] == 0.0


def dry_parallelogram(mu, points=64):
    """Return a parallelogram with journal bearings in all four hinges."""
    bodies, loop = parallelogram()
    dry = journal_bearing(0.02, 0.05, mu, axis=[0.0, 1.0, 0.0], points=points)
    bearings = {"left": dry, "coupler": dry, "right": dry, loop: dry}
    return Model(bodies, constraints=[loop], bearings=bearings)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "holds"), [(0.97, True), (1.05, False)])
def test_parallelogram_rests_on_the_friction_of_its_four_hinges(share, holds):
    # Each upper pin carries half of the weight of 2 kg, each lower pin half of that of the coupler.
    factor = 0.3 * 0.02 * friction_factor(64)
    moment = factor * G * (2 * 1.0 + 2 * 0.5)
    angle = np.arcsin(share * moment / (G * (0.5 * 0.15 * 2 + 0.3)))
    model = dry_parallelogram(0.3)
    start = model.state(q={"left": angle, "coupler": -angle, "right": angle})
    motion = simulate(model, start, h=0.01, steps=15)
    displacement = np.max(np.abs(motion.states.q - start.q))
    assert displacement < 1e-9 if holds else displacement > 1e-4


@pytest.mark.parametrize(
    ("points", "mu", "angle", "limit", "duration"),
    [
        (16, 0.3, 0.9, -0.2, 0.35),
        pytest.param(4, 0.1, 0.4, -0.2, 0.4, marks=pytest.mark.slow),
        pytest.param(4, 0.1, 0.9, -1.0, 0.6, marks=pytest.mark.slow),
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
def test_energy_account_closes_with_bearings_a_loop_and_limits():
    model = dry_parallelogram(0.3)
    limited = Model(
        model.bodies,
        constraints=[*model.constraints, JointLimit("left", -0.2, 2.0)],
        bearings=model.bearings,
    )
    start = limited.state(q={"left": 0.9, "coupler": -0.9, "right": 0.9})
    motion = simulate(limited, start, h=0.01, duration=0.5)
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-9, atol=1e-9)
    assert change < 0
    assert np.min(motion.states.q[:, 0]) > -0.2 - 1e-4
    first = simulate(limited, start, h=0.01, duration=0.25)
    second = simulate(limited, first, h=0.01, duration=0.25)
    assert np.array_equal(second.states[-1].q, motion.states[-1].q)


def test_contact_forces_load_the_bearing():
    # A smooth box lies on a slider: the guide carries both, and friction stops the slider alone.
    slider = Body("slider", Box([2.0, 0.4, 0.1]), mass=2.0, joint=joints.Prismatic([1.0, 0, 0]))
    load = Body("load", Box([0.2, 0.2, 0.2]), mass=3.0, position=[0, 0, 0.15])
    guide = prismatic_guide(0.4, 0.4, 2.0, 0.1, axis=[1.0, 0, 0], width_direction=[0, 1, 0])
    model = Model([slider, load], mu=0.0, bearings={"slider": guide})
    motion = simulate(model, model.state(qdot={"slider": 1.0}), h=0.005, duration=0.2)
    deceleration = 0.1 * G * (2.0 + 3.0) / 2.0
    np.testing.assert_allclose(
        motion.states.qdot[:, 0], 1.0 - deceleration * motion.states.t, rtol=1e-6, atol=1e-9
    )


def test_limits_on_bodies_load_the_bearing():
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
    motion = simulate(model, model.state(qdot={"cart": 1.0}), h=0.005, duration=0.2)
    load = 2.0 + 3.0 * (1 - 0.3 / 0.5)
    velocities = 1.0 - 0.1 * G * load / 5.0 * motion.states.t
    np.testing.assert_allclose(motion.states.qdot[:, 0], velocities, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_arm_with_stuck_joints_rests_on_the_floor():
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
    motion = simulate(model, h=0.01, duration=0.5)
    assert np.linalg.norm(motion.states[-1].qdot) < 1e-12
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-9)
    height = motion.poses("lower")[-1, 2, 3]
    assert height == pytest.approx(0.05, abs=1e-3)


def one_sided_bearing(rng, axis, mu):
    """Return five contacts at random points, with normals along the axis or towards it.

    Their friction has a resultant.
    """
    axis = np.asarray(axis)
    points = 0.05 * rng.normal(size=(5, 3))
    radial = points - np.outer(points @ axis, axis)
    radial /= np.linalg.norm(radial, axis=1, keepdims=True)
    normals = np.where((np.arange(5) == 2)[:, None], axis, radial)
    return Bearing(points, normals, mu)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_accelerations_agree_with_those_of_bilateral_staggered_projections(seed):
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
    G_rows = closure.rows(model.system, model.tree_state(model.state(q=q)), 0.0).G
    qdot = rng.normal(size=5)
    # The loop moves slowly: Euler's method omits the part of accelerations that is quadratic in the velocity.
    qdot = (qdot - np.linalg.pinv(G_rows) @ (G_rows @ qdot)) * np.where(np.any(G_rows, axis=0), 1e-2, 1.0)
    qdot[names.index("follower")] = -2.0 * qdot[names.index("rotor")]
    start = model.state(q=q, qdot=dict(zip(names, qdot, strict=True)))
    h = 1e-6
    ours = simulate(model, start, h=h, steps=1).states[-1]
    theirs = bisp_step(
        model.system, model.tree_state(start), h, bearings, [gear, closure], cone="disc", gamma=0.0
    ).state
    frictionless = simulate(Model(start_model.bodies, constraints=[gear, closure]), start, h=h, steps=1)
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
                Model([HINGE], bearings={"bob": journal_bearing(0.1, 0.1, 0.3)}), h=0.1, steps=1
            ),
            r"normal along which the joint moves.*axis \(0, 1, 0\)",
        ),
        (lambda: simulate(pendulum(8), h=0.1, steps=1, coordinates="maximal"), "bearings"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
