"""A slider contains all pictures, shows one, and works without scripts."""

import json
import re
from html import unescape

import numpy as np
import pytest

from rbnotes.arguments import InvalidArgument
from rbnotes.viewer import Scene, Slider, figure, sphere
from rbnotes.viewer.scene import PAGE_HAS_PLAYER


def scenes():
    return {
        size: Scene(f"A ball of {size} m.").add(sphere(size), np.eye(4)) for size in (0.5, 1.0, 2.0)
    }  # fmt: skip


def test_one_picture_is_shown_and_text_names_all():
    html = Slider("Balls.", "radius r", scenes(), unit="m", initial_value=1.0).to_html()
    assert re.findall(r'<div class="choice"( hidden)?>', html) == [" hidden", "", " hidden"]
    assert json.loads(unescape(re.search('data-words="(.*?)"', html)[1])) == ["0.5 m", "1 m", "2 m"]
    assert "<noscript> Here radius r is 1 m.</noscript>" in html


def test_first_picture_is_shown_by_default():
    assert Slider("Balls.", "radius r", scenes()).initial_index == 0


def test_scenes_share_one_camera():
    html = Slider("Balls.", "radius r", scenes()).to_html()
    data = [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html)]
    assert len({scene["extent"] for scene in data}) == 1
    assert len(set(re.findall(r"--aspect:[\d.]+", html))) == 1
    alone = json.loads(scenes()[1.0].to_json())
    assert "extent" not in alone


def test_figures_become_images_with_alt_text_and_are_closed():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    pictures = {}
    for power in (1, 2):
        pictures[power], ax = figure()
        ax.plot([0, 1, 2], np.arange(3.0) ** power)
    html = Slider('Powers of "x".', "exponent", pictures).to_html()
    alts = [unescape(alt) for alt in re.findall('<img alt="(.*?)"', html)]
    assert alts == ['Powers of "x". Here exponent is 1.', 'Powers of "x". Here exponent is 2.']
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pictures", {"pictures": {}}),
        ("pictures", {"pictures": {1.0: "a ball", 2.0: "another"}}),
        ("pictures", {"pictures": dict(zip("abc", scenes().values(), strict=True))}),
        ("initial_value", {"initial_value": 3.0}),
        ("initial_value", {"initial_value": True}),
        ("initial_value", {"initial_value": [1.0, 2.0]}),
        ("description", {"description": 1}),
    ],
)
def test_invalid_arguments_are_named(name, change):
    options = {"description": "Balls.", "parameter": "r", "pictures": scenes(), **change}
    with pytest.raises(InvalidArgument, match=name):
        Slider(**options)


def test_notebook_shows_it_in_a_separate_frame(monkeypatch):
    slider = Slider("Balls.", "r", scenes())
    monkeypatch.delenv(PAGE_HAS_PLAYER, raising=False)
    assert slider._repr_html_().startswith("<iframe")
    monkeypatch.setenv(PAGE_HAS_PLAYER, "yes")
    assert slider._repr_html_() == slider.to_html()
