"""Sums of forces on bodies and particles, with sparse Jacobians in the generalized coordinates of the system.

:func:`assemble` sums groups of forces, such as those of :mod:`rbnotes.forces.groups`;
:class:`ForceGroups` is their sum as a force law. Fixed coordinates have no rows and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import Forces, State
from rbnotes.forces.anchor_kinematics import NO_COORDINATE, IndexedForces
from rbnotes.forces.anchor_points import Indices
from rbnotes.unchecked.frozen import set_fields


class ForceGroup(Protocol):
    """Forces of one kind."""

    def forces(self, state: State) -> IndexedForces:
        """Return forces on coordinates of the state, with their derivatives."""

    def energy(self, state: State) -> float:
        """Return the potential energy, J."""

    def dissipated_power(self, state: State) -> float:
        """Return the dissipated power, W."""


def assemble(groups: Iterable[ForceGroup], state: State) -> Forces:
    """Return the sum of all forces with sparse Jacobians.

    A body that carries several points of one path, or of several groups, receives the sum of their forces.

    Raises
    ------
    InvalidArgument
        If a point is attached to a body or particle that the state does not have.
    SingularConfiguration
        If a segment of a path has length zero.
    """
    arguments.require_instance("state", state, State)
    groups = check_groups(groups)
    f = np.zeros(state.size)
    K, D = _SparseEntries(state.size), _SparseEntries(state.size)
    for group in groups:
        name = type(group).__name__
        indices, f_group, K_group, D_group = arguments.call_user_function(name, group.forces, state)
        is_free = indices != NO_COORDINATE
        np.add.at(f, indices[is_free], f_group[is_free])
        K.add(indices, K_group)
        D.add(indices, D_group)
    return Forces(f, K.matrix(), D.matrix())


@dataclass(frozen=True, eq=False)
class ForceGroups:
    """Sum of groups as one force on a system, a :data:`rbnotes.dynamics.ForceLaw`.

    >>> from rbnotes import Model
    >>> from rbnotes.dynamics import State, implicit_euler, integrate
    >>> from rbnotes.forces import LinearSpring, PathForces
    >>> from rbnotes.forces import on_particle, on_world, path_through
    >>> ends = path_through(on_world([0.0, 0.0, 0.0]), on_particle(0))
    >>> spring = PathForces(LinearSpring(100.0, rest_length=1.0), ends)
    >>> hanging = Model(particles=[1.0], forces=[spring])
    >>> start = State(x=[[0.0, 0.0, -1.0]])
    >>> states = integrate(implicit_euler, hanging, start, 0.1, 100)
    >>> states.x[-1, 0].round(4).tolist()
    [0.0, 0.0, -1.0981]

    Raises InvalidArgument if ``groups`` does not fit.

    Attributes
    ----------
    groups
        Groups whose forces are added, N and N m.
    """

    groups: Sequence[ForceGroup]

    def __post_init__(self) -> None:
        set_fields(self, groups=check_groups(self.groups))

    def resolve_names(self, index: Callable[[str], int]) -> ForceGroups:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        Groups without a method ``resolve_names`` stay as they are.
        """
        return ForceGroups(
            [each.resolve_names(index) if hasattr(each, "resolve_names") else each for each in self.groups]
        )

    def __call__(self, state: State) -> Forces:
        """Return :func:`assemble` of the groups.

        Raises InvalidArgument if ``state`` is not a ``State``, or as :func:`assemble`.
        """
        arguments.require_instance("state", state, State)
        return assemble(self.groups, state)

    def energy(self, state: State) -> float:
        """Return the potential energy, J.

        Raises InvalidArgument if a law has none, or ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return sum(group.energy(state) for group in self.groups)

    def dissipated_power(self, state: State) -> float:
        """Return the dissipated power, W; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        return sum(group.dissipated_power(state) for group in self.groups)


def check_groups(groups: Iterable[ForceGroup]) -> tuple[ForceGroup, ...]:
    """Return the groups as a tuple; raise InvalidArgument if one lacks a method of a group."""
    result = arguments.instances("groups", groups, object)
    for number, group in enumerate(result):
        arguments.require_methods(f"groups[{number}]", group, "forces", "energy", "dissipated_power")
    return result


class _SparseEntries:
    """Entries of a sparse matrix, collected block by block."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rows, self.columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        self.values = [np.zeros(0)]

    def add(self, indices: Indices, blocks: Array) -> None:
        """Add blocks ``(s, N, N)`` at the coordinates ``indices (s, N)``."""
        rows, columns = np.broadcast_arrays(indices[:, :, None], indices[:, None, :])
        blocks = np.broadcast_to(blocks, rows.shape)
        is_entry = (rows != NO_COORDINATE) & (columns != NO_COORDINATE) & (blocks != 0)
        self.rows.append(rows[is_entry])
        self.columns.append(columns[is_entry])
        self.values.append(blocks[is_entry])

    def matrix(self) -> sparse.csc_array:
        entries = np.concatenate(self.rows), np.concatenate(self.columns)
        return sparse.coo_array((np.concatenate(self.values), entries), shape=(self.size, self.size)).tocsc()
