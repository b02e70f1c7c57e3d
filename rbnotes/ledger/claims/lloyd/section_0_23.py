"""Lloyd 0.23: why Jacobians of forces on rigid bodies are not symmetric.

The oracle rotates the body by small angles and takes differences of the force, or of the inertia and the
acceleration, in the respective axes.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.forces.body_forces import directional_force
from rbnotes.forces.symmetry import inertia_asymmetry, inertia_stiffness, inertia_variation
from rbnotes.inertia import spatial_inertia, swap_stacking
from rbnotes.ledger import quantities as units
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.rotating_bodies import (
    acceleration,
    rotate_about_body_axis,
    rotate_about_world_axis,
    world_inertia,
)
from rbnotes.ledger.quantities import (
    INERTIA,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    MASS,
    NUMBER,
    RATE,
    TIME,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
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

LINEAR_FIRST_IN_WORLD = "linear part first, along the axes of the world"

section = Section(
    "lloyd/s0.23",
    chapter="asymmetry",
    arguments={
        "R_BW": Argument(NUMBER, "of the body in the world"),
        "f": Argument(LINEAR_FIRST_WRENCH, "along the axes of the world"),
        "delta": Argument(NUMBER, "small rotation of the body, along the axes of the world"),
        "m": Argument(MASS),
        "J": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "omega": Argument(RATE, "along the axes of the world"),
        "v": Argument(LINEAR_FIRST_TWIST, "along the axes of the world"),
        "df": Argument(LINEAR_FIRST_WRENCH, "along the axes of the world"),
        "h": Argument(TIME),
        "tau": Argument(units.TORQUE, "along the axes of the world"),
    },
)


IDENTITY = np.eye(3)
AT_CENTER = np.zeros(3)

FORCE = {"R_BW": rotations(), "f": vectors()}
FORCE_VARIATION = {**FORCE, "delta": vectors()}


def frame(R_BW):
    E = np.eye(4)
    E[:3, :3] = R_BW
    return E


def body_force_variation_library(R_BW, f, delta):
    return directional_force(1.0, f, frame(R_BW), AT_CENTER).K[3:, :3] @ delta


def body_force_variation_reference(R_BW, f, delta):
    """Compare with differences of the components of the force along the axes of a rotating body."""
    return derivative(lambda t: rotate_about_body_axis(R_BW, delta, t).T @ f).value


def body_force_jacobian_library(R_BW, f):
    return directional_force(1.0, f, frame(R_BW), AT_CENTER).K[3:, :3]


def body_force_jacobian_reference(R_BW, f):
    """Compare with differences of the components of the force along the axes of a rotating body."""
    return np.stack([body_force_variation_reference(R_BW, f, axis) for axis in IDENTITY], axis=-1)


def is_asymmetric(A):
    return float(np.abs(A - A.T).max() > 1e-6)


@section.holds("d1", "A constant force in body coordinates")
class d1:
    formula = r"{}^B\mathbf f=\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE
    arguments = {"f": Argument(units.FORCE, "along the axes of the world")}
    result = Result(units.FORCE, "along the axes of the body")

    def printed(R_BW, f):
        R_WB = R_BW.T
        return R_WB @ f

    def library(R_BW, f):
        return directional_force(1.0, f, frame(R_BW), AT_CENTER).w[3:]

    def reference(R_BW, f):
        """Compute the components along the body's axes, one by one."""
        # Components along the body's axes, one by one.
        return np.array([f @ axis for axis in R_BW.T])

    exact = "both forms are sums of three products along the same axes"
    implements = directional_force


@section.holds("d2#a", "Variation of the components, with the rotation of the world relative to the body")
class d2_a:
    formula = r"{}^B\delta\mathbf f=[{}^B\delta\boldsymbol\omega_{WB}]\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE_VARIATION
    arguments = {
        "f": Argument(units.FORCE, "along the axes of the world"),
        "delta": Argument(NUMBER, "small rotation of the body, along its axes"),
    }
    result = Result(units.FORCE, "along the axes of the body")

    def printed(R_BW, f, delta):
        delta_WB = -delta
        return bracket(delta_WB) @ R_BW.T @ f

    library = body_force_variation_library
    reference = body_force_variation_reference
    remark = r"$\delta\boldsymbol\omega$ is a small rotation here, $\delta\boldsymbol\theta$ in section 0.22."
    implements = directional_force


@section.holds("d2#b", "Variation of the components, with the rotation of the body")
class d2_b:
    formula = r"{}^B\delta\mathbf f=-[{}^B\delta\boldsymbol\omega_{BW}]\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE_VARIATION
    arguments = {
        "f": Argument(units.FORCE, "along the axes of the world"),
        "delta": Argument(NUMBER, "small rotation of the body, along its axes"),
    }
    result = Result(units.FORCE, "along the axes of the body")

    def printed(R_BW, f, delta):
        return -bracket(delta) @ R_BW.T @ f

    library = body_force_variation_library
    reference = body_force_variation_reference
    implements = directional_force


@section.holds("d3", "Jacobian of a constant force in body coordinates")
class d3:
    formula = r"\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}=[\mathbf R_{WB}{}^W\mathbf f]"
    inputs = FORCE
    arguments = {"f": Argument(units.FORCE, "along the axes of the world")}
    result = Result(units.FORCE, "along the axes of the body, by small rotations along the axes of the world")

    def printed(R_BW, f):
        R_WB = R_BW.T
        return bracket(R_WB @ f)

    library = body_force_jacobian_library
    reference = body_force_jacobian_reference
    implements = directional_force


@section.holds("t1288", "The Jacobian of a constant force in body coordinates is not symmetric")
class t1288:
    formula = r"\text{(which is asymmetrical)}:\quad\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}-\Bigl(\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}\Bigr)^T=2[\mathbf R_{WB}{}^W\mathbf f]"
    inputs = FORCE
    arguments = {"f": Argument(units.FORCE, "along the axes of the world")}
    result = Result(units.FORCE, "the Jacobian of that force minus its transpose")

    def printed(R_BW, f):
        R_WB = R_BW.T
        return 2 * bracket(R_WB @ f)

    def library(R_BW, f):
        K = body_force_jacobian_library(R_BW, f)
        return K - K.T

    def reference(R_BW, f):
        """Subtract the transpose from differences of the force's components along the body axes."""
        K = body_force_jacobian_reference(R_BW, f)
        return K - K.T

    remark = "The Jacobian is skew-symmetric: its symmetric part is zero."
    implements = directional_force


# ------------------------------------------------------------------------------------------------------------
# Implicit integration in world coordinates, for a rotating body.
#
# The oracle computes the acceleration of a rotating body by Newton's law for its point masses, and its
# differences for small rotations at constant world velocity.


BODY = {"m": masses(), "J": inertias(), "R_BW": rotations()}
LOADED_BODY = {**BODY, "v": vectors(6), "f": vectors(6)}
LOAD_VARIATION = {**LOADED_BODY, "df": vectors(6), "delta": vectors()}
STEP = {**LOAD_VARIATION, "h": numbers(0.125, 2.0)}
AT_REST = vectors().map(lambda linear: np.concatenate([linear, np.zeros(3)]))
ORIENTATION = st.shared(rotations(), key="orientation of a body that turns about one of its axes")


def total_force(m, J, R_BW, v, f):
    """Return the force in ``a = M^-1 f``, including the gyroscopic torque of a rotating body."""
    J_W, omega = R_BW @ J @ R_BW.T, v[3:]
    return np.concatenate([f[:3], f[3:] - np.cross(omega, J_W @ omega)])


def total_force_change(m, J, R_BW, v, f, df, delta):
    """Return the change of that force minus the change of M a at constant a, for a rotation delta."""
    J_W, omega = R_BW @ J @ R_BW.T, v[3:]
    X = inertia_stiffness(J_W, total_force(m, J, R_BW, v, f)[3:])
    fictitious = np.cross(omega, inertia_variation(J_W, delta) @ omega)
    return np.concatenate([df[:3], df[3:] - fictitious - X @ delta])


def acceleration_change_library(m, J, R_BW, v, f, df, delta):
    change = total_force_change(m, J, R_BW, v, f, df, delta)
    return np.concatenate([change[:3] / m, np.linalg.solve(R_BW @ J @ R_BW.T, change[3:])])


def acceleration_change_reference(m, J, R_BW, v, f, df, delta):
    """Compare with differences, under rotation, of the acceleration of point masses by Newton's law.

    All quantities are in world axes.
    """
    return derivative(
        lambda t: acceleration(m, J, rotate_about_world_axis(R_BW, delta, t), v[3:], f + t * df)
    ).value


def step_library(m, J, R_BW, v, f, df, delta, h):
    zero = np.zeros((6, 6))
    M_0 = zero.copy()
    M_0[:3, :3], M_0[3:, 3:] = m * IDENTITY, R_BW @ J @ R_BW.T
    change = total_force_change(m, J, R_BW, v, f, df, delta)
    return linearly_implicit_velocity(M_0, v, total_force(m, J, R_BW, v, f) + change, zero, zero, h)


def step_reference(m, J, R_BW, v, f, df, delta, h):
    """Expand v + h a to first order by differences; a follows from Newton's law for point masses.

    All quantities are in world axes.
    """

    def velocity(t):
        return v + h * acceleration(m, J, rotate_about_world_axis(R_BW, delta, t), v[3:], f + t * df)

    return velocity(0) + derivative(velocity).value


def has_zero_fictitious_torque(m, J, R_BW, v, f, *variations):
    """Return True if the body rotates about a principal axis, or does not rotate."""
    omega = R_BW.T @ v[3:]
    return bool(np.abs(np.cross(omega, J @ omega)).max() < 1e-9)


def has_no_fictitious_torque(m, J, R_BW, v, f, *variations):
    """Return True if the gyroscopic torque vanishes in every orientation.

    This holds only if the body does not rotate or has three equal moments.
    """
    moments = np.linalg.eigvalsh(J)
    return bool(np.abs(v[3:]).max() * (moments[-1] - moments[0]) < 1e-9)


NO_ROTATION = (
    r"The body does not rotate, or $\mathbf f$ contains the gyroscopic torque "
    r"$-\boldsymbol\omega\times\mathbf J\boldsymbol\omega$ and $\delta\mathbf f$ its variation, "
    "because that torque changes with the inertia in world axes. (For a ball it is zero.)"
)


@section.holds("d7", "Implicit integration to first order")
class d7:
    formula = r"\mathbf v^{i+1}=\mathbf v^i+h\mathbf a^{i+1}\approx\mathbf v^i+h(\mathbf a^i+\delta\mathbf a)"
    inputs = STEP
    result = Result(LINEAR_FIRST_TWIST, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, v, f, df, delta, h):
        """Evaluate with the acceleration of Euler's equation and its differences."""
        omega = v[3:]

        def a(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            J_W, load = R @ J @ R.T, f + t * df
            torque = load[3:] - np.cross(omega, J_W @ omega)
            return np.concatenate([load[:3] / m, np.linalg.solve(J_W, torque)])

        return v + h * (a(0) + derivative(a).value)

    library = step_library
    reference = step_reference
    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implements = linearly_implicit_velocity


@section.conditional("t1314", "The acceleration in world axes")
class t1314:
    formula = r"\mathbf a=\mathbf M^{-1}\mathbf f"
    inputs = LOADED_BODY
    result = Result(LINEAR_FIRST_TWIST / TIME, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, v, f):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        M = np.block([[m * IDENTITY, zero], [zero, J_W]])
        return np.linalg.inv(M) @ f

    def library(m, J, R_BW, v, f):
        return step_library(m, J, R_BW, v, f, np.zeros(6), np.zeros(3), 1.0) - v

    def reference(m, J, R_BW, v, f):
        """Apply Newton's law to the point masses of a rotating body, in world axes."""
        return acceleration(m, J, R_BW, v[3:], f)

    holds_when = has_zero_fictitious_torque
    condition_inputs = {
        **LOADED_BODY,
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
        r"The body does not rotate, or rotates about a principal axis; otherwise $\mathbf f$ must "
        r"contain the gyroscopic torque $-\boldsymbol\omega\times\mathbf J\boldsymbol\omega$."
    )
    remark = (
        "The momentum of a rotating body changes with its inertia, because M is not constant in world axes."
    )
    implements = linearly_implicit_velocity


@section.conditional("d8#a", "Variation of the acceleration, by the product rule")
class d8_a:
    formula = r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f+\delta(\mathbf M^{-1})\mathbf f"
    inputs = LOAD_VARIATION
    result = Result(LINEAR_FIRST_TWIST / TIME, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, v, f, df, delta):
        def M_inverse(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[IDENTITY / m, zero], [zero, np.linalg.inv(R @ J @ R.T)]])

        return M_inverse(0) @ df + derivative(M_inverse).value @ f

    library = acceleration_change_library
    reference = acceleration_change_reference
    tolerance = 1e-8
    holds_when = has_no_fictitious_torque
    condition_inputs = {**LOAD_VARIATION, "v": AT_REST}
    condition = NO_ROTATION
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implements = inertia_stiffness


@section.conditional("d8#b", "Variation of the acceleration, with the variation of the inertia")
class d8_b:
    formula = r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f-\mathbf M^{-1}\delta\mathbf M\,\mathbf M^{-1}\mathbf f"
    inputs = LOAD_VARIATION
    result = Result(LINEAR_FIRST_TWIST / TIME, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, v, f, df, delta):
        def M(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[m * IDENTITY, zero], [zero, R @ J @ R.T]])

        M_inverse = np.linalg.inv(M(0))
        return M_inverse @ df - M_inverse @ derivative(M).value @ M_inverse @ f

    library = acceleration_change_library
    reference = acceleration_change_reference
    tolerance = 1e-8
    holds_when = has_no_fictitious_torque
    condition_inputs = {**LOAD_VARIATION, "v": AT_REST}
    condition = NO_ROTATION
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implements = inertia_stiffness


@section.conditional("d9", "The step, multiplied by the inertia")
class d9:
    formula = r"\mathbf M\mathbf v^{i+1}=\mathbf M\mathbf v^i+h(\mathbf f^i+\delta\mathbf f-\delta\mathbf M\,\mathbf M^{-1}\mathbf f)"
    inputs = STEP
    result = Result(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, v, f, df, delta, h):
        def M(t):
            R = rotate_about_world_axis(R_BW, delta, t)
            zero = np.zeros((3, 3))
            return np.block([[m * IDENTITY, zero], [zero, R @ J @ R.T]])

        return M(0) @ v + h * (f + df - derivative(M).value @ np.linalg.inv(M(0)) @ f)

    def library(m, J, R_BW, v, f, df, delta, h):
        after = step_library(m, J, R_BW, v, f, df, delta, h)
        return np.concatenate([m * after[:3], R_BW @ J @ R_BW.T @ after[3:]])

    def reference(m, J, R_BW, v, f, df, delta, h):
        """Expand the final momentum to first order by differences; a follows from Newton's law.

        The law is applied to the point masses of a rotating body, in world axes.
        """
        return world_inertia(m, J, R_BW) @ step_reference(m, J, R_BW, v, f, df, delta, h)

    tolerance = 1e-8
    holds_when = has_no_fictitious_torque
    condition_inputs = {**STEP, "v": AT_REST}
    condition = NO_ROTATION
    remark = r"$\mathbf M$ is evaluated at the beginning of the step on both sides."
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implements = inertia_stiffness


# ------------------------------------------------------------------------------------------------------------
# Variation of the inertia in world coordinates, and its contribution to the stiffness.


INERTIA_VARIATION = {**BODY, "delta": vectors()}


def inertia_variation_reference(m, J, R_BW, delta):
    """Compare with differences of the inertia of point masses that rotate with the body."""
    return derivative(lambda t: world_inertia(m, J, rotate_about_world_axis(R_BW, delta, t))).value


def inertia_variation_library(m, J, R_BW, delta):
    result = np.zeros((6, 6))
    result[3:, 3:] = inertia_variation(R_BW @ J @ R_BW.T, delta)
    return result


PRODUCT_VARIATION = {**BODY, "f": vectors(6), "omega": vectors(), "delta": vectors()}
BODY_TORQUE = {"J": inertias(), "R_BW": rotations(), "tau": vectors()}


def product_library(m, J, R_BW, f, omega, delta):
    zero = np.zeros(3)
    X = inertia_stiffness(R_BW @ J @ R_BW.T, f[3:])
    return np.concatenate([zero, X @ delta])


def product_reference(m, J, R_BW, f, omega, delta):
    """Compare with differences of M a at constant a, where M is that of rotating point masses."""
    acceleration = np.linalg.solve(world_inertia(m, J, R_BW), f)
    return derivative(
        lambda t: world_inertia(m, J, rotate_about_world_axis(R_BW, delta, t)) @ acceleration
    ).value


def X_reference(J, R_BW, tau):
    """Compare with differences of M a at a constant acceleration, column by column."""
    f = np.concatenate([np.zeros(3), tau])
    columns = [product_reference(1.0, J, R_BW, f, None, axis)[3:] for axis in IDENTITY]
    return np.stack(columns, axis=-1)


CENTRAL_FORCES = vectors().map(lambda force: np.concatenate([force, np.zeros(3)]))
SPHERICAL_INERTIAS = positive_numbers().map(lambda moment: moment * IDENTITY)


def moments_differ_from_mean(J):
    """Return True if no principal moment is near the mean of the three."""
    return bool(np.min(np.abs(np.trace(J) - 3 * np.linalg.eigvalsh(J))) > 0.1)


def torque_changes_acceleration(J, R_BW, tau):
    """Return True if (tr J - 3 J) times the acceleration is not near zero."""
    acceleration = np.linalg.solve(J, R_BW.T @ tau)
    return bool(np.linalg.norm(np.trace(J) * acceleration - 3 * J @ acceleration) > 1e-3)


def wrench_changes_acceleration(m, J, R_BW, f):
    return torque_changes_acceleration(J, R_BW, f[3:])


ASYMMETRY_CONDITION = (
    r"A torque that is constant in world axes acts, and the acceleration $\mathbf J^{-1}\boldsymbol\tau$ is not along an axis whose moment of "
    r"inertia is the mean of the three: $(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf J^{-1}"
    r"\boldsymbol\tau\ne0$."
)


@section.conditional("t1290", "World coordinates do not remove the asymmetry")
class t1290:
    formula = (
        r"\text{this asymmetry cannot be averted by formulating the equations of motion in world coordinates}"
    )
    inputs = {**BODY, "f": st.one_of(vectors(6), CENTRAL_FORCES)}
    result = Result(NUMBER, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, f):
        """Return 1 (not symmetric) if any force or torque acts."""
        return float(np.linalg.norm(f) > 0)

    def library(m, J, R_BW, f):
        # A force at the center of mass has no torque about it.
        return float(np.abs(inertia_asymmetry(R_BW @ J @ R_BW.T, f[3:])).max() > 1e-6)

    def reference(m, J, R_BW, f):
        """Test for asymmetry by differences of M(R) a under a constant force and torque in world axes.

        M is that of point masses. The result is 1 where the matrix is not symmetric.
        """
        columns = [product_reference(m, J, R_BW, f, None, axis)[3:] for axis in IDENTITY]
        return is_asymmetric(np.stack(columns, axis=-1))

    holds_when = wrench_changes_acceleration
    condition_inputs = {
        "m": masses(),
        "J": inertias().filter(moments_differ_from_mean),
        "R_BW": rotations(),
        "f": vectors(6).filter(lambda f: bool(np.linalg.norm(f[3:]) > 0.25)),
    }
    condition = ASYMMETRY_CONDITION
    remark = (
        "The section begins with a force at the center of mass of a body at rest, which has no "
        "torque; for that case, world coordinates do remove the asymmetry. A constant force in "
        "world axes at a point of the body has a torque that varies with the orientation; then "
        r"the asymmetric part is half of $[2\boldsymbol\tau-\operatorname{tr}(\mathbf J)\mathbf "
        r"J^{-1}\boldsymbol\tau]$ instead of half of $[3\boldsymbol\tau-\operatorname{tr}(\mathbf "
        r"J)\mathbf J^{-1}\boldsymbol\tau]$. Contrary to the rest of the sentence, the variation "
        r"of the inertia itself is symmetric: $[\delta\boldsymbol\omega]\mathbf J - \mathbf "
        r"J[\delta\boldsymbol\omega]$ is symmetric, but the derivative of its product with the "
        "acceleration is not."
    )
    implements = inertia_asymmetry


@section.holds("d4", "Inertia in world coordinates")
class d4:
    formula = r"\mathbf M=\begin{pmatrix}m\mathbf I&0\\0&{}^W\mathbf J\end{pmatrix}=\begin{pmatrix}m\mathbf I&0\\0&\mathbf R_{BW}{}^B\mathbf J\mathbf R_{WB}\end{pmatrix}"
    inputs = BODY
    result = Result(matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST), LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        return np.block([[m * IDENTITY, zero], [zero, R_BW @ J @ R_WB]])

    def library(m, J, R_BW):
        to_body = se3.Ad_inverse(frame(R_BW))
        return swap_stacking(to_body.T @ spatial_inertia(m, J) @ to_body)

    oracle = "Compare with second moments of point masses that rotate with the body."
    reference = world_inertia
    implements = (spatial_inertia, se3.Ad_inverse)


@section.holds("d5#a", "Variation of the inertia, by the product rule")
class d5_a:
    formula = r"\delta\mathbf M=\begin{pmatrix}0&0\\0&\delta\mathbf R_{BW}{}^B\mathbf J\mathbf R_{WB}+\mathbf R_{BW}{}^B\mathbf J\,\delta\mathbf R_{WB}\end{pmatrix}"
    inputs = INERTIA_VARIATION
    result = Result(INERTIA, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, delta):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        dR_BW = derivative(lambda t: rotate_about_world_axis(R_BW, delta, t)).value
        dR_WB = derivative(lambda t: rotate_about_world_axis(R_BW, delta, t).T).value
        return np.block([[zero, zero], [zero, dR_BW @ J @ R_WB + R_BW @ J @ dR_WB]])

    library = inertia_variation_library
    reference = inertia_variation_reference
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
    implements = inertia_variation


@section.misprint("d5#b", "Variation of the inertia, with brackets")
class d5_b:
    formula = r"\delta\mathbf M=\begin{pmatrix}0&0\\0&[{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf J[{}^W\boldsymbol\omega]\end{pmatrix}"
    edit = (r"[{}^W\boldsymbol\omega]", r"[{}^W\delta\boldsymbol\omega]")
    inputs = {**BODY, "omega": vectors(), "delta": vectors()}
    result = Result(INERTIA, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, omega, delta):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        return np.block([[zero, zero], [zero, bracket(omega) @ J_W - J_W @ bracket(omega)]])

    def library(m, J, R_BW, omega, delta):
        return inertia_variation_library(m, J, R_BW, delta)

    def reference(m, J, R_BW, omega, delta):
        """Compare with differences of the inertia of point masses that rotate with the body."""
        return inertia_variation_reference(m, J, R_BW, delta)

    correction = (
        r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$, as the next line "
        "defines it, a small rotation instead of the angular velocity."
    )
    units_mismatch = "the printed factor is an angular velocity, not a small rotation"
    implements = inertia_variation


@section.definition("d6", "The small rotation of the body")
class d6:
    formula = r"{}^W\delta\boldsymbol\omega\equiv{}^W\delta\boldsymbol\omega_{BW}"
    defines = (r"{}^W\delta\boldsymbol\omega",)
    implements = inertia_variation


@section.misprint("d10#a", "The inertia term, as a product of matrices")
class d10_a:
    formula = r"\delta\mathbf M\,\mathbf M^{-1}\mathbf f=\begin{pmatrix}0&0\\0&[{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf J[{}^W\boldsymbol\omega]\end{pmatrix}\begin{pmatrix}\tfrac1m\mathbf I&0\\0&{}^W\mathbf J^{-1}\end{pmatrix}\begin{pmatrix}\mathbf f_t\\\boldsymbol\tau\end{pmatrix}"
    edit = (r"[{}^W\boldsymbol\omega]", r"[{}^W\delta\boldsymbol\omega]")
    inputs = PRODUCT_VARIATION
    result = Result(units.TORQUE, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, f, omega, delta):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        inertia_variation = np.block([[zero, zero], [zero, bracket(omega) @ J_W - J_W @ bracket(omega)]])
        inverse = np.block([[1 / m * IDENTITY, zero], [zero, np.linalg.inv(J_W)]])
        return inertia_variation @ inverse @ f

    library = product_library
    reference = product_reference
    correction = r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$."
    units_mismatch = "the printed factor is an angular velocity, not a small rotation"
    implements = inertia_stiffness


@section.misprint("d10#b", "The inertia term, as a vector")
class d10_b:
    formula = r"\begin{pmatrix}0\\([{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf J[{}^W\boldsymbol\omega]){}^W\mathbf J^{-1}\boldsymbol\tau\end{pmatrix}"
    edit = (r"[{}^W\boldsymbol\omega]", r"[{}^W\delta\boldsymbol\omega]")
    inputs = PRODUCT_VARIATION
    result = Result(units.TORQUE, LINEAR_FIRST_IN_WORLD)

    def printed(m, J, R_BW, f, omega, delta):
        J_W, tau = R_BW @ J @ R_BW.T, f[3:]
        zero = np.zeros(3)
        lower = (bracket(omega) @ J_W - J_W @ bracket(omega)) @ np.linalg.inv(J_W) @ tau
        return np.concatenate([zero, lower])

    library = product_library
    reference = product_reference
    correction = r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$."
    units_mismatch = "the printed factor is an angular velocity, not a small rotation"
    implements = inertia_stiffness


@section.misprint("t1331", "The inertia term, with the matrix X")
class t1331:
    formula = r"\text{`The lower term can be formulated as'}\ \mathbf X\,{}^W\boldsymbol\omega"
    inputs = PRODUCT_VARIATION
    result = Result(units.TORQUE, "the moment, along the axes of the world")

    def printed(m, J, R_BW, f, omega, delta):
        J_W, tau = R_BW @ J @ R_BW.T, f[3:]
        return (-bracket(tau) + J_W @ bracket(np.linalg.inv(J_W) @ tau)) @ omega

    def library(m, J, R_BW, f, omega, delta):
        return inertia_stiffness(R_BW @ J @ R_BW.T, f[3:]) @ delta

    def reference(m, J, R_BW, f, omega, delta):
        """Compare with differences of M a at constant a, where M is that of rotating point masses."""
        return product_reference(m, J, R_BW, f, omega, delta)[3:]

    correction = r"$\mathbf X\,{}^W\delta\boldsymbol\omega$, as in the preceding displays."
    replacement = r"The lower term can be formulated as $\mathbf X\,{}^W\delta\boldsymbol\omega$, where"
    units_mismatch = "the printed factor is an angular velocity, not a small rotation"
    implements = inertia_stiffness


@section.holds("d11", "The matrix X of the inertia term")
class d11:
    formula = r"\mathbf X=-[\boldsymbol\tau]+{}^W\mathbf J[{}^W\mathbf J^{-1}\boldsymbol\tau]"
    inputs = BODY_TORQUE
    result = Result(units.TORQUE, "moments by small rotations, along the axes of the world")

    def printed(J, R_BW, tau):
        J_W = R_BW @ J @ R_BW.T
        return -bracket(tau) + J_W @ bracket(np.linalg.inv(J_W) @ tau)

    def library(J, R_BW, tau):
        return inertia_stiffness(R_BW @ J @ R_BW.T, tau)

    reference = X_reference
    implements = inertia_stiffness


@section.conditional("t1335", "X is not symmetric")
class t1335:
    formula = r"\text{(is clearly asymmetric)}"
    inputs = {**BODY_TORQUE, "J": st.one_of(inertias(), SPHERICAL_INERTIAS)}
    result = Result(NUMBER, LINEAR_FIRST_IN_WORLD)

    def printed(J, R_BW, tau):
        """Return 1 (not symmetric) if a torque acts."""
        return float(np.linalg.norm(tau) > 0)

    def library(J, R_BW, tau):
        return float(np.abs(inertia_asymmetry(R_BW @ J @ R_BW.T, tau)).max() > 1e-6)

    def reference(J, R_BW, tau):
        """Test for asymmetry by differences of M a at a constant acceleration.

        The result is 1 where the matrix is not symmetric.
        """
        return is_asymmetric(X_reference(J, R_BW, tau))

    holds_when = torque_changes_acceleration
    condition_inputs = {
        "J": inertias().filter(moments_differ_from_mean),
        "R_BW": rotations(),
        "tau": nonzero_vectors(),
    }
    condition = ASYMMETRY_CONDITION
    remark = (
        r"$\mathbf X-\mathbf X^T=[(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf "
        r"J^{-1}\boldsymbol\tau]$; for a ball or a cube $\mathbf X$ is zero."
    )
    implements = inertia_asymmetry
