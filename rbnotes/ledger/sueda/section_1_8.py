"""Sueda 1.8: Euler integration with maximal coordinates."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes.checking.strategies import frames, positive_numbers, twists
from rbnotes.dynamics import Forces, FreeSystem, State, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.record import Verdict, claim
from rbnotes.ledger.sueda.section_1_2 import twist_matrix
from rbnotes.ledger.sueda.section_1_3 import exp_frame_reference
from rbnotes.ledger.sueda.section_1_6 import PUSHED, acceleration_reference

STEP = {**PUSHED, "h": positive_numbers(0.125, 1)}
MOVING = {"E": frames(), "phi": twists(), "h": positive_numbers(0.125, 1)}


def one_step(M, E, phi, wrench, h):
    """A step of symplectic Euler under a constant wrench."""
    push = Forces.without_derivatives(wrench)
    body = FreeSystem(M, gravity=np.zeros(3), applied=lambda state: push)
    return symplectic_euler(body, State(E, phi), h)


def velocity_library(m, c, J, phi, wrench, h):
    return one_step(spatial_inertia(m, J, c), np.eye(4), phi, wrench, h).phi[0]


def velocity_reference(m, c, J, phi, wrench, h):
    return phi + h * acceleration_reference(m, c, J, phi, wrench)


@claim("sueda/s1.8/e1.27", "The acceleration as a difference")
class e1_27:
    formula = r"\dot\phi = \frac{\phi^{(k+1)} - \phi^{(k)}}h"
    inputs = STEP

    def printed(m, c, J, phi, wrench, h):
        after = velocity_reference(m, c, J, phi, wrench, h)
        return (after - phi) / h

    def library(m, c, J, phi, wrench, h):
        return (velocity_library(m, c, J, phi, wrench, h) - phi) / h

    oracle = "the acceleration for which six point masses need the wrench, for the step of (1.28)"

    def reference(m, c, J, phi, wrench, h):
        return acceleration_reference(m, c, J, phi, wrench)

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

    def printed(m, c, J, phi, wrench, h):
        M = kinetic_energy_matrix(m, J, c)
        w, v = bracket(phi[:3]), bracket(phi[3:])
        zero = np.zeros((3, 3))
        ad = np.block([[w, zero], [v, w]])
        return np.linalg.solve(M, M @ phi + h * (ad.T @ M @ phi + wrench))

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


@claim("sueda/s1.8/m1", "What the sample program prints: the name and the mass of its body")
class m1:
    verdict = Verdict.DEFINITION
    remark = (
        "The program itself is not part of the notes; the chapter flies a body of 10 g with the "
        "described velocities."
    )
    implemented_by = ("rbnotes.dynamics.integrate",)
    chapter = "free-flight"
