"""The RedMax reference scenes as models: a reader of a few lines for each of their features.

The scenes are data: bodies, joints, constraints, forces, controls and the energies that Sueda's MATLAB
reference implementation ends with. What that implementation leaves out of its implicit steps is left out
here too: how pulls and the springs of deformables change, the antisymmetric part of a spring's stiffness, and
that the directions of a loop turn. The angle of a prescribed joint is compared with that of the step's end.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rbnotes import forces, inertia, joints, se3, so3
from rbnotes.dynamics import Forces, State, implicit_euler
from rbnotes.multibody import Body, Model, kinetic_energy, potential_energy, simulate
from rbnotes.multibody.reduced import Gear, LoopClosure, PrescribedBody, PrescribedJoint

FILE = Path(__file__).parent / "redmax" / "scenes.json"
SCHEME = "REDMAX_EULER"


def load():
    """Return the scenes by name."""
    return {f"{s['id']}: {s['name']}": s for s in json.loads(FILE.read_text())["scenes"]}


class Scene(NamedTuple):
    """Scene of the reference.

    Attributes
    ----------
    model, start
        Bodies, and their initial state.
    options
        Options of `simulate`.
    stored
        Forces whose potential is part of the energy.
    """

    model: Model
    start: State
    options: dict
    stored: forces.ForceGroups

    def run(self):
        """Return the trajectory of the reference's scheme, linearly implicit Euler with stabilization."""
        return simulate(
            self.model,
            self.start,
            scheme=implicit_euler,
            stabilization="baumgarte",
            coordinates="reduced",
            **self.options,
        )


def read(scene):
    run = scene["run"][SCHEME]
    h = run["h"]
    bodies = [body(*each) for each in zip(scene["bodies"], scene["joints"], strict=True)]
    springs = [point_spring(each) for each in scene["springs"] if each["kind"] == "point_point"]
    pulls = [pull(each) for each in scene["springs"] if each["kind"] == "point_direction"]
    dampers = [forces.Damping([each["damping"] for each in scene["bodies"]], np.arange(len(bodies)))]
    q0, qdot0 = (
        {name(each["child"]): np.ravel(each[key]) for each in scene["joints"] if np.size(each[key])}
        for key in ("q0", "qdot0")
    )
    links = Model(bodies)
    particles, chains, closures = deformables(scene["deformables"], links.body_state(links.state(q=q0)).E)

    def applied_forces(state):
        spring, chain, pulled, damper = (
            forces.ForceGroups(groups)(state) for groups in (springs, chains, pulls, dampers)
        )
        spring = spring._replace(K=(spring.K + spring.K.T) / 2)
        return spring + Forces.without_derivatives(chain.f + pulled.f) + damper

    constraints = [
        CONSTRAINTS[each["kind"]](each, scene, h)
        for each in scene["constraints"]
        if SCHEME in each.get("integrators", [SCHEME])
    ]
    model = Model(
        [*bodies, *particles],
        gravity=scene["gravity"],
        forces=applied_forces,
        constraints=constraints + closures,
    )
    assert [each.name for each in model.bodies[: len(bodies)]] == [each.name for each in bodies]
    options = {"h": h, "steps": run["steps"], "gamma": run["baumgarte"][2]}
    torque = joint_torque(scene["control"] or {}, model.tree.num_coordinates, h)
    if torque is not None:
        options["control"] = torque
    return Scene(model, model.state(q=q0, qdot=qdot0), options, forces.ForceGroups(springs + chains))


def final_energy(scene):
    """Return the kinetic and potential energy at the end, without the potential energy at the start."""
    model, motion = replace(scene.model, forces=scene.stored), scene.run()
    end = motion.states[-1]
    return kinetic_energy(model, end) + potential_energy(model, end) - potential_energy(model, scene.start)


def name(index):
    return None if index is None else f"body {index}"


def frame(transform):
    if transform is None:
        return np.eye(4)
    turn = transform.get("rot", {"axis": [0.0, 0.0, 1.0], "angle": 0.0})
    return se3.frame(so3.exp(turn["angle"] * unit(turn["axis"])), np.array(transform["p"]))


def unit(axis):
    return np.array(axis) / np.linalg.norm(axis)


def body(solid, joint):
    properties = SOLIDS[solid["kind"]](solid)
    if solid["kind"] == "mesh":
        principal_frame = inertia.principal_frame(properties)
        M = np.diag([*principal_frame.moments, *[properties.mass] * 3])
        place = frame(solid["obj_frame_transform"]) @ principal_frame.E
    else:
        M, place = inertia.spatial_inertia(*properties), frame(solid["transform"])
    return Body(
        name(joint["child"]),
        inertia=M,
        joint=JOINTS[joint["kind"]](joint),
        parent=name(joint["parent"]),
        joint_frame=frame(joint["transform"]),
        body_frame=place,
        stiffness=joint["stiffness"],
        damping=joint["damping"],
        spring_reference=joint["q0"],
    )


def mesh(solid):
    if "vertices" in solid:
        return inertia.triangle_mesh(solid["vertices"], solid["faces"], solid["density"])
    mass, J = (solid["density"] * np.array(solid[key]) for key in ("volume", "inertia_com_obj_unit_density"))
    return inertia.mass_properties(mass, J, solid["com_obj"])


SOLIDS = {
    "cuboid": lambda solid: inertia.cuboid(solid["sides"], solid["density"]),
    "cylinder": lambda solid: inertia.cylinder(solid["radius"], solid["height"], solid["density"]),
    "mesh": mesh,
}

JOINTS = {
    "fixed": lambda joint: joints.Fixed(),
    "revolute": lambda joint: joints.Revolute(unit(joint["axis"])),
    "prismatic": lambda joint: joints.Prismatic(unit(joint["axis"])),
    "translational": lambda joint: joints.Translational(),
    "universal": lambda joint: joints.Universal(),
    "spherical_exp": lambda joint: joints.ExponentialSpherical(),
    "free3d": lambda joint: joints.Free3D(),
    "spline_curve": lambda joint: joints.SplineCurve(
        [frame(each) for each in joint["control_frames"]], joint["cyclic"]
    ),
    "spline_surface": lambda joint: joints.SplineSurface(joint["control_values"]),
}


def point_spring(spring):
    ends = (forces.on_body(spring[f"body{i}"], spring[f"x{i}"]) for i in (1, 2))
    return forces.ZeroLengthSprings(spring["stiffness"], forces.path_through(*ends))


def pull(spring):
    attachment_point = forces.on_body(spring["body"], spring["x"])
    return forces.ConstantForces(spring["stiffness"], spring["direction"], attachment_point)


def deformables(chains, bodies):
    """Return particles, as bodies that do not turn, springs between neighbors, and attachments."""
    particles, springs, closures = [], [], []
    for number, chain in enumerate(chains):
        ends = [chain["attach0"], chain["attach1"]]
        nodes, first = chain["nodes"], len(bodies) + len(particles)
        places = [
            np.array(attachment["r"])
            if attachment["body"] is None
            else se3.transform_points(bodies[attachment["body"]], attachment["r"])
            for attachment in ends
        ]
        length = np.linalg.norm(places[1] - places[0]) / (nodes - 1)
        # V = K ((l - L) / L)^2 / 2
        law = forces.SpringDamper(chain["stiffness"] / length, 0.0, length)
        points = [forces.on_body(first + np.arange(nodes - 1) + end, [0, 0, 0]) for end in (0, 1)]
        springs.append(forces.PathForces(law, forces.path_through(*points)))
        names = [f"particle {number}-{k}" for k in range(nodes)]
        mass = chain["mass"] / nodes
        particles.extend(
            Body(
                each,
                mass=mass,
                joint=joints.Translational(),
                joint_frame=se3.frame(np.eye(3), x),
            )
            for each, x in zip(names, np.linspace(*places, nodes), strict=True)
        )
        closures.extend(
            LoopClosure(names[k], [0, 0, 0], name(attachment["body"]), attachment["r"])
            for k, attachment in zip((0, -1), ends, strict=True)
        )
    return particles, springs, closures


def joint_torque(control, size, h):
    torque = control.get("joint_torque")
    if torque is None:
        return None
    assert torque["joints"] == list(range(size))
    # The reference evaluates controls at the time that a step ends.
    return lambda state: piece(torque, on_grid(state.t + h, h))["tau"]


def on_grid(t, h):
    """Return the time k h; the sum of k steps of h differs from it in the last digit."""
    return round(t / h) * h


def piece(control, t):
    return next(each for each in control["pieces"] if each["t_to"] is None or t < each["t_to"])


def loop(constraint, scene, h):
    a, b = constraint["body_a"], constraint["body_b"]
    axis = unit(scene["joints"][a]["axis"])
    return LoopClosure(name(a), constraint["x_a"], name(b), constraint["x_b"], axis, axis_follows_body=False)


def gear(constraint, scene, h):
    return Gear(name(constraint["joint_a"]), name(constraint["joint_b"]), constraint["factor"])


def prescribed_joint(constraint, scene, h):
    control = scene["control"]["prescribed_joint"]
    t0, t1, a, b = (control["params"][key] for key in ("t0", "t1", "a", "b"))
    assert control["q"] == "b/(1+exp(-a*s))"

    def motion(t):
        if t >= t1:
            after = control["after_t1"]
            return after["q"], after["qdot"], after["qddot"]
        rate = 2 * a / (t1 - t0)
        e = np.exp(-2 * a * ((t - t0) / (t1 - t0) - 0.5))
        return b / (1 + e), b * rate * e / (1 + e) ** 2, b * rate**2 * e * (e - 1) / (1 + e) ** 3

    return PrescribedJoint(
        name(constraint["joint"]), lambda t: (motion(on_grid(t + h, h))[0], *motion(on_grid(t, h))[1:])
    )


def prescribed_body(constraint, scene, h):
    control = scene["control"]["prescribed_body"]

    def motion(t, E, phi):
        t = on_grid(t, h)
        now = piece(control, t)
        w, v, wdot, vdot = (
            np.array([eval(term, {"t": t}) for term in now[key]], dtype=float)
            for key in ("w_i", "v_w", "wdot_i", "vdot_w")
        )
        v, vdot = E[:3, :3].T @ v, E[:3, :3].T @ vdot
        return np.concatenate([w, v]), np.concatenate([wdot, vdot - np.cross(phi[:3], v)])

    return PrescribedBody(name(constraint["body"]), constraint["rows"], motion)


CONSTRAINTS = {
    "loop": loop,
    "mult_q": gear,
    "presc_joint": prescribed_joint,
    "presc_body": prescribed_body,
}
