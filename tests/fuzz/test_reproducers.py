"""Calls that once gave a number, a NaN or an error of something inside: each is refused by name."""

import numpy as np
import pytest
from scipy import sparse

from rbnotes import constraints, dynamics, euler, forces, friction, inertia, maximal, quaternion, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import LCP, BoxLCP, gauss_seidel, lemke, pivoting, solve_lcp
from rbnotes.constraints import regularization, sequential, stabilization
from rbnotes.contact import Contacts, contact_points, separation_speeds
from rbnotes.dynamics import BilateralRows, FreeSystem, State, StepProblem, System, UnilateralRows, integrate
from rbnotes.forces import symmetry
from rbnotes.forces.muscle import Condition, piecewise_cubic
from rbnotes.friction import single_qp

M, M3 = np.eye(2), np.eye(3)
SKEWED = StepProblem([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]], np.ones(3), contacts=Contacts([np.eye(3)], 0.5))
BODY = inertia.spatial_inertia(2.0, np.diag([0.1, 0.2, 0.25]), [0.0, 0.0, 0.0])
FREE, AT_REST = FreeSystem(BODY, gravity=[0.0, 0.0, 0.0]), State(np.eye(4), np.zeros(6))


TWO = FreeSystem(np.stack([BODY, BODY]), gravity=[0.0, 0.0, 0.0])
TWO_AT_REST = State(np.stack([np.eye(4)] * 2), np.zeros((2, 6)))
PAIR = np.stack([np.eye(4), np.eye(4)])
ONE_UNKNOWN = LCP([[1.0]], [-1.0])


def pushed(f):
    """A step of a system whose force is what is given."""
    none = lambda q, qdot: np.zeros((2, 2))  # noqa: E731
    return dynamics.symplectic_euler(
        System(M, lambda q, qdot: f, none, none), State(q=np.zeros(2), qdot=np.zeros(2)), 0.1
    )


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
    "a step that is not a number": (lambda: dynamics.symplectic_euler(FREE, AT_REST, np.nan), "h"),
    "a step without end": (lambda: dynamics.implicit_euler(FREE, AT_REST, np.inf), "h"),
    "a step that is an array": (lambda: dynamics.symplectic_euler(FREE, AT_REST, [0.1, 0.1]), "h"),
    "a mass that is not a number": (lambda: FreeSystem(np.nan * BODY), "inertias"),
    "an inertia that is not symmetric": (lambda: FreeSystem(BODY + np.triu(np.ones((6, 6)), 1)), "inertias"),
    "no mass": (lambda: FreeSystem(0 * BODY), "inertias"),
    "a callback's NaN": (lambda: pushed([np.nan, 0.0]), "force_at"),
    "a callback's column": (lambda: pushed([[1.0], [0.0]]), "force_at"),
    "a twist that is a column": (lambda: State(np.eye(4), np.zeros((6, 1))), "phi"),
    "poses of several lengths": (lambda: State([[1.0], [1.0, 2.0]]), "E"),
    "one twist for two bodies": (lambda: State(PAIR, np.zeros(6)), "phi"),
    "contacts with a target that is a column": (lambda: UnilateralRows([[1.0, 0.0]], [[0.1]]), "target"),
    "a target without entries": (lambda: BilateralRows([[1.0, 0.0]], np.zeros((0, 1))), "target"),
    "rows for other velocities": (
        lambda: StepProblem(M, [1.0, 2.0], BilateralRows([[1.0, 0.0, 0.0]])),
        "bilateral",
    ),
    "a mass of steps that is not a number": (lambda: StepProblem(np.nan * M, [1.0, 2.0]), "mass"),
    "contacts a step back": (
        lambda: separation_speeds(contact_points([], PAIR), np.zeros(0), -0.1, [0.0, 0.0, -9.81]),
        "h",
    ),
    "a constraint that is a column": (
        lambda: sequential.satisfy_one(np.eye(2), [[1.0], [0.0]], 0.0, [1.0, 2.0]),
        "G",
    ),
    "dates for bounds": (
        lambda: BoxLCP(M, [1.0, 1], np.array(["2020-01-01"] * 2, dtype="datetime64[D]"), [2.0, 2]),
        "lower",
    ),
    "a body before the first": (lambda: forces.on_body(-1, [0.0, 0, 0]), "index"),
    "damping of the last body but one": (lambda: forces.Damping(0.5, [-1]), "bodies"),
    "poses of single precision": (
        lambda: se3.inverse(se3.exp([1.0, 2, 3, 4, 5, 6]).astype(np.float32)),
        "E",
    ),
    "a row for a vector": (lambda: LCP(M, [[1.0, 2.0]]), "q"),
    "as many quaternions as do not match": (
        lambda: quaternion.product(np.ones((2, 4)), np.ones((3, 4))),
        "p",
    ),
    "as many rates of angles": (
        lambda: euler.rates_to_velocity_dot(np.full((2, 3), 0.1), np.ones((3, 3))),
        "rates",
    ),
    "as many points of springs": (
        lambda: forces.zero_length_spring([1.0, 2.0, 3.0], np.stack([PAIR] * 2), np.zeros((2, 2, 3))),
        "k",
    ),
    "as many torques": (lambda: symmetry.inertia_asymmetry(np.stack([M3] * 3), np.ones((2, 3))), "tau"),
    "as many lengths": (lambda: forces.LinearSpring(1.0)(np.ones(2), np.zeros(3)), "Ldot"),
    "as many coefficients of friction": (
        lambda: friction.project_on_cone(np.ones((2, 3)), [0.5, 0.5, 0.5]),
        "mu",
    ),
    "a number for a problem": (lambda: solve_lcp(3), "problem"),
    "a problem without contacts' type": (lambda: friction.box_friction(np.eye(3)), "problem"),
    "a mechanism for a world": (
        lambda: maximal.simulate(maximal.Mechanism(BODY[None]), AT_REST, 0.1, 1),
        "world",
    ),
    "pivots below none": (lambda: pivoting(ONE_UNKNOWN, max_pivots=-1), "max_pivots"),
    "pivots of Lemke's below none": (lambda: lemke(ONE_UNKNOWN, max_pivots=-1), "max_pivots"),
    "sweeps below none": (lambda: gauss_seidel(ONE_UNKNOWN, max_sweeps=-1), "max_sweeps"),
    "a cover of another length": (lambda: lemke(ONE_UNKNOWN, cover=[1.0, 1.0]), "cover"),
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
