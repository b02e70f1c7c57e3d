"""Layout of the arrays of a packed tree, and of the workspace of an evaluation.

A tree is a sequence of elements, one for each coordinate, parents first; element 0 is the world. The numbers
of an element are eight places apart. Between them stand those of the next seven elements, so that eight
elements are processed at once, or, in a batch, those of the same element in seven other states. All indices
are unsigned, so that the compiler does not check for negative ones.
"""

from typing import NamedTuple

import numpy as np

U = np.uint64
ZERO, ONE = U(0), U(1)
LANES = U(8)
"""Number of elements, or of states of a batch, that are processed at once."""

AXIS, INNER_COLUMN, BALL, QUATERNION, EXTERNAL = KINDS = tuple(U(kind) for kind in range(5))
"""Kinds of elements: a single-axis joint; an element of a block before its last one; and the last element of
a spherical, quaternion or external joint."""

# Integers: the header, a row for each element, then the elements that carry the bodies.
(
    NUM_ELEMENTS,
    NUM_PADDED_ELEMENTS,
    NUM_COORDINATES,
    NUM_BODIES,
    GRAVITY_OFFSET,
    BODY_FRAMES_OFFSET,
    EXTERNAL_OFFSET,
    EXTERNAL_SIZE,
    WORKSPACE_OFFSET,
    NUM_SLOTS,
) = (U(i) for i in range(10))
HEADER_SIZE = U(10)
"""Numbers of the header; padded elements include those that complete the last group of eight."""
KIND, PARENT, COORDINATE, EXTERNAL_START, OWN_SLOT, PARENT_SLOT, SLOT_IS_OCCUPIED = (U(i) for i in range(7))
HAS_TRANSLATION, IS_PRESCRIBED, ELEMENT_COUNT, ROW_SIZE = (U(i) for i in range(7, 11))
"""Columns of an element's row.

``EXTERNAL_START`` is the offset of its external numbers, ``OWN_SLOT`` and ``PARENT_SLOT`` are the slots of
itself and of its parent, ``SLOT_IS_OCCUPIED`` is 1 if the parent's slot has contributions already, and
``IS_PRESCRIBED`` is 1 if the acceleration of the joint is an input. ``HAS_TRANSLATION`` is 0 for revolute
joints, ``ELEMENT_COUNT`` the number of elements of the joint."""


def _offsets(*sizes: int) -> tuple[np.uint64, ...]:
    """Return the offsets of consecutive fields of these sizes, and the end of the last one."""
    return tuple(U(int(LANES) * sum(sizes[:i])) for i in range(len(sizes) + 1))


# Constants: frame at zero coordinates; angle and distance per unit of the coordinate; 1 if the frame is away
# from the origin; mass, center of mass, central inertia; armature; smallest inertia; stiffness, damping and
# reference.
# The central inertia is ``d + x x^T + y y^T``: d, x and y, of which two vectors rotate with the body.
(
    JOINT_FRAME,
    SCREW_RATES,
    INCLUDES_POSITION,
    MASS,
    CENTER_OF_MASS,
    CENTRAL_INERTIA,
    ARMATURE,
    MIN_INERTIA,
    SPRING,
    CONSTANTS_SIZE,
) = _offsets(12, 2, 1, 1, 3, 7, 1, 1, 3)

# Record: coordinate, rate, force, column of S, inertia about the origin (6) and first moment (3), wrench.
POSITION, RATE, FORCE, COLUMN, INERTIA, WRENCH, RECORD_SIZE = _offsets(1, 1, 1, 6, 9, 6)
ACCELERATION_CHANGE = COLUMN  # reused by the last sweep, since it is in the cache

# State, which children read: pose, twist, acceleration.
POSE, TWIST, ACCELERATION, STATE_SIZE = _offsets(12, 6, 6)
GAIN = TWIST  # reuses the twist, which is not needed any more

# Slot, to which children add: articulated inertia and wrench.
SLOT_I, SLOT_H, SLOT_M, SLOT_WRENCH, SLOT_SIZE = _offsets(6, 9, 6, 6)

# Block: rotation and position of the joint, columns of S, bias acceleration; coordinates, rates, forces.
JOINT_POSE, COLUMNS, BIAS_ACCELERATION, POSITIONS, RATES, FORCES, BLOCK_SIZE = _offsets(12, 36, 6, 6, 6, 6)

# Derivatives of a column of a block: S', S'', and those of each column with respect to its coordinate.
COLUMN_CHANGES_OFFSET = U(12)
SUBSPACE_DERIVATIVES_SIZE = U(48)
"""Numbers for each coordinate of a block of six; smaller blocks use fewer."""

# Offset of the position in a pose, after the rotation; sizes of three and six numbers.
POSE_POSITION, THREE_LANES, SIX_LANES = (LANES * U(i) for i in (9, 3, 6))

EXTERNAL_FIXED_SIZE = U(18)
"""Numbers of an external joint besides six for each column of S: pose (12), then bias acceleration (6)."""


class Workspace(NamedTuple):
    """Offsets in the array of an evaluation.

    Attributes
    ----------
    records
        Start of the records of the elements.
    states
        Start of the states of the elements.
    slots
        Start of the slots in which parents receive inertias and wrenches of their children.
    block
        Start of the block of one joint with several coordinates.
    """

    records: int
    states: int
    slots: int
    block: int


def workspace_size(elements: int, slots: int) -> int:
    """Return the workspace size, for one state with eight elements at a time or for eight states."""
    return elements * int(RECORD_SIZE + STATE_SIZE) + slots * int(SLOT_SIZE) + int(BLOCK_SIZE)


# Table of a group of joints with the same program; then, for each joint, the offsets of its coordinates in a
# state and of its results.
(
    NUM_STATES,
    NUM_STATE_COORDINATES,
    NUM_JOINTS,
    JOINT_COORDINATES,
    JOINT_CONSTANTS,
    NUM_INPUT_VECTORS,
    INPUT_WIDTH,
    NUM_RESULTS,
    NUM_MARGINS,
    RESULT_OFFSET,
    RESULT_STRIDE,
) = (U(i) for i in range(11))
JOINT_TABLE_HEADER_SIZE, JOINT_TABLE_ROW_SIZE = U(11), U(2)
"""Sizes of the header and of a joint's row.

``NUM_STATE_COORDINATES`` is the number of coordinates of a state, ``NUM_INPUT_VECTORS`` is 2 for coordinates
and rates or 3 with accelerations, ``INPUT_WIDTH`` the number of inputs of one joint. The results of the first
state start at ``RESULT_OFFSET``, those of the next one ``RESULT_STRIDE`` after it."""
