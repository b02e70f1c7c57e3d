"""Height fields of MJCF files: their surface and contacts against MuJoCo and brute force."""

import struct

import mujoco
import numpy as np
import pytest
from mujoco_comparison import largest_error

from rbnotes import quaternion, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import collide
from rbnotes.multibody import simulate
from rbnotes.multibody.formats import load_mjcf
from rbnotes.shapes import HeightField, Sphere

ROWS = np.random.default_rng(2).uniform(1.0, 3.0, (5, 7))
"""Heights along y and then along x."""
POSE = se3.frame(so3.exp([0.1, -0.2, 0.5]), [0.3, -0.2, 0.1])
ASSET = 'nrow="5" ncol="7" elevation="{}"'
FILE = """<mujoco><asset><hfield name="hills" size="0.9 0.5 0.2 0.1" {asset}/></asset><worldbody>
  <body name="ground" pos="{position}" quat="{quaternion}">
    <geom name="hills" type="hfield" hfield="hills" friction="0.4"/></body>
  <body name="ball" pos="0.5 -0.2 0.5"><freejoint/><geom size="0.07"/>
    <body name="rod" pos="0.1 0 0"><joint axis="0 1 0"/>
      <geom type="capsule" size="0.02 0.1" contype="0" conaffinity="0"/></body></body>
  </worldbody></mujoco>"""


def file_text(rows=ROWS, pose=POSE, asset=None):
    """Return a file; the row at the largest y comes first."""
    numbers = " ".join(map(str, rows[::-1].ravel()))
    return FILE.format(
        asset=ASSET.format(numbers) if asset is None else asset,
        position=" ".join(map(repr, pose[:3, 3].tolist())),
        quaternion=" ".join(map(repr, quaternion.from_rotation(pose[:3, :3]).tolist())),
    )


def field_of(model):
    """Return the height field of a model, and its pose."""
    (geometry,) = model.model.ground
    assert isinstance(geometry.shape, HeightField)
    return geometry.shape, geometry.frame


def triangles_of(model):
    """Return the corners of the triangles in the world ``(t, 3, 3)``."""
    field, pose = field_of(model)
    return se3.transform_points(pose, field.corners.reshape(-1, 3)).reshape(-1, 3, 3)


def ray_distance(triangles, start, direction):
    """Return the distance along a ray to the nearest triangle."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    matrices = np.stack([b - a, c - a, np.broadcast_to(-direction, a.shape)], axis=-1)
    u, v, distance = np.linalg.solve(matrices, (start - a)[..., None])[..., 0].T
    return np.min(distance[(u >= -1e-12) & (v >= -1e-12) & (u + v <= 1 + 1e-12)])


def test_rays_meet_the_surface_at_the_points_of_mujoco():
    """The cells of both surfaces are divided along the same diagonals."""
    text = file_text()
    reference, triangles = mujoco.MjModel.from_xml_string(text), triangles_of(load_mjcf(text))
    data, rng = mujoco.MjData(reference), np.random.default_rng(1)
    mujoco.mj_forward(reference, data)
    hills = mujoco.mj_name2id(reference, mujoco.mjtObj.mjOBJ_GEOM, "hills")
    for _ in range(40):
        start = se3.transform_points(POSE, np.array([*rng.uniform(-1, 1, 2) * [0.85, 0.45], 2.0]))
        expected = mujoco.mj_rayHfield(reference, data, hills, start, -POSE[:3, 2])
        assert ray_distance(triangles, start, -POSE[:3, 2]) == pytest.approx(expected, abs=1e-6)


def test_gaps_of_a_ball_are_its_distances_from_the_surface():
    model, rng = load_mjcf(file_text()), np.random.default_rng(4)
    weights = np.array([[i, j, 40 - i - j] for i in range(41) for j in range(41 - i)]) / 40
    surface = (weights @ triangles_of(model)).reshape(-1, 3)
    for _ in range(10):
        center = se3.transform_points(POSE, np.array([*rng.uniform(-1, 1, 2) * [0.7, 0.3], 0.3]))
        distance = np.min(np.linalg.norm(surface - center, axis=1)) - 0.07
        contacts = collide(Sphere(0.07), se3.frame(np.eye(3), center), *field_of(model), 0.3)
        # At an edge that is nearly flat, the gap is measured along the normal of the face.
        assert np.min(contacts.gap) == pytest.approx(distance, abs=3e-3)


@pytest.mark.slow
def test_ball_comes_to_rest_in_a_hollow():
    rows = np.add.outer(np.linspace(-1, 1, 5) ** 2, np.linspace(-1, 1, 7) ** 2)
    model = load_mjcf(file_text(rows, se3.frame(np.eye(3), [0.4, -0.2, 0.1])))
    motion = simulate(model.model, h=0.01, duration=0.5)
    assert motion.poses("ball")[-1, 2, 3] == pytest.approx(0.1 + 0.07, abs=0.02)
    mu = [each.mu for each in model.model.ground]
    assert mu == [0.4]


def test_dynamics_are_those_of_mujoco():
    text = file_text()
    reference = mujoco.MjModel.from_xml_string(text)
    assert largest_error(load_mjcf(text), reference, np.random.default_rng(1)) < 1e-10


def test_binary_files_hold_the_rows_from_the_least_y(tmp_path):
    expected, path = field_of(load_mjcf(file_text()))[0], tmp_path / "a.xml"
    (tmp_path / "assets").mkdir()
    data = struct.pack("<ii", 5, 7) + ROWS.astype("<f4").tobytes()
    (tmp_path / "assets" / "hills.bin").write_bytes(data)
    text = file_text(asset='file="hills.bin"')
    path.write_text(text.replace("<mujoco>", '<mujoco><compiler meshdir="assets"/>'))
    field = field_of(load_mjcf(path))[0]
    np.testing.assert_allclose(field.heights, expected.heights, atol=1e-6)
    reference = mujoco.MjModel.from_xml_path(str(path))
    in_mujoco = 0.2 * reference.hfield_data.reshape(5, 7)
    np.testing.assert_allclose(field.heights.T, in_mujoco, atol=1e-6)
    (tmp_path / "assets" / "hills.bin").write_bytes(data[:-4])
    with pytest.raises(InvalidArgument, match=r"<hfield> 'hills', line 1: file: got 144 bytes"):
        load_mjcf(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('hfield="hills"', 'hfield="none"', r"<geom> 'hills'.*: hfield: got 'none', expected a height field"),
        ('size="0.9', 'size="-0.9', r"<hfield> 'hills', line 1: size"),
        ('nrow="5"', 'nrow="6"', r"<hfield> 'hills', line 1: elevation"),
        ('nrow="5" ncol="7"', 'file="a.png"', r"<hfield> 'hills', line 1: file: got a file in a text"),
        (
            '<body name="rod" pos="0.1 0 0"><joint axis="0 1 0"/>',
            '<body name="rod" pos="0.1 0 0"><joint/><geom type="hfield" hfield="hills" mass="0"/>',
            "got a hfield on a body that moves",
        ),
        (
            '<body name="rod" pos="0.1 0 0"><joint axis="0 1 0"/>',
            '<body name="rod" pos="0.1 0 0"><joint/><geom type="hfield" hfield="hills"/>',
            "got the mass of a hfield",
        ),
    ],
)
def test_errors_name_the_element(old, new, message):
    text = file_text()
    assert old in text
    with pytest.raises(InvalidArgument, match=message):
        load_mjcf(text.replace(old, new))


def test_images_are_refused(tmp_path):
    (tmp_path / "a.xml").write_text(file_text(asset='file="hills.png"'))
    with pytest.raises(InvalidArgument, match=r"file: got the image 'hills.png', expected a binary file"):
        load_mjcf(tmp_path / "a.xml")
