"""Descriptions of frames and coordinates that many cards share."""

from __future__ import annotations

WHOLE = "in the coordinates of the whole system"
COORDINATES = f"{WHOLE}, whatever they are"
WITH_ROWS = f"{WHOLE}, then of the constraints"
OF_ROWS = "one row for each constraint, over the coordinates of the whole system"
OF_CONSTRAINTS = "one for each constraint"
ROW_OF_EACH_CONTACT = "one row for each contact, over the coordinates of the whole system"
ROWS_OF_CONTACTS = "rows of the contacts, over the coordinates of the whole system"
OF_CONTACTS = "one for each contact"
OF_AN_LCP = "of the complementarity problem: a row and a column for each contact"
OF_JOINTS = "of the joints, in their order"
OF_BODIES = "on each body, about its origin, along its axes"
POINTS = "of the points, along the axes of the world"
POSES = "of each body in the world"
PLACES = "in each body, in its frame"
TWISTS = "of each body, in its frame"
IN_THE_BODY = "in the frame of the body"
IN_THE_WORLD = "along the axes of the world"
PLAIN = "numbers without a frame"
ABOUT_THE_CENTRE = "about the center of mass, along the axes of the body"
ANY = "along the axes of one frame, which may be any"
MOTIONS = "small motions of A, then of B (translation, rotation)"
CLOSURE = {
    f"x_{body}": f"the point of {body} where the loop closes, in the frame of its body" for body in "AB"
}
REDUCED = {
    "M": f"{COORDINATES}: those that are attached after those that are not",
    "v f": f"{COORDINATES}: those that are attached after those that are not",
    "G": OF_ROWS,
    "S g": OF_CONSTRAINTS,
}
BODY = {"c": "center of mass, in the frame of the body", "J": ABOUT_THE_CENTRE}
TREE = {
    "q v qdot qddot tau angles rates": OF_JOINTS,
    "g": IN_THE_WORLD,
    "wrenches": OF_BODIES,
}
