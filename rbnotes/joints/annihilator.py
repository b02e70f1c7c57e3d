"""What a joint forbids: rows A that annihilate its Jacobian, ``A S = 0``, for maximal coordinates.

A relative twist that the joint allows is ``S @ qdot``, so ``A @ twist = 0``, and along a motion
``A @ acceleration + Adot @ twist = 0``. Differentiating ``A S = 0`` gives ``Adot = -A Sdot S^+`` up to turns
of the rows among themselves, which change nothing where ``A @ twist = 0``.

Rows that are perpendicular to the joint's whole Lie algebra never change; for a hinge, a ball or a planar
joint these are all rows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints.protocol import JointType
from rbnotes.joints.subspaces import DEPENDENT, basis, complement


def turns(joint: JointType) -> bool:
    """Whether the rows of a joint depend on its coordinates."""
    result: bool = joint.freedom < joint.algebra.shape[1]
    return result


def annihilator(joint: JointType, q: ArrayLike) -> Array:
    """Orthonormal rows A ``(..., 6 - freedom, 6)`` with ``A S = 0``, for coordinates ``(..., k)``.

    First those that never change. A single row that does so is turned such that S followed by it is right
    handed; of several rows, the basis may jump between neighbouring states (their span does not).
    """
    q = arguments.vector("q", q, joint.coordinates)
    steady = steady_rows(joint)
    steady = np.broadcast_to(steady, (*q.shape[:-1], *steady.shape)).copy()
    if not turns(joint):
        return steady
    algebra = joint.algebra
    S = algebra.T @ joint.S(q)
    count = algebra.shape[1] - joint.freedom
    U = np.linalg.svd(S)[0][..., joint.freedom :]
    across = basis(U @ np.swapaxes(U, -1, -2), count)
    if count == 1 and S.shape[-1] == joint.freedom:
        left_handed = np.linalg.det(np.concatenate([S, across], axis=-1)) < 0
        across = np.where(left_handed[..., None, None], -across, across)
    return np.concatenate([steady, np.swapaxes(algebra @ across, -1, -2)], axis=-2)


def annihilator_rate(joint: JointType, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Rate ``(..., 6 - freedom, 6)`` of the rows while the coordinates change at ``qdot (..., k)``."""
    Sdot = joint.Sdot(q, qdot)
    if not turns(joint):
        return np.zeros((*Sdot.shape[:-2], 6 - joint.freedom, 6))
    return -annihilator(joint, q) @ Sdot @ np.linalg.pinv(joint.S(q), rcond=DEPENDENT)


@lru_cache(maxsize=256)
def steady_rows(joint: JointType) -> Array:
    """Rows ``(6 - d, 6)`` that are zero on the joint's whole Lie algebra, at every q."""
    return complement(joint.algebra).T
