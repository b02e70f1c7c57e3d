"""The written book in a browser: finder, search by number and by word, dark, narrow, and without scripts."""

import re
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import numpy as np
import pytest
from inspect_pages import DISPLAY_MODES, NO_BROWSER, chromium, inspect, window
from playwright.sync_api import expect
from rbnotes_book.drawing import picture
from rbnotes_book.drawings import DRAWINGS

from rbnotes.ledger.errata_pdf import find_browser
from rbnotes.viewer import Scene, box

PAGES = Path(__file__).parents[2] / "_build" / "html"
LOOK = {look.name: look for look in DISPLAY_MODES}

pytestmark = pytest.mark.skipif(find_browser() is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser_of_these_tests:
        yield browser_of_these_tests


@pytest.fixture
def open_page(browser):
    """Return a function that opens a page of the book: ``with open_page("finder", "dark") as page``."""

    @contextmanager
    def show(name, look="light", **more):
        with window(browser, LOOK[look], **more) as page:
            page.set_default_timeout(60_000)
            page.goto(f"{PAGES.as_uri()}/book/{name}.html")
            yield page

    return show


def test_windows_of_a_mode_start_with_an_empty_storage(browser, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html>")
    for _ in range(2):
        with window(browser, LOOK["light"]) as page:
            page.goto((tmp_path / "page.html").as_uri())
            assert page.evaluate("localStorage.length") == 0
            page.evaluate("localStorage.setItem('theme', 'dark')")


def link_targets(links):
    return links.evaluate_all("links => links.map((link) => link.getAttribute('href'))")


def test_finder_links_number_formula_verdict_chapter_and_function(open_page):
    with open_page("finder") as page:
        box, rows = page.locator(".finder-filter input"), page.locator("tr[data-id]:not([hidden])")

        def search_results(query):
            box.fill(query)
            return rows.evaluate_all("rows => rows.map((row) => row.dataset.id)")

        assert rows.count() == 545
        for query in ("1.62", "(1.62)", "eq. S 1.62"):
            assert search_results(query) == ["sueda/s1.9.5/e1.62"]
        assert search_results("L 0.45") == ["lloyd/s0.22.1/e0.45"]
        assert len(search_results("Sueda 1.9.5")) > 5
        assert search_results("no such thing") == []
        assert search_results("screw")
        assert search_results("four-bar")
        assert search_results("derivative of adjoint")[0].startswith("sueda/s1.5/")
        assert search_results("1.62")
        expect(rows.first.locator(".formula .katex").first).to_be_visible()
        links = link_targets(rows.first.locator("a"))
        for part in ("ledger-sueda-1.9.5.html#", "multi-point-muscles.html#", "api-forces.html#"):
            assert any(part in link for link in links)


def test_verdict_of_a_number_is_two_clicks_from_the_front_page(open_page):
    with open_page("index") as page:
        page.get_by_role("link", name="The finder", exact=True).first.click()
        page.locator(".finder-filter input").fill("1.62")
        page.locator("tr[data-id]:not([hidden]) a").first.click()
        expect(page).to_have_url(re.compile(r"ledger-sueda-1\.9\.5\.html#"))
        entry = page.locator(":target")
        expect(entry).to_be_in_viewport()
        assert 48 <= entry.bounding_box()["y"] <= 200
        expect(entry.locator(".verdict").first).to_have_text("wrong in print")


HEAVY = ("frame-spring-stiffness", "conditions-lloyd")
"""Pages with many elements: a chapter and a generated one."""
LANDINGS = 4
"""Number of anchors on each of these pages, in each of two widths."""
HAS_LANDED = """(anchor) => {
  const { top } = document.getElementById(anchor).getBoundingClientRect(), root = document.documentElement;
  return (top >= 48 && top <= 200) || scrollY + innerHeight >= root.scrollHeight - 2;
}"""


@pytest.fixture(scope="module")
def linked_anchors():
    """Return the anchors of the heavy pages to which finder, ledger and errata link."""
    book = PAGES / "book"
    anchors = {name: set() for name in HEAVY}
    generated = sorted((book / "generated").glob("ledger-*.html"))
    for page in (book / "finder.html", *book.glob("errata-*.html"), *generated):
        text = page.read_text(encoding="utf-8")
        for name, anchor in re.findall(r'href="(?:\.\./)?([\w-]+)\.html#([^"]+)"', text):
            if name in anchors:
                anchors[name].add(anchor)
    anchors["conditions-lloyd"] = set(
        re.findall(r'id="(errata-lloyd-[^"]+)"', (book / "conditions-lloyd.html").read_text(encoding="utf-8"))
    )
    return anchors


@pytest.mark.slow
@pytest.mark.parametrize("look", ["light", "phone"])
@pytest.mark.parametrize("name", HEAVY)
def test_links_land_below_the_bar(browser, linked_anchors, name, look):
    anchors = Random(f"{name} {look}").sample(sorted(linked_anchors[name]), LANDINGS)
    with window(browser, LOOK[look]) as page:
        page.set_default_timeout(60_000)
        # scenes are slow without a graphics card; their still drawings have the same size
        page.route("**/scene-player*.js", lambda route: route.abort())
        page.goto(f"{PAGES.as_uri()}/book/{name}.html#{anchors[0]}")
        for anchor in anchors:
            page.evaluate("(anchor) => { location.hash = anchor; }", anchor)
            page.evaluate("() => document.fonts.ready.then(() => null)")
            page.wait_for_function(HAS_LANDED, arg=anchor, timeout=15_000, polling=200)
            page.wait_for_timeout(500)  # displays are laid out only near the window
            assert page.evaluate(HAS_LANDED, anchor), anchor


NUMBERS = {
    "1.62": "multi-point-muscles.html#",
    "(1.62)": "multi-point-muscles.html#",
    "S 1.62": "multi-point-muscles.html#",
    "Lloyd 0.57": "frame-springs.html#",
    "eq 0.45": "frame-springs.html#",
    "Si & Guenter 27": "general-joints-linear-time.html#",
    "Algorithm 10": "inverse-inertia.html#",
    "Sueda alg. 8": "friction-in-joints.html#",
    "section 2.13": "inverse-inertia.html#",
    "Lloyd section 0.22.1": "frame-spring-stiffness.html#",
    "Table 1": "ledger-si-5.html#si-s5-table1",
    "fig. 2": "ledger-si-5.html#si-s5-fig2",
}
WORDS = {"frame spring": "frame-springs", "so3.left_jacobian": "api-so3"}
SLIPS = {
    "quatrnion rate": ("quaternion rate", "quaternions"),
    "jacobain": ("jacobian", "reduced-coordinates"),
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(params=["files", "server"])
def pages(request):
    """Return the address of the pages, as files and on a server."""
    if request.param == "files":
        yield PAGES.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(PAGES))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_search_finds_numbers_words_names_and_misspellings(browser, pages):
    # All queries on files, and one of each kind on a server.
    numbers, words, slips = (
        [*each.items()][: None if "file:" in pages else 1] for each in (NUMBERS, WORDS, SLIPS)
    )
    named = [*words, *((slip, page) for slip, (_, page) in slips)]
    with window(browser, LOOK["light"]) as page:
        page.goto(f"{pages}/search.html")
        box = page.locator("main input[name=q], #search-input").first
        box.fill("1.62")
        box.press("Enter")
        page.wait_for_url(re.compile(r"q=1\.62"))

        def search(query):
            page.goto(f"{pages}/search.html?{urlencode({'q': query})}")

        for query, part in numbers:
            search(query)
            links = page.locator(".search-numbers a")
            expect(links.first).to_be_visible()
            expect(page.locator("#search-results")).to_be_hidden()
            assert any(part in link for link in link_targets(links)), query
        for query, name in named:
            search(query)
            first = page.locator("ul.search li").first
            expect(first.locator("a").first).to_have_attribute("href", re.compile(rf"/{name}\.html"))
            expect(first.locator("p.context")).to_have_text(re.compile(".{40}", re.DOTALL))
            assert not re.search(r"\\[a-z]+\{|(\S{6,})\s*\1\s*\1", first.locator("p.context").inner_text())
            notice = page.locator(".search-slip")
            if query in SLIPS:
                expect(notice).to_contain_text(f"Shown is “{SLIPS[query][0]}”")
            else:
                expect(notice).to_have_count(0)


SAMPLE = 4
"""Number of pages that are inspected at each run; `make look` inspects all."""


@pytest.mark.slow
@pytest.mark.parametrize("look", list(LOOK))
def test_pages_of_the_day_pass_the_inspection(browser, look):
    """The pages change from day to day, so that all have a turn."""
    pages = sorted((PAGES / "book").rglob("*.html"))
    chosen = Random(datetime.now(UTC).toordinal()).sample(pages, SAMPLE)
    assert inspect(browser, LOOK[look], chosen)[0] == []


NARROW = (
    "index", "finder", "symbols", "errata-si", "conditions-sueda", "generated/ledger-lloyd-0.22.2",
    "generated/ledger-sueda-2.5", "generated/api-se3", "../genindex",
)  # fmt: skip


@pytest.mark.parametrize("name", NARROW)
def test_pages_fit_the_width_of_a_phone(open_page, name):
    with open_page(name, "phone") as page:
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0


SCROLLING_TABLES = """tables => tables.filter(({ parentElement: box }) =>
  box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1).map((table) => table.textContent.trim())"""


def test_wide_tables_fold_on_a_phone(open_page):
    with open_page("trust", "phone") as page:
        page.locator("article details").evaluate_all("boxes => boxes.forEach((box) => { box.open = true; })")
        expect(page.locator("table.folds").first).to_be_visible()
        assert page.locator("article table").evaluate_all(SCROLLING_TABLES) == []
        columns = page.locator("table.folds").first.locator("th").all_text_contents()
        cells = page.locator("table.folds").first.locator("tbody tr").first.locator("td")
        assert cells.evaluate_all("cells => cells.map((cell) => cell.dataset.heading)") == columns
        page.set_viewport_size({"width": 1280, "height": 900})
        expect(page.locator("table.folds")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["springs-and-muscles-on-bodies", "muscles", "multi-point-muscles", "frame-spring-stiffness"]
)
def test_wide_matrices_are_seen_whole_on_a_phone(open_page, name):
    with open_page(name, "phone") as page:
        page.locator("article details").evaluate_all("boxes => boxes.forEach((box) => { box.open = true; })")
        page.evaluate("() => document.documentElement.classList.add('whole')")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.evaluate("() => dispatchEvent(new Event('resize'))")
        assert page.locator("div.math .formula").count() > 10
        assert page.locator("div.math .formula.scrolls").count() == 0


WRAPPED_OUTPUTS = """outputs => outputs.filter((output) => {
  if (output.textContent.split("\\n").some((line) => line.trimEnd().length > 72)) return false;
  const height = output.clientHeight;
  output.style.whiteSpace = "pre";
  return height > output.clientHeight + 1;
}).map((output) => output.textContent)"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a-real-robot", "constraints-and-kkt"])
def test_outputs_of_72_columns_do_not_wrap_on_a_phone(open_page, name):
    with open_page(name, "phone") as page:
        page.locator(".toggle-hidden").evaluate_all(
            "boxes => boxes.forEach((box) => box.classList.remove('toggle-hidden'))"
        )
        outputs = page.locator(".admonition div.cell_output div.highlight > pre")
        assert outputs.count() > 0
        assert outputs.evaluate_all(WRAPPED_OUTPUTS) == []


def test_finder_shows_each_section_once_on_a_phone(open_page):
    with open_page("finder", "phone") as page:
        for id, section in (("lloyd/s0.13/d12", "Lloyd 0.13"), ("sueda/s2.5/e2.72", "Sueda 2.5")):
            cells = page.locator(f"tr[data-id='{id}'] td:visible").all_inner_texts()
            assert " ".join(cells[:2]).count(section) == 1


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("name", ["finder", "ledger"])
def test_pages_follow_the_dark_mode_preference(open_page, name, look):
    with open_page(name, look) as page:
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(map(int, re.findall(r"\d+", ground)[:3]))
        assert brightness < 200 if look == "dark" else brightness > 600


def test_finder_works_without_scripts(open_page):
    with open_page("finder", scripts=False) as page:
        assert page.locator("tr[data-id]").count() == page.locator("tr[data-id]:visible").count() == 545
        # no box is there that would do nothing
        assert page.locator("input.finder, .finder-filter").count() == 0


# Heights of displays, rendered and as reserved before they were.
HEIGHTS = """formulas => {
  const fitted = formulas.filter((formula) => !formula.style.fontSize);
  const content = (formula) => formula.clientHeight - 2 * parseFloat(getComputedStyle(formula).paddingTop);
  const size = (formula) => getComputedStyle(formula).containIntrinsicHeight; // "auto 40px"
  const reserved = fitted.map((formula) => parseFloat(size(formula).split(" ")[1]));
  document.documentElement.classList.add("whole");
  const rendered = fitted.map(content);
  document.documentElement.classList.remove("whole");
  return [rendered, reserved];
}"""


@pytest.mark.slow
def test_symbols_show_explanations_on_hover_tap_and_key(open_page):
    with open_page("friction", "phone") as page:
        tip = page.locator(".symbol-tip")
        display = page.locator("#equation-sueda-1-86")
        page.evaluate("location.hash = 'equation-sueda-1-86'")
        expect(display).to_be_in_viewport()
        # displays are laid out only near the window: the target stays where it is when they are
        page.evaluate("new Promise((done) => setTimeout(done, 300))")
        assert 48 <= display.bounding_box()["y"] <= 200
        rendered, reserved = page.locator(".formula[style*=contain]").evaluate_all(HEIGHTS)
        assert len(rendered) > 5
        assert sum(rendered) == pytest.approx(sum(reserved), rel=0.25)
        verdict, card = display.locator("button.verdict"), display.locator(".display-card")
        verdict.click()
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= LOOK["phone"].width
        expect(card.get_by_role("link", name="Full entry in the ledger")).to_have_attribute(
            "href", re.compile(r"ledger-sueda-1\.13\.html#")
        )
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        page.emulate_media(media="print")
        expect(verdict).to_be_hidden()
        expect(display.locator("a.on-paper")).to_be_visible()
        page.emulate_media(media="screen")
        formula = display.locator(".formula")
        symbols = formula.locator("[data-symbol]")
        # nothing inside the formula takes the focus: screen readers do not see it
        assert formula.locator("[tabindex]").count() == 0
        symbols.nth(0).hover()
        expect(tip).to_contain_text(re.compile("^rows that bound friction by the normal impulse"))
        expect(tip).to_contain_text("shape contacts × impulses")
        page.mouse.move(1, 1)
        expect(tip).to_be_hidden()
        symbols.nth(1).tap()
        expect(tip).to_contain_text(re.compile("^all impulses of contacts"))
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= LOOK["phone"].width
        page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        formula.focus()
        page.keyboard.press("ArrowRight")
        first = tip.inner_text()
        page.keyboard.press("ArrowRight")
        assert first
        assert tip.inner_text() not in ("", first)
        announcement = page.locator("[role=status].visually-hidden").inner_text()
        assert re.match(r"(lambda|mu); .*; unit .*; shape ", announcement)


def test_verdict_stands_beside_its_number_where_the_page_is_wide(open_page):
    with open_page("tree-equations") as page:
        page.evaluate("location.hash = 'equation-si-11'")
        display = page.locator("#equation-si-11")
        verdict, card = display.locator("button.verdict"), display.locator(".display-card")
        expect(verdict).to_be_in_viewport()
        box, formula = verdict.bounding_box(), display.locator(".formula").bounding_box()
        assert box["x"] >= formula["x"] + formula["width"] - 1
        assert formula["y"] - box["height"] <= box["y"] <= formula["y"] + formula["height"]
        verdict.click()
        expect(card).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()


@pytest.mark.slow
def test_slider_selects_a_picture_and_layers_can_be_switched(open_page):
    with open_page("joint-types") as page:
        figure = page.locator(".rbnotes-slider").first
        slider, value = figure.locator(".pick input"), figure.locator(".pick output")
        choices = figure.locator(".choice")

        def expect_choice(choice, text):
            expect(value).to_have_text(text)
            expect(slider).to_have_attribute("aria-valuetext", text)
            expect(choices.nth(choice)).to_be_visible()
            assert sum(one.is_visible() for one in choices.all()) == 1

        slider.scroll_into_view_if_needed()
        expect_choice(3, "0.06 m/rad")
        slider.focus()
        page.keyboard.press("Home")
        expect_choice(0, "-0.06 m/rad")
        scene = choices.nth(0).locator(".rbnotes-scene")
        assert scene.locator(".legend .entry").all_inner_texts() == ["path of a corner"]
        frames = """(scene) => scene.player.items.filter(({ layer }) => layer === "frames")
            .map(({ object }) => object.visible)"""
        assert scene.evaluate(frames) == [True]
        scene.locator(".legend input").first.click()
        assert scene.evaluate(frames) == [False]


@pytest.mark.parametrize("calm", [False, True])
def test_scene_plays_once_in_view_and_returns_to_its_poster(browser, tmp_path, calm):
    path = np.tile(np.eye(4), (9, 1, 1))
    path[:, 0, 3] = np.arange(9.0)
    scene = Scene("A box.", np.linspace(0, 0.4, 9), poster=0.1).add(box([1, 1, 1]), path)
    scene.save(tmp_path / "scene.html")
    with window(browser, LOOK["light"], calm=calm) as page:
        page.add_init_script(
            "new MutationObserver(() => (window.labels ??= new Set())"
            ".add(document.querySelector('.play')?.ariaLabel))"
            ".observe(document, {subtree: true, attributes: true})"
        )
        page.goto((tmp_path / "scene.html").as_uri())
        clock = page.locator(".controls output")
        if calm:
            page.wait_for_timeout(300)
            assert "Pause" not in page.evaluate("[...labels]")
        else:
            page.wait_for_function("labels?.has('Pause')")
        expect(page.locator(".play")).to_have_attribute("aria-label", "Play")
        expect(clock).to_have_text("0.10 s")
        # it pauses when something else on the page moves
        page.locator(".play").click()
        expect(page.locator(".play")).to_have_attribute("aria-label", "Pause")
        page.evaluate("document.dispatchEvent(new CustomEvent('animation', {detail: null}))")
        expect(page.locator(".play")).to_have_attribute("aria-label", "Play")


def test_scene_rotates_and_scrubs_and_solution_unfolds(open_page):
    with open_page("joint-types") as page:
        figure = page.locator(".rbnotes-scene").first
        figure.scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.rbnotes-scene').player")
        view = "(figure) => figure.player.camera.position.toArray()"
        orientations = "(figure) => figure.player.items.map(({ object }) => object.quaternion.toArray())"
        before = figure.evaluate(view)
        box = figure.locator("canvas").bounding_box()
        page.mouse.move(box["x"] + 90, box["y"] + 90)
        page.mouse.down()
        page.mouse.move(box["x"] + 150, box["y"] + 90, steps=4)
        page.mouse.up()
        orbited = figure.evaluate(view)
        assert orbited[:2] != pytest.approx(before[:2], abs=1e-3)
        assert orbited[2] == pytest.approx(before[2], abs=1e-3)  # it was dragged sideways
        still = figure.evaluate(orientations)
        time, clock = figure.locator(".controls input[type=range]"), figure.locator(".controls output")
        expect(clock).to_have_text("2.00 s")  # the poster
        time.fill("900")
        expect(clock).not_to_have_text("2.00 s")
        assert figure.evaluate(orientations) != still
        solution = page.locator(".solution.dropdown").first
        expect(solution.locator("section")).to_be_hidden()
        solution.locator(".admonition-title").click()
        expect(solution.locator("section")).to_be_visible()


def test_scenes_and_sliders_are_static_drawings_without_scripts(open_page):
    with open_page("joint-types", scripts=False) as page:

        def high(selector):
            boxes = [part.bounding_box() for part in page.locator(selector).all()]
            return sum(box is not None and box["height"] > 100 for box in boxes)

        assert high(".rbnotes-scene svg") > high(".rbnotes-slider svg") == 1
        assert high(".pick, canvas") == 0


# All drawings at the width that they have on a phone, with the book's styles.
DRAWN = """<!doctype html><link rel="stylesheet" href="ASSETS/_generated/katex/katex.min.css">
<link rel="stylesheet" href="ASSETS/_assets/drawings.css">
<body style="margin:0; width:350px; font:16px/1.6 sans-serif">PICTURES"""
LABELS = """figures => figures.map((figure) => {
  const bounds = figure.getBoundingClientRect();
  return [...figure.querySelectorAll(".label")].map((label) => {
    const { left, right, top, bottom } = label.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(label).fontSize);
    return [left - bounds.left, right - bounds.left, top - bounds.top, bottom - bounds.top, size];
  });
})"""


def test_drawing_labels_are_legible_and_separate_on_a_phone(browser, tmp_path):
    pictures = "".join(
        f'<figure class="drawing" style="margin:20px 0">{picture(draw(), name)}</figure>'
        for name, draw in DRAWINGS.items()
    )
    document = tmp_path / "drawings.html"
    document.write_text(
        DRAWN.replace("ASSETS", (PAGES.parents[1] / "book").as_uri()).replace("PICTURES", pictures),
        encoding="utf-8",
    )
    with window(browser, LOOK["phone"]) as page:
        page.goto(document.as_uri())
        page.evaluate("() => document.fonts.ready.then(() => null)")
        labels_by_drawing = page.locator("figure").evaluate_all(LABELS)
    for (name, draw), labels in zip(DRAWINGS.items(), labels_by_drawing, strict=True):
        assert len(labels) == len(draw().labels)
        for k, (left, right, top, bottom, size) in enumerate(labels):
            text = draw().labels[k].text
            assert size >= 14, (name, text)
            assert left >= -8, (name, text)
            assert right <= 358, (name, text)
            for other, (left_2, right_2, top_2, bottom_2, _) in enumerate(labels[:k]):
                wide = min(right, right_2) - max(left, left_2)
                high = min(bottom, bottom_2) - max(top, top_2)
                assert min(wide, high) <= 4, (name, text, draw().labels[other].text)


@pytest.mark.slow
def test_links_to_displays_that_moved_lead_to_their_new_page(browser):
    with window(browser, LOOK["light"]) as page:
        page.set_default_timeout(60_000)
        page.route("**/scene-player*.js", lambda route: route.abort())
        page.goto(f"{PAGES.as_uri()}/book/springs-and-muscles-on-bodies.html#equation-sueda-1-62")
        page.wait_for_url("**/multi-point-muscles.html#equation-sueda-1-62")
