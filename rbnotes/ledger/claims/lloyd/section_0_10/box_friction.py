"""Lloyd 0.10: integration with bilateral and unilateral constraints, and box friction."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes.complementarity import BoxLCP, box_residuals
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, recover_unknowns, solve_step
from rbnotes.friction import box_friction, friction_contact_problem
from rbnotes.ledger.claims.lloyd.section_0_10 import SYSTEM_COORDINATES, section
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.quantities import MASS, MOMENTUM, VELOCITY
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import (
    arrays,
    numbers,
    positive_numbers,
    spd_matrices,
    vectors,
)

SIZE, CONTACTS = 5, 2


STEP = {
    "Mh": spd_matrices(SIZE, arrays),
    "M": spd_matrices(SIZE, arrays),
    "G": arrays(1, SIZE).filter(lambda G: bool(np.linalg.norm(G) > 0.25)),
    "N": arrays(CONTACTS, SIZE),
    "v": vectors(SIZE),
    "f": vectors(SIZE),
    "h": positive_numbers(0.25, 1.0),
}
STEP_WITH_NORMAL_IMPULSES = {**STEP, "theta": vectors(CONTACTS, 0.0, 2.0)}
STEP_WITH_BOX_FRICTION = {
    **STEP_WITH_NORMAL_IMPULSES,
    "T": arrays(CONTACTS, 2, SIZE),
    "phi": vectors(2 * CONTACTS),
}
# One friction impulse within its bounds, and the sliding velocity along it.
BOX_CONDITIONS = {
    "part": numbers(0.0, 1.0),
    "low": numbers(-2.0, 0.0),
    "high": numbers(0.0, 2.0),
    "sigma": numbers(),
}


def minimize_kinetic_energy(M, b, rows, lower, upper):
    """Return the velocities after the impulses within bounds that minimize the kinetic energy.

    Each impulse is at a bound or free. All combinations are tried, so that linearly dependent rows are
    allowed.
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


@section.erratum("d1#a", "Velocities after a step with bilateral and unilateral constraints")
class d1_a:
    formula = r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T \\ \mathbf G & 0 & 0 \\ \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \end{pmatrix}"
    edit = (r"\hat{\mathbf M} & \mathbf G^T & \mathbf N^T", r"\hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T")
    any_size = True
    inputs = STEP_WITH_NORMAL_IMPULSES
    result = Result(
        VELOCITY, "in the generalized coordinates of the system, then along the normals of the contacts"
    )

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

    def reference(Mh, M, G, N, v, f, h, theta):
        """Compare with the velocities under all impulses, assembled contact by contact, by elimination."""
        pushes = sum(size * row for size, row in zip(theta, N, strict=True))
        new, _ = constrained_system(Mh, G, pushes + M @ v + f * h, np.zeros(1))
        return np.append(new, [row @ new for row in N])

    combined_with = ("lloyd/s0.7/d6", "lloyd/s0.10/d2")
    correction = (
        r"The first row has $-\mathbf N^T$ (and, to match, $-\mathbf G^T$), as in (0.3) and in the"
        r" matrix for pyramid friction below: $\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf "
        r"M\dot{\mathbf x}^k + h\hat{\mathbf f}^k + \mathbf G^T\boldsymbol\lambda + \mathbf "
        r"N^T\boldsymbol\theta$."
    )
    remark = (
        r"The sign of $\mathbf G^T\boldsymbol\lambda$ is a convention, since $\boldsymbol\lambda$ "
        r"may have any sign. That of $\mathbf N^T\boldsymbol\theta$ is not: with "
        r"$\boldsymbol\theta \ge 0$ and the printed sign, contacts pull bodies into each other, "
        "and the problem has no solution where they should act."
    )
    effect = (
        "No impulse stops a ball that hits the floor at 1 m/s; the solver reports that there is no solution."
    )
    implements = recover_unknowns


@section.holds("d1#b", "A contact pushes or separates")
class d1_b:
    formula = r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0"
    any_size = True
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(Mh, M, G, N, v, f, h):
        """Try all sets of pushing contacts; pushing contacts have nu = 0."""
        for count in range(CONTACTS + 1):
            for active in itertools.combinations(range(CONTACTS), count):
                rows = np.vstack((G, N[list(active)]))
                new, impulses = constrained_system(Mh, rows, M @ v + h * f, np.zeros(1 + count))
                theta, nu = impulses[1:], N @ new
                if np.all(theta >= -1e-10) and np.all(nu >= -1e-10):
                    return new
        return np.full(SIZE, np.inf)

    def library(Mh, M, G, N, v, f, h):
        problem = StepProblem(Mh, M @ v + h * f, BilateralRows(G), UnilateralRows(N))
        return solve_step(problem).velocity

    def reference(Mh, M, G, N, v, f, h):
        """Minimize the kinetic energy over the impulses within their bounds, by trying all active sets."""
        return minimize_kinetic_energy(
            Mh, M @ v + h * f, np.vstack([G, N]), [-np.inf, 0.0, 0.0], 3 * [np.inf]
        )

    tolerance = 1e-08
    remark = "The check uses the corrected sign of the first row."
    implements = solve_step


@section.erratum("e0.5", "Velocities after a step with box friction")
class e0_5:
    formula = r"\begin{pmatrix} \hat{\mathbf M} & \mathbf G^T & \mathbf N^T & \mathbf D^T \\ \mathbf G & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 \\ \mathbf D & 0 & 0 & 0 \end{pmatrix} \begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \\ \boldsymbol\phi \end{pmatrix} + \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ {} \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \end{pmatrix}"
    edits = (
        (
            r"\hat{\mathbf M} & \mathbf G^T & \mathbf N^T & \mathbf D^T",
            r"\hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T",
        ),
        (r"\\ {} \end", r"\\ 0 \end"),
    )
    any_size = True
    inputs = STEP_WITH_BOX_FRICTION
    result = Result(
        VELOCITY,
        (
            "in the generalized coordinates of the system, then along the normals of the contacts, then along "
            "their tangents"
        ),
    )

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

    def reference(Mh, M, G, N, v, f, h, theta, T, phi):
        """Compare with the velocities under all impulses, assembled contact by contact, by elimination."""
        total = M @ v + f * h
        for contact in range(CONTACTS):
            total = total + theta[contact] * N[contact]
            total = total + phi[2 * contact] * T[contact, 0] + phi[2 * contact + 1] * T[contact, 1]
        new, _ = constrained_system(Mh, G, total, np.zeros(1))
        return np.concatenate([new, [row @ new for row in N], [row @ new for pair in T for row in pair]])

    combined_with = ("lloyd/s0.10/e0.6",)
    correction = r"The first row has $-\mathbf N^T$ and $-\mathbf D^T$ (and $-\mathbf G^T$ to match)."
    remark = (
        r"With the conditions (0.6), sliding with $\boldsymbol\sigma > 0$ puts $\boldsymbol\phi$ at "
        "its negative lower bound. With the printed sign, that impulse acts in the direction of "
        "sliding, so that friction accelerates the body. The check takes 0 for the missing block of "
        "the constants."
    )
    effect = (
        "A block that slides at 3 m/s with a friction coefficient of 0.3 moves at 5.94 m/s one "
        "second later; with the correct sign, it has slowed to 0.06 m/s."
    )
    implements = (friction_contact_problem, Contacts)


@section.misprint("e0.5#b", "The constants of that system")
class e0_5_b:
    formula = r"\begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ {} \end{pmatrix}\quad\text{beside}\quad \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \end{pmatrix}"
    any_size = True
    inputs = STEP_WITH_BOX_FRICTION
    result = Result(
        VELOCITY,
        (
            "in the generalized coordinates of the system, then along the normals of the contacts, then along "
            "their tangents"
        ),
    )

    def printed(Mh, M, G, N, v, f, h, theta, T, phi):
        """Add three printed blocks to four block rows, with the signs of the first row corrected."""
        D = T.reshape(2 * CONTACTS, SIZE)
        right = np.concatenate([M @ v + h * f, np.zeros(len(G)), np.zeros(len(N))])
        pushes = np.concatenate([N.T @ theta + D.T @ phi, np.zeros(len(G) + len(N) + len(D))])
        system = np.zeros((SIZE + 1, SIZE + 1))
        system[:SIZE, :SIZE], system[:SIZE, SIZE:], system[SIZE:, :SIZE] = Mh, -G.T, G
        new = np.linalg.solve(system, (pushes + right)[: SIZE + 1])[:SIZE]
        return np.concatenate([new, N @ new, D @ new])

    library = e0_5.library
    reference = e0_5.reference
    undefined = "three blocks cannot be added to four block rows"
    correction = r"A fourth block, $0$, in the row of $\boldsymbol\sigma$."
    replacement = r"""\begin{pmatrix} \hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T \\ \mathbf G & 0 & 0 & 0 \\ \mathbf N & 0 & 0 & 0 \\ \mathbf D & 0 & 0 & 0 \end{pmatrix}
\begin{pmatrix} \dot{\mathbf x}^{k+1} \\ \boldsymbol\lambda \\ \boldsymbol\theta \\ \boldsymbol\phi \end{pmatrix}
+ \begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ 0 \end{pmatrix}
= \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \end{pmatrix}"""
    scan = True
    implements = (friction_contact_problem, Contacts)


@section.erratum("e0.6", "Conditions on a box friction impulse")
class e0_6:
    formula = r"0 \le \boldsymbol\phi - \underline{\boldsymbol\phi} \perp \boldsymbol\sigma \ge 0,\quad 0 \le \overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma \le 0"
    edits = (
        (r"\perp \boldsymbol\sigma \ge 0", r"\perp \boldsymbol\sigma^+ \ge 0"),
        (
            r"\perp \boldsymbol\sigma \le 0",
            r"\perp \boldsymbol\sigma^- \ge 0,\quad \boldsymbol\sigma = \boldsymbol\sigma^+ - \boldsymbol\sigma^-",
        ),
    )
    inputs = BOX_CONDITIONS
    result = Result(MOMENTUM)
    constants = (MASS,)

    def printed(part, low, high, sigma):
        phi = low + part * (high - low)
        return max(abs(min(phi - low, sigma)), abs(min(high - phi, -sigma)))

    def library(part, low, high, sigma):
        phi = low + part * (high - low)
        return box_residuals(BoxLCP([[0.0]], [sigma], [low], [high]), [phi]).natural

    def reference(part, low, high, sigma):
        """Measure the distance of the impulse from the one within the bounds that dissipates the most.

        The distance is bounded by the sliding speed.
        """
        phi = low + part * (high - low)
        best = min((low, high), key=lambda impulse: impulse * sigma)
        return min(abs(sigma), abs(phi - best))

    correction = (
        r"Each bound has its own part of the velocity: $0 \le \boldsymbol\phi - "
        r"\underline{\boldsymbol\phi} \perp \boldsymbol\sigma^+ \ge 0$ and $0 \le "
        r"\overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma^- \ge 0$ with "
        r"$\boldsymbol\sigma = \boldsymbol\sigma^+ - \boldsymbol\sigma^-$."
    )
    remark = (
        r"A $\boldsymbol\sigma$ that is both $\ge 0$ and $\le 0$ is zero, so that nothing slides "
        "under the printed conditions."
    )
    exact = "both forms only subtract and compare the given numbers"
    effect = (
        "No step can be taken for a block of 2 kg that slides at 3 m/s with a friction coefficient of "
        "0.3: the block has to stop, which takes 6 N s, and the bound for 10 ms is 0.059 N s."
    )
    implements = box_residuals


@section.holds("t374", "Box bounds from the friction coefficients and an estimate of the normal impulses")
class t374:
    formula = (
        r"\overline{\boldsymbol\phi} = -\underline{\boldsymbol\phi} = \mu\,\boldsymbol\theta_\text{estimate}"
    )
    inputs = {
        **STEP,
        "N": arrays(1, SIZE),
        "theta": vectors(1, 0.25, 2.0),
        "T": arrays(1, 2, SIZE),
        "mu": vectors(1, 0.25, 1.0),
    }
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(Mh, M, G, N, v, f, h, theta, T, mu):
        """Try all active sets: each impulse is zero, at a bound, or satisfies its row."""
        limits = np.repeat(mu * theta, 2)
        rows, push = np.vstack([G, N, T[0]]), M @ v + h * f
        tangential = [(np.nan, -limit, limit) for limit in limits]
        solutions = []
        for bound_values in map(np.array, itertools.product((np.nan, 0.0), *tangential)):
            impulses = np.append(np.nan, bound_values)
            active = np.isnan(impulses)
            impulses[active] = 0.0
            active_rows = rows[active]
            system = np.block(
                [[Mh, -active_rows.T], [active_rows, np.zeros((len(active_rows), len(active_rows)))]]
            )
            right = np.append(push + impulses @ rows, np.zeros(len(active_rows)))
            new, impulses[active] = np.split(np.linalg.lstsq(system, right, rcond=1e-12)[0], [SIZE])
            normal_impulse, friction_part, sliding = impulses[1], impulses[2:], rows[2:] @ new
            bound_violation = np.max(np.abs(friction_part) - limits)
            friction_power = np.max(friction_part * sliding)
            solutions.append((max(bound_violation, friction_power, -normal_impulse, -(N[0] @ new)), new))
        return min(solutions, key=lambda pair: pair[0])[1]

    def library(Mh, M, G, N, v, f, h, theta, T, mu):
        problem = StepProblem(
            Mh, M @ v + h * f, BilateralRows(G), contacts=Contacts.from_directions(N, T, mu)
        )
        return box_friction(problem, normal_estimate=theta).velocity

    def reference(Mh, M, G, N, v, f, h, theta, T, mu):
        """Minimize the kinetic energy over the impulses within their bounds, by trying all active sets."""
        rows = np.vstack([G, N, T[0]])
        limits = np.repeat(mu * theta, 2)
        lower = np.concatenate([[-np.inf], np.zeros(1), -limits])
        upper = np.concatenate([[np.inf], [np.inf], limits])
        return minimize_kinetic_energy(Mh, M @ v + h * f, rows, lower, upper)

    tolerance = 1e-08
    remark = (
        "The estimate is taken from the preceding step or from the frictionless problem. The check "
        "solves the whole problem, for any estimate."
    )
    implements = box_friction
