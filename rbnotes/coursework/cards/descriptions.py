"""Describe arguments and results in words, from samples of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.quantities import (
    LENGTH,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    NUMBER,
    POSE,
    TIME,
    AnyQuantity,
    Dimension,
    MatrixQuantity,
    ObjectQuantity,
    StackedQuantity,
    TupleQuantity,
    VectorQuantity,
)

CLOSE = 1e-9
LINEAR_FIRST = [
    six * TIME**power for six in (LINEAR_FIRST_TWIST, LINEAR_FIRST_WRENCH) for power in (-1, 0, 1)
]
MAX_DESCRIBED_PARTS = 4
"""Largest number of parts of a tuple that are described one by one."""


def describe_values(values: Sequence[Any]) -> str:
    """Return a description that fits all these values, such as ``pose (4, 4)``."""
    first = values[0]
    if any(type(value) is not type(first) for value in values):
        return " or ".join(dict.fromkeys(describe_values([value]) for value in values))
    if isinstance(first, bool | np.bool_):
        return "true or false"
    if isinstance(first, int | np.integer):
        return "integer"
    if isinstance(first, float):
        return "positive number" if all(value > 0 for value in values) else "number"
    if isinstance(first, str):
        return "text"
    if isinstance(first, tuple | list):
        return _describe_parts(values)
    if isinstance(first, np.ndarray):
        shapes = list(dict.fromkeys(value.shape for value in values))
        text = " or ".join(str(shape) for shape in shapes[:MAX_DESCRIBED_PARTS])
        kind = (
            _array_kind([np.asarray(value, dtype=float) for value in values]) if len(shapes) == 1 else "array"
        )
        return f"{kind} {text}" if first.ndim else "number, as an array of shape ()"
    return f"{type(first).__name__}"


def describe_units(quantity: AnyQuantity) -> str:
    """Return the units of a quantity in words, such as ``in 3 x 1/s, 3 x m/s``; empty for numbers."""
    if quantity == NUMBER or (isinstance(quantity, VectorQuantity) and set(quantity.entries) == {NUMBER}):
        return ""
    if quantity == POSE:
        return "with translations in m"
    if isinstance(quantity, ObjectQuantity):
        fields = quantity.fields.items()
        return "of " + ", ".join(f"{name} {describe_units(each)}".strip() for name, each in fields)
    return f"with blocks in {quantity}" if isinstance(quantity, MatrixQuantity) else f"in {quantity}"


def spatial_vectors(quantity: AnyQuantity) -> list[VectorQuantity]:
    """Return the parts of a quantity that are twists or wrenches.

    Six entries are a twist or a wrench if each half has one unit and the two units differ by a length.
    """
    if isinstance(quantity, MatrixQuantity):
        return spatial_vectors(quantity.rows) + spatial_vectors(quantity.columns)
    if isinstance(quantity, StackedQuantity | TupleQuantity):
        return [column for part in quantity.parts for column in spatial_vectors(part)]
    if not isinstance(quantity, VectorQuantity):
        return []
    entries = quantity.entries
    parts = [entries[at : at + 6] for at in range(0, len(entries) - 5, 6)]
    return [VectorQuantity(part) for part in parts if _is_spatial_vector(part)]


def _is_spatial_vector(entries: Sequence[Dimension]) -> bool:
    first, second = set(entries[:3]), set(entries[3:])
    return len(first) == len(second) == 1 and first.pop() / second.pop() in (LENGTH, NUMBER / LENGTH)


def _describe_parts(values: Sequence[Any]) -> str:
    """Return a description of tuples or lists, part by part if all have the same length."""
    kind, lengths = type(values[0]).__name__, {len(value) for value in values}
    if len(lengths) > 1 or not values[0]:
        flattened = [part for value in values for part in value]
        return f"{kind} of " + (describe_values(flattened) if flattened else "nothing")
    parts = [describe_values([value[index] for value in values]) for index in range(len(values[0]))]
    if len(set(parts)) == 1:
        return f"{kind} of {len(parts)}: each {parts[0]}"
    if len(parts) > MAX_DESCRIBED_PARTS:
        return f"{kind} of {len(parts)}: " + ", ".join([*parts[:MAX_DESCRIBED_PARTS], "..."])
    return f"{kind} of " + ", ".join(parts)


def _array_kind(values: list[Array]) -> str:
    """Return the kind of arrays of one shape."""
    shape = values[0].shape
    if len(shape) == 1:
        unit = all(abs(np.linalg.norm(value) - 1) < CLOSE for value in values) and shape[0] > 1
        if shape == (4,) and unit:
            return "unit quaternion, scalar first,"
        return "unit vector" if unit else "vector"
    if shape == (3, 3) and all(map(_is_rotation, values)):
        return "rotation matrix"
    if shape == (4, 4) and all(map(_is_pose, values)):
        return "pose"
    if shape[-2:] == (4, 4) and all(_is_pose(E) for value in values for E in value.reshape(-1, 4, 4)):
        return "poses"
    if len(shape) == 2 and shape[0] == shape[1] and all(np.allclose(value, value.T) for value in values):
        if all(np.array_equal(value, np.diag(np.diag(value))) for value in values):
            return "diagonal matrix"
        definite = all(np.linalg.eigvalsh(value)[0] > 0 for value in values)
        return "symmetric positive definite matrix" if definite else "symmetric matrix"
    return "matrix" if len(shape) == 2 else "array"


def _is_rotation(R: Array) -> bool:
    return bool(np.allclose(R @ R.T, np.eye(3), atol=CLOSE) and np.linalg.det(R) > 0)


def _is_pose(E: Array) -> bool:
    return _is_rotation(E[:3, :3]) and bool(np.array_equal(E[3], [0, 0, 0, 1]))


def describe_conventions(
    texts: Sequence[str], quantities: Sequence[AnyQuantity], *, linear_first: bool
) -> list[str]:
    """Return the conventions that apply to these descriptions and quantities.

    With ``linear_first`` the notes may use this order for twists; else such quantities are coordinates.
    """
    joined = " ".join(texts)
    conventions = []
    if "rotation" in joined or "pose" in joined:
        conventions.append(
            "Poses and rotations map coordinates in a frame to coordinates in its parent frame: the world "
            "unless stated otherwise."
        )
    six = [
        (column, isinstance(quantity, MatrixQuantity))
        for quantity in quantities
        for column in spatial_vectors(quantity)
    ]
    if linear_first and any(column in LINEAR_FIRST for column, _ in six):
        conventions.append("Six numbers of a twist or wrench: linear part first, as in the notes.")
    elif any(within or column not in LINEAR_FIRST for column, within in six) or (
        not quantities and "6" in joined
    ):
        conventions.append("Six numbers of a twist or wrench: angular part first.")
    if "quaternion" in joined:
        conventions.append("Quaternions are (scalar, vector).")
    return [*conventions, "float64, angles in radians, SI units; stiffness K = +df/dq, damping D = +df/dv."]
