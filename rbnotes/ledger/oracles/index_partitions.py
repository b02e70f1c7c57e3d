"""Partitions of indices into a basis and its complement, for forms and references."""

from __future__ import annotations


def split_indices(alpha: tuple[int, ...], count: int) -> tuple[list[int], list[int]]:
    """Return alpha, and beta, the remaining ones of `count` indices."""
    return list(alpha), [i for i in range(count) if i not in alpha]


def ordered_indices(alpha: tuple[int, ...], count: int) -> list[int]:
    """Return all `count` indices, those of alpha first."""
    basic, others = split_indices(alpha, count)
    return [*basic, *others]
