// Prints the scores of results: node scores.mjs SCORER QUERY JSON, where JSON holds results as Sphinx makes them.
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const [file, query, results] = process.argv.slice(2);
const location = { search: `?${new URLSearchParams({ q: query })}` };
const { score } = runInNewContext(`${readFileSync(file)}; Scorer`, { location, URLSearchParams });
console.log(JSON.stringify(JSON.parse(results).map(score)));
