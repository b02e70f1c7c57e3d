"""KKT systems: motion under bilateral constraints, ``G v = g`` (Lloyd 0.5, 0.6).

    [ M  -G^T ] [ v      ]   [ b ]
    [ G   0   ] [ lambda ] = [ g ]

The matrix is factored once and solved for many right sides; no inverse is formed. The unknowns v and lambda
and the right side b are acceleration, constraint force and force, or velocity, constraint impulse and
momentum.

Redundant rows of G leave lambda undetermined, but not v: the multipliers of least norm are returned, and the
number of redundant rows is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration
from rbnotes.constraints._dense_kkt import factor_dense
from rbnotes.constraints._sparse_kkt import factor_sparse
from rbnotes.constraints.matrices import KKTSolver, check_square


@dataclass(frozen=True, eq=False)
class KKT:
    """Factored KKT matrix, constructed by :func:`factor_kkt`.

    Attributes
    ----------
    size
        Number n of velocities.
    num_constraints
        Number k of rows of G.
    compute_rank
        Function that computes the rank; for sparse matrices it costs as much as many solves.
    solve_unchecked
        :meth:`solve` for two valid arrays, without checks.
    """

    size: int
    num_constraints: int
    compute_rank: Callable[[], int]
    solve_unchecked: KKTSolver

    @cached_property
    def rank(self) -> int:
        """Number of independent rows of G."""
        return self.compute_rank()

    @property
    def num_redundant(self) -> int:
        """Number of redundant rows of G; if positive, multipliers are those of least norm."""
        return self.num_constraints - self.rank

    def solve(self, b: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Solve for velocities and multipliers (Lloyd 0.6, eq. (0.3)).

        Parameters
        ----------
        b : (n,) or (n, m)
            Upper right side, or m of them as columns.
        g : (k,) or (k, m)
            Lower right side; zero by default.

        Returns
        -------
        v : (n,) or (n, m)
            Velocities.
        multipliers : (k,) or (k, m)
            Multipliers ``(m,)`` with ``M v = b + G^T multipliers``.

        Raises
        ------
        InvalidArgument
            If the shape of ``b`` or ``g`` does not fit.
        InconsistentConstraints
            If redundant rows of G contradict each other.
        """
        columns = arguments.array("b", b)
        if columns.ndim not in (1, 2) or columns.shape[0] != self.size:
            raise InvalidArgument("b", f"shape {columns.shape}", f"shape ({self.size},) or ({self.size}, m)")
        return self.solve_unchecked(columns, self._check_targets(g, columns.shape[1:]))

    def _check_targets(self, g: ArrayLike, columns: tuple[int, ...] = ()) -> Array:
        """Return the checked lower right side ``(k,)``, or with the given number of columns."""
        shape, targets = (self.num_constraints, *columns), arguments.array("g", g)
        if targets.ndim == 0 and targets == 0:
            return np.zeros(shape)
        if targets.shape != shape:
            raise InvalidArgument("g", f"shape {targets.shape}", f"shape {shape}")
        return targets


def kkt_matrix(M: Matrix, G: Matrix) -> Matrix:
    """Return the matrix ``[[M, -G^T], [G, 0]]``, dense, or a ``csc_array`` if M or G is sparse.

    Raises
    ------
    InvalidArgument
        If the shape of ``M`` or ``G`` does not fit.
    """
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    M, G = _check_matrices(M, G)
    if sparse.issparse(M):
        return sparse.block_array([[M, -G.T], [G, None]], format="csc")
    k = G.shape[0]
    return np.block([[M, -G.T], [G, np.zeros((k, k))]])


def factor_kkt(M: Matrix, G: Matrix | None = None, *, redundancy: str = "least-norm") -> KKT:
    """Factor ``[[M, -G^T], [G, 0]]``.

    Parameters
    ----------
    M : (n, n)
        Inertia: symmetric positive definite, or any regular matrix whose symmetric part is positive
        definite (an implicit integrator's). Dense, or scipy.sparse.
    G : (k, n), optional
        Constraint matrix, dimensionless between like velocities; dense or scipy.sparse.
    redundancy : {"least-norm", "raise"}
        Treatment of redundant rows: multipliers of least norm (small rows of a sparse matrix have less
        weight), or an error.

    Raises
    ------
    InvalidArgument
        If ``redundancy`` is not one of the names or the shape of ``M`` or ``G`` does not fit.
    SingularConfiguration
        If M is symmetric but not positive definite, or singular; or if rows of G are redundant and
        ``redundancy`` is "raise".
    """
    arguments.choice("redundancy", redundancy, ("least-norm", "raise"))
    kkt = factor_kkt_unchecked(*_check_matrices(M, G))
    if redundancy == "raise" and kkt.num_redundant:
        got = f"rank {kkt.rank} with {kkt.num_constraints} rows"
        raise SingularConfiguration("G", got, "independent rows")
    return kkt


def factor_kkt_unchecked(M: Matrix, G: Matrix) -> KKT:
    """Factor as :func:`factor_kkt` does, for finite matrices of fitting shape, without checks."""
    if sparse.issparse(M) or sparse.issparse(G):
        M, G = sparse.csc_array(M), sparse.csc_array(G)
    factors = factor_sparse(M, G) if sparse.issparse(M) else factor_dense(M, G)
    return KKT(M.shape[0], G.shape[0], factors.rank, factors.solve)


def kkt_inverse(M: Matrix, G: Matrix) -> Array:
    """Return the inverse of the KKT matrix as a dense matrix ``(n + k, n + k)`` (Lloyd 0.5), for study.

    Its blocks are ``M^-1 P_f``, ``M^-1 G^T S^-1``, ``-S^-1 G M^-1`` and ``S^-1`` with
    ``S = G M^-1 G^T``. To solve a system, use :func:`factor_kkt`.

    Raises
    ------
    InvalidArgument
        If the shape of ``M`` or ``G`` does not fit.
    SingularConfiguration
        If ``M`` is singular or its symmetric part not positive definite, or if rows of ``G`` are redundant.
    """
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    kkt = factor_kkt(M, G, redundancy="raise")
    identity = np.eye(kkt.size + kkt.num_constraints)
    return np.vstack(kkt.solve(identity[: kkt.size], identity[kkt.size :]))


def _check_matrices(M: Matrix, G: Matrix) -> tuple[Matrix, Matrix]:
    M = check_square(M)
    n = M.shape[0]
    if n == 0:
        raise InvalidArgument("M", f"shape {M.shape}", "a matrix with a row")
    G = np.zeros((0, n)) if G is None else arguments.matrix("G", G, None, n)
    if sparse.issparse(M) or sparse.issparse(G):
        return sparse.csc_array(M), sparse.csc_array(G)
    return M, G
