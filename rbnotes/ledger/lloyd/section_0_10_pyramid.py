"""Lloyd 0.10: friction in a pyramid, after Anitescu and Stewart.

The records that need a solution have one contact of a body of three velocities, general masses and axes. It
sticks in half of the examples and slides in the others.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.checking.strategies import (
    arrays,
    nonzero_vectors,
    numbers,
    positive_numbers,
    rotations,
    spd_matrices,
    vectors,
)
from rbnotes.complementarity import LCP, box_residuals, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.friction import anitescu_stewart, contact_space, friction_lcp
from rbnotes.ledger.lloyd.section_0_10 import CHAPTER, CONTACTS, PUSHED, SIZE
from rbnotes.ledger.oracles.pyramid import corners, gauge, pyramid_contact, sliding_states, without_first
from rbnotes.ledger.oracles.systems import constrained_system
from rbnotes.ledger.record import Verdict, claim

FACETS = 4
FLOOR = Contacts([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], 1.0)
PYRAMIDS = {
    **PUSHED,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": vectors(CONTACTS, 0.25, 1.0),
    "phi": vectors(FACETS * CONTACTS, 0.0, 2.0),
    "xi": vectors(CONTACTS, 0.0, 2.0),
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
# A sliding velocity, the bound mu theta of friction, and what may be added to the least xi.
STATES = {
    "s": st.builds(lambda s, moving: s * moving, nonzero_vectors(2), st.sampled_from((1.0, 1.0, 0.0))),
    "limit": st.builds(lambda size, pressed: size * pressed, positive_numbers(), st.sampled_from((1.0, 0.0))),
    "excess": positive_numbers(0.25, 1.0),
}
PRESSED = {**STATES, "limit": positive_numbers()}
PARTS = {
    "theta": positive_numbers(),
    "mu": positive_numbers(0.25, 1.0),
    "phi": vectors(FACETS, 0.0, 1.0),
}
SHORT = {
    **PARTS,
    "phi": st.builds(
        lambda phi, first, second: phi * np.array([first, second, not first, not second]),
        vectors(FACETS, 0.0, 1.0),
        st.booleans(),
        st.booleans(),
    ),
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
    N, D, E = axes[2:], corners(8) @ axes[:2], np.ones((8, 1))
    A = np.zeros((13, 13))
    A[:3, :3], A[:3, 3:4], A[:3, 4:12] = M, -N.T, -D.T
    A[3:4, :3], A[4:12, :3], A[4:12, 12:] = N, D, E
    A[12, 3], A[12:, 4:12] = mu, -E.T
    z = lemke(LCP(*without_first(A, axes.T @ p))).z
    return np.linalg.solve(M, axes.T @ p - A[:3, 3:] @ z), z


def struck_by_library(M, axes, mu, p):
    """The same from the library's LCP."""
    problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
    lcp, directions = friction_lcp(problem, 8)
    z = lemke(lcp).z
    impulse = np.append(z[0], z[1:9] @ directions)
    return contact_space(problem).move(impulse[None])[0], z


def struck_reference(M, axes, mu, p):
    return pyramid_contact(M, axes.T @ p, axes[2], axes[:2], mu, corners(8))


def largest_xi(s, limit, excess):
    """The larger xi of two states of a particle that the conditions of the LCP allow."""
    momentum, states = sliding_states(s, limit, excess)
    lcp, _ = friction_lcp(StepProblem(np.eye(3), momentum, contacts=FLOOR), 8)
    return max(z[-1] for z in states if box_residuals(lcp, z).natural < 1e-9)


def is_pressed(s, limit, excess):
    return limit > 0


def none_opposite(theta, mu, phi):
    return phi[0] * phi[2] == 0 and phi[1] * phi[3] == 0


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
        r" + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \\ 0"
        r" \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \\"
        r" \boldsymbol\gamma \end{pmatrix}"
    )
    inputs = PYRAMIDS

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
        _, multipliers = contact_space(problem).move(impulses)
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
        r"$\boldsymbol\phi \ge 0$: each with its opposite will do."
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

    def printed(M, axes, mu, p):
        return struck_by_print(M, axes, mu, p)[0]

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        return anitescu_stewart(problem, facets=8).velocity

    oracle = TRYING

    def reference(M, axes, mu, p):
        return struck_reference(M, axes, mu, p)[0]

    verdict = Verdict.HOLDS
    primitives = ("rbnotes.ledger.oracles.pyramid.corners",)
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


@claim("lloyd/s0.10/t399#b", "Friction in a pyramid dissipates the most")
class t399_b:
    formula = r"\text{It enforces the friction cone and maximal dissipation constraints}"
    inputs = STRUCK

    def printed(M, axes, mu, p):
        """Power of the friction impulses of the solution, and their sum over the bound."""
        v, z = struck_by_print(M, axes, mu, p)
        return z[1:9] @ (corners(8) @ axes[:2] @ v)

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        solution = anitescu_stewart(problem, facets=8)
        return solution.tangential[0] @ axes[:2] @ solution.velocity

    oracle = TRYING + "; the least power over the corners of its octagon, at that velocity"

    def reference(M, axes, mu, p):
        """The least power of all impulses in the octagon, at the velocity of the particle."""
        v, theta, _ = struck_reference(M, axes, mu, p)
        return min(mu * theta * float(corner @ axes[:2] @ v) for corner in corners(8))

    verdict = Verdict.HOLDS
    remark = "The most of all impulses in the pyramid, at the velocity after the step."
    primitives = ("rbnotes.ledger.oracles.pyramid.corners",)
    implemented_by = ("rbnotes.friction.anitescu_stewart",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d3#a", "What gamma tells about the friction impulse")
class d3_a:
    formula = (
        r"\mu\theta - \sum\phi_k = \gamma = \begin{cases} = 0 & \text{on the friction cone} \\"
        r" > 0 & \text{inside the friction cone} \end{cases}"
    )
    inputs = PARTS

    def printed(theta, mu, phi):
        """gamma, from its row of the library's LCP: mu theta minus the sum of the facets' impulses."""
        contacts = Contacts(FLOOR.rows.reshape(1, 3, 3), mu)
        lcp, _ = friction_lcp(StepProblem(np.eye(3), np.zeros(3), contacts=contacts), FACETS)
        return lcp.M[-1, :-1] @ np.append(theta, phi)

    oracle = "the friction impulse itself, measured by the square that is the pyramid's section"

    def reference(theta, mu, phi):
        """What is left of mu theta when the friction impulse is measured by the square with corners at 1."""
        impulse = phi[0] * np.array([1.0, 0.0]) + phi[1] * np.array([0.0, 1.0])
        impulse = impulse + phi[2] * np.array([-1.0, 0.0]) + phi[3] * np.array([0.0, -1.0])
        return mu * theta - np.linalg.norm(impulse, 1)

    verdict = Verdict.CONDITIONAL
    given = SHORT
    holds_when = none_opposite
    condition = (
        "no two opposite facet impulses act at once (in a pyramid of more facets: at most two "
        "neighbouring ones act)"
    )
    remark = (
        r"Opposite impulses cancel, but use up $\mu\theta$ all the same: $\gamma = 0$ is then possible "
        r"without any friction at all. The conditions allow that wherever a contact sticks."
    )
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d3#b", "What sigma tells about the facets")
class d3_b:
    formula = (
        r"\mathbf d_k\mathbf v + \xi = \sigma = \begin{cases} "
        r"= 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is maximally negative} \\"
        r" > 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is not maximally negative} \end{cases}"
    )
    inputs = STATES

    def printed(s, limit, excess):
        """Where sigma is zero: the facets along which the sliding is most negative."""
        along = corners(8) @ s
        return np.where(along <= np.min(along) + 1e-9, 1.0, 0.0)

    def library(s, limit, excess):
        sigma = corners(8) @ s + largest_xi(s, limit, excess)
        return np.where(sigma <= 1e-9, 1.0, 0.0)

    oracle = r"the xi that the conditions ask for: the least, if friction is to use up its bound"

    def reference(s, limit, excess):
        """With mu theta > 0 a larger xi than the least has all sigma > 0, no friction, and so gamma > 0."""
        speeds = [s[0] * np.cos(k * np.pi / 4) + s[1] * np.sin(k * np.pi / 4) for k in range(8)]
        xi = -min(speeds) if limit > 0 else excess - min(speeds)
        return np.array([float(speed + xi <= 1e-9) for speed in speeds])

    verdict = Verdict.CONDITIONAL
    given = PRESSED
    holds_when = is_pressed
    condition = r"$\mu\theta > 0$: the contact presses, and has friction"
    remark = (
        r"Where there can be no friction impulse, any larger $\xi$ satisfies the conditions too, with "
        r"$\sigma > 0$ for every facet."
    )
    exact = "both results are flags"
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d4#a", "Where xi is positive something slides")
class d4_a:
    formula = r"\xi > 0 \Rightarrow \text{tangential motion}"
    inputs = STATES

    def printed(s, limit, excess):
        """Tangential motion wherever xi > 0, for the largest xi that satisfies the conditions."""
        return float(largest_xi(s, limit, excess) > 1e-9)

    oracle = "the sliding velocity itself"

    def reference(s, limit, excess):
        return float(np.linalg.norm(s) > 1e-9)

    verdict = Verdict.CONDITIONAL
    given = PRESSED
    holds_when = is_pressed
    condition = r"$\mu\theta > 0$: the contact presses, and has friction"
    equivalent_mutants = {
        "in largest_xi: min for max*": "where the contact presses only one of the two states is allowed"
    }
    exact = "both results are flags"
    remark = r"With $\theta = 0$, at a contact that opens, $\xi$ may be anything not too small."
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d4#b", "Where something slides friction is on the cone")
class d4_b:
    formula = r"\text{tangential motion} \Rightarrow \text{on the cone} \Rightarrow \gamma = 0"
    inputs = STRUCK

    def printed(M, axes, mu, p):
        """Whether it slides, and what friction uses up then: all of mu theta."""
        v, z = struck_by_print(M, axes, mu, p)
        slides = np.linalg.norm(v) > 1e-9  # along the plane, since it does not open
        return slides * np.array([1.0, mu * z[0], 0.0])

    def library(M, axes, mu, p):
        v, z = struck_by_library(M, axes, mu, p)
        slides = np.linalg.norm(axes[:2] @ v) > 1e-9
        return slides * np.array([1.0, np.sum(z[1:9]), mu * z[0] - np.sum(z[1:9])])

    oracle = TRYING + "; the octagon that the friction impulse lies on, and what mu theta has beyond it"

    def reference(M, axes, mu, p):
        v, theta, friction = struck_reference(M, axes, mu, p)
        slides = np.max(np.abs(axes[:2] @ v)) > 1e-9
        used = gauge(friction, corners(8))
        return slides * np.array([1.0, used, mu * theta - used])

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        "in struck_by_print: swapped operands in `axes.T @ p - A[:3, 3:] @ z`": (
            "the velocity with the other sign slides as well"
        )
    }
    primitives = ("rbnotes.ledger.oracles.pyramid.corners",)
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d5", "Where friction is inside the cone nothing slides")
class d5:
    formula = (
        r"\gamma > 0 \Rightarrow \text{inside the friction cone} \Rightarrow \text{no tangential "
        r"velocity} \Rightarrow \xi = 0"
    )
    inputs = STRUCK

    def printed(M, axes, mu, p):
        """Sliding velocity and xi: zero where gamma > 0."""
        v, z = struck_by_print(M, axes, mu, p)
        inside = mu * z[0] - np.sum(z[1:9]) > 1e-9
        return np.zeros(3) if inside else np.append(axes[:2] @ v, z[-1])

    def library(M, axes, mu, p):
        v, z = struck_by_library(M, axes, mu, p)
        return np.append(axes[:2] @ v, z[-1])

    oracle = TRYING + "; its sliding velocity, and how fast that is along the facet most against it"

    def reference(M, axes, mu, p):
        v, _, _ = struck_reference(M, axes, mu, p)
        sliding = axes[:2] @ v
        return np.append(sliding, max(-corner @ sliding for corner in corners(8)))

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        change: "gamma is never positive then, and the solution itself is returned, which is right too"
        for change in (
            "dropped `mu * z[0]` in `mu * z[0] - np.sum(z[1:9])`",
            "swapped operands in `mu * z[0] - np.sum(z[1:9])`",
            "index 0 -> 1 in `z[0]`",
        )
    }
    primitives = ("rbnotes.ledger.oracles.pyramid.corners",)
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER
