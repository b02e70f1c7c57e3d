// Symbols of displays explain themselves: on hover, on a tap, and for the keyboard, where a display takes the
// focus and the arrow keys go from symbol to symbol. What is shown is also announced to screen readers.
(() => {
  const table = window.rbnotesSymbols || [];
  const marked = ".formula [data-symbol]";
  const tip = document.createElement("div");
  tip.className = "symbol-tip";
  tip.hidden = true;
  const announcer = document.createElement("div");
  announcer.className = "visually-hidden";
  announcer.setAttribute("role", "status");
  let shown = null;

  function words(symbol) {
    const [letter, meaning, unit, shape, code] = table[symbol.dataset.symbol];
    const dots = Number(symbol.dataset.rate || 0);
    const of = ["", "rate of: ", "second rate of: "][dots];
    const per = ["", " per s", " per s²"][dots];
    const facts = [];
    if (unit) facts.push(["unit", unit + per]);
    if (shape) facts.push(["shape", shape]);
    if (code) facts.push(["code", code]);
    return { letter, text: of + meaning, facts };
  }

  function show(symbol) {
    if (symbol === shown) return;
    hide();
    const { letter, text, facts } = words(symbol);
    const rows = facts.map(([name, value]) => {
      const row = document.createElement("div"), content = document.createElement(name === "code" ? "code" : "span");
      content.textContent = value;
      row.append(`${name} `, content);
      return row;
    });
    tip.replaceChildren(text, ...rows);
    tip.hidden = false;
    announcer.textContent = [letter, text, ...facts.map((fact) => fact.join(" "))].join("; ");
    symbol.classList.add("symbol-shown");
    shown = symbol;
    place();
  }

  function place() {
    const box = shown.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(box.left, width - size.width - 8));
    const below = box.bottom + 8;
    const above = box.top - size.height - 8;
    tip.style.left = `${left + window.scrollX}px`;
    tip.style.top = `${(below + size.height > window.innerHeight && above > 0 ? above : below) + window.scrollY}px`;
  }

  function hide() {
    if (shown) shown.classList.remove("symbol-shown");
    shown = null;
    tip.hidden = true;
    announcer.textContent = "";
  }

  const symbolAt = (event) => event.target instanceof Element && event.target.closest(marked);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const symbol = symbolAt(event);
    if (symbol) show(symbol);
    else if (!tip.contains(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    const symbol = symbolAt(event);
    if (symbol) show(symbol);
    else if (!tip.contains(event.target)) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const formula = document.activeElement;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !formula || !formula.matches(".formula[data-explained]")) return;
    const symbols = [...formula.querySelectorAll("[data-symbol]")];
    const next = symbols[(symbols.indexOf(shown) + step + symbols.length) % symbols.length];
    event.preventDefault();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    show(next);
  });
  document.addEventListener("scroll", () => shown && place(), { capture: true, passive: true });

  for (const formula of document.querySelectorAll(".formula:has([data-symbol])")) {
    formula.dataset.explained = "";
    formula.tabIndex = 0;
    formula.setAttribute("role", "group");
    formula.setAttribute("aria-label", "Formula; the left and right arrow keys explain its symbols");
    formula.addEventListener("focus", () => {
      if (formula.matches(":focus-visible")) show(formula.querySelector("[data-symbol]"));
    });
    formula.addEventListener("blur", hide);
  }
  document.body.append(tip, announcer);
})();
