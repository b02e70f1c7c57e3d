"""Sueda 1.4: the material Jacobian, and its MATLAB transcript."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    FORCE,
    LENGTH,
    NUMBER,
    POINT_JACOBIAN,
    POSE,
    SCREW,
    TORQUE,
    TWIST,
    VELOCITY,
    WRENCH,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import frames, twists, vectors

section = Section(
    "sueda/s1.4",
    chapter="frames-and-twists",
    page_2019=Page(4, last=5),
    page_2021=Page(6, last=7),
    arguments={
        "E": Argument(POSE, "of the body in the world"),
        "x": Argument(LENGTH, "in the frame of the body"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "f": Argument(FORCE, "along the axes of the world"),
        "q": Argument(NUMBER, "of the two joints of an arm"),
        "first": Argument(SCREW, "screw of the first joint, in the frame that it moves"),
        "second": Argument(SCREW, "screw of the second joint, in the frame that it moves"),
    },
)


MOTION = {"E": frames(), "x": vectors(), "phi": twists()}
POINT_FORCE = {"E": frames(), "x": vectors(), "f": vectors()}
IDENTITY = np.eye(3)


def velocity_library(E, x, phi):
    return se3.point_velocity(E, x, phi)


def velocity_reference(E, x, phi):
    """Compare with differences of the point's position along a motion with this twist."""
    pose = motion(E, phi)
    return derivative(lambda t: (pose(t) @ np.append(x, 1))[:3]).value


ARM = {"q": vectors(2), "first": twists(), "second": twists(), "x": vectors(), "f": vectors()}


def screw_displacements(q, first, second):
    return expm(q[0] * twist_matrix(first)), expm(q[1] * twist_matrix(second))


POINT = np.array([1.0, 0.0, 0.0])
TRANSLATION = np.array([0, 0, 0, 1.0, 0, 0])
ROTATION = np.array([0, 0, 1.0, 0, 0, 0])


def velocity_transcript():
    return [0, 1, 0]


@section.holds("e1.12#a", "World velocity of a point of a moving body")
class e1_12_a:
    formula = r"{}^0\dot{\mathbf x} = R_i\,\bigl([{}^i\mathbf x]^T\ \ I\bigr)\,\phi_i"
    inputs = MOTION
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E, x, phi):
        return E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1) @ phi

    library = velocity_library
    reference = velocity_reference
    implements = se3.point_velocity


@section.misprint("e1.12#b", "The symbols J and Gamma under the braces")
class e1_12_b:
    page_2019 = Page(
        4,
        r"$\Gamma$ over $([{}^i\mathbf x]^\top\ \ I)$ and $\mathsf J$ under $\mathsf R_i([{}^i\mathbf x]^\top\ \ I)$",
    )
    page_2021 = Page(6, page_2019.content)
    formula = r"\underbrace{R_i\bigl(\underbrace{[{}^i\mathbf x]^T\ \ I}_{J}\bigr)}_{\Gamma}\,\phi_i,\qquad {}^0\dot{\mathbf x} = J\phi_i"
    edit = (
        r"\underbrace{R_i\bigl(\underbrace{[{}^i\mathbf x]^T\ \ I}_{J}\bigr)}_{\Gamma}",
        r"\underbrace{R_i\underbrace{\bigl([{}^i\mathbf x]^T\ \ I\bigr)}_{\Gamma}}_{J}",
    )
    inputs = MOTION
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E, x, phi):
        J = np.concatenate([bracket(x).T, IDENTITY], axis=1)
        return J @ phi

    library = velocity_library
    reference = velocity_reference
    correction = r"$J = R_i\Gamma$ with $\Gamma = \bigl([{}^i\mathbf x]^T\ \ I\bigr)$"
    remark = (
        "The labels under the braces are exchanged in the conversion. The text below, the transcript (`J = R*G`) and "
        r"(1.31) are right. With the labels of the text, the rotation is missing from ${}^0\dot{\mathbf x} = "
        r"J\phi_i$."
    )
    implements = se3.point_velocity


@section.holds("e1.13", "Body wrench of a world force at a point")
class e1_13:
    formula = r"f_i = J^T f_0,\quad J = R_i\Gamma"
    inputs = POINT_FORCE
    result = Result(WRENCH, "in the frame of the body")

    def printed(E, x, f):
        J = E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1)
        return J.T @ f

    def library(E, x, f):
        return se3.point_wrench(E, x, f)

    def reference(E, x, f):
        """Compare with statics: the moment about the body's origin and the force, rotated from world to body axes."""
        R = E[:3, :3]
        return np.concatenate([np.linalg.solve(R, np.cross(R @ x, f)), np.linalg.solve(R, f)])

    implements = se3.point_wrench


@section.holds("t218", "The transposed point Jacobian maps a force to generalized forces")
class t218:
    formula = r"\dot{\mathbf x} = J\dot{\mathsf q} \;\Rightarrow\; \mathsf f = J^T f_0"
    inputs = ARM
    result = Result(TORQUE, "about the two joints")

    def printed(q, first, second, x, f):
        """Return J^T f; each column of J is the velocity of the point for a unit velocity of one joint."""
        A, B = screw_displacements(q, first, second)
        point = np.append(x, 1)
        first_column = A @ twist_matrix(first) @ B @ point
        second_column = A @ B @ twist_matrix(second) @ point
        J = np.stack([first_column[:3], second_column[:3]], axis=-1)
        return J.T @ f

    def library(q, first, second, x, f):
        A, B = se3.exp(q[0] * first), se3.exp(q[1] * second)
        wrench = se3.point_wrench(A @ B, x, f)
        return np.array([wrench @ se3.Ad_inverse(B) @ first, wrench @ second])

    def reference(q, first, second, x, f):
        """Compare with differences of the work of the force on a point carried by two screw joints."""

        def work(joints):
            A, B = screw_displacements(joints, first, second)
            return f @ (A @ B @ np.append(x, 1))[:3]

        return jacobian(work, q).value

    tolerance = 1e-08
    primitives = ("rbnotes.ledger.claims.sueda.section_1_4.screw_displacements",)
    implements = (se3.point_wrench, se3.Ad_inverse)


@section.demonstration("m1#a", "Transcript: Gamma of the point (1, 0, 0)")
class m1_a:
    result = Result(
        POINT_JACOBIAN, "rows of the velocity of the point, over the twist, both in the frame of the body"
    )

    def printed():
        return [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, -1, 0, 0, 0, 1]]

    def library():
        return se3.Gamma(POINT)

    def reference():
        """Compare with velocities of the point for each unit twist, by differences."""
        return np.stack([velocity_reference(np.eye(4), POINT, unit) for unit in np.eye(6)], axis=-1)

    implements = se3.Gamma


@section.erratum("m1#b", "Transcript: velocity of the point while the body moves along x")
class m1_b:
    page_2019 = Page(5, "1, 0, 0")
    page_2021 = Page(7, page_2019.content)
    formula = r"\phi = (0,0,0,1,0,0)^T:\quad \texttt{vworld} = (0, 1, 0)^T"
    edit = ("(0, 1, 0)^T", "(1, 0, 0)^T")
    result = Result(VELOCITY, "along the axes of the world")
    printed = velocity_transcript

    def library():
        return se3.point_velocity(np.eye(4), POINT, TRANSLATION)

    def reference():
        """Compare with differences of the point's position while the body moves along x."""
        return velocity_reference(np.eye(4), POINT, TRANSLATION)

    correction = "$(1, 0, 0)^T$"
    remark = "The printed numbers are those of the rotation below."
    implements = se3.point_velocity


@section.demonstration("m1#c", "Transcript: velocity of the point while the body rotates about z")
class m1_c:
    result = Result(VELOCITY, "along the axes of the world")
    printed = velocity_transcript

    def library():
        return se3.point_velocity(np.eye(4), POINT, ROTATION)

    def reference():
        """Compare with differences of the point's position while the body rotates about z."""
        return velocity_reference(np.eye(4), POINT, ROTATION)

    implements = se3.point_velocity
