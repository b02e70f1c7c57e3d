"""Lloyd 0.11: softening constraints with regularization."""

from __future__ import annotations

from rbnotes.ledger.quantities import (
    DAMPING,
    FORCE,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    RATE,
    STIFFNESS,
    TIME,
    VELOCITY,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "lloyd/s0.11",
    chapter="regularization",
    arguments={
        "phi": Argument(LENGTH, "one for each constraint"),
        "alpha": Argument(NUMBER / STIFFNESS, "one for each constraint"),
        "q": Argument(
            NUMBER,
            (
                "coordinates on which the errors of two constraints depend: phi = (q[0]**2 + q[1] * q[2] - 1,"
                " sin(q[3]) + q[0] * q[1] - q[2])"
            ),
        ),
        "rate": Argument(VELOCITY, "one for each constraint"),
        "dampers": Argument(DAMPING, "one for each constraint"),
        "beta": Argument(TIME, "one for each constraint"),
        "phi_start": Argument(LENGTH, "one for each constraint"),
        "phi_middle": Argument(LENGTH, "one for each constraint"),
        "phi_end": Argument(LENGTH, "one for each constraint"),
        "h": Argument(TIME),
        "v": Argument(RATE, "in the generalized coordinates of the system (arbitrary)"),
        "a": Argument(NUMBER / TIME**2, "in the generalized coordinates of the system (arbitrary)"),
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "b": Argument(MOMENTUM, "in the generalized coordinates of the system (arbitrary)"),
        "force": Argument(FORCE, "one for each constraint"),
        "error": Argument(LENGTH),
        "ratio": Argument(RATE),
        "push": Argument(NUMBER),
        "depth": Argument(LENGTH),
        "speed": Argument(VELOCITY),
        "share": Argument(NUMBER),
    },
)
