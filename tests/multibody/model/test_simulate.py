"""Simulation of models against closed forms, conservation laws, its order, and other coordinates."""

import warnings
from dataclasses import replace

import maximal_simulation
import numpy as np
import pytest
from model_parts import parallelogram, shift
from scipy.integrate import solve_ivp

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.complementarity import NotSolved
from rbnotes.dynamics import (
    Forces,
    State,
    fully_implicit_euler,
    implicit_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_world, path_through
from rbnotes.friction import (
    FrictionNotConverged,
    gauss_seidel_friction,
    journal_bearing,
    semismooth_newton_friction,
)
from rbnotes.multibody import (
    Body,
    FrictionWarning,
    Geometry,
    Model,
    Motor,
    PositionServo,
    maximal_coordinates,
    simulate,
    step,
)
from rbnotes.multibody.reduced import (
    Gear,
    JointLimit,
    LoopClosure,
    PrescribedBody,
    PrescribedJoint,
    assemble_configuration,
    constraint_rows,
    forward_dynamics,
    spatial_momentum,
)
from rbnotes.shapes import Box, Capsule, Plane, Sphere

G = 9.81
BOTH = pytest.mark.parametrize("coordinates", ["reduced", "maximal"])


def arm(ground=(), base_height=0.0, **options):
    """Return two capsules on skew hinges."""
    return Model(
        [
            Body(
                "upper",
                Capsule(0.05, 0.4),
                mass=2.0,
                joint=joints.Revolute([0.0, 1.0, 0.0]),
                joint_frame=shift(0, 0, base_height),
                body_frame=shift(0, 0, -0.2),
            ),
            Body(
                "lower",
                Capsule(0.04, 0.4),
                mass=1.5,
                parent="upper",
                joint=joints.Revolute([0.6, 0.8, 0.0]),
                joint_frame=shift(0, 0, -0.4),
                body_frame=shift(0, 0, -0.2),
            ),
        ],
        ground=ground,
        **options,
    )


def imbalance(motion):
    """Return the largest difference between the energy and its account, relative to the largest energy."""
    expected = motion.energies[0] + np.cumsum(motion.work.total)
    return np.abs(expected - motion.energies[1:]).max() / np.abs(motion.energies).max()


@BOTH
@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_impacts_at_ends_of_steps_follow_the_closed_form(coordinates, impacts, steps):
    """With e = 1/2 the flights last as long as the first fall, then half as long."""
    fall, e = 0.4, 0.5
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.1 + G * fall**2 / 2], restitution=e)
    model = Model([ball], ground=[Geometry(Plane(), restitution=e)], mu=0.0)
    motion = simulate(
        model, h=fall / (8 * steps), duration=2.25 * fall, coordinates=coordinates, impacts=impacts
    )
    # The second impact, after one fall and one flight, leaves e^2 g fall.
    speed, t = e**2 * G * fall, fall / 4
    height = speed * t - G * t**2 / 2
    assert motion.poses("ball")[-1, 2, 3] == pytest.approx(0.1 + height, abs=1e-12)
    assert motion.twists("ball")[-1, 5] == pytest.approx(speed - G * t, abs=1e-12)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.work.integrator, 0.0, atol=1e-13)


@BOTH
@pytest.mark.parametrize("is_limited", [True, False])
def test_limit_takes_part_in_an_impact(coordinates, is_limited):
    """An elastic ball leaves a bar at its limit as it came; a free bar takes part of its momentum."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.3, 0, 0.2])
    bar = Body("bar", Box([0.8, 0.2, 0.2]), mass=2.0, joint=joints.Revolute([0, 1, 0]))
    limits = [JointLimit("bar", upper=0.0)] if is_limited else []
    model = Model([ball, bar], constraints=limits, restitution=1.0, mu=0.0, gravity=np.zeros(3))
    start = model.state(twists={"ball": [0, 0, 0, 0, 0, -2.0]})
    motion = simulate(model, start, h=0.01, steps=1, coordinates=coordinates)
    impulse = 4.0 if is_limited else 4.0 / (1.0 + 0.3**2 / bar.spatial_inertia[1, 1])
    assert motion.twists("ball")[-1, 5] == pytest.approx(impulse - 2.0, abs=1e-9)
    assert (motion.qdot("bar")[-1].item() > 0.1) == (not is_limited)
    np.testing.assert_allclose(motion.energies, 2.0, rtol=1e-9)


@pytest.mark.slow
@BOTH
def test_ball_rebounds_by_the_square_of_its_restitution(coordinates):
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.3])
    model = Model([ball], ground=Plane(), restitution=0.8)
    motion = simulate(model, h=0.004, duration=0.4, coordinates=coordinates)
    height = motion.poses("ball")[:, 2, 3]
    lowest = np.argmin(height)
    assert height[lowest] == pytest.approx(0.1, abs=0.008)  # the fall within a step
    assert height[lowest:].max() == pytest.approx(0.1 + 0.64 * 0.2, abs=0.008)
    assert imbalance(motion) < 1e-12


@pytest.mark.slow
@BOTH
def test_elastic_ball_returns_to_its_height(coordinates):
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.2])
    model = Model([ball], ground=Plane(), restitution=1.0)
    motion = simulate(model, h=0.01, duration=0.8, coordinates=coordinates)
    assert sum(event.kind == "contact_begins" for event in motion.contact_events) >= 3
    assert np.ptp(motion.energies) < 2e-3 * motion.energies[0]


@pytest.mark.slow
@BOTH
def test_box_slides_as_far_as_friction_lets_it(coordinates):
    box = Body("box", Box([0.2, 0.2, 0.1]), mass=3.0, position=[0, 0, 0.05], mu=0.4)
    model = Model([box], ground=Plane(), mu=0.4)
    state = model.state(twists={"box": [0, 0, 0, 1.2, 0.9, 0]})
    motion = simulate(model, state, h=0.01, duration=0.4, coordinates=coordinates)
    traveled = np.linalg.norm(motion.poses("box")[-1, :2, 3])
    assert traveled == pytest.approx(1.5**2 / (2 * 0.4 * G), rel=0.03)
    assert np.abs(motion.twists("box")[-1]).max() < 1e-8
    assert [event.kind for event in motion.contact_events][-1] == "stick_begins"


def test_free_bodies_move_equally_in_both_coordinates():
    boxes = [
        Body(f"box{k}", Box([0.2, 0.3, 0.1]), density=500.0, position=[0.02 * k, 0, 0.1 + 0.15 * k])
        for k in range(2)
    ]
    model = Model(boxes, ground=Plane())
    state = model.state(twists={"box1": [0.4, -0.3, 0.8, 0.3, 0, 0]})
    motions = [simulate(model, state, h=0.005, steps=40, coordinates=c) for c in ("reduced", "maximal")]
    difference = np.abs(motions[0].body_states.E - motions[1].body_states.E).max()
    assert difference < 1e-7  # the reduced one integrates the free rotation to fourth order
    for one, other in zip(*(m.contacts for m in motions), strict=True):
        assert one.impulses.sum() == pytest.approx(other.impulses.sum(), abs=1e-6)


@pytest.mark.parametrize("spring", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_steps_are_of_second_order(spring):
    model = arm()
    if spring:
        ends = path_through(on_world([0.3, 0.1, 0.0]), on_body(1, [0.0, 0.0, -0.2]))
        law = ForceGroups([PathForces(LinearSpring(40.0, 3.0, 0.3), ends)])
        model = Model(model.bodies, forces=law)
    state = model.state(q={"upper": 1.2, "lower": 0.4}, qdot={"upper": -0.5})

    def rates(t, y):
        return np.concatenate([y[2:], model.tree.acceleration(State(q=y[:2], qdot=y[2:]))])

    start = np.concatenate([state.q, state.qdot])
    exact = solve_ivp(rates, (0, 0.4), start, method="DOP853", rtol=1e-7, atol=1e-8).y[:, -1]

    def error(h):
        motion = simulate(model, state, h=h, duration=0.4)
        return np.abs(np.concatenate([motion.tree_q[-1], motion.tree_qdot[-1]]) - exact).max()

    coarse, fine = error(0.02), error(0.01)
    assert fine < 1e-2
    assert coarse / fine == pytest.approx(4.0, abs=0.4)


@pytest.mark.slow
def test_energy_of_a_swinging_arm_does_not_drift():
    model = arm()
    motion = simulate(model, model.state(q={"upper": 1.2, "lower": 0.4}), h=0.02, duration=4.0)
    first, last = np.array_split(motion.energies, 6)[0], np.array_split(motion.energies, 6)[-1]
    assert np.ptp(first) < 2e-2
    assert abs(last.mean() - first.mean()) < 4e-3
    assert imbalance(motion) < 1e-12


@pytest.mark.slow
def test_coordinates_of_a_spherical_joint_do_not_matter():
    start = joints.ExponentialSpherical().transform([0.3, 0.5, -0.2])
    poses = []
    for joint in (joints.ExponentialSpherical(), joints.QuaternionSpherical(), joints.EulerSpherical("ZXY")):
        top = Body("top", Box([0.1, 0.2, 0.3]), mass=1.0, joint=joint, body_frame=shift(0.05, 0, 0.3))
        model, q = Model([top]), joint.nearest_coordinates(start)
        qdot = np.linalg.pinv(joint.motion_subspace(q)) @ [0.5, 1.0, 9.0, 0, 0, 0]
        motion = simulate(model, model.state(q={"top": q}, qdot={"top": qdot}), h=0.005, duration=0.2)
        poses.append(motion.poses("top"))
    # Different coordinates, one motion: they differ by the error of the steps without forces alone.
    for other in poses[1:]:
        np.testing.assert_allclose(other, poses[0], rtol=0, atol=1e-4)


@pytest.mark.slow
def test_motors_leave_the_momentum_of_a_free_robot_unchanged():
    trunk = Body("trunk", Box([0.3, 0.2, 0.2]), mass=4.0, position=[0, 0, 1.0])
    leg = Body(
        "leg",
        Capsule(0.03, 0.3),
        mass=1.0,
        parent="trunk",
        joint=joints.Revolute([0.0, 0.6, 0.8]),
        joint_frame=shift(0.1, 0.05, -0.1),
        body_frame=shift(0, 0, -0.2),
    )
    model = Model([trunk, leg], gravity=[0.0, 0.0, 0.0])
    state = model.state(twists={"trunk": [0.3, -0.2, 0.5, 0.1, 0.4, 0.0]})

    def control(state):
        return {"leg": 3.0 * np.sin(8 * state.t) - 0.1 * state.qdot[0]}

    def momenta(h):
        motion = simulate(model, state, h=h, duration=0.3, control=control)
        return motion, spatial_momentum(model.tree, motion.tree_q, motion.tree_qdot)

    motion, momentum = momenta(0.01)
    assert np.ptp(motion.q("leg")) > 0.1
    drift = np.abs(momentum - momentum[0]).max()
    finer = momenta(0.005)[1]
    assert drift < 1e-3
    assert np.abs(finer - finer[0]).max() < drift / 3  # of second order or better
    assert imbalance(motion) < 1e-11
    assert np.sum(motion.work.applied_forces) == pytest.approx(
        motion.energies[-1] - motion.energies[0], abs=1e-2
    )


def test_control_acts_along_the_joint():
    model = Model([Body("rotor", Box([0.1, 0.2, 0.3]), mass=2.0, joint=joints.Revolute([0.0, 0.0, 1.0]))])
    inertia = 2.0 / 12 * (0.1**2 + 0.2**2)
    for control in (lambda state: {"rotor": 0.5}, lambda state: [0.5]):
        motion = simulate(model, h=0.01, duration=0.2, control=control)
        np.testing.assert_allclose(motion.q("rotor")[-1], 0.5 / inertia * 0.2**2 / 2, rtol=1e-12)
        np.testing.assert_allclose(motion.qdot("rotor")[-1], 0.5 / inertia * 0.2, rtol=1e-12)


def test_stiff_damper_is_stable_and_dissipates():
    rotor = Body(
        "rotor", Box([0.1, 0.2, 0.3]), mass=2.0, joint=joints.Revolute([0.0, 0.0, 1.0]), damping=50.0
    )
    model = Model([rotor])
    motion = simulate(model, model.state(qdot={"rotor": 3.0}), h=0.01, duration=0.5)
    assert np.all(np.diff(motion.energies) <= 1e-15)
    assert abs(motion.qdot("rotor")[-1, 0]) < 0.03
    assert imbalance(motion) < 1e-12


def test_damped_spring_follows_its_closed_form():
    stiffness, damping, mass = 30.0, 2.0, 1.5
    slider = Body(
        "slider",
        Sphere(0.1),
        mass=mass,
        joint=joints.Prismatic([1.0, 0.0, 0.0]),
        stiffness=stiffness,
        damping=damping,
        spring_reference=[0.2],
    )
    model = Model([slider])

    def end(h):
        return simulate(model, model.state(q={"slider": 0.5}), h=h, duration=0.5).q("slider")[-1, 0]

    decay = damping / (2 * mass)
    omega = np.sqrt(stiffness / mass - decay**2)
    exact = 0.2 + 0.3 * np.exp(-decay / 2) * (np.cos(omega / 2) + decay / omega * np.sin(omega / 2))
    coarse, fine = (end(h) - exact for h in (0.02, 0.01))
    assert abs(coarse) < 2e-3
    assert coarse / fine == pytest.approx(4.0, abs=0.3)


def four_bar():
    """Return a crank, a coupler and a rocker, closed at the ground."""
    axis = [0.0, 1.0, 0.0]
    lengths = {"crank": 0.3, "coupler": 0.6, "rocker": 0.5}
    bodies, parent, start = [], None, 0.0
    for name, length in lengths.items():
        bodies.append(
            Body(
                name,
                Box([length, 0.04, 0.04]),
                density=800.0,
                joint=joints.Revolute(axis),
                parent=parent,
                joint_frame=shift(start, 0, 0),
                body_frame=shift(length / 2, 0, 0),
            )
        )
        parent, start = name, length
    closure = LoopClosure("rocker", [0.25, 0.0, 0.0], None, [0.6, 0.0, 0.0], axis)
    return bodies, closure


def closed_coordinates(angle):
    """Return the coordinates of the four-bar at this crank angle, by the intersection of two circles."""
    crank = 0.3 * np.array([np.cos(angle), -np.sin(angle)])
    to_ground = np.array([0.6, 0.0]) - crank
    distance = np.linalg.norm(to_ground)
    along = (0.6**2 - 0.5**2 + distance**2) / (2 * distance)
    across = np.sqrt(0.6**2 - along**2)
    unit = to_ground / distance
    pin = crank + along * unit + across * np.array([-unit[1], unit[0]])
    first = np.arctan2(-(pin - crank)[1], (pin - crank)[0])
    last = np.arctan2(-(np.array([0.6, 0.0]) - pin)[1], (np.array([0.6, 0.0]) - pin)[0])
    return {"crank": angle, "coupler": first - angle, "rocker": last - first}


@pytest.mark.slow
def test_closed_loop_stays_closed_and_conserves_energy():
    bodies, closure = four_bar()
    model = Model(bodies, constraints=[closure])
    state = model.state(q=closed_coordinates(-0.8))
    motion = simulate(model, state, h=0.01, duration=0.3)
    ends = se3.transform_points(motion.poses("rocker"), np.array([0.25, 0, 0]))
    assert np.abs(ends - [0.6, 0, 0]).max() < 1e-9
    assert np.ptp(motion.q("crank")) > 0.2
    assert np.ptp(motion.energies) < 5e-3 * np.abs(motion.energies).max()
    assert imbalance(motion) < 1e-11
    # Ideal constraints do no work; what the scheme gives them falls with the square of the step.
    finer = simulate(model, state, h=0.005, duration=0.3)
    assert np.ptp(finer.energies) < np.ptp(motion.energies) / 3
    assert np.abs(motion.q("crank")[-1] - finer.q("crank")[-1]) < 5e-3


@pytest.mark.slow
def test_energy_account_closes_with_loops_and_contacts():
    bodies, closure = four_bar()
    floor = Geometry(Plane(), shift(0.0, 0.0, -0.2))
    model = Model(bodies, ground=[floor], constraints=[closure], mu=0.4, restitution=0.3)
    motion = simulate(model, model.state(q=closed_coordinates(-0.8)), h=0.01, duration=0.5)
    assert any(len(record.impulses) for record in motion.contacts)
    assert imbalance(motion) < 1e-11
    assert motion.energies[-1] < motion.energies[0]


def test_prescribed_joint_follows_its_motion():
    model = Model(
        arm().bodies,
        constraints=[
            PrescribedJoint("upper", lambda t: (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)))
        ],
    )
    state = model.state(qdot={"upper": 3.0})
    motion = simulate(model, state, h=0.005, duration=0.25)
    np.testing.assert_allclose(motion.q("upper")[:, 0], np.sin(3 * motion.t), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.qdot("upper")[1:, 0], 3 * np.cos(3 * motion.t[1:]), rtol=0, atol=1e-9)

    def rates(t, y):
        q, qdot = [np.sin(3 * t), y[0]], [3 * np.cos(3 * t), y[1]]
        base = forward_dynamics(model.tree, q, qdot)
        unit_response = forward_dynamics(model.tree, q, qdot, [1.0, 0.0]) - base
        torque = (-9 * np.sin(3 * t) - base[0]) / unit_response[0]
        return [y[1], (base + torque * unit_response)[1]]

    exact = solve_ivp(rates, (0, 0.25), [0.0, 0.0], method="DOP853", rtol=1e-8, atol=1e-8).y[:, -1]
    np.testing.assert_allclose(motion.q("lower")[-1, 0], exact[0], rtol=0, atol=1e-3)


def test_gear_turns_two_rotors_together():
    rotors = [
        Body(
            name,
            Box([0.1, 0.2, 0.3]),
            mass=mass,
            joint=joints.Revolute([0.0, 0.0, 1.0]),
            joint_frame=shift(x, 0, 0),
        )
        for name, mass, x in (("small", 1.0, 0.0), ("large", 3.0, 1.0))
    ]
    model = Model(rotors, constraints=[Gear("small", "large", -0.5)])
    motion = simulate(model, h=0.01, duration=0.5, control=lambda state: {"small": 0.2})
    inertia = np.array([1.0, 3.0]) / 12 * (0.1**2 + 0.2**2)
    expected = 0.2 / (inertia[0] + 0.25 * inertia[1]) * 0.5**2 / 2
    assert motion.q("small")[-1, 0] == pytest.approx(expected, rel=1e-9)
    assert motion.q("large")[-1, 0] == pytest.approx(-0.5 * expected, rel=1e-9)


def test_joint_stops_at_its_limit():
    model = Model(arm().bodies, constraints=[JointLimit("lower", -0.1, 0.1), JointLimit("upper", -2.0, 0.7)])
    state = model.state(q={"upper": -1.2})
    motion = simulate(model, state, h=0.01, duration=0.8)
    assert motion.q("lower").min() > -0.1 - 1e-4
    assert motion.q("lower").max() < 0.1 + 1e-4
    assert motion.q("upper").max() < 0.7 + 1e-4
    assert motion.energies[-1] < motion.energies[0]
    assert np.max(motion.energies - motion.energies[0]) < 1e-3 * np.abs(motion.energies[0])


def test_distant_limits_do_not_act():
    free, limited = (
        simulate(model, model.state(q={"upper": -1.2}), h=0.01, steps=30)
        for model in (arm(), Model(arm().bodies, constraints=[JointLimit("upper", -2.0, 2.0)]))
    )
    np.testing.assert_allclose(limited.tree_q, free.tree_q, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_arm_falls_on_the_floor_alike_in_both_coordinates():
    model = arm(Plane(), 0.7, mu=0.3)
    state = model.state(q={"upper": 0.7, "lower": 0.4})
    steps = (0.012, 0.004)
    ends = {
        (h, c): simulate(model, state, h=h, duration=0.36, coordinates=c).body_states.E[-1]
        for h in steps
        for c in ("reduced", "maximal")
    }
    differences = [np.abs(ends[h, "reduced"] - ends[h, "maximal"]).max() for h in steps]
    assert differences[-1] < 3e-3
    assert differences[-1] < differences[0] / 2


@pytest.mark.slow
def test_friction_and_impacts_never_add_energy():
    model = arm(Plane(), 0.7, mu=0.4, restitution=0.5)
    motion = simulate(model, model.state(q={"upper": 1.2, "lower": 0.4}), h=0.005, duration=0.8)
    assert any(event.kind == "contact_begins" for event in motion.contact_events)
    for record in motion.contacts:
        assert record.work.sum() < 1e-3
        assert np.all(record.impulses[:, 0] >= -1e-10)
        friction = np.linalg.norm(record.impulses[:, 1:], axis=1)
        assert np.all(friction <= 0.4 * record.impulses[:, 0] + 1e-6)
    assert motion.energies[-1] < motion.energies[0]
    assert imbalance(motion) < 1e-11
    for name, radius in (("upper", 0.05), ("lower", 0.04)):
        for end in (-0.2, 0.2):
            height = se3.transform_points(motion.poses(name), np.array([0.0, 0.0, end]))[:, 2]
            assert height.min() > radius - 1e-3


def test_compiled_steps_agree_with_the_reference():
    pytest.importorskip("numba")
    model = arm(Plane(), 0.7)
    state = model.state(q={"upper": 1.2, "lower": 0.4})
    motions = [
        simulate(model, state, h=0.005, steps=40, coordinates="maximal", compiled=compiled)
        for compiled in (False, True)
    ]
    np.testing.assert_allclose(motions[0].tree_q, motions[1].tree_q, rtol=0, atol=1e-9)


@pytest.mark.slow
@BOTH
def test_continued_run_is_bitwise_that_without_a_break(coordinates):
    model = arm(Plane(), 0.7, restitution=0.3)
    state = model.state(q={"upper": 1.2, "lower": 0.4})
    whole = simulate(model, state, h=0.01, steps=45, coordinates=coordinates)
    first = simulate(model, state, h=0.01, steps=25, coordinates=coordinates)
    second = simulate(model, first, h=0.01, steps=20, coordinates=coordinates)
    assert whole.body_states.E[-1].tolist() == second.body_states.E[-1].tolist()
    assert whole.tree_qdot[-1].tolist() == second.tree_qdot[-1].tolist()
    assert any(len(record.impulses) for record in second.contacts)


BALL = Model([Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 1.0])])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate(BALL, h=0.01), "duration, steps: got neither"),
        (lambda: simulate(BALL, h=0.01, steps=2, duration=0.02), "duration, steps: got both"),
        (lambda: simulate(BALL, h=0.01, steps=10**30), r"steps: got 1e\+30 steps"),
        (lambda: simulate(BALL, h=1e-90, duration=1.0), r"duration: got 1e\+90 steps"),
        (lambda: simulate(BALL, h=0.01, duration=0.015), "duration: got 0.015 s, expected a multiple"),
        (lambda: simulate(BALL, h=-0.01, steps=2), "h: got -0.01"),
        (lambda: simulate(BALL, State(q=[0.0]), h=0.01, steps=2), "state: got 0 poses, 1 coordinates"),
        (lambda: simulate(BALL, h=0.01, steps=2, coordinates="joint"), "coordinates: got 'joint'"),
        (lambda: simulate(arm(), h=0.01, steps=2, compiled=True, scheme="RK45"), "compiled: got True"),
        (lambda: simulate(BALL, h=0.01, steps=2, compiled=np.array([True, False])), r"compiled: got array\("),
        (lambda: simulate(arm(), h=0.01, steps=2, control=lambda state: [1.0]), r"control\(state\)"),
        (lambda: simulate(arm(), h=0.01, steps=2, control=lambda s: {"elbow": 1.0}), "'elbow'"),
        (
            lambda: simulate(
                Model(arm().bodies, constraints=[JointLimit("lower", 0.1, 0.2)]), h=0.01, steps=2
            ),
            "state: got a violation of 0.1 of JointLimit",
        ),
        (
            lambda: simulate(
                Model(arm().bodies, constraints=[PrescribedBody("lower", [0], lambda t, E, phi: (phi, phi))]),
                h=0.01,
                steps=2,
            ),
            "constraints: got PrescribedBody",
        ),
    ],
)
def test_unsupported_features_are_refused_by_name(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()


def test_ordinary_scene_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boxes = [
            Body(f"box{k}", Box([0.2, 0.2, 0.2]), density=500.0, position=[0, 0, 0.1 + 0.2 * k])
            for k in range(3)
        ]
        motion = simulate(Model(boxes, ground=Plane(), mu=0.5), h=0.005, duration=0.2)
    heights = [motion.poses(f"box{k}")[-1, 2, 3] for k in range(3)]
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.5], rtol=0, atol=1e-6)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_one_step_equals_a_simulation_of_one_step(coordinates):
    box = Body("box", Box([0.2, 0.3, 0.4]), density=500.0, position=[0, 0, 0.19])
    model = Model([box], ground=Plane(), mu=0.3)
    state = model.state(twists={"box": [0.1, 0.2, 0.3, 1.0, 0.5, -0.4]}, t=2.0)
    options = {"coordinates": coordinates, "friction_model": "gauss_seidel"}
    after, motion = step(model, state, 0.01, **options), simulate(model, state, h=0.01, steps=1, **options)
    for name in ("E", "phi", "t"):
        np.testing.assert_array_equal(getattr(after, name), getattr(motion.states, name)[-1])
    assert len(motion.contacts[0].points)
    newton = step(model, state, 0.01, coordinates=coordinates)
    # The impulses of four corners are not unique, and with them the spin; the other velocities nearly are.
    assert 0 < np.abs(newton.phi - after.phi).max() < 1e-2


@pytest.mark.parametrize(
    "options", [{"coordinates": "reduced"}, {}, {"compiled": True, "coordinates": "maximal"}]
)
def test_a_ball_that_does_not_fit_is_named_with_its_contacts(options):
    """Between a floor and a shelf 0.19 m above it, a ball of radius 0.1 m cannot stay and cannot leave."""
    overhead = se3.frame(np.diag([1.0, -1.0, -1.0]), [0, 0, 0.19])
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.1])
    model = Model([ball], ground=[Geometry(Plane()), Geometry(Plane(), overhead)])
    with pytest.raises(NotSolved, match=r"at t = 3 s contacts ball-world \(2\).*infeasible.*increase `slop`"):
        simulate(model, model.state(t=3.0), h=0.01, steps=5, **options)


def test_a_step_that_fails_names_its_contacts():
    """Up to five pairs, with the number of contacts of each."""

    def fail(problem):
        solution = semismooth_newton_friction(problem)
        raise FrictionNotConverged(replace(solution, residual=np.nan), 1e-9)

    crates = [
        Body(f"crate{k}", Box([1, 1, 1]), mass=1.0, position=[2.0 * (k % 4), 0, 0.5 + k // 4])
        for k in range(7)
    ]
    model = Model(crates, ground=Plane())
    message = (
        r"at t = 0 s the step with contacts .*crate\d-world \(4\).*and 2 other pairs failed .*residual nan"
    )
    with pytest.raises(FrictionNotConverged, match=message):
        simulate(model, h=0.01, steps=1, friction_model=fail)


@pytest.mark.parametrize(
    "options", [{"coordinates": "reduced"}, {}, {"compiled": True, "coordinates": "maximal"}]
)
def test_a_force_that_fails_is_named_with_time_and_contacts(options):
    def forces(state):
        zero = np.zeros((6, 6))
        return Forces(np.full(6, np.nan if state.t > 1.015 else 0.0), zero, zero)

    crate = Body("crate", Box([1, 1, 1]), mass=1.0, position=[0, 0, 0.5])
    model = Model([crate], ground=Plane(), forces=forces)
    with pytest.raises(
        InvalidArgument, match=r"from t = 1\.01 s with contacts crate-world \(4\): .* got"
    ) as error:
        simulate(model, model.state(t=1.0), h=0.01, steps=5, **options)
    assert error.value.name in str(error.value)


def test_singular_joint_is_reported_with_the_time():
    """A ball joint in Euler angles is singular where the middle angle is a quarter turn."""
    joint = joints.EulerSpherical("XYZ")
    model = Model([Body("top", Box([0.1, 0.2, 0.3]), mass=1.0, joint=joint)], gravity=[0, 0, 0])
    start = model.state(q={"top": [0, np.pi / 2, 0]}, qdot={"top": [1.0, 0, 0]}, t=2.0)
    with pytest.raises(SingularConfiguration, match=r"at t = 2 s the step .* along 'top' .*; reduce"):
        simulate(model, start, h=0.01, steps=1)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["DOP853", "Radau"])
def test_schemes_of_scipy_follow_closed_forms(scheme):
    # A damped oscillator with a motor that the control drives: q'' = -k q - c q' + f.
    k, c, f = 9.0, 1.2, 2.0
    slider = Body(
        "slider",
        Sphere(0.1),
        mass=1.0,
        joint=joints.Prismatic([1, 0, 0]),
        stiffness=k,
        damping=c,
        armature=1.0,
    )
    model = Model([slider], actuators=[Motor("slider")])
    motion = simulate(
        model,
        h=0.1,
        duration=1.0,
        scheme=scheme,
        control=lambda state: {"slider": f},
        record=["slider.force"],
    )
    rate, t = c / 4, motion.t
    omega = np.sqrt(k / 2 - rate**2)
    expected = f / k * (1 - np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t)))
    np.testing.assert_allclose(motion.tree_q[:, 0], expected, rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.recorded["slider.force"].values.ravel(), f, rtol=1e-12)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
    assert np.abs(motion.work.integrator).max() < 1e-7


@pytest.mark.slow
def test_steps_converge_to_a_scheme_of_scipy_with_order_two():
    model = arm()
    start = model.state(q={"upper": 1.2, "lower": 0.4}, qdot={"lower": 3.0})
    exact = simulate(model, start, h=0.2, steps=2, scheme="DOP853").tree_q[-1]
    errors = [
        np.abs(simulate(model, start, h=h, duration=0.4).tree_q[-1] - exact).max() for h in (0.02, 0.01)
    ]
    assert 3.5 < errors[0] / errors[1] < 4.5
    half = simulate(model, start, h=0.2, steps=1, scheme="DOP853")
    rest = simulate(model, half, h=0.2, steps=1, scheme="DOP853").tree_q[-1]
    np.testing.assert_allclose(rest, exact, rtol=0, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["DOP853", "LSODA"])
def test_recording_does_not_shorten_the_steps_of_schemes_of_scipy(scheme):
    calls = 0

    def wind(state):
        nonlocal calls
        calls += 1
        return Forces.without_derivatives(np.sin(state.t) * np.eye(6)[3] - 0.2 * state.phi[0])

    joint = joints.Revolute([0, 1, 0])
    vane = Body("vane", Box([0.1, 0.1, 0.4]), mass=1.0, joint=joint, body_frame=shift(0, 0, -0.2))
    model = Model([vane], forces=wind)
    start = model.state(q={"vane": 1.0}, t=0.3)
    counts, motions = [], []
    for steps in (1, 40):
        calls = 0
        motions.append(
            simulate(model, start, h=0.8 / steps, steps=steps, scheme=scheme, rtol=1e-6, atol=1e-7)
        )
        counts.append(calls)
    assert counts[0] == counts[1]
    few, many = motions
    np.testing.assert_allclose(few.tree_q[-1], many.tree_q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(few.work.applied_forces, many.work.applied_forces.sum(), rtol=1e-10)
    exact = simulate(model, start, h=0.02, steps=40, scheme=scheme, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(many.tree_q, exact.tree_q, rtol=0, atol=1e-5)
    np.testing.assert_allclose(many.work.applied_forces, exact.work.applied_forces, rtol=0, atol=1e-5)


def test_schemes_of_scipy_refuse_models_that_are_not_smooth():
    falling = Model([Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.4])], ground=Plane())
    with pytest.raises(InvalidArgument, match=r"scheme: got 'DOP853', and at t = .* contacts ball-world"):
        simulate(falling, h=0.5, steps=1, scheme="DOP853")
    joint = joints.Revolute([0, 1, 0])
    rubbing = Model([Body("rotor", Sphere(0.1), mass=1.0, joint=joint, joint_friction=0.1)])
    with pytest.raises(InvalidArgument, match="model: joint_friction"):
        simulate(rubbing, h=0.1, steps=1, scheme="Radau")
    limited = Model(
        [Body("rotor", Sphere(0.1), mass=1.0, joint=joint)], constraints=[JointLimit("rotor", -1.0, 1.0)]
    )
    with pytest.raises(InvalidArgument, match="model: constraints"):
        simulate(limited, h=0.1, steps=1, scheme="RK45")


def test_options_of_maximal_coordinates_are_those_of_its_driver():
    model = Model([Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.2])], ground=Plane(), mu=0.3)
    start = model.state(twists={"ball": [0, 0, 0, 1.0, 0, 0]})
    converted = maximal_coordinates(model).maximal_model
    options = {"stabilization": "baumgarte", "gamma": 12.0}
    trajectory = simulate(model, start, h=0.01, steps=40, scheme=symplectic_euler, **options)
    expected = maximal_simulation.simulate(
        converted,
        model.body_state(start),
        0.01,
        40,
        friction_model="newton",
        integrator=symplectic_euler,
        **options,
    )
    assert np.array_equal(trajectory.body_states.E, expected.states.E)
    other = simulate(model, start, h=0.01, steps=40)
    assert not np.array_equal(trajectory.body_states.E, other.body_states.E)
    for name, value in (("scheme", fully_implicit_euler), ("scheme", "DOP853")):
        with pytest.raises(InvalidArgument, match="coordinates: got 'maximal', expected 'reduced'"):
            simulate(model, start, h=0.01, steps=1, coordinates="maximal", **{name: value})
    for name, value in (("stabilization", "none"), ("scheme", momentum_conserving_euler)):
        with pytest.raises(InvalidArgument, match=f"^{name}: .* in reduced coordinates"):
            simulate(model, start, h=0.01, steps=1, coordinates="reduced", **{name: value})
    with pytest.raises(InvalidArgument, match=r"gamma: got 3\.0, expected None"):
        simulate(model, start, h=0.01, steps=1, gamma=3.0)
    with pytest.raises(InvalidArgument, match="scheme"):
        simulate(model, start, h=0.01, steps=1, scheme="euler")


@BOTH
def test_friction_residuals_above_the_limit_raise(coordinates):
    model = Model([Body("box", Box([0.2, 0.2, 0.2]), mass=1.0, position=[0, 0, 0.1])], ground=Plane())
    start = model.state(twists={"box": [0, 0, 3.0, 1.0, 0, 0]})

    def stopped_early(problem):
        return gauss_seidel_friction(problem, max_sweeps=1, tolerance=1e-15)

    options = {"h": 0.01, "steps": 1, "coordinates": coordinates, "friction_model": stopped_early}
    with pytest.warns(FrictionWarning):
        motion = simulate(model, start, **options)
    assert max(record.residual for record in motion.contacts) > 1e-15
    with pytest.raises(FrictionNotConverged):
        simulate(model, start, max_friction_residual=1e-16, **options)


STABILIZATIONS = pytest.mark.parametrize("stabilization", ["projection", "baumgarte", "none"])


def stabilization_options(stabilization, coordinates):
    """Return options with a scheme that supports the stabilization."""
    scheme = symplectic_euler if coordinates == "reduced" and stabilization != "projection" else "rattle"
    return {"stabilization": stabilization, "coordinates": coordinates, "scheme": scheme}


@pytest.mark.slow
@BOTH
@STABILIZATIONS
def test_ball_squeezed_between_floor_and_ceiling_is_reported(stabilization, coordinates):
    """Stabilizations stop or warn at overlaps that cannot be removed; without one the overlap is recorded."""
    ceiling = Geometry(Plane(), se3.frame(np.diag([1.0, -1.0, -1.0]), [0, 0, 0.19]))
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.1])
    model = Model([ball], ground=[Geometry(Plane()), ceiling])
    options = {"h": 0.01, "steps": 2, **stabilization_options(stabilization, coordinates)}
    if stabilization == "projection":
        with pytest.raises(NotSolved, match=r"t = 0 s contacts ball-world \(2\)"):
            simulate(model, **options)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = simulate(model, **options)
    messages = [str(each.message) for each in caught]
    assert ["overlap by 0.01 m" in each for each in messages] == [True] * (stabilization == "baumgarte")
    np.testing.assert_allclose(motion.contacts[-1].max_overlap, 0.01, rtol=1e-6)
    np.testing.assert_allclose(motion.poses("ball")[-1, :3, 3], [0, 0, 0.1], rtol=0, atol=1e-9)


def lowered_ball(ground):
    """Return a ball that a prescribed motion lowers at 1 m/s, at first 15 mm above the origin."""
    ball = Body(
        "ball", Sphere(0.1), mass=1.0, joint=joints.Prismatic([0, 0, 1]), joint_frame=shift(0, 0, 0.115)
    )
    motion = PrescribedJoint("ball", lambda t: (-t, -1.0, 0.0))
    model = Model([ball], ground=ground, constraints=[motion])
    return model, model.state(qdot={"ball": -1.0})


@pytest.mark.slow
@BOTH
@STABILIZATIONS
def test_prescribed_motion_into_the_floor_is_infeasible(stabilization, coordinates):
    model, start = lowered_ball(Plane())
    with pytest.raises(NotSolved, match=r"t = 0.01 s contacts ball-world .*infeasible"):
        simulate(model, start, h=0.01, steps=3, **stabilization_options(stabilization, coordinates))


@pytest.mark.slow
@BOTH
@STABILIZATIONS
def test_prescribed_motion_needs_no_stabilization(stabilization, coordinates):
    model, start = lowered_ball(())
    motion = simulate(model, start, h=0.01, steps=10, **stabilization_options(stabilization, coordinates))
    np.testing.assert_allclose(motion.q("ball")[:, 0], -motion.t, rtol=0, atol=1e-9)


FIRST_ORDER = [symplectic_euler, implicit_euler, fully_implicit_euler]


def loaded_arm():
    """Return an arm with all kinds of joint forces, a limit and a coupling."""
    model = arm()
    upper, lower = model.bodies
    return Model(
        [replace(upper, stiffness=4.0, damping=0.3, armature=0.1), replace(lower, joint_friction=0.4)],
        actuators=[PositionServo("lower", kp=8.0, kd=0.5, target=0.3, force_limit=3.0), Motor("upper")],
        constraints=[JointLimit("upper", upper=1.08)],
    )


LOADED = loaded_arm()
LOADED_START = LOADED.state(q={"upper": 1.0, "lower": -0.2}, qdot={"upper": 2.5, "lower": 1.0})
LOADED_OPTIONS = {
    "duration": 0.2,
    "coordinates": "reduced",
    "control": lambda state: {"upper": np.sin(9 * state.t)},
}


@pytest.fixture(scope="module")
def exact():
    """Return the motion of the loaded arm, of second order with small steps."""
    return simulate(LOADED, LOADED_START, h=0.001, **LOADED_OPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", FIRST_ORDER)
def test_schemes_of_first_order_converge_in_joint_coordinates(scheme, exact):
    assert exact.tree_q[:, 0].max() == pytest.approx(1.08, abs=1e-3)  # the limit acts
    errors = []
    for h in (0.002, 0.001):
        motion = simulate(LOADED, LOADED_START, h=h, scheme=scheme, **LOADED_OPTIONS)
        errors.append(np.abs(motion.tree_q[-1] - exact.tree_q[-1]).max())
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
    assert 1.6 < errors[0] / errors[1] < 2.6
    assert errors[1] < 0.01
    for name in ("applied_forces", "joints"):
        work, expected = (np.sum(getattr(each.work, name)) for each in (motion, exact))
        assert work == pytest.approx(expected, rel=0.15)
    np.testing.assert_allclose(
        motion.friction_impulses.sum(axis=0), exact.friction_impulses.sum(axis=0), rtol=0.15
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "stabilization", "gamma"),
    [*zip(FIRST_ORDER, ("projection", "baumgarte", "none"), (None, 40.0, None), strict=True)],
)
def test_bodies_fall_onto_the_floor_in_schemes_of_first_order(scheme, stabilization, gamma):
    model = arm(Plane(), 0.7, mu=0.3)
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[2.0, 0, 0.25], restitution=0.6)
    model = Model([*model.bodies, ball], ground=[Geometry(Plane(), restitution=0.6)], mu=0.3)
    start = model.state(q={"upper": 1.2, "lower": 0.4}, twists={"ball": [0, 0, 0, 1.0, 0, -0.5]})
    motion = simulate(
        model,
        start,
        h=0.005,
        duration=1.5,
        scheme=scheme,
        coordinates="reduced",
        stabilization=stabilization,
        gamma=gamma,
    )
    heights = motion.poses("ball")[:, 2, 3]
    assert heights[-20:] == pytest.approx(0.1, abs=2e-4)
    assert heights.min() > 0.099
    fall = 0.15 + 0.5**2 / (2 * G)
    first = np.argmin(heights[:60])
    assert heights[first:].max() == pytest.approx(0.1 + 0.36 * fall, abs=0.02)
    tips = [se3.transform_points(motion.poses("lower")[-1], np.array([0.0, 0, z]))[2] for z in (-0.2, 0.2)]
    assert min(tips) == pytest.approx(0.04, abs=2e-3)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-11)
    assert max(record.work.sum() for record in motion.contacts) < 1e-3


def test_projection_removes_the_errors_of_a_loop():
    bodies, _ = parallelogram()
    closure = LoopClosure("coupler", [0.25, 0, 0], "right", [0, 0, -0.1], [0, 1, 0])
    model = Model(bodies, constraints=[closure])
    guess = model.tree_state(model.state(q={"left": 0.4, "coupler": -0.5, "right": 0.5}))
    closed_coordinates = assemble_configuration(model.tree, [closure], guess, locked=["left"])
    start = model.state_from_tree(closed_coordinates)
    errors = {}
    for stabilization in ("projection", "baumgarte", "none"):
        motion = simulate(
            model, start, h=0.01, steps=30, scheme=symplectic_euler, stabilization=stabilization
        )
        state = model.tree_state(motion.states[-1])
        errors[stabilization] = np.abs(constraint_rows(model.tree, closure, state, state.t).error).max()
    assert errors["projection"] < 1e-7 < 1e-5 < errors["baumgarte"] < errors["none"]
    bearing = journal_bearing(0.03, 0.05, 0.3, axis=[0, 1, 0])
    with pytest.raises(InvalidArgument, match="model: bearings"):
        simulate(Model(bodies[:1], bearings={"left": bearing}), h=0.1, steps=1, scheme=symplectic_euler)


@BOTH
def test_model_without_degrees_of_freedom(coordinates):
    box = Body("box", Box([0.2, 0.2, 0.2]), mass=1.0, joint=joints.Fixed(shift(0, 0, 0.3)))
    motion = simulate(Model([box]), h=0.01, steps=2, coordinates=coordinates)
    np.testing.assert_allclose(motion.poses("box")[-1, :3, 3], [0, 0, 0.3], atol=1e-12)
    np.testing.assert_allclose(motion.twists("box"), 0.0, atol=1e-12)
