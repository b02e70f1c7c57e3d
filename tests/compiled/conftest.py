"""Random trees are those of the tests of trees; joints of this folder's own tests are here."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / "multibody" / "reduced"), str(Path(__file__).parent)]
