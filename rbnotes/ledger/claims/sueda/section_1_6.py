"""Sueda 1.6: equations of motion. The oracle replaces the body by six point masses."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import body_acceleration, gravity_wrench
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, point_masses
from rbnotes.ledger.oracles.point_mass_dynamics import acceleration
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ACCELERATION, INERTIA, LENGTH, MASS, POSE, RATE, TIME, TWIST, WRENCH
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import frames, inertias, masses, twists, vectors

section = Section(
    "sueda/s1.6",
    chapter="free-flight",
    page_2019=Page(6, last=7),
    page_2021=Page(9, last=10),
    arguments={
        "m": Argument(MASS),
        "c": Argument(LENGTH, "center of mass, in the frame of the body"),
        "J": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "wrench": Argument(WRENCH, "in the frame of the body"),
        "E": Argument(POSE, "of the body in the world"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
    },
)


BODY_UNDER_WRENCH = {"m": masses(), "c": vectors(), "J": inertias(), "phi": twists(), "wrench": twists()}
CENTERED_BODY = {"m": masses(), "J": inertias(), "phi": twists(), "wrench": twists()}
BODY_UNDER_GRAVITY = {"m": masses(), "c": vectors(), "J": inertias(), "E": frames(), "g": vectors()}
AT_CENTER = {**BODY_UNDER_GRAVITY, "c": vectors(3, 0, 0)}


def centered_reference(m, J, phi, wrench):
    """Find the acceleration for which six point masses need exactly this wrench, and multiply by M."""
    rate = acceleration(m, np.zeros(3), J, phi, wrench)
    return np.concatenate([J @ rate[:3], m * rate[3:]])


def centered_library(m, J, phi, wrench):
    M = spatial_inertia(m, J)
    return M @ body_acceleration(M, phi, wrench)


def weights(m, c, J, E, g):
    """Return the weights of six point masses, summed with their moments, in the body frame."""
    each, points = point_masses(m, J, c)
    forces = np.broadcast_to(np.linalg.solve(E[:3, :3], each * g), points.shape)
    return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])


@section.holds("e1.21", "The Newton-Euler equations in body coordinates")
class e1_21:
    formula = r"M_i\dot\phi_i = \mathrm{ad}(\phi_i)^T M_i\phi_i + \mathbf f_\text{body}(E_i)"
    inputs = BODY_UNDER_WRENCH
    result = Result(TWIST / TIME, "in the frame of the body")

    def printed(m, c, J, phi, wrench):
        M = kinetic_energy_matrix(m, J, c)
        w, v = bracket(phi[:3]), bracket(phi[3:])
        zero = np.zeros((3, 3))
        ad = np.block([[w, zero], [v, w]])
        return np.linalg.solve(M, ad.T @ M @ phi + wrench)

    def library(m, c, J, phi, wrench):
        return body_acceleration(spatial_inertia(m, J, c), phi, wrench)

    oracle = "Find the acceleration for which six point masses need exactly this wrench."
    reference = acceleration
    tolerance = 1e-08
    implements = body_acceleration


@section.conditional("e1.22", "Gravity as a body wrench")
class e1_22:
    page_2019 = Page(6)
    page_2021 = Page(9)
    formula = r"\mathbf f_\text{body} = \begin{pmatrix} 0 \\ R_i^Tm\mathbf g \end{pmatrix}"
    inputs = BODY_UNDER_GRAVITY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, c, J, E, g):
        zero = np.zeros(3)
        return np.concatenate([zero, E[:3, :3].T @ (m * g)])

    def library(m, c, J, E, g):
        return gravity_wrench(E, spatial_inertia(m, J, c), g)

    def reference(m, c, J, E, g):
        """Compare with the weights of six point masses, with their moments about the body's origin."""
        return weights(m, c, J, E, g)

    condition_inputs = AT_CENTER
    condition = "the origin of the body frame is the center of mass, or lies above or below it"

    def holds_when(m, c, J, E, g):
        return np.linalg.norm(np.cross(E[:3, :3] @ c, g)) < 1e-12

    correction = (
        r"About another origin, with the center of mass at $c$: $\begin{pmatrix} c\times R^Tm\mathbf g \\ "
        r"R^Tm\mathbf g \end{pmatrix}$"
    )
    implements = gravity_wrench


@section.holds("t302", "Gravity does not change the angular velocity")
class t302:
    formula = r"\dot\omega\ \text{of (1.21) with}\ \mathbf f_\text{body} = 0:\quad \text{`gravity does not affect the angular velocity'}"
    inputs = {**BODY_UNDER_GRAVITY, "phi": twists()}
    result = Result(RATE / TIME, "in the frame of the body")

    def printed(m, c, J, E, g, phi):
        """Return the angular acceleration without gravity."""
        M = kinetic_energy_matrix(m, J, c)
        w, v, zero = bracket(phi[:3]), bracket(phi[3:]), np.zeros((3, 3))
        return np.linalg.solve(M, np.block([[w.T, v.T], [zero, w.T]]) @ M @ phi)[:3]

    def library(m, c, J, E, g, phi):
        M = spatial_inertia(m, J, c)
        return body_acceleration(M, phi, gravity_wrench(E, M, g))[:3]

    def reference(m, c, J, E, g, phi):
        """Compare with the angular acceleration of six point masses that fall, each under its weight."""
        return acceleration(m, c, J, phi, weights(m, c, J, E, g))[:3]

    tolerance = 1e-08
    remark = (
        "This holds about every origin, but the zero torque of (1.22) shows it only about the center of "
        "mass. About another origin the gravity torque is not zero, and leaving it out gives a wrong "
        "angular acceleration."
    )
    implements = (body_acceleration, gravity_wrench)


@section.misprint("e1.23#a", "Newton-Euler equations about the center of mass, with the inertia written out")
class e1_23_a:
    page_2019 = Page(7, r"$\mathcal I$ for the rotational inertia, $mI$ with the identity $I$")
    page_2021 = Page(10, page_2019.content)
    formula = r"\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix} = \begin{pmatrix} [\omega]^T & [v]^T \\ 0 & [\omega]^T \end{pmatrix}\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \omega \\ v \end{pmatrix} + \begin{pmatrix} \tau \\ f \end{pmatrix}"
    edit = ("0 & mI", r"0 & m\mathbf 1")
    inputs = CENTERED_BODY
    result = Result(TWIST / TIME, "in the frame of the body")

    def printed(m, J, phi, wrench):
        """Return the acceleration with the only I that the text defines, 'the rotational inertia'."""
        w, v, zero = bracket(phi[:3]), bracket(phi[3:]), np.zeros((3, 3))
        M = np.block([[J, zero], [zero, m * J]])
        return np.linalg.solve(M, np.block([[w.T, v.T], [zero, w.T]]) @ M @ phi + wrench)

    def library(m, J, phi, wrench):
        return body_acceleration(spatial_inertia(m, J), phi, wrench)

    def reference(m, J, phi, wrench):
        """Find the acceleration for which six point masses need exactly this wrench."""
        return acceleration(m, np.zeros(3), J, phi, wrench)

    tolerance = 1e-08
    correction = "$mI$ means $m$ times the identity, not $m$ times the rotational inertia $I$ above it"
    units_mismatch = "an inertia times a mass instead of a mass"
    remark = (
        "With the same $I$ in both blocks, the force for a given acceleration would grow with the size "
        "of the body. The lines below contain $mv$."
    )
    implements = body_acceleration


@section.holds("e1.23#b", "Newton-Euler equations about the center of mass, with the momenta")
class e1_23_b:
    formula = r"\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix} = \begin{pmatrix} [\omega]^T & [v]^T \\ 0 & [\omega]^T \end{pmatrix}\begin{pmatrix} I\omega \\ mv \end{pmatrix} + \begin{pmatrix} \tau \\ f \end{pmatrix}"
    inputs = CENTERED_BODY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, J, phi, wrench):
        omega, v, zero = phi[:3], phi[3:], np.zeros((3, 3))
        momentum = np.concatenate([J @ omega, m * v])
        return np.block([[bracket(omega).T, bracket(v).T], [zero, bracket(omega).T]]) @ momentum + wrench

    library = centered_library
    reference = centered_reference
    tolerance = 1e-08
    implements = body_acceleration


@section.holds("e1.23#c", "Newton-Euler equations about the center of mass, multiplied out")
class e1_23_c:
    formula = r"\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix} = \begin{pmatrix} [\omega]^TI\omega + [v]^Tmv \\ [\omega]^Tmv \end{pmatrix} + \begin{pmatrix} \tau \\ f \end{pmatrix}"
    inputs = CENTERED_BODY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, J, phi, wrench):
        omega, v = phi[:3], phi[3:]
        momentum = m * v
        torque = bracket(omega).T @ J @ omega + bracket(v).T @ momentum
        return np.concatenate([torque, bracket(omega).T @ momentum]) + wrench

    library = centered_library
    reference = centered_reference
    tolerance = 1e-08
    implements = body_acceleration


@section.holds("e1.23#d", "Newton-Euler equations about the center of mass, without the vanishing term")
class e1_23_d:
    formula = r"\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix} = \begin{pmatrix} [\omega]^TI\omega \\ [\omega]^Tmv \end{pmatrix} + \begin{pmatrix} \tau \\ f \end{pmatrix}"
    inputs = CENTERED_BODY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, J, phi, wrench):
        omega, v = phi[:3], phi[3:]
        return np.concatenate([bracket(omega).T @ J @ omega, bracket(omega).T @ (m * v)]) + wrench

    library = centered_library
    reference = centered_reference
    tolerance = 1e-08
    implements = body_acceleration


@section.holds("e1.23#e", "Newton-Euler equations about the center of mass, as cross products")
class e1_23_e:
    formula = r"\begin{pmatrix} I & 0 \\ 0 & mI \end{pmatrix}\begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix} = -\begin{pmatrix} \omega\times I\omega \\ \omega\times mv \end{pmatrix} + \begin{pmatrix} \tau \\ f \end{pmatrix}"
    inputs = CENTERED_BODY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, J, phi, wrench):
        omega, v = phi[:3], phi[3:]
        return -np.concatenate([np.cross(omega, J @ omega), np.cross(omega, m * v)]) + wrench

    library = centered_library
    reference = centered_reference
    tolerance = 1e-08
    implements = body_acceleration
