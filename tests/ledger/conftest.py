"""The honest claim of these tests is a module beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
