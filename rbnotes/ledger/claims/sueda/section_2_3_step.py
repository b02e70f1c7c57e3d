"""Sueda 2.3: a step in reduced coordinates. The oracles ask Newton for each point mass."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, symplectic_euler
from rbnotes.ledger.claims.sueda.section_2_3 import NEWTON, reduced
from rbnotes.ledger.claims.sueda.section_2_trees import CHAIN, CHAPTER, HINGED, MOVING, tree_of
from rbnotes.ledger.joint_quantities import accelerations, coordinates, velocities
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced as reduced_coordinates
from rbnotes.testing.strategies import arrays, positive_numbers
from rbnotes.unchecked.central_differences import time_derivative_at_zero

STEP = ("rbnotes.dynamics.symplectic_euler", "rbnotes.multibody.reduced.TreeSystem")
STEPPED = {**MOVING, "h": positive_numbers(0.125, 1)}


def new_velocities(assembly, q, qdot, h):
    """(2.20)"""
    M_r, f_r = reduced(assembly, q, qdot)
    return np.linalg.solve(M_r, M_r @ qdot + h * f_r)


def stepped(assembly, q, qdot, h):
    """A step of the library's."""
    return symplectic_euler(reduced_coordinates.TreeSystem(tree_of(assembly)), State(q=q, qdot=qdot), h)


@claim("sueda/s2.3/e2.19", "The acceleration as a difference")
class e2_19:
    formula = r"\ddot{\mathbf q}_r = \frac{\dot{\mathbf q}_r^{(k+1)} - \dot{\mathbf q}_r^{(k)}}h"
    inputs = STEPPED
    result = accelerations

    def printed(assembly, q, qdot, h):
        """The difference over a step of (2.20)."""
        return (new_velocities(assembly, q, qdot, h) - qdot) / h

    def library(assembly, q, qdot, h):
        return (stepped(assembly, q, qdot, h).qdot - qdot) / h

    oracle = NEWTON + ": (2.20) is (2.18) with this difference"

    def reference(assembly, q, qdot, h):
        return body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s2.3/e2.20", "The new velocities of the joints")
class e2_20:
    formula = r"M_r\dot{\mathbf q}_r^{(k+1)} = M_r\dot{\mathbf q}_r^{(k)} + h\,\mathbf f_r"
    inputs = STEPPED
    result = velocities

    printed = new_velocities

    def library(assembly, q, qdot, h):
        return stepped(assembly, q, qdot, h).qdot

    oracle = "a step with the accelerations of " + NEWTON

    def reference(assembly, q, qdot, h):
        return qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s2.3/t840#a", "The system for the new velocities is dense")
class t840_a:
    formula = r"M_r \text{ has no zeros}"
    inputs = {"assembly": HINGED, "q": arrays(4)}
    result = NUMBER

    def printed(assembly, q):
        return np.ones((len(q), len(q)))

    def library(assembly, q):
        return np.abs(reduced_coordinates.mass_matrix(tree_of(assembly), q)) > 1e-9

    oracle = "which pairs of joint velocities have a term of the kinetic energy of all point masses in common"

    def reference(assembly, q):
        weighed = body_trees.mass_weighted_jacobian(assembly, q)
        return np.abs(weighed.T @ weighed) > 1e-9

    verdict = Verdict.CONDITIONAL
    given = {"assembly": CHAIN, "q": arrays(4)}

    def holds_when(assembly, q):
        """Is each body but the first carried by the one before it?"""
        return assembly.parents == (-1, 0, 1, 2)

    condition = (
        r"The tree is a chain. Of two joints neither of which carries the other, none moves what the other one "
        r"moves, and their entry is zero."
    )
    remark = r"Solvers for trees make use of it: elimination from the leaves to the root fills in nothing."
    implemented_by = ("rbnotes.multibody.reduced.mass_matrix",)
    chapter = CHAPTER


@claim("sueda/s2.3/t840#b", "The new positions of the joints")
class t840_b:
    formula = r"\mathbf q_r^{(k+1)} = \mathbf q_r^{(k)} + h\,\dot{\mathbf q}_r^{(k+1)}"
    inputs = STEPPED
    result = coordinates

    def printed(assembly, q, qdot, h):
        return q + h * new_velocities(assembly, q, qdot, h)

    def library(assembly, q, qdot, h):
        return stepped(assembly, q, qdot, h).q

    oracle = "a step with the accelerations of " + NEWTON

    def reference(assembly, q, qdot, h):
        return q + h * qdot + h**2 * body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = r"$\tfrac12 h^2\ddot{\mathbf q}_r$ too much, as in (1.29): a method of first order."
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s2.3/e2.21", "The equations of first order for an integrator")
class e2_21:
    formula = (
        r"\frac{d}{dt}\begin{pmatrix} \mathbf q_r \\ \dot{\mathbf q}_r \end{pmatrix} = "
        r"\begin{pmatrix} \dot{\mathbf q}_r \\ M_r^{-1}\mathbf f_r \end{pmatrix}"
    )
    inputs = MOVING

    def result(values):
        return velocities(values) + accelerations(values)

    def printed(assembly, q, qdot):
        M_r, f_r = reduced(assembly, q, qdot)
        return np.concatenate([qdot, np.linalg.inv(M_r) @ f_r])

    def library(assembly, q, qdot):
        system, state = reduced_coordinates.TreeSystem(tree_of(assembly)), State(q=q, qdot=qdot)
        return np.concatenate([state.qdot, system.acceleration(state)])

    oracle = "the slope, by differences, of a motion with the accelerations of " + NEWTON

    def reference(assembly, q, qdot):
        qddot = body_trees.accelerations(assembly, q, qdot, np.zeros(7))
        return time_derivative_at_zero(
            lambda t: np.hstack([q + t * qdot + t**2 / 2 * qddot, qdot + t * qddot])
        )

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.TreeSystem",)
    chapter = CHAPTER
