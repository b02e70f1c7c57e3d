"""rbnotes: the formulas of three sets of rigid-body dynamics notes, each one checked.

Where to start
--------------
These names cover most uses. Each line runs as it stands here.

Geometry: rotation matrices and 4 x 4 frames, with exponential map and logarithm.

>>> import numpy as np
>>> from rbnotes import quaternion, se3, so3
>>> R = so3.exp([0, 0, 0.5])
>>> so3.log(R).round(6).tolist()
[0.0, 0.0, 0.5]
>>> quaternion.from_rotation(R).round(4).tolist()
[0.9689, 0.0, 0.0, 0.2474]
>>> E = se3.frame(R, [1, 0, 0])
>>> se3.transform_points(se3.inverse(E), [1, 0, 0]).tolist()
[0.0, 0.0, 0.0]
>>> se3.exp(se3.log(E))[:3, 3].round(6).tolist()
[1.0, 0.0, 0.0]
>>> se3.Ad(E).shape
(6, 6)
>>> se3.point_velocity(E, [0, 0, 0], [0, 0, 2, 0, 3, 0]).round(4).tolist()
[-1.4383, 2.6327, 0.0]

Bodies: solids, and their spatial inertia at the center of mass.

>>> from rbnotes import dynamics, inertia, shapes
>>> rod = shapes.Box([0.04, 0.04, 1.0]).spatial_inertia(density=625.0)
>>> rod.diagonal().round(4).tolist()
[0.0835, 0.0835, 0.0003, 1.0, 1.0, 1.0]
>>> disk = inertia.spatial_inertia(2.0, [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.2]])
>>> float(dynamics.kinetic_energy(disk, [0, 0, 3, 1, 0, 0]).round(6))
1.9

Joints and trees: a model in joint coordinates, its kinematics and its dynamics.

>>> from rbnotes import joints
>>> from rbnotes.multibody import formats, reduced
>>> below = se3.frame(R, [0, 0, -0.5])
>>> hinge = joints.Revolute([0, 1, 0])
>>> hip = reduced.Link("thigh", hinge, rod, body_frame=below)
>>> foot = reduced.Link("foot", joints.Prismatic([0, 0, 1]), disk, "thigh")
>>> tree = reduced.Tree([hip, foot])
>>> reduced.poses(tree, [0, -1]).body_poses[1, :3, 3].tolist()
[0.0, 0.0, -1.0]
>>> reduced.mass_matrix(tree, [0, -1]).shape
(2, 2)
>>> qddot = reduced.forward_dynamics(tree, [0.3, -1], [1, 0], tau=[0, 20])
>>> tau = reduced.inverse_dynamics(tree, [0.3, -1], [1, 0], qddot)
>>> bool(np.allclose(tau, [0, 20]))
True
>>> formats.load_urdf(formats.example("arm")).tree.num_coordinates
6

Forces: a tension law along a path through points, with exact stiffness and damping.

>>> from rbnotes import forces
>>> hook, ring = forces.on_world([0, 0, 1]), forces.on_body(0, [0, 0, 0.5])
>>> path = forces.path_through(hook, ring)
>>> law = forces.LinearSpring(100.0, rest_length=0.2)
>>> bungee = forces.ForceGroups([forces.PathForces(law, path)])
>>> poses = se3.frame(np.eye(3), [[0, 0, 0.1]])
>>> at_rest = dynamics.State(E=poses, phi=np.zeros((1, 6)))
>>> bungee(at_rest).f.round(6).tolist()
[0.0, 0.0, 0.0, 0.0, 0.0, 20.0]

Contact and friction: contact points of shapes, complementarity problems, Coulomb friction.

>>> from rbnotes import complementarity, contact, friction
>>> floor = contact.Collider(dynamics.WORLD, shapes.Plane())
>>> colliders = [floor, contact.Collider(0, shapes.Sphere(0.1))]
>>> points = contact.contact_points(colliders, poses)
>>> points.gap.tolist()
[0.0]
>>> lcp = complementarity.LCP([[2.0, 1.0], [1.0, 2.0]], [-5.0, 4.0])
>>> complementarity.solve(lcp).z.tolist()
[2.5, 0.0]
>>> rows = contact.Contacts([[[0, 0, 1], [1, 0, 0], [0, 1, 0]]], mu=0.5)
>>> sliding = dynamics.StepProblem(np.eye(3), [3, 4, -2], contacts=rows)
>>> velocity = friction.semismooth_newton_friction(sliding).velocity
>>> float(np.linalg.norm(velocity).round(6))
4.0

Simulation: a model of bodies, joints and the ground, and its motion.

>>> from rbnotes import Body, Model, simulate
>>> ball = Body("ball", shapes.Sphere(0.1), mass=1.0, position=[0, 0, 0.5])
>>> model = Model([ball], ground=shapes.Plane(), restitution=0.8)
>>> motion = simulate(model, h=0.01, duration=1.0)
>>> motion.poses("ball").shape
(101, 4, 4)
>>> bar = shapes.Box([0.04, 0.04, 1.0])
>>> leg = Body("leg", bar, mass=1.0, joint=hinge, body_frame=below)
>>> pendulum = Model([leg])
>>> start = pendulum.state(q={"leg": 0.3})
>>> swing = simulate(pendulum, start, h=0.05, steps=2, scheme="DOP853")
>>> swing.q("leg").shape
(3, 1)

Ledger and coursework: a claim of the notes, what it says, and whether a function of yours satisfies it.

>>> import rbnotes
>>> record = rbnotes.ledger.find("lloyd/s0.2/d2")
>>> record.title, str(record.verdict)
('Product of two quaternions', 'holds')
>>> rbnotes.challenge(record.id, quaternion.product).passed
True
>>> str(rbnotes.card(record.id)).splitlines()[1]
'Product of two quaternions'
>>> len(rbnotes.ledger.load())
1011

Subpackages
-----------
Each is imported on first use: ``import rbnotes; rbnotes.se3.exp(xi)``.

Geometry and mass::

    so3               rotations: exponential map, logarithm and their Jacobians
    se3               rigid motions: frames, twists, wrenches, adjoints, exponential
    quaternion        unit quaternions as rotations
    euler             roll, pitch and yaw
    unchecked         the same formulas without argument checks, for inner loops
    inertia           spatial inertia of shapes, meshes and composite bodies
    shapes            solids: inertia, collision geometry, drawing

Motion and forces::

    dynamics          states, systems, time steps, their linear problem, reduction
    forces            tension laws on paths, muscles, frame springs; exact Jacobians

Constraints, contact, friction::

    constraints       KKT systems, projections, regularization, stabilization
    complementarity   quadratic programs, linear complementarity problems, solvers
    contact           collision detection, contact manifolds, contact Jacobians
    friction          friction models on the same contact problem
    attachments       components that follow others, eliminated from the system

Whole systems::

    joints            joint types: transform, motion subspace and its derivatives
    multibody         models and their simulation; reduced: trees in joint
                      coordinates; maximal: bodies with joints as constraints;
                      formats: robot files; packing: compiled models
    Body              a body with its shape and its joint
    Model             a scene: bodies, ground, forces, constraints
    simulate          the motion of a model
    compiled          compiled loops over packed arrays

Checks and figures::

    arguments         argument checks, and the errors they raise
    errors            errors of solvers that do not converge
    testing           numerical derivatives, random rotations, frames and inertias
    ledger            a record for each claim of the notes, checked with an oracle
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
    from rbnotes.multibody import Body, Model, simulate

__all__ = [
    "Body",
    "Model",
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
    "simulate",
    "so3",
    "testing",
    "unchecked",
    "viewer",
]
__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    if name == "card":
        from rbnotes.coursework.cards import card

        return card
    if name == "challenge":
        from rbnotes.coursework.challenge import challenge

        return challenge
    if name in ("Body", "Model", "simulate"):
        return getattr(importlib.import_module("rbnotes.multibody"), name)
    if name in __all__:
        return importlib.import_module(f"rbnotes.{name}")
    raise AttributeError(f"module 'rbnotes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
