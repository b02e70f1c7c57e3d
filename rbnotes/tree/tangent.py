"""How the forces of a tree change with its coordinates and velocities: all terms, in closed form (Sueda 2.5).

Three things make inverse dynamics change, and linearly implicit steps leave out the most of them (Sueda eq.
(2.79)). *Twists and accelerations* of the bodies change, by one sweep from roots to leaves like that of the
Jacobian; *wrenches* with them and with the poses; and the *Jacobian* that hands wrenches to the joints,
which makes a geometric stiffness. A bracket is behind the most of it: seen from a frame that moves with a
column S_l of its joint, every twist x from further up changes by ``-ad(S_l) x = ad(x) S_l``.

Derivatives by q hold qdot and qddot, and those by qdot hold q and qddot; they are the last axis. Joints add
their dS, and for their drifts the second derivatives of S along the velocities (``drift_slope``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import _se3, _so3, arguments
from rbnotes.arguments import Array
from rbnotes.tree.dynamics import (
    _answers_within,
    _applied,
    _body_wrenches,
    _mass_matrix,
    _reduced_force,
    accelerations,
    coordinate_constraints,
    regular_mass_matrix,
)
from rbnotes.tree.kinematics import _both, _jacobian, _poses, _steps, _times, alike
from rbnotes.tree.model import Tree
from rbnotes.tree.products import passed_on


class DynamicsDerivatives(NamedTuple):
    """Derivatives of joint forces or accelerations ``(..., k)``."""

    q: Array
    """By the coordinates ``(..., k, k)``, in the unit of the value per rad or m."""
    qdot: Array
    """By the velocities ``(..., k, k)``, in the unit of the value per rad/s or m/s."""


class Variation(NamedTuple):
    """A motion of a tree, and how it changes; twists are in body coordinates."""

    bodies: Array
    """Frames of the bodies ``(..., n, 4, 4)``, m."""
    phi: Array
    """Body twists ``(..., n, 6)``, rad/s and m/s."""
    J: Array
    """Their derivative ``(..., n, 6, k)`` by qdot, rad and m per unit of the coordinates, and that of their
    rates by qddot: the Jacobian.
    """
    phi_q: Array
    """Derivative ``(..., n, 6, k)`` of the twists by q, rad/s and m/s per unit of the coordinates."""
    rate: Array
    """Rates ``(..., n, 6)`` of the twists, rad/s^2 and m/s^2, ``J qddot + Jdot qdot``."""
    rate_q: Array
    """Derivative ``(..., n, 6, k)`` of these by q, rad/s^2 and m/s^2 per unit of the coordinates."""
    rate_qdot: Array
    """Derivative ``(..., n, 6, k)`` of these by qdot, rad/s and m/s per unit of the coordinates."""


def variation(tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike) -> Variation:
    """Twists of all bodies and their rates, with all derivatives, by one sweep from roots to leaves.

    Raises InvalidArgument if the shape of ``q``, ``qdot`` or ``qddot`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _variation(tree, *alike(tree, q=q, qdot=qdot, qddot=qddot))


def _variation(tree: Tree, q: Array, qdot: Array, qddot: Array) -> Variation:
    steps = _steps(tree, q)
    A = _se3.Ad_inverse(steps)
    J = _jacobian(tree, q, A)
    # One more than there are links: the world rests, and is the last one, number -1.
    shape = (*q.shape[:-1], len(tree.links) + 1, 6)
    phi, rate = np.zeros(shape), np.zeros(shape)
    phi_q, rate_q, rate_qdot = (np.zeros((*shape, tree.size)) for _ in range(3))
    for i, (link, parent, own) in enumerate(zip(tree.links, tree.parents, tree.slices, strict=True)):
        v, a, S = qdot[..., own], qddot[..., own], J[..., i, :, own]
        dS, to_here = link.joint._dS(q[..., own]), A[..., i, :, :]
        Sdot, turning = np.einsum("...ijl,...l->...ij", dS, v), _held(dS, v)
        twist, seen = _times(S, v), _times(to_here, phi[..., parent, :])
        seen_rate = _times(to_here, rate[..., parent, :])
        moving, beside = _se3.ad(twist), _se3.ad(seen)

        phi[..., i, :] = seen + twist
        rate[..., i, :] = seen_rate + _times(beside, twist) + _times(S, a) + _times(Sdot, v)

        seen_q = to_here @ phi_q[..., parent, :, :]
        seen_q[..., own] = beside @ S
        phi_q[..., i, :, :] = seen_q
        phi_q[..., i, :, own] += turning

        rate_q[..., i, :, :] = to_here @ rate_q[..., parent, :, :] - moving @ seen_q
        rate_q[..., i, :, own] += _se3.ad(seen_rate) @ S + beside @ turning
        rate_q[..., i, :, own] += _held(dS, a) + link.joint._drift_slope(q[..., own], v)

        seen_qdot = J[..., i, :, :].copy()
        seen_qdot[..., own] = 0
        rate_qdot[..., i, :, :] = to_here @ rate_qdot[..., parent, :, :] - moving @ seen_qdot
        rate_qdot[..., i, :, own] += beside @ S + Sdot + turning
    links, to_bodies = slice(len(tree.links)), tree.to_bodies
    phi, rate = (_times(to_bodies, each[..., links, :]) for each in (phi, rate))
    phi_q, rate_q, rate_qdot = (to_bodies @ each[..., links, :, :] for each in (phi_q, rate_q, rate_qdot))
    return Variation(_poses(tree, steps).bodies, phi, to_bodies @ J, phi_q, rate, rate_q, rate_qdot)


def own_wrenches(tree: Tree, varied: Variation) -> tuple[Array, Array, Array]:
    """Wrenches of gravity, of the bodies' own motion, and of their inertia against their acceleration.

    ``(..., n, 6)``, with their derivatives ``(..., n, 6, k)`` by q and by qdot.
    """
    M, phi, J = tree.inertias, varied.phi, varied.J
    wrenches = _body_wrenches(tree, varied.bodies, phi) - _times(M, varied.rate)
    gyroscopic = np.swapaxes(_se3.ad(phi), -1, -2) @ M + turned_wrench(_times(M, phi))
    by_q = gyroscopic @ varied.phi_q + _weight_stiffness(tree, varied.bodies) @ J - M @ varied.rate_q
    return wrenches, by_q, gyroscopic @ J - M @ varied.rate_qdot


def geometric_stiffness(tree: Tree, q: ArrayLike, wrenches: ArrayLike) -> Array:
    """How ``J^T f`` changes ``(..., k, k)`` while the body wrenches ``f (..., n, 6)`` stay what they are.

    Wrenches are handed down from leaves to roots; a joint that turns what comes from beyond it changes what
    reaches all joints before it.

    Raises InvalidArgument if the shape of ``q`` or ``wrenches`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _geometric_stiffness(tree, tree.checked("q", q), _applied(tree, 0.0, wrenches)[1])


def _geometric_stiffness(tree: Tree, q: Array, wrenches: Array) -> Array:
    shape = arguments.common_shape(q=q.shape[:-1], wrenches=wrenches.shape[:-2])
    q, wrenches = (
        np.broadcast_to(q, (*shape, tree.size)),
        np.broadcast_to(wrenches, (*shape, len(tree.links), 6)),
    )
    A = _se3.Ad_inverse(_steps(tree, q))
    J = _jacobian(tree, q, A)
    total = passed_on(tree, wrenches, A)
    result = np.zeros((*shape, tree.size, tree.size))
    for i in range(len(tree.links)):
        own, here = tree.slices[i], total[..., i, :]
        S = J[..., i, :, own]
        result[..., :, own] = -np.swapaxes(J[..., i, :, :], -1, -2) @ turned_wrench(here) @ S
        result[..., own, own] = np.einsum("...a,...amj->...mj", here, tree.links[i].joint._dS(q[..., own]))
    return result


def inverse_dynamics_derivatives(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> DynamicsDerivatives:
    """Exact derivatives of :func:`~rbnotes.tree.inverse_dynamics`; that by qddot is the mass matrix.

    The applied wrenches stay what they are in body coordinates. What springs, dampers and other forces on
    bodies add is in :meth:`~rbnotes.tree.TreeSystem.tangent`.

    Raises InvalidArgument if a shape does not fit.
    """
    arguments.instance("tree", tree, Tree)
    q, qdot, qddot = alike(tree, q=q, qdot=qdot, qddot=qddot)
    return _inverse_dynamics_derivatives(tree, q, qdot, qddot, _applied(tree, 0.0, wrenches, q=q)[1])


def _inverse_dynamics_derivatives(
    tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array
) -> DynamicsDerivatives:
    varied = _variation(tree, q, qdot, qddot)
    own, by_q, by_qdot = own_wrenches(tree, varied)
    turned = _geometric_stiffness(tree, q, own + wrenches)
    stiffness, damping = (np.diag(tree.stacked(field)) for field in ("stiffness", "damping"))
    handed_on = (np.einsum("...nai,...naj->...ij", varied.J, each) for each in (by_q, by_qdot))
    q_slope, qdot_slope = handed_on
    return DynamicsDerivatives(stiffness - q_slope - turned, damping - qdot_slope)


def forward_dynamics_derivatives(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> DynamicsDerivatives:
    """Exact derivatives of :func:`~rbnotes.tree.forward_dynamics`, with its parameters; forces are held.

    They are along increments of the coordinates, with which states of a tree move. Where joints have
    constraints on their own coordinates, accelerations keep to these near the state, too: with
    ``M qddot - f = G^T mu`` and ``G qddot = -Gdot qdot`` both sides change, G among them. The derivatives
    along what the constraints allow (of a quaternion, across it) are those on a path of unit quaternions; the
    others tell what coordinates that have drifted off do.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        As forward dynamics does.
    """
    arguments.instance("tree", tree, Tree)
    q, qdot = _both(tree, q, qdot)
    tau, wrenches = _applied(tree, tau, wrenches, q=q)
    force, M = _reduced_force(tree, q, qdot, tau, wrenches), regular_mass_matrix(tree, q)
    qddot = accelerations(tree, q, qdot, M, force)
    q, qdot = np.broadcast_to(q, qddot.shape), np.broadcast_to(qdot, qddot.shape)
    inverse = _inverse_dynamics_derivatives(tree, q, qdot, qddot, wrenches)
    G, _ = coordinate_constraints(tree, q, qdot)
    across = np.swapaxes(G, -1, -2)
    left = _times(_mass_matrix(tree, q), qddot) - force
    mu = np.linalg.solve(G @ across, G @ left[..., None])[..., 0]
    turned, asked_q, asked_qdot = _constraint_slopes(tree, q, qdot, qddot, mu)
    return DynamicsDerivatives(
        _answers_within(tree, M, turned - inverse.q, G, -asked_q),
        _answers_within(tree, M, -inverse.qdot, G, -asked_qdot),
    )


def _constraint_slopes(
    tree: Tree, q: Array, qdot: Array, qddot: Array, mu: Array
) -> tuple[Array, Array, Array]:
    """Derivatives of ``G^T mu (..., k, k)`` by q, of ``G qddot + Gdot qdot (..., c, k)`` by q and by qdot."""
    turned = np.zeros((*mu.shape[:-1], tree.size, tree.size))
    by_q = np.zeros((*mu.shape, tree.size))
    by_qdot = by_q.copy()
    end = 0
    for link, own in zip(tree.links, tree.slices, strict=True):
        joint, here = link.joint, slice(end, end + link.joint.constraints)
        if joint.constraints:
            now, rate = q[..., own], qdot[..., own]
            each = np.broadcast_arrays(now[..., None, :], np.eye(joint.coordinates))
            dG = joint._constraint_rows_dot(*each)
            turned[..., own, own] = np.einsum("...lcj,...c->...jl", dG, mu[..., here])
            by_q[..., here, own] = np.einsum("...lcj,...j->...cl", dG, qddot[..., own])
            by_q[..., here, own] += joint._constraint_drift_slope(now, rate)
            by_qdot[..., here, own] = np.einsum("...lcj,...j->...cl", dG, rate)
            by_qdot[..., here, own] += joint._constraint_rows_dot(now, rate)
        end = here.stop
    return turned, by_q, by_qdot


def turned_wrench(wrenches: Array) -> Array:
    """Matrices ``(..., 6, 6)`` that take a twist xi to ``ad(xi)^T f``, for wrenches ``f (..., 6)``."""
    moment, force = _so3.hat(wrenches[..., :3]), _so3.hat(wrenches[..., 3:])
    upper = np.concatenate([moment, force], axis=-1)
    return np.concatenate([upper, np.concatenate([force, np.zeros_like(force)], axis=-1)], axis=-2)


def _weight_stiffness(tree: Tree, bodies: Array) -> Array:
    """How the weights in body coordinates change as bodies turn ``(..., n, 6, 6)``."""
    weights, centres = tree.weights
    local = np.einsum("...nji,nj->...ni", bodies[..., :3, :3], weights)
    result = np.zeros((*local.shape[:-1], 6, 6))
    result[..., :3] = np.swapaxes(_se3.Gamma(centres), -1, -2) @ _so3.hat(local)
    return result


def _held(dS: Array, rates: Array) -> Array:
    """Derivative ``(..., 6, k)`` of ``S rates``, the rates held."""
    result: Array = np.einsum("...ijl,...j->...il", dS, rates)
    return result
