"""Draw trees of three bodies, and build the library's trees of the same bodies (not for oracles)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import inertia, joints
from rbnotes.arguments import Array
from rbnotes.ledger.oracles.body_trees import Assembly
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.testing.strategies import arrays, round_numbers, round_poses

KINDS = {
    "revolute": joints.Revolute(),
    "universal": joints.Universal(),
    "spherical": joints.ExponentialSpherical(),
    "prismatic": joints.Prismatic(),
}
ORDERS = tuple(tuple(np.roll(list(KINDS)[:3], shift).tolist()) for shift in range(3))
TREES = ((-1, 0, 1), (-1, 0, 0), (-1, -1, 0), (-1, 0, 1), (-1, -1, 1))
"""Chains, a fork, and two roots."""


def _assembly(parents: tuple[int, ...], kinds: tuple[str, ...], numbers: Array) -> Assembly:
    n = len(parents)
    frames: Array = np.tile(np.eye(4), (2, n, 1, 1))
    frames[..., :3, :3] = Rotation.from_rotvec(numbers[:, :6].reshape(-1, 3)).as_matrix().reshape(2, n, 3, 3)
    frames[..., :3, 3] = numbers[:, 6:12].reshape(2, n, 3)
    frames = round_poses(frames)
    spread = numbers[:, 12:21].reshape(n, 3, 3)
    moments = round_numbers(spread @ np.swapaxes(spread, -1, -2) / 3 + np.eye(3) / 2)
    inertias = np.trace(moments, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - moments
    return Assembly(
        parents,
        kinds,
        frames[0],
        frames[1],
        np.abs(2.5 + numbers[:, 21]),  # positive where the numbers are large, too
        numbers[:, 22:25],
        inertias,
        numbers[0, 25:],
    )


BODIES = st.builds(_assembly, st.sampled_from(TREES), st.sampled_from(ORDERS), arrays(3, 28))
"""Three bodies on a hinge, a universal and a ball joint in some order: six coordinates."""

FORKED_BODIES = st.builds(_assembly, st.just((-1, 0, 0)), st.sampled_from(ORDERS), arrays(3, 28)) | BODIES
"""The same; in half of the trees and more, the first body has two children."""

FOUR_BODIES = st.builds(
    _assembly,
    st.just((-1, 0, 1, 0)),
    st.just(("revolute", "universal", "prismatic", "revolute")),
    arrays(4, 28),
)
"""Four bodies with five coordinates; the body on the universal joint has a parent and a child."""

FOUR_BODIES_IN_ANY_TREE = st.builds(
    _assembly,
    st.sampled_from(((-1, 0, 1, 0), (-1, 0, 1, 2), (-1, 0, 0, 0), (-1, -1, 1, 1), (-1, -1, 0, 2))),
    st.just(("revolute", "universal", "prismatic", "revolute")),
    arrays(4, 28),
)
"""Four bodies on these joints: in a chain, on forks of two and three, and with two roots."""


def library_tree_of(assembly: Assembly) -> Tree:
    """Return the library's tree of the same bodies; the most recent trees are cached."""
    return _library_tree_of(assembly)


@lru_cache(maxsize=128)
def _library_tree_of(assembly: Assembly) -> Tree:
    frames = {-1: np.eye(4)} | dict(enumerate(assembly.joints))
    links = []
    for i, (parent, kind, F) in enumerate(
        zip(assembly.parents, assembly.kinds, assembly.joints, strict=True)
    ):
        M = inertia.spatial_inertia(assembly.masses[i], assembly.inertias[i], assembly.centers[i])
        placement, body = np.linalg.inv(frames[parent]) @ F, np.linalg.inv(F) @ assembly.bodies[i]
        links.append(Link(str(i), KINDS[kind], M, None if parent < 0 else str(parent), placement, body))
    return Tree(links, gravity=assembly.gravity)
