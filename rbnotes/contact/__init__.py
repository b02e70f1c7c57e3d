"""Contact: which solids touch and where, and the rows that this makes on the motion of a system.

>>> import numpy as np
>>> from rbnotes.contact import Collider, Plane, contact_points, contact_rows
>>> from rbnotes.dynamics import WORLD
>>> from rbnotes.shapes import Sphere
>>> colliders = [Collider(WORLD, Plane()), Collider(0, Sphere(0.1))]
>>> pose = np.eye(4)[None]
>>> pose[0, 2, 3] = 0.1
>>> points = contact_points(colliders, pose)
>>> points.b.tolist(), points.gap.tolist(), contact_rows(points, pose).shape
([0], [0.0], (3, 6))
"""

from rbnotes.contact.body_pair_jacobian import BodyPairJacobian
from rbnotes.contact.contacts import (
    Contacts,
    contact_axes,
    contact_jacobian,
    normal_jacobian,
    tangent_directions,
)
from rbnotes.contact.detection import Collider, ContactPoints, collide, contact_points
from rbnotes.contact.geometry import Plane, RoundedBox, Shape, collision_geometry
from rbnotes.contact.manifolds import ContactManifold
from rbnotes.contact.prediction import normal_velocity_targets, predict_contacts

__all__ = [
    "Collider",
    "ContactPoints",
    "Contacts",
    "ContactManifold",
    "BodyPairJacobian",
    "Plane",
    "RoundedBox",
    "Shape",
    "collide",
    "contact_axes",
    "contact_points",
    "contact_jacobian",
    "predict_contacts",
    "normal_jacobian",
    "normal_velocity_targets",
    "collision_geometry",
    "tangent_directions",
]
