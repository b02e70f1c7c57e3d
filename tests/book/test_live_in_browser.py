"""Each live figure in a browser: drag, switch, run, keys, reduced motion, link, touch, print."""

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from inspect_pages import DISPLAY_MODES, NO_BROWSER, chromium, window
from playwright.sync_api import expect
from rbnotes_book import live_figures

from rbnotes.ledger.errata_pdf import find_browser

BOOK = Path(__file__).parents[2] / "book"
PAGES = Path(__file__).parents[2] / "_build" / "html" / "book"
LOOK = {look.name: look for look in DISPLAY_MODES}
# Everything that a reader sees of a figure's state.
VISIBLE_TEXT = """(figure) => [...figure.querySelectorAll(".form:not([hidden]) .value, dd, .views")]
  .map((part) => part.matches(".views") ? part.ariaLabel : part.innerHTML)"""
STATE = "(figure) => JSON.stringify(figure.live.start)"
DRAWINGS = "(figure) => figure.live.views.map(({ drawn }) => drawn.innerHTML)"

pytestmark = pytest.mark.skipif(find_browser() is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser_of_these_tests:
        yield browser_of_these_tests


def page_of(name):
    """Return the page that has a figure."""
    [page] = [
        page for page in BOOK.glob("*.md") if f"```{{live}} {name}\n" in page.read_text(encoding="utf-8")
    ]
    return PAGES / f"{page.stem}.html"


def page_with_figure_only(path, name):
    """Return a page with its scripts and styles, but with one live figure as its article.

    Most of the time that a browser needs for a page goes into formulas.
    """
    html = path.read_text(encoding="utf-8")
    start = html.index(f'<figure class="live" data-live="{name}"')
    figure = html[start : html.index("</figure>", start) + len("</figure>")]
    before, rest = html.split('<article class="bd-article">')
    return f'{before}<article class="bd-article">{figure}{rest[rest.index("</article>") :]}'


@contextmanager
def window_of_figure(browser, look, name, **options):
    """Open a window that gets the page of a figure with the figure only, without the player of scenes."""
    path = page_of(name)
    with window(browser, LOOK[look], **options) as page:
        page.route("**/scene-player.js*", lambda route: route.abort())
        page.route(
            f"{path.as_uri()}*",
            lambda route: route.fulfill(content_type="text/html", body=page_with_figure_only(path, name)),
        )
        page.set_default_navigation_timeout(120_000)
        yield page


@pytest.mark.slow
@pytest.mark.parametrize("name", live_figures.names())
def test_live_figure_answers(browser, name):
    faults = []
    with window_of_figure(browser, "light", name, scripts=False) as page:
        page.goto(page_of(name).as_uri())
        figure = page.locator(f"[data-live={name}]")
        expect(figure.locator("svg.view").first).to_be_visible()
        expect(figure.locator(".form").last).to_be_visible()
        assert figure.locator(".controls, .grip").count() == 0
        poster = figure.locator("dd").all_inner_texts()
    with window_of_figure(browser, "light", name, calm=False) as page:
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request", lambda request: None if request.url.startswith("file:") else faults.append(request.url)
        )
        page.goto(page_of(name).as_uri())
        figure = page.locator(f"[data-live={name}]")
        figure.scroll_into_view_if_needed()
        assert figure.locator("dd").all_inner_texts() == poster

        def visible_text():
            return figure.evaluate(VISIBLE_TEXT)

        # drag
        first, start, drawings = visible_text(), figure.evaluate(STATE), figure.evaluate(DRAWINGS)
        grip = figure.locator(".grip").first
        box = grip.locator(".knob").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 25, y + 20, steps=4)
        page.mouse.up()
        dragged, state = visible_text(), figure.evaluate(STATE)
        assert state != start
        assert figure.evaluate(DRAWINGS) != drawings
        knob_box = grip.locator(".knob").bounding_box()
        assert abs(knob_box["x"] - box["x"]) + abs(knob_box["y"] - box["y"]) > 5
        # switch
        modes = figure.locator(".modes input")
        other = next(mode for mode in modes.all() if not mode.is_checked())
        other.check()
        chosen = other.get_attribute("value")
        assert visible_text() != dragged
        assert [form.get_attribute("data-mode") for form in figure.locator(".form:visible").all()] == [chosen]
        # keyboard
        before = figure.evaluate(STATE)
        grip.focus()
        text = grip.get_attribute("aria-valuetext")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowUp")
        assert grip.get_attribute("aria-valuetext") != text
        assert figure.evaluate(STATE) != before
        # link with state, in a new window
        shared, url = (figure.evaluate(STATE), visible_text()), page.url
        assert f"#live-{name}:mode={chosen};" in url
        # run
        run = figure.get_by_role("button", name="Run")
        if run.count():
            page.evaluate("document.addEventListener('animation', ({detail}) => (window.moved = detail))")
            run.click()
            assert page.evaluate("moved.name") == name  # scenes pause
            page.wait_for_function(f"document.querySelector('[data-live={name}]').live.time > 0.1")
            assert visible_text() != shared[1]
            if pause := figure.get_by_role("button", name="Pause").all():
                pause[0].click()
        figure.get_by_role("button", name="Reset").click()
        assert visible_text() == first
        assert "#" not in page.url
        # paper
        page.emulate_media(media="print")
        expect(figure.locator(".controls")).to_be_hidden()
        expect(figure.locator("svg.view").first).to_be_visible()
    with window_of_figure(browser, "phone", name) as page:
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.emulate_media(reduced_motion="reduce")
        page.goto(url)
        figure = page.locator(f"[data-live={name}]")
        assert (figure.evaluate(STATE), figure.evaluate(VISIBLE_TEXT)) == shared
        expect(figure).to_be_in_viewport()
        assert figure.evaluate("(figure) => figure.scrollWidth <= figure.clientWidth")
        run = figure.get_by_role("button", name="Run")
        if run.count():
            run.click()  # the whole motion at once
            expect(run).to_have_text("Run")
            expect(figure.locator(".message")).to_have_text(
                re.compile(r"^(diverged|settled|stopped) after [\d.]+ s$")
            )
        # touch
        start = figure.evaluate(STATE)
        # At the lower edge, the button that leads back to the top covers the figure.
        figure.locator(".grip").first.evaluate("(grip) => grip.scrollIntoView({block: 'center'})")
        box = figure.locator(".grip .knob").first.bounding_box()
        session = page.context.new_cdp_session(page)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for kind, touches in (("touchStart", [(x, y)]), ("touchMove", [(x + 15, y + 12)]), ("touchEnd", [])):
            points = [{"x": a, "y": b} for a, b in touches]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_function(f"({STATE})(document.querySelector('[data-live={name}]')) !== {start!r}")
    assert faults == []
