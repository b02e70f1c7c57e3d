"""Sensors and recorded channels against Pinocchio, balances of forces, and differences of the motion."""

import matplotlib as mpl
import numpy as np
import pinocchio
import pytest
from model_parts import parallelogram, shift
from random_models import TWIST, in_pinocchio, random_state, robot
from random_trees import frame

from rbnotes import joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import momentum_conserving_euler, symplectic_euler
from rbnotes.forces import LinearSpring, PathForces, on_body, on_world, path_through
from rbnotes.inertia import spatial_inertia
from rbnotes.multibody import (
    Body,
    Geometry,
    Model,
    PositionServo,
    VelocityServo,
    channel_names,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    joint_wrench,
    simulate,
)
from rbnotes.multibody.maximal.rattle_integrator import Rattle
from rbnotes.multibody.reduced import Gear
from rbnotes.multibody.verlet_step import TreeStepper
from rbnotes.shapes import Box, Plane, Sphere

G = 9.81


def test_sensors_of_frames_and_joints_agree_with_pinocchio():
    rng = np.random.default_rng(4)
    model = robot(3)
    state, tau = random_state(model), rng.normal(size=15)
    theirs, data, q, v, order, ids = in_pinocchio(model, state)
    tool = frame(rng)
    link = model.tree.links[model.index("shank")]
    number = theirs.addFrame(
        pinocchio.Frame("tool", ids["shank"], 0, pinocchio.SE3(link.body_frame @ tool), pinocchio.OP_FRAME)
    )
    data = theirs.createData()
    acceleration = pinocchio.aba(theirs, data, q, v, tau[order])
    pinocchio.forwardKinematics(theirs, data, q, v, acceleration)
    pinocchio.updateFramePlacements(theirs, data)
    np.testing.assert_allclose(
        frame_pose(model, state, "shank", tool), data.oMf[number].homogeneous, atol=1e-11
    )
    for reference, name in (
        ("body", pinocchio.LOCAL),
        ("world", pinocchio.WORLD),
        ("world_aligned", pinocchio.LOCAL_WORLD_ALIGNED),
    ):
        velocity = pinocchio.getFrameVelocity(theirs, data, number, name).vector[TWIST]
        actual = frame_velocity(model, state, "shank", tool, reference=reference)
        np.testing.assert_allclose(actual, velocity, atol=1e-10)
        # In world-aligned axes ours is the rate of that velocity, which Pinocchio calls classical.
        getter = (
            pinocchio.getFrameClassicalAcceleration
            if reference == "world_aligned"
            else pinocchio.getFrameAcceleration
        )
        expected = getter(theirs, data, number, name).vector[TWIST]
        actual = frame_acceleration(model, state, "shank", tool, tau=tau, reference=reference)
        np.testing.assert_allclose(actual, expected, atol=1e-9)
    pinocchio.rnea(theirs, data, q, v, acceleration)
    for body in ("thigh", "shank", "tail"):
        expected = data.f[ids[body]].vector[TWIST]
        np.testing.assert_allclose(joint_wrench(model, state, body, tau=tau), expected, atol=1e-8)


def test_joint_wrenches_of_a_closed_loop_carry_its_weight_and_its_spring():
    bodies, loop = parallelogram()
    spring = PathForces(
        LinearSpring(40.0, 0.0, 0.1),
        path_through(on_world([0.6, 0.3, -0.9]), on_body("coupler", [0.1, 0, 0])),
    )
    rotors = [
        Body(name, Sphere(0.1), mass=1.0, joint=joints.Revolute([0, 1, 0]), body_frame=shift(0.1, 0, 0))
        for name in ("a", "b")
    ]
    model = Model([*bodies, *rotors], constraints=[Gear("a", "b", 2.0), loop], forces=spring)
    state = model.state(
        q={"left": 0.4, "coupler": -0.4, "right": 0.4}, qdot={"left": 2.0, "coupler": -2.0, "right": 2.0}
    )
    for name in ("left", "coupler", "right"):
        # Nothing drives the hinges: no moment about their axes.
        assert joint_wrench(model, state, name)[1] == pytest.approx(0.0, abs=1e-9)
    force = np.zeros(3)
    for name in ("left", "right"):
        rotation = frame_pose(model, state, name)[:3, :3]
        force += rotation @ joint_wrench(model, state, name)[3:]
    # The world pushes the three bodies with these forces, gravity and the spring.
    momentum_rate = sum(
        body.spatial_inertia[3, 3]
        * frame_acceleration(model, state, body.name, reference="world_aligned")[3:]
        for body in bodies
    )
    end = frame_pose(model, state, "coupler") @ [0.1, 0, 0, 1]
    stretch = np.array([0.6, 0.3, -0.9]) - end[:3]
    length = np.linalg.norm(stretch)
    pull = 40.0 * (length - 0.1) * stretch / length
    np.testing.assert_allclose(force, momentum_rate - pull + [0, 0, 2.0 * G], atol=1e-9)


def turning_arm(**options):
    """Return an arm on a vertical hinge with a slider, and a ball above the floor."""
    arm = Body(
        "arm",
        Box([0.4, 0.1, 0.1]),
        mass=2.0,
        joint=joints.Revolute([0, 0, 1]),
        joint_frame=shift(0, 0, 1.0),
        body_frame=shift(0.2, 0.05, 0.1),
    )
    rod = Body(
        "rod",
        Box([0.2, 0.05, 0.05]),
        mass=0.5,
        joint=joints.Prismatic([0, 0, 1]),
        parent="arm",
        joint_frame=shift(0.4, 0, 0),
    )
    ball = Body("ball", Sphere(0.1), mass=3.0, position=[2.0, 0, 0.1])
    return Model([arm, rod, ball], ground=Plane(), **options)


@pytest.mark.slow
def test_channels_follow_from_the_motion():
    model = turning_arm(
        actuators=[VelocityServo("arm", kv=5.0, target=2.0), PositionServo("rod", kp=900.0, kd=60.0)]
    )
    names = ["arm", "rod.velocity", "rod.angular_velocity", "arm.torque", "rod.force", "energy", "contacts"]
    motion = simulate(model, h=0.005, duration=0.4, record=names)
    assert list(motion.recorded) == names
    position = motion.channel("rod").values
    differences = (position[2:] - position[:-2]) / 0.01
    np.testing.assert_allclose(motion.recorded["rod.velocity"].values[1:-1], differences, atol=4e-3)
    np.testing.assert_allclose(
        motion.recorded["rod.angular_velocity"].values[:, 2], motion.qdot("arm")[:, 0], atol=1e-12
    )
    # At the end the servo carries the weight of the rod, and the floor that of the ball.
    assert motion.recorded["rod.force"].values[-1, 0] == pytest.approx(0.5 * G, rel=1e-3)
    assert motion.recorded["rod.force"].unit == "N"
    np.testing.assert_allclose(
        motion.channel("ball.contact_force").values[10:], [[0, 0, 3 * G]] * 70, rtol=1e-6
    )
    assert np.all(motion.recorded["contacts"].values[10:] > 0)
    # The torque turns the arm: its impulse is the angular momentum about the vertical axis.
    spin = motion.qdot("arm")[-1, 0]
    inertia = 2.0 * (0.17 / 12 + 0.2**2 + 0.05**2) + 0.5 * (0.0425 / 12 + 0.4**2)
    torque = motion.recorded["arm.torque"]
    assert torque.unit == "N m"
    assert np.sum(torque.values) * 0.005 == pytest.approx(inertia * spin, rel=1e-9)
    np.testing.assert_array_equal(motion.recorded["energy"].values, motion.energies)


def test_friction_channel_opposes_the_motion():
    rotor = Body(
        "rotor", Box([0.1, 0.1, 0.1]), mass=5.0, joint=joints.Revolute([0, 0, 1]), joint_friction=0.02
    )
    model = Model([rotor])
    motion = simulate(model, model.state(qdot={"rotor": -5.0}), h=0.01, duration=0.5)
    friction = motion.channel("rotor.friction")
    np.testing.assert_allclose(friction.values, 0.02, rtol=1e-12)
    np.testing.assert_allclose(friction.t, motion.t[1:])
    np.testing.assert_array_equal(motion.channel("rotor.torque").values, 0.0)


def test_force_on_the_lower_of_two_boxes_is_the_weight_of_both():
    boxes = [
        Body(f"box{k}", Box([0.2, 0.2, 0.2]), mass=1.0 + k, position=[0, 0, 0.1 + 0.2 * k]) for k in range(2)
    ]
    motion = simulate(Model(boxes, ground=Plane()), h=0.01, duration=0.2)
    upper, lower = (motion.channel(f"box{k}.contact_force").values[-1, 2] for k in (1, 0))
    assert motion.channel("contacts").values[-1] == 8  # four between the boxes, four on the floor
    assert upper == pytest.approx(2 * G, rel=1e-6)
    assert lower == pytest.approx(1 * G, rel=1e-6)


BACKENDS = pytest.mark.parametrize(
    "options",
    [{"coordinates": "reduced"}, {"coordinates": "maximal"}, {"coordinates": "maximal", "compiled": True}],
    ids=["reduced", "maximal", "compiled"],
)


@BACKENDS
def test_contact_wrench_on_a_box_at_rest_balances_its_weight(options):
    """The center of mass is away from the origin of the body frame."""
    center, mass = np.array([0.03, -0.02, 0.01]), 2.0
    box = Body(
        "box",
        inertia=spatial_inertia(mass, np.diag([0.01, 0.02, 0.015]), center),
        collision=[Geometry(Box([0.2, 0.3, 0.1]))],
        position=[0.4, -0.7, 0.05],
    )
    names = ["contacts", "box.contact_force", "box.contact_torque"]
    motion = simulate(Model([box], ground=Plane(), mu=0.5), h=0.01, steps=5, record=names, **options)
    number, force, torque = (motion.recorded[name] for name in names)
    np.testing.assert_array_equal(number.values, 4)
    assert (force.unit, torque.unit) == ("N", "N m")
    np.testing.assert_allclose(force.values, [[0, 0, mass * G]] * 5, atol=1e-5)
    np.testing.assert_allclose(torque.values, [np.cross(center, [0, 0, mass * G])] * 5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        *BACKENDS.args[1],
        {"scheme": momentum_conserving_euler},
    ],
    ids=[*BACKENDS.kwargs["ids"], "first order"],
)
def test_contact_wrench_changes_the_momentum_of_a_tumbling_box(options):
    """A box with friction slides and tumbles on the floor; the force and its moment about the center."""
    shape, mass, h = Box([0.2, 0.3, 0.1]), 2.0, 0.005
    pose = se3.frame(so3.exp([0.3, 0.2, 0.1]), [0.3, 0.5, 0.2])
    model = Model([Body("box", shape, mass=mass, pose=pose)], ground=Plane(), mu=0.4, restitution=0.3)
    start = model.state(twists={"box": [2.0, -3.0, 1.0, 1.5, 0.5, -1.0]})
    names = ["box.velocity", "box.contact_force", "box.contact_torque", "contacts"]
    motion = simulate(model, start, h=h, duration=0.4, record=names, **options)
    velocity, force, torque, number = (motion.recorded[name].values for name in names)
    assert np.sum(number > 0) > 20
    change = mass * np.diff(velocity, axis=0)
    np.testing.assert_allclose(h * (force - [0, 0, mass * G]), change, atol=1e-9)
    R, w = motion.poses("box")[:, :3, :3], motion.twists("box")[:, :3]
    J = shape.spatial_inertia(mass=mass)[:3, :3]
    momentum = np.einsum("tij,jk,tk->ti", R, J, w)
    assert np.abs(np.diff(momentum, axis=0)).max() > 0.01
    np.testing.assert_allclose(h * torque, np.diff(momentum, axis=0), atol=1e-9)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_contact_torque_on_a_sliding_box_vanishes_in_schemes_of_first_order(coordinates):
    box = Body("box", Box([0.2, 0.3, 0.1]), mass=2.0, position=[0, 0, 0.05])
    model = Model([box], ground=Plane(), mu=0.2)
    start = model.state(twists={"box": [0, 0, 0, 5.0, 0, 0]})
    names = ["box.contact_force", "box.contact_torque"]
    options = {"scheme": symplectic_euler, "coordinates": coordinates, "record": names}
    motion = simulate(model, start, h=0.01, steps=5, **options)
    force, torque = (motion.recorded[name].values for name in names)
    np.testing.assert_allclose(force, [[-0.2 * 2.0 * G, 0, 2.0 * G]] * 5, atol=1e-6)
    np.testing.assert_allclose(torque, 0, atol=1e-7)


@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_halved_steps_record_contacts_at_their_own_times(monkeypatch, coordinates):
    """A box slides without friction, and a plate until friction stops it at the end of a step."""
    h, mass, center, start_velocity = 0.02, 2.0, np.array([0.03, -0.02, 0.01]), 1.5
    step_in_reduced, step_in_maximal = TreeStepper._try_step, Rattle.try_step
    monkeypatch.setattr(
        TreeStepper,
        "_try_step",
        lambda stepper, *rest: None if stepper.settings.h > 0.6 * h else step_in_reduced(stepper, *rest),
    )
    monkeypatch.setattr(
        Rattle,
        "try_step",
        lambda scheme, context, *rest: (
            None if context.settings.h > 0.6 * h else step_in_maximal(scheme, context, *rest)
        ),
    )
    body = Body(
        "box",
        inertia=spatial_inertia(mass, np.diag([0.01, 0.02, 0.015]), center),
        collision=[Geometry(Box([0.2, 0.3, 0.1]))],
        position=[0.4, -0.7, 0.05],
    )
    model = Model([body], ground=Plane(), mu=0.0)
    start = model.state(twists={"box": [0, 0, 0, start_velocity, 0, 0]})
    names = ["contacts", "box.contact_force", "box.contact_torque"]
    motion = simulate(model, start, h=h, steps=3, record=names, coordinates=coordinates)
    number, force, torque = (motion.recorded[name].values for name in names)
    assert all(set(record.step_fractions) == {0, 0.5, 1} for record in motion.contacts)
    np.testing.assert_array_equal(number, 4)
    np.testing.assert_allclose(force, [[0, 0, mass * G]] * 3, atol=1e-5)
    np.testing.assert_allclose(torque, [np.cross(center, [0, 0, mass * G])] * 3, atol=1e-5)

    mu, steps_to_rest = 0.5, 2.9
    plate = Body("plate", Box([0.4, 0.4, 0.02]), mass=mass, position=[0, 0, 0.01])
    model = Model([plate], ground=Plane(), mu=mu)
    start = model.state(twists={"plate": [0, 0, 0, mu * G * steps_to_rest * h, 0, 0]})
    motion = simulate(model, start, h=h, steps=5, coordinates=coordinates)
    sticks = [event.time for event in motion.contact_events if event.kind == "stick_begins"]
    assert sticks == pytest.approx([np.ceil(steps_to_rest) * h])


def test_figure_has_one_labeled_panel_for_each_channel():
    mpl.use("Agg")
    motion = simulate(turning_arm(), h=0.01, steps=5, record=["energy"])
    figure, axes = motion.plot("rod", "arm.q", "contacts")
    assert [axis.get_ylabel() for axis in axes] == ["rod in m", "arm.q in rad", "contacts"]
    np.testing.assert_array_equal(axes[0].lines[2].get_ydata(), motion.poses("rod")[:, 2, 3])
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["x", "y", "z"]
    mpl.pyplot.close(figure)
    figure, axes = motion.plot()
    assert axes[0].get_ylabel() == "energy in J"
    mpl.pyplot.close(figure)


def test_every_named_channel_exists():
    model = turning_arm()
    motion = simulate(model, h=0.01, steps=3)
    for name in channel_names(model):
        channel = motion.channel(name)
        assert channel.name == name
        assert len(channel.t) == len(channel.values) in (3, 4)
        assert np.all(np.isfinite(channel.values))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: simulate(m, h=0.01, steps=1, record=["elbow"]), "record: got 'elbow'.*'energy'"),
        (
            lambda m: simulate(m, h=0.01, steps=1, record=["rod.torque"]),
            "record: got 'rod.torque'.*'rod.force'",
        ),
        (lambda m: simulate(m, h=0.01, steps=1, record="rod"), "record: got"),
        (lambda m: simulate(m, h=0.01, steps=1).channel("ball.q"), "name: got 'ball.q'"),
        (lambda m: simulate(m, h=0.01, steps=1).plot(), "names: got none"),
        (lambda m: joint_wrench(m, m.state(), "ball"), "free body"),
        (lambda m: frame_pose(m, m.state(), "rod", np.eye(3)), "frame"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call(turning_arm())
