"""What comes back for claims of Lloyd's notes: by section its texts, each with its displays and claims."""

from __future__ import annotations

from rbnotes.coursework.cards.wordings import (
    IN_THE_WORLD,
    OF_CONSTRAINTS,
    OF_CONTACTS,
    PLAIN,
    POINTS,
    WHOLE,
    WITH_ROWS,
)

_STATE = f"positions, then velocities, {WHOLE}"
_LAST_ROW = f"a matrix {WHOLE}, and the force below it as its last row"
_BY_ALPHA = "of the contacts: those of alpha, then the others"
_DIRECTION = "along the axes of the world, from the first point to the second"
_BY_FIRST = "by the place of the first point, along the axes of the world"
_BLOCKS = "one block for each pair of points, along the axes of the world"
_KEPT = "of the coordinates that stay, then of the constraints"
_LINEAR_BODY = "on the body, linear part first, along its axes"
_ON_A, _ON_B = "on A, along its axes", "on B, along its axes"
_ON_A_IN_WORLD = "on A, along the axes of the world"
_BOTH = "of A, then of B, linear before angular"
_IN_BODIES = f"{_BOTH}, along the axes of each body: rows of forces, columns of motions"
_OF_BOTH_IN_WORLD = f"{_BOTH}, along the axes of the world: rows of forces, columns of motions"
_IN_FRAME_1 = "along the axes of frame 1"
_QUATERNION_RATE = "of the quaternion that takes rotated to world coordinates"
_ON_THE_ANGLES = "takes angular velocities in base coordinates to rates of the three angles"
_LINEAR_FIRST = "linear part first, along the axes of the world"
LLOYD: dict[str, dict[str, str]] = {
    "0.1": {
        "in the frame of the body, once for each side of the equation": "t10",
        "about the origin of the body, linear part first, along its axes": "*",
    },
    "0.2": {
        "scalar first; takes rotated to world coordinates": "d1",
        "scalar first; the rotation p, then the rotation q, where both are of unit length": "d2",
        _QUATERNION_RATE: "e0.1 d3",
        "a zero, then the vector in world coordinates": "d4",
    },
    "0.3": {"of the inequalities, in their order": "d3#a d3#b", PLAIN: "*"},
    "0.4": {
        "takes coordinates of the frame that all three angles have turned to base coordinates": "t64",
        "in base coordinates": "d1 t90#a t92",
        "takes rates of the three angles to angular velocities in base coordinates": "d2",
        _ON_THE_ANGLES: "e0.2",
        "of the map from angular velocities in base coordinates to rates of the three angles": "d3",
    },
    "0.5": {
        f"of forces, then of velocities, {WHOLE}": "t100",
        OF_CONSTRAINTS: "d2 d3",
        WITH_ROWS: "d11",
        WHOLE: "*",
    },
    "0.6": {WITH_ROWS: "e0.3", OF_CONSTRAINTS: "d1#a", WHOLE: "*"},
    "0.7": {
        OF_CONSTRAINTS: "d2",
        OF_CONTACTS: "d3#b d3#c d3#d d4 d5 d9",
        f"{WHOLE}, then of the constraints, then of the contacts": "d6 d7",
        "how many solves, then the speeds of the contacts": "t229",
        WITH_ROWS: "d10",
        WHOLE: "t174 d3#a",
    },
    "0.8": {
        "columns of alpha: row by row, those of alpha before the others": "t254",
        _BY_ALPHA: "*",
    },
    "0.9": {
        "rates of positions and of velocities for each of the schemes (symplectic Euler, implicit Euler, "
        f"trapezoidal, Bridson and Marino), {WHOLE}": "t269"
    },
    "0.9.1": {_STATE: "*"},
    "0.9.2": {_STATE: "t276 d1", _LAST_ROW: "d3", WHOLE: "*"},
    "0.9.3": {_STATE: "d1 d2", _LAST_ROW: "d4", WHOLE: "*"},
    "0.9.4": {_STATE: "t338", WHOLE: "*"},
    "0.10": {
        f"{WHOLE}, then along the normals of the contacts": "d1#a",
        f"{WHOLE}, then along the normals of the contacts, then along their tangents": "e0.5",
        "of constraint, normals and facets, then what is left of each friction bound": "d2#a d2#c",
        WHOLE: "d1#b t374 d2#b",
        OF_CONTACTS: "d2#d",
        "a row for each facet of each contact, a column for each contact": "t399#a",
        "one for each facet, the first along the first tangent": "d3#b",
        "whether it slides, then friction and what is left of its bound": "d4#b",
        "along the two tangents of the contact, then the largest along a facet": "d5",
    },
    "0.11": {
        "a row and a column for each constraint": "t432",
        "a row and a column for each constraint, with the target of each below": "t442 t453",
        WITH_ROWS: "e0.9 e0.10",
        "one for each constraint, then their signs": "d7 d8",
        OF_CONSTRAINTS: "*",
    },
    "0.12": {
        POINTS: "d1",
        f"the direction {_DIRECTION}; then the length": "d2",
        "of both points, along the axes of the world: by positions, then by velocities": "d3",
        "of both points, along the axes of the world": "d4 t504#a",
        "of the first point, along the axes of the world: by positions, then by velocities": "t504#b",
        "by the velocity of the first point, along the axes of the world": "d5#b d6#b d7#g d8#b",
        "along the spring, then across it, along the axes of the world": "t520",
        _BY_FIRST: "*",
    },
    "0.12.1": {
        "by the length, then by its rate": "d2",
        "by the velocity of the first point, along the axes of the world": "d3#b",
        "of the first point, along the axes of the world: by positions, then by velocities": "d4",
        _BY_FIRST: "*",
    },
    "0.13": {
        "on the first point, along the axes of the world": "d2",
        "material, then geometric: by the place of the first point, along the axes of the world": "t599",
        _BY_FIRST: "*",
    },
    "0.14": {
        "of each segment the direction along the axes of the world, then its length": "e0.11",
        "of each segment by each point, along the axes of the world": "e0.13",
        "of each via point by each point, along the axes of the world": "d2 d3",
        "of each via point, along the axes of the world": "d5",
        "the numbers before the first and after the last": "t642",
        "of each segment, along the axes of the world": "d9",
        _BLOCKS: "d11",
        "of one point by each, along the axes of the world": "d12",
        POINTS: "*",
    },
    "0.15": {WITH_ROWS: "d1", "of the constraints of the block": "t704#a", OF_CONSTRAINTS: "*"},
    "0.16": {"along the two tangents of the contact": "d2", "along the tangent, once by each form": "t724"},
    "0.17": {
        "of each attached coordinate, in their order": "e0.18 d2",
        "of the attached point by all points, along the axes of the world": "t732",
        "of the active coordinates, then of the attached ones": "d1",
        "of all coordinates, the attached ones last, then of constraints and attachments": "e0.19",
        "of the active coordinates, then of the constraints": "e0.20 t774#a",
        "of the active coordinates": "e0.21 e0.23",
        "one row for each constraint, over the active coordinates": "e0.22",
        OF_CONSTRAINTS: "t752 e0.24",
        "of the attached point, along the axes of the world": "t774#b t774#c t774#d",
        "of all coordinates, the attached ones last": "d3 d4 t786 d5",
        "of all coordinates, the attached ones last, in either order of the reductions": "t793",
    },
    "0.18": {
        "of the attached coordinates": "d1 d2",
        "of the active coordinates, which are the last": "t801 t851",
        "of all coordinates, those of k last, then of the constraints, then of the attachment": "e0.25",
        _KEPT: "e0.26",
        "of the coordinates that stay, alpha or beta": "e0.27 e0.28 e0.29 e0.30 e0.33 e0.34",
        "one row for each constraint, over the coordinates that stay": "e0.31 e0.32",
        OF_CONSTRAINTS: "e0.35",
        "of all coordinates, the active ones last": "t857",
        "between the two masters, along the axes of the world": "t859#a",
        "of the two masters, along the axes of the world": "t859#b d5",
    },
    "0.19": {
        IN_THE_WORLD: "e0.36 d4",
        "in the world, by the motion of the body, linear part first, along its axes": "d1",
        "about the origin of the body, linear part first, along its axes": "d2",
        _LINEAR_BODY: "d3 t900#b d5",
        "along the axes of the body": "t900#a",
        "in the frame of a and b": "t914",
    },
    "0.20": {
        "over the active points, along the axes of the world": "t918",
        WHOLE: "d1 d2",
    },
    "0.21": {
        "active velocities, controlled forces, attached velocities, then multipliers of both kinds": "d1",
        "active velocities, controlled forces, then multipliers of constraints": "d2",
        "of the active coordinates, then of the constraints": "d5",
        "of the coordinates that stay, active or controlled": "d3#a d3#b d3#c d3#d",
        "one row for each constraint, over the coordinates that stay": "d3#e d3#f",
        "of the active coordinates": "d3#g",
        "of the controlled coordinates": "d3#h d4",
        OF_CONSTRAINTS: "d3#i",
    },
    "0.22": {
        "takes coordinates of frame 2 to those of frame 1": "d2 t996",
        "on frame 1, then on frame 2 (force, moment), each along its own axes": "e0.37 e0.38",
        "on A, then on B (force, moment), each along its own axes": "e0.39 e0.40",
        "of frame 1, then of frame 2, along the axes of the world": "e0.41 e0.42",
    },
    "0.22.1": {
        "of A (translation, rotation), along the axes of the world": "t1050",
        "of frame 1, then of frame 2, along the axes of the world": "d1",
        "on frame 1, along its axes": "t1056#a",
        IN_THE_WORLD: "d2 d3 d4 d5",
        "of the vector part of the quaternion of frame 2 seen from frame 1": "d6",
        _IN_FRAME_1: "d8 d9 t1109 t1113 t1149",
        "takes angular velocities in frame 1 to rates of the rotation vector there": "e0.45 t1107",
        "along the axes of frame 1, once by each form": "t1103",
        "takes angular velocities in frame 2 to rates of the rotation vector": "e0.47",
        "moments by small rotations, along the axes of A": "d11",
        "along the axes of B": "d12 d14",
        "of the matrix that takes coordinates of frame 1 to those of B": "d13",
        "of A by B and of B by A, in the axes of frame 1": "t1178",
        _IN_BODIES: "t1161 d17",
        _ON_B: "e0.50 e0.51 d15 e0.52 e0.53",
        _ON_A: "*",
    },
    "0.22.2": {
        _ON_A: "e0.54 e0.55",
        _ON_B: "e0.56 e0.57",
        _IN_BODIES: "t1200 d2",
    },
    "0.22.3": {
        _OF_BOTH_IN_WORLD: "e0.58 d2 e0.59 d6",
        "in the coordinates that R makes of those of a": "d1",
        IN_THE_WORLD: "t1253#a",
        "force on A by its rotation, along the axes of the world": "t1253#b",
        "blocks of force and of moment by rotation, of A and of B, along the axes of the world": "t1267",
        _ON_A_IN_WORLD: "*",
    },
    "0.23": {
        "along the axes of the body": "d1 d2",
        "along the axes of the body, by small rotations along the axes of the world": "d3",
        "the Jacobian of that force, less its transpose": "t1288",
        "moments by small rotations, along the axes of the world": "d11",
        "the moment, along the axes of the world": "t1331",
        _LINEAR_FIRST: "*",
    },
}
