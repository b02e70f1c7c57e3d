"""Where things are in the arrays of a packed tree, and in the room for an evaluation.

All are unsigned whole numbers: with signed ones the compiler would check for negative indices, and not see
that neighbours in a batch are neighbours. The room holds a record for each node, then slots for what children
hand to their parents, or loads, then blocks; each of their numbers is there once for each lane of a batch.
"""

import numpy as np

U = np.uint64
ZERO, ONE, TWO = U(0), U(1), U(2)

KINDS = HINGE, SCREW, SHIFT, BALL, QUATERNION, GIVEN = tuple(U(kind) for kind in range(6))
"""Kinds of nodes: about axis 2; along it, too; without coordinates; and three whose S is a block."""

# The header of the whole numbers, then a row for each node, then the nodes that carry the bodies.
NODES, SIZE, BODIES, SPRINGS_AT, GRAVITY_AT, PLACES_AT, GIVEN_AT, GIVEN_SIZE, LOADS_AT, ROOM = (
    U(i) for i in range(10)
)
HEADER = U(10)
KIND, PARENT, COORDINATE, OWN_SLOT, PARENT_SLOT, ADDS, CARRIES, COUNT, BLOCK_AT, GIVEN_FROM, TOLD = (
    U(i) for i in range(11)
)
WHOLE = U(11)
"""TOLD: whether the joint moves as it is told, and has accelerations where others have forces; no hinge's."""

# Of a node: two screws, motions for each unit of the coordinate, smallest inertia, inertia, frame.
SCREW_0, SCREW_2, RATES, SMALLEST, BODY, FRAME = (U(i) for i in (0, 3, 6, 8, 9, 19))
REAL = U(31)

# A record: cosine, sine and distance of the screw, rate, force, motion, gain.
COSINE, SINE, DISTANCE, RATE, FORCE, MOTION, GAIN = (U(i) for i in (0, 1, 2, 3, 4, 5, 11))
RECORD = U(17)

SLOT = U(27)

# A block: rotation and position of the joint, columns of S, drift, gains, forces, rates.
TURN, COLUMNS, DRIFT, GAINS, FORCES, BLOCK_RATES = (U(i) for i in (0, 12, 48, 54, 90, 96))
BLOCK = U(102)
TWIST = U(6)

GIVEN_FIXED = U(18)
"""Numbers given of a joint besides six for each column of S: a pose (12), and behind them the drift."""
