"""Contact of boxes, spheres, capsules and planes: points, normals, gaps, and the rows they make."""

from rbnotes.maximal.collision.contact import (
    WORLD,
    Collider,
    ContactPoints,
    collide,
    contact_points,
    contact_rows,
)
from rbnotes.maximal.collision.manifold import Manifold
from rbnotes.maximal.collision.shapes import Plane, Rounded, Shape, box, capsule, sphere

__all__ = [
    "WORLD",
    "Collider",
    "ContactPoints",
    "Manifold",
    "Plane",
    "Rounded",
    "Shape",
    "box",
    "capsule",
    "collide",
    "contact_points",
    "contact_rows",
    "sphere",
]
