"""Attachments of components to masters, and the order of their elimination.

Lloyd writes an attachment as a constraint, ``v_k + G_k v_masters = g_k`` (0.17). Here it is the equivalent
map

    v_k = sum_j J_kj v_j + bias_k,      J = -G,   bias = g.

Velocities may be accelerations: then the bias is ``dJ/dt v``. For velocities at the end of a step J is the
one at the end of the step, to first order ``J + h dJ/dt``, and the bias is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class Attachment:
    """Attachment of a component, whose velocity is a function of those of its masters.

    Raises InvalidArgument if ``component`` or a master is negative, or a block or ``bias`` does not have the
    size of the component.

    Attributes
    ----------
    component
        Index of the attached component.
    blocks
        Matrices ``J_kj (size of k, size of j)`` from the velocities of master j to those of component k, by
        j; dimensionless between velocities of one kind. Masters may be attached themselves.
    bias
        Velocities ``(size of k,)`` while those of the masters are zero, m/s or rad/s; for accelerations
        ``dJ/dt v``, m/s^2 or rad/s^2; zero by default.
    """

    component: int
    blocks: Mapping[int, Array]
    bias: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        component = arguments.count("component", self.component)
        arguments.require_instance("blocks", self.blocks, Mapping)
        if not self.blocks:
            raise InvalidArgument("blocks", "no masters", "at least one")
        blocks = {
            arguments.count("blocks", j): arguments.array(f"blocks[{j}]", block, None, None)
            for j, block in self.blocks.items()
        }
        rows = {block.shape[0] for block in blocks.values()}
        if len(rows) > 1 or any(block.ndim != 2 for block in blocks.values()):
            shapes = ", ".join(str(block.shape) for block in blocks.values())
            raise InvalidArgument("blocks", f"shapes {shapes}", "matrices with the same number of rows")
        if self.component in blocks:
            raise InvalidArgument(
                "blocks", f"component {self.component} as its own master", "other components"
            )
        size = rows.pop()
        bias = arguments.single_vector("bias", self._bias_or_zeros(size), size)
        set_fields(self, component=component, blocks=blocks, bias=bias)

    def _bias_or_zeros(self, size: int) -> Any:
        is_omitted = isinstance(self.bias, list | tuple | np.ndarray) and len(self.bias) == 0
        return np.zeros(size) if is_omitted else self.bias

    @property
    def size(self) -> int:
        """Number of velocities of the attached component."""
        return len(self.bias)


class CyclicAttachments(InvalidArgument):
    """Error: attachments form a cycle; ``cycle`` lists its components."""

    def __init__(self, cycle: Sequence[int]) -> None:
        chain = " -> ".join(str(component) for component in [*cycle, cycle[0]])
        super().__init__("attachments", f"the cycle {chain}", "a directed graph without cycles")
        self.cycle = tuple(cycle)


def elimination_order(attachments: Iterable[Attachment]) -> list[Attachment]:
    """Return attachments in an order with each component before all of its masters (Lloyd 0.18).

    When a component is eliminated, no remaining component is attached to it.

    Raises
    ------
    CyclicAttachments
        If there is no such order.
    InvalidArgument
        If a component is attached twice.
    """
    attachments = arguments.instances("attachments", attachments, Attachment)
    by_component: dict[int, Attachment] = {}
    for attachment in attachments:
        if attachment.component in by_component:
            raise InvalidArgument(
                "attachments", f"two for component {attachment.component}", "one, with all of its masters"
            )
        by_component[attachment.component] = attachment
    sorter = TopologicalSorter({k: attachment.blocks.keys() for k, attachment in by_component.items()})
    try:
        masters_first = [k for k in sorter.static_order() if k in by_component]
    except CycleError as error:
        cycle = error.args[1]  # from masters to attached components; the first one is also the last
        raise CyclicAttachments(cycle[:0:-1]) from error
    return [by_component[k] for k in reversed(masters_first)]
