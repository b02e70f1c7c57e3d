"""The tested package is the installed one."""

import re
import tomllib
from pathlib import Path

import rbnotes

SOURCES = Path(__file__).parents[1] / "rbnotes"


def test_every_file_of_the_package_is_installed():
    installed = Path(rbnotes.__file__).parent
    expected = [
        path.relative_to(SOURCES)
        for path in SOURCES.rglob("*")
        if path.suffix in (".py", ".csv", ".typed", ".js", ".urdf", ".toml") or path.name == "py.typed"
    ]
    assert len(expected) > 20
    different = [
        str(path)
        for path in expected
        if not (installed / path).is_file()
        or (installed / path).read_bytes() != (SOURCES / path).read_bytes()
    ]
    assert different == []


def test_version_is_that_of_the_metadata():
    from importlib.metadata import version

    assert version("rbnotes") == rbnotes.__version__


def test_oldest_tested_versions_are_the_lower_bounds():
    root = SOURCES.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["test"]
    bounds = dict(need.split(">=") for need in needed if ">=" in need)
    pins = dict(
        re.findall(r"^(\S+)==(\S+)$", (root / "constraints-oldest.txt").read_text(encoding="utf-8"), re.M)
    )
    assert pins.keys() == bounds.keys()
    for name, bound in bounds.items():
        assert re.fullmatch(rf"{re.escape(bound.partition(',')[0])}(\.0)*", pins[name]), name
