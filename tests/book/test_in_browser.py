"""The written book in a browser: finder, search by number and by word, dark, narrow, and without scripts."""

import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from look_at_pages import LOOKS, browse
from rbnotes_book.drawing import picture
from rbnotes_book.drawings import DRAWINGS

from rbnotes.ledger.errata_pdf import BROWSERS, browser

PAGES = Path(__file__).parents[2] / "_build" / "html"
LOOK = {look.name: look for look in LOOKS}

pytestmark = pytest.mark.skipif(browser() is None, reason=f"no browser: none of {', '.join(BROWSERS)}")

# A document of ours with the page in a frame; STEPS may use open(address) and wait(milliseconds).
DRIVER = """<!doctype html><body style="margin:0">
<iframe SANDBOX style="border:0; width:WIDTHpx; height:900px"></iframe>
<script>
const frame = document.querySelector("iframe");
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function open(address) {
  await new Promise((resolve) => { frame.onload = resolve; frame.src = "PAGES/" + address; });
  await wait(300);
  return frame.contentWindow;
}
async function until(test) {
  for (let tries = 0; tries < 100; tries++) { if (test()) return true; await wait(50); }
  return false;
}
(async () => {
  let found;
  try { found = await (async () => { STEPS })(); } catch (error) { found = String(error); }
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
})();
</script>"""


def drive(look, steps, *, sandbox="", pages=None, serve=None):
    """What the steps return, from a fresh browser; ``serve`` gives the address of a document on a server."""
    document = DRIVER.replace("SANDBOX", sandbox).replace("WIDTH", str(look.width))
    document = document.replace("PAGES", pages or PAGES.as_uri()).replace("STEPS", steps)
    address = serve(document) if serve else None
    size = f"--window-size={max(look.width, 500)},900"
    done = browse(look, document, size, "--virtual-time-budget=60000", "--dump-dom", address=address)
    match = re.search(r"FOUND(.*)END", done.stdout, re.DOTALL)
    assert match, done.stderr[-2000:]
    return json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


FIND = """
const page = await open("book/finder.html");
const box = page.document.querySelector(".finder-filter input");
const rows = () => [...page.document.querySelectorAll("tr[data-id]:not([hidden])")];
const all = rows().length, found = {};
for (const query of ["1.62", "(1.62)", "eq. S 1.62", "L 0.45", "Sueda 1.9.5", "no such thing"]) {
  box.value = query;
  box.dispatchEvent(new page.Event("input"));
  found[query] = rows().map((row) => row.dataset.id);
}
box.value = "1.62";
box.dispatchEvent(new page.Event("input"));
const set = await until(() => rows().some((row) => row.querySelector(".formula .katex")));
const links = [...rows()[0].querySelectorAll("a")].map((link) => link.getAttribute("href"));
return { all, found, set, links };
"""


def test_the_finder_leads_from_a_number_to_formula_verdict_chapter_and_function():
    seen = drive(LOOK["light"], FIND)
    found = seen["found"]
    assert seen["all"] == 545
    for query in ("1.62", "(1.62)", "eq. S 1.62"):
        assert found[query] == ["sueda/s1.9.5/e1.62"]
    assert found["L 0.45"] == ["lloyd/s0.22.1/e0.45"]
    assert len(found["Sueda 1.9.5"]) > 5
    assert found["no such thing"] == []
    assert seen["set"]
    for part in ("ledger-sueda-1.9.5.html#", "springs-and-muscles-on-bodies.html#", "api-forces.html#"):
        assert any(part in link for link in seen["links"])


NUMBERS = {
    "1.62": "springs-and-muscles-on-bodies.html#",
    "(1.62)": "springs-and-muscles-on-bodies.html#",
    "S 1.62": "springs-and-muscles-on-bodies.html#",
    "Lloyd 0.57": "frame-springs.html#",
    "eq 0.45": "frame-springs.html#",
    "Si & Guenter 27": "general-joints-linear-time.html#",
    "Algorithm 10": "inverse-inertia.html#",
    "Sueda alg. 8": "friction-in-joints.html#",
    "Table 1": "ledger-si-5.html#si-s5-table1",
    "fig. 2": "ledger-si-5.html#si-s5-fig2",
}
WORDS = {
    "quaternion rate": "quaternions",
    "frame spring": "frame-springs",
    "null space": "attachments",
}
CODE = {"so3.exp": "rotations", "so3.left_jacobian": "api-so3"}
SLIPS = {
    "quaternoin": ("quaternion", "quaternions"),
    "quatrnion rate": ("quaternion rate", "quaternions"),
    "jacobain": ("jacobian", "axial-springs"),
    "frame sprng": ("frame spring", "frame-springs"),
}
SEARCH = """
const found = {};
for (const query of NUMBERS) {
  const page = await open("search.html?q=" + encodeURIComponent(query));
  await until(() => page.document.querySelector(".search-numbers li"));
  const links = [...page.document.querySelectorAll(".search-numbers a")];
  found[query] = links.map((link) => link.getAttribute("href"));
}
for (const query of WORDS) {
  await open("search.html?q=" + encodeURIComponent(query));
  const page = () => frame.contentWindow.document;  // a slip of typing leads to another page
  await until(() => page().querySelector("ul.search li:first-child p.context"));
  const first = page().querySelector("ul.search li"), said = page().querySelector(".search-slip");
  found[query] = [first.querySelector("a").getAttribute("href"), first.querySelector("p.context").textContent,
    said && said.textContent];
}
return found;
"""


class Served(SimpleHTTPRequestHandler):
    """The pages, and a document beside them."""

    document = ""

    def do_GET(self):
        if self.path != "/driver":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.document.encode())

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture
def served():
    """Takes a document; gives its address on a server of the pages."""
    handler = type("Driven", (Served,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(PAGES))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def serve(document):
            handler.document = document
            return f"http://127.0.0.1:{server.server_port}/driver"

        yield serve
        server.shutdown()


def searched(**where):
    words = json.dumps([*WORDS, *SLIPS, *CODE])
    steps = SEARCH.replace("NUMBERS", json.dumps(list(NUMBERS))).replace("WORDS", words)
    found = drive(LOOK["light"], steps, **where)
    assert isinstance(found, dict), found
    for query, part in NUMBERS.items():
        assert any(part in link for link in found[query]), query
    pages = WORDS | {slip: page for slip, (_, page) in SLIPS.items()} | CODE
    for query, name in pages.items():
        link, excerpt, said = found[query]
        assert f"{name}.html" in link, query
        assert len(excerpt) > 40, query
        assert not re.search(r"\\[a-z]+\{|(\S{6,})\s*\1\s*\1", excerpt)
        if query in SLIPS:
            assert f"Shown is “{SLIPS[query][0]}”" in said
        else:
            assert said is None, query


def test_the_search_knows_numbers_words_names_and_slips_without_a_server():
    searched()


def test_the_search_knows_the_same_from_a_server(served):
    searched(pages=".", serve=served)


LOOKED_AT = """
const found = {};
for (const name of PAGE_NAMES) {
  const page = await open("book/" + name + ".html");
  const root = page.document.documentElement;
  const ground = page.getComputedStyle(page.document.body).backgroundColor;
  found[name] = [root.scrollWidth - root.clientWidth, ground];
}
return found;
"""


def look_at(look, *names):
    """How much wider each page is than its window, and its ground."""
    return drive(LOOK[look], LOOKED_AT.replace("PAGE_NAMES", json.dumps(names)))


def test_pages_fit_a_phone():
    seen = look_at(
        "phone", "index", "finder", "errata-si", "generated/ledger-lloyd-0.22.2", "generated/api-se3"
    )
    assert {name: wider for name, (wider, _) in seen.items() if wider > 0} == {}


def test_pages_are_dark_where_the_reader_wants_it():
    for name, (_, ground) in look_at("dark", "finder", "ledger").items():
        assert sum(map(int, re.findall(r"\d+", ground)[:3])) < 200, (name, ground)
    for name, (_, ground) in look_at("light", "finder").items():
        assert sum(map(int, re.findall(r"\d+", ground)[:3])) > 600, (name, ground)


UNSCRIPTED = """
const page = await open("book/finder.html");
const rows = [...page.document.querySelectorAll("tr[data-id]")];
const shown = rows.filter((row) => row.getBoundingClientRect().height > 0).length;
return [rows.length, shown, page.document.querySelectorAll("input.finder, .finder-filter").length];
"""


def test_the_finder_reads_without_scripts():
    # no box is there that would do nothing
    assert drive(LOOK["light"], UNSCRIPTED, sandbox='sandbox="allow-same-origin"') == [545, 545, 0]


EXPLAINED = """
const page = await open("book/friction.html");
const tip = page.document.querySelector(".symbol-tip");
const words = () => (tip.hidden ? "" : tip.textContent);
const formula = page.document.querySelector("#equation-sueda-1-86 .formula");
const symbols = [...formula.querySelectorAll("[data-symbol]")];
const point = (target, type, pointerType) =>
  target.dispatchEvent(new page.PointerEvent(type, { bubbles: true, pointerType }));
const found = { hidden: [...formula.querySelectorAll("[tabindex]")].length };
point(symbols[0], "pointerover", "mouse");
found.hover = words();
point(page.document.body, "pointerover", "mouse");
found.left = words();
point(symbols[1], "pointerover", "touch");
found.touched = words();
symbols[1].click();
found.tap = words();
const box = tip.getBoundingClientRect();
found.inside = box.left >= 0 && box.right <= page.innerWidth;
const press = (key) => page.document.dispatchEvent(new page.KeyboardEvent("keydown", { key, bubbles: true }));
press("Escape");
found.escaped = words();
formula.focus();
press("ArrowRight");
found.first = words();
press("ArrowRight");
found.key = words();
found.said = page.document.querySelector("[role=status].visually-hidden").textContent;
return found;
"""


def test_symbols_explain_themselves_on_hover_tap_and_key():
    seen = drive(LOOK["phone"], EXPLAINED)
    assert seen["hidden"] == 0  # nothing inside the formula takes the focus: screen readers do not see it
    assert seen["hover"].startswith("rows that bound friction by the normal impulse")
    assert "shape contacts × impulses" in seen["hover"]
    assert seen["left"] == seen["touched"] == seen["escaped"] == ""
    assert seen["tap"].startswith("all impulses of contacts")
    assert seen["inside"]
    assert seen["first"]
    assert seen["key"] not in ("", seen["first"])
    assert re.match(r"(lambda|mu); .*; unit .*; shape ", seen["said"])


SLIDE = """
const page = await open("book/joint-types.html");
const figure = page.document.querySelector(".rbnotes-slider");
figure.scrollIntoView({ behavior: "instant" });
const input = figure.querySelector(".pick input"), value = figure.querySelector(".pick output");
const choices = [...figure.querySelectorAll(".choice")];
const seen = [];
const note = () => seen.push([value.textContent, choices.findIndex((choice) => !choice.hidden),
  choices.filter((choice) => !choice.hidden).length, input.getAttribute("aria-valuetext")]);
note();
input.value = 0;
input.dispatchEvent(new page.Event("input"));
note();
const shown = choices[0].querySelector(".rbnotes-scene");
const legend = [...shown.querySelectorAll(".legend .entry")].map((entry) => entry.textContent);
const box = shown.querySelector(".legend input");
const frames = shown.player.items.filter(({ layer }) => layer === "frames");
const before = frames.map(({ object }) => object.visible);
box.click();
const after = frames.map(({ object }) => object.visible);
input.focus();
return { seen, legend, before, after, focused: page.document.activeElement === input };
"""


def test_a_slider_picks_a_picture_and_layers_have_switches():
    seen = drive(LOOK["light"], SLIDE)
    assert seen["seen"] == [["0.06 m/rad", 3, 1, "0.06 m/rad"], ["-0.06 m/rad", 0, 1, "-0.06 m/rad"]]
    assert seen["legend"] == ["bolt", "nut", "way of a corner"]
    assert seen["before"] == [True]
    assert seen["after"] == [False]
    assert seen["focused"]


PLAYED = """
const page = await open("book/joint-types.html");
const figure = page.document.querySelector(".rbnotes-scene");
figure.scrollIntoView({ behavior: "instant" });
await until(() => figure.player);
const canvas = figure.querySelector("canvas"), seen = {};
const view = () => figure.player.camera.position.toArray().map((number) => +number.toFixed(3));
const places = () => figure.player.items.map(({ object }) => object.quaternion.toArray());
seen.view = view();
canvas.setPointerCapture = canvas.releasePointerCapture = () => {};  // no finger is on the glass
const { left, top } = canvas.getBoundingClientRect();
const point = (type, x, buttons) => canvas.dispatchEvent(new page.PointerEvent(type, { bubbles: true,
  pointerId: 1, pointerType: "mouse", button: 0, buttons, clientX: left + x, clientY: top + 90 }));
point("pointerdown", 90, 1);
point("pointermove", 150, 1);
point("pointerup", 150, 0);
seen.orbited = view();
const still = JSON.stringify(places());
const time = figure.querySelector(".controls input"), clock = figure.querySelector(".controls output");
seen.clock = clock.textContent;
time.value = 500;
time.dispatchEvent(new page.Event("input"));
seen.scrubbed = clock.textContent;
seen.moved = JSON.stringify(places()) !== still;
const solution = page.document.querySelector(".solution.dropdown");
const text = () => solution.querySelector("section").getBoundingClientRect().height;
seen.folded = text();
solution.querySelector(".toggle-button, .admonition-title").click();
seen.solution = await until(() => text() > 40);
return seen;
"""


def test_a_scene_turns_and_is_scrubbed_and_a_solution_unfolds():
    seen = drive(LOOK["light"], PLAYED)
    assert seen["orbited"] != seen["view"]
    assert seen["orbited"][2] == pytest.approx(seen["view"][2], abs=1e-3)  # it was dragged sideways
    assert seen["clock"] == "0.00 s" != seen["scrubbed"]
    assert seen["moved"]
    assert seen["folded"] == 0
    assert seen["solution"]


STILL = """
const page = await open("book/joint-types.html");
const high = (selector) => [...page.document.querySelectorAll(selector)].map(
  (part) => part.getBoundingClientRect().height).filter((height) => height > 100).length;
return [high(".rbnotes-scene svg"), high(".rbnotes-slider svg"), high(".pick, canvas")];
"""


def test_scenes_and_sliders_are_still_drawings_without_scripts():
    scenes, chosen, controls = drive(LOOK["light"], STILL, sandbox='sandbox="allow-same-origin"')
    assert scenes > chosen == 1
    assert controls == 0


# All drawings at the width that they have on a phone, with the book's styles.
DRAWN = """<!doctype html><link rel="stylesheet" href="ASSETS/_generated/katex/katex.min.css">
<link rel="stylesheet" href="ASSETS/_assets/drawings.css">
<body style="margin:0; width:350px; font:16px/1.6 sans-serif">PICTURES
<script>
onload = () => document.fonts.ready.then(() => {
  const found = [...document.querySelectorAll("figure")].map((figure) => {
    const room = figure.getBoundingClientRect();
    return [...figure.querySelectorAll(".label")].map((label) => {
      const { left, right, top, bottom } = label.getBoundingClientRect();
      const size = parseFloat(getComputedStyle(label).fontSize);
      return [left - room.left, right - room.left, top - room.top, bottom - room.top, size];
    });
  });
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
});
</script>"""


def test_labels_of_drawings_are_legible_apart_and_inside_on_a_phone():
    pictures = "".join(
        f'<figure class="drawing" style="margin:20px 0">{picture(draw(), name)}</figure>'
        for name, draw in DRAWINGS.items()
    )
    assets = (PAGES.parents[1] / "book").as_uri()
    document = DRAWN.replace("ASSETS", assets).replace("PICTURES", pictures)
    done = browse(LOOK["phone"], document, "--virtual-time-budget=20000", "--dump-dom")
    found = json.loads(re.search(r"FOUND(.*)END", done.stdout, re.DOTALL)[1])
    for (name, draw), labels in zip(DRAWINGS.items(), found, strict=True):
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
