// browser.mjs WASM_FOLDER PROGRAM DATA CHROMIUM [PICTURES]: the package and the playground in Chromium, against the native program in
// strict mode.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { open } from './chromium.mjs';

const [folder, program, data] = process.argv.slice(2, 5).map((path) => resolve(path));
const [chromium, pictures] = process.argv.slice(5);
const files = Object.fromEntries(['arm.urdf', 'arm.csv', 'reach.json'].map((name) => [name, readFileSync(join(data, name), 'utf8')]));
files['state.json'] = '{"joints": {"turn": [0.3, 1, -2, 5, 7], "shoulder": [0.7, -0.2, 3, 1, 2], "elbow": [1.1, 0.4, 0.1, -9, 3]}, "tau": {"turn": [1, 2], "shoulder": [-4, 1], "elbow": [0.1, 0.2]}}';
const native = (words, input = files) => {
  const work = mkdtempSync(join(tmpdir(), 'jounce-'));
  for (const [name, text] of Object.entries(input)) writeFileSync(join(work, name), text);
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: work, env: { JOUNCE_STRICT: '1' }, maxBuffer: 1 << 28, encoding: 'utf8' });
  const made = (name) => readFileSync(join(work, name), 'utf8');
  const fast = words.includes('fast.json') && status === 0 ? made('fast.json') : '';
  rmSync(work, { recursive: true });
  return { code: status, stdout, stderr, fast };
};

const browser = await open(chromium);
try {
  // the package, served as a page would have it
  const types = { js: 'text/javascript', wasm: 'application/wasm', html: 'text/html' };
  const server = createServer((request, response) => {
    const name = request.url.slice(1) || 'index.html', ending = name.split('.').pop();
    if (name === 'index.html') return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><link rel="icon" href="data:,"><title>t</title>');
    if (!/^[a-z.]+$/.test(name)) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': types[ending] }).end(readFileSync(join(folder, 'package', name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const served = await browser.page(`http://127.0.0.1:${server.address().port}/`);
  await served.until('document.readyState === "complete" && document.title === "t"');
  await served.value('import("/index.js").then(async (m) => { window.jounce = await m.default(); })');
  const lines = ['id arm.urdf --state state.json --order 1', 'fd arm.urdf --state state.json --order 1',
    'traj arm.urdf reach.json --order 2 --samples 41 --format csv', 'traj arm.urdf arm.csv --samples 21', 'limits arm.urdf reach.json --effort-rate 50',
    'retime arm.urdf reach.json --jerk 300 --effort-rate 400', 'id tilthex --order 3', 'id nosuchrobot'];
  for (const line of lines) {
    const want = native(line.split(' '));
    const got = await served.value(`(({code, stdout, stderr}) => ({code, stdout, stderr}))(jounce.run(${JSON.stringify(line.split(' '))}, ${JSON.stringify(files)}))`);
    assert.deepEqual(got, { code: want.code, stdout: want.stdout, stderr: want.stderr }, line);
  }
  const changed = await served.value(`jounce.run(['id', 'arm.urdf', '--state', 'state.json'], ${JSON.stringify({ ...files, 'arm.urdf': files['arm.urdf'].replace('value="2.2"', 'value="2.20000000000001"') })}).stdout`);
  assert.notEqual(changed, native(['id', 'arm.urdf', '--state', 'state.json']).stdout, 'the control: a difference is found');
  assert.deepEqual(served.errors, []);
  server.close();
  console.log(`ok  ${lines.length} command lines in Chromium: the bytes of the native program`);

  // the playground, from a file
  const url = pathToFileURL(join(folder, 'playground.html')).href;
  const page = await browser.page(url);
  await page.until('document.body.dataset.ready === "yes"');
  const save = async (name) => { if (pictures) writeFileSync(join(pictures, `${name}.png`), await page.picture()); };
  await save('arm');
  const cells = (which) => page.value(`[...document.querySelectorAll('#joints tbody tr')].map((line) => Number(line.cells[${which}].dataset.value))`);
  const focus = (selector) => page.value(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  const canvas = () => page.value('document.getElementById("scene").toDataURL()');

  // torques and torque rates at the posture of the sliders, moved by the keyboard
  await page.value('document.getElementById("still").click()');
  const before = await canvas();
  await focus('#joints input[aria-label=shoulder]');
  for (let i = 0; i < 30; i++) await page.key('ArrowRight');
  await focus('#rows input');
  await page.key('ArrowRight'); // velocity
  assert.match(await page.value('document.getElementById("rowname").textContent'), /velocity/);
  await focus('#joints input[aria-label=elbow]');
  for (let i = 0; i < 20; i++) await page.key('ArrowRight');
  assert.notEqual(await canvas(), before, 'the picture follows the sliders');
  const set = await page.value(`(() => { const at = (n) => { document.querySelectorAll('#rows input')[n].click(); return [...document.querySelectorAll('#joints input[type=range]')].map((x) => Number(x.dataset.value)); }; return [at(0), at(1)]; })()`);
  assert.ok(set[0][1] > 0.6 && set[1][2] > 0.1, 'the sliders moved');
  const joints = ['turn', 'shoulder', 'elbow'];
  const state = { joints: Object.fromEntries(joints.map((name, i) => [name, [set[0][i], set[1][i]]])) };
  const said = JSON.parse(native(['id', 'arm.urdf', '--order', '1', '--pad', '--state', 's.json', '--json'], { ...files, 's.json': JSON.stringify(state) }).stdout);
  assert.deepEqual(await cells(3), joints.map((name) => said.tau[name][0]), 'torques');
  assert.deepEqual(await cells(4), joints.map((name) => said.tau[name][1]), 'torque rates');
  console.log('ok  torques and torque rates at the sliders: the numbers of the native program');

  // waypoints, edited; then retimed by Enter
  await page.value(`(() => { const input = document.querySelector('[aria-label="elbow at waypoint 3"]'); input.value = '1.2'; input.dispatchEvent(new Event('change')); })()`);
  const path = JSON.parse(files['reach.json']);
  path.joints.elbow[2] = 1.2;
  await focus('#retime');
  await page.key('Enter');
  await page.until('!document.getElementById("fast").disabled');
  const limits = ['--jerk', '300', '--effort-rate', '400'];
  const fast = native(['retime', 'arm.urdf', 'p.json', '--apply', 'fast.json', ...limits], { ...files, 'p.json': JSON.stringify(path) });
  const moved = JSON.parse(native(['traj', 'arm.urdf', 'f.json', '--samples', '301', '--json'], { ...files, 'f.json': fast.fast }).stdout);
  const shown = await page.value('fetch(document.getElementById("save").href).then((x) => x.text())');
  assert.equal(shown, [moved.columns.join(','), ...moved.rows.map((row) => row.join(','))].join('\n') + '\n', 'the retimed motion');
  assert.equal(await page.value('document.getElementById("fastest").textContent'), `${Number((moved.end - moved.start).toPrecision(4))} s`);
  assert.ok(moved.end - moved.start < 3);
  console.log(`ok  retimed from 3 s to ${moved.end - moved.start} s: the motion of the native program`);
  const time = () => page.value('Number(document.getElementById("time").value)');
  await focus('#time');
  await page.key('End');
  assert.ok(Math.abs((await time()) - moved.end) < 1e-9);
  const box = await page.value('(({x, y, width, height}) => ({x, y, width, height}))(document.querySelectorAll("#plots svg")[2].getBoundingClientRect())');
  await page.drag(box.x + 0.2 * box.width, box.y + box.height / 2, box.x + 0.5 * box.width, box.y + box.height / 2);
  assert.ok(Math.abs(await time() / moved.end - 0.46) < 0.06, 'dragging in a plot moves the time');
  await save('retimed');

  // Tab reaches every control
  await page.value('document.activeElement.blur()');
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.key('Tab');
    reached.add(await page.value('document.activeElement.id || document.activeElement.getAttribute("aria-label")'));
  }
  for (const id of ['robot', 'open', 'fixed', 'scene', 'turn', 'still', 'home', 'add', 'elbow at waypoint 2', 'limit-jerk', 'retime', 'play', 'time', 'save'])
    assert.ok(reached.has(id), `Tab does not reach ${id}`);
  const still = await canvas();
  await focus('#scene');
  await page.key('ArrowLeft');
  assert.notEqual(await canvas(), still, 'arrow keys turn the camera');

  // a file that is dropped; a broken one is refused, and the robot stays
  const drop = (name, text) => page.value(`(async () => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true })); await new Promise((r) => setTimeout(r, 300)); return [document.getElementById('about').textContent, document.getElementById('message').hidden, document.getElementById('message').textContent]; })()`);
  const [about] = await drop('mine.urdf', files['arm.urdf'].replace('name="arm"', 'name="mine"').replace('value="2.2"', 'value="4.2"'));
  assert.match(about, /^mine: 4 bodies, 3 degrees of freedom, 9\.2 kg$/);
  const [kept, hidden, message] = await drop('bad.urdf', '<robot name="x"><link name="a"></robot>');
  assert.match(kept, /^mine/);
  assert.equal(hidden, false);
  assert.match(message, /bad\.urdf:1/);
  const [, , hostile] = await drop('evil.urdf', `<robot name="<img src=x onerror=window.owned=1>"><link name="a"/>`);
  assert.match(hostile, /evil\.urdf/);
  assert.equal(await page.value('window.owned'), undefined);

  // every built-in robot, fixed and as it is
  for (const name of await page.value('[...document.getElementById("robot").options].map((o) => o.value).filter(Boolean)')) {
    await page.value(`(() => { const s = document.getElementById('robot'); s.value = ${JSON.stringify(name)}; s.dispatchEvent(new Event('change')); })()`);
    assert.equal(await page.value('document.getElementById("message").textContent'), '', name);
    if (name === 'humanoid' || name === 'tilthex') await save(name);
  }
  await page.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  await page.value(`(() => { const s = document.getElementById('robot'); s.value = 'arm7'; s.dispatchEvent(new Event('change')); })()`);
  await save('dark');
  await page.call('Emulation.setDeviceMetricsOverride', { width: 420, height: 1800, deviceScaleFactor: 1, mobile: true });
  await new Promise((r) => setTimeout(r, 200));
  await save('narrow');
  assert.equal(await page.value('document.documentElement.scrollWidth <= 420'), true, 'the page is wider than a telephone');
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter((x) => x !== url && !x.startsWith('data:') && !x.startsWith('blob:')), [], 'nothing is fetched');
  console.log('ok  keyboard, dropped files, every built-in robot; no console error, nothing fetched');
} finally {
  await browser.close();
}
