// Sets formulas for the book: one JSON request {tex, display} a line in, one JSON answer a line out.
const katex = require("katex");
const { compact } = require("./compact.js");
const macros = require("./macros.json");
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const tree = katex.__renderToDomTree(tex, {
      displayMode: display,
      output: "htmlAndMathml",
      // symbols.py marks symbols with \htmlData, which is no TeX
      strict: (fault) => (fault === "htmlExtension" ? "ignore" : "error"),
      trust: ({ command }) => ["\\htmlData", "\\htmlId", "\\htmlClass"].includes(command),
      // a formula's \gdef must not leak into the next one
      macros: { ...macros },
    });
    answer = { html: compact(tree) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
