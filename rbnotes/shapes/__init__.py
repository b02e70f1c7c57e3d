"""Shapes, which determine the mass properties, the collision geometry and the appearance of a body.

>>> from rbnotes.shapes import Box
>>> brick = Box([0.2, 0.1, 0.05])
>>> brick.spatial_inertia(density=2000.0)[5, 5].round(9).item()
2.0

A shape is centered at its frame and aligned with its axes; :func:`rbnotes.viewer.solid` draws it.

The collision geometry of a shape is a :class:`RoundedBox`, for which one algorithm finds the exact distances
and contact points, or a :class:`Plane`. A cylinder has none, since no finite number of points represents its
round rim: a prism tips and rolls differently. Use a :class:`Capsule` or a :class:`RoundedBox` instead if that
suffices. Ellipsoids and meshes have mass properties only (:mod:`rbnotes.inertia`).
"""

from rbnotes.shapes.shape import CollisionGeometry, Plane, RoundedBox, Shape
from rbnotes.shapes.solids import Box, Capsule, Cylinder, Sphere

__all__ = ["Box", "Capsule", "CollisionGeometry", "Cylinder", "Plane", "RoundedBox", "Shape", "Sphere"]
