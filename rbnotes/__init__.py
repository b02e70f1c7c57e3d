"""rbnotes: the formulas of three sets of rigid-body dynamics notes, each one checked.

Subpackages
-----------
Each is imported on first use: ``import rbnotes; rbnotes.se3.exp(xi)``.

Geometry and mass::

    so3               rotations: exponential map, logarithm and their Jacobians
    se3               rigid motions: frames, twists and wrenches, adjoints, exponential map
    quaternion        unit quaternions as rotations
    euler             roll, pitch and yaw
    unchecked         the same formulas without argument checks, for inner loops
    inertia           spatial inertia of shapes, meshes and composite bodies
    shapes            solids: inertia, collision geometry, drawing

Motion and forces::

    dynamics          states, systems, time steps, the linear problem of one step, reduction
    forces            tension laws on paths, muscles, frame springs, with exact Jacobians

Constraints, contact, friction::

    constraints       KKT systems, projections, regularization, stabilization
    complementarity   quadratic programs, linear complementarity problems, and their solvers
    contact           collision detection, contact manifolds, contact Jacobians
    friction          friction models on the same contact problem
    attachments       components that follow others, eliminated from the system

Whole systems::

    joints            joint types: transform, motion subspace and its derivatives
    multibody         reduced: trees in joint coordinates; maximal: bodies and a simulator;
                      formats: robot files; packing: models compiled into arrays
    compiled          compiled loops over packed arrays

Checks and figures::

    arguments         argument checks, and the errors they raise
    errors            errors of solvers that do not converge
    testing           numerical derivatives, random rotations, frames and inertias
    ledger            a record for each claim of the notes, checked against an oracle
    coursework        challenges, grading and claim cards
    challenge         check a function against the record of a claim
    card              what a claim says, what to submit, code to paste
    viewer            animated 3-D scenes, and figures

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
  the argument. :mod:`rbnotes.unchecked` holds the same formulas without checks.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbnotes import (
        arguments,
        attachments,
        compiled,
        complementarity,
        constraints,
        contact,
        coursework,
        dynamics,
        errors,
        euler,
        forces,
        friction,
        inertia,
        joints,
        ledger,
        multibody,
        quaternion,
        se3,
        shapes,
        so3,
        testing,
        unchecked,
        viewer,
    )
    from rbnotes.coursework.cards import card
    from rbnotes.coursework.challenge import challenge

__all__ = [
    "__version__",
    "arguments",
    "attachments",
    "card",
    "challenge",
    "compiled",
    "complementarity",
    "constraints",
    "contact",
    "coursework",
    "dynamics",
    "errors",
    "euler",
    "forces",
    "friction",
    "inertia",
    "joints",
    "ledger",
    "multibody",
    "quaternion",
    "se3",
    "shapes",
    "so3",
    "testing",
    "unchecked",
    "viewer",
]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    if name == "card":
        from rbnotes.coursework.cards import card

        return card
    if name == "challenge":
        from rbnotes.coursework.challenge import challenge

        return challenge
    if name in __all__:
        return importlib.import_module(f"rbnotes.{name}")
    raise AttributeError(f"module 'rbnotes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
