"""Programs of staggered projections in cvxpy, each compiled once for its size and cone (Sueda 2.11).

Masses, velocities and bounds are parameters: one compiled program serves all iterations of all steps with the
same number of contacts.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.errors import NotConverged
from rbnotes.friction.facets import facet_directions


class ParametrizedProgram:
    """Program ``min x^T W x / 2 + x^T u`` with constraints that depend on the parameter ``limits``."""

    def __init__(self, count: int, components: int, make_constraints: Any) -> None:
        import cvxpy as cp  # slow to import and needed only here

        self._cp = cp
        self._x = cp.Variable((count, components))
        self._square_root = cp.Parameter((count * components, count * components))
        self._linear = cp.Parameter(count * components)
        self._limits = cp.Parameter(count, nonneg=True)
        flat = cp.vec(self._x, order="C")
        objective = cp.sum_squares(self._square_root @ flat) / 2 + self._linear @ flat
        self._problem = cp.Problem(cp.Minimize(objective), make_constraints(cp, self._x, self._limits))

    def solve(self, W: Array, velocities: Array, limits: Array) -> Array:
        """Return the minimizer x ``(count, components)`` for velocities of the same shape.

        Raises
        ------
        NotConverged
            If the solver finds no solution.
        """
        # Units: unit masses, and impulses that stop the given velocities.
        unit = 1 / np.sqrt(np.where(np.diag(W) > 0, np.diag(W), 1.0))
        speed = float(np.max(np.abs(unit * velocities.ravel()), initial=0.0)) or 1.0
        components = self._x.shape[1]
        unit = np.repeat(unit.reshape(-1, components).min(axis=1), components)
        values, vectors = np.linalg.eigh(unit[:, None] * W * unit)
        self._square_root.value = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        self._linear.value = unit * velocities.ravel() / speed
        self._limits.value = limits / (unit[::components] * speed)
        options = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._problem.solve(solver="CLARABEL", **options)
        if self._x.value is None:
            raise NotConverged(f"cvxpy: {self._problem.status}", None, np.inf)
        result: Array = speed * unit.reshape(-1, components) * np.asarray(self._x.value)
        return result


@lru_cache(maxsize=64)
def contact_program(count: int) -> ParametrizedProgram:
    """Return the program of nonnegative normal impulses (right form of Sueda eq. (2.113))."""
    return ParametrizedProgram(count, 1, lambda cp, x, limits: [x >= 0, limits >= 0])


@lru_cache(maxsize=64)
def friction_program(count: int, cone: str, facets: int) -> ParametrizedProgram:
    """Return the program of friction impulses in the section of a cone (Sueda eq. (2.114))."""

    def make_constraints(cp: Any, x: Any, limits: Any) -> list[Any]:
        if cone == "box":
            return [cp.abs(x[:, k]) <= limits for k in (0, 1)]
        if cone == "disc":
            return [cp.SOC(limits, x, axis=1)]
        directions = facet_directions(facets)
        edge_midpoints = directions + np.roll(directions, -1, axis=0)
        outward = 2 * edge_midpoints / np.sum(edge_midpoints**2, axis=1)[:, None]
        return [x @ side <= limits for side in outward]

    return ParametrizedProgram(count, 2, make_constraints)
