"""Sueda 2.11: what joints carry, and friction in them. Oracles ask Newton for each point mass."""

from __future__ import annotations

import numpy as np
from scipy import linalg, optimize

from rbnotes import tree
from rbnotes.checking.strategies import arrays, positive_numbers, spd_matrices
from rbnotes.dynamics import BilateralRows, State, StepProblem, solve_step, symplectic_euler
from rbnotes.friction import Bearing, journal
from rbnotes.ledger.oracles import branching, joint_reactions
from rbnotes.ledger.oracles.branching_inputs import NAMES, TREE, tree_of
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "friction-in-joints"
NEWTON = "Newton's law for each point mass of a branching tree: what holds it to its motion"
BEARING = ("rbnotes.friction.Bearing",)
BISP = ("rbnotes.tree.bisp_step",)
BALANCE = ("rbnotes.tree.unconstrained_impulses",)
STEPPED = {**TREE, "h": positive_numbers(0.125, 1)}
LINKED = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: np.eye(4)[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "h": positive_numbers(0.125, 1),
}


SAME = {"in held: negated N in `[N, np.zeros((2, 2))]`": "the same condition, -N v = 0"}


def held(M, N, v, f, h):
    """Both unknowns of the first line of (2.115), with N v = 0 after the step."""
    kkt = np.block([[M, N.T], [N, np.zeros((2, 2))]])
    both = np.linalg.solve(kkt, np.concatenate([M @ v + h * f, np.zeros(2)]))
    return both[:4], both[4:]


def along(M, N, momentum):
    """The velocities that the rows allow, by the momenta along them: no multiplier."""
    free = linalg.null_space(N)
    return free @ np.linalg.solve(free.T @ M @ free, free.T @ momentum)


@claim("sueda/s2.11/e2.115", "The constrained equations of motion")
class e2_115:
    formula = (
        r"M\dot q + N^T\alpha = M\dot q^{\text{prev}} + hf, \qquad \underbrace{\dot q}_{\dot q^{\text{con}}} + "
        r"M^{-1}N^T\alpha = \underbrace{\dot q^{\text{prev}} + hM^{-1}f}_{\dot q^{\text{unc}}}"
    )
    inputs = LINKED

    def printed(M, N, v, f, h):
        """The sum of the second line's left side, and its first term."""
        con, alpha = held(M, N, v, f, h)
        return np.concatenate([con + np.linalg.solve(M, N.T @ alpha), con])

    def library(M, N, v, f, h):
        con = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N))).velocity
        return np.concatenate([solve_step(StepProblem(M, M @ v + h * f)).velocity, con])

    oracle = "momenta along what the rows allow, and without rows"

    def reference(M, N, v, f, h):
        return np.concatenate([v + linalg.solve(M, h * f, assume_a="pos"), along(M, N, M @ v + h * f)])

    verdict = Verdict.HOLDS
    equivalent_mutants = SAME
    remark = r"In maximal coordinates, where $\dot q$ are the velocities themselves."
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


@claim("sueda/s2.11/e2.116", "The force of the constraints, from two velocities")
class e2_116:
    formula = (
        r"M^{-1}N^T\alpha = \dot q^{\text{unc}} - \dot q^{\text{con}}, \quad f_\alpha = -N^T\alpha/h = "
        r"\frac1h M(\dot q^{\text{con}} - \dot q^{\text{unc}})"
    )
    inputs = LINKED

    def printed(M, N, v, f, h):
        con, alpha = held(M, N, v, f, h)
        unc = v + h * np.linalg.solve(M, f)
        return np.concatenate([M @ (con - unc) / h, -N.T @ alpha / h])

    def library(M, N, v, f, h):
        step = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N)))
        pushed = N.T @ step.bilateral / h
        return np.concatenate([pushed, pushed])

    oracle = "the momentum that is missing, once along what the rows allow is known; it does no work there"

    def reference(M, N, v, f, h):
        missing = (M @ along(M, N, M @ v + h * f) - M @ v - h * f) / h
        return np.concatenate([missing, missing])

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    equivalent_mutants = SAME
    remark = r"A joint may pull: the sign of $\alpha$ in (2.115) does no harm as long as (2.118) keeps to it."
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


def maximal(at, bodies, g, q, v):
    """M_m, J, Jdot and f_m of the tree."""
    assembly = tree_of(at, bodies, g)
    M = linalg.block_diag(*assembly.inertias)
    f = tree.body_wrenches(assembly, q, v).ravel()
    return M, tree.jacobian(assembly, q), tree.jacobian_dot(assembly, q, v), f


def steady(at, bodies, g, q, v):
    """Accelerations of the tree, from the points' masses and forces."""
    return np.linalg.solve(*branching.tree_newton(at, bodies, g, q, v))


@claim("sueda/s2.11/e2.117#a", "The constrained velocities of the bodies")
class e2_117_a:
    formula = (
        r"\dot q_m^{\text{con}\beta} = J_{mr}\left(\dot q_r^{\text{prev}} + hM_r^{-1}\left(J_{mr}^T(f_m + f_\beta - "
        r"M_m J_{mr}\dot q_r^{\text{prev}})\right)\right)"
    )
    inputs = STEPPED

    def printed(at, bodies, g, q, v, h):
        M, J, _, f = maximal(at, bodies, g, q, v)
        return J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ J @ v)))

    def library(at, bodies, g, q, v, h):
        assembly = tree_of(at, bodies, g)
        after = symplectic_euler(tree.TreeSystem(assembly), State(q=q, qdot=v), h).qdot
        return tree.twists(assembly, q, after).ravel()

    oracle = NEWTON

    def reference(at, bodies, g, q, v, h):
        after = v + h * steady(at, bodies, g, q, v)
        return branching.twists_and_velocities(at, np.zeros((4, 1, 3)), q, after)[0].ravel()

    tolerance = 1e-8
    scan = True
    verdict = Verdict.MISPRINT
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    remark = "The dot is missing here, in (2.119) and in (2.120); without it not even the units agree."
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = CHAPTER


@claim("sueda/s2.11/e2.117#b", "The forces of the joints, from constrained and unconstrained velocities")
class e2_117_b:
    formula = (
        r"\dot q_m^{\text{unc}\beta} = J_{mr}\dot q_r^{\text{prev}} + hM_m^{-1}(f_m + f_\beta), \qquad "
        r"f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta})"
    )
    inputs = STEPPED

    def printed(at, bodies, g, q, v, h):
        """With the dot that is missing in the second line."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        unc = J @ v + h * np.linalg.solve(M, f)
        con = J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v)))
        return M @ (con - unc) / h

    def library(at, bodies, g, q, v, h):
        system, state = tree.TreeSystem(tree_of(at, bodies, g)), State(q=q, qdot=v)
        after = symplectic_euler(system, state, h).qdot
        return tree.unconstrained_impulses(system, state, after, h).ravel() / h

    oracle = NEWTON

    def reference(at, bodies, g, q, v, h):
        return joint_reactions.on_bodies(at, bodies, g, q, v, steady(at, bodies, g, q, v))

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    correction = (
        r"$f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - "
        r"\dot q_m^{\text{unc}\beta})$"
    )
    remark = (
        r"Forces change the bodies' velocities by $J_{mr}(\dot q_r - \dot q_r^{\text{prev}}) + "
        r"h\dot J_{mr}\dot q_r^{\text{prev}}$, of which the last part is left out. What is printed breaks "
        r"d'Alembert's principle, $J_{mr}^T f_\alpha = -J_{mr}^T M_m\dot J_{mr}\dot q_r \ne 0$: joints that work."
    )
    implemented_by = BALANCE
    chapter = CHAPTER


@claim("sueda/s2.11/t1449", "The forces of the joints, body by body, and their distribution")
class t1449:
    formula = (
        r"\text{from the leaves: } w_i = f_{\alpha i} + \sum_c {}^c_i\text{Ad}^T w_c \text{ (`subtract' the `equal "
        r"and opposite force' that the joint of child } c \text{ exerts)}"
    )
    inputs = TREE

    def printed(at, bodies, g, q, v):
        """Joint reactions subtracted from the parents, as equal and opposite forces, seen from their frames."""
        assembly = tree_of(at, bodies, g)
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        qddot = np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v))
        portion = (M @ (J @ qddot + Jdot @ v) - f).reshape(4, 6)
        poses = tree.poses(assembly, q).bodies
        for i in (3, 2, 1):
            parent = assembly.parents[i]
            seen = np.linalg.inv(poses[i]) @ poses[parent]
            opposite = -_adjoint(seen).T @ portion[i]
            portion[parent] = portion[parent] - opposite
        return np.concatenate(
            [_adjoint(body).T @ w for body, w in zip(np.linalg.inv(at[:, 1]), portion, strict=True)]
        )

    def library(at, bodies, g, q, v):
        assembly = tree_of(at, bodies, g)
        system, state = tree.TreeSystem(assembly), State(q=q, qdot=v)
        after = symplectic_euler(system, state, 1.0).qdot
        return tree.joint_wrenches(
            assembly, q, tree.unconstrained_impulses(system, state, after, 1.0)
        ).ravel()

    oracle = NEWTON + ", added up over all that a joint carries"

    def reference(at, bodies, g, q, v):
        return joint_reactions.through_joints(at, bodies, g, q, v, steady(at, bodies, g, q, v))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        r"The first of the two sentences, `we must subtract this force from the parent's portion', read of the "
        r"joint reaction itself, gives the other sign; the second one says which is meant. All is linear in "
        r"$f_\alpha$, and one visit per joint."
    )
    implemented_by = ("rbnotes.tree.joint_wrenches",)
    chapter = CHAPTER


def _adjoint(E):
    """Takes twists from the second frame of E to the first."""
    R, p = E[:3, :3], E[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [hat @ R, R]])


DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1, 0], [0, 0, 1.0], [0, 1.0, 1]])
PLACES = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0], [-1.0, 0, 0]])


CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
OCTET = (np.roll(CORNERS, 1, axis=1) * [1, 1, 0] + [0, 0, 0.5], CORNERS)


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

    def printed(contacts, M, c, h):
        """The multipliers for the joint reaction that forces c along the normals make: they should be -h c."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        f = N.T @ c
        alpha = h * np.linalg.solve(N @ Mi @ N.T + EPSILON * np.eye(5), N @ Mi @ f)
        return -alpha / h

    def library(contacts, M, c, h):
        return Bearing(*contacts, 0.3).multipliers(h * rows_of(contacts).T @ c) / h

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

    def printed(contacts, c, mu):
        """The sum of the upper bounds of (2.114), one for each contact."""
        N = rows_of(contacts)
        alpha = np.linalg.lstsq(N.T, N.T @ c, rcond=None)[0]
        return np.array([np.sum(mu * alpha)])

    def library(contacts, c, mu):
        bearing = Bearing(*contacts, mu)
        return np.array([np.sum(bearing.mu * np.abs(bearing.multipliers(rows_of(contacts).T @ c)))])

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

    def printed(contacts, M, c):
        """The magnitudes of (2.118), for the joint reaction that forces c along the normals make."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        return np.linalg.solve(N @ Mi @ N.T + 1e-9 * np.eye(8), N @ Mi @ N.T @ c)

    def library(contacts, M, c):
        return Bearing(*contacts, 0.3).multipliers(rows_of(contacts).T @ c)

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

    def printed(radius, height, load, more):
        return ring(radius, height).T @ (load + 1000)

    def library(radius, height, load, more):
        return Bearing(*around(radius, height), 0.3).normal_rows.T @ (load + more)

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

    def printed(at, bodies, g, q, v, h):
        """Lines 10 and 26 with mu = 0, and with the dot that (2.117) lacks; f_r of (2.18)."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r, f_r = J.T @ M @ J, J.T @ (f - M @ Jdot @ v)
        unc = J @ v + h * np.linalg.solve(M, f)
        f_alpha = M @ (J @ (v + h * np.linalg.solve(M_r, f_r)) - unc) / h
        return v + h * np.linalg.solve(M_r, f_r + J.T @ f_alpha)

    def library(at, bodies, g, q, v, h):
        system = tree.TreeSystem(tree_of(at, bodies, g))
        smooth = {NAMES[3]: journal(0.1, 0.2, 0.0, points=3)}
        return tree.bisp_step(system, State(q=q, qdot=v), h, smooth).state.qdot

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
