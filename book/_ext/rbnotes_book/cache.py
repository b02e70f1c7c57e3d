"""Where outputs of executed chapters are kept: a folder named after everything they depend on.

The cache itself only compares code cells. A change in the library, its data or an installed
distribution gives the folder another name, so outputs are never stale.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from functools import cache
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

import rbnotes

FOLDER = "_build/executed"
KEPT = 5
"""How many states of the library keep their outputs: going back and forth between two costs no run."""


@cache
def fingerprint() -> str:
    """Hash of the package's files, of the installed distributions and of the Python version."""
    digest = hashlib.sha256(platform.python_version().encode())
    package = Path(rbnotes.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix not in {".pyc", ".js"}:
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    installed = {
        f"{item.metadata['Name']}=={item.version}"
        for item in metadata.distributions()
        if item.metadata["Name"] != "rbnotes"
    }
    digest.update("\n".join(sorted(installed)).encode())
    return digest.hexdigest()[:16]


def folder(root: Path) -> Path:
    """The folder of this library's outputs, for the book at ``root``."""
    return root / FOLDER / fingerprint()


def prune(root: Path) -> None:
    """Delete the outputs of all but the latest few states of the library."""
    states = sorted((root / FOLDER).glob("*"), key=lambda state: state.stat().st_mtime)
    for state in states[:-KEPT]:
        shutil.rmtree(state, ignore_errors=True)


def _configure(app: Sphinx, config: Config) -> None:
    config["nb_execution_cache_path"] = str(folder(Path(app.srcdir)))


def setup(app: Sphinx) -> None:
    # before the notebook reader takes its settings; a new path makes Sphinx read every page again
    app.connect("config-inited", _configure, priority=100)
