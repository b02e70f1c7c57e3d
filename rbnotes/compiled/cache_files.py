"""Files of numba's cache with checksums, so that damaged ones are compiled again.

Numba reads the files of its cache without a check: a truncated one ends in an error of :mod:`pickle`, and
machine code with a wrong byte would run.
"""

from __future__ import annotations

import pickle
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

CHECKSUM_SIZE = 16
"""Bytes of the checksum at the start of a file."""


class ChecksummedCacheFile(IndexDataCacheFile):
    """Index and data files of one function; a file with a wrong checksum counts as missing."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)  # type: ignore[no-untyped-call]  # numba has no types
        return _checksum(content) + content

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump((self._version, self._source_stamp, overloads)))

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(_read_verified(self._index_path))
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _load_data(self, name: str) -> Any:
        path: str = self._data_path(name)  # type: ignore[no-untyped-call]  # numba has no types
        return pickle.loads(_read_verified(path))


def check_cache_files(dispatcher: Any) -> Any:
    """Return the function of ``njit(cache=True)`` after adding checksums to the files of its cache."""
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:  # None if compilation is disabled
        name = file._index_name.removesuffix(".nbi")
        checked: Any = ChecksummedCacheFile  # numba has no types
        dispatcher._cache._cache_file = checked(file._cache_path, name, file._source_stamp)
    return dispatcher


def _read_verified(path: str) -> bytes:
    """Return the content of a file; raise OSError, as for a missing file, if its checksum is wrong."""
    content = Path(path).read_bytes()
    if _checksum(content[CHECKSUM_SIZE:]) != content[:CHECKSUM_SIZE]:
        raise OSError(f"{path}: wrong checksum")
    return content[CHECKSUM_SIZE:]


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=CHECKSUM_SIZE).digest()
