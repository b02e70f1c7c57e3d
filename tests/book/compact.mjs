// Set the formulas of the standard input, a list of TeX, with KaTeX and with compact.js.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/`);
const katex = require("katex");
const { compact } = require("./compact.js");
const macros = require("./macros.json");

const pairs = JSON.parse(readFileSync(0, "utf8")).map((tex) => {
  const options = () => ({ displayMode: true, trust: true, strict: "ignore", macros: { ...macros } });
  return [katex.renderToString(tex, options()), compact(katex.__renderToDomTree(tex, options()))];
});
process.stdout.write(JSON.stringify(pairs));
