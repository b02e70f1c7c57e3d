"""References to structures of arrays, so that a structure is one argument of a compiled function.

Numba passes a named tuple by value: one argument for each pointer, length and stride of each array. For the
model and the states of a simulation these are hundreds, whose compilation takes longer than that of the code
that uses them. A reference is a pointer; only the fields that a function reads are loaded.
"""

from functools import cache
from hashlib import sha256
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import lower_builtin, lower_getattr_generic, models, register_model

_BYTE_POINTER, _WORD_TYPE = ir.IntType(8).as_pointer(), ir.IntType(64)
_WORD_SIZE = 8


class Reference(types.Type):
    """Type of a reference to a named tuple."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        # The name is a part of the name of each function with such an argument.
        digest = sha256(structure.name.encode()).hexdigest()[:12]
        super().__init__(f"Reference({structure.instance_class.__name__}_{digest})")


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BYTE_POINTER)


def reference(structure: Any) -> Any:
    """Return a reference to a named tuple.

    The reference is valid until the calling function returns, and until the same call is executed again. It
    does not own the arrays: those that the function allocates live until :func:`keep_alive`.
    """
    return structure


def keep_alive(structure: Any) -> None:
    """Do nothing. The arrays of a structure live until here, also without another use of the structure."""


def _is_structure(kind: Any) -> bool:
    return isinstance(kind, types.BaseNamedTuple)


@cache
def _reference_to(structure: Any) -> Reference:
    return Reference(structure)


@infer_global(reference)
class _ReferenceTemplate(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        (structure,) = arguments
        return signature(_reference_to(structure), structure) if _is_structure(structure) else None


@infer_global(keep_alive)
class _KeepAliveTemplate(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.none, *arguments)


@infer_getattr
class _ReferenceAttributes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]  # numba has NotImplemented in its place
        if name not in kind.structure.fields:
            return None
        field = kind.structure.types[kind.structure.fields.index(name)]
        return _reference_to(field) if _is_structure(field) else field


_SIZES: dict[Any, int] = {}
"""Sizes by type. LLVM takes long to find them."""


def _size(context: Any, kind: Any) -> int:
    """Return the size of a value in memory, a multiple of that of a word."""
    if kind not in _SIZES:
        if _is_structure(kind):
            _SIZES[kind] = sum(_size(context, field) for field in kind.types)
        else:
            size = context.get_abi_sizeof(context.get_value_type(kind))
            _SIZES[kind] = -(-size // _WORD_SIZE) * _WORD_SIZE
    return _SIZES[kind]


def _offset(context: Any, structure: Any, index: int) -> int:
    """Return the offset of a field."""
    return sum(_size(context, field) for field in structure.types[:index])


def _shift(builder: Any, pointer: Any, offset: int) -> Any:
    return builder.gep(pointer, [_WORD_TYPE(offset)]) if offset else pointer


def _store(context: Any, builder: Any, kind: Any, value: Any, pointer: Any) -> None:
    """Emit the stores of a value and, if it is a structure, of its fields."""
    if not _is_structure(kind):
        builder.store(value, builder.bitcast(pointer, value.type.as_pointer()))
        return
    for index, field in enumerate(kind.types):
        place = _shift(builder, pointer, _offset(context, kind, index))
        _store(context, builder, field, builder.extract_value(value, index), place)


@lower_builtin(reference, types.BaseNamedTuple)
def _lower_reference(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    (structure,) = signature.args
    memory = cgutils.alloca_once(builder, ir.ArrayType(_WORD_TYPE, _size(context, structure) // _WORD_SIZE))
    pointer = builder.bitcast(memory, _BYTE_POINTER)
    _store(context, builder, structure, arguments[0], pointer)
    return pointer


@lower_builtin(keep_alive, types.Any)
def _lower_keep_alive(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.get_dummy_value()


@lower_getattr_generic(Reference)
def _lower_field(context: Any, builder: Any, kind: Any, pointer: Any, name: str) -> Any:
    structure = kind.structure
    index = structure.fields.index(name)
    place, field = _shift(builder, pointer, _offset(context, structure, index)), structure.types[index]
    if _is_structure(field):
        return place
    value = builder.load(builder.bitcast(place, context.get_value_type(field).as_pointer()))
    return impl_ret_borrowed(context, builder, field, value)
