"""All pairs of features: each backend agrees with the others on the motion, or refuses the scene by name."""

from itertools import combinations

import numpy as np
import pytest
from model_features import BACKENDS, FEATURES, MAX_DIFFERENCE, build, merge, outcome

STEPS = 3
ONE_OF_THEM = (
    {"particles", "attached particle"},
    {"motor", "position servo", "velocity servo"},
    {"prescribed joint", "prescribed body"},
)
"""Sets of features of which a scene has at most one."""
PAIRS = [
    pair
    for pair in combinations(FEATURES, 2)
    if merge(*(FEATURES[name] for name in pair)) is not None
    and not any(set(pair) <= group for group in ONE_OF_THEM)
]
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
        _, motion = outcome(build(pair), STEPS, backend)
        if motion is not None:
            motions.append(motion)
    for other in motions[1:]:
        for name in ("E", "x"):
            actual, expected = (getattr(each.body_states, name)[-1] for each in (other, motions[0]))
            np.testing.assert_allclose(actual, expected, atol=MAX_DIFFERENCE, err_msg=name)
