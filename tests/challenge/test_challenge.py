"""A student's function in the place of the library's."""

import numpy as np
import pytest

import rbnotes
from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.challenge.showing import shown

PRODUCT = "lloyd/s0.2/d2"


def right(q, p):
    return np.concatenate(
        [[q[0] * p[0] - q[1:] @ p[1:]], q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:])]
    )


def wrong_order(q, p):
    return right(p, q)


def test_a_right_function_passes():
    result = rbnotes.challenge(PRODUCT, right)
    assert result
    assert result.residual < 1e-12
    assert "passed" in str(result)


def test_a_wrong_function_gets_a_small_counterexample():
    result = rbnotes.challenge(PRODUCT, wrong_order)
    assert not result
    q, p = result.counterexample.values()
    assert np.max(np.abs(right(q, p) - wrong_order(q, p))) > 1e-6
    np.testing.assert_allclose(result.expected, right(q, p), atol=1e-9)
    assert "expected" in str(result)


def test_a_function_that_raises_is_shown_with_its_error():
    def broken(q, p):
        raise RuntimeError("forgot to write this")

    result = rbnotes.challenge(PRODUCT, broken)
    assert not result
    assert "forgot to write this" in str(result)


def test_arguments_made_of_arrays_of_several_shapes_are_shown():
    assert "[5., 6., 7.]" in shown((np.eye(2), np.array([5.0, 6, 7])))


def test_unknown_and_unchecked_claims_are_refused():
    with pytest.raises(InvalidArgument, match=PRODUCT):
        rbnotes.challenge("lloyd/s0.2/e99", right)
    unchecked = next((record.id for record in ledger.load() if record.reference is None), None)
    if unchecked is not None:
        with pytest.raises(InvalidArgument, match="only defines"):
            rbnotes.challenge(unchecked, right)
