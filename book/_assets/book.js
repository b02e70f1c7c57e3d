// A formula wider than its page scrolls; let the keyboard reach it.
function letKeyboardReachWideFormulas() {
  for (const formula of document.querySelectorAll("div.math .formula:not([data-explained])")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
    else formula.removeAttribute("tabindex");
  }
}
window.addEventListener("load", letKeyboardReachWideFormulas);
window.addEventListener("resize", letKeyboardReachWideFormulas);
