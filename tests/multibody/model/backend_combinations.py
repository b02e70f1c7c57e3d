"""Small models with one feature each, and what every backend of ``simulate`` makes of them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from model_parts import parallelogram, shift

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
from rbnotes.multibody import Body, Geometry, Model, Motor, PositionServo, VelocityServo, simulate
from rbnotes.multibody.maximal import MaximalTrajectory
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointLimit,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
    Weld,
)
from rbnotes.shapes import Box, Capsule, Plane, RoundedBox, Sphere

BACKENDS = {
    "reduced": {"coordinates": "reduced"},
    "maximal": {"coordinates": "maximal"},
    "compiled": {"coordinates": "maximal", "compiled": True},
}
H, STEPS = 0.005, 20
TIP_POINT = [0, 0, -0.05]
"""Point of the tip to which a particle is attached."""
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


def swinging(joint=None, q=(0.4,), **options):
    """Return two links: one on the joint, the other on a hinge.

    Options with names of Body belong to the first.
    """
    body_options = {
        name: options.pop(name)
        for name in ("stiffness", "damping", "armature", "joint_friction")
        if name in options
    }
    arm = Body(
        "arm",
        Capsule(0.05, 0.2),
        mass=2.0,
        joint=joints.Revolute([0, 0.8, 0.6]) if joint is None else joint,
        joint_frame=shift(0, 0, 1),
        body_frame=shift(0.05, 0, -0.2),
        **body_options,
    )
    tip = Body(
        "tip",
        Box([0.1, 0.1, 0.1]),
        mass=0.7,
        joint=joints.Revolute([1, 0, 0]),
        parent="arm",
        joint_frame=shift(0, 0, -0.4),
        body_frame=shift(0, 0.05, -0.1),
    )
    model = Model([arm, tip], **options)
    return model, model.state(q={"arm": q, "tip": 0.3}), {}


def boxes(**options):
    """Return two boxes that fall on the floor, and a ball."""
    call = {name: options.pop(name) for name in ("impacts", "friction_model") if name in options}
    bodies = [
        Body("lower", Box([0.2, 0.2, 0.2]), mass=1.0, position=[0, 0, 0.12]),
        Body("upper", Box([0.1, 0.1, 0.1]), mass=0.5, position=[0.02, 0, 0.3]),
        Body("ball", Sphere(0.1), mass=1.0, position=[1, 0, 0.13]),
    ]
    model = Model(bodies, ground=Plane(), **options)
    return model, model.state(twists={"ball": [0, 0, 0, 1.0, 0, -1.0]}), call


def rotors(constraint):
    """Return two rotors on hinges."""
    pair = [
        Body(
            name,
            Sphere(0.1),
            mass=1.0,
            joint=joints.Revolute([0, 1, 0]),
            joint_frame=shift(x, 0, 1),
            body_frame=shift(0.1, 0, 0),
        )
        for name, x in (("a", 0.0), ("b", 1.0))
    ]
    model = Model(pair, constraints=[constraint])
    return model, model.state(), {}


def welded():
    """Return an arm on a hinge, and a free body that is welded to its tip."""
    hinge = joints.Revolute([0, 0.8, 0.6])
    arm = Body("arm", Box([0.3, 0.05, 0.05]), mass=1.0, joint=hinge, body_frame=shift(0.15, 0, 0))
    load = Body("load", Box([0.1, 0.2, 0.1]), mass=2.0, position=[0.2, 0, 0])
    model = Model([arm, load], constraints=[Weld("arm", shift(0.1, 0, 0), "load", shift(0.05, 0, 0))])
    return model, model.state(), {}


def four_bar():
    """Return a parallelogram with a loop closure."""
    bodies, closure = parallelogram()
    model = Model(bodies, constraints=[closure])
    return model, model.state(q={"left": 0.4, "coupler": -0.4, "right": 0.4}), {}


def point_mass():
    """Return a body without a shape on a spring, and a bar."""
    bead = Body("bead", mass=0.5, joint=joints.Translational(), joint_frame=shift(0, 0, 1))
    bar = Body("bar", Box([0.3, 0.1, 0.1]), mass=1.0, joint=joints.Revolute([0, 1, 0]))
    ends = path_through(on_body("bead", [0, 0, 0]), on_body("bar", [0.15, 0, 0]))
    model = Model([bead, bar], forces=PathForces(LinearSpring(30.0, 1.0, 0.2), ends))
    return model, model.state(), {}


def particles(*constraints):
    """Return two particles on springs between the world and the tip of two links."""
    ends = [on_world([1.0, 0, 0.5]), on_particle(0), on_particle(1), on_body("tip", [0, 0, 0])]
    springs = [PathForces(LinearSpring(30.0, 0.3, 0.2), path_through(*pair)) for pair in pairwise(ends)]
    links, state, call = swinging()
    model = replace(links, particles=[0.2, 0.3], forces=springs, constraints=constraints)
    point = se3.transform_points(links.body_state(state).E[1], TIP_POINT)
    return model, replace(state, x=[[0.7, 0, 0.5], point], v=np.zeros((2, 3))), call


def muscle():
    return PathForces(
        LinearSpring(30.0, 1.0, 0.2), path_through(on_world([1.0, 0, 0]), on_body("tip", [0, 0, 0]))
    )


FEATURES = {
    "free bodies with contact": boxes,
    "restitution": lambda: boxes(restitution=0.6),
    "sequential impacts": lambda: boxes(restitution=0.6, impacts="sequential"),
    "rounded boxes": lambda: (
        model := Model(
            [Body("box", RoundedBox([0.2, 0.2, 0.2], 0.02), mass=1.0, position=[0, 0, 0.15])], ground=Plane()
        ),
        model.state(),
        {},
    ),
    **{
        f"friction model {name}": (lambda name=name: boxes(friction_model=name))
        for name in sorted(FRICTION_MODELS)
    },
    **{f"joint {name}": (lambda joint=joint, q=q: swinging(joint, q)) for name, (joint, q) in JOINTS.items()},
    "joints with contact": lambda: swinging(ground=[Geometry(Plane(), shift(0, 0, 0.511))], q=(0.7,)),
    "joint spring": lambda: swinging(stiffness=5.0),
    "joint damper": lambda: swinging(damping=0.5),
    "armature": lambda: swinging(armature=0.3),
    "dry friction in a joint": lambda: swinging(joint_friction=0.5),
    "bearing": lambda: swinging(
        joints.Revolute([0, 1, 0]), bearings={"arm": journal_bearing(0.03, 0.05, 0.3, axis=[0, 1, 0])}
    ),
    "motor": lambda: swinging(actuators=[Motor("arm", force_limit=1.0)]),
    "position servo": lambda: swinging(actuators=[PositionServo("arm", kp=50.0, kd=2.0)]),
    "velocity servo": lambda: swinging(actuators=[VelocityServo("arm", kv=2.0, target=1.0)]),
    "control": lambda: (*swinging()[:2], {"control": lambda state: {"arm": 1.0}}),
    "commands in arrays": lambda: (*swinging()[:2], {"control": np.linspace([0, 0], [1, 0.5], STEPS + 1)}),
    "spring between bodies": lambda: swinging(forces=muscle()),
    "joint limit": lambda: rotors(JointLimit("a", -0.5, 0.02)),
    "limit by a plane": lambda: rotors(PlaneLimit("a", [0, 0, 0], [0, 0, 1.0], 0.99)),
    "limit of a rotation": lambda: swinging(
        joints.ExponentialSpherical(), (0.3, 0.2, -0.4), constraints=[RotationLimit("arm", 0.55)]
    ),
    "weld": welded,
    "point mass on a joint": point_mass,
    "particles": particles,
    "attached particle": lambda: particles(AttachedParticle(1, "tip", TIP_POINT)),
    "gear": lambda: rotors(Gear("a", "b", -2.0)),
    "prescribed body": lambda: (
        *swinging(constraints=[PrescribedBody("tip", [0], lambda t, E, phi: (0 * phi, 0 * phi))])[:2],
        {"scheme": symplectic_euler},
    ),
    "prescribed joint": lambda: rotors(PrescribedJoint("a", lambda t: (t**2, 2 * t, 2.0))),
    "loop closure": four_bar,
    "scheme of SciPy": lambda: (*swinging()[:2], {"scheme": "DOP853"}),
    "scheme of first order": lambda: (*boxes()[:2], {"scheme": symplectic_euler}),
    "implicit scheme": lambda: (*swinging()[:2], {"scheme": implicit_euler}),
    "fully implicit scheme": lambda: (*swinging()[:2], {"scheme": fully_implicit_euler}),
    "scheme of free bodies": lambda: (*boxes()[:2], {"scheme": momentum_conserving_euler}),
    "Baumgarte stabilization": lambda: (*boxes()[:2], {"stabilization": "baumgarte"}),
    "no stabilization": lambda: (*boxes()[:2], {"stabilization": "none"}),
}


def end_positions(scene, feature, backend):
    """Return the positions of all bodies at the end of a run."""
    model, state, call = scene
    motion = simulate(model, state, h=H, steps=STEPS, **call, **BACKENDS[backend])
    assert (motion.maximal is None) == (backend == "reduced")
    assert motion.compiled == (backend == "compiled")
    assert "contact" not in feature or any(np.any(record.impulses) for record in motion.contacts)
    assert motion.maximal is None or isinstance(motion.maximal, MaximalTrajectory)
    change = motion.energies[-1] - motion.energies[0]
    np.testing.assert_allclose(np.sum(motion.work.total), change, rtol=1e-8, atol=1e-10)
    return motion.body_states.E[-1, :, :3, 3]


def outcome(feature, backend):
    """Return ``"runs"`` or the refused argument, and the positions at the end or None."""
    scene = FEATURES[feature]()
    try:
        return "runs", end_positions(scene, feature, backend)
    except InvalidArgument as error:
        return f"refused: {error.name}", None
