"""Quadratic programs and linear complementarity problems as data (Lloyd 0.3).

Matrices are dense or scipy.sparse; vectors are dense. ``0 <= z _|_ w >= 0`` means that both are
nonnegative and that of each pair ``z_i, w_i`` at least one is zero.

In a time step x is a velocity, w a separation velocity, and z and lambda are impulses; in statics they are
accelerations and forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.constraints.matrices import is_symmetric_unchecked
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class QP:
    """Minimize ``x^T Q x / 2 + c^T x`` subject to ``A x >= b`` and ``G x = g`` (Lloyd 0.3).

    Q is symmetric ``(d, d)``, A ``(m, d)``, G ``(k, d)``; constraints are optional.
    Solvers that require a positive semidefinite Q check it.

    Attributes
    ----------
    Q
        Hessian ``(d, d)`` of the objective, in its unit per two of x; dense or scipy.sparse.
    c
        Gradient ``(d,)`` of the objective at x = 0, in its unit per one of x.
    A
        Rows ``(m, d)`` of the inequalities, in the units of b per x.
    b
        Lower bounds ``(m,)`` of ``A x``: m/s for contacts.
    G
        Rows ``(k, d)`` of the equations, in the units of g per x.
    g
        Values ``(k,)`` of ``G x``: m/s or rad/s for joints.

    Raises
    ------
    InvalidArgument
        If ``Q`` is not symmetric or a shape does not fit.
    """

    Q: Matrix
    c: ArrayField
    A: Matrix = None
    b: ArrayField = None
    G: Matrix = None
    g: ArrayField = None

    def __post_init__(self) -> None:
        Q, c = _check_matrix_and_vector("Q", self.Q, "c", self.c)
        size = len(c)
        if not is_symmetric_unchecked(Q):
            raise InvalidArgument("Q", f"max |Q - Q^T| = {abs(Q - Q.T).max():.3g}", "a symmetric matrix")
        A, b = _check_rows("A", self.A, "b", self.b, size)
        G, g = _check_rows("G", self.G, "g", self.g, size)
        set_fields(self, Q=Q, c=c, A=A, b=b, G=G, g=g)

    @property
    def size(self) -> int:
        """Number of unknowns x."""
        return int(self.c.shape[0])

    def objective(self, x: ArrayLike) -> float:
        """Return ``x^T Q x / 2 + c^T x`` at x ``(d,)``.

        Raises
        ------
        InvalidArgument
            If the shape of ``x`` does not fit.
        """
        x = arguments.single_vector("x", x, self.size)
        return float(x @ (self.Q @ x) / 2 + self.c @ x)


@dataclass(frozen=True, eq=False)
class LCP:
    """Find z with ``w = M z + q`` and ``0 <= z _|_ w >= 0`` (Lloyd 0.3). M is ``(n, n)``, q ``(n,)``.

    Attributes
    ----------
    M
        Matrix ``(n, n)``, in the units of w per z: 1/kg for contacts; dense or scipy.sparse.
    q
        Values ``(n,)`` of w at z = 0, in its unit: m/s for contacts.

    Raises
    ------
    InvalidArgument
        If the shape of ``M`` or ``q`` does not fit.
    """

    M: Matrix
    q: ArrayField

    def __post_init__(self) -> None:
        M, q = _check_matrix_and_vector("M", self.M, "q", self.q)
        set_fields(self, M=M, q=q)

    @property
    def size(self) -> int:
        """Number of pairs (z, w)."""
        return int(self.q.shape[0])

    @cached_property
    def is_symmetric(self) -> bool:
        """True if M is symmetric to rounding: the problem is then the dual of a quadratic program."""
        return is_symmetric_unchecked(self.M)

    @property
    def lower(self) -> Array:
        """Lower bounds of the equivalent box LCP: zero."""
        return np.zeros(self.size)

    @property
    def upper(self) -> Array:
        """Upper bounds of the equivalent box LCP: infinity."""
        return np.full(self.size, np.inf)


@dataclass(frozen=True, eq=False)
class BoxLCP:
    """Find z within ``lower <= z <= upper`` such that ``w = M z + q`` pushes it against its bounds.

    ``w_i >= 0`` where ``z_i`` is at its lower bound, ``w_i <= 0`` at its upper bound, ``w_i = 0`` in between.
    Bounds may be infinite: ``(0, inf)`` makes the pair of an LCP, ``(-inf, inf)`` an equation.

    Attributes
    ----------
    M
        Matrix ``(n, n)``, in the units of w per z: 1/kg for contacts; dense or scipy.sparse.
    q
        Values ``(n,)`` of w at z = 0, in its unit: m/s for contacts.
    lower
        Lower bounds of z ``(n,)``, in its unit, or one number for all; may be ``-inf``.
    upper
        Upper bounds of z ``(n,)``, in its unit, or one number for all; may be ``inf``.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """

    M: Matrix
    q: ArrayField
    lower: ArrayField
    upper: ArrayField

    def __post_init__(self) -> None:
        M, q = _check_matrix_and_vector("M", self.M, "q", self.q)
        n = len(q)
        lower, upper = (
            _check_bound("lower", self.lower, n, -np.inf),
            _check_bound("upper", self.upper, n, np.inf),
        )
        if np.any(lower > upper):
            worst = int(np.argmax(lower - upper))
            raise InvalidArgument("lower", f"{lower[worst]:g} > {upper[worst]:g}", "lower <= upper")
        set_fields(self, M=M, q=q, lower=lower, upper=upper)

    @property
    def size(self) -> int:
        """Number of pairs (z, w)."""
        return int(self.q.shape[0])

    @cached_property
    def is_symmetric(self) -> bool:
        """True if M is symmetric to rounding."""
        return is_symmetric_unchecked(self.M)


def _check_matrix_and_vector(
    matrix_name: str, matrix: Matrix, vector_name: str, vector: ArrayLike
) -> tuple[Matrix, Array]:
    """Return a square matrix and a vector of fitting size; the error names the one that does not fit."""
    matrix = arguments.matrix(matrix_name, matrix)
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise InvalidArgument(matrix_name, f"shape {matrix.shape}", "a square matrix (n, n)")
    vector = arguments.single_vector(vector_name, vector, None)
    if len(vector) != n:
        expected_shape = f"shape ({n},), as {matrix_name} has shape {matrix.shape}"
        raise InvalidArgument(vector_name, f"shape {vector.shape}", expected_shape)
    return matrix, vector


def _check_rows(
    matrix_name: str, matrix: Matrix, vector_name: str, vector: ArrayLike | None, size: int
) -> tuple[Matrix, Array]:
    """Return the rows and right-hand sides of one kind of condition; both may be None."""
    if matrix is None and vector is None:
        return np.zeros((0, size)), np.zeros(0)
    if matrix is None or vector is None:
        present, missing = (matrix_name, vector_name) if vector is None else (vector_name, matrix_name)
        raise InvalidArgument(missing, "nothing", f"a value, since {present} is given")
    matrix = arguments.matrix(matrix_name, matrix, None, size)
    return matrix, arguments.vector(vector_name, vector, matrix.shape[0])


def _check_bound(name: str, value: ArrayLike, n: int, allowed_infinity: float) -> Array:
    bound = arguments.extended_real_array(name, value)
    if bound.shape not in ((), (n,)):
        raise InvalidArgument(name, f"shape {bound.shape}", f"shape ({n},) or one number")
    if np.any(bound == -allowed_infinity):
        raise InvalidArgument(
            name, f"the wrong infinity, {-allowed_infinity}", f"numbers or {allowed_infinity}"
        )
    return np.broadcast_to(bound, (n,)).copy()


def to_dense(matrix: Matrix) -> Array:
    """Return the matrix as a dense array."""
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)
