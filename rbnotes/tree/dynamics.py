"""Motion of a tree under forces: mass matrix, forward and inverse dynamics, energies (Sueda 2.3, 2.5).

With ``phi = J qdot`` in the equations of motion of all bodies, multiplied by ``J^T``, in which the forces of
the joints do no work,

    M_r qddot = J^T (f - M Jdot qdot) + tau,      M_r = J^T M J.

f holds the wrenches of gravity, of the bodies' own motion and applied ones, tau the forces of springs and
dampers in the joints and applied ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import _se3, arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.tree.kinematics import Motion, _both, _times, jacobian, motion, poses, twists
from rbnotes.tree.model import Tree


def mass_matrix(tree: Tree, q: ArrayLike) -> Array:
    """``M_r = J^T M J (..., k, k)``, symmetric (Sueda eq. (2.18))."""
    J = jacobian(tree, q)
    momenta = tree.inertias @ J.reshape(*J.shape[:-2], -1, 6, J.shape[-1])
    M: Array = np.swapaxes(J, -1, -2) @ momenta.reshape(J.shape)
    return (M + np.swapaxes(M, -1, -2)) / 2


def body_wrenches(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Wrenches ``(..., n, 6)`` of gravity and of the bodies' own motion, in body coordinates (Sueda 1.6)."""
    q, qdot = _both(tree, q, qdot)
    return _body_wrenches(tree, poses(tree, q).bodies, twists(tree, q, qdot))


def weight_wrenches(tree: Tree, q: ArrayLike) -> Array:
    """Wrenches ``(..., n, 6)`` of gravity in body coordinates."""
    return _weight_wrenches(tree, poses(tree, q).bodies)


def joint_forces(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Forces ``(..., k)`` of the springs and dampers in the joints (Sueda 2.5, eqs. (2.72), (2.74))."""
    q, qdot = _both(tree, q, qdot)
    return -tree.stacked("stiffness") * (q - tree.stacked("rest")) - tree.stacked("damping") * qdot


def reduced_force(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """All that drives the joints ``(..., k)``: ``J^T (f - M Jdot qdot) + tau`` (Sueda eqs. (2.18), (2.73)).

    Parameters
    ----------
    tau
        Applied joint forces ``(..., k)`` besides those of springs and dampers, N m and N.
    wrenches
        Applied body wrenches ``(..., n, 6)`` besides gravity, in body coordinates.
    """
    q, qdot = _both(tree, q, qdot)
    tau, wrenches = _applied(tree, tau, wrenches)
    return driving_force(tree, motion(tree, q, qdot), wrenches) + joint_forces(tree, q, qdot) + tau


def driving_force(tree: Tree, at: Motion, wrenches: Array) -> Array:
    """``J^T (f - M Jdot qdot) (..., k)`` with the bodies' own wrenches and applied ones ``(..., n, 6)``."""
    f = _body_wrenches(tree, at.bodies, at.phi) + wrenches - _times(tree.inertias, at.drift)
    return np.einsum("...nai,...na->...i", at.J, f)


def forward_dynamics(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """Accelerations ``qddot (..., k)`` under applied joint forces and wrenches (Sueda eq. (2.18)).

    Parameters are those of :func:`reduced_force`.

    Raises
    ------
    SingularConfiguration
        If the mass matrix is singular: some joint is in a singular state.
    """
    M, force = mass_matrix(tree, q), reduced_force(tree, q, qdot, tau, wrenches)
    return solve_mass(M, force)


def inverse_dynamics(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> Array:
    """Applied joint forces tau ``(..., k)`` that it takes to accelerate the joints at ``qddot (..., k)``.

    Besides the springs, dampers, gravity and applied wrenches, as in :func:`reduced_force`.
    """
    qddot = arguments.vector("qddot", qddot, tree.size)
    return _times(mass_matrix(tree, q), qddot) - reduced_force(tree, q, qdot, 0.0, wrenches)


def kinetic_energy(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Of all bodies ``(...)``, J."""
    phi = twists(tree, q, qdot)
    result: Array = np.sum(phi * _times(tree.inertias, phi), axis=(-2, -1)) / 2
    return result


def potential_energy(tree: Tree, q: ArrayLike) -> Array:
    """Of gravity and of the joints' springs ``(...)``, J.

    That of gravity is zero with every centre of mass at the world's origin.
    """
    q = arguments.vector("q", q, tree.size)
    weights, centres = tree.weights
    height = _se3.transform_points(poses(tree, q).bodies, centres)
    stretch = q - tree.stacked("rest")
    return np.sum(tree.stacked("stiffness") * stretch**2, axis=-1) / 2 - np.sum(
        weights * height, axis=(-2, -1)
    )


def world_momentum(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Angular momentum about the world's origin, then linear momentum ``(..., 6)``, in world coordinates."""
    momenta = _times(tree.inertias, twists(tree, q, qdot))
    to_world = _se3.Ad_inverse(poses(tree, q).bodies)
    return np.einsum("...nba,...nb->...a", to_world, momenta)


def solve_mass(M: Array, force: Array) -> Array:
    """``M_r^-1 force (..., k)``.

    Raises
    ------
    SingularConfiguration
        If M_r is not positive definite to rounding.
    """
    if not M.shape[-1]:
        return np.zeros_like(force)
    # Scaled by its diagonal, so that radians and metres, heavy and light links count alike.
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    if np.any(diagonal <= 0):
        raise _singular(float(diagonal.min()))
    scale = 1 / np.sqrt(diagonal)
    scaled = M * scale[..., None] * scale[..., None, :]
    smallest = float(np.linalg.eigvalsh(scaled)[..., 0].min())
    if smallest < 100 * np.finfo(float).eps:
        raise _singular(smallest)
    return scale * np.linalg.solve(scaled, (scale * force)[..., None])[..., 0]


def _singular(smallest: float) -> SingularConfiguration:
    got = f"a mass matrix whose smallest eigenvalue, scaled, is {smallest:.3g}"
    return SingularConfiguration("q", got, "joints away from their singular states")


def _applied(tree: Tree, tau: ArrayLike, wrenches: ArrayLike) -> tuple[Array, Array]:
    tau, wrenches = arguments.array("tau", tau), arguments.array("wrenches", wrenches)
    n = len(tree.links)
    for name, value, shape in (("tau", tau, (tree.size,)), ("wrenches", wrenches, (n, 6))):
        if value.ndim and value.shape[-len(shape) :] != shape:
            raise arguments.InvalidArgument(name, f"shape {value.shape}", f"shape (..., {shape}), or 0")
    return tau, wrenches


def _body_wrenches(tree: Tree, bodies: Array, phi: Array) -> Array:
    momenta = _times(tree.inertias, phi)
    own = _times(np.swapaxes(_se3.ad(phi), -1, -2), momenta)
    return own + _weight_wrenches(tree, bodies)


def _weight_wrenches(tree: Tree, bodies: Array) -> Array:
    weights, centres = tree.weights
    return _se3.point_wrench(bodies, centres, weights)
