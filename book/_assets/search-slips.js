// On the search page: where nothing is found, the words of the book that differ by a slip of typing.
(() => {
  const asked = new URLSearchParams(location.search);
  const query = asked.get("q") || "";

  // How many letters are missing, too many, others, or swapped with the next one.
  function slips(one, other) {
    const rows = [[...Array(other.length + 1).keys()]];
    for (let i = 1; i <= one.length; i++) {
      rows.push([i]);
      for (let j = 1; j <= other.length; j++) {
        const same = one[i - 1] === other[j - 1];
        let least = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1));
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
          least = Math.min(least, rows[i - 2][j - 2] + 1);
        rows[i].push(least);
      }
    }
    return rows[one.length][other.length];
  }

  // How often the book has each word.
  function vocabulary() {
    const counts = new Map();
    for (const sections of Object.values(window.rbnotesExcerpts || {}))
      for (const [, text] of sections)
        for (const word of text.toLowerCase().match(/\p{Letter}{4,}/gu) || []) counts.set(word, (counts.get(word) || 0) + 1);
    return counts;
  }

  // The word itself if the book has it; else the nearest one, the more frequent of two.
  function nearestKnownWord(word, counts) {
    const written = word.toLowerCase();
    if (written.length < 4 || [...counts.keys()].some((known) => known.includes(written))) return word;
    const most = written.length < 8 ? 1 : 2;
    let best = word, fewest = most + 1;
    for (const [known, count] of counts) {
      if (Math.abs(known.length - written.length) > most) continue;
      const number = slips(written, known);
      if (number < fewest || (number === fewest && best !== word && count > counts.get(best))) {
        best = known;
        fewest = number;
      }
    }
    return best;
  }

  function say(typed) {
    const note = document.createElement("p");
    note.className = "search-slip";
    note.textContent = `Nothing was found for “${typed}”. Shown is “${query}”.`;
    document.getElementById("search-results").before(note);
  }

  function begin() {
    const output = document.getElementById("search-results");
    if (!output || !query) return;
    if (asked.has("typed")) {
      say(asked.get("typed"));
      return;
    }
    const watcher = new MutationObserver(() => {
      const summary = output.querySelector(".search-summary");
      if (!summary || !summary.textContent) return; // the search goes on
      watcher.disconnect();
      if (output.querySelector("ul.search > li") || document.querySelector(".search-numbers")) return;
      const counts = vocabulary();
      const meant = query.replace(/\p{Letter}+/gu, (word) => nearestKnownWord(word, counts));
      if (meant !== query) location.replace(`?${new URLSearchParams({ q: meant, typed: query })}`);
    });
    watcher.observe(output, { childList: true, subtree: true });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
