"""Bodies, models, their dynamics and their simulation."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints, multibody, se3
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.friction import journal_bearing
from rbnotes.multibody import Body, Geometry, Model, Motor, PositionServo, VelocityServo, simulate
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.multibody.model import ground_geometries
from rbnotes.multibody.reduced import JointLimit
from rbnotes.shapes import Box, Plane, Sphere

FRAME = se3.frame(np.eye(3), [0.0, 0.25, 0.5])
BOX = Box((0.2, 0.4, 0.2))
TRUNK = Body("trunk", BOX, mass=2.0, position=[0.0, 0.0, 1.0])
HINGE = joints.Revolute([0.0, 1.0, 0.0])
ARM = Body("arm", Sphere(0.1), mass=1.0, parent="trunk", joint=HINGE, joint_frame=FRAME)
MODEL = Model([TRUNK, ARM], ground=Plane(), constraints=[JointLimit("arm", -2.0, 2.0)])
STATE = MODEL.state(q={"arm": [0.5]}, qdot={"arm": [0.25]}, twists={"trunk": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
TREE_STATE = MODEL.tree_state(STATE)
FREE = Model([TRUNK], ground=Plane())
CONVERTED = multibody.maximal_coordinates(FREE)
MOTION = simulate(MODEL, STATE, h=0.01, steps=2)
HANGING = Model(
    [
        Body("upper", BOX, mass=1.0, joint=HINGE, joint_frame=FRAME),
        Body("lower", BOX, mass=1.0, joint=HINGE, parent="upper", body_frame=FRAME),
    ]
)
VELOCITIES = np.arange(1.0, 8.0)
X = np.array([[1.0, 0.0, 2.0], [0.5, 0.25, 0.0]])
PARTICLES = Model([TRUNK], particles=[1.0, 2.0])
PARTICLE_STATE = PARTICLES.state(x=X)
ROBOT = load_urdf(example("quadruped"), base=joints.Free3D())

PER_COORDINATE = ("longer", "infinity")
"""Values of a force limit that fit other joints."""


def event(state):
    return state.q[0] - 0.3


CALLS = [
    Call(multibody.Event, {"function": event, "terminal": True, "direction": 1}),
    Call(Model.from_tree, {"tree": MODEL.tree}),
    Call(Body.from_link, {"link": MODEL.tree.links[1], "armature": np.array([0.5])}),
    Call(
        Geometry,
        {"shape": BOX, "frame": FRAME, "mu": 0.5, "restitution": 0.25},
        fine={"mu": ("infinity",)},
    ),
    Call(
        Body,
        {"name": "box", "shape": BOX, "mass": 2.0, "pose": FRAME, "mu": 0.5, "restitution": 0.25},
        fine={"name": ("another word",), "mu": ("infinity",)},
    ),
    Call(
        Body,
        {"name": "box", "shape": BOX, "density": 500.0, "position": np.array([0.0, 1.0, 2.0])},
        fine={"name": ("another word",)},
    ),
    Call(
        Body,
        {
            "name": "arm",
            "inertia": BOX.spatial_inertia(mass=2.0),
            "joint": HINGE,
            "parent": "trunk",
            "joint_frame": FRAME,
            "body_frame": FRAME,
            "stiffness": np.array([2.0]),
            "damping": np.array([0.5]),
            "spring_reference": np.array([0.25]),
            "armature": np.array([0.5]),
            "joint_friction": np.array([0.75]),
        },
        fine={"name": ("another word",), "parent": ("another word", "no word")},
    ),
    Call(
        Motor,
        {"body": "arm", "force_limit": np.array([2.0])},
        fine={"body": ("another word",), "force_limit": PER_COORDINATE},
    ),
    Call(
        PositionServo,
        {
            "body": "arm",
            "kp": np.array([2.0]),
            "kd": np.array([0.5]),
            "target": np.array([0.25]),
            "force_limit": np.array([2.0]),
        },
        fine={
            "body": ("another word",),
            **dict.fromkeys(("kp", "kd", "target"), ("longer",)),
            "force_limit": PER_COORDINATE,
        },
    ),
    Call(
        VelocityServo,
        {"body": "arm", "kv": np.array([2.0]), "target": np.array([0.25]), "force_limit": np.array([2.0])},
        fine={
            "body": ("another word",),
            **dict.fromkeys(("kv", "target"), ("longer",)),
            "force_limit": PER_COORDINATE,
        },
    ),
    Call(
        Model,
        {
            "bodies": [TRUNK, ARM],
            "ground": [Geometry(Plane())],
            "mu": 0.5,
            "restitution": 0.25,
            "gravity": np.array([0.0, 1.0, -9.81]),
            "excluded_pairs": [("trunk", "world")],
            "actuators": [Motor("arm")],
            "bearings": {"arm": journal_bearing(0.1, 0.25, 0.5)},
        },
        fine={"mu": ("infinity",)},
    ),
    Call(
        Model,
        {"bodies": [TRUNK], "particles": np.array([1.0, 2.0])},
        fine={"particles": ("longer", "shorter", "empty", "an empty tuple", "one number")},
    ),
    Call(PARTICLES.state, {"x": X, "v": 0.5 * X, "t": 0.5}),
    Call(ground_geometries, {"ground": [Geometry(Plane())]}),
    Call(MODEL.index, {"name": "arm"}),
    Call(MODEL.state, {"t": 0.5}),
    Call(
        MODEL.command_vector,
        {"name": "commands", "commands": np.array([0.5])},
        fine={"name": ("another word",)},
    ),
    Call(multibody.actuator_forces, {"model": MODEL, "state": STATE, "commands": np.array([0.5])}),
    *(Call(getattr(MODEL, name), {"state": STATE}) for name in ("tree_state", "body_state")),
    Call(MODEL.state_from_tree, {"tree_state": TREE_STATE}),
    Call(multibody.maximal_coordinates, {"model": FREE}),
    Call(CONVERTED.maximal_state, {"state": FREE.state()}),
    Call(CONVERTED.model_state, {"state": State(E=FRAME, phi=np.arange(6.0)), "near": FREE.state()}),
    *(
        Call(getattr(model, name), {"state": state})
        for model, state in ((MODEL, STATE), (PARTICLES, PARTICLE_STATE))
        for name in ("mass_matrix", "force", "linearized_force", "acceleration", "energy")
    ),
    Call(MODEL.linearized_residual, {"state": STATE, "acceleration": VELOCITIES}),
    Call(MODEL.retract, {"state": STATE, "increment": 0.1 * VELOCITIES, "h": 0.1}),
    *(
        Call(getattr(multibody, name), {"model": MODEL, "state": STATE})
        for name in (
            *("mass_matrix", "bias_forces", "kinetic_energy", "potential_energy", "stiffness", "damping"),
        )
    ),
    Call(multibody.inverse_dynamics, {"model": MODEL, "state": STATE, "acceleration": VELOCITIES}),
    Call(multibody.forward_dynamics, {"model": MODEL, "state": STATE, "tau": VELOCITIES}),
    Call(
        multibody.inverse_dynamics_derivatives, {"model": MODEL, "state": STATE, "acceleration": VELOCITIES}
    ),
    Call(multibody.forward_dynamics_derivatives, {"model": MODEL, "state": STATE, "tau": VELOCITIES}),
    Call(
        multibody.equilibrium,
        {
            "model": HANGING,
            "initial_guess": HANGING.state(q={"lower": [0.5]}),
            "locked": ("upper",),
            "tolerance": 1e-9,
            "max_iterations": 60,
        },
    ),
    *(
        Call(
            function,
            {"model": MODEL, "state": STATE, "body": "arm", "frame": FRAME, "reference": "world"},
        )
        for function in (
            multibody.frame_jacobian,
            multibody.frame_jacobian_rate,
            multibody.frame_velocity,
            multibody.frame_acceleration,
        )
    ),
    Call(multibody.frame_pose, {"model": MODEL, "state": STATE, "body": "arm", "frame": FRAME}),
    Call(multibody.joint_wrench, {"model": MODEL, "state": STATE, "body": "arm", "tau": VELOCITIES}),
    Call(multibody.channel_names, {"model": MODEL}),
    Call(MOTION.channel, {"name": "arm.q"}),
    Call(
        simulate,
        {
            "model": MODEL,
            "state": STATE,
            "h": 0.01,
            "steps": 2,
            "friction_model": "box",
            "impacts": "simultaneous",
            "coordinates": "reduced",
            "slop": 1e-5,
        },
        slow=True,
    ),
    Call(
        simulate,
        {
            "model": MODEL,
            "state": STATE,
            "h": 0.01,
            "steps": 1,
            "scheme": symplectic_euler,
            "max_friction_residual": 0.1,
            "coordinates": "reduced",
            "stabilization": "baumgarte",
            "gamma": 5.0,
        },
        slow=True,
    ),
    Call(
        simulate,
        {
            "model": HANGING,
            "state": HANGING.state(),
            "h": 0.01,
            "steps": 1,
            "scheme": "DOP853",
            "rtol": 1e-6,
            "atol": 1e-6,
            "events": [multibody.Event(event)],
        },
        slow=True,
    ),
    Call(multibody.step, {"model": MODEL, "state": STATE, "h": 0.01}, slow=True),
    *(Call(getattr(MOTION, name), {"name": "arm"}) for name in ("poses", "twists", "q", "qdot")),
    Call(MOTION.scene, {"description": "An arm falls."}, fine={"description": ("another word",)}),
    Call(
        MOTION.energy_figure,
        {"stored_energy": lambda state: 0.0},
        fine={"stored_energy": ("None",)},
    ),
    Call(
        ROBOT.model,
        {"ground": Plane(), "mu": 0.5, "restitution": 0.25},
        fine={"ground": ("an empty tuple", "an empty list"), "mu": ("infinity",)},
    ),
]
