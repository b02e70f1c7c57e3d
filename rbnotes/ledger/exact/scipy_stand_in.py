"""Stand-ins for what the package uses of ``scipy``: dense and sparse linear algebra, and rotations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import scipy.linalg
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial.transform
import scipy.special

from rbnotes.ledger.exact import linear_algebra as la
from rbnotes.ledger.exact.arrays import (
    ExactArray,
    apply_function,
    array,
    asarray,
    identity,
    object_array,
    plain_objects,
    to_exact,
    to_plain,
    wrap,
    zeros,
)
from rbnotes.ledger.exact.duals import arctan2
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import PI, ZERO, real_part
from rbnotes.ledger.exact.stand_ins import ModuleStandIn

NNLS_TOLERANCE = 2.0**-40
"""Gradient, relative to that at zero, below which a variable of least squares stays at its bound."""


def block_diag(*blocks: Any) -> Any:
    """Return a matrix of diagonal blocks."""
    plain = [np.atleast_2d(plain_objects(block)) for block in blocks]
    result = np.asarray(to_plain(zeros(tuple(np.sum([block.shape for block in plain], axis=0)))))
    i = j = 0
    for block in plain:
        result[i : i + block.shape[0], j : j + block.shape[1]] = block
        i, j = i + block.shape[0], j + block.shape[1]
    return wrap(result)


def cross_matrix(w: Any) -> np.ndarray:
    """Return the matrix of a cross product."""
    x, y, z = w
    return object_array([ZERO, -z, y, z, ZERO, -x, -y, x, ZERO], (3, 3))


def rotation_of_quaternion(q: Any) -> np.ndarray:
    """Return the rotation matrix of a quaternion, scalar last, of any length."""
    x, y, z, w = q
    s = 2 / (x * x + y * y + z * z + w * w)
    rows = [
        1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w),
        s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w),
        s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y),
    ]  # fmt: skip
    return object_array(rows, (3, 3))


def _quaternion_of_matrix(M: np.ndarray) -> np.ndarray:
    """Return a unit quaternion, scalar last, from the largest of its components."""
    diagonal = [M[0, 0], M[1, 1], M[2, 2]]
    trace = M[0, 0] + M[1, 1] + M[2, 2]
    i = max(range(4), key=lambda k: float(real_part([*diagonal, trace][k])))
    if i == 3:
        entries = [M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1], 1 + trace]
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        entries = [ZERO] * 4
        entries[i] = 1 - trace + 2 * M[i, i]
        entries[j], entries[k] = M[j, i] + M[i, j], M[k, i] + M[i, k]
        entries[3] = M[k, j] - M[j, k]
    q = object_array(entries, (4,))
    return np.asarray(q / np.sum(q * q).sqrt())


def _rotation_vector(q: np.ndarray) -> np.ndarray:
    if real_part(q[3]) < 0:
        q = -q
    square = np.sum(q[:3] * q[:3])
    if real_part(square) == 0:
        return np.asarray(2 * q[:3])
    sine = square.sqrt()
    return np.asarray(q[:3] * (2 * arctan2(sine, q[3]) / sine))


class Rotation:
    """A rotation or a stack of rotations, stored as matrices."""

    def __init__(self, matrices: Any) -> None:
        self._matrices = matrices

    @classmethod
    def from_matrix(cls, matrix: Any, **_: Any) -> Rotation:
        """Return the rotation of a rotation matrix."""
        return cls(array(matrix, float))

    @classmethod
    def from_rotvec(cls, rotvec: Any, degrees: bool = False) -> Rotation:
        """Return the rotation of an axis times an angle."""
        rotvec = array(rotvec, float) * PI / 180 if degrees else array(rotvec, float)
        return cls(la.over_leading_axes(lambda w: to_plain(la.expm(cross_matrix(w))), 1)(rotvec))

    @classmethod
    def from_quat(cls, quat: Any, *, scalar_first: bool = False) -> Rotation:
        """Return the rotation of a quaternion."""
        order = (1, 2, 3, 0) if scalar_first else (0, 1, 2, 3)
        return cls(la.over_leading_axes(lambda q: rotation_of_quaternion(q[list(order)]), 1)(quat))

    @classmethod
    def from_euler(cls, seq: str, angles: Any, degrees: bool = False) -> Rotation:
        """Return the product of rotations about axes; those of small letters are fixed in space."""
        angles = array(angles, float) * PI / 180 if degrees else array(angles, float)
        if len(seq) == 1 and angles.shape[-1:] != (1,):
            angles = angles[..., None]
        product = identity(3)
        for k, axis in enumerate(seq):
            turn = cls.from_rotvec(angles[..., k, None] * identity(3)["xyz".index(axis.lower())])._matrices
            product = product @ turn if axis.isupper() else turn @ product
        return cls(product)

    @classmethod
    def identity(cls, *_: Any) -> Rotation:
        """Return the identity."""
        return cls(identity(3))

    @property
    def single(self) -> bool:
        """Return True if this is one rotation, not a stack of them."""
        return bool(self._matrices.ndim == 2)

    def as_matrix(self) -> Any:
        """Return rotation matrices."""
        return self._matrices

    def inv(self) -> Rotation:
        """Return the inverse."""
        return Rotation(np.swapaxes(self._matrices, -1, -2))

    def __mul__(self, other: Rotation) -> Rotation:
        return Rotation(self._matrices @ other._matrices)

    def __pow__(self, n: Any) -> Rotation:
        return Rotation.from_rotvec(self.as_rotvec() * n)

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Return rotated vectors."""
        M = np.swapaxes(self._matrices, -1, -2) if inverse else self._matrices
        return (M @ array(vectors, float)[..., None])[..., 0]

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """Return unit quaternions."""

        def quaternion(M):
            q = _quaternion_of_matrix(M)
            q = -q if canonical and real_part(q[3]) < 0 else q
            return np.roll(q, 1) if scalar_first else q

        return la.over_leading_axes(quaternion, 2)(self._matrices)

    def as_rotvec(self, degrees: bool = False) -> Any:
        """Return rotation vectors of at most a half turn."""
        vectors = la.over_leading_axes(_rotation_vector, 1)(self.as_quat())
        return vectors * 180 / PI if degrees else vectors

    def magnitude(self) -> Any:
        """Return the angle of rotation."""
        return la.norm(self.as_rotvec(), axis=-1)

    def as_euler(self, seq: str, degrees: bool = False, **_: Any) -> Any:
        """Return the angles of three rotations about axes, the middle one of the principal range."""
        moving = seq if seq.isupper() else seq[::-1]
        angles = la.over_leading_axes(lambda M: _euler_angles(M, moving.lower()), 2)(self._matrices)
        angles = angles if seq.isupper() else angles[..., ::-1]
        return angles * 180 / PI if degrees else angles


def _euler_angles(M: np.ndarray, axes: str) -> np.ndarray:
    """Return the angles of rotations about moving axes."""
    i, j, last = ("xyz".index(axis) for axis in axes)
    k = 3 - i - j
    sign = 1 if (j - i) % 3 == 1 else -1
    if last == i:
        angles = [
            arctan2(M[j, i], -sign * M[k, i]),
            arctan2((M[i, j] * M[i, j] + M[i, k] * M[i, k]).sqrt(), M[i, i]),
            arctan2(M[i, j], sign * M[i, k]),
        ]
    else:
        angles = [
            arctan2(-sign * M[j, k], M[k, k]),
            arctan2(sign * M[i, k], (M[i, i] * M[i, i] + M[i, j] * M[i, j]).sqrt()),
            arctan2(-sign * M[i, j], M[i, i]),
        ]
    return object_array(angles, (3,))


def _generalized_eigenvalues(M: Any, B: Any = None, **_: Any) -> Any:
    if B is None:
        return la.eigvalsh(M)
    inverse = la.inv(la.cholesky(B))
    return la.eigvalsh(inverse @ asarray(M, float) @ inverse.T)


def _eigh(M: Any, B: Any = None, **_: Any) -> Any:
    if B is not None:
        raise NotExact("generalized eigenvectors")
    return la.eigh(M)


def _solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, **_: Any) -> Any:
    a = la.triangle(a, lower)
    return la.solve(a.T if trans in (1, "T") else a, b)


def _qr(M: Any, mode: str = "full", pivoting: bool = False, **_: Any) -> Any:
    if pivoting:
        if mode != "r":
            raise NotExact("orthogonal factors of pivoted columns")
        return la.pivoted_qr(M)
    result = la.qr(M, {"economic": "reduced", "full": "complete"}.get(mode, mode))
    return (result,) if mode == "r" else result


class _Lapack:
    """Routines of LAPACK, with solutions by elimination."""

    @staticmethod
    def dpotrf(M: Any, lower: int = 0, **_: Any) -> Any:
        try:
            L = la.cholesky(M)
        except np.linalg.LinAlgError:
            return array(M, float), 1
        return (L if lower else L.T), 0

    @staticmethod
    def dpotrs(factor: Any, b: Any, lower: int = 0, **_: Any) -> Any:
        L = array(factor, float) if lower else array(factor, float).T
        L = la.triangle(L, True)
        return la.solve(L @ L.T, b), 0

    @staticmethod
    def dtrtrs(a: Any, b: Any, lower: int = 0, trans: int = 0, **_: Any) -> Any:
        return _solve_triangular(a, b, trans, bool(lower)), 0

    @staticmethod
    def dtrtri(a: Any, lower: int = 0, **_: Any) -> Any:
        return la.inv(la.triangle(a, bool(lower))), 0

    @staticmethod
    def dgetrf(M: Any, **_: Any) -> Any:
        return array(M, float), None, int(la.det(M) == 0)

    @staticmethod
    def dgetrs(M: Any, pivots: Any, b: Any, trans: int = 0, **_: Any) -> Any:
        return la.solve(M.T if trans else M, b), 0

    @staticmethod
    def dgeqrf(M: Any, **_: Any) -> Any:
        return la.qr(M, "complete")[1], None, None, 0

    @staticmethod
    def dgecon(*_: Any, **__: Any) -> Any:
        return 1.0, 0

    dpocon = dgecon


linalg = ModuleStandIn(
    scipy.linalg,
    {
        "LinAlgError": np.linalg.LinAlgError,
        "block_diag": block_diag,
        "cho_factor": lambda M, *_, **__: (array(M, float), True),
        "cho_solve": lambda factor, b, **_: la.solve(factor[0], b),
        "cholesky": lambda M, lower=False, **_: la.cholesky(M) if lower else la.cholesky(M).T,
        "det": la.det,
        "eigh": _eigh,
        "eigvalsh": _generalized_eigenvalues,
        "expm": la.expm,
        "expm_frechet": la.expm_frechet,
        "inv": la.inv,
        "lapack": _Lapack,
        "logm": lambda M, **_: la.logm(M),
        "lstsq": la.lstsq,
        "lu_factor": lambda M, **_: array(M, float),
        "lu_solve": lambda factor, b, **_: la.solve(factor[0] if isinstance(factor, tuple) else factor, b),
        "norm": la.norm,
        "null_space": lambda M, rcond=None, **_: wrap(la.null_space(M, rcond)),
        "orth": lambda M, **_: wrap(np.stack(la.orthonormalize(list(plain_objects(M).T)), 1)),
        "pinv": la.pinv,
        "qr": _qr,
        "qr_delete": la.qr_delete,
        "qr_insert": la.qr_insert,
        "solve": la.solve,
        "solve_triangular": _solve_triangular,
        "svd": la.svd,
        "svdvals": lambda M: wrap(la.singular_values(M)),
    },
)


def _sparse_attributes() -> None:
    """Give exact arrays the methods of sparse ones: there are no exact sparse arrays."""
    attributes: dict[str, Any] = {
        **dict.fromkeys(("toarray", "todense"), lambda self: self.copy()),
        "multiply": lambda self, other: self * other,
        "nnz": property(lambda self: self.size),
    }
    for name, value in attributes.items():
        setattr(ExactArray, name, value)
    for name in ("tocsc", "tocsr", "tocoo", "tolil", "tobsr"):
        setattr(ExactArray, name, lambda self, *_, **__: self)
    for name in ("sum_duplicates", "eliminate_zeros", "sort_indices"):
        setattr(ExactArray, name, lambda self: None)


_sparse_attributes()


class _SparseType(type):
    """Type of a stand-in for a sparse format, whose calls return dense exact arrays."""

    def __instancecheck__(cls, value):
        return False

    def __call__(cls, value, shape=None, **_):
        if scipy.sparse.issparse(value):
            return array(value.toarray(), float)
        if not isinstance(value, tuple):
            return array(value, float)
        if len(value) == 3:
            return cls._from_compressed(*value, shape)
        if isinstance(value[1], tuple):
            return cls._from_triplets(*value, shape)
        return zeros(value)

    def _from_triplets(cls, data, places, shape):
        rows, columns = map(np.asarray, places)
        result = np.asarray(to_plain(zeros(shape or (int(rows.max()) + 1, int(columns.max()) + 1))))
        for value, i, j in zip(plain_objects(data).flat, rows.flat, columns.flat, strict=True):
            result[i, j] = result[i, j] + value
        return wrap(result)

    def _from_compressed(cls, data, indices, starts, shape):
        """Return the dense array of compressed rows or columns, whose entries may be blocks."""
        data = plain_objects(data)
        height, width = data.shape[1:] if data.ndim == 3 else (1, 1)
        result = np.asarray(to_plain(zeros(shape)))
        for major in range(len(starts) - 1):
            for place in range(int(starts[major]), int(starts[major + 1])):
                minor = int(indices[place])
                i, j = (minor, major) if cls.__name__.startswith("csc") else (major, minor)
                block = result[i * height : (i + 1) * height, j * width : (j + 1) * width]
                block[...] = block + data[place]
        return wrap(result)


def _block_array(rows: Any, **_: Any) -> Any:
    heights = [next(np.shape(b)[0] for b in row if b is not None) for row in rows]
    widths = [next(np.shape(row[j])[1] for row in rows if row[j] is not None) for j in range(len(rows[0]))]
    blocks = [
        [zeros((h, w)) if b is None else b for b, w in zip(row, widths, strict=True)]
        for row, h in zip(rows, heights, strict=True)
    ]
    return wrap(np.block([[plain_objects(b) for b in row] for row in blocks]))


def _diags_array(diagonals: Any, *, offsets: Any = 0, shape: Any = None, **_: Any) -> Any:
    diagonals = array(diagonals, float)
    if np.any(offsets) or diagonals.ndim > 2 or (diagonals.ndim == 2 and len(diagonals) > 1):
        raise NotExact("sparse diagonals")
    return apply_function(np.diag, (diagonals.reshape(-1),), {})


class _SparseFactor:
    """Factorization that solves by elimination."""

    def __init__(self, M: Any, *_: Any, **__: Any) -> None:
        self._matrix = M

    def solve(self, b: Any, *_: Any) -> Any:
        return la.solve(self._matrix, b)


def _stack(axis: int) -> Callable[..., Any]:
    return lambda blocks, *_, **__: wrap(np.concatenate([plain_objects(b) for b in blocks], axis))


_FORMATS = ("csc_array", "csr_array", "coo_array", "bsr_array", "lil_array", "csc_matrix", "csr_matrix")
sparse = ModuleStandIn(
    scipy.sparse,
    {
        **{name: _SparseType(name, (), {}) for name in _FORMATS},
        "block_array": _block_array,
        "block_diag": lambda blocks, **_: block_diag(*blocks),
        "diags_array": _diags_array,
        "eye_array": lambda n, m=None, **_: to_exact(np.eye(n, m)),
        "hstack": _stack(1),
        "issparse": scipy.sparse.issparse,
        "kron": lambda a, b, **_: apply_function(np.kron, (array(a, float), array(b, float)), {}),
        "vstack": _stack(0),
    },
)
sparse_linalg = ModuleStandIn(
    scipy.sparse.linalg,
    {
        "factorized": lambda M: lambda b: la.solve(M, b),
        "splu": _SparseFactor,
        "spsolve": lambda a, b, **_: la.solve(a, b),
    },
)


def nnls(A: Any, b: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
    """Return the nonnegative least-squares solution by the method of Lawson and Hanson."""
    A, b = array(A, float), array(b, float)
    n = A.shape[1]
    solution, passive = zeros(n), np.zeros(n, dtype=bool)
    while True:
        gradient = A.T @ (b - A @ solution)
        tolerance = NNLS_TOLERANCE * np.max(np.abs(A.T @ b), initial=0.0)
        growing = [i for i in range(n) if not passive[i] and gradient[i] > tolerance]
        if not growing:
            if any(gradient[i].value > 0 for i in range(n) if not passive[i]):
                raise NotExact("a gradient of least squares that is nearly zero")
            return solution, la.norm(A @ solution - b)
        passive[max(growing, key=lambda i: float(gradient[i]))] = True
        while True:
            chosen = A[:, passive]
            unbounded = zeros(n)
            unbounded[passive] = la.solve(chosen.T @ chosen, chosen.T @ b)
            leaving = [i for i in np.flatnonzero(passive) if unbounded[i] <= 0]
            if not leaving:
                break
            ratios = {i: solution[i] / (solution[i] - unbounded[i]) for i in leaving}
            first = min(ratios, key=lambda i: float(ratios[i]))
            solution = solution + ratios[first] * (unbounded - solution)
            passive[first], solution[first] = False, 0.0
        solution = unbounded


special = ModuleStandIn(
    scipy.special,
    {"factorial": lambda n, *_, **__: to_exact(np.vectorize(math.factorial, otypes=[object])(n))},
)
transform = ModuleStandIn(scipy.spatial.transform, {"Rotation": Rotation})
optimize = ModuleStandIn(scipy.optimize, {"nnls": nnls})
scipy_stand_in = ModuleStandIn(scipy, {"linalg": linalg, "optimize": optimize, "sparse": sparse})
