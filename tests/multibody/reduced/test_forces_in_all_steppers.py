"""Assembled springs, muscles and frame springs act equally in every public step."""

import inspect
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rbnotes import Body, Model, dynamics, inertia, multibody, simulate
from rbnotes.dynamics import WORLD, State, constrain_scheme, constrained_step
from rbnotes.forces import (
    ForceGroups,
    FrameSpring,
    FrameSprings,
    Muscle,
    PathForces,
    SpringDamper,
    on_body,
    on_world,
    path_through,
)
from rbnotes.joints import Revolute
from rbnotes.multibody import maximal, maximal_coordinates
from rbnotes.multibody import reduced as reduced_coordinates
from rbnotes.multibody.maximal import joint_velocity_constraints
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Link,
    Tree,
    attach_particles,
    bisp_step,
    linear_coordinates,
    reduce_coordinates,
)

ANGLE, H = 0.3, 1e-4
STIFFNESS, REST, TURNING, PEAK, ACTIVE = 5.0, 0.4, 4.0, 8.0, 0.8
SPRUNG, PULLED = np.array([0.6, 0.1, 0.0]), np.array([-0.2, 0.5, 0.0])
FROM, TO = np.array([1.1, -0.4, 0.0]), np.array([-0.9, 0.3, 0.0])
INERTIA = inertia.spatial_inertia(1.5, np.diag([0.3, 0.5, 0.4]), [0.2, 0.1, 0.0])
ABOUT_HINGE = 0.4 + 1.5 * (0.2**2 + 0.1**2)
STILL = (0.0, 0.0, 0.0)


def rotate_about_z(point):
    c, s = np.cos(ANGLE), np.sin(ANGLE)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], 0.0])


def moment_arm(point, anchor):
    """Return the moment about z, m, of a pull of 1 N at the point towards the anchor."""
    position = rotate_about_z(point)
    return np.cross(position, (anchor - position) / np.linalg.norm(anchor - position))[2]


def length(point, anchor):
    return np.linalg.norm(anchor - rotate_about_z(point))


KINDS = [
    PathForces(SpringDamper(STIFFNESS, 0.5, REST), path_through(on_world(FROM), on_body(0, SPRUNG))),
    # At its optimal length a muscle at rest pulls with its activation times its peak force.
    PathForces(
        Muscle(PEAK, length(PULLED, TO), 3.0, activation=ACTIVE),
        path_through(on_world(TO), on_body(0, PULLED)),
    ),
    FrameSprings(FrameSpring.isotropic(np.eye(4), np.eye(4), 10.0, TURNING, 0.3, 0.1), (WORLD, 0)),
]
FORCES = ForceGroups(KINDS)
MOMENTS = (
    STIFFNESS * (length(SPRUNG, FROM) / REST - 1) * moment_arm(SPRUNG, FROM),
    ACTIVE * PEAK * moment_arm(PULLED, TO),
    -TURNING * ANGLE,
)
"""About the hinge, N m, by hand."""

TREE = Tree([Link("bar", Revolute(), INERTIA)], gravity=STILL, applied_forces=FORCES)
REDUCED = reduce_coordinates(TREE, linear_coordinates([[1.0]]))
LOAD, LOADED_AT = 0.7, np.array([-0.4, 0.8, 0.0])
LOADED = attach_particles(
    replace(TREE, masses=[LOAD], applied_forces=FORCES), [AttachedParticle(0, "bar", LOADED_AT)]
)
LOOSE = Model([Body("bar", inertia=INERTIA)], gravity=STILL, forces=FORCES)
BAR = Model([Body("bar", inertia=INERTIA, joint=Revolute())], gravity=STILL, forces=FORCES)
HINGED = maximal_coordinates(BAR).maximal_model

START = State(q=[ANGLE], qdot=[0.0])
POSE = np.eye(4)
POSE[:2, :2] = [[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]]
POSED = State(E=POSE[None], phi=np.zeros((1, 6)))


def on_the_tree(step):
    return step(TREE, START, H).qdot[0]


def reduced(step):
    return step(REDUCED, START, H).qdot[0]


def rate_with_load(step):
    """Return a step of the bar with an attached particle, whose inertia slows it down."""
    rate = step(LOADED, START, H).qdot[0]
    return rate * (ABOUT_HINGE + LOAD * LOADED_AT @ LOADED_AT) / ABOUT_HINGE


def rate_of_model(scheme, coordinates="reduced"):
    """Return a step of the bar as a model."""
    start = BAR.state(q={"bar": ANGLE})
    return multibody.step(BAR, start, H, scheme=scheme, coordinates=coordinates).qdot[0]


def under_joints(step):
    constrained_step = constrain_scheme(step, lambda state, h: [joint_velocity_constraints(HINGED, state)])
    return constrained_step(HINGED, POSED, H).phi[0, 2]


def with_bearings(implicit):
    return bisp_step(TREE, START, H, {}, implicit=implicit).state.qdot[0]


def constrained_at_once():
    rows = [joint_velocity_constraints(HINGED, POSED)]
    step = constrained_step(dynamics.symplectic_euler, HINGED, POSED, H, lambda state, h: rows)
    return step.state.phi[0, 2]


def maximal_run(**options):
    return simulate(BAR, BAR.state(q={"bar": ANGLE}), h=H, steps=1, coordinates="maximal", **options)


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
    for name in ("momentum_conserving_euler", "energy_conserving_euler", "implicit_momentum_conserving_euler")
}
TWO_HALVES = {name: GENERAL[name] for name in ("symplectic_euler", "implicit_euler", "trapezoidal")}

STEPS = {
    **{
        f"{way.__name__}: {name}": partial(way, step)
        for way in (on_the_tree, reduced, rate_with_load)
        for name, step in GENERAL.items()
    },
    **{
        f"modeled: {name}": partial(rate_of_model, step)
        for name, step in (GENERAL | {"rattle": "rattle", "DOP853": "DOP853"}).items()
        if name != "bridson_marino"
    },
    **{f"under_joints: {name}": partial(under_joints, step) for name, step in (GENERAL | OF_BODIES).items()},
    **{
        f"simulate: {name}": partial(rate_of_model, step, "maximal")
        for name, step in (TWO_HALVES | OF_BODIES).items()
    },
    "simulate: rattle": partial(rate_of_model, "rattle", "maximal"),
    "simulate: compiled": lambda: maximal_run(compiled=True).qdot("bar")[-1, 0],
    "constrained_step": constrained_at_once,
    "bisp_step, explicit": partial(with_bearings, False),
    "bisp_step, implicit": partial(with_bearings, True),
    "integrate": lambda: dynamics.integrate(dynamics.symplectic_euler, TREE, START, H, 1).qdot[-1, 0],
    "runge_kutta": lambda: dynamics.runge_kutta(HINGED, POSED, H).phi[0, 2],
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.slow
def test_assembled_forces_act_in_every_step(step):
    assert abs(step() / H * ABOUT_HINGE - sum(MOMENTS)) < 0.05


@pytest.mark.parametrize("step", (GENERAL | OF_BODIES).values(), ids=GENERAL | OF_BODIES)
def test_assembled_forces_act_on_a_free_body(step):
    """The twist by hand: the sum of the forces and of their moments about the origin, divided by inertia."""
    pulls = [
        size * (anchor - rotate_about_z(point)) / length(point, anchor)
        for size, point, anchor in (
            (STIFFNESS * (length(SPRUNG, FROM) / REST - 1), SPRUNG, FROM),
            (ACTIVE * PEAK, PULLED, TO),
        )
    ]
    wrench = np.append([0.0, 0.0, sum(MOMENTS)], POSE[:3, :3].T @ np.sum(pulls, axis=0))
    rate = step(LOOSE, POSED, H).phi[0] / H
    np.testing.assert_allclose(INERTIA @ rate, wrench, rtol=0, atol=0.05)


def test_compiled_run_evaluates_the_forces():
    compiled = maximal_run(compiled=True)
    assert compiled.compiled
    reference = maximal_run().body_states.phi
    np.testing.assert_allclose(compiled.body_states.phi, reference, rtol=0, atol=1e-12)


RESULTS = (
    "State",
    "States",
    "Trajectory",
    "ConstrainedStepResult",
    "BispStep",
    "StepResult",
)
NO_STEPS = {
    "project",
    "assemble_configuration",
    "equilibrium",
    "load_trajectory",
    "advance_by_mean_velocity",
    "advance_by_new_velocity",
}
"""Functions in which no time passes, and the second halves of schemes."""


def public_steppers(subpackage):
    """Return the public functions of a subpackage that advance a system."""
    for name in subpackage.__all__:
        each = getattr(subpackage, name)
        if isinstance(each, dynamics.Scheme | dynamics.FullyImplicitScheme):
            yield name
        elif inspect.isfunction(each):
            given = inspect.signature(each)
            result = str(given.return_annotation).partition(" |")[0]
            if result in RESULTS and {"system", "tree", "model", "step", "scheme"} & {*given.parameters}:
                yield name


def test_all_public_steppers_are_covered():
    named = " ".join([*STEPS, *GENERAL, *OF_BODIES])
    driven = {*re.findall(r"\w+", named), "step"}  # the last with many of the schemes
    subpackages = dynamics, multibody, maximal, reduced_coordinates
    steppers = {name for subpackage in subpackages for name in public_steppers(subpackage)}
    assert {"runge_kutta", "simulate", "step", "bisp_step", "symplectic_euler", "integrate"} <= steppers
    assert steppers - NO_STEPS - driven == set()
    systems = {
        name
        for subpackage in subpackages
        for name in subpackage.__all__
        if inspect.isclass(each := getattr(subpackage, name))
        and {"mass_matrix", "force", "retract"} <= set(dir(each))
        and not inspect.isabstract(each)
        and not getattr(each, "_is_protocol", False)
    }
    here = {type(each).__name__ for each in (TREE, LOOSE, HINGED)}
    assert systems == here


@pytest.mark.parametrize("kind", range(3))
def test_each_kind_of_force_has_its_moment(kind):
    link = Link("bar", Revolute(), INERTIA)
    alone = Tree([link], gravity=STILL, applied_forces=ForceGroups([KINDS[kind]]))
    rate = dynamics.symplectic_euler(alone, START, H).qdot[0] / H
    assert rate * ABOUT_HINGE == pytest.approx(MOMENTS[kind], rel=1e-9)
