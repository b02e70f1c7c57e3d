"""Components that move as prescribed, and the force that it takes (Lloyd 0.21)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.attachments.reduction import ConstrainedSystem


class ControlledMotion(NamedTuple):
    """The motion of a system some of whose velocities are prescribed."""

    v: Array
    """All velocities ``(n,)``."""
    multipliers: Array
    """Those of the constraints ``(k,)``, which push."""
    force: Array
    """What it takes, on top of the applied forces, to move the controlled components ``(n_controlled,)``."""


def solve_controlled(
    system: ConstrainedSystem, controlled: ArrayLike, v_controlled: ArrayLike
) -> ControlledMotion:
    """Solve for the velocities that are not prescribed, and for the force behind those that are (Lloyd 0.21).

    Attachments are eliminated first, :meth:`rbnotes.attachments.reduction.NullSpace.reduce`; controlled
    components may be masters.

    Parameters
    ----------
    system
        Accelerations and forces; or the velocities after a step, momenta and impulses.
    controlled : (n_controlled,)
        Indices of the prescribed velocities.
    v_controlled : (n_controlled,)
        Their values.

    Raises
    ------
    InvalidArgument
        If an index does not exist or stands twice, or if nothing is left that constraints could change.
    InconsistentConstraints
        If the constraints and the prescribed velocities contradict each other.
    """
    n = len(system.f)
    indices = np.asarray(controlled)
    valid = indices.ndim == 1 and (indices.size == 0 or np.issubdtype(indices.dtype, np.integer))
    if not valid or len(np.unique(indices)) < len(indices) or np.any((indices < 0) | (indices >= n)):
        raise InvalidArgument("controlled", f"{controlled!r:.60}", f"different indices between 0 and {n - 1}")
    indices = indices.astype(int)
    prescribed = arguments.vector("v_controlled", v_controlled, len(indices))
    free = np.setdiff1d(np.arange(n), indices)
    v = np.zeros(n)
    v[indices] = prescribed
    if not len(free):
        if len(system.g):
            raise InvalidArgument("controlled", "every velocity", "one that the constraints can change")
        return ControlledMotion(v, np.zeros(0), (system.M @ v - system.f)[indices])
    rest = ConstrainedSystem(
        M=system.M[free][:, free],
        f=system.f[free] - system.M[free] @ v,
        G=system.G[:, free],
        g=system.g - system.G @ v,
        R=system.R,
    )
    v[free], multipliers = rest.solve()
    force = (system.M @ v - system.G.T @ multipliers - system.f)[indices]
    return ControlledMotion(v, multipliers, force)
