"""Messages between grader and child process: lines of JSON, arrays as shape, dtype and bytes.

Nothing is unpickled. The child runs this file without the rest of the package, so it imports none of it.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import types
from typing import Any

import numpy as np

NUMERIC_KINDS = "biufc"
"""Accepted kinds of numbers in answers, without objects and text."""


class MalformedMessage(ValueError):
    """Raised for data that is not a message."""


def encode(value: Any) -> Any:
    """Return arrays, numbers, text, and containers and dataclasses of them, as JSON values."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return {"tuple" if isinstance(value, tuple) else "list": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[str(name), encode(item)] for name, item in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = dataclasses.fields(value)
        return {"object": [[part.name, encode(getattr(value, part.name))] for part in parts]}
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return {"int": str(value)} if isinstance(value, int) else {"float": value.hex()}
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in NUMERIC_KINDS:
        raise TypeError(f"{type(value).__name__} is neither a number nor an array of numbers")
    array = np.asarray(value)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"shape": list(array.shape), "dtype": array.dtype.str, "data": data}


def decode(message: Any) -> Any:
    """Return the value that :func:`encode` encoded.

    A NumPy scalar becomes an array without axes, and a dataclass becomes an object with the same attributes,
    because the receiver need not have its class.

    Raises
    ------
    MalformedMessage
        If the message is anything else.
    """
    if isinstance(message, (bool, str)) or message is None:
        return message
    try:
        match message:
            case {"tuple": items}:
                return tuple(decode(item) for item in items)
            case {"list": items}:
                return [decode(item) for item in items]
            case {"dict": items}:
                return {str(name): decode(item) for name, item in items}
            case {"object": items}:
                return types.SimpleNamespace(**{str(name): decode(item) for name, item in items})
            case {"int": digits}:
                return int(digits)
            case {"float": digits}:
                return float.fromhex(digits)
            case {"shape": shape, "dtype": name, "data": data}:
                return _decode_array(shape, name, data)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedMessage(f"not an array: {error}") from error
    raise MalformedMessage(f"not a value: {str(message)[:80]}")


def _decode_array(shape: Any, name: Any, data: Any) -> Any:
    dtype = np.dtype(str(name))
    raw = base64.b64decode(data, validate=True)
    if dtype.kind not in NUMERIC_KINDS or not all(type(length) is int and length >= 0 for length in shape):
        raise MalformedMessage(f"an array of {name} with shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise MalformedMessage(f"{len(raw)} bytes for shape {shape}")
    return np.frombuffer(raw, dtype).reshape(shape).copy()


def encode_message(message: Any) -> bytes:
    """Return one message as one line."""
    return json.dumps(message).encode() + b"\n"


def decode_message(line: bytes) -> dict[str, Any]:
    """Return the message of one line.

    Raises
    ------
    MalformedMessage
        If the line is not a JSON object.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MalformedMessage(f"not a message: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise MalformedMessage(f"not a message: {line[:80]!r}")
    return message
