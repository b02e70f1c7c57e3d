"""Schematic drawings of the book by name: each is a function that draws with a pen."""

from __future__ import annotations

from collections.abc import Callable

from rbnotes_book.drawings import checking, contacts, frames, springs, systems
from rbnotes_book.drawings.pen import Pen

DRAWINGS: dict[str, Callable[[], Pen]] = {
    "checking": checking.checking,
    "pose": frames.pose,
    "velocities": frames.velocities,
    "joint-frames": frames.joint,
    "joint-chain": frames.chain,
    "tree": frames.tree,
    "axial-spring": springs.axial,
    "cable": springs.cable,
    "muscle": springs.muscle,
    "frame-spring": springs.frame_spring,
    "gap": contacts.gap,
    "friction-cones": contacts.cones,
    "complementarity": contacts.complementarity,
    "constraint": systems.constraint,
    "kkt-blocks": systems.kkt,
    "attachments": systems.attachments,
    "fewer-coordinates": systems.coordinate_reduction,
    "crank": systems.crank,
    "loop": systems.loop,
}
