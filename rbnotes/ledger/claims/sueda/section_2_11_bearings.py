"""Sueda 2.11: what the contacts in a joint carry, and friction in them."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from rbnotes.dynamics import State
from rbnotes.friction import Bearing, journal_bearing
from rbnotes.ledger.claims.sueda.section_2_11_joints import (
    CHAPTER,
    NEWTON,
    STEPPED,
    maximal,
    steady,
)
from rbnotes.ledger.joint_quantities import BRANCHING, BRANCHING_STATE
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, library_tree
from rbnotes.ledger.quantities import (
    FORCE,
    LENGTH,
    NUMBER,
    SPATIAL_INERTIA,
    TIME,
    WRENCH,
    stacked_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, positive_numbers, spd_matrices

BEARING = ("rbnotes.friction.Bearing",)
BISP = ("rbnotes.multibody.reduced.bisp_step",)

DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1, 0], [0, 0, 1.0], [0, 1.0, 1]])
PLACES = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0], [-1.0, 0, 0]])


CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
OCTET = (np.roll(CORNERS, 1, axis=1) * [1, 1, 0] + [0, 0, 0.5], CORNERS)


QUANTITIES = {
    **BRANCHING_STATE,
    "height": LENGTH,
    "load": FORCE,
    "more": NUMBER,
    "radius": LENGTH,
}


def _contacts(numbers, around=(DIRECTIONS, PLACES)):
    normals = around[0] + numbers[:, :3] / 8
    return np.stack(
        [around[1] + numbers[:, 3:] / 8, normals / np.linalg.norm(normals, axis=1, keepdims=True)]
    )


LOADED = {
    "contacts": arrays(5, 6).map(_contacts),
    "M": spd_matrices(6),
    "c": arrays(5),
    "h": positive_numbers(0.125, 1),
}


def rows_of(contacts):
    """N ``(c, 6)`` of points and normals."""
    points, normals = contacts
    return np.hstack([np.cross(points, normals), normals])


def pushes(contacts, sizes):
    """Wrench of forces of these sizes along the normals, moment by moment."""
    total = np.zeros(6)
    for x, n, size in zip(*contacts, sizes, strict=True):
        force = size * n
        total[:3] += (
            x[1] * force[2] - x[2] * force[1],
            x[2] * force[0] - x[0] * force[2],
            x[0] * force[1] - x[1] * force[0],
        )
        total[3:] += force
    return total


EPSILON = 1e-11


@claim("sueda/s2.11/e2.118", "The multipliers of a joint's contacts")
class e2_118:
    formula = (
        r"\alpha = h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1}\left(N_i M_i^{-1} f_{\alpha i}\right)"
    )
    inputs = LOADED
    quantities = {"contacts": stacked_quantity(LENGTH, NUMBER), "M": SPATIAL_INERTIA, "c": FORCE}
    result = FORCE

    def printed(contacts, M, c, h):
        """The multipliers for the joint reaction that forces c along the normals make: they should be -h c."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        f = N.T @ c
        alpha = h * np.linalg.solve(N @ Mi @ N.T + EPSILON * np.eye(5), N @ Mi @ f)
        return -alpha / h

    def library(contacts, M, c, h):
        return Bearing(*contacts, 0.3).normal_multipliers(h * rows_of(contacts).T @ c) / h

    oracle = r"the contact forces that the joint reaction was made of, which are independent of each other"

    def reference(contacts, M, c, h):
        """What the contacts push with: solved for, moment by moment."""
        columns = np.stack([pushes(contacts, unit) for unit in np.eye(5)], axis=1)
        return np.linalg.lstsq(columns, pushes(contacts, c), rcond=None)[0]

    combined_with = ("sueda/s2.11/e2.116",)
    tolerance = 1e-4
    tolerance_reason = "the regularisation shifts the multipliers, as it is meant to"
    verdict = Verdict.ERRATUM
    correction = (
        r"$\alpha = -h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1} N_i M_i^{-1} f_{\alpha i}$, since "
        r"$f_\alpha = -N^T\alpha/h$ in (2.116)"
    )
    remark = (
        r"The metric $M_i^{-1}$ matters only where the contacts cannot carry the load at all; the library weighs "
        r"moments by the size of the bearing, so that bodies without mass have bearings, too. The sign would not "
        r"matter if $|\alpha|$ bounded friction; as printed, $\mu\alpha$ does."
    )
    implemented_by = BEARING
    chapter = CHAPTER


@claim("sueda/s2.11/t1487", "Multipliers of either sign, and the friction that they allow")
class t1487:
    formula = (
        r"\text{`We do not require } \alpha \text{ to be positive'}; \quad -\mu\alpha \le \beta \le \mu\alpha"
    )
    inputs = {name: LOADED[name] for name in ("contacts", "c")} | {"mu": positive_numbers(0.125, 1)}
    quantities = {"contacts": stacked_quantity(LENGTH, NUMBER), "c": FORCE}
    result = FORCE

    def printed(contacts, c, mu):
        """The sum of the upper bounds of (2.114), one for each contact."""
        N = rows_of(contacts)
        alpha = np.linalg.lstsq(N.T, N.T @ c, rcond=None)[0]
        return np.array([np.sum(mu * alpha)])

    def library(contacts, c, mu):
        bearing = Bearing(*contacts, mu)
        return np.array([np.sum(bearing.mu * np.abs(bearing.normal_multipliers(rows_of(contacts).T @ c)))])

    oracle = "contacts that only push, one on either side of each place: nonnegative least squares"

    def reference(contacts, c, mu):
        one_side = np.stack([pushes(contacts, unit) for unit in np.eye(5)], axis=1)
        sizes, _ = optimize.nnls(np.hstack([one_side, -one_side]), pushes(contacts, c))
        return np.array([mu * np.sum(sizes)])

    tolerance = 1e-5
    tolerance_reason = "the multipliers are regularised"
    verdict = Verdict.ERRATUM
    correction = r"$-\mu|\alpha| \le \beta \le \mu|\alpha|$"
    remark = (
        r"Where $\alpha < 0$ the printed bounds allow no friction impulse at all, not even zero, and the "
        r"program has no solution. A contact that holds both ways is two that push, on either side, of which "
        r"one carries the load."
    )
    implemented_by = BEARING
    chapter = CHAPTER


SPREAD = {
    "contacts": arrays(8, 6).map(lambda numbers: _contacts(numbers, OCTET)),
    "M": spd_matrices(6),
    "c": arrays(8),
}


@claim("sueda/s2.11/t1491#a", "The regularisation finds the smallest impulses")
class t1491_a:
    formula = r"\epsilon \to 0: \quad \|\alpha\| \text{ is the smallest of all that make the joint reaction}"
    inputs = SPREAD
    quantities = {"contacts": stacked_quantity(LENGTH, NUMBER), "M": SPATIAL_INERTIA, "c": FORCE}
    result = FORCE

    def printed(contacts, M, c):
        """The magnitudes of (2.118), for the joint reaction that forces c along the normals make."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        return np.linalg.solve(N @ Mi @ N.T + 1e-9 * np.eye(8), N @ Mi @ N.T @ c)

    def library(contacts, M, c):
        return Bearing(*contacts, 0.3).normal_multipliers(rows_of(contacts).T @ c)

    oracle = "of all forces with the same wrench those of least squares, by singular values"

    def reference(contacts, M, c):
        columns = np.stack([pushes(contacts, unit) for unit in np.eye(8)], axis=1)
        return np.linalg.lstsq(columns, pushes(contacts, c), rcond=None)[0]

    tolerance = 1e-4
    tolerance_reason = (
        "the regularisation is small, not nothing, and the system it makes solvable is singular"
    )
    equivalent_mutants = {
        "flipped sign in `N @ Mi @ N.T + 1e-09 * np.eye(8)`": "it makes the system regular all the same",
        **dict.fromkeys(
            (
                "in rows_of: negated np.cross(points, normals) in `[np.cross(points, normals), normals]`",
                "in rows_of: negated normals in `[np.cross(points, normals), normals]`",
                "in rows_of: swapped arguments in `np.cross(points, normals)`",
            ),
            "the same rows make the wrench and share it: what they span stays the same",
        ),
    }
    verdict = Verdict.HOLDS
    remark = r"Without $\epsilon$ the system is singular: eight contacts, six wrenches at most."
    implemented_by = BEARING
    chapter = CHAPTER


RING = {
    "radius": positive_numbers(0.25, 2),
    "height": positive_numbers(0.25, 2),
    "load": arrays(8),
    "more": positive_numbers(0.125, 4),
}


def around(radius, height):
    """Points and normals of four contacts around each end of a cylinder."""
    angles = np.pi / 2 * (np.arange(4) + 0.5)
    radial = np.stack([np.cos(angles), np.sin(angles), np.zeros(4)], axis=1)
    points = np.concatenate([radius * radial + [0, 0, end] for end in (-height / 2, height / 2)])
    return points, np.tile(radial, (2, 1))


def ring(radius, height):
    """Their N."""
    return rows_of(around(radius, height))


@claim("sueda/s2.11/t1491#b", "A tight joint and a loose one make the same constraint")
class t1491_b:
    formula = r"N_i^T(\alpha + 1000) = N_i^T(\alpha + 0.1) \quad \text{for a revolute joint}"
    inputs = RING
    result = WRENCH

    def printed(radius, height, load, more):
        return ring(radius, height).T @ (load + 1000)

    def library(radius, height, load, more):
        return Bearing(*around(radius, height), 0.3).normal_jacobian.T @ (load + more)

    oracle = "forces and moments added up contact by contact, with 0.1 each"

    def reference(radius, height, load, more):
        total = np.zeros(6)
        for k, size in enumerate(load + 0.1):
            angle, z = np.pi / 2 * (k % 4 + 0.5), (-1 if k < 4 else 1) * height / 2
            x, y = size * np.cos(angle), size * np.sin(angle)
            total += [-z * y, z * x, 0, x, y, 0]
        return total

    equivalent_mutants = {
        **dict.fromkeys(
            ("flipped sign in `load + 1000`", "dropped `1000` in `load + 1000`"),
            "what is the same at all contacts makes no wrench: the claim itself",
        ),
        "in around: dropped factor `radius` in `radius * radial`": "radial forces meet the axis",
    }
    verdict = Verdict.HOLDS
    remark = r"Friction would be ten thousand times as large, though: it is bounded by $\mu|\alpha|$."
    implemented_by = BEARING
    chapter = CHAPTER


@claim("sueda/s2.11/alg8", "Bilateral staggered projections: the new velocities")
class alg8:
    formula = (
        r"\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}\left(f_r + J_{mr}^T(f_\alpha + f_\beta)\right), \qquad "
        r"f_\beta = 0 \text{ without friction}"
    )
    inputs = STEPPED
    result = BRANCHING / TIME

    def printed(at, bodies, g, q, v, h):
        """Lines 10 and 26 with mu = 0, and with the dot that (2.117) lacks; f_r of (2.18)."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r, f_r = J.T @ M @ J, J.T @ (f - M @ Jdot @ v)
        unc = J @ v + h * np.linalg.solve(M, f)
        f_alpha = M @ (J @ (v + h * np.linalg.solve(M_r, f_r)) - unc) / h
        return v + h * np.linalg.solve(M_r, f_r + J.T @ f_alpha)

    def library(at, bodies, g, q, v, h):
        system = reduced.TreeSystem(library_tree(at, bodies, g))
        smooth = {NAMES[3]: journal_bearing(0.1, 0.2, 0.0, points=3)}
        return reduced.bisp_step(system, State(q=q, qdot=v), h, smooth).state.qdot

    oracle = NEWTON + ": without friction, the step of 2.3"

    def reference(at, bodies, g, q, v, h):
        return v + h * steady(at, bodies, g, q, v)

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    correction = (
        r"$\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}(f_r + J_{mr}^T f_\beta)$: joint reactions do no work, "
        r"$J_{mr}^T f_\alpha = 0$"
    )
    remark = (
        r"The forces that (2.117) finds are not those of the joints, and count "
        r"$-J_{mr}^T M_m\dot J_{mr}\dot q_r$ of $f_r$ twice: without any friction, the mechanism moves otherwise "
        r"than in 2.3. Lines 8 to 21 have the flaw of Algorithm 7, too."
    )
    implemented_by = BISP
    chapter = CHAPTER
