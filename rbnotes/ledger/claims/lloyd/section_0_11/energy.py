"""Lloyd 0.11: energy and force of a softened constraint."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints.soft_constraints import soft_energy, soft_force
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_11 import section
from rbnotes.ledger.claims.lloyd.section_0_11.rows import ROWS, K, N
from rbnotes.ledger.oracles.soft_constraints import (
    curved_constraint,
    elastic_work,
    soft_multiplier,
)
from rbnotes.ledger.quantities import (
    DAMPING,
    FORCE,
    NUMBER,
    TORQUE,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import (
    spd_matrices,
    vectors,
)

DAMPED_ROWS = {"phi": vectors(K), "rate": vectors(K), "alpha": spd_matrices(K), "dampers": spd_matrices(K)}


ENERGY = {"q": vectors(N), "alpha": spd_matrices(K)}


@section.holds("d1", "Potential energy of a softened constraint")
class d1:
    formula = r"U(\mathbf q) = \tfrac12\boldsymbol\phi^T\boldsymbol\alpha^{-1}\boldsymbol\phi"
    any_size = True
    inputs = {"phi": vectors(K), "alpha": spd_matrices(K)}
    result = Result(units.ENERGY, "one for each constraint")

    def printed(phi, alpha):
        return 1 / 2 * phi @ np.linalg.inv(alpha) @ phi

    def library(phi, alpha):
        return soft_energy(phi, alpha)

    oracle = "Compare with the work against linear springs of inverse stiffness alpha, by quadrature."
    reference = elastic_work
    implements = soft_energy


@section.holds("d2", "Force of a softened constraint")
class d2:
    formula = r"\mathbf f_c = -\frac{\partial U}{\partial\mathbf q} = -\mathbf G^T\boldsymbol\alpha^{-1}\boldsymbol\phi = \mathbf G^T\boldsymbol\lambda,\quad \boldsymbol\lambda\equiv-\boldsymbol\alpha^{-1}\boldsymbol\phi"
    inputs = ENERGY
    arguments = {"alpha": Argument(NUMBER / TORQUE, "one for each constraint")}
    result = Result(TORQUE, "the force, by phi and by the multipliers: the same row twice")

    def printed(q, alpha):
        """Return the last two of the printed expressions."""
        G, phi = complex_step(curved_constraint, q), curved_constraint(q)
        multiplier = -np.linalg.inv(alpha) @ phi
        return np.stack([-G.T @ np.linalg.inv(alpha) @ phi, G.T @ multiplier])

    def library(q, alpha):
        G = complex_step(curved_constraint, q)
        force = G.T @ soft_force(curved_constraint(q), np.zeros(K), alpha)
        return np.stack([force, force])

    def reference(q, alpha):
        """Differentiate the work by complex steps, for two nonlinear constraint functions."""
        force = -complex_step(lambda y: elastic_work(curved_constraint(y), alpha), q)
        return np.array([force, force])

    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implements = soft_force


@section.holds("e0.7", "The multiplier with damping")
class e0_7:
    formula = r"\boldsymbol\lambda = -\boldsymbol\alpha^{-1}(\boldsymbol\phi + \boldsymbol\beta\dot{\boldsymbol\phi})"
    any_size = True
    inputs = DAMPED_ROWS
    result = Result(FORCE, "one for each constraint")

    def printed(phi, rate, alpha, dampers):
        beta = alpha @ dampers
        return -np.linalg.inv(alpha) @ (phi + beta @ rate)

    def library(phi, rate, alpha, dampers):
        return soft_force(phi, rate, alpha, alpha @ dampers)

    oracle = (
        "Compare with the negative gradients, by complex steps, of the work of the springs and of half the "
        "power dissipated by dampers with the coefficients alpha^-1 beta."
    )
    reference = soft_multiplier
    implements = soft_force


@section.holds("t432", "The full damping term")
class t432:
    formula = (
        r"-\partial\boldsymbol\lambda/\partial\dot{\boldsymbol\phi} = \boldsymbol\alpha^{-1}\boldsymbol\beta"
    )
    any_size = True
    inputs = {name: ROWS[name] for name in ("phi", "alpha", "beta")}
    result = Result(DAMPING, "a row and a column for each constraint")

    def printed(phi, alpha, beta):
        return np.linalg.inv(alpha) @ beta

    def library(phi, alpha, beta):
        at_rest = soft_force(phi, 0 * phi, alpha, beta)
        return np.stack([at_rest - soft_force(phi, unit, alpha, beta) for unit in np.eye(len(phi))], axis=1)

    def reference(phi, alpha, beta):
        """Solve the balance alpha lambda = -(phi + beta dphi/dt) for each unit rate."""

        def solve_balance(rate):
            error = phi + sum(column * part for column, part in zip(beta.T, rate, strict=True))
            return np.linalg.lstsq(alpha, error, rcond=None)[0]

        return np.stack([solve_balance(unit) - solve_balance(0 * unit) for unit in np.eye(len(phi))], axis=1)

    implements = soft_force
