"""Shapes, which determine the mass properties, the collision geometry and the appearance of a body.

>>> from rbnotes.shapes import Box
>>> brick = Box([0.2, 0.1, 0.05])
>>> brick.spatial_inertia(density=2000.0)[5, 5].round(9).item()
2.0

A shape is centered at its frame and aligned with its axes; :func:`rbnotes.viewer.solid` draws it.

Boxes, spheres and capsules are special cases of a :class:`RoundedBox`, for which one algorithm finds the
exact distances and contact points. Cylinders, cones, ellipsoids and the convex hulls of meshes are a
:class:`ConvexShape`, which is described by its support points. Planes and height fields are :class:`Ground`.
"""

from rbnotes.shapes.convex_mesh import ConvexMesh
from rbnotes.shapes.ellipsoid import Ellipsoid
from rbnotes.shapes.height_field import HeightField
from rbnotes.shapes.round_solids import Cone, Cylinder
from rbnotes.shapes.shape import CollisionGeometry, ConvexShape, Ground, Plane, RoundedBox, Shape
from rbnotes.shapes.solids import Box, Capsule, Sphere

__all__ = [
    "Box",
    "Capsule",
    "CollisionGeometry",
    "Cone",
    "ConvexMesh",
    "ConvexShape",
    "Cylinder",
    "Ellipsoid",
    "Ground",
    "HeightField",
    "Plane",
    "RoundedBox",
    "Shape",
    "Sphere",
]
