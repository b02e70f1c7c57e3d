"""Trees that the records of Si & Guenter share: drawn at random for the oracles, built for the library."""

from __future__ import annotations

from rbnotes.ledger.oracles.body_quantities_inputs import BODIES, library_tree_of
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

# Wrenches act on the three bodies besides their weights.
PLACED = {"assembly": BODIES, "q": arrays(6)}
MOVING = {**PLACED, "qdot": arrays(6)}
LOADED = {**MOVING, "wrenches": arrays(3, 6)}
DRIVEN = {**LOADED, "tau": arrays(6)}
ACCELERATED = {**LOADED, "qddot": arrays(6)}


def passes(assembly, q, qdot, wrenches=0.0, tau=0.0):
    """Run the six passes of the library."""
    return reduced.factored_dynamics(library_tree_of(assembly), q, qdot, tau, wrenches)
