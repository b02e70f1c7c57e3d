"""Particles that ride on the bodies of a tree: deformable things tied to it (Sueda 2.7).

The attached particles have no velocities of their own. What they weigh, and what pulls at them, goes to the
joints; the free ones are passed on by an identity block (Sueda eqs. (2.87) to (2.92)):

    [ v_a  ]   [ 0  J_am J_mr ] [ v_f  ]
    [ v_f  ] = [ I  0         ] [ qdot ].
    [ qdot ]   [ 0  I         ]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rbnotes import _se3, _so3, arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.tree.constraints import AttachedParticle
from rbnotes.tree.reduced import Bends, ReducedSystem
from rbnotes.tree.rows import point_motion
from rbnotes.tree.system import TreeSystem
from rbnotes.tree.tangent import geometric_stiffness, variation


@dataclass(frozen=True, eq=False)
class AttachedSystem(ReducedSystem):
    """A tree with particles of which some ride on its bodies: its states hold the free ones alone, in order.

    In contrast to the same :class:`~rbnotes.tree.constraints.AttachedParticle` as a constraint, nothing can
    drift off.

    Raises
    ------
    InvalidArgument
        If there is no such particle or link, or one is attached twice.
    """

    attached: Sequence[AttachedParticle]
    """Which particles ride, each on its link and at its point there, m."""

    def __post_init__(self) -> None:
        arguments.instance("system", self.system, TreeSystem)
        object.__setattr__(self, "attached", arguments.instances("attached", self.attached, AttachedParticle))
        count, seen = len(self.system.masses), set()
        for each in self.attached:
            if not 0 <= each.particle < count or each.particle in seen:
                got = f"particle {each.particle}" + (" twice" if each.particle in seen else "")
                raise InvalidArgument("attached", got, f"different ones of {count}, counted from 0")
            seen.add(each.particle)
            if each.link is not None:
                self.system.tree.index(each.link)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """Numbers of the free particles, among all."""
        tied = {each.particle for each in self.attached}
        return tuple(k for k in range(len(self.system.masses)) if k not in tied)

    def _expanded(self, state: State) -> tuple[State, Array, Array]:
        tree, count, free = self.system.tree, len(self.system.masses), list(self.free)
        k = tree.size
        if len(state.x) != len(free) or state.q.shape != (k,) or state.qdot.shape != (k,):
            got = f"{len(state.x)} particles, q {state.q.shape}, qdot {state.qdot.shape}"
            raise InvalidArgument("state", got, f"{len(free)} free particles, q and qdot of shape ({k},)")
        x, v = np.zeros((2, count, 3))
        x[free], v[free] = state.x, state.v
        whole = replace(state, x=x, v=v)
        at = self.system.motion(whole)
        J = np.zeros((3 * count + k, 3 * len(free) + k))
        J[3 * count :, 3 * len(free) :] = np.eye(k)
        drift = np.zeros(len(J))
        for column, particle in enumerate(free):
            J[3 * particle : 3 * particle + 3, 3 * column : 3 * column + 3] = np.eye(3)
        for each in self.attached:
            place, rows, turning = point_motion(self.system, whole, at, each.link, each.x)
            own = slice(3 * each.particle, 3 * each.particle + 3)
            J[own, 3 * len(free) :] = rows[:, 3 * count :]
            x[each.particle], v[each.particle] = place, rows[:, 3 * count :] @ state.qdot
            drift[own] = turning
        return replace(state, x=x, v=v), J, drift

    def _bends(self, state: State, acceleration: Array, f: Array) -> Bends:
        tree, count, first = self.system.tree, len(self.system.masses), 3 * len(self.free)
        varied = variation(tree, state.q, state.qdot, acceleration[first:])
        shape = (3 * count + tree.size, first + tree.size)
        velocities, accelerations, drift = (np.zeros(shape) for _ in range(3))
        wrenches = np.zeros_like(varied.phi)
        handed_on = np.zeros((shape[1], shape[1]))
        for each in self.attached:
            if each.link is None:
                continue
            i, own = tree.index(each.link), slice(3 * each.particle, 3 * each.particle + 3)
            R, G, phi = varied.bodies[i, :3, :3], _se3.Gamma(each.x), varied.phi[i]
            # In the body's frame, the velocity u of the point and its rate; the frame turns with J.
            u, turning, spin = G @ phi, varied.J[i, :3], _so3.hat(phi[:3])
            rate, u_q = G @ varied.rate[i] + spin @ u, G @ varied.phi_q[i]
            rate_q = G @ varied.rate_q[i] + spin @ u_q - _so3.hat(u) @ varied.phi_q[i, :3]
            velocities[own, first:] = R @ (u_q - _so3.hat(u) @ turning)
            accelerations[own, first:] = R @ (rate_q - _so3.hat(rate) @ turning)
            by_qdot = G @ varied.rate_qdot[i] + spin @ G @ varied.J[i] - _so3.hat(u) @ turning
            drift[own, first:] = R @ by_qdot
            pull = R.T @ f[own]
            wrenches[i] += G.T @ pull
            handed_on[first:, first:] += varied.J[i].T @ G.T @ _so3.hat(pull) @ turning
        handed_on[first:, first:] += geometric_stiffness(tree, state.q, wrenches)
        return Bends(velocities, accelerations, drift, handed_on)
