// The 3D scene of a page: <section class="replay"> holds the JSON of cli/page/scene.c, which report.js has read.
import { Robot, Arrow, shareColour } from "./robot.js";
import { Path, View } from "./view.js";
import { apply, between, bodyPoses, framePose, multiply } from "./kinematics.js";
import { doubles, floats, locate } from "./data.js";
import * as THREE from "three";

const words = { position: "position range", velocity: "velocity", acceleration: "acceleration", jerk: "jerk", effort: "torque", effort_rate: "torque rate", power: "power" };
const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
const short = (x, n = 4) => String(Number(x.toPrecision(n)));

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function readScene() {
  const scene = window.jounce.scene, r = scene.replay; // parsed by report.js
  if (r) {
    r.t = doubles(r.t), r.q = doubles(r.q), r.com = floats(r.com);
    for (const use of r.uses) use.data = floats(use.data);
    if (r.forces) r.forces = floats(r.forces);
    if (r.thrusts) r.thrusts = floats(r.thrusts);
    r.row = (n) => r.q.subarray(n * scene.home.length, (n + 1) * scene.home.length);
  }
  return scene;
}

// The frame whose path is drawn: the tool, or the frame furthest along the tree.
function toolOf(scene) {
  if (scene.tool != null) return scene.frames[scene.tool];
  const depth = scene.bodies.map(() => 0);
  scene.bodies.forEach((body, i) => (depth[i] = body.parent < 0 ? 0 : depth[body.parent] + 1));
  const rank = (f) => (f.body < 0 ? -1 : depth[f.body]) + (f.pose.slice(4).some((x) => x) ? 0.5 : 0);
  return scene.frames.reduce((best, f) => (!best || rank(f) > rank(best) ? f : best), null);
}

// Corners of what the robot fills during the motion, and the ground: the lowest point, or 0 if the robot stands there.
function boxOf(scene, robot, rows) {
  const least = [Infinity, Infinity, Infinity], largest = [-Infinity, -Infinity, -Infinity], margin = 0.02 * scene.size;
  const take = (p) => p.forEach((x, i) => {
    least[i] = Math.min(least[i], x - margin);
    largest[i] = Math.max(largest[i], x + margin);
  });
  rows.forEach((q, n) => {
    const poses = bodyPoses(scene, q);
    poses.forEach((C) => take(C.slice(4, 7)));
    if (n % 8 === 0) {
      robot.setPoses(poses);
      for (const group of [...robot.bodies, robot.fixed]) {
        const box = new THREE.Box3().setFromObject(group);
        if (!box.isEmpty()) take(box.min.toArray()), take(box.max.toArray());
      }
    }
    scene.bodies.forEach((body, i) => body.mass > 0 && take(apply(poses[i], body.com)));
    scene.frames.forEach((frame) => take(framePose(scene, poses, frame).slice(4, 7)));
    scene.rotors.forEach((rotor) => take(apply(poses[0], rotor.pose.slice(4, 7))));
  });
  const standing = scene.bodies[0].joint.type !== "free" && least[2] > -0.3 * scene.size;
  return { least, largest, floor: standing ? Math.min(0, least[2]) : least[2] };
}

class Replay {
  constructor(section) {
    this.section = section;
    this.scene = readScene();
    this.motion = this.scene.replay || null;
    this.t = this.motion ? this.motion.t[0] : 0;
    this.end = this.motion ? this.motion.t[this.motion.rows - 1] : 0;
    this.start = this.t;
    this.q = Array.from(this.motion ? this.motion.row(0) : this.scene.home);
    this.speed = 1;
    this.playing = false;
    this.limbs = window.jounce.limbs;
    this.tool = toolOf(this.scene);
    this.buildStage();
    this.buildControls();
    this.update();
    this.say();
    const clock = window.jounce;
    if (!clock || !this.motion) return;
    const follow = (t) => this.seek(t, true);
    follow.owner = this;
    clock.listen(follow);
  }

  buildStage() {
    const { scene } = this, kind = this.motion ? "motion" : "posture";
    this.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `3D view of ${scene.name}, ${scene.bodies.length} bodies: its ${kind}. Values are in the table below.` });
    this.badge = make("div", { class: "badge", "aria-hidden": "true" });
    this.stage = make("div", { class: "stage" }, this.canvas, this.badge);
    this.section.prepend(this.stage);
    const sampled = this.motion ? Array.from({ length: 41 }, (_, i) => this.motion.row(Math.round((i * (this.motion.rows - 1)) / 40))) : [scene.home];
    this.robot = new Robot(scene);
    this.view = new View(this.canvas, boxOf(scene, this.robot, sampled), this.robot.size);
    this.view.stage.add(this.robot.root);
    this.addPaths();
    this.addArrows();
    if (scene.target) {
      const axes = new THREE.AxesHelper(0.16 * scene.size);
      axes.quaternion.set(scene.target[1], scene.target[2], scene.target[3], scene.target[0]);
      axes.position.set(...scene.target.slice(4));
      this.view.stage.add(axes);
    }
  }

  addPaths() {
    const r = this.motion, { scene } = this;
    this.paths = {};
    if (!r || r.rows < 3) return;
    const rows = Array.from({ length: Math.min(r.rows, 400) }, (_, i, n) => Math.round((i * (r.rows - 1)) / (Math.min(r.rows, 400) - 1)));
    const radius = Math.max(0.004 * this.robot.size, 0.0035 * this.view.radius);
    if (this.tool) this.paths.tool = new Path(rows.map((n) => framePose(scene, bodyPoses(scene, r.row(n)), this.tool).slice(4, 7)), radius, "#0072b2");
    this.paths.com = new Path(rows.map((n) => Array.from(r.com.subarray(3 * n, 3 * n + 3))), radius, "#d55e00");
    for (const path of Object.values(this.paths)) this.view.stage.add(path.object);
  }

  addArrows() {
    const r = this.motion, { scene } = this;
    this.arrows = [];
    this.arrowGroup = new THREE.Group();
    this.view.stage.add(this.arrowGroup);
    if (!r) return;
    const add = (name, colour, data, width, index, body, vectorOf) => {
      const arrow = new Arrow(colour, 0.012 * this.robot.size);
      this.arrowGroup.add(arrow);
      this.arrows.push({ name, arrow, data, width, index, body, vectorOf });
    };
    const most = (data) => data.reduce((a, x) => Math.max(a, Math.abs(x)), 0) || 1;
    if (r.forces) {
      const scale = (0.4 * this.robot.size) / most(r.forces);
      scene.constraints.forEach((c, i) => c.placed && add(c.name, "#009e73", r.forces, 3, i, c, (f) => ({ along: f.map((x) => x * scale), size: Math.hypot(...f) })));
      this.constraintCount = scene.constraints.length;
    }
    if (r.thrusts) {
      const scale = (0.6 * this.robot.size) / most(r.thrusts);
      scene.rotors.forEach((rotor, i) => add(rotor.name, "#cc3d8f", r.thrusts, 1, i, { body: 0, pose: rotor.pose }, (f, C) => {
        const z = apply(C, [0, 0, 1]).map((x, k) => (x - C[4 + k]) * f[0] * scale);
        return { along: z, size: Math.abs(f[0]) };
      }));
    }
  }

  // Controls.

  button(text, label, action, pressed) {
    return make("button", { type: "button", title: label, "aria-label": label, "aria-pressed": pressed == null ? null : String(pressed), onclick: action }, text);
  }

  check(text, on, action) {
    const box = make("input", { type: "checkbox", onchange: (e) => (action(e.target.checked), this.view.redraw()) });
    box.checked = on;
    return make("label", { class: "check" }, box, text);
  }

  buildControls() {
    const bars = [];
    if (this.motion && this.motion.rows > 1) bars.push(this.timeBar());
    if (this.motion && this.motion.uses.length) bars.push(this.colourBar());
    bars.push(this.viewBar());
    this.status = make("p", { class: "status", "aria-live": "polite" });
    if (this.motion && this.motion.rows > 1) this.stage.after(...bars, this.status);
    else {
      // sliders beside the scene, which stays in sight
      const scene = make("div", { class: "scene" });
      this.stage.before(make("div", { class: "beside" }, scene, this.sliders()));
      scene.append(this.stage, ...bars, this.status);
    }
    this.table = make("details", { class: "values" }, make("summary", {}, "Joints at this instant, as a table"), make("div", { class: "table" }));
    this.table.addEventListener("toggle", () => this.fillTable());
    this.section.append(this.table);
    document.addEventListener("keydown", (e) => this.key(e));
  }

  timeBar() {
    this.playButton = this.button("\u25b6", "Play (space)", () => this.toggle());
    this.playButton.classList.add("play");
    this.slider = make("input", { type: "range", min: this.start, max: this.end, step: "any", value: this.start, "aria-label": "time in seconds", class: "time" });
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.clockText = make("output", { class: "clock" });
    this.speedBox = make("select", { "aria-label": "play speed", onchange: (e) => (this.speed = Number(e.target.value)) }, ...speeds.map((x) => make("option", { value: x, selected: x === 1 }, x + "\u00d7")));
    return make("div", { class: "bar" }, this.playButton, this.slider, this.clockText, this.speedBox);
  }

  colourBar() {
    const uses = this.motion.uses;
    // first a limit that is broken, then what has limits and is used, then what is relative to its largest value
    const most = (u) => (u.relative ? 0 : u.data.reduce((a, x) => Math.max(a, x), 0));
    const rank = (u) => most(u) > 1 + 1e-6 ? -most(u) : ["effort", "effort_rate", "velocity", "power", "acceleration", "jerk", "position"].indexOf(u.name) + (u.relative ? 10 : 0) + (u.data.some((x) => x > 0) ? 0 : 100);
    const first = uses.reduce((best, u, i) => (rank(u) < rank(uses[best]) ? i : best), 0);
    this.colourBox = make("select", { "aria-label": "what the links are coloured by", onchange: () => this.update() },
      make("option", { value: -1 }, "as they are"),
      ...uses.map((u, i) => make("option", { value: i, selected: i === first }, words[u.name] + (u.relative ? " / its largest" : " / limit"))));
    const stops = Array.from({ length: 14 }, (_, i) => shareColour((i * 1.3) / 13).getStyle() + " " + (i * 100) / 13 + "%");
    this.scaleBar = make("span", { class: "scale", "aria-hidden": "true" }, make("i", { style: `background:linear-gradient(90deg,${stops.join(",")})` }),
      make("small", {}, make("span", {}, "0"), make("span", { class: "one" }, "100 %")));
    return make("div", { class: "bar" }, make("label", {}, "Colour: ", this.colourBox), this.scaleBar);
  }

  viewBar() {
    const bar = make("div", { class: "bar" });
    const cameras = make("span", { class: "group", role: "group", "aria-label": "camera" });
    [["corner", "Corner"], ["front", "Front"], ["side", "Side"], ["top", "Top"]].forEach(([name, text], i) =>
      cameras.append(this.button(text, `Camera: ${name} (${i + 1})`, () => this.view.look(name))));
    bar.append(cameras);
    if (this.motion && this.scene.bodies[0].joint.type === "free")
      bar.append(this.check("follow", false, (on) => ((this.following = on), (this.view.last = null), this.update())));
    if (this.paths.tool) bar.append(this.check("path of " + this.tool.name, true, (on) => (this.paths.tool.object.visible = on)));
    if (this.paths.com) bar.append(this.check("centre of mass", this.scene.bodies[0].joint.type === "free", (on) => (this.paths.com.object.visible = on)));
    if (this.paths.com) this.paths.com.object.visible = this.scene.bodies[0].joint.type === "free";
    if (this.arrows.length) bar.append(this.check("forces", true, (on) => (this.arrowGroup.visible = on)));
    bar.append(this.check("frames", false, (on) => (this.robot.frames.visible = on)),
      this.check("inertia", false, (on) => {
        this.robot.ellipsoids.visible = on;
        this.robot.painted.flat().forEach((skin) => {
          skin.transparent = on;
          skin.opacity = on ? 0.45 : 1;
          skin.needsUpdate = true;
        });
      }));
    return bar;
  }

  // Sliders for every joint that moves, grouped by limb.
  sliders() {
    const { scene } = this, box = make("div", { class: "sliders" });
    const search = make("input", { type: "search", placeholder: "find a joint", "aria-label": "find a joint" });
    const groups = new Map();
    this.sliderInputs = [];
    scene.bodies.forEach((body, i) => {
      const { joint } = body;
      if (!joint.nv) return;
      const limb = this.limbs[i];
      if (!groups.has(limb)) groups.set(limb, make("fieldset", {}, make("legend", {}, limb)));
      if (joint.nq === joint.nv) for (let c = 0; c < joint.nq; c++) groups.get(limb).append(this.slide(body, c));
      else groups.get(limb).append(...this.turnSlides(body));
    });
    search.addEventListener("input", () => {
      const text = search.value.toLowerCase();
      box.querySelectorAll(".slide").forEach((row) => (row.hidden = !row.dataset.name.toLowerCase().includes(text)));
      box.querySelectorAll("fieldset").forEach((set) => (set.hidden = ![...set.querySelectorAll(".slide")].some((row) => !row.hidden)));
    });
    const reset = this.button("Back to the start", "All joints back to where they were", () => this.setConfiguration(scene.home));
    box.append(make("div", { class: "bar" }, search, reset), make("p", { class: "note" }, "A link turns red where its joint reaches the end of its range."), ...groups.values());
    return box;
  }

  slide(body, c) {
    const { joint } = body, name = this.scene.dofs[joint.iv + c], length = joint.lengths[c], unit = length ? "m" : "rad";
    const known = joint.nv === 1 && joint.lower != null && joint.upper != null && joint.upper > joint.lower;
    const range = known ? [joint.lower, joint.upper] : length ? [-0.5 * this.scene.size, 0.5 * this.scene.size] : [-Math.PI, Math.PI];
    return this.slideRow(name, range, unit, known ? `limits ${short(range[0])} \u2026 ${short(range[1])} ${unit}` : "no limits", () => this.q[joint.iq + c], (x) => (this.q[joint.iq + c] = x));
  }

  // a rotation by a rotation vector; a free joint by its position as well
  turnSlides(body) {
    const { joint } = body, rows = [], at = joint.iq, start = this.scene.home.slice(at, at + joint.nq);
    const angle = [0, 0, 0];
    ["x", "y", "z"].forEach((axis, c) => rows.push(this.slideRow(`${joint.name}: turn ${axis}`, [-Math.PI, Math.PI], "rad", "rotation vector", () => angle[c], (x) => {
      angle[c] = x;
      const size = Math.hypot(...angle), s = size > 0 ? Math.sin(size / 2) / size : 0.5;
      const r = multiply([Math.cos(size / 2), ...angle.map((a) => s * a), 0, 0, 0], [...start.slice(0, 4), 0, 0, 0]);
      for (let k = 0; k < 4; k++) this.q[at + k] = r[k];
    }, () => angle.fill(0))));
    if (joint.nq === 7)
      ["x", "y", "z"].forEach((axis, c) => {
        const centre = start[4 + c], reach = Math.max(this.scene.size, 0.1);
        rows.push(this.slideRow(`${joint.name}: ${axis}`, [centre - reach, centre + reach], "m", "position", () => this.q[at + 4 + c], (x) => (this.q[at + 4 + c] = x)));
      });
    return rows;
  }

  slideRow(name, range, unit, note, get, set, reset) {
    const input = make("input", { type: "range", min: range[0], max: range[1], step: (range[1] - range[0]) / 1000, "aria-label": `${name} in ${unit}, ${note}` });
    const value = make("output", {});
    const show = () => ((input.value = get()), (value.textContent = `${short(get(), 3)} ${unit}`));
    input.addEventListener("input", () => {
      set(Number(input.value));
      value.textContent = `${short(Number(input.value), 3)} ${unit}`;
      this.update();
    });
    this.sliderInputs.push({ show, reset });
    show();
    return make("label", { class: "slide", "data-name": name, title: note }, make("span", {}, name), input, value);
  }

  setConfiguration(q) {
    this.q = Array.from(q);
    this.sliderInputs.forEach((s) => s.reset && s.reset());
    this.sliderInputs.forEach((s) => s.show());
    this.update();
  }

  // Time.

  toggle() {
    this.playing = !this.playing;
    this.playButton.textContent = this.playing ? "\u275a\u275a" : "\u25b6";
    this.playButton.setAttribute("aria-label", this.playing ? "Pause (space)" : "Play (space)");
    if (!this.playing) return this.say();
    if (this.t >= this.end) this.t = this.start;
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const t = this.t + (this.speed * (now - last)) / 1000;
      last = now;
      this.seek(Math.min(t, this.end));
      if (t >= this.end) this.toggle();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  seek(t, quiet) {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.update();
    if (!quiet && window.jounce) window.jounce.seek(this.t, this);
    if (!this.playing) this.say();
  }

  key(e) {
    const within = this.section.contains(document.activeElement) || document.activeElement === document.body;
    if (!within || e.ctrlKey || e.metaKey || e.altKey) return;
    const tag = document.activeElement.tagName, type = document.activeElement.type;
    const typing = type === "search" || tag === "SELECT" || tag === "TEXTAREA";
    if (typing || (e.key === " " && (tag === "BUTTON" || tag === "SUMMARY" || type === "checkbox"))) return;
    const onRange = type === "range", step = (this.end - this.start) / (e.shiftKey ? 1000 : 100);
    const cameras = { 1: "corner", 2: "front", 3: "side", 4: "top" };
    if (e.key in cameras) this.view.look(cameras[e.key]);
    else if (e.key === "[" || e.key === "]") this.view.turn(e.key === "[" ? -0.15 : 0.15, 1);
    else if (e.key === "-" || e.key === "+" || e.key === "=") this.view.turn(0, e.key === "-" ? 1.1 : 1 / 1.1);
    else if (!this.slider) return;
    else if (e.key === " ") this.toggle();
    else if (e.key === "ArrowLeft" && !onRange) this.seek(this.t - step);
    else if (e.key === "ArrowRight" && !onRange) this.seek(this.t + step);
    else if (e.key === "Home" && !onRange) this.seek(this.start);
    else if (e.key === "End" && !onRange) this.seek(this.end);
    else if (e.key === "," || e.key === ".") {
      const i = Math.min(Math.max(speeds.indexOf(this.speed) + (e.key === "," ? -1 : 1), 0), speeds.length - 1);
      this.speed = speeds[i];
      this.speedBox.value = speeds[i];
    } else return;
    e.preventDefault();
  }

  // Everything at the present time and configuration.
  update() {
    const { scene, motion: r } = this, still = !this.slider;
    let n = 0, s = 0;
    if (r && !still) {
      [n, s] = locate(r.t, this.t);
      this.q = between(scene, r.row(n), r.row(Math.min(n + 1, r.rows - 1)), s);
      this.slider.value = this.t;
      this.slider.setAttribute("aria-valuetext", `${short(this.t)} s`);
      this.clockText.textContent = `${this.t.toFixed(2)} s`;
    }
    this.at = [n, s];
    this.poses = bodyPoses(scene, this.q);
    this.robot.setPoses(this.poses);
    this.shares = still ? this.rangeShares() : this.sharesAt(n, s);
    this.robot.setShares(this.shares);
    const share = this.end > this.start ? (this.t - this.start) / (this.end - this.start) : 1;
    for (const path of Object.values(this.paths)) path.show(share);
    this.moveArrows(n, s);
    if (this.following) this.view.follow(this.poses[0].slice(4, 7));
    if (this.table && this.table.open) this.fillTable();
    if (still && this.status) this.say();
    this.view.redraw();
  }

  valueAt(data, width, index, n, s) {
    const rows = this.motion.rows, a = data[n * width + index], b = data[Math.min(n + 1, rows - 1) * width + index];
    return a + s * (b - a);
  }

  // per body, the largest share of its joint; null: the colour of the model
  sharesAt(n, s) {
    const use = this.colourBox ? this.motion.uses[Number(this.colourBox.value)] : null;
    if (this.scaleBar) this.scaleBar.hidden = !use;
    if (!use) return null;
    const nv = this.scene.dofs.length;
    return this.scene.bodies.map(({ joint }) => {
      let most = 0;
      for (let c = 0; c < joint.nv; c++) most = Math.max(most, this.valueAt(use.data, nv, joint.iv + c, n, s));
      return most;
    });
  }

  // without a motion: how near a joint is to the ends of its range
  rangeShares() {
    return this.scene.bodies.map(({ joint }) => {
      if (joint.nv !== 1 || joint.lower == null || joint.upper == null || !(joint.upper > joint.lower)) return null;
      const share = Math.abs((2 * (this.q[joint.iq] - joint.lower)) / (joint.upper - joint.lower) - 1);
      return share > 0.9 ? share : null;
    });
  }

  moveArrows(n, s) {
    for (const a of this.arrows) {
      const C = multiply(a.body.body < 0 ? [1, 0, 0, 0, 0, 0, 0] : this.poses[a.body.body], a.body.pose);
      const count = a.width === 3 ? this.scene.constraints.length : this.scene.rotors.length, f = [];
      for (let k = 0; k < a.width; k++) f.push(this.valueAt(a.data, count * a.width, a.index * a.width + k, n, s));
      const { along, size } = a.vectorOf(f, C);
      a.size = size;
      a.arrow.set(C.slice(4, 7), along);
    }
  }

  say() {
    if (!this.status) return;
    const use = this.colourBox ? this.motion.uses[Number(this.colourBox.value)] : null;
    let text = this.slider ? `t = ${short(this.t)} s. ` : "";
    if (use && this.shares) {
      const i = this.shares.reduce((best, x, k) => (x > this.shares[best] ? k : best), 0), { joint } = this.scene.bodies[i];
      if (this.shares[i] > 0)
        text += `Largest share: ${joint.name}, ${short(100 * this.shares[i], 3)} % of ${use.relative ? "the largest " + words[use.name] + " of this motion" : "its " + words[use.name] + (use.name === "position" ? "" : " limit")}. `;
    } else if (this.tool) {
      const p = framePose(this.scene, this.poses, this.tool).slice(4, 7);
      text += `${this.tool.name} at x ${short(p[0])}, y ${short(p[1])}, z ${short(p[2])} m.`;
    }
    this.status.textContent = text;
  }

  fillTable() {
    if (!this.table.open) return;
    const { scene } = this, [n, s] = this.at, nv = scene.dofs.length, uses = this.motion ? this.motion.uses : [];
    const head = make("tr", {}, ...["joint", "position", ...uses.map((u) => words[u.name] + (u.relative ? " / largest" : " / limit"))].map((x) => make("th", { scope: "col" }, x)));
    const rows = [];
    scene.bodies.forEach(({ joint }) => {
      for (let c = 0; c < joint.nv && joint.nq === joint.nv; c++)
        rows.push(make("tr", {}, make("th", { scope: "row" }, scene.dofs[joint.iv + c]),
          make("td", {}, short(this.q[joint.iq + c]) + (joint.lengths[c] ? " m" : " rad")),
          ...uses.map((u) => make("td", {}, short(100 * this.valueAt(u.data, nv, joint.iv + c, n, s), 3) + " %"))));
    });
    this.arrows.forEach((a) => rows.push(make("tr", {}, make("th", { scope: "row" }, "force: " + a.name), make("td", {}, short(a.size) + " N"))));
    this.table.querySelector(".table").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  }
}

for (const section of document.querySelectorAll("section.replay")) {
  try {
    section.replay = new Replay(section);
    document.body.classList.add("with-replay");
  } catch (error) {
    section.querySelectorAll(".stage,.bar").forEach((x) => x.remove());
    section.append(make("p", {}, make("b", {}, "The 3D view needs WebGL, which this browser does not offer. "), "Figures and tables are complete without it."));
    if (!/WebGL/i.test(String(error))) throw error;
  }
}
