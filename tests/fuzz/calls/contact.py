"""Shapes that touch, contacts and their rows, and friction models on them."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import contact, friction, se3, shapes
from rbnotes.contact.prediction import normal_velocity_targets
from rbnotes.dynamics import WORLD, StepProblem
from rbnotes.shapes import Box, Sphere

BOX, BALL = Box((0.2, 0.4, 0.2)), Sphere(0.1)
COLLIDERS = [contact.Collider(WORLD, shapes.Plane()), contact.Collider(0, BOX), contact.Collider(1, BALL)]
POSES = np.stack([se3.exp([0, 0, 0.3, 0, 0, 0.05]), se3.exp([0, 0, 0, 1, 0, 0.09])])
TWISTS = np.array([[0.1, 0.2, 0.3, 0.5, 0, -0.5], [0.1, 0.0, 0.3, 0.5, 0.25, -0.5]])
POINTS = contact.contact_points(COLLIDERS, POSES)
ROWS = contact.contact_jacobian(POINTS, POSES)
COUNT = len(POINTS)
GRAVITY = np.array([0.0, 0.0, -9.81])
MASSES = np.kron(np.diag([1.0, 2.0]), np.diag([0.1, 0.1, 0.1, 1.0, 1.0, 1.0]))
CONTACTS = contact.Contacts(ROWS, 0.5, 0.0)
GROUND = contact.Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=0.5)
SLIDING = StepProblem(mass=np.diag([1.0, 1.0, 1.0]), momentum=[3.0, 4.0, -2.0], contacts=GROUND)
SOLUTION = friction.box_friction(SLIDING)
IMPULSE, SPEED = np.array([2.0, -0.6, -0.8]), np.array([0.0, 2.4, 3.2])
SPACE = friction.friction_contact_problem(SLIDING)

CALLS = [
    Call(
        contact.Contacts,
        {"rows": np.ones((2, 3, 4)), "mu": np.array([0.5, 0.25]), "normal_target": np.array([0.0, -1.0])},
        fine={"rows": ("longer", "shorter"), "mu": ("infinity",)},
    ),
    Call(
        contact.Contacts.from_directions,
        {"normals": np.eye(3)[:1], "tangents": np.eye(3)[None, 1:], "mu": 0.5, "normal_target": 0.0},
        fine={"normals": ("sparse",), "mu": ("infinity",)},
    ),
    Call(contact.contact_jacobian, {"points": POINTS, "poses": POSES}),
    Call(contact.normal_jacobian, {"points": POINTS, "poses": POSES}),
    Call(contact.contact_axes, {"normals": np.array([0.6, 0.0, 0.8])}),
    Call(contact.tangent_directions, {"normals": np.array([0.6, 0.0, 0.8])}),
    Call(
        contact.Collider,
        {"body": 1, "shape": BOX, "frame": np.eye(4), "mu": 0.5, "restitution": 0.5},
        fine={"mu": ("infinity",)},
    ),
    Call(
        contact.collide,
        {"shape_a": BOX, "pose_a": POSES[0], "shape_b": BALL, "pose_b": POSES[1], "margin": 2.0},
    ),
    Call(
        contact.contact_points,
        {"colliders": COLLIDERS, "poses": POSES, "margin": 0.01, "excluded_pairs": [(0, 1)]},
    ),
    Call(
        contact.predict_contacts,
        {
            "colliders": COLLIDERS,
            "poses": POSES,
            "twists": TWISTS,
            "h": 0.01,
            "gravity": GRAVITY,
            "excluded_pairs": [(0, 1)],
        },
    ),
    Call(
        normal_velocity_targets,
        {"points": POINTS, "normal_velocities": np.linspace(-1, 0, COUNT), "h": 0.01, "gravity": GRAVITY},
    ),
    Call(
        contact.BodyPairJacobian,
        {
            "a": np.array([0, 1]),
            "b": np.array([1, 0]),
            "block_a": np.ones((2, 3, 6)),
            "block_b": np.ones((2, 3, 6)),
            "num_bodies": 2,
        },
    ),
    Call(ROWS.toarray),
    Call(ROWS.delassus_matrix, {"inverse_masses": np.stack([np.eye(6), np.eye(6)])}),
    *(
        Call(function, {"problem": SLIDING, "facets": 6})
        for function in (
            friction.friction_lcp,
            friction.anitescu_stewart,
            friction.primal_qp,
            friction.dual_qp,
        )
    ),
    Call(
        friction.box_friction,
        {
            "problem": SLIDING,
            "normal_estimate": np.array([1.0]),
            "max_updates": 2,
            "tolerance": 1e-6,
            "solver": "own",
        },
    ),
    Call(friction.friction_contact_problem, {"problem": SLIDING}),
    Call(SPACE.velocities_from_solution, {"solution": SOLUTION}),
    Call(SPACE.impulses_from_solution, {"solution": SOLUTION}),
    Call(
        friction.socp_fixed_point_friction,
        {"problem": SLIDING, "tolerance": 1e-5, "max_programs": 20, "solver": "cvxpy"},
        slow=True,
    ),
    Call(friction.facet_directions, {"facets": 6}),
    Call(
        friction.gauss_seidel_friction,
        {
            "problem": SLIDING,
            "cone": "disc",
            "initial_guess": IMPULSE[None],
            "tolerance": 1e-6,
            "max_sweeps": 100,
        },
    ),
    Call(friction.project_on_cone, {"impulses": IMPULSE, "mu": 0.5}),
    Call(
        friction.natural_residual,
        {"problem": SLIDING, "impulses": IMPULSE[None], "velocities": SPEED[None], "cone": "disc"},
    ),
    Call(friction.coulomb_residuals, {"problem": SLIDING, "solution": SOLUTION, "cone": "box", "facets": 6}),
    Call(
        friction.single_qp,
        {"problem": SLIDING, "facets": 6, "form": "primal", "solver": "own"},
    ),
]
