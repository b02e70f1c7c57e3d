"""Coulomb's law, piece by piece: how far impulses and velocities are from each of its conditions.

At a contact with normal impulse a, friction impulse b, separation speed u and sliding velocity s:

* nothing pulls and nothing overlaps: ``a >= 0``, ``u >= 0``, and ``a u = 0``;
* friction stays in the cone: ``|b| <= mu a``;
* friction dissipates as much as the cone lets it: ``b . s = -mu a |s|``.

De Saxce's change of variable puts them into one: the impulse ``(a, b)`` lies in the cone, the velocity
``(u + mu |s|, s)`` lies in its dual, and the two are orthogonal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.friction.contacts import ContactProblem, ContactSolution


class Laws(NamedTuple):
    """The worst violation of each law over all contacts; each is zero for an exact solution."""

    penetration: float
    """Approach speed below the target, m/s."""
    pull: float
    """Normal impulse that pulls, N s."""
    complementarity: float
    """Smaller of the normal impulse, N s, and its separation velocity times the effective mass, N s."""
    cone: float
    """Friction impulse beyond mu times the normal impulse, N s."""
    dissipation: float
    """What friction leaves undissipated, ``mu a |s| + b . s``, N m/s; negative if it is outside the cone."""
    natural: float
    """De Saxce's natural residual relative to the impulses of the problem: all laws in one number."""


def project_on_cone(impulses: ArrayLike, mu: ArrayLike) -> Array:
    """Nearest points ``(..., 3)`` of the friction cones ``|b| <= mu a`` to ``(a, b) (..., 3)``.

    Points of the cone stay; points of the polar cone, ``mu |b| <= -a``, go to the apex; the others to the
    nearest point of the cone's surface.
    """
    impulses = arguments.array("impulses", impulses, 3)
    mu = arguments.scalar("mu", mu, minimum=0.0)
    a, b = impulses[..., 0], impulses[..., 1:]
    size = np.linalg.norm(b, axis=-1)
    on_surface = (a + mu * size) / (1 + mu**2)
    inside, polar = (size <= mu * a) & (a >= 0), mu * size <= -a
    new_a = np.where(inside, a, np.where(polar, 0.0, on_surface))
    radius = np.where(inside, size, mu * new_a)
    direction = np.divide(b, size[..., None], out=np.zeros_like(b), where=size[..., None] > 0)
    return np.concatenate([new_a[..., None], radius[..., None] * direction], axis=-1)


def natural_residual(problem: ContactProblem, impulses: ArrayLike, velocities: ArrayLike) -> float:
    """Largest change of an impulse when its velocity, scaled, is subtracted and the cone projected on.

    Parameters
    ----------
    impulses, velocities : (c, 3)
        Normal and tangential; normal velocities above their targets.

    Returns
    -------
    float
        Relative to the largest impulse, or what stops the free motion, whichever is larger.
    """
    count = problem.contacts.count
    if count == 0:
        return 0.0
    r = arguments.array("impulses", impulses, count, 3)
    u = arguments.array("velocities", velocities, count, 3)
    mu = problem.contacts.mu
    effective_mass = _reciprocal(np.trace(_blocks(problem), axis1=1, axis2=2) / 3)
    shifted = u.copy()
    shifted[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    change = r - project_on_cone(r - effective_mass[:, None] * shifted, mu)
    scale = max(np.abs(r).max(), np.abs(effective_mass[:, None] * problem.free_contact_velocity).max())
    return float(np.abs(change).max() / scale) if scale > 0 else 0.0


def measure_laws(problem: ContactProblem, solution: ContactSolution) -> Laws:
    """How far a solution is from each law of Coulomb, whatever model it comes from."""
    if problem.contacts.count == 0:
        return Laws(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    u, r, mu = problem.contact_velocity(solution.velocity), solution.impulses, problem.contacts.mu
    a, b = r[:, 0], r[:, 1:]
    sliding, friction = np.linalg.norm(u[:, 1:], axis=1), np.linalg.norm(b, axis=1)
    effective_mass = _reciprocal(_blocks(problem)[:, 0, 0])
    unused = mu * a * sliding + np.sum(b * u[:, 1:], axis=1)
    return Laws(
        penetration=float(np.maximum(-u[:, 0], 0.0).max()),
        pull=float(np.maximum(-a, 0.0).max()),
        complementarity=float(np.minimum(np.abs(a), np.abs(effective_mass * u[:, 0])).max()),
        cone=float(np.maximum(friction - mu * a, 0.0).max()),
        dissipation=float(unused[np.argmax(np.abs(unused))]),
        natural=natural_residual(problem, r, u),
    )


def _blocks(problem: ContactProblem) -> Array:
    """Diagonal blocks ``(c, 3, 3)`` of the Delassus matrix: each contact's answer to its own impulse."""
    count = problem.contacts.count
    blocks = problem.delassus.reshape(count, 3, count, 3)
    return np.einsum("iaib->iab", blocks)


def _reciprocal(mobility: Array) -> Array:
    """Effective masses; zero where the contact cannot move, and no impulse changes anything."""
    return np.divide(1.0, mobility, out=np.zeros_like(mobility), where=mobility > 0)
