"""Sueda 1.3: the Lie algebra of the rotations."""

from __future__ import annotations

import numpy as np

from rbnotes import so3
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import vectors


@claim("sueda/s1.3/t71", "The matrix of an angular velocity is skew-symmetric")
class t71:
    formula = r"\omega\in so(3)\ \text{`can also be expressed as'}\ [\omega] = -[\omega]^T"
    inputs = {"w": vectors()}
    quantities = {"w": NUMBER}
    result = NUMBER

    def printed(w):
        return -bracket(w).T

    def library(w):
        return -so3.hat(w).T

    oracle = "the velocities of the axes, column by column"

    def reference(w):
        return np.stack([np.cross(w, axis) for axis in np.eye(3)], axis=-1)

    exact = "entries are placed, and products with unit vectors round nothing"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = "rotations"
