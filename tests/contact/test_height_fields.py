"""Contacts with height fields: against prisms of coal, points and triangles, and planes."""

import coal
import numpy as np
import pytest
from coal_shapes import coal_mesh
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider, collide
from rbnotes.dynamics import WORLD
from rbnotes.multibody import Body, Geometry, Model, simulate
from rbnotes.multibody.packing.packed_colliders import pack_colliders
from rbnotes.shapes import Box, Cone, ConvexMesh, Cylinder, Ellipsoid, HeightField, Plane, Sphere
from rbnotes.viewer import solid

HILLS = HeightField(0.3 * np.random.default_rng(3).uniform(size=(7, 6)), [1.2, 1.5])
FLAT = HeightField(np.full((9, 8), 0.25), [2.0, 2.1])
SOLIDS = {
    "box": (Box([0.2, 0.3, 0.1]), coal.Box(0.2, 0.3, 0.1), np.zeros(3)),
    "sphere": (Sphere(0.15), coal.Sphere(0.15), np.zeros(3)),
    "cylinder": (Cylinder(0.1, 0.2), coal.Cylinder(0.1, 0.2), np.zeros(3)),
    "cone": (Cone(0.1, 0.2), coal.Cone(0.1, 0.2), np.array([0, 0, 0.05])),
    "ellipsoid": (Ellipsoid([0.1, 0.2, 0.15]), coal.Ellipsoid(0.1, 0.2, 0.15), np.zeros(3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLIDS)
def test_gaps_above_hills_are_the_distances_from_the_triangles(name):
    (shape, other, origin), rng = SOLIDS[name], np.random.default_rng(list(SOLIDS).index(name))
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-9, 1000
    field_pose = se3.frame(so3.exp([0.4, -0.2, 0.3]), [0.5, -0.3, 0.2])
    for _ in range(4):
        R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        position = np.array([*rng.uniform(-0.5, 0.5, 2), rng.uniform(0.5, 0.6)])
        distances = []
        for a, b, c in HILLS.corners.reshape(-1, 3, 3):
            below = np.array([a, b, c]) - [0, 0, 2.0]
            triangle = coal_mesh(ConvexMesh(np.vstack([a, b, c, below])))
            pose = coal.Transform3s(R, position + R @ origin)
            distances.append(
                coal.distance(other, pose, triangle, coal.Transform3s(), request, coal.DistanceResult())
            )
        contacts = collide(
            shape, field_pose @ se3.frame(R, position), HILLS, field_pose, min(distances) + 0.01
        )
        # At a face or an edge that is nearly flat, the gap is measured along the normal of the face.
        assert np.min(contacts.gap) == pytest.approx(min(distances), abs=2e-3)
        assert np.all(contacts.normal @ field_pose[:3, 2] > 0)
        closer = collide(shape, field_pose @ se3.frame(R, position), HILLS, field_pose, min(distances) - 3e-3)
        assert len(closer.gap) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLIDS)
def test_flat_fields_give_the_contacts_of_a_plane(name):
    """No contact has the normal of an edge between cells, wherever the body lies and however it is turned."""
    (shape, *_), rng = SOLIDS[name], np.random.default_rng(list(SOLIDS).index(name))
    for _ in range(6):
        R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        if rng.random() < 0.4:
            R = Rotation.from_euler("z", rng.uniform(0, 2 * np.pi)).as_matrix()
        pose = se3.frame(R, [*rng.uniform(-0.3, 0.3, 2), 0.0])
        lowest = collide(shape, pose, Plane(), np.eye(4), 1.0).gap.min()
        for gap in (1e-3, -1e-3):
            pose[2, 3] = 0.25 - lowest + gap
            contacts = collide(shape, pose, FLAT, np.eye(4), 0.01)
            np.testing.assert_allclose(
                contacts.normal, np.broadcast_to([0, 0, 1], contacts.normal.shape), atol=1e-6
            )
            assert np.min(contacts.gap) == pytest.approx(gap, abs=1e-6)


@pytest.mark.slow
def test_balls_roll_over_the_edges_of_a_flat_field_as_on_a_plane():
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[-0.7, 0.013, 0.35])
    motions = []
    for ground in (FLAT, Geometry(Plane(), se3.frame(np.eye(3), [0, 0, 0.25]))):
        model = Model([ball], ground=[ground] if isinstance(ground, Geometry) else ground, mu=0.6)
        state = model.state(twists={"ball": [0, 15.0, 0, 1.5, 0.2, 0]})
        motions.append(simulate(model, state, h=0.02, steps=25).poses("ball"))
    np.testing.assert_allclose(motions[0], motions[1], atol=1e-7)


@pytest.mark.slow
def test_bodies_come_to_rest_in_a_valley():
    x = np.linspace(-1, 1, 9)
    valley = HeightField(np.add.outer(np.abs(x), 0.5 * np.abs(x)), [2.0, 2.0])
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.1, 0.05, 0.35])
    model = Model([ball], ground=valley, mu=0.5)
    motion = simulate(model, h=0.02, steps=35)
    assert np.linalg.norm(motion.states[-1].phi) < 1e-3
    # It touches the planes z = +-x +- y / 2.
    x, y, z = motion.poses("ball")[-1, :3, 3]
    heights = np.array([z - sign * x - other * y / 2 for sign in (1, -1) for other in (1, -1)]) / 1.5
    assert np.min(heights) == pytest.approx(0.1, abs=1e-3)
    assert np.sum(heights < 0.1 + 1e-3) >= 2


def test_pairs_that_do_not_touch_are_refused():
    with pytest.raises(InvalidArgument, match="a HeightField and a Plane"):
        collide(FLAT, np.eye(4), Plane(), np.eye(4))
    with pytest.raises(InvalidArgument, match="body 'b': collision: got a HeightField"):
        Body("b", Sphere(0.1), mass=1.0, collision=FLAT)
    with pytest.raises(InvalidArgument, match="body 'b': collision: got a Plane"):
        Body("b", Sphere(0.1), mass=1.0, collision=[Geometry(Plane())])
    with pytest.raises(InvalidArgument, match="HeightField, which has no mass"):
        FLAT.mass_properties(density=1.0)
    for heights, sides, message in (
        (np.zeros(3), [1, 1], "heights"),
        (np.zeros((1, 3)), [1, 1], "heights"),
        (np.zeros((2, 2)), [1, 0], "sides"),
        (np.zeros((2, 2)), [1, 1, 1], "sides"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            HeightField(heights, sides)
    colliders = [Collider(WORLD, FLAT), Collider(0, ConvexMesh(np.eye(4, 3)))]
    with pytest.raises(InvalidArgument, match="colliders of the type HeightField"):
        pack_colliders(colliders, 1, ())


def test_drawings_have_the_points_and_upward_triangles():
    arrays = solid(HILLS, "brown").arrays
    triangles = arrays["vertices"][arrays["triangles"].astype(int)]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert np.all(normals[:, 2] > 0)
    assert np.sum(normals[:, 2]) / 2 == pytest.approx(1.2 * 1.5)
    assert arrays["vertices"][:, 2].tolist() == HILLS.heights.ravel().tolist()
