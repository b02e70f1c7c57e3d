"""Sueda 1.9 and 1.9.1: linearly implicit Euler and viscous damping.

Also the mechanics that the references of 1.9.2-1.9.6 are built from: points of bodies, tensions between
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
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "S": Argument(STIFFNESS, "in the coordinates of the whole system, whatever they are"),
        "C": Argument(DAMPING, "in the coordinates of the whole system, whatever they are"),
        "q": Argument(LENGTH, "in the coordinates of the whole system, whatever they are"),
        "phi": Argument(VELOCITY, "in the frame of the body"),
        "h": Argument(TIME),
        "share": Argument(NUMBER),
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
        "M": Argument(SPATIAL_INERTIA, "in the coordinates of the whole system, whatever they are"),
        "d": Argument(DAMPING),
        "phi": Argument(TWIST, "in the frame of the body"),
        "h": Argument(TIME),
    },
)


IDENTITY = np.eye(3)


def bodies(count):
    """Poses ``(count, 4, 4)`` of bodies whose origins, one after the other, are at least 2 apart."""

    def make_poses(turns, origins):
        E = np.tile(np.eye(4), (count, 1, 1))
        E[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix()
        for k, step in enumerate(origins[1:], 1):
            size = np.linalg.norm(step)
            origins[k] = origins[k - 1] + (step * (1 + 2 / size) if size else [2, 0, 0])
        E[:, :3, 3] = origins
        return E

    return st.builds(make_poses, arrays(count, 3), arrays(count, 3))


def points(count):
    """One point on each of ``count`` bodies ``(count, 3)``, less than 0.9 from its origin."""
    return arrays(count, 3).map(lambda drawn: drawn / 4)


def motions(count):
    """Twists ``(count, 6)``."""
    return arrays(count, 6)


PAIR = {"E": bodies(2), "x": points(2)}
MOVING_PAIR = {**PAIR, "phi": motions(2)}


def Gamma(x):
    return np.concatenate([bracket(x).T, IDENTITY], axis=1)


def between(E, x):
    """Rotations of two bodies, and the span from the point of the first to that of the second."""
    R1, R2 = E[0, :3, :3], E[1, :3, :3]
    return R1, R2, R2 @ x[1] + E[1, :3, 3] - R1 @ x[0] - E[0, :3, 3]


def twists_along_segments(pulls, E, x, spins):
    """Twists for which each end of a path moves along its segment, and no point between moves at all."""
    points = np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])
    wanted = np.zeros_like(points)
    wanted[0], wanted[-1] = pulls[0] * (points[1] - points[0]), pulls[1] * (points[-1] - points[-2])
    seen = [pose[:3, :3].T @ velocity for pose, velocity in zip(E, wanted, strict=True)]
    return np.column_stack([spins, np.array(seen) - np.cross(spins, x)])


def path_along(count):
    """Bodies, points and such twists, drawn together."""
    drawn = st.shared(
        st.builds(
            lambda E, x, spins, pulls: (E, x, twists_along_segments(pulls, E, x, spins)),
            bodies(count),
            points(count),
            arrays(count, 3),
            arrays(2),
        ),
        key=f"path along {count}",
    )
    return {name: drawn.map(lambda path, k=k: path[k]) for k, name in enumerate(("E", "x", "phi"))}


def moves_along(E, x, phi, *parameters):
    """Return True if the ends move along their segments and all other points are at rest: the rate is constant."""
    points = np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])
    turned = np.cross(phi[:, :3], x) + phi[:, 3:]
    velocities = np.array([pose[:3, :3] @ velocity for pose, velocity in zip(E, turned, strict=True)])
    across = np.cross(velocities[[0, -1]], [points[1] - points[0], points[-1] - points[-2]])
    return np.allclose(across, 0, atol=1e-9) and np.allclose(velocities[1:-1], 0, atol=1e-9)


NONLINEAR = {
    "M": spd_matrices(2),
    "S": spd_matrices(2),
    "C": spd_matrices(2),
    "q": vectors(2),
    "phi": vectors(2),
    "h": positive_numbers(0.25, 1.0),
}


def hardening(A, x):
    """Return a force ``-A x - (x . x) x``, and its derivative."""
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
        mended=True,
    )
    formula = r"(M + hD - h^2K)\,\phi^{(k+1)} = M\phi^{(k)} + hf"
    inputs = {**NONLINEAR, "share": numbers(0.25, 1.0)}
    result = Result(VELOCITY, "in the coordinates of the whole system")
    constants = (FORCE / LENGTH**3, FORCE / VELOCITY**3)

    def printed(M, S, C, q, phi, h, share):
        """Evaluate with an f that contains a share of the damping forces, and with all of them in D."""
        elastic, K = hardening(S, q)
        damping, slope = hardening(C, phi)
        D, due_to_D = -slope, slope @ phi
        f = elastic + damping - due_to_D + share * due_to_D
        return np.linalg.solve(M + h * D - h**2 * K, M @ phi + h * f)

    def library(M, S, C, q, phi, h, share):
        elastic, K = hardening(S, q)
        damping, D = hardening(C, phi)
        return linearly_implicit_velocity(M, phi, elastic + damping, K, D, h)

    def reference(M, S, C, q, phi, h, share):
        """Compare with one Newton step of implicit Euler for nonlinear forces, from the old position and velocity.

        Of the two equations for the new position and the new velocity, linearised by complex steps.
        """

        def equations(unknowns):
            x, v = unknowns[:2], unknowns[2:]
            f = -S @ x - np.sum(x * x) * x - C @ v - np.sum(v * v) * v
            return np.concatenate([x - q - h * v, M @ (v - phi) - h * f])

        old = np.concatenate([q, phi])
        return (old - np.linalg.solve(complex_step(equations, old), equations(old)))[2:]

    tolerance = 1e-08
    given = {**NONLINEAR, "share": st.just(0.0)}

    def holds_when(M, S, C, q, phi, h, share):
        return share * np.linalg.norm(phi) == 0

    condition = (
        r"$K = +\partial f/\partial q$, $D = -\partial f/\partial\phi$, and $f$ leaves out the forces "
        r"that are linear in the velocity and accounted for by $D$"
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


@section_1_9.erratum("t375", "f is the sum of all forces")
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
        """Compare with implicit Euler for a mass on a spring-damper, solved with the force as an unknown.

        Implicit Euler again: velocity, position and force at the end of the step.
        """
        return np.linalg.solve([[m, 0, -h], [-h, 1, 0], [d, k, 1]], [m * phi, q, 0])[0]

    correction = r"$f + D\phi^{(k)}$ in the place of $f$, where $D = -\partial f/\partial\phi$"
    replacement = r"where $D$ is the damping matrix, $K$ is the stiffness matrix, and $f$ is the sum of all forces plus $D\phi^{(k)}$, with $D$ minus the derivative of that sum with respect to $\phi$."
    remark = (
        r"With $f = -kq - d\dot q$ on the right and $D = d$ on the left, damping acts twice: once "
        r"explicitly, once implicitly. This does not go away as $h \to 0$; the motion converges to that "
        r"of a damper twice as strong. (1.9.1 leaves its force out of $f$, which is right; a muscle and a "
        r"spring-damper cannot.)"
    )
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
        """Compare with implicit Euler with the damping force at the end of the step as an unknown.

        Implicit Euler with the force at the end of the step as an unknown of its own.
        """
        one = np.eye(6)
        return np.linalg.solve(
            np.block([[M, -h * one], [d * one, one]]), np.concatenate([M @ phi, np.zeros(6)])
        )[:6]

    remark = (
        r"So here $D = -\partial f/\partial\phi$, where (1.54) has $D = +\partial f/\partial\phi$. One "
        r"number $d$ stands for N m s and for N s/m, and the force depends on the choice of the body's "
        r"origin."
    )
    implements = (viscous_damping, linearly_implicit_velocity)
