"""What bodies and joints of a tree feel, point mass by point mass: some joints free, the others locked.

No recursion: all is least squares with the displacements of points, each weighed by the root of its mass.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import chains
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.clouds import needed_wrench
from rbnotes.ledger.oracles.twists import twist_matrix, twist_of


def beyond(assembly: chains.Assembly, k: int) -> list[int]:
    """The bodies that hang on body k, however far, without itself."""
    found = [k]
    for _ in assembly.parents:
        found += [i for i, parent in enumerate(assembly.parents) if parent in found and i not in found]
    return found[1:]


def coordinates(assembly: chains.Assembly, bodies: list[int]) -> list[int]:
    """Those of the joints of some bodies."""
    parts = chains.parts(assembly)
    return [place for body in sorted(bodies) for place in range(parts[body].start, parts[body].stop)]


def weighed_slopes(assembly: chains.Assembly, q: Array) -> Array:
    """``(18 n, k)``, kept from call to call."""
    return _weighed(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _weighed(assembly: chains.Assembly, q: bytes) -> Array:
    return chains.weighed_slopes(assembly, np.frombuffer(q))


def rigid_slopes(assembly: chains.Assembly, q: Array, k: int, E: Array | None = None) -> Array:
    """Weighed displacements ``(18 n, 6)`` as body k moves with unit twists and takes along all beyond it.

    Twists are written in the frame E, by default in that of the body.
    """
    n = len(assembly.parents)
    E = chains.poses(assembly, q)[k] if E is None else E
    places = chains.points(assembly, q).reshape(n, 6, 3)
    moved = np.zeros((n, 6, 3, 6))
    for i in (k, *beyond(assembly, k)):
        for j, place in enumerate(places[i]):
            arm = E[:3, :3].T @ (place - E[:3, 3])
            gamma = np.concatenate([-bracket(arm), np.eye(3)], axis=1)
            moved[i, j] = np.sqrt(assembly.masses[i] / 6) * E[:3, :3] @ gamma
    return moved.reshape(18 * n, 6)


def parent_frame(assembly: chains.Assembly, q: Array, k: int) -> Array:
    """The frame of a body's parent: the world's, for one that hangs there."""
    parent = assembly.parents[k]
    return np.eye(4) if parent < 0 else chains.poses(assembly, q)[parent]


def articulated(assembly: chains.Assembly, q: Array, k: int) -> Array:
    """The inertia ``(6, 6)`` that body k feels like while the joints beyond it are free.

    What of its displacements is left when those joints do their best to keep the points where they are.
    """
    W, free = (
        rigid_slopes(assembly, q, k),
        weighed_slopes(assembly, q)[:, coordinates(assembly, beyond(assembly, k))],
    )
    left = W - free @ np.linalg.lstsq(free, W, rcond=None)[0] if free.size else W
    return left.T @ left


def felt_by_joint(assembly: chains.Assembly, q: Array, k: int) -> Array:
    """The inertia of joint k's own coordinates, the joints before it locked and those beyond it free."""
    slopes = weighed_slopes(assembly, q)
    own, free = slopes[:, coordinates(assembly, [k])], slopes[:, coordinates(assembly, beyond(assembly, k))]
    left = own - free @ np.linalg.lstsq(free, own, rcond=None)[0] if free.size else own
    return left.T @ left


def released(assembly: chains.Assembly, q: Array, bodies: list[int], force: Array) -> Array:
    """Accelerations of points, weighed ``(18 n, ...)``, at rest: these joints alone are free, and are pushed.

    The force ``(k, ...)`` is one on all coordinates; the locked ones do not care.
    """
    places = coordinates(assembly, bodies)
    C = weighed_slopes(assembly, q)[:, places]
    result: Array = C @ np.linalg.solve(C.T @ C, force[places])
    return result


def needed(assembly: chains.Assembly, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
    """What joints bring to each body ``(n, 6)``, in its frame: what its points need, less its loads."""
    phi, phidot = chains.twists(assembly, q, qdot), chains.twist_rates(assembly, q, qdot, qddot)
    E, found = chains.poses(assembly, q), []
    bodies = zip(assembly.masses, assembly.centres, assembly.inertias, strict=True)
    for i, (m, c, J) in enumerate(bodies):
        pull = m * E[i, :3, :3].T @ assembly.gravity
        weight = np.concatenate([np.cross(c, pull), pull])
        found.append(needed_wrench(m, c, J, phi[i], phidot[i]) - weight - wrenches[i])
    return np.stack(found)


def gathered(assembly: chains.Assembly, q: Array, wrenches: Array) -> Array:
    """For each body the sum of the wrenches ``(n, 6)`` on it and on all beyond it, moved to its origin."""
    E = chains.poses(assembly, q)
    forces = np.einsum("nij,nj->ni", E[:, :3, :3], wrenches[:, 3:])
    moments = np.einsum("nij,nj->ni", E[:, :3, :3], wrenches[:, :3]) + np.cross(E[:, :3, 3], forces)
    found = np.zeros_like(wrenches)
    for k in range(len(E)):
        bodies = [k, *beyond(assembly, k)]
        force, moment = forces[bodies].sum(axis=0), moments[bodies].sum(axis=0)
        here = moment - np.cross(E[k, :3, 3], force)
        found[k] = np.concatenate([E[k, :3, :3].T @ here, E[k, :3, :3].T @ force])
    return found


def terms(assembly: chains.Assembly, q: Array, qdot: Array, wrenches: Array) -> tuple[Array, Array, Array]:
    """Mass matrix, what steady coordinates take, and what holding the loads takes: d'Alembert's principle."""
    W = weighed_slopes(assembly, q)
    return W.T @ W, steady(assembly, q, qdot), -load_work(assembly, q, wrenches)


def steady(assembly: chains.Assembly, q: Array, qdot: Array) -> Array:
    """What the points take ``(k,)`` while the coordinates change steadily, without loads."""
    return _steady(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _steady(assembly: chains.Assembly, q: bytes, qdot: bytes) -> Array:
    at, v = np.frombuffer(q), np.frombuffer(qdot)
    roots = np.sqrt(np.repeat(assembly.masses / 6, 18))
    result: Array = weighed_slopes(assembly, at).T @ (roots * chains.point_drift(assembly, at, v))
    return result


def load_work(assembly: chains.Assembly, q: Array, wrenches: Array) -> Array:
    """Work ``(k,)`` of weights and wrenches for unit changes of the coordinates."""
    return _weight_forces(assembly, q.tobytes()) + _jacobian(assembly, q.tobytes()).T @ wrenches.ravel()


@lru_cache(maxsize=128)
def _weight_forces(assembly: chains.Assembly, q: bytes) -> Array:
    return chains.weight_forces(assembly, np.frombuffer(q))


@lru_cache(maxsize=128)
def _jacobian(assembly: chains.Assembly, q: bytes) -> Array:
    return chains.jacobian(assembly, np.frombuffer(q))


def accelerations(assembly: chains.Assembly, q: Array, qdot: Array, wrenches: Array, tau: Array) -> Array:
    """Of the coordinates ``(k,)``: what pushes the points, along what the coordinates allow."""
    W, pushes = (
        weighed_slopes(assembly, q),
        tau + load_work(assembly, q, wrenches) - steady(assembly, q, qdot),
    )
    triangle = np.asarray(np.linalg.qr(W, mode="r"))
    result: Array = np.linalg.solve(triangle, np.linalg.solve(triangle.T, pushes))
    return result


def left_over(assembly: chains.Assembly, q: Array, qdot: Array, wrenches: Array, tau: Array) -> Array:
    """What of the forces tau ``(k,)`` is left to accelerate the coordinates."""
    return tau + load_work(assembly, q, wrenches) - steady(assembly, q, qdot)


def articulated_all(assembly: chains.Assembly, q: Array) -> Array:
    """Of each body ``(n, 6, 6)``."""
    return _articulated_all(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _articulated_all(assembly: chains.Assembly, q: bytes) -> Array:
    return np.stack([articulated(assembly, np.frombuffer(q), k) for k in range(len(assembly.parents))])


def passed_on(assembly: chains.Assembly, q: Array) -> tuple[list[Array], list[Array]]:
    """For each body, what its parent, held still, feels of a wrench on it, and of a force of its joint.

    Both in the frame of the parent: ``(6, 6)``, the joint idle, and ``(6, k_i)``, what the joint needs. The
    joints beyond are idle.
    """
    return _passed_on(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _passed_on(assembly: chains.Assembly, q_bytes: bytes) -> tuple[list[Array], list[Array]]:
    q, n = np.frombuffer(q_bytes), len(assembly.parents)
    J, E = _jacobian(assembly, q_bytes), chains.poses(assembly, q)
    Y: list[Array] = []
    Pi: list[Array] = []
    for k in range(n):
        frame, free = parent_frame(assembly, q, k), [k, *beyond(assembly, k)]
        W, places = rigid_slopes(assembly, q, k, frame), coordinates(assembly, [k])
        unit = np.eye(assembly.size)[:, places]
        G = np.linalg.inv(frame) @ E[k]
        seen = np.stack([twist_of(np.linalg.inv(G) @ twist_matrix(each) @ G) for each in np.eye(6)], axis=-1)
        pushed = W.T @ released(assembly, q, free, unit)
        on_coordinates = J[6 * k : 6 * k + 6].T.copy()
        Y.append(seen.T - W.T @ released(assembly, q, free, on_coordinates))
        Pi.append(pushed)
    return Y, Pi


def held(assembly: chains.Assembly, q: Array, forces: Array) -> Array:
    """For each body the wrench ``(n, 6)`` that holds it, while forces move the joints beyond it alone."""
    found = np.zeros((len(assembly.parents), 6))
    for k in range(len(found)):
        if bodies := beyond(assembly, k):
            found[k] = rigid_slopes(assembly, q, k).T @ released(assembly, q, bodies, forces)
    return found


def joint_by_joint(assembly: chains.Assembly, q: Array, forces: Array) -> Array:
    """Accelerations ``(k,)`` of each joint with those before it locked; those beyond it are pushed, too."""
    C, found = weighed_slopes(assembly, q), np.zeros(assembly.size)
    for k in range(len(assembly.parents)):
        free, own = coordinates(assembly, [k, *beyond(assembly, k)]), coordinates(assembly, [k])
        rates = np.linalg.solve(C[:, free].T @ C[:, free], forces[free])
        found[own] = rates[[free.index(place) for place in own]]
    return found
