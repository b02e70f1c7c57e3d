"""Oracles get inputs from every region of the strategies."""

import numpy as np
import pytest

from rbnotes.ledger.evaluation import samples
from rbnotes.ledger.oracles.body_quantities_inputs import BODIES, FORKED_BODIES, FOUR_BODIES_IN_ANY_TREE


@pytest.mark.parametrize("region", ["generic", "tiny", "large", "degenerate"])
@pytest.mark.parametrize(
    "bodies", [BODIES, FORKED_BODIES, FOUR_BODIES_IN_ANY_TREE], ids=["three", "forked", "four"]
)
def test_bodies_have_masses_and_inertias_of_point_masses(region, bodies):
    """The root of a mass below zero once went into LAPACK."""
    for values in samples({"assembly": bodies}, 12, region=region):
        assembly = values["assembly"]
        assert np.all(assembly.masses > 0)
        moments = np.linalg.eigvalsh(assembly.inertias)
        assert np.all(moments[:, 0] > 0)
        assert np.all(moments[:, 2] <= moments[:, 0] + moments[:, 1])
