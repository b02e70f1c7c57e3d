"""Trees that the records of Sueda 2 share: drawn at random for the oracles, built for the library."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import joints
from rbnotes.dynamics import WORLD
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.oracles import body_trees
from rbnotes.multibody import maximal, reduced
from rbnotes.testing.strategies import arrays

CHAPTER = "reduced-coordinates"
KINDS = {
    "revolute": joints.Revolute,
    "prismatic": joints.Prismatic,
    "universal": joints.Universal,
    "spherical": joints.ExponentialSpherical,
}


def frames_of(numbers):
    """Poses from rotation vectors and places, six numbers each."""
    E = np.tile(np.eye(4), (len(numbers), 1, 1))
    E[:, :3, :3], E[:, :3, 3] = Rotation.from_rotvec(numbers[:, :3]).as_matrix(), numbers[:, 3:]
    return E


def inertias_of(numbers):
    """Rotational inertias that bodies can have, from nine numbers each."""
    moments = numbers @ np.swapaxes(numbers, -1, -2) / 3 + np.eye(3) / 2
    return np.trace(moments, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - moments


def some_frames(n):
    """Strategy for n poses in one array."""
    return arrays(n, 6).map(frames_of)


def some_parents(n):
    """Strategy for trees of n bodies, parents first: a body hangs on one of those before it, or in the world."""
    return st.tuples(*(st.integers(-1, i - 1) for i in range(n)))


def assemblies(parents, kinds, n):
    """Strategy for trees of n bodies with these parents and kinds of joints."""
    return st.builds(
        body_trees.Assembly,
        parents,
        kinds,
        some_frames(n),
        some_frames(n),
        arrays(n).map(lambda drawn: 2.5 + drawn),
        arrays(n, 3),
        arrays(n, 3, 3).map(inertias_of),
        arrays(3),
    )


# Four bodies with joints of four kinds and seven coordinates, in any tree and any order.
MIXED = assemblies(some_parents(4), st.permutations(tuple(KINDS)).map(tuple), 4)
PLACED = {"assembly": MIXED, "q": arrays(7)}
MOVING = {**PLACED, "qdot": arrays(7)}
ACCELERATED = {**MOVING, "qddot": arrays(7)}

HINGED = assemblies(some_parents(4), st.just(("revolute",) * 4), 4)
ON_HINGES = {"assembly": HINGED, "q": arrays(4), "qdot": arrays(4)}
CHAIN = assemblies(st.just((-1, 0, 1, 2)), st.just(("revolute",) * 4), 4)
SERIAL = {"assembly": CHAIN, "q": arrays(4)}

ANY_SIZE = st.integers(1, 6).flatmap(lambda n: assemblies(some_parents(n), st.just(("revolute",) * n), n))


def tree_of(assembly):
    """The library's tree of the same bodies."""
    links = []
    for i, (parent, kind) in enumerate(zip(assembly.parents, assembly.kinds, strict=True)):
        at = np.eye(4) if parent < 0 else assembly.joints[parent]
        links.append(
            reduced.Link(
                str(i),
                KINDS[kind](),
                spatial_inertia(assembly.masses[i], assembly.inertias[i], assembly.centers[i]),
                None if parent < 0 else str(parent),
                np.linalg.inv(at) @ assembly.joints[i],
                np.linalg.inv(assembly.joints[i]) @ assembly.bodies[i],
            )
        )
    return reduced.Tree(links, gravity=assembly.gravity)


def hinges_of(assembly):
    """The library's joints of maximal coordinates, for revolute ones."""
    hinges = []
    for i, parent in enumerate(assembly.parents):
        of_parent = np.eye(4) if parent < 0 else assembly.bodies[parent]
        hinges.append(
            maximal.Joint(
                joints.Revolute(),
                i,
                np.linalg.inv(assembly.bodies[i]) @ assembly.joints[i],
                WORLD if parent < 0 else parent,
                np.linalg.inv(of_parent) @ assembly.joints[i],
            )
        )
    return hinges
