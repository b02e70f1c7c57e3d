"""Calls that once gave a number, a NaN or an error of something inside: each is refused by name."""

import numpy as np
import pytest
from scipy import sparse

from rbnotes import constraints, dynamics, forces, quaternion
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import BoxLCP
from rbnotes.constraints import regularization
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import single_qp

M = np.eye(2)
SKEWED = StepProblem([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]], np.ones(3), contacts=Contacts([np.eye(3)], 0.5))

CALLS = {
    "bounds that are text": (lambda: BoxLCP(M, [1.0, 1], ["0", "1"], [2.0, 2]), "lower"),
    "bounds that are complex": (lambda: BoxLCP(M, [1.0, 1], [0.0, 0], [2j, 2j]), "upper"),
    "a damping below zero": (lambda: regularization.soft_force([0.1], [0.2], [1.0], [-1.0]), "beta"),
    "half a body": (lambda: forces.Damping(0.5, [0.5]), "bodies"),
    "a truth for a body": (lambda: forces.Damping(0.5, [True]), "bodies"),
    "text for a body": (lambda: forces.Damping(0.5, ["0"]), "bodies"),
    "a momentum that is a column": (lambda: StepProblem(M, [[1.0], [2.0]]), "momentum"),
    "a mass that is not symmetric": (lambda: single_qp(SKEWED, form="dual"), "problem"),
    "numbers whose squares overflow": (lambda: quaternion.normalize([1e308] * 4), "q"),
    "masked numbers": (lambda: quaternion.normalize(np.ma.masked_array(np.ones(4), [1, 0, 0, 0])), "q"),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused_by_name(name):
    call, argument = CALLS[name]
    with pytest.raises(InvalidArgument, match=rf"\b{argument}\b"):
        call()


def test_indices_of_a_sparse_matrix_stay_in_their_order():
    A = sparse.csc_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    A.data[:2] = 0.5, 2.0
    before = A.indices.copy()
    dynamics.solve_free(StepProblem(A + A.T + 9 * sparse.eye_array(2, format="csc"), np.ones(2)))
    constraints.is_symmetric(A)
    assert np.array_equal(A.indices, before)
