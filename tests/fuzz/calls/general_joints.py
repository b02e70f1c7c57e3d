"""Joints given as functions, and those of surfaces, curves and gears."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints
from rbnotes.joints.general import curves, surfaces

POINTS = np.array([[0.0, 0, 0], [0.5, 1, 0], [1, 0, 0.5], [1.5, 0.5, 1]])
GRID = np.stack([[[i, j, 0.5 * i * j] for j in range(3)] for i in range(3)]).astype(float)
RING, LINE = curves.circle(0.5), curves.bezier_curve(POINTS)
BALL, TORUS, SHEET = surfaces.sphere(0.5), surfaces.torus(1.0, 0.25), surfaces.bezier_surface(GRID)
UP = np.array([0.0, 0.0, 1.0])
NAMES = ("another word",)
ANY = ("longer", "shorter")


def swing(q):
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([0, q[1], s])


def margin(q):
    return {"the end": np.cos(q[1])}


def parabola(s):
    return np.array([s, s**2, 0])


def saddle(u, v):
    return np.array([u, v, u * v])


def level(u, v):
    return [(np.eye(3), np.array([u, v, 0]))]


def from_the_edge(u, v):
    return u - 4.0


SWING = joints.FunctionJoint(swing, 2, margins=margin)
CALLS = [
    Call(
        joints.FunctionJoint,
        {
            "function": swing,
            "num_coordinates": 2,
            "name": "swing",
            "neutral": np.array([0.5, 0.25]),
            "low": np.array([-1.0, -0.5]),
            "high": np.array([1.0, 0.5]),
            "margins": margin,
        },
        fine={"name": NAMES},
    ),
    *(
        Call(getattr(joint, name), {"q": q})
        for joint, q in (
            (SWING, np.array([0.25, 0.5])),
            (joints.surface_on_surface(BALL, TORUS), np.array([0.25, 0.5, -0.25, 0.125, 1.0])),
        )
        for name in ("transform", "motion_subspace", "motion_subspace_derivative", "distance_to_singularity")
    ),
    Call(SWING.motion_subspace_rate, {"q": np.array([0.25, 0.5]), "qdot": np.array([0.5, 1.0])}),
    Call(SWING.bias_acceleration_derivative, {"q": np.array([0.25, 0.5]), "qdot": np.array([0.5, 1.0])}),
    Call(SWING.nearest_coordinates, {"Q": SWING.transform([0.25, 0.5])}, slow=True),
    Call(
        joints.python_source, {"function": SWING.kinematics_function, "name": "motion"}, fine={"name": NAMES}
    ),
    Call(joints.rotation, {"axis": np.array([0.6, 0.0, 0.8]), "angle": 0.5}),
    Call(joints.translation, {"x": 0.5, "y": 0.25, "z": -0.5}),
    Call(joints.surface_on_surface, {"first": BALL, "second": TORUS, "spin_angle": 0.5}),
    Call(joints.point_on_surface, {"surface": SHEET, "rotation": "normal", "height": 0.25}),
    Call(
        joints.point_on_curve,
        {"curve": LINE, "rotation": "tangent", "reference_direction": np.array([0.0, 0.6, 0.8])},
    ),
    Call(joints.curve_on_curve, {"first": RING, "second": LINE}),
    Call(joints.rolling_gear, {"radius": 0.5, "wheel_radius": 0.25, "internal": True}),
    Call(curves.circle, {"radius": 0.5}),
    Call(curves.bezier_curve, {"points": POINTS}),
    Call(
        curves.Curve,
        {"name": "parabola", "point": parabola, "low": -1.0, "high": 1.0},
        fine={"name": NAMES},
    ),
    Call(RING.tangent, {"s": 0.5}),
    Call(LINE.frame, {"s": 0.5, "reference_direction": UP}),
    Call(LINE.fold_margin, {"s": 0.5, "reference_direction": UP}),
    Call(surfaces.sphere, {"radius": 0.5}),
    Call(surfaces.ellipsoid, {"semi_axes": np.array([0.5, 0.75, 1.0])}),
    Call(surfaces.torus, {"radius": 1.0, "tube_radius": 0.25}),
    Call(surfaces.bezier_surface, {"points": GRID}),
    Call(
        surfaces.Surface,
        {
            "name": "saddle",
            "point": saddle,
            "factors": level,
            "pole": from_the_edge,
            "low": (-1.0, -1.0),
            "high": (1.0, 1.0),
        },
        fine={"name": NAMES},
    ),
    *(
        Call(getattr(surface, name), {"u": 0.5, "v": 0.25})
        for surface in (TORUS, SHEET)
        for name in ("frame", "fold_margin")
    ),
]
