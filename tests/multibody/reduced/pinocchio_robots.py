"""URDF robots as Pinocchio reads them, in the coordinates of the trees that rbnotes reads."""

from typing import NamedTuple

import numpy as np
import pinocchio

from rbnotes import quaternion

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""Pinocchio's twists have the linear part first."""


class Reference(NamedTuple):
    """Pinocchio's model in a state of the tree.

    Attributes
    ----------
    model, data, q
        Model, data and coordinates of Pinocchio.
    T
        Pinocchio's velocities from those of the tree ``(nv, k)``.
    drift
        Tdot qdot ``(nv,)``.
    """

    model: pinocchio.Model
    data: pinocchio.Data
    q: np.ndarray
    T: np.ndarray
    drift: np.ndarray


def reference(robot, model, q, qdot):
    """Return the state in the conventions of Pinocchio."""
    tree, data = robot.tree, model.createData()
    at, T, drift = pinocchio.neutral(model), np.zeros((model.nv, tree.num_coordinates)), np.zeros(model.nv)
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        count = own.stop - own.start
        if not count:
            continue
        name = robot.joint_of_link(link.name).name
        joint = model.joints[model.getJointId(name if model.existJointName(name) else "root_joint")]
        where, rates = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
        if count == 1:
            angle = q[own][0]
            at[where] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else q[own]
            T[rates, own] = 1.0
            continue
        Q, S, Sdot = (
            link.joint.transform(q[own]),
            link.joint.motion_subspace(q[own]),
            link.joint.motion_subspace_rate(q[own], qdot[own]),
        )
        rows = ANGULAR_FIRST if count == 6 else [3, 4, 2]
        T[rates, own], drift[rates] = S[rows], Sdot[rows] @ qdot[own]
        if count == 6:
            at[where] = [*Q[:3, 3], *np.roll(quaternion.from_rotation(Q[:3, :3]), -1)]
        else:
            at[where] = [*Q[:2, 3], Q[0, 0], Q[1, 0]]
    return Reference(model, data, at, T, drift)


def mass_matrix(at):
    """Return the mass matrix in the coordinates of the tree."""
    upper = np.triu(pinocchio.crba(at.model, at.data, at.q))
    return at.T.T @ (upper + np.triu(upper, 1).T) @ at.T


def inverse_dynamics(at, qdot, qddot):
    """Return the joint forces, without those of dampers, which Pinocchio does not have."""
    return at.T.T @ pinocchio.rnea(at.model, at.data, at.q, at.T @ qdot, at.T @ qddot + at.drift)


def forward_dynamics(at, qdot, tau):
    """Return the accelerations, without dampers."""
    force = np.linalg.pinv(at.T).T @ tau
    return np.linalg.pinv(at.T) @ (pinocchio.aba(at.model, at.data, at.q, at.T @ qdot, force) - at.drift)


def frame(at, name):
    """Return the pose ``(4, 4)`` of a link of the file, and its Jacobian ``(6, k)``, angular part first."""
    pinocchio.computeJointJacobians(at.model, at.data, at.q)
    pinocchio.updateFramePlacements(at.model, at.data)
    number = at.model.getFrameId(name, pinocchio.FrameType.BODY)
    J = pinocchio.getFrameJacobian(at.model, at.data, number, pinocchio.ReferenceFrame.LOCAL)
    return at.data.oMf[number].homogeneous, J[ANGULAR_FIRST] @ at.T
