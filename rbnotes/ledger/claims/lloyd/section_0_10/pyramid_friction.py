"""Lloyd 0.10: pyramid friction, after Anitescu and Stewart.

The records that need a solution have one contact of a body with three velocities, and general masses and
axes. It sticks in some examples and slides in others, also if the ratio of tangential to normal momentum lies
between the coefficient of friction and one.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import LCP, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.friction import anitescu_stewart, friction_contact_problem, friction_lcp
from rbnotes.ledger.claims.lloyd.section_0_10 import SYSTEM_COORDINATES, section
from rbnotes.ledger.claims.lloyd.section_0_10.box_friction import CONTACTS, SIZE, STEP_WITH_NORMAL_IMPULSES
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.friction_pyramid import (
    eliminate_velocity,
    pyramid_contact,
    pyramid_corners,
)
from rbnotes.ledger.quantities import MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import (
    arrays,
    numbers,
    positive_numbers,
    rotations,
    spd_matrices,
    vectors,
)

FACETS = 4
STEP_WITH_PYRAMID = {
    **STEP_WITH_NORMAL_IMPULSES,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": vectors(CONTACTS, 0.25, 1.0),
    "phi": vectors(FACETS * CONTACTS, 0.0, 2.0),
    "xi": vectors(CONTACTS, 0.0, 2.0),
}


def contact_momenta(min_ratio, max_ratio):
    """Return a strategy for momenta along the contact's axes that point into the contact.

    The ratio of tangential to normal momentum is between `min_ratio` and `max_ratio`.
    """
    return st.builds(
        lambda angle, ratio, push: push * np.array([ratio * np.cos(angle), ratio * np.sin(angle), -1.0]),
        numbers(-3.0, 3.0),
        numbers(min_ratio, max_ratio),
        positive_numbers(0.25, 2.0),
    )


# The rows of the axes are the two tangents and the normal, in world coordinates.
PARTICLE_CONTACT = {
    "M": spd_matrices(3).map(lambda A: np.eye(3) + A / 16),
    "axes": rotations(),
    "mu": positive_numbers(0.25, 1.0),
    "p": st.one_of(contact_momenta(0.0, 0.2), contact_momenta(0.5, 1.0), contact_momenta(1.5, 3.0)),
}
OPEN_OR_CLOSED_CONTACT = {
    **PARTICLE_CONTACT,
    "p": st.one_of(PARTICLE_CONTACT["p"], contact_momenta(0.0, 3.0).map(np.negative)),
}


def facet_rows(T):
    """Return D ``(4 c, n)``: for each contact both tangents, and both tangents reversed."""
    return np.concatenate([T, -T], axis=1).reshape(-1, T.shape[-1])


def pyramid_matrix(M, G, N, D, mus):
    """Assemble the printed matrix, with the facets ordered by contact."""
    E = np.kron(np.eye(len(N)), np.ones((len(D) // len(N), 1)))
    n, t, e = len(M) + len(G), len(M) + len(G) + len(N), len(M) + len(G) + len(N) + len(D)
    A = np.zeros((e + len(N), e + len(N)))
    A[: len(M), : len(M)], A[: len(M), len(M) : n], A[: len(M), n:t], A[: len(M), t:e] = M, -G.T, -N.T, -D.T
    A[len(M) : n, : len(M)], A[n:t, : len(M)], A[t:e, : len(M)] = G, N, D
    A[t:e, e:] = E
    A[e:, n:t], A[e:, t:e] = mus, -E.T
    return A


def solve_printed_contact(M, axes, mu, p):
    """Return the velocity and (theta, phi, xi) of the contact, by Lemke's method on the printed matrix."""
    N, D, E = axes[2:], pyramid_corners(8) @ axes[:2], np.ones((8, 1))
    A = np.zeros((13, 13))
    A[:3, :3], A[:3, 3:4], A[:3, 4:12] = M, -N.T, -D.T
    A[3:4, :3], A[4:12, :3], A[4:12, 12:] = N, D, E
    A[12, 3], A[12:, 4:12] = mu, -E.T
    z = lemke(LCP(*eliminate_velocity(A, axes.T @ p))).z
    return np.linalg.solve(M, axes.T @ p - A[:3, 3:] @ z), z


def solve_contact_reference(M, axes, mu, p):
    return pyramid_contact(M, axes.T @ p, axes[2], axes[:2], mu, pyramid_corners(8))


@section.holds("d2#a", "A step with pyramid friction: the equations")
class d2_a:
    formula = r"\begin{pmatrix} \hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T & 0 \\ \mathbf G & 0 & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 & 0 \\ \mathbf D & 0 & 0 & 0 & \mathbf E \\ 0 & 0 & \boldsymbol\mu & -\mathbf E^T & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \\ \boldsymbol\phi \\ \boldsymbol\xi \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ {} \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\ \boldsymbol\gamma \end{pmatrix}"
    inputs = STEP_WITH_PYRAMID
    result = Result(
        vector_quantity((MOMENTUM, 1), (VELOCITY, 10), (MOMENTUM, 2)),
        "of constraint, normals and facets, then the slack of each friction bound",
    )

    def printed(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        A = pyramid_matrix(Mh, G, N, facet_rows(T), np.diag(mu))
        constant = np.zeros(len(A))
        constant[:SIZE] = -M @ v - h * f
        n = SIZE + len(G)
        constant_terms = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -constant_terms[:n])
        return np.append(motion[SIZE:], constant_terms[n:] + A[n:, :n] @ motion)

    def library(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        problem = StepProblem(
            Mh, M @ v + h * f, BilateralRows(G), contacts=Contacts.from_directions(N, T, mu)
        )
        lcp, directions = friction_lcp(problem, FACETS)
        impulses = np.column_stack([theta, phi.reshape(CONTACTS, FACETS) @ directions])
        _, multipliers = friction_contact_problem(problem).apply_impulses(impulses)
        return np.append(multipliers, lcp.M @ np.concatenate([theta, phi, xi]) + lcp.q)

    def reference(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        """Compute nu, sigma and gamma contact by contact from the velocities under all impulses."""
        edges = [(pair[0], pair[1], -pair[0], -pair[1]) for pair in T]
        total = M @ v + f * h
        for contact, push in enumerate(theta):
            total = total + push * N[contact]
            for k, edge in enumerate(edges[contact]):
                total = total + phi[FACETS * contact + k] * edge
        new, multipliers = constrained_system(Mh, G, total, np.zeros(1))
        sigma = [edge @ new + xi[contact] for contact in range(CONTACTS) for edge in edges[contact]]
        used_friction = phi.reshape(CONTACTS, FACETS).sum(axis=1)
        return np.concatenate([multipliers, [row @ new for row in N], sigma, mu * theta - used_friction])

    remark = (
        r"The directions $\mathbf d_k$ of a contact must positively span the tangent plane, because "
        r"$\boldsymbol\phi \ge 0$; pairs of opposite directions do. The check takes 0 for the missing "
        r"block of the constants and a diagonal matrix for $\boldsymbol\mu$."
    )
    implements = friction_lcp


@section.holds("d2#b", "A step with pyramid friction: the conditions")
class d2_b:
    formula = r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0,\quad 0 \le \boldsymbol\phi \perp \boldsymbol\sigma \ge 0,\quad 0 \le \boldsymbol\xi \perp \boldsymbol\gamma \ge 0"
    inputs = OPEN_OR_CLOSED_CONTACT
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, axes, mu, p):
        return solve_printed_contact(M, axes, mu, p)[0]

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        return anitescu_stewart(problem, facets=8).velocity

    def reference(M, axes, mu, p):
        """Try all contact cases: open, sticking, sliding at a corner or along an edge of the octagon."""
        return solve_contact_reference(M, axes, mu, p)[0]

    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implements = anitescu_stewart


@section.misprint("d2#c", "The constants of that system")
class d2_c:
    formula = r"\begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ {} \end{pmatrix}\quad\text{beside}\quad \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\ \boldsymbol\gamma \end{pmatrix}"
    inputs = STEP_WITH_PYRAMID
    result = Result(
        vector_quantity((MOMENTUM, 1), (VELOCITY, 10), (MOMENTUM, 2)),
        "of constraint, normals and facets, then the slack of each friction bound",
    )

    def printed(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        """Add the four printed blocks to the five block rows of the matrix."""
        D = facet_rows(T)
        A = pyramid_matrix(Mh, G, N, D, np.diag(mu))
        constant = np.concatenate([-M @ v - h * f, *(np.zeros(len(rows)) for rows in (G, N, D))])
        n = SIZE + len(G)
        constant_terms = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -constant_terms[:n])
        return np.append(motion[SIZE:], constant_terms[n:] + A[n:, :n] @ motion)

    library = d2_a.library
    reference = d2_a.reference
    undefined = "four blocks cannot be added to five block rows"
    correction = r"A fifth block, $0$, in the row of $\boldsymbol\gamma$; (0.5) lacks the same block."
    replacement = r"""\begin{pmatrix} \hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T & 0 \\ \mathbf G & 0 & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 & 0 \\ \mathbf D & 0 & 0 & 0 & \mathbf E \\ 0 & 0 & \operatorname{diag}(\boldsymbol\mu) & -\mathbf E^T & 0 \end{pmatrix}
\begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \\ \boldsymbol\phi \\ \boldsymbol\xi \end{pmatrix}
+ \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ 0 \end{pmatrix}
= \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\ \boldsymbol\gamma \end{pmatrix}"""
    scan = True
    implements = friction_lcp


@section.misprint("d2#d", "The coefficients of friction in that system")
class d2_d:
    formula = r"\boldsymbol\gamma = \boldsymbol\mu\,\boldsymbol\theta - \mathbf E^T\boldsymbol\phi,\quad \boldsymbol\mu \text{ a vector, by its type}"
    inputs = {name: STEP_WITH_PYRAMID[name] for name in ("theta", "mu", "phi")}
    result = Result(MOMENTUM, "one for each contact")

    def printed(theta, mu, phi):
        """Multiply with mu as printed, a vector instead of a block."""
        E = np.kron(np.eye(CONTACTS), np.ones((FACETS, 1)))
        return mu @ theta - E.T @ phi

    def library(theta, mu, phi):
        contacts = Contacts(np.zeros((CONTACTS, 3, SIZE)), mu)
        lcp, _ = friction_lcp(StepProblem(np.eye(SIZE), np.zeros(SIZE), contacts=contacts), FACETS)
        return lcp.M[-CONTACTS:, :-CONTACTS] @ np.concatenate([theta, phi])

    def reference(theta, mu, phi):
        """Compare with the slack of the friction bound of each contact, one after the other."""
        left = []
        for contact in range(CONTACTS):
            bound = mu[contact] * theta[contact]
            for facet in range(FACETS):
                bound -= phi[contact * FACETS + facet]
            left.append(bound)
        return np.array(left)

    correction = (
        r"The block is the diagonal matrix of the coefficients, $\operatorname{diag}(\boldsymbol\mu)$."
    )
    replacement = d2_c.replacement
    implements = friction_lcp


@section.definition("t399#a", "The matrix E")
class t399_a:
    formula = r"\mathbf E_{ij} = 1\ \text{for all}\ i\ \text{corresponding to the frictional wrenches}\ \mathbf d_i\ \text{of the same contact}"
    inputs = {"count": st.integers(1, 4), "facets": st.sampled_from((4, 6, 8, 10))}
    result = Result(NUMBER, "a row for each facet of each contact, a column for each contact")

    def printed(count, facets):
        E = np.zeros((count * facets, count))
        for i in range(count * facets):
            E[i, i // facets] = 1.0
        return E

    def library(count, facets):
        """Return the columns of xi in the rows of sigma."""
        contacts = Contacts.from_directions(np.zeros((count, 3)), np.ones((count, 2, 3)), 0.5)
        lcp, _ = friction_lcp(StepProblem(np.eye(3), np.ones(3), contacts=contacts), facets)
        return lcp.M[count:-count, -count:]

    def reference(count, facets):
        """Compare with a matrix with one column per contact, with ones in the rows of that contact."""
        stretches = [np.repeat(np.eye(count)[contact][None], facets, axis=0) for contact in range(count)]
        return np.concatenate(stretches)

    defines = (r"\mathbf E_{ij}",)
    exact = "all three forms only fill in ones and zeros"
    remark = "Column j belongs to contact j; all other entries are zero."
    implements = friction_lcp
