"""Lloyd 0.10: integration with bilateral and unilateral constraints, and box friction."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import LCP, BoxLCP, box_residuals, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, recover_unknowns, solve_step
from rbnotes.friction import anitescu_stewart, box_friction, friction_contact_problem, friction_lcp
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.friction_pyramid import (
    eliminate_velocity,
    gauge,
    pyramid_contact,
    pyramid_corners,
    sliding_states,
)
from rbnotes.ledger.quantities import ENERGY, FORCE, MASS, MOMENTUM, NUMBER, TIME, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import (
    arrays,
    nonzero_vectors,
    numbers,
    positive_numbers,
    rotations,
    spd_matrices,
    vectors,
)

SYSTEM_COORDINATES = "in the coordinates of the whole system"

section = Section(
    "lloyd/s0.10",
    chapter="contact",
    arguments={
        "Mh": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "G": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "N": Argument(NUMBER, "one row for each contact, over the coordinates of the whole system"),
        "v": Argument(VELOCITY, "in the coordinates of the whole system, whatever they are"),
        "f": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "h": Argument(TIME),
        "theta": Argument(MOMENTUM, "one for each contact"),
        "T": Argument(
            NUMBER,
            "two rows for each contact, one for each tangent, over the coordinates of the whole system",
        ),
        "phi": Argument(MOMENTUM, "of the contacts, in their order"),
        "part": Argument(NUMBER),
        "low": Argument(MOMENTUM),
        "high": Argument(MOMENTUM),
        "sigma": Argument(VELOCITY),
        "mu": Argument(NUMBER, "one for each contact"),
        "xi": Argument(VELOCITY, "of the contacts, in their order"),
        "axes": Argument(NUMBER, "rows: the two tangents of the contact and its normal, in the world"),
        "p": Argument(MOMENTUM, "along the axes of the contact: two tangents, then the normal"),
        "s": Argument(VELOCITY, "along the two tangents of the contact"),
        "limit": Argument(MOMENTUM),
        "excess": Argument(NUMBER),
    },
)


SIZE, CONTACTS = 5, 2


def mass_matrices(size):
    return arrays(size, size).map(lambda A: A @ A.T / size + 0.5 * np.eye(size))


STEP = {
    "Mh": mass_matrices(SIZE),
    "M": mass_matrices(SIZE),
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
    inputs = STEP_WITH_NORMAL_IMPULSES
    result = Result(
        VELOCITY, "in the coordinates of the whole system, then along the normals of the contacts"
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
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(Mh, M, G, N, v, f, h):
        """Try all sets of pushing contacts; pushing contacts have nu = 0."""
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

    def reference(Mh, M, G, N, v, f, h):
        """Minimize the kinetic energy over the impulses within their bounds, by trying all active sets."""
        return minimize_kinetic_energy(
            Mh, M @ v + h * f, np.vstack([G, N]), [-np.inf, 0.0, 0.0], 3 * [np.inf]
        )

    tolerance = 1e-08
    remark = "The sign of the first row is corrected."
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
    inputs = STEP_WITH_BOX_FRICTION
    result = Result(
        VELOCITY,
        (
            "in the coordinates of the whole system, then along the normals of the contacts, then along "
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
        r"With the conditions (0.6), sliding with $\boldsymbol\sigma > 0$ puts $\boldsymbol\phi$ "
        "at its negative lower bound. With the printed sign, that impulse acts in the direction "
        "of sliding, so that friction accelerates the body. The missing block of the constants is"
        " read as 0 here."
    )
    effect = (
        "A block that slides at 3 m/s with a friction coefficient of 0.3 moves at 5.94 m/s one "
        "second later; with the correct sign, it has slowed to 0.06 m/s."
    )
    implements = (friction_contact_problem, Contacts)


@section.misprint("e0.5#b", "The constants of that system")
class e0_5_b:
    formula = r"\begin{pmatrix} -\mathbf M\dot{\mathbf x}^k - h\hat{\mathbf f}^k \\ 0 \\ 0 \\ {} \end{pmatrix}\quad\text{beside}\quad \begin{pmatrix} 0 \\ 0 \\ \boldsymbol\nu \\ \boldsymbol\sigma \end{pmatrix}"
    inputs = STEP_WITH_BOX_FRICTION
    result = Result(
        VELOCITY,
        (
            "in the coordinates of the whole system, then along the normals of the contacts, then along "
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
        found = []
        for given in map(np.array, itertools.product((np.nan, 0.0), *tangential)):
            impulses = np.append(np.nan, given)
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
            found.append((max(bound_violation, friction_power, -normal_impulse, -(N[0] @ new)), new))
        return min(found, key=lambda pair: pair[0])[1]

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
        "The estimate is taken from the preceding step or from the frictionless problem. The "
        "whole problem is checked here, for any estimate."
    )
    implements = box_friction


# ------------------------------------------------------------------------------------------------------------
# Pyramid friction, after Anitescu and Stewart.
#
# The records that need a solution have one contact of a body with three velocities, and general masses and axes.
# It sticks in half of the examples and slides in the others.


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
    "p": st.one_of(contact_momenta(0.0, 0.2), contact_momenta(1.5, 3.0)),
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
        used = phi.reshape(CONTACTS, FACETS).sum(axis=1)
        return np.concatenate([multipliers, [row @ new for row in N], sigma, mu * theta - used])

    remark = (
        r"The directions $\mathbf d_k$ of a contact must positively span the tangent plane, "
        r"because $\boldsymbol\phi \ge 0$; pairs of opposite directions do. The missing block of "
        r"the constants is read as 0 here, and $\boldsymbol\mu$ as a diagonal matrix."
    )
    implements = friction_lcp


@section.holds("d2#b", "A step with pyramid friction: the conditions")
class d2_b:
    formula = r"0 \le \boldsymbol\theta \perp \boldsymbol\nu \ge 0,\quad 0 \le \boldsymbol\phi \perp \boldsymbol\sigma \ge 0,\quad 0 \le \boldsymbol\xi \perp \boldsymbol\gamma \ge 0"
    inputs = PARTICLE_CONTACT
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
        given = A[:, n:] @ np.concatenate([theta, phi, xi]) + constant
        motion = np.linalg.solve(A[:n, :n], -given[:n])
        return np.append(motion[SIZE:], given[n:] + A[n:, :n] @ motion)

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
        """Multiply with mu as printed, a vector in the place of a block."""
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
    exact = "all three forms only place ones and zeros"
    remark = "Column j belongs to contact j; all other entries are zero."
    implements = friction_lcp


# ------------------------------------------------------------------------------------------------------------
# Meaning of the unknowns of pyramid friction for sliding.


FLOOR = Contacts([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], 1.0)


# Sliding velocity, friction bound mu theta, and an admissible increase of xi.
SLIDING_STATES = {
    "s": st.builds(lambda s, moving: s * moving, nonzero_vectors(2), st.sampled_from((0.0, 1.0, 0.0))),
    "limit": st.builds(lambda size, pressed: size * pressed, positive_numbers(), st.sampled_from((0.0, 1.0))),
    "excess": positive_numbers(0.25, 1.0),
}


LOADED_STATES = {**SLIDING_STATES, "limit": positive_numbers()}


FACET_IMPULSES = {
    "theta": positive_numbers(),
    "mu": positive_numbers(0.25, 1.0),
    "phi": vectors(FACETS, 0.0, 1.0),
}


ONE_SIDED_IMPULSES = {
    **FACET_IMPULSES,
    "phi": st.builds(
        lambda phi, first, second: phi * np.array([first, second, not first, not second]),
        vectors(FACETS, 0.0, 1.0),
        st.booleans(),
        st.booleans(),
    ),
}


def solve_library_contact(M, axes, mu, p):
    """Return the velocity and (theta, phi, xi) of the contact from the library's LCP."""
    problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
    lcp, directions = friction_lcp(problem, 8)
    z = lemke(lcp).z
    impulse = np.append(z[0], z[1:9] @ directions)
    return friction_contact_problem(problem).apply_impulses(impulse[None])[0], z


def largest_xi(s, limit, excess):
    """Return the largest xi of the states of a particle that satisfy the conditions of the LCP."""
    momentum, states = sliding_states(s, limit, excess)
    lcp, _ = friction_lcp(StepProblem(np.eye(3), momentum, contacts=FLOOR), 8)
    return max(z[-1] for z in states if box_residuals(lcp, z).natural < 1e-9)


def is_loaded(s, limit, excess):
    return limit > 0


def has_no_opposite_impulses(theta, mu, phi):
    return phi[0] * phi[2] == 0 and phi[1] * phi[3] == 0


@section.holds("t399#b", "Pyramid friction maximizes the dissipation")
class t399_b:
    formula = r"\text{It enforces the friction cone and maximal dissipation constraints}"
    inputs = PARTICLE_CONTACT
    result = Result(ENERGY)

    def printed(M, axes, mu, p):
        """Return the power of the friction impulses of the solution."""
        v, z = solve_printed_contact(M, axes, mu, p)
        return z[1:9] @ (pyramid_corners(8) @ axes[:2] @ v)

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        solution = anitescu_stewart(problem, facets=8)
        return solution.tangential[0] @ axes[:2] @ solution.velocity

    def reference(M, axes, mu, p):
        """Try all contact cases, and take the least power over the corners of the octagon.

        The cases are open, sticking, and sliding at a corner or along an edge.
        """
        v, theta, _ = solve_contact_reference(M, axes, mu, p)
        return min(mu * theta * float(corner @ axes[:2] @ v) for corner in pyramid_corners(8))

    remark = "The maximum is over all impulses in the pyramid, at the velocity after the step."
    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implements = anitescu_stewart


@section.conditional("d3#a", "Meaning of gamma for the friction impulse")
class d3_a:
    formula = r"\mu\theta - \sum\phi_k = \gamma = \begin{cases} = 0 & \text{on the friction cone} \\ > 0 & \text{inside the friction cone} \end{cases}"
    inputs = FACET_IMPULSES
    result = Result(MOMENTUM)

    def printed(theta, mu, phi):
        """Return gamma from its row of the library's LCP: mu theta minus the sum of the facet impulses."""
        contacts = Contacts(FLOOR.rows.reshape(1, 3, 3), mu)
        lcp, _ = friction_lcp(StepProblem(np.eye(3), np.zeros(3), contacts=contacts), FACETS)
        return lcp.M[-1, :-1] @ np.append(theta, phi)

    def reference(theta, mu, phi):
        """Measure the friction impulse by the gauge of the square cross section of the pyramid."""
        impulse = phi[0] * np.array([1.0, 0.0]) + phi[1] * np.array([0.0, 1.0])
        impulse = impulse + phi[2] * np.array([-1.0, 0.0]) + phi[3] * np.array([0.0, -1.0])
        return mu * theta - np.linalg.norm(impulse, 1)

    given = ONE_SIDED_IMPULSES
    holds_when = has_no_opposite_impulses
    condition = (
        "no two opposite facet impulses act at once (in a pyramid with more facets: at most two "
        "neighboring facets act)"
    )
    remark = (
        r"Opposite impulses cancel but still use $\mu\theta$, so that $\gamma = 0$ is possible "
        "without any friction. The conditions allow this at every sticking contact."
    )
    implements = friction_lcp


@section.conditional("d3#b", "Meaning of sigma for the facets")
class d3_b:
    formula = r"\mathbf d_k\mathbf v + \xi = \sigma = \begin{cases} = 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is maximally negative} \\ > 0 & \text{if}\ \mathbf d_k\mathbf v\ \text{is not maximally negative} \end{cases}"
    inputs = SLIDING_STATES
    result = Result(NUMBER, "one for each facet, the first along the first tangent")

    def printed(s, limit, excess):
        """Return 1 for the facets along which the sliding velocity is most negative, where sigma is zero."""
        along = pyramid_corners(8) @ s
        return np.where(along <= np.min(along) + 1e-9, 1.0, 0.0)

    def library(s, limit, excess):
        sigma = pyramid_corners(8) @ s + largest_xi(s, limit, excess)
        return np.where(sigma <= 1e-9, 1.0, 0.0)

    def reference(s, limit, excess):
        """Compare with the smallest admissible xi if friction reaches its bound.

        For mu theta > 0, a larger xi makes all sigma positive, so that friction vanishes and gamma > 0.
        """
        speeds = [s[0] * np.cos(k * np.pi / 4) + s[1] * np.sin(k * np.pi / 4) for k in range(8)]
        xi = -min(speeds) if limit > 0 else excess - min(speeds)
        return np.array([float(speed + xi <= 1e-9) for speed in speeds])

    given = LOADED_STATES
    holds_when = is_loaded
    condition = r"$\mu\theta > 0$: the contact is loaded and has friction"
    remark = (
        r"If no friction impulse is possible, any larger $\xi$ also satisfies the conditions, with"
        r" $\sigma > 0$ for every facet."
    )
    exact = "both results are booleans"
    implements = friction_lcp


@section.conditional("d4#a", "Positive xi implies sliding")
class d4_a:
    formula = r"\xi > 0 \Rightarrow \text{tangential motion}"
    inputs = SLIDING_STATES
    result = Result(NUMBER)

    def printed(s, limit, excess):
        """Return 1 if the largest xi that satisfies the conditions is positive."""
        return float(largest_xi(s, limit, excess) > 1e-9)

    def reference(s, limit, excess):
        """Check directly whether the sliding velocity differs from zero."""
        return float(np.linalg.norm(s) > 1e-9)

    given = LOADED_STATES
    holds_when = is_loaded
    condition = r"$\mu\theta > 0$: the contact is loaded and has friction"
    exact = "both results are booleans"
    remark = r"With $\theta = 0$, at a contact that opens, $\xi$ can have any value that is large enough."
    implements = friction_lcp


@section.holds("d4#b", "Sliding implies that friction is on the cone")
class d4_b:
    formula = r"\text{tangential motion} \Rightarrow \text{on the cone} \Rightarrow \gamma = 0"
    inputs = PARTICLE_CONTACT
    result = Result(
        vector_quantity((NUMBER, 1), (MOMENTUM, 2)),
        "whether it slides, then friction and the slack of its bound",
    )

    def printed(M, axes, mu, p):
        """Return 1 if the contact slides, and the bound mu theta that friction then reaches."""
        v, z = solve_printed_contact(M, axes, mu, p)
        slides = np.linalg.norm(v) > 1e-9  # along the plane, since it does not open
        return slides * np.array([1.0, mu * z[0], 0.0])

    def library(M, axes, mu, p):
        v, z = solve_library_contact(M, axes, mu, p)
        slides = np.linalg.norm(axes[:2] @ v) > 1e-9
        return slides * np.array([1.0, np.sum(z[1:9]), mu * z[0] - np.sum(z[1:9])])

    def reference(M, axes, mu, p):
        """Try all contact cases, and compare mu theta with the gauge of the friction impulse.

        The cases are open, sticking, and sliding at a corner or along an edge of the octagon.
        """
        v, theta, friction = solve_contact_reference(M, axes, mu, p)
        slides = np.max(np.abs(axes[:2] @ v)) > 1e-9
        used = gauge(friction, pyramid_corners(8))
        return slides * np.array([1.0, used, mu * theta - used])

    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implements = friction_lcp


@section.holds("d5", "Friction inside the cone implies sticking")
class d5:
    formula = r"\gamma > 0 \Rightarrow \text{inside the friction cone} \Rightarrow \text{no tangential velocity} \Rightarrow \xi = 0"
    inputs = PARTICLE_CONTACT
    result = Result(VELOCITY, "along the two tangents of the contact, then the largest along a facet")

    def printed(M, axes, mu, p):
        """Return the sliding velocity and xi, which are zero where gamma > 0."""
        v, z = solve_printed_contact(M, axes, mu, p)
        inside = mu * z[0] - np.sum(z[1:9]) > 1e-9
        return np.zeros(3) if inside else np.append(axes[:2] @ v, z[-1])

    def library(M, axes, mu, p):
        v, z = solve_library_contact(M, axes, mu, p)
        return np.append(axes[:2] @ v, z[-1])

    def reference(M, axes, mu, p):
        """Try all contact cases, and take the sliding velocity and its largest speed against a facet.

        The cases are open, sticking, and sliding at a corner or along an edge of the octagon.
        """
        v, _, _ = solve_contact_reference(M, axes, mu, p)
        sliding = axes[:2] @ v
        return np.append(sliding, max(-corner @ sliding for corner in pyramid_corners(8)))

    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implements = friction_lcp
