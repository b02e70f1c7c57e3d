"""Tension law of tests, which depends nonlinearly on the length and its rate."""

from rbnotes.forces import CallableTensionLaw

STIFFENING = CallableTensionLaw(
    lambda L, Ldot: L**2 + 0.5 * L * Ldot + Ldot**3,
    lambda L, Ldot: 2 * L + 0.5 * Ldot,
    lambda L, Ldot: 0.5 * L + 3 * Ldot**2,
)
