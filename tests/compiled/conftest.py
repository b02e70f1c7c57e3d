"""Random trees come from the tests of reduced coordinates; the joints of this folder are here."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / "multibody" / "reduced"), str(Path(__file__).parent)]
