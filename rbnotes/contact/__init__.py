"""Collision detection and contact Jacobians.

>>> import numpy as np
>>> from rbnotes.contact import Collider
>>> from rbnotes.contact import contact_jacobian, contact_points
>>> from rbnotes.dynamics import WORLD
>>> from rbnotes.shapes import Plane, Sphere
>>> colliders = [Collider(WORLD, Plane()), Collider(0, Sphere(0.1))]
>>> pose = np.eye(4)[None]
>>> pose[0, 2, 3] = 0.1
>>> points = contact_points(colliders, pose)
>>> points.b.tolist(), points.gap.tolist(), contact_jacobian(points, pose).shape
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
from rbnotes.contact.manifolds import ContactManifold
from rbnotes.contact.prediction import normal_velocity_targets, predict_contacts

__all__ = [
    "BodyPairJacobian",
    "Collider",
    "ContactManifold",
    "ContactPoints",
    "Contacts",
    "collide",
    "contact_axes",
    "contact_jacobian",
    "contact_points",
    "normal_jacobian",
    "normal_velocity_targets",
    "predict_contacts",
    "tangent_directions",
]
