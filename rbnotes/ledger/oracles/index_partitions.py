"""Indices of a basis and the rest: how vectors and matrices are sorted, for forms and references alike."""

from __future__ import annotations


def split_indices(alpha: tuple[int, ...], count: int) -> tuple[list[int], list[int]]:
    """alpha, and the rest of ``count`` indices, beta."""
    return list(alpha), [i for i in range(count) if i not in alpha]


def ordered_indices(alpha: tuple[int, ...], count: int) -> list[int]:
    """Return all ``count`` indices, alpha first."""
    basic, rest = split_indices(alpha, count)
    return [*basic, *rest]
