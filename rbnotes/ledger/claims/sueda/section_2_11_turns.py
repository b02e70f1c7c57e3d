"""Sueda 2.11: the friction of a joint in Algorithm 8, on a pin in a plane. The oracle asks Newton for the body."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import BoxLCP, solve
from rbnotes.dynamics import State
from rbnotes.friction import Bearing
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Revolute
from rbnotes.ledger.claims.sueda.section_2_11_bearings import BISP
from rbnotes.ledger.claims.sueda.section_2_11_joints import CHAPTER
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.ledger.quantities import LENGTH, MOMENTUM, NUMBER, RATE
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, vectors

# Three contacts around a pin, in the frame of the hinge: where they are, and which way the body slides there.
ANGLES = 2 * np.pi * (np.arange(3) + 0.25) / 3
OUT = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
AROUND = np.stack([-np.sin(ANGLES), np.cos(ANGLES)], axis=1)


QUANTITIES = {"mu": NUMBER, "omega": RATE, "radius": LENGTH, "rub": MOMENTUM}


def settled(m, J, c, g, free, mu, radius, h):
    """The old spin, and the friction impulses that end the step, where the spin would be ``free`` without them.

    They are mu times the pushes that they belong to, against the spin, or as much less as suffices to stop it.
    """
    inertia, torque, rub = J + m * c @ c, m * (c[0] * g[1] - c[1] * g[0]), np.zeros(3)
    omega, way = free - h * torque / inertia, np.sign(free)
    for _ in range(50):
        after = free - way * radius * np.sum(rub) / inertia
        change = np.array([-c[1], c[0]]) * (after - omega) - h * omega**2 * c - h * g
        pushes = 2 / 3 * np.abs(OUT @ (m * change + way * rub @ AROUND))
        rub = mu * pushes
        rub = rub * min(1.0, abs(free) * inertia / (radius * np.sum(rub)))
    return omega, way * rub


def pinned():
    """A body on a pin, its old spin, and the friction impulses that its pin ends with, stuck or sliding."""
    drawn = st.shared(
        st.tuples(
            positive_numbers(0.5, 2),
            positive_numbers(0.25, 1),
            arrays(2).map(lambda c: c / 4 + np.array([0.6, -0.35])),
            arrays(2).map(lambda g: g + np.array([1.3, -6.1])),
            st.tuples(numbers(-1, 1), st.sampled_from((0.03, 2.0))).map(
                lambda pair: pair[1] * (pair[0] + np.copysign(0.2, pair[0]))
            ),
            vectors(3, 0.1, 0.3),
            positive_numbers(0.0625, 0.25),
            positive_numbers(0.0625, 0.125),
        ).map(lambda pin: (*pin, *settled(*pin))),
        key="a body on a dry pin",
    )
    parts = {"m": 0, "J": 1, "c": 2, "g": 3, "mu": 5, "radius": 6, "h": 7, "omega": 8, "rub": 9}
    return {name: drawn.map(lambda pin, k=k: pin[k]) for name, k in parts.items()}


@claim("sueda/s2.11/t1493", "The friction of a joint, as in staggered projections")
class t1493:
    formula = (
        r"\text{`the convergence check and the friction solve are the same as in SP': with } |\alpha| \text{ for } "
        r"\alpha, \text{ lines 10 to 24 leave Coulomb's } f_\beta \text{ as it is}"
    )
    inputs = pinned()
    result = RATE

    def printed(m, J, c, g, mu, radius, h, omega, rub):
        """One turn that starts from this friction, with (2.117) and (2.118) mended; what line 26 makes of it."""
        M = kinetic_energy_matrix(m, J * np.eye(3), np.append(c, 0))[2:5, 2:5]
        Mi, M_r = np.linalg.inv(M), M[0, 0]
        f = m * np.array([c[0] * g[1] - c[1] * g[0], g[0] + omega**2 * c[0], g[1] + omega**2 * c[1]])
        N, T = np.column_stack([np.zeros(3), OUT]), np.column_stack([radius * np.ones(3), AROUND])
        f_beta = -T.T @ rub / h
        con = np.array([omega + h * (f + f_beta)[0] / M_r, 0, 0])
        unc = np.array([omega, 0, 0]) + h * Mi @ f
        f_alpha = M @ (con - unc) / h - f_beta
        alpha = np.linalg.lstsq(N.T, -h * f_alpha, rcond=None)[0]
        wide = mu * np.abs(alpha)
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ (unc + h * Mi @ f_alpha), -wide, wide), "principal_pivoting").z
        return omega + h * (f - T.T @ beta / h)[0] / M_r

    def library(m, J, c, g, mu, radius, h, omega, rub):
        """From no friction at all."""
        around = np.column_stack([AROUND, np.zeros(3)])
        tangents = np.stack([around, np.tile([0.0, 0.0, 1.0], (3, 1))], axis=1)
        out = np.column_stack([OUT, np.zeros(3)])
        pin = Bearing(radius * out, out, mu, tangents)
        inertia = spatial_inertia(m, J * np.eye(3), np.append(c, 0))
        system = reduced.TreeSystem(
            reduced.Tree([reduced.Link("body", Revolute(), inertia)], gravity=[*g, 0])
        )
        state = State(q=[0.0], qdot=[omega])
        return reduced.bisp_step(system, state, h, {"body": pin}, tolerance=1e-10).state.qdot[0]

    oracle = "moments of momentum about the pin: the weight's, and that of friction forces around it"

    def reference(m, J, c, g, mu, radius, h, omega, rub):
        weight = (c[0] * g[1] - c[1] * g[0]) * m * h
        return omega + (weight - radius * sum(rub)) / (J + m * (c[0] ** 2 + c[1] ** 2))

    tolerance = 1e-8
    equivalent_mutants = {
        **dict.fromkeys(
            ("negated OUT in `[np.zeros(3), OUT]`", "dropped minus in `-h`"),
            "of the multipliers only the sizes are used",
        ),
        "filled np.zeros(3) at 0 in `[np.zeros(3), OUT]`": "pushes at equal angles around a pin add up to nothing",
    }
    verdict = Verdict.HOLDS
    remark = (
        r"Checked where friction is what Coulomb's law makes it, stuck and sliding: there the turn changes nothing. How "
        r"fast the turns come there is another matter. With the joints' forces held while (2.114) is solved with "
        r"$TM^{-1}T^\top$ they may take hundreds; the library has $TJ_{mr}M_r^{-1}J_{mr}^\top T^\top$."
    )
    implemented_by = BISP
    chapter = CHAPTER
