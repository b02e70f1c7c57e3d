"""Sequential impacts within a step: selection, order, and the rest of the step."""

import numpy as np
import physics_scenes as scenes
import pytest
from maximal_simulation import simulate

from rbnotes import joints, se3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.multibody.maximal import MaximalModel, constraint_jacobian, joint_from_world_frame
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.shapes import Box, Plane, Sphere

RADIUS = 0.1
WEIGHT = (0.0, 0.0, -9.81)
FLOOR = Collider(WORLD, Plane(), mu=0.0, restitution=1.0)


def balls(places, speeds, masses, restitutions, gravity=(0.0, 0.0, 0.0), joints=(), floor=()):
    """Return balls at places ``(n, 3)`` with linear velocities ``(n, 3)``."""
    ball = Sphere(RADIUS)
    inertias = np.stack([ball.spatial_inertia(mass=m) for m in masses])
    poses = np.stack([se3.frame(np.eye(3), place) for place in places])
    carried = [Collider(i, ball, mu=0.0, restitution=e) for i, e in enumerate(restitutions)]
    model = MaximalModel(inertias, joints, gravity, colliders=[*floor, *carried])
    return model, State(poses, np.concatenate([np.zeros((len(speeds), 3)), speeds], axis=1))


def in_row(order, speeds, masses, restitutions):
    """Return the velocities after one step of touching balls in a row along x, numbered by ``order``."""
    count = len(order)
    along = np.eye(3)[0]
    model, start = balls(
        np.outer(2 * RADIUS * np.array(order), along), np.outer(speeds, along), masses, restitutions
    )
    path = simulate(model, start, 0.01, 1, impacts="sequential")
    assert path.states.phi.shape == (2, count, 6)
    return path.states.phi[-1, :, 3]


def test_inelastic_contacts_are_resolved_by_the_step():
    """A heavy ball, elastic, hits a light one that sticks to a very heavy one.

    It flies on at half its speed, the light one at 3/2; then nothing bounces any more, and all three go on
    together. Had the light ball been stopped in the sequence, the first would have bounced off it once more.
    """
    speeds = in_row([0, 1, 2], [1.0, 0, 0], [3.0, 1.0, 9.0], [1.0, 1.0, 0.0])
    np.testing.assert_allclose(speeds, 3 / 13, atol=1e-9)


@pytest.mark.parametrize("names", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_fastest_impact_is_first_in_any_numbering(names):
    """In a row: at 1 m/s, at rest, and at -1/2 m/s; all elastic. The middle one is hit three times."""
    order, speeds = np.argsort(names), np.zeros(3)
    speeds[list(names)] = [1.0, 0, -0.5]
    result = in_row(order, speeds, [1.0] * 3, [1.0] * 3)
    np.testing.assert_allclose(result[list(names)], [-0.5, 0, 1.0], atol=1e-9)


@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
@pytest.mark.parametrize(("gap", "hits"), [(0.12, False), (0.08, True)])
def test_bodies_that_do_not_meet_within_the_step_do_not_bounce(gap, hits, impacts):
    """At 10 m/s a step of 10 ms is 10 cm."""
    places = [[0, 0, 0], [2 * RADIUS + gap, 0, 0]]
    model, start = balls(places, [[10.0, 0, 0], [0, 0, 0]], [1.0, 1.0], [0.8, 0.8])
    path = simulate(model, start, 0.01, 1, impacts=impacts)
    expected = [1.0, 9.0] if hits else [10.0, 0.0]
    np.testing.assert_allclose(path.states.phi[-1, :, 3], expected, atol=1e-9)


def test_fast_impact_does_not_trigger_slow_contacts():
    """One ball falls on the floor; another one, slower than gravity adds in two steps, lies on it."""
    model, start = balls(
        [[0, 0, RADIUS], [5.0, 0, RADIUS]],
        [[0, 0, -3.0], [0, 0, -0.15]],
        [1.0, 1.0],
        [0.25, 1.0],
        WEIGHT,
        floor=[FLOOR],
    )
    path = simulate(model, start, 0.01, 1, impacts="sequential")
    bounced, lies = path.states.phi[-1, :, 5]
    assert bounced == pytest.approx(1.5 - 0.01 * 9.81, abs=1e-9)
    assert lies == pytest.approx(0.0, abs=1e-9)


def test_resting_body_does_not_affect_a_bounce():
    """An elastic ball bounces as if no other, which is inelastic, lay on the floor beside it."""
    speeds = []
    for count in (1, 2):
        model, start = balls(
            [[0, 0, RADIUS], [5.0, 0, RADIUS]][:count],
            [[0, 0, -3.0], [0, 0, 0.0]][:count],
            [1.0, 4.0][:count],
            [1.0, 0.0][:count],
            WEIGHT,
            floor=[FLOOR],
        )
        speeds.append(simulate(model, start, 0.01, 1).states.phi[-1, 0, 5])
    assert speeds[0] == pytest.approx(3.0 - 0.01 * 9.81, abs=1e-9)
    assert speeds[1] == pytest.approx(speeds[0], abs=1e-9)


@pytest.mark.parametrize(
    ("ends", "after"),
    [
        # The near end bounces to 0.5, which sends the far one to -0.65; that bounces to 0.325 then.
        ((-1.0, 0.1), (0.0125, 0.325)),
        # Both meet the floor: one body, one impact.
        ((-1.0, -0.6), (0.5, 0.3)),
    ],
)
def test_both_ends_of_a_rod_bounce_together(ends, after):
    """A rod whose ends answer a unit impulse at one of them by 4/m there and by -2/m at the other."""
    length = 1.0
    rod = spatial_inertia(1.0, np.diag([1.0, 1.0, 0.1]) * length**2 / 12)
    frames = [se3.frame(np.eye(3), [x, 0, 0]) for x in (-length / 2, length / 2)]
    tips = [Collider(0, Sphere(RADIUS), frame, mu=0.0, restitution=0.5) for frame in frames]
    floor = Collider(WORLD, Plane(), mu=0.0, restitution=0.5)
    near, far = ends
    start = State(
        se3.frame(np.eye(3), [0, 0, RADIUS])[None],
        [[0, (near - far) / length, 0, 0, 0, (near + far) / 2]],
    )
    model = MaximalModel(rod[None], (), (0, 0, 0), colliders=[floor, *tips])
    path = simulate(model, start, 1e-3, 1, impacts="sequential")
    np.testing.assert_allclose(path.contacts[0].velocities_after[-2:, 0], after, atol=1e-6)


def test_impulses_of_all_impacts_are_recorded():
    """Balls on rods, hit thrice and more: joints and contacts gave all that momenta change by."""
    model, start = scenes.in_maximal_coordinates(scenes.hung_cradle(3, 0.0, 0.5))
    twists = np.zeros((3, 6))
    twists[0, [1, 3]] = [-1.0, 1.0]  # about its hook, one meter above
    path = simulate(model, State(start.E, twists), 1e-3, 1, impacts="sequential", integrator=symplectic_euler)
    record, before, after = path.contacts[0], path.states[0], path.states[1]
    G = constraint_jacobian(model.joints, before.E)
    np.testing.assert_allclose(G @ before.velocity, 0, atol=1e-12)
    wrenches = 1e-3 * model.force(before) + path.joint_impulses[0] @ G
    for a, b, impulse in zip(record.points.a, record.points.b, record.world_impulses, strict=True):
        wrenches[6 * a + 3 : 6 * a + 6] += impulse  # at the center of an upright ball
        wrenches[6 * b + 3 : 6 * b + 6] -= impulse
    change = model.free_system.sparse_mass_matrix @ (after.velocity - before.velocity)
    assert np.abs(path.joint_impulses[0]).max() > 1e-3
    # Up and down, the rods also hold the balls on their circles, at the speeds between the impacts and after.
    sideways = (change - wrenches).reshape(3, 6)[:, :5]
    np.testing.assert_allclose(sideways, 0, atol=1e-9)


@pytest.mark.parametrize(
    ("friction", "integrator", "steps"),
    [
        ("newton", rattle, 10),
        ("newton", symplectic_euler, 10),
        ("box", rattle, 10),
        ("box", symplectic_euler, 10),
        ("gauss_seidel", symplectic_euler, 1),
    ],
)
@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
@pytest.mark.slow
def test_blocked_bounce_is_reported(friction, integrator, steps, impacts):
    """Two boxes fall a last bit onto the floor, under one that only slides: the upper one cannot go up."""
    box = Box([0.4, 0.3, 0.2])
    poses = se3.frame(np.eye(3), [[0, 0, 0.1], [0, 0, 0.3], [0, 0, 0.5]])
    rail = joint_from_world_frame(joints.Free2D(), np.eye(4), poses, 2)
    surface = {"mu": 0.3, "restitution": 0.5}
    colliders = [Collider(i, box, **surface) for i in range(3)]
    model = MaximalModel(
        np.array([box.spatial_inertia(density=500.0)] * 3),
        [rail],
        colliders=[Collider(WORLD, Plane(), **surface), *colliders],
    )
    falling = np.zeros((3, 6))
    falling[:2, 5] = -1.0
    options = {"friction_model": friction, "integrator": integrator, "impacts": impacts}
    run = simulate(model, State(poses, falling), 0.005, steps, **options)
    assert np.max(np.diff(run.energies)) < 1e-3 * abs(run.energies[0])
    heights = run.states.E[:, :, 2, 3]
    np.testing.assert_allclose(heights, np.broadcast_to(poses[:, 2, 3], heights.shape), rtol=0, atol=0.02)
    assert all(record.residual < 1e-6 for record in run.contacts)
