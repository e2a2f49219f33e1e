"""Dynamics of millions of states on a GPU.

    >>> import jounce, jounce.gpu                                       # doctest: +SKIP
    >>> robot = jounce.gpu.Gpu(jounce.Model("tilthex", representation="body"))
    >>> tau = robot.inverse_dynamics(q, v)     # q (nq, n), v (2, nv, n): torch, cupy, jax or numpy

Arrays are structures of arrays: the state is the last axis, so that neighbours in memory belong to
neighbouring states. float64, C-contiguous. Arrays on the device stay there, without copies (CUDA array
interface, DLPack), and results come back as arrays of the same library; numpy arrays are copied.

The kernels are those of the robot's own dynamics, compiled by NVRTC when first needed and kept on disk.
With Model(..., strict=True) they give the bits of the processor. See docs/gpu.md.
"""

import glob
import os
import sys
import warnings

import numpy as np

from . import _jounce

__all__ = ["Gpu", "DeviceArray", "Rollout", "count"]

_CUDA = 2  # kDLCUDA
_KERNELS = {"inverse_dynamics": 0, "forward_dynamics": 1, "inverse_partials": 2, "forward_partials": 3,
            "rollout": 4}


def _need():
    if not hasattr(_jounce, "_Gpu"):
        raise ImportError("this jounce was built without libjounce_gpu: build it with -DJOUNCE_GPU=ON")


def count():
    """The number of GPUs; 0 with no driver or no device."""
    _need()
    return _jounce._gpu_count()[0]


def _find_nvrtc():
    """NVRTC of a pip package, where the system has none: None leaves the search to the library."""
    for folder in sys.path:
        for pattern in ("nvidia/*/lib/libnvrtc.so.1[0-9]",):
            found = sorted(glob.glob(os.path.join(folder, pattern)))
            if found:
                return found[-1]
    return None


class DeviceArray:
    """An array on the device: torch.from_dlpack(x), cupy.asarray(x), jax.dlpack.from_dlpack(x) and
    numpy.asarray(x) (a copy) read it; the first three share its memory."""

    def __init__(self, gpu, shape, dtype=np.float64):
        self._gpu = gpu
        self.shape = tuple(int(s) for s in shape)
        self.dtype = np.dtype(dtype)
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self._address = gpu._raw.allocate(max(self.nbytes, 8))

    def __del__(self):
        if getattr(self, "_address", None):
            self._gpu._raw.release(self._address)

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return "DeviceArray(shape=%s, dtype=%s)" % (self.shape, self.dtype)

    @property
    def __cuda_array_interface__(self):
        if self._gpu.device < 0:
            raise AttributeError("the array is on the host")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._address, False), "version": 3,
                "strides": None, "stream": None}

    def __dlpack_device__(self):
        return (_CUDA, self._gpu.device) if self._gpu.device >= 0 else (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self._gpu.wait()
        code = 2 if self.dtype.kind == "f" else 0
        kind, device = self.__dlpack_device__()
        return _jounce._to_dlpack(self, self._address, self.shape, code, 8 * self.dtype.itemsize, kind, device)

    def __array__(self, dtype=None, copy=None):
        out = np.empty(self.shape, self.dtype)
        self._gpu._raw.copy(self._address, out.ctypes.data, self.nbytes, 0, 0)
        return out if dtype is None else out.astype(dtype)

    def numpy(self):
        """A copy on the host."""
        return self.__array__()


class _View:
    """Where an argument's numbers are."""

    def __init__(self, x, what, device):
        self.keep, self.framework = x, type(x).__module__.split(".")[0]
        if isinstance(x, DeviceArray):
            self.on_device, self.address, self.shape = True, x._address, x.shape
            self._check(x.dtype == np.float64, True, what)
            return
        if hasattr(x, "block_until_ready"):  # jax computes on streams of its own
            x.block_until_ready()
        face = getattr(x, "__cuda_array_interface__", None)
        if face is not None:
            shape = tuple(face["shape"])
            self.on_device, self.address, self.shape = True, face["data"][0], shape
            self.stream = face.get("stream")
            self._check(face["typestr"] == "<f8", _is_contiguous(shape, face.get("strides")), what)
            return
        if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == _CUDA:
            capsule = x.__dlpack__()
            address, shape, code, bits, _, _, contiguous = _jounce._from_dlpack(capsule)
            self.keep = (x, capsule)
            self.on_device, self.address, self.shape = True, address, shape
            self._check(code == 2 and bits == 64, contiguous, what)
            return
        array = np.ascontiguousarray(x, dtype=np.float64)
        self.keep, self.framework = array, "numpy"
        self.on_device, self.address, self.shape = False, array.ctypes.data, array.shape

    def _check(self, is_double, contiguous, what):
        if not is_double:
            raise TypeError("%s: float64 expected on the device" % what)
        if not contiguous:
            raise ValueError("%s: a C-contiguous array expected on the device, the state as its last axis "
                             "(torch: .contiguous())" % what)


def _is_contiguous(shape, strides):
    if strides is None:
        return True
    step = 8
    for n, s in zip(reversed(shape), reversed(strides)):
        if n != 1 and s != step:
            return False
        step *= n
    return True


def _like(framework, x):
    """A result as an array of the library that the arguments came from; the memory is shared."""
    if framework == "torch":
        import torch
        return torch.from_dlpack(x)
    if framework == "cupy":
        import cupy
        return cupy.from_dlpack(x)
    if framework in ("jax", "jaxlib"):
        import jax
        return jax.dlpack.from_dlpack(x)
    return x


class Rollout:
    """What Gpu.rollout returns: q, v at the end; cost; without (1: no result); q_path, v_path or None;
    failed, best, best_cost, mean_cost of all samples, reduced on the device (None without weights)."""

    q = v = cost = without = q_path = v_path = failed = best = best_cost = mean_cost = None

    def __repr__(self):
        return "Rollout(failed=%s, best=%s, best_cost=%s, mean_cost=%s)" % (self.failed, self.best,
                                                                            self.best_cost, self.mean_cost)


class Gpu:
    """A robot on a GPU. model: a jounce.Model, whose representation, gravity, damping and strict
    apply (roll-outs of robots with free joints: representation='body'). device: 0, 1, ...; -1: the same
    kernels on the processor, for tests. cache: folder of compiled kernels ('': none). nvrtc: path of
    NVRTC's library. generic=True: dynamics by the kernels for any robot, compiled ahead: nothing is compiled, but
    they are several times slower. They are also used where NVRTC is not found: a RuntimeWarning says so, and info["note"].

    Without a driver or a device the constructor says what is missing, without NVRTC the first call that needs it.

    Every function takes stream= (an integer, as torch.cuda.current_stream().cuda_stream) and mask=. With
    mask=True it returns (result, without), where without (n,) is 1 for states without result, and does not
    wait for the device. Otherwise such a state raises jounce.NotFiniteError."""

    def __init__(self, model, device=0, *, cache=None, nvrtc=None, generic=False):
        _need()
        self._raw = _jounce._Gpu(model, device, cache, nvrtc or _find_nvrtc(), generic)
        self.model, self.device = model, device
        self.nq, self.nv = model.nq, model.nv
        self._warned = False

    def _warn(self):
        """Says once what is used in the place of what was asked for."""
        note = "" if self._warned else self.info["note"]
        if note:
            self._warned = True
            warnings.warn("jounce.gpu: " + note, RuntimeWarning, stacklevel=4)

    def __repr__(self):
        return "Gpu(%r, device=%d: %s)" % (self.model.name, self.device, self.info["name"])

    @property
    def info(self):
        """name, capability, multiprocessors, memory of the device; note: what is used in the place of what was asked
        for, or ''."""
        return self._raw.info

    def prepare(self, name, order=0):
        """Compiles a kernel now: 'inverse_dynamics', 'forward_dynamics', 'inverse_partials',
        'forward_partials' or 'rollout'."""
        if name not in _KERNELS:
            raise ValueError("a kernel is one of %s" % ", ".join(_KERNELS))
        self._raw.prepare(_KERNELS[name], order)
        self._warn()

    def wait(self, stream=0):
        """Waits until the work queued on a stream is done."""
        self._raw.wait(stream or 0)

    def array(self, x):
        """A DeviceArray with the numbers of x."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        out = DeviceArray(self, x.shape)
        if x.nbytes:
            self._raw.copy(out._address, x.ctypes.data, x.nbytes, 1, 0)
        return out

    # ---- arguments

    def _views(self, stream, **arrays):
        views = {name: _View(x, name, self.device) for name, x in arrays.items() if x is not None}
        sides = {view.on_device for view in views.values()}
        if len(sides) > 1:
            raise TypeError("some arrays are on the device and some on the host: " + ", ".join(
                "%s %s" % (n, "device" if w.on_device else "host") for n, w in views.items()))
        for view in views.values():
            other = getattr(view, "stream", None)
            if other not in (None, 1, stream):
                self._raw.wait(other)
        return views, sides.pop()

    def _shape(self, name, view, *want):
        if len(view.shape) != len(want) or any(w is not None and s != w for s, w in zip(view.shape, want)):
            raise ValueError("%s: shape (%s) expected, not %s" % (
                name, ", ".join("n" if w is None else str(w) for w in want), tuple(view.shape)))

    def _new(self, on_device, shape, dtype=np.float64):
        if on_device:
            return DeviceArray(self, shape, dtype)
        return np.empty(shape, dtype)

    @staticmethod
    def _address(x):
        return 0 if x is None else x._address if isinstance(x, DeviceArray) else x.ctypes.data

    def _finish(self, views, results, without, mask, on_device, stream):
        framework = next(iter(views.values())).framework
        if on_device and not mask:
            self._raw.wait(stream)
            bad = np.flatnonzero(without.numpy())
            if len(bad):
                raise _jounce.NotFiniteError(
                    "%d of %d states have no result, the first is %d: a number is not finite, an angle is beyond "
                    "1e6, or the dynamics are singular; mask=True gives the others" % (
                        len(bad), without.shape[0], bad[0]))
        give = [None if r is None else _like(framework, r) if on_device else r for r in results]
        give = give[0] if len(give) == 1 else tuple(give)
        return (give, _like(framework, without) if on_device else without) if mask else give

    def _call(self, kernel, order, n, views, inputs, outputs, mask, on_device, stream):
        without = self._new(on_device, (n,), np.int32) if on_device or mask else None
        addresses = [views[name].address for name in inputs] + [self._address(x) for x in outputs]
        addresses += [0] * (6 - len(addresses)) + [self._address(without)]
        self._raw.call(kernel, order, n, tuple(addresses), int(on_device), stream)
        self._warn()
        return self._finish(views, outputs, without, mask, on_device, stream)

    # ---- dynamics

    def inverse_dynamics(self, q, v, *, mask=False, stream=0):
        """q (nq, n), v (r+2, nv, n) -> tau (r+1, nv, n)."""
        views, on_device = self._views(stream, q=q, v=v)
        n, rows = views["q"].shape[-1], views["v"].shape[0] if len(views["v"].shape) == 3 else 0
        self._shape("q", views["q"], self.nq, None)
        self._shape("v", views["v"], max(rows, 2), self.nv, n)
        tau = self._new(on_device, (rows - 1, self.nv, n))
        return self._call(0, rows - 2, n, views, "qv", [tau], mask, on_device, stream)

    def forward_dynamics(self, q, v, tau, *, mask=False, stream=0):
        """q (nq, n), v (nv, n), tau (r+1, nv, n) or (nv, n) -> a of the shape of tau: v', v'', ..."""
        views, on_device = self._views(stream, q=q, v=v, tau=tau)
        n, shape = views["q"].shape[-1], views["tau"].shape
        rows = shape[0] if len(shape) == 3 else 1
        self._shape("q", views["q"], self.nq, None)
        self._shape("v", views["v"], self.nv, n)
        self._shape("tau", views["tau"], *((rows,) if len(shape) == 3 else ()), self.nv, n)
        a = self._new(on_device, shape)
        return self._call(1, rows - 1, n, views, ("q", "v", "tau"), [a], mask, on_device, stream)

    def hybrid_dynamics(self, q, v, tau, prescribed, *, mask=False, stream=0):
        """The motion of the joints `prescribed` (names or numbers) is given, the forces of the others: q (nq, n),
        v (r+2, nv, n), tau (r+1, nv, n) -> (v, tau), completed: derivatives of v of the others, forces of
        prescribed joints. Arrays on the device are completed in place. What is not given may hold anything."""
        views, on_device = self._views(stream, q=q, v=v, tau=tau)
        n, rows = views["q"].shape[-1], views["tau"].shape[0] if len(views["tau"].shape) == 3 else 0
        self._shape("q", views["q"], self.nq, None)
        self._shape("tau", views["tau"], max(rows, 1), self.nv, n)
        self._shape("v", views["v"], rows + 1, self.nv, n)
        chosen = bytearray(len(self.model.joint_names))
        for joint in prescribed:
            chosen[self.model.joint_index(joint)] = 1
        if on_device and views["v"].framework in ("jax", "jaxlib"):
            raise TypeError("v and tau are completed in place, which arrays of jax do not allow: give Gpu.array(...)")
        out = [v, tau]
        if not on_device:
            out = [np.array(views[name].keep) for name in ("v", "tau")]
        without = self._new(on_device, (n,), np.int32) if on_device or mask else None
        addresses = [views[name].address for name in ("q", "v", "tau")] if on_device else [
            views["q"].address, out[0].ctypes.data, out[1].ctypes.data]
        self._raw.hybrid(rows - 1, n, bytes(chosen), tuple(addresses + [self._address(without)]), int(on_device),
                         stream)
        self._warn()
        checked = self._finish(views, [None], without, mask, on_device, stream)
        return (tuple(out), checked[1]) if mask else tuple(out)

    def inverse_partials(self, q, v, *, mass=True, mask=False, stream=0):
        """q (nq, n), v (2, nv, n) -> dq, dv, da (nv, nv, n): the derivatives of tau; da is the mass
        matrix, None with mass=False."""
        views, on_device = self._views(stream, q=q, v=v)
        n = views["q"].shape[-1]
        self._shape("q", views["q"], self.nq, None)
        self._shape("v", views["v"], 2, self.nv, n)
        out = [self._new(on_device, (self.nv, self.nv, n)) if i < 2 or mass else None for i in range(3)]
        return self._call(2, 0, n, views, "qv", out, mask, on_device, stream)

    def forward_partials(self, q, v, tau, *, mass=True, mask=False, stream=0):
        """q (nq, n), v (nv, n), tau (nv, n) -> dq, dv, dtau (nv, nv, n): the derivatives of v'; dtau is
        the inverse of the mass matrix, None with mass=False."""
        views, on_device = self._views(stream, q=q, v=v, tau=tau)
        n = views["q"].shape[-1]
        self._shape("q", views["q"], self.nq, None)
        self._shape("v", views["v"], self.nv, n)
        self._shape("tau", views["tau"], self.nv, n)
        out = [self._new(on_device, (self.nv, self.nv, n)) if i < 2 or mass else None for i in range(3)]
        return self._call(3, 0, n, views, ("q", "v", "tau"), out, mask, on_device, stream)

    # ---- roll-outs

    def rollout(self, q0, v0, tau=None, *, steps=None, step, order=0, gain=None, aim=None, weight=None,
                end_weight=None, every=0, n=None, stream=0):
        """n samples through `steps` steps of `step` seconds: order 0: RKMK4, 1 or 2: Taylor.

        q0 (nq, n), v0 (nv, n), or (nq,), (nv,) for all samples; tau (steps, nv, n), or (steps, nv) for
        all. Forces are held over a step: tau - gain e, e = (log(q_aim^-1 q), v - v_aim); gain (nv, 2 nv)
        or (steps, nv, 2 nv), aim = (q, v) of shapes (nq,), (nv,), or (steps+1, nq), (steps+1, nv). With
        weight (3 nv,) of q, v, tau and end_weight (2 nv,) of q, v there are costs. every > 0: states
        after each so many steps. What all samples share may be numpy arrays. Returns a Rollout."""
        nq, nv = self.nq, self.nv
        own = {"q0": q0, "v0": v0, "tau": tau}
        on_device = any(x is not None and _View(x, name, self.device).on_device for name, x in own.items())
        arrays = dict(own, gain=gain, q_aim=None if aim is None else aim[0], v_aim=None if aim is None else aim[1],
                      weight=weight, end_weight=end_weight)
        for name, x in arrays.items():
            if on_device and x is not None and not _View(x, name, self.device).on_device:
                arrays[name] = self.array(x)
        views, on_device = self._views(stream, **arrays)
        get = views.get
        if steps is None:
            if get("tau") is None:
                raise ValueError("steps expected: how many")
            steps = get("tau").shape[0]
        shared_state = len(views["q0"].shape) == 1
        shared_tau = get("tau") is not None and len(get("tau").shape) == 2
        if n is None:
            if shared_state and (get("tau") is None or shared_tau):
                raise ValueError("n expected: how many samples; all arrays are shared")
            n = views["q0"].shape[-1] if not shared_state else get("tau").shape[-1]
        tail = () if shared_state else (n,)
        self._shape("q0", views["q0"], nq, *tail)
        self._shape("v0", views["v0"], nv, *tail)
        if get("tau") is not None:
            self._shape("tau", get("tau"), steps, nv, *(() if shared_tau else (n,)))
        varying_gain = get("gain") is not None and len(get("gain").shape) == 3
        varying_aim = get("q_aim") is not None and len(get("q_aim").shape) == 2
        if get("gain") is not None:
            self._shape("gain", get("gain"), *((steps,) if varying_gain else ()), nv, 2 * nv)
        if get("q_aim") is not None:
            self._shape("aim[0]", get("q_aim"), *((steps + 1,) if varying_aim else ()), nq)
            self._shape("aim[1]", get("v_aim"), *((steps + 1,) if varying_aim else ()), nv)
        if get("weight") is not None:
            self._shape("weight", get("weight"), 3 * nv)
        if get("end_weight") is not None:
            self._shape("end_weight", get("end_weight"), 2 * nv)
        out = Rollout()
        costs = weight is not None or end_weight is not None
        out.q, out.v = self._new(on_device, (nq, n)), self._new(on_device, (nv, n))
        out.without = self._new(on_device, (n,), np.int32)
        if costs:
            out.cost = self._new(on_device, (n,))
        if every > 0:
            out.q_path = self._new(on_device, (steps // every, nq, n))
            out.v_path = self._new(on_device, (steps // every, nv, n))
        names = ("q0", "v0", "tau", "gain", "q_aim", "v_aim", "weight", "end_weight")
        addresses = [views[name].address if name in views else 0 for name in names]
        results = ("q", "v", "q_path", "v_path", "cost", "without")
        addresses += [self._address(getattr(out, name)) for name in results]
        summary = self._raw.rollout(n, steps, step, order, (shared_state, shared_tau, varying_gain, varying_aim),
                                    max(every, 0), tuple(addresses), int(costs), int(on_device), stream)
        if summary is not None:
            out.failed, out.best, out.best_cost, out.mean_cost = summary
        elif on_device:
            self._raw.wait(stream)
        if on_device:
            framework = views["q0"].framework
            for name in results:
                x = getattr(out, name)
                setattr(out, name, None if x is None else _like(framework, x))
        return out
