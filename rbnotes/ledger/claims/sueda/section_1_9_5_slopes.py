"""Sueda 1.9.5: how the force of a muscle through several points changes."""

from __future__ import annotations

import numpy as np

from rbnotes.forces.body_forces import body_path_length, path_wrenches
from rbnotes.forces.tension import ConstantTension
from rbnotes.ledger.claims.sueda.section_1_9 import CHAPTER, moves_along, path_along
from rbnotes.ledger.claims.sueda.section_1_9_4 import PARAMETERS
from rbnotes.ledger.claims.sueda.section_1_9_4_stiffness import muscle
from rbnotes.ledger.claims.sueda.section_1_9_5 import (
    EXACT,
    LENGTHS,
    MUSCLE,
    STILL,
    in_blocks,
    rows,
    spans,
)
from rbnotes.ledger.oracles.body_paths import length, pose_derivative, rate, twist_derivative, wrenches
from rbnotes.ledger.oracles.muscles import df_L, df_P, df_V, f_L, f_V, muscle_wrenches, tension
from rbnotes.ledger.quantities import (
    LENGTH,
    NUMBER,
    RATE,
    SPATIAL_DAMPING,
    SPATIAL_STIFFNESS,
    VELOCITY,
    WRENCH,
)
from rbnotes.ledger.record import Verdict, claim

MUSCLE_ALONG = {**path_along(3), **PARAMETERS}


QUANTITIES = {"a": NUMBER, "l_T": LENGTH, "l_opt": LENGTH, "v_max": RATE}


def normalised(E, x):
    """Sum of the f_k: statics of a unit tension."""
    return wrenches(lambda L, Ldot: 1.0, E, x, STILL)


STEP_POSES = (
    "complex step of the statics of a muscle through three moving points, along body-frame increments"
)


@claim("sueda/s1.9.5/e1.61", "Its stiffness by the product rule")
class e1_61:
    formula = r"K = \frac{\partial f}{\partial E}\sum_{k=1}^{n-1}f_k + f\sum_{k=1}^{n-1}K_k"
    inputs = MUSCLE
    result = SPATIAL_STIFFNESS

    def printed(E, x, phi, *parameters):
        """(1.61), its derivatives by complex steps."""
        F = tension(*parameters)
        slope = pose_derivative(lambda moved: F(length(moved, x), rate(moved, x, phi)), E)
        K = pose_derivative(lambda moved: normalised(moved, x), E)
        return np.outer(slope, normalised(E, x)) + F(length(E, x), rate(E, x, phi)) * K

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).K

    oracle = STEP_POSES

    def reference(E, x, phi, *parameters):
        return pose_derivative(lambda moved: muscle_wrenches(moved, x, phi, *parameters), E)

    verdict = Verdict.MISPRINT
    correction = (
        r"$K = \bigl(\sum\mathsf f_k\bigr)\dfrac{\partial f}{\partial E} + f\sum K_k$: column times row"
    )
    remark = (
        r"The text calls the first product an outer product with $\partial f/\partial E$ on the left. In "
        r"that order the matrix comes out transposed, which shows as soon as the bodies move."
    )
    implemented_by = EXACT
    chapter = CHAPTER


@claim("sueda/s1.9.5/t538", "The first product is an outer product of two long vectors")
class t538:
    formula = (
        r"K - f\sum_k K_k = \mathsf a\,\mathsf b^T,\quad \mathsf a,\mathsf b\in\mathbb R^{6n},\quad "
        r"\text{`each summand contributing to two block locations'}"
    )
    inputs = MUSCLE
    result = SPATIAL_STIFFNESS

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        slope = pose_derivative(lambda moved: F(length(moved, x), rate(moved, x, phi)), E)
        return np.outer(normalised(E, x), slope)

    def library(E, x, phi, *parameters):
        whole = path_wrenches(muscle(*parameters), E, x, phi)
        L, Ldot, _, _ = body_path_length(E, x, phi)
        return whole.K - muscle(*parameters)(L, Ldot).F * path_wrenches(ConstantTension(1.0), E, x, phi).K

    oracle = "complex steps of the statics of the muscle, less those of a tension that stays what it is"

    def reference(E, x, phi, *parameters):
        F = tension(*parameters)(length(E, x), rate(E, x, phi))
        held = pose_derivative(lambda moved: wrenches(lambda L, Ldot: F, moved, x, phi), E)
        return pose_derivative(lambda moved: muscle_wrenches(moved, x, phi, *parameters), E) - held

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Column times row, see (1.61). Which blocks each summand fills is checked with (1.60)."
    implemented_by = EXACT
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.63", "How the tension changes with the poses")
class e1_63:
    formula = (
        r"\frac{\partial f}{\partial E} "
        r"= \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf "
        r"d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d "
        r"= \frac{-f_{opt}(a f_L' f_V + f_P')}{l_{opt}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    )
    inputs = MUSCLE
    result = WRENCH / LENGTH

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = rows(E, x)
        lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
        factor = -f_opt * (a * df_L(lt) * f_V(vt) + df_P(lt)) / l_opt
        d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
        zero = np.zeros(6)
        return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])

    def library(E, x, phi, *parameters):
        L, Ldot, dL_dxi, dLdot_dxi = body_path_length(E, x, phi)
        _, F_L, F_Ldot = muscle(*parameters)(L, Ldot)
        return F_L * dL_dxi + F_Ldot * dLdot_dxi

    oracle = "complex step of the tension of a muscle through three moving points"

    def reference(E, x, phi, *parameters):
        return pose_derivative(lambda moved: tension(*parameters)(length(moved, x), rate(moved, x, phi)), E)

    verdict = Verdict.CONDITIONAL
    given = MUSCLE_ALONG
    holds_when = moves_along
    condition = (
        r"the ends move along their segments and the points between are at rest (or the tension does not "
        r"depend on $\tilde v$)"
    )
    correction = r"add $\dfrac{f_{opt}\,a f_L f_V'}{l_{opt}v_{max}}\dfrac{\partial v}{\partial E}$"
    remark = (
        "With the twists held, a change of pose turns the segments and the velocities of their points, "
        "so $v$ changes."
    )
    implemented_by = LENGTHS
    chapter = CHAPTER


@claim("sueda/s1.9.5/d3", "Its damping matrix, as (1.30) uses it")
class d3:
    formula = r"D = \frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k"
    inputs = MUSCLE
    result = SPATIAL_DAMPING

    def printed(E, x, phi, *parameters):
        """D, with the derivative of the tension by complex steps."""
        F = tension(*parameters)
        return np.outer(normalised(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))

    def library(E, x, phi, *parameters):
        return -path_wrenches(muscle(*parameters), E, x, phi).D

    oracle = "minus the complex step of the statics of a muscle through three moving points, along the twists"

    def reference(E, x, phi, *parameters):
        return -twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.1/t377")
    verdict = Verdict.ERRATUM
    correction = r"$D = -\bigl(\sum\mathsf f_k\bigr)\,\dfrac{\partial f}{\partial\Phi}$, or $-hD$ in (1.30)"
    remark = (
        r"(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$. The product is column times row."
    )
    implemented_by = EXACT
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.64", "How the tension changes with the twists")
class e1_64:
    formula = (
        r"\frac{\partial f}{\partial\Phi} "
        r"= \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf "
        r"d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d "
        r"= \frac{-f_{opt}(a f_L f_V')}{l_{opt}v_{max}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    )
    inputs = MUSCLE
    result = WRENCH / VELOCITY

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = rows(E, x)
        lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
        factor = -f_opt * (a * f_L(lt) * df_V(vt)) / (l_opt * v_max)
        d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
        zero = np.zeros(6)
        return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])

    def library(E, x, phi, *parameters):
        L, Ldot, dLdot_dphi, _ = body_path_length(E, x, phi)
        return muscle(*parameters)(L, Ldot).dF_dLdot * dLdot_dphi

    oracle = "complex step of the tension along the twists"

    def reference(E, x, phi, *parameters):
        return twist_derivative(lambda z: tension(*parameters)(length(E, x), rate(E, x, z)), phi)

    verdict = Verdict.HOLDS
    remark = "With $f_L$, where (1.56) has $f_L'$."
    implemented_by = LENGTHS
    chapter = CHAPTER


@claim("sueda/s1.9.5/t542", "The damping matrix is an outer product of two long vectors")
class t542:
    formula = (
        r"\frac{\partial\mathsf f}{\partial\Phi} = \mathsf a\,\mathsf b^T,\quad "
        r"\mathsf a = \sum_k\mathsf f_k,\ \mathsf b = \frac{\partial f}{\partial\Phi} \in\mathbb R^{6n}"
    )
    inputs = MUSCLE
    result = SPATIAL_DAMPING

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        return np.outer(in_blocks(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).D

    oracle = "complex step of the statics of a muscle through three moving points, along the twists"

    def reference(E, x, phi, *parameters):
        return twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    equivalent_mutants = {
        "swapped arguments in `np.outer(in_blocks(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))`": "the tension's slope is a multiple of the other vector",
    }
    verdict = Verdict.HOLDS
    remark = "So it has rank one: a muscle damps nothing but its own lengthening."
    implemented_by = EXACT
    chapter = CHAPTER
