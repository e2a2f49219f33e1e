// The robot as three.js objects: one group a body, with the shapes of the model file or, without them, capsules along the
// links and boxes of the same inertia.
import * as THREE from "three";
import { apply, framePose, multiply, rotate } from "./kinematics.js";
import { eigen, floats } from "./data.js";

const plain = new THREE.Color("#d3dbe3"), dark = new THREE.Color("#55616f");
const scale = [[0, "#c3d0dc"], [0.35, "#7fb069"], [0.7, "#f0b429"], [0.95, "#e0671a"], [1.0, "#c1121f"], [1.3, "#8a0010"]]
  .map(([at, colour]) => [at, new THREE.Color(colour)]);

// The colour of a used share of a limit.
export function shareColour(share) {
  const x = Math.max(0, Math.min(1.3, share));
  let i = 1;
  while (i < scale.length - 1 && scale[i][0] < x) i++;
  const [a, from] = scale[i - 1], [b, to] = scale[i];
  return from.clone().lerp(to, (x - a) / (b - a));
}

export function place(object, C) {
  object.quaternion.set(C[1], C[2], C[3], C[0]);
  object.position.set(C[4], C[5], C[6]);
  return object;
}

const vector = (x) => new THREE.Vector3(x[0], x[1], x[2]);
const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

// The point of a joint's axis next to the origin of its body's frame, in that frame.
function jointPoint(joint) {
  const S = joint.screws.find((s) => Math.hypot(s[0], s[1], s[2]) > 1e-9);
  if (!S || joint.type === "free") return [0, 0, 0];
  if (joint.type === "spherical") return [joint.screws[1][5], -joint.screws[0][5], joint.screws[0][4]];
  return [S[1] * S[5] - S[2] * S[4], S[2] * S[3] - S[0] * S[5], S[0] * S[4] - S[1] * S[3]];
}

function material(colour, opacity = 1) {
  return new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6, metalness: 0, transparent: opacity < 1, opacity });
}

function between(geometry, from, to) {
  const mesh = new THREE.Mesh(geometry);
  const direction = vector(to).sub(vector(from));
  mesh.position.copy(vector(from)).addScaledVector(direction, 0.5);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction.normalize());
  return mesh;
}

// Edges of the box with mass m and the given moments: m (a^2 + b^2) / 12.
function inertiaBox(body, size, most) {
  const { values, vectors } = eigen(body.inertia);
  const total = values[0] + values[1] + values[2];
  const edges = values.map((x) => Math.sqrt(Math.max(0, (6 * (total - 2 * x)) / Math.max(body.mass, 1e-12))));
  const box = new THREE.Mesh(new THREE.BoxGeometry(...edges.map((x) => Math.min(Math.max(x, 0.02 * size), most * size))));
  const basis = new THREE.Matrix4().makeBasis(...[0, 1, 2].map((k) => vector(vectors.map((row) => row[k]))));
  if (basis.determinant() < 0) basis.scale(new THREE.Vector3(1, 1, -1));
  box.quaternion.setFromRotationMatrix(basis);
  box.position.copy(vector(body.com));
  return box;
}

// Ends of the capsules of a body: joints of its children, else its frames, else the mirror image of its joint in the
// centre of mass.
function linkEnds(scene, i, start, size) {
  const body = scene.bodies[i];
  const ends = scene.bodies.filter((b) => b.parent === i && b.joint.type !== "free")
    .map((b) => apply(b.offset, jointPoint(b.joint)));
  if (ends.length) return ends;
  const frames = scene.frames.filter((f) => f.body === i).map((f) => f.pose.slice(4, 7))
    .filter((p) => far(p, start) > 0.02 * size);
  if (frames.length) return frames.sort((a, b) => far(b, start) - far(a, start)).slice(0, 1);
  const mirror = body.com.map((x, k) => 2 * x - start[k]);
  return body.mass > 0 && far(mirror, start) > 0.02 * size ? [mirror] : [];
}

function drawnLink(scene, i, size, group, painted) {
  const body = scene.bodies[i], joint = body.joint, start = jointPoint(joint);
  const floating = joint.type === "free", solid = body.mass > 0;
  const skin = material(plain), trim = material(dark);
  painted.push(skin);
  const ends = linkEnds(scene, i, start, size);
  const root = floating && solid ? body.com : start;
  let drawn = 0;
  for (const end of ends) {
    const length = far(root, end);
    if (length < 0.01 * size) continue;
    const radius = Math.min(Math.max(0.11 * length, 0.012 * size), 0.035 * size) * (floating ? 0.6 : 1);
    const link = between(new THREE.CapsuleGeometry(radius, length, 6, 20), root, end);
    link.material = skin;
    group.add(link);
    drawn++;
  }
  if (solid && (floating || drawn !== 1)) {
    const box = inertiaBox(body, size, drawn || floating ? 0.35 : 0.1);
    box.material = skin;
    group.add(box);
  }
  // the axis of the joint
  const S = joint.nv === 1 ? joint.screws[0] : null;
  if (S) {
    const turning = Math.hypot(S[0], S[1], S[2]) > 0.5, axis = turning ? S.slice(0, 3) : S.slice(3, 6), half = 0.041 * size;
    const from = start.map((x, k) => x - half * axis[k]), to = start.map((x, k) => x + half * axis[k]);
    const geometry = turning ? new THREE.CylinderGeometry(0.022 * size, 0.022 * size, 2 * half, 28)
      : new THREE.BoxGeometry(0.034 * size, 2 * half, 0.034 * size);
    const hub = between(geometry, from, to);
    hub.material = trim;
    group.add(hub);
  }
  if (joint.type === "spherical") {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.03 * size, 24, 16), trim);
    ball.position.copy(vector(start));
    group.add(ball);
  }
}

function geometryOf(scene, shape, meshes) {
  if (shape.kind === "box") return new THREE.BoxGeometry(...shape.size);
  if (shape.kind === "sphere") return new THREE.SphereGeometry(shape.size[0], 32, 20);
  if (shape.kind === "ellipsoid") return new THREE.SphereGeometry(1, 32, 20).scale(...shape.size);
  if (shape.kind === "capsule") return new THREE.CapsuleGeometry(shape.size[0], shape.size[1], 8, 28).rotateX(Math.PI / 2);
  if (shape.kind === "cylinder")
    return new THREE.CylinderGeometry(shape.size[0], shape.size[0], shape.size[1], 40).rotateX(Math.PI / 2);
  if (!meshes[shape.mesh]) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(floats(scene.meshes[shape.mesh].positions)), 3));
    geometry.computeVertexNormals();
    meshes[shape.mesh] = geometry;
  }
  return meshes[shape.mesh];
}

function rotorDisc(scene, rotor, size, group) {
  const centre = rotor.pose.slice(4, 7), hub = scene.bodies[0].mass > 0 ? scene.bodies[0].com : [0, 0, 0];
  const others = scene.rotors.map((r) => far(r.pose.slice(4, 7), centre)).filter((d) => d > 1e-9);
  const radius = Math.min(0.42 * Math.min(...others, size), 0.25 * size);
  if (far(hub, centre) > 1e-6) {
    const arm = between(new THREE.CapsuleGeometry(0.035 * radius + 0.006 * size, far(hub, centre), 4, 12), hub, centre);
    arm.material = material(dark);
    group.add(arm);
  }
  const disc = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 0.04 * radius, 40).rotateX(Math.PI / 2), material("#7aa6c2", 0.45));
  group.add(place(disc, rotor.pose));
}

export class Robot {
  constructor(scene) {
    this.scene = scene;
    this.root = new THREE.Group();
    this.size = Math.max(scene.size, 1e-3);
    this.bodies = scene.bodies.map(() => new THREE.Group());
    this.painted = scene.bodies.map(() => []);
    this.colours = scene.bodies.map(() => []);
    this.bodies.forEach((group) => this.root.add(group));
    this.fixed = new THREE.Group();
    this.root.add(this.fixed);
    this.frames = new THREE.Group();
    this.ellipsoids = new THREE.Group();
    this.axes = [];
    this.build();
    this.root.traverse((o) => {
      if (o.isMesh) o.castShadow = o.receiveShadow = !o.material.transparent;
    });
    this.addHelpers();
  }

  build() {
    const { scene } = this, meshes = [], shaped = new Set();
    for (const shape of scene.shapes) {
      shaped.add(shape.body);
      const colour = shape.colour ? new THREE.Color().setRGB(...shape.colour.slice(0, 3), THREE.SRGBColorSpace) : plain;
      const skin = material(colour, shape.colour ? shape.colour[3] : 1), mesh = new THREE.Mesh(geometryOf(scene, shape, meshes), skin);
      if (shape.kind === "mesh") mesh.scale.set(...shape.size), (skin.side = THREE.DoubleSide);
      (shape.body < 0 ? this.fixed : this.bodies[shape.body]).add(place(mesh, shape.pose));
      if (shape.body >= 0) this.painted[shape.body].push(skin);
    }
    // links without a shape are drawn where shapes are missing, or where most links have none; links with a lost mesh too
    const solid = scene.bodies.filter((body) => body.mass > 0).length;
    const sparse = scene.missing || 2 * scene.bodies.filter((body, i) => body.mass > 0 && shaped.has(i)).length < solid;
    scene.bodies.forEach((body, i) => {
      const bare = (sparse && !shaped.has(i)) || scene.lost.includes(i);
      if (bare && !(body.parent < 0 && body.joint.type === "fixed" && !(body.mass > 0)))
        drawnLink(scene, i, this.size, this.bodies[i], this.painted[i]);
      this.colours[i] = this.painted[i].map((skin) => skin.color.clone());
    });
    if (!scene.shapes.length) scene.rotors.forEach((rotor) => rotorDisc(scene, rotor, this.size, this.bodies[0]));
  }

  addHelpers() {
    const { scene, size } = this;
    scene.frames.forEach((frame) => {
      const axes = new THREE.AxesHelper((frame.link ? 0.09 : 0.06) * size);
      axes.material.depthTest = false;
      axes.renderOrder = 2;
      this.axes.push(axes);
      this.frames.add(axes);
    });
    this.solids = scene.bodies.map((body) => {
      if (!(body.mass > 0)) return null;
      // the solid ellipsoid of this inertia: semi-axes a^2 = 5 (I_b + I_c - I_a) / (2 m)
      const { values, vectors } = eigen(body.inertia), total = values[0] + values[1] + values[2];
      const half = values.map((x) => Math.sqrt(Math.max(0, (2.5 * (total - 2 * x)) / body.mass)));
      const solid = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), material("#cc79a7", 0.5));
      const basis = new THREE.Matrix4().makeBasis(...[0, 1, 2].map((k) => vector(vectors.map((row) => row[k]))));
      if (basis.determinant() < 0) basis.scale(new THREE.Vector3(1, 1, -1));
      solid.quaternion.setFromRotationMatrix(basis);
      solid.position.copy(vector(body.com));
      solid.scale.set(...half.map((x) => Math.max(x, 0.002 * size)));
      solid.material.depthTest = false;
      solid.renderOrder = 1;
      const holder = new THREE.Group();
      holder.add(solid);
      this.ellipsoids.add(holder);
      return holder;
    });
    this.frames.visible = this.ellipsoids.visible = false;
    this.root.add(this.frames, this.ellipsoids);
  }

  setPoses(poses) {
    this.poses = poses;
    poses.forEach((C, i) => {
      place(this.bodies[i], C);
      if (this.solids[i]) place(this.solids[i], C);
    });
    this.scene.frames.forEach((frame, i) => place(this.axes[i], framePose(this.scene, poses, frame)));
  }

  // shares[body]: used share of a limit, or null: its own colour
  setShares(shares) {
    this.painted.forEach((skins, i) => skins.forEach((skin, k) => {
      const share = shares && shares[i];
      skin.color.copy(share == null ? this.colours[i][k] : shareColour(share));
      skin.emissive.copy(share > 1 ? shareColour(share) : new THREE.Color(0)).multiplyScalar(0.35);
    }));
  }

  // in the world at these poses: a point given in the frame of a body
  static point(poses, body, x) {
    return body < 0 ? x : apply(poses[body], x);
  }
}

// An arrow from the origin along y with length 1 and the given radius.
export class Arrow extends THREE.Group {
  constructor(colour, radius) {
    super();
    const skin = material(colour);
    skin.emissive = new THREE.Color(colour).multiplyScalar(0.3);
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 14).translate(0, 0.5, 0), skin);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * radius, 6 * radius, 20).translate(0, 3 * radius, 0), skin);
    this.tip = 6 * radius;
    skin.depthTest = false; // seen through the links
    this.shaft.renderOrder = this.head.renderOrder = 3;
    this.add(this.shaft, this.head);
  }

  set(from, along) {
    const length = Math.hypot(...along);
    this.visible = length > 0.2 * this.tip;
    if (!this.visible) return;
    const shaft = Math.max(length - this.tip, 0.001 * this.tip);
    this.position.set(...from);
    this.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...along).normalize());
    this.shaft.scale.set(1, shaft, 1);
    this.head.position.set(0, shaft, 0);
  }
}

export { multiply, rotate };
