"""Si & Guenter, appendix C: time derivative of the adjoint mapping, line by line."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import frames, twists
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_5 import adjoint_by_conjugation

COMMON = {
    "verdict": Verdict.HOLDS,
    "chapter": "frames-and-twists",
    "oracle": "differences of conjugations with the inverse pose along a motion with this twist",
    "implemented_by": ("rbnotes.se3.Ad_inverse_dot",),
    "inputs": {"T": frames(), "v": twists()},
}
ZERO = np.zeros((3, 3))


def rate_reference(T, v):
    pose = motion(T, v)
    return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(pose(t)))).value


def rate_library(T, v):
    return se3.Ad_inverse_dot(T, v)


def product_rule(T, v):
    rate = derivative(motion(T, v)).value
    R, t, Rdot, tdot = T[:3, :3], bracket(T[:3, 3]), rate[:3, :3], bracket(rate[:3, 3])
    zero = ZERO
    return np.block([[Rdot.T, zero], [-Rdot.T @ t - R.T @ tdot, Rdot.T]])


def with_twist(T, v):
    R, t, w, u = T[:3, :3], bracket(T[:3, 3]), bracket(v[:3]), bracket(v[3:])
    zero = ZERO
    return np.block([[-w @ R.T, zero], [w @ R.T @ t - u @ R.T, -w @ R.T]])


def factored(T, v):
    R, t, w, u = T[:3, :3], bracket(T[:3, 3]), bracket(v[:3]), bracket(v[3:])
    zero = ZERO
    return -np.block([[w, zero], [u, w]]) @ np.block([[R.T, zero], [-R.T @ t, R.T]])


def with_adjoints(T, v):
    w, u = bracket(v[:3]), bracket(v[3:])
    zero = ZERO
    ad = np.block([[w, zero], [u, w]])
    return -ad @ adjoint_by_conjugation(np.linalg.inv(T))


FORMS = (
    (
        "a",
        "by the product rule",
        product_rule,
        r"\begin{bmatrix} \dot{\mathbf R}^T & 0 \\ -\dot{\mathbf R}^T[\mathbf t] - \mathbf R^T[\dot{\mathbf t}] & "
        r"\dot{\mathbf R}^T \end{bmatrix}",
    ),
    (
        "b",
        "with the body's twist put in",
        with_twist,
        r"\begin{bmatrix} -[\omega]\mathbf R^T & 0 \\ [\omega]\mathbf R^T[\mathbf t] - [\mathbf v]\mathbf R^T & "
        r"-[\omega]\mathbf R^T \end{bmatrix}",
    ),
    (
        "c",
        "as a product of two matrices",
        factored,
        r"-\begin{bmatrix} [\omega] & 0 \\ [\mathbf v] & [\omega] \end{bmatrix}"
        r"\begin{bmatrix} \mathbf R^T & 0 \\ -\mathbf R^T[\mathbf t] & \mathbf R^T \end{bmatrix}",
    ),
    (
        "d",
        "as a product of adjoints",
        with_adjoints,
        r"-\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T^{-1}}",
    ),
)

REMARKS = dict.fromkeys(
    "bc", r"The bold $[\mathbf v]$ is the bracket of the linear velocity $v$, not of the whole twist."
)

RECORDS = [
    Record(
        id=f"si/sC/d1#{letter}",
        title=f"Rate of the inverse adjoint, {title}",
        formula=r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = " + formula,
        remark=REMARKS.get(letter, ""),
        printed=printed,
        library=rate_library,
        reference=rate_reference,
        **COMMON,
    )
    for letter, title, printed, formula in FORMS
]
