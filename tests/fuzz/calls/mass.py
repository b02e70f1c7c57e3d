"""Inertia of shapes, meshes and composite bodies; solids."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import inertia, se3, shapes

BODY = {"mass": 2.0, "inertia": np.diag([0.5, 0.625, 0.75]), "com": np.array([0.25, -0.5, 1.0])}
PROPERTIES = inertia.mass_properties(**BODY)
E = se3.exp([0.1, 0.2, 0.3, 1, 2, 3])
MATRIX = inertia.spatial_inertia(**BODY)
VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
BOX, SPHERE = shapes.Box((1.0, 2.0, 3.0)), shapes.Sphere(0.5)

CALLS = [
    *(
        Call(function, BODY)
        for function in (
            inertia.mass_properties,
            inertia.spatial_inertia,
            inertia.spatial_inertia_inverse,
            inertia.spatial_inertia_factor,
        )
    ),
    Call(inertia.swap_stacking, {"matrix": MATRIX}),
    Call(inertia.from_spatial_inertia, {"M": MATRIX}),
    Call(inertia.nearest_inertia, {"inertia": BODY["inertia"], "tolerance": 0.5}),
    Call(inertia.transform_inertia, {"E": E, "M": MATRIX}),
    Call(
        inertia.composite,
        {"bodies": [PROPERTIES, PROPERTIES], "frames": np.stack([np.eye(4), E])},
    ),
    Call(inertia.principal_frame, {"body": PROPERTIES}),
    Call(inertia.triangle_mesh, {"vertices": VERTICES, "triangles": FACES, "density": 2.0}),
    Call(inertia.cuboid, {"sides": np.array([1.0, 2.0, 3.0]), "density": 2.0}),
    Call(inertia.ellipsoid, {"semi_axes": np.array([1.0, 2.0, 3.0]), "density": 2.0}),
    Call(inertia.sphere, {"radius": 0.5, "density": 2.0}),
    Call(inertia.cylinder, {"radius": 0.5, "length": 2.0, "density": 2.0}),
    Call(inertia.cone, {"radius": 0.5, "length": 2.0, "density": 2.0}),
    Call(inertia.capsule, {"radius": 0.5, "length": 2.0, "density": 2.0}),
    Call(inertia.rounded_box, {"half_extents": np.array([0.1, 0.2, 0.3]), "radius": 0.1, "density": 2.0}),
    Call(inertia.torus, {"radius": 2.0, "tube_radius": 0.5, "density": 2.0}),
    Call(inertia.with_mass, {"body": PROPERTIES, "mass": 3.0}),
    Call(shapes.Box, {"sides": np.array([1.0, 2.0, 3.0])}),
    Call(shapes.RoundedBox, {"half_extents": np.array([0.1, 0.2, 0.3]), "radius": 0.1}),
    Call(shapes.Plane),
    Call(shapes.Sphere, {"radius": 0.5}),
    Call(shapes.Cylinder, {"radius": 0.5, "length": 2.0}),
    Call(shapes.Ellipsoid, {"semi_axes": np.array([1.0, 2.0, 3.0])}),
    Call(shapes.ConvexMesh, {"vertices": VERTICES}),
    Call(
        shapes.HeightField,
        {"heights": np.array([[0.0, 0.5], [0.25, 1.0]]), "sides": np.array([2.0, 3.0])},
        fine={"heights": ("longer",)},
    ),
    Call(shapes.Cone, {"radius": 0.5, "length": 2.0}),
    Call(shapes.Capsule, {"radius": 0.5, "length": 2.0}),
    Call(BOX.mass_properties, {"density": 2.0}),
    Call(SPHERE.mass_properties, {"mass": 2.0}),
    Call(BOX.spatial_inertia, {"density": 2.0}),
    Call(SPHERE.spatial_inertia, {"mass": 2.0}),
]
