"""Springs, muscles and frame springs, once assembled, act in every public step alike."""

from functools import partial

import numpy as np
import pytest

from rbnotes import dynamics, inertia, maximal
from rbnotes.dynamics import WORLD, State, constrained
from rbnotes.forces import (
    ForceGroups,
    FrameSpring,
    FrameSprings,
    Muscle,
    Paths,
    SpringDamper,
    on_body,
    on_world,
    through,
)
from rbnotes.joints import Revolute
from rbnotes.maximal import Mechanism, World, mechanism_rows, simulate
from rbnotes.tree import (
    HyperReducedSystem,
    Link,
    Tree,
    TreeSystem,
    bisp_step,
    contact_step,
    integrate_adaptively,
    linear_coordinates,
)

ANGLE, H = 0.3, 1e-4
STIFFNESS, REST, TURNING, PEAK, ACTIVE = 5.0, 0.4, 4.0, 8.0, 0.8
SPRUNG, PULLED = np.array([0.6, 0.1, 0.0]), np.array([-0.2, 0.5, 0.0])
FROM, TO = np.array([1.1, -0.4, 0.0]), np.array([-0.9, 0.3, 0.0])
INERTIA = inertia.spatial_inertia(1.5, np.diag([0.3, 0.5, 0.4]), [0.2, 0.1, 0.0])
ABOUT_HINGE = 0.4 + 1.5 * (0.2**2 + 0.1**2)
STILL = (0.0, 0.0, 0.0)


def turned(point):
    c, s = np.cos(ANGLE), np.sin(ANGLE)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], 0.0])


def arm(point, anchor):
    """Moment about z, m, of a pull of 1 N at the point towards the anchor."""
    at = turned(point)
    return np.cross(at, (anchor - at) / np.linalg.norm(anchor - at))[2]


def length(point, anchor):
    return np.linalg.norm(anchor - turned(point))


KINDS = [
    Paths(SpringDamper(STIFFNESS, 0.5, REST), through(on_world(FROM), on_body(0, SPRUNG))),
    # At its optimal length a muscle at rest pulls with its activation times its peak force.
    Paths(
        Muscle(PEAK, length(PULLED, TO), 3.0, activation=ACTIVE),
        through(on_world(TO), on_body(0, PULLED)),
    ),
    FrameSprings(FrameSpring.isotropic(np.eye(4), np.eye(4), 10.0, TURNING, 0.3, 0.1), (WORLD, 0)),
]
FORCES = ForceGroups(KINDS)
MOMENTS = (
    STIFFNESS * (length(SPRUNG, FROM) / REST - 1) * arm(SPRUNG, FROM),
    ACTIVE * PEAK * arm(PULLED, TO),
    -TURNING * ANGLE,
)
"""About the hinge, N m, by hand."""

TREE = TreeSystem(Tree([Link("bar", Revolute(), INERTIA)], gravity=STILL), applied=FORCES)
REDUCED = HyperReducedSystem(TREE, linear_coordinates([[1.0]]))
HINGED = Mechanism(INERTIA[None], [maximal.hinge(0)], gravity=STILL, applied=FORCES)

START = State(q=[ANGLE], qdot=[0.0])
POSE = np.eye(4)
POSE[:2, :2] = [[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]]
POSED = State(E=POSE[None], phi=np.zeros((1, 6)))


def on_the_tree(step):
    return step(TREE, START, H).qdot[0]


def reduced(step):
    return step(REDUCED, START, H).qdot[0]


def touching(step):
    return contact_step(step, TREE, START, H, []).state.qdot[0]


def under_joints(step):
    held = constrained(step, lambda state, h: [mechanism_rows(HINGED, state)])
    return held(HINGED, POSED, H).phi[0, 2]


def simulated(integrator):
    return simulate(World(HINGED), POSED, H, 1, integrator=integrator).states.phi[-1, 0, 2]


def with_bearings(implicit):
    return bisp_step(TREE, START, H, {}, implicit=implicit).state.qdot[0]


GENERAL = {
    name: getattr(dynamics, name)
    for name in (
        "symplectic_euler",
        "implicit_euler",
        "trapezoidal",
        "bridson_marino",
        "implicit_midpoint",
        "fully_implicit_euler",
    )
}
OF_BODIES = {
    name: getattr(dynamics, name)
    for name in ("keeping_momentum", "keeping_energy", "implicit_keeping_momentum")
}
TWO_HALVES = {name: GENERAL[name] for name in ("symplectic_euler", "implicit_euler", "trapezoidal")}

STEPS = {
    **{
        f"{way.__name__}: {name}": partial(way, step)
        for way in (on_the_tree, reduced, touching)
        for name, step in GENERAL.items()
    },
    **{f"under_joints: {name}": partial(under_joints, step) for name, step in (GENERAL | OF_BODIES).items()},
    **{f"simulated: {name}": partial(simulated, step) for name, step in (TWO_HALVES | OF_BODIES).items()},
    "simulated: rattle": partial(simulated, maximal.rattle),
    "bisp_step, explicit": partial(with_bearings, False),
    "bisp_step, implicit": partial(with_bearings, True),
    "runge_kutta": lambda: dynamics.runge_kutta(HINGED, POSED, H).phi[0, 2],
    "integrate_adaptively": lambda: integrate_adaptively(TREE, START, [H]).qdot[-1, 0],
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_assembled_forces_turn_the_bar_in_every_step(step):
    assert abs(step() / H * ABOUT_HINGE - sum(MOMENTS)) < 0.05


@pytest.mark.parametrize("kind", range(3))
def test_each_kind_of_force_turns_it_by_its_own_moment(kind):
    link = Link("bar", Revolute(), INERTIA)
    alone = TreeSystem(Tree([link], gravity=STILL), applied=ForceGroups([KINDS[kind]]))
    rate = dynamics.symplectic_euler(alone, START, H).qdot[0] / H
    assert rate * ABOUT_HINGE == pytest.approx(MOMENTS[kind], rel=1e-9)
