"""Linear-time algorithms for trees, joint reactions, and friction in joints."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import friction, joints, se3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import examples
from rbnotes.shapes import Box, Plane

BOX = Box((0.2, 0.4, 0.2))
INERTIA = BOX.spatial_inertia(density=500.0)
AWAY = se3.frame(np.eye(3), [0, 0, -0.5])
TREE = reduced.Tree(
    [
        reduced.Link("upper", joints.Revolute((1.0, 0, 0)), INERTIA, body_frame=AWAY, stiffness=2.0),
        reduced.Link("lower", joints.Revolute((1.0, 0, 0)), INERTIA, "upper", AWAY, AWAY, damping=0.5),
    ]
)
Q, VELOCITY = np.array([0.25, -0.5]), np.array([0.5, 0.25])
STATE = State(q=Q, qdot=VELOCITY)
SIDES = np.array([1.0, 2.0])
WRENCHES = np.arange(12.0).reshape(2, 6)
BEND = reduced.JointLimit("lower", -0.5, 1.0)
CONSTRAINTS = [reduced.Gear("upper", "lower", 0.5), BEND]
CLOSURE = reduced.LoopClosure("lower", [0.0, 0, 0], None, [0.0, 0, -1.0])
HINGES = {"upper": friction.journal_bearing(0.05, 0.2, 0.25, axis=[1.0, 0, 0])}
COLLIDERS = [Collider(WORLD, Plane(), se3.frame(np.eye(3), [0, 0, -3.0])), Collider(1, BOX)]
FACTORED = reduced.factor_mass_matrix(TREE, Q)
STEPPED = reduced.step_preconditioner(TREE, STATE, 0.01)
AT_ONCE = {"tree": TREE, "constraints": CONSTRAINTS, "state": STATE, "alpha": 1.0, "beta": 2.0}
PROBLEM = reduced.dual_problem(**AT_ONCE)
BEARING_INPUTS = {
    "tree": TREE,
    "state": STATE,
    "h": 0.01,
    "bearings": HINGES,
    "constraints": [BEND],
    "colliders": COLLIDERS,
}

CALLS = [
    Call(
        reduced.factor_mass_matrix,
        {
            "tree": TREE,
            "q": Q,
            "joint_terms": np.array([0.5, 0.25]),
            "body_terms": np.stack([INERTIA, INERTIA]),
            "parent_terms": np.full((2, 2, 6, 6), 0.125),
            "locked": ["upper"],
        },
        fine=dict.fromkeys(("body_terms", "parent_terms"), ("a row", "twice")),
        # Leading axes are a field of the result: stacks of it are not what it is for one.
        skip={name: ("a row", "twice") for name in ("q", "bodies", "parents")},
    ),
    Call(FACTORED.solve, {"x": SIDES}),
    Call(FACTORED.matrix),
    Call(reduced.inverse_mass_product, {"tree": TREE, "q": Q, "x": SIDES}),
    Call(reduced.inverse_mass_matrix, {"tree": TREE, "q": Q}),
    Call(reduced.step_operator, {"tree": TREE, "state": STATE, "h": 0.01}),
    Call(reduced.step_preconditioner, {"tree": TREE, "state": STATE, "h": 0.01}),
    Call(STEPPED.solve, {"x": SIDES}),
    Call(reduced.dual_problem, AT_ONCE),
    Call(reduced.dual_acceleration, {**AT_ONCE, "method": "principal_pivoting"}),
    Call(PROBLEM.multipliers, {"method": "principal_pivoting"}),
    Call(PROBLEM.acceleration, {"multipliers": np.array([0.5])}),
    Call(reduced.constraint_body_jacobian, {"tree": TREE, "constraint": CLOSURE, "state": STATE}),
    Call(reduced.joint_transmitted_wrenches, {"tree": TREE, "q": Q, "wrenches": WRENCHES}),
    Call(
        reduced.body_constraint_impulses,
        {"tree": TREE, "state": STATE, "velocity": VELOCITY, "h": 0.01, "implicit": True},
    ),
    Call(
        reduced.bisp_step,
        {
            **BEARING_INPUTS,
            "cone": "pyramid",
            "facets": 6,
            "gamma": 0.5,
            "excluded_pairs": [(0, 1)],
            "initial_guess": reduced.bisp_step(**BEARING_INPUTS),
            "tolerance": 1e-8,
            "max_iterations": 50,
            "solver": "own",
        },
    ),
    Call(examples.revolute_chain, {"count": 3}),
    Call(examples.torus_chain, {"count": 2}, slow=True),
    Call(examples.sliding_chain, {"count": 2}, slow=True),
    Call(examples.windmill, slow=True),
    Call(examples.board, slow=True),
]
