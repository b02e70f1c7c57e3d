"""The check of the written pages detects each kind of fault."""

import pytest
from check_pages import check

SOUND = (
    '<h1 id="top">A</h1><a href="b.html#there">b</a> <a href="https://example.org">far</a>'
    '<img src="p.svg" alt="p">'
)

FAULTS = {
    '<script src="https://cdn.example.org/x.js"></script>': "fetches https://cdn",
    '<link rel="stylesheet" href="//cdn.example.org/x.css">': "fetches //cdn",
    '<iframe src="http://example.org"></iframe>': "fetches http://example.org",
    "<p style=\"background: url('https://example.org/x.png')\">": "fetches https://example.org/x.png",
    '<a href="c.html">c</a>': "link to a missing file: c.html",
    '<a href="b.html#nowhere">b</a>': "link to a missing anchor: b.html#nowhere",
    '<a href="#nowhere">a</a>': "link to a missing anchor: #nowhere",
    '<script src="missing.js"></script>': "link to a missing file: missing.js",
    '<img src="p.svg">': "picture without alt text",
    '<img src="p.svg" alt=" ">': "picture without alt text",
    '<i id="top"></i>': "the anchor 'top' occurs twice",
    '<code class="formula-error">x</code>': "formula that does not parse",
    '<span class="problematic">x</span>': "unresolved reference",
}


@pytest.fixture
def pages(tmp_path):
    (tmp_path / "b.html").write_text('<p id="there">b</p>')
    (tmp_path / "p.svg").write_text("<svg/>")
    return tmp_path


def test_correct_pages_have_no_faults(pages):
    (pages / "a.html").write_text(SOUND)
    assert check(pages) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named_with_file_and_line(pages, fault):
    (pages / "a.html").write_text(f"{SOUND}\n{fault}")
    (message,) = check(pages)
    assert message.startswith(f"{pages / 'a.html'}:2: {FAULTS[fault]}")


def test_style_sheet_that_requests_another_host_is_a_fault(pages):
    (pages / "a.css").write_text("@import 'https://example.org/x.css';")
    assert check(pages) == [f"{pages / 'a.css'}: fetches https://example.org/x.css"]
