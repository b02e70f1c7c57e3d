"""Sueda 1.9 and 1.9.1: linearly implicit Euler and viscous damping.

Also the mechanics that the references of 1.9.2-1.9.6 are built from: points of bodies, tensions between
them, wrenches as moments and forces, and derivatives by complex steps.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import (
    numbers,
    positive_numbers,
    spd_matrices,
    twists,
    vectors,
)
from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.forces.body_forces import viscous_damping
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "springs-and-muscles-on-bodies"
IDENTITY = np.eye(3)


def entries(*shape):
    """Arrays of multiples of 1/64 between -2 and 2, in a single draw: quick to make and to shrink."""
    size = int(np.prod(shape))
    return st.binary(min_size=size, max_size=size).map(
        lambda drawn: np.frombuffer(drawn, dtype=np.int8).reshape(shape) / 64
    )


def bodies(count):
    """Poses ``(count, 4, 4)`` of bodies whose origins, one after the other, are at least 2 apart."""

    def placed(turns, origins):
        E = np.tile(np.eye(4), (count, 1, 1))
        E[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix()
        for k, step in enumerate(origins[1:], 1):
            size = np.linalg.norm(step)
            origins[k] = origins[k - 1] + (step * (1 + 2 / size) if size else [2, 0, 0])
        E[:, :3, 3] = origins
        return E

    return st.builds(placed, entries(count, 3), entries(count, 3))


def points(count):
    """One point on each of ``count`` bodies ``(count, 3)``, less than 0.9 from its origin."""
    return entries(count, 3).map(lambda drawn: drawn / 4)


def motions(count):
    """Twists ``(count, 6)``."""
    return entries(count, 6)


def at_rest(count):
    """Twists ``(count, 6)`` of bodies at rest."""
    return st.just(np.zeros((count, 6)))


PAIR = {"E": bodies(2), "x": points(2)}
MOVING_PAIR = {**PAIR, "phi": motions(2)}
RESTING_PAIR = {**PAIR, "phi": at_rest(2)}


def Gamma(x):
    return np.concatenate([bracket(x).T, IDENTITY], axis=1)


def between(E, x, k=0):
    """Rotations, origins, points and span of the segment from body k to the next, as the notes name them."""
    R1, R2, p1, p2 = E[k, :3, :3], E[k + 1, :3, :3], E[k, :3, 3], E[k + 1, :3, 3]
    start, end = R1 @ x[k] + p1, R2 @ x[k + 1] + p2
    return R1, R2, p1, p2, start, end, end - start


def places(E, x):
    return np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])


def velocities(E, x, phi):
    moving = zip(E, x, phi, strict=True)
    return np.array(
        [pose[:3, :3] @ (twist[3:] + np.cross(twist[:3], point)) for pose, point, twist in moving]
    )


def length(E, x):
    steps = np.diff(places(E, x), axis=0)
    return np.sum(np.sqrt(np.sum(steps * steps, axis=1)))


def rate(E, x, phi):
    steps = np.diff(places(E, x), axis=0)
    along = np.sum(steps * np.diff(velocities(E, x, phi), axis=0), axis=1)
    return np.sum(along / np.sqrt(np.sum(steps * steps, axis=1)))


def wrenches(tension, E, x, phi):
    """A tension F(L, Ldot) along a path: moments about the origins and forces, seen from the bodies ``(6n,)``."""
    steps = np.diff(places(E, x), axis=0)
    F = tension(length(E, x), rate(E, x, phi))
    pulls = F * steps / np.sqrt(np.sum(steps * steps, axis=1, keepdims=True))
    none = np.zeros((1, 3))
    forces = np.concatenate([pulls, none]) - np.concatenate([none, pulls])
    seen = [pose[:3, :3].T @ force for pose, force in zip(E, forces, strict=True)]
    return np.concatenate(
        [part for point, f in zip(x, seen, strict=True) for part in (np.cross(point, f), f)]
    )


def along_poses(function, E):
    """Derivative along ``E exp([xi])``, of which ``E (I + [xi])`` is all that a first derivative sees."""

    def moved(xi):
        step = np.zeros((len(E), 4, 4), dtype=xi.dtype)
        for increment, twist in zip(step, xi.reshape(-1, 6), strict=True):
            increment[:3, :3], increment[:3, 3] = bracket(twist[:3]), twist[3:]
        return E + E @ step

    return complex_step(lambda xi: function(moved(xi)), np.zeros(6 * len(E)))


def along_twists(function, phi):
    return complex_step(lambda z: function(z.reshape(phi.shape)), phi.ravel())


LINEAR = {
    "M": vectors(2, 0.25, 4.0).map(np.diag),
    "S": spd_matrices(2),
    "C": spd_matrices(2),
    "q": vectors(2),
    "phi": vectors(2),
    "h": positive_numbers(0.25, 1.0),
}


def force(S, C, q, phi, counted):
    """f(q, phi) = -S q - C phi; ``counted`` says whether the damping forces are among 'all forces'."""
    return -S @ q - counted * (C @ phi)


SPRING_DAMPER = {
    "m": positive_numbers(),
    "k": positive_numbers(),
    "d": positive_numbers(),
    "q": numbers(),
    "phi": numbers(),
    "h": positive_numbers(0.25, 1.0),
}


DAMPED = {
    "M": vectors(6, 0.25, 4.0).map(np.diag),
    "d": positive_numbers(),
    "phi": twists(),
    "h": positive_numbers(0.25, 1.0),
}


STEP = ("rbnotes.dynamics.linearly_implicit_velocity",)


@claim("sueda/s1.9/e1.30", "Linearly implicit Euler")
class e1_30:
    formula = r"(M + hD - h^2K)\,\phi^{(k+1)} = M\phi^{(k)} + hf"
    inputs = {**LINEAR, "counted": st.just(1.0)}

    def printed(M, S, C, q, phi, h, counted):
        K, D, f = -S, C, force(S, C, q, phi, counted)
        return np.linalg.solve(M + h * D - h**2 * K, M @ phi + h * f)

    def library(M, S, C, q, phi, h, counted):
        return linearly_implicit_velocity(M, phi, force(S, C, q, phi, 1), -S, -C, h)

    oracle = "implicit Euler for a linear force, solved with the force at the end of the step as an unknown"

    def reference(M, S, C, q, phi, h, counted):
        """Implicit Euler: phi+, q+ and the force at the end of the step, all unknown."""
        zero, one = np.zeros((2, 2)), np.eye(2)
        equations = np.block([[M, zero, -h * one], [-h * one, one, zero], [C, S, one]])
        return np.linalg.solve(equations, np.concatenate([M @ phi, q, np.zeros(2)]))[:2]

    tolerance = 1e-08
    verdict = Verdict.CONDITIONAL
    given = {**LINEAR, "counted": st.just(0.0)}
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
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s1.9/t375", "f is the sum of all forces")
class t375:
    formula = r"f = \textstyle\sum\text{ (1.31), (1.35), (1.39), (1.60), (1.66)}"
    inputs = SPRING_DAMPER

    def printed(m, k, d, q, phi, h):
        f = -k * q - d * phi
        return (m * phi + h * f) / (m + h * d + h**2 * k)

    def library(m, k, d, q, phi, h):
        return linearly_implicit_velocity([[m]], [phi], [-k * q - d * phi], [[-k]], [[-d]], h)[0]

    oracle = "implicit Euler for a mass on a spring-damper, solved with the force as an unknown"

    def reference(m, k, d, q, phi, h):
        """Implicit Euler again: velocity, position and force at the end of the step."""
        return np.linalg.solve([[m, 0, -h], [-h, 1, 0], [d, k, 1]], [m * phi, q, 0])[0]

    verdict = Verdict.ERRATUM
    correction = r"$f + D\phi^{(k)}$ in the place of $f$, where $D = -\partial f/\partial\phi$"
    remark = (
        r"With $f = -kq - d\dot q$ on the right and $D = d$ on the left, damping acts twice: once "
        r"explicitly, once implicitly. This does not go away as $h \to 0$; the motion converges to that "
        r"of a damper twice as strong. (1.9.1 leaves its force out of $f$, which is right; a muscle and a "
        r"spring-damper cannot.)"
    )
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s1.9.1/t377", "Viscous damping: D = dI, and nothing on the right-hand side")
class t377:
    formula = r"D = dI,\qquad (M + hD)\,\phi^{(k+1)} = M\phi^{(k)}"
    inputs = DAMPED

    def printed(M, d, phi, h):
        D = d * np.eye(6)
        return np.linalg.solve(M + h * D, M @ phi)

    def library(M, d, phi, h):
        w, K, D = viscous_damping(d, phi)
        return linearly_implicit_velocity(M, phi, w, K, D, h)

    oracle = "implicit Euler with the damping force at the end of the step as an unknown"

    def reference(M, d, phi, h):
        """Implicit Euler with the force at the end of the step as an unknown of its own."""
        one = np.eye(6)
        return np.linalg.solve(
            np.block([[M, -h * one], [d * one, one]]), np.concatenate([M @ phi, np.zeros(6)])
        )[:6]

    verdict = Verdict.HOLDS
    remark = (
        r"So here $D = -\partial f/\partial\phi$, where (1.54) has $D = +\partial f/\partial\phi$. One "
        r"number $d$ stands for N m s and for N s/m, and the force depends on the choice of the body's "
        r"origin."
    )
    implemented_by = (
        "rbnotes.forces.body_forces.viscous_damping",
        "rbnotes.dynamics.linearly_implicit_velocity",
    )
    chapter = CHAPTER
