// Scores of search results. A chapter comes before the pages that are generated from the ledger, except for an entry
// of the index, but the name of an object comes first on its reference page. Sphinx scores in whole numbers. Results of
// equal score are ordered by
// 1. the number of query words in the title, largest first;
// 2. the number of the chapter, lowest first (pages without a number last);
// 3. the title, alphabetically (by Sphinx).
var Scorer = {
  score: ([docname, title, anchor, , score]) => {
    const query = new URLSearchParams(location.search).get("q") || "";
    const words = new Set(query.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu));
    const text = title.replace(/<[^>]*>/g, "").toLowerCase(); // the number of a chapter is in a span
    const inTitle = [...words].filter((word) => text.includes(word)).length;
    const chapter = parseInt(text);
    const tie = Math.min(inTitle, 98) / 100 + (chapter ? 0.01 / (1 + chapter) : 0);
    const generated = !/^#index-/.test(anchor) && /\/generated\/|\/(finder|errata-|conditions-|ledger)/.test(docname);
    const isReference = /\w_\w/.test(query) && /\/generated\/api-/.test(docname);
    return score + tie + (isReference ? 60 : generated ? -60 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 40,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
