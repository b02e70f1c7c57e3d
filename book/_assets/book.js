// A formula much wider than its place puts its parts, which wide spaces separate, on lines of their own. One still
// wider becomes smaller, or breaks at its relations, as one in a line of text does. What does not fit then becomes
// smaller still, or scrolls, and the keyboard reaches it.
const NEARLY = 0.9;
const SMALL = 0.8;
const SMALLEST = 0.65, SMALLEST_ON_PHONE = 0.46; // on a phone a matrix that is seen whole in letters of 8 px
const WIDE_SPACE = 2; // em
function fitFormulas() {
  fit([...document.querySelectorAll("div.math .formula")].filter(isRendered));
}
// Displays far from the window are not laid out (book.css); they are fitted when they are.
function isRendered(formula) {
  return formula.firstElementChild?.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
}
function fit(formulas) {
  const smallest = matchMedia("(max-width: 600px)").matches ? SMALLEST_ON_PHONE : SMALLEST;
  for (const formula of formulas) {
    formula.style.fontSize = "";
    formula.classList.remove("parts", "breaks", "scrolls");
    // one whose symbols explain themselves is reached by the keyboard anyway
    if (!formula.hasAttribute("data-explained")) formula.removeAttribute("tabindex");
  }
  // all are measured before any is changed: a page is laid out four times, not once for each formula
  let wide = tooWide(formulas, (formula, size) => {
    if (size >= NEARLY || !separateParts(formula)) return;
    formula.classList.add("parts");
    formula.style.fontSize = "1em"; // not its reserved height
  });
  wide = tooWide(wide, (formula, size) => {
    if (size < SMALL) formula.classList.add("breaks");
    formula.style.fontSize = `${size < SMALL ? 1 : 0.99 * size}em`;
  });
  wide = tooWide(wide, (formula, size) => {
    formula.style.fontSize = `${Math.max(0.99 * size, smallest)}em`;
  });
  tooWide(wide, (formula) => {
    formula.style.fontSize = `${SMALL}em`;
    formula.classList.add("scrolls");
    formula.tabIndex = 0;
  });
}
// Groups what stands between wide spaces in elements of their own, which look the same until a line ends after one.
// Return true if there are several.
function separateParts(formula) {
  const html = formula.querySelector(".katex-html");
  if (!html || html.querySelector(":scope > .part")) return html !== null;
  const ends = [...html.querySelectorAll(":scope > .base > *")].filter(
    (item) => parseFloat(item.style.marginRight) >= WIDE_SPACE && item.nextSibling);
  if (!ends.length) return false;
  for (const end of ends) {
    const base = end.parentElement, rest = base.cloneNode(false);
    while (end.nextSibling) rest.append(end.nextSibling);
    base.after(rest);
    end.classList.add("ends-part");
  }
  let part = null;
  for (const base of [...html.children]) {
    if (!part) {
      part = document.createElement("span");
      part.className = "part";
      base.before(part);
    }
    part.append(base);
    if (base.lastElementChild?.matches(".ends-part")) part = null;
  }
  return true;
}
function tooWide(formulas, adapt) {
  const sizes = formulas.map((formula) => formula.clientWidth / formula.scrollWidth);
  const wide = formulas.filter((formula, index) => sizes[index] < 1);
  const ratios = sizes.filter((size) => size < 1);
  wide.forEach((formula, index) => adapt(formula, ratios[index]));
  return wide;
}
let nearing = [];
document.addEventListener("contentvisibilityautostatechange", ({ skipped, target }) => {
  if (skipped || !target.matches(".formula")) return;
  if (!nearing.length) requestAnimationFrame(() => fit(nearing.splice(0)));
  nearing.push(target);
}, true);
window.addEventListener("load", fitFormulas);
window.addEventListener("resize", fitFormulas);
document.fonts?.addEventListener("loadingdone", fitFormulas); // letters of a font that comes late are wider
// in a box that was folded a formula had no width
document.addEventListener("toggle", fitFormulas, true);

// On a phone a table that is wider than the page folds: a row becomes a block, with the heading before each cell.
function foldTables() {
  const tables = [...document.querySelectorAll(".bd-content table.table:not(.claims)")];
  for (const table of tables) table.classList.remove("folds");
  if (!matchMedia("(max-width: 600px)").matches) return;
  for (const table of tables.filter((each) => each.scrollWidth > each.parentElement.clientWidth + 1)) {
    const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0]?.rows ?? []) {
      [...row.cells].forEach((cell, column) => (cell.dataset.heading = headings[column] ?? ""));
    }
    if (headings.length) table.classList.add("folds");
  }
}
window.addEventListener("load", foldTables);
window.addEventListener("resize", foldTables);
document.addEventListener("toggle", foldTables, true);

// The scene of the start page plays by itself, unless the reader wants nothing to move.
function playOpening(tries = 40) {
  const scene = document.querySelector("article:has(.printed-form) .rbnotes-scene");
  if (!scene || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (scene.player) scene.player.setPlaying(true);
  else if (tries > 0) setTimeout(playOpening, 250, tries - 1); // it starts when it is in view
}
window.addEventListener("load", () => playOpening());

// On paper nothing is folded: what was comes back after printing.
let folded = [];
window.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const box of folded) box.open = true;
  document.documentElement.classList.add("whole");
  fitFormulas();
});
window.addEventListener("afterprint", () => {
  for (const box of folded) box.open = false;
  document.documentElement.classList.remove("whole");
  fitFormulas();
});

// The target of the address stays at the top of the window while fonts, formulas and figures take their size, until the
// reader acts.
let stopLanding = () => {};
function landOnTarget() {
  stopLanding();
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.matches(".moved a")) {
    location.replace(target.href);
    return;
  }
  const land = () => target.scrollIntoView({ behavior: "instant" });
  const watcher = new ResizeObserver(land);
  watcher.observe(document.querySelector("article"));
  stopLanding = () => watcher.disconnect();
  for (const event of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    window.addEventListener(event, stopLanding, { once: true, passive: true });
  }
  setTimeout(stopLanding, 3000);
}
window.addEventListener("load", landOnTarget);
window.addEventListener("hashchange", landOnTarget);

// Columns of an output that fit a phone in the smallest letters of book.css, and of a claim in a box; longer lines
// are sentences, and wrap.
const MAX_COLUMNS = 72;
const MAX_COLUMNS_IN_BOX = 65;
function countColumns() {
  for (const output of document.querySelectorAll("div.cell_output, .claim-entry div[class*='highlight-']")) {
    const most = output.closest(".admonition .claim-entry") ? MAX_COLUMNS_IN_BOX : MAX_COLUMNS;
    const lines = [...output.querySelectorAll("pre")].flatMap((text) => text.textContent.split("\n"));
    const widths = lines.map((line) => line.trimEnd().length).filter((width) => width <= most);
    output.style.setProperty("--columns", Math.max(1, ...widths));
  }
}
window.addEventListener("DOMContentLoaded", countColumns);
