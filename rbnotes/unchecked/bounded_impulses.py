"""Constants of bounded impulses in velocity updates, for the reference and for compiled code."""

from __future__ import annotations

RELATIVE_TOLERANCE = 1e-9
"""Accepted excess of an impulse over its bound, relative to it, and accepted velocity with the wrong sign,
relative to the largest velocity without the rows."""
MAX_MODE_CHANGES = 5
"""Number of iterations before box LCPs are solved."""
LINEAR, UPPER, LOWER = 0, 1, -1
"""Modes of a row."""
STIFF_INERTIA_FACTOR = 12.0
"""Ratio of ``h^2 kp`` to the inertia of a joint at which half of the implicit correction of a servo acts."""
