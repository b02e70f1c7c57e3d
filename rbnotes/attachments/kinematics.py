"""Points attached to bodies and to weighted points: J and its bias (Lloyd 0.17, 0.19).

Velocities of points are in world coordinates; those of bodies are body twists, angular part first. The bias
is that of accelerations, ``dJ/dt v``: the acceleration of the component if its masters do not accelerate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.attachments.attachment import Attachment
from rbnotes.unchecked import se3


def point_on_body(
    component: int, body: int, E: ArrayLike, x: ArrayLike, phi: ArrayLike | None = None
) -> Attachment:
    """Return a point at ``x (3,)`` in a body with pose ``E (4, 4)``: ``J = R Gamma(x)`` (Lloyd eq. (0.36)).

    Parameters
    ----------
    phi : (6,), optional
        Twist of the body, rad/s and m/s, for the bias ``R (omega x (v + omega x x))`` of accelerations; zero
        by default.

    Raises
    ------
    InvalidArgument
        If ``component`` or ``body`` is negative, ``E`` is not a pose, or the shape of ``x`` or ``phi`` does
        not fit.
    """
    component, x = arguments.count("component", component), arguments.single_vector("x", x)
    return points_on_body([component], body, E, [x], phi)[0]


def points_on_body(
    components: Sequence[int], body: int, E: ArrayLike, x: ArrayLike, phi: ArrayLike | None = None
) -> list[Attachment]:
    """Return points at ``x (m, 3)`` in one body: :func:`point_on_body` for many points.

    ``E (4, 4)`` is the pose of the body and ``phi (6,)`` its twist, for the bias.

    Raises InvalidArgument if ``body`` is negative, ``E`` is not a pose, or the shape of ``components``, ``x``
    or ``phi`` does not fit.
    """
    R = arguments.with_ndim("E", arguments.frame("E", E), 2)[:3, :3]
    components, body = _check_components("components", components), arguments.count("body", body)
    x = arguments.with_ndim("x", arguments.array("x", x, len(components), 3), 2)
    Gamma = se3.Gamma(x)
    biases = np.zeros_like(x)
    if phi is not None:
        phi = arguments.single_vector("phi", phi, 6)
        biases = np.cross(phi[:3], Gamma @ phi) @ R.T
    return [Attachment(k, {body: J}, bias) for k, J, bias in zip(components, R @ Gamma, biases, strict=True)]


def point_on_points(component: int, masters: Sequence[int], weights: ArrayLike) -> Attachment:
    """Return a point ``sum_j w_j x_j`` with constant weights, such as one inside a finite element.

    Raises InvalidArgument if ``component`` is negative or the shape of ``masters`` or ``weights`` does not
    fit.
    """
    masters = _check_components("masters", masters)
    weights = _check_weights(weights, masters)
    return Attachment(component, {j: w * np.eye(3) for j, w in zip(masters, weights, strict=True)})


def _check_weights(weights: ArrayLike, masters: Sequence[int]) -> Array:
    if len(set(masters)) < len(masters):
        raise InvalidArgument("masters", arguments.format_value(list(masters)), "different components")
    return arguments.single_vector("weights", weights, len(masters))


def _check_components(name: str, numbers: Sequence[int]) -> list[int]:
    checked = arguments.indices(name, numbers)
    if checked.ndim != 1:
        raise InvalidArgument(name, f"shape {checked.shape}", "a sequence of component indices")
    return [int(number) for number in checked]
