"""Verdicts, conditions and forms that lie: planted and refused, beside honest twins that pass."""

import random

import numpy as np
import pytest
from honest import (
    ERRATUM,
    INPUTS,
    bracket,
    make,
    refused,
    turned_library,
    turned_printed,
    turned_reference,
    without_transpose,
)
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import Verdict
from rbnotes.ledger.checks.mutation import surviving_mutants
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some

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


@pytest.mark.slow
@pytest.mark.parametrize("printed", [gives_up, not_a_number, wrong_shape])
def test_slips_are_wrong_by_a_number(printed):
    outcome = verify(make(**{**ERRATUM, "printed": printed}))
    assert not outcome.confirmed


def test_prints_that_cannot_be_evaluated_have_a_reason():
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
        (r"\mathbf B \equiv \mathbf R[\mathbf a]\mathbf R^T = [\mathbf R\mathbf a]", (r"\mathbf B",)),
        (r"\mathbf B = \mathbf R,\quad \mathbf B = \mathbf R^{-T}", (r"\mathbf B",)),
        (r"\text{the determinant of a rotation is one}", ()),
        (r"\text{a mass matrix has no negative eigenvalue}", ()),
        (r"\mathbf M \succ 0", ()),
        (r"\|\mathbf R\mathbf a\| \le \|\mathbf a\|", ()),
    ],
)
def test_a_claim_disguised_as_a_definition_is_reported(formula, defines):
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


def about(axis, angle):
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()


def keeps_the_axis(R, a):
    return np.linalg.norm(R @ a - a) < 1e-9


AXIS = st.shared(some.nonzero_vectors(), key="axis")
ABOUT_A = {"R": st.builds(about, AXIS, some.numbers(0.5, 3.0)), "a": AXIS}
CONDITIONAL = {
    "verdict": Verdict.CONDITIONAL,
    "condition": "$R$ turns about $a$",
    "condition_inputs": ABOUT_A,
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
    assert refused("false on inputs of `condition_inputs`", **{**CONDITIONAL, "holds_when": small})
    assert refused("runs the", **{**CONDITIONAL, "holds_when": printed_is_right})


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        st.booleans(),
        st.sampled_from((1, 0)),
        st.sampled_from(("yes", "")),
    ],
)
def test_a_condition_that_is_a_flag(flags):
    up = flags.filter(bool)
    given = {**INPUTS, "flag": up}
    assert refused("only reads a flag", **FLAGGED, inputs={**INPUTS, "flag": flags}, condition_inputs=given)


SOME_SIZES = (1.0, 2.0, 3.0)


def member_printed(R, a, size):
    return turned_printed(R, a) * (1.0 if size < 2.5 else size)


def member_library(R, a, size):
    return turned_library(R, a)


def member_reference(R, a, size):
    return turned_reference(R, a)


def is_in_a_list(R, a, size):
    return size in (1.0, 2.0)


def is_in_an_array(R, a, size):
    return bool(np.isin(size, SOME_SIZES[:2]))


def is_a_root(R, a, size):
    return abs((size - 1) * (size - 2)) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("holds_when", [is_in_a_list, is_in_an_array, is_a_root])
def test_a_condition_by_membership(holds_when):
    changes = {"condition": "the size is one or two", "holds_when": holds_when}
    forms = {"printed": member_printed, "library": member_library, "reference": member_reference}
    inputs = {**INPUTS, "size": st.sampled_from(SOME_SIZES)}
    given = {**INPUTS, "size": st.sampled_from(SOME_SIZES[:2])}
    fields = {"verdict": Verdict.CONDITIONAL, "inputs": inputs, "condition_inputs": given}
    assert refused("only reads a flag", **fields, **forms, **changes)


def test_a_condition_without_failures_outside_it_is_reported():
    def spoilt(R, a):
        return turned_printed(R, a) + (1.0 if a[0] > 1.9 else 0.0)

    def below(R, a):
        return a[0] <= 0.5

    given = {"R": some.rotations(), "a": some.vectors(low=-2.0, high=0.5)}
    wide = {**CONDITIONAL, "printed": spoilt, "library": turned_library, "reference": turned_reference}
    assert refused("outside it", **{**wide, "holds_when": below, "condition_inputs": given})


def test_given_is_no_more_special_than_the_condition():
    flat = {"R": some.rotations(), "a": st.just(np.array([0.5, 0.0, 0.0]))}

    def level(R, a):
        return a[0] <= 0.5

    def spoilt(R, a):
        return turned_printed(R, a) + (a[0] if a[0] > 0.5 else 0.0)

    wide = {**CONDITIONAL, "printed": spoilt, "library": turned_library, "reference": turned_reference}
    assert refused("more special", **{**wide, "holds_when": level, "condition_inputs": flat})


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


def one():
    return [1.0, 0.0]


def one_library():
    return so3.hat([1.0, 0.0, 0.0])[2, 1:] * [-1.0, 1.0] + so3.hat([0.0, 0.0, 1.0])[1, :2]


def one_reference():
    return np.cos([0.0, np.pi / 2])


def calls_in_vain(R, a):
    so3.hat(a)
    return turned_reference(R, a)


def does_not_call(R, a):
    return turned_printed(R, a)


def tries(R, a):
    try:
        return turned_printed(R, a)
    except ValueError:
        return turned_reference(R, a)


def looks_around(R, a):
    return turned_printed(R, a) if len(globals()) > 3 else without_transpose(R, a)


def knows_its_file(R, a):
    return turned_printed(R, a) if knows_its_file.__code__.co_filename[0] != "<" else a / 0


def knows_itself(R, a):
    """Return the right result, but fail if the source is rebuilt, so that all mutants seem detected."""
    return turned_printed(R, a) if knows_itself in ITSELF else np.linalg.inv(0 * R)


ITSELF = (knows_itself,)


def tiny(R, a):
    return 1e-10 * turned_printed(R, a)


def tiny_library(R, a):
    return -1e-10 * turned_library(R, a)


def tiny_reference(R, a):
    return 1e-10 * turned_reference(R, a)


@pytest.mark.slow
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
        ("library:", {"implements": (so3.hat, so3.log)}),
        ("form:", {"printed": tries}),
        ("form:", {"printed": looks_around}),
        ("looks at itself", {"printed": knows_its_file}),
        ("fails when it is traced", {"printed": knows_itself}),
        ("zero:", {"printed": tiny, "library": tiny_library, "reference": tiny_reference}),
        ("form:", {"verdict": Verdict.DEMONSTRATION}),
        ("form:", {"inputs": {}, "printed": one, "library": one_library, "reference": one_reference}),
        ("form:", {"formula": ""}),
        ("form:", {"printed": lambda R, a: turned_printed(R, a)}),
        ("form:", {"tolerance": 1e-7, "tolerance_reason": "so"}),
    ],
)
def test_further_false_statements_are_reported(kind, changes):
    assert refused(kind, **changes)


@pytest.mark.parametrize("printed", [knows_its_file, knows_itself])
def test_a_form_that_fails_when_rebuilt_detects_no_mutation(printed):
    assert "it is rebuilt" in surviving_mutants(make(printed=printed))[0]


def test_entries_beside_a_huge_one_are_judged_by_their_own_size():
    honest = {"library": huge_library, "reference": huge_reference}

    def huge_printed(R, a):
        return np.append(turned_printed(R, a), 1e9)

    assert verify(make(**honest, printed=huge_printed)).confirmed
