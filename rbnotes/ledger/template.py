"""A ledger with one record, as a template for other notes."""

from __future__ import annotations

from pathlib import Path

from rbnotes.arguments import InvalidArgument

_FILES = {
    "__init__.py": '"""Records of notes of my own: rbnotes verify --ledger {name}."""\n',
    "notes.toml": """\
# What the ledger is about. Ids begin with the name; equation 1 is "{letter} 1".
[[source]]
name = "{name}"
author = "{title}"
letter = "{letter}"
""",
    "inventory.csv": """\
id,source,section,line
{name}/s1/e1,{name},1,1
""",
    "formulas.py": '''\
"""The right forms, for others to use: records name them under `implements`."""

import numpy as np


def velocity(omega, r):
    """Velocity of the point r of a body that turns with omega about the origin."""
    return np.cross(omega, r)
''',
    "section_1.py": '''\
"""Section 1: replace this record by those of your own formulas, one class each."""

import numpy as np
from scipy.spatial.transform import Rotation

from {name} import formulas
from rbnotes.testing import derivative
from rbnotes.testing.strategies import vectors
from rbnotes.ledger.quantities import LENGTH, RATE, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section

section = Section(
    "{name}/s1",
    chapter="notes",  # the page of your own text that treats it
    # Quantity and meaning of each argument: the units of all forms are checked.
    arguments={{
        "omega": Argument(RATE, "along the axes of the world"),
        "r": Argument(LENGTH, "from the origin, along the axes of the world"),
    }},
)


@section.holds("e1", "Velocity of a point of a turning body")
class e1:
    formula = r"\\mathbf v = \\boldsymbol\\omega \\times \\mathbf r"
    inputs = {{"omega": vectors(), "r": vectors()}}
    result = Result(VELOCITY, "along the axes of the world")

    def printed(omega, r):
        # The formula as the notes print it, to the letter.
        x, y, z = omega
        return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ r

    def library(omega, r):
        # Your own right form. Without one, leave this function out.
        return formulas.velocity(omega, r)

    def reference(omega, r):
        """Compare with the difference quotient of the point as scipy turns it."""
        # The same quantity without the formula. The docstring says how.
        return derivative(lambda t: Rotation.from_rotvec(t * omega).apply(r)).value

    implements = formulas.velocity
''',
}


def write_template(folder: str | Path) -> Path:
    """Write a ledger with one record into a new folder, whose name becomes the name of its notes.

    Raises
    ------
    InvalidArgument
        If the folder exists, or its name is not a valid package name.
    """
    folder = Path(folder)
    name = folder.resolve().name
    if not (name.isidentifier() and name.isascii() and name == name.lower()) or name.startswith("_"):
        raise InvalidArgument("FOLDER", repr(name), "small letters, digits and underscores (a package name)")
    if folder.exists():
        raise InvalidArgument("FOLDER", f"{folder}, which exists", "a new one")
    folder.mkdir(parents=True)
    for file, text in _FILES.items():
        words = {"name": name, "title": name.replace("_", " ").capitalize(), "letter": name[0].upper()}
        (folder / file).write_text(text.format_map(words), encoding="utf-8")
    return folder
