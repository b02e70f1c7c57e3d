"""Results of a sweep in a folder, one file for each chunk, which is written at once or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument

STUDY_FILE = "study.json"
"""Name of the file that describes the study of a folder."""

PART_SUFFIX = ".part"
"""Suffix of files that are being written, or were when their process ended."""


class StoredResults:
    """Results of the chunks of a study in a folder, which belongs to that study alone.

    Parameters
    ----------
    folder
        Folder, which is created if it does not exist.
    function
        Function of the study, which its name identifies.
    arrays
        States or parameters ``(count, ...)``.
    sizes
        Numbers of states in the chunks.

    Raises
    ------
    InvalidArgument
        If ``folder`` is a file, or holds anything other than this study.
    """

    def __init__(
        self, folder: str | Path, function: Callable[..., Any], arrays: Sequence[Array], sizes: Sequence[int]
    ) -> None:
        arguments.require_instance("folder", folder, str, Path)
        self.folder, self.sizes = Path(folder), sizes
        if folder == "" or (self.folder.exists() and not self.folder.is_dir()):
            raise InvalidArgument("folder", repr(str(folder)), "a folder, or a name that does not exist")
        study = {
            "function": _qualified_name(function),
            "shapes": [list(each.shape) for each in arrays],
            "states": _digest(arrays),
            "chunks": len(sizes),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        if all(path.suffix == PART_SUFFIX for path in self.folder.iterdir()):
            self._replace(STUDY_FILE, json.dumps(study, indent=1).encode())
        _check_study(self.folder, study)

    def read(self) -> dict[int, Array]:
        """Return the results of the chunks that are stored; those of damaged files are missing."""
        results = {}
        for number, size in enumerate(self.sizes):
            try:
                result = np.load(self._path(number), allow_pickle=False)
            except (OSError, ValueError, EOFError):
                continue
            if result.shape[:1] == (size,):
                results[number] = result
        return results

    def write(self, number: int, result: Array) -> None:
        """Store the result of a chunk."""
        content = io.BytesIO()
        np.save(content, result, allow_pickle=False)
        self._replace(self._path(number).name, content.getvalue())

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npy"

    def _replace(self, name: str, content: bytes) -> None:
        """Write a file under another name and rename it, so that no reader finds a part of it."""
        handle, path = tempfile.mkstemp(prefix=f"{name}.", suffix=PART_SUFFIX, dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(path).replace(self.folder / name)
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise


def _check_study(folder: Path, study: dict[str, Any]) -> None:
    """Refuse a folder of another study."""
    try:
        stored = json.loads((folder / STUDY_FILE).read_text())
    except FileNotFoundError:
        raise InvalidArgument("folder", f"{str(folder)!r} with other files", "one of this study") from None
    except (OSError, ValueError) as error:
        got = f"{STUDY_FILE} that cannot be read ({error})"
        raise InvalidArgument("folder", got, "one of this study") from error
    differences = [key for key in study if not isinstance(stored, dict) or stored.get(key) != study[key]]
    if differences:
        got = f"{str(folder)!r} of a study with another value of {', '.join(differences)}"
        raise InvalidArgument("folder", got, "one of this study")


def _qualified_name(function: Callable[..., Any]) -> str:
    """Return the name of a function, of the function of a partial, or of the type of a callable object."""
    while isinstance(function, partial):
        function = function.func
    named: Any = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def _digest(arrays: Sequence[Array]) -> str:
    digest = hashlib.sha256()
    for each in arrays:
        digest.update(np.ascontiguousarray(each).tobytes())
    return digest.hexdigest()
