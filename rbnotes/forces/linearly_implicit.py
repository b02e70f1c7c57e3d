"""The step for which K and D are made: linearly implicit Euler (Sueda 1.9).

Implicit Euler asks for ``M (phi+ - phi) = h f`` with f at the end of the step. To first order in the step
that force is ``f + h K phi+ + D (phi+ - phi)``, with K = +df/dq and D = +df/dphi, so

    (M - h D - h^2 K) phi+ = (M - h D) phi + h f.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration


def linearly_implicit_velocity(
    M: ArrayLike | sparse.sparray,
    phi: ArrayLike,
    f: ArrayLike,
    K: ArrayLike | sparse.sparray,
    D: ArrayLike | sparse.sparray,
    h: float,
) -> Array:
    """Velocities ``(n,)`` after one linearly implicit Euler step (right form of Sueda eq. (1.30)).

    Parameters
    ----------
    M, K, D : (n, n)
        Inertia, K = +df/dq and D = +df/dphi; each dense, or a scipy.sparse array.
    phi, f : (n,)
        Velocities and the sum of all forces, those that depend on velocities included, at the start.
    h : float
        Step size, s.

    Raises
    ------
    SingularConfiguration
        If ``M - h D - h^2 K`` is singular.
    """
    phi = arguments.vector("phi", phi, None)
    n = phi.shape[-1]
    f = arguments.vector("f", f, n)
    h = float(arguments.positive("h", h))
    sparsely = any(sparse.issparse(matrix) for matrix in (M, K, D))
    inertia, stiffness, damping = (
        _square(name, matrix, n, sparsely) for name, matrix in (("M", M), ("K", K), ("D", D))
    )
    damped = inertia - h * damping
    matrix, right = damped - h * h * stiffness, damped @ phi + h * f
    try:
        return splu(matrix.tocsc()).solve(right) if sparsely else np.linalg.solve(matrix, right)
    except (RuntimeError, np.linalg.LinAlgError) as error:
        raise SingularConfiguration("M - h D - h^2 K", "a singular matrix", "a regular one") from error


def _square(name: str, matrix: Any, n: int, sparsely: bool) -> Any:
    if not sparse.issparse(matrix):
        matrix = arguments.array(name, matrix, n, n)
    elif matrix.shape != (n, n):
        raise InvalidArgument(name, f"shape {matrix.shape}", f"shape ({n}, {n})")
    return sparse.csc_array(matrix) if sparsely else matrix
