"""Simulations of models, saved as standalone pages."""

from dataclasses import replace

import numpy as np
import pytest

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Body, Model, PositionServo, simulate
from rbnotes.multibody.reduced import AttachedParticle
from rbnotes.shapes import Box, Plane, Sphere


@pytest.mark.slow
@pytest.mark.parametrize(("kp", "height"), [(500.0, 0.6), (0.0, None)])
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


def test_bodies_without_collision_geometry_appear_as_their_shape():
    ghost = Body("ghost", Box([0.1, 0.2, 0.3]), mass=1.0, collision=())
    bead = Body("bead", Box([0.1, 0.2, 0.3]), mass=1.0, collision=Sphere(0.05))
    motion = simulate(Model([ghost, bead, Body("point", inertia=np.eye(6))]), h=0.1, steps=3)
    items = motion.scene("Bodies fall.")._items
    kinds = {item.shape.kind: item for item in items}
    assert sorted(item.shape.kind for item in items) == ["axes", "box", "sphere"]
    np.testing.assert_array_equal(kinds["box"].poses, motion.poses("ghost"))


@pytest.mark.parametrize("bodies", [[Body("bar", Box([0.1, 0.1, 0.4]), mass=1.0)], []])
def test_particles_are_small_balls_at_their_positions(bodies):
    """One particle at the tip of a bar, two free ones; without bodies three free ones."""
    constraints = [AttachedParticle(0, body.name, [0, 0, 0.2]) for body in bodies]
    model = Model(bodies, particles=[0.1, 0.2, 0.3], constraints=constraints)
    x = [[0, 0, 0.2], [1.0, 0, 0], [0, 2.0, 0]]
    start = model.state(x=x, v=np.zeros((3, 3)), twists={body.name: [0, 3.0, 0, 0, 0, 0] for body in bodies})
    start = replace(start, v=[[0.6, 0, 0], [0, 0, 1.0], [0, 0, 0]]) if bodies else start
    motion = simulate(model, start, h=0.02, steps=10)
    labels = [body.name for body in bodies] + ["particle[1]"]
    items = motion.scene("Particles fall.", labels=labels)._items
    balls = [item for item in items if item.shape.kind == "sphere"]
    assert len(balls) == 3
    for number, ball in enumerate(balls):
        np.testing.assert_array_equal(ball.poses[:, :3, 3], motion.states.x[:, number])
    if bodies:
        tip = motion.poses("bar") @ [0, 0, 0.2, 1.0]
        np.testing.assert_allclose(balls[0].poses[:, :3, 3], tip[:, :3], rtol=0, atol=1e-6)
    assert [ball.label for ball in balls] == ["", "particle[1]", ""]
    assert {item.shape.color for item in items if item not in balls}.isdisjoint({balls[0].shape.color})
    (radius,) = {ball.shape.parameters["radius"] for ball in balls}
    assert 0.01 < radius / np.hypot(1.0, 2.0) < 0.02
    with pytest.raises(InvalidArgument, match=r"labels: got 'particle\[3\]'"):
        motion.scene("Particles fall.", labels=["particle[3]"])
