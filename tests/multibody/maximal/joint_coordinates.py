"""The scenes of maximal coordinates as models, to simulate them in joint coordinates."""

from collections import defaultdict

from rbnotes import se3
from rbnotes.dynamics import WORLD
from rbnotes.joints import Revolute
from rbnotes.multibody import Body, Geometry, Model, maximal_coordinates
from rbnotes.multibody.reduced import LoopClosure


def in_joint_coordinates(maximal_model, state):
    """Return the model and its state.

    The last joint of a body carries it, and its other joints close loops.
    """
    carrying = {joint.body: joint for joint in maximal_model.joints}
    geometries = defaultdict(list)
    for each in maximal_model.colliders:
        geometry = Geometry(each.shape, each.frame, mu=each.mu, restitution=each.restitution)
        geometries[each.body].append(geometry)
    bodies = []
    for i, M in enumerate(maximal_model.inertias):
        options = {"pose": state.E[i]}
        if i in carrying:
            joint = carrying[i]
            joint_frame = joint.parent_frame
            if joint.parent in carrying:
                joint_frame = se3.inverse(carrying[joint.parent].frame) @ joint_frame
            options = {
                "joint": joint.kind,
                "parent": name(joint.parent),
                "joint_frame": joint_frame,
                "body_frame": se3.inverse(joint.frame),
            }
        bodies.append(Body(name(i), inertia=M, collision=geometries[i], **options))
    model = Model(
        bodies,
        ground=geometries[WORLD],
        gravity=maximal_model.gravity,
        forces=maximal_model.applied_forces,
        constraints=[
            closure(each, carrying) for each in maximal_model.joints if each is not carrying[each.body]
        ],
    )
    assert [body.name for body in model.bodies] == [name(i) for i in range(len(bodies))]
    return model, maximal_coordinates(model).model_state(state)


def closure(joint, carrying):
    """Return the loop closure of a revolute joint, whose axis is parallel to that of the body's own joint."""
    assert isinstance(joint.kind, Revolute)
    own = carrying[joint.body]
    axis = se3.inverse(own.frame)[:3, :3] @ joint.frame[:3, :3] @ joint.kind.axis
    a, b = joint.frame[:3, 3], joint.parent_frame[:3, 3]
    return LoopClosure(name(joint.body), a, name(joint.parent), b, axis)


def name(index):
    return None if index == WORLD else f"body {index}"
