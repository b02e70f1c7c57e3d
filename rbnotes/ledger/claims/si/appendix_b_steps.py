"""Si & Guenter, appendix B: the nine steps of forward dynamics, as products of matrices."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_b import MATRICES, NEWTON, unit_factor
from rbnotes.ledger.claims.si.section_4_bias import own_wrenches
from rbnotes.ledger.claims.si.section_4_factors import PASSES, PUSHED
from rbnotes.ledger.claims.si.section_4_trees import CHAPTER, DRIVEN, passes
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import stacked_matrices
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.quantities import ACCELERATION, FORCE, RATE, TIME, TORQUE, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced

REST, STILL = np.zeros(6), np.zeros((3, 6))


@claim("si/sB/t352#a", "Steps 1 to 6: what is left of the joint forces")
class t352_a:
    formula = (
        r"\alpha = \mathbf G_\lambda\mathbf a,\quad \bar\alpha = \mathbf J\alpha + \mathbf b,\quad "
        r"\mathbf p = \mathbf G_\lambda^T\bar\alpha,\quad \bar{\mathbf p} = \mathbf S^T\mathbf p,\quad "
        r"\bar{\boldsymbol\tau} = \boldsymbol\tau - \bar{\mathbf p}"
    )
    inputs = DRIVEN
    result = vector_quantity(
        *3 * ((RATE / TIME, 3), (ACCELERATION, 3)),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 3),
        (FORCE, 3),
        (TORQUE, 6),
    )

    def printed(assembly, q, qdot, wrenches, tau):
        """With what (56) and (57) mean, a and b."""
        at = stacked_matrices(assembly, q, qdot)
        alpha = at.G @ (at.ad_Sqdot @ at.bodies.v.ravel() + at.Sdot @ qdot)
        alpha_bar = at.J @ alpha + own_wrenches(assembly, q, qdot, wrenches).ravel()
        p = at.G.T @ alpha_bar
        p_bar = at.S.T @ p
        return np.concatenate([alpha, alpha_bar, p, tau - p_bar])

    def library(assembly, q, qdot, wrenches, tau):
        found = passes(assembly, q, qdot, wrenches, tau)
        columns = (found.alpha, found.alpha_bar, found.p, found.tau_bar)
        return np.concatenate([each.ravel() for each in columns])

    oracle = "differences of twists; what the points of bodies, and of all beyond them, need; d'Alembert's principle"

    def reference(assembly, q, qdot, wrenches, tau):
        alpha = body_trees.twist_rates(assembly, q, qdot, REST)
        alpha_bar = articulated_bodies.joint_wrenches(assembly, q, qdot, REST, wrenches)
        p = articulated_bodies.subtree_wrenches(assembly, q, alpha_bar)
        left = articulated_bodies.net_generalized_force(assembly, q, qdot, wrenches, tau)
        return np.concatenate([alpha.ravel(), alpha_bar.ravel(), p.ravel(), left])

    primitives = ("rbnotes.ledger.oracles.point_mass_dynamics.inertial_wrench",)
    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = PASSES
    chapter = CHAPTER


@claim("si/sB/t352#b", "Steps 7 and 8: the factor, and its middle")
class t352_b:
    formula = (
        r"\mathbf c = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)\bar{\boldsymbol\tau},\quad "
        r"\bar{\mathbf c} = \Omega^{-1}\mathbf c"
    )
    inputs = PUSHED
    result = RATE / TIME

    def printed(assembly, q, qdot, tau):
        Omega = np.zeros((6, 6))
        for k, own in enumerate(body_trees.coordinate_slices(assembly)):
            Omega[own, own] = articulated_bodies.articulated_joint_inertia(assembly, q, k)
        c = unit_factor(assembly, q) @ articulated_bodies.net_generalized_force(assembly, q, qdot, STILL, tau)
        return np.linalg.inv(Omega) @ c

    def library(assembly, q, qdot, tau):
        return passes(assembly, q, qdot, STILL, tau).c_bar

    oracle = "all coordinates from a joint on at once, those before it locked: displacements of point masses"

    def reference(assembly, q, qdot, tau):
        return articulated_bodies.subtree_joint_accelerations(
            assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, STILL, tau)
        )

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = PASSES
    chapter = CHAPTER


@claim("si/sB/t352#c", "Step 9: the accelerations")
class t352_c:
    formula = r"\bar{\mathbf q} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)^T\bar{\mathbf c}"
    inputs = PUSHED
    result = RATE / TIME

    def printed(assembly, q, qdot, tau):
        """As a new name for coordinates, which the right side leaves as they are."""
        return q

    def library(assembly, q, qdot, tau):
        found = passes(assembly, q, qdot, STILL, tau)
        return reduced.factor_matrices(library_tree_of(assembly), q).unit_triangular.T @ found.c_bar

    oracle = NEWTON

    def reference(assembly, q, qdot, tau):
        return body_trees.accelerations(assembly, q, qdot, tau)

    tolerance = 1e-8
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"The left side is $\ddot{\mathbf q}$: $\ddot{\mathbf q} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda"
        r"\Pi_\lambda)^T\bar{\mathbf c}$."
    )
    units_mismatch = r"the left side is a coordinate, the right side an acceleration"
    implemented_by = (*PASSES, *MATRICES)
    chapter = CHAPTER
