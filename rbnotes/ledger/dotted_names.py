"""Objects of the library by their dotted names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def resolve(dotted: str) -> Callable[..., Any]:
    """Return the object with the dotted name ``rbnotes.module.name`` (or a module)."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError as error:
            if error.name is None or not dotted.startswith(error.name):
                raise
            continue
        for attribute in parts[split:]:
            value = getattr(value, attribute)
        # What the name stands for is an object of any kind; the loop began with a module.
        return value  # type: ignore[return-value]
    raise ImportError(f"nothing named {dotted}")
