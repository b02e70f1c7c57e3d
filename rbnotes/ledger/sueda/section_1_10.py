"""Sueda 1.10: joint constraints. The oracles move frames, or ask what forces point masses need."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import block_diag, null_space

from rbnotes import maximal, se3
from rbnotes.checking import complex_step, derivative
from rbnotes.checking.strategies import (
    arrays,
    frames,
    full_rank_matrices,
    inertias,
    masses,
    matrices,
    positive_numbers,
    spd_matrices,
    twists,
    vectors,
)
from rbnotes.constraints import factor_kkt, kkt_matrix
from rbnotes.dynamics import Forces, State, constrained_step, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import ExponentialSpherical, Fixed, Revolute
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, motion
from rbnotes.ledger.oracles.clouds import free_step, needed_wrench
from rbnotes.ledger.oracles.programs import minimizer, virtual_work
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_of
from rbnotes.ledger.record import Verdict, claim
from rbnotes.maximal import Mechanism, mechanism_rows

CHAPTER = "joints"

# Two bodies i and k, a joint frame J in the first, and their twists.
PAIR = {"Ei": frames(), "Ek": frames(), "J": frames(), "phi_i": twists(), "phi_k": twists()}
# Three bodies, and a joint frame in the first for each of the others.
STAR = {"E1": frames(), "E2": frames(), "E3": frames(), "J1": frames(), "J2": frames(), "Phi": arrays(18)}
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


def joined(kind, Ei, Ek, J):
    """A joint of body 0 to body 1, and the poses of the two."""
    poses = np.stack([Ei, Ek])
    return maximal.joint_at(kind, Ei @ J, poses, 0, 1), poses


def relative_twist_reference(Ei, Ek, J, phi_i, phi_k):
    """How the joint frame of i moves, seen from the frame of k that coincides with it just now."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    in_k = np.linalg.inv(Ek) @ Ei @ J
    return twist_of(derivative(lambda t: np.linalg.inv(watching(t) @ in_k) @ moving(t) @ J).value)


def relative_twist_printed(Ei, Ek, J, phi_i, phi_k):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return from_i @ phi_i - from_k @ phi_k


def ball_reference(Ei, Ek, J, phi_i, phi_k):
    """The gap between two points, one of each body, that coincide just now, seen along the joint's axes."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    at_i, at_k = J[:, 3], np.linalg.inv(Ek) @ Ei @ J[:, 3]
    gap = derivative(lambda t: moving(t) @ at_i - watching(t) @ at_k).value
    return (Ei @ J)[:3, :3].T @ gap[:3]


def hinge_reference(Ei, Ek, J, phi_i, phi_k):
    """Two axes, one of each body, that coincide just now: how they tilt apart, and the gap between points."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    x, y, _ = J[:3, :3].T
    z_of_k = (np.linalg.inv(Ek) @ Ei @ J)[:3, 2]

    def tilt(t):
        axis = watching(t)[:3, :3] @ z_of_k
        return np.array([(moving(t)[:3, :3] @ y) @ axis, -(moving(t)[:3, :3] @ x) @ axis])

    return np.concatenate([derivative(tilt).value, ball_reference(Ei, Ek, J, phi_i, phi_k)])


def hinge_blocks(Ei, Ek, J):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return np.delete(from_i, 2, axis=0), np.delete(-from_k, 2, axis=0)


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


PIN = np.linalg.inv(np.array([[0.6, -0.8, 0, 0.5], [0.8, 0.6, 0, -0.25], [0, 0, 1, 1], [0, 0, 0, 1]]))
PLACES = np.stack([np.eye(4), np.array([[0, 0, 1, 0.5], [1, 0, 0, 1], [0, 1, 0, -0.25], [0, 0, 0, 1.0]])])
PIN_ROWS = np.hstack(hinge_blocks(PLACES[0], PLACES[1], PIN))


@claim("sueda/s1.10/e1.69#a", "Relative twist of two bodies in a joint frame of the first")
class e1_69_a:
    formula = r"\delta\phi_j = {}^j\mathrm{Ad}\,\phi_i - {}^j\mathrm{Ad}\,\phi_k"
    inputs = PAIR

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad = adjoint_by_conjugation(np.linalg.inv(J))
        return j_Ad @ phi_i - j_Ad @ phi_k

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Fixed(), Ei, Ek, J)
        return maximal.relative_twist(joint, poses, np.stack([phi_i, phi_k]))

    oracle = (
        "differences along the motions of two bodies, of the first one's joint frame seen from the second"
    )
    reference = relative_twist_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"${}^j_i\mathrm{Ad}\,\phi_i - {}^j_k\mathrm{Ad}\,\phi_k$: the lower indices tell the adjoints "
        r"apart."
    )
    remark = "(2.8) has them."
    implemented_by = ("rbnotes.maximal.relative_twist",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.69#b", "The same by way of the world: three adjoints, not four")
class e1_69_b:
    formula = (
        r"\delta\phi_j = \begin{pmatrix} {}^j\mathrm{Ad} & "
        r"-{}^j\mathrm{Ad}\,{}^i\mathrm{Ad}\,{}^0\mathrm{Ad}\,{}^k\mathrm{Ad} "
        r"\end{pmatrix}\begin{pmatrix} \phi_i \\ \phi_k \end{pmatrix}"
    )
    inputs = PAIR

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad, i_Ad = adjoint_by_conjugation(np.linalg.inv(J)), adjoint_by_conjugation(np.linalg.inv(Ei))
        zero_Ad, k_Ad = adjoint_by_conjugation(Ek), adjoint_by_conjugation(np.linalg.inv(Ek))
        return np.hstack([j_Ad, -j_Ad @ i_Ad @ zero_Ad @ k_Ad]) @ np.concatenate([phi_i, phi_k])

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Fixed(), Ei, Ek, J)
        return maximal.joint_rows(joint, poses) @ np.concatenate([phi_i, phi_k])

    oracle = (
        "differences along the motions of two bodies, of the first one's joint frame seen from the second"
    )
    reference = relative_twist_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"$\begin{pmatrix} {}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad} "
        r"\end{pmatrix}$: from $k$ to the world, to $i$, to the joint. The last ${}^k\mathrm{Ad}$ is one "
        r"too many, and (2.8) does not have it."
    )
    implemented_by = ("rbnotes.maximal.joint_rows",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#a", "The adjoint the other way is the inverse")
class t570_a:
    formula = r"{}^i_0\mathrm{Ad} = {}^0_i\mathrm{Ad}^{-1}"
    inputs = {"E": frames()}

    def printed(E):
        return np.linalg.inv(adjoint_by_conjugation(E))

    def library(E):
        return se3.Ad_inverse(E)

    oracle = "conjugation of 4 x 4 twist matrices with the inverse pose"

    def reference(E):
        return adjoint_by_conjugation(np.linalg.inv(E))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_inverse",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#b", "A ball joint is what is left without the top three rows")
class t570_b:
    formula = r"\delta\phi_j \text{ without rows 1, 2, 3}"
    inputs = PAIR

    def printed(Ei, Ek, J, phi_i, phi_k):
        return relative_twist_printed(Ei, Ek, J, phi_i, phi_k)[3:]

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(ExponentialSpherical(), Ei, Ek, J)
        return maximal.joint_rows(joint, poses) @ np.concatenate([phi_i, phi_k])

    oracle = "differences of the gap between two points, one of each body, that coincide"
    reference = ball_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.maximal.joint_rows",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#c", "A hinge about z is what is left without the third row")
class t570_c:
    formula = r"\delta\phi_j \text{ without row 3}"
    inputs = PAIR

    def printed(Ei, Ek, J, phi_i, phi_k):
        return np.delete(relative_twist_printed(Ei, Ek, J, phi_i, phi_k), 2)

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Revolute(), Ei, Ek, J)
        return maximal.joint_rows(joint, poses) @ np.concatenate([phi_i, phi_k])

    oracle = "differences of how two axes tilt apart, one of each body, that coincide, and of points on them"
    reference = hinge_reference
    verdict = Verdict.HOLDS
    remark = (
        "Fixed, ball, hinge, slider, cylindrical and planar joints all come from dropping rows. A "
        "universal joint does not: the rotation it forbids is about the common perpendicular of two "
        "axes, one in each body, which is no axis of a frame that stays in either."
    )
    implemented_by = ("rbnotes.maximal.joint_rows",)
    chapter = CHAPTER


@claim("sueda/s1.10/t572", "Sizes of G: fixed, hinged, and three bodies on two hinges")
class t572:
    formula = r"6\times12,\quad 5\times12,\quad (5+5)\times(6+6+6)"

    def printed():
        return [6, 12, 5, 12, 5 + 5, 6 + 6 + 6]

    def library():
        pair, three = np.stack([np.eye(4)] * 2), np.stack([np.eye(4)] * 3)
        hinges = [maximal.hinge(0, parent=1), maximal.hinge(0, parent=2)]
        return [
            *maximal.joint_rows(maximal.fixed(0, parent=1), pair).shape,
            *maximal.joint_rows(maximal.hinge(0, parent=1), pair).shape,
            *maximal.joint_matrix(hinges, three).shape,
        ]

    oracle = "how many independent rates of coming apart all unit twists make, by differences along motions"

    def reference():
        """Ranks of the rates, by differences, at which the parts of the joints come apart, for all unit twists."""
        E, F, at = PLACES[0], PLACES[1], PIN
        pairs = np.eye(12).reshape(12, 2, 6)
        welded = [relative_twist_reference(E, F, at, *unit) for unit in pairs]
        hinged = [hinge_reference(E, F, at, *unit) for unit in pairs]
        triples = np.eye(18).reshape(18, 3, 6)
        star = [
            np.append(hinge_reference(E, F, at, a, b), hinge_reference(E, F @ F, at, a, c))
            for a, b, c in triples
        ]
        return [n for rates in (welded, hinged, star) for n in (np.linalg.matrix_rank(rates), len(rates))]

    tolerance = 0.0
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.maximal.joint_matrix",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.70", "Rows of two hinges among three bodies")
class e1_70:
    formula = (
        r"\begin{pmatrix} G_{11} & G_{12} & 0 \\"
        r" G_{21} & 0 & G_{23} \end{pmatrix}\begin{pmatrix} \phi_1 \\ \phi_2 \\"
        r" \phi_3 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \end{pmatrix}"
    )
    inputs = STAR

    def printed(E1, E2, E3, J1, J2, Phi):
        G11, G12 = hinge_blocks(E1, E2, J1)
        G21, G23 = hinge_blocks(E1, E3, J2)
        zero = np.zeros((5, 6))
        return np.block([[G11, G12, zero], [G21, zero, G23]]) @ Phi

    def library(E1, E2, E3, J1, J2, Phi):
        poses = np.stack([E1, E2, E3])
        joints = [
            maximal.joint_at(Revolute(), E1 @ J1, poses, 0, 1),
            maximal.joint_at(Revolute(), E1 @ J2, poses, 0, 2),
        ]
        return maximal.joint_matrix(joints, poses) @ Phi

    oracle = (
        "differences of how the axes and points of both hinges come apart along the motions of three bodies"
    )

    def reference(E1, E2, E3, J1, J2, Phi):
        phi1, phi2, phi3 = Phi.reshape(3, 6)
        apart = [hinge_reference(E1, E2, J1, phi1, phi2), hinge_reference(E1, E3, J2, phi1, phi3)]
        return np.concatenate(apart)

    verdict = Verdict.HOLDS
    remark = (
        "Checked on twists that the hinges do not allow, where the product is the rate at which they "
        "come apart."
    )
    implemented_by = ("rbnotes.maximal.joint_matrix",)
    chapter = CHAPTER


@claim("sueda/s1.10/t576", "The step of all bodies as one linear system")
class t576:
    formula = (
        r"\mathbf M\Phi = \tilde{\mathbf f},\quad \tilde f_i "
        r"= M_i\phi_i^{(k)} + h\left(\mathrm{ad}(\phi_i^{(k)})^TM_i\phi_i^{(k)} + \mathbf "
        r"f_\text{body}(E_i^{(k)})\right)"
    )
    inputs = STEP

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
        return free_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.constrained_step",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.71", "A step without joints minimises a quadratic function")
class e1_71:
    formula = r"\operatorname*{minimize}_\Phi\ \tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}"
    inputs = {"M": spd_matrices(6), "f": vectors(6)}

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

    def printed(M, G, f):
        def objective(Phi):
            return 1 / 2 * Phi @ M @ Phi - Phi @ f

        return minimizer(objective, G)

    def library(M, G, f):
        return factor_kkt(M, G).solve(f)[0]

    oracle = "virtual work: what holds the velocities does none on any that the joints allow"
    reference = virtual_work
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.factor_kkt",)
    chapter = CHAPTER


@claim("sueda/s1.10/t586", "A semidefinite mass matrix, and the KKT system")
class t586:
    formula = r"\mathbf M \succeq 0:\quad \text{(1.72) can be converted into a single linear system, (1.73)}"
    inputs = {"B": matrices(6, 3), "a": vectors(6), "G": full_rank_matrices(2, 6)}

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


@claim("sueda/s1.10/e1.73", "The KKT system of a step with joints")
class e1_73:
    formula = (
        r"\begin{pmatrix} \mathbf M & \mathbf G^T \\ \mathbf G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\"
        r" \lambda \end{pmatrix} = \begin{pmatrix} \tilde{\mathbf f} \\ 0 \end{pmatrix}"
    )
    inputs = OPTIMUM

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
        Phi = virtual_work(M, G, f)
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

    def printed(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        momentum = M @ free_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        missing = momentum - M @ virtual_work(M, PIN_ROWS, momentum)
        lam = np.linalg.lstsq(PIN_ROWS.T, missing, rcond=None)[0]
        return -PIN_ROWS.T @ lam / h

    def library(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        joint = maximal.joint_at(Revolute(), PLACES[0] @ PIN, PLACES, 0, 1)
        pair, state = system(body_i, body_k, f_i, f_k, [joint]), State(PLACES, np.stack([phi_i, phi_k]))
        rows = [mechanism_rows(pair, state, h)]
        step = constrained_step(symplectic_euler, pair, state, h, lambda state, h: rows)
        return np.concatenate(maximal.reactions(joint, PLACES, step.bilateral / h))

    oracle = (
        "what six point masses for each body need beyond the given wrenches to move as they do with a hinge"
    )

    def reference(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        """What six point masses for each body need beyond the given wrenches to move as they do with the hinge."""
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        free = free_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        after = np.split(virtual_work(M, PIN_ROWS, M @ free), 2)
        given = ((body_i, phi_i, f_i, after[0]), (body_k, phi_k, f_k, after[1]))
        held = [needed_wrench(m, c, J, phi, (new - phi) / h) - f for (m, c, J), phi, f, new in given]
        return np.concatenate(held)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "A wrench on each body, in that body's frame, and the mean over the step."
    implemented_by = ("rbnotes.maximal.reactions",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.74", "The two rows of the KKT system")
class e1_74:
    formula = (
        r"\begin{aligned} \mathbf M\Phi + \mathbf G^T\lambda &= \tilde{\mathbf f} \\"
        r" \mathbf G\Phi &= 0 \end{aligned}"
    )
    inputs = LINES

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
        "rbnotes.maximal.Mechanism",
        "rbnotes.dynamics.constrained_step",
    )
    chapter = CHAPTER
