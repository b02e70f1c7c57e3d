"""What a symbol usually is in the notes; a module or a claim whose symbols mean something else says so."""

from __future__ import annotations

from collections.abc import Mapping

from rbnotes.ledger.joint_quantities import (
    ASSEMBLY,
    CLOUD,
    MASS_POINTS,
    accelerations,
    coordinates,
    forces,
    velocities,
)
from rbnotes.ledger.quantities import (
    ACCELERATION,
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    RATE,
    STIFFNESS,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    QuantityDeclaration,
)

USUAL: Mapping[str, QuantityDeclaration] = {
    **dict.fromkeys(("E", "E0", "E1", "E2", "E3", "Ei", "Ej", "Ek", "E_i", "E_p", "E_1", "T"), POSE),
    **dict.fromkeys(("F", "poses", "parent", "joint", "at", "frames", "tilt", "place"), POSE),
    **dict.fromkeys(("R", "R_BW", "R_AW", "R_2B", "theta", "angles", "angle", "mu", "share", "n"), NUMBER),
    **dict.fromkeys(("u", "axis", "normal", "weights", "alpha", "turn", "G", "N"), NUMBER),
    **dict.fromkeys(("phi", "phi_i", "phi_j", "phi_k", "phi_p", "phi_0", "phi1", "phi2"), TWIST),
    **dict.fromkeys(("phi_A", "phi_B", "twist"), TWIST),
    **dict.fromkeys(("wrench", "wrenches"), WRENCH),
    **dict.fromkeys(("x", "x_A", "x_B", "x0", "x1", "x2", "c", "L", "length", "r"), LENGTH),
    **dict.fromkeys(("v", "velocities", "v1", "v2", "v0", "Ldot", "ldot"), VELOCITY),
    **dict.fromkeys(("w", "omega", "rates"), RATE),
    "wdot": RATE / TIME,
    **dict.fromkeys(("g", "vdot"), ACCELERATION),
    **dict.fromkeys(("f", "f_opt"), FORCE),
    **dict.fromkeys(("m", "m1", "m2", "M"), MASS),
    **dict.fromkeys(("J", "Ic"), INERTIA),
    **dict.fromkeys(("k", "K", "k_t"), STIFFNESS),
    **dict.fromkeys(("d", "D", "d_t"), DAMPING),
    "k_r": STIFFNESS * LENGTH**2,
    "d_r": DAMPING * LENGTH**2,
    "h": TIME,
    "assembly": ASSEMBLY,
    "cloud": CLOUD,
    "bodies": MASS_POINTS,
    "q": coordinates,
    "qdot": velocities,
    "qddot": accelerations,
    "tau": forces,
}
