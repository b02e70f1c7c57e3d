"""Sloppy records: tables filled beforehand, comparisons that blur, one geometry, slips that are none."""

import functools
import itertools
from operator import itemgetter

import numba
import numpy as np
import pytest
from honest import ERRATUM, INPUTS, bracket, make, refused, turned_printed, turned_reference
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import Verdict
from rbnotes.ledger.checks import mutation
from rbnotes.ledger.checks.honesty import side_effects
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.checks.mutation import cpu_time_limit, surviving_mutants
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some

# --- oracles --------------------------------------------------------------------------------------------


def by_default(R, a, form=turned_printed):
    return 1.0 * form(R, a)


FORMS = {"turned": lambda R, a: turned_printed(R, a)}


def from_a_dictionary(R, a):
    return 1.0 * FORMS["turned"](R, a)


def by_map(R, a):
    return R @ next(map(bracket, [a])) @ np.linalg.inv(R)


compiled = numba.njit(bracket)


@numba.njit
def spelled(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def compiled_printed(R, a):
    return R @ spelled(a) @ R.T


def by_compiled(R, a):
    return R @ (1.0 * compiled(a)) @ np.linalg.inv(R)


def by_the_same_compiled(R, a):
    return R @ (1.0 * spelled(a)) @ np.linalg.inv(R)


GROWN = []
for axis in np.eye(3):
    GROWN.append(so3.hat(axis))

UPDATED = {}
UPDATED.update(enumerate(map(bracket, np.eye(3))))

FILLED = np.empty((3, 3, 3))
FILLED[:] = [so3.hat(axis) for axis in np.eye(3)]


class Kept:
    rows = np.stack([so3.hat(axis) for axis in np.eye(3)])


def by_what_has_grown(R, a):
    return R @ np.tensordot(a, np.stack(GROWN), 1) @ np.linalg.inv(R)


def by_what_was_updated(R, a):
    return R @ sum(a[k] * UPDATED[k] for k in range(3)) @ np.linalg.inv(R)


def by_what_was_filled(R, a):
    return R @ np.tensordot(a, FILLED, 1) @ np.linalg.inv(R)


def by_what_is_kept(R, a):
    return R @ np.tensordot(a, Kept.rows, 1) @ np.linalg.inv(R)


OTHER = make(**ERRATUM, id="lloyd/s0.1/d2")


def as_wrong_as_another(R, a):
    return 1.0 * OTHER.printed(R, a)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("honest.turned_printed, which is not a primitive", {"reference": by_default}),
        ("honest.turned_printed, which is not a primitive", {"reference": from_a_dictionary}),
        ("honest.bracket, which is not a primitive", {"reference": by_map}),
        ("honest.bracket, which is not a primitive", {"reference": by_compiled}),
        ("spelled, which is no", {"reference": by_the_same_compiled, "printed": compiled_printed}),
        ("GROWN of the reference was made by rbnotes.so3.hat", {"reference": by_what_has_grown}),
        ("UPDATED of the reference was made by bracket", {"reference": by_what_was_updated}),
        ("FILLED of the reference was made by rbnotes.so3.hat", {"reference": by_what_was_filled}),
        ("Kept of the reference was made by rbnotes.so3.hat", {"reference": by_what_is_kept}),
        ("the printed form of lloyd/s0.1/d2, which is wrong", {"reference": as_wrong_as_another}),
    ],
)
def test_oracle_that_uses_the_form_under_test(kind, changes):
    assert refused(kind, **changes)


def reduced(R, a):
    return functools.reduce(lambda left, right: left @ right, [R, bracket(a), R.T])


def reduced_backwards(R, a):
    return functools.reduce(lambda before, factor: factor @ before, [R.T, bracket(a), R])


def reduced_in_the_wrong_order(R, a):
    return functools.reduce(lambda before, factor: factor @ before, [R, bracket(a), R.T])


def test_reductions_are_read_as_products():
    assert normal_form(reduced) == normal_form(reduced_backwards) == normal_form(turned_printed)
    assert normal_form(reduced_in_the_wrong_order) != normal_form(turned_printed)


# --- comparisons ----------------------------------------------------------------------------------------


def turn(R, a):
    return Rotation.from_matrix(R).apply(a)


def sorted_printed(R, a):
    return np.sort((R @ a)[[2, 0, 1]])


def sorted_library(R, a):
    return np.sort(so3.vee(so3.hat(R @ a)))


def sorted_reference(R, a):
    return np.sort(turn(R, a))


def positive_printed(R, a):
    return np.abs(-(R @ a))


def positive_library(R, a):
    return np.abs(so3.vee(so3.hat(R @ a)))


def positive_reference(R, a):
    result = turn(R, a)
    return np.abs(result)


def long_printed(R, a):
    return np.linalg.norm(R.T @ a)


def long_library(R, a):
    return np.sqrt(so3.vee(so3.hat(R @ a)) @ (R @ a))


def long_reference(R, a):
    return np.linalg.norm(turn(R, a))


def traced_printed(R, a):
    return np.trace(R.T @ np.outer(a, a))


def traced_library(R, a):
    return a @ so3.vee(so3.hat(R @ a))


def traced_reference(R, a):
    return np.trace(np.outer(turn(R, a), a))


def diagonal_printed(R, a):
    return np.diag(np.outer(a, R @ a))


def diagonal_library(R, a):
    return so3.vee(so3.hat(R @ a)) * a


def diagonal_reference(R, a):
    return np.diag(np.outer(turn(R, a), a))


def det_printed(R, a):
    return np.linalg.det(np.eye(3) + R @ bracket(a))


def det_library(R, a):
    return np.linalg.det(np.eye(3) + so3.hat(R @ a) @ R)


def det_reference(R, a):
    return np.linalg.det(np.eye(3) + turned_reference(R, a) @ R)


def root_printed(R, a):
    M = R @ bracket(a)
    return np.sqrt(np.einsum("ij,ij->", M, M))


def root_library(R, a):
    return np.sqrt(2 * so3.vee(so3.hat(a)) @ a)


def root_reference(R, a):
    M = turned_reference(R, a)
    return np.sqrt(np.einsum("ij,ij->", M, M))


def singular_printed(R, a):
    return np.linalg.svd(R @ bracket(a), compute_uv=False)


def singular_library(R, a):
    return np.linalg.svd(so3.hat(R @ a), compute_uv=False)


def singular_reference(R, a):
    return np.linalg.svd(turned_reference(R, a), compute_uv=False)


def hypot_printed(R, a):
    x, y, z = R.T @ a
    return np.hypot(np.hypot(x, y), z)


def hypot_library(R, a):
    x, y, z = so3.vee(so3.hat(R @ a))
    return np.hypot(np.hypot(x, y), z)


def hypot_reference(R, a):
    x, y, z = turn(R, a)
    return np.hypot(np.hypot(x, y), z)


def spread_printed(R, a):
    return np.ptp(-(R @ bracket(a) @ R.T))


def spread_library(R, a):
    return np.ptp(so3.hat(R @ a))


def spread_reference(R, a):
    return np.ptp(turned_reference(R, a))


def characteristic_printed(R, a):
    return np.poly(R.T @ bracket(a) @ R)


def characteristic_library(R, a):
    return np.poly(so3.hat(R @ a))


def characteristic_reference(R, a):
    return np.poly(turned_reference(R, a))


def sized_reference(R, a):
    x = turn(R, a)
    return np.sqrt(x @ x)


def scaled_sizes_printed(R, a):
    return 1.5 * np.abs(-(R @ a))


def scaled_sizes_library(R, a):
    return 1.5 * np.abs(so3.vee(so3.hat(R @ a)))


def scaled_sizes_reference(R, a):
    x = turn(R, a)
    return np.abs(x) * 1.5


def squared_printed(R, a):
    return (-(R @ a)) ** 2


def squared_library(R, a):
    return so3.vee(so3.hat(R @ a)) ** 2


def squared_reference(R, a):
    return np.power(turn(R, a), 2)


def gram_printed(R, a):
    M = R @ bracket(a)
    return M @ M.T


def gram_library(R, a):
    return R @ (so3.hat(a) @ so3.hat(a).T) @ R.T


def gram_reference(R, a):
    M = turned_reference(R, a) @ R
    return M @ M.T


def scaled_printed(R, a):
    return np.append(R @ a, 1e-10 * a[0] * a[1])


def scaled_library(R, a):
    return np.append(so3.vee(so3.hat(R @ a)), 1e-10 * (a[0] + a[1]))


def scaled_reference(R, a):
    return np.append(turn(R, a), 1e-10 * (a[0] + a[1]))


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        ("compared through sort", (sorted_printed, sorted_library, sorted_reference)),
        ("compared through abs", (positive_printed, positive_library, positive_reference)),
        ("compared through norm", (long_printed, long_library, long_reference)),
        ("compared through trace", (traced_printed, traced_library, traced_reference)),
        ("compared through diag", (diagonal_printed, diagonal_library, diagonal_reference)),
        ("compared through det", (det_printed, det_library, det_reference)),
        ("compared through a product with itself", (root_printed, root_library, root_reference)),
        ("compared through svd", (singular_printed, singular_library, singular_reference)),
        ("compared through hypot", (hypot_printed, hypot_library, hypot_reference)),
        ("compared through ptp", (spread_printed, spread_library, spread_reference)),
        (
            "compared through poly",
            (characteristic_printed, characteristic_library, characteristic_reference),
        ),
        ("compared through norm and a product with itself", (long_printed, long_library, sized_reference)),
        ("compared through abs", (scaled_sizes_printed, scaled_sizes_library, scaled_sizes_reference)),
        ("compared through a product with itself", (squared_printed, squared_library, squared_reference)),
        ("compared through a product with itself", (gram_printed, gram_library, gram_reference)),
        ("an entry of the results", (scaled_printed, scaled_library, scaled_reference)),
    ],
)
def test_comparisons_that_blur(kind, forms):
    names = ("printed", "library", "reference")
    title = "a turned vector"
    changes = dict(zip(names, forms, strict=True))
    assert refused(kind, **changes, title=title, formula=r"\mathbf R\mathbf a")


def test_norms_in_the_formula_are_accepted():
    forms = {"printed": long_printed, "library": long_library, "reference": long_reference}
    outcome = verify(make(**forms, formula=r"\|\mathbf R\mathbf a\| = \|\mathbf a\|"))
    assert outcome.confirmed, outcome.reason


# --- inputs ---------------------------------------------------------------------------------------------


@st.composite
def with_a_zero(draw):
    a, place = draw(some.nonzero_vectors()), draw(st.integers(0, 2))
    return np.where(np.arange(3) == place, 0.0, a)


@st.composite
def at_right_angles(draw):
    a, b = draw(some.nonzero_vectors()), draw(some.vectors())
    return a, b - (a @ b) / (a @ a) * a


TWO = st.shared(at_right_angles(), key="at right angles")
SPECIAL = {"a": TWO.map(itemgetter(0)), "b": TWO.map(itemgetter(1))}


def twice_printed(a, b):
    return -(a @ a) * b


def twice_library(a, b):
    return so3.hat(a) @ so3.hat(a) @ b


def twice_reference(a, b):
    return np.cross(a, np.cross(a, b))


def test_inputs_of_one_geometry():
    twice = {"printed": twice_printed, "library": twice_library, "reference": twice_reference}
    assert refused("b always at right angles to a", **twice, inputs=SPECIAL)
    assert verify(make(**twice, inputs=SPECIAL, special={"b": "the section is about right angles"})).confirmed


AXIS = st.shared(some.nonzero_vectors(), key="axis of all turns")
MULTIPLE = st.builds(np.multiply, some.numbers(0.25, 2.0), AXIS)


def exponential_of_sum(p, q):
    angle = np.linalg.norm(p + q)
    W = bracket(p + q)
    return np.eye(3) + np.sin(angle) / angle * W + (1 - np.cos(angle)) / angle**2 * W @ W


def product_of_exponentials(p, q):
    return so3.exp(p) @ so3.exp(q)


def product_of_turns(p, q):
    return (Rotation.from_rotvec(p) * Rotation.from_rotvec(q)).as_matrix()


COAXIAL = {
    "printed": exponential_of_sum,
    "library": product_of_exponentials,
    "reference": product_of_turns,
    "implements": (so3.exp,),
}


def doubled_moment(w, v):
    return np.append(2 * np.cross(w, v), w + v)


def moment_library(w, v):
    return np.append(so3.hat(w) @ v, w + v)


def moment_reference(w, v):
    return [*(np.linalg.det([axis, w, v]) for axis in np.eye(3)), *(v + 1.0 * w)]


PARALLEL = {"printed": doubled_moment, "library": moment_library, "reference": moment_reference}


@st.composite
def inertia_and_axis(draw):
    Q, moments = draw(some.rotations()), draw(some.vectors(3, 0.5, 2.0))
    return Q @ np.diag(moments) @ Q.T, draw(some.numbers(0.5, 2.0)) * Q[:, draw(st.integers(0, 2))]


PAIR = st.shared(inertia_and_axis(), key="inertia and axis")


def doubled_gyroscopic_moment(J, w):
    return J @ w - 2 * np.cross(w, J @ w)


def gyroscopic_library(J, w):
    return J @ w - so3.hat(w) @ J @ w


def gyroscopic_reference(J, w):
    momentum = J @ w
    return [momentum[i] - np.linalg.det([axis, w, momentum]) for i, axis in enumerate(np.eye(3))]


PRINCIPAL = {
    "printed": doubled_gyroscopic_moment,
    "library": gyroscopic_library,
    "reference": gyroscopic_reference,
}


@pytest.mark.parametrize(
    ("forms", "inputs"),
    [
        (COAXIAL, {"p": AXIS, "q": MULTIPLE}),
        (PARALLEL, {"w": AXIS, "v": MULTIPLE}),
        (PRINCIPAL, {"J": PAIR.map(itemgetter(0)), "w": PAIR.map(itemgetter(1))}),
    ],
)
def test_inputs_that_share_structure(forms, inputs):
    assert refused("is drawn independently of the others", **forms, inputs=inputs)


def are_parallel(w, v):
    return np.linalg.norm(np.cross(w, v)) < 1e-9


def test_structure_that_a_condition_demands():
    given = {"w": AXIS, "v": MULTIPLE}
    record = make(
        **PARALLEL,
        verdict=Verdict.CONDITIONAL,
        condition="$v$ is parallel to $w$",
        holds_when=are_parallel,
        inputs={"w": some.vectors(), "v": some.vectors()},
        condition_inputs=given,
    )
    assert "independently" not in verify(record, shrink=False).reason


def test_inputs_with_a_zero_here_or_there():
    assert refused("always has a zero", inputs={**INPUTS, "a": with_a_zero()})


# --- slips ----------------------------------------------------------------------------------------------


def noisy(R, a):
    return R @ bracket(a) @ R.T + 0.02 * np.sin(1e4 * a[0])


def rounded(R, a):
    return np.round(R @ bracket(a) @ R.T, 1)


def in_single_precision(R, a):
    return (R @ bracket(a) @ R.T).astype(np.float32)


def in_half_precision(R, a):
    return (R @ bracket(a) @ R.T).astype(np.float16)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("printed", "kind"),
    [
        (noisy, "is noise under small changes of a"),
        (rounded, "is rounded"),
        (in_half_precision, "is rounded"),
        (in_single_precision, "never wrong enough"),
    ],
)
def test_an_erratum_that_is_the_right_form_and_a_little_more(printed, kind):
    assert refused(kind, **{**ERRATUM, "printed": printed})


@pytest.mark.parametrize("verdict", [Verdict.MISPRINT, Verdict.ERRATUM])
def test_a_correction_equal_to_the_print_is_reported(verdict):
    again = r"\left[\mathbf{R}\,\mathbf{a}\right] = \mathbf{R} [\mathbf a]\, \mathbf R^{T}"
    assert refused("is the print", **{**ERRATUM, "verdict": verdict}, replacement=again)


def shown():
    return [0.7071, -0.7071]


def shown_library():
    return so3.exp([0, 0, np.pi / 4])[0, :2]


def shown_by_heart():
    return np.array([0.70710678118655, -0.70710678118655])


def test_a_demonstration_without_computation_is_refused():
    demonstration = {
        "id": "lloyd/s0.1/table1",
        "verdict": Verdict.DEMONSTRATION,
        "inputs": {},
        "printed": shown,
        "library": shown_library,
        "implements": (so3.exp,),
        "tolerance": 5e-3,
    }
    assert refused("computes nothing", **demonstration, reference=shown_by_heart)


PRINTED_TABLE = np.array([[0.0, 1.0], [1.0, 2.718], [2.0, 7.389], [3.0, 20.086]])


def table_printed():
    return PRINTED_TABLE[:, 1]


def table_library():
    return [so3.log(so3.exp([0, 0, 1e-3 * value]))[2] * 1e3 for value in np.exp(PRINTED_TABLE[:, 0])]


def through_an_inverse():
    return np.log(np.exp([1.0, 2.718, 7.389, 20.086]))


def through_a_fit():
    return np.polyval(np.polyfit(*PRINTED_TABLE.T, 3), PRINTED_TABLE[:, 0])


def with_a_digit_more():
    return np.sqrt(np.square([1.0, 2.7183, 7.3891, 20.0855]))


PRINTED_TEXT = "1.000 2.718 7.389 20.086"


def from_a_text():
    return np.array(list(map(float, PRINTED_TEXT.split())))


def from_thousandths():
    return np.array([1000, 2718, 7389, 20086]) / 1000


def from_differences():
    return np.cumsum([1.0, 1.718, 4.671, 12.697])


def from_halves():
    return 2 * np.array([0.5, 1.359, 3.6945, 10.043])


def from_logarithms():
    return np.exp([0.0, 0.99990, 2.00000, 3.00002])


def from_hexadecimal_digits():
    digits = ("0x1p0", "0x1.5be76c8b43958p1", "0x1.d8e5604189375p2", "0x1.41604189374bcp4")
    return np.array([float.fromhex(each) for each in digits])


REFERENCES_WITH_DIGITS = (
    through_an_inverse,
    through_a_fit,
    with_a_digit_more,
    from_a_text,
    from_thousandths,
    from_differences,
    from_halves,
    from_logarithms,
    from_hexadecimal_digits,
)


@pytest.mark.parametrize("reference", REFERENCES_WITH_DIGITS)
def test_a_demonstration_whose_reference_holds_the_printed_digits(reference):
    demonstration = {
        "id": "lloyd/s0.1/table1",
        "verdict": Verdict.DEMONSTRATION,
        "inputs": {},
        "printed": table_printed,
        "library": table_library,
        "implements": (so3.exp, so3.log),
        "tolerance": 1e-3,
    }
    assert refused("the reference contains", **demonstration, reference=reference)


# --- what runs on, or fails later -----------------------------------------------------------------------


def test_a_loop_without_calls_is_ended():
    with pytest.raises(TimeoutError), cpu_time_limit(0.05):
        for _ in itertools.repeat(0):
            pass


def in_rounds(R, a):
    share, rounds = 1e-12 + 0 * a[0], 0
    for _ in range(int(3e12 * share)):
        rounds = 1
    return turned_printed(R, a) + 1e-12 * rounds


def test_mutants_without_calls_are_ended(monkeypatch):
    monkeypatch.setattr(mutation, "MAX_CPU_SECONDS", 0.02)
    assert not any("dropped factor `share`" in line for line in surviving_mutants(make(printed=in_rounds)))


calls = itertools.count()


def fails_later(R, a):
    if next(calls) >= 3:
        raise KeyError("no more")
    return turned_printed(R, a)


def test_a_form_that_fails_in_a_second_call_is_reported():
    record = make(printed=fails_later)
    draws = [{"R": np.eye(3), "a": np.array([1.0, 2.0, x])} for x in (3.0, 4.0, 5.0)]
    before = {
        name: [np.asarray(form(**values)) for values in draws]
        for name, form in (("printed", fails_later), ("reference", turned_reference))
    }
    before["library"] = [np.asarray(record.library(**values)) for values in draws]
    findings = side_effects.state_findings(record, draws, before)
    assert any("printed form fails when called again" in line for line in findings)
