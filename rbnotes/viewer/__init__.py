"""Animated 3-D scenes and figures for the book and for notebooks, on light and dark pages.

>>> import numpy as np
>>> from rbnotes.viewer import Scene, box, ground
>>> times = np.linspace(0, 1, 30)
>>> poses = np.tile(np.eye(4), (30, 1, 1))
>>> poses[:, 2, 3] = 5 - 9.81 * times**2 / 2
>>> scene = Scene("A box falls to the ground.", times)
>>> scene = scene.add(ground()).add(box([1, 1, 1]), poses)

The last line of a cell shows the scene. The z axis points up; lengths are in meters.
"""

from rbnotes.viewer.figures import figure
from rbnotes.viewer.scene import Scene
from rbnotes.viewer.shapes import (
    Drawable,
    arrow,
    arrow_scale,
    box,
    capsule,
    cylinder,
    frame_axes,
    ground,
    line,
    mesh,
    solid,
    sphere,
    spring,
)
from rbnotes.viewer.slider import Slider

__all__ = [
    "Drawable",
    "Scene",
    "Slider",
    "arrow",
    "arrow_scale",
    "box",
    "capsule",
    "cylinder",
    "figure",
    "frame_axes",
    "ground",
    "line",
    "mesh",
    "solid",
    "sphere",
    "spring",
]
