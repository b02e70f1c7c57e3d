"""Residuals of each condition, and scale-independent acceptance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from known_problems import boxes, mixed, monotone

from rbnotes.complementarity import LCP, QP, BoxLCP, Elimination, box_residuals, refine_active_set, solve
from rbnotes.complementarity.residuals import pair_residuals, residual_scale
from rbnotes.testing.strategies import vectors


def test_each_residual_separately():
    problem = LCP(np.eye(3), [-1.0, 2.0, 0.0])
    residuals = box_residuals(problem, [3.0, -0.5, 0.0])  # w = (2, 1.5, 0)
    assert residuals.complementarity == 6.0
    assert residuals.feasibility == 0.5
    assert residuals.dual_feasibility == 0.0
    assert residuals.natural == 2.0
    assert box_residuals(problem, [0.25, 0.0, 0.0]).dual_feasibility == 0.75
    exact = box_residuals(problem, [1.0, 0.0, 0.0])
    assert (exact.complementarity, exact.feasibility, exact.natural, exact.relative) == (0, 0, 0, 0)


def test_each_residual_of_a_box_lcp():
    problem = BoxLCP(np.eye(3), [-3.0, 0.5, 1.0], [0.0, 0.0, -np.inf], [2.0, np.inf, np.inf])
    residuals = box_residuals(problem, [1.5, 0.0, 0.0])  # w = (-1.5, 0.5, 1)
    assert residuals.complementarity == 0.75
    assert residuals.feasibility == 0.0
    assert residuals.dual_feasibility == 1.0
    assert residuals.natural == 1.0
    assert box_residuals(problem, [2.5, 0.0, -1.0]).feasibility == 0.5
    assert box_residuals(problem, [2.0, 0.0, -1.0]).relative == 0.0


def test_bounds_limit_the_reference_impulses_of_rows():
    """The unbounded impulses are -100 / 2, 60 / 3 and 4 / 2; the bounds are -1, 5 and 3."""
    M = [[2.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]]
    problem = BoxLCP(M, [100.0, -60.0, -4.0], [-1.0, -4.0, 3.0], [7.0, 5.0, 9.0])
    row_sizes = [100 + 2 * 1 + 5 + 0.5 * 6, 60 + 1 + 3 * 5, 4 + 0.5 * 1 + 2 * 6]
    np.testing.assert_allclose(residual_scale(problem).row_scale, row_sizes, rtol=1e-12)
    negated = BoxLCP(problem.M, -problem.q, -problem.upper, -problem.lower)
    np.testing.assert_allclose(
        residual_scale(negated).row_scale, residual_scale(problem).row_scale, rtol=1e-12
    )


@given(monotone(4), vectors(4))
def test_the_relative_residual_has_no_units(problem, z):
    """The verdict is the same with other units of z and of w."""
    before = box_residuals(problem, z).relative
    # Newton and kilonewton, meter and millimeter.
    scaled = LCP(problem.M * 1e6, problem.q * 1e3)
    assert box_residuals(scaled, z * 1e-3).relative == pytest.approx(before, rel=1e-9, abs=1e-15)


def test_wrong_solution_in_tiny_units_is_rejected():
    """z of 1e-12 too large: |min(z, w)| is as small, though w is all wrong."""
    problem = LCP([[1e12]], [-1.0])
    assert box_residuals(problem, [2e-12]).natural == pytest.approx(2e-12)
    assert box_residuals(problem, [2e-12]).relative > 0.1
    assert solve(problem).z[0] == pytest.approx(1e-12, rel=1e-12)


@given(mixed(4, 3, 2), vectors(4), vectors(2), vectors(3))
def test_residuals_of_an_elimination(problem, x, multipliers, z):
    P = problem
    residuals = problem.residuals(x, multipliers, z)
    motion = P.M @ x - P.G.T @ multipliers - P.N.T @ z - P.f
    assert residuals.equations == pytest.approx(max(np.abs(motion).max(), np.abs(P.G @ x - P.g).max()))
    w = P.N @ x - P.n
    assert residuals.natural == pytest.approx(np.abs(z - np.maximum(z - w, 0)).max())
    assert residuals.feasibility == max(0.0, -z.min())
    assert residuals.dual_feasibility == pytest.approx(max(0.0, -w.min()))


@given(mixed(4, 3, 2), vectors(4), vectors(2), vectors(3))
def test_relative_residual_does_not_depend_on_row_units(problem, x, multipliers, z):
    before = problem.residuals(x, multipliers, z).relative
    P = replace(problem, G=1e3 * problem.G, g=1e3 * problem.g, N=1e-3 * problem.N, n=1e-3 * problem.n)
    assert P.residuals(x, 1e-3 * multipliers, 1e3 * z).relative == pytest.approx(before, rel=1e-9, abs=1e-12)


def test_elimination_residuals_detect_each_error():
    problem = Elimination.from_qp(QP(np.eye(2), [0.0, 1.0], [[0.0, 1.0]], [0.0], [[1.0, 0.0]], [0.5]))
    x, multipliers, z = np.array([0.5, 0.0]), np.array([0.5]), np.array([1.0])
    assert problem.residuals(x, multipliers, z).relative == 0.0
    for wrong in (
        (x, multipliers, z + 0.1),
        (x + np.array([0.1, 0.0]), multipliers, z),
        (x - np.array([0.0, 0.1]), multipliers, z),
        (x, multipliers + 0.1, z),
    ):
        assert problem.residuals(*wrong).relative > 0.01


@given(boxes(4), vectors(4))
def test_refinement_never_increases_the_residual(problem, noise):
    z = solve(problem).z
    nearby = z + 1e-9 * noise
    polished = refine_active_set(problem, nearby)
    before, after = (box_residuals(problem, value).relative for value in (nearby, polished))
    assert after <= before
    far = z + noise
    assert box_residuals(problem, refine_active_set(problem, far)).relative <= box_residuals(
        problem, np.clip(far, problem.lower, problem.upper)
    ).relative * (1 + 1e-12)


@given(monotone(4))
def test_refinement_removes_the_error_of_a_convex_solver(problem):
    z = solve(problem).z
    w = problem.M @ z + problem.q
    clear = np.maximum(z, w).min() > 1e-3  # the active set is clear
    if clear:
        noisy = np.where(z > w, z * (1 + 1e-6), 1e-6)
        np.testing.assert_allclose(refine_active_set(problem, noisy), z, atol=1e-12 * (1 + z.max()))


def test_nan_is_not_a_small_error():
    """Also after another error: `max` of a number and NaN is the number."""
    ones, none = np.ones(2), np.full(2, np.inf)
    for index in (0, 1):
        nan = ones.copy()
        nan[index] = np.nan
        for bounds in ((), (0 * ones, 2 * ones)):
            by_z = pair_residuals(nan, ones, ones, ones, *bounds)
            assert np.isnan([by_z.relative, by_z.natural, by_z.complementarity, by_z.feasibility]).all()
        by_w = pair_residuals(ones, nan, ones, ones)
        assert np.isnan([by_w.relative, by_w.natural, by_w.complementarity, by_w.dual_feasibility]).all()
        assert np.isnan(pair_residuals(ones, nan, ones, ones, -none, none).dual_feasibility)
    problem = Elimination.from_qp(QP(np.eye(3), [0, 0, 1.0], [[1.0, 0, 0]], [0.0], [[0, 1.0, 0]], [0.0]))
    right = np.array([0, 0, -1.0]), np.zeros(1), np.zeros(1)
    assert problem.residuals(*right).relative < 1e-12
    for which in (0, 1):
        for index in range(len(right[which])):
            values = [each.copy() for each in right]
            values[which][index] = np.nan
            actual = problem.residuals_unchecked(*values)
            assert np.isnan(actual.relative)
            assert np.isnan(actual.equations)


def test_residuals_do_not_depend_on_signs_of_unknowns():
    """Rounding is relative to terms that may cancel, whatever their signs."""
    M = 2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1)
    N, x, f = np.array([[1.0, 1.0, 0.5, -2.0]]), np.array([0.5, 1.0, -3.0, 2.0]), np.array([1.0, 0, 0, 0])
    relative_residuals = []
    for signs in np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, -1, -1, 1], [-1, 1, 1, 1]]):
        qp = QP(signs[:, None] * M * signs, -signs * f, N * signs, np.zeros(1))
        residuals = Elimination.from_qp(qp).residuals_unchecked(signs * x, np.zeros(0), np.zeros(1))
        relative_residuals.append(residuals.relative)
    np.testing.assert_allclose(relative_residuals, relative_residuals[0], rtol=1e-12)
