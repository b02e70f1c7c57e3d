"""Check of printed numbers: faults, accepted numbers, and unsigned zeros."""

import pytest
from nbformat.v4 import new_code_cell, new_output
from rbnotes_book.digits import drop_signs_of_zeros, faults, without_minus_zeros

COUNTEREXAMPLE = """\
lloyd/s0.2/d1: wrong by 0.1
for example on (tiny inputs)
  w = [0.0, 0.0, 0.0015327124754472873]
  R = [[0.9210609940028851, 0.0],
       [0.0, 1.0]]
  got      {}
  expected [0.100098, 0.      ]
"""

SOUND = [
    "off by 4.4e-16 after 1000000000 steps",
    "[0.5, 0.25, 12.3456]",
    "energy -0.00012345678 J",
    "[1.2e-14 3.4e-15]",  # all of it is rounding, and meant to be seen
    "[1., 2.] and 3e-16",
    "on inputs that meet the condition " + 10 * "words are wrapped " + "at 0.5 and 1.5",
    COUNTEREXAMPLE.format("[0.100098, 0.      ]"),
    '"output": "wrong\\nfor example on these inputs:\\n  speed = 5.864933438736624"',
]
FAULTS = {
    "7.9382485395183835 W": "7.9382485395183835 has more than 8",
    "off by 4.440892098500626e-15": "4.440892098500626e-15 has more than 8",
    "[   25.   11080934.107]": "11080934.107 has more than 8",
    "[[1., 0.],\n [-1.35e-14, 1.]]": "-1.35e-14 is rounding beside 1",
    COUNTEREXAMPLE.format("[2.001953e-01, 1.351137e-14]"): "1.351137e-14 is rounding beside 0.200195",
    COUNTEREXAMPLE.format("0.10009812345"): "0.10009812345 has more than 8",
    COUNTEREXAMPLE.replace("  {}", "\n    {}").format("[0.10009812345]"): "0.10009812345 has more than 8",
    "[" + 9 * "   0.5 " + "  -1.5]  ": "a row of numbers has 73 columns, more than 72",
    COUNTEREXAMPLE.format("[" + 8 * " 0.25," + 10 * " " + "1.5 ]"): "a row of numbers has 75 columns",
    "<a.Legend at 0x7f88cdd6af50>": "<a.Legend at 0x7f88cdd6af50> is an object",
    "Text(0, 0.5, 'energy [J]')": "Text(0, 0.5, 'energy [J]') is an object",
}


def cell(text, **metadata):
    return new_code_cell("x", metadata=metadata, outputs=[new_output("stream", text=text)])


@pytest.mark.parametrize("text", SOUND)
def test_numbers_with_significant_digits_are_accepted(text):
    assert faults(cell(text)) == []


@pytest.mark.parametrize("text", FAULTS)
def test_each_fault_is_found_in_printed_text_and_values(text):
    value = new_code_cell("x", outputs=[new_output("execute_result", {"text/plain": text})])
    for messages in (faults(cell(text)), faults(value)):
        assert len(messages) == 1
        assert messages[0].startswith(FAULTS[text])


def test_text_alternative_of_a_picture_is_ignored():
    data = {"text/html": "<figure>", "text/plain": "7.9382485395183835"}
    assert faults(new_code_cell("x", outputs=[new_output("display_data", data)])) == []


def test_cell_metadata_can_permit_all_digits():
    assert faults(cell("7.9382485395183835 W", digits="to the last bit")) == []
    assert faults(cell("7.9382485395183835 W", digits=" ")) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[-0.     -0.5 -0.004]", "[ 0.     -0.5 -0.004]"),
        ("[[ 1. -0.]\n [-0.  2.]]", "[[ 1.  0.]\n [ 0.  2.]]"),
        ("0.186 m,  -0.0 deg off", "0.186 m,   0.0 deg off"),
        ("down: -0.000 N m", "down: 0.000 N m"),
        ("(-0.0, 1) -0e+00", "(0.0, 1) 0e+00"),
        ("1.5e-05 2-0 x-0.0 -0.01 -0x1", "1.5e-05 2-0 x-0.0 -0.01 -0x1"),
    ],
)
def test_zeros_are_unsigned_and_columns_stay_aligned(text, expected):
    assert without_minus_zeros(text) == expected
    printed = cell(text)
    drop_signs_of_zeros(printed)
    assert printed.outputs[0].text == expected
