"""Sueda 2.11: what joints carry. Oracles ask Newton for each point mass."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from rbnotes.dynamics import BilateralRows, State, StepProblem, solve_step, symplectic_euler
from rbnotes.ledger.joint_quantities import BRANCHING_STATE
from rbnotes.ledger.oracles import branching_tree, joint_reactions
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, library_tree
from rbnotes.ledger.quantities import FORCE, TWIST, VELOCITY, WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, positive_numbers, spd_matrices

CHAPTER = "friction-in-joints"
NEWTON = "Newton's law for each point mass of a branching tree: what holds it to its motion"
BALANCE = ("rbnotes.multibody.reduced.body_constraint_impulses",)
STEPPED = {**TREE, "h": positive_numbers(0.125, 1)}
LINKED = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: np.eye(4)[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "h": positive_numbers(0.125, 1),
}


SAME = {"in held: negated N in `[N, np.zeros((2, 2))]`": "the same condition, -N v = 0"}


QUANTITIES = BRANCHING_STATE


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
    quantities = {"v": VELOCITY}
    result = VELOCITY

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
    quantities = {"v": VELOCITY}
    result = FORCE

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
    assembly = library_tree(at, bodies, g)
    M = linalg.block_diag(*assembly.inertias)
    f = reduced.gyroscopic_and_gravity_wrenches(assembly, q, v).ravel()
    return M, reduced.jacobian(assembly, q), reduced.jacobian_rate(assembly, q, v), f


def steady(at, bodies, g, q, v):
    """Accelerations of the tree, from the points' masses and forces."""
    return np.linalg.solve(*branching_tree.tree_newton_equations(at, bodies, g, q, v))


@claim("sueda/s2.11/e2.117#a", "The constrained velocities of the bodies")
class e2_117_a:
    formula = (
        r"\dot q_m^{\text{con}\beta} = J_{mr}\left(\dot q_r^{\text{prev}} + hM_r^{-1}\left(J_{mr}^T(f_m + f_\beta - "
        r"M_m J_{mr}\dot q_r^{\text{prev}})\right)\right)"
    )
    inputs = STEPPED
    result = TWIST

    def printed(at, bodies, g, q, v, h):
        M, J, _, f = maximal(at, bodies, g, q, v)
        return J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ J @ v)))

    def library(at, bodies, g, q, v, h):
        assembly = library_tree(at, bodies, g)
        after = symplectic_euler(reduced.TreeSystem(assembly), State(q=q, qdot=v), h).qdot
        return reduced.twists(assembly, q, after).ravel()

    oracle = NEWTON

    def reference(at, bodies, g, q, v, h):
        after = v + h * steady(at, bodies, g, q, v)
        return branching_tree.twists_and_velocities(at, np.zeros((4, 1, 3)), q, after)[0].ravel()

    tolerance = 1e-8
    scan = True
    verdict = Verdict.ERRATUM
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the rate of $J$ has lost its dot"
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
    result = WRENCH

    def printed(at, bodies, g, q, v, h):
        """With the dot that is missing in the second line."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        unc = J @ v + h * np.linalg.solve(M, f)
        con = J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v)))
        return M @ (con - unc) / h

    def library(at, bodies, g, q, v, h):
        system, state = reduced.TreeSystem(library_tree(at, bodies, g)), State(q=q, qdot=v)
        after = symplectic_euler(system, state, h).qdot
        return reduced.body_constraint_impulses(system, state, after, h).ravel() / h

    oracle = NEWTON

    def reference(at, bodies, g, q, v, h):
        return joint_reactions.net_body_wrenches(at, bodies, g, q, v, steady(at, bodies, g, q, v))

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
    result = WRENCH

    def printed(at, bodies, g, q, v):
        """Joint reactions subtracted from the parents, as equal and opposite forces, seen from their frames."""
        assembly = library_tree(at, bodies, g)
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        qddot = np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v))
        portion = (M @ (J @ qddot + Jdot @ v) - f).reshape(4, 6)
        poses = reduced.poses(assembly, q).bodies
        for i in (3, 2, 1):
            parent = assembly.parents[i]
            seen = np.linalg.inv(poses[i]) @ poses[parent]
            opposite = -_adjoint(seen).T @ portion[i]
            portion[parent] = portion[parent] - opposite
        return np.concatenate(
            [_adjoint(body).T @ w for body, w in zip(np.linalg.inv(at[:, 1]), portion, strict=True)]
        )

    def library(at, bodies, g, q, v):
        assembly = library_tree(at, bodies, g)
        system, state = reduced.TreeSystem(assembly), State(q=q, qdot=v)
        after = symplectic_euler(system, state, 1.0).qdot
        return reduced.joint_transmitted_wrenches(
            assembly, q, reduced.body_constraint_impulses(system, state, after, 1.0)
        ).ravel()

    oracle = NEWTON + ", added up over all that a joint carries"

    def reference(at, bodies, g, q, v):
        return joint_reactions.joint_transmitted_wrenches(at, bodies, g, q, v, steady(at, bodies, g, q, v))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        r"The first of the two sentences, `we must subtract this force from the parent's portion', read of the "
        r"joint reaction itself, gives the other sign; the second one says which is meant. All is linear in "
        r"$f_\alpha$, and one visit per joint."
    )
    implemented_by = ("rbnotes.multibody.reduced.joint_transmitted_wrenches",)
    chapter = CHAPTER


def _adjoint(E):
    """Takes twists from the second frame of E to the first."""
    R, p = E[:3, :3], E[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [hat @ R, R]])
