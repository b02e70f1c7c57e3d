"""Si & Guenter, appendix C: time derivative of the adjoint mapping, line by line."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.quantities import ADJOINT, POSE, TIME, TWIST
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, twists

section = Section(
    "si/sC",
    chapter="frames-and-twists",
    arguments={
        "T": Argument(POSE, "of the body in the world"),
        "v": Argument(TWIST, "in the frame of the body"),
    },
)


MOTION = {"T": frames(), "v": twists()}
ZERO = np.zeros((3, 3))
REMARK = r"The bold $[\mathbf v]$ is the bracket of the linear velocity $v$, not of the whole twist."


def rate_reference(T, v):
    """Compare with differences of conjugations with the inverse pose along a motion with this twist."""
    pose = motion(T, v)
    return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(pose(t)))).value


def rate_library(T, v):
    return se3.Ad_inverse_dot(T, v)


@section.holds("d1#a", "Rate of the inverse adjoint, by the product rule")
class d1_a:
    formula = r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = \begin{bmatrix} \dot{\mathbf R}^T & 0 \\ -\dot{\mathbf R}^T[\mathbf t] - \mathbf R^T[\dot{\mathbf t}] & \dot{\mathbf R}^T \end{bmatrix}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(T, v):
        rate = derivative(motion(T, v)).value
        R, t, Rdot, tdot = T[:3, :3], bracket(T[:3, 3]), rate[:3, :3], bracket(rate[:3, 3])
        return np.block([[Rdot.T, ZERO], [-Rdot.T @ t - R.T @ tdot, Rdot.T]])

    library = rate_library
    reference = rate_reference
    implements = se3.Ad_inverse_dot


@section.holds("d1#b", "Rate of the inverse adjoint, with the body's twist substituted")
class d1_b:
    formula = r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = \begin{bmatrix} -[\omega]\mathbf R^T & 0 \\ [\omega]\mathbf R^T[\mathbf t] - [\mathbf v]\mathbf R^T & -[\omega]\mathbf R^T \end{bmatrix}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(T, v):
        R, t, w, u = T[:3, :3], bracket(T[:3, 3]), bracket(v[:3]), bracket(v[3:])
        return np.block([[-w @ R.T, ZERO], [w @ R.T @ t - u @ R.T, -w @ R.T]])

    library = rate_library
    reference = rate_reference
    remark = REMARK
    implements = se3.Ad_inverse_dot


@section.holds("d1#c", "Rate of the inverse adjoint, as a product of two matrices")
class d1_c:
    formula = r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = -\begin{bmatrix} [\omega] & 0 \\ [\mathbf v] & [\omega] \end{bmatrix}\begin{bmatrix} \mathbf R^T & 0 \\ -\mathbf R^T[\mathbf t] & \mathbf R^T \end{bmatrix}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(T, v):
        R, t, w, u = T[:3, :3], bracket(T[:3, 3]), bracket(v[:3]), bracket(v[3:])
        return -np.block([[w, ZERO], [u, w]]) @ np.block([[R.T, ZERO], [-R.T @ t, R.T]])

    library = rate_library
    reference = rate_reference
    remark = REMARK
    implements = se3.Ad_inverse_dot


@section.holds("d1#d", "Rate of the inverse adjoint, as a product of adjoints")
class d1_d:
    formula = (
        r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = -\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T^{-1}}"
    )
    inputs = MOTION
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(T, v):
        w, u = bracket(v[:3]), bracket(v[3:])
        ad = np.block([[w, ZERO], [u, w]])
        return -ad @ adjoint_by_conjugation(np.linalg.inv(T))

    library = rate_library
    reference = rate_reference
    implements = se3.Ad_inverse_dot
