"""Lloyd 0.13: stress that is linear in quadratic strain. The oracle is the energy k r^2 epsilon^2 / 2."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import QuadraticStrain, length_gradient, path_length, stress
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import identity
from rbnotes.ledger.claims.lloyd.section_0_13 import (
    CHAPTER,
    ELASTIC,
    FORCE,
    LENGTH,
    STRESS,
    TENSION,
    first_point_stiffness,
)
from rbnotes.ledger.oracles.springs import distance, first_point_derivative, first_point_difference
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, jacobian

QUADRATIC = (STRESS, TENSION + "QuadraticStrain")


def strain(length, r):
    return (length**2 / r**2 - 1) / 2


def quadratic_energy(first, x, k, r):
    step = x[1] - first
    return k * r**2 * strain(np.sqrt(step @ step), r) ** 2 / 2


def strain_x1_library(x, k, r):
    return (
        stress(QuadraticStrain(1.0, r), path_length(x, np.zeros((2, 3))).L).dsigma_dL * length_gradient(x)[:3]
    )


def strain_x1_reference(x, k, r):
    return first_point_difference(lambda z: strain(distance(z), r), x)


@claim("lloyd/s0.13/d9", "Quadratic strain")
class d9:
    formula = r"\varepsilon = \frac12\Bigl(\frac{l^2 - r^2}{r^2}\Bigr)"
    inputs = LENGTH
    quantities = {"k": units.STIFFNESS}
    result = units.NUMBER

    def printed(length, k, r):
        return 1 / 2 * ((length**2 - r**2) / r**2)

    def library(length, k, r):
        return QuadraticStrain(k, r).strain(length)

    oracle = "Green's strain of the affine map of the rest length onto the segment"

    def reference(length, k, r):
        # Green's strain (C - 1) / 2 of the map of [0, r] onto a segment of that length.
        ends = np.array([[0.3, -0.2, 0.5], [0.3, -0.2, 0.5] + length * np.array([2.0, 1.0, -2.0]) / 3])
        gradient = np.polyfit([0.0, r], ends, 1)[0]
        return (gradient @ gradient - 1) / 2

    defines = (r"\varepsilon",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.tension.QuadraticStrain.strain",)
    chapter = CHAPTER


@claim("lloyd/s0.13/d10", "Stress from quadratic strain")
class d10:
    formula = r"\sigma = k\varepsilon"
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k, r):
        length = distance(x)
        return k * ((length**2 - r**2) / r**2) / 2

    def library(x, k, r):
        return stress(QuadraticStrain(k, r), path_length(x, np.zeros((2, 3))).L).sigma

    oracle = "force of the energy k r^2 epsilon^2 / 2 (complex step), divided by x2 - x1"

    def reference(x, k, r):
        force = -complex_step(lambda z: quadratic_energy(z, x, k, r), x[0])
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force, rcond=None)
        return sigma

    defines = (r"\sigma",)
    verdict = Verdict.DEFINITION
    implemented_by = QUADRATIC
    chapter = CHAPTER


@claim("lloyd/s0.13/d11#a", "Derivative of quadratic strain, chain rule")
class d11_a:
    formula = (
        r"\frac{\partial\varepsilon}{\partial\mathbf x_1} "
        r"= \frac{l}{r^2}\frac{\partial l}{\partial\mathbf x_1}"
    )
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.NUMBER / units.LENGTH

    def printed(x, k, r):
        length = distance(x)
        return (length / r**2) * first_point_derivative(distance, x)

    library = strain_x1_library
    oracle = "complex step of the strain"
    reference = strain_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = QUADRATIC
    chapter = CHAPTER


@claim("lloyd/s0.13/d11#b", "Derivative of quadratic strain")
class d11_b:
    formula = r"\frac{\partial\varepsilon}{\partial\mathbf x_1} = -\frac{1}{r^2}\Delta\mathbf x^T"
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.NUMBER / units.LENGTH

    def printed(x, k, r):
        return -(1 / r**2) * (x[1] - x[0])

    library = strain_x1_library
    oracle = "complex step of the strain"
    reference = strain_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = QUADRATIC
    chapter = CHAPTER


@claim("lloyd/s0.13/d12", "Position Jacobian with quadratic strain")
class d12:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T - \sigma\mathbf I"
    )
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k, r):
        length = distance(x)
        sigma = k * ((length**2 - r**2) / r**2) / 2
        step = x[1] - x[0]
        return -(k / r**2) * np.outer(step, step) - sigma * identity

    def library(x, k, r):
        return first_point_stiffness(QuadraticStrain(k, r), x)

    oracle = "finite differences of the complex-step slope of the energy k r^2 epsilon^2 / 2"

    def reference(x, k, r):
        return -jacobian(
            lambda first: complex_step(lambda z: quadratic_energy(z, x, k, r), first), x[0]
        ).value

    equivalent_mutants = {"swapped operands in `x[1] - x[0]`": "the step stands twice"}
    verdict = Verdict.HOLDS
    implemented_by = (TENSION + "QuadraticStrain", FORCE)
    chapter = CHAPTER


@claim("lloyd/s0.13/t599", "Material and geometric stiffness")
class t599:
    formula = (
        r"-\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T\text{: material},\quad "
        r"-\sigma\mathbf I\text{: geometric}"
    )
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k, r):
        length = distance(x)
        sigma = k * ((length**2 - r**2) / r**2) / 2
        step = x[1] - x[0]
        material = -(k / r**2) * np.outer(step, step)
        geometric = -sigma * identity
        return np.array([material, geometric])

    def library(x, k, r):
        step = x[1] - x[0]
        L = path_length(x, np.zeros((2, 3))).L
        sigma, sigma_L, _ = stress(QuadraticStrain(k, r), L)
        return np.array([-sigma_L / L * np.outer(step, step), -sigma * identity])

    oracle = (
        "the two halves of the Hessian of k r^2 epsilon^2 / 2: strain slopes with the modulus "
        "(material), strain curvature with the stress (geometric)"
    )

    def reference(x, k, r):
        # The Hessian of k r^2 epsilon^2 / 2: the strain's slopes with the modulus, its curvature with the stress.
        def gradient(first):
            return complex_step(lambda z: strain(distance(np.array([z, x[1] + 0 * z])), r), first)

        slope, curvature = gradient(x[0]), jacobian(gradient, x[0]).value
        return -k * r**2 * np.array([np.outer(slope, slope), strain(distance(x), r) * curvature])

    equivalent_mutants = {"swapped operands in `x[1] - x[0]`": "the step stands twice"}
    verdict = Verdict.HOLDS
    remark = (
        r"This split belongs to quadratic strain. With the length itself as strain, the halves are "
        r"$-(\partial F/\partial l)\mathbf U_n$ and $-(F/l)\mathbf U_p$; only the sum is the same."
    )
    implemented_by = QUADRATIC
    chapter = CHAPTER
