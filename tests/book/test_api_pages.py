"""The API reference describes each argument, field and result with shape and unit."""

import ast
import inspect
import re
import textwrap
from pathlib import Path

import pytest
from rbnotes_book import api_pages
from sphinx.ext.napoleon import NumpyDocstring

import rbnotes
from rbnotes import arguments, se3
from rbnotes.ledger.dotted_names import resolve

NUMBERS = re.compile(r"Array|Matrix|float")
SHAPE = re.compile(r"\(\.\.\.|\([\w +]+,[\w ,+.]*\)|\((facets|\d \w|\w|\w[+-]1), ?\w*\)|[Nn]umbers?\b")
UNIT = re.compile(
    r"\b(rad|m|s|kg|N|J|W|MB|1/s|1/m|1/kg)\b|pixels|inch|[Ww]ithout unit|[Dd]imensionless|"
    r"[Ii]ndex\b|[Ii]ndices\b|[Ii]n any unit|"
    r"[Ii]n (the|its|their|that) units?|"
    r"[Tt]rue\b|[Uu]nit vector|[Nn]umbers? of|[Rr]elative"
)


def documented_functions():
    """Return the functions of the reference by name: methods and constructors too, but no unchecked hooks."""
    for names in api_pages.names().values():
        for name in names:
            value = resolve(name)
            if inspect.isfunction(value):
                yield name, value
            elif inspect.isclass(value):
                if api_pages.has_arguments("class", value):
                    yield name, value
                for attribute_name, attribute in vars(value).items():
                    function = getattr(attribute, "__func__", attribute)
                    if inspect.isfunction(function) and not re.match(
                        r"_(?!_call__$)|compute_", attribute_name
                    ):
                        yield f"{name}.{attribute_name}", function


FUNCTIONS = dict(documented_functions())


def argument_descriptions(name, function):
    """Return the reference's description of each argument of a function."""
    described = api_pages.own_paragraphs(inspect.getdoc(function) or "")
    table = {each: api_pages.entry(name, each) for each in api_pages.undescribed_arguments(function)}
    return {**described, **{each: entry[1] if entry else "" for each, entry in table.items()}}


def test_every_argument_is_explained():
    missing = {
        name: [each for each, text in argument_descriptions(name, function).items() if not text]
        for name, function in FUNCTIONS.items()
    }
    assert {name: left for name, left in missing.items() if left} == {}


def functions_that_raise():
    """Return the functions of the reference and the argument checks, which raise errors themselves."""
    checks = {f"rbnotes.arguments.{name}": getattr(arguments, name) for name in arguments.__all__}
    for name, function in (FUNCTIONS | checks).items():
        if inspect.isfunction(function):
            code = ast.parse(textwrap.dedent(inspect.getsource(function)))
            if any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(code)):
                yield name, inspect.getdoc(function) or ""


def test_functions_that_raise_document_it():
    documented_functions = dict(functions_that_raise())
    assert len(documented_functions) > 50
    assert [name for name, text in documented_functions.items() if "raises" not in text.lower()] == []


def arguments_without(pattern, kinds):
    """Return the arguments of some types whose descriptions do not match a pattern."""
    lines = []
    for name, function in FUNCTIONS.items():
        types = {key: str(each.annotation) for key, each in inspect.signature(function).parameters.items()}
        for each, text in argument_descriptions(name, function).items():
            if (
                kinds.search(types.get(each, ""))
                and "Callable" not in types[each]
                and not pattern.search(text)
            ):
                lines.append(f"{name}, {each}: {text}")
    return lines


def test_arrays_have_shapes():
    assert arguments_without(SHAPE, re.compile("Array|Matrix")) == []


def test_numbers_have_units():
    assert arguments_without(UNIT, NUMBERS) == []


PROSE = re.compile(r"^(?:Parameters|Raises|Returns|Examples?|Notes)\n-+$|^Raises ", re.MULTILINE)
"""End of the prose of a docstring, which may describe the result."""


def result_description(name, function):
    """Return the reference's description of a function's result."""
    docstring = inspect.getdoc(function) or ""
    section = api_pages.RETURNED.search(docstring)
    return " ".join(
        [PROSE.split(docstring)[0], section[1] if section else "", api_pages.returns().get(name, "")]
    )


def functions_that_return(kinds):
    """Return the functions that return arrays or numbers, with the descriptions of their results."""
    for name, function in FUNCTIONS.items():
        kind = str(inspect.signature(function).return_annotation)
        if (
            not inspect.isclass(function)
            and re.search(kinds, kind)
            and not re.search("Callable|Figure", kind)
        ):
            yield name, result_description(name, function)


def test_returned_arrays_have_shapes():
    assert [name for name, text in functions_that_return("Array|Matrix") if not SHAPE.search(text)] == []


def test_results_have_units():
    lacking = [
        name
        for name, text in functions_that_return("Array|Matrix|float")
        if not UNIT.search(re.sub("``.*?``", "", text))
    ]
    assert lacking == []


def test_every_entry_of_the_results_table_is_used():
    """Each is of a function whose docstring does not have a section for it."""
    entries = api_pages.returns()
    assert sorted(entries.keys() - FUNCTIONS.keys()) == []
    assert [
        name for name in entries if api_pages.RETURNED.search(inspect.getdoc(FUNCTIONS[name]) or "")
    ] == []
    assert [text for text in entries.values() if not UNIT.search(re.sub("``.*?``", "", text))] == []


OF_OBJECTS = {"multibody/formats/robot.py: Robot.joints"}
"""Fields that take anything, and hold no numbers."""


def named_tuples():
    """Return the public named tuples."""
    objects = map(resolve, (name for names in api_pages.names().values() for name in names))
    return {each.__name__ for each in objects if inspect.isclass(each) and issubclass(each, tuple)}


def dataclass_fields(source, tuples=frozenset()):
    """Return the fields of public dataclasses and of some tuples in a source: class, name, type, description.

    The description is the entry in the section "Attributes" of the class docstring.
    """
    for cls in ast.walk(ast.parse(source)):
        if not isinstance(cls, ast.ClassDef) or cls.name.startswith("_"):
            continue
        marks = map(ast.unparse, cls.decorator_list)
        if cls.name not in tuples and not any(re.match(r"dataclass\b", mark) for mark in marks):
            continue
        texts = api_pages.own_paragraphs(ast.get_docstring(cls) or "", api_pages.ATTRIBUTES)
        for field in cls.body:
            if isinstance(field, ast.AnnAssign) and not ast.unparse(field.target).startswith("_"):
                name = ast.unparse(field.target)
                yield cls.name, name, ast.unparse(field.annotation), texts.get(name, "")


def fields_of(subpackage):
    """Return name, type and explanation of the fields of public dataclasses and named tuples."""
    package, tuples = Path(rbnotes.__path__[0]), named_tuples()
    folder = subpackage.replace(".", "/")
    files = [*package.glob(f"{folder}.py"), *package.glob(f"{folder}/**/*.py")]
    assert files
    for file in sorted(files):
        path = file.relative_to(package).as_posix()
        if not re.search(r"(^|/)_(?!_init__)", path):
            for cls, name, kind, text in dataclass_fields(file.read_text("utf-8"), tuples):
                yield f"{path}: {cls}.{name}", kind, text


@pytest.mark.parametrize("subpackage", api_pages.SUBPACKAGES)
def test_every_field_is_explained(subpackage):
    assert [name for name, _, text in fields_of(subpackage) if not text] == []


@pytest.mark.parametrize("subpackage", sorted({*api_pages.SUBPACKAGES} - {"ledger"}))
def test_array_fields_have_shapes_and_units(subpackage):
    """The fields of the ledger have no fixed shape and unit."""
    fields = [
        each for each in fields_of(subpackage) if "Callable" not in each[1] and each[0] not in OF_OBJECTS
    ]
    arrays = [each for each in fields if re.search(r"Array|Matrix|^Any$", each[1])]
    assert [name for name, _, text in arrays if not re.search(r"``[^`]*\(", text)] == []
    numbers = [each for each in fields if each in arrays or NUMBERS.search(each[1])]
    assert [name for name, _, text in numbers if not UNIT.search(re.sub("``.*?``", "", text))] == []


def test_field_description_is_found_in_the_attributes_section():
    source = """
@dataclass(frozen=True)
class Pair:
    '''A pair with ``second``.

    Attributes
    ----------
    first
        A number
        of bodies.
    third
        Another number.

    Raises
    ------
    InvalidArgument
        If ``second`` is negative.
    '''

    first: int
    second: int
    third: int = 0
    _own: int = 0
"""
    assert [text for *_, text in dataclass_fields(source)] == ["A number of bodies.", "", "Another number."]


def test_every_entry_of_the_arguments_table_is_used():
    explained = {
        (entry[0], each)
        for name, function in FUNCTIONS.items()
        for each in api_pages.undescribed_arguments(function)
        if (entry := api_pages.entry(name, each))
    }
    entries = {(key, each) for key, table in api_pages.default_meanings().items() for each in table}
    assert entries - explained == set()


def test_parameters_section_takes_precedence_over_the_table():
    from rbnotes.multibody import reduced

    fields = api_pages._argument_fields("rbnotes.multibody.reduced.mass_matrix", reduced.mass_matrix)
    assert [field.split(":")[1] for field in fields] == ["param tree", "param q"]
    fields = api_pages._argument_fields(
        "rbnotes.multibody.reduced.net_generalized_force", reduced.net_generalized_force
    )
    assert [field.split(":")[1] for field in fields] == ["param tree", "param q", "param qdot"]


def test_most_specific_table_entry_is_used():
    subpackage = api_pages.entry("rbnotes.multibody.reduced.inverse_mass_product", "x")
    assert subpackage != api_pages.entry("rbnotes.multibody.reduced.jacobian_product", "x")
    assert api_pages.entry("rbnotes.se3.exp", "h") == api_pages.entry(
        "rbnotes.multibody.reduced.simulate", "h"
    )


def test_raises_sentences_become_fields():
    lines = [
        "Twice ``x``.",
        "",
        "Raises InvalidArgument if ``x`` is not",
        "positive; Unsolved if no one knows.",
        "",
    ]
    assert api_pages._error_fields(lines) == [
        ":raises InvalidArgument: If ``x`` is not positive.",
        ":raises Unsolved: If no one knows.",
    ]
    assert lines == ["Twice ``x``.", "", ""]


def test_colon_in_property_summary_is_not_parsed_as_a_type():
    lines = ["Rows of the joint: six less its freedom.", "", "More of them."]
    api_pages._keep_colons(
        None, "property", "rbnotes.multibody.maximal.Joint.num_constraints", None, None, lines
    )
    parsed = NumpyDocstring(lines, what="property", name="count").lines()
    assert "Rows of the joint: six less its freedom." in parsed
    assert not [line for line in parsed if ":type" in line]


def test_result_description_is_a_field_of_the_page():
    lines = ["The same, for twists.", ""]
    api_pages._add_claims(None, "function", "rbnotes.se3.inverse", se3.inverse, None, lines)
    assert [line for line in lines if line.startswith(":returns: Pose")]


def test_every_function_cites_a_source():
    """The source is in the docstring, in the ledger or in the table; the table has no other entries."""
    names = {name for page in api_pages.names().values() for name in page}
    functions = {name: function for name, function in FUNCTIONS.items() if name in names}
    left = {
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and not api_pages.names_its_source(name, function)
    }
    assert sorted(name for name in left if api_pages.source(name) is None) == []
    assert sorted(set(api_pages.sources()) - {name.removeprefix("rbnotes.") for name in left}) == []


def test_page_starts_with_its_subpackage():
    stub = api_pages.stubs()["api-se3"]
    assert stub.index(".. automodule:: rbnotes.se3") < stub.index(".. autofunction:: rbnotes.se3.Ad")
    assert stub.count("automodule:: rbnotes.se3\n") == 1


def test_functions_with_the_names_of_their_modules_are_documented():
    stubs = api_pages.stubs()
    for page, name in (
        ("api-friction", "rbnotes.friction.box_friction"),
        ("api-complementarity", "rbnotes.complementarity.lemke"),
        ("api-dynamics", "rbnotes.dynamics.solve_step"),
    ):
        assert f".. autofunction:: {name}\n" in stubs[page]


def test_module_docstring_precedes_its_functions():
    stub = api_pages.stubs()["api-joints"]
    module = "rbnotes.joints.curves"
    assert f".. rubric:: Module ``{module}``\n\n.. automodule:: {module}\n" in stub
    assert stub.rindex(".. automodule::") < min(stub.index(".. autofunction::"), stub.index(".. autoclass::"))


def test_parameters_of_signatures_are_no_definition_list():
    parameters = '<dl>\n<dd><em class="sig-param">a</em>,</dd>\n</dl>'
    body = f'<dl class="py function"><dt>f({parameters})</dt><dd>Text.</dd></dl>'
    assert api_pages.without_list_roles(body) == body.replace("<dl>", '<dl role="none">')
