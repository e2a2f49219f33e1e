// pack.mjs PACKAGE PLAYGROUND EXAMPLES OUTPUT: one HTML file with everything in it; works from file://
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [, , packageFolder, folder, examples, output] = process.argv;
const text = (...path) => readFileSync(join(...path), 'utf8');
// the modules of the package in one script
const script = ['wasi.js', 'index.js'].map((name) => text(packageFolder, name)).concat(text(folder, 'page.js')).join('\n')
  .replace(/^import .*$/gm, '').replace(/^export default /gm, '').replace(/^export /gm, '');
const parts = {
  STYLE: text(folder, 'page.css'),
  SCRIPT: script.replace(/<\/script/g, '<\\/script'),
  ARM: JSON.stringify(text(examples, 'arm.urdf')).replace(/</g, '\\u003c'),
  REACH: text(examples, 'reach.json').replace(/</g, '\\u003c'),
  WASM: gzipSync(readFileSync(join(packageFolder, 'jounce.wasm')), { level: 9 }).toString('base64'),
};
let page = text(folder, 'page.html');
for (const [name, value] of Object.entries(parts)) {
  if (page.split(`@${name}@`).length !== 2) throw new Error(`page.html needs @${name}@ once`);
  page = page.replace(`@${name}@`, () => value);
}
writeFileSync(output, page);
