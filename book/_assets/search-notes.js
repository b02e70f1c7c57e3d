// On the search page: what belongs to a number of the notes, first; and an excerpt below each result.
(() => {
  const SOURCES = { l: "lloyd", lloyd: "lloyd", s: "sueda", sueda: "sueda", g: "si", si: "si", guenter: "si" };
  const root = document.documentElement.dataset.content_root || "./";
  const query = new URLSearchParams(location.search).get("q") || "";

  // 1.62, (1.62), S 1.62, Lloyd 0.57, eq. 0.45, Si & Guenter 27, 0.22.1, Algorithm 10, Sueda alg. 8, fig. 2
  function asked(text) {
    const joined = text.toLowerCase().replace(/\b(alg|table|fig)[a-z]*\.?\s*(?=\d)/g, "$1");
    const plain = joined.replace(/[()&,;:?]|\.(?!\d)/g, " ").replace(/\b(eqs?|eqn|equations?|sec|sections?)\b\.?/g, " ");
    const section = /\bsec(tion)?s?\b/.test(joined);
    const words = plain.trim().split(/\s+/);
    const number = words.pop();
    if (!/^(\d+(\.\d+)*|(alg|table|fig)\d+|[a-c])$/.test(number || "") || !words.every((word) => word in SOURCES)) return null;
    if (/^[a-c]$/.test(number) && !words.length) return null;
    return { number, section, source: words.length ? SOURCES[words[0]] : null };
  }

  function element(tag, attributes, ...children) {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  }

  function showNumbers() {
    const wanted = asked(query);
    const output = document.getElementById("search-results");
    if (!wanted || !output || !window.rbnotesDisplays) return;
    const own = window.rbnotesDisplays.filter((row) => !wanted.source || row.source === wanted.source);
    const exact = wanted.section ? [] : own.filter((row) => row.number === wanted.number);
    const found = exact.length ? exact : own.filter((row) => row.section.toLowerCase() === wanted.number);
    if (!found.length) return;
    const list = element("ul", { className: "search-numbers" });
    for (const row of found) {
      const verdict = element("span", { className: `verdict verdict-${row.verdict}` }, row.words);
      const item = element("li", {}, element("a", { href: root + row.entry }, row.place), " ", row.title, " ", verdict);
      if (row.explanation) item.append(", explained in ", element("a", { href: root + row.explanation }, row.chapter));
      if (row.function) item.append(", ", element("a", { href: root + row.function }, element("code", {}, row.code)));
      list.append(item);
    }
    output.before(element("h2", {}, "In the notes"), list);
  }

  // A window of text around the first of the words asked for.
  function excerpt(sections, anchor, words) {
    const ordered = [...sections].sort((one, other) => (other[0] === anchor) - (one[0] === anchor));
    for (const [, text] of ordered) {
      const lower = text.toLowerCase();
      const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
      if (!places.length) continue;
      const start = Math.max(0, Math.min(...places) - 100);
      return (start ? "… " : "") + text.slice(start, start + 240).trim() + (start + 240 < text.length ? " …" : "");
    }
    return ordered.length ? ordered[0][1].slice(0, 240).trim() : "";
  }

  function addExcerpt(item) {
    const link = item.querySelector("a");
    if (!link || item.querySelector("p.context")) return;
    const [page, anchor] = link.getAttribute("href").split("#");
    const name = page.replace(root, "").replace(/^\.\//, "").replace(/\.html(\?.*)?$/, "");
    const sections = (window.rbnotesExcerpts || {})[name];
    if (!sections) return;
    const words = query.toLowerCase().split(/[^\p{Letter}\p{Number}_]+/u).filter((word) => word.length > 2);
    const text = excerpt(sections, anchor || "", words);
    if (text) item.append(element("p", { className: "context" }, text));
  }

  function begin() {
    showNumbers();
    const output = document.getElementById("search-results");
    if (!output) return;
    const watcher = new MutationObserver(() => output.querySelectorAll("ul.search > li").forEach(addExcerpt));
    watcher.observe(output, { childList: true, subtree: true });
    output.querySelectorAll("ul.search > li").forEach(addExcerpt);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
