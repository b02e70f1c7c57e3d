"""Lloyd 0.23: implicit integration in world coordinates, for a body that turns.

The oracle takes the acceleration of a turning body from Newton's law for its point masses, and differences of it
as the body is turned, its velocity held in the world.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.forces.symmetry import inertia_stiffness, inertia_variation
from rbnotes.ledger.oracles.rotating_bodies import (
    acceleration,
    rotate_about_world_axis,
    world_inertia,
)
from rbnotes.ledger.quantities import LINEAR_FIRST_TWIST, LINEAR_FIRST_WRENCH, NUMBER, TIME
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    inertias,
    masses,
    nonzero_vectors,
    numbers,
    positive_numbers,
    rotations,
    vectors,
)

CHAPTER = "asymmetry"
IDENTITY = np.eye(3)
BODY = {"m": masses(), "J": inertias(), "R_BW": rotations()}
LOADED = {**BODY, "v": vectors(6), "f": vectors(6)}
TURNED = {**LOADED, "df": vectors(6), "delta": vectors()}
STEP = {**TURNED, "h": numbers(0.125, 2.0)}
AT_REST = vectors().map(lambda linear: np.concatenate([linear, np.zeros(3)]))
ORIENTATION = st.shared(rotations(), key="orientation of a body that turns about one of its axes")


QUANTITIES = {"delta": NUMBER, "df": LINEAR_FIRST_WRENCH, "f": LINEAR_FIRST_WRENCH, "v": LINEAR_FIRST_TWIST}


def whole_force(m, J, R_BW, v, f):
    """The force that ``a = M^-1 f`` needs: with the fictitious torque of a body that turns."""
    J_W, omega = R_BW @ J @ R_BW.T, v[3:]
    return np.concatenate([f[:3], f[3:] - np.cross(omega, J_W @ omega)])


def whole_force_change(m, J, R_BW, v, f, df, delta):
    """Change of that force less that of M at constant acceleration, when the body is turned by delta."""
    J_W, omega = R_BW @ J @ R_BW.T, v[3:]
    X = inertia_stiffness(J_W, whole_force(m, J, R_BW, v, f)[3:])
    fictitious = np.cross(omega, inertia_variation(J_W, delta) @ omega)
    return np.concatenate([df[:3], df[3:] - fictitious - X @ delta])


def acceleration_change_library(m, J, R_BW, v, f, df, delta):
    change = whole_force_change(m, J, R_BW, v, f, df, delta)
    return np.concatenate([change[:3] / m, np.linalg.solve(R_BW @ J @ R_BW.T, change[3:])])


def acceleration_change_reference(m, J, R_BW, v, f, df, delta):
    return derivative(
        lambda t: acceleration(m, J, rotate_about_world_axis(R_BW, delta, t), v[3:], f + t * df)
    ).value


def step_library(m, J, R_BW, v, f, df, delta, h):
    zero = np.zeros((6, 6))
    M_0 = zero.copy()
    M_0[:3, :3], M_0[3:, 3:] = m * IDENTITY, R_BW @ J @ R_BW.T
    change = whole_force_change(m, J, R_BW, v, f, df, delta)
    return linearly_implicit_velocity(M_0, v, whole_force(m, J, R_BW, v, f) + change, zero, zero, h)


def step_reference(m, J, R_BW, v, f, df, delta, h):
    """Velocity after a step with the acceleration at its end, to first order in the variations."""

    def velocity(t):
        return v + h * acceleration(m, J, rotate_about_world_axis(R_BW, delta, t), v[3:], f + t * df)

    return velocity(0) + derivative(velocity).value


def no_fictitious_torque(m, J, R_BW, v, f, *variations):
    """Does the body turn about a principal axis, or not at all?"""
    omega = R_BW.T @ v[3:]
    return bool(np.abs(np.cross(omega, J @ omega)).max() < 1e-9)


def never_a_fictitious_torque(m, J, R_BW, v, f, *variations):
    """Is there none in any orientation? Only if the body does not turn, or has three equal moments."""
    moments = np.linalg.eigvalsh(J)
    return bool(np.abs(v[3:]).max() * (moments[-1] - moments[0]) < 1e-9)


NEWTON = "Newton's law for the point masses of a turning body, in world axes"
VARIED = "differences of the acceleration of a turning body as it is turned, by " + NEWTON
DOES_NOT_TURN = (
    r"The body does not turn, or $\mathbf f$ holds the fictitious torque "
    r"$-\boldsymbol\omega\times\mathbf J\boldsymbol\omega$ too, and $\delta\mathbf f$ its variation: "
    r"in world axes that torque changes with the inertia. (For a ball it is zero.)"
)


@claim("lloyd/s0.23/d7", "Implicit integration to first order")
class d7:
    formula = (
        r"\mathbf v^{i+1}=\mathbf v^i+h\mathbf a^{i+1}"
        r"\approx\mathbf v^i+h(\mathbf a^i+\delta\mathbf a)"
    )
    inputs = STEP
    result = LINEAR_FIRST_TWIST

    def printed(m, J, R_BW, v, f, df, delta, h):
        """With the acceleration of Euler's equation, and differences of it."""
        omega = v[3:]

        def a(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            J_W, load = R @ J @ R.T, f + t * df
            torque = load[3:] - np.cross(omega, J_W @ omega)
            return np.concatenate([load[:3] / m, np.linalg.solve(J_W, torque)])

        return v + h * (a(0) + derivative(a).value)

    library = step_library
    oracle = "first-order expansion, by differences, of v + h a at the end of the step; a by " + NEWTON
    reference = step_reference
    tolerance = 1e-8
    verdict = Verdict.HOLDS
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implemented_by = ("rbnotes.dynamics.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.23/t1314", "The acceleration in world axes")
class t1314:
    formula = r"\mathbf a=\mathbf M^{-1}\mathbf f"
    inputs = LOADED
    result = LINEAR_FIRST_TWIST / TIME

    def printed(m, J, R_BW, v, f):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        M = np.block([[m * IDENTITY, zero], [zero, J_W]])
        return np.linalg.inv(M) @ f

    def library(m, J, R_BW, v, f):
        return step_library(m, J, R_BW, v, f, np.zeros(6), np.zeros(3), 1.0) - v

    oracle = NEWTON

    def reference(m, J, R_BW, v, f):
        return acceleration(m, J, R_BW, v[3:], f)

    verdict = Verdict.CONDITIONAL
    holds_when = no_fictitious_torque
    given = {
        **LOADED,
        "J": nonzero_vectors().map(lambda d: np.diag(np.sum(d**2) + 1 - d**2)),
        "R_BW": ORIENTATION,
        "v": st.builds(
            lambda linear, rate, R: np.concatenate([linear, rate * R[:, 2]]),
            vectors(),
            positive_numbers(),
            ORIENTATION,
        ),
    }
    condition = (
        r"The body does not turn, or turns about a principal axis; else $\mathbf f$ has to hold the fictitious "
        r"torque $-\boldsymbol\omega\times\mathbf J\boldsymbol\omega$ too."
    )
    remark = "The momentum of a turning body changes with its inertia: in world axes M is not constant."
    implemented_by = ("rbnotes.dynamics.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d8#a", "How the acceleration varies, by the product rule")
class d8_a:
    formula = r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f+\delta(\mathbf M^{-1})\mathbf f"
    inputs = TURNED
    result = LINEAR_FIRST_TWIST / TIME

    def printed(m, J, R_BW, v, f, df, delta):
        def M_inverse(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[IDENTITY / m, zero], [zero, np.linalg.inv(R @ J @ R.T)]])

        return M_inverse(0) @ df + derivative(M_inverse).value @ f

    library = acceleration_change_library
    oracle = VARIED
    reference = acceleration_change_reference
    tolerance = 1e-8
    equivalent_mutants = {"swapped operands in `derivative(M_inverse).value @ f`": "the matrix is symmetric"}
    verdict = Verdict.CONDITIONAL
    holds_when = never_a_fictitious_torque
    given = {**TURNED, "v": AT_REST}
    condition = DOES_NOT_TURN
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d8#b", "How the acceleration varies, with the variation of the inertia")
class d8_b:
    formula = (
        r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f"
        r"-\mathbf M^{-1}\delta\mathbf M\,\mathbf M^{-1}\mathbf f"
    )
    inputs = TURNED
    result = LINEAR_FIRST_TWIST / TIME

    def printed(m, J, R_BW, v, f, df, delta):
        def M(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[m * IDENTITY, zero], [zero, R @ J @ R.T]])

        M_inverse = np.linalg.inv(M(0))
        return M_inverse @ df - M_inverse @ derivative(M).value @ M_inverse @ f

    library = acceleration_change_library
    oracle = VARIED
    reference = acceleration_change_reference
    tolerance = 1e-8
    equivalent_mutants = {
        "swapped operands in `M_inverse @ derivative(M).value @ M_inverse @ f`": "the matrix before f is symmetric"
    }
    verdict = Verdict.CONDITIONAL
    holds_when = never_a_fictitious_torque
    given = {**TURNED, "v": AT_REST}
    condition = DOES_NOT_TURN
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d9", "The step, multiplied by the inertia")
class d9:
    formula = (
        r"\mathbf M\mathbf v^{i+1}=\mathbf M\mathbf v^i"
        r"+h(\mathbf f^i+\delta\mathbf f-\delta\mathbf M\,\mathbf M^{-1}\mathbf f)"
    )
    inputs = STEP
    result = LINEAR_FIRST_WRENCH * TIME

    def printed(m, J, R_BW, v, f, df, delta, h):
        def M(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[m * IDENTITY, zero], [zero, R @ J @ R.T]])

        return M(0) @ v + h * (f + df - derivative(M).value @ np.linalg.inv(M(0)) @ f)

    def library(m, J, R_BW, v, f, df, delta, h):
        after = step_library(m, J, R_BW, v, f, df, delta, h)
        return np.concatenate([m * after[:3], R_BW @ J @ R_BW.T @ after[3:]])

    oracle = "first-order expansion, by differences, of the momentum at the end of the step; a by " + NEWTON

    def reference(m, J, R_BW, v, f, df, delta, h):
        return world_inertia(m, J, R_BW) @ step_reference(m, J, R_BW, v, f, df, delta, h)

    tolerance = 1e-8
    verdict = Verdict.CONDITIONAL
    holds_when = never_a_fictitious_torque
    given = {**STEP, "v": AT_REST}
    condition = DOES_NOT_TURN
    remark = r"$\mathbf M$ is that at the beginning of the step, on both sides."
    equivalent_mutants = {
        "filled zero at 1 in `[m * IDENTITY, zero]`": "a body at rest has no angular velocity that this block could take",
        "negated R @ J @ R.T in `[zero, R @ J @ R.T]`": (
            "a body at rest has no angular momentum, and in dM M^-1 the sign cancels"
        ),
    }
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER
