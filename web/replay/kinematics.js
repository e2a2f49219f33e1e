// Forward kinematics of the tree that cli/page/scene.c writes. A pose is [w, x, y, z, px, py, pz]: unit quaternion and position.

export const identity = () => [1, 0, 0, 0, 0, 0, 0];

export function multiplyQuaternions(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// R x = x + 2 w (u x x) + 2 u x (u x x), u the vector part
export function rotate(r, x) {
  const u = [r[1], r[2], r[3]], a = cross(u, x), b = cross(u, a);
  return [0, 1, 2].map((i) => x[i] + 2 * (r[0] * a[i] + b[i]));
}

export const apply = (C, x) => rotate(C, x).map((y, i) => y + C[4 + i]);

export const multiply = (A, B) => multiplyQuaternions(A, B).concat(apply(A, [B[4], B[5], B[6]]));

export function unit(r) {
  const size = Math.hypot(r[0], r[1], r[2], r[3]);
  return size > 0 ? [r[0] / size, r[1] / size, r[2] / size, r[3] / size] : [1, 0, 0, 0];
}

// exp of q times a joint screw (w, v), |w| = 1 or 0:
//   R = exp(q w^),  p = (1 - R)(w x v) + q (w.v) w;  without rotation p = q v
export function exponential(screw, q) {
  const w = screw.slice(0, 3), v = screw.slice(3, 6), size = Math.hypot(w[0], w[1], w[2]);
  if (size < 1e-12) return [1, 0, 0, 0, q * v[0], q * v[1], q * v[2]];
  const s = Math.sin((q * size) / 2) / size, r = [Math.cos((q * size) / 2), s * w[0], s * w[1], s * w[2]];
  const c = cross(w, v).map((x) => x / (size * size)), moved = rotate(r, c);
  const along = (q * (w[0] * v[0] + w[1] * v[1] + w[2] * v[2])) / (size * size);
  return r.concat([0, 1, 2].map((i) => c[i] - moved[i] + along * w[i]));
}

// The motion of a joint: the pose of its body relative to the pose at zero, in the frame at zero.
export function jointPose(joint, q) {
  const at = Array.from(q.slice(joint.iq, joint.iq + joint.nq));
  if (joint.type === "free") return unit(at).concat(at.slice(4, 7));
  if (joint.type === "spherical") {
    // the centre c, from the screws (e, c x e)
    const S = joint.screws, r = unit(at), c = [S[1][5], -S[0][5], S[0][4]], moved = rotate(r, c);
    return r.concat([0, 1, 2].map((i) => c[i] - moved[i]));
  }
  return joint.screws.reduce((C, screw, i) => multiply(C, exponential(screw, at[i])), identity());
}

// Poses of all bodies in the world.
export function bodyPoses(scene, q) {
  const poses = [];
  for (const body of scene.bodies) {
    const C = multiply(body.offset, jointPose(body.joint, q));
    poses.push(body.parent < 0 ? C : multiply(poses[body.parent], C));
  }
  return poses;
}

export const framePose = (scene, poses, frame) =>
  frame.body < 0 ? frame.pose : multiply(poses[frame.body], frame.pose);

// Between two configurations: linear, quaternions along the shorter arc.
export function between(scene, a, b, s) {
  const q = Array.from(a, (x, i) => x + s * (b[i] - x));
  for (const { joint } of scene.bodies) {
    if (joint.nq === joint.nv) continue;
    const i = joint.iq;
    let dot = 0;
    for (let k = 0; k < 4; k++) dot += a[i + k] * b[i + k];
    const r = unit([0, 1, 2, 3].map((k) => (1 - s) * a[i + k] + (dot < 0 ? -s : s) * b[i + k]));
    for (let k = 0; k < 4; k++) q[i + k] = r[k];
  }
  return q;
}
