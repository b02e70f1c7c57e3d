"""Actuators, armature and dry friction of joints against closed forms, Pinocchio and SciPy."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from model_parts import parallelogram
from random_models import random_state, robot
from scipy.integrate import solve_ivp

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import (
    Body,
    Model,
    Motor,
    PositionServo,
    VelocityServo,
    actuator_forces,
    forward_dynamics,
    forward_dynamics_derivatives,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    simulate,
)
from rbnotes.multibody.reduced import (
    Gear,
    PrescribedJoint,
    dual_acceleration,
    step_operator,
    step_preconditioner,
)
from rbnotes.shapes import Box, Capsule, Plane

G = 9.81
INERTIA = 0.3


def rotor(**options):
    """Return a body on a vertical hinge with the moment of inertia 0.3 kg m^2."""
    return Body(
        "rotor",
        inertia=np.diag([1.0, 1.0, INERTIA, 4.0, 4.0, 4.0]),
        joint=joints.Revolute([0, 0, 1]),
        **options,
    )


def pendulum(**options):
    """Return a mass of 2 kg at 0.5 m from a horizontal hinge; the torque of gravity is at most 9.81 N m."""
    return Body(
        "bob",
        Box([0.1, 0.1, 0.1]),
        mass=2.0,
        joint=joints.Revolute([0, 1, 0]),
        body_frame=se3.frame(np.eye(3), [0, 0, -0.5]),
        **options,
    )


def arm(**options):
    """Return three links on skew joints, one of them a slider, with unequal masses."""
    offset = se3.frame(np.eye(3), [0.1, 0.05, -0.4])

    def link(name, joint, mass, parent=None, **body_options):
        return Body(
            name,
            Capsule(0.05, 0.3),
            mass=mass,
            joint=joint,
            parent=parent,
            joint_frame=offset,
            body_frame=se3.frame(np.eye(3), [0, 0, -0.2]),
            **body_options,
        )

    return Model(
        [
            link("upper", joints.Revolute([0, 1, 0]), 2.0, armature=0.2),
            link("slide", joints.Prismatic([0.6, 0, 0.8]), 0.5, "upper", armature=0.7),
            link("lower", joints.Revolute([0, 0.8, 0.6]), 1.2, "slide", armature=0.05),
        ],
        **options,
    )


SERVOS = [
    PositionServo("upper", kp=40.0, kd=3.0, target=0.4),
    PositionServo("slide", kp=90.0, kd=6.0),
    VelocityServo("lower", kv=2.0, target=1.5),
]
START = {"q": {"upper": 0.3, "slide": 0.1, "lower": -0.5}, "qdot": {"upper": -1.0, "lower": 2.0}}


def servo_forces(t, q, qdot):
    """Return the forces of SERVOS, with the target of the slide from `control`."""
    return np.array(
        [
            40.0 * (0.4 - q[0]) - 3.0 * qdot[0],
            90.0 * (0.2 * np.sin(3 * t) - q[1]) - 6.0 * qdot[1],
            2.0 * (1.5 - qdot[2]),
        ]
    )


def slide_target(state):
    return {"slide": 0.2 * np.sin(3 * state.t)}


def test_armature_is_added_to_the_inertia_as_in_pinocchio():
    rng = np.random.default_rng(8)
    plain = robot(3)
    armature = {"thigh": 0.4, "shank": 1.3, "tail": 0.02}
    bodies = [replace(each, armature=armature.get(each.name, 0.0)) for each in plain.bodies]
    model = Model(bodies, gravity=plain.gravity)
    state, tau = random_state(model), rng.normal(size=15)
    names = [each.name for each in model.bodies if not each.is_free]
    added = np.diag(np.r_[np.zeros(12), [armature[name] for name in names]])
    np.testing.assert_allclose(mass_matrix(model, state), mass_matrix(plain, state) + added, atol=1e-12)
    acceleration = forward_dynamics(model, state, tau)
    wanted = inverse_dynamics(plain, state, acceleration) + added @ acceleration
    np.testing.assert_allclose(wanted, tau, atol=1e-9)
    np.testing.assert_allclose(inverse_dynamics(model, state, acceleration), tau, atol=1e-9)
    difference = kinetic_energy(model, state) - kinetic_energy(plain, state)
    assert difference == pytest.approx(np.sum(np.diag(added)[12:] * state.qdot**2) / 2, rel=1e-12)


def test_accelerations_with_armature_agree_with_pinocchio():
    model = arm()
    state = model.state(**START)
    theirs = pinocchio.Model()
    theirs.gravity = pinocchio.Motion(np.r_[0, 0, -G, np.zeros(3)])
    parent = 0
    for body, kind in zip(
        model.bodies,
        [
            pinocchio.JointModelRevoluteUnaligned(np.array([0, 1.0, 0])),
            pinocchio.JointModelPrismaticUnaligned(np.array([0.6, 0, 0.8])),
            pinocchio.JointModelRevoluteUnaligned(np.array([0, 0.8, 0.6])),
        ],
        strict=True,
    ):
        parent = theirs.addJoint(parent, kind, pinocchio.SE3(np.asarray(body.joint_frame)), body.name)
        M = body.spatial_inertia
        inertia = pinocchio.Inertia(M[3, 3], np.zeros(3), M[:3, :3])
        theirs.appendBodyToJoint(parent, inertia, pinocchio.SE3(np.asarray(body.body_frame)))
    theirs.armature = np.array([0.2, 0.7, 0.05])
    tau = np.array([0.3, -2.0, 1.0])
    wanted = pinocchio.aba(theirs, theirs.createData(), state.q, state.qdot, tau)
    np.testing.assert_allclose(forward_dynamics(model, state, tau), wanted, rtol=1e-9)


def test_derivatives_of_accelerations_with_armature_are_those_of_differences():
    model = arm()
    state, tau, h = model.state(**START), np.array([0.3, -2.0, 1.0]), 1e-6
    derivatives = forward_dynamics_derivatives(model, state, tau)
    for name, values in (("q", derivatives.configuration), ("qdot", derivatives.velocity)):
        columns = [
            (
                forward_dynamics(model, replace(state, **{name: getattr(state, name) + d}), tau)
                - forward_dynamics(model, replace(state, **{name: getattr(state, name) - d}), tau)
            )
            / (2 * h)
            for d in h * np.eye(3)
        ]
        np.testing.assert_allclose(values, np.transpose(columns), atol=1e-6)
    residual = model.linearized_residual(state, forward_dynamics(model, state))
    np.testing.assert_allclose(residual.f, 0.0, atol=1e-9)


def test_methods_of_linear_time_contain_the_armature():
    model = arm()
    state = model.state(**START)
    system = model.tree
    wanted = system.acceleration(state)
    np.testing.assert_allclose(dual_acceleration(system, [], state)[0], wanted, rtol=1e-10)
    matrix = step_operator(system, state, 0.01) @ np.eye(3)
    np.testing.assert_allclose(matrix, system.mass_matrix(state), atol=1e-12)
    inverse = step_preconditioner(system, state, 0.01)
    np.testing.assert_allclose(inverse.solve(matrix @ wanted), wanted, rtol=1e-10)
    kinetic = state.qdot @ system.mass_matrix(state) @ state.qdot / 2
    at_rest = replace(state, qdot=np.zeros(3))
    assert system.energy(state) - system.energy(at_rest) == pytest.approx(kinetic, rel=1e-12)


def servo_control(state):
    return servo_forces(state.t, state.q, state.qdot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("actuators", "control"),
    [(SERVOS, slide_target), ((), servo_control)],
)
def test_servos_follow_an_integrator_of_high_order_to_second_order(actuators, control):
    model = arm(actuators=actuators)
    start = model.state(**START)

    def rate(t, y):
        state = model.state(q=dict(zip(names, y[:3], strict=True)), qdot=dict(zip(names, y[3:], strict=True)))
        return np.r_[y[3:], forward_dynamics(model, state, servo_forces(t, y[:3], y[3:]))]

    names = [body.name for body in model.bodies]
    exact = solve_ivp(rate, [0, 0.25], np.r_[start.q, start.qdot], rtol=1e-8, atol=1e-8, method="DOP853").y
    errors = []
    for steps in (25, 50):
        end = simulate(model, start, h=0.25 / steps, steps=steps, control=control).states[-1]
        errors.append(np.linalg.norm(np.r_[end.q, end.qdot] - exact[:, -1]))
    assert errors[1] < 2e-3
    assert 3.6 < errors[0] / errors[1] < 4.4


H, STEPS = 0.02, 6


def sampled_commands(state):
    return {"slide": np.cos(7 * state.t), "lower": [2.0 - 9 * state.t]}


SAMPLES = {
    "slide": np.cos(7 * H * np.arange(STEPS + 1)),
    "lower": 2.0 - 9 * H * np.arange(STEPS + 1)[:, None],
}


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_commands_in_arrays_act_like_a_function(coordinates):
    model = arm()
    expected, found = (
        simulate(model, h=H, steps=STEPS, control=each, coordinates=coordinates)
        for each in (sampled_commands, SAMPLES)
    )
    np.testing.assert_allclose(found.tree_q, expected.tree_q, rtol=0, atol=1e-12)
    assert np.ptp(found.q("lower")) > 1e-3
    # In one array they are in the order of the joint velocities; a later part of it continues the run.
    table = np.zeros((STEPS + 1, 3))
    for column, body in enumerate(model.bodies):
        table[:, column] = np.ravel(SAMPLES.get(body.name, table[:, column]))
    first = simulate(model, h=H, steps=2, control=table[:3], coordinates=coordinates)
    rest = simulate(model, first, h=H, steps=STEPS - 2, control=table[2:], coordinates=coordinates)
    assert np.array_equal(rest.tree_q, found.tree_q[2:])


def test_commands_are_interpolated_between_the_states():
    """The torque t - 0.1 between the times of the states 0.1 s and 0.5 s, of which DOP853 needs others."""
    model = Model([rotor()], actuators=[Motor("rotor")])
    start = model.state(t=0.1)
    motion = simulate(model, start, h=0.2, steps=2, control=[[0.0], [0.2], [0.4]], scheme="DOP853")
    np.testing.assert_allclose(motion.qdot("rotor")[:, 0], np.array([0, 0.2, 0.4]) ** 2 / 2 / INERTIA)


@pytest.mark.parametrize(
    ("control", "message"),
    [
        (np.zeros((3, 3)), r"control: got shape \(3, 3\), expected shape \(\.\.\., 7, 3\)"),
        (np.zeros((2, 7, 3)), "control: got"),
        ({"slide": np.zeros(6)}, r"control\['slide'\]: got shape \(6,\), expected 7 commands"),
        ({"slide": 1.0}, r"control\['slide'\]: got shape \(\)"),
        ({"slide": np.zeros((7, 2))}, "slide"),
        ({"elbow": np.zeros(7)}, "'elbow'"),
        ("zero", "control: got"),
    ],
)
def test_arrays_of_another_shape_are_refused(control, message):
    with pytest.raises(InvalidArgument, match=message):
        simulate(arm(), h=H, steps=STEPS, control=control)


def test_forces_of_actuators_are_those_of_their_law():
    model = arm(actuators=[*SERVOS[:2], Motor("lower", force_limit=0.8)])
    state = model.state(**START, t=0.3)
    command = {"slide": 0.2 * np.sin(0.9), "lower": -3.0}
    wanted = np.r_[servo_forces(0.3, state.q, state.qdot)[:2], -0.8]
    np.testing.assert_allclose(actuator_forces(model, state, command), wanted, rtol=1e-14)
    limited = arm(actuators=[PositionServo("upper", kp=1e4, force_limit=5.0)])
    np.testing.assert_allclose(actuator_forces(limited, state, [1.0, 0.25, 0.5]), [5.0, 0.25, 0.5])


@pytest.mark.slow
@pytest.mark.parametrize("kd", [0.0, 1.0, 1e3, 1e7])
@pytest.mark.parametrize("kp", [1e3, 1e6, 1e10])
def test_stiff_servo_reaches_its_target_without_oscillation(kp, kd):
    servo = PositionServo("rotor", kp=kp, kd=kd, target=0.5)
    model = Model([rotor()], actuators=[servo])
    motion = simulate(model, model.state(qdot={"rotor": 3.0}), h=0.05, steps=160)
    q, qdot = (np.ravel(getattr(motion.states, name)) for name in ("q", "qdot"))
    if kd**2 < 1e3 * kp * INERTIA:
        # An overdamped servo creeps: after 8 s, q - 0.5 is exp(-8 kp / kd).
        np.testing.assert_allclose(q[-1], 0.5, atol=0.6 * np.exp(-8 * kp / max(kd, 1.0)) + 1e-6)
    assert np.max(np.abs(q)) < 1.2
    assert np.max(np.abs(qdot[80:])) < 0.05


@pytest.mark.slow
def test_saturated_servo_accelerates_the_rotor_constantly():
    servo = PositionServo("rotor", kp=1e6, kd=10.0, target=5.0, force_limit=0.6)
    model = Model([rotor(armature=0.1)], actuators=[servo])
    motion = simulate(model, h=0.01, duration=1.0)
    np.testing.assert_allclose(np.ravel(motion.states.qdot), 1.5 * motion.states.t, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.ravel(motion.states.q), 0.75 * motion.states.t**2, rtol=1e-11, atol=1e-14)


def test_motor_exerts_at_most_its_limit():
    model = Model([rotor()], actuators=[Motor("rotor", force_limit=0.6)])
    motion = simulate(model, h=0.01, duration=0.5, control=lambda state: {"rotor": -7.0})
    np.testing.assert_allclose(np.ravel(motion.states.qdot), -2.0 * motion.states.t, rtol=1e-12, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("kv", [0.5, 1e2, 1e6])
def test_velocity_servo_approaches_its_target_exponentially(kv):
    model = Model([rotor(armature=0.2)], actuators=[VelocityServo("rotor", kv=kv, target=-2.0)])
    motion = simulate(model, h=0.01, duration=0.5)
    wanted = -2.0 * (1 - np.exp(-kv * motion.states.t / (INERTIA + 0.2)))
    np.testing.assert_allclose(np.ravel(motion.states.qdot)[1:], wanted[1:], rtol=2e-4)


@pytest.mark.parametrize("damping", [0.1, 1e2, 1e9])
def test_damper_stops_the_rotor_at_any_step_size(damping):
    model = Model([rotor(damping=damping)])
    motion = simulate(model, model.state(qdot={"rotor": 4.0}), h=0.05, duration=1.0)
    wanted = 4.0 * np.exp(-damping * motion.states.t / INERTIA)
    np.testing.assert_allclose(np.ravel(motion.states.qdot), wanted, rtol=1e-4, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.02, 0.005])
@pytest.mark.parametrize("angle", [0.5, -0.5])
def test_dry_friction_holds_below_its_bound_and_yields_above(angle, h):
    torque = 2.0 * G * 0.5 * np.sin(abs(angle))
    start = {"q": {"bob": angle}}
    holding = Model([pendulum(joint_friction=1.001 * torque)])
    motion = simulate(holding, holding.state(**start), h=h, steps=40)
    np.testing.assert_allclose(np.ravel(motion.states.q), angle, rtol=0, atol=1e-13)
    yielding = Model([pendulum(joint_friction=0.999 * torque)])
    motion = simulate(yielding, yielding.state(**start), h=h, duration=0.4)
    # Gravity decreases along the motion: inertia d2/dt2 x = 0.001 torque - stiffness x.
    inertia = 2.0 * 0.25 + 2.0 * 0.02 / 12
    stiffness = torque / np.tan(abs(angle))
    rotation_angle = angle - motion.states[-1].q[0]
    assert np.sign(rotation_angle) == np.sign(angle)
    wanted = 0.001 * torque / stiffness * (1 - np.cos(np.sqrt(stiffness / inertia) * 0.4))
    assert abs(rotation_angle) == pytest.approx(wanted, rel=0.01)


def test_dry_friction_stops_a_rotor_after_the_time_of_the_closed_form():
    model = Model([rotor(joint_friction=1.8)])
    motion = simulate(model, model.state(qdot={"rotor": -3.0}), h=0.01, duration=0.7)
    stop = 3.0 * INERTIA / 1.8
    qdot = np.ravel(motion.states.qdot)
    np.testing.assert_allclose(qdot, -6.0 * np.maximum(stop - motion.states.t, 0.0), atol=1e-12)
    assert motion.states[-1].q[0] == pytest.approx(-3.0 * stop / 2, abs=1e-4)
    assert motion.work.applied_forces.sum() == pytest.approx(-INERTIA * 4.5, rel=1e-12)


def test_motor_moves_a_joint_only_beyond_its_friction():
    model = Model([rotor(joint_friction=0.6)], actuators=[Motor("rotor")])
    for torque, acceleration in ((0.599, 0.0), (-0.599, 0.0), (0.9, 1.0), (-0.9, -1.0)):
        motion = simulate(model, h=0.01, duration=0.15, control=lambda state, u=torque: {"rotor": u})
        np.testing.assert_allclose(
            np.ravel(motion.states.qdot), acceleration * motion.states.t, atol=1e-12, rtol=1e-12
        )


@pytest.mark.slow
def test_friction_of_a_geared_rotor_acts_through_the_gear():
    model = Model(
        [rotor(), replace(rotor(joint_friction=0.6), name="pinion")],
        constraints=[Gear("rotor", "pinion", -3.0)],
    )
    # The pinion turns -3 times as fast: its inertia counts nine times, its friction three times.
    start = model.state(qdot={"rotor": 2.0, "pinion": -6.0})
    motion = simulate(model, start, h=0.01, duration=1.0)
    wanted = 2.0 - 1.8 / (10 * INERTIA) * motion.states.t
    np.testing.assert_allclose(motion.states.qdot[:, 0], wanted, rtol=1e-9)


@pytest.mark.slow
def test_prescribed_joint_slides_against_its_friction():
    turn = PrescribedJoint("rotor", lambda t: (0.2 * t**2, 0.4 * t, 0.4))
    model = Model([rotor(joint_friction=0.6)], constraints=[turn])
    motion = simulate(model, h=0.01, duration=1.0)
    np.testing.assert_allclose(motion.states[-1].q, [0.2], atol=1e-9)
    assert motion.work.applied_forces.sum() == pytest.approx(-0.6 * 0.2, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "holds"), [(1.01, True), (0.97, False)])
def test_closed_loop_rests_on_the_friction_of_all_its_joints(share, holds):
    angle = 0.4
    # The cranks turn alike and the coupler does not: the friction of three joints acts on one coordinate.
    torque = (2 * 0.5 * 0.15 + 1.0 * 0.3) * G * np.sin(angle)
    bodies, loop = parallelogram(joint_friction=share * torque / 3)
    model = Model(bodies, constraints=[loop])
    start = model.state(q={"left": angle, "coupler": -angle, "right": angle})
    motion = simulate(model, start, h=0.01, duration=0.5)
    displacement = np.max(np.abs(motion.states.q - start.q))
    assert displacement < 1e-10 if holds else 1e-3 < displacement < 0.1


@pytest.mark.slow
def test_energy_account_closes_with_all_losses_and_a_floor():
    legs = Model(
        [
            Body("trunk", Box([0.3, 0.2, 0.1]), mass=3.0, position=[0, 0, 0.65]),
            Body(
                "thigh",
                Capsule(0.04, 0.2),
                mass=0.8,
                joint=joints.Revolute([0, 1, 0]),
                parent="trunk",
                body_frame=se3.frame(np.eye(3), [0, 0, -0.15]),
                armature=0.02,
                joint_friction=0.5,
                damping=0.2,
            ),
            Body(
                "shank",
                Capsule(0.04, 0.2),
                mass=0.5,
                joint=joints.Revolute([0, 1, 0]),
                parent="thigh",
                joint_frame=se3.frame(np.eye(3), [0, 0, -0.3]),
                body_frame=se3.frame(np.eye(3), [0, 0, -0.15]),
                joint_friction=0.5,
            ),
        ],
        ground=Plane(),
        actuators=[PositionServo("thigh", kp=300.0, kd=5.0, target=0.4, force_limit=20.0)],
    )
    motion = simulate(legs, h=0.01, duration=0.4)
    assert any(np.any(record.impulses) for record in motion.contacts)
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-9, atol=1e-9)
    assert np.abs(motion.work.integrator).sum() < 5e-2 * abs(change)
    first = simulate(legs, h=0.01, duration=0.2)
    second = simulate(legs, first, h=0.01, duration=0.2)
    assert np.array_equal(second.states[-1].q, motion.states[-1].q)
    assert np.array_equal(second.states[-1].E, motion.states[-1].E)


@pytest.mark.slow
def test_energy_of_an_arm_with_armature_does_not_drift():
    model = arm()
    motion = simulate(model, model.state(**START), h=0.01, duration=0.5)
    change = np.abs(motion.energies - motion.energies[0])
    finer = simulate(model, model.state(**START), h=0.005, duration=0.5)
    finer_change = np.abs(finer.energies - finer.energies[0])
    assert np.max(change) < 0.05
    assert np.max(finer_change) < np.max(change) / 3


FREE = Body("ball", Box([0.1, 0.1, 0.1]), mass=1.0)
BALL_JOINT = Body("ball", Box([0.1, 0.1, 0.1]), mass=1.0, joint=joints.ExponentialSpherical())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PositionServo("rotor", kp=-1.0), "kp: got"),
        (lambda: PositionServo("rotor", kp=1.0, force_limit=-1.0), "force_limit: got"),
        (lambda: VelocityServo("rotor", kv=1.0, target=np.nan), "target: got"),
        (lambda: Motor("rotor", force_limit=np.nan), "force_limit"),
        (lambda: Motor(""), "body: got"),
        (lambda: Model([rotor()], actuators=[Motor("motor")]), "Motor.'motor'.*'rotor'"),
        (lambda: Model([FREE], actuators=[Motor("ball")]), "all bodies are free"),
        (lambda: Model([rotor()], actuators=[Motor("rotor"), Motor("rotor")]), "second actuator"),
        (lambda: Model([rotor()], actuators=[PositionServo("rotor", kp=[1.0, 2.0])]), "kp: got shape"),
        (lambda: Model([BALL_JOINT], actuators=[PositionServo("ball", kp=1.0)]), "coordinates change"),
        (lambda: rotor(armature=-1.0), "armature"),
        (lambda: replace(BALL_JOINT, joint_friction=1.0), "joint_friction.*coordinates change"),
        (lambda: replace(FREE, armature=1.0), "armature.*a joint with it"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
