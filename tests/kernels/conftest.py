"""Random trees are those of the tests of trees."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tree"))
