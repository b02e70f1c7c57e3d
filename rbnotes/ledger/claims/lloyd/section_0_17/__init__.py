"""Lloyd 0.17: null-space reduction of the KKT system for attachments."""

from __future__ import annotations

from rbnotes.ledger.quantities import (
    ACCELERATION,
    INVERSE_MASS,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    TIME,
    TWIST,
    VELOCITY,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "lloyd/s0.17",
    chapter="attachments",
    arguments={
        "Gka": Argument(NUMBER, "one row for each attached coordinate, over those of its masters"),
        "v_active": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "weights": Argument(NUMBER, "of the masters of the attached point"),
        "x": Argument(LENGTH, "of points in the world; with a pose E, of one point in its body"),
        "Gba": Argument(NUMBER, "one row for each attached coordinate, over those of its masters"),
        "M": Argument(
            MASS,
            ("in the generalized coordinates of the system (arbitrary), the attached ones last"),
        ),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "f": Argument(
            MOMENTUM,
            ("in the generalized coordinates of the system (arbitrary), the attached ones last"),
        ),
        "g": Argument(VELOCITY, "one for each constraint"),
        "S": Argument(INVERSE_MASS, "one for each constraint"),
        "gb": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "va": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "la": Argument(MOMENTUM, "one for each constraint"),
        "E": Argument(POSE, "of the body in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "h": Argument(TIME),
        "v": Argument(
            VELOCITY,
            (
                "in the generalized coordinates of the system (arbitrary); (2, 3): of points, along the"
                " axes of the world"
            ),
        ),
        "a": Argument(
            ACCELERATION,
            (
                "in the generalized coordinates of the system (arbitrary); (2, 3): of points, along the"
                " axes of the world"
            ),
        ),
        "Gja": Argument(NUMBER, "one row for each attached coordinate, over those of its masters"),
    },
)
