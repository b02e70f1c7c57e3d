"""The rows of several constraints in one problem: stacked, taken apart again, and named in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import Unsolved
from rbnotes.constraints.redundancy import CONSISTENCY_TOLERANCE, RANK_TOLERANCE, InconsistentConstraints
from rbnotes.dynamics import BilateralRows, StepSolution, UnilateralRows
from rbnotes.tree.rows import Constraint

SHARE = 1e-6
"""Part of a row, of size one, from which on a constraint is named as one that others repeat."""


class Part(NamedTuple):
    """The rows of one constraint in a problem, with what they are to be."""

    name: str
    G: Array
    target: Array
    unilateral: bool = False


def checked_constraints(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """The constraints as a tuple, each with rows."""
    result = arguments.instances("constraints", constraints, object)
    for number, constraint in enumerate(result):
        arguments.provides(f"constraints[{number}]", constraint, "rows")
    return result


def label(constraint: Constraint) -> str:
    """What messages call a constraint: its type and the links it is about."""
    links = [getattr(constraint, name, None) for name in ("link", "a", "b")]
    return f"{type(constraint).__name__}({', '.join(repr(link) for link in links if link is not None)})"


def stacked(parts: Sequence[Part]) -> tuple[BilateralRows, UnilateralRows]:
    """The rows of all constraints, equations apart from inequalities."""

    def of_kind(unilateral: bool) -> tuple[Array, Array]:
        mine = [part for part in parts if part.unilateral == unilateral]
        G = np.concatenate([np.zeros((0, parts[0].G.shape[1])), *(part.G for part in mine)])
        return G, np.concatenate([np.zeros(0), *(part.target for part in mine)])

    return BilateralRows(*of_kind(False)), UnilateralRows(*of_kind(True))


def by_part(parts: list[Part], kept: list[Array], solution: StepSolution) -> list[Array]:
    """Multipliers by constraint; zero for inequalities that are not active."""
    forces: list[Array] = []
    starts = {False: 0, True: 0}
    for part, here in zip(parts, kept, strict=True):
        source = solution.unilateral if part.unilateral else solution.bilateral
        start = starts[part.unilateral]
        mine = np.zeros(len(here))
        mine[here] = source[start : start + len(part.G)]
        starts[part.unilateral] += len(part.G)
        forces.append(mine)
    return forces


@contextmanager
def inequalities_named(parts: Iterable[Part]) -> Iterator[None]:
    """Where a problem cannot be solved, the message names its inequalities."""
    try:
        yield
    except Unsolved as error:
        names = [part.name for part in parts if part.unilateral and len(part.G)]
        raise Unsolved(error.solution, names) from None


def sharing(parts: list[Part]) -> list[str]:
    """Names of the equations that share forces: rows that are combinations of each other."""
    equal = [part for part in parts if not part.unilateral]
    G = np.concatenate([part.G for part in equal])
    owners = [part.name for part in equal for _ in part.G]
    if not len(G):
        return []
    left, sizes, _ = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK_TOLERANCE * max(sizes[0], np.finfo(float).tiny)))
    involved = np.linalg.norm(left[:, rank:], axis=1) > SHARE
    return list(dict.fromkeys(owner for owner, shares in zip(owners, involved, strict=True) if shares))


def refuse_contradictions(parts: list[Part], velocity: Array) -> None:
    """Equations of which one follows from those before it, but asks for something else.

    ``velocity``: one of the size of those to come, to tell what is rounding.
    """
    equal = [part for part in parts if not part.unilateral]
    G = np.concatenate([part.G for part in equal])
    target = np.concatenate([part.target for part in equal])
    largest = float(np.max(np.linalg.norm(G, axis=1), initial=0.0))
    if not len(G) or np.linalg.matrix_rank(G, tol=RANK_TOLERANCE * largest) == len(G):
        return
    owners = [part.name for part in equal for _ in part.G]
    scale = max(_largest(target), _largest(G @ velocity))
    basis: list[int] = []
    for k, row in enumerate(G):
        weights = np.linalg.lstsq(G[basis].T, row, rcond=None)[0]
        if np.linalg.norm(row - weights @ G[basis]) > RANK_TOLERANCE * largest:
            basis.append(k)
            continue
        miss = abs(target[k] - weights @ target[basis])
        if miss > CONSISTENCY_TOLERANCE * scale:
            others = dict.fromkeys(
                owners[i] for i, weight in zip(basis, weights, strict=True) if abs(weight) > SHARE
            )
            against = " and ".join(others) or "joints that cannot move so"
            raise InconsistentConstraints(
                "constraints",
                f"{owners[k]} against {against}, off by {miss:.3g}",
                "what some motion satisfies",
            )


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
