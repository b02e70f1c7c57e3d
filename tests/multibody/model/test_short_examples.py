"""Typical tasks stay short: the scripts of the book run, give the right numbers, and have few lines.

Imports do not count.
"""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from rbnotes.multibody import (
    forward_dynamics,
    frame_velocity,
    inverse_dynamics,
    kinetic_energy,
    potential_energy,
)

mpl.use("Agg")

CHAPTER = Path(__file__).parents[3] / "book" / "models.md"
SECTION = re.search(r"^## Short scripts\n(.*?)^## ", CHAPTER.read_text(encoding="utf-8"), re.M | re.S)[1]
IMPORTS, *SCRIPTS = re.findall(r"^```ipython3\n(.*?)^```", SECTION, re.M | re.S)
MAX_LINES = {"boxes": 8, "arm": 6, "leg": 6, "muscle": 10, "dominoes": 8, "four-bar": 12, "helical": 12}


def run(name):
    """Run a script; return its variables."""
    script = SCRIPTS[list(MAX_LINES).index(name)]
    assert len(script.splitlines()) <= MAX_LINES[name]
    assert max(map(len, script.splitlines())) < 90
    namespace = {}
    exec(IMPORTS + script, namespace)
    return namespace


def test_every_script_is_tested():
    assert len(SCRIPTS) == len(MAX_LINES)
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'run("{name}")' in source for name in MAX_LINES)


def test_boxes_on_a_floor():
    heights = run("boxes")["motion"].body_states.E[-1, :, 2, 3]
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.5], atol=1e-4)


def test_dynamics_of_an_arm_from_a_file():
    names = run("arm")
    model, state = names["model"], names["state"]
    passive = -model.tree.joint_parameter("damping") * state.qdot
    np.testing.assert_allclose(names["M"] @ names["acceleration"] + names["bias"], passive, atol=1e-9)
    np.testing.assert_allclose(names["derivatives"].force @ names["M"], np.eye(len(names["M"])), atol=1e-9)
    velocity = frame_velocity(model, state, "hand", reference="world_aligned")
    np.testing.assert_allclose(names["J"] @ state.qdot, velocity, atol=1e-12)


def test_leg_stands_and_falls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    motion = run("leg")["motion"]
    assert "A leg falls" in (tmp_path / "leg.html").read_text(encoding="utf-8")
    height = motion.poses("thigh")[:, 2, 3]
    assert height[-1] < 0.2 < 0.59 < height[5]
    for name in ("thigh", "shank"):
        ends = np.einsum("tij,jk->tik", motion.poses(name), [[0, 0], [0, 0], [0.15, -0.15], [1, 1]])
        assert np.all(ends[:, 2] > 0.05 - 1e-3)  # the capsules stay above the floor


def test_muscle_over_an_elbow():
    names = run("muscle")
    model, rest, step = names["model"], names["rest"], 1e-6
    assert forward_dynamics(model, rest)[0] != 0

    def torque(angle):
        bent = model.state(q={"arm": rest.q[0], "lower": angle})
        return -inverse_dynamics(model, bent, [0.0, 0.0])[1]

    assert torque(rest.q[1]) == pytest.approx(0.0, abs=1e-9)
    difference = (torque(rest.q[1] + step) - torque(rest.q[1] - step)) / (2 * step)
    assert names["K"][1, 1] == pytest.approx(difference, rel=1e-6)


@pytest.mark.slow
def test_dominoes_and_a_bouncing_ball():
    names = run("dominoes")
    motion = names["motion"]
    ups = [motion.poses(f"tile{k}")[-1, 2, 2] for k in range(4)]
    assert max(ups[:3]) < 0.8  # they have fallen over
    height, e = motion.poses("ball")[:, 2, 3] - 0.05, 0.8
    first_contact = int(np.argmin(height))
    assert height[first_contact:].max() == pytest.approx(e**2 * height[0], rel=0.05)
    mpl.pyplot.close(names["figure"])


@pytest.mark.slow
def test_four_bar_with_dry_bearings():
    motion = run("four-bar")["motion"]
    rocker = motion.q("crank") + motion.q("coupler") + motion.q("rocker")
    np.testing.assert_allclose(rocker - np.pi, motion.q("crank"), atol=1e-9)  # a parallelogram
    assert motion.work.applied_forces.sum() < -1e-3


def test_own_helical_joint_in_a_chain():
    names = run("helical")
    chain, motion = names["chain"], names["motion"]
    np.testing.assert_allclose(motion.poses("nut")[:, 2, 3], 0.05 * motion.q("nut")[:, 0], atol=1e-12)
    energy = [kinetic_energy(chain, state) + potential_energy(chain, state) for state in motion.states]
    assert np.ptp(energy) < 5e-3
    assert motion.q("nut")[-1, 0] < -0.1
