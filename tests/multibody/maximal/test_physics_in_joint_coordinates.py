"""The scenes with known solutions in joint coordinates: contacts, mechanisms and impacts."""

import warnings

import numpy as np
import physics_scenes as scenes
import pytest
from scipy.special import ellipk

from rbnotes import Body, Model, inertia, simulate, so3
from rbnotes.dynamics import Forces
from rbnotes.multibody import FrictionWarning
from rbnotes.shapes import Box, Sphere

g = scenes.GRAVITY


@pytest.fixture(autouse=True)
def friction_converges():
    with warnings.catch_warnings():
        warnings.simplefilter("error", FrictionWarning)
        yield


def run(scene, T, h=0.01, coordinates="reduced", **options):
    model, start = scene[:2]
    motion = simulate(model, start, h=h, steps=round(T / h), coordinates=coordinates, **options)
    assert (motion.joint_impulses is None) == (coordinates == "reduced")
    return motion


def displacements(motion):
    return motion.body_states.E[-1, :, :3, 3] - motion.body_states.E[0, :, :3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("heading", [0.0, np.pi / 4])
def test_block_slides_straight_down(heading):
    scene = scenes.block_on_a_slope(0.6, 0.5, heading)
    distance = g * (np.sin(0.6) - 0.5 * np.cos(0.6)) * 0.2**2 / 2
    displacement = scene[2].T @ displacements(run(scene, 0.2))[0]
    np.testing.assert_allclose(displacement, [distance, 0, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("scene", "T", "fall"),
    [
        (lambda ratio: scenes.block_on_a_slope(0.4, ratio * np.tan(0.4), np.pi / 8), 0.1, 1e-5),
        (lambda ratio: scenes.ladder(1.1, ratio), 0.2, 1e-5),
        (lambda ratio: scenes.a_frame(1.1, ratio), 0.1, 1e-5),
    ],
    ids=["slope", "ladder", "planks"],
)
@pytest.mark.slow
def test_bodies_slip_at_the_static_limit(scene, T, fall):
    assert np.abs(displacements(run(scene(1.002), T))).max() < 1e-9
    assert np.abs(displacements(run(scene(0.998), T))).max() > fall


@pytest.mark.parametrize(("moment", "part"), [(2 / 5, 5 / 7), (2 / 3, 3 / 5)], ids=["solid", "hollow"])
@pytest.mark.slow
def test_sliding_ball_rolls_with_a_part_of_its_speed(moment, part):
    speed, M = 0.8, inertia.spatial_inertia(1.0, moment * 0.1**2 * np.eye(3))
    twist = [0, 0, 0, speed / np.sqrt(2), speed / np.sqrt(2), 0]
    motion = run(scenes.on_floor(Sphere(0.1), scenes.pose_at(0, 0, 0.1), twist, inertia=M), 0.2)
    end = np.linalg.norm(motion.body_states.phi[-1, 0, 3:])
    assert end / speed == pytest.approx(part, rel=1e-6)
    rolls = [event.time for event in motion.contact_events if event.kind == "stick_begins"]
    assert rolls[0] == pytest.approx(speed * (1 - part) / (0.3 * g), abs=0.0101)


@pytest.mark.slow
def test_block_pulled_with_exactly_the_friction_limit_stays():
    force = 0.3 * g * np.array([np.cos(0.6), np.sin(0.6), 0])

    def pull(state):
        return Forces.without_derivatives([0, 0, 0, *force])

    motion = run(scenes.on_floor(Box([0.3, 0.2, 0.1]), scenes.pose_at(0, 0, 0.05), forces=pull), 0.2)
    assert np.abs(displacements(motion)).max() < 1e-8


@pytest.mark.slow
def test_spinning_slab_slows_down():
    slab, spin = Box([0.4, 0.4, 0.05]), 3.0
    motion = run(scenes.on_floor(slab, scenes.pose_at(0, 0, 0.025), [0, 0, spin, 0, 0, 0]), 0.15, 0.005)
    slows = 0.3 * g * 0.2 * np.sqrt(2) / slab.spatial_inertia(mass=1.0)[2, 2]
    E = motion.body_states.E[-1, 0]
    assert np.arctan2(E[1, 0], E[0, 0]) == pytest.approx(spin**2 / 2 / slows, rel=0.02)


@pytest.mark.slow
def test_block_on_a_spring_slips_and_sticks():
    stiffness, limit = 1600.0, 0.3 * g / 1600.0

    def spring(state):
        return Forces.without_derivatives([0, 0, 0, -stiffness * state.E[0, 0, 3], 0, 0])

    pose = scenes.pose_at(3.3 * limit, 0, 0.05)
    motion = run(scenes.on_floor(Box([0.2, 0.2, 0.1]), pose, forces=spring), 0.25, 0.005)
    # Two swings lose 2 limit each.
    assert motion.body_states.E[-1, 0, 0, 3] / limit == pytest.approx(-0.7, abs=0.05)


@pytest.mark.slow
def test_ball_rebounds():
    height, e, h = 0.05, 0.7, 0.002
    motion = run(scenes.on_floor(Sphere(0.1), scenes.pose_at(0, 0, 0.1 + height), restitution=e), 0.18, h)
    z, fall = motion.body_states.E[:, 0, 2, 3] - 0.1, np.sqrt(2 * height / g)
    top = z[motion.t > fall].max()
    assert top / height == pytest.approx(e**2, abs=2 * h / fall)


@pytest.mark.slow
def test_bouncing_ball_of_siconos():
    """The two schemes detect the impact at different times of a step, which explains the difference."""
    h = 5e-3
    motion = run(scenes.bouncing_ball(), 0.455, h)
    gap, speed = scenes.SICONOS_BALL[0.455]
    assert motion.body_states.E[-1, 0, 2, 3] - 0.1 == pytest.approx(gap, abs=1.9 * speed * h)
    assert motion.body_states.phi[-1, 0, 5] == pytest.approx(speed, abs=1.9 * g * h)


@pytest.mark.parametrize(
    "scene",
    [
        lambda: scenes.tower(10),
        lambda: scenes.tower(2, densities=[500.0, 5e8]),
        scenes.trilithon,
        lambda: scenes.arch(0.25),
        lambda: scenes.arch(0.15),
    ],
    ids=["tower", "heavy on light", "trilithon", "arch 0.25", "arch 0.15"],
)
@pytest.mark.slow
def test_buildings_stand(scene):
    assert np.abs(displacements(run(scene(), 0.05))).max() < 1e-9


@pytest.mark.slow
def test_thin_arch_falls():
    assert np.abs(displacements(run(scenes.arch(0.08), 0.15))).max() > 5e-4


@pytest.mark.slow
def test_friction_of_dominoes_converges():
    motion = run(scenes.dominoes(4), 0.1, 0.005)
    assert max(record.residual for record in motion.contacts) < 1e-3
    assert displacements(motion)[0, 0] > 0.01


@pytest.mark.slow
def test_energy_of_a_slider_crank_oscillates_with_the_square_of_the_step():
    coarse, fine = (
        np.abs(motion.energies / motion.energies[0] - 1).max()
        for motion in (run(scenes.slider_crank(6.0), 0.1, h) for h in (0.01, 0.005))
    )
    assert fine < 0.02
    assert coarse / fine == pytest.approx(4.0, abs=0.6)


@pytest.mark.slow
def test_energy_of_a_double_pendulum_does_not_drift():
    motion = run(scenes.double_pendulum(), 1.0, 0.01)
    assert np.ptp(motion.energies) < 0.01 * 2 * g


@pytest.mark.slow
def test_body_flips_about_its_middle_axis():
    J, w, h = np.array([1.0, 2.0, 3.0]), np.array([0.8, 8.0, 0.0]), 0.01
    model = Model([Body("body", inertia=inertia.spatial_inertia(1.0, np.diag(J)))], gravity=(0, 0, 0))
    motion = run((model, model.state(twists={"body": [*w, 0, 0, 0]})), 0.9, h)
    turning = motion.body_states.phi[:, 0, 1]
    k = np.flatnonzero(np.diff(np.sign(turning)))[0]
    flip = motion.t[k] + h * turning[k] / (turning[k] - turning[k + 1])
    energy, momentum = J @ w**2, J**2 @ w**2
    rate = np.sqrt((J[1] - J[0]) * (energy * J[2] - momentum) / np.prod(J))
    m = (J[2] - J[1]) * (momentum - energy * J[0]) / ((J[1] - J[0]) * (energy * J[2] - momentum))
    assert flip == pytest.approx(ellipk(m) / rate, rel=0.01)
    np.testing.assert_allclose(motion.energies, motion.energies[0], rtol=1e-6)


@pytest.mark.slow
def test_heavy_top_precesses():
    *scene, precession = scenes.heavy_top(400.0)
    T = 0.05
    motion = run(scene, T, 5e-4)
    spin_angle = (400.0 - precession * np.cos(0.5)) * T
    exact = so3.exp([0, 0, precession * T]) @ so3.exp([0, 0.5, 0]) @ so3.exp([0, 0, spin_angle])
    assert so3.angle(exact.T @ motion.body_states.E[-1, 0, :3, :3]) < 1e-3


@pytest.mark.parametrize(
    ("coordinates", "impacts", "expected"),
    [
        ("reduced", "simultaneous", [-1 / 3, 2 / 3, 2 / 3]),
        ("reduced", "sequential", [0, 0, 1]),
        ("maximal", "simultaneous", [-1 / 3, 2 / 3, 2 / 3]),
        ("maximal", "sequential", [0, 0, 1]),
    ],
)
def test_cradle_on_rods_obeys_the_law_of_impact(coordinates, impacts, expected):
    """Balls without gravity, whose rods let them move along one line at first; the first has 1 m/s."""
    model, _ = scenes.hung_cradle(3, 0.0, gravity=(0, 0, 0))
    twists = np.zeros((3, 6))
    twists[0, [1, 3]] = [-1.0, 1.0]
    start = scenes.with_twists(model, twists)
    motion = run((model, start), 0.02, 0.01, coordinates, impacts=impacts)
    np.testing.assert_allclose(motion.body_states.phi[-1, :, 3], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.energies, motion.energies[0], rtol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.slow
def test_impacts_in_joint_coordinates_are_those_of_maximal_ones(restitution):
    """Swinging balls collide: no contact adds energy beyond the error of the scheme, of second order."""
    model, _ = scenes.hung_cradle(3, 0.1, restitution)
    twists = np.zeros((3, 6))
    twists[0, [1, 3]] = [-2.0, 2.0]
    start = scenes.with_twists(model, twists)
    motions = [run((model, start), 0.08, 0.005, coordinates) for coordinates in ("reduced", "maximal")]
    for motion in motions:
        work = np.array([record.work.sum() for record in motion.contacts])
        assert work.max() < 2e-4
        assert (work.sum() < -0.3) == (restitution < 1)
        assert motion.energies.max() < (1 + 1e-3) * motion.energies[0]
        assert np.ptp(motion.body_states.phi[:, 2, 3]) > 0.5
    np.testing.assert_allclose(*(motion.body_states.phi[-1] for motion in motions), rtol=0, atol=1e-3)
