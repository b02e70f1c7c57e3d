"""Sueda 1.8: Euler integration with maximal coordinates."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.dynamics import Forces, FreeSystem, State, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.sueda.section_1_3 import exp_frame_reference
from rbnotes.ledger.claims.sueda.section_1_6 import PUSHED
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.point_mass_dynamics import acceleration, free_motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, POSE_RATE, TIME, TWIST, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import frames, nonzero_vectors, positive_numbers, twists, vectors

STEP = {**PUSHED, "h": positive_numbers(0.125, 1)}
MOVING = {"E": frames(), "phi": twists(), "h": positive_numbers(0.125, 1)}


def one_step(M, E, phi, wrench, h):
    """A step of symplectic Euler under a constant wrench."""
    push = Forces.without_derivatives(wrench)
    body = FreeSystem(M, gravity=np.zeros(3), applied_forces=lambda state: push)
    return symplectic_euler(body, State(E, phi), h)


def new_twist(m, c, J, phi, wrench, h):
    """(1.28), solved for the new twist."""
    M = kinetic_energy_matrix(m, J, c)
    w, v = bracket(phi[:3]), bracket(phi[3:])
    zero = np.zeros((3, 3))
    ad = np.block([[w, zero], [v, w]])
    return np.linalg.solve(M, M @ phi + h * (ad.T @ M @ phi + wrench))


def error_of_a_step(step, m, c, J, E, phi, wrench):
    """Limit of (step - motion) / h^2 for small h, from two steps."""
    h = 1e-3
    errors = [(step(size) - free_motion(m, c, J, E, phi, wrench, size)) / size**2 for size in (h, h / 2)]
    return 2 * errors[1] - errors[0]


def velocity_library(m, c, J, phi, wrench, h):
    return one_step(spatial_inertia(m, J, c), np.eye(4), phi, wrench, h).phi[0]


def velocity_reference(m, c, J, phi, wrench, h):
    return phi + h * acceleration(m, c, J, phi, wrench)


@claim("sueda/s1.8/e1.27", "The acceleration as a difference")
class e1_27:
    formula = r"\dot\phi = \frac{\phi^{(k+1)} - \phi^{(k)}}h"
    inputs = STEP
    result = TWIST / TIME

    def printed(m, c, J, phi, wrench, h):
        """The difference over a step of (1.28)."""
        after = new_twist(m, c, J, phi, wrench, h)
        return (after - phi) / h

    def library(m, c, J, phi, wrench, h):
        return (velocity_library(m, c, J, phi, wrench, h) - phi) / h

    oracle = (
        "the acceleration for which six point masses need the wrench: (1.28) is (1.21) with this difference"
    )

    def reference(m, c, J, phi, wrench, h):
        return acceleration(m, c, J, phi, wrench)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = "free-flight"


@claim("sueda/s1.8/e1.28", "The new twist of a body")
class e1_28:
    formula = (
        r"M_i\phi_i^{(k+1)} = M_i\phi_i^{(k)} + h\left(\mathrm{ad}(\phi_i^{(k)})^TM_i\phi_i^{(k)} + "
        r"\mathbf f_\text{body}(E_i^{(k)})\right)"
    )
    inputs = STEP
    result = TWIST

    printed = new_twist
    library = velocity_library
    oracle = "a step with the acceleration for which six point masses need the wrench"
    reference = velocity_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = "free-flight"


@claim("sueda/s1.8/e1.29", "The new pose of a body")
class e1_29:
    formula = (
        r"E_i^{(k+1)} = E_i^{(k)}\exp\left(h\begin{pmatrix} [\omega_i^{(k+1)}] & \mathbf v_i^{(k+1)} \\"
        r" 0 & 0 \end{pmatrix}\right)"
    )
    inputs = MOVING
    result = POSE

    def printed(E, phi, h):
        return E @ expm(h * twist_matrix(phi))

    def library(E, phi, h):
        # A heavy body keeps its twist if it turns about one of its principal axes; here it is the pose that counts.
        rest = np.zeros(6)
        M = spatial_inertia(1.0, np.eye(3))
        return one_step(M, E, rest, M @ phi / h, h).E[0]

    oracle = "the way of a body that keeps its twist: scipy's rotation, and quadrature of its velocity"

    def reference(E, phi, h):
        return E @ exp_frame_reference(h * phi)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = "free-flight"


@claim("sueda/s1.8/t352", "The step of the pose is of first order")
class t352:
    formula = (
        r"E^{(k)}\exp(h[\phi^{(k+1)}]) - E(t^{(k)}+h) "
        r"= \tfrac{h^2}2\,E^{(k)}[\dot\phi^{(k)}] + O(h^3):\ \text{`a first order implicit discretization'}"
    )
    inputs = {**PUSHED, "E": frames()}
    result = POSE_RATE / TIME

    def printed(m, c, J, phi, wrench, E):
        def step(h):
            return E @ expm(h * twist_matrix(new_twist(m, c, J, phi, wrench, h)))

        return error_of_a_step(step, m, c, J, E, phi, wrench)

    def library(m, c, J, phi, wrench, E):
        M = spatial_inertia(m, J, c)
        return error_of_a_step(lambda h: one_step(M, E, phi, wrench, h).E[0], m, c, J, E, phi, wrench)

    oracle = "the Taylor series of a motion with the acceleration of six point masses, to second order"

    def reference(m, c, J, phi, wrench, E):
        """The step turns and flies with the new twist from the start: half the change of it is too much."""
        change = acceleration(m, c, J, phi, wrench)
        turned = [np.append(E[:3, :3] @ np.cross(change[:3], axis), 0) for axis in np.eye(3)]
        return np.stack([*turned, np.append(E[:3, :3] @ change[3:], 0)], axis=-1) / 2

    tolerance = 1e-4
    tolerance_reason = "a limit taken from steps of 1e-3 and half of it, whose next term is of their square"
    primitives = ("rbnotes.ledger.oracles.point_mass_dynamics.acceleration",)
    verdict = Verdict.HOLDS
    remark = (
        r"Implicit only in that it moves with the new twist; (1.28) finds that explicitly. The notes set no "
        r"symbol for the error: the formula says what 'first order' means."
    )
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = "free-flight"


@claim("sueda/s1.8/t356", "Rodrigues' formula gives the exponential of a step")
class t356:
    formula = (
        r"\text{`can be computed efficiently using Rodrigues' formula'}:\quad "
        r"R = I + \sin\theta\,[\mathbf u] + (1-\cos\theta)[\mathbf u]^2,\quad h\omega = \theta\mathbf u"
    )
    inputs = {"w": nonzero_vectors(), "v": vectors(), "h": positive_numbers(0.125, 1)}
    result = vector_quantity((NUMBER, 3), (LENGTH, 1))

    def printed(w, v, h):
        """The formula for the rotation, and its integral along the step for the translation."""
        theta = h * np.linalg.norm(w)
        u = bracket(h * w / theta)
        R = np.eye(3) + np.sin(theta) * u + (1 - np.cos(theta)) * u @ u
        travelled = np.eye(3) + (1 - np.cos(theta)) / theta * u + (1 - np.sin(theta) / theta) * u @ u
        return np.column_stack([R, travelled @ (h * v)])

    def library(w, v, h):
        return se3.exp(h * np.append(w, v))[:3]

    equivalent_mutants = {
        "swapped operands in `(1 - np.cos(theta)) * u @ u`": "both factors are multiples of one matrix",
        "swapped operands in `(1 - np.sin(theta) / theta) * u @ u`": "both factors are multiples of one matrix",
    }
    oracle = "scipy's matrix exponential, which knows nothing of rotations"

    def reference(w, v, h):
        return expm(h * twist_matrix(np.append(w, v)))[:3]

    verdict = Verdict.HOLDS
    remark = (
        r"The formula itself is about rotations, $\theta \ne 0$; for a pose it takes its integral as well, as "
        r"Murray, Li and Sastry have it. A root, a sine and a cosine are all that is computed."
    )
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "free-flight"


@claim("sueda/s1.8/m1", "What the sample program prints: the name and the mass of its body")
class m1:
    verdict = Verdict.DEFINITION
    remark = (
        "The program itself is not part of the notes; the chapter flies a body of 10 g with the "
        "described velocities."
    )
    implemented_by = ("rbnotes.dynamics.integrate",)
    chapter = "free-flight"
