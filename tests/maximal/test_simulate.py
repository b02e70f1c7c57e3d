"""The simulator against closed forms, MuJoCo, and what contact and joints must not do."""

import contextlib
from dataclasses import replace
from functools import partial
from unittest import mock

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbnotes import arguments, friction, inertia, maximal, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.checking.strategies import arrays
from rbnotes.constraints.stabilization import velocity_target
from rbnotes.contact import Collider, ContactPoints, Plane, separation_speeds
from rbnotes.dynamics import (
    WORLD,
    Forces,
    State,
    constrained,
    constrained_step,
    implicit_keeping_momentum,
    keeping_energy,
    keeping_momentum,
    runge_kutta,
    symplectic_euler,
    world_momentum,
)
from rbnotes.joints import ExponentialSpherical, Revolute, Universal
from rbnotes.maximal import Mechanism
from rbnotes.maximal.mechanism import STABILIZATIONS
from rbnotes.maximal.simulate import World, simulate
from rbnotes.solids import Box, Capsule, Sphere

g = 9.81
SCHEMES = [symplectic_euler, keeping_momentum, keeping_energy, implicit_keeping_momentum]
MODELS = [
    friction.box_friction,
    friction.anitescu_stewart,
    friction.single_qp,
    friction.gauss_seidel_friction,
    partial(friction.coulomb, tolerance=1e-5),  # the default asks for more than a solver can give in places
]
round_cones = pytest.mark.parametrize("model", [friction.gauss_seidel_friction, friction.coulomb])


def masses(shapes, densities):
    """Spatial inertias of solids."""
    densities = np.broadcast_to(densities, len(shapes))
    return np.stack([shape.spatial_inertia(density=d) for shape, d in zip(shapes, densities, strict=True)])


def on_ground(shapes, density, *, mu=0.5, restitution=0.0, slope=0.0, gravity=(0.0, 0.0, -g), joints=()):
    """Bodies of one density, or of one each, above a plane that descends along x by the angle ``slope``."""
    surface = {"mu": mu, "restitution": restitution}
    ground = Collider(WORLD, Plane(), se3.frame(so3.exp([0, slope, 0]), np.zeros(3)), **surface)
    carried = [Collider(i, shape, **surface) for i, shape in enumerate(shapes)]
    return World(Mechanism(masses(shapes, density), joints, gravity), [ground, *carried])


def at(x, y, z, *rotation):
    return se3.frame(so3.exp(rotation or (0.0, 0.0, 0.0)), [x, y, z])


def rest(*poses):
    return State(np.stack(poses), np.zeros((len(poses), 6)))


def world_velocities(path, body=0):
    """Angular and linear velocity in world coordinates ``(T + 1, 6)``."""
    R = path.states.E[:, body, :3, :3]
    twists = path.states.phi[:, body].reshape(-1, 2, 3)
    return np.einsum("tij,tkj->tki", R, twists).reshape(-1, 6)


def kinds(path, kind):
    return [event.time for event in path.events if event.kind == kind]


class TestRollingSphere:
    R, mu, speed = 0.1, 0.3, 2.0

    def roll(self, model, direction, **options):
        world = on_ground([Sphere(self.R)], 800.0, mu=self.mu)
        start = State(at(0, 0, self.R)[None], np.array([[0, 0, 0, *(self.speed * direction)]]))
        return simulate(world, start, 0.01, 40, friction=model, **options)

    @round_cones
    def test_slides_then_rolls_at_five_sevenths(self, model):
        direction = np.array([0.6, 0.8, 0.0])
        path = self.roll(model, direction)
        velocity = world_velocities(path)
        np.testing.assert_allclose(velocity[-1, 3:], 5 / 7 * self.speed * direction, atol=1e-6)
        np.testing.assert_allclose(
            velocity[-1, :3] * self.R, 5 / 7 * self.speed * np.array([-0.8, 0.6, 0]), atol=1e-6
        )
        rolls = 2 * self.speed / (7 * self.mu * g)
        slowing = np.minimum(path.states.t, rolls)
        np.testing.assert_allclose(velocity[:, 3:] @ direction, self.speed - self.mu * g * slowing, atol=0.02)
        assert kinds(path, "slides") == [pytest.approx(0.01)]
        assert kinds(path, "sticks") == [pytest.approx(rolls, abs=0.011)]

    def test_box_friction_stops_diagonal_sliding_too_soon(self):
        """Each of two perpendicular impulses is bounded on its own: together they are sqrt(2) too large."""
        path = self.roll(friction.box_friction, np.array([1.0, 1.0, 0.0]) / np.sqrt(2))
        assert kinds(path, "sticks") == [
            pytest.approx(2 * self.speed / (7 * self.mu * g) / np.sqrt(2), abs=0.011)
        ]

    def test_frame_that_turns_is_no_thrust(self):
        """Along screws a rolling body gains speed; the integrators that move the centre straight keep it."""
        direction = np.array([1.0, 0.0, 0.0])
        speeds = {}
        for integrator in (symplectic_euler, keeping_momentum, keeping_energy):
            path = self.roll(friction.box_friction, direction, integrator=integrator)
            speeds[integrator] = world_velocities(path)[-1, 3]
        assert speeds[keeping_momentum] == pytest.approx(5 / 7 * self.speed, rel=1e-9)
        assert speeds[keeping_energy] == pytest.approx(5 / 7 * self.speed, rel=1e-9)
        assert speeds[symplectic_euler] > 1.1 * speeds[keeping_momentum]


class TestBox:
    sides = np.array([0.3, 0.2, 0.4])

    def world(self, **options):
        return on_ground([Box(self.sides)], 500.0, **options)

    @pytest.mark.parametrize("model", MODELS)
    def test_sliding_box_stops(self, model):
        speed, mu, h = 1.5, 0.35, 0.01
        start = State(at(0, 0, 0.2)[None], np.array([[0, 0, 0, speed, 0, 0]]))
        path = simulate(self.world(mu=mu), start, h, 60, friction=model)
        if (
            model is friction.single_qp
        ):  # it lifts what slides by mu times the sliding speed: not checked here
            assert np.max(path.states.E[:, 0, 2, 3]) > 0.2 + 0.1 * mu * speed * h
            return
        assert path.states.E[-1, 0, 0, 3] == pytest.approx(speed**2 / (2 * mu * g), abs=speed * h)
        np.testing.assert_allclose(path.states.phi[-1], 0, atol=1e-6)
        assert kinds(path, "sticks") == [pytest.approx(speed / (mu * g), abs=1.01 * h)]

    @pytest.mark.parametrize("slope", [0.3, 0.5])
    def test_on_a_ramp(self, slope):
        """Below the angle of friction it stays; above it slides with g (sin - mu cos)."""
        mu, T, h = np.tan(0.4), 0.5, 0.01
        down, up = np.array([np.cos(slope), 0, -np.sin(slope)]), np.array([np.sin(slope), 0, np.cos(slope)])
        flat = np.array([0.4, 0.2, 0.1])
        world = on_ground([Box(flat)], 500.0, mu=mu, slope=slope)
        start = rest(se3.frame(so3.exp([0, slope, 0]), 0.05 * up))
        path = simulate(world, start, h, round(T / h))
        acceleration = max(0.0, g * (np.sin(slope) - mu * np.cos(slope)))
        moved = path.states.E[-1, 0, :3, 3] - path.states.E[0, 0, :3, 3]
        np.testing.assert_allclose(moved, acceleration * T**2 / 2 * down, atol=1e-6)

    @pytest.mark.parametrize(("slope", "tips"), [(0.62, False), (0.67, True)])
    def test_tips_where_its_weight_leaves_its_base(self, slope, tips):
        """The side 0.3 downhill and 0.4 up: tan(slope) = 3/4 is the limit, at 0.6435."""
        up = np.array([np.sin(slope), 0, np.cos(slope)])
        world = self.world(mu=2.0, slope=slope)
        path = simulate(world, rest(se3.frame(so3.exp([0, slope, 0]), 0.2 * up)), 0.01, 60)
        turned = so3.angle(path.states.E[0, 0, :3, :3].T @ path.states.E[-1, 0, :3, :3])
        assert (turned > 0.05) if tips else (turned < 1e-9)

    def test_falls_back_on_its_base_as_housner_says(self):
        """Released on an edge, a box gains the energy of its fall, and rocks on about the other edge.

        The impact keeps the angular momentum about that edge: a part 1 - 3/2 sin^2 of the angular velocity.
        """
        tilt, h = 0.12, 1e-3
        radius, alpha = np.hypot(0.15, 0.2), np.arctan2(0.15, 0.2)
        centre = radius * np.array([-np.sin(alpha - tilt), 0, np.cos(alpha - tilt)])
        path = simulate(self.world(mu=3.0), rest(se3.frame(so3.exp([0, tilt, 0]), centre)), h, 200)
        mass, J = 500 * np.prod(self.sides), 500 * np.prod(self.sides) * (0.3**2 + 0.4**2) / 12
        drop = radius * (np.cos(alpha - tilt) - np.cos(alpha))
        expected = np.sqrt(2 * mass * g * drop / (J + mass * radius**2))
        speed = -path.states.phi[:, 0, 1]
        fastest = int(np.argmax(speed))
        assert speed[fastest] == pytest.approx(expected, rel=0.02)  # within two steps of the impact
        # In one step the gap closes, in the next it stays closed; gravity takes a little on the way.
        assert speed[fastest + 2] / speed[fastest] == pytest.approx(1 - 1.5 * np.sin(alpha) ** 2, rel=0.04)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_ball_bounces(restitution):
    h, height = 4e-3, 0.5
    world = on_ground([Sphere(0.1)], 1.0, restitution=restitution)
    path = simulate(world, rest(at(0, 0, 0.1 + height)), h, 240)
    fall, z = np.sqrt(2 * height / g), path.states.E[:, 0, 2, 3] - 0.1
    after = z[path.states.t > fall + 2 * h]
    second = restitution * fall  # the flight goes up for as long, and down again
    assert after[: round(second / h)].max(initial=0) == pytest.approx(restitution**2 * height, abs=6 * h)
    assert kinds(path, "made")[0] == pytest.approx(fall, abs=2 * h)
    if restitution == 0:
        assert path.energies[-1] == pytest.approx(np.prod([4 / 3 * np.pi, 0.1**3, g, 0.1]), rel=1e-3)


class TestStack:
    side, count = 0.2, 10

    def run(self, h, T, stabilization):
        side, rng = self.side, np.random.default_rng(1)
        turns = so3.exp(rng.normal(size=(self.count, 3)) * [0.03, 0.03, 0.1])
        heights = (side + 0.03) * (np.arange(self.count) + 0.6)
        poses = se3.frame(turns, np.c_[0.01 * rng.normal(size=(self.count, 2)), heights])
        world = on_ground([Box([side] * 3)] * self.count, 500.0)
        return simulate(world, rest(*poses), h, round(T / h), stabilization=stabilization)

    def test_stands_for_ten_seconds(self):
        """Boxes that fall on each other from 3 cm, a little askew, come to rest, and then nothing moves.

        A deep run reports overlap and drift for four steps and all stabilisations (shown with ``-s``).
        """
        deep = settings().max_examples >= 1000
        for h in (0.04, 0.02, 0.01, 0.005) if deep else (0.04,):
            for stabilization in STABILIZATIONS if deep else ("projection",):
                path = self.run(h, 10.0, stabilization)
                settled = round(1.5 / h)
                moved = np.abs(path.states.E[-1, :, :3, 3] - path.states.E[settled, :, :3, 3]).max()
                overlap = path.overlaps.max()
                print(f"h = {h:5.3f} s, {stabilization:10}: overlap {overlap:.1e} m, drift {moved:.1e} m")
                assert overlap < (15 if stabilization == "projection" else 100) * h**2
                assert moved < 1e-5
                assert np.abs(path.states.phi[-1]).max() < 1e-6
                heights = path.states.E[-1, :, 2, 3]
                np.testing.assert_allclose(np.diff(heights), self.side, atol=overlap + 1e-9)
                last = path.contacts[-1]
                weight = last.impulses[last.points.a == WORLD, 0].sum() / h
                assert weight == pytest.approx(500 * self.side**3 * self.count * g, rel=1e-6)


CHAIN = """
<mujoco>
  <option timestep="2e-4" integrator="RK4" gravity="1 0.5 -9.81"/>
  <worldbody>{body}</worldbody>
</mujoco>
"""


def quaternion(rotation):
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, so3.exp(rotation).ravel())
    return " ".join(map(str, result))


def text(values):
    return " ".join(map(str, values))


def chain(count):
    """A chain with general axes and centres of mass: mechanism and poses, and its description for MuJoCo."""
    rng = np.random.default_rng(5)
    inertias, joints, poses, body, parent = [], [], [], "{body}", np.eye(4)
    for i in range(count):
        mass, moments, com = (
            1.0 + 0.3 * i,
            rng.uniform(0.02, 0.03, 3),
            rng.uniform(-0.1, 0.1, 3) - np.array([0, 0, 0.15]),
        )
        turned, anchor = 0.5 * rng.normal(size=3), np.array([0.05, 0.02, -0.3 if i else 0.0])
        axis_frame = se3.frame(so3.exp(rng.normal(size=3)), np.zeros(3))
        relative = se3.frame(so3.exp(turned), anchor)
        inertias.append(inertia.spatial_inertia(mass, np.diag(moments), com))
        joints.append(maximal.hinge(i, axis_frame, i - 1 if i else WORLD, relative @ axis_frame))
        parent = parent @ relative
        poses.append(parent)
        body = body.format(
            body=f"""<body pos="{text(anchor)}" quat="{quaternion(turned)}">
            <joint type="hinge" axis="{text(axis_frame[:3, 2])}"/>
            <inertial pos="{text(com)}" mass="{mass}" diaginertia="{text(moments)}"/>{{body}}</body>"""
        )
    return (
        Mechanism(np.stack(inertias), joints, [1, 0.5, -9.81]),
        rest(*poses),
        CHAIN.format(body=body.format(body="")),
    )


def test_hinge_chain_against_mujoco():
    """Over a second the error falls with the square of the step; by extrapolation nearly all of it goes."""
    mechanism, start, description = chain(2)
    model = mujoco.MjModel.from_xml_string(description)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.xpos[1:], start.E[:, :3, 3], atol=1e-12)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    exact = np.concatenate([data.xpos[1:], data.xmat[1:]], axis=1)
    ends = []
    for steps in (100, 200):
        E = simulate(World(mechanism), start, 1 / steps, steps).states.E[-1]
        ends.append(np.concatenate([E[:, :3, 3], E[:, :3, :3].reshape(-1, 9)], axis=1))
    errors = [np.abs(end - exact).max() for end in ends]
    assert errors[0] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.3)
    assert np.abs((4 * ends[1] - ends[0]) / 3 - exact).max() < 0.02 * errors[1]


def pile():
    """Two capsules, hinged to each other and hung from the world, swing into a box and a sphere."""
    shapes = [Capsule(0.1, 0.6), Capsule(0.1, 0.6), Box([0.4, 0.5, 0.3]), Sphere(0.2)]
    tilted = so3.exp([0, np.pi / 2 - 0.3, 0])
    first = se3.frame(tilted, [-0.5, 0.05, 1.0])
    second = first @ se3.frame(so3.exp([0.2, 0, 0]), [0, 0.0, -0.75])
    poses = np.stack([first, second, at(0.3, 0, 0.15, 0, 0, 0.2), at(0.72, 0.1, 0.2)])
    joints = [
        maximal.joint_at(ExponentialSpherical(), first @ at(0, 0, 0.4), poses, 0),
        maximal.joint_at(Revolute(), first @ at(0, 0, -0.4, np.pi / 2, 0, 0), poses, 1, 0),
    ]
    twists = np.zeros((4, 6))
    twists[2] = [0.5, 0.2, 1.0, -0.5, 0.1, -0.3]
    world = on_ground(shapes, [300.0, 500.0, 200.0, 400.0], mu=0.4, joints=joints)
    return world, State(poses, twists)


class TestBalance:
    def test_work_of_every_joint_and_contact(self):
        """In each step kinetic energy changes by the work of wrenches, contacts and joints together."""
        world, start = pile()
        h, M = 0.01, world.mechanism.free.block_mass
        path = simulate(world, start, h, 90, integrator=symplectic_euler)
        pairs = {
            (int(a), int(b))
            for r in path.contacts
            for a, b in zip(r.points.a[r.impulses[:, 0] > 0], r.points.b[r.impulses[:, 0] > 0], strict=True)
        }
        assert len(pairs) >= 4  # ground and between bodies: otherwise this would be an easy scene
        for k, record in enumerate(path.contacts):
            before, after = path.states[k], path.states.phi[k + 1].ravel()
            mean = (before.phi.ravel() + after) / 2
            change = after @ M @ after / 2 - before.phi.ravel() @ M @ before.phi.ravel() / 2
            of_wrenches = h * world.mechanism.force(before) @ mean
            G = maximal.joint_matrix(world.mechanism.joints, before.E)
            of_joints = path.joint_impulses[k] @ (G @ mean)
            np.testing.assert_allclose(
                change, of_wrenches + of_joints + record.work.sum(), atol=1e-9 * (1 + abs(change))
            )
            np.testing.assert_allclose(G @ after, 0, atol=1e-9)

    def test_third_law(self):
        """Momentum of all bodies changes by weight and by what the world does: the rest cancels in pairs."""
        world, start = pile()
        h, mechanism = 0.01, world.mechanism
        path = simulate(world, start, h, 90, integrator=keeping_momentum, stabilization="none")
        weights, centres = mechanism.free.weights, mechanism.free.mass_properties.com
        momenta = world_momentum(mechanism.bodies, path.states.E, path.states.phi).sum(axis=1)
        for k, record in enumerate(path.contacts):
            E, p = path.states.E[k], record.points
            x = se3.transform_points(E, centres)
            expected = h * np.concatenate([np.cross(x, weights), weights], axis=1).sum(axis=0)
            of_world = (p.a == WORLD).astype(float) - (p.b == WORLD)
            impulses = -of_world[:, None] * record.world_impulses
            expected += np.concatenate([np.cross(p.position, impulses), impulses], axis=1).sum(axis=0)
            reaction = maximal.reactions(mechanism.joints[0], E, path.joint_impulses[k, :3])
            expected -= reaction.on_parent
            np.testing.assert_allclose(momenta[k + 1] - momenta[k], expected, atol=1e-8)
            inner = maximal.reactions(mechanism.joints[1], E, path.joint_impulses[k, 3:])
            on_both = (se3.Ad_inverse(E[[1, 0]]).swapaxes(-1, -2) @ np.stack(inner)[..., None])[..., 0]
            np.testing.assert_allclose(on_both.sum(axis=0), 0, atol=1e-8)

    @pytest.mark.parametrize("model", MODELS)
    def test_energy_never_grows_by_contact(self, model):
        world, start = pile()
        weightless = World(Mechanism(world.mechanism.bodies, (), (0, 0, 0)), world.colliders)
        fast = State(start.E, start.phi + np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.8]))
        path = simulate(weightless, fast, 0.01, 40, friction=model, integrator=keeping_energy)
        assert path.contacts[0].impulses[:, 0].max() > 1.0
        assert np.all(np.diff(path.energies) <= 1e-6)
        assert path.energies[-1] < 0.9 * path.energies[0]

    @given(arrays(4, 6), st.sampled_from(STABILIZATIONS[::2]))
    def test_energy_never_grows_by_contact_at_any_speed(self, twists, stabilization):
        world, start = pile()
        weightless = World(Mechanism(world.mechanism.bodies, (), (0, 0, 0)), world.colliders)
        path = simulate(
            weightless,
            State(start.E, twists),
            0.02,
            8,
            integrator=keeping_energy,
            stabilization=stabilization,
        )
        assert np.all(np.diff(path.energies) <= 1e-9)

    def test_elastic_spheres_keep_energy_and_momentum(self):
        shapes = [Sphere(0.5)] * 3
        inertias = masses(shapes, [1.0, 2.0, 0.5])
        surface = {"mu": 0.0, "restitution": 1.0}
        world = World(
            Mechanism(inertias, (), (0, 0, 0)),
            [Collider(i, shape, **surface) for i, shape in enumerate(shapes)],
        )
        twists = np.zeros((3, 6))
        twists[:, 3:] = [[1, 0, 0], [0, 0, 0], [-1, 0, 0.1]]
        path = simulate(
            world, State(np.stack([at(-1.3, 0.2, 0), at(0, 0, 0), at(1.6, 0, 0)]), twists), 0.01, 120
        )
        assert len(kinds(path, "made")) >= 2
        np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-10)
        momenta = world_momentum(inertias, path.states.E, path.states.phi).sum(axis=1)
        np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-10)


class TestLoop:
    """A four-bar linkage: a closed loop of hinges, whose rows repeat each other in space."""

    def linkage(self):
        rod = Box([0.5, 0.05, 0.05]).spatial_inertia(mass=1.0)
        about_y = so3.exp([-np.pi / 2, 0, 0])
        poses = np.stack(
            [at(0, 0, 0.25, 0, np.pi / 2, 0), at(0.25, 0, 0.5), at(0.5, 0, 0.25, 0, np.pi / 2, 0)]
        )
        places = [((0, 0, 0), 0, WORLD), ((0, 0, 0.5), 1, 0), ((0.5, 0, 0.5), 2, 1), ((0.5, 0, 0), 2, WORLD)]
        joints = [maximal.joint_at(Revolute(), se3.frame(about_y, p), poses, a, b) for p, a, b in places]
        return World(Mechanism(np.stack([rod] * 3), joints)), poses

    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    def test_stays_together(self, stabilization):
        """Upright and pushed, the parallelogram falls over, keeps its energy, and its top stays level."""
        world, poses = self.linkage()
        twists = np.zeros((3, 6))
        twists[[0, 2], 1], twists[[0, 2], 5], twists[1, 3] = 1.0, 0.25, 0.5
        path = simulate(world, State(poses, twists), 0.01, 60, stabilization=stabilization)
        error = np.abs(maximal.joint_errors(world.mechanism.joints, path.states.E[-1])).max()
        assert error < {"none": 0.04, "baumgarte": 6e-3, "projection": 1e-10}[stabilization]
        if stabilization == "projection":
            np.testing.assert_allclose(
                path.states.E[:, 1, :3, :3], np.broadcast_to(np.eye(3), (61, 3, 3)), atol=1e-9
            )
            assert path.states.E[-1, 1, 2, 3] < 0.3
            np.testing.assert_allclose(path.energies[:40], path.energies[0], rtol=0.02)


class TestIntegrators:
    def test_screw_is_the_step_of_mechanisms(self):
        mechanism, start, _ = chain(3)
        path = simulate(World(mechanism), start, 0.01, 20, integrator=symplectic_euler)
        step = constrained(symplectic_euler, lambda state, h: [maximal.mechanism_rows(mechanism, state, h)])
        state = start
        for _ in range(20):
            state = step(mechanism, state, 0.01)
            state = replace(state, E=maximal.project_poses(mechanism, state.E))
        np.testing.assert_allclose(path.states.E[-1], state.E, atol=1e-10)
        np.testing.assert_allclose(path.states.phi[-1], state.phi, atol=1e-9)

    def test_there_is_one_baumgarte(self):
        """With joints a little apart, a step asks for the same velocities as that of mechanisms."""
        mechanism, start, _ = chain(3)
        apart = State(start.E @ se3.exp(0.02 * np.random.default_rng(2).normal(size=(3, 6))), start.phi)
        assert np.abs(maximal.joint_errors(mechanism.joints, apart.E)).max() > 0.01
        options = {"stabilization": "baumgarte", "gain": 0.3}
        path = simulate(World(mechanism), apart, 0.01, 1, integrator=symplectic_euler, **options)
        rows = maximal.mechanism_rows(mechanism, apart, 0.01, gain=0.3)
        state = constrained_step(symplectic_euler, mechanism, apart, 0.01, lambda state, h: [rows]).state
        # Baumgarte's -gamma g with gamma = gain / h, less the 8e-11 that SOFTNESS, which guards against rows
        # that repeat others, leaves of it: SOFTNESS times the largest S_ii, gamma and the multipliers S^-1 g.
        g = maximal.joint_errors(mechanism.joints, apart.E)
        np.testing.assert_allclose(rows.target, velocity_target(g, 0.3 / 0.01), rtol=0, atol=1e-9)
        # Both have these rows: only rounding could tell them apart.
        np.testing.assert_allclose(path.states.E[-1], state.E, rtol=0, atol=1e-12)
        np.testing.assert_allclose(path.states.phi[-1], state.phi, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("integrator", SCHEMES)
    def test_first_order_and_what_is_kept(self, integrator):
        M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])
        start = State(at(0, 0, 0, 0.3, 0.1, 0)[None], np.array([[1, 2, -0.5, 0.3, 0.4, -0.2]]))
        world = World(Mechanism(M[None], (), (0, 0, 0)))
        exact = runge_kutta(world.mechanism, start, 1.0)
        errors = []
        for steps in (60, 120):
            path = simulate(world, start, 1 / steps, steps, integrator=integrator)
            errors.append(np.abs(path.states.E[-1] - exact.E).max())
        assert errors[0] / errors[1] == pytest.approx(2, abs=0.3)
        momenta = world_momentum(M, path.states.E[:, 0], path.states.phi[:, 0])
        if integrator in (keeping_momentum, implicit_keeping_momentum):
            np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-12)
        if integrator is keeping_energy:
            np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-12)
            np.testing.assert_allclose(momenta[:, 3:], np.broadcast_to(momenta[0, 3:], (121, 3)), atol=1e-12)

    def test_implicit_damper(self):
        """A damper far too stiff for explicit steps brings the body to rest without overshooting."""
        M = Sphere(0.5).spatial_inertia(density=1.0)
        mass, damping, h = M[5, 5], 1e3, 0.05

        def drag(state):
            D = -damping * np.diag([0, 0, 0, 1.0, 1, 1])
            return Forces(D @ state.velocity, np.zeros((6, 6)), D)

        world = World(Mechanism(M[None], (), (0, 0, 0), drag))
        start = State(np.eye(4)[None], np.array([[0, 0, 0, 1.0, 0, 0]]))
        path = simulate(world, start, h, 3, integrator=implicit_keeping_momentum)
        expected = (1 + h * damping / mass) ** -np.arange(4.0)
        np.testing.assert_allclose(path.states.phi[:, 0, 3], expected, rtol=1e-12)
        assert abs(simulate(world, start, h, 3).states.phi[-1, 0, 3]) > 1e3

    def test_energy_is_kept_at_two_radians_a_step(self):
        M = inertia.spatial_inertia(1.0, np.diag([0.6, 0.9, 0.7]))
        start = State(np.eye(4)[None], np.array([[1.2, -0.9, 1.3, 0, 0, 0]]))
        path = simulate(World(Mechanism(M[None], (), (0, 0, 0))), start, 1.0, 10, integrator=keeping_energy)
        np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-12)
        assert np.ptp(path.states.phi[:, 0, 0]) > 0.5

    def test_spin_too_fast_for_a_midpoint(self):
        M = inertia.spatial_inertia(1.0, np.diag([0.61191645, 0.66820568, 0.51676909]))
        start = State(np.eye(4)[None], np.array([[-20.59248644, 13.771322, -19.80137438, 0, 0, 0]]))
        with pytest.raises(InvalidArgument, match="h: got 1 s for this spin"):
            simulate(World(Mechanism(M[None])), start, 1.0, 1, integrator=keeping_energy)


class TestContacts:
    def test_overlap_is_taken_back_without_speed(self):
        """Moved apart by the masses: the heavy one half as far as the light one."""
        shapes = [Sphere(0.5)] * 2
        mechanism = Mechanism(masses(shapes, [2.0, 1.0]), (), (0, 0, 0))
        world = World(mechanism, [Collider(i, s) for i, s in enumerate(shapes)])
        start = rest(at(0, 0, 0), at(0.91, 0, 0))
        path = simulate(world, start, 0.01, 2)
        np.testing.assert_allclose(path.states.E[-1, :, 0, 3], [-0.03, 0.97], atol=1e-9)
        np.testing.assert_allclose(path.states.phi, 0, atol=1e-12)
        left = simulate(world, start, 0.01, 2, stabilization="none")
        np.testing.assert_allclose(left.overlaps, 0.09, rtol=1e-9)
        # By velocities no faster than what lifts a body out: without gravity, none.
        slowly = {"stabilization": "baumgarte", "gain": 0.25, "slop": 0.0}
        np.testing.assert_allclose(simulate(world, start, 0.01, 2, **slowly).overlaps, 0.09, rtol=1e-9)
        falling = World(replace(mechanism, gravity=np.array([0, 0, -g])), world.colliders)
        part = simulate(falling, rest(at(0, 0, 0), at(0.99, 0, 0)), 0.01, 2, **slowly)
        np.testing.assert_allclose(part.overlaps, [0.01, 0.75 * 0.01], rtol=1e-9)

    def test_fast_bodies_do_not_pass_through(self):
        world = on_ground([Sphere(0.05)], 1.0, gravity=(0, 0, 0))
        start = State(at(0, 0, 1.0)[None], np.array([[0, 0, 0, 0, 0, -50.0]]))
        path = simulate(world, start, 0.01, 10, stabilization="none")
        assert path.overlaps.max() < 1e-12
        assert path.states.E[-1, 0, 2, 3] == pytest.approx(0.05)
        np.testing.assert_allclose(path.states.phi[-1], 0, atol=1e-12)

    def test_fast_bodies_do_not_pass_through_each_other(self):
        balls = [Sphere(0.1)] * 2
        mechanism = Mechanism(masses(balls, 1.0), (), (0, 0, 0))
        world = World(mechanism, [Collider(i, ball) for i, ball in enumerate(balls)])
        start = State(np.stack([at(-1, 0, 0), at(1, 0, 0)]), np.zeros((2, 6)))
        start.phi[:, 3] = 50.0, -50.0
        path = simulate(world, start, 0.01, 5, stabilization="none")
        assert path.overlaps.max() < 1e-12
        np.testing.assert_allclose(path.states.E[-1, :, 0, 3], [-0.1, 0.1], atol=1e-12)

    def test_separation_speeds(self):
        gap, approach = np.array([0.02, -0.01, 0.001, 0.0, 0.0]), np.array([-1.0, 0.0, -1.0, -0.1, -1.0])
        points = ContactPoints(
            *np.zeros((2, 5), dtype=int), *np.zeros((2, 5, 3)), gap, np.ones(5), np.full(5, 0.5)
        )
        speeds = separation_speeds(points, approach, 0.01, [0, 0, -10.0])
        np.testing.assert_allclose(speeds, [-2.0, 0.0, 0.5, 0.0, 0.5])

    def test_events_of_a_block_that_stops_and_is_lifted(self):
        flat = np.array([0.4, 0.2, 0.1])

        def lift(state):
            stopped = state.E[0, 0, 3] > 0.1 and abs(state.phi[0, 3]) < 1e-3
            return Forces.without_derivatives([0, 0, 0, 0, 0, 60.0 if stopped else 0.0])

        base = on_ground([Box(flat)], 500.0, mu=0.5)
        world = World(replace(base.mechanism, applied=lift), base.colliders)
        start = State(at(0, 0, 0.05)[None], np.array([[0, 0, 0, 1.2, 0, 0]]))
        path = simulate(world, start, 0.01, 40)
        assert [e.kind for e in path.events] == ["made", "slides", "sticks", "broken"]
        assert {(e.a, e.b) for e in path.events} == {(WORLD, 0)}

    def test_joined_bodies_do_not_touch_unless_asked(self):
        world, _ = pile()
        assert set(world.apart) == {(0, WORLD), (1, 0)}
        assert World(world.mechanism, apart=()).apart == ()


def test_many_bodies_are_each_as_if_alone():
    """Above fifty bodies all matrices are sparse; pairs that never meet move as each does by itself."""
    rng = np.random.default_rng(8)
    shapes = [Sphere(0.1), Capsule(0.08, 0.3)]
    M = masses(shapes, [500.0, 300.0])
    count, h, steps = 27, 0.02, 6
    poses, twists = [], []
    for k in range(count):
        turned = so3.exp([np.pi / 2, 0, 0]) @ so3.exp([0, 0, rng.normal()])
        poses += [at(2.0 * k, 0, 0.12), se3.frame(turned, [2.0 * k, 0.3, 0.12])]
        twists += [rng.normal(size=6) - 3.0 * np.eye(6)[5], rng.normal(size=6)]
    poses, twists = np.stack(poses), np.stack(twists)

    def run(pairs):
        bodies = np.concatenate([[2 * k, 2 * k + 1] for k in pairs])
        at_start = poses[bodies]
        joints = [
            maximal.joint_at(ExponentialSpherical(), at(2.0 * k, 0.15, 0.12), at_start, 2 * i + 1, 2 * i)
            for i, k in enumerate(pairs)
        ]
        ground = Collider(WORLD, Plane(), mu=0.4)
        carried = [Collider(i, shape, mu=0.4) for i, shape in enumerate(shapes * len(pairs))]
        world = World(Mechanism(np.concatenate([M] * len(pairs)), joints), [ground, *carried])
        return simulate(world, maximal.project(world.mechanism, State(at_start, twists[bodies])), h, steps)

    together = run(range(count))
    for k in (0, 11, 26):
        alone = run([k])
        assert any(np.any(record.impulses[:, 0] > 0) for record in alone.contacts)
        np.testing.assert_allclose(together.states.phi[:, 2 * k : 2 * k + 2], alone.states.phi, atol=1e-7)
        np.testing.assert_allclose(together.states.E[:, 2 * k : 2 * k + 2], alone.states.E, atol=1e-8)


def test_progress_is_told():
    seen = []
    mechanism, start, _ = chain(2)
    simulate(World(mechanism), start, 0.01, 3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_model_with_options():
    world, start = pile()
    path = simulate(world, start, 0.01, 3, friction=partial(friction.gauss_seidel_friction, cone="box"))
    assert path.joint_impulses.shape == (3, 8)
    assert path.states.t.tolist() == pytest.approx([0, 0.01, 0.02, 0.03])


@pytest.mark.parametrize("stabilization", STABILIZATIONS)
def test_poses_and_masses_are_checked_at_the_border_alone(stabilization):
    """However many steps there are: what they compute from checked data is not looked at again."""
    world, start = pile()
    *others, hinge = world.mechanism.joints
    turning = replace(hinge, kind=Universal())  # rows that depend on the poses
    world = replace(world, mechanism=replace(world.mechanism, joints=[*others, turning]))
    simulate(world, start, 0.01, 1, stabilization=stabilization)  # what is kept with the mechanism
    with contextlib.ExitStack() as patches:
        for name in ("frame", "rotation", "positive_definite", "symmetric", "unit_vector"):
            again = AssertionError(f"{name} is checked again")
            patches.enter_context(mock.patch.object(arguments, name, side_effect=again))
        simulate(world, start, 0.01, 4, stabilization=stabilization)


class TestErrors:
    def test_named(self):
        mechanism, start, _ = chain(2)
        world = World(mechanism)
        with pytest.raises(InvalidArgument, match="steps: got 0"):
            simulate(world, start, 0.1, 0)
        with pytest.raises(InvalidArgument, match="h: got 0"):
            simulate(world, start, 0.0, 1)
        with pytest.raises(InvalidArgument, match="stabilization: got 'glue'"):
            simulate(world, start, 0.1, 1, stabilization="glue")
        with pytest.raises(InvalidArgument, match="state: got 1 bodies"):
            simulate(world, State(start.E[:1], start.phi[:1]), 0.1, 1)
        with pytest.raises(InvalidArgument, match="gain: got 2"):
            simulate(world, start, 0.1, 1, gain=2.0)
        short = replace(mechanism, applied=lambda state: Forces.without_derivatives(np.zeros(6)))
        with pytest.raises(InvalidArgument, match="applied: got shape"):
            simulate(World(short), start, 0.1, 1)
