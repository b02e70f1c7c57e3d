"""Build books on request, each in a fork of this process, which has loaded what every build loads.

Each line of the input is the folder of a book. The answer is the exit status of its build; what the build
prints is in the files ``stdout`` and ``stderr`` of that folder.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import build_book  # the path comes first


def build(root: Path) -> None:
    """Run the command that builds books on a folder, and end this process."""
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        with (root / name).open("w") as file:
            os.dup2(file.fileno(), stream.fileno())
    sys.argv[1:] = ["--root", str(root)]
    sys.exit(build_book.main())


for line in sys.stdin:
    process = os.fork()
    if process == 0:
        build(Path(line.rstrip("\n")))
    _, status = os.waitpid(process, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
