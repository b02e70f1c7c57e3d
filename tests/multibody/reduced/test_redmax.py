"""The RedMax reference scenes: energies as published, and the table of the book."""

import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from redmax_scenes import SCHEME, final_energy, load, prescribed_joint, read

from rbnotes.joints import spline

SCENES = load()
SPLINE_CURVE = "21: Spline curve joint"
QUICK = ("7: Equality constrained angles", "26: Obj body", "34: Gears")
"""Scenes that run every day."""
TABLE = Path(__file__).parents[3] / "book" / "_data" / "redmax-energies.csv"


def published_value(name):
    return SCENES[name]["expected"][SCHEME]["value"]


def table():
    """Return the rows of the book's table by scene."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["scene"]: row for row in csv.DictReader(file)}


def test_differences_in_the_book():
    """To one digit, as the table has them."""
    for row in table().values():
        off = abs(float(row["computed"]) / float(row["published"]) - 1)
        np.testing.assert_allclose(float(row["relative difference"]), off, rtol=0.5)
        assert off < 1e-9


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SCENES]
)
def test_published_energy(name):
    """Rounding alone leaves up to 5e-12; of the spline curve the next test tells."""
    energy = final_energy(read(SCENES[name]))
    np.testing.assert_allclose(energy, published_value(name), rtol=1e-9 if name == SPLINE_CURVE else 1e-10)
    row = table()[name]
    assert row["published"] == SCENES[name]["expected"][SCHEME]["text"]
    np.testing.assert_allclose(float(row["computed"]), energy, rtol=6e-11)


def test_rates_of_a_prescribed_motion_are_its_derivatives():
    """The steps use only angles and velocities. An angle is that at the end of the step."""
    scene, h = SCENES["9: Hybrid dynamics"], 1e-4
    motion = prescribed_joint({"joint": 0}, scene, h).motion
    for t in (1.0, 2.5, 4.0):
        angles, rates, accelerations = np.transpose([motion(t + k * h) for k in (-2, -1, 0, 1)])
        np.testing.assert_allclose(rates[2], (angles[2] - angles[0]) / (2 * h), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(accelerations[2], (rates[3] - rates[1]) / (2 * h), rtol=1e-6, atol=1e-8)


def test_the_book_shows_every_scene():
    assert list(table()) == list(SCENES)


@pytest.mark.slow
def test_difference_on_the_spline_curve(monkeypatch):
    """The reference takes rotations by less than 1e-9 for none, as they are just after a control frame.

    That shifts its energy by 5e-11; with the same exponential, all digits of it come out.
    """
    exact = spline.se3.exp
    num_rounded = 0

    def exp(xi):
        nonlocal num_rounded
        E, angle = exact(xi), np.linalg.norm(xi[..., :3], axis=-1)
        is_small = (angle > 0) & (angle <= 1e-9)
        E[is_small, :3, :3], E[is_small, :3, 3] = np.eye(3), xi[is_small, 3:]
        num_rounded += np.count_nonzero(is_small)
        return E

    monkeypatch.setattr(spline, "se3", SimpleNamespace(**{**vars(spline.se3), "exp": exp}))
    np.testing.assert_allclose(
        final_energy(read(SCENES[SPLINE_CURVE])), published_value(SPLINE_CURVE), rtol=1e-12
    )
    assert num_rounded > 0
