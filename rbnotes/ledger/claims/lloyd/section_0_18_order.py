"""Lloyd 0.18: one attachment after the other, along the graph of attachments."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import (
    Attachment,
    eliminate_attachment,
    elimination_order,
    null_space_reduction,
    point_on_points,
)
from rbnotes.dynamics import StepProblem
from rbnotes.ledger.claims.lloyd.section_0_18 import (
    ALPHA,
    BETA,
    CHAPTER,
    IDENTITY,
    KEPT,
    REDUCE,
    A,
    B,
    K,
)
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.quantities import MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, positive_numbers, vectors

CHAIN = (point_on_points(0, [3], [1.0]), point_on_points(1, [0], [1.0]), point_on_points(2, [1], [1.0]))
"""j on the active particle 3, m on j, k on m."""
TWO = 2
"""Velocities of a component of the graph below."""
SIZES = (TWO,) * 4
GRAPH = {
    "M": arrays(8, 8).map(lambda S: S @ S.T / 8 + 0.5 * np.eye(8)),
    "onto_active": arrays(3, TWO, TWO),
    "onto_next": arrays(3, TWO, TWO),
    "f": arrays(8),
}
"""Components 0, 1 and 2, each attached to the next one and to the active component 3."""


QUANTITIES = {
    "f": MOMENTUM,
    "ma": MASS,
    "mj": MASS,
    "mk": MASS,
    "mm": MASS,
    "onto_active": NUMBER,
    "onto_next": NUMBER,
    "va": VELOCITY,
    "vb": VELOCITY,
    "w1": NUMBER,
    "w2": NUMBER,
}


def eliminated(masses, order):
    """Effective mass of the active particle after the elimination of the chain in an order."""
    system = StepProblem(np.diag(np.repeat(masses, 3)), np.zeros(12))
    for attachment in order:
        system = eliminate_attachment(system, [3, 3, 3, 3], attachment)
    return system.mass[9, 9]


def graph(onto_active, onto_next):
    """The attachments; component 2 has the active one alone for a master, with both blocks."""
    chained = [Attachment(k, {3: -onto_active[k], k + 1: -onto_next[k]}) for k in (0, 1)]
    return [*chained, Attachment(2, {3: -onto_active[2] - onto_next[2]})]


def follow(onto_active, onto_next, v_active):
    """All velocities, masters first, each attached one as its own constraint says."""
    v = np.zeros((4, TWO))
    v[3] = v_active
    for k in (2, 1, 0):
        v[k] = [-(onto_active[k][i] @ v[3]) - onto_next[k][i] @ v[k + 1] for i in range(TWO)]
    return v.ravel()


def graph_energy(M, onto_active, onto_next):
    return energy_matrix(M, lambda v: follow(onto_active, onto_next, v), TWO)


def graph_power(onto_active, onto_next, f):
    """Power of all forces on unit velocities of the active component."""
    return np.array([f @ follow(onto_active, onto_next, unit) for unit in np.eye(TWO)])


def between(w1, w2, v):
    """Velocities of two particles and of one between them."""
    return np.concatenate([v, w1 * v[:3] + w2 * v[3:]])


MASTERS = {
    "w1": positive_numbers(),
    "w2": positive_numbers(),
    "m1": positive_numbers(),
    "m2": positive_numbers(),
    "mk": positive_numbers(),
}


def two_masters_library(w1, w2, m1, m2, mk):
    masses = np.diag(np.repeat([m1, m2, mk], 3))
    space = null_space_reduction([3, 3, 3], (point_on_points(2, (0, 1), (w1, w2)),))
    return space.reduce(StepProblem(masses, np.zeros(9))).mass


def two_masters_reference(w1, w2, m1, m2, mk):
    return energy_matrix(np.diag(np.repeat([m1, m2, mk], 3)), lambda v: between(w1, w2, v), 6)


ON_BOTH = {"G": arrays(K, KEPT), "va": vectors(A), "vb": vectors(B)}


def attached_to_both_library(G, va, vb):
    space = null_space_reduction([A, B, K], [Attachment(2, {0: -G[:, ALPHA], 1: -G[:, BETA]})])
    return space.expand_velocities(np.concatenate([va, vb]))[KEPT:]


def attached_to_both_reference(G, va, vb):
    """The v_k that makes the constraint's sum zero, by least squares."""
    rows = np.hstack([G, IDENTITY])
    others = np.concatenate([va, vb, np.zeros(K)])
    return np.linalg.lstsq(rows[:, KEPT:], -(rows @ others), rcond=None)[0]


@claim("lloyd/s0.18/t801", "Elimination one attachment at a time")
class t801:
    formula = (
        r"\text{the null-space reduction can still be done, one attachment at a time, starting with those to "
        r"which no other components are attached}"
    )
    inputs = {name: GRAPH[name] for name in ("M", "onto_active", "onto_next")}
    result = MASS

    def printed(M, onto_active, onto_next):
        """(0.27) for component 0, then for 1, then for 2, each with all the others that are left."""
        for k in (0, 1, 2):
            Gk = np.zeros((TWO, len(M) - TWO))
            Gk[:, -TWO:] += onto_active[k]
            Gk[:, :TWO] += onto_next[k]
            stay, own = slice(TWO, None), slice(0, TWO)
            M = M[stay, stay] - M[stay, own] @ Gk - Gk.T @ M[own, stay] + Gk.T @ M[own, own] @ Gk
        return M

    def library(M, onto_active, onto_next):
        system = StepProblem(M, np.zeros(8))
        for attachment in elimination_order(reversed(graph(onto_active, onto_next))):
            system = eliminate_attachment(system, SIZES, attachment)
        return system.mass[-TWO:, -TWO:]

    oracle = "the kinetic energy of all components, velocities from masters to attached ones"
    reference = graph_energy
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.eliminate_attachment", "rbnotes.attachments.elimination_order")
    chapter = CHAPTER


@claim("lloyd/s0.18/t849", "The order of elimination")
class t849:
    formula = r"\text{the masters of } k \text{ are unattached or attached only to components } j > k"
    inputs = {name: positive_numbers() for name in ("mj", "mm", "mk", "ma")}
    result = MASS

    def printed(mj, mm, mk, ma):
        """m first, then k, then j. The masters of m and k are j and m, which are attached to later ones only."""
        return eliminated([mj, mm, mk, ma], (CHAIN[1], CHAIN[2], CHAIN[0]))

    def library(mj, mm, mk, ma):
        return eliminated([mj, mm, mk, ma], elimination_order(CHAIN))

    oracle = "a chain of particles that move as one: the sum of their masses"

    def reference(mj, mm, mk, ma):
        return mj + mm + mk + ma

    exact = "both add up the same four masses"
    verdict = Verdict.ERRATUM
    correction = r"The masters of $k$ are unattached, or are attached components $j > k$ themselves."
    remark = (
        r"Further on, where $\mathbf G_{k\beta}$ only contains entries for components $j > k$, it is right. By the "
        "sentence as it stands a component may be eliminated before another one that is attached to it, whose "
        "mass is then lost."
    )
    implemented_by = ("rbnotes.attachments.elimination_order",)
    chapter = CHAPTER


@claim("lloyd/s0.18/t851", "Forces alone, recursively")
class t851:
    formula = (
        r"\text{we can recursively compute } \mathbf f'_\alpha \text{ and } \mathbf f'_\beta"
        r" \text{ in the prescribed order}"
    )
    inputs = {name: GRAPH[name] for name in ("onto_active", "onto_next", "f")}
    result = MOMENTUM

    def printed(onto_active, onto_next, f):
        """(0.33) and (0.34) for component 0, then for 1, then for 2, without drift and without masses."""
        f = np.reshape(f, (4, TWO)).copy()
        for k in (0, 1, 2):
            f[3] = f[3] - onto_active[k].T @ f[k]
            f[k + 1] = f[k + 1] - onto_next[k].T @ f[k]
        return f[3]

    def library(onto_active, onto_next, f):
        space = null_space_reduction(SIZES, graph(onto_active, onto_next))
        return space.reduce(StepProblem(np.eye(8), f)).momentum

    oracle = "the power of all forces on unit velocities of the active component"
    reference = graph_power
    exact = "both sum the same few products in the same order"
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/d1", "An attachment to attached components")
class d1:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha + \mathbf G_{k\beta}\mathbf v_\beta = 0"
    inputs = ON_BOTH
    result = VELOCITY

    def printed(G, va, vb):
        """The zero of the sum, in v_k."""
        at_zero = G[:, ALPHA] @ va + G[:, BETA] @ vb
        return np.linalg.solve(IDENTITY, -at_zero)

    library = attached_to_both_library
    oracle = "the constraint solved for the velocity of k, by least squares"
    reference = attached_to_both_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.18/d2", "Velocity of an attached component")
class d2:
    formula = r"\mathbf v_k = -\mathbf G_{k\alpha}\mathbf v_\alpha - \mathbf G_{k\beta}\mathbf v_\beta"
    inputs = ON_BOTH
    result = VELOCITY

    def printed(G, va, vb):
        Gka, Gkb = G[:, ALPHA], G[:, BETA]
        return -Gka @ va - Gkb @ vb

    library = attached_to_both_library
    oracle = "the constraint solved for the velocity of k, by least squares"
    reference = attached_to_both_reference

    verdict = Verdict.HOLDS
    remark = r"With the $\mathbf g_k = 0$ that the text assumes further up; else $+\mathbf g_k$."
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.18/t857", "Velocities in reverse order")
class t857:
    formula = (
        r"\mathbf G_{k\beta} \text{ only contains entries for components } j > k"
        r" \text{ and hence the velocities } \mathbf v_\beta \text{ have already been updated}"
    )
    inputs = {"onto_active": arrays(3, TWO, TWO), "onto_next": arrays(3, TWO, TWO), "v": arrays(TWO)}
    result = VELOCITY

    def printed(onto_active, onto_next, v):
        v_k = np.zeros((4, TWO))
        v_k[3] = v
        for k in (2, 1, 0):
            v_k[k] = -onto_active[k] @ v_k[3] - onto_next[k] @ v_k[k + 1]
        return v_k.ravel()

    def library(onto_active, onto_next, v):
        return null_space_reduction(SIZES, graph(onto_active, onto_next)).expand_velocities(v)

    oracle = "the constraints of all attached components solved at once, as one linear system"

    def reference(onto_active, onto_next, v):
        left, right = np.eye(8), np.zeros(8)
        for k in range(3):
            own, following = slice(TWO * k, TWO * k + TWO), slice(TWO * k + TWO, TWO * k + 2 * TWO)
            left[own, following] += onto_next[k]
            left[own, 6:] += onto_active[k]
        right[6:] = v
        return np.linalg.solve(left, right)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.attachments.null_space_reduction",
        "rbnotes.attachments.NullSpaceReduction.expand_velocities",
    )
    chapter = CHAPTER


@claim("lloyd/s0.18/t859#a", "Two masters are coupled")
class t859_a:
    formula = (
        r"\text{if a component is attached to more than one master, the resulting mass matrix for those masters "
        r"is no longer block diagonal}"
    )
    inputs = MASTERS
    result = MASS

    def printed(w1, w2, m1, m2, mk):
        return w1 * w2 * mk * np.eye(3)

    def library(w1, w2, m1, m2, mk):
        return two_masters_library(w1, w2, m1, m2, mk)[:3, 3:]

    oracle = "the kinetic energy of the three particles while the third follows, its mixed part"

    def reference(w1, w2, m1, m2, mk):
        return two_masters_reference(w1, w2, m1, m2, mk)[:3, 3:]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/t859#b", "Where the coupling of two masters is seen")
class t859_b:
    formula = (
        r"\text{`to note from (0.35)':}\quad "
        r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\alpha k}\mathbf g_k"
    )
    inputs = MASTERS
    result = MASS

    def printed(w1, w2, m1, m2, mk):
        """(0.35) for one row of a constraint, without right sides of its own: no mass comes into it."""
        Gak, ga, gk = np.array([[w1, w2, m1]]), np.zeros(1), np.zeros(3)
        return ga - Gak @ gk

    library = two_masters_library
    oracle = "the kinetic energy of the three particles while the third follows"
    reference = two_masters_reference
    undefined = "the right side of a constraint is no mass matrix"
    verdict = Verdict.MISPRINT
    correction = r"From (0.27): both masters are active here, and $-\mathbf G_{k\alpha}$ has a block with the weight of each."
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/d3", "A particle attached to two others")
class d3:
    formula = r"\mathbf v_k = w_1\mathbf v_1 + w_2\mathbf v_2"
    defines = (r"\mathbf v_k",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.attachments.point_on_points",)
    chapter = CHAPTER


@claim("lloyd/s0.18/d4", "Mass matrix of the two without it")
class d4:
    formula = r"\begin{pmatrix} m_1\mathbf I & 0 \\ 0 & m_2\mathbf I \end{pmatrix}"
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.dynamics.StepProblem",)
    chapter = CHAPTER


@claim("lloyd/s0.18/d5", "Mass matrix of the two with it")
class d5:
    formula = (
        r"\begin{pmatrix} (m_1 + w_1^2 m_k)\mathbf I & w_1 w_2 m_k\mathbf I \\"
        r" w_2 w_1 m_k\mathbf I & (m_2 + w_2^2 m_k)\mathbf I \end{pmatrix}"
    )
    inputs = MASTERS
    result = MASS

    def printed(w1, w2, m1, m2, mk):
        I3 = np.eye(3)
        return np.block(
            [
                [(m1 + w1**2 * mk) * I3, w1 * w2 * mk * I3],
                [w2 * w1 * mk * I3, (m2 + w2**2 * mk) * I3],
            ]
        )

    library = two_masters_library
    oracle = "the kinetic energy of the three particles while the third follows"
    reference = two_masters_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER
