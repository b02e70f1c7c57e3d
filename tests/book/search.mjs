// Prints what the built book finds: node search.mjs HTML_FOLDER JSON, where JSON is a list of queries. For each query
// the pages of the results, best first.
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const [folder, queries] = process.argv.slice(2);
const location = { search: "" };
const document = { getElementById: () => null, addEventListener() {}, documentElement: { dataset: {} } };
const context = createContext({ location, document, URLSearchParams, SPHINX_HIGHLIGHT_ENABLED: false, console });
context.window = context;
context._ = (text) => text;
context._ready = () => {};
context._removeChildren = () => {};
for (const file of ["_static/language_data.js", "_static/searchtools.js", "_static/search-words.js", "searchindex.js"]) {
  runInContext(readFileSync(`${folder}/${file}`, "utf8"), context);
}
const results = JSON.parse(queries).map((query) => {
  location.search = `?${new URLSearchParams({ q: query })}`;
  context.asked = query;
  const found = runInContext("Search._performSearch(...Search._parseQuery(asked))", context);
  return found.reverse().map(([page]) => page);
});
console.log(JSON.stringify(results));
