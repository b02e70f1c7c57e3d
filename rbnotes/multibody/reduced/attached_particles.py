"""Particles attached to the bodies of a tree, which couple deformable bodies to it (Sueda 2.7).

The attached particles have no velocities of their own. Their weights and the forces on them act on the
joints; an identity block passes on the free particles (Sueda eqs. (2.87) to (2.92)):

    [ v_a  ]   [ 0  J_am J_mr ] [ v_f  ]
    [ v_f  ] = [ I  0         ] [ qdot ].
    [ qdot ]   [ 0  I         ]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.constraint_protocol import point_kinematics
from rbnotes.multibody.reduced.constraints import AttachedParticle
from rbnotes.multibody.reduced.dynamics_derivatives import (
    geometric_stiffness,
    kinematics_derivatives,
)
from rbnotes.multibody.reduced.reduced_tree import ReducedTree, ReductionDerivatives
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3, so3


def attach_particles(tree: Tree, attachments: Sequence[AttachedParticle]) -> ReducedTree:
    """Return a tree with some of its particles attached to its bodies, as a mechanical system.

    Its states hold the free particles alone, in order. The same
    :class:`~rbnotes.multibody.reduced.AttachedParticle` as a constraint may drift; here the particles cannot.
    The result is a :class:`~rbnotes.dynamics.MechanicalSystem` with the whole tree as its ``tree``:
    ``expand(state)`` returns the state of the whole tree, ``reduction(state)`` and
    ``acceleration_reduction(state)`` the maps to all velocities and accelerations.

    Parameters
    ----------
    tree
        Whole tree, with all particles and forces.
    attachments
        Attached particles, each with its link and its point there, m.

    Raises
    ------
    InvalidArgument
        If there is no such particle or link, or one is attached twice.
    """
    arguments.require_instance("tree", tree, Tree)
    attachments = arguments.instances("attachments", attachments, AttachedParticle)
    count, attached_particles = len(tree.masses), set()
    for attachment in attachments:
        if not 0 <= attachment.particle < count or attachment.particle in attached_particles:
            got = f"particle {attachment.particle}" + (
                " twice" if attachment.particle in attached_particles else ""
            )
            raise InvalidArgument("attachments", got, f"different indices below {count}")
        attached_particles.add(attachment.particle)
        if attachment.link is not None:
            tree.index(attachment.link)
    return _TreeWithAttachedParticles(tree, attachments)


@dataclass(frozen=True, eq=False)
class _TreeWithAttachedParticles(ReducedTree):
    """Tree whose attached particles follow its bodies.

    Attributes
    ----------
    attachments
        Attached particles.
    """

    attachments: Sequence[AttachedParticle]

    @cached_property
    def _free_particles(self) -> tuple[int, ...]:
        """Indices of the free particles among all particles."""
        attached_particles = {each.particle for each in self.attachments}
        return tuple(k for k in range(len(self.tree.masses)) if k not in attached_particles)

    def _expand(self, state: State) -> tuple[State, Array, Array]:
        """Return the state with all particles, and the reduction's J and bias."""
        tree, free_particles = self.tree, list(self._free_particles)
        count = len(tree.masses)
        k = tree.num_coordinates
        if len(state.x) != len(free_particles) or state.q.shape != (k,) or state.qdot.shape != (k,):
            got = f"{len(state.x)} particles, q {state.q.shape}, qdot {state.qdot.shape}"
            raise InvalidArgument(
                "state", got, f"{len(free_particles)} free particles, q and qdot of shape ({k},)"
            )
        x, v = np.zeros((2, count, 3))
        x[free_particles], v[free_particles] = state.x, state.v
        full_state = replace(state, x=x, v=v)
        kinematics = self.tree.body_kinematics(full_state)
        J = np.zeros((3 * count + k, 3 * len(free_particles) + k))
        J[3 * count :, 3 * len(free_particles) :] = np.eye(k)
        bias = np.zeros(len(J))
        for column, particle in enumerate(free_particles):
            J[3 * particle : 3 * particle + 3, 3 * column : 3 * column + 3] = np.eye(3)
        for attachment in self.attachments:
            position, rows, point_acceleration = point_kinematics(
                self.tree, full_state, kinematics, attachment.link, attachment.x
            )
            particle_rows = slice(3 * attachment.particle, 3 * attachment.particle + 3)
            J[particle_rows, 3 * len(free_particles) :] = rows[:, 3 * count :]
            x[attachment.particle], v[attachment.particle] = position, rows[:, 3 * count :] @ state.qdot
            bias[particle_rows] = point_acceleration
        return replace(state, x=x, v=v), J, bias

    def _reduction_derivatives(self, state: State, acceleration: Array, f: Array) -> ReductionDerivatives:
        """Return the derivatives of the reduction at a state, an acceleration and forces."""
        tree, first = self.tree, 3 * len(self._free_particles)
        count = len(tree.masses)
        derivatives = kinematics_derivatives(tree, state.q, state.qdot, acceleration[first:])
        shape = (3 * count + tree.num_coordinates, first + tree.num_coordinates)
        velocities, accelerations, bias = (np.zeros(shape) for _ in range(3))
        wrenches = np.zeros_like(derivatives.phi)
        forces = np.zeros((shape[1], shape[1]))
        for attachment in self.attachments:
            if attachment.link is None:
                continue
            i, particle_rows = (
                tree.index(attachment.link),
                slice(3 * attachment.particle, 3 * attachment.particle + 3),
            )
            R, G, phi = derivatives.body_poses[i, :3, :3], se3.Gamma(attachment.x), derivatives.phi[i]
            # u is the velocity of the point in the body's frame, which turns with J.
            u, angular_jacobian, spin = G @ phi, derivatives.J[i, :3], so3.hat(phi[:3])
            rate, u_q = G @ derivatives.phidot[i] + spin @ u, G @ derivatives.phi_q[i]
            rate_q = G @ derivatives.phidot_q[i] + spin @ u_q - so3.hat(u) @ derivatives.phi_q[i, :3]
            velocities[particle_rows, first:] = R @ (u_q - so3.hat(u) @ angular_jacobian)
            accelerations[particle_rows, first:] = R @ (rate_q - so3.hat(rate) @ angular_jacobian)
            by_qdot = (
                G @ derivatives.phidot_qdot[i] + spin @ G @ derivatives.J[i] - so3.hat(u) @ angular_jacobian
            )
            bias[particle_rows, first:] = R @ by_qdot
            body_force = R.T @ f[particle_rows]
            wrenches[i] += G.T @ body_force
            forces[first:, first:] += derivatives.J[i].T @ G.T @ so3.hat(body_force) @ angular_jacobian
        forces[first:, first:] += geometric_stiffness(tree, state.q, wrenches)
        return ReductionDerivatives(velocities, accelerations, bias, forces)
