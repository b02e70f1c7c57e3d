"""Put the book's extension and the helpers of this folder on the path."""

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
sys.path[:0] = [str(REPOSITORY / "book" / "_ext"), str(Path(__file__).parent)]

# No notebook has internationalized addresses; the grammar for them takes five seconds to build.
sys.modules["rfc3987_syntax"] = None

from tiny_book import TinyBook  # noqa: E402


@pytest.fixture(scope="module")
def tiny_book(tmp_path_factory):
    """Return a function that makes tiny books from pages by name."""
    return lambda pages, **more: TinyBook(tmp_path_factory.mktemp("book"), pages, **more)
