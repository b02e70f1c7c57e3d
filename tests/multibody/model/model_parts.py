"""Parts of models that several tests use."""

import numpy as np

from rbnotes import joints, se3
from rbnotes.multibody import Body
from rbnotes.multibody.reduced import LoopClosure
from rbnotes.shapes import Box


def shift(x, y, z):
    """Return a pose without rotation."""
    return se3.frame(np.eye(3), [x, y, z])


def parallelogram(**options):
    """Return two cranks of 0.3 m on the world, a coupler of 0.5 m, and the closure of the loop.

    The options are those of every body.
    """
    options = {"joint": joints.Revolute([0, 1, 0]), **options}
    bar = Box([0.02, 0.02, 0.3])
    bodies = [
        Body("left", bar, mass=0.5, body_frame=shift(0, 0, -0.15), **options),
        Body(
            "coupler",
            Box([0.5, 0.02, 0.02]),
            mass=1.0,
            parent="left",
            joint_frame=shift(0, 0, -0.3),
            body_frame=shift(0.25, 0, 0),
            **options,
        ),
        Body("right", bar, mass=0.5, joint_frame=shift(0.5, 0, 0), body_frame=shift(0, 0, -0.15), **options),
    ]
    return bodies, LoopClosure("coupler", [0.25, 0, 0], "right", [0, 0, -0.15], [0, 1, 0])
