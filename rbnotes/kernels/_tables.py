"""Where things are in the arrays of a run of the simulator, for compiled code and for what calls it."""

MOVED = 22
"""Numbers of a body: pose (16) and twist (6)."""

CONTACT = 20
"""Numbers of a contact. In front of those for :class:`~rbnotes.maximal.ContactRecord` are its bodies (2)."""

A, B, POSITION, NORMAL, GAP, MU, RESTITUTION, IMPULSE, BEFORE, AFTER = 0, 1, 2, 5, 8, 9, 10, 11, 14, 17

H, SLOP, REACH, STEPS, NEAR, PUSHES, DONE, WRITTEN, TIME, FORCED, ANSWERS = range(11)
"""What is told: step, slop, reach, steps, contacts, pushes; and told back: steps taken, contacts written.
And again what is told: the time, whether forces are applied, and the address of what answers."""
TOLD = 11

ENERGY, OF_JOINTS, OF_CONTACTS, OF_MOTION, RESIDUAL, OF_FORCES, OF_SEPARATION, FIRST, SECOND = range(9)
"""Of a step: energy; works of joints, contacts and motion; residual; works of applied forces and of what
moved overlapping bodies apart; contacts of both kicks."""
SUMS = 9

APPLIED, OVERLAP = 0, 1
"""What compiled steps ask for: forces, poses without overlap."""

FINE, UNUSUAL, CROWDED, CRAMPED, OVERLAPPING = 0, 1, 2, 3, 4
"""How steps ended: taken, left to the reference, left until there is room for more contacts, or for all; and
how flights end in between, if bodies overlap."""

TURNS = FIXED, ABOUT_AXIS, FREELY = 0, 1, 2
"""Rotations that a joint leaves: none, those about an axis, all."""

COMPLEMENTARITY, FEASIBILITY, DUAL, NATURAL, EQUATIONS, RELATIVE = range(6)
"""Residuals, in the order of :class:`~rbnotes.complementarity.Residuals`."""
LEFT = 6
