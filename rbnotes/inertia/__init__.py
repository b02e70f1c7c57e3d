"""Spatial inertia: its matrix, shapes, meshes and composite bodies.

>>> import numpy as np
>>> from rbnotes import inertia
>>> brick = inertia.cuboid([1, 2, 3], density=2.0)
>>> float(brick.mass), np.diag(brick.inertia).round(6).tolist()
(12.0, [13.0, 10.0, 5.0])
>>> inertia.spatial_inertia(*brick).shape
(6, 6)
"""

from rbnotes.inertia.composite import PrincipalFrame, composite, principal_frame
from rbnotes.inertia.mesh import triangle_mesh
from rbnotes.inertia.shapes import (
    capsule,
    cone,
    cuboid,
    cylinder,
    ellipsoid,
    rounded_box,
    sphere,
    torus,
    with_mass,
)
from rbnotes.inertia.spatial import (
    MassProperties,
    from_spatial_inertia,
    mass_properties,
    nearest_inertia,
    spatial_inertia,
    spatial_inertia_factor,
    spatial_inertia_inverse,
    swap_stacking,
    transform_inertia,
)
from rbnotes.unchecked.spatial_inertia import LINEAR_FIRST

__all__ = [
    "LINEAR_FIRST",
    "MassProperties",
    "PrincipalFrame",
    "capsule",
    "composite",
    "cone",
    "cuboid",
    "cylinder",
    "ellipsoid",
    "from_spatial_inertia",
    "mass_properties",
    "nearest_inertia",
    "principal_frame",
    "rounded_box",
    "spatial_inertia",
    "spatial_inertia_factor",
    "spatial_inertia_inverse",
    "sphere",
    "swap_stacking",
    "torus",
    "transform_inertia",
    "triangle_mesh",
    "with_mass",
]
