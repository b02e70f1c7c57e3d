"""Lloyd 0.13: spring Jacobians formulated with stress, force per length.

The oracle is the force of the potentials: that of 0.12 for a general law, k (l - r)^2 / 2 for the linear
spring and, for quadratic strain, k r^2 epsilon^2 / 2.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces import (
    LinearStress,
    QuadraticStrain,
    length_gradient,
    length_hessian,
    path_force,
    path_length,
    stress,
)
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import (
    POINTS,
    SPRING,
    complex_tension,
    first_position_library,
    first_position_reference,
    force_library,
    force_reference,
    geometry,
    identity,
    library_law,
)
from rbnotes.ledger.oracles.springs import (
    cubic_spring,
    distance,
    distance_rate,
    first_point_derivative,
    first_point_difference,
    spring_tension,
    tension,
)
from rbnotes.ledger.quantities import AREA, FORCE, MOMENTUM, NUMBER, STIFFNESS, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import positive_numbers

BY_FIRST_POINT = "by the position of the first point, along the axes of the world"

section = Section(
    "lloyd/s0.13",
    chapter="axial-springs",
    arguments={
        "x": Argument(units.LENGTH, "of the points, along the axes of the world"),
        "v": Argument(VELOCITY, "of the points, along the axes of the world"),
        "k": Argument(STIFFNESS),
        "d": Argument(MOMENTUM / AREA),
        "short": Argument(units.LENGTH),
        "longer": Argument(units.LENGTH),
        "r": Argument(units.LENGTH),
        "length": Argument(units.LENGTH),
    },
)


MODULI = {"k": positive_numbers(), "r": positive_numbers()}
LENGTH = {"length": positive_numbers(), **MODULI}
ELASTIC = {"x": POINTS["x"], **MODULI}


def first_point_stiffness(spring, x):
    """Return the library's df1/dx1 of a law without damping."""
    return path_force(spring, x, np.zeros((2, 3))).K[:3, :3]


def complex_stress(x, v, k, d):
    """Return sigma as a function of points and velocities, also for complex numbers."""
    return complex_tension(x, v, k, d) / distance(x)


@section.definition("d1", "Stress as force per length")
class d1:
    formula = r"\sigma(l,\dot l) = \frac{F(l,\dot l)}{l}"
    inputs = SPRING
    arguments = {"k": Argument(FORCE / AREA)}
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (units.LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        length = distance(x)
        return tension(length, distance_rate(x, v), k, d) / length

    def library(x, v, k, d):
        return stress(library_law(k, d), *path_length(x, v)).sigma

    def reference(x, v, k, d):
        """Find the multiple of x2 - x1 that is the force of a potential and a dissipation function."""
        # The force on the first point is this multiple of x2 - x1.
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force_reference(x, v, k, d)[0], rcond=None)
        return sigma

    defines = (r"\sigma(l,\dot l)",)
    implements = stress


@section.holds("d2", "Force from stress")
class d2:
    formula = (
        r"\mathbf f_1 = \sigma(l,\dot l)\,\Delta\mathbf x,\quad \Delta\mathbf x\equiv\mathbf x_2-\mathbf x_1"
    )
    inputs = SPRING
    arguments = {"k": Argument(FORCE / AREA)}
    result = Result(FORCE, "on the first point, along the axes of the world")
    constants = (units.LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        length = distance(x)
        sigma = tension(length, distance_rate(x, v), k, d) / length
        return sigma * (x[1] - x[0])

    def library(x, v, k, d):
        return force_library(x, v, k, d)[0]

    def reference(x, v, k, d):
        """Compare with the negative gradients of a potential and a dissipation function, by complex steps."""
        return force_reference(x, v, k, d)[0]

    remark = (
        "Where the sentence below the display says `two-element truss node', it means a truss "
        "element with two nodes."
    )
    implements = path_force


@section.holds("d3#a", "Product rule for stress times difference")
class d3_a:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} + \sigma\frac{\partial\Delta\mathbf x}{\partial\mathbf x_1}"
    inputs = SPRING
    arguments = {"k": Argument(FORCE / AREA)}
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (units.LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        sigma_x1 = first_point_derivative(lambda z: complex_stress(z, v, k, d), x)
        step_x1 = first_point_derivative(lambda z: z[1] - z[0], x)
        return np.outer(x[1] - x[0], sigma_x1) + complex_stress(x, v, k, d) * step_x1

    library = first_position_library
    reference = first_position_reference
    implements = path_force


@section.holds("d3#b", "Position Jacobian from the derivative of stress")
class d3_b:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} - \sigma\mathbf I"
    inputs = SPRING
    arguments = {"k": Argument(FORCE / AREA)}
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (units.LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        sigma_x1 = first_point_derivative(lambda z: complex_stress(z, v, k, d), x)
        return np.outer(x[1] - x[0], sigma_x1) - complex_stress(x, v, k, d) * identity

    library = first_position_library
    reference = first_position_reference
    implements = path_force


@section.holds("d4", "Chain rule for stress")
class d4:
    formula = r"\frac{\partial\sigma}{\partial\mathbf x_1} = \frac{\partial\sigma}{\partial l}\frac{\partial l}{\partial\mathbf x_1} + \frac{\partial\sigma}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}"
    inputs = SPRING
    arguments = {"k": Argument(FORCE / AREA)}
    result = Result(STIFFNESS / units.LENGTH, BY_FIRST_POINT)
    constants = (units.LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        sigma_l, sigma_ldot = complex_step(
            lambda z: tension(z[0], z[1], k, d) / z[0], np.array([distance(x), distance_rate(x, v)])
        )
        l_x1 = first_point_derivative(distance, x)
        ldot_x1 = first_point_difference(lambda z: distance_rate(z, v), x)
        return sigma_l * l_x1 + sigma_ldot * ldot_x1

    def library(x, v, k, d):
        _, sigma_L, sigma_Ldot = stress(library_law(k, d), *path_length(x, v))
        return (sigma_L * length_gradient(x) + sigma_Ldot * (length_hessian(x) @ v.ravel()))[:3]

    def reference(x, v, k, d):
        """Divide differences of the tension of a potential and a dissipation function by the distance."""
        return first_point_difference(lambda z: spring_tension(cubic_spring(k, d), z, v) / distance(z), x)

    implements = stress


# ------------------------------------------------------------------------------------------------------------
# Stress and stiffness of the linear spring.


ZERO_REST_LENGTH = {"x": POINTS["x"], "k": positive_numbers()}


def linear_stress(length, k, r):
    return k * (length - r) / length


def linear_stress_reference(length, k, r):
    """Differentiate the energy k (l - r)^2 / 2 with respect to the length, and divide by the length."""
    energy_derivative = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    return energy_derivative[0] / length


def stress_x1_library(x, k, r):
    L = path_length(x, np.zeros((2, 3))).L
    return stress(LinearStress(k, r), L).dsigma_dL * length_gradient(x)[:3]


def stress_x1_reference(x, k, r):
    return first_point_derivative(lambda z: linear_stress(distance(z), k, r), x)


def zero_rest_length_library(x, k):
    return first_point_stiffness(LinearStress(k, 0.0), x)


def zero_rest_length_reference(x, k):
    """Compare with finite differences of the complex-step derivative of k l^2 / 2."""

    # Second derivative of the potential k l^2 / 2.
    def energy(z):
        difference = x[1] - z
        return k * (difference @ difference) / 2

    return -jacobian(lambda z: complex_step(energy, z), x[0]).value


LINEAR = (stress, LinearStress)


@section.misprint("t565", "The stress that is called linear")
class t565:
    formula = r"\sigma(l)\text{ is linear so that } \sigma(l) = k(l-r)/l"
    inputs = {"short": positive_numbers(0.25, 2.0), "longer": positive_numbers(2.0, 4.0), **MODULI}
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(short, longer, k, r):
        return (linear_stress(short, k, r) + linear_stress(longer, k, r)) / 2

    def library(short, longer, k, r):
        return stress(LinearStress(k, r), (short + longer) / 2).sigma

    def reference(short, longer, k, r):
        """Differentiate the energy k (l - r)^2 / 2 halfway between two lengths."""
        return linear_stress_reference((short + longer) / 2, k, r)

    correction = r"The force $F = \sigma l = k(l-r)$ is linear in $l$; the stress $\sigma = k - kr/l$ is not."
    replacement = (
        r"If there is no dependence on $\dot l$, and the force $F(l) = \sigma(l)\,l$ is linear so that"
    )
    implements = LINEAR


@section.definition("d5", "Stress of a linear spring")
class d5:
    formula = r"\sigma(l) = \frac{k(l-r)}{l}"
    inputs = LENGTH
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(length, k, r):
        return k * (length - r) / length

    def library(length, k, r):
        return stress(LinearStress(k, r), length).sigma

    reference = linear_stress_reference
    defines = (r"\sigma(l)",)
    implements = LINEAR


@section.holds("d6#a", "Derivative of the linear spring's stress, without the constant")
class d6_a:
    formula = r"\frac{\partial\sigma}{\partial l} = \frac{\partial}{\partial l}\Bigl(\frac{k(l-r)}{l}\Bigr) = \frac{\partial}{\partial l}\Bigl(\frac{-kr}{l}\Bigr)"
    inputs = LENGTH
    result = Result(STIFFNESS / units.LENGTH, BY_FIRST_POINT)

    def printed(length, k, r):
        return complex_step(lambda z: -(k * r) / z[0], np.full(1, length))[0]

    def library(length, k, r):
        return stress(LinearStress(k, r), length).dsigma_dL

    def reference(length, k, r):
        """Differentiate k (l - r) / l by complex steps."""
        return complex_step(lambda z: k * (z[0] - r) / z[0], np.array([length]))[0]

    implements = LINEAR


@section.erratum("d6#b", "Derivative of the linear spring's stress")
class d6_b:
    formula = r"\frac{\partial\sigma}{\partial l} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC
    result = Result(STIFFNESS / units.LENGTH, BY_FIRST_POINT)

    def printed(x, k, r):
        u, length = geometry(x)
        sigma_l = -(k * r / length**2) * u
        l_x1 = -u
        return sigma_l * l_x1

    library = stress_x1_library
    oracle = (
        "Differentiate the stress with respect to the first point by complex steps; the chain rule "
        "contains the printed derivative."
    )
    reference = stress_x1_reference
    correction = (
        r"$\partial\sigma/\partial l = +kr/l^2$, a number; the printed value is that of "
        r"$\partial\sigma/\partial\mathbf x_1 = (\partial\sigma/\partial l)(\partial "
        r"l/\partial\mathbf x_1) = -(kr/l^2)\,\mathbf u^T$. All three $\partial/\partial l$ of the"
        r" display should be $\partial/\partial\mathbf x_1$."
    )
    replacement = r"\frac{\partial\sigma}{\partial\mathbf x_1} = \frac{\partial}{\partial\mathbf x_1}\left(\frac{k(l-r)}{l}\right) = \frac{\partial}{\partial\mathbf x_1}\left(\frac{-kr}{l}\right) = -\frac{kr}{l^2}\mathbf u^T"
    remark = (
        r"The chain rule above multiplies the printed row by $\partial l/\partial\mathbf x_1 = "
        r"-\mathbf u^T$ a second time; array code silently multiplies the two entry by entry."
    )
    no_simulation = "The Jacobian of the next display, which an implicit step uses, is right."
    implements = LINEAR


@section.holds("d6#c", "The printed right side, read as derivative with respect to the first point")
class d6_c:
    formula = r"\frac{\partial\sigma}{\partial\mathbf x_1} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC
    result = Result(STIFFNESS / units.LENGTH, BY_FIRST_POINT)

    def printed(x, k, r):
        u, length = geometry(x)
        return -(k * r / length**2) * u

    library = stress_x1_library
    oracle = "Differentiate the stress as a function of the first point by complex steps."
    reference = stress_x1_reference
    implements = LINEAR


@section.holds("d7", "Position Jacobian of a linear spring, stress form")
class d7:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{kr}{l}\mathbf u\mathbf u^T - \sigma\mathbf I"
    inputs = ELASTIC
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(x, k, r):
        u, length = geometry(x)
        sigma = k * (length - r) / length
        return -(k * r / length) * np.outer(u, u) - sigma * identity

    def library(x, k, r):
        return first_point_stiffness(LinearStress(k, r), x)

    def reference(x, k, r):
        """Differentiate the force k (l - r) along the spring by complex steps."""
        return first_point_derivative(lambda z: k * (distance(z) - r) * (z[1] - z[0]) / distance(z), x)

    remark = (
        r"The matrix is that of section 0.12.1: $-k\mathbf U_n - \sigma\mathbf U_p$ with $k - \sigma = "
        "kr/l$."
    )
    implements = (LinearStress, path_force)


@section.holds("d8", "Position Jacobian of a spring without rest length")
class d8:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf I"
    inputs = ZERO_REST_LENGTH
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(x, k):
        return -k * identity

    library = zero_rest_length_library
    reference = zero_rest_length_reference
    implements = (LinearStress, path_force)


@section.holds("t581", "Agreement with section 0.12.1 for zero rest length")
class t581:
    formula = r"-k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p = -k\mathbf I \quad (r = 0)"
    inputs = ZERO_REST_LENGTH
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(x, k):
        # Section 0.12.1 with r = 0.
        u, length = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        stretch = length
        return -k * U_n - (k * stretch / length) * U_p

    library = zero_rest_length_library
    reference = zero_rest_length_reference
    implements = (LinearStress, path_force)


# ------------------------------------------------------------------------------------------------------------
# Stress that is linear in quadratic strain. The oracle is the energy k r^2 epsilon^2 / 2.


QUADRATIC = (stress, QuadraticStrain)


def strain(length, r):
    return (length**2 / r**2 - 1) / 2


def quadratic_energy(first, x, k, r):
    difference = x[1] - first
    return k * r**2 * strain(np.sqrt(difference @ difference), r) ** 2 / 2


def strain_x1_library(x, k, r):
    return (
        stress(QuadraticStrain(1.0, r), path_length(x, np.zeros((2, 3))).L).dsigma_dL * length_gradient(x)[:3]
    )


def strain_x1_reference(x, k, r):
    """Differentiate the strain by complex steps."""
    return first_point_difference(lambda z: strain(distance(z), r), x)


@section.definition("d9", "Quadratic strain")
class d9:
    formula = r"\varepsilon = \frac12\Bigl(\frac{l^2 - r^2}{r^2}\Bigr)"
    inputs = LENGTH
    result = Result(NUMBER, BY_FIRST_POINT)

    def printed(length, k, r):
        return 1 / 2 * ((length**2 - r**2) / r**2)

    def library(length, k, r):
        return QuadraticStrain(k, r).strain(length)

    def reference(length, k, r):
        """Compare with Green's strain of the affine map of the rest length onto the segment."""
        # Green's strain (C - 1) / 2 of the map of [0, r] onto a segment of that length.
        ends = np.array([[0.3, -0.2, 0.5], [0.3, -0.2, 0.5] + length * np.array([2.0, 1.0, -2.0]) / 3])
        gradient = np.polyfit([0.0, r], ends, 1)[0]
        return (gradient @ gradient - 1) / 2

    defines = (r"\varepsilon",)
    implements = QuadraticStrain.strain


@section.definition("d10", "Stress from quadratic strain")
class d10:
    formula = r"\sigma = k\varepsilon"
    inputs = ELASTIC
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(x, k, r):
        length = distance(x)
        return k * ((length**2 - r**2) / r**2) / 2

    def library(x, k, r):
        return stress(QuadraticStrain(k, r), path_length(x, np.zeros((2, 3))).L).sigma

    def reference(x, k, r):
        """Differentiate the energy k r^2 epsilon^2 / 2 by a complex step, and divide by x2 - x1."""
        force = -complex_step(lambda z: quadratic_energy(z, x, k, r), x[0])
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force, rcond=None)
        return sigma

    defines = (r"\sigma",)
    implements = QUADRATIC


@section.holds("d11#a", "Derivative of quadratic strain, chain rule")
class d11_a:
    formula = r"\frac{\partial\varepsilon}{\partial\mathbf x_1} = \frac{l}{r^2}\frac{\partial l}{\partial\mathbf x_1}"
    inputs = ELASTIC
    result = Result(NUMBER / units.LENGTH, BY_FIRST_POINT)

    def printed(x, k, r):
        length = distance(x)
        return (length / r**2) * first_point_derivative(distance, x)

    library = strain_x1_library
    reference = strain_x1_reference
    implements = QUADRATIC


@section.holds("d11#b", "Derivative of quadratic strain")
class d11_b:
    formula = r"\frac{\partial\varepsilon}{\partial\mathbf x_1} = -\frac{1}{r^2}\Delta\mathbf x^T"
    inputs = ELASTIC
    result = Result(NUMBER / units.LENGTH, BY_FIRST_POINT)

    def printed(x, k, r):
        return -(1 / r**2) * (x[1] - x[0])

    library = strain_x1_library
    reference = strain_x1_reference
    implements = QUADRATIC


@section.holds("d12", "Position Jacobian with quadratic strain")
class d12:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T - \sigma\mathbf I"
    inputs = ELASTIC
    result = Result(STIFFNESS, BY_FIRST_POINT)

    def printed(x, k, r):
        length = distance(x)
        sigma = k * ((length**2 - r**2) / r**2) / 2
        difference = x[1] - x[0]
        return -(k / r**2) * np.outer(difference, difference) - sigma * identity

    def library(x, k, r):
        return first_point_stiffness(QuadraticStrain(k, r), x)

    def reference(x, k, r):
        """Compare with finite differences of the complex-step derivative of k r^2 epsilon^2 / 2."""
        return -jacobian(
            lambda first: complex_step(lambda z: quadratic_energy(z, x, k, r), first), x[0]
        ).value

    implements = (QuadraticStrain, path_force)


@section.holds("t599", "Material and geometric stiffness")
class t599:
    formula = r"-\frac{k}{r^2}\Delta\mathbf x\Delta\mathbf x^T\text{: material},\quad -\sigma\mathbf I\text{: geometric}"
    inputs = ELASTIC
    result = Result(
        STIFFNESS, "material, then geometric: by the position of the first point, along the axes of the world"
    )

    def printed(x, k, r):
        length = distance(x)
        sigma = k * ((length**2 - r**2) / r**2) / 2
        difference = x[1] - x[0]
        material = -(k / r**2) * np.outer(difference, difference)
        geometric = -sigma * identity
        return np.array([material, geometric])

    def library(x, k, r):
        difference = x[1] - x[0]
        L = path_length(x, np.zeros((2, 3))).L
        sigma, sigma_L, _ = stress(QuadraticStrain(k, r), L)
        return np.array([-sigma_L / L * np.outer(difference, difference), -sigma * identity])

    def reference(x, k, r):
        """Split the Hessian of k r^2 epsilon^2 / 2 into its material and its geometric part.

        The material part is the product of strain gradients and the modulus; the geometric part is the
        strain's Hessian times the stress.
        """

        # The Hessian of k r^2 epsilon^2 / 2: gradients of the strain times the modulus, its Hessian times the stress.
        def gradient(first):
            return complex_step(lambda z: strain(distance(np.array([z, x[1] + 0 * z])), r), first)

        slope, curvature = gradient(x[0]), jacobian(gradient, x[0]).value
        return -k * r**2 * np.array([np.outer(slope, slope), strain(distance(x), r) * curvature])

    remark = (
        "This split holds for quadratic strain. With the length itself as strain, the two parts "
        r"are $-(\partial F/\partial l)\mathbf U_n$ and $-(F/l)\mathbf U_p$; only the sum is the "
        "same as here."
    )
    implements = QUADRATIC
