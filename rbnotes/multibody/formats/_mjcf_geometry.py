"""Geoms, meshes and inertias of the bodies of an MJCF file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rbnotes import inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.multibody.body import Geometry
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import MAX_LENGTH, Element, locate_errors
from rbnotes.multibody.formats._mesh_files import Mesh, read_mesh
from rbnotes.multibody.formats._mjcf_contents import CONTACT_SETTINGS, FileContents, Geom
from rbnotes.shapes import ConvexMesh, Ground, HeightField, Shape


def read_inertia(contents: FileContents, element: Element, body: str, child_class: str) -> None:
    """Store the mass properties of a body of the file, from ``<inertial>`` or from its geoms."""
    context = contents.context
    elements = [each for each in element if each.tag == "inertial"]
    if len(elements) > 1:
        raise InvalidArgument(elements[1].label, "a second <inertial>", "one")
    properties = MassProperties(np.array(0.0), np.zeros((3, 3)), np.zeros(3))
    if elements and context.inertia_from_geometry != "true":
        properties = _read_inertial(contents, elements[0])
    elif context.inertia_from_geometry != "false":
        is_fixed = contents.frames[body].body is None and contents.total_mass is None
        parts = list(_geom_masses(contents, element, np.eye(4), child_class, is_fixed=is_fixed))
        if parts:
            properties = inertia.composite(*zip(*parts, strict=True))
    mass, com = max(float(properties.mass), context.min_mass), properties.com
    J: Array = properties.inertia
    moments, axes = np.linalg.eigh(J)
    if context.min_inertia and moments[0] < context.min_inertia:
        moments = np.maximum(moments, context.min_inertia)
        J = axes @ np.diag(moments) @ axes.T
    if moments[0] + moments[1] < moments[2] and context.balance_inertia:
        J = np.eye(3) * moments.mean()
    if mass == 0 and not np.any(J):
        return
    try:
        checked = inertia.mass_properties(mass, inertia.nearest_inertia(J, tolerance=mass * 1e-18), com)
    except InvalidArgument as error:
        raise InvalidArgument(f"{element.label}: {error.name}", error.got, error.expected) from None
    model_body, pose = contents.frames[body]
    contents.masses.setdefault(model_body, []).append((checked, pose))


def _read_inertial(contents: FileContents, element: Element) -> MassProperties:
    """Return the mass properties in an ``<inertial>``."""
    element = xml.resolve(
        contents.context, element, "main", ("pos", "mass", "diaginertia", "fullinertia", *xml.ORIENTATIONS)
    )
    com, R = xml.values(element, "pos", 3), xml.orientation(contents.context, element)
    mass = xml.value(element, "mass", np.nan, 0.0)
    if np.isnan(mass):
        raise InvalidArgument(element.label, "no 'mass'", "a value for it")
    if ("diaginertia" in element.attrib) == ("fullinertia" in element.attrib):
        raise InvalidArgument(element.label, "both or none", "'diaginertia' or 'fullinertia'")
    if "diaginertia" in element.attrib:
        J = np.diag(xml.values(element, "diaginertia", 3))
    else:
        xx, yy, zz, xy, xz, yz = xml.values(element, "fullinertia", 6)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rotated = R @ J @ R.T
    return MassProperties(np.array(mass), (rotated + rotated.T) / 2, com)


def _geom_masses(
    contents: FileContents, parent: Element, pose: Array, child_class: str, *, is_fixed: bool
) -> Iterator[tuple[MassProperties, Array]]:
    """Yield the mass properties of the geoms of a body and of its frames, with their poses.

    Height fields of bodies that are fixed to the world are left out.
    """
    for element in parent:
        if element.tag == "frame":
            frame = pose @ xml.pose(contents.context, element)
            own_class = element.get("childclass", child_class)
            yield from _geom_masses(contents, element, frame, own_class, is_fixed=is_fixed)
        if element.tag != "geom":
            continue
        geom = _geom_attributes(contents, element, child_class)
        kind = xml.choice(geom, "type", "sphere", xml.GEOMETRY_TYPES)
        mass = xml.value(geom, "mass", 0.0, 0.0)
        density = xml.value(geom, "density", 1000.0, 0.0)
        if (mass if "mass" in geom.attrib else density) == 0 or kind == "plane":
            continue
        if kind in ("hfield", "sdf"):
            if kind == "sdf" or not is_fixed:
                contents.context.refuse(element, f"the mass of a {kind}", "an <inertial>, or mass='0'")
            continue
        with locate_errors(geom):
            if kind == "mesh":
                mesh, own_pose = _read_mesh(contents, geom), xml.pose(contents.context, geom)
                properties = inertia.triangle_mesh(mesh.vertices, mesh.triangles, density or 1.0)
            else:
                solid, own_pose = xml.shape(contents.context, geom, kind)
                properties = solid.mass_properties(density=density or 1.0)
            if mass:
                properties = inertia.with_mass(properties, mass)
        yield properties, pose @ own_pose


def read_geom(contents: FileContents, element: Element, body: str, pose: Array, child_class: str) -> None:
    """Store a geom that collides, at a pose on a body of the file."""
    geom = _geom_attributes(contents, element, child_class)
    kind = xml.choice(geom, "type", "sphere", xml.GEOMETRY_TYPES)
    masks = [int(xml.value(geom, name, 1.0, 0.0)) for name in ("contype", "conaffinity")]
    friction = xml.values(geom, "friction", (1, 3), np.ones(1))
    if kind == "sdf":
        if any(masks) and contents.has_contacts:
            contents.context.refuse(element, f"a {kind} that collides", "another shape, or collisions=False")
        return
    if "mesh" in geom.attrib and kind != "mesh":
        contents.context.refuse(element, f"a {kind} fitted to a mesh", "a size")
    solid: Shape
    if kind not in ("mesh", "hfield"):
        solid, own_pose = xml.shape(contents.context, geom, kind)
    if not any(masks) or not contents.has_contacts:
        return
    if kind == "mesh":
        solid, own_pose = ConvexMesh(_read_mesh(contents, geom).vertices), xml.pose(contents.context, geom)
    elif kind == "hfield":
        solid, own_pose = _read_height_field(contents, geom)
    model_body, pose_in_body = contents.frames[body]
    if isinstance(solid, Ground) and model_body is not None:
        contents.context.refuse(element, f"a {kind} on a body that moves", f"a {kind} of the world")
        return
    mu = 0.0 if geom.get("condim") == "1" else float(friction[0])
    geometry = Geometry(solid, pose_in_body @ pose @ own_pose, mu=mu)
    contents.geoms.setdefault(model_body, []).append(Geom(element, geometry, masks[0], masks[1]))


def _geom_attributes(contents: FileContents, element: Element, child_class: str) -> Element:
    """Return a geom with its default attributes; refuse attributes that are not supported."""
    used = (
        "type",
        "size",
        "fromto",
        "pos",
        *xml.ORIENTATIONS,
        "mass",
        "density",
        "contype",
        "conaffinity",
        "mesh",
        "hfield",
    )
    skipped = ("rgba", "material", "solmix", "priority", "margin", "gap", *CONTACT_SETTINGS)
    return xml.resolve(contents.context, element, child_class, (*used, "friction", "condim"), skipped)


def _read_mesh(contents: FileContents, geom: Element) -> Mesh:
    """Return the mesh that a geom names, in the frame of the mesh in the file."""
    name = geom.get("mesh")
    if name in contents.meshes:
        return contents.meshes[name]
    if name not in contents.mesh_elements:
        raise InvalidArgument(f"{geom.label}: mesh", repr(name), "a mesh of <asset>")
    element = contents.mesh_elements[name]
    used = ("file", "vertex", "face", "scale")
    skipped = ("normal", "texcoord", "smoothnormal", "content_type", "inertia", "material")
    asset = xml.resolve(contents.context, element, "main", used, skipped)
    with locate_errors(asset):
        if "file" in asset.attrib:
            if contents.folder is None:
                raise InvalidArgument("file", "a file in a text", "a source that is a file")
            mesh = read_mesh(contents.folder / contents.mesh_folder / asset.get("file"))
        else:
            vertices = xml.values(asset, "vertex", (12, MAX_LENGTH)).reshape(-1, 3)
            if "face" in asset.attrib:
                faces = xml.values(asset, "face", (12, MAX_LENGTH)).reshape(-1, 3)
                mesh = Mesh(vertices, faces.astype(np.intp))
            else:
                hull = ConvexMesh(vertices)
                mesh = Mesh(hull.vertices, hull.triangles)
        scale = xml.values(asset, "scale", 3, np.ones(3))
    if np.prod(scale) < 0:  # a reflection turns the triangles over
        mesh = mesh._replace(triangles=mesh.triangles[:, ::-1])
    contents.meshes[name] = mesh._replace(vertices=scale * mesh.vertices)
    return contents.meshes[name]


def _read_height_field(contents: FileContents, geom: Element) -> tuple[HeightField, Array]:
    """Return the height field that a geom names, and its pose ``(4, 4)`` in the body."""
    name = geom.get("hfield")
    if name not in contents.height_field_elements:
        raise InvalidArgument(f"{geom.label}: hfield", repr(name), "a height field of <asset>")
    element = contents.height_field_elements[name]
    used = ("file", "nrow", "ncol", "elevation", "size")
    asset = xml.resolve(contents.context, element, "main", used, ("content_type",))
    with locate_errors(asset):
        size = xml.values(asset, "size", 4)
        if not np.all(size > 0):
            raise InvalidArgument("size", asset.get("size", ""), "positive numbers")
        if "file" in asset.attrib:
            if contents.folder is None:
                raise InvalidArgument("file", "a file in a text", "a source that is a file")
            elevation = _read_elevation(contents.folder / contents.mesh_folder / asset.get("file"))
        else:
            rows, columns = (int(xml.value(asset, key, 0.0, 2.0)) for key in ("nrow", "ncol"))
            count = rows * columns
            elevation = xml.values(asset, "elevation", count, np.zeros(count)).reshape(rows, columns)[::-1]
        lowest, highest = float(np.min(elevation)), float(np.max(elevation))
        heights = size[2] * (elevation - lowest) / ((highest - lowest) or 1.0)
        field = HeightField(heights.T, 2 * size[:2])
    return field, xml.pose(contents.context, geom)


def _read_elevation(path: Path) -> Array:
    """Return the rows of MuJoCo's binary file of heights ``(r, c)``, the row at the least y first."""
    if path.suffix.lower() == ".png":
        raise InvalidArgument("file", f"the image {path.name!r}", "a binary file of heights, or 'elevation'")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidArgument("file", repr(path.name), "a file that can be read") from error
    rows, columns = np.frombuffer(data[:8], "<i4") if len(data) >= 8 else (0, 0)
    if min(rows, columns) < 2 or len(data) != 8 + 4 * int(rows) * int(columns):
        expected = "the numbers of rows and columns, at least two, and as many heights"
        raise InvalidArgument("file", f"{len(data)} bytes in {path.name!r}", expected)
    elevation = np.frombuffer(data, "<f4", offset=8).astype(float).reshape(rows, columns)
    if not np.all(np.isfinite(elevation)):
        raise InvalidArgument("file", repr(path.name), "finite heights")
    return elevation
