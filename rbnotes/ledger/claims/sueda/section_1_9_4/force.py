"""Sueda 1.9.4: the force of a muscle between two bodies. The oracle: statics and complex steps.

The claims hold for any curves, so they are checked with three cubics that have no zeros nearby.
The curves themselves are in ``curves``.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from rbnotes import se3
from rbnotes.forces.body_forces import body_path_length, path_wrenches, zero_length_spring
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import path_length
from rbnotes.forces.tension import ConstantTension
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.sueda.section_1_9 import MOVING_PAIR, PAIR, Gamma, rotations_and_span
from rbnotes.ledger.claims.sueda.section_1_9_4 import ON_BOTH, section
from rbnotes.ledger.claims.sueda.section_1_9_4.curves import (
    active_printed,
    active_reference,
    passive_printed,
    velocity_printed,
    velocity_reference,
)
from rbnotes.ledger.claims.sueda.section_1_9_4.passive_curve import passive_reference
from rbnotes.ledger.oracles.body_paths import length, pose_derivative, wrenches
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, VELOCITY, WRENCH
from rbnotes.ledger.record import Result
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import numbers, positive_numbers

PARAMETERS = {
    "f_opt": positive_numbers(),
    "a": numbers(0.25, 1.0),
    "l_opt": positive_numbers(1.0, 4.0),
    "v_max": positive_numbers(1.0, 4.0),
    "l_T": numbers(0.0, 1.0),
}
MUSCLE = {**MOVING_PAIR, **PARAMETERS}


def evaluate_piecewise(coefficients, knots, x):
    """Evaluate a curve from its printed coefficients; it is constant outside the knots."""
    x = np.clip(x, knots[0], knots[-1])
    piece = np.maximum(np.searchsorted(knots, x) - 1, 0)
    return np.polyval(coefficients[piece], x)


LAW = {**PARAMETERS, "L": positive_numbers(), "Ldot": numbers(-4.0, 4.0).map(lambda rate: rate**3 / 16)}


def law_library(f_opt, a, l_opt, v_max, l_T, L, Ldot):
    return Muscle(f_opt, l_opt, v_max, l_T, a)(L, Ldot).F


def passive_curve(lt):
    """Evaluate the printed coefficients, and extrapolate linearly beyond the last knot."""
    extension = max(lt - 1.7, 0.0) * 2.85714285714286
    return evaluate_piecewise(passive_printed(), (1.0, 1.3, 1.7), lt) + extension


def law_printed(f_opt, a, l_opt, v_max, l_T, L, Ldot):
    lt, vt = (L - l_T) / l_opt, Ldot / (l_opt * v_max)
    active = evaluate_piecewise(active_printed(), (0.4, 0.7, 1.2, 1.81), lt) * evaluate_piecewise(
        velocity_printed(), (-1.0, -0.05, 0.05, 1.0), vt
    )
    return f_opt * (a * active + passive_curve(lt))


def evaluate_interpolant(cubics, knots, x):
    """Evaluate the curve through the values and derivatives at the knots; it is constant outside."""
    cubics_at_knots = [(cubics[max(k - 1, 0)], knot) for k, knot in enumerate(knots)]
    values = [np.polyval(cubic, knot) for cubic, knot in cubics_at_knots]
    derivatives = [np.polyval(np.polyder(cubic), knot) for cubic, knot in cubics_at_knots]
    return CubicHermiteSpline(knots, values, derivatives)(np.clip(x, knots[0], knots[-1]))


def law_reference(f_opt, a, l_opt, v_max, l_T, L, Ldot):
    """Compare with the curves by Hermite and Newton interpolation, with lengths in optimal lengths.

    The passive curve is linear beyond its last knot.
    """
    optimal_lengths = 1 + (L - (l_T + l_opt)) / l_opt
    active = evaluate_interpolant(active_reference(), (0.4, 0.7, 1.2, 1.81), optimal_lengths)
    force_velocity = evaluate_interpolant(
        velocity_reference(), (-1.0, -0.05, 0.05, 1.0), Ldot / l_opt / v_max
    )
    passive = evaluate_interpolant(passive_reference(), (1.0, 1.3, 1.7), optimal_lengths)
    linear_extension = 2.85714285714286 * (np.maximum(optimal_lengths, 1.7) - 1.7)
    return f_opt * a * active * force_velocity + f_opt * (passive + linear_extension)


ISOMETRIC = {name: PARAMETERS[name] for name in ("f_opt", "l_opt", "v_max", "l_T")}


FORCE = {**PAIR, "f": positive_numbers()}


def force_reference(E, x, f):
    return wrenches(lambda L, Ldot: f, E, x, np.zeros((2, 6)))


def lengthening_printed(E, x, phi):
    R1, R2, dx = rotations_and_span(E, x)
    x1_dot, x2_dot = R1 @ Gamma(x[0]) @ phi[0], R2 @ Gamma(x[1]) @ phi[1]
    return dx / np.linalg.norm(dx) @ (x2_dot - x1_dot)


@section.definition("e1.38", "Tension of a muscle")
class e1_38:
    formula = r"f = f_{opt}\bigl(a f_L(\tilde l) f_V(\tilde v) + f_P(\tilde l)\bigr)"
    inputs = LAW
    result = Result(units.FORCE)
    defines = ("f",)
    printed = law_printed
    library = law_library
    reference = law_reference
    tolerance = 1e-08
    tolerance_reason = "the printed coefficients of the passive curve have fifteen digits"
    implements = Muscle


@section.holds("t415", "f_opt as the peak isometric force")
class t415:
    formula = r"\max_l\, f\big|_{a=1,\,v=0} = f_{opt}\ \text{(without the passive part)}"
    inputs = ISOMETRIC
    result = Result(units.FORCE)

    def printed(f_opt, l_opt, v_max, l_T):
        return 1.0 * f_opt

    def library(f_opt, l_opt, v_max, l_T):
        return Muscle(f_opt, l_opt, v_max, l_T, 1.0)(l_T + l_opt, 0.0).F

    def reference(f_opt, l_opt, v_max, l_T):
        """Find the largest value of the interpolated cubics of (1.43) among their ends and stationary points."""
        values: list[float] = []
        for cubic, ends in zip(active_reference(), ((0.4, 0.7), (0.7, 1.2), (1.2, 1.81)), strict=True):
            stationary = np.roots(np.polyder(cubic)).real
            interior = [x for x in stationary if ends[0] <= x <= ends[1]]
            values.extend(np.polyval(cubic, [*ends, *interior]))
        return f_opt * max(values)

    implements = Muscle


@section.holds("e1.39", "Wrenches of a muscle")
class e1_39:
    page_2019 = Page(10)
    page_2021 = Page(17)
    formula = r"\mathsf f = \frac{f}{\|\Delta\mathbf x\|}\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
    inputs = FORCE
    result = Result(WRENCH, ON_BOTH)

    def printed(E, x, f):
        R1, R2, dx = rotations_and_span(E, x)
        return (f / np.linalg.norm(dx)) * np.concatenate(
            [Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx]
        )

    def library(E, x, f):
        return path_wrenches(ConstantTension(f), E, x, np.zeros((2, 6))).w.ravel()

    oracle = "Compare with statics: moments about the bodies' origins and forces, in body axes."
    reference = force_reference
    remark = "A positive tension pulls the points together."
    implements = path_wrenches


@section.holds("t419#a", "Wrenches of a muscle as those of (1.35) with another factor")
class t419_a:
    page_2019 = Page(10)
    page_2021 = Page(17)
    formula = r"k \to f,\quad \Delta\mathbf x \to \Delta\mathbf x/\|\Delta\mathbf x\|\ \text{in (1.35)}"
    inputs = FORCE
    result = Result(WRENCH, ON_BOTH)

    def printed(E, x, f):
        """Evaluate (1.35) with k replaced by f and dx by the unit direction."""
        R1, R2, dx = rotations_and_span(E, x)
        direction = dx / np.linalg.norm(dx)
        return f * np.concatenate([Gamma(x[0]).T @ R1.T @ direction, -Gamma(x[1]).T @ R2.T @ direction])

    def library(E, x, f):
        return zero_length_spring(
            f / path_length(se3.transform_points(E, x), np.zeros((2, 3))).L, E, x
        ).w.ravel()

    oracle = "Compare with statics of two points that pull each other with the force f."
    reference = force_reference
    implements = zero_length_spring


@section.holds("t419#b", "Unit direction of the force of a muscle")
class t419_b:
    page_2019 = Page(10)
    page_2021 = Page(17)
    formula = r"\text{`normalizes}\ \Delta\mathbf x\ \text{... to produce a unit direction'}:\ \frac{\Delta\mathbf x}{\|\Delta\mathbf x\|}"
    inputs = PAIR
    result = Result(NUMBER, "along the axes of the world, then its length")

    def printed(E, x):
        """Return the direction and its squared length."""
        direction = rotations_and_span(E, x)[2] / np.linalg.norm(rotations_and_span(E, x)[2])
        return np.append(direction, direction @ direction)

    def library(E, x):
        """Return the force of a unit tension on the first point in the world, and its squared norm."""
        force = E[0, :3, :3] @ path_wrenches(ConstantTension(1.0), E, x, np.zeros((2, 6))).w[0, 3:]
        return np.append(force, force @ force)

    def reference(E, x):
        """Compare with the gradient of the distance over positions of the second body, by complex steps.

        A unit displacement along this direction increases the distance by one, so it is a unit vector.
        """

        def distance(step):
            poses = np.array([E[0], E[1]], dtype=step.dtype)
            poses[1, :3, 3] += step
            return length(poses, x)

        gradient = complex_step(distance, np.zeros(3))
        return np.append(gradient, 1.0)

    implements = path_wrenches


@section.definition("e1.47", "Normalized length of a muscle")
class e1_47:
    formula = r"\tilde l = \frac{l_{MT} - l_T}{l_{opt}}"
    inputs = LAW
    result = Result(NUMBER)

    defines = (r"\tilde l",)

    def printed(f_opt, a, l_opt, v_max, l_T, L, Ldot):
        return (L - l_T) / l_opt

    def library(f_opt, a, l_opt, v_max, l_T, L, Ldot):
        return Muscle(f_opt, l_opt, v_max, l_T, a).normalized_length(L)

    def reference(f_opt, a, l_opt, v_max, l_T, L, Ldot):
        """Compare with 1 at the optimal length without the tendon, plus the excess in optimal lengths."""
        return 1 + (L - (l_T + l_opt)) / l_opt

    implements = Muscle.normalized_length


@section.holds("e1.48", "Rate of lengthening of a muscle")
class e1_48:
    page_2019 = Page(12, "$v$ in italics, a number")
    page_2021 = Page(17, r"(1.62), $\dot l = \Delta\mathbf x^\top\Delta\dot{\mathbf x}/l$")
    formula = r"\mathbf v = \frac{\Delta\mathbf x^T}{\|\Delta\mathbf x\|}(\dot{\mathbf x}_2 - \dot{\mathbf x}_1),\qquad \dot{\mathbf x}_i = R_i\Gamma_i\phi_i"
    inputs = MOVING_PAIR
    result = Result(VELOCITY)
    printed = lengthening_printed

    def library(E, x, phi):
        return body_path_length(E, x, phi).Ldot

    def reference(E, x, phi):
        """Compare with the derivative of the length along the motion of both bodies, by complex steps."""
        return pose_derivative(lambda poses: length(poses, x), E) @ phi.ravel()

    remark = "The rate is a scalar, which the conversion of the text set in bold; (1.49) is right."
    implements = body_path_length


@section.definition("e1.49", "Normalized rate of lengthening")
class e1_49:
    formula = r"\tilde v = \frac{v}{l_{opt}\,v_{max}}"
    inputs = MUSCLE
    result = Result(NUMBER)

    defines = (r"\tilde v",)

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        return lengthening_printed(E, x, phi) / (l_opt * v_max)

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        muscle = Muscle(f_opt, l_opt, v_max, l_T, a)
        return muscle.normalized_velocity(body_path_length(E, x, phi).Ldot)

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Compare with the derivative of the normalized length along the motion, by complex steps, over v_max."""
        derivative = pose_derivative(lambda poses: (length(poses, x) - l_T) / l_opt, E) @ phi.ravel()
        return derivative / v_max

    remark = (
        r"Therefore $v_{max}$ is in optimal lengths per second, and shortening at that speed is $\tilde "
        "v = -1$."
    )
    implements = Muscle.normalized_velocity


@section.holds("t476", "Tension at the maximum contraction velocity")
class t476:
    formula = r"v_{max}\text{: `maximum muscle contraction velocity'}:\quad f\big|_{v \le -l_{opt}v_{max}} = f_{opt}\,f_P(\tilde l)"
    inputs = {**PARAMETERS, "stretch": numbers(0.75, 2.25), "speed_ratio": numbers(1.05, 2.0)}
    result = Result(units.FORCE)

    def printed(f_opt, a, l_opt, v_max, l_T, stretch, speed_ratio):
        return f_opt * passive_curve(stretch)

    def library(f_opt, a, l_opt, v_max, l_T, stretch, speed_ratio):
        return Muscle(f_opt, l_opt, v_max, l_T, a)(l_T + stretch * l_opt, -speed_ratio * l_opt * v_max).F

    def reference(f_opt, a, l_opt, v_max, l_T, stretch, speed_ratio):
        """Compare with the interpolated curves, above that speed."""
        return law_reference(f_opt, a, l_opt, v_max, l_T, l_T + stretch * l_opt, -speed_ratio * l_opt * v_max)

    tolerance = 1e-08
    tolerance_reason = "the printed coefficients of the passive curve have fifteen digits"
    remark = (
        "The velocity $v_{max}$ is in optimal lengths per second. Below it, an active muscle always "
        r"pulls: $f_V > 0$ for $\tilde v > -1$."
    )
    implements = Muscle
