"""Compiled steps of the simulator against the reference: joints, free motion, contacts, energy account."""

from dataclasses import fields

import numpy as np
import pytest

from rbnotes import inertia, joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider, ContactPoints
from rbnotes.dynamics import WORLD, Forces, State
from rbnotes.multibody import maximal, packing
from rbnotes.multibody.maximal import Mechanism, Rattle, World, simulate
from rbnotes.multibody.maximal import rattle as rattle_step
from rbnotes.shapes import Box, Capsule, Plane, Sphere

KINDS = (
    joints.Revolute((0.0, 0.6, 0.8)),
    joints.ExponentialSpherical(),
    joints.Prismatic((0.6, 0.0, 0.8)),
    joints.Cylindrical((0.0, 0.6, 0.8)),
    joints.Free2D(),
    joints.Fixed(se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, -0.1])),
    joints.QuaternionSpherical(),
    joints.Translational(),
    joints.Revolute(),
)


def bodies(count, rng):
    """Return unequal inertias with centers of mass away from the origins."""
    spreads = rng.normal(size=(count, 3, 3))
    second = (np.eye(3) + spreads @ np.swapaxes(spreads, -1, -2)) / 10
    turning = [np.trace(each) * np.eye(3) - each for each in second]
    return np.stack(
        [inertia.spatial_inertia(1 + i / 2, J, rng.normal(size=3) / 5) for i, J in enumerate(turning)]
    )


def jointed_world(mechanism_of, rng, count, spin=1.0):
    """Return a world of bodies at random poses with joints and admissible velocities."""
    poses = se3.exp(rng.normal(size=(count, 6)))
    mechanism = Mechanism(bodies(count, rng), mechanism_of(poses), (1.0, 2.0, -9.81))
    moving = State(poses, spin * rng.normal(size=(count, 6)))
    return World(mechanism), maximal.project(mechanism, moving)


def branched_bodies():
    """Joints of all kinds with constant rows; several on one body, and the world at both ends."""
    rng = np.random.default_rng(2)
    parents = (WORLD, 0, 1, 0, 3, 1, 5, WORLD, 7)

    def connected(poses):
        joint_frames = poses @ se3.exp(rng.normal(size=(len(poses), 6)) / 2)
        each = zip(KINDS, joint_frames, parents, strict=True)
        return [
            maximal.joint_from_world_frame(
                kind, where, poses, i, parent, q=rng.normal(size=kind.num_coordinates) / 2
            )
            if not isinstance(kind, joints.QuaternionSpherical)
            else maximal.joint_from_world_frame(kind, where, poses, i, parent)
            for i, (kind, where, parent) in enumerate(each)
        ]

    return *jointed_world(connected, rng, len(parents)), 0.01


def closed_loops():
    """Two rings of balls and hinges with a bar in common."""
    rng = np.random.default_rng(3)

    def connected(poses):
        ends = [(0, WORLD), (1, 0), (2, 1), (2, WORLD), (3, 1), (4, 3), (4, 0)]
        joint_frames = se3.exp(rng.normal(size=(len(ends), 6)))
        kinds = [joints.ExponentialSpherical()] * 6 + [joints.Cylindrical()]
        return [
            maximal.joint_from_world_frame(kind, where, poses, *pair)
            for kind, where, pair in zip(kinds, joint_frames, ends, strict=True)
        ]

    return *jointed_world(connected, rng, 5, spin=0.3), 0.005


def spinning_bodies():
    """Return free bodies that rotate by several radians in a step."""
    rng = np.random.default_rng(4)
    twists = rng.normal(size=(3, 6)) * [[1.0], [10.0], [100.0]]
    return World(Mechanism(bodies(3, rng))), State(se3.exp(rng.normal(size=(3, 6))), twists), 0.01


def bouncing_bodies():
    """Return elastic bodies, two of them on a hinge, that hit a slope and each other in the first steps."""
    rng = np.random.default_rng(5)
    shapes = Box([0.4, 0.3, 0.2]), Sphere(0.15), Capsule(0.1, 0.3), Sphere(0.1)
    masses = np.stack([shape.spatial_inertia(density=300.0 + 200 * i) for i, shape in enumerate(shapes)])
    poses = se3.frame(
        so3.exp(rng.normal(size=(4, 3)) / 3), [[0, 0, 0.4], [0.3, 0, 0.4], [1, 0, 0.4], [1, 0.1, 0.85]]
    )
    frame = se3.frame(so3.exp([0.4, 0.5, 0.6]), [0.2, 0.0, 0.4])
    hinge = maximal.joint_from_world_frame(joints.Revolute(), frame, poses, 1, 0)
    ground = Collider(WORLD, Plane(), se3.frame(so3.exp([0.0, 0.1, 0.0]), np.zeros(3)), restitution=0.8)
    carried = [Collider(i, shape, mu=0.4, restitution=0.5) for i, shape in enumerate(shapes)]
    mechanism = Mechanism(masses, [hinge])
    falling = State(poses, np.tile([0.2, 0.5, 0.1, 0.5, 0.0, -2.0], (4, 1)))
    return World(mechanism, [ground, *carried]), maximal.project(mechanism, falling), 0.01


def dragged_boxes():
    """Return boxes on the ground, joined by a spherical joint, of which one slides and one is fixed."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0 * (1 + i)) for i in range(4)])
    poses = se3.frame(np.eye(3), [[0.5 * i, 0.03 * i, 0.1] for i in range(4)])
    ball = maximal.Joint(
        joints.ExponentialSpherical(),
        1,
        se3.frame(np.eye(3), [-0.25, 0.0, 0.02]),
        0,
        se3.frame(np.eye(3), [0.25, 0.03, 0.02]),
    )
    fixed = maximal.joint_from_world_frame(joints.Fixed(), np.eye(4), poses, 3)
    colliders = [Collider(WORLD, Plane()), *(Collider(i, box, mu=0.3) for i in range(4))]
    mechanism = Mechanism(masses, [ball, fixed])
    twists = np.zeros((4, 6))
    twists[1, 3:5] = twists[2, 3:5] = 0.8, 0.3
    return World(mechanism, colliders, []), maximal.project(mechanism, State(poses, twists)), 0.005


def pushed_bodies():
    """Return bodies of a tree with springs and a damper, whose forces depend on poses and time."""
    (world, state, h), none = branched_bodies(), np.zeros((54, 54))

    def applied_forces(state):
        away = state.E[:, :3, 3] - [0.1, 0.2, 0.3]
        forces = np.einsum("nji,nj->ni", state.E[:, :3, :3], -3.0 * away) * np.cos(5.0 * state.t)
        return Forces(np.concatenate([-0.5 * state.phi[:, :3], forces], axis=1).ravel(), none, none)

    mechanism = world.mechanism
    return World(Mechanism(mechanism.inertias, mechanism.joints, mechanism.gravity, applied_forces)), state, h


def bodies_in_wind():
    """Return the elastic bodies in a wind that acts before the impact."""
    world, state, h = bouncing_bodies()
    none = np.zeros((24, 24))

    def applied_forces(state):
        wind = 2.0 * (
            np.array([3.0, 1.0, -4.0]) - np.einsum("nij,nj->ni", state.E[:, :3, :3], state.phi[:, 3:])
        )
        local = np.einsum("nji,nj->ni", state.E[:, :3, :3], wind)
        return Forces(np.concatenate([np.cross([0.1, 0.0, 0.05], local), local], axis=1).ravel(), none, none)

    mechanism = Mechanism(world.mechanism.inertias, world.mechanism.joints, applied_forces=applied_forces)
    return World(mechanism, world.colliders), state, h


def overlapping():
    """A box that stands on another one, and in it; both fall into the ground in the first step."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0)] * 2)
    poses = se3.frame(so3.exp([[0, 0, 0], [0, 0, 0.3]]), [[0, 0, 0.099], [0.02, 0.01, 0.297]])
    colliders = [Collider(WORLD, Plane()), Collider(0, box), Collider(1, box)]
    return World(Mechanism(masses), colliders), State(poses, np.zeros((2, 6))), 0.005


def overlapping_and_joined():
    """Return two boxes that overlap the ground, joined by a spherical joint, without friction."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0), box.spatial_inertia(density=500.0)])
    poses = se3.frame(so3.exp([[0.02, 0, 0], [0, 0.01, 0.1]]), [[0, 0, 0.098], [0.45, 0.03, 0.097]])
    ball = maximal.joint_from_world_frame(
        joints.ExponentialSpherical(), se3.frame(np.eye(3), [0.2, 0, 0.1]), poses, 1, 0
    )
    colliders = [Collider(WORLD, Plane(), mu=0.0), *(Collider(i, box, mu=0.0) for i in range(2))]
    mechanism = Mechanism(masses, [ball])
    sliding = maximal.project(mechanism, State(poses, np.tile([0.0, 0.0, 0.0, 0.8, 0.2, 0.0], (2, 1))))
    return World(mechanism, colliders, [(0, 1)]), sliding, 0.005


def contradicting_contacts():
    """Return a bouncing box below a sliding one: contradicting contacts."""
    box = Box([0.4, 0.3, 0.2])
    poses = se3.frame(np.eye(3), [[0, 0, 0.1], [0, 0, 0.3]])
    rail = maximal.joint_from_world_frame(joints.Free2D(), np.eye(4), poses, 1)
    surface = {"mu": 0.3, "restitution": 0.5}
    mechanism = Mechanism(np.array([box.spatial_inertia(density=500.0)] * 2), [rail])
    colliders = [Collider(WORLD, Plane(), **surface), *(Collider(i, box, **surface) for i in range(2))]
    return World(mechanism, colliders), State(poses, [[0, 0, 0, 0, 0, -1.0], np.zeros(6)]), 0.005


SCENES = {
    each.__name__: each
    for each in (
        *(branched_bodies, closed_loops, spinning_bodies, bouncing_bodies, dragged_boxes),
        *(pushed_bodies, bodies_in_wind, overlapping, overlapping_and_joined),
    )
}


def assert_near(found, expected, tolerance):
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def assert_same(found, expected, tolerance, impulses):
    """Assert that two trajectories are equal; contact impulses need not be unique."""
    assert len(found.states) == len(expected.states)
    for name in ("E", "phi", "t"):
        assert_near(getattr(found.states, name), getattr(expected.states, name), tolerance)
    assert_near(found.energies, expected.energies, tolerance)
    assert_near(found.joint_impulses, expected.joint_impulses, 100 * tolerance)
    rounding = tolerance * max(10.0, np.max(np.abs(expected.energies)))  # work is a difference of energies
    for part, reference in zip(found.work, expected.work, strict=True):
        assert_near(part, reference, rounding)
    for actual, expected_contact in zip(found.contacts, expected.contacts, strict=True):
        assert actual.num_start_contacts == expected_contact.num_start_contacts
        assert_same_points(actual.points, expected_contact.points, tolerance)
        speeds = "velocities_before", "velocities_after"
        for name in ("impulses", *speeds) if impulses else speeds:
            assert_near(getattr(actual, name), getattr(expected_contact, name), 10 * tolerance)
        assert max(actual.residual, expected_contact.residual) <= 1e-8
    assert [(each.kind, each.a, each.b) for each in found.events] == [
        (each.kind, each.a, each.b) for each in expected.events
    ]
    assert_same_points(found.restart.points, expected.restart.points, tolerance)
    assert (found.restart.last_impulses is None) == (expected.restart.last_impulses is None)
    if found.restart.last_impulses is not None:
        assert_same_points(found.restart.last_impulses[0], expected.restart.last_impulses[0], tolerance)


def assert_same_points(found, expected, tolerance):
    for each in fields(ContactPoints):
        values, reference = (getattr(points, each.name) for points in (found, expected))
        assert values.dtype == reference.dtype
        assert values.shape == reference.shape
        assert_near(values, reference, tolerance)


@pytest.mark.parametrize("scene", SCENES)
def test_steps_agree_with_the_reference(scene, monkeypatch):
    world, state, h = SCENES[scene]()
    compiled = packing.compile(world)
    one, several = (simulate(world, state, h, steps) for steps in (1, 12))
    monkeypatch.setattr(Rattle, "step", lambda *_: pytest.fail("this step is the reference's"))
    determined = scene in ("bouncing_bodies", "bodies_in_wind")
    assert_same(simulate(compiled, state, h, 1), one, 1e-10, determined)
    assert_same(simulate(compiled, state, h, 12), several, 1e-9, determined)
    if scene in ("pushed_bodies", "bodies_in_wind"):
        assert np.min(np.abs(several.work.applied_forces)) > 1e-4
    if scene.startswith("overlapping"):
        assert several.work.stabilization[0] > 1e-3
    if scene in ("bouncing_bodies", "dragged_boxes", "bodies_in_wind"):
        assert sum(len(record.impulses) for record in several.contacts) > 10
    if scene in ("bouncing_bodies", "bodies_in_wind"):
        assert max(np.max(record.velocities_after[:, 0], initial=0.0) for record in several.contacts) > 0.5


def test_contradicting_contacts_fall_back_to_the_reference():
    world, state, h = contradicting_contacts()
    found, expected = simulate(packing.compile(world), state, h, 5), simulate(world, state, h, 5)
    # What joint and contact share along a direction that both hold may differ.
    for name in ("E", "phi"):
        assert_near(getattr(found.states, name), getattr(expected.states, name), 1e-9)
    assert np.abs(expected.states.phi[1:]).max() < 1e-6


def open_joints():
    """Return a chain with open joints, which are closed first."""
    world, state, h = branched_bodies()
    displaced = state.retract(np.random.default_rng(6).normal(size=state.size) / 1000)
    return world, displaced, h


def redundant_loop():
    """Return a planar loop of hinges with three redundant rows."""
    rod = Box([1.0, 0.1, 0.1])
    corners = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]]
    rotations = so3.exp([[0.0, angle, 0.0] for angle in (-np.pi / 2, 0.0, np.pi / 2)])
    poses = se3.frame(rotations, [[0, 0, 0.5], [0.5, 0, 1], [1, 0, 0.5]])
    y = so3.exp([np.pi / 2, 0.0, 0.0])
    ends = [(0, WORLD), (1, 0), (2, 1), (2, WORLD)]
    hinges = [
        maximal.joint_from_world_frame(joints.Revolute(), se3.frame(y, corner), poses, *pair)
        for corner, pair in zip(corners, ends, strict=True)
    ]
    mechanism = Mechanism(np.stack([rod.spatial_inertia(density=500.0)] * 3), hinges)
    return World(mechanism), maximal.project(mechanism, State(poses, np.ones((3, 6)))), 0.01


@pytest.mark.parametrize("scene", [open_joints, redundant_loop])
def test_unusual_steps_fall_back_to_the_reference(scene, monkeypatch):
    """All steps of the loop and the first steps of the others fall back."""
    world, state, h = scene()
    expected, fallback_steps, take = simulate(world, state, h, 6), [], Rattle.step

    def counted(self, *arguments):
        fallback_steps.append(arguments)
        return take(self, *arguments)

    monkeypatch.setattr(Rattle, "step", counted)
    messages = []
    found = simulate(packing.compile(world), state, h, 6, progress=lambda *done: messages.append(done))
    assert_same(found, expected, 1e-9, False)
    assert len(fallback_steps) == 6 if scene is redundant_loop else 0 < len(fallback_steps) < 4
    assert messages == [(i + 1, 6) for i in range(6)]


@pytest.mark.parametrize("scene", ["branched_bodies", "bouncing_bodies"])
def test_resumed_run_equals_uninterrupted_run(scene):
    """Results are bitwise equal, with and without progress reports."""
    world, state, h = SCENES[scene]()
    compiled = packing.compile(world)
    uninterrupted = simulate(compiled, state, h, 9)
    first = simulate(compiled, state, h, 4, progress=lambda *_: None)
    second = simulate(compiled, first, h, 5)
    for name in ("E", "phi"):
        parts = getattr(first.states, name), getattr(second.states, name)[1:]
        assert np.array_equal(np.concatenate(parts), getattr(uninterrupted.states, name))
    impulses = [record.impulses for part in (first, second) for record in part.contacts]
    assert all(map(np.array_equal, impulses, [record.impulses for record in uninterrupted.contacts]))


def test_unsupported_options_fall_back_to_the_reference(monkeypatch):
    """Unsupported options, and joints whose rows rotate."""
    world, state, h = closed_loops()
    expected, calls = simulate(world, state, h, 1), []
    where = maximal.joint_from_world_frame(joints.Universal(), np.eye(4), state.E, 0)
    turning = World(Mechanism(world.mechanism.inertias, [where]))
    take = Rattle.step

    def counted(self, *arguments):
        calls.append(arguments)
        return take(self, *arguments)

    monkeypatch.setattr(Rattle, "step", counted)
    compiled = packing.compile(world)
    simulate(compiled, state, h, 1, stabilization="none")
    simulate(compiled, state, h, 1, impacts="sequential")
    simulate(compiled, state, h, 1, integrator=_Same())
    simulate(compiled, state, h, 1, friction="gauss_seidel")
    simulate(packing.compile(turning), state, h, 1)
    assert len(calls) == 5
    assert_same(simulate(compiled, state, h, 1), expected, 1e-11, True)
    assert len(calls) == 5


class _Unreachable(Exception):
    pass


def test_errors_of_force_laws_are_propagated():
    """Exceptions of a force law, and errors about its result, are raised unchanged."""
    world, state, h = closed_loops()

    def applied_forces(state):
        if state.t > 1.5 * h:
            raise _Unreachable
        return Forces(np.zeros(30), np.zeros((30, 30)), np.zeros((30, 30)))

    mechanism = world.mechanism
    for law, error in ((applied_forces, _Unreachable), (lambda state: 0.0, InvalidArgument)):
        lawful = World(Mechanism(mechanism.inertias, mechanism.joints, applied_forces=law))
        with pytest.raises(error):
            simulate(packing.compile(lawful), state, h, 4)


class _Same:
    """The default law and an equal user-defined one."""

    def step(self, *arguments):
        return rattle_step.step(*arguments)
