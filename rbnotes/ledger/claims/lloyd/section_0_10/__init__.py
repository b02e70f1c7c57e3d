"""Lloyd 0.10: integration with bilateral and unilateral constraints and friction."""

from __future__ import annotations

from rbnotes.ledger.quantities import FORCE, MASS, MOMENTUM, NUMBER, TIME, VELOCITY
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

SYSTEM_COORDINATES = "in the generalized coordinates of the system"


section = Section(
    "lloyd/s0.10",
    chapter="contact",
    arguments={
        "Mh": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "N": Argument(NUMBER, "one row for each contact, over the generalized coordinates of the system"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
        "h": Argument(TIME),
        "theta": Argument(MOMENTUM, "one for each contact"),
        "T": Argument(
            NUMBER,
            "two rows for each contact, one for each tangent, over the generalized coordinates of the system",
        ),
        "phi": Argument(MOMENTUM, "of the contacts, in their order"),
        "part": Argument(NUMBER),
        "low": Argument(MOMENTUM),
        "high": Argument(MOMENTUM),
        "sigma": Argument(VELOCITY),
        "mu": Argument(NUMBER, "one for each contact"),
        "xi": Argument(VELOCITY, "of the contacts, in their order"),
        "axes": Argument(NUMBER, "rows: the two tangents of the contact and its normal, in the world"),
        "p": Argument(MOMENTUM, "along the axes of the contact: two tangents, then the normal"),
        "s": Argument(VELOCITY, "along the two tangents of the contact"),
        "limit": Argument(MOMENTUM),
        "excess": Argument(NUMBER),
    },
)
