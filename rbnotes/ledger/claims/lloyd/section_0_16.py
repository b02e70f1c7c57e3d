"""Lloyd 0.16: a Gauss-Seidel friction iteration, for one tangential direction."""

from __future__ import annotations

import numpy as np

from rbnotes.complementarity import BoxLCP, solve
from rbnotes.constraints.sequential_impulses import friction_impulse
from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import nonzero_vectors, numbers, positive_numbers, spd_matrices, vectors

section = Section(
    "lloyd/s0.16",
    chapter="gauss-seidel",
    arguments={
        "D": Argument(
            NUMBER, "two tangents of the contact, as rows over the generalized coordinates of the system"
        ),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "impulse": Argument(MOMENTUM, "along the two tangents of the contact"),
        "v_t": Argument(VELOCITY),
        "w": Argument(INVERSE_MASS),
        "limit": Argument(MOMENTUM),
        "mu": Argument(NUMBER),
        "normal": Argument(MOMENTUM),
    },
)


SLIDING_ROW = {"v_t": numbers(-4, 4), "w": positive_numbers(), "limit": positive_numbers(0.0, 2.0)}
TANGENT = {"D": nonzero_vectors(12).map(lambda d: d.reshape(2, 6)), "v": vectors(6)}
TANGENT_IMPULSE = {**TANGENT, "M": spd_matrices(6), "impulse": vectors(2)}


def violation(phi, sigma, limit):
    """Return the largest violation of the signs and products of (0.6) as printed: one sigma for both limits."""
    above, below = phi + limit, limit - phi
    return max(-above, -sigma, -below, sigma, abs(above * sigma), abs(below * sigma))


def impulse_printed(v_t, w, limit):
    """Return the impulse of the first case that applies, from the top."""
    return np.select([v_t >= w * limit, v_t <= w * limit], [-limit, limit], -v_t / w)


@section.definition("d1", "Tangential velocities at a contact")
class d1:
    formula = r"\mathbf v_t = \mathbf D\mathbf v"
    defines = (r"\mathbf v_t",)
    implements = friction_impulse


@section.holds("d2", "Effect of a friction impulse on the tangential velocities")
class d2:
    formula = r"\Delta\mathbf v_t = w\,\boldsymbol\phi,\quad w \equiv \mathbf D\mathbf M^{-1}\mathbf D^T"
    any_size = True
    inputs = TANGENT_IMPULSE
    result = Result(VELOCITY, "along the two tangents of the contact")

    def printed(D, v, M, impulse):
        w = D @ np.linalg.inv(M) @ D.T
        return w @ impulse

    def library(D, v, M, impulse):
        none = 0 * M
        return D @ (linearly_implicit_velocity(M, v, D.T @ impulse, none, none, 1.0) - v)

    def reference(D, v, M, impulse):
        """Compare with the difference of the tangential velocities after and before the impulse.

        The velocity after the impulse follows from the momentum.
        """
        after = np.linalg.solve(M, M @ v + D.T @ impulse)
        return D @ after - D @ v

    implements = linearly_implicit_velocity


@section.definition("t720", "The largest friction impulse")
class t720:
    formula = r"\boldsymbol\phi_{max} \equiv \mu\lambda"
    inputs = {"mu": positive_numbers(0.0, 1.0), "normal": positive_numbers(), "w": positive_numbers()}
    result = Result(MOMENTUM)
    defines = (r"\boldsymbol\phi_{max}",)

    def printed(mu, normal, w):
        return mu * normal

    def library(mu, normal, w):
        """Return the size of the impulse on a contact that slides fast."""
        return abs(friction_impulse(-2 * w * mu * normal - 1, w, mu * normal))

    def reference(mu, normal, w):
        """Compare with the tangential part of a total impulse at the friction angle from the normal."""
        return normal / np.cos(np.arctan(mu)) * np.sin(np.arctan(mu))

    remark = (
        "The bound is for one direction. The two directions of a contact, each with this bound, "
        r"allow a total impulse of $\sqrt2\,\mu\lambda$, more than Coulomb's limit."
    )
    implements = friction_impulse


@section.erratum("d3", "The friction impulse of one direction")
class d3:
    formula = r"\boldsymbol\phi = \begin{cases} -\boldsymbol\phi_\text{max} & v_t \ge w\,\boldsymbol\phi_\text{max} \\ \boldsymbol\phi_\text{max} & v_t \le w\,\boldsymbol\phi_\text{max} \\ -v_t/w & \text{otherwise} \end{cases}"
    edit = (r"v_t \le w", r"v_t \le -w")
    inputs = SLIDING_ROW
    result = Result(MOMENTUM)
    printed = impulse_printed

    def library(v_t, w, limit):
        return friction_impulse(v_t, w, limit)

    def reference(v_t, w, limit):
        """Find the impulse within its limits with the least sliding speed.

        It is one of the limits, or the impulse that stops the sliding, interpolated between two impulses.
        """

        def velocity(phi):
            return v_t + w * phi

        stopping_impulse = velocity(0.0) / (velocity(0.0) - velocity(1.0))
        candidates = [phi for phi in (stopping_impulse, -limit, limit) if abs(phi) <= limit]
        return min(candidates, key=lambda phi: abs(velocity(phi)))

    exact = "both return a limit or the same quotient, each rounded once"

    correction = (
        r"The second case is for $v_t \le -w\,\boldsymbol\phi_\text{max}$. Each direction has a bound "
        "of its own, so that $w$ is a number."
    )
    remark = (
        "The first two cases cover everything as printed: there is no sticking, and the friction "
        "impulse on a slow body has the wrong direction."
    )
    effect = "A block at rest, with a friction coefficient of 0.3, slides at 0.03 m/s after a step of 10 ms."
    implements = friction_impulse


@section.erratum("t724", "The impulse agrees with box friction")
class t724:
    formula = r"\text{This is equivalent to the box friction conditions described in (0.6):}\quad0\le\boldsymbol\phi-\underline{\boldsymbol\phi}\perp\boldsymbol\sigma\ge0,\quad0\le\overline{\boldsymbol\phi}-\boldsymbol\phi\perp\boldsymbol\sigma\le0"
    inputs = SLIDING_ROW
    result = Result(MOMENTUM, "along the tangent, by each of the two forms")
    constants = (MASS, VELOCITY)

    def printed(v_t, w, limit):
        """Return the impulse, and the impulse plus its violation of (0.6).

        The sigma of (0.6) is the velocity after the impulse.
        """
        phi = impulse_printed(v_t, w, limit)
        sigma = v_t + w * phi
        return np.array([phi, phi + violation(phi, sigma, limit)])

    def library(v_t, w, limit):
        """Return the impulse by cases, and the impulse from the box LCP, which splits sigma by limit."""
        z = solve(BoxLCP(((w,),), (v_t,), -limit, limit)).z[0]
        return np.array([friction_impulse(v_t, w, limit), z])

    def reference(v_t, w, limit):
        """Find the fixed point of the projection onto the limits among them and the impulse that stops the sliding.

        Conditions (0.6) say that phi is the projection of phi - sigma onto the limits; its violation is zero.
        """

        def violation(phi):
            return abs(phi - np.clip(phi - (v_t + w * phi), -limit, limit))

        return np.full(2, min((-limit, limit, -v_t / w), key=violation))

    correction = (
        "The impulse agrees if the second case is corrected and if (0.6) has the two parts of "
        r"$\boldsymbol\sigma$ that it needs, a positive one at the lower limit and a negative one at "
        r"the upper limit. As printed, both conditions have the same $\boldsymbol\sigma$, which must "
        "then be zero, so that slipping is impossible. Each direction has a bound of its own."
    )
    replacement = r"One direction at a time, this is equivalent to the box friction conditions described in (0.6), $0 \le \boldsymbol\phi - \underline{\boldsymbol\phi} \perp \boldsymbol\sigma^+ \ge 0$ and $0 \le \overline{\boldsymbol\phi} - \boldsymbol\phi \perp \boldsymbol\sigma^- \ge 0$, with $\boldsymbol\sigma^+ - \boldsymbol\sigma^- = v_t + w\,\boldsymbol\phi$."
    remark = (
        "If two directions are coupled by a matrix $w$ that is not diagonal, the impulses of box "
        "friction need several iterations."
    )
    implements = (BoxLCP, friction_impulse)
