"""Sueda 1.11: one step with contacts, and with joints besides."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.claims.sueda.section_1_11 import CHAPTER
from rbnotes.ledger.oracles.quadratic_programs import constrained_minimizer, contact_velocities
from rbnotes.ledger.quantities import ACCELERATION, NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

QUANTITIES = {"C": NUMBER}


STEP = ("rbnotes.dynamics.solve_step",)


NOTHING = np.zeros((0, 4))


QP = {"M": spd_matrices(4), "f": vectors(4)}


@claim("sueda/s1.11/e1.79", "One step with contacts as a quadratic program")
class e1_79:
    formula = (
        r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject "
        r"to}\quad \mathbf C\Phi \ge 0"
    )
    inputs = {**QP, "C": full_rank_matrices(2, 4)}
    result = ACCELERATION

    def printed(M, f, C):
        return constrained_minimizer(lambda Phi: 0.5 * Phi @ M @ Phi - Phi @ f, C, NOTHING)

    def library(M, f, C):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(C))).velocity

    oracle = (
        "momentum balance with impulses that push and contacts that do not open while they push, all "
        "cases tried"
    )

    def reference(M, f, C):
        """Newton's law with impulses that push, where a contact that pushes does not open (all cases tried)."""
        return contact_velocities(M, f, C, NOTHING)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = r"$\mathbf C$ is what (1.76) calls $\mathbf N$; in (1.87) the letter holds the tangents as well."
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s1.11/e1.80", "One step with contacts and joints")
class e1_80:
    formula = (
        r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject "
        r"to}\quad \mathbf C\Phi \ge 0,\ \mathbf G\Phi = 0"
    )
    inputs = {
        **QP,
        "C": full_rank_matrices(2, 4),
        "G": full_rank_matrices(1, 4),
    }
    result = ACCELERATION

    def printed(M, f, C, G):
        return constrained_minimizer(lambda Phi: 0.5 * Phi @ M @ Phi - Phi @ f, C, G)

    def library(M, f, C, G):
        return solve_step(StepProblem(M, f, BilateralRows(G), UnilateralRows(C))).velocity

    oracle = "momentum balance with impulses of joints and pushing contacts, all cases tried"

    def reference(M, f, C, G):
        return contact_velocities(M, f, C, G)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = STEP
    chapter = CHAPTER
