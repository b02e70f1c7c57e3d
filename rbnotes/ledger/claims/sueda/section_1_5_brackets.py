"""Sueda 1.5: brackets of turned vectors and of twists."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.ledger.claims.sueda.section_1_5 import MOVING, bracket_printed, lie_bracket_library
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import commutator
from rbnotes.ledger.quantities import LENGTH, TIME, TWIST, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations, twists, vectors

QUANTITIES = {"a": TWIST, "b": TWIST}


TURNED = {"R": rotations(), "v": vectors(), "x": vectors()}


def rotated_cross_reference(R, v, x):
    return np.cross(R @ v, R @ x)


def rotated_cross_library(R, v, x):
    return so3.hat(R @ v) @ (R @ x)


def bracket_rate_library(E, phi):
    return so3.hat(se3.point_velocity(E, np.zeros(3), phi)) @ E[:3, :3]


def bracket_rate_reference(E, phi):
    pose = motion(E, phi)
    return derivative(lambda t: bracket(pose(t)[:3, 3])).value @ E[:3, :3]


@claim("sueda/s1.5/e1.17#a", "Turning two vectors turns their cross product")
class e1_17_a:
    formula = r"[R\mathbf v](R\mathbf x) = R(\mathbf v\times\mathbf x)"
    inputs = TURNED
    result = LENGTH * VELOCITY

    def printed(R, v, x):
        return R @ np.cross(v, x)

    library = rotated_cross_library
    oracle = "cross product of the turned vectors"
    reference = rotated_cross_reference
    exact = "the same few products, in one order: where a processor does not fuse them, all round alike"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.17#b", "The same with the matrix of the cross product")
class e1_17_b:
    formula = r"[R\mathbf v](R\mathbf x) = R[\mathbf v]\mathbf x"
    inputs = TURNED
    result = LENGTH * VELOCITY

    def printed(R, v, x):
        return R @ bracket(v) @ x

    library = rotated_cross_library
    oracle = "cross product of the turned vectors"
    reference = rotated_cross_reference
    exact = "the same few products, in one order: where a processor does not fuse them, all round alike"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.17#c", "The matrix of a turned vector's cross product")
class e1_17_c:
    formula = r"[R\mathbf v](R\mathbf x) = (R[\mathbf v]R^T)(R\mathbf x)"
    inputs = TURNED
    result = LENGTH * VELOCITY

    def printed(R, v, x):
        return (R @ bracket(v) @ R.T) @ (R @ x)

    library = rotated_cross_library
    oracle = "cross product of the turned vectors"
    reference = rotated_cross_reference
    exact = "the same few products, in one order: where a processor does not fuse them, all round alike"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/t276#a", "Rate of the bracket of the origin, with the turned velocity")
class t276_a:
    formula = r"\tfrac{d}{dt}[\mathbf p]\,R = [R\mathbf v]\,R"
    inputs = MOVING
    result = VELOCITY

    def printed(E, phi):
        R = E[:3, :3]
        return bracket(R @ phi[3:]) @ R

    library = bracket_rate_library
    oracle = "differences of the bracket of the origin's position along a motion with this twist"
    reference = bracket_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.so3.hat",
        "rbnotes.se3.point_velocity",
    )
    chapter = "frames-and-twists"


@claim("sueda/s1.5/t276#b", "Rate of the bracket of the origin, with the rotation in front")
class t276_b:
    formula = r"\tfrac{d}{dt}[\mathbf p]\,R = R\,[\mathbf v]"
    inputs = MOVING
    result = VELOCITY

    def printed(E, phi):
        return E[:3, :3] @ bracket(phi[3:])

    library = bracket_rate_library
    oracle = "differences of the bracket of the origin's position along a motion with this twist"
    reference = bracket_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.so3.hat",
        "rbnotes.se3.point_velocity",
    )
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.19#b", "The spatial cross product is the Lie bracket of two twists")
class e1_19_b:
    formula = r"[\mathrm{ad}(a)\,b] = [a][b] - [b][a]"
    inputs = {"a": twists(), "b": twists()}
    result = TWIST / TIME

    def printed(a, b):
        return bracket_printed(a) @ b

    library = lie_bracket_library
    oracle = "the commutator of the 4 x 4 twist matrices"
    reference = commutator
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.ad",)
    chapter = "frames-and-twists"
