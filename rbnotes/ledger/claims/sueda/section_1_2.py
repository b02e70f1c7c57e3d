"""Sueda 1.2: velocity representation."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import AREA, LENGTH, POSE, POSE_RATE, RATE, TWIST
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, twists, vectors

section = Section(
    "sueda/s1.2",
    chapter="frames-and-twists",
    page_2019=Page(2),
    page_2021=Page(3, last=4),
    arguments={
        "phi": Argument(TWIST, "in the frame of the body"),
        "a": Argument(LENGTH, "along the axes of any one frame"),
        "b": Argument(LENGTH, "along the axes of any one frame"),
        "E": Argument(POSE, "of the body in the world"),
    },
)


MOTION = {"E": frames(), "phi": twists()}


def cross_printed(a, b):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ b


def cross_library(a, b):
    return so3.hat(a) @ b


def cross_reference(a, b):
    """Compare with numpy's cross product."""
    return np.cross(a, b)


@section.definition("e1.5", "A twist: angular velocity, then linear velocity, in body coordinates")
class e1_5:
    formula = r"{}^i\phi_i = \begin{pmatrix} {}^i\omega_i \\ {}^i\mathbf v_i \end{pmatrix}"
    defines = (r"{}^i\phi_i",)
    remark = "As the notes say, some authors stack the linear part first; Lloyd does so."
    implements = se3


@section.definition("e1.6", "A twist as a 4 x 4 matrix")
class e1_6:
    formula = r"[{}^i\phi_i] = \begin{pmatrix} [{}^i\omega_i] & {}^i\mathbf v_i \\ 0 & 0 \end{pmatrix}"
    inputs = {"phi": twists()}
    result = Result(POSE_RATE, "in the frame of the body")

    defines = (r"[{}^i\phi_i]",)

    def printed(phi):
        w, v, zero = phi[:3], phi[3:, None], np.zeros((1, 4))
        return np.vstack([np.hstack([bracket(w), v]), zero])

    def library(phi):
        return se3.hat(phi)

    def reference(phi):
        """Compare with the cross products of the angular velocity with the axes, and the velocity of the origin."""
        axis_rates = [np.append(np.cross(phi[:3], axis), 0) for axis in np.eye(3)]
        return np.stack([*axis_rates, np.append(phi[3:], 0)], axis=-1)

    exact = "entries are copied, and products with unit vectors are exact"
    implements = se3.hat


@section.holds("e1.7", "The matrix of a cross product", chapter="rotations")
class e1_7:
    formula = r"[a]\,b = a\times b,\quad [a] = \begin{pmatrix} 0 & -a_z & a_y \\ a_z & 0 & -a_x \\ -a_y & a_x & 0 \end{pmatrix}"
    inputs = {"a": vectors(), "b": vectors()}
    result = Result(AREA, "in the frame of a and b")
    printed = cross_printed
    library = cross_library
    reference = cross_reference
    exact = (
        "each number is a difference of two products, which all forms round in the same way unless the processor "
        "fuses them"
    )
    implements = so3.hat


@section.holds("e1.8", "Time derivative of a pose")
class e1_8:
    formula = (
        r"{}^0_i\dot E = {}^0_iE \begin{pmatrix} [{}^i\omega_i] & {}^i\mathbf v_i \\ 0 & 0 \end{pmatrix}"
    )
    inputs = MOTION
    result = Result(POSE_RATE, "of the body in the world")

    def printed(E, phi):
        return E @ twist_matrix(phi)

    def library(E, phi):
        return E @ se3.hat(phi)

    def reference(E, phi):
        """Compare with differences along a motion with a fixed axis and a constant velocity of the origin."""
        return derivative(motion(E, phi)).value

    remark = (
        r"The columns of $\dot E$ are those of $[\phi]$ along the axes of the world; this is the meaning "
        r"of `to transform it to world space'. The twist in world coordinates is different: ${}^0\phi = "
        r"\mathrm{Ad}\,\phi$ of (1.15), with $[{}^0\phi] = E[\phi]E^{-1} = \dot EE^{-1}$."
    )
    implements = se3.hat


@section.holds("e1.9", "Time derivative of a rotation matrix", chapter="rotations")
class e1_9:
    formula = r"{}^0_i\dot R = {}^0_iR\,[{}^i\omega_i]"
    inputs = MOTION
    result = Result(RATE, "of the body in the world")

    def printed(E, phi):
        return E[:3, :3] @ bracket(phi[:3])

    def library(E, phi):
        return E[:3, :3] @ so3.hat(phi[:3])

    def reference(E, phi):
        """Compare with differences along a rotation about a fixed axis."""
        return derivative(motion(E, phi)).value[:3, :3]

    implements = so3.hat
