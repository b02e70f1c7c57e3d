"""Scenes: data of the player, and argument errors."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from rbnotes.arguments import InvalidArgument
from rbnotes.testing import strategies as some
from rbnotes.viewer import (
    Scene,
    arrow,
    arrow_scale,
    box,
    capsule,
    cylinder,
    frame_axes,
    ground,
    line,
    mesh,
    sphere,
    spring,
)
from rbnotes.viewer.scene import PAGE_HAS_PLAYER

TIMES = np.array([0.0, 0.5, 2.0])
POSES = np.tile(np.eye(4), (3, 1, 1))
TETRAHEDRON = (np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def decode(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def items(scene):
    return json.loads(scene.to_json())["items"]


@given(some.frames())
def test_poses_round_trip(pose):
    (item,) = items(Scene("A box.").add(box([1, 2, 3]), pose))
    x, y, z, *quaternion = decode(item["poses"])
    np.testing.assert_allclose([x, y, z], pose[:3, 3], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(Rotation.from_quat(quaternion).as_matrix(), pose[:3, :3], atol=1e-6)


def test_times_and_changing_shapes_round_trip():
    points = np.arange(18.0).reshape(3, 2, 3)
    scene = Scene("Things move.", TIMES)
    scene.add(spring(points)).add(line(points)).add(arrow(points[:, 0]), POSES).add(line(points[0]))
    coil, moving, pointer, still = items(scene)
    np.testing.assert_array_equal(decode(json.loads(scene.to_json())["times"]), TIMES)
    np.testing.assert_array_equal(decode(coil["ends"]), points.ravel())
    np.testing.assert_array_equal(decode(moving["points"]), points.ravel())
    np.testing.assert_array_equal(decode(pointer["vector"]), points[:, 0].ravel())
    assert decode(pointer["poses"]).shape == (21,)
    assert (moving["moves"], still["moves"]) == (True, False)


def test_the_drawing_shows_the_poster_and_the_copies_of_the_strobe():
    poses = POSES.copy()
    poses[:, 0, 3] = [0.0, 5.0, 20.0]
    scene = Scene("A box.", TIMES, poster=0.5).add(box([1, 1, 1]), poses, strobe=3)
    assert json.loads(scene.to_json())["poster"] == 0.5
    assert items(scene)[0]["strobe"] == 3
    groups = re.findall(r'<g opacity="([.0-9]+)">(.*?)</g>', scene.to_html())
    centers = [
        np.mean([float(x) for x in re.findall(r"(-?\d+),", group.split('"')[1])]) for _, group in groups
    ]
    assert [float(opacity) for opacity, _ in groups] == [0.4, 0.4, 0.4, 1.0]
    assert centers[0] < centers[1] < centers[2]
    assert centers[3] == centers[1]  # of the sample at 0.5 s


@pytest.mark.parametrize("newtons", [1e-3, 1.0, 5e4])
def test_arrows_of_forces_have_one_scale_chosen_from_the_data(newtons):
    forces = newtons * np.array([[0.0, 0, 2], [3, 0, 4], [0, 0, 0]])
    scene = Scene("A box.", TIMES).add(box([3, 4, 12]))  # 13 m from corner to corner
    scene.add(arrow(forces, unit="N"), POSES).add(arrow([newtons, 0, 0], unit="N"), layer="weight")
    scene.add(arrow([0, 2.0, 0], unit="N m"), layer="").add(arrow([0, 0, 1.5]))
    _, force, weight, moment, direction = items(scene)
    longest = np.linalg.norm(decode(force["vector"]).reshape(-1, 3), axis=1)
    np.testing.assert_allclose(longest, np.array([2, 5, 0]) / 5 * 13 / 4, rtol=1e-6)
    np.testing.assert_allclose(decode(weight["vector"]), [13 / 20, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(decode(moment["vector"]), [0, 13 / 4, 0], rtol=1e-6)
    np.testing.assert_allclose(decode(direction["vector"]), [0, 0, 1.5])
    assert force["layer"] == f"forces up to {5 * newtons:.3g} N"
    assert weight["layer"] == f"weight up to {5 * newtons:.3g} N"
    assert "layer" not in moment
    assert direction["layer"] == "forces"
    assert np.ptp(scene.extent, axis=0).max() == pytest.approx(12)  # the arrows stay within the box


def test_arrows_without_length_have_a_scale():
    scene = Scene("A box.").add(box([1, 1, 1])).add(arrow([0, 0, 0], unit="N"))
    assert not decode(items(scene)[1]["vector"]).any()
    assert decode(items(Scene("A force.").add(arrow([0, 0, 8.0], unit="N")))[0]["vector"])[2] == 0.25


def test_every_shape_exports_kind_color_and_size():
    shapes = [
        box([1, 2, 3]),
        sphere(0.5),
        cylinder(0.1, 2),
        capsule(0.1, 2, "red"),
        frame_axes(),
        ground(),
        mesh(*TETRAHEDRON),
    ]
    scene = Scene("All shapes.")
    for shape in shapes:
        scene.add(shape)
    exported = items(scene)
    assert [item["kind"] for item in exported] == [
        "box",
        "sphere",
        "cylinder",
        "capsule",
        "axes",
        "ground",
        "mesh",
    ]
    assert all(re.fullmatch("#[0-9a-f]{6}", item["color"]) for item in exported)
    assert exported[0]["color"] != exported[3]["color"]
    assert exported[3]["radius"] == 0.1
    assert exported[3]["length"] == 2
    assert decode(exported[6]["triangles"]).max() == 3


def test_a_scene_of_two_hundred_poses_is_small():
    scene = Scene("A box.", np.arange(200.0)).add(box([1, 1, 1]), np.tile(np.eye(4), (200, 1, 1)))
    assert len(scene.to_html()) < 10_000


def test_text_of_a_description_cannot_become_markup():
    page = Scene("</script><b>bold & brave</b>").to_html()
    assert page.count("</script>") == 1
    assert "<b>" not in page
    assert "&lt;b&gt;bold &amp; brave" in page


def test_book_page_gets_only_the_data(monkeypatch):
    scene = Scene("A box.").add(box([1, 1, 1]))
    monkeypatch.setenv(PAGE_HAS_PLAYER, "yes")
    assert scene._repr_html_() == scene.to_html()


def test_a_notebook_gets_the_player_in_a_frame(monkeypatch):
    monkeypatch.delenv(PAGE_HAS_PLAYER, raising=False)
    html = Scene("A box.").add(box([1, 1, 1]))._repr_html_()
    assert html.startswith('<iframe srcdoc="')
    assert 'title="A box."' in html
    assert "rbnotes-scene" in html
    assert html.count('"') == 6  # three attributes: nothing inside ends one early


def test_missing_player_shows_the_description(monkeypatch, tmp_path):
    monkeypatch.delenv(PAGE_HAS_PLAYER, raising=False)
    monkeypatch.setattr("rbnotes.viewer.scene.resources.files", lambda package: tmp_path)
    assert "A box." in Scene("A box.")._repr_html_()
    assert "lacks the player" in Scene("A box.")._repr_html_()


@pytest.mark.parametrize(
    ("attempt", "name"),
    [
        (lambda: Scene(" "), "description"),
        (lambda: Scene("A.", [0.0]), "times"),
        (lambda: Scene("A.", [0.0, 0.0]), "times"),
        (lambda: Scene("A.", [[0.0, 1.0]]), "times"),
        (lambda: Scene("A.", TIMES, poster=2.1), "poster"),
        (lambda: Scene("A.", poster=0.0), "poster"),
        (lambda: Scene("A.", TIMES).add(sphere(1), POSES, strobe=-1), "strobe"),
        (lambda: Scene("A.", TIMES).add(sphere(1), strobe=2), "strobe"),
        (lambda: Scene("A.", TIMES).add(frame_axes(), POSES, strobe=2), "strobe"),
        (lambda: Scene("A.").add(sphere(1), POSES), "pose"),
        (lambda: Scene("A.", TIMES).add(sphere(1), POSES[:2]), "pose"),
        (lambda: Scene("A.", TIMES).add(sphere(1), 2 * POSES), "pose"),
        (lambda: Scene("A.", TIMES).add(sphere(1), POSES[None]), "pose"),
        (lambda: Scene("A.", TIMES).add(line(np.zeros((2, 5, 3)))), "line"),
        (lambda: Scene("A.").add(arrow(np.zeros((3, 3)))), "arrow"),
        (lambda: box([1, 1]), "sides"),
        (lambda: box([1, 0, 1]), "sides"),
        (lambda: arrow([0, 0, 1], unit=""), "unit"),
        (lambda: arrow_scale([[1.0]], 1.0), "magnitudes"),
        (lambda: arrow_scale([1.0], 0.0), "size"),
        (lambda: sphere(-1), "radius"),
        (lambda: sphere(1, "mauve"), "color"),
        (lambda: cylinder(1, np.nan), "length"),
        (lambda: line([[0, 0, 0]]), "points"),
        (lambda: line(np.zeros((2, 2, 2, 3))), "points"),
        (lambda: spring(np.zeros((3, 3))), "ends"),
        (lambda: mesh(np.zeros((3, 3)), [[0, 1, 3]]), "triangles"),
        (lambda: mesh(np.zeros((3, 3)), [[0, 1, 1.5]]), "triangles"),
        (lambda: mesh(np.zeros((1, 3, 3)), [[0, 1, 2]]), "vertices"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_named(attempt, name):
    with pytest.raises(InvalidArgument, match=f"^{name}: got"):
        attempt()


def test_a_saved_scene_is_a_page_without_other_files(tmp_path):
    scene = Scene("Une boîte </script> & more").add(box([1, 1, 1]))
    scene.save(tmp_path / "scene.html")
    text = (tmp_path / "scene.html").read_bytes().decode("utf-8")
    references, scripts = [], []

    class Page(HTMLParser):
        def handle_starttag(self, tag, attributes):
            references.extend(value for name, value in attributes if name in ("src", "href", "data"))
            self.current = (tag, dict(attributes))

        def handle_data(self, data):
            if self.current[0] == "script":
                scripts.append((self.current[1].get("type"), data))

    Page().feed(text)
    assert text.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in text
    assert references == []
    kinds = [kind for kind, _ in scripts]
    assert kinds == ["application/json", None]
    assert json.loads(scripts[0][1]) == json.loads(scene.to_json())
    assert ".rbnotes-scene" in scripts[1][1]  # the player finds the scene by this class
    with pytest.raises(InvalidArgument, match="path"):
        scene.save(3)
    with pytest.raises(FileNotFoundError):
        scene.save(tmp_path / "missing" / "scene.html")
