"""Layout of the arrays of a simulation run, for compiled code and its callers."""

from rbnotes.dynamics.free_rotation import MAX_SERIES_TERMS

MOTION_SIZE = 22
"""Numbers of a body: pose (16) and twist (6)."""

CONTACT_SIZE = 20
"""Numbers of a contact: its bodies (2), then those of :class:`~rbnotes.multibody.ContactRecord`."""

CONTACT_POINT_SIZE = 7
"""Numbers of a contact point: position (3), normal (3), gap."""

A, B, POSITION, NORMAL, GAP, MU, RESTITUTION, IMPULSE, BEFORE, AFTER = 0, 1, 2, 5, 8, 9, 10, 11, 14, 17

(
    H,
    SLOP,
    MATCH_RADIUS,
    NUM_STEPS,
    NUM_CONTACTS,
    NUM_LAST_CONTACTS,
    NUM_STEPS_TAKEN,
    NUM_RECORDS,
    TIME,
    HAS_FORCES,
    CALLBACK_ADDRESS,
) = range(11)
"""Settings of a run.

Inputs: step size, slop, match radius; numbers of steps, contacts, and last contacts with impulses; time,
presence of applied forces, and the address of the callback. Outputs: numbers of steps taken and of contacts
written."""
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
"""Results of a step.

Energy, works of joints, contacts and free motion, friction residual, works of applied forces and of the
separation of overlapping bodies, numbers of contacts at the start of the step, those of impacts included, and
at its end."""
SUMMARY_SIZE = 9

SERIES_SIZE = 8 * (10 * MAX_SERIES_TERMS + 19)
"""Numbers of eight free rotations: ten for each term of the series, twelve arguments and seven results."""

REQUEST_FORCES, REQUEST_SEPARATION, REQUEST_COMMANDS = 0, 1, 2
"""Requests to the callback: applied forces, poses without overlap, commands of actuators."""

STEP_TAKEN, NEEDS_REFERENCE, CONTACTS_FULL, WORKSPACE_TOO_SMALL, OVERLAPPING = 0, 1, 2, 3, 4
"""Status of a step: taken, left to the reference, contact array full, workspace too small. ``OVERLAPPING``
is the status of a free motion after which bodies overlap."""

ROTATION_KINDS = NO_ROTATION, AXIS_ROTATION, FREE_ROTATION = 0, 1, 2
"""Free rotations of a joint: none, about an axis, all."""

COMPLEMENTARITY, FEASIBILITY, DUAL, NATURAL, EQUATIONS, RELATIVE = range(6)
"""Residuals, in the order of :class:`~rbnotes.complementarity.Residuals`."""
NUM_RESIDUALS = 6


def workspace_size(
    num_bodies: int,
    num_joints: int,
    num_rows: int,
    envelope_size: int,
    num_links: int,
    num_directions: int,
    max_contacts: int,
) -> int:
    """Return the size of the working memory of a run, which ``run_steps`` allocates."""
    n, m, l, d = num_bodies + 1, num_rows, num_links, num_directions
    factor = 48 * l + 17 * d
    states = 21 * n + 25 * m + envelope_size + 15 * num_joints + 8 * d + 24 * l + 8 + factor
    per_contact = 6 * CONTACT_SIZE + CONTACT_POINT_SIZE + 2
    step = 43 * n + 17 * m + 2 * envelope_size + SERIES_SIZE + 9 + NUM_FIRST_CONTACTS
    tree = 18 * n + m + 24 * l + d + factor
    return 2 * states + step + tree + per_contact * max_contacts


def tree_workspace_size(num_parts: int, num_coordinates: int, num_bodies: int, max_contacts: int) -> int:
    """Return the size of the working memory that ``run_tree_steps`` allocates."""
    p, k, n = num_parts + 1, num_coordinates, num_bodies + 1
    width, rows_width = (-(-each // 8) * 8 for each in (k, 3 * max_contacts))
    configuration = 18 * p + 13 * (p - 1) + 12 * k + (2 * k + 8) * width
    step = NUM_FIRST_CONTACTS + 10 * k + (14 + k) * width + 16 * n + 9 + SERIES_SIZE
    per_contact = 5 * CONTACT_SIZE + CONTACT_POINT_SIZE + 2
    return 2 * configuration + k + step + per_contact * max_contacts + (k + 1) * rows_width
