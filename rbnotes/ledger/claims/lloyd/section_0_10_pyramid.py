"""Lloyd 0.10: friction in a pyramid, after Anitescu and Stewart.

The records that need a solution have one contact of a body of three velocities, general masses and axes. It
sticks in half of the examples and slides in the others.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import LCP, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.friction import anitescu_stewart, friction_contact_problem, friction_lcp
from rbnotes.ledger.claims.lloyd.section_0_10 import CHAPTER, CONTACTS, PUSHED, SIZE
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.friction_pyramid import (
    eliminate_velocity,
    pyramid_contact,
    pyramid_corners,
)
from rbnotes.ledger.quantities import MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import (
    arrays,
    numbers,
    positive_numbers,
    rotations,
    spd_matrices,
    vectors,
)

FACETS = 4
PYRAMIDS = {
    **PUSHED,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": vectors(CONTACTS, 0.25, 1.0),
    "phi": vectors(FACETS * CONTACTS, 0.0, 2.0),
    "xi": vectors(CONTACTS, 0.0, 2.0),
}


QUANTITIES = {
    "Mh": MASS,
    "T": NUMBER,
    "axes": NUMBER,
    "p": MOMENTUM,
    "phi": MOMENTUM,
    "theta": MOMENTUM,
    "xi": VELOCITY,
}


def momenta(steepest, flattest):
    """Momenta along the contact's axes, the tangential part so many times the one into the contact."""
    return st.builds(
        lambda angle, ratio, push: push * np.array([ratio * np.cos(angle), ratio * np.sin(angle), -1.0]),
        numbers(-3.0, 3.0),
        numbers(steepest, flattest),
        positive_numbers(0.25, 2.0),
    )


# The rows of the axes are the two tangents and the normal, seen from the world.
STRUCK = {
    "M": spd_matrices(3).map(lambda A: np.eye(3) + A / 16),
    "axes": rotations(),
    "mu": positive_numbers(0.25, 1.0),
    "p": st.one_of(momenta(0.0, 0.2), momenta(1.5, 3.0)),
}


def facet_rows(T):
    """D ``(4 c, n)``: for each contact both tangents, and both turned round."""
    return np.concatenate([T, -T], axis=1).reshape(-1, T.shape[-1])


def pyramid_matrix(M, G, N, D, mus):
    """The printed matrix, with the facets of one contact after those of the other."""
    E = np.kron(np.eye(len(N)), np.ones((len(D) // len(N), 1)))
    n, t, e = len(M) + len(G), len(M) + len(G) + len(N), len(M) + len(G) + len(N) + len(D)
    A = np.zeros((e + len(N), e + len(N)))
    A[: len(M), : len(M)], A[: len(M), len(M) : n], A[: len(M), n:t], A[: len(M), t:e] = M, -G.T, -N.T, -D.T
    A[len(M) : n, : len(M)], A[n:t, : len(M)], A[t:e, : len(M)] = G, N, D
    A[t:e, e:] = E
    A[e:, n:t], A[e:, t:e] = mus, -E.T
    return A


def struck_by_print(M, axes, mu, p):
    """Velocity and (theta, phi, xi) of the contact from the printed matrix, by Lemke's method."""
    N, D, E = axes[2:], pyramid_corners(8) @ axes[:2], np.ones((8, 1))
    A = np.zeros((13, 13))
    A[:3, :3], A[:3, 3:4], A[:3, 4:12] = M, -N.T, -D.T
    A[3:4, :3], A[4:12, :3], A[4:12, 12:] = N, D, E
    A[12, 3], A[12:, 4:12] = mu, -E.T
    z = lemke(LCP(*eliminate_velocity(A, axes.T @ p))).z
    return np.linalg.solve(M, axes.T @ p - A[:3, 3:] @ z), z


def struck_reference(M, axes, mu, p):
    return pyramid_contact(M, axes.T @ p, axes[2], axes[:2], mu, pyramid_corners(8))


TRYING = "a contact that opens, sticks, slides in a corner or across an edge of the octagon: all are tried"


@claim("lloyd/s0.10/d2#a", "A step with friction in a pyramid: the equations")
class d2_a:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T & 0 \\"
        r" \mathbf G & 0 & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 & 0 \\"
        r" \mathbf D & 0 & 0 & 0 & \mathbf E \\"
        r" 0 & 0 & \boldsymbol\mu & -\mathbf E^T & 0 \end{pmatrix}"
        r" \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \\"
        r" \boldsymbol\phi \\ \boldsymbol\xi \end{pmatrix}"
        r" + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ {}"
        r" \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\"
        r" \boldsymbol\gamma \end{pmatrix}"
    )
    inputs = PYRAMIDS
    result = vector_quantity((MOMENTUM, 1), (VELOCITY, 10), (MOMENTUM, 2))

    def printed(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        A = pyramid_matrix(Mh, G, N, facet_rows(T), np.diag(mu))
        constant = np.zeros(len(A))
        constant[:SIZE] = -M @ v - h * f
        n = SIZE + len(G)
        given = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -given[:n])
        return np.append(motion[SIZE:], given[n:] + A[n:, :n] @ motion)

    def library(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        problem = StepProblem(
            Mh, M @ v + h * f, BilateralRows(G), contacts=Contacts.from_directions(N, T, mu)
        )
        lcp, directions = friction_lcp(problem, FACETS)
        impulses = np.column_stack([theta, phi.reshape(CONTACTS, FACETS) @ directions])
        _, multipliers = friction_contact_problem(problem).apply_impulses(impulses)
        return np.append(multipliers, lcp.M @ np.concatenate([theta, phi, xi]) + lcp.q)

    oracle = "velocities under all impulses, contact by contact; what is left of the bound, facet by facet"

    def reference(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        """lambda, nu, sigma and gamma, contact by contact, from the velocities under all impulses."""
        edges = [(pair[0], pair[1], -pair[0], -pair[1]) for pair in T]
        total = M @ v + f * h
        for contact, push in enumerate(theta):
            total = total + push * N[contact]
            for k, edge in enumerate(edges[contact]):
                total = total + phi[FACETS * contact + k] * edge
        new, multipliers = constrained_system(Mh, G, total, np.zeros(1))
        sigma = [edge @ new + xi[contact] for contact in range(CONTACTS) for edge in edges[contact]]
        used = phi.reshape(CONTACTS, FACETS).sum(axis=1)
        return np.concatenate([multipliers, [row @ new for row in N], sigma, mu * theta - used])

    equivalent_mutants = {
        "swapped operands in `-M @ v`": "the mass matrix is symmetric, so that v M is M v",
        "in pyramid_matrix: negated G*": "the rows of an equation may be negated where its right side is zero",
    }
    verdict = Verdict.HOLDS
    remark = (
        r"The directions $\mathbf d_k$ of a contact have to leave no half-plane empty, since "
        r"$\boldsymbol\phi \ge 0$: each with its opposite will do. The block "
        r"of the constants that is missing is read as 0 here, and $\boldsymbol\mu$ as a diagonal matrix."
    )
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d2#b", "A step with friction in a pyramid: the conditions")
class d2_b:
    formula = (
        r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0,\quad "
        r"0 \le \boldsymbol\phi \perp \boldsymbol\sigma \ge 0,\quad "
        r"0 \le \boldsymbol\xi \perp \boldsymbol\gamma \ge 0"
    )
    inputs = STRUCK
    result = VELOCITY

    def printed(M, axes, mu, p):
        return struck_by_print(M, axes, mu, p)[0]

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        return anitescu_stewart(problem, facets=8).velocity

    oracle = TRYING

    def reference(M, axes, mu, p):
        return struck_reference(M, axes, mu, p)[0]

    verdict = Verdict.HOLDS
    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implemented_by = ("rbnotes.friction.anitescu_stewart",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d2#c", "The constants of that system")
class d2_c:
    formula = (
        r"\begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ {} \end{pmatrix}"
        r"\quad\text{beside}\quad "
        r"\begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\ \boldsymbol\gamma \end{pmatrix}"
    )
    inputs = PYRAMIDS
    result = vector_quantity((MOMENTUM, 1), (VELOCITY, 10), (MOMENTUM, 2))

    def printed(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        """Four blocks, where the matrix has five rows of them."""
        D = facet_rows(T)
        A = pyramid_matrix(Mh, G, N, D, np.diag(mu))
        constant = np.concatenate([-M @ v - h * f, *(np.zeros(len(rows)) for rows in (G, N, D))])
        n = SIZE + len(G)
        given = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -given[:n])
        return np.append(motion[SIZE:], given[n:] + A[n:, :n] @ motion)

    library = d2_a.library
    oracle = d2_a.oracle
    reference = d2_a.reference
    undefined = "four blocks cannot be added to five rows of them"
    verdict = Verdict.MISPRINT
    correction = r"A fifth block, $0$, in the row of $\boldsymbol\gamma$; the same is lost in (0.5)."
    scan = True
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d2#d", "The coefficients of friction in that system")
class d2_d:
    formula = (
        r"\boldsymbol\gamma = \boldsymbol\mu\,\boldsymbol\theta - \mathbf E^T\boldsymbol\phi,\quad "
        r"\boldsymbol\mu \text{ a vector, by its type}"
    )
    inputs = {name: PYRAMIDS[name] for name in ("theta", "mu", "phi")}
    result = MOMENTUM

    def printed(theta, mu, phi):
        """The vector in its row of blocks, as it stands."""
        E = np.kron(np.eye(CONTACTS), np.ones((FACETS, 1)))
        return mu @ theta - E.T @ phi

    def library(theta, mu, phi):
        contacts = Contacts(np.zeros((CONTACTS, 3, SIZE)), mu)
        lcp, _ = friction_lcp(StepProblem(np.eye(SIZE), np.zeros(SIZE), contacts=contacts), FACETS)
        return lcp.M[-CONTACTS:, :-CONTACTS] @ np.concatenate([theta, phi])

    oracle = "what each contact leaves of its own bound, one after the other"

    def reference(theta, mu, phi):
        left = []
        for contact in range(CONTACTS):
            bound = mu[contact] * theta[contact]
            for facet in range(FACETS):
                bound -= phi[contact * FACETS + facet]
            left.append(bound)
        return np.array(left)

    verdict = Verdict.MISPRINT
    correction = (
        r"The block is the diagonal matrix of the coefficients, $\operatorname{diag}(\boldsymbol\mu)$."
    )
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/t399#a", "The matrix E")
class t399_a:
    formula = (
        r"\mathbf E_{ij} = 1\ \text{for all}\ i\ \text{corresponding to the frictional wrenches}\ "
        r"\mathbf d_i\ \text{of the same contact}"
    )
    inputs = {"count": st.integers(1, 4), "facets": st.sampled_from((4, 6, 8, 10))}
    result = NUMBER

    def printed(count, facets):
        E = np.zeros((count * facets, count))
        for i in range(count * facets):
            E[i, i // facets] = 1.0
        return E

    def library(count, facets):
        """The columns of xi in the rows of sigma."""
        contacts = Contacts.from_directions(np.zeros((count, 3)), np.ones((count, 2, 3)), 0.5)
        lcp, _ = friction_lcp(StepProblem(np.eye(3), np.ones(3), contacts=contacts), facets)
        return lcp.M[count:-count, -count:]

    oracle = "the columns of contacts one beside the other, each with ones in its own stretch of rows"

    def reference(count, facets):
        stretches = [np.repeat(np.eye(count)[contact][None], facets, axis=0) for contact in range(count)]
        return np.concatenate(stretches)

    defines = (r"\mathbf E_{ij}",)
    verdict = Verdict.DEFINITION
    exact = "all three only place ones and zeros"
    remark = "The column j is the contact; all other entries are zero."
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER
