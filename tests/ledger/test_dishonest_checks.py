"""Checks that cannot fail: mutants, branches, tolerances, inputs; planted and refused."""

from functools import partial

import numpy as np
import pytest
from honest import WHY, about_z, make, on_z, refused, turned_printed
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import Verdict
from rbnotes.ledger.checks.mutation import surviving_mutants
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some

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


def test_every_kind_of_slip_is_detected_on_generic_inputs():
    assert surviving_mutants(make(**BLOCKS, inputs=VECTORS)) == []
    assert surviving_mutants(make(printed=outer_half, reference=outer_reference, inputs=VECTORS)) == []


@pytest.mark.slow
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
    survivors = surviving_mutants(make(**{**BLOCKS, "printed": printed}, inputs=inputs))
    assert any(survivor in change for change in survivors), survivors


def wrong_sign_in_helper(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, -x, 0]])


def turned_with_wrong_helper(R, a):
    return R @ wrong_sign_in_helper(a) @ R.T


def test_a_wrong_sign_in_a_helper_is_found_or_survives():
    assert refused("off by", printed=turned_with_wrong_helper)
    level = {"R": some.rotations(), "a": some.vectors(2).map(lambda x: np.array([0.0, *x]))}
    hiding = make(printed=turned_with_wrong_helper, inputs=level)
    assert any("wrong_sign_in_helper" in change for change in surviving_mutants(hiding))


def test_listed_mutants_must_exist():
    for change in ("dropped everything", "dropped transpose in `R.T`"):  # the second one is noticed
        assert any(change in line for line in surviving_mutants(make(), [change]))


class Bracket:
    def __init__(self, a):
        self.a = a

    def matrix(self):
        return np.array([[0, -self.a[2], self.a[1]], [self.a[2], 0, -self.a[0]], [-self.a[1], self.a[0], 0]])


bracket_of = lambda a: Bracket(a).matrix()  # noqa: E731


def turned_by_a_method(R, a):
    return R @ Bracket(a).matrix() @ R.T


def turned_by_a_lambda(R, a):
    return R @ bracket_of(a) @ R.T


@pytest.mark.parametrize(
    ("printed", "reason"),
    [(turned_by_a_method, "not a function of its module"), (turned_by_a_lambda, "must be defined with def")],
)
def test_code_that_no_mutation_reaches(printed, reason):
    assert refused(reason, printed=printed)


def lengthened(a, b):
    return np.clip(a @ a + np.minimum(b, 1e6), -1e6, 1e9)


def lengthened_reference(a, b):
    return [a[0] ** 2 + a[1] ** 2 + a[2] ** 2 + x for x in b]


def summed(a, b):
    return np.einsum("ij,j->i", np.outer(a, a), b)


def test_bounds_that_never_bind_and_operands_that_may_be_transposed():
    survivors = surviving_mutants(make(printed=lengthened, reference=lengthened_reference, inputs=VECTORS))
    assert {"only `b` in `np.minimum(b, 1000000.0)`"} < set(survivors)
    assert any("dropped bound `-1000000.0`" in change for change in survivors)
    symmetric = make(printed=summed, reference=lambda a, b: a * (a @ b), inputs=VECTORS)
    assert any("operand 0 transposed" in change for change in surviving_mutants(symmetric))


def bounded_below(a, b):
    return max(1.0 + a @ a, 0.125) * b


def bounded_below_reference(a, b):
    return [(1.0 + a[0] ** 2 + a[1] ** 2 + a[2] ** 2) * x for x in b]


def test_constants_that_never_bind():
    record = make(printed=bounded_below, reference=bounded_below_reference, inputs=VECTORS)
    assert any("dropped bound `0.125`" in change for change in surviving_mutants(record))


def endless(a, b):
    x = 4.0 + a[0] * a[0]
    while x > 1.0:
        x = x - 1.0
    return np.append(x * b, a)


def endless_reference(a, b):
    x = 4.0 + a[0] ** 2
    return np.append((x - np.ceil(x) + 1.0) * b, a)


def test_a_mutant_may_be_endless():
    assert isinstance(
        surviving_mutants(make(printed=endless, reference=endless_reference, inputs=VECTORS)), list
    )


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
    "implements": (so3.angle,),
    "inputs": angles(0.5, 5.75),
}


def test_branches_that_are_taken_pass():
    for printed in (angle_printed, masked_printed):
        outcome = verify(make(**{**ANGLE, "printed": printed}))
        assert outcome.confirmed, outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize("printed", [angle_printed, masked_printed])
@pytest.mark.parametrize(("high", "text"), [(3.0, "none of"), (3.2, "of 40")])
def test_branches_hardly_ever_taken(printed, high, text):
    assert refused("branch:", **{**ANGLE, "printed": printed, "inputs": angles(0.5, high)})
    outcome = verify(make(**{**ANGLE, "printed": printed, "inputs": angles(0.5, high)}))
    assert text in outcome.reason


def test_an_implication_with_a_rarely_true_premise_is_reported():
    implied = {**ANGLE, "printed": implied_printed, "library": None, "reference": implied_reference}
    assert refused("`theta < np.pi`", **{**implied, "inputs": angles(0.5, 3.2)})
    assert "branch:" not in verify(make(**implied)).reason


def while_printed(axis, theta):
    while theta > np.pi:
        theta = 9.0
    return theta


def rounds_printed(axis, theta):
    for _ in range(int(theta / np.pi)):
        theta = 9.0
    return theta


@pytest.mark.parametrize("printed", [while_printed, rounds_printed])
def test_loops_that_never_begin(printed):
    assert refused("is true on none", **{**ANGLE, "printed": printed, "inputs": angles(0.5, 3.0)})


def test_branches_that_are_hardly_ever_taken():
    assert refused("of 40 inputs", **{**ANGLE, "inputs": angles(0.5, 4.0)})


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
    "implements": (so3.exp,),
    "tolerance": 5e-3,
}


def test_demonstrations_are_judged_by_their_last_digit():
    honest = {**DEMONSTRATION, "reference": quarter_reference, "library": quarter_computed}
    outcome = verify(make(**honest))
    assert outcome.confirmed, outcome.reason
    assert refused("last digit", **{**honest, "printed": quarter_badly_printed})


# --- 8: inputs ------------------------------------------------------------------------------------------


@pytest.mark.slow
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
def test_inputs_that_hide_slips_are_reported(inputs):
    assert refused("inputs:", inputs=inputs)


def test_special_inputs_need_a_reason():
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
        "implements": (so3.vee,),
    }
    for factor in (1.0, 2.0, -1.0):
        inputs = {"a": twins, "b": twins.map(partial(np.multiply, factor))}
        assert refused("b always a times the same number", **forms, inputs=inputs)


def test_too_many_equivalent_mutants_are_reported():
    stars = [
        f"{word}*" for word in ("dropped minus in", "dropped factor", "swapped operands", "negated result")
    ]
    assert any("equivalent:" in line for line in surviving_mutants(make(), stars))
    level = {"R": st.just(np.eye(3)), "a": some.numbers().map(on_z)}
    every = surviving_mutants(make(inputs=level))
    assert any("too many" in line for line in surviving_mutants(make(inputs=level), every))
