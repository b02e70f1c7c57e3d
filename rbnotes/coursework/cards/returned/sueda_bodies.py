"""What comes back for claims of Sueda's first chapter."""

from __future__ import annotations

from rbnotes.coursework.cards.wordings import (
    IN_THE_BODY,
    IN_THE_WORLD,
    OF_CONSTRAINTS,
    OF_CONTACTS,
    WHOLE,
    WITH_ROWS,
)

_POINTS_OF_PATH = "on each body of the path, in its frame, angular part first"
_OF_BOTH = "of both bodies, each in its frame"
_ON_BOTH = "on both bodies, each in its frame"
_MUSCLE = "tension over length, by the motion of the first point along the axes of the world"
_BODY_RATE = "of the adjoint that takes twists of the body to the world"
_SLOPE_OF_TENSION = "over the motions of the bodies, each in its frame"
SUEDA: dict[str, dict[str, str]] = {
    "1.1": {
        "of the body in the world": "e1.1 t19",
        "in the world": "e1.2",
        "the point as it was given": "e1.3",
        "takes coordinates of the world to those of the body": "t29#a",
        "of the first rotation after the second": "t29#b",
        "of the third axis of the body, in the world": "t29#c",
        "of the first pose after the second": "t31",
        "of the world in the body": "e1.4",
        "in the frame of the body": "t35",
    },
    "1.2": {
        "in the frame of the body": "e1.6",
        "in the frame of a and b": "e1.7",
        "of the body in the world": "e1.8 e1.9",
    },
    "1.3": {
        "the same in the world and in the rotated frame": "t71 e1.10#b e1.10#e",
        "takes rotated to world coordinates": "e1.10#a",
        "of the moved frame in the frame where it started": "e1.10#c m1#a m1#c",
        "a twist in the frame of the body": "e1.10#d e1.10#f m1#b",
        "of the body in the world": "e1.11 m2",
    },
    "1.4": {
        IN_THE_WORLD: "e1.12 m1#b m1#c",
        IN_THE_BODY: "e1.13",
        "about the two joints": "t218",
        "rows of the velocity of the point, over the twist, both in the frame of the body": "m1#a",
    },
    "1.5": {
        "takes twists of the body to the world": "e1.14",
        "in the world, about its origin": "e1.15",
        IN_THE_WORLD: "t270",
        "in the coordinates that R makes of those of v and x": "e1.17",
        "of the bracket of the origin, in the world": "t276",
        "in the frame of a and b": "e1.19#b",
        _BODY_RATE: "*",
    },
    "1.6": {IN_THE_BODY: "*"},
    "1.7": {
        "about the centre of mass, along the axes of the body": "t320#a e1.24",
        "about the centre of mass, along the principal axes": "t320#c",
    },
    "1.7.1": {
        "about the common origin": "t328",
        "the mass, then the centre in the common frame": "e1.25",
        "about the centre of both, along the common axes": "e1.26 t338#a",
        "about the centre of both, along the principal axes, by rows; then their determinant": "t338#b",
    },
    "1.8": {
        "of the body in the world": "e1.29",
        "a difference of poses of the body in the world, over the square of the step": "t352",
        "of the moved frame in the frame where it started": "t356",
        IN_THE_BODY: "*",
    },
    "1.9": {WHOLE: "e1.30"},
    "1.9.1": {IN_THE_BODY: "t377"},
    "1.9.2": {
        "along the axes of the body, by its rotation": "e1.34#a",
        "along the axes of the world, by the rotation of the body along its axes": "e1.34#b",
        "along the axes of the world, by the motion of the body along its axes": "e1.34#c",
        IN_THE_BODY: "*",
    },
    "1.9.3": {_ON_BOTH: "*"},
    "1.9.4": {
        "along the axes of the world, then its length": "t419#b",
        "value, slope and second derivative": "e1.40",
        "at the optimal length, then where the middle cubic ends": "t432#a",
        "a row for each cubic, the highest power first": "t432#b e1.41 e1.42 e1.44 e1.46",
        "rows, columns and rank": "t432#c",
        "how many for the passive, the active and the force velocity curve": "t424",
        "left sides of the conditions, in their order": "e1.43 e1.45",
        _MUSCLE: "e1.53",
        "tension over length, by the velocity of the first point along the axes of the world": "e1.56",
        _ON_BOTH: "*",
    },
    "1.9.5": {
        "in metres, then over the optimal length": "e1.57 e1.58",
        "at either end of the path": "t524",
        _SLOPE_OF_TENSION: "e1.63 e1.64",
        _POINTS_OF_PATH: "*",
    },
    "1.9.6": {
        "on the first point, along the axes of the world": "e1.65",
        _SLOPE_OF_TENSION: "e1.67#c e1.68#b",
        _ON_BOTH: "*",
    },
    "1.10": {
        "in the frame of the joint": "e1.69 t570#b t570#c",
        "takes twists of the outer to the inner frame": "t570#a",
        "rank and rows for each of the three": "t572",
        "of both joints, each in its frame": "e1.70",
        _OF_BOTH: "t576",
        _ON_BOTH: "t590",
        WITH_ROWS: "e1.73 e1.74",
        WHOLE: "*",
    },
    "1.11": {
        IN_THE_WORLD: "e1.75 e1.77",
        "in the frame of the body": "t614",
        "rows, then columns": "t618",
        WHOLE: "*",
    },
    "1.12": {
        "of both ends, in the world": "t640#b",
        "along the axes of the joint": "t644",
        IN_THE_WORLD: "e1.81",
        f"of the velocities {WHOLE}, then of the constraints": "t654#a",
        WHOLE: "t654#b t654#d",
        "for velocities, then for accelerations: one for each constraint": "t654#e",
        OF_CONSTRAINTS: "*",
    },
    "1.13": {OF_CONTACTS: "t668#a e1.86", WHOLE: "*"},
}
