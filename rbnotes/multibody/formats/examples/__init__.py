"""Example robots in URDF, with plausible numbers: arm, torso with two arms, gripper, quadruped."""

from __future__ import annotations

from pathlib import Path

from rbnotes import arguments

_FILES = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.urdf"))}


def example(name: str) -> Path:
    """Return the URDF file of an example: ``"arm"``, ``"gripper"``, ``"quadruped"`` or ``"torso"``.

    Raises
    ------
    InvalidArgument
        If there is none of this name.
    """
    return _FILES[arguments.choice("name", name, tuple(_FILES))]
