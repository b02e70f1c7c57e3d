// Filters the table of displays, and sets the formulas of the rows in view.
(() => {
  const table = document.querySelector("table.finder-table");
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => [...row.cells].map((cell) => ` ${cell.textContent.toLowerCase()}`).join(""));

  // --- formulas -------------------------------------------------------------------------------
  const loaded = {};
  const waiting = {};
  window.rbnotesFormulas = (source, formulas) => {
    loaded[source] = formulas;
    for (const row of waiting[source] || []) set(row);
  };
  function set(row) {
    const source = row.dataset.id.split("/")[0];
    if (!loaded[source]) {
      if (!waiting[source]) {
        waiting[source] = [];
        const script = document.createElement("script");
        script.src = `${folder}formulas-${source}.js`;
        document.head.append(script);
      }
      waiting[source].push(row);
      return;
    }
    const html = loaded[source][row.dataset.id];
    if (!html || row.querySelector(".formula")) return;
    const box = document.createElement("div");
    box.className = "formula";
    box.innerHTML = html;
    row.cells[2].append(box);
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      set(entry.target);
    }
  }, { rootMargin: "200px" });
  rows.forEach((row) => watcher.observe(row));

  // --- filter ---------------------------------------------------------------------------------
  const label = document.createElement("label");
  label.className = "finder-filter";
  label.append("Number, section or word ");
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "1.62, L 0.45, Sueda 1.9.5, damping ...";
  const count = document.createElement("output");
  label.append(box);
  table.before(label, count);
  function filter() {
    // brackets and the word equation say nothing; letters stand for the notes
    const query = box.value.toLowerCase().replace(/[()]/g, " ").replace(/\beq(uatio)?n?s?\b\.?/g, " ");
    const words = window.rbnotesWords.words(query);
    const number = words.findIndex((word) => /^\d+(\.\d+)*$/.test(word));
    let shown = 0;
    rows.forEach((row, index) => {
      const cells = [row.cells[0].textContent.toLowerCase(), row.cells[1].textContent.toLowerCase()];
      const numbers = cells.flatMap((cell) => cell.split(/[\s,]+/));
      const fits = words.every((word, place) => {
        if (place === number) return numbers.some((own) => own === word || own.startsWith(word + "."));
        if (/^[lsg]$/.test(word)) return cells[0].startsWith(word);
        if (texts[index].includes(word)) return true;
        return window.rbnotesWords.alternatives(word).some((other) => texts[index].includes(` ${other}`));
      });
      row.hidden = !fits;
      shown += fits;
    });
    count.textContent = `${shown} of ${rows.length} displays`;
  }
  box.addEventListener("input", filter);
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) box.value = asked;
  filter();
})();
