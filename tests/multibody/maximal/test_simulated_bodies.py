"""One body or one stack on the ground, against closed forms."""

import numpy as np
import pytest
from hypothesis import settings
from maximal_simulation import simulate
from simulated import MODELS, g, kinds, on_ground, pose_at, rest, round_cones, world_velocities

from rbnotes import friction, se3, so3
from rbnotes.dynamics import (
    WORLD,
    State,
    energy_conserving_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.multibody.step_settings import STABILIZATIONS
from rbnotes.shapes import Box, Sphere


class TestRollingSphere:
    R, mu, speed = 0.1, 0.3, 2.0

    def roll(self, law, direction, steps=40, **options):
        model = on_ground([Sphere(self.R)], 800.0, mu=self.mu)
        start = State(pose_at(0, 0, self.R)[None], np.array([[0, 0, 0, *(self.speed * direction)]]))
        return simulate(model, start, 0.01, steps, friction_model=law, **options)

    @round_cones
    def test_sphere_slides_then_rolls_at_five_sevenths(self, law):
        direction = np.array([0.6, 0.8, 0.0])
        path = self.roll(law, direction, 26)
        velocity = world_velocities(path)
        np.testing.assert_allclose(velocity[-1, 3:], 5 / 7 * self.speed * direction, atol=1e-6)
        np.testing.assert_allclose(
            velocity[-1, :3] * self.R, 5 / 7 * self.speed * np.array([-0.8, 0.6, 0]), atol=1e-6
        )
        rolls = 2 * self.speed / (7 * self.mu * g)
        slowing = np.minimum(path.states.t, rolls)
        np.testing.assert_allclose(velocity[:, 3:] @ direction, self.speed - self.mu * g * slowing, atol=0.02)
        assert kinds(path, "slip_begins") == [pytest.approx(0.01)]
        assert kinds(path, "stick_begins") == [pytest.approx(rolls, abs=0.011)]

    def test_box_friction_is_too_strong_diagonally(self):
        """Each of two perpendicular impulses is bounded on its own: together they are sqrt(2) too large."""
        path = self.roll(friction.box_friction, np.array([1.0, 1.0, 0.0]) / np.sqrt(2))
        assert kinds(path, "stick_begins") == [
            pytest.approx(2 * self.speed / (7 * self.mu * g) / np.sqrt(2), abs=0.011)
        ]

    @pytest.mark.slow
    def test_rotating_frame_causes_no_thrust(self):
        """Along screws a rolling body gains speed; the integrators that move the center straight keep it."""
        direction = np.array([1.0, 0.0, 0.0])
        speeds = {}
        for integrator in (symplectic_euler, momentum_conserving_euler, energy_conserving_euler):
            path = self.roll(friction.box_friction, direction, integrator=integrator)
            speeds[integrator] = world_velocities(path)[-1, 3]
        assert speeds[momentum_conserving_euler] == pytest.approx(5 / 7 * self.speed, rel=1e-9)
        assert speeds[energy_conserving_euler] == pytest.approx(5 / 7 * self.speed, rel=1e-9)
        assert speeds[symplectic_euler] > 1.1 * speeds[momentum_conserving_euler]


class TestBox:
    sides = np.array([0.3, 0.2, 0.4])

    def model(self, **options):
        return on_ground([Box(self.sides)], 500.0, **options)

    @pytest.mark.parametrize("law", [*MODELS[:-1], pytest.param(MODELS[-1], marks=pytest.mark.slow)])
    def test_sliding_box_stops(self, law):
        speed, mu, h = 1.5, 0.35, 0.02
        start = State(pose_at(0, 0, 0.2)[None], np.array([[0, 0, 0, speed, 0, 0]]))
        path = simulate(self.model(mu=mu), start, h, 26, friction_model=law)
        if law is friction.single_qp:  # it lifts what slides by mu times the sliding speed: not checked here
            assert np.max(path.states.E[:, 0, 2, 3]) > 0.2 + 0.1 * mu * speed * h
            return
        assert path.states.E[-1, 0, 0, 3] == pytest.approx(speed**2 / (2 * mu * g), abs=speed * h)
        np.testing.assert_allclose(path.states.phi[-1], 0, atol=1e-6)
        assert kinds(path, "stick_begins") == [pytest.approx(speed / (mu * g), abs=1.01 * h)]

    @pytest.mark.parametrize("slope", [0.3, 0.5])
    def test_box_on_a_ramp(self, slope):
        """Below the angle of friction it stays; above it slides with g (sin - mu cos)."""
        mu, T, h = np.tan(0.4), 0.3, 0.01
        down, up = np.array([np.cos(slope), 0, -np.sin(slope)]), np.array([np.sin(slope), 0, np.cos(slope)])
        flat = np.array([0.4, 0.2, 0.1])
        model = on_ground([Box(flat)], 500.0, mu=mu, slope=slope)
        start = rest(se3.frame(so3.exp([0, slope, 0]), 0.05 * up))
        path = simulate(model, start, h, round(T / h))
        acceleration = max(0.0, g * (np.sin(slope) - mu * np.cos(slope)))
        displacement = path.states.E[-1, 0, :3, 3] - path.states.E[0, 0, :3, 3]
        np.testing.assert_allclose(displacement, acceleration * T**2 / 2 * down, atol=1e-6)

    @pytest.mark.parametrize(("slope", "tips"), [(0.62, False), (0.67, True)])
    def test_box_tips_at_the_static_limit(self, slope, tips):
        """The side 0.3 downhill and 0.4 up: tan(slope) = 3/4 is the limit, at 0.6435."""
        up = np.array([np.sin(slope), 0, np.cos(slope)])
        model = self.model(mu=2.0, slope=slope)
        path = simulate(model, rest(se3.frame(so3.exp([0, slope, 0]), 0.2 * up)), 0.01, 60)
        rotation_angle = so3.angle(path.states.E[0, 0, :3, :3].T @ path.states.E[-1, 0, :3, :3])
        assert (rotation_angle > 0.05) if tips else (rotation_angle < 1e-9)

    @pytest.mark.slow
    def test_rocking_box_against_housner(self):
        """Released on an edge, a box gains the energy of its fall, and rocks on about the other edge.

        The impact keeps the angular momentum about that edge: a part 1 - 3/2 sin^2 of the angular velocity.
        """
        tilt, h = 0.12, 1e-3
        radius, alpha = np.hypot(0.15, 0.2), np.arctan2(0.15, 0.2)
        center = radius * np.array([-np.sin(alpha - tilt), 0, np.cos(alpha - tilt)])
        path = simulate(self.model(mu=3.0), rest(se3.frame(so3.exp([0, tilt, 0]), center)), h, 180)
        mass, J = 500 * np.prod(self.sides), 500 * np.prod(self.sides) * (0.3**2 + 0.4**2) / 12
        drop = radius * (np.cos(alpha - tilt) - np.cos(alpha))
        expected = np.sqrt(2 * mass * g * drop / (J + mass * radius**2))
        speed = -path.states.phi[:, 0, 1]
        fastest = int(np.argmax(speed))
        assert speed[fastest] == pytest.approx(expected, rel=0.02)  # within two steps of the impact
        # In one step the gap closes, in the next it stays closed; gravity takes a little on the way.
        assert speed[fastest + 2] / speed[fastest] == pytest.approx(1 - 1.5 * np.sin(alpha) ** 2, rel=0.04)


@pytest.mark.parametrize("restitution", [0.0, 0.5, pytest.param(1.0, marks=pytest.mark.slow)])
def test_ball_bounces(restitution):
    h, height = 4e-3, 0.5
    model = on_ground([Sphere(0.1)], 1.0, restitution=restitution)
    path = simulate(model, rest(pose_at(0, 0, 0.1 + height)), h, 170)
    fall, z = np.sqrt(2 * height / g), path.states.E[:, 0, 2, 3] - 0.1
    after = z[path.states.t > fall + 2 * h]
    second = restitution * fall  # the flight goes up for as long, and down again
    assert after[: round(second / h)].max(initial=0) == pytest.approx(restitution**2 * height, abs=6 * h)
    assert kinds(path, "contact_begins")[0] == pytest.approx(fall, abs=2 * h)
    if restitution == 0:
        assert path.energies[-1] == pytest.approx(np.prod([4 / 3 * np.pi, 0.1**3, g, 0.1]), rel=1e-3)


class TestStack:
    side, count = 0.2, 6

    def run(self, h, T, stabilization):
        side, rng = self.side, np.random.default_rng(1)
        turns = so3.exp(rng.normal(size=(self.count, 3)) * [0.03, 0.03, 0.1])
        heights = (side + 0.03) * (np.arange(self.count) + 0.6)
        poses = se3.frame(turns, np.c_[0.01 * rng.normal(size=(self.count, 2)), heights])
        model = on_ground([Box([side] * 3)] * self.count, 500.0)
        return simulate(model, rest(*poses), h, round(T / h), stabilization=stabilization)

    @pytest.mark.slow
    def test_stack_stands(self):
        """Boxes that fall on each other from 3 cm, a little askew, come to rest, and then nothing moves.

        A deep run takes ten seconds of them, with four steps and all stabilizations, and reports overlap and
        drift (shown with ``-s``).
        """
        deep = settings().max_examples >= 1000
        for h in (0.04, 0.02, 0.01, 0.005) if deep else (0.04,):
            for stabilization in STABILIZATIONS if deep else ("projection",):
                path = self.run(h, 10.0 if deep else 2.5, stabilization)
                settled = round(1.5 / h)
                drift = np.abs(path.states.E[-1, :, :3, 3] - path.states.E[settled, :, :3, 3]).max()
                overlap = path.contacts.max_overlaps.max()
                print(f"h = {h:5.3f} s, {stabilization:10}: overlap {overlap:.1e} m, drift {drift:.1e} m")
                assert overlap < (15 if stabilization == "projection" else 100) * h**2
                assert drift < 1e-5
                assert np.abs(path.states.phi[-1]).max() < 1e-6
                heights = path.states.E[-1, :, 2, 3]
                np.testing.assert_allclose(np.diff(heights), self.side, atol=overlap + 1e-9)
                last = path.contacts[-1]
                weight = last.impulses[last.points.a == WORLD, 0].sum() / h
                assert weight == pytest.approx(500 * self.side**3 * self.count * g, rel=1e-6)
