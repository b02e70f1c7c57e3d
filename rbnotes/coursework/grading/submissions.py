"""Read the submissions of a class: a file or a folder for each student, modules or notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument

FILE_SUFFIXES = (".py", ".ipynb")
MAX_FILE_SIZE = 1 << 20
"""Largest accepted size of a file in bytes."""


@dataclass(frozen=True)
class Submission:
    """Source text of one student.

    Attributes
    ----------
    student
        Name of the file without suffix, or of the folder.
    file
        Name of the file that was read.
    source
        Python code of the file.
    problem
        Reason why there is no code; empty if there is some.
    """

    student: str
    file: str
    source: str = ""
    problem: str = ""

    def __post_init__(self) -> None:
        # Names of files that are not UTF-8, as zip archives from Windows make them, cannot be written.
        for name in ("student", "file", "problem"):
            text = getattr(self, name).encode(errors="backslashreplace").decode()
            object.__setattr__(self, name, text)


def read_submissions(folder: str | Path, file: str = "") -> tuple[Submission, ...]:
    """Read the submissions in a folder, one per student, or that of one file or one student's folder.

    Parameters
    ----------
    folder
        Folder with ``NAME.py``, ``NAME.ipynb`` or a folder ``NAME`` for each student. If a student has
        several, none of them is graded, and ``problem`` says so.
    file
        Name of the file in a student's folder; empty if there is only one.

    Raises
    ------
    InvalidArgument
        If there is no such folder, or if it is empty.
    """
    arguments.require_instance("folder", folder, str, Path)
    folder = Path(folder)
    if folder.is_file():
        return (_read_file(folder.stem, folder),)
    if not folder.is_dir():
        raise InvalidArgument("submissions", str(folder), "a folder, or one file")
    if file and (folder / file).is_file():
        return (_read_file(folder.resolve().name, folder / file, folder),)
    submissions = [
        _read_folder(entry, file) if entry.is_dir() else _read_file(entry.stem, entry, folder)
        for entry in sorted(folder.iterdir())
        if not entry.name.startswith((".", "_")) and (entry.is_dir() or entry.suffix in FILE_SUFFIXES)
    ]
    if not submissions:
        raise InvalidArgument("submissions", f"{folder}, in which there are none", "files or folders")
    return tuple(_reject_duplicates(submissions))


def read_submission(path: str | Path, file: str = "") -> Submission:
    """Read the submission of one student: a file, or a folder that contains it.

    Parameters
    ----------
    path
        File or folder.
    file
        Name of the file in the folder; empty if there is only one.

    Raises
    ------
    InvalidArgument
        If there is neither a file nor a folder.
    """
    arguments.require_instance("path", path, str, Path)
    path = Path(path)
    if path.is_file():
        return _read_file(path.stem, path)
    if not path.is_dir():
        raise InvalidArgument("submissions", str(path), "a folder, or one file")
    return _read_folder(path.resolve(), file)


def _reject_duplicates(submissions: Sequence[Submission]) -> Iterator[Submission]:
    """Yield one submission per student, with a ``problem`` if there are several files.

    The other students are graded as usual.
    """
    by_student: dict[str, list[Submission]] = {}
    for each in submissions:
        by_student.setdefault(each.student, []).append(each)
    for student, files_of_student in by_student.items():
        if len(files_of_student) == 1:
            yield files_of_student[0]
        else:
            file_names = ", ".join(each.file or "a folder" for each in files_of_student)
            yield Submission(student, "", problem=f"{file_names} were submitted, but one file is expected")


def _read_folder(folder: Path, file: str) -> Submission:
    """Return the submission in a student's folder: the named file, or the only one."""
    if file:
        return _read_file(folder.name, folder / file, folder)
    files = [
        entry for entry in sorted(folder.rglob("*")) if entry.suffix in FILE_SUFFIXES and entry.is_file()
    ]
    if len(files) != 1:
        found = f"are {len(files)} files" if files else f"is no {' or '.join(FILE_SUFFIXES)} file"
        return Submission(folder.name, "", problem=f"there {found} in {folder.name} but one is expected")
    return _read_file(folder.name, files[0], folder)


def _read_file(student: str, path: Path, folder: Path | None = None) -> Submission:
    """Read a file, which must not be a link to a file outside."""
    try:
        if folder is not None and path.resolve() != folder.resolve() / path.relative_to(folder):
            return Submission(student, path.name, problem=f"{path.name} is a link, not a file")
        if path.exists() and not path.is_file():
            return Submission(student, path.name, problem=f"{path.name} is not a file")
        if path.stat().st_size > MAX_FILE_SIZE:
            return Submission(student, path.name, problem=f"the file is larger than {MAX_FILE_SIZE} bytes")
        source = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".ipynb":
            source = notebook_code(source)
        source.encode()  # notebooks can contain lone surrogates, which cannot be encoded
    except FileNotFoundError:
        where = "" if folder is None else f" in {folder.name}"
        return Submission(student, path.name, problem=f"there is no {path.name}{where} but one is expected")
    except OSError as error:
        return Submission(student, path.name, problem=f"{path.name}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return Submission(student, path.name, problem=f"{path.name} cannot be read: {error}")
    return Submission(student, path.name, source)


def notebook_code(text: str) -> str:
    """Return the code cells of a Jupyter notebook as one module.

    Shell lines and magics are left out.
    """
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    return "\n\n".join("\n".join(map(_without_magic, source.splitlines())) for source in sources) + "\n"


def _without_magic(line: str) -> str:
    return "" if line.startswith(("%", "!")) else line
