"""Dishonest records, planted: each kind is refused, beside an honest twin that passes."""

import functools
import random

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.checking import derivative
from rbnotes.checking import strategies as some
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.mutation import survivors
from rbnotes.ledger.runner import verify

# --- an honest claim: [R a] = R [a] R^T -----------------------------------------------------------------


def bracket(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def turned_printed(R, a):
    return R @ bracket(a) @ R.T


def turned_library(R, a):
    return so3.hat(R @ a)


def turned_reference(R, a):
    return np.stack([R @ np.cross(a, R.T @ axis) for axis in np.eye(3)], axis=1)


INPUTS = {"R": some.rotations(), "a": some.vectors()}
WHY = "for the sake of this test"


def make(**changes):
    record = {
        "id": "lloyd/s0.1/d1",
        "title": "the bracket of a turned vector",
        "formula": r"[\mathbf R\mathbf a] = \mathbf R[\mathbf a]\mathbf R^T",
        "verdict": Verdict.HOLDS,
        "chapter": "preface",
        "implemented_by": ("rbnotes.so3.hat",),
        "oracle": "cross products of the axes",
        "inputs": INPUTS,
        "printed": turned_printed,
        "library": turned_library,
        "reference": turned_reference,
    }
    return Record(**{**record, **changes})


def refused(kind, **changes):
    """Whether verify refuses the record, and for this reason among others."""
    outcome = verify(make(**changes))
    assert not outcome.confirmed
    assert kind in outcome.reason, outcome.reason
    return True


def test_the_honest_claim_passes():
    outcome = verify(make())
    assert outcome.confirmed, outcome.reason
    assert survivors(make()) == []


# --- 1: the oracle --------------------------------------------------------------------------------------

aliased = so3.hat
partial_hat = functools.partial(so3.hat)


@functools.cache
def remembered(x, y, z):
    return so3.hat(np.array([x, y, z]))


def wrapped(*values):
    return turned_printed(*values)


def shared_helper(R, a):
    return R @ a


def reaches_the_function(R, a):
    return aliased(R @ a)


def reaches_through_partial(R, a):
    return partial_hat(R @ a)


def reaches_through_a_public_function(R, a):
    return se3.hat(np.append(R @ a, np.zeros(3)))[:3, :3]


def reaches_through_the_core(R, a):
    return so3._hat(np.asarray(R @ a))


def reaches_through_a_cache(R, a):
    return remembered(*(R @ a))


def reaches_the_print(R, a):
    return wrapped(R, a)


def reaches_the_library_form(R, a):
    return 0.5 * turned_library(R, a) - 0.5 * turned_library(R, a).T


def reaches_a_helper(R, a):
    return R @ (1.0 * bracket(a)) @ np.linalg.inv(R)


def written_again(Q, v):
    matrix = bracket(v)
    transposed = np.transpose(Q)
    return np.dot(np.dot(Q, matrix), transposed)


@pytest.mark.parametrize(
    "reference",
    [
        reaches_the_function,
        reaches_through_partial,
        reaches_through_a_public_function,
        reaches_through_the_core,
        reaches_through_a_cache,
        reaches_the_print,
        reaches_the_library_form,
        reaches_a_helper,
        turned_printed,
        written_again,
    ],
)
def test_oracle_that_is_not_independent(reference):
    assert refused("oracle:", reference=reference)


def wrong_printed(R, a):
    return R @ bracket(a) @ R


def wrong_again(R, a):
    return np.matmul(np.matmul(R, bracket(a)), R)


def wrong_library(R, a):
    return so3.hat(a) @ (0 * R) + wrong_printed(R, a)


@pytest.mark.parametrize("library", [None, wrong_library])
def test_oracle_that_rebuilds_the_wrong_formula(library):
    assert refused("oracle:", printed=wrong_printed, reference=wrong_again, library=library)


def test_agreement_to_the_last_bit_needs_a_reason():
    def entry_by_entry(R, a):
        x = R @ a
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    assert refused("last bit", reference=entry_by_entry)
    assert verify(make(reference=entry_by_entry, exact="both place three entries")).confirmed


def turning_printed(E, xi):
    w, v = xi[:3], xi[3:]
    rate = np.zeros((4, 4))
    rate[:3, :3], rate[:3, 3] = E[:3, :3] @ bracket(w), E[:3, :3] @ v
    return rate


def turning_library(E, xi):
    return E @ se3.hat(xi)


def turning_reference(E, xi):
    return derivative(lambda t: E @ se3.exp(t * xi)).value


TURNING = {
    "printed": turning_printed,
    "library": turning_library,
    "reference": turning_reference,
    "inputs": {"E": some.frames(), "xi": some.twists()},
    "tolerance": 1e-8,
    "implemented_by": ("rbnotes.se3.hat",),
}


def test_primitives_are_named():
    names = ("rbnotes.se3.exp", "rbnotes.checking.derivative")
    used = {**TURNING, "library": exponential_library, "implemented_by": ("rbnotes.se3.right_jacobian",)}
    assert refused("rbnotes.se3.exp, which is no primitive", **used)
    outcome = verify(make(**used, primitives=names[:1]))
    assert outcome.confirmed, outcome.reason
    assert refused("never entered", **used, primitives=(*names[:1], "rbnotes.so3.log"))
    assert refused("under test", **{**used, "implemented_by": names[:1]}, primitives=names[:1])


def exponential_library(E, xi):
    half = E @ se3.exp(-0.25 * xi)
    return half @ se3.exp(0.25 * xi) @ np.block([
        [bracket(se3.right_jacobian(0 * xi)[:3, :3] @ xi[:3]), xi[3:, None]], [np.zeros((1, 4))]
    ])  # fmt: skip


# --- 2: mutants -----------------------------------------------------------------------------------------


def outer_half(a, b):
    return np.outer(a, b) - np.outer(b, a)


def doubled_bracket_library(a, b):
    return -so3.hat(np.cross(a, b))


def outer_reference(a, b):
    return np.stack([a * y - b * x for x, y in zip(a, b, strict=True)], axis=1)


def zero_sum(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def block_printed(a, b):
    zero_block = zero_sum(a, b)
    return np.array([[zero_block, a[0] - b[0]], [a[1] / (4 + b[1]), 2.0 if a[2] < b[2] else 1.0]])


def block_that_ignores_the_last(a, b):
    last = 2.0 if a[2] < b[2] else 3.0 - 1.0 * bool(a[2] < 99)
    return np.array([[a @ b, a[0] - b[0]], [a[1] / (4 + b[1]), last]])


def block_library(a, b):
    return block_reference(a, b) + 0 * so3.hat(a)[:2, :2]


def block_reference(a, b):
    last = 1.5 + 0.5 * np.sign(b[2] - a[2] - 1e-9)
    return np.array([[a @ b, -b[0] + a[0]], [a[1] * (b[1] + 4) ** -1, last]])


VECTORS = {"a": some.vectors(), "b": some.vectors()}
PARALLEL = {"a": some.vectors(), "b": st.just(np.array([1.0, 1.0, 5.0]))}
BLOCKS = {"printed": block_printed, "library": block_library, "reference": block_reference}


def test_every_kind_of_slip_is_noticed_on_generic_inputs():
    assert survivors(make(**BLOCKS, inputs=VECTORS)) == []
    assert survivors(make(printed=outer_half, reference=outer_reference, inputs=VECTORS)) == []


@pytest.mark.parametrize(
    ("b", "survivor"),
    [
        ([0.0, 0.0, 0.0], "in zero_sum: flipped sign"),  # in a helper, whose result is zero on these inputs
        ([0.0, 0.0, 0.0], "negated zero_block"),
        ([0.0, 0.0, 5.0], "dropped `b[0]`"),
        ([1.0, 1.0, 0.0], "index 1 -> 0 in `b[1]`"),
        ([1.0, -3.0, 9.0], "flipped comparison in `a[2] < b[2]`"),
    ],
)
def test_slips_that_the_inputs_hide_are_reported(b, survivor):
    always = "comparison" in survivor
    printed = block_that_ignores_the_last if always else block_printed
    inputs = {"a": some.vectors(), "b": st.just(np.array(b))}
    found = survivors(make(**{**BLOCKS, "printed": printed}, inputs=inputs))
    assert any(survivor in change for change in found), found


def wrong_sign_in_helper(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, -x, 0]])


def turned_with_wrong_helper(R, a):
    return R @ wrong_sign_in_helper(a) @ R.T


def test_a_wrong_sign_in_a_helper_is_found_or_survives():
    assert refused("off by", printed=turned_with_wrong_helper)
    level = {"R": some.rotations(), "a": some.vectors(2).map(lambda x: np.array([0.0, *x]))}
    hiding = make(printed=turned_with_wrong_helper, inputs=level)
    assert any("wrong_sign_in_helper" in change for change in survivors(hiding))


def test_listed_mutants_must_exist():
    listed = make(equivalent_mutants={"dropped everything": WHY})
    assert any("dropped everything" in line for line in survivors(listed))
    noticed = make(equivalent_mutants={"dropped transpose in `R.T`": WHY})
    assert any("dropped transpose" in line for line in survivors(noticed))


def endless(a, b):
    x = 4.0 + a[0] * a[0]
    while x > 1.0:
        x = x - 1.0
    return np.append(x * b, a)


def endless_reference(a, b):
    x = 4.0 + a[0] ** 2
    return np.append((x - np.ceil(x) + 1.0) * b, a)


def test_a_mutant_may_be_endless():
    assert isinstance(survivors(make(printed=endless, reference=endless_reference, inputs=VECTORS)), list)


# --- 3: branches ----------------------------------------------------------------------------------------


def angle_printed(axis, theta):
    if theta > np.pi:
        return 2 * np.pi - theta
    return theta


def angle_library(axis, theta):
    return so3.angle(so3.exp(axis * theta))


def angle_reference(axis, theta):
    return Rotation.from_rotvec(theta * axis).magnitude()


def masked_printed(axis, theta):
    return np.where(theta > np.pi, 2 * np.pi - theta, theta)


def implied_printed(axis, theta):
    return float(theta < np.pi or abs(angle_reference_of(theta) - 2 * np.pi + theta) < 1e-9)


def angle_reference_of(theta):
    return np.arccos(np.cos(theta))


def implied_reference(axis, theta):
    return 1.0


def angles(low, high):
    return {"axis": some.unit_vectors(), "theta": some.numbers(low, high)}


ANGLE = {
    "printed": angle_printed,
    "library": angle_library,
    "reference": angle_reference,
    "implemented_by": ("rbnotes.so3.angle",),
    "inputs": angles(0.5, 5.75),
}


def test_branches_that_are_taken_pass():
    for printed in (angle_printed, masked_printed):
        outcome = verify(make(**{**ANGLE, "printed": printed}))
        assert outcome.confirmed, outcome.reason


@pytest.mark.parametrize("printed", [angle_printed, masked_printed])
@pytest.mark.parametrize(("high", "text"), [(3.0, "none of"), (3.2, "of 40")])
def test_branches_hardly_ever_taken(printed, high, text):
    assert refused("branch:", **{**ANGLE, "printed": printed, "inputs": angles(0.5, high)})
    outcome = verify(make(**{**ANGLE, "printed": printed, "inputs": angles(0.5, high)}))
    assert text in outcome.reason


def test_an_implication_whose_premise_hardly_ever_holds():
    implied = {**ANGLE, "printed": implied_printed, "library": None, "reference": implied_reference}
    assert refused("`theta < np.pi`", **{**implied, "inputs": angles(0.5, 3.2)})
    assert "branch:" not in verify(make(**implied)).reason


def test_rare_branches_are_named():
    inputs = angles(0.5, 3.2)
    assert refused("on 1 of 40 inputs (why: `rare`)", **{**ANGLE, "inputs": inputs})
    outcome = verify(make(**{**ANGLE, "inputs": inputs, "rare": {"theta > np.pi": WHY}}))
    assert outcome.confirmed, outcome.reason
    assert refused("no rare branch", **ANGLE, rare={"theta > np.pi": WHY})


# --- 4: tolerances --------------------------------------------------------------------------------------


def nearly(R, a):
    return turned_printed(R, a) + 1e-6


@pytest.mark.parametrize(
    "changes",
    [
        {"tolerance": 1e-5, "printed": nearly},
        {"tolerance": 2e-8},
        {"tolerance": 0.01, "tolerance_reason": "the oracle is a coarse quadrature"},
    ],
)
def test_loose_tolerance(changes):
    assert refused("tolerance:", **changes)


def test_a_tolerance_with_a_reason():
    assert verify(make(tolerance=1e-7, tolerance_reason="the oracle is a quadrature")).confirmed


def quarter_printed():
    return [0.7071, 0.70711, -0.71]


def quarter_badly_printed():
    return [0.7071, 0.70721, -0.71]


def quarter_computed():
    return so3.exp([0, 0, np.pi / 4])[0, 0] * np.array([1, 1, -1])


def quarter_reference():
    return np.sqrt(0.5) * np.array([1, 1, -1])


DEMONSTRATION = {
    "id": "lloyd/s0.1/table1",
    "verdict": Verdict.DEMONSTRATION,
    "formula": "",
    "inputs": {},
    "printed": quarter_printed,
    "library": None,
    "reference": quarter_computed,
    "implemented_by": ("rbnotes.so3.exp",),
    "tolerance": 5e-3,
}


def test_demonstrations_are_judged_by_their_last_digit():
    honest = {**DEMONSTRATION, "reference": quarter_reference, "library": quarter_computed}
    outcome = verify(make(**honest))
    assert outcome.confirmed, outcome.reason
    assert refused("last digit", **{**honest, "printed": quarter_badly_printed})


# --- 5: errata by convention ----------------------------------------------------------------------------


def without_transpose(R, a):
    return R @ bracket(a)


def other_sign(R, a):
    return -turned_printed(R, a)


def other_direction(R, a):
    return R.T @ bracket(a) @ R


ERRATUM = {
    "verdict": Verdict.ERRATUM,
    "printed": without_transpose,
    "correction": r"$\mathbf R^T$ is missing",
}


def test_an_erratum():
    outcome = verify(make(**ERRATUM))
    assert outcome.confirmed, outcome.reason
    assert outcome.residual_printed >= 0.1


@pytest.mark.parametrize("printed", [other_sign, other_direction])
def test_erratum_by_convention_only(printed):
    assert refused("convention:", **{**ERRATUM, "printed": printed})
    assert refused("no other formula", **{**ERRATUM, "printed": printed}, combined_with=("lloyd/s0.1/d999",))
    outcome = verify(make(**{**ERRATUM, "printed": printed}, combined_with=("lloyd/s0.2/d2",)))
    assert outcome.confirmed, outcome.reason


# --- 6: missing forms, hidden claims --------------------------------------------------------------------


def test_slips_need_a_printed_form():
    with pytest.raises(ValueError, match="printed"):
        make(**{**ERRATUM, "printed": None})
    assert refused("form:", **{**ERRATUM, "verdict": Verdict.MISPRINT, "printed": None})


def gives_up(R, a):
    raise ValueError("cannot be multiplied")


def not_a_number(R, a):
    return turned_printed(R, a) * np.nan


def wrong_shape(R, a):
    return np.append(a, np.ones(3)) @ np.eye(3)


@pytest.mark.parametrize("printed", [gives_up, not_a_number, wrong_shape])
def test_slips_are_wrong_by_a_number(printed):
    outcome = verify(make(**{**ERRATUM, "printed": printed}))
    assert not outcome.confirmed


def test_prints_that_cannot_be_evaluated_say_why():
    assert verify(
        make(**{**ERRATUM, "printed": wrong_shape}, undefined="a 6-vector times a 3-matrix")
    ).confirmed


NO_FORMS = {"verdict": Verdict.DEFINITION, "inputs": {}, "printed": None, "library": None, "reference": None}


@pytest.mark.parametrize(
    ("formula", "defines"),
    [
        (r"\mathbf R\mathbf R^T = \mathbf I", ()),
        (r"\mathbf R\mathbf R^T = \mathbf I", (r"\mathbf R",)),
        (r"\det\mathbf R = 1", (r"\det\mathbf R",)),
        (r"\mathbf a\times\mathbf b = -\mathbf b\times\mathbf a", (r"\mathbf a\times\mathbf b",)),
        (r"\mathbf u = \mathbf x/l,\quad \mathbf R^{-1} = \mathbf R^T", (r"\mathbf u",)),
    ],
)
def test_definition_that_hides_a_claim(formula, defines):
    assert refused("form:", **NO_FORMS, formula=formula, defines=defines)


def test_definitions_name_their_symbol():
    outcome = verify(
        make(
            **NO_FORMS,
            formula=r"\mathbf u \equiv \mathbf x/l,\quad l = \|\mathbf x\|",
            defines=(r"\mathbf u", "l"),
        )
    )
    assert outcome.confirmed, outcome.reason


def test_definition_with_forms_is_checked():
    with_library = {"verdict": Verdict.DEFINITION, "formula": r"\mathbf B = \mathbf R[\mathbf a]\mathbf R^T"}
    assert refused("printed form", **with_library, defines=(r"\mathbf B",), printed=None)
    assert refused("off by", **with_library, defines=(r"\mathbf B",), printed=without_transpose)
    assert verify(make(**with_library, defines=(r"\mathbf B",))).confirmed


# --- 7: conditions --------------------------------------------------------------------------------------


def commuted_printed(R, a):
    return bracket(a) @ R


def commuted_library(R, a):
    return so3.hat(R @ a) @ R


def commuted_reference(R, a):
    return np.stack([R @ np.cross(a, axis) for axis in np.eye(3)], axis=1)


def keeps_the_axis(R, a):
    return np.linalg.norm(R @ a - a) < 1e-9


def about_z(angle):
    return Rotation.from_rotvec([0, 0, angle]).as_matrix()


def on_z(size):
    return np.array([0, 0, size])


ABOUT_Z = {"R": some.numbers(0.5, 3.0).map(about_z), "a": some.numbers(0.5, 2.0).map(on_z)}
CONDITIONAL = {
    "verdict": Verdict.CONDITIONAL,
    "condition": "$R$ turns about $a$",
    "given": ABOUT_Z,
    "holds_when": keeps_the_axis,
    "printed": commuted_printed,
    "library": commuted_library,
    "reference": commuted_reference,
}


def small(R, a):
    return np.linalg.norm(a) < 1e-9


def printed_is_right(R, a):
    return np.allclose(commuted_printed(R, a), commuted_reference(R, a))


def flagged_printed(R, a, flag):
    return turned_printed(R, a) if flag else without_transpose(R, a)


def flagged_library(R, a, flag):
    return turned_library(R, a)


def flagged_reference(R, a, flag):
    return turned_reference(R, a)


def is_flagged(R, a, flag):
    return flag


FLAGGED = {
    "verdict": Verdict.CONDITIONAL,
    "condition": "the flag is up",
    "holds_when": is_flagged,
    "printed": flagged_printed,
    "library": flagged_library,
    "reference": flagged_reference,
}


def test_a_condition():
    outcome = verify(make(**CONDITIONAL))
    assert outcome.confirmed, outcome.reason


def test_a_condition_is_a_predicate():
    assert refused("condition:", **{**CONDITIONAL, "holds_when": None})
    assert refused("false on inputs of `given`", **{**CONDITIONAL, "holds_when": small})
    assert refused("runs the", **{**CONDITIONAL, "holds_when": printed_is_right})


@pytest.mark.parametrize("flags", [st.booleans(), st.sampled_from((1, 0)), st.sampled_from(("yes", ""))])
def test_a_condition_that_is_a_flag(flags):
    up = flags.filter(bool)
    given = {**INPUTS, "flag": up}
    assert refused("only reads a flag", **FLAGGED, inputs={**INPUTS, "flag": flags}, given=given)


def test_a_condition_outside_which_hardly_anything_fails():
    def spoilt(R, a):
        return turned_printed(R, a) + (1.0 if a[0] > 1.9 else 0.0)

    def below(R, a):
        return a[0] <= 0.5

    given = {"R": some.rotations(), "a": some.vectors(low=-2.0, high=0.5)}
    wide = {**CONDITIONAL, "printed": spoilt, "library": turned_library, "reference": turned_reference}
    assert refused("outside it", **{**wide, "holds_when": below, "given": given})


def test_given_is_no_more_special_than_the_condition():
    flat = {"R": some.rotations(), "a": st.just(np.array([0.5, 0.0, 0.0]))}

    def level(R, a):
        return a[0] <= 0.5

    def spoilt(R, a):
        return turned_printed(R, a) + (a[0] if a[0] > 0.5 else 0.0)

    wide = {**CONDITIONAL, "printed": spoilt, "library": turned_library, "reference": turned_reference}
    assert refused("more special", **{**wide, "holds_when": level, "given": flat})


# --- 8: inputs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inputs",
    [
        {"R": st.just(np.eye(3)), "a": some.vectors()},
        {"R": some.numbers().map(about_z), "a": some.vectors()},
        {"R": some.rotations(), "a": some.numbers().map(on_z)},
        {"R": some.rotations(), "a": some.numbers(0.5, 2.0).map(lambda x: np.full(3, x))},
        {"R": some.rotations(), "a": st.just(np.zeros(3))},
        {"R": some.matrices(3, 3).map(lambda A: A + A.T), "a": some.vectors()},
        {"R": some.rotations(), "a": st.tuples(*3 * [st.integers(-9, 9)]).map(lambda k: np.array(k) / 8)},
    ],
)
def test_inputs_that_hide(inputs):
    assert refused("inputs:", inputs=inputs)


def test_special_inputs_say_why():
    upright = {"R": some.numbers(0.25, 3.0).map(about_z), "a": some.vectors()}
    assert verify(
        make(inputs=upright, special={"R": "the section is about turns about the vertical"})
    ).confirmed
    assert refused("is not", special={"R": WHY})


def test_inputs_that_are_one():
    def two(a, b):
        return np.outer(a, b)

    def two_again(a, b):
        return np.stack([a * y for y in a], axis=1)

    def two_library(a, b):
        return np.outer(so3.vee(so3.hat(a)), b)

    twins = st.shared(some.vectors(), key="twin")
    forms = {
        "printed": two,
        "library": two_library,
        "reference": two_again,
        "implemented_by": ("rbnotes.so3.vee",),
    }
    assert refused("always equal to a", **forms, inputs={"a": twins, "b": twins})


# --- 9: what else a liar would try ----------------------------------------------------------------------

memory = {}


def remembering_printed(R, a):
    memory[a.tobytes()] = turned_printed(R, a)
    return memory[a.tobytes()]


def remembering_reference(R, a):
    return memory.get(a.tobytes(), turned_reference(R, a))


def changing_printed(R, a):
    right = turned_printed(R, a)
    a *= 2
    return right


def random_printed(R, a):
    return turned_printed(R, a) + 1e-12 * random.random()


def hidden_by_a_huge_entry(R, a):
    return np.append(turned_printed(R, a) + 1e-3, 1e9)


def huge_library(R, a):
    return np.append(turned_library(R, a), 1e9)


def huge_reference(R, a):
    return np.append(turned_reference(R, a), 1e9)


def constant(R, a):
    return np.ones(3)


def constant_library(R, a):
    return np.ones(3) + 0 * so3.hat(a)[0]


def calls_in_vain(R, a):
    so3.hat(a)
    return turned_reference(R, a)


def does_not_call(R, a):
    return turned_printed(R, a)


def tiny(R, a):
    return 1e-10 * turned_printed(R, a)


def tiny_library(R, a):
    return -1e-10 * turned_library(R, a)


def tiny_reference(R, a):
    return 1e-10 * turned_reference(R, a)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("state:", {"printed": remembering_printed, "reference": remembering_reference}),
        ("state:", {"printed": changing_printed}),
        ("state:", {"printed": random_printed}),
        (
            "off by",
            {"printed": hidden_by_a_huge_entry, "library": huge_library, "reference": huge_reference},
        ),
        ("form:", {"printed": constant, "library": constant_library, "reference": constant}),
        ("library:", {"library": None}),
        ("library:", {"library": calls_in_vain}),
        ("library:", {"library": does_not_call}),
        ("library:", {"implemented_by": ("rbnotes.so3.hat", "rbnotes.so3.log")}),
        ("zero:", {"printed": tiny, "library": tiny_library, "reference": tiny_reference}),
        ("form:", {"verdict": Verdict.DEMONSTRATION}),
        ("form:", {"inputs": {}, **{k: DEMONSTRATION[k] for k in ("printed", "library", "reference")}}),
        ("form:", {"formula": ""}),
        ("form:", {"printed": lambda R, a: turned_printed(R, a)}),
        ("form:", {"tolerance": 1e-7, "tolerance_reason": "so"}),
    ],
)
def test_other_lies(kind, changes):
    assert refused(kind, **changes)


def test_entries_beside_a_huge_one_are_judged_by_their_own_size():
    honest = {"library": huge_library, "reference": huge_reference}

    def huge_printed(R, a):
        return np.append(turned_printed(R, a), 1e9)

    assert verify(make(**honest, printed=huge_printed)).confirmed


def core(R, a):
    return R @ bracket(a) @ R.T


def printed_through_core(R, a):
    return core(R, a)


def reference_through_core(R, a):
    return core(R, a)


def bracketed_otherwise(R, a):
    return R @ (bracket(a) @ R.T)


def own_copy(Q, x):
    matrix = bracket(x)
    return Q @ (matrix @ Q.T)


def copied_through_a_helper(R, a):
    return own_copy(R, a)


def reaches_on_some_inputs(R, a):
    return so3.hat(R @ a) if a[0] > 0.5 else turned_reference(R, a)


def complex_printed(R, a):
    return turned_printed(R, a) + 1j


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("written again", {"reference": bracketed_otherwise}),
        ("written again", {"reference": copied_through_a_helper}),
        ("written again", {"printed": turned_library}),
        ("under test", {"reference": reaches_on_some_inputs}),
        (
            "no more than what primitive",
            {
                "printed": printed_through_core,
                "reference": reference_through_core,
                "primitives": (f"{__name__}.core", f"{__name__}.bracket"),
            },
        ),
        ("off by", {"printed": complex_printed}),
    ],
)
def test_copies_in_disguise(kind, changes):
    assert refused(kind, **changes)


def test_calling_everything_equivalent():
    stars = {
        f"{word}*": WHY
        for word in ("dropped minus in", "dropped factor", "swapped operands", "negated result")
    }
    assert any("equivalent_mutants" in line for line in survivors(make(equivalent_mutants=stars)))
    level = {"R": st.just(np.eye(3)), "a": some.numbers().map(on_z)}
    every = {change: WHY for change in survivors(make(inputs=level))}
    assert any("too many" in line for line in survivors(make(inputs=level, equivalent_mutants=every)))
