"""Every type of joint, and its constraint rows."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints, se3

FRAMES = np.stack([se3.exp([0.2 * np.sin(k), 0.1 * k, 0.3, np.cos(k), np.sin(k), 0.1 * k]) for k in range(5)])
GRID = np.stack(
    [[[i, j, 0.1 * np.sin(i + j), 0.1 * i, 0.1 * j, 0.05 * i * j] for j in range(4)] for i in range(4)]
)
AXIS = np.array([0.0, 0.6, 0.8])
TYPES = (
    joints.Revolute(AXIS),
    joints.Prismatic(AXIS),
    joints.Helical(AXIS, 0.5),
    joints.PlanarTranslation(),
    joints.Translational(),
    joints.ExponentialSpherical(),
    joints.EulerSpherical("XYZ"),
    joints.QuaternionSpherical(),
    joints.Universal(),
    joints.Cylindrical(AXIS),
    joints.Free2D(),
    joints.Free3D(),
    joints.Composite(joints.Revolute(AXIS), joints.Prismatic()),
    joints.SplineCurve(FRAMES),
    joints.SplineSurface(GRID),
    joints.Fixed(),
)


def coordinates(joint):
    if isinstance(joint, joints.QuaternionSpherical):
        return np.array([0.5, -0.5, 0.5, 0.5])
    return 0.25 + 0.125 * np.arange(joint.num_coordinates)


def rates(joint):
    if isinstance(joint, joints.QuaternionSpherical):
        return np.array([0.25, 0.25, 0.5, -0.5])
    return 0.5 - 0.25 * np.arange(joint.num_coordinates)


HINGE = TYPES[0]
CALLS = [
    Call(joints.Revolute, {"axis": AXIS}),
    Call(joints.Prismatic, {"axis": AXIS}),
    Call(joints.Helical, {"axis": AXIS, "pitch": 0.5}),
    Call(joints.Cylindrical, {"axis": AXIS}),
    Call(joints.Fixed, {"pose": FRAMES[1]}),
    Call(joints.EulerSpherical, {"sequence": "XYZ"}),
    Call(joints.euler_sequences),
    *(
        Call(kind)
        for kind in (
            joints.PlanarTranslation,
            joints.Translational,
            joints.ExponentialSpherical,
            joints.QuaternionSpherical,
            joints.Universal,
        )
    ),
    Call(joints.Free2D, {"position_first": False}),
    Call(joints.Free3D, {"position_first": False}),
    Call(joints.Composite, {"*parts": TYPES[:2]}),
    Call(joints.SplineCurve, {"frames": FRAMES, "cyclic": False}),
    Call(joints.SplineSurface, {"points": GRID}),
    *(
        Call(getattr(joint, name), {"q": coordinates(joint)})
        for joint in TYPES
        for name in (
            "transform",
            "motion_subspace",
            "motion_subspace_derivative",
            "distance_to_singularity",
            "coordinate_constraint",
            "coordinate_constraint_jacobian",
        )
    ),
    *(
        Call(getattr(joint, name), {"q": coordinates(joint), "qdot": rates(joint)})
        for joint in TYPES
        for name in (
            "motion_subspace_rate",
            "bias_acceleration_derivative",
            "reparametrize",
            "coordinate_constraint_jacobian_rate",
            "coordinate_constraint_bias_derivative",
        )
    ),
    *(
        Call(joint.nearest_coordinates, {"Q": joint.transform(coordinates(joint))}, slow=True)
        for joint in TYPES
    ),
    Call(joints.has_constant_constraint_rows, {"joint": HINGE}),
    Call(joints.constant_constraint_rows, {"joint": HINGE}),
    Call(joints.constraint_force_basis, {"joint": HINGE, "q": [0.25]}),
    Call(joints.constraint_force_basis_rate, {"joint": HINGE, "q": [0.25], "qdot": [0.5]}),
    Call(joints.pose_error, {"Q": FRAMES[0], "X": FRAMES[1]}),
    Call(
        joints.nearest_rates,
        {"joint": HINGE, "q": [0.25], "X": HINGE.transform([0.25]), "twist": np.arange(6.0)},
    ),
]
