"""Sueda 1.8: Euler integration with maximal coordinates."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.dynamics import Forces, State, integrate, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.sueda.section_1_3 import exp_frame_reference
from rbnotes.ledger.claims.sueda.section_1_6 import BODY_UNDER_WRENCH
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.point_mass_dynamics import acceleration, free_motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    POSE_RATE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import Body, Model
from rbnotes.testing.strategies import frames, nonzero_vectors, positive_numbers, twists, vectors

section = Section(
    "sueda/s1.8",
    chapter="free-flight",
    page_2019=Page(8),
    page_2021=Page(11, last=12),
    arguments={
        "m": Argument(MASS),
        "c": Argument(LENGTH, "center of mass, in the frame of the body"),
        "J": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "wrench": Argument(WRENCH, "in the frame of the body"),
        "h": Argument(TIME),
        "E": Argument(POSE, "of the body in the world"),
        "w": Argument(RATE, "in the frame of the body"),
        "v": Argument(VELOCITY, "in the frame of the body"),
    },
)


STEP = {**BODY_UNDER_WRENCH, "h": positive_numbers(0.125, 1)}
MOTION = {"E": frames(), "phi": twists(), "h": positive_numbers(0.125, 1)}


def euler_step(M, E, phi, wrench, h):
    """Take a step of symplectic Euler under a constant wrench."""
    forces = Forces.without_derivatives(wrench)
    body = Model([Body("body", inertia=M)], gravity=np.zeros(3), forces=lambda state: forces)
    return symplectic_euler(body, State(E, phi), h)


def new_twist(m, c, J, phi, wrench, h):
    """Solve (1.28) for the new twist."""
    M = kinetic_energy_matrix(m, J, c)
    w, v = bracket(phi[:3]), bracket(phi[3:])
    zero = np.zeros((3, 3))
    ad = np.block([[w, zero], [v, w]])
    return np.linalg.solve(M, M @ phi + h * (ad.T @ M @ phi + wrench))


def second_order_error(step, m, c, J, E, phi, wrench):
    """Return the limit of (step - motion) / h^2 for small h, extrapolated from two steps."""
    h = 1e-3
    errors = [(step(size) - free_motion(m, c, J, E, phi, wrench, size)) / size**2 for size in (h, h / 2)]
    return 2 * errors[1] - errors[0]


def velocity_library(m, c, J, phi, wrench, h):
    return euler_step(spatial_inertia(m, J, c), np.eye(4), phi, wrench, h).phi[0]


def velocity_reference(m, c, J, phi, wrench, h):
    """Compare with a step with the acceleration for which six point masses need the wrench."""
    return phi + h * acceleration(m, c, J, phi, wrench)


@section.holds("e1.27", "Acceleration as a finite difference")
class e1_27:
    formula = r"\dot\phi = \frac{\phi^{(k+1)} - \phi^{(k)}}h"
    inputs = STEP
    result = Result(TWIST / TIME, "in the frame of the body")

    def printed(m, c, J, phi, wrench, h):
        """Return the difference over a step of (1.28)."""
        new_phi = new_twist(m, c, J, phi, wrench, h)
        return (new_phi - phi) / h

    def library(m, c, J, phi, wrench, h):
        return (velocity_library(m, c, J, phi, wrench, h) - phi) / h

    def reference(m, c, J, phi, wrench, h):
        """Compare with the acceleration for which six point masses need the wrench."""
        return acceleration(m, c, J, phi, wrench)

    tolerance = 1e-08
    implements = symplectic_euler


@section.holds("e1.28", "The new twist of a body")
class e1_28:
    formula = r"M_i\phi_i^{(k+1)} = M_i\phi_i^{(k)} + h\left(\mathrm{ad}(\phi_i^{(k)})^TM_i\phi_i^{(k)} + \mathbf f_\text{body}(E_i^{(k)})\right)"
    inputs = STEP
    result = Result(TWIST, "in the frame of the body")

    printed = new_twist
    library = velocity_library
    reference = velocity_reference
    tolerance = 1e-08
    implements = symplectic_euler


@section.holds("e1.29", "The new pose of a body")
class e1_29:
    formula = r"E_i^{(k+1)} = E_i^{(k)}\exp\left(h\begin{pmatrix} [\omega_i^{(k+1)}] & \mathbf v_i^{(k+1)} \\ 0 & 0 \end{pmatrix}\right)"
    inputs = MOTION
    result = Result(POSE, "of the body in the world")

    def printed(E, phi, h):
        return E @ expm(h * twist_matrix(phi))

    def library(E, phi, h):
        # The impulse M phi gives a body at rest the twist phi: only the pose update is compared.
        initial_twist = np.zeros(6)
        M = spatial_inertia(1.0, np.eye(3))
        return euler_step(M, E, initial_twist, M @ phi / h, h).E[0]

    def reference(E, phi, h):
        """Compare with the displacement at constant twist: scipy's rotation, and quadrature of the velocity."""
        return E @ exp_frame_reference(h * phi)

    implements = symplectic_euler


@section.holds("t352", "The pose update is of first order")
class t352:
    formula = r"E^{(k)}\exp(h[\phi^{(k+1)}]) - E(t^{(k)}+h) = \tfrac{h^2}2\,E^{(k)}[\dot\phi^{(k)}] + O(h^3):\ \text{`a first order implicit discretization'}"
    inputs = {**BODY_UNDER_WRENCH, "E": frames()}
    result = Result(
        POSE_RATE / TIME, "a difference of poses of the body in the world, over the square of the step"
    )

    def printed(m, c, J, phi, wrench, E):
        def step(h):
            return E @ expm(h * twist_matrix(new_twist(m, c, J, phi, wrench, h)))

        return second_order_error(step, m, c, J, E, phi, wrench)

    def library(m, c, J, phi, wrench, E):
        M = spatial_inertia(m, J, c)
        return second_order_error(lambda h: euler_step(M, E, phi, wrench, h).E[0], m, c, J, E, phi, wrench)

    def reference(m, c, J, phi, wrench, E):
        """Compare with the second-order term of the Taylor series, with the acceleration of six point masses.

        The step uses the new twist from its start, and so adds half the change of the twist.
        """
        phidot = acceleration(m, c, J, phi, wrench)
        axis_rates = [np.append(E[:3, :3] @ np.cross(phidot[:3], axis), 0) for axis in np.eye(3)]
        return np.stack([*axis_rates, np.append(E[:3, :3] @ phidot[3:], 0)], axis=-1) / 2

    tolerance = 1e-4
    tolerance_reason = (
        "a limit extrapolated from steps of 1e-3 and half of it, with a remainder of second order"
    )
    primitives = ("rbnotes.ledger.oracles.point_mass_dynamics.acceleration",)
    remark = (
        "The step is implicit only because it uses the new twist, which (1.28) gives explicitly. The "
        "notes define no symbol for the error; the formula states the meaning of 'first order'."
    )
    implements = symplectic_euler


@section.holds("t356", "Exponential of a step by Rodrigues' formula")
class t356:
    formula = r"\text{`can be computed efficiently using Rodrigues' formula'}:\quad R = I + \sin\theta\,[\mathbf u] + (1-\cos\theta)[\mathbf u]^2,\quad h\omega = \theta\mathbf u"
    inputs = {"w": nonzero_vectors(), "v": vectors(), "h": positive_numbers(0.125, 1)}
    result = Result(vector_quantity((NUMBER, 3), (LENGTH, 1)), "of the displaced frame in the initial frame")

    def printed(w, v, h):
        """Return the formula for the rotation, and its integral along the step for the translation."""
        theta = h * np.linalg.norm(w)
        u = bracket(h * w / theta)
        R = np.eye(3) + np.sin(theta) * u + (1 - np.cos(theta)) * u @ u
        translation = np.eye(3) + (1 - np.cos(theta)) / theta * u + (1 - np.sin(theta) / theta) * u @ u
        return np.column_stack([R, translation @ (h * v)])

    def library(w, v, h):
        return se3.exp(h * np.append(w, v))[:3]

    def reference(w, v, h):
        """Compare with scipy's matrix exponential, which uses no formula for rotations."""
        return expm(h * twist_matrix(np.append(w, v)))[:3]

    remark = (
        r"Rodrigues' formula is for rotations with $\theta \ne 0$; a pose also needs its integral, as in "
        "Murray, Li and Sastry. The computation takes one square root, one sine and one cosine."
    )
    implements = se3.exp


@section.definition("m1", "Output of the sample program: name and mass of its body")
class m1:
    remark = (
        "The program is not part of the notes. The chapter simulates a free body of 10 g with the "
        "described velocities."
    )
    implements = integrate
