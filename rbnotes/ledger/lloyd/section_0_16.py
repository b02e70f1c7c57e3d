"""Lloyd 0.16: a Gauss-Seidel friction iteration, for one tangential direction."""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import (
    nonzero_vectors,
    numbers,
    positive_numbers,
    spd_matrices,
    vectors,
)
from rbnotes.complementarity import BoxLCP, solve_lcp
from rbnotes.constraints.sequential import friction_impulse
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "gauss-seidel"
SLIDING = {"v_t": numbers(-4, 4), "w": positive_numbers(), "limit": positive_numbers(0.0, 2.0)}
TANGENT = {"D": nonzero_vectors(12).map(lambda d: d.reshape(2, 6)), "v": vectors(6)}
STRUCK = {**TANGENT, "M": spd_matrices(6), "impulse": vectors(2)}
IMPLEMENTED = ("rbnotes.constraints.sequential.friction_impulse",)


def impulse_printed(v_t, w, limit):
    if v_t >= w * limit:
        return -limit
    if v_t <= w * limit:
        return limit
    return -v_t / w


@claim("lloyd/s0.16/d1", "Tangential velocities at a contact")
class d1:
    formula = r"\mathbf v_t = \mathbf D\mathbf v"
    verdict = Verdict.DEFINITION
    implemented_by = IMPLEMENTED
    chapter = CHAPTER


@claim("lloyd/s0.16/d2", "What a friction impulse does to the tangential velocities")
class d2:
    formula = r"\Delta\mathbf v_t = w\,\boldsymbol\phi,\quad w \equiv \mathbf D\mathbf M^{-1}\mathbf D^T"
    inputs = STRUCK

    def printed(D, v, M, impulse):
        return D @ np.linalg.inv(M) @ D.T @ impulse

    oracle = "tangential velocities before and after, from the momentum"

    def reference(D, v, M, impulse):
        """Tangential velocity after the impulse less that before: momentum, then the rows."""
        after = np.linalg.solve(M, M @ v + D.T @ impulse)
        return D @ after - D @ v

    verdict = Verdict.HOLDS
    implemented_by = IMPLEMENTED
    chapter = CHAPTER


@claim("lloyd/s0.16/d3", "The friction impulse of one direction")
class d3:
    formula = (
        r"\boldsymbol\phi = \begin{cases} -\boldsymbol\phi_\text{max} & v_t \ge "
        r"w\,\boldsymbol\phi_\text{max} \\"
        r" \boldsymbol\phi_\text{max} & v_t \le w\,\boldsymbol\phi_\text{max} \\"
        r" -v_t/w & \text{otherwise} \end{cases}"
    )
    inputs = SLIDING
    printed = impulse_printed

    def library(v_t, w, limit):
        return friction_impulse(v_t, w, limit)

    oracle = "the impulse within its limits that leaves the least speed, by search"

    def reference(v_t, w, limit):
        """The impulse within its limits after which |v_t| is least, by golden-section search of a convex function."""
        low, high = -limit, limit
        ratio = (np.sqrt(5) - 1) / 2
        for _ in range(80):
            a, b = high - ratio * (high - low), low + ratio * (high - low)
            # Compare velocities, not their squares, which are flat at the minimum.
            if abs(v_t + w * a) < abs(v_t + w * b):
                high = b
            else:
                low = a
        return (low + high) / 2

    verdict = Verdict.ERRATUM
    correction = (
        r"The second case is for $v_t \le -w\,\boldsymbol\phi_\text{max}$. One direction at a time: $w$ "
        r"is a number."
    )
    remark = (
        "As printed the first two cases cover everything: there is no sticking, and a slow body is "
        "pushed the wrong way."
    )
    implemented_by = IMPLEMENTED
    chapter = CHAPTER


@claim("lloyd/s0.16/t724", "The impulse is that of box friction")
class t724:
    formula = r"\text{This is equivalent to the box friction conditions described in (0.6)}"
    inputs = SLIDING
    printed = impulse_printed

    def library(v_t, w, limit):
        """The box LCP of this one direction."""
        return solve_lcp(BoxLCP(((w,),), (v_t,), -limit, limit)).z[0]

    oracle = "box friction by trying its states: stick, or slide against the impulse at a bound"

    def reference(v_t, w, limit):
        """Box friction by trying its states: stick, or slide against the impulse at a bound."""
        stick = v_t / w
        if abs(stick) <= limit:
            return 0.0 - stick
        low, high = -limit, limit
        return low if v_t + w * low > 0 else high

    verdict = Verdict.ERRATUM
    correction = (
        r"It is, with the second case corrected, with the two parts of $\boldsymbol\sigma$ that (0.6) "
        r"needs, and for one direction at a time."
    )
    remark = (
        "Two directions that act on each other, with a matrix $w$ that is not diagonal, take several "
        "turns to get to the impulses of box friction."
    )
    implemented_by = (
        "rbnotes.complementarity.BoxLCP",
        "rbnotes.constraints.sequential.friction_impulse",
    )
    chapter = CHAPTER
