// Chapters come before pages that are generated from the ledger; but names of code lead to the reference.
var Scorer = {
  score: ([docname, , , , score]) => {
    const code = /\w_\w/.test(new URLSearchParams(location.search).get("q") || "");
    if (code && /\/generated\/api-/.test(docname)) return score + 60;
    if (/\/generated\/|\/(finder|errata-|conditions-|ledger)/.test(docname)) return score - 60;
    return score;
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
