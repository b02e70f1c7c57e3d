"""Random models: compiled steps give the numbers of the reference, or leave the model to it."""

import numpy as np
import pytest
from random_mechanisms import mechanism, packable_mechanism

from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import simulate

H, STEPS = 0.004, 5
CONTACT_TOLERANCE = 1e-9
"""Accepted relative difference with contacts: Newton's method for friction stops at its tolerance."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_compiled_steps_equal_the_reference(seed):
    model, state = packable_mechanism(seed)
    reference, compiled = (
        simulate(model, state, h=H, steps=STEPS, coordinates="maximal", compiled=each)
        for each in (False, True)
    )
    assert compiled.compiled
    touches = any(np.any(record.impulses) for record in reference.contacts)
    tolerance = CONTACT_TOLERANCE if touches else 1e-10
    for name in ("E", "phi"):
        expected = getattr(reference.body_states, name)
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(
            getattr(compiled.body_states, name), expected, rtol=0, atol=tolerance * scale, err_msg=name
        )
    change = reference.energies[-1] - reference.energies[0]
    for motion in (reference, compiled):
        np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-8, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_limits_actuators_and_losses_are_left_to_the_reference(seed):
    model, state, control = mechanism(seed, touches=seed % 2 == 1, closed=seed % 3 == 0)
    options = {"h": H, "steps": STEPS, "coordinates": "maximal", "control": control}
    with pytest.raises(InvalidArgument, match=r"compiled.*models with control"):
        simulate(model, state, compiled=True, **options)
    reference, automatic = (simulate(model, state, compiled=each, **options) for each in (False, "auto"))
    assert not automatic.compiled
    for name in ("E", "phi"):
        np.testing.assert_array_equal(
            getattr(automatic.body_states, name), getattr(reference.body_states, name)
        )
