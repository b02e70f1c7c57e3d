"""Where things are in the arrays of a packed tree, and in the room for an evaluation.

A tree is a row of elements, one for each coordinate, parents first; element 0 is the world. Numbers of an
element stand eight places apart. Between them are those of the next seven elements, so that eight can be
worked on at once; or, in a batch, those of the same element in seven other states. All indices are unsigned
whole numbers: with signed ones the compiler would check for negative ones.
"""

from typing import NamedTuple

import numpy as np

U = np.uint64
ZERO, ONE = U(0), U(1)
LANES = U(8)
"""How many elements, or states of a batch, are worked on at once."""

AXIS, INNER_COLUMN, BALL, QUATERNION, EXTERNAL = KINDS = tuple(U(kind) for kind in range(5))
"""Kinds of elements: a joint of one axis; the last of a joint whose S is a block of columns, which stands for
it, and those before that one, which are INNER."""

# The header of the whole numbers; then a row for each element, then the elements that carry the bodies.
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
"""FILLED: elements, and what fills up the last eight of them."""
KIND, PARENT, COORDINATE, EXTERNAL_START, OWN_SLOT, PARENT_SLOT, SLOT_IS_OCCUPIED = (U(i) for i in range(7))
HAS_TRANSLATION, IS_PRESCRIBED, ELEMENT_COUNT, ROW_SIZE = (U(i) for i in range(7, 11))
"""OWN_SLOT: where children hand things to; SHARED: whether the parent has got something before. TOLD: whether
the joint moves as it is told, and has an acceleration where others have a force. SLIDES: whether a joint of
one axis is no hinge. COUNT: elements of the joint; GIVEN_FROM: where its numbers are among those given."""


def _offsets(*sizes: int) -> tuple[np.uint64, ...]:
    """Where numbers of these sizes start, one after the other, and where the last one ends."""
    return tuple(U(int(LANES) * sum(sizes[:i])) for i in range(len(sizes) + 1))


# Constants: frame at home, angle and distance for each unit of the coordinate; whether the frame is away from
# the origin; mass, center of mass, inertia about it; smallest inertia; spring, damper and rest. The inertia
# about the center is ``d + x x^T + y y^T``: d, x and y, of which two vectors turn with the body.
(
    JOINT_FRAME,
    SCREW_RATES,
    INCLUDES_POSITION,
    MASS,
    CENTER_OF_MASS,
    CENTRAL_INERTIA,
    MIN_INERTIA,
    SPRING,
    CONSTANTS_SIZE,
) = _offsets(12, 2, 1, 1, 3, 7, 1, 3)

# A record: coordinate, rate, force, column of S, inertia about the origin (6) and first moment (3), wrench.
POSITION, RATE, FORCE, COLUMN, INERTIA, WRENCH, RECORD_SIZE = _offsets(1, 1, 1, 6, 9, 6)
ACCELERATION_CHANGE = COLUMN  # in the end: what accelerations add, where the processor has just read

# What children need of their parents: pose, twist, acceleration.
POSE, TWIST, ACCELERATION, STATE_SIZE = _offsets(12, 6, 6)
GAIN = TWIST  # when it is known, the twist is not needed any more

# What children hand to their parents: articulated inertia and wrench.
SLOT_I, SLOT_H, SLOT_M, SLOT_WRENCH, SLOT_SIZE = _offsets(6, 9, 6, 6)

# A block: rotation and position of the joint, columns of S, drift; coordinates, rates, forces.
JOINT_POSE, COLUMNS, BIAS_ACCELERATION, POSITIONS, RATES, FORCES, BLOCK_SIZE = _offsets(12, 36, 6, 6, 6, 6)

# How a column of a block bends: S', S'', and the change of each column of the block with its coordinate.
COLUMN_CHANGES_OFFSET = U(12)
SUBSPACE_DERIVATIVES_SIZE = U(48)
"""Places for a coordinate, of which a block of six takes all; those of smaller blocks move up."""

# In a pose and in a frame: the position, behind the rotation. Three numbers and six.
POSE_POSITION, THREE_LANES, SIX_LANES = (LANES * U(i) for i in (9, 3, 6))

EXTERNAL_FIXED_SIZE = U(18)
"""Numbers given of a joint besides six for each column of S: a pose (12), and behind them the drift."""


class Workspace(NamedTuple):
    """Where an evaluation works, in an array: records, what children need, slots, a block."""

    records: int
    states: int
    slots: int
    block: int


def workspace_size(elements: int, slots: int) -> int:
    """Numbers that eight elements at once, or elements in eight states, need room for."""
    return elements * int(RECORD_SIZE + STATE_SIZE) + slots * int(SLOT_SIZE) + int(BLOCK_SIZE)


# The table of a group of joints that have the same program; behind it, of each joint, where its coordinates
# are in a state and its numbers among those given.
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
"""STATES: how many; COORDINATES: of a state; FREEDOM: coordinates of a joint; FIXED: its constants; VECTORS:
two for coordinates and rates, three with accelerations; WIDTH: places for what a program takes of one joint;
RESULTS, MARGINS: numbers that it gives of one. BASE and STRIDE: where the results of the first state go, and
how far behind it those of the next one."""
