// A formula wider than its place becomes smaller; if that is not enough it breaks at its relations, as one in a
// line of text does; if it is still wider it scrolls, and the keyboard reaches it.
const SMALL = 0.8;
const SMALLEST = 0.65;
function fitFormulas() {
  let wide = [...document.querySelectorAll("div.math .formula")];
  for (const formula of wide) {
    formula.style.fontSize = "";
    formula.classList.remove("breaks", "scrolls");
    // one whose symbols explain themselves is reached by the keyboard anyway
    if (!formula.hasAttribute("data-explained")) formula.removeAttribute("tabindex");
  }
  // all are measured before any is changed: a page is laid out three times, not once for each formula
  wide = tooWide(wide, (formula, size) => {
    if (size < SMALL) formula.classList.add("breaks");
    formula.style.fontSize = `${Math.max(0.99 * size, SMALL)}em`;
  });
  wide = tooWide(wide, (formula, size) => {
    formula.style.fontSize = `${Math.max(0.99 * size * SMALL, SMALLEST)}em`;
  });
  tooWide(wide, (formula) => {
    formula.classList.add("scrolls");
    formula.tabIndex = 0;
  });
}
function tooWide(formulas, mend) {
  const sizes = formulas.map((formula) => formula.clientWidth / formula.scrollWidth);
  const wide = formulas.filter((formula, index) => sizes[index] < 1);
  const rooms = sizes.filter((size) => size < 1);
  wide.forEach((formula, index) => mend(formula, rooms[index]));
  return wide;
}
window.addEventListener("load", fitFormulas);
window.addEventListener("resize", fitFormulas);
// in a box that was folded a formula had no width
document.addEventListener("toggle", fitFormulas, true);

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
  fitFormulas();
});
window.addEventListener("afterprint", () => {
  for (const box of folded) box.open = false;
  fitFormulas();
});
