"""Meshes of URDF files: their places and formats."""

import numpy as np
import pytest

from rbnotes import inertia
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody.formats import load_urdf
from rbnotes.multibody.formats._mesh_files import read_mesh

ROBOT = """<robot name="r"><link name="base"/><link name="arm">
  <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  <collision><geometry><mesh filename="{}" scale="1 2 3"/></geometry></collision></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>
  </robot>"""
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
WEDGE = "\n".join([f"v {x} {y} {z}" for x, y, z in CORNERS] + ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"])


def as_set(vertices):
    return sorted(tuple(row) for row in np.round(vertices, 9).tolist())


@pytest.fixture
def packages(tmp_path):
    """Return a folder with a package, whose name of a mesh has a space."""
    folder = tmp_path / "packages" / "two_arms" / "meshes"
    folder.mkdir(parents=True)
    (folder / "a wedge.obj").write_text(WEDGE)
    (tmp_path / "packages" / "secret.obj").write_text(WEDGE)
    return tmp_path / "packages"


def test_package_and_file_urls_name_meshes(packages):
    mesh = packages / "two_arms" / "meshes" / "a wedge.obj"
    expected = as_set(CORNERS * [1, 2, 3])
    for url in ("package://two_arms/meshes/a%20wedge.obj", "package://two_arms/meshes/a wedge.obj"):
        for root in (packages, str(packages)):
            (collision,) = load_urdf(ROBOT.format(url), package_root=root).collisions
            assert as_set(collision.solid.vertices) == expected
    (collision,) = load_urdf(ROBOT.format(mesh.as_uri())).collisions
    assert as_set(collision.solid.vertices) == expected


@pytest.mark.parametrize(
    ("url", "has_root", "reason"),
    [
        ("package://two_arms/meshes/a.obj", False, "pass package_root, the folder of the package 'two_arms'"),
        ("package://two_arms/meshes/none.obj", True, "no such file"),
        ("package://two_arms/../secret.obj", True, "not in the folder of the package"),
        ("package://../secret.obj", True, "not in the folder of the package"),
        ("file:///none/wedge.obj", False, "no such file"),
        ("http://example.org/wedge.obj", False, "only file:// and package:// are read"),
        ("wedge.obj", True, "the source is a text, without a folder"),
        ("package://two_arms/meshes/wedge.ply", True, "only files .stl, .obj, .dae are read"),
    ],
)
def test_other_places_are_named_with_the_reason(packages, url, has_root, reason):
    robot = load_urdf(ROBOT.format(url), package_root=packages if has_root else None)
    (phrase,) = robot.unsupported_collisions
    assert phrase.startswith("link 'arm': collision mesh ")
    assert reason in phrase
    with pytest.raises(InvalidArgument, match=r"link 'arm': collision mesh .*collisions=False"):
        robot.model()


@pytest.mark.parametrize("package_root", [3, "", "no such folder"])
def test_package_root_is_an_existing_folder(package_root):
    with pytest.raises(InvalidArgument, match="package_root"):
        load_urdf(ROBOT.format("package://a/b.obj"), package_root=package_root)


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries>
    <geometry id="wedge"><mesh>
      <source id="points"><float_array id="numbers" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
        <technique_common><accessor source="#numbers" count="4" stride="3"/></technique_common></source>
      <source id="normals"><float_array id="directions" count="3">0 0 1</float_array></source>
      <vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
      <triangles count="2"><input semantic="NORMAL" source="#normals" offset="0"/>
        <input semantic="VERTEX" source="#corners" offset="1"/>
        <p>0 0 0 2 0 1  0 0 0 1 0 3</p></triangles>
      <polylist count="2"><input semantic="VERTEX" source="#corners" offset="0"/>
        <vcount>3 3</vcount><p>1 2 3  0 3 2</p></polylist>
    </mesh></geometry>
    <geometry id="plate"><mesh>
      <source id="square"><float_array id="sides">-1 -1 0 1 -1 0 1 1 0 -1 1 0</float_array></source>
      <vertices id="ends"><input semantic="POSITION" source="#square"/></vertices>
      <polylist count="1"><input semantic="VERTEX" source="#ends" offset="0"/>
        <vcount>4</vcount><p>0 1 2 3</p></polylist>
    </mesh></geometry>
  </library_geometries>
  <library_nodes><node id="shared"><translate>0 0 50</translate><instance_geometry url="#plate"/></node>
  </library_nodes>
  <library_visual_scenes><visual_scene id="scene">
    <node><translate>0 0 100</translate><rotate>0 0 2 90</rotate><scale>1 2 3</scale>
      <instance_geometry url="#wedge"/>
      <node><matrix>1 0 0 500  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_node url="#shared"/></node></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"""


def test_collada_files_have_units_and_transformations(tmp_path):
    """Nodes place geometries: the last of their transformations comes first."""
    path = tmp_path / "part.dae"
    path.write_text(COLLADA)
    mesh = read_mesh(path)
    R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])

    def place(points):
        return (points * [1, 2, 3]) @ R.T + [0, 0, 1.0]

    square = 0.01 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) + [5.0, 0, 0.5]
    assert as_set(np.unique(np.round(mesh.vertices, 9), axis=0)) == as_set(
        np.concatenate([place(CORNERS), place(square)])
    )
    assert len(mesh.triangles) == 4 + 2
    is_wedge = np.min(mesh.vertices[mesh.triangles][:, :, 2], axis=1) < 2.0
    wedge = inertia.triangle_mesh(mesh.vertices, mesh.triangles[is_wedge], 1.0)
    assert wedge.mass == pytest.approx(1 * 2 * 3 / 6)
    np.testing.assert_allclose(wedge.com, place(np.full((1, 3), 0.25))[0])
    (tmp_path / "robot.urdf").write_text(ROBOT.format("part.dae"))
    (collision,) = load_urdf(tmp_path / "robot.urdf").collisions
    np.testing.assert_allclose(
        np.ptp(collision.solid.vertices, axis=0), [1, 2, 3] * np.ptp(mesh.vertices, axis=0)
    )
    path.write_text(COLLADA.replace("Z_UP", "Y_UP"))
    (phrase,) = load_urdf(tmp_path / "robot.urdf").unsupported_collisions
    assert phrase.endswith("(the up_axis is Y_UP, not Z_UP)")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Z_UP", "Y_UP", "the up_axis is Y_UP, not Z_UP"),
        ('url="#plate"', 'url="#none"', "a reference to '#none', which is not in the file"),
        ("triangles", "trifans", "<trifans> is not supported"),
        ("<translate>0 0 50</translate>", "<skew>0 0 1 0 1 0 0</skew>", "<skew> is not supported"),
        ("<p>1 2 3  0 3 2</p>", "<p>1 2 3  0 3 9</p>", "index 9 is out of bounds"),
        ("100 0 0 0 100 0 0 0 100<", "100 0 x<", "could not convert"),
        ("</COLLADA>", "", "no element found"),
        ('<node id="shared">', '<node id="shared"><instance_node url="#shared"/>', "recursion"),
        ("<COLLADA", "<X3D", "mismatched tag"),
        ('<instance_visual_scene url="#scene"/>', "", "there is no <instance_visual_scene>"),
    ],
)
def test_errors_of_collada_files_are_named(tmp_path, old, new, message):
    path = tmp_path / "part.dae"
    assert old in COLLADA
    path.write_text(COLLADA.replace(old, new))
    with pytest.raises(InvalidArgument, match=message):
        read_mesh(path)
