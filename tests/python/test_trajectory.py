"""Motions: sources, fits, files, limits, the fastest clock, motors of elastic joints."""
import unittest

import numpy as np

import jounce
from support import close, main, random_state, residual


class Trajectories(unittest.TestCase):
    def test_the_fastest_motion(self):
        robot = jounce.Model("double_pendulum")
        path = jounce.Trajectory.minimum(robot, [0, 0.7, 2], [[0, 0], [1.2, -0.8], [0.3, 0.5]])
        limits = dict(effort=40, effort_rate=400, jerk=[300, 250])
        fast = path.retime(**limits, intervals=100)
        self.assertEqual(fast.limits(**limits)["broken"], 0)
        found = path.limits(**limits)
        self.assertEqual(len(found["limits"]), 6)
        self.assertLess(fast.end, found["time_scale"] * path.end)
        self.assertLess(path.retime(effort=40, rates=False, intervals=100).end, fast.end)
        tame = path.retime(**limits, power=30, tool_speed=("link2", 1.0), intervals=100)
        self.assertEqual(tame.limits(**limits, power=30)["broken"], 0)
        self.assertGreater(tame.end, fast.end)
        slow = path.retime(**limits, tool_speed=("link2", 1.0), intervals=100)
        self.assertGreater(fast.tool_peak("link2")[0], 1.5)
        residual("the tool at its speed limit", abs(slow.tool_peak("link2")[0] - 1), 5e-3)
        calm = path.retime(**limits, objective="torque", duration=2 * fast.end, intervals=100)
        smooth = path.retime(**limits, objective="rate", duration=2 * fast.end, intervals=100)
        self.assertLessEqual(max(calm.end, smooth.end), 2 * fast.end)
        squares = [sum((robot.inverse_dynamics(*m.at(m.end * n / 400, order=1))[row] ** 2).sum()
                       for n in range(401)) * m.end for m in (calm, smooth, fast.scaled(2)) for row in (0, 1)]
        self.assertLess(squares[0], min(squares[2], squares[4]))
        self.assertLess(squares[3], min(squares[1], squares[5]))
        self.assertGreater(path.retime(**limits, objective=("mixed", 1.0), intervals=100).end, fast.end)
        with self.assertRaisesRegex(jounce.InfeasibleError, "too short: the fastest"):
            path.retime(**limits, duration=0.1, intervals=100)
        way = jounce.Trajectory.minimum(robot, None, [[0, 0], [1.2, -0.8], [0.3, 0.5]])
        self.assertEqual(way.end, 2)
        self.assertEqual(way.retime(**limits, intervals=100).limits(**limits)["broken"], 0)
        with self.assertRaisesRegex(jounce.Error, "different from the one before"):
            jounce.Trajectory.minimum(robot, None, [[0, 0], [0, 0]])
        moving = path.retime(**limits, end_speeds=(0.3, 0.2), intervals=100)
        residual("speed of the clock at the end", abs(moving.clock(moving.end, order=1)[1] / 0.2 - 1), 1e-9)
        # the same path: q at t is the path's q at u(t), and the chain rule
        u = fast.clock(0.4, order=1)
        q, v = fast.at(0.4)
        at, rate = path.at(u[0])
        residual("the path of the fastest motion", abs(q - at).max(), 1e-13)
        residual("its velocity", abs(v[0] - rate[0] * u[1]).max(), 1e-12)
        slow = path.clocked([[0, 0, 0.5, 0, 0], [4, 2, 0.5, 0, 0]])
        residual("a linear clock", abs(slow.at(1.0)[1] - path.scaled(2).at(1.0)[1]).max(), 1e-12)
        with self.assertRaisesRegex(jounce.InfeasibleError, "the effort at rest of 'joint1'"):
            path.retime(effort=1)
        for wrong in (dict(effort=[1, 2, 3]), dict(jerk=-1), dict(jerk=1, intervals=3),
                      dict(jerk=1, tool_speed=("hand", 1.0)), dict(jerk=1, tool_speed=3), dict(jerk=1, end_speeds=1),
                      dict(jerk=1, objective="torque"), dict(jerk=1, objective="mixed"), dict(jerk=1, objective=3),
                      dict(jerk=1, objective="time", duration=-1)):
            with self.assertRaises((jounce.Error, ValueError)):
                path.retime(**wrong)
        with self.assertRaises(jounce.Error):
            path.clocked([[0, 0, 1, 0, 0], [1, 0, 1, 0, 0]])

    def test_the_fastest_flight(self):
        robot = jounce.Model("tilthex")
        q = [[1, 0, 0, 0, 0, 0, 1] + 6 * [0], [1, 0, 0, 0, 0.8, 0.3, 1.6] + 6 * [0.1]]
        path = jounce.Trajectory.minimum(robot, [0, 1], q)
        found = path.retime(intervals=100).limits()
        self.assertEqual(found["broken"], 0)
        self.assertEqual([x["quantity"] for x in found["limits"]], 6 * ["thrust", "thrust_rate"])
        self.assertGreater(max(x["used"] for x in found["limits"]), 0.99)
        slow = path.retime(thrust=9, thrust_rate=[20] * 6, intervals=100)
        self.assertEqual(slow.limits(thrust=9, thrust_rate=20)["broken"], 0)
        self.assertGreater(slow.limits(thrust=8.5)["broken"], 0)
        with self.assertRaisesRegex(jounce.InfeasibleError, r"the thrust at rest of 'p\d'"):
            path.retime(thrust=2)
        for wrong in (dict(thrust=[1, 2]), dict(thrust_rate=-1)):
            with self.assertRaises(jounce.Error):
                path.limits(**wrong)

    def test_motors_of_elastic_joints(self):
        robot = jounce.Model("double_pendulum")
        path = jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.2, -0.8]], derivative=5)
        theta, tau, tau_m = path.elastic(0.4, 500, [0.1, 0.2])
        q, v = path.at(0.4, order=2)
        residual("spring torques", abs(tau - robot.inverse_dynamics(q, v)).max(), 1e-12)
        residual("deflection", abs(500 * theta[0] - tau[0]).max(), 1e-12)
        residual("motors", abs(np.array([0.1, 0.2]) * theta[2] + tau[0] - tau_m).max(), 1e-12)

    def test_motors_of_many_states(self):
        robot = jounce.Model("double_pendulum")
        path = jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.2, -0.8]], derivative=5)
        times = np.linspace(0.1, 0.9, 5)
        found = robot.elastic_motors(*path.at(times, order=2), [300.0, 0.0], [0.2, 0.0])
        self.assertEqual([x.shape for x in found], [(5, 3, 2), (5, 3, 2), (5, 1, 2)])
        for i, t in enumerate(times):
            for a, b in zip(found, path.elastic(t, [300.0, 0.0], [0.2, 0.0])):
                close("motors of many states", np.squeeze(a[i], 0) if b.ndim == 1 else a[i], b, 1e-13)
        self.assertEqual(robot.elastic_motors(*path.at(0.3, order=4), 300 * np.ones(2), [0.2, 0.1]).tau_m.shape, (3, 2))

    def test_motors_along_many_trajectories(self):
        robot = jounce.Model("double_pendulum")
        paths = [jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.2, -0.3 * n]], derivative=5) for n in range(4)]
        times = np.linspace(0, 1, 6)
        K, B = [300.0, 0.0], [0.2, 0.0]
        for threads, t in ((0, times), (1, np.outer(np.linspace(0.5, 1, 4), times)), (3, times)):
            found = jounce.Trajectory.elastic_batch(paths, t, K, B, threads=threads)
            self.assertEqual([x.shape for x in found], [(4, 6, 3, 2), (4, 6, 3, 2), (4, 6, 2)])
            for n, path in enumerate(paths):
                for k in range(6):
                    for a, b in zip(found, path.elastic(np.broadcast_to(t, (4, 6))[n, k], K, B)):
                        self.assertTrue(np.array_equal(a[n, k], b))
        other = jounce.Trajectory.minimum(jounce.Model("pendulum"), [0, 1], [[0], [1]])
        for wrong in (([], times, K, B), (paths + [other], times, K, B), (paths + [3], times, K, B),
                      (paths, 0.5, K, B), (paths, np.zeros((3, 2)), K, B), (paths, times, [1, 2, 3], B),
                      (paths, [0.1, np.nan], K, B), (paths, times, -1, B)):
            with self.assertRaises((jounce.Error, TypeError, ValueError)):
                jounce.Trajectory.elastic_batch(*wrong)
        with self.assertRaisesRegex(jounce.Error, "trajectory 2 at t = inf"):
            jounce.Trajectory.elastic_batch(paths, [[0.1], [0.2], [np.inf], [0.3]], K, B)

    def test_limits_and_clocks_of_many_trajectories(self):
        robot = jounce.Model("double_pendulum")
        paths = [jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.2, -0.3 * n]]) for n in range(4)]
        given = dict(effort=[25, 9], effort_rate=200, jerk=[400, 300], power=60)
        for threads in (0, 1, 3):
            checks = jounce.Trajectory.limits_batch(paths, samples=50, threads=threads, **given)
            motions = jounce.Trajectory.retime_batch(paths, intervals=50, threads=threads, **given)
            self.assertEqual(checks, [path.limits(samples=50, **given) for path in paths])
            for path, motion in zip(paths, motions):
                alone = path.retime(intervals=50, **given)
                self.assertEqual(motion.end, alone.end)
                self.assertTrue(np.array_equal(motion.clock(0.3, 3), alone.clock(0.3, 3)))
                self.assertEqual(motion.limits(**given)["broken"], 0)
            del motions
        # all options of a single call
        options = dict(rates=False, moving_ends=True, tolerance=1e-4, objective=("mixed", 0.01), tool_speed=(1, 3.0))
        for motion, path in zip(jounce.Trajectory.retime_batch(paths, 4, 30, intervals=40, **options), paths):
            self.assertEqual(motion.end, path.retime(4, 30, intervals=40, **options).end)
        ends = jounce.Trajectory.retime_batch(paths[1:], 4, 30, intervals=40, end_speeds=(0, 0.2), duration=0)
        self.assertEqual([m.end for m in ends], [p.retime(4, 30, intervals=40, end_speeds=(0, 0.2)).end for p in paths[1:]])

    def test_failures_among_many_trajectories(self):
        robot = jounce.Model("double_pendulum")
        good = jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [0.3, 0.2]])
        far = jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.5, 0.2]])
        jump = jounce.Trajectory.minimum(robot, [0, 1, 2], [[0, 0], [0.2, 0.1], [0, 0]], derivative=1)
        paths, given = [good, far, good, jump], dict(effort=8, effort_rate=300, intervals=40)
        for threads in (1, 3):
            found = jounce.Trajectory.retime_batch(paths, threads=threads, errors="return", **given)
            self.assertEqual(found[0].end, good.retime(**given).end)
            self.assertEqual(found[2].end, found[0].end)
            for i, kind in ((1, jounce.InfeasibleError), (3, jounce.ArgumentError)):
                self.assertIs(type(found[i]), kind)
                self.assertEqual(found[i].index, i)
                with self.assertRaises(kind) as alone:
                    paths[i].retime(**given)
                self.assertEqual(str(found[i]), str(alone.exception))
            with self.assertRaisesRegex(jounce.InfeasibleError, "the effort at rest of") as raised:
                jounce.Trajectory.retime_batch(paths, threads=threads, **given)
            self.assertEqual(raised.exception.index, 1)
        for batch in jounce.Trajectory.retime_batch, jounce.Trajectory.limits_batch:
            other = jounce.Trajectory.minimum(jounce.Model("pendulum"), [0, 1], [[0], [1]])
            for wrong in ([], [good, other], [good, 3], 5):
                with self.assertRaises((jounce.Error, TypeError)):
                    batch(wrong, jerk=50)
            for words in (dict(threads=-1), dict(errors="ignore"), dict(errors=1), dict(jerk=[1, 2, 3]), dict(thrust=3),
                          dict(velocity=-1), dict(samples=1), dict(intervals=-3)):
                with self.assertRaises((jounce.Error, TypeError)):
                    batch([good], **words)
        with self.assertRaisesRegex(jounce.ArgumentError, "errors: one of 'raise', 'return' expected"):
            jounce.Trajectory.limits_batch([good], errors="retrun")
        closed = jounce.Model("fourbar")
        still = jounce.Trajectory.minimum(closed, [0, 1], [closed.home(), closed.home()])
        for batch in jounce.Trajectory.retime_batch, jounce.Trajectory.limits_batch:
            with self.assertRaisesRegex(jounce.ArgumentError, "the model has constraints"):
                batch([still], jerk=50)

    def test_the_fastest_point_of_a_tool(self):
        robot = jounce.Model("arm6")
        path = jounce.Trajectory.minimum(robot, [0, 1], [np.zeros(6), np.full(6, 0.8)])
        speed, t = path.tool_peak("link6")
        q, v = path.at(np.linspace(0, 1, 20001), order=-1)
        dense = np.linalg.norm(robot.point_motion(q, v, "link6", [0, 0, 0])[:, 1], axis=1)
        residual("peak of a tool", abs(speed - dense.max()) / speed, 1e-8)
        residual("its time", abs(t - np.argmax(dense) / 20000), 1e-4)

    def test_through_the_waypoints(self):
        robot = jounce.Model("tilthex", representation="body")
        times = np.array([0, 0.7, 1.5])
        q = np.stack([random_state(robot, 1, s)[0] for s in range(3)])
        for make in (jounce.Trajectory.minimum, jounce.Trajectory.half_cosine):
            motion = make(robot, times, q)
            got, v = motion.at(times, order=2)
            self.assertEqual((got.shape, v.shape), ((3, robot.nq), (3, 4, robot.nv)))
            for a, b in zip(got, q):
                residual("waypoints", abs(robot.difference(a, b)).max(), 1e-13)
            residual("rest", abs(v[0, 0]).max(), 1e-12)
        tau = robot.inverse_dynamics(got, v)
        self.assertEqual(tau.shape, (3, 3, robot.nv))
        slow = motion.scaled(2)
        self.assertEqual((slow.start, slow.end), (0, 3))
        close("twice as slow", slow.at(1.0)[1][0], motion.at(0.5)[1][0] / 2)

    def test_consistent_in_every_layout(self):
        for layout in ("jounce", "pinocchio", "mujoco", "drake", "rbdl"):
            robot = jounce.Model("tilthex", layout=layout)
            q = np.stack([robot.home()] * 6) + 0.0
            ours = jounce.Model("tilthex")
            random = np.stack([random_state(ours, 1, s)[0] for s in range(6)])
            q = jounce.Layout(ours, layout).export_q(random)
            motion = jounce.Trajectory.bspline(robot, q, degree=5, end=2)
            h = 1e-4
            _, v = motion.at(0.9, order=2)
            ahead, behind = motion.at(0.9 + h, order=1)[1], motion.at(0.9 - h, order=1)[1]
            close("v' by differences", (ahead - behind)[:3] / (2 * h), v[1:4], 1e-5)

    def test_sources(self):
        robot = jounce.Model("double_pendulum")
        c = np.array([[0.1, 0.2], [1, 0], [0, 3]])
        motion = jounce.Trajectory.polynomial(robot, c, start=1, end=4)
        q, v = motion.at(3.0)
        np.testing.assert_allclose(q, [0.1 + 2, 0.2 + 12])
        np.testing.assert_allclose(v, [[1, 12], [0, 6]])
        wave = jounce.Trajectory.fourier(robot, 2.0, [[0, 0], [1, 0]], [[0, 0], [0, 1]], end=5)
        np.testing.assert_allclose(wave.at(0.3)[0], [np.cos(0.6), np.sin(0.6)])
        t = np.linspace(0, 1, 50)
        samples = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
        fit = jounce.Trajectory.fit(robot, t, samples, tolerance=0)
        rms, largest, weight = fit.residual
        residual("fit through every sample", largest.max(), 1e-10)
        close("fitted velocity", fit.at(0.5)[1][0], [3 * np.cos(1.5), -2 * np.sin(1.0)], 1e-6)
        with self.assertRaisesRegex(jounce.ArgumentError, "runs from 0 to 1"):
            fit.at(2)
        with self.assertRaises(jounce.StateError):
            fit.band(0.5)
        # noise found from the samples, and bands that contain the truth
        t = np.linspace(0, 4, 800)
        samples = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
        fit = jounce.Trajectory.fit(robot, t, samples + 1e-3 * np.random.default_rng(1).standard_normal((800, 2)))
        np.testing.assert_allclose(fit.report["noise"], 1e-3, rtol=0.15)
        (q, v), (bq, bv) = fit.at(t, 1), fit.band(t, 1)
        self.assertGreater(np.mean(np.abs(q - samples) <= bq), 0.85)
        self.assertGreater(np.mean(np.abs(v[:, 2, 0] + 27 * np.cos(3 * t)) <= bv[:, 2, 0]), 0.85)
        # the bands of torques and torque rates contain those of the true motion
        inside = []
        for s in t[::20]:
            truth = np.array([[3 * np.cos(3 * s), -2 * np.sin(2 * s)], [-9 * np.sin(3 * s), -4 * np.cos(2 * s)],
                              [-27 * np.cos(3 * s), 8 * np.sin(2 * s)]])
            tau = robot.inverse_dynamics(np.array([np.sin(3 * s), np.cos(2 * s)]), truth)
            inside.append(np.abs(robot.inverse_dynamics(*fit.at(s, 1)) - tau) <= fit.force_band(s, 1))
        self.assertEqual(inside[0].shape, (2, 2))
        self.assertGreater(np.mean(inside), 0.85)
        with self.assertRaisesRegex(jounce.FitError, "cannot be trusted"):
            jounce.Trajectory.fit(robot, t, samples, pieces=2)
        # options of recordings
        noisy = samples + 1e-4 * np.random.default_rng(2).standard_normal((800, 2))
        wrapped = (4 * noisy + np.pi) % (2 * np.pi) - np.pi
        close("degrees", jounce.Trajectory.fit(robot, t, np.degrees(noisy), degrees=True).at(1.0)[1],
              jounce.Trajectory.fit(robot, t, noisy).at(1.0)[1], 1e-9)
        fit = jounce.Trajectory.fit(robot, t, wrapped, unwrap=True, outliers="keep")
        jumps = (np.abs(np.diff(wrapped, axis=0)) > 3).sum(axis=0)
        self.assertGreater(jumps.min(), 0)
        np.testing.assert_array_equal(fit.report["turns"], jumps)
        spikes = noisy.copy()
        spikes[50::200] += 0.2
        self.assertEqual([list(jounce.Trajectory.fit(robot, t, spikes, outliers=word, force=True).report["outliers"])
                          for word in ("drop", "keep")], [[4, 4], [0, 0]])
        rest = np.stack([t ** 4 * (35 - 21 * t + 4.375 * t ** 2 - 0.3125 * t ** 3) / 256] * 2, axis=1)
        rest += 1e-4 * np.random.default_rng(3).standard_normal((800, 2))
        at_rest = jounce.Trajectory.fit(robot, t, rest, ends="rest")
        self.assertTrue((at_rest.band(0.0)[1] < jounce.Trajectory.fit(robot, t, rest).band(0.0)[1]).all())
        with self.assertRaisesRegex(jounce.FitError, "does not rest at its start"):
            jounce.Trajectory.fit(robot, t, noisy, ends="rest")
        for given in (dict(tolerance=1e-4), dict(smoothing=1e-9)):
            with self.assertRaisesRegex(jounce.ArgumentError, "ends at rest cannot be combined"):
                jounce.Trajectory.fit(robot, t, rest, ends="rest", **given)
            with self.assertRaisesRegex(jounce.ArgumentError, "outliers are not left out"):
                jounce.Trajectory.fit(robot, t, rest, outliers="drop", **given)
            jounce.Trajectory.fit(robot, t, rest, outliers="keep", ends="free", force=True, **given)
        # a spline of degree 7 has 7 derivatives
        fit = jounce.Trajectory.fit(robot, t, noisy)
        self.assertTrue((fit.band(1.0, 5)[1] > 0).all() and (fit.force_band(1.0, 5) > 0).all())
        for band in (fit.band, fit.force_band):
            with self.assertRaisesRegex(jounce.OrderError, "derivative 8 is needed.*degree=8 or more"):
                band(1.0, 6)
            with self.assertRaisesRegex(jounce.OrderError, "bands up to order 29"):
                band(1.0, 30)
        with self.assertRaisesRegex(ValueError, "'free' or 'rest'"):
            jounce.Trajectory.fit(robot, t, noisy, ends="test")
        with self.assertRaises(jounce.Error):
            jounce.Trajectory.minimum(robot, [0, 0], samples[:2])

    def test_files(self):
        import os
        import tempfile
        robot = jounce.Model("double_pendulum")
        self.assertEqual(robot.coordinates, ("joint1", "joint2"))
        self.assertEqual(jounce.Model("tilthex", layout="rbdl").coordinates[-1], "base:qw")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "motion.json")
            motion = jounce.Trajectory.minimum(robot, [0, 1, 2], [[0, 1], [1, 0], [0, 0.5]])
            motion.save(path)
            again = jounce.Trajectory.load(robot, path)
            for a, b in zip(motion.at(np.linspace(0, 2, 9), 2), again.at(np.linspace(0, 2, 9), 2)):
                np.testing.assert_array_equal(a, b)
            t = np.linspace(0, 1, 60)
            samples = np.stack([t, np.sin(t), np.cos(t)], axis=1)
            path = os.path.join(folder, "samples.csv")
            np.savetxt(path, samples, delimiter=",", header="t,joint1,joint2", comments="", fmt="%.17g")
            fit = jounce.Trajectory.load(robot, path, tolerance=0)
            residual("fit of a file", fit.residual[1].max(), 1e-12)
            close("velocity of a file", fit.at(0.5)[1][0], [np.cos(0.5), -np.sin(0.5)], 1e-7)
            with self.assertRaises(jounce.FileError):
                jounce.Trajectory.load(robot, os.path.join(folder, "none.csv"))


if __name__ == "__main__":
    main()
