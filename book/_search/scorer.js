// Chapters come before pages that are generated from the ledger.
var Scorer = {
  score: ([docname, , , , score]) => {
    if (/\/generated\/|\/(finder|errata|conditions|ledger)/.test(docname)) return score - 60;
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
