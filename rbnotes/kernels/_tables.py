"""Where things are in the arrays of a run of the simulator, for compiled code and for what calls it."""

MOVED = 22
"""Numbers of a body: pose (16) and twist (6)."""

CONTACT = 20
"""Numbers of a contact. In front of those for :class:`~rbnotes.maximal.ContactRecord` are its bodies (2)."""

A, B, POSITION, NORMAL, GAP, MU, RESTITUTION, IMPULSE, BEFORE, AFTER = 0, 1, 2, 5, 8, 9, 10, 11, 14, 17

H, SLOP, REACH, STEPS, NEAR, PUSHES, DONE, WRITTEN = range(8)
"""What is told: step, slop, reach, steps, contacts, pushes; and told back: steps taken, contacts written."""
TOLD = 8

SUMS = 7
"""Of a step: energy, works of joints, contacts and motion, residual, contacts of both kicks."""

FINE, UNUSUAL, CROWDED, CRAMPED = 0, 1, 2, 3
"""How steps ended: taken, left to the reference, left until there is room for more contacts, or for all."""

TURNS = FIXED, ABOUT_AXIS, FREELY = 0, 1, 2
"""Rotations that a joint leaves: none, those about an axis, all."""
