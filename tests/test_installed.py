"""What is tested is what a reader installs."""

from pathlib import Path

import rbnotes

SOURCES = Path(__file__).parents[1] / "rbnotes"


def test_every_file_of_the_package_is_installed():
    installed = Path(rbnotes.__file__).parent
    wanted = [
        path.relative_to(SOURCES)
        for path in SOURCES.rglob("*")
        if path.suffix in (".py", ".csv", ".typed", ".js") or path.name == "py.typed"
    ]
    assert len(wanted) > 20
    different = [
        str(path)
        for path in wanted
        if not (installed / path).is_file()
        or (installed / path).read_bytes() != (SOURCES / path).read_bytes()
    ]
    assert different == []


def test_version_is_that_of_the_metadata():
    from importlib.metadata import version

    assert version("rbnotes") == rbnotes.__version__
