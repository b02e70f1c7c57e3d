"""Points and frames attached to bodies, frames and weighted points: J and its drift (Lloyd 0.17, 0.19).

Velocities of points are in world coordinates, those of bodies and frames are twists in their own, angular
part first. The drift is that of accelerations, ``dJ/dt v``: what the attached component accelerates while
its masters keep their velocities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.attachments.attachment import Attachment
from rbnotes.unchecked import se3, so3


def point_on_body(
    component: int, body: int, E: ArrayLike, x: ArrayLike, phi: ArrayLike | None = None
) -> Attachment:
    """A point at ``x (3,)`` in a body with pose ``E (4, 4)``: ``J = R Gamma(x)`` (Lloyd eq. (0.36)).

    Parameters
    ----------
    phi : (6,), optional
        Twist of the body, rad/s and m/s, for the drift ``R (omega x (v + omega x x))`` of accelerations; zero
        by default.

    Raises
    ------
    InvalidArgument
        If ``component`` or ``body`` is negative, ``E`` is no pose, or the shape of ``x`` or ``phi`` does not
        fit.
    """
    component, x = arguments.count("component", component), arguments.single_vector("x", x)
    return points_on_body([component], body, E, [x], phi)[0]


def points_on_body(
    components: Sequence[int], body: int, E: ArrayLike, x: ArrayLike, phi: ArrayLike | None = None
) -> list[Attachment]:
    """Points at ``x (m, 3)`` in one body: :func:`point_on_body` for many, at once.

    ``E (4, 4)`` is the body's pose and ``phi (6,)`` its twist, for the drift.

    Raises InvalidArgument if ``body`` is negative, ``E`` is no pose, or the shape of ``components``, ``x`` or
    ``phi`` does not fit.
    """
    R = arguments.with_ndim("E", arguments.frame("E", E), 2)[:3, :3]
    components, body = _check_components("components", components), arguments.count("body", body)
    x = arguments.with_ndim("x", arguments.array("x", x, len(components), 3), 2)
    Gamma = se3.Gamma(x)
    biases = np.zeros_like(x)
    if phi is not None:
        phi = arguments.single_vector("phi", phi, 6)
        biases = np.cross(phi[:3], Gamma @ phi) @ R.T
    return [
        Attachment(k, {body: J}, drift) for k, J, drift in zip(components, R @ Gamma, biases, strict=True)
    ]


def frame_on_body(component: int, body: int, E: ArrayLike) -> Attachment:
    """A frame that keeps its pose ``E (4, 4)`` in a body (or another frame): ``J = Ad(E)^-1``, no drift.

    Raises InvalidArgument if ``component`` or ``body`` is negative or ``E`` is no pose.
    """
    E = arguments.with_ndim("E", arguments.frame("E", E), 2)
    return Attachment(component, {arguments.count("body", body): se3.Ad_inverse(E)})


def point_on_points(component: int, masters: Sequence[int], weights: ArrayLike) -> Attachment:
    """A point ``sum_j w_j x_j`` of points with constant weights, such as one inside a finite element.

    Raises InvalidArgument if ``component`` is negative or the shape of ``masters`` or ``weights`` does not
    fit.
    """
    masters = _check_components("masters", masters)
    weights = _check_weights(weights, masters)
    return Attachment(component, {j: w * np.eye(3) for j, w in zip(masters, weights, strict=True)})


def frame_on_points(
    component: int,
    masters: Sequence[int],
    weights: ArrayLike,
    x: ArrayLike,
    rest_positions: ArrayLike,
    v: ArrayLike | None = None,
) -> Attachment:
    """The frame that fits points best: its origin at their mean, turned to match their arms.

    Its rotation R is the one nearest to ``A = sum_j w_j x_j arms_j^T``: the orthogonal factor of A = R S.
    The angular velocity follows from that of A,

        (tr(S) I - S) omega = sum_j w_j arms_j x (R^T v_j).

    Parameters
    ----------
    weights : (m,)
        Positive, with sum one.
    x : (m, 3)
        Points, in world coordinates.
    rest_positions : (m, 3)
        Where they are in the frame at rest; their weighted mean is zero.
    v : (m, 3), optional
        Velocities of the points, for the drift of accelerations; zero by default.

    Raises
    ------
    InvalidArgument
        If ``component`` is negative or a shape does not fit.
    SingularConfiguration
        If the points do not determine a rotation: all on a line, or mirrored.
    """
    masters = _check_components("masters", masters)
    weights = _check_weights(weights, masters)
    count = len(weights)
    x = arguments.with_ndim("x", arguments.array("x", x, count, 3), 2)
    rest_positions = arguments.with_ndim(
        "rest_positions", arguments.array("rest_positions", rest_positions, count, 3), 2
    )
    if np.any(weights <= 0) or abs(weights.sum() - 1) > 1e-9:
        raise InvalidArgument("weights", f"{weights}", "positive numbers with sum 1")
    mean_offset = np.abs(weights @ rest_positions).max()
    if mean_offset > 1e-9 * np.abs(rest_positions).max():
        raise InvalidArgument(
            "rest_positions", f"a weighted mean {mean_offset:.3g} off zero", "arms from the mean"
        )
    A = np.einsum("j,ja,jb->ab", weights, x, rest_positions)
    U, singular_values, Vt = np.linalg.svd(A)
    handedness = np.sign(np.linalg.det(U @ Vt))
    R = U @ np.diag([1.0, 1.0, handedness]) @ Vt
    S = R.T @ A
    # Turning about an axis is determined by the sum of the two stretches across it.
    if singular_values[1] + handedness * singular_values[2] <= 1e-9 * singular_values[0]:
        got = f"stretches {singular_values} of {'mirrored ' if handedness < 0 else ''}points"
        raise SingularConfiguration("x", got, "points that determine a rotation")
    resistance = np.trace(S) * np.eye(3) - S
    angular_blocks = np.linalg.solve(resistance, weights[:, None, None] * so3.hat(rest_positions) @ R.T)
    linear_blocks = weights[:, None, None] * R.T
    blocks = dict(zip(masters, np.concatenate([angular_blocks, linear_blocks], axis=1), strict=True))
    if v is None:
        return Attachment(component, blocks)
    v = arguments.with_ndim("v", arguments.array("v", v, count, 3), 2)
    v_local = v @ R
    omega = np.einsum("jab,jb->a", angular_blocks, v)
    S_dot = np.einsum("j,ja,jb->ab", weights, v_local, rest_positions) - so3.hat(omega) @ S
    resistance_dot = np.trace(S_dot) * np.eye(3) - S_dot
    cross_products = np.cross(rest_positions, np.cross(-omega, v_local))
    angular_bias = np.linalg.solve(resistance, weights @ cross_products - resistance_dot @ omega)
    return Attachment(component, blocks, np.concatenate([angular_bias, np.cross(-omega, weights @ v_local)]))


def _check_weights(weights: ArrayLike, masters: Sequence[int]) -> Array:
    if len(set(masters)) < len(masters):
        raise InvalidArgument("masters", f"{list(masters)!r:.60}", "different components")
    return arguments.single_vector("weights", weights, len(masters))


def _check_components(name: str, numbers: Sequence[int]) -> list[int]:
    checked = arguments.indices(name, numbers)
    if checked.ndim != 1:
        raise InvalidArgument(name, f"shape {checked.shape}", "a sequence of numbers of components")
    return [int(number) for number in checked]
