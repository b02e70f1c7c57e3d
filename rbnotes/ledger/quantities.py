"""Quantities of the arguments and results of claims: lengths, twists, wrenches, inertias, pure numbers.

A quantity gives each entry of an array its dimension. :class:`Dimension` is the same for all entries;
:class:`VectorQuantity` varies along the last axis (a twist: three rates, three velocities),
:class:`MatrixQuantity` along the last two (an inertia: momenta for twists). Both repeat, so that two twists
one after the other are a ``TWIST`` as well. :class:`StackedQuantity` describes arrays stacked along the
first axis, :class:`TupleQuantity` the elements of a tuple, :class:`ObjectQuantity` the fields of an object.

Angles are pure numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rbnotes.arguments import Array


@dataclass(frozen=True)
class Dimension:
    """Powers of length, mass and time.

    Attributes
    ----------
    length
        Power of length.
    mass
        Power of mass.
    time
        Power of time.
    """

    length: float = 0
    mass: float = 0
    time: float = 0

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.length + other.length, self.mass + other.mass, self.time + other.time)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1 if isinstance(other, Dimension) else NotImplemented

    def __pow__(self, power: float) -> Dimension:
        return Dimension(power * self.length, power * self.mass, power * self.time)

    def exponents(self, shape: tuple[int, ...]) -> Array:
        """Return the powers ``(*shape, 3)`` of length, mass and time of each entry of an array."""
        return np.broadcast_to(self._powers, (*shape, 3))

    @property
    def _powers(self) -> Array:
        return np.array([self.length, self.mass, self.time], dtype=float)

    @property
    def unit(self) -> str:
        """SI unit, such as ``N s``; ``1`` for a pure number."""
        return UNIT_NAMES.get(self) or _compose_unit(self)

    def __str__(self) -> str:
        return self.unit


@dataclass(frozen=True)
class VectorQuantity:
    """Dimensions along the last axis; the sequence repeats.

    Attributes
    ----------
    entries
        Dimensions of the entries in order.
    """

    entries: tuple[Dimension, ...]

    def __mul__(self, factor: Dimension) -> VectorQuantity:
        return VectorQuantity(tuple(entry * factor for entry in self.entries))

    def __truediv__(self, factor: Dimension) -> VectorQuantity:
        return self * factor**-1

    def __rtruediv__(self, factor: Dimension) -> VectorQuantity:
        return VectorQuantity(tuple(factor / entry for entry in self.entries))

    def __add__(self, other: VectorQuantity) -> VectorQuantity:
        return VectorQuantity(self.entries + other.entries)

    def exponents(self, shape: tuple[int, ...]) -> Array:
        """Return the powers ``(*shape, 3)`` of length, mass and time of each entry of an array."""
        if len(self.entries) == 1:
            return self.entries[0].exponents(shape)
        if not shape:
            raise ValueError(f"{len(self.entries)} dimensions for a number")
        return np.broadcast_to(self.tiled_exponents(shape[-1]), (*shape, 3))

    def tiled_exponents(self, size: int) -> Array:
        """Return the powers ``(size, 3)`` of the repeated entries.

        Raises
        ------
        ValueError
            If the size is not a multiple of the number of entries.
        """
        if size % len(self.entries):
            raise ValueError(f"{len(self.entries)} dimensions for an axis of {size} entries")
        return np.tile([entry._powers for entry in self.entries], (size // len(self.entries), 1))

    def __str__(self) -> str:
        return ", ".join(_collapse_repeats(entry.unit for entry in self.entries))


@dataclass(frozen=True)
class MatrixQuantity:
    """A matrix that maps quantities of one kind to quantities of another: its entries are rows per columns.

    Attributes
    ----------
    rows
        Quantity of the rows: the result of the product.
    columns
        Quantity of the columns: the factor of the product.
    """

    rows: VectorQuantity
    columns: VectorQuantity

    def __mul__(self, factor: Dimension) -> MatrixQuantity:
        return MatrixQuantity(self.rows * factor, self.columns)

    def __truediv__(self, factor: Dimension) -> MatrixQuantity:
        return self * factor**-1

    @property
    def T(self) -> MatrixQuantity:
        """Quantity of the transpose."""
        one = Dimension()
        return MatrixQuantity(one / self.columns, one / self.rows)

    @property
    def inverse(self) -> MatrixQuantity:
        """Quantity of the inverse."""
        return MatrixQuantity(self.columns, self.rows)

    def exponents(self, shape: tuple[int, ...]) -> Array:
        """Return the powers ``(*shape, 3)`` of length, mass and time of each entry of an array."""
        if len(shape) < 2:
            raise ValueError(f"a matrix's dimensions for an array of the shape {shape}")
        whole = self.rows.tiled_exponents(shape[-2])[:, None] - self.columns.tiled_exponents(shape[-1])
        return np.broadcast_to(whole, (*shape, 3))

    def __str__(self) -> str:
        """Return the units of its blocks, row by row; the last row of a pose is always the same numbers."""
        upper = self.rows.entries[:3] if self.columns == POINT and len(self.rows.entries) == 4 else None
        rows = upper or self.rows.entries
        return ", ".join(dict.fromkeys((row / each).unit for row in rows for each in self.columns.entries))


@dataclass(frozen=True)
class StackedQuantity:
    """Quantities stacked along the first axis; the sequence repeats.

    Attributes
    ----------
    parts
        Quantities of the parts in order.
    """

    parts: tuple[Quantity, ...]

    def exponents(self, shape: tuple[int, ...]) -> Array:
        """Return the powers ``(*shape, 3)`` of length, mass and time of each entry of an array."""
        if not shape or shape[0] % len(self.parts):
            raise ValueError(f"{len(self.parts)} quantities stacked in an array of the shape {shape}")
        each = [part.exponents(shape[1:]) for part in self.parts]
        return np.stack(each * (shape[0] // len(each)))

    def __str__(self) -> str:
        return "; ".join(_collapse_repeats(map(str, self.parts)))


Quantity = Dimension | VectorQuantity | MatrixQuantity | StackedQuantity


@dataclass(frozen=True)
class TupleQuantity:
    """Quantities of the elements of a tuple.

    Attributes
    ----------
    parts
        Quantities of the elements in order.
    """

    parts: tuple[AnyQuantity, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.parts))


@dataclass(frozen=True)
class ObjectQuantity:
    """Quantities of the fields of an object; fields without one are numbers or names.

    Attributes
    ----------
    fields
        Quantities by the name of the field.
    """

    fields: Mapping[str, AnyQuantity]

    def __str__(self) -> str:
        return ", ".join(f"{name} in {quantity}" for name, quantity in self.fields.items())


AnyQuantity = Quantity | TupleQuantity | ObjectQuantity
QuantityDeclaration = AnyQuantity | Callable[[Mapping[str, Any]], AnyQuantity]
"""A quantity, or a function of all arguments that returns it, as for coordinates, which depend on joints."""


def vector_quantity(*blocks: tuple[Dimension, int]) -> VectorQuantity:
    """Return a vector quantity with the given number of entries of each dimension."""
    return VectorQuantity(tuple(dimension for dimension, count in blocks for _ in range(count)))


def matrix_quantity(rows: Dimension | VectorQuantity, columns: Dimension | VectorQuantity) -> MatrixQuantity:
    """Return the quantity of a matrix that maps ``columns`` to ``rows``."""
    return MatrixQuantity(_as_vector_quantity(rows), _as_vector_quantity(columns))


def stacked_quantity(*parts: Quantity) -> StackedQuantity:
    """Return the quantity of arrays of these quantities, stacked along the first axis."""
    return StackedQuantity(parts)


def resolve_declaration(quantity: QuantityDeclaration, values: Mapping[str, Any]) -> AnyQuantity:
    """Return the declared quantity for these arguments."""
    return quantity(values) if callable(quantity) else quantity


@dataclass(frozen=True)
class Units:
    """A change of units: the factors by which the numbers of a length, a mass and a time change.

    Attributes
    ----------
    length
        Factor of the numbers of lengths, dimensionless.
    mass
        Factor of the numbers of masses, dimensionless.
    time
        Factor of the numbers of times, dimensionless.
    """

    length: float
    mass: float
    time: float

    def preserving_constants(self, constants: Sequence[Dimension]) -> Units:
        """Return the nearest change that preserves the numbers of these dimensions."""
        powers = np.log2([self.length, self.mass, self.time])
        if constants:
            fixed = np.array([constant._powers for constant in constants])
            powers = powers - np.linalg.pinv(fixed) @ fixed @ powers
        return Units(*(float(factor) for factor in 2.0**powers))

    def factors(self, quantity: Quantity, shape: tuple[int, ...]) -> Array:
        """Return the factors by which the entries of an array change."""
        powers = quantity.exponents(shape) @ np.log2([self.length, self.mass, self.time])
        return np.asarray(2.0**powers)

    def convert(self, value: Any, quantity: AnyQuantity) -> Any:
        """Return a value in these units."""
        if isinstance(quantity, ObjectQuantity):
            fields = quantity.fields.items()
            return replace(value, **{name: self.convert(getattr(value, name), each) for name, each in fields})
        if isinstance(quantity, TupleQuantity):
            return tuple(self.convert(part, each) for part, each in zip(value, quantity.parts, strict=True))
        if isinstance(value, float):
            return value * float(self.factors(quantity, ()))
        if isinstance(value, tuple | list):
            return type(value)(self.convert(part, quantity) for part in value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return value * self.factors(quantity, value.shape)
        if quantity == NUMBER:
            return value
        raise ValueError(f"{quantity} for a value of the type {type(value).__name__}")


def _compose_unit(dimension: Dimension) -> str:
    """Return the unit of a dimension, such as ``kg m/s``."""
    powers = (("kg", dimension.mass), ("m", dimension.length), ("s", dimension.time))
    numerator = [_format_power(name, power) for name, power in powers if power > 0]
    denominator = [_format_power(name, -power) for name, power in powers if power < 0]
    numerator_text = " ".join(numerator) or "1"
    return (
        numerator_text
        if not denominator
        else f"{numerator_text}/{denominator[0]}"
        if len(denominator) == 1
        else f"{numerator_text}/({' '.join(denominator)})"
    )


def _format_power(name: str, power: float) -> str:
    return name if power == 1 else name + "".join(SUPERSCRIPTS[digit] for digit in f"{power:g}")


SUPERSCRIPTS = dict(zip("0123456789.", "⁰¹²³⁴⁵⁶⁷⁸⁹˙", strict=True))


def _collapse_repeats(texts: Iterator[str]) -> list[str]:
    """Return each text once for a run of equal ones, with their number."""
    runs: list[tuple[str, int]] = []
    for text in texts:
        if runs and runs[-1][0] == text:
            runs[-1] = (text, runs[-1][1] + 1)
        else:
            runs.append((text, 1))
    if len(runs) == 1:
        return [runs[0][0]]
    return [text if count == 1 else f"{count} x {text}" for text, count in runs]


def _as_vector_quantity(quantity: Dimension | VectorQuantity) -> VectorQuantity:
    return VectorQuantity((quantity,)) if isinstance(quantity, Dimension) else quantity


NUMBER = Dimension()
LENGTH, MASS, TIME = Dimension(length=1), Dimension(mass=1), Dimension(time=1)
AREA, VOLUME = LENGTH**2, LENGTH**3
RATE = NUMBER / TIME
VELOCITY = LENGTH / TIME
ACCELERATION = VELOCITY / TIME
MOMENTUM = MASS * VELOCITY
FORCE = MASS * ACCELERATION
ENERGY = FORCE * LENGTH
TORQUE = ENERGY
ANGULAR_MOMENTUM = TORQUE * TIME
POWER = ENERGY / TIME
INERTIA = MASS * AREA
DENSITY = MASS / VOLUME
STIFFNESS = FORCE / LENGTH
DAMPING = FORCE / VELOCITY
"""Along a line, such as that of a spring and a damper."""
INVERSE_MASS = NUMBER / MASS

TWIST = vector_quantity((RATE, 3), (VELOCITY, 3))
"""Angular part first."""
WRENCH = vector_quantity((TORQUE, 3), (FORCE, 3))
SCREW = TWIST * TIME
"""A small motion, or a joint's axis: a twist per rate of its angle."""
LINEAR_FIRST_TWIST = vector_quantity((VELOCITY, 3), (RATE, 3))
LINEAR_FIRST_WRENCH = vector_quantity((FORCE, 3), (TORQUE, 3))
"""Wrench in Lloyd's order: force, then torque."""
POINT = vector_quantity((LENGTH, 3), (NUMBER, 1))
"""Homogeneous coordinates."""
POSE = matrix_quantity(POINT, POINT)
POSE_RATE = POSE / TIME
ADJOINT = matrix_quantity(TWIST, TWIST)
COADJOINT = matrix_quantity(WRENCH, WRENCH)
SPATIAL_INERTIA = matrix_quantity(WRENCH * TIME, TWIST)
SPATIAL_STIFFNESS = matrix_quantity(WRENCH, SCREW)
SPATIAL_DAMPING = matrix_quantity(WRENCH, TWIST)
POINT_JACOBIAN = matrix_quantity(VELOCITY, TWIST)
"""Velocity of a point for a twist."""

UNIT_NAMES = {
    NUMBER: "1",
    LENGTH: "m",
    AREA: "m²",
    MASS: "kg",
    TIME: "s",
    RATE: "1/s",
    RATE / TIME: "1/s²",
    VELOCITY: "m/s",
    ACCELERATION: "m/s²",
    MOMENTUM: "N s",
    FORCE: "N",
    FORCE / TIME: "N/s",
    TORQUE: "N m",
    ANGULAR_MOMENTUM: "N m s",
    POWER: "W",
    INERTIA: "kg m²",
    DENSITY: "kg/m³",
    STIFFNESS: "N/m",
    DAMPING: "N s/m",
    LENGTH / FORCE: "m/N",
    STIFFNESS / LENGTH: "N/m²",
    MASS * LENGTH: "kg m",
    INVERSE_MASS: "1/kg",
    NUMBER / LENGTH: "1/m",
}
"""Names of units; other units are composed of m, kg and s."""
