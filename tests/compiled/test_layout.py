"""Sizes of the arrays that packing allocates and compiled code divides."""

import numpy as np
import pytest

from rbnotes.compiled.record_layout import workspace_size
from rbnotes.compiled.simulation import simulation_loop


@pytest.mark.parametrize("sizes", [(1, 0, 0, 0, 0, 0, 0), (3, 2, 11, 40, 5, 7, 17)])
def test_workspace_size_is_sufficient(sizes, monkeypatch):
    """The sizes are numbers of bodies, joints, rows, envelope entries, links, directions and contacts."""
    for name in ("states", "step_workspace", "tree_factor", "tree_workspace"):
        function = getattr(simulation_loop, f"allocate_{name}")
        monkeypatch.setattr(simulation_loop, f"allocate_{name}", getattr(function, "py_func", function))
    size, (bodies, *joints, contacts) = workspace_size(*sizes), sizes
    memory = np.zeros(size)
    *_, offset = simulation_loop.allocate_step_workspace(memory, 0, bodies + 1, *joints, contacts)
    for _ in range(2):
        _, offset = simulation_loop.allocate_states(memory, offset, bodies + 1, *joints)
    assert offset == size
