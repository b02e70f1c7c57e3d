"""The data of a step: defaults and argument errors."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, UnilateralRows


def contacts(count, size):
    rows = np.zeros((3 * count, size))
    return SimpleNamespace(count=count, rows=rows, mu=np.ones(count), normal_target=np.zeros(count))


def test_omitted_parts_are_empty():
    problem = StepProblem([[2.0, 0.0], [0.0, 3.0]], [1.0, 2.0])
    assert problem.size == 2
    assert problem.is_symmetric
    for rows in (problem.bilateral, problem.unilateral):
        assert (rows.count, rows.rows.shape, rows.target.shape, rows.regularization.shape) == (
            0,
            (0, 2),
            (0,),
            (0,),
        )
        assert not rows.is_regularized
    assert problem.contacts is None
    solution = StepSolution(np.zeros(2), np.zeros(0))
    assert solution.unilateral.shape == (0,)
    assert solution.contact_impulses.shape == (0, 3)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_regularization_may_be_singular_to_rounding(unit):
    """The matrix has rank one; the other eigenvalues are rounding of either sign."""
    direction = np.array([0.3, -0.7, 0.9, 0.1])
    rows = BilateralRows(np.eye(4), 0.0, unit * np.outer(direction, direction))
    assert rows.regularization.shape == (4, 4)
    with pytest.raises(InvalidArgument, match="regularization: got an eigenvalue -"):
        BilateralRows(np.eye(4), 0.0, unit * (np.outer(direction, direction) - 1e-6 * np.eye(4)))


def test_scalars_apply_to_every_row_and_vectors_to_the_diagonal():
    rows = BilateralRows(np.ones((2, 3)), 0.5, np.diag([0.25, 0.0]))
    np.testing.assert_array_equal(rows.target, [0.5, 0.5])
    np.testing.assert_array_equal(rows.regularization, [0.25, 0.0])
    assert rows.is_regularized
    full = UnilateralRows(sparse.eye_array(2), regularization=[[1.0, 0.5], [-0.5, 0.0]])
    assert full.regularization.shape == (2, 2)
    assert sparse.issparse(StepProblem(np.eye(2), np.ones(2), unilateral=full).unilateral.rows)


def test_problems_compare_by_identity_and_are_hashable():
    first, second = (StepProblem(np.eye(2), np.ones(2)) for _ in range(2))
    assert first != second
    assert len({first, second, first.bilateral, first.unilateral}) == 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: StepProblem(np.eye(3), np.ones(2)),
            r"mass: got shape \(3, 3\), expected shape \(\.\.\., 2, 2",
        ),
        (lambda: StepProblem(np.eye(2), np.ones((1, 2))), r"momentum: got shape \(1, 2\)"),
        (lambda: StepProblem(np.eye(2), [np.nan, 0]), "momentum: got NaN"),
        (lambda: BilateralRows(np.ones((1, 2)), [0.0, 0.0]), r"target: got shape \(2,\)"),
        (lambda: BilateralRows(np.ones((1, 2)), 0.0, np.ones(3)), r"regularization: got shape \(3,\)"),
        (lambda: BilateralRows(np.eye(2), 0.0, [1.0, -1.0]), "regularization: got an eigenvalue -1"),
        (
            lambda: UnilateralRows(np.eye(2), 0.0, [[0.0, 1.0], [1.0, 0.0]]),
            "regularization: got an eigenvalue -1",
        ),
        (lambda: BilateralRows(regularization=[1.0]), r"regularization: got shape \(1,\)"),
        (
            lambda: StepProblem(np.eye(2), np.ones(2), BilateralRows(np.ones((1, 3)))),
            r"bilateral: got rows of",
        ),
        (
            lambda: StepProblem(np.eye(2), np.ones(2), UnilateralRows(np.eye(2))),
            "got UnilateralRows, expected",
        ),
        (lambda: StepProblem(np.eye(2), np.ones(2), unilateral=np.eye(2)), "unilateral: got ndarray"),
        (
            lambda: StepProblem(np.eye(2), np.ones(2), contacts=contacts(1, 3)),
            r"contacts: got rows of .*\(3, 3\)",
        ),
    ],
)
def test_invalid_shapes_are_named(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()
