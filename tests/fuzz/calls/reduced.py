"""Trees of bodies in reduced coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from engine import Call

from rbnotes import joints, se3
from rbnotes.contact import Collider, contact_points
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody import formats, reduced
from rbnotes.shapes import Box, Plane


def swing(t):
    return [np.sin(t)], [np.cos(t)], [-np.sin(t)]


def rotate(t, E, phi):
    return np.full(6, np.sin(t)), np.full(6, np.cos(t))


BOX = Box((0.2, 0.4, 0.2))
INERTIA = BOX.spatial_inertia(density=500.0)
AWAY = se3.frame(np.eye(3), [0, 0, -0.5])
LINK = {
    "name": "arm",
    "joint": joints.Revolute((1.0, 0, 0)),
    "inertia": INERTIA,
    "placement": AWAY,
    "body_frame": AWAY,
    "stiffness": 2.0,
    "damping": 0.5,
    "spring_reference": [0.25],
}
LINKS = [
    reduced.Link("upper", joints.Revolute((1.0, 0, 0)), INERTIA, body_frame=AWAY),
    reduced.Link("lower", joints.Revolute((1.0, 0, 0)), INERTIA, "upper", AWAY, AWAY),
]
TREE = reduced.Tree(LINKS)
Q, QDOT, QDDOT = np.array([0.25, -0.5]), np.array([0.5, 0.25]), np.array([1.0, -0.5])
AT, GOING, ALL = {"q": Q}, {"q": Q, "qdot": QDOT}, {"q": Q, "qdot": QDOT, "qddot": QDDOT}
WRENCHES = np.arange(12.0).reshape(2, 6)
STATE = State(q=Q, qdot=QDOT)
BALL = reduced.Tree([reduced.Link("ball", joints.ExponentialSpherical(), np.eye(6))])
ONE_BALL = State(q=[0.25, 0.5, -0.25], qdot=[1.0, 0.5, 0.25])
GEAR = reduced.Gear("upper", "lower", 0.5)
LIMIT = reduced.JointLimit("upper", -1.0, 1.0)
CONSTRAINTS = [GEAR, LIMIT]
CONSTRAINED = {"system": TREE, "constraints": CONSTRAINTS, "state": STATE}
WITH_PARTICLE = replace(TREE, masses=[0.5])
PARTICLE = reduced.AttachedParticle(0, "lower", [0.1, 0, 0])
CARRYING = State(q=Q, qdot=QDOT, x=[[0.0, 0, 0]])
COLLIDERS = [
    Collider(WORLD, Plane(), se3.frame(np.eye(3), [0, 0, -1.5])),
    Collider(1, BOX),
]
POINTS = contact_points(COLLIDERS, reduced.poses(TREE, Q).body_poses)
FOUR = (
    GEAR,
    LIMIT,
    reduced.LoopClosure("lower", [0.0, 0, 0], None, [0.0, 0, -1.0]),
    reduced.PrescribedJoint("upper", swing),
    reduced.PlaneLimit("lower", [0.0, 0, 0], [0.0, 0, 1.0], -2.0),
)
HYPER = reduced.linear_coordinates([[1.0], [0.5]])
SMALL = reduced.reduce_coordinates(TREE, HYPER)
ONE = State(q=[0.25], qdot=[0.5])
SRDF_TEXT = """<robot name="arm">
  <disable_collisions link1="base" link2="hand" reason="Never"/>
  <group_state name="home"><joint name="elbow" value="0.5"/></group_state>
</robot>"""
ROBOT = formats.load_urdf(formats.example("arm"))
MJCF_TEXT = """<mujoco>
  <worldbody><body name="arm"><joint name="hinge"/><geom size="0.1"/></body></worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>"""
MJCF = formats.load_mjcf(MJCF_TEXT)
NAMED = next(iter(ROBOT.joints.values()))


NAMES = ("another word",)  # whether a tree has such a link is seen when the constraint meets it


CALLS = [
    Call(
        reduced.Link,
        LINK,
        fine={"name": NAMES, "inertia": ("None",), "placement": ("None",), "body_frame": ("None",)},
    ),
    Call(
        reduced.Tree,
        {"links": LINKS, "gravity": np.array([0.0, 1.0, -9.81]), "masses": [0.5], "armature": 0.0},
        fine={"masses": ("longer",)},
    ),
    Call(TREE.index, {"name": "lower"}),
    Call(TREE.coordinates, {"values": {"lower": [0.5]}, "default": np.zeros(2)}),
    *(
        Call(function, {"tree": TREE, **AT})
        for function in (
            reduced.poses,
            reduced.jacobian,
            reduced.mass_matrix,
            reduced.parent_motion_transforms,
            reduced.motion_subspaces,
            reduced.square_factors,
            reduced.factor_matrices,
            reduced.gravity_wrenches,
            reduced.potential_energy,
        )
    ),
    *(
        Call(function, {"tree": TREE, **GOING})
        for function in (
            reduced.twists,
            reduced.jacobian_rate,
            reduced.body_kinematics,
            reduced.bias_acceleration,
            reduced.bias_forces,
            reduced.gyroscopic_and_gravity_wrenches,
            reduced.passive_joint_forces,
            reduced.kinetic_energy,
            reduced.spatial_momentum,
        )
    ),
    *(
        Call(function, {"tree": TREE, **GOING, "tau": [0.5, 1.0], "wrenches": WRENCHES})
        for function in (
            reduced.net_generalized_force,
            reduced.forward_dynamics_dense,
            reduced.forward_dynamics_derivatives,
            reduced.forward_dynamics,
            reduced.factored_dynamics,
        )
    ),
    *(
        Call(function, {"tree": TREE, **ALL, "wrenches": WRENCHES})
        for function in (
            reduced.inverse_dynamics_dense,
            reduced.inverse_dynamics_derivatives,
            reduced.inverse_dynamics,
        )
    ),
    Call(
        reduced.hybrid_dynamics,
        {"tree": TREE, **GOING, "accelerations": {"lower": [0.5]}, "tau": [0.5, 1.0], "wrenches": WRENCHES},
    ),
    Call(reduced.jacobian_product, {"tree": TREE, **AT, "x": [0.5, 1.0]}),
    Call(reduced.mass_product, {"tree": TREE, **AT, "x": [0.5, 1.0]}),
    Call(reduced.jacobian_rate_product, {"tree": TREE, **GOING, "x": [0.5, 1.0]}),
    Call(reduced.jacobian_transpose_product, {"tree": TREE, **AT, "y": WRENCHES}),
    Call(reduced.SpatialOperators, {"tree": TREE, **GOING, "wrenches": WRENCHES}),
    Call(reduced.SpatialOperators(TREE, **GOING).net_generalized_force, {"tau": [0.5, 1.0]}),
    Call(reduced.kinematics_derivatives, {"tree": TREE, **ALL}),
    Call(reduced.geometric_stiffness, {"tree": TREE, **AT, "wrenches": WRENCHES}),
    *(
        Call(getattr(TREE, name), {"state": STATE})
        for name in (
            "body_kinematics",
            "maximal_state",
            "reduction",
            "acceleration_reduction",
            "mass_matrix",
            "force",
            "linearized_force",
            "acceleration",
            "coordinate_constraint_rows",
            "reparametrize",
            "energy",
        )
    ),
    *(
        Call(getattr(SMALL, name), {"state": ONE})
        for name in (
            "expand",
            "reduction",
            "acceleration_reduction",
            "mass_matrix",
            "force",
            "linearized_force",
            "acceleration",
            "coordinate_constraint_rows",
            "energy",
        )
    ),
    Call(TREE.linearized_residual, {"state": STATE, "acceleration": QDDOT}),
    Call(SMALL.linearized_residual, {"state": ONE, "acceleration": [0.5]}),
    Call(TREE.retract, {"state": STATE, "increment": [0.5, 0.25], "h": 0.1}),
    Call(SMALL.retract, {"state": ONE, "increment": [0.5], "h": 0.1}),
    Call(reduced.linear_coordinates, {"J": np.array([[1.0], [0.5]]), "offset": [0.5, 0.25]}),
    Call(reduced.gear_coordinates, {"tree": TREE, "ratios": {"lower": 1.0, "upper": 0.5}}),
    Call(reduced.reduce_coordinates, {"tree": TREE, "coordinates": HYPER}),
    Call(reduced.attach_particles, {"tree": WITH_PARTICLE, "attachments": [PARTICLE]}),
    Call(reduced.Gear, {"a": "upper", "b": "lower", "ratio": 0.5}, fine={"a": NAMES, "b": NAMES}),
    Call(
        reduced.JointLimit,
        {"link": "upper", "lower": -1.0, "upper": 1.0, "coordinate": 0},
        fine={"link": NAMES, "lower": ("minus infinity",), "upper": ("infinity",)},
    ),
    Call(
        reduced.LoopClosure,
        {"a": "upper", "x_a": [0.0, 0, 0], "b": "lower", "x_b": [0.0, 0, -1]},
        fine={"a": NAMES, "b": (*NAMES, "None")},
    ),
    Call(
        reduced.LoopJoint,
        {"joint": joints.Revolute(), "a": "upper", "E_a": np.eye(4), "b": "lower", "E_b": np.eye(4)},
        fine={"a": NAMES, "b": (*NAMES, "None")},
    ),
    Call(reduced.RotationLimit, {"link": "lower", "upper": 0.5}, fine={"link": NAMES}),
    Call(
        reduced.PlaneLimit,
        {"link": "lower", "x": [0.0, 0, 0], "normal": [0.0, 0.6, 0.8], "offset": -2.0},
        fine={"link": NAMES},
    ),
    Call(
        reduced.AttachedParticle,
        {"particle": 0, "link": "lower", "x": [0.1, 0, 0]},
        fine={"link": (*NAMES, "None")},
    ),
    Call(reduced.perpendicular_pair, {"axis": np.array([0.0, 0.6, 0.8])}),
    *(Call(each.rows, {"tree": TREE, "state": STATE, "t": 0.5}) for each in FOUR),
    Call(reduced.RotationLimit("ball", 0.5).rows, {"tree": BALL, "state": ONE_BALL, "t": 0.5}),
    Call(PARTICLE.rows, {"tree": WITH_PARTICLE, "state": CARRYING, "t": 0.5}),
    Call(reduced.constraint_rows, {"system": TREE, "constraint": GEAR, "state": STATE, "t": 0.5}),
    Call(reduced.velocity_constraints, {**CONSTRAINED, "h": 0.01, "gamma": 0.5}),
    *(
        Call(function, {**CONSTRAINED, "alpha": 1.0, "beta": 2.0, "method": "principal_pivoting"})
        for function in (reduced.constrained_acceleration, reduced.constraint_forces)
    ),
    Call(
        reduced.assemble_configuration,
        {"tree": TREE, "constraints": [GEAR], "state": STATE, "locked": ["upper"]},
    ),
    Call(reduced.tree_contacts, {"tree": TREE, "state": STATE, "points": POINTS, "h": 0.01, "gamma": 0.5}),
    Call(formats.example, {"name": "arm"}),
    Call(
        formats.load_urdf,
        {
            "source": formats.example("arm"),
            "gravity": np.array([0.0, 0, -1.0]),
            "package_root": ".",
            "srdf": SRDF_TEXT,
        },
    ),
    Call(formats.load_mjcf, {"source": MJCF_TEXT, "collisions": False, "unsupported": "warn"}),
    Call(MJCF.state, {"qpos": np.array([0.1]), "qvel": np.array([0.2]), "t": 0.5}),
    Call(MJCF.qpos_qvel, {"state": MJCF.state([0.1])}),
    Call(MJCF.commands, {"control": np.array([0.5])}),
    Call(formats.to_urdf, {"robot": ROBOT}),
    Call(formats.to_mjcf, {"model": ROBOT}),
    Call(
        reduced.prescribed_forces, {**CONSTRAINED, "constraints": [FOUR[3]], "method": "principal_pivoting"}
    ),
    Call(reduced.PrescribedJoint, {"link": "upper", "motion": swing}, fine={"link": NAMES}),
    Call(reduced.PrescribedJoint("upper", swing).rows, {"tree": TREE, "state": STATE, "t": 0.5}),
    Call(
        reduced.PrescribedBody, {"link": "upper", "components": [0], "motion": rotate}, fine={"link": NAMES}
    ),
    Call(reduced.PrescribedBody("upper", [0], rotate).rows, {"tree": TREE, "state": STATE, "t": 0.5}),
    Call(
        reduced.JointCoordinates,
        {
            field: getattr(HYPER, field)
            for field in ("num_coordinates", "q", "jacobian", "jacobian_rate", "bias_acceleration_derivative")
        },
        fine={"bias_acceleration_derivative": ("None",)},
    ),
    Call(TREE.joint_parameter, {"field": "damping"}),
    Call(ROBOT.joint, {"name": NAMED.name}),
    Call(ROBOT.joint_of_link, {"link": NAMED.link}),
]
