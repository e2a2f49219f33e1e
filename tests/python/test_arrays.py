"""Arrays: batches, out=, inputs of any kind, layouts, threads."""
import threading
import unittest

import numpy as np

import jounce
from support import close, main, random_state, residual


class Batches(unittest.TestCase):
    def test_leading_axes(self):
        for name in ("double_pendulum", "tilthex"):
            robot = jounce.Model(name, representation="body")
            states = [random_state(robot, 4, seed) for seed in range(6)]
            q = np.stack([s[0] for s in states]).reshape(2, 3, robot.nq)
            v = np.stack([s[1] for s in states]).reshape(2, 3, 4, robot.nv)
            tau = robot.inverse_dynamics(q, v)
            self.assertEqual(tau.shape, (2, 3, 3, robot.nv))
            M = robot.mass_matrix(q)
            eom = robot.equations_of_motion(q, v[..., 0, :])
            a = robot.forward_dynamics(q, v[..., 0, :], tau)
            prescribed = [0] if robot.floating else ["joint1"]
            done = robot.hybrid_dynamics(q, v, tau, prescribed)
            for i in range(2):
                for j in range(3):
                    close("batch, inverse", tau[i, j], robot.inverse_dynamics(q[i, j], v[i, j]))
                    np.testing.assert_array_equal(M[i, j], robot.mass_matrix(q[i, j]))
                    np.testing.assert_array_equal(
                        eom.C[i, j], robot.equations_of_motion(q[i, j], v[i, j, 0]).C)
                    close("batch, forward", a[i, j],
                          robot.forward_dynamics(q[i, j], v[i, j, 0], tau[i, j]), 1e-9)
                    close("batch, hybrid", done.tau[i, j], tau[i, j], 1e-9)
            threads = robot.with_settings(threads=2)
            np.testing.assert_array_equal(threads.inverse_dynamics(q, v), tau)

    def test_empty_and_single(self):
        robot = jounce.Model("tilthex")
        n = robot.nv
        self.assertEqual(robot.inverse_dynamics(np.zeros((0, robot.nq)), np.zeros((0, 2, n))).shape,
                         (0, 1, n))
        self.assertEqual(robot.mass_matrix(robot.home()[None]).shape, (1, n, n))

    def test_the_state_at_fault_is_named(self):
        robot = jounce.Model("tilthex")
        q, v = np.stack([robot.home()] * 5), np.zeros((5, 2, robot.nv))
        q[3, 0] = 2
        with self.assertRaises(jounce.PoseError) as caught:
            robot.inverse_dynamics(q, v)
        self.assertEqual(caught.exception.index, 3)
        with self.assertRaises(jounce.PoseError) as caught:
            robot.mass_matrix(q)
        self.assertEqual(caught.exception.index, 3)


class Out(unittest.TestCase):
    def test_written_where_it_lies(self):
        robot = jounce.Model("tilthex", representation="body")
        q, v = random_state(robot, 3)
        out = np.empty((2, robot.nv))
        self.assertIs(robot.inverse_dynamics(q, v, out=out), out)
        np.testing.assert_array_equal(out, robot.inverse_dynamics(q, v))
        arrays = (np.empty((2, robot.nv, robot.nv)), np.empty((2, 3, robot.nv, robot.nv)))
        got = robot.inverse_partials(q, v, out=arrays)
        self.assertIs(got.dq, arrays[0])
        np.testing.assert_array_equal(got.dv, robot.inverse_partials(q, v).dv)

    def test_inputs_of_any_kind(self):
        robot = jounce.Model("double_pendulum")
        want = robot.inverse_dynamics([0.5, 1], [[1, 2], [3, 4]])
        wide = np.zeros((2, 4))
        wide[:, ::2] = [[1, 2], [3, 4]]
        np.testing.assert_array_equal(robot.inverse_dynamics((0.5, 1), wide[:, ::2]), want)
        np.testing.assert_array_equal(
            robot.inverse_dynamics(np.float32([0.5, 1]), np.asfortranarray([[1, 2], [3, 4]])), want)
        swapped = np.array([0.5, 1]).astype(">f8")
        np.testing.assert_array_equal(robot.inverse_dynamics(swapped, [[1, 2], [3, 4]]), want)


class OutElsewhere(unittest.TestCase):
    """out= of what is not an algorithm of Model: the same numbers, written where they shall be."""

    def calls(self):
        random = np.random.default_rng(4)
        robot = jounce.Model("tilthex")
        q, v = random_state(robot, 3)
        w, V = random.normal(size=(2, 3)), random.normal(size=(2, 3, 6))
        for name, x in (("so3_exp", w), ("so3_log", jounce.so3_exp(w)), ("se3_exp", V), ("se3_log", jounce.se3_exp(V)),
                        ("so3_dexp", w), ("so3_dexp_inv", w), ("se3_dexp", V), ("se3_dexp_inv", V)):
            yield getattr(jounce, name), (x,)
        thrust = 1 + random.random((4, 2, 6))
        for name in ("rotor_wrench", "rotor_thrusts", "rotor_speeds", "rotor_thrusts_at", "rotor_loads"):
            yield getattr(robot, name), (thrust,)
        layout = jounce.Layout(robot, "pinocchio")
        for kind, x in (("q", np.stack([q, q])), ("rows", v), ("matrices", robot.mass_matrix(q))):
            yield getattr(layout, "export_" + kind), (x,)
            yield getattr(layout, "import_" + kind), (x,)
        motion = jounce.Trajectory.minimum(robot, [0, 1], [q, robot.home()])
        other = jounce.Trajectory.minimum(robot.with_settings(layout="rbdl"), [0, 1], np.stack(
            [jounce.Layout(robot, "rbdl").export_q(x) for x in (q, robot.home())]))
        for m in (motion, other):
            yield m.at, ([[0.1, 0.2], [0.3, 0.4]], 2)
            yield m.band, (0.3, 1)
        for model in (robot, robot.with_settings(layout="mujoco")):
            k = model.kinematics(jounce.Layout(robot, model.layout).export_q(q), v)
            for arguments in (("twist", "B4", "body"), ("jacobian", "B4", "body", 1), ("point", "B4", (1, 2, 3)),
                              ("point_jacobian", "B4", (1, 2, 3)), ("system_jacobian", "body")):
                yield getattr(k, arguments[0]), arguments[1:]

    def test_written_where_it_lies(self):
        count = 0
        for call, arguments in self.calls():
            want = call(*arguments)
            several = isinstance(want, tuple)
            out = tuple(np.full_like(x, np.nan) for x in want) if several else np.full_like(want, np.nan)
            got = call(*arguments, out=out)
            for a, b, c in zip(*((want, out, got) if several else ((want,), (out,), (got,)))):
                self.assertIs(b, c)
                self.assertEqual(a.tobytes(), b.tobytes())
            wrong = np.empty(7)
            with self.assertRaises(jounce.ArgumentError):
                call(*arguments, out=(wrong, wrong) if several else wrong)
            with self.assertRaises(TypeError):
                call(*arguments, out=3)
            count += 1
        print("%d functions with out=" % count)

    def test_memory_of_the_input(self):
        w = np.zeros((3, 3))
        with self.assertRaisesRegex(jounce.ArgumentError, "shares memory with the input"):
            jounce.so3_exp(w[0], out=w)
        x = np.zeros(13)
        with self.assertRaisesRegex(jounce.ArgumentError, "shares memory with the input"):
            jounce.Layout(jounce.Model("tilthex"), "mujoco").export_q(x, out=x)


class Layouts(unittest.TestCase):
    def test_every_layout_computes_the_same(self):
        ours = jounce.Model("tilthex", representation="spatial")
        q, v = random_state(ours, 4)
        tau = ours.inverse_dynamics(q, v)
        power = tau[0] @ v[0]
        home = jounce.Layout(ours, "jounce")
        for name in ("pinocchio", "mujoco", "drake", "rbdl"):
            theirs, layout = ours.with_settings(layout=name), jounce.Layout(ours, name)
            self.assertEqual(theirs.layout, name)
            self.assertEqual(theirs.representation, layout.representation)
            q2, v2, tau2 = home.convert(layout, q, v, tau)
            got = theirs.inverse_dynamics(q2, v2)
            close("tau in a layout", got, tau2, 1e-11)
            residual("power in a layout", abs(got[0] @ v2[0] - power) / abs(power), 1e-12)
            close("forward in a layout", theirs.forward_dynamics(q2, v2[0], got), v2[1:], 1e-8)
            M = theirs.mass_matrix(q2)
            residual("kinetic energy in a layout", abs(
                v2[0] @ M @ v2[0] / (v[0] @ ours.mass_matrix(q) @ v[0]) - 1), 1e-12)
            J = theirs.frame_jacobian(q2, "B4", in_representation="hybrid")
            V = theirs.frame_twist(q2, v2[0], "B4", in_representation="hybrid")
            close("J v in a layout", J @ v2[0], V)
            k = theirs.kinematics(q2, v2[:2])
            J, W = k.jacobian("B4", "hybrid"), k.twist("B4", "hybrid")
            close("J v in a layout, kinematics", J[0] @ v2[0], W[0])
            close("J' v + J v' in a layout", J[1] @ v2[0] + J[0] @ v2[1], W[1], 1e-11)
            close("J'' needs v and v' alone", J[2], theirs.kinematics(q2, v2[:3]).jacobian("B4", "hybrid")[2])
            order = [3, 4, 5, 0, 1, 2] if name == "pinocchio" else list(range(6))
            close("twist", V, ours.frame_twist(q, v[0], "B4", in_representation="hybrid")[order], 1e-11)
            back = layout.convert(home, q2, v2, tau2)
            close("round trip", back[1], v)
            np.testing.assert_array_equal(layout.import_q(layout.export_q(q)), q)
            np.testing.assert_array_equal(theirs.home(), layout.export_q(ours.home()))
            batch = theirs.inverse_dynamics(np.stack([q2] * 3), np.stack([v2] * 3))
            close("batch in a layout", batch[2], got, 1e-12)
            Y = theirs.regressor(q2, v2)
            self.assertEqual(Y.shape, (3, ours.nv, 10 * ours.nbody))
            close("regressor of every order in a layout", Y[:, 6:], ours.regressor(q, v)[:, 6:], 1e-10)
            out = np.empty((3, ours.nv))
            theirs.inverse_dynamics(q2, v2, out=out)
            np.testing.assert_array_equal(out, got)

    def test_places(self):
        robot = jounce.Model("tilthex", layout="mujoco")
        self.assertEqual(robot.dofs[:7], ("base:vx", "base:vy", "base:vz", "base:wx", "base:wy", "base:wz", "q2"))
        layout = jounce.Layout(robot, "mujoco")
        self.assertEqual(layout.q_index[:7].tolist(), [4, 5, 6, 0, 1, 2, 3])

    def test_refused(self):
        robot = jounce.Model("tilthex", layout="drake")
        with self.assertRaisesRegex(jounce.ArgumentError, "linearise is not available in the layout 'drake'"):
            robot.linearise(robot.home(), np.zeros(robot.nv), np.zeros(robot.nv))
        with self.assertRaises(jounce.ArgumentError):
            jounce.Model("tilthex", layout="drake", representation="body")
        spec = jounce.Spec("ball").add_link("l", 1, inertia=[1, 1, 1])
        spec.add_joint("ball", "spherical", None, "l")
        with self.assertRaisesRegex(jounce.ArgumentError, "joint 'ball': Drake"):
            spec.build(layout="drake")


class Threads(unittest.TestCase):
    def test_one_model_in_many_threads(self):
        robot = jounce.Model("humanoid")
        q, v = random_state(robot, 4)
        want = robot.inverse_dynamics(q, v)
        many = np.stack([q] * 64), np.stack([v] * 64)
        batch, wrong = robot.inverse_dynamics(*many), []

        def work():
            for _ in range(40):
                if not np.array_equal(robot.inverse_dynamics(q, v), want):
                    wrong.append(1)
                if not np.array_equal(robot.inverse_dynamics(*many), batch):
                    wrong.append(2)
                robot.inverse_partials(q, v)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
