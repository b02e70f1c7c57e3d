"""The default step of the simulator against closed forms: order, joints and energy."""

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from maximal_simulation import simulate
from physics_scenes import double_pendulum, heavy_top, in_maximal_coordinates, slider_crank
from scipy.sparse import csr_array

from rbnotes import inertia, se3, so3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, Forces, State, momentum_conserving_euler, runge_kutta, spatial_momentum
from rbnotes.dynamics.free_body_schemes import advance_free_motion
from rbnotes.forces import Damping, ForceGroups, FrameSpring, FrameSprings
from rbnotes.friction import FRICTION_MODELS
from rbnotes.joints import ExponentialSpherical, Prismatic, Revolute
from rbnotes.multibody import maximal, warm_started_friction
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.maximal.stepping import StepContext, predict_contacts
from rbnotes.multibody.step_settings import STABILIZATIONS, StepSettings
from rbnotes.multibody.warm_started_friction import WarmStartedFriction
from rbnotes.shapes import Box, Capsule, Plane
from rbnotes.testing import jacobian

STEPS = import_module("rbnotes.multibody.maximal.rattle_integrator")
X, Y, Z = np.eye(3)
about_y, along_x = se3.exp([-np.pi / 2, 0, 0, 0, 0, 0]), se3.exp([0, np.pi / 2, 0, 0, 0, 0])


def pose_at(x, y, z, axis=Z, angle=0.0):
    return se3.frame(so3.exp(angle * axis), [x, y, z])


@pytest.mark.slow
def test_slider_crank_conserves_energy():
    model, state = in_maximal_coordinates(slider_crank(6.0))
    swings = []
    for steps in (40, 80):
        path = simulate(model, state, 0.1 / steps, steps)
        swings.append(np.abs(path.energies / path.energies[0] - 1).max())
        assert abs(path.energies[-1] / path.energies[0] - 1) < 5e-4
        assert np.abs(maximal.constraint_error(model.joints, path.states.E[-1])).max() < 1e-10
    assert swings[0] < 0.005
    assert 3.7 < swings[0] / swings[1] < 4.3  # of second order
    lost = simulate(model, state, 0.005, 100, integrator=momentum_conserving_euler)
    assert lost.energies[-1] < 0.85 * lost.energies[0]


@pytest.mark.slow
def test_double_pendulum_conserves_energy_and_joints():
    """Half of its first second; the table of the book has twenty."""
    model, state = in_maximal_coordinates(double_pendulum())
    path = simulate(model, state, 5e-3, 100)
    fall = 9.81 * 2.0  # J, from level to hanging
    assert np.ptp(path.energies) < 0.01 * fall
    for poses in path.states.E[::40]:
        assert np.abs(maximal.constraint_error(model.joints, poses)).max() < 1e-10
    velocities = maximal.constraint_jacobian(model.joints, path.states.E[-1]) @ path.states.phi[-1].ravel()
    np.testing.assert_allclose(velocities, 0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("stabilization", STABILIZATIONS)
def test_second_order_with_springs_dampers_and_skew_joints(stabilization):
    """Poses and twists against the reference; dampers are forces that depend on velocities."""
    rng = np.random.default_rng(3)
    bodies = np.stack(
        [
            inertia.spatial_inertia(m, np.diag([0.3, 0.5, 0.4]) * m, rng.normal(size=3) * 0.2)
            for m in (1.5, 0.8)
        ]
    )
    poses = se3.exp([[0.4, -0.7, 0.2, 0.0, 0.0, 0.0], [-0.9, 0.1, 0.5, 1.2, 0.4, -0.3]])
    joints = [
        maximal.joint_from_world_frame(Revolute(), se3.exp([0.2, 0.5, -0.1, 0.3, 0.2, 0.1]), poses, 0),
        maximal.joint_from_world_frame(Prismatic(), se3.exp([-0.6, 0.5, 0.4, 0.8, 0.2, 0.1]), poses, 1, 0),
    ]
    spring = FrameSpring.isotropic(np.eye(4), se3.exp([0.1, 0.4, -0.2, 0.1, 0, 0.2]), 10.0, 2.0, 0.3, 0.1)
    forces = ForceGroups([FrameSprings(spring, (0, 1)), Damping(0.8, [0, 1])])
    model = MaximalModel(bodies, joints, applied_forces=forces)
    state = maximal.project(model, State(poses, rng.normal(size=(2, 6))))
    exact = runge_kutta(model, state, 0.2)
    errors = []
    for steps in (10, 20):
        end = simulate(model, state, 0.2 / steps, steps, stabilization=stabilization).states[-1]
        errors.append([np.abs(end.E - exact.E).max(), np.abs(end.phi - exact.phi).max()])
    ratios = np.divide(*errors)
    assert np.all((ratios > 3.5) & (ratios < 4.6)), ratios
    assert np.max(errors[1]) < 5e-3


def test_step_is_time_reversible():
    model, state = in_maximal_coordinates(slider_crank(4.0))
    there = simulate(model, state, 0.01, 20).states[-1]
    back = simulate(model, State(there.E, -there.phi), 0.01, 20).states[-1]
    np.testing.assert_allclose(back.E, state.E, atol=1e-8)
    np.testing.assert_allclose(back.phi, -state.phi, atol=1e-7)


@pytest.mark.slow
def test_flips_of_a_free_body():
    """Near the separatrix; without joints the step is exact, energy, momentum and all."""
    M = inertia.spatial_inertia(1.0, np.diag([1.0, 2.0, 3.0]))
    model = MaximalModel(M[None], (), (0, 0, 0))
    start = State(np.eye(4), [1e-3, 3.0, 0, 0.1, 0, 0])
    h = 0.02
    path = simulate(model, start, h, 300)
    np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-11)
    momenta = spatial_momentum(M, path.states.E[:, 0], path.states.phi[:, 0])
    np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-11)
    rate = path.states.phi[:, 0, 1]
    k = int(np.flatnonzero(np.diff(np.sign(rate)))[0])
    flip = path.states.t[k] + h * rate[k] / (rate[k] - rate[k + 1])
    assert flip == pytest.approx(5.42285576, abs=1e-4)  # where scipy's solution of Euler's equations is zero


@pytest.mark.slow
def test_flip_period_of_a_free_body():
    """Two flips; the time of one by the mean of Gauss, 2 K(m) / rate = pi / agm(1, sqrt(1 - m)) / rate."""
    J, w = np.array([1.0, 2.0, 3.0]), np.array([0.05, 2.0, 0.0])
    energy, momentum = J @ w**2, J**2 @ w**2  # twice the energy; the square
    rate = np.sqrt((J[1] - J[0]) * (energy * J[2] - momentum) / np.prod(J))
    left = (J[2] - J[0]) * (energy * J[1] - momentum) / ((J[1] - J[0]) * (energy * J[2] - momentum))
    a, b = 1.0, np.sqrt(left)
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    flips = np.pi / a / rate
    assert flips == pytest.approx(8.789356, abs=1e-6)
    path = simulate(
        MaximalModel(inertia.spatial_inertia(1.0, np.diag(J))[None], (), (0, 0, 0)),
        State(np.eye(4), [*w, 0, 0, 0]),
        flips / 100,
        200,
    )
    np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-11)
    np.testing.assert_allclose(path.states.phi[::100, 0, :3], [w, w * [1, -1, 1], w], atol=1e-6)
    np.testing.assert_allclose(path.states.phi[50::100, 0, 1], 0, atol=1e-6)


@pytest.mark.slow
def test_heavy_top_precesses_steadily():
    """Attitude, spin and all, after 25 ms at 400 rad/s; the book's table has half a second."""
    *scene, precession = heavy_top(400.0)
    T, steps = 0.025, 50
    path = simulate(*in_maximal_coordinates(scene), T / steps, steps)
    spun = (400.0 - precession * np.cos(0.5)) * T
    exact = so3.exp(precession * T * Z) @ so3.exp(0.5 * Y) @ so3.exp(spun * Z)
    assert so3.angle(exact.T @ path.states.E[-1, 0, :3, :3]) < 1e-4
    assert np.ptp(path.energies) < 1e-6 * path.energies[0]


@pytest.mark.parametrize("integrator", [None, momentum_conserving_euler])
def test_energy_account_closes(integrator):
    """It changes the energy by the work of forces and joints and by their own errors; nothing is missing."""
    model, state = in_maximal_coordinates(slider_crank(4.0))

    def motor(state):
        return Forces.without_derivatives(0.3 * np.eye(18)[1] * (5.0 - state.phi[0, 1]))

    model = replace(model, gravity=np.array([0.3, 0.1, -9.81]), applied_forces=motor)
    options = {} if integrator is None else {"integrator": integrator}
    path = simulate(model, state, 0.005, 40, **options)
    np.testing.assert_allclose(np.diff(path.energies), path.work.total, atol=1e-9)
    assert np.abs(path.work.applied_forces).max() > 1e-4
    assert abs(np.sum(path.work.joints)) > 1e-6


def test_open_joints_are_closed_without_velocity():
    model, state = in_maximal_coordinates(double_pendulum())
    apart = State(state.E @ se3.exp(1e-3 * np.ones((2, 6))))
    path = simulate(replace(model, gravity=np.zeros(3)), apart, 0.01, 2)
    assert np.abs(maximal.constraint_error(model.joints, path.states.E[-1])).max() < 1e-10
    np.testing.assert_allclose(path.states.phi, 0, atol=1e-9)


def test_impulses_are_reactions_times_the_step():
    """A link hangs still: each step's impulse carries its weight."""
    link = Box([0.05, 0.05, 1.0]).spatial_inertia(mass=2.0)
    poses = pose_at(0, 0, -0.5)[None]
    joint = maximal.joint_from_world_frame(Revolute(), about_y, poses, 0, WORLD)
    path = simulate(MaximalModel(link[None], [joint]), State(poses), 0.01, 2)
    push = maximal.joint_reactions(joint, poses, path.joint_impulses[1]).on_body[3:]
    np.testing.assert_allclose(push, [0, 0, 2.0 * 9.81 * 0.01], atol=1e-12)


@pytest.mark.parametrize(
    ("weight", "impacts"), [(0.0, "simultaneous"), (9.81, "simultaneous"), (0.0, "sequential")]
)
def test_impacts_with_friction_gain_no_energy(weight, impacts):
    """Newton's law of impact gains energy at some of these slanting blows; the simulator takes less of it.

    Under its weight a body that bounces has not fallen so far, and may keep less of its speed.
    """
    rod, h = Capsule(0.05, 0.6), 5e-3
    capped = 0
    for tilt, slide, restitution in [
        (0.7, 1.5, 0.9),
        (0.7, 3.0, 0.9),
        (1.1, 3.0, 0.9),
        (0.4, -2.0, 0.9),
        (0.9, 0.5, 0.9),
        (0.9, 0.5, 0.83),
    ]:
        surface = {"mu": 0.8, "restitution": restitution}
        model = MaximalModel(
            rod.spatial_inertia(density=500.0)[None],
            (),
            (0, 0, -weight),
            colliders=[Collider(WORLD, Plane(), **surface), Collider(0, rod, **surface)],
        )
        R = so3.exp([0, tilt, 0])
        start = State(
            se3.frame(R, [0, 0, 0.05 + 0.3 * np.cos(tilt)]), np.r_[0, 0, 0, R.T @ [slide, 0.3, -1.0]]
        )
        path = simulate(model, start, h, 1, impacts=impacts)
        assert path.energies[1] <= path.energies[0] * (1 + 1e-9)
        record = path.contacts[0]
        assert np.all(record.impulses[record.impulses[:, 0] > 0, 0] > 0)
        hit = int(np.argmax(record.impulses[:, 0]))
        if (
            record.velocities_after[hit, 0]
            < -restitution * record.velocities_before[hit, 0] - h * weight / 2 - 1e-6
        ):
            capped += 1  # and no more is taken than has to be
            assert path.energies[1] == pytest.approx(path.energies[0], rel=1e-9)
    assert 0 < capped < 5


def test_free_motion_derivatives_are_of_second_order():
    """Against differences of the end poses of asymmetric bodies; the omitted terms are of higher order."""
    rng = np.random.default_rng(4)
    bodies = [
        inertia.spatial_inertia(m, np.diag([0.3, 0.5, 0.7]) * m, rng.normal(size=3) / 4) for m in (1.5, 0.8)
    ]
    model = MaximalModel(np.stack(bodies))
    start, v = State(se3.exp(rng.normal(size=(2, 6)))), rng.normal(size=12)
    left_out = []
    for h in (0.1, 0.05, 0.025):
        arrived = advance_free_motion(model, start, v, h).E

        def displacement(v, h=h, arrived=arrived):
            return se3.log(se3.inverse(arrived) @ advance_free_motion(model, start, v, h).E).ravel()

        result = STEPS._displacement_derivative(
            SimpleNamespace(model=model, settings=SimpleNamespace(h=h)), v, start.E, arrived
        ).toarray()
        left_out.append(np.max(np.abs(result - jacobian(displacement, v).value)))
    assert 0 < left_out[0] < 0.02
    assert left_out[0] / left_out[1] > 6.5
    assert left_out[1] / left_out[2] > 6.5


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_redundant_joint_impulses_are_of_least_norm(kind):
    """Two hinges on one axis: the smallest impulses that correct the errors."""
    rng = np.random.default_rng(6)
    G = rng.normal(size=(3, 9))[[0, 1, 2, 0, 1]]
    slope = G @ G.T
    missing = slope @ rng.normal(size=5)
    impulses = STEPS._solve_regularized(kind(slope), missing)
    np.testing.assert_allclose(slope @ impulses, missing, atol=1e-8)
    np.testing.assert_allclose(impulses, np.linalg.pinv(slope) @ missing, atol=1e-2)


def test_contacts_account_for_joint_corrections():
    """A rod stands on the floor, and its ball joint pulls its upper end where that should be.

    The contact is solved with the velocities that bring the joint its part of the way. From others it is
    corrected by impulses of the joint alone, which move the foot through the floor.
    """
    rod, gamma, top = Capsule(0.05, 0.9), 40.0, se3.frame(np.eye(3), [0, 0, 0.45])
    poses = pose_at(0, 0, 0.45 * np.cos(1.2) + 0.05, Y, 1.2)[None]
    joint = maximal.Joint(ExponentialSpherical(), 0, top, WORLD, pose_at(0, 0, 1e-3) @ poses[0] @ top)
    model, state = (
        MaximalModel(
            rod.spatial_inertia(density=500.0)[None],
            [joint],
            colliders=[Collider(WORLD, Plane(), mu=0.4), Collider(0, rod, mu=0.4)],
            excluded_pairs=(),
        ),
        State(poses),
    )
    friction = WarmStartedFriction(FRICTION_MODELS["newton"], np.inf, 0.02)
    settings = StepSettings(5e-3, friction, "baumgarte", gamma, 0.0, "simultaneous")
    context = StepContext(model, settings, None, model.detect_contacts)
    points, start = predict_contacts(context, state), context.start_joints(poses)
    (update,), flown, _ = STEPS._first_update_and_free_motion(context, state, points, start)
    errors = [maximal.constraint_error(model.joints, E) for E in (poses, flown.E)]
    np.testing.assert_allclose(errors[1], (1 - gamma * settings.h) * errors[0], atol=1e-9)
    assert update.contacts.impulses[0, 0] > 0.01
    # The joint is moved at 0.04 m/s; its second-order target leaves 2e-5 m/s to correct.
    assert np.abs(update.contacts.velocities_after[:, 0]).max() < 2e-4


@pytest.mark.parametrize("weight", [0.0, 9.81])
@pytest.mark.parametrize("speeds", [(3.0, 1.0), (1.0, 3.0)])
def test_step_is_accepted_by_its_total_energy_error(speeds, weight):
    """Relative to the kinetic energy before or after, and that of a fall of one step."""
    h, mass = 0.5, 2.0
    model = MaximalModel(inertia.spatial_inertia(mass, np.eye(3))[None], (), (0, 0, -weight))
    before, after = (State(np.eye(4)[None], [[0, 0, 0, speed, 0, 0]]) for speed in speeds)
    most = STEPS.ENERGY_CHANGE_TOLERANCE * mass / 2 * (3.0**2 + (h * weight) ** 2)
    for joints, integrator, trusted in [
        (0.99 * most, 0.0, True),
        (1.01 * most, 0.0, False),
        (0.0, -0.99 * most, True),
        (0.0, -1.01 * most, False),
        (5 * most, -5 * most, True),
    ]:
        taken = SimpleNamespace(state=after, work=SimpleNamespace(joints=joints, integrator=integrator))
        assert (
            STEPS._has_plausible_energy(
                SimpleNamespace(model=model, settings=SimpleNamespace(h=h)), before, taken
            )
            is trusted
        )


def test_impulses_are_transferred_to_the_nearest_contact_of_the_same_bodies():
    """Not to a nearer contact of other bodies, and not beyond the search radius."""

    def points(places, a, b):
        axes = np.tile(np.roll(np.eye(3), 1, axis=0), (len(a), 1, 1))
        return SimpleNamespace(position=np.array(places), a=np.array(a), b=np.array(b), axes=axes)

    class CountedPoints(SimpleNamespace):
        def __len__(self):
            return len(self.a)

    old = points([[0, 0, 0.0], [0.1, 0, 0], [0, 2, 0]], [0, 0, 0], [1, 2, 1])
    new = points([[0.09, 0, 0], [0.02, 0, 0], [0, 1.5, 0]], [0, 0, 0], [1, 2, 1])
    model = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    impulses = warm_started_friction._match_impulses(
        CountedPoints(**vars(new)), CountedPoints(**vars(old)), model, 0.2
    )
    np.testing.assert_array_equal(impulses, [[3.0, 1.0, 2.0], [6.0, 4.0, 5.0], [0.0, 0.0, 0.0]])
