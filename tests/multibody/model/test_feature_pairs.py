"""All pairs of features: each backend agrees with the others on the motion, or refuses the scene by name."""

import numpy as np
import pytest
from backend_combinations import BACKENDS
from feature_pairs import FEATURES, PAIRS, outcome

MAX_DIFFERENCE = 2e-3
"""Largest accepted difference of positions between backends, m: their errors of second order."""

ALWAYS_CHECKED = (
    ("bearing", "joint limit"),
    ("friction model staggered", "limit by a plane"),
    ("joint Free3D", "bearing"),  # in free fall, without load
)


def test_every_feature_is_in_pairs():
    assert {name for pair in PAIRS for name in pair} == set(FEATURES)


@pytest.mark.parametrize(
    "pair",
    [pytest.param(pair, marks=() if pair in ALWAYS_CHECKED else pytest.mark.slow) for pair in PAIRS],
    ids=lambda pair: ", ".join(pair),
)
def test_pairs_run_alike_or_are_refused(pair):
    motions = []
    for backend in BACKENDS:
        _, motion = outcome(pair, backend)
        if motion is None:
            continue
        assert motion.compiled == (backend == "compiled")
        change = motion.energies[-1] - motion.energies[0]
        np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-8, atol=1e-10)
        motions.append(motion)
    for other in motions[1:]:
        for name in ("E", "x"):
            actual, expected = (getattr(each.body_states, name)[-1] for each in (other, motions[0]))
            np.testing.assert_allclose(actual, expected, atol=MAX_DIFFERENCE, err_msg=name)
