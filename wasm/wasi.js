// wasi.js: the system that jounce.wasm sees: arguments, an environment, a clock, and files in memory. There is no network
// and no access to the files of the machine.

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54;
const DIRECTORY = 3, REGULAR = 4, STREAM = 6;
const CREATE = 1, IS_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8;
const ROOT = 3; // descriptor of the folder "/"

/** Thrown by proc_exit. */
export class Exit {
  constructor(code) {
    this.code = code;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const bytesOf = (x) =>
  typeof x === 'string' ? encoder.encode(x)
    : x instanceof ArrayBuffer ? new Uint8Array(x)
    : ArrayBuffer.isView(x) ? new Uint8Array(x.buffer, x.byteOffset, x.byteLength)
    : (() => { throw new TypeError('the content of a file is a string, an ArrayBuffer or a Uint8Array'); })();
export const textOf = (bytes) => decoder.decode(bytes);

/** "a/../b//c" -> "b/c"; ".." at the top stays there. */
const normal = (path) => {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  return parts.join('/');
};

let nodes = 0;
const newFile = () => ({ type: REGULAR, data: new Uint8Array(0), size: 0, id: ++nodes, written: false });

const write = (node, at, bytes) => {
  const end = at + bytes.length;
  if (end > node.data.length) {
    const larger = new Uint8Array(Math.max(end, 2 * node.data.length, 256));
    larger.set(node.data.subarray(0, node.size));
    node.data = larger;
  }
  if (at > node.size) node.data.fill(0, node.size, at);
  node.data.set(bytes, at);
  node.size = Math.max(node.size, end);
  node.written = true;
};

/** Files in memory and the functions of wasi_snapshot_preview1 on them. Set `memory` before the first call. */
export class System {
  constructor({ args = [], files = {}, stdin = '', env = {} } = {}) {
    this.memory = null;
    this.tree = new Map([['', { type: DIRECTORY, id: ++nodes }]]);
    this.add(files);
    const input = newFile();
    write(input, 0, bytesOf(stdin));
    this.open = new Map([
      [0, { node: input, at: 0, type: STREAM }],
      [1, { node: newFile(), at: 0, type: STREAM }],
      [2, { node: newFile(), at: 0, type: STREAM }],
      [ROOT, { node: this.tree.get(''), at: 0, type: DIRECTORY, path: '' }],
    ]);
    this.arguments = args.map((word) => encoder.encode(`${word}\0`));
    this.environment = Object.entries(env).map(([key, value]) => encoder.encode(`${key}=${value}\0`));
  }

  /** Adds files, and the folders that they are in. */
  add(files) {
    for (const [name, content] of Object.entries(files)) {
      const path = normal(name), node = newFile(), parts = path.split('/');
      if (!path) throw new TypeError(`'${name}' is not the name of a file`);
      for (let i = 1; i < parts.length; i++) this.folder(parts.slice(0, i).join('/'));
      node.data = bytesOf(content);
      node.size = node.data.length;
      this.tree.set(path, node);
    }
  }

  remove(files) {
    for (const name of Object.keys(files)) this.tree.delete(normal(name));
  }

  folder(path) {
    if (!this.tree.has(path)) this.tree.set(path, { type: DIRECTORY, id: ++nodes });
  }

  /** What was written to standard output (1) or standard error (2). */
  output(descriptor) {
    const { node } = this.open.get(descriptor);
    return node.data.slice(0, node.size);
  }

  /** The files that were written, by name. */
  written() {
    const found = {};
    for (const [path, node] of this.tree)
      if (node.written) found[path] = node.data.slice(0, node.size);
    return found;
  }

  view() {
    return new DataView(this.memory.buffer);
  }
  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }
  path(descriptor, at, length) {
    const base = this.open.get(descriptor)?.path ?? '';
    return normal(`${base}/${textOf(this.bytes(at, length))}`);
  }
  hasParent(path) {
    const parent = this.tree.get(path.split('/').slice(0, -1).join('/'));
    return parent?.type === DIRECTORY;
  }
  stat(node, type, at) {
    const view = this.view();
    for (let i = 0; i < 64; i += 8) view.setBigUint64(at + i, 0n, true);
    view.setBigUint64(at, 1n, true);
    view.setBigUint64(at + 8, BigInt(node.id), true);
    view.setUint8(at + 16, type);
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(node.size ?? 0), true);
    return OK;
  }

  /** The functions that a module imports; those that are not here answer ENOSYS. */
  imports(module) {
    const table = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      if (kind !== 'function') continue;
      (table[from] ??= {})[name] = typeof this[name] === 'function' ? this[name].bind(this) : () => NOSYS;
    }
    return table;
  }

  proc_exit(code) {
    throw new Exit(code);
  }
  sizes(entries, count, size) {
    this.view().setUint32(count, entries.length, true);
    this.view().setUint32(size, entries.reduce((n, entry) => n + entry.length, 0), true);
    return OK;
  }
  copy(entries, list, at) {
    for (const [i, entry] of entries.entries()) {
      this.view().setUint32(list + 4 * i, at, true);
      this.bytes(at, entry.length).set(entry);
      at += entry.length;
    }
    return OK;
  }
  args_sizes_get(count, size) {
    return this.sizes(this.arguments, count, size);
  }
  args_get(list, at) {
    return this.copy(this.arguments, list, at);
  }
  environ_sizes_get(count, size) {
    return this.sizes(this.environment, count, size);
  }
  environ_get(list, at) {
    return this.copy(this.environment, list, at);
  }
  clock_time_get(clock, precision, at) {
    const ms = clock === 0 ? Date.now() : performance.now();
    this.view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
    return OK;
  }
  random_get(at, length) {
    // seeds of hash tables
    for (const target = this.bytes(at, length); length > 0; length--) target[length - 1] = 256 * Math.random();
    return OK;
  }

  fd_prestat_get(descriptor, at) {
    if (descriptor !== ROOT) return BADF;
    this.view().setUint32(at, 0, true);
    this.view().setUint32(at + 4, 1, true);
    return OK;
  }
  fd_prestat_dir_name(descriptor, at, length) {
    if (descriptor !== ROOT || length < 1) return BADF;
    this.bytes(at, 1)[0] = 47; // "/"
    return OK;
  }
  fd_fdstat_get(descriptor, at) {
    const file = this.open.get(descriptor);
    if (!file) return BADF;
    const view = this.view();
    view.setUint8(at, file.type);
    view.setUint8(at + 1, 0);
    view.setUint16(at + 2, file.append ? 1 : 0, true);
    view.setBigUint64(at + 8, ~0n & 0x1fffffffn, true);
    view.setBigUint64(at + 16, ~0n & 0x1fffffffn, true);
    return OK;
  }
  fd_fdstat_set_flags() {
    return OK;
  }
  fd_filestat_get(descriptor, at) {
    const file = this.open.get(descriptor);
    return file ? this.stat(file.node, file.type, at) : BADF;
  }
  fd_sync() {
    return OK;
  }
  fd_close(descriptor) {
    return this.open.delete(descriptor) ? OK : BADF;
  }
  fd_seek(descriptor, offset, whence, at) {
    const file = this.open.get(descriptor);
    if (!file) return BADF;
    if (file.type !== REGULAR) return 70; // ESPIPE
    const to = Number(offset) + (whence === 0 ? 0 : whence === 1 ? file.at : file.node.size);
    if (to < 0) return INVAL;
    file.at = to;
    this.view().setBigUint64(at, BigInt(to), true);
    return OK;
  }
  fd_read(descriptor, list, count, result) {
    const file = this.open.get(descriptor);
    if (!file) return BADF;
    if (file.type === DIRECTORY) return ISDIR;
    const view = this.view();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true), length = view.getUint32(list + 8 * i + 4, true);
      const part = file.node.data.subarray(file.at, Math.min(file.at + length, file.node.size));
      this.bytes(at, part.length).set(part);
      file.at += part.length;
      total += part.length;
      if (part.length < length) break;
    }
    view.setUint32(result, total, true);
    return OK;
  }
  fd_write(descriptor, list, count, result) {
    const file = this.open.get(descriptor);
    if (!file || file.type === DIRECTORY) return BADF;
    const view = this.view();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true), length = view.getUint32(list + 8 * i + 4, true);
      if (file.append) file.at = file.node.size;
      write(file.node, file.at, this.bytes(at, length));
      file.at += length;
      total += length;
    }
    view.setUint32(result, total, true);
    return OK;
  }

  path_open(folder, follow, at, length, how, rights, inherited, flags, result) {
    const path = this.path(folder, at, length);
    let node = this.tree.get(path);
    if (node && how & CREATE && how & EXCLUSIVE) return EXIST;
    if (!node && !(how & CREATE)) return NOENT;
    if (!node && !this.hasParent(path)) return NOENT;
    if (node?.type === REGULAR && how & IS_DIRECTORY) return NOTDIR;
    if (node?.type === DIRECTORY && how & (CREATE | TRUNCATE)) return ISDIR;
    if (!node) this.tree.set(path, (node = newFile()));
    if (how & (CREATE | TRUNCATE)) node.written = true;
    if (how & TRUNCATE) node.data = new Uint8Array(0), node.size = 0;
    let descriptor = ROOT + 1;
    while (this.open.has(descriptor)) descriptor++;
    this.open.set(descriptor, { node, at: 0, type: node.type, path, append: (flags & 1) !== 0 });
    this.view().setUint32(result, descriptor, true);
    return OK;
  }
  path_filestat_get(folder, follow, at, length, result) {
    const node = this.tree.get(this.path(folder, at, length));
    return node ? this.stat(node, node.type, result) : NOENT;
  }
  path_create_directory(folder, at, length) {
    const path = this.path(folder, at, length);
    if (this.tree.has(path)) return EXIST;
    if (!this.hasParent(path)) return NOENT;
    this.folder(path);
    return OK;
  }
  path_unlink_file(folder, at, length) {
    const path = this.path(folder, at, length), node = this.tree.get(path);
    if (!node) return NOENT;
    if (node.type === DIRECTORY) return ISDIR;
    this.tree.delete(path);
    return OK;
  }
  path_rename(fromFolder, fromAt, fromLength, toFolder, toAt, toLength) {
    const from = this.path(fromFolder, fromAt, fromLength), to = this.path(toFolder, toAt, toLength);
    const node = this.tree.get(from);
    if (!node || !this.hasParent(to)) return NOENT;
    if (node.type === DIRECTORY || this.tree.get(to)?.type === DIRECTORY) return ISDIR;
    this.tree.delete(from);
    this.tree.set(to, node);
    return OK;
  }
}
