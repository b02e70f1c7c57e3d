"""Random joints and bodies of the tests of trees are used here, too."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "reduced")]
