"""Claims that the tests of exact arithmetic make up."""

from types import SimpleNamespace

from rbnotes.ledger.exact import stand_ins

np = stand_ins.numpy


def claim(verdict="holds", **fields):
    defaults = {"id": "test/s1/e1", "condition_inputs": None, "library": None, "undefined": ""}
    defaults |= {"tolerance": 1e-9, "tolerance_reason": ""}
    return SimpleNamespace(**defaults | fields, verdict=verdict)


def hat(w):
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
