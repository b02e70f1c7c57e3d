"""Joint types: the relative motion that a joint allows, without the bodies that it connects (Sueda 2.4).

Every type gives the pose Q, the motion subspace S and its derivatives (:class:`JointType`). Trees use the
coordinates of the joints; in maximal coordinates the rows of :func:`constraint_force_basis` restrict relative
twists to the range of S.
"""

from rbnotes.joints.composite import Composite, Cylindrical, Free2D, Free3D, Universal
from rbnotes.joints.constraint_forces import (
    constant_constraint_rows,
    constraint_force_basis,
    constraint_force_basis_rate,
    has_constant_constraint_rows,
)
from rbnotes.joints.euler_angles import EulerSpherical, euler_sequences
from rbnotes.joints.general import curves, surfaces
from rbnotes.joints.general.code_generation import python_source
from rbnotes.joints.general.function_joint import FunctionJoint, rotation, translation
from rbnotes.joints.general.higher_pairs import (
    curve_on_curve,
    point_on_curve,
    point_on_surface,
    rolling_gear,
    surface_on_surface,
)
from rbnotes.joints.joint_type import JointType
from rbnotes.joints.nearest_pose import nearest_rates, pose_error
from rbnotes.joints.simple import Fixed, Helical, PlanarTranslation, Prismatic, Revolute, Translational
from rbnotes.joints.spherical import ExponentialSpherical, QuaternionSpherical
from rbnotes.joints.spline import SplineCurve, SplineSurface

__all__ = [
    "Composite",
    "Cylindrical",
    "EulerSpherical",
    "ExponentialSpherical",
    "Fixed",
    "Free2D",
    "Free3D",
    "FunctionJoint",
    "Helical",
    "JointType",
    "PlanarTranslation",
    "Prismatic",
    "QuaternionSpherical",
    "Revolute",
    "SplineCurve",
    "SplineSurface",
    "Translational",
    "Universal",
    "constant_constraint_rows",
    "constraint_force_basis",
    "constraint_force_basis_rate",
    "curve_on_curve",
    "curves",
    "euler_sequences",
    "has_constant_constraint_rows",
    "nearest_rates",
    "point_on_curve",
    "point_on_surface",
    "pose_error",
    "python_source",
    "rolling_gear",
    "rotation",
    "surface_on_surface",
    "surfaces",
    "translation",
]
