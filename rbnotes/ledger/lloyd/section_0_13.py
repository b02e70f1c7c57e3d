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
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "axial-springs"
MODULI = {"k": positive_numbers(), "r": positive_numbers()}
LENGTH = {"length": positive_numbers(), **MODULI}
NO_REST = {"x": POINTS["x"], "k": positive_numbers()}
ELASTIC = {"x": POINTS["x"], **MODULI}


def first_point_stiffness(spring, x):
    """df1/dx1 of a law without damping, by the library."""
    return path_force(spring, x, np.zeros((2, 3))).K[:3, :3]


# --- any stress -----------------------------------------------------------------------------------------


def stress_library(x, v, k, d):
    return stress(law(k, d), *path_length(x, v)).sigma


def stress_reference(x, v, k, d):
    # The multiple of x2 - x1 that is the force on the first point.
    (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force_reference(x, v, k, d)[0], rcond=None)
    return sigma


def force_printed(x, v, k, d):
    _, length = geometry(x)
    sigma = tension(length, rate(x, v), k, d) / length
    return sigma * (x[1] - x[0])


def first_force_library(x, v, k, d):
    return force_library(x, v, k, d)[0]


def first_force_reference(x, v, k, d):
    return force_reference(x, v, k, d)[0]


def smooth_stress(x, v, k, d):
    return first_tension(x, v, k, d) / distance(x)


def product_printed(x, v, k, d):
    sigma_x1 = by_first_point(lambda z: smooth_stress(z, v, k, d), x)
    step_x1 = by_first_point(lambda z: z[1] - z[0], x)
    return np.outer(x[1] - x[0], sigma_x1) + smooth_stress(x, v, k, d) * step_x1


def jacobian_printed(x, v, k, d):
    sigma_x1 = by_first_point(lambda z: smooth_stress(z, v, k, d), x)
    return np.outer(x[1] - x[0], sigma_x1) - smooth_stress(x, v, k, d) * identity


def chain_printed(x, v, k, d):
    sigma_l, sigma_ldot = complex_step(
        lambda z: tension(z[0], z[1], k, d) / z[0], np.array([distance(x), rate(x, v)])
    )
    l_x1 = by_first_point(distance, x)
    ldot_x1 = by_first_point(lambda z: smooth_rate(z, v), x)
    return sigma_l * l_x1 + sigma_ldot * ldot_x1


def chain_library(x, v, k, d):
    _, sigma_L, sigma_Ldot = stress(law(k, d), *path_length(x, v))
    return (sigma_L * length_gradient(x) + sigma_Ldot * (length_hessian(x) @ v.ravel()))[:3]


def chain_reference(x, v, k, d):
    return by_first_point(lambda z: smooth_stress(z, v, k, d), x)


# --- the linear spring ----------------------------------------------------------------------------------


def linear_stress(length, k, r):
    return k * (length - r) / length


def linear_stress_library(length, k, r):
    return stress(LinearStress(k, r), length).sigma


def linear_stress_reference(length, k, r):
    energy_slope = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    return energy_slope[0] / length


def middle_printed(short, longer, k, r):
    return (linear_stress(short, k, r) + linear_stress(longer, k, r)) / 2


def middle_library(short, longer, k, r):
    return stress(LinearStress(k, r), (short + longer) / 2).sigma


def middle_reference(short, longer, k, r):
    return linear_stress_reference((short + longer) / 2, k, r)


def slope_printed(length, k, r):
    return complex_step(lambda z: -(k * r) / z[0], np.full(1, length))[0]


def slope_library(length, k, r):
    return stress(LinearStress(k, r), length).dsigma_dL


def slope_reference(length, k, r):
    return complex_step(lambda z: k * (z[0] - r) / z[0], np.array([length]))[0]


def stress_x1_printed(x, k, r):
    u, length = geometry(x)
    sigma_l = -(k * r / length**2) * u
    l_x1 = -u
    return sigma_l * l_x1


def stress_x1_library(x, k, r):
    L = path_length(x, np.zeros((2, 3))).L
    return stress(LinearStress(k, r), L).dsigma_dL * length_gradient(x)[:3]


def stress_x1_reference(x, k, r):
    return by_first_point(lambda z: linear_stress(distance(z), k, r), x)


def stress_x1_right_hand_side(x, k, r):
    u, length = geometry(x)
    return -(k * r / length**2) * u


def linear_jacobian_printed(x, k, r):
    u, length = geometry(x)
    sigma = k * (length - r) / length
    return -(k * r / length) * np.outer(u, u) - sigma * identity


def linear_jacobian_library(x, k, r):
    return first_point_stiffness(LinearStress(k, r), x)


def linear_jacobian_reference(x, k, r):
    return by_first_point(lambda z: k * (distance(z) - r) * (z[1] - z[0]) / distance(z), x)


def no_rest_length_printed(x, k):
    return -k * identity


def no_rest_length_library(x, k):
    return first_point_stiffness(LinearStress(k, 0.0), x)


def no_rest_length_reference(x, k):
    # The slope of the potential k l^2 / 2, twice.
    def energy(z):
        step = x[1] - z
        return k * (step @ step) / 2

    return -jacobian(lambda z: complex_step(energy, z), x[0]).value


def consistent_printed(x, k):
    # 0.12.1 for r = 0.
    u, length = geometry(x)
    U_n = np.outer(u, u)
    U_p = identity - np.outer(u, u)
    stretch = length
    return -k * U_n - (k * stretch / length) * U_p


# --- quadratic strain -----------------------------------------------------------------------------------


def strain(length, r):
    return (length**2 / r**2 - 1) / 2


def strain_library(length, k, r):
    return QuadraticStrain(k, r).strain(length)


def strain_reference(length, k, r):
    # Green's strain (C - 1) / 2 of the map of [0, r] onto a segment of that length.
    ends = np.array([[0.3, -0.2, 0.5], [0.3, -0.2, 0.5] + length * np.array([2.0, 1.0, -2.0]) / 3])
    gradient = np.polyfit([0.0, r], ends, 1)[0]
    return (gradient @ gradient - 1) / 2


def quadratic_energy(first, x, k, r):
    step = x[1] - first
    return k * r**2 * strain(np.sqrt(step @ step), r) ** 2 / 2


def quadratic_stress_library(x, k, r):
    return stress(QuadraticStrain(k, r), path_length(x, np.zeros((2, 3))).L).sigma


def quadratic_stress_reference(x, k, r):
    force = -complex_step(lambda z: quadratic_energy(z, x, k, r), x[0])
    (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force, rcond=None)
    return sigma


def strain_x1_middle_printed(x, k, r):
    _, length = geometry(x)
    return (length / r**2) * by_first_point(distance, x)


def strain_x1_printed(x, k, r):
    return -(1 / r**2) * (x[1] - x[0])


def strain_x1_library(x, k, r):
    return (
        stress(QuadraticStrain(1.0, r), path_length(x, np.zeros((2, 3))).L).dsigma_dL * length_gradient(x)[:3]
    )


def strain_x1_reference(x, k, r):
    return by_first_point(lambda z: strain(distance(z), r), x)


def quadratic_jacobian_printed(x, k, r):
    _, length = geometry(x)
    sigma = k * ((length**2 - r**2) / r**2) / 2
    step = x[1] - x[0]
    return -(k / r**2) * np.outer(step, step) - sigma * identity


def quadratic_jacobian_library(x, k, r):
    return first_point_stiffness(QuadraticStrain(k, r), x)


def quadratic_jacobian_reference(x, k, r):
    return -jacobian(lambda first: complex_step(lambda z: quadratic_energy(z, x, k, r), first), x[0]).value


def parts_printed(x, k, r):
    _, length = geometry(x)
    sigma = k * ((length**2 - r**2) / r**2) / 2
    step = x[1] - x[0]
    material = -(k / r**2) * np.outer(step, step)
    geometric = -sigma * identity
    return np.array([material, geometric])


def parts_library(x, k, r):
    step = x[1] - x[0]
    L = path_length(x, np.zeros((2, 3))).L
    sigma, sigma_L, _ = stress(QuadraticStrain(k, r), L)
    return np.array([-sigma_L / L * np.outer(step, step), -sigma * identity])


def parts_reference(x, k, r):
    # The Hessian of k r^2 epsilon^2 / 2: the strain's slopes with the modulus, its curvature with the stress.
    def gradient(first):
        return complex_step(lambda z: strain(distance(np.array([z, x[1] + 0 * z])), r), first)

    slope, curvature = gradient(x[0]), jacobian(gradient, x[0]).value
    return -k * r**2 * np.array([np.outer(slope, slope), strain(distance(x), r) * curvature])


TENSION = "rbnotes.forces.tension."
FORCE = "rbnotes.forces.path.path_force"
LINEAR = (TENSION + "LinearStress", FORCE)
QUADRATIC = (TENSION + "QuadraticStrain", FORCE)
COMPLEX_STEP = (
    "complex step of the force of a nonlinear spring that 0.12 d1 has checked against its potential"
)

RECORDS = [
    Record(
        id="lloyd/s0.13/d1",
        title="Stress as force per length",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress",),
        formula=r"\sigma(l,\dot l) = \frac{F(l,\dot l)}{l}",
        oracle="the multiple of x2 - x1 that is the force of a potential and a dissipation function",
        inputs=SPRING,
        library=stress_library,
        reference=stress_reference,
    ),
    Record(
        id="lloyd/s0.13/d2",
        title="Force from stress",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", FORCE),
        formula=r"\mathbf f_1 = \sigma(l,\dot l)\,\Delta\mathbf x,\quad \Delta\mathbf x\equiv\mathbf "
        r"x_2-\mathbf x_1",
        oracle="complex step: minus the slopes of a potential of the distance and of a dissipation function",
        remark="The sentence below it means a two-node truss element, not a two-element truss node.",
        inputs=SPRING,
        printed=force_printed,
        library=first_force_library,
        reference=first_force_reference,
    ),
    Record(
        id="lloyd/s0.13/d3#a",
        title="Product rule for stress times difference",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", FORCE),
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \Delta\mathbf "
        r"x\frac{\partial\sigma}{\partial\mathbf x_1}"
        r" + \sigma\frac{\partial\Delta\mathbf x}{\partial\mathbf x_1}",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=product_printed,
        library=first_position_library,
        reference=first_position_reference,
    ),
    Record(
        id="lloyd/s0.13/d3#b",
        title="Position Jacobian from the derivative of stress",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", FORCE),
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \Delta\mathbf "
        r"x\frac{\partial\sigma}{\partial\mathbf x_1}"
        r" - \sigma\mathbf I",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=jacobian_printed,
        library=first_position_library,
        reference=first_position_reference,
    ),
    Record(
        id="lloyd/s0.13/d4",
        title="Chain rule for stress",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress",),
        formula=r"\frac{\partial\sigma}{\partial\mathbf x_1} = \frac{\partial\sigma}{\partial "
        r"l}\frac{\partial l}{\partial\mathbf x_1}"
        r" + \frac{\partial\sigma}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}",
        oracle="complex step of the stress as a function of the two points",
        inputs=SPRING,
        printed=chain_printed,
        library=chain_library,
        reference=chain_reference,
    ),
    Record(
        id="lloyd/s0.13/t565",
        title="The stress called linear",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=LINEAR,
        formula=r"\sigma(l)\text{ is linear so that } \sigma(l) = k(l-r)/l",
        correction=r"The force $F = \sigma l = k(l-r)$ is linear in $l$; the stress $\sigma = k - kr/l$ is "
        r"not.",
        oracle="slope of the energy k (l - r)^2 / 2 over the length, half-way between two lengths",
        inputs={"short": positive_numbers(0.25, 2.0), "longer": positive_numbers(2.0, 4.0), **MODULI},
        printed=middle_printed,
        library=middle_library,
        reference=middle_reference,
    ),
    Record(
        id="lloyd/s0.13/d5",
        title="Stress of a linear spring",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=LINEAR,
        formula=r"\sigma(l) = \frac{k(l-r)}{l}",
        oracle="slope of the energy k (l - r)^2 / 2 over the length",
        inputs=LENGTH,
        library=linear_stress_library,
        reference=linear_stress_reference,
    ),
    Record(
        id="lloyd/s0.13/d6#a",
        title="Derivative of the linear spring's stress, constant dropped",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", *LINEAR),
        formula=r"\frac{\partial\sigma}{\partial l} = \frac{\partial}{\partial l}\Bigl(\frac{k(l-r)}{l}\Bigr)"
        r" = \frac{\partial}{\partial l}\Bigl(\frac{-kr}{l}\Bigr)",
        oracle="complex step of k (l - r) / l",
        inputs=LENGTH,
        printed=slope_printed,
        library=slope_library,
        reference=slope_reference,
    ),
    Record(
        id="lloyd/s0.13/d6#b",
        title="Derivative of the linear spring's stress",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", *LINEAR),
        formula=r"\frac{\partial\sigma}{\partial l} = -\frac{kr}{l^2}\mathbf u^T",
        correction=r"$\partial\sigma/\partial l = +kr/l^2$, a number; it is "
        r"$\partial\sigma/\partial\mathbf x_1 ="
        r" (\partial\sigma/\partial l)(\partial l/\partial\mathbf x_1) = -(kr/l^2)\,\mathbf u^T$ that has "
        r"the printed"
        r" value. All three $\partial/\partial l$ of the display should be $\partial/\partial\mathbf x_1$.",
        oracle="complex step of the stress as a function of the first point, against the chain rule with the"
        " printed slope",
        remark=r"Put into the chain rule above, the printed row meets $\partial l/\partial\mathbf x_1 = "
        r"-\mathbf u^T$"
        " once more; array code multiplies the two entry by entry and goes on.",
        inputs=ELASTIC,
        printed=stress_x1_printed,
        library=stress_x1_library,
        reference=stress_x1_reference,
    ),
    Record(
        id="lloyd/s0.13/d6#c",
        title="The printed right side, read as derivative with respect to the first point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", *LINEAR),
        formula=r"\frac{\partial\sigma}{\partial\mathbf x_1} = -\frac{kr}{l^2}\mathbf u^T",
        oracle="complex step of the stress as a function of the first point",
        inputs=ELASTIC,
        printed=stress_x1_right_hand_side,
        library=stress_x1_library,
        reference=stress_x1_reference,
    ),
    Record(
        id="lloyd/s0.13/d7",
        title="Position Jacobian of a linear spring, stress form",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LINEAR,
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{kr}{l}\mathbf u\mathbf u^T - "
        r"\sigma\mathbf I",
        oracle="complex step of the force k (l - r) along the spring",
        remark=r"The same matrix as in 0.12.1: $-k\mathbf U_n - \sigma\mathbf U_p$ with $k - \sigma = kr/l$.",
        inputs=ELASTIC,
        printed=linear_jacobian_printed,
        library=linear_jacobian_library,
        reference=linear_jacobian_reference,
    ),
    Record(
        id="lloyd/s0.13/d8",
        title="Position Jacobian of a spring without rest length",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LINEAR,
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf I",
        oracle="finite differences of the complex-step slope of k l^2 / 2",
        inputs=NO_REST,
        printed=no_rest_length_printed,
        library=no_rest_length_library,
        reference=no_rest_length_reference,
    ),
    Record(
        id="lloyd/s0.13/t581",
        title="Without rest length, 0.12.1 says the same",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LINEAR,
        formula=r"-k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p = -k\mathbf I \quad (r = 0)",
        oracle="finite differences of the complex-step slope of k l^2 / 2",
        inputs=NO_REST,
        printed=consistent_printed,
        library=no_rest_length_library,
        reference=no_rest_length_reference,
    ),
    Record(
        id="lloyd/s0.13/d9",
        title="Quadratic strain",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(TENSION + "QuadraticStrain.strain",),
        formula=r"\varepsilon = \frac12\Bigl(\frac{l^2 - r^2}{r^2}\Bigr)",
        oracle="Green's strain of the affine map of the rest length onto the segment",
        inputs=LENGTH,
        library=strain_library,
        reference=strain_reference,
    ),
    Record(
        id="lloyd/s0.13/d10",
        title="Stress from quadratic strain",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=QUADRATIC,
        formula=r"\sigma = k\varepsilon",
        oracle="force of the energy k r^2 epsilon^2 / 2 (complex step), divided by x2 - x1",
        inputs=ELASTIC,
        library=quadratic_stress_library,
        reference=quadratic_stress_reference,
    ),
    Record(
        id="lloyd/s0.13/d11#a",
        title="Derivative of quadratic strain, chain rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=QUADRATIC,
        formula=r"\frac{\partial\varepsilon}{\partial\mathbf x_1} = \frac{l}{r^2}\frac{\partial "
        r"l}{\partial\mathbf x_1}",
        oracle="complex step of the strain",
        inputs=ELASTIC,
        printed=strain_x1_middle_printed,
        library=strain_x1_library,
        reference=strain_x1_reference,
    ),
    Record(
        id="lloyd/s0.13/d11#b",
        title="Derivative of quadratic strain",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=QUADRATIC,
        formula=r"\frac{\partial\varepsilon}{\partial\mathbf x_1} = -\frac{1}{r^2}\Delta\mathbf x^T",
        oracle="complex step of the strain",
        inputs=ELASTIC,
        printed=strain_x1_printed,
        library=strain_x1_library,
        reference=strain_x1_reference,
    ),
    Record(
        id="lloyd/s0.13/d12",
        title="Position Jacobian with quadratic strain",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=QUADRATIC,
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{k}{r^2}\Delta\mathbf "
        r"x\Delta\mathbf x^T - \sigma\mathbf I",
        oracle="finite differences of the complex-step slope of the energy k r^2 epsilon^2 / 2",
        inputs=ELASTIC,
        printed=quadratic_jacobian_printed,
        library=quadratic_jacobian_library,
        reference=quadratic_jacobian_reference,
    ),
    Record(
        id="lloyd/s0.13/t599",
        title="Material and geometric stiffness",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(TENSION + "stress", *QUADRATIC),
        formula=r"-\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T\text{: material},\quad -\sigma\mathbf "
        r"I\text{: geometric}",
        oracle="the two halves of the Hessian of k r^2 epsilon^2 / 2: strain slopes with the modulus "
        "(material),"
        " strain curvature with the stress (geometric)",
        remark=r"This split belongs to quadratic strain. With the length itself as strain, the halves are"
        r" $-(\partial F/\partial l)\mathbf U_n$ and $-(F/l)\mathbf U_p$; only the sum is the same.",
        inputs=ELASTIC,
        printed=parts_printed,
        library=parts_library,
        reference=parts_reference,
    ),
]
