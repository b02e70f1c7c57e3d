"""The simulator against MuJoCo, closing contacts, and argument errors."""

import contextlib
from dataclasses import replace
from functools import partial
from unittest import mock

import mujoco
import numpy as np
import pytest
from maximal_simulation import contact_events, simulate
from simulated import (
    chain,
    g,
    masses,
    on_ground,
    pile,
    pose_at,
    rest,
)

from rbnotes import arguments, friction, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider, ContactPoints, normal_velocity_targets
from rbnotes.dynamics import (
    WORLD,
    Forces,
    State,
)
from rbnotes.joints import ExponentialSpherical, Universal
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.step_settings import STABILIZATIONS
from rbnotes.shapes import Box, Capsule, Plane, Sphere


@pytest.mark.slow
def test_hinge_chain_against_mujoco():
    """The error after half a second is of second order; extrapolation removes nearly all of it."""
    model, start, description = chain(2)
    mujoco_model = mujoco.MjModel.from_xml_string(description)
    data = mujoco.MjData(mujoco_model)
    mujoco.mj_forward(mujoco_model, data)
    np.testing.assert_allclose(data.xpos[1:], start.E[:, :3, 3], atol=1e-12)
    for _ in range(2500):
        mujoco.mj_step(mujoco_model, data)
    exact = np.concatenate([data.xpos[1:], data.xmat[1:]], axis=1)
    ends = []
    for steps in (50, 100):
        E = simulate(model, start, 0.5 / steps, steps).states.E[-1]
        ends.append(np.concatenate([E[:, :3, 3], E[:, :3, :3].reshape(-1, 9)], axis=1))
    errors = [np.abs(end - exact).max() for end in ends]
    assert errors[0] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.3)
    assert np.abs((4 * ends[1] - ends[0]) / 3 - exact).max() < 0.02 * errors[1]


class TestContacts:
    def test_overlap_is_corrected_without_velocity(self):
        """Moved apart by the masses: the heavy one half as far as the light one."""
        shapes = [Sphere(0.5)] * 2
        colliders = [Collider(i, shape) for i, shape in enumerate(shapes)]
        model = MaximalModel(masses(shapes, [2.0, 1.0]), (), (0, 0, 0), colliders=colliders)
        start = rest(pose_at(0, 0, 0), pose_at(0.91, 0, 0))
        path = simulate(model, start, 0.01, 2)
        np.testing.assert_allclose(path.states.E[-1, :, 0, 3], [-0.03, 0.97], atol=1e-9)
        np.testing.assert_allclose(path.states.phi, 0, atol=1e-12)
        left = simulate(model, start, 0.01, 2, stabilization="none")
        np.testing.assert_allclose(left.contacts.max_overlaps, 0.09, rtol=1e-9)
        # By velocities no faster than what lifts a body out: without gravity, none.
        slowly = {"stabilization": "baumgarte", "gamma": 25.0, "slop": 0.0}
        np.testing.assert_allclose(
            simulate(model, start, 0.01, 2, **slowly).contacts.max_overlaps, 0.09, rtol=1e-9
        )
        falling = replace(model, gravity=np.array([0, 0, -g]))
        part = simulate(falling, rest(pose_at(0, 0, 0), pose_at(0.99, 0, 0)), 0.01, 2, **slowly)
        np.testing.assert_allclose(part.contacts.max_overlaps, [0.01, 0.75 * 0.01], rtol=1e-9)

    def test_fast_bodies_do_not_pass_through(self):
        model = on_ground([Sphere(0.05)], 1.0, gravity=(0, 0, 0))
        start = State(pose_at(0, 0, 1.0)[None], np.array([[0, 0, 0, 0, 0, -50.0]]))
        path = simulate(model, start, 0.01, 10, stabilization="none")
        assert path.contacts.max_overlaps.max() < 1e-12
        assert path.states.E[-1, 0, 2, 3] == pytest.approx(0.05)
        np.testing.assert_allclose(path.states.phi[-1], 0, atol=1e-12)

    def test_fast_bodies_do_not_pass_through_each_other(self):
        balls = [Sphere(0.1)] * 2
        colliders = [Collider(i, ball) for i, ball in enumerate(balls)]
        model = MaximalModel(masses(balls, 1.0), (), (0, 0, 0), colliders=colliders)
        twists = [[0, 0, 0, 50.0, 0, 0], [0, 0, 0, -50.0, 0, 0]]
        start = State(np.stack([pose_at(-1, 0, 0), pose_at(1, 0, 0)]), twists)
        path = simulate(model, start, 0.01, 5, stabilization="none")
        assert path.contacts.max_overlaps.max() < 1e-12
        np.testing.assert_allclose(path.states.E[-1, :, 0, 3], [-0.1, 0.1], atol=1e-12)

    def test_separation_speeds(self):
        gap, approach = np.array([0.02, -0.01, 0.001, 0.0, 0.0]), np.array([-1.0, 0.0, -1.0, -0.1, -1.0])
        points = ContactPoints(
            *np.zeros((2, 5), dtype=int), *np.zeros((2, 5, 3)), gap, np.ones(5), np.full(5, 0.5)
        )
        speeds = normal_velocity_targets(points, approach, 0.01, [0, 0, -10.0])
        np.testing.assert_allclose(speeds, [-2.0, 0.0, 0.5, 0.0, 0.5])

    def test_events_of_a_block_that_stops_and_is_lifted(self):
        flat = np.array([0.4, 0.2, 0.1])

        def lift(state):
            stopped = state.E[0, 0, 3] > 0.1 and abs(state.phi[0, 3]) < 1e-3
            return Forces.without_derivatives([0, 0, 0, 0, 0, 60.0 if stopped else 0.0])

        model = replace(on_ground([Box(flat)], 500.0, mu=0.5), applied_forces=lift)
        start = State(pose_at(0, 0, 0.05)[None], np.array([[0, 0, 0, 1.2, 0, 0]]))
        path = simulate(model, start, 0.01, 40)
        assert [e.kind for e in contact_events(path)] == [
            "contact_begins",
            "slip_begins",
            "stick_begins",
            "contact_ends",
        ]
        assert {(e.a, e.b) for e in contact_events(path)} == {(WORLD, 0)}

    def test_jointed_bodies_do_not_collide_by_default(self):
        model, _ = pile()
        assert set(model.excluded_pairs) == {(0, WORLD), (1, 0)}
        assert replace(model, excluded_pairs=()).excluded_pairs == ()


@pytest.mark.slow
def test_many_separate_bodies_move_independently():
    """Above fifty bodies all matrices are sparse; separate pairs move as in scenes of their own."""
    rng = np.random.default_rng(8)
    shapes = [Sphere(0.1), Capsule(0.08, 0.3)]
    M = masses(shapes, [500.0, 300.0])
    count, h, steps = 27, 0.02, 4
    poses, twists = [], []
    for k in range(count):
        R = so3.exp([np.pi / 2, 0, 0]) @ so3.exp([0, 0, rng.normal()])
        poses += [pose_at(2.0 * k, 0, 0.12), se3.frame(R, [2.0 * k, 0.3, 0.12])]
        twists += [rng.normal(size=6) - 3.0 * np.eye(6)[5], rng.normal(size=6)]
    poses, twists = np.stack(poses), np.stack(twists)

    def run(pairs):
        bodies = np.concatenate([[2 * k, 2 * k + 1] for k in pairs])
        at_start = poses[bodies]
        joints = [
            maximal.joint_from_world_frame(
                ExponentialSpherical(), pose_at(2.0 * k, 0.15, 0.12), at_start, 2 * i + 1, 2 * i
            )
            for i, k in enumerate(pairs)
        ]
        ground = Collider(WORLD, Plane(), mu=0.4)
        carried = [Collider(i, shape, mu=0.4) for i, shape in enumerate(shapes * len(pairs))]
        model = MaximalModel(np.concatenate([M] * len(pairs)), joints, colliders=[ground, *carried])
        return simulate(model, maximal.project(model, State(at_start, twists[bodies])), h, steps)

    together = run(range(count))
    for k in (0, 11, 26):
        alone = run([k])
        assert any(np.any(record.impulses[:, 0] > 0) for record in alone.contacts)
        np.testing.assert_allclose(together.states.phi[:, 2 * k : 2 * k + 2], alone.states.phi, atol=1e-7)
        np.testing.assert_allclose(together.states.E[:, 2 * k : 2 * k + 2], alone.states.E, atol=1e-8)


def test_progress_is_reported():
    seen = []
    model, start, _ = chain(2)
    simulate(model, start, 0.01, 3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_model_with_options():
    model, start = pile()
    path = simulate(model, start, 0.01, 3, friction_model=partial(friction.gauss_seidel_friction, cone="box"))
    assert path.joint_impulses.shape == (3, 8)
    assert path.states.t.tolist() == pytest.approx([0, 0.01, 0.02, 0.03])


@pytest.mark.parametrize("stabilization", STABILIZATIONS)
def test_poses_and_masses_are_checked_once(stabilization):
    """Results of steps are not checked again."""
    model, start = pile()
    *others, hinge = model.joints
    turning = replace(hinge, kind=Universal())  # rows that depend on the poses
    model = replace(model, joints=[*others, turning])
    simulate(model, start, 0.01, 1, stabilization=stabilization)  # what is kept with the model
    with contextlib.ExitStack() as patches:
        for name in ("frame", "rotation", "positive_definite", "symmetric", "unit_vector"):
            again = AssertionError(f"{name} is checked again")
            patches.enter_context(mock.patch.object(arguments, name, side_effect=again))
        simulate(model, start, 0.01, 4, stabilization=stabilization)


class TestErrors:
    def test_invalid_arguments_are_named(self):
        model, start, _ = chain(2)
        with pytest.raises(InvalidArgument, match="steps: got 0"):
            simulate(model, start, 0.1, 0)
        with pytest.raises(InvalidArgument, match="h: got 0"):
            simulate(model, start, 0.0, 1)
        with pytest.raises(InvalidArgument, match="stabilization: got 'glue'"):
            simulate(model, start, 0.1, 1, stabilization="glue")
        with pytest.raises(InvalidArgument, match="state: got 1 bodies"):
            simulate(model, State(start.E[:1], start.phi[:1]), 0.1, 1)
        with pytest.raises(InvalidArgument, match="gamma: got 25"):
            simulate(model, start, 0.1, 1, gamma=25.0)
        short = replace(model, applied_forces=lambda state: Forces.without_derivatives(np.zeros(6)))
        with pytest.raises(InvalidArgument, match="applied_forces: got shape"):
            simulate(short, start, 0.1, 1)
