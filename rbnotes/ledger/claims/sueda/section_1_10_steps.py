"""Sueda 1.10: a step with joints, as a minimum and as a linear system."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import block_diag, null_space

from rbnotes.constraints import factor_kkt, kkt_matrix
from rbnotes.dynamics import Forces, State, constrained_step, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Revolute
from rbnotes.ledger.claims.sueda.section_1_10 import CHAPTER, PIN, PLACES, hinge_blocks
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, point_masses
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench, unconstrained_step
from rbnotes.ledger.oracles.quadratic_programs import admissible_velocities, minimizer
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    TWIST,
    VELOCITY,
    WRENCH,
    TupleQuantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import Mechanism, joint_velocity_constraints
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import (
    full_rank_matrices,
    inertias,
    masses,
    matrices,
    positive_numbers,
    spd_matrices,
    twists,
    vectors,
)

OPTIMUM = {"M": spd_matrices(6), "G": full_rank_matrices(2, 6), "f": vectors(6)}
BODY = st.tuples(masses(), vectors(), inertias())
STEP = {
    "body_i": BODY,
    "body_k": BODY,
    "phi_i": twists(),
    "phi_k": twists(),
    "f_i": twists(),
    "f_k": twists(),
    "h": positive_numbers(0.125, 1),
}


QUANTITIES = {
    "B": NUMBER,
    "a": NUMBER,
    "body_i": TupleQuantity((MASS, LENGTH, INERTIA)),
    "body_k": TupleQuantity((MASS, LENGTH, INERTIA)),
    "f_i": WRENCH,
    "f_k": WRENCH,
    "lam": MOMENTUM,
}


def system(body_i, body_k, f_i, f_k, joints=()):
    inertias_ = [spatial_inertia(m, J, c) for m, c, J in (body_i, body_k)]
    push = Forces.without_derivatives(np.concatenate([f_i, f_k]))
    return Mechanism(np.stack(inertias_), joints, np.zeros(3), lambda state: push)


LINES = {
    "M": spd_matrices(6),
    "G": full_rank_matrices(2, 6),
    "f": vectors(6),
    "Phi": vectors(6),
    "lam": vectors(2),
}
PIN_ROWS = np.hstack(hinge_blocks(PLACES[0], PLACES[1], PIN))


@claim("sueda/s1.10/t576", "The step of all bodies as one linear system")
class t576:
    formula = (
        r"\mathbf M\Phi = \tilde{\mathbf f},\quad \tilde f_i "
        r"= M_i\phi_i^{(k)} + h\left(\mathrm{ad}(\phi_i^{(k)})^TM_i\phi_i^{(k)} + \mathbf "
        r"f_\text{body}(E_i^{(k)})\right)"
    )
    inputs = STEP
    result = TWIST

    def printed(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        masses_, momenta = [], []
        for (m, c, J), phi, f_body in ((body_i, phi_i, f_i), (body_k, phi_k, f_k)):
            M, w, v, zero = (
                kinetic_energy_matrix(m, J, c),
                bracket(phi[:3]),
                bracket(phi[3:]),
                np.zeros((3, 3)),
            )
            ad = np.block([[w, zero], [v, w]])
            masses_.append(M)
            momenta.append(M @ phi + h * (ad.T @ M @ phi + f_body))
        return np.linalg.solve(block_diag(*masses_), np.concatenate(momenta))

    def library(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        state = State(np.stack([np.eye(4)] * 2), np.stack([phi_i, phi_k]))
        pair = system(body_i, body_k, f_i, f_k)
        return constrained_step(symplectic_euler, pair, state, h, lambda state, h: []).state.phi.ravel()

    oracle = "steps with the accelerations for which six point masses need the wrenches, for each body"

    def reference(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        return unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.constrained_step",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.71", "A step without joints minimises a quadratic function")
class e1_71:
    formula = r"\operatorname*{minimize}_\Phi\ \tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}"
    inputs = {"M": spd_matrices(6), "f": vectors(6)}
    result = ACCELERATION

    def printed(M, f):
        def objective(Phi):
            return 1 / 2 * Phi @ M @ Phi - Phi @ f

        return minimizer(objective, np.zeros((0, len(f))))

    def library(M, f):
        return factor_kkt(M).solve(f)[0]

    oracle = "the solution of M Phi = f"

    def reference(M, f):
        return np.linalg.solve(M, f)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.factor_kkt",)
    chapter = CHAPTER


@claim(
    "sueda/s1.10/e1.72", "A step with joints minimises the same function among the velocities that they allow"
)
class e1_72:
    formula = (
        r"\operatorname*{minimize}_\Phi\ \tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf "
        r"f}\quad\text{subject to}\quad \mathbf G\Phi = 0"
    )
    inputs = OPTIMUM
    result = ACCELERATION

    def printed(M, G, f):
        def objective(Phi):
            return 1 / 2 * Phi @ M @ Phi - Phi @ f

        return minimizer(objective, G)

    def library(M, G, f):
        return factor_kkt(M, G).solve(f)[0]

    oracle = "virtual work: what holds the velocities does none on any that the joints allow"
    reference = admissible_velocities
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.factor_kkt",)
    chapter = CHAPTER


@claim("sueda/s1.10/t586#a", "A semidefinite mass matrix, and the KKT system")
class t586_a:
    formula = r"\mathbf M \succeq 0:\quad \text{(1.72) can be converted into a single linear system, (1.73)}"
    inputs = {"B": matrices(6, 3), "a": vectors(6), "G": full_rank_matrices(2, 6)}
    result = NUMBER

    def printed(B, a, G):
        M = B @ B.T
        zero = np.zeros(2)
        return np.linalg.solve(kkt_matrix(M, G), np.concatenate([M @ a, zero]))[:6]

    oracle = "the shortest of all velocities of least objective that G allows, by the pseudoinverse"

    def reference(B, a, G):
        Z = null_space(G)
        return Z @ np.linalg.pinv(B.T @ Z, rcond=1e-9) @ (B.T @ a)

    verdict = Verdict.CONDITIONAL
    given = {
        "B": matrices(6, 5).filter(lambda B: bool(np.linalg.svd(B)[1][-1] > 0.3)),
        "a": vectors(6),
        "G": full_rank_matrices(2, 6),
    }

    def holds_when(B, a, G):
        """Positive definite on what G allows: four velocities out of six, by (2, 6) rows."""
        return np.linalg.svd(B.T @ np.linalg.svd(G)[2][2:].T)[1][3:].sum() > 1e-6

    tolerance = 1e-08
    condition = (
        r"$\mathbf M$ is positive definite on the velocities with $\mathbf G\Phi = 0$, and the rows of "
        r"$\mathbf G$ are independent"
    )
    remark = (
        r"A mass matrix of bodies is definite, and a massless part makes it semidefinite: then the objective is "
        r"still convex, but the system is singular if the joints leave the massless part free to move."
    )
    implemented_by = ("rbnotes.constraints.kkt_matrix",)
    chapter = CHAPTER


@claim("sueda/s1.10/t586#b", "The mass matrix of bodies is positive definite, and the objective convex")
class t586_b:
    formula = (
        r"\mathbf M \succeq 0:\quad \frac{d^2}{dt^2}\Bigl(\tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}\Bigr) "
        r"= \dot\Phi^T\mathbf M\dot\Phi \ge 0\ \text{along straight lines}"
    )
    inputs = {"body_i": BODY, "body_k": BODY, "along_i": twists(), "along_k": twists()}
    quantities = {"along_i": TWIST, "along_k": TWIST}
    result = ENERGY

    def printed(body_i, body_k, along_i, along_k):
        """The curvature of the objective along a line, with the blocks of the spatial inertia."""
        M = [
            np.block([[J - m * bracket(c) @ bracket(c), m * bracket(c)], [-m * bracket(c), m * np.eye(3)]])
            for m, c, J in (body_i, body_k)
        ]
        along = np.append(along_i, along_k)
        return along @ block_diag(*M) @ along

    def library(body_i, body_k, along_i, along_k):
        none = np.zeros(6)
        along = np.append(along_i, along_k)
        return along @ system(body_i, body_k, none, none).mass_matrix(State(PLACES)) @ along

    oracle = "a sum of squares: masses times squared velocities of six points of each body, which never all stand still"

    def reference(body_i, body_k, along_i, along_k):
        total = 0.0
        for (m, c, J), twist in ((body_i, along_i), (body_k, along_k)):
            each, points = point_masses(m, J, c)
            total += each * np.sum((np.cross(twist[:3], points) + twist[3:]) ** 2)
        return total

    equivalent_mutants = {
        "swapped operands in `m * bracket(c) @ bracket(c)`": "both factors are multiples of one matrix",
    }
    verdict = Verdict.HOLDS
    remark = "'(Semi)': a body without extent, or without mass, would leave some velocities without energy."
    implemented_by = ("rbnotes.multibody.maximal.Mechanism",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.73", "The KKT system of a step with joints")
class e1_73:
    formula = (
        r"\begin{pmatrix} \mathbf M & \mathbf G^T \\ \mathbf G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\"
        r" \lambda \end{pmatrix} = \begin{pmatrix} \tilde{\mathbf f} \\ 0 \end{pmatrix}"
    )
    inputs = OPTIMUM
    result = vector_quantity((ACCELERATION, 6), (FORCE, 2))

    def printed(M, G, f):
        zero = np.zeros((2, 2))
        matrix = np.block([[M, G.T], [G, zero]])
        return np.linalg.solve(matrix, np.append(f, [0, 0]))

    def library(M, G, f):
        Phi, multipliers = factor_kkt(M, G).solve(f)
        return np.concatenate([Phi, -multipliers])

    oracle = "virtual work for Phi; for lambda, what is missing in the momentum along G^T"

    def reference(M, G, f):
        """Virtual work, and the lambda that G^T takes to what is missing in the momentum."""
        Phi = admissible_velocities(M, G, f)
        return np.concatenate([Phi, np.linalg.lstsq(G.T, f - M @ Phi, rcond=None)[0]])

    tolerance = 1e-08
    equivalent_mutants = {"negated G in `[G, zero]`": "the right side of these rows is zero"}
    verdict = Verdict.HOLDS
    remark = (
        r"Here $\lambda$ is the impulse that the joints *take*; ours, with $-\mathbf G^T$, is the one "
        r"that they give. Where rows of $\mathbf G$ repeat each other, as in closed loops, the matrix is "
        r"singular: $\Phi$ is still unique, $\lambda$ is not."
    )
    implemented_by = ("rbnotes.constraints.factor_kkt",)
    chapter = CHAPTER


@claim("sueda/s1.10/t590", "Reactions of the joints from the multipliers of a step")
class t590:
    formula = r"-\mathbf G^T\lambda/h"
    inputs = STEP
    result = WRENCH
    constants = (LENGTH,)

    def printed(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        momentum = M @ unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        missing = momentum - M @ admissible_velocities(M, PIN_ROWS, momentum)
        lam = np.linalg.lstsq(PIN_ROWS.T, missing, rcond=None)[0]
        return -PIN_ROWS.T @ lam / h

    def library(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        joint = maximal.joint_from_world_frame(Revolute(), PLACES[0] @ PIN, PLACES, 0, 1)
        pair, state = system(body_i, body_k, f_i, f_k, [joint]), State(PLACES, np.stack([phi_i, phi_k]))
        rows = [joint_velocity_constraints(pair, state)]
        step = constrained_step(symplectic_euler, pair, state, h, lambda state, h: rows)
        return np.concatenate(maximal.joint_reactions(joint, PLACES, step.bilateral_impulses / h))

    oracle = (
        "what six point masses for each body need beyond the given wrenches to move as they do with a hinge"
    )

    def reference(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        """What six point masses for each body need beyond the given wrenches to move as they do with the hinge."""
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        free = unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        after = np.split(admissible_velocities(M, PIN_ROWS, M @ free), 2)
        given = ((body_i, phi_i, f_i, after[0]), (body_k, phi_k, f_k, after[1]))
        held = [inertial_wrench(m, c, J, phi, (new - phi) / h) - f for (m, c, J), phi, f, new in given]
        return np.concatenate(held)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "A wrench on each body, in that body's frame, and the mean over the step."
    implemented_by = ("rbnotes.multibody.maximal.joint_reactions",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.74", "The two rows of the KKT system")
class e1_74:
    formula = (
        r"\begin{aligned} \mathbf M\Phi + \mathbf G^T\lambda &= \tilde{\mathbf f} \\"
        r" \mathbf G\Phi &= 0 \end{aligned}"
    )
    inputs = LINES
    quantities = {"Phi": VELOCITY, "f": MOMENTUM}
    result = vector_quantity((MOMENTUM, 6), (VELOCITY, 2))

    def printed(M, G, f, Phi, lam):
        return np.concatenate([M @ Phi + G.T @ lam - f, G @ Phi])

    def library(M, G, f, Phi, lam):
        return kkt_matrix(M, G) @ np.concatenate([Phi, -lam]) - np.concatenate([f, np.zeros(2)])

    oracle = "the gradient of the Lagrangian of (1.72) by the complex step"

    def reference(M, G, f, Phi, lam):
        """Gradient of the Lagrangian of (1.72)."""

        def lagrangian(x):
            return x[:6] @ M @ x[:6] / 2 - x[:6] @ f + x[6:] @ (G @ x[:6])

        return complex_step(lagrangian, np.concatenate([Phi, lam]))

    verdict = Verdict.HOLDS
    remark = (
        r"Checked off the solution, as what is missing on the right sides. These are impulses, not "
        r"forces, and with this sign they are taken from $\tilde{\mathbf f}$ rather than added."
    )
    implemented_by = ("rbnotes.constraints.kkt_matrix",)
    chapter = CHAPTER


@claim("sueda/s1.10/m1", "What the sample program prints: names and masses of its two bodies")
class m1:
    verdict = Verdict.DEFINITION
    remark = (
        "The program itself is not part of the notes; the chapter lets two bodies of 10 g swing, one "
        "from the world and one from the other."
    )
    implemented_by = (
        "rbnotes.multibody.maximal.Mechanism",
        "rbnotes.dynamics.constrained_step",
    )
    chapter = CHAPTER
