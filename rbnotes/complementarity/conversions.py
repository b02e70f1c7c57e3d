"""Conversions between quadratic programs, LCPs and box LCPs (Lloyd 0.3).

Each conversion has a function that turns the solution z of the new problem into the unknowns of the old one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.problems import LCP, QP, BoxLCP, to_dense


def lcp_from_qp(qp: QP) -> LCP:
    """Return the LCP of the multipliers of a QP (Lloyd 0.3), ``M = A Q^-1 A^T, q = -b - A Q^-1 c``.

    Equations ``G x = g`` are eliminated. :func:`qp_minimizer` recovers x.

    Raises
    ------
    InvalidArgument
        If ``qp`` is not a ``QP``.
    SingularConfiguration
        If Q is not positive definite.
    """
    arguments.require_instance("qp", qp, QP)
    return Elimination.from_qp(qp).lcp()


def qp_minimizer(qp: QP, z: ArrayLike) -> Array:
    """Return the minimizer x ``(d,)`` from the multipliers z ``(m,)``: ``x = Q^-1 (A^T z - c)`` (Lloyd 0.3).

    Raises
    ------
    InvalidArgument
        If the shape of ``z`` does not fit.
    """
    arguments.require_instance("qp", qp, QP)
    return Elimination.from_qp(qp).recover_unknowns(z)[0]


def qp_from_lcp(lcp: LCP) -> QP:
    """Return a quadratic program in z whose minimizers are the solutions of an LCP.

    For symmetric M the objective is ``z^T M z / 2 + q^T z`` with ``z >= 0``, whose multipliers are w.
    Otherwise it is the gap ``z^T w`` with ``z >= 0, w >= 0``, which is zero at solutions. The program is
    convex if M is positive semidefinite.

    Raises
    ------
    InvalidArgument
        If ``lcp`` is not an ``LCP``.
    """
    arguments.require_instance("lcp", lcp, LCP)
    identity = sparse.eye_array(lcp.size, format="csc")
    if lcp.is_symmetric:
        return QP(Q=lcp.M, c=lcp.q, A=identity, b=np.zeros(lcp.size))
    A = sparse.vstack([identity, sparse.csc_array(lcp.M)], format="csc")
    return QP(Q=lcp.M + lcp.M.T, c=lcp.q, A=A, b=np.concatenate([np.zeros(lcp.size), -lcp.q]))


def qp_from_box(box: BoxLCP) -> QP:
    """Return the QP ``min z^T M z / 2 + q^T z`` within the bounds, for symmetric M; rows are finite bounds.

    Raises
    ------
    InvalidArgument
        If ``box`` is not a ``BoxLCP``.
    """
    arguments.require_instance("box", box, BoxLCP)
    if not box.is_symmetric:
        raise InvalidArgument("M", "a matrix that is not symmetric", "a symmetric matrix")
    identity = sparse.eye_array(box.size, format="csr")
    has_lower, has_upper = np.isfinite(box.lower), np.isfinite(box.upper)
    A = sparse.vstack([identity[has_lower], -identity[has_upper]], format="csc")
    return QP(Q=box.M, c=box.q, A=A, b=np.concatenate([box.lower[has_lower], -box.upper[has_upper]]))


def lcp_from_box(box: BoxLCP) -> LCP:
    """Return an LCP with the same solutions; :func:`box_unknowns` recovers the unknowns.

    Unbounded variables are eliminated. The others are measured from a bound, ``z = lower + u`` or
    ``z = upper - u``; where both are finite, a second pair ``0 <= t _|_ (upper - lower) - u >= 0`` is
    the negative part of w.

    Raises
    ------
    InvalidArgument
        If ``box`` is not a ``BoxLCP``.
    SingularConfiguration
        If the rows and columns of the unbounded variables form a singular matrix.
    """
    arguments.require_instance("box", box, BoxLCP)
    M, shift, sign, is_free = _shift_to_bounds(box)
    is_bounded = ~is_free
    two_sided = np.flatnonzero((np.isfinite(box.lower) & np.isfinite(box.upper))[is_bounded])
    solve_free_block = _free_block_solver(box, is_free)
    reduced = sign[is_bounded, None] * (
        M[np.ix_(is_bounded, is_bounded)]
        - M[np.ix_(is_bounded, is_free)] @ solve_free_block(M[is_free][:, is_bounded])
    )
    q = box.q + M @ shift
    inner_q = sign[is_bounded] * (
        q[is_bounded] - M[np.ix_(is_bounded, is_free)] @ solve_free_block(q[is_free])
    )
    reduced = reduced * sign[is_bounded]
    slack = np.zeros((len(two_sided), len(reduced)))
    slack[np.arange(len(two_sided)), two_sided] = 1.0
    width = (box.upper - box.lower)[is_bounded][two_sided]
    zero = np.zeros((len(two_sided), len(two_sided)))
    return LCP(M=np.block([[reduced, slack.T], [-slack, zero]]), q=np.concatenate([inner_q, width]))


def box_unknowns(box: BoxLCP, z: ArrayLike) -> Array:
    """Return the unknowns ``(n,)`` of a box LCP from the solution of :func:`lcp_from_box`.

    Raises
    ------
    InvalidArgument
        If the shape of ``z`` does not fit.
    """
    arguments.require_instance("box", box, BoxLCP)
    M, shift, sign, is_free = _shift_to_bounds(box)
    is_bounded = ~is_free
    count = int(np.sum(is_bounded))
    num_two_sided = int(np.sum(np.isfinite(box.lower) & np.isfinite(box.upper)))
    u = arguments.single_vector("z", z, count + num_two_sided)[:count]
    unknowns = shift.copy()
    unknowns[is_bounded] += sign[is_bounded] * u
    unknowns[is_free] = -_free_block_solver(box, is_free)((box.q + M @ unknowns)[is_free])
    return unknowns


def _shift_to_bounds(box: BoxLCP) -> tuple[Array, Array, Array, Any]:
    """Return dense M, the reference bounds of variables, their directions, and a mask of unbounded ones."""
    is_free = np.isinf(box.lower) & np.isinf(box.upper)
    from_above = np.isinf(box.lower) & ~is_free
    shift = np.where(is_free, 0.0, np.where(from_above, box.upper, box.lower))
    return to_dense(box.M), shift, np.where(from_above, -1.0, 1.0), is_free


def _free_block_solver(box: BoxLCP, is_free: Any) -> Any:
    inner = to_dense(box.M)[np.ix_(is_free, is_free)]
    if len(inner) and np.linalg.cond(inner) > 1e13:
        raise SingularConfiguration("M", "a singular block of unbounded variables", "a regular one")
    return lambda right: np.linalg.solve(inner, right) if len(inner) else right
