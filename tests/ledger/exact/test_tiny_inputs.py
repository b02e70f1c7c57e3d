"""Claims hold on tiny inputs, too: a series that is cut off, or a bound that avoids 0 / 0, is found.

In double precision, closed forms lose their digits there; exact numbers and balls do not.
"""

import zlib
from dataclasses import replace

import numpy as np
import pytest
import rotation

from rbnotes import ledger
from rbnotes.ledger.evidence import find_evidence
from rbnotes.ledger.exact.evidence import compare, evaluate
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.record import Verdict

NUM_INPUTS = 5
ORACLE_TOLERANCE = 0.01
"""Share of a record's tolerance within which oracles accept violations, as those that try active sets."""
NUM_GROUPS = 60
"""Groups of claims; one is tried each day."""
CLAIMS = [
    each.id
    for each in ledger.load()
    if each.verdict is Verdict.HOLDS and each.printed and each.inputs and find_evidence(each).is_proof
]


def exact_record(name):
    with exact_package():
        from rbnotes.ledger import find

        return find(name)


def is_wrong(record, num_inputs=NUM_INPUTS):
    """Return True if print and oracle differ on tiny inputs."""
    with exact_package():
        from rbnotes.ledger.evaluation import samples

        draws = samples(record.inputs, num_inputs, region="tiny")[1:]
        compared = [
            compare(evaluate(record.printed, each), evaluate(record.reference, each)) for each in draws
        ]
        limit = ORACLE_TOLERANCE * record.tolerance
        return any(each.outcome == "different" and each.distance > limit for each in compared)


def test_claims_hold_on_tiny_inputs():
    due = [name for name in CLAIMS if rotation.is_due(zlib.crc32(name.encode()), NUM_GROUPS)]
    assert [name for name in due if is_wrong(exact_record(name))] == []


# --- Planted: the matrix of a rotation vector, by a form that is wrong near zero only


def rodrigues(w, angle):
    x, y, z = w
    W = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) / angle * W + (1 - np.cos(angle)) / angle**2 * W @ W


def by_the_angle(w):
    return rodrigues(w, np.sqrt(w @ w))


def bounded(w):
    angle = np.sqrt(w @ w)
    return rodrigues(w, max(angle, 0 * angle + 2.0**-7))


def softened(w):
    return rodrigues(w, np.sqrt(w @ w + 2.0**-24))


def cut_off(w):
    angle = np.sqrt(w @ w)
    return rodrigues(w, angle) if angle > 2.0**-7 else rodrigues(w, 2.0**-26)


@pytest.mark.parametrize(
    ("printed", "expected"), [(by_the_angle, False), (bounded, True), (softened, True), (cut_off, True)]
)
def test_a_form_that_is_wrong_near_zero_is_found(printed, expected):
    record = exact_record("sueda/s1.3/e1.10#a")
    assert is_wrong(replace(record, printed=printed), num_inputs=12) == expected
