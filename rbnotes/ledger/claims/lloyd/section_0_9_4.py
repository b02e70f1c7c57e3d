"""Lloyd 0.9.4: the scheme of Bridson and Marino, for nonlinear forces."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, bridson_marino, constrained_step, mechanical_system
from rbnotes.ledger.claims.lloyd.section_0_9_2 import NONLINEAR_FORCES, STEP, nonlinear_system, stack_state
from rbnotes.ledger.oracles.integration import (
    half_step_velocity,
    midpoint_acceleration_positions,
    trapezoidal_velocity,
)
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force
from rbnotes.ledger.quantities import DAMPING, FORCE, LENGTH, MASS, STIFFNESS, TIME, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "lloyd/s0.9.4",
    chapter="time-stepping",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
        "K": Argument(STIFFNESS, "in the generalized coordinates of the system (arbitrary)"),
        "D": Argument(DAMPING, "in the generalized coordinates of the system (arbitrary)"),
        "x": Argument(LENGTH, "in the generalized coordinates of the system (arbitrary)"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "h": Argument(TIME),
    },
)


def halfway_reference(M, f, K, D, x, v, h):
    """Take the first Newton step of implicit Euler over half the step at fixed positions."""
    return half_step_velocity(M, nonlinear_force(f, K, D, x, v), x, v, h)


def position_reference(M, f, K, D, x, v, h):
    """Add the displacement by the constant acceleration of the half step to free motion."""
    return midpoint_acceleration_positions(M, nonlinear_force(f, K, D, x, v), x, v, h)


def velocity_reference(M, f, K, D, x, v, h):
    """Take one Newton step of the trapezoidal rule in the velocities at known positions.

    The derivatives are those of the first half.
    """
    force = nonlinear_force(f, K, D, x, v)
    x1 = midpoint_acceleration_positions(M, force, x, v, h)
    return trapezoidal_velocity(M, force, x, x1, v, h)


@section.holds("d1", "The intermediate velocity")
class d1:
    formula = r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^{k+1/2} = \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^k + \tfrac h2\mathbf f^k"
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        return np.linalg.solve(M - h / 2 * D, (M - h / 2 * D) @ v + h / 2 * f)

    def library(M, f, K, D, x, v, h):
        return (bridson_marino(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h).q - x) / h

    reference = halfway_reference
    tolerance = 1e-08
    primitives = NONLINEAR_FORCES
    implements = bridson_marino


@section.definition("t330", "The intermediate velocity is modified to satisfy constraints")
class t330:
    formula = r"\dot{\mathbf x}^{k+1/2}\text{, modified to satisfy constraints}"
    remark = "An impulse along the constraint rows modifies it, as in section 0.10."
    implements = constrained_step


@section.holds("d2", "The new positions")
class d2:
    formula = r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1/2}"
    inputs = STEP
    result = Result(LENGTH, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        return x + h * half_step_velocity(M, nonlinear_force(f, K, D, x, v), x, v, h)

    def library(M, f, K, D, x, v, h):
        return bridson_marino(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h).q

    reference = position_reference
    primitives = NONLINEAR_FORCES
    implements = bridson_marino


@section.misprint("t334", "The force with the new positions and the old velocities")
class t334:
    formula = r"\mathbf f' \equiv \mathbf f(\dot{\mathbf x}^k, \mathbf x^{k+1})"
    inputs = STEP
    result = Result(FORCE, SYSTEM_COORDINATES)
    constants = (LENGTH, TIME, FORCE)

    def printed(M, f, K, D, x, v, h):
        force = nonlinear_force(f, K, D, x, v)  # f(x, xdot), as introduced in 0.9
        return force(v, midpoint_acceleration_positions(M, force, x, v, h))

    def library(M, f, K, D, x, v, h):
        """Return the momentum of the whole step without the part of the force at its start."""
        w = bridson_marino(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h).qdot
        return 2 / h * (M - h / 2 * D) @ (w - v) - f

    def reference(M, f, K, D, x, v, h):
        """Add to the force at the start its change up to the new positions, by quadrature.

        The integrand is the derivative of the force along the way.
        """
        force = nonlinear_force(f, K, D, x, v)
        displacement = midpoint_acceleration_positions(M, force, x, v, h) - x
        nodes, weights = np.polynomial.legendre.leggauss(24)
        derivatives = [
            complex_step(lambda t, s=(node + 1) / 2: force(x + (s + t[0]) * displacement, v), np.zeros(1))[
                :, 0
            ]
            for node in nodes
        ]
        return f + np.array(weights) / 2 @ derivatives

    tolerance = 1e-08
    correction = r"$\mathbf f(\mathbf x^{k+1}, \dot{\mathbf x}^k)$: section 0.9 has the positions first."
    replacement = r"We can then determine $\mathbf f^\prime \equiv \mathbf f(\mathbf x^{k+1},\dot{\mathbf x}^k)$, and use this to solve for $\dot{\mathbf x}^{k+1}$:"
    primitives = NONLINEAR_FORCES
    implements = bridson_marino


@section.holds("d3", "The new velocities")
class d3:
    formula = r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^{k+1} = \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^k + \tfrac h2(\mathbf f^k + \mathbf f')"
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)
    constants = (LENGTH, TIME, FORCE)

    def printed(M, f, K, D, x, v, h):
        force = nonlinear_force(f, K, D, x, v)
        f1 = force(midpoint_acceleration_positions(M, force, x, v, h), v)
        return np.linalg.solve(M - h / 2 * D, (M - h / 2 * D) @ v + h / 2 * (f + f1))

    def library(M, f, K, D, x, v, h):
        return bridson_marino(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h).qdot

    reference = velocity_reference
    remark = (
        r"This uses the corrected $\mathbf f'$ and its derivative at the start, which differs from the "
        "derivative at the new positions by $O(h)$."
    )
    primitives = NONLINEAR_FORCES
    implements = bridson_marino


@section.holds("t338", "The position Jacobian is not used")
class t338:
    formula = r"\frac{\partial\mathbf f}{\partial\mathbf x}\text{ is used neither for } \mathbf x^{k+1}\text{ nor for }\dot{\mathbf x}^{k+1}"
    inputs = STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )
    constants = (LENGTH, TIME, FORCE)

    def printed(M, f, K, D, x, v, h):
        """Take both halves of the step with the force and its velocity Jacobian alone."""
        force = nonlinear_force(f, K, D, x, v)
        half = M - h / 2 * D
        x1 = x + h * np.linalg.solve(half, half @ v + h / 2 * force(x, v))
        v1 = np.linalg.solve(half, half @ v + h / 2 * (force(x, v) + force(x1, v)))
        return np.concatenate([x1, v1])

    def library(M, f, K, D, x, v, h):
        """Take the step of a system whose position Jacobian is wrong."""
        system = mechanical_system(M, nonlinear_force(f, K, D, x, v), lambda y, u: 1e3 * M, lambda y, u: D)
        return stack_state(bridson_marino(system, State(q=x, qdot=v), h))

    def reference(M, f, K, D, x, v, h):
        """Solve the equations of both halves for positions and velocities."""
        force = nonlinear_force(f, K, D, x, v)
        x1 = midpoint_acceleration_positions(M, force, x, v, h)
        return np.concatenate([x1, trapezoidal_velocity(M, force, x, x1, v, h)])

    tolerance = 1e-08
    primitives = NONLINEAR_FORCES
    implements = bridson_marino
