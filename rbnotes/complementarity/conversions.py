"""One problem, several faces: quadratic programs, mixed LCPs, LCPs and box LCPs (Lloyd 0.3, 0.7).

Each conversion has its way back: a function that turns the solution z of the new problem into the unknowns of
the old one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.complementarity.problems import LCP, QP, BoxLCP, MixedLCP, dense
from rbnotes.constraints.kkt import KKT, factor_kkt


def mixed_from_qp(qp: QP) -> MixedLCP:
    """Optimality conditions of a quadratic program: ``M = Q, f = -c, N = A, n = b``.

    They characterise its minimiser if Q is positive semidefinite.
    """
    return MixedLCP(M=qp.Q, f=-qp.c, N=qp.A, n=qp.b, G=qp.G, g=qp.g)


def qp_from_mixed(problem: MixedLCP) -> QP:
    """The quadratic program whose minimiser is x: least ``x^T M x / 2 - f^T x`` with ``N x >= n, G x = g``.

    Raises
    ------
    InvalidArgument
        If M is not symmetric: then x minimises nothing.
    """
    if not problem.symmetric:
        raise InvalidArgument("M", "a matrix that is not symmetric", "a symmetric matrix")
    return QP(Q=problem.M, c=-problem.f, A=problem.N, b=problem.n, G=problem.G, g=problem.g)


def lcp_from_qp(qp: QP) -> LCP:
    """The LCP of a quadratic program's multipliers (Lloyd 0.3), ``M = A Q^-1 A^T, q = -b - A Q^-1 c``.

    Equations ``G x = g`` are eliminated on the way. :func:`qp_minimizer` is the way back.

    Raises
    ------
    SingularConfiguration
        If Q is not positive definite.
    """
    return lcp_from_mixed(mixed_from_qp(qp))


def qp_minimizer(qp: QP, z: ArrayLike) -> Array:
    """The minimiser x ``(d,)`` from the multipliers z ``(m,)``: ``x = Q^-1 (A^T z - c)`` (Lloyd 0.3)."""
    return mixed_unknowns(mixed_from_qp(qp), z)[0]


def qp_from_lcp(lcp: LCP) -> QP:
    """A quadratic program in z that the solutions of an LCP minimise.

    For symmetric M it is least ``z^T M z / 2 + q^T z`` with ``z >= 0``, whose multipliers are w.
    Otherwise it is the gap ``z^T w`` with ``z >= 0, w >= 0``, which solutions make zero. Convex if M is
    positive semidefinite.
    """
    identity = sparse.eye_array(lcp.size, format="csc")
    if lcp.symmetric:
        return QP(Q=lcp.M, c=lcp.q, A=identity, b=np.zeros(lcp.size))
    A = sparse.vstack([identity, sparse.csc_array(lcp.M)], format="csc")
    return QP(Q=lcp.M + lcp.M.T, c=lcp.q, A=A, b=np.concatenate([np.zeros(lcp.size), -lcp.q]))


def qp_from_box(box: BoxLCP) -> QP:
    """Least ``z^T M z / 2 + q^T z`` within the bounds, for symmetric M; its rows are the finite bounds."""
    if not box.symmetric:
        raise InvalidArgument("M", "a matrix that is not symmetric", "a symmetric matrix")
    identity = sparse.eye_array(box.size, format="csr")
    low, high = np.isfinite(box.lower), np.isfinite(box.upper)
    A = sparse.vstack([identity[low], -identity[high]], format="csc")
    return QP(Q=box.M, c=box.q, A=A, b=np.concatenate([box.lower[low], -box.upper[high]]))


def lcp_from_mixed(problem: MixedLCP, kkt: KKT | None = None) -> LCP:
    """Eliminate x and lambda (Lloyd 0.7): ``M' = Nb A^-1 Nb^T, q' = Nb A^-1 b - n`` with ``Nb = (N 0)``.

    It takes ``m + 1`` solves with the KKT matrix A, for m rows of N; :func:`mixed_unknowns` is the way
    back. If M is sparse, made of small blocks, and there are no equations, the result is sparse.

    Parameters
    ----------
    problem
        The mixed LCP.
    kkt
        The factored KKT matrix of its M and G, if there is one already.
    """
    return Elimination(problem, kkt).lcp()


def mixed_unknowns(problem: MixedLCP, z: ArrayLike, kkt: KKT | None = None) -> tuple[Array, Array]:
    """x ``(d,)`` and lambda ``(k,)`` of a mixed LCP from z ``(m,)``: one solve (Lloyd 0.7)."""
    return Elimination(problem, kkt).unknowns(arguments.vector("z", z, problem.size))


class Elimination:
    """x and lambda of a mixed LCP as functions of z, and the LCP that is left; one factorization for both."""

    def __init__(self, problem: MixedLCP, kkt: KKT | None = None) -> None:
        self.problem = problem
        self._inverse = None
        if kkt is None and not len(problem.g) and sparse.issparse(problem.M):
            self._inverse = _block_inverse(problem.M)
        if self._inverse is None:
            self._kkt = factor_kkt(problem.M, problem.G) if kkt is None else kkt

    def lcp(self) -> LCP:
        """The LCP in z."""
        problem = self.problem
        q = problem.N @ self.unknowns(np.zeros(problem.size))[0] - problem.n
        if self._inverse is not None:
            return LCP(M=problem.N @ (self._inverse @ problem.N.T), q=q)
        N = dense(problem.N)
        columns, _ = self._kkt.solve(N.T, np.zeros((self._kkt.constraints, problem.size)))
        M = problem.N @ columns
        held = is_held(np.diagonal(M), N, problem.M)
        M[held], M[:, held] = 0.0, 0.0
        return LCP(M=(M + M.T) / 2 if problem.symmetric else M, q=q)

    def unknowns(self, z: Array) -> tuple[Array, Array]:
        """x and lambda."""
        pushed = self.problem.f + self.problem.N.T @ z
        if self._inverse is not None:
            return self._inverse @ pushed, np.zeros(0)
        return self._kkt.solve(pushed, self.problem.g)


def is_held(effect: Array, rows: Array, M: Any) -> Any:
    """Whether the effect of impulses along rows of N is but rounding: the equations hold such contacts fast.

    ``effect`` is that under the equations; without them it would be about ``sum row^2 / diag(M)``.
    """
    return np.abs(effect) <= 1e-13 * np.sum(rows**2 / np.abs(M.diagonal()), axis=-1)


def box_from_lcp(lcp: LCP) -> BoxLCP:
    """The same problem with the bounds 0 and infinity."""
    return BoxLCP(M=lcp.M, q=lcp.q, lower=0.0, upper=np.inf)


def box_from_mixed(problem: MixedLCP) -> BoxLCP:
    """The mixed LCP in the unknowns (x, lambda, z) at once, the former two unbounded (Lloyd 0.7)."""
    k, m = len(problem.g), problem.size
    rows = [[problem.M, -problem.G.T, -problem.N.T], [problem.G, None, None], [problem.N, None, None]]
    blocks = [[None if block is None else sparse.csc_array(block) for block in row] for row in rows]
    zero = sparse.csc_array((k + m, k + m))
    blocks = [blocks[0], [sparse.vstack([blocks[1][0], blocks[2][0]]), zero]]
    matrix = sparse.vstack([sparse.hstack(blocks[0]), sparse.hstack(blocks[1])], format="csc")
    free = len(problem.f) + k
    return BoxLCP(
        M=matrix if sparse.issparse(problem.M) else matrix.toarray(),
        q=-np.concatenate([problem.f, problem.g, problem.n]),
        lower=np.concatenate([np.full(free, -np.inf), np.zeros(m)]),
        upper=np.inf,
    )


def lcp_from_box(box: BoxLCP) -> LCP:
    """An LCP with the same solutions; :func:`box_unknowns` is the way back.

    Unbounded variables are eliminated. The others are measured from a bound, ``z = lower + u`` or
    ``z = upper - u``; where both are finite, a second pair ``0 <= t _|_ (upper - lower) - u >= 0`` takes up
    the negative part of w.

    Raises
    ------
    SingularConfiguration
        If the rows and columns of the unbounded variables form a singular matrix.
    """
    M, shift, sign, free = _measured(box)
    bound = ~free
    twice = np.flatnonzero((np.isfinite(box.lower) & np.isfinite(box.upper))[bound])
    eliminated = _eliminate(box, free)
    inner = sign[bound, None] * (
        M[np.ix_(bound, bound)] - M[np.ix_(bound, free)] @ eliminated(M[free][:, bound])
    )
    q = box.q + M @ shift
    inner_q = sign[bound] * (q[bound] - M[np.ix_(bound, free)] @ eliminated(q[free]))
    inner = inner * sign[bound]
    slack = np.zeros((len(twice), len(inner)))
    slack[np.arange(len(twice)), twice] = 1.0
    width = (box.upper - box.lower)[bound][twice]
    zero = np.zeros((len(twice), len(twice)))
    return LCP(M=np.block([[inner, slack.T], [-slack, zero]]), q=np.concatenate([inner_q, width]))


def box_unknowns(box: BoxLCP, z: ArrayLike) -> Array:
    """The unknowns ``(n,)`` of a box LCP from the solution of :func:`lcp_from_box`."""
    M, shift, sign, free = _measured(box)
    bound = ~free
    u = arguments.vector("z", z, None)[: int(np.sum(bound))]
    unknowns = shift.copy()
    unknowns[bound] += sign[bound] * u
    unknowns[free] = -_eliminate(box, free)((box.q + M @ unknowns)[free])
    return unknowns


def _measured(box: BoxLCP) -> tuple[Array, Array, Array, Any]:
    """M dense, the bound that each variable is measured from, in which direction, and which have none."""
    free = np.isinf(box.lower) & np.isinf(box.upper)
    from_above = np.isinf(box.lower) & ~free
    shift = np.where(free, 0.0, np.where(from_above, box.upper, box.lower))
    return dense(box.M), shift, np.where(from_above, -1.0, 1.0), free


def _eliminate(box: BoxLCP, free: Any) -> Any:
    inner = dense(box.M)[np.ix_(free, free)]
    if len(inner) and np.linalg.cond(inner) > 1e13:
        raise SingularConfiguration("M", "a singular block of unbounded variables", "a regular one")
    return lambda right: np.linalg.solve(inner, right) if len(inner) else right


def _block_inverse(M: Any, largest: int = 12) -> Any:
    """Inverse of a sparse matrix that falls into small blocks (free bodies, say), else None."""
    diagonal = M.diagonal()
    if M.nnz == len(diagonal) and np.all(diagonal > 0):
        indices = np.arange(len(diagonal) + 1)
        return sparse.csr_array((1 / diagonal, indices[:-1], indices), shape=M.shape)
    count, label = connected_components(M, directed=False)
    sizes = np.bincount(label)
    if sizes.max() > largest:
        return None
    order = np.argsort(label, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    position = np.empty(len(label), dtype=int)
    position[order] = np.arange(len(label)) - np.repeat(starts, sizes)
    entries = M.tocoo()
    rows, columns, values = [], [], []
    for size in np.unique(sizes):
        blocks = np.flatnonzero(sizes == size)
        index = np.full(count, -1)
        index[blocks] = np.arange(len(blocks))
        inside = index[label[entries.row]] >= 0
        stack = np.zeros((len(blocks), size, size))
        r, c = entries.row[inside], entries.col[inside]
        stack[index[label[r]], position[r], position[c]] = entries.data[inside]
        try:
            np.linalg.cholesky((stack + np.swapaxes(stack, 1, 2)) / 2)
        except np.linalg.LinAlgError:
            return None  # factor_kkt says what is wrong
        members = order[starts[blocks][:, None] + np.arange(size)]
        rows.append(np.repeat(members, size, axis=1).ravel())
        columns.append(np.tile(members, size).ravel())
        values.append(np.linalg.inv(stack).ravel())
    triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.coo_array(triplets, shape=M.shape).tocsr()
