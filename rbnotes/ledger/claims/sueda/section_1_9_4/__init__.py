"""Sueda 1.9.4: muscles between two bodies."""

from __future__ import annotations

from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import FORCE, LENGTH, NUMBER, POSE, RATE, TWIST, VELOCITY
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "sueda/s1.9.4",
    chapter="muscles",
    page_2019=Page(10, last=13),
    page_2021=DROPPED,
    arguments={
        "f_opt": Argument(FORCE),
        "a": Argument(NUMBER),
        "l_opt": Argument(LENGTH),
        "v_max": Argument(RATE),
        "l_T": Argument(LENGTH),
        "L": Argument(LENGTH),
        "Ldot": Argument(VELOCITY),
        "E": Argument(POSE, "of each body in the world"),
        "x": Argument(LENGTH, "in each body, in its frame"),
        "f": Argument(FORCE),
        "coefficients": Argument(NUMBER, "of a cubic, highest power first"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "stretch": Argument(NUMBER, "normalized length of the muscle"),
        "speed_ratio": Argument(NUMBER, "shortening speed over the maximum contraction velocity"),
        "dx": Argument(LENGTH, "from the first point to the second, along the axes of the world"),
        "dv": Argument(
            VELOCITY, "velocity of the second point minus that of the first, along the axes of the world"
        ),
    },
)

ON_BOTH = "on both bodies, each in its frame"
