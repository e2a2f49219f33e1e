"""jounce.torch: gradients and directional derivatives against differences and against each other, in batches, at orders
above 0, with floating bases and rotations. Skipped without PyTorch."""
import os
import re
import sys
import unittest

import numpy as np

try:
    import torch
    import torch.autograd.forward_ad as forward_ad
except ImportError:
    print("SKIP: PyTorch is missing: apt install python3-torch")
    sys.exit(77)

import jounce
import jounce.torch
from support import SOURCE, main, random_state, residual

torch.set_num_threads(1)


def tensors(*arrays):
    return [torch.tensor(np.asarray(a), dtype=torch.float64, requires_grad=True) for a in arrays]


class Gradients(unittest.TestCase):
    def check(self, function, inputs):
        self.assertTrue(torch.autograd.gradcheck(function, inputs, eps=1e-6, atol=1e-5, rtol=1e-5,
                                                 check_forward_ad=True, check_batched_grad=False,
                                                 check_undefined_grad=False))

    def robots(self):
        yield jounce.Model("double_pendulum"), 3
        yield jounce.Model("arm6", damping=True), 1
        for representation in ("spatial", "body", "hybrid", "mixed"):
            yield jounce.Model("tilthex:1x2", representation=representation), 1
        spec = jounce.Spec("ball").add_link("a", 1, inertia=[1, 2, 2.5], com=[0, 0.1, 0])
        spec.add_link("b", 0.7, com=[0.1, 0.2, -0.3], inertia=[0.2, 0.3, 0.4])
        spec.add_joint("j", "spherical", None, "a").add_joint("k", "cylindrical", "a", "b", axis=[1, 1, 0])
        yield spec.build(), 2

    def test_against_differences(self):
        count = 0
        for robot, most in self.robots():
            for order in {0, most}:
                q, v = random_state(robot, order + 2, order)
                self.check(lambda q, v: jounce.torch.inverse_dynamics(robot, q, v), tensors(q, v))
                tau = robot.inverse_dynamics(q, v)
                self.check(lambda q, v, tau: jounce.torch.forward_dynamics(robot, q, v, tau), tensors(q, v[0], tau))
                if order == 0:
                    self.check(lambda q, v, tau: jounce.torch.forward_dynamics(robot, q, v, tau),
                               tensors(q, v[0], tau[0]))
                count += 2
        print("%d functions" % count)

    def test_broadcast(self):
        robot = jounce.Model("tilthex:1x2", representation="body")
        q = np.stack([random_state(robot, 1, s)[0] for s in range(2)])[:, None]   # (2, 1, nq)
        v = np.random.default_rng(1).normal(size=(3, 2, robot.nv))                # (3, 2, nv)
        self.check(lambda q, v: jounce.torch.inverse_dynamics(robot, q, v), tensors(q, v))
        tau = np.random.default_rng(2).normal(size=(1, 3, 2, robot.nv))           # order 1
        self.check(lambda q, v, tau: jounce.torch.forward_dynamics(robot, q, v, tau), tensors(q, v[:, 0], tau))
        self.check(lambda q, v, tau: jounce.torch.forward_dynamics(robot, q, v, tau), tensors(q, v[:, 0], tau[0, 0, 0]))
        push = [("B2", np.random.default_rng(3).normal(size=(3, 6)), "hybrid")]
        self.check(lambda q, v: jounce.torch.inverse_dynamics(robot, q, v, external=push), tensors(q, v))
        self.check(lambda q, v, tau: jounce.torch.forward_dynamics(robot, q, v, tau, external=push),
                   tensors(q, v[:, 0], tau[0, :, 0]))

    def test_values_and_partials(self):
        """The values are those of the model; the Jacobian is the library's matrix of partial derivatives."""
        robot = jounce.Model("arm7")
        q, v = random_state(robot, 4)
        x, y = tensors(q, v)
        tau = jounce.torch.inverse_dynamics(robot, x, y)
        np.testing.assert_array_equal(tau.detach().numpy(), robot.inverse_dynamics(q, v))
        dq, dv = torch.autograd.functional.jacobian(lambda a, b: jounce.torch.inverse_dynamics(robot, a, b), (x, y))
        p = robot.inverse_partials(q, v)
        residual("d tau/d q", abs(dq.numpy() - p.dq).max() / abs(p.dq).max(), 1e-13)
        residual("d tau/d v", abs(dv.numpy() - np.moveaxis(p.dv, 1, 2)).max() / abs(p.dv).max(), 1e-13)
        forces = tensors(tau.detach().numpy())[0]
        f = robot.forward_partials(q, v[0], tau.detach().numpy())
        found = torch.autograd.functional.jacobian(lambda *a: jounce.torch.forward_dynamics(robot, *a),
                                                   (x, tensors(v[0])[0], forces))
        for name, a, b in zip(("q", "v", "tau"), found, (f.dq, f.dv, np.moveaxis(f.dtau, 1, 2))):
            residual("d a/d " + name, abs(a.numpy() - b).max() / abs(b).max(), 1e-11)

    def test_forward_mode(self):
        robot = jounce.Model("arm6")
        q, v = random_state(robot, 3)
        dq, dv = np.random.default_rng(1).normal(size=q.shape), np.random.default_rng(2).normal(size=v.shape)
        with forward_ad.dual_level():
            x = forward_ad.make_dual(torch.tensor(q), torch.tensor(dq))
            y = forward_ad.make_dual(torch.tensor(v), torch.tensor(dv))
            got = forward_ad.unpack_dual(jounce.torch.inverse_dynamics(robot, x, y)).tangent
            alone = forward_ad.unpack_dual(jounce.torch.inverse_dynamics(robot, x, torch.tensor(v))).tangent
        np.testing.assert_array_equal(got.numpy(), robot.inverse_jvp(q, v, dq, dv))
        np.testing.assert_array_equal(alone.numpy(), robot.inverse_jvp(q, v, dq, 0 * v))

    def test_a_descent(self):
        """The torques that hold a payload: the least squares of q end at the minimum."""
        robot = jounce.Model("double_pendulum")
        q = torch.tensor([1.0, 0.5], dtype=torch.float64, requires_grad=True)
        rest = torch.zeros(2, 2, dtype=torch.float64)
        optimiser = torch.optim.LBFGS([q], max_iter=100, tolerance_grad=1e-12, tolerance_change=1e-16)

        def loss():
            optimiser.zero_grad()
            value = jounce.torch.inverse_dynamics(robot, q, rest).square().sum()
            value.backward()
            return value

        optimiser.step(loss)
        residual("torque at the end", float(loss()), 1e-10)

    def test_the_example_of_the_page(self):
        with open(os.path.join(SOURCE, "docs", "python.md")) as file:
            blocks = re.findall(r"```text\n(.*?)```", file.read(), re.S)
        example = next(b for b in blocks if "jounce.torch" in b)
        names = {}
        exec(example, names)
        self.assertEqual(names["q"].grad.shape, (7,))
        self.assertGreater(float(names["q"].grad.abs().max()), 0)

    def test_types(self):
        robot = jounce.Model("arm6")
        q, v = random_state(robot, 2)
        x = torch.tensor(q, dtype=torch.float32, requires_grad=True)
        tau = jounce.torch.inverse_dynamics(robot, x, torch.tensor(v, dtype=torch.float32))
        tau.sum().backward()
        self.assertEqual((tau.dtype, x.grad.dtype), (torch.float32, torch.float32))
        a, b = tensors(q, v)
        for bad, kind, text in (
                (lambda: jounce.torch.inverse_dynamics(robot, q, v), TypeError, "q: a tensor"),
                (lambda: jounce.torch.inverse_dynamics(robot, a, torch.zeros(2, 6, dtype=torch.int64)), TypeError, "v: a tensor"),
                (lambda: jounce.torch.inverse_dynamics("arm6", a, b), TypeError, "a jounce.Model"),
                (lambda: jounce.torch.inverse_dynamics(robot.with_settings(layout="mujoco"), a, b),
                 jounce.ArgumentError, "layout"),
                (lambda: jounce.torch.inverse_dynamics(robot, a, b[:, :3]), jounce.ArgumentError, r"\(..., r\+2, nv\)"),
                (lambda: jounce.torch.forward_dynamics(robot, a, b[0], b[0] * np.nan), jounce.NotFiniteError, "tau")):
            with self.assertRaisesRegex(kind, text):
                bad()
        for loss in (lambda tau: tau.sum(), lambda tau: tau.square().sum()):
            with self.assertRaisesRegex(RuntimeError, "differentiated once"):
                torch.autograd.grad(loss(jounce.torch.inverse_dynamics(robot, a, b)), a, create_graph=True)


if __name__ == "__main__":
    main()
