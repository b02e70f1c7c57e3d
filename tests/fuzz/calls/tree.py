"""Trees of bodies in reduced coordinates."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints, se3, tree
from rbnotes.contact import Collider, Plane, contact_points
from rbnotes.dynamics import WORLD, State, implicit_euler
from rbnotes.friction import box_friction
from rbnotes.solids import Box
from rbnotes.tree import formats


def swing(t):
    return [np.sin(t)], [np.cos(t)], [-np.sin(t)]


def turn(t, E, phi):
    return np.full(6, np.sin(t)), np.full(6, np.cos(t))


BOX = Box((0.2, 0.4, 0.2))
INERTIA = BOX.spatial_inertia(density=500.0)
AWAY = se3.frame(np.eye(3), [0, 0, -0.5])
LINK = {
    "name": "arm",
    "joint": joints.Revolute((1.0, 0, 0)),
    "inertia": INERTIA,
    "placement": AWAY,
    "body": AWAY,
    "stiffness": 2.0,
    "damping": 0.5,
    "rest": [0.25],
}
LINKS = [
    tree.Link("upper", joints.Revolute((1.0, 0, 0)), INERTIA, body_frame=AWAY),
    tree.Link("lower", joints.Revolute((1.0, 0, 0)), INERTIA, "upper", AWAY, AWAY),
]
TREE = tree.Tree(LINKS)
Q, QDOT, QDDOT = np.array([0.25, -0.5]), np.array([0.5, 0.25]), np.array([1.0, -0.5])
AT, GOING, ALL = {"q": Q}, {"q": Q, "qdot": QDOT}, {"q": Q, "qdot": QDOT, "qddot": QDDOT}
WRENCHES = np.arange(12.0).reshape(2, 6)
SYSTEM = tree.TreeSystem(TREE)
STATE = State(q=Q, qdot=QDOT)
GEAR = tree.Gear("upper", "lower", 0.5)
LIMIT = tree.JointLimit("upper", -1.0, 1.0)
CONSTRAINTS = [GEAR, LIMIT]
CONSTRAINED = {"system": SYSTEM, "constraints": CONSTRAINTS, "state": STATE}
WITH_PARTICLE = tree.TreeSystem(TREE, masses=[0.5])
PARTICLE = tree.AttachedParticle(0, "lower", [0.1, 0, 0])
CARRYING = State(q=Q, qdot=QDOT, x=[[0.0, 0, 0]])
COLLIDERS = [
    Collider(WORLD, Plane(), se3.frame(np.eye(3), [0, 0, -1.5])),
    Collider(1, BOX),
]
POINTS = contact_points(COLLIDERS, tree.poses(TREE, Q).bodies)
FOUR = (
    GEAR,
    LIMIT,
    tree.LoopClosure("lower", [0.0, 0, 0], None, [0.0, 0, -1.0]),
    tree.PrescribedJoint("upper", swing),
    tree.PlaneLimit("lower", [0.0, 0, 0], [0.0, 0, 1.0], -2.0),
)
HYPER = tree.linear_coordinates([[1.0], [0.5]])
SMALL = tree.HyperReducedSystem(SYSTEM, HYPER)
ONE = State(q=[0.25], qdot=[0.5])
ROBOT = formats.load_urdf(formats.example("arm"))
NAMED = next(iter(ROBOT.joints.values()))


NAMES = ("another word",)  # whether a tree has such a link is seen when the constraint meets it


def event(state):
    return state.q[0] - 0.3


CALLS = [
    Call(
        tree.Link, LINK, fine={"name": NAMES, "inertia": ("None",), "placement": ("None",), "body": ("None",)}
    ),
    Call(tree.Tree, {"links": LINKS, "gravity": np.array([0.0, 1.0, -9.81])}),
    Call(TREE.index, {"name": "lower"}),
    Call(TREE.coordinates, {"values": {"lower": [0.5]}, "default": np.zeros(2)}),
    *(
        Call(function, {"tree": TREE, **AT})
        for function in (
            tree.poses,
            tree.jacobian,
            tree.mass_matrix,
            tree.parent_motion_transforms,
            tree.motion_subspaces,
            tree.square_factors,
            tree.factor_matrices,
            tree.gravity_wrenches,
            tree.potential_energy,
        )
    ),
    *(
        Call(function, {"tree": TREE, **GOING})
        for function in (
            tree.twists,
            tree.jacobian_rate,
            tree.body_kinematics,
            tree.bias_acceleration,
            tree.bias_forces,
            tree.gyroscopic_and_gravity_wrenches,
            tree.passive_joint_forces,
            tree.kinetic_energy,
            tree.spatial_momentum,
        )
    ),
    *(
        Call(function, {"tree": TREE, **GOING, "tau": [0.5, 1.0], "wrenches": WRENCHES})
        for function in (
            tree.net_generalized_force,
            tree.forward_dynamics_dense,
            tree.forward_dynamics_derivatives,
            tree.forward_dynamics,
            tree.factored_dynamics,
        )
    ),
    *(
        Call(function, {"tree": TREE, **ALL, "wrenches": WRENCHES})
        for function in (
            tree.inverse_dynamics_dense,
            tree.inverse_dynamics_derivatives,
            tree.inverse_dynamics,
        )
    ),
    Call(
        tree.hybrid_dynamics,
        {"tree": TREE, **GOING, "accelerations": {"lower": [0.5]}, "tau": [0.5, 1.0], "wrenches": WRENCHES},
    ),
    Call(tree.jacobian_product, {"tree": TREE, **AT, "x": [0.5, 1.0]}),
    Call(tree.mass_product, {"tree": TREE, **AT, "x": [0.5, 1.0]}),
    Call(tree.jacobian_rate_product, {"tree": TREE, **GOING, "x": [0.5, 1.0]}),
    Call(tree.jacobian_transpose_product, {"tree": TREE, **AT, "y": WRENCHES}),
    Call(tree.motion_subspace_rates, {"tree": TREE, **GOING}),
    Call(tree.SpatialOperators, {"tree": TREE, **GOING, "wrenches": WRENCHES}),
    Call(tree.SpatialOperators(TREE, **GOING).net_generalized_force, {"tau": [0.5, 1.0]}),
    Call(tree.kinematics_derivatives, {"tree": TREE, **ALL}),
    Call(tree.geometric_stiffness, {"tree": TREE, **AT, "wrenches": WRENCHES}),
    Call(tree.TreeSystem, {"tree": TREE, "masses": [0.5]}, fine={"masses": ("longer",)}),
    *(
        Call(getattr(SYSTEM, name), {"state": STATE})
        for name in (
            "motion",
            "maximal",
            "reduction",
            "acceleration_reduction",
            "mass",
            "force",
            "forces",
            "acceleration",
            "coordinate_constraint_rows",
            "reparametrize",
            "energy",
        )
    ),
    *(
        Call(getattr(SMALL, name), {"state": ONE})
        for name in (
            "expanded",
            "reduction",
            "acceleration_reduction",
            "mass",
            "force",
            "forces",
            "acceleration",
            "energy",
        )
    ),
    Call(SYSTEM.linearized_residual, {"state": STATE, "acceleration": QDDOT}),
    Call(SMALL.linearized_residual, {"state": ONE, "acceleration": [0.5]}),
    Call(SYSTEM.retract, {"state": STATE, "increment": [0.5, 0.25], "h": 0.1}),
    Call(SMALL.retract, {"state": ONE, "increment": [0.5], "h": 0.1}),
    Call(tree.linear_coordinates, {"J": np.array([[1.0], [0.5]]), "offset": [0.5, 0.25]}),
    Call(tree.gear_coordinates, {"tree": TREE, "ratios": {"lower": 1.0, "upper": 0.5}}),
    Call(tree.HyperReducedSystem, {"system": SYSTEM, "coordinates": HYPER}),
    Call(tree.AttachedSystem, {"system": WITH_PARTICLE, "attached": [PARTICLE]}),
    Call(tree.Gear, {"a": "upper", "b": "lower", "ratio": 0.5}, fine={"a": NAMES, "b": NAMES}),
    Call(
        tree.JointLimit,
        {"link": "upper", "lower": -1.0, "upper": 1.0, "coordinate": 0},
        fine={"link": NAMES, "lower": ("minus infinity",), "upper": ("infinity",)},
    ),
    Call(
        tree.LoopClosure,
        {"a": "upper", "x_a": [0.0, 0, 0], "b": "lower", "x_b": [0.0, 0, -1]},
        fine={"a": NAMES, "b": (*NAMES, "None")},
    ),
    Call(
        tree.PlaneLimit,
        {"link": "lower", "x": [0.0, 0, 0], "normal": [0.0, 0.6, 0.8], "offset": -2.0},
        fine={"link": NAMES},
    ),
    Call(
        tree.AttachedParticle,
        {"particle": 0, "link": "lower", "x": [0.1, 0, 0]},
        fine={"link": (*NAMES, "None")},
    ),
    Call(tree.perpendicular_pair, {"axis": np.array([0.0, 0.6, 0.8])}),
    *(Call(each.rows, {"system": SYSTEM, "state": STATE, "t": 0.5}) for each in FOUR),
    Call(PARTICLE.rows, {"system": WITH_PARTICLE, "state": CARRYING, "t": 0.5}),
    Call(tree.constraint_rows, {"system": SYSTEM, "constraint": GEAR, "state": STATE, "t": 0.5}),
    Call(tree.velocity_constraints, {**CONSTRAINED, "h": 0.01, "gamma": 0.5}),
    *(
        Call(function, {**CONSTRAINED, "alpha": 1.0, "beta": 2.0, "method": "pivoting"})
        for function in (tree.constrained_acceleration, tree.constraint_forces)
    ),
    Call(tree.assemble_configuration, {**CONSTRAINED, "constraints": [GEAR], "held": ["upper"]}),
    Call(tree.tree_contacts, {"system": SYSTEM, "state": STATE, "points": POINTS, "h": 0.01, "gamma": 0.5}),
    Call(
        tree.contact_step,
        {
            "scheme": implicit_euler,
            "system": SYSTEM,
            "state": STATE,
            "h": 0.01,
            "colliders": COLLIDERS,
            "constraints": [LIMIT],
            "friction": box_friction,
            "gamma": 0.5,
        },
    ),
    Call(tree.Event, {"function": event, "terminal": True, "direction": 1}),
    Call(
        tree.integrate_adaptively,
        {
            "system": SYSTEM,
            "state": STATE,
            "times": np.array([0.0, 0.01]),
            "events": [tree.Event(event)],
            "rtol": 1e-5,
            "atol": 1e-6,
            "evaluations": 2000,
        },
        fine={"times": ("longer", "shorter")},
        slow=True,
    ),
    Call(formats.example, {"name": "arm"}),
    Call(formats.load_urdf, {"source": formats.example("arm"), "gravity": np.array([0.0, 0, -1.0])}),
    Call(formats.to_urdf, {"robot": ROBOT}),
    Call(formats.to_mjcf, {"robot": ROBOT}),
    Call(tree.prescribed_forces, {**CONSTRAINED, "constraints": [FOUR[3]], "method": "pivoting"}),
    Call(tree.PrescribedJoint, {"link": "upper", "motion": swing}, fine={"link": NAMES}),
    Call(tree.PrescribedJoint("upper", swing).rows, {"system": SYSTEM, "state": STATE, "t": 0.5}),
    Call(tree.PrescribedBody, {"link": "upper", "numbers": [0], "motion": turn}, fine={"link": NAMES}),
    Call(tree.PrescribedBody("upper", [0], turn).rows, {"system": SYSTEM, "state": STATE, "t": 0.5}),
    Call(
        tree.JointCoordinates,
        {field: getattr(HYPER, field) for field in ("size", "q", "jacobian", "jacobian_rate", "drift_slope")},
        fine={"drift_slope": ("None",)},
    ),
    Call(TREE.joint_parameter, {"field": "damping"}),
    Call(ROBOT.joint, {"name": NAMED.name}),
    Call(ROBOT.joint_of_link, {"link": NAMED.link}),
]
