"""Simulations of models, saved as standalone pages."""

import numpy as np
import pytest

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Body, Model, PositionServo, simulate
from rbnotes.shapes import Box, Plane


@pytest.mark.parametrize(("kp", "height"), [pytest.param(500.0, 0.6, marks=pytest.mark.slow), (0.0, None)])
def test_leg_stands_or_falls_and_is_saved_as_a_page(kp, height, tmp_path):
    down = se3.frame(np.eye(3), [0, 0, -0.2])
    joint = {"joint": joints.Revolute([0, 1, 0]), "body_frame": down}
    thigh = Body("thigh", Box([0.1, 0.3, 0.4]), mass=3.0, position=[0, 0, 0.6])
    shank = Body("shank", Box([0.12, 0.3, 0.4]), mass=2.0, parent="thigh", joint_frame=down, **joint)
    leg = Model([thigh, shank], ground=Plane(), actuators=[PositionServo("shank", kp=kp, kd=kp / 25)])
    motion = simulate(leg, leg.state(q={"shank": 0.02}), h=0.01, duration=0.8)
    scene = motion.scene("A leg on a floor.", poster=0.3, labels=["shank"])
    scene.save(tmp_path / "leg.html")
    assert scene.poster == 0.3
    assert [item.label for item in scene._items if item.label] == ["shank"]
    with pytest.raises(InvalidArgument, match="foot"):
        motion.scene("A leg.", labels=["foot"])
    assert "A leg on a floor." in (tmp_path / "leg.html").read_text(encoding="utf-8")
    end = motion.poses("thigh")[-1, 2, 3]
    assert end < 0.55 if height is None else end == pytest.approx(height, abs=5e-3)
