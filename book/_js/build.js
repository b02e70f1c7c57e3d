// Puts what the pages load into book/_generated: KaTeX's style sheet and fonts, the fonts of the text, and as classic
// scripts (modules do not load over file://) the scene player, each live figure, and what runs the live figures. The
// package gets a copy of the player for notebooks.
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..", "..");
const output = path.join(root, "book", "_generated");
const katex = path.join(__dirname, "node_modules", "katex", "dist");

fs.rmSync(output, { recursive: true, force: true });
fs.mkdirSync(path.join(output, "katex", "fonts"), { recursive: true });
for (const font of fs.readdirSync(path.join(katex, "fonts")).filter((name) => name.endsWith(".woff2"))) {
  fs.copyFileSync(path.join(katex, "fonts", font), path.join(output, "katex", "fonts", font));
}
// the fonts that book/_assets/fonts.css names, all under the SIL Open Font License
const TEXT_FONTS = {
  "@fontsource-variable/ibm-plex-sans": ["latin-wght-normal", "latin-wght-italic"],
  "@fontsource/ibm-plex-serif": ["latin-600-normal"],
  "@fontsource/ibm-plex-mono": ["latin-400-normal"],
};
fs.mkdirSync(path.join(output, "fonts"));
for (const [name, files] of Object.entries(TEXT_FONTS)) {
  const folder = path.join(__dirname, "node_modules", name);
  const family = path.basename(name);
  for (const file of files) {
    const font = `${family}-${file}.woff2`;
    fs.copyFileSync(path.join(folder, "files", font), path.join(output, "fonts", font));
  }
  fs.copyFileSync(path.join(folder, "LICENSE"), path.join(output, "fonts", `${family}-LICENSE.txt`));
}
// every browser reads woff2: drop the references to the two older formats
const css = fs
  .readFileSync(path.join(katex, "katex.min.css"), "utf8")
  .replace(/,url\(fonts\/[^)]*\.(woff|ttf)\) format\("(woff|truetype)"\)/g, "");
// what compact.js writes has its own styles
fs.writeFileSync(
  path.join(output, "katex", "katex.min.css"),
  css + fs.readFileSync(path.join(__dirname, "formulas.css"), "utf8"),
);

function bundle(name, source) {
  require("esbuild").buildSync({
    ...source,
    outfile: path.join(output, name),
    bundle: true,
    minify: true,
    format: "iife",
    loader: { ".css": "text" },
    target: "es2022",
    charset: "utf8",
    legalComments: "eof",
  });
}

bundle("scene-player.js", { entryPoints: [path.join(__dirname, "player", "index.js")] });
bundle("live.js", { entryPoints: [path.join(__dirname, "live.js")] });
for (const file of fs.readdirSync(path.join(__dirname, "figures"))) {
  const name = path.basename(file, ".js");
  if (name === file || ["drawing", "handles"].includes(name)) continue;
  const contents = `import * as figure from "./figures/${file}";
    (globalThis.rbnotesFigures ??= {})["${name}"] = figure;`;
  bundle(`live-${file}`, { stdin: { contents, resolveDir: __dirname } });
}
fs.copyFileSync(
  path.join(output, "scene-player.js"),
  path.join(root, "rbnotes", "viewer", "scene-player.js"),
);
