"""Lloyd 0.11: energy and force of a softened constraint."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints.soft_constraints import soft_energy, soft_force
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_11 import FORCE, IDENTITY, ROWS, K, N
from rbnotes.ledger.oracles.soft_constraints import curved_constraint, elastic_work, soft_multiplier
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import spd_matrices, vectors

DAMPED = {"phi": vectors(K), "rate": vectors(K), "alpha": spd_matrices(K), "dampers": spd_matrices(K)}


ENERGY = {"q": vectors(N), "alpha": spd_matrices(K)}


QUANTITIES = {
    "alpha": units.NUMBER / units.STIFFNESS,
    "beta": units.TIME,
    "dampers": units.DAMPING,
    "phi": units.LENGTH,
    "q": units.NUMBER,
    "rate": units.VELOCITY,
}


@claim("lloyd/s0.11/d1", "Potential energy of a softened constraint")
class d1:
    formula = r"U(\mathbf q) = \tfrac12\boldsymbol\phi^T\boldsymbol\alpha^{-1}\boldsymbol\phi"
    inputs = {"phi": vectors(K), "alpha": spd_matrices(K)}
    result = units.ENERGY

    def printed(phi, alpha):
        return 1 / 2 * phi @ np.linalg.inv(alpha) @ phi

    def library(phi, alpha):
        return soft_energy(phi, alpha)

    oracle = "work against linear springs of inverse stiffness alpha, by quadrature"
    reference = elastic_work
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.soft_constraints.soft_energy",)
    chapter = "regularization"


@claim("lloyd/s0.11/d2", "Force of a softened constraint")
class d2:
    formula = (
        r"\mathbf f_c = -\frac{\partial U}{\partial\mathbf q} "
        r"= -\mathbf G^T\boldsymbol\alpha^{-1}\boldsymbol\phi = \mathbf G^T\boldsymbol\lambda,\quad "
        r"\boldsymbol\lambda\equiv-\boldsymbol\alpha^{-1}\boldsymbol\phi"
    )
    inputs = ENERGY
    quantities = {"alpha": units.NUMBER / units.ENERGY}
    result = units.TORQUE

    def printed(q, alpha):
        """The third expression above the last one."""
        G, phi = complex_step(curved_constraint, q), curved_constraint(q)
        multiplier = -np.linalg.inv(alpha) @ phi
        return np.stack([-G.T @ np.linalg.inv(alpha) @ phi, G.T @ multiplier])

    def library(q, alpha):
        G = complex_step(curved_constraint, q)
        force = G.T @ soft_force(curved_constraint(q), np.zeros(K), alpha)
        return np.stack([force, force])

    oracle = "slope of the work, by complex steps, for two curved constraint functions"

    def reference(q, alpha):
        force = -complex_step(lambda y: elastic_work(curved_constraint(y), alpha), q)
        return np.array([force, force])

    verdict = Verdict.HOLDS
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/e0.7", "The multiplier with damping")
class e0_7:
    formula = (
        r"\boldsymbol\lambda = -\boldsymbol\alpha^{-1}"
        r"(\boldsymbol\phi + \boldsymbol\beta\dot{\boldsymbol\phi})"
    )
    inputs = DAMPED
    result = units.FORCE

    def printed(phi, rate, alpha, dampers):
        beta = alpha @ dampers
        return -np.linalg.inv(alpha) @ (phi + beta @ rate)

    def library(phi, rate, alpha, dampers):
        return soft_force(phi, rate, alpha, alpha @ dampers)

    oracle = (
        "minus the slopes of the springs' work and of half the power that dampers with the coefficients "
        "alpha^-1 beta dissipate, by complex steps"
    )
    reference = soft_multiplier
    equivalent_mutants = {
        "swapped operands in `-np.linalg.inv(alpha) @ (phi + beta @ rate)`": (
            "alpha is symmetric, and so is its inverse"
        )
    }
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/t432", "The full damping term")
class t432:
    formula = (
        r"-\partial\boldsymbol\lambda/\partial\dot{\boldsymbol\phi} "
        r"= \boldsymbol\alpha^{-1}\boldsymbol\beta"
    )
    inputs = {name: ROWS[name] for name in ("phi", "alpha", "beta")}
    result = units.DAMPING

    def printed(phi, alpha, beta):
        return np.linalg.inv(alpha) @ beta

    def library(phi, alpha, beta):
        at_rest = soft_force(phi, np.zeros(K), alpha, beta)
        return np.stack([at_rest - soft_force(phi, unit, alpha, beta) for unit in IDENTITY], axis=1)

    oracle = "the balance of both sides, alpha lambda = -(phi + beta dphi/dt), along each unit rate"

    def reference(phi, alpha, beta):
        def balanced(rate):
            error = phi + sum(column * part for column, part in zip(beta.T, rate, strict=True))
            return np.linalg.lstsq(alpha, error, rcond=None)[0]

        return np.stack([balanced(unit) - balanced(0 * unit) for unit in IDENTITY], axis=1)

    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"
