"""Oracles that are not independent: planted and refused, beside honest twins that pass."""

import functools

import numpy as np
import pytest
from honest import bracket, make, refused, turned_library, turned_printed, turned_reference

from rbnotes import se3, so3
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.checks.mutation import surviving_mutants
from rbnotes.ledger.runner import verify
from rbnotes.testing import derivative
from rbnotes.testing import strategies as some


def test_the_honest_claim_passes():
    outcome = verify(make())
    assert outcome.confirmed, outcome.reason
    assert surviving_mutants(make()) == []


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


def wrong_by_indices(R, a):
    return np.einsum("ij,jk,kl->il", R, bracket(a), R)


def right_by_indices(R, a):
    return np.einsum("ij,lk,jl->ik", R, R.T, bracket(a))


def wrong_by_reduction(R, a):
    return functools.reduce(np.matmul, [R, bracket(a), R])


def wrong_by_multi_dot(R, a):
    return np.linalg.multi_dot([R, bracket(a), R])


@pytest.mark.parametrize("library", [None, wrong_library])
def test_oracle_that_rebuilds_the_wrong_formula(library):
    assert refused("oracle:", printed=wrong_printed, reference=wrong_again, library=library)


@pytest.mark.parametrize("reference", [wrong_by_indices, wrong_by_reduction, wrong_by_multi_dot])
def test_the_wrong_formula_in_another_spelling(reference):
    assert refused("written again", printed=wrong_printed, reference=reference, library=None)


def test_sums_over_indices_are_read():
    assert normal_form(wrong_by_indices) == normal_form(wrong_printed)
    assert normal_form(right_by_indices) == normal_form(turned_printed)


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
    "implements": (se3.hat,),
}


def test_primitives_are_named():
    names = ("rbnotes.se3.exp", "rbnotes.testing.derivative")
    used = {**TURNING, "library": exponential_library, "implements": (se3.right_jacobian,)}
    assert refused("rbnotes.se3.exp, which is not a primitive", **used)
    outcome = verify(make(**used, primitives=names[:1]))
    assert outcome.confirmed, outcome.reason
    assert refused("never entered", **used, primitives=(*names[:1], "rbnotes.so3.log"))
    assert refused("under test", **{**used, "implements": (se3.exp,)}, primitives=names[:1])


def by_the_adjoint(R, a):
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = R, R @ a
    return se3.Ad(E)[3:, :3] @ R.T


def by_the_rate_of_a_jacobian(R, a):
    rate = so3.left_jacobian_dot(np.zeros(3), R @ a)
    return rate - rate.T


@pytest.mark.parametrize(
    ("reference", "primitive"),
    [(by_the_adjoint, "rbnotes.se3.Ad"), (by_the_rate_of_a_jacobian, "rbnotes.so3.left_jacobian_dot")],
)
def test_a_primitive_that_runs_the_function_under_test(reference, primitive):
    assert refused("the function under test", reference=reference, primitives=(primitive,))


def exponential_library(E, xi):
    half = E @ se3.exp(-0.25 * xi)
    return half @ se3.exp(0.25 * xi) @ np.block([
        [bracket(se3.right_jacobian(0 * xi)[:3, :3] @ xi[:3]), xi[3:, None]], [np.zeros((1, 4))]
    ])  # fmt: skip


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
            "only returns the result of primitive",
            {
                "printed": printed_through_core,
                "reference": reference_through_core,
                "primitives": (f"{__name__}.core", "honest.bracket"),
            },
        ),
        ("off by", {"printed": complex_printed}),
    ],
)
def test_copies_in_disguise(kind, changes):
    assert refused(kind, **changes)
