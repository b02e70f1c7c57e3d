"""Outputs must never outlive the library that made them."""

import pytest
from rbnotes_book.cache import MAX_STORED_STATES, digest, folder, prune


@pytest.fixture
def package(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "code.py").write_text("x = 1\n")
    (tmp_path / "data" / "table.csv").write_text("1,2\n")
    return tmp_path


@pytest.mark.parametrize("file", ["code.py", "data/table.csv", "new.py"])
def test_changed_code_or_data_changes_the_folder(package, file):
    before = digest(package, ["numpy==2"])
    (package / file).write_text("changed\n")
    assert digest(package, ["numpy==2"]) != before


def test_renamed_file_or_other_distribution_changes_the_folder(package):
    before = digest(package, ["numpy==2"])
    assert digest(package, ["numpy==3"]) != before
    (package / "code.py").rename(package / "program.py")
    assert digest(package, ["numpy==2"]) != before


def test_digests_do_not_depend_on_bytecode_and_order(package):
    before = digest(package, ["numpy==2", "scipy==1"])
    (package / "code.pyc").write_bytes(b"\0")
    assert digest(package, ["scipy==1", "numpy==2"]) == before


def test_only_the_latest_states_are_kept(tmp_path):
    parent = folder(tmp_path).parent
    for number in range(MAX_STORED_STATES + 2):
        (parent / str(number)).mkdir(parents=True)
    prune(tmp_path)
    assert len(list(parent.iterdir())) == MAX_STORED_STATES
