"""Lloyd 0.10: integration with bilateral and unilateral constraints, and box friction."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes.complementarity import BoxLCP, box_residuals
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, recover_unknowns, solve_step
from rbnotes.friction import box_friction, friction_contact_problem
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.quantities import MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, vectors

CHAPTER = "contact"
SIZE, CONTACTS = 5, 2


QUANTITIES = {
    "Mh": MASS,
    "T": NUMBER,
    "high": MOMENTUM,
    "low": MOMENTUM,
    "part": NUMBER,
    "phi": MOMENTUM,
    "sigma": VELOCITY,
    "theta": MOMENTUM,
}


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
# A pair of one friction impulse, within its bounds, and the sliding velocity along it.
SLIDING = {
    "part": numbers(0.0, 1.0),
    "low": numbers(-2.0, 0.0),
    "high": numbers(0.0, 2.0),
    "sigma": numbers(),
}


def least_energy(M, b, rows, lower, upper):
    """Velocities after those impulses along the rows, within their bounds, that leave the least kinetic energy.

    Each impulse is at a bound or free: of all these choices the best, which rows that repeat do not disturb.
    """
    L = np.linalg.cholesky(M)
    effects, before = np.linalg.solve(L, rows.T), np.linalg.solve(L, b)
    bounds = [
        [np.nan, *(bound for bound in pair if np.isfinite(bound))] for pair in zip(lower, upper, strict=True)
    ]
    least, best = np.inf, np.zeros(len(rows))
    for impulses in map(np.array, itertools.product(*bounds)):
        free = np.isnan(impulses)
        rest = before + effects[:, ~free] @ impulses[~free]
        impulses[free] = np.linalg.lstsq(effects[:, free], -rest, rcond=1e-12)[0]
        energy = np.sum((before + effects @ impulses) ** 2)
        if energy < least and np.array_equal(impulses, np.clip(impulses, lower, upper)):
            least, best = energy, impulses
    return np.linalg.solve(M, b + rows.T @ best)


PUSHES = "velocities under impulses that push, assembled contact by contact and solved by elimination"
LEAST = "of all impulses within their bounds those that leave the least kinetic energy, by trying which are at a bound"


@claim("lloyd/s0.10/d1#a", "Velocities after a step with bilateral and unilateral constraints")
class d1_a:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T \\ \mathbf G & 0 & 0 \\"
        r" \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\"
        r" \boldsymbol\theta \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf "
        r"f}^k \\ 0 \\ 0 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \end{pmatrix}"
    )
    inputs = PUSHED
    result = VELOCITY

    def printed(Mh, M, G, N, v, f, h, theta):
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, G.T, G
        right = np.append(M @ v + h * f - N.T @ theta, 0.0)
        new = np.linalg.solve(system, right)[:SIZE]
        return np.append(new, N @ new)

    def library(Mh, M, G, N, v, f, h, theta):
        problem = StepProblem(Mh, M @ v + h * f, BilateralRows(G), UnilateralRows(N))
        new, _ = recover_unknowns(problem, theta)
        return np.append(new, N @ new)

    oracle = PUSHES

    def reference(Mh, M, G, N, v, f, h, theta):
        """Velocities under the applied impulses and pushes along the rows of N, with ``G v = 0`` kept to."""
        pushes = sum(size * row for size, row in zip(theta, N, strict=True))
        new, _ = constrained_system(Mh, G, pushes + M @ v + f * h, np.zeros(1))
        return np.append(new, [row @ new for row in N])

    combined_with = ("lloyd/s0.7/d6", "lloyd/s0.10/d2")
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
    implemented_by = ("rbnotes.dynamics.recover_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d1#b", "A contact pushes or separates")
class d1_b:
    formula = r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0"
    inputs = MOVING
    result = VELOCITY

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
        problem = StepProblem(Mh, M @ v + h * f, BilateralRows(G), UnilateralRows(N))
        return solve_step(problem).velocity

    oracle = LEAST

    def reference(Mh, M, G, N, v, f, h):
        return least_energy(Mh, M @ v + h * f, np.vstack([G, N]), [-np.inf, 0.0, 0.0], 3 * [np.inf])

    tolerance = 1e-08
    equivalent_mutants = {
        "negated G in `np.vstack((G, N[list(pushing)]))`": "the equation G v = 0 is the same with its sign changed",
        "dropped minus in `-1e-10`": "the allowance for rounding may have either sign",
    }
    verdict = Verdict.HOLDS
    remark = "With the sign of the first row corrected."
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


@claim("lloyd/s0.10/e0.5", "Velocities after a step with box friction")
class e0_5:
    formula = (
        r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T & \mathbf D^T \\"
        r" \mathbf G & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 \\"
        r" \mathbf D & 0 & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\"
        r" \boldsymbol\lambda \\ \boldsymbol\theta \\"
        r" \boldsymbol\phi \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf "
        r"f}^k \\ 0 \\ 0 \\ {} \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\"
        r" \boldsymbol\sigma \end{pmatrix}"
    )
    inputs = RUBBED
    result = VELOCITY

    def printed(Mh, M, G, N, v, f, h, theta, T, phi):
        D = T.reshape(2 * CONTACTS, SIZE)
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, G.T, G
        right = np.append(M @ v + h * f - N.T @ theta - D.T @ phi, 0.0)
        new = np.linalg.solve(system, right)[:SIZE]
        return np.concatenate([new, N @ new, D @ new])

    def library(Mh, M, G, N, v, f, h, theta, T, phi):
        problem = StepProblem(
            Mh, M @ v + h * f, BilateralRows(G), contacts=Contacts.from_directions(N, T, 0.5)
        )
        new, _ = friction_contact_problem(problem).apply_impulses(
            np.column_stack([theta, phi.reshape(CONTACTS, 2)])
        )
        velocities = (problem.contacts.rows @ new).reshape(-1, 3)
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

    combined_with = ("lloyd/s0.10/e0.6",)
    verdict = Verdict.ERRATUM
    correction = r"The first row has $-\mathbf N^T$ and $-\mathbf D^T$ (and $-\mathbf G^T$ to match)."
    remark = (
        r"With the conditions (0.6), sliding with $\boldsymbol\sigma > 0$ puts $\boldsymbol\phi$ at its "
        r"lower bound, below zero: the printed sign makes that impulse act along the sliding, and "
        r"friction drives. The block of the constants that is missing is read as 0 here."
    )
    implemented_by = (
        "rbnotes.friction.contact_problem",
        "rbnotes.contact.Contacts",
    )
    chapter = CHAPTER


@claim("lloyd/s0.10/e0.5#b", "The constants of that system")
class e0_5_b:
    formula = (
        r"\begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ {} \end{pmatrix}"
        r"\quad\text{beside}\quad "
        r"\begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \end{pmatrix}"
    )
    inputs = RUBBED
    result = VELOCITY

    def printed(Mh, M, G, N, v, f, h, theta, T, phi):
        """Three blocks, where the matrix has four rows of them; the signs of the first row are mended."""
        D = T.reshape(2 * CONTACTS, SIZE)
        right = np.concatenate([M @ v + h * f, np.zeros(len(G)), np.zeros(len(N))])
        pushes = np.concatenate([N.T @ theta + D.T @ phi, np.zeros(len(G) + len(N) + len(D))])
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, -G.T, G
        new = np.linalg.solve(system, (pushes + right)[: SIZE + 1])[:SIZE]
        return np.concatenate([new, N @ new, D @ new])

    library = e0_5.library
    oracle = PUSHES
    reference = e0_5.reference
    undefined = "three blocks cannot be added to four rows of them"
    verdict = Verdict.MISPRINT
    correction = r"A fourth block, $0$, in the row of $\boldsymbol\sigma$."
    scan = True
    implemented_by = (
        "rbnotes.friction.contact_problem",
        "rbnotes.contact.Contacts",
    )
    chapter = CHAPTER


@claim("lloyd/s0.10/e0.6", "Conditions on a box friction impulse")
class e0_6:
    formula = (
        r"0 \le \boldsymbol\phi - \underline{\boldsymbol\phi} \perp \boldsymbol\sigma \ge 0,\quad "
        r"0 \le \overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma \le 0"
    )
    inputs = SLIDING
    result = MOMENTUM
    constants = (MASS,)

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
    exact = "both only subtract and compare the numbers given"
    implemented_by = ("rbnotes.complementarity.box_residuals",)
    chapter = CHAPTER


@claim("lloyd/s0.10/t374", "Box bounds from the friction coefficients and an estimate of the normal impulses")
class t374:
    formula = (
        r"\overline{\boldsymbol\phi} = -\underline{\boldsymbol\phi} "
        r"= \mu\,\boldsymbol\theta_\text{estimate}"
    )
    inputs = {
        **MOVING,
        "N": arrays(1, SIZE),
        "theta": vectors(1, 0.25, 2.0),
        "T": arrays(1, 2, SIZE),
        "mu": vectors(1, 0.25, 1.0),
    }
    result = VELOCITY

    def printed(Mh, M, G, N, v, f, h, theta, T, mu):
        """Each normal impulse is zero or holds its row; each tangential one holds it too or is at a bound."""
        limits = np.repeat(mu * theta, 2)
        rows, push = np.vstack([G, N, T[0]]), M @ v + h * f
        tangential = [(np.nan, -limit, limit) for limit in limits]
        found = []
        for given in map(np.array, itertools.product((np.nan, 0.0), *tangential)):
            impulses = np.append(np.nan, given)
            held = np.isnan(impulses)
            impulses[held] = 0.0
            kept = rows[held]
            system = np.block([[Mh, -kept.T], [kept, np.zeros((len(kept), len(kept)))]])
            right = np.append(push + impulses @ rows, np.zeros(len(kept)))
            new, impulses[held] = np.split(np.linalg.lstsq(system, right, rcond=1e-12)[0], [SIZE])
            pressing, rubbing, sliding = impulses[1], impulses[2:], rows[2:] @ new
            beyond = np.max(np.abs(rubbing) - limits)
            driving = np.max(rubbing * sliding)
            found.append((max(beyond, driving, -pressing, -(N[0] @ new)), new))
        return min(found, key=lambda pair: pair[0])[1]

    def library(Mh, M, G, N, v, f, h, theta, T, mu):
        problem = StepProblem(
            Mh, M @ v + h * f, BilateralRows(G), contacts=Contacts.from_directions(N, T, mu)
        )
        return box_friction(problem, normal_estimate=theta).velocity

    oracle = LEAST

    def reference(Mh, M, G, N, v, f, h, theta, T, mu):
        rows = np.vstack([G, N, T[0]])
        limits = np.repeat(mu * theta, 2)
        lower = np.concatenate([[-np.inf], np.zeros(1), -limits])
        upper = np.concatenate([[np.inf], [np.inf], limits])
        return least_energy(Mh, M @ v + h * f, rows, lower, upper)

    equivalent_mutants = {
        "negated G in `[G, N, T[0]]`": "the equation G v = 0 is the same with its sign changed",
        "negated T[0] in `[G, N, T[0]]`": "the bounds are the same on both sides",
        "negated kept*": "the velocity along rows that are held is zero",
    }
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = (
        "The estimate is that of the step before, or of the problem without friction. The whole problem "
        "is checked here, for any estimate."
    )
    implemented_by = ("rbnotes.friction.box_friction",)
    chapter = CHAPTER
