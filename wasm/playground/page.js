// page.js: the playground. State is the posture and its derivatives; everything shown follows from it.
const $ = (id) => document.getElementById(id);
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7b5ea7', '#8c564b'];
const rows = [
  { name: 'position', limit: 'position', usual: Math.PI, per: '' },
  { name: 'velocity', limit: 'velocity', usual: 2, per: '/s' },
  { name: 'acceleration', limit: 'acceleration', usual: 10, per: '/s²' },
  { name: 'jerk', limit: 'jerk', usual: 100, per: '/s³' },
];
const limitNames = [
  ['velocity', '--velocity'], ['acceleration', '--acceleration'], ['jerk', '--jerk'],
  ['effort', '--effort'], ['effort_rate', '--effort-rate'],
];
const limitWords = { effort: 'torque', effort_rate: 'torque rate' };
const fitting = (x) => (x === undefined ? '' : Number(x.toPrecision(4)).toString());
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key in made && key !== 'list') made[key] = value;
    else made.setAttribute(key, value);
  made.append(...children);
  return made;
};

let program; // jounce
let robot = null; // the model and what was made of it
let row = 0; // what the sliders set
let motions = { planned: null, retimed: null };
let shown = 'planned';
let cursor = 0;
let playing = 0;
const camera = { azimuth: -0.9, elevation: 0.35, zoom: 1 };

const say = (text) => {
  $('message').hidden = !text;
  $('message').textContent = text;
};
/** Runs the program; its message goes to the page. Returns null after a failure. */
const run = (args, files = {}) => {
  const result = program.run(args, { ...robot.files, ...files });
  if (result.code === 0) return result;
  say(result.stderr.trim() || `jounce ended with exit status ${result.code}`);
  return null;
};

// ---- the robot

const rootFlags = () => ($('fixed').checked ? ['--fixed'] : []);

const load = (name, files, waypoints) => {
  say('');
  let model;
  try {
    model = program.load(name, { files, order: 1, root: $('fixed').checked ? 'fixed' : 'as given', open: true });
  } catch (error) {
    if (!(error instanceof JounceError)) throw error;
    return say(error.message);
  }
  robot?.model.free();
  let iq = 0, iv = 0;
  const joints = [];
  for (const joint of model.info.joints) {
    if (joint.nq === 1 && joint.nv === 1)
      joints.push({ ...joint, iq, iv, colour: colours[joints.length % colours.length], length: joint.type === 'prismatic' });
    iq += joint.nq;
    iv += joint.nv;
  }
  robot = { name, files, model, joints, q: model.home(), v: new Float64Array(3 * model.nv) };
  robot.links = skeleton(model);
  robot.box = bounds(model.poses(robot.q));
  motions = { planned: null, retimed: null };
  const { info } = model;
  $('about').textContent = `${info.name}: ${info.bodies} bodies, ${info.dofs} degrees of freedom, ${fitting(info.mass)} kg`;
  const hidden = model.nv - joints.length;
  $('others').textContent = hidden ? `${hidden} degrees of freedom of a floating base or of joints with several stay at home.` : '';
  makeJoints();
  makeLimits();
  robot.waypoints = waypoints ?? usualWaypoints();
  makeWaypoints();
  update();
  plan();
  return undefined;
};

const usualWaypoints = () => {
  const home = robot.joints.map((joint) => robot.q[joint.iq]);
  const moved = robot.joints.map((joint, i) => {
    const { lower = -1, upper = 1 } = joint.limits;
    const to = home[i] + (i % 2 ? -0.5 : 0.7) * (joint.length ? 0.2 : 1);
    return Math.min(Math.max(to, lower), upper);
  });
  return { times: [0, 1, 2], values: [home, moved, home.slice()] };
};

/** Pairs of frames to draw a bar between, with the joint that moves it. */
const skeleton = (model) => {
  const frame = (name) => model.frames.indexOf(name);
  const bars = [];
  const jointOf = new Map(model.info.joints.map((joint, i) => [joint.child, i]));
  for (const joint of model.info.joints)
    if (joint.parent !== null) bars.push({ from: frame(joint.parent), to: frame(joint.child), moved: jointOf.get(joint.parent) ?? -1, joint: true });
  for (const link of model.info.links)
    if (link.body !== null && link.body !== link.name)
      bars.push({ from: frame(link.body), to: frame(link.name), moved: jointOf.get(link.body) ?? -1, joint: false });
  return bars.filter((bar) => bar.from >= 0 && bar.to >= 0);
};

const bounds = (poses) => {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < poses.length; i += 7)
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], poses[i + k]);
      high[k] = Math.max(high[k], poses[i + k]);
    }
  const size = Math.max(...high.map((x, k) => x - low[k]), 0.1);
  return { centre: high.map((x, k) => (x + low[k]) / 2), low: low[2], size };
};

// ---- the scene

const share = (value, limit) => (limit > 0 ? Math.min(Math.abs(value) / limit, 1) : 0);
const heat = (x) => {
  const stops = [[0, 91, 141, 184], [0.6, 224, 160, 48], [1, 192, 57, 43]];
  const n = x < 0.6 ? 0 : 1, [a, b] = [stops[n], stops[n + 1]], t = (x - a[0]) / (b[0] - a[0]);
  return `rgb(${[1, 2, 3].map((k) => Math.round(a[k] + t * (b[k] - a[k]))).join(',')})`;
};

const draw = () => {
  const canvas = $('scene'), scale = globalThis.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!robot || !width) return;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const g = canvas.getContext('2d');
  g.scale(scale, scale);
  g.lineCap = g.lineJoin = 'round';
  const style = getComputedStyle(document.body), { box } = robot;
  const [ca, sa, ce, se] = [Math.cos(camera.azimuth), Math.sin(camera.azimuth), Math.cos(camera.elevation), Math.sin(camera.elevation)];
  const distance = 3.2 * box.size, pixels = (0.78 * Math.min(width, height) * camera.zoom) / box.size;
  const project = (p) => {
    const x = p[0] - box.centre[0], y = p[1] - box.centre[1], z = p[2] - box.centre[2];
    const right = ca * x + sa * y, away = ca * y - sa * x;
    const up = ce * z - se * -away, depth = ce * away - se * z;
    const near = distance / (distance + depth);
    return [width / 2 + pixels * near * right, height / 2 - pixels * near * (ce * z + se * away), depth, near * pixels, up];
  };
  // the ground
  g.strokeStyle = style.getPropertyValue('--line');
  g.lineWidth = 1;
  const step = box.size / 4, z = Math.min(box.low, 0);
  for (let i = -4; i <= 4; i++)
    for (const line of [[[i, -4], [i, 4]], [[-4, i], [4, i]]]) {
      const [a, b] = line.map(([x, y]) => project([box.centre[0] + x * step, box.centre[1] + y * step, z]));
      g.beginPath();
      g.moveTo(a[0], a[1]);
      g.lineTo(b[0], b[1]);
      g.stroke();
    }
  // bars, the far ones first
  const poses = robot.model.poses(robot.q), at = (i) => project(poses.subarray(7 * i, 7 * i + 3));
  const used = new Map(robot.joints.map((joint, i) => [joint.name, share(robot.tau[joint.iv], limitOf(i, 'effort'))]));
  const parts = [];
  for (const bar of robot.links) {
    const a = at(bar.from), b = at(bar.to), name = bar.moved >= 0 ? robot.model.info.joints[bar.moved].name : '';
    parts.push({ depth: (a[2] + b[2]) / 2, a, b, fill: used.has(name) ? heat(used.get(name)) : style.getPropertyValue('--soft') });
    if (bar.joint) parts.push({ depth: b[2] - 0.06 * box.size, a: b, b: null });
  }
  parts.sort((a, b) => b.depth - a.depth);
  for (const { a, b, fill } of parts) {
    const thick = 0.055 * box.size * a[3];
    if (b) {
      for (const [colour, extra] of [[style.getPropertyValue('--ink'), 2], [fill, 0]]) {
        g.strokeStyle = colour;
        g.lineWidth = thick + extra;
        g.beginPath();
        g.moveTo(a[0], a[1]);
        g.lineTo(b[0] + 0.01, b[1]);
        g.stroke();
      }
    } else {
      g.fillStyle = style.getPropertyValue('--card');
      g.strokeStyle = style.getPropertyValue('--ink');
      g.lineWidth = 1.5;
      g.beginPath();
      g.arc(a[0], a[1], 0.42 * thick, 0, 2 * Math.PI);
      g.fill();
      g.stroke();
    }
  }
};

const turn = (azimuth, elevation) => {
  camera.azimuth += azimuth;
  camera.elevation = Math.min(Math.max(camera.elevation + elevation, -1.5), 1.5);
  draw();
};
const zoom = (factor) => {
  camera.zoom = Math.min(Math.max(camera.zoom * factor, 0.2), 8);
  draw();
};

// ---- sliders, torques, torque rates

const limitOf = (i, name) => {
  const given = $(`limit-${name}`)?.value;
  return given ? Number(given) : robot.joints[i].limits[name];
};
const get = (joint) => (row === 0 ? robot.q[joint.iq] : robot.v[(row - 1) * robot.model.nv + joint.iv]);
const set = (joint, x) => {
  if (row === 0) robot.q[joint.iq] = x;
  else robot.v[(row - 1) * robot.model.nv + joint.iv] = x;
};
const range = (joint, i) => {
  const { lower, upper } = joint.limits, most = row ? limitOf(i, rows[row].limit) ?? rows[row].usual : joint.length ? 1 : Math.PI;
  return row === 0 ? [lower ?? -most, upper ?? most] : [-most, most];
};

const makeJoints = () => {
  const body = $('joints').tBodies[0];
  body.replaceChildren(...robot.joints.map((joint, i) => {
    const slider = element('input', { type: 'range', step: 'any', 'aria-label': joint.name });
    const number = element('input', { type: 'number', step: 'any', 'aria-label': `${joint.name}, value` });
    slider.addEventListener('input', () => { set(joint, Number(slider.value)); update(); });
    number.addEventListener('change', () => { if (number.value !== '') set(joint, Number(number.value)); update(); });
    const force = () => element('td', { className: 'force' }, element('div', {}, element('u', {}, element('s'), element('i')), element('span')));
    const line = element('tr', {}, element('td', { className: 'name', title: `${joint.name} (${joint.type})` }, joint.name),
      element('td', {}, slider), element('td', {}, number), force(), force());
    line.style.setProperty('--c', joint.colour);
    joint.parts = { slider, number, torque: line.cells[3], rate: line.cells[4] };
    joint.index = i;
    return line;
  }));
  // units in the heading, or in the cells where they differ
  const kinds = new Set(robot.joints.map((joint) => joint.length));
  robot.unit = kinds.size > 1 ? '' : kinds.has(true) ? 'N' : 'N m';
  $('torques').textContent = robot.unit ? `torque [${robot.unit}]`.replace('torque [N]', 'force [N]') : 'torque or force';
  $('rates').textContent = robot.unit ? `its rate [${robot.unit}/s]` : 'its rate';
  setRow(0);
};

const setRow = (n) => {
  row = n;
  $('rowname').textContent = `${rows[n].name} [${robot.joints.every((j) => j.length) ? 'm' : robot.joints.some((j) => j.length) ? 'rad or m' : 'rad'}${rows[n].per}]`;
  for (const [k, button] of [...$('rows').querySelectorAll('input')].entries()) button.checked = k === n;
  for (const [i, joint] of robot.joints.entries()) {
    const [low, high] = range(joint, i);
    Object.assign(joint.parts.slider, { min: low, max: high, value: get(joint) });
  }
};

const showForce = (cell, x, limit, unit) => {
  const bar = cell.querySelector('i'), part = limit > 0 ? Math.min(Math.abs(x) / limit, 1) : 0;
  bar.style.left = `${x < 0 ? 50 - 50 * part : 50}%`;
  bar.style.width = `${50 * part}%`;
  cell.querySelector('span').textContent = `${Math.abs(x) < 5e-4 ? '0' : fitting(x)}${unit}`;
  cell.classList.toggle('over', limit > 0 && Math.abs(x) > limit);
  cell.dataset.value = x;
};

/** After every change of the state. */
const update = () => {
  const { model, joints } = robot;
  try {
    robot.tau = model.inverseDynamics(1, robot.q, robot.v);
  } catch (error) {
    if (!(error instanceof JounceError)) throw error;
    say(error.message);
    return;
  }
  let most = 0;
  for (const [i, joint] of joints.entries()) {
    const x = get(joint), unit = robot.unit ? '' : joint.length ? ' N' : ' N m';
    joint.parts.slider.value = x;
    joint.parts.slider.dataset.value = x; // every digit
    joint.parts.slider.setAttribute('aria-valuetext', fitting(x));
    if (document.activeElement !== joint.parts.number) joint.parts.number.value = fitting(x);
    showForce(joint.parts.torque, robot.tau[joint.iv], limitOf(i, 'effort'), unit);
    showForce(joint.parts.rate, robot.tau[model.nv + joint.iv], limitOf(i, 'effort_rate'), unit && `${unit}/s`);
    most = Math.max(most, share(robot.tau[joint.iv], limitOf(i, 'effort')));
  }
  $('scene').setAttribute('aria-label', `${model.name}; largest used share of a torque limit ${Math.round(100 * most)} %`);
  draw();
};

// ---- waypoints and limits

const makeLimits = () => {
  const given = { jerk: 300, effort_rate: 400 };
  $('limits').replaceChildren($('limits').querySelector('legend'), ...limitNames.flatMap(([name]) => {
    const own = robot.joints.some((joint) => joint.limits[name] !== undefined);
    const input = element('input', { type: 'number', min: 0, step: 'any', id: `limit-${name}`, placeholder: own ? 'of the model' : 'none',
      value: own ? '' : given[name] ?? (name === 'velocity' ? 2 : name === 'acceleration' ? 10 : '') });
    input.addEventListener('change', () => { setRow(row); update(); retimed(null); showPlots(); });
    return [element('label', { htmlFor: input.id }, limitWords[name] ?? name), input];
  }));
};

const makeWaypoints = () => {
  const { times, values } = robot.waypoints;
  $('waypoints').tHead.replaceChildren(element('tr', {}, element('th', {}, 't [s]'), ...robot.joints.map((joint) => element('th', {}, joint.name)), element('th')));
  const cell = (x, label, change) => {
    const input = element('input', { type: 'number', step: 'any', value: fitting(x), 'aria-label': label });
    input.addEventListener('change', () => { change(Number(input.value)); plan(); });
    return element('td', {}, input);
  };
  $('waypoints').tBodies[0].replaceChildren(...times.map((t, n) => {
    const go = element('button', { title: 'go there', 'aria-label': `go to waypoint ${n + 1}` }, '⤒');
    const remove = element('button', { title: 'remove', 'aria-label': `remove waypoint ${n + 1}`, disabled: times.length < 3 }, '×');
    go.addEventListener('click', () => {
      stop();
      robot.joints.forEach((joint, i) => { robot.q[joint.iq] = values[n][i]; });
      robot.v.fill(0);
      update();
    });
    remove.addEventListener('click', () => {
      times.splice(n, 1);
      values.splice(n, 1);
      makeWaypoints();
      plan();
    });
    return element('tr', {}, cell(t, `time of waypoint ${n + 1}`, (x) => { times[n] = x; }),
      ...robot.joints.map((joint, i) => cell(values[n][i], `${joint.name} at waypoint ${n + 1}`, (x) => { values[n][i] = x; })),
      element('td', {}, go, ' ', remove));
  }));
};

const description = () => {
  const { times, values } = robot.waypoints;
  return JSON.stringify({ kind: 'minimum', derivative: 4, times,
    joints: Object.fromEntries(robot.joints.map((joint, i) => [joint.name, values.map((row) => row[i])])) });
};

/** Motion and forces along a description. */
const follow = (text) => {
  const result = run(['traj', robot.name, 'motion.json', '--order', '1', '--samples', '301', '--json', '--quiet', '--open', ...rootFlags()], { 'motion.json': text });
  return result && { text, ...JSON.parse(result.stdout) };
};

const plan = () => {
  stop();
  say('');
  motions.planned = robot.joints.length ? follow(description()) : null;
  $('planned').textContent = motions.planned ? `${fitting(motions.planned.end - motions.planned.start)} s` : '';
  retimed(null);
  showPlots();
};

const retimed = (motion) => {
  motions.retimed = motion;
  $('fast').disabled = !motion;
  $('fastest').textContent = motion ? `${fitting(motion.end - motion.start)} s` : '';
  shown = motion ? 'retimed' : 'planned';
  $(motion ? 'fast' : 'as').checked = true;
};

const retime = () => {
  say('');
  const limits = limitNames.flatMap(([name, option]) => ($(`limit-${name}`).value ? [option, $(`limit-${name}`).value] : []));
  const result = run(['retime', robot.name, 'motion.json', '--apply', 'fast.json', '--json', '--quiet', '--open', ...rootFlags(), ...limits], { 'motion.json': description() });
  retimed(result && follow(textOf(result.files['fast.json'])));
  showPlots();
};

// ---- plots

const panels = [
  { title: 'position', unit: 'rad', column: (joint) => joint.name },
  { title: 'velocity', unit: 'rad/s', column: (joint) => `${joint.name}'`, limit: 'velocity' },
  { title: 'torque', unit: 'N m', column: (joint) => `tau:${joint.name}`, limit: 'effort' },
  { title: 'torque rate', unit: 'N m/s', column: (joint) => `tau:${joint.name}'`, limit: 'effort_rate' },
];
const svg = (tag, attributes, text) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
let W = 600;
const H = 208, LEFT = 52, BOTTOM = 20, TOP = 8, RIGHT = 8;
const nice = (low, high) => {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= raw);
  const ticks = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) ticks.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return ticks;
};

const showPlots = () => {
  const motion = motions[shown];
  $('plots').replaceChildren();
  $('extremes').replaceChildren();
  $('save').hidden = !motion;
  for (const id of ['play', 'time', 'retime']) $(id).disabled = !motion;
  if (!motion) return;
  const { start, end, rows: table, columns } = motion;
  Object.assign($('time'), { min: start, max: end });
  cursor = start;
  W = Math.max(($('plots').clientWidth - 24) / (matchMedia('(max-width: 62rem)').matches ? 1 : 2), 240);
  const head = element('tr', {}, element('th', {}, 'joint'), ...panels.slice(1).flatMap((p) => [element('th', {}, `${p.title}, least`), element('th', {}, 'largest')]));
  const lines = robot.joints.map((joint) => element('tr', {}, element('th', {}, joint.name)));
  for (const [n, panel] of panels.entries()) {
    const series = robot.joints.map((joint) => columns.indexOf(panel.column(joint)));
    let low = Infinity, high = -Infinity;
    for (const [i, c] of series.entries()) {
      let least = Infinity, largest = -Infinity;
      for (const values of table) {
        least = Math.min(least, values[c]);
        largest = Math.max(largest, values[c]);
      }
      low = Math.min(low, least);
      high = Math.max(high, largest);
      if (n) lines[i].append(element('td', {}, fitting(least)), element('td', {}, fitting(largest)));
    }
    // limits that are near
    const size = Math.max(Math.abs(low), Math.abs(high));
    const limits = panel.limit ? [...new Map(robot.joints.map((joint, i) => [limitOf(i, panel.limit), joint.colour]))].filter(([x]) => x > 0 && x < 1.5 * size) : [];
    const one = new Set(robot.joints.map((joint, i) => limitOf(i, panel.limit))).size === 1; // the same for all joints
    for (const [x] of limits) (low = Math.min(low, -x)), (high = Math.max(high, x));
    const pad = 0.05 * (high - low) || 1;
    (low -= pad), (high += pad);
    const X = (t) => LEFT + ((W - LEFT - RIGHT) * (t - start)) / (end - start || 1);
    const Y = (y) => TOP + ((H - TOP - BOTTOM) * (high - y)) / (high - low);
    const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img',
      'aria-label': `${panel.title} over time, from ${fitting(low + pad)} to ${fitting(high - pad)}` });
    for (const y of nice(low, high)) {
      picture.append(svg('line', { class: 'grid', x1: LEFT, x2: W - RIGHT, y1: Y(y), y2: Y(y) }));
      picture.append(svg('text', { x: LEFT - 6, y: Y(y) + 4, 'text-anchor': 'end' }, fitting(y)));
    }
    for (const t of nice(start, end)) picture.append(svg('text', { x: Math.min(X(t), W - 20), y: H - 4, 'text-anchor': 'middle' }, fitting(t)));
    for (const [x, colour] of limits)
      for (const y of [x, -x]) picture.append(svg('line', { class: 'limit', x1: LEFT, x2: W - RIGHT, y1: Y(y), y2: Y(y), stroke: one ? 'var(--bad)' : colour }));
    for (const [i, c] of series.entries())
      picture.append(svg('polyline', { stroke: robot.joints[i].colour, points: table.map((values) => `${X(values[0]).toFixed(1)},${Y(values[c]).toFixed(1)}`).join(' ') }));
    picture.append(svg('line', { class: 'cursor', y1: TOP, y2: H - BOTTOM, x1: X(start), x2: X(start) }));
    const scrub = (event) => {
      const { left, width } = picture.getBoundingClientRect();
      const x = ((event.clientX - left) / width) * W;
      stop();
      goTo(start + ((x - LEFT) / (W - LEFT - RIGHT)) * (end - start));
    };
    picture.addEventListener('pointerdown', (event) => { picture.setPointerCapture(event.pointerId); scrub(event); });
    picture.addEventListener('pointermove', (event) => event.buttons && scrub(event));
    const unit = robot.joints.some((joint) => joint.length) ? panel.unit.replace('rad', 'rad or m').replace('N m', 'N m or N') : panel.unit;
    $('plots').append(element('figure', {}, element('figcaption', {}, panel.title, element('span', {}, ` [${unit}]${limits.length ? ', limits dashed' : ''}`)), picture));
  }
  $('extremes').append(element('thead', {}, head), element('tbody', {}, ...lines));
  const text = [columns.join(','), ...table.map((values) => values.join(','))].join('\n') + '\n';
  URL.revokeObjectURL($('save').href);
  $('save').href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  $('save').download = `${shown}.csv`;
  showTime();
};

const showTime = () => {
  const { start, end } = motions[shown];
  const x = LEFT + ((W - LEFT - RIGHT) * (cursor - start)) / (end - start || 1);
  for (const line of $('plots').querySelectorAll('.cursor')) (line.setAttribute('x1', x), line.setAttribute('x2', x));
  $('time').value = cursor;
  $('now').textContent = `${cursor.toFixed(3)} of ${fitting(end - start)} s`;
};

/** The robot at a time of the motion: the row before, and a share of the next. */
const goTo = (t) => {
  const motion = motions[shown];
  if (!motion) return;
  const { rows: table, columns, start, end } = motion;
  cursor = Math.min(Math.max(t, start), end);
  const at = ((cursor - start) / (end - start || 1)) * (table.length - 1), n = Math.min(Math.floor(at), table.length - 2), s = at - n;
  const value = (name) => {
    const c = columns.indexOf(name);
    return table[n][c] + s * (table[n + 1][c] - table[n][c]);
  };
  for (const joint of robot.joints) {
    robot.q[joint.iq] = value(joint.name);
    ["'", "''", '^(3)'].forEach((end, k) => { robot.v[k * robot.model.nv + joint.iv] = value(joint.name + end); });
  }
  showTime();
  update();
};

const stop = () => {
  playing = 0;
  $('play').textContent = 'Play';
  $('play').setAttribute('aria-pressed', 'false');
};
const play = () => {
  if (playing) return stop();
  const { start, end } = motions[shown];
  let last = performance.now();
  const mine = (playing = last || 1);
  $('play').textContent = 'Pause';
  $('play').setAttribute('aria-pressed', 'true');
  if (cursor >= end) cursor = start;
  const frame = (now) => {
    if (playing !== mine) return;
    goTo(cursor + Math.max(now - last, 0) / 1000);
    last = now;
    if (cursor >= end) stop();
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return undefined;
};

// ---- the page

const openFiles = async (list) => {
  const files = {};
  for (const file of list) files[file.name] = new Uint8Array(await file.arrayBuffer());
  const name = Object.keys(files).find((x) => /\.(urdf|xacro|xml|mjcf|json)$/i.test(x)) ?? Object.keys(files)[0];
  if (!name) return;
  const before = robot;
  load(name, files);
  if (robot === before) return;
  const option = [...$('robot').options].find((o) => o.value === '') ?? $('robot').appendChild(element('option', { value: '' }));
  option.textContent = name;
  option.selected = true;
};

const choose = () => {
  const name = $('robot').value;
  if (name === 'arm.urdf') {
    const reach = JSON.parse($('reach').textContent);
    const names = ['turn', 'shoulder', 'elbow'];
    load(name, { 'arm.urdf': JSON.parse($('arm').textContent) },
      { times: reach.times, values: reach.times.map((_, n) => names.map((joint) => reach.joints[joint][n])) });
  } else if (name) load(name, {});
  else load(robot.name, robot.files);
};

const start = async () => {
  const packed = Uint8Array.from(atob($('wasm').textContent.trim()), (c) => c.charCodeAt(0));
  const wasm = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  program = await jounce({ wasm });
  $('version').textContent = program.version;
  const { models } = JSON.parse(program.run(['models', '--json']).stdout);
  $('robot').append(element('option', { value: 'arm.urdf' }, 'arm.urdf, an example'), ...models.map(({ name }) => element('option', { value: name }, name)));
  $('rows').append(...rows.map(({ name }, n) => {
    const input = element('input', { type: 'radio', name: 'row', value: n, checked: n === 0 });
    input.addEventListener('change', () => { setRow(n); update(); });
    return element('label', {}, input, name);
  }));
  $('robot').addEventListener('change', choose);
  $('fixed').addEventListener('change', choose);
  $('file').addEventListener('change', () => openFiles($('file').files));
  $('open').addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') (event.preventDefault(), $('file').click()); });
  $('still').addEventListener('click', () => { stop(); robot.v.fill(0); update(); });
  $('home').addEventListener('click', () => { stop(); robot.v.fill(0); robot.q.set(robot.model.home()); update(); });
  $('add').addEventListener('click', () => {
    const { times, values } = robot.waypoints;
    times.push(times[times.length - 1] + 1);
    values.push(robot.joints.map((joint) => robot.q[joint.iq]));
    makeWaypoints();
    plan();
  });
  $('retime').addEventListener('click', retime);
  $('play').addEventListener('click', play);
  $('time').addEventListener('input', () => { stop(); goTo(Number($('time').value)); });
  for (const [id, which] of [['as', 'planned'], ['fast', 'retimed']]) $(id).addEventListener('change', () => { stop(); shown = which; showPlots(); });
  const scene = $('scene');
  scene.addEventListener('pointerdown', (event) => scene.setPointerCapture(event.pointerId));
  scene.addEventListener('pointermove', (event) => event.buttons && turn(-0.01 * event.movementX, 0.01 * event.movementY));
  scene.addEventListener('wheel', (event) => { event.preventDefault(); zoom(Math.exp(-0.001 * event.deltaY)); }, { passive: false });
  scene.addEventListener('keydown', (event) => {
    const keys = { ArrowLeft: () => turn(0.1, 0), ArrowRight: () => turn(-0.1, 0), ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1), '+': () => zoom(1.15), '=': () => zoom(1.15), '-': () => zoom(1 / 1.15) };
    if (keys[event.key]) (event.preventDefault(), keys[event.key]());
  });
  for (const name of ['dragover', 'dragenter']) addEventListener(name, (event) => { event.preventDefault(); document.body.classList.add('drop'); });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('drop'); });
  addEventListener('drop', (event) => { event.preventDefault(); document.body.classList.remove('drop'); openFiles(event.dataTransfer.files); });
  addEventListener('resize', () => { draw(); const t = cursor; showPlots(); if (motions[shown]) (cursor = t), showTime(); });
  $('robot').value = 'arm.urdf';
  choose();
  goTo(0.6);
  document.body.dataset.ready = 'yes';
};

start().catch((error) => say(`The playground cannot start: ${error.message}`));
