"""Exact numbers agree with mpmath, enclose what they claim, and remember where rounded numbers entered."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbnotes.ledger.exact import stand_ins
from rbnotes.ledger.exact.arrays import array, plain_objects, to_exact, zeros
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import (
    PI,
    PRECISION,
    Exact,
    all_equal,
    convert,
    decimal,
    larger,
    rational,
    smaller,
    trace,
)

mpmath.mp.prec = PRECISION
ELEMENTARY = "sin cos tan exp sinh cosh tanh arctan arcsinh sqrt log arcsin arccos"
MPMATH_NAMES = {"arctan": "atan", "arcsinh": "asinh", "arcsin": "asin", "arccos": "acos"}
fractions = st.builds(Fraction, st.integers(1, 10**6), st.integers(10**6 + 1, 10**7))


def to_mpmath(number: Exact) -> mpmath.mpf:
    text = number.value.str(110, radius=False) if hasattr(number.value, "mid") else None
    return mpmath.mpf(text) if text else mpmath.mpf(int(number.value.p)) / int(number.value.q)


def exact(fraction: Fraction) -> Exact:
    return rational(fraction.numerator, fraction.denominator)


@pytest.mark.parametrize("name", ELEMENTARY.split())
@given(fractions)
def test_elementary_functions_agree_with_mpmath(name, x):
    actual = to_mpmath(getattr(exact(x), name)())
    right = getattr(mpmath, MPMATH_NAMES.get(name, name))(mpmath.mpf(x.numerator) / x.denominator)
    assert abs(actual - right) < mpmath.mpf(10) ** -90 * max(1, abs(right))


@given(fractions, fractions)
def test_operations_are_those_of_fractions(x, y):
    a, b = exact(x), exact(y)
    for actual, right in (
        (a + b, x + y),
        (a - b, x - y),
        (a * b, x * y),
        (a / b, x / y),
        (a**3, x**3),
        (a**-2, x**-2),
    ):
        assert Fraction(int(actual.value.p), int(actual.value.q)) == right
    assert (a < b, a <= b, a == b, a != b) == (x < y, x <= y, x == y, x != y)
    assert math.floor(a / b) == math.floor(x / y)


@given(fractions, st.sampled_from([-1, 1]), st.sampled_from([-1, 1]))
def test_quadrants_of_the_arc_tangent(x, sign_x, sign_y):
    y = Fraction(1, 3)
    actual = to_mpmath(stand_ins.numpy.arctan2(exact(y) * sign_y, exact(x) * sign_x))
    right = mpmath.atan2(sign_y * mpmath.mpf(1) / 3, sign_x * mpmath.mpf(x.numerator) / x.denominator)
    assert abs(actual - right) < mpmath.mpf(10) ** -90


def test_roots_of_squares_are_fractions():
    assert rational(9, 16).sqrt() == rational(3, 4)
    assert hasattr(rational(2).sqrt().value, "mid")


def test_a_comparison_that_balls_cannot_decide_is_counted():
    trace.reset()
    two = rational(2).sqrt() ** 2
    assert two == 2
    assert len(trace.outcomes) == 1
    assert rational(2).sqrt() < rational(3).sqrt()
    assert len(trace.outcomes) == 1


@pytest.mark.parametrize("value", [0.1, 1e-12, 0.25, 3.0, 123456.789, 1 / 64])
def test_short_decimals_are_exact(value):
    assert not convert(value).tainted
    assert convert(value) == decimal(repr(value))


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: x * rational(2).sqrt(),
        lambda x: rational(1) / x,
        lambda x: x.sin(),
        lambda x: x**2,
        lambda x: (-x).exp(),
        lambda x: abs(x).sqrt(),
        lambda x: stand_ins.numpy.arctan2(x, 2),
        lambda x: stand_ins.numpy.linalg.solve([[x, 1], [0, 1]], [1, 1])[0],
        lambda x: stand_ins.numpy.linalg.det([[x, 1], [0, 1]]),
        lambda x: stand_ins.numpy.linalg.norm([x, 1]),
        lambda x: stand_ins.numpy.hypot(x, 1),
        lambda x: stand_ins.math_stand_in.atan2(x, 1),
        lambda x: stand_ins.numpy.round(array([x]), 3)[0],
        lambda x: stand_ins.numpy.sign(x),
        lambda x: abs(x - 3),
        lambda x: x % 1,
        lambda x: rational(1) ** x,
        lambda x: stand_ins.numpy.floor(x),
        lambda x: stand_ins.numpy.trunc(-x),
    ],
)
def test_taint_stays(use):
    rounded = convert(1 / 3)
    assert rounded.tainted
    assert use(rounded).tainted


@pytest.mark.parametrize("use", [lambda x: x < 1, lambda x: math.floor(x), bool, lambda x: max(x, 0), int])
def test_decisions_by_rounded_numbers_are_counted(use):
    for value, expected in ((convert(1 / 3), True), (rational(1, 3), False)):
        trace.reset()
        use(value)
        assert bool(trace.tainted_decisions) is expected


def test_taint_names_its_source(tmp_path):
    source = tmp_path / "rbnotes_form.py"
    source.write_text("def form(convert):\n    return convert(1 / 3)\n")
    module: dict = {"__name__": "rbnotes_form"}
    exec(compile(source.read_text(), str(source), "exec"), module)
    trace.reset()
    module["form"](convert)
    assert trace.taint_sources == ["rbnotes_form:2"]


def test_arrays_behave_like_float64():
    A = to_exact(np.array([[2.0, 1.0], [1.0, 3.0]]))
    assert A.dtype == np.float64
    np.testing.assert_array_equal(A @ np.linalg.inv(A), np.eye(2))
    assert np.linalg.det(A) == 5
    assert (np.einsum("ij,jk->ik", A, A) == A @ A).all()
    np.testing.assert_array_equal(np.cross(A[:, [0, 1, 1]], [1, 0, 0]), [[0, 1, -1], [0, 3, -3]])
    assert stand_ins.numpy.arange(0, 1, 0.25)[3] == rational(3, 4)
    np.testing.assert_array_equal(np.where(A > 1, A, 0), [[2, 0], [0, 3]])
    np.testing.assert_array_equal(np.block([[A, np.zeros((2, 1))]]).shape, (2, 3))
    assert isinstance(A.astype(int), np.ndarray)
    assert A.astype(int).dtype.kind == "i"
    assert zeros((0, 3)).sum() == 0


def test_bytes_of_exact_arrays_differ_for_equal_float64_values():
    a, b = rational(1, 3), rational(1, 3) + rational(1, 10**40)
    assert float(a) == float(b)
    assert array([a, 0]).tobytes() != array([b, 0]).tobytes()
    assert array([a, 0]).tobytes() == array([rational(2, 6), 0]).tobytes()


def test_complex_numbers_are_refused():
    with pytest.raises(NotExact, match="complex"):
        to_exact(np.array([1j]))
    with pytest.raises(NotExact, match="complex"):
        array([PI, 1.0]).astype(complex)


def test_eigenvalues_and_exponentials_agree_with_mpmath():
    M = [[2, 1, 0], [1, 3, 1], [0, 1, 5]]
    E, values = mpmath.expm(mpmath.matrix(M)), sorted(mpmath.eigsy(mpmath.matrix(M), eigvals_only=True))
    result = plain_objects(stand_ins.numpy.linalg.eigvalsh(M))
    from rbnotes.ledger.exact.scipy_stand_in import linalg

    exponential = plain_objects(linalg.expm(M))
    for i in range(3):
        assert abs(to_mpmath(result[i]) - values[i]) < mpmath.mpf(10) ** -85
        for j in range(3):
            assert abs(to_mpmath(exponential[i, j]) - E[i, j]) < mpmath.mpf(10) ** -85 * E[i, i]
    vectors = stand_ins.numpy.linalg.eigh(M).eigenvectors
    residual = to_exact(np.array(M)) @ vectors - vectors * result
    assert max(abs(float(each)) for each in residual.view(np.ndarray).flat) < 1e-80


def test_powers_of_balls_that_contain_zero_are_narrow():
    nearly_zero = rational(2).sqrt() ** 2 - 2
    assert nearly_zero.value.contains(0)
    for power in (1, 2, 3):
        assert abs(float((nearly_zero**power).value.rad())) < 1e-90


def test_repeated_eigenvalues_are_enclosed():
    root = rational(2).sqrt()
    M = root * to_exact(np.array([[2.0, 1, 1], [1, 2, 1], [1, 1, 2]]))
    values = plain_objects(stand_ins.numpy.linalg.eigvalsh(M))
    for value, factor in zip(values, (1, 1, 4), strict=True):
        assert (value - factor * root).value.contains(0)
        assert float(value.value.rad()) < 1e-40


def test_decompositions_reproduce_their_matrix():
    M = to_exact(np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 1.0]]))
    U, s, Vh = np.linalg.svd(M, full_matrices=False)
    Q, R = np.linalg.qr(M.T)
    L = np.linalg.cholesky(M @ M.T)
    for product, right in (
        (U * s @ Vh, M),
        (Q @ R, M.T),
        (L @ L.T, M @ M.T),
        (M @ np.linalg.pinv(M), np.eye(2)),
    ):
        assert max(abs(float(each)) for each in (product - right).view(np.ndarray).flat) < 1e-80


def test_sparse_formats_give_dense_exact_matrices():
    from rbnotes.ledger.exact.scipy_stand_in import sparse

    right = to_exact(np.array([[1.0, 0, 0.5], [0, 2, 0]]))
    rows, columns = np.nonzero([[1, 0, 1], [0, 1, 0]])
    matrices = [
        sparse.coo_array((right[rows, columns], (rows, columns)), (2, 3)),
        sparse.csr_array((right[rows, columns], columns, [0, 2, 3]), shape=(2, 3)),
        sparse.csc_array((to_exact(np.array([1.0, 2.0, 0.5])), [0, 1, 0], [0, 1, 2, 3]), shape=(2, 3)),
        sparse.block_array([[right[:, :2], right[:, 2:]]]),
        sparse.hstack([right[:, :1], right[:, 1:]]),
    ]
    for matrix in matrices:
        assert np.array_equal(matrix, right)
    assert sparse.coo_array(([], ([], [])), (2, 3)).shape == (2, 3)


def test_extremes_of_overlapping_balls_are_enclosed():
    trace.reset()
    two, three = rational(2).sqrt() ** 2, rational(3).sqrt()
    for extreme, right in ((larger, 2), (smaller, 2)):
        actual = extreme(two, rational(2))
        assert actual.value.contains(right)
        assert not actual.value.is_exact()
    assert larger(two, three) is two
    assert smaller(two, three) is three
    assert trace.outcomes == []
    assert two == two
    assert trace.outcomes == []


def test_equality_of_many_numbers_is_one_comparison():
    trace.reset()
    two = [rational(2).sqrt() ** 2 for _ in range(9)]
    assert all_equal([(each, rational(2)) for each in two])
    assert trace.outcomes == [True]
    trace.reset((False,))
    assert not all_equal([(each, rational(2)) for each in two])
    assert not all_equal([(rational(1), rational(2)), (two[0], rational(2))])
    assert trace.outcomes == [False]
