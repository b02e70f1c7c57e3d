"""What a joint forbids: rows A that annihilate its Jacobian, ``A S = 0``, for maximal coordinates.

A relative twist that the joint allows is ``S @ qdot``, so ``A @ twist = 0``, and along a motion
``A @ acceleration + Adot @ twist = 0``. Differentiating ``A S = 0`` gives ``Adot = -A Sdot S^+`` up to turns
of the rows among themselves, which change nothing where ``A @ twist = 0``.

Rows that are perpendicular to the joint's whole Lie algebra never change; for a hinge, a ball or a planar
joint these are all rows.

Here arguments are checked; the formulas stand in ``rbnotes/joints/unchecked_constraint_forces.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints import unchecked_constraint_forces
from rbnotes.joints.joint_type import JointType


def has_constant_constraint_rows(joint: JointType) -> bool:
    """Whether the rows of a joint depend on its coordinates.

    Raises InvalidArgument if ``joint`` is no ``JointType``.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.has_constant_constraint_rows(joint)


def constant_constraint_rows(joint: JointType) -> Array:
    """Rows ``(6 - d, 6)`` that are zero on the joint's whole Lie algebra, at every q.

    Raises InvalidArgument if ``joint`` is no ``JointType``.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.constant_constraint_rows(joint).copy()


def constraint_force_basis(joint: JointType, q: ArrayLike) -> Array:
    """Orthonormal rows A ``(..., 6 - freedom, 6)`` with ``A S = 0``, for coordinates ``(..., k)``.

    First those that never change. A single row that does so is turned such that S followed by it is right
    handed; of several rows, the basis may jump between neighbouring states (their span does not).

    Raises InvalidArgument if the shape of ``q`` does not fit.
    """
    arguments.require_instance("joint", joint, JointType)
    return unchecked_constraint_forces.constraint_force_basis(
        joint, arguments.vector("q", q, joint.num_coordinates)
    )


def constraint_force_basis_rate(joint: JointType, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Rate ``(..., 6 - freedom, 6)`` of the rows while the coordinates change at ``qdot (..., k)``.

    Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.require_instance("joint", joint, JointType)
    q, qdot = (arguments.vector(name, x, joint.num_coordinates) for name, x in (("q", q), ("qdot", qdot)))
    arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1])
    return unchecked_constraint_forces.constraint_force_basis_rate(joint, q, qdot)
