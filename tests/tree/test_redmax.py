"""The energies that Sueda's MATLAB reference implementation publishes for its scenes, to all its digits."""

import numpy as np
import pytest
from redmax_scenes import FILE, SCHEME, final_energy, load, read

SCENES = load()


@pytest.mark.skipif(not SCENES, reason=f"the reference scenes are not part of this repository: no {FILE}")
@pytest.mark.parametrize("name", SCENES or ["none"])
def test_published_energy(name):
    expected = SCENES[name]["expected"][SCHEME]["value"]
    np.testing.assert_allclose(final_energy(read(SCENES[name])), expected, rtol=1e-10)
