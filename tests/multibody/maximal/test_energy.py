"""No scene gains energy, the account closes, and runs can be repeated and resumed bit by bit.

The other scenes: `tools/energy_scenes.py`.
"""

import warnings

import numpy as np
import pytest
from random_scenes import account, limits, same, scene

from rbnotes import Body, Model, friction, simulate
from rbnotes.dynamics import momentum_conserving_euler
from rbnotes.multibody import FrictionWarning
from rbnotes.shapes import Box, Plane, Sphere

STEPS = 30


def on_ground(shape, height, **surface):
    model = Model([Body("body", shape, mass=1.0, position=[0, 0, height])], ground=Plane(), **surface)
    return model, model.state()


@pytest.mark.parametrize("seed", [4, 19, 39, 46])
@pytest.mark.slow
def test_energy_account_of_random_scenes(seed):
    one = scene(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FrictionWarning)
        path, first = one.run(STEPS), one.run(STEPS // 3)
        rest = one.run(STEPS - STEPS // 3, first)
    drifts, most = account(one, path), limits(one)
    assert all(a <= b for a, b in zip(drifts, most, strict=True)), (drifts, most)
    assert same(path, first, rest)


def test_elastic_ball_keeps_its_bounce_height():
    """It bounces before the weight of the step acts: else each bounce would gain h g u / 2.

    The contact does no work in any step, as in each impact without friction.
    """
    model, start = on_ground(Sphere(0.1), 0.6, restitution=1.0)
    path = simulate(model, start, h=0.01, steps=200)
    np.testing.assert_allclose(path.work.contacts, 0.0, atol=1e-12)
    np.testing.assert_allclose(path.work.integrator, 0.0, atol=1e-12)
    assert sum(event.kind == "contact_begins" for event in path.contact_events) >= 3
    np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-9)


@pytest.mark.parametrize("scheme", ["rattle", momentum_conserving_euler], ids=["rattle", "momentum"])
@pytest.mark.parametrize("gamma", [100.0, 500.0])
@pytest.mark.slow
def test_overlap_correction_adds_no_velocity(gamma, scheme):
    """A box set 5 cm into the ground was thrown up at 25 m/s; now it rises by 5 cm or so."""
    model, start = on_ground(Box((0.2, 0.2, 0.2)), 0.05)
    path = simulate(model, start, h=0.002, steps=100, stabilization="baumgarte", gamma=gamma, scheme=scheme)
    lift = 9.81 * 0.05
    assert path.energies.max() - path.energies[0] < 1.2 * lift
    assert path.states.E[-1, 0, 2, 3] > 0.095  # and it is out
    assert np.abs(path.states.phi).max() < 1.2 * np.sqrt(2 * lift)


def test_resumed_run_uses_the_last_impulses():
    """From the last state alone friction starts from nothing, and differs by the solver's tolerance."""
    model, start = on_ground(Box((0.2, 0.3, 0.2)), 0.11, mu=0.5)
    start = model.state(twists={"body": [0.3, 0.2, 0.1, 1.0, 0.5, 0]})
    options = {"friction_model": friction.gauss_seidel_friction, "h": 0.01}
    path = simulate(model, start, steps=20, **options)
    first = simulate(model, start, steps=12, **options)
    assert same(path, first, simulate(model, first, steps=8, **options))
    assert not same(path, first, simulate(model, first.states[-1], steps=8, **options))
