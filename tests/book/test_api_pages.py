"""The reference says what each argument is: in the docstring, or in the table of its room."""

import inspect

from rbnotes_book import api_pages

from rbnotes.ledger.resolving import resolve

WHOLE = ("so3", "se3", "quaternion", "euler", "inertia", "attachments", "maximal", "tree")
"""Rooms of which every argument of every public function is explained."""


def functions(room):
    values = {name: resolve(f"rbnotes.{room}.{name}") for name in api_pages.public()[room]}
    return {name: value for name, value in values.items() if inspect.isfunction(value)}


def test_every_argument_is_explained():
    missing = {
        f"{room}.{name}": [each for each in api_pages.unnamed(value) if each not in api_pages.usual()[room]]
        for room in WHOLE
        for name, value in functions(room).items()
    }
    assert {name: left for name, left in missing.items() if left} == {}


def test_no_entry_of_the_table_is_idle():
    for room, known in api_pages.usual().items():
        used = {each for value in functions(room).values() for each in api_pages.unnamed(value)}
        assert set(known) <= used, room


def test_an_argument_that_the_docstring_names_is_left_to_it():
    from rbnotes import tree

    fields = api_pages._arguments("rbnotes.tree.mass_matrix", tree.mass_matrix)
    assert [field.split(":")[1] for field in fields if field] == ["param tree", "param q"]
    assert api_pages._arguments("rbnotes.tree.reduced_force", tree.reduced_force)[1:-1] == fields[1:-1]
