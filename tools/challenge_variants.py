"""42 functions as students submit them: right ones, wrong ones, and wrong ones that look right.

Each is a variant of one of four tasks and is known to be right or wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

Array = NDArray[Any]
PRODUCT, EXPONENTIAL, LOGARITHM, TWIST = (
    *("lloyd/s0.2/d2", "sueda/s1.3/e1.10#a", "sueda/s1.3/e1.10#b", "sueda/s1.5/e1.15"),
)


@dataclass(frozen=True)
class Variant:
    """Function for a claim, with its expected result."""

    claim: str
    description: str
    right: bool
    function: Callable[..., Any]


def product(q: Array, p: Array) -> Array:
    scalar = q[0] * p[0] - q[1:] @ p[1:]
    return np.append(scalar, q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:]))


def product_by_matrix(q: Array, p: Array) -> Array:
    s, x, y, z = q
    result: Array = np.array([[s, -x, -y, -z], [x, s, -z, y], [y, z, s, -x], [z, -y, x, s]]) @ p
    return result


def bracket(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(w: Array) -> Array:
    result: Array = Rotation.from_rotvec(w).as_matrix()
    return result


def rodrigues(w: Array, below: float = 1e-4, series: bool = True) -> Array:
    angle = float(np.linalg.norm(w))
    W = bracket(w)
    if angle < below:
        small: Array = np.eye(3) + W + (W @ W / 2 if series else 0)
        return small
    result: Array = np.eye(3) + np.sin(angle) / angle * W + (1 - np.cos(angle)) / angle**2 * W @ W
    return result


def by_arccos(w: Array) -> Array:
    R = rotation(w)
    angle = np.arccos((np.trace(R) - 1) / 2)
    result: Array = angle / (2 * np.sin(angle)) * (R - R.T)
    return result


def world_twist(E: Array, phi: Array) -> Array:
    omega = E[:3, :3] @ phi[:3]
    return np.append(omega, E[:3, :3] @ phi[3:] + np.cross(E[:3, 3], omega))


def adjoint(E: Array) -> Array:
    R, Z = E[:3, :3], np.zeros((3, 3))
    return np.block([[R, Z], [bracket(E[:3, 3]) @ R, R]])


def modifies_argument(q: Array, p: Array) -> Array:
    q /= np.linalg.norm(q) + 1
    return product(q * 0 + q, p)


def modifies_argument_afterwards(q: Array, p: Array) -> Array:
    result = product(q, p)
    p *= 0
    return result


_calls: list[int] = []


def depends_on_number_of_calls(q: Array, p: Array) -> Array:
    _calls.append(0)
    return product(q, p) + 1e-3 * len(_calls)


_random = np.random.default_rng(1)


def adds_noise(q: Array, p: Array) -> Array:
    return product(q, p) + 1e-3 * _random.normal(size=4)


def sometimes_returns_none(q: Array, p: Array) -> Any:
    return product(q, p) if q[0] >= 0 else None


_single = np.float32

VARIANTS = (
    Variant(PRODUCT, "written out", True, product),
    Variant(PRODUCT, "as a matrix", True, product_by_matrix),
    Variant(PRODUCT, "a list", True, lambda q, p: product(q, p).tolist()),
    Variant(
        PRODUCT,
        "in extended precision",
        True,
        lambda q, p: product(q.astype(np.longdouble), p.astype(np.longdouble)),
    ),
    Variant(PRODUCT, "scipy's, scaled", True, lambda q, p: product(q / 2, p * 2)),
    Variant(PRODUCT, "other order", False, lambda q, p: product(p, q)),
    Variant(PRODUCT, "sign of the scalar", False, lambda q, p: product(q, p) * [-1, 1, 1, 1]),
    Variant(PRODUCT, "scalar last", False, lambda q, p: np.roll(product(q, p), -1)),
    Variant(PRODUCT, "no cross product", False, lambda q, p: (product(q, p) + product(p, q)) / 2),
    Variant(
        PRODUCT, "normalized", False, lambda q, p: product(q, p) / (np.linalg.norm(product(q, p)) + 1e-300)
    ),
    Variant(
        PRODUCT, "wrong above 2", False, lambda q, p: product(q, p) * (1 - 2 * (np.max(np.abs([q, p])) > 2))
    ),
    Variant(PRODUCT, "complex", False, lambda q, p: product(q, p) * (1 + 1j)),
    Variant(PRODUCT, "single precision", False, lambda q, p: product(*np.asarray([q, p], dtype=_single))),
    Variant(
        PRODUCT,
        "single precision inside",
        False,
        lambda q, p: product(*np.asarray([q, p], dtype=_single)).astype(float),
    ),
    Variant(PRODUCT, "None", False, lambda q, p: None),
    Variant(PRODUCT, "None at times", False, sometimes_returns_none),
    Variant(PRODUCT, "a column", False, lambda q, p: product(q, p)[:, None]),
    Variant(PRODUCT, "the vector part", False, lambda q, p: product(q, p)[1:]),
    Variant(PRODUCT, "one argument", False, lambda q: product(q, q)),
    Variant(PRODUCT, "text", False, lambda q, p: str(product(q, p))),
    Variant(PRODUCT, "rounded", False, lambda q, p: np.round(product(q, p), 6)),
    Variant(PRODUCT, "changes an argument", False, modifies_argument),
    Variant(PRODUCT, "changes an argument afterwards", False, modifies_argument_afterwards),
    Variant(PRODUCT, "counts its calls", False, depends_on_number_of_calls),
    Variant(PRODUCT, "random", False, adds_noise),
    Variant(EXPONENTIAL, "scipy's expm", True, lambda w: expm(bracket(w))),
    Variant(EXPONENTIAL, "Rodrigues with a series", True, rodrigues),
    Variant(EXPONENTIAL, "transposed", False, lambda w: rotation(w).T),
    Variant(EXPONENTIAL, "degrees", False, lambda w: rotation(np.radians(w))),
    Variant(
        EXPONENTIAL, "the identity below 0.01", False, lambda w: rodrigues(w) if w @ w > 1e-4 else np.eye(3)
    ),
    Variant(EXPONENTIAL, "a first-order series below 0.001", False, lambda w: rodrigues(w, 1e-3, False)),
    Variant(EXPONENTIAL, "Rodrigues without a series", False, lambda w: rodrigues(w, 0.0)),
    Variant(
        EXPONENTIAL, "angles cut at pi", False, lambda w: rotation(w * min(1, np.pi / max(w @ w, 1) ** 0.5))
    ),
    Variant(LOGARITHM, "scipy's", True, lambda w: bracket(Rotation.from_rotvec(w).as_rotvec())),
    Variant(LOGARITHM, "arccos", False, by_arccos),
    Variant(
        LOGARITHM, "arccos with a guard", False, lambda w: by_arccos(w) if w @ w > 1e-6 else 0 * bracket(w)
    ),
    Variant(LOGARITHM, "a vector", False, lambda w: Rotation.from_rotvec(w).as_rotvec()),
    Variant(TWIST, "written out", True, world_twist),
    Variant(TWIST, "by the adjoint", True, lambda E, phi: adjoint(E) @ phi),
    Variant(TWIST, "linear part first", False, lambda E, phi: np.roll(world_twist(E, phi), 3)),
    Variant(TWIST, "the inverse pose", False, lambda E, phi: world_twist(np.linalg.inv(E), phi)),
    Variant(TWIST, "no lever arm", False, lambda E, phi: np.kron(np.eye(2), E[:3, :3]) @ phi),
)
