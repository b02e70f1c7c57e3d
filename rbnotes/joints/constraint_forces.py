"""Constraint forces of a joint: rows A that annihilate its motion subspace, ``A S = 0``.

They are the constraint rows of maximal coordinates. A relative twist that the joint allows is ``S @ qdot``,
so ``A @ twist = 0``, and along a motion ``A @ acceleration + Adot @ twist = 0``. Differentiating ``A S = 0``
gives ``Adot = -A Sdot S^+`` up to rotations of the rows among themselves, which have no effect where ``A @
twist = 0``.

Rows that are perpendicular to the Lie algebra of the joint are constant; for a revolute, spherical or planar
joint these are all rows.

This module checks arguments; the formulas are in ``rbnotes/joints/unchecked_constraint_forces.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints import unchecked_constraint_forces
from rbnotes.joints.joint_type import JointType


def has_constant_constraint_rows(joint: JointType) -> bool:
    """Return True if the constraint rows of a joint do not depend on its coordinates.

    Raises InvalidArgument if ``joint`` is not a ``JointType``.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.has_constant_constraint_rows(joint)


def constant_constraint_rows(joint: JointType) -> Array:
    """Return rows ``(6 - d, 6)`` that vanish on the Lie algebra of the joint, at every q.

    Raises InvalidArgument if ``joint`` is not a ``JointType``.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.constant_constraint_rows(joint).copy()


def constraint_force_basis(joint: JointType, q: ArrayLike) -> Array:
    """Return orthonormal rows A ``(..., 6 - num_dofs, 6)`` with ``A S = 0``, for coordinates ``(..., k)``.

    The constant rows come first. If one row varies, its sign makes S followed by it right-handed; if several
    rows vary, their basis may jump between neighboring configurations (their span does not).

    Raises InvalidArgument if the shape of ``q`` does not fit.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.constraint_force_basis(
        joint, arguments.vector("q", q, joint.num_coordinates)
    )


def constraint_force_basis_rate(joint: JointType, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the rate ``(..., 6 - num_dofs, 6)`` of the rows at coordinate rates ``qdot (..., k)``.

    Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.require_instance("joint", joint, JointType)
    q, qdot = (arguments.vector(name, x, joint.num_coordinates) for name, x in (("q", q), ("qdot", qdot)))
    arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1])
    return unchecked_constraint_forces.constraint_force_basis_rate(joint, q, qdot)
