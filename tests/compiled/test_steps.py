"""Compiled steps of the simulator against the reference: joints, free motion, contacts, energy account."""

from dataclasses import fields, replace

import numpy as np
import pytest
from maximal_simulation import contact_events, simulate

from rbnotes import inertia, joints, quaternion, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider, ContactPoints
from rbnotes.dynamics import WORLD, Forces, State, symplectic_euler
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.friction.semismooth_newton import TOLERANCE
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.maximal.rattle_integrator import Rattle
from rbnotes.multibody.maximal.rattle_integrator import rattle as rattle_step
from rbnotes.multibody.packing import python_callbacks
from rbnotes.multibody.packing.packed_model import pack_model
from rbnotes.shapes import Box, Capsule, ConvexMesh, Plane, Sphere

NUM_HEAP_STEPS = 95
"""Steps until boxes lie on each other, with about as many contacts that push as velocities."""
CORNERS = np.array([[0.0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
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


def jointed_model(joints_at, rng, count, spin=1.0):
    """Return a model of bodies at random poses with joints and admissible velocities."""
    poses = se3.exp(rng.normal(size=(count, 6)))
    model = MaximalModel(bodies(count, rng), joints_at(poses), (1.0, 2.0, -9.81))
    moving = State(poses, spin * rng.normal(size=(count, 6)))
    return model, maximal.project(model, moving)


def branched_bodies():
    """Return joints of all kinds with constant rows; several on one body, and the world at both ends."""
    rng = np.random.default_rng(2)
    parents = (WORLD, 0, 1, 0, 3, 1, 5, WORLD, 7)

    def connect(poses):
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

    return *jointed_model(connect, rng, len(parents)), 0.01


def floating_trees():
    """Return two trees without a joint to the world, whose joints are directed both ways, and a free body."""
    rng = np.random.default_rng(7)
    pairs = (1, 0), (1, 2), (3, 2), (2, 4), (5, 6), (7, 6)

    def connect(poses):
        joint_frames = poses[:6] @ se3.exp(rng.normal(size=(6, 6)) / 2)
        return [
            maximal.joint_from_world_frame(kind, where, poses, *pair)
            for kind, where, pair in zip(KINDS[:6], joint_frames, pairs, strict=True)
        ]

    return *jointed_model(connect, rng, 9), 0.01


def closed_loops():
    """Return two rings of balls and hinges with a bar in common."""
    rng = np.random.default_rng(3)

    def connect(poses):
        ends = [(0, WORLD), (1, 0), (2, 1), (2, WORLD), (3, 1), (4, 3), (4, 0)]
        joint_frames = se3.exp(rng.normal(size=(len(ends), 6)))
        kinds = [joints.ExponentialSpherical()] * 6 + [joints.Cylindrical()]
        return [
            maximal.joint_from_world_frame(kind, where, poses, *pair)
            for kind, where, pair in zip(kinds, joint_frames, ends, strict=True)
        ]

    return *jointed_model(connect, rng, 5, spin=0.3), 0.005


def spinning_bodies():
    """Return free bodies that rotate by several radians in a step."""
    rng = np.random.default_rng(4)
    twists = rng.normal(size=(3, 6)) * [[1.0], [10.0], [100.0]]
    return MaximalModel(bodies(3, rng)), State(se3.exp(rng.normal(size=(3, 6))), twists), 0.01


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
    model = MaximalModel(masses, [hinge], colliders=[ground, *carried])
    falling = State(poses, np.tile([0.2, 0.5, 0.1, 0.5, 0.0, -2.0], (4, 1)))
    return model, maximal.project(model, falling), 0.01


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
    model = MaximalModel(masses, [ball, fixed], colliders=colliders, excluded_pairs=[])
    twists = np.zeros((4, 6))
    twists[1, 3:5] = twists[2, 3:5] = 0.8, 0.3
    return model, maximal.project(model, State(poses, twists)), 0.005


def pushed_bodies():
    """Return bodies of a tree with springs and a damper, whose forces depend on poses and time."""
    (model, state, h), none = branched_bodies(), np.zeros((54, 54))

    def applied_forces(state):
        away = state.E[:, :3, 3] - [0.1, 0.2, 0.3]
        forces = np.einsum("nji,nj->ni", state.E[:, :3, :3], -3.0 * away) * np.cos(5.0 * state.t)
        return Forces(np.concatenate([-0.5 * state.phi[:, :3], forces], axis=1).ravel(), none, none)

    return replace(model, applied_forces=applied_forces), state, h


def bodies_in_wind():
    """Return the elastic bodies in a wind that acts before the impact."""
    model, state, h = bouncing_bodies()
    none = np.zeros((24, 24))

    def applied_forces(state):
        wind = 2.0 * (
            np.array([3.0, 1.0, -4.0]) - np.einsum("nij,nj->ni", state.E[:, :3, :3], state.phi[:, 3:])
        )
        local = np.einsum("nji,nj->ni", state.E[:, :3, :3], wind)
        return Forces(np.concatenate([np.cross([0.1, 0.0, 0.05], local), local], axis=1).ravel(), none, none)

    return replace(model, applied_forces=applied_forces), state, h


def overlapping_boxes():
    """Return a box that stands on another one, and in it; both fall into the ground in the first step."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0)] * 2)
    poses = se3.frame(so3.exp([[0, 0, 0], [0, 0, 0.3]]), [[0, 0, 0.099], [0.02, 0.01, 0.297]])
    colliders = [Collider(WORLD, Plane()), Collider(0, box), Collider(1, box)]
    return MaximalModel(masses, colliders=colliders), State(poses, np.zeros((2, 6))), 0.005


def overlapping_and_joined():
    """Return two boxes that overlap the ground, joined by a spherical joint, without friction."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0), box.spatial_inertia(density=500.0)])
    poses = se3.frame(so3.exp([[0.02, 0, 0], [0, 0.01, 0.1]]), [[0, 0, 0.098], [0.45, 0.03, 0.097]])
    ball = maximal.joint_from_world_frame(
        joints.ExponentialSpherical(), se3.frame(np.eye(3), [0.2, 0, 0.1]), poses, 1, 0
    )
    colliders = [Collider(WORLD, Plane(), mu=0.0), *(Collider(i, box, mu=0.0) for i in range(2))]
    model = MaximalModel(masses, [ball], colliders=colliders, excluded_pairs=[(0, 1)])
    sliding = maximal.project(model, State(poses, np.tile([0.0, 0.0, 0.0, 0.8, 0.2, 0.0], (2, 1))))
    return model, sliding, 0.005


def contradicting_contacts():
    """Return a bouncing box below a sliding one: contradicting contacts."""
    box = Box([0.4, 0.3, 0.2])
    poses = se3.frame(np.eye(3), [[0, 0, 0.1], [0, 0, 0.3]])
    rail = maximal.joint_from_world_frame(joints.Free2D(), np.eye(4), poses, 1)
    surface = {"mu": 0.3, "restitution": 0.5}
    colliders = [Collider(WORLD, Plane(), **surface), *(Collider(i, box, **surface) for i in range(2))]
    model = MaximalModel(np.array([box.spatial_inertia(density=500.0)] * 2), [rail], colliders=colliders)
    return model, State(poses, [[0, 0, 0, 0, 0, -1.0], np.zeros(6)]), 0.005


SCENES = {
    each.__name__: each
    for each in (
        *(branched_bodies, floating_trees, closed_loops, spinning_bodies, bouncing_bodies, dragged_boxes),
        *(pushed_bodies, bodies_in_wind, overlapping_boxes, overlapping_and_joined),
    )
}


def assert_near(actual, expected, tolerance):
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


def assert_same(result, expected, tolerance, impulses):
    """Assert that two trajectories are equal; contact impulses need not be unique."""
    assert len(result.states) == len(expected.states)
    for name in ("E", "phi", "t"):
        assert_near(getattr(result.states, name), getattr(expected.states, name), tolerance)
    assert_near(result.energies, expected.energies, tolerance)
    assert_near(result.joint_impulses, expected.joint_impulses, 100 * tolerance)
    rounding = tolerance * max(10.0, np.max(np.abs(expected.energies)))  # work is a difference of energies
    for part, reference in zip(result.work, expected.work, strict=True):
        assert_near(part, reference, rounding)
    for actual, expected_contact in zip(result.contacts, expected.contacts, strict=True):
        np.testing.assert_array_equal(actual.step_fractions, expected_contact.step_fractions)
        assert_same_points(actual.points, expected_contact.points, tolerance)
        speeds = "velocities_before", "velocities_after"
        for name in ("impulses", *speeds) if impulses else speeds:
            assert_near(getattr(actual, name), getattr(expected_contact, name), 10 * tolerance)
        assert max(actual.residual, expected_contact.residual) <= 1e-8
    assert [(each.kind, each.a, each.b) for each in contact_events(result)] == [
        (each.kind, each.a, each.b) for each in contact_events(expected)
    ]
    assert_same_points(result.restart.points, expected.restart.points, tolerance)
    assert (result.restart.last_impulses is None) == (expected.restart.last_impulses is None)
    if result.restart.last_impulses is not None:
        assert_same_points(result.restart.last_impulses[0], expected.restart.last_impulses[0], tolerance)


def assert_same_points(actual, expected, tolerance):
    for each in fields(ContactPoints):
        values, reference = (getattr(points, each.name) for points in (actual, expected))
        assert values.dtype == reference.dtype
        assert values.shape == reference.shape
        assert_near(values, reference, tolerance)


@pytest.mark.parametrize("scene", SCENES)
def test_steps_agree_with_the_reference(scene, monkeypatch):
    model, state, h = SCENES[scene]()
    one, several = (simulate(model, state, h, steps) for steps in (1, 12))
    monkeypatch.setattr(Rattle, "step", lambda *_: pytest.fail("this step is the reference's"))
    if not model.joints:
        monkeypatch.setattr(
            python_callbacks, "resolve_overlaps", lambda *_: pytest.fail("Python separates bodies")
        )
    determined = scene in ("bouncing_bodies", "bodies_in_wind")
    assert_same(simulate(model, state, h, 1, compiled=True), one, 1e-10, determined)
    assert_same(simulate(model, state, h, 12, compiled=True), several, 1e-9, determined)
    if scene in ("pushed_bodies", "bodies_in_wind"):
        assert np.min(np.abs(several.work.applied_forces)) > 1e-4
    if scene.startswith("overlapping"):
        assert several.work.stabilization[0] > 1e-3
    if scene in ("bouncing_bodies", "dragged_boxes", "bodies_in_wind"):
        assert sum(len(record.impulses) for record in several.contacts) > 10
    if scene in ("bouncing_bodies", "bodies_in_wind"):
        assert max(np.max(record.velocities_after[:, 0], initial=0.0) for record in several.contacts) > 0.5


@pytest.mark.parametrize(
    ("scene", "sizes"), [("branched_bodies", (9, 17)), ("floating_trees", (8, 22)), ("closed_loops", (0, 0))]
)
def test_trees_have_links_and_loops_have_none(scene, sizes):
    """The sizes are numbers of links and of their directions."""
    model, _, _ = SCENES[scene]()
    assert tuple(pack_model(model).integers[7:9]) == sizes


def heap():
    """Return thirty boxes in any orientation that fall in nine columns, and land in 0.3 s."""
    rng, box, number = np.random.default_rng(0), Box([0.4, 0.4, 0.4]), np.arange(30)
    grid = np.stack([number % 3, number // 3 % 3, number // 9], axis=1)
    positions = 0.6 * grid + [0.0, 0.0, 0.4] + rng.uniform(-0.05, 0.05, (30, 3))
    rotations = quaternion.to_rotation(quaternion.normalize(rng.normal(size=(30, 4))))
    colliders = [Collider(WORLD, Plane()), *(Collider(i, box) for i in range(30))]
    model = MaximalModel(np.stack([box.spatial_inertia(density=1000.0)] * 30), colliders=colliders)
    return model, State(se3.frame(rotations, positions))


def test_heaps_need_no_step_of_the_reference(monkeypatch):
    model, state = heap()
    monkeypatch.setattr(
        python_callbacks, "resolve_overlaps", lambda *_: pytest.fail("Python separates bodies")
    )
    monkeypatch.setattr(Rattle, "step", lambda *_: pytest.fail("this step is the reference's"))
    result = simulate(model, state, 0.005, NUM_HEAP_STEPS, compiled=True)
    assert max(record.residual for record in result.contacts) <= TOLERANCE
    assert max(len(record.points) for record in result.contacts) > 200
    assert result.work.stabilization.max() > 1e-3
    friction = [np.linalg.norm(record.impulses[:, 1:], axis=1) for record in result.contacts]
    for record, size in zip(result.contacts, friction, strict=True):
        assert np.all(size <= record.points.mu * record.impulses[:, 0] * (1 + 1e-9) + 1e-12)
    assert sum(np.sum(size) for size in friction) > 1.0


def falling_boxes():
    """Return six boxes of a heap at the moment in which they land, a step that needs the central path.

    Newton's method ends at a residual of 1e-5 from the impulses of Gauss-Seidel sweeps and from those of a
    central path that ends at 1e-4. The numbers of a row are a position, a quaternion and a twist.
    """
    rows = [
        (-0.124, -0.145, 0.203, 0.006, 0.764, 0.646, 0.005, -1.416, -0.0, -0.0, 0.0, -0.283, -0.282),
        (0.011, 0.024, 0.607, 0.894, -0.004, -0.01, 0.448, -1.602, -0.166, -1.119, -0.515, 0.6, 0.416),
        (-0.198, -0.068, 1.003, 0.524, -0.54, -0.473, 0.458, -2.21, 1.332, 0.802, 0.317, -0.295, 1.653),
        (-0.005, 0.034, 1.43, 0.555, -0.643, -0.392, 0.353, 6.714, -0.908, 1.08, 0.221, 0.941, 0.479),
        (-0.035, 0.023, 1.914, 0.864, -0.419, 0.054, -0.274, -0.303, 4.479, 4.838, 0.315, 1.019, -0.613),
        (-0.009, 0.032, 2.419, 0.986, -0.142, 0.004, -0.092, 0.0, -0.0, -0.0, -0.079, 1.238, -4.237),
    ]
    positions, quaternions, twists = np.split(np.array(rows), [3, 7], axis=1)
    box = Box([0.4, 0.4, 0.4])
    colliders = [Collider(WORLD, Plane()), *(Collider(i, box) for i in range(len(rows)))]
    model = MaximalModel(np.stack([box.spatial_inertia(density=1000.0)] * len(rows)), colliders=colliders)
    poses = se3.frame(quaternion.to_rotation(quaternion.normalize(quaternions)), positions)
    return model, State(poses, twists)


class LeftToReferenceError(Exception):
    """Error in place of a step of the reference."""


def test_contacts_that_stall_newtons_method_are_solved_near_the_central_path(monkeypatch):
    model, state = falling_boxes()

    def leave(*_):
        raise LeftToReferenceError

    monkeypatch.setattr(Rattle, "step", leave)
    solved = []
    # Rounding decides whether one state is solved; of many close ones some are.
    for change in np.linspace(-1e-5, 1e-5, 101):
        try:
            solved.append(simulate(model, State(state.E, (1 + change) * state.phi), 0.005, 1, compiled=True))
        except LeftToReferenceError:
            continue
    assert solved
    for result in solved:
        assert result.contacts[0].residual <= TOLERANCE
        assert np.count_nonzero(result.contacts[0].impulses[:, 0]) >= 6


def test_contradicting_contacts_fall_back_to_the_reference():
    model, state, h = contradicting_contacts()
    actual, expected = (simulate(model, state, h, 5, compiled=each) for each in (True, False))
    # What joint and contact share along a direction that both hold may differ.
    for name in ("E", "phi"):
        assert_near(getattr(actual.states, name), getattr(expected.states, name), 1e-9)
    assert np.abs(expected.states.phi[1:]).max() < 1e-6


def open_joints():
    """Return a chain with open joints, which are closed first."""
    model, state, h = branched_bodies()
    displaced = state.retract(np.random.default_rng(6).normal(size=state.size) / 1000)
    return model, displaced, h


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
    model = MaximalModel(np.stack([rod.spatial_inertia(density=500.0)] * 3), hinges)
    return model, maximal.project(model, State(poses, np.ones((3, 6)))), 0.01


@pytest.mark.parametrize("scene", [open_joints, redundant_loop])
def test_unusual_steps_fall_back_to_the_reference(scene, monkeypatch):
    """All steps of the loop and the first steps of the others fall back."""
    model, state, h = scene()
    expected, fallback_steps, take = simulate(model, state, h, 6), [], Rattle.step

    def counted(self, *arguments):
        fallback_steps.append(arguments)
        return take(self, *arguments)

    monkeypatch.setattr(Rattle, "step", counted)
    messages = []
    trajectory = simulate(model, state, h, 6, compiled=True, progress=lambda *done: messages.append(done))
    assert_same(trajectory, expected, 1e-9, False)
    assert len(fallback_steps) == 6 if scene is redundant_loop else 0 < len(fallback_steps) < 4
    assert messages == [(i + 1, 6) for i in range(6)]


@pytest.mark.parametrize("scene", ["branched_bodies", "bouncing_bodies"])
def test_resumed_run_equals_uninterrupted_run(scene):
    """Results are bitwise equal, with and without progress reports."""
    model, state, h = SCENES[scene]()
    uninterrupted = simulate(model, state, h, 9, compiled=True)
    first = simulate(model, state, h, 4, compiled=True, progress=lambda *_: None)
    second = simulate(model, first, h, 5, compiled=True)
    for name in ("E", "phi"):
        parts = getattr(first.states, name), getattr(second.states, name)[1:]
        assert np.array_equal(np.concatenate(parts), getattr(uninterrupted.states, name))
    impulses = [record.impulses for part in (first, second) for record in part.contacts]
    assert all(map(np.array_equal, impulses, [record.impulses for record in uninterrupted.contacts]))


class _Same:
    """The default scheme, defined by the user."""

    def step(self, *arguments):
        return rattle_step.step(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stabilization": "none"}, "stabilization='none'"),
        ({"impacts": "sequential"}, "impacts='sequential'"),
        ({"integrator": _Same()}, "another scheme than rattle"),
        ({"integrator": symplectic_euler}, "another scheme than rattle"),
        ({"friction_model": "gauss_seidel"}, "another friction model than 'newton'"),
        (
            {"friction_model": FrictionModel(semismooth_newton_friction)},
            "a friction model that does not accept",
        ),
    ],
)
def test_unsupported_options_are_refused_or_left_to_the_reference(options, message):
    model, state, h = closed_loops()
    with pytest.raises(
        InvalidArgument, match=rf'^compiled: got True, expected False or "auto" for {message}'
    ):
        simulate(model, state, h, 1, compiled=True, **options)
    assert_left_to_the_reference(model, state, h, **options)


@pytest.mark.parametrize(
    ("joint", "colliders", "message"),
    [
        (joints.Universal(), [], "compiled: .* joints of the type Universal"),
        (joints.Revolute(), [Collider(0, Box([0.1] * 3), mu=np.inf)], "compiled: .* infinite coefficients"),
        (
            joints.Revolute(),
            [Collider(0, ConvexMesh(CORNERS))],
            "colliders of the type ConvexMesh",
        ),
        (
            joints.Revolute(),
            [Collider(0, Plane()), Collider(1, Plane())],
            "compiled: .* two planes",
        ),
    ],
)
def test_unsupported_models_are_refused_or_left_to_the_reference(joint, colliders, message):
    model, state, h = closed_loops()
    pin = maximal.joint_from_world_frame(joint, np.eye(4), state.E, 0)
    model = MaximalModel(model.inertias, [pin], colliders=colliders)
    with pytest.raises(InvalidArgument, match=message):
        simulate(model, state, h, 1, compiled=True)
    assert_left_to_the_reference(model, state, h)


def assert_left_to_the_reference(model, state, h, **options):
    """Assert that "auto" has the result of the reference, to the last bit, or fails as it does."""
    try:
        expected = simulate(model, state, h, 1, **options)
    except InvalidArgument as error:
        with pytest.raises(InvalidArgument, match=str(error)):
            simulate(model, state, h, 1, compiled="auto", **options)
        return
    trajectory = simulate(model, state, h, 1, compiled="auto", **options)
    assert not trajectory.compiled
    assert np.array_equal(trajectory.states.E, expected.states.E)
    assert np.array_equal(trajectory.states.phi, expected.states.phi)


def test_supported_models_run_compiled_by_auto(monkeypatch):
    model, state, h = closed_loops()
    monkeypatch.setattr(Rattle, "step", lambda *_: pytest.fail("this step is the reference's"))
    actual, expected = (simulate(model, state, h, 1, compiled=each) for each in ("auto", True))
    assert actual.compiled
    assert expected.compiled
    assert np.array_equal(actual.states.E, expected.states.E)


class _Unreachable(Exception):
    pass


def test_errors_of_force_laws_are_propagated():
    """Exceptions of a force law, and errors about its result, are raised unchanged."""
    model, state, h = closed_loops()

    def applied_forces(state):
        if state.t > 1.5 * h:
            raise _Unreachable
        return Forces(np.zeros(30), np.zeros((30, 30)), np.zeros((30, 30)))

    for law, error in ((applied_forces, _Unreachable), (lambda state: 0.0, InvalidArgument)):
        with pytest.raises(error):
            simulate(replace(model, applied_forces=law), state, h, 4, compiled=True)
