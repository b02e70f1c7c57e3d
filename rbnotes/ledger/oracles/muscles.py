"""The tension of a muscle whose three curves are cubics without zeros in the range of the inputs.

The claims about muscles hold for any curves; with these, none of their terms is zero.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.body_paths import Tension, length, rate, wrenches

ACTIVE, VELOCITY, PASSIVE = (0.02, -0.3, 0.7, 0.4), (0.05, -0.1, 0.6, 1.2), (0.03, 0.1, -0.2, 0.3)
"""Coefficients of the curves, highest power first."""


def f_L(x: Array) -> Array:
    """Return the active force as a function of the normalized length."""
    return np.polyval(ACTIVE, x)


def df_L(x: Array) -> Array:
    """Return the derivative of the active force-length curve."""
    return np.polyval(np.polyder(ACTIVE), x)


def f_V(x: Array) -> Array:
    """Return the active force as a function of the normalized velocity."""
    return np.polyval(VELOCITY, x)


def df_V(x: Array) -> Array:
    """Return the derivative of the force-velocity curve."""
    return np.polyval(np.polyder(VELOCITY), x)


def f_P(x: Array) -> Array:
    """Return the passive force as a function of the normalized length."""
    return np.polyval(PASSIVE, x)


def df_P(x: Array) -> Array:
    """Return the derivative of the passive force-length curve."""
    return np.polyval(np.polyder(PASSIVE), x)


def tension(f_opt: float, a: float, l_opt: float, v_max: float, l_T: float) -> Tension:
    """Return the tension (1.38) as a function of the path's length and rate."""

    def tension_law(L: Array, Ldot: Array) -> Array:
        lt, vt = (L - l_T) / l_opt, Ldot / (l_opt * v_max)
        return f_opt * (a * f_L(lt) * f_V(vt) + f_P(lt))

    return tension_law


def unnormalized_wrenches(E: Array, x: Array) -> Array:
    """Return the wrenches of a tension equal to the path's length, before normalization."""
    return wrenches(lambda L, Ldot: L, E, x, np.zeros((len(E), 6)))


def muscle_wrenches(E: Array, x: Array, phi: Array, *parameters: float) -> Array:
    """Return the wrenches of the muscle on the bodies of its path."""
    return wrenches(tension(*parameters), E, x, phi)


def tension_per_length(E: Array, x: Array, phi: Array, *parameters: float) -> Array:
    """Return the tension divided by the length of the path."""
    return tension(*parameters)(length(E, x), rate(E, x, phi)) / length(E, x)
