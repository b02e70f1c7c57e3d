// Words of a query that mean the same in this book, for the search and for the finder.
window.rbnotesWords = (() => {
  const SYNONYMS = [
    ["derivative", "derivatives", "rate", "rates", "jacobian", "jacobians", "gradient"],
    ["screw", "screws", "twist", "twists"],
    ["four-bar", "linkage", "loop", "loops"],
    ["mistake", "mistakes", "error", "errors", "bug", "bugs", "erratum", "errata", "corrections"],
    ["body", "link", "rigid-body"],
    ["test", "check", "verify"],
  ];
  const SKIPPED = new Set(
    ("a an and are at can do does for from how i in is it me my of on or our own please the their this to us we " +
      "what when where which why with your").split(" "),
  );

  // Words of a query without those that say nothing; a query of only such words stays.
  function words(query) {
    const spelled = query.toLowerCase().replace(/\bfour[ -]?bars?\b/g, "four-bar");
    const all = spelled.match(/[\p{Letter}\p{Number}_.]+(-[\p{Letter}\p{Number}_.]+)*/gu) || [];
    const kept = all.filter((word) => !SKIPPED.has(word));
    return kept.length ? kept : all;
  }

  // The word, and others with its meaning or in American spelling.
  function alternatives(word) {
    const same = SYNONYMS.filter((group) => group.includes(word)).flat();
    const american = word.replace(/is(e|es|ed|ing|ation)$/, "iz$1").replace(/our(s?)$/, "or$1");
    return [...new Set([word, american, ...same])];
  }

  return { words, alternatives };
})();

// On the search page: results for words of the same meaning, and for the entries of the index, which are the words that
// a reader would ask for. A page with an entry comes before pages that only contain the words.
if (typeof Search !== "undefined") {
  const { words, alternatives } = window.rbnotesWords;
  const ENTRY = 50; // score of the first word of an entry of the index
  const MORE = 25; // of each further word
  const perform = Search._performSearch;
  const stemmer = new Stemmer();
  const stems = (text) => words(text).flatMap((word) => word.split("-")).map((word) => stemmer.stemWord(word));

  // Entries of the index each of whose words stands for another word of the query.
  function entries(query) {
    const { docnames, titles, filenames, indexentries } = Search._index;
    const asked = words(query).flatMap((word) => word.split("-").map((part) => alternatives(part).flatMap(stems)));
    return Object.entries(indexentries).flatMap(([entry, places]) => {
      const needed = stems(entry);
      const free = [...asked];
      const isAsked = (word) => {
        const place = free.findIndex((meanings) => meanings.includes(word));
        return place >= 0 && free.splice(place, 1).length > 0;
      };
      if (!needed.length || !needed.every(isAsked)) return [];
      return places
        .filter(([, , isMain]) => isMain)
        .map(([file, id]) => [
          docnames[file], titles[file], id ? `#${id}` : "", null, ENTRY + MORE * (needed.length - 1), filenames[file],
        ]);
    });
  }

  Search._performSearch = (query, ...terms) => {
    const asked = words(query);
    const plain = asked.join(" ");
    const queries = new Set([plain]);
    asked.forEach((word, place) => {
      for (const other of alternatives(word)) queries.add(asked.with(place, other).join(" "));
    });
    const variants = [...queries].slice(1).flatMap((variant) => perform(...Search._parseQuery(variant)));
    const found = [
      ...variants.map((result) => result.with(4, result[4] - 30)),
      ...perform(query, ...terms),
      ...(plain === query ? [] : perform(...Search._parseQuery(plain))),
      ...entries(query).map((result) => result.with(4, Scorer.score(result))),
    ];
    // each page and section once, at its highest score; the last result is shown first
    found.sort((one, other) => other[4] - one[4] || one[1].localeCompare(other[1]));
    const seen = new Set();
    const once = found.filter(([page, , anchor]) => !seen.has(page + anchor) && seen.add(page + anchor));
    const pages = new Map(once.toReversed().map((result) => [result[0], result])); // the best of each page
    return once.filter((result) => result[2] || pages.get(result[0]) === result).toReversed();
  };
}
