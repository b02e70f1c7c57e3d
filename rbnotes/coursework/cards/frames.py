"""In which frame or coordinates the vectors, matrices and poses of claims are, section by section.

Names that mean the same stand together; a longer section counts before the one that it is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rbnotes.coursework.cards.wordings import (
    ABOUT_THE_CENTRE,
    ANY,
    BODY,
    CLOSURE,
    COORDINATES,
    IN_THE_BODY,
    IN_THE_WORLD,
    MOTIONS,
    OF_CONSTRAINTS,
    OF_CONTACTS,
    OF_JOINTS,
    OF_ROWS,
    PLACES,
    PLAIN,
    POINTS,
    POSES,
    REDUCED,
    ROW_OF_EACH_CONTACT,
    ROWS_OF_CONTACTS,
    TREE,
    TWISTS,
)


def _each(text: str, **who: str) -> dict[str, str]:
    return {name: text.format(what) for name, what in who.items()}


_LLOYD: dict[str, dict[str, str]] = {
    "0.1": {**BODY, "x": IN_THE_BODY},
    "0.2": {
        "u": "axis of the rotation, the same in the world and in the rotated frame",
        "q": "takes rotated to world coordinates where it is of unit length",
        "p": "second factor",
        "omega": "in base coordinates, which are those of the world",
        "v": "in rotated coordinates",
    },
    "0.3": {"Q c A b z": PLAIN},
    "0.4": {
        "angles": "about z, then about the y axis that this has turned, then about the x axis that both have",
        "rates": "of these three angles, in that order",
        "multipliers": "of the constraints on these three angles, in that order",
    },
    "0.5": {"M v f": COORDINATES, "G H": OF_ROWS},
    "0.6": {"M v b": COORDINATES, "G": OF_ROWS, "multipliers g": OF_CONSTRAINTS},
    "0.7": {
        "M f x rows inside": COORDINATES,
        "G": OF_ROWS,
        "N": ROW_OF_EACH_CONTACT,
        "z n gap": OF_CONTACTS,
        "g multipliers": OF_CONSTRAINTS,
    },
    "0.8": {
        "M f": COORDINATES,
        "G": OF_ROWS,
        "N": ROW_OF_EACH_CONTACT,
        "q n other": OF_CONTACTS,
        "g": OF_CONSTRAINTS,
    },
    "0.9": {"M K D f x v": COORDINATES},
    "0.10": {
        "Mh M v f": COORDINATES,
        "G": OF_ROWS,
        "N": ROW_OF_EACH_CONTACT,
        "T": "two rows for each contact, one for each tangent, over the coordinates of the whole system",
        "theta mu": OF_CONTACTS,
        "phi xi": "of the contacts, in their order",
        "axes": "rows: the two tangents of the contact and its normal, in the world",
        "p": "along the axes of the contact: two tangents, then the normal",
        "s": "along the two tangents of the contact",
    },
    "0.11": {
        "M q v a b": COORDINATES,
        "G": OF_ROWS,
        "phi alpha rate beta dampers start middle end force": OF_CONSTRAINTS,
    },
    "0.12": {"x v": POINTS, "w": IN_THE_WORLD},
    "0.13": {"x v": POINTS},
    "0.14": {"x v offsets": POINTS},
    "0.15": {"M v0": COORDINATES, "G block": OF_ROWS, "c start A b x": OF_CONSTRAINTS},
    "0.16": {
        "D": "two tangents of the contact, as rows over the coordinates of the whole system",
        "v M": COORDINATES,
        "impulse": "along the two tangents of the contact",
    },
    "0.17": {
        **REDUCED,
        "x": "of points in the world; where there is a pose E, of one point in its body",
        "v a": f"{COORDINATES}; (2, 3): of points, along the axes of the world",
        "weights": "of the points that carry the attached one",
        "E": "of the body in the world",
        "phi": IN_THE_BODY,
        "Gba Gka Gja": "one row for each attached coordinate, over those that it is attached to",
        "v_active va gb": "of the coordinates in question, in their order",
        "la": OF_CONSTRAINTS,
    },
    "0.18": {
        **REDUCED,
        "Gb Gk": "one row for each attached coordinate, over those that it is attached to",
        "va vb v gk gb": "of the coordinates in question, in their order",
        "ga": OF_CONSTRAINTS,
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
        "M v0": COORDINATES,
        "G": "the row of the constraint, over the coordinates of the whole system",
        "own": "the rows of the two masters, along the axes of the world",
        "attached": "the row of the attached point, along the axes of the world",
        "weights": "of the masters",
    },
    "0.21": {
        "M": f"{COORDINATES}: those that are moved as they are told after those that are not",
        "G": OF_ROWS,
        "Gb": "one row for each attached coordinate, over the others",
        "fa fb gb vr": "of the coordinates in question, in their order",
        "S gs": OF_CONSTRAINTS,
    },
    "0.22": {
        "delta": f"{MOTIONS}, along the axes of the world",
        "turn": "small rotation of the body, along its axes",
        **_each("origin of the frame {}", p_1="1, in the body A", p_2="2, in the body B"),
        **_each("of the body {} in the world", R_AW="A", R_BW="B"),
        "R": "takes coordinates of one frame to those of another",
        "a": "in the coordinates that R takes to others",
        "omega": "of frame 2 against frame 1, along the axes of the world",
    },
    "0.22.1": {"delta": f"{MOTIONS}, along the axes of the bodies"},
    "0.22.2": {
        "delta": "changes of the velocities of A, then of B (linear, angular), along the axes of the world"
    },
    "0.23": {
        "J": ABOUT_THE_CENTRE,
        "R_BW": "of the body in the world",
        "f df tau omega v": IN_THE_WORLD,
        "delta": "small rotation of the body, along the axes of the world",
    },
}
_PAIR = {
    **{f"E{body}": f"of the body {body} in the world" for body in "ikj"},
    **{f"phi_{body} f_{body}": f"of the body {body}, in its frame" for body in "ikj"},
}
_SUEDA: dict[str, dict[str, str]] = {
    "1.1": {
        "E R": "of the body in the world",
        "p": "origin of the body, in the world",
        "r first second": "rotation vector, the same in the world and in the rotated frame",
        "x": "of a point",
        "E1 E2": "of two bodies in the world",
    },
    "1.2": {"phi": IN_THE_BODY, "a b": ANY, "E": "of the body in the world"},
    "1.3": {
        "w": "the same in the world and in the rotated frame",
        "phi": IN_THE_BODY,
        "E": "of the body in the world",
    },
    "1.4": {
        "E": "of the body in the world",
        "x": "in the frame of the body",
        "phi": IN_THE_BODY,
        "f": IN_THE_WORLD,
        "q": "of the two joints of an arm",
        **_each("screw of the {} joint, in the frame that it moves", first="first", second="second"),
    },
    "1.5": {
        "E R": "of the body in the world",
        "phi": IN_THE_BODY,
        "a b": "of two motions, in one frame",
        "v x": "in the coordinates that R takes to those of the world",
    },
    "1.6": {**BODY, "phi wrench": IN_THE_BODY, "E": "of the body in the world", "g": IN_THE_WORLD},
    "1.7": {**BODY, "phi": IN_THE_BODY, "E": "of the body in the world", "vertices": IN_THE_BODY},
    "1.7.1": {
        **_each("of the {} body, about its centre of mass and along its own axes", J1="first", J2="second"),
        **_each("of the {} body in the common frame", E1="first", E2="second"),
        "V": "columns in the frame of the composite body",
    },
    "1.8": {**BODY, "phi wrench w v": IN_THE_BODY, "E": "of the body in the world"},
    "1.9": {
        "M S C q": COORDINATES,
        "phi": IN_THE_BODY,
        "E": POSES,
        "x": PLACES,
        "dx": "from the first point to the second, along the axes of the world",
        "dv": "velocity of the second point less that of the first, along the axes of the world",
        "coefficients": "of a cubic, without a frame",
    },
    "1.9.2": {
        "a": "direction of the force, along the axes of the world",
        "E R": "of the body in the world",
        "x": IN_THE_BODY,
    },
    "1.10": {
        **_PAIR,
        "J J1 J2": "of the joint in the first body",
        "E": "of one frame in another",
        "E1 E2 E3": "of the bodies in the world",
        "Phi": "of all bodies, each in its frame",
        "M f a": COORDINATES,
        "G": OF_ROWS,
        "B": "columns in the coordinates of the whole system",
        "lam": OF_CONSTRAINTS,
        **_each("of the body {}, in its frame", along_i="i", along_k="k"),
    },
    "1.11": {
        **_PAIR,
        "E": "of the body in the world",
        "x": "where they touch, in the world",
        "phi phidot": IN_THE_BODY,
        "n out": "direction in the world",
        "M f": COORDINATES,
        "C G": OF_ROWS,
    },
    "1.12": {
        "A b q v M x f w": COORDINATES,
        **_each("the joint's point in the body {}, in its frame", x1="1", x2="2"),
        **_each("of the body {} in the world", E="1", E1="1", E2="2"),
        "off": "of the second body's point from the joint's origin, along the axes of the joint",
        **_each("of the body {}, in its frame", phi1="1", phi2="2"),
        "G B N A1 A2": OF_ROWS,
        "g target gap rate drift": OF_CONSTRAINTS,
    },
    "1.13": {
        "M f": COORDINATES,
        "N T": ROWS_OF_CONTACTS,
        "alpha beta lam": "of the contacts, in their order",
    },
    "2": {
        **TREE,
        "phi": TWISTS,
        "f": OF_JOINTS,
        **_each("of the {} in the world", parent="parent", joint="joint"),
        "parts": "of the joint and of the body at rest, in the world",
        "axis": "of the hinge, in the frame of the joint",
    },
    "2.1": {
        **_each("of the {}, in its frame", phi_i="child", phi_p="parent"),
        "psi": "of the joint, in its frame",
        "E_1": "of the first body in the world",
        "phi_0": "of what carries the first body, in the world",
    },
    "2.2": {
        "E": "of the body in the world",
        "phi": IN_THE_BODY,
        **_each("of the {} in the world", E_i="child", E_p="parent"),
        **_each("of the {}, in its frame", phi_i="child", phi_p="parent"),
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
        "a": "axis of the first turn, in the fixed frame",
        "b": "axis of the second turn, in the frame that the first has turned",
        "c": "axis of the third turn, in the frame that the first two have turned",
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
        "g": IN_THE_WORLD,
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
        "k d rest after M f": OF_JOINTS,
        "law": "of the joints: slopes of forces by q and v, then K and D",
    },
    "2.6": {
        "a": OF_JOINTS,
        "r r_dot start": "reduced coordinates, from which those of the joints follow, or their rates",
    },
    "2.7": {
        "x": "of the nodes, in the world; where there is a single pose E, of a point in its body",
        "v": "of a node, along the axes of the world; (5,): of the joints",
        "x0 x1": "of the two ends, in the world",
        "nodes y": "of the nodes that are free, in the world",
        "w w2 b": "of the nodes that are free, along the axes of the world",
        "x_a": "of the nodes that are attached, each in its body",
        "K L": "of the springs, in their order",
        "m": "of the nodes, in their order",
        "E": "of the body in the world, or of each body",
        "phi": TWISTS,
        "a v2": OF_JOINTS,
    },
    "2.8": {
        **CLOSURE,
        **_each("of the body {}, in its frame", phi_A="A", phi_B="B"),
        **_each("of the body {} in the world", A="A", B="B"),
        "axis": "of the hinge, in the body A",
        "place": "of the plane of the bars in the world",
        "frames": "of the bodies, each in its bar",
        "tilt": "of the plane of the bars on the base that carries it",
        "a": "in the frame in which the two directions are wanted",
        "x": "of a point, in the frame of its body",
        "normal": "of the plane, in the world",
    },
    "2.9": {**CLOSURE, "a told": OF_JOINTS},
    "2.10": {"x": OF_JOINTS, "y": "of each body", "states": "coordinates of the joints, then their rates"},
    "2.11": {
        "M v f rub push cached load c": COORDINATES,
        "T N contacts": ROWS_OF_CONTACTS,
        "mu": OF_CONTACTS,
    },
    "2.12": {
        "a row": OF_JOINTS,
        **CLOSURE,
        "weights": OF_CONSTRAINTS,
        "x": "of a point, in the frame of its body",
        "normal": "of the plane, in the world",
        "E": "of the frame in question in the world",
    },
    "2.13": {"x": OF_JOINTS, "K_m D_m": "of each body, in its frame"},
}
_SI: dict[str, dict[str, str]] = {
    **dict.fromkeys(("1", "2", "A", "B"), TREE),
    "3": {
        "R T": "of the body in the world",
        "t": "origin of the body, in the world",
        "v vdot": IN_THE_BODY,
        "a b": "of two motions, in one frame",
        "r": "centre of mass, in the frame of the body",
        "Ic": ABOUT_THE_CENTRE,
        "push": IN_THE_WORLD,
        "x g": IN_THE_BODY,
        "f": "in the frame in which the body has its pose T",
    },
    "4": {**TREE, "T": "of the body in the world", "v": IN_THE_BODY, "G": "of the body in its parent"},
    "5": {"points": "of each body: mass, then place in it", "g": IN_THE_WORLD, "q qdot": OF_JOINTS},
    "6": {"axis": "of the rotation vector, in either frame", "w": "along the axes of the moving frame"},
    "C": {"T": "of the body in the world", "v": IN_THE_BODY},
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
        "rbnotes/sSE3: xi": "in the frame of the body, which is the same at the start and at the end",
    }
)
"""By the beginning of a section, and a name."""
