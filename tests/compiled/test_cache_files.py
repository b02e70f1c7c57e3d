"""Damaged files of numba's cache are compiled again."""

import itertools

import pytest
from module_files import load_file

pytest.importorskip("numba")

SOURCE = """
from numba import njit

from rbnotes.compiled.cache_files import check_cache_files


def double(x):
    return 2.0 * x


double = check_cache_files(njit(cache=True)(double))
double.compile("f8(f8)")
"""
names = itertools.count()


def load(path):
    """Return the function of a fresh module, whose cache is in the folder of the file."""
    return load_file(path, f"doubling_{next(names)}").double


def truncate(size):
    return lambda content: content[: int(size * len(content)) if size >= 0 else size]


def flip(place):
    def damage(content):
        index = int(place * (len(content) - 1))
        return content[:index] + bytes([content[index] ^ 0x10]) + content[index + 1 :]

    return damage


DAMAGES = {
    "empty": truncate(0),
    "half": truncate(0.5),
    "without its last byte": truncate(-1),
    "a wrong first byte": flip(0),
    "a wrong byte in the middle": flip(0.5),
    "a wrong last byte": flip(1),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("cache") / "doubling.py"
    path.write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numba.core.config.CACHE_DIR", "")
        load(path)
        yield path


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_file_is_compiled_again(source, suffix, damage):
    assert sum(load(source).stats.cache_hits.values()) == 1
    (file,) = source.parent.rglob(f"*.{suffix}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    compiled = load(source)
    assert compiled(3.0) == 6.0
    assert sum(compiled.stats.cache_hits.values()) == 0
    assert sum(load(source).stats.cache_hits.values()) == 1
