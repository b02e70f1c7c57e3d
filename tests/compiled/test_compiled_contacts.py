"""Compiled contact detection, friction and whole runs with contacts against the reference."""

from dataclasses import fields
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from maximal_simulation import contact_events, simulate
from numba import njit

from rbnotes import friction, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.compiled.collision.distance import LIST_LENGTH, NUM_LISTS, separating_axis
from rbnotes.compiled.contact_solver.joint_constraints import Bodies
from rbnotes.compiled.contact_solver.newton_friction import natural_residual
from rbnotes.compiled.simulation.free_motion import displacement_derivatives
from rbnotes.compiled.simulation.rattle_step import max_abs
from rbnotes.contact import Collider, ContactPoints, distance
from rbnotes.contact.distance import Core
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.packing import compiled_steps
from rbnotes.multibody.packing.packed_colliders import pack_colliders
from rbnotes.shapes import Box, Capsule, Plane, RoundedBox, Sphere

rattle = import_module("rbnotes.multibody.maximal.rattle_integrator")

SHAPES = (
    Box([0.4, 0.3, 0.5]),
    Box([0.3, 0.3, 0.3]),
    Capsule(0.1, 0.4),
    Sphere(0.15),
    RoundedBox([0.2, 0.3, 0.0], 0.05),
    RoundedBox([0.1, 0.2, 0.15], 0.02),
)
TILTS = (0.0, 1e-9, 0.02, 0.1, 0.3)
"""Angles between faces in contact, up to some that no longer count as flat."""


def scene(shapes=SHAPES, excluded=()):
    """Return bodies with these shapes, different friction and restitution, and rotated geometry."""
    frames = [se3.exp([0.3, 0.2 * i, 0.1, 0.05, 0.02 * i, -0.03]) for i in range(len(shapes))]
    carried = [
        Collider(i, shape, frame, 0.3 + 0.1 * i, 0.1 * i)
        for i, (shape, frame) in enumerate(zip(shapes, frames, strict=True))
    ]
    incline = se3.frame(so3.exp([0.1, 0.2, 0.0]), [0.0, 0.0, -0.2])
    inertias = np.stack([np.diag([0.02, 0.03, 0.04, 1.0, 1.0, 1.0])] * len(shapes))
    return MaximalModel(
        inertias, colliders=[*carried, Collider(WORLD, Plane(), incline)], excluded_pairs=excluded
    )


def assert_same_points(actual, expected):
    assert len(actual) == len(expected)
    for each in fields(ContactPoints):
        values, reference = (getattr(points, each.name) for points in (actual, expected))
        assert values.dtype == reference.dtype
        np.testing.assert_allclose(values, reference, rtol=0, atol=1e-11, err_msg=each.name)


def pack(model):
    """Return the packed colliders of a model."""
    return pack_colliders(model.colliders, len(model.inertias), model.excluded_pairs)


def test_contact_points_agree_with_the_reference():
    model, rng = scene(excluded=[(0, 1)]), np.random.default_rng(4)
    packed, counts = pack(model), []
    for _ in range(30):
        poses = se3.frame(so3.exp(rng.normal(size=(6, 3))), rng.uniform(-0.3, 0.3, (6, 3)))
        expected = model.detect_contacts(poses, 0.05)
        assert_same_points(packed.detect_contacts(poses, 0.05), expected)
        counts.append(len(expected))
    assert max(counts) > 20  # more than the capacity that is tried first
    assert not len(packed.detect_contacts(se3.frame(np.eye(3), 9.0 + 2 * np.arange(18).reshape(6, 3)), 0.05))


def test_contact_points_of_many_shapes_agree_with_the_reference():
    """Enough shapes for the grid, of many sizes, several on one body, near the ground and in any cell."""
    rng = np.random.default_rng(7)
    shapes = [*SHAPES, Sphere(0.02), Sphere(0.9)]
    colliders = [
        Collider(
            int(rng.integers(-1, 40)), shapes[rng.integers(len(shapes))], se3.exp(0.1 * rng.normal(size=6))
        )
        for _ in range(70)
    ]
    colliders.insert(30, Collider(WORLD, Plane(), se3.exp([0.2, 0.1, 0, 0, 0, -1.0])))
    excluded = [(int(a), int(b)) for a, b in rng.integers(-1, 40, (60, 2))]
    model = MaximalModel(np.stack([np.eye(6)] * 40), colliders=colliders, excluded_pairs=excluded)
    packed = pack(model)
    for spread in (1.0, 3.0, 1e6):
        poses = se3.frame(so3.exp(rng.normal(size=(40, 3))), rng.uniform(-spread, spread, (40, 3)))
        expected = model.detect_contacts(poses, 0.05)
        contacts = packed.detect_contacts(poses, 0.05)
        assert len(contacts) == len(expected) > 3
        for name in ("a", "b", "mu"):
            np.testing.assert_array_equal(getattr(contacts, name), getattr(expected, name))
        np.testing.assert_allclose(contacts.gap, expected.gap, rtol=1e-12, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [(0, 1), (0, 4), (5, 4), (2, 0), (2, 2), (4, 2), (1, 3)])
def test_contact_points_of_aligned_faces_and_edges(pair):
    """Faces and edges on faces, separate and overlapping, aligned or rotated."""
    first, second = (SHAPES[i] for i in pair)
    colliders = Collider(0, first), Collider(1, second)
    model = MaximalModel(np.stack([np.eye(6)] * 2), colliders=colliders)
    packed, rng, num_points = pack(model), np.random.default_rng(5), 0
    for tilt in TILTS:
        for axis in range(3):
            for angle in (0.0, 0.4, np.pi / 2):
                lean = so3.exp(tilt * rng.normal(size=3))
                R = lean @ so3.exp(angle * np.eye(3)[axis])
                for offset in (0.28, 0.36, 0.42):
                    away = offset * np.eye(3)[axis] + [0.03, 0.02, 0.01]
                    poses = se3.frame(np.stack([np.eye(3), R]), np.stack([np.zeros(3), away]))
                    expected = model.detect_contacts(poses, 0.1)
                    assert_same_points(packed.detect_contacts(poses, 0.1), expected)
                    num_points += len(expected)
    assert num_points > 30


def box_stack(bodies=3):
    """Return a stack of boxes of which the upper one is pushed."""
    box = Box([0.4, 0.3, 0.2])
    masses = np.stack([box.spatial_inertia(density=300.0 * (1 + i)) for i in range(bodies)])
    rotations = so3.exp([[0, 0, 0.2 * i] for i in range(bodies)])
    poses = se3.frame(rotations, [[0.02 * i, 0.01, 0.1 + 0.2 * i] for i in range(bodies)])
    colliders = [Collider(WORLD, Plane()), *(Collider(i, box, mu=0.3) for i in range(bodies))]
    twists = np.zeros((bodies, 6))
    twists[-1, 3:] = [0.6, 0.2, 0.0]
    return MaximalModel(masses, colliders=colliders), State(poses, twists)


def test_runs_agree_with_the_reference():
    """Slipping, then sticking; compares poses and velocities, because impulses need not be unique.

    Each step ends within the tolerance of the friction, 1e-8 of the impulses, but anywhere in it.
    """
    model, state = box_stack()
    expected, actual = (simulate(model, state, 0.01, 15, compiled=each) for each in (False, True))
    np.testing.assert_allclose(actual.states.E, expected.states.E, rtol=0, atol=1e-8)
    np.testing.assert_allclose(actual.states.phi, expected.states.phi, rtol=0, atol=1e-6)
    assert any(np.any(record.impulses[:, 1:]) for record in actual.contacts)
    assert [each.kind for each in contact_events(actual)] == [each.kind for each in contact_events(expected)]


def test_newton_friction_agrees_with_the_reference(monkeypatch):
    """The iterates agree from a zero and from a near initial guess."""
    model, state = box_stack()
    calls = []

    def both(space, r, tolerance, most):
        expected = friction.semismooth_newton.newton_search(space, r, tolerance, most)
        actual = search(space, r, tolerance, most)
        calls.append((space, expected, actual))
        return actual

    search = compiled_steps._solve_newton
    monkeypatch.setattr(compiled_steps, "_solve_newton", both)
    law = friction.FrictionModel(compiled_steps.compiled_newton_friction, accepts_initial_guess=True)
    simulate(model, state, 0.01, 3, friction_model=law, stabilization="none")
    assert len(calls) > 5
    for space, expected, actual in calls:
        speeds, of_compiled = (space.velocities_from_impulses(each[0]) for each in (expected, actual))
        np.testing.assert_allclose(of_compiled, speeds, rtol=0, atol=1e-9)
        assert (expected[1] <= 1e-9) == (actual[1] <= 1e-9)
    total, of_compiled = (sum(call[which][2] for call in calls) for which in (1, 2))
    assert total > 20
    assert abs(of_compiled - total) < 0.4 * total  # rounding may add a step or two at the end of each


def test_planes_do_not_touch():
    model = MaximalModel(np.eye(6)[None], colliders=[Collider(WORLD, Plane()), Collider(0, Plane())])
    with pytest.raises(InvalidArgument, match="two planes"):
        simulate(model, State(np.eye(4)[None]), 0.01, 1, compiled=True)


def test_a_model_without_colliders():
    path = simulate(MaximalModel(np.eye(6)[None]), State(np.eye(4)[None]), 0.01, 1, compiled=True)
    assert not len(path.contacts[0].points)


@pytest.mark.slow
def test_nan_residual_is_not_small():
    """NaN is found at any index, between finite numbers."""

    @njit(error_model="numpy")
    def left(r, mobility):
        return natural_residual(r + 1, np.ones(6), np.ones(2), r, np.ones(2), mobility)

    @njit
    def greatest(x):
        return max_abs(x)

    for index in (0, 3, 5):
        r = np.ones(6)
        assert left(r, np.ones(2)) > 0
        r[index] = np.nan
        assert np.isnan(left(r, np.zeros(2)))
        assert np.isnan(left(r, np.ones(2)))
        assert np.isnan(greatest(r))
    assert greatest(np.array([1.0, -3.0, 2.0])) == 3.0
    assert left(np.ones(6), np.full(2, 2e6)) == pytest.approx(
        2 * left(np.ones(6), np.full(2, 1e6)), rel=1e-12
    )


@pytest.mark.slow
def test_separating_axes_agree_with_the_reference():
    """The best one alone, the mean of those nearly as good, and cores with one center."""

    @njit(error_model="numpy")
    def compiled_separating_axis(half_a, pose_a, half_b, pose_b, tie):
        lists = np.empty((NUM_LISTS, LIST_LENGTH, 3))
        return separating_axis(half_a, pose_a, half_b, pose_b, tie, np.inf, lists)

    rng = np.random.default_rng(5)
    for case in range(30):
        halves = rng.uniform(0.1, 0.5, (2, 3)) * (rng.uniform(size=(2, 3)) > 0.2)
        poses = se3.frame(so3.exp(rng.normal(size=(2, 3))), (case % 3) * rng.normal(size=(2, 3)))
        cores = [Core(half, pose[:3, :3], pose[:3, 3]) for half, pose in zip(halves, poses, strict=True)]
        for tie in (0.0, 0.05, 10.0):
            normal, axis, separation = compiled_separating_axis(halves[0], poses[0], halves[1], poses[1], tie)
            expected = distance.separating_axis(*cores, tie)
            np.testing.assert_allclose(normal, expected.normal, atol=1e-12)
            np.testing.assert_allclose(axis, expected.axis, atol=1e-12)
            assert separation == pytest.approx(expected.separation, abs=1e-12)


@pytest.mark.slow
def test_rotation_increments_agree_with_the_reference():
    """Steps have small and large rotations."""

    @njit(error_model="numpy")
    def derivatives(mass, J, lightness, J_inverse, com, h, v, D):
        displacement_derivatives(Bodies(mass, J, lightness, J_inverse, com), h, v, D)

    rng, h = np.random.default_rng(6), 0.1
    sides = rng.uniform(0.2, 0.6, (3, 3))
    model = MaximalModel(np.stack([Box(each).spatial_inertia(density=300.0) for each in sides]))
    J = np.ascontiguousarray(model.free_system.mass_properties.inertia)
    for rate in (0.1, 0.9, 8.0):
        v = rate * rng.normal(size=(3, 6))
        actual, (mass, com) = np.empty((3, 3, 3)), (np.ones(3), np.zeros((3, 3)))
        derivatives(mass, J, 1 / mass, np.linalg.inv(J), com, h, v, actual)
        poses = np.tile(np.eye(4), (3, 1, 1))
        expected = rattle._displacement_derivative(
            SimpleNamespace(model=model, settings=SimpleNamespace(h=h)), v.ravel(), poses, poses
        )
        for b in range(3):
            reference = expected.toarray()[6 * b : 6 * b + 3, 6 * b : 6 * b + 3]
            np.testing.assert_allclose(actual[b], reference, rtol=0, atol=1e-15)
