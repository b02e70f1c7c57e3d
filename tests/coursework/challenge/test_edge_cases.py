"""Functions that are wrong in one region only, and right functions in unusual style."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import sympy
from numpy.lib.stride_tricks import as_strided
from scipy.spatial.transform import Rotation

from rbnotes import ledger
from rbnotes.coursework.challenge import assess, cases, challenge, collect_answers
from rbnotes.coursework.challenge.case_generation import make_case, right_forms
from rbnotes.ledger.evaluation import evaluate

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")  # which students have read of

RATE, SWEEP = "lloyd/s0.2/e0.1#a", "lloyd/s0.15/e0.16"
LOG, BRACKET = "sueda/s1.3/e1.10#b", "sueda/s1.5/e1.19#b"
POINT, CROSS, BALL = "sueda/s1.1/e1.2", "sueda/s2.4.6/e2.37", "sueda/s2.4.8/e2.44"
JOINT_SPRING, SPLINE, BOUND, COLUMNS = (
    *("sueda/s2.5/e2.72", "sueda/s2.4.12/e2.62", "lloyd/s0.16/t720", "si/s4/e9"),
)
BASIS = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
EPSILON = np.array(
    [[[(i - j) * (j - k) * (k - i) / 2 for k in range(3)] for j in range(3)] for i in range(3)]
)


def bracket(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0.0]])


def rate(u, theta, omega):
    s, v = np.cos(theta / 2), np.sin(theta / 2) * u
    return np.append(-omega @ v, s * omega + np.cross(omega, v)) / 2


def lie_bracket(a, b):
    return np.append(np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3]))


def lie_in_fractions(a, b):
    a, b = [*map(Fraction, a)], [*map(Fraction, b)]

    def cross(x, y):
        return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]

    lower = map(Fraction.__add__, cross(a[:3], b[3:]), cross(a[3:], b[:3]))
    return tuple(map(float, [*cross(a[:3], b[:3]), *lower]))


def into_one_array(a, b, out=np.zeros(6)):  # noqa: B008
    out[:] = lie_bracket(a, b)
    return out


def remembered_by_identity(a, b, cache={}):  # noqa: B006
    # Where arrays lie decides which of its calls differ, and so what is seen of it.
    return cache.setdefault((id(a), id(b)), lie_bracket(a, b))


def from_memory(a, b):
    return lie_bracket(*(as_strided(x, (6,), (8,)) for x in (a, b)))


def shifted_and_back(a, b):
    a += 0.1
    result = lie_bracket(a - 0.1, b)
    a -= 0.1
    return result


def point(E, x):
    return E[:3, :3] @ x + E[:3, 3]


def right_at_first(E, x, calls=[]):  # noqa: B006
    calls.append(0)
    return point(E, x) + (len(calls) > 60)


class EqualToAll(np.ndarray):
    def __eq__(self, other):
        return True

    __hash__ = None


class Length(float):
    """A number with a name."""


def leaves(E, x):
    raise GeneratorExit


def slices_of_itself(E, x):
    return slices_of_itself(E, x)


class Holder:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return self.value


def sweep(A, b, x):
    x = x.copy()
    for i in range(4):
        x[i] += (b[i] - A[i] @ x) / A[i, i]
    return x


def sweep_in_place(A, b, x):
    x[:] = sweep(A, b, x)
    return x


def cross(q):
    (s1, s2), (c1, c2) = np.sin(q), np.cos(q)
    return np.array([[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])


@functools.cache
def cross_by_sympy():
    a, b = sympy.symbols("a b")
    return sympy.lambdify((a, b), sympy.rot_ccw_axis1(a) * sympy.rot_ccw_axis2(b), "numpy")


def ball(q):
    big = np.zeros((6, 6))
    big[:3, :3], big[:3, 3:] = -bracket(q), np.eye(3)
    return scipy.linalg.expm(big)[:3, 3:]


def ball_without_series(q, below):
    """Return a form that is right on paper; in floating point the cosine of an angle of 1e-8 is 1."""
    angle, Q = np.linalg.norm(q), bracket(q)
    if angle <= below:
        return np.eye(3) - Q / 2
    return np.eye(3) - (1 - np.cos(angle)) / angle**2 * Q + (angle - np.sin(angle)) / angle**3 * Q @ Q


def columns(assembly, q):
    """Return the columns of all motion subspaces, from the frame of each joint's body."""
    found = []
    parts = np.split(q, np.cumsum([{"spherical": 3, "universal": 2}.get(kind, 1) for kind in assembly.kinds]))
    for kind, F, E, p in zip(assembly.kinds, assembly.joints, assembly.bodies, parts, strict=False):
        S = np.zeros((6, p.size))
        if kind == "spherical":
            S[:3] = ball(p)
        elif kind == "universal":
            S[0, 0], S[2, 0], S[1, 1] = np.cos(p[1]), np.sin(p[1]), 1
        else:
            S[2 if kind == "revolute" else 5] = 1
        X = np.linalg.inv(E) @ F
        R = X[:3, :3]
        found.append(np.vstack([R @ S[:3], R @ S[3:] + bracket(X[:3, 3]) @ R @ S[:3]]))
    return np.hstack(found)


def changes_the_tree(assembly, q):
    result = columns(assembly, q)
    assembly.masses[0] *= 2
    return result


RIGHT = [
    (SWEEP, lambda A, b, x: np.linalg.solve(np.tril(A), b - np.einsum("ij,j", np.triu(A, 1), x))),
    (LOG, lambda w: bracket(Rotation.from_quat(-Rotation.from_rotvec(w).as_quat()).as_rotvec())),
    (BRACKET, lie_in_fractions),
    (BRACKET, lambda a, b: np.append(np.einsum("ijk,j,k", EPSILON, a[:3], b[:3]), lie_bracket(a, b)[3:])),
    (POINT, lambda E, x: (np.asfortranarray(E) @ np.append(x, 1))[:3].view(EqualToAll)),
    (POINT, lambda E, x: [Length(sum(map(float.__mul__, row[:3], x)) + row[3]) for row in E[:3].tolist()]),
    (POINT, lambda E, x: np.asarray(np.matrix(E) * np.matrix(np.append(x, 1)).T)[:3].ravel()),
    (POINT, functools.partial(point)),
    (
        POINT,
        lambda *values, scale=1.0: scale * np.linalg.multi_dot([values[0][:3], np.append(values[1], 1.0)]),
    ),
    (
        BRACKET,
        lambda a, b: np.block([[bracket(a[:3]), np.zeros((3, 3))], [bracket(a[3:]), bracket(a[:3])]]) @ b,
    ),
    (POINT, lambda E, x: Holder(np.outer(point(E, x), np.ones(5))[:, 2])),
    (CROSS, lambda q: cross_by_sympy()(*q)),
    (CROSS, lambda q: Rotation.from_euler("XYZ", [*q, 0]).as_matrix().T.copy().T),
    (BALL, lambda q: ball_without_series(q, 1e-6)),
    (BALL, lambda q: ball_without_series(q, 0.0)),
    (BALL, lambda q: np.column_stack([ball(q) @ e for e in np.eye(3)])),
    (
        JOINT_SPRING,
        lambda q, k: np.array([-a * b for a, b in zip(q, k, strict=True)], dtype=object).astype(float),
    ),
    (SPLINE, lambda C, q: [np.polyval((c @ BASIS)[::-1], q) for c in C]),
    (BOUND, lambda mu, normal, w: np.array(math.fsum([mu * normal / 2] * 2))),
    (COLUMNS, columns),
]
WRONG = [
    (RATE, "wrong", lambda u, theta, omega: rate(u, theta % (2 * np.pi), omega)),
    (RATE, "wrong", lambda u, theta, omega: rate(u, theta, omega) * (1 - 2 * (abs(u[2]) > 1 - 1e-9))),
    (SWEEP, "wrong", lambda A, b, x: sweep(A, b, x) if np.any(b) else x),
    (SWEEP, "mutated", sweep_in_place),
    (LOG, "wrong", lambda w: bracket(np.float16(w).astype(float) if np.linalg.norm(w) < 1e-2 else w)),
    (LOG, "exception", lambda w: bracket(w) if np.any(w) else 1 / 0),
    (BRACKET, "wrong", lambda a, b: lie_bracket(b, a) if np.all(a[:3] < 0) else lie_bracket(a, b)),
    (BRACKET, "dtype", lambda a, b: np.array([*map(Fraction, lie_bracket(a, b))])),
    (BRACKET, "dtype", lambda a, b: np.ma.masked_greater(lie_bracket(a, b), 0.5)),
    (BRACKET, "shape", lambda a, b: np.matrix(lie_bracket(a, b))),
    (BRACKET, "stateful", into_one_array),
    (BRACKET, "stateful or random or wrong", remembered_by_identity),
    (BRACKET, "layout", from_memory),
    (BRACKET, "mutated", shifted_and_back),
    (POINT, "stateful", right_at_first),
    (POINT, "exception", leaves),
    (POINT, "exception", slices_of_itself),
    (POINT, "exception", lambda *, E, x: point(E, x)),
    (POINT, "wrong", lambda E, x: point(E, x) > 0),
    (POINT, "wrong", lambda E, x: point(E, x).astype(np.uint8)),
    (POINT, "wrong", lambda E, x: np.round(point(E, x), 8)),
    (POINT, "nonfinite", lambda E, x: point(E, x) / (np.linalg.norm(x) > 0)),
    (POINT, "dtype", lambda E, x: (entry for entry in point(E, x))),
    (POINT, "dtype", lambda E, x: dict(enumerate(point(E, x)))),
    (POINT, "dtype", lambda E, x: [str(entry) for entry in point(E, x)]),
    (POINT, "dtype", lambda E, x: Rotation.from_rotvec(point(E, x))),
    (POINT, "shape", lambda E, x: E @ np.append(x, 1)),
    (
        POINT,
        "wrong",
        lambda E, x: (point(E, x) - (E[:3, 3] if not np.any(E[:3, 3] > 1e-6) else 0)).view(EqualToAll),
    ),
    (CROSS, "wrong", lambda q: cross(np.where(abs(abs(q) - np.pi / 2) < 1e-4, np.pi / 2, q))),
    (CROSS, "wrong", lambda q: cross(np.clip(q, -np.pi, np.pi))),
    (BALL, "wrong", lambda q: ball_without_series(q, 0.0) * (1 + 1e-6 * (np.linalg.norm(q) < 1e-2))),
    (BALL, "wrong", lambda q: ball(q) + (1e-6 if abs(np.linalg.norm(q) - np.pi) < 1e-3 else 0)),
    (JOINT_SPRING, "wrong", lambda q, k: -k * ((q + np.pi) % (2 * np.pi) - np.pi)),
    (SPLINE, "wrong", lambda C, q: C @ BASIS @ (q % 1) ** np.arange(4)),
    (BOUND, "shape", lambda mu, normal, w: [mu * normal]),
    (COLUMNS, "wrong", lambda assembly, q: columns(assembly, np.clip(q, -6, 6))),
    (COLUMNS, "wrong", lambda assembly, q: columns(assembly, np.where(abs(abs(q) - np.pi / 2) < 1e-4, 0, q))),
    (COLUMNS, "mutated", changes_the_tree),
]


@functools.cache
def cases_of(id, examples=200):
    return cases(ledger.find(id), examples=examples)


def statuses(id, function, examples=200):
    """Return the statuses of all cases, without shrinking."""
    drawn_cases = cases_of(id, examples)
    values = collect_answers(function, [case.inputs for case in drawn_cases])
    judged = (assess(ledger.find(id), case, found) for case, found in zip(drawn_cases, values, strict=True))
    return {assessment.status for assessment in judged} - {"passed"}


@pytest.mark.slow
@pytest.mark.parametrize(("id", "function"), RIGHT)
def test_right_code_in_unusual_style_passes(id, function):
    assert statuses(id, function) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("id", "status", "function"), WRONG)
def test_code_wrong_in_one_region_fails(id, status, function):
    assert statuses(id, function) & set(status.split(" or "))


@pytest.mark.slow
def test_rounding_of_large_results_is_no_fault_of_the_layout():
    """Strided arrays change the order of sums: 2e9 J differ by 1e-6 J."""
    id = "sueda/s1.7/t320#b"
    verdict = challenge(id, ledger.find(id).library, seed=1993, examples=96)
    assert verdict.passed, verdict


def to_single_precision(value):
    """Return the value rounded to single precision."""
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return np.asarray(value, dtype=np.float32).astype(float)[()]
    return type(value)(map(to_single_precision, value)) if type(value) in (tuple, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("rounded", ["arguments", "result"])
@pytest.mark.parametrize("id", ["sueda/s1.3/m1#a", "sueda/s2.3/t846#a", "sueda/s1.3/e1.11", "si/s5/t218"])
def test_single_precision_fails_despite_loose_tolerance(id, rounded):
    right = right_forms(ledger.find(id))[0]
    assert statuses(id, right, 32) == set()
    if rounded == "result":
        assert statuses(
            id, lambda *values: to_single_precision(evaluate(right, dict(enumerate(values)))), 32
        ) == {"dtype"}
    elif ledger.find(id).inputs:
        assert statuses(id, lambda *values: right(*map(to_single_precision, values)), 32) == {"dtype"}


def test_right_variants_pass_with_loose_tolerance():
    """Return the exact rate; the claim is about a difference of poses, whose last digits differ."""
    id = "sueda/s1.3/e1.11"

    def exact(E, phi):
        moving = np.zeros((4, 4))
        moving[:3, :3], moving[:3, 3] = bracket(phi[:3]), phi[3:]
        return E @ moving

    assert statuses(id, exact, 64) == set()
    assert statuses(id, lambda E, phi: exact(np.float32(E), np.float32(phi)).astype(float), 64) == {"dtype"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("sueda/s2.5/e2.77", "h"),
        ("sueda/s1.12/e1.82#a", "gamma"),
        ("lloyd/s0.22/e0.37", "k_t"),
        ("sueda/s1.6/e1.21", "m"),
    ],
)
def test_clipped_positive_numbers_fail(id, name):
    """Right for all numbers of ordinary size, and for no larger ones."""
    record = ledger.find(id)
    index = list(record.inputs).index(name)
    ceiling = max(case.inputs[name] for case in cases_of(id, 96) if case.region == "generic")

    def clipped(*values):
        return record.library(*values[:index], min(values[index], ceiling), *values[index + 1 :])

    assert statuses(id, record.library, 96) == set()
    assert statuses(id, clipped, 96) == {"wrong"}


@pytest.mark.parametrize(("share", "is_tie"), [(-0.5, True), (-0.484375, False), (-0.515625, False)])
def test_generic_inputs_at_ties_are_left_out(share, is_tie):
    """At a share of -1/2 the right forms decide by rounding if the contact releases."""
    claim = ledger.find("lloyd/s0.11/t479#b")
    inputs = {"depth": 0.578125, "speed": 0.984375, "share": share, "h": 0.0625}
    case = make_case(claim, "generic", inputs)
    assert (case is None) is is_tie
    if case is not None:
        assert all(assess(claim, case, each) for form in right_forms(claim) for each in answers(form, case))


def answers(form, case):
    return collect_answers(form, [case.inputs])


def test_claim_with_restricted_condition_has_cases():
    assert {case.region for case in cases_of("sueda/s2.3/e2.18#a", 16)} >= {"generic", "tiny", "near pi"}


@pytest.mark.slow
@pytest.mark.parametrize("id", [COLUMNS, "si/sA/e41"])
def test_mechanism_cases_include_fast_motion(id):
    """Inputs that are large in all numbers are excluded, because no result is accurate enough."""
    large = [case.inputs for case in cases_of(id) if case.region == "large"]
    for name in {"q", "qdot"} & large[0].keys():
        assert max(np.abs(inputs[name]).max() for inputs in large) > 10, name


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_forms_that_lose_half_of_their_digits_near_zero_pass(seed):
    claim = ledger.find("sueda/s2.4.8/e2.46")
    assert challenge(claim.id, claim.printed, seed=seed)


def test_series_that_is_cut_near_zero_fails():
    claim = ledger.find("sueda/s2.4.8/e2.46")

    def truncated(q):
        result = np.array(claim.printed(q))
        return result if q @ q > 1e-6 else np.round(result, 6)

    assert not challenge(claim.id, truncated)
