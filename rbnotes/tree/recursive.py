"""Dynamics of a tree by sweeps over its links: inverse, forward, and both mixed (Sueda 2.9, 2.10).

The same equations of motion as in :mod:`rbnotes.tree.dynamics`, without J and without the mass matrix: every
link is visited a few times, so that the cost grows as their number.

*Inverse* dynamics knows all accelerations. One sweep from the roots makes twists and their rates, one from
the leaves hands on what they take. *Forward* dynamics needs the inertia that each joint feels: that of its
body and of all that hangs on it, less what the joints beyond give way (Featherstone's articulated inertia).
In *hybrid* dynamics some joints move as told. They do not give way: what hangs on them is felt as if they
were locked, and the last sweep finds the forces that they take.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import _se3, arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.tree.dynamics import _applied, _body_wrenches, joint_forces
from rbnotes.tree.kinematics import _poses, _steps, _times, alike
from rbnotes.tree.model import Link, Tree
from rbnotes.tree.products import handed_on, moved


class Hybrid(NamedTuple):
    """What joints do of which some move as told, and the others as forces make them."""

    qddot: Array
    """Accelerations of all joints ``(..., k)``."""
    tau: Array
    """Applied forces ``(..., k)``: those given and, of joints that move as told, those that it takes."""


class Articulated(NamedTuple):
    """How a tree answers to accelerations and forces, joint by joint, in the frames of the joints."""

    inertias: Array
    """Wrench that a twist rate of a joint takes, with all that hangs on it ``(..., n, 6, 6)``."""
    S: list[Array]
    """Jacobian of each joint ``(..., 6, k)``."""
    gives: list[Array]
    """How each joint accelerates under forces along its coordinates ``(..., k, k)``; zero if it is driven."""


def newton_euler(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> Array:
    """Recursive inverse dynamics: applied joint forces ``(..., k)`` that the accelerations qddot take.

    The same as :func:`~rbnotes.tree.inverse_dynamics`, which forms the mass matrix.

    Parameters
    ----------
    wrenches
        Applied body wrenches ``(..., n, 6)`` besides gravity, in body coordinates.
    """
    q, qdot, qddot, _, wrenches = _checked(tree, q, qdot, qddot, 0.0, wrenches)
    steps = _steps(tree, q)
    A = _se3.Ad_inverse(steps)
    f = _acting(tree, q, qdot, qddot, wrenches, steps, A)
    return -handed_on(tree, q, f, A) - joint_forces(tree, q, qdot)


def articulated_bodies(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """Recursive forward dynamics: accelerations ``(..., k)`` under applied joint forces and wrenches.

    The same as :func:`~rbnotes.tree.forward_dynamics`, which solves with the mass matrix: parameters, errors,
    and that accelerations keep to the constraints that joints have on their own coordinates.
    """
    return hybrid_dynamics(tree, q, qdot, {}, tau, wrenches).qddot


def hybrid_dynamics(
    tree: Tree,
    q: ArrayLike,
    qdot: ArrayLike,
    accelerations: Mapping[str, ArrayLike],
    tau: ArrayLike = 0.0,
    wrenches: ArrayLike = 0.0,
) -> Hybrid:
    """Accelerations of joints under forces while others move as told, and the forces that these take.

    What :class:`~rbnotes.tree.PrescribedJoint` and its rows in the equations of motion say (Sueda eq.
    (2.106)), in linear time. With all joints driven it is inverse dynamics, with none forward dynamics.

    Parameters
    ----------
    accelerations
        Of the joints that are driven ``(..., k_i)``, by the names of their links; one of a single coordinate
        takes a number, too.
    tau
        Applied joint forces ``(..., k)`` besides those of springs and dampers; those on driven joints are
        not looked at.
    wrenches
        Applied body wrenches ``(..., n, 6)`` besides gravity, in body coordinates.

    Raises
    ------
    InvalidArgument
        If there is no link of a name, or its acceleration has not as many numbers as its joint has
        coordinates.
    SingularConfiguration
        If a joint that is not driven is in a singular state, or nothing heavy moves with it; the message
        names it.
    """
    told, driven = _told(tree, accelerations)
    q, qdot, qddot, tau, wrenches = _checked(tree, q, qdot, told, tau, wrenches)
    steps = _steps(tree, q)
    A = _se3.Ad_inverse(steps)
    at = articulated(tree, q, A, driven)
    # Without accelerations of the joints: what the bodies would take, less what acts on them.
    f = _acting(tree, q, qdot, np.zeros_like(q), wrenches, steps, A)
    loads = -_times(_T(tree.to_bodies), f)
    springs = joint_forces(tree, q, qdot)

    pushed, own_drift = _along_constraints(tree, q, qdot, tau + springs)
    part = np.array(qddot)  # of each acceleration, what does not come from that of the parent
    for i in reversed(range(len(tree.links))):
        own, parent, S = tree.slices[i], tree.parents[i], at.S[i]
        if i not in driven:
            part[..., own] = _times(at.gives[i], pushed[..., own] - _times(_T(S), loads[..., i, :]))
        if parent >= 0:
            felt = loads[..., i, :] + _times(at.inertias[..., i, :, :], _times(S, part[..., own]))
            loads[..., parent, :] += _times(_T(A[..., i, :, :]), felt)

    # One more than there are links: the world rests, and is the last one, number -1.
    rates = np.zeros((*q.shape[:-1], len(tree.links) + 1, 6))
    qddot, tau = part.copy(), np.array(tau)
    for i, (parent, own) in enumerate(zip(tree.parents, tree.slices, strict=True)):
        S, inertia = at.S[i], at.inertias[..., i, :, :]
        carried = _times(A[..., i, :, :], rates[..., parent, :])
        qddot[..., own] -= _times(at.gives[i] @ _T(S) @ inertia, carried)
        rates[..., i, :] = carried + _times(S, qddot[..., own])
        if i in driven:
            needed = _times(inertia, rates[..., i, :]) + loads[..., i, :]
            tau[..., own] = _times(_T(S), needed) - springs[..., own]
        else:
            qddot[..., own] += own_drift[..., own]
    return Hybrid(qddot, tau)


def articulated(tree: Tree, q: Array, A: Array, driven: Collection[int] = ()) -> Articulated:
    """Articulated inertias of all joints, by one sweep from the leaves.

    Joints that give way hand on less than what they feel, and nothing along what they allow; driven ones hand
    on all of it.

    Parameters
    ----------
    A
        Adjoints ``(..., n, 6, 6)`` that take twists from the frame of the parent's joint to each joint's.
    driven
        Indices of the links whose joints do not give way.
    """
    S = [link.joint._S(q[..., own]) for link, own in zip(tree.links, tree.slices, strict=True)]
    bodies = _T(tree.to_bodies) @ tree.inertias @ tree.to_bodies
    inertias = np.array(np.broadcast_to(bodies, A.shape))
    locked = inertias.copy()  # the same if no joint gave way: what rounding is measured by
    gives: list[Array] = []
    for i in reversed(range(len(tree.links))):
        link, own, parent, feels = tree.links[i], tree.slices[i], tree.parents[i], inertias[..., i, :, :]
        U, passed = feels @ S[i], feels
        if i in driven:
            gives.append(np.zeros((*q.shape[:-1], own.stop - own.start, own.stop - own.start)))
        else:
            # Along the length of a quaternion nothing moves, and it is given an inertia.
            rows = link.joint.constraint_rows(q[..., own])
            held = tree.carried[i] * _T(rows) @ rows
            within = _T(S[i]) @ locked[..., i, :, :] @ S[i] + held
            gives.append(_inverse(link, _T(S[i]) @ U + held, within))
            passed = feels - U @ gives[-1] @ _T(U)
        if parent >= 0:
            back = _T(A[..., i, :, :])
            inertias[..., parent, :, :] += back @ passed @ A[..., i, :, :]
            locked[..., parent, :, :] += back @ locked[..., i, :, :] @ A[..., i, :, :]
    return Articulated(inertias, S, gives[::-1])


def _T(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _acting(
    tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array, steps: Array, A: Array
) -> Array:
    """Wrenches on the bodies ``(..., n, 6)``, less what their motion takes, in body coordinates."""
    phi, rate = (_times(tree.to_bodies, each) for each in moved(tree, q, qdot, qdot, qddot, A))
    own = _body_wrenches(tree, _poses(tree, steps).bodies, phi)
    return own + wrenches - _times(tree.inertias, rate)


def _along_constraints(tree: Tree, q: Array, qdot: Array, forces: Array) -> tuple[Array, Array]:
    """Forces without what joints' own constraints take up, and accelerations that only these ask for.

    Both ``(..., k)``. A joint's S is zero along the rows of its constraints, so that nothing else moves.
    """
    left, asked = np.array(forces), np.zeros(q.shape)
    for link, own in zip(tree.links, tree.slices, strict=True):
        if link.joint.constraints:
            now, rate = q[..., own], qdot[..., own]
            rows = link.joint.constraint_rows(now)
            drift = _times(link.joint.constraint_rows_dot(now, rate), rate)
            both = np.stack([_times(rows, forces[..., own]), drift], axis=-1)
            along = _T(rows) @ np.linalg.solve(rows @ _T(rows), both)
            left[..., own] -= along[..., 0]
            asked[..., own] = -along[..., 1]
    return left, asked


def _inverse(link: Link, D: Array, within: Array) -> Array:
    """Inverse of an inertia ``(..., k, k)`` along the coordinates of a joint.

    Scaled by that with all joints beyond it locked, so that radians and metres, heavy and light links count
    alike, and what rounding has left of an inertia is told from a small one.
    """
    if not D.shape[-1]:
        return np.zeros_like(D)
    size = np.diagonal(within, axis1=-2, axis2=-1)
    scale = 1 / np.sqrt(np.where(size > 0, size, 1.0))[..., None]
    scaled = D * scale * _T(scale)
    smallest = float(np.min(np.linalg.eigvalsh(scaled)))
    if smallest < 100 * np.finfo(float).eps:
        got = f"an inertia that is singular along {link.name!r} (eigenvalue {smallest:.3g}, scaled)"
        raise SingularConfiguration("q", got, "joints away from singular states, with inertia beyond them")
    result: Array = scale * np.linalg.inv(scaled) * _T(scale)
    return result


def _told(tree: Tree, accelerations: Mapping[str, ArrayLike]) -> tuple[Array, frozenset[int]]:
    """Accelerations ``(..., k)``, zero where none are told, and the indices of the links that are driven."""
    given: dict[int, Array] = {}
    for name, value in accelerations.items():
        i = tree.index(name)
        own, told = tree.slices[i], arguments.array(f"accelerations[{name!r}]", value)
        told = told[None] if told.ndim == 0 else told
        given[i] = arguments.vector(f"accelerations[{name!r}]", told, own.stop - own.start)
    shape = arguments.common_shape(
        **{f"accelerations[{tree.links[i].name!r}]": value.shape[:-1] for i, value in given.items()}
    )
    qddot = np.zeros((*shape, tree.size))
    for i, value in given.items():
        qddot[..., tree.slices[i]] = value
    return qddot, frozenset(given)


def _checked(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike
) -> list[Array]:
    """All that dynamics is given, with the same leading axes."""
    tau, wrenches = _applied(tree, tau, wrenches)
    wrenches = wrenches if wrenches.ndim else np.broadcast_to(wrenches, (len(tree.links), 6))
    vectors = alike(tree, q=q, qdot=qdot, qddot=qddot, tau=np.broadcast_to(tau, (*tau.shape[:-1], tree.size)))
    lead = arguments.common_shape(q=vectors[0].shape[:-1], wrenches=wrenches.shape[:-2])
    vectors = [np.broadcast_to(each, (*lead, tree.size)) for each in vectors]
    return [*vectors, np.broadcast_to(wrenches, (*lead, *wrenches.shape[-2:]))]
