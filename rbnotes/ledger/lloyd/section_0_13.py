"""Lloyd 0.13: spring Jacobians formulated with stress, force per length.

The oracle is the force of the potentials: k (l - r)^2 / 2 for the linear spring and, for quadratic strain,
k r^2 epsilon^2 / 2, differentiated by complex steps.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step, jacobian
from rbnotes.checking.strategies import positive_numbers
from rbnotes.forces import (
    LinearStress,
    QuadraticStrain,
    length_gradient,
    length_hessian,
    path_force,
    path_length,
    stress,
)
from rbnotes.ledger.lloyd.section_0_12 import (
    POINTS,
    SPRING,
    by_first_point,
    distance,
    first_position_library,
    first_position_reference,
    first_tension,
    force_library,
    force_reference,
    geometry,
    identity,
    law,
    rate,
    smooth_rate,
    tension,
)
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "axial-springs"
MODULI = {"k": positive_numbers(), "r": positive_numbers()}
LENGTH = {"length": positive_numbers(), **MODULI}
NO_REST = {"x": POINTS["x"], "k": positive_numbers()}
ELASTIC = {"x": POINTS["x"], **MODULI}


def first_point_stiffness(spring, x):
    """df1/dx1 of a law without damping, by the library."""
    return path_force(spring, x, np.zeros((2, 3))).K[:3, :3]


def smooth_stress(x, v, k, d):
    return first_tension(x, v, k, d) / distance(x)


def linear_stress(length, k, r):
    return k * (length - r) / length


def linear_stress_reference(length, k, r):
    energy_slope = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    return energy_slope[0] / length


def stress_x1_library(x, k, r):
    L = path_length(x, np.zeros((2, 3))).L
    return stress(LinearStress(k, r), L).dsigma_dL * length_gradient(x)[:3]


def stress_x1_reference(x, k, r):
    return by_first_point(lambda z: linear_stress(distance(z), k, r), x)


def no_rest_length_library(x, k):
    return first_point_stiffness(LinearStress(k, 0.0), x)


def no_rest_length_reference(x, k):
    # The slope of the potential k l^2 / 2, twice.
    def energy(z):
        step = x[1] - z
        return k * (step @ step) / 2

    return -jacobian(lambda z: complex_step(energy, z), x[0]).value


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
    return by_first_point(lambda z: strain(distance(z), r), x)


TENSION = "rbnotes.forces.tension."
FORCE = "rbnotes.forces.path.path_force"
LINEAR = (TENSION + "LinearStress", FORCE)
QUADRATIC = (TENSION + "QuadraticStrain", FORCE)
COMPLEX_STEP = (
    "complex step of the force of a nonlinear spring that 0.12 d1 has checked against its potential"
)


@claim("lloyd/s0.13/d1", "Stress as force per length")
class d1:
    formula = r"\sigma(l,\dot l) = \frac{F(l,\dot l)}{l}"
    inputs = SPRING

    def library(x, v, k, d):
        return stress(law(k, d), *path_length(x, v)).sigma

    oracle = "the multiple of x2 - x1 that is the force of a potential and a dissipation function"

    def reference(x, v, k, d):
        # The multiple of x2 - x1 that is the force on the first point.
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force_reference(x, v, k, d)[0], rcond=None)
        return sigma

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.tension.stress",)
    chapter = CHAPTER


@claim("lloyd/s0.13/d2", "Force from stress")
class d2:
    formula = (
        r"\mathbf f_1 = \sigma(l,\dot l)\,\Delta\mathbf x,\quad "
        r"\Delta\mathbf x\equiv\mathbf x_2-\mathbf x_1"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        _, length = geometry(x)
        sigma = tension(length, rate(x, v), k, d) / length
        return sigma * (x[1] - x[0])

    def library(x, v, k, d):
        return force_library(x, v, k, d)[0]

    oracle = "complex step: minus the slopes of a potential of the distance and of a dissipation function"

    def reference(x, v, k, d):
        return force_reference(x, v, k, d)[0]

    verdict = Verdict.HOLDS
    remark = "The sentence below it means a two-node truss element, not a two-element truss node."
    implemented_by = (
        "rbnotes.forces.tension.stress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d3#a", "Product rule for stress times difference")
class d3_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} + \sigma\frac{\partial\Delta\mathbf "
        r"x}{\partial\mathbf x_1}"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        sigma_x1 = by_first_point(lambda z: smooth_stress(z, v, k, d), x)
        step_x1 = by_first_point(lambda z: z[1] - z[0], x)
        return np.outer(x[1] - x[0], sigma_x1) + smooth_stress(x, v, k, d) * step_x1

    library = first_position_library
    oracle = COMPLEX_STEP
    reference = first_position_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.tension.stress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d3#b", "Position Jacobian from the derivative of stress")
class d3_b:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} - \sigma\mathbf I"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        sigma_x1 = by_first_point(lambda z: smooth_stress(z, v, k, d), x)
        return np.outer(x[1] - x[0], sigma_x1) - smooth_stress(x, v, k, d) * identity

    library = first_position_library
    oracle = COMPLEX_STEP
    reference = first_position_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.tension.stress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d4", "Chain rule for stress")
class d4:
    formula = (
        r"\frac{\partial\sigma}{\partial\mathbf x_1} "
        r"= \frac{\partial\sigma}{\partial l}\frac{\partial l}{\partial\mathbf x_1} + "
        r"\frac{\partial\sigma}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        sigma_l, sigma_ldot = complex_step(
            lambda z: tension(z[0], z[1], k, d) / z[0], np.array([distance(x), rate(x, v)])
        )
        l_x1 = by_first_point(distance, x)
        ldot_x1 = by_first_point(lambda z: smooth_rate(z, v), x)
        return sigma_l * l_x1 + sigma_ldot * ldot_x1

    def library(x, v, k, d):
        _, sigma_L, sigma_Ldot = stress(law(k, d), *path_length(x, v))
        return (sigma_L * length_gradient(x) + sigma_Ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "complex step of the stress as a function of the two points"

    def reference(x, v, k, d):
        return by_first_point(lambda z: smooth_stress(z, v, k, d), x)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.tension.stress",)
    chapter = CHAPTER


@claim("lloyd/s0.13/t565", "The stress called linear")
class t565:
    formula = r"\sigma(l)\text{ is linear so that } \sigma(l) = k(l-r)/l"
    inputs = {"short": positive_numbers(0.25, 2.0), "longer": positive_numbers(2.0, 4.0), **MODULI}

    def printed(short, longer, k, r):
        return (linear_stress(short, k, r) + linear_stress(longer, k, r)) / 2

    def library(short, longer, k, r):
        return stress(LinearStress(k, r), (short + longer) / 2).sigma

    oracle = "slope of the energy k (l - r)^2 / 2 over the length, half-way between two lengths"

    def reference(short, longer, k, r):
        return linear_stress_reference((short + longer) / 2, k, r)

    verdict = Verdict.MISPRINT
    correction = r"The force $F = \sigma l = k(l-r)$ is linear in $l$; the stress $\sigma = k - kr/l$ is not."
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d5", "Stress of a linear spring")
class d5:
    formula = r"\sigma(l) = \frac{k(l-r)}{l}"
    inputs = LENGTH

    def library(length, k, r):
        return stress(LinearStress(k, r), length).sigma

    oracle = "slope of the energy k (l - r)^2 / 2 over the length"
    reference = linear_stress_reference
    verdict = Verdict.DEFINITION
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#a", "Derivative of the linear spring's stress, constant dropped")
class d6_a:
    formula = (
        r"\frac{\partial\sigma}{\partial l} = \frac{\partial}{\partial l}\Bigl(\frac{k(l-r)}{l}\Bigr) "
        r"= \frac{\partial}{\partial l}\Bigl(\frac{-kr}{l}\Bigr)"
    )
    inputs = LENGTH

    def printed(length, k, r):
        return complex_step(lambda z: -(k * r) / z[0], np.full(1, length))[0]

    def library(length, k, r):
        return stress(LinearStress(k, r), length).dsigma_dL

    oracle = "complex step of k (l - r) / l"

    def reference(length, k, r):
        return complex_step(lambda z: k * (z[0] - r) / z[0], np.array([length]))[0]

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.tension.stress",
        "rbnotes.forces.tension.LinearStress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#b", "Derivative of the linear spring's stress")
class d6_b:
    formula = r"\frac{\partial\sigma}{\partial l} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC

    def printed(x, k, r):
        u, length = geometry(x)
        sigma_l = -(k * r / length**2) * u
        l_x1 = -u
        return sigma_l * l_x1

    library = stress_x1_library
    oracle = (
        "complex step of the stress as a function of the first point, against the chain rule with the "
        "printed slope"
    )
    reference = stress_x1_reference
    verdict = Verdict.ERRATUM
    correction = (
        r"$\partial\sigma/\partial l = +kr/l^2$, a number; it is $\partial\sigma/\partial\mathbf x_1 = "
        r"(\partial\sigma/\partial l)(\partial l/\partial\mathbf x_1) = -(kr/l^2)\,\mathbf u^T$ that has "
        r"the printed value. All three $\partial/\partial l$ of the display should be "
        r"$\partial/\partial\mathbf x_1$."
    )
    remark = (
        r"Put into the chain rule above, the printed row meets $\partial l/\partial\mathbf x_1 = -\mathbf "
        r"u^T$ once more; array code multiplies the two entry by entry and goes on."
    )
    implemented_by = (
        "rbnotes.forces.tension.stress",
        "rbnotes.forces.tension.LinearStress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#c", "The printed right side, read as derivative with respect to the first point")
class d6_c:
    formula = r"\frac{\partial\sigma}{\partial\mathbf x_1} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC

    def printed(x, k, r):
        u, length = geometry(x)
        return -(k * r / length**2) * u

    library = stress_x1_library
    oracle = "complex step of the stress as a function of the first point"
    reference = stress_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.tension.stress",
        "rbnotes.forces.tension.LinearStress",
        FORCE,
    )
    chapter = CHAPTER


@claim("lloyd/s0.13/d7", "Position Jacobian of a linear spring, stress form")
class d7:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -\frac{kr}{l}\mathbf u\mathbf u^T - \sigma\mathbf I"
    )
    inputs = ELASTIC

    def printed(x, k, r):
        u, length = geometry(x)
        sigma = k * (length - r) / length
        return -(k * r / length) * np.outer(u, u) - sigma * identity

    def library(x, k, r):
        return first_point_stiffness(LinearStress(k, r), x)

    oracle = "complex step of the force k (l - r) along the spring"

    def reference(x, k, r):
        return by_first_point(lambda z: k * (distance(z) - r) * (z[1] - z[0]) / distance(z), x)

    verdict = Verdict.HOLDS
    remark = r"The same matrix as in 0.12.1: $-k\mathbf U_n - \sigma\mathbf U_p$ with $k - \sigma = kr/l$."
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d8", "Position Jacobian of a spring without rest length")
class d8:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf I"
    inputs = NO_REST

    def printed(x, k):
        return -k * identity

    library = no_rest_length_library
    oracle = "finite differences of the complex-step slope of k l^2 / 2"
    reference = no_rest_length_reference
    verdict = Verdict.HOLDS
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/t581", "Without rest length, 0.12.1 says the same")
class t581:
    formula = r"-k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p = -k\mathbf I \quad (r = 0)"
    inputs = NO_REST

    def printed(x, k):
        # 0.12.1 for r = 0.
        u, length = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        stretch = length
        return -k * U_n - (k * stretch / length) * U_p

    library = no_rest_length_library
    oracle = "finite differences of the complex-step slope of k l^2 / 2"
    reference = no_rest_length_reference
    verdict = Verdict.HOLDS
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d9", "Quadratic strain")
class d9:
    formula = r"\varepsilon = \frac12\Bigl(\frac{l^2 - r^2}{r^2}\Bigr)"
    inputs = LENGTH

    def library(length, k, r):
        return QuadraticStrain(k, r).strain(length)

    oracle = "Green's strain of the affine map of the rest length onto the segment"

    def reference(length, k, r):
        # Green's strain (C - 1) / 2 of the map of [0, r] onto a segment of that length.
        ends = np.array([[0.3, -0.2, 0.5], [0.3, -0.2, 0.5] + length * np.array([2.0, 1.0, -2.0]) / 3])
        gradient = np.polyfit([0.0, r], ends, 1)[0]
        return (gradient @ gradient - 1) / 2

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.tension.QuadraticStrain.strain",)
    chapter = CHAPTER


@claim("lloyd/s0.13/d10", "Stress from quadratic strain")
class d10:
    formula = r"\sigma = k\varepsilon"
    inputs = ELASTIC

    def library(x, k, r):
        return stress(QuadraticStrain(k, r), path_length(x, np.zeros((2, 3))).L).sigma

    oracle = "force of the energy k r^2 epsilon^2 / 2 (complex step), divided by x2 - x1"

    def reference(x, k, r):
        force = -complex_step(lambda z: quadratic_energy(z, x, k, r), x[0])
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force, rcond=None)
        return sigma

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

    def printed(x, k, r):
        _, length = geometry(x)
        return (length / r**2) * by_first_point(distance, x)

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

    def printed(x, k, r):
        _, length = geometry(x)
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

    verdict = Verdict.HOLDS
    implemented_by = QUADRATIC
    chapter = CHAPTER


@claim("lloyd/s0.13/t599", "Material and geometric stiffness")
class t599:
    formula = (
        r"-\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T\text{: material},\quad "
        r"-\sigma\mathbf I\text{: geometric}"
    )
    inputs = ELASTIC

    def printed(x, k, r):
        _, length = geometry(x)
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

    verdict = Verdict.HOLDS
    remark = (
        r"This split belongs to quadratic strain. With the length itself as strain, the halves are "
        r"$-(\partial F/\partial l)\mathbf U_n$ and $-(F/l)\mathbf U_p$; only the sum is the same."
    )
    implemented_by = (
        "rbnotes.forces.tension.stress",
        "rbnotes.forces.tension.QuadraticStrain",
        FORCE,
    )
    chapter = CHAPTER
