"""Prove claims for all inputs: the forms run on symbols, as rational functions over the fractions.

The entries of the inputs become symbols. Rotations are Cayley transforms of three symbols, unit vectors
stereographic projections, and the sine and cosine of a symbol rational functions of the tangent of a quarter
of it. This enlarges the domain: a symbol is independent of all others, also where the inputs are not.
sympy's field of rational functions has a normal form, so that a difference vanishes if it is zero there.

A comparison that depends on symbols is refused, except in checks of arguments, which change no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from itertools import count
from typing import Any

import numpy as np
from flint import fmpq

from rbnotes.ledger.exact.arrays import ExactArray, array, object_array, plain_objects, wrap, zero_dimensional
from rbnotes.ledger.exact.degrees import CONSTANT
from rbnotes.ledger.exact.expressions import Expression, NotExact, make_symbols
from rbnotes.ledger.exact.numbers import ONE, ZERO, Exact, rational, trace
from rbnotes.ledger.exact.scipy_stand_in import cross_matrix

MAX_SYMBOLS = 30
MAX_SYMBOLS_WITH_ANGLES = 12
"""Number of symbols up to which their sines and cosines are supported."""


def evaluate(form: Any, values: Mapping[str, Any]) -> np.ndarray:
    """Return the entries of a form on symbols.

    Raises
    ------
    NotExact
        If the result depends on rounded numbers or on a comparison of symbols.
    """
    trace.reset()
    result = array(form(*deepcopy(list(values.values()))), float)
    if not isinstance(result, ExactArray):
        raise NotExact("the result is not an array of numbers")
    entries = plain_objects(result)
    has_values = all(e.__class__ is Exact and e.value.__class__ in (fmpq, Expression) for e in entries.flat)
    if not has_values or any(e.tainted for e in entries.flat) or trace.tainted_decisions or trace.outcomes:
        raise NotExact("the result is not a rational function")
    return entries


def is_identity(form: Any, reference: Any, values: Mapping[str, Any]) -> bool:
    """Return True if a form and the oracle are the same function of symbols, in place of an exact draw.

    Raises
    ------
    NotExact
        If one of them is not a rational function.
    """
    symbols = SymbolicInputs(values).values
    expected, actual = (evaluate(each, symbols) for each in (reference, form))
    # All differences are in normal form: the fraction zero, or another function.
    return actual.shape == expected.shape and all(
        (a.value - b.value) == 0 for a, b in zip(actual.flat, expected.flat, strict=True)
    )


class SymbolicInputs:
    """Inputs whose entries are symbols, made from an exact draw.

    Numbers that are equal or opposite in the draw, of ``2**128`` values each, share a symbol.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._number = count()
        self._points: dict[int, fmpq] = {}
        self._plain: dict[fmpq, int] = {}
        drafts = {name: self._draft(value) for name, value in values.items()}
        num_symbols = next(self._number)
        if not 0 < num_symbols <= MAX_SYMBOLS:
            raise NotExact(f"{num_symbols} symbols")
        angles = list(self._plain.values()) if num_symbols <= MAX_SYMBOLS_WITH_ANGLES else []
        made: Any = make_symbols(self._points, angles)
        symbols = {i: Exact(each) for i, each in made.items()}
        self.values = {name: self._build(draft, symbols) for name, draft in drafts.items()}

    def _new(self, point: fmpq) -> int:
        index = next(self._number)
        self._points[index] = point
        return index

    def _draft(self, value: Any) -> Any:
        """Return the kind of a value and the indices of its symbols."""
        if isinstance(value, Exact):
            return "number", self._entry(value)
        if not isinstance(value, ExactArray):
            if isinstance(value, int | np.integer | str | bool):
                return "constant", value
            raise NotExact(f"symbols in a {type(value).__name__}")
        entries = plain_objects(value)
        if not all(each.__class__ is Exact and each.value.__class__ is fmpq for each in entries.flat):
            raise NotExact("inputs that are not fractions")
        return "array", self._array_draft(entries)

    def _array_draft(self, entries: np.ndarray) -> Any:
        shape = entries.shape
        if any(each.degree.denominator for each in entries.flat):
            if shape[-2:] == (4, 4) and _is_rotation(entries[..., :3, :3]):
                rotations = [self._rotation(R) for R in entries[..., :3, :3].reshape(-1, 3, 3)]
                return "poses", shape, rotations, list(map(self._entry, entries[..., :3, 3].flat))
            if shape[-2:] == (3, 3) and _is_rotation(entries):
                return "rotations", shape, [self._rotation(R) for R in entries.reshape(-1, 3, 3)]
            rows = entries.reshape(-1, shape[-1])
            if shape and all(_square(row) == 1 for row in rows):
                return "unit vectors", shape, [self._unit_vector(row) for row in rows]
        return "entries", shape, list(map(self._entry, entries.flat))

    def _entry(self, number: Exact) -> Any:
        """Return the index of the symbol of a number and its sign, or the number if it is constant."""
        if number.value.__class__ is not fmpq or number.tainted:
            raise NotExact("inputs that are not fractions")
        if number.degree == CONSTANT:
            return number
        if -number.value in self._plain:
            return self._plain[-number.value], -1
        if number.value not in self._plain:
            self._plain[number.value] = self._new(number.value)
        return self._plain[number.value], 1

    def _rotation(self, R: np.ndarray) -> list[int]:
        """Return symbols w of the rotation (1 - W)^-1 (1 + W), where W is the matrix of w."""
        scale = (R[0, 0] + R[1, 1] + R[2, 2] + 1).value
        if scale == 0:
            raise NotExact("a half turn")
        parts = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
        return [self._new(part.value / scale) for part in parts]

    def _unit_vector(self, u: Any) -> Any:
        """Return the pole of the projection, which is the smallest entry, and the symbols of the others."""
        pole = min(range(len(u)), key=lambda i: u[i].value)
        return pole, [self._new((e / (1 - u[pole])).value) for i, e in enumerate(u) if i != pole]

    def _build(self, draft: Any, symbols: Mapping[int, Exact]) -> Any:
        def number(entry):
            return entry if isinstance(entry, Exact) else symbols[entry[0]] * entry[1]

        kind, content = draft
        if kind != "array":
            return number(content) if kind == "number" else content
        kind, shape, *parts = content
        if kind == "entries":
            built = [number(each) for each in parts[0]]
        elif kind == "unit vectors":
            built = [e for pole, row in parts[0] for e in _project(pole, [symbols[i] for i in row])]
        else:
            built = []
            translations = parts[1] if kind == "poses" else []
            for k, indices in enumerate(parts[0]):
                R = _cayley([symbols[i] for i in indices])
                if kind == "poses":
                    p = [number(each) for each in translations[3 * k : 3 * k + 3]]
                    R = np.concatenate([R, np.array([*p, None], object)[:3, None]], axis=1)
                    R = np.concatenate([R, np.array([[ZERO, ZERO, ZERO, ONE]], object)])
                built += list(R.flat)
        return wrap(object_array(built, shape)) if shape else zero_dimensional(built[0])


def _square(row: np.ndarray) -> Any:
    return sum((e * e for e in row), ZERO).value


def _is_rotation(stack: np.ndarray) -> bool:
    """Return True if all matrices of a stack are orthogonal."""
    return all(
        sum((a * b for a, b in zip(R[i], R[j], strict=True)), ZERO).value == int(i == j)
        for R in stack.reshape(-1, 3, 3)
        for i in range(3)
        for j in range(i + 1)
    )


def _project(pole: int, parameters: list[Exact]) -> list[Exact]:
    square = sum((s * s for s in parameters), ZERO)
    point = [2 * s / (square + 1) for s in parameters]
    point.insert(pole, (square - 1) / (square + 1))
    return point


def _cayley(w: list[Exact]) -> np.ndarray:
    """Return the rotation 1 + 2 (W + W W) / (1 + w w)."""
    W = np.asarray(cross_matrix(np.array([*w, None], object)[:3]))
    scale = 2 / (1 + sum((e * e for e in w), ZERO))
    squares = [[sum((W[i, k] * W[k, j] for k in range(3)), ZERO) for j in range(3)] for i in range(3)]
    return np.array(
        [[rational(int(i == j)) + scale * (W[i, j] + squares[i][j]) for j in range(3)] for i in range(3)],
        object,
    )
