"""Where things are in the arrays of a run of the simulator, for compiled code and for what calls it."""

MOTION_SIZE = 22
"""Numbers of a body: pose (16) and twist (6)."""

CONTACT_SIZE = 20
"""Numbers of a contact. In front of those for :class:`~rbnotes.multibody.maximal.ContactRecord` are its bodies (2)."""

A, B, POSITION, NORMAL, GAP, MU, RESTITUTION, IMPULSE, BEFORE, AFTER = 0, 1, 2, 5, 8, 9, 10, 11, 14, 17

(
    H,
    SLOP,
    MATCH_RADIUS,
    NUM_STEPS,
    NUM_NEAR,
    NUM_REMEMBERED,
    NUM_STEPS_TAKEN,
    NUM_RECORDS,
    TIME,
    HAS_FORCES,
    CALLBACK_ADDRESS,
) = range(11)
"""What is told: step, slop, reach, steps, contacts, pushes; and told back: steps taken, contacts written.
And again what is told: the time, whether forces are applied, and the address of what answers."""
SETTINGS_SIZE = 11

(
    ENERGY,
    JOINT_WORK,
    CONTACT_WORK,
    INTEGRATOR_WORK,
    RESIDUAL,
    FORCE_WORK,
    SEPARATION_WORK,
    NUM_FIRST_CONTACTS,
    NUM_SECOND_CONTACTS,
) = range(9)
"""Of a step: energy; works of joints, contacts and motion; residual; works of applied forces and of what
moved overlapping bodies apart; contacts of both kicks."""
SUMS_SIZE = 9

REQUEST_FORCES, REQUEST_SEPARATION = 0, 1
"""What compiled steps ask for: forces, poses without overlap."""

STEP_TAKEN, NEEDS_REFERENCE, CONTACTS_FULL, WORKSPACE_TOO_SMALL, OVERLAPPING = 0, 1, 2, 3, 4
"""How steps ended: taken, left to the reference, left until there is room for more contacts, or for all; and
how flights end in between, if bodies overlap."""

ROTATION_KINDS = NO_ROTATION, AXIS_ROTATION, FREE_ROTATION = 0, 1, 2
"""Rotations that a joint leaves: none, those about an axis, all."""

COMPLEMENTARITY, FEASIBILITY, DUAL, NATURAL, EQUATIONS, RELATIVE = range(6)
"""Residuals, in the order of :class:`~rbnotes.complementarity.Residuals`."""
NUM_RESIDUALS = 6
