// index.js: jounce in node and browsers. See index.d.ts for what each call promises.
import { Exit, System, textOf } from './wasi.js';

const representations = ['spatial', 'body', 'hybrid', 'mixed'];
const roots = ['as given', 'fixed', 'floating'];

export class JounceError extends Error {}

/** An instance of the module with its system. */
class Instance {
  constructor(module, options) {
    this.system = new System(options);
    this.exports = new WebAssembly.Instance(module, this.system.imports(module)).exports;
    this.system.memory = this.exports.memory;
    this.exports._initialize();
  }
  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    return textOf(bytes.subarray(at, bytes.indexOf(0, at)));
  }
  /** A text in the module's memory, released with jounce_free. */
  put(text) {
    const bytes = new TextEncoder().encode(text + '\0');
    const at = this.exports.jounce_alloc(bytes.length);
    this.system.bytes(at, bytes.length).set(bytes);
    return at;
  }
}

const runProgram = (module, args, files = {}, { stdin = '', env = {} } = {}) => {
  const instance = new Instance(module, { files, stdin, env: { JOUNCE_STRICT: '1', ...env } });
  const { exports, system } = instance;
  const words = ['jounce', ...args.map(String)].map((word) => instance.put(word));
  const list = exports.jounce_alloc(4 * (words.length + 1));
  words.forEach((word, i) => system.view().setUint32(list + 4 * i, word, true));
  system.view().setUint32(list + 4 * words.length, 0, true);
  let code, stopped = '';
  try {
    code = exports.jounce_run(words.length, list);
  } catch (error) {
    if (error instanceof Exit) code = error.code;
    else if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      (code = 134), (stopped = `jounce: stopped: ${error.message}\n`);
    else throw error;
  }
  const stdoutBytes = system.output(1);
  return {
    code,
    stdout: textOf(stdoutBytes),
    stdoutBytes,
    stderr: textOf(system.output(2)) + stopped,
    files: stopped ? {} : system.written(),
  };
};

/** A block of numbers in the module's memory; the view is made anew when the memory has grown. */
class Numbers {
  constructor(exports, length) {
    this.exports = exports;
    this.length = length;
    this.at = exports.jounce_alloc(8 * Math.max(length, 1));
    if (!this.at) throw new JounceError('out of memory');
  }
  view(length = this.length) {
    return new Float64Array(this.exports.memory.buffer, this.at, length);
  }
  take(what, x, length) {
    if (x.length !== length) throw new JounceError(`${what}: ${length} numbers expected, found ${x.length}`);
    this.view(length).set(x);
  }
  give(out, length) {
    if (!out) return this.view(length).slice();
    if (out.length !== length) throw new JounceError(`out: room for ${length} numbers expected, found ${out.length}`);
    out.set(this.view(length));
    return out;
  }
}

class Model {
  #instance;
  #handle;
  #q;
  #v;
  #tau;
  #out;

  constructor(instance, handle, info, order, options) {
    const { exports } = instance, count = (what) => exports.jounce_count(handle, what);
    this.#instance = instance;
    this.#handle = handle;
    this.info = info;
    this.name = info.name;
    this.order = order;
    this.nq = count(0);
    this.nv = count(1);
    this.frames = Array.from({ length: count(3) }, (_, i) => instance.text(exports.jounce_frame_name(handle, i)));
    this.#q = new Numbers(exports, this.nq);
    this.#v = new Numbers(exports, (order + 2) * this.nv);
    this.#tau = new Numbers(exports, (order + 2) * this.nv);
    this.#out = new Numbers(exports, Math.max((order + 2) * this.nv, 7 * this.frames.length, 6 * (order + 2)));
    const representation = representations.indexOf(options.representation ?? 'spatial');
    if (representation < 0)
      throw new JounceError(`representation: one of ${representations.join(', ')} expected, found '${options.representation}'`);
    exports.jounce_settings(handle, representation, options.damping ? 1 : 0);
  }

  #check(status) {
    if (status) throw new JounceError(`${this.name}: ${this.#instance.text(this.#instance.exports.jounce_status_text(status))}`);
  }
  #live(order = 0, most = this.order) {
    if (!this.#handle) throw new JounceError('the model was released by free()');
    if (!Number.isInteger(order) || order < 0 || order > most)
      throw new JounceError(`order: a whole number from 0 to ${most} expected, found ${order}; load with { order: ... }`);
    return this.#instance.exports;
  }

  home() {
    this.#live().jounce_home(this.#handle, this.#q.at);
    return this.#q.view().slice();
  }
  inverseDynamics(order, q, v, out) {
    const exports = this.#live(order);
    this.#q.take('q', q, this.nq);
    this.#v.take('v', v, (order + 2) * this.nv);
    this.#check(exports.jounce_inverse(this.#handle, order, this.#q.at, this.#v.at, this.#out.at));
    return this.#out.give(out, (order + 1) * this.nv);
  }
  forwardDynamics(order, q, v, tau, out) {
    const exports = this.#live(order);
    this.#q.take('q', q, this.nq);
    this.#v.take('v', v, this.nv);
    this.#tau.take('tau', tau, (order + 1) * this.nv);
    this.#check(exports.jounce_forward(this.#handle, order, this.#q.at, this.#v.at, this.#tau.at, this.#out.at));
    return this.#out.give(out, (order + 1) * this.nv);
  }
  poses(q, out) {
    const exports = this.#live();
    this.#q.take('q', q, this.nq);
    this.#check(exports.jounce_poses(this.#handle, this.#q.at, this.#out.at));
    return this.#out.give(out, 7 * this.frames.length);
  }
  twist(frame, order, q, v, out) {
    const exports = this.#live(order, this.order + 1);
    const index = this.frames.indexOf(frame);
    if (index < 0) throw new JounceError(`${this.name} has no link or frame '${frame}'`);
    this.#q.take('q', q, this.nq);
    this.#v.take('v', v, (order + 1) * this.nv);
    this.#check(exports.jounce_twist(this.#handle, index, order, this.#q.at, this.#v.at, this.#out.at));
    return this.#out.give(out, 6 * (order + 1));
  }
  free() {
    if (!this.#handle) return;
    for (const block of [this.#q, this.#v, this.#tau, this.#out]) this.#instance.exports.jounce_free(block.at);
    this.#instance.exports.jounce_release(this.#handle);
    this.#handle = 0;
  }
}

const loadModel = (module, instance, name, options = {}) => {
  const { files = {}, root = 'as given', order = 1, open = false } = options;
  if (!roots.includes(root)) throw new JounceError(`root: one of ${roots.join(', ')} expected, found '${root}'`);
  if (!Number.isInteger(order) || order < 0 || order > 1000)
    throw new JounceError(`order: a whole number from 0 to 1000 expected, found ${order}`);
  const said = runProgram(module, ['info', name, '--quiet', '--format', 'json', ...(root === 'as given' ? [] : [`--${root}`])], files);
  if (said.code !== 0) throw new JounceError(said.stderr.replace(/^jounce: /, '').trim());
  instance.system.add(files);
  const path = instance.put(name);
  const handle = instance.exports.jounce_load(path, roots.indexOf(root), order);
  instance.exports.jounce_free(path);
  instance.system.remove(files);
  if (!handle) throw new JounceError(instance.text(instance.exports.jounce_message()));
  if (instance.exports.jounce_count(handle, 4) > 0 && !open) {
    instance.exports.jounce_release(handle);
    throw new JounceError(`${name} has constraints, which direct calls do not keep: use run(['id', ...]), or load with { open: true }`);
  }
  return new Model(instance, handle, JSON.parse(said.stdout), order, options);
};

/** The bytes or the compiled module; without them, jounce.wasm beside this file. */
const compile = async (source) => {
  if (source instanceof WebAssembly.Module) return source;
  if (source) return WebAssembly.compile(source);
  const url = new URL('./jounce.wasm', import.meta.url);
  if (url.protocol === 'file:' && globalThis.process?.versions?.node) {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new JounceError(`${url}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
};

export default async function jounce({ wasm } = {}) {
  const module = await compile(wasm);
  const instance = new Instance(module, { env: { JOUNCE_STRICT: '1' } });
  return {
    version: instance.text(instance.exports.jounce_version()),
    run: (args, files, options) => runProgram(module, args, files, options),
    load: (name, options) => loadModel(module, instance, name, options),
  };
}
