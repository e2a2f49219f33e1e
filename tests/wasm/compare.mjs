// compare.mjs PACKAGE PROGRAM DATA [--quick]: the program in WebAssembly against the native one in strict mode, byte by byte;
// the direct calls against the program; what they refuse.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, program, data] = process.argv.slice(2).map((path) => resolve(path));
const quick = process.argv.includes('--quick');
const { default: jounce, JounceError } = await import(pathToFileURL(join(folder, 'index.js')));
const { run, load, version } = await jounce();
assert.equal(version, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version);

const arm = readFileSync(join(data, 'arm.urdf'), 'utf8'), recording = readFileSync(join(data, 'arm.csv'), 'utf8');
const files = {
  'arm.urdf': arm,
  'arm.csv': recording,
  'reach.json': readFileSync(join(data, 'reach.json'), 'utf8'),
  'state.json': '{"joints": {"turn": [0.3, 1, -2, 5, 7], "shoulder": [0.7, -0.2, 3, 1, 2], "elbow": [1.1, 0.4, 0.1, -9, 3]}, "tau": {"turn": [1, 2, 3], "shoulder": [-4, 1, 0.5], "elbow": [0.1, 0.2, 0.3]}}',
  'two.json': '{"kind": "minimum", "derivative": 4, "times": [0, 0.8, 2], "joints": {"joint1": [0, 1, 0.5], "joint2": [0, -0.5, 1]}}',
  'r.xacro': '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="m" value="${2*3}"/><link name="a"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
  'parts/inner.xml': '<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size="0.1" mass="2"/></body></worldbody></mujoco>',
  'outer.xml': '<mujoco model="m"><include file="parts/inner.xml"/></mujoco>',
  'broken.urdf': '<robot name="x"><link name="a"></robot>',
};

const most = ['id arm.urdf --state state.json --order 2', 'fd arm.urdf --state state.json --order 2',
  'traj arm.urdf reach.json --order 2 --samples 41 --format csv', 'limits arm.urdf reach.json --effort-rate 50',
  'retime arm.urdf reach.json --jerk 300 --effort-rate 400 --apply fast.json'];
const all = [...most,
  '', '--version', '--help', 'help retime', 'models', 'info arm.urdf --json', 'info humanoid --text', 'lint arm.urdf', 'lint r.xacro',
  'info outer.xml --json', 'expand r.xacro', 'convert arm6 --lock joint3=0.5 --output arm5.json', 'convert arm.urdf --output out.urdf',
  'state humanoid --order 1', 'fk arm.urdf --state state.json --order 2 --frames', 'fk humanoid --link left_hand --relative-to right_hand --text',
  'id tilthex --order 3 --text', 'id arm6 --reactions body --precision 9', 'id humanoid --format npy --output tau.npy', 'id arm.urdf --joints el*',
  'hybrid arm.urdf --state state.json --pad', 'eom arm.urdf --state state.json', 'jacobian arm6 --link link6 --order 1', 'partials arm.urdf --state state.json --order 1',
  'linearise arm6 --hold', 'loops fourbar', 'loops stewart', 'assemble fourbar', 'id stewart --order 1', 'rotors tilthex',
  'simulate double_pendulum --time 1 --samples 11 --format csv', 'simulate tilthex --time 0.2 --samples 5',
  'traj arm.urdf arm.csv --samples 21 --format csv --bands', 'traj arm.urdf arm.csv --output t.npz', 'traj double_pendulum two.json --report page.html --samples 31',
  'limits arm.urdf arm.csv --text', 'elastic double_pendulum two.json --stiffness 100 --motor-inertia 0.1', 'generate pendulum --output c',
  'check double_pendulum --text', 'ik arm6 --link tool', 'nonsense', 'id', 'id nosuchrobot', 'id broken.urdf', 'id arm.urdf --order x', 'traj arm.urdf none.json'];

/** The native program in a folder of its own. */
const native = (words, input) => {
  const work = mkdtempSync(join(tmpdir(), 'jounce-'));
  for (const [name, text] of Object.entries(input)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  const result = spawnSync(program, words, { cwd: work, env: { JOUNCE_STRICT: '1' }, maxBuffer: 1 << 28 });
  const written = {};
  for (const entry of readdirSync(work, { recursive: true, withFileTypes: true })) {
    const path = join(entry.path ?? entry.parentPath, entry.name), name = path.slice(work.length + 1);
    if (entry.isFile() && !(name in input)) written[name] = readFileSync(path);
  }
  rmSync(work, { recursive: true });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr.toString(), files: written };
};

/** Without the time that a simulation took. */
const timeless = (text) => text.replace(/, [0-9.e-]+ s\n/, '\n').replace(/"seconds": [0-9.e-]+/, '');

/** What differs; '' if nothing does. */
const difference = (line, input = files, given = input) => {
  const words = line.split(' ').filter(Boolean);
  const want = native(words, input), got = run(words, given);
  if (want.code !== got.code) return `exit status ${got.code}, native ${want.code}: ${got.stderr}${want.stderr}`;
  if (Buffer.compare(want.stdout, Buffer.from(got.stdoutBytes)) && timeless(want.stdout.toString()) !== timeless(got.stdout))
    return 'standard output';
  if (timeless(want.stderr) !== timeless(got.stderr)) return `standard error:\n${got.stderr}${want.stderr}`;
  if (Object.keys(want.files).sort().join() !== Object.keys(got.files).sort().join())
    return `files ${Object.keys(got.files)}, native ${Object.keys(want.files)}`;
  for (const [name, bytes] of Object.entries(want.files))
    if (Buffer.compare(bytes, Buffer.from(got.files[name]))) return `the file ${name}`;
  return '';
};

let failed = 0;
const lines = quick ? most : all;
for (const line of lines) {
  const found = difference(line);
  if (found) console.error(`FAILED: jounce ${line}: ${found}`), failed++;
}
console.log(`ok  ${lines.length} command lines: the bytes of the native program`);

// the control: another last digit is found
const other = { ...files, 'arm.urdf': arm.replace('value="2.2"', 'value="2.2000000000000006"') };
assert.notEqual(other['arm.urdf'], arm);
assert.match(difference(most[0], files, other), /standard output/);
console.log('ok  a difference in the last digit of a mass is found');

// direct calls: the numbers of the program
const bits = (x) => Array.from(new BigUint64Array(Float64Array.from(x).buffer));
const same = (got, want, what) => assert.deepEqual(bits(got), bits(want), what);
let seed = 1;
const random = () => ((seed = (seed * 48271) % 2147483647) / 2147483647) * 2 - 1;
for (const [name, order] of [['arm6', 3], ['double_pendulum', 0]]) {
  const model = load(name, { order });
  const q = Float64Array.from({ length: model.nq }, random), v = Float64Array.from({ length: (order + 2) * model.nv }, random);
  const state = { joints: {}, tau: {} };
  model.info.joints.filter((j) => j.nv).forEach((j, i) => { state.joints[j.name] = [q[i], ...Array.from({ length: order + 2 }, (_, k) => v[k * model.nv + i])]; });
  const said = (command, from = state) => JSON.parse(run([command, name, '--order', order, '--state', '-', '--json'], {}, { stdin: JSON.stringify(from) }).stdout);
  const rows = (table, n) => Float64Array.from({ length: n * model.nv }, (_, i) => Object.values(table)[i % model.nv][Math.floor(i / model.nv)]);
  const tau = model.inverseDynamics(order, q, v);
  same(tau, rows(said('id').tau, order + 1), `${name}: inverse dynamics`);
  Object.keys(state.joints).forEach((joint, i) => { state.tau[joint] = Array.from({ length: order + 1 }, (_, k) => tau[k * model.nv + i]); });
  const out = new Float64Array((order + 1) * model.nv);
  assert.equal(model.forwardDynamics(order, q, v.subarray(0, model.nv), tau, out), out);
  same(out, rows(said('fd').joints, order + 1), `${name}: forward dynamics`);
  out.forEach((x, i) => assert.ok(Math.abs(x - v[model.nv + i]) < 1e-9 * (1 + Math.abs(x))));
  const poses = model.poses(q), { links } = said('fk');
  for (const [frame, at] of Object.entries(links)) {
    const i = model.frames.indexOf(frame);
    same(poses.subarray(7 * i, 7 * i + 3), at.p, `${name}: position of ${frame}`);
    same(model.twist(frame, order, q, v.subarray(0, (order + 1) * model.nv)), at.twist.flat(), `${name}: twist of ${frame}`);
  }
  model.free();
}
console.log('ok  direct calls: the numbers of the program');

// a floating base, files that include files, many models
const bird = load('tilthex', { order: 2, representation: 'body' });
assert.equal(bird.inverseDynamics(2, bird.home(), new Float64Array(4 * bird.nv)).length, 3 * bird.nv);
assert.equal(load('outer.xml', { files }).nv, 1);
for (let i = 0; i < 50; i++) load('arm.urdf', { files }).free();

// what cannot be done is an error
const model = load('arm.urdf', { files }), q = model.home(), v = new Float64Array(3 * model.nv);
for (const [bad, words] of [
  [() => load('nosuchrobot'), /nosuchrobot/], [() => load('broken.urdf', { files }), /broken\.urdf:1/], [() => load('fourbar'), /constraints/],
  [() => load('arm6', { root: 'flying' }), /root/], [() => load('arm6', { order: -1 }), /order/], [() => load('arm6', { representation: 'x' }), /representation/],
  [() => model.inverseDynamics(1, q, v.subarray(1)), /v: 9 numbers expected, found 8/], [() => model.inverseDynamics(2, q, v), /order/],
  [() => model.inverseDynamics(1, [NaN, 0, 0], v), /finite/], [() => model.twist('none', 0, q, [0, 0, 0]), /no link or frame/],
  [() => model.inverseDynamics(1, q, v, new Float64Array(2)), /out/], [() => { model.free(); model.home(); }, /free/]])
  assert.throws(bad, (error) => error instanceof JounceError && words.test(error.message), String(bad));
const plot = run(['traj', 'double_pendulum', 'two.json', '--plot', 'x.svg'], files);
assert.equal(plot.code, 1);
assert.match(plot.stderr, /gnuplot cannot be started here/);
assert.deepEqual(plot.files, {});
console.log('ok  refusals');
process.exit(failed ? 1 : 0);
