"""The formulas of :mod:`rbnotes.joints.annihilator`: arrays have been checked, nothing is checked here.

Each has the name, arguments, result and source of the public function there.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.joints.protocol import JointType
from rbnotes.joints.subspaces import DEPENDENT, basis, complement


def turns(joint: JointType) -> bool:
    result: bool = joint.freedom < joint.algebra.shape[1]
    return result


def annihilator(joint: JointType, q: Array) -> Array:
    steady = steady_rows(joint)
    steady = np.broadcast_to(steady, (*q.shape[:-1], *steady.shape)).copy()
    if not turns(joint):
        return steady
    algebra = joint.algebra
    S = algebra.T @ joint._S(q)
    count = algebra.shape[1] - joint.freedom
    U = np.linalg.svd(S)[0][..., joint.freedom :]
    across = basis(U @ np.swapaxes(U, -1, -2), count)
    if count == 1 and S.shape[-1] == joint.freedom:
        left_handed = np.linalg.det(np.concatenate([S, across], axis=-1)) < 0
        across = np.where(left_handed[..., None, None], -across, across)
    return np.concatenate([steady, np.swapaxes(algebra @ across, -1, -2)], axis=-2)


def annihilator_rate(joint: JointType, q: Array, qdot: Array) -> Array:
    Sdot = joint._Sdot(*np.broadcast_arrays(q, qdot))
    if not turns(joint):
        return np.zeros((*Sdot.shape[:-2], 6 - joint.freedom, 6))
    return -annihilator(joint, q) @ Sdot @ np.linalg.pinv(joint._S(q), rcond=DEPENDENT)


@lru_cache(maxsize=256)
def steady_rows(joint: JointType) -> Array:
    return complement(joint.algebra).T
