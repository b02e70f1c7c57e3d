"""Calls that once gave a number, a NaN or an error of something inside: each is refused by name."""

import numpy as np
import pytest
from scipy import sparse

from rbnotes import constraints, dynamics, forces, inertia, quaternion
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import BoxLCP
from rbnotes.constraints import regularization, stabilization
from rbnotes.contact import Contacts
from rbnotes.dynamics import FreeSystem, State, StepProblem, integrate
from rbnotes.forces.muscle import Condition, piecewise_cubic
from rbnotes.friction import single_qp

M = np.eye(2)
SKEWED = StepProblem([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]], np.ones(3), contacts=Contacts([np.eye(3)], 0.5))
BODY = inertia.spatial_inertia(2.0, np.diag([0.1, 0.2, 0.25]), [0.0, 0.0, 0.0])
FREE, AT_REST = FreeSystem(BODY, gravity=[0.0, 0.0, 0.0]), State(np.eye(4), np.zeros(6))


def corrected(**options):
    """A particle moved onto a circle."""
    error, rows = (lambda x: [x @ x - 1]), (lambda x: [2 * x])
    return stabilization.project_positions([1.1, 0.0], options.pop("mass", M), error, rows, **options)


def stepped(scheme, h):
    return integrate(scheme, FREE, AT_REST, h, 3)


CALLS = {
    "no steps, and fewer": (lambda: integrate(dynamics.symplectic_euler, FREE, AT_REST, 0.1, -3), "steps"),
    "a step of no length": (lambda: stepped(dynamics.symplectic_euler, 0.0), "h"),
    "a step back in free flight": (lambda: stepped(dynamics.keeping_momentum, -0.1), "h"),
    "a step back of Runge and Kutta": (lambda: stepped(dynamics.runge_kutta, -0.1), "h"),
    "a mass that is not definite": (lambda: FreeSystem(-BODY), "inertias"),
    "a corrected position without steps": (lambda: corrected(limit=-1), "limit"),
    "a mass that is a triangle": (lambda: corrected(mass=[[1.0, 0.4], [0.0, 1.0]]), "mass"),
    "a cubic that is not there": (
        lambda: piecewise_cubic([0.0, 1.0], [Condition(k, 0.0, 0, 0.0) for k in (0, 0, 1, 0)]),
        "conditions",
    ),
    "a particle before the first": (lambda: forces.on_particle(-1), "index"),
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
