"""Stacked rows of several constraints: building, splitting, and names in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import NotSolved
from rbnotes.constraints.redundant_rows import (
    CONSISTENCY_TOLERANCE,
    RANK_TOLERANCE,
    InconsistentConstraints,
)
from rbnotes.dynamics import BilateralRows, StepSolution, UnilateralRows
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.unchecked.linear_algebra import max_abs

DEPENDENCE_TOLERANCE = 1e-6
"""Smallest component of a unit row in a dependent combination for its constraint to be named as redundant."""


class ConstraintPart(NamedTuple):
    """Rows of one constraint in a problem, with their targets.

    Attributes
    ----------
    name
        Name of the constraint in messages.
    G
        Rows ``(m, N)``.
    target
        Right-hand sides ``(m,)``.
    unilateral
        True for inequalities.
    """

    name: str
    G: Array
    target: Array
    unilateral: bool = False


def check_constraints(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return the constraints as a tuple; check that each has rows."""
    result = arguments.instances("constraints", constraints, object)
    for number, constraint in enumerate(result):
        arguments.require_methods(f"constraints[{number}]", constraint, "rows")
    return result


def constraint_label(constraint: Constraint) -> str:
    """Return the name of a constraint in messages: its type and its links."""
    links = [getattr(constraint, name, None) for name in ("link", "a", "b")]
    return f"{type(constraint).__name__}({', '.join(repr(link) for link in links if link is not None)})"


def stack_parts(parts: Sequence[ConstraintPart]) -> tuple[BilateralRows, UnilateralRows]:
    """Return the rows of all constraints: those of equations, and those of inequalities."""

    def concatenate(unilateral: bool) -> tuple[Array, Array]:
        selected = [part for part in parts if part.unilateral == unilateral]
        G = np.concatenate([np.zeros((0, parts[0].G.shape[1])), *(part.G for part in selected)])
        return G, np.concatenate([np.zeros(0), *(part.target for part in selected)])

    return BilateralRows(*concatenate(False)), UnilateralRows(*concatenate(True))


def split_multipliers(
    parts: list[ConstraintPart], active_rows: list[Array], solution: StepSolution
) -> list[Array]:
    """Return the multipliers by constraint; zero for inactive inequalities."""
    forces: list[Array] = []
    starts = {False: 0, True: 0}
    for part, is_active in zip(parts, active_rows, strict=True):
        source = solution.unilateral if part.unilateral else solution.bilateral
        start = starts[part.unilateral]
        multipliers = np.zeros(len(is_active))
        multipliers[is_active] = source[start : start + len(part.G)]
        starts[part.unilateral] += len(part.G)
        forces.append(multipliers)
    return forces


@contextmanager
def name_inequalities(parts: Iterable[ConstraintPart]) -> Iterator[None]:
    """Name the inequalities in the error of an unsolvable problem."""
    try:
        yield
    except NotSolved as error:
        names = [part.name for part in parts if part.unilateral and len(part.G)]
        raise NotSolved(error.solution, names) from None


def dependent_equations(parts: list[ConstraintPart]) -> list[str]:
    """Return the names of equations that share forces: their rows are combinations of each other."""
    equations = [part for part in parts if not part.unilateral]
    G = np.concatenate([part.G for part in equations])
    owners = [part.name for part in equations for _ in part.G]
    if not len(G):
        return []
    left_vectors, sizes, _ = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK_TOLERANCE * max(sizes[0], np.finfo(float).tiny)))
    is_dependent = np.linalg.norm(left_vectors[:, rank:], axis=1) > DEPENDENCE_TOLERANCE
    return list(dict.fromkeys(owner for owner, shares in zip(owners, is_dependent, strict=True) if shares))


def refuse_contradictions(parts: list[ConstraintPart], velocity: Array) -> None:
    """Raise an error if an equation depends on those before it but has a different target.

    ``velocity`` has the expected magnitude, which determines the rounding error.
    """
    equations = [part for part in parts if not part.unilateral]
    G = np.concatenate([part.G for part in equations])
    target = np.concatenate([part.target for part in equations])
    largest = float(np.max(np.linalg.norm(G, axis=1), initial=0.0))
    if not len(G) or np.linalg.matrix_rank(G, tol=RANK_TOLERANCE * largest) == len(G):
        return
    owners = [part.name for part in equations for _ in part.G]
    scale = max(max_abs(target), max_abs(G @ velocity))
    basis: list[int] = []
    for k, row in enumerate(G):
        weights = np.linalg.lstsq(G[basis].T, row, rcond=None)[0]
        if np.linalg.norm(row - weights @ G[basis]) > RANK_TOLERANCE * largest:
            basis.append(k)
            continue
        inconsistency = abs(target[k] - weights @ target[basis])
        if inconsistency > CONSISTENCY_TOLERANCE * scale:
            others = dict.fromkeys(
                owners[i]
                for i, weight in zip(basis, weights, strict=True)
                if abs(weight) > DEPENDENCE_TOLERANCE
            )
            conflicting_constraints = " and ".join(others) or "joints that cannot move so"
            raise InconsistentConstraints(
                "constraints",
                f"{owners[k]} against {conflicting_constraints}, off by {inconsistency:.3g}",
                "rows that some motion satisfies",
            )
