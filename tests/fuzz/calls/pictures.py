"""Pictures, and numerical derivatives."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import se3, testing, viewer
from rbnotes.shapes import Box

TIMES = np.linspace(0.0, 1.0, 4)
SCENE = viewer.Scene("A box.", TIMES)
E = se3.exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])


# Functions may return arrays of any shape.
SHAPED = {"function": ("returns too many numbers",)}
# One frame for each time of a scene that moves.
OVER_TIME = ("a row", "twice")


def cube(x):
    return np.asarray(x) ** 3


def first(E):
    return E[..., :3, 0]


SLIDER = viewer.Slider("Two boxes.", "side", {side: viewer.Scene("A box.") for side in (1.0, 2.0)})
CALLS = [
    Call(testing.derivative, {"function": cube, "t": 0.5, "step": 0.004}, fine=SHAPED, slow=True),
    Call(
        testing.jacobian,
        {"function": cube, "x": np.array([0.5, 1.0]), "step": 0.004},
        fine={**SHAPED, "x": ("longer", "shorter")},
    ),
    Call(testing.jacobian_so3, {"function": first, "R": E[:3, :3], "step": 0.004}, fine=SHAPED, slow=True),
    Call(testing.jacobian_se3, {"function": first, "E": E, "step": 0.004}, fine=SHAPED, slow=True),
    Call(
        testing.complex_step,
        {"function": cube, "x": np.array([0.5, 1.0])},
        fine={**SHAPED, "x": ("longer", "shorter")},
    ),
    Call(viewer.solid, {"shape": Box((1.0, 2.0, 3.0)), "color": "blue"}),
    Call(viewer.box, {"sides": np.array([1.0, 2.0, 3.0]), "color": "blue"}),
    Call(viewer.sphere, {"radius": 0.5, "color": "blue"}),
    Call(viewer.cylinder, {"radius": 0.5, "length": 1.0, "color": "blue"}),
    Call(viewer.capsule, {"radius": 0.5, "length": 1.0, "color": "blue"}),
    Call(viewer.frame_axes, {"length": 0.5}),
    Call(
        viewer.arrow_scale,
        {"magnitudes": np.array([1.0, 2.5]), "size": 3.0},
        fine={"magnitudes": ("longer", "shorter")},
    ),
    Call(viewer.ground, {"size": 5.0}),
    Call(viewer.arrow, {"vector": np.array([1.0, 2.0, 3.0]), "color": "red"}, fine={"vector": OVER_TIME}),
    Call(
        viewer.line,
        {"points": np.array([[0.0, 0, 0], [1, 1, 1]]), "color": "gray", "width": 2.0},
        fine={"points": OVER_TIME},
    ),
    Call(
        viewer.spring,
        {
            "ends": np.array([[0.0, 0, 0], [1, 1, 1]]),
            "color": "gray",
            "radius": 0.05,
            "coils": 5,
            "width": 2.0,
        },
        fine={"ends": OVER_TIME},
    ),
    Call(
        viewer.mesh,
        {
            "vertices": np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
            "triangles": np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
            "color": "blue",
        },
    ),
    Call(
        viewer.Scene,
        {"description": "A box.", "times": TIMES, "view": (-1.0, 0.4)},
        fine={"times": ("shorter",), "description": ("another word",)},
    ),
    Call(viewer.Scene("A box.", TIMES).to_json),
    Call(viewer.Scene("A box.", TIMES).to_html),
    Call(
        viewer.Scene("A box.", TIMES).add,
        {"shape": viewer.box([1.0, 2.0, 3.0]), "pose": E},
        fine={"pose": OVER_TIME},
    ),
    Call(viewer.Scene("A box.", TIMES).with_extent, {"extent": np.array([[0.0, 0, 0], [1, 1, 1]])}),
    Call(
        viewer.Slider,
        {
            "description": "Two boxes.",
            "parameter": "side",
            "pictures": {side: viewer.Scene("A box.").add(viewer.box([side] * 3)) for side in (1.0, 2.0)},
            "unit": "m",
            "initial_value": 2.0,
        },
        fine={
            "description": ("another word",),
            "parameter": ("another word",),
            "unit": ("another word", "no word"),
        },
    ),
    Call(SLIDER.to_html),
]
