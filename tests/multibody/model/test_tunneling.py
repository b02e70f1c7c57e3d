"""Fast bodies do not pass through thin walls, or a warning says that they may.

Friction and eccentric impacts would turn bodies, which have neither here unless a test turns them.
"""

import warnings
from itertools import pairwise

import numpy as np
import pytest

from rbnotes import se3, so3
from rbnotes.multibody import Body, Geometry, Model, TunnelingWarning, simulate
from rbnotes.shapes import Box, ConvexMesh, Cylinder, Ellipsoid, Plane, Sphere

SHAPES = (
    Sphere(0.005),
    Box([0.02, 0.01, 0.004]),
    Cylinder(0.005, 0.02),
    Ellipsoid([0.01, 0.005, 0.003]),
    ConvexMesh(0.01 * np.vstack([np.eye(3), -np.eye(3)])),
)
WALLS = (
    Geometry(Box([0.001, 100, 100])),
    Geometry(Cylinder(50, 0.001), se3.frame(so3.exp([0, np.pi / 2, 0]), np.zeros(3))),
)


def shot(shape, speed, spin=0.0, wall=WALLS[0], **options):
    """Return a small body that flies at a wall of a millimeter in the plane x = 0."""
    bullet = Body("bullet", shape, mass=0.01, position=[-1, 0.013, 0.02])
    model = Model([bullet], ground=[wall], gravity=np.zeros(3), mu=0.0, **options)
    return model, model.state(twists={"bullet": [0, 0, spin, speed, 0.3 * speed, 0]})


@pytest.mark.slow
@pytest.mark.parametrize("speed", [97.0, 3000.0])
@pytest.mark.parametrize("wall", WALLS, ids=["box", "disc"])
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_fast_bodies_stay_in_front_of_a_thin_wall(speed, wall, coordinates):
    for shape, restitution in ((shape, e) for shape in SHAPES for e in (0.0, 1.0)):
        model, state = shot(shape, speed, wall=wall, restitution=restitution)
        x = simulate(model, state, h=0.01, steps=4, coordinates=coordinates).poses("bullet")[:, 0, 3]
        assert np.all(x <= 0.0)
        assert np.any(x > -0.1 - speed * 0.01) or restitution


def test_compiled_steps_stop_at_a_thin_wall():
    model, state = shot(SHAPES[0], 500.0)
    x = simulate(model, state, h=0.01, steps=3, compiled=True).poses("bullet")[:, 0, 3]
    assert x[-1] == pytest.approx(-0.0055, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
def test_a_body_that_turns_fast_may_pass_and_warns(coordinates):
    model, state = shot(SHAPES[3], 3.0, spin=300.0)
    message = r"body 'bullet' moves at [23][\d.]* m/s and [23]\d\d rad/s at t = 0.3\d* s .* a step of 0.01 s"
    with pytest.warns(TunnelingWarning, match=message):
        x = simulate(model, state, h=0.01, steps=60, coordinates=coordinates).poses("bullet")[:, 0, 3]
    assert x[-1] > 0


def test_a_body_that_turns_fast_stays_in_short_steps():
    model, state = shot(SHAPES[3], 30.0, spin=300.0)
    x = simulate(model, state, h=0.0005, steps=80).poses("bullet")[:, 0, 3]
    assert np.all(x <= 0)


def test_turning_bodies_on_a_plane_do_not_warn():
    """Nothing passes through a half-space."""
    model, state = shot(SHAPES[3], 3.0, spin=300.0, wall=Geometry(Plane()))
    simulate(model, state, h=0.01, steps=20)


@pytest.mark.parametrize("h", [0.01, 0.002])
def test_a_chain_of_impacts_that_makes_a_body_faster_than_all_were_warns(h):
    """Balls of falling mass, each eight times lighter, make the last one several times as fast."""
    radii = [0.2, 0.1, 0.05, 0.025]
    x = -np.array([0.0, *np.cumsum([-a - b for a, b in pairwise(radii)])])
    bodies = [
        Body(f"ball{i}", Sphere(r), density=1000.0, position=[position + 1e-6 * i, 0, 0])
        for i, (r, position) in enumerate(zip(radii, x, strict=True))
    ]
    wall = Geometry(Box([0.001, 1, 1]), se3.frame(np.eye(3), [x[-1] + 0.5, 0, 0]))
    model = Model(bodies, ground=[wall], gravity=np.zeros(3), restitution=1.0)
    state = model.state(twists={"ball0": [0, 0, 0, 10.0, 0, 0]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TunnelingWarning)
        motion = simulate(model, state, h=h, steps=4, coordinates="maximal", impacts="sequential")
    speeds = np.linalg.norm(motion.body_states.phi[:, :, 3:], axis=2)
    grows = h * np.max(speeds[1:], axis=1) > 2 * h * np.max(speeds[:-1], axis=1) + 0.026
    assert bool(caught) == bool(np.any(grows))
