"""Sizes of the arrays that packing allocates and compiled code divides."""

import numpy as np
import pytest

from rbnotes.compiled.record_layout import workspace_size
from rbnotes.compiled.simulation.simulation_loop import allocate_states, allocate_step_workspace


@pytest.mark.parametrize(("bodies", "rows", "envelope", "contacts"), [(1, 0, 0, 0), (3, 11, 40, 17)])
def test_workspace_size_is_sufficient(bodies, rows, envelope, contacts):
    size = workspace_size(bodies, rows, envelope, contacts)
    memory = np.zeros(size)
    states, step = (getattr(each, "py_func", each) for each in (allocate_states, allocate_step_workspace))
    *_, offset = step(memory, 0, bodies + 1, rows, envelope, contacts)
    for _ in range(2):
        _, offset = states(memory, offset, bodies + 1, rows, envelope)
    assert offset == size
