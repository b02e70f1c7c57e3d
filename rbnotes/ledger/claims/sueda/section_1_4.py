"""Sueda 1.4: the material Jacobian, and its MATLAB transcript."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import NUMBER, POINT_JACOBIAN, SCREW, TORQUE, VELOCITY, WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import frames, twists, vectors

CHAPTER = "frames-and-twists"
MOVING = {"E": frames(), "x": vectors(), "phi": twists()}
PULLED = {"E": frames(), "x": vectors(), "f": vectors()}
IDENTITY = np.eye(3)


QUANTITIES = {"first": SCREW, "q": NUMBER, "second": SCREW}


def velocity_library(E, x, phi):
    return se3.point_velocity(E, x, phi)


def velocity_reference(E, x, phi):
    pose = motion(E, phi)
    return derivative(lambda t: (pose(t) @ np.append(x, 1))[:3]).value


ARM = {"q": vectors(2), "first": twists(), "second": twists(), "x": vectors(), "f": vectors()}


def screws(q, first, second):
    return expm(q[0] * twist_matrix(first)), expm(q[1] * twist_matrix(second))


POINT = np.array([1.0, 0.0, 0.0])
TRANSLATION = np.array([0, 0, 0, 1.0, 0, 0])
ROTATION = np.array([0, 0, 1.0, 0, 0, 0])


def sideways_transcript():
    return [0, 1, 0]


@claim("sueda/s1.4/e1.12#a", "World velocity of a point of a moving body")
class e1_12_a:
    formula = r"{}^0\dot{\mathbf x} = R_i\,\bigl([{}^i\mathbf x]^T\ \ I\bigr)\,\phi_i"
    inputs = MOVING
    result = VELOCITY

    def printed(E, x, phi):
        return E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1) @ phi

    library = velocity_library
    oracle = "differences of the point's position along a motion with this twist"
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s1.4/e1.12#b", "Which factor is called J and which Gamma")
class e1_12_b:
    formula = (
        r"\underbrace{R_i\bigl(\underbrace{[{}^i\mathbf x]^T\ \ I}_{J}\bigr)}_{\Gamma}\,\phi_i,\qquad "
        r"{}^0\dot{\mathbf x} = J\phi_i"
    )
    inputs = MOVING
    result = VELOCITY

    def printed(E, x, phi):
        J = np.concatenate([bracket(x).T, IDENTITY], axis=1)
        return J @ phi

    library = velocity_library
    oracle = "differences of the point's position along a motion with this twist"
    reference = velocity_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = r"$J = R_i\Gamma$ with $\Gamma = \bigl([{}^i\mathbf x]^T\ \ I\bigr)$"
    remark = (
        r"The labels under the braces are exchanged. The text below, the transcript (`J = R*G`) and "
        r"(1.31) have them right; with the printed labels the rotation is missing from ${}^0\dot{\mathbf "
        r"x} = J\phi_i$."
    )
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s1.4/e1.13", "Body wrench of a world force at a point")
class e1_13:
    formula = r"f_i = J^T f_0,\quad J = R_i\Gamma"
    inputs = PULLED
    result = WRENCH

    def printed(E, x, f):
        J = E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1)
        return J.T @ f

    def library(E, x, f):
        return se3.point_wrench(E, x, f)

    oracle = "statics: the force and its moment about the body's origin, in the world, seen from the body"

    def reference(E, x, f):
        """Moment about the body's origin and force, in the world; then both seen from the body."""
        R = E[:3, :3]
        return np.concatenate([np.linalg.solve(R, np.cross(R @ x, f)), np.linalg.solve(R, f)])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_wrench",)
    chapter = CHAPTER


@claim(
    "sueda/s1.4/t218",
    "If J maps generalized velocities to a point's velocity, its transpose maps forces back",
)
class t218:
    formula = r"\dot{\mathbf x} = J\dot{\mathsf q} \;\Rightarrow\; \mathsf f = J^T f_0"
    inputs = ARM
    result = TORQUE

    def printed(q, first, second, x, f):
        """J maps the joints' velocities to the velocity of the point: one column for each joint that moves alone."""
        A, B = screws(q, first, second)
        here = np.append(x, 1)
        by_first = A @ twist_matrix(first) @ B @ here
        by_second = A @ B @ twist_matrix(second) @ here
        J = np.stack([by_first[:3], by_second[:3]], axis=-1)
        return J.T @ f

    def library(q, first, second, x, f):
        A, B = se3.exp(q[0] * first), se3.exp(q[1] * second)
        wrench = se3.point_wrench(A @ B, x, f)
        return np.array([wrench @ se3.Ad_inverse(B) @ first, wrench @ second])

    oracle = "differences of the work of the force, for a point behind two screw joints"

    def reference(q, first, second, x, f):
        def work(joints):
            A, B = screws(joints, first, second)
            return f @ (A @ B @ np.append(x, 1))[:3]

        return jacobian(work, q).value

    tolerance = 1e-08
    primitives = ("rbnotes.ledger.claims.sueda.section_1_4.screws",)
    equivalent_mutants = {
        "swapped operands in `A @ twist_matrix(first)`": "a matrix exponential commutes with its exponent"
    }
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.se3.point_wrench",
        "rbnotes.se3.Ad_inverse",
    )
    chapter = CHAPTER


@claim("sueda/s1.4/m1#a", "Transcript: Gamma of the point (1, 0, 0)")
class m1_a:
    result = POINT_JACOBIAN

    def printed():
        return [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, -1, 0, 0, 0, 1]]

    def library():
        return se3.Gamma(POINT)

    oracle = "velocities of the point for each unit twist, by differences"

    def reference():
        return np.stack([velocity_reference(np.eye(4), POINT, unit) for unit in np.eye(6)], axis=-1)

    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.Gamma",)
    chapter = CHAPTER


@claim("sueda/s1.4/m1#b", "Transcript: velocity of the point while the body moves along x")
class m1_b:
    formula = r"\phi = (0,0,0,1,0,0)^T:\quad \texttt{vworld} = (0, 1, 0)^T"
    result = VELOCITY
    printed = sideways_transcript

    def library():
        return se3.point_velocity(np.eye(4), POINT, TRANSLATION)

    oracle = "differences of the point's position while the body moves along x"

    def reference():
        return velocity_reference(np.eye(4), POINT, TRANSLATION)

    verdict = Verdict.ERRATUM
    correction = "$(1, 0, 0)^T$"
    remark = "The printed numbers are those of the rotation below."
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s1.4/m1#c", "Transcript: velocity of the point while the body turns about z")
class m1_c:
    result = VELOCITY
    printed = sideways_transcript

    def library():
        return se3.point_velocity(np.eye(4), POINT, ROTATION)

    oracle = "differences of the point's position while the body turns about z"

    def reference():
        return velocity_reference(np.eye(4), POINT, ROTATION)

    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER
