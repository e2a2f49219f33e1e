// determinism.mjs WASI MODULE CASES: runs determinism.wasm (tests/determinism.c) on our own system; prints what it prints.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [wasi, file, cases] = process.argv.slice(2);
const { Exit, System, textOf } = await import(pathToFileURL(resolve(wasi)));
const module = new WebAssembly.Module(readFileSync(file));
const system = new System({ args: ['determinism', '--cases', cases] });
const { exports } = new WebAssembly.Instance(module, system.imports(module));
system.memory = exports.memory;
try {
  exports._start();
} catch (error) {
  if (!(error instanceof Exit)) throw error;
  process.exitCode = error.code;
}
process.stdout.write(textOf(system.output(1)));
process.stderr.write(textOf(system.output(2)));
