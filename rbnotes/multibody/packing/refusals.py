"""Refusal of models and options that compiled steps do not support."""

from __future__ import annotations

from rbnotes.arguments import InvalidArgument


def unsupported_error(feature: str) -> InvalidArgument:
    """Return the error of a model or an option that compiled steps do not support."""
    return InvalidArgument("compiled", "True", f'False or "auto" for {feature}')
