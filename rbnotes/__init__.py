"""rbnotes: the formulas of three sets of rigid-body dynamics notes, each one checked.

Rooms of the package
--------------------
Each is imported when it is first used: ``import rbnotes; rbnotes.se3.exp(xi)``.

Geometry and mass::

    so3               rotations: exponential map, logarithm and their Jacobians
    se3               rigid motions: frames, twists and wrenches, adjoints, exponential map
    quaternion        unit quaternions as rotations
    euler             roll, pitch and yaw
    inertia           spatial inertia of shapes, meshes and composite bodies
    solids            one shape: its inertia, its collider, its drawing

Motion and forces::

    dynamics          states, systems, time steps, the problem of one step, reduction
    forces            tension laws on paths, muscles, frame springs, with exact Jacobians

Constraints, contact, friction::

    constraints       KKT systems, projections, regularisation, stabilisation
    complementarity   quadratic programs and linear complementarity problems, and their solvers
    contact           shapes that touch: distances, manifolds, rows of contacts
    friction          friction models, side by side on the same contacts
    attachments       components that move with others, eliminated from the system

Whole systems::

    joints            every type of joint, written once: its motion and its Jacobians
    tree              bodies on joints, in reduced coordinates: kinematics and dynamics
    kernels           the recursions of trees, compiled: one state or many at once
    maximal           bodies with six coordinates each: joints, contact, a simulator

Checks and pictures::

    arguments         checks of arguments, and the errors they raise
    errors            what solvers raise that do not get to an answer
    checking          numerical derivatives and random rotations, frames, inertias
    ledger            a record for each claim of the notes, run against an oracle
    challenge         checks your own function against the record of a claim
    grading           grades what a class handed in, each submission in a process of its own
    card              what a claim says, what to hand in, code to paste
    viewer            3-D scenes that play, and figures

Conventions, everywhere in the package
--------------------------------------
* Numbers are float64, angles radians, units SI unless a data set says otherwise.
* Functions broadcast over leading axes: vectors are ``(..., 3)``, frames ``(..., 4, 4)``.
* ``R_ab`` and ``E_ab`` are the orientation and the pose of frame *b* seen from frame *a*:
  they take coordinates in *b* to coordinates in *a*.
* A twist is ``(omega, v)`` and a wrench ``(torque, force)``: six numbers, angular part first,
  written in the body frame, so that ``dE/dt = E [twist]``.
* Quaternions are ``(scalar, vector)``.
* Stiffness and damping are plain derivatives of the force: ``K = +df/dq``, ``D = +df/dv``.
  On SE(3) a derivative is taken along body-frame increments, ``E exp([xi])``.
* If ``J`` maps velocities, ``J.T`` maps forces back.
* Contact normals push: ``N v >= 0`` separates, and an impulse that pushes is positive.
* Public functions check their arguments, once, and raise an error of ``rbnotes.arguments`` that names
  the argument. Modules whose name begins with an underscore hold formulas that check nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbnotes import (
        arguments,
        attachments,
        checking,
        complementarity,
        constraints,
        contact,
        dynamics,
        errors,
        euler,
        forces,
        friction,
        grading,
        inertia,
        joints,
        kernels,
        ledger,
        maximal,
        quaternion,
        se3,
        so3,
        solids,
        tree,
        viewer,
    )
    from rbnotes.cards import card
    from rbnotes.challenge.challenging import challenge

__all__ = [
    "__version__",
    "arguments",
    "attachments",
    "card",
    "challenge",
    "checking",
    "complementarity",
    "constraints",
    "contact",
    "dynamics",
    "errors",
    "euler",
    "forces",
    "friction",
    "grading",
    "inertia",
    "joints",
    "kernels",
    "ledger",
    "maximal",
    "quaternion",
    "se3",
    "so3",
    "solids",
    "tree",
    "viewer",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "card":
        from rbnotes.cards import card

        return card
    if name in __all__:
        return importlib.import_module(f"rbnotes.{name}")
    raise AttributeError(f"module 'rbnotes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
