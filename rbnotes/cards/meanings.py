"""What arguments stand for, where neither shape nor units tell it: frames above all.

By name, or by the beginning of an id and a name; the longest beginning counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rbnotes.cards.frames import FRAMES
from rbnotes.ledger.record import Record

_IN_THE_WORLD = "in the world, with all coordinates zero"
_BRANCHING = "joint (a cross about x and y; on it a hinge about z, with a slider along z, and another hinge)"
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
}
MEANINGS: Mapping[str, str] = MappingProxyType(_MEANINGS)


def meaning(claim: Record, name: str) -> str:
    """What an argument of a claim stands for; empty where there is nothing to add."""
    parts = claim.id.split("/")[:2]
    keys = [f"{claim.id}: {name}", *(f"{parts[0]}/{section}: {name}" for section in _beginnings(parts[1]))]
    told = (texts[key] for texts in (MEANINGS, FRAMES) for key in (*keys, name) if key in texts)
    return next(told, "")


def _beginnings(section: str) -> list[str]:
    """A section and those that it is in, the longest first."""
    numbers = section.split(".")
    return [".".join(numbers[:count]) for count in range(len(numbers), 0, -1)]
