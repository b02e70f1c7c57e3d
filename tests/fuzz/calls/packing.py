"""Compiled recursions of a tree."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints, se3
from rbnotes.multibody import packing, reduced
from rbnotes.shapes import Box

AWAY = se3.frame(np.eye(3), [0, 0, -0.5])
INERTIA = Box((0.2, 0.4, 0.2)).spatial_inertia(density=500.0)
TREE = reduced.Tree(
    [
        reduced.Link("upper", joints.Revolute((1.0, 0, 0)), INERTIA, body_frame=AWAY, stiffness=2.0),
        reduced.Link("lower", joints.Universal(), INERTIA, "upper", AWAY, AWAY),
    ]
)
AT = {"q": np.array([0.25, -0.5, 0.5])}
GOING = {**AT, "qdot": np.array([0.5, 0.25, -1.0])}
ALONG = np.array([1.0, -0.5, 0.25])
WRENCHES = np.arange(12.0).reshape(2, 6)
COMPILED = packing.compile(TREE)

CALLS = [
    Call(packing.compile, {"model": TREE}),
    Call(packing.CompiledTree, {"tree": TREE}),
    Call(COMPILED.forward_dynamics, {**GOING, "tau": ALONG, "wrenches": WRENCHES}),
    Call(COMPILED.forward_dynamics, {**GOING, "tau": ALONG}),
    Call(COMPILED.inverse_dynamics, {**GOING, "qddot": ALONG, "wrenches": WRENCHES}),
    Call(COMPILED.inverse_dynamics, {**GOING, "qddot": ALONG}),
    Call(
        COMPILED.hybrid_dynamics,
        {**GOING, "accelerations": {"lower": [0.5, 0.25]}, "tau": ALONG, "wrenches": WRENCHES},
    ),
    Call(COMPILED.inverse_dynamics_derivatives, {**GOING, "qddot": ALONG, "wrenches": WRENCHES}),
    Call(COMPILED.forward_dynamics_derivatives, {**GOING, "tau": ALONG, "wrenches": WRENCHES}),
    Call(COMPILED.inverse_mass_product, {**AT, "x": ALONG}),
    Call(COMPILED.mass_product, {**AT, "x": ALONG}),
    Call(COMPILED.jacobian_product, {**AT, "x": ALONG}),
    Call(COMPILED.bias_acceleration, GOING),
    Call(COMPILED.bias_forces, GOING),
    Call(COMPILED.jacobian_transpose_product, {**AT, "y": WRENCHES}),
]
