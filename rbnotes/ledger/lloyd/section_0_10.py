"""Lloyd 0.10: integration with bilateral and unilateral constraints, box friction, friction in a pyramid."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from rbnotes.checking.strategies import arrays, numbers, positive_numbers, vectors
from rbnotes.complementarity import LCP, BoxLCP, MixedLCP, box_residuals, lemke, mixed_unknowns, solve_lcp
from rbnotes.friction import ContactProblem, Contacts, anitescu_stewart, box_friction, friction_lcp
from rbnotes.ledger.oracles.systems import constrained_system
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "contact"
SIZE, CONTACTS, FACETS = 5, 2, 4


def inertias_of(size):
    return arrays(size, size).map(lambda A: A @ A.T / size + 0.5 * np.eye(size))


MOVING = {
    "Mh": inertias_of(SIZE),
    "M": inertias_of(SIZE),
    "G": arrays(1, SIZE).filter(lambda G: bool(np.linalg.norm(G) > 0.25)),
    "N": arrays(CONTACTS, SIZE),
    "v": vectors(SIZE),
    "f": vectors(SIZE),
    "h": positive_numbers(0.25, 1.0),
}
PUSHED = {**MOVING, "theta": vectors(CONTACTS, 0.0, 2.0)}
RUBBED = {**PUSHED, "T": arrays(CONTACTS, 2, SIZE), "phi": vectors(2 * CONTACTS)}
PYRAMIDS = {
    **PUSHED,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": vectors(CONTACTS, 0.0, 1.0),
    "phi": vectors(FACETS * CONTACTS, 0.0, 2.0),
    "xi": vectors(CONTACTS, 0.0, 2.0),
}
# A pair of one friction impulse, within its bounds, and the sliding velocity along it.
SLIDING = {
    "part": numbers(0.0, 1.0),
    "low": numbers(-2.0, 0.0),
    "high": numbers(0.0, 2.0),
    "sigma": numbers(),
}
# A particle that hits a horizontal plane.
STRUCK = {
    "p": st.tuples(numbers(), numbers(), numbers(-2.0, -0.25)).map(np.array),
    "mass": positive_numbers(),
    "mu": numbers(0.0, 1.0),
}
# A sliding velocity, and xi and the bound of a contact that the conditions of the pyramid allow with it.
STATES = {
    "moving": st.booleans(),
    "s": vectors(2).filter(lambda s: bool(np.linalg.norm(s) > 0.25)),
    "limit": st.builds(lambda size, pressed: size * pressed, numbers(0.0, 2.0), st.booleans()),
    "excess": positive_numbers(0.25, 1.0),
}
PRESSED = {**STATES, "limit": positive_numbers()}
PARTS = {"theta": positive_numbers(), "mu": numbers(0.0, 1.0), "phi": vectors(FACETS, 0.0, 1.0)}
SHORT = {
    **PARTS,
    "phi": st.builds(
        lambda phi, first, second: phi * np.array([first, second, not first, not second]),
        vectors(FACETS, 0.0, 1.0),
        st.booleans(),
        st.booleans(),
    ),
}


def least_energy(M, b, rows, lower, upper):
    """Velocities after those impulses along the rows, within their bounds, that leave the least kinetic energy."""
    L = np.linalg.cholesky(M)
    impulses = lsq_linear(
        np.linalg.solve(L, rows.T), -np.linalg.solve(L, b), (lower, upper), method="bvls", tol=1e-14
    ).x
    return np.linalg.solve(M, b + rows.T @ impulses)


def facet_rows(T):
    """D ``(4 c, n)``: for each contact both tangents, and both turned round."""
    return np.concatenate([T, -T], axis=1).reshape(-1, T.shape[-1])


def octagon():
    """Eight directions in the plane."""
    angles = np.pi / 4 * np.arange(8)
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(8)])


def struck_system(p, mass, mu):
    """The printed matrix for a particle on a horizontal plane, with eight facets."""
    D, E = octagon(), np.ones((8, 1))
    A = np.zeros((13, 13))
    A[:3, :3], A[:3, 3], A[:3, 4:12] = mass * np.eye(3), [0.0, 0.0, -1.0], -D.T
    A[3, :3], A[4:12, :3], A[4:12, 12:] = [0.0, 0.0, 1.0], D, E
    A[12, 3], A[12:, 4:12] = mu, -E.T
    return A


def struck_unknowns(A, p):
    """Velocities, z = (theta, phi, xi) and w = (nu, sigma, gamma) of the particle, by Lemke's method."""
    eliminated = A[3:, :3] / A[0, 0]
    problem = LCP(A[3:, 3:] - eliminated @ A[:3, 3:], eliminated @ p)
    z = lemke(problem).z
    return (p - A[:3, 3:] @ z) / A[0, 0], z, problem.M @ z + problem.q


def struck_reference(p, mass, mu):
    """The plane takes the normal momentum; friction, the tangential one, as near as the octagon has a point."""
    corners = mu * -p[2] * octagon()[:, :2]
    wanted = -p[:2]
    nearest, least = wanted, np.inf
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = end - start
        outside = edge[1] * (wanted - start)[0] - edge[0] * (wanted - start)[1]
        if outside <= 0 and mu > 0:
            continue
        along = np.clip((wanted - start) @ edge / (edge @ edge), 0, 1) if mu > 0 else 0.0
        point = start + along * edge
        if np.linalg.norm(point - wanted) < least:
            nearest, least = point, float(np.linalg.norm(point - wanted))
    return np.append(p[:2] + nearest, 0.0) / mass


def state(moving, s, limit, excess):
    """Facet velocities and the least xi with sigma >= 0; more of it where ``mu theta = 0`` forces nothing."""
    along = octagon()[:, :2] @ (s if moving else 0 * s)
    return along, max(-along) + (0.0 if limit > 0 else excess)


def true_reference(p, mass, mu):
    return 1.0


PUSHES = "velocities under impulses that push, assembled contact by contact and solved by elimination"
LEAST = (
    "of all impulses within their bounds those that leave the least kinetic energy, by bounded least squares"
)
OCTAGON = (
    "the particle's momentum: friction takes out what an octagon of radius mu theta has a nearest point for"
)
STEP = ("rbnotes.stepping.solve_step", "rbnotes.complementarity.solve_lcp")
BOX = ("rbnotes.friction.box_friction",)
PYRAMID = ("rbnotes.friction.anitescu_stewart", "rbnotes.friction.friction_lcp")


@claim("lloyd/s0.10/d1#a", "Velocities after a step with bilateral and unilateral constraints")
class d1_a:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T \\ \mathbf G & 0 & 0 \\"
        r" \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\"
        r" \boldsymbol\theta \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf "
        r"f}^k \\ 0 \\ 0 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \end{pmatrix}"
    )
    inputs = PUSHED

    def printed(Mh, M, G, N, v, f, h, theta):
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, G.T, G
        right = np.append(M @ v + h * f - N.T @ theta, 0.0)
        new = np.linalg.solve(system, right)[:SIZE]
        return np.append(new, N @ new)

    def library(Mh, M, G, N, v, f, h, theta):
        problem = MixedLCP(Mh, M @ v + h * f, N, np.zeros(CONTACTS), G, np.zeros(1))
        new, _ = mixed_unknowns(problem, theta)
        return np.append(new, N @ new)

    oracle = PUSHES

    def reference(Mh, M, G, N, v, f, h, theta):
        """Velocities under the applied impulses and pushes along the rows of N, with ``G v = 0`` kept to."""
        pushes = sum(size * row for size, row in zip(theta, N, strict=True))
        new, _ = constrained_system(Mh, G, pushes + M @ v + f * h, np.zeros(1))
        return np.append(new, [row @ new for row in N])

    verdict = Verdict.ERRATUM
    correction = (
        r"The first row has $-\mathbf N^T$ (and, to match, $-\mathbf G^T$), as in (0.3) and in the matrix "
        r"for friction in a pyramid further down: $\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf "
        r"M\dot{\mathbf x}^k + h\hat{\mathbf f}^k + \mathbf G^T\boldsymbol\lambda + \mathbf "
        r"N^T\boldsymbol\theta$."
    )
    remark = (
        r"The sign of $\mathbf G^T\boldsymbol\lambda$ is a convention, since $\boldsymbol\lambda$ may "
        r"have any sign. That of $\mathbf N^T\boldsymbol\theta$ is not: with $\boldsymbol\theta \ge 0$ "
        r"and the printed sign contacts pull bodies into each other, and where they should act there is "
        r"no solution."
    )
    implemented_by = STEP
    chapter = CHAPTER


@claim("lloyd/s0.10/d1#b", "A contact pushes or separates")
class d1_b:
    formula = r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0"
    inputs = MOVING

    def printed(Mh, M, G, N, v, f, h):
        """Try which contacts push: those that do have nu = 0."""
        for count in range(CONTACTS + 1):
            for pushing in itertools.combinations(range(CONTACTS), count):
                rows = np.vstack((G, N[list(pushing)]))
                new, impulses = constrained_system(Mh, rows, M @ v + h * f, np.zeros(1 + count))
                theta, nu = impulses[1:], N @ new
                if np.all(theta >= -1e-10) and np.all(nu >= -1e-10):
                    return new
        return np.full(SIZE, np.inf)

    def library(Mh, M, G, N, v, f, h):
        problem = MixedLCP(Mh, M @ v + h * f, N, np.zeros(CONTACTS), G, np.zeros(1))
        return solve_lcp(problem, tolerance=1e-9).x

    oracle = LEAST

    def reference(Mh, M, G, N, v, f, h):
        return least_energy(Mh, M @ v + h * f, np.vstack([G, N]), [-np.inf, 0.0, 0.0], 3 * [np.inf])

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = "With the sign of the first row corrected."
    implemented_by = STEP
    chapter = CHAPTER


@claim("lloyd/s0.10/e0.5", "Velocities after a step with box friction")
class e0_5:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T & \mathbf D^T \\"
        r" \mathbf G & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 \\"
        r" \mathbf D & 0 & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\"
        r" \boldsymbol\lambda \\ \boldsymbol\theta \\"
        r" \boldsymbol\phi \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf "
        r"f}^k \\ 0 \\ 0 \\ 0 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\"
        r" \boldsymbol\sigma \end{pmatrix}"
    )
    inputs = RUBBED

    def printed(Mh, M, G, N, v, f, h, theta, T, phi):
        D = T.reshape(2 * CONTACTS, SIZE)
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, G.T, G
        right = np.append(M @ v + h * f - N.T @ theta - D.T @ phi, 0.0)
        new = np.linalg.solve(system, right)[:SIZE]
        return np.concatenate([new, N @ new, D @ new])

    def library(Mh, M, G, N, v, f, h, theta, T, phi):
        problem = ContactProblem(Mh, M @ v + h * f, Contacts(N, T, 0.5), G)
        new, _ = problem.moved_by(np.column_stack([theta, phi.reshape(CONTACTS, 2)]))
        velocities = problem.contact_velocity(new)
        return np.concatenate([new, velocities[:, 0], velocities[:, 1:].ravel()])

    oracle = PUSHES

    def reference(Mh, M, G, N, v, f, h, theta, T, phi):
        """Velocities under pushes along N and friction impulses along the tangents, contact by contact."""
        total = M @ v + f * h
        for contact in range(CONTACTS):
            total = total + theta[contact] * N[contact]
            total = total + phi[2 * contact] * T[contact, 0] + phi[2 * contact + 1] * T[contact, 1]
        new, _ = constrained_system(Mh, G, total, np.zeros(1))
        return np.concatenate([new, [row @ new for row in N], [row @ new for pair in T for row in pair]])

    verdict = Verdict.ERRATUM
    correction = r"The first row has $-\mathbf N^T$ and $-\mathbf D^T$ (and $-\mathbf G^T$ to match)."
    remark = (
        r"With the conditions (0.6), sliding with $\boldsymbol\sigma > 0$ puts $\boldsymbol\phi$ at its "
        r"lower bound, below zero: the printed sign makes that impulse act along the sliding, and "
        r"friction drives."
    )
    implemented_by = BOX
    chapter = CHAPTER


@claim("lloyd/s0.10/e0.6", "Conditions on a box friction impulse")
class e0_6:
    formula = (
        r"0 \le \boldsymbol\phi - \underline{\boldsymbol\phi} \perp \boldsymbol\sigma \ge 0,\quad "
        r"0 \le \overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma \le 0"
    )
    inputs = SLIDING

    def printed(part, low, high, sigma):
        phi = low + part * (high - low)
        return max(abs(min(phi - low, sigma)), abs(min(high - phi, -sigma)))

    def library(part, low, high, sigma):
        phi = low + part * (high - low)
        return box_residuals(BoxLCP([[0.0]], [sigma], [low], [high]), [phi]).natural

    oracle = "how far the impulse is from the one within the bounds that takes most energy out"

    def reference(part, low, high, sigma):
        """How far the impulse is from the one that takes most energy out, unless the sliding is less than that."""
        phi = low + part * (high - low)
        best = min((low, high), key=lambda impulse: impulse * sigma)
        return min(abs(sigma), abs(phi - best))

    verdict = Verdict.ERRATUM
    correction = (
        r"Each bound has its own part of the velocity: $0 \le \boldsymbol\phi - "
        r"\underline{\boldsymbol\phi} \perp \boldsymbol\sigma^+ \ge 0$ and $0 \le "
        r"\overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma^- \ge 0$ with "
        r"$\boldsymbol\sigma = \boldsymbol\sigma^+ - \boldsymbol\sigma^-$."
    )
    remark = (
        r"One $\boldsymbol\sigma$ that is both $\ge 0$ and $\le 0$ is zero: as printed nothing ever "
        r"slides."
    )
    implemented_by = (
        "rbnotes.complementarity.BoxLCP",
        "rbnotes.friction.box_friction",
    )
    chapter = CHAPTER


@claim("lloyd/s0.10/t374", "Box bounds from the friction coefficients and an estimate of the normal impulses")
class t374:
    formula = (
        r"\overline{\boldsymbol\phi} = -\underline{\boldsymbol\phi} "
        r"= \mu\,\boldsymbol\theta_\text{estimate}"
    )
    inputs = {name: PYRAMIDS[name] for name in (*PUSHED, "T", "mu")}

    def library(Mh, M, G, N, v, f, h, theta, T, mu):
        problem = ContactProblem(Mh, M @ v + h * f, Contacts(N, T, mu), G)
        return box_friction(problem, normal_estimate=theta).velocity

    oracle = LEAST

    def reference(Mh, M, G, N, v, f, h, theta, T, mu):
        rows = np.vstack([G, N, T.reshape(2 * CONTACTS, SIZE)])
        limits = np.repeat(mu * theta, 2) + 1e-13  # the bounds of this solver must differ
        lower = np.concatenate([[-np.inf], np.zeros(CONTACTS), -limits])
        upper = np.concatenate([[np.inf], np.full(CONTACTS, np.inf), limits])
        return least_energy(Mh, M @ v + h * f, rows, lower, upper)

    tolerance = 1e-06
    verdict = Verdict.DEFINITION
    remark = (
        "The estimate is that of the step before, or of the problem without friction. The whole problem "
        "is checked here, for any estimate."
    )
    implemented_by = BOX
    chapter = CHAPTER


@claim("lloyd/s0.10/d2#a", "A step with friction in a pyramid: the equations")
class d2_a:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T & 0 \\"
        r" \mathbf G & 0 & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 & 0 \\ \mathbf D & 0 & 0 & 0 & \mathbf E \\"
        r" 0 & 0 & \boldsymbol\mu & -\mathbf E^T & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} "
        r"\\ \boldsymbol\lambda \\ \boldsymbol\theta \\ \boldsymbol\phi \\"
        r" \boldsymbol\xi \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf "
        r"f}^k \\ 0 \\ 0 \\ 0 \\ 0 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\"
        r" \boldsymbol\sigma \\ \boldsymbol\gamma \end{pmatrix}"
    )
    inputs = PYRAMIDS

    def printed(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        D, E, mus = facet_rows(T), np.kron(np.eye(CONTACTS), np.ones((FACETS, 1))), np.diag(mu)
        n, t, e = SIZE + 1, SIZE + 1 + CONTACTS, SIZE + 1 + (1 + FACETS) * CONTACTS
        A = np.zeros((e + CONTACTS, e + CONTACTS))
        A[:SIZE, :SIZE], A[:SIZE, SIZE:n], A[:SIZE, n:t], A[:SIZE, t:e] = Mh, -G.T, -N.T, -D.T
        A[SIZE:n, :SIZE], A[n:t, :SIZE], A[t:e, :SIZE] = G, N, D
        A[t:e, e:] = E
        A[e:, n:t], A[e:, t:e] = mus, -E.T
        constant = np.zeros(e + CONTACTS)
        constant[:SIZE] = -M @ v - h * f
        given = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -given[:n])
        return np.append(motion[SIZE:], given[n:] + A[n:, :n] @ motion)

    def library(Mh, M, G, N, v, f, h, theta, T, mu, phi, xi):
        problem = ContactProblem(Mh, M @ v + h * f, Contacts(N, T, mu), G)
        lcp, directions = friction_lcp(problem, FACETS)
        impulses = np.column_stack([theta, phi.reshape(CONTACTS, FACETS) @ directions])
        _, multipliers = problem.moved_by(impulses)
        return np.append(multipliers, lcp.M @ np.concatenate([theta, phi, xi]) + lcp.q)

    oracle = PUSHES

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

    verdict = Verdict.HOLDS
    remark = r"$\mathbf D$ has to hold each direction and its opposite, since $\boldsymbol\phi \ge 0$."
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d2#b", "A step with friction in a pyramid: the conditions")
class d2_b:
    formula = (
        r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0,\quad "
        r"0 \le \boldsymbol\phi \perp \boldsymbol\sigma \ge 0,\quad "
        r"0 \le \boldsymbol\xi \perp \boldsymbol\gamma \ge 0"
    )
    inputs = STRUCK

    def printed(p, mass, mu):
        D, E = octagon(), np.ones((8, 1))
        A = np.zeros((13, 13))
        N = np.array([[0.0, 0.0, 1.0]])
        A[:3, :3], A[:3, 3:4], A[:3, 4:12] = mass * np.eye(3), -N.T, -D.T
        A[3:4, :3], A[4:12, :3], A[4:12, 12:] = N, D, E
        A[12, 3], A[12:, 4:12] = mu, -E.T
        return struck_unknowns(A, p)[0]

    def library(p, mass, mu):
        contacts = Contacts([[0.0, 0.0, 1.0]], [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], mu)
        return anitescu_stewart(ContactProblem(mass * np.eye(3), p, contacts), facets=8).velocity

    oracle = OCTAGON
    reference = struck_reference
    verdict = Verdict.HOLDS
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/t399#a", "The matrix E")
class t399_a:
    formula = (
        r"\mathbf E_{ij} = 1\ \text{for all}\ i\ \text{corresponding to the frictional wrenches}\ \mathbf "
        r"d_i\ \text{of the same contact}"
    )
    inputs = {name: PYRAMIDS[name] for name in ("T", "mu")}

    def library(T, mu):
        """The columns of xi in the rows of sigma."""
        contacts = Contacts(np.zeros((CONTACTS, SIZE)), T, mu)
        lcp, _ = friction_lcp(ContactProblem(np.eye(SIZE), np.zeros(SIZE), contacts), FACETS)
        return lcp.M[CONTACTS:-CONTACTS, -CONTACTS:]

    oracle = "one where facet i belongs to contact j, written out"

    def reference(T, mu):
        """One where facet i belongs to contact j."""
        facets = [contact for contact in range(CONTACTS) for _ in range(FACETS)]
        return np.array(
            [[1.0 if owner == contact else 0.0 for contact in range(CONTACTS)] for owner in facets]
        )

    verdict = Verdict.DEFINITION
    remark = "The column j is the contact; all other entries are zero."
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/t399#b", "Friction in a pyramid dissipates the most")
class t399_b:
    formula = r"\text{It enforces the friction cone and maximal dissipation constraints}"
    inputs = STRUCK

    def printed(p, mass, mu):
        """Power of the friction impulses of the solution."""
        v, z, _ = struck_unknowns(struck_system(p, mass, mu), p)
        return z[1:9] @ (octagon() @ v)

    oracle = "the least power over the corners of the octagon, at a velocity found from the momentum"

    def reference(p, mass, mu):
        """The least power of all impulses in the octagon, at the velocity of the particle."""
        v = struck_reference(p, mass, mu)
        return min(float(corner @ v) for corner in mu * -p[2] * octagon())

    verdict = Verdict.HOLDS
    remark = "The most of all impulses in the pyramid, at the velocity after the step."
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d3#a", "What gamma tells about the friction impulse")
class d3_a:
    formula = (
        r"\mu\theta - \sum\phi_k = \gamma = \begin{cases} = 0 & \text{on the friction cone} \\"
        r" > 0 & \text{inside the friction cone} \end{cases}"
    )
    inputs = PARTS

    def printed(theta, mu, phi):
        return mu * theta - sum(phi)

    oracle = "the friction impulse itself, measured by the square that is the pyramid's section"

    def reference(theta, mu, phi):
        """What is left of mu theta when the friction impulse is measured by the square with corners at 1."""
        impulse = phi[0] * np.array([1.0, 0.0]) + phi[1] * np.array([0.0, 1.0])
        impulse = impulse + phi[2] * np.array([-1.0, 0.0]) + phi[3] * np.array([0.0, -1.0])
        return mu * theta - np.linalg.norm(impulse, 1)

    verdict = Verdict.CONDITIONAL
    given = SHORT
    condition = (
        "no two opposite facet impulses act at once (in a pyramid of more facets: at most two "
        "neighbouring ones act)"
    )
    remark = (
        r"Opposite impulses cancel, but use up $\mu\theta$ all the same: $\gamma = 0$ is then possible "
        r"without any friction at all. The conditions allow that wherever a contact sticks."
    )
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d3#b", "What sigma tells about the facets")
class d3_b:
    formula = (
        r"\mathbf d_k\mathbf v + \xi = \sigma = \begin{cases} "
        r"= 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is maximally negative} \\"
        r" > 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is not maximally negative} \end{cases}"
    )
    inputs = STATES

    def printed(moving, s, limit, excess):
        """Where sigma is zero: the facets along which the sliding is most negative."""
        along, _ = state(moving, s, limit, excess)
        return np.where(along <= np.min(along) + 1e-12, 1.0, 0.0)

    oracle = r"all values of $\xi$ that the conditions allow with a given sliding velocity"

    def reference(moving, s, limit, excess):
        along, xi = state(moving, s, limit, excess)
        return np.array([1.0 if velocity + xi <= 1e-12 else 0.0 for velocity in along])

    verdict = Verdict.CONDITIONAL
    given = PRESSED
    condition = r"$\mu\theta > 0$: the contact presses, and has friction"
    remark = (
        r"Where there can be no friction impulse, any larger $\xi$ satisfies the conditions too, with "
        r"$\sigma > 0$ for every facet."
    )
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d4#a", "Where xi is positive something slides")
class d4_a:
    formula = r"\xi > 0 \Rightarrow \text{tangential motion}"
    inputs = STATES

    def printed(moving, s, limit, excess):
        """Tangential motion wherever xi > 0."""
        _, xi = state(moving, s, limit, excess)
        return 1.0 if xi > 1e-12 else 0.0

    oracle = r"all values of $\xi$ that the conditions allow with a given sliding velocity"

    def reference(moving, s, limit, excess):
        return 1.0 if moving else 0.0

    verdict = Verdict.CONDITIONAL
    given = PRESSED
    condition = r"$\mu\theta > 0$: the contact presses, and has friction"
    remark = r"With $\theta = 0$, at a contact that opens, $\xi$ may be anything not too small."
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d4#b", "Where something slides friction is on the cone")
class d4_b:
    formula = r"\text{tangential motion} \Rightarrow \text{on the cone} \Rightarrow \gamma = 0"
    inputs = STRUCK

    def printed(p, mass, mu):
        """Whether gamma is zero, or nothing slides."""
        v, _, w = struck_unknowns(struck_system(p, mass, mu), p)
        return float(np.linalg.norm(v[:2]) < 1e-8 or abs(w[-1]) < 1e-8)

    oracle = "the number one, for: gamma is zero, or nothing slides"
    reference = true_reference
    verdict = Verdict.HOLDS
    implemented_by = PYRAMID
    chapter = CHAPTER


@claim("lloyd/s0.10/d5", "Where friction is inside the cone nothing slides")
class d5:
    formula = (
        r"\gamma > 0 \Rightarrow \text{inside the friction cone} \Rightarrow \text{no tangential "
        r"velocity} \Rightarrow \xi = 0"
    )
    inputs = STRUCK

    def printed(p, mass, mu):
        """Whether there is neither sliding nor xi, or gamma is zero."""
        v, z, w = struck_unknowns(struck_system(p, mass, mu), p)
        return float(w[-1] < 1e-8 or (np.linalg.norm(v[:2]) < 1e-8 and z[-1] < 1e-8))

    oracle = "the number one, for: neither sliding nor xi, or gamma is zero"
    reference = true_reference
    verdict = Verdict.HOLDS
    implemented_by = PYRAMID
    chapter = CHAPTER
