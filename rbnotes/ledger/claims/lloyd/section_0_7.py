"""Lloyd 0.7: turning a mixed LCP into a regular LCP."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import (
    BilateralRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
    lcp_from_step,
    recover_unknowns,
    step_residuals,
)
from rbnotes.ledger.oracles.constrained_systems import constrained_system, mixed_motion
from rbnotes.ledger.quantities import MASS, MOMENTUM, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

CHAPTER = "qp-and-lcp"
SIZE, EQUATIONS, ROWS = 4, 2, 3
WHOLE = "the whole mixed system for the given z, assembled row by row and solved by elimination"
PROBLEM = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
}
AT_Z = {**PROBLEM, "z": vectors(ROWS)}
UNFORCED = {name: strategy for name, strategy in AT_Z.items() if name != "g"}
IDENTITY = np.eye(SIZE)


QUANTITIES = {"f": MOMENTUM, "g": VELOCITY, "gap": VELOCITY, "n": VELOCITY, "z": MOMENTUM}


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """w under the given z."""
    x, _ = mixed_motion(M, G, N, f, g, z)
    return np.array([row @ x for row in N]) - n


def candidate(M: Array, G: Array, N: Array, f: Array, g: Array, gap: Array, z: Array) -> tuple[Array, ...]:
    """n, z, x and lambda that satisfy all equations, with impulses that push and contacts that separate."""
    z = np.abs(z)
    x, multipliers = mixed_motion(M, G, N, f, g, z)
    return N @ x - np.abs(gap), z, x, multipliers


def multipliers_reference(M, G, N, f, g, n, z):
    return mixed_motion(M, G, N, f, g, z)[1]


def start_reference(M, G, N, f, g, n):
    return mixed_motion(M, G, N, f, g, np.zeros(ROWS))[1]


def speed_library(M, G, N, f, g, n, z):
    lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
    return lcp.M @ z + lcp.q + n


def speed_reference(M, G, N, f, g, n, z):
    """``N x``."""
    return slacks(M, G, N, f, g, 0 * n, z)


def P_f(M: Array, G: Array) -> Array:
    """What is left of unit forces, by elimination: mass times acceleration under ``G a = 0``."""
    zero = np.zeros(len(G))
    return np.stack([M @ constrained_system(M, G, unit, zero)[0] for unit in np.eye(len(M))], axis=1)


@claim("lloyd/s0.7/d1", "A mixed LCP")
class d1:
    formula = (
        r"\mathbf M\mathbf x - \mathbf G^T\boldsymbol\lambda - \mathbf N^T\mathbf z "
        r"= \mathbf f,\quad \mathbf G\mathbf x = \mathbf g,\quad \mathbf N\mathbf x \ge \mathbf n"
    )
    inputs = {**{name: PROBLEM[name] for name in "MGNfg"}, "gap": vectors(ROWS), "z": vectors(ROWS)}
    result = VELOCITY
    constants = (MASS,)

    def printed(M, G, N, f, g, gap, z):
        """The largest violation of what is printed: nothing is said about z."""
        n, z, x, multipliers = candidate(M, G, N, f, g, gap, z)
        balance = M @ x - G.T @ multipliers - N.T @ z - f
        return max(np.max(np.abs(balance)), np.max(np.abs(G @ x - g)), max(0.0, np.max(n - N @ x)))

    def library(M, G, N, f, g, gap, z):
        n, z, x, multipliers = candidate(M, G, N, f, g, gap, z)
        residuals = step_residuals(
            StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), StepSolution(x, multipliers, z)
        )
        return max(residuals.equations, residuals.natural)

    oracle = "by construction all else holds: what is violated is the smaller of each push and its gap"

    def reference(M, G, N, f, g, gap, z):
        """... of the optimality conditions: that equations hold is known, so it is push against gap."""
        return max(min(abs(push), abs(distance)) for push, distance in zip(z, gap, strict=True))

    verdict = Verdict.MISPRINT
    correction = (
        r"The line $0 \le \mathbf z \perp \mathbf N\mathbf x - \mathbf n \ge 0$ is missing; it is there "
        r"in the block form further on. Without it every $\mathbf z$ that separates the contacts would do."
    )
    implemented_by = (
        "rbnotes.dynamics.StepProblem",
        "rbnotes.dynamics.step_residuals",
    )
    chapter = CHAPTER


@claim("lloyd/s0.7/d2#a", "Multipliers of the equations as a function of z")
class d2_a:
    formula = (
        r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf "
        r"N^T\mathbf z + \boldsymbol\lambda_0"
    )
    inputs = AT_Z
    result = MOMENTUM

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = np.linalg.inv(S) @ (g - G @ Mi @ f)
        return -np.linalg.inv(S) @ G @ Mi @ N.T @ z + start

    def library(M, G, N, f, g, n, z):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[1]

    oracle = WHOLE
    reference = multipliers_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.recover_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d2#b", "Multipliers of the equations without contacts")
class d2_b:
    formula = (
        r"\boldsymbol\lambda_0 \equiv (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf "
        r"G\mathbf M^{-1}\mathbf f)"
    )
    inputs = PROBLEM
    result = MOMENTUM

    def printed(M, G, N, f, g, n):
        Mi = np.linalg.inv(M)
        return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ f)

    def library(M, G, N, f, g, n):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), np.zeros(ROWS))[
            1
        ]

    oracle = "the whole system without contacts, solved by elimination"
    reference = start_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.recover_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#a", "x from both kinds of multipliers")
class d3_a:
    formula = (
        r"\mathbf x = \mathbf M^{-1}\mathbf f + \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + \mathbf "
        r"M^{-1}\mathbf N^T\mathbf z"
    )
    inputs = AT_Z
    result = VELOCITY

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = mixed_motion(M, G, N, f, g, z)[1]
        return Mi @ f + Mi @ G.T @ multipliers + Mi @ N.T @ z

    def library(M, G, N, f, g, n, z):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[0]

    oracle = WHOLE

    def reference(M, G, N, f, g, n, z):
        return mixed_motion(M, G, N, f, g, z)[0]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Printed with a plain $G$."
    implemented_by = ("rbnotes.dynamics.recover_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#b", "Separation speeds from both kinds of multipliers")
class d3_b:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + "
        r"\mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    )
    inputs = AT_Z
    result = VELOCITY

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = mixed_motion(M, G, N, f, g, z)[1]
        return N @ Mi @ f + N @ Mi @ G.T @ multipliers + N @ Mi @ N.T @ z

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#c", "The multipliers of the equations substituted")
class d3_c:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\bigl[-(\mathbf G\mathbf "
        r"M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf N^T\mathbf z + \boldsymbol\lambda_0\bigr] "
        r"+ \mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    )
    inputs = AT_Z
    result = VELOCITY

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = mixed_motion(M, G, N, f, g, np.zeros(ROWS))[1]
        return N @ Mi @ f + N @ Mi @ G.T @ (-np.linalg.inv(S) @ G @ Mi @ N.T @ z + start) + N @ Mi @ N.T @ z

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#d", "Terms in z collected")
class d3_d:
    formula = (
        r"\mathbf N\mathbf M^{-1}\bigl[\mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}\mathbf G\mathbf M^{-1}\bigr]\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + "
        r"\mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    )
    inputs = AT_Z
    result = VELOCITY

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = mixed_motion(M, G, N, f, g, np.zeros(ROWS))[1]
        bracket = IDENTITY - G.T @ np.linalg.inv(S) @ G @ Mi
        return N @ Mi @ bracket @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ start

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d4", "The contact problem with projected forces")
class d4:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + "
        r"\mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    )
    inputs = AT_Z
    result = VELOCITY

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        start = mixed_motion(M, G, N, f, g, np.zeros(ROWS))[1]
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ start

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d5", "The contact problem with projected forces, for constraints at rest")
class d5:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf "
        r"P_f\mathbf f \ge \mathbf n \quad (\mathbf g = 0)"
    )
    inputs = UNFORCED
    result = VELOCITY

    def printed(M, G, N, f, n, z):
        Mi = np.linalg.inv(M)
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ P_f(M, G) @ f

    def library(M, G, N, f, n, z):
        return speed_library(M, G, N, f, np.zeros(EQUATIONS), n, z)

    oracle = WHOLE

    def reference(M, G, N, f, n, z):
        return speed_reference(M, G, N, f, np.zeros(EQUATIONS), n, z)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER
