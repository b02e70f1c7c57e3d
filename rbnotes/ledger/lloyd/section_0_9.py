"""Lloyd 0.9: what the integrators are for."""

from __future__ import annotations

import numpy as np

from rbnotes.integrators import State, bridson_marino, implicit_euler, symplectic_euler, trapezoidal
from rbnotes.ledger.lloyd import section_0_9_2, section_0_9_4
from rbnotes.ledger.lloyd.section_0_9_2 import STEP, bent_system
from rbnotes.ledger.oracles.integration import bent_force, newton_step, trapezoidal_equations
from rbnotes.ledger.record import Verdict, claim


def starting_rates(ends, x, v):
    """Derivatives at h = 0 of the states that steps of size h end in, from steps of eight sizes."""
    sizes = np.arange(1, 9) / 1024
    weights = [np.prod([t / (t - s) for t in sizes if t != s]) for s in sizes]
    start = np.array([x, v])
    return sum(weight * (ends(s) - start) / s for weight, s in zip(weights, sizes, strict=True))


@claim("lloyd/s0.9/t269", "The schemes solve for the evolution in time")
class t269:
    formula = (
        r"\frac{d}{dh}\bigl(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1}\bigr)\Big|_{h=0}"
        r" = \bigl(\dot{\mathbf x}^k, \mathbf M^{-1}\mathbf f^k\bigr)"
        r"\quad\text{for each of the four}"
    )
    inputs = {name: strategy for name, strategy in STEP.items() if name != "h"}

    def printed(M, f, K, D, x, v):
        return np.array(4 * [[v, np.linalg.inv(M) @ f]])

    def library(M, f, K, D, x, v):
        system = bent_system(M, f, K, D, x, v)

        def ends(h):
            schemes = symplectic_euler, implicit_euler, trapezoidal, bridson_marino
            return np.array([scheme(system, State(x, v), h) for scheme in schemes])

        return starting_rates(ends, x, v)

    oracle = (
        "how the states after small steps grow with the step, each from the equations that define its scheme"
    )

    def reference(M, f, K, D, x, v):
        def ends(h):
            step = M, f, K, D, x, v, h
            kicked = v + h * np.linalg.lstsq(M, f, rcond=None)[0]
            implicit = section_0_9_2.newton_reference(*step)
            equations = trapezoidal_equations(M, bent_force(f, K, D, x, v), x, v)(h)
            halves = section_0_9_4.position_reference(*step), section_0_9_4.velocity_reference(*step)
            mean = newton_step(equations, np.concatenate([x, v]))
            return np.array([[x + h * kicked, kicked], np.split(implicit, 2), np.split(mean, 2), halves])

        return starting_rates(ends, x, v)

    verdict = Verdict.HOLDS
    remark = (
        "So each of them converges: the first two with the first order of the step, the last two with "
        "the second, as the chapter measures."
    )
    implemented_by = (
        "rbnotes.integrators.symplectic_euler",
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.bridson_marino",
    )
    chapter = "time-stepping"
