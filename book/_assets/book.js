// A formula wider than its place becomes smaller, down to what can be read; one that is still wider scrolls, and
// the keyboard reaches it.
const SMALLEST = 0.7;
function fitFormulas() {
  const formulas = [...document.querySelectorAll("div.math .formula")];
  for (const formula of formulas) formula.style.fontSize = "";
  const sizes = formulas.map((formula) => formula.clientWidth / formula.scrollWidth);
  formulas.forEach((formula, index) => {
    if (sizes[index] < 1) formula.style.fontSize = `${Math.max(SMALLEST, 0.99 * sizes[index])}em`;
  });
  const scroll = formulas.map((formula) => formula.scrollWidth > formula.clientWidth);
  formulas.forEach((formula, index) => {
    formula.classList.toggle("scrolls", scroll[index]);
    if (scroll[index]) formula.tabIndex = 0;
    else formula.removeAttribute("tabindex");
  });
}
window.addEventListener("load", fitFormulas);
window.addEventListener("resize", fitFormulas);
// in a box that was folded a formula had no width
document.addEventListener("toggle", fitFormulas, true);
