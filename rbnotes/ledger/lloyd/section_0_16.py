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
from rbnotes.constraints.sequential import friction_impulse
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "gauss-seidel"
SLIDING = {"v_t": numbers(-4, 4), "w": positive_numbers(), "limit": positive_numbers(0.0, 2.0)}
TANGENT = {"D": nonzero_vectors(12).map(lambda d: d.reshape(2, 6)), "v": vectors(6)}
STRUCK = {**TANGENT, "M": spd_matrices(6), "impulse": vectors(2)}
IMPLEMENTED = ("rbnotes.constraints.sequential.friction_impulse",)


def response_printed(D, v, M, impulse):
    return D @ np.linalg.inv(M) @ D.T @ impulse


def response_reference(D, v, M, impulse):
    """Tangential velocity after the impulse less that before: momentum, then the rows."""
    after = np.linalg.solve(M, M @ v + D.T @ impulse)
    return D @ after - D @ v


def impulse_printed(v_t, w, limit):
    if v_t >= w * limit:
        return -limit
    if v_t <= w * limit:
        return limit
    return -v_t / w


def impulse_library(v_t, w, limit):
    return friction_impulse(v_t, w, limit)


def impulse_reference(v_t, w, limit):
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


def box_printed(v_t, w, limit):
    """Box friction (0.6) for one direction: no slip within the box, or slip against an impulse at a bound."""
    impulse = impulse_reference(v_t, w, limit)
    slip = v_t + w * impulse
    stuck = bool(np.isclose(slip, 0, atol=1e-7))
    at_bound = bool(np.isclose(abs(impulse), limit, atol=1e-7))
    return float(stuck or (at_bound and slip * impulse <= 0))


def box_reference(v_t, w, limit):
    return 1.0


RECORDS = [
    Record(
        id="lloyd/s0.16/d1",
        title="Tangential velocities at a contact",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"\mathbf v_t = \mathbf D\mathbf v",
        implemented_by=IMPLEMENTED,
    ),
    Record(
        id="lloyd/s0.16/d2",
        title="What a friction impulse does to the tangential velocities",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\Delta\mathbf v_t = w\,\boldsymbol\phi,\quad w \equiv \mathbf D\mathbf M^{-1}\mathbf D^T",
        oracle="tangential velocities before and after, from the momentum",
        implemented_by=IMPLEMENTED,
        inputs=STRUCK,
        printed=response_printed,
        reference=response_reference,
    ),
    Record(
        id="lloyd/s0.16/d3",
        title="The friction impulse of one direction",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        formula=r"\boldsymbol\phi = \begin{cases} -\boldsymbol\phi_\text{max} & v_t \ge w\,\boldsymbol\phi_\text{max} \\ "
        r"\boldsymbol\phi_\text{max} & v_t \le w\,\boldsymbol\phi_\text{max} \\ -v_t/w & \text{otherwise} \end{cases}",
        correction=r"The second case is for $v_t \le -w\,\boldsymbol\phi_\text{max}$.",
        remark="As printed the first two cases cover everything: there is no sticking, and a slow body is pushed the wrong way.",
        oracle="the impulse within its limits that leaves the least speed, by search",
        implemented_by=IMPLEMENTED,
        inputs=SLIDING,
        printed=impulse_printed,
        library=impulse_library,
        reference=impulse_reference,
    ),
    Record(
        id="lloyd/s0.16/t724",
        title="The impulse satisfies the conditions of box friction",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\text{This is equivalent to the box friction conditions described in (0.6)}",
        remark="With the second case corrected.",
        oracle="the number one, for: no slip within the box, or slip against an impulse at a bound",
        implemented_by=IMPLEMENTED,
        inputs=SLIDING,
        printed=box_printed,
        reference=box_reference,
    ),
]
