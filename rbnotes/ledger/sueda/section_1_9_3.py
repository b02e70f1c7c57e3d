"""Sueda 1.9.3: springs of rest length zero between two bodies. The oracle: statics, work, complex steps."""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import positive_numbers
from rbnotes.forces.body_forces import zero_length_energy, zero_length_spring
from rbnotes.forces.path import symmetric_part
from rbnotes.ledger.oracles import bracket
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_9 import CHAPTER, PAIR, Gamma, along_poses, between, places, wrenches

SPRING = {**PAIR, "k": positive_numbers()}
STILL = np.zeros((2, 6))
IDENTITY = np.eye(3)

STIFFNESS_TEX = (
    r"\begin{pmatrix}"
    r"[{}^1\mathbf x_1][R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & [{}^1\mathbf x_1] & "
    r"[{}^1\mathbf x_1]R_1^TR_2[{}^2\mathbf x_2] & -[{}^1\mathbf x_1]R_1^TR_2\\"
    r"[R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & I & R_1^TR_2[{}^2\mathbf x_2] & -R_1^TR_2\\"
    r"[{}^2\mathbf x_2]R_2^TR_1[{}^1\mathbf x_1] & -[{}^2\mathbf x_2]R_2^TR_1 & "
    r"[{}^2\mathbf x_2][R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & [{}^2\mathbf x_2]\\"
    r"R_2^TR_1[{}^1\mathbf x_1] & -R_2^TR_1 & [R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & I"
    r"\end{pmatrix}"
)
"""The matrix that (1.37), (1.51), (1.62) and (1.67) share."""


def force_printed(E, x, k):
    R1, R2, _, _, _, _, dx = between(E, x)
    return k * np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])


def force_library(E, x, k):
    return zero_length_spring(k, E, x).w.ravel()


def force_reference(E, x, k):
    """Statics of a tension k L."""
    return wrenches(lambda L, Ldot: k * L, E, x, STILL)


def energy_printed(E, x, k):
    _, _, _, _, start, end, _ = between(E, x)
    dx = end - start
    return 0.5 * k * dx @ dx


def energy_library(E, x, k):
    return zero_length_energy(k, E, x)


def energy_reference(E, x, k):
    """Work against the spring while its points are drawn apart, one after the other, from the world's origin."""
    start, end = places(E, x)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    s, ds = (nodes + 1) / 2, weights / 2
    first = sum(w * k * (u * start) @ start for u, w in zip(s, ds, strict=True))
    second = sum(w * k * (u * end - start) @ end for u, w in zip(s, ds, strict=True))
    return first + second


def gradient_reference(E, x, k):
    def potential(moved):
        start, end = places(moved, x)
        return k * np.sum((end - start) ** 2) / 2

    return -along_poses(potential, E)


def stiffness_printed(E, x, k):
    R1, R2, p1, p2, start, end, _ = between(E, x)
    x1, x2 = bracket(x[0]), bracket(x[1])
    return k * np.block(
        [
            [x1 @ bracket(R1.T @ (p1 - end)), x1, x1 @ R1.T @ R2 @ x2, -x1 @ R1.T @ R2],
            [bracket(R1.T @ (p1 - end)), IDENTITY, R1.T @ R2 @ x2, -R1.T @ R2],
            [x2 @ R2.T @ R1 @ x1, -x2 @ R2.T @ R1, x2 @ bracket(R2.T @ (p2 - start)), x2],
            [R2.T @ R1 @ x1, -R2.T @ R1, bracket(R2.T @ (p2 - start)), IDENTITY],
        ]
    )


def stiffness_library(E, x, k):
    return zero_length_spring(k, E, x).K


def stiffness_reference(E, x, k):
    return along_poses(lambda moved: force_reference(moved, x, k), E)


def negative_library(E, x, k):
    return -zero_length_spring(k, E, x).K


def negative_reference(E, x, k):
    return -along_poses(lambda moved: force_reference(moved, x, k), E)


def symmetrised_library(E, x, k):
    return symmetric_part(zero_length_spring(k, E, x).K)


def symmetrised_reference(E, x, k):
    K = stiffness_reference(E, x, k)
    return K - (K - K.T) / 2


FORCE = ("rbnotes.forces.body_forces.zero_length_spring",)
ENERGY = ("rbnotes.forces.body_forces.zero_length_energy",)
SLOPE = "complex step of the statics of two points that attract each other, along body-frame increments"

RECORDS = [
    Record(
        id="sueda/s1.9.3/e1.35",
        title="Wrenches of a spring of rest length zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\mathsf f = k\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix},"
        r"\qquad \Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1",
        remark="The points attract each other.",
        oracle="statics: moments about the bodies' origins and forces, seen from the bodies",
        inputs=SPRING,
        printed=force_printed,
        library=force_library,
        reference=force_reference,
    ),
    Record(
        id="sueda/s1.9.3/t401",
        title="The wrenches are minus the gradient of the potential",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(*FORCE, *ENERGY),
        formula=r"\mathsf f = -\partial V/\partial E",
        oracle="complex step of half k times the squared distance, along body-frame increments",
        inputs=SPRING,
        printed=force_printed,
        library=force_library,
        reference=gradient_reference,
    ),
    Record(
        id="sueda/s1.9.3/e1.36",
        title="Potential of a spring of rest length zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=ENERGY,
        formula=r"V = \tfrac12 k\,\Delta\mathbf x^T\Delta\mathbf x",
        oracle="work against the spring while its points are drawn apart, by quadrature",
        inputs=SPRING,
        printed=energy_printed,
        library=energy_library,
        reference=energy_reference,
    ),
    Record(
        id="sueda/s1.9.3/e1.37#a",
        title="Stiffness of a spring of rest length zero, as (1.30) uses it",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"K = k" + STIFFNESS_TEX,
        correction=r"the same matrix with a minus sign in front: $K = +\partial\mathsf f/\partial E = -k(\cdots)$",
        remark=r"The text differentiates the force, and (1.30) takes $K = +\partial\mathsf f/\partial q$, as does (1.33); all "
        r"sixteen blocks have the sign of $-\partial\mathsf f/\partial E$. With it, $M - h^2K$ makes a stiff spring unstable.",
        oracle=SLOPE,
        inputs=SPRING,
        printed=stiffness_printed,
        library=stiffness_library,
        reference=stiffness_reference,
    ),
    Record(
        id="sueda/s1.9.3/e1.37#b",
        title="The sixteen blocks as derivatives of minus the force",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"k(\cdots) = -\partial\mathsf f/\partial E",
        remark="All blocks agree with each other; only the sign of the whole is wrong where it is used.",
        oracle=SLOPE,
        inputs=SPRING,
        printed=stiffness_printed,
        library=negative_library,
        reference=negative_reference,
    ),
    Record(
        id="sueda/s1.9.3/t409",
        title="Symmetrising it",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.path.symmetric_part",),
        formula=r"K = \tfrac12(K + K^T)",
        oracle="the derivative of the statics, less its skew part",
        inputs=SPRING,
        library=symmetrised_library,
        reference=symmetrised_reference,
    ),
]
