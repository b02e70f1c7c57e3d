"""One scene for each row of the book's table of backends."""

from dataclasses import replace
from functools import partial

import numpy as np
from model_features import FEATURES, TIP_RADIUS, build, outcome
from model_parts import parallelogram, shift

from rbnotes import joints
from rbnotes.forces import LinearSpring, PathForces, on_body, path_through
from rbnotes.multibody import Body, Geometry, Model
from rbnotes.shapes import Box, Plane, RoundedBox, Sphere

STEPS = 20


def boxes():
    """Return two boxes that fall on the floor, and a ball."""
    bodies = [
        Body("lower", Box([0.2, 0.2, 0.2]), mass=1.0, position=[0, 0, 0.12]),
        Body("upper", Box([0.1, 0.1, 0.1]), mass=0.5, position=[0.02, 0, 0.3]),
        Body("ball", Sphere(0.1), mass=1.0, position=[1, 0, 0.13]),
    ]
    model = Model(bodies, ground=Plane())
    return model, model.state(twists={"ball": [0, 0, 0, 1.0, 0, -1.0]}), {}


def rounded_box():
    """Return a rounded box above the floor."""
    box = Body("box", RoundedBox([0.2, 0.2, 0.2], 0.02), mass=1.0, position=[0, 0, 0.15])
    model = Model([box], ground=Plane())
    return model, model.state(), {}


def arm_on_ground():
    """Return two links above a floor, one millimeter below the second one."""
    model, state, call = build([])
    height = model.body_state(state).E[1, 2, 3] - TIP_RADIUS - 1e-3
    return replace(model, ground=[Geometry(Plane(), shift(0, 0, height))]), state, call


def arm_with_sampled_commands():
    """Return two links whose commands are arrays of samples."""
    model, state, _ = build([])
    return model, state, {"control": np.linspace([0, 0], [1, 0.5], STEPS + 1)}


def four_bar():
    """Return a parallelogram whose loop closure is a hinge."""
    bodies, closure = parallelogram()
    model = Model(bodies, constraints=[closure])
    return model, model.state(q={"left": 0.4, "coupler": -0.4, "right": 0.4}), {}


def point_mass():
    """Return a body without a shape on a spring, and a bar."""
    bead = Body("bead", mass=0.5, joint=joints.Translational(), joint_frame=shift(0, 0, 1))
    bar = Body("bar", Box([0.3, 0.1, 0.1]), mass=1.0, joint=joints.Revolute([0, 1, 0]))
    ends = path_through(on_body("bead", [0, 0, 0]), on_body("bar", [0.15, 0, 0]))
    model = Model([bead, bar], forces=PathForces(LinearSpring(30.0, 1.0, 0.2), ends))
    return model, model.state(), {}


SCENES = {
    **{name: partial(build, [name]) for name in FEATURES},
    "free bodies with contact": boxes,
    "rounded boxes": rounded_box,
    "joints with contact": arm_on_ground,
    "commands in arrays": arm_with_sampled_commands,
    "point mass on a joint": point_mass,
    "loop closure by a hinge": four_bar,
}
"""Models with an initial state and the options of the call, by feature."""


def scene_outcome(feature, backend):
    """Return the :func:`outcome` of a row of the table."""
    return outcome(SCENES[feature](), STEPS, backend)
