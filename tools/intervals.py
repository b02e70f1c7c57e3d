"""Fractions and intervals in Python and mpmath, with the names of python-flint that ``rbnotes`` uses.

The second prover (``repeat_proofs.py``) puts this module in the place of ``flint``. It shares no arithmetic
with it: fractions are pairs of integers, intervals are mpmath's, linear systems are solved by elimination.
Real roots of polynomials are isolated by sympy. Missing operations (eigenvalues of matrices that are
not symmetric) raise an error; such claims are not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import sympy
from mpmath import libmp

PRECISION = 400
"""Bits of the ends of an interval."""
NUM_SERIES_TERMS = 45
"""Terms of the series of the exponential of a matrix."""
SERIES_NORM_BITS = 10
"""The matrix is scaled to a norm below 2 to the minus this power."""

ctx = SimpleNamespace(prec=PRECISION)
Ends = tuple[Any, Any]
NUM_NEWTON_STEPS = 6
ROOT_BITS = 200
"""Bits of the width of an enclosed root of a polynomial."""
NAN: Ends = (libmp.fnan, libmp.fnan)


class fmpq:  # the name in flint
    """A fraction ``p / q`` in lowest terms."""

    __slots__ = ("p", "q")
    p: int
    q: int

    def __init__(self, numerator: Any = 0, denominator: int = 1) -> None:
        if isinstance(numerator, fmpq):
            numerator, denominator = numerator.p, numerator.q * denominator
        if denominator == 0:
            raise ZeroDivisionError
        divisor = math.gcd(numerator, denominator) * (-1 if denominator < 0 else 1)
        self.p, self.q = numerator // divisor, denominator // divisor

    def __add__(self, other: Any) -> Any:
        if (b := _fraction(other)) is None:
            return NotImplemented
        return fmpq(self.p * b.q + b.p * self.q, self.q * b.q)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else self + -b

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else fmpq(self.p * b.p, self.q * b.q)

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else fmpq(self.p * b.q, self.q * b.p)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> fmpq:
        return fmpq(-self.p, self.q)

    def __abs__(self) -> fmpq:
        return fmpq(abs(self.p), self.q)

    def __eq__(self, other: object) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else (self.p, self.q) == (b.p, b.q)

    def __lt__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else self.p * b.q < b.p * self.q

    def __le__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else self.p * b.q <= b.p * self.q

    def __gt__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else b < self

    def __ge__(self, other: Any) -> Any:
        return NotImplemented if (b := _fraction(other)) is None else b <= self

    def __hash__(self) -> int:
        return hash(Fraction(self.p, self.q))

    def __float__(self) -> float:
        return self.p / self.q

    def __repr__(self) -> str:
        return f"{self.p}/{self.q}"

    def floor(self) -> int:
        return self.p // self.q


def _fraction(value: Any) -> fmpq | None:
    if isinstance(value, fmpq):
        return value
    return fmpq(value) if isinstance(value, int) else None


def _ends(value: Any) -> Ends:
    if isinstance(value, arb):
        return value.ends
    if isinstance(value, str):
        number = {"nan": libmp.fnan, "inf": libmp.finf, "-inf": libmp.fninf}[value]
        return number, number
    found = _fraction(value)
    if found is None:
        raise TypeError(f"no number: {value!r}")
    numerator, denominator = libmp.from_int(found.p), libmp.from_int(found.q)
    ends: Ends = libmp.libmpi.mpi_div((numerator, numerator), (denominator, denominator), PRECISION)
    return ends


def _interval(ends: Ends) -> arb:
    result = arb.__new__(arb)
    result.ends = NAN if libmp.fnan in ends else ends
    return result


def _binary(name: str, *, swap: bool = False) -> Callable[[arb, Any], Any]:
    function = getattr(libmp.libmpi, f"mpi_{name}")

    def operate(a: arb, b: Any) -> Any:
        if not isinstance(b, arb | fmpq | int):
            return NotImplemented
        left, right = a.ends, _ends(b)
        if NAN in (left, right):
            return _interval(NAN)
        return _interval(function(*((right, left) if swap else (left, right)), PRECISION))

    return operate


def _function(name: str, is_defined: Callable[[Any, Any], bool] | None = None) -> Callable[[arb], arb]:
    """Return a function of intervals, whose lower ends compare with zero like this where it is defined."""
    function = getattr(libmp.libmpi, f"mpi_{name}")

    def apply(x: arb) -> arb:
        outside = is_defined is not None and not is_defined(x.ends[0], libmp.fzero)
        return _interval(NAN if outside or x.is_nan() else function(x.ends, PRECISION))

    return apply


class arb:  # the name in flint
    """An interval that contains a real number.

    Attributes
    ----------
    ends
        Lower and upper end, as numbers of ``mpmath.libmp``.
    """

    __slots__ = ("ends",)
    ends: Ends

    def __init__(self, value: Any = 0, radius: int = 0) -> None:
        self.ends = _ends(value)
        if radius:
            self.ends = (self + arb(-radius).union(arb(radius))).ends

    __add__ = __radd__ = _binary("add")
    __mul__ = __rmul__ = _binary("mul")
    __sub__, __rsub__ = _binary("sub"), _binary("sub", swap=True)
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", swap=True)
    sin, cos, tan, exp = _function("sin"), _function("cos"), _function("tan"), _function("exp")
    atan = _function("atan")
    sqrt, log = _function("sqrt", libmp.mpf_ge), _function("log", libmp.mpf_gt)

    def __pow__(self, exponent: Any) -> arb:
        if isinstance(exponent, int):
            return _interval(libmp.libmpi.mpi_pow_int(self.ends, exponent, PRECISION))
        return (self.log() * exponent).exp()

    def __neg__(self) -> arb:
        return _interval(libmp.libmpi.mpi_neg(self.ends))

    def __abs__(self) -> arb:
        return self if self.is_nan() else _interval(libmp.libmpi.mpi_abs(self.ends, PRECISION))

    def __lt__(self, other: Any) -> bool:
        return bool(libmp.mpf_lt(self.ends[1], _ends(other)[0]))

    def __le__(self, other: Any) -> bool:
        return bool(libmp.mpf_le(self.ends[1], _ends(other)[0]))

    def __gt__(self, other: Any) -> bool:
        return bool(libmp.mpf_gt(self.ends[0], _ends(other)[1]))

    def __ge__(self, other: Any) -> bool:
        return bool(libmp.mpf_ge(self.ends[0], _ends(other)[1]))

    real = property(lambda self: self)
    imag = property(lambda self: arb(0))

    def __complex__(self) -> complex:
        return complex(float(self))

    def __float__(self) -> float:
        return float(libmp.to_float(self.mid().ends[0]))

    def __repr__(self) -> str:
        return f"[{self.ends[0]}, {self.ends[1]}]"

    def str(self, digits: int) -> str:
        return repr(self)

    def contains(self, value: Any) -> bool:
        return not (self < value or self > value)

    overlaps = contains

    def is_nan(self) -> bool:
        return self.ends == NAN

    def is_exact(self) -> bool:
        return bool(self.ends[0] == self.ends[1])

    def is_finite(self) -> bool:
        infinite = (libmp.finf, libmp.fninf, libmp.fnan)
        return self.ends[0] not in infinite and self.ends[1] not in infinite

    def mid(self) -> arb:
        middle = libmp.mpf_shift(libmp.mpf_add(*self.ends), -1)
        return _interval((middle, middle))

    def rad(self) -> arb:
        radius = libmp.mpf_shift(libmp.mpf_sub(self.ends[1], self.ends[0], 53, "u"), -1)
        return _interval((radius, radius))

    def man_exp(self) -> Ends:
        return self.ends

    def floor(self) -> arb:
        lower, upper = self.ends
        return _interval((libmp.mpf_floor(lower), libmp.mpf_floor(upper)))

    def unique_fmpz(self) -> int | None:
        lower, upper = libmp.mpf_ceil(self.ends[0]), libmp.mpf_floor(self.ends[1])
        return int(libmp.to_int(lower)) if lower == upper and self.is_finite() else None

    def abs_upper(self) -> arb:
        upper = abs(self).ends[1]
        return _interval((upper, upper))

    def union(self, other: arb) -> arb:
        return _interval((_smaller(self.ends[0], other.ends[0]), _larger(self.ends[1], other.ends[1])))

    def intersection(self, other: arb) -> arb:
        return _interval((_larger(self.ends[0], other.ends[0]), _smaller(self.ends[1], other.ends[1])))

    def max(self, other: arb) -> arb:
        return _interval((_larger(self.ends[0], other.ends[0]), _larger(self.ends[1], other.ends[1])))

    def min(self, other: arb) -> arb:
        return _interval((_smaller(self.ends[0], other.ends[0]), _smaller(self.ends[1], other.ends[1])))

    def sinh(self) -> arb:
        return (self.exp() - (-self).exp()) / 2

    def cosh(self) -> arb:
        return (self.exp() + (-self).exp()) / 2

    def tanh(self) -> arb:
        return self.sinh() / self.cosh()

    def asinh(self) -> arb:
        return (self + (self * self + 1).sqrt()).log()

    def acosh(self) -> arb:
        return (self + (self * self - 1).sqrt()).log()

    def acos(self) -> arb:
        return (1 - self * self).max(arb(0)).sqrt().atan2(self)

    def atan2(self, x: arb) -> arb:
        return _interval(libmp.libmpi.mpi_atan2(self.ends, x.ends, PRECISION))

    @staticmethod
    def legendre_p_root(n: int, k: int, *, weight: bool) -> tuple[arb, arb]:
        """Return a root of the Legendre polynomial, the largest for k = 0, and its weight in a quadrature."""
        x = fmpq(*float(np.polynomial.legendre.leggauss(n)[0][n - 1 - k]).as_integer_ratio())
        for _ in range(NUM_NEWTON_STEPS):
            value, slope = _legendre(n, arb(x))
            x = _rounded(arb(x) - value / slope)
        margin = fmpq(1, 2 ** (PRECISION - 20))
        if _legendre(n, arb(x - margin))[0].contains(0) or not (
            _legendre(n, arb(x - margin))[0] * _legendre(n, arb(x + margin))[0] < 0
        ):
            raise ArithmeticError("no root of the Legendre polynomial between these numbers")
        root = arb(x - margin).union(arb(x + margin))
        return root, 2 / ((1 - root * root) * _legendre(n, root)[1] ** 2)

    @staticmethod
    def pi() -> arb:
        return _interval(libmp.libmpi.mpi_pi(PRECISION))


def _legendre(n: int, x: arb) -> tuple[arb, arb]:
    """Return the Legendre polynomial of degree n and its derivative."""
    before, value = arb(1), x
    for k in range(1, n):
        before, value = value, ((2 * k + 1) * x * value - k * before) / (k + 1)
    return value, n * (x * value - before) / (x * x - 1)


def _rounded(x: arb) -> fmpq:
    """Return the middle of an interval, rounded to a fraction."""
    numerator = libmp.to_int(libmp.mpf_shift(x.mid().ends[0], PRECISION))
    return fmpq(int(numerator), 2**PRECISION)


def _smaller(a: Any, b: Any) -> Any:
    return a if libmp.mpf_le(a, b) else b


def _larger(a: Any, b: Any) -> Any:
    return a if libmp.mpf_ge(a, b) else b


class _Matrix:
    """A matrix of fractions or intervals."""

    rows: list[list[Any]]

    def __init__(self, num_rows: Any, num_columns: int = 0, entries: Sequence[Any] = ()) -> None:
        if isinstance(num_rows, _Matrix):
            self.rows, self._num_columns = [[*row] for row in num_rows.rows], num_rows.ncols()
            return
        self.rows = [list(entries[i * num_columns : (i + 1) * num_columns]) for i in range(num_rows)]
        self._num_columns = num_columns

    def nrows(self) -> int:
        return len(self.rows)

    def ncols(self) -> int:
        return self._num_columns

    def __getitem__(self, place: tuple[int, int]) -> Any:
        return self.rows[place[0]][place[1]]

    def solve(self, right: _Matrix) -> _Matrix:
        n = self.nrows()
        rows, _ = _eliminate([[*a, *b] for a, b in zip(self.rows, right.rows, strict=True)], n)
        return type(self)(n, right.ncols(), [entry for row in rows for entry in row[n:]])

    def det(self) -> Any:
        try:
            return _eliminate([[*row] for row in self.rows], self.nrows())[1]
        except ZeroDivisionError:
            if isinstance(self, arb_mat):
                raise
            return fmpq(0)


def _eliminate(rows: list[list[Any]], n: int) -> tuple[list[list[Any]], Any]:
    """Return the rows after elimination of the first n columns, and the determinant of these."""
    determinant: Any = fmpq(1)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(float(rows[r][i])))
        entry = rows[pivot][i]
        if entry.contains(0) if isinstance(entry, arb) else entry == 0:
            raise ZeroDivisionError("singular matrix")
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            determinant = -determinant
        determinant = entry * determinant
        rows[i] = [each / entry for each in rows[i]]
        for r in range(n):
            if r != i:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return rows, determinant


class fmpq_mat(_Matrix):  # the name in flint
    """A matrix of fractions."""

    def charpoly(self) -> _Polynomial:
        """Return the characteristic polynomial, by the method of Faddeev and Le Verrier."""
        n, zero = self.nrows(), fmpq(0)
        coefficients = [fmpq(1)]
        M = [[zero] * n for _ in range(n)]
        for k in range(1, n + 1):
            for i in range(n):
                M[i][i] += coefficients[-1]
            M = _product(self.rows, M, zero)
            coefficients.append(-sum((M[i][i] for i in range(n)), zero) / k)
        return _Polynomial(coefficients[::-1])


class _Polynomial:
    """A polynomial with fractions as coefficients, the constant first."""

    def __init__(self, coefficients: list[fmpq]) -> None:
        self._coefficients = coefficients

    def coeffs(self) -> list[fmpq]:
        return self._coefficients

    def denom(self) -> int:
        return math.lcm(*(each.q for each in self._coefficients))


class fmpz_poly:  # the name in flint
    """A polynomial with integers as coefficients, the constant first."""

    def __init__(self, coefficients: list[int]) -> None:
        self._coefficients = coefficients

    def complex_roots(self) -> list[tuple[arb, int]]:
        """Return the roots, all of which must be real, with their multiplicities."""
        polynomial = sympy.Poly(self._coefficients[::-1], sympy.Symbol("x"), domain="ZZ")
        found = polynomial.intervals(eps=sympy.Rational(1, 2**ROOT_BITS))
        if sum(multiplicity for _, multiplicity in found) != polynomial.degree():
            raise NotImplementedError("complex roots of a polynomial")
        ends = [([fmpq(int(end.p), int(end.q)) for end in pair], count) for pair, count in found]
        return [(arb(lower).union(arb(upper)), count) for (lower, upper), count in ends]


class arb_mat(_Matrix):  # the name in flint
    """A matrix of intervals."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rows = [[arb(each) for each in row] for row in self.rows]

    def exp(self) -> arb_mat:
        """Return the exponential: a series of the scaled matrix with a bound on its rest, squared."""
        n = self.nrows()
        norm = max(
            (float(sum((abs(each) for each in row), arb(0)).abs_upper()) for row in self.rows), default=0
        )
        num_squarings = max(0, math.ceil(math.log2(norm or 1.0)) + 1 + SERIES_NORM_BITS)
        scaled = [[each / 2**num_squarings for each in row] for row in self.rows]
        term = [[arb(int(i == j)) for j in range(n)] for i in range(n)]
        # The rest is below twice its first term, of which each factor is below 2^-SERIES_NORM_BITS.
        bound = arb(fmpq(2, 2 ** (SERIES_NORM_BITS * NUM_SERIES_TERMS) * math.factorial(NUM_SERIES_TERMS)))
        rest = (-bound).union(bound)
        result = [[each + rest for each in row] for row in term]
        for k in range(1, NUM_SERIES_TERMS):
            term = [[each / k for each in row] for row in _product(term, scaled, arb(0))]
            result = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(result, term, strict=True)]
        for _ in range(num_squarings):
            result = _product(result, result, arb(0))
        return arb_mat(n, n, [each for row in result for each in row])


def _product(A: list[list[Any]], B: list[list[Any]], zero: Any) -> list[list[Any]]:
    columns = list(zip(*B, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), zero) for column in columns] for row in A]


class acb_mat:  # the name in flint
    """A symmetric matrix of intervals, for its eigenvalues."""

    def __init__(self, matrix: Any, *_: Any) -> None:
        if not isinstance(matrix, arb_mat):
            raise NotImplementedError("complex matrices")
        self._rows = matrix.rows

    def eig(self, *, right: bool = False, multiple: bool = False) -> Any:
        """Return the eigenvalues, and the eigenvectors if wanted.

        They are enclosed by the residual of numerical ones: an eigenvalue is within ``|A v - c v|`` of c,
        and its eigenvector within twice this distance, divided by the gap to the other eigenvalues.
        """
        A, n = self._rows, len(self._rows)
        if not all(A[i][j].overlaps(A[j][i]) for i in range(n) for j in range(i)):
            raise NotImplementedError("eigenvalues of a matrix that is not symmetric")
        with mpmath.workprec(PRECISION):
            values, vectors = mpmath.eigsy(
                mpmath.matrix([[mpmath.mpf(each.mid().ends[0]) for each in row] for row in A])
            )
            centers = [_interval((values[i]._mpf_,) * 2) for i in range(n)]
            columns = [[_interval((vectors[r, i]._mpf_,) * 2) for r in range(n)] for i in range(n)]
        radii = []
        for center, v in zip(centers, columns, strict=True):
            rest = [
                sum((a * b for a, b in zip(row, v, strict=True)), -center * v[i]) for i, row in enumerate(A)
            ]
            length = sum((each * each for each in v), arb(0))
            radii.append(
                (sum((each * each for each in rest), arb(0)).abs_upper() / length).abs_upper().sqrt()
            )
        enclosed = [_widened(center, radius) for center, radius in zip(centers, radii, strict=True)]
        if not right:
            return enclosed
        if any(a.overlaps(b) for i, a in enumerate(enclosed) for b in enclosed[:i]):
            raise ArithmeticError("eigenvalues that are not separate")
        for i, v in enumerate(columns):
            gaps = [abs(enclosed[i] - enclosed[j]) for j in range(n) if j != i]
            error = max((2 * radii[i] / gap for gap in gaps), key=float, default=arb(0)) * 2
            columns[i] = [_widened(each, error) for each in v]
        return enclosed, arb_mat(n, n, [columns[i][r] for r in range(n) for i in range(n)])


def _widened(center: arb, radius: arb) -> arb:
    bound = radius.abs_upper()
    return center + (-bound).union(bound)
