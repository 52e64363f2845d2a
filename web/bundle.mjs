// SPDX-License-Identifier: Apache-2.0
// Makes one HTML file of src/ and writes it into the folder named, as it is (page.html) and as a
// string for the program (page_template.cc).
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = process.argv[2];
if (!folder) throw new Error("usage: node bundle.mjs FOLDER");

async function bundled(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    inject: entry.endsWith(".ts") ? ["src/plain_intl.ts"] : [],
    loader: { ".woff2": "dataurl" },
    write: false,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
// Put in by position: replace() would take "$&" in what is put in for a command.
function put(text, place, value) {
  const at = text.indexOf(place);
  if (at < 0) throw new Error(`${place} is missing in page.html`);
  return text.slice(0, at) + value + text.slice(at + place.length);
}

const style = await bundled("src/style.css");
// Nothing in the script may end or open markup; before it is hashed.
const script = (await bundled("src/main.ts")).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "font-src data:",
  "img-src data: blob:",
  "connect-src 'none'",  // a live page may ask its server: view/page.cc
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

let page = readFileSync("src/page.html", "utf8");
page = put(page, "{{policy}}", policy);
page = put(page, "{{style}}", style);
page = put(page, "{{script}}", script);
writeFileSync(join(folder, "page.html"), page);

// Escapes of three octal digits end by themselves, whatever follows.
const escaped = (bytes) =>
  Array.from(bytes, (byte) => {
    const c = String.fromCharCode(byte);
    if (c === "\\" || c === '"') return `\\${c}`;
    return byte >= 0x20 && byte < 0x7f && c !== "?" ? c : `\\${byte.toString(8).padStart(3, "0")}`;
  }).join("");
const bytes = Buffer.from(page, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 96) lines.push(`    "${escaped(bytes.subarray(i, i + 96))}"`);
writeFileSync(
  join(folder, "page_template.cc"),
  `// Written by web/bundle.mjs.
#include "view/page.h"

namespace tidegauge::view {

std::string_view page_template() {
  static constexpr char kPage[] =
${lines.join("\n")};
  return {kPage, sizeof kPage - 1};
}

}  // namespace tidegauge::view
`,
);
