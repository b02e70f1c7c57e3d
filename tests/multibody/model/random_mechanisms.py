"""Random models with losses, armature, actuators, limits, gears, closed loops and contacts."""

from dataclasses import replace

import numpy as np
from random_trees import body, frame, unit

from rbnotes import joints, se3
from rbnotes.forces import LinearSpring, PathForces, on_body, on_world, path_through
from rbnotes.multibody import Body, Geometry, Model, Motor, PositionServo, VelocityServo
from rbnotes.multibody.model_constraints import constraint_equations
from rbnotes.multibody.reduced import Gear, JointLimit, LoopClosure, PrescribedJoint, mass_matrix
from rbnotes.shapes import Plane, Sphere

KINDS = {
    "Revolute": lambda rng: joints.Revolute(unit(rng)),
    "Prismatic": lambda rng: joints.Prismatic(unit(rng)),
    "Helical": lambda rng: joints.Helical(unit(rng), 0.2),
    "Cylindrical": lambda rng: joints.Cylindrical(),
    "Universal": lambda rng: joints.Universal(),
    "Free2D": lambda rng: joints.Free2D(),
    "EulerSpherical": lambda rng: joints.EulerSpherical("ZYX"),
    "ExponentialSpherical": lambda rng: joints.ExponentialSpherical(),
}
HAVE_FIXED_COORDINATES = set(KINDS) - {"ExponentialSpherical"}
"""Joints that can have actuators and friction."""


HAVE_MANY_MOTIONS = ["Free2D", "EulerSpherical", "ExponentialSpherical"]
"""Joints of a closed loop, which leave it motions."""


def mechanism(seed, *, touches=False, closed=False):
    """Return a branched model of four bodies, its state, and a control; above a floor if it touches.

    If it is closed, a point of one of the bodies follows a point of another one or of the world.
    """
    rng = np.random.default_rng(seed)
    kinds = list(rng.choice(HAVE_MANY_MOTIONS if closed else list(KINDS), 2))
    names, kinds = ["a", "b", "c", "d"], ["Revolute", *kinds, "Revolute"]
    bodies, actuators = [], []
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        joint = KINDS[str(kind)](rng)
        losses = {}
        if kind in HAVE_FIXED_COORDINATES:
            losses = {
                "joint_friction": float(rng.choice([0.0, 0.05])),
                "armature": float(rng.choice([0.0, 0.4])),
            }
            choice = rng.integers(4)
            if choice == 0:
                actuators.append(PositionServo(name, kp=20.0, kd=1.0, target=0.3 * np.ones(joint.num_dofs)))
            elif choice == 1:
                actuators.append(VelocityServo(name, kv=0.5, target=0.4 * np.ones(joint.num_dofs)))
            elif choice == 2:
                actuators.append(Motor(name))
        bodies.append(
            Body(
                name,
                inertia=body(rng),
                joint=joint,
                parent=None if i == 0 else names[rng.integers(i)],
                joint_frame=frame(rng),
                body_frame=frame(rng),
                collision=[Geometry(Sphere(0.2))] if touches else (),
                stiffness=float(rng.choice([0.0, 3.0])),
                damping=float(rng.choice([0.0, 0.2])),
                **losses,
            )
        )
    spring = PathForces(
        LinearSpring(5.0, 0.6, 0.3),
        path_through(on_world(rng.normal(size=3)), on_body("c", rng.normal(size=3))),
    )
    constraints = [
        [
            Gear("a", "d", 1.5),
            JointLimit("d", -2.0, 0.31),
            PrescribedJoint("d", lambda t: (0.3 + t**2, 2 * t, 2.0)),
        ][rng.integers(3)]
    ]
    model = Model(bodies, gravity=3 * unit(rng), forces=spring, constraints=constraints, actuators=actuators)
    q = {each.name: each.joint.neutral + rng.uniform(0.1, 0.5, each.joint.num_dofs) for each in bodies}
    q |= {"a": 0.2, "d": 0.3}
    qdot = {each.name: 0.5 * rng.normal(size=each.joint.num_dofs) for each in bodies}
    qdot |= {"a": 0.2, "d": 0.0 if isinstance(constraints[0], PrescribedJoint) else 0.3}
    state = model.state(q=q, qdot=qdot)
    if closed:
        constraints.append(closure(rng, model, state))
        model = replace(model, constraints=constraints)
        state = with_consistent_velocity(model, state)
    if touches:
        lowest = min(model.body_state(state).E[:, :3, 3] @ -model.gravity)
        up = -model.gravity / np.linalg.norm(model.gravity)
        pose = se3.frame(plane_rotation(up), (lowest / np.linalg.norm(model.gravity) - 0.201) * up)
        model = replace(model, ground=[Geometry(Plane(), pose)], mu=0.3)
    driven = [each.body for each in actuators if isinstance(each, Motor)]
    sizes = {each.name: each.joint.num_dofs for each in bodies}

    def control(state):
        force = 0.4 * np.cos(3 * state.t) - 0.1 * state.qdot[0]
        return {name: np.full(sizes[name], force) for name in driven}

    return model, state, control


HAVE_CONSTANT_ROWS = {
    **{
        name: KINDS[name]
        for name in ("Revolute", "Prismatic", "Cylindrical", "Free2D", "ExponentialSpherical")
    },
    "PlanarTranslation": lambda rng: joints.PlanarTranslation(),
    "Translational": lambda rng: joints.Translational(),
    "Fixed": lambda rng: joints.Fixed(),
}
"""Joints that compiled steps support, without those whose mass matrices are singular."""


def packable_mechanism(seed):
    """Return a branched model beside a free body that compiled steps support, and its state.

    It has springs between bodies, contacts above a floor in two of three models, some of which are elastic,
    and a closed loop in every second one.
    """
    rng = np.random.default_rng(seed)
    closed, touches = seed % 2 == 0, seed % 3 != 0
    kinds = [str(each) for each in rng.choice(list(HAVE_CONSTANT_ROWS), 4)]
    if closed:
        kinds[1:3] = [str(each) for each in rng.choice(["Free2D", "ExponentialSpherical"], 2)]
    names = ["a", "b", "c", "d"]
    collision = [Geometry(Sphere(0.2))] if touches else ()
    bodies = [
        Body(
            name,
            inertia=body(rng),
            joint=HAVE_CONSTANT_ROWS[kind](rng),
            parent=None if i == 0 else names[rng.integers(i)],
            joint_frame=frame(rng),
            body_frame=frame(rng),
            collision=collision,
        )
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    bodies.append(Body("stone", inertia=body(rng), pose=frame(rng), collision=collision))
    springs = [
        PathForces(
            LinearSpring(rng.uniform(5, 20), 0.6, 0.3),
            path_through(start, on_body(str(end), rng.normal(size=3))),
        )
        for start, end in (
            (on_world(rng.normal(size=3)), rng.choice(names)),
            (on_body("stone", rng.normal(size=3)), rng.choice(names)),
        )
    ]
    model = Model(bodies, gravity=3 * unit(rng), forces=springs, mu=0.4, restitution=0.5 * (seed % 5 == 0))
    q, qdot = {}, {}
    for each in bodies[:-1]:
        q[each.name] = each.joint.neutral + 0.4 * rng.uniform(-1, 1, each.joint.num_coordinates)
        qdot[each.name] = 0.5 * rng.normal(size=each.joint.num_coordinates)
    state = model.state(q=q, qdot=qdot, twists={"stone": 0.5 * rng.normal(size=6)})
    if closed:
        loop = closure(rng, model, state)
        model = replace(model, constraints=[replace(loop, axis=None)])
    state = with_consistent_velocity(model, state)
    if touches:
        g = np.linalg.norm(model.gravity)
        up = -model.gravity / g
        lowest = min(model.body_state(state).E[:, :3, 3] @ up)
        pose = se3.frame(plane_rotation(up), (lowest - 0.2005) * up)
        model = replace(model, ground=[Geometry(Plane(), pose)])
    return model, state


def closure(rng, model, state):
    """A loop closure between the bodies b or c and the body a or the world, which a state satisfies."""
    first, second = str(rng.choice(["b", "c"])), [None, "a"][rng.integers(2)]
    E = model.body_state(state).E
    point = rng.normal(size=3)
    closure_point = E[model.index(first)] @ np.append(point, 1.0)
    if second is not None:
        closure_point = np.linalg.solve(E[model.index(second)], closure_point)
    axis = [None, unit(rng)][rng.integers(2)]
    return LoopClosure(first, point, second, closure_point[:3], axis)


def with_consistent_velocity(model, state):
    """The state with the nearest velocities, in the norm of the masses, that satisfy the equations."""
    tree_state = model.tree_state(state)
    equations = constraint_equations(model, tree_state, state.t)
    mass = mass_matrix(model.tree, tree_state.q)
    responses = np.linalg.solve(mass, equations.G.T)
    error = equations.G @ tree_state.qdot + equations.bias_velocity
    impulse = np.linalg.pinv(equations.G @ responses, rcond=1e-10) @ error
    return model.state_from_tree(tree_state.with_velocity(tree_state.qdot - responses @ impulse))


def plane_rotation(normal):
    """Return the rotation whose third axis is the normal."""
    first = np.cross(normal, [1.0, 0.3, -0.2])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])
