"""Conversion of contacts to and from the arrays of compiled simulation loops."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import (
    AFTER,
    BEFORE,
    CONTACT_SIZE,
    GAP,
    IMPULSE,
    MU,
    NORMAL,
    NUM_FIRST_CONTACTS,
    NUM_SECOND_CONTACTS,
    POSITION,
    RESIDUAL,
    RESTITUTION,
    A,
    B,
)
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import WORLD
from rbnotes.multibody.step_records import ContactRecords
from rbnotes.unchecked.frozen import construct_unchecked


def contact_table(points: ContactPoints, impulses: Array | None = None, count: int = 0) -> Array:
    """Return contacts ``(c, 20)``, the world being the last body."""
    table: Array = np.zeros((len(points), CONTACT_SIZE))
    for column, body in ((A, points.a), (B, points.b)):
        table[:, column] = np.where(body == WORLD, count, body)
    table[:, POSITION:NORMAL], table[:, NORMAL:GAP] = points.position, points.normal
    table[:, GAP], table[:, MU], table[:, RESTITUTION] = points.gap, points.mu, points.restitution
    if impulses is not None:
        table[:, IMPULSE:BEFORE] = impulses
    return table


def contact_points(table: Array, count: int) -> ContactPoints:
    """Convert a contact table to contact points."""
    bodies = table[:, [A, B]]
    a, b = np.where(bodies == count, WORLD, bodies).astype(np.intp).T
    return construct_unchecked(
        ContactPoints,
        a=a,
        b=b,
        position=table[:, POSITION:NORMAL],
        normal=table[:, NORMAL:GAP],
        gap=table[:, GAP],
        mu=table[:, MU],
        restitution=table[:, RESTITUTION],
    )


def contact_records(table: Array, summaries: Array, count: int) -> ContactRecords:
    """Convert contacts of consecutive steps to their records."""
    counts = summaries[:, [NUM_FIRST_CONTACTS, NUM_SECOND_CONTACTS]].astype(np.intp)
    return ContactRecords(
        contact_points(table, count),
        table[:, IMPULSE:BEFORE],
        table[:, BEFORE:AFTER],
        table[:, AFTER:],
        np.repeat(np.tile([0.0, 1.0], len(counts)), counts.ravel()),
        summaries[:, RESIDUAL],
        np.sum(counts, axis=1),
    )
