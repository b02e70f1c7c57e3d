"""Linear algebra of exact numbers: elimination over the fractions, flint's enclosures for balls."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import flint
import numpy as np
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat

from rbnotes.ledger.exact.arrays import (
    FUNCTIONS,
    apply_ufunc,
    array,
    identity,
    implements_numpy,
    object_array,
    plain_objects,
    to_exact,
    to_plain,
    wrap,
    zeros,
)
from rbnotes.ledger.exact.degrees import Degree, new_factor, row_degree
from rbnotes.ledger.exact.duals import Dual, split, tag_of
from rbnotes.ledger.exact.expressions import Expression, NotExact
from rbnotes.ledger.exact.numbers import MAX_WIDTH, ONE, ZERO, Exact, ball, real_part


class EigenDecomposition(NamedTuple):
    """Eigenvalues and eigenvectors, as NumPy names them."""

    eigenvalues: Any
    eigenvectors: Any


class ProvedSingular(np.linalg.LinAlgError):
    """A matrix has no inverse: its determinant is zero (`is_exact`), or a narrow ball that contains zero."""

    def __init__(self, is_exact: bool) -> None:
        super().__init__("Singular matrix")
        self.is_exact = is_exact


class SingularValueDecomposition(NamedTuple):
    """Singular values and vectors, as NumPy names them."""

    U: Any
    S: Any
    Vh: Any


class OrthogonalDecomposition(NamedTuple):
    """Factors of a QR decomposition."""

    Q: Any
    R: Any


def _has_duals(*matrices: np.ndarray) -> bool:
    return any(entry.__class__ is Dual for M in matrices for entry in M.flat)


def _has_symbols(*matrices: np.ndarray) -> bool:
    entries: list[Any] = [real_part(entry) for M in matrices for entry in M.flat]
    return any(entry.value.__class__ is Expression for entry in entries)


def _is_rational(*matrices: np.ndarray) -> bool:
    return all(entry.value.__class__ is fmpq for M in matrices for entry in M.flat)


def _is_tainted(*matrices: np.ndarray) -> bool:
    return any(entry.tainted for M in matrices for entry in M.flat if entry.__class__ is Exact)


def _to_flint(M: np.ndarray, rational: bool) -> Any:
    matrix: Any = fmpq_mat if rational else arb_mat
    entries = [entry.value if rational else ball(entry.value) for entry in M.flat]
    return matrix(*M.shape, entries)


def _from_flint(M: Any, tainted: bool, degree: Degree | None = None) -> np.ndarray:
    shape = M.nrows(), M.ncols()
    entries = [Exact(M[i, j], tainted, degree or Degree(0)) for i in range(shape[0]) for j in range(shape[1])]
    return object_array(entries, shape)


def _determinant_degree(M: np.ndarray, right: np.ndarray | None = None) -> tuple[Degree, int]:
    """Return the degree of a determinant of rows over common denominators, and its numerator's bound.

    With a right-hand side, the rows include it: by Cramer's rule, the bound holds for the whole solution.
    """
    rows = M if right is None else np.concatenate([M, right], axis=1)
    each = [row_degree(entry.degree for entry in row) for row in rows]
    powers: dict[Any, int] = {}
    for degree in each:
        for factor, power in degree.denominator:
            powers[factor] = powers.get(factor, 0) + power
    total = sum(degree.numerator for degree in each)
    return Degree(total, tuple(sorted(powers.items()))), total


def _solve(M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution of a linear system, with a bound on the degree of rational entries."""
    n = M.shape[0]
    if n == 0 or right.shape[1] == 0:
        return np.empty((n, right.shape[1]), object)
    if _has_duals(M, right) or _has_symbols(M, right):
        return _solve_by_elimination(M, right)
    rational, degree = _is_rational(M, right), None
    if rational:
        _, total = _determinant_degree(M, right)
        factor = new_factor(total)
        degree = Degree(total, ((factor, 1),)) if factor else Degree(0)
    try:
        solution = _to_flint(M, rational).solve(_to_flint(right, rational))
    except ZeroDivisionError:
        if not _is_tainted(M) and (rational or _is_narrowly_singular(M)):
            raise ProvedSingular(rational) from None
        raise np.linalg.LinAlgError("Singular matrix") from None
    return _from_flint(solution, _is_tainted(M, right), degree)


def _is_narrowly_singular(M: np.ndarray) -> bool:
    """Return True if the ball of the determinant contains zero and is narrow.

    It is compared with the product of the lengths of the rows, which bounds the determinant.
    """
    determinant = _to_flint(M, False).det()
    bound = math.prod(float(_length(row)) for row in M)
    return bool(determinant.contains(0)) and float(determinant.rad()) < MAX_WIDTH * bound


def _magnitude(number: Any) -> float:
    """Return the absolute value, for expressions that at the drawn inputs, to choose a pivot."""
    value: Any = real_part(number).value
    return abs(float(ball(value.point if value.__class__ is Expression else value).mid()))


def _solve_by_elimination(M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution by Gauss-Jordan elimination, for matrices with dual numbers."""
    n, W = M.shape[0], np.concatenate([M, right], axis=1)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: _magnitude(W[r, i]))
        value: Any = real_part(W[pivot, i])
        if value.value.__class__ is not Expression and not value != 0:
            raise np.linalg.LinAlgError("Singular matrix")
        W[[i, pivot]] = W[[pivot, i]]
        W[i, i:] = W[i, i:] / W[i, i]
        for r in range(n):
            if r != i:
                W[r, i:] = W[r, i:] - W[r, i] * W[i, i:]
    return W[:, n:]


def _determinant(M: np.ndarray) -> Any:
    """Return the determinant."""
    n = M.shape[0]
    if n == 0:
        return ONE
    if not _has_duals(M) and not _has_symbols(M):
        rational = _is_rational(M)
        degree = _determinant_degree(M)[0] if rational else None
        return Exact(_to_flint(M, rational).det(), _is_tainted(M), degree)
    if n == 1:
        return M[0, 0]
    minors = (np.delete(M[1:], j, axis=1) for j in range(n))
    return sum(((-1) ** j * M[0, j] * _determinant(minor) for j, minor in enumerate(minors)), ZERO)


def over_leading_axes(function: Callable[..., Any], *num_core_axes: int) -> Callable[..., Any]:
    """Return a function of stacks of matrices or vectors, from one of single ones."""
    count = len(num_core_axes)

    @wraps(function)
    def apply(*args, **options):
        stacks = [plain_objects(each) for each in args[:count]]
        cores = [x.shape[x.ndim - d :] for x, d in zip(stacks, num_core_axes, strict=True)]
        leading = np.broadcast_shapes(
            *[x.shape[: x.ndim - d] for x, d in zip(stacks, num_core_axes, strict=True)]
        )
        if not leading:
            return wrap(function(*stacks, *args[count:], **options))
        stacks = [np.broadcast_to(x, leading + core) for x, core in zip(stacks, cores, strict=True)]
        results = [function(*[x[i] for x in stacks], *args[count:], **options) for i in np.ndindex(*leading)]
        if not results:
            samples = [
                to_plain(to_exact(np.eye(*core) if len(core) == 2 else np.ones(core))) for core in cores
            ]
            return zeros(leading + np.shape(function(*samples, *args[count:], **options)))
        return wrap(object_array([e for r in results for e in np.ravel(r)], leading + np.shape(results[0])))

    return apply


def _inverse(M: np.ndarray) -> np.ndarray:
    """Return the inverse."""
    return _solve(M, to_plain(identity(M.shape[0])))


inv = over_leading_axes(_inverse, 2)
det = over_leading_axes(_determinant, 2)
FUNCTIONS[np.linalg.inv], FUNCTIONS[np.linalg.det] = inv, det


@implements_numpy(np.linalg.solve)
def solve(a: Any, b: Any, **_: Any) -> Any:
    """Return the solution of a linear system."""
    a, b = plain_objects(a), plain_objects(b)
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("last 2 dimensions of the array must be square")
    if b.ndim == 1:
        return over_leading_axes(lambda M, v: _solve(M, v[:, None])[:, 0], 2, 1)(a, b)
    return over_leading_axes(_solve, 2, 2)(a, b)


def echelon_form(M: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Return the columns of the pivots and the reduced rows."""
    pivots: list[int] = []
    W = M.copy()
    for j in range(W.shape[1]):
        r = len(pivots)
        if r == W.shape[0]:
            break
        p = max(range(r, W.shape[0]), key=lambda i: _magnitude(W[i, j]))
        if real_part(W[p, j]) == 0:
            continue
        W[[r, p]] = W[[p, r]]
        W[r] = W[r] / W[r, j]
        for i in range(W.shape[0]):
            if i != r:
                W[i] = W[i] - W[i, j] * W[r]
        pivots.append(j)
    return pivots, W[: len(pivots)]


def _rank(M: np.ndarray) -> int:
    return len(echelon_form(M)[0])


@implements_numpy(np.linalg.matrix_rank)
def matrix_rank(A: Any, *_: Any, **__: Any) -> Any:
    """Return the number of independent rows."""
    A = plain_objects(A)
    if A.ndim < 3:
        return _rank(A[:, None] if A.ndim == 1 else A)
    return np.array([_rank(M) for M in A.reshape(-1, *A.shape[-2:])]).reshape(A.shape[:-2])


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(to_plain(wrap(a) @ wrap(b)))


def _pseudoinverse(M: np.ndarray, rcond: Any = None, **_: Any) -> np.ndarray:
    """Return the pseudoinverse."""
    factors = _numerical_factors(M, rcond)
    if factors is not None:
        # The product of the factors and the truncated matrix have the same rank and differ by at most twice
        # the error: Wedin's bound.
        radius = 8 * factors.inverse_norm**2 * factors.error
        return _widen(_pseudoinverse_of_product(factors.columns, factors.rows), radius)
    n, m = M.shape
    pivots, C = echelon_form(M) if M.size else ([], M)
    if not pivots:
        return np.asarray(to_plain(zeros((m, n))))
    if len(pivots) == m:
        return _solve(_product(M.T, M), M.T)
    if len(pivots) == n:
        return _solve(_product(M, M.T), M).T
    return _pseudoinverse_of_product(M[:, pivots], C)


class _Factors(NamedTuple):
    """Product of two matrices of full rank that approximates a matrix to a relative tolerance.

    Attributes
    ----------
    columns
        Left factor ``(n, r)``.
    rows
        Right factor ``(r, m)``.
    error
        Bound on the Frobenius norm of the difference from the matrix.
    inverse_norm
        Bound on the norm of the pseudoinverse of the product.
    """

    columns: np.ndarray
    rows: np.ndarray
    error: Exact
    inverse_norm: Exact


def _length(M: np.ndarray) -> Any:
    """Return the Frobenius norm, at least an upper bound."""
    values = [ball(entry.value) for entry in M.flat]
    return Exact(sum((x * x for x in values), arb(0)).abs_upper().sqrt())


def _numerical_factors(M: np.ndarray, rcond: Any) -> _Factors | None:
    """Return factors of a matrix of balls; None if its rank for this tolerance is undecided.

    With the error d and the pseudoinverse P of the product, the singular values of the matrix are at most d,
    or at least 1/|P| - d.
    """
    if rcond is None or M.ndim != 2 or _has_duals(M) or _is_rational(M):
        return None
    size, W, rows, columns = _length(M), M.copy(), [], []
    for _ in range(min(M.shape)):
        p, j = max(np.ndindex(*W.shape), key=lambda index: _magnitude(W[index]))
        if _magnitude(W[p, j]) < float(rcond) * float(size) / math.prod(M.shape):
            break
        rows.append(W[p] / W[p, j])
        columns.append(W[:, j].copy())
        W = W - np.outer(columns[-1], rows[-1])
    if not rows:
        return None
    B, C = np.stack(columns, 1), np.stack(rows)
    inverse_norm = _length(_pseudoinverse_of_product(B, C))
    error = _length(M - _product(B, C))
    largest, smallest = size / (2 * min(M.shape)), 1 / inverse_norm - error
    is_decided = ball((smallest - size * rcond).value) > 0 and ball((largest * rcond - error).value) > 0
    return _Factors(B, C, error, inverse_norm) if is_decided else None


def _pseudoinverse_of_product(B: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the pseudoinverse of B C for independent columns of B and rows of C."""
    return _product(C.T, _solve(_product(C, C.T), _solve(_product(B.T, B), B.T)))


def _widen(M: np.ndarray, radius: Exact) -> np.ndarray:
    """Return a matrix of balls that are wider by a radius."""
    bound = ball(radius.value).abs_upper()
    margin = (-bound).union(bound)
    return object_array([Exact(ball(each.value) + margin, each.tainted) for each in M.flat], M.shape)


pinv = FUNCTIONS[np.linalg.pinv] = over_leading_axes(_pseudoinverse, 2)


@implements_numpy(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None, **_: Any) -> Any:
    """Return the shortest least-squares solution."""
    a, b = plain_objects(a), plain_objects(b)
    return wrap(_product(_pseudoinverse(a, rcond), b)), zeros(0), _rank(a), None


@implements_numpy(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm of vectors or matrices."""
    x = plain_objects(x)
    is_matrix = x.ndim == 2 and axis is None
    if ord in (1, np.inf, 2) and (is_matrix or (ord != 2 and x.ndim == 1)):
        if is_matrix and ord == 2:
            return max(singular_values(x))
        sizes = np.abs(x)
        if is_matrix:
            return max(np.sum(sizes, axis=0 if ord == 1 else 1))
        return max(sizes) if ord == np.inf else np.sum(sizes)
    if ord not in (None, 2, "fro"):
        raise NotExact(f"norm of order {ord}")
    squares = np.sum(x * x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
    root = apply_ufunc(np.sqrt, "__call__", (wrap(np.asarray(squares, dtype=object)),), {})
    return root[()] if np.ndim(root) == 0 else root


def _characteristic_roots(M: np.ndarray) -> list[Any]:
    """Return the eigenvalues, as enclosures of complex numbers, with multiplicity."""
    if _has_duals(M):
        raise NotExact("eigenvalues of dual numbers")
    if _is_rational(M):
        polynomial = _to_flint(M, True).charpoly()
        scale = polynomial.denom()
        integers: Any = flint.fmpz_poly([int((c * scale).p) for c in polynomial.coeffs()])
        return [root for root, multiplicity in integers.complex_roots() for _ in range(multiplicity)]
    try:
        return list(acb_mat(_to_flint(M, False)).eig(multiple=True))
    except (ValueError, ArithmeticError) as error:
        raise NotExact(f"eigenvalues: {error}") from None


def _eigenvalues(M: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
    """Return the real parts of the eigenvalues, in increasing order."""
    if M.shape[0] == 0:
        return np.empty(0, object)
    roots = sorted((root.real for root in _characteristic_roots(M)), key=lambda v: float(v.mid()))
    tainted = _is_tainted(M)
    return object_array([Exact(_simplify(each), tainted) for each in roots], (len(roots),))


def _simplify(root: arb) -> fmpq | arb:
    whole = root.unique_fmpz() if root.is_exact() else None
    return root if whole is None else fmpq(whole)


eigvalsh = FUNCTIONS[np.linalg.eigvalsh] = over_leading_axes(_eigenvalues, 2)


class ComplexEigenvalues(NamedTuple):
    """Eigenvalues of which only the real parts are used."""

    real: Any


@implements_numpy(np.linalg.eigvals)
def eigvals(M: Any) -> Any:
    """Return the eigenvalues."""
    M = plain_objects(M)
    values = wrap(_eigenvalues(M))
    are_real = all(root.imag.contains(0) for root in _characteristic_roots(M))
    return values if are_real else ComplexEigenvalues(values)


def singular_values(M: Any) -> np.ndarray:
    """Return the singular values, largest first."""
    M = plain_objects(M)
    squares = _eigenvalues(_product(M, M.T) if M.shape[0] <= M.shape[1] else _product(M.T, M))
    return object_array([max(each, ZERO).sqrt() for each in squares[::-1]], squares.shape)


def _eigenvectors(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ascending eigenvalues and unit eigenvectors with LAPACK's choice of signs."""
    if _has_duals(M):
        raise NotExact("eigenvectors of dual numbers")
    n = M.shape[0]
    if all(M[i, j] == 0 for i in range(n) for j in range(n) if i != j):
        order = sorted(range(n), key=lambda i: float(M[i, i]))
        return object_array([M[i, i] for i in order], (n,)), np.asarray(to_plain(identity(n)))[:, order]
    try:
        values, right = acb_mat(
            _to_flint(M, _is_rational(M)) if not _is_rational(M) else arb_mat(_to_flint(M, True))
        ).eig(right=True)
    except (ValueError, ArithmeticError) as error:
        raise NotExact(f"eigenvectors: {error}") from None
    order, tainted = sorted(range(n), key=lambda i: float(values[i].real.mid())), _is_tainted(M)
    signs = np.linalg.eigh(M.astype(float))[1]  # LAPACK's choice between v and -v
    vectors = np.empty((n, n), object)
    for column, i in enumerate(order):
        entries = [right[r, i] for r in range(n)]
        largest = max(entries, key=lambda z: abs(complex(z)))
        parts = [(z / largest).real for z in entries]
        length = sum((z * z for z in parts[1:]), parts[0] * parts[0]).sqrt()
        agrees = sum(float(z.mid()) * signs[r, column] for r, z in enumerate(parts)) >= 0
        for r in range(n):
            vectors[r, column] = Exact(parts[r] / (length if agrees else -length), tainted)
    return object_array([Exact(values[i].real, tainted) for i in order], (n,)), vectors


@implements_numpy(np.linalg.eigh)
def eigh(M: Any, *_: Any, **__: Any) -> EigenDecomposition:
    """Return eigenvalues and eigenvectors of a symmetric matrix with simple eigenvalues."""
    M = plain_objects(M)
    pairs = [_eigenvectors(each) for each in M.reshape(-1, *M.shape[-2:])]
    values, vectors = (
        object_array([e for pair in pairs for e in pair[k].flat], M.shape[: M.ndim - 1 + k]) for k in (0, 1)
    )
    return EigenDecomposition(wrap(values), wrap(vectors))


def orthonormalize(vectors: list[np.ndarray]) -> list[np.ndarray]:
    """Return an orthonormal basis by the method of Gram and Schmidt."""
    basis: list[np.ndarray] = []
    for v in vectors:
        for q in basis:
            v = v - q * np.sum(q * v)
        square = np.sum(v * v)
        if real_part(square) != 0:
            basis.append(v / square.sqrt())
    return basis


def null_space(M: Any, rcond: Any = None, **_: Any) -> np.ndarray:
    """Return an orthonormal basis of the null space, as columns."""
    M = plain_objects(M)
    factors = _numerical_factors(M, rcond)
    if factors is not None:
        # The basis of the truncated matrix nearest to that of the product differs by the sines of the angles
        # between the spaces, d / (1/|P| - d), times the root of two.
        basis = _null_basis(*echelon_form(factors.rows), M.shape[1])
        return _widen(basis, 4 * factors.inverse_norm * factors.error)
    return _null_basis(*echelon_form(M), M.shape[1])


def _null_basis(pivots: list[int], W: np.ndarray, n: int) -> np.ndarray:
    """Return an orthonormal basis of the null space of reduced rows."""
    vectors = []
    for column in (j for j in range(n) if j not in pivots):
        v = np.asarray(to_plain(zeros(n)))
        v[column] = ONE
        for r, pivot in enumerate(pivots):
            v[pivot] = -W[r, column]
        vectors.append(v)
    basis = orthonormalize(vectors)
    return np.stack(basis, 1) if basis else np.empty((n, 0), object)


@implements_numpy(np.linalg.svd)
def svd(M: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Return singular values, and vectors where the values are simple.

    Of repeated values only the null spaces are given; the other vectors are not numbers.
    """
    if not compute_uv:
        return over_leading_axes(singular_values, 2)(M)
    M = plain_objects(M)
    n, m = M.shape
    values, rank, few = singular_values(M), _rank(M), min(M.shape)
    try:
        V = _eigenvectors(_product(M.T, M))[1][:, ::-1][:, :rank]
        columns = [_product(M, V[:, [i]])[:, 0] / values[i] for i in range(rank)]
        U = np.stack(columns, 1) if rank else np.empty((n, 0), object)
    except NotExact:
        unknown = Exact(arb("nan"))
        U, V = np.full((n, rank), unknown), np.full((m, rank), unknown)
    if full_matrices or rank < few:
        U, V = np.concatenate([U, null_space(M.T)], 1), np.concatenate([V, null_space(M)], 1)
    if not full_matrices:
        U, V = U[:, :few], V[:, :few]
    values = object_array([values[i] if i < rank else ZERO for i in range(few)], (few,))
    return SingularValueDecomposition(wrap(U), wrap(values), wrap(V.T))


FUNCTIONS[np.linalg.cond] = lambda M, *_: (lambda values: values[0] / values[-1])(singular_values(M))


def _cholesky(M: np.ndarray, **_: Any) -> np.ndarray:
    """Return the lower triangular factor."""
    n = M.shape[0]
    L = np.asarray(to_plain(zeros((n, n))))
    for i in range(n):
        for j in range(i + 1):
            rest = M[i, j] - np.sum(L[i, :j] * L[j, :j]) if j else M[i, j]
            if i > j:
                L[i, j] = rest / L[j, j]
            elif not real_part(rest) > 0:
                raise np.linalg.LinAlgError("Matrix is not positive definite")
            else:
                L[i, i] = rest.sqrt()
    return L


cholesky = FUNCTIONS[np.linalg.cholesky] = over_leading_axes(_cholesky, 2)


@implements_numpy(np.linalg.qr)
def qr(M: Any, mode: str = "reduced") -> Any:
    """Return an orthogonal decomposition by Householder reflections."""
    R = plain_objects(M).copy()
    n, m = R.shape
    Q, few = np.asarray(to_plain(identity(n))), min(n, m)
    for j in range(min(n - 1, m)):
        v = R[j:, j].copy()
        length = np.sum(v * v).sqrt()
        v[0] = v[0] + length if real_part(v[0]) >= 0 else v[0] - length
        square = np.sum(v * v)
        if real_part(square) == 0:
            continue
        R[j:] = R[j:] - 2 * np.outer(v, _product(v[None], R[j:])[0]) / square
        Q[:, j:] = Q[:, j:] - 2 * np.outer(_product(Q[:, j:], v[:, None])[:, 0], v) / square
    if mode == "r":
        return wrap(R[:few])
    if mode == "complete":
        return OrthogonalDecomposition(wrap(Q), wrap(R))
    return OrthogonalDecomposition(wrap(Q[:, :few]), wrap(R[:few]))


def pivoted_qr(M: Any) -> tuple[Any, np.ndarray]:
    """Return the triangular factor and the order of columns, as LAPACK's ``geqp3`` chooses it.

    The next column is the one farthest from the span of the previous ones. The columns are made orthogonal
    without square roots, so that dependence on the previous ones is decided exactly.
    """
    rest = dict(enumerate(plain_objects(M).T.copy()))
    n = min(np.shape(M))
    order: list[int] = []
    R = np.asarray(to_plain(zeros((n, len(rest)))))
    while len(order) < n:
        pivot = max(rest, key=lambda j: _magnitude(np.sum(rest[j] * rest[j])))
        v = rest[pivot]
        square = np.sum(v * v)
        if real_part(square) == 0:
            break
        row, root = len(order), square.sqrt()
        order.append(pivot)
        R[row, pivot] = root
        del rest[pivot]
        for j, column in rest.items():
            projection = np.sum(v * column) / square
            R[row, j] = projection * root
            rest[j] = column - projection * v
    pivots = np.array([*order, *rest], dtype=int)
    return wrap(R[:, pivots]), pivots


@implements_numpy(np.linalg.matrix_power)
def matrix_power(M: Any, n: int) -> Any:
    """Return an integer power of a matrix."""
    base, result = inv(M) if n < 0 else array(M, float), identity(np.shape(M)[-1])
    for _ in range(abs(n)):
        result = result @ base
    return result


def _exponential(M: np.ndarray) -> np.ndarray:
    """Return the matrix exponential."""
    n = M.shape[0]
    if not _has_duals(M):
        return _from_flint(arb_mat(_to_flint(M, False)).exp(), _is_tainted(M))
    # exp([[M, dM], [0, M]]) holds the derivative in its upper right block.
    tag = max(map(tag_of, M.flat))
    parts = [split(entry, tag) for entry in M.flat]
    value, derivative = (object_array([part[k] for part in parts], (n, n)) for k in (0, 1))
    E = _exponential(np.block([[value, derivative], [to_plain(zeros((n, n))), value]]))
    entries = [Dual(E[i, j], E[i, n + j], tag) for i in range(n) for j in range(n)]
    return object_array(entries, (n, n))


expm = over_leading_axes(_exponential, 2)


def expm_frechet(A: Any, E: Any, compute_expm: bool = True, **_: Any) -> Any:
    """Return the matrix exponential, if wanted, and its derivative along a matrix."""
    A, E = plain_objects(A), plain_objects(E)
    n = len(A)
    both = plain_objects(expm(np.block([[A, E], [to_plain(zeros((n, n))), A]])))
    derivative = wrap(both[:n, n:])
    return (wrap(both[:n, :n]), derivative) if compute_expm else derivative


def _logarithm(M: np.ndarray) -> np.ndarray:
    """Return the logarithm of a matrix with simple eigenvalues, or of a pose with such a rotation."""
    if _has_duals(M):
        raise NotExact("logarithms of matrices of dual numbers")
    n = M.shape[0] - 1
    if all(entry == (i == n) for i, entry in enumerate(M[n])):
        L, unit = _logarithm(M[:n, :n]), to_plain(identity(n))
        # exp([[L, V^-1 p], [0, 0]]) = [[exp(L), p], [0, 1]], where V is the block beside exp(L) below.
        below = np.asarray(to_plain(zeros((n, 2 * n))))
        V = _exponential(np.concatenate([np.concatenate([L, unit], 1), below]))[:n, n:]
        result = np.asarray(to_plain(zeros(M.shape)))
        result[:n, :n], result[:n, n:] = L, _solve(V, M[:n, n:])
        return result
    rational = _is_rational(M)
    matrix = _to_flint(M, rational)
    try:
        values, right = acb_mat(arb_mat(matrix) if rational else matrix).eig(right=True)
    except (ValueError, ArithmeticError) as error:
        raise NotExact(f"logarithm: {error}") from None
    logarithms = acb_mat(
        n + 1, n + 1, [v.log() if i == j else 0 for i, v in enumerate(values) for j in range(n + 1)]
    )
    result = right * logarithms * right.inv()
    if not all(result[i, j].imag.contains(0) for i in range(n + 1) for j in range(n + 1)):
        raise NotExact("logarithms with imaginary parts")
    entries = [Exact(result[i, j].real, _is_tainted(M)) for i in range(n + 1) for j in range(n + 1)]
    return object_array(entries, M.shape)


logm = over_leading_axes(_logarithm, 2)


def qr_insert(Q: Any, R: Any, u: Any, k: int, which: str = "row", **_: Any) -> OrthogonalDecomposition:
    """Return the decomposition of Q R with a row or column inserted."""
    return qr(
        np.insert(_product(plain_objects(Q), plain_objects(R)), k, plain_objects(u), which == "col"),
        "complete",
    )


def qr_delete(Q: Any, R: Any, k: int, p: int = 1, which: str = "row", **_: Any) -> OrthogonalDecomposition:
    """Return the decomposition of Q R without some rows or columns."""
    product = _product(plain_objects(Q), plain_objects(R))
    return qr(np.delete(product, slice(k, k + p), which == "col"), "complete")


def triangle(a: Any, lower: bool) -> Any:
    """Return the lower or upper triangle of a matrix."""
    a = plain_objects(a)
    inside = np.tril(np.ones(a.shape)) if lower else np.triu(np.ones(a.shape))
    return wrap(np.where(inside != 0, a, plain_objects(ZERO)))


def is_close_to_zero(number: Any) -> bool:
    """Return True if a number may be zero."""
    value: Any = real_part(number).value
    return bool(value == 0 if value.__class__ is fmpq else value.contains(0))
