// Unpacks the Chromium of the package: node unpack.mjs FOLDER. FOLDER/chromium then starts it.
// The package holds a static build for x64, the libraries that a small system lacks, and fonts.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const folder = resolve(process.argv[2]);
const packed = new URL("node_modules/@sparticuz/chromium/bin/", import.meta.url).pathname;
const unpacked = `${folder}/unpacked`;
mkdirSync(unpacked, { recursive: true });
process.env.TMPDIR = unpacked; // where the package unpacks to
const { inflate } = await import("@sparticuz/chromium");
for (const file of ["chromium.br", "swiftshader.tar.br", "al2023.tar.br", "fonts.tar.br"]) await inflate(packed + file);
writeFileSync(
  `${unpacked}/fonts.conf`,
  `<?xml version="1.0"?>
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${unpacked}/fonts</dir>
  <cachedir>${unpacked}/font-cache</cachedir>
</fontconfig>
`,
);
writeFileSync(
  `${folder}/chromium`,
  `#!/bin/sh
export LD_LIBRARY_PATH="${unpacked}/al2023/lib:$LD_LIBRARY_PATH" FONTCONFIG_FILE="${unpacked}/fonts.conf"
exec "${unpacked}/chromium" "$@"
`,
  { mode: 0o755 },
);
