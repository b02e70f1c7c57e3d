"""Compiled steps in joint coordinates: they agree with the reference, which takes the exceptional steps."""

from dataclasses import replace

import numpy as np
import pytest

from rbnotes import se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.forces import LinearSpring, PathForces, on_body, on_world, path_through
from rbnotes.joints import ExponentialSpherical, Free3D, Prismatic, Revolute
from rbnotes.multibody import Body, Model, Motor, PositionServo, VelocityServo, simulate
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.multibody.reduced import JointLimit
from rbnotes.multibody.verlet_step import TreeStepper
from rbnotes.shapes import Box, Capsule, Plane, Sphere

LEGS = {f"{end}_{side}": sign for end, sign in (("front", 1), ("hind", -1)) for side in ("left", "right")}
TARGETS = {
    f"{leg}_{part}": sign * angle
    for leg, sign in LEGS.items()
    for part, angle in (("thigh", 0.7), ("shank", -1.4))
}


def quadruped(force_limit=40.0, actuated=True, offset=0.0):
    """Return a quadruped with bent legs, two millimeters above a floor, far along the x axis by an offset."""
    servos = [
        PositionServo(name, kp=60.0, kd=0.5, target=target, force_limit=force_limit)
        for name, target in TARGETS.items()
    ]
    robot = load_urdf(example("quadruped"), base=Free3D())
    model = robot.model(ground=Plane(), mu=0.8, actuators=servos if actuated else [])
    height = 0.4 * np.cos(0.7) + 0.024
    return model, model.state(q=TARGETS, poses={"trunk": se3.frame(np.eye(3), [offset, 0, height])})


def arm_and_bodies():
    """Return a damped arm that falls on a box, a body on a ball joint, and a body that tumbles."""
    bodies = [
        Body(
            "arm",
            Capsule(0.05, 0.6),
            mass=2.0,
            joint=Revolute([0, 0.8, 0.6]),
            joint_frame=se3.frame(so3.exp([0.1, 0.2, 0.3]), [0, 0, 0.9]),
            body_frame=se3.frame(so3.exp([0.0, 0.4, 0.0]), [0, 0, -0.3]),
            damping=0.3,
            stiffness=2.0,
            armature=0.05,
        ),
        Body(
            "slider",
            Sphere(0.07),
            mass=0.4,
            joint=Prismatic([0.6, 0, 0.8]),
            parent="arm",
            joint_frame=se3.frame(np.eye(3), [0, 0, -0.6]),
            stiffness=80.0,
        ),
        Body("box", Box([0.2, 0.3, 0.25]), mass=1.0, position=[-0.4, 0.05, 0.125]),
        Body(
            "bob",
            Sphere(0.1),
            mass=0.5,
            joint=ExponentialSpherical(),
            joint_frame=se3.frame(so3.exp([0.3, 0.0, 0.2]), [2, 0, 1.5]),
            body_frame=se3.frame(so3.exp([0.0, 0.5, 0.2]), [0.1, 0.05, -0.4]),
        ),
        Body("book", Box([0.1, 0.2, 0.4]), mass=1.0, position=[5, 0, 3]),
    ]
    model = Model(bodies, ground=Plane(), mu=0.4)
    return model, model.state(
        q={"arm": [1.2], "bob": [0.3, 2.2, -0.4]},
        qdot={"bob": [1.0, 0.4, -2.0], "slider": [0.3]},
        twists={"book": [7.0, 0.5, -3.0, 0.1, 0.2, 0.3]},
    )


def run(scene, steps, monkeypatch, **options):
    """Return the motions of the reference and of compiled steps, and how many steps the reference took."""
    model, state = scene
    options = {"h": 0.005, "coordinates": "reduced"} | options
    reference = simulate(model, state, steps=steps, **options)
    counts, original = [], TreeStepper.step

    def counted(self, *args):
        counts.append(1)
        return original(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(TreeStepper, "step", counted)
        compiled = simulate(model, state, steps=steps, compiled=True, **options)
    assert compiled.compiled
    assert not reference.compiled
    return reference, compiled, len(counts)


def check_agreement(reference, compiled, rtol=1e-9):
    for name in ("tree_q", "tree_qdot", "energies", "actuator_impulses", "work"):
        expected = np.array(getattr(reference, name))
        size = 1.0 + np.abs(expected).max()
        np.testing.assert_allclose(getattr(compiled, name), expected, atol=rtol * size, rtol=0, err_msg=name)
    np.testing.assert_allclose(compiled.body_states.E, reference.body_states.E, atol=rtol * 10)
    np.testing.assert_allclose(compiled.body_states.phi, reference.body_states.phi, atol=rtol * 100)
    np.testing.assert_array_equal(compiled.t, reference.t)
    for actual, expected in zip(compiled.contacts, reference.contacts, strict=True):
        np.testing.assert_array_equal(actual.step_fractions, expected.step_fractions)
        np.testing.assert_allclose(np.sum(actual.work), np.sum(expected.work), atol=1e-7)
    change = compiled.energies[-1] - compiled.energies[0]
    np.testing.assert_allclose(np.sum(compiled.work.total), change, atol=1e-10 * (1 + abs(change)))


def test_standing_quadruped_with_servos(monkeypatch):
    reference, compiled, count = run(quadruped(), 60, monkeypatch)
    check_agreement(reference, compiled)
    assert count == 0
    assert all(len(each.points) for each in compiled.contacts[5:])


@pytest.mark.slow
def test_servos_at_their_limits_change_modes(monkeypatch):
    reference, compiled, count = run(quadruped(force_limit=3.0), 40, monkeypatch)
    check_agreement(reference, compiled)
    assert count < 10
    assert np.isclose(np.abs(compiled.actuator_impulses).max(), 3.0 * 0.005)


@pytest.mark.slow
def test_quadruped_without_actuators_reaches_its_limits(monkeypatch):
    reference, compiled, count = run(quadruped(actuated=False), 80, monkeypatch)
    check_agreement(reference, compiled, rtol=1e-7)
    assert 0 < count < 80
    assert np.abs(np.array(reference.work.joints)).max() > 0


@pytest.mark.slow
def test_far_from_the_origin_of_the_world(monkeypatch):
    reference, compiled, count = run(quadruped(offset=1000.0), 20, monkeypatch)
    assert count == 0
    np.testing.assert_allclose(compiled.tree_q, reference.tree_q, atol=1e-9)


@pytest.mark.slow
def test_springs_rotors_contacts_and_free_bodies(monkeypatch):
    reference, compiled, count = run(arm_and_bodies(), 200, monkeypatch)
    check_agreement(reference, compiled, rtol=1e-8)
    assert count < 5
    touched = {
        min(pair) for each in compiled.contacts for pair in zip(each.points.a, each.points.b, strict=True)
    }
    assert len(touched) > 1


@pytest.mark.parametrize("as_function", [True, False])
def test_commands(monkeypatch, as_function):
    model, state = quadruped()
    steps, start = 30, state.q.copy()
    times = 0.005 * np.arange(steps + 1)
    gait = start + 0.2 * np.sin(20 * times[:, None] + np.arange(8))

    def control(state):
        return start + 0.2 * np.sin(20 * state.t + np.arange(8)) - 0.01 * state.qdot

    commands = control if as_function else gait
    reference, compiled, count = run((model, state), steps, monkeypatch, control=commands)
    check_agreement(reference, compiled)
    assert count < 5


def test_velocity_servos_and_motors(monkeypatch):
    wheel = Body("wheel", Sphere(0.2), mass=1.0, joint=Revolute([0, 1, 0]), damping=0.1)
    model = Model([wheel], actuators=[VelocityServo("wheel", kv=3.0, target=2.0, force_limit=0.5)])
    reference, compiled, _ = run((model, model.state()), 50, monkeypatch)
    check_agreement(reference, compiled)
    assert compiled.states.qdot[-1, 0] > 0.1


def test_equal_impulses_at_a_changing_mass_matrix(monkeypatch):
    upper = Body("upper", Box([0.1, 0.1, 0.5]), mass=1.0, joint=Revolute([0, 1, 0]))
    end = se3.frame(np.eye(3), [0, 0, 0.5])
    lower = replace(upper, name="lower", parent="upper", joint_frame=end, body_frame=end)
    model = Model([upper, lower], gravity=(0, 0, 0), actuators=[Motor("upper"), Motor("lower")])
    commands = np.tile([0.4, -0.3], (61, 1))
    reference, compiled, count = run((model, model.state()), 60, monkeypatch, control=commands)
    check_agreement(reference, compiled)
    assert count == 0
    assert np.abs(np.diff(compiled.tree_q, axis=1)).max() > 0.1


def test_rebounding_bodies_are_left_to_the_reference(monkeypatch):
    raised = se3.frame(np.eye(3), [0, 0, 2.0])
    bodies = [
        Body("ball", Sphere(0.1), mass=1.0, position=[1, 0, 0.3]),
        Body("rod", Box([0.1, 0.1, 0.3]), mass=1.0, joint=Revolute([0, 1, 0]), joint_frame=raised),
    ]
    model = Model(bodies, ground=Plane(), restitution=0.6, mu=0.2)
    reference, compiled, count = run((model, model.state()), 80, monkeypatch)
    check_agreement(reference, compiled)
    assert 0 < count < 10


def test_overlapping_bodies_are_separated_as_by_the_reference(monkeypatch):
    model, state = quadruped()
    state = model.state(q=TARGETS, poses={"trunk": se3.frame(np.eye(3), [0, 0, 0.32])})
    reference, compiled, _ = run((model, state), 10, monkeypatch, slop=1e-9, h=0.01)
    assert np.abs(reference.work.stabilization).max() > 1e-8
    check_agreement(reference, compiled)


def test_a_run_continues_bit_for_bit():
    model, state = quadruped()
    options = {"h": 0.005, "compiled": True}
    whole = simulate(model, state, steps=40, **options)
    first = simulate(model, state, steps=17, **options)
    second = simulate(model, first, steps=23, **options)
    assert np.array_equal(second.tree_q[-1], whole.tree_q[-1])
    assert np.array_equal(second.tree_qdot[-1], whole.tree_qdot[-1])


def test_progress_and_errors_of_a_control():
    model, state = quadruped()
    seen = []
    simulate(model, state, h=0.005, steps=5, compiled=True, progress=lambda done, steps: seen.append(done))
    assert seen == [1, 2, 3, 4, 5]

    def control(state):
        if state.t > 0.01:
            raise ZeroDivisionError("control")
        return state.q

    with pytest.raises(ZeroDivisionError, match="control"):
        simulate(model, state, h=0.005, steps=5, compiled=True, control=control)


def pendulum(joint_friction=0.0, **options):
    """Return a pendulum."""
    arm = Body(
        "arm",
        Sphere(0.1),
        mass=1.0,
        joint=Revolute([0, 1, 0]),
        body_frame=se3.frame(np.eye(3), [0, 0, -0.5]),
        joint_friction=joint_friction,
    )
    return Model([arm], **options)


def with_spring():
    """Return a pendulum on a spring."""
    path = path_through(on_world([1, 0, 0]), on_body("arm", [0, 0, 0]))
    return pendulum(forces=PathForces(LinearSpring(10.0), path))


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (with_spring, {}, "forces in reduced coordinates"),
        (lambda: pendulum(joint_friction=0.1), {}, "dry friction in joints"),
        (pendulum, {"scheme": "DOP853"}, "scheme='DOP853'"),
        (pendulum, {"friction_model": "coulomb"}, "another friction model"),
        (pendulum, {"impacts": "sequential"}, "impacts='sequential'"),
    ],
)
def test_refusals_name_the_feature(model, options, message):
    model = model()
    with pytest.raises(InvalidArgument, match=f"^compiled: .*{message}"):
        simulate(model, h=0.01, steps=1, coordinates="reduced", compiled=True, **options)
    if "scheme" not in options:
        motion = simulate(model, h=0.01, steps=1, coordinates="reduced", compiled="auto", **options)
        assert not motion.compiled


def test_limits_of_one_coordinate_are_combined(monkeypatch):
    bar = Body(
        "bar",
        Box([0.6, 0.1, 0.1]),
        mass=1.0,
        joint=Revolute([0, 1, 0]),
        body_frame=se3.frame(np.eye(3), [0.3, 0, 0]),
    )
    limits = [JointLimit("bar", upper=0.5), JointLimit("bar", lower=-1.0, upper=0.8)]
    model = Model([bar], constraints=limits)
    reference, compiled, count = run((model, model.state()), 80, monkeypatch)
    check_agreement(reference, compiled)
    assert compiled.states.q.max() < 0.5 + 1e-6
    assert 0 < count < 80
