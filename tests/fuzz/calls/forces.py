"""Tension laws, paths, muscles, frame springs, and their sums."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import forces, se3
from rbnotes.dynamics import State
from rbnotes.forces import muscle, symmetry, wrenches

E = np.stack([np.eye(4), se3.exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])])
X = np.array([[0.5, 0.0, 0.25], [0.25, -0.5, 0.0]])
PHI = np.array([[0.5, -0.25, 1.0, 0.25, 0.5, -1.0], [0.25, 0.5, 0.0, 1.0, -0.5, 0.5]])
POINTS, SPEEDS = (
    np.array([[0.0, 0, 0], [1, 0, 0.5], [1, 2, 0]]),
    np.array([[0.5, 0, 0], [1, 0, 2], [1, 2, 0]]),
)
ACTIVE = np.array([True, False])
SPRING = forces.SpringDamper(100.0, 2.0, 0.5)
STATE = State(E=E, phi=PHI, x=[[1.0, 0, 2]], v=[[0.5, 0, 1]])
ENDS = forces.path_through(
    forces.on_body(0, [0.1, 0, 0]), forces.on_body(1, [0, 0.1, 0]), forces.on_particle(0)
)
PAIR = forces.path_through(forces.on_body(0, [0.1, 0, 0]), forces.on_world([0.0, 1, 0]))
ONE = forces.on_body(1, [0.1, 0.2, 0.3])
FRAME_SPRING = forces.FrameSpring.isotropic(np.eye(4), E[1], 10.0, 5.0, 1.0, 0.5)
BODY = forces.frame_spring_forces(FRAME_SPRING, E, PHI)
AT_POINTS = forces.path_force(SPRING, POINTS, SPEEDS)
MUSCLE = {
    "peak_force": 100.0,
    "optimal_length": 1.0,
    "max_velocity": 10.0,
    "tendon_length": 0.5,
    "activation": 0.5,
}
K3 = np.diag([1.0, 2.0, 3.0])
GROUPS = (
    forces.PathForces(SPRING, ENDS),
    forces.ZeroLengthSprings(10.0, PAIR),
    forces.ConstantForces(2.0, [0.0, 0, 1], ONE),
    forces.Damping(0.5, [0, 1]),
    forces.FrameSprings(FRAME_SPRING, [[0, 1]]),
)
CURVE = forces.Muscle(**MUSCLE).active_force_length
CONDITIONS = [muscle.Condition(0, float(x), order, 0.5) for x, order in ((0, 0), (0, 1), (1, 0), (1, 1))]


def tension(L, Ldot):
    return 3 * np.asarray(L) ** 2


def stiffening_tension(L, Ldot):
    return 3 * L**2 + Ldot


def stiffening_energy(L):
    return np.asarray(L) ** 3


LAWS = (
    SPRING,
    forces.LinearSpring(100.0, 1.0, 0.5),
    forces.LinearStress(100.0, 0.5),
    forces.QuadraticStrain(100.0, 0.5),
    forces.ConstantTension(5.0),
    forces.CallableTensionLaw(stiffening_tension, potential=stiffening_energy),
    forces.Muscle(**MUSCLE),
)
PATH = {"x": POINTS, "v": SPEEDS}
CARRIED = {"E": E, "x": X, "phi": PHI}

CALLS = [
    *(Call(law.__call__, {"L": 1.5, "Ldot": 0.5}) for law in LAWS),
    *(Call(law.energy, {"L": 1.5}) for law in LAWS),
    Call(forces.QuadraticStrain(100.0, 0.5).strain, {"L": 1.5}),
    Call(forces.Muscle(**MUSCLE).normalized_length, {"L": 1.5}),
    Call(forces.Muscle(**MUSCLE).normalized_velocity, {"Ldot": 1.5}),
    Call(forces.stress, {"law": SPRING, "L": 1.5, "Ldot": 0.5}),
    Call(forces.LinearSpring, {"stiffness": 100.0, "damping": 1.0, "rest_length": 0.5}),
    Call(forces.SpringDamper, {"stiffness": 100.0, "damping": 1.0, "rest_length": 0.5}),
    Call(forces.LinearStress, {"stiffness": 100.0, "rest_length": 0.5}),
    Call(forces.QuadraticStrain, {"stiffness": 100.0, "rest_length": 0.5}),
    Call(forces.ConstantTension, {"tension": 5.0}),
    Call(forces.CallableTensionLaw(tension).__call__, {"L": 1.5, "Ldot": 0.5}),
    Call(forces.Muscle, MUSCLE),
    Call(muscle.piecewise_cubic, {"knots": np.array([0.0, 1.0]), "conditions": CONDITIONS}),
    Call(muscle.power_coefficients, {"curve": CURVE}),
    Call(forces.on_world, {"x": X[0]}),
    Call(forces.on_particle, {"index": 2}, fine={"index": ("a list of it", "an array of it")}),
    Call(
        forces.on_body,
        {"body": 2, "x": X[0]},
        fine={"body": ("a list of it", "an array of it", "text", "another word", "numbers as text")},
    ),
    Call(forces.path_through, {"*points": [forces.on_world(X[0]), forces.on_particle(0)]}),
    Call(forces.PathForces, {"law": SPRING, "points": ENDS, "active": ACTIVE, "stiffness": "exact"}),
    Call(forces.ZeroLengthSprings, {"k": 10.0, "points": PAIR}),
    Call(forces.ConstantForces, {"k": 10.0, "a": np.array([0.0, 0, 1]), "points": ONE}),
    Call(
        forces.Damping,
        {"d": 0.5, "bodies": np.array([0, 1])},
        fine={"bodies": ("longer", "shorter", "numbers as text")},
    ),
    Call(
        forces.FrameSprings,
        {"spring": FRAME_SPRING, "bodies": np.array([[0, 1]])},
        fine={"bodies": ("numbers as text",)},
    ),
    *(
        Call(getattr(group, name), {"state": STATE})
        for group in GROUPS
        for name in ("forces", "energy", "dissipated_power")
    ),
    Call(forces.assemble, {"groups": GROUPS, "state": STATE}),
    Call(forces.ForceGroups, {"groups": GROUPS}),
    Call(forces.ForceGroups(GROUPS).__call__, {"state": STATE}),
    Call(forces.ForceGroups(GROUPS).energy, {"state": STATE}),
    Call(forces.ForceGroups(GROUPS).dissipated_power, {"state": STATE}),
    Call(forces.body_path_length, {**CARRIED, "active": ACTIVE[:1]}),
    Call(forces.body_path_segments, {"E": CARRIED["E"], "x": CARRIED["x"]}),
    Call(forces.path_wrenches, {"law": SPRING, **CARRIED, "stiffness": "exact"}),
    Call(forces.zero_length_spring, {"k": 10.0, "E": E, "x": X}),
    Call(forces.zero_length_energy, {"k": 10.0, "E": E, "x": X}),
    Call(forces.directional_force, {"k": 10.0, "a": X[1], "E": E[1], "x": X[0]}),
    Call(forces.directional_energy, {"k": 10.0, "a": X[1], "E": E[1], "x": X[0]}),
    Call(forces.viscous_damping, {"d": 10.0, "phi": PHI[0]}),
    Call(
        forces.FrameSpring,
        {"X_1": E[0], "X_2": E[1], "K_t": K3, "K_r": K3, "D_t": K3, "D_r": K3, "damping": "origins"},
    ),
    Call(
        forces.FrameSpring.isotropic,
        {"X_1": E[0], "X_2": E[1], "k_t": 1.0, "k_r": 2.0, "d_t": 0.5, "d_r": 0.25, "damping": "origins"},
    ),
    Call(forces.frame_displacement, {"spring": FRAME_SPRING, "E": E}),
    Call(forces.frame_spring_energy, {"spring": FRAME_SPRING, "E": E}),
    Call(forces.frame_spring_forces, {"spring": FRAME_SPRING, "E": E, "phi": PHI}),
    Call(forces.frame_spring_dissipated_power, {"spring": FRAME_SPRING, "E": E, "phi": PHI}),
    Call(forces.path_segments, {"x": POINTS}),
    Call(forces.length_gradient, {"x": POINTS, "active": ACTIVE}),
    Call(forces.length_hessian, {"x": POINTS, "active": ACTIVE}),
    Call(forces.path_length, {**PATH, "active": ACTIVE}),
    Call(forces.path_force, {"law": SPRING, **PATH, "active": ACTIVE}),
    Call(forces.path_stiffness, {"law": SPRING, **PATH, "active": ACTIVE}),
    Call(forces.taut_stiffness, {"law": SPRING, **PATH, "active": ACTIVE}),
    Call(forces.dissipated_power, {"law": SPRING, **PATH, "active": ACTIVE}),
    Call(forces.path_energy, {"law": SPRING, "x": POINTS}),
    Call(forces.symmetric_part, {"matrix": np.arange(9.0).reshape(3, 3)}),
    Call(symmetry.asymmetry, {"w": PHI, "axes": "body"}),
    *(
        Call(function, {"J": K3, name: X[0]})
        for function, name in (
            (symmetry.inertia_variation, "theta"),
            (symmetry.inertia_stiffness, "tau"),
            (symmetry.inertia_asymmetry, "tau"),
        )
    ),
    Call(forces.at_constant_world_velocity, {"forces": BODY, "phi": PHI}),
    Call(forces.rotate_to_world, {"forces": BODY, "E": E}),
    Call(forces.point_kinematics, CARRIED),
    Call(wrenches.point_jacobians, CARRIED),
    Call(
        forces.wrenches_from_point_forces,
        {"E": E, "x": X, "phi": PHI, "forces": forces.path_force(SPRING, POINTS[:2], SPEEDS[:2])},
    ),
    Call(
        forces.CallableTensionLaw,
        {"function": tension, "dF_dL": tension, "dF_dLdot": tension, "potential": stiffening_energy},
    ),
]
