/** Rigid-body dynamics of robots with time derivatives of any order: the program and direct calls, in node (18 or later) and
 * browsers. Nothing is sent anywhere; files are in memory. Same numbers as the native program with JOUNCE_STRICT=1, to the
 * last bit. */

/** Contents of files by name: `{ 'arm.urdf': '<robot ...>', 'meshes/a.stl': bytes }`. */
export type Files = Record<string, string | Uint8Array | ArrayBuffer>;

export interface RunOptions {
  /** What `-` reads. */
  stdin?: string | Uint8Array;
  /** Environment variables: `{ JOUNCE_MAX_FILE: '256' }`. */
  env?: Record<string, string>;
}

export interface RunResult {
  /** 0 done, 1 the input is at fault, 2 wrong usage, 3 a check failed, 134 stopped (out of memory). */
  code: number;
  stdout: string;
  /** For `--format npy` without `--output`. */
  stdoutBytes: Uint8Array;
  stderr: string;
  /** The files that were written, by name. */
  files: Record<string, Uint8Array>;
}

/** How the twist and wrench of a floating base, and the twists of frames, are written (docs/conventions.md). */
export type Representation = 'spatial' | 'body' | 'hybrid' | 'mixed';

export interface LoadOptions {
  /** The model file, and the files that it includes. */
  files?: Files;
  /** Fix the root link or let it float, whatever the file says. */
  root?: 'as given' | 'fixed' | 'floating';
  /** The highest order of the calls; default 1. */
  order?: number;
  representation?: Representation;
  /** Include the viscous joint damping of the file. */
  damping?: boolean;
  /** Leave out the constraints of the model; without it a model with constraints is refused: use `run`. */
  open?: boolean;
}

export interface JointLimits {
  lower?: number;
  upper?: number;
  velocity?: number;
  effort?: number;
  acceleration?: number;
  jerk?: number;
  effort_rate?: number;
}

export interface Joint {
  name: string;
  type: string;
  /** Links; null: the world. */
  parent: string | null;
  child: string;
  nq: number;
  nv: number;
  limits: JointLimits;
  armature?: number;
  damping?: number;
  friction?: number;
  passive?: boolean;
  mimic?: { joint: string; multiplier: number; offset: number };
}

/** What `jounce info MODEL --json` writes. */
export interface Info {
  name: string;
  mass: number;
  moving_mass: number;
  bodies: number;
  dofs: number;
  nq: number;
  floating: boolean;
  gravity: [number, number, number];
  links: { name: string; body: string | null; mass: number }[];
  joints: Joint[];
  frames: { name: string; body: string | null }[];
}

/** A model with memory for its calls. Arrays are order-major: row k is the k-th derivative. `out`, where given, receives the
 * result and is returned; otherwise the result is a new array. A wrong length or a failed call throws a JounceError. */
export interface Model {
  readonly name: string;
  readonly info: Info;
  /** The highest order of the calls. */
  readonly order: number;
  /** Numbers of a configuration q, and degrees of freedom. */
  readonly nq: number;
  readonly nv: number;
  /** Links and named frames, in the order of `poses`. */
  readonly frames: string[];

  /** The home configuration. */
  home(): Float64Array;
  /** q[nq], v[(order + 2) x nv] = v, v', ... -> tau[(order + 1) x nv] = tau, tau', ... */
  inverseDynamics(order: number, q: ArrayLike<number>, v: ArrayLike<number>, out?: Float64Array): Float64Array;
  /** q[nq], v[nv], tau[(order + 1) x nv] -> [(order + 1) x nv] = v', v'', ... */
  forwardDynamics(order: number, q: ArrayLike<number>, v: ArrayLike<number>, tau: ArrayLike<number>, out?: Float64Array): Float64Array;
  /** q[nq] -> [frames x 7]: position x, y, z and unit quaternion w, x, y, z of every frame in the world. */
  poses(q: ArrayLike<number>, out?: Float64Array): Float64Array;
  /** q[nq], v[(order + 1) x nv] -> [(order + 1) x 6]: angular and linear velocity of a frame and their derivatives. */
  twist(frame: string, order: number, q: ArrayLike<number>, v: ArrayLike<number>, out?: Float64Array): Float64Array;
  /** Releases the memory. */
  free(): void;
}

export interface Jounce {
  readonly version: string;
  /** Runs the program: `run(['id', 'arm.urdf', '--order', '1'], { 'arm.urdf': text })`. Never throws for bad input: see
   * `code` and `stderr`. */
  run(args: (string | number)[], files?: Files, options?: RunOptions): RunResult;
  /** Loads a model: the name of a file in `files`, or a built-in robot. */
  load(model: string, options?: LoadOptions): Model;
}

export class JounceError extends Error {}

/** Compiles jounce.wasm: the file beside this one, or the bytes or module given. */
export default function jounce(options?: { wasm?: BufferSource | WebAssembly.Module }): Promise<Jounce>;
