"""Sueda 1.9 and 1.9.1: linearly implicit Euler and viscous damping.

Also the mechanics on which the references of 1.9.2-1.9.6 are built: points of bodies, tensions between
them, wrenches as moments and forces, and derivatives by complex steps.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.forces.body_forces import viscous_damping
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import (
    DAMPING,
    FORCE,
    LENGTH,
    MASS,
    NUMBER,
    SPATIAL_INERTIA,
    STIFFNESS,
    TIME,
    TWIST,
    VELOCITY,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, spd_matrices, twists, vectors

section_1_9 = Section(
    "sueda/s1.9",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(9),
    page_2021=Page(12),
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "S": Argument(STIFFNESS, "in the generalized coordinates of the system"),
        "C": Argument(DAMPING, "in the generalized coordinates of the system"),
        "q": Argument(LENGTH, "in the generalized coordinates of the system"),
        "phi": Argument(VELOCITY, "in the frame of the body"),
        "h": Argument(TIME),
        "fraction": Argument(NUMBER, "of the damping forces that f contains"),
        "m": Argument(MASS),
        "k": Argument(STIFFNESS),
        "d": Argument(DAMPING),
    },
)
section_1_9_1 = Section(
    "sueda/s1.9.1",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(9),
    page_2021=Page(12),
    arguments={
        "M": Argument(SPATIAL_INERTIA, "in the generalized coordinates of the system"),
        "d": Argument(DAMPING),
        "phi": Argument(TWIST, "in the frame of the body"),
        "h": Argument(TIME),
    },
)


IDENTITY = np.eye(3)


def body_poses(count):
    """Draw poses ``(count, 4, 4)`` of bodies whose consecutive origins are at least 2 apart."""

    def make_poses(rotation_vectors, origins):
        E = np.tile(np.eye(4), (count, 1, 1))
        E[:, :3, :3] = Rotation.from_rotvec(rotation_vectors).as_matrix()
        for k, step in enumerate(origins[1:], 1):
            size = np.linalg.norm(step)
            origins[k] = origins[k - 1] + (step * (1 + 2 / size) if size else [2, 0, 0])
        E[:, :3, 3] = origins
        return E

    return st.builds(make_poses, arrays(count, 3), arrays(count, 3))


def body_points(count):
    """Draw one point on each of ``count`` bodies ``(count, 3)``, less than 0.9 from its origin."""
    return arrays(count, 3).map(lambda drawn: drawn / 4)


def body_twists(count):
    """Draw twists ``(count, 6)``."""
    return arrays(count, 6)


PAIR = {"E": body_poses(2), "x": body_points(2)}
MOVING_PAIR = {**PAIR, "phi": body_twists(2)}


def Gamma(x):
    return np.concatenate([bracket(x).T, IDENTITY], axis=1)


def rotations_and_span(E, x):
    """Return the rotations of two bodies, and the vector from the point of the first to that of the second."""
    R1, R2 = E[0, :3, :3], E[1, :3, :3]
    return R1, R2, R2 @ x[1] + E[1, :3, 3] - R1 @ x[0] - E[0, :3, 3]


def twists_along_end_segments(end_rates, E, x, angular_velocities):
    """Return twists for which the ends of a path move along their segments and all other points are at rest."""
    points = np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])
    velocities = np.zeros_like(points)
    velocities[0], velocities[-1] = (
        end_rates[0] * (points[1] - points[0]),
        end_rates[1] * (points[-1] - points[-2]),
    )
    body_velocities = [pose[:3, :3].T @ velocity for pose, velocity in zip(E, velocities, strict=True)]
    return np.column_stack([angular_velocities, np.array(body_velocities) - np.cross(angular_velocities, x)])


def path_of_constant_rate(count):
    """Draw bodies, points, and twists with which the ends of the path move along their segments."""
    drawn = st.shared(
        st.builds(
            lambda E, x, angular_velocities, end_rates: (
                E,
                x,
                twists_along_end_segments(end_rates, E, x, angular_velocities),
            ),
            body_poses(count),
            body_points(count),
            arrays(count, 3),
            arrays(2),
        ),
        key=f"path along {count}",
    )
    return {name: drawn.map(lambda path, k=k: path[k]) for k, name in enumerate(("E", "x", "phi"))}


def has_constant_rate(E, x, phi, *parameters):
    """Return True if the ends move along their segments and all other points are at rest."""
    points = np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])
    body_velocities = np.cross(phi[:, :3], x) + phi[:, 3:]
    velocities = np.array(
        [pose[:3, :3] @ velocity for pose, velocity in zip(E, body_velocities, strict=True)]
    )
    transverse = np.cross(velocities[[0, -1]], [points[1] - points[0], points[-1] - points[-2]])
    return np.allclose(transverse, 0, atol=1e-9) and np.allclose(velocities[1:-1], 0, atol=1e-9)


NONLINEAR = {
    "M": spd_matrices(2),
    "S": spd_matrices(2),
    "C": spd_matrices(2),
    "q": vectors(2),
    "phi": vectors(2),
    "h": positive_numbers(0.25, 1.0),
}


def hardening_force(A, x):
    """Return a force ``-A x - (x . x) x`` and its derivative."""
    return -A @ x - (x @ x) * x, -A - (x @ x) * np.eye(2) - 2 * np.outer(x, x)


SPRING_DAMPER = {
    "m": positive_numbers(),
    "k": positive_numbers(),
    "d": positive_numbers(),
    "q": numbers(),
    "phi": numbers(),
    "h": positive_numbers(0.25, 1.0),
}


DAMPED = {
    "M": spd_matrices(6),
    "d": positive_numbers(),
    "phi": twists(),
    "h": positive_numbers(0.25, 1.0),
}


@section_1_9.conditional("e1.30", "Linearly implicit Euler")
class e1_30:
    page_2019 = Page(9)
    page_2021 = Page(
        73,
        r"(3.64) and (3.65) instead: Newton steps with $\mathsf M - h\mathsf D - h^2\mathsf K$, $\mathsf K = d\mathsf f/d\mathsf q$, $\mathsf D = d\mathsf f/d\dot{\mathsf q}$",
        fixed=True,
    )
    formula = r"(M + hD - h^2K)\,\phi^{(k+1)} = M\phi^{(k)} + hf"
    inputs = {**NONLINEAR, "fraction": numbers(0.25, 1.0)}
    result = Result(VELOCITY, "in the generalized coordinates of the system")
    constants = (FORCE / LENGTH**3, FORCE / VELOCITY**3)

    def printed(M, S, C, q, phi, h, fraction):
        """Evaluate with all damping forces in D and a fraction of them also in f."""
        elastic, K = hardening_force(S, q)
        damping, damping_derivative = hardening_force(C, phi)
        D, damping_of_D = -damping_derivative, damping_derivative @ phi
        f = elastic + damping - damping_of_D + fraction * damping_of_D
        return np.linalg.solve(M + h * D - h**2 * K, M @ phi + h * f)

    def library(M, S, C, q, phi, h, fraction):
        elastic, K = hardening_force(S, q)
        damping, D = hardening_force(C, phi)
        return linearly_implicit_velocity(M, phi, elastic + damping, K, D, h)

    def reference(M, S, C, q, phi, h, fraction):
        """Compare with one Newton step of implicit Euler from the old position and velocity.

        The two equations for the new position and velocity are linearized by complex steps.
        """

        def equations(unknowns):
            x, v = unknowns[:2], unknowns[2:]
            f = -S @ x - np.sum(x * x) * x - C @ v - np.sum(v * v) * v
            return np.concatenate([x - q - h * v, M @ (v - phi) - h * f])

        initial = np.concatenate([q, phi])
        return (initial - np.linalg.solve(complex_step(equations, initial), equations(initial)))[2:]

    tolerance = 1e-08
    condition_inputs = {**NONLINEAR, "fraction": st.just(0.0)}

    def holds_when(M, S, C, q, phi, h, fraction):
        return fraction * np.linalg.norm(phi) == 0

    condition = (
        r"$K = +\partial f/\partial q$, $D = -\partial f/\partial\phi$, and $f$ does not contain the "
        "forces that are linear in the velocity and accounted for by $D$"
    )
    correction = (
        r"$(M + hD - h^2K)\,\phi^{(k+1)} = (M + hD)\,\phi^{(k)} + hf$ with $D = -\partial f/\partial\phi$ "
        r"and $f$ the sum of all forces"
    )
    remark = (
        r"To first order the force at the end of the step is $f + hK\phi^{(k+1)} - D(\phi^{(k+1)} - "
        r"\phi^{(k)})$; the last term is missing. The library writes it with $D = +\partial "
        r"f/\partial\phi$: $(M - hD - h^2K)\,\phi^{(k+1)} = (M - hD)\,\phi^{(k)} + hf$."
    )
    implements = linearly_implicit_velocity


@section_1_9.erratum("t375", "Right-hand side f as the sum of all forces")
class t375:
    page_2019 = Page(9)
    page_2021 = DROPPED
    formula = r"f = \textstyle\sum\text{ (1.31), (1.35), (1.39), (1.60), (1.66)}"
    inputs = SPRING_DAMPER
    result = Result(VELOCITY)

    def printed(m, k, d, q, phi, h):
        f = -k * q - d * phi
        return (m * phi + h * f) / (m + h * d + h**2 * k)

    def library(m, k, d, q, phi, h):
        return linearly_implicit_velocity([[m]], [phi], [-k * q - d * phi], [[-k]], [[-d]], h)[0]

    def reference(m, k, d, q, phi, h):
        """Compare with implicit Euler for a mass on a spring-damper, with the force as an unknown."""
        return np.linalg.solve([[m, 0, -h], [-h, 1, 0], [d, k, 1]], [m * phi, q, 0])[0]

    correction = r"$f + D\phi^{(k)}$ instead of $f$, where $D = -\partial f/\partial\phi$"
    replacement = r"where $D$ is the damping matrix, $K$ is the stiffness matrix, and $f$ is the sum of all forces plus $D\phi^{(k)}$, with $D$ minus the derivative of that sum with respect to $\phi$."
    remark = (
        r"With $f = -kq - d\dot q$ on the right and $D = d$ on the left, damping acts twice: once "
        r"explicitly, once implicitly. The error does not vanish as $h \to 0$; the motion converges to "
        "that of a damper twice as strong. (1.9.1 rightly leaves its force out of $f$; this is not "
        "possible for a muscle or a spring-damper.)"
    )
    effect = "A damper of 1 N s/m slows a body of one kilogram from 1 m/s to 0.14 m/s in one second instead of 0.37 m/s."
    implements = linearly_implicit_velocity


@section_1_9_1.holds("t377", "Viscous damping: D = dI, and nothing on the right-hand side")
class t377:
    page_2019 = Page(9)
    page_2021 = Page(12, r"$\mathsf f = -d\,\dot{\mathsf q}$ and its derivative $\mathsf D = -dI$")
    formula = r"D = dI,\qquad (M + hD)\,\phi^{(k+1)} = M\phi^{(k)}"
    inputs = DAMPED
    result = Result(TWIST, "in the frame of the body")
    constants = (LENGTH,)

    def printed(M, d, phi, h):
        D = d * np.eye(6)
        return np.linalg.solve(M + h * D, M @ phi)

    def library(M, d, phi, h):
        w, K, D = viscous_damping(d, phi)
        return linearly_implicit_velocity(M, phi, w, K, D, h)

    def reference(M, d, phi, h):
        """Compare with implicit Euler, with the damping force at the end of the step as an unknown."""
        one = np.eye(6)
        return np.linalg.solve(
            np.block([[M, -h * one], [d * one, one]]), np.concatenate([M @ phi, np.zeros(6)])
        )[:6]

    remark = (
        r"Here $D = -\partial f/\partial\phi$, whereas (1.54) has $D = +\partial f/\partial\phi$. One "
        "number $d$ stands for N m s and for N s/m, and the force depends on the choice of the body's "
        "origin."
    )
    implements = (viscous_damping, linearly_implicit_velocity)
