"""Keep the outputs of executed chapters in a folder that is named after everything they depend on.

The cache itself only compares code cells. A change in the library, an installed distribution or the data that
chapters read gives the folder another name, so outputs are never stale.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Iterable, Set
from functools import cache
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

import rbnotes

FOLDER = "_build/executed"
DATA = "book/_data"
"""Folder of the data that chapters read; its TOML files are for the extension only."""
MAX_STORED_STATES = 5
"""Number of states whose outputs are kept: switching between two of them runs nothing again."""


def digest(parent: Path, ignored_types: Set[str], versions: Iterable[str] = ()) -> str:
    """Hash the files in a folder, except those of some types, and versions beside them."""
    result = hashlib.sha256("\n".join(sorted(versions)).encode())
    for path in sorted(parent.rglob("*")):
        if path.is_file() and path.suffix not in ignored_types:
            result.update(path.relative_to(parent).as_posix().encode() + path.read_bytes())
    return result.hexdigest()[:16]


@cache
def fingerprint() -> str:
    """Hash everything installed that a chapter's outputs can depend on."""
    versions = {f"{item.metadata['Name']}=={item.version}" for item in metadata.distributions()}
    versions.add(f"python=={platform.python_version()}")
    return digest(Path(rbnotes.__file__).parent, {".pyc", ".js"}, versions)


def folder(root: Path) -> Path:
    """Return the folder of the outputs that this library and the data of the book at ``root`` give."""
    return root / FOLDER / f"{fingerprint()}-{digest(root / DATA, {'.toml'})}"


def prune(root: Path) -> None:
    """Delete the outputs of all but the latest few states."""
    states = sorted((root / FOLDER).glob("*"), key=lambda state: state.stat().st_mtime)
    for state in states[:-MAX_STORED_STATES]:
        shutil.rmtree(state, ignore_errors=True)


def _configure(app: Sphinx, config: Config) -> None:
    config["nb_execution_cache_path"] = str(folder(Path(app.srcdir)))


def setup(app: Sphinx) -> None:
    # before the notebook reader takes its settings; a new path makes Sphinx read every page again
    app.connect("config-inited", _configure, priority=100)
