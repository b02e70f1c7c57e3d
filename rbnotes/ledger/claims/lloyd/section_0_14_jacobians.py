"""Lloyd 0.14: Jacobians of the forces of a multi-point spring with active and passive segments."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.forces import CallableTensionLaw, length_gradient, length_hessian, path_force, path_length
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import identity, law
from rbnotes.ledger.claims.lloyd.section_0_14 import (
    CHAPTER,
    COMPLEX_STEP,
    FORCE,
    VIA,
    N,
    by_complex_steps,
    geometry,
    library_blocks,
    pulls,
    smooth_force,
    smooth_tension,
)
from rbnotes.ledger.claims.lloyd.section_0_14_active import ACTIVE
from rbnotes.ledger.oracles.paths import (
    active_length,
    active_rate,
    numerical_length_rate,
    point_derivatives,
    segment_directions,
)
from rbnotes.ledger.oracles.springs import tension, tension_by_length, tension_by_rate
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import nonzero_vectors

QUANTITIES = {"d": units.STIFFNESS / units.VELOCITY, "k": units.FORCE / units.AREA, "offsets": units.LENGTH}


def turning_rows(x, v, k, d, active):
    """The rows y_i, as printed in d9, with y_i = 0 for passive segments."""
    u, lengths = geometry(x)
    F_Ldot = tension_by_rate(active_length(x, active), numerical_length_rate(x, v, active), k, d)
    y = np.zeros((N, 3))
    for i in np.flatnonzero(active):
        P = identity - np.outer(u[i], u[i])
        y[i] = (1 / lengths[i]) * F_Ldot * (v[i + 1] - v[i]) @ P
    return y


def extended(x, offsets):
    """The path with the fictitious segments -1 and n, to points at the given offsets from the ends."""
    return np.concatenate([x[:1] - offsets[:1], x, x[-1:] + offsets[1:]])


OFFSETS = st.lists(nonzero_vectors(), min_size=2, max_size=2).map(np.array)


def is_via_point(x, v, k, d, active, i, offsets):
    return 0 < i < N


@claim("lloyd/s0.14/d9", "Rows for the turning of the active segments")
class d9:
    formula = (
        r"\mathbf y_i \equiv \frac1{l_i}\frac{\partial F}{\partial\dot L}(\dot{\mathbf x}_{i+1} - "
        r"\dot{\mathbf x}_i)^T\mathbf P_i"
    )
    inputs = ACTIVE
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)
    printed = turning_rows

    def library(x, v, k, d, active):
        F_Ldot = law(k, d)(*path_length(x, v, active)).dF_dLdot
        rows = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] @ v.ravel() for i in range(N)]
        return F_Ldot * np.array(rows) * active[:, None]

    oracle = "complex step in time of the directions, times a complex step of the tension"

    def reference(x, v, k, d, active):
        # How fast each active direction turns, which is what its segment's rate has for a slope.
        F_Ldot = complex_step(
            lambda z: tension(active_length(x, active), z[0], k, d),
            np.array([numerical_length_rate(x, v, active)]),
        )
        turning = complex_step(lambda t: segment_directions(x + t[0] * v), np.zeros(1))[..., 0]
        return F_Ldot * turning * active[:, None]

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
        "rbnotes.ledger.oracles.paths.segment_lengths",
    )
    defines = (r"\mathbf y_i",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d10", "Derivative of the tension, with passive segments")
class d10:
    formula = (
        r"\frac{\partial F}{\partial\mathbf x_i} "
        r"= \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \mathbf y_{i-1} - "
        r"\mathbf y_i"
    )
    inputs = ACTIVE
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d, active):
        F_L = tension_by_length(active_length(x, active), numerical_length_rate(x, v, active), k, d)
        L_x = point_derivatives(lambda z: active_length(z, active), x)
        zero = np.zeros((1, 3))
        y = turning_rows(x, v, k, d, active)
        before, after = np.concatenate([zero, y]), np.concatenate([y, zero])
        return F_L * L_x + before - after

    def library(x, v, k, d, active):
        _, F_L, F_Ldot = law(k, d)(*path_length(x, v, active))
        slope = F_L * length_gradient(x, active) + F_Ldot * (length_hessian(x, active) @ v.ravel())
        return slope.reshape(-1, 3)

    oracle = "complex step of the tension as a function of the points"

    def reference(x, v, k, d, active):
        return by_complex_steps(lambda z: smooth_tension(z, v, k, d, active), x)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.length_gradient",
        "rbnotes.forces.path.length_hessian",
    )
    chapter = CHAPTER


@claim("lloyd/s0.14/d11", "Velocity Jacobian of a multi-point spring")
class d11:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} "
        r"= \frac{\partial F}{\partial\dot L}\mathbf v_i\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}"
    )
    inputs = ACTIVE
    result = units.DAMPING
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d, active):
        F_Ldot = tension_by_rate(active_length(x, active), numerical_length_rate(x, v, active), k, d)
        Ldot_v = point_derivatives(lambda z: active_rate(x, z, active), v)
        pull = pulls(x)
        return np.array([[F_Ldot * np.outer(pull[i], Ldot_v[i]) for j in range(N + 1)] for i in range(N + 1)])

    def library(x, v, k, d, active):
        """Of the law, only the slope by the rate has a part in this."""
        slope = CallableTensionLaw(
            lambda L, Ldot: 0.0, lambda L, Ldot: 0.0, lambda L, Ldot: tension_by_rate(L, Ldot, k, d)
        )
        return library_blocks(path_force(slope, x, v, active).D)

    oracle = COMPLEX_STEP

    def reference(x, v, k, d, active):
        return np.swapaxes(by_complex_steps(lambda z: smooth_force(x, z, k, d, active), v), 1, 2)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    verdict = Verdict.ERRATUM
    correction = (
        r"The last index is $j$: $\partial\mathbf f_i/\partial\dot{\mathbf x}_j = (\partial "
        r"F/\partial\dot L)\,\mathbf v_i\,\partial\dot L/\partial\dot{\mathbf x}_j$."
    )
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.14/d12", "Position Jacobian of a multi-point spring")
class d12:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} "
        r"= \mathbf v_i\frac{\partial F}{\partial\mathbf x_j} + F\frac{\partial\mathbf "
        r"u_i}{\partial\mathbf x_j} - F\frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_j}"
    )
    inputs = {**ACTIVE, "i": st.sampled_from((1, 2, 0, 3)), "offsets": OFFSETS}
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d, active, i, offsets):
        u, lengths = geometry(extended(x, offsets))
        F = smooth_tension(x, v, k, d, active)
        F_x = point_derivatives(lambda z: smooth_tension(z, v, k, d, active), x)
        pull = pulls(x)

        def u_x(segment, j):
            # (0.13); the lists begin with segment -1.
            P = identity - np.outer(u[segment + 1], u[segment + 1])
            if j == segment:
                return -(1 / lengths[segment + 1]) * P
            if j == segment + 1:
                return (1 / lengths[segment + 1]) * P
            return np.zeros((3, 3))

        return np.array([np.outer(pull[i], F_x[j]) + F * u_x(i, j) - F * u_x(i - 1, j) for j in range(N + 1)])

    def library(x, v, k, d, active, i, offsets):
        return library_blocks(path_force(law(k, d), x, v, active).K)[i]

    oracle = (
        "complex step of the pull of each segment on its ends, which d1 has checked by virtual work; the "
        "fictitious segments end at arbitrary points"
    )

    def reference(x, v, k, d, active, i, offsets):
        return np.swapaxes(by_complex_steps(lambda z: smooth_force(z, v, k, d, active), x), 1, 2)[i]

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.smooth_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    holds_when = is_via_point
    equivalent_mutants = {
        "in extended: *": "where the condition holds, the fictitious segments do not enter",
        "in pulls: negated u[0] in `[u[0], *(u[i] - u[i - 1] for i in range(1, N)), -u[-1]]`": "where the condition holds, the fictitious segments do not enter",
        "in pulls: index 0 -> 1 in `u[0]`": "where the condition holds, the fictitious segments do not enter",
        "in pulls: dropped minus in `-u[-1]`": "where the condition holds, the fictitious segments do not enter",
        "in pulls: index -1 -> -2 in `u[-1]`": "where the condition holds, the fictitious segments do not enter",
    }
    verdict = Verdict.CONDITIONAL
    given = {**ACTIVE, "i": st.sampled_from(VIA), "offsets": OFFSETS}
    condition = (
        r"$\mathbf x_i$ is a via point. At the end points the derivative of the fictitious segment's "
        r"direction ($\mathbf u_{-1}$ or $\mathbf u_n$) must be left out: it carries no tension, although "
        r"the real passive segments do."
    )
    implemented_by = FORCE
    chapter = CHAPTER
