"""Meanings of arguments and results that neither shape nor units show: frames above all.

By name, or by the beginning of an id and a name; the longest beginning counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rbnotes.coursework.cards.frames import FRAMES
from rbnotes.coursework.cards.returned import RETURNED
from rbnotes.coursework.cards.wordings import IN_THE_BODY, MOTIONS, OF_AN_LCP
from rbnotes.ledger.record import Record

_IN_THE_WORLD = "in the world, with all coordinates zero"
_BRANCHING = "joint (a cross about x and y; on it a hinge about z, with a slider along z, and another hinge)"
_CURVED = (
    "coordinates on which the errors of two constraints depend: phi = (q[0]**2 + q[1] * q[2] - 1, "
    "sin(q[3]) + q[0] * q[1] - q[2])"
)
_ON_A_PATH = "a step of size h on the path q + t v + t**2 a/2"
_MEANINGS = {
    "assembly": (
        f"a tree of joints and bodies {_IN_THE_WORLD}: the parent of each body (-1: none); joints about z "
        "(revolute), along z (prismatic), about x and then y (universal) or by a rotation vector "
        "(spherical); centres in the bodies, inertias about these"
    ),
    "cloud": (
        "a hinge that carries a universal joint on one branch, a slider and then a screw on the other: "
        "joints in the frames of their parents' joints, bodies in those of their joints, centres in the "
        "bodies, inertias about these"
    ),
    "lloyd/s0.11/d2: q": _CURVED,
    "lloyd/s0.11/d2: result": "the force, by phi and by the multipliers: twice the same row",
    **dict.fromkeys((f"lloyd/s0.11/t438#{part}: q" for part in "abc"), _CURVED),
    "lloyd/s0.11/t438#a: result": f"the mean of phi over {_ON_A_PATH}: value and slope by h, at h = 0",
    "lloyd/s0.11/t438#b: result": f"the mean of the rate of phi over {_ON_A_PATH}, at h = 0",
    "lloyd/s0.11/t438#c: result": f"phi at the end of {_ON_A_PATH}: value and slope by h, at h = 0",
    "sueda/s2: at": f"for each {_BRANCHING} its place in its parent's joint, and its body's place in it",
    "sueda/s2: bodies": "for each body four points: mass, then place in the body",
    "sueda/s2.8: bars": "lengths of ground, crank, coupler and rocker",
    "sueda/s2.8: bodies": "for each body its points: mass, then place in the body's frame",
    "sueda/s2.1: E_i": "of the child in the world",
    "sueda/s2.1: E_p": "of the parent in the world",
    "sueda/s2.1: J": "of the joint in the child",
    "sueda/s2.1: F": f"of the joints {_IN_THE_WORLD}",
    "sueda/s2.1: B": f"of the bodies {_IN_THE_WORLD}",
    "sueda/s2.2: F": f"of the joints {_IN_THE_WORLD}",
    "sueda/s2.2: B": f"of the bodies {_IN_THE_WORLD}",
    "sueda/s2.10: F": f"of the joints {_IN_THE_WORLD}",
    "sueda/s2.10: B": f"of the bodies {_IN_THE_WORLD}",
    "sueda/s2.4.9: A": "the arm at the end of joint 1, a ball",
    "sueda/s2.4.9: B": "the arm in joint 2, between its hinge and its screw",
    "sueda/s2.4.9: a": "axis of the hinge of joint 2",
    "sueda/s2.4.9: b": "axis of the screw of joint 2, after B",
    "lloyd/s0.22: poses": "of the bodies A and B in the world, of frame 1 in A, of frame 2 in B",
    "lloyd/s0.22: velocities": "linear and angular of A, then of B, along the axes of the world",
    "lloyd/s0.22.1: w": "rotation vector of frame 2 seen from frame 1",
    "lloyd/s0.22.1: omega": "angular velocity of frame 2 against frame 1, in frame 1",
    "lloyd/s0.22.1: R_2B": "of frame 2 in the body B",
    "lloyd/s0.2/d3#a: omega": "in rotated coordinates",
    "lloyd/s0.2/d3#b: omega": "in rotated coordinates",
    "lloyd/s0.22.1/d1: delta": f"{MOTIONS}, along the axes of the world",
    **{f"lloyd/s0.8/{place}: M": OF_AN_LCP for place in ("e0.4#a", "e0.4#b", "t256", "d2", "d3")},
    "lloyd/s0.8/t256: other": "of another problem, whose columns outside of alpha are these",
    **{f"sueda/s1.12/t640#b: {end}": "end of the rod, in the world" for end in ("x1", "x2")},
    "lloyd/s0.23/d2#a: delta": "small rotation of the body, along its axes",
    "lloyd/s0.23/d2#b: delta": "small rotation of the body, along its axes",
    "si/s3/d3#b: f": "in the frame of g",
    "si/s3/d3#b: g": "in one frame with f",
    "sueda/s2.12/t1528: x": "of a point, in the frame of the second joint",
    "sueda/s1.1/t35: x": "in the world",
    "sueda/s1.1/e1.2: x": IN_THE_BODY,
}
MEANINGS: Mapping[str, str] = MappingProxyType(_MEANINGS)


def meaning(claim: Record, name: str) -> str:
    """Return the meaning of an argument of a claim, or of its ``result``.

    Empty if no meaning is listed.
    """
    source, section = claim.id.split("/")[:2]
    places = [claim.id, claim.display, *(f"{source}/{each}" for each in _beginnings(section))]
    keys = [f"{place}: {name}" for place in places]
    told = (texts[key] for texts in (MEANINGS, FRAMES, RETURNED) for key in (*keys, name) if key in texts)
    return next(told, "")


def _beginnings(section: str) -> list[str]:
    """Return a section and those that it is in, the longest first."""
    numbers = section.split(".")
    return [".".join(numbers[:count]) for count in range(len(numbers), 0, -1)]
