"""The stand-ins for SciPy return the numbers of SciPy."""

import itertools

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.optimize
from scipy.spatial.transform import Rotation

from rbnotes.ledger.exact import interpolation
from rbnotes.ledger.exact import scipy_stand_in as exact
from rbnotes.ledger.exact.arrays import to_plain
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.stand_ins import numpy

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(2, 4, 4))
POINTS = np.linspace(-1, 3, 9)
SEQUENCES = [
    "".join(each) for each in itertools.product("xyz", repeat=3) if each[0] != each[1] and each[1] != each[2]
]


def floats(value):
    return np.asarray(to_plain(value)).astype(float)


def assert_close(actual, expected):
    np.testing.assert_allclose(floats(actual), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("sequence", SEQUENCES + [each.upper() for each in SEQUENCES])
def test_euler_angles(sequence):
    rotation = Rotation.from_rotvec([[0.3, -1.2, 2.0], [-0.4, 0.1, 0.2]])
    result = exact.Rotation.from_matrix(rotation.as_matrix()).as_euler(sequence)
    assert_close(result, rotation.as_euler(sequence))


def test_functions_of_matrices():
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec([0.3, -1.2, 2.0]).as_matrix(), [1, 2, 3]
    assert_close(exact.linalg.logm(pose), scipy.linalg.logm(pose))
    for actual, expected in zip(
        exact.linalg.expm_frechet(A, B), scipy.linalg.expm_frechet(A, B), strict=True
    ):
        assert_close(actual, expected)


@pytest.mark.parametrize("which", ["row", "col"])
def test_changes_of_orthogonal_decompositions(which):
    Q, R = scipy.linalg.qr(A)
    axis = which == "col"
    result = exact.linalg.qr_insert(Q, R, B[0], 4, which=which)
    assert_close(floats(result[0]) @ floats(result[1]), np.insert(A, 4, B[0], axis))
    result = exact.linalg.qr_delete(Q, R, 1, which=which)
    assert_close(floats(result[0]) @ floats(result[1]), np.delete(A, 1, axis))
    assert_close(np.tril(floats(result[1]), -1), 0)


def test_pivots_show_the_rank():
    matrix = np.array([[1, 2, 3, 0], [2, 4, 6, 1], [0, 0, 1, 5]]) / 4
    matrix = np.vstack([matrix, matrix[0] - matrix[2]])
    R, pivots = exact.linalg.qr(matrix, mode="r", pivoting=True)
    expected, expected_pivots = scipy.linalg.qr(matrix, mode="r", pivoting=True)
    assert list(pivots) == list(expected_pivots)
    assert_close(abs(floats(R)), abs(expected))
    assert all(entry == 0 for entry in np.asarray(to_plain(R))[3])


def test_nonnegative_least_squares():
    for _ in range(10):
        matrix, right = RNG.integers(-5, 6, (6, 4)) / 2, RNG.integers(-5, 6, 6) / 2
        actual, error = exact.optimize.nnls(matrix, right)
        expected = scipy.optimize.nnls(matrix, right)
        assert_close(actual, expected[0])
        assert_close(error, expected[1])


@pytest.mark.parametrize("order", range(3))
def test_splines(order):
    x, y, slopes = [0.0, 1.0, 2.5], RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2))
    actual = interpolation.CubicHermiteSpline(x, y, slopes)
    expected = scipy.interpolate.CubicHermiteSpline(x, y, slopes)
    assert_close(actual(POINTS, order), expected(POINTS, order))
    assert_close(actual.derivative()(POINTS), expected.derivative()(POINTS))
    assert_close(actual.antiderivative()(POINTS), expected.antiderivative()(POINTS))
    knots, coefficients = np.arange(-3, 6), RNG.normal(size=(5, 3))
    actual = interpolation.BSpline(knots, coefficients, 3)
    assert_close(actual(POINTS, order), scipy.interpolate.BSpline(knots, coefficients, 3)(POINTS, order))


def test_interpolation_with_repeated_nodes():
    nodes, values = [0.5, 1.0, 1.0, 1.25], [0.75, 1.0, 0.0, 0.875]
    actual, expected = (
        kind(nodes, values) for kind in (interpolation.KroghInterpolator, scipy.interpolate.KroghInterpolator)
    )
    assert_close(actual(POINTS), expected(POINTS))
    assert_close(actual.derivative(0.75), expected.derivative(0.75))


def test_quadrature_and_polynomial_fits():
    nodes, weights = interpolation.leggauss(3)
    assert_close(nodes, np.polynomial.legendre.leggauss(3)[0])
    assert_close(weights, np.polynomial.legendre.leggauss(3)[1])
    assert not (weights @ nodes).tainted
    nodes, weights = interpolation.leggauss(6)  # it stands for an integral, which it does not enclose
    assert (weights @ nodes).tainted
    x, y = [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 5.0, 3.0]
    assert_close(
        interpolation.polynomial.polynomial.polyfit(x, y, 2), np.polynomial.polynomial.polyfit(x, y, 2)
    )
    with pytest.raises(NotExact, match="weights"):
        numpy.polyfit(numpy.array(x), numpy.array(y), 2, w=[1.0, 1.0, 1.0, 9.0])


def test_logarithms_that_are_not_real_are_refused():
    with pytest.raises(NotExact, match="imaginary"):
        exact.linalg.logm(numpy.array([[-1.0, 1.0], [0.0, -2.0]]))


def test_least_squares_with_a_gradient_near_zero_is_refused():
    b = [1.0, 2.0**-50]
    with pytest.raises(NotExact, match="nearly zero"):
        exact.optimize.nnls(numpy.array(np.eye(2)), numpy.array(b))


def test_extreme_values_of_a_part_of_an_array_are_refused():
    a = numpy.array([1.0, 5.0, 2.0]) * numpy.array(1)
    with pytest.raises(NotExact, match="a part"):
        numpy.max(a, where=np.array([True, False, True]), initial=0.0)
