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
    pinocchio_q, T, drift = (
        pinocchio.neutral(model),
        np.zeros((model.nv, tree.num_coordinates)),
        np.zeros(model.nv),
    )
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        count = own.stop - own.start
        if not count:
            continue
        name = robot.joint_of_link(link.name).name
        joint = model.joints[model.getJointId(name if model.existJointName(name) else "root_joint")]
        where, rates = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
        if count == 1:
            angle = q[own][0]
            pinocchio_q[where] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else q[own]
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
            pinocchio_q[where] = [*Q[:3, 3], *np.roll(quaternion.from_rotation(Q[:3, :3]), -1)]
        else:
            pinocchio_q[where] = [*Q[:2, 3], Q[0, 0], Q[1, 0]]
    return Reference(model, data, pinocchio_q, T, drift)


def mass_matrix(reference):
    """Return the mass matrix in the coordinates of the tree."""
    upper = np.triu(pinocchio.crba(reference.model, reference.data, reference.q))
    return reference.T.T @ (upper + np.triu(upper, 1).T) @ reference.T


def inverse_dynamics(reference, qdot, qddot):
    """Return the joint forces, without those of dampers, which Pinocchio does not have."""
    return reference.T.T @ pinocchio.rnea(
        reference.model,
        reference.data,
        reference.q,
        reference.T @ qdot,
        reference.T @ qddot + reference.drift,
    )


def forward_dynamics(reference, qdot, tau):
    """Return the accelerations, without dampers."""
    force = np.linalg.pinv(reference.T).T @ tau
    return np.linalg.pinv(reference.T) @ (
        pinocchio.aba(reference.model, reference.data, reference.q, reference.T @ qdot, force)
        - reference.drift
    )


def frame(reference, name):
    """Return the pose ``(4, 4)`` of a link of the file, and its Jacobian ``(6, k)``, angular part first."""
    pinocchio.computeJointJacobians(reference.model, reference.data, reference.q)
    pinocchio.updateFramePlacements(reference.model, reference.data)
    number = reference.model.getFrameId(name, pinocchio.FrameType.BODY)
    J = pinocchio.getFrameJacobian(reference.model, reference.data, number, pinocchio.ReferenceFrame.LOCAL)
    return reference.data.oMf[number].homogeneous, J[ANGULAR_FIRST] @ reference.T
