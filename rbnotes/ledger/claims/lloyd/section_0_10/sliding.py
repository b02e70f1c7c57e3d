"""Lloyd 0.10: meaning of the unknowns of pyramid friction for sliding."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import box_residuals, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import anitescu_stewart, friction_contact_problem, friction_lcp
from rbnotes.ledger.claims.lloyd.section_0_10 import section
from rbnotes.ledger.claims.lloyd.section_0_10.pyramid_friction import (
    FACETS,
    OPEN_OR_CLOSED_CONTACT,
    PARTICLE_CONTACT,
    solve_contact_reference,
    solve_printed_contact,
)
from rbnotes.ledger.oracles.friction_pyramid import (
    gauge,
    pyramid_corners,
    sliding_states,
)
from rbnotes.ledger.quantities import ENERGY, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import (
    nonzero_vectors,
    positive_numbers,
    vectors,
)

FLOOR = Contacts([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], 1.0)


# Sliding velocity, friction bound mu theta, and an admissible increase of xi.
SLIDING_STATES = {
    "s": st.builds(lambda s, scale: s * scale, nonzero_vectors(2), st.sampled_from((0.0, 1.0, 0.0))),
    "limit": st.builds(lambda size, scale: size * scale, positive_numbers(), st.sampled_from((0.0, 1.0))),
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
    inputs = OPEN_OR_CLOSED_CONTACT
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

    condition_inputs = ONE_SIDED_IMPULSES
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

    condition_inputs = LOADED_STATES
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

    condition_inputs = LOADED_STATES
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
        used_friction = gauge(friction, pyramid_corners(8))
        return slides * np.array([1.0, used_friction, mu * theta - used_friction])

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
