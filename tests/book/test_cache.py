"""Outputs must never outlive the library and the data that they came from."""

import re
from pathlib import Path

import pytest
from rbnotes_book.cache import DATA, MAX_STORED_STATES, digest, folder, prune
from rbnotes_book.execution import chapters

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "code.py").write_text("x = 1\n")
    (tmp_path / "data" / "table.csv").write_text("1,2\n")
    return tmp_path


@pytest.mark.parametrize("file", ["code.py", "data/table.csv", "new.py"])
def test_changed_code_or_data_changes_the_folder(package, file):
    before = digest(package, {".pyc"}, ["numpy==2"])
    (package / file).write_text("changed\n")
    assert digest(package, {".pyc"}, ["numpy==2"]) != before


def test_renamed_file_or_other_distribution_changes_the_folder(package):
    before = digest(package, {".pyc"}, ["numpy==2"])
    assert digest(package, {".pyc"}, ["numpy==3"]) != before
    (package / "code.py").rename(package / "program.py")
    assert digest(package, {".pyc"}, ["numpy==2"]) != before


def test_digests_do_not_depend_on_bytecode_and_order(package):
    before = digest(package, {".pyc"}, ["numpy==2", "scipy==1"])
    (package / "code.pyc").write_bytes(b"\0")
    assert digest(package, {".pyc"}, ["scipy==1", "numpy==2"]) == before


def test_changed_data_of_chapters_changes_the_folder(tmp_path):
    table, settings = tmp_path / DATA / "times.csv", tmp_path / DATA / "symbols.toml"
    table.parent.mkdir(parents=True)
    folders = [folder(tmp_path)]
    for content in ("chain,1\n", "chain,2\n"):
        table.write_text(content)
        folders.append(folder(tmp_path))
    assert len(set(folders)) == 3
    settings.write_text("")
    assert folder(tmp_path) == folders[-1]


def test_chapters_read_no_data_that_the_folder_does_not_depend_on():
    read = [
        chapter.stem
        for chapter in chapters(ROOT)
        if re.search(r"_data/[^\n]*\.toml", chapter.read_text(encoding="utf-8"))
    ]
    assert read == []


def test_only_the_latest_states_are_kept(tmp_path):
    parent = folder(tmp_path).parent
    for number in range(MAX_STORED_STATES + 2):
        (parent / str(number)).mkdir(parents=True)
    prune(tmp_path)
    assert len(list(parent.iterdir())) == MAX_STORED_STATES
