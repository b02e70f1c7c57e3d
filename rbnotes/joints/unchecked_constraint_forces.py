"""Formulas of :mod:`rbnotes.joints.constraint_forces` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public one there.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.joints.joint_type import JointType
from rbnotes.joints.subspaces import RANK_TOLERANCE, basis, complement


def has_constant_constraint_rows(joint: JointType) -> bool:
    result: bool = joint.num_dofs >= joint.twist_subalgebra.shape[1]
    return result


def constraint_force_basis(joint: JointType, q: Array) -> Array:
    constant = constant_constraint_rows(joint)
    constant = np.broadcast_to(constant, (*q.shape[:-1], *constant.shape)).copy()
    if has_constant_constraint_rows(joint):
        return constant
    algebra = joint.twist_subalgebra
    S = algebra.T @ joint.compute_motion_subspace(q)
    count = algebra.shape[1] - joint.num_dofs
    complement_basis = np.linalg.svd(S)[0][..., joint.num_dofs :]
    varying = basis(complement_basis @ complement_basis.mT, count)
    if count == 1 and S.shape[-1] == joint.num_dofs:
        left_handed = np.linalg.det(np.concatenate([S, varying], axis=-1)) < 0
        varying = np.where(left_handed[..., None, None], -varying, varying)
    return np.concatenate([constant, (algebra @ varying).mT], axis=-2)


def constraint_force_basis_rate(joint: JointType, q: Array, qdot: Array) -> Array:
    Sdot = joint.compute_motion_subspace_rate(*np.broadcast_arrays(q, qdot))
    if has_constant_constraint_rows(joint):
        return np.zeros((*Sdot.shape[:-2], 6 - joint.num_dofs, 6))
    return (
        -constraint_force_basis(joint, q)
        @ Sdot
        @ np.linalg.pinv(joint.compute_motion_subspace(q), rcond=RANK_TOLERANCE)
    )


@lru_cache(maxsize=256)
def constant_constraint_rows(joint: JointType) -> Array:
    return complement(joint.twist_subalgebra).T
