"""Scenes with any set of features of a model and of options of ``simulate``, and runs on every backend."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from model_parts import shift

from rbnotes import joints, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    fully_implicit_euler,
    implicit_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.forces import LinearSpring, PathForces, on_body, on_particle, on_world, path_through
from rbnotes.friction import FRICTION_MODELS, journal_bearing
from rbnotes.multibody import Body, Event, Model, Motor, PositionServo, VelocityServo, simulate
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointLimit,
    LoopClosure,
    LoopJoint,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
)
from rbnotes.shapes import Box, Capsule, Plane, Sphere

BACKENDS = {
    "reduced": {"coordinates": "reduced"},
    "reduced, compiled": {"coordinates": "reduced", "compiled": True},
    "maximal": {"coordinates": "maximal"},
    "maximal, compiled": {"coordinates": "maximal", "compiled": True},
}
H = 0.005
MAX_DIFFERENCE = 2e-3
"""Largest accepted difference of positions between backends, m: their errors of second order."""
JOINTS = {
    "Revolute": (joints.Revolute([0, 0.8, 0.6]), [0.4]),
    "Prismatic": (joints.Prismatic([0.6, 0, 0.8]), [0.1]),
    "Helical": (joints.Helical([0, 0.8, 0.6], 0.1), [0.4]),
    "Cylindrical": (joints.Cylindrical(), [0.3, 0.1]),
    "Universal": (joints.Universal(), [0.3, -0.2]),
    "PlanarTranslation": (joints.PlanarTranslation(), [0.1, 0.2]),
    "Translational": (joints.Translational(), [0.1, 0.2, -0.1]),
    "ExponentialSpherical": (joints.ExponentialSpherical(), [0.3, 0.2, -0.4]),
    "QuaternionSpherical": (joints.QuaternionSpherical(), [1.0, 0.0, 0.0, 0.0]),
    "EulerSpherical": (joints.EulerSpherical("ZYX"), [0.3, 0.2, -0.4]),
    "Free2D": (joints.Free2D(), [0.1, 0.2, 0.3]),
    "Free3D": (joints.Free3D(), [0.1, 0.2, -0.1, 0.3, 0.2, -0.4]),
    "SplineCurve": (
        joints.SplineCurve([se3.frame(so3.exp([0, a, 0]), [a, 0, a * a]) for a in np.linspace(-0.3, 1, 6)]),
        [0.8],
    ),
    "SplineSurface": (
        joints.SplineSurface(
            [[[x, y, x * y, 0.2 * x, 0.0, 0.3 * y] for y in np.arange(4.0)] for x in np.arange(4.0)]
        ),
        [0.4, 0.6],
    ),
    "of rolling gears": (joints.rolling_gear(0.3, 0.1), [0.4]),
    "Fixed": (joints.Fixed(), []),
    "Composite": (joints.Composite(joints.Revolute([0, 1, 0]), joints.Prismatic([1, 0, 0])), [0.3, 0.1]),
    "FunctionJoint": (
        joints.FunctionJoint(
            lambda q: [joints.rotation([0, 1, 0], q[0]), joints.translation(0.1 * q[0], 0, 0)], 1
        ),
        [0.4],
    ),
}

AXIS = np.array([1.0, 0.0, 0.0])
"""Axis of the joint of the tip."""
TIP_RADIUS = 0.07


@dataclass(frozen=True)
class Feature:
    """Parts of a scene. Lists of several features are joined; other options may be given by one feature only.

    Attributes
    ----------
    options
        Options of :class:`Body` of the arm (``"arm"``) and of the tip (``"tip"``), of :class:`Model`
        (``"model"``), of ``Model.state`` (``"state"``) and of ``simulate`` (``"call"``).
    lists
        Bodies, forces, constraints, actuators and masses of particles; and their positions ``x``.
    at_tip
        Function from the pose of the tip at the start to further lists.
    """

    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    at_tip: Callable[[np.ndarray], dict[str, list[Any]]] | None = None


def with_options(**options):
    return Feature(options=options)


def with_lists(**lists):
    return Feature(lists=lists)


def with_ball(**options):
    """Return a ball that hits the tip, and options of the call or the model."""

    def ball(E):
        place = E[:3, 3] + [0.171, 0, 0]
        twist = {"ball": [0, 0, 0, -0.5, 0.1, 0]}
        return {"bodies": [Body("ball", Sphere(0.1), mass=1.0, position=place)], "twists": [twist]}

    return Feature(options, {}, ball)


def rod(E):
    """Return a rod between the tip and the world."""
    end = Body(
        "rod", inertia=Box([0.2, 0.05, 0.05]).spatial_inertia(mass=0.5), pose=shift(*(E[:3, 3] + [0.1, 0, 0]))
    )
    world = E[:3, 3] + [0.2, 0, 0]
    closures = (
        LoopClosure("rod", [-0.1, 0, 0], "tip", [0, 0, 0]),
        LoopClosure("rod", [0.1, 0, 0], None, world),
    )
    return {"bodies": [end], "constraints": list(closures)}


def load(E):
    """Return a body that is welded to the tip."""
    body = Body("load", inertia=Box([0.1, 0.2, 0.1]).spatial_inertia(mass=2.0), pose=E @ shift(0, 0.1, 0))
    return {
        "bodies": [body],
        "constraints": [LoopJoint(joints.Fixed(), "tip", shift(0, 0.1, 0), "load", np.eye(4))],
    }


def rotor(name, joint, **options):
    frames = {"joint_frame": shift(0, 2, 1), "body_frame": shift(0.1, 0, 0.02)}
    return Body(name, inertia=Sphere(0.1).spatial_inertia(mass=1.0), joint=joint, **frames, **options)


def spring(*ends):
    return PathForces(LinearSpring(30.0, 1.0, 0.2), path_through(*ends))


WHEEL = rotor("wheel", joints.Revolute([0, 1, 0]))
PARTICLES = {"particles": [0.2, 0.3], "x": [[0.5, 0, 1], [0.5, 0.3, 1]]}
FEATURES = {
    **{f"joint {name}": with_options(arm={"joint": joint, "q": q}) for name, (joint, q) in JOINTS.items()},
    "contact": with_ball(),
    "contact with the ground": Feature(
        {"model": {"ground": Plane()}},
        {"bodies": [Body("block", Box([0.2, 0.2, 0.2]), mass=1.0, position=[2, 0, 0.1])]},
    ),
    "restitution": with_ball(model={"restitution": 0.6}),
    "sequential impacts": with_ball(model={"restitution": 0.6}, call={"impacts": "sequential"}),
    **{
        f"friction model {name}": with_ball(call={"friction_model": name}) for name in sorted(FRICTION_MODELS)
    },
    "joint spring": with_options(tip={"stiffness": 5.0}),
    "joint damper": with_options(tip={"damping": 0.5}),
    "armature": with_options(tip={"armature": 0.3}),
    "dry friction in a joint": with_options(tip={"joint_friction": 0.5}),
    "bearing": with_options(model={"bearings": {"tip": journal_bearing(0.03, 0.05, 0.3, axis=AXIS)}}),
    "motor": Feature(
        {"call": {"control": lambda state: {"tip": 1.0}}}, {"actuators": [Motor("tip", force_limit=0.5)]}
    ),
    "position servo": with_lists(actuators=[PositionServo("tip", kp=50.0, kd=2.0, target=0.5)]),
    "velocity servo": with_lists(actuators=[VelocityServo("tip", kv=2.0, target=1.0)]),
    "control": with_options(call={"control": lambda state: {"tip": 1.0}}),
    "spring between bodies": with_lists(forces=[spring(on_world([1.0, 0, 0]), on_body("tip", [0, 0, 0]))]),
    "joint limit": Feature(
        {"state": {"qdot": {"tip": 1.0}}}, {"constraints": [JointLimit("tip", -0.5, 0.004)]}
    ),
    "limit by a plane": Feature(
        at_tip=lambda E: {"constraints": [PlaneLimit("tip", [0, 0, 0], [0, 0, 1.0], E[2, 3] - 1e-4)]}
    ),
    "limit of a rotation": Feature(
        {"state": {"q": {"swivel": [0.3, 0.2, -0.4]}}},
        {
            "bodies": [rotor("swivel", joints.ExponentialSpherical())],
            "constraints": [RotationLimit("swivel", 0.54)],
        },
    ),
    "weld": Feature(at_tip=load),
    "loop closure": Feature(at_tip=rod),
    "gear": with_lists(bodies=[WHEEL], constraints=[Gear("tip", "wheel", -2.0)]),
    "prescribed joint": with_lists(constraints=[PrescribedJoint("tip", lambda t: (t**2, 2 * t, 2.0))]),
    "prescribed body": Feature(
        {"call": {"scheme": symplectic_euler}},
        {"constraints": [PrescribedBody("tip", [0], lambda t, E, phi: (0 * phi, 0 * phi))]},
    ),
    "particles": with_lists(
        **PARTICLES,
        forces=[spring(on_particle(0), on_particle(1)), spring(on_particle(1), on_body("tip", [0, 0, 0.1]))],
    ),
    "attached particle": Feature(
        at_tip=lambda E: {
            "particles": [0.2],
            "x": [se3.transform_points(E, [0, 0, 0.2])],
            "constraints": [AttachedParticle(0, "tip", [0, 0, 0.2])],
        }
    ),
    "scheme of SciPy": with_options(call={"scheme": "DOP853"}),
    "events": with_options(
        call={"scheme": "DOP853", "events": [Event(lambda state: state.t - 2.5 * H, terminal=True)]}
    ),
    "scheme of first order": with_options(call={"scheme": symplectic_euler}),
    "implicit scheme": with_options(call={"scheme": implicit_euler}),
    "fully implicit scheme": with_options(call={"scheme": fully_implicit_euler}),
    "scheme of free bodies": with_options(call={"scheme": momentum_conserving_euler}),
    "Baumgarte stabilization": with_options(call={"stabilization": "baumgarte"}),
    "no stabilization": with_options(call={"stabilization": "none"}),
}


def merge(*features):
    """Return the options and lists of features, or None if two of them give the same option."""
    options, lists = {}, {}
    for feature in features:
        for owner, given in feature.options.items():
            own = options.setdefault(owner, {})
            if any(name in own and own[name] != value for name, value in given.items()):
                return None
            own |= given
        for name, values in feature.lists.items():
            lists.setdefault(name, []).extend(values)
    return options, lists


def build(names):
    """Return the model with some features, its initial state and the options of the call."""
    options, lists = merge(*(FEATURES[name] for name in names))
    arm_options = {"joint": joints.Revolute([0, 0.8, 0.6]), "q": [0.4]} | options.get("arm", {})
    q = arm_options.pop("q")
    arm = Body(
        "arm",
        Capsule(0.05, 0.2),
        mass=2.0,
        joint_frame=shift(0, 0, 1),
        body_frame=shift(0.05, 0, -0.2),
        **arm_options,
    )
    tip = Body(
        "tip",
        Sphere(TIP_RADIUS),
        mass=0.7,
        joint=joints.Revolute(AXIS),
        parent="arm",
        joint_frame=shift(0, 0, -0.4),
        body_frame=shift(0, 0.05, -0.1),
        **options.get("tip", {}),
    )
    bare = Model([arm, tip])
    E = bare.body_state(bare.state(q={"arm": q})).E[1]
    for name in names:
        if (at_tip := FEATURES[name].at_tip) is not None:
            for key, values in at_tip(E).items():
                lists.setdefault(key, []).extend(values)
    bodies = {body.name: body for body in lists.pop("bodies", [])}
    x, twists = lists.pop("x", None), {}
    for each in lists.pop("twists", []):
        twists |= each
    model = Model([arm, tip, *bodies.values()], **lists, **options.get("model", {}))
    state = options.get("state", {})
    start = model.state(q={"arm": q} | state.get("q", {}), qdot=state.get("qdot"), twists=twists, x=x)
    return model, start, options.get("call", {})


def check_motion(motion, backend):
    """Check which backend made a motion, and its account of energy."""
    assert (motion.joint_impulses is None) == backend.startswith("reduced")
    assert motion.compiled == backend.endswith("compiled")
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-8, atol=1e-10)


def outcome(scene, steps, backend):
    """Return ``"runs"`` and the trajectory, or the refused argument and None.

    An error that is not a refusal before the end of the first step is raised.
    """
    model, state, call = scene
    steps_done = []
    try:
        motion = simulate(
            model,
            state,
            h=H,
            steps=steps,
            progress=lambda step, _: steps_done.append(step),
            **call,
            **BACKENDS[backend],
        )
    except InvalidArgument as error:
        if steps_done or error.name == "state":
            raise
        return f"refused: {error.name}", None
    check_motion(motion, backend)
    return "runs", motion
