"""Lloyd 0.19: the change of the forces is the fictitious forces of a point mass."""

from __future__ import annotations

import numpy as np

from rbnotes import so3
from rbnotes.attachments import null_space_reduction
from rbnotes.dynamics import StepProblem
from rbnotes.ledger.claims.lloyd.section_0_19 import (
    CHAPTER,
    REDUCE,
    attached,
    cross,
    point_acceleration,
    swapped,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.quantities import LENGTH, LINEAR_FIRST_WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import positive_numbers, rotations, vectors

TURNING = {"R": rotations(), "c": vectors(), "w": vectors(), "m": positive_numbers()}


def change_library(R, c, w, m):
    masses = np.zeros((9, 9))
    masses[6:, 6:] = m * np.eye(3)
    point = attached(R, c, np.zeros(3), w)
    return swapped(null_space_reduction((6, 3), (point,)).reduce(StepProblem(masses, np.zeros(9))).momentum)


def change_reference(R, c, w, m):
    """The opposite of the force and moment, seen from the body, that keep the particle in a steady turn."""
    still = np.zeros(3)
    force = m * (R.T @ point_acceleration(R, c, still, w, still, still))
    return -np.concatenate([force, cross(c, force)])


@claim("lloyd/s0.19/d5#a", "The change of the forces, by (0.23)")
class d5_a:
    formula = (
        r"m\begin{pmatrix} -\mathbf R_{BW}^T \\ -[\mathbf c]\,\mathbf R_{BW}^T \end{pmatrix}"
        r"\bigl(\mathbf R_{BW}\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c\bigr)"
    )
    inputs = TURNING
    result = LINEAR_FIRST_WRENCH

    def printed(R, c, w, m):
        g = R @ cross(w, cross(w, c))
        return m * (np.vstack([-R.T, -bracket(c) @ R.T]) @ g)

    library = change_library

    oracle = "the force and moment that keep the particle in a steady turn, by differences"
    reference = change_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.19/d5#b", "The change of the forces is the fictitious forces")
class d5_b:
    formula = (
        r"\begin{pmatrix} -m\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c \\"
        r" m\,\boldsymbol\omega\times\mathbf c\times\mathbf c\times\boldsymbol\omega \end{pmatrix}"
    )
    inputs = TURNING
    result = LINEAR_FIRST_WRENCH

    def printed(R, c, w, m):
        return np.concatenate((-m * cross(w, cross(w, c)), m * cross(w, cross(c, cross(c, w)))))

    library = change_library

    oracle = "the force and moment that keep the particle in a steady turn, by differences"
    reference = change_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.19/t914", "The identity of the two triple products")
class t914:
    formula = (
        r"\mathbf a\times\mathbf b\times\mathbf b\times\mathbf a"
        r" = -\mathbf b\times\mathbf a\times\mathbf a\times\mathbf b"
    )
    inputs = {"a": vectors(), "b": vectors()}
    quantities = {"a": LENGTH, "b": LENGTH}
    result = LENGTH**4

    def printed(a, b):
        return -cross(b, cross(a, cross(a, b)))

    def library(a, b):
        return so3.hat(a) @ so3.hat(b) @ so3.hat(b) @ a

    oracle = "the left side, product by product by its components"

    def reference(a, b):
        product = a
        for left in (b, b, a):
            x, y, z = left
            product = np.array(
                [
                    y * product[2] - z * product[1],
                    z * product[0] - x * product[2],
                    x * product[1] - y * product[0],
                ]
            )
        return product

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = CHAPTER


@claim("lloyd/s0.19/t900#b", "Where the fictitious forces stand")
class t900_b:
    formula = (
        r"\text{`the fictitous forces given by the rightmost vector in (0.19)':}\quad "
        r"\begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    )
    inputs = TURNING
    result = LINEAR_FIRST_WRENCH

    def printed(R, c, w, m):
        """The right side of (0.19) for body and particle, without forces and other constraints."""
        on_body, on_particle = np.zeros(6), np.zeros(3)
        return np.concatenate([on_body, on_particle, R @ cross(w, cross(w, c))])

    library = change_library
    oracle = "the force and moment that keep the particle in a steady turn, by differences"
    reference = change_reference
    undefined = (
        "the right side of (0.19) has a part for each component and each constraint, no wrench on the body"
    )
    equivalent_mutants = {
        "in attached: dropped `E[:3, :3] = R`": "forces seen from the body do not depend on where it is turned to",
        "in attached: negated w in `[w, v]`": "the forces are of second order in the angular velocity",
        "in attached: negated v in `[w, v]`": "the origin of the body is at rest",
    }
    verdict = Verdict.MISPRINT
    correction = (
        "The rightmost vector of the equation of the point inertia just above, which has no number; the end of "
        "the section refers to (0.19) in its place, too."
    )
    implemented_by = REDUCE
    chapter = CHAPTER
