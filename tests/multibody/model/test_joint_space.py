"""Forces and constraints of joints in maximal coordinates: the same motions as in joint coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import settings
from model_features import JOINTS
from model_parts import shift
from random_mechanisms import mechanism, with_consistent_velocity
from random_trees import ALL, body, frame

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.friction import journal_bearing
from rbnotes.multibody import (
    Body,
    Model,
    Motor,
    PositionServo,
    joint_wrench,
    load_trajectory,
    maximal_coordinates,
    model_joint_space,
    save_trajectory,
    simulate,
)
from rbnotes.multibody.maximal import accelerations, constraint_jacobian
from rbnotes.multibody.model_equations import constrained_tree_acceleration, velocity_map
from rbnotes.multibody.model_joint_space import joint_map, joint_map_near
from rbnotes.multibody.reduced import Gear, JointLimit, LoopClosure
from rbnotes.multibody.reduced.kinematics import body_poses_and_twists
from rbnotes.shapes import Box, Sphere

HINGE = joints.Revolute([0, 1, 0])
REDUCED, MAXIMAL = {"coordinates": "reduced"}, {"coordinates": "maximal"}


def wheel(**options):
    return Body(
        "wheel", Box([0.3, 0.2, 0.1]), mass=2.0, joint=HINGE, body_frame=shift(0.05, 0, 0.02), **options
    )


@pytest.mark.parametrize("kind", sorted(ALL))
def test_joint_map_inverts_the_kinematics_of_the_tree(kind):
    rng = np.random.default_rng(sorted(ALL).index(kind))
    model = Model(
        [
            Body("base", inertia=body(rng), joint=HINGE, joint_frame=frame(rng), body_frame=frame(rng)),
            Body(
                "arm",
                inertia=body(rng),
                joint=ALL[kind](rng),
                parent="base",
                joint_frame=frame(rng),
                body_frame=frame(rng),
            ),
        ]
    )
    tree = model.tree
    q = tree.neutral + rng.uniform(0.2, 0.6, tree.num_coordinates)
    state = model.tree.reparametrize(model.tree_state(model.state_from_tree(State(q=q, qdot=0 * q))))
    E, _ = body_poses_and_twists(tree, state.q, state.qdot)
    q_found, A = joint_map_near(model, E, state.q + 0.1)
    np.testing.assert_allclose(q_found, state.q, atol=1e-9)
    np.testing.assert_allclose(joint_map(model, E, state.q).A, A, atol=1e-8)
    for column in np.eye(len(q)):
        # Rates that the coordinates allow: the constraint of a quaternion excludes its length.
        qdot = model.tree_state(model.state_from_tree(State(q=state.q, qdot=column))).qdot
        phi = body_poses_and_twists(tree, state.q, qdot)[1]
        expected = body_poses_and_twists(tree, state.q, A @ phi.ravel())[1]
        np.testing.assert_allclose(expected, phi, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100) if settings().max_examples >= 1000 else [*range(6), 24, 57])
def test_random_mechanisms_move_alike_in_both_coordinates(seed):
    """The two schemes differ by terms of second order, which a step of half the size reduces to a quarter.

    Impacts on limits and contacts fall into other steps, whose difference is of first order.
    """
    model, state, control = mechanism(seed, touches=seed % 2 == 1, closed=seed % 3 == 0)
    differences = []
    for h, steps in ((0.008, 6), (0.004, 12)):
        reduced, maximal = (
            simulate(model, state, h=h, steps=steps, control=control, **coordinates)
            for coordinates in (REDUCED, MAXIMAL)
        )
        differences.append(np.max(np.abs(reduced.body_states.E - maximal.body_states.E)))
        for motion in (reduced, maximal):
            change = motion.energies[-1] - motion.energies[0]
            np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-8, atol=1e-9)
        for name in ("actuator_impulses", "friction_impulses"):
            actual, expected = (np.sum(getattr(motion, name), axis=0) for motion in (maximal, reduced))
            np.testing.assert_allclose(actual, expected, atol=2e-3, err_msg=name)
    touches = any(np.any(record.impulses) for record in maximal.contacts)
    assert touches or seed != 5, "the spheres reach the floor"
    assert differences[0] < (1e-3 if touches else 1e-4)
    has_impacts = touches or any(isinstance(each, JointLimit) for each in model.constraints)
    assert differences[1] < max(0.3 * differences[0], 1e-8) or has_impacts


@pytest.mark.slow
def test_random_loops_have_equal_accelerations_and_wrenches_in_both_coordinates():
    """Bodies of closed loops; the resultant wrench on a body beyond gravity and applied forces is unique."""
    count = 100 if settings().max_examples >= 1000 else 10
    for seed in range(count):
        model, state, _ = mechanism(seed, closed=True)
        closures = [each for each in model.constraints if isinstance(each, LoopClosure)]
        bare = [
            replace(each, stiffness=0.0, damping=0.0, joint_friction=0.0, armature=0.0)
            for each in model.bodies
        ]
        model = replace(model, bodies=bare, constraints=closures, actuators=[])
        state = with_consistent_velocity(model, state)
        maximal_model = maximal_coordinates(model).maximal_model
        bodies = model.body_state(state)
        actual = accelerations(maximal_model, bodies)
        tree_state = model.tree_state(state)
        kinematics = model.tree.body_kinematics(tree_state)
        qddot = constrained_tree_acceleration(model, tree_state, velocity_map(model, tree_state).B, 0.0)[0]
        expected = kinematics.J @ qddot + kinematics.bias_acceleration
        np.testing.assert_allclose(actual.phidot, expected, rtol=0, atol=1e-9, err_msg=f"seed {seed}")
        rows = constraint_jacobian(maximal_model.joints, bodies.E).toarray()
        wrenches = (rows.T @ actual.multipliers).reshape(-1, 6)
        required = np.einsum("nij,nj->ni", model.tree.inertias, expected)
        required -= maximal_model.force(bodies).reshape(-1, 6)
        np.testing.assert_allclose(wrenches, required, rtol=0, atol=1e-8, err_msg=f"seed {seed}")
        joint_rows = sum(each.num_constraints for each in maximal_model.joints[: len(model.bodies)])
        assert len(rows) - joint_rows in (2, 3)
        assert np.max(np.abs(actual.multipliers[joint_rows:])) > 1e-3, "the closure bears a load"
        for body_name in ("a", "d"):
            of_tree = joint_wrench(model, state, body_name)
            index = model.index(body_name)
            joint = maximal_model.joints[index]
            own = sum(each.num_constraints for each in maximal_model.joints[:index])
            part = slice(own, own + joint.num_constraints)
            on_body = rows[part, 6 * index : 6 * index + 6].T @ actual.multipliers[part]
            in_joint_frame = se3.Ad(joint.frame).T @ on_body
            np.testing.assert_allclose(in_joint_frame, of_tree, rtol=0, atol=1e-8, err_msg=f"seed {seed}")


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "q"), [JOINTS[name] for name in ("Revolute", "Cylindrical", "Universal")])
def test_armature_is_that_of_joint_coordinates(joint, q):
    """The two schemes converge to one motion with the square of the step; the energy accounts close."""
    arm = Body(
        "arm", Box([0.3, 0.2, 0.1]), mass=2.0, joint=joint, body_frame=shift(0.15, 0, 0.02), armature=0.5
    )
    tip = Body(
        "tip",
        Sphere(0.1),
        mass=1.0,
        joint=joints.Prismatic([0.6, 0, 0.8]),
        parent="arm",
        joint_frame=shift(0.3, 0, 0),
        armature=3.0,
    )
    model = Model([arm, tip])
    state = model.state(q={"arm": q, "tip": 0.1}, qdot={"arm": np.full(len(q), 2.0), "tip": -0.5})
    differences = []
    for h, steps in ((0.02, 5), (0.01, 10), (0.005, 20)):
        reduced, maximal = (simulate(model, state, h=h, steps=steps, **each) for each in (REDUCED, MAXIMAL))
        differences.append(np.max(np.abs(reduced.body_states.E[-1] - maximal.body_states.E[-1])))
        np.testing.assert_allclose(maximal.energies[0], reduced.energies[0], rtol=1e-12)
        np.testing.assert_allclose(np.diff(maximal.energies), maximal.work.total, rtol=0, atol=1e-12)
    ratios = np.divide(differences[:-1], differences[1:])
    np.testing.assert_allclose(ratios, 4.0, atol=0.5)
    extrapolated = abs(differences[2] - differences[1] / 4)
    assert extrapolated < 0.05 * differences[2]


def test_rotor_accelerates_a_wheel_by_its_inertia():
    """Without gravity a torque turns the wheel with the inertia of both, to rounding."""
    torque, armature, h, steps = 1.5, 0.7, 0.01, 20
    plain = replace(wheel(armature=armature), body_frame=np.eye(4))
    model = Model([plain], gravity=np.zeros(3), actuators=[Motor("wheel")])
    motion = simulate(model, h=h, steps=steps, control=lambda state: {"wheel": torque}, **MAXIMAL)
    rate = torque * h * steps / (plain.spatial_inertia[1, 1] + armature)
    np.testing.assert_allclose(motion.qdot("wheel")[-1], rate, rtol=1e-9)
    np.testing.assert_allclose(motion.q("wheel")[-1], rate * h * steps / 2, rtol=1e-9)
    np.testing.assert_allclose(motion.energies[-1], torque * motion.q("wheel")[-1], rtol=1e-9)


@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
def test_rotor_takes_part_in_an_impact(impacts):
    """A ball hits a bar at the arm r; the bar and its rotor have the inertia J: an elastic impact."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.3, 0, 0.201])
    bar = Body("bar", Box([0.8, 0.2, 0.2]), mass=2.0, joint=HINGE, armature=0.4)
    model = Model([ball, bar], gravity=np.zeros(3), restitution=1.0, mu=0.0)
    start = model.state(twists={"ball": [0, 0, 0, 0, 0, -1.0]})
    motion = simulate(model, start, h=0.005, steps=3, impacts=impacts, **MAXIMAL)
    J = bar.spatial_inertia[1, 1] + 0.4
    p = 2.0 / (1.0 + 0.3**2 / J)
    result = [motion.twists("ball")[-1, 5], motion.qdot("bar")[-1].item()]
    np.testing.assert_allclose(result, [-1.0 + p, 0.3 * p / J], rtol=1e-6)
    np.testing.assert_allclose(motion.energies, motion.energies[0], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "q"), [JOINTS[name] for name in ("Revolute", "Universal", "Cylindrical")])
def test_angles_count_turns(joint, q):
    """A spring that is wound by more than a turn unwinds through the angle pi."""
    q = np.array(q) + np.eye(len(q))[0] * 8.0
    spring = Body(
        "arm", Box([0.3, 0.2, 0.1]), mass=2.0, joint=joint, body_frame=shift(0.05, 0, 0.02), stiffness=0.6
    )
    model = Model([spring], gravity=[0, 0, -1.0])
    reduced, maximal = (
        simulate(model, model.state(q={"arm": q}), h=0.01, steps=35, **coordinates)
        for coordinates in (REDUCED, MAXIMAL)
    )
    np.testing.assert_allclose(maximal.tree_q, reduced.tree_q, atol=0.1)
    assert maximal.tree_q[0, 0] > 8.0 > 2 * np.pi > maximal.tree_q[-1, 0]


def test_stiff_servo_is_stable():
    servo = PositionServo("wheel", kp=1e7, kd=1e3, target=0.5)
    model = Model([wheel()], actuators=[servo])
    motion = simulate(model, h=0.01, steps=50, **MAXIMAL)
    assert abs(motion.q("wheel")[-1] - 0.5) < 1e-5
    assert np.max(np.abs(motion.q("wheel"))) < 1.5


def test_torque_limit_and_dry_friction_hold_a_wheel():
    """A motor whose limit is below the dry friction does not move the wheel; the power is zero."""
    motor, friction = Motor("wheel", force_limit=0.4), 0.5
    model = Model([wheel(joint_friction=friction)], gravity=np.zeros(3), actuators=[motor])
    motion = simulate(model, h=0.01, steps=20, control=lambda state: {"wheel": 3.0}, **MAXIMAL)
    np.testing.assert_allclose(motion.twists("wheel"), 0.0, atol=1e-12)
    np.testing.assert_allclose(motion.actuator_impulses, 0.4 * 0.01, rtol=1e-12)
    np.testing.assert_allclose(motion.friction_impulses, -0.4 * 0.01, rtol=1e-9)


def test_joint_limit_stops_a_wheel_without_rebound():
    model = Model([wheel()], gravity=np.zeros(3), constraints=[JointLimit("wheel", -1.0, 0.2)])
    motion = simulate(model, model.state(qdot={"wheel": 2.0}), h=0.01, steps=30, **MAXIMAL)
    assert np.max(motion.q("wheel")) < 0.2 + 1e-5
    np.testing.assert_allclose(motion.q("wheel")[-5:], 0.2, atol=1e-5)
    np.testing.assert_allclose(motion.qdot("wheel")[-5:], 0.0, atol=1e-9)
    energy = 0.5 * motion.energies[0]
    assert np.sum(motion.work.joints) < -energy, "the limit absorbs the kinetic energy"


def gear_train(**options):
    bodies = [wheel(), replace(wheel(), name="other", joint_frame=shift(0, 1, 0))]
    return Model(bodies, constraints=[Gear("wheel", "other", -2.0)], **options)


@pytest.mark.slow
@pytest.mark.parametrize("stabilization", ["projection", "baumgarte"])
def test_gear_holds_to_rounding(stabilization):
    motion = simulate(gear_train(), h=0.01, steps=25, stabilization=stabilization, **MAXIMAL)
    np.testing.assert_allclose(motion.q("other"), -2.0 * motion.q("wheel"), atol=1e-8)
    assert np.ptp(motion.q("wheel")) > 0.05


def test_gear_transmits_a_sequential_impact():
    """A ball hits a wheel that a gear couples to another one: momentum and energy follow from the gear."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.3, 0, 0.201])
    bar = replace(wheel(collision=Box([0.8, 0.2, 0.2])), body_frame=np.eye(4))
    other = Body("other", Box([0.3, 0.2, 0.1]), mass=2.0, joint=HINGE, joint_frame=shift(0, 1, 0))
    model = Model(
        [ball, bar, other],
        gravity=np.zeros(3),
        constraints=[Gear("wheel", "other", -2.0)],
        restitution=1.0,
        mu=0.0,
    )
    start = model.state(twists={"ball": [0, 0, 0, 0, 0, -1.0]})
    motion = simulate(model, start, h=0.01, steps=5, impacts="sequential", **MAXIMAL)
    v, rate = motion.twists("ball")[-1, 5], motion.qdot("wheel")[-1].item()
    J = bar.spatial_inertia[1, 1] + 4.0 * other.spatial_inertia[1, 1]
    # The ball at the arm r exchanges the impulse p: v = -1 + p, J rate = r p, v_bar = -r rate, elastic.
    p = 2.0 / (1.0 + 0.3**2 / J)
    np.testing.assert_allclose([v, abs(rate)], [-1.0 + p, 0.3 * p / J], rtol=1e-6)


def test_each_configuration_is_evaluated_once(monkeypatch):
    """Equations, rotors, impulses, bearings and energies share one map to joint coordinates."""
    poses = []

    def record_and_search(model, E, near):
        poses.append(E.tobytes())
        return joint_map_near(model, E, near)

    monkeypatch.setattr(model_joint_space, "joint_map_near", record_and_search)
    bearing = journal_bearing(0.03, 0.05, 0.2, axis=[0.0, 1.0, 0.0])
    bodies = [wheel(armature=0.5), replace(wheel(stiffness=1.0), name="other", joint_frame=shift(0, 1, 0))]
    model = Model(bodies, constraints=[Gear("wheel", "other", -2.0)], bearings={"wheel": bearing})
    simulate(model, h=0.01, steps=3, **MAXIMAL)
    assert len(poses) == len(set(poses)) > 3


def test_trajectory_continues_bit_for_bit(tmp_path):
    model, state, control = mechanism(3)
    whole = simulate(model, state, h=0.01, steps=4, control=control, **MAXIMAL)
    first = simulate(model, state, h=0.01, steps=2, control=control, **MAXIMAL)
    save_trajectory(first, tmp_path / "run.npz")
    for start in (first, load_trajectory(tmp_path / "run.npz", model)):
        second = simulate(model, start, h=0.01, steps=2, control=control, **MAXIMAL)
        np.testing.assert_array_equal(second.body_states.E, whole.body_states.E[2:])
        np.testing.assert_array_equal(second.body_states.phi, whole.body_states.phi[2:])


def test_schemes_of_first_order_are_refused_with_forces_of_joints():
    with pytest.raises(InvalidArgument, match=r"'rattle' in maximal coordinates with springs in joints$"):
        simulate(Model([wheel(stiffness=1.0)]), h=0.01, steps=1, scheme=symplectic_euler, **MAXIMAL)


def test_compiled_steps_name_what_they_do_not_support():
    bodies = [wheel(damping=1.0, armature=0.1), replace(wheel(), name="other", joint_frame=shift(0, 1, 0))]
    model = Model(bodies, constraints=[Gear("wheel", "other", -2.0)], actuators=[Motor("other")])
    with pytest.raises(
        InvalidArgument, match=r"for models with actuators, dampers in joints, armature, Gear$"
    ):
        simulate(model, h=0.01, steps=1, compiled=True, **MAXIMAL)


def test_state_that_violates_a_constraint_is_refused():
    model = gear_train()
    with pytest.raises(InvalidArgument, match=r"state: got a violation of 0\.1 of Gear"):
        simulate(model, model.state(q={"other": 0.1}), h=0.01, steps=1, **MAXIMAL)
