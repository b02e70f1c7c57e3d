"""Steps of mechanisms: closed loops, order, drift, and projection of poses."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from mechanisms import G9, X, Y, Z, hanging_chain, pose, rods, run, step, steps, turn
from scipy.integrate import solve_ivp
from scipy.linalg import null_space

from rbnotes import Body, Model, inertia, se3
from rbnotes.arguments import SingularConfiguration
from rbnotes.constraints import factor_kkt
from rbnotes.dynamics import WORLD, Forces, State, symplectic_euler
from rbnotes.joints import ExponentialSpherical, Fixed, Revolute, Universal
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.step_settings import STABILIZATIONS
from rbnotes.testing.strategies import arrays, frames, numbers


def four_bar(angle, rate, placed):
    """Return a parallelogram of equal cranks, which swings like a single pendulum."""
    crank, coupler, m_crank, m_coupler = 0.5, 0.8, 0.6, 1.5
    bodies = rods([crank, coupler, crank], [m_crank, m_coupler, m_crank])
    end = turn(Y, angle) @ (crank * X)
    R, start = turn(Y, angle), np.array([coupler, 0, 0])
    poses = placed @ np.stack([pose(R), pose(p=end), pose(R, start)])
    speed = np.cross(rate * Y, end)
    twists = np.stack([[0, rate, 0, 0, 0, 0], [0, 0, 0, *speed], [0, rate, 0, 0, 0, 0]])
    own = pose(turn(X, -np.pi / 2))
    joint_frames = [placed @ pose(p=p) @ own for p in (np.zeros(3), start, end, start + end)]
    joints = [
        maximal.joint_from_world_frame(Revolute(), joint_frames[0], poses, 0),
        maximal.joint_from_world_frame(Revolute(), joint_frames[1], poses, 2),
        maximal.joint_from_world_frame(Revolute(), joint_frames[2], poses, 1, 0),
        maximal.joint_from_world_frame(Revolute(), joint_frames[3], poses, 1, 2),
    ]
    model = MaximalModel(bodies, joints, placed[:3, :3] @ [0, 0, -G9])
    inertia_ = 2 * m_crank * crank**2 / 3 + m_coupler * crank**2
    torque = G9 * (m_crank * crank + m_coupler * crank)

    def pendulum(t, y):
        return [y[1], torque * np.cos(y[0]) / inertia_]

    return model, State(poses, twists), pendulum


class TestClosedLoops:
    @given(numbers(0.25, 1.25), numbers(-3, 3), frames())
    def test_parallelogram_is_accelerated_as_a_pendulum(self, angle, rate, placed):
        model, state, pendulum = four_bar(angle, rate, placed)
        G = maximal.constraint_jacobian(model.joints, state.E).toarray()
        assert factor_kkt(model.mass_matrix(state), G).num_redundant == 3
        motion = maximal.accelerations(model, state)
        np.testing.assert_allclose(motion.phidot[[0, 2], 1], pendulum(0, [angle, rate])[1], atol=1e-8)
        np.testing.assert_allclose(motion.phidot[1, :3], 0, atol=1e-8)
        # Of all multipliers that do it the least ones are taken, and they hold the bodies as any would.
        np.testing.assert_allclose(null_space(G.T, rcond=1e-9).T @ motion.multipliers, 0, atol=1e-8)
        force = model.force(state) + G.T @ motion.multipliers
        np.testing.assert_allclose(model.mass_matrix(state) @ motion.phidot.ravel(), force, atol=1e-8)

    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    def test_parallelogram_steps(self, stabilization):
        h, count = 0.004, 50
        model, state, pendulum = four_bar(0.4, 0.5, pose(turn(X, 0.7), [1, 2, 3]))
        exact = solve_ivp(pendulum, (0, h * count), [0.4, 0.5], rtol=1e-10, atol=1e-10).y[1, -1]
        end = steps(model, state, h, count, stabilization=stabilization)[-1]
        np.testing.assert_allclose(end.phi[[0, 2], 1], exact, rtol=0.01)

    def cardan(self, bend):
        """Return two shafts in bearings, at an angle, with a universal joint between them: a closed loop."""
        drive, driven = pose(turn(Y, -np.pi / 2)), pose(turn(Z, bend) @ turn(Y, -np.pi / 2))
        bodies = np.stack([inertia.spatial_inertia(1.0, np.diag([0.2, 0.2, 0.1]))] * 2)
        poses = np.stack([drive, driven])
        joints = [
            maximal.Joint(Revolute(), 0, None, WORLD, drive),
            maximal.Joint(Revolute(), 1, None, WORLD, driven),
            # x of the parent and y of the body are the axes of the cross, perpendicular to both shafts.
            maximal.Joint(Universal(), 1, pose(), 0, pose()),
        ]
        return MaximalModel(bodies, joints, np.zeros(3)), poses

    @pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
    def test_universal_joint_drives_a_bent_shaft(self, bend):
        """Ratio of speeds: cos b / (1 - sin^2 b sin^2 q), with the cross upright at q = 0."""
        model, poses = self.cardan(bend)
        np.testing.assert_allclose(maximal.constraint_error(model.joints, poses), 0, atol=1e-12)
        twists = np.zeros((2, 6))
        twists[0, 2] = 3.0
        path = steps(model, maximal.project(model, State(poses, twists)), 0.05, 24)
        ratios, angles = [], []
        for k in range(1, len(path)):
            fresh = maximal.project(model, path[k])  # twists that fit the poses after the step
            ratios.append(fresh.phi[1, 2] / fresh.phi[0, 2])
            axis = (poses[0].T @ fresh.E[0])[:2, 0]
            angles.append(np.arctan2(axis[1], axis[0]))
        assert np.ptp(angles) > np.pi / 2
        np.testing.assert_allclose(
            ratios, np.cos(bend) / (1 - np.sin(bend) ** 2 * np.sin(angles) ** 2), atol=1e-9
        )


@cache
def exact_end():
    """Return the poses of the chain after 0.2 s."""
    return run(*hanging_chain(), 0.2, 1).E[-1]


class TestSteps:
    @pytest.mark.slow
    def test_reference_conserves_energy_and_joints(self):
        model, state = hanging_chain()
        ends = [run(model, state, 0.1 / n, n)[n] for n in (1, 3)]
        np.testing.assert_allclose(ends[0].E, ends[1].E, atol=1e-8)
        for end in ends:
            assert model.energy(end) == pytest.approx(model.energy(state), abs=1e-7)
            np.testing.assert_allclose(maximal.constraint_error(model.joints, end.E), 0, atol=1e-8)

    @pytest.mark.slow
    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    def test_step_is_of_first_order(self, stabilization):
        model, state = hanging_chain()
        exact = exact_end()
        ends = [steps(model, state, 0.2 / n, n, stabilization=stabilization).E[-1] for n in (20, 40)]
        errors = [np.linalg.norm(end - exact) for end in ends]
        assert 1.8 < errors[0] / errors[1] < 2.2

    @pytest.mark.slow
    def test_drift_of_each_stabilization(self):
        model, state = hanging_chain()
        drift = {}
        for stabilization in STABILIZATIONS:
            poses = steps(model, state, 0.01, 30, stabilization=stabilization).E
            drift[stabilization] = max(np.abs(maximal.constraint_error(model.joints, E)).max() for E in poses)
        assert drift["projection"] < 1e-10
        assert 1e-5 < drift["baumgarte"] < 0.3 * drift["none"]

    def test_baumgarte_reduces_errors_at_its_rate(self):
        model, state = hanging_chain()
        apart = state.E @ se3.exp(1e-4 * np.arange(18).reshape(3, 6) / 18)
        before = maximal.constraint_error(model.joints, apart)
        G = maximal.constraint_jacobian(model.joints, apart)
        after, _ = step(model, State(apart, state.phi), 1e-3, stabilization="baumgarte", gamma=300.0)
        np.testing.assert_allclose(G @ after.phi.ravel(), -300.0 * before, rtol=1e-6, atol=1e-9)

    def test_impulses_are_forces_times_the_step(self):
        model, state = hanging_chain()
        h = 1e-6
        impulses = step(model, state, h, stabilization="none")[1]
        # Twists before and after the step satisfy the same rows: the drift is not in it.
        G = maximal.constraint_jacobian(model.joints, state.E).toarray()
        force = model.force(state)
        expected = factor_kkt(model.mass_matrix(state), G).solve(force)[1]
        np.testing.assert_allclose(impulses / h, expected, rtol=1e-5)

    def test_applied_wrenches_do_work(self):
        model, state = hanging_chain()
        push = np.arange(18.0)
        pushed = replace(model, applied_forces=lambda state: Forces.without_derivatives(push))
        motion = maximal.accelerations(pushed, state)
        power = np.sum((model.inertias @ motion.phidot[..., None])[..., 0] * state.phi)
        lift = model.force(state) @ state.velocity
        np.testing.assert_allclose(power, lift + push @ state.velocity, atol=1e-9)

    def test_bodies_without_joints_move_freely(self):
        bodies = rods([0.5, 0.7], [1.0, 2.0])
        state = State(np.stack([pose(), pose(turn(X, 0.3))]), np.arange(12.0).reshape(2, 6) / 6)
        after, _ = step(MaximalModel(bodies), state, 0.01)
        for k in range(2):
            free = Model([Body("free", inertia=bodies[k])])
            alone = symplectic_euler(free, State(state.E[k], state.phi[k]), 0.01)
            np.testing.assert_allclose(after.E[k], alone.E[0], atol=1e-12)
            np.testing.assert_allclose(after.phi[k], alone.phi[0], atol=1e-12)


class TestProjection:
    @given(arrays(3, 6), arrays(3, 6))
    def test_projection_closes_joints(self, moves, twists):
        model, state = hanging_chain()
        apart = State(state.E @ se3.exp(0.1 * moves), twists)
        together = maximal.project(model, apart)
        np.testing.assert_allclose(maximal.constraint_error(model.joints, together.E), 0, atol=1e-10)
        G = maximal.constraint_jacobian(model.joints, together.E)
        np.testing.assert_allclose(G @ together.phi.ravel(), 0, atol=1e-9)

    def test_projection_weights_bodies_by_mass(self):
        """Two free bodies, apart along z: the heavy one moves less, and their center of mass stays."""
        bodies = np.stack([inertia.spatial_inertia(m, 0.1 * np.eye(3)) for m in (1.0, 3.0)])
        model = MaximalModel(bodies, [maximal.Joint(Fixed(), 0, parent=1)])
        together = maximal.project_poses(model, np.stack([pose(), pose(p=[0, 0, 0.4])]))
        np.testing.assert_allclose(together[:, :3, 3], [[0, 0, 0.3]] * 2, atol=1e-12)

    def test_unreachable_joints_are_reported(self):
        body = inertia.spatial_inertia(1.0, 0.1 * np.eye(3))
        joints = [maximal.Joint(ExponentialSpherical(), 0, None, WORLD, pose(p=[x, 0, 0])) for x in (0, 1)]
        with pytest.raises(SingularConfiguration, match=r"poses: got joints that are still 0\.5 apart"):
            maximal.project_poses(MaximalModel(body[None], joints), np.eye(4)[None])
