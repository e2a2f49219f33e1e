// Forward kinematics of web/replay against that of the program, on random configurations, and a planted fault.
// usage: node kinematics.mjs PROGRAM FOLDER MODEL...
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { bodyPoses, framePose, rotate } from "../../web/replay/kinematics.js";

const [program, folder, ...models] = process.argv.slice(2), bound = 1e-9;
let seed = 12345;
const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648) * 2 - 1;

function sceneOf(model) {
  const page = folder + "/page.html";
  execFileSync(program, ["show", model, "--quiet", "--output", page]);
  return JSON.parse(/<section class="replay"[^]*?<script type="application\/json">([^]*?)<\/script>/.exec(readFileSync(page, "utf8"))[1]);
}

function randomConfiguration(scene) {
  const q = Array.from(scene.home, () => 2.5 * random());
  for (const { joint } of scene.bodies) {
    if (joint.nq === joint.nv) continue;
    const size = Math.hypot(...q.slice(joint.iq, joint.iq + 4));
    for (let k = 0; k < 4; k++) q[joint.iq + k] /= size;
  }
  return q;
}

// the largest difference of positions, relative to the robot's size, and of rotations
function compare(scene, q, links) {
  const poses = bodyPoses(scene, q);
  let worst = 0;
  for (const frame of scene.frames) {
    const C = framePose(scene, poses, frame), want = links[frame.name];
    const scale = Math.max(scene.size, 1, ...want.p.map(Math.abs));
    [0, 1, 2].forEach((i) => (worst = Math.max(worst, Math.abs(C[4 + i] - want.p[i]) / scale)));
    [0, 1, 2].forEach((j) => {
      const column = rotate(C, [0, 1, 2].map((k) => Number(k === j)));
      [0, 1, 2].forEach((i) => (worst = Math.max(worst, Math.abs(column[i] - want.R[i][j]))));
    });
  }
  return worst;
}

let failed = false;
for (const model of models) {
  const scene = sceneOf(model);
  let worst = 0, planted = Infinity;
  for (let n = 0; n < 3; n++) {
    const q = randomConfiguration(scene), state = folder + "/state.json";
    writeFileSync(state, JSON.stringify({ q, v: [scene.dofs.map(() => 0)] }));
    const text = execFileSync(program, ["fk", model, "--quiet", "--layout", "jounce", "--state", state, "--frames", "--open", "--format", "json"], { maxBuffer: 1 << 28 });
    const links = JSON.parse(text).links;
    worst = Math.max(worst, compare(scene, q, links));
    // a joint that is off by 1e-6 must be seen
    const moved = scene.bodies.find(({ joint }) => joint.nv && joint.nv === joint.nq);
    if (moved) planted = Math.min(planted, compare(scene, q.map((x, i) => (i === moved.joint.iq ? x + 1e-6 : x)), links));
  }
  const good = worst < bound && planted > bound;
  failed = failed || !good;
  console.log(`${good ? "ok  " : "FAILED"} ${model.replace(/.*\//, "")}: ${scene.frames.length} frames, worst ${worst.toExponential(1)}, planted ${planted.toExponential(1)}`);
}
process.exit(failed ? 1 : 0);
