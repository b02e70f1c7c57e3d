"""Trees that the records of Si & Guenter share: drawn at random for the oracles, built for the library."""

from __future__ import annotations

from rbnotes.ledger.oracles.body_quantities_inputs import BODIES, FORKED_BODIES, library_tree_of
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

# The wrenches act on the three bodies in addition to their weights.
POSITIONS = {"assembly": BODIES, "q": arrays(6)}
MOTION = {**POSITIONS, "qdot": arrays(6)}
LOADED_MOTION = {**MOTION, "wrenches": arrays(3, 6)}
FORKED_MOTION = {**LOADED_MOTION, "assembly": FORKED_BODIES}
DRIVEN_MOTION = {**LOADED_MOTION, "tau": arrays(6)}
ACCELERATED_MOTION = {**LOADED_MOTION, "qddot": arrays(6)}


def six_passes(assembly, q, qdot, wrenches=0.0, tau=0.0):
    """Run the six passes of the library."""
    return reduced.factored_dynamics(library_tree_of(assembly), q, qdot, tau, wrenches)
