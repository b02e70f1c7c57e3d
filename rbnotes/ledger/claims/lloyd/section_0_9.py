"""Lloyd 0.9: purpose of the integrators."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, bridson_marino, implicit_euler, symplectic_euler, trapezoidal
from rbnotes.ledger.claims.lloyd.section_0_9_2 import NONLINEAR_FORCES, STEP, nonlinear_system
from rbnotes.ledger.oracles.integration import (
    implicit_euler_equations,
    midpoint_acceleration_positions,
    newton_step,
    trapezoidal_equations,
    trapezoidal_velocity,
)
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force
from rbnotes.ledger.quantities import (
    ACCELERATION,
    DAMPING,
    FORCE,
    LENGTH,
    MASS,
    STIFFNESS,
    VELOCITY,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section

section = Section(
    "lloyd/s0.9",
    chapter="time-stepping",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
        "K": Argument(STIFFNESS, "in the generalized coordinates of the system (arbitrary)"),
        "D": Argument(DAMPING, "in the generalized coordinates of the system (arbitrary)"),
        "x": Argument(LENGTH, "in the generalized coordinates of the system (arbitrary)"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
    },
)


def derivative_from_above(ends, initial_state):
    """Return the derivative of the final state with respect to h at h = 0, extrapolated from steps of five sizes."""
    sizes = np.arange(1, 6) / 4096
    weights = [np.prod([t / (t - s) for t in sizes if t != s]) for s in sizes]
    return sum(weight * (ends(s) - initial_state) / s for weight, s in zip(weights, sizes, strict=True))


@section.holds("t269", "The schemes approximate the evolution in time")
class t269:
    formula = r"\frac{d}{dh}\bigl(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1}\bigr)\Big|_{h=0} = \bigl(\dot{\mathbf x}^k, \mathbf M^{-1}\mathbf f^k\bigr)\quad\text{for each of the four}"
    inputs = {name: strategy for name, strategy in STEP.items() if name != "h"}
    result = Result(
        stacked_quantity(stacked_quantity(VELOCITY, ACCELERATION)),
        (
            "rates of positions and of velocities for each of the schemes (symplectic Euler, implicit "
            "Euler, trapezoidal, Bridson and Marino), in the generalized coordinates of the system"
        ),
    )

    def printed(M, f, K, D, x, v):
        return np.array(4 * [[v, np.linalg.inv(M) @ f]])

    def library(M, f, K, D, x, v):
        system = nonlinear_system(M, f, K, D, x, v)

        def ends(h):
            schemes = symplectic_euler, implicit_euler, trapezoidal, bridson_marino
            after = [scheme(system, State(q=x, qdot=v), h) for scheme in schemes]
            return np.array([[each.q, each.qdot] for each in after])

        return derivative_from_above(ends, np.array([x, v]))

    def reference(M, f, K, D, x, v):
        """Extrapolate the rates of change over small steps to zero step size.

        The result of each step follows from the equations that define its scheme.
        """

        def ends(h):
            new_velocity = v + h * acceleration
            implicit, mean = (
                newton_step(equations(M, force, x, v)(h), np.concatenate([x, v]))
                for equations in (implicit_euler_equations, trapezoidal_equations)
            )
            x1 = midpoint_acceleration_positions(M, force, x, v, h)
            midpoint_step = x1, trapezoidal_velocity(M, force, x, x1, v, h)
            return np.array(
                [
                    [x + h * new_velocity, new_velocity],
                    np.split(implicit, 2),
                    np.split(mean, 2),
                    midpoint_step,
                ]
            )

        force, acceleration = nonlinear_force(f, K, D, x, v), np.linalg.lstsq(M, f, rcond=None)[0]
        sizes = np.arange(1, 6) / 4096
        quotients = [((ends(s) - [x, v]) / s).ravel() for s in sizes]
        return np.polynomial.polynomial.polyfit(sizes / sizes[-1], quotients, 4)[0].reshape(4, 2, len(x))

    tolerance_reason = "both sides are extrapolated from steps of five sizes"
    primitives = NONLINEAR_FORCES
    remark = (
        "Each scheme therefore converges: the first two with first order in the step, the last "
        "two with second order, as measured in the chapter. The mass matrix is constant; if it depends "
        r"on $\mathbf x$, $\mathbf f$ also contains the bias forces."
    )
    implements = (symplectic_euler, implicit_euler, trapezoidal, bridson_marino)
