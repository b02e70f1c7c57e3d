"""Contacts of a step: their detection, and the work of their impulses."""

from typing import Any, NamedTuple

from rbnotes.compiled.collision.narrow_phase import find_contacts
from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.record_layout import (
    AFTER,
    BEFORE,
    CONTACT_POINT_SIZE,
    CONTACTS_FULL,
    GAP,
    IMPULSE,
    MU,
    OVERLAPPING,
    POSITION,
    RESTITUTION,
    STEP_TAKEN,
)


class Colliders(NamedTuple):
    """Collision geometry of all bodies.

    Attributes
    ----------
    body
        Body of each of s shapes ``(s,)``.
    geometry
        Rows of :data:`~rbnotes.compiled.collision.narrow_phase.SHAPE_SIZE` numbers.
    excluded_pairs
        Pairs of bodies that do not touch ``(c, 2)``, sorted.
    mu
        Friction coefficients of all pairs ``(s, s)``.
    restitution
        Coefficients of restitution of all pairs ``(s, s)``.
    bounding_radii
        Largest distance of each body's surface from its origin ``(n,)``.
    """

    body: Any
    geometry: Any
    excluded_pairs: Any
    mu: Any
    restitution: Any
    bounding_radii: Any


@jit_noalloc
def detect_step_contacts(colliders, poses, margin, slop, contact_points, contacts):
    """Write the contacts with gaps up to a margin; return the status and their number.

    The status is ``OVERLAPPING`` if bodies overlap by more than the slop.
    """
    status = STEP_TAKEN
    count = find_contacts(
        colliders.geometry, colliders.body, colliders.excluded_pairs, poses, margin, contact_points
    )
    if count > len(contacts):
        return CONTACTS_FULL, 0
    for i in range(count):
        a, b = int(contact_points[i, 0]), int(contact_points[i, 1])
        contacts[i, 0], contacts[i, 1] = colliders.body[a], colliders.body[b]
        for k in range(CONTACT_POINT_SIZE):
            contacts[i, POSITION + k] = contact_points[i, 2 + k]
        contacts[i, MU], contacts[i, RESTITUTION] = colliders.mu[a, b], colliders.restitution[a, b]
        if contacts[i, GAP] < -slop:
            status = OVERLAPPING
    return status, count


@jit_noalloc
def contact_impulse_work(contacts):
    """Return the sum of contact impulses times mean velocities."""
    total = 0.0
    for i in range(len(contacts)):
        for k in range(3):
            mean = (contacts[i, BEFORE + k] + contacts[i, AFTER + k]) / 2
            total += contacts[i, IMPULSE + k] * mean
    return total
