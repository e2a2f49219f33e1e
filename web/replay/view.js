// The stage: renderer, camera, lights, ground, paths.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const directions = { corner: [1.1, -1.5, 0.85], front: [1, 0, 0.12], side: [0, -1, 0.12], top: [0.0001, 0, 1] };

export class View {
  constructor(canvas, box, size) {
    this.canvas = canvas;
    this.size = size;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.stage = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * size, 400 * size);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.redraw());
    this.controls.enableDamping = false;
    this.wait = false;
    this.setBox(box);
    this.light();
    this.look("corner");
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
    this.fit();
  }

  // box: [least, largest] corners of what is shown; the ground is at `floor`
  setBox({ least, largest, floor }) {
    this.centre = new THREE.Vector3(...least.map((x, i) => (x + largest[i]) / 2));
    this.radius = Math.max(0.5 * Math.hypot(...least.map((x, i) => largest[i] - x)), 0.3 * this.size);
    this.floor = floor;
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(...[0, 1, 2].map((i) => (k >> i & 1 ? largest[i] : least[i]))));
  }

  light() {
    this.stage.add(new THREE.HemisphereLight("#ffffff", "#a9b2bd", 2.4));
    const sun = new THREE.DirectionalLight("#fff6e8", 2.1), r = 1.7 * this.radius;
    sun.position.copy(this.centre).add(new THREE.Vector3(0.9, -1.2, 2.2).multiplyScalar(2 * this.radius));
    sun.target.position.copy(this.centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 8 * r });
    sun.shadow.bias = -0.0006;
    sun.shadow.normalBias = 0.004 * this.size;
    sun.shadow.radius = 5;
    this.stage.add(sun, sun.target);
    // squares of 1, 2 or 5 times a power of ten metres
    const wanted = this.radius / 3, power = 10 ** Math.floor(Math.log10(wanted));
    const step = power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1), cells = 2 * Math.ceil((2.4 * this.radius) / step);
    this.grid = new THREE.GridHelper(cells * step, cells, "#8793a1", "#c3cad3");
    this.grid.material.transparent = true;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const tint = () => ((this.grid.material.opacity = dark.matches ? 0.22 : 0.55), this.redraw());
    dark.addEventListener("change", tint);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.set(step * Math.round(this.centre.x / step), step * Math.round(this.centre.y / step), this.floor);
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(cells * step, cells * step), new THREE.ShadowMaterial({ opacity: 0.22 }));
    ground.position.copy(this.grid.position).setZ(this.floor - 0.001 * this.size);
    ground.receiveShadow = true;
    this.stage.add(this.grid, ground);
    tint();
  }

  look(name) {
    const d = new THREE.Vector3(...directions[name]).normalize();
    // as near as all corners of the box are in view
    const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * (this.camera.aspect || 1);
    const right = new THREE.Vector3(0, 0, 1).cross(d).normalize(), up = d.clone().cross(right);
    let distance = this.size;
    for (const corner of this.corners) {
      const x = corner.clone().sub(this.centre);
      distance = Math.max(distance, x.dot(d) + 1.08 * Math.max(Math.abs(x.dot(right)) / wide, Math.abs(x.dot(up)) / tall));
    }
    this.preset = name;
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(d, distance);
    this.controls.update();
    this.redraw();
  }

  // moves camera and target with a point of the robot
  follow(point) {
    const to = new THREE.Vector3(...point);
    if (this.last) {
      const d = to.clone().sub(this.last);
      this.camera.position.add(d);
      this.controls.target.add(d);
      this.controls.update();
    }
    this.last = to;
  }

  turn(angle, zoom) {
    const d = this.camera.position.clone().sub(this.controls.target);
    d.applyAxisAngle(new THREE.Vector3(0, 0, 1), angle).multiplyScalar(zoom);
    this.camera.position.copy(this.controls.target).add(d);
    this.controls.update();
    this.redraw();
  }

  fit() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (!w || !h) return;
    const first = !this.fitted;
    this.fitted = true;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (first || this.preset) this.look(this.preset || "corner");
    this.redraw();
  }

  redraw() {
    if (this.wait) return;
    this.wait = true;
    requestAnimationFrame(() => {
      this.wait = false;
      this.renderer.render(this.stage, this.camera);
    });
  }
}

// A path through points as a tube; show(n) draws its first n of `count` pieces.
export class Path {
  constructor(points, radius, colour) {
    const kept = points.filter((p, i) => i === 0 || Math.hypot(...p.map((x, k) => x - points[i - 1][k])) > 1e-9);
    this.object = new THREE.Group();
    if (kept.length < 2) return;
    const curve = new THREE.CatmullRomCurve3(kept.map((p) => new THREE.Vector3(...p)));
    curve.arcLengthDivisions = 2;
    curve.getPointAt = curve.getPoint; // pieces by parameter, not by length
    curve.getTangentAt = curve.getTangent;
    const geometry = new THREE.TubeGeometry(curve, Math.min(kept.length - 1, 600), radius, 6);
    const faint = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.25, depthWrite: false }));
    this.strong = new THREE.Mesh(geometry.clone(), new THREE.MeshBasicMaterial({ color: colour }));
    this.total = geometry.index.count;
    this.object.add(faint, this.strong);
  }

  show(share) {
    if (this.strong) this.strong.geometry.setDrawRange(0, 6 * Math.round((share * this.total) / 6));
  }
}
