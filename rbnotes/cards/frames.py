"""In which frame or coordinates the vectors, matrices and poses of claims are, section by section.

Names that mean the same stand together; a longer section counts before the one that it is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_COORDINATES = "in the coordinates of the whole system, whatever they are"
_OF_ROWS = "one row for each constraint, over the coordinates of the whole system"
_OF_CONSTRAINTS = "one for each constraint"
_ROW_OF_EACH_CONTACT = "one row for each contact, over the coordinates of the whole system"
_ROWS_OF_CONTACTS = "rows of the contacts, over the coordinates of the whole system"
_OF_CONTACTS = "one for each contact"
_OF_JOINTS = "of the joints, in their order"
_OF_BODIES = "on each body, about its origin, along its axes"
_POINTS = "of the points, along the axes of the world"
_POSES = "of each body in the world"
_PLACES = "in each body, in its frame"
_TWISTS = "of each body, in its frame"
_IN_THE_BODY = "in the frame of the body"
_IN_THE_WORLD = "along the axes of the world"
_PLAIN = "numbers without a frame"
_ABOUT_THE_CENTRE = "about the centre of mass, along the axes of the body"
_ANY = "along the axes of one frame, which may be any"
_MOTIONS = "small motions of A, then of B (translation, rotation)"
_CLOSURE = "of the point of A (B) where the loop closes, in the frame of its body"
_REDUCED = {
    "M": f"{_COORDINATES}: those that are attached after those that are not",
    "v f": f"{_COORDINATES}: those that are attached after those that are not",
    "G": _OF_ROWS,
    "S g": _OF_CONSTRAINTS,
}
_BODY = {"c": "centre of mass, in the frame of the body", "J": _ABOUT_THE_CENTRE}
_TREE = {
    "q v qdot qddot tau angles rates": _OF_JOINTS,
    "g": _IN_THE_WORLD,
    "wrenches": _OF_BODIES,
}

_LLOYD: dict[str, dict[str, str]] = {
    "0.1": {**_BODY, "x": _IN_THE_BODY},
    "0.2": {
        "u": "axis of the rotation, the same in the world and in the rotated frame",
        "q": "takes rotated to world coordinates where it is of unit length",
        "p": "second factor",
        "omega": "in base coordinates, which are those of the world",
        "v": "in rotated coordinates",
    },
    "0.3": {"Q c A b z": _PLAIN},
    "0.4": {
        "angles": "about z, then about the y axis that this has turned, then about the x axis that both have",
        "rates": "of these three angles, in that order",
        "multipliers": "of the constraints on these three angles, in that order",
    },
    "0.5": {"M v f": _COORDINATES, "G H": _OF_ROWS},
    "0.6": {"M v b": _COORDINATES, "G": _OF_ROWS, "multipliers g": _OF_CONSTRAINTS},
    "0.7": {
        "M f x rows inside": _COORDINATES,
        "G": _OF_ROWS,
        "N": _ROW_OF_EACH_CONTACT,
        "z n gap": _OF_CONTACTS,
        "g multipliers": _OF_CONSTRAINTS,
    },
    "0.8": {
        "M f": _COORDINATES,
        "G": _OF_ROWS,
        "N": _ROW_OF_EACH_CONTACT,
        "q n other": _OF_CONTACTS,
        "g": _OF_CONSTRAINTS,
    },
    "0.9": {"M K D f x v": _COORDINATES},
    "0.10": {
        "Mh M v f": _COORDINATES,
        "G": _OF_ROWS,
        "N": _ROW_OF_EACH_CONTACT,
        "T": "two rows for each contact, one for each tangent, over the coordinates of the whole system",
        "theta mu": _OF_CONTACTS,
        "phi xi": "of the contacts, in their order",
        "axes": "rows: the two tangents of the contact and its normal, in the world",
        "p": "along the axes of the contact: two tangents, then the normal",
        "s": "along the two tangents of the contact",
    },
    "0.11": {
        "M q v a b": _COORDINATES,
        "G": _OF_ROWS,
        "phi alpha rate beta dampers start middle end force": _OF_CONSTRAINTS,
    },
    "0.12": {"x v": _POINTS, "w": _IN_THE_WORLD},
    "0.13": {"x v": _POINTS},
    "0.14": {"x v offsets": _POINTS},
    "0.15": {"M v0": _COORDINATES, "G block": _OF_ROWS, "c start A b x": _OF_CONSTRAINTS},
    "0.16": {
        "D": "two tangents of the contact, as rows over the coordinates of the whole system",
        "v M": _COORDINATES,
        "impulse": "along the two tangents of the contact",
    },
    "0.17": {
        **_REDUCED,
        "x": "of points in the world; where there is a pose E, of one point in its body",
        "v a": f"{_COORDINATES}; (2, 3): of points, along the axes of the world",
        "weights": "of the points that carry the attached one",
        "E": "of the body in the world",
        "phi": _IN_THE_BODY,
        "Gba Gka Gja": "one row for each attached coordinate, over those that it is attached to",
        "v_active va gb": "of the coordinates in question, in their order",
        "la": _OF_CONSTRAINTS,
    },
    "0.18": {
        **_REDUCED,
        "Gb Gk": "one row for each attached coordinate, over those that it is attached to",
        "va vb v gk gb": "of the coordinates in question, in their order",
        "ga": _OF_CONSTRAINTS,
        "onto_active onto_next": "one matrix for each attachment, over the coordinates of the next",
    },
    "0.19": {
        "R": "of the body in the world",
        "c": "of the point, in the frame of the body",
        "v vdot a": "of the origin of the body, along the axes of the body",
        "w wdot": "of the body, along its own axes",
        "M": "of the body, about its origin and along its axes",
        "b": "along the axes of the body",
    },
    "0.20": {
        "M v0": _COORDINATES,
        "G": "the row of the constraint, over the coordinates of the whole system",
        "own": "the rows of the two masters, along the axes of the world",
        "attached": "the row of the attached point, along the axes of the world",
        "weights": "of the masters",
    },
    "0.21": {
        "M": f"{_COORDINATES}: those that are moved as they are told after those that are not",
        "G": _OF_ROWS,
        "Gb": "one row for each attached coordinate, over the others",
        "fa fb gb vr": "of the coordinates in question, in their order",
        "S gs": _OF_CONSTRAINTS,
    },
    "0.22": {
        "delta": f"{_MOTIONS}, along the axes of the world",
        "turn": "small rotation of the body, along its axes",
        "p_1 p_2": "origin of the frame 1 (2), in the frame of its body A (B)",
        "R_AW R_BW": "of the body A (B) in the world",
        "R": "takes coordinates of one frame to those of another",
        "a": "in the coordinates that R takes to others",
        "omega": "of frame 2 against frame 1, along the axes of the world",
    },
    "0.22.1": {"delta": f"{_MOTIONS}, along the axes of the bodies"},
    "0.22.2": {
        "delta": "changes of the velocities of A, then of B (linear, angular), along the axes of the world"
    },
    "0.23": {
        "J": _ABOUT_THE_CENTRE,
        "R_BW": "of the body in the world",
        "f df tau omega v": _IN_THE_WORLD,
        "delta": "small rotation of the body, along the axes of the world",
    },
}
_PAIR = {
    "Ei Ek Ej": "of the body i (k, j) in the world",
    "phi_i phi_k phi_j f_i f_k": "of the body i (k, j), in its frame",
}
_SUEDA: dict[str, dict[str, str]] = {
    "1.1": {
        "E R": "of the body in the world",
        "p": "origin of the body, in the world",
        "r first second": "rotation vector, the same in the world and in the rotated frame",
        "x": "of a point",
        "E1 E2": "of two bodies in the world",
    },
    "1.2": {"phi": _IN_THE_BODY, "a b": _ANY, "E": "of the body in the world"},
    "1.3": {
        "w": "the same in the world and in the rotated frame",
        "phi": _IN_THE_BODY,
        "E": "of the body in the world",
    },
    "1.4": {
        "E": "of the body in the world",
        "x": "in the frame of the body",
        "phi": _IN_THE_BODY,
        "f": _IN_THE_WORLD,
        "q": "of the two joints of an arm",
        "first second": "screw of the first (second) joint, in the frame that it moves",
    },
    "1.5": {
        "E R": "of the body in the world",
        "phi": _IN_THE_BODY,
        "a b": "of two motions, in one frame",
        "v x": "in the coordinates that R takes to those of the world",
    },
    "1.6": {**_BODY, "phi wrench": _IN_THE_BODY, "E": "of the body in the world", "g": _IN_THE_WORLD},
    "1.7": {**_BODY, "phi": _IN_THE_BODY, "E": "of the body in the world", "vertices": _IN_THE_BODY},
    "1.7.1": {
        "J1 J2": "of the first (second) body, about its centre of mass and along its own axes",
        "E1 E2": "of the first (second) body in the common frame",
        "V": "columns in the frame of the composite body",
    },
    "1.8": {**_BODY, "phi wrench w v": _IN_THE_BODY, "E": "of the body in the world"},
    "1.9": {
        "M S C q": _COORDINATES,
        "phi": _IN_THE_BODY,
        "E": _POSES,
        "x": _PLACES,
        "dx": "from the first point to the second, along the axes of the world",
        "dv": "velocity of the second point less that of the first, along the axes of the world",
        "coefficients": "of a cubic, without a frame",
    },
    "1.9.2": {
        "a": "direction of the force, along the axes of the world",
        "E R": "of the body in the world",
        "x": _IN_THE_BODY,
    },
    "1.10": {
        **_PAIR,
        "J J1 J2": "of the joint in the first body",
        "E": "of one frame in another",
        "E1 E2 E3": "of the bodies in the world",
        "Phi": "of all bodies, each in its frame",
        "M f a": _COORDINATES,
        "G": _OF_ROWS,
        "B": "columns in the coordinates of the whole system",
        "lam": _OF_CONSTRAINTS,
        "along_i along_k": "of the body i (k), in its frame",
    },
    "1.11": {
        **_PAIR,
        "E": "of the body in the world",
        "x": "where they touch, in the world",
        "phi phidot": _IN_THE_BODY,
        "n out": "direction in the world",
        "M f": _COORDINATES,
        "C G": _OF_ROWS,
    },
    "1.12": {
        "A b q v M x f w": _COORDINATES,
        "x1 x2": "of the joint's point in the body 1 (2), in its frame; of a rod's ends, in the world",
        "E E1 E2": "of the body in the world; the second seen from the joint where there is an offset",
        "off": "of the second body's point from the joint's origin, along the axes of the joint",
        "phi1 phi2": "of the body 1 (2), in its frame",
        "G B N A1 A2": _OF_ROWS,
        "g target gap rate drift": _OF_CONSTRAINTS,
    },
    "1.13": {
        "M f": _COORDINATES,
        "N T": _ROWS_OF_CONTACTS,
        "alpha beta lam": "of the contacts, in their order",
    },
    "2": {
        **_TREE,
        "phi": _TWISTS,
        "f": _OF_JOINTS,
        "parent joint": "of the parent (the joint) in the world",
        "parts": "of the joint and of the body at rest, in the world",
        "axis": "of the hinge, in the frame of the joint",
    },
    "2.1": {
        "phi_i phi_p": "of the child (the parent), in its frame",
        "psi": "of the joint, in its frame",
        "E_1": "of the first body in the world",
        "phi_0": "of what carries the first body, in the world",
    },
    "2.2": {
        "E": "of the body in the world",
        "phi": _IN_THE_BODY,
        "E_i E_p": "of the child (the parent) in the world",
        "phi_i phi_p": "of the child (the parent), in its frame",
    },
    "2.4": {
        "q q1 q2 q3": "coordinates of the joint in question",
        "qdot v1 v2 v1dot v2dot u": "rates of the coordinates of the joint in question",
        "E0": "of the joint at rest, in the frame that carries it",
        "x": "of a point, in the frame that the joint moves",
        "twist": "of what the joint moves, in its frame",
    },
    "2.4.2": {"a": "direction of the slide, in the frame of the joint"},
    "2.4.5": {
        "a b c": "axis of the first (second, third) turn, in the frame that the turns before it have turned",
        "P": "of the joint at rest, in the frame of the joint that carries it",
        "B": "of the body, in the frame of its joint",
    },
    "2.4.8": {
        "p pdot": "quaternion of the moving frame in the fixed one, of any length, and its rate",
        "R": "of the moving frame in the fixed one",
        "a": "axis, the same in both frames",
    },
    "2.4.9": {
        "c": "centre of mass, in the frame that joint 2 moves",
        "J": "about the centre of mass, along the axes of that frame",
        "g": _IN_THE_WORLD,
        "twist": "seen from the frame of joint 1",
    },
    "2.4.11": {
        "r": "rotation vector of the moving frame in the fixed one",
        "p": "origin of the moving frame, in the fixed one",
    },
    "2.4.12": {"C": "control points as columns, or control frames, in the fixed frame of the joint"},
    "2.4.13": {
        "C": "heights over a grid of control points",
        "t angles values": "of a control frame: translation, and angles",
        "P": "of the control frames",
    },
    "2.5": {
        "k d rest after M f": _OF_JOINTS,
        "law": "of the joints: slopes of forces by q and v, then K and D",
    },
    "2.6": {
        "a": _OF_JOINTS,
        "r r_dot start": "reduced coordinates, from which those of the joints follow, or their rates",
    },
    "2.7": {
        "x": "of the nodes, in the world; where there is a single pose E, of a point in its body",
        "v": "of a node, along the axes of the world; (5,): of the joints",
        "x0 x1": "of the two ends, in the world",
        "nodes y": "of the nodes that are free, in the world",
        "w w2 b": "of the nodes that are free, along the axes of the world",
        "x_a": "of the nodes that are attached, each in its body",
        "K L m": "of the springs (the nodes), in their order",
        "E": "of the body in the world, or of each body",
        "phi": _TWISTS,
        "a v2": _OF_JOINTS,
    },
    "2.8": {
        "x_A x_B": _CLOSURE,
        "phi_A phi_B": "of the body A (B), in its frame",
        "A B": "of the body A (B) in the world",
        "axis": "of the hinge, in the body A",
        "place": "of the plane of the bars in the world",
        "frames": "of the bodies, each in its bar",
        "tilt": "of the plane of the bars on the base that carries it",
        "a": "in the frame in which the two directions are wanted",
        "x": "of a point, in the frame of its body",
        "normal": "of the plane, in the world",
    },
    "2.9": {"a told": _OF_JOINTS, "x_A x_B": _CLOSURE},
    "2.10": {"x": _OF_JOINTS, "y": "of each body", "states": "coordinates of the joints, then their rates"},
    "2.11": {
        "M v f rub push cached load c": _COORDINATES,
        "T N contacts": _ROWS_OF_CONTACTS,
        "mu": _OF_CONTACTS,
    },
    "2.12": {
        "a row": _OF_JOINTS,
        "x_A x_B": _CLOSURE,
        "weights": _OF_CONSTRAINTS,
        "x": "of a point, in the frame of its body",
        "normal": "of the plane, in the world",
        "E": "of the frame in question in the world",
    },
    "2.13": {"x": _OF_JOINTS, "K_m D_m": "of each body, in its frame"},
}
_SI: dict[str, dict[str, str]] = {
    **dict.fromkeys(("1", "2", "A", "B"), _TREE),
    "3": {
        "R T": "of the body in the world",
        "t": "origin of the body, in the world",
        "v vdot": _IN_THE_BODY,
        "a b": "of two motions, in one frame",
        "r": "centre of mass, in the frame of the body",
        "Ic": _ABOUT_THE_CENTRE,
        "push": _IN_THE_WORLD,
        "x g": _IN_THE_BODY,
        "f": "in the frame in which the body has its pose T",
    },
    "4": {**_TREE, "T": "of the body in the world", "v": _IN_THE_BODY, "G": "of the body in its parent"},
    "5": {"points": "of each body: mass, then place in it", "g": _IN_THE_WORLD, "q qdot": _OF_JOINTS},
    "6": {"axis": "of the rotation vector, in either frame", "w": "along the axes of the moving frame"},
    "C": {"T": "of the body in the world", "v": _IN_THE_BODY},
}


def _flat(source: str, sections: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        f"{source}/s{section}: {name}": text
        for section, told in sections.items()
        for names, text in told.items()
        for name in names.split()
    }


FRAMES: Mapping[str, str] = MappingProxyType(
    {
        **_flat("lloyd", _LLOYD),
        **_flat("sueda", _SUEDA),
        **_flat("si", _SI),
        "lloyd/s0.2/d3#a: omega": "in rotated coordinates",
        "lloyd/s0.2/d3#b: omega": "in rotated coordinates",
        "lloyd/s0.22.1/d1: delta": f"{_MOTIONS}, along the axes of the world",
        "lloyd/s0.23/d2#a: delta": "small rotation of the body, along its axes",
        "lloyd/s0.23/d2#b: delta": "small rotation of the body, along its axes",
        "si/s3/d3#b: f": "in the frame of g",
        "si/s3/d3#b: g": "in one frame with f",
        "sueda/s2.12/t1528: x": "of a point, in the frame of the second joint",
        "sueda/s1.1/t35: x": "in the world",
        "sueda/s1.1/e1.2: x": _IN_THE_BODY,
        "rbnotes/sSE3: xi": "in the frame of the body, which is the same at the start and at the end",
    }
)
"""By a claim or the beginning of its section, and a name."""
