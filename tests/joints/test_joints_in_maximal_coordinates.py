"""Every joint in maximal coordinates against motions of its coordinates."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest
from batch_differences import by_time
from maximal_simulation import simulate
from scipy.linalg import expm

from rbnotes import inertia, joints, se3
from rbnotes.dynamics import WORLD, Forces, State
from rbnotes.multibody import maximal


def frame(rng):
    E = expm(se3.hat(rng.normal(size=6)))
    E[3] = 0, 0, 0, 1
    return E


def vee(X):
    return np.concatenate([np.stack([X[:, 2, 1], X[:, 0, 2], X[:, 1, 0]], axis=1), X[:, :3, 3]], axis=1)


class Mover:
    """A body on a joint, itself on a parent that moves (or is the world), and their motion in time."""

    def __init__(self, kind, q, qdot, qddot, with_parent, seed):
        rng = np.random.default_rng(seed)
        self.kind, self.q, self.qdot, self.qddot = kind, q, qdot, qddot
        self.joint = maximal.Joint(kind, 1, frame(rng), 0 if with_parent else WORLD, frame(rng))
        self.start, self.twist = frame(rng), rng.normal(size=6)
        self.twist_rate = rng.normal(size=6)

    def poses(self, t):
        """Return bodies at times ``(m,)``: the parent, or a bystander; the joint's body ``(m, 2, 4, 4)``."""
        t = np.asarray(t)[:, None]
        first = self.start @ expm(se3.hat(t * self.twist + t**2 / 2 * self.twist_rate))
        base = np.eye(4) if self.joint.parent == WORLD else first
        Q = self.kind.transform(self.q + t * self.qdot + t**2 / 2 * self.qddot)
        second = base @ self.joint.parent_frame @ Q @ np.linalg.inv(self.joint.frame)
        poses = np.stack([first, second], axis=1)
        poses[..., 3, :] = 0, 0, 0, 1
        return poses

    @cached_property
    def motion(self):
        """Return poses ``(2, 4, 4)``, twists ``(2, 6)`` and their rates at t = 0, by differences."""
        E, velocity, acceleration = by_time(self.poses)
        X = np.linalg.inv(E) @ velocity
        return E, vee(X), vee(np.linalg.inv(E) @ acceleration - X @ X)


@pytest.fixture(params=[True, False], ids=["on a body", "on the world"])
def movers(case, request):
    def make():
        coordinates = zip(case.random(2), case.rates(2), case.rates(2, seed=9), strict=True)
        for seed, (q, qdot, qddot) in enumerate(coordinates):
            if case.joint.num_coordinate_constraints:
                q, qdot = case.joint.reparametrize(q, qdot)
            yield Mover(case.joint, q, qdot, qddot, request.param, seed)

    return make


def size(array):
    return np.max(np.abs(array), initial=1.0)


def test_allowed_motions_satisfy_the_rows(movers):
    for mover in movers():
        poses, twists, _ = mover.motion
        G = maximal.constraint_jacobian([mover.joint], poses).toarray()
        assert G.shape == (6 - mover.kind.num_dofs, 12)
        assert np.linalg.matrix_rank(G, tol=1e-9) == len(G)
        np.testing.assert_allclose(G @ twists.ravel(), 0, atol=1e-8 * size(twists))
        relative = maximal.relative_twist(mover.joint, poses, twists)
        np.testing.assert_allclose(
            relative, mover.kind.motion_subspace(mover.q) @ mover.qdot, atol=1e-8 * size(relative)
        )


def test_allowed_accelerations_satisfy_rows_and_bias(movers):
    for mover in movers():
        poses, twists, accelerations = mover.motion
        G = maximal.constraint_jacobian([mover.joint], poses).toarray()
        bias = maximal.constraint_bias_acceleration([mover.joint], poses, twists)
        np.testing.assert_allclose(G @ accelerations.ravel() + bias, 0, atol=1e-7 * size(accelerations))


def test_errors_of_allowed_poses_vanish(movers):
    for mover in movers():
        np.testing.assert_allclose(maximal.constraint_error([mover.joint], mover.motion[0]), 0, atol=1e-9)


def test_errors_grow_along_the_rows(movers):
    """Compared as wrenches, because the basis of the rows may jump between states."""
    for mover in movers():
        joint, start = mover.joint, mover.motion[0]
        twists = np.random.default_rng(3).normal(size=(2, 6))

        def errors(times, joint=joint, start=start, twists=twists):
            poses = start @ expm(times[:, None, None, None] * se3.hat(twists))
            poses[..., 3, :] = 0, 0, 0, 1
            # A pair of bodies and a joint for each time.
            count = len(times)
            parents = [WORLD if joint.parent == WORLD else 2 * k for k in range(count)]
            copies = [replace(joint, body=2 * k + 1, parent=parents[k]) for k in range(count)]
            constraint_errors = maximal.constraint_error(copies, poses.reshape(-1, 4, 4)).reshape(count, -1)
            G = maximal.constraint_jacobian(copies, poses.reshape(-1, 4, 4)).toarray()
            own_rows = G.reshape(count, joint.num_constraints, count, 12)[range(count), :, range(count), 6:]
            return np.einsum("kci,kc->ki", own_rows, constraint_errors)

        G = maximal.constraint_jacobian([joint], start).toarray()
        expected = G[:, 6:].T @ G @ twists.ravel()
        rate = by_time(errors, step=1e-3)[1]
        np.testing.assert_allclose(rate, expected, atol=1e-7 * size(expected))


def test_reactions_do_no_work_on_allowed_motions(movers):
    for mover in movers():
        (poses, twists, _), rng = mover.motion, np.random.default_rng(4)
        multipliers = rng.normal(size=mover.joint.num_constraints)
        reaction = maximal.joint_reactions(mover.joint, poses, multipliers)
        power = reaction.on_body @ twists[1]
        if mover.joint.parent != WORLD:
            power += reaction.on_parent @ twists[0]
        np.testing.assert_allclose(power, 0, atol=1e-7 * size(twists))
        # A mover's own twist is one motion: also none of the joint's single coordinates is worked on.
        subspace = se3.Ad(mover.joint.frame) @ mover.kind.motion_subspace(mover.q)
        np.testing.assert_allclose(reaction.on_body @ subspace, 0, atol=1e-11 * size(subspace))


def test_mechanism_accelerates_like_the_coordinates(case):
    """Accelerations by rows and multipliers, and by S and the equations in q, of one body on the joint."""
    rng, joint = np.random.default_rng(11), case.joint
    M = inertia.spatial_inertia(1.3, np.diag([1.0, 1.4, 1.7]), [0.2, -0.1, 0.3])
    for q, qdot in zip(case.random(2), case.rates(2), strict=True):
        if joint.num_coordinate_constraints:
            q, qdot = joint.reparametrize(q, qdot)
        S, bias = joint.motion_subspace(q), joint.motion_subspace_rate(q, qdot) @ qdot
        twist, applied = S @ qdot, rng.normal(size=6)
        force = Forces.without_derivatives(applied)
        joints = [maximal.Joint(joint, 0)]
        model = maximal.MaximalModel(M[None], joints, np.zeros(3), lambda state, force=force: force)
        accelerations = maximal.accelerations(model, State(joint.transform(q), twist)).phidot[0]
        wrench = applied + se3.ad(twist).T @ M @ twist
        qddot = np.linalg.pinv(S.T @ M @ S, rcond=1e-11) @ (S.T @ (wrench - M @ bias))
        expected = S @ qddot + bias
        np.testing.assert_allclose(accelerations, expected, atol=1e-8 * size(expected))


@pytest.mark.slow
def test_grouped_joints_equal_single_joints(case):
    """A chain of this joint and hinges: rows, errors and drifts as of each joint alone."""
    rng = np.random.default_rng(12)
    poses = np.stack([frame(rng) for _ in range(4)])
    twists = rng.normal(size=(4, 6))
    chain = []
    for k, kind in enumerate((case.joint, joints.Revolute(), case.joint, joints.Universal())):
        q = case.random(4)[k] if kind is case.joint else None
        chain.append(maximal.joint_from_world_frame(kind, frame(rng), poses, k, k - 1 if k else WORLD, q))
    rows = np.vstack([maximal.constraint_jacobian([joint], poses).toarray() for joint in chain])
    np.testing.assert_allclose(maximal.constraint_jacobian(chain, poses).toarray(), rows, atol=1e-12)
    errors = np.concatenate([maximal.constraint_error([joint], poses) for joint in chain])
    np.testing.assert_allclose(maximal.constraint_error(chain, poses), errors, atol=1e-9)
    np.testing.assert_allclose(errors, 0, atol=1e-9)
    biases = np.concatenate([maximal.constraint_bias_acceleration([joint], poses, twists) for joint in chain])
    result = maximal.constraint_bias_acceleration(chain, poses, twists)
    np.testing.assert_allclose(result, biases, atol=1e-9 * size(result))


@pytest.mark.slow
def test_steps_keep_the_joint_closed(case):
    """A body falls on its joint; each step closes the joint."""
    M = inertia.spatial_inertia(1.3, np.diag([1.0, 1.4, 1.7]), [0.2, -0.1, 0.3])
    joint = maximal.Joint(case.joint, 0, frame(np.random.default_rng(13)))
    pose = case.joint.transform(case.random(1)[0]) @ np.linalg.inv(joint.frame)
    pose[3] = 0, 0, 0, 1
    path = simulate(maximal.MaximalModel(M[None], [joint]), State(pose), 0.02, 3)
    for poses in path.states.E[1:]:
        np.testing.assert_allclose(maximal.constraint_error([joint], poses), 0, atol=1e-9)
