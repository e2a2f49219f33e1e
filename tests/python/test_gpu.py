"""jounce.gpu: the kernels as a grid on the host, arrays of the device, refusals; on a GPU with torch, cupy and
jax where they are."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import jounce
import jounce.gpu
from support import PROGRAM, main, residual

N = 70
CACHE = tempfile.mkdtemp(prefix="jounce-gpu-")


def tearDownModule():
    shutil.rmtree(CACHE)


def states(robot, rows, seed=1):
    """q (n, nq), x (n, rows, nv)"""
    random = np.random.default_rng(seed)
    q = np.stack([robot.integrate(robot.home(), random.normal(size=robot.nv)) for _ in range(N)])
    return q, random.normal(size=(N, rows, robot.nv))


def last(x):
    """The state as the last axis."""
    return np.ascontiguousarray(np.moveaxis(x, 0, -1))


class Host(unittest.TestCase):
    """Device -1."""

    @classmethod
    def setUpClass(cls):
        cls.robot = jounce.Model("double_pendulum", strict=True)
        cls.gpu = jounce.gpu.Gpu(cls.robot, -1, cache=CACHE)

    def test_dynamics_have_the_bits_of_the_module(self):
        q, x = states(self.robot, 3)
        tau = self.gpu.inverse_dynamics(last(q), last(x))
        self.assertTrue(np.array_equal(tau, last(self.robot.inverse_dynamics(q, x))))
        a = self.gpu.forward_dynamics(last(q), last(x[:, 0]), last(x[:, 1]))
        self.assertTrue(np.array_equal(a, last(self.robot.forward_dynamics(q, x[:, 0], x[:, 1]))))

    def test_hybrid_dynamics(self):
        q, x = states(self.robot, 4)
        v, tau = x[:, :2], x[:, 2:3]
        names = [self.robot.joint_names[-1]]
        want = self.robot.hybrid_dynamics(q, v, tau, names)
        for generic in (False, True):
            gpu = jounce.gpu.Gpu(self.robot, -1, cache=CACHE, generic=generic)
            V, T = gpu.hybrid_dynamics(last(q), last(v), last(tau), names)
            self.assertTrue(np.array_equal(V, last(want.v)) and np.array_equal(T, last(want.tau)))
            V, T = gpu.array(last(v)), gpu.array(last(tau))  # completed in place
            (V, T), without = gpu.hybrid_dynamics(gpu.array(last(q)), V, T, names, mask=True)
            self.assertTrue(np.array_equal(V.numpy(), last(want.v)) and np.array_equal(T.numpy(), last(want.tau)))
            self.assertFalse(without.numpy().any())
        with self.assertRaises(ValueError):
            gpu.hybrid_dynamics(last(q), last(v), last(tau), ["nobody"])

    def test_partials(self):
        q, x = states(self.robot, 2)
        dq, dv, da = self.gpu.inverse_partials(last(q), last(x))
        for s in range(0, N, 23):
            want = self.robot.inverse_partials(q[s], x[s])
            residual("dq", np.abs(dq[..., s] - want.dq[0]).max() / np.abs(want.dq[0]).max(), 1e-13)
            residual("dv", np.abs(dv[..., s] - want.dv[0, 0]).max() / np.abs(want.dv[0, 0]).max(), 1e-13)
            residual("M", np.abs(da[..., s] - self.robot.mass_matrix(q[s])).max(), 1e-13)
        self.assertIsNone(self.gpu.inverse_partials(last(q), last(x), mass=False)[2])

    def test_arrays_of_the_device(self):
        q, x = states(self.robot, 2)
        want = self.gpu.inverse_dynamics(last(q), last(x))
        Q, X = self.gpu.array(last(q)), self.gpu.array(last(x))
        tau, without = self.gpu.inverse_dynamics(Q, X, mask=True)
        self.assertIsInstance(tau, jounce.gpu.DeviceArray)
        self.assertTrue(np.array_equal(tau.numpy(), want))
        self.assertFalse(without.numpy().any())
        shared = np.from_dlpack(tau)  # on the host numpy may read it in place
        self.assertTrue(np.array_equal(shared, want))
        del tau
        self.assertTrue(np.array_equal(shared, want))  # the memory outlives the array
        with self.assertRaisesRegex(TypeError, "q device, v host"):
            self.gpu.inverse_dynamics(Q, last(x))

    def test_tensors_of_others_are_described(self):
        x = np.arange(24.0).reshape(2, 3, 4)
        address, shape, code, bits, _, _, contiguous = jounce._jounce._from_dlpack(x.__dlpack__())
        self.assertEqual((address, shape, code, bits, contiguous), (x.ctypes.data, (2, 3, 4), 2, 64, 1))
        for part in (x[:, 1:], x[..., ::2], x.transpose(1, 0, 2), x[:, :, :3]):
            self.assertEqual(jounce._jounce._from_dlpack(part.__dlpack__())[6], 0)
        self.assertEqual(jounce._jounce._from_dlpack(x[1:, 1:].__dlpack__())[6], 1)  # one block

    def test_states_without_result(self):
        q, x = states(self.robot, 2)
        q[3] = np.nan
        with self.assertRaisesRegex(jounce.NotFiniteError, "1 of 70 states .* first is 3"):
            self.gpu.inverse_dynamics(last(q), last(x))
        tau, without = self.gpu.inverse_dynamics(last(q), last(x), mask=True)
        self.assertEqual(list(np.flatnonzero(without)), [3])
        self.assertTrue(np.isnan(tau[..., 3]).all() and np.isfinite(np.delete(tau, 3, axis=-1)).all())
        with self.assertRaisesRegex(jounce.NotFiniteError, "mask=True"):
            self.gpu.inverse_dynamics(self.gpu.array(last(q)), self.gpu.array(last(x)))

    def test_rollouts(self):
        q, x = states(self.robot, 21)
        aim, weight = (np.zeros(2), np.zeros(2)), np.arange(1.0, 7)
        out = self.gpu.rollout(last(q), last(x[:, 0]), last(x[:, 1:]), step=0.01, aim=aim, weight=weight,
                               gain=np.full((2, 4), 0.1), every=5)
        self.assertEqual(out.q_path.shape, (4, 2, N))
        self.assertTrue(np.array_equal(out.q_path[-1], out.q))
        self.assertEqual(out.failed, 0)
        self.assertEqual(out.best, np.argmin(out.cost))
        residual("mean cost", abs(out.mean_cost - out.cost.mean()) / out.mean_cost, 1e-15)
        sim = jounce.Simulation(self.robot, "rkmk4", step=0.01)
        sim.set_state(0, q[5], x[5, 0])
        for t in range(20):
            error = np.concatenate([sim.q, sim.v])
            sim.set_tau(x[5, 1 + t] - 0.1 * error.sum())
            sim.step(1e9)
        residual("end of a roll-out", np.abs(sim.q - out.q[:, 5]).max(), 1e-14)
        # what is shared by all samples, and on the device
        same = self.gpu.rollout(self.gpu.array(last(q)), self.gpu.array(last(x[:, 0])), x[0, 1:], step=0.01)
        one = self.gpu.rollout(last(q), last(x[:, 0]), x[0, 1:], step=0.01)
        self.assertTrue(np.array_equal(same.q.numpy(), one.q))

    def test_refusals(self):
        q, x = states(self.robot, 2)
        with self.assertRaisesRegex(ValueError, r"q: shape \(2, n\) expected"):
            self.gpu.inverse_dynamics(q, last(x))
        with self.assertRaisesRegex(ValueError, r"v: shape \(2, 2, 70\) expected"):
            self.gpu.inverse_dynamics(last(q), last(x)[0])
        with self.assertRaisesRegex(ValueError, "steps expected"):
            self.gpu.rollout(last(q), last(x[:, 0]), step=0.01)
        with self.assertRaisesRegex(jounce.Error, "aim"):
            self.gpu.rollout(last(q), last(x[:, 0]), steps=2, step=0.01, weight=np.ones(6))
        with self.assertRaisesRegex(ValueError, "a kernel is one of"):
            self.gpu.prepare("mass_matrix")
        with self.assertRaisesRegex(jounce.Error, "constraints"):
            jounce.gpu.Gpu(jounce.Model("fourbar"), -1)

    def test_without_a_device_it_says_what_is_missing(self):
        if jounce.gpu.count():
            self.skipTest("there is a device")
        with self.assertRaisesRegex(jounce.Error, "gpu: .*(driver|device)"):
            jounce.gpu.Gpu(self.robot)

    def test_slower_kernels_are_said(self):
        """NVRTC at a path that does not exist, over a stand-in for the driver (tests/gpu/fake_driver.c)."""
        driver = os.path.join(os.path.dirname(PROGRAM), "tests", "fake_driver")
        if not os.path.isdir(driver):
            self.skipTest("the driver of the tests is not built")
        code = ("import jounce, jounce.gpu, warnings\n"
                "warnings.simplefilter('always')\n"
                "gpu = jounce.gpu.Gpu(jounce.Model('pendulum'), nvrtc='/nonexistent/libnvrtc.so', cache='')\n"
                "gpu.prepare('inverse_dynamics')\n"
                "gpu.prepare('forward_dynamics')\n"
                "print(gpu.info['note'])\n")
        got = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, LD_LIBRARY_PATH=driver),
                             capture_output=True, text=True)
        if "the kernel is not in the cache" in got.stderr:
            self.skipTest("built without clang: there are no kernels for any robot")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("/nonexistent/libnvrtc.so", got.stdout)
        self.assertEqual(got.stderr.count("RuntimeWarning: jounce.gpu: NVRTC (/nonexistent/libnvrtc.so"), 1, got.stderr)


class Device(unittest.TestCase):
    """A GPU, with the libraries that are installed."""

    @classmethod
    def setUpClass(cls):
        if not hasattr(jounce._jounce, "_Gpu") or not jounce.gpu.count():
            raise unittest.SkipTest("no GPU")
        cls.robot = jounce.Model("double_pendulum", strict=True)
        cls.gpu = jounce.gpu.Gpu(cls.robot, cache=CACHE)

    def check(self, make, back):
        q, x = states(self.robot, 2)
        tau = self.gpu.inverse_dynamics(make(last(q)), make(last(x)))
        self.assertTrue(np.array_equal(back(tau), last(self.robot.inverse_dynamics(q, x))))
        return tau

    def test_numpy(self):
        self.check(lambda x: x, lambda x: x)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        tau = self.check(lambda x: torch.tensor(x, device="cuda"), lambda x: x.cpu().numpy())
        self.assertIsInstance(tau, torch.Tensor)
        with self.assertRaisesRegex(TypeError, "float64"):
            self.check(lambda x: torch.tensor(x, device="cuda").float(), None)
        with self.assertRaisesRegex(ValueError, "contiguous"):
            self.check(lambda x: torch.tensor(x, device="cuda")[..., ::2], None)
        # hybrid dynamics on a stream of torch's own, in place
        q, x = states(self.robot, 3)
        names = self.robot.joint_names[-1:]
        want = self.robot.hybrid_dynamics(q, x[:, :2], x[:, 2:], names)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            Q, V, T = (torch.tensor(last(a), device="cuda") for a in (q, x[:, :2], x[:, 2:]))
            out, _ = self.gpu.hybrid_dynamics(Q, V, T, names, mask=True, stream=stream.cuda_stream)
        stream.synchronize()
        self.assertEqual(out[0].data_ptr(), V.data_ptr())
        self.assertTrue(np.array_equal(V.cpu().numpy(), last(want.v)))
        self.assertTrue(np.array_equal(T.cpu().numpy(), last(want.tau)))

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no cupy")
        self.assertIsInstance(self.check(cupy.asarray, cupy.asnumpy), cupy.ndarray)

    def test_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no jax")
        jax.config.update("jax_enable_x64", True)
        self.assertIsInstance(self.check(jax.numpy.asarray, np.asarray), jax.Array)


if __name__ == "__main__":
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    main()
