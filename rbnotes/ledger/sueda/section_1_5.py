"""Sueda 1.5: the adjoint."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3, so3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import frames, rotations, twists, vectors
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_2 import twist_matrix

MOVING = {"E": frames(), "phi": twists()}
TURNED = {"R": rotations(), "v": vectors(), "x": vectors()}
COMMON = {"verdict": Verdict.HOLDS, "chapter": "frames-and-twists"}


def adjoint_by_conjugation(E):
    """[Ad phi] = E [phi] E^-1, one unit twist after the other."""
    moved = [E @ twist_matrix(unit) @ np.linalg.inv(E) for unit in np.eye(6)]
    return np.stack([[X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]] for X in moved], axis=-1)


def adjoint_printed(E):
    R, p = E[:3, :3], E[:3, 3]
    zero = np.zeros((3, 3))
    return np.block([[R, zero], [bracket(p) @ R, R]])


def adjoint_library(E):
    return se3.Ad(E)


def world_twist_printed(E, phi):
    return adjoint_printed(E) @ phi


def world_twist_library(E, phi):
    return se3.Ad(E) @ phi


def world_twist_reference(E, phi):
    """Angular velocity in the world, and the velocity of the point of the body at the world's origin."""
    here = np.linalg.inv(E) @ np.array([0, 0, 0, 1.0])
    rate = derivative(motion(E, phi)).value
    spin = rate[:3, :3] @ E[:3, :3].T
    return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], (rate @ here)[:3]])


def adjoint_rate_reference(E, phi):
    pose = motion(E, phi)
    return derivative(lambda t: adjoint_by_conjugation(pose(t))).value


def product_rule_printed(E, phi):
    rate = derivative(motion(E, phi)).value
    R, p, Rdot, pdot = E[:3, :3], E[:3, 3], rate[:3, :3], rate[:3, 3]
    zero = np.zeros((3, 3))
    return np.block([[Rdot, zero], [bracket(pdot) @ R + bracket(p) @ Rdot, Rdot]])


def adjoint_rate_library(E, phi):
    return se3.Ad_dot(E, phi)


def adjoint_rate_printed(E, phi):
    R, p, w, v = E[:3, :3], E[:3, 3], bracket(phi[:3]), bracket(phi[3:])
    zero = np.zeros((3, 3))
    return np.block([[R @ w, zero], [R @ v + bracket(p) @ R @ w, R @ w]])


def bracket_printed(phi):
    w, v = bracket(phi[:3]), bracket(phi[3:])
    zero = np.zeros((3, 3))
    return np.block([[w, zero], [v, w]])


def factored_printed(E, phi):
    return adjoint_printed(E) @ bracket_printed(phi)


def lie_bracket_printed(a, b):
    return bracket_printed(a) @ b


def lie_bracket_library(a, b):
    return se3.ad(a) @ b


def lie_bracket_reference(a, b):
    A, B = twist_matrix(a), twist_matrix(b)
    X = A @ B - B @ A
    return np.array([X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])


def algebra_printed(E, phi):
    return np.linalg.inv(adjoint_printed(E)) @ adjoint_rate_reference(E, phi)


def algebra_library(E, phi):
    return se3.ad(phi)


def algebra_reference(E, phi):
    return np.stack([lie_bracket_reference(phi, unit) for unit in np.eye(6)], axis=-1)


STEP = 1e-7


def difference_printed(E, phi):
    moved = E @ expm(STEP * twist_matrix(phi))
    return (adjoint_by_conjugation(moved) - adjoint_by_conjugation(E)) / STEP


def difference_library(E, phi):
    return (se3.Ad(E @ se3.exp(STEP * phi)) - se3.Ad(E)) / STEP


def rotated_cross_reference(R, v, x):
    return np.cross(R @ v, R @ x)


def rotated_cross_library(R, v, x):
    return so3.hat(R @ v) @ (R @ x)


def rotated_cross_first(R, v, x):
    return R @ np.cross(v, x)


def rotated_cross_second(R, v, x):
    return R @ bracket(v) @ x


def rotated_cross_third(R, v, x):
    return (R @ bracket(v) @ R.T) @ (R @ x)


def origin_rate_printed(E, phi):
    return E[:3, :3] @ phi[3:]


def origin_rate_library(E, phi):
    return se3.point_velocity(E, np.zeros(3), phi)


def origin_rate_reference(E, phi):
    return derivative(motion(E, phi)).value[:3, 3]


def bracket_rate_first(E, phi):
    R = E[:3, :3]
    return bracket(R @ phi[3:]) @ R


def bracket_rate_second(E, phi):
    return E[:3, :3] @ bracket(phi[3:])


def bracket_rate_library(E, phi):
    return so3.hat(se3.point_velocity(E, np.zeros(3), phi)) @ E[:3, :3]


def bracket_rate_reference(E, phi):
    pose = motion(E, phi)
    return derivative(lambda t: bracket(pose(t)[:3, 3])).value @ E[:3, :3]


RECORDS = [
    Record(
        id="sueda/s1.5/e1.14",
        title="The adjoint of a pose",
        formula=r"{}^0_i\mathrm{Ad} = \begin{pmatrix} {}^0_iR & 0 \\ [{}^0_i\mathbf p]\,{}^0_iR & {}^0_iR \end{pmatrix}",
        oracle="conjugation of 4 x 4 twist matrices with the pose, one unit twist after the other",
        implemented_by=("rbnotes.se3.Ad",),
        inputs={"E": frames()},
        printed=adjoint_printed,
        library=adjoint_library,
        reference=adjoint_by_conjugation,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.15",
        title="The adjoint takes a body's twist to world coordinates",
        formula=r"{}^0\phi_i = {}^0_i\mathrm{Ad}\,{}^i\phi_i",
        oracle="differences along a motion: its spin in the world, and the velocity of its point at the world's origin",
        implemented_by=("rbnotes.se3.Ad",),
        inputs=MOVING,
        printed=world_twist_printed,
        library=world_twist_library,
        reference=world_twist_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.16",
        title="Rate of the adjoint by the product rule",
        formula=r"\dot{\mathrm{Ad}} = \begin{pmatrix} \dot R & 0 \\ [\dot{\mathbf p}]R + [\mathbf p]\dot R & \dot R "
        r"\end{pmatrix}",
        oracle="differences of conjugations along a motion with this twist",
        implemented_by=("rbnotes.se3.Ad_dot",),
        inputs=MOVING,
        printed=product_rule_printed,
        library=adjoint_rate_library,
        reference=adjoint_rate_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/t270",
        title="The origin of a frame moves in the world with R v, not with v",
        formula=r"[\dot{\mathbf p}] = [R\mathbf v]",
        oracle="differences of the origin's position along a motion with this twist",
        implemented_by=("rbnotes.se3.point_velocity",),
        inputs=MOVING,
        printed=origin_rate_printed,
        library=origin_rate_library,
        reference=origin_rate_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.17#a",
        title="Turning two vectors turns their cross product",
        formula=r"[R\mathbf v](R\mathbf x) = R(\mathbf v\times\mathbf x)",
        oracle="cross product of the turned vectors",
        implemented_by=("rbnotes.so3.hat",),
        inputs=TURNED,
        printed=rotated_cross_first,
        library=rotated_cross_library,
        reference=rotated_cross_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.17#b",
        title="The same with the matrix of the cross product",
        formula=r"[R\mathbf v](R\mathbf x) = R[\mathbf v]\mathbf x",
        oracle="cross product of the turned vectors",
        implemented_by=("rbnotes.so3.hat",),
        inputs=TURNED,
        printed=rotated_cross_second,
        library=rotated_cross_library,
        reference=rotated_cross_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.17#c",
        title="The matrix of a turned vector's cross product",
        formula=r"[R\mathbf v](R\mathbf x) = (R[\mathbf v]R^T)(R\mathbf x)",
        oracle="cross product of the turned vectors",
        implemented_by=("rbnotes.so3.hat",),
        inputs=TURNED,
        printed=rotated_cross_third,
        library=rotated_cross_library,
        reference=rotated_cross_reference,
        **COMMON,
    ),
    *(
        Record(
            id=f"sueda/s1.5/t276#{letter}",
            title=f"Rate of the bracket of the origin, {title}",
            formula=r"\tfrac{d}{dt}[\mathbf p]\,R = " + form,
            oracle="differences of the bracket of the origin's position along a motion with this twist",
            implemented_by=("rbnotes.so3.hat", "rbnotes.se3.point_velocity"),
            inputs=MOVING,
            printed=printed,
            library=bracket_rate_library,
            reference=bracket_rate_reference,
            **COMMON,
        )
        for letter, title, form, printed in (
            ("a", "with the turned velocity", r"[R\mathbf v]\,R", bracket_rate_first),
            ("b", "with the rotation in front", r"R\,[\mathbf v]", bracket_rate_second),
        )
    ),
    Record(
        id="sueda/s1.5/e1.18",
        title="Rate of the adjoint from the body's twist",
        formula=r"\dot{\mathrm{Ad}} = \begin{pmatrix} R[\omega] & 0 \\ "
        r"R[\mathbf v] + [\mathbf p]R[\omega] & R[\omega] \end{pmatrix}",
        oracle="differences of conjugations along a motion with this twist",
        implemented_by=("rbnotes.se3.Ad_dot",),
        inputs=MOVING,
        printed=adjoint_rate_printed,
        library=adjoint_rate_library,
        reference=adjoint_rate_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.19#a",
        title="The rate of the adjoint factors into Ad and ad",
        formula=r"\dot{\mathrm{Ad}}(E,\phi) = \mathrm{Ad}(E)\,\mathrm{ad}(\phi),\quad "
        r"\mathrm{ad}(\phi) = \begin{pmatrix} [\omega] & 0 \\ [\mathbf v] & [\omega] \end{pmatrix}",
        oracle="differences of conjugations along a motion with this twist",
        implemented_by=("rbnotes.se3.Ad_dot", "rbnotes.se3.ad"),
        inputs=MOVING,
        printed=factored_printed,
        library=adjoint_rate_library,
        reference=adjoint_rate_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.19#b",
        title="The spatial cross product is the Lie bracket of two twists",
        formula=r"[\mathrm{ad}(a)\,b] = [a][b] - [b][a]",
        oracle="the commutator of the 4 x 4 twist matrices",
        implemented_by=("rbnotes.se3.ad",),
        inputs={"a": twists(), "b": twists()},
        printed=lie_bracket_printed,
        library=lie_bracket_library,
        reference=lie_bracket_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/t284",
        title="The spatial cross product is what the adjoint's rate is to the adjoint",
        formula=r"\mathrm{ad} = \mathrm{Ad}^{-1}\dot{\mathrm{Ad}}",
        oracle="commutators of the 4 x 4 twist matrices, one unit twist after the other",
        implemented_by=("rbnotes.se3.ad",),
        inputs=MOVING,
        printed=algebra_printed,
        library=algebra_library,
        reference=algebra_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.5/e1.20",
        title="The rate of the adjoint as a difference along the twist",
        formula=r"\dot{\mathrm{Ad}} \approx \frac{\mathrm{Ad}(t+h) - \mathrm{Ad}(t)}{h},\quad "
        r"\mathrm{Ad}(t+h) = \mathrm{Ad}(E(t)\exp(h\phi(t)))",
        remark=r"Of first order in $h$: checked at $h = 10^{-7}$. Read $\exp(h[\phi])$ with the bracket of (1.10).",
        oracle="high-order differences of conjugations along a motion with this twist",
        implemented_by=("rbnotes.se3.Ad", "rbnotes.se3.exp"),
        inputs=MOVING,
        printed=difference_printed,
        library=difference_library,
        reference=adjoint_rate_reference,
        tolerance=2e-5,
        **COMMON,
    ),
]
