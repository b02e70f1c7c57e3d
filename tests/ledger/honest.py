"""An honest claim about the bracket of a turned vector, from which the dishonest ones are made."""

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some


def bracket(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def turned_printed(R, a):
    return R @ bracket(a) @ R.T


def without_transpose(R, a):
    return R @ bracket(a)


def turned_library(R, a):
    return so3.hat(R @ a)


def turned_reference(R, a):
    return np.stack([R @ np.cross(a, R.T @ axis) for axis in np.eye(3)], axis=1)


INPUTS = {"R": some.rotations(), "a": some.vectors()}
WHY = "for the sake of this test"


ERRATUM = {
    "verdict": Verdict.ERRATUM,
    "printed": without_transpose,
    "correction": r"$\mathbf R^T$ is missing",
}
"""Fields that make it an honest erratum."""


def make(**changes):
    record = {
        "id": "lloyd/s0.1/d1",
        "title": "the bracket of a turned vector",
        "formula": r"[\mathbf R\mathbf a] = \mathbf R[\mathbf a]\mathbf R^T",
        "verdict": Verdict.HOLDS,
        "chapter": "preface",
        "implements": (so3.hat,),
        "oracle": "cross products of the axes",
        "inputs": INPUTS,
        "printed": turned_printed,
        "library": turned_library,
        "reference": turned_reference,
    }
    return Record(**{**record, **changes})


def refused(kind, **changes):
    """Assert that verify refuses the record for this reason, without shrinking the counterexample."""
    outcome = verify(make(**changes), shrink=False)
    assert not outcome.confirmed
    assert kind in outcome.reason, outcome.reason
    return True


def about_z(angle):
    return Rotation.from_rotvec([0, 0, angle]).as_matrix()


def on_z(size):
    return np.array([0, 0, size])
