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

AXIS, INNER, BALL, QUATERNION, GIVEN = KINDS = tuple(U(kind) for kind in range(5))
"""Kinds of elements: a joint of one axis; the last of a joint whose S is a block of columns, which stands for
it, and those before that one, which are INNER."""

# The header of the whole numbers; then a row for each element, then the elements that carry the bodies.
ELEMENTS, FILLED, SIZE, BODIES, GRAVITY_AT, PLACES_AT, GIVEN_AT, GIVEN_SIZE, ROOM_AT, SLOTS = (
    U(i) for i in range(10)
)
HEADER = U(10)
"""FILLED: elements, and what fills up the last eight of them."""
KIND, PARENT, COORDINATE, GIVEN_FROM, OWN_SLOT, PARENT_SLOT, SHARED = (U(i) for i in range(7))
SLIDES, TOLD, COUNT, WHOLE = (U(i) for i in range(7, 11))
"""OWN_SLOT: where children hand things to; SHARED: whether the parent has got something before. TOLD: whether
the joint moves as it is told, and has an acceleration where others have a force. SLIDES: whether a joint of
one axis is no hinge. COUNT: elements of the joint; GIVEN_FROM: where its numbers are among those given."""


def _places(*sizes: int) -> tuple[np.uint64, ...]:
    """Where numbers of these sizes start, one after the other, and where the last one ends."""
    return tuple(U(int(LANES) * sum(sizes[:i])) for i in range(len(sizes) + 1))


# Constants: frame at home, angle and distance for each unit of the coordinate; whether the frame is away from
# the origin; mass, center of mass, inertia about it; smallest inertia; spring, damper and rest. The inertia
# about the center is ``d + x x^T + y y^T``: d, x and y, of which two vectors turn with the body.
PLACE, UNITS, AWAY, MASS, CENTER, ABOUT_CENTER, LEAST, SPRING, CONSTANTS = _places(12, 2, 1, 1, 3, 7, 1, 3)

# A record: coordinate, rate, force, column of S, inertia about the origin (6) and first moment (3), wrench.
POSITION, RATE, FORCE, COLUMN, INERTIA, WRENCH, RECORD = _places(1, 1, 1, 6, 9, 6)
PUSHED = COLUMN  # in the end: what accelerations add, where the processor has just read

# What children need of their parents: pose, twist, acceleration.
POSE, TWIST, ACCELERATION, STATE = _places(12, 6, 6)
GAIN = TWIST  # when it is known, the twist is not needed any more

# What children hand to their parents: articulated inertia and wrench.
SLOT_I, SLOT_H, SLOT_M, SLOT_WRENCH, SLOT = _places(6, 9, 6, 6)

# A block: rotation and position of the joint, columns of S, drift; coordinates, rates, forces.
TURN, COLUMNS, DRIFT, POSITIONS, RATES, FORCES, BLOCK = _places(12, 36, 6, 6, 6, 6)

# How a column of a block bends: S', S'', and the change of each column of the block with its coordinate.
CHANGES = U(12)
BENDS = U(48)
"""Places for a coordinate, of which a block of six takes all; those of smaller blocks move up."""

# In a pose and in a frame: the position, behind the rotation. Three numbers and six.
P, THREE, SIX = (LANES * U(i) for i in (9, 3, 6))

GIVEN_FIXED = U(18)
"""Numbers given of a joint besides six for each column of S: a pose (12), and behind them the drift."""


class Room(NamedTuple):
    """Where an evaluation works, in an array: records, what children need, slots, a block."""

    records: int
    states: int
    slots: int
    block: int


def room_size(elements: int, slots: int) -> int:
    """Numbers that eight elements at once, or elements in eight states, need room for."""
    return elements * int(RECORD + STATE) + slots * int(SLOT) + int(BLOCK)


# The table of a group of joints that have the same program; behind it, of each joint, where its coordinates
# are in a state and its numbers among those given.
STATES, COORDINATES, JOINTS, FREEDOM, FIXED, VECTORS, WIDTH, RESULTS, MARGINS, BASE, STRIDE = (
    U(i) for i in range(11)
)
JOINT_TABLE, JOINT_ROW = U(11), U(2)
"""STATES: how many; COORDINATES: of a state; FREEDOM: coordinates of a joint; FIXED: its constants; VECTORS:
two for coordinates and rates, three with accelerations; WIDTH: places for what a program takes of one joint;
RESULTS, MARGINS: numbers that it gives of one. BASE and STRIDE: where the results of the first state go, and
how far behind it those of the next one."""
