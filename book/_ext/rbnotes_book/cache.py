"""Keep the outputs of executed chapters in a folder that is named after everything they depend on.

The cache itself only compares code cells. A change in the library, its data or an installed
distribution gives the folder another name, so outputs are never stale.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

import rbnotes

FOLDER = "_build/executed"
MAX_STORED_STATES = 5
"""Number of library states whose outputs are kept: switching between two of them runs nothing again."""


def digest(package: Path, distributions: Iterable[str]) -> str:
    """Hash a package's files, the distributions beside it and the Python version."""
    result = hashlib.sha256(platform.python_version().encode())
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix not in {".pyc", ".js"}:
            result.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    result.update("\n".join(sorted(distributions)).encode())
    return result.hexdigest()[:16]


@cache
def fingerprint() -> str:
    """Hash everything installed that a chapter's outputs can depend on."""
    installed = {f"{item.metadata['Name']}=={item.version}" for item in metadata.distributions()}
    return digest(Path(rbnotes.__file__).parent, installed)


def folder(root: Path) -> Path:
    """Return the folder of this library's outputs for the book at ``root``."""
    return root / FOLDER / fingerprint()


def prune(root: Path) -> None:
    """Delete the outputs of all but the latest few states of the library."""
    states = sorted((root / FOLDER).glob("*"), key=lambda state: state.stat().st_mtime)
    for state in states[:-MAX_STORED_STATES]:
        shutil.rmtree(state, ignore_errors=True)


def _configure(app: Sphinx, config: Config) -> None:
    config["nb_execution_cache_path"] = str(folder(Path(app.srcdir)))


def setup(app: Sphinx) -> None:
    # before the notebook reader takes its settings; a new path makes Sphinx read every page again
    app.connect("config-inited", _configure, priority=100)
