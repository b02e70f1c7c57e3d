"""Contact and friction by cases (open, sticking, sliding in either direction): one case is consistent."""

from __future__ import annotations

from itertools import product

import numpy as np

from rbnotes.arguments import Array


def box_friction_velocities(M: Array, T: Array, initial: Array, limits: Array) -> Array:
    """Return the velocities after friction with given limits, from the velocities before.

    For each row of T either the sliding stops, or the impulse is at its limit and opposes the sliding.
    """
    inverse_mass = np.linalg.inv(M)
    W, s = T @ inverse_mass @ T.T, T @ initial
    best, smallest_violation = initial, np.inf
    for signs in product((-1, 0, 1), repeat=len(T)):
        directions = np.array(signs)
        stuck = directions == 0
        b = -directions * limits
        if np.any(stuck):
            b[stuck] = -np.linalg.solve(
                W[np.ix_(stuck, stuck)], s[stuck] + W[np.ix_(stuck, ~stuck)] @ b[~stuck]
            )
        u = s + W @ b
        violation = max(float(np.max(np.abs(b) - limits)), float(np.max(-directions * u)))
        if violation < smallest_violation:
            best, smallest_violation = initial + inverse_mass @ (T.T @ b), violation
    return best


def coulomb_box(M: Array, initial: Array, mu: float) -> Array:
    """Return the velocities ``(3,)`` after one contact with box friction, from those before.

    The first is along the normal, the others along the tangents; each friction component is at most mu times
    the normal impulse.
    """
    if initial[0] >= 0:
        return initial
    W = np.linalg.inv(M)
    best, smallest_violation = initial, np.inf
    for signs in product((-1, 0, 1), repeat=2):
        # Unknowns: the normal impulse a, and friction where it sticks; elsewhere friction is - sign mu a.
        to_impulses = np.zeros((3, 3))
        to_impulses[0, 0] = 1.0
        used = [0]
        for k, sign in enumerate(signs):
            to_impulses[1 + k, 0 if sign else 1 + k] = -sign * mu if sign else 1.0
            used += [] if sign else [1 + k]
        basis = to_impulses[:, used]
        impulses = basis @ np.linalg.solve(W[used] @ basis, -initial[used])
        v = initial + W @ impulses
        excess = float(np.max(np.abs(impulses[1:])) - mu * impulses[0])
        violation = max(-impulses[0], excess, *(-sign * v[1 + k] for k, sign in enumerate(signs)))
        if violation < smallest_violation:
            best, smallest_violation = v, violation
    return best
