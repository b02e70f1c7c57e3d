"""Every joint in maximal coordinates: what follows from its S alone, against motions made from its q."""

import numpy as np
import pytest
from scipy.linalg import expm

from rbnotes import inertia, joints, maximal, se3
from rbnotes.checking import derivative
from rbnotes.dynamics import WORLD, Forces, State


def frame(rng):
    E = expm(se3.hat(rng.normal(size=6)))
    E[3] = 0, 0, 0, 1
    return E


class Mover:
    """A body on a joint, itself on a parent that moves (or is the world), and their motion in time."""

    def __init__(self, kind, q, qdot, qddot, with_parent, seed):
        rng = np.random.default_rng(seed)
        self.kind, self.q, self.qdot, self.qddot = kind, q, qdot, qddot
        self.joint = maximal.Joint(kind, 1, frame(rng), 0 if with_parent else WORLD, frame(rng))
        self.start, self.twist = frame(rng), rng.normal(size=6)
        self.twist_rate = rng.normal(size=6)

    def poses(self, t):
        """Bodies: the parent, or a bystander; the joint's body."""
        first = self.start @ expm(se3.hat(t * self.twist + t**2 / 2 * self.twist_rate))
        base = np.eye(4) if self.joint.parent == WORLD else first
        Q = self.kind.transform(self.q + t * self.qdot + t**2 / 2 * self.qddot)
        poses = np.stack([first, base @ self.joint.parent_frame @ Q @ np.linalg.inv(self.joint.frame)])
        poses[:, 3] = 0, 0, 0, 1
        return poses

    def twists(self, t):
        rate = derivative(self.poses, t).value
        X = np.linalg.inv(self.poses(t)) @ rate
        return np.stack([np.r_[x[2, 1], x[0, 2], x[1, 0], x[:3, 3]] for x in X])


@pytest.fixture(params=[True, False], ids=["on a body", "on the world"])
def movers(case, request):
    def make():
        places = zip(case.random(2), case.rates(2), case.rates(2, seed=9), strict=True)
        for seed, (q, qdot, qddot) in enumerate(places):
            if case.joint.constraints:
                q, qdot = case.joint.reparametrise(q, qdot)
            yield Mover(case.joint, q, qdot, qddot, request.param, seed)

    return make


def size(array):
    return np.max(np.abs(array), initial=1.0)


def test_allowed_motions_satisfy_the_rows(movers):
    for mover in movers():
        poses, twists = mover.poses(0.0), mover.twists(0.0)
        G = maximal.joint_rows(mover.joint, poses)
        assert G.shape == (6 - mover.kind.freedom, 12)
        assert np.linalg.matrix_rank(G, tol=1e-9) == len(G)
        np.testing.assert_allclose(G @ twists.ravel(), 0, atol=1e-8 * size(twists))
        relative = maximal.relative_twist(mover.joint, poses, twists)
        np.testing.assert_allclose(relative, mover.kind.S(mover.q) @ mover.qdot, atol=1e-8 * size(relative))


def test_their_accelerations_satisfy_the_rows_and_drifts(movers):
    for mover in movers():
        poses, twists = mover.poses(0.0), mover.twists(0.0)
        accelerations = derivative(mover.twists, step=1e-2).value
        G = maximal.joint_rows(mover.joint, poses)
        drift = maximal.joint_drift(mover.joint, poses, twists)
        np.testing.assert_allclose(G @ accelerations.ravel() + drift, 0, atol=1e-5 * size(accelerations))


def test_their_errors_vanish(movers):
    for mover in movers():
        np.testing.assert_allclose(maximal.joint_error(mover.joint, mover.poses(0.0)), 0, atol=1e-9)


def test_errors_grow_along_the_rows(movers):
    """As wrenches: the basis of the rows may jump from state to state, what they span does not."""
    for mover in movers():
        joint, start = mover.joint, mover.poses(0.0)
        twists = np.random.default_rng(3).normal(size=(2, 6))

        def error(t, joint=joint, start=start, twists=twists):
            poses = start @ np.stack([expm(t * se3.hat(twist)) for twist in twists])
            poses[:, 3] = 0, 0, 0, 1
            return maximal.joint_rows(joint, poses)[:, 6:].T @ maximal.joint_error(joint, poses)

        G = maximal.joint_rows(joint, start)
        expected = G[:, 6:].T @ G @ twists.ravel()
        rate = derivative(error, step=1e-3).value
        np.testing.assert_allclose(rate, expected, atol=1e-7 * size(expected))


def test_reactions_do_no_work_on_allowed_motions(movers):
    for mover in movers():
        poses, rng = mover.poses(0.0), np.random.default_rng(4)
        multipliers = rng.normal(size=mover.joint.count)
        reaction = maximal.reactions(mover.joint, poses, multipliers)
        twists = mover.twists(0.0)
        power = reaction.on_body @ twists[1]
        if mover.joint.parent != WORLD:
            power += reaction.on_parent @ twists[0]
        np.testing.assert_allclose(power, 0, atol=1e-7 * size(twists))
        # A mover's own twist is one motion: also none of the joint's single coordinates is worked on.
        own = se3.Ad(mover.joint.frame) @ mover.kind.S(mover.q)
        np.testing.assert_allclose(reaction.on_body @ own, 0, atol=1e-11 * size(own))


def test_a_mechanism_moves_as_the_coordinates_do(case):
    """Accelerations by rows and multipliers, and by S and the equations in q, of one body on the joint."""
    rng, joint = np.random.default_rng(11), case.joint
    M = inertia.spatial_inertia(1.3, np.diag([1.0, 1.4, 1.7]), [0.2, -0.1, 0.3])
    for q, qdot in zip(case.random(2), case.rates(2), strict=True):
        if joint.constraints:
            q, qdot = joint.reparametrise(q, qdot)
        S, drift = joint.S(q), joint.Sdot(q, qdot) @ qdot
        twist, applied = S @ qdot, rng.normal(size=6)
        push = Forces.without_derivatives(applied)
        held = [maximal.Joint(joint, 0)]
        mechanism = maximal.Mechanism(M[None], held, np.zeros(3), lambda state, push=push: push)
        found = maximal.accelerations(mechanism, State(joint.transform(q), twist)).phidot[0]
        wrench = applied + se3.ad(twist).T @ M @ twist
        qddot = np.linalg.pinv(S.T @ M @ S, rcond=1e-11) @ (S.T @ (wrench - M @ drift))
        expected = S @ qddot + drift
        np.testing.assert_allclose(found, expected, atol=1e-8 * size(expected))


def test_joints_of_one_type_and_of_many_are_computed_alike(case):
    """A chain of this joint and hinges: rows, errors and drifts as of each joint alone."""
    rng = np.random.default_rng(12)
    poses = np.stack([frame(rng) for _ in range(4)])
    twists = rng.normal(size=(4, 6))
    chain = []
    for k, kind in enumerate((case.joint, joints.Revolute(), case.joint, joints.Universal())):
        q = case.random(4)[k] if kind is case.joint else None
        chain.append(maximal.joint_at(kind, frame(rng), poses, k, k - 1 if k else WORLD, q))
    alone = [
        np.concatenate([f(joint, poses, *more) for joint in chain])
        for f, more in (
            (maximal.joint_rows, ()),
            (maximal.joint_error, ()),
            (maximal.joint_drift, (twists,)),
        )
    ]
    np.testing.assert_allclose(maximal.joint_matrix(chain, poses).toarray(), alone[0], atol=1e-12)
    np.testing.assert_allclose(maximal.joint_errors(chain, poses), alone[1], atol=1e-9)
    np.testing.assert_allclose(alone[1], 0, atol=1e-9)
    drifts = maximal.joint_drifts(chain, poses, twists)
    np.testing.assert_allclose(drifts, alone[2], atol=1e-9 * size(drifts))


def test_steps_keep_the_joint_together(case):
    """A body falls on its joint for a while; each step brings the joint back together."""
    M = inertia.spatial_inertia(1.3, np.diag([1.0, 1.4, 1.7]), [0.2, -0.1, 0.3])
    joint = maximal.Joint(case.joint, 0, frame(np.random.default_rng(13)))
    mechanism = maximal.Mechanism(M[None], [joint])
    pose = case.joint.transform(case.random(1)[0]) @ np.linalg.inv(joint.frame)
    pose[3] = 0, 0, 0, 1
    path = maximal.simulate(maximal.World(mechanism), State(pose), 0.02, 5)
    for poses in path.states.E[1:]:
        np.testing.assert_allclose(maximal.joint_errors([joint], poses), 0, atol=1e-9)
