"""KKT systems: motion under bilateral constraints, ``G v = g`` (Lloyd 0.5, 0.6).

    [ M  -G^T ] [ v      ]   [ b ]
    [ G   0   ] [ lambda ] = [ g ]

The matrix is factored once and solved for many right sides; no inverse is ever formed. What v, lambda and
b are depends on the use: acceleration, constraint force and force, or velocity, constraint impulse and
momentum.

Rows of G that repeat each other leave lambda undetermined, though not v: then the multipliers of least norm
are taken, and the number of such rows is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration

RANK_TOLERANCE = 1e-9
"""Rows of G that add less than this to the others (relative to the largest row) count as redundant."""

CONSISTENCY_TOLERANCE = 1e-7
"""Largest contradiction between redundant rows, relative to the sizes of g and of G times the free motion."""

PROXIMAL = 1e-8
"""Weight on the multipliers in the sparse factors, relative to G M^-1 G^T; refined away in each solve."""

SMALL_ROWS = 1e-4
"""Weight on a multiplier at most, relative to its own entry of G M^-1 G^T: else those of rows in small units,
or of heavy bodies, would not be found in a few refinements."""

Solve = Callable[[Array, Array], tuple[Array, Array]]


class InconsistentConstraints(InvalidArgument):
    """Redundant rows of G ask for different values: no v satisfies them all."""


@dataclass(frozen=True, eq=False)
class KKT:
    """A factored KKT matrix; made by :func:`factor_kkt`."""

    size: int
    """Number n of velocities."""
    constraints: int
    """Number k of rows of G."""
    count_rank: Callable[[], int]
    """Finds the rank: for sparse matrices as costly as many solves, hence only on demand."""
    solver: Solve
    """As :meth:`solve`, for two arrays that are known to be right."""

    @cached_property
    def rank(self) -> int:
        """How many rows of G are independent."""
        return self.count_rank()

    @property
    def redundant(self) -> int:
        """Rows of G that repeat others; if any, multipliers are those of least norm."""
        return self.constraints - self.rank

    def solve(self, b: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Velocities and multipliers (Lloyd 0.6, eq. (0.3)).

        Parameters
        ----------
        b : (n,) or (n, m)
            Upper right side, or m of them as columns.
        g : (k,) or (k, m)
            Lower right side; zero by default.

        Returns
        -------
        v : (n,) or (n, m)
        multipliers : (k,) or (k, m)
            Such that ``M v = b + G^T multipliers``.

        Raises
        ------
        InconsistentConstraints
            If redundant rows of G contradict each other.
        """
        columns = arguments.array("b", b)
        if columns.ndim not in (1, 2) or columns.shape[0] != self.size:
            raise InvalidArgument("b", f"shape {columns.shape}", f"shape ({self.size},) or ({self.size}, m)")
        return self.solver(columns, self._targets(g, columns.shape[1:]))

    def _targets(self, g: ArrayLike, columns: tuple[int, ...] = ()) -> Array:
        """The lower right side ``(k,)``, or with as many columns as the upper one has."""
        shape, targets = (self.constraints, *columns), arguments.array("g", g)
        if targets.ndim == 0 and targets == 0:
            return np.zeros(shape)
        if targets.shape != shape:
            raise InvalidArgument("g", f"shape {targets.shape}", f"shape {shape}")
        return targets


def kkt_matrix(M: Any, G: Any) -> Any:
    """The matrix ``[[M, -G^T], [G, 0]]``, dense, or a ``csc_array`` if M or G is sparse."""
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    M, G = _checked(M, G)
    if sparse.issparse(M):
        return sparse.block_array([[M, -G.T], [G, None]], format="csc")
    k = G.shape[0]
    return np.block([[M, -G.T], [G, np.zeros((k, k))]])


def factor_kkt(M: Any, G: Any = None, *, redundancy: str = "least-norm") -> KKT:
    """Factor ``[[M, -G^T], [G, 0]]``.

    Parameters
    ----------
    M : (n, n)
        Inertia: symmetric positive definite, or any regular matrix whose symmetric part is positive
        definite (an implicit integrator's). Dense, or scipy.sparse.
    G : (k, n), optional
        Constraint matrix, dense or scipy.sparse.
    redundancy : {"least-norm", "refuse"}
        What to do with redundant rows: multipliers of least norm, in which rows of a sparse matrix that are
        small beside others count less; or an error.

    Raises
    ------
    SingularConfiguration
        If M is symmetric but not positive definite, or singular; or if rows of G are redundant
        and that is refused.
    """
    arguments.choice("redundancy", redundancy, ("least-norm", "refuse"))
    kkt = factored(*_checked(M, G))
    if redundancy == "refuse" and kkt.redundant:
        got = f"rank {kkt.rank} with {kkt.constraints} rows"
        raise SingularConfiguration("G", got, "independent rows")
    return kkt


def factored(M: Any, G: Any) -> KKT:
    """As :func:`factor_kkt`, for matrices that are finite and whose shapes fit: they are not looked at."""
    if sparse.issparse(M) or sparse.issparse(G):
        M, G = sparse.csc_array(M), sparse.csc_array(G)
    count_rank, solver = (_factor_sparse if sparse.issparse(M) else _factor_dense)(M, G)
    return KKT(M.shape[0], G.shape[0], count_rank, solver)


def kkt_inverse(M: Any, G: Any) -> Array:
    """The inverse of the KKT matrix as a dense matrix ``(n + k, n + k)`` (Lloyd 0.5), for study.

    Its blocks are ``M^-1 P_f``, ``M^-1 G^T S^-1``, ``-S^-1 G M^-1`` and ``S^-1`` with
    ``S = G M^-1 G^T``. To solve a system, use :func:`factor_kkt`.
    """
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    kkt = factor_kkt(M, G, redundancy="refuse")
    identity = np.eye(kkt.size + kkt.constraints)
    return np.vstack(kkt.solve(identity[: kkt.size], identity[kkt.size :]))


def is_symmetric(M: Any) -> bool:
    """Whether a dense or sparse matrix is symmetric to rounding.

    A dense one is multiplied with a vector from both sides, which takes less memory than to transpose it.
    """
    M = _square(M)
    return symmetric_to_rounding(M)


def symmetric_to_rounding(M: Any) -> bool:
    """As :func:`is_symmetric`, for a square matrix that is known to be finite."""
    if sparse.issparse(M):
        return bool(abs(M - M.T).max() <= 1e-12 * abs(M).max()) if M.nnz else True
    probe = np.cos(np.arange(len(M)) + 0.5)
    return bool(np.max(np.abs(M @ probe - probe @ M), initial=0.0) <= 1e-12 * np.linalg.norm(M))


def _square(M: Any) -> Any:
    M = arguments.matrix("M", M)
    if M.shape[0] != M.shape[1]:
        raise InvalidArgument("M", f"shape {M.shape}", "a square matrix")
    return M


def _checked(M: Any, G: Any) -> tuple[Any, Any]:
    M = _square(M)
    n = M.shape[0]
    if n == 0:
        raise InvalidArgument("M", f"shape {M.shape}", "a matrix with a row")
    G = np.zeros((0, n)) if G is None else arguments.matrix("G", G, None, n)
    if sparse.issparse(M) or sparse.issparse(G):
        return sparse.csc_array(M), sparse.csc_array(G)
    return M, G


def _factor_dense(M: Array, G: Array) -> tuple[Callable[[], int], Solve]:
    solve_inertia: Callable[[Array], Array]
    solve_schur: Callable[[Array], Array]
    if symmetric_to_rounding(M):
        L = _cholesky_factor(M)
        solve_inertia = partial(_solve_factored, L, 1)
        R = _schur_factor(L, G)
        basis = None if _surely_independent(M, L, R) else row_space(G)
        independent = G if basis is None else basis.T @ G
        if basis is not None:
            R = _schur_factor(L, independent)
        if len(R) and np.min(np.abs(np.diagonal(R))) < 1 / arguments.LARGEST:
            expected = "rows that some velocity changes"
            raise SingularConfiguration("G", "a row of entries next to zero", expected)
        solve_schur = partial(_solve_factored, R, 0)
    else:
        basis = row_space(G)
        independent = G if basis is None else basis.T @ G
        solve_inertia, solve_schur = _lu(M, independent)

    def solve(b: Array, g: Array) -> tuple[Array, Array]:
        free = solve_inertia(b)
        if not len(G):
            return free, g
        reduced = g
        if basis is not None:
            reduced = basis.T @ g
            _check_consistent(g - basis @ reduced, max(_largest(g), _largest(G @ free)))
        multipliers = solve_schur(reduced - independent @ free)
        v = free + solve_inertia(independent.T @ multipliers)
        return v, multipliers if basis is None else basis @ multipliers

    return lambda: len(independent), solve


# Triangles are solved by LAPACK itself: what SciPy puts before it takes longer than the dozens of velocities.


def _cholesky_factor(M: Array) -> Array:
    L, failed = linalg.lapack.dpotrf(M, lower=1)
    if failed:
        smallest = np.linalg.eigvalsh(M)[0]
        raise SingularConfiguration("M", f"smallest eigenvalue {smallest:.3g}", "positive definite")
    factor: Array = L
    return factor


def _solve_factored(factor: Array, lower: int, b: Array) -> Array:
    if not b.size:
        return b
    x: Array = linalg.lapack.dpotrs(factor, b, lower=lower)[0]
    return x


def _schur_factor(L: Array, G: Array) -> Array:
    """R with ``R^T R = G M^-1 G^T``, which is not formed; for no more rows than columns."""
    if not len(G):
        return np.zeros((0, 0))
    columns = linalg.lapack.dtrtrs(L, G.T, lower=1)[0]
    R: Array = np.asfortranarray(np.triu(linalg.lapack.dgeqrf(columns, overwrite_a=1)[0][: len(G)]))
    return R


def _surely_independent(M: Array, L: Array, R: Array) -> bool:
    """Whether conditions say what :func:`row_space` would find, in a fraction of its time.

    The smallest of its numbers is no less than the smallest singular value of G, and so, relative to the
    largest, than the reciprocal conditions of L and R together. Estimates may be too good by some factor.
    """
    if not len(R):
        return True
    if R.shape[0] != R.shape[1]:
        return False
    inverse, singular = linalg.lapack.dtrtri(R)
    of_M = linalg.lapack.dpocon(L, np.linalg.norm(M, 1), uplo="L")[0]
    of_both = np.linalg.norm(R, 1) * np.linalg.norm(inverse, 1) / np.sqrt(of_M)
    return bool(not singular and len(R) * of_both < 0.1 / RANK_TOLERANCE)


def _lu(M: Array, G: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    factors = regular_lu("M", M)
    if not len(G):
        return lambda b: linalg.lu_solve(factors, b), lambda g: g
    schur = G @ linalg.lu_solve(factors, G.T)
    units = np.sqrt(np.maximum(np.diagonal(schur), 1 / arguments.LARGEST))  # rows of any size, of any body
    schur_factors = regular_lu("G M^-1 G^T", schur / units / units[:, None])
    return (
        lambda b: linalg.lu_solve(factors, b),
        lambda g: (linalg.lu_solve(schur_factors, (g.T / units).T).T / units).T,
    )


def regular_lu(name: str, matrix: Array, least: float = 100 * float(np.finfo(float).eps)) -> Any:
    """Factors for :func:`scipy.linalg.lu_solve`, of a matrix whose reciprocal condition is not below this."""
    factors, pivots, singular = linalg.lapack.dgetrf(matrix)
    reciprocal = 0.0 if singular else linalg.lapack.dgecon(factors, np.abs(matrix).sum(axis=0).max())[0]
    if not reciprocal >= least:
        raise SingularConfiguration(name, f"reciprocal condition {reciprocal:.1g}", "a regular matrix")
    return factors, pivots


def row_space(G: Array) -> Array | None:
    """Orthonormal basis (k, rank) of the multipliers that matter; None if the rows are independent."""
    if not len(G):
        return None
    R, pivots = linalg.qr(G.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(R))
    rank = int(np.sum(sizes > RANK_TOLERANCE * sizes[0])) if sizes[0] > 0 else 0
    if rank == len(G):
        return None
    rows = np.empty((len(G), rank))
    rows[pivots] = R[:rank].T
    return linalg.qr(rows, mode="economic")[0] if rank else rows


def _factor_sparse(M: Any, G: Any) -> tuple[Callable[[], int], Solve]:
    """Factors of ``[[M, -G^T], [G, delta]]``, and iterations that take the diagonal delta out again.

    They are proximal-point steps on the multipliers: started from zero they stay in the range of
    ``delta^-1 G``, so that they end at the multipliers of least norm if rows are redundant, in which small
    rows count less.
    """
    n, k = M.shape[0], G.shape[0]
    symmetric = symmetric_to_rounding(M)
    _check_inertia(M, symmetric)
    effects = (G * G) @ (1 / M.diagonal())
    largest = max(np.max(effects, initial=0.0), 1e-100)
    # Rows that are redundant because they are small are small against their delta.
    effects = np.maximum(effects, RANK_TOLERANCE**2 * largest)
    delta = np.minimum(PROXIMAL * largest, SMALL_ROWS * effects)
    graded = bool(np.any(delta < PROXIMAL * largest))
    matrix = sparse.block_array([[M, -G.T], [G, sparse.diags_array(delta)]], format="csc") if k else M
    # With a threshold for pivots: elimination of a multiplier first would divide by delta.
    factors = splu(matrix, **(_ORDERING | {"diag_pivot_thresh": 0.1}))

    def regularised(b: Array, g: Array) -> tuple[Array, Array]:
        both = factors.solve(np.concatenate([b, g]))
        return both[:n], both[n:]

    def solve(b: Array, g: Array) -> tuple[Array, Array]:
        v, multipliers = regularised(b, g)
        free = b / M.diagonal().reshape(-1, *[1] * (b.ndim - 1))  # its size is about that of the motion
        forces = max(_largest(b), _largest(M @ v))
        speeds = max(_largest(g), _largest(G @ free), _largest(abs(G) @ np.abs(v)))
        errors: list[float] = [np.inf, np.inf]
        for _ in range(20):
            missing = b - M @ v + G.T @ multipliers, g - G @ v
            new = [max(_ratio(missing[0], forces), _ratio(missing[1], speeds))]
            if graded:  # what small rows miss does not show beside large ones
                new.append(_largest((missing[1].T / np.sqrt(effects)).T))
            if not any(one < 0.5 * before for one, before in zip(new, errors, strict=False)):
                break
            errors = new
            dv, step = regularised(*missing)
            v, multipliers = v + dv, multipliers + step
        _check_consistent(g - G @ v, speeds)
        return v, multipliers

    def count_rank() -> int:
        result: int = k - _count_redundant(lambda g: regularised(np.zeros((n, g.shape[1])), g)[1], k, delta)
        return result

    return count_rank, solve


_ORDERING = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}


def _check_inertia(M: Any, symmetric: bool) -> None:
    try:
        pivots = splu(M, **_ORDERING).U.diagonal()
    except RuntimeError as error:
        raise SingularConfiguration("M", "a singular matrix", "a regular one") from error
    if np.any(pivots <= 0):
        expected = "positive definite" if symmetric else "a matrix with positive definite symmetric part"
        raise SingularConfiguration("M", f"a pivot of {pivots.min():.3g}", expected)


def _count_redundant(schur_solve: Callable[[Array], Array], k: int, delta: Array) -> int:
    """Number of zero eigenvalues of ``S = G M^-1 G^T``: the trace of ``(S + delta)^-1 delta``.

    A few random right sides tell whether there are any at all.
    """
    if k == 0:
        return 0
    probes = np.random.default_rng(0).choice([-1.0, 1.0], (k, 4))
    if np.all(np.sum(probes * schur_solve(delta[:, None] * probes), axis=0) < 1e-3):
        return 0
    trace = 0.0
    for start in range(0, k, 256):
        block = np.eye(k)[:, start : start + 256]
        trace += np.sum(block * schur_solve(delta[:, None] * block))
    return round(trace)


def _check_consistent(contradiction: Array, scale: float) -> None:
    size = _largest(contradiction)
    if size > CONSISTENCY_TOLERANCE * scale:
        raise InconsistentConstraints(
            "g", f"values that redundant rows of G miss by {size:.3g}", "values that some v satisfies"
        )


def _ratio(error: Array, size: float) -> float:
    return _largest(error) / size if size > 0 else 0.0


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
