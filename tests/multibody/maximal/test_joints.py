"""Joints: rows and drifts against differences, errors of known size, reactions against statics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, null_space
from scipy.spatial.transform import Rotation

from rbnotes import joints as types
from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import WORLD
from rbnotes.multibody import maximal
from rbnotes.testing import derivative, jacobian_se3
from rbnotes.testing.strategies import arrays, frames, numbers, vectors

X, Y, Z = np.eye(3)

KINDS = {
    "fixed": types.Fixed(),
    "spherical": types.ExponentialSpherical(),
    "revolute": types.Revolute(),
    "prismatic": types.Prismatic(),
    "cylindrical": types.Cylindrical(),
    "planar": types.Free2D(),
    "universal": types.Universal(),
}
NAMES = {kind: name for name, kind in KINDS.items()}
FORBIDDEN = {
    "fixed": (0, 1, 2, 3, 4, 5),
    "spherical": (3, 4, 5),
    "revolute": (0, 1, 3, 4, 5),
    "prismatic": (0, 1, 2, 3, 4),
    "cylindrical": (0, 1, 3, 4),
    "planar": (0, 1, 5),
    "universal": (3, 4, 5),
}
"""Numbers of the relative twist that are zero; the cross of a universal joint has one more row."""


def pose(R=None, p=(0, 0, 0)):
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = np.eye(3) if R is None else R, p
    return E


def turn(axis, angle):
    return Rotation.from_rotvec(angle * axis).as_matrix()


def allowed_poses(kind, a, b, c):
    """Return the pose of the body's joint frame in the parent's for three free numbers."""
    return {
        "fixed": pose(),
        "spherical": pose(Rotation.from_rotvec([a, b, c]).as_matrix()),
        "revolute": pose(turn(Z, a)),
        "prismatic": pose(p=[0, 0, a]),
        "cylindrical": pose(turn(Z, a), [0, 0, b]),
        "planar": pose(turn(Z, a), [b, c, 0]),
        "universal": pose(turn(X, a) @ turn(Y, b)),
    }[kind]


def place_body(joint, poses, relative):
    """Return the poses with the joint frame of the body at a given pose in the frame of the parent."""
    poses = poses.copy()
    parent = np.eye(4) if joint.parent == WORLD else poses[joint.parent]
    poses[joint.body] = parent @ joint.parent_frame @ relative @ np.linalg.inv(joint.frame)
    poses[joint.body][3] = 0, 0, 0, 1
    return poses


@st.composite
def joints_in_place(draw, names=tuple(KINDS)):
    """Return a joint of one of three bodies to another or the world, and poses that it allows."""
    name = draw(st.sampled_from(names))
    body, parent = draw(st.sampled_from([(1, 0), (0, 2), (2, WORLD), (2, 1)]))
    poses = np.stack([draw(frames()) for _ in range(3)])
    joint = maximal.joint_from_world_frame(KINDS[name], draw(frames()), poses, body, parent)
    return joint, place_body(
        joint, poses, allowed_poses(name, *(draw(numbers(-1.25, 1.25)) for _ in range(3)))
    )


TWISTS = arrays(3, 6)


def error_in_the_world(joint, poses):
    """Return a joint's error from axes and origins of its frames in the world.

    It equals other definitions of the error to first order.
    """
    parent_pose = np.eye(4) if joint.parent == WORLD else poses[joint.parent]
    child, parent = poses[joint.body] @ joint.frame, parent_pose @ joint.parent_frame
    xc, yc, zc, xp, yp, zp = (*child[:3, :3].T, *parent[:3, :3].T)
    d = child[:3, 3] - parent[:3, 3]
    tilt = [yc @ zp, -xc @ zp]
    own = [xc @ d, yc @ d, zc @ d]
    return np.array(
        {
            "fixed": [*tilt, -yc @ xp, *own],
            "spherical": own,
            "revolute": [*tilt, *own],
            "prismatic": [*tilt, -yc @ xp, xp @ d, yp @ d],
            "cylindrical": [*tilt, xc @ (d - (zp @ d) * zp), yc @ (d - (zp @ d) * zp)],
            "planar": [*tilt, zp @ d],
            "universal": [*own, -xp @ yc],
        }[NAMES[joint.kind]]
    )


def error_jacobian(joint, poses):
    """Return the derivative ``(m, 18)`` of the error along the body twists of the three bodies."""

    def error(E, k):
        return error_in_the_world(joint, np.stack([*poses[:k], E, *poses[k + 1 :]]))

    return np.hstack([jacobian_se3(lambda E, k=k: error(E, k), poses[k]).value for k in range(3)])


def after(poses, twists, t):
    """Return poses after a time t of motion with constant body twists."""
    moving = np.stack([E @ expm(t * se3.hat(twist)) for E, twist in zip(poses, twists, strict=True)])
    moving[:, 3] = 0, 0, 0, 1
    return moving


def relative_pose(joint, poses):
    """Return the pose of the body's joint frame in that of the parent."""
    parent = np.eye(4) if joint.parent == WORLD else poses[joint.parent]
    return np.linalg.solve(parent @ joint.parent_frame, poses[joint.body] @ joint.frame)


class TestRows:
    @given(joints_in_place())
    def test_rows_are_the_derivative_of_the_world_error(self, place):
        joint, poses = place
        np.testing.assert_allclose(error_in_the_world(joint, poses), 0, atol=1e-12)
        np.testing.assert_allclose(
            maximal.constraint_jacobian([joint], poses).toarray(), error_jacobian(joint, poses), atol=1e-9
        )

    @given(joints_in_place())
    def test_rows_allow_exactly_the_joint_motions(self, place):
        joint, poses = place
        assert (
            np.linalg.matrix_rank(maximal.constraint_jacobian([joint], poses).toarray(), tol=1e-9)
            == joint.num_constraints
        )
        freedom = {
            "fixed": 0,
            "spherical": 3,
            "revolute": 1,
            "prismatic": 1,
            "cylindrical": 2,
            "planar": 3,
            "universal": 2,
        }
        assert joint.num_constraints == 6 - freedom[NAMES[joint.kind]]

    @given(joints_in_place())
    def test_rows_are_components_of_the_relative_twist(self, place):
        joint, poses = place
        name = NAMES[joint.kind]
        rows = types.constraint_force_basis(
            joint.kind, joint.kind.nearest_coordinates(relative_pose(joint, poses))
        )
        np.testing.assert_array_equal(rows[: len(FORBIDDEN[name])], np.eye(6)[list(FORBIDDEN[name])])
        if name == "universal":
            cross = np.cross(relative_pose(joint, poses)[0, :3], Y)
            np.testing.assert_allclose(rows[3], [*cross, 0, 0, 0], atol=1e-14)

    @given(joints_in_place(), TWISTS)
    @pytest.mark.slow
    def test_relative_twist_is_that_of_the_relative_pose(self, place, twists):
        joint, poses = place
        rate = derivative(lambda t: relative_pose(joint, after(poses, twists, t))).value
        twist = se3.hat(maximal.relative_twist(joint, poses, twists))
        np.testing.assert_allclose(rate, relative_pose(joint, poses) @ twist, atol=1e-9)

    @given(joints_in_place(), joints_in_place())
    @pytest.mark.slow
    def test_rows_of_several_joints_are_stacked(self, one, other):
        joints, poses = (one[0], other[0]), one[1]
        G = maximal.constraint_jacobian(joints, poses).toarray()
        rows = np.vstack([maximal.constraint_jacobian([joint], poses).toarray() for joint in joints])
        np.testing.assert_allclose(G, rows, rtol=0, atol=1e-13)
        errors = np.concatenate([maximal.constraint_error([joint], poses) for joint in joints])
        np.testing.assert_allclose(maximal.constraint_error(joints, poses), errors, rtol=0, atol=1e-12)

    def test_no_joints_give_no_rows(self):
        assert maximal.constraint_jacobian((), np.eye(4)[None]).shape == (0, 6)
        assert maximal.constraint_error((), np.eye(4)[None]).shape == (0,)
        assert maximal.constraint_bias_acceleration((), np.eye(4)[None], np.zeros((1, 6))).shape == (0,)


class TestErrors:
    @given(joints_in_place())
    def test_errors_vanish_at_allowed_poses(self, place):
        joint, poses = place
        np.testing.assert_allclose(maximal.constraint_error([joint], poses), 0, atol=1e-12)

    @given(joints_in_place(), TWISTS)
    @pytest.mark.slow
    def test_errors_grow_along_the_rows(self, place, twists):
        joint, poses = place
        rate = derivative(lambda t: maximal.constraint_error([joint], after(poses, twists, t))).value
        np.testing.assert_allclose(
            rate, maximal.constraint_jacobian([joint], poses).toarray() @ twists.ravel(), atol=1e-8
        )

    @given(joints_in_place(), vectors(6, -0.75, 0.75), numbers(-1, 1), numbers(-1, 1), numbers(-1, 1))
    def test_errors_are_angles_and_distances(self, place, misfit, a, b, c):
        """Whatever the joint allows first, then a rotation vector and a translation that it forbids."""
        joint, poses = place
        name = NAMES[joint.kind]
        forbidden = np.where(np.isin(np.arange(6), FORBIDDEN[name]), misfit, 0)
        away = allowed_poses(name, a, b, c) @ pose(
            Rotation.from_rotvec(forbidden[:3]).as_matrix(), forbidden[3:]
        )
        expected = misfit[list(FORBIDDEN[name])]
        if name == "universal":
            R = turn(X, a) @ turn(Z, misfit[2]) @ turn(Y, b)
            nearest = turn(X, a) @ turn(Y, b)
            away, expected = pose(R, nearest @ misfit[3:]), np.append(expected, misfit[2])
        error = maximal.constraint_error([joint], place_body(joint, poses, away))
        np.testing.assert_allclose(error, expected, atol=1e-10)

    def test_errors_are_finite_at_half_turns(self):
        for kind in KINDS.values():
            joint = maximal.Joint(kind, 0)
            for axis in np.eye(3):
                error = maximal.constraint_error([joint], pose(turn(axis, np.pi))[None])
                assert np.all(np.abs(error) <= np.pi + 1e-12)
        hinge = maximal.constraint_error([maximal.Joint(types.Revolute(), 0)], pose(turn(X, np.pi))[None])
        np.testing.assert_allclose(np.abs(hinge), [np.pi, 0, 0, 0, 0], atol=1e-12)


@given(joints_in_place(), TWISTS, frames())
@pytest.mark.slow
def test_drift_is_the_rate_of_rows_times_twists(place, twists, elsewhere):
    """Wherever the bodies are, the joint together or not."""
    joint, poses = place
    apart = poses.copy()
    apart[joint.body] = elsewhere
    for joint_poses in (poses, apart):
        rate = derivative(
            lambda t, joint_poses=joint_poses: (
                maximal.constraint_jacobian([joint], after(joint_poses, twists, t)).toarray() @ twists.ravel()
            )
        ).value
        np.testing.assert_allclose(
            maximal.constraint_bias_acceleration([joint], joint_poses, twists), rate, atol=1e-8
        )


class TestReactions:
    @given(joints_in_place(), vectors(6))
    def test_reactions_are_opposite_in_the_world(self, place, numbers_):
        joint, poses = place
        reaction = maximal.joint_reactions(joint, poses, numbers_[: joint.num_constraints])
        parent = np.eye(4) if joint.parent == WORLD else poses[joint.parent]
        forces, moments = [], []
        for E, wrench in ((poses[joint.body], reaction.on_body), (parent, reaction.on_parent)):
            torque, force = E[:3, :3] @ wrench[:3], E[:3, :3] @ wrench[3:]
            forces.append(force)
            moments.append(torque + np.cross(E[:3, 3], force))
        np.testing.assert_allclose(forces[0], -forces[1], atol=1e-10)
        np.testing.assert_allclose(moments[0], -moments[1], atol=1e-9)

    @given(joints_in_place(), vectors(6), vectors(18))
    @pytest.mark.slow
    def test_reactions_do_no_work_on_allowed_motions(self, place, numbers_, mixture):
        joint, poses = place
        reaction = maximal.joint_reactions(joint, poses, numbers_[: joint.num_constraints])
        free = null_space(error_jacobian(joint, poses), rcond=1e-7)
        twists = (free @ mixture[: free.shape[1]]).reshape(3, 6)
        power = reaction.on_body @ twists[joint.body]
        if joint.parent != WORLD:
            power += reaction.on_parent @ twists[joint.parent]
        np.testing.assert_allclose(power, 0, atol=1e-7)

    @given(joints_in_place(), vectors(6))
    def test_reaction_work_against_the_error(self, place, numbers_):
        """Work of the multipliers on any motion: themselves times the rate of the errors."""
        joint, poses = place
        pushes = numbers_[: joint.num_constraints]
        reaction = maximal.joint_reactions(joint, poses, pushes)
        work = pushes @ error_jacobian(joint, poses)
        for k, wrench in ((joint.body, reaction.on_body), (joint.parent, reaction.on_parent)):
            if k != WORLD:
                np.testing.assert_allclose(wrench, work[6 * k : 6 * k + 6], atol=1e-8)


class TestConstructors:
    def test_joint_at_a_world_frame(self):
        poses = np.stack([pose(turn(X, 0.4), [1, 0, 2]), pose(turn(Y, -0.7), [0, 3, 1])])
        where = pose(turn(Z, 1.1), [0.5, 0.6, 0.7])
        for parent in (0, WORLD):
            joint = maximal.joint_from_world_frame(types.Revolute(), where, poses, 1, parent)
            np.testing.assert_allclose(relative_pose(joint, poses), np.eye(4), atol=1e-14)
            np.testing.assert_allclose(poses[1] @ joint.frame, where, atol=1e-14)

    def test_invalid_joints_are_rejected(self):
        with pytest.raises(InvalidArgument, match="kind: got 'weld', expected a joint type"):
            maximal.Joint("weld", 0)
        with pytest.raises(InvalidArgument, match="parent: got 1, expected another body"):
            maximal.Joint(types.Revolute(), 1, parent=1)
        with pytest.raises(InvalidArgument, match="body: got -1, expected the index of a body"):
            maximal.Joint(types.Revolute(), -1)
        with pytest.raises(InvalidArgument, match=r"body: got 0\.5"):
            maximal.Joint(types.Revolute(), 0.5)
        with pytest.raises(InvalidArgument, match="parent: got None, expected the index of a body or WORLD"):
            maximal.Joint(types.Revolute(), 0, parent=None)
        with pytest.raises(InvalidArgument, match=r"parent_frame: got a matrix with max \|R\^T R - I\|"):
            maximal.Joint(
                types.ExponentialSpherical(), 0, parent_frame=2 * np.eye(4) - np.diag([0, 0, 0, 1.0])
            )
        with pytest.raises(InvalidArgument, match=r"frame: got shape \(2, 4, 4\)"):
            maximal.Joint(types.ExponentialSpherical(), 0, np.stack([np.eye(4)] * 2))


def test_wrong_arguments_are_named():
    joint, poses = maximal.Joint(types.Revolute(), 1, parent=0), np.stack([np.eye(4)] * 2)
    with pytest.raises(InvalidArgument, match="poses: got poses of 1 bodies, expected at least 2"):
        maximal.constraint_jacobian([joint], poses[:1]).toarray()
    with pytest.raises(InvalidArgument, match=r"poses: got shape \(4, 4\), expected one pose for each body"):
        maximal.constraint_error([joint], np.eye(4))
    with pytest.raises(InvalidArgument, match=r"twists: got shape \(3, 6\), expected shape \(2, 6\)"):
        maximal.constraint_bias_acceleration([joint], poses, np.zeros((3, 6)))
    with pytest.raises(InvalidArgument, match=r"multipliers: got shape \(4,\)"):
        maximal.joint_reactions(joint, poses, np.zeros(4))
    with pytest.raises(InvalidArgument, match="body: got 2, expected the index of one of 2 bodies"):
        maximal.joint_from_world_frame(types.ExponentialSpherical(), np.eye(4), poses, 2)
