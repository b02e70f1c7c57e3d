"""Many axial springs between particles, with sparse Jacobians.

The forces on P particles are stacked as ``(P, 3)``, their Jacobians are scipy.sparse matrices of size
``3P``. Particles that do not move are left out by taking the rows and columns of those that do
(:func:`coordinates`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces.path import PotentialLaw, path_energy, path_force, taut_stiffness
from rbnotes.forces.tension import TensionLaw

Indices = NDArray[np.intp]


class NetworkForces(NamedTuple):
    """Forces on the particles of a network and their exact sparse Jacobians."""

    f: Array
    """Forces ``(P, 3)``, N."""
    K: sparse.csc_array
    """+df/dx ``(3P, 3P)``, N/m."""
    D: sparse.csc_array
    """+df/dv ``(3P, 3P)``, N s/m."""


@dataclass(frozen=True, eq=False)
class SpringNetwork:
    """N axial springs, all of one law, whose parameters may be arrays with an entry for each spring."""

    law: TensionLaw
    ends: Indices
    """Pairs of particles ``(N, 2)``."""

    def __post_init__(self) -> None:
        ends = np.asarray(self.ends)
        if not np.issubdtype(ends.dtype, np.integer) or ends.ndim != 2 or ends.shape[1] != 2:
            raise InvalidArgument("ends", f"{ends.dtype} of shape {ends.shape}", "integers of shape (N, 2)")
        if np.any(ends < 0):
            raise InvalidArgument("ends", f"particle {ends.min()}", "particles numbered from 0")
        if np.any(ends[:, 0] == ends[:, 1]):
            spring = int(np.argmax(ends[:, 0] == ends[:, 1]))
            raise InvalidArgument("ends", f"spring {spring} from a particle to itself", "two particles")
        object.__setattr__(self, "ends", ends.astype(np.intp))

    def forces(self, x: ArrayLike, v: ArrayLike, *, taut: bool = False) -> NetworkForces:
        """Forces, K and D for particles at ``x (P, 3)`` with velocities ``v (P, 3)``.

        With ``taut``, K leaves out the geometric part of springs that push
        (:func:`~rbnotes.forces.path.taut_stiffness`); the forces and D stay exact.

        Raises
        ------
        SingularConfiguration
            If the two particles of a spring coincide; the message counts the springs as paths.
        """
        x, v = self._particles("x", x), self._particles("v", v)
        if x.shape != v.shape:
            raise InvalidArgument("v", f"shape {v.shape}", f"shape {x.shape}, as x")
        spring = path_force(self.law, x[self.ends], v[self.ends])
        K = taut_stiffness(self.law, x[self.ends], v[self.ends]) if taut else spring.K
        f = np.zeros_like(x)
        np.add.at(f, self.ends, spring.f)
        return NetworkForces(f, self._assemble(K, len(x)), self._assemble(spring.D, len(x)))

    def energy(self, x: ArrayLike) -> float:
        """Potential energy of all springs, J.

        Raises
        ------
        InvalidArgument
            If the law has no potential.
        """
        law: object = self.law
        if not hasattr(law, "energy"):
            raise InvalidArgument("law", type(law).__name__, "a law with a potential energy")
        potential: PotentialLaw = law  # type: ignore[assignment]
        return float(np.sum(path_energy(potential, self._particles("x", x)[self.ends])))

    def _particles(self, name: str, value: ArrayLike) -> Array:
        particles = arguments.array(name, value, None, 3)
        least = int(self.ends.max(initial=-1)) + 1
        if particles.ndim != 2 or len(particles) < least:
            raise InvalidArgument(
                name, f"shape {particles.shape}", f"shape (P, 3) of at least {least} particles"
            )
        return particles

    def _assemble(self, blocks: Array, particles: int) -> sparse.csc_array:
        rows = coordinates(self.ends).reshape(-1, 6)
        shape = (3 * particles, 3 * particles)
        entries = (
            np.broadcast_to(rows[:, :, None], blocks.shape),
            np.broadcast_to(rows[:, None], blocks.shape),
        )
        return sparse.coo_array(
            (blocks.ravel(), (entries[0].ravel(), entries[1].ravel())), shape=shape
        ).tocsc()


def coordinates(particles: ArrayLike) -> Indices:
    """Numbers of the three coordinates of each particle, ``(..., 3)``: rows and columns of K and D."""
    indices = np.asarray(particles)
    if not np.issubdtype(indices.dtype, np.integer):
        raise InvalidArgument("particles", f"{indices.dtype}", "integers")
    return 3 * indices[..., None] + np.arange(3)
