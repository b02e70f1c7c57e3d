"""Lloyd 0.10: what the unknowns of friction in a pyramid tell about sliding."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import box_residuals, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import anitescu_stewart, friction_contact_problem, friction_lcp
from rbnotes.ledger.claims.lloyd.section_0_10 import CHAPTER
from rbnotes.ledger.claims.lloyd.section_0_10_pyramid import (
    FACETS,
    STRUCK,
    TRYING,
    struck_by_print,
    struck_reference,
)
from rbnotes.ledger.oracles.friction_pyramid import gauge, pyramid_corners, sliding_states
from rbnotes.ledger.quantities import ENERGY, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import nonzero_vectors, positive_numbers, vectors

FLOOR = Contacts([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], 1.0)


# A sliding velocity, the bound mu theta of friction, and what may be added to the least xi.
STATES = {
    "s": st.builds(lambda s, moving: s * moving, nonzero_vectors(2), st.sampled_from((0.0, 1.0, 0.0))),
    "limit": st.builds(lambda size, pressed: size * pressed, positive_numbers(), st.sampled_from((0.0, 1.0))),
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


QUANTITIES = {
    "axes": NUMBER,
    "excess": NUMBER,
    "limit": MOMENTUM,
    "p": MOMENTUM,
    "phi": MOMENTUM,
    "s": VELOCITY,
    "theta": MOMENTUM,
}


def struck_by_library(M, axes, mu, p):
    """The same from the library's LCP."""
    problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
    lcp, directions = friction_lcp(problem, 8)
    z = lemke(lcp).z
    impulse = np.append(z[0], z[1:9] @ directions)
    return friction_contact_problem(problem).apply_impulses(impulse[None])[0], z


def largest_xi(s, limit, excess):
    """The larger xi of two states of a particle that the conditions of the LCP allow."""
    momentum, states = sliding_states(s, limit, excess)
    lcp, _ = friction_lcp(StepProblem(np.eye(3), momentum, contacts=FLOOR), 8)
    return max(z[-1] for z in states if box_residuals(lcp, z).natural < 1e-9)


def is_pressed(s, limit, excess):
    return limit > 0


def none_opposite(theta, mu, phi):
    return phi[0] * phi[2] == 0 and phi[1] * phi[3] == 0


@claim("lloyd/s0.10/t399#b", "Friction in a pyramid dissipates the most")
class t399_b:
    formula = r"\text{It enforces the friction cone and maximal dissipation constraints}"
    inputs = STRUCK
    result = ENERGY

    def printed(M, axes, mu, p):
        """Power of the friction impulses of the solution, and their sum over the bound."""
        v, z = struck_by_print(M, axes, mu, p)
        return z[1:9] @ (pyramid_corners(8) @ axes[:2] @ v)

    def library(M, axes, mu, p):
        problem = StepProblem(M, axes.T @ p, contacts=Contacts(axes[None, [2, 0, 1]], mu))
        solution = anitescu_stewart(problem, facets=8)
        return solution.tangential[0] @ axes[:2] @ solution.velocity

    oracle = TRYING + "; the least power over the corners of its octagon, at that velocity"

    def reference(M, axes, mu, p):
        """The least power of all impulses in the octagon, at the velocity of the particle."""
        v, theta, _ = struck_reference(M, axes, mu, p)
        return min(mu * theta * float(corner @ axes[:2] @ v) for corner in pyramid_corners(8))

    verdict = Verdict.HOLDS
    remark = "The most of all impulses in the pyramid, at the velocity after the step."
    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implemented_by = ("rbnotes.friction.anitescu_stewart",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d3#a", "What gamma tells about the friction impulse")
class d3_a:
    formula = (
        r"\mu\theta - \sum\phi_k = \gamma = \begin{cases} = 0 & \text{on the friction cone} \\"
        r" > 0 & \text{inside the friction cone} \end{cases}"
    )
    inputs = PARTS
    result = MOMENTUM

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
    result = NUMBER

    def printed(s, limit, excess):
        """Where sigma is zero: the facets along which the sliding is most negative."""
        along = pyramid_corners(8) @ s
        return np.where(along <= np.min(along) + 1e-9, 1.0, 0.0)

    def library(s, limit, excess):
        sigma = pyramid_corners(8) @ s + largest_xi(s, limit, excess)
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
    result = NUMBER

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
    result = vector_quantity((NUMBER, 1), (MOMENTUM, 2))

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
        used = gauge(friction, pyramid_corners(8))
        return slides * np.array([1.0, used, mu * theta - used])

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        "in struck_by_print: swapped operands in `axes.T @ p - A[:3, 3:] @ z`": (
            "the velocity with the other sign slides as well"
        )
    }
    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER


@claim("lloyd/s0.10/d5", "Where friction is inside the cone nothing slides")
class d5:
    formula = (
        r"\gamma > 0 \Rightarrow \text{inside the friction cone} \Rightarrow \text{no tangential "
        r"velocity} \Rightarrow \xi = 0"
    )
    inputs = STRUCK
    result = VELOCITY

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
        return np.append(sliding, max(-corner @ sliding for corner in pyramid_corners(8)))

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        change: "gamma is never positive then, and the solution itself is returned, which is right too"
        for change in (
            "dropped `mu * z[0]` in `mu * z[0] - np.sum(z[1:9])`",
            "swapped operands in `mu * z[0] - np.sum(z[1:9])`",
            "index 0 -> 1 in `z[0]`",
        )
    }
    primitives = ("rbnotes.ledger.oracles.friction_pyramid.pyramid_corners",)
    implemented_by = ("rbnotes.friction.friction_lcp",)
    chapter = CHAPTER
