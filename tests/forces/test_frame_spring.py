"""Frame springs: against an independent energy and force, and physical laws."""

import numpy as np
import pinocchio
import pytest
from frame_springs import (
    AT_REST,
    close,
    derivative_along,
    left_jacobian,
    pairs,
    second_force,
    springs,
    to_world,
    velocities,
)
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.forces.assembly import assemble
from rbnotes.forces.frame_spring import (
    FrameSpring,
    FrameSprings,
    frame_displacement,
    frame_spring_dissipated_power,
    frame_spring_energy,
    frame_spring_forces,
)
from rbnotes.forces.world_axes import at_constant_world_velocity, rotate_to_world
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import frames, rotation_vectors, spd_matrices, twists, vectors


@given(pairs(), velocities(), vectors(12))
def test_forces_and_jacobians_against_a_second_force(pair, phi, xi):
    spring, E, _ = pair
    forces = frame_spring_forces(spring, E, phi)
    close(forces.w.ravel(), second_force(spring, E, phi), 1e-11)
    close(forces.K @ xi, derivative_along(lambda E: second_force(spring, E, phi), E, xi))
    close(forces.D @ xi, derivative(lambda t: second_force(spring, E, phi + t * xi.reshape(2, 6))).value)


@pytest.mark.slow
@given(pairs(), velocities(), vectors(12))
def test_jacobians_in_world_axes_at_world_velocities(pair, phi, xi):
    spring, E, _ = pair
    R = E[:, :3, :3]
    velocity, shift = to_world(R, phi), xi.reshape(2, 2, 3)

    def world_forces(t, velocity):
        displaced = E.copy()
        displaced[:, :3, :3] = Rotation.from_rotvec(t * shift[:, 0]).as_matrix() @ R
        displaced[:, :3, 3] += t * shift[:, 1]
        body_velocity = to_world(np.swapaxes(displaced[:, :3, :3], -1, -2), velocity)
        return to_world(displaced[:, :3, :3], second_force(spring, displaced, body_velocity)).ravel()

    result = rotate_to_world(at_constant_world_velocity(frame_spring_forces(spring, E, phi), phi), E)
    close(result.w.ravel(), world_forces(0, velocity), 1e-11)
    close(result.K @ xi, derivative(lambda t: world_forces(t, velocity)).value)
    close(result.D @ xi, derivative(lambda t: world_forces(0, velocity + t * xi.reshape(2, 6))).value)


@given(pairs(), velocities(), vectors(12))
def test_body_axes_at_world_velocities(pair, phi, xi):
    spring, E, _ = pair
    velocity = to_world(E[:, :3, :3], phi)

    def force(displaced):
        return second_force(spring, displaced, to_world(np.swapaxes(displaced[:, :3, :3], -1, -2), velocity))

    converted = at_constant_world_velocity(frame_spring_forces(spring, E, phi), phi)
    close(converted.K @ xi, derivative_along(force, E, xi))


@given(pairs(), vectors(12))
def test_force_is_minus_the_energy_gradient(pair, xi):
    spring, E, w = pair
    power = derivative_along(lambda E: frame_spring_energy(spring, E), E, xi)
    close(frame_spring_forces(spring, E, AT_REST).w.ravel() @ xi, -power)
    r = frame_displacement(spring, E)[:3, 3]
    assert frame_spring_energy(spring, E) == pytest.approx((r @ spring.K_t @ r + w @ spring.K_r @ w) / 2)


@given(spd_matrices(3), rotation_vectors().filter(lambda w: 0.1 < np.linalg.norm(w) < 3))
def test_naive_torque_has_a_potential_for_isotropic_stiffness_only(K_r, w):
    def one_form(w):  # the torque K_r w as a covector on rotation vectors
        return left_jacobian(w).T @ K_r @ w

    curl = jacobian(one_form, w).value
    small = jacobian(one_form, 1e-3 * w).value
    isotropic = K_r.trace() / 3 * np.eye(3)
    # Near the identity the curl is [(tr K - 3 K) w] / 2.
    assert_allclose(small.T - small, 0.5e-3 * so3.hat(3 * (isotropic - K_r) @ w), atol=2e-6 * np.trace(K_r))
    closed = jacobian(lambda w: left_jacobian(w).T @ isotropic @ w, w).value
    close(closed, closed.T)
    if np.abs((isotropic - K_r) @ w).max() > 0.1 and np.linalg.norm(w) < 1:
        assert np.abs(curl - curl.T).max() > 1e-3


@pytest.mark.slow
@given(pairs(), velocities())
def test_damping_is_passive(pair, phi):
    spring, E, _ = pair
    dissipated = (
        frame_spring_forces(spring, E, AT_REST).w - frame_spring_forces(spring, E, phi).w
    ).ravel() @ phi.ravel()
    power = frame_spring_dissipated_power(spring, E, phi)
    assert power >= 0
    assert power == pytest.approx(dissipated, abs=1e-9)
    close(frame_spring_forces(spring, E, phi).D, frame_spring_forces(spring, E, phi).D.T, 1e-12)
    assert np.linalg.eigvalsh(frame_spring_forces(spring, E, phi).D).max() < 1e-9


@pytest.mark.slow
@given(springs(isotropic=True), frames(), vectors().filter(lambda r: np.linalg.norm(r) > 0.25))
def test_stretched_spring_attracts(spring, A, r):
    B = A @ spring.X_1 @ se3.frame(np.eye(3), r) @ se3.inverse(spring.X_2)
    E = np.array([A, B])
    w = frame_spring_forces(spring, E, AT_REST).w
    x_1, x_2 = (A @ spring.X_1)[:3, 3], (B @ spring.X_2)[:3, 3]
    assert (x_2 - x_1) @ A[:3, :3] @ w[0, 3:] > 0
    assert (x_2 - x_1) @ B[:3, :3] @ w[1, 3:] < 0


def total_wrench(E, w):
    """Sum of wrenches on bodies, in world axes about the world's origin."""
    return sum(se3.Ad_inverse(pose).T @ wrench for pose, wrench in zip(E, w, strict=True))


@pytest.mark.slow
@given(pairs(), velocities())
def test_action_and_reaction_about_one_point(pair, phi):
    spring, E, _ = pair
    total = total_wrench(E, frame_spring_forces(spring, E, phi).w)
    if spring.damping == "displacement":
        close(total, np.zeros(6), 1e-9)
        return
    # Lloyd's damper leaves over the couple of two opposite forces at the two origins.
    elastic = frame_spring_forces(spring, E, AT_REST).w
    F_1, F_2 = E[0] @ spring.X_1, E[1] @ spring.X_2
    viscous = E[0, :3, :3] @ (frame_spring_forces(spring, E, phi).w - elastic)[0, 3:]
    close(total_wrench(E, elastic), np.zeros(6), 1e-9)
    close(total, np.concatenate([np.cross(F_1[:3, 3] - F_2[:3, 3], viscous), np.zeros(3)]), 1e-9)


@pytest.mark.slow
@given(pairs(), velocities(), frames())
def test_common_displacement_does_not_change_wrenches(pair, phi, T):
    spring, E, _ = pair
    here, there = frame_spring_forces(spring, E, phi), frame_spring_forces(spring, T @ E, phi)
    for before, after in zip(here, there, strict=True):
        close(after, before, 1e-10)


@pytest.mark.slow
@given(pairs(), twists())
def test_common_motion_causes_no_force(pair, twist):
    spring, E, _ = pair
    phi = np.array([se3.Ad_inverse(pose) @ twist for pose in E])
    forces = frame_spring_forces(spring, E, phi)
    # Moving both bodies alike does not change the wrenches, at twists that stay.
    close(forces.K @ phi.ravel(), np.zeros(12), 1e-9)
    r = frame_displacement(spring, E)[:3, 3]
    turning = (E[0] @ spring.X_1)[:3, :3].T @ twist[:3]
    expected = np.cross(turning, r) @ spring.D_t @ np.cross(turning, r) * (spring.damping == "origins")
    assert frame_spring_dissipated_power(spring, E, phi) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@given(pairs(isotropic=True))
def test_torque_against_pinocchio(pair):
    spring, E, w = pair
    k_r = spring.K_r[0, 0]
    still = FrameSpring(spring.X_1, spring.X_2, np.zeros((3, 3)), spring.K_r)
    forces = frame_spring_forces(still, E, AT_REST)
    relative = frame_displacement(spring, E)
    twelve = block_diag(se3.Ad_inverse(spring.X_1), se3.Ad_inverse(spring.X_2))
    K = np.linalg.solve(twelve.T, forces.K) @ np.linalg.inv(twelve)
    close(K[6:9, 6:9], -k_r * pinocchio.Jlog3(relative[:3, :3]), 1e-9)
    close(forces.w[0] @ se3.Ad(spring.X_1), np.concatenate([k_r * w, np.zeros(3)]), 1e-9)


@given(pairs(angles="small"), velocities())
def test_small_angles(pair, phi):
    spring, E, w = pair
    forces = frame_spring_forces(spring, E, phi)
    # At the identity, torque and stiffness are linear: K_r w, K_r; the next term is [w] and the like.
    slack = 10 * np.linalg.norm(w)
    level = E.copy()
    level[1] = E[1] @ spring.X_2 @ se3.frame(Rotation.from_rotvec(-w).as_matrix(), np.zeros(3)) \
        @ se3.inverse(spring.X_2)  # fmt: skip
    limit = frame_spring_forces(spring, level, phi)
    for nearby_value, limit_value in zip(forces, limit, strict=True):
        assert np.abs(nearby_value - limit_value).max() < slack * (1 + np.abs(limit_value).max())
    turning = FrameSpring(spring.X_1, spring.X_2, np.zeros((3, 3)), spring.K_r)
    torque = se3.Ad(spring.X_1).T @ frame_spring_forces(turning, E, AT_REST).w[0]
    expected = spring.K_r @ w + np.cross(w, spring.K_r @ w) / 2
    assert_allclose(torque[:3], expected, rtol=0, atol=1e-13 + 5 * np.linalg.norm(w) ** 3)


def test_undeformed_spring_has_zero_force():
    spring = FrameSpring.isotropic(np.eye(4), np.eye(4), 2.0, 3.0, 1.0, 0.5)
    forces = frame_spring_forces(spring, np.array([np.eye(4)] * 2), AT_REST)
    expected = np.kron([[-1, 1], [1, -1]], np.diag([3, 3, 3, 2, 2, 2]))
    assert np.all(forces.w == 0)
    assert_allclose(forces.K, expected, atol=1e-15)
    assert frame_spring_energy(spring, np.array([np.eye(4)] * 2)) == 0


@given(pairs(isotropic=True, angles="near_pi"), velocities())
def test_near_half_turns(pair, phi):
    spring, E, w = pair
    k_r = spring.K_r[0, 0]
    forces = frame_spring_forces(spring, E, phi)
    assert all(np.all(np.isfinite(part)) for part in forces)
    torque = se3.Ad(spring.X_1).T @ frame_spring_forces(spring, E, AT_REST).w[0]
    assert_allclose(torque[:3], k_r * w, atol=1e-7)
    # K continues K from a little before, without growing.
    earlier = E.copy()
    back = Rotation.from_rotvec(-1e-2 * w / np.linalg.norm(w)).as_matrix()
    earlier[1] = E[1] @ spring.X_2 @ se3.frame(back, np.zeros(3)) @ se3.inverse(spring.X_2)
    before = frame_spring_forces(spring, earlier, phi).K
    assert np.abs(forces.K - before).max() < 0.1 * (1 + np.abs(before).max())


def test_torque_jumps_at_a_half_turn_and_the_energy_does_not():
    spring = FrameSpring.isotropic(np.eye(4), np.eye(4), 1.0, 2.0)

    def rotated_frames(angle):
        return np.array([np.eye(4), se3.frame(so3.exp([0, 0, angle]), np.zeros(3))])

    below, half_turn, above = (rotated_frames(np.pi + offset) for offset in (-1e-9, 0.0, 1e-9))
    torques = [frame_spring_forces(spring, E, AT_REST).w[0, 2] for E in (below, half_turn, above)]
    assert_allclose(torques, [2 * np.pi, 2 * np.pi, -2 * np.pi], atol=1e-6)
    energies = [frame_spring_energy(spring, E) for E in (below, half_turn, above)]
    assert_allclose(energies, np.pi**2, atol=1e-7)


def test_broadcasts_over_leading_axes():
    rng = np.random.default_rng(0)
    poses = se3.exp(rng.normal(size=(4, 5, 2, 6)))
    X_1, X_2 = se3.exp(rng.normal(size=(5, 6))), se3.exp(rng.normal(size=6))
    k = rng.uniform(1, 2, size=5)
    spring = FrameSpring.isotropic(X_1, X_2, k, 2.0, 0.5, 0.25)
    phi = rng.normal(size=(5, 2, 6))
    forces = frame_spring_forces(spring, poses, phi)
    assert (forces.w.shape, forces.K.shape) == ((4, 5, 2, 6), (4, 5, 12, 12))
    alone = frame_spring_forces(FrameSpring.isotropic(X_1[3], X_2, k[3], 2.0, 0.5, 0.25), poses[2, 3], phi[3])
    world = rotate_to_world(at_constant_world_velocity(forces, phi), poses)
    alone_world = rotate_to_world(at_constant_world_velocity(alone, phi[3]), poses[2, 3])
    for many, one in ((forces, alone), (world, alone_world)):
        assert_allclose(many.w[2, 3], one.w, atol=1e-12)
        assert_allclose(many.K[2, 3], one.K, atol=1e-12)
        assert_allclose(many.D[2, 3] if many.D.ndim == 4 else many.D[3], one.D, atol=1e-12)
    assert frame_spring_energy(spring, poses).shape == (4, 5)
    assert frame_spring_dissipated_power(spring, poses, phi).shape == (4, 5)


def test_wrong_arguments_are_named():
    eye, identity = np.eye(4), np.eye(3)
    spring = FrameSpring.isotropic(eye, eye, 1.0, 1.0)
    with pytest.raises(InvalidArgument, match=r"X_1.*rigid|X_1.*rotation"):
        FrameSpring.isotropic(2 * eye, eye, 1.0, 1.0)
    with pytest.raises(InvalidArgument, match=r"k_t: got -1"):
        FrameSpring.isotropic(eye, eye, -1.0, 1.0)
    with pytest.raises(InvalidArgument, match=r"K_r: got smallest eigenvalue -1"):
        FrameSpring(eye, eye, identity, np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(InvalidArgument, match=r"D_t.*symmetric"):
        FrameSpring(eye, eye, identity, identity, np.triu(np.ones((3, 3))))
    with pytest.raises(InvalidArgument, match=r"damping.*'origins'"):
        FrameSpring(eye, eye, identity, identity, damping="air")
    with pytest.raises(InvalidArgument, match=r"E.*shape \(4, 4\)"):
        frame_spring_forces(spring, eye, AT_REST)
    with pytest.raises(InvalidArgument, match=r"E.*one for each of the two bodies"):
        frame_spring_forces(spring, np.array([eye] * 3), AT_REST)
    with pytest.raises(InvalidArgument, match=r"phi.*one for each of the two bodies"):
        frame_spring_forces(spring, np.array([eye] * 2), np.zeros((3, 6)))
    with pytest.raises(InvalidArgument, match=r"phi.*NaN"):
        frame_spring_forces(spring, np.array([eye] * 2), np.full((2, 6), np.nan))
    with pytest.raises(InvalidArgument, match=r"bodies.*-1 to 0"):
        assemble([FrameSprings(spring, [0, 1])], State(eye[None], np.zeros((1, 6))))
    with pytest.raises(InvalidArgument, match=r"bodies"):
        assemble([FrameSprings(spring, [0.5, 0])], State(eye[None], np.zeros((1, 6))))


def test_singular_stiffness_with_rounding_is_accepted():
    """Eigenvalues that are zero but for rounding, of large numbers."""
    eye = np.eye(4)
    for axis in np.random.default_rng(2).normal(size=(20, 3)):
        FrameSpring(eye, eye, np.eye(3), 1e9 * np.outer(axis, axis))
